//! Moves one at a time: what is printed and sent inside an atomic sequence is only seen there.

use std::ops::ControlFlow;

use crate::{ChannelView, Evaluator, Expansion, Move, MoveKind, Scratch, Violation};

/// One move by itself, or the two of a rendezvous.
#[derive(Clone, Debug)]
pub struct Single {
    /// What the processes did.
    pub moves: Vec<Move>,
    /// What went wrong.
    pub violations: Vec<Violation>,
    /// The state before it.
    pub before: Vec<u8>,
    /// The state after it; `None` after a fault.
    pub after: Option<Vec<u8>>,
}

/// Something that happened in a run, for those who watch it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// A process printed something.
    Printed {
        /// The process.
        pid: usize,
        /// What it printed.
        text: String,
    },
    /// A process put a message into a slot of a channel.
    Sent {
        /// The process.
        pid: usize,
        /// The channel's number.
        channel: usize,
        /// How many messages were before it.
        slot: usize,
        /// The channel and the message, such as `link!data,1`.
        text: String,
    },
    /// A process took a message out of a slot of a channel.
    Received {
        /// The process.
        pid: usize,
        /// The channel's number.
        channel: usize,
        /// How many messages were before it.
        slot: usize,
        /// The channel and the message, such as `link?data,1`.
        text: String,
    },
    /// A message went from one process to another at once.
    Passed {
        /// The sender.
        from: usize,
        /// The receiver.
        to: usize,
        /// The channel and the message, such as `link!data,1`.
        text: String,
    },
}

impl Evaluator<'_> {
    /// Returns what each process could do by itself in a state.
    pub fn singles(&self, state: &[u8]) -> (Vec<Single>, Expansion) {
        let mut list = Vec::new();
        let mut scratch = Scratch::default();
        let expansion = self.single_moves(state, &mut scratch, &mut |successor| {
            list.push(Single {
                moves: successor.moves.to_vec(),
                violations: successor.violations.to_vec(),
                before: state.to_vec(),
                after: successor.target.map(<[u8]>::to_vec),
            });
            ControlFlow::Continue(())
        });
        (list, expansion)
    }

    /// Executes the moves of a step one at a time; the error is the number of the move that can't be made,
    /// and the state it can't be made in.
    pub fn follow(&self, state: &[u8], moves: &[Move]) -> Result<Vec<Single>, (usize, Vec<u8>)> {
        let mut done = 0;
        let mut path: Vec<Single> = Vec::new();
        while done < moves.len() {
            let here = path.last().map_or(state, |single| single.after.as_deref().unwrap_or(&single.before));
            let found =
                self.singles(here).0.into_iter().find(|single| moves[done..].starts_with(&single.moves));
            match found {
                Some(single) if path.last().is_none_or(|last| last.after.is_some()) => {
                    done += single.moves.len();
                    path.push(single);
                }
                _ => return Err((done, here.to_vec())),
            }
        }
        Ok(path)
    }

    /// Returns what happened in the moves of a step, in order; nothing if they can't be made.
    pub fn events(&self, state: &[u8], moves: &[Move]) -> Vec<Event> {
        let path = self.follow(state, moves).unwrap_or_default();
        path.iter().flat_map(|single| self.single_events(single)).collect()
    }

    fn single_events(&self, single: &Single) -> Vec<Event> {
        let mut events = Vec::new();
        for step in &single.moves {
            let text = self.printed(&single.before, *step);
            if !text.is_empty() {
                events.push(Event::Printed { pid: usize::from(step.pid), text });
            }
        }
        if let [offer, accept] = single.moves.as_slice()
            && offer.kind == MoveKind::Offer
        {
            let (from, to) = (usize::from(offer.pid), usize::from(accept.pid));
            let message = self.sent(&single.before, *offer);
            let text = message.map(|message| format!("{}!{}", message.name, message.fields.join(",")));
            events.push(Event::Passed { from, to, text: text.unwrap_or_default() });
        }
        if let (Some(step), Some(after)) = (single.moves.last(), &single.after) {
            let (before, after) = (self.describe(&single.before).channels, self.describe(after).channels);
            for (old, new) in before.iter().zip(&after) {
                channel_events(usize::from(step.pid), old, new, &mut events);
            }
        }
        events
    }
}

/// Reads off a channel what a move put in or took out.
fn channel_events(pid: usize, old: &ChannelView, new: &ChannelView, events: &mut Vec<Event>) {
    let slot = old.messages.iter().zip(&new.messages).take_while(|(old, new)| old == new).count();
    let (name, channel) = (&old.name, old.number);
    let added = new.messages.len().saturating_sub(old.messages.len());
    for (offset, message) in new.messages[slot..].iter().take(added).enumerate() {
        let text = format!("{name}!{}", message.join(","));
        events.push(Event::Sent { pid, channel, slot: slot + offset, text });
    }
    let removed = old.messages.len().saturating_sub(new.messages.len());
    // Of equal messages side by side, the one that came first is taken.
    let slot = old.messages[..slot].iter().rposition(|message| Some(message) != old.messages.get(slot));
    let slot = slot.map_or(0, |before| before + 1);
    for message in old.messages[slot..].iter().take(removed) {
        events.push(Event::Received { pid, channel, slot, text: format!("{name}?{}", message.join(",")) });
    }
}
