//! Answers to safety questions.
//!
//! A short depth-first search goes first: it decides small systems at once, and finds deep faults, such as a process
//! that creates others without end, which breadth-first search would never reach. Breadth-first search then finds the
//! shortest run for what fails, and decides what is still open. Every run is replayed in the reference evaluator before
//! it is given away.

use std::fmt;

use narrows_model::{
    Answer, Counterexample, Coverage, Evaluator, Expansion, Limit, Question, Refusal, Scratch, StateSpace,
    System, Trace, Verdict, Violation,
};

use crate::ctl;
use crate::shorten::shorten;
use crate::temporal::decide as decide_run;
use crate::{Budget, End, Exploration, Faults, Finding, Goal, Wrong, breadth_first, depth_first};

/// The first search visits at most this many states.
const SCOUT_STATES: u64 = 200_000;

/// And takes at most this many edges: a system that creates processes without end has ever more of them.
const SCOUT_TRANSITIONS: u64 = 2_000_000;

/// If breadth-first search has visited this many times the first search's states, the first search's run will do.
const PATIENCE: u64 = 20;

/// What came out for a list of questions.
#[derive(Clone, Debug)]
pub struct Checked {
    /// The answers, in the order of the questions.
    pub answers: Vec<Answer>,
    /// What was covered.
    pub coverage: Coverage,
    /// How the search ended.
    pub end: End,
    /// Everything that goes wrong.
    pub findings: Vec<Finding>,
}

/// A run that the reference evaluator does not have: a mistake in this program.
#[derive(Clone, Debug)]
pub struct NotReplayed {
    /// What the run was to show.
    pub what: String,
}

impl fmt::Display for NotReplayed {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "a counterexample ({}) can't be replayed in the reference evaluator", self.what)
    }
}

impl std::error::Error for NotReplayed {}

/// How questions are to be understood.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options {
    /// Whether only those endless runs count in which no process is enabled for ever and never moves.
    pub fair: bool,
    /// How many runs are wanted for each question that fails.
    pub runs: usize,
}

/// Returns why this engine does not take a question, if it doesn't.
pub fn accepts(system: &System, question: &Question) -> Result<(), Refusal> {
    let refused = |reason: String| Err(Refusal { reason });
    match question {
        Question::Assertions
        | Question::Deadlock
        | Question::Faults
        | Question::Acceptance
        | Question::Progress => Ok(()),
        Question::Property { index, .. } => match system.properties.get(*index).map(|found| &found.claim) {
            Some(_) => Ok(()),
            None => refused("There is no such property.".to_owned()),
        },
        _ => refused(format!("This version can't answer questions of the kind `{}`.", question.kind())),
    }
}

fn is_safety(question: &Question) -> bool {
    matches!(question, Question::Assertions | Question::Deadlock | Question::Faults)
}

/// Answers questions about a system.
pub fn check(
    evaluator: Evaluator<'_>,
    questions: &[Question],
    options: &Options,
    budget: &Budget<'_>,
) -> Result<Checked, NotReplayed> {
    let mut checked = if questions.iter().any(is_safety) {
        let mut checked = check_safety(evaluator, questions, budget)?;
        if options.runs > 1 {
            add_runs(evaluator, &mut checked.answers, options.runs - 1, budget)?;
        }
        checked
    } else {
        let open =
            |question: &Question| Answer::new(question.clone(), open_verdict(evaluator.system(), question));
        Checked {
            answers: questions.iter().map(open).collect(),
            coverage: Coverage::default(),
            end: End::Complete,
            findings: Vec::new(),
        }
    };
    for answer in &mut checked.answers {
        if is_safety(&answer.question) || accepts(evaluator.system(), &answer.question).is_err() {
            continue;
        }
        let Some(decided) = decide_run(evaluator, &answer.question, options, budget)? else { continue };
        answer.verdict = decided.verdict;
        answer.notes = decided.notes;
        answer.more = decided.more;
        // Where nothing but runs was asked about, the largest search is what the report is about.
        if !checked.coverage.of_system && decided.coverage.states >= checked.coverage.states {
            checked.coverage = decided.coverage;
        }
    }
    let branching = ctl::answer(evaluator, &mut checked.answers, options, budget)?;
    if let Some(branching) = branching
        && (!checked.coverage.of_system || checked.end != End::Complete)
        && branching.coverage.states >= checked.coverage.states
    {
        (checked.coverage, checked.end) = (branching.coverage, branching.end);
    }
    Ok(checked)
}

/// Adds further runs to the safety questions that fail: one for each place and kind, each as short as can be.
fn add_runs(
    evaluator: Evaluator<'_>,
    answers: &mut [Answer],
    most: usize,
    budget: &Budget<'_>,
) -> Result<(), NotReplayed> {
    let fails =
        |answer: &&mut Answer| is_safety(&answer.question) && matches!(answer.verdict, Verdict::Fails { .. });
    if !answers.iter_mut().any(|answer| fails(&answer)) {
        return Ok(());
    }
    let exploration = breadth_first(&evaluator, &[], budget);
    for answer in answers.iter_mut().filter(fails) {
        let Verdict::Fails { violation, trace, .. } = &answer.verdict else { continue };
        for finding in &exploration.findings {
            let is_same = match &finding.wrong {
                Wrong::Violation(other) => Some(*other) == *violation,
                Wrong::Deadlock(state) => *state == trace.last_state(),
            };
            if is_same || finding.run.is_none() || finding.wrong.question() != answer.question {
                continue;
            }
            if answer.more.len() == most {
                break;
            }
            let violation = match &finding.wrong {
                Wrong::Violation(violation) => Some(*violation),
                Wrong::Deadlock(_) => None,
            };
            answer.more.push(Counterexample { violation, trace: replay(evaluator, finding)? });
        }
    }
    Ok(())
}

fn open_verdict(system: &System, question: &Question) -> Verdict {
    match accepts(system, question) {
        Ok(()) => Verdict::Undecided(Limit::Enough),
        Err(refusal) => Verdict::Refused(refusal),
    }
}

fn check_safety(
    evaluator: Evaluator<'_>,
    questions: &[Question],
    budget: &Budget<'_>,
) -> Result<Checked, NotReplayed> {
    let accepted: Vec<&Question> = questions.iter().filter(|question| is_safety(question)).collect();
    let scout_budget = Budget {
        states: SCOUT_STATES.min(budget.states),
        transitions: SCOUT_TRANSITIONS.min(budget.transitions),
        ..*budget
    };
    let scout = depth_first(&evaluator, Faults::Continue, &scout_budget);
    let shortest = search_shortest(evaluator, &accepted, &scout, budget);
    let mut answers = Vec::new();
    for question in questions {
        let verdict = if is_safety(question) {
            decide(evaluator, question, &scout, shortest.as_ref())?
        } else {
            open_verdict(evaluator.system(), question)
        };
        answers.push(Answer::new(question.clone(), verdict));
    }
    // How the last search ended is how the whole did: the first one stops early on purpose.
    let end = match &shortest {
        Some(shortest) if !scout.is_complete() => shortest.end,
        _ => scout.end,
    };
    // What covered more is what the report is about; the first search has the counts of everything it completed.
    let main = match shortest {
        Some(shortest) if !scout.is_complete() && shortest.coverage.states >= scout.coverage.states => {
            shortest
        }
        _ => scout,
    };
    Ok(Checked { answers, coverage: main.coverage, end, findings: main.findings })
}

/// Runs breadth-first search if there is anything left for it to find.
fn search_shortest(
    evaluator: Evaluator<'_>,
    questions: &[&Question],
    scout: &Exploration,
    budget: &Budget<'_>,
) -> Option<Exploration> {
    if matches!(scout.end, End::Limit(_) | End::Fault) {
        return None;
    }
    let mut goals = Vec::new();
    for question in questions {
        let fails = find(scout, question).is_some();
        if fails || !scout.is_complete() {
            let patience = fails.then(|| scout.coverage.states.saturating_mul(PATIENCE));
            goals.push(Goal { question: (*question).clone(), patience });
        }
    }
    (!goals.is_empty()).then(|| breadth_first(&evaluator, &goals, budget))
}

fn decide(
    evaluator: Evaluator<'_>,
    question: &Question,
    scout: &Exploration,
    shortest: Option<&Exploration>,
) -> Result<Verdict, NotReplayed> {
    if let Some(finding) = shortest.and_then(|shortest| find(shortest, question)) {
        return fails(evaluator, finding, true);
    }
    if let Some(finding) = find(scout, question) {
        let violation = matches!(finding.wrong, Wrong::Violation(_));
        let run = finding.run.as_ref().and_then(|run| shorten(&evaluator, run, violation));
        return fails(
            evaluator,
            &Finding { run: run.or_else(|| finding.run.clone()), ..finding.clone() },
            false,
        );
    }
    if scout.is_complete() || shortest.is_some_and(Exploration::is_complete) {
        return Ok(Verdict::Holds);
    }
    let end = shortest.map_or(scout.end, |shortest| shortest.end);
    Ok(Verdict::Undecided(end.limit().unwrap_or(Limit::Enough)))
}

fn find<'e>(exploration: &'e Exploration, question: &Question) -> Option<&'e Finding> {
    exploration.findings.iter().find(|finding| finding.run.is_some() && finding.wrong.question() == *question)
}

fn fails(evaluator: Evaluator<'_>, finding: &Finding, shortest: bool) -> Result<Verdict, NotReplayed> {
    let trace = replay(evaluator, finding)?;
    let violation = match &finding.wrong {
        Wrong::Violation(violation) => Some(*violation),
        Wrong::Deadlock(_) => None,
    };
    Ok(Verdict::Fails { violation, trace: Box::new(trace), shortest })
}

/// Replays the run of a finding in the reference evaluator, and makes sure that it shows what it is to show.
pub fn replay(evaluator: Evaluator<'_>, finding: &Finding) -> Result<Trace, NotReplayed> {
    let trace = finding.run.as_ref().and_then(|run| match &finding.wrong {
        Wrong::Violation(violation) if run.choices.is_empty() => replay_start(evaluator, violation),
        Wrong::Violation(violation) => {
            let states = run.states(&evaluator, true)?;
            Trace::replay(&evaluator, &states, Some(&|violations| violations.contains(violation)))
        }
        Wrong::Deadlock(_) => {
            let trace = Trace::replay(&evaluator, &run.states(&evaluator, false)?, None)?;
            is_deadlock(evaluator, trace.last_state()).then_some(trace)
        }
    });
    trace.ok_or_else(|| NotReplayed {
        what: match &finding.wrong {
            Wrong::Violation(violation) => violation.kind.message().to_owned(),
            Wrong::Deadlock(_) => "deadlock".to_owned(),
        },
    })
}

/// Something goes wrong before the first step; there may not even be an initial state.
fn replay_start(evaluator: Evaluator<'_>, violation: &Violation) -> Option<Trace> {
    match evaluator.initial() {
        Ok((initial, violations)) if violations.contains(violation) => {
            Some(Trace { initial, ..Trace::default() })
        }
        Err(fault) if fault == *violation => Some(Trace::default()),
        _ => None,
    }
}

fn is_deadlock(evaluator: Evaluator<'_>, state: &[u8]) -> bool {
    let mut scratch = Scratch::default();
    let expansion = evaluator.successors(state, &mut scratch, &mut |_| std::ops::ControlFlow::Continue(()));
    expansion == Expansion::Deadlock
}
