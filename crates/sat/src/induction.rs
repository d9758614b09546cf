//! Induction over several steps: a bad state would have so many good ones before it, all different.
//!
//! Together with the search for runs from the start, which must have come as far, this is a proof; and as
//! paths of different states have an end, it comes to one. Sheeran, Singh and Stålmarck (2000).

use std::rc::Rc;

use crate::Progress;
use crate::bounded::Bounded;
use crate::circuit::{Circuit, Signal};
use crate::solver::{Meter, Result};
use crate::unroll::{Begin, Unrolled};

/// A proof by induction.
pub(crate) struct Induction<'c> {
    base: Bounded<'c>,
    /// A path that begins anywhere, and is good but for its end.
    path: Unrolled<'c>,
    bad: Signal,
    /// The latches that make a difference.
    needed: Vec<bool>,
}

impl<'c> Induction<'c> {
    pub(crate) fn new(circuit: &'c Circuit, bad: Signal, meter: &Rc<Meter>) -> Induction<'c> {
        let base = Bounded::new(circuit, bad, meter);
        let path = Unrolled::new(circuit, meter, Begin::Anywhere);
        Induction { base, path, bad, needed: circuit.needed(vec![bad]) }
    }

    /// Returns how long runs are that are looked at now: shorter ones are not bad.
    pub(crate) fn depth(&self) -> usize {
        self.base.depth()
    }

    /// Looks at runs of one length, and at paths of that length.
    pub(crate) fn advance(&mut self) -> Result<Progress> {
        // The base comes first: it must have shown that no run as long as the path is bad.
        if self.base.depth() == self.path.last() {
            match self.base.advance()? {
                Progress::Going => {}
                done => return Ok(done),
            }
        }
        let last = self.path.last();
        let bad = self.path.literal(last, self.bad);
        if !self.path.solve(&[bad])? {
            return Ok(Progress::Proved);
        }
        self.path.solver.add([!bad]);
        self.path.add_step();
        let last = self.path.last();
        for other in 0..last {
            self.path.demand_different(other, last, &self.needed);
        }
        Ok(Progress::Going)
    }
}
