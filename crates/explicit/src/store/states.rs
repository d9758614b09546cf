//! States that threads add and come back to: turned into keys, and numbered.
//!
//! When components are cramped, whoever has all states alone makes the keys of all of them anew, in wider
//! components. Their numbers and flags stay, so nobody else needs to know.

use narrows_model::{Difference, Limit, StateSpace};

use super::numbers::{Flag, Numbers};
use super::{AHEAD, Blank, Components, Full, Memory, Outline, Repacking, Stop, Wanted};

/// While all keys are made anew, limits are looked at after so many.
const LOOK_UP: usize = 1 << 14;

/// An exact set of states, with a number and a few flags for each. Hidden bytes are not kept.
#[derive(Debug)]
pub(crate) struct States {
    components: Components,
    numbers: Numbers,
}

/// What a thread uses again and again to turn states into numbers: a state, and its successors.
#[derive(Debug, Default)]
pub(crate) struct Coder {
    /// The state, hidden bytes included.
    pub(crate) state: Vec<u8>,
    from: Outline,
    to: Outline,
    parts: Vec<u32>,
    wanted: Vec<Wanted>,
    keys: Vec<u64>,
}

/// Takes the successors of a state, one by one.
pub(crate) struct Targets<'c> {
    from: &'c Outline,
    to: &'c mut Outline,
    parts: &'c mut Vec<u32>,
    wanted: &'c mut Vec<Wanted>,
    keys: &'c mut Vec<u64>,
}

impl Coder {
    /// Returns the state, and who takes its successors.
    pub(crate) fn split(&mut self) -> (&[u8], Targets<'_>) {
        self.keys.clear();
        self.wanted.clear();
        let targets = Targets {
            from: &self.from,
            to: &mut self.to,
            parts: &mut self.parts,
            wanted: &mut self.wanted,
            keys: &mut self.keys,
        };
        (&self.state, targets)
    }
}

impl States {
    /// Makes an empty set, in components that are empty too.
    pub(crate) fn new(components: Components, memory: &Memory) -> Result<States, Full> {
        Ok(States { components, numbers: Numbers::new(memory)? })
    }

    /// Returns how many states there are.
    pub(crate) fn len(&self) -> u64 {
        self.numbers.len()
    }

    /// Makes room where it has become scarce. `look_up` is asked now and then whether a limit is reached;
    /// then, and if there is no room, nothing is changed.
    pub(crate) fn grow<S: StateSpace + ?Sized>(
        &mut self,
        space: &S,
        memory: &Memory,
        look_up: &dyn Fn() -> Option<Limit>,
    ) -> Result<(), Limit> {
        if self.components.is_cramped() {
            match self.components.widen(memory)? {
                Some(repacking) => self.repack(&repacking, memory)?,
                None => {
                    let learned = self.components.learned(self.numbers.iter(), self.len(), memory)?;
                    self.renew(space, learned, memory, look_up)?;
                }
            }
        }
        self.components.grow(memory)?;
        Ok(self.numbers.grow(memory)?)
    }

    /// Changes all keys.
    fn repack(&mut self, repacking: &Repacking, memory: &Memory) -> Result<(), Full> {
        if !repacking.changes_keys() {
            return Ok(());
        }
        let numbers = self.numbers.in_use(memory)?;
        let mut keys = Vec::new();
        memory.reserve(&mut keys, numbers.len())?;
        keys.extend(
            numbers.iter().map(|number| self.components.repack(self.numbers.key(*number), repacking)),
        );
        self.numbers.rename(&numbers, &keys);
        memory.drop_list(numbers);
        memory.drop_list(keys);
        Ok(())
    }

    /// Makes all keys anew.
    fn renew<S: StateSpace + ?Sized>(
        &mut self,
        space: &S,
        mut components: Components,
        memory: &Memory,
        look_up: &dyn Fn() -> Option<Limit>,
    ) -> Result<(), Limit> {
        let numbers = self.numbers.in_use(memory)?;
        let mut keys = Vec::new();
        memory.reserve(&mut keys, numbers.len())?;
        let (mut outline, mut blank) = (Outline::default(), Blank::default());
        let (mut bytes, mut parts) = (Vec::new(), Vec::new());
        while let Some(number) = numbers.get(keys.len()) {
            if keys.len().is_multiple_of(LOOK_UP)
                && let Some(limit) = look_up()
            {
                return Err(limit);
            }
            self.components.decode(self.numbers.key(*number), &mut outline);
            bytes.clear();
            bytes.extend_from_slice(outline.state());
            // What is hidden does not tell where parts are.
            bytes.resize(bytes.len() + space.hidden_bytes(), 0);
            parts.clear();
            space.parts(&bytes, &mut parts);
            match components.add(outline.state(), &parts, &mut blank, memory) {
                Ok(key) => keys.push(key),
                Err(Stop::Full) => return Err(Limit::Memory),
                Err(Stop::Grow) => {
                    // There were more leaves than was to be expected.
                    components = components.with_room(&keys, memory)?;
                    keys.clear();
                }
            }
        }
        self.numbers.rename(&numbers, &keys);
        std::mem::replace(&mut self.components, components).release(memory);
        memory.drop_list(numbers);
        memory.drop_list(keys);
        Ok(())
    }

    /// Returns whether a state has a flag.
    pub(crate) fn has(&self, number: u32, flag: Flag) -> bool {
        self.numbers.has(number, flag)
    }

    /// Returns whether a state is dead or was put aside.
    pub(crate) fn is_settled(&self, number: u32) -> bool {
        self.numbers.is_settled(number)
    }

    /// Gives a state a flag, and returns whether it did not have it.
    pub(crate) fn set(&self, number: u32, flag: Flag) -> bool {
        self.numbers.set(number, flag)
    }

    /// Returns a state without its hidden bytes.
    pub(crate) fn visible(&self, number: u32) -> Vec<u8> {
        let mut outline = Outline::default();
        self.components.decode(self.numbers.key(number), &mut outline);
        outline.state().to_vec()
    }

    /// Prepares for a state's successors.
    pub(crate) fn load(&self, number: u32, hidden: &[u8], coder: &mut Coder) {
        self.components.decode(self.numbers.key(number), &mut coder.from);
        coder.state.clear();
        coder.state.extend_from_slice(coder.from.state());
        coder.state.extend_from_slice(hidden);
    }

    /// Takes a successor of the state that was loaded: where it leads.
    pub(crate) fn take<S: StateSpace + ?Sized>(
        &self,
        space: &S,
        target: &[u8],
        difference: Difference<'_>,
        to: &mut Targets<'_>,
        memory: &Memory,
    ) -> Result<(), Stop> {
        memory.reserve(to.keys, 1)?;
        let visible = &target[..target.len() - space.hidden_bytes()];
        let place = to.keys.len() as u32;
        let near =
            self.components.prepare_near(visible, difference, to.from, to.to, place, to.wanted, memory)?;
        let key = match near {
            Some(key) => key,
            None => {
                to.parts.clear();
                space.parts(target, to.parts);
                self.components.prepare(visible, to.parts, to.from, to.to, place, to.wanted, memory)?
            }
        };
        to.keys.push(key);
        Ok(())
    }

    /// Gives numbers to the successors that were taken, and tells which of them are new.
    pub(crate) fn number(
        &self,
        coder: &mut Coder,
        memory: &Memory,
        mut each: impl FnMut(u32, bool) -> Result<(), Full>,
    ) -> Result<(), Stop> {
        let keys = &mut coder.keys;
        for wanted in coder.wanted.chunks(AHEAD) {
            self.components.complete(wanted, memory, &mut |place, part| keys[place as usize] |= part)?;
        }
        self.numbers.approach(keys);
        for key in keys {
            let (number, new) = self.numbers.insert(*key, memory)?;
            each(number, new)?;
        }
        Ok(())
    }

    /// Adds a state by itself, and returns its number.
    pub(crate) fn add<S: StateSpace + ?Sized>(
        &self,
        space: &S,
        state: &[u8],
        memory: &Memory,
    ) -> Result<u32, Stop> {
        let key = self.encode(space, state, memory)?;
        Ok(self.numbers.insert(key, memory)?.0)
    }

    /// Adds a state that comes from nowhere known, and returns its number and whether it is new. Whoever
    /// calls this has all states alone.
    pub(crate) fn insert(
        &mut self,
        visible: &[u8],
        parts: &[u32],
        blank: &mut Blank,
        memory: &Memory,
    ) -> Result<(u32, bool), Stop> {
        let key = self.components.add(visible, parts, blank, memory)?;
        self.numbers.insert(key, memory)
    }

    /// Returns the number of a state, if it is there, and whatever is needed to look for it is kept in
    /// `blank`.
    pub(crate) fn find_alone(
        &mut self,
        visible: &[u8],
        parts: &[u32],
        blank: &mut Blank,
        memory: &Memory,
    ) -> Option<u32> {
        // If there is no room for its components, they are not there, and neither is the state.
        self.numbers.find(self.components.add(visible, parts, blank, memory).ok()?)
    }

    /// Returns the bytes of a state, without hidden ones, in an outline that is used again and again.
    pub(crate) fn decode<'o>(&self, number: u32, outline: &'o mut Outline) -> &'o [u8] {
        self.components.decode(self.numbers.key(number), outline);
        outline.state()
    }

    /// Learns from the states how they are best cut, and makes all keys anew.
    pub(crate) fn learn<S: StateSpace + ?Sized>(
        &mut self,
        space: &S,
        memory: &Memory,
        look_up: &dyn Fn() -> Option<Limit>,
    ) -> Result<(), Limit> {
        let learned = self.components.learned(self.numbers.iter(), self.len(), memory)?;
        self.renew(space, learned, memory, look_up)
    }

    /// Returns the number of a state, if it is there.
    pub(crate) fn find<S: StateSpace + ?Sized>(
        &self,
        space: &S,
        state: &[u8],
        memory: &Memory,
    ) -> Option<u32> {
        // If there is no room for its components, they are not there, and neither is the state.
        self.numbers.find(self.encode(space, state, memory).ok()?)
    }

    fn encode<S: StateSpace + ?Sized>(&self, space: &S, state: &[u8], memory: &Memory) -> Result<u64, Stop> {
        let mut parts = Vec::new();
        space.parts(state, &mut parts);
        let visible = &state[..state.len() - space.hidden_bytes()];
        self.components.encode(visible, &parts, &Outline::default(), &mut Outline::default(), memory)
    }
}

/// Makes empty components in which states like these are kept well.
pub(crate) fn learn<'s, S: StateSpace + ?Sized>(
    space: &S,
    like: impl Iterator<Item = &'s [u8]>,
    memory: &Memory,
) -> Result<Components, Limit> {
    let mut states = States::new(Components::new(memory)?, memory)?;
    for state in like {
        while let Err(stop) = states.add(space, state, memory) {
            match stop {
                Stop::Grow => states.grow(space, memory, &|| None)?,
                Stop::Full => return Err(Limit::Memory),
            }
        }
    }
    let learned = states.components.learned(states.numbers.iter(), states.len(), memory)?;
    states.renew(space, learned, memory, &|| None)?;
    let components = states.components.emptied(memory)?;
    states.components.release(memory);
    states.numbers.release(memory);
    Ok(components)
}
