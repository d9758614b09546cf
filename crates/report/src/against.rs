//! What was measured beside what is predicted.

use std::fmt::Write;

use narrows_model::decimals::{below, certain, outwards, told_above, told_below};
use narrows_source::csv_cell;
use serde_json::{Value, json};

use crate::bottleneck::short;

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
    /// Where the true number lies with 99 % confidence, if measurements are independent; `None` of ranges.
    pub confidence: Option<(f64, f64)>,
    /// How many times as large as predicted it is; `None` of ranges.
    pub ratio: Option<f64>,
    /// Whether what was measured lies within what is predicted, or may.
    pub is_within: bool,
}

/// What was measured, and where.
#[derive(Clone, Copy, Debug)]
pub struct Against<'a> {
    /// The log, as the user named it.
    pub log: &'a str,
    /// Figures, each with what was measured.
    pub rows: &'a [MeasuredFigure],
}

/// What columns are called.
pub(crate) const HEADS: [&str; 5] = ["predicted", "measured", "99 % confidence", "ratio", "within"];

impl MeasuredFigure {
    /// Returns what stands in the columns.
    pub(crate) fn cells(&self, digits: usize) -> [String; 5] {
        let (low, high) = self.measured;
        let measured = if self.ratio.is_none() && low < high {
            outwards(low, high, SHOWN).join(" to ")
        } else {
            short(low)
        };
        let confidence = self.confidence.map_or_else(
            || "–".to_owned(),
            |(low, high)| {
                if high.is_finite() {
                    outwards(low, high, SHOWN).join(" to ")
                } else {
                    format!("at least {}", below(low, SHOWN))
                }
            },
        );
        [
            format!("{} {}", certain(self.predicted.0, self.predicted.1, digits), self.unit),
            format!("{measured} {}", self.unit),
            confidence,
            self.ratio.map_or_else(|| "–".to_owned(), |ratio| format!("{ratio:.3}")),
            if self.is_within { "yes" } else { "no" }.to_owned(),
        ]
    }
}

/// So many digits of measurements are shown.
const SHOWN: usize = 4;

/// Writes a table for people.
pub(crate) fn against_text(log: &str, rows: &[MeasuredFigure], digits: usize) -> String {
    if rows.is_empty() {
        return format!(
            "\nagainst {log}: no kind of the log is called like a throughput, a latency, a period or a \
             duration\n"
        );
    }
    let heads = std::iter::once("question").chain(HEADS).map(str::to_owned);
    let mut lines: Vec<Vec<String>> = vec![heads.collect()];
    for row in rows {
        lines.push(std::iter::once(row.question.clone()).chain(row.cells(digits)).collect());
    }
    let width = |column: usize| lines.iter().map(|line| line[column].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..=HEADS.len()).map(width).collect();
    let mut text = format!("\nagainst {log}\n");
    for line in &lines {
        let cells = line.iter().zip(&widths).map(|(cell, width)| format!("{cell:width$}"));
        let _ = writeln!(text, "  {}", cells.collect::<Vec<_>>().join("  ").trim_end());
    }
    text
}

/// Writes comma-separated values.
pub(crate) fn against_csv(rows: &[MeasuredFigure]) -> String {
    let mut text =
        "question,unit,predicted least,predicted greatest,measured least,measured greatest,confidence least,\
         confidence greatest,ratio,within\n"
            .to_owned();
    for row in rows {
        let ratio = row.ratio.map(|ratio| ratio.to_string()).unwrap_or_default();
        let ((low, high), (least, most)) = (row.predicted, row.measured);
        let (low, high) = (end(told_below(low)), end(told_above(high)));
        let ends = row.confidence.map(|(low, high)| [end(low), end(high)]).unwrap_or_default().join(",");
        let (question, unit) = (csv_cell(&row.question), csv_cell(&row.unit));
        let _ =
            writeln!(text, "{question},{unit},{low},{high},{least},{most},{ends},{ratio},{}", row.is_within);
    }
    text
}

fn end(value: f64) -> String {
    if value.is_finite() { value.to_string() } else { "infinity".to_owned() }
}

/// Returns the rows as JSON.
pub(crate) fn against_value(rows: &[MeasuredFigure]) -> Value {
    let number = |value: f64| if value.is_finite() { json!(value) } else { json!("infinity") };
    let both = |(low, high): (f64, f64)| json!({ "low": number(low), "high": number(high) });
    let row = |row: &MeasuredFigure| {
        let mut value = json!({
            "question": row.question,
            "unit": row.unit,
            "predicted": both((told_below(row.predicted.0), told_above(row.predicted.1))),
            "measured": both(row.measured),
        });
        if let Some(confidence) = row.confidence {
            value["confidence"] = both(confidence);
        }
        value["ratio"] = json!(row.ratio);
        value["within"] = json!(row.is_within);
        value
    };
    rows.iter().map(row).collect()
}
