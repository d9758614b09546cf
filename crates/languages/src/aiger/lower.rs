//! From a circuit to a system. Latches and inputs are variables of a state, so that what is bad in a state,
//! and what constraints demand of it, is a function of that state alone.

use std::fmt::Write;

use narrows_model::synchronous::{
    Builder, Constraint, Definition, Demand, Display, ExprId, Linear, LinearId, Specification,
    SynchronousClaim as Claim, VariableId,
};
use narrows_source::{Diagnostic, Diagnostics, FileId, Sources, Span};
use rustc_hash::{FxHashMap, FxHashSet};

use super::names::Names;
use super::read::{Circuit, Literal, Use};
use crate::smv::{self, Compiled, Options};

/// Makes the system of a circuit, and what is asked of it beside.
pub(super) fn lower(
    circuit: &Circuit,
    order: &[usize],
    sources: &mut Sources,
    file: FileId,
    options: &Options,
    diagnostics: &mut Diagnostics,
) -> Option<Compiled> {
    let names = Names::new(circuit);
    let (text, mentioned) = declarations(&names, options);
    let declared = sources.add(format!("names of {}", sources.file(file).name), text);
    let mut compiled = smv::compile(sources, declared, options, diagnostics)?;
    let system = std::mem::take(&mut compiled.system);
    let mut lowering = Lowering { builder: Builder::new(system), values: FxHashMap::default() };
    let leaves = circuit.inputs.iter().map(|input| (input.literal, input.span));
    let leaves = leaves.chain(circuit.latches.iter().map(|latch| (latch.literal, latch.span)));
    for (number, (literal, span)) in leaves.enumerate() {
        let id = VariableId(number as u32);
        lowering.builder.system.variables[number].span = span;
        let value = lowering.builder.current(id);
        lowering.values.insert(literal / 2, value);
    }
    for place in order {
        let gate = &circuit.gates[*place];
        let [left, right] = gate.operands.map(|operand| lowering.literal(operand));
        let value = lowering.builder.and(left, right);
        lowering.values.insert(gate.literal / 2, value);
    }
    lowering.steps(circuit);
    lowering.named(circuit, &names, &mentioned);
    let asked = std::mem::take(&mut lowering.builder.system.specifications);
    lowering.bad_states(circuit, &names, diagnostics);
    lowering.justice(circuit);
    let mut system = lowering.builder.system;
    system.may_stop = !system.specifications.is_empty();
    system.specifications.extend(asked);
    compiled.system = system;
    Some(compiled)
}

/// Declares what formulas can look at: inputs, latches, and of outputs and bad states those that they
/// mention.
fn declarations(names: &Names, options: &Options) -> (String, Vec<String>) {
    let words = mentioned_words(options);
    let is_mentioned = |name: &&String| words.contains(name.as_str());
    let mentioned: Vec<String> =
        names.outputs.iter().chain(&names.bad).filter(is_mentioned).cloned().collect();
    let mut text = "MODULE main\nVAR\n".to_owned();
    for name in names.inputs.iter().chain(&names.latches).chain(&mentioned) {
        let _ = writeln!(text, "  {name} : boolean;");
    }
    (text, mentioned)
}

/// Returns all words of the expressions that are asked for.
fn mentioned_words(options: &Options) -> FxHashSet<&str> {
    let formulas = options.formulas.iter().map(|formula| formula.text.as_str());
    let lists = [&options.expressions, &options.steps, &options.values];
    let expressions = lists.into_iter().flatten().map(|(text, _)| text.as_str());
    let given = options.constants.iter().chain(&options.definitions).map(|given| given.text.as_str());
    let texts = formulas.chain(expressions).chain(given);
    texts.flat_map(|text| text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_')).collect()
}

struct Lowering {
    builder: Builder,
    /// The values of variables of the circuit.
    values: FxHashMap<u32, ExprId>,
}

impl Lowering {
    fn literal(&mut self, literal: Literal) -> ExprId {
        let value = match self.values.get(&(literal / 2)) {
            Some(value) => *value,
            // Variable 0 is never true.
            None => self.builder.truth(false),
        };
        if literal % 2 == 1 { self.builder.not(value) } else { value }
    }

    /// Says how latches begin and go on, and what constrains states.
    fn steps(&mut self, circuit: &Circuit) {
        for (place, latch) in circuit.latches.iter().enumerate() {
            let variable = VariableId((circuit.inputs.len() + place) as u32);
            if let Some(reset) = latch.reset {
                let value = self.builder.truth(reset);
                let demand = Demand::Assigned(variable, value);
                self.builder.system.initial.push(Constraint { demand, span: latch.span });
            }
            let demand = Demand::Assigned(variable, self.literal(latch.next.literal));
            self.builder.system.transitions.push(Constraint { demand, span: latch.span });
        }
        for Use { literal, span } in &circuit.constraints {
            let demand = Demand::Holds(self.literal(*literal));
            self.builder.system.invariants.push(Constraint { demand, span: *span });
        }
        for fairness in &circuit.fairness {
            let value = self.literal(fairness.literal);
            self.builder.system.justice.push(value);
        }
    }

    /// Gives outputs and bad states their names, as definitions, or as variables where formulas mention them.
    fn named(&mut self, circuit: &Circuit, names: &Names, mentioned: &[String]) {
        let outputs = circuit.outputs.iter().zip(&names.outputs);
        let first = circuit.inputs.len() + circuit.latches.len();
        for (Use { literal, span }, name) in outputs.chain(circuit.bad.iter().zip(&names.bad)) {
            let value = self.literal(*literal);
            match mentioned.iter().position(|other| other == name) {
                Some(place) => {
                    let variable = VariableId((first + place) as u32);
                    self.builder.system.variables[first + place].span = *span;
                    let demand = Demand::Assigned(variable, value);
                    self.builder.system.invariants.push(Constraint { demand, span: *span });
                }
                None => {
                    let definition = Definition { name: name.clone(), value, display: Display::Boolean };
                    self.builder.system.definitions.push(definition);
                }
            }
        }
    }

    /// Claims that no bad state is reached.
    fn bad_states(&mut self, circuit: &Circuit, names: &Names, diagnostics: &mut Diagnostics) {
        let (list, names) = if circuit.is_old && !circuit.outputs.is_empty() {
            let title = "the header has no bad states; the outputs are taken for them";
            let note =
                "before version 1.9 of AIGER, an output that can be true was what a checker looked for";
            Diagnostic::warning("I0008", circuit.header, title).note(note).emit(diagnostics);
            (&circuit.outputs, &names.outputs)
        } else {
            (&circuit.bad, &names.bad)
        };
        for (Use { literal, span }, name) in list.iter().zip(names) {
            let bad = self.literal(*literal);
            let good = self.builder.not(bad);
            self.claim(format!("!{name}"), Claim::Invariant(good), *span);
        }
    }

    /// Claims of each justice property that no run has all its literals again and again.
    fn justice(&mut self, circuit: &Circuit) {
        for (place, list) in circuit.justice.iter().enumerate() {
            let mut formulas = Formulas::default();
            let truth = self.builder.truth(true);
            let truth = formulas.add(Linear::Atom(truth));
            let mut all = None;
            for used in list {
                let value = self.literal(used.literal);
                let value = formulas.add(Linear::Atom(value));
                let comes = formulas.add(Linear::Until(truth, value));
                let ends = formulas.add(Linear::Not(comes));
                let ends = formulas.add(Linear::Until(truth, ends));
                let again = formulas.add(Linear::Not(ends));
                all = Some(all.map_or(again, |all| formulas.add(Linear::And(all, again))));
            }
            formulas.add(Linear::Not(all.unwrap_or(truth)));
            let name = circuit.names.get(&('j', place)).cloned().unwrap_or_else(|| format!("j{place}"));
            let span = list.first().map_or(circuit.header, |used| used.span);
            self.claim(format!("never {name}"), Claim::Linear(formulas.0), span);
        }
    }

    fn claim(&mut self, name: String, claim: Claim, span: Span) {
        let specification = Specification { name, claim, atoms: Vec::new(), span };
        self.builder.system.specifications.push(specification);
    }
}

/// Formulas, operands first.
#[derive(Default)]
struct Formulas(Vec<Linear>);

impl Formulas {
    fn add(&mut self, formula: Linear) -> LinearId {
        self.0.push(formula);
        LinearId(self.0.len() as u32 - 1)
    }
}
