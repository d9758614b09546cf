//! Equal parts of a model count once where a view has many states.
//!
//! A view is built in full first, as long as that is cheap: then runs can be shown. Beyond that, if the model
//! has equal parts which no question tells apart, one state stands for all that differ in which of them does
//! what. In a chain that is a lumping, so that means and distributions are the same.

use std::sync::Arc;

use narrows_explicit::{Asked, Budget, Engine, Progress, Quotient, Symmetry, Watch};
use narrows_model::{Claim, Evaluator, Expr, Limit, Property, StateSpace, System, mark_dead};
use narrows_performance::{BuildError, StateGraph, Timing};
use narrows_source::Span;

use crate::ProcessStudy;
use crate::request_values::ValueEvents;

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
    Symmetry::find_forgetting(Evaluator::new(system), &asked).ok()
}

impl<'a> Equal<'a> {
    /// Finds equal parts where other events are counted.
    pub(crate) fn symmetry(&self, prepared: &ProcessStudy, timing: &Timing) -> Option<Symmetry> {
        equal_parts(self.system, prepared, timing)
    }

    /// Returns what may be exchanged where no further events are counted.
    pub(crate) fn known_symmetry(&self) -> Option<&'a Symmetry> {
        self.quotient.map(Quotient::symmetry)
    }

    /// Returns the first of the processes whose numbers tell requests apart, if all of them are equal: what
    /// is known of its requests holds for those of the others.
    pub(crate) fn one_of_all(&self, values: Option<&ValueEvents>, prepared: &ProcessStudy) -> Option<u8> {
        let one = values?.process(&prepared.system)?;
        let processes = &prepared.system.initial_processes;
        let proctype = processes[usize::from(one)].proctype;
        let all: Vec<usize> =
            (0..processes.len()).filter(|pid| processes[*pid].proctype == proctype).collect();
        self.known_symmetry()?.are_equal(&all).then_some(one)
    }

    /// Returns the model with these parts counted once.
    pub(crate) fn quotient_of<'q>(&self, symmetry: &'q Symmetry, engine: &'q Engine<'_>) -> Quotient<'q>
    where
        'a: 'q,
    {
        Quotient::new(if symmetry.forgets() { self.forgetting } else { engine }, symmetry)
    }
}

/// Which states a view is built of.
#[derive(Clone, Copy)]
pub(crate) enum Counting<'q> {
    /// All.
    All,
    /// Equal parts count once.
    Once(&'q Quotient<'q>),
}

impl<'a> Equal<'a> {
    /// Starts the graph of a view. Delays with stages are clocks, which are exchanged with their processes.
    pub(crate) fn rows<'t>(
        &self,
        (counting, engine): (Counting<'t>, &'t Engine<'_>),
        (system, timing): (&'t System, &'t Timing),
        budget: Budget,
    ) -> Result<StateGraph<'t>, BuildError>
    where
        'a: 't,
    {
        match counting {
            Counting::All => StateGraph::new(engine, Some(system), timing, budget),
            Counting::Once(quotient) if timing.is_memoryless() => {
                Ok(StateGraph::new(quotient, Some(system), timing, budget)?.of_orbits())
            }
            Counting::Once(quotient) => {
                let symmetry = quotient.symmetry();
                let space: &'t dyn StateSpace = if symmetry.forgets() { self.forgetting } else { engine };
                Ok(StateGraph::new(space, Some(system), timing, budget)?.exchanging(symmetry))
            }
        }
    }
}

/// Builds something in full, or if that is large, with equal parts counted once where that is possible.
pub(crate) fn either<'q, T>(
    quotient: Option<&'q Quotient<'q>>,
    budget: &Budget,
    build: impl Fn(Counting<'q>, Budget) -> Result<T, BuildError>,
) -> Result<T, BuildError> {
    let Some(quotient) = quotient else { return build(Counting::All, budget.clone()) };
    let watch = Arc::new(Few { watch: Arc::clone(&budget.watch) });
    match build(Counting::All, Budget { watch, ..budget.clone() }) {
        Err(BuildError::Limit(Limit::Enough)) => {}
        built => return built,
    }
    match build(Counting::Once(quotient), budget.clone()) {
        built @ (Ok(_) | Err(BuildError::Limit(_))) => built,
        // Runs that show what is wrong are those of the model as it is.
        Err(_) => build(Counting::All, budget.clone()),
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
