//! Events of predicates: a step begins a measurement where one predicate becomes true, and ends those that are
//! open where another does.

use narrows_model::Violation;
use rustc_hash::FxHashMap;

use super::StateGraph;
use crate::BuildError;
use crate::requests::{Change, RequestEvents};

/// Says whether something holds in a state.
pub type Predicate<'a> = Box<dyn Fn(&[u8]) -> Result<bool, Violation> + 'a>;

/// Marks steps with the events of two predicates.
pub(super) struct Marks<'a> {
    from: Predicate<'a>,
    to: Predicate<'a>,
    ends: RequestEvents,
    /// Which of the two hold, by state, as far as that is known.
    known: Vec<Option<[bool; 2]>>,
    /// Effects with events added, by effect and change.
    effects: FxHashMap<(u32, Change), u32>,
}

impl<'a> StateGraph<'a> {
    /// Counts as events that one predicate becomes true, and that another does.
    #[must_use]
    pub fn marking(mut self, from: Predicate<'a>, to: Predicate<'a>, ends: RequestEvents) -> StateGraph<'a> {
        let (known, effects) = (Vec::new(), FxHashMap::default());
        self.marks = Some(Marks { from, to, ends, known, effects });
        self
    }

    /// Returns what happens at the start.
    pub fn marked_initially(&self) -> Result<Change, BuildError> {
        let Some(marks) = &self.marks else { return Ok(Change::default()) };
        let state = self.state(0);
        let wrong = |violation| BuildError::Wrong(violation, Vec::new());
        let now = [(marks.from)(&state).map_err(wrong)?, (marks.to)(&state).map_err(wrong)?];
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
        let before = self.which(state, marks)?;
        for place in start..start + length {
            let step = self.steps[place];
            let change = Change::between(before, self.which(step.target, marks)?);
            if change == Change::default() {
                continue;
            }
            let key = (step.effect, change);
            let marked = match marks.effects.get(&key) {
                Some(effect) => *effect,
                None => {
                    let mut effect = self.effects.list[step.effect as usize].clone();
                    let Change { begin, end, both } = change;
                    let RequestEvents { from, to, both: at_once, .. } = marks.ends;
                    let events = [(from, begin), (to, end), (at_once, both)];
                    effect.events.extend(events.into_iter().filter(|(_, count)| *count > 0));
                    let effect = self.effects.number(effect);
                    marks.effects.insert(key, effect);
                    effect
                }
            };
            self.steps[place].effect = marked;
        }
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
        let found = [(marks.from)(&bytes).map_err(wrong)?, (marks.to)(&bytes).map_err(wrong)?];
        marks.known[place] = Some(found);
        Ok(found)
    }
}
