//! The whole state space as a graph: states by number, edges in both directions.
//!
//! Breadth-first search numbers the states in the order they come, and the store keeps the number in place of
//! a state's link. Edges are kept as one list of targets and, for each state, where its own begin; then the
//! same is made for the opposite direction by counting. An edge takes 8 bytes in all, a state 8 more than in
//! the store. A state that no edge leads out of has itself as its only successor, as a run that ends stays in
//! its last state for ever.

use std::ops::ControlFlow;

use narrows_graph::DenseSet;
use narrows_model::{Limit, Scratch, StateSpace};

use crate::search::{Counts, make_room};
use crate::{End, Entry, Exploration, Full, SearchScope, Shape, StateId, Store};

/// For each state, a list of others.
#[derive(Clone, Debug, Default)]
pub(super) struct Adjacency {
    /// Where each state's list begins, and where the last one ends.
    starts: Vec<u32>,
    others: Vec<u32>,
}

impl Adjacency {
    pub(super) fn of(&self, state: u32) -> &[u32] {
        &self.others[self.starts[state as usize] as usize..self.starts[state as usize + 1] as usize]
    }

    fn bytes(&self) -> u64 {
        (self.starts.capacity() + self.others.capacity()) as u64 * 4
    }
}

/// A graph in which every state has a successor.
#[derive(Clone, Debug, Default)]
pub(super) struct Graph {
    pub(super) successors: Adjacency,
    pub(super) predecessors: Adjacency,
    /// The states that no edge leads out of: they stay as they are.
    pub(super) stays: DenseSet,
}

impl Graph {
    /// Makes a graph of lists of successors; an empty list means that the state stays.
    #[cfg(test)]
    pub(super) fn of_lists(lists: &[Vec<u32>]) -> Graph {
        let mut successors = Adjacency { starts: vec![0], others: Vec::new() };
        let mut stays = DenseSet::new(lists.len());
        for (state, list) in lists.iter().enumerate() {
            let own = [state as u32];
            if list.is_empty() {
                stays.insert(state as u32);
            }
            successors.others.extend_from_slice(if list.is_empty() { &own } else { list });
            successors.starts.push(successors.others.len() as u32);
        }
        let predecessors = reversed(&successors, 0, u64::MAX).unwrap();
        Graph { successors, predecessors, stays }
    }

    /// Returns how many states there are.
    pub(super) fn len(&self) -> u32 {
        (self.successors.starts.len() - 1) as u32
    }

    pub(super) fn bytes(&self) -> u64 {
        self.successors.bytes() + self.predecessors.bytes() + u64::from(self.len()) / 8
    }
}

/// A state space that was walked through.
pub(super) struct Built {
    pub(super) store: Store,
    /// The graph, if all of it fitted; else why not.
    pub(super) graph: Result<Graph, End>,
    counts: Counts,
}

impl Built {
    pub(super) fn exploration(self, more_memory: u64) -> Exploration {
        let end = self.graph.err().unwrap_or(End::Complete);
        let coverage = self.counts.coverage(&self.store, more_memory);
        let (findings, labels) = (Vec::new(), Vec::new());
        Exploration { end, coverage, findings, partial: 0, profile: None, labels }
    }
}

/// Walks through a whole state space.
pub(super) fn build<S: StateSpace + ?Sized>(space: &S, scope: &SearchScope<'_>) -> Built {
    let shape = Shape { hidden: space.hidden_bytes(), linked: true };
    let mut builder = Builder {
        space,
        scope: *scope,
        store: Store::new(shape, scope.budget.memory),
        counts: Counts::default(),
        edges: Adjacency::default(),
        stays: Vec::new(),
    };
    let graph = builder.run().and_then(|()| builder.finish());
    Built { store: builder.store, graph, counts: builder.counts }
}

struct Builder<'a, S: ?Sized> {
    space: &'a S,
    scope: SearchScope<'a>,
    store: Store,
    counts: Counts,
    edges: Adjacency,
    stays: Vec<u32>,
}

impl<S: StateSpace + ?Sized> Builder<'_, S> {
    fn run(&mut self) -> Result<(), End> {
        let (initial, _) = self.space.initial().map_err(|_| End::Fault)?;
        self.store.insert_linked(&initial, Some(StateId::from_number(0))).map_err(full)?;
        let mut state = Vec::new();
        let mut scratch = Scratch::with_pulses();
        let mut next = self.store.first();
        // One past the last state of the level that is being visited.
        let mut level_end = 1;
        let mut number = 0;
        while let Some(id) = next {
            if u64::from(number) == level_end {
                level_end = self.store.len();
                self.counts.depth += 1;
            }
            if self.store.len() > self.scope.states || self.counts.generated > self.scope.transitions {
                return Err(End::Enough);
            }
            state.clear();
            state.extend_from_slice(self.store.get(id));
            self.expand(number, &state, &mut scratch)?;
            next = self.store.next(id);
            number += 1;
        }
        self.end_list().map_err(full)
    }

    /// Notes where the list of the next state begins.
    fn end_list(&mut self) -> Result<(), Full> {
        let Adjacency { starts, others } = &mut self.edges;
        let beside = self.store.memory() + (others.capacity() + self.stays.capacity()) as u64 * 4;
        make_room(starts, 1, beside, self.scope.budget.memory)?;
        starts.push(u32::try_from(others.len()).map_err(|_| Full)?);
        Ok(())
    }

    fn expand(&mut self, number: u32, state: &[u8], scratch: &mut Scratch) -> Result<(), End> {
        self.end_list().map_err(full)?;
        let begin = self.edges.others.len();
        let mut stop = None;
        let (store, counts, scope) = (&mut self.store, &mut self.counts, &self.scope);
        let (edges, stays) = (&mut self.edges, &mut self.stays);
        self.space.successors(state, scratch, &mut |successor| {
            if successor.pulse.is_some() {
                stop = counts.pulse(&successor, scope.budget, store.len(), store.memory() + edges.bytes());
                return if stop.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) };
            }
            counts.mark(&successor);
            if let Some(target) = successor.target {
                counts.transitions += 1;
                let beside = (edges.starts.capacity() + stays.capacity()) as u64 * 4;
                store.set_limit(
                    scope.budget.memory.saturating_sub(beside + edges.others.capacity() as u64 * 4),
                );
                let found = number_of(store, target).and_then(|found| {
                    make_room(&mut edges.others, 1, store.memory() + beside, scope.budget.memory)
                        .map(|()| found)
                });
                match found {
                    Ok(found) => edges.others.push(found),
                    Err(Full) => stop = Some(Limit::Memory),
                }
            }
            stop = stop.or(counts.ask(scope.budget, store.len(), store.memory() + edges.bytes()));
            if stop.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        if let Some(limit) = stop {
            return Err(End::Limit(limit));
        }
        self.tidy(number, begin).map_err(full)
    }

    /// Keeps each successor once, and the state itself if there is none.
    fn tidy(&mut self, number: u32, begin: usize) -> Result<(), Full> {
        let others = &mut self.edges.others;
        others[begin..].sort_unstable();
        let mut end = begin;
        for index in begin..others.len() {
            if index == begin || others[index] != others[end - 1] {
                others[end] = others[index];
                end += 1;
            }
        }
        others.truncate(end);
        if end == begin {
            let beside = self.store.memory() + self.edges.starts.capacity() as u64 * 4;
            let (ways, list) = (self.edges.others.capacity() as u64 * 4, self.stays.capacity() as u64 * 4);
            make_room(&mut self.edges.others, 1, beside + list, self.scope.budget.memory)?;
            make_room(&mut self.stays, 1, beside + ways, self.scope.budget.memory)?;
            self.edges.others.push(number);
            self.stays.push(number);
        }
        Ok(())
    }

    fn finish(&mut self) -> Result<Graph, End> {
        let count = u32::try_from(self.store.len()).map_err(|_| End::Limit(Limit::Memory))?;
        let mut stays = DenseSet::try_new(count as usize).map_err(|_| End::Limit(Limit::Memory))?;
        for state in &self.stays {
            stays.insert(*state);
        }
        self.stays = Vec::new();
        let successors = std::mem::take(&mut self.edges);
        let used = self.store.memory() + successors.bytes() + u64::from(count) / 8;
        let predecessors = reversed(&successors, used, self.scope.budget.memory).map_err(full)?;
        Ok(Graph { successors, predecessors, stays })
    }
}

fn full(_: Full) -> End {
    End::Limit(Limit::Memory)
}

/// Returns the number of a state, a new one if it is not known.
fn number_of(store: &mut Store, state: &[u8]) -> Result<u32, Full> {
    let number = store.len();
    match store.insert_linked(state, Some(StateId::from_number(number)))? {
        Entry::New(_) => u32::try_from(number).ok().filter(|number| *number < u32::MAX / 2).ok_or(Full),
        Entry::Known(id) => store.link(id).map(|link| link.number() as u32).ok_or(Full),
    }
}

/// Turns every edge round.
fn reversed(edges: &Adjacency, used: u64, limit: u64) -> Result<Adjacency, Full> {
    let states = edges.starts.len() - 1;
    if used.saturating_add((states as u64 + 2 + edges.others.len() as u64) * 4) > limit {
        return Err(Full);
    }
    // The list of state s begins at starts[s + 1] while it is filled, and at starts[s] when all are.
    let mut starts: Vec<u32> = Vec::new();
    starts.try_reserve_exact(states + 2).map_err(|_| Full)?;
    starts.resize(states + 2, 0);
    for other in &edges.others {
        starts[*other as usize + 2] += 1;
    }
    for index in 2..starts.len() {
        starts[index] += starts[index - 1];
    }
    let mut others: Vec<u32> = Vec::new();
    others.try_reserve_exact(edges.others.len()).map_err(|_| Full)?;
    others.resize(edges.others.len(), 0);
    for state in 0..states as u32 {
        for other in edges.of(state) {
            let place = &mut starts[*other as usize + 1];
            others[*place as usize] = state;
            *place += 1;
        }
    }
    starts.pop();
    Ok(Adjacency { starts, others })
}
