//! State by state on several machines, for all forms that have a state space.

use narrows_explicit::{
    Checkpoints, Elsewhere, Exploration, Finding, Goal, Options, SearchScope, Wrong, breadth_first, check,
    is_safety,
};
use narrows_model::{
    Answer, Counterexample, Coverage, Evaluator, FormKind, LabelledSystem, Limit, Model, Problem, Question,
    Refusal, Reply, RunStep, Scratch, StateSpace, System, Trace, Verdict,
};
use narrows_performance::labelled::GraphError;

use super::cluster_synchronous;
use super::explicit::executor;
use super::labelled::undecided;
use crate::{Budget, CheckOptions, Checked, Choice, Engine, Feature, Unanswered};

/// The engine.
pub(crate) struct Cluster;

const ONLY_SAFETY: &str = "on several machines there are assertions, deadlocks and faults alone";
const HIDDEN: &str = "on several machines there are no hidden variables: what they are depends on the order \
                      of the search";
const STATE_BY_STATE: &str =
    "several machines search state by state: leave out --engine, or give native or interpreter";

impl Engine for Cluster {
    fn name(&self) -> &'static str {
        "cluster"
    }

    fn forms(&self) -> &'static [FormKind] {
        &[FormKind::Processes, FormKind::Synchronous, FormKind::Labelled]
    }

    fn features(&self, form: FormKind) -> &'static [Feature] {
        if form == FormKind::Processes { &[Feature::SeveralRuns] } else { &[] }
    }

    fn accepts_question(
        &self,
        model: &Model,
        question: &Question,
        options: &CheckOptions<'_>,
    ) -> Result<(), Refusal> {
        accepts_choice(options.engine)?;
        if let Some(system) = model.processes() {
            narrows_explicit::accepts(system, question)?;
            accepts_system(system)?;
            return if is_safety(question) { Ok(()) } else { Err(Refusal::new(ONLY_SAFETY)) };
        }
        if let Some(system) = model.synchronous() {
            return cluster_synchronous::accepts(system, question);
        }
        if *question == Question::Deadlock {
            return Ok(());
        }
        Err(Refusal::new("on several machines there are no formulas on labelled graphs, deadlocks alone"))
    }

    fn answer(
        &self,
        model: &Model,
        questions: &[Question],
        options: &CheckOptions<'_>,
        budget: &Budget,
    ) -> Result<Checked, Unanswered> {
        let elsewhere = options.elsewhere.ok_or_else(|| Refusal::new("no other machines are given"))?;
        match (model.processes(), model.labelled()) {
            (Some(system), _) => {
                let how = Options {
                    runs: options.more_runs.max(1),
                    reduce: !options.every_state,
                    ..Options::default()
                };
                let scope = SearchScope { elsewhere: Some(elsewhere), ..SearchScope::within(budget) };
                check(&executor(system, options.engine)?, questions, &how, &scope)
                    .map_err(|wrong| Unanswered::Internal(wrong.to_string()))
            }
            (None, Some(labelled)) => deadlocks(&*labelled.system, questions, elsewhere, budget),
            (None, None) => {
                cluster_synchronous::answer(super::synchronous(model)?, questions, elsewhere, budget)
            }
        }
    }
}

/// Refuses what is not state by state.
pub(crate) fn accepts_choice(choice: Choice) -> Result<(), Refusal> {
    match choice {
        Choice::Automatic | Choice::Native | Choice::Interpreter => Ok(()),
        _ => Err(Refusal::new(STATE_BY_STATE)),
    }
}

/// Refuses systems of which equal states may differ.
pub(crate) fn accepts_system(system: &System) -> Result<(), Refusal> {
    if Evaluator::new(system).hidden_bytes() > 0 { Err(Refusal::new(HIDDEN)) } else { Ok(()) }
}

/// Visits every state of a labelled system on several machines.
pub(crate) fn visit(system: &dyn LabelledSystem, elsewhere: &dyn Elsewhere, budget: &Budget) -> Exploration {
    let mut found = elsewhere.breadth_first(&system, &[], &SearchScope::within(budget));
    // As for a graph on one machine, where states are numbers.
    found.coverage.state_bytes = 0;
    let labels = std::mem::take(&mut found.labels);
    found.coverage.labels = labels.into_iter().map(|(label, count)| (system.label(&label), count)).collect();
    found
}

/// This machine, where a search can be saved and go on later.
pub(crate) struct Saved<'a>(pub(crate) &'a dyn Checkpoints);

impl Elsewhere for Saved<'_> {
    fn breadth_first(&self, space: &dyn StateSpace, goals: &[Goal], scope: &SearchScope<'_>) -> Exploration {
        breadth_first(space, goals, &SearchScope { checkpoints: Some(self.0), ..*scope })
    }
}

/// Returns why a search did not visit all states, if it didn't. After a fault, it says nothing.
pub(crate) fn ended(system: &dyn LabelledSystem, found: &Exploration) -> Result<Option<Limit>, GraphError> {
    let is_fault = |finding: &&Finding| matches!(finding.wrong, Wrong::Violation(_));
    if let Some(fault) = found.findings.iter().find(is_fault) {
        let states = fault.run.as_ref().and_then(|run| run.states(system, true));
        let state = states.as_ref().and_then(|states| states.last());
        if let Some(fault) = system.fault(state.map(Vec::as_slice)) {
            return Err(GraphError::Fault(fault));
        }
    }
    Ok(found.end.limit())
}

/// Looks for states of a labelled system without steps.
pub(super) fn deadlocks(
    system: &dyn LabelledSystem,
    questions: &[Question],
    elsewhere: &dyn Elsewhere,
    budget: &Budget,
) -> Result<Checked, Unanswered> {
    let found = visit(system, elsewhere, budget);
    match ended(system, &found) {
        Ok(_) => stuck(system, questions, found),
        Err(fault) => Ok(Checked { problems: Vec::new(), ..undecided(questions, &fault) }),
    }
}

/// Answers whether there are deadlocks by what a search without a fault has found.
pub(crate) fn stuck(
    system: &dyn LabelledSystem,
    questions: &[Question],
    found: Exploration,
) -> Result<Checked, Unanswered> {
    let limit = found.end.limit();
    let traces: Vec<Trace> = found.findings.iter().filter_map(|finding| replay(system, finding)).collect();
    if traces.len() != found.findings.iter().filter(|finding| finding.run.is_some()).count() {
        return Err(Unanswered::Internal("a run can't be replayed".to_owned()));
    }
    let mut traces = traces.into_iter();
    let verdict = match traces.next() {
        None => limit.map_or(Verdict::Holds, Verdict::Undecided),
        Some(trace) => Verdict::Fails { violation: None, trace: Box::new(trace), shortest: true },
    };
    let more: Vec<Counterexample> = traces.map(|trace| Counterexample { violation: None, trace }).collect();
    let answer =
        |question: &Question| Answer { more: more.clone(), ..Answer::new(question.clone(), verdict.clone()) };
    let replies = questions.iter().map(answer).map(Reply::from).collect();
    // Labels are told by `explore` alone.
    let coverage = Coverage { labels: Vec::new(), ..found.coverage };
    Ok(Checked { replies, coverage, limit, profile: found.profile, ..Checked::default() })
}

/// Says what goes wrong in a labelled system, as its graph does on one machine.
pub(crate) fn problems(model: &Model, found: &Exploration) -> Vec<Problem> {
    let stuck = found.findings.iter().filter_map(|finding| match &finding.wrong {
        Wrong::Deadlock(state) => Some(model.deadlock(state, finding.count)),
        Wrong::Violation(_) => None,
    });
    stuck.collect()
}

/// Follows the run to a deadlock in the system itself.
fn replay(system: &dyn LabelledSystem, finding: &Finding) -> Option<Trace> {
    let run = finding.run.as_ref()?;
    let mut scratch = Scratch::default();
    let (initial, _) = system.initial().ok()?;
    let mut trace = Trace { initial, ..Trace::default() };
    for choice in &run.choices {
        let mut steps = Vec::new();
        system.successors(trace.last_state(), &mut scratch, &mut |step| {
            steps.push((step.label.to_vec(), step.target.map(<[u8]>::to_vec)));
            std::ops::ControlFlow::Continue(())
        });
        let (label, target) = steps.into_iter().nth(*choice as usize)?;
        trace.steps.push(RunStep::labelled(&system.label(&label), *choice, target?));
    }
    match &finding.wrong {
        Wrong::Deadlock(state) if *state == trace.last_state() => Some(trace),
        _ => None,
    }
}
