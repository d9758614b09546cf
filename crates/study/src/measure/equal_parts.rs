//! Equal parts of a model count once where a view has many states.
//!
//! A view is built in full first, as long as that is cheap: then runs can be shown. Beyond that, if the model
//! has equal parts which no question tells apart, one state stands for all that differ in which of them does
//! what. In a chain that is a lumping, so that means and distributions are the same.

use std::sync::Arc;

use narrows_explicit::{Asked, Budget, Engine, Progress, Quotient, Symmetry, Watch};
use narrows_model::{Claim, Evaluator, Expr, Limit, Property, StateSpace, System, mark_dead};
use narrows_performance::{BuildError, Timing};
use narrows_source::Span;

use crate::ProcessStudy;

/// So many states are visited before equal parts are counted once.
const FEW: u64 = 1 << 19;

/// What is known of equal parts.
#[derive(Clone, Copy)]
pub(crate) struct Equal<'a> {
    /// The model, which knows what the study reads, and states in which all else is forgotten.
    pub(crate) system: &'a System,
    pub(crate) forgetting: &'a dyn StateSpace,
    /// The model with equal parts counted once, if it has some.
    pub(crate) quotient: Option<&'a Quotient<'a>>,
}

/// Returns the model of a study with all that the study reads as properties, so that no such value is
/// forgotten.
pub(crate) fn with_readers(prepared: &ProcessStudy) -> System {
    let mut system = prepared.system.clone();
    for expr in prepared.read() {
        let atom = narrows_model::Atom { expr: expr.clone(), text: String::new(), span: Span::default() };
        let claim = Claim::Ltl(narrows_logic::Ltl::Atom(atom));
        system.properties.push(Property { name: String::new(), claim, span: Span::default() });
    }
    mark_dead(&mut system);
    system
}

/// Finds parts of a model that neither it nor a study tells apart.
pub(crate) fn equal_parts(system: &System, prepared: &ProcessStudy, timing: &Timing) -> Option<Symmetry> {
    let exprs: Vec<&Expr> = prepared.read().collect();
    let processes = timing.processes();
    let label = |proctype, transition| timing.label_of(proctype, transition);
    let asked = Asked { exprs: &exprs, processes: &processes, label: &label };
    Symmetry::find(Evaluator::new(system), &asked).ok()
}

impl<'a> Equal<'a> {
    /// Finds equal parts where other events are counted.
    pub(crate) fn symmetry(&self, prepared: &ProcessStudy, timing: &Timing) -> Option<Symmetry> {
        equal_parts(self.system, prepared, timing)
    }

    /// Returns the model with these parts counted once.
    pub(crate) fn quotient_of<'q>(&self, symmetry: &'q Symmetry, engine: &'q Engine<'_>) -> Quotient<'q>
    where
        'a: 'q,
    {
        Quotient::new(if symmetry.forgets() { self.forgetting } else { engine }, symmetry)
    }
}

/// Builds something in full, or if that is large, with equal parts counted once where that is possible.
pub(crate) fn either<'q, T>(
    space: &'q dyn StateSpace,
    quotient: Option<&'q Quotient<'q>>,
    budget: &Budget,
    is_possible: bool,
    build: impl Fn((&'q dyn StateSpace, bool), Budget) -> Result<T, BuildError>,
) -> Result<T, BuildError> {
    let Some(quotient) = quotient.filter(|_| is_possible) else {
        return build((space, false), budget.clone());
    };
    let watch = Arc::new(Few { watch: Arc::clone(&budget.watch) });
    match build((space, false), Budget { watch, ..budget.clone() }) {
        Err(BuildError::Limit(Limit::Enough)) => {}
        built => return built,
    }
    match build((quotient, true), budget.clone()) {
        built @ (Ok(_) | Err(BuildError::Limit(_))) => built,
        // Runs that show what is wrong are those of the model as it is.
        Err(_) => build((space, false), budget.clone()),
    }
}

/// Stops where there are many states.
struct Few {
    watch: Arc<dyn Watch>,
}

impl Watch for Few {
    fn check(&self, progress: &Progress) -> Option<Limit> {
        if progress.states > FEW { Some(Limit::Enough) } else { self.watch.check(progress) }
    }

    fn seconds(&self) -> f64 {
        self.watch.seconds()
    }

    fn seconds_left(&self) -> Option<f64> {
        self.watch.seconds_left()
    }
}
