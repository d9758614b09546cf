//! How often something happens in a synchronous system: found on the graph of all states.

use narrows_explicit::Budget;
use narrows_model::synchronous::{Display, Domain, Eventful, ExprId, Reference, Role, SynchronousSystem};
use narrows_model::{Figure, FigureResult, Trace};
use narrows_performance::requests::RequestEvents;
use narrows_performance::timed::{Timed, Walk, build_clocked};
use narrows_performance::{BuildError, StateGraph, Timing};

use super::SynchronousStudy;
use super::values::request_names;
use crate::measure::{Asked, Built, ModelFacts, Ways};
use crate::{Ask, Question, Study, Text};

/// A graph with more states than this is not built.
const MAX_STATES: u64 = 2_000_000;
/// With more values of inputs than this, steps are not looked for one by one.
const MAX_INPUTS: u128 = 1 << 16;

/// What a graph is made of.
pub(crate) struct GraphSource<'a> {
    pub(super) eventful: Eventful<'a>,
    timing: Timing,
}

impl<'a> GraphSource<'a> {
    pub(crate) fn new(prepared: &'a SynchronousStudy) -> GraphSource<'a> {
        let events: Vec<ExprId> = prepared.events.iter().map(|(_, event)| *event).collect();
        let mut timing = Timing::labels(events.len());
        for (number, (name, _)) in (0..).zip(&prepared.events) {
            timing.event(&[Timing::label(number)], name);
        }
        GraphSource { eventful: Eventful::new(Reference::new(&prepared.system), &events), timing }
    }

    /// Builds the graph, or says why there is none. So many states are known to be there.
    pub(super) fn build<'g>(&'g self, states: &str, budget: &Budget) -> Result<Timed<'g>, FigureResult> {
        let why = "How often something happens is found on the graph of all states";
        let inputs = inputs(self.eventful.reference().system());
        if !states.parse().is_ok_and(|count: u64| count <= MAX_STATES) {
            return Err(FigureResult::None(format!(
                "{why}: there are {states}, and no more than {MAX_STATES} are visited one by one."
            )));
        }
        if inputs > MAX_INPUTS {
            return Err(FigureResult::None(format!(
                "{why}: inputs have {inputs} combinations of values in each, and no more than {MAX_INPUTS} \
                 are tried one by one."
            )));
        }
        let rows = StateGraph::new(&self.eventful, None, &self.timing, budget.clone());
        rows.and_then(build_clocked).map_err(|error| match error {
            BuildError::Limit(limit) => FigureResult::Undecided(limit),
            // Nothing else can happen where steps have no delays.
            _ => FigureResult::None("There is no graph of all states.".to_owned()),
        })
    }
}

/// Returns how many combinations of inputs there are.
fn inputs(system: &SynchronousSystem) -> u128 {
    let inputs = system.variables.iter().filter(|variable| variable.role == Role::Input);
    inputs.map(|input| Domain::len(&input.domain)).fold(1, u128::saturating_mul)
}

/// What a synchronous system knows about its graph.
pub(super) struct Known<'g> {
    pub(super) study: &'g Study,
    pub(super) prepared: &'g SynchronousStudy,
    pub(super) source: &'g GraphSource<'g>,
}

impl Known<'_> {
    pub(super) fn fill(&self, timed: &Timed<'_>, ask: &Ask, figure: &mut Figure) {
        let (question, anywhere) = (&ask.question, ask.anywhere);
        let mut kinds = Vec::new();
        if let Question::Latency(latency) = question {
            let [from, to] =
                [&latency.from, &latency.to].map(|end| self.prepared.event(end).unwrap_or(u16::MAX));
            let kind = |from, to| RequestEvents { from, to, both: u16::MAX, order: latency.order };
            match request_names(latency).and_then(|names| self.prepared.told_apart.get(&names)) {
                Some(ends) => kinds.extend(ends.iter().map(|(from, to)| kind(*from, *to))),
                None => kinds.push(kind(from, to)),
            }
        }
        let built = Built::Ticks(timed);
        Asked { model: self, built, unit: &self.study.unit, kinds: &kinds, anywhere }.fill(question, figure);
        let system = &self.prepared.system;
        if !system.justice.is_empty() || !system.compassion.is_empty() {
            figure.notes.push("These are runs of all kinds, also such as are not fair.".to_owned());
        }
    }

    /// Returns for each state whether something holds.
    pub(super) fn holding(&self, rows: &StateGraph<'_>, expr: ExprId) -> Vec<bool> {
        let reference = self.source.eventful.reference();
        let mut evaluation = narrows_model::synchronous::Evaluation::new(reference.system());
        (0..rows.states())
            .map(|state| {
                let bytes = rows.state(state);
                let values = reference.unpack(&bytes);
                let moment = narrows_model::synchronous::Moment::still(&values);
                !reference.is_start(&bytes) && evaluation.is_true(expr, moment)
            })
            .collect()
    }
}

impl ModelFacts for Known<'_> {
    fn event(&self, what: &Text) -> Option<u16> {
        self.prepared.event(what)
    }

    fn busy<'t>(&'t self, what: &'t Text) -> &'t Text {
        self.study.busy(what)
    }

    fn holds(&self, rows: &StateGraph<'_>, text: &Text, _: &mut Figure) -> Option<Vec<bool>> {
        self.prepared.predicates.get(&text.text).map(|expr| self.holding(rows, *expr))
    }

    fn values(&self, rows: &StateGraph<'_>, text: &Text, figure: &mut Figure) -> Option<Vec<i64>> {
        let (_, expr) = self.prepared.values.iter().find(|(known, _)| *known == text.text)?;
        let reference = self.source.eventful.reference();
        let mut evaluation = narrows_model::synchronous::Evaluation::new(reference.system());
        let mut list: Vec<Option<i64>> = Vec::with_capacity(rows.states() as usize);
        for state in 0..rows.states() {
            let bytes = rows.state(state);
            if reference.is_start(&bytes) {
                list.push(None);
                continue;
            }
            let values = reference.unpack(&bytes);
            let value = evaluation.value(*expr, narrows_model::synchronous::Moment::still(&values));
            let shown = reference.system().show(value, Display::Plain);
            let Some(number) = shown.parse().ok() else {
                let reason = format!("`{}` has the value `{shown}`, which is not a number.", text.text);
                figure.result = FigureResult::None(reason);
                return None;
            };
            list.push(Some(number));
        }
        // What stands before all first states lasts no time.
        let least = list.iter().flatten().copied().min().unwrap_or(0);
        Some(list.into_iter().map(|value| value.unwrap_or(least)).collect())
    }

    fn counts_states(&self) -> bool {
        true
    }

    fn trace(&self, timed: &Timed<'_>, walk: &Walk, _: &str) -> Option<Trace> {
        let run = self.source.eventful.run(&walk.choices(timed), walk.cycle)?;
        let trace = run.replay(self.source.eventful.reference(), None)?;
        // Where there are several first states, a step leads to one of them. A cycle has no end.
        let before = walk.steps.len().saturating_sub(trace.steps.len());
        let end = Some(trace.steps.len()).filter(|_| walk.cycle.is_none());
        Some(Trace { part: Some((walk.begins.saturating_sub(before), end)), ..trace })
    }

    /// The first states come after what stands before them all.
    fn whole(&self, timed: &Timed<'_>) -> Ways {
        let reference = self.source.eventful.reference();
        let rows = timed.state_graph();
        let is_first = |state: u32| {
            let bytes = rows.state(state);
            !reference.is_start(&bytes) && reference.is_initial(&reference.unpack(&bytes))
        };
        let to = (0..rows.states()).map(|state| timed.edges(state).is_empty()).collect();
        ((0..rows.states()).map(is_first).collect(), to)
    }
}
