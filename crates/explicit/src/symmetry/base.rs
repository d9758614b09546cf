//! The state from which on instances may be exchanged.
//!
//! Mostly that is the initial one. Where processes are created at the start, as by `init { atomic { run a();
//! run a() } }`, it is the first state after which none is created any more, if there is but one way there:
//! the states before are left alone, and all others have the same processes and channels.

use std::ops::ControlFlow;

use narrows_model::{
    Evaluator, LocationId, Outline, Proctype, Scratch, StateSpace, Statement, System, TransitionId,
};

/// So many steps may lead there.
const MAX_STEPS: usize = 4_096;

/// The transitions of a kind of process that it can come to, and which locations.
pub(super) type Reached = (Vec<TransitionId>, Vec<bool>);

/// Where exchanges begin.
pub(super) struct Base {
    pub(super) state: Vec<u8>,
    pub(super) outline: Outline,
    /// For each kind of process, what its processes can come to.
    pub(super) reached: Vec<Reached>,
    /// Whether it is the initial state.
    pub(super) is_initial: bool,
}

/// Tells in which states anything may be exchanged: those with the same processes and channels, in which none
/// of them is still where processes are created.
#[derive(Clone, Debug, Default)]
pub(super) struct Guard {
    length: usize,
    /// Where locations stand in a state, and which ones may be there.
    locations: Vec<(usize, Vec<bool>)>,
}

/// Returns where a process is in a state.
fn location(state: &[u8], start: usize) -> LocationId {
    LocationId(u16::from_le_bytes([state[start + 2], state[start + 3]]))
}

impl Base {
    pub(super) fn find(evaluator: Evaluator<'_>) -> Result<Base, &'static str> {
        let Ok((mut state, violations)) = evaluator.initial() else {
            return Err("the model has no initial state");
        };
        if !violations.is_empty() {
            return Err("something goes wrong at the start");
        }
        let system = evaluator.system();
        let mut scratch = Scratch::default();
        for step in 0..MAX_STEPS {
            let mut outline = Outline::default();
            evaluator.outline(&state, &mut outline);
            let reached = reached_from(system, &outline, &state);
            if !creates(system, &reached) {
                return Ok(Base { state, outline, reached, is_initial: step == 0 });
            }
            let mut next: Vec<Option<Vec<u8>>> = Vec::new();
            evaluator.successors(&state, &mut scratch, &mut |successor| {
                let is_plain = successor.violations.is_empty();
                next.push(successor.target.filter(|_| is_plain).map(<[u8]>::to_vec));
                if next.len() < 2 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
            });
            match next.pop() {
                Some(Some(only)) if next.is_empty() => state = only,
                _ => return Err("processes are created on the way"),
            }
        }
        Err("processes are created on the way")
    }
}

/// Returns what the processes of each kind can come to from where they are.
fn reached_from(system: &System, outline: &Outline, state: &[u8]) -> Vec<Reached> {
    let mut starts: Vec<Vec<LocationId>> = vec![Vec::new(); system.proctypes.len()];
    for process in &outline.processes {
        starts[usize::from(process.proctype.0)].push(location(state, process.start));
    }
    system.proctypes.iter().zip(starts).map(|(proctype, starts)| reached(proctype, starts)).collect()
}

fn reached(proctype: &Proctype, mut waiting: Vec<LocationId>) -> Reached {
    let mut is_reached = vec![false; proctype.locations.len()];
    let mut found = Vec::new();
    while let Some(location) = waiting.pop() {
        if std::mem::replace(&mut is_reached[usize::from(location.0)], true) {
            continue;
        }
        for edge in &proctype.location(location).edges {
            found.push(edge.transition);
            waiting.push(proctype.transition(edge.transition).target);
        }
    }
    found.sort_unstable();
    found.dedup();
    (found, is_reached)
}

/// Returns whether a process may still be created.
fn creates(system: &System, reached: &[Reached]) -> bool {
    let is_run = |statement: &Statement| match statement {
        Statement::Run(..) => true,
        Statement::DStep(step) => step.statements().any(|inside| matches!(inside, Statement::Run(..))),
        _ => false,
    };
    system.proctypes.iter().zip(reached).any(|(proctype, (transitions, _))| {
        transitions.iter().any(|transition| is_run(&proctype.transition(*transition).statement))
    })
}

impl Guard {
    pub(super) fn new(system: &System, outline: &Outline, reached: &[Reached], length: usize) -> Guard {
        let mut locations = Vec::new();
        for process in &outline.processes {
            let kind = usize::from(process.proctype.0);
            let proctype = &system.proctypes[kind];
            // What it can come to at all.
            let (_, all) = self::reached(proctype, vec![proctype.start]);
            if all.iter().zip(&reached[kind].1).any(|(all, now)| *all && !now) {
                locations.push((process.start, reached[kind].1.clone()));
            }
        }
        Guard { length, locations }
    }

    /// Returns whether anything may be exchanged in a state.
    pub(super) fn opens(&self, state: &[u8]) -> bool {
        state.len() == self.length
            && self.locations.iter().all(|(start, reached)| {
                reached.get(usize::from(location(state, *start).0)).copied().unwrap_or(false)
            })
    }
}
