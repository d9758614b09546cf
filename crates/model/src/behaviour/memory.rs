//! What is kept from one state to the next: values, results, trees, and what they can do.
//!
//! A state is a tree, and each tree is kept once: a number stands for it. Its root is a point where processes run side by
//! side, or within something, and what is below are trees; or a point where a single process stands, with the values of
//! its variables. What a step leads to before the values of its event are decided is a tree too, but one of another
//! kind: there, an action stands for what comes after it.

use rustc_hash::FxHashMap;

use super::alphabet::{Sets, alphabets, groups};
use super::data::OperationId;
use super::events::Events;
use super::hash_consing::{Lists, Nodes};
use super::points::{Behaviour, GateSet, PointId, PointKind};
use super::static_skeleton::JointSteps;
use super::step_cache::{OPEN, Step, StepCache};
use super::values::{Value, Values};

/// What belongs to one thread.
#[derive(Debug, Default)]
pub(crate) struct Memory {
    pub(super) values: Values,
    pub(super) results: FxHashMap<(OperationId, Box<[Value]>), Value>,
    /// The values of variables.
    pub(super) tuples: Lists,
    pub(super) nodes: Nodes,
    pub(super) opens: Nodes,
    pub(super) events: Events,
    pub(super) step_cache: StepCache,
    /// What becomes of something open when the values are those of an event; [`NOTHING`] if they do not fit.
    pub(super) decided: FxHashMap<(u32, u32), u32>,
    pub(super) sets: Sets,
    /// What can happen from each point on.
    alphabets: Vec<GateSet>,
    /// Of points where two sides meet: the first point where they meet at the same gates.
    groups: Vec<Option<u32>>,
    /// Steps while they are put together.
    pub(super) stack: Vec<Step>,
    /// Steps of rows of trees while they are put together.
    pub(super) joints: JointSteps,
    /// A successor of the state at hand.
    pub(super) target: Vec<u32>,
    /// A tree that is too high, if there is one.
    pub(super) too_high: Option<u32>,
    /// How deeply choices are nested while it is found out what can be done.
    pub(super) nesting: u32,
}

/// Stands for no node.
pub(super) const NOTHING: u32 = u32::MAX;
/// In the note about a node: whether it is known that everything below it has its values; how many leaves it has beside the
/// first; and how high it is.
const SOUND: u32 = 1 << 31;
const MAX_LEAVES: u32 = (1 << 19) - 1;
const HEIGHT_BITS: u32 = 12;
const HEIGHT: u32 = (1 << HEIGHT_BITS) - 1;
/// Trees are at most so high: otherwise processes begin within processes, and there is no end of it.
const MAX_HEIGHT: u32 = 2000;
/// More results than this are not remembered.
const MAX_DECIDED: usize = 1 << 20;
/// There are not more nodes than this: their numbers leave a bit free.
const MAX_NODES: usize = (1 << 31) - (1 << 24);

impl Memory {
    /// Makes what is there from the beginning.
    pub(super) fn prepare(&mut self, behaviour: &Behaviour) {
        if self.alphabets.is_empty() {
            self.values.prepare(&behaviour.data);
            self.groups = groups(behaviour);
            self.alphabets = alphabets(behaviour, &self.groups);
            self.tuples.number(&[]);
            self.events.prepare();
            self.sets.prepare();
            self.step_cache.prepare((0..behaviour.points.len() as u32).map(|point| behaviour.is_leaf(point)));
        }
    }

    /// Gets ready for another state.
    pub(super) fn begin(&mut self) {
        self.step_cache.make_room();
        if self.decided.len() > MAX_DECIDED {
            self.decided.clear();
        }
        self.stack.clear();
        self.joints.clear();
        self.nesting = 0;
        self.too_high = None;
    }

    /// Returns whether there is no number for another node.
    pub(super) fn is_full(&self) -> bool {
        self.nodes.len() > MAX_NODES || self.opens.len() > MAX_NODES || self.events.len() > MAX_NODES
    }

    /// Returns about how many bytes are in use.
    pub(super) fn bytes(&self) -> u64 {
        let hashed = (self.decided.capacity() * 12) as u64;
        let nodes = self.nodes.bytes() + self.opens.bytes() + self.tuples.bytes();
        nodes + self.events.bytes() + self.step_cache.bytes() + hashed
    }

    /// Returns the node of a point where a single process stands.
    pub(super) fn leaf(&mut self, point: PointId, variables: &[Value]) -> u32 {
        let tuple = self.tuple(variables.iter().copied());
        self.nodes.number([point.0, tuple, 0]).0
    }

    /// Returns the number of some values.
    pub(super) fn tuple(&mut self, values: impl Iterator<Item = Value>) -> u32 {
        let words: Vec<u32> = values.map(Value::word).collect();
        self.tuples.number(&words)
    }

    /// Returns some values.
    pub(super) fn values_of(&self, tuple: u32) -> Vec<Value> {
        self.tuples.get(tuple).iter().map(|word| Value::from_word(*word)).collect()
    }

    /// Returns two sides under a point: a node, or something open if one of them is.
    #[inline]
    pub(super) fn pair(&mut self, point: u32, left: u32, right: u32) -> u32 {
        if (left | right) & OPEN != 0 {
            return self.opens.number([point, left, right]).0 | OPEN;
        }
        let (node, is_new) = self.nodes.number([point, left, right]);
        if is_new {
            let (one, other) = (*self.nodes.note(left), *self.nodes.note(right));
            let leaves = self.leaves(left) + self.leaves(right) - 1;
            self.note(node, one & other & SOUND, leaves, (one & HEIGHT).max(other & HEIGHT));
        }
        node
    }

    /// Returns two sides under a point, and as many levels as needed: where more than two meet at the same gates, it does not
    /// matter who meets whom first. So none is far from the root, and parts of the state come again more often.
    pub(super) fn balanced(&mut self, point: PointId, left: u32, right: u32) -> u32 {
        let (mut points, mut sides) = (vec![point.0], Vec::new());
        let mut waiting = vec![right, left];
        while let Some(node) = waiting.pop() {
            let [found, first, second] = self.nodes.get(node);
            let group = self.groups[found as usize];
            if group.is_some() && group == self.groups[point.0 as usize] {
                points.push(found);
                waiting.extend([second, first]);
            } else {
                sides.push(node);
            }
        }
        // There are as many points as places where two meet.
        self.halves(&mut points.into_iter(), &sides)
    }

    fn halves(&mut self, points: &mut dyn Iterator<Item = u32>, sides: &[u32]) -> u32 {
        if let [only] = sides {
            return *only;
        }
        let point = points.next().unwrap_or_default();
        let (left, right) = sides.split_at(sides.len() / 2);
        let left = self.halves(points, left);
        let right = self.halves(points, right);
        self.pair(point, left, right)
    }

    /// Returns what has one side, and maybe values: a node, or something open if that side is.
    #[inline]
    pub(super) fn wrap(&mut self, point: u32, body: u32, tuple: u32) -> u32 {
        if body & OPEN != 0 {
            return self.opens.number([point, body, tuple]).0 | OPEN;
        }
        let (node, is_new) = self.nodes.number([point, body, tuple]);
        if is_new {
            let (note, leaves) = (*self.nodes.note(body), self.leaves(body) - 1);
            self.note(node, note & SOUND, leaves, note & HEIGHT);
        }
        node
    }

    fn note(&mut self, node: u32, sound: u32, leaves: u32, below: u32) {
        let height = (below + 1).min(HEIGHT);
        *self.nodes.note(node) = sound | leaves.min(MAX_LEAVES) << HEIGHT_BITS | height;
        if below >= MAX_HEIGHT {
            self.too_high.get_or_insert(node);
        }
    }

    /// Returns about how many processes a node has, at least one.
    #[inline]
    pub(super) fn leaves(&mut self, node: u32) -> u32 {
        ((*self.nodes.note(node) & !SOUND) >> HEIGHT_BITS) + 1
    }

    /// Returns what is highest below a node that is no leaf.
    pub(super) fn highest_side(&mut self, node: u32, is_pair: impl Fn(u32) -> bool) -> u32 {
        let [point, first, second] = self.nodes.get(node);
        let mut height = |node| *self.nodes.note(node) & HEIGHT;
        if is_pair(point) && height(second) > height(first) { second } else { first }
    }

    /// Notes that everything below a node has its values.
    pub(super) fn set_sound(&mut self, node: u32) {
        *self.nodes.note(node) |= SOUND;
    }

    /// Returns whether nothing can happen at a node but at some gates, and nothing below it lacks a value.
    #[inline]
    pub(super) fn is_idle(&mut self, node: u32, but: u32) -> bool {
        let point = self.nodes.get(node)[0];
        *self.nodes.note(node) & SOUND != 0 && self.alphabets[point as usize].is_within(self.sets.get(but))
    }

    /// Returns what can happen from a point on.
    #[inline]
    pub(super) fn alphabet(&self, point: u32) -> &GateSet {
        &self.alphabets[point as usize]
    }

    /// Returns the gates without which the sides of a point are asked.
    pub(super) fn below(&mut self, set: u32, point: u32, kind: &PointKind) -> u32 {
        self.sets.below(set, point, kind)
    }
}
