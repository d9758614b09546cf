//! What came out with other values, as a table.

use std::fmt::Write;

use narrows_model::{Figure, FigureResult, SweepPoint};
use narrows_source::csv_cell;
use serde_json::{Map, Value, json};

use crate::Document;
use crate::figures::result_text;

/// Writes a table with a line for each combination of values; several below each other if one is too wide,
/// each with the values in front.
pub(crate) fn table(points: &[SweepPoint], most: Option<usize>, digits: usize) -> String {
    let (heads, lines) = cells(points, digits);
    let all = || std::iter::once(&heads).chain(&lines);
    let width = |column: usize| all().map(|line| line[column].chars().count()).max().unwrap_or(0) + 2;
    let widths: Vec<usize> = (0..heads.len()).map(width).collect();
    let settings = points.first().map_or(0, |point| point.settings.len());
    let room = most.unwrap_or(usize::MAX);
    let front: usize = widths[..settings].iter().sum();
    let mut tables: Vec<Vec<usize>> = vec![(0..settings).collect()];
    let mut used = front;
    for (column, width) in widths.iter().enumerate().skip(settings) {
        if used + width > room && used > front {
            tables.push((0..settings).collect());
            used = front;
        }
        used += width;
        tables.iter_mut().last().into_iter().for_each(|table| table.push(column));
    }
    let mut text = String::new();
    for (number, table) in tables.iter().enumerate() {
        text.push_str(if number > 0 { "\n" } else { "" });
        for line in all() {
            let cells = table.iter().map(|column| format!("  {:1$}", line[*column], widths[*column] - 2));
            let _ = writeln!(text, "{}", cells.collect::<String>().trim_end());
        }
    }
    text
}

/// Writes the points as comma-separated values. A number has two columns, the least and the greatest it may
/// be; a word stands in both.
pub(crate) fn csv(points: &[SweepPoint]) -> String {
    let Some(longest) = points.iter().max_by_key(|point| point.figures.len()) else { return String::new() };
    let heads = longest.settings.iter().map(|(name, _)| name.clone());
    let ends = longest.figures.iter().flat_map(|figure| {
        let unit = if figure.unit.is_empty() { String::new() } else { format!(" in {}", figure.unit) };
        let name = format!("{} {}, {}{unit}", figure.kind, figure.name, figure.view);
        [format!("{name}, least"), format!("{name}, greatest")]
    });
    let mut text = row(heads.chain(ends));
    for point in points {
        let settings = point.settings.iter().map(|(_, value)| value.clone());
        let ends = point.figures.iter().flat_map(|figure| match &figure.result {
            FigureResult::Value { low, high, .. } => [low.told_below(), high.told_above()]
                .map(|end| if end.is_infinite() { "infinity".to_owned() } else { end.to_string() }),
            FigureResult::Estimated { low, high, .. } => [low, high].map(ToString::to_string),
            FigureResult::Word(word) => [word.clone(), word.clone()],
            _ => ["undecided".to_owned(), "undecided".to_owned()],
        });
        let ends = ends.chain(std::iter::repeat(String::new())).take(2 * longest.figures.len());
        text.push_str(&row(settings.chain(ends)));
    }
    text
}

/// Writes a line; numbers below 0 are no formulas.
fn row(cells: impl Iterator<Item = String>) -> String {
    let cell = |text: String| if text.parse::<f64>().is_ok() { text } else { csv_cell(&text) };
    cells.map(cell).collect::<Vec<_>>().join(",") + "\n"
}

/// Returns the heads of a table, and its lines.
pub(crate) fn cells(points: &[SweepPoint], digits: usize) -> (Vec<String>, Vec<Vec<String>>) {
    let Some(first) = points.first() else { return (Vec::new(), Vec::new()) };
    // The view is said where it is not the same everywhere.
    let all = || points.iter().flat_map(|point| &point.figures);
    let is_one = all().all(|figure| figure.view == "timed");
    let name = |figure: &Figure| match figure.view {
        "untimed" => format!("{} {}", figure.kind, figure.name),
        _ if is_one => format!("{} {}", figure.kind, figure.name),
        view => format!("{} {}, {view}", figure.kind, figure.name),
    };
    // With some values there may be no model to measure.
    let figures = points.iter().map(|point| &point.figures).max_by_key(|figures| figures.len());
    let figures = figures.map_or(&[][..], Vec::as_slice);
    let heads = first.settings.iter().map(|(name, _)| name.clone()).chain(figures.iter().map(name));
    let heads: Vec<String> = heads.collect();
    let line = |point: &SweepPoint| {
        let settings = point.settings.iter().map(|(_, value)| value.clone());
        let results = point.figures.iter().map(|figure| result_text(figure, digits));
        let results = results.chain(std::iter::repeat_with(|| "–".to_owned()));
        settings.chain(results).take(heads.len()).collect::<Vec<_>>()
    };
    let lines = points.iter().map(line).collect();
    (heads, lines)
}

/// Writes a point as JSON, given its answers.
pub(crate) fn document<'a>(point: &SweepPoint, answers: Vec<Document<'a>>) -> Document<'a> {
    let settings: Map<String, Value> =
        point.settings.iter().map(|(name, value)| (name.clone(), json!(value))).collect();
    let mut document = Document::from(Map::new());
    document.insert("settings", Value::Object(settings));
    document.insert("answers", Document::Array(answers));
    document
}

#[cfg(test)]
mod tests {
    use narrows_model::{Figure, FigureResult, Number, SweepPoint};

    use super::{csv, table};

    fn points() -> Vec<SweepPoint> {
        let figure = |name: &str, result: FigureResult| Figure {
            unit: "1/us".to_owned(),
            ..Figure::new("throughput", name.to_owned(), "timed", result)
        };
        let value = |below: i128| {
            let low = Number::Ratio(1, below);
            FigureResult::Value { low, high: low, exact: true }
        };
        let point = |size: &str, below: i128| SweepPoint {
            settings: vec![("SIZE".to_owned(), size.to_owned())],
            figures: vec![figure("a", value(below)), figure("b", FigureResult::Word("=never".to_owned()))],
        };
        vec![point("1", 2), point("1.5", 4)]
    }

    #[test]
    fn wide_tables_are_cut_between_columns() {
        let whole = "  SIZE  throughput a  throughput b\n  1     0.5 1/us      =never\n  1.5   0.25 1/us     =never\n";
        assert_eq!(table(&points(), None, 6), whole);
        assert_eq!(table(&points(), Some(34), 6), whole);
        let parts = "  SIZE  throughput a\n  1     0.5 1/us\n  1.5   0.25 1/us\n\n  SIZE  throughput b\n  1     =never\n  \
                     1.5   =never\n";
        assert_eq!(table(&points(), Some(33), 6), parts);
        // Nothing is narrower than one column.
        assert_eq!(table(&points(), Some(1), 6), parts);
    }

    #[test]
    fn sweeps_are_comma_separated_values() {
        let expected = "SIZE,\"throughput a, timed in 1/us, least\",\"throughput a, timed in 1/us, greatest\",\
                        \"throughput b, timed in 1/us, least\",\"throughput b, timed in 1/us, greatest\"\n\
                        1,0.5,0.5,'=never,'=never\n1.5,0.25,0.25,'=never,'=never\n";
        assert_eq!(csv(&points()), expected);
    }
}
