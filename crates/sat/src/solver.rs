//! The SAT solver behind all engines: clauses, assumptions, models, cores; and when to stop.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::Arc;

use batsat::{Callbacks, Lit, SolverInterface, lbool};
use narrows_model::{Budget, Limit, Progress, Watch};

/// So many bytes a variable takes, about: its watches, its value, its place in the heap, and in tables of
/// ours.
const VARIABLE_BYTES: u64 = 150;
/// So many propagations are as much work as a decision.
const PROPAGATIONS: u64 = 50;
/// So many bytes a clause takes beside its literals.
const CLAUSE_BYTES: u64 = 40;
/// The clock is looked at once in so many decisions.
const PATIENCE: u32 = 512;

/// What all solvers of an engine use together, and when they stop.
pub(crate) struct Meter {
    memory: u64,
    bytes: Cell<u64>,
    most: Cell<u64>,
    watch: Arc<dyn Watch>,
    calls: Cell<u32>,
    stopped: Cell<Option<Limit>>,
    /// How much may still be done in this slice, in decisions; and what is done so far.
    slice: Cell<u64>,
    work: Cell<u64>,
}

impl Meter {
    pub(crate) fn new(budget: &Budget) -> Rc<Meter> {
        Rc::new(Meter {
            memory: budget.memory,
            bytes: Cell::new(0),
            most: Cell::new(0),
            watch: Arc::clone(&budget.watch),
            calls: Cell::new(0),
            stopped: Cell::new(None),
            slice: Cell::new(u64::MAX),
            work: Cell::new(0),
        })
    }

    /// Counts work that is no decision.
    fn spend(&self, work: u64) {
        self.work.set(self.work.get().saturating_add(work));
    }

    /// Returns the most bytes that were used at a time, about.
    pub(crate) fn most(&self) -> u64 {
        self.most.get()
    }

    /// Returns how much has been done, in decisions: the same for the same question on any system.
    pub(crate) fn work(&self) -> u64 {
        self.work.get()
    }

    /// Lets what follows do so much; then it ends with [`Stop::Slice`].
    pub(crate) fn allow(&self, work: u64) {
        self.slice.set(self.work.get().saturating_add(work));
    }

    fn add(&self, bytes: u64) {
        self.bytes.set(self.bytes.get() + bytes);
        self.most.set(self.most.get().max(self.bytes.get()));
    }

    fn remove(&self, bytes: u64) {
        self.bytes.set(self.bytes.get().saturating_sub(bytes));
    }

    /// Looks at the limits.
    pub(crate) fn check(&self) -> Result<()> {
        if self.stopped.get().is_none() {
            let over = (self.bytes.get() > self.memory).then_some(Limit::Memory);
            self.stopped.set(over.or_else(|| self.watch.check(&Progress::of_memory(self.bytes.get()))));
        }
        match self.stopped.get() {
            Some(limit) => Err(Stop::Limit(limit)),
            None if self.work.get() >= self.slice.get() => Err(Stop::Slice),
            None => Ok(()),
        }
    }

    /// Forgets that the memory was used up: the next question begins anew.
    pub(crate) fn forgive(&self) {
        if matches!(self.stopped.get(), Some(Limit::Memory | Limit::Enough)) {
            self.stopped.set(None);
        }
    }

    /// Counts a decision; returns whether to stop.
    fn is_over(&self) -> bool {
        self.work.set(self.work.get() + 1);
        let calls = self.calls.get() + 1;
        self.calls.set(calls % PATIENCE);
        if calls >= PATIENCE {
            return self.check().is_err();
        }
        // The solver asks again on its way out, and must hear the same.
        self.stopped.get().is_some() || self.work.get() >= self.slice.get()
    }
}

/// Why an engine has no answer yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stop {
    /// A limit was hit.
    Limit(Limit),
    /// It has done what it may do for now, and can go on later.
    Slice,
}

pub(crate) type Result<T> = std::result::Result<T, Stop>;

/// A literal of the solver.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Literal(Lit);

impl std::ops::Not for Literal {
    type Output = Literal;

    fn not(self) -> Literal {
        Literal(!self.0)
    }
}

impl Literal {
    /// Returns it, or its opposite.
    pub(crate) fn negated_if(self, negate: bool) -> Literal {
        if negate { !self } else { self }
    }
}

struct Counted {
    meter: Rc<Meter>,
    /// What this solver uses.
    mine: Cell<u64>,
}

impl Counted {
    fn add(&self, bytes: u64) {
        self.mine.set(self.mine.get() + bytes);
        self.meter.add(bytes);
    }

    fn remove(&self, bytes: u64) {
        self.mine.set(self.mine.get().saturating_sub(bytes));
        self.meter.remove(bytes);
    }
}

impl Callbacks for Counted {
    fn on_new_clause(&mut self, clause: &[Lit], _: batsat::ClauseKind) {
        self.add(CLAUSE_BYTES + 4 * clause.len() as u64);
    }

    fn on_delete_clause(&mut self, clause: &[Lit]) {
        self.remove(CLAUSE_BYTES + 4 * clause.len() as u64);
    }

    fn stop(&self) -> bool {
        self.meter.is_over()
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        self.meter.remove(self.mine.get());
    }
}

/// An incremental solver.
pub(crate) struct Solver {
    inner: batsat::Solver<Counted>,
    meter: Rc<Meter>,
    clause: RefCell<Vec<Lit>>,
    truth: Literal,
}

impl Solver {
    pub(crate) fn new(meter: &Rc<Meter>) -> Solver {
        let counted = Counted { meter: Rc::clone(meter), mine: Cell::new(0) };
        let mut inner = batsat::Solver::new(batsat::SolverOpts::default(), counted);
        let truth = Literal(Lit::new(inner.new_var_default(), true));
        inner.add_clause_reuse(&mut vec![truth.0]);
        Solver { inner, meter: Rc::clone(meter), clause: RefCell::default(), truth }
    }

    /// Returns the literal that is true.
    pub(crate) fn truth(&self) -> Literal {
        self.truth
    }

    /// Adds a variable.
    pub(crate) fn literal(&mut self) -> Literal {
        self.inner.cb().add(VARIABLE_BYTES);
        self.meter.spend(1);
        Literal(Lit::new(self.inner.new_var_default(), true))
    }

    /// Adds a clause.
    pub(crate) fn add(&mut self, clause: impl IntoIterator<Item = Literal>) {
        let mut list = self.clause.take();
        list.clear();
        list.extend(clause.into_iter().map(|literal| literal.0));
        self.inner.cb().add(CLAUSE_BYTES + 4 * list.len() as u64);
        self.inner.add_clause_reuse(&mut list);
        self.clause.replace(list);
    }

    /// Returns whether all clauses and assumptions can be met together.
    pub(crate) fn solve(&mut self, assumptions: &[Literal]) -> Result<bool> {
        self.meter.spend(1 + assumptions.len() as u64);
        self.meter.check()?;
        let assumptions: Vec<Lit> = assumptions.iter().map(|literal| literal.0).collect();
        let before = self.inner.num_propagations();
        let result = self.inner.solve_limited(&assumptions);
        self.meter.spend((self.inner.num_propagations() - before) / PROPAGATIONS);
        if result == lbool::TRUE {
            return Ok(true);
        }
        if result == lbool::FALSE {
            // The core is reported as if it were kept as a clause.
            let core = self.inner.unsat_core().len() as u64;
            if core > 0 {
                self.inner.cb().remove(CLAUSE_BYTES + 4 * core);
            }
            return Ok(false);
        }
        self.meter.check()?;
        Err(Stop::Slice)
    }

    /// Returns what a literal is, after a call that found it possible.
    pub(crate) fn value(&self, literal: Literal) -> bool {
        self.inner.value_lit(literal.0) == lbool::TRUE
    }

    /// Returns whether an assumption was needed, after a call that found it impossible.
    pub(crate) fn is_needed(&self, assumption: Literal) -> bool {
        // The solver keeps the opposites.
        self.inner.unsat_core_contains_lit(!assumption.0)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU32, Ordering};

    use narrows_model::{Budget, Limit, Progress, Unwatched};

    use super::{Meter, Solver, Stop};

    #[test]
    fn cores_are_assumptions() {
        let meter = Meter::new(&Budget::unlimited(Unwatched));
        let mut solver = Solver::new(&meter);
        let (a, b, c) = (solver.literal(), solver.literal(), solver.literal());
        solver.add([!a, b]);
        assert_eq!(solver.solve(&[a]), Ok(true));
        assert!(solver.value(b) && !solver.value(!b));
        assert_eq!(solver.solve(&[c, a, !b]), Ok(false));
        assert!(solver.is_needed(a) && solver.is_needed(!b) && !solver.is_needed(c));
    }

    /// More pigeons than holes: easily said, and out of reach.
    #[test]
    fn limits_end_a_search() {
        let calls = AtomicU32::new(0);
        let watch =
            move |_: &Progress| (calls.fetch_add(1, Ordering::Relaxed) >= 3).then_some(Limit::Interrupted);
        let meter = Meter::new(&Budget::unlimited(watch));
        let mut solver = Solver::new(&meter);
        let holes = 12;
        let pigeons: Vec<Vec<_>> =
            (0..=holes).map(|_| (0..holes).map(|_| solver.literal()).collect()).collect();
        for (number, pigeon) in pigeons.iter().enumerate() {
            solver.add(pigeon.iter().copied());
            for other in &pigeons[..number] {
                for (mine, theirs) in pigeon.iter().zip(other) {
                    solver.add([!*mine, !*theirs]);
                }
            }
        }
        meter.allow(1000);
        assert_eq!(solver.solve(&[]), Err(Stop::Slice));
        meter.allow(u64::MAX);
        assert_eq!(solver.solve(&[]), Err(Stop::Limit(Limit::Interrupted)));
        assert!(meter.most() > 0);
    }
}
