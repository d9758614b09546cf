//! Which engine expands states: machine code, or the reference evaluator.

use std::ops::{ControlFlow, Range};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

use narrows_model::{
    Evaluator, Expansion, ProcessSet, ReadRounds, Scratch, StateSpace, System, Violation, Visit,
};

use crate::reduction::ReadSets;
use crate::{Native, Unsupported};

/// So many states are expanded by the reference evaluator before a system is compiled: for fewer it is not
/// worth it.
const SMALL: u32 = 1_000;

/// So many moves are as much work as a state usually is.
const MOVES_OF_A_STATE: usize = 16;

/// A system, and what expands its states.
#[derive(Debug)]
pub struct Engine<'s> {
    evaluator: Evaluator<'s>,
    /// Machine code, once it is compiled; `None` in it if it never will be.
    native: OnceLock<Option<Box<Native<'s>>>>,
    expanded: AtomicU32,
    read_sets: OnceLock<Option<ReadSets<'s>>>,
}

impl<'s> Engine<'s> {
    /// Lets the reference evaluator expand every state.
    pub fn interpreter(evaluator: Evaluator<'s>) -> Self {
        Engine::with(evaluator, OnceLock::from(None))
    }

    /// Compiles the system at once.
    pub fn native(evaluator: Evaluator<'s>) -> Result<Self, Unsupported> {
        let native = Native::new(evaluator)?;
        Ok(Engine::with(evaluator, OnceLock::from(Some(Box::new(native)))))
    }

    /// Compiles the system once it turns out to be large, if this machine has the means.
    pub fn automatic(evaluator: Evaluator<'s>) -> Self {
        Engine::with(evaluator, OnceLock::new())
    }

    fn with(evaluator: Evaluator<'s>, native: OnceLock<Option<Box<Native<'s>>>>) -> Self {
        Engine { evaluator, native, expanded: AtomicU32::new(0), read_sets: OnceLock::new() }
    }

    /// Returns an engine of the same kind that sets to 0 what nobody reads afterwards.
    #[must_use]
    pub fn forgetting(&self) -> Self {
        let evaluator = self.evaluator.forgetting();
        let never = matches!(self.native.get(), Some(None));
        if never { Engine::interpreter(evaluator) } else { Engine::automatic(evaluator) }
    }

    /// Returns an engine of the same kind for another system, which forgets as this one does.
    #[must_use]
    pub fn over<'t>(&self, system: &'t System) -> Engine<'t> {
        let evaluator = Evaluator::new(system);
        let evaluator = if self.forgets() { evaluator.forgetting() } else { evaluator };
        let never = matches!(self.native.get(), Some(None));
        if never { Engine::interpreter(evaluator) } else { Engine::automatic(evaluator) }
    }

    /// Returns the reference evaluator: what replays runs, and looks at states. It never forgets.
    pub fn evaluator(&self) -> Evaluator<'s> {
        self.evaluator.remembering()
    }

    /// Returns whether every step sets to 0 what nobody reads afterwards.
    pub fn forgets(&self) -> bool {
        self.evaluator.forgets()
    }

    /// Returns the system.
    pub fn system(&self) -> &'s System {
        self.evaluator.system()
    }

    /// Counts the moves of a successor: a long atomic sequence is as much work as many states.
    fn count(&self, moves: usize) {
        if moves >= MOVES_OF_A_STATE {
            self.expanded.fetch_add((moves / MOVES_OF_A_STATE) as u32, Ordering::Relaxed);
        }
    }

    /// Returns machine code, if there is any yet.
    fn compiled(&self) -> Option<&Native<'s>> {
        match self.native.get() {
            Some(native) => native.as_deref(),
            None if self.expanded.fetch_add(1, Ordering::Relaxed) < SMALL => None,
            None => self.compile(),
        }
    }

    fn read_sets(&self) -> Option<&ReadSets<'s>> {
        self.read_sets.get_or_init(|| ReadSets::new(self)).as_ref()
    }

    fn compile(&self) -> Option<&Native<'s>> {
        self.native.get_or_init(|| Native::new(self.evaluator).ok().map(Box::new)).as_deref()
    }

    /// Expands a state. Where an atomic sequence turns out to be long, machine code begins again, and passes
    /// over what was visited: its successors are the same, in the same order.
    fn expand<R>(
        &self,
        expand: impl Fn(&dyn StateSpace, &mut Scratch, &mut Visit<'_>) -> R,
        scratch: &mut Scratch,
        visit: &mut Visit<'_>,
    ) -> R {
        if let Some(native) = self.compiled() {
            return expand(native, scratch, visit);
        }
        let mut passed = 0;
        let mut native = None;
        let expansion = expand(&self.evaluator, scratch, &mut |successor| {
            if successor.pulse.is_some() && self.native.get().is_none() {
                native = self.compile();
                if native.is_some() {
                    return ControlFlow::Break(());
                }
            }
            passed += usize::from(successor.pulse.is_none());
            self.count(successor.moves.len());
            visit(successor)
        });
        let Some(native) = native else { return expansion };
        expand(native, scratch, &mut |successor| {
            if passed > 0 && successor.pulse.is_none() {
                passed -= 1;
                return ControlFlow::Continue(());
            }
            visit(successor)
        })
    }
}

impl StateSpace for Engine<'_> {
    fn hidden_bytes(&self) -> usize {
        self.evaluator.hidden_bytes()
    }

    fn initial(&self) -> Result<(Vec<u8>, Vec<Violation>), Violation> {
        self.evaluator.initial()
    }

    fn successors(&self, state: &[u8], scratch: &mut Scratch, visit: &mut Visit<'_>) -> Expansion {
        let expand = |space: &dyn StateSpace, scratch: &mut Scratch, visit: &mut Visit<'_>| {
            space.successors(state, scratch, visit)
        };
        self.expand(expand, scratch, visit)
    }

    fn successors_of(
        &self,
        processes: ProcessSet,
        state: &[u8],
        scratch: &mut Scratch,
        visit: &mut Visit<'_>,
    ) {
        let expand = |space: &dyn StateSpace, scratch: &mut Scratch, visit: &mut Visit<'_>| {
            space.successors_of(processes, state, scratch, visit);
        };
        self.expand(expand, scratch, visit);
    }

    fn control(&self, state: &[u8], control: &mut Vec<u8>) {
        self.evaluator.control(state, control);
    }

    fn looks(&self, state: &[u8], pid: usize, bytes: &mut Vec<Range<u32>>) -> Option<bool> {
        self.read_sets()?.find(state, pid, bytes)
    }

    fn read_rounds(&self, state: &[u8], pid: usize) -> Option<ReadRounds> {
        self.read_sets()?.rounds(state, pid)
    }

    fn parts(&self, state: &[u8], ends: &mut Vec<u32>) {
        self.evaluator.parts(state, ends);
    }
}
