//! What a process looks at and touches in one step, as bytes of a state.
//!
//! A step may be an atomic sequence, so everything counts that the process may do before it pauses. Where
//! steps depend on what others do at the same time, as in a rendezvous, or on which processes there are,
//! nothing is known.

use std::ops::{ControlFlow, Range};
use std::sync::OnceLock;

use narrows_model::{
    Evaluator, LocationId, Outline, ProcessOutline, Scratch, StateSpace, Statement, Transition,
};

use super::footprint::{Channels, Footprint};
use super::resolve::{Known, Resolver};
use super::statics::Statics;
use crate::Engine;

/// Finds out what processes look at.
pub(crate) struct ReadSets<'s> {
    pub(super) evaluator: Evaluator<'s>,
    pub(super) statics: Statics<'s>,
    /// Whether a process of some number is always the same one, if it is there.
    pub(super) is_constant: bool,
    /// If so, from which channels each of them may ever receive.
    pub(super) receives: Box<[OnceLock<Channels>]>,
}

/// What decides about steps.
pub(crate) struct Rounds {
    /// The bytes of each round.
    pub(crate) bytes: Vec<Vec<Range<u32>>>,
    /// Whether nothing else decides.
    pub(crate) is_known: bool,
}

impl std::fmt::Debug for ReadSets<'_> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("ReadSets")
    }
}

impl<'s> ReadSets<'s> {
    /// Prepares it; `None` if nothing can be known of the system.
    pub(crate) fn new(engine: &Engine<'s>) -> Option<ReadSets<'s>> {
        let evaluator = engine.evaluator();
        if evaluator.records_events() {
            return None;
        }
        let statics = Statics::new(engine)?;
        let is_constant = is_constant(evaluator, &statics);
        let receives = (0..=u8::MAX).map(|_| OnceLock::new()).collect();
        Some(ReadSets { evaluator, statics, is_constant, receives })
    }

    /// Appends the bytes that a process looks at or touches, its own first; see
    /// [`StateSpace::looks`](narrows_model::StateSpace::looks).
    pub(crate) fn find(&self, state: &[u8], pid: usize, bytes: &mut Vec<Range<u32>>) -> Option<bool> {
        let mut outline = Outline::default();
        self.evaluator.outline(state, &mut outline);
        let process = outline.processes.get(pid)?;
        bytes.push(self.own_bytes(process));
        let footprint = self.footprint(state, pid, process);
        let Footprint { anything, births, opens, deaths, counts, .. } = footprint;
        let meets = footprint.sends.meets(self.meetings(&outline));
        if anything || births || opens || deaths || counts || meets {
            return Some(false);
        }
        self.add_touched(&footprint, &outline, bytes);
        Some(true)
    }

    /// Tells what decides about what happens where no process can move, for who knows already which processes
    /// and channels there are: the steps that only a timeout makes possible, and whether the processes may
    /// have ended there. What the bytes of each round are depends on those of the rounds before alone.
    pub(crate) fn idle_rounds(&self, state: &[u8]) -> Rounds {
        let mut outline = Outline::default();
        self.evaluator.outline(state, &mut outline);
        let head = |process: &ProcessOutline| process.start as u32..process.locals as u32;
        let heads = outline.processes.iter().map(head).collect();
        let (mut own, mut touched, mut is_known) = (Vec::new(), Vec::new(), true);
        let meetings = self.meetings(&outline);
        for (pid, process) in outline.processes.iter().enumerate() {
            let footprint = self.footprint(state, pid, process);
            // Whether there is a timeout depends on the location alone; who has none stays where it is.
            if !footprint.timeout {
                continue;
            }
            is_known &= !footprint.anything && !footprint.sends.meets(meetings);
            own.push(self.own_bytes(process));
            if footprint.deaths && pid + 1 == outline.processes.len() {
                touched.push(process.start as u32..state.len() as u32);
            }
            self.add_touched(&footprint, &outline, &mut touched);
        }
        Rounds { bytes: vec![heads, own, touched], is_known }
    }

    /// Tells who may take what an edge of a process holds out in a rendezvous; `None` if it can't hold
    /// anything out. `is_constant` says that the components of all states are those of this one.
    pub(crate) fn partners(
        &self,
        state: &[u8],
        (pid, transition): (usize, &Transition),
        is_constant: bool,
    ) -> Option<Vec<u8>> {
        let mut outline = Outline::default();
        self.evaluator.outline(state, &mut outline);
        let Statement::Send(_) = &transition.statement else { return None };
        let known = self.known(state, pid, outline.processes.get(pid)?);
        let sends = self.resolver(&known).deed(&transition.statement).does.sends;
        if !sends.meets(self.meetings(&outline)) {
            return None;
        }
        if !is_constant {
            // Where processes come and go, any may.
            return Some((0..u8::MAX).filter(|other| usize::from(*other) != pid).collect());
        }
        Some(self.takers(state, &outline, pid, sends).map(|other| other as u8).collect())
    }

    /// Returns the processes, but for one, that may ever take what is held out on some channels.
    pub(super) fn takers<'o>(
        &'o self,
        state: &'o [u8],
        outline: &'o Outline,
        pid: usize,
        sends: Channels,
    ) -> impl Iterator<Item = usize> + 'o {
        let others = outline.processes.iter().enumerate().filter(move |(other, _)| *other != pid);
        let may_take = move |(other, process): &(usize, &ProcessOutline)| {
            let receives = || self.receives_of(state, *other, process);
            self.receives[*other].get_or_init(receives).meets(sends)
        };
        others.filter(may_take).map(|(other, _)| other)
    }

    /// Returns the channels that a process may ever receive from.
    fn receives_of(&self, state: &[u8], pid: usize, process: &ProcessOutline) -> Channels {
        let known = self.known(state, pid, process);
        let resolver = self.resolver(&known);
        let mut channels = Channels::default();
        for transition in &self.statics.proctype(known.proctype).transitions {
            channels.union_with(resolver.deed(&transition.statement).does.receives);
        }
        channels
    }

    pub(super) fn own_bytes(&self, process: &ProcessOutline) -> Range<u32> {
        let local_bytes = self.statics.system.proctype(process.proctype).local_bytes;
        process.start as u32..process.locals as u32 + local_bytes
    }

    /// Returns the channels of a state that have no buffer.
    pub(super) fn meetings(&self, outline: &Outline) -> Channels {
        let kinds = &self.statics.system.channel_kinds;
        let mut meetings = Channels::default();
        let channels = (1_u8..).zip(&outline.channels);
        for (number, _) in channels.filter(|(_, channel)| kinds[channel.kind].capacity == 0) {
            meetings.insert(number);
        }
        meetings
    }

    /// Appends the bytes of variables and channels that are touched.
    pub(super) fn add_touched(&self, footprint: &Footprint, outline: &Outline, bytes: &mut Vec<Range<u32>>) {
        for (offset, variable) in self.statics.variable_of.iter().enumerate() {
            let variable = usize::from(*variable);
            if footprint.reads.contains(variable) || footprint.writes.contains(variable) {
                let at = (outline.globals + offset) as u32;
                bytes.push(at..at + 1);
            }
        }
        let Footprint { sends, sorts, receives, queries, .. } = *footprint;
        let touched = sends.union(sorts).union(receives).union(queries);
        let channels = (1_u8..).zip(&outline.channels);
        for (_, channel) in channels.filter(|(number, _)| touched.contains(*number)) {
            let kind = &self.statics.system.channel_kinds[channel.kind];
            let length = CHANNEL_HEAD + u32::from(kind.capacity) * kind.message_bytes();
            bytes.push(channel.start as u32..channel.start as u32 + length);
        }
    }

    /// Returns what is the same in all states in which there is this process.
    pub(super) fn known(&self, state: &[u8], pid: usize, process: &ProcessOutline) -> Known {
        let proctype = usize::from(process.proctype.0);
        let fixed = &self.statics.proctypes[proctype].fixed;
        let locals = &state[process.locals..process.locals + fixed.len()];
        let locals = locals.iter().zip(fixed).map(|(value, fixed)| fixed.then_some(*value)).collect();
        Known { proctype, pid: Some(pid as u8), locals, globals: None }
    }

    pub(super) fn resolver<'r>(&'r self, known: &'r Known) -> Resolver<'r, 's> {
        Resolver { statics: &self.statics, known, later: None }
    }

    fn footprint(&self, state: &[u8], pid: usize, process: &ProcessOutline) -> Footprint {
        let known = self.known(state, pid, process);
        let resolver = self.resolver(&known);
        let proctype = known.proctype;
        let proctype = self.statics.proctype(proctype);
        let mut footprint = Footprint::default();
        let mut locations: Vec<LocationId> = vec![process.location];
        let mut next = 0;
        while let Some(location) = locations.get(next).copied() {
            next += 1;
            for edge in &proctype.location(location).edges {
                let transition = proctype.transition(edge.transition);
                footprint.add(&resolver.deed(&transition.statement).does);
                if transition.atomic && !locations.contains(&transition.target) {
                    locations.push(transition.target);
                }
            }
        }
        footprint
    }
}

/// Returns whether every process that there will ever be is there already in the first state that leads to
/// more than one other, so that a process of some number is always the same one, if it is there.
fn is_constant(evaluator: Evaluator<'_>, statics: &Statics<'_>) -> bool {
    let mut scratch = Scratch::default();
    let mut outline = Outline::default();
    let Ok((mut state, _)) = evaluator.initial() else { return false };
    let mut processes = 0;
    for _ in 0..MAX_SETUP_STEPS {
        evaluator.outline(&state, &mut outline);
        let creates = |process: &ProcessOutline| {
            let proctype = statics.proctype(usize::from(process.proctype.0));
            let reachable = &statics.proctypes[usize::from(process.proctype.0)].reachable;
            let edges = reachable[usize::from(process.location.0)]
                .iter()
                .flat_map(|location| &proctype.location(*location).edges);
            edges.map(|edge| &proctype.transition(edge.transition).statement).any(creates)
        };
        if outline.processes.len() < processes {
            return false;
        }
        processes = outline.processes.len();
        if !outline.processes.iter().any(creates) {
            return true;
        }
        let mut targets = Vec::new();
        evaluator.successors(&state, &mut scratch, &mut |successor| {
            targets.extend(successor.target.map(<[u8]>::to_vec));
            if targets.len() > 1 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        match <[Vec<u8>; 1]>::try_from(targets) {
            Ok([next]) => state = next,
            Err(_) => return false,
        }
    }
    false
}

/// Returns whether a statement creates a process.
fn creates(statement: &Statement) -> bool {
    match statement {
        Statement::Run(..) => true,
        Statement::DStep(step) => step.statements().any(creates),
        _ => false,
    }
}

/// So many steps without a choice are followed at the start.
const MAX_SETUP_STEPS: usize = 1_000;

/// How many bytes of a channel come before its messages.
const CHANNEL_HEAD: u32 = 4;
