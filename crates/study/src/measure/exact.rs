//! Views in which runs are exact.
//!
//! The timed view counts ticks where that is cheap. A range of delays beside an odd one has too many: there,
//! state classes answer what they can. A large view is built with equal parts counted once, if there are
//! some.

use narrows_model::{FigureResult, Limit};
use narrows_performance::timed::{self, Classes, Timed, Unscalable};
use narrows_performance::{BuildError, StateGraph};

use super::failure::reason_of;
use super::timed::Built;
use crate::View;

/// A view with ranges of delays is built in ticks up to so many edges, before state classes are tried.
pub(super) const CHEAP_EDGES: usize = 1 << 18;

/// Where equal parts can be counted once, it is built in full up to so many edges: then runs can be shown.
pub(super) const MAX_SHOWN_EDGES: usize = 1 << 19;

/// The same for state classes.
const MAX_SHOWN_CLASSES: usize = 1 << 13;

/// With a range of more ticks, state classes come first, as long as they are few.
const WIDE_RANGE: u32 = 500;
const FEW_CLASSES: usize = 1 << 10;

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

/// Where the states of a view come from.
pub(super) struct Source<'f, 'a> {
    /// Starts with the initial state, perhaps such that equal parts count once.
    pub(super) states: &'f dyn Fn(bool) -> Result<StateGraph<'a>, BuildError>,
    /// Whether they can count once.
    pub(super) can_exchange: bool,
}

impl<'a> Source<'_, 'a> {
    /// Builds the timed view in ticks, with equal parts counted once if they can be; `None` if there are more
    /// edges than that.
    pub(super) fn in_ticks(&self, max_edges: usize) -> Result<Option<Exact<'a>>, ExactError> {
        if self.can_exchange
            && let Some(built) = known(self.ticks(max_edges, true))?
        {
            return Ok(built);
        }
        self.plain_ticks(max_edges)
    }

    fn plain_ticks(&self, max_edges: usize) -> Result<Option<Exact<'a>>, ExactError> {
        self.ticks(max_edges, false)
    }

    fn ticks(&self, max_edges: usize, is_exchanged: bool) -> Result<Option<Exact<'a>>, ExactError> {
        let states = (self.states)(is_exchanged)?;
        let built = timed::build_within(states, max_edges).map_err(ExactError::Unscalable)??;
        Ok(built.map(Exact::Ticks))
    }

    /// Finds state classes; `None` if there are more than that.
    fn classes(&self, max_classes: usize, is_exchanged: bool) -> Result<Option<Exact<'a>>, ExactError> {
        let states = (self.states)(is_exchanged)?;
        let built = Classes::build(states, max_classes).map_err(ExactError::Unscalable)??;
        Ok(built.map(Exact::Classes))
    }
}

/// Returns a view in which equal parts count once; `None` if something is wrong with it: what that is, the
/// view of all states shows.
fn known<T>(built: Result<T, ExactError>) -> Result<Option<T>, ExactError> {
    match built {
        Err(ExactError::Build(error)) if !matches!(error, BuildError::Limit(_)) => Ok(None),
        built => built.map(Some),
    }
}

impl<'a> Exact<'a> {
    /// Builds a view of the states that are given; the timed one in ticks if they are few, or if the classes
    /// are too many. If that is large and equal parts can be counted once, they are.
    pub(super) fn build(
        view: View,
        has_ranges: bool,
        source: &Source<'_, 'a>,
    ) -> Result<Exact<'a>, ExactError> {
        if view == View::Untimed {
            return Ok(Exact::Ticks(timed::build_untimed((source.states)(false)?)?));
        }
        let max_edges = match (has_ranges, source.can_exchange) {
            (true, _) => CHEAP_EDGES,
            (false, true) => MAX_SHOWN_EDGES,
            (false, false) => usize::MAX,
        };
        if has_ranges
            && timed::widest_range(&(source.states)(false)?) > WIDE_RANGE
            && let Some(built) = source.classes(FEW_CLASSES, false)?
        {
            return Ok(built);
        }
        if let Some(built) = source.plain_ticks(max_edges)? {
            return Ok(built);
        }
        if source.can_exchange {
            if has_ranges && let Some(built) = source.classes(MAX_SHOWN_CLASSES, false)? {
                return Ok(built);
            }
            if let Some(built) = known(Exact::large(has_ranges, source, true))? {
                return Ok(built);
            }
        }
        Exact::large(has_ranges, source, false)
    }

    /// Builds a large timed view, perhaps one in which equal parts are counted once.
    fn large(has_ranges: bool, source: &Source<'_, 'a>, is_exchanged: bool) -> Result<Exact<'a>, ExactError> {
        if has_ranges {
            if is_exchanged && let Some(built) = source.ticks(CHEAP_EDGES, true)? {
                return Ok(built);
            }
            if let Some(built) = source.classes(MAX_CLASSES, is_exchanged)? {
                return Ok(built);
            }
        }
        source.ticks(usize::MAX, is_exchanged)?.ok_or(ExactError::TooMany)
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

    /// Returns whether equal parts are counted once, so that there are no runs through it.
    pub(crate) fn is_of_orbits(&self) -> bool {
        self.state_graph().is_of_orbits()
    }

    /// Returns what its nodes are called.
    pub(super) fn unit(&self) -> &'static str {
        match self {
            Exact::Ticks(_) if self.is_of_orbits() => "states up to symmetry",
            Exact::Ticks(_) => "states",
            Exact::Classes(_) if self.is_of_orbits() => "state classes up to symmetry",
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
