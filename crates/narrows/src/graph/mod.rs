//! All states of a model as a labelled graph.

mod diagrams;
mod processes;
mod step_labels;
mod synchronous;

use narrows_explicit::Engine as Executor;
use narrows_lts::Graph;
use narrows_model::{Evaluator, Form, Model, Refusal};

use crate::engines::labelled::build;
use crate::{Budget, Unanswered};

pub use diagrams::{graph_diagram, process_diagrams};
pub use narrows_performance::labelled::GraphError;

/// What stands at a step between two states.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LabelStyle {
    /// Who does what; of a synchronous system, what changes.
    #[default]
    Text,
    /// The label before a statement.
    Label,
    /// The message that is sent or received.
    Channel,
    /// The inputs of a synchronous system.
    Inputs,
}

/// A graph, and what is not in it.
#[derive(Debug)]
pub struct States {
    /// The graph.
    pub graph: Graph,
    /// How many steps end in a fault, and lead nowhere.
    pub faults: u64,
}

/// Walks over all states of a model, and makes a graph of them.
///
/// # Errors
///
/// The style may not be for models of this form. The inner error says why there is no graph of all states.
pub fn states(
    model: &Model,
    style: LabelStyle,
    budget: &Budget,
) -> Result<Result<States, GraphError>, Unanswered> {
    let refuse = |reason: &str| Err(Refusal::new(reason).into());
    let whole = |graph: Graph| States { graph, faults: 0 };
    Ok(match &model.form {
        Form::Synchronous(_) if !matches!(style, LabelStyle::Text | LabelStyle::Inputs) => {
            return refuse("labels are `text` or `inputs` for SMV models");
        }
        Form::Synchronous(system) => {
            synchronous::states(system, style, budget).map(whole).map_err(GraphError::Limit)
        }
        Form::Processes(_) if style == LabelStyle::Inputs => {
            return refuse("labels of inputs are for SMV models: processes have no inputs");
        }
        Form::Processes(system) => {
            let executor = Executor::automatic(Evaluator::new(system));
            processes::states(&executor, style, budget).map_err(GraphError::Limit)
        }
        Form::Labelled(labelled) => build(&*labelled.system, budget).map(|built| whole(built.graph)),
        _ => return refuse("models of this form have no graph of states"),
    })
}
