//! The system as machine code: a second state space over the same bytes as the reference evaluator's.
//!
//! At the start every statement becomes a function in machine code (`compile`); a walk over flat tables
//! (`plan`, `walk`) tries them in the reference evaluator's order. Machine code changes one buffer in place
//! (`level`) and notes what it overwrites (`undo_log`), so that a successor costs no copy and no memory.
//! Invariant: the same successors in the same order, with the same moves, violations and bytes, as the
//! reference evaluator; what is rare it does itself.
//!
//! | file | contents |
//! |---|---|
//! | `compile/` | statements to functions; edges of a location (`scan.rs`); sequences (`chain.rs`) |
//! | `plan.rs` | flat tables of locations and edges |
//! | `walk.rs` | successors, as `evaluator/steps.rs` finds them |
//! | `level.rs`, `undo_log.rs` | the state that is changed in place, and the log that takes changes back |

mod compile;
mod level;
mod plan;
mod undo_log;
mod walk;

use narrows_model::{Evaluator, Expansion, ProcessSet, Scratch, StateSpace, Violation, Visit};

pub use compile::Unsupported;
use level::Layout;
use plan::Plan;
use walk::Walk;

/// A system in machine code.
pub struct Native<'s> {
    evaluator: Evaluator<'s>,
    layout: Layout,
    plan: Plan,
    records_events: bool,
    /// Where the code lies that the plan leads to.
    _code: compile::CodeMemory,
}

impl<'s> Native<'s> {
    /// Compiles a system.
    pub fn new(evaluator: Evaluator<'s>) -> Result<Self, Unsupported> {
        let layout = Layout::of(evaluator.system());
        let mut compiled = compile::compile(&evaluator, &layout)?;
        let plan = Plan::new(&evaluator, &mut compiled);
        let records_events = evaluator.records_events();
        Ok(Native { evaluator, layout, plan, records_events, _code: compiled.memory })
    }

    /// Returns how many edges are left to the reference evaluator, and how many there are.
    pub fn interpreted(&self) -> (usize, usize) {
        let interpreted = |edge: &&plan::Edge| matches!(edge.action, plan::Action::Interpreted);
        (self.plan.edges.iter().filter(interpreted).count(), self.plan.edges.len())
    }
}

impl std::fmt::Debug for Native<'_> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (interpreted, edges) = self.interpreted();
        write!(formatter, "Native {{ edges: {edges}, interpreted: {interpreted} }}")
    }
}

impl StateSpace for Native<'_> {
    fn hidden_bytes(&self) -> usize {
        self.evaluator.hidden_bytes()
    }

    fn initial(&self) -> Result<(Vec<u8>, Vec<Violation>), Violation> {
        self.evaluator.initial()
    }

    fn successors(&self, state: &[u8], scratch: &mut Scratch, visit: &mut Visit<'_>) -> Expansion {
        Walk::new(self, scratch, visit).expand(state)
    }

    fn successors_of(
        &self,
        processes: ProcessSet,
        state: &[u8],
        scratch: &mut Scratch,
        visit: &mut Visit<'_>,
    ) {
        Walk::new(self, scratch, visit).expand_some(processes, state);
    }

    fn control(&self, state: &[u8], control: &mut Vec<u8>) {
        self.evaluator.control(state, control);
    }

    fn parts(&self, state: &[u8], ends: &mut Vec<u32>) {
        self.evaluator.parts(state, ends);
    }
}
