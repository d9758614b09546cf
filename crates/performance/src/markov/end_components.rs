//! End components: sets of states, with some of their choices, in which a scheduler can stay for ever.
//!
//! The maximal ones are found by removing choices that leave their strongly connected component until nothing
//! changes (de Alfaro 1997).

use narrows_graph::components::{OUTSIDE, find_in_lists};

use super::automaton::Automaton;

/// An end component: its states, and the choices that stay inside.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct EndComponent {
    /// In ascending order.
    pub(super) states: Vec<u32>,
    /// In ascending order.
    pub(super) choices: Vec<u32>,
}

/// Finds the maximal end components among the states that are allowed.
pub(super) fn end_components(automaton: &Automaton, allowed: impl Fn(usize) -> bool) -> Vec<EndComponent> {
    end_components_by(automaton, allowed, |_, _| true)
}

/// Finds the maximal end components among the states that are allowed, by some of their choices.
pub(super) fn end_components_by(
    automaton: &Automaton,
    allowed: impl Fn(usize) -> bool,
    is_taken: impl Fn(usize, usize) -> bool,
) -> Vec<EndComponent> {
    let states = automaton.states();
    let mut alive: Vec<bool> = (0..states).map(&allowed).collect();
    let mut kept = vec![false; automaton.choice_count()];
    for state in 0..states {
        for choice in automaton.choices(state) {
            // A state that waits for ever stays where it is.
            kept[choice] = alive[state]
                && is_taken(state, choice)
                && automaton.targets(choice).iter().all(|to| alive[*to as usize]);
        }
    }
    loop {
        let found = strong(automaton, &alive, &kept);
        let mut changed = false;
        for state in (0..states).filter(|state| alive[*state]) {
            let mut any = false;
            for choice in automaton.choices(state) {
                let stays = |to: &u32| alive[*to as usize] && found[*to as usize] == found[state];
                if kept[choice] && !automaton.targets(choice).iter().all(stays) {
                    kept[choice] = false;
                    changed = true;
                }
                any |= kept[choice];
            }
            if !any {
                // Only noted: this round's components are about the states it began with.
                changed = true;
            }
        }
        for (state, alive) in alive.iter_mut().enumerate() {
            *alive &= automaton.choices(state).any(|choice| kept[choice]);
        }
        if !changed {
            return collect(automaton, &alive, &kept, &found);
        }
    }
}

/// The component of each state that is alive, along choices that are kept.
fn strong(automaton: &Automaton, alive: &[bool], kept: &[bool]) -> Vec<u32> {
    let mut starts = Vec::with_capacity(alive.len() + 1);
    let mut targets = Vec::new();
    for state in 0..alive.len() {
        starts.push(targets.len());
        if alive[state] {
            for choice in automaton.choices(state).filter(|choice| kept[*choice]) {
                targets.extend(automaton.targets(choice).iter().filter(|to| alive[**to as usize]));
            }
        }
    }
    starts.push(targets.len());
    let roots = (0..alive.len() as u32).filter(|state| alive[*state as usize]);
    find_in_lists(alive.len(), roots, |state| &targets[starts[state]..starts[state + 1]]).of
}

fn collect(automaton: &Automaton, alive: &[bool], kept: &[bool], found: &[u32]) -> Vec<EndComponent> {
    let count = found.iter().filter(|number| **number != OUTSIDE).max().map_or(0, |most| *most as usize + 1);
    let mut all = vec![EndComponent::default(); count];
    for state in (0..alive.len()).filter(|state| alive[*state]) {
        let one = &mut all[found[state] as usize];
        one.states.push(state as u32);
        one.choices
            .extend(automaton.choices(state).filter(|choice| kept[*choice]).map(|choice| choice as u32));
    }
    all.retain(|one| !one.states.is_empty());
    all
}

/// A Zeno cycle: a cycle of vanishing states, each followed by the next and the last by the first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Zeno {
    /// The states of the cycle.
    pub cycle: Vec<u32>,
}

impl std::fmt::Display for Zeno {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("decisions can go on for ever while no time passes: ")?;
        for state in &self.cycle {
            write!(formatter, "{state} → ")?;
        }
        write!(formatter, "{}", self.cycle.first().copied().unwrap_or(0))
    }
}

impl std::error::Error for Zeno {}

/// Finds a Zeno cycle: vanishing states in which a scheduler can stay for ever while no time passes.
pub fn find_zeno(automaton: &Automaton) -> Option<Zeno> {
    let reached = reachable(automaton);
    let found = end_components(automaton, |state| reached[state] && !automaton.waits(state));
    let first = found.first()?;
    // Walk along kept choices until a state comes again.
    let mut path: Vec<u32> = Vec::new();
    let mut places = vec![OUTSIDE; automaton.states()];
    let mut state = *first.states.first()?;
    loop {
        if places[state as usize] != OUTSIDE {
            path.drain(..places[state as usize] as usize);
            return Some(Zeno { cycle: path });
        }
        places[state as usize] = path.len() as u32;
        path.push(state);
        let mut choices = automaton.choices(state as usize);
        let choice = choices.find(|choice| first.choices.binary_search(&(*choice as u32)).is_ok())?;
        state = *automaton.targets(choice).first()?;
    }
}

/// Returns which states are reachable.
pub(super) fn reachable(automaton: &Automaton) -> Vec<bool> {
    let mut reached = vec![false; automaton.states()];
    let mut open = vec![automaton.initial()];
    reached[automaton.initial() as usize] = true;
    while let Some(state) = open.pop() {
        for target in automaton.successors(state as usize) {
            if !std::mem::replace(&mut reached[*target as usize], true) {
                open.push(*target);
            }
        }
    }
    reached
}
