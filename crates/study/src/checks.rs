//! What every study is checked for, whatever the form of its model; and where its texts stand.

use narrows_source::{Diagnostic, Diagnostics, FileId, Sources, Span, closest};

use crate::{Question, Study, Text, View};

/// Complains about questions that only time can answer where nothing takes any.
pub(crate) fn look_for_delays(study: &Study, diagnostics: &mut Diagnostics) {
    if study.has_delays() {
        return;
    }
    for ask in &study.asks {
        let is_about_time = match &ask.question {
            Question::Utilisation(_)
            | Question::MeanDelay(..)
            | Question::MeanPeriod(_)
            | Question::MeanCount(..)
            | Question::MissTime(_)
            | Question::Transient(..)
            | Question::Mean(_)
            | Question::Reward(..)
            | Question::Reach(..)
            | Question::Bottleneck(_) => true,
            Question::Latency(latency) if !latency.percentiles.is_empty() => true,
            _ => matches!(ask.view, Some(View::Timed | View::Stochastic | View::Simulated)),
        };
        if is_about_time {
            let title = format!("`{}` is about time, and nothing takes any", ask.question.kind());
            let error = Diagnostic::error("S0018", ask.span, title);
            diagnostics.push(error.help("say under `[delay]` how long statements take"));
        }
    }
}

/// Marks texts that stand in a study, with the place.
const ORIGIN: &str = "study:";

/// Names the place of a text, for those who parse it as a file of its own.
pub(crate) fn formula_origin(text: &Text) -> String {
    format!("{ORIGIN}{}:{}", text.span.file.0, text.span.start)
}

/// Moves what is said about a text to its place in the study.
pub(crate) fn relocate(mut diagnostic: Diagnostic, sources: &Sources) -> Diagnostic {
    let place = |span: Span| -> Option<Span> {
        let (_, file) = sources.files().find(|(id, _)| *id == span.file)?;
        let (study, start) = file.name.strip_prefix(ORIGIN)?.split_once(':')?;
        let (study, start) = (study.parse().ok()?, start.parse::<usize>().ok()?);
        Some(Span::new(FileId(study), start + span.start as usize, start + span.end as usize))
    };
    let others = diagnostic.secondary.iter_mut().map(|label| &mut label.span);
    for span in std::iter::once(&mut diagnostic.primary.span).chain(others) {
        *span = place(*span).unwrap_or(*span);
    }
    diagnostic
}

/// Says that a number is no part of the time.
pub(crate) fn no_truth(what: &Text) -> Diagnostic {
    let title =
        format!("`{}` is a number, and so neither true nor false for some part of the time", what.text);
    let help = format!("ask for its mean, `mean = \"{0}\"`, or compare it, as in `{0} > 0`", what.text);
    Diagnostic::error("S0021", what.span, title).help(help)
}

/// Returns where what a question measures begins.
pub(crate) fn start_of(question: &Question) -> Option<&Text> {
    match question {
        Question::MinDelay(from, _)
        | Question::MaxDelay(from, _)
        | Question::Delay(from, _)
        | Question::MinCount(_, from, _)
        | Question::MaxCount(_, from, _)
        | Question::Count(_, from, _) => Some(from),
        _ => None,
    }
}

/// Makes sure that some names are those of resources.
pub(crate) fn check_resources(study: &Study, names: [&Text; 2], diagnostics: &mut Diagnostics) {
    let known = || study.resources.iter().map(|(name, _)| name.text.as_str());
    for name in names.into_iter().filter(|name| !known().any(|known| known == name.text)) {
        let title = format!("there is no resource `{}`", name.text);
        let diagnostic = Diagnostic::error("S0011", name.span, title);
        diagnostics.push(match closest(&name.text, known()) {
            Some(near) => diagnostic.help(format!("did you mean `{near}`?")),
            None => diagnostic.help("resources stand under `[resource]`, each with a predicate"),
        });
    }
    if names[0].text == names[1].text {
        let title = "a resource always overlaps with itself";
        diagnostics.push(Diagnostic::error("S0011", names[1].span, title));
    }
}
