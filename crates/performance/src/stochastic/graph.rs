//! A stochastic view as a labelled graph, with the conventions of CADP: for other programs, and for other
//! solvers.

use std::collections::BTreeMap;

use narrows_lts::{Builder, Graph, TooLarge};

use super::{Arrival, Stochastic, Target};

impl Stochastic<'_> {
    /// Makes a graph of the tangible states and decisions. Events are actions, with the given names; if
    /// several are counted at once, they follow each other immediately.
    pub fn graph(&self, names: &[String]) -> Result<Graph, TooLarge> {
        let begin = self.tangible_states() + self.decisions();
        let certain: Vec<Arrival> = self.initial().collect();
        let (initial, states) = match certain[..] {
            [Arrival { target, tally: 0, .. }] => (self.number(target), begin),
            _ => (begin, begin + 1),
        };
        let builder = Builder::new(initial, self.transition_count() as usize);
        let mut drawing = Drawing { view: self, names, builder, states, between: BTreeMap::new() };
        for state in 0..self.tangible_states() {
            for transition in self.transitions(state) {
                let rate = transition.rate.near();
                drawing.add(state, Some(("rate", rate)), transition.tally, transition.target);
            }
        }
        for decision in 0..self.decisions() {
            let outcomes: Vec<Vec<Arrival>> = self.choices(decision).map(Iterator::collect).collect();
            for outcome in outcomes {
                drawing.choice(self.tangible_states() + decision, &outcome);
            }
        }
        if initial == begin {
            drawing.choice(begin, &certain);
        }
        drawing.builder.states(drawing.states);
        drawing.builder.build()
    }

    fn number(&self, target: Target) -> u32 {
        match target {
            Target::Tangible(state) => state,
            Target::Decision(decision) => self.tangible_states() + decision,
        }
    }
}

/// A graph that is being made.
struct Drawing<'g, 'a> {
    view: &'g Stochastic<'a>,
    names: &'g [String],
    builder: Builder,
    states: u32,
    /// States between events that are counted at once: what is still to be counted, and where it leads.
    between: BTreeMap<(Vec<u16>, u32), u32>,
}

impl Drawing<'_, '_> {
    /// Adds a choice: chance is a state of its own, as it comes after the choice.
    fn choice(&mut self, from: u32, outcome: &[Arrival]) {
        if let [Arrival { target, tally, .. }] = outcome {
            return self.add(from, None, *tally, *target);
        }
        let chance = self.states;
        self.states += 1;
        let internal = self.builder.label("i");
        self.builder.edge(from, internal, chance);
        for arrival in outcome {
            let probability = arrival.probability.near();
            self.add(chance, Some(("prob", probability)), arrival.tally, arrival.target);
        }
    }

    /// Adds an edge for what happens with the first event, and others for the rest.
    fn add(&mut self, from: u32, pace: Option<(&str, f64)>, tally: u32, target: Target) {
        let counted = self.view.outcomes.tally(tally).iter();
        let mut events: Vec<u16> =
            counted.flat_map(|(event, count)| (0..*count).map(|_| *event)).rev().collect();
        let first = events.pop();
        let target = self.after(events, self.view.number(target));
        let name = first.and_then(|event| self.names.get(usize::from(event)));
        let text = match (name, pace) {
            (Some(name), Some((pace, value))) => format!("{name}; {pace} {value}"),
            (None, Some((pace, value))) => format!("{pace} {value}"),
            (Some(name), None) => name.clone(),
            (None, None) => "i".to_owned(),
        };
        let label = self.builder.label(&text);
        self.builder.edge(from, label, target);
    }

    /// Returns the state after which some events happen at once, the last first.
    fn after(&mut self, mut events: Vec<u16>, target: u32) -> u32 {
        let key = (events.clone(), target);
        let Some(event) = events.pop() else { return target };
        if let Some(state) = self.between.get(&key) {
            return *state;
        }
        let state = self.states;
        self.states += 1;
        self.between.insert(key, state);
        let next = self.after(events, target);
        let name = self.names.get(usize::from(event)).map_or("i", String::as_str);
        let label = self.builder.label(name);
        self.builder.edge(state, label, next);
        state
    }
}
