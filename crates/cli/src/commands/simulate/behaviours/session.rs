//! A run of a LOTOS model that is being made, step by step, forwards and backwards. It knows no terminal.

use std::ops::ControlFlow;

use narrows_graph::Random;
use narrows_model::behaviour::Fault;
use narrows_model::{LabelledSystem, Model, Scratch, StatePart, Trace, TraceStep};
use narrows_report::{RecordedLabel, RecordedLabels, one_line};
use narrows_source::Sources;

/// A run, where it is now, and where it can go.
pub(super) struct Session<'m> {
    model: &'m Model,
    system: &'m dyn LabelledSystem,
    scratch: Scratch,
    /// The states, also those that were taken back.
    states: Vec<Vec<u8>>,
    /// The steps between them.
    taken: Vec<RecordedLabel>,
    /// Which of the states is the current one.
    here: usize,
    /// How many steps were taken before the first state that is remembered.
    forgotten: usize,
    /// What can be done now: labels, and the states they lead to.
    steps: Vec<Step>,
    /// Why it is not known what can be done.
    fault: Option<Fault>,
    cycle: Option<usize>,
    random: Random,
}

type Step = (String, Vec<u8>);

impl<'m> Session<'m> {
    /// Starts in the initial state; the error says why there is none.
    pub(super) fn new(
        model: &'m Model,
        system: &'m dyn LabelledSystem,
        seed: u64,
    ) -> Result<Session<'m>, String> {
        let (initial, _) = system.initial().map_err(|violation| violation.kind.message().to_owned())?;
        let (scratch, random) = (Scratch::default(), Random::new(seed));
        let mut session = Session {
            model,
            system,
            scratch,
            states: vec![initial],
            taken: Vec::new(),
            here: 0,
            forgotten: 0,
            steps: Vec::new(),
            fault: None,
            cycle: None,
            random,
        };
        session.look_around();
        Ok(session)
    }

    pub(super) fn sources(&self) -> &'m Sources {
        &self.model.sources
    }

    pub(super) fn name(&self) -> &'m str {
        &self.model.name
    }

    /// Returns how many steps led to the current state.
    pub(super) fn position(&self) -> usize {
        self.forgotten + self.here
    }

    /// Returns how many states are remembered, also those that were taken back.
    pub(super) fn length(&self) -> usize {
        self.states.len()
    }

    /// Returns the state that a recorded endless run comes back to, by its number.
    pub(super) fn cycle(&self) -> Option<usize> {
        self.cycle
    }

    /// Returns what can be done now.
    pub(super) fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// Returns why it is not known what can be done.
    pub(super) fn fault(&self) -> Option<&Fault> {
        self.fault.as_ref()
    }

    /// Returns the label of the step to a state, by its number.
    pub(super) fn label(&self, number: usize) -> Option<&str> {
        number.checked_sub(1).and_then(|index| self.taken.get(index)).map(|step| step.label.as_str())
    }

    /// Returns whether the run has come to an end as it should.
    pub(super) fn has_ended(&self) -> bool {
        self.label(self.here).is_some_and(|label| label == "exit" || label.starts_with("exit !"))
    }

    /// Says where processes stand in a state, by its number, and with which values.
    pub(super) fn places(&self, number: usize) -> Vec<(String, String)> {
        let Some(state) = self.states.get(number) else { return Vec::new() };
        let place = |part: StatePart| {
            let place = match part.span {
                None => "stopped".to_owned(),
                Some(span) => {
                    let line = self.sources().position(span).line;
                    format!("line {line}: {}", one_line(self.sources().text(span)))
                }
            };
            (place, part.values)
        };
        self.system.describe(state).into_iter().map(place).collect()
    }

    /// Returns which state is the current one, by its number.
    pub(super) fn here(&self) -> usize {
        self.here
    }

    fn look_around(&mut self) {
        let state = &self.states[self.here];
        let (steps, is_broken) = expand(self.system, state, &mut self.scratch);
        self.fault = if is_broken { self.system.fault(Some(state)) } else { None };
        self.steps = if is_broken { Vec::new() } else { steps };
    }

    /// Takes one of the steps; returns whether there is such a step.
    pub(super) fn choose(&mut self, index: usize) -> bool {
        let Some((label, state)) = self.steps.get(index).cloned() else { return false };
        self.states.truncate(self.here + 1);
        self.taken.truncate(self.here);
        self.cycle = None;
        self.states.push(state);
        self.taken.push(RecordedLabel { label, choice: Some(index) });
        self.here += 1;
        self.look_around();
        true
    }

    /// Takes a step at random; returns whether there was one.
    pub(super) fn random_step(&mut self) -> bool {
        if self.steps.is_empty() {
            return false;
        }
        let index = self.random.index(self.steps.len());
        self.choose(index)
    }

    /// Forgets how the current state was reached, all but the last step: a long run that is only printed needs nothing else.
    pub(super) fn forget(&mut self) {
        let gone = self.here.saturating_sub(1);
        self.states.drain(..gone);
        self.taken.drain(..gone);
        self.here -= gone;
        self.forgotten += gone;
        self.cycle = None;
    }

    /// Goes to a state by its number, or to the last one there is.
    pub(super) fn jump(&mut self, number: usize) {
        let here = number.min(self.states.len() - 1);
        if here != self.here {
            self.here = here;
            self.look_around();
        }
    }

    /// Goes a step back; returns whether there was one.
    pub(super) fn back(&mut self) -> bool {
        let possible = self.here > 0;
        self.jump(self.here.saturating_sub(1));
        possible
    }

    /// Goes forward again, or round in an endless run; returns whether there was a step to take.
    pub(super) fn forward(&mut self) -> bool {
        if self.here + 1 < self.states.len() {
            self.jump(self.here + 1);
            return true;
        }
        match self.cycle {
            Some(start) if start < self.states.len() => {
                self.jump(start);
                true
            }
            _ => false,
        }
    }

    /// Replays a recorded run. The error says at which step it does not fit the model; the steps before it are taken.
    ///
    /// Steps with the same label may lead to different states. Where the record does not tell which was taken, all are
    /// followed side by side until it turns out.
    pub(super) fn replay(&mut self, recorded: &RecordedLabels) -> Result<(), String> {
        self.jump(0);
        // For each number of steps: the states, each with its place among those before and the choice there.
        let mut levels: Vec<Vec<(Vec<u8>, usize, usize)>> = vec![vec![(self.states[0].clone(), 0, 0)]];
        let mut wrong = None;
        for (number, wanted) in recorded.steps.iter().enumerate() {
            let mut next: Vec<(Vec<u8>, usize, usize)> = Vec::new();
            for (place, (state, ..)) in levels[number].iter().enumerate() {
                let (steps, _) = expand(self.system, state, &mut self.scratch);
                let fits = |index: &usize| steps[*index].0 == wanted.label;
                let told = wanted.choice.filter(|index| *index < steps.len() && fits(index));
                let all =
                    (0..steps.len()).filter(fits).filter(|index| told.is_none_or(|told| told == *index));
                for index in all.collect::<Vec<_>>() {
                    if !next.iter().any(|(known, ..)| *known == steps[index].1) {
                        next.push((steps[index].1.clone(), place, index));
                    }
                }
            }
            if next.is_empty() {
                let label = one_line(&wanted.label);
                wrong = Some(format!("step {} does not fit the model: `{label}` can't be done", number + 1));
                break;
            }
            levels.push(next);
        }
        let mut choices = Vec::new();
        let mut place = 0;
        for level in levels.iter().skip(1).rev() {
            let (_, before, choice) = &level[place];
            choices.push(*choice);
            place = *before;
        }
        for choice in choices.into_iter().rev() {
            self.choose(choice);
        }
        // An endless run comes back to the state before the step it names.
        self.cycle = recorded.cycle.filter(|start| wrong.is_none() && *start < self.states.len());
        wrong.map_or(Ok(()), Err)
    }

    /// Returns the run up to the current state.
    pub(super) fn trace(&self) -> Trace {
        let is_whole = self.here + 1 == self.states.len();
        let step = |(taken, state): (&RecordedLabel, &Vec<u8>)| {
            let choice = taken.choice.unwrap_or_default() as u32;
            TraceStep::labelled(taken.label.clone(), choice, state.clone(), Vec::new())
        };
        Trace {
            initial: self.states[0].clone(),
            steps: self.taken[..self.here].iter().zip(&self.states[1..]).map(step).collect(),
            cycle: self.cycle.filter(|_| is_whole),
            ..Trace::default()
        }
    }
}

/// Returns what can be done in a state, and whether something has no value there.
fn expand(system: &dyn LabelledSystem, state: &[u8], scratch: &mut Scratch) -> (Vec<Step>, bool) {
    let (mut steps, mut is_broken) = (Vec::new(), false);
    system.successors(state, scratch, &mut |successor| {
        match successor.target {
            Some(target) => steps.push((system.label(successor.label), target.to_vec())),
            None => is_broken = true,
        }
        ControlFlow::Continue(())
    });
    (steps, is_broken)
}
