//! Answers to questions about whole runs: formulas, never claims, acceptance and progress.
//!
//! A watcher stands beside the system and accepts the runs that must not be; a search looks for one. What it
//! finds is replayed in the reference evaluator, and a formula is evaluated on the run itself, not by the
//! automaton that found it, before anything is given away.

use std::ops::ControlFlow;

use narrows_logic::{Ltl, translate};
use narrows_model::{
    Atom, Claim, Counterexample, Coverage, Done, Move, Question, Refusal, Scratch, StateSpace, Trace,
    Verdict, Violation, ViolationKind, Watched, Watcher,
};

use crate::check::NotReplayed;
use crate::cycles::{self, Forbidden, Plan, is_fair};
use crate::reduction::merged_for;
use crate::vacuity::suspicions;
use crate::{Engine, Options, Reduction, SearchScope};

/// Why nothing was left out of a search.
const TELLS_STEPS_APART: &str = "X tells one step from two, so no step was left out of the search.";

/// What came out, and what was visited for it.
pub(crate) struct Decided {
    pub(crate) verdict: Verdict,
    pub(crate) coverage: Coverage,
    pub(crate) notes: Vec<String>,
    pub(crate) more: Vec<Counterexample>,
}

impl Decided {
    fn new(verdict: Verdict, coverage: Coverage) -> Decided {
        let coverage = Coverage { of_system: false, ..coverage };
        Decided { verdict, coverage, notes: Vec::new(), more: Vec::new() }
    }

    /// Returns whether more time would change nothing.
    pub(crate) fn is_final(&self) -> bool {
        !matches!(self.verdict, Verdict::Undecided(_))
    }
}

/// Returns the claim that a question is about, if it is about one.
fn claim<'s>(engine: &Engine<'s>, question: &Question) -> Option<&'s Claim> {
    match question {
        Question::Property { index, .. } => Some(&engine.system().properties.get(*index)?.claim),
        _ => None,
    }
}

/// Answers a question about whole runs; `None` if it is not one.
pub(crate) fn decide(
    engine: &Engine<'_>,
    question: &Question,
    options: &Options,
    scope: &SearchScope<'_>,
) -> Result<Option<Decided>, NotReplayed> {
    let watcher = match (question, claim(engine, question)) {
        (Question::Acceptance, _) => Watcher::Acceptance,
        (Question::Progress, _) => Watcher::Progress,
        (_, Some(Claim::Never(process))) => Watcher::Never(process),
        (_, Some(Claim::Trace { pattern, forbidden })) => Watcher::Trace { pattern, forbidden: *forbidden },
        (_, Some(Claim::Ltl(formula))) => {
            let mut decided = decide_formula(engine, formula, options, scope)?;
            if matches!(decided.verdict, Verdict::Holds) {
                let states = decided.coverage.states;
                decided.notes = suspicions(engine, formula, options, scope, states)?;
            }
            if options.reduce && !options.fair && formula.has_next() {
                decided.notes.push(TELLS_STEPS_APART.to_owned());
            }
            return Ok(Some(decided));
        }
        _ => return Ok(None),
    };
    decide_watched(engine, watcher, None, options, scope).map(Some)
}

/// Answers whether a formula holds on every run.
pub(crate) fn decide_formula(
    engine: &Engine<'_>,
    formula: &Ltl<Atom>,
    options: &Options,
    scope: &SearchScope<'_>,
) -> Result<Decided, NotReplayed> {
    match translate(&formula.clone().negated()) {
        Ok(automaton) => {
            let watcher = Watcher::Automaton(&automaton);
            decide_watched(engine, watcher, Some(formula), options, scope)
        }
        Err(too_large) => {
            let verdict = Verdict::Refused(Refusal::new(too_large.to_string()));
            Ok(Decided::new(verdict, Coverage::default()))
        }
    }
}

fn decide_watched(
    engine: &Engine<'_>,
    watcher: Watcher<'_>,
    formula: Option<&Ltl<Atom>>,
    options: &Options,
    scope: &SearchScope<'_>,
) -> Result<Decided, NotReplayed> {
    let reduces = options.reduce && !options.fair && !formula.is_some_and(Ltl::has_next);
    // Without a formula, it may matter where a process is.
    let system = if reduces && formula.is_some() { merged_for(engine, watcher) } else { None };
    match &system {
        Some(system) => {
            let merged = engine.over(system);
            let reduction = Reduction::for_watcher(&merged, watcher);
            let watched = Watched::new(engine.evaluator(), watcher).over(&merged);
            decide_reduced(engine, watcher, formula, (reduction.as_ref(), Some(&watched)), options, scope)
        }
        None => {
            let reduction = if reduces { Reduction::for_watcher(engine, watcher) } else { None };
            decide_reduced(engine, watcher, formula, (reduction.as_ref(), None), options, scope)
        }
    }
}

fn decide_reduced(
    engine: &Engine<'_>,
    watcher: Watcher<'_>,
    formula: Option<&Ltl<Atom>>,
    (reduction, merged): (Option<&Reduction<'_>>, Option<&Watched<'_>>),
    options: &Options,
    scope: &SearchScope<'_>,
) -> Result<Decided, NotReplayed> {
    let watched = Watched::new(engine.evaluator(), watcher).over(engine);
    let near = options.near.unwrap_or(cycles::NEAR);
    let plan = Plan { fair: options.fair, exact: false, near, reduction, merged };
    let mut decided = decide_as_planned(&watched, plan, formula, options, scope);
    if decided.is_err() && watched.hidden_bytes() > 0 {
        // States that differ in what is hidden were taken for the same, but go on differently.
        let plan = Plan { exact: true, ..plan };
        decided = decide_as_planned(&watched, plan, formula, options, scope);
    }
    decided
}

fn decide_as_planned(
    watched: &Watched<'_>,
    plan: Plan<'_>,
    formula: Option<&Ltl<Atom>>,
    options: &Options,
    scope: &SearchScope<'_>,
) -> Result<Decided, NotReplayed> {
    let outcome = cycles::search(watched, plan, scope);
    let verdict = match outcome.result {
        Ok(None) => Verdict::Holds,
        Err(limit) => Verdict::Undecided(limit),
        Ok(Some(forbidden)) => {
            let shown = show(watched, &forbidden, formula, options.fair);
            let trace = Box::new(shown.ok_or_else(not_replayed)?);
            Verdict::Fails { violation: seen(&forbidden), trace, shortest: forbidden.shortest }
        }
    };
    let mut decided = Decided::new(verdict, outcome.coverage);
    if options.runs > 1 && matches!(decided.verdict, Verdict::Fails { .. }) {
        decided.more = more(watched, plan, formula, options, scope, &decided.verdict)?;
    }
    Ok(decided)
}

/// Finds further runs, different from the first.
fn more(
    watched: &Watched<'_>,
    plan: Plan<'_>,
    formula: Option<&Ltl<Atom>>,
    options: &Options,
    scope: &SearchScope<'_>,
    first: &Verdict,
) -> Result<Vec<Counterexample>, NotReplayed> {
    let Verdict::Fails { trace: first, .. } = first else { return Ok(Vec::new()) };
    let actions = |trace: &Trace| -> Vec<Done> {
        trace.steps[trace.cycle.unwrap_or(0)..].iter().map(|step| step.done.clone()).collect()
    };
    let mut list: Vec<Counterexample> = Vec::new();
    for forbidden in cycles::others(watched, plan, options.runs, scope) {
        let trace = show(watched, &forbidden, formula, options.fair).ok_or_else(not_replayed)?;
        if actions(&trace) != actions(first) && list.len() + 1 < options.runs {
            list.push(Counterexample { violation: seen(&forbidden), trace });
        }
    }
    Ok(list)
}

pub(crate) fn not_replayed() -> NotReplayed {
    NotReplayed { what: "a run that must not be".to_owned() }
}

/// Returns what the watcher saw, unless that is just the whole of what must not be.
pub(crate) fn seen(forbidden: &Forbidden) -> Option<Violation> {
    forbidden.violation.filter(|seen| seen.kind != ViolationKind::ClaimMatched)
}

/// Replays a run in the reference evaluator, and makes sure that it shows what it is to show.
pub(crate) fn show(
    watched: &Watched<'_>,
    forbidden: &Forbidden,
    formula: Option<&Ltl<Atom>>,
    fair: bool,
) -> Option<Trace> {
    let evaluator = watched.evaluator();
    let steps = || forbidden.stem.iter().chain(forbidden.cycle.iter().flatten());
    // A step without a move means that the system stays where it is, for ever.
    let moving = steps().take_while(|step| !step.moves.is_empty());
    let mut moving: Vec<&[Move]> = moving.map(|step| step.moves.as_slice()).collect();
    let mut trace = Trace::follow(&evaluator, &moving)?;
    let stays = steps().count() > trace.steps.len();
    let mut start = forbidden.stem.len();
    if !stays
        && let Some(cycle) = &forbidden.cycle
        && trace.state(start) != trace.last_state()
    {
        // The search forgets what nobody reads. Once around, that too is as it will be ever after.
        start += cycle.len();
        moving.extend(cycle.iter().map(|step| step.moves.as_slice()));
        trace = Trace::follow(&evaluator, &moving)?;
    }
    if stays {
        trace.cycle = Some(trace.steps.len());
        let mut leads_on = false;
        evaluator.successors(trace.last_state(), &mut Scratch::default(), &mut |successor| {
            leads_on |= successor.target.is_some();
            ControlFlow::Continue(())
        });
        (!leads_on).then_some(())?;
    } else if let Some(cycle) = &forbidden.cycle {
        // What nobody ever reads may go on changing: with that forgotten, it must be a cycle.
        let forgetful = || Trace::follow(&evaluator.forgetting(), &moving);
        let closes = |trace: &Trace| trace.state(start) == trace.last_state();
        (!cycle.is_empty() && (closes(&trace) || closes(&forgetful()?))).then_some(())?;
        trace.cycle = Some(start);
        (!fair || is_fair(&evaluator, &trace, start)).then_some(())?;
        roll_up(&mut trace);
    }
    if let Some(formula) = formula {
        trace.atoms = trace.propositions(&evaluator, formula.atoms());
        let refuted = forbidden.violation.is_some() || !trace.satisfies(formula)?;
        refuted.then_some(())?;
    }
    Some(trace)
}

/// Lets the cycle start as early as it can: while the step before it is its last one too, the run is the same
/// without.
fn roll_up(trace: &mut Trace) {
    while let (Some(start), Some(last)) = (trace.cycle, trace.steps.len().checked_sub(1))
        && start > 0
        && start <= last
        && trace.steps[start - 1].done == trace.steps[last].done
        && trace.state(start - 1) == trace.state(last)
    {
        trace.steps.pop();
        trace.cycle = Some(start - 1);
    }
}
