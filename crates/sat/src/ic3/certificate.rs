//! What makes a proof one: checked by solvers that had no part in finding it.

use std::rc::Rc;

use super::cube::Cube;
use crate::circuit::{Circuit, Signal};
use crate::solver::{Literal, Meter, Result};
use crate::unroll::{Begin, Unrolled, conjunction};

/// Returns whether no initial state is in these sets, no step leads into them from outside, and all bad
/// states are in them.
pub(crate) fn is_proof(circuit: &Circuit, bad: Signal, sets: &[Cube], meter: &Rc<Meter>) -> Result<bool> {
    let mut start = Unrolled::new(circuit, meter, Begin::Start);
    let any = members(&mut start, circuit, 0, sets);
    start.solver.add(any);
    if start.solve(&[])? {
        return Ok(false);
    }
    drop(start);
    let mut step = Unrolled::new(circuit, meter, Begin::Anywhere);
    for member in members(&mut step, circuit, 0, sets) {
        step.solver.add([!member]);
    }
    let bad = step.literal(0, bad);
    if step.solve(&[bad])? {
        return Ok(false);
    }
    step.add_step();
    let any = members(&mut step, circuit, 1, sets);
    step.solver.add(any);
    Ok(!step.solve(&[])?)
}

/// Returns for each set the literal that a state is in it.
fn members(run: &mut Unrolled<'_>, circuit: &Circuit, state: usize, sets: &[Cube]) -> Vec<Literal> {
    let mut found = Vec::new();
    for set in sets {
        let mut all = run.solver.truth();
        for (latch, value) in &set.0 {
            let literal = run.literal(state, circuit.latches[*latch as usize].leaf).negated_if(!value);
            all = conjunction(&mut run.solver, all, literal);
        }
        found.push(all);
    }
    found
}
