//! What a process looks at and touches in one step, as bytes of a state.
//!
//! A step may be an atomic sequence, so everything counts that the process may do before it pauses. Where
//! steps depend on what others do at the same time, as in a rendezvous, or on which processes there are,
//! nothing is known.

use std::ops::Range;

use narrows_model::{Evaluator, LocationId, Outline, ProcessOutline};

use super::footprint::{Channels, Footprint};
use super::resolve::{Known, Resolver};
use super::statics::Statics;
use crate::Engine;

/// Finds out what processes look at.
pub(crate) struct ReadSets<'s> {
    evaluator: Evaluator<'s>,
    statics: Statics<'s>,
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
        let local_bytes = self.statics.system.proctype(process.proctype).local_bytes;
        bytes.push(process.start as u32..process.locals as u32 + local_bytes);
        let footprint = self.footprint(state, pid, process);
        let kinds = &self.statics.system.channel_kinds;
        let mut meeting = Channels::default();
        let channels = || (1_u8..).zip(&outline.channels);
        for (number, _) in channels().filter(|(_, channel)| kinds[channel.kind].capacity == 0) {
            meeting.insert(number);
        }
        let Footprint { anything, births, opens, deaths, counts, .. } = footprint;
        if anything || births || opens || deaths || counts || footprint.sends.meets(meeting) {
            return Some(false);
        }
        for (offset, variable) in self.statics.variable_of.iter().enumerate() {
            let variable = usize::from(*variable);
            if footprint.reads.contains(variable) || footprint.writes.contains(variable) {
                let at = (outline.globals + offset) as u32;
                bytes.push(at..at + 1);
            }
        }
        let Footprint { sends, sorts, receives, queries, .. } = footprint;
        let touched = sends.union(sorts).union(receives).union(queries);
        for (_, channel) in channels().filter(|(number, _)| touched.contains(*number)) {
            let kind = &kinds[channel.kind];
            let length = CHANNEL_HEAD + u32::from(kind.capacity) * kind.message_bytes();
            bytes.push(channel.start as u32..channel.start as u32 + length);
        }
        Some(true)
    }

    fn footprint(&self, state: &[u8], pid: usize, process: &ProcessOutline) -> Footprint {
        let proctype = usize::from(process.proctype.0);
        let fixed = &self.statics.proctypes[proctype].fixed;
        let locals = &state[process.locals..process.locals + fixed.len()];
        let locals = locals.iter().zip(fixed).map(|(value, fixed)| fixed.then_some(*value)).collect();
        let known = Known { proctype, pid: Some(pid as u8), locals };
        let resolver = Resolver { statics: &self.statics, known: &known };
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
