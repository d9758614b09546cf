//! Figures as text and as JSON.

use std::fmt::Write;

use narrows_model::decimals::{DIGITS, above, below, certain, outwards, range, told_above, told_below};
use narrows_model::{
    Coverage, Figure, FigureResult, Model, Number, Published, SetSize, SweepPoint, Trace, ViewSize,
};
use serde_json::{Map, Value, json};

use crate::against::{Against, against_csv, against_text, against_value};
use crate::json::{head, large};
use crate::text::set_size;
use crate::{Document, narration, sweep, tables, units};

/// Everything a report says about measurements.
#[derive(Clone, Debug)]
pub struct Figures<'a> {
    /// The study or model that was measured, as the user named it.
    pub name: &'a str,
    /// What it is about; may be empty.
    pub title: &'a str,
    /// What came out.
    pub figures: &'a [Figure],
    /// The views that were built.
    pub sizes: &'a [ViewSize],
    /// What came out with other values.
    pub sweep: &'a [SweepPoint],
    /// How long it took.
    pub seconds: f64,
    /// The model that was measured.
    pub model: &'a Model,
    /// States that were covered and belong to no view.
    pub coverage: Option<&'a Coverage>,
    /// How many characters fit into a line; any number if it is not known.
    pub width: Option<usize>,
    /// How many significant digits are wanted; as many as matter if nothing is said.
    pub digits: Option<usize>,
    /// What was measured of the same, if there is a log of it.
    pub against: Option<Against<'a>>,
}

/// Says how large a view is.
pub(crate) fn size_text(size: &ViewSize) -> String {
    let states = units::grouped_digits(&size.states);
    let transitions = size.transitions.map(|count| format!(", {} transitions", units::grouped(count)));
    format!("{} view: {states} {}{}", size.view, size.unit, transitions.unwrap_or_default())
}

impl Figures<'_> {
    /// Returns how many significant digits of measured numbers are shown.
    pub(crate) fn digits(&self) -> usize {
        self.digits.unwrap_or(DIGITS)
    }

    /// Returns the exit status that the figures call for.
    pub fn status(&self) -> u8 {
        if self.figures.iter().any(Figure::fails) {
            1
        } else if self.figures.iter().any(Figure::is_open) || self.lacks_a_point() {
            2
        } else {
            0
        }
    }

    /// Returns whether there was no model to measure for some values of the sweep.
    fn lacks_a_point(&self) -> bool {
        !self.figures.is_empty() && self.sweep.iter().any(|point| point.figures.is_empty())
    }

    /// Writes the figures for people, with the runs that show them if they are wanted.
    pub fn text(&self, with_runs: bool) -> String {
        let mut text = self.name.to_owned();
        if !self.title.is_empty() {
            let _ = write!(text, ": {}", self.title);
        }
        text.push('\n');
        self.answers(&mut text);
        for figure in self.figures.iter().filter(|figure| with_runs || figure.fails() || figure.is_open()) {
            for (what, trace) in &figure.witnesses {
                let _ = writeln!(text, "\n{} {}: {what}", figure.kind, figure.name);
                narration::steps(self.model, trace, &mut text);
            }
        }
        if !self.sweep.is_empty() {
            text.push_str("\nsweep\n");
            text.push_str(&sweep::table(self.sweep, self.width, self.digits()));
        }
        text.push('\n');
        self.sizes_text(&mut text);
        if let Some(Against { log, rows }) = self.against {
            text.push_str(&against_text(log, rows, self.digits()));
        }
        text
    }

    /// Writes the answers, a line each.
    pub(crate) fn answers(&self, text: &mut String) {
        let kinds = self.figures.iter().map(|figure| figure.kind.len()).max().unwrap_or(0);
        let name = |figure: &Figure| asked(self.figures, figure);
        let names = self.figures.iter().map(|figure| name(figure).chars().count()).max().unwrap_or(0).min(44);
        // What stands in a table is told there, if there is nothing else to say.
        let is_told = |figure: &&Figure| figure.cell.is_none() || figure.fails() || figure.is_open();
        for figure in self.figures.iter().filter(is_told) {
            let _ = writeln!(
                text,
                "  {:kinds$}  {:names$}  {}{}",
                figure.kind,
                name(figure),
                result_text(figure, self.digits()),
                judgement(figure)
            );
            for note in &figure.notes {
                let _ = writeln!(text, "  {:kinds$}  {note}", "");
            }
        }
        for table in tables::tables(self.figures) {
            let _ = write!(text, "\n{}", tables::text(&table, self.digits()));
        }
    }

    /// Writes how large the views are, and how long it took.
    pub(crate) fn sizes_text(&self, text: &mut String) {
        for size in self.sizes {
            let _ = write!(text, "  {}", size_text(size));
            if let Some(minimised) = size.minimised {
                let _ = write!(text, "; {} states after minimisation", units::grouped(minimised));
            }
            text.push('\n');
        }
        if let Some((sets, coverage)) = self.sets() {
            let _ = writeln!(text, "  {}, {}", set_size(sets), units::bytes(coverage.bytes));
        }
        let _ = writeln!(text, "  {}", units::seconds(self.seconds));
    }

    /// Writes the figures as comma-separated values: a line for each combination of values, or one for all
    /// answers.
    pub fn csv(&self) -> String {
        let alone = [SweepPoint { settings: Vec::new(), figures: self.figures.to_vec() }];
        let mut text = sweep::csv(if self.sweep.is_empty() { &alone } else { self.sweep });
        if let Some(Against { rows, .. }) = self.against {
            let _ = write!(text, "\n{}", against_csv(rows));
        }
        text
    }
}

impl<'a> Figures<'a> {
    /// Writes the figures as a JSON document, their runs step by step.
    pub fn document(&self) -> Document<'a> {
        self.with_more(true, Vec::new())
    }

    /// Writes the figures as a JSON document, with or without runs, and more answers after the study's own.
    pub(crate) fn with_more(&self, with_runs: bool, more: Vec<Document<'a>>) -> Document<'a> {
        let mut document = Document::from(head(self.name));
        if !self.title.is_empty() {
            document.insert("title", json!(self.title));
        }
        let rounded = |seconds: f64| json!((seconds * 1000.0).round() / 1000.0);
        let sizes = self.sizes.iter().map(|size| {
            let mut entry = json!({
                "view": size.view, "states": count_value(&size.states), "seconds": rounded(size.seconds),
            });
            if let Some(transitions) = size.transitions {
                entry["transitions"] = json!(transitions);
            }
            if let Some(minimised) = size.minimised {
                entry["minimised"] = json!(minimised);
            }
            entry
        });
        document.insert("views", sizes.collect::<Value>());
        if let Some((sets, coverage)) = self.sets() {
            if let Some(states) = &sets.states {
                document.insert("states", large(states));
                document.insert("bits", json!(sets.bits));
            }
            document.insert("memory", json!(coverage.bytes));
        }
        document.insert("seconds", rounded(self.seconds));
        let answers = self.figures.iter().map(|figure| self.answer(figure, with_runs)).chain(more);
        document.insert("answers", Document::Array(answers.collect()));
        if !self.sweep.is_empty() {
            let points = self.sweep.iter().map(|point| {
                let answers = point.figures.iter().map(|figure| self.answer(figure, with_runs));
                sweep::document(point, answers.collect())
            });
            document.insert("sweep", Document::Array(points.collect()));
        }
        if let Some(Against { log, rows }) = self.against {
            document.insert("against", json!({ "log": log, "figures": against_value(rows) }));
        }
        document
    }

    pub(crate) fn answer(&self, figure: &'a Figure, with_runs: bool) -> Document<'a> {
        let model = self.model;
        if with_runs {
            told_figure(figure, move |trace| narration::document(model, trace))
        } else {
            Document::from(told_result(figure))
        }
    }

    /// Returns how many states were covered as sets, if they were.
    fn sets(&self) -> Option<(&SetSize, &Coverage)> {
        let coverage = self.coverage?;
        Some((coverage.sets.as_ref()?, coverage))
    }
}

/// Writes a number of states: few programs read large numbers, and so they are texts.
pub(crate) fn count_value(digits: &str) -> Value {
    let number = digits.parse::<u64>().ok().filter(|number| *number < 1 << 53);
    number.map_or_else(|| json!(digits), |number| json!(number))
}

/// Writes a figure as JSON; `run` writes the runs that show it.
pub(crate) fn told_figure<'a>(
    figure: &'a Figure,
    run: impl Fn(&'a Trace) -> Document<'a> + Copy + 'a,
) -> Document<'a> {
    let mut document = Document::from(told_result(figure));
    let shown = move |(what, trace): &'a (String, Trace)| {
        let mut shown = Document::from(Map::new());
        shown.insert("shows", json!(what));
        shown.insert("trace", run(trace));
        shown
    };
    document.insert("runs", Document::list(move || figure.witnesses.iter().map(shown)));
    document
}

/// Writes a figure as JSON, without the runs that show it.
fn told_result(figure: &Figure) -> Map<String, Value> {
    let mut entry = Map::new();
    let mut put = |key: &str, value: Value| _ = entry.insert(key.to_owned(), value);
    put("kind", json!(figure.kind));
    put("name", json!(figure.name));
    put("view", json!(figure.view));
    match &figure.result {
        FigureResult::Value { low, high, exact } => {
            let value = json!({
                "low": number_value(*low, Number::told_below),
                "high": number_value(*high, Number::told_above),
                "unit": figure.unit, "exact": exact,
            });
            put("value", value);
            if let Some(range) = figure.range {
                let [least, greatest] = range.map(|(low, high)| {
                    let [low, high] = [Number::Float(low), Number::Float(high)];
                    json!({
                        "low": number_value(low, Number::told_below),
                        "high": number_value(high, Number::told_above),
                    })
                });
                put("range", json!({ "least": least, "greatest": greatest }));
            }
        }
        FigureResult::Estimated { value, low, high, .. } => {
            put("estimated", json!(true));
            let value = json!({
                "low": low, "high": high, "unit": figure.unit, "exact": false, "estimate": value,
                "confidence": 0.99,
            });
            put("value", value);
        }
        FigureResult::Word(word) => put("verdict", json!(word)),
        FigureResult::Undecided(limit) => {
            put("verdict", json!("undecided"));
            put("reason", json!(limit.reason()));
        }
        FigureResult::None(reason) => {
            put("verdict", json!("undecided"));
            put("reason", json!(reason));
        }
        _ => put("verdict", json!("undecided")),
    }
    if let Some(reference) = &figure.reference {
        let Published { source, found, agrees } = reference;
        put("reference", json!({ "source": source, "found": found, "agrees": agrees }));
    }
    if let Some([table, row, column]) = &figure.cell {
        put("cell", json!({ "table": table, "row": row, "column": column }));
    }
    if let Some((expected, met)) = &figure.expected {
        put("expect", json!(expected));
        put("met", json!(met));
    }
    if !figure.notes.is_empty() {
        put("notes", json!(figure.notes));
    }
    if !figure.curve.is_empty() {
        put(
            "distribution",
            figure
                .curve
                .iter()
                .map(|one| json!([one.time, told_below(one.low), told_above(one.high)]))
                .collect(),
        );
    }
    entry
}

/// Says what was asked. The view is said where a question is asked in several.
pub(crate) fn asked(figures: &[Figure], figure: &Figure) -> String {
    let is_same = |other: &&Figure| (other.kind, &other.name) == (figure.kind, &figure.name);
    let is_alone = figures.iter().filter(is_same).count() == 1;
    if is_alone { figure.name.clone() } else { format!("{}, {}", figure.name, figure.view) }
}

/// Says what came out.
pub fn result_text(figure: &Figure, digits: usize) -> String {
    let unit = if figure.unit.is_empty() { String::new() } else { format!(" {}", figure.unit) };
    match &figure.result {
        FigureResult::Value { low, high, exact: true } if low == high => {
            format!("{}{unit}", number_text(*low))
        }
        FigureResult::Value { low, high, exact: true } if figure.kind != "throughput" => {
            format!("{} to {}{unit}", number_text(*low), number_text(*high))
        }
        FigureResult::Value { low, high, exact: true } => {
            format!("{} at worst, {} at best{unit}", number_text(*low), number_text(*high))
        }
        FigureResult::Value { low, high, .. } => {
            let text = match figure.range {
                Some([least, greatest]) => range(least, greatest, digits),
                None => certain(low.below(), high.above(), digits),
            };
            format!("{text}{unit}")
        }
        FigureResult::Estimated { low, high, .. } => {
            let [low, high] = estimated(*low, *high);
            format!("estimated {low} to {high}{unit}")
        }
        FigureResult::Word(word) => word.clone(),
        FigureResult::Undecided(limit) => format!("undecided: {}", limit.reason()),
        FigureResult::None(reason) => format!("none: {reason}"),
        _ => "undecided".to_owned(),
    }
}

/// Writes the ends of a confidence interval, rounded outwards, with as many digits as it tells.
pub(crate) fn estimated(low: f64, high: f64) -> [String; 2] {
    let width = (high - low).max(low.abs().max(high.abs()) * 1e-9);
    if width <= 0.0 || !width.is_finite() {
        return [low, high].map(|end| end.to_string());
    }
    let places = (1.0 - width.log10().floor()).max(0.0);
    if places > 9.0 || high.abs() >= 1e9 {
        return outwards(low, high, 4);
    }
    // As many digits as reach the last place that is shown.
    let digits = |end: f64| (end.abs().log10().floor() + places + 1.0).max(1.0) as usize;
    [below(low, digits(low)), above(high, digits(high))].map(|end| padded(end, places as usize))
}

/// Adds zeros, so that a number has so many digits after the point.
fn padded(number: String, places: usize) -> String {
    if places == 0 || number.contains('e') {
        return number;
    }
    let known = number.split_once('.').map(|(_, part)| part.len());
    let zeros = "0".repeat(places.saturating_sub(known.unwrap_or(0)));
    if known.is_none() { format!("{number}.{zeros}") } else { number + &zeros }
}

pub(crate) fn judgement(figure: &Figure) -> String {
    let mut text = match &figure.expected {
        None => String::new(),
        Some((_, true)) => "  as expected".to_owned(),
        Some((expected, false)) => format!("  NOT AS EXPECTED: {expected}"),
    };
    if let Some(Published { source, found, agrees }) = &figure.reference {
        let sign = if *agrees { '=' } else { '≠' };
        let _ = write!(text, "  {sign} {source}: {found}");
    }
    text
}

/// Writes a number: a fraction that is no short decimal with its value beside it.
pub(crate) fn number_text(number: Number) -> String {
    match number {
        Number::Infinity => "infinity".to_owned(),
        Number::Float(value) => format!("{value}"),
        Number::Ratio(above, 1) => format!("{above}"),
        Number::Ratio(above, below) => match decimal(above, below) {
            Some(text) => text,
            None => {
                let value = number.to_f64();
                // Six places, but never fewer than four digits.
                let places = (3.0 - value.abs().log10().floor()).clamp(6.0, 300.0) as usize;
                format!("{above}/{below} (≈ {value:.places$})")
            }
        },
    }
}

/// Returns a fraction as a decimal with at most six places, if it is one.
fn decimal(above: i128, below: i128) -> Option<String> {
    let places = (1..=6_u32).find(|places| 10_i128.pow(*places) % below == 0)?;
    let scale = 10_i128.pow(places);
    let scaled = above.checked_mul(scale / below)?;
    let sign = if scaled < 0 { "-" } else { "" };
    let (whole, part) = (scaled.abs() / scale, scaled.abs() % scale);
    Some(format!("{sign}{whole}.{part:0width$}", width = places as usize))
}

/// Writes a number; one that has no decimal is rounded to one side.
pub(crate) fn number_value(number: Number, rounded: fn(Number) -> f64) -> Value {
    match number {
        Number::Infinity => json!("infinity"),
        Number::Float(value) if value.is_infinite() => json!("infinity"),
        Number::Float(_) => json!(rounded(number)),
        Number::Ratio(above, 1) => {
            i64::try_from(above).map_or_else(|_| json!(rounded(number)), |whole| json!(whole))
        }
        Number::Ratio(..) => json!(rounded(number)),
    }
}

#[cfg(test)]
mod tests {
    use narrows_model::Number;

    use super::{estimated, number_text};

    #[test]
    fn confidence_intervals_are_rounded_outwards() {
        let cases = [
            (1.234_56, 1.345_67, ["1.23", "1.35"]),
            (0.199, 0.301, ["0.19", "0.31"]),
            (0.0, 0.5, ["0.00", "0.50"]),
            (-0.0625, 0.125, ["-0.07", "0.13"]),
            (2.0_f64.powi(-40), 2.0_f64.powi(-39), ["9.094e-13", "1.819e-12"]),
            (12_345.6, 23_456.7, ["12345", "23457"]),
        ];
        for (low, high, ends) in cases {
            let found = estimated(low, high);
            let number = |text: &String| text.parse::<f64>().unwrap();
            assert!(number(&found[0]) <= low && number(&found[1]) >= high, "{found:?}");
            assert_eq!(found.each_ref().map(String::as_str), ends, "{low} {high}");
        }
    }

    #[test]
    fn numbers_are_short() {
        assert_eq!(number_text(Number::Ratio(95, 1)), "95");
        assert_eq!(number_text(Number::Ratio(5, 2)), "2.5");
        assert_eq!(number_text(Number::Ratio(-1, 8)), "-0.125");
        assert_eq!(number_text(Number::Ratio(1, 453)), "1/453 (≈ 0.002208)");
        assert_eq!(number_text(Number::Ratio(1, 453_000)), "1/453000 (≈ 0.000002208)");
        assert_eq!(
            number_text(Number::Ratio(i128::MAX, 8)),
            format!("{}/8 (≈ {:.6})", i128::MAX, i128::MAX as f64 / 8.0)
        );
        assert_eq!(number_text(Number::Infinity), "infinity");
    }
}
