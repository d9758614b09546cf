//! Answers to questions about whole runs: formulas, never claims, acceptance and progress.
//!
//! A watcher stands beside the system and accepts the runs that must not be; a search looks for one. What it finds is
//! replayed in the reference evaluator, and a formula is evaluated on the run itself, not by the automaton that found
//! it, before anything is given away.

use narrows_logic::{Lasso, Ltl, translate};
use narrows_model::{
    Atom, Claim, Coverage, Evaluator, Expansion, Question, Refusal, Scratch, StateSpace, Trace, TraceAtom,
    Verdict, ViolationKind, Watched, Watcher,
};

use crate::check::NotReplayed;
use crate::cycles::{self, Forbidden, is_fair};
use crate::{Budget, Options};

/// What came out, and what was visited for it.
pub(crate) struct Decided {
    pub(crate) verdict: Verdict,
    pub(crate) coverage: Coverage,
}

/// Returns the claim that a question is about, if it is about one.
fn claim<'s>(evaluator: Evaluator<'s>, question: &Question) -> Option<&'s Claim> {
    match question {
        Question::Property { index, .. } => Some(&evaluator.system().properties.get(*index)?.claim),
        _ => None,
    }
}

/// Answers a question about whole runs; `None` if it is not one.
pub(crate) fn decide(
    evaluator: Evaluator<'_>,
    question: &Question,
    options: &Options,
    budget: &Budget<'_>,
) -> Result<Option<Decided>, NotReplayed> {
    let watcher = match (question, claim(evaluator, question)) {
        (Question::Acceptance, _) => Watcher::Acceptance,
        (Question::Progress, _) => Watcher::Progress,
        (_, Some(Claim::Never(process))) => Watcher::Never(process),
        (_, Some(Claim::Trace { pattern, forbidden })) => Watcher::Trace { pattern, forbidden: *forbidden },
        (_, Some(Claim::Ltl(formula))) => {
            return decide_formula(evaluator, formula, options, budget).map(Some);
        }
        _ => return Ok(None),
    };
    decide_watched(evaluator, watcher, None, options, budget).map(Some)
}

/// Answers whether a formula holds on every run.
pub(crate) fn decide_formula(
    evaluator: Evaluator<'_>,
    formula: &Ltl<Atom>,
    options: &Options,
    budget: &Budget<'_>,
) -> Result<Decided, NotReplayed> {
    match translate(&formula.clone().negated()) {
        Ok(automaton) => {
            let watcher = Watcher::Automaton(&automaton);
            decide_watched(evaluator, watcher, Some(formula), options, budget)
        }
        Err(too_large) => {
            let verdict = Verdict::Refused(Refusal { reason: too_large.to_string() });
            Ok(Decided { verdict, coverage: Coverage::default() })
        }
    }
}

fn decide_watched(
    evaluator: Evaluator<'_>,
    watcher: Watcher<'_>,
    formula: Option<&Ltl<Atom>>,
    options: &Options,
    budget: &Budget<'_>,
) -> Result<Decided, NotReplayed> {
    let watched = Watched::new(evaluator, watcher);
    let outcome = cycles::search(&watched, options.fair, budget);
    let verdict = match outcome.result {
        Ok(None) => Verdict::Holds,
        Err(limit) => Verdict::Undecided(limit),
        Ok(Some(forbidden)) => {
            let shown = show(&watched, &forbidden, formula, options.fair);
            let trace = shown.ok_or_else(|| NotReplayed { what: "a run that must not be".to_owned() })?;
            let violation = forbidden.violation.filter(|seen| seen.kind != ViolationKind::ClaimMatched);
            Verdict::Fails { violation, trace: Box::new(trace), shortest: forbidden.shortest }
        }
    };
    Ok(Decided { verdict, coverage: Coverage { of_system: false, ..outcome.coverage } })
}

/// Replays a run in the reference evaluator, and makes sure that it shows what it is to show.
fn show(
    watched: &Watched<'_>,
    forbidden: &Forbidden,
    formula: Option<&Ltl<Atom>>,
    fair: bool,
) -> Option<Trace> {
    let evaluator = watched.evaluator();
    let steps = || forbidden.stem.iter().chain(forbidden.cycle.iter().flatten());
    // A step without a move means that the system stays where it is, for ever.
    let moving = steps().take_while(|step| !step.moves.is_empty());
    let moving: Vec<(&[_], &[u8])> =
        moving.map(|step| (step.moves.as_slice(), watched.system_state(&step.target))).collect();
    let mut trace = Trace::follow(&evaluator, &moving)?;
    let stays = steps().count() > trace.steps.len();
    if stays {
        trace.cycle = Some(trace.steps.len());
        let end = evaluator.successors(trace.last_state(), &mut Scratch::default(), &mut |_| {
            std::ops::ControlFlow::Continue(())
        });
        (end != Expansion::Moves).then_some(())?;
    } else if let Some(cycle) = &forbidden.cycle {
        let start = forbidden.stem.len();
        (!cycle.is_empty() && trace.state(start) == trace.last_state()).then_some(())?;
        trace.cycle = Some(start);
        (!fair || is_fair(&evaluator, &trace, start)).then_some(())?;
    }
    if let Some(formula) = formula {
        trace.atoms = along(&evaluator, formula, &trace);
        let refuted = forbidden.violation.is_some() || !holds_on(formula, &trace)?;
        refuted.then_some(())?;
    }
    Some(trace)
}

/// Returns the values of a formula's atoms along a run.
pub(crate) fn along(evaluator: &Evaluator<'_>, formula: &Ltl<Atom>, trace: &Trace) -> Vec<TraceAtom> {
    let mut atoms: Vec<TraceAtom> = Vec::new();
    for atom in formula.atoms() {
        if !atoms.iter().any(|known| known.text == atom.text) {
            let value = |steps| evaluator.holds(&atom.expr, trace.state(steps)).unwrap_or(false);
            let values = (0..=trace.steps.len()).map(value).collect();
            atoms.push(TraceAtom { text: atom.text.clone(), span: atom.span, values });
        }
    }
    atoms
}

/// Returns whether a formula holds on an endless run; `None` if the run ends.
fn holds_on(formula: &Ltl<Atom>, trace: &Trace) -> Option<bool> {
    let start = trace.cycle?;
    // The state after the last step is the one the cycle starts from, unless the run stays there.
    let length = if start == trace.steps.len() { start + 1 } else { trace.steps.len() };
    let word = Lasso { letters: (0..length).collect(), cycle: start };
    let values = |atom: &Atom| trace.atoms.iter().find(|other| other.text == atom.text);
    Some(word.satisfies(formula, &|atom, place: &usize| values(atom).is_some_and(|atom| atom.values[*place])))
}
