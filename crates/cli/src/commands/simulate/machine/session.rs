//! A run of a synchronous system that is being made, step by step, forwards and backwards. It knows no terminal.

use narrows_graph::Random;
use narrows_model::synchronous::{
    Evaluation, Moment, Reference, Role, Run, SynchronousSystem, Value, changes,
};
use narrows_model::{Change, Shown, Trace};
use narrows_report::{RecordedAtom, RecordedRun};

/// So many steps are looked for at most; of a system with more there are others too.
pub(super) const MOST: usize = 10_000;
/// So many values are tried at most to find them: two words of 64 bits have more than anybody could wait for.
const PATIENCE: u64 = 2_000_000;

/// A run, where it is now, and where it can go.
pub(super) struct Session<'m> {
    reference: Reference<'m>,
    /// The states, the first one included. Inputs in a state are those of the step that follows.
    states: Vec<Vec<Value>>,
    /// How many of them are behind or here; 0 before a first state was chosen.
    here: usize,
    /// What can be done now.
    steps: Vec<Step>,
    /// Whether there are more than were looked for.
    has_more: bool,
    random: Random,
    cycle: Option<usize>,
    atoms: Vec<RecordedAtom>,
}

/// A step, or a first state.
#[derive(Clone, Debug)]
pub(super) struct Step {
    /// The values before it, with its inputs; empty for a first state.
    before: Vec<Value>,
    pub(super) after: Vec<Value>,
    /// Its inputs and what it changes; the values of a first state that others do not have.
    pub(super) changes: Vec<Change>,
}

impl<'m> Session<'m> {
    pub(super) fn new(system: &'m SynchronousSystem, seed: u64) -> Session<'m> {
        let mut session = Session {
            reference: Reference::new(system),
            states: Vec::new(),
            here: 0,
            steps: Vec::new(),
            has_more: false,
            random: Random::new(seed),
            cycle: None,
            atoms: Vec::new(),
        };
        session.look_around();
        // Where there is only one way to begin, there is nothing to choose.
        if session.steps.len() == 1 {
            session.choose(0);
        }
        session
    }

    pub(super) fn system(&self) -> &'m SynchronousSystem {
        self.reference.system()
    }

    /// Returns the current state; `None` before a first state was chosen.
    pub(super) fn state(&self) -> Option<&[Value]> {
        self.here.checked_sub(1).map(|index| self.states[index].as_slice())
    }

    /// Returns how many steps led to the current state.
    pub(super) fn position(&self) -> usize {
        self.here.saturating_sub(1)
    }

    /// Returns how many states are remembered, also those that were taken back.
    pub(super) fn length(&self) -> usize {
        self.states.len()
    }

    /// Returns what can be done now.
    pub(super) fn steps(&self) -> &[Step] {
        &self.steps
    }

    pub(super) fn has_more(&self) -> bool {
        self.has_more
    }

    /// Returns the state that a recorded endless run comes back to, by its number.
    pub(super) fn cycle(&self) -> Option<usize> {
        self.cycle
    }

    /// Returns what the step changed that led to a state, by its number; of the first state, all values.
    pub(super) fn changes_to(&self, number: usize) -> Vec<Change> {
        match number.checked_sub(1) {
            Some(before) => changes(self.system(), &self.states[before], &self.states[number]),
            None => self.values_of(&self.states[0]),
        }
    }

    /// Returns all values of a state.
    fn values_of(&self, state: &[Value]) -> Vec<Change> {
        let system = self.system();
        let kept = system.variables.iter().zip(state).filter(|(variable, _)| variable.role != Role::Input);
        kept.map(|(variable, value)| {
            let text = system.show(*value, variable.display);
            let after = Some(Shown { text, number: Some(*value) });
            Change { name: variable.name.clone(), before: None, after }
        })
        .collect()
    }

    /// Returns the propositions of a formula with what they are now, and whether the last step changed them.
    pub(super) fn atoms(&self) -> impl Iterator<Item = (&str, bool, bool)> {
        let place = self.position();
        self.atoms.iter().filter_map(move |atom| {
            let now = *atom.values.get(place)?;
            let before = place.checked_sub(1).map_or(now, |before| atom.values[before]);
            Some((atom.text.as_str(), now, now != before))
        })
    }

    /// Says what must not be and is, in the step that led to the current state.
    pub(super) fn fault(&self) -> Option<String> {
        let before = self.here.checked_sub(2).map(|index| &self.states[index])?;
        let after = &self.states[self.here - 1];
        let mut evaluation = Evaluation::new(self.system());
        let moment = Moment { current: before, next: after };
        let hazard = self.system().hazards.iter().find(|one| evaluation.is_true(one.condition, moment))?;
        Some(self.system().describe_hazard(hazard))
    }

    fn look_around(&mut self) {
        let mut steps: Vec<Step> = Vec::new();
        let mut has_more = false;
        let is_all = match self.state() {
            None => self.reference.initial_states_within(PATIENCE, &mut |after| {
                has_more = steps.len() == MOST;
                if !has_more {
                    steps.push(Step { before: Vec::new(), after: after.to_vec(), changes: Vec::new() });
                }
                !has_more
            }),
            Some(state) => {
                self.reference.steps_within(&self.settled(state), PATIENCE, &mut |before, after| {
                    has_more = steps.len() == MOST;
                    if !has_more {
                        let changes = changes(self.system(), before, after);
                        steps.push(Step { before: before.to_vec(), after: after.to_vec(), changes });
                    }
                    !has_more
                })
            }
        };
        has_more |= !is_all;
        if self.state().is_none() {
            self.tell_apart(&mut steps);
        }
        (self.steps, self.has_more) = (steps, has_more);
    }

    /// Notes of first states what is not the same in all of them.
    fn tell_apart(&self, steps: &mut [Step]) {
        let all: Vec<Vec<Change>> = steps.iter().map(|step| self.values_of(&step.after)).collect();
        let Some(first) = all.first() else { return };
        let differs: Vec<bool> = (0..first.len())
            .map(|place| all.iter().any(|values| values[place].after != first[place].after))
            .collect();
        let mut kept: Vec<Vec<Change>> = Vec::new();
        for values in &all {
            let told = values.iter().zip(&differs).filter(|(_, differs)| **differs);
            kept.push(told.map(|(change, _)| change.clone()).collect());
        }
        for (step, changes) in steps.iter_mut().zip(kept) {
            step.changes = changes;
        }
    }

    /// Returns a state with inputs as they are when nothing is chosen yet.
    fn settled(&self, state: &[Value]) -> Vec<Value> {
        self.reference.unpack(&self.reference.pack(state))
    }

    /// Takes one of the steps; returns whether there is such a step.
    pub(super) fn choose(&mut self, index: usize) -> bool {
        let Some(step) = self.steps.get(index).cloned() else { return false };
        self.take(step);
        true
    }

    fn take(&mut self, step: Step) {
        self.states.truncate(self.here);
        self.cycle = None;
        self.atoms.clear();
        if let Some(last) = self.states.last_mut() {
            *last = step.before;
        }
        self.states.push(step.after);
        self.here += 1;
        self.look_around();
    }

    /// Takes a step at random; returns whether there was one.
    pub(super) fn random_step(&mut self) -> bool {
        if self.steps.is_empty() {
            return false;
        }
        let index = self.random.index(self.steps.len());
        self.choose(index)
    }

    /// Goes to a state by its number, or to the last one there is.
    pub(super) fn jump(&mut self, number: usize) {
        let here = (number + 1).min(self.states.len());
        if here != self.here {
            self.here = here;
            self.look_around();
        }
    }

    /// Goes a step back; to the choice of a first state, if there is one. Returns whether there was a step.
    pub(super) fn back(&mut self) -> bool {
        let possible = self.here > 1;
        if possible {
            self.here -= 1;
            self.look_around();
        } else if self.here == 1 {
            self.here = 0;
            self.look_around();
            if self.steps.len() == 1 {
                self.here = 1;
                self.look_around();
                return false;
            }
            return true;
        }
        possible
    }

    /// Goes forward again, or round in an endless run; returns whether there was a step to take.
    pub(super) fn forward(&mut self) -> bool {
        if self.here < self.states.len() {
            self.here += 1;
            self.look_around();
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
    pub(super) fn replay(&mut self, recorded: &RecordedRun) -> Result<(), String> {
        self.states.clear();
        self.here = 0;
        let Some(first) = self.first_like(recorded) else {
            self.look_around();
            return Err("the run does not fit the model: it does not begin in a first state".to_owned());
        };
        self.take(Step { before: Vec::new(), after: first, changes: Vec::new() });
        for (index, wanted) in recorded.steps.iter().enumerate() {
            let Some(step) = self.find(wanted) else {
                return Err(format!("step {} does not fit the model: there is no such step", index + 1));
            };
            self.take(step);
        }
        self.close(recorded);
        Ok(())
    }

    fn close(&mut self, recorded: &RecordedRun) {
        self.atoms.clone_from(&recorded.atoms);
        self.cycle = recorded.cycle.filter(|start| *start < self.states.len());
    }

    /// Finds the first state with the given values: at once if all are given, else by looking at all of them.
    fn first_like(&self, recorded: &RecordedRun) -> Option<Vec<Value>> {
        let mut state = self.reference.unpack(&[]);
        let mut open = 0;
        for (id, variable) in self.system().each_variable().filter(|(_, one)| one.role != Role::Input) {
            let given = recorded.values.iter().find(|(name, _)| *name == variable.name);
            match given.and_then(|(_, text)| self.system().read(text, id)) {
                Some(value) => state[id.0 as usize] = value,
                None => open += 1,
            }
        }
        if open == 0 {
            return self.reference.is_initial(&state).then_some(state);
        }
        let mut first = None;
        self.reference.initial_states_within(PATIENCE, &mut |state| {
            let values = self.values_of(state);
            let fits = |(name, value): &(String, String)| {
                values.iter().any(|one| {
                    one.name == *name && one.after.as_ref().is_some_and(|shown| shown.text == *value)
                })
            };
            if recorded.values.iter().all(fits) {
                first = Some(state.to_vec());
            }
            first.is_none()
        });
        first
    }

    /// Finds the step with the given inputs and changes: these say where it leads.
    fn find(&self, wanted: &[Change]) -> Option<Step> {
        let mut before = self.settled(self.state()?);
        let mut after = before.clone();
        for change in wanted {
            let mut variables = self.system().each_variable();
            let (id, variable) = variables.find(|(_, variable)| variable.name == change.name)?;
            let value = self.system().read(&change.after.as_ref()?.text, id)?;
            let side = if variable.role == Role::Input { &mut before } else { &mut after };
            side[id.0 as usize] = value;
        }
        let changes = changes(self.system(), &before, &after);
        let is_it = self.reference.is_step(&before, &after) && changes == wanted;
        is_it.then_some(Step { before, after, changes })
    }

    /// Returns the run up to the current state.
    pub(super) fn trace(&self) -> Trace {
        let is_whole = self.here == self.states.len();
        // A recorded endless run ends in the state it comes back to.
        let cycle = self.cycle.filter(|_| is_whole);
        let mut states = self.states[..self.here].to_vec();
        if cycle.is_some() {
            states.pop();
        }
        let run = Run { states, cycle };
        run.replay(&self.reference, None).unwrap_or_default()
    }
}
