//! Promela models answered by sets of states.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use narrows_model::flatten::Refused;
use narrows_model::{Answer, Coverage, Evaluator, Limit, Question, SetSize, Verdict};
use narrows_report::{Problem, Report, document, json_diagnostics};
use narrows_source::Diagnostic;
use narrows_symbolic::{Budget, Size, check_processes};

use crate::input::{Model, Models, Outcome};
use crate::machines::budget;
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
    depth: bool,
    interrupted: &Arc<AtomicBool>,
) -> Result<Decided, Refused> {
    let start = Instant::now();
    let budget = Budget { depth, ..budget(models.memory, models.time, start, interrupted) };
    let found = check_processes(&Evaluator::new(&model.system), questions, budget)?;
    Ok(Decided {
        answers: found.answers,
        coverage: coverage(found.size.as_ref(), found.bytes),
        limit: found.limit,
        seconds: start.elapsed().as_secs_f64(),
    })
}

/// Counts the states of a model, and finds what goes wrong.
pub(crate) fn explore(model: &Model, models: &Models, interrupted: &Arc<AtomicBool>) -> Outcome {
    let decided = match decide(model, &Question::SAFETY, models, true, interrupted) {
        Ok(decided) => decided,
        Err(refused) => return refuse(model, models, &refused),
    };
    let evaluator = Evaluator::new(&model.system);
    let problems = decided.answers.iter().filter_map(|answer| match &answer.verdict {
        Verdict::Fails { violation: Some(violation), .. } => Some(Problem {
            kind: answer.question.kind(),
            message: violation.kind.message().to_owned(),
            span: Some(violation.span),
            count: 1,
        }),
        Verdict::Fails { trace, .. } => Some(Report::deadlock(evaluator, trace.last_state(), 1)),
        _ => None,
    });
    let report = Report { problems: problems.collect(), answers: &[], ..decided.report(model) };
    models.outcome(report.status(), || narrows_report::explore(&report), || document(&report))
}

/// Says why a model can't be answered by sets of states.
pub(crate) fn refuse(model: &Model, models: &Models, refused: &Refused) -> Outcome {
    let list = refusal(&model.name, &model.sources, refused);
    let other = list.is_empty().then_some(refused.reason.as_str());
    models.outcome(2, String::new, || json_diagnostics(&model.name, &list, &model.sources, other))
}

/// Says on standard error why a model can't be answered by sets of states; returns the message if it has a place.
pub(crate) fn refusal(name: &str, sources: &narrows_source::Sources, refused: &Refused) -> Vec<Diagnostic> {
    const HELP: &str = "leave --engine symbolic out: then states are visited one by one";
    match refused.span.filter(|span| sources.files().any(|(id, _)| id == span.file)) {
        Some(span) => {
            let title = "this is not a model for sets of states";
            let diagnostic = Diagnostic::error("N0002", span, title).label(&refused.reason).help(HELP);
            output::diagnostics(std::slice::from_ref(&diagnostic), sources);
            vec![diagnostic]
        }
        None => {
            output::error(&format!(
                "`{name}` is not a model for sets of states: {} ({HELP})",
                refused.reason
            ));
            Vec::new()
        }
    }
}
