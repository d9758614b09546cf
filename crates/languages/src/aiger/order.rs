//! Gates in an order in which each comes after those that it looks at.

use narrows_source::{Diagnostic, Diagnostics, Span};
use rustc_hash::FxHashMap;

use super::read::{Circuit, Literal};

/// What a variable is.
#[derive(Clone, Copy, Debug)]
enum Defined {
    /// An input or a latch.
    Kept(Span),
    /// A gate: its place in the list.
    Gate(usize),
}

/// Returns the places of all gates in order; `None` if a variable is defined twice or never, or gates look at
/// each other in a cycle.
pub(super) fn gates_in_order(circuit: &Circuit, diagnostics: &mut Diagnostics) -> Option<Vec<usize>> {
    let defined = definitions(circuit, diagnostics);
    let mut unknown = |literal: Literal, span: Span| {
        let is_known = literal < 2 || defined.contains_key(&(literal / 2));
        if !is_known && !diagnostics.is_full() {
            let title = format!("{literal} is no input, latch or gate");
            Diagnostic::error("I0004", span, title)
                .help("define it, or correct the number")
                .emit(diagnostics);
        }
    };
    for latch in &circuit.latches {
        unknown(latch.next.literal, latch.span);
    }
    let justice = circuit.justice.iter().flatten();
    let lists = [&circuit.outputs, &circuit.bad, &circuit.constraints, &circuit.fairness];
    for used in lists.into_iter().flatten().chain(justice) {
        unknown(used.literal, used.span);
    }
    for gate in &circuit.gates {
        gate.operands.iter().for_each(|literal| unknown(*literal, gate.span));
    }
    if diagnostics.has_errors() {
        return None;
    }
    sorted(circuit, &defined, diagnostics)
}

fn definitions(circuit: &Circuit, diagnostics: &mut Diagnostics) -> FxHashMap<u32, Defined> {
    let mut defined = FxHashMap::default();
    let inputs = circuit.inputs.iter().map(|input| (input.literal, Defined::Kept(input.span), input.span));
    let latches = circuit.latches.iter().map(|latch| (latch.literal, Defined::Kept(latch.span), latch.span));
    let gates = circuit.gates.iter().enumerate();
    let gates = gates.map(|(place, gate)| (gate.literal, Defined::Gate(place), gate.span));
    for (literal, what, span) in inputs.chain(latches).chain(gates) {
        if let Some(before) = defined.insert(literal / 2, what) {
            let before = match before {
                Defined::Kept(span) => span,
                Defined::Gate(place) => circuit.gates[place].span,
            };
            let error = Diagnostic::error("I0004", span, format!("{literal} is defined twice"));
            error.also(before, "it is defined here already").emit(diagnostics);
        }
    }
    defined
}

/// Sorts gates, depth first.
fn sorted(
    circuit: &Circuit,
    defined: &FxHashMap<u32, Defined>,
    diagnostics: &mut Diagnostics,
) -> Option<Vec<usize>> {
    #[derive(Clone, Copy, PartialEq, Eq)]
    enum Visit {
        New,
        Open,
        Done,
    }
    let mut visits = vec![Visit::New; circuit.gates.len()];
    let mut order = Vec::with_capacity(circuit.gates.len());
    for start in 0..circuit.gates.len() {
        let mut stack = vec![start];
        while let Some(place) = stack.last().copied() {
            match visits[place] {
                Visit::Done => {
                    stack.pop();
                }
                Visit::Open => {
                    visits[place] = Visit::Done;
                    order.push(place);
                    stack.pop();
                }
                Visit::New => {
                    visits[place] = Visit::Open;
                    for literal in circuit.gates[place].operands {
                        let Some(Defined::Gate(operand)) = defined.get(&(literal / 2)) else { continue };
                        match visits[*operand] {
                            Visit::New => stack.push(*operand),
                            Visit::Open => {
                                let gate = &circuit.gates[place];
                                let title = format!("gate {} looks at itself through others", gate.literal);
                                let error = Diagnostic::error("I0004", gate.span, title);
                                error.help("put a latch between them").emit(diagnostics);
                                return None;
                            }
                            Visit::Done => {}
                        }
                    }
                }
            }
        }
    }
    Some(order)
}
