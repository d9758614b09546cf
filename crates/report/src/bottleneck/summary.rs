//! Several studies in a few lines: for each event what limits it, and how often it happens.

use std::fmt::Write;

use super::compare::{Column, names};

/// The heads of the summary.
const HEADS: [&str; 7] =
    ["study", "event", "bottleneck", "worst and best", "mean", "all overlapped", "as expected"];

/// Returns the lines of the summary, one for each study and event.
fn lines(columns: &[Column]) -> Vec<Vec<String>> {
    let mut lines = Vec::new();
    for (column, name) in columns.iter().zip(names(columns)) {
        let said = |line: &str| {
            let found = column.lines.iter().find(|(known, _)| known == line);
            found.map_or_else(|| "–".to_owned(), |(_, text)| text.clone())
        };
        for event in &column.events {
            let throughput = |level: &str| said(&format!("{event}: {level}"));
            lines.push(vec![
                name.clone(),
                event.clone(),
                said(&format!("bottleneck of {event}")),
                throughput("worst and best"),
                throughput("mean"),
                throughput("all overlapped"),
                judged(column).to_owned(),
            ]);
        }
    }
    lines
}

/// Says whether everything is as a study expects.
pub(crate) fn judged(column: &Column) -> &'static str {
    match column.status {
        0 if !column.expects => "–",
        0 => "yes",
        1 => "NO",
        _ => "undecided",
    }
}

/// Writes the summary.
pub fn summary(columns: &[Column]) -> String {
    let lines = lines(columns);
    let length = |text: &str| text.chars().count();
    let width = |number: usize| {
        let texts = lines.iter().map(|line| length(&line[number]));
        texts.chain([length(HEADS[number])]).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..HEADS.len()).map(width).collect();
    let mut text = format!("{} studies\n", columns.len());
    let heads: Vec<String> = HEADS.iter().map(|head| (*head).to_owned()).collect();
    for line in std::iter::once(&heads).chain(&lines) {
        let cells: Vec<String> =
            line.iter().zip(&widths).map(|(cell, width)| format!("{cell:width$}")).collect();
        let _ = writeln!(text, "  {}", cells.join("  ").trim_end());
    }
    text
}
