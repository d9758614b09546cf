//! From labelled graphs to Markov automata, with the conventions of CADP.
//!
//! Edges with rates take time. All others are taken at once, and before any rate: those with probabilities of a state are
//! one choice together, each other edge is a choice by itself. Only states that can be reached then are kept.

use std::collections::BTreeMap;
use std::fmt;

use narrows_lts::{Graph, Label, LabelError, LabelTiming};

use crate::markov::{Automaton, Chain, Reward, Unclear, Wrong, automaton, chain, landings};

#[cfg(test)]
mod quotients;
#[cfg(test)]
mod tests;

/// The automaton of a graph.
#[derive(Clone, Debug)]
pub struct Timed {
    /// States that decide, and states that wait.
    pub automaton: Automaton,
    /// For each state of the automaton, which one of the graph it is.
    pub states: Vec<u32>,
    /// The actions that can be seen, in the order of labels, each once.
    pub actions: Vec<String>,
    /// For each label of the graph, the number of its action.
    action_of: Vec<Option<u32>>,
    paces: Vec<LabelTiming>,
}

/// Why a graph has no automaton, or no chain.
#[derive(Clone, Debug, PartialEq)]
pub enum Trouble {
    /// A label has a number that makes no sense.
    Label(LabelError),
    /// The probabilities of this state of the graph don't add up to 1.
    Probabilities(u32, f64),
    /// These states of the graph follow each other for ever while no time passes.
    Zeno(Vec<u32>),
    /// It matters what is chosen in this state of the graph.
    Choice(u32),
    /// Something else is wrong.
    Other(Wrong),
}

impl fmt::Display for Trouble {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Trouble::Label(error) => write!(formatter, "{error}"),
            Trouble::Probabilities(state, sum) => {
                write!(formatter, "the probabilities of state {state} add up to {sum}, not to 1")
            }
            Trouble::Zeno(cycle) => {
                formatter.write_str("no time passes on the cycle ")?;
                for state in cycle {
                    write!(formatter, "{state} → ")?;
                }
                write!(formatter, "{}", cycle.first().copied().unwrap_or(0))
            }
            Trouble::Choice(state) => {
                write!(formatter, "it matters what is chosen in state {state}")
            }
            Trouble::Other(wrong) => wrong.fmt(formatter),
        }
    }
}

impl std::error::Error for Trouble {}

impl Timed {
    /// Makes the automaton of a graph.
    pub fn new(graph: &Graph) -> Result<Timed, Trouble> {
        let (mut paces, mut action_of) = (Vec::new(), Vec::new());
        let mut actions: Vec<String> = Vec::new();
        let mut numbers: BTreeMap<&str, u32> = BTreeMap::new();
        for text in graph.labels() {
            let label = Label::parse(text).map_err(Trouble::Label)?;
            paces.push(label.timing);
            action_of.push(label.action.map(|action| {
                *numbers.entry(action).or_insert_with(|| {
                    actions.push(action.to_owned());
                    actions.len() as u32 - 1
                })
            }));
        }
        let (states, number) = reached(graph, &paces);
        let mut builder = automaton::Builder::default();
        for state in &states {
            let edges = graph.edges_from(*state);
            let place = |target: u32| number[target as usize];
            if !decides(graph, &paces, *state) {
                let rates = edges.iter().filter_map(|edge| match paces[edge.label as usize] {
                    LabelTiming::Rate(rate) => Some((place(edge.target), rate)),
                    _ => None,
                });
                builder.waiting(rates);
                continue;
            }
            builder.deciding();
            let chances = edges.iter().filter_map(|edge| match paces[edge.label as usize] {
                LabelTiming::Probability(probability) => Some((place(edge.target), probability)),
                _ => None,
            });
            let chances: Vec<(u32, f64)> = chances.collect();
            if !chances.is_empty() {
                let sum: f64 = chances.iter().map(|(_, probability)| probability).sum();
                if (sum - 1.0).abs() > 1e-5 {
                    return Err(Trouble::Probabilities(*state, sum));
                }
                builder.choice(chances);
            }
            for edge in edges.iter().filter(|edge| paces[edge.label as usize] == LabelTiming::Immediate) {
                builder.choice([(place(edge.target), 1.0)]);
            }
        }
        let automaton = builder.build(0).map_err(Trouble::Other)?;
        Ok(Timed { automaton, states, actions, action_of, paces })
    }

    /// Returns whether it may matter what is chosen anywhere: where time passes next, or which actions are seen before.
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

    /// Returns how many states take no time.
    pub fn deciding(&self) -> usize {
        (0..self.automaton.states()).filter(|state| !self.automaton.waits(*state)).count()
    }

    /// Makes the reward that counts an action: its average in the long run is the throughput.
    pub fn reward(&self, graph: &Graph, action: usize) -> Reward {
        let mut reward = Reward::none(&self.automaton);
        let is_it = |label: u32| self.action_of[label as usize] == Some(action as u32);
        for (place, state) in self.states.iter().enumerate() {
            let edges = graph.edges_from(*state);
            if self.automaton.waits(place) {
                for edge in edges.iter().filter(|edge| is_it(edge.label)) {
                    if let LabelTiming::Rate(rate) = self.paces[edge.label as usize] {
                        reward.rates[place] += rate;
                    }
                }
                continue;
            }
            let mut choice = self.automaton.choices(place).start;
            let is_chance = |label: u32| matches!(self.paces[label as usize], LabelTiming::Probability(_));
            if edges.iter().any(|edge| is_chance(edge.label)) {
                let (mut sum, mut counted) = (0.0, 0.0);
                for edge in edges {
                    if let LabelTiming::Probability(probability) = self.paces[edge.label as usize] {
                        sum += probability;
                        counted += if is_it(edge.label) { probability } else { 0.0 };
                    }
                }
                reward.impulses[choice] = counted / sum;
                choice += 1;
            }
            for edge in edges.iter().filter(|edge| self.paces[edge.label as usize] == LabelTiming::Immediate)
            {
                reward.impulses[choice] = f64::from(u8::from(is_it(edge.label)));
                choice += 1;
            }
        }
        reward
    }

    /// Makes the chain directly if no state decides.
    pub fn chain(&self) -> Option<Chain> {
        if self.deciding() > 0 {
            return None;
        }
        let mut builder = chain::Builder::new(self.automaton.states(), 0);
        for state in 0..self.automaton.states() {
            builder.row(self.automaton.row(self.automaton.choices(state).start));
        }
        builder.build([(0, 1.0)]).ok()
    }

    /// Names states as the graph does.
    pub fn in_graph(&self, cycle: &[u32]) -> Vec<u32> {
        cycle.iter().map(|state| self.states[*state as usize]).collect()
    }

    /// Makes a graph without states that decide, if it does not matter what they decide.
    pub fn determinate(&self, graph: &Graph) -> Result<Graph, Trouble> {
        let automaton = &self.automaton;
        let landings = landings(automaton).map_err(|unclear| match unclear {
            Unclear::Zeno(zeno) => Trouble::Zeno(self.in_graph(&zeno.cycle)),
            Unclear::Choice(state) => Trouble::Choice(self.states[state as usize]),
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
                add(0, None, "prob", *share, number[*to as usize]);
            }
        }
        let place_of: BTreeMap<u32, usize> = self.states.iter().copied().zip(0..).collect();
        for state in waiting {
            let mut merged: BTreeMap<(Option<u32>, u32), f64> = BTreeMap::new();
            for edge in graph.edges_from(self.states[state]) {
                if let LabelTiming::Rate(rate) = self.paces[edge.label as usize] {
                    for (to, share) in &landings[place_of[&edge.target]] {
                        *merged.entry((self.action_of[edge.label as usize], *to)).or_default() +=
                            rate * share;
                    }
                }
            }
            for ((action, to), rate) in merged {
                let action = action.map(|action| self.actions[action as usize].as_str());
                add(number[state], action, "rate", rate, number[to as usize]);
            }
        }
        builder.states(states);
        builder.build().map_err(|_| Trouble::Other(Wrong::TooLarge))
    }
}

/// Whether a state has an edge that is taken at once.
fn decides(graph: &Graph, paces: &[LabelTiming], state: u32) -> bool {
    graph.edges_from(state).iter().any(|edge| !matches!(paces[edge.label as usize], LabelTiming::Rate(_)))
}

/// The states that can be reached, the nearest first, and the number of each among them.
fn reached(graph: &Graph, paces: &[LabelTiming]) -> (Vec<u32>, Vec<u32>) {
    let mut number = vec![u32::MAX; graph.states() as usize];
    let mut states = vec![graph.initial()];
    number[graph.initial() as usize] = 0;
    let mut next = 0;
    while let Some(state) = states.get(next).copied() {
        next += 1;
        let at_once = decides(graph, paces, state);
        for edge in graph.edges_from(state) {
            let takes_time = matches!(paces[edge.label as usize], LabelTiming::Rate(_));
            if takes_time != at_once && number[edge.target as usize] == u32::MAX {
                number[edge.target as usize] = states.len() as u32;
                states.push(edge.target);
            }
        }
    }
    (states, number)
}
