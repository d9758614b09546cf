//! The state space of a behaviour, with states numbered in the order of discovery.

use super::hash_consing::Rows;
use super::memory::Memory;
use super::points::{Behaviour, PointId, PointKind};
use super::rewrite::Fault;
use super::static_skeleton::Skeleton;
use super::values::Value;
use rustc_hash::FxHashSet;

/// The states found so far, the initial one 0. A state is a row of hash-consed trees below the static
/// skeleton.
#[derive(Debug)]
pub struct Unfolding<'b> {
    behaviour: &'b Behaviour,
    memory: Memory,
    skeleton: Skeleton,
    states: Rows,
    /// Scratch: the row of the current state.
    row: Vec<u32>,
    edges: Vec<(u32, u32)>,
    seen: FxHashSet<(u32, u32)>,
    /// At so many states, sharing of trees is measured next.
    next_look: usize,
}

/// With more successors than this, duplicates are found by hashing.
const HASH_FROM: usize = 16;
/// Sharing is measured at so many states first, and then at each multiple by the second number.
const FIRST_LOOK: usize = 1 << 13;
const LOOK_AGAIN: usize = 4;
/// Trees that occur in fewer states than this on average are split.
const MIN_SHARING: usize = 4;
/// The maximal number of states.
const MAX_STATES: usize = (1 << 32) - (1 << 24);

impl<'b> Unfolding<'b> {
    /// Starts with the initial state; or returns why there is none.
    pub fn new(behaviour: &'b Behaviour) -> Result<Unfolding<'b>, Fault> {
        let mut memory = Memory::default();
        memory.prepare(behaviour);
        let node = behaviour.enter(behaviour.initial, &[], &mut memory, 0).map_err(|fault| *fault)?;
        let mut states = Rows::new(1);
        states.number(&[node]);
        let (row, edges, seen) = (Vec::new(), Vec::new(), FxHashSet::default());
        let skeleton = Skeleton::Tree(0);
        Ok(Unfolding { behaviour, memory, skeleton, states, row, edges, seen, next_look: FIRST_LOOK })
    }

    /// Sets the number of states at which trees are first split. It does not change the result.
    pub fn take_apart_from(&mut self, states: usize) {
        self.next_look = states.max(1);
    }

    /// Returns how many states have been found.
    pub fn states(&self) -> u32 {
        self.states.len() as u32
    }

    /// Computes the edges of a state; or returns why it has none. New successors get the next numbers.
    pub fn expand(&mut self, state: u32) -> Result<(), Fault> {
        if self.states.len() >= self.next_look {
            self.next_look = self.states.len() * LOOK_AGAIN;
            self.take_apart();
        }
        self.row.clear();
        self.row.extend_from_slice(self.states.get(state));
        self.edges.clear();
        self.seen.clear();
        let Unfolding { behaviour, memory, skeleton, states, row, edges, seen, .. } = self;
        let mut visit = |event: u32, target: &[u32]| {
            let edge = (event, states.number(target));
            // Two processes may have the same step.
            if edges.len() == HASH_FROM {
                seen.extend(edges.iter().copied());
            }
            let is_new = if edges.len() < HASH_FROM { !edges.contains(&edge) } else { seen.insert(edge) };
            if is_new {
                edges.push(edge);
            }
        };
        behaviour.expand(skeleton, row, memory, &mut visit).map_err(|fault| *fault)
    }

    /// Returns the edges of the state that was expanded last: events and successors, each pair once.
    pub fn edges(&self) -> &[(u32, u32)] {
        &self.edges
    }

    /// Splits trees that are seldom shared.
    fn take_apart(&mut self) {
        let mut place = 0;
        while place < self.states.width() {
            match self.common_point(place) {
                // The left or only side takes the place, and is looked at next.
                Some(point) => self.split(place, point),
                None => place += 1,
            }
        }
    }

    /// Returns the root of all trees at an index of the row, if it is the same, static, and the trees are
    /// seldom shared.
    fn common_point(&mut self, place: usize) -> Option<u32> {
        let done = self.memory.leaf(Behaviour::DONE, &[]);
        let count = self.states.len() as u32;
        let mut is_known = vec![false; self.memory.nodes.len()];
        let mut trees: Vec<u32> = (0..count).map(|number| self.states.get(number)[place]).collect();
        trees.retain(|tree| !std::mem::replace(&mut is_known[*tree as usize], true));
        if trees.len() * MIN_SHARING < count as usize {
            return None;
        }
        trees.retain(|tree| *tree != done);
        let point = self.memory.nodes.get(*trees.first()?)[0];
        let kind = &self.behaviour.point(PointId(point)).kind;
        let is_lasting = matches!(kind, PointKind::Parallel { .. } | PointKind::Hide(..));
        let is_same = |tree: &u32| self.memory.nodes.get(*tree)[0] == point;
        (is_lasting && trees.iter().all(is_same)).then_some(point)
    }

    /// Splits the trees at an index of the row. When all has terminated, so has each side.
    fn split(&mut self, place: usize, point: u32) {
        let done = self.memory.leaf(Behaviour::DONE, &[]);
        let is_pair = matches!(self.behaviour.point(PointId(point)).kind, PointKind::Parallel { .. });
        let width = self.states.width();
        let mut states = Rows::new(width + usize::from(is_pair));
        for number in 0..self.states.len() as u32 {
            self.row.clear();
            self.row.extend_from_slice(self.states.get(number));
            let tree = self.row[place];
            let [_, left, right] = self.memory.nodes.get(tree);
            let (left, right) = if tree == done { (done, done) } else { (left, right) };
            self.row[place] = left;
            if is_pair {
                self.row.push(right);
            }
            states.number(&self.row);
        }
        self.states = states;
        self.skeleton.grow(place, point, is_pair.then_some(width));
    }

    /// Returns whether the numbers of states are exhausted.
    pub fn is_full(&self) -> bool {
        self.memory.is_full() || self.states.len() > MAX_STATES
    }

    /// Returns the approximate memory in use, in bytes.
    pub fn bytes(&self) -> u64 {
        self.memory.bytes() + self.states.bytes()
    }

    /// Writes an event as text: the gate, and the values after exclamation marks.
    pub fn label(&self, event: u32) -> String {
        let (data, memory) = (&self.behaviour.data, &self.memory);
        let gate = usize::from(memory.events.gate(event).0);
        let mut text = self.behaviour.gates.get(gate).cloned().unwrap_or_default();
        for (sort, value) in memory.events.given(event) {
            text.push_str(" !");
            memory.values.show(data, sort, value.unwrap_or(Value::default()), &mut text);
        }
        text
    }
}
