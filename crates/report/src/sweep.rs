//! What came out with other values, as a table.

use std::fmt::Write;

use narrows_model::{Figure, SweepPoint};
use serde_json::{Map, Value, json};

use crate::figures::result_text;

/// Writes a table with a line for each combination of values.
pub(crate) fn table(points: &[SweepPoint]) -> String {
    let (heads, lines) = cells(points);
    let all = || std::iter::once(&heads).chain(&lines);
    let width = |column: usize| all().map(|line| line[column].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..heads.len()).map(width).collect();
    let mut text = String::new();
    for line in all() {
        let cells = line.iter().zip(&widths).map(|(cell, width)| format!("{cell:width$}"));
        let _ = writeln!(text, "  {}", cells.collect::<Vec<_>>().join("  ").trim_end());
    }
    text
}

/// Returns the heads of a table, and its lines.
pub(crate) fn cells(points: &[SweepPoint]) -> (Vec<String>, Vec<Vec<String>>) {
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
        let results = point.figures.iter().map(result_text).chain(std::iter::repeat_with(|| "–".to_owned()));
        settings.chain(results).take(heads.len()).collect::<Vec<_>>()
    };
    let lines = points.iter().map(line).collect();
    (heads, lines)
}

/// Writes the points as JSON.
pub(crate) fn document(points: &[SweepPoint], answer: &dyn Fn(&Figure) -> Value) -> Value {
    let point = |point: &SweepPoint| {
        let settings: Map<String, Value> =
            point.settings.iter().map(|(name, value)| (name.clone(), json!(value))).collect();
        json!({ "settings": settings, "answers": point.figures.iter().map(answer).collect::<Value>() })
    };
    points.iter().map(point).collect()
}
