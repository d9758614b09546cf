//! Automata made smaller, without changing what they accept.
//!
//! States that can't be reached, or from which nothing is accepted, go. A mark may stand on an edge or not if
//! every cycle through that edge has the mark elsewhere; choosing this the same way everywhere makes more
//! states alike. Then states are merged by simulation, forwards and backwards, until nothing changes
//! (Etessami and Holzmann, CONCUR 2000).
//!
//! Invariant: the automaton accepts the same words afterwards, and has no more states than before. Cost: that
//! of the simulations; each round but the last removes a state or an edge.

use narrows_graph::BitSet;
use narrows_graph::components::{Components, find_indexed};

use crate::generalised::Generalised;
use crate::simulation::{reduce_backwards, reduce_forwards};

/// Where a mark stands that may stand there or not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Freedom {
    /// Wherever it may.
    Marked,
    /// Only where it must, as far as is easy to see.
    Unmarked,
}

/// Makes an automaton smaller until nothing changes.
pub(crate) fn reduce(automaton: &mut Generalised, by_state: bool, freedom: Freedom) {
    loop {
        let before = (automaton.states.len(), automaton.edge_count());
        remove_dead(automaton);
        settle_marks(automaton, by_state, freedom);
        automaton.tidy();
        reduce_forwards(automaton);
        remove_dead(automaton);
        reduce_backwards(automaton, by_state);
        remove_dead(automaton);
        if (automaton.states.len(), automaton.edge_count()) >= before {
            return;
        }
    }
}

pub(crate) fn components_of(automaton: &Generalised) -> Components {
    find_indexed(automaton.states.len(), [automaton.initial], |state, index| {
        automaton.states[state].get(index).map(|edge| edge.target)
    })
}

/// For each component whether runs that stay in it can be accepted.
pub(crate) fn accepting_components(automaton: &Generalised, found: &Components) -> Vec<bool> {
    let mut seen: Vec<Option<BitSet>> = vec![None; found.count as usize];
    for (state, edges) in automaton.states.iter().enumerate() {
        for edge in edges.iter().filter(|edge| found.are_together(edge.target, state)) {
            seen[found.of[state] as usize].get_or_insert_default().union_with(&edge.marks);
        }
    }
    let all = automaton.all_marks();
    seen.into_iter().map(|marks| marks.is_some_and(|marks| all.is_subset(&marks))).collect()
}

/// Removes states that can't be reached or from which nothing is accepted.
pub(crate) fn remove_dead(automaton: &mut Generalised) {
    let found = components_of(automaton);
    let mut alive = accepting_components(automaton, &found);
    // Edges lead to smaller numbers, so those are known first.
    let is_alive = |alive: &[bool], state: usize| found.get(state).is_some_and(|component| alive[component]);
    found.each(|members| {
        let own = found.of[members[0] as usize] as usize;
        let leads_on =
            |state: &u32| automaton.states[*state as usize].iter().any(|edge| is_alive(&alive, edge.target));
        alive[own] = alive[own] || members.iter().any(leads_on);
    });
    let wanted: Vec<bool> = (0..automaton.states.len()).map(|state| is_alive(&alive, state)).collect();
    if wanted.contains(&false) {
        automaton.restrict(&wanted);
    }
}

/// Puts marks on edges, or takes them off, where that changes nothing.
fn settle_marks(automaton: &mut Generalised, by_state: bool, freedom: Freedom) {
    let found = components_of(automaton);
    let accepting = accepting_components(automaton, &found);
    let all = automaton.all_marks();
    let inside = |state: usize, target: usize| {
        found.are_together(state, target) && accepting[found.of[state] as usize]
    };
    if by_state {
        // A state's edges have the same marks: it needs them if one of its edges is on an accepted cycle.
        for state in 0..automaton.states.len() {
            let needs = automaton.states[state].iter().any(|edge| inside(state, edge.target));
            let component = found.of[state];
            if !needs && (freedom == Freedom::Unmarked || !is_looping(automaton, &found, component)) {
                let marks = if freedom == Freedom::Marked { all.clone() } else { BitSet::default() };
                for edge in &mut automaton.states[state] {
                    edge.marks.clone_from(&marks);
                }
            }
        }
    } else {
        for state in 0..automaton.states.len() {
            for edge in &mut automaton.states[state] {
                if found.of[state] != found.of[edge.target] {
                    edge.marks = if freedom == Freedom::Marked { all.clone() } else { BitSet::default() };
                } else if !inside(state, edge.target) {
                    edge.marks = BitSet::default();
                }
            }
        }
    }
    match freedom {
        Freedom::Marked => (0..automaton.marks).for_each(|mark| add_mark(automaton, mark, by_state)),
        Freedom::Unmarked if by_state => remove_marks(automaton),
        Freedom::Unmarked => {}
    }
}

/// Makes states not accepting, one after the other, that lie only on cycles with another accepting state.
fn remove_marks(automaton: &mut Generalised) {
    for state in 0..automaton.states.len() {
        let is_accepting = |state: usize| automaton.states[state].iter().any(|edge| edge.marks.contains(0));
        if !is_accepting(state) {
            continue;
        }
        let mut reached = vec![false; automaton.states.len()];
        let mut rest = vec![state];
        while let Some(next) = rest.pop() {
            for edge in &automaton.states[next] {
                if !std::mem::replace(&mut reached[edge.target], true)
                    && edge.target != state
                    && !is_accepting(edge.target)
                {
                    rest.push(edge.target);
                }
            }
        }
        if !reached[state] {
            for edge in &mut automaton.states[state] {
                edge.marks.remove(0);
            }
        }
    }
}

fn is_looping(automaton: &Generalised, found: &Components, component: u32) -> bool {
    automaton.states.iter().enumerate().any(|(state, edges)| {
        found.of[state] == component && edges.iter().any(|edge| found.of[edge.target] == component)
    })
}

/// Adds a mark to all edges that lie only on cycles that have it.
fn add_mark(automaton: &mut Generalised, mark: usize, by_state: bool) {
    let unmarked: Vec<Vec<usize>> = automaton
        .states
        .iter()
        .map(|edges| edges.iter().filter(|edge| !edge.marks.contains(mark)).map(|edge| edge.target).collect())
        .collect();
    let found =
        find_indexed(unmarked.len(), 0..unmarked.len(), |state, index| unmarked[state].get(index).copied());
    for (state, edges) in automaton.states.iter_mut().enumerate() {
        let is_needed =
            |target: usize| found.of[state] == found.of[target] && unmarked[state].contains(&target);
        if by_state && edges.iter().any(|edge| is_needed(edge.target)) {
            continue;
        }
        for edge in edges.iter_mut().filter(|edge| !is_needed(edge.target)) {
            edge.marks.insert(mark);
        }
    }
}
