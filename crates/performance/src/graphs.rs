//! From labelled graphs to Markov automata, with the conventions of CADP (interactive probabilistic chains).
//!
//! Edges with rates are timed. All others are immediate and preempt rates (maximal progress): the edges with
//! probabilities of a state are one probabilistic choice, each other edge is a nondeterministic choice of its
//! own. Only states that are reachable then are kept.
//!
//! A graph with probabilities and no rates is in discrete time, if it is read so: each edge with a
//! probability takes a step, and its state is tangible, with probabilities as rates.
//!
//! Rates and probabilities are the decimal numbers that are written, to about thirty digits.

use std::collections::BTreeMap;
use std::fmt::Write;

use narrows_lts::{Edge, Graph, Label, LabelError, LabelTiming};

use crate::fine::Fine;
use crate::markov::{
    Accuracy, Aim, Automaton, Chain, ChainError, OverSchedulers, Reward, VanishError, Vanished, Zeno,
    automaton, average, chain, find_zeno, landings, long_run, sums_are_exact, uniform,
};

#[cfg(test)]
mod quotients;
mod reach;
#[cfg(test)]
mod tests;

pub use reach::GraphReach;

/// The Markov automaton of a graph.
#[derive(Clone, Debug)]
pub struct GraphAutomaton {
    /// Vanishing states with choices, and tangible states with rates.
    pub automaton: Automaton,
    /// For each state of the automaton, which one of the graph it is.
    pub states: Vec<u32>,
    /// The visible actions, in the order of labels, each once.
    pub actions: Vec<String>,
    /// For each label of the graph, the number of its action.
    action_of: Vec<Option<u32>>,
    paces: Vec<Pace>,
    /// Whether rates are probabilities of a step, which add up to 1.
    is_discrete: bool,
}

/// When an edge is taken, with all digits of the number that is written.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Pace {
    Immediate,
    Rate(Fine),
    Probability(Fine),
}

impl Pace {
    /// Reads the number of a label; in discrete time, probabilities are rates.
    fn of(label: &Label<'_>, is_discrete: bool) -> Pace {
        let number = |near: f64| Fine::decimal(label.number.unwrap_or_default(), near);
        match label.timing {
            LabelTiming::Rate(rate) => Pace::Rate(number(rate)),
            LabelTiming::Probability(chance) if is_discrete => Pace::Rate(number(chance)),
            LabelTiming::Probability(chance) => Pace::Probability(number(chance)),
            LabelTiming::Immediate => Pace::Immediate,
        }
    }

    fn rate(self) -> Option<Fine> {
        if let Pace::Rate(rate) = self { Some(rate) } else { None }
    }

    fn probability(self) -> Option<Fine> {
        if let Pace::Probability(chance) = self { Some(chance) } else { None }
    }
}

fn sum(numbers: impl Iterator<Item = Fine>) -> Fine {
    numbers.fold(Fine::ZERO, Fine::plus)
}

/// Why a graph has no automaton, or no chain.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum AutomatonError {
    /// A label has a number that makes no sense.
    #[error("{0}")]
    Label(LabelError),
    /// The probabilities of this state of the graph don't add up to 1.
    #[error("the probabilities of state {0} add up to {1}, not to 1")]
    Probabilities(u32, f64),
    /// A Zeno cycle: these states of the graph follow each other while no time passes.
    #[error("no time passes on the cycle {}", round(.0))]
    Zeno(Vec<u32>),
    /// The choice in this state of the graph is nondeterministic, and it matters.
    #[error("it matters what is chosen in state {0}")]
    Choice(u32),
    /// In discrete time, edges of this state of the graph take a step, and others none.
    #[error("state {0} has edges with probabilities, which take a step, beside others, which take none")]
    Mixed(u32),
    /// Something else is wrong.
    #[error(transparent)]
    Other(ChainError),
}

fn round(cycle: &[u32]) -> String {
    let mut text = String::new();
    for state in cycle {
        let _ = write!(text, "{state} → ");
    }
    let _ = write!(text, "{}", cycle.first().copied().unwrap_or(0));
    text
}

impl GraphAutomaton {
    /// Makes the automaton of a graph.
    pub fn new(graph: &Graph) -> Result<GraphAutomaton, AutomatonError> {
        GraphAutomaton::read(graph, false, 0)
    }

    /// Makes the automaton of a graph whose rates were rounded so often before they were written down.
    pub(crate) fn of_rounded(graph: &Graph, roundings: usize) -> Result<GraphAutomaton, AutomatonError> {
        GraphAutomaton::read(graph, false, roundings)
    }

    /// Makes the automaton of a graph, in discrete time if it has probabilities and no rates. Returns whether
    /// it is.
    pub fn in_its_time(graph: &Graph) -> Result<(GraphAutomaton, bool), AutomatonError> {
        let (mut rates, mut chances) = (false, false);
        for text in graph.labels() {
            match Label::parse(text).map_err(AutomatonError::Label)?.timing {
                LabelTiming::Rate(_) => rates = true,
                LabelTiming::Probability(_) => chances = true,
                LabelTiming::Immediate => {}
            }
        }
        let is_discrete = chances && !rates;
        Ok((GraphAutomaton::read(graph, is_discrete, 0)?, is_discrete))
    }

    fn read(graph: &Graph, is_discrete: bool, before: usize) -> Result<GraphAutomaton, AutomatonError> {
        let (mut paces, mut action_of) = (Vec::new(), Vec::new());
        let mut actions: Vec<String> = Vec::new();
        let mut numbers: BTreeMap<&str, u32> = BTreeMap::new();
        for text in graph.labels() {
            let label = Label::parse(text).map_err(AutomatonError::Label)?;
            paces.push(Pace::of(&label, is_discrete));
            action_of.push(label.action.map(|action| {
                *numbers.entry(action).or_insert_with(|| {
                    actions.push(action.to_owned());
                    actions.len() as u32 - 1
                })
            }));
        }
        let (states, number) = reached(graph, &paces);
        if is_discrete {
            check_steps(graph, &paces, &states)?;
        }
        let mut builder = automaton::Builder::default();
        builder.rounded(before);
        builder.rounded_sums(roundings(graph, &states, &paces) + before);
        for state in &states {
            let edges = graph.edges_from(*state);
            let place = |target: u32| number[target as usize];
            if !decides(graph, &paces, *state) {
                let rate = |edge: &Edge| Some((place(edge.target), paces[edge.label as usize].rate()?));
                let rates = edges.iter().filter_map(rate);
                let all = if is_discrete { whole(rates.clone().map(|(_, rate)| rate)) } else { Fine::ONE };
                builder.fine_waiting(rates.map(|(target, rate)| (target, rate.over(all))));
                continue;
            }
            builder.deciding();
            let chance = |edge: &Edge| Some((place(edge.target), paces[edge.label as usize].probability()?));
            let chances: Vec<(u32, Fine)> = edges.iter().filter_map(chance).collect();
            if !chances.is_empty() {
                check_sum(*state, sum(chances.iter().map(|(_, probability)| *probability)))?;
                builder.fine_choice(&chances);
            }
            for edge in edges.iter().filter(|edge| paces[edge.label as usize] == Pace::Immediate) {
                builder.choice([(place(edge.target), 1.0)]);
            }
        }
        let automaton = builder.build(0).map_err(AutomatonError::Other)?;
        Ok(GraphAutomaton { automaton, states, actions, action_of, paces, is_discrete })
    }

    /// Returns whether nondeterminism may matter anywhere: for the next tangible state, or for the actions on
    /// the way.
    pub fn has_choices(&self, graph: &Graph) -> bool {
        let automaton = &self.automaton;
        let is_open = |state: usize| automaton.choices(state).len() > 1;
        let is_seen = |state: &u32| {
            let mut edges = graph.edges_from(*state).iter();
            decides(graph, &self.paces, *state)
                && edges.any(|edge| self.action_of[edge.label as usize].is_some())
        };
        (0..automaton.states()).any(is_open)
            && (self.states.iter().any(is_seen) || landings(automaton).is_err())
    }

    /// Returns how many states are vanishing.
    pub fn deciding(&self) -> usize {
        (0..self.automaton.states()).filter(|state| !self.automaton.waits(*state)).count()
    }

    /// Makes the reward that counts an action: its average in the long run is the throughput.
    pub fn reward(&self, graph: &Graph, action: usize) -> Reward {
        let mut reward = Reward::none(&self.automaton);
        let is_it = |edge: &&Edge| self.action_of[edge.label as usize] == Some(action as u32);
        let rate = |edge: &Edge| self.paces[edge.label as usize].rate();
        let chance = |edge: &Edge| self.paces[edge.label as usize].probability();
        for (place, state) in self.states.iter().enumerate() {
            let edges = graph.edges_from(*state);
            if self.automaton.waits(place) {
                let own = sum(edges.iter().filter(is_it).filter_map(rate));
                let all = if self.is_discrete { whole(edges.iter().filter_map(rate)) } else { Fine::ONE };
                reward.rates[place] = if own == Fine::ZERO { 0.0 } else { own.over(all).near() };
                continue;
            }
            let mut choice = self.automaton.choices(place).start;
            if edges.iter().any(|edge| chance(edge).is_some()) {
                let counted = sum(edges.iter().filter(is_it).filter_map(chance));
                let all = whole(edges.iter().filter_map(chance));
                reward.impulses[choice] = if counted == Fine::ZERO { 0.0 } else { counted.over(all).near() };
                choice += 1;
            }
            let is_immediate = |edge: &&Edge| self.paces[edge.label as usize] == Pace::Immediate;
            for edge in edges.iter().filter(is_immediate) {
                reward.impulses[choice] = f64::from(u8::from(is_it(&edge)));
                choice += 1;
            }
        }
        reward
    }

    /// Makes the chain directly if there are no vanishing states.
    pub fn chain(&self) -> Option<Chain> {
        if self.deciding() > 0 {
            return None;
        }
        let mut builder = chain::Builder::new(self.automaton.states(), 0);
        builder.rounded_sums(self.automaton.roundings());
        for state in 0..self.automaton.states() {
            let row = self.automaton.fine_row(self.automaton.choices(state).start);
            builder.fine_row(row.map(|(target, rate)| (target, rate.double())));
        }
        builder.rounded_fine(self.automaton.fine_off());
        builder.build([(0, 1.0)]).ok()
    }

    /// Returns the reward of each action.
    pub fn rewards(&self, graph: &Graph) -> Vec<Reward> {
        (0..self.actions.len()).map(|action| self.reward(graph, action)).collect()
    }

    /// Makes the chain in which all choices of a state are equally likely.
    ///
    /// # Errors
    ///
    /// If choices may follow each other for ever in no time.
    pub fn uniform(&self, rewards: &[Reward]) -> Result<Vanished, AutomatonError> {
        if let Some(chain) = self.chain() {
            let rewards = rewards.iter().map(|reward| reward.rates.clone()).collect();
            let states = (0..self.states.len() as u32).collect();
            return Ok(Vanished { chain, states, rewards, before: Vec::new() });
        }
        let made = find_zeno(&self.automaton).map_or_else(|| uniform(&self.automaton, rewards), Err);
        made.map_err(|zeno| self.zeno(&zeno))
    }

    /// Bounds the averages of rewards in the long run.
    ///
    /// # Errors
    ///
    /// If choices may follow each other for ever in no time.
    pub fn long_run(
        &self,
        graph: &Graph,
        rewards: &[Reward],
        accuracy: Accuracy<'_>,
    ) -> Result<Vec<OverSchedulers>, AutomatonError> {
        let chain = self.uniform(rewards)?;
        let even = long_run(&chain.chain, &chain.rewards, accuracy);
        let is_open = self.has_choices(graph);
        let found = rewards.iter().zip(even).map(|(reward, even)| {
            let end =
                |aim: Aim| average(&self.automaton, reward, aim, accuracy).map_err(|zeno| self.zeno(&zeno));
            let ends = || Ok([end(Aim::Least)?, end(Aim::Greatest)?]);
            Ok(OverSchedulers { even, open: is_open.then(ends).transpose()? })
        });
        found.collect()
    }

    /// Says which states of the graph follow each other in no time.
    pub(crate) fn zeno(&self, zeno: &Zeno) -> AutomatonError {
        AutomatonError::Zeno(self.in_graph(&zeno.cycle))
    }

    /// Maps states of the automaton back to those of the graph.
    pub fn in_graph(&self, cycle: &[u32]) -> Vec<u32> {
        cycle.iter().map(|state| self.states[*state as usize]).collect()
    }

    /// Eliminates the vanishing states of a graph, if no choice in them matters.
    pub fn determinate(&self, graph: &Graph) -> Result<Graph, AutomatonError> {
        let automaton = &self.automaton;
        let landings = landings(automaton).map_err(|unclear| match unclear {
            VanishError::Zeno(zeno) => self.zeno(&zeno),
            VanishError::Choice(state) => AutomatonError::Choice(self.states[state as usize]),
        })?;
        let waiting = (0..automaton.states()).filter(|state| automaton.waits(*state));
        let begins_at_once = !automaton.waits(0) && landings[0].len() > 1;
        let mut number = vec![0; automaton.states()];
        let mut states = u32::from(begins_at_once);
        for state in waiting.clone() {
            number[state] = states;
            states += 1;
        }
        let initial = if begins_at_once { 0 } else { number[landings[0][0].0 as usize] };
        let mut builder = narrows_lts::Builder::new(initial, graph.edges().len());
        let mut add = |from: u32, action: Option<&str>, pace: &str, value: f64, to: u32| {
            let label = match action {
                Some(action) => format!("{action}; {pace} {value}"),
                None => format!("{pace} {value}"),
            };
            let label = builder.label(&label);
            builder.edge(from, label, to);
        };
        if begins_at_once {
            for (to, share) in &landings[0] {
                add(0, None, "prob", share.near(), number[*to as usize]);
            }
        }
        let place_of: BTreeMap<u32, usize> = self.states.iter().copied().zip(0..).collect();
        for state in waiting {
            let mut merged: BTreeMap<(Option<u32>, u32), Fine> = BTreeMap::new();
            for edge in graph.edges_from(self.states[state]) {
                let Some(rate) = self.paces[edge.label as usize].rate() else { continue };
                for (to, share) in &landings[place_of[&edge.target]] {
                    let sum = merged.entry((self.action_of[edge.label as usize], *to)).or_insert(Fine::ZERO);
                    *sum = sum.plus(rate.times(*share));
                }
            }
            for ((action, to), rate) in merged {
                let action = action.map(|action| self.actions[action as usize].as_str());
                add(number[state], action, "rate", rate.near(), number[to as usize]);
            }
        }
        builder.states(states);
        builder.build().map_err(|_| AutomatonError::Other(ChainError::TooLarge))
    }
}

/// Makes sure that in discrete time all edges of a state take a step, and are a distribution; or none does.
fn check_steps(graph: &Graph, paces: &[Pace], states: &[u32]) -> Result<(), AutomatonError> {
    for state in states {
        let edges = graph.edges_from(*state);
        let chances: Vec<Fine> = edges.iter().filter_map(|edge| paces[edge.label as usize].rate()).collect();
        if !chances.is_empty() && chances.len() < edges.len() {
            return Err(AutomatonError::Mixed(*state));
        }
        if !chances.is_empty() {
            check_sum(*state, sum(chances.into_iter()))?;
        }
    }
    Ok(())
}

/// Makes sure that probabilities of a state add up to 1, but for what was left out when they were written.
fn check_sum(state: u32, sum: Fine) -> Result<(), AutomatonError> {
    let is_close = (sum.near() - 1.0).abs() <= 1e-5;
    if is_close { Ok(()) } else { Err(AutomatonError::Probabilities(state, sum.near())) }
}

/// Returns what probabilities add up to, of which the sum is 1 if it may be.
fn whole(probabilities: impl Iterator<Item = Fine>) -> Fine {
    let sum = sum(probabilities);
    if sum.may_be_one() { Fine::ONE } else { sum }
}

/// Returns how many roundings a sum of rates or of probabilities of a state goes through at most, if it is
/// added up from those of its actions. Sums that are exact count for none.
fn roundings(graph: &Graph, states: &[u32], paces: &[Pace]) -> usize {
    let of_state = |state: &u32| {
        let edges = || graph.edges_from(*state).iter().map(|edge| paces[edge.label as usize]);
        let (rates, chances) = (|| edges().filter_map(Pace::rate), || edges().filter_map(Pace::probability));
        let are_exact = rates().chain(chances()).all(Fine::is_exact)
            && sums_are_exact(rates().map(Fine::near))
            && sums_are_exact(chances().map(Fine::near));
        if are_exact { 0 } else { rates().count().max(chances().count()) }
    };
    states.iter().map(of_state).max().unwrap_or(0)
}

/// Returns whether a state is vanishing: whether it has an immediate edge.
fn decides(graph: &Graph, paces: &[Pace], state: u32) -> bool {
    graph.edges_from(state).iter().any(|edge| paces[edge.label as usize].rate().is_none())
}

/// Returns the reachable states in breadth-first order, and the number of each.
fn reached(graph: &Graph, paces: &[Pace]) -> (Vec<u32>, Vec<u32>) {
    let mut number = vec![u32::MAX; graph.states() as usize];
    let mut states = vec![graph.initial()];
    number[graph.initial() as usize] = 0;
    let mut next = 0;
    while let Some(state) = states.get(next).copied() {
        next += 1;
        let at_once = decides(graph, paces, state);
        for edge in graph.edges_from(state) {
            let takes_time = paces[edge.label as usize].rate().is_some();
            if takes_time != at_once && number[edge.target as usize] == u32::MAX {
                number[edge.target as usize] = states.len() as u32;
                states.push(edge.target);
            }
        }
    }
    (states, number)
}
