//! Invariants: formulas `[] p` in which `p` is about one state. Whether `p` holds depends on a few bits, so
//! an invariant has a table as a process has, without steps; where it does not hold, the host looks.

use narrows_gpu::Device;
use narrows_logic::Ltl;
use narrows_model::{Atom, Claim, Coverage, Expr, Limit, Question, Refusal, System, Trace, Verdict};

use super::accepts_tables;
use super::learner::Learner;
use super::search::{Aims, Broken, search};
use crate::check::NotReplayed;
use crate::{Engine, SearchScope};

/// What was found about invariants.
#[derive(Clone, Debug)]
pub struct Invariants {
    /// A verdict for each question, in their order.
    pub verdicts: Vec<Verdict>,
    /// What was visited.
    pub coverage: Coverage,
    /// Why not every state was visited, if that is so.
    pub limit: Option<Limit>,
}

/// Returns whether a question is about what holds in every state.
pub fn is_invariant(system: &System, question: &Question) -> bool {
    invariant(system, question).is_some()
}

/// Returns the formula of an invariant, and what is to hold in every state.
fn invariant<'s>(system: &'s System, question: &Question) -> Option<(&'s Ltl<Atom>, Expr)> {
    let Question::Property { index, .. } = question else { return None };
    let Claim::Ltl(formula) = &system.properties.get(*index)?.claim else { return None };
    let Ltl::Always(inner) = formula else { return None };
    Claim::Ltl((**inner).clone()).predicate().map(|predicate| (formula, predicate))
}

/// Answers questions about invariants, by tables on a device.
///
/// # Errors
///
/// A run may not be one of the reference evaluator's: a mistake in this program. In the result is why the
/// search can't be done with this device, or of this system.
pub fn invariants_by_tables(
    engine: &Engine<'_>,
    questions: &[Question],
    scope: &SearchScope<'_>,
    device: &mut dyn Device,
    samples: usize,
) -> Result<Result<Invariants, Refusal>, NotReplayed> {
    let asked: Vec<(&Ltl<Atom>, Expr)> =
        questions.iter().filter_map(|question| invariant(engine.system(), question)).collect();
    if asked.len() < questions.len() {
        return Ok(Err(Refusal::new("a question is not about an invariant")));
    }
    if let Err(refusal) = accepts_tables(engine) {
        return Ok(Err(refusal));
    }
    let (formulas, invariants): (Vec<_>, Vec<Expr>) = asked.into_iter().unzip();
    let aims = Aims { goals: &[], invariants: invariants.len(), from: None };
    let mut rows = match Learner::new(engine, &invariants, scope.budget) {
        Ok(rows) => rows,
        Err(refusal) => return Ok(Err(refusal)),
    };
    let (exploration, broken) = match search((engine, &mut rows), aims, scope, device, samples) {
        Ok(found) => found,
        Err(reason) => return Ok(Err(Refusal::new(reason))),
    };
    let limit = exploration.end.limit();
    let mut verdicts = Vec::new();
    for ((formula, invariant), broken) in formulas.into_iter().zip(&invariants).zip(broken) {
        verdicts.push(match (broken, limit) {
            (Some(broken), _) => fails(engine, (formula, invariant), &broken)?,
            (None, None) => Verdict::Holds,
            (None, Some(limit)) => Verdict::Undecided(limit),
        });
    }
    Ok(Ok(Invariants { verdicts, coverage: exploration.coverage, limit }))
}

/// Answers questions about invariants on the accelerator of a scope; `None` if there is none, or it can't.
///
/// # Errors
///
/// See [`invariants_by_tables`].
pub fn check_invariants(
    engine: &Engine<'_>,
    questions: &[Question],
    scope: &SearchScope<'_>,
) -> Result<Option<Invariants>, NotReplayed> {
    let Some(accelerator) = scope.accelerator else { return Ok(None) };
    let found = match accelerator.open() {
        Ok(mut device) => {
            invariants_by_tables(engine, questions, scope, &mut *device, accelerator.samples())?
        }
        Err(failure) => Err(Refusal::new(failure.to_string())),
    };
    Ok(match found {
        Ok(invariants) => Some(invariants),
        Err(refusal) => {
            accelerator.refused(&refusal.reason);
            None
        }
    })
}

/// Replays a run in the reference evaluator, and makes sure that an invariant does not hold at its end.
fn fails(
    engine: &Engine<'_>,
    (formula, invariant): (&Ltl<Atom>, &Expr),
    broken: &Broken,
) -> Result<Verdict, NotReplayed> {
    let evaluator = engine.evaluator();
    let not_replayed = || NotReplayed { what: "a state in which an invariant does not hold".to_owned() };
    let mut trace = Trace::replay(&evaluator, &broken.states, None).ok_or_else(not_replayed)?;
    if evaluator.holds(invariant, trace.last_state()) == Ok(true) {
        return Err(not_replayed());
    }
    trace.atoms = trace.propositions(&evaluator, formula.atoms());
    Ok(Verdict::Fails { violation: broken.fault, trace: Box::new(trace), shortest: true })
}
