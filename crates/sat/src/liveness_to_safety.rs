//! Endless runs as runs into bad states: a state is remembered, and comes again.
//!
//! An endless run against a formula is a run that comes back to a state, with everything that must come again
//! and again in between. So the circuit gets a copy of its latches, taken at any time, and notes what has
//! been since then. Biere, Artho and Schuppan (2002). Latches that nothing of this depends on are left out:
//! with the same inputs again and again, these repeat some time, too.

use crate::circuit::{Circuit, Latch, Signal};

/// What must come again and again.
pub(crate) struct Fair {
    /// Each of these.
    pub(crate) justice: Vec<Signal>,
    /// The second, if the first does.
    pub(crate) compassion: Vec<(Signal, Signal)>,
}

impl Fair {
    /// Returns the latches that what must come again, or any constraint, depends on, also later.
    pub(crate) fn needed(&self, circuit: &Circuit) -> Vec<bool> {
        let pairs = self.compassion.iter().flat_map(|(first, second)| [*first, *second]);
        circuit.needed(self.justice.iter().copied().chain(pairs).collect())
    }
}

/// Adds what remembers a state, in the latches that are to be remembered. Returns where a state is
/// remembered, and where it has come again after a fair round.
pub(crate) fn watch_loops(circuit: &mut Circuit, fair: &Fair, remembered: &[bool]) -> (Signal, Signal) {
    let save = circuit.graph.leaf();
    circuit.inputs.push(save);
    let latches = circuit.latches.iter().zip(remembered);
    let kept: Vec<Latch> = latches.filter(|(_, remembered)| **remembered).map(|(latch, _)| *latch).collect();
    let saved = circuit.graph.leaf();
    let is_inside = circuit.graph.or(saved, save);
    let is_first = circuit.graph.and(save, !saved);
    let latch = |circuit: &mut Circuit, leaf, next| {
        circuit.latches.push(Latch { leaf, next, reset: Some(false) });
        circuit.initial = circuit.graph.and(circuit.initial, !leaf);
    };
    latch(circuit, saved, is_inside);
    let mut conditions = vec![saved];
    for one in kept {
        let copy = circuit.graph.leaf();
        let next = circuit.graph.choose(is_first, one.leaf, copy);
        latch(circuit, copy, next);
        let is_same = circuit.graph.same(one.leaf, copy);
        conditions.push(is_same);
    }
    let seen = |circuit: &mut Circuit, what: Signal| {
        let leaf = circuit.graph.leaf();
        let now = circuit.graph.and(is_inside, what);
        let next = circuit.graph.or(leaf, now);
        latch(circuit, leaf, next);
        leaf
    };
    for justice in &fair.justice {
        let seen = seen(circuit, *justice);
        conditions.push(seen);
    }
    for (first, second) in &fair.compassion {
        let (first, second) = (seen(circuit, *first), seen(circuit, *second));
        let is_met = circuit.graph.or(!first, second);
        conditions.push(is_met);
    }
    let bad = circuit.graph.all(conditions);
    (save, bad)
}
