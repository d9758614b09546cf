//! Alphabets: the gates at which something can ever happen from a control point on, and sets of gates that a
//! context blocks.

use rustc_hash::FxHashMap;

use super::points::{Behaviour, GateId, GateSet, Jump, PointKind};

/// Returns for each point of parallel composition the first point with the same synchronisation set.
pub(super) fn groups(behaviour: &Behaviour) -> Vec<Option<u32>> {
    let mut firsts: Vec<(&GateSet, u32)> = Vec::new();
    let mut groups = vec![None; behaviour.points.len()];
    for (number, point) in behaviour.points.iter().enumerate() {
        if let PointKind::Parallel { gates, .. } = &point.kind {
            let known = firsts.iter().find(|(known, _)| *known == gates);
            groups[number] = Some(known.map_or(number as u32, |(_, first)| *first));
            if known.is_none() {
                firsts.push((gates, number as u32));
            }
        }
    }
    groups
}

/// Returns the alphabet of each control point. Where more than two processes synchronise at the same gates, a
/// point may come to stand for others of them than those below it in the text.
pub(super) fn alphabets(behaviour: &Behaviour, groups: &[Option<u32>]) -> Vec<GateSet> {
    let mut sets = plain_alphabets(behaviour);
    let mut waiting: Vec<usize> = (0..groups.len()).filter(|point| groups[*point].is_some()).collect();
    while let Some(point) = waiting.pop() {
        for jump in jumps(&behaviour.points[point].kind) {
            let below = entered(behaviour, jump);
            if groups[below] == groups[point] && !sets[point].is_within(&sets[below]) {
                let set = sets[point].clone();
                sets[below].extend(&set);
                waiting.push(below);
            }
        }
    }
    sets
}

/// Follows a jump to the next stable control point, assuming that guards hold.
fn entered(behaviour: &Behaviour, jump: &Jump) -> usize {
    let mut point = jump.point;
    // There are circles, of processes that call each other without a step.
    for _ in 0..behaviour.points.len() {
        match &behaviour.point(point).kind {
            PointKind::Guard(_, next) | PointKind::Let(_, next) => point = next.point,
            _ => break,
        }
    }
    point.0 as usize
}

fn plain_alphabets(behaviour: &Behaviour) -> Vec<GateSet> {
    let count = behaviour.points.len();
    let mut leads: Vec<Vec<usize>> = vec![Vec::new(); count];
    for (number, point) in behaviour.points.iter().enumerate() {
        for jump in jumps(&point.kind) {
            leads[jump.point.0 as usize].push(number);
        }
    }
    let mut sets = vec![GateSet::default(); count];
    let mut waiting: Vec<usize> = (0..count).collect();
    let mut is_waiting = vec![true; count];
    while let Some(number) = waiting.pop() {
        is_waiting[number] = false;
        let set = alphabet(&behaviour.points[number].kind, &sets);
        if set != sets[number] {
            sets[number] = set;
            for before in &leads[number] {
                if !std::mem::replace(&mut is_waiting[*before], true) {
                    waiting.push(*before);
                }
            }
        }
    }
    sets
}

fn jumps(kind: &PointKind) -> Vec<&Jump> {
    match kind {
        PointKind::Stop | PointKind::Done | PointKind::Exit(_) => Vec::new(),
        PointKind::Choice(branches) => branches.iter().collect(),
        PointKind::Prefix { next, .. }
        | PointKind::Over(_, next)
        | PointKind::Guard(_, next)
        | PointKind::Let(_, next)
        | PointKind::Hide(_, next) => vec![next],
        PointKind::Parallel { left, right, .. }
        | PointKind::Enable { left, right, .. }
        | PointKind::Disable(left, right) => vec![left, right],
    }
}

fn alphabet(kind: &PointKind, sets: &[GateSet]) -> GateSet {
    let at = |jump: &Jump| &sets[jump.point.0 as usize];
    let mut set = GateSet::default();
    match kind {
        PointKind::Exit(_) => set.insert(GateId::EXIT),
        PointKind::Hide(gates, body) => {
            set = at(body).without(gates);
            if at(body).meets(gates) {
                set.insert(GateId::INTERNAL);
            }
        }
        PointKind::Enable { left, right, .. } => {
            let mut exit = GateSet::default();
            exit.insert(GateId::EXIT);
            set = at(left).without(&exit);
            if at(left).contains(GateId::EXIT) {
                set.insert(GateId::INTERNAL);
            }
            set.extend(at(right));
        }
        other => {
            if let PointKind::Prefix { gate, .. } = other {
                set.insert(*gate);
            }
            for jump in jumps(other) {
                set.extend(at(jump));
            }
        }
    }
    set
}

/// Interned sets of gates; the first is empty.
#[derive(Debug, Default)]
pub(super) struct GateSets {
    sets: Vec<GateSet>,
    /// The set below a point, on its right side.
    below: FxHashMap<(u32, u32), u32>,
}

impl GateSets {
    /// The empty set.
    pub(super) const EMPTY: u32 = 0;

    /// Makes the first set.
    pub(super) fn prepare(&mut self) {
        if self.sets.is_empty() {
            self.sets.push(GateSet::default());
        }
    }

    /// Returns a set.
    pub(super) fn get(&self, set: u32) -> &GateSet {
        &self.sets[set as usize]
    }

    /// Returns the gates to exclude when the right side of a point, or its only side, is asked for its steps:
    /// the synchronisation gates are excluded, as joint steps are found separately.
    pub(super) fn below(&mut self, set: u32, point: u32, kind: &PointKind) -> u32 {
        if let Some(known) = self.below.get(&(set, point)) {
            return *known;
        }
        let here = self.get(set);
        let mut exit = GateSet::default();
        exit.insert(GateId::EXIT);
        let made = match kind {
            PointKind::Parallel { gates, .. } => {
                let mut made = here.clone();
                made.extend(gates);
                made.extend(&exit);
                made
            }
            // In a process within itself, a gate inside may have the number of another one outside.
            PointKind::Hide(gates, _) => here.without(gates),
            PointKind::Enable { .. } => here.without(&exit),
            _ => here.clone(),
        };
        let number = self.sets.iter().position(|known| *known == made).unwrap_or_else(|| {
            self.sets.push(made);
            self.sets.len() - 1
        }) as u32;
        self.below.insert((set, point), number);
        number
    }
}
