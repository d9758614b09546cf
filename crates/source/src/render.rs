//! Diagnostics as text for a terminal.

use std::borrow::Cow;

use annotate_snippets::{AnnotationKind, Level, Renderer, Snippet};

use crate::{Diagnostic, Severity, Sources, Span, printable};

/// Renders one message with the lines it is about, with or without terminal colours. What the text or a
/// file's name says does nothing to the terminal.
pub fn render(diagnostic: &Diagnostic, sources: &Sources, color: bool) -> String {
    let level = match diagnostic.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
    };
    let mut files = vec![diagnostic.primary.span.file];
    for label in &diagnostic.secondary {
        if !files.contains(&label.span.file) {
            files.push(label.span.file);
        }
    }
    let mut group = level.primary_title(printable(&diagnostic.title)).id(diagnostic.code).elements(
        files.iter().map(|id| {
            let file = sources.file(*id);
            let mut snippet = Snippet::source(file.text.as_str()).path(printable(&file.name));
            if diagnostic.primary.span.file == *id {
                let kind = AnnotationKind::Primary.span(range(diagnostic.primary.span, &file.text));
                snippet = snippet.annotation(kind.label(non_empty(&diagnostic.primary.text)));
            }
            for label in diagnostic.secondary.iter().filter(|label| label.span.file == *id) {
                let kind = AnnotationKind::Context.span(range(label.span, &file.text));
                snippet = snippet.annotation(kind.label(non_empty(&label.text)));
            }
            snippet
        }),
    );
    for note in &diagnostic.notes {
        group = group.element(Level::NOTE.message(printable(note)));
    }
    if let Some(help) = &diagnostic.help {
        group = group.element(Level::HELP.message(printable(help)));
    }
    let renderer = if color { Renderer::styled() } else { Renderer::plain() };
    let text = renderer.render(&[group]);
    // Lines of the text come with signs for control characters, but not for all; escapes that are left are
    // colours.
    if color {
        text.split('\u{1b}').map(printable).collect::<Vec<_>>().join("\u{1b}")
    } else {
        printable(&text).into_owned()
    }
}

fn non_empty(text: &str) -> Option<Cow<'_, str>> {
    (!text.is_empty()).then(|| printable(text))
}

fn range(span: Span, text: &str) -> std::ops::Range<usize> {
    let mut start = (span.start as usize).min(text.len());
    let mut end = (span.end as usize).clamp(start, text.len());
    while !text.is_char_boundary(start) {
        start -= 1;
    }
    while !text.is_char_boundary(end) {
        end += 1;
    }
    start..end
}

#[cfg(test)]
mod tests {
    use crate::{Diagnostic, Sources, Span, render};

    #[test]
    fn what_a_text_says_does_nothing_to_the_terminal() {
        let mut sources = Sources::default();
        let file = sources.add("a\u{1b}[2J.pml", "x \u{1b}[2J \u{9b}1m \u{202e} y\n");
        let diagnostic = Diagnostic::error("P0104", Span::new(file, 0, 1), "title \u{1b}[0m")
            .label("label \u{7}")
            .note("note \u{8}")
            .help("help \r");
        let text = render(&diagnostic, &sources, false);
        assert!(!text.contains(|c: char| c.is_control() && c != '\n'), "{text:?}");
        assert!(!text.contains('\u{202e}'), "{text:?}");
        assert!(text.contains("title ␛[0m") && text.contains("a␛[2J.pml"), "{text:?}");
        let coloured = render(&diagnostic, &sources, true);
        assert!(coloured.contains("\u{1b}[") && !coloured.contains("\u{1b}[2J"), "{coloured:?}");
        assert!(!coloured.contains(['\u{7}', '\u{8}', '\r', '\u{9b}', '\u{202e}']), "{coloured:?}");
    }

    #[test]
    fn shows_place_and_remedy() {
        let mut sources = Sources::default();
        let file = sources.add("bad.pml", "do\n:: n > 3 -> brek\nod\n");
        let diagnostic = Diagnostic::error("P0104", Span::new(file, 15, 19), "unknown name `brek`")
            .label("not a variable, label or statement")
            .also(Span::new(file, 0, 2), "in this loop")
            .help("did you mean `break`?");
        let text = render(&diagnostic, &sources, false);
        assert!(text.starts_with("error[P0104]: unknown name `brek`"), "{text}");
        assert!(text.contains("bad.pml:2:13"), "{text}");
        assert!(text.contains("did you mean `break`?"), "{text}");
    }
}
