//! Questions answered on orbits: what holds of one state of each, holds of all.
//!
//! Assertions, deadlocks and faults are the same in the graph of orbits. A formula over runs is, if each of
//! its propositions has the same value in all states of an orbit: then the graph of orbits and that of states
//! are bisimilar. So each formula is asked with what may be exchanged beside its own propositions: a number
//! that it names stays where it is. Runs are lifted to runs of the model; one that goes round in orbits goes
//! round in states after some rounds, when all exchanged parts are back in their places. Fairness is about
//! single processes, and not asked here.

use narrows_logic::{Ltl, translate};
use narrows_model::{
    Answer, Atom, Checked, Claim, Counterexample, Coverage, Question, Refusal, StateSpace, System, Verdict,
    Watched, Watcher,
};

use super::quotient::Lift;
use super::{Asked, Quotient, Symmetry};
use crate::check::{Found, NotReplayed, accepts, fails, is_safety, replay};
use crate::cycles::{self, Forbidden, Plan, Step};
use crate::temporal::{not_replayed, seen, show};
use crate::{End, Engine, Exploration, Finding, Goal, Options, SearchScope, Wrong, breadth_first};

/// So many rounds of a cycle are tried until all parts are back in their places.
const MAX_ROUNDS: usize = 10_000;

/// Returns why a question is not answered with equal parts counted once, if it isn't: of no model.
pub fn accepts_symmetric(system: &System, question: &Question) -> Result<(), Refusal> {
    accepts(system, question)?;
    let is_plain = is_safety(question) || matches!(question, Question::Acceptance | Question::Progress);
    if is_plain || formula(system, question).is_some() {
        return Ok(());
    }
    Err(Refusal::new(
        "equal parts are counted once for assertions, deadlocks, faults, LTL, acceptance and progress",
    ))
}

/// Returns the formula that a question is about, if it is about one.
fn formula<'s>(system: &'s System, question: &Question) -> Option<&'s Ltl<Atom>> {
    let Question::Property { index, .. } = question else { return None };
    match &system.properties.get(*index)?.claim {
        Claim::Ltl(formula) => Some(formula),
        _ => None,
    }
}

/// Finds what may be exchanged for a question.
fn symmetry_for(engine: &Engine<'_>, question: &Question) -> Result<Symmetry, Refusal> {
    let atoms = formula(engine.system(), question).map(Ltl::atoms).unwrap_or_default();
    let exprs: Vec<_> = atoms.iter().map(|atom| &atom.expr).collect();
    let asked = Asked { exprs: &exprs, ..Asked::NOTHING };
    Symmetry::find(engine.evaluator(), &asked)
        .map_err(|why| Refusal::new(format!("no parts of the model are surely equal: {why}")))
}

/// Answers questions, with equal parts counted once.
pub fn check_symmetric(
    engine: &Engine<'_>,
    questions: &[Question],
    options: &Options,
    scope: &SearchScope<'_>,
) -> Result<Checked, NotReplayed> {
    let mut found = Found {
        answers: Vec::new(),
        coverage: Coverage::default(),
        end: End::Complete,
        findings: Vec::new(),
    };
    let safety: Vec<&Question> = questions.iter().filter(|question| is_safety(question)).collect();
    let mut answers = check_safety(engine, &safety, options, scope, &mut found)?.into_iter();
    for question in questions {
        let answer = if is_safety(question) {
            answers.next().unwrap_or_else(|| Answer::new(question.clone(), Verdict::Holds))
        } else {
            let taken = accepts_symmetric(engine.system(), question);
            let verdict = match taken.and_then(|()| symmetry_for(engine, question)) {
                Ok(symmetry) => decide(engine, &symmetry, question, scope, &mut found.coverage)?,
                Err(refusal) => Verdict::Refused(refusal),
            };
            Answer::new(question.clone(), verdict)
        };
        found.answers.push(answer);
    }
    Ok(found.checked(engine.evaluator()))
}

/// Answers questions about single states and steps.
fn check_safety(
    engine: &Engine<'_>,
    questions: &[&Question],
    options: &Options,
    scope: &SearchScope<'_>,
    found: &mut Found,
) -> Result<Vec<Answer>, NotReplayed> {
    let Some(first) = questions.first() else { return Ok(Vec::new()) };
    let symmetry = match symmetry_for(engine, first) {
        Ok(symmetry) => symmetry,
        Err(refusal) => {
            let refused =
                |question: &&Question| Answer::new((*question).clone(), Verdict::Refused(refusal.clone()));
            return Ok(questions.iter().map(refused).collect());
        }
    };
    let forgetting = engine.forgetting();
    let quotient = Quotient::new(if symmetry.forgets() { &forgetting } else { engine }, &symmetry);
    // To find more than one run, it goes on after the first.
    let goal = |question: &&Question| Goal { question: (*question).clone(), patience: None };
    let goals: Vec<Goal> = if options.runs > 1 { Vec::new() } else { questions.iter().map(goal).collect() };
    let exploration = breadth_first(&quotient, &goals, scope);
    let mut answers = Vec::new();
    for question in questions {
        let mut runs = shown(engine, &quotient, &exploration, question, options.runs.max(1))?.into_iter();
        let answer = match runs.next() {
            Some((finding, _)) => {
                let more = runs.map(|(finding, trace)| Counterexample { violation: wrong(&finding), trace });
                let answer = Answer::new((*question).clone(), fails(engine, &finding, true)?);
                Answer { more: more.collect(), ..answer }
            }
            None if exploration.is_complete() => Answer::new((*question).clone(), Verdict::Holds),
            None => {
                let limit = exploration.end.limit().unwrap_or(narrows_model::Limit::Enough);
                Answer::new((*question).clone(), Verdict::Undecided(limit))
            }
        };
        answers.push(answer);
    }
    found.coverage = quotient.coverage(&exploration);
    found.end = exploration.end;
    found.findings = exploration.findings;
    Ok(answers)
}

fn wrong(finding: &Finding) -> Option<narrows_model::Violation> {
    match &finding.wrong {
        Wrong::Violation(violation) => Some(*violation),
        Wrong::Deadlock(_) => None,
    }
}

/// Lifts runs that show that something fails, and replays them.
fn shown(
    engine: &Engine<'_>,
    quotient: &Quotient<'_>,
    exploration: &Exploration,
    question: &Question,
    most: usize,
) -> Result<Vec<(Finding, narrows_model::Trace)>, NotReplayed> {
    let own = exploration.findings.iter().filter(|finding| finding.wrong.question() == *question);
    let with_runs = own.filter(|finding| finding.run.is_some()).take(most);
    with_runs
        .map(|finding| {
            let lifted = quotient.lift(engine.evaluator(), finding).ok_or_else(not_replayed)?;
            let trace = replay(engine.evaluator(), &lifted)?;
            Ok((lifted, trace))
        })
        .collect()
}

/// Answers a question about runs.
fn decide(
    engine: &Engine<'_>,
    symmetry: &Symmetry,
    question: &Question,
    scope: &SearchScope<'_>,
    coverage: &mut Coverage,
) -> Result<Verdict, NotReplayed> {
    let formula = formula(engine.system(), question);
    let automaton = match formula.map(|formula| translate(&formula.clone().negated())).transpose() {
        Ok(automaton) => automaton,
        Err(too_large) => return Ok(Verdict::Refused(Refusal::new(too_large.to_string()))),
    };
    let watcher = match (&automaton, question) {
        (Some(automaton), _) => Watcher::Automaton(automaton),
        (None, Question::Progress) => Watcher::Progress,
        (None, _) => Watcher::Acceptance,
    };
    let forgetting = engine.forgetting();
    let quotient = Quotient::new(if symmetry.forgets() { &forgetting } else { engine }, symmetry);
    let watched = Watched::new(engine.evaluator(), watcher).over(&quotient);
    let plan = Plan { fair: false, exact: false, near: cycles::NEAR, reduction: None, merged: None };
    let scope = &SearchScope { checkpoints: None, elsewhere: None, accelerator: None, ..*scope };
    let outcome = cycles::search(&watched, plan, scope);
    if !coverage.of_system && outcome.coverage.states >= coverage.states {
        *coverage = Coverage { of_system: false, ..outcome.coverage };
    }
    Ok(match outcome.result {
        Ok(None) => Verdict::Holds,
        Err(limit) => Verdict::Undecided(limit),
        Ok(Some(forbidden)) => {
            let lifted = lift(&quotient, engine, &forbidden).ok_or_else(not_replayed)?;
            let plain = Watched::new(engine.evaluator(), watcher);
            let trace = show(&plain, &lifted, formula, false).ok_or_else(not_replayed)?;
            Verdict::Fails { violation: seen(&lifted), trace: Box::new(trace), shortest: lifted.shortest }
        }
    })
}

/// Finds a run of the model that goes as one of orbits does.
fn lift(quotient: &Quotient<'_>, engine: &Engine<'_>, forbidden: &Forbidden) -> Option<Forbidden> {
    let mut lift = Lift::new(quotient, engine.evaluator())?;
    let mut stem = Vec::new();
    if !pass(&mut lift, &forbidden.stem, &mut stem)? {
        return Some(Forbidden { stem, cycle: forbidden.cycle.clone(), ..*forbidden });
    }
    let Some(cycle) = &forbidden.cycle else { return Some(Forbidden { stem, cycle: None, ..*forbidden }) };
    // Where each round begins, and how many steps there were until then.
    let (mut begins, mut rounds) = (vec![(lift.place(), 0)], Vec::new());
    for _ in 0..MAX_ROUNDS {
        if !pass(&mut lift, cycle, &mut rounds)? {
            break;
        }
        let place = lift.place();
        if let Some((_, begin)) = begins.iter().find(|(known, _)| *known == place) {
            let rest = rounds.split_off(*begin);
            stem.extend(rounds);
            return Some(Forbidden { stem, cycle: Some(rest), ..*forbidden });
        }
        begins.push((place, rounds.len()));
    }
    // The system stays where it is from some step on.
    let stays = rounds.last().is_some_and(|step| step.moves.is_empty());
    stays.then_some(Forbidden { stem, cycle: Some(rounds), ..*forbidden })
}

/// Follows some steps; returns whether the system has moved in all of them.
fn pass(lift: &mut Lift<'_, '_, '_>, steps: &[Step], lifted: &mut Vec<Step>) -> Option<bool> {
    for (number, step) in steps.iter().enumerate() {
        if step.moves.is_empty() {
            // Nobody moves any more.
            lifted.extend_from_slice(&steps[number..]);
            return Some(false);
        }
        lifted.push(Step { moves: lift.follow_moves(&step.moves)? });
    }
    Some(true)
}

impl Quotient<'_> {
    /// Returns what a search of orbits has covered, and how much stands behind that.
    pub fn coverage(&self, exploration: &Exploration) -> Coverage {
        let count = self.count();
        let mut coverage = exploration.coverage.clone();
        let is_whole = exploration.is_complete() && count.expanded == coverage.states;
        let written = |number: Option<u128>| number.filter(|_| is_whole).map(|number| number.to_string());
        self.symmetry().complete(&mut coverage.taken);
        coverage.orbits = Some(narrows_model::Orbits {
            parts: self.symmetry().words().to_vec(),
            states: written(count.states),
            transitions: written(count.transitions),
            forgets: self.symmetry().forgets(),
        });
        coverage
    }
}

impl Lift<'_, '_, '_> {
    /// Takes the step of the quotient in which these processes move, and one of the model that leads to the
    /// same orbit; returns who moves there.
    fn follow_moves(&mut self, moves: &[narrows_model::Move]) -> Option<Vec<narrows_model::Move>> {
        let mut target = None;
        let space = self.quotient;
        space.successors(&self.canonical, &mut self.scratch, &mut |successor| {
            if target.is_none() && successor.moves == moves {
                target = successor.target.map(<[u8]>::to_vec);
            }
            std::ops::ControlFlow::Continue(())
        });
        let found = self.lead(target?)?;
        Some(found)
    }

    /// Returns the states of both runs.
    fn place(&self) -> (Vec<u8>, Vec<u8>) {
        (self.canonical.clone(), self.real.clone())
    }
}
