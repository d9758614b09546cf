//! Synchronous systems state by state on several machines: deadlocks and invariants of states.
//!
//! The reference evaluator is the state space. An invariant that does not hold in a state is a violation of
//! every step that leads there.

use std::ops::ControlFlow;

use narrows_explicit::{Elsewhere, End, Exploration, Finding, SearchScope, Wrong};
use narrows_model::synchronous::{
    ExprId, Reference, Role, Run, Specification, SynchronousClaim, SynchronousSystem,
};
use narrows_model::{
    Answer, Coverage, Expansion, Limit, Model, Problem, Question, Refusal, Reply, Scratch, SetSize,
    StateSpace, Successor, Verdict, Violation, ViolationKind, Visit,
};

use crate::{Budget, Checked, Unanswered};

/// Returns why a question about a synchronous system is not for several machines, if it isn't.
pub(super) fn accepts(system: &SynchronousSystem, question: &Question) -> Result<(), Refusal> {
    match question {
        Question::Deadlock => Ok(()),
        Question::Property { index, .. } => match invariant(system, *index) {
            Some(_) => Ok(()),
            None => {
                Err(Refusal::new("on several machines there are deadlocks and invariants of states alone"))
            }
        },
        _ => Err(Refusal::new("on several machines there are deadlocks and invariants of states alone")),
    }
}

/// Returns the specification with this number, and what it demands, if that is an invariant of states.
fn invariant(system: &SynchronousSystem, index: usize) -> Option<(&Specification, ExprId)> {
    let specification = system.specifications.get(index)?;
    match specification.claim {
        SynchronousClaim::Invariant(root) if !system.is_of_step(root) => Some((specification, root)),
        _ => None,
    }
}

/// The states of a system, in some of which invariants do not hold.
struct Specified<'s> {
    reference: Reference<'s>,
    invariants: Vec<(ExprId, Violation)>,
}

impl Specified<'_> {
    fn violations(&self, state: &[u8]) -> Vec<Violation> {
        if self.invariants.is_empty() || self.reference.is_start(state) {
            return Vec::new();
        }
        let values = self.reference.unpack(state);
        let fails = |(root, _): &&(ExprId, Violation)| !self.reference.is_true(*root, &values);
        self.invariants.iter().filter(fails).map(|(_, violation)| *violation).collect()
    }
}

impl StateSpace for Specified<'_> {
    fn initial(&self) -> Result<(Vec<u8>, Vec<Violation>), Violation> {
        let (state, _) = self.reference.initial()?;
        let violations = self.violations(&state);
        Ok((state, violations))
    }

    fn successors(&self, state: &[u8], scratch: &mut Scratch, visit: &mut Visit<'_>) -> Expansion {
        self.reference.successors(state, scratch, &mut |step| {
            let violations = step.target.map(|target| self.violations(target)).unwrap_or_default();
            visit(Successor { violations: &violations, ..step })
        })
    }
}

/// Visits every state.
pub(crate) fn visit(system: &SynchronousSystem, elsewhere: &dyn Elsewhere, budget: &Budget) -> Exploration {
    search(system, &[], elsewhere, budget)
}

fn search(
    system: &SynchronousSystem,
    invariants: &[(usize, ExprId)],
    elsewhere: &dyn Elsewhere,
    budget: &Budget,
) -> Exploration {
    let violation = |(index, root): &(usize, ExprId)| {
        let span = system.specifications[*index].span;
        (*root, Violation { kind: ViolationKind::Assertion, span, pid: *index as u8 })
    };
    let reference = Reference::new(system);
    let space = Specified { reference, invariants: invariants.iter().map(violation).collect() };
    let mut found = elsewhere.breadth_first(&space, &[], &SearchScope::within(budget));
    let has_start = space.initial().is_ok_and(|(state, _)| space.reference.is_start(&state));
    found.coverage = coverage(system, &found, u64::from(has_start));
    found
}

/// Tells how many states there are, as sets of states do; what stands before the first ones is none.
fn coverage(system: &SynchronousSystem, found: &Exploration, start: u64) -> Coverage {
    let stored = system.variables.iter().filter(|variable| variable.role != Role::Input);
    let bits = stored.map(|variable| u64::from(128 - (variable.domain.len() - 1).leading_zeros())).sum();
    let is_whole = found.end == End::Complete;
    let sets = SetSize {
        states: is_whole.then(|| found.coverage.states.saturating_sub(start).to_string()),
        bits,
        depth: is_whole.then(|| found.coverage.depth.saturating_sub(start)),
    };
    Coverage { sets: Some(sets), bytes: found.coverage.bytes, ..Coverage::default() }
}

/// Returns the run of a finding: what is one of the system's.
fn run(space: &Specified<'_>, finding: &Finding) -> Option<Run> {
    let choices = &finding.run.as_ref()?.choices;
    // The last step of a violation leads to the state that shows it.
    let mut states = vec![space.initial().ok()?.0];
    let mut scratch = Scratch::default();
    for choice in choices {
        let (mut number, mut target) = (0, None);
        space.reference.successors(states.last()?, &mut scratch, &mut |step| {
            if number == *choice {
                target = step.target.map(<[u8]>::to_vec);
                return ControlFlow::Break(());
            }
            number += 1;
            ControlFlow::Continue(())
        });
        states.push(target?);
    }
    let mut run = Run::default();
    for state in states.iter().filter(|state| !space.reference.is_start(state)) {
        let after = space.reference.unpack(state);
        if let Some(before) = run.states.last_mut() {
            // Inputs that lead there.
            let mut inputs = None;
            space.reference.steps(&before.clone(), &mut |with_inputs, target| {
                let leads = space.reference.pack(target) == *state;
                if leads {
                    inputs = Some(with_inputs.to_vec());
                }
                !leads
            });
            *before = inputs?;
        }
        run.states.push(after);
    }
    (!run.states.is_empty()).then_some(run)
}

/// Answers questions by visiting every state.
pub(super) fn answer(
    system: &SynchronousSystem,
    questions: &[Question],
    elsewhere: &dyn Elsewhere,
    budget: &Budget,
) -> Result<Checked, Unanswered> {
    let asked = |question: &Question| match question {
        Question::Property { index, .. } => invariant(system, *index).map(|(_, root)| (*index, root)),
        _ => None,
    };
    let invariants: Vec<(usize, ExprId)> = questions.iter().filter_map(asked).collect();
    let found = search(system, &invariants, elsewhere, budget);
    let space = Specified { reference: Reference::new(system), invariants: Vec::new() };
    let mut replies = Vec::new();
    for question in questions {
        let (finding, specification) = match question {
            Question::Property { index, .. } => {
                let specification = &system.specifications[*index];
                let is_it = |finding: &&Finding| match &finding.wrong {
                    Wrong::Violation(violation) => violation.span == specification.span,
                    Wrong::Deadlock(_) => false,
                };
                (found.findings.iter().find(is_it), Some(specification))
            }
            _ => {
                let is_it = |finding: &&Finding| matches!(finding.wrong, Wrong::Deadlock(_));
                (found.findings.iter().find(is_it), None)
            }
        };
        let mut notes = Vec::new();
        if let (None, Some(finding)) = (specification, finding) {
            let is_start =
                matches!(&finding.wrong, Wrong::Deadlock(state) if space.reference.is_start(state));
            notes.push(if is_start {
                "There is no first state: whatever is claimed holds of nothing.".to_owned()
            } else {
                format!("States without a successor: {}.", finding.count)
            });
            if is_start {
                let verdict = Verdict::Fails { violation: None, trace: Box::default(), shortest: true };
                replies.push(Reply::from(Answer { notes, ..Answer::new(question.clone(), verdict) }));
                continue;
            }
        }
        let verdict = match finding {
            Some(finding) if finding.run.is_some() => {
                let trace = run(&space, finding).and_then(|run| run.replay(&space.reference, specification));
                let trace =
                    trace.ok_or_else(|| Unanswered::Internal("a run can't be replayed".to_owned()))?;
                Verdict::Fails { violation: None, trace: Box::new(trace), shortest: true }
            }
            None if found.end == End::Complete => Verdict::Holds,
            _ => Verdict::Undecided(found.end.limit().unwrap_or(Limit::Enough)),
        };
        replies.push(Reply::from(Answer { notes, ..Answer::new(question.clone(), verdict) }));
    }
    let limit = found.end.limit();
    Ok(Checked { replies, coverage: found.coverage, limit, profile: found.profile, ..Checked::default() })
}

/// Says what goes wrong, as sets of states do.
pub(crate) fn problems(model: &Model, found: &Exploration) -> Vec<Problem> {
    let stuck = found.findings.iter().filter_map(|finding| match &finding.wrong {
        Wrong::Deadlock(state) => Some(model.deadlock(state, 1)),
        Wrong::Violation(_) => None,
    });
    stuck.take(1).collect()
}
