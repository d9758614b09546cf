//! A state laid out: its bytes, and where its processes and channels start.

use narrows_model::System;

/// Machine code reads and writes whole words; this many bytes behind a state belong to nobody.
const MARGIN: usize = 16;

const CHANNEL_TAG: u16 = 0x8000;

/// The first bytes of a component: its tag, and a process's location or how many messages a channel holds.
pub(super) const HEAD: usize = 4;

/// Where a state's parts are, of what size.
#[derive(Clone, Debug)]
pub(super) struct Layout {
    /// Where global variables start.
    pub(super) globals: usize,
    /// Where components start.
    pub(super) components: usize,
    /// How many bytes come before a process's local variables.
    pub(super) process_head: usize,
    pub(super) hidden: usize,
    /// How many bytes a process of each kind takes.
    processes: Vec<usize>,
    /// How many bytes a channel of each kind takes.
    channels: Vec<usize>,
}

impl Layout {
    pub(super) fn of(system: &System) -> Layout {
        let globals = 2 + usize::from(system.tracks_last);
        let process_head = HEAD + usize::from(system.has_priorities);
        Layout {
            globals,
            components: globals + system.global_bytes as usize,
            process_head,
            hidden: system.hidden_bytes as usize,
            processes: system.proctypes.iter().map(|kind| process_head + kind.local_bytes as usize).collect(),
            channels: system
                .channel_kinds
                .iter()
                .map(|kind| HEAD + usize::from(kind.capacity) * kind.message_bytes() as usize)
                .collect(),
        }
    }
}

/// A state that can be changed.
#[derive(Debug, Default)]
pub(super) struct Level {
    /// The state, and a margin behind it.
    pub(super) bytes: Vec<u8>,
    /// How many bytes of it there are before hidden variables.
    pub(super) visible: usize,
    size: usize,
    pub(super) processes: Vec<u32>,
    pub(super) channels: Vec<u32>,
    /// Memory for a state that is about to be loaded.
    pub(super) result: Vec<u8>,
    /// The tags of all components, in order, with where they are: the layout of the last state is often the
    /// next one's.
    tags: Vec<(u32, u16)>,
}

impl Level {
    pub(super) fn load(&mut self, layout: &Layout, state: &[u8]) {
        if self.bytes.len() == state.len() + MARGIN {
            self.bytes[..state.len()].copy_from_slice(state);
        } else {
            self.bytes.clear();
            self.bytes.extend_from_slice(state);
            self.bytes.resize(state.len() + MARGIN, 0);
        }
        let same = self.size == state.len()
            && self.visible + layout.hidden == state.len()
            && self.tags.iter().all(|(at, tag)| self.word(*at as usize) == *tag);
        if !same {
            self.size = state.len();
            self.index(layout);
        }
    }

    pub(super) fn copy(&mut self, other: &Level) {
        self.bytes.clone_from(&other.bytes);
        self.visible = other.visible;
        self.size = other.size;
        self.processes.clone_from(&other.processes);
        self.channels.clone_from(&other.channels);
        self.tags.clone_from(&other.tags);
    }

    /// Finds the components.
    fn index(&mut self, layout: &Layout) {
        self.visible = self.size - layout.hidden;
        self.processes.clear();
        self.channels.clear();
        self.tags.clear();
        let mut at = layout.components;
        while at < self.visible {
            let tag = self.word(at);
            self.tags.push((at as u32, tag));
            if tag & CHANNEL_TAG == 0 {
                self.processes.push(at as u32);
                at += layout.processes[usize::from(tag)];
            } else {
                self.channels.push(at as u32);
                at += layout.channels[usize::from(tag & !CHANNEL_TAG)];
            }
        }
        assert!(at == self.visible, "a state's components fill it");
    }

    /// Removes the youngest process, and the channels that were created after it.
    pub(super) fn remove_youngest(&mut self) {
        let Some(at) = self.processes.pop() else { return };
        self.channels.retain(|channel| *channel < at);
        self.tags.retain(|(component, _)| *component < at);
        self.bytes.copy_within(self.visible..self.size, at as usize);
        self.size -= self.visible - at as usize;
        self.visible = at as usize;
        self.bytes.truncate(self.size);
        self.bytes.resize(self.size + MARGIN, 0);
        self.bytes[0] = self.processes.len() as u8;
        self.bytes[1] = self.channels.len() as u8;
    }

    /// Adds a process: its component without its variables, and their first values.
    pub(super) fn add_process(&mut self, head: &[u8], variables: &[u8]) {
        let at = self.visible;
        let more = head.len() + variables.len();
        self.bytes.resize(self.size + more + MARGIN, 0);
        self.bytes.copy_within(at..self.size, at + more);
        self.bytes[at..at + head.len()].copy_from_slice(head);
        self.bytes[at + head.len()..at + more].copy_from_slice(variables);
        self.bytes[self.size + more..].fill(0);
        self.processes.push(at as u32);
        self.tags.push((at as u32, self.word(at)));
        self.visible += more;
        self.size += more;
        self.bytes[0] = self.processes.len() as u8;
    }

    /// Returns whether another state has the same components at the same places.
    pub(super) fn is_like(&self, other: &Level) -> bool {
        self.size == other.size && self.tags == other.tags
    }

    /// Returns the state.
    pub(super) fn state(&self) -> &[u8] {
        &self.bytes[..self.size]
    }

    /// Reads the two bytes at a place.
    #[inline]
    pub(super) fn word(&self, at: usize) -> u16 {
        match self.bytes.get(at..).and_then(<[u8]>::first_chunk) {
            Some(bytes) => u16::from_le_bytes(*bytes),
            None => unreachable!("a margin lies behind every state"),
        }
    }

    /// Reads the first four bytes of a component: its tag, and what comes behind it.
    #[inline]
    pub(super) fn head(&self, at: usize) -> (u16, u16) {
        match self.bytes.get(at..).and_then(<[u8]>::first_chunk) {
            Some(bytes) => {
                let head = u32::from_le_bytes(*bytes);
                (head as u16, (head >> 16) as u16)
            }
            None => unreachable!("a margin lies behind every state"),
        }
    }

    pub(super) fn set_word(&mut self, at: usize, value: u16) {
        self.bytes[at..at + 2].copy_from_slice(&value.to_le_bytes());
    }
}
