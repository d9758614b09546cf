//! From questions to bad states of circuits, and from runs of circuits to runs of the machine.

use narrows_model::synchronous::{
    Demand, Evaluation, Hazard, Machine, MachineClaim as Claim, Moment, Reference, Role, Run,
};
use narrows_model::{Question, Refusal};

use crate::circuit::{Circuit, Signal, value};
use crate::unroll::Witness;

/// Whether a bad state can be reached.
pub(crate) struct Problem {
    pub(crate) circuit: Circuit,
    pub(crate) bad: Signal,
}

/// What is asked of a machine.
pub(crate) enum Asked<'m> {
    /// Whether there is a first state, and each state has a successor: nothing but assignments constrains steps.
    Successors,
    /// Whether something happens that must not.
    Faults,
    /// Whether something holds in every state.
    Always(narrows_model::synchronous::ExprId, &'m narrows_model::synchronous::Specification),
}

/// Refuses a question.
pub(crate) fn refusal(reason: &str) -> Refusal {
    Refusal { reason: reason.to_owned() }
}

/// Finds out what is asked.
pub(crate) fn understand<'m>(machine: &'m Machine, question: &Question) -> Result<Asked<'m>, Refusal> {
    match question {
        Question::Deadlock => Ok(Asked::Successors),
        Question::Faults => Ok(Asked::Faults),
        Question::Property { index, .. } => {
            let Some(specification) = machine.specifications.get(*index) else {
                return Err(refusal("There is no such specification."));
            };
            match &specification.claim {
                Claim::Invariant(root) => Ok(Asked::Always(*root, specification)),
                Claim::Branching(_) | Claim::Linear(_) => {
                    Err(refusal("SAT engines do not take this formula; --engine bdd does."))
                }
                Claim::Minimum(..) | Claim::Maximum(..) => {
                    Err(refusal("SAT engines do not compute bounds; --engine bdd does."))
                }
            }
        }
        _ => Err(refusal("This is no question about a synchronous system.")),
    }
}

/// Makes a circuit with a bad state.
pub(crate) fn problem(machine: &Machine, asked: &Asked<'_>) -> Result<Problem, Refusal> {
    match asked {
        Asked::Always(root, _) => {
            let (circuit, signals) = Circuit::new(machine, &[*root]);
            Ok(Problem { circuit, bad: !signals[0] })
        }
        Asked::Faults => {
            let conditions: Vec<_> = machine.hazards.iter().map(|hazard| hazard.condition).collect();
            let (mut circuit, signals) = Circuit::new(machine, &conditions);
            let bad = circuit.graph.any(signals);
            Ok(Problem { circuit, bad })
        }
        Asked::Successors => {
            let (circuit, _) = Circuit::new(machine, &[]);
            if !circuit.is_total {
                let reason = "Where constraints restrict steps, SAT engines do not find out whether there is always a \
                              next state; --engine bdd does.";
                return Err(refusal(reason));
            }
            let bad = !circuit.can_step;
            Ok(Problem { circuit, bad })
        }
    }
}

impl Problem {
    /// Returns the run of the machine that a run of the circuit stands for.
    pub(crate) fn run(&self, machine: &Machine, witness: &Witness) -> Option<Run> {
        let nodes = self.circuit.replay(&witness.first, &witness.inputs);
        if !value(nodes.last()?, self.bad) {
            return None;
        }
        let states = nodes.iter().map(|nodes| self.circuit.values(machine, nodes)).collect();
        Some(Run { states, cycle: None })
    }
}

/// Returns the first fault that the last state of a run has.
pub(crate) fn fault<'m>(machine: &'m Machine, run: &Run) -> Option<&'m Hazard> {
    let last = run.states.last()?;
    let mut evaluation = Evaluation::new(machine);
    machine.hazards.iter().find(|hazard| evaluation.is_true(hazard.condition, Moment::still(last)))
}

/// Returns whether the last state of a run has no successor, whatever the inputs are: `None` if that depends on them.
pub(crate) fn is_end(machine: &Machine, reference: &Reference<'_>, run: &Run) -> Option<bool> {
    let last = run.states.last()?;
    let mut evaluation = Evaluation::new(machine);
    for constraint in &machine.transitions {
        let Demand::Assigned(variable, root) = constraint.demand else { continue };
        let (current, next) = machine.looks_at(root);
        let members = evaluation.members(root, Moment::still(last));
        let domain = &reference.machine().variable(variable).domain;
        if members.iter().all(|member| !domain.contains(*member)) {
            let depends = current.iter().any(|id| machine.variable(*id).role == Role::Input);
            if !depends && next.is_empty() {
                return Some(true);
            }
        }
    }
    None
}
