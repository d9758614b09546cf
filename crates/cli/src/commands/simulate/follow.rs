//! Moves one at a time: what is printed and sent inside an atomic sequence is only seen there.

use std::ops::ControlFlow;

use narrows_model::{Evaluator, Expansion, Move, MoveKind, Scratch, Violation};

/// One move by itself, or the two of a rendezvous.
#[derive(Clone, Debug)]
pub(super) struct Single {
    pub(super) moves: Vec<Move>,
    pub(super) violations: Vec<Violation>,
    pub(super) before: Vec<u8>,
    /// `None` after a fault.
    pub(super) after: Option<Vec<u8>>,
}

/// Something that happened in a run, for the output pane and the message sequence chart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Event {
    /// A process printed something.
    Printed { pid: usize, text: String },
    /// A process put a message into a slot of a channel.
    Sent { pid: usize, channel: usize, slot: usize, text: String },
    /// A process took a message out of a slot of a channel.
    Received { pid: usize, channel: usize, slot: usize },
    /// A message went from one process to another at once.
    Passed { from: usize, to: usize, text: String },
}

/// Returns what each process could do by itself in a state.
pub(super) fn singles(evaluator: Evaluator<'_>, state: &[u8]) -> (Vec<Single>, Expansion) {
    let mut list = Vec::new();
    let mut scratch = Scratch::default();
    let expansion = evaluator.single_moves(state, &mut scratch, &mut |successor| {
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

/// Executes the moves of a step one at a time; the error is the number of the move that can't be made, and the state it
/// can't be made in.
pub(super) fn follow(
    evaluator: Evaluator<'_>,
    state: &[u8],
    moves: &[Move],
) -> Result<Vec<Single>, (usize, Vec<u8>)> {
    let mut done = 0;
    let mut path: Vec<Single> = Vec::new();
    while done < moves.len() {
        let here = path.last().map_or(state, |single| single.after.as_deref().unwrap_or(&single.before));
        let found =
            singles(evaluator, here).0.into_iter().find(|single| moves[done..].starts_with(&single.moves));
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

/// Returns what happened in a move.
pub(super) fn events(evaluator: Evaluator<'_>, single: &Single) -> Vec<Event> {
    let mut events = Vec::new();
    for step in &single.moves {
        let text = evaluator.printed(&single.before, *step);
        if !text.is_empty() {
            events.push(Event::Printed { pid: usize::from(step.pid), text });
        }
    }
    if let [offer, accept] = single.moves.as_slice()
        && offer.kind == MoveKind::Offer
    {
        let (from, to) = (usize::from(offer.pid), usize::from(accept.pid));
        events.push(Event::Passed { from, to, text: offered(evaluator, &single.before, *offer) });
    }
    if let (Some(step), Some(after)) = (single.moves.last(), &single.after) {
        events.extend(channel_events(evaluator, usize::from(step.pid), &single.before, after));
    }
    events
}

/// Says what a sender holds out, as `channel!message`.
fn offered(evaluator: Evaluator<'_>, before: &[u8], offer: Move) -> String {
    let message = evaluator.sent(before, offer);
    message.map(|message| format!("{}!{}", message.name, message.fields.join(","))).unwrap_or_default()
}

/// Reads off the channels what a move put in or took out.
fn channel_events(evaluator: Evaluator<'_>, pid: usize, before: &[u8], after: &[u8]) -> Vec<Event> {
    let (before, after) = (evaluator.describe(before).channels, evaluator.describe(after).channels);
    let mut events = Vec::new();
    for (old, new) in before.iter().zip(&after) {
        let slot = old.messages.iter().zip(&new.messages).take_while(|(old, new)| old == new).count();
        let channel = new.number;
        if new.messages.len() == old.messages.len() + 1 {
            let text = format!("{}!{}", new.name, new.messages[slot].join(","));
            events.push(Event::Sent { pid, channel, slot, text });
        } else if new.messages.len() + 1 == old.messages.len() {
            events.push(Event::Received { pid, channel, slot });
        }
    }
    events
}
