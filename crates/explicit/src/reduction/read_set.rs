//! What a process looks at and touches in one step, as bytes of a state.
//!
//! A step may be an atomic sequence, so everything counts that the process may do before it pauses. Where
//! steps depend on what others do at the same time, as in a rendezvous, or on which processes there are,
//! nothing is known.

use std::ops::Range;

use narrows_model::{Evaluator, LocationId, Outline, ProcessOutline, Statement, Transition};

use super::footprint::{Channels, Footprint};
use super::resolve::{Known, Resolver};
use super::statics::Statics;
use crate::Engine;

/// Finds out what processes look at.
pub(crate) struct ReadSets<'s> {
    evaluator: Evaluator<'s>,
    statics: Statics<'s>,
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
        Some(ReadSets { evaluator, statics: Statics::new(engine)? })
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
        let may_take = |other: usize, process: &ProcessOutline| {
            let known = self.known(state, other, process);
            let resolver = self.resolver(&known);
            let transitions = &self.statics.proctype(known.proctype).transitions;
            transitions
                .iter()
                .any(|transition| resolver.deed(&transition.statement).does.receives.meets(sends))
        };
        let others = outline.processes.iter().enumerate().filter(|(other, _)| *other != pid);
        // Where processes come and go, any may.
        let takers = others.filter(|(other, process)| !is_constant || may_take(*other, process));
        let mut takers: Vec<u8> = takers.map(|(other, _)| other as u8).collect();
        if !is_constant {
            takers = (0..u8::MAX).filter(|other| usize::from(*other) != pid).collect();
        }
        Some(takers)
    }

    fn own_bytes(&self, process: &ProcessOutline) -> Range<u32> {
        let local_bytes = self.statics.system.proctype(process.proctype).local_bytes;
        process.start as u32..process.locals as u32 + local_bytes
    }

    /// Returns the channels of a state that have no buffer.
    fn meetings(&self, outline: &Outline) -> Channels {
        let kinds = &self.statics.system.channel_kinds;
        let mut meetings = Channels::default();
        let channels = (1_u8..).zip(&outline.channels);
        for (number, _) in channels.filter(|(_, channel)| kinds[channel.kind].capacity == 0) {
            meetings.insert(number);
        }
        meetings
    }

    /// Appends the bytes of variables and channels that are touched.
    fn add_touched(&self, footprint: &Footprint, outline: &Outline, bytes: &mut Vec<Range<u32>>) {
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
    fn known(&self, state: &[u8], pid: usize, process: &ProcessOutline) -> Known {
        let proctype = usize::from(process.proctype.0);
        let fixed = &self.statics.proctypes[proctype].fixed;
        let locals = &state[process.locals..process.locals + fixed.len()];
        let locals = locals.iter().zip(fixed).map(|(value, fixed)| fixed.then_some(*value)).collect();
        Known { proctype, pid: Some(pid as u8), locals }
    }

    fn resolver<'r>(&'r self, known: &'r Known) -> Resolver<'r, 's> {
        Resolver { statics: &self.statics, known }
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

/// How many bytes of a channel come before its messages.
const CHANNEL_HEAD: u32 = 4;
