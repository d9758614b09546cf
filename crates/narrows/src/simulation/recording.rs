//! Saved runs: reading them, and finding their steps again in the model.

use std::ops::ControlFlow;

use narrows_model::synchronous::{Reference, SynchronousSystem, changes};
use narrows_model::{Change, Evaluator, Form, LabelledSystem, Model, Refusal, Scratch, TraceStep};
use narrows_report::{
    RecordedLabels, RecordedRun, RecordedTrace, TraceError, Trail, one_line, read_labels, read_run,
    read_trace, read_trail,
};
use serde_json::Value;
use thiserror::Error;

use crate::accepts_spin_trail;

use super::{ReplayError, Session, StepError, moves, trail};

/// A run that was saved. It may not fit the model.
#[derive(Clone, Debug)]
pub enum Recording {
    /// Moves of processes.
    Moves(RecordedTrace),
    /// Values of variables.
    Values(RecordedRun),
    /// Labels.
    Labels(RecordedLabels),
    /// Moves of processes, as SPIN's verifier saved them.
    Trail(Trail),
}

impl Recording {
    /// Reads a run of a model that `check` or a simulator saved.
    ///
    /// # Errors
    ///
    /// Says what is wrong with the document.
    pub fn read(model: &Model, document: &Value) -> Result<Recording, TraceError> {
        match &model.form {
            Form::Synchronous(_) => read_run(document).map(Recording::Values),
            Form::Labelled(_) => read_labels(document).map(Recording::Labels),
            _ => read_trace(document).map(Recording::Moves),
        }
    }
}

impl Recording {
    /// Reads a trail that SPIN's verifier wrote.
    ///
    /// # Errors
    ///
    /// It may be of a model that SPIN does not know, or be no trail.
    pub fn read_trail(model: &Model, text: &str) -> Result<Recording, UnreadTrail> {
        accepts_spin_trail(model)?;
        Ok(Recording::Trail(read_trail(text)?))
    }
}

/// Why a text can't be used as a trail.
#[derive(Debug, Error)]
pub enum UnreadTrail {
    /// The model is not one of SPIN's.
    #[error("{}", .0.reason)]
    Refused(Refusal),
    /// It is no trail.
    #[error(transparent)]
    Text(#[from] narrows_report::TrailError),
}

impl From<Refusal> for UnreadTrail {
    fn from(refusal: Refusal) -> UnreadTrail {
        UnreadTrail::Refused(refusal)
    }
}

impl Session<'_> {
    /// Replays a recorded run from the initial state.
    ///
    /// # Errors
    ///
    /// Says at which step it does not fit the model, and why; the steps before that one are taken.
    pub fn replay(&mut self, recording: &Recording) -> Result<(), ReplayError> {
        self.go(0);
        let model = self.model;
        match (recording, &model.form) {
            (Recording::Moves(recorded), Form::Processes(system)) => {
                moves::replay(self, Evaluator::new(system), recorded)
            }
            (Recording::Trail(recorded), Form::Processes(system)) => {
                trail::replay(self, Evaluator::new(system), recorded)
            }
            (Recording::Values(recorded), Form::Synchronous(system)) => {
                self.replay_values(&Reference::new(system), recorded)
            }
            (Recording::Labels(recorded), Form::Labelled(labelled)) => {
                self.replay_labels(&*labelled.system, recorded)
            }
            _ => Err(ReplayError::OtherForm(model.language)),
        }
    }

    fn replay_values(
        &mut self,
        reference: &Reference<'_>,
        recorded: &RecordedRun,
    ) -> Result<(), ReplayError> {
        let first = find_first(reference, recorded).ok_or(ReplayError::NoFirstState)?;
        if self.is_before_first() {
            self.take(TraceStep { state: first, ..TraceStep::default() });
        }
        for (index, wanted) in recorded.steps.iter().enumerate() {
            let step = find_step(reference, self.state(), wanted)
                .ok_or(ReplayError::Step { number: index + 1, reason: StepError::NoStep })?;
            self.take(step);
        }
        self.set_cycle(recorded.cycle);
        self.set_atoms(recorded.atoms.clone());
        Ok(())
    }

    /// Steps with the same label may lead to different states. Where the record does not tell which was
    /// taken, all are followed side by side until it turns out.
    fn replay_labels(
        &mut self,
        system: &dyn LabelledSystem,
        recorded: &RecordedLabels,
    ) -> Result<(), ReplayError> {
        let mut scratch = Scratch::default();
        // For each number of steps: the states, each with its place among those before and the choice there.
        let mut levels: Vec<Vec<(Vec<u8>, usize, usize)>> = vec![vec![(self.state().to_vec(), 0, 0)]];
        let mut wrong = None;
        for (number, wanted) in recorded.steps.iter().enumerate() {
            let mut next: Vec<(Vec<u8>, usize, usize)> = Vec::new();
            for (place, (state, ..)) in levels[number].iter().enumerate() {
                let steps = labelled_steps(system, state, &mut scratch);
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
                let reason = StepError::NoLabel(one_line(&wanted.label));
                wrong = Some(ReplayError::Step { number: number + 1, reason });
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
        if let Some(wrong) = wrong {
            return Err(wrong);
        }
        self.set_cycle(recorded.cycle);
        Ok(())
    }
}

/// Finds the first state with the given values.
fn find_first(reference: &Reference<'_>, recorded: &RecordedRun) -> Option<Vec<u8>> {
    let system: &SynchronousSystem = reference.system();
    let mut first = None;
    reference.initial_states(&mut |state| {
        let fits = |(name, value): &(String, String)| {
            let mut all = system.variables.iter().zip(state);
            all.any(|(variable, known)| {
                variable.name == *name && system.show(*known, variable.display) == *value
            })
        };
        if recorded.values.iter().all(fits) {
            first = Some(reference.pack(state));
        }
        first.is_none()
    });
    first
}

/// Finds the step with the given inputs and changes.
fn find_step(reference: &Reference<'_>, state: &[u8], wanted: &[Change]) -> Option<TraceStep> {
    let mut found = None;
    reference.steps(&reference.unpack(state), &mut |before, after| {
        let changes = changes(reference.system(), before, after);
        if changes == wanted {
            found = Some(TraceStep { state: reference.pack(after), changes, ..TraceStep::default() });
        }
        found.is_none()
    });
    found
}

/// Returns the labels of the steps of a state, and where they lead.
fn labelled_steps(
    system: &dyn LabelledSystem,
    state: &[u8],
    scratch: &mut Scratch,
) -> Vec<(String, Vec<u8>)> {
    let mut steps = Vec::new();
    system.successors(state, scratch, &mut |successor| {
        if let Some(target) = successor.target {
            steps.push((system.label(successor.label), target.to_vec()));
        }
        ControlFlow::Continue(())
    });
    steps
}
