//! Views in which runs are exact.
//!
//! The timed view counts ticks where that is cheap. A range of delays beside an odd one has too many: there,
//! state classes answer what they can.

use narrows_model::{FigureResult, Limit};
use narrows_performance::timed::{self, Classes, Timed, Unscalable};
use narrows_performance::{BuildError, StateGraph};

use super::failure::reason_of;
use super::timed::Built;
use crate::View;

/// A view with ranges of delays is built in ticks up to so many edges, before state classes are tried.
const CHEAP_EDGES: usize = 1 << 18;

/// There are at most so many state classes.
const MAX_CLASSES: usize = 1 << 17;

/// The timed view of a model.
pub(crate) enum Exact<'a> {
    /// Time is counted in ticks.
    Ticks(Timed<'a>),
    /// Times are those of state classes.
    Classes(Classes<'a>),
}

/// Why there is no view.
pub(super) enum ExactError {
    /// The states are not known, or time stands still.
    Build(BuildError),
    /// The delays can't be counted.
    Unscalable(Unscalable),
    /// There is no room for it.
    TooMany,
}

impl From<BuildError> for ExactError {
    fn from(error: BuildError) -> ExactError {
        ExactError::Build(error)
    }
}

impl ExactError {
    /// Turns it into a result, where `told` knows what errors of states mean.
    pub(super) fn result<T>(
        self,
        told: impl FnOnce(&BuildError) -> T,
        plain: impl FnOnce(FigureResult) -> T,
    ) -> T {
        match self {
            ExactError::Build(error) => told(&error),
            ExactError::Unscalable(unscalable) => plain(FigureResult::None(reason_of(&unscalable))),
            ExactError::TooMany => plain(FigureResult::Undecided(Limit::Memory)),
        }
    }
}

impl<'a> Exact<'a> {
    /// Builds a view of the states that are given; the timed one in ticks if they are few, or if the classes
    /// are too many.
    pub(super) fn build(
        view: View,
        has_ranges: bool,
        states: &dyn Fn() -> Result<StateGraph<'a>, BuildError>,
    ) -> Result<Exact<'a>, ExactError> {
        if view == View::Untimed {
            return Ok(Exact::Ticks(timed::build_untimed(states()?)?));
        }
        let whole = || Exact::in_ticks(usize::MAX, states)?.ok_or(ExactError::TooMany);
        if !has_ranges {
            return whole();
        }
        if let Some(built) = Exact::in_ticks(CHEAP_EDGES, states)? {
            return Ok(built);
        }
        match Classes::build(states()?, MAX_CLASSES).map_err(ExactError::Unscalable)?? {
            Some(classes) => Ok(Exact::Classes(classes)),
            None => whole(),
        }
    }

    /// Builds the timed view in ticks; `None` if there are more edges than that.
    pub(super) fn in_ticks(
        max_edges: usize,
        states: &dyn Fn() -> Result<StateGraph<'a>, BuildError>,
    ) -> Result<Option<Exact<'a>>, ExactError> {
        let built = timed::build_within(states()?, max_edges).map_err(ExactError::Unscalable)??;
        Ok(built.map(Exact::Ticks))
    }

    pub(crate) fn as_built(&self) -> Built<'_, 'a> {
        match self {
            Exact::Ticks(timed) => Built::Ticks(timed),
            Exact::Classes(classes) => Built::Classes(classes),
        }
    }

    pub(crate) fn state_graph(&self) -> &StateGraph<'a> {
        self.as_built().state_graph()
    }

    /// Returns what its nodes are called.
    pub(super) fn unit(&self) -> &'static str {
        match self {
            Exact::Ticks(_) => "states",
            Exact::Classes(_) => "state classes",
        }
    }

    /// Returns how many nodes and edges there are.
    pub(super) fn size(&self) -> (u64, u64) {
        match self {
            Exact::Ticks(timed) => (timed.nodes().into(), timed.edge_count()),
            Exact::Classes(classes) => (classes.nodes(), classes.edge_count()),
        }
    }
}
