//! All states of a behaviour, numbered in the order in which they are found.

use super::hash_consing::Rows;
use super::memory::Memory;
use super::points::{Behaviour, PointId, PointKind};
use super::rewrite::Fault;
use super::static_skeleton::Skeleton;
use super::values::Value;
use rustc_hash::FxHashSet;

/// States with numbers, the initial one 0, and what leads from one to another. A state is a row of trees, and each part of a
/// tree is kept once.
#[derive(Debug)]
pub struct Unfolding<'b> {
    behaviour: &'b Behaviour,
    memory: Memory,
    skeleton: Skeleton,
    states: Rows,
    /// The row of the state at hand.
    row: Vec<u32>,
    edges: Vec<(u32, u32)>,
    seen: FxHashSet<(u32, u32)>,
    /// With so many states it is found out which trees seldom come again.
    next_look: usize,
}

/// With more successors than this, those that are the same are found by hashes.
const HASH_FROM: usize = 16;
/// With so many states, and then each time with so many times more, it is found out which trees seldom come again.
const FIRST_LOOK: usize = 1 << 13;
const LOOK_AGAIN: usize = 4;
/// A tree that comes in fewer states than this on average comes seldom.
const MIN_SHARING: usize = 4;
/// There are not more states than this.
const MAX_STATES: usize = (1 << 32) - (1 << 24);

impl<'b> Unfolding<'b> {
    /// Begins with the initial state; or says why there is none.
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

    /// Sets how many states there are when trees are first taken apart that seldom come again. It makes no difference to what
    /// is found.
    pub fn take_apart_from(&mut self, states: usize) {
        self.next_look = states.max(1);
    }

    /// Returns how many states have been found.
    pub fn states(&self) -> u32 {
        self.states.len() as u32
    }

    /// Finds the edges that leave a state; or says why it has none. Successors that are new get the next numbers.
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
            // Two processes may do the same.
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

    /// Takes trees apart that seldom come again.
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

    /// Returns the point of all trees at a place, if they seldom come again and can be taken apart.
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

    /// Takes the trees at a place apart. When all has ended, so has each side.
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

    /// Returns whether there is no number for another state.
    pub fn is_full(&self) -> bool {
        self.memory.is_full() || self.states.len() > MAX_STATES
    }

    /// Returns about how many bytes are in use.
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
