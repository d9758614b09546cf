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
    let places: FxHashMap<&[u8], usize> =
        states.iter().enumerate().map(|(index, state)| (state.as_slice(), index)).collect();
    let last = *places.get(states.last()?.as_slice())?;
    let mut from: Vec<Option<(usize, u32)>> = vec![None; states.len()];
    let mut waiting = VecDeque::from([0]);
    let mut scratch = Scratch::default();
    while let Some(index) = waiting.pop_front() {
        if index == last {
            break;
        }
        let mut choice = 0;
        space.successors(&states[index], &mut scratch, &mut |successor| {
            if let Some(place) = successor.target.and_then(|target| places.get(target))
                && *place != 0
                && from[*place].is_none()
            {
                from[*place] = Some((index, choice));
                waiting.push_back(*place);
            }
            choice += 1;
            ControlFlow::Continue(())
        });
    }
    let mut choices: Vec<u32> = Vec::new();
    if violation {
        choices.push(*run.choices.last()?);
    }
    let mut place = last;
    while let Some((before, choice)) = from[place] {
        choices.push(choice);
        place = before;
    }
    choices.reverse();
    (place == 0).then_some(Run { choices })
}
