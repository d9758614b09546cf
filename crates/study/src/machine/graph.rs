//! How often something happens in a synchronous system: found on the graph of all states.

use narrows_model::synchronous::{Domain, Eventful, ExprId, Reference, Role, SynchronousSystem};
use narrows_model::{Figure, FigureResult, Limit, Number, Trace};
use narrows_performance::timed::bounds::{Bound, Cost, Endpoints};
use narrows_performance::timed::ratio::{Extreme, Frequency};
use narrows_performance::timed::{Timed, Walk, build_clocked};
use narrows_performance::{BuildError, StateGraph, Time, Timing};

use super::PreparedMachine;
use crate::{Budgets, Question, Study};

/// A graph with more states than this is not built.
const MOST_STATES: u64 = 2_000_000;
/// With more values of inputs than this, steps are not looked for one by one.
const MOST_INPUTS: u128 = 1 << 16;

/// What a graph is made of.
pub(super) struct Ground<'a> {
    pub(super) eventful: Eventful<'a>,
    timing: Timing,
}

impl<'a> Ground<'a> {
    pub(super) fn new(prepared: &'a PreparedMachine) -> Ground<'a> {
        let events: Vec<ExprId> = prepared.events.iter().map(|(_, event)| *event).collect();
        let mut timing = Timing::labels(events.len());
        for (number, (name, _)) in (0..).zip(&prepared.events) {
            timing.event(&[Timing::label(number)], name);
        }
        Ground { eventful: Eventful::new(Reference::new(&prepared.machine), &events), timing }
    }

    /// Builds the graph, or says why there is none. So many states are known to be there.
    pub(super) fn build<'g>(
        &'g self,
        states: Option<&str>,
        budgets: &Budgets<'g>,
    ) -> Result<Timed<'g>, FigureResult> {
        let why = "How often something happens is found on the graph of all states";
        let inputs = inputs(self.eventful.reference().system());
        match states.map(str::parse::<u64>) {
            None => return Err(FigureResult::Undecided(Limit::Memory)),
            Some(Ok(count)) if count <= MOST_STATES => {}
            Some(_) => {
                let count = states.unwrap_or_default();
                return Err(FigureResult::None(format!(
                    "{why}: there are {count}, and no more than {MOST_STATES} are visited one by one."
                )));
            }
        }
        if inputs > MOST_INPUTS {
            return Err(FigureResult::None(format!(
                "{why}: inputs have {inputs} combinations of values in each, and no more than {MOST_INPUTS} are tried one by one."
            )));
        }
        let rows = StateGraph::new(&self.eventful, None, &self.timing, budgets.explicit);
        rows.and_then(build_clocked).map_err(|trouble| match trouble {
            BuildError::Limit(limit) => FigureResult::Undecided(limit),
            // Nothing else can happen where steps have no delays.
            _ => FigureResult::None("There is no graph of all states.".to_owned()),
        })
    }
}

/// Returns how many combinations of inputs there are.
fn inputs(machine: &SynchronousSystem) -> u128 {
    let inputs = machine.variables.iter().filter(|variable| variable.role == Role::Input);
    inputs.map(|input| Domain::len(&input.domain)).fold(1, u128::saturating_mul)
}

/// A question about the graph.
pub(super) struct Asked<'g> {
    pub(super) study: &'g Study,
    pub(super) prepared: &'g PreparedMachine,
    pub(super) ground: &'g Ground<'g>,
    pub(super) timed: &'g Timed<'g>,
}

impl Asked<'_> {
    pub(super) fn fill(&self, question: &Question, figure: &mut Figure) {
        let predicate = |text: &crate::Text| self.prepared.predicates.get(&text.text).copied();
        match question {
            Question::Throughput(event) => {
                figure.unit = format!("1/{}", self.study.unit);
                if let Some(event) = self.prepared.event(event) {
                    self.frequency(Cost::Event(event), figure);
                }
            }
            Question::Utilisation(what) => {
                if let Some(expr) = predicate(self.study.busy(what)) {
                    self.frequency(Cost::While(&self.holds(expr)), figure);
                }
            }
            Question::MinCount(what, from, to)
            | Question::MaxCount(what, from, to)
            | Question::Count(what, from, to) => {
                let (Some(event), Some(from), Some(to)) =
                    (self.prepared.event(what), predicate(from), predicate(to))
                else {
                    return;
                };
                let (from, to) = (self.holds(from), self.holds(to));
                self.counts(event, Endpoints { from: &from, to: &to }, question, figure);
            }
            Question::Makespan => self.makespan(figure),
            _ => {}
        }
        let machine = &self.prepared.machine;
        if !machine.justice.is_empty() || !machine.compassion.is_empty() {
            figure.notes.push("These are runs of all kinds, also such as are not fair.".to_owned());
        }
    }

    /// Returns for each state whether something holds.
    pub(super) fn holds(&self, expr: ExprId) -> Vec<bool> {
        let reference = self.ground.eventful.reference();
        let rows = self.timed.state_graph();
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

    /// Counts an event whose steps tell more than states do.
    fn counts(&self, event: u16, between: Endpoints<'_>, question: &Question, figure: &mut Figure) {
        let mut found = Vec::new();
        let is_least = matches!(question, Question::MinCount(..));
        let is_most = matches!(question, Question::MaxCount(..));
        for (is_wanted, bound) in [
            (!is_most, self.timed.least(between, Cost::Event(event))),
            (!is_least, self.timed.most(between, Cost::Event(event))),
        ] {
            if is_wanted {
                found.push(self.bound(bound, figure));
            }
        }
        figure.result = crate::measure::span(&found);
    }

    fn bound(&self, bound: Bound, figure: &mut Figure) -> FigureResult {
        let (number, walk) = match bound {
            Bound::NeverBegins => {
                let reason = "No state in which it could begin can be reached.";
                return FigureResult::None(reason.to_owned());
            }
            Bound::Finite(value, walk) => (Number::Ratio(i128::from(value), 1), walk),
            Bound::Infinite(walk) => (Number::Infinity, walk),
        };
        self.witness("a run that shows it", &walk, figure);
        FigureResult::Value { low: number, high: number, exact: true }
    }

    /// Measures how long it takes until there is no next state.
    fn makespan(&self, figure: &mut Figure) {
        self.study.unit.clone_into(&mut figure.unit);
        let reference = self.ground.eventful.reference();
        let rows = self.timed.state_graph();
        let is_first = |state: u32| {
            let bytes = rows.state(state);
            !reference.is_start(&bytes) && reference.is_initial(&reference.unpack(&bytes))
        };
        let from: Vec<bool> = (0..rows.states()).map(is_first).collect();
        let to: Vec<bool> = (0..rows.states()).map(|state| self.timed.edges(state).is_empty()).collect();
        let between = Endpoints { from: &from, to: &to };
        let bounds = [self.timed.least(between, Cost::Time), self.timed.most(between, Cost::Time)];
        let found: Vec<FigureResult> = bounds.into_iter().map(|bound| self.bound(bound, figure)).collect();
        figure.result = crate::measure::span(&found);
    }

    /// Measures how often something happens in the long run, or for what part of the time something holds.
    fn frequency(&self, cost: Cost<'_>, figure: &mut Figure) {
        let mut ends = Vec::new();
        for (which, name) in [(Extreme::Worst, "least"), (Extreme::Best, "most")] {
            let (number, walk) = match self.timed.frequency(cost, which) {
                Frequency::Every { count, ticks, walk } => {
                    let per = Time::new(i128::from(count), i128::from(ticks.max(1)));
                    (Number::Ratio(*per.numer(), *per.denom()), walk)
                }
                Frequency::Infinite(walk) => (Number::Infinity, walk),
                Frequency::Ends(walk) => (Number::Ratio(0, 1), walk),
            };
            ends.push(number);
            let what = match (walk.cycle, cost) {
                (None, _) => "a run that comes to an end".to_owned(),
                (_, Cost::Event(_)) if which == Extreme::Worst => "the critical cycle, worst case".to_owned(),
                (_, Cost::Event(_)) => "the critical cycle, best case".to_owned(),
                _ => format!("a run on which it holds for the {name} time"),
            };
            self.witness(&what, &walk, figure);
        }
        figure.result = FigureResult::Value { low: ends[0], high: ends[1], exact: true };
    }

    /// Replays a run.
    fn witness(&self, what: &str, walk: &Walk, figure: &mut Figure) {
        match self.trace(walk) {
            Some(trace) => figure.witnesses.push((what.to_owned(), trace)),
            None => figure
                .notes
                .push("The run that shows it can't be replayed: this is a mistake in narrows.".to_owned()),
        }
    }

    /// Returns a run of the reference.
    fn trace(&self, walk: &Walk) -> Option<Trace> {
        let run = self.ground.eventful.run(&walk.choices(self.timed), walk.cycle)?;
        run.replay(self.ground.eventful.reference(), None)
    }
}
