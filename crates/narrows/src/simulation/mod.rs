//! Runs that are made step by step, forwards and backwards, for models in all languages. Nothing here knows
//! a terminal.
//!
//! A [`Session`] is a run, where it is now, and where it can go. A [`Recording`] is a run that was saved;
//! [`text`] tells steps and states in lines, [`Session::why_not`] says why something can't be done.
//!
//! ```
//! use narrows::{NoFiles, Options, read, simulation::Session};
//!
//! let text = "byte x; active proctype P() { x = 1; x = 2 }";
//! let model = read("example.pml", text.to_owned(), &NoFiles, &Options::default()).expect("a model").model;
//! let mut session = Session::new(&model, 1).expect("a first state");
//! assert!(session.choose(0));
//! assert_eq!(session.entries()[0].value, "1");
//! ```

mod clock;
mod moves;
mod places;
mod recording;
mod replay_error;
pub mod text;
mod trail;
mod why;

use std::collections::BTreeSet;

use narrows_graph::Random;
use narrows_languages::lotos;
use narrows_model::behaviour::{Behaviour, Fault};
use narrows_model::synchronous::{Evaluation, Moment, Reference, Role, Run};
use narrows_model::{
    EntryGroup, Event, Expansion, Model, StateEntry, Trace, TraceAtom, TraceStep, Violation, is_cut_short,
};
use narrows_report::{Chart, RecordedAtom, chart_lines};
use narrows_source::{Diagnostic, FileId, Sources, Span};

pub use clock::{Clock, Due};
use places::place;
pub use recording::{Recording, UnreadTrail};
pub use replay_error::{ReplayError, StepError};
pub use why::Reason;

/// A run, where it is now, and where it can go.
#[derive(Debug)]
pub struct Session<'m> {
    model: &'m Model,
    start: Vec<u8>,
    start_violations: Vec<Violation>,
    /// Every step that was taken, also those that were taken back. Where several states can be the first, the
    /// first of them is the choice of one.
    history: Vec<Taken>,
    /// How many of them led to the current state.
    here: usize,
    /// How many of them are the choice of a first state: 0 or 1.
    first: usize,
    /// How many steps were taken before `start`.
    forgotten: usize,
    /// What can be done now.
    steps: Vec<TraceStep>,
    expansion: Expansion,
    /// Why it is not known what can be done.
    fault: Option<Fault>,
    random: Random,
    cycle: Option<usize>,
    /// What the propositions of a formula are along a recorded run.
    atoms: Vec<RecordedAtom>,
    breakpoints: BTreeSet<(FileId, usize)>,
}

/// A step that was taken.
#[derive(Clone, Debug)]
pub struct Taken {
    /// The step.
    pub step: TraceStep,
    /// What happened in it, in order.
    pub events: Vec<Event>,
    /// Its number among the steps that could be taken; `None` if a replay took one that is not among them.
    pub choice: Option<usize>,
}

/// How things stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// The run can go on.
    Running,
    /// Nothing can move, and that is as it should be.
    Ended,
    /// Nothing can move, but something is not where it may end.
    Deadlock,
    /// The last step was one after which nothing can follow.
    Faulted,
}

/// Why a series of random steps stopped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stop {
    /// As many steps were taken as were asked for.
    Count,
    /// The run can't go on.
    Status(Status),
    /// Something went wrong in the last step.
    Wrong(String),
    /// A process came to a line where the user wants to stop.
    Breakpoint,
    /// What was waited for happened.
    Reached,
}

/// Why a run can't begin.
#[derive(Clone, Debug)]
pub struct NoStart {
    /// What is wrong.
    pub message: String,
    /// Where, if the text is to be shown.
    pub diagnostic: Option<Box<Diagnostic>>,
}

impl<'m> Session<'m> {
    /// Starts in the initial state; where there are several, choosing one of them is what can be done first.
    ///
    /// # Errors
    ///
    /// Says why there is no initial state.
    pub fn new(model: &'m Model, seed: u64) -> Result<Self, NoStart> {
        if let Some(fault) = model.labelled().and_then(|labelled| labelled.system.fault(None)) {
            let diagnostic = Some(Box::new(lotos::fault(&fault)));
            return Err(NoStart { message: Behaviour::fault_text(&fault), diagnostic });
        }
        let (start, start_violations) = model.space().initial().map_err(|violation| {
            let (what, place) = (violation.kind.message(), place(&model.sources, violation.span));
            NoStart { message: format!("there is no initial state: {what} at {place}"), diagnostic: None }
        })?;
        let first = usize::from(model.is_start(&start));
        let mut session = Session {
            model,
            start,
            start_violations,
            history: Vec::new(),
            here: 0,
            first,
            forgotten: 0,
            steps: Vec::new(),
            expansion: Expansion::Moves,
            fault: None,
            random: Random::new(seed),
            cycle: None,
            atoms: Vec::new(),
            breakpoints: BTreeSet::new(),
        };
        session.look_around();
        if session.is_before_first() && session.steps.is_empty() {
            let message = "there is no first state: the constraints on it contradict each other".to_owned();
            return Err(NoStart { message, diagnostic: None });
        }
        Ok(session)
    }

    /// Returns the model.
    pub fn model(&self) -> &'m Model {
        self.model
    }

    /// Returns the texts of the model.
    pub fn sources(&self) -> &'m Sources {
        &self.model.sources
    }

    /// Returns the current state.
    pub fn state(&self) -> &[u8] {
        self.state_at(self.here)
    }

    fn state_at(&self, here: usize) -> &[u8] {
        match here.checked_sub(1) {
            Some(index) => &self.history[index].step.state,
            None => &self.start,
        }
    }

    /// Returns the state before the last step, if one was taken since the first state.
    fn before(&self) -> Option<&[u8]> {
        (self.here > self.first).then(|| self.state_at(self.here - 1))
    }

    /// Returns whether a first state is still to be chosen.
    pub fn is_before_first(&self) -> bool {
        self.here < self.first
    }

    /// Returns everything that has a value now; nothing before a first state was chosen.
    pub fn entries(&self) -> Vec<StateEntry> {
        self.model.entries(self.state())
    }

    /// Returns what has a value now, each with whether the last step changed it.
    pub fn changed_entries(&self) -> Vec<(StateEntry, bool)> {
        let before = self.before().map(|state| self.model.entries(state));
        let mut number = 0;
        let entries = self.entries().into_iter().map(|entry| {
            let is_new = before.as_ref().is_some_and(|before| !before.contains(&entry));
            let is_process = entry.group == EntryGroup::Process;
            let acts = is_process && self.acts(number);
            number += usize::from(is_process);
            (entry, is_new || acts)
        });
        entries.collect()
    }

    /// Returns the processes of the current state, with their places.
    pub fn processes(&self) -> Vec<StateEntry> {
        self.entries().into_iter().filter(|entry| entry.group == EntryGroup::Process).collect()
    }

    /// Returns names for values that depend on the current state, with those values.
    pub fn definitions(&self) -> Vec<(String, String)> {
        let Some(system) = self.model.synchronous().filter(|_| !self.is_before_first()) else {
            return Vec::new();
        };
        let state = Reference::new(system).unpack(self.state());
        let mut evaluation = Evaluation::new(system);
        let is_known = |id| system.variable(id).role != Role::Input;
        let known =
            system.definitions.iter().filter(|one| system.looks_at(one.value).0.into_iter().all(is_known));
        let shown = known.map(|one| {
            let value = evaluation.value(one.value, Moment::still(&state));
            (one.name.clone(), system.show(value, one.display))
        });
        shown.collect()
    }

    /// Returns how many steps led from the first state to the current one.
    pub fn step_number(&self) -> usize {
        self.forgotten + self.position()
    }

    /// Returns how many steps led to the current state, of those that are remembered.
    pub fn position(&self) -> usize {
        self.here.saturating_sub(self.first)
    }

    /// Returns all steps that are remembered, also those that were taken back.
    pub fn history(&self) -> &[Taken] {
        self.history.get(self.first..).unwrap_or_default()
    }

    /// Returns the numbers of the steps that led to the current state, among those that could be taken each
    /// time, the choice of a first state too: who makes the same choices comes to the same state. `None` if
    /// some were not among them, or are forgotten.
    pub fn choices(&self) -> Option<Vec<usize>> {
        if self.forgotten > 0 {
            return None;
        }
        self.history[..self.here].iter().map(|taken| taken.choice).collect()
    }

    /// Returns the steps that led to the current state.
    pub fn past(&self) -> &[Taken] {
        &self.history()[..self.position()]
    }

    /// Returns the step that led to the current state.
    pub fn last(&self) -> Option<&Taken> {
        self.past().last()
    }

    /// Returns what went wrong in the last step, or on the way to the initial state.
    pub fn violations(&self) -> &[Violation] {
        match self.last() {
            Some(taken) => &taken.step.violations,
            None if self.forgotten == 0 => &self.start_violations,
            None => &[],
        }
    }

    /// Says what is wrong in the current state, or in the step that led to it.
    pub fn wrong(&self) -> Option<String> {
        if let Some(found) = self.violations().first() {
            return Some(text::violation(self, found));
        }
        self.fault.as_ref().map(Behaviour::fault_text).or_else(|| self.hazard())
    }

    /// Returns what is wrong in the current state with its place in the text, if it is shown there.
    pub fn diagnostic(&self) -> Option<Diagnostic> {
        self.fault.as_ref().map(lotos::fault)
    }

    /// Says what must not be and is, in the last step of a synchronous system.
    fn hazard(&self) -> Option<String> {
        let (system, before) = (self.model.synchronous()?, self.before()?);
        let step =
            Trace { initial: before.to_vec(), steps: vec![self.last()?.step.kept()], ..Trace::default() };
        let run = Run::of_trace(&Reference::new(system), &step);
        let [current, next] = run.states.as_slice() else { return None };
        let mut evaluation = Evaluation::new(system);
        let moment = Moment { current, next };
        let hazard = system.hazards.iter().find(|one| evaluation.is_true(one.condition, moment))?;
        Some(system.describe_hazard(hazard))
    }

    /// Returns the step that a recorded endless run comes back to.
    pub fn cycle(&self) -> Option<usize> {
        self.cycle
    }

    /// Says that the run so far is endless, and from which step on it repeats; if there is no such step, it
    /// stays where it is.
    pub fn set_cycle(&mut self, cycle: Option<usize>) {
        self.cycle = cycle.filter(|step| *step <= self.history().len());
    }

    /// Says what the propositions of a formula are along the run so far.
    pub fn set_atoms(&mut self, atoms: Vec<RecordedAtom>) {
        self.atoms = atoms;
    }

    /// Returns the propositions of a formula with what they are now, and whether the last step changed them.
    pub fn atoms(&self) -> impl Iterator<Item = (&str, bool, bool)> {
        let place = self.position();
        self.atoms.iter().filter_map(move |atom| {
            let now = *atom.values.get(place)?;
            let before = place.checked_sub(1).map_or(now, |before| atom.values[before]);
            Some((atom.text.as_str(), now, now != before))
        })
    }

    /// Goes round: from the end of an endless run to after the first step that comes again. Returns whether
    /// it does.
    fn go_round(&mut self) -> bool {
        match self.cycle {
            Some(start) if start < self.history().len() && self.here == self.history.len() => {
                self.jump(start + 1);
                true
            }
            _ => false,
        }
    }

    /// Returns what can be done now, in the order of the model.
    pub fn steps(&self) -> &[TraceStep] {
        &self.steps
    }

    /// Returns whether there may be more steps than were listed.
    pub fn has_more(&self) -> bool {
        is_cut_short(&self.steps)
    }

    /// Returns how things stand.
    pub fn status(&self) -> Status {
        if self.fault.is_some() || self.last().is_some_and(|taken| is_fault(&taken.step)) {
            return Status::Faulted;
        }
        match self.expansion {
            Expansion::Moves => Status::Running,
            Expansion::Ended => Status::Ended,
            Expansion::Deadlock if self.has_exited() => Status::Ended,
            Expansion::Deadlock => Status::Deadlock,
        }
    }

    /// Returns whether the last step says that the run has come to an end as it should.
    fn has_exited(&self) -> bool {
        let label =
            self.last().and_then(|taken| taken.step.actions.first()).map(|action| action.label.as_str());
        self.model.labelled().is_some()
            && label.is_some_and(|label| label == "exit" || label.starts_with("exit !"))
    }

    fn look_around(&mut self) {
        self.fault = None;
        if self.last().is_some_and(|taken| is_fault(&taken.step)) {
            self.steps.clear();
            return;
        }
        (self.steps, self.expansion) = self.model.steps(self.state());
        if self.is_before_first() {
            tell_apart(&mut self.steps);
        }
        if let Some(labelled) = self.model.labelled()
            && self.steps.iter().any(|step| !step.violations.is_empty())
        {
            self.fault = labelled.system.fault(Some(self.state()));
            self.steps.clear();
        }
    }

    /// Takes one of the steps that can be taken; returns whether there is such a step.
    pub fn choose(&mut self, index: usize) -> bool {
        let Some(step) = self.steps.get(index).cloned() else { return false };
        self.take_as(step, Some(index));
        true
    }

    /// Takes a step that a replay made.
    fn take(&mut self, step: TraceStep) {
        let choice = self.steps.iter().position(|known| is_same(known, &step));
        self.take_as(step, choice);
    }

    /// Takes a step from the current state, one of [`Session::steps`] if it has a number.
    fn take_as(&mut self, step: TraceStep, choice: Option<usize>) {
        let again = self.history.get(self.here).is_some_and(|next| is_same(&next.step, &step));
        if !again {
            self.history.truncate(self.here);
            self.cycle = None;
            self.atoms.clear();
            let events = self.model.events(self.state(), &step.moves());
            self.history.push(Taken { step, events, choice });
        }
        self.here += 1;
        self.look_around();
    }

    /// Takes a step at random; returns whether there was one.
    pub fn random_step(&mut self) -> bool {
        if self.steps.is_empty() {
            return false;
        }
        let index = self.random.index(self.steps.len());
        self.choose(index)
    }

    /// Takes random steps, at most `count`, until something goes wrong, nothing can move, a breakpoint is met
    /// or what is waited for has happened.
    pub fn run(&mut self, count: usize, reached: impl Fn(&Session<'m>) -> bool) -> Stop {
        for _ in 0..count {
            if !self.random_step() {
                return Stop::Status(self.status());
            }
            if let Some(wrong) = self.wrong() {
                return Stop::Wrong(wrong);
            }
            if self.at_breakpoint() {
                return Stop::Breakpoint;
            }
            if reached(self) {
                return Stop::Reached;
            }
        }
        match self.status() {
            Status::Running => Stop::Count,
            status => Stop::Status(status),
        }
    }

    /// Returns whether the last step says that a process, by its number, took part in it.
    fn acts(&self, number: usize) -> bool {
        let actions = self.last().into_iter().flat_map(|taken| &taken.step.actions);
        actions.filter_map(|action| action.actor.as_ref()).any(|actor| actor.number == number)
    }

    /// Returns whether a process, by its number, took part in the last step.
    pub fn just_moved(&self, number: usize) -> bool {
        if self.acts(number) {
            return true;
        }
        // Where steps do not say who acts, it shows in what has changed.
        let Some(before) = self.before().filter(|_| self.model.labelled().is_some()) else { return false };
        self.model.entries(before).get(number) != self.entries().get(number)
    }

    /// Goes to the state after the given number of remembered steps, or to the last one there is.
    pub fn jump(&mut self, position: usize) {
        self.go(position.saturating_add(self.first));
    }

    fn go(&mut self, here: usize) {
        let here = here.min(self.history.len());
        if here != self.here {
            self.here = here;
            self.look_around();
        }
    }

    /// Goes a step back, at last to the choice of a first state if there is one; returns whether there was a
    /// step.
    pub fn back(&mut self) -> bool {
        let possible = self.here > 0;
        self.go(self.here.saturating_sub(1));
        possible
    }

    /// Goes forward again, or round in an endless run; returns whether there was a step to take.
    pub fn forward(&mut self) -> bool {
        if self.go_round() {
            return true;
        }
        let possible = self.here < self.history.len();
        self.go(self.here + 1);
        possible
    }

    /// Forgets how the current state was reached: long runs of scripts need no history.
    pub fn forget(&mut self) {
        self.start = self.state().to_vec();
        self.forgotten += self.position();
        self.history.drain(..self.here);
        self.atoms.clear();
        (self.here, self.first) = (0, usize::from(self.model.is_start(&self.start)));
    }

    /// Returns the remembered run up to the current state.
    pub fn trace(&self) -> Trace {
        let steps = self.past().iter().map(|taken| taken.step.kept()).collect();
        let cycle = self.cycle.filter(|_| self.here == self.history.len());
        let atoms = self.atoms.iter().map(|atom| TraceAtom {
            text: atom.text.clone(),
            span: Span { file: FileId(u32::MAX), ..Span::default() },
            values: atom.values[..=self.position()].to_vec(),
        });
        let initial = self.state_at(self.first.min(self.here)).to_vec();
        Trace { initial, steps, cycle, atoms: atoms.collect(), ..Trace::default() }
    }

    /// Draws the run so far from top to bottom: messages between processes, signals, or what happens at
    /// gates. The first line names what is below; of columns, as many are shown as there is room for.
    pub fn chart(&self, room: Option<usize>) -> Vec<String> {
        if self.model.draws_messages().is_err() {
            return chart_lines(self.model, &self.trace(), room);
        }
        let steps = self.past().iter().map(|taken| (&taken.step, taken.events.as_slice()));
        Chart::new(steps, self.cycle.filter(|_| self.here == self.history.len())).lines(room)
    }

    /// Returns what the run printed so far, in order, with the processes that did.
    pub fn output(&self) -> impl Iterator<Item = (usize, &str)> {
        self.past().iter().flat_map(|taken| &taken.events).filter_map(|event| match event {
            Event::Printed { pid, text } => Some((*pid, text.as_str())),
            _ => None,
        })
    }
}

/// Returns whether two steps from the same state are the same one.
fn is_same(one: &TraceStep, other: &TraceStep) -> bool {
    one.actions == other.actions && one.state == other.state && one.changes == other.changes
}

/// Leaves in the descriptions of first states what is not the same in all of them.
fn tell_apart(steps: &mut [TraceStep]) {
    let Some(first) = steps.first().map(|step| step.changes.clone()) else { return };
    let differs: Vec<bool> = (0..first.len())
        .map(|place| steps.iter().any(|step| step.changes[place].after != first[place].after))
        .collect();
    for step in steps {
        let mut differs = differs.iter();
        step.changes.retain(|_| differs.next() == Some(&true));
    }
}

fn is_fault(step: &TraceStep) -> bool {
    step.violations.iter().any(|violation| violation.kind.is_fatal())
}

#[cfg(test)]
mod examples;

#[cfg(test)]
mod form_tests;

#[cfg(test)]
mod real_trails;

#[cfg(test)]
mod session_tests;
