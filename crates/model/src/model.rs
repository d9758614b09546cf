//! A model that was read: one type for all languages, over the three forms that systems have.
//!
//! Engines, studies, simulators and reports take a [`Model`]. What depends on its form is decided here and in
//! the engines, each of which says which models it accepts.

use std::fmt;
use std::ops::ControlFlow;
use std::sync::Arc;

use narrows_source::{FileId, Sources, Span};

use crate::behaviour::Fault;
use crate::synchronous::{Reference, Role, SynchronousSystem, Value, Variable, changes};
use crate::{
    Action, Change, Choice, Components, Done, Evaluator, Event, Expansion, Move, Problem, Question, Refusal,
    RunStep, Scratch, Shown, StateSpace, System, TraceStep, Violation,
};

/// A model, with its text.
#[derive(Clone, Debug)]
pub struct Model {
    /// Its name, as the user gave it: mostly the name of its file.
    pub name: String,
    /// The language it is written in, such as `Promela`.
    pub language: &'static str,
    /// The texts it was read from.
    pub sources: Sources,
    /// The values that the user gave to names, as in `-D`.
    pub definitions: Vec<String>,
    /// What it is.
    pub form: Form,
}

/// The forms that systems have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FormKind {
    /// Processes with statements.
    Processes,
    /// Variables that all change at once.
    Synchronous,
    /// Steps with labels.
    Labelled,
}

/// What a system is.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Form {
    /// Processes with statements, which interleave.
    Processes(Box<System>),
    /// Variables that all take their next values at once.
    Synchronous(Box<SynchronousSystem>),
    /// States of which nothing is known but the labels of the steps between them.
    Labelled(Box<Labelled>),
}

impl Form {
    /// Returns which form it is.
    pub fn kind(&self) -> FormKind {
        match self {
            Form::Processes(_) => FormKind::Processes,
            Form::Synchronous(_) => FormKind::Synchronous,
            Form::Labelled(_) => FormKind::Labelled,
        }
    }
}

/// A labelled system, and what is asked about its labels.
#[derive(Clone, Debug)]
pub struct Labelled {
    /// The system.
    pub system: Arc<dyn LabelledSystem>,
    /// Formulas about its labels; whoever answers them reads them.
    pub formulas: Vec<LabelFormula>,
}

/// A formula about labels.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LabelFormula {
    /// The logic: `mu` or `ltl`.
    pub kind: &'static str,
    /// The text, which is a file of the model's sources.
    pub file: FileId,
    /// The text on one line.
    pub name: String,
}

/// A state space whose steps are told by their labels.
pub trait LabelledSystem: StateSpace + fmt::Debug + Send {
    /// Writes the label of a step as text.
    fn label(&self, label: &[u8]) -> String;

    /// Describes a state: its parts, each with its place in the text and its values.
    fn describe(&self, state: &[u8]) -> Vec<StatePart>;

    /// Says why a state has no steps; `None` if nothing is wrong with it. Without a state, it is about the
    /// first one.
    fn fault(&self, state: Option<&[u8]>) -> Option<Fault>;

    /// Starts to number all states.
    fn unfold(&self) -> Result<Box<dyn Unfold + '_>, Fault>;

    /// Takes it apart into components.
    fn components(&self) -> Box<dyn Components + '_>;
}

/// Numbers the states of a labelled system in the order in which they are found.
pub trait Unfold {
    /// Returns how many states have been found.
    fn states(&self) -> u32;

    /// Finds the steps of a state.
    fn expand(&mut self, state: u32) -> Result<(), Fault>;

    /// Returns the steps that were found last: the number of the label, and the state it leads to.
    fn edges(&self) -> &[(u32, u32)];

    /// Returns the text of a label.
    fn label(&self, label: u32) -> String;

    /// Returns how many bytes are in use.
    fn bytes(&self) -> u64;

    /// Returns whether no more states can be numbered.
    fn is_full(&self) -> bool;
}

/// A part of a state, such as a process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StatePart {
    /// Where it stands in the text; `None` if it has no place.
    pub span: Option<Span>,
    /// Its values.
    pub values: String,
}

/// A process that can't move, or some other part of a state that waits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Waiting {
    /// Which.
    pub process: String,
    /// Where it stands in the text.
    pub span: Span,
    /// Whether it may end there.
    pub may_end: bool,
    /// The statements it stands before: where each is, its text, and why it can't be executed.
    pub statements: Vec<(Span, String, String)>,
}

impl Model {
    /// Returns the system if it has processes.
    pub fn processes(&self) -> Option<&System> {
        match &self.form {
            Form::Processes(system) => Some(system),
            _ => None,
        }
    }

    /// Returns the system if it is synchronous.
    pub fn synchronous(&self) -> Option<&SynchronousSystem> {
        match &self.form {
            Form::Synchronous(system) => Some(system),
            _ => None,
        }
    }

    /// Returns why there are no messages between processes that could be drawn, if there are none.
    pub fn draws_messages(&self) -> Result<(), Refusal> {
        let why = match &self.form {
            Form::Processes(_) => return Ok(()),
            Form::Synchronous(_) => "all variables of a synchronous system take their next values at once",
            Form::Labelled(_) => "labels do not tell who takes part in a step",
        };
        Err(Refusal::new(format!("there are no messages between processes: {why}")))
    }

    /// Returns the system if only labels are known of its steps.
    pub fn labelled(&self) -> Option<&Labelled> {
        match &self.form {
            Form::Labelled(labelled) => Some(labelled),
            _ => None,
        }
    }

    /// Returns its states, and how they follow each other: what the model means.
    pub fn space(&self) -> Box<dyn StateSpace + '_> {
        match &self.form {
            Form::Processes(system) => Box::new(Evaluator::new(system)),
            Form::Synchronous(system) => Box::new(Reference::new(system)),
            Form::Labelled(labelled) => Box::new(&*labelled.system),
        }
    }

    /// Returns every question that its text asks.
    pub fn questions(&self) -> Vec<Question> {
        match &self.form {
            Form::Processes(system) => Question::all(system),
            Form::Synchronous(system) => system.questions(),
            Form::Labelled(labelled) => {
                let property = |(index, formula): (usize, &LabelFormula)| Question::Property {
                    index,
                    kind: formula.kind,
                    name: formula.name.clone(),
                };
                let formulas = labelled.formulas.iter().enumerate().map(property);
                std::iter::once(Question::Deadlock).chain(formulas).collect()
            }
        }
    }

    /// Returns where the property that a question is about is written, if it has a place.
    pub fn place_of(&self, question: &Question) -> Option<Span> {
        let Question::Property { index, .. } = question else { return None };
        match &self.form {
            Form::Processes(system) => system.properties.get(*index).map(|property| property.span),
            Form::Synchronous(system) => system.specifications.get(*index).map(|found| found.span),
            Form::Labelled(_) => None,
        }
    }

    /// Returns every step that a state allows, in order, and whether it is a dead end.
    pub fn steps(&self, state: &[u8]) -> (Vec<TraceStep>, Expansion) {
        match &self.form {
            Form::Processes(system) => Evaluator::new(system).steps(state),
            Form::Synchronous(system) => synchronous_steps(system, state),
            Form::Labelled(labelled) => labelled_steps(&*labelled.system, state),
        }
    }

    /// Returns whether a state is none, but what stands before all first states: its steps are those states.
    pub fn is_start(&self, state: &[u8]) -> bool {
        self.synchronous().is_some_and(|system| Reference::new(system).is_start(state))
    }

    /// Returns the number of a step among those of the state before it, counted from 0; `None` if it is none
    /// of them, or they are not told apart by numbers.
    pub fn choice(&self, before: &[u8], step: &RunStep) -> Option<u32> {
        match &self.form {
            Form::Processes(system) => Evaluator::new(system).choice(before, step),
            Form::Synchronous(_) => None,
            Form::Labelled(_) => match step.done {
                Done::Label { number, .. } => Some(number),
                _ => None,
            },
        }
    }

    /// Returns what is sent, received and printed in a step, in order.
    pub fn events(&self, before: &[u8], moves: &[Move]) -> Vec<Event> {
        match &self.form {
            Form::Processes(system) => Evaluator::new(system).events(before, moves),
            Form::Synchronous(_) | Form::Labelled(_) => Vec::new(),
        }
    }

    /// Describes a deadlock in so many states, of which this is one.
    pub fn deadlock(&self, state: &[u8], count: u64) -> Problem {
        match &self.form {
            Form::Processes(system) => Evaluator::new(system).deadlock(state, count),
            _ => Problem::deadlock(&self.waiting(state), "there is a state without a successor", count),
        }
    }

    /// Returns what can't move in a state, and why.
    pub fn waiting(&self, state: &[u8]) -> Vec<Waiting> {
        match &self.form {
            Form::Processes(system) => Evaluator::new(system).waiting(state),
            Form::Synchronous(_) => Vec::new(),
            Form::Labelled(labelled) => {
                let waiting = |(number, part): (usize, StatePart)| {
                    let values =
                        if part.values.is_empty() { String::new() } else { format!(" ({})", part.values) };
                    Some(Waiting {
                        process: format!("process {}{values}", number + 1),
                        span: part.span?,
                        may_end: false,
                        statements: Vec::new(),
                    })
                };
                labelled.system.describe(state).into_iter().enumerate().filter_map(waiting).collect()
            }
        }
    }
}

/// With free inputs, or choices inside an atomic sequence, a state may have more steps than can be listed: so
/// many are,
const MAX_LISTED_STEPS: usize = 10_000;

/// and so many actions and changes.
const MAX_LISTED_PARTS: usize = 500_000;

/// Returns whether a list of steps ends because there are too many.
pub fn is_cut_short(steps: &[TraceStep]) -> bool {
    let parts = || steps.iter().map(|step| step.actions.len() + step.changes.len()).sum::<usize>();
    steps.len() >= MAX_LISTED_STEPS || parts() >= MAX_LISTED_PARTS
}

/// Steps of a state, as many as can be listed.
#[derive(Default)]
pub(crate) struct StepList {
    pub(crate) steps: Vec<TraceStep>,
    parts: usize,
}

impl StepList {
    /// Adds a step; breaks off after the last one that can be listed.
    pub(crate) fn add(&mut self, step: TraceStep) -> ControlFlow<()> {
        self.parts += step.actions.len() + step.changes.len();
        self.steps.push(step);
        if self.steps.len() < MAX_LISTED_STEPS && self.parts < MAX_LISTED_PARTS {
            ControlFlow::Continue(())
        } else {
            ControlFlow::Break(())
        }
    }
}

fn synchronous_steps(system: &SynchronousSystem, state: &[u8]) -> (Vec<TraceStep>, Expansion) {
    let reference = Reference::new(system);
    let mut list = StepList::default();
    let mut add = |after: &[Value], changes| {
        let step = TraceStep { state: reference.pack(after), changes, ..TraceStep::default() };
        list.add(step).is_continue()
    };
    if reference.is_start(state) {
        reference.initial_states(&mut |first| add(first, first_values(system, first)));
    } else {
        let values = reference.unpack(state);
        reference.steps(&values, &mut |before, after| add(after, changes(system, before, after)));
    }
    let expansion = if list.steps.is_empty() { Expansion::Deadlock } else { Expansion::Moves };
    (list.steps, expansion)
}

/// Tells all values of a first state, as what the step to it sets.
fn first_values(system: &SynchronousSystem, state: &[Value]) -> Vec<Change> {
    let kept = system.variables.iter().zip(state).filter(|(variable, _)| variable.role != Role::Input);
    let change = |(variable, value): (&Variable, &Value)| {
        let text = system.show(*value, variable.display);
        let after = Some(Shown { text, number: Some(*value) });
        Change { name: variable.name.clone(), before: None, after }
    };
    kept.map(change).collect()
}

fn labelled_steps(system: &dyn LabelledSystem, state: &[u8]) -> (Vec<TraceStep>, Expansion) {
    let mut list = StepList::default();
    let expansion = system.successors(state, &mut Scratch::default(), &mut |successor| {
        let violations: Vec<Violation> = successor.violations.to_vec();
        let target = successor.target.unwrap_or(state).to_vec();
        let label = system.label(successor.label);
        list.add(TraceStep::labelled(label, list.steps.len() as u32, target, violations))
    });
    (list.steps, expansion)
}

impl TraceStep {
    /// Makes a step of which the label is known, and its number among those of its state.
    pub fn labelled(label: String, number: u32, state: Vec<u8>, violations: Vec<Violation>) -> TraceStep {
        let choice = Choice::Number(number);
        let action = Action { actor: None, label, span: Span::default(), is_glue: false, choice };
        TraceStep { actions: vec![action], violations, state, changes: Vec::new() }
    }
}
