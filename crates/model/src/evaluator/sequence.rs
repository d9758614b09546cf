//! The path through an atomic sequence: how long it is, whether it goes round in a loop, where paths meet.
//!
//! States inside an atomic sequence are passed through and never stored, so that nothing else tells a long
//! sequence from an endless one, and choices inside multiply paths. A loop is found by R. P. Brent's
//! algorithm (*An improved Monte Carlo factorization algorithm*, 1980): the state is compared with the one at
//! the last power of two of the path, every [`STRIDE`] moves, which costs a few states of memory however long
//! the sequence is. Paths are followed one by one, as SPIN counts them, until there are [`MANY_MOVES`] moves,
//! or one of them goes round in a loop, where SPIN would find no end; then states with a choice are kept, and
//! a path that comes to one of them is not followed again. All of it depends on the state that is expanded
//! alone, not on the engine or the machine.

use rustc_hash::FxHashMap;

use super::attempt::StepRecord;
use crate::{Move, MoveKind, Violation};

/// The state is compared once in so many moves.
const STRIDE: usize = 64;

/// The first state that later ones are compared with comes after so many moves.
const FIRST_LANDMARK: usize = 256;

/// After so many moves of one expansion, paths that meet are merged.
const MANY_MOVES: u64 = 1 << 16;

/// Whoever asked for it hears of the walk after so many moves.
const PULSE_EVERY: u64 = 1 << 13;

/// What processes have done since the state that is expanded.
#[derive(Debug, Default)]
pub struct AtomicPath {
    /// Their moves, in order.
    pub moves: Vec<Move>,
    /// What went wrong and what was communicated on the way.
    pub told: StepRecord,
    /// Where the path was at powers of two, the latest last; those of other paths are overwritten in passing.
    landmarks: Vec<(usize, Vec<u8>)>,
    /// States with a choice, once there are many moves, and where it is noted whether they are on this path.
    choices: FxHashMap<Vec<u8>, usize>,
    on_path: Vec<bool>,
    choice_bytes: u64,
    /// Moves inside atomic sequences, on all paths together.
    walked: u64,
    /// Whether a path was found to go round in a loop.
    is_endless: bool,
    pulsed: u64,
    buffer: Vec<u8>,
}

/// What is known of a state with a choice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Choice {
    /// It was not met before; it has this number now.
    New(usize),
    /// The path has passed it: it goes round in a loop.
    OnPath,
    /// All that follows it has been visited.
    Followed,
}

impl AtomicPath {
    /// Begins with another state.
    pub fn clear(&mut self) {
        self.moves.clear();
        self.told.violations.clear();
        self.told.events.clear();
        if self.walked > 0 {
            self.landmarks.clear();
            self.choices.clear();
            self.on_path.clear();
            (self.choice_bytes, self.walked, self.pulsed) = (0, 0, 0);
            self.is_endless = false;
        }
    }

    /// Counts moves inside an atomic sequence that were just added.
    pub fn count(&mut self, moves: usize) {
        self.walked += moves as u64;
    }

    /// Returns how many moves it takes until [`AtomicPath::is_loop`] is to be asked.
    pub fn until_compared(&self) -> usize {
        STRIDE - self.moves.len() % STRIDE
    }

    /// Returns whether the path has come back to a state that it has passed, with the same process in
    /// control; `save` writes the state. It is to be asked after every move, and looks at the state now and
    /// then.
    pub fn is_loop(&mut self, pid: usize, save: impl FnOnce(&mut Vec<u8>)) -> bool {
        let length = self.moves.len();
        // A rendezvous adds two moves at once, so that one step in 64 may be skipped.
        let skipped = || self.moves.last().is_some_and(|last| last.kind == MoveKind::Accept);
        let is_due = length.is_multiple_of(STRIDE) || length % STRIDE == 1 && skipped();
        if length < FIRST_LANDMARK || !is_due {
            return false;
        }
        let place = length / STRIDE * STRIDE;
        while self.landmarks.last().is_some_and(|(there, _)| *there >= place) {
            self.landmarks.pop();
        }
        save(&mut self.buffer);
        self.buffer.push(pid as u8);
        if self.landmarks.last().is_some_and(|(_, state)| *state == self.buffer) {
            self.is_endless = true;
            return true;
        }
        if place.is_power_of_two() {
            self.landmarks.push((place, self.buffer.clone()));
        }
        false
    }

    /// Returns whether paths that meet are merged from now on.
    pub fn merges(&self) -> bool {
        self.is_endless || self.walked > MANY_MOVES
    }

    /// Meets a state at which a process has a choice.
    pub(super) fn meet(&mut self, pid: usize, save: impl FnOnce(&mut Vec<u8>)) -> Choice {
        save(&mut self.buffer);
        self.buffer.push(pid as u8);
        // What went wrong before is told with every successor: only paths that tell the same are merged.
        let mut violations: Vec<&Violation> = self.told.violations.iter().collect();
        violations.sort_unstable();
        violations.dedup();
        for Violation { kind, span, pid } in violations {
            self.buffer.extend_from_slice(format!("{kind:?} {span:?} {pid}").as_bytes());
        }
        match self.choices.get(&self.buffer) {
            Some(number) if self.on_path[*number] => Choice::OnPath,
            Some(_) => Choice::Followed,
            None => {
                let number = self.on_path.len();
                self.choice_bytes += self.buffer.len() as u64 + 64;
                self.choices.insert(self.buffer.clone(), number);
                self.on_path.push(true);
                Choice::New(number)
            }
        }
    }

    /// Leaves a state with a choice: all that follows it has been visited.
    pub(super) fn leave(&mut self, choice: usize) {
        self.on_path[choice] = false;
    }

    /// If it is time to tell whoever asked that the walk goes on, returns the number of the first move that
    /// they may not have been told of.
    pub fn next_pulse(&mut self) -> Option<usize> {
        let since = self.walked - self.pulsed;
        if since < PULSE_EVERY {
            return None;
        }
        self.pulsed = self.walked;
        // A rendezvous counts once, but has two moves.
        Some(self.moves.len().saturating_sub(2 * since as usize))
    }

    /// Returns how many bytes this takes.
    pub fn memory(&self) -> u64 {
        self.moves.capacity() as u64 * size_of::<Move>() as u64 + self.choice_bytes
    }
}
