//! A behaviour as components: sequential and dynamic parts below static operators.
//!
//! Near its root, the tree of a state has points of parallel composition and of hiding, which stay where they
//! are: the *arrangement*. The trees below it are the components. Who takes part in a step is known from the
//! arrangement: at a gate where two sides synchronise, one component or more of either side, and elsewhere
//! those of one side. What such a group does depends on its components alone, as no operator gives one step
//! priority over another.
//!
//! Two groups may have the same step, if those of them that the other lacks stay as they are. It counts as a
//! step of the first, in the order of their sizes.
//!
//! Which components can ever meet in an event, and which can stay as they are in one, is not computed but
//! noted as they come up: the first keeps groups few, the second spares looking at others. Where something
//! was taken for granted that is no longer so, [`Components::is_outdated`] says it.

use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::{FxHashMap, FxHashSet};

use super::alphabet::GateSets;
use super::events::Events;
use super::memory::Memory;
use super::points::{Behaviour, GateId, PointId, PointKind};
use super::static_skeleton::{Skeleton, hides, meets_at};
use super::step_cache::OPEN;
use crate::{Components, Group, GroupSteps};

/// A behaviour taken apart.
pub(super) struct Parts<'b> {
    behaviour: &'b Behaviour,
    memory: Memory,
    arrangements: Vec<Arrangement>,
    numbers: FxHashMap<Vec<u32>, u32>,
    /// The events in which components at each place take part.
    events: FxHashMap<u16, FxHashSet<u32>>,
    /// The places of components that can meet in an event.
    meetings: FxHashSet<(u16, u16)>,
    /// The events in which a component at a place may stay as it is.
    idle: FxHashMap<u16, Vec<u32>>,
    /// What was taken for granted: that no component at a place stays as it is in an event, or at a gate.
    relied: FxHashSet<(u16, Unmoved)>,
    is_outdated: bool,
}

/// A step in which a component might stay as it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Unmoved {
    Event(u32),
    Gate(GateId),
}

/// How components are put together.
struct Arrangement {
    skeleton: Skeleton,
    /// The points in preorder; [`PLACE`] stands for a component.
    points: Vec<u32>,
    /// The groups, `None` if they are too many; and whether they were looked for.
    groups: Option<Vec<Group>>,
    is_grouped: bool,
    /// The gates of each group, as those see them who look at the whole.
    outer: Vec<Vec<GateId>>,
}

const PLACE: u32 = u32::MAX;

/// More groups than this are too many.
const MAX_GROUPS: usize = 1 << 12;

/// A way in which components can synchronise: the gate as it is seen above, the gate that they know, who.
type Way = (GateId, GateId, Vec<u16>);

/// Gates as they are seen above, and as the components know them.
type GatePairs = Vec<(GateId, GateId)>;

impl<'b> Parts<'b> {
    pub(super) fn new(behaviour: &'b Behaviour) -> Parts<'b> {
        let mut memory = Memory::default();
        memory.prepare(behaviour);
        Parts {
            behaviour,
            memory,
            arrangements: Vec::new(),
            numbers: FxHashMap::default(),
            events: FxHashMap::default(),
            meetings: FxHashSet::default(),
            idle: FxHashMap::default(),
            relied: FxHashSet::default(),
            is_outdated: false,
        }
    }

    /// Takes a tree apart.
    fn take_apart(&mut self, tree: u32, parts: &mut Vec<u32>) -> u32 {
        let mut points = Vec::new();
        let first = parts.len();
        let skeleton = self.descend(tree, &mut points, parts, first);
        if let Some(number) = self.numbers.get(&points) {
            return *number;
        }
        let number = self.arrangements.len() as u32;
        self.numbers.insert(points.clone(), number);
        let (groups, outer) = (None, Vec::new());
        self.arrangements.push(Arrangement { skeleton, points, groups, is_grouped: false, outer });
        number
    }

    fn descend(&self, tree: u32, points: &mut Vec<u32>, parts: &mut Vec<u32>, first: usize) -> Skeleton {
        let [point, left, right] = self.memory.nodes.get(tree);
        match &self.behaviour.point(PointId(point)).kind {
            PointKind::Parallel { .. } => {
                points.push(point);
                let left = Box::new(self.descend(left, points, parts, first));
                let right = Box::new(self.descend(right, points, parts, first));
                Skeleton::Pair(point, left, right)
            }
            PointKind::Hide(..) => {
                points.push(point);
                Skeleton::Hide(point, Box::new(self.descend(left, points, parts, first)))
            }
            _ => {
                points.push(PLACE);
                parts.push(tree);
                Skeleton::Tree(parts.len() - 1 - first)
            }
        }
    }

    /// Finds the groups of an arrangement.
    fn find_groups(&mut self, number: usize) {
        let ways = self.ways(&self.arrangements[number].skeleton);
        let arrangement = &mut self.arrangements[number];
        arrangement.is_grouped = true;
        let Some(ways) = ways else {
            arrangement.groups = None;
            return;
        };
        let mut all: BTreeMap<(usize, Vec<u16>), GatePairs> = BTreeMap::new();
        for (outer, inner, mut members) in ways {
            members.sort_unstable();
            all.entry((members.len(), members)).or_default().push((outer, inner));
        }
        let (mut groups, mut outer) = (Vec::new(), Vec::new());
        for ((_, members), gates) in all {
            let mut inner: Vec<u16> = gates.iter().map(|(_, inner)| inner.0).collect();
            inner.sort_unstable();
            inner.dedup();
            groups.push(Group { members, gates: inner });
            let mut seen: Vec<GateId> = gates.iter().map(|(outer, _)| *outer).collect();
            seen.sort_unstable_by_key(|gate| gate.0);
            seen.dedup();
            outer.push(seen);
        }
        (arrangement.groups, arrangement.outer) = (Some(groups), outer);
    }

    /// Returns how components below a part of the skeleton can synchronise; `None` if in too many ways.
    fn ways(&self, skeleton: &Skeleton) -> Option<Vec<Way>> {
        let mut ways = Vec::new();
        match skeleton {
            Skeleton::Tree(place) => {
                let place = *place as u16;
                let events = self.events.get(&place).into_iter().flatten();
                let gates: BTreeSet<u16> = events.map(|event| self.memory.events.gate(*event).0).collect();
                ways.extend(gates.into_iter().map(|gate| (GateId(gate), GateId(gate), vec![place])));
            }
            Skeleton::Hide(point, body) => {
                let kind = &self.behaviour.point(PointId(*point)).kind;
                for (outer, inner, members) in self.ways(body)? {
                    let outer = if hides(kind, outer) { GateId::INTERNAL } else { outer };
                    ways.push((outer, inner, members));
                }
            }
            Skeleton::Pair(point, left, right) => {
                let kind = &self.behaviour.point(PointId(*point)).kind;
                let (left, right) = (self.ways(left)?, self.ways(right)?);
                for (outer, inner, members) in &left {
                    if !meets_at(kind, *outer) {
                        ways.push((*outer, *inner, members.clone()));
                        continue;
                    }
                    let meet = |others: &[u16]| {
                        let mut pairs =
                            members.iter().flat_map(|one| others.iter().map(move |other| (*one, *other)));
                        pairs.all(|pair| self.meetings.contains(&pair))
                    };
                    let partners = right.iter().filter(|(other, _, _)| other == outer);
                    for (_, _, others) in partners.filter(|(_, _, others)| meet(others)) {
                        ways.push((*outer, *inner, [members.as_slice(), others].concat()));
                        if ways.len() > MAX_GROUPS {
                            return None;
                        }
                    }
                }
                ways.extend(right.into_iter().filter(|(outer, _, _)| !meets_at(kind, *outer)));
            }
        }
        (ways.len() <= MAX_GROUPS).then_some(ways)
    }

    /// Takes note of the events in which a component takes part.
    fn note_events(&mut self, place: u16, events: Vec<u32>) {
        let Parts { memory, events: known, meetings, .. } = self;
        let others: Vec<u16> = known.keys().copied().filter(|other| *other != place).collect();
        for event in events {
            let own = known.entry(place).or_default();
            let gate = memory.events.gate(event);
            let is_new_gate = !own.iter().any(|event| memory.events.gate(*event) == gate);
            if !own.insert(event) {
                continue;
            }
            self.is_outdated |= is_new_gate;
            for other in &others {
                if meetings.contains(&(place, *other)) {
                    continue;
                }
                let theirs = known.get(other).into_iter().flatten();
                if theirs.into_iter().any(|other| memory.events.meet(event, *other).is_some()) {
                    meetings.extend([(place, *other), (*other, place)]);
                    self.is_outdated = true;
                }
            }
        }
    }

    /// Returns the steps that exactly some components take: events, and all trees after them.
    fn joint_steps(
        &mut self,
        arrangement: u32,
        parts: &[u32],
        members: &[u16],
    ) -> Option<FxHashSet<(u32, Vec<u32>)>> {
        let Parts { behaviour, memory, arrangements, .. } = self;
        let stopped = memory.leaf(Behaviour::STOP, &[]);
        // Nobody else can take part.
        let mut row = vec![stopped; parts.len()];
        for member in members {
            row[usize::from(*member)] = parts[usize::from(*member)];
        }
        let mut found = FxHashSet::default();
        let skeleton = &arrangements[arrangement as usize].skeleton;
        let result = behaviour.expand_some(skeleton, &row, members.len(), memory, &mut |event, row| {
            let mut target = parts.to_vec();
            for member in members {
                target[usize::from(*member)] = row[usize::from(*member)];
            }
            found.insert((event, target));
        });
        let ends = found.iter().any(|(event, _)| memory.events.gate(*event) == GateId::EXIT);
        // Where all end together, nothing is left of the arrangement.
        (result.is_ok() && !ends).then_some(found)
    }

    /// Returns whether a component stays as it is in a step, as far as is known; if not, that is relied upon.
    fn may_idle(&mut self, place: u16, unmoved: Unmoved) -> bool {
        let Parts { memory, idle, relied, .. } = self;
        let is_known = idle
            .get(&place)
            .is_some_and(|events| events.iter().any(|event| is_compatible(memory, unmoved, *event)));
        if !is_known {
            relied.insert((place, unmoved));
        }
        is_known
    }

    /// Returns whether another group takes a step too, in which `changed` are those that do not stay as they
    /// are.
    fn takes(
        &mut self,
        (arrangement, parts, group): (u32, &[u32], usize),
        step: &(u32, Vec<u32>),
        changed: &[u16],
        others: &mut Vec<u16>,
    ) -> Option<bool> {
        let gate = self.memory.events.gate(step.0);
        let here = &self.arrangements[arrangement as usize];
        if !here.outer[group].contains(&gate) {
            return Some(false);
        }
        let Some(Group { members, gates }) = here.groups.as_ref().map(|groups| groups[group].clone()) else {
            return Some(false);
        };
        if !changed.iter().all(|place| members.contains(place)) {
            return Some(false);
        }
        for place in members.iter().filter(|place| !changed.contains(place)) {
            // What is hidden may come of any of the gates.
            let may_idle = if step.0 == Events::INTERNAL {
                let mut gates = gates.iter().map(|gate| Unmoved::Gate(GateId(*gate)));
                gates.any(|gate| self.may_idle(*place, gate))
            } else {
                self.may_idle(*place, Unmoved::Event(step.0))
            };
            if !may_idle {
                return Some(false);
            }
        }
        others.extend(&members);
        Some(self.joint_steps(arrangement, parts, &members)?.contains(step))
    }
}

/// Returns whether an event may be one in which a component stays as it is.
fn is_compatible(memory: &mut Memory, unmoved: Unmoved, idle: u32) -> bool {
    match unmoved {
        Unmoved::Gate(gate) => memory.events.gate(idle) == gate,
        Unmoved::Event(event) => memory.events.meet(event, idle).is_some(),
    }
}

impl Components for Parts<'_> {
    fn split(&mut self, mut state: &[u8], parts: &mut Vec<u32>) -> u32 {
        let tree = self.behaviour.read(&mut state, &mut self.memory);
        self.take_apart(tree, parts)
    }

    fn join(&self, arrangement: u32, parts: &[u32], state: &mut Vec<u8>) {
        let mut place = 0;
        for point in &self.arrangements[arrangement as usize].points {
            if *point == PLACE {
                self.behaviour.write(parts[place], &self.memory, state);
                place += 1;
            } else {
                super::values::write_number(*point, state);
            }
        }
    }

    fn note(&mut self, arrangement: u32, place: u16, component: u32) {
        self.is_outdated |= !self.arrangements[arrangement as usize].is_grouped;
        self.memory.begin();
        // What can't be evaluated has no steps here: whoever asks hears of it.
        let Ok(steps) = self.behaviour.all(component, GateSets::EMPTY, &mut self.memory) else { return };
        let (mut events, mut idle) = (Vec::new(), Vec::new());
        for index in steps {
            let then = self.behaviour.made(index, &mut self.memory);
            let event = self.memory.step_cache.step(index).event;
            events.push(event);
            if then == component || then & OPEN != 0 {
                idle.push(event);
            }
        }
        self.note_events(place, events);
        for event in idle {
            let known = self.idle.entry(place).or_default();
            if known.contains(&event) {
                continue;
            }
            known.push(event);
            let relied: Vec<Unmoved> = self
                .relied
                .iter()
                .filter(|(other, _)| *other == place)
                .map(|(_, unmoved)| *unmoved)
                .collect();
            self.is_outdated |=
                relied.into_iter().any(|unmoved| is_compatible(&mut self.memory, unmoved, event));
        }
    }

    fn is_outdated(&self) -> bool {
        self.is_outdated
    }

    fn begin(&mut self) {
        self.relied.clear();
        (0..self.arrangements.len()).for_each(|number| self.find_groups(number));
        self.is_outdated = false;
    }

    fn groups(&self, arrangement: u32) -> Option<&[Group]> {
        self.arrangements[arrangement as usize].groups.as_deref()
    }

    fn gates(&mut self, component: u32) -> Option<Vec<u16>> {
        self.memory.begin();
        let steps = self.behaviour.all(component, GateSets::EMPTY, &mut self.memory).ok()?;
        let steps = self.memory.step_cache.steps(steps);
        let mut gates: Vec<u16> = steps.iter().map(|step| self.memory.events.gate(step.event).0).collect();
        gates.sort_unstable();
        gates.dedup();
        Some(gates)
    }

    fn steps(&mut self, arrangement: u32, parts: &[u32], group: usize) -> Option<GroupSteps> {
        let members = self.arrangements[arrangement as usize].groups.as_ref()?.get(group)?.members.clone();
        let mut found: Vec<(u32, Vec<u32>)> =
            self.joint_steps(arrangement, parts, &members)?.into_iter().collect();
        found.sort_unstable();
        let mut steps = GroupSteps::default();
        'steps: for step in found {
            let is_changed = |place: &u16| step.1[usize::from(*place)] != parts[usize::from(*place)];
            let changed: Vec<u16> = members.iter().copied().filter(is_changed).collect();
            if changed.len() < members.len() {
                for before in 0..group {
                    if self.takes((arrangement, parts, before), &step, &changed, &mut steps.others)? {
                        continue 'steps;
                    }
                }
            }
            // A component may have become several.
            let mut target = Vec::with_capacity(parts.len());
            let tree = self.together(arrangement, &step.1);
            let arrangement = self.take_apart(tree, &mut target);
            steps.targets.push((arrangement, target));
        }
        steps.others.sort_unstable();
        steps.others.dedup();
        Some(steps)
    }

    fn bytes(&self) -> u64 {
        self.memory.bytes()
    }
}

impl Parts<'_> {
    /// Returns the tree of an arrangement with its components.
    fn together(&mut self, arrangement: u32, parts: &[u32]) -> u32 {
        fn build(skeleton: &Skeleton, parts: &[u32], memory: &mut Memory) -> u32 {
            match skeleton {
                Skeleton::Tree(place) => parts[*place],
                Skeleton::Hide(point, body) => {
                    let body = build(body, parts, memory);
                    memory.wrap(*point, body, 0)
                }
                Skeleton::Pair(point, left, right) => {
                    let (left, right) = (build(left, parts, memory), build(right, parts, memory));
                    memory.pair(*point, left, right)
                }
            }
        }
        build(&self.arrangements[arrangement as usize].skeleton, parts, &mut self.memory)
    }
}
