//! A graph on the way to a target: actions that happen, or states.

use narrows_lts::{Builder, Graph, Label};

use super::{AutomatonError, GraphAutomaton};
use crate::markov::{Accuracy, ChainError, Interval, OverSchedulers, Reach, Reward, before_step, reach};

/// A graph in which nothing happens any more once a target is reached.
#[derive(Clone, Debug)]
pub struct GraphReach {
    graph: Graph,
    timed: GraphAutomaton,
    /// The target in the automaton; `None` if it is never reached.
    target: Option<u32>,
    /// Whether steps are counted, and not time.
    pub is_discrete: bool,
}

impl GraphReach {
    /// Makes all edges to a target, or with a label that is one, lead to one state that is never left.
    ///
    /// # Errors
    ///
    /// If the graph has no automaton.
    pub fn new(
        graph: &Graph,
        is_label: impl Fn(&str) -> bool,
        is_state: impl Fn(u32) -> bool,
    ) -> Result<GraphReach, AutomatonError> {
        let over = graph.states();
        let place = |state: u32| if is_state(state) { over } else { state };
        let mut builder = Builder::new(place(graph.initial()), graph.edges().len());
        let labels: Vec<u32> = graph.labels().iter().map(|label| builder.label(label)).collect();
        let ends: Vec<bool> = graph.labels().iter().map(|label| is_label(label)).collect();
        for state in (0..over).filter(|state| !is_state(*state)) {
            for edge in graph.edges_from(state) {
                let target = if ends[edge.label as usize] { over } else { place(edge.target) };
                builder.edge(state, labels[edge.label as usize], target);
            }
        }
        builder.states(over + 1);
        let graph = builder.build().map_err(|_| AutomatonError::Other(ChainError::TooLarge))?;
        let (timed, is_discrete) = GraphAutomaton::in_its_time(&graph)?;
        let target = timed.states.iter().position(|state| *state == over).map(|state| state as u32);
        Ok(GraphReach { graph, timed, target, is_discrete })
    }

    /// Returns how many states are reached before the target, and how many of them take no time.
    pub fn size(&self) -> (usize, usize) {
        (self.timed.states.len() - usize::from(self.target.is_some()), self.timed.deciding())
    }

    /// Makes the reward that counts time, or steps.
    pub fn time(&self) -> Reward {
        Reward::time(&self.timed.automaton)
    }

    /// Makes a reward of so much each time that some action happens, and so much per time while one is
    /// possible.
    pub fn reward(
        &self,
        each: &[(impl Fn(&str) -> bool, f64)],
        during: &[(impl Fn(&str) -> bool, f64)],
    ) -> Reward {
        let mut reward = Reward::none(&self.timed.automaton);
        for (number, action) in self.timed.actions.iter().enumerate() {
            let amount: f64 = each.iter().filter(|(is_it, _)| is_it(action)).map(|(_, amount)| amount).sum();
            if amount > 0.0 {
                let one = self.timed.reward(&self.graph, number);
                for (sum, more) in reward.rates.iter_mut().zip(one.rates) {
                    *sum += amount * more;
                }
                for (sum, more) in reward.impulses.iter_mut().zip(one.impulses) {
                    *sum += amount * more;
                }
            }
        }
        for (place, state) in self.timed.states.iter().enumerate() {
            let action = |label: u32| Label::parse(self.graph.label(label)).ok().and_then(|one| one.action);
            let is_possible = |is_it: &dyn Fn(&str) -> bool| {
                let mut edges = self.graph.edges_from(*state).iter();
                edges.any(|edge| action(edge.label).is_some_and(is_it))
            };
            for (is_it, amount) in during {
                if is_possible(is_it) {
                    reward.rates[place] += amount;
                }
            }
        }
        reward
    }

    /// Bounds what is asked about the way to the target.
    ///
    /// # Errors
    ///
    /// If choices may follow each other for ever in no time.
    pub fn solve(&self, what: Reach<'_>, accuracy: Accuracy<'_>) -> Result<OverSchedulers, AutomatonError> {
        let Some(target) = self.target else {
            let never =
                if matches!(what, Reach::Total(_)) { Interval::INFINITE } else { Interval::exactly(0.0) };
            return Ok(OverSchedulers { even: never, open: None });
        };
        let automaton = &self.timed.automaton;
        let found = match what {
            // Steps are whole, and what is reached with the last one is reached in time.
            Reach::Before(steps) if self.is_discrete => {
                let found = before_step(automaton, target, steps.near().floor() as u64, accuracy);
                let ever = reach(automaton, target, Reach::Ever, accuracy);
                found.and_then(|found| Ok(capped(found, &ever?)))
            }
            what => reach(automaton, target, what, accuracy),
        };
        found.map_err(|zeno| self.timed.zeno(&zeno))
    }
}

/// What is never reached is not reached before some step either.
fn capped(found: OverSchedulers, ever: &OverSchedulers) -> OverSchedulers {
    let cap = |one: Interval, most: Interval| one.and(Interval { low: 0.0, high: most.high });
    let open = found.open.zip(ever.open);
    let ends = open.map(|([least, greatest], [low, high])| [cap(least, low), cap(greatest, high)]);
    OverSchedulers { even: cap(found.even, ever.even), open: ends.or(found.open) }
}
