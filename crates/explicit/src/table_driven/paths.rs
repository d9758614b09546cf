//! Runs to states, found backwards: from a state at one distance, a look at all states one step nearer finds
//! where it comes from. No state has to remember that.

use narrows_gpu::{Device, Failure, Key};
use narrows_model::{Scratch, StateSpace};

use super::rows::Rows;

/// Finds the states of a shortest run to a state. `levels` says where each level begins, the last being that
/// of the state. Of several runs, the one is found that reads first from behind, whatever the device.
pub(super) fn path(
    device: &mut dyn Device,
    (space, rows): (&dyn StateSpace, &mut dyn Rows),
    levels: &[u64],
    target: &[u8],
) -> Result<Vec<Vec<u8>>, Failure> {
    let mut path = vec![target.to_vec()];
    for bounds in levels.windows(2).rev() {
        let last = path.last().map_or(target, Vec::as_slice);
        let Ok(key) = rows.key(last) else { break };
        let Some(before) = predecessor(device, (space, &*rows), bounds[0]..bounds[1], (key, last))? else {
            break;
        };
        path.push(before);
    }
    path.reverse();
    Ok(path)
}

fn predecessor(
    device: &mut dyn Device,
    (space, rows): (&dyn StateSpace, &dyn Rows),
    level: std::ops::Range<u64>,
    (key, target): (Key, &[u8]),
) -> Result<Option<Vec<u8>>, Failure> {
    let mut best: Option<Vec<u8>> = None;
    let (mut scratch, mut state) = (Scratch::default(), Vec::new());
    let mut start = level.start;
    while start < level.end {
        let end = level.end.min(start + device.stride());
        for key in device.predecessors(start..end, key)? {
            rows.decode(key, &mut state);
            if best.as_ref().is_none_or(|best| state < *best) && leads(space, &state, target, &mut scratch) {
                best = Some(state.clone());
            }
        }
        start = end;
    }
    Ok(best)
}

fn leads(space: &dyn StateSpace, state: &[u8], target: &[u8], scratch: &mut Scratch) -> bool {
    let mut found = false;
    space.successors(state, scratch, &mut |successor| {
        found |= successor.target == Some(target);
        if found { std::ops::ControlFlow::Break(()) } else { std::ops::ControlFlow::Continue(()) }
    });
    found
}
