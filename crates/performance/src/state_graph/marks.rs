//! Events of predicates: a step begins a measurement where one predicate becomes true, and ends those that
//! are open where another does.

use narrows_model::Violation;
use rustc_hash::FxHashMap;

use super::StateGraph;
use crate::BuildError;
use crate::requests::{Change, Order, RequestEvents};

/// Says whether something holds in a state.
pub type Predicate<'a> = Box<dyn Fn(&[u8]) -> Result<bool, Violation> + 'a>;

/// Returns the event that an event is, given the state after it.
pub type Rename<'a> = Box<dyn Fn(u16, &[u8]) -> Result<u16, Violation> + 'a>;

/// Marks steps with the events of two predicates, and events with values of states.
pub(super) struct Marks<'a> {
    /// Where requests begin and end; `None` where an event says so.
    predicates: [Option<Predicate<'a>>; 2],
    ends: RequestEvents,
    /// What gives events other numbers.
    rename: Option<Rename<'a>>,
    /// Which of the two hold, by state, as far as that is known.
    known: Vec<Option<[bool; 2]>>,
    /// Effects with events added, by effect and by what holds before and after.
    effects: FxHashMap<(u32, [[bool; 2]; 2]), u32>,
}

impl Marks<'_> {
    /// Returns which of the predicates hold in a state.
    fn which(&self, state: &[u8]) -> Result<[bool; 2], Violation> {
        let holds = |one: &Option<Predicate<'_>>| one.as_ref().map_or(Ok(false), |holds| holds(state));
        Ok([holds(&self.predicates[0])?, holds(&self.predicates[1])?])
    }

    /// Adds the events of a step, given what holds before and after it.
    fn mark(&self, events: &mut Vec<(u16, u32)>, [before, after]: [[bool; 2]; 2]) {
        let RequestEvents { from, to, both, .. } = self.ends;
        if self.predicates[0].is_some() && after[0] && !before[0] {
            events.push((from, 1));
        }
        if self.predicates[1].is_some() && after[1] {
            // What begins where it is over takes no time.
            events.iter_mut().filter(|(event, _)| *event == from).for_each(|(event, _)| *event = both);
            if !before[1] {
                events.push((to, 1));
            }
        }
        events.sort_unstable();
    }
}

impl<'a> StateGraph<'a> {
    /// Counts as events that one predicate becomes true, and that another does; without a predicate, events
    /// say so.
    #[must_use]
    pub fn marking(mut self, predicates: [Option<Predicate<'a>>; 2], ends: RequestEvents) -> StateGraph<'a> {
        let (known, effects) = (Vec::new(), FxHashMap::default());
        if predicates.iter().any(Option::is_some) {
            self.marks = Some(Marks { predicates, ends, rename: None, known, effects });
        }
        self
    }

    /// Gives events of steps other numbers, by the states after them.
    #[must_use]
    pub fn renaming(mut self, rename: Rename<'a>) -> StateGraph<'a> {
        let ends = RequestEvents { from: 0, to: 0, both: 0, order: Order::Next };
        let (predicates, known, effects) = ([None, None], Vec::new(), FxHashMap::default());
        self.marks = Some(Marks { predicates, ends, rename: Some(rename), known, effects });
        self
    }

    /// Returns what happens at the start.
    pub fn marked_initially(&self) -> Result<Change, BuildError> {
        let Some(marks) = &self.marks else { return Ok(Change::default()) };
        let now = marks.which(&self.state(0)).map_err(|wrong| BuildError::Wrong(wrong, Vec::new()))?;
        Ok(Change::between([false; 2], now))
    }

    /// Adds events to the steps of some states that were just expanded.
    pub(super) fn mark(&mut self, states: &[u32]) -> Result<(), BuildError> {
        let Some(mut marks) = self.marks.take() else { return Ok(()) };
        let marked = states.iter().try_for_each(|state| self.mark_steps(*state, &mut marks));
        self.marks = Some(marks);
        marked
    }

    fn mark_steps(&mut self, state: u32, marks: &mut Marks<'a>) -> Result<(), BuildError> {
        let Some((start, length)) = self.known[state as usize].place(self.forgotten) else { return Ok(()) };
        if let Some(rename) = &marks.rename {
            return (start..start + length).try_for_each(|place| self.rename_events(state, place, rename));
        }
        let before = self.which(state, marks)?;
        for place in start..start + length {
            let step = self.steps[place];
            let seen = [before, self.which(step.target, marks)?];
            let key = (step.effect, seen);
            let marked = match marks.effects.get(&key) {
                Some(effect) => *effect,
                None => {
                    let mut effect = self.effects.list[step.effect as usize].clone();
                    marks.mark(&mut effect.events, seen);
                    let effect = self.effects.number(effect);
                    marks.effects.insert(key, effect);
                    effect
                }
            };
            self.steps[place].effect = marked;
        }
        Ok(())
    }

    /// Gives the events of a step other numbers.
    fn rename_events(&mut self, state: u32, place: usize, rename: &Rename<'a>) -> Result<(), BuildError> {
        let step = self.steps[place];
        let mut effect = self.effects.list[step.effect as usize].clone();
        if effect.events.is_empty() {
            return Ok(());
        }
        let after = self.state(step.target);
        for (event, _) in &mut effect.events {
            let wrong = |violation| BuildError::Wrong(violation, self.choices_to(state));
            *event = rename(*event, &after).map_err(wrong)?;
        }
        effect.events.sort_unstable();
        self.steps[place].effect = self.effects.number(effect);
        Ok(())
    }

    /// Returns which of the predicates hold in a state.
    fn which(&self, state: u32, marks: &mut Marks<'a>) -> Result<[bool; 2], BuildError> {
        let place = state as usize;
        if marks.known.len() <= place {
            marks.known.resize(self.known.len().max(place + 1), None);
        }
        if let Some(known) = marks.known[place] {
            return Ok(known);
        }
        let bytes = self.state(state);
        let wrong = |violation| BuildError::Wrong(violation, self.choices_to(state));
        let found = marks.which(&bytes).map_err(wrong)?;
        marks.known[place] = Some(found);
        Ok(found)
    }
}
