//! The outline of a state: which processes and channels there are, and where their bytes start.

use crate::evaluator::Frame;
use crate::{Evaluator, LocationId, ProctypeId};

/// A state's processes and channels. Made to be filled again and again.
#[derive(Debug, Default)]
pub struct Outline {
    /// The processes, in order of their numbers.
    pub processes: Vec<ProcessOutline>,
    /// The channels, in order of their numbers; the first one's number is 1.
    pub channels: Vec<ChannelOutline>,
    /// Where the global variables start.
    pub globals: usize,
    frame: Frame,
}

/// A process in a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProcessOutline {
    /// Its kind.
    pub proctype: ProctypeId,
    /// Where it is.
    pub location: LocationId,
    /// Where its bytes start.
    pub start: usize,
    /// Where its local variables start.
    pub locals: usize,
}

/// A channel in a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChannelOutline {
    /// Its kind: its place in [`System::channel_kinds`](crate::System::channel_kinds).
    pub kind: usize,
    /// Where its bytes start.
    pub start: usize,
    /// How many messages it holds.
    pub length: usize,
}

impl Evaluator<'_> {
    /// Finds the processes and channels of a state.
    pub fn outline(&self, state: &[u8], outline: &mut Outline) {
        let Outline { processes, channels, globals, frame } = outline;
        frame.load(self.system(), state);
        processes.clear();
        processes.extend((0..frame.process_count()).map(|pid| ProcessOutline {
            proctype: frame.proctype(pid),
            location: frame.location(pid),
            start: frame.process_start(pid),
            locals: frame.locals(pid),
        }));
        channels.clear();
        channels.extend((0..frame.channel_count()).map(|channel| ChannelOutline {
            kind: frame.channel_kind(channel),
            start: frame.channel_start(channel),
            length: frame.channel_length(channel),
        }));
        *globals = frame.globals();
    }
}
