//! All states of a labelled system as a graph.

use narrows_lts::Graph;
use narrows_model::{Model, Refusal};

use crate::engines::labelled::build;
use crate::{Budget, Unanswered};

pub use narrows_performance::labelled::GraphError;

/// Makes the graph of a labelled system.
///
/// # Errors
///
/// The model may have another form. The inner error says why there is no graph of all states.
pub fn labelled_graph(model: &Model, budget: &Budget) -> Result<Result<Graph, GraphError>, Unanswered> {
    let labelled = model.labelled().ok_or_else(|| {
        Unanswered::Refused(Refusal::new(format!(
            "`{}` is a {} model, whose steps have no labels",
            model.name, model.language
        )))
    })?;
    Ok(build(&*labelled.system, budget).map(|built| built.graph))
}
