//! The propositions of a formula as strips: a column for each state of the run, filled where the proposition
//! is true.

use std::fmt::Write;
use std::ops::Range;

use narrows_model::{Trace, TraceAtom};

/// A strip.
pub(crate) struct Strip {
    pub(crate) text: String,
    /// Says where it is true, in words.
    pub(crate) words: String,
    /// The picture.
    pub(crate) svg: String,
}

/// Draws the strips of a run.
pub(crate) fn strips(trace: &Trace) -> Vec<Strip> {
    trace.atoms.iter().map(|atom| strip(trace, atom)).collect()
}

fn strip(trace: &Trace, atom: &TraceAtom) -> Strip {
    let columns = trace.steps.len() + 1;
    let mut svg = format!(
        "<svg viewBox=\"0 0 {columns} 1\" preserveAspectRatio=\"none\" aria-hidden=\"true\" \
         focusable=\"false\">"
    );
    if let Some(start) = trace.cycle.filter(|start| *start < trace.steps.len()) {
        let _ = write!(
            svg,
            "<rect class=\"cycle\" x=\"{}\" width=\"{}\" height=\"1\"/>",
            start + 1,
            columns - start - 1
        );
    }
    for range in ranges(&atom.values) {
        let (start, width) = (range.start, range.len());
        let _ =
            write!(svg, "<rect class=\"true\" x=\"{start}\" width=\"{width}\" y=\".12\" height=\".76\"/>");
    }
    svg.push_str("<rect class=\"cursor\" x=\"0\" width=\"1\" height=\"1\"/></svg>");
    Strip { text: atom.text.clone(), words: words(&atom.values), svg }
}

/// Returns where a proposition is true.
fn ranges(values: &[bool]) -> Vec<Range<usize>> {
    let mut ranges: Vec<Range<usize>> = Vec::new();
    for (index, _) in values.iter().enumerate().filter(|(_, value)| **value) {
        match ranges.last_mut() {
            Some(last) if last.end == index => last.end += 1,
            _ => ranges.push(index..index + 1),
        }
    }
    ranges
}

fn words(values: &[bool]) -> String {
    let ranges = ranges(values);
    if ranges.is_empty() {
        return "never true".to_owned();
    }
    let shown = ranges.iter().take(20).map(|range| match (range.start, range.end - 1) {
        (first, last) if first == last => format!("{first}"),
        (first, last) => format!("{first}–{last}"),
    });
    let more = if ranges.len() > 20 { ", …" } else { "" };
    format!("true in states {}{more}", shown.collect::<Vec<_>>().join(", "))
}

#[cfg(test)]
mod tests {
    use super::words;

    #[test]
    fn says_where_it_is_true() {
        assert_eq!(words(&[false, false]), "never true");
        assert_eq!(words(&[true, false, true, true]), "true in states 0, 2–3");
    }
}
