//! One file for each engine: what it accepts, and how it is asked.

pub(crate) mod explicit;
pub(crate) mod labelled;
pub(crate) mod portfolio;
pub(crate) mod sat;
pub(crate) mod symbolic;

use narrows_model::{Model, Question, Refusal};

use crate::{CheckOptions, RunStyle};

/// What options ask for that only a search state by state over processes has.
fn refuse_search_options(options: &CheckOptions<'_>, who: &str) -> Result<(), Refusal> {
    let wanted = [
        (options.fair, "fairness between processes"),
        (options.more_runs > 1, "several counterexamples"),
        (options.lossy.is_some(), "storing states with loss"),
        (options.checkpoints.is_some(), "checkpoints"),
    ];
    match wanted.iter().find(|(is_wanted, _)| *is_wanted) {
        Some((_, what)) => Err(Refusal::new(format!("{who} does not support {what}"))),
        None => Ok(()),
    }
}

/// Refuses to draw messages where a model has none.
fn refuse_messages(model: &Model, options: &CheckOptions<'_>) -> Result<(), Refusal> {
    if options.told == RunStyle::Messages { model.draws_messages() } else { Ok(()) }
}

/// Refuses orders of variables, which only decision diagrams have.
fn refuse_order(options: &CheckOptions<'_>, who: &str) -> Result<(), Refusal> {
    if options.order.is_some() || options.found_order.is_some() {
        return Err(Refusal::new(format!("{who} has no order of variables: that is for decision diagrams")));
    }
    Ok(())
}

/// Refuses what is no question about a synchronous system.
fn synchronous_question(model: &Model, question: &Question) -> Result<(), Refusal> {
    let count = model.synchronous().map_or(0, |system| system.specifications.len());
    match question {
        Question::Deadlock | Question::Faults => Ok(()),
        Question::Property { index, .. } if *index < count => Ok(()),
        Question::Property { .. } => Err(Refusal::new("There is no such specification.")),
        _ => Err(Refusal::new("This question does not apply to a synchronous system.")),
    }
}

/// Says that an engine is not for models of this form.
fn wrong_form(model: &Model, who: &str, forms: &str) -> Refusal {
    Refusal::new(format!("{who} is for {forms}, and `{}` is in {}", model.name, model.language))
}
