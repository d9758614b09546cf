//! What goes wrong, each place once, with a run that shows it.

use std::io;
use std::ops::ControlFlow;

use narrows_model::{Question, Scratch, StateSpace, Successor, Violation, ViolationKind};
use narrows_source::Span;
use rustc_hash::FxHashMap;

use crate::checkpoint::{Input, Output, Unloaded, wrong};

/// Something that goes wrong.
#[derive(Clone, Debug)]
pub struct Finding {
    /// What.
    pub wrong: Wrong,
    /// How many edges or states show it.
    pub count: u64,
    /// The first run that shows it; not kept for every deadlock.
    pub run: Option<Run>,
}

/// What can go wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Wrong {
    /// A step goes wrong.
    Violation(Violation),
    /// Nothing can move in this state.
    Deadlock(Vec<u8>),
}

impl Wrong {
    /// Returns the question that it answers.
    pub fn question(&self) -> Question {
        match self {
            Wrong::Deadlock(_) => Question::Deadlock,
            Wrong::Violation(violation) if violation.kind == ViolationKind::Assertion => Question::Assertions,
            Wrong::Violation(_) => Question::Faults,
        }
    }
}

/// A run as the successor that was chosen at each state, counted from 0; the last one shows a violation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Run {
    /// The choices.
    pub choices: Vec<u32>,
}

impl Run {
    /// Returns the run through some states; at the last of them, it ends with a step that shows violations,
    /// if any.
    pub(crate) fn through<'a, S: StateSpace + ?Sized>(
        space: &S,
        states: impl Iterator<Item = &'a [u8]>,
        violations: &[Violation],
    ) -> Run {
        let mut scratch = Scratch::default();
        let mut choices = Vec::new();
        let mut before: Option<&[u8]> = None;
        for state in states {
            if let Some(before) = before {
                choices.push(position(space, before, &mut scratch, |step| step.target == Some(state)));
            }
            before = Some(state);
        }
        if let Some(before) = before.filter(|_| !violations.is_empty()) {
            choices.push(position(space, before, &mut scratch, |step| step.violations == violations));
        }
        Run { choices }
    }

    /// Returns the states of the run. The last choice adds none if its step ends in a fault, nor if
    /// `violation`: then it is the step to be shown. `None` if there is no such run.
    pub fn states<S: StateSpace + ?Sized>(&self, space: &S, violation: bool) -> Option<Vec<Vec<u8>>> {
        let mut states = vec![space.initial().ok()?.0];
        let steps = self.choices.len() - usize::from(violation && !self.choices.is_empty());
        let mut scratch = Scratch::default();
        for choice in &self.choices[..steps] {
            let next = nth_successor(space, states.last()?, *choice, &mut scratch)?;
            states.push(next);
        }
        Some(states)
    }
}

/// Returns the number of the first successor of a state that is looked for.
fn position<S: StateSpace + ?Sized>(
    space: &S,
    state: &[u8],
    scratch: &mut Scratch,
    looked_for: impl Fn(&Successor<'_>) -> bool,
) -> u32 {
    let mut number = 0;
    space.successors(state, scratch, &mut |successor| {
        if looked_for(&successor) {
            return ControlFlow::Break(());
        }
        number += 1;
        ControlFlow::Continue(())
    });
    number
}

fn nth_successor<S: StateSpace + ?Sized>(
    space: &S,
    state: &[u8],
    choice: u32,
    scratch: &mut Scratch,
) -> Option<Vec<u8>> {
    let mut found = None;
    let mut index = 0;
    space.successors(state, scratch, &mut |successor| {
        if index == choice {
            found = successor.target.map(<[u8]>::to_vec);
            return ControlFlow::Break(());
        }
        index += 1;
        ControlFlow::Continue(())
    });
    found
}

/// Beyond this many kinds of deadlock, the others are counted with the first.
const MAX_DEADLOCKS: usize = 1000;

/// Collects findings.
#[derive(Clone, Debug, Default)]
pub(crate) struct Findings {
    list: Vec<Finding>,
    violations: FxHashMap<(ViolationKind, Span), usize>,
    deadlocks: FxHashMap<Vec<u8>, usize>,
    first_deadlock: Option<usize>,
    questions: Vec<Question>,
}

impl Findings {
    /// Adds violations that one edge shows; a violation counts once for each edge.
    pub(crate) fn add(&mut self, violations: &[Violation], run: impl Fn() -> Run) {
        for (position, violation) in violations.iter().enumerate() {
            let key = (violation.kind, violation.span);
            if violations[..position].iter().any(|earlier| (earlier.kind, earlier.span) == key) {
                continue;
            }
            let next = self.list.len();
            let index = *self.violations.entry(key).or_insert(next);
            if index == next {
                let wrong = Wrong::Violation(*violation);
                self.push(Finding { wrong, count: 1, run: Some(run()) });
            } else {
                self.list[index].count += 1;
            }
        }
    }

    /// Adds a deadlock; those that differ in data alone count as one.
    pub(crate) fn add_deadlock(&mut self, control: &[u8], state: &[u8], run: impl FnOnce() -> Run) {
        if let Some(index) = self.deadlocks.get(control) {
            self.list[*index].count += 1;
            return;
        }
        if let (Some(first), true) = (self.first_deadlock, self.deadlocks.len() >= MAX_DEADLOCKS) {
            self.list[first].count += 1;
            return;
        }
        self.deadlocks.insert(control.to_vec(), self.list.len());
        let run = self.first_deadlock.is_none().then(run);
        self.first_deadlock.get_or_insert(self.list.len());
        self.push(Finding { wrong: Wrong::Deadlock(state.to_vec()), count: 1, run });
    }

    fn push(&mut self, finding: Finding) {
        let question = finding.wrong.question();
        if !self.questions.contains(&question) {
            self.questions.push(question);
        }
        self.list.push(finding);
    }

    /// Returns whether something answers a question.
    pub(crate) fn answers(&self, question: &Question) -> bool {
        self.questions.contains(question)
    }

    pub(crate) fn into_list(self) -> Vec<Finding> {
        self.list
    }
}

impl Findings {
    /// Writes everything.
    pub(crate) fn save(&self, output: &mut Output<'_>) -> io::Result<()> {
        output.number(self.list.len() as u64)?;
        for Finding { wrong, count, run } in &self.list {
            match wrong {
                Wrong::Violation(violation) => {
                    output.number(0)?;
                    output.violation(violation)?;
                }
                Wrong::Deadlock(state) => {
                    output.number(1)?;
                    output.bytes(state)?;
                }
            }
            output.number(*count)?;
            let choices = run.as_ref().map(|run| &run.choices);
            output.number(choices.map_or(0, |choices| choices.len() as u64 + 1))?;
            for choice in choices.into_iter().flatten() {
                output.number(u64::from(*choice))?;
            }
        }
        Ok(())
    }

    /// Reads what was written about the same states.
    pub(crate) fn load<S: StateSpace + ?Sized>(
        input: &mut Input<'_>,
        space: &S,
    ) -> Result<Findings, Unloaded> {
        let mut findings = Findings::default();
        for index in 0..input.small()? {
            let wrong = match input.number()? {
                0 => {
                    let violation = input.violation()?;
                    findings.violations.insert((violation.kind, violation.span), index);
                    Wrong::Violation(violation)
                }
                1 => {
                    let (mut state, mut control) = (Vec::new(), Vec::new());
                    input.bytes(&mut state)?;
                    space.control(&state, &mut control);
                    findings.deadlocks.insert(control, index);
                    findings.first_deadlock.get_or_insert(index);
                    Wrong::Deadlock(state)
                }
                _ => return Err(wrong("a finding")),
            };
            let count = input.number()?;
            let mut run = None;
            if let Some(length) = input.number()?.checked_sub(1) {
                let choices = (0..length).map(|_| input.small()).collect::<Result<_, _>>()?;
                run = Some(Run { choices });
            }
            findings.push(Finding { wrong, count, run });
        }
        Ok(findings)
    }
}
