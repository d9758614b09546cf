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
    /// Where the true number lies with 99 % confidence, if measurements are independent; `None` of ranges.
    pub confidence: Option<(f64, f64)>,
}

impl Beside {
    /// Returns how many times as large as predicted it is; `None` of ranges.
    pub fn ratio(&self) -> Option<f64> {
        let middle = f64::midpoint(self.predicted.0, self.predicted.1);
        let is_one = self.measured.0.to_bits() == self.measured.1.to_bits();
        (is_one && middle > 0.0 && middle.is_finite()).then(|| self.measured.0 / middle)
    }

    /// Returns whether what was measured lies within what is predicted; of a number that was measured with a
    /// doubt, whether it may.
    pub fn is_within(&self) -> bool {
        // Units are converted with a rounding.
        let off = 4.0 * f64::EPSILON;
        let (low, high) = (self.predicted.0 * (1.0 - off), self.predicted.1 * (1.0 + off));
        match self.confidence {
            None => low <= self.measured.0 && self.measured.1 <= high,
            Some((least, greatest)) => low <= greatest && least <= high,
        }
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
    let (measured, confidence, is_rate) = match (figure.kind, figure.view) {
        ("throughput", _) if rest.is_empty() => {
            (once(column.throughput?), Some(column.throughput_within?), true)
        }
        ("percentile", _) => {
            let percent: f64 = rest.strip_prefix(", ")?.strip_suffix(" %")?.parse().ok()?;
            let part = percent / 100.0;
            (once(sample.quantile(part)), Some(sample.quantile_within(part)), false)
        }
        ("latency" | "period" | "duration", view) if rest.is_empty() => {
            let summary = sample.summary();
            if view == "timed" {
                ((summary.least, summary.greatest), None, false)
            } else {
                (once(summary.mean), Some(sample.mean_within()), false)
            }
        }
        _ => return None,
    };
    let (from, to) = (column.unit.as_deref(), figure.unit.trim_start_matches("1/"));
    let in_unit = |(low, high): (f64, f64)| {
        let one = |value: f64| {
            if is_rate { 1.0 / converted(1.0 / value, from, to) } else { converted(value, from, to) }
        };
        (one(low), one(high))
    };
    Some(Beside {
        kind: figure.kind,
        name: figure.name.clone(),
        view: figure.view,
        unit: figure.unit.clone(),
        predicted: (low.below(), high.above()),
        measured: in_unit(measured),
        confidence: confidence.map(in_unit),
    })
}

/// Returns a time in another unit; the same number if one of them is not known.
pub(crate) fn converted(time: f64, from: Option<&str>, to: &str) -> f64 {
    let nanoseconds = |unit: &str| match unit {
        "ns" => Some(1.0),
        "us" => Some(1e3),
        "ms" => Some(1e6),
        "s" => Some(1e9),
        "min" => Some(6e10),
        "h" => Some(3.6e12),
        _ => None,
    };
    // One unit is always a whole number of times the other: so there is only one rounding.
    match from.and_then(nanoseconds).zip(nanoseconds(to)) {
        Some((from, to)) if from >= to => time * (from / to),
        Some((from, to)) => time / (to / from),
        None => time,
    }
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
            range: None,
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
        // Three durations say little about their mean.
        assert!(found[0].is_within() && found[1].ratio().is_none() && found[1].is_within());
        assert!(near(found[1].measured.0, 2000.0) && near(found[1].measured.1, 4000.0));
        assert!(near(found[2].measured.0, 3000.0));
        // Two more ends in 4 ms.
        assert!(near(found[3].measured.0, 0.0005) && near(found[3].ratio().unwrap(), 0.5));
    }

    #[test]
    fn what_was_measured_often_is_known_well() {
        use std::fmt::Write;
        let mut log = "read us\n".to_owned();
        for number in 0..400 {
            let _ = writeln!(log, "{}", 10 + number % 5);
        }
        let log = read_log(&log).unwrap();
        let mean = |value: f64| figure("latency", "read", "stochastic", "us", (value, value));
        let median = |value: f64| figure("percentile", "read, 50 %", "stochastic", "us", (value, value));
        let found = log.beside(&[mean(12.0), mean(12.1), mean(12.3), median(12.0), median(13.5)]);
        let within: Vec<bool> = found.iter().map(super::Beside::is_within).collect();
        assert_eq!(within, [true, true, false, true, false], "{found:?}");
        // What all runs do is exact: 0.1 us beside 100 ns.
        let log = read_log("read ns\n100\n300\n").unwrap();
        let found = log.beside(&[figure("latency", "read", "timed", "us", (0.1, 0.3))]);
        assert!(found[0].is_within(), "{found:?}");
    }
}
