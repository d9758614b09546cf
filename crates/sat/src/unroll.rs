//! A circuit written out step by step as clauses: only what is asked for, and what that needs.

use std::rc::Rc;

use rustc_hash::FxHashMap;

use crate::circuit::{Circuit, Gate, Signal};
use crate::solver::{Literal, Meter, Result, Solver};

/// A run of a circuit: the first values of its latches, and the values of its inputs in each state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Witness {
    pub(crate) first: Vec<bool>,
    pub(crate) inputs: Vec<Vec<bool>>,
}

/// Where a run begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Begin {
    /// In an initial state.
    Start,
    /// In any state.
    Anywhere,
    /// In any assignment of bits, whether it is a state or not.
    Unchecked,
}

/// The states of a run, one after the other.
pub(crate) struct Unrolled<'c> {
    circuit: &'c Circuit,
    pub(crate) solver: Solver,
    /// For each state, the literals of nodes, as far as they have one.
    frames: Vec<FxHashMap<u32, Literal>>,
    /// For each node, the latch that it is.
    latch_of: Vec<Option<u32>>,
    begin: Begin,
}

impl<'c> Unrolled<'c> {
    pub(crate) fn new(circuit: &'c Circuit, meter: &Rc<Meter>, begin: Begin) -> Unrolled<'c> {
        let mut latch_of = vec![None; circuit.graph.len()];
        for (number, latch) in circuit.latches.iter().enumerate() {
            latch_of[latch.leaf.node()] = Some(number as u32);
        }
        let solver = Solver::new(meter);
        let mut unrolled = Unrolled { circuit, solver, frames: Vec::new(), latch_of, begin };
        unrolled.add_state();
        if begin == Begin::Start {
            unrolled.demand(0, circuit.initial);
        }
        unrolled
    }

    /// Returns the number of the last state.
    pub(crate) fn last(&self) -> usize {
        self.frames.len() - 1
    }

    /// Adds a step, and a state after it.
    pub(crate) fn add_step(&mut self) {
        self.demand(self.last(), self.circuit.step);
        self.add_state();
    }

    fn add_state(&mut self) {
        // Not all nodes are asked for in all states: a table of all would be far larger.
        self.frames.push(FxHashMap::from_iter([(0, !self.solver.truth())]));
        if self.begin != Begin::Unchecked {
            self.demand(self.last(), self.circuit.invariant);
        }
    }

    /// Demands that something is so in a state.
    pub(crate) fn demand(&mut self, state: usize, signal: Signal) {
        // Conjunctions are demanded part by part.
        let mut waiting = vec![signal];
        while let Some(signal) = waiting.pop() {
            match self.circuit.graph.gate(signal.node()) {
                Gate::And(left, right) if !signal.is_negative() => waiting.extend([left, right]),
                _ => {
                    let literal = self.literal(state, signal);
                    self.solver.add([literal]);
                }
            }
        }
    }

    /// Returns the literal of a function in a state.
    pub(crate) fn literal(&mut self, state: usize, signal: Signal) -> Literal {
        let mut waiting = vec![(state, signal.node())];
        while let Some((at, node)) = waiting.last().copied() {
            if self.frames[at].contains_key(&(node as u32)) {
                waiting.pop();
                continue;
            }
            if let Some(literal) = self.made(at, node, &mut waiting) {
                self.frames[at].insert(node as u32, literal);
                waiting.pop();
            }
        }
        self.known(state, signal).unwrap_or(self.solver.truth())
    }

    /// Returns the literal of a function in a state, if there is one already.
    pub(crate) fn known(&self, state: usize, signal: Signal) -> Option<Literal> {
        let found = self.frames[state].get(&(signal.node() as u32));
        found.map(|literal| literal.negated_if(signal.is_negative()))
    }

    /// Makes the literal of a node, or says what must be made first.
    fn made(&mut self, at: usize, node: usize, waiting: &mut Vec<(usize, usize)>) -> Option<Literal> {
        match self.circuit.graph.gate(node) {
            Gate::And(left, right) => {
                let (a, b) = (self.known(at, left), self.known(at, right));
                if let (Some(a), Some(b)) = (a, b) {
                    return Some(conjunction(&mut self.solver, a, b));
                }
                for (signal, known) in [(left, a), (right, b)] {
                    if known.is_none() {
                        waiting.push((at, signal.node()));
                    }
                }
                None
            }
            Gate::Leaf => match self.latch_of[node] {
                Some(number) if at > 0 => {
                    let next = self.circuit.latches[number as usize].next;
                    let known = self.known(at - 1, next);
                    if known.is_none() {
                        waiting.push((at - 1, next.node()));
                    }
                    known
                }
                Some(number) if self.begin == Begin::Start => {
                    let reset = self.circuit.latches[number as usize].reset;
                    let truth = self.solver.truth();
                    Some(reset.map_or_else(|| self.solver.literal(), |value| truth.negated_if(!value)))
                }
                _ => Some(self.solver.literal()),
            },
        }
    }

    /// Returns the run that was found.
    pub(crate) fn witness(&self) -> Witness {
        let of = |state: usize, signal: Signal, default: bool| {
            self.known(state, signal).map_or(default, |literal| self.solver.value(literal))
        };
        let latches = self.circuit.latches.iter();
        let inputs =
            |state: usize| self.circuit.inputs.iter().map(|input| of(state, *input, false)).collect();
        Witness {
            first: latches.map(|latch| of(0, latch.leaf, latch.reset.unwrap_or(false))).collect(),
            inputs: (0..self.frames.len()).map(inputs).collect(),
        }
    }

    /// Demands that two states differ in some of these latches.
    pub(crate) fn demand_different(&mut self, one: usize, other: usize, latches: &[bool]) {
        let mut clause = Vec::new();
        let latches = self.circuit.latches.iter().zip(latches);
        for latch in latches.filter(|(_, is_meant)| **is_meant).map(|(latch, _)| latch) {
            let (a, b) = (self.literal(one, latch.leaf), self.literal(other, latch.leaf));
            let differ = self.solver.literal();
            // One direction is enough: where they are said to differ, they do.
            self.solver.add([!differ, a, b]);
            self.solver.add([!differ, !a, !b]);
            clause.push(differ);
        }
        self.solver.add(clause);
    }

    /// Returns whether the clauses and assumptions can be met.
    pub(crate) fn solve(&mut self, assumptions: &[Literal]) -> Result<bool> {
        self.solver.solve(assumptions)
    }
}

/// Returns the literal of a conjunction.
pub(crate) fn conjunction(solver: &mut Solver, left: Literal, right: Literal) -> Literal {
    let truth = solver.truth();
    if left == !truth || right == !truth || left == !right {
        return !truth;
    }
    if left == truth || left == right {
        return right;
    }
    if right == truth {
        return left;
    }
    let both = solver.literal();
    solver.add([!both, left]);
    solver.add([!both, right]);
    solver.add([both, !left, !right]);
    both
}
