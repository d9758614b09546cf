//! The static skeleton: the upper part of all states, which is not hash-consed.
//!
//! Near its root, the tree of a state is unique, and nothing is gained by hash consing. So a state is a row
//! of subtrees below a skeleton that is the same in all states: points of parallel composition and of hiding,
//! as both are static operators. At first the skeleton is empty, and the row a single tree. Once there are
//! many states, trees that are seldom shared are split, and their point becomes part of the skeleton.

use super::alphabet::GateSets;
use super::events::Events;
use super::memory::{Memory, NOTHING};
use super::points::{Behaviour, GateId, PointId, PointKind};
use super::rewrite::Computed;
use super::step_cache::OPEN;
use super::steps::{Decided, is_common, leads};

/// The operators above the trees of a state.
#[derive(Debug)]
pub(super) enum Skeleton {
    /// A tree, by its index in the row.
    Tree(usize),
    /// A point, and its two sides.
    Pair(u32, Box<Skeleton>, Box<Skeleton>),
    /// A point where gates are hidden, and what is below it.
    Hide(u32, Box<Skeleton>),
}

impl Skeleton {
    /// Replaces a tree by a point with that tree below it, and if there are two sides, another one.
    pub(super) fn grow(&mut self, place: usize, point: u32, other: Option<usize>) {
        match self {
            Skeleton::Tree(found) if *found == place => {
                let tree = Box::new(Skeleton::Tree(place));
                *self = match other {
                    Some(other) => Skeleton::Pair(point, tree, Box::new(Skeleton::Tree(other))),
                    None => Skeleton::Hide(point, tree),
                };
            }
            Skeleton::Tree(_) => {}
            Skeleton::Pair(_, left, right) => {
                left.grow(place, point, other);
                right.grow(place, point, other);
            }
            Skeleton::Hide(_, body) => body.grow(place, point, other),
        }
    }

    /// Returns the approximate number of processes.
    fn leaves(&self, row: &[u32], memory: &mut Memory) -> u32 {
        match self {
            Skeleton::Tree(place) => memory.leaves(row[*place]),
            Skeleton::Pair(_, left, right) => left.leaves(row, memory) + right.leaves(row, memory),
            Skeleton::Hide(_, body) => body.leaves(row, memory),
        }
    }
}

/// A step that some trees of a row take together: an event, and the range of its changes.
#[derive(Clone, Copy, Debug)]
struct JointStep {
    event: u32,
    start: usize,
    end: usize,
}

/// A change of one tree of a row.
#[derive(Clone, Copy, Debug)]
struct Change {
    place: usize,
    /// Which step it takes.
    step: usize,
    /// The tree afterwards; [`NOTHING`] until it is built.
    then: u32,
}

/// Steps of rows while they are composed.
#[derive(Debug, Default)]
pub(super) struct JointSteps {
    changes: Vec<Change>,
    /// Spare lists.
    spare: Vec<Vec<JointStep>>,
}

impl JointSteps {
    /// Gets ready for another state.
    pub(super) fn clear(&mut self) {
        self.changes.clear();
    }

    fn list(&mut self) -> Vec<JointStep> {
        self.spare.pop().unwrap_or_default()
    }

    fn give_back(&mut self, mut list: Vec<JointStep>) {
        list.clear();
        self.spare.push(list);
    }

    /// Adds the step of a single tree.
    fn add(&mut self, event: u32, place: usize, step: usize, list: &mut Vec<JointStep>) {
        let start = self.changes.len();
        self.changes.push(Change { place, step, then: NOTHING });
        list.push(JointStep { event, start, end: start + 1 });
    }
}

impl Behaviour {
    /// Enumerates the successors of a row: events and rows, possibly with duplicates.
    pub(super) fn expand(
        &self,
        skeleton: &Skeleton,
        row: &[u32],
        memory: &mut Memory,
        visit: &mut dyn FnMut(u32, &[u32]),
    ) -> Computed<()> {
        self.expand_some(skeleton, row, 0, memory, visit)
    }

    /// Enumerates those successors of a row for which at least so many of its trees take a step.
    pub(super) fn expand_some(
        &self,
        skeleton: &Skeleton,
        row: &[u32],
        least: usize,
        memory: &mut Memory,
        visit: &mut dyn FnMut(u32, &[u32]),
    ) -> Computed<()> {
        memory.begin();
        let mut target = std::mem::take(&mut memory.target);
        let mut steps = memory.joints.list();
        self.join_all(skeleton, row, GateSets::EMPTY, memory, &mut steps)?;
        for joint in steps.iter().filter(|joint| joint.end - joint.start >= least) {
            for event in self.decide_joint(*joint, row, memory)? {
                let Some(decided) = self.decided_joint(*joint, event, memory)? else { continue };
                target.clear();
                if memory.events.gate(event) == GateId::EXIT {
                    target.resize(row.len(), memory.leaf(Behaviour::DONE, &[]));
                } else {
                    target.extend_from_slice(row);
                    for index in decided.start..decided.end {
                        let place = memory.joints.changes[index].place;
                        target[place] = self.target_of(index, memory);
                    }
                }
                visit(event, &target);
            }
        }
        memory.joints.give_back(steps);
        memory.target = target;
        match memory.too_high {
            Some(node) => Err(Box::new(self.too_high(node, memory))),
            None => Ok(()),
        }
    }

    /// Lists the steps of a row below a part of the skeleton, except at some gates.
    fn join_all(
        &self,
        skeleton: &Skeleton,
        row: &[u32],
        but: u32,
        memory: &mut Memory,
        list: &mut Vec<JointStep>,
    ) -> Computed<()> {
        match skeleton {
            Skeleton::Tree(place) => {
                for index in self.all(row[*place], but, memory)? {
                    let event = memory.step_cache.step(index).event;
                    memory.joints.add(event, *place, index, list);
                }
            }
            Skeleton::Pair(point, left, right) => {
                let kind = &self.point(PointId(*point)).kind;
                let is_right = leads(left.leaves(row, memory), right.leaves(row, memory));
                let (one, other) = if is_right { (right, left) } else { (left, right) };
                let mut steps = memory.joints.list();
                self.join_all(one, row, but, memory, &mut steps)?;
                for joint in &steps {
                    if meets_at(kind, memory.events.gate(joint.event)) {
                        self.join_both(*joint, other, row, memory, list)?;
                    } else {
                        list.push(*joint);
                    }
                }
                memory.joints.give_back(steps);
                let but = memory.below(but, *point, kind);
                self.join_all(other, row, but, memory, list)?;
            }
            Skeleton::Hide(point, body) => {
                let kind = &self.point(PointId(*point)).kind;
                let but = memory.below(but, *point, kind);
                let mut steps = memory.joints.list();
                self.join_all(body, row, but, memory, &mut steps)?;
                for joint in &steps {
                    if !hides(kind, memory.events.gate(joint.event)) {
                        list.push(*joint);
                        continue;
                    }
                    for event in self.decide_joint(*joint, row, memory)? {
                        let decided = self.decided_joint(*joint, event, memory)?;
                        list.extend(decided.map(|joint| JointStep { event: Events::INTERNAL, ..joint }));
                    }
                }
                memory.joints.give_back(steps);
            }
        }
        Ok(())
    }

    /// Lists the steps of a row below a part of the skeleton that synchronise with an event.
    fn join_with(
        &self,
        skeleton: &Skeleton,
        row: &[u32],
        event: u32,
        memory: &mut Memory,
        list: &mut Vec<JointStep>,
    ) -> Computed<()> {
        let gate = memory.events.gate(event);
        match skeleton {
            Skeleton::Tree(place) => {
                for index in self.with(row[*place], event, memory)? {
                    let event = memory.step_cache.step(index).event;
                    memory.joints.add(event, *place, index, list);
                }
            }
            Skeleton::Pair(point, left, right) => {
                if !meets_at(&self.point(PointId(*point)).kind, gate) {
                    self.join_with(left, row, event, memory, list)?;
                    return self.join_with(right, row, event, memory, list);
                }
                let mut steps = memory.joints.list();
                self.join_with(left, row, event, memory, &mut steps)?;
                for joint in &steps {
                    self.join_both(*joint, right, row, memory, list)?;
                }
                memory.joints.give_back(steps);
            }
            Skeleton::Hide(point, body) => {
                if !hides(&self.point(PointId(*point)).kind, gate) {
                    self.join_with(body, row, event, memory, list)?;
                }
            }
        }
        Ok(())
    }

    /// Lists the joint steps of one side of a point with a step of the other side.
    fn join_both(
        &self,
        joint: JointStep,
        side: &Skeleton,
        row: &[u32],
        memory: &mut Memory,
        list: &mut Vec<JointStep>,
    ) -> Computed<()> {
        let mut others = memory.joints.list();
        self.join_with(side, row, joint.event, memory, &mut others)?;
        'others: for other in &others {
            let start = memory.joints.changes.len();
            for index in joint.start..joint.end {
                let then = self.target_of(index, memory);
                let Some(then) = self.attempt(then, other.event, memory) else {
                    memory.joints.changes.truncate(start);
                    continue 'others;
                };
                let change = memory.joints.changes[index];
                memory.joints.changes.push(Change { then, ..change });
            }
            memory.joints.changes.extend_from_within(other.start..other.end);
            list.push(JointStep { event: other.event, start, end: memory.joints.changes.len() });
        }
        memory.joints.give_back(others);
        Ok(())
    }

    /// Returns the target of a change, as far as it is decided.
    fn target_of(&self, index: usize, memory: &mut Memory) -> u32 {
        let change = memory.joints.changes[index];
        if change.then != NOTHING {
            return change.then;
        }
        let then = self.made(change.step, memory);
        memory.joints.changes[index].then = then;
        then
    }

    /// Returns the events that a step can be, with all values decided.
    fn decide_joint(&self, joint: JointStep, row: &[u32], memory: &mut Memory) -> Computed<Decided> {
        if !memory.events.is_open(joint.event) {
            return Ok(Decided::one(joint.event));
        }
        // Who leaves a value open is to blame if it can't be decided.
        let mut open = Vec::new();
        let mut first = joint.start;
        for index in (joint.start..joint.end).rev() {
            let then = self.target_of(index, memory);
            if then & OPEN != 0 {
                open.insert(0, then);
                first = index;
            }
        }
        let place = memory.joints.changes[first].place;
        self.decide(joint.event, &open, row[place], memory)
    }

    /// Decides the values of a step as in an event; `None` if they violate a predicate.
    fn decided_joint(
        &self,
        joint: JointStep,
        event: u32,
        memory: &mut Memory,
    ) -> Computed<Option<JointStep>> {
        let is_open = |index| self.target_of(index, memory) & OPEN != 0;
        if !(joint.start..joint.end).any(is_open) {
            return Ok(Some(JointStep { event, ..joint }));
        }
        let start = memory.joints.changes.len();
        for index in joint.start..joint.end {
            let then = self.target_of(index, memory);
            let Some(then) = self.decided(then, event, memory)? else { return Ok(None) };
            let change = memory.joints.changes[index];
            memory.joints.changes.push(Change { then, ..change });
        }
        Ok(Some(JointStep { event, start, end: memory.joints.changes.len() }))
    }
}

/// Returns whether the sides of a point take the steps at a gate together.
pub(super) fn meets_at(kind: &PointKind, gate: GateId) -> bool {
    matches!(kind, PointKind::Parallel { gates, .. } if is_common(gates, gate))
}

/// Returns whether a point hides a gate.
pub(super) fn hides(kind: &PointKind, gate: GateId) -> bool {
    matches!(kind, PointKind::Hide(gates, _) if gates.contains(gate))
}
