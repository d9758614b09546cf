//! From a system to a circuit: which variables are kept from step to step, which are free, and which follow
//! from others.

use std::collections::BTreeSet;

use narrows_model::synchronous::{
    Demand, Display, Domain, ExprId, Node, Role, SynchronousSystem, Variable, VariableId, index_width,
};

use super::encode::{Encoder, Reading};
use super::graph::Signal;
use super::number::sure;
use super::{Circuit, Latch};

/// What a variable is in the circuit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum VariableKind {
    /// It can have any value at any time: an input, or a variable of which no step says anything.
    Free,
    /// It follows from others in the same state.
    Defined(ExprId),
    /// It is kept from step to step, and assigned.
    Assigned(ExprId),
    /// It is kept from step to step, and steps are constrained.
    Constrained,
    /// It never changes.
    Frozen,
}

/// Turns a system into a circuit. The expressions get functions of the state, in order.
pub(super) fn build(system: &SynchronousSystem, asked: &[ExprId]) -> (Circuit, Vec<Signal>) {
    let mut builder = Builder {
        kinds: kinds(system),
        encoder: Encoder::new(system),
        index: vec![Vec::new(); system.variables.len()],
        latches: Vec::new(),
        inputs: Vec::new(),
        invariants: Vec::new(),
        steps: Vec::new(),
        can_step: Vec::new(),
        partial: Vec::new(),
    };
    builder.current();
    let mut initial = Vec::new();
    for constraint in &system.initial {
        initial.push(builder.encoder.demand(constraint.demand, Reading::Still));
    }
    builder.next();
    builder.constraints();
    let asked = asked.iter().map(|root| builder.encoder.holds(*root, Reading::Still)).collect();
    let resets = builder.resets();
    let is_total = is_total(system, &builder);
    let mut graph = builder.encoder.graph;
    let initial = graph.all(initial);
    let invariant = graph.all(builder.invariants);
    let step = graph.all(builder.steps);
    let can_step = graph.all(builder.can_step);
    let latches = builder.latches.into_iter().zip(resets);
    let circuit = Circuit {
        graph,
        latches: latches.map(|((leaf, next), reset)| Latch { leaf, next, reset }).collect(),
        inputs: builder.inputs,
        initial,
        invariant,
        step,
        can_step,
        is_total,
        index: builder.index,
    };
    (circuit, asked)
}

/// Returns whether a step exists wherever every assigned variable gets a value that it can have.
fn is_total(system: &SynchronousSystem, builder: &Builder<'_>) -> bool {
    let is_assigned = |variable: VariableId, root: ExprId| {
        builder.kinds[variable.0 as usize] == VariableKind::Assigned(root)
            && system.looks_at(root).1.is_empty()
    };
    let is_definition = |demand: Demand| match demand {
        Demand::Assigned(variable, root) => {
            builder.kinds[variable.0 as usize] == VariableKind::Defined(root)
                && !builder.partial.contains(&variable)
        }
        Demand::Holds(root) => *system.node(root) == Node::Constant(1),
    };
    system.invariants.iter().all(|constraint| is_definition(constraint.demand))
        && system.transitions.iter().all(|constraint| match constraint.demand {
            Demand::Assigned(variable, root) => is_assigned(variable, root),
            Demand::Holds(root) => *system.node(root) == Node::Constant(1),
        })
}

/// Sorts out what variables are.
fn kinds(system: &SynchronousSystem) -> Vec<VariableKind> {
    let assigned = |list: &[narrows_model::synchronous::Constraint], variable: VariableId| {
        list.iter().find_map(|constraint| match constraint.demand {
            Demand::Assigned(other, root) if other == variable => Some(root),
            _ => None,
        })
    };
    let mut kinds: Vec<VariableKind> = system
        .each_variable()
        .map(|(id, variable)| match variable.role {
            Role::Input => VariableKind::Free,
            Role::Frozen => VariableKind::Frozen,
            Role::State => {
                let defined = assigned(&system.invariants, id).filter(|root| !system.is_set(*root));
                let step = assigned(&system.transitions, id);
                match (step, defined) {
                    (Some(root), _) => VariableKind::Assigned(root),
                    (None, Some(root)) => VariableKind::Defined(root),
                    (None, None) => VariableKind::Free,
                }
            }
        })
        .collect();
    // What is said of a next value, also through a definition, ties a variable to the step.
    let mut waiting = Vec::new();
    for constraint in &system.transitions {
        let (Demand::Holds(root) | Demand::Assigned(_, root)) = constraint.demand;
        waiting.extend(system.looks_at(root).1);
    }
    // What initial states say is said of what is kept, too.
    for constraint in &system.initial {
        match constraint.demand {
            Demand::Holds(root) => waiting.extend(system.looks_at(root).0),
            Demand::Assigned(variable, root) => {
                waiting.push(variable);
                waiting.extend(system.looks_at(root).0);
            }
        }
    }
    let mut seen = BTreeSet::new();
    while let Some(variable) = waiting.pop() {
        if !seen.insert(variable) {
            continue;
        }
        let kind = &mut kinds[variable.0 as usize];
        match *kind {
            VariableKind::Defined(root) => waiting.extend(system.looks_at(root).0),
            VariableKind::Free if system.variable(variable).role == Role::State => {
                *kind = VariableKind::Constrained;
            }
            _ => {}
        }
    }
    kinds
}

fn is_truth(variable: &Variable) -> bool {
    variable.display == Display::Boolean && variable.domain == Domain::Range(0, 1)
}

struct Builder<'m> {
    kinds: Vec<VariableKind>,
    encoder: Encoder<'m>,
    /// The bits of each variable's index, the last first.
    index: Vec<Vec<Signal>>,
    /// The bits that are kept, with what they are next.
    latches: Vec<(Signal, Signal)>,
    inputs: Vec<Signal>,
    invariants: Vec<Signal>,
    steps: Vec<Signal>,
    can_step: Vec<Signal>,
    /// Variables whose definition may give a value that they can't have.
    partial: Vec<VariableId>,
}

impl Builder<'_> {
    /// Gives every variable its current value.
    fn current(&mut self) {
        let system = self.encoder.system;
        let mut defined = Vec::new();
        for (id, variable) in system.each_variable() {
            let index = id.0 as usize;
            let kind = self.kinds[index];
            if let VariableKind::Defined(root) = kind {
                defined.push((id, root));
                continue;
            }
            let width = index_width(&variable.domain);
            let bits: Vec<Signal> = (0..width).map(|_| self.encoder.graph.leaf()).collect();
            if kind == VariableKind::Free {
                self.inputs.extend(&bits);
            } else {
                // What comes next is filled in later.
                self.latches.extend(bits.iter().map(|bit| (*bit, *bit)));
            }
            let value = sure(self.encoder.arithmetic().indexed(&variable.domain, is_truth(variable), &bits));
            self.invariants.push(sure(self.encoder.arithmetic().valid(&variable.domain, &bits)));
            self.encoder.current[index] = Some(value);
            self.index[index] = bits;
        }
        for (id, root) in in_order(system, defined, |_, root| system.looks_at(root).0) {
            let domain = &system.variable(id).domain;
            let value = self.encoder.value(root, Reading::Still);
            let mut arithmetic = self.encoder.arithmetic();
            let within = sure(arithmetic.within(domain, &value));
            self.invariants.push(within);
            if within != Signal::TRUE {
                self.partial.push(id);
            }
            self.index[id.0 as usize] = sure(arithmetic.index(domain, &value));
            self.encoder.current[id.0 as usize] = Some(value);
        }
    }

    /// Gives every variable that steps look at its next value.
    fn next(&mut self) {
        let system = self.encoder.system;
        let mut waiting = Vec::new();
        for (id, variable) in system.each_variable() {
            let index = id.0 as usize;
            match self.kinds[index] {
                VariableKind::Frozen => self.encoder.next[index].clone_from(&self.encoder.current[index]),
                VariableKind::Constrained => {
                    let bits: Vec<Signal> =
                        self.index[index].iter().map(|_| self.encoder.graph.leaf()).collect();
                    self.inputs.extend(&bits);
                    let value =
                        sure(self.encoder.arithmetic().indexed(&variable.domain, is_truth(variable), &bits));
                    self.encoder.next[index] = Some(value);
                    self.set_next(id, &bits);
                }
                VariableKind::Assigned(root) | VariableKind::Defined(root) => waiting.push((id, root)),
                VariableKind::Free => {}
            }
        }
        let kinds = self.kinds.clone();
        let is_defined = |id: VariableId| matches!(kinds[id.0 as usize], VariableKind::Defined(_));
        let needs = |id: VariableId, root: ExprId| {
            let (current, next) = system.looks_at(root);
            if is_defined(id) { current } else { next }
        };
        for (id, root) in in_order(system, waiting, needs) {
            let index = id.0 as usize;
            if is_defined(id) {
                // Only where a step looks at it; then all that it looks at is known.
                let is_known = |other: &VariableId| self.encoder.next[other.0 as usize].is_some();
                if system.looks_at(root).0.iter().all(is_known) {
                    self.encoder.next[index] = Some(self.encoder.value(root, Reading::Ahead));
                }
                continue;
            }
            let domain = &system.variable(id).domain;
            self.encoder.prepare(root, Reading::Step);
            let value = self.encoder.pick(root, Reading::Step, &mut self.inputs);
            let any = self.encoder.fits(root, id, Reading::Step, false);
            self.can_step.push(any);
            let mut arithmetic = self.encoder.arithmetic();
            self.steps.push(sure(arithmetic.within(domain, &value)));
            let bits = sure(arithmetic.index(domain, &value));
            self.encoder.next[index] = Some(value);
            self.set_next(id, &bits);
        }
    }

    fn set_next(&mut self, id: VariableId, bits: &[Signal]) {
        let mine = self.index[id.0 as usize].clone();
        // The latches of a variable stand together.
        let Some(first) = mine.first().and_then(|bit| self.latches.iter().position(|(leaf, _)| leaf == bit))
        else {
            return;
        };
        for ((_, next), bit) in self.latches[first..].iter_mut().zip(bits) {
            *next = *bit;
        }
    }

    /// Adds what is demanded beyond definitions and assignments.
    fn constraints(&mut self) {
        let system = self.encoder.system;
        for constraint in &system.invariants {
            let is_done = matches!(constraint.demand, Demand::Assigned(variable, root)
                if self.kinds[variable.0 as usize] == VariableKind::Defined(root));
            if !is_done {
                let signal = self.encoder.demand(constraint.demand, Reading::Still);
                self.invariants.push(signal);
            }
        }
        for constraint in &system.transitions {
            let is_done = matches!(constraint.demand, Demand::Assigned(variable, root)
                if self.kinds[variable.0 as usize] == VariableKind::Assigned(root));
            if !is_done {
                let signal = self.encoder.demand(constraint.demand, Reading::Step);
                self.steps.push(signal);
            }
        }
    }

    /// Returns the value that each latch has in every initial state, where the text says it.
    fn resets(&self) -> Vec<Option<bool>> {
        let system = self.encoder.system;
        let mut resets = vec![None; self.latches.len()];
        for constraint in &system.initial {
            let Demand::Assigned(variable, root) = constraint.demand else { continue };
            let Node::Constant(value) = system.node(root) else { continue };
            let Some(number) = system.variable(variable).domain.index(*value) else { continue };
            for (place, bit) in self.index[variable.0 as usize].iter().enumerate() {
                if let Some(latch) = self.latches.iter().position(|(leaf, _)| leaf == bit) {
                    resets[latch] = Some(number >> place & 1 == 1);
                }
            }
        }
        resets
    }
}

/// Puts definitions in an order in which each comes after those that it needs. There are no circles.
fn in_order(
    system: &SynchronousSystem,
    mut open: Vec<(VariableId, ExprId)>,
    needs: impl Fn(VariableId, ExprId) -> Vec<VariableId>,
) -> Vec<(VariableId, ExprId)> {
    let mut is_open = vec![false; system.variables.len()];
    for (id, _) in &open {
        is_open[id.0 as usize] = true;
    }
    let mut needs_of: Vec<Vec<VariableId>> = open.iter().map(|(id, root)| needs(*id, *root)).collect();
    let mut order = Vec::new();
    while !open.is_empty() {
        let before = open.len();
        let mut index = 0;
        while index < open.len() {
            if needs_of[index].iter().any(|other| is_open[other.0 as usize] && *other != open[index].0) {
                index += 1;
            } else {
                let (id, root) = open.remove(index);
                needs_of.remove(index);
                is_open[id.0 as usize] = false;
                order.push((id, root));
            }
        }
        if open.len() == before {
            // A circle, which the front end refuses.
            order.append(&mut open);
        }
    }
    order
}
