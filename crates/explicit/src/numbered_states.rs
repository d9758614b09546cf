//! The compressed store by itself, for searches that are made elsewhere.
//!
//! States are numbered in the order they come, and a number gives back its state. So whoever knows where a
//! level of a breadth-first search begins and ends has its queue here too.

use narrows_model::{Limit, StateSpace};

use crate::Full;
use crate::store::{Blank, Components, Memory, Outline, States, Stop};

/// An exact set of the states of a space, compressed as in the searches of this crate. Hidden bytes are not
/// kept.
///
/// Where there is no room, nothing is added, and the answer is [`Limit::Memory`]; what is there stays usable.
///
/// ```
/// use narrows_explicit::NumberedStates;
/// # use narrows_model::{Expansion, Scratch, StateSpace, Violation, Visit};
/// # struct Bytes;
/// # impl StateSpace for Bytes {
/// #     fn initial(&self) -> Result<(Vec<u8>, Vec<Violation>), Violation> { Ok((vec![0], Vec::new())) }
/// #     fn successors(&self, _: &[u8], _: &mut Scratch, _: &mut Visit<'_>) -> Expansion { Expansion::Ended }
/// # }
/// let mut states = NumberedStates::new(1 << 20).expect("room");
/// assert_eq!(states.insert(&Bytes, b"one", &|| None), Ok((0, true)));
/// assert_eq!(states.insert(&Bytes, b"two", &|| None), Ok((1, true)));
/// assert_eq!(states.insert(&Bytes, b"one", &|| None), Ok((0, false)));
/// assert_eq!(states.get(1), b"two");
/// ```
#[derive(Debug)]
pub struct NumberedStates {
    states: States,
    memory: Memory,
    /// Whether it is known how states are best cut.
    learned: bool,
    learn_from: u64,
    blank: Blank,
    outline: Outline,
    parts: Vec<u32>,
}

/// So many states tell how others are best cut.
const LEARN_FROM: u64 = 1 << 15;

impl NumberedStates {
    /// Makes an empty set that will use at most so many bytes.
    ///
    /// # Errors
    ///
    /// There may not be room for the first tables.
    pub fn new(bytes: u64) -> Result<NumberedStates, Full> {
        let memory = Memory::new(bytes);
        let states = States::new(Components::new(&memory)?, &memory)?;
        Ok(NumberedStates {
            states,
            memory,
            learned: false,
            learn_from: LEARN_FROM,
            blank: Blank::default(),
            outline: Outline::default(),
            parts: Vec::new(),
        })
    }

    /// Learns how states are best cut when there are so many, which tests make small.
    #[must_use]
    pub fn learning_from(mut self, states: u64) -> Self {
        self.learn_from = states;
        self
    }

    /// Returns how many states there are.
    pub fn len(&self) -> u64 {
        self.states.len()
    }

    /// Returns whether there is no state.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns how many bytes are in use.
    pub fn memory(&self) -> u64 {
        self.memory.used()
    }

    /// Returns the most bytes that were in use at once.
    pub fn peak(&self) -> u64 {
        self.memory.peak()
    }

    /// Changes how many bytes may be in use: others use memory too.
    pub fn set_limit(&mut self, bytes: u64) {
        self.memory.set_limit(bytes);
    }

    /// Adds a state, and returns its number and whether it is new. Now and then all states are stored anew;
    /// meanwhile `look_up` is asked whether to stop.
    ///
    /// # Errors
    ///
    /// There is no room, or `look_up` said why to stop.
    pub fn insert<S: StateSpace + ?Sized>(
        &mut self,
        space: &S,
        state: &[u8],
        look_up: &dyn Fn() -> Option<Limit>,
    ) -> Result<(u32, bool), Limit> {
        if !self.learned && self.states.len() >= self.learn_from {
            self.learned = true;
            self.states.learn(space, &self.memory, look_up)?;
        }
        let visible = self.cut(space, state);
        loop {
            match self.states.insert(&state[..visible], &self.parts, &mut self.blank, &self.memory) {
                Ok(inserted) => return Ok(inserted),
                Err(Stop::Grow) => {
                    // The names of parts change.
                    self.blank = Blank::default();
                    self.states.grow(space, &self.memory, look_up)?;
                }
                Err(Stop::Full) => return Err(Limit::Memory),
            }
        }
    }

    /// Returns the number of a state, if it is there.
    pub fn find<S: StateSpace + ?Sized>(&mut self, space: &S, state: &[u8]) -> Option<u32> {
        let visible = self.cut(space, state);
        self.states.find_alone(&state[..visible], &self.parts, &mut self.blank, &self.memory)
    }

    /// Returns the state that has a number.
    pub fn get(&mut self, number: u32) -> &[u8] {
        self.states.decode(number, &mut self.outline)
    }

    /// Finds where a state is cut, and how many of its bytes are kept.
    fn cut<S: StateSpace + ?Sized>(&mut self, space: &S, state: &[u8]) -> usize {
        self.parts.clear();
        space.parts(state, &mut self.parts);
        state.len() - space.hidden_bytes()
    }
}

#[cfg(test)]
mod tests {
    use narrows_model::{Evaluator, Expansion, Limit, Scratch, StateSpace, Violation, Visit};

    use super::NumberedStates;
    use crate::samples::counters;
    use crate::{Budget, Unwatched, numbered_walk};

    #[test]
    fn numbers_stay_when_states_are_stored_anew() {
        let system = counters(4, 7);
        let space = Evaluator::new(&system);
        let mut all: Vec<Vec<u8>> = Vec::new();
        numbered_walk(&space, &Budget::unlimited(Unwatched), &mut |edge| {
            if all.last().is_none_or(|last| last != edge.before) {
                all.push(edge.before.to_vec());
            }
            0
        });
        assert!(all.len() > 1000);
        let mut states = NumberedStates::new(u64::MAX).expect("room").learning_from(300);
        for round in [true, false] {
            for (number, state) in all.iter().enumerate() {
                let inserted = states.insert(&space, state, &|| None);
                assert_eq!(inserted, Ok((number as u32, round)));
            }
        }
        for (number, state) in all.iter().enumerate() {
            assert_eq!(states.get(number as u32), state);
            assert_eq!(states.find(&space, state), Some(number as u32));
        }
        assert_eq!(states.len(), all.len() as u64);
    }

    /// Any bytes are a state.
    struct Bytes;

    impl StateSpace for Bytes {
        fn initial(&self) -> Result<(Vec<u8>, Vec<Violation>), Violation> {
            Ok((Vec::new(), Vec::new()))
        }

        fn successors(&self, _: &[u8], _: &mut Scratch, _: &mut Visit<'_>) -> Expansion {
            Expansion::Ended
        }
    }

    #[test]
    fn a_full_store_says_so_and_keeps_what_it_has() {
        let mut states = NumberedStates::new(1 << 20).expect("room");
        let mut length = 1_usize;
        let end = loop {
            match states.insert(&Bytes, &vec![7; length], &|| None) {
                Ok(_) => length += 64,
                Err(limit) => break limit,
            }
        };
        assert_eq!(end, Limit::Memory);
        assert!(states.peak() <= 1 << 20);
        assert_eq!(states.get(0), [7]);
    }
}
