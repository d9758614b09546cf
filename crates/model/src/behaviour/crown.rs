//! The upper part of a state, where trees are not kept.
//!
//! Near its root, the tree of a state comes only once, and nothing is gained by keeping it. So a state is a row of trees, and
//! above them stands the crown, which is the same in all states: points where two sides meet, and points where gates are
//! hidden, as both stay for ever. At first the crown is nothing, and the row a single tree. Once there are many states, trees
//! that seldom come again are taken apart, and their point becomes part of the crown.

use super::alphabet::Sets;
use super::answers::OPEN;
use super::events::Events;
use super::memory::{Memory, NOTHING};
use super::points::{Behaviour, GateId, PointId, PointKind};
use super::rewrite::Computed;
use super::steps::{Decided, is_common, leads};

/// What is above the trees of a state.
#[derive(Debug)]
pub(super) enum Crown {
    /// A tree, by its place in the row.
    Tree(usize),
    /// A point, and its two sides.
    Pair(u32, Box<Crown>, Box<Crown>),
    /// A point where gates are hidden, and what is below it.
    Hide(u32, Box<Crown>),
}

impl Crown {
    /// Puts a point in the place of a tree: below it are the tree at the same place, and if there are two, another one.
    pub(super) fn grow(&mut self, place: usize, point: u32, other: Option<usize>) {
        match self {
            Crown::Tree(found) if *found == place => {
                let tree = Box::new(Crown::Tree(place));
                *self = match other {
                    Some(other) => Crown::Pair(point, tree, Box::new(Crown::Tree(other))),
                    None => Crown::Hide(point, tree),
                };
            }
            Crown::Tree(_) => {}
            Crown::Pair(_, left, right) => {
                left.grow(place, point, other);
                right.grow(place, point, other);
            }
            Crown::Hide(_, body) => body.grow(place, point, other),
        }
    }

    /// Returns about how many processes there are.
    fn leaves(&self, row: &[u32], memory: &mut Memory) -> u32 {
        match self {
            Crown::Tree(place) => memory.leaves(row[*place]),
            Crown::Pair(_, left, right) => left.leaves(row, memory) + right.leaves(row, memory),
            Crown::Hide(_, body) => body.leaves(row, memory),
        }
    }
}

/// A step that some trees of a row take together: an event, and which changes belong to it.
#[derive(Clone, Copy, Debug)]
struct Joint {
    event: u32,
    start: usize,
    end: usize,
}

/// What becomes of a tree of a row.
#[derive(Clone, Copy, Debug)]
struct Change {
    place: usize,
    /// Which step it takes.
    step: usize,
    /// What it becomes; [`NOTHING`] as long as nobody asked.
    then: u32,
}

/// Steps of rows while they are put together.
#[derive(Debug, Default)]
pub(super) struct Joints {
    changes: Vec<Change>,
    /// Lists to be used again.
    spare: Vec<Vec<Joint>>,
}

impl Joints {
    /// Gets ready for another state.
    pub(super) fn clear(&mut self) {
        self.changes.clear();
    }

    fn list(&mut self) -> Vec<Joint> {
        self.spare.pop().unwrap_or_default()
    }

    fn give_back(&mut self, mut list: Vec<Joint>) {
        list.clear();
        self.spare.push(list);
    }

    /// Adds the step of a single tree.
    fn add(&mut self, event: u32, place: usize, step: usize, list: &mut Vec<Joint>) {
        let start = self.changes.len();
        self.changes.push(Change { place, step, then: NOTHING });
        list.push(Joint { event, start, end: start + 1 });
    }
}

impl Behaviour {
    /// Finds all successors of a row, and shows the event and the row of each. Two may be the same.
    pub(super) fn expand(
        &self,
        crown: &Crown,
        row: &[u32],
        memory: &mut Memory,
        visit: &mut dyn FnMut(u32, &[u32]),
    ) -> Computed<()> {
        memory.begin();
        let mut target = std::mem::take(&mut memory.target);
        let mut steps = memory.joints.list();
        self.join_all(crown, row, Sets::EMPTY, memory, &mut steps)?;
        for joint in &steps {
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

    /// Lists what a row can do below a part of the crown but at some gates.
    fn join_all(
        &self,
        crown: &Crown,
        row: &[u32],
        but: u32,
        memory: &mut Memory,
        list: &mut Vec<Joint>,
    ) -> Computed<()> {
        match crown {
            Crown::Tree(place) => {
                for index in self.all(row[*place], but, memory)? {
                    let event = memory.answers.step(index).event;
                    memory.joints.add(event, *place, index, list);
                }
            }
            Crown::Pair(point, left, right) => {
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
            Crown::Hide(point, body) => {
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
                        list.extend(decided.map(|joint| Joint { event: Events::INTERNAL, ..joint }));
                    }
                }
                memory.joints.give_back(steps);
            }
        }
        Ok(())
    }

    /// Lists what a row can do below a part of the crown with somebody who takes part in an event.
    fn join_with(
        &self,
        crown: &Crown,
        row: &[u32],
        event: u32,
        memory: &mut Memory,
        list: &mut Vec<Joint>,
    ) -> Computed<()> {
        let gate = memory.events.gate(event);
        match crown {
            Crown::Tree(place) => {
                for index in self.with(row[*place], event, memory)? {
                    let event = memory.answers.step(index).event;
                    memory.joints.add(event, *place, index, list);
                }
            }
            Crown::Pair(point, left, right) => {
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
            Crown::Hide(point, body) => {
                if !hides(&self.point(PointId(*point)).kind, gate) {
                    self.join_with(body, row, event, memory, list)?;
                }
            }
        }
        Ok(())
    }

    /// Lists what a side of a crown does together with a step of the other side.
    fn join_both(
        &self,
        joint: Joint,
        side: &Crown,
        row: &[u32],
        memory: &mut Memory,
        list: &mut Vec<Joint>,
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
            list.push(Joint { event: other.event, start, end: memory.joints.changes.len() });
        }
        memory.joints.give_back(others);
        Ok(())
    }

    /// Returns what a tree becomes by a change, as far as that is decided.
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
    fn decide_joint(&self, joint: Joint, row: &[u32], memory: &mut Memory) -> Computed<Decided> {
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

    /// Follows a step whose values are those of an event; `None` if they are not what somebody asks for.
    fn decided_joint(&self, joint: Joint, event: u32, memory: &mut Memory) -> Computed<Option<Joint>> {
        let is_open = |index| self.target_of(index, memory) & OPEN != 0;
        if !(joint.start..joint.end).any(is_open) {
            return Ok(Some(Joint { event, ..joint }));
        }
        let start = memory.joints.changes.len();
        for index in joint.start..joint.end {
            let then = self.target_of(index, memory);
            let Some(then) = self.decided(then, event, memory)? else { return Ok(None) };
            let change = memory.joints.changes[index];
            memory.joints.changes.push(Change { then, ..change });
        }
        Ok(Some(Joint { event, start, end: memory.joints.changes.len() }))
    }
}

/// Returns whether the sides of a point take the steps at a gate together.
fn meets_at(kind: &PointKind, gate: GateId) -> bool {
    matches!(kind, PointKind::Parallel { gates, .. } if is_common(gates, gate))
}

/// Returns whether a point hides a gate.
fn hides(kind: &PointKind, gate: GateId) -> bool {
    matches!(kind, PointKind::Hide(gates, _) if gates.contains(gate))
}
