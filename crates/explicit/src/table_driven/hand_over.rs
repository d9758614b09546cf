//! The states of a search on the processor, as keys for a device that goes on with it.

use narrows_gpu::Key;
use narrows_model::Progress;

use super::batches::{self, in_batches};
use super::rows::{Interrupt, Rows};
use crate::Budget;
use crate::breadth_first::Frontier;
use crate::search::Counts;
use crate::store::Outline;

/// What a thread needs for it.
#[derive(Default)]
struct Reader {
    outline: Outline,
    counts: Counts,
}

impl batches::Worker for Reader {
    fn counts(&self) -> &Counts {
        &self.counts
    }
}

/// Returns the keys of all states, in the order of [`Frontier::states`]; or whether they must be made anew,
/// because of something that is new to the rows. All that is new is taken note of before.
pub(super) fn keys(
    frontier: &Frontier,
    rows: &mut dyn Rows,
    of: (&Budget, &Progress),
) -> Result<(Vec<Key>, bool), Interrupt> {
    let states = frontier.states();
    let known = match rows.encoding() {
        Some(encoding) => {
            let key = |number: usize, reader: &mut Reader| {
                frontier.decode(states[number], &mut reader.outline);
                Ok(encoding.key(reader.outline.state()).ok())
            };
            in_batches(states.len(), of, &mut Counts::default(), Reader::default, key)?
        }
        None => vec![None; states.len()],
    };
    let (mut keys, mut is_anew) = (Vec::with_capacity(states.len()), false);
    let mut outline = Outline::default();
    for (state, known) in states.into_iter().zip(known) {
        if let Some(key) = known {
            keys.push(key);
            continue;
        }
        frontier.decode(state, &mut outline);
        match rows.key(outline.state()) {
            Ok(key) => keys.push(key),
            Err(Interrupt::Anew) => is_anew = true,
            Err(other) => return Err(other),
        }
    }
    Ok((keys, is_anew))
}
