//! Bounded model checking: is there a run of so many steps into a bad state?
//!
//! Runs are looked for by their length, so that the first one found is a shortest. Biere, Cimatti, Clarke and
//! Zhu (1999).

use std::rc::Rc;

use crate::Progress;
use crate::circuit::{Circuit, Signal};
use crate::solver::{Meter, Result};
use crate::unroll::{Begin, Unrolled};

/// A search for runs, by length.
pub(crate) struct Bounded<'c> {
    run: Unrolled<'c>,
    bad: Signal,
    /// Whether no run from here on can exist, as no longer one does.
    is_over: bool,
}

impl<'c> Bounded<'c> {
    pub(crate) fn new(circuit: &'c Circuit, bad: Signal, meter: &Rc<Meter>) -> Bounded<'c> {
        Bounded { run: Unrolled::new(circuit, meter, Begin::Start), bad, is_over: false }
    }

    /// Returns how long runs are that are looked at now: shorter ones are not bad.
    pub(crate) fn depth(&self) -> usize {
        self.run.last()
    }

    /// Looks at runs of one length.
    pub(crate) fn advance(&mut self) -> Result<Progress> {
        if self.is_over {
            return Ok(Progress::Proved);
        }
        let last = self.run.last();
        let bad = self.run.literal(last, self.bad);
        if self.run.solve(&[bad])? {
            return Ok(Progress::Refuted(self.run.witness()));
        }
        self.run.solver.add([!bad]);
        // If there is no run of this length at all, there is none that is longer.
        if !self.run.solve(&[])? {
            self.is_over = true;
            return Ok(Progress::Proved);
        }
        self.run.add_step();
        Ok(Progress::Going)
    }
}
