//! What a search asks of a device.

use std::ops::Range;

use crate::Table;

/// A state, in at most 127 bits.
pub type Key = u128;

/// A state by its number: states are numbered in the order in which they were found.
pub type Place = u64;

/// How many bits keys have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Width {
    /// At most 63.
    Narrow,
    /// At most 127.
    Wide,
}

impl Width {
    /// Returns how many bits a key may have; one more is left to tell an empty slot from a key.
    pub fn bits(self) -> u32 {
        match self {
            Width::Narrow => 63,
            Width::Wide => 127,
        }
    }

    /// Returns how many bytes a key takes.
    pub fn bytes(self) -> u64 {
        match self {
            Width::Narrow => 8,
            Width::Wide => 16,
        }
    }
}

/// What a device may use.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// At most so many bytes of its memory; `None` if it may take what is free.
    pub memory: Option<u64>,
}

/// Why a device does not go on.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Failure {
    /// There is no room for more states.
    #[error("the memory of the device is full")]
    Full,
    /// There is no driver.
    #[error("no NVIDIA driver was found: {0}")]
    NoDriver(String),
    /// There is no GPU.
    #[error("the NVIDIA driver finds no GPU: {0}")]
    NoDevice(String),
    /// The GPU lacks something.
    #[error("{name} has compute capability {major}.{minor}, and {what} needs {needed}")]
    TooOld {
        /// The name of the GPU.
        name: String,
        /// Its compute capability.
        major: i32,
        /// The part behind the dot.
        minor: i32,
        /// What needs more.
        what: &'static str,
        /// How much.
        needed: &'static str,
    },
    /// A call of the driver failed.
    #[error("{call} failed: {reason}")]
    Driver {
        /// The function of the driver.
        call: &'static str,
        /// What the driver says.
        reason: String,
    },
}

/// What came of expanding some states.
#[derive(Clone, Debug, Default)]
pub struct Expanded {
    /// The steps of those that are done.
    pub transitions: u64,
    /// Values that the table lacks: a node, and a key that leads there. Some may be there twice, and some may
    /// be left out until others are known.
    pub missing: Vec<(u32, Key)>,
    /// States that the host must expand: a process says so, or no process has a step.
    pub special: Vec<Key>,
    /// How many states are not done, because something is missing, room is scarce, or it would take long:
    /// they are to be expanded again, once that has changed.
    pub deferred: u64,
    /// Whether room has become scarce.
    pub is_full: bool,
}

/// Something that has room for keys, and expands states by a table.
///
/// All states are kept in the order in which they were found, each once. The next level is what was found
/// since the last one began; the caller keeps the places where levels begin.
pub trait Device {
    /// Tells what it is, for people.
    fn name(&self) -> String;

    /// Forgets everything, and makes ready for keys of this width.
    ///
    /// # Errors
    ///
    /// There may be too little memory for any state at all, or the device can't have such keys.
    fn reset(&mut self, width: Width) -> Result<(), Failure>;

    /// Takes over what the table has now.
    ///
    /// # Errors
    ///
    /// There may be no room for it.
    fn learn(&mut self, table: &Table) -> Result<(), Failure>;

    /// Returns how many states were found.
    fn len(&self) -> u64;

    /// Returns whether no state was found yet.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns how many states may be expanded at once, so that a call takes a fraction of a second.
    fn stride(&self) -> u64;

    /// Adds states, if they are new, in any order.
    ///
    /// # Errors
    ///
    /// There may be no room; then some of them may have been added.
    fn insert(&mut self, keys: &[Key]) -> Result<(), Failure>;

    /// Expands states: not more than [`Device::stride`] of them, and if it is `again`, only those among them
    /// that the last call has deferred.
    ///
    /// # Errors
    ///
    /// The device may break down. That there is no room is no error: it is in what is returned.
    fn expand(&mut self, states: Range<Place>, again: bool) -> Result<Expanded, Failure>;

    /// Makes more room.
    ///
    /// # Errors
    ///
    /// There may be none.
    fn grow(&mut self) -> Result<(), Failure>;

    /// Returns the keys of some states.
    ///
    /// # Errors
    ///
    /// The device may break down.
    fn keys(&mut self, states: Range<Place>) -> Result<Vec<Key>, Failure>;

    /// Returns those states, of not more than [`Device::stride`], that have a step to a key, or that the host
    /// must expand to know.
    ///
    /// # Errors
    ///
    /// The device may break down.
    fn predecessors(&mut self, states: Range<Place>, target: Key) -> Result<Vec<Key>, Failure>;

    /// Returns how many bytes of its memory are in use.
    fn memory(&self) -> u64;
}
