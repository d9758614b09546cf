//! All states of a synchronous system as a labelled graph.

use std::collections::HashMap;

use narrows_explicit::{Budget, Progress};
use narrows_lts::{Builder, Graph};
use narrows_model::Limit;
use narrows_model::synchronous::{Reference, Role, SynchronousSystem, Value, changes};

use super::LabelStyle;

/// The label of a step that shows nothing.
const INTERNAL: &str = "i";
/// After so many steps of a small system somebody may say stop.
const WATCH_EVERY: u64 = 1 << 12;
/// What a step takes while the graph is made, and what a state does beside its bytes.
const STEP: u64 = 48;
const STATE: u64 = 96;

/// Walks over all states; the error is why that was not possible.
///
/// If there is one first state, it is the initial one; otherwise a state before all of them is, whose steps
/// say which values they begin with.
pub(super) fn states(system: &SynchronousSystem, style: LabelStyle, budget: &Budget) -> Result<Graph, Limit> {
    let reference = Reference::new(system);
    let mut walk =
        Walk { system, style, budget, numbers: HashMap::new(), states: Vec::new(), bytes: 0, steps: 0 };
    let mut firsts: Vec<Vec<Value>> = Vec::new();
    let mut limit = None;
    reference.initial_states(&mut |state| {
        firsts.push(state.to_vec());
        walk.bytes += STATE + 16 * state.len() as u64;
        limit = walk.watch();
        limit.is_none()
    });
    if let Some(limit) = limit {
        return Err(limit);
    }
    let mut builder = Builder::new(0, 0);
    if firsts.len() != 1 {
        walk.states.push(Vec::new());
        for first in &firsts {
            let number = walk.number(&reference, first);
            let label = builder.label(&walk.first_label(&firsts, first));
            builder.edge(0, label, number);
        }
    } else if let Some(first) = firsts.first() {
        walk.number(&reference, first);
    }
    let mut next = usize::from(firsts.len() != 1);
    while next < walk.states.len() {
        let state = reference.unpack(&walk.states[next]);
        let mut found: Vec<(String, u32)> = Vec::new();
        reference.steps(&state, &mut |before, after| {
            let step = (walk.label(before, after), walk.number(&reference, after));
            // Many inputs lead to the same state, in the same way.
            if !found.contains(&step) {
                walk.bytes += STEP + step.0.len() as u64;
                found.push(step);
            }
            limit = walk.watch();
            limit.is_none()
        });
        if let Some(limit) = limit {
            return Err(limit);
        }
        for (text, target) in found {
            let label = builder.label(&text);
            builder.edge(next as u32, label, target);
        }
        next += 1;
    }
    builder.build().map_err(|_| Limit::Memory)
}

struct Walk<'w> {
    system: &'w SynchronousSystem,
    style: LabelStyle,
    budget: &'w Budget,
    numbers: HashMap<Vec<u8>, u32>,
    states: Vec<Vec<u8>>,
    bytes: u64,
    steps: u64,
}

impl Walk<'_> {
    /// Returns why to stop, now and then.
    fn watch(&mut self) -> Option<Limit> {
        self.steps += 1;
        // States may be large: few of them take much memory, and time.
        if self.bytes > self.budget.memory {
            return Some(Limit::Memory);
        }
        let every = (WATCH_EVERY / (1 + self.system.variables.len() as u64 / 16)).max(1);
        if !self.steps.is_multiple_of(every) {
            return None;
        }
        let (states, transitions) = (self.states.len() as u64, self.steps);
        self.budget.watch.check(&Progress { states, transitions, depth: 0, memory: self.bytes })
    }

    /// Returns the number of a state, which is new or known.
    fn number(&mut self, reference: &Reference<'_>, state: &[Value]) -> u32 {
        let bytes = reference.pack(state);
        let next = self.states.len() as u32;
        let number = *self.numbers.entry(bytes.clone()).or_insert(next);
        if number == next {
            self.bytes += STATE + 2 * bytes.len() as u64;
            self.states.push(bytes);
        }
        number
    }

    /// Says what a step changes, or what its inputs are.
    fn label(&self, before: &[Value], after: &[Value]) -> String {
        let is_input =
            |name: &str| self.system.variables.iter().any(|one| one.name == name && one.role == Role::Input);
        let told: Vec<String> = changes(self.system, before, after)
            .into_iter()
            .filter(|change| is_input(&change.name) == (self.style == LabelStyle::Inputs))
            .map(|change| {
                format!("{}={}", change.name, change.after.map_or_else(String::new, |shown| shown.text))
            })
            .collect();
        if told.is_empty() { INTERNAL.to_owned() } else { told.join(", ") }
    }

    /// Says with which values a first state begins, of those that differ.
    fn first_label(&self, firsts: &[Vec<Value>], first: &[Value]) -> String {
        let differs = |place: usize| firsts.iter().any(|other| other[place] != first[place]);
        let variables = self.system.variables.iter().enumerate();
        let told: Vec<String> = variables
            .filter(|(place, variable)| variable.role != Role::Input && differs(*place))
            .map(|(place, variable)| {
                format!("{}={}", variable.name, self.system.show(first[place], variable.display))
            })
            .collect();
        format!("start {}", told.join(", "))
    }
}
