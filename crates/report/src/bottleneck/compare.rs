//! Studies side by side, differences first.

use std::fmt::Write;

use narrows_model::Figure;
use narrows_model::decimals::certain_percent;

use super::{Analysed, Level, ends, of_view, word};

/// What a study says, in lines with names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Column {
    /// The name of the study.
    pub name: String,
    /// What is counted.
    pub events: Vec<String>,
    /// What is said, by name, in order.
    pub lines: Vec<(String, String)>,
    /// The exit status that the answers call for.
    pub status: u8,
    /// Whether the study expects anything.
    pub expects: bool,
}

impl Analysed<'_> {
    /// Returns what can be put beside what another study says.
    pub fn column(&self) -> Column {
        let mut lines = Vec::new();
        for flow in &self.bottleneck.flows {
            let name =
                flow.bottleneck.as_ref().map_or_else(|| "not known".to_owned(), |names| names.join(" + "));
            lines.push((format!("bottleneck of {}", flow.event), name));
            for (name, value) in joined(&super::levels(flow, self.figures.digits)) {
                lines.push((format!("{}: {name}", flow.event), format!("{value} 1/{}", self.unit)));
            }
        }
        for (resource, figures) in self.bottleneck.resources.iter().zip(&self.bottleneck.utilisation) {
            if let Some((_, most)) = of_view(figures, "timed").or(figures.first()).and_then(ends) {
                lines.push((format!("{} is busy at most", resource.name), certain_percent(most, most)));
            }
        }
        for overlap in &self.bottleneck.overlaps {
            let resources = &self.bottleneck.resources;
            let pair = format!("{} and {}", resources[overlap.first].name, resources[overlap.second].name);
            let words: Vec<String> = overlap.answers.iter().map(word).collect();
            let text = match words.as_slice() {
                [untimed, ..] if untimed == "never" => untimed.clone(),
                words => words.join(", with these delays "),
            };
            lines.push((pair, text));
        }
        // What else is asked is said above already.
        let is_new = |kind: &str| !["overlap", "bottleneck", "throughput", "utilisation"].contains(&kind);
        // What stands in a table of the study would only fill this one.
        let is_shown = |figure: &&Figure| is_new(figure.kind) && figure.cell.is_none();
        for figure in self.figures.figures.iter().filter(is_shown) {
            let text = crate::figures::result_text(figure, self.figures.digits());
            let name = match figure.kind {
                // Of an answer that is known in the view of its question.
                "trend" => format!("trend {}", figure.name),
                kind => format!("{kind} {} ({})", figure.name, figure.view),
            };
            lines.push((name, text));
        }
        let events = self.bottleneck.flows.iter().map(|flow| flow.event.clone()).collect();
        let expects = self.figures.figures.iter().any(|figure| figure.expected.is_some());
        Column { name: self.figures.name.to_owned(), events, lines, status: self.status(), expects }
    }
}

/// Returns throughputs with their names. Both ends of a range are one line, beside which stands what is no
/// range elsewhere.
fn joined(levels: &[Level]) -> Vec<(&'static str, String)> {
    let mut lines: Vec<(&'static str, String)> = Vec::new();
    for level in levels {
        let (name, value) = (level.name, level.text.clone());
        match (name, lines.last_mut()) {
            ("best" | "mean, at most", Some((_, text))) => *text = format!("{text} and {value}"),
            ("worst", _) => lines.push(("worst and best", value)),
            ("mean, at least", _) => lines.push(("mean", value)),
            _ => lines.push((name, value)),
        }
    }
    lines
}

/// Returns the names of studies, without the folders that all of them are in.
pub(crate) fn names(columns: &[Column]) -> Vec<String> {
    let folder = |name: &str| name.rfind('/').map_or(0, |at| at + 1);
    let mut shared = columns.first().map_or("", |column| &column.name[..folder(&column.name)]);
    while !columns.iter().all(|column| column.name.starts_with(shared)) {
        shared = &shared[..folder(shared.trim_end_matches('/'))];
    }
    columns.iter().map(|column| column.name[shared.len()..].to_owned()).collect()
}

/// A line of the comparison: the name, and what each study says; empty if it says nothing.
pub(crate) type Row = (String, Vec<String>);

/// Puts studies side by side: first what differs, then what is the same.
pub(crate) fn rows(columns: &[Column]) -> (Vec<Row>, Vec<Row>) {
    let mut names: Vec<&str> = Vec::new();
    for (name, _) in columns.iter().flat_map(|column| &column.lines) {
        if !names.contains(&name.as_str()) {
            names.push(name);
        }
    }
    let said = |column: &Column, name: &str| {
        let line = column.lines.iter().find(|(known, _)| known == name);
        line.map_or_else(String::new, |(_, text)| text.clone())
    };
    let row =
        |name: &str| (name.to_owned(), columns.iter().map(|column| said(column, name)).collect::<Vec<_>>());
    names.into_iter().map(row).partition(|(_, texts)| texts.iter().any(|text| *text != texts[0]))
}

/// Writes studies side by side.
pub fn compare(columns: &[Column]) -> String {
    let (different, same) = rows(columns);
    let names = names(columns);
    let mut text = "side by side\n".to_owned();
    let length = |text: &str| text.chars().count();
    let first = different.iter().chain(&same).map(|(name, _)| length(name)).max().unwrap_or(0).min(64);
    let width = |number: usize| {
        let texts = different.iter().chain(&same).map(|(_, texts)| length(&texts[number]));
        texts.chain([length(&names[number])]).max().unwrap_or(0).min(40)
    };
    let widths: Vec<usize> = (0..columns.len()).map(width).collect();
    let mut line = |name: &str, texts: &[String]| {
        let mut line = format!("  {name:first$}");
        for (text, width) in texts.iter().zip(&widths) {
            let _ = write!(line, "  {text:width$}");
        }
        let _ = writeln!(text, "{}", line.trim_end());
    };
    line("", &names);
    for (name, texts) in &different {
        line(name, texts);
    }
    if !same.is_empty() {
        line("— the same —", &[]);
    }
    for (name, texts) in &same {
        line(name, &texts[..1]);
    }
    text
}
