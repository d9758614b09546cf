//! A run that is being made, step by step, forwards and backwards. It knows no terminal.

use std::collections::BTreeSet;

use narrows_graph::Random;
use narrows_model::{
    Evaluator, Event, Expansion, StateSpace, StateView, Trace, TraceAtom, TraceStep, Violation,
};
use narrows_report::{Chart, RecordedAtom};
use narrows_source::{FileId, Sources, Span};

/// A run, where it is now, and where it can go.
#[derive(Debug)]
pub(super) struct Session<'s> {
    evaluator: Evaluator<'s>,
    sources: &'s Sources,
    start: Vec<u8>,
    start_violations: Vec<Violation>,
    /// Every step that was taken, also those that were taken back.
    history: Vec<Taken>,
    /// How many of them led to the current state.
    position: usize,
    /// How many steps were taken before `start`.
    forgotten: usize,
    /// What can be done now.
    steps: Vec<TraceStep>,
    expansion: Expansion,
    random: Random,
    cycle: Option<usize>,
    /// What the propositions of a formula are along a recorded run.
    atoms: Vec<RecordedAtom>,
    breakpoints: BTreeSet<(FileId, usize)>,
}

/// A step that was taken.
#[derive(Clone, Debug)]
pub(super) struct Taken {
    pub(super) step: TraceStep,
    /// What happened in it, in order.
    pub(super) events: Vec<Event>,
}

/// How things stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Status {
    /// The run can go on.
    Running,
    /// Nothing can move, and that is as it should be.
    Ended,
    /// Nothing can move, but a process is not where it may end.
    Deadlock,
    /// The last step was one after which nothing can follow.
    Faulted,
}

/// Why a series of random steps stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stop {
    /// As many steps were taken as were asked for.
    Count,
    /// The run can't go on.
    Status(Status),
    /// Something went wrong in the last step.
    Violation(Violation),
    /// A process came to a line where the user wants to stop.
    Breakpoint,
    /// What was waited for happened.
    Reached,
}

impl<'s> Session<'s> {
    /// Starts in the initial state; the error is what went wrong on the way to it.
    pub(super) fn new(evaluator: Evaluator<'s>, sources: &'s Sources, seed: u64) -> Result<Self, Violation> {
        let (start, start_violations) = evaluator.initial()?;
        let mut session = Session {
            evaluator,
            sources,
            start,
            start_violations,
            history: Vec::new(),
            position: 0,
            forgotten: 0,
            steps: Vec::new(),
            expansion: Expansion::Moves,
            random: Random::new(seed),
            cycle: None,
            atoms: Vec::new(),
            breakpoints: BTreeSet::new(),
        };
        session.look_around();
        Ok(session)
    }

    pub(super) fn evaluator(&self) -> Evaluator<'s> {
        self.evaluator
    }

    pub(super) fn sources(&self) -> &'s Sources {
        self.sources
    }

    /// Returns the current state.
    pub(super) fn state(&self) -> &[u8] {
        self.state_at(self.position)
    }

    fn state_at(&self, position: usize) -> &[u8] {
        match position.checked_sub(1) {
            Some(index) => &self.history[index].step.state,
            None => &self.start,
        }
    }

    /// Describes the current state.
    pub(super) fn view(&self) -> StateView {
        self.evaluator.describe(self.state())
    }

    /// Returns how many steps led to the current state.
    pub(super) fn step_number(&self) -> usize {
        self.forgotten + self.position
    }

    /// Returns how many steps led to the current state, of those that are remembered.
    pub(super) fn position(&self) -> usize {
        self.position
    }

    /// Returns all steps that are remembered, also those that were taken back.
    pub(super) fn history(&self) -> &[Taken] {
        &self.history
    }

    /// Returns the steps that led to the current state.
    pub(super) fn past(&self) -> &[Taken] {
        &self.history[..self.position]
    }

    /// Returns the step that led to the current state.
    pub(super) fn last(&self) -> Option<&Taken> {
        self.past().last()
    }

    /// Returns what went wrong in the last step, or on the way to the initial state.
    pub(super) fn violations(&self) -> &[Violation] {
        match self.last() {
            Some(taken) => &taken.step.violations,
            None if self.forgotten == 0 => &self.start_violations,
            None => &[],
        }
    }

    /// Returns the step that a recorded endless run comes back to.
    pub(super) fn cycle(&self) -> Option<usize> {
        self.cycle
    }

    /// Says that the run so far is endless, and from which step on it repeats; if there is no such step, it stays where
    /// it is.
    pub(super) fn set_cycle(&mut self, cycle: Option<usize>) {
        self.cycle = cycle.filter(|step| *step <= self.history.len());
    }

    /// Says what the propositions of a formula are along the run so far.
    pub(super) fn set_atoms(&mut self, atoms: Vec<RecordedAtom>) {
        self.atoms = atoms;
    }

    /// Returns the propositions of a formula with what they are now, and whether the last step changed them.
    pub(super) fn atoms(&self) -> impl Iterator<Item = (&str, bool, bool)> {
        self.atoms.iter().filter_map(|atom| {
            let now = *atom.values.get(self.position)?;
            let before = self.position.checked_sub(1).map_or(now, |before| atom.values[before]);
            Some((atom.text.as_str(), now, now != before))
        })
    }

    /// Goes round: from the end of an endless run to after the first step that comes again. Returns whether it does.
    fn go_round(&mut self) -> bool {
        match self.cycle {
            Some(start) if start < self.history.len() && self.position == self.history.len() => {
                self.jump(start + 1);
                true
            }
            _ => false,
        }
    }

    /// Returns what can be done now, in the order of the evaluator.
    pub(super) fn steps(&self) -> &[TraceStep] {
        &self.steps
    }

    pub(super) fn status(&self) -> Status {
        if self.last().is_some_and(|taken| is_fault(&taken.step)) {
            return Status::Faulted;
        }
        match self.expansion {
            Expansion::Moves => Status::Running,
            Expansion::Ended => Status::Ended,
            Expansion::Deadlock => Status::Deadlock,
        }
    }

    fn look_around(&mut self) {
        if self.last().is_some_and(|taken| is_fault(&taken.step)) {
            self.steps.clear();
            return;
        }
        (self.steps, self.expansion) = self.evaluator.steps(self.state());
    }

    /// Takes one of the steps that can be taken; returns whether there is such a step.
    pub(super) fn choose(&mut self, index: usize) -> bool {
        let Some(step) = self.steps.get(index).cloned() else { return false };
        self.take(step);
        true
    }

    /// Takes a step from the current state: one of [`Session::steps`], or one that a replay made.
    pub(super) fn take(&mut self, step: TraceStep) {
        let again = self.history.get(self.position).is_some_and(|next| next.step.actions == step.actions);
        if !again {
            self.history.truncate(self.position);
            self.cycle = None;
            self.atoms.clear();
            let events = self.events_of(&step);
            self.history.push(Taken { step, events });
        }
        self.position += 1;
        self.look_around();
    }

    fn events_of(&self, step: &TraceStep) -> Vec<Event> {
        let moves = step.moves();
        self.evaluator.events(self.state(), &moves)
    }

    /// Takes a step at random; returns whether there was one.
    pub(super) fn random_step(&mut self) -> bool {
        if self.steps.is_empty() {
            return false;
        }
        let index = self.random.index(self.steps.len());
        self.choose(index)
    }

    /// Takes random steps, at most `count`, until something goes wrong, nothing can move, a breakpoint is met or what is
    /// waited for has happened.
    pub(super) fn run(&mut self, count: usize, reached: impl Fn(&Session<'s>) -> bool) -> Stop {
        for _ in 0..count {
            if !self.random_step() {
                return Stop::Status(self.status());
            }
            if let Some(violation) = self.violations().first() {
                return Stop::Violation(*violation);
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

    /// Returns whether a process took part in the last step.
    pub(super) fn just_moved(&self, pid: usize) -> bool {
        self.last().is_some_and(|taken| taken.step.moves().iter().any(|step| usize::from(step.pid) == pid))
    }

    /// Goes to the state after the given number of remembered steps, or to the last one there is.
    pub(super) fn jump(&mut self, position: usize) {
        let position = position.min(self.history.len());
        if position != self.position {
            self.position = position;
            self.look_around();
        }
    }

    /// Goes a step back; returns whether there was one.
    pub(super) fn back(&mut self) -> bool {
        let possible = self.position > 0;
        self.jump(self.position.saturating_sub(1));
        possible
    }

    /// Goes forward again, or round in an endless run; returns whether there was a step to take.
    pub(super) fn forward(&mut self) -> bool {
        if self.go_round() {
            return true;
        }
        let possible = self.position < self.history.len();
        self.jump(self.position + 1);
        possible
    }

    /// Forgets how the current state was reached: long runs of scripts need no history.
    pub(super) fn forget(&mut self) {
        self.start = self.state().to_vec();
        self.forgotten += self.position;
        self.history.drain(..self.position);
        self.atoms.clear();
        self.position = 0;
    }

    /// Stops runs where a process comes to a line, or no longer does; returns whether it does now.
    pub(super) fn toggle_breakpoint(&mut self, file: FileId, line: usize) -> bool {
        self.breakpoints.insert((file, line)) || !self.breakpoints.remove(&(file, line))
    }

    pub(super) fn is_breakpoint(&self, file: FileId, line: usize) -> bool {
        self.breakpoints.contains(&(file, line))
    }

    fn at_breakpoint(&self) -> bool {
        !self.breakpoints.is_empty()
            && self.view().processes.iter().any(|process| {
                self.just_moved(process.pid)
                    && self.line(process.span).is_some_and(|line| self.is_breakpoint(process.span.file, line))
            })
    }

    /// Returns the line of a place, if the text is there.
    pub(super) fn line(&self, span: Span) -> Option<usize> {
        let known = self.sources.files().any(|(id, _)| id == span.file);
        known.then(|| self.sources.position(span).line)
    }

    /// Says where a place is, as `file:line`.
    pub(super) fn place(&self, span: Span) -> String {
        match self.line(span) {
            Some(line) => format!("{}:{line}", self.sources.file(span.file).name),
            None => "-".to_owned(),
        }
    }

    /// Says where a place is without the folders, where there is little room.
    pub(super) fn short_place(&self, span: Span) -> String {
        let place = self.place(span);
        place.rsplit('/').next().map_or(place.clone(), str::to_owned)
    }

    /// Returns the remembered run up to the current state.
    pub(super) fn trace(&self) -> Trace {
        let steps = self.past().iter().map(|taken| taken.step.clone()).collect();
        let cycle = self.cycle.filter(|_| self.position == self.history.len());
        let atoms = self.atoms.iter().map(|atom| TraceAtom {
            text: atom.text.clone(),
            span: Span { file: FileId(u32::MAX), ..Span::default() },
            values: atom.values[..=self.position].to_vec(),
        });
        Trace { initial: self.start.clone(), steps, cycle, atoms: atoms.collect(), ..Trace::default() }
    }

    /// Lays out the messages of the run so far.
    pub(super) fn chart(&self) -> Chart {
        let steps = self.past().iter().map(|taken| (&taken.step, taken.events.as_slice()));
        Chart::new(steps, self.cycle.filter(|_| self.position == self.history.len()))
    }

    /// Returns what the run printed so far, in order, with the processes that did.
    pub(super) fn output(&self) -> impl Iterator<Item = (usize, &str)> {
        self.past().iter().flat_map(|taken| &taken.events).filter_map(|event| match event {
            Event::Printed { pid, text } => Some((*pid, text.as_str())),
            _ => None,
        })
    }
}

fn is_fault(step: &TraceStep) -> bool {
    step.violations.iter().any(|violation| violation.kind.is_fatal())
}
