//! One file for each engine: what it accepts, and how it is asked.

pub(crate) mod cluster;
pub(crate) mod cluster_synchronous;
pub(crate) mod explicit;
pub(crate) mod labelled;
pub(crate) mod labelled_on_gpu;
pub(crate) mod portfolio;
pub(crate) mod sat;
pub(crate) mod symbolic;

use narrows_model::synchronous::SynchronousSystem;
use narrows_model::{Model, Question, Refusal};

/// Returns the synchronous system of a model.
fn synchronous(model: &Model) -> Result<&SynchronousSystem, Refusal> {
    model.synchronous().ok_or_else(|| Refusal::new("this is for SMV models"))
}

/// Refuses what is no question about a synchronous system.
fn synchronous_question(model: &Model, question: &Question) -> Result<(), Refusal> {
    let count = synchronous(model)?.specifications.len();
    match question {
        Question::Deadlock | Question::Faults => Ok(()),
        Question::Property { index, .. } if *index < count => Ok(()),
        Question::Property { .. } => Err(Refusal::new("There is no such specification.")),
        _ => Err(Refusal::new("This question does not apply to a synchronous system.")),
    }
}
