//! Synchronous systems as files for other programs: AIGER 1.9, as text or in its binary form.
//!
//! Invariants and faults are bad states. What holds of every state is a constraint; that steps are steps, and
//! that the first state is one, is kept in two latches of their own: so the last state of a run needs no
//! successor.

use std::fmt::Write;

use narrows_graph::varint;
use narrows_model::synchronous::{ExprId, SynchronousClaim as Claim, SynchronousSystem};

use crate::circuit::{Circuit, Gate, Latch, Signal};

/// Which form a file has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AigerForm {
    /// Text: `.aag`.
    Text,
    /// Binary: `.aig`.
    Binary,
}

/// A system as an AIGER file.
#[derive(Clone, Debug)]
pub struct Aiger {
    /// The file.
    pub bytes: Vec<u8>,
    /// How many inputs it has.
    pub inputs: usize,
    /// How many latches.
    pub latches: usize,
    /// How many gates.
    pub gates: usize,
    /// What its bad states are.
    pub bad: Vec<String>,
    /// What is asked of the model and is not in the file.
    pub left_out: Vec<String>,
}

/// Writes a system, with what is asked of it as bad states.
pub fn aiger(system: &SynchronousSystem, form: AigerForm) -> Aiger {
    let mut names = Vec::new();
    let mut roots: Vec<ExprId> = system.hazards.iter().map(|hazard| hazard.condition).collect();
    let mut left_out = Vec::new();
    for specification in &system.specifications {
        if let Claim::Invariant(root) = specification.claim
            && !system.is_of_step(root)
        {
            roots.push(root);
            names.push(specification.name.clone());
        } else {
            left_out.push(specification.name.clone());
        }
    }
    let (mut circuit, signals) = Circuit::new(system, &roots);
    let (hazards, invariants) = signals.split_at(system.hazards.len());
    let mut bad: Vec<Signal> = Vec::new();
    if !hazards.is_empty() {
        bad.push(circuit.graph.any(hazards.iter().copied()));
        names.insert(0, "fault".to_owned());
    }
    bad.extend(invariants.iter().map(|holds| !*holds));
    let file = File::new(system, circuit, bad, names);
    let bytes = file.written(form);
    Aiger {
        bytes,
        inputs: file.circuit.inputs.len(),
        latches: file.circuit.latches.len(),
        gates: file.gates.len(),
        bad: file.bad_names,
        left_out,
    }
}

struct File {
    circuit: Circuit,
    constraints: Vec<Signal>,
    bad: Vec<Signal>,
    outputs: Vec<Signal>,
    input_names: Vec<String>,
    latch_names: Vec<String>,
    output_names: Vec<String>,
    bad_names: Vec<String>,
    /// The conjunctions that are needed, operands first.
    gates: Vec<usize>,
    /// The numbers of nodes in the file.
    numbers: Vec<u32>,
}

impl File {
    fn new(
        system: &SynchronousSystem,
        mut circuit: Circuit,
        mut bad: Vec<Signal>,
        bad_names: Vec<String>,
    ) -> File {
        let mut latch_names = Vec::new();
        let mut constraints = parts(&circuit, circuit.invariant);
        let is_said = |signal: &Signal| {
            let is_reset =
                |latch: &Latch| latch.reset.is_some_and(|reset| latch.leaf.negated_if(!reset) == *signal);
            circuit.latches.iter().any(is_reset)
        };
        let mut first = parts(&circuit, circuit.initial);
        first.retain(|signal| !is_said(signal));
        let variables = system.variables.iter().zip(&circuit.index);
        let mut name_of = vec![None; circuit.graph.len()];
        let mut outputs = Vec::new();
        let mut output_names = Vec::new();
        for (variable, bits) in variables {
            for (place, bit) in bits.iter().enumerate() {
                let name = format!("{}[{place}]", variable.name);
                let is_mine =
                    circuit.inputs.contains(bit) || circuit.latches.iter().any(|latch| latch.leaf == *bit);
                if is_mine && name_of[bit.node()].is_none() {
                    name_of[bit.node()] = Some(name);
                } else {
                    outputs.push(*bit);
                    output_names.push(name);
                }
            }
        }
        let mut choices = 0;
        let mut name = |signal: Signal| {
            name_of[signal.node()].clone().unwrap_or_else(|| {
                choices += 1;
                format!("_choice_{}", choices - 1)
            })
        };
        let input_names = circuit.inputs.iter().map(|input| name(*input)).collect();
        latch_names.extend(circuit.latches.iter().map(|latch| name(latch.leaf)));
        if !first.is_empty() {
            let running = circuit.graph.leaf();
            circuit.latches.push(Latch { leaf: running, next: Signal::TRUE, reset: Some(false) });
            latch_names.push("_running_".to_owned());
            let first = circuit.graph.all(first);
            constraints.push(circuit.graph.or(running, first));
        }
        if circuit.step != Signal::TRUE {
            let valid = circuit.graph.leaf();
            let next = circuit.graph.and(valid, circuit.step);
            circuit.latches.push(Latch { leaf: valid, next, reset: Some(true) });
            latch_names.push("_valid_".to_owned());
            for signal in &mut bad {
                *signal = circuit.graph.and(valid, *signal);
            }
        }
        let mut file = File {
            constraints,
            bad,
            outputs,
            input_names,
            latch_names,
            output_names,
            bad_names,
            gates: Vec::new(),
            numbers: vec![0; circuit.graph.len()],
            circuit,
        };
        file.number();
        file
    }

    /// Numbers inputs, latches and gates, in this order.
    fn number(&mut self) {
        let next = self.circuit.latches.iter().map(|latch| latch.next);
        let roots = next.chain(self.constraints.iter().chain(&self.bad).chain(&self.outputs).copied());
        let needed = self.circuit.graph.below(roots);
        let is_gate = |node: &usize| matches!(self.circuit.graph.gate(*node), Gate::And(..));
        self.gates = needed.into_iter().filter(is_gate).collect();
        let leaves = self.circuit.inputs.iter().chain(self.circuit.latches.iter().map(|latch| &latch.leaf));
        let nodes = leaves.map(|leaf| leaf.node()).chain(self.gates.iter().copied());
        for (number, node) in nodes.enumerate() {
            self.numbers[node] = number as u32 + 1;
        }
    }

    fn literal(&self, signal: Signal) -> u32 {
        2 * self.numbers[signal.node()] + u32::from(signal.is_negative())
    }

    /// Returns the operands of a gate, the larger first.
    fn operands(&self, node: usize) -> (u32, u32) {
        let Gate::And(left, right) = self.circuit.graph.gate(node) else { return (0, 0) };
        let (left, right) = (self.literal(left), self.literal(right));
        (left.max(right), left.min(right))
    }

    fn written(&self, form: AigerForm) -> Vec<u8> {
        let is_text = form == AigerForm::Text;
        let circuit = &self.circuit;
        let most = circuit.inputs.len() + circuit.latches.len() + self.gates.len();
        let mut text = format!(
            "{} {most} {} {} {} {} {} {}\n",
            if is_text { "aag" } else { "aig" },
            circuit.inputs.len(),
            circuit.latches.len(),
            self.outputs.len(),
            self.gates.len(),
            self.bad.len(),
            self.constraints.len()
        );
        if is_text {
            for input in &circuit.inputs {
                let _ = writeln!(text, "{}", self.literal(*input));
            }
        }
        for latch in &circuit.latches {
            if is_text {
                let _ = write!(text, "{} ", self.literal(latch.leaf));
            }
            let _ = write!(text, "{}", self.literal(latch.next));
            let _ = match latch.reset {
                Some(false) => writeln!(text),
                Some(true) => writeln!(text, " 1"),
                None => writeln!(text, " {}", self.literal(latch.leaf)),
            };
        }
        for signal in self.outputs.iter().chain(&self.bad).chain(&self.constraints) {
            let _ = writeln!(text, "{}", self.literal(*signal));
        }
        let mut bytes = text.into_bytes();
        for node in &self.gates {
            let (left, right) = self.operands(*node);
            let number = 2 * self.numbers[*node];
            if is_text {
                bytes.extend(format!("{number} {left} {right}\n").into_bytes());
            } else {
                varint::write(u64::from(number - left), &mut bytes);
                varint::write(u64::from(left - right), &mut bytes);
            }
        }
        let mut symbols = String::new();
        let lists = [
            ('i', &self.input_names),
            ('l', &self.latch_names),
            ('o', &self.output_names),
            ('b', &self.bad_names),
        ];
        for (letter, names) in lists {
            for (number, name) in names.iter().enumerate() {
                let _ = writeln!(symbols, "{letter}{number} {}", name.replace('\n', " "));
            }
        }
        symbols.push_str("c\nnarrows\n");
        bytes.extend(symbols.into_bytes());
        bytes
    }
}

/// Returns the parts of a conjunction.
fn parts(circuit: &Circuit, signal: Signal) -> Vec<Signal> {
    let mut found = Vec::new();
    let mut waiting = vec![signal];
    while let Some(signal) = waiting.pop() {
        match circuit.graph.gate(signal.node()) {
            Gate::And(left, right) if !signal.is_negative() => waiting.extend([left, right]),
            _ if signal == Signal::TRUE => {}
            _ => found.push(signal),
        }
    }
    found.sort_unstable();
    found.dedup();
    found
}
