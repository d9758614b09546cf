//! A decoded state: its bytes, and the offset of each process and channel.

use std::ops::Range;
use std::sync::Arc;

use super::read_log::ReadLog;
use crate::{Area, LocationId, ProctypeId, Scalar, System};

const CHANNEL_TAG: u16 = 0x8000;
const PROCESS_HEAD: usize = 4;
const CHANNEL_HEAD: usize = 4;

/// The number by which an observer, such as a never claim, goes in place of a process's: no process has it.
pub(crate) const OBSERVER: usize = u8::MAX as usize;

/// A state that can be read and changed.
#[derive(Clone, Debug, Default)]
pub(crate) struct Frame {
    bytes: Vec<u8>,
    hidden: Vec<u8>,
    /// The variables of an observer; not part of the state.
    observer: Vec<u8>,
    /// Where each process's component starts.
    processes: Vec<u32>,
    /// Where each channel's component starts.
    channels: Vec<u32>,
    globals: u32,
    process_head: u32,
    /// Who wants to know what is read.
    log: Option<Arc<ReadLog>>,
}

/// Frames to use again, so that a step allocates nothing.
#[derive(Debug, Default)]
pub(crate) struct Frames {
    free: Vec<Frame>,
}

impl Frames {
    pub(crate) fn copy_of(&mut self, frame: &Frame) -> Frame {
        match self.free.pop() {
            Some(mut copy) => {
                copy.clone_from_frame(frame);
                copy
            }
            None => frame.clone(),
        }
    }

    pub(crate) fn blank(&mut self) -> Frame {
        self.free.pop().unwrap_or_default()
    }

    pub(crate) fn give_back(&mut self, frame: Frame) {
        // Where a state was moved away, nothing is left to be used again, and such frames would pile up.
        if frame.bytes.capacity() > 0 {
            self.free.push(frame);
        }
    }
}

impl Frame {
    /// Returns where in a state the global variables begin.
    pub(crate) fn first_global(system: &System) -> usize {
        2 + usize::from(system.tracks_last)
    }

    /// Makes the state before anything is set up: no process, no channel, all variables 0.
    pub(crate) fn empty(system: &System) -> Frame {
        let globals = Frame::first_global(system);
        Frame {
            bytes: vec![0; globals + system.global_bytes as usize],
            hidden: vec![0; system.hidden_bytes as usize],
            globals: globals as u32,
            process_head: (PROCESS_HEAD + usize::from(system.has_priorities)) as u32,
            ..Frame::default()
        }
    }

    fn clone_from_frame(&mut self, other: &Frame) {
        self.bytes.clone_from(&other.bytes);
        self.hidden.clone_from(&other.hidden);
        self.observer.clone_from(&other.observer);
        self.processes.clone_from(&other.processes);
        self.channels.clone_from(&other.channels);
        self.globals = other.globals;
        self.process_head = other.process_head;
        self.log.clone_from(&other.log);
    }

    /// Notes from now on what is read or overwritten, also of copies.
    pub(crate) fn log_reads(&mut self, log: Option<Arc<ReadLog>>) {
        self.log = log;
    }

    fn note(&self, bytes: Range<usize>) {
        if let Some(log) = &self.log {
            log.note(bytes);
        }
    }

    pub(crate) fn load(&mut self, system: &System, state: &[u8]) {
        let visible = state.len() - system.hidden_bytes as usize;
        self.bytes.clear();
        self.bytes.extend_from_slice(&state[..visible]);
        self.hidden.clear();
        self.hidden.extend_from_slice(&state[visible..]);
        self.log = None;
        self.processes.clear();
        self.channels.clear();
        self.globals = 2 + u32::from(system.tracks_last);
        self.process_head = (PROCESS_HEAD + usize::from(system.has_priorities)) as u32;
        let mut at = (self.globals + system.global_bytes) as usize;
        while at < self.bytes.len() {
            let tag = self.tag(at);
            if tag & CHANNEL_TAG == 0 {
                self.processes.push(at as u32);
                at += self.process_head as usize + system.proctypes[tag as usize].local_bytes as usize;
            } else {
                self.channels.push(at as u32);
                let kind = &system.channel_kinds[(tag & !CHANNEL_TAG) as usize];
                at += CHANNEL_HEAD + usize::from(kind.capacity) * kind.message_bytes() as usize;
            }
        }
    }

    pub(crate) fn save(&self, state: &mut Vec<u8>) {
        state.clear();
        state.extend_from_slice(&self.bytes);
        state.extend_from_slice(&self.hidden);
    }

    /// Returns how many bytes the state has.
    pub(crate) fn size(&self) -> usize {
        self.bytes.len() + self.hidden.len()
    }

    /// Returns the whole state, hidden variables included.
    pub(crate) fn to_state(&self) -> Vec<u8> {
        let mut state = Vec::with_capacity(self.size());
        self.save(&mut state);
        state
    }

    /// Reads the two bytes at a place.
    fn tag(&self, at: usize) -> u16 {
        u16::from_le_bytes([self.bytes[at], self.bytes[at + 1]])
    }

    pub(crate) fn process_count(&self) -> usize {
        self.processes.len()
    }

    pub(crate) fn channel_count(&self) -> usize {
        self.channels.len()
    }

    pub(crate) fn proctype(&self, pid: usize) -> ProctypeId {
        ProctypeId(self.tag(self.processes[pid] as usize))
    }

    pub(crate) fn location(&self, pid: usize) -> LocationId {
        let at = self.processes[pid] as usize + 2;
        self.note(at..at + 2);
        LocationId(self.tag(at))
    }

    /// Returns where a process's bytes start.
    pub(crate) fn process_start(&self, pid: usize) -> usize {
        self.processes[pid] as usize
    }

    /// Returns where a channel's bytes start.
    pub(crate) fn channel_start(&self, channel: usize) -> usize {
        self.channels[channel] as usize
    }

    /// Returns where a process's variables start.
    pub(crate) fn locals(&self, pid: usize) -> usize {
        (self.processes[pid] + self.process_head) as usize
    }

    /// Returns where the global variables start.
    pub(crate) fn globals(&self) -> usize {
        self.globals as usize
    }

    /// Sets some of a process's variables to 0.
    pub(crate) fn forget(&mut self, pid: usize, dead: &[Range<u32>]) {
        let locals = self.locals(pid);
        for range in dead {
            self.note(locals + range.start as usize..locals + range.end as usize);
            self.bytes[locals + range.start as usize..locals + range.end as usize].fill(0);
        }
    }

    /// Sets some of the global variables to 0.
    pub(crate) fn forget_globals(&mut self, unread: &[Range<u32>]) {
        for range in unread {
            let (start, end) = (self.globals + range.start, self.globals + range.end);
            self.note(start as usize..end as usize);
            self.bytes[start as usize..end as usize].fill(0);
        }
    }

    pub(crate) fn set_location(&mut self, pid: usize, location: LocationId) {
        let at = self.processes[pid] as usize + 2;
        self.note(at..at + 2);
        self.bytes[at..at + 2].copy_from_slice(&location.0.to_le_bytes());
    }

    pub(crate) fn priority(&self, pid: usize) -> u8 {
        // Before any process exists, global variables get their first values.
        match self.processes.get(pid) {
            Some(at) if self.process_head as usize > PROCESS_HEAD => {
                let at = *at as usize + PROCESS_HEAD;
                self.note(at..at + 1);
                self.bytes[at]
            }
            _ => 1,
        }
    }

    pub(crate) fn set_priority(&mut self, pid: usize, priority: u8) {
        if self.process_head as usize > PROCESS_HEAD {
            let at = self.processes[pid] as usize + PROCESS_HEAD;
            self.note(at..at + 1);
            self.bytes[at] = priority;
        }
    }

    pub(crate) fn last(&self) -> u8 {
        self.note(2..self.globals as usize);
        if self.globals > 2 { self.bytes[2] } else { 0 }
    }

    pub(crate) fn set_last(&mut self, pid: usize) {
        if self.globals > 2 {
            self.note(2..3);
            self.bytes[2] = pid as u8;
        }
    }

    /// Returns the variables of an observer.
    pub(crate) fn observer(&self) -> &[u8] {
        &self.observer
    }

    /// Gives an observer its variables.
    pub(crate) fn set_observer(&mut self, variables: &[u8]) {
        self.observer.clear();
        self.observer.extend_from_slice(variables);
    }

    fn start_of(&self, area: Area, pid: usize) -> usize {
        match area {
            Area::Global => self.globals as usize,
            Area::Hidden => 0,
            Area::Local if pid == OBSERVER => 0,
            Area::Local => (self.processes[pid] + self.process_head) as usize,
        }
    }

    pub(crate) fn read(&self, area: Area, pid: usize, offset: u32, scalar: Scalar) -> i32 {
        let at = self.start_of(area, pid) + offset as usize;
        let bytes = match area {
            Area::Hidden => &self.hidden,
            Area::Local if pid == OBSERVER => &self.observer,
            _ => {
                self.note(at..at + scalar.bytes() as usize);
                &self.bytes
            }
        };
        scalar.read(bytes, at)
    }

    pub(crate) fn write(&mut self, area: Area, pid: usize, offset: u32, scalar: Scalar, value: i32) {
        let at = self.start_of(area, pid) + offset as usize;
        let bytes = match area {
            Area::Hidden => &mut self.hidden,
            Area::Local if pid == OBSERVER => &mut self.observer,
            _ => {
                self.note(at..at + scalar.bytes() as usize);
                &mut self.bytes
            }
        };
        scalar.write(bytes, at, value);
    }

    pub(crate) fn add_process(
        &mut self,
        system: &System,
        proctype: ProctypeId,
        start: LocationId,
        priority: u8,
    ) -> usize {
        let at = self.bytes.len();
        let local_bytes = system.proctype(proctype).local_bytes as usize;
        self.bytes.resize(at + self.process_head as usize + local_bytes, 0);
        self.bytes[at..at + 2].copy_from_slice(&proctype.0.to_le_bytes());
        self.processes.push(at as u32);
        self.bytes[0] += 1;
        let pid = self.processes.len() - 1;
        self.set_location(pid, start);
        self.set_priority(pid, priority);
        pid
    }

    /// Removes the youngest process, and the channels that were created after it.
    pub(crate) fn remove_youngest(&mut self) {
        let Some(at) = self.processes.pop() else { return };
        self.note(at as usize..self.bytes.len());
        self.bytes.truncate(at as usize);
        self.channels.retain(|channel| *channel < at);
        self.bytes[0] = self.processes.len() as u8;
        self.bytes[1] = self.channels.len() as u8;
    }

    pub(crate) fn add_channel(&mut self, system: &System, kind: u16) -> usize {
        let at = self.bytes.len();
        let size = &system.channel_kinds[kind as usize];
        self.bytes.resize(at + CHANNEL_HEAD + usize::from(size.capacity) * size.message_bytes() as usize, 0);
        self.bytes[at..at + 2].copy_from_slice(&(kind | CHANNEL_TAG).to_le_bytes());
        self.channels.push(at as u32);
        self.bytes[1] += 1;
        self.channels.len() - 1
    }

    pub(crate) fn channel_kind(&self, channel: usize) -> usize {
        (self.tag(self.channels[channel] as usize) & !CHANNEL_TAG) as usize
    }

    pub(crate) fn channel_length(&self, channel: usize) -> usize {
        let at = self.channels[channel] as usize + 2;
        self.note(at..at + 2);
        usize::from(self.tag(at))
    }

    pub(crate) fn set_channel_length(&mut self, channel: usize, length: usize) {
        let at = self.channels[channel] as usize + 2;
        self.note(at..at + 2);
        self.bytes[at..at + 2].copy_from_slice(&(length as u16).to_le_bytes());
    }

    /// Notes that some bytes of a channel's messages are read or overwritten: who goes through messages says
    /// which ones.
    pub(crate) fn note_messages(&self, channel: usize, bytes: Range<usize>) {
        let first = self.channels[channel] as usize + CHANNEL_HEAD;
        self.note(first + bytes.start..first + bytes.end);
    }

    /// Returns the bytes of a channel's messages.
    pub(crate) fn messages(&self, channel: usize) -> &[u8] {
        &self.bytes[self.channels[channel] as usize + CHANNEL_HEAD..]
    }

    pub(crate) fn messages_mut(&mut self, channel: usize) -> &mut [u8] {
        &mut self.bytes[self.channels[channel] as usize + CHANNEL_HEAD..]
    }
}

/// Appends where the components of a state end: global variables, in small pieces at first, and each process
/// and channel.
pub(super) fn component_ends(system: &System, state: &[u8], ends: &mut Vec<u32>) {
    let visible = state.len() - system.hidden_bytes as usize;
    let process_head = PROCESS_HEAD + usize::from(system.has_priorities);
    let head = 2 + usize::from(system.tracks_last);
    let globals = head + system.global_bytes as usize;
    let mut at = 0;
    if !system.pieces.is_empty() {
        ends.extend(system.pieces.iter().map(|end| head as u32 + end));
        at = globals;
    }
    while at < globals {
        at = globals.min(at + if at < 16 { 4 } else { 16 });
        ends.push(at as u32);
    }
    while at < visible {
        let tag = u16::from_le_bytes([state[at], state[at + 1]]);
        at += if tag & CHANNEL_TAG == 0 {
            process_head + system.proctypes[usize::from(tag)].local_bytes as usize
        } else {
            let kind = &system.channel_kinds[usize::from(tag & !CHANNEL_TAG)];
            CHANNEL_HEAD + usize::from(kind.capacity) * kind.message_bytes() as usize
        };
        ends.push(at as u32);
    }
}
