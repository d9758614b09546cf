//! What can be said of a system before any state is looked at.

use narrows_model::{
    Area, Guard, LocationId, Outline, Place, Proctype, Setup, StateSpace, Statement, System,
};

use crate::Engine;

/// More variables than this are put together, arrays and structures first.
const MAX_VARIABLES: usize = 512;

/// Facts about a system.
pub(super) struct Statics<'s> {
    pub(super) system: &'s System,
    /// The number of the variable that each global byte belongs to.
    pub(super) variable_of: Vec<u16>,
    /// The bytes of global variables that no step writes, with their values.
    pub(super) fixed: Vec<Option<u8>>,
    /// The bytes of global variables that are always 0, because nobody reads them.
    pub(super) unread: Vec<bool>,
    pub(super) proctypes: Vec<ProcessFacts>,
}

/// Facts about a kind of process.
pub(super) struct ProcessFacts {
    /// Which bytes of its local variables no step writes.
    pub(super) fixed: Vec<bool>,
    /// The locations inside an atomic sequence: a process gets there without pausing.
    pub(super) inside: Vec<bool>,
    /// The locations where one edge is possible only if others are not.
    pub(super) entangled: Vec<bool>,
    /// For each location, those that can be reached from it, itself included.
    pub(super) reachable: Vec<Vec<LocationId>>,
    /// Whether processes of this kind bring channels with them.
    pub(super) has_channels: bool,
}

impl<'s> Statics<'s> {
    /// Looks at a system; `None` if it has something that makes every two steps depend on each other.
    pub(super) fn new(engine: &Engine<'s>) -> Option<Statics<'s>> {
        let evaluator = engine.evaluator();
        let system = evaluator.system();
        if system.has_priorities || system.tracks_last || system.hidden_bytes > 0 {
            return None;
        }
        let (initial, _) = evaluator.initial().ok()?;
        let mut outline = Outline::default();
        evaluator.outline(&initial, &mut outline);
        let globals = &initial[outline.globals..][..system.global_bytes as usize];
        let mut written = vec![false; globals.len()];
        let mut local_writes = Vec::new();
        for proctype in &system.proctypes {
            let mut local = vec![false; proctype.local_bytes as usize];
            each_store(proctype, &mut |place| match place.area {
                Area::Global => mark(&mut written, place),
                Area::Local => mark(&mut local, place),
                Area::Hidden => {}
            });
            local_writes.push(local);
        }
        let fixed =
            globals.iter().zip(&written).map(|(value, written)| (!written).then_some(*value)).collect();
        let kinds = system
            .proctypes
            .iter()
            .zip(local_writes)
            .map(|(proctype, written)| ProcessFacts::new(proctype, &written));
        let mut unread = vec![false; system.global_bytes as usize];
        for range in system.unread.iter().filter(|_| engine.forgets()) {
            unread[range.start as usize..range.end as usize].fill(true);
        }
        Some(Statics { system, variable_of: variables(system), fixed, unread, proctypes: kinds.collect() })
    }

    pub(super) fn proctype(&self, number: usize) -> &'s Proctype {
        &self.system.proctypes[number]
    }
}

impl ProcessFacts {
    fn new(proctype: &Proctype, written: &[bool]) -> ProcessFacts {
        let mut inside = vec![false; proctype.locations.len()];
        for transition in proctype.transitions.iter().filter(|transition| transition.atomic) {
            inside[usize::from(transition.target.0)] = true;
        }
        let entangled = |location: &narrows_model::Location| {
            location
                .edges
                .iter()
                .any(|edge| edge.escape > 0 || is_else(&proctype.transition(edge.transition).statement))
        };
        ProcessFacts {
            fixed: written.iter().map(|written| !written).collect(),
            inside,
            entangled: proctype.locations.iter().map(entangled).collect(),
            reachable: (0..proctype.locations.len()).map(|start| reachable(proctype, start)).collect(),
            has_channels: proctype.setup.iter().any(|step| matches!(step, Setup::Channel(..))),
        }
    }
}

fn reachable(proctype: &Proctype, start: usize) -> Vec<LocationId> {
    let mut known = vec![false; proctype.locations.len()];
    known[start] = true;
    let mut list = vec![LocationId(start as u16)];
    let mut next = 0;
    while let Some(location) = list.get(next).copied() {
        next += 1;
        for edge in &proctype.location(location).edges {
            let target = proctype.transition(edge.transition).target;
            if !std::mem::replace(&mut known[usize::from(target.0)], true) {
                list.push(target);
            }
        }
    }
    list
}

/// Returns whether a statement is possible only if its neighbours are not.
pub(crate) fn is_else(statement: &Statement) -> bool {
    match statement {
        Statement::Else => true,
        Statement::DStep(step) => step.guards.contains(&Guard::Else),
        _ => false,
    }
}

/// Numbers the global variables: each scalar by itself, unless there are too many.
fn variables(system: &System) -> Vec<u16> {
    let mut numbers = vec![0; system.global_bytes as usize];
    let together = system.globals.len() > MAX_VARIABLES;
    let base = |name: &str| name.split(['[', '.']).next().unwrap_or_default().to_owned();
    let mut names: Vec<String> = Vec::new();
    for (number, leaf) in system.globals.iter().enumerate() {
        let number = if together {
            let name = base(&leaf.name);
            if names.last() != Some(&name) {
                names.push(name);
            }
            names.len() - 1
        } else {
            number
        };
        let number = number % usize::from(u16::MAX);
        let start = leaf.offset as usize;
        numbers[start..start + leaf.scalar.bytes() as usize].fill(number as u16);
    }
    numbers
}

fn mark(bytes: &mut [bool], place: &Place) {
    let extent = place.extent();
    let end = extent.end.min(bytes.len());
    bytes[extent.start.min(end)..end].fill(true);
}

/// Visits every place that a step of a kind of process may write.
fn each_store(proctype: &Proctype, visit: &mut dyn FnMut(&Place)) {
    proctype.transitions.iter().for_each(|transition| transition.statement.each_store(visit));
}
