//! What was measured beside what is predicted.

use narrows_model::{Figure, FigureResult};

use super::log::{Column, Log};

/// A figure of a study, and what was measured of the same.
#[derive(Clone, Debug, PartialEq)]
pub struct Beside {
    /// The kind of the figure.
    pub kind: &'static str,
    /// What it is called.
    pub name: String,
    /// The view it is from.
    pub view: &'static str,
    /// The unit of all numbers here.
    pub unit: String,
    /// What is predicted, at least and at most.
    pub predicted: (f64, f64),
    /// What was measured: once, or from the least to the greatest.
    pub measured: (f64, f64),
}

impl Beside {
    /// Returns how many times as large as predicted it is; `None` of ranges.
    pub fn ratio(&self) -> Option<f64> {
        let middle = f64::midpoint(self.predicted.0, self.predicted.1);
        let is_one = self.measured.0.to_bits() == self.measured.1.to_bits();
        (is_one && middle > 0.0 && middle.is_finite()).then(|| self.measured.0 / middle)
    }

    /// Returns whether what was measured lies within what is predicted.
    pub fn is_within(&self) -> bool {
        self.predicted.0 <= self.measured.0 && self.measured.1 <= self.predicted.1
    }
}

impl Log {
    /// Puts what was measured beside figures with the same name: throughputs beside throughputs, means and
    /// percentiles beside those of latencies, periods and durations, and what is exact of all runs beside the
    /// least and the greatest.
    pub fn beside(&self, figures: &[Figure]) -> Vec<Beside> {
        let each = |figure: &Figure| self.columns.iter().find_map(|column| beside(figure, column));
        figures.iter().filter_map(each).collect()
    }
}

fn beside(figure: &Figure, column: &Column) -> Option<Beside> {
    let FigureResult::Value { low, high, .. } = &figure.result else { return None };
    let rest = figure.name.strip_prefix(&column.name)?;
    let sample = &column.sample;
    let once = |value: f64| (value, value);
    let (measured, is_rate) = match (figure.kind, figure.view) {
        ("throughput", _) if rest.is_empty() => (once(column.throughput?), true),
        ("percentile", _) => {
            let percent: f64 = rest.strip_prefix(", ")?.strip_suffix(" %")?.parse().ok()?;
            (once(sample.quantile(percent / 100.0)), false)
        }
        ("latency" | "period" | "duration", view) if rest.is_empty() => {
            let summary = sample.summary();
            let all = (summary.least, summary.greatest);
            (if view == "timed" { all } else { once(summary.mean) }, false)
        }
        _ => return None,
    };
    let factor = conversion(column.unit.as_deref(), figure.unit.trim_start_matches("1/"));
    let factor = if is_rate { 1.0 / factor } else { factor };
    Some(Beside {
        kind: figure.kind,
        name: figure.name.clone(),
        view: figure.view,
        unit: figure.unit.clone(),
        predicted: (low.below(), high.above()),
        measured: (measured.0 * factor, measured.1 * factor),
    })
}

/// Returns how many of the second unit one of the first is; 1 if it is not known.
pub(crate) fn conversion(from: Option<&str>, to: &str) -> f64 {
    let seconds = |unit: &str| match unit {
        "ns" => Some(1e-9),
        "us" => Some(1e-6),
        "ms" => Some(1e-3),
        "s" => Some(1.0),
        "min" => Some(60.0),
        "h" => Some(3600.0),
        _ => None,
    };
    from.and_then(seconds).zip(seconds(to)).map_or(1.0, |(from, to)| from / to)
}

#[cfg(test)]
mod tests {
    use narrows_model::{Figure, FigureResult, Number};

    use super::super::read_log;

    fn figure(kind: &'static str, name: &str, view: &'static str, unit: &str, ends: (f64, f64)) -> Figure {
        Figure {
            kind,
            name: name.to_owned(),
            view,
            result: FigureResult::Value {
                low: Number::Float(ends.0),
                high: Number::Float(ends.1),
                exact: false,
            },
            unit: unit.to_owned(),
            witnesses: Vec::new(),
            notes: Vec::new(),
            expected: None,
            reference: None,
            cell: None,
            is_drawn: false,
            curve: Vec::new(),
        }
    }

    #[test]
    fn names_and_units_are_matched() {
        let log = read_log("kind,begin ms,end ms\nread,0,2\nread,1,4\nread,2,6\nwrite,0,9\n").unwrap();
        let figures = [
            figure("latency", "read", "stochastic", "us", (2000.0, 2000.0)),
            figure("latency", "read", "timed", "us", (2000.0, 4000.0)),
            figure("percentile", "read, 50 %", "stochastic", "us", (3000.0, 3000.0)),
            figure("throughput", "read", "stochastic", "1/us", (0.001, 0.001)),
            figure("latency", "other", "stochastic", "us", (1.0, 1.0)),
            figure("utilisation", "read", "stochastic", "", (1.0, 1.0)),
        ];
        let found = log.beside(&figures);
        assert_eq!(found.len(), 4);
        let near = |one: f64, other: f64| (one / other - 1.0).abs() < 1e-12;
        assert!(near(found[0].measured.0, 3000.0) && near(found[0].ratio().unwrap(), 1.5));
        assert!(!found[0].is_within() && found[1].ratio().is_none());
        assert!(near(found[1].measured.0, 2000.0) && near(found[1].measured.1, 4000.0));
        assert!(near(found[2].measured.0, 3000.0));
        // Two more ends in 4 ms.
        assert!(near(found[3].measured.0, 0.0005) && near(found[3].ratio().unwrap(), 0.5));
    }
}
