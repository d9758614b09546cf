//! Diagnostics as text for a terminal.

use annotate_snippets::{AnnotationKind, Level, Renderer, Snippet};

use crate::{Diagnostic, Severity, Sources, Span};

/// Renders one message with the lines it is about, with or without terminal colours.
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
    let mut group =
        level.primary_title(diagnostic.title.as_str()).id(diagnostic.code).elements(files.iter().map(|id| {
            let file = sources.file(*id);
            let mut snippet = Snippet::source(file.text.as_str()).path(file.name.as_str());
            if diagnostic.primary.span.file == *id {
                let kind = AnnotationKind::Primary.span(range(diagnostic.primary.span, &file.text));
                snippet = snippet.annotation(kind.label(non_empty(&diagnostic.primary.text)));
            }
            for label in diagnostic.secondary.iter().filter(|label| label.span.file == *id) {
                let kind = AnnotationKind::Context.span(range(label.span, &file.text));
                snippet = snippet.annotation(kind.label(non_empty(&label.text)));
            }
            snippet
        }));
    for note in &diagnostic.notes {
        group = group.element(Level::NOTE.message(note.as_str()));
    }
    if let Some(help) = &diagnostic.help {
        group = group.element(Level::HELP.message(help.as_str()));
    }
    let renderer = if color { Renderer::styled() } else { Renderer::plain() };
    renderer.render(&[group])
}

fn non_empty(text: &str) -> Option<&str> {
    (!text.is_empty()).then_some(text)
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
