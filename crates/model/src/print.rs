//! What `printf` and `printm` write.

use crate::evaluator::Context;
use crate::{Evaluator, Move, System, Violation};

impl Evaluator<'_> {
    /// Returns what a move prints, given the state before it; empty for moves that print nothing.
    pub fn printed(&self, before: &[u8], step: Move) -> String {
        let mut frame = self.load(before);
        if usize::from(step.pid) >= frame.process_count() {
            return String::new();
        }
        let mut violations: Vec<Violation> = Vec::new();
        let mut context = Context::new(self.system(), &mut frame, usize::from(step.pid), &mut violations);
        context.output = Some(String::new());
        let statement = &self.system().proctype(step.proctype).transition(step.transition).statement;
        // A fault is reported with the move itself; what was printed before it counts.
        let _ = context.execute(statement, false);
        context.output.unwrap_or_default()
    }
}

/// Fills values into a format.
pub(crate) fn formatted(system: &System, format: &str, values: &[i32]) -> String {
    let mut text = String::new();
    let mut values = values.iter();
    let mut characters = format.chars();
    while let Some(character) = characters.next() {
        match character {
            '%' => match characters.next() {
                Some('%') | None => text.push('%'),
                Some(verb) => text.push_str(&shown(system, verb, values.next().copied().unwrap_or(0))),
            },
            other => text.push(other),
        }
    }
    text
}

/// Shows a value by its symbolic name in a set.
pub(crate) fn symbolic(system: &System, set: u16, value: i32) -> String {
    system.mtype_name(set, value).map_or_else(|| value.to_string(), str::to_owned)
}

fn shown(system: &System, verb: char, value: i32) -> String {
    match verb {
        'c' => u8::try_from(value).map_or_else(|_| "?".to_owned(), |byte| char::from(byte).to_string()),
        'e' => {
            let named = (0..system.mtypes.len() as u16).find_map(|set| system.mtype_name(set, value));
            named.map_or_else(|| value.to_string(), str::to_owned)
        }
        'o' => format!("{value:o}"),
        'u' => (value as u32).to_string(),
        'x' => format!("{value:x}"),
        _ => value.to_string(),
    }
}
