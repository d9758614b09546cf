//! Graphs in CADP's format AUT, which other programs write: states and labelled edges, and nothing else.
//!
//! A graph has no parameters and asks nothing itself. `rate` and `prob` in labels are part of their text
//! here: what takes time is said by a study.

mod outline;

use std::sync::Arc;

use narrows_graph::aut::{AutError, Reader};
use narrows_graph::labelled::Graph;
use narrows_model::{Form, FormKind, Labelled, LabelledGraph};
use narrows_source::{Diagnostic, Diagnostics, FileId, Sources, Span};

use crate::language::{Language, Logic, Task};
use crate::outline::Outline;

/// Turns a text into a graph; `None` if there are errors.
pub fn compile(sources: &Sources, file: FileId, diagnostics: &mut Diagnostics) -> Option<Graph> {
    let text = sources.file(file).text.as_str();
    let mut reader = Reader::default();
    // Errors are shown at the line they are found in; the last line that says something is the place of what
    // the whole lacks.
    let (mut start, mut last) = (0, Span::new(file, 0, 0));
    let (mut is_first, mut is_well) = (true, true);
    for line in text.split_inclusive('\n') {
        let content = line.trim();
        let begin = start + (line.len() - line.trim_start().len());
        start += line.len();
        if content.is_empty() {
            continue;
        }
        last = Span::new(file, begin, begin + content.len());
        if let Err(wrong) = reader.line(content) {
            is_well = false;
            diagnostics.push(diagnostic(last, &wrong.error));
            // Without the first line, nothing is known of the others.
            if is_first || diagnostics.is_full() {
                return None;
            }
        }
        is_first = false;
    }
    if !is_well {
        return None;
    }
    match reader.finish() {
        Ok(graph) => Some(graph),
        Err(wrong) => {
            diagnostics.push(diagnostic(last, &wrong.error));
            None
        }
    }
}

/// Says what is wrong with a line.
fn diagnostic(span: Span, error: &AutError) -> Diagnostic {
    let code = match error {
        AutError::Empty | AutError::Header(_) => "G0001",
        AutError::Edge(_) | AutError::Quote => "G0002",
        AutError::NoNumber(_) | AutError::NumberTooLarge(_) => "G0003",
        AutError::Initial { .. } | AutError::State { .. } => "G0004",
        AutError::Edges { .. } => "G0005",
        AutError::TooLarge(_) | AutError::Alone { .. } => "G0006",
    };
    Diagnostic::error(code, span, error.to_string())
}

/// AUT, as one of the languages.
#[derive(Clone, Copy, Debug)]
pub struct Aut;

impl Language for Aut {
    fn is_graph(&self) -> bool {
        true
    }

    fn name(&self) -> &'static str {
        "AUT"
    }

    fn endings(&self) -> &'static [&'static str] {
        &["aut"]
    }

    fn recognise(&self, text: &str) -> Option<&'static str> {
        let rest = text.trim_start().strip_prefix("des")?;
        rest.trim_start().starts_with('(').then_some("`des (`")
    }

    fn messages(&self) -> &'static str {
        include_str!("messages.md")
    }

    fn outline(&self, text: &str) -> Outline {
        outline::outline(text)
    }

    fn keywords(&self) -> Vec<&'static str> {
        outline::WORDS.to_vec()
    }

    fn form(&self) -> FormKind {
        FormKind::Labelled
    }

    fn compile(&self, task: &mut Task<'_>) -> Option<Form> {
        task.refuse_formulas(&[Logic::Ltl, Logic::Mu], "AUT", "ask it in LTL or the mu-calculus");
        for definition in &task.options.definitions {
            let file = task.sources.add(definition.origin.clone(), definition.text.clone());
            let span = Span::new(file, 0, definition.text.len());
            let title = format!("a graph has no parameter `{}`", definition.split().0.trim());
            task.diagnostics.push(Diagnostic::error("G0007", span, title));
        }
        let graph = compile(task.sources, task.file, task.diagnostics)?;
        let (system, formulas) = (Arc::new(LabelledGraph::new(graph)), task.label_formulas());
        Some(Form::Labelled(Box::new(Labelled { system, formulas })))
    }
}

#[cfg(test)]
mod tests {
    use narrows_source::{Diagnostics, Sources};

    use super::compile;

    /// Returns the code, the text at the place and the title of each error.
    fn errors(text: &str) -> Vec<String> {
        let (mut sources, mut diagnostics) = (Sources::default(), Diagnostics::default());
        let file = sources.add("graph.aut", text);
        let graph = compile(&sources, file, &mut diagnostics);
        assert_eq!(graph.is_none(), diagnostics.has_errors());
        let told = diagnostics.sorted();
        told.iter()
            .map(|one| format!("{} {:?} {}", one.code, sources.text(one.primary.span), one.title))
            .collect()
    }

    #[test]
    fn every_wrong_line_is_told_with_its_place() {
        assert_eq!(errors("des (0, 1, 1)\r\n\n  (0, \"a\", 0)  \n"), Vec::<String>::new());
        assert_eq!(
            errors("des (0, 4, 2)\n(0, a, 2)\n\n 0, a, 1\r\n(0, \"a, 1)\n(x, b, 1)"),
            [
                "G0004 \"(0, a, 2)\" state 2 is beyond the 2 states of the first line",
                "G0002 \"0, a, 1\" expected `(from, label, to)`, found `0, a, 1`",
                "G0002 \"(0, \\\"a, 1)\" the quote at the start of the label is not closed",
                "G0003 \"(x, b, 1)\" `x` is not a number",
            ]
        );
        assert_eq!(
            errors(" dse (0, 1, 1)\n(0, a, 9)"),
            ["G0001 \"dse (0, 1, 1)\" expected `des (initial, edges, states)`, found `dse (0, 1, 1)`"]
        );
        assert_eq!(
            errors("des (0, 2, 2)\n(0, a, 1)\n\n"),
            ["G0005 \"(0, a, 1)\" the first line announces 2 edges, but there are 1"]
        );
        assert_eq!(errors("\n"), ["G0001 \"\" the text is empty; it should begin with `des (0, …, …)`"]);
    }
}
