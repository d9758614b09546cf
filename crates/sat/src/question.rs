//! From questions to bad states of circuits, and from runs of circuits to runs of the system.

use narrows_model::synchronous::{
    Builder, Demand, Evaluation, ExprId, Hazard, Linear, LinearId, Moment, Node, Reference, Role, Run,
    Specification, SynchronousClaim as Claim, SynchronousSystem, monitor, product,
};
use narrows_model::{Question, Refusal};

use crate::actl::as_linear;
use crate::circuit::{Circuit, Signal, value};
use crate::liveness_to_safety::{Fair, watch_loops};
use crate::unroll::Witness;

/// Whether a bad state can be reached.
pub(crate) struct Problem {
    pub(crate) circuit: Circuit,
    pub(crate) bad: Signal,
    /// For endless runs: where the state is remembered that comes again.
    save: Option<Signal>,
    /// How many latches the system has: those that watch for loops come after them.
    kept: usize,
}

/// So many states a run may have that is made longer until everything comes again.
const MAX_UNROLLED_STATES: usize = 2000;

/// What is asked of a system.
pub(crate) enum Goal<'m> {
    /// Whether there is an initial state, and each state has a successor: nothing but assignments constrains
    /// steps.
    Successors,
    /// Whether something happens that must not.
    Faults,
    /// Whether something holds in every state.
    Always(ExprId, &'m Specification),
    /// Whether the last formula holds on every fair run.
    Linear(Vec<Linear>, &'m Specification),
}

/// Refuses a question.
pub(crate) fn refusal(reason: &str) -> Refusal {
    Refusal::new(reason)
}

/// Returns why SAT engines do not take a question, if that is plain without looking at the system's circuit.
pub fn accepts(system: &SynchronousSystem, question: &Question) -> Result<(), Refusal> {
    understand(system, question).map(|_| ())
}

/// Finds out what is asked.
pub(crate) fn understand<'m>(
    system: &'m SynchronousSystem,
    question: &Question,
) -> Result<Goal<'m>, Refusal> {
    match question {
        Question::Deadlock => Ok(Goal::Successors),
        Question::Faults => Ok(Goal::Faults),
        Question::Property { index, .. } => {
            let Some(specification) = system.specifications.get(*index) else {
                return Err(refusal("There is no such specification."));
            };
            match &specification.claim {
                Claim::Invariant(root) => Ok(Goal::Always(*root, specification)),
                Claim::Linear(formulas) => Ok(Goal::Linear(formulas.clone(), specification)),
                Claim::Branching(formulas) => match as_linear(formulas) {
                    Some(formulas) => Ok(Goal::Linear(formulas, specification)),
                    None => Err(refusal(
                        "SAT engines take formulas of CTL that say the same in LTL, and this is none; the \
                         engine `symbolic` takes it.",
                    )),
                },
                Claim::Minimum(..) | Claim::Maximum(..) | Claim::FewestOf(..) | Claim::MostOf(..) => {
                    Err(refusal("SAT engines do not compute bounds; the engine `symbolic` does."))
                }
            }
        }
        _ => Err(refusal("This question does not apply to a synchronous system.")),
    }
}

/// Makes a circuit with a bad state. For endless runs, only what matters has to come again unless everything
/// is wanted.
pub(crate) fn problem(
    system: &SynchronousSystem,
    asked: &Goal<'_>,
    everything: bool,
) -> Result<Problem, Refusal> {
    match asked {
        Goal::Always(root, _) if system.is_of_step(*root) => {
            let (product, was) = monitor(system, *root);
            Ok(Problem::always(&product.into_system(), was))
        }
        Goal::Always(root, _) => Ok(Problem::always(system, *root)),
        Goal::Faults => {
            let conditions: Vec<_> = system.hazards.iter().map(|hazard| hazard.condition).collect();
            let (mut circuit, signals) = Circuit::new(system, &conditions);
            let bad = circuit.graph.any(signals);
            Ok(Problem { circuit, bad, save: None, kept: 0 })
        }
        Goal::Linear(formulas, _) => Ok(endless(system, formulas, everything)),
        Goal::Successors => {
            let (circuit, _) = Circuit::new(system, &[]);
            if !circuit.is_total {
                let reason = "Where constraints restrict steps, SAT engines do not find out whether there is \
                              always a next state; the engine `symbolic` does.";
                return Err(refusal(reason));
            }
            let bad = !circuit.can_step;
            Ok(Problem { circuit, bad, save: None, kept: 0 })
        }
    }
}

/// Makes a circuit in which a bad state ends a fair run that comes back to where it was, and on which a
/// formula is false.
fn endless(system: &SynchronousSystem, formulas: &[Linear], everything: bool) -> Problem {
    let against = product(system, formulas).into_system();
    let pairs = against.compassion.iter().flat_map(|(first, second)| [*first, *second]);
    let asked: Vec<ExprId> = against.justice.iter().copied().chain(pairs).collect();
    let (mut circuit, signals) = Circuit::new(&against, &asked);
    let (justice, pairs) = signals.split_at(against.justice.len());
    let compassion = pairs.chunks(2).map(|pair| (pair[0], pair[1])).collect();
    let fair = Fair { justice: justice.to_vec(), compassion };
    let kept = circuit.latches.len();
    let remembered = if everything { vec![true; kept] } else { fair.needed(&circuit) };
    let (save, bad) = watch_loops(&mut circuit, &fair, &remembered);
    Problem { circuit, bad, save: Some(save), kept }
}

/// Returns what holds in every state if a formula says no more than that, in a system that has it as an
/// expression.
pub(crate) fn always(system: &SynchronousSystem, formulas: &[Linear]) -> Option<(SynchronousSystem, ExprId)> {
    let get = |id: &LinearId| formulas[id.0 as usize];
    let Linear::Not(never) = formulas.last()? else { return None };
    let Linear::Until(left, right) = get(never) else { return None };
    let is_true = match get(&left) {
        Linear::Atom(root) => *system.node(root) == Node::Constant(1),
        Linear::Or(one, other) => get(&other) == Linear::Not(one),
        _ => false,
    };
    if !is_true {
        return None;
    }
    let mut builder = Builder::new(system.clone());
    let mut values: Vec<Option<ExprId>> = Vec::new();
    for formula in &formulas[..=right.0 as usize] {
        let of = |id: &LinearId| values[id.0 as usize];
        let value = match formula {
            Linear::Atom(root) => Some(*root),
            Linear::Not(one) => of(one).map(|one| builder.not(one)),
            Linear::And(left, right) => of(left).zip(of(right)).map(|(left, right)| builder.and(left, right)),
            Linear::Or(left, right) => of(left).zip(of(right)).map(|(left, right)| builder.or(left, right)),
            _ => None,
        };
        values.push(value);
    }
    let root = values.pop()??;
    if !builder.system.looks_at(root).1.is_empty() {
        return None;
    }
    let root = builder.not(root);
    Some((builder.system, root))
}

impl Problem {
    /// Makes the problem whether something holds in every state.
    pub(crate) fn always(system: &SynchronousSystem, root: ExprId) -> Problem {
        let (circuit, signals) = Circuit::new(system, &[root]);
        Problem { circuit, bad: !signals[0], save: None, kept: 0 }
    }

    /// Returns whether every run into a bad state can go on for ever, and is then fair.
    pub(crate) fn goes_on(&self, system: &SynchronousSystem) -> bool {
        self.circuit.is_total
            && self.circuit.can_step == Signal::TRUE
            && system.justice.is_empty()
            && system.compassion.is_empty()
    }

    /// Returns the run of the system that a run of the circuit stands for; `None` if there is none that is
    /// short enough.
    pub(crate) fn run(&self, system: &SynchronousSystem, witness: &Witness) -> Option<Run> {
        let nodes = self.circuit.replay(&witness.first, &witness.inputs);
        if !value(nodes.last()?, self.bad) {
            return None;
        }
        let values =
            |nodes: &[Vec<bool>]| nodes.iter().map(|nodes| self.circuit.values(system, nodes)).collect();
        let Some(save) = self.save else { return Some(Run { states: values(&nodes), cycle: None }) };
        let start = nodes.iter().position(|nodes| value(nodes, save))?;
        // The last state is the one that was remembered. The round is repeated until all latches come again.
        let end = nodes.len() - 1;
        let period = end.checked_sub(start).filter(|period| *period > 0)?;
        let round = &witness.inputs[start..end];
        let rounds = (MAX_UNROLLED_STATES / period).clamp(1, 200);
        let again = round.iter().cycle().take(period * rounds + 1);
        let inputs: Vec<Vec<bool>> = witness.inputs[..start].iter().chain(again).cloned().collect();
        let nodes = self.circuit.replay(&witness.first, &inputs);
        let latches = &self.circuit.latches[..self.kept];
        let is_same = |one: usize, other: usize| {
            latches.iter().all(|latch| value(&nodes[one], latch.leaf) == value(&nodes[other], latch.leaf))
        };
        let places: Vec<usize> = (0..=rounds).map(|round| start + round * period).collect();
        let again = places.iter().find_map(|later| {
            let earlier = places.iter().take_while(|earlier| *earlier < later);
            earlier.copied().find(|earlier| is_same(*earlier, *later)).map(|earlier| (earlier, *later))
        });
        let (cycle, end) = again?;
        Some(Run { states: values(&nodes[..end]), cycle: Some(cycle) })
    }
}

/// Returns whether a run comes back to where it was, with all that must come again and again in between.
pub(crate) fn is_fair(system: &SynchronousSystem, run: &Run) -> bool {
    let Some(start) = run.cycle.filter(|start| *start < run.states.len()) else { return false };
    let mut evaluation = Evaluation::new(system);
    let mut has =
        |root: ExprId| run.states[start..].iter().any(|state| evaluation.is_true(root, Moment::still(state)));
    system.justice.iter().all(|justice| has(*justice))
        && system.compassion.iter().all(|(first, second)| !has(*first) || has(*second))
}

/// Returns the first fault that the last state of a run has.
pub(crate) fn fault<'m>(system: &'m SynchronousSystem, run: &Run) -> Option<&'m Hazard> {
    let last = run.states.last()?;
    let mut evaluation = Evaluation::new(system);
    system.hazards.iter().find(|hazard| evaluation.is_true(hazard.condition, Moment::still(last)))
}

/// Returns whether the last state of a run has no successor, whatever the inputs are: `None` if that depends
/// on them.
pub(crate) fn is_end(system: &SynchronousSystem, reference: &Reference<'_>, run: &Run) -> Option<bool> {
    let last = run.states.last()?;
    let mut evaluation = Evaluation::new(system);
    for constraint in &system.transitions {
        let Demand::Assigned(variable, root) = constraint.demand else { continue };
        let (current, next) = system.looks_at(root);
        let members = evaluation.members(root, Moment::still(last));
        let domain = &reference.system().variable(variable).domain;
        if members.iter().all(|member| !domain.contains(*member)) {
            let depends = current.iter().any(|id| system.variable(*id).role == Role::Input);
            if !depends && next.is_empty() {
                return Some(true);
            }
        }
    }
    None
}
