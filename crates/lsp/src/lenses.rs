//! Commands and results shown in the text.

use lsp_types::{
    CodeLens, Command, Diagnostic, DiagnosticSeverity, InlayHint, InlayHintLabel, NumberOrString,
};
use narrows::editing::{Document, Lines, asked};
use serde_json::json;

use crate::places::range;
use crate::runs::Results;

/// Returns the commands that can be run on a text. What shows a simulator is for clients that have one.
pub(crate) fn lenses(document: &Document, uri: &lsp_types::Uri, simulates: bool) -> Vec<CodeLens> {
    if document.is_foreign() {
        return Vec::new();
    }
    let lines = Lines::new(&document.text);
    let places = asked(document);
    let lens = |place: &std::ops::Range<usize>, title: &str, command: &str| CodeLens {
        range: range(&lines, place),
        command: Some(Command {
            title: title.to_owned(),
            command: command.to_owned(),
            arguments: Some(vec![json!(uri.as_str())]),
        }),
        data: None,
    };
    let top = 0..0;
    let mut found = Vec::new();
    if document.is_study() {
        found.push(lens(&top, "measure", "narrows.check"));
        found.push(lens(&top, "bottleneck", "narrows.bottleneck"));
    } else {
        found.push(lens(&top, "check", "narrows.check"));
        found.extend(places.iter().map(|asked| lens(&asked.place, "check", "narrows.check")));
    }
    if simulates {
        found.push(lens(&top, "simulate", "narrows.simulate"));
    }
    found
}

/// Returns what came out, as texts at the ends of the lines where it was asked.
pub(crate) fn hints(document: &Document, results: &Results) -> Vec<InlayHint> {
    let text = &document.text;
    let lines = Lines::new(text);
    let places = asked(document);
    let end_of_line = |offset: usize| text[offset..].find('\n').map_or(text.len(), |length| offset + length);
    let mut hints: Vec<(usize, String)> = Vec::new();
    for outcome in &results.outcomes {
        let asked = places.iter().find(|asked| asked.what == outcome.what && !outcome.what.is_empty());
        // What is asked of every model stands at its beginning.
        let at = end_of_line(asked.map_or(0, |asked| asked.place.end));
        match hints.iter_mut().find(|(known, _)| *known == at) {
            Some((_, text)) => {
                text.push_str("; ");
                text.push_str(&outcome.text);
            }
            None => hints.push((at, outcome.text.clone())),
        }
    }
    let hint = |(at, text): (usize, String)| InlayHint {
        position: range(&lines, &(at..at)).start,
        label: InlayHintLabel::String(text),
        kind: None,
        text_edits: None,
        tooltip: None,
        padding_left: Some(true),
        padding_right: None,
        data: None,
    };
    hints.into_iter().map(hint).collect()
}

/// Returns what fails, as warnings at the places where it was asked or goes wrong in this file.
pub(crate) fn failures(document: &Document, results: &Results) -> Vec<Diagnostic> {
    let lines = Lines::new(&document.text);
    let warning = |place: &std::ops::Range<usize>, code: &str, message: String| Diagnostic {
        range: range(&lines, place),
        severity: Some(DiagnosticSeverity::WARNING),
        code: Some(NumberOrString::String(code.to_owned())),
        source: Some("narrows".to_owned()),
        message,
        ..Diagnostic::default()
    };
    let places = asked(document);
    let failing = results.outcomes.iter().filter(|outcome| outcome.fails).filter_map(|outcome| {
        let asked = places.iter().find(|asked| asked.what == outcome.what)?;
        Some(warning(&asked.place, "answer", outcome.text.clone()))
    });
    let wrong = results.wrong.iter().filter(|wrong| wrong.file == document.name);
    failing.chain(wrong.map(|wrong| warning(&wrong.place, "answer", wrong.text.clone()))).collect()
}
