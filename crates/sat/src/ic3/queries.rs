//! What IC3 asks its solvers.

use std::rc::Rc;

use super::cube::Cube;
use crate::circuit::{Circuit, Signal};
use crate::solver::{Literal, Meter, Result, Solver};
use crate::unroll::{Begin, Unrolled};

/// After so many questions, the solver is made anew: what was asked leaves clauses behind.
const MAX_QUERIES: u32 = 3000;

/// States from which one gets to where one should not, with these inputs.
pub(super) struct Found {
    pub(super) cube: Cube,
    pub(super) inputs: Vec<bool>,
}

/// Solvers, with what they know.
pub(super) struct Queries<'c> {
    circuit: &'c Circuit,
    bad: Signal,
    meter: Rc<Meter>,
    /// One state and one step, with all clauses.
    main: Unrolled<'c>,
    /// Switches on the clauses of each number of steps.
    levels: Vec<Literal>,
    /// One assignment and what it leads to, without clauses.
    lift: Unrolled<'c>,
    /// An initial state.
    start: Unrolled<'c>,
    questions: u32,
    lifted: u32,
}

impl<'c> Queries<'c> {
    pub(super) fn new(circuit: &'c Circuit, bad: Signal, meter: &Rc<Meter>) -> Queries<'c> {
        Queries {
            circuit,
            bad,
            meter: Rc::clone(meter),
            main: Unrolled::new(circuit, meter, Begin::Anywhere),
            levels: Vec::new(),
            lift: Unrolled::new(circuit, meter, Begin::Unchecked),
            start: Unrolled::new(circuit, meter, Begin::Start),
            questions: 0,
            lifted: 0,
        }
    }

    fn latch(&self, number: u32) -> crate::circuit::Latch {
        self.circuit.latches[number as usize]
    }

    /// Returns the literal of a latch, now or next.
    fn literal(&mut self, (number, value): (u32, bool), is_next: bool) -> Literal {
        let latch = self.latch(number);
        let signal = if is_next { latch.next } else { latch.leaf };
        self.main.literal(0, signal).negated_if(!value)
    }

    /// Makes the solvers anew if they are full of old questions.
    pub(super) fn renew(&mut self, frames: &[Vec<Cube>]) {
        if self.lifted > MAX_QUERIES {
            self.lift = Unrolled::new(self.circuit, &self.meter, Begin::Unchecked);
            self.lifted = 0;
        }
        if self.questions <= MAX_QUERIES {
            return;
        }
        self.main = Unrolled::new(self.circuit, &self.meter, Begin::Anywhere);
        self.levels.clear();
        self.questions = 0;
        for (level, frame) in frames.iter().enumerate() {
            for cube in frame {
                self.block(level, cube);
            }
        }
    }

    fn level(&mut self, level: usize) -> Literal {
        while self.levels.len() <= level {
            let literal = self.main.solver.literal();
            self.levels.push(literal);
        }
        self.levels[level]
    }

    /// Notes that no state of a set is reached in so many steps.
    pub(super) fn block(&mut self, level: usize, cube: &Cube) {
        let switch = self.level(level);
        let mut clause = vec![!switch];
        for literal in &cube.0 {
            clause.push(!self.literal(*literal, false));
        }
        self.main.solver.add(clause);
    }

    /// Switches on what is known of states that are reached in so many steps.
    fn known(&mut self, level: usize) -> Vec<Literal> {
        if level == 0 {
            let initial = self.circuit.initial;
            return vec![self.main.literal(0, initial)];
        }
        self.level(level);
        self.levels[level..].to_vec()
    }

    /// Returns a bad initial state with its inputs.
    pub(super) fn bad_at_start(&mut self) -> Result<Option<(Vec<bool>, Vec<bool>)>> {
        let bad = self.start.literal(0, self.bad);
        if !self.start.solve(&[bad])? {
            return Ok(None);
        }
        let mut witness = self.start.witness();
        Ok(Some((witness.first, witness.inputs.pop().unwrap_or_default())))
    }

    /// Returns an initial state of a set.
    pub(super) fn first_state_in(&mut self, cube: &Cube) -> Result<Option<Vec<bool>>> {
        // Mostly it can be seen that there is none.
        let is_out =
            |(number, value): &(u32, bool)| self.latch(*number).reset.is_some_and(|reset| reset != *value);
        if cube.0.iter().any(is_out) {
            return Ok(None);
        }
        let mut assumptions = Vec::new();
        for (number, value) in &cube.0 {
            let leaf = self.latch(*number).leaf;
            assumptions.push(self.start.literal(0, leaf).negated_if(!value));
        }
        let found = self.start.solve(&assumptions)?;
        Ok(found.then(|| self.start.witness().first))
    }

    /// Returns bad states that are not known to be out of reach after so many steps.
    pub(super) fn bad(&mut self, level: usize) -> Result<Option<Found>> {
        let mut assumptions = self.known(level);
        assumptions.push(self.main.literal(0, self.bad));
        if !self.main.solve(&assumptions)? {
            return Ok(None);
        }
        self.lifted_from(&[self.bad]).map(Some)
    }

    /// Returns states outside of a set that are not known to be out of reach after so many steps and lead
    /// into it. If there are none: a set that covers it, holds no initial state, and of which the same is
    /// true.
    pub(super) fn before(&mut self, level: usize, cube: &Cube) -> Result<std::result::Result<Found, Cube>> {
        self.questions += 1;
        let mut assumptions = self.known(level);
        let outside = self.main.solver.literal();
        let mut clause = vec![!outside];
        for literal in &cube.0 {
            clause.push(!self.literal(*literal, false));
        }
        self.main.solver.add(clause);
        assumptions.push(outside);
        assumptions.push(self.main.literal(0, self.circuit.step));
        let targets: Vec<Literal> = cube.0.iter().map(|literal| self.literal(*literal, true)).collect();
        assumptions.extend(&targets);
        let found = self.main.solve(&assumptions);
        let result = match found {
            Ok(true) => {
                let goals: Vec<Signal> = cube
                    .0
                    .iter()
                    .map(|(number, value)| self.latch(*number).next.negated_if(!value))
                    .chain([self.circuit.step])
                    .collect();
                self.lifted_from(&goals).map(Ok)
            }
            Ok(false) => {
                let solver: &Solver = &self.main.solver;
                let needed: Vec<bool> = targets.iter().map(|target| solver.is_needed(*target)).collect();
                self.smaller(cube, &needed).map(Err)
            }
            Err(stop) => Err(stop),
        };
        self.main.solver.add([!outside]);
        result
    }

    /// Returns a set with the conditions that are needed, and enough others to keep initial states out.
    fn smaller(&mut self, cube: &Cube, needed: &[bool]) -> Result<Cube> {
        let pick = |also: Option<usize>| {
            let each = cube.0.iter().enumerate();
            Cube(
                each.filter(|(index, _)| needed[*index] || also == Some(*index))
                    .map(|(_, literal)| *literal)
                    .collect(),
            )
        };
        let small = pick(None);
        if !small.0.is_empty() && self.first_state_in(&small)?.is_none() {
            return Ok(small);
        }
        for (index, (number, value)) in cube.0.iter().enumerate() {
            if !needed[index] && self.latch(*number).reset.is_some_and(|reset| reset != *value) {
                return Ok(pick(Some(index)));
            }
        }
        Ok(cube.clone())
    }

    /// Leaves out of the state that was found what does not matter for where it leads.
    fn lifted_from(&mut self, goals: &[Signal]) -> Result<Found> {
        self.lifted += 1;
        // With these inputs, a state of the set is one, and goes there.
        let active = self.lift.solver.literal();
        let mut clause = vec![!active];
        for goal in goals.iter().chain([&self.circuit.invariant]) {
            clause.push(!self.lift.literal(0, *goal));
        }
        self.lift.solver.add(clause);
        let mut assumptions = vec![active];
        let mut inputs = Vec::new();
        for input in &self.circuit.inputs {
            let value = self.main.known(0, *input).is_some_and(|literal| self.main.solver.value(literal));
            inputs.push(value);
            if let Some(literal) = self.lift.known(0, *input) {
                assumptions.push(literal.negated_if(!value));
            }
        }
        let mut state = Vec::new();
        for (number, latch) in self.circuit.latches.iter().enumerate() {
            if let Some(literal) = self.lift.known(0, latch.leaf) {
                let here = self.main.known(0, latch.leaf);
                let value = here.is_some_and(|here| self.main.solver.value(here));
                state.push((number as u32, value, literal.negated_if(!value)));
            }
        }
        assumptions.extend(state.iter().map(|(_, _, literal)| *literal));
        let is_possible = self.lift.solve(&assumptions)?;
        let is_kept = |literal: Literal| is_possible || self.lift.solver.is_needed(literal);
        let kept = state.iter().filter(|(_, _, literal)| is_kept(*literal));
        let cube = Cube(kept.map(|(number, value, _)| (*number, *value)).collect());
        self.lift.solver.add([!active]);
        Ok(Found { cube, inputs })
    }
}
