//! The caches of a thread: values, results, trees and their steps.
//!
//! A state is a hash-consed tree: a number stands for it. Its root is a control point of an operator
//! (parallel composition, hiding, sequencing, disabling), with trees below it; or one of a sequential
//! process, with the values of its variables. The target of a step before the values of its event are decided
//! is a tree too, but of another kind: there, an action stands for what follows it.

use rustc_hash::FxHashMap;

use super::alphabet::{GateSets, alphabets, groups};
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
    /// Open targets with the values of an event substituted; [`NOTHING`] if they violate a predicate.
    pub(super) decided: FxHashMap<(u32, u32), u32>,
    pub(super) sets: GateSets,
    /// The alphabet of each control point.
    alphabets: Vec<GateSet>,
    /// For each point of parallel composition, the first point with the same synchronisation set.
    groups: Vec<Option<u32>>,
    /// Steps while they are composed.
    pub(super) stack: Vec<Step>,
    /// Steps of rows while they are composed.
    pub(super) joints: JointSteps,
    /// Scratch: a successor of the current state.
    pub(super) target: Vec<u32>,
    /// A tree that is too high, if there is one.
    pub(super) too_high: Option<u32>,
    /// The nesting depth of choices while steps are enumerated.
    pub(super) nesting: u32,
}

/// Stands for no node.
pub(super) const NOTHING: u32 = u32::MAX;
/// The fields of the note about a node: whether all terms below it are known to have values; its number of
/// leaves beyond the first; its height.
const SOUND: u32 = 1 << 31;
const MAX_LEAVES: u32 = (1 << 19) - 1;
const HEIGHT_BITS: u32 = 12;
const HEIGHT: u32 = (1 << HEIGHT_BITS) - 1;
/// The maximal height of a tree: higher ones come from unbounded recursion.
const MAX_HEIGHT: u32 = 2000;
/// With more results than this, the cache is cleared.
const MAX_DECIDED: usize = 1 << 20;
/// The maximal number of nodes: a number leaves one bit free.
const MAX_NODES: usize = (1 << 31) - (1 << 24);

impl Memory {
    /// Computes what depends on the behaviour alone, once.
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

    /// Prepares for another state.
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

    /// Returns whether the numbers of nodes are exhausted.
    pub(super) fn is_full(&self) -> bool {
        self.nodes.len() > MAX_NODES || self.opens.len() > MAX_NODES || self.events.len() > MAX_NODES
    }

    /// Returns the approximate memory in use, in bytes.
    pub(super) fn bytes(&self) -> u64 {
        let hashed = (self.decided.capacity() * 12) as u64;
        let nodes = self.nodes.bytes() + self.opens.bytes() + self.tuples.bytes();
        nodes + self.events.bytes() + self.step_cache.bytes() + hashed
    }

    /// Returns the leaf of a sequential process at a control point.
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

    /// Returns the node of an operator with two sides; open if a side is.
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

    /// Returns a balanced tree for two sides under a point: parallel composition over the same gates is
    /// associative and commutative. So no process is far from the root, and subtrees are shared more often.
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
        // There are as many points as inner nodes.
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

    /// Returns the node of an operator with one side, and maybe values; open if the side is.
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

    /// Returns the approximate number of processes below a node, at least one.
    #[inline]
    pub(super) fn leaves(&mut self, node: u32) -> u32 {
        ((*self.nodes.note(node) & !SOUND) >> HEIGHT_BITS) + 1
    }

    /// Returns the highest side of an inner node.
    pub(super) fn highest_side(&mut self, node: u32, is_pair: impl Fn(u32) -> bool) -> u32 {
        let [point, first, second] = self.nodes.get(node);
        let mut height = |node| *self.nodes.note(node) & HEIGHT;
        if is_pair(point) && height(second) > height(first) { second } else { first }
    }

    /// Notes that all terms below a node have values.
    pub(super) fn set_sound(&mut self, node: u32) {
        *self.nodes.note(node) |= SOUND;
    }

    /// Returns whether a node has no steps except at some gates, and all terms below it have values.
    #[inline]
    pub(super) fn is_idle(&mut self, node: u32, but: u32) -> bool {
        let point = self.nodes.get(node)[0];
        *self.nodes.note(node) & SOUND != 0 && self.alphabets[point as usize].is_within(self.sets.get(but))
    }

    /// Returns the alphabet of a control point.
    #[inline]
    pub(super) fn alphabet(&self, point: u32) -> &GateSet {
        &self.alphabets[point as usize]
    }

    /// Returns the gates to exclude when the sides of a point are asked.
    pub(super) fn below(&mut self, set: u32, point: u32, kind: &PointKind) -> u32 {
        self.sets.below(set, point, kind)
    }
}
