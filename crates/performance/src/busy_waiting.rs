//! Busy waiting in a labelled graph: bottom components of immediate actions, in which time passes.
//!
//! Take the strongly connected components of immediate steps. A component that an immediate step leaves is
//! left at once. In a bottom component, the same delays must run in all states; then its states are lumped,
//! and whatever a delay leads to from any of them may happen when it expires. If not the same delays run, or
//! if a counted action is on the cycle, time would stand still (a Zeno cycle).

use std::collections::{BTreeMap, BTreeSet};

use narrows_graph::components::{self, Components};
use narrows_lts::{Builder, Graph};

use crate::graphs::AutomatonError;
use crate::markov::ChainError;

/// How a label is classified.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LabelKind {
    /// Whether it is immediate.
    pub is_now: bool,
    /// Whether it is counted.
    pub is_counted: bool,
}

/// The targets of each label.
type Steps = BTreeMap<u32, BTreeSet<u32>>;

/// Returns the strongly connected components of immediate steps, and for each whether an immediate step
/// leaves it.
pub(crate) fn left_at_once(graph: &Graph, is_now: impl Fn(u32) -> bool) -> (Components, Vec<bool>) {
    let found = components::find_among(graph.states() as usize, 0..graph.states(), |state, edge| {
        let edge = graph.edges_from(state).get(edge as usize)?;
        Some(is_now(edge.label).then_some(edge.target))
    });
    let mut is_left = vec![false; found.count as usize];
    for (from, edge) in graph.all_edges().filter(|(_, edge)| is_now(edge.label)) {
        let own = found.of[from as usize];
        is_left[own as usize] |= found.of[edge.target as usize] != own;
    }
    (found, is_left)
}

/// Returns which states are reachable under maximal progress: no time passes where an immediate step is
/// enabled.
pub fn reached(graph: &Graph, is_now: impl Fn(u32) -> bool) -> Vec<bool> {
    let (found, is_left) = left_at_once(graph, &is_now);
    let mut seen = vec![false; graph.states() as usize];
    let mut open = vec![graph.initial()];
    seen[graph.initial() as usize] = true;
    while let Some(state) = open.pop() {
        let is_left = is_left[found.of[state as usize] as usize];
        for edge in graph.edges_from(state).iter().filter(|edge| !is_left || is_now(edge.label)) {
            if !std::mem::replace(&mut seen[edge.target as usize], true) {
                open.push(edge.target);
            }
        }
    }
    seen
}

/// Lumps the states of busy waiting; `None` if there is none.
pub fn without_busy_waiting(graph: &Graph, kinds: &[LabelKind]) -> Result<Option<Graph>, AutomatonError> {
    let is_now = |label: u32| kinds[label as usize].is_now;
    let (found, is_left) = left_at_once(graph, is_now);
    let own = |state: u32| found.of[state as usize];
    let goes_round =
        graph.all_edges().filter(|(from, edge)| is_now(edge.label) && !is_left[own(*from) as usize]);
    let mut members: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    let mut is_reached: Option<Vec<bool>> = None;
    for (from, edge) in goes_round {
        if !is_reached.get_or_insert_with(|| reached(graph, is_now))[from as usize] {
            continue;
        }
        if kinds[edge.label as usize].is_counted {
            return Err(AutomatonError::Zeno(cycle(graph, is_now, from)));
        }
        members.entry(own(from)).or_default();
    }
    if members.is_empty() {
        return Ok(None);
    }
    for state in 0..graph.states() {
        if let Some(list) = members.get_mut(&own(state)) {
            list.push(state);
        }
    }
    let mut builder = Builder::new(graph.initial(), graph.edges().len());
    graph.labels().iter().for_each(|label| {
        builder.label(label);
    });
    builder.states(graph.states());
    for (from, edge) in graph.all_edges().filter(|(from, _)| !members.contains_key(&own(*from))) {
        builder.edge(from, edge.label, edge.target);
    }
    let mut next = graph.states();
    for list in members.values() {
        wait(graph, is_now, list, &mut builder, &mut next)?;
    }
    builder.build().map(Some).map_err(|_| AutomatonError::Other(ChainError::TooLarge))
}

/// Adds the steps of a lumped component.
fn wait(
    graph: &Graph,
    is_now: impl Fn(u32) -> bool + Copy,
    members: &[u32],
    builder: &mut Builder,
    next: &mut u32,
) -> Result<(), AutomatonError> {
    let later = |state: u32| graph.edges_from(state).iter().filter(move |edge| !is_now(edge.label));
    let steps = |state: u32| {
        let mut steps: Vec<(u32, u32)> = later(state).map(|edge| (edge.label, edge.target)).collect();
        steps.sort_unstable();
        steps
    };
    let first = steps(members[0]);
    if members.iter().all(|state| steps(*state) == first) {
        for (state, (label, target)) in
            members.iter().flat_map(|state| first.iter().map(move |step| (state, step)))
        {
            builder.edge(*state, *label, *target);
        }
        return Ok(());
    }
    let labels = |state: u32| steps(state).iter().map(|(label, _)| *label).collect::<Vec<u32>>();
    let own = labels(members[0]);
    let has_twice = own.windows(2).any(|pair| pair[0] == pair[1]);
    if has_twice || members.iter().any(|state| labels(*state) != own) {
        return Err(AutomatonError::Zeno(cycle(graph, is_now, members[0])));
    }
    let mut all = Steps::new();
    for edge in members.iter().flat_map(|state| later(*state)) {
        all.entry(edge.label).or_default().insert(edge.target);
    }
    let internal = builder.label("i");
    for (label, targets) in all {
        let target = match targets.iter().copied().collect::<Vec<u32>>()[..] {
            [target] => target,
            _ => {
                // Which of them it is depends on where the waiting is when the delay ends.
                let between = *next;
                *next += 1;
                for target in &targets {
                    builder.edge(between, internal, *target);
                }
                // No time passes there; but what can be done before and after is not interrupted by it.
                let mut possible: BTreeMap<u32, u32> = BTreeMap::new();
                for edge in targets.iter().flat_map(|target| later(*target)) {
                    possible.entry(edge.label).or_insert(edge.target);
                }
                for (label, target) in possible {
                    builder.edge(between, label, target);
                }
                between
            }
        };
        for state in members {
            builder.edge(*state, label, target);
        }
    }
    Ok(())
}

/// Returns an immediate cycle in the component of a state.
fn cycle(graph: &Graph, is_now: impl Fn(u32) -> bool, start: u32) -> Vec<u32> {
    let mut seen: Vec<u32> = Vec::new();
    let mut state = start;
    loop {
        if let Some(place) = seen.iter().position(|known| *known == state) {
            return seen.split_off(place);
        }
        seen.push(state);
        match graph.edges_from(state).iter().find(|edge| is_now(edge.label)) {
            Some(edge) => state = edge.target,
            None => return seen,
        }
    }
}
