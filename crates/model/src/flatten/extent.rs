//! The assumed ranges of states: which processes there are, and the bounds of their variables.
//!
//! They are those of a sample of states. That all reachable states lie within them is for an engine to prove:
//! see [`Flat::beyond`](super::Flat).

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use narrows_graph::Random;
use rustc_hash::FxHashSet;

use crate::evaluator::Frame;
use crate::synchronous::Value;
use crate::{Area, Evaluator, ProctypeId, Scalar, Scratch, StateSpace, System};

/// The number of sampled states, breadth first.
const BROAD: usize = 4000;

/// The number of random walks, and their length.
const WALKS: usize = 40;
const STEPS: usize = 250;

/// The range of values that were seen, and 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Span {
    pub(super) low: Value,
    pub(super) high: Value,
    /// How often the range had to be widened.
    grown: u32,
}

impl Span {
    /// Adds a value to the range; if the range keeps growing, it is widened further, up to what can be
    /// stored.
    fn take(&mut self, value: i32, scalar: Scalar, again: bool) -> bool {
        let value = Value::from(value);
        if self.low <= value && value <= self.high {
            return false;
        }
        let (least, most) = limits(scalar);
        let mut more = 0;
        if again {
            more = (self.high - self.low + 1) << self.grown.min(40);
            self.grown += 1;
        }
        if value > self.high {
            self.high = (value + more).min(most);
        } else {
            self.low = (value - more).max(least);
        }
        true
    }
}

/// Returns the range of a scalar type.
fn limits(scalar: Scalar) -> (Value, Value) {
    match scalar {
        Scalar::Bit | Scalar::Bool => (0, 1),
        Scalar::Byte | Scalar::Pid | Scalar::Mtype(_) | Scalar::Channel => (0, 255),
        Scalar::Short => (Value::from(i16::MIN), Value::from(i16::MAX)),
        Scalar::Int => (Value::from(i32::MIN), Value::from(i32::MAX)),
        Scalar::Unsigned(bits) => (0, (1 << bits) - 1),
    }
}

/// The observed extent of a channel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ChannelExtent {
    pub(super) kind: u16,
    /// The greatest length.
    pub(super) length: u16,
    pub(super) fields: Vec<Span>,
}

/// The observed ranges of a proctype's variables under one process number.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct ProcessExtent {
    pub(super) locals: Vec<Span>,
    pub(super) channels: Vec<ChannelExtent>,
}

/// The assumed ranges of states.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Extent {
    pub(super) globals: Vec<Span>,
    /// The channels that belong to no process.
    pub(super) channels: Vec<ChannelExtent>,
    /// By number of the process.
    pub(super) processes: Vec<BTreeMap<ProctypeId, ProcessExtent>>,
}

impl Extent {
    /// Samples the first states of a system, and some random walks. `go_on` is polled.
    pub fn scout(evaluator: &Evaluator<'_>, go_on: &mut dyn FnMut() -> bool) -> Extent {
        let mut extent = Extent::default();
        if let Ok((initial, _)) = evaluator.initial() {
            extent.look_around(evaluator, &initial, false, go_on);
        }
        extent
    }

    /// Samples the successors of a state at the border. Returns whether something beyond it was seen.
    pub fn widen(
        &mut self,
        evaluator: &Evaluator<'_>,
        state: &[u8],
        go_on: &mut dyn FnMut() -> bool,
    ) -> bool {
        let before = self.clone();
        self.look_around(evaluator, state, true, go_on);
        *self != before
    }

    fn look_around(
        &mut self,
        evaluator: &Evaluator<'_>,
        from: &[u8],
        again: bool,
        go_on: &mut dyn FnMut() -> bool,
    ) {
        let mut scratch = Scratch::with_pulses();
        let mut seen: FxHashSet<Vec<u8>> = FxHashSet::default();
        let mut waiting = std::collections::VecDeque::from([from.to_vec()]);
        self.look(evaluator.system(), &evaluator.load(from), again);
        seen.insert(from.to_vec());
        let mut is_whole = true;
        while let Some(state) = waiting.pop_front() {
            if seen.len() > BROAD || !go_on() {
                is_whole = false;
                break;
            }
            evaluator.successors(&state, &mut scratch, &mut |successor| {
                if successor.pulse.is_some() && !go_on() {
                    return ControlFlow::Break(());
                }
                if let Some(target) = successor.target
                    && seen.insert(target.to_vec())
                {
                    self.look(evaluator.system(), &evaluator.load(target), again);
                    waiting.push_back(target.to_vec());
                }
                ControlFlow::Continue(())
            });
        }
        if !is_whole {
            self.walk(evaluator, from, again, go_on);
        }
    }

    /// Samples a random walk: it leads further than a breadth-first search.
    fn walk(&mut self, evaluator: &Evaluator<'_>, from: &[u8], again: bool, go_on: &mut dyn FnMut() -> bool) {
        let mut scratch = Scratch::with_pulses();
        let mut random = Random::new(0);
        for _ in 0..WALKS {
            let mut state = from.to_vec();
            for _ in 0..STEPS {
                let mut targets: Vec<Vec<u8>> = Vec::new();
                evaluator.successors(&state, &mut scratch, &mut |successor| {
                    if successor.pulse.is_some() && !go_on() {
                        return ControlFlow::Break(());
                    }
                    targets.extend(successor.target.map(<[u8]>::to_vec));
                    ControlFlow::Continue(())
                });
                if targets.is_empty() || !go_on() {
                    break;
                }
                state = targets.swap_remove(random.index(targets.len()));
                self.look(evaluator.system(), &evaluator.load(&state), again);
            }
        }
    }

    /// Adds a state to the sample.
    fn look(&mut self, system: &System, frame: &Frame, again: bool) {
        self.globals.resize(system.globals.len(), Span::default());
        for (leaf, span) in system.globals.iter().zip(&mut self.globals) {
            span.take(frame.read(Area::Global, 0, leaf.offset, leaf.scalar), leaf.scalar, again);
        }
        let owners = owners(frame);
        while self.processes.len() < frame.process_count() {
            self.processes.push(BTreeMap::new());
        }
        for pid in 0..frame.process_count() {
            let kind = system.proctype(frame.proctype(pid));
            let process = self.processes[pid].entry(frame.proctype(pid)).or_default();
            process.locals.resize(kind.locals.len(), Span::default());
            for (leaf, span) in kind.locals.iter().zip(&mut process.locals) {
                span.take(frame.read(Area::Local, pid, leaf.offset, leaf.scalar), leaf.scalar, again);
            }
        }
        for (channel, (owner, place)) in owners.into_iter().enumerate() {
            let list = match owner {
                Some(pid) => &mut self.processes[pid].entry(frame.proctype(pid)).or_default().channels,
                None => &mut self.channels,
            };
            let kind = &system.channel_kinds[frame.channel_kind(channel)];
            if list.len() <= place {
                let fields = vec![Span::default(); kind.fields.len()];
                list.push(ChannelExtent { kind: frame.channel_kind(channel) as u16, length: 0, fields });
            }
            let seen = &mut list[place];
            let length = frame.channel_length(channel) as u16;
            if length > seen.length {
                let more = if again { seen.length } else { 0 };
                seen.length = length.saturating_add(more).min(kind.capacity);
            }
            let mut at = 0;
            for _ in 0..length {
                for (scalar, span) in kind.fields.iter().zip(&mut seen.fields) {
                    span.take(scalar.read(frame.messages(channel), at), *scalar, again);
                    at += scalar.bytes() as usize;
                }
            }
        }
    }
}

/// Returns for each channel whose it is, and which of that process's channels: those of a process stand
/// behind it.
pub(super) fn owners(frame: &Frame) -> Vec<(Option<usize>, usize)> {
    let mut list: Vec<(Option<usize>, usize)> = Vec::new();
    for channel in 0..frame.channel_count() {
        let start = frame.channel_start(channel);
        let owner = (0..frame.process_count()).rev().find(|pid| frame.process_start(*pid) < start);
        let place = list.iter().filter(|(other, _)| *other == owner).count();
        list.push((owner, place));
    }
    list
}
