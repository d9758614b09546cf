//! Clocked nodes: states with running delays, and the immediate steps between them.
//!
//! Both views are built round by round. From the current nodes, a round takes all immediate steps and finds
//! the strongly connected components of what it has found. Bottom components are tangible, that is, time
//! passes there: a single node, or the cycle of busy waiting. If not the same delays run on all of such a
//! cycle, it is a Zeno cycle: time would stand still.

use std::collections::VecDeque;

use narrows_graph::components::{self, Components};
use rustc_hash::FxHashMap;

use crate::exchange::{Exchange, Moved, place};
use crate::state_graph::choices_to;
use crate::state_store::StateStore;
use crate::timed::Edge;
use crate::{BuildError, StateGraph, Urgency};

/// A running delay: process, delay, and elapsed ticks or stages.
pub(crate) type Running = (u8, u16, u32);

/// How many bytes a clock has: a process, a delay and a number.
const CLOCK: usize = 7;

/// So many states are expanded in one batch.
const PREFETCHED: usize = 256;

/// Marks a state without a node.
const NONE: u32 = u32::MAX;

fn clock_name(pid: u8, delay: u16) -> [u8; 3] {
    let [low, high] = delay.to_le_bytes();
    [pid, low, high]
}

/// The nodes found so far, and their immediate edges.
#[derive(Debug)]
pub(crate) struct Nodes<'a> {
    pub(crate) state_graph: StateGraph<'a>,
    /// Interned clock valuations: running delays in order, without those that have just started.
    clocks: StateStore,
    /// The state and the clock valuation of each node.
    places: Vec<(u32, u32)>,
    /// The node of each state whose delays have all just started; [`NONE`] if there is none.
    fresh: Vec<u32>,
    /// The nodes of other states and clocks.
    numbers: FxHashMap<(u32, u32), u32>,
    /// The breadth-first tree: each node's predecessor, and the choice there.
    parents: Vec<(u32, u32)>,
    pub(crate) edges: Vec<(u32, Edge)>,
    /// Finds the node that stands for all that exchanges of equal processes make of it.
    exchange: Option<Exchange<'a>>,
}

/// The nodes that a round has found, from the first on.
#[derive(Debug)]
pub(crate) struct Round {
    pub(crate) first: u32,
    /// The first edge of the round.
    edges: usize,
    /// The first edge of each node of the round, and at last their number.
    starts: Vec<usize>,
    /// The component of each node.
    pub(crate) found: Components,
    /// Whether each component is tangible.
    pub(crate) waits: Vec<bool>,
}

impl Round {
    /// Returns the numbers of the nodes.
    pub(crate) fn nodes(&self) -> std::ops::Range<u32> {
        self.first..self.first + self.starts.len() as u32 - 1
    }

    /// Returns the component of a node, if it is of this round.
    pub(crate) fn component(&self, node: u32) -> Option<u32> {
        self.found.of.get(node.checked_sub(self.first)? as usize).copied()
    }

    /// Returns whether a node is tangible.
    pub(crate) fn waits(&self, node: u32) -> bool {
        self.component(node).is_some_and(|component| self.waits[component as usize])
    }

    /// Returns the immediate edges of a node.
    pub(crate) fn edges<'n>(&self, node: u32, nodes: &'n Nodes<'_>) -> &'n [(u32, Edge)] {
        let local = (node - self.first) as usize;
        &nodes.edges[self.edges + self.starts[local]..self.edges + self.starts[local + 1]]
    }
}

impl<'a> Nodes<'a> {
    /// Starts with the initial state.
    pub(crate) fn new(mut state_graph: StateGraph<'a>) -> Result<Nodes<'a>, BuildError> {
        state_graph.expand(0)?;
        let mut clocks = StateStore::new(0);
        clocks.add(&[]);
        let (numbers, places, parents, edges) = (FxHashMap::default(), Vec::new(), Vec::new(), Vec::new());
        let exchange = state_graph.symmetry().map(Exchange::new);
        let fresh = Vec::new();
        let mut first = Nodes { state_graph, clocks, places, fresh, numbers, parents, edges, exchange };
        let (state, _) = first.canonical(0)?;
        first.node(state, 0, (0, 0));
        Ok(first)
    }

    /// Returns the canonical state of a state, and where its processes go.
    fn canonical(&mut self, state: u32) -> Result<(u32, Option<Moved>), BuildError> {
        let Some(exchange) = &mut self.exchange else { return Ok((state, None)) };
        let canon = exchange.note(&mut self.state_graph, state)?;
        Ok((canon.state, canon.moved))
    }

    /// Returns the number of clocks in a canonical state, in the order that stands for all exchanges.
    fn clocks(&mut self, state: u32, mut running: Vec<Running>) -> u32 {
        running.retain(|(_, _, far)| *far > 0);
        if let Some(exchange) = self.exchange.as_ref().filter(|_| !running.is_empty()) {
            let tags: Vec<(u8, Vec<u8>)> = running
                .iter()
                .map(|(pid, delay, far)| {
                    let [low, high] = delay.to_be_bytes();
                    let [a, b, c, d] = far.to_be_bytes();
                    (*pid, vec![low, high, a, b, c, d])
                })
                .collect();
            let moved = exchange.settle(&self.state_graph, state, &tags);
            for (pid, ..) in &mut running {
                *pid = place(moved.as_ref(), *pid);
            }
            running.sort_unstable();
        }
        let mut clocks = Vec::new();
        for (pid, delay, far) in running {
            clocks.extend_from_slice(&clock_name(pid, delay));
            clocks.extend_from_slice(&far.to_le_bytes());
        }
        self.clocks.add(&clocks).0
    }

    pub(crate) fn len(&self) -> usize {
        self.places.len()
    }

    /// Returns the state of a node.
    pub(crate) fn state(&self, node: u32) -> u32 {
        self.places[node as usize].0
    }

    fn node(&mut self, state: u32, clocks: u32, parent: (u32, u32)) -> u32 {
        let next = self.places.len() as u32;
        let number = if clocks == 0 {
            if self.fresh.len() <= state as usize {
                self.fresh.resize(self.state_graph.states() as usize, NONE);
            }
            let number = &mut self.fresh[state as usize];
            if *number == NONE {
                *number = next;
            }
            *number
        } else {
            *self.numbers.entry((state, clocks)).or_insert(next)
        };
        if number == next {
            self.places.push((state, clocks));
            self.parents.push(parent);
        }
        number
    }

    /// Returns the path from the initial state to a node, as choices.
    pub(crate) fn choices_to(&self, node: u32) -> Vec<u32> {
        choices_to(&self.parents, node)
    }

    /// Polls the budget every so many nodes.
    pub(crate) fn watch(&self, count: usize, elsewhere: usize) -> Result<(), BuildError> {
        if count.is_multiple_of(1 << 10) {
            let others = self.numbers.len() * 30 + self.fresh.capacity() * 4;
            let bytes = self.places.len() * 20
                + others
                + self.edges.capacity() * size_of::<(u32, Edge)>()
                + elsewhere;
            let exchange = self.exchange.as_ref().map_or(0, Exchange::memory);
            self.state_graph.watch(bytes as u64 + self.clocks.memory() + exchange)?;
        }
        Ok(())
    }

    /// Returns which delays run in a node, in order of processes.
    pub(crate) fn running(&self, node: u32) -> Vec<Running> {
        let (state, number) = self.places[node as usize];
        let mut clocks = Vec::new();
        if number != 0 {
            self.clocks.read(number, &mut clocks);
        }
        let mut running: Vec<Running> = Vec::new();
        for step in self.state_graph.steps_of(state) {
            if let Urgency::Timed(pid, delay) = self.state_graph.effect(step.effect).urgency
                && !running.iter().any(|(known, other, _)| (*known, *other) == (pid, delay))
            {
                let far = clocks.chunks_exact(CLOCK).find(|clock| clock[..3] == clock_name(pid, delay));
                let far = far.map_or(0, |clock| u32::from_le_bytes([clock[3], clock[4], clock[5], clock[6]]));
                running.push((pid, delay, far));
            }
        }
        running.sort_unstable();
        running
    }

    /// Returns the node with the same state in which a delay has advanced to a phase.
    pub(crate) fn further(&mut self, node: u32, running: &[Running], one: (u8, u16), phase: u32) -> u32 {
        let advance =
            |(pid, delay, far): &Running| (*pid, *delay, if (*pid, *delay) == one { phase } else { *far });
        let state = self.state(node);
        let clocks = self.clocks(state, running.iter().map(advance).collect());
        // It is reached without a step of the model: its way is that to this node.
        let parent = self.parents[node as usize];
        self.node(state, clocks, parent)
    }

    /// Returns the node after a step, with all other running delays advanced by some ticks.
    pub(crate) fn follow(
        &mut self,
        from: u32,
        running: &[Running],
        choice: u32,
        further: u32,
    ) -> Result<u32, BuildError> {
        let step = self.state_graph.steps_of(self.state(from))[choice as usize];
        let (target, moved) = self.canonical(step.target)?;
        if !running.iter().any(|(_, _, far)| far + further > 0) {
            return Ok(self.node(target, 0, (from, choice)));
        }
        self.state_graph.expand(target)?;
        let effect = self.state_graph.effect(step.effect);
        let goes_on = |clock: &Running| {
            let (pid, delay, far) = *clock;
            let own = (place(moved.as_ref(), pid), delay, far + further);
            let mut urgencies = self
                .state_graph
                .steps_of(target)
                .iter()
                .map(|step| self.state_graph.effect(step.effect).urgency);
            let runs = urgencies.any(|urgency| urgency == Urgency::Timed(own.0, delay));
            (runs && !effect.stops(pid, delay)).then_some(own)
        };
        let mut clocks: Vec<Running> = running.iter().filter_map(goes_on).collect();
        clocks.sort_unstable();
        let clocks = self.clocks(target, clocks);
        Ok(self.node(target, clocks, (from, choice)))
    }

    /// Takes the immediate steps from all nodes with this number or a greater one, and from what they lead
    /// to.
    pub(crate) fn round(&mut self, first: u32) -> Result<Round, BuildError> {
        let edges = self.edges.len();
        let mut starts = Vec::new();
        let (mut node, mut prefetch) = (first, first);
        while (node as usize) < self.places.len() {
            if node == prefetch {
                prefetch = self.places.len().min(node as usize + PREFETCHED) as u32;
                let nodes = &self.places[node as usize..prefetch as usize];
                self.state_graph.expand_all(nodes.iter().map(|(state, _)| *state))?;
            }
            starts.push(self.edges.len() - edges);
            self.go_on(node)?;
            node += 1;
            self.watch(node as usize, 0)?;
        }
        starts.push(self.edges.len() - edges);
        if self.edges.len() == edges {
            // Nothing happens at once: time passes everywhere.
            let count = starts.len() - 1;
            let of: Vec<u32> = (0..count as u32).collect();
            let found = Components { finished: of.clone(), of, count: count as u32 };
            return Ok(Round { first, edges, starts, waits: vec![true; count], found });
        }
        let found = components::find_among(starts.len() - 1, 0..starts.len() as u32 - 1, |node, edge| {
            let index = starts[node as usize] + edge as usize;
            let (_, edge) = (index < starts[node as usize + 1]).then(|| self.edges[edges + index])?;
            // What was found in an earlier round does not lead back here.
            Some(edge.target.checked_sub(first))
        });
        let mut round = Round { first, edges, starts, waits: vec![true; found.count as usize], found };
        self.find_waits(&mut round)?;
        Ok(round)
    }

    fn go_on(&mut self, node: u32) -> Result<(), BuildError> {
        let state = self.state(node);
        self.state_graph.expand(state)?;
        let is_now = |state_graph: &StateGraph<'_>, choice: u32| {
            state_graph.effect(state_graph.steps_of(state)[choice as usize].effect).urgency
                == Urgency::Immediate
        };
        let count = self.state_graph.steps_of(state).len() as u32;
        if (0..count).any(|choice| is_now(&self.state_graph, choice)) {
            let running = self.running(node);
            for choice in (0..count).filter(|choice| is_now(&self.state_graph, *choice)).collect::<Vec<_>>() {
                let target = self.follow(node, &running, choice, 0)?;
                let effect = self.state_graph.steps_of(state)[choice as usize].effect;
                self.edges.push((node, Edge { target, ticks: 0, effect, choice }));
            }
        }
        Ok(())
    }

    /// Finds the tangible components of a round.
    fn find_waits(&self, round: &mut Round) -> Result<(), BuildError> {
        for node in round.nodes() {
            let Some(component) = round.component(node) else { continue };
            let stays = |(_, edge): &(u32, Edge)| round.component(edge.target) == Some(component);
            let edges = round.edges(node, self);
            let stays = edges.iter().all(stays);
            round.waits[component as usize] &= stays;
            if stays && !edges.is_empty() && self.state_graph.is_of_orbits() {
                return Err(BuildError::Entangled);
            }
        }
        let mut members: Vec<Option<u32>> = vec![None; round.found.count as usize];
        for node in round.nodes().filter(|node| round.waits(*node)) {
            let Some(component) = round.component(node) else { continue };
            let other = *members[component as usize].get_or_insert(node);
            if other != node && self.running(other) != self.running(node) {
                return Err(self.standstill(node, round));
            }
        }
        Ok(())
    }

    /// Returns the path to a node and a Zeno cycle through it.
    pub(crate) fn standstill(&self, node: u32, round: &Round) -> BuildError {
        let mut choices = self.choices_to(node);
        let begins = choices.len();
        let mut ways: FxHashMap<u32, (u32, u32)> = FxHashMap::default();
        let mut queue = VecDeque::from([node]);
        while let Some(from) = queue.pop_front() {
            for (_, edge) in round.edges(from, self) {
                let inside = round.component(edge.target) == round.component(node);
                if inside && !ways.contains_key(&edge.target) {
                    ways.insert(edge.target, (from, edge.choice));
                    queue.push_back(edge.target);
                }
            }
        }
        let mut cycle = Vec::new();
        let mut at = node;
        while let Some((from, choice)) = ways.get(&at) {
            cycle.push(*choice);
            at = *from;
            if at == node {
                break;
            }
        }
        choices.extend(cycle.into_iter().rev());
        BuildError::Zeno(choices, begins)
    }

    /// Returns the state graph.
    pub(crate) fn into_state_graph(self) -> StateGraph<'a> {
        self.state_graph
    }

    /// Returns the states of all nodes, the edges, and the state graph.
    pub(crate) fn into_parts(self) -> (Vec<u32>, Vec<(u32, Edge)>, StateGraph<'a>) {
        (self.places.into_iter().map(|(state, _)| state).collect(), self.edges, self.state_graph)
    }
}
