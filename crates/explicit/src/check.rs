//! Answers to safety questions.
//!
//! A short depth-first search goes first: it decides small systems at once, and finds deep faults, such as a
//! process that creates others without end, which breadth-first search would never reach. Breadth-first
//! search then finds the shortest run for what fails, and decides what is still open. Every run is replayed
//! in the reference evaluator before it is given away.
//!
//! With a reduction, both leave out what they can. What they find need not be shortest, so breadth-first
//! search over all states goes last, for as long as that takes no more than a few times as long.

use std::fmt;
use std::sync::Arc;

use narrows_model::{
    Answer, Checked, Counterexample, Coverage, Evaluator, Expansion, Limit, Problem, Question, Refusal,
    Reply, Scratch, StateSpace, System, Trace, Verdict, Violation,
};

use crate::ctl;
use crate::reduction::{merged, unmerge};
use crate::shorten::shorten;
use crate::table_driven::breadth_first_accelerated;
use crate::temporal::{Decided as DecidedRun, decide as decide_run};
use crate::{
    Budget, End, Engine, Exploration, Faults, Finding, Goal, Reduction, SearchScope, Share, Watch, Wrong,
    breadth_first, breadth_first_reduced, depth_first_reduced,
};

/// The first search visits at most this many states.
const SCOUT_STATES: u64 = 10_000;

/// And takes at most this many edges: a system that creates processes without end has ever more of them.
const SCOUT_TRANSITIONS: u64 = 1_000_000;

/// If breadth-first search has visited this many times the first search's states, the first search's run will
/// do.
const PATIENCE: u64 = 20;

/// What was found for a list of questions so far.
pub(crate) struct Found {
    /// The answers, in the order of the questions.
    pub(crate) answers: Vec<Answer>,
    pub(crate) coverage: Coverage,
    pub(crate) end: End,
    pub(crate) findings: Vec<Finding>,
}

impl Found {
    /// Describes what goes wrong, as far as somebody asked.
    pub(crate) fn checked(self, evaluator: Evaluator<'_>) -> Checked {
        let is_asked =
            |problem: &Problem| self.answers.iter().any(|answer| answer.question.kind() == problem.kind);
        let mut problems = problems(evaluator, &self.findings);
        problems.retain(is_asked);
        Checked {
            replies: self.answers.into_iter().map(Reply::from).collect(),
            coverage: self.coverage,
            limit: self.end.limit(),
            problems,
            profile: None,
        }
    }
}

/// Says of everything that goes wrong what it is and where.
pub fn problems(evaluator: Evaluator<'_>, findings: &[Finding]) -> Vec<Problem> {
    let describe = |finding: &Finding| match &finding.wrong {
        Wrong::Deadlock(state) => evaluator.deadlock(state, finding.count),
        Wrong::Violation(violation) => Problem::violation(violation, finding.count),
    };
    findings.iter().map(describe).collect()
}

/// A run that the reference evaluator does not have: a mistake in this program.
#[derive(Clone, Debug)]
pub struct NotReplayed {
    /// What the run was to show.
    pub what: String,
}

impl NotReplayed {
    /// Says that a run was to show this.
    pub(crate) fn of(wrong: &Wrong) -> NotReplayed {
        let what = match wrong {
            Wrong::Violation(violation) => violation.kind.message().to_owned(),
            Wrong::Deadlock(_) => "deadlock".to_owned(),
        };
        NotReplayed { what }
    }
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
    /// How many states near the initial one are searched before the others for a run; as many as is good if
    /// it is `None`. Tests make it small.
    pub near: Option<u64>,
    /// Whether steps may be left out whose order does not matter.
    pub reduce: bool,
}

/// Returns why this engine does not take a question, if it doesn't.
pub fn accepts(system: &System, question: &Question) -> Result<(), Refusal> {
    let refused = |reason: String| Err(Refusal::new(reason));
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

/// Returns whether a question is about single states and steps.
pub fn is_safety(question: &Question) -> bool {
    matches!(question, Question::Assertions | Question::Deadlock | Question::Faults)
}

/// Of the time that there is, questions about runs get one part in so many, before anything else is asked.
const FIRST_LOOK: usize = 10;

/// If time is not limited, they get so many seconds.
const FIRST_SECONDS: f64 = 5.0;

/// Answers questions about a system.
///
/// Each question gets a share of the time, so that one that takes long leaves time for the others: first a
/// short look at each one about runs, then a search for all about safety, then what is still open. A look
/// that ends early leaves nothing behind, so that answers do not depend on how far it came.
pub fn check(
    engine: &Engine<'_>,
    questions: &[Question],
    options: &Options,
    scope: &SearchScope<'_>,
) -> Result<Checked, NotReplayed> {
    let share = Arc::new(Share::new(&scope.budget.watch));
    let budget = Budget { watch: Arc::<Share>::clone(&share), ..scope.budget.clone() };
    let scope = &SearchScope { budget: &budget, ..*scope };
    let forgetting = engine.forgetting();
    let lean = if options.reduce { &forgetting } else { engine };
    let is_about_runs =
        |question: &&Question| !is_safety(question) && accepts(engine.system(), question).is_ok();
    let runs: Vec<&Question> = questions.iter().filter(is_about_runs).collect();
    let asks_for_safety = questions.iter().any(is_safety);
    let mut decided: Vec<Option<DecidedRun>> = runs.iter().map(|_| None).collect();
    if runs.len() > 1 || asks_for_safety {
        for (question, decided) in runs.iter().zip(&mut decided) {
            let first = share.whole_seconds_left().map_or(FIRST_SECONDS, |left| left / FIRST_LOOK as f64);
            share.take_seconds(first / runs.len() as f64);
            *decided = decide_run(lean, question, options, scope)?.filter(DecidedRun::is_final);
        }
    }
    let open = decided.iter().filter(|decided| decided.is_none()).count();
    let mut found = if asks_for_safety {
        share.take(1 + open);
        answer_safety(engine, lean, questions, options, scope)?
    } else {
        let open =
            |question: &Question| Answer::new(question.clone(), open_verdict(engine.system(), question));
        Found {
            answers: questions.iter().map(open).collect(),
            coverage: Coverage::default(),
            end: End::Complete,
            findings: Vec::new(),
        }
    };
    let spent = share.seconds();
    let mut left = open;
    for (question, decided) in runs.iter().zip(decided) {
        let decided = match decided {
            Some(decided) => Some(decided),
            None => {
                share.take(left);
                left = left.saturating_sub(1);
                decide_run(lean, question, options, scope)?
            }
        };
        let answer = found.answers.iter_mut().find(|answer| answer.question == **question);
        let (Some(decided), Some(answer)) = (decided, answer) else { continue };
        answer.verdict = decided.verdict;
        answer.notes = decided.notes;
        answer.more = decided.more;
        // Where nothing but runs was asked about, the largest search is what the report is about.
        if !found.coverage.of_system && decided.coverage.states >= found.coverage.states {
            found.coverage = decided.coverage;
        }
    }
    let is_unfinished = asks_for_safety && open > 0 && found.end == End::Limit(Limit::Time);
    share.take(1 + usize::from(is_unfinished));
    let branching = ctl::answer(engine, &mut found.answers, options, scope)?;
    share.take(1);
    // The others may have left more time than safety had.
    if is_unfinished && share.seconds_left().is_some_and(|left| left > spent) {
        let again = answer_safety(engine, lean, questions, options, scope)?;
        for (answer, again) in found.answers.iter_mut().zip(again.answers) {
            if is_safety(&answer.question) {
                *answer = again;
            }
        }
        (found.coverage, found.end, found.findings) = (again.coverage, again.end, again.findings);
    }
    if let Some(branching) = branching
        && (!found.coverage.of_system || found.end != End::Complete)
        && branching.coverage.states >= found.coverage.states
    {
        (found.coverage, found.end) = (branching.coverage, branching.end);
    }
    Ok(found.checked(engine.evaluator()))
}

/// Answers the questions about safety, with as many runs as are wanted; the others are left open.
fn answer_safety(
    engine: &Engine<'_>,
    lean: &Engine<'_>,
    questions: &[Question],
    options: &Options,
    scope: &SearchScope<'_>,
) -> Result<Found, NotReplayed> {
    let mut found = check_safety(lean, questions, options, scope)?;
    if options.runs > 1 {
        add_runs(engine, &mut found.answers, options.runs - 1, scope)?;
    }
    Ok(found)
}

/// Visits every state, or those that a reduction does not leave out. A small state space is searched depth
/// first, as SPIN does, up to the first fault; a large one breadth first, on as many threads as may be used.
pub fn explore(
    space: &dyn StateSpace,
    reduction: Option<&Reduction<'_>>,
    scope: &SearchScope<'_>,
) -> Exploration {
    let scout = depth_first_reduced(space, reduction, Faults::Stop, &scout_scope(scope));
    let is_over = matches!(scout.end, End::Complete | End::Limit(_) | End::Fault);
    if is_over || scope.states <= SCOUT_STATES {
        return scout;
    }
    match reduction.filter(|_| scope.elsewhere.is_none() && is_worth_it(&scout)) {
        Some(reduction) => breadth_first_reduced(space, Some(reduction), &[], scope),
        None => visit_all(space, &[], scope),
    }
}

/// Visits states breadth first, here or on several machines. There, nothing is reduced.
fn visit_all(space: &dyn StateSpace, goals: &[Goal], scope: &SearchScope<'_>) -> Exploration {
    match scope.elsewhere {
        Some(elsewhere) => elsewhere.breadth_first(space, goals, scope),
        None => breadth_first(space, goals, scope),
    }
}

/// Visits every state of a system, as [`explore`] does without a reduction; a large one by the accelerator of
/// the scope, if there is one and it can.
pub fn explore_accelerated(engine: &Engine<'_>, scope: &SearchScope<'_>) -> Exploration {
    let scout = depth_first_reduced(engine, None, Faults::Stop, &scout_scope(scope));
    let is_over = matches!(scout.end, End::Complete | End::Limit(_) | End::Fault);
    if is_over || scope.states <= SCOUT_STATES {
        return scout;
    }
    breadth_first_accelerated(engine, &[], scope)
}

/// Visits every state, or those that are left when steps are merged and left out. What is found has no runs.
pub fn explore_sparsely(engine: &Engine<'_>, scope: &SearchScope<'_>) -> Exploration {
    let system = if scope.elsewhere.is_none() { merged(engine) } else { None };
    let mut found = match &system {
        Some(system) => {
            let sparse = engine.over(system);
            explore(&sparse, Reduction::for_safety(&sparse).as_ref(), scope)
        }
        None => explore(engine, Reduction::for_safety(engine).as_ref(), scope),
    };
    found.findings.iter_mut().for_each(|finding| finding.run = None);
    found
}

/// Returns whether a reduction leaves out steps often enough, in the first search: to look for them takes
/// time.
fn is_worth_it(scout: &Exploration) -> bool {
    scout.partial * 10 >= scout.coverage.states
}

fn scout_scope<'w>(scope: &SearchScope<'w>) -> SearchScope<'w> {
    SearchScope {
        states: SCOUT_STATES.min(scope.states),
        transitions: SCOUT_TRANSITIONS.min(scope.transitions),
        ..*scope
    }
}

/// Adds further runs to the safety questions that fail: one for each place and kind, each as short as can be.
fn add_runs(
    engine: &Engine<'_>,
    answers: &mut [Answer],
    most: usize,
    scope: &SearchScope<'_>,
) -> Result<(), NotReplayed> {
    let fails =
        |answer: &&mut Answer| is_safety(&answer.question) && matches!(answer.verdict, Verdict::Fails { .. });
    if !answers.iter_mut().any(|answer| fails(&answer)) {
        return Ok(());
    }
    // What is saved belongs to the search before this one.
    let exploration = visit_all(engine, &[], &SearchScope { checkpoints: None, ..*scope });
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
            answer.more.push(Counterexample { violation, trace: replay(engine.evaluator(), finding)? });
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
    engine: &Engine<'_>,
    questions: &[Question],
    options: &Options,
    scope: &SearchScope<'_>,
) -> Result<Found, NotReplayed> {
    let accepted: Vec<&Question> = questions.iter().filter(|question| is_safety(question)).collect();
    let system = if options.reduce { merged(engine) } else { None };
    let searches = match &system {
        Some(system) => Searches::of_sparse(engine, &engine.over(system), &accepted, scope)?,
        None => {
            let reduction = if options.reduce { Reduction::for_safety(engine) } else { None };
            let scout =
                depth_first_reduced(engine, reduction.as_ref(), Faults::Continue, &scout_scope(scope));
            let mut searches = Searches { scout, wide: None, shortest: None };
            if let Some(reduction) = searches.is_worth(reduction.as_ref(), scope) {
                searches.search_wide(engine, Some(reduction), &accepted, scope);
            }
            searches.search_shortest(engine, &accepted, scope);
            searches
        }
    };
    let mut answers = Vec::new();
    for question in questions {
        let verdict = if is_safety(question) {
            searches.decide(engine, question)?
        } else {
            open_verdict(engine.system(), question)
        };
        answers.push(Answer::new(question.clone(), verdict));
    }
    let end = searches.end();
    let main = searches.main();
    Ok(Found { answers, coverage: main.coverage, end, findings: main.findings })
}

/// The searches that safety questions are decided by.
struct Searches {
    scout: Exploration,
    /// Decides what the scout left open, if steps may be left out.
    wide: Option<Exploration>,
    /// Finds shortest runs; if no steps were left out, it also decides what the scout left open.
    shortest: Option<Exploration>,
}

impl Searches {
    /// Makes the first searches on an engine that has merged steps.
    fn of_sparse(
        engine: &Engine<'_>,
        sparse: &Engine<'_>,
        questions: &[&Question],
        scope: &SearchScope<'_>,
    ) -> Result<Searches, NotReplayed> {
        let reduction = Reduction::for_safety(sparse);
        let scout = depth_first_reduced(sparse, reduction.as_ref(), Faults::Continue, &scout_scope(scope));
        let mut searches = Searches { scout, wide: None, shortest: None };
        if scope.elsewhere.is_none() {
            let reduction = searches.is_worth(reduction.as_ref(), scope);
            searches.search_wide(sparse, reduction, questions, scope);
        }
        for search in [Some(&mut searches.scout), searches.wide.as_mut()].into_iter().flatten() {
            unmerge(&mut search.findings, sparse, engine)?;
        }
        searches.search_shortest(engine, questions, scope);
        Ok(searches)
    }

    /// Returns a reduction if it is worth while.
    fn is_worth<'r>(
        &self,
        reduction: Option<&'r Reduction<'r>>,
        scope: &SearchScope<'_>,
    ) -> Option<&'r Reduction<'r>> {
        reduction.filter(|_| scope.elsewhere.is_none() && is_worth_it(&self.scout))
    }

    /// Returns whether there is nothing left to search for.
    fn is_over(&self) -> bool {
        matches!(self.scout.end, End::Limit(_) | End::Fault)
    }

    /// Returns whether the first search leaves a question open.
    fn leaves_open(&self, question: &Question) -> bool {
        !self.scout.is_complete() && find(&self.scout, question).is_none()
    }

    /// Decides what the first search left open, leaving out steps.
    fn search_wide(
        &mut self,
        engine: &Engine<'_>,
        reduction: Option<&Reduction<'_>>,
        questions: &[&Question],
        scope: &SearchScope<'_>,
    ) {
        if self.is_over() {
            return;
        }
        let open = questions.iter().filter(|question| self.leaves_open(question));
        let goals: Vec<Goal> =
            open.map(|question| Goal { question: (*question).clone(), patience: None }).collect();
        if !goals.is_empty() {
            self.wide = Some(breadth_first_reduced(engine, reduction, &goals, scope));
        }
    }

    /// Finds shortest runs, and decides what is still open if nothing was left out so far.
    fn search_shortest(&mut self, engine: &Engine<'_>, questions: &[&Question], scope: &SearchScope<'_>) {
        if self.is_over() {
            return;
        }
        let is_sparse = self.wide.is_some();
        let mut goals = Vec::new();
        for question in questions {
            let found = |search: &&Exploration| find(search, question).is_some();
            let shown_by = [Some(&self.scout), self.wide.as_ref()].into_iter().flatten().find(found);
            let patience = shown_by.map(|search| search.coverage.states.saturating_mul(PATIENCE));
            if patience.is_some() || !is_sparse && self.leaves_open(question) {
                goals.push(Goal { question: (*question).clone(), patience });
            }
        }
        let limited = self.wide.as_ref().is_some_and(|wide| matches!(wide.end, End::Limit(_)));
        if !goals.is_empty() && !limited {
            // What is saved belongs to the search that decides everything.
            let checkpoints = scope.checkpoints.filter(|_| !is_sparse);
            let scope = SearchScope { checkpoints, ..*scope };
            self.shortest = Some(match scope.elsewhere {
                Some(_) => visit_all(engine, &goals, &scope),
                None => breadth_first_accelerated(engine, &goals, &scope),
            });
        }
    }

    fn decide(&self, engine: &Engine<'_>, question: &Question) -> Result<Verdict, NotReplayed> {
        if let Some(finding) = self.shortest.as_ref().and_then(|search| find(search, question)) {
            return fails(engine, finding, true);
        }
        let others = [Some(&self.scout), self.wide.as_ref()].into_iter().flatten();
        if let Some(finding) = others.clone().find_map(|search| find(search, question)) {
            return fails(engine, &shortened(engine, finding), false);
        }
        if others.chain(&self.shortest).any(Exploration::is_complete) {
            return Ok(Verdict::Holds);
        }
        Ok(Verdict::Undecided(self.end().limit().unwrap_or(Limit::Enough)))
    }

    /// Returns how the whole ended: as the search did that was to decide everything. The first one stops
    /// early on purpose.
    fn end(&self) -> End {
        match (&self.wide, &self.shortest) {
            _ if self.scout.is_complete() => self.scout.end,
            (Some(wide), _) => wide.end,
            (None, Some(shortest)) => shortest.end,
            (None, None) => self.scout.end,
        }
    }

    /// Returns what covered more: the report is about that. The first search has the counts of everything it
    /// completed.
    fn main(self) -> Exploration {
        match self.wide.or(self.shortest) {
            Some(other)
                if !self.scout.is_complete() && other.coverage.states >= self.scout.coverage.states =>
            {
                other
            }
            _ => self.scout,
        }
    }
}

/// Takes the shortcuts in a run that depth-first search found.
pub(crate) fn shortened(engine: &Engine<'_>, finding: &Finding) -> Finding {
    let violation = matches!(finding.wrong, Wrong::Violation(_));
    let run = finding.run.as_ref().and_then(|run| shorten(engine, run, violation));
    Finding { run: run.or_else(|| finding.run.clone()), ..finding.clone() }
}

pub(crate) fn find<'e>(exploration: &'e Exploration, question: &Question) -> Option<&'e Finding> {
    exploration.findings.iter().find(|finding| finding.run.is_some() && finding.wrong.question() == *question)
}

pub(crate) fn fails(engine: &Engine<'_>, finding: &Finding, shortest: bool) -> Result<Verdict, NotReplayed> {
    let trace = replay(engine.evaluator(), finding)?;
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
    trace.ok_or_else(|| NotReplayed::of(&finding.wrong))
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
