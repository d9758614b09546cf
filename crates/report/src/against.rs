//! What was measured beside what is predicted.

use std::fmt::Write;

use narrows_source::csv_cell;
use serde_json::{Value, json};

use crate::bottleneck::short;
use crate::decimals::certain;

/// A figure, and what was measured of the same.
#[derive(Clone, Debug, PartialEq)]
pub struct MeasuredFigure {
    /// What is asked.
    pub question: String,
    /// The unit of all numbers here.
    pub unit: String,
    /// What is predicted, at least and at most.
    pub predicted: (f64, f64),
    /// What was measured: once, or from the least to the greatest.
    pub measured: (f64, f64),
    /// How many times as large as predicted it is; `None` of ranges.
    pub ratio: Option<f64>,
    /// Whether what was measured lies within what is predicted.
    pub is_within: bool,
}

/// Writes a table for people.
pub fn against_text(log: &str, rows: &[MeasuredFigure], digits: usize) -> String {
    if rows.is_empty() {
        return format!(
            "\nagainst {log}: no kind of the log is called like a throughput, a latency, a period or a duration\n"
        );
    }
    let mut lines: Vec<Vec<String>> =
        vec![["question", "predicted", "measured", "ratio", "within"].map(str::to_owned).to_vec()];
    for row in rows {
        let (low, high) = row.measured;
        let measured = if row.ratio.is_none() && low < high {
            format!("{} to {}", short(low), short(high))
        } else {
            short(low)
        };
        lines.push(vec![
            row.question.clone(),
            format!("{} {}", certain(row.predicted.0, row.predicted.1, digits), row.unit),
            format!("{measured} {}", row.unit),
            row.ratio.map_or_else(|| "–".to_owned(), |ratio| format!("{ratio:.3}")),
            if row.is_within { "yes" } else { "no" }.to_owned(),
        ]);
    }
    let width = |column: usize| lines.iter().map(|line| line[column].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..5).map(width).collect();
    let mut text = format!("\nagainst {log}\n");
    for line in &lines {
        let cells = line.iter().zip(&widths).map(|(cell, width)| format!("{cell:width$}"));
        let _ = writeln!(text, "  {}", cells.collect::<Vec<_>>().join("  ").trim_end());
    }
    text
}

/// Writes comma-separated values.
pub fn against_csv(rows: &[MeasuredFigure]) -> String {
    let mut text =
        "question,unit,predicted least,predicted greatest,measured least,measured greatest,ratio,within\n"
            .to_owned();
    for row in rows {
        let ratio = row.ratio.map(|ratio| ratio.to_string()).unwrap_or_default();
        let ((low, high), (least, most)) = (row.predicted, row.measured);
        let (question, unit) = (csv_cell(&row.question), csv_cell(&row.unit));
        let _ = writeln!(text, "{question},{unit},{low},{high},{least},{most},{ratio},{}", row.is_within);
    }
    text
}

/// Returns the rows as JSON.
pub fn against_value(rows: &[MeasuredFigure]) -> Value {
    let number = |value: f64| if value.is_finite() { json!(value) } else { json!("infinity") };
    let row = |row: &MeasuredFigure| {
        json!({
            "question": row.question,
            "unit": row.unit,
            "predicted": { "low": number(row.predicted.0), "high": number(row.predicted.1) },
            "measured": { "low": row.measured.0, "high": row.measured.1 },
            "ratio": row.ratio,
            "within": row.is_within,
        })
    };
    rows.iter().map(row).collect()
}
