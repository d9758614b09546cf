//! A run, replayed in the evaluator move by move, with what each move changed.

use std::fmt;
use std::ops::ControlFlow;
use std::sync::Arc;

use narrows_logic::{Lasso, Ltl};
use narrows_source::Span;

use crate::model::StepList;
use crate::synchronous::{Reference, Role, SynchronousSystem, Value, changes};
use crate::{
    Atom, Evaluator, Expansion, Form, Model, Move, MoveKind, Scratch, StateSpace, Successor, Violation,
};

/// A run from the initial state.
#[derive(Clone, Debug, Default)]
pub struct Trace {
    /// The initial state.
    pub initial: Vec<u8>,
    /// The steps.
    pub steps: Vec<RunStep>,
    /// For an endless run: the step that comes again after the last one. If there is no such step, the run
    /// stays in its last state for ever.
    pub cycle: Option<usize>,
    /// What the propositions of the formula are on the way.
    pub atoms: Vec<TraceAtom>,
    /// The time after each step, with its unit; empty if time does not count.
    pub times: Vec<String>,
    /// The part of it that is measured: from which state, by its number, to which; without an end if there is
    /// none.
    pub part: Option<(usize, Option<usize>)>,
}

/// A proposition along a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TraceAtom {
    /// What the text says.
    pub text: String,
    /// Where it is written.
    pub span: Span,
    /// Whether it holds: in the initial state, and after each step.
    pub values: Vec<bool>,
}

/// A step of a run, as little of it as tells the rest: runs may have millions. A [`Narrator`] says who did
/// what, and what it changed.
#[derive(Clone, Debug, Default)]
pub struct RunStep {
    /// What was done.
    pub done: Done,
    /// What went wrong.
    pub violations: Vec<Violation>,
    /// The state after it; the one before it, if something went so wrong that there is none.
    pub state: Vec<u8>,
}

/// What was done in a step of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Done {
    /// A process did something.
    Move(Move),
    /// Several did, or one did several things, in order.
    Moves(Box<[Move]>),
    /// All variables of a synchronous system changed at once. Its inputs had these values, in the order in
    /// which the system has them.
    Inputs(Box<[Value]>),
    /// Something of which the label is known.
    Label {
        /// The label.
        text: Arc<str>,
        /// The number of the step among those of its state.
        number: u32,
    },
}

impl Default for Done {
    fn default() -> Self {
        Done::Moves(Box::default())
    }
}

impl RunStep {
    /// Makes a step of which the moves are known.
    pub fn of_moves(moves: &[Move], violations: Vec<Violation>, state: Vec<u8>) -> RunStep {
        let done = match moves {
            [step] => Done::Move(*step),
            _ => Done::Moves(moves.into()),
        };
        RunStep { done, violations, state }
    }

    /// Makes a step of which the label is known, and its number among those of its state.
    pub fn labelled(text: &str, number: u32, state: Vec<u8>) -> RunStep {
        RunStep { done: Done::Label { text: text.into(), number }, violations: Vec::new(), state }
    }

    /// Returns the transitions that processes took.
    pub fn moves(&self) -> &[Move] {
        match &self.done {
            Done::Move(step) => std::slice::from_ref(step),
            Done::Moves(moves) => moves,
            Done::Inputs(_) | Done::Label { .. } => &[],
        }
    }

    /// Returns the label, if that is what is known of it.
    pub fn label(&self) -> Option<&str> {
        match &self.done {
            Done::Label { text, .. } => Some(text),
            _ => None,
        }
    }
}

/// Tells the steps of runs of a model.
pub struct Narrator<'m>(Telling<'m>);

enum Telling<'m> {
    Processes(Evaluator<'m>),
    Synchronous(Box<Reference<'m>>),
    Labelled,
}

impl<'m> Narrator<'m> {
    /// Begins to tell runs of a model.
    pub fn new(model: &'m Model) -> Narrator<'m> {
        Narrator(match &model.form {
            Form::Processes(system) => Telling::Processes(Evaluator::new(system)),
            Form::Synchronous(system) => Telling::Synchronous(Box::new(Reference::new(system))),
            Form::Labelled(_) => Telling::Labelled,
        })
    }

    /// Tells a step of a run, by its number from 0.
    pub fn step(&self, trace: &Trace, index: usize) -> TraceStep {
        let (before, step) = (trace.state(index), &trace.steps[index]);
        let (violations, state) = (step.violations.clone(), step.state.clone());
        match &self.0 {
            Telling::Processes(evaluator) => {
                evaluator.trace_step(before, step.moves(), violations, Some(state))
            }
            Telling::Synchronous(reference) => {
                let (mut old, new) = (reference.unpack(before), reference.unpack(&state));
                step.set_inputs(reference.system(), &mut old);
                let changes = changes(reference.system(), &old, &new);
                TraceStep { actions: Vec::new(), violations, state, changes }
            }
            Telling::Labelled => {
                let number = if let Done::Label { number, .. } = step.done { number } else { 0 };
                TraceStep::labelled(step.label().unwrap_or_default().to_owned(), number, state, violations)
            }
        }
    }

    /// Tells what was done in a step of a run, and nothing else.
    pub fn actions(&self, step: &RunStep) -> Vec<Action> {
        match &self.0 {
            Telling::Processes(evaluator) => step.moves().iter().map(|one| evaluator.action(*one)).collect(),
            Telling::Synchronous(_) | Telling::Labelled => Vec::new(),
        }
    }
}

impl RunStep {
    /// Gives the inputs among values the values that they had in this step.
    pub(crate) fn set_inputs(&self, system: &SynchronousSystem, values: &mut [Value]) {
        let Done::Inputs(inputs) = &self.done else { return };
        let places = system.variables.iter().zip(values).filter(|(variable, _)| variable.role == Role::Input);
        for ((_, value), input) in places.zip(inputs) {
            *value = *input;
        }
    }
}

/// One edge of the state space, told.
#[derive(Clone, Debug, Default)]
pub struct TraceStep {
    /// What was done, in order; nothing where all variables change at once.
    pub actions: Vec<Action>,
    /// What went wrong.
    pub violations: Vec<Violation>,
    /// The state after it; the one before it, if something went so wrong that there is none.
    pub state: Vec<u8>,
    /// What it changed.
    pub changes: Vec<Change>,
}

/// Something that was done in a step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Action {
    /// Which process did it; `None` if it is an action of the system as a whole.
    pub actor: Option<Actor>,
    /// The statement as the text has it, or the label.
    pub label: String,
    /// Where it is written.
    pub span: Span,
    /// Whether it only joins two locations, and says nothing by itself.
    pub is_glue: bool,
    /// Which of the things that could be done it is: what a replay needs.
    pub choice: Choice,
}

/// A process, as a run names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Actor {
    /// The name of its kind.
    pub name: String,
    /// Its number.
    pub number: usize,
}

impl fmt::Display for Actor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}({})", self.name, self.number)
    }
}

/// Identifies an action among those that a state allows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Choice {
    /// A transition of a process.
    Move(Move),
    /// The number of the step among those of its state.
    Number(u32),
}

impl Action {
    /// Returns the transition of a process that it is; `None` if it is none.
    pub fn transition(&self) -> Option<Move> {
        match self.choice {
            Choice::Move(step) => Some(step),
            Choice::Number(_) => None,
        }
    }
}

/// A variable, a channel or a process that is no longer what it was.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// Its name.
    pub name: String,
    /// Before; `None` if it was not there.
    pub before: Option<Shown>,
    /// After; `None` if it is gone.
    pub after: Option<Shown>,
}

/// A value as it is shown. Two are equal if they look the same: what was read from a file is only known as
/// text.
#[derive(Clone, Debug, Eq)]
pub struct Shown {
    /// What the model's author would write.
    pub text: String,
    /// The value itself, where it is a number, a truth value or a symbol.
    pub number: Option<i128>,
}

impl PartialEq for Shown {
    fn eq(&self, other: &Shown) -> bool {
        self.text == other.text
    }
}

impl fmt::Display for Shown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl<T: Into<String>> From<T> for Shown {
    fn from(text: T) -> Shown {
        Shown { text: text.into(), number: None }
    }
}

/// Says of the violations of a step whether it is the one that was meant.
type Wanted<'w> = &'w dyn Fn(&[Violation]) -> bool;

impl Trace {
    /// Replays a path of states; the last step may instead be one that ends in a fault or shows a violation,
    /// chosen by `last`. Returns `None` if the path is not one of the system's: then an engine is wrong.
    pub fn replay(evaluator: &Evaluator<'_>, path: &[Vec<u8>], last: Option<Wanted<'_>>) -> Option<Trace> {
        let (initial, _) = evaluator.initial().ok()?;
        if path.first() != Some(&initial) {
            return None;
        }
        let mut trace = Trace { initial, ..Trace::default() };
        for pair in path.windows(2) {
            let step = find_step(evaluator, &pair[0], |step| step.target == Some(pair[1].as_slice()))?;
            trace.steps.push(step);
        }
        if let Some(last) = last {
            let state = path.last()?;
            let step = find_step(evaluator, state, |step| last(step.violations))?;
            trace.steps.push(step);
        }
        Some(trace)
    }

    /// Follows a run step by step, each given by its moves. Returns `None` if it is not one of the system's.
    pub fn follow(evaluator: &Evaluator<'_>, steps: &[&[Move]]) -> Option<Trace> {
        let (initial, _) = evaluator.initial().ok()?;
        let mut trace = Trace { initial, ..Trace::default() };
        for moves in steps {
            let leads_on = |found: &Successor<'_>| found.moves == *moves && found.target.is_some();
            let step = find_step(evaluator, trace.last_state(), leads_on)?;
            trace.steps.push(step);
        }
        Some(trace)
    }

    /// Returns the state after the given number of steps.
    pub fn state(&self, steps: usize) -> &[u8] {
        steps.checked_sub(1).map_or(&self.initial, |last| &self.steps[last].state)
    }

    /// Returns what propositions are along the run, each once.
    pub fn propositions(&self, evaluator: &Evaluator<'_>, atoms: Vec<&Atom>) -> Vec<TraceAtom> {
        let mut list: Vec<TraceAtom> = Vec::new();
        for atom in atoms {
            if !list.iter().any(|known| known.text == atom.text) {
                let value = |steps| evaluator.holds(&atom.expr, self.state(steps)).unwrap_or(false);
                let values = (0..=self.steps.len()).map(value).collect();
                list.push(TraceAtom { text: atom.text.clone(), span: atom.span, values });
            }
        }
        list
    }

    /// Returns whether a formula, whose propositions are told, holds on an endless run; `None` if the run
    /// ends.
    pub fn satisfies(&self, formula: &Ltl<Atom>) -> Option<bool> {
        let start = self.cycle?;
        // The state after the last step is the one the cycle starts from, unless the run stays there.
        let length = if start == self.steps.len() { start + 1 } else { self.steps.len() };
        let word = Lasso { letters: (0..length).collect(), cycle: start };
        let values = |atom: &Atom| self.atoms.iter().find(|other| other.text == atom.text);
        let holds = |atom: &Atom, place: &usize| values(atom).is_some_and(|atom| atom.values[*place]);
        Some(word.satisfies(formula, &holds))
    }

    /// Returns the state after the last step.
    pub fn last_state(&self) -> &[u8] {
        self.steps.last().map_or(&self.initial, |step| &step.state)
    }
}

fn find_step(
    evaluator: &Evaluator<'_>,
    state: &[u8],
    wanted: impl Fn(&Successor<'_>) -> bool,
) -> Option<RunStep> {
    let mut found = None;
    let mut scratch = Scratch::default();
    evaluator.successors(state, &mut scratch, &mut |successor| {
        if wanted(&successor) {
            let target = successor.target.unwrap_or(state).to_vec();
            found = Some(RunStep::of_moves(successor.moves, successor.violations.to_vec(), target));
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    });
    found
}

impl Evaluator<'_> {
    /// Describes a step for people.
    pub fn trace_step(
        &self,
        before: &[u8],
        moves: &[Move],
        violations: Vec<Violation>,
        target: Option<Vec<u8>>,
    ) -> TraceStep {
        let state = target.unwrap_or_else(|| before.to_vec());
        let changes = self.changes(before, &state);
        let actions = moves.iter().map(|step| self.action(*step)).collect();
        TraceStep { actions, violations, state, changes }
    }

    fn action(&self, step: Move) -> Action {
        let proctype = self.system().proctype(step.proctype);
        let transition = proctype.transition(step.transition);
        Action {
            actor: Some(Actor { name: proctype.name.clone(), number: usize::from(step.pid) }),
            label: transition.text.clone(),
            span: transition.span,
            is_glue: transition.is_glue && step.kind == MoveKind::Alone,
            choice: Choice::Move(step),
        }
    }

    /// Returns the number of a step among the successors of a state, counted from 0; `None` for the beginning
    /// of an atomic sequence.
    pub(crate) fn choice(&self, before: &[u8], step: &RunStep) -> Option<u32> {
        let moves = step.moves();
        let mut index = 0;
        let mut found = None;
        self.successors(before, &mut Scratch::default(), &mut |successor| {
            if successor.moves == moves
                && successor.target.unwrap_or(before) == step.state
                && successor.violations == step.violations
            {
                found = Some(index);
                return ControlFlow::Break(());
            }
            index += 1;
            ControlFlow::Continue(())
        });
        found
    }

    /// Returns every step that a state allows, in order, unless there are too many, and whether it is a dead
    /// end.
    pub fn steps(&self, state: &[u8]) -> (Vec<TraceStep>, Expansion) {
        let mut list = StepList::default();
        let mut scratch = Scratch::default();
        let expansion = self.successors(state, &mut scratch, &mut |successor| {
            let violations = successor.violations.to_vec();
            let target = successor.target.map(<[u8]>::to_vec);
            list.add(self.trace_step(state, successor.moves, violations, target))
        });
        (list.steps, expansion)
    }
}

impl TraceStep {
    /// Returns the actions that say something: without the ones that only join two locations.
    pub fn visible_actions(&self) -> impl Iterator<Item = &Action> {
        let all_glue = self.actions.iter().all(|action| action.is_glue);
        self.actions.iter().filter(move |action| all_glue || !action.is_glue)
    }

    /// Returns the transitions that processes took.
    pub fn moves(&self) -> Vec<Move> {
        self.actions.iter().filter_map(Action::transition).collect()
    }

    /// Returns what a run keeps of it.
    pub fn kept(&self) -> RunStep {
        let (violations, state) = (self.violations.clone(), self.state.clone());
        match self.actions.first().map(|action| action.choice) {
            Some(Choice::Number(number)) => {
                RunStep { violations, ..RunStep::labelled(&self.actions[0].label, number, state) }
            }
            Some(Choice::Move(_)) => RunStep::of_moves(&self.moves(), violations, state),
            // Inputs are told first, and have no value before.
            None => {
                let inputs = self.changes.iter().filter(|change| change.before.is_none());
                let values = inputs.filter_map(|change| change.after.as_ref()?.number).collect();
                RunStep { done: Done::Inputs(values), violations, state }
            }
        }
    }
}
