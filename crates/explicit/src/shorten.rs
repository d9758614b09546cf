//! Shortcuts in a run that depth-first search found.
//!
//! Such a run wanders: it visits whatever it can before it goes on. A breadth-first search over the states of
//! the run alone, and the edges between them, keeps the shortest way through. One expansion for each state of
//! the run.

use std::collections::VecDeque;
use std::ops::ControlFlow;

use narrows_model::{Scratch, StateSpace};
use rustc_hash::FxHashMap;

use crate::Run;

/// Returns a run to the same end that is no longer; `violation` says whether the last choice shows a
/// violation.
pub(crate) fn shorten<S: StateSpace + ?Sized>(space: &S, run: &Run, violation: bool) -> Option<Run> {
    let states = run.states(space, violation)?;
    let steps = shortest_within(space, &states)?;
    let mut choices: Vec<u32> = steps.into_iter().map(|(_, choice)| choice).collect();
    if violation {
        choices.push(*run.choices.last()?);
    }
    Some(Run { choices })
}

/// Returns the shortest way from the first of some states to the last that leads through them alone: from
/// which of them each step comes, and which of its successors it takes.
pub(crate) fn shortest_within<S: StateSpace + ?Sized>(
    space: &S,
    states: &[Vec<u8>],
) -> Option<Vec<(usize, u32)>> {
    let places: FxHashMap<&[u8], usize> =
        states.iter().enumerate().map(|(index, state)| (state.as_slice(), index)).collect();
    let first = *places.get(states.first()?.as_slice())?;
    let last = *places.get(states.last()?.as_slice())?;
    let mut from: Vec<Option<(usize, u32)>> = vec![None; states.len()];
    let mut waiting = VecDeque::from([first]);
    let mut scratch = Scratch::default();
    while let Some(index) = waiting.pop_front() {
        if index == last {
            break;
        }
        let mut choice = 0;
        space.successors(&states[index], &mut scratch, &mut |successor| {
            if let Some(place) = successor.target.and_then(|target| places.get(target))
                && *place != first
                && from[*place].is_none()
            {
                from[*place] = Some((index, choice));
                waiting.push_back(*place);
            }
            choice += 1;
            ControlFlow::Continue(())
        });
    }
    let mut steps: Vec<(usize, u32)> = Vec::new();
    let mut place = last;
    while let Some((before, choice)) = from[place] {
        steps.push((before, choice));
        place = before;
    }
    steps.reverse();
    (place == first).then_some(steps)
}
