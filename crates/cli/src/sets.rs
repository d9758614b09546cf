//! Promela models answered by sets of states.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use narrows_model::flatten::Refused;
use narrows_model::{Answer, Coverage, Evaluator, Limit, Question, SetSize, ViolationKind};
use narrows_report::{Problem, Report, document, json_diagnostics};
use narrows_source::{Diagnostic, Sources, Span};
use narrows_symbolic::{Size, Trouble, check_processes, explore_processes};

use crate::input::{Model, Models, Outcome};
use crate::limits::Clock;
use crate::output;

/// What was found out about a model.
pub(crate) struct Decided {
    answers: Vec<Answer>,
    coverage: Coverage,
    limit: Option<Limit>,
    seconds: f64,
}

impl Decided {
    /// Puts everything together that a report says.
    pub(crate) fn report<'a>(&'a self, model: &'a Model) -> Report<'a> {
        Report {
            model: &model.name,
            evaluator: Evaluator::new(&model.system),
            sources: &model.sources,
            coverage: &self.coverage,
            seconds: self.seconds,
            limit: self.limit,
            problems: Vec::new(),
            answers: &self.answers,
        }
    }
}

/// Tells what was covered.
pub(crate) fn coverage(size: Option<&Size>, bytes: u64) -> Coverage {
    let set = |size: &Size| SetSize {
        states: Some(size.states.to_string()),
        bits: size.bits,
        depth: size.diameter,
    };
    let none = || SetSize { states: None, bits: 0, depth: None };
    Coverage { sets: Some(size.map_or_else(none, set)), bytes, ..Coverage::default() }
}

/// Answers questions about a model.
pub(crate) fn decide(
    model: &Model,
    questions: &[Question],
    models: &Models,
    interrupted: &Arc<AtomicBool>,
) -> Result<Decided, Refused> {
    let clock = Clock::new(models, interrupted);
    let budget = clock.symbolic();
    let found = check_processes(&Evaluator::new(&model.system), questions, budget)?;
    Ok(Decided {
        answers: found.answers,
        coverage: coverage(found.size.as_ref(), found.bytes),
        limit: found.limit,
        seconds: clock.finish(),
    })
}

/// Counts the states of a model, and finds what goes wrong.
pub(crate) fn explore(model: &Model, models: &Models, interrupted: &Arc<AtomicBool>) -> Outcome {
    let clock = Clock::new(models, interrupted);
    let evaluator = Evaluator::new(&model.system);
    let found = match explore_processes(&evaluator, clock.symbolic()) {
        Ok(found) => found,
        Err(refused) => return refuse(model, models, &refused),
    };
    let problem = |(violation, state): &Trouble| match violation {
        Some(violation) => {
            let is_assertion = violation.kind == ViolationKind::Assertion;
            let question = if is_assertion { Question::Assertions } else { Question::Faults };
            Problem {
                kind: question.kind(),
                message: violation.kind.message().to_owned(),
                span: Some(violation.span),
                count: 1,
            }
        }
        None => Report::deadlock(evaluator, state, 1),
    };
    let decided = Decided {
        answers: Vec::new(),
        coverage: coverage(found.size.as_ref(), found.bytes),
        limit: found.limit,
        seconds: clock.finish(),
    };
    let problems = found.problems.iter().map(problem).collect();
    let report = Report { problems, ..decided.report(model) };
    models.outcome(report.status(), || narrows_report::explore(&report), || document(&report))
}

/// Says why a model can't be answered by sets of states.
pub(crate) fn refuse(model: &Model, models: &Models, refused: &Refused) -> Outcome {
    let diagnostic = refusal(&model.sources, refused);
    models.outcome(2, String::new, || json_diagnostics(&model.name, &[diagnostic], &model.sources, None))
}

/// Says on standard error why a model can't be answered by sets of states, and returns that.
pub(crate) fn refusal(sources: &Sources, refused: &Refused) -> Diagnostic {
    let known = refused.span.filter(|span| sources.files().any(|(id, _)| id == span.file));
    // What has no place of its own is about the whole file.
    let file = sources.files().next().map(|(id, _)| id).unwrap_or_default();
    let span = known.unwrap_or_else(|| Span::new(file, 0, 0));
    let diagnostic = Diagnostic::error("N0002", span, "this is not a model for sets of states")
        .label(&refused.reason)
        .help("leave --engine symbolic out: then states are visited one by one");
    output::diagnostics(std::slice::from_ref(&diagnostic), sources);
    diagnostic
}
