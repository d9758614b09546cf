//! What `printf` and `printm` write.

use crate::evaluator::Context;
use crate::{Evaluator, Move, Statement, Violation};

impl Evaluator<'_> {
    /// Returns what a move prints, given the state before it; empty for moves that print nothing.
    pub fn printed(&self, before: &[u8], step: Move) -> String {
        let proctype = self.system().proctype(step.proctype);
        let mut frame = self.load(before);
        if usize::from(step.pid) >= frame.process_count() {
            return String::new();
        }
        let mut violations: Vec<Violation> = Vec::new();
        let mut context = Context::new(self.system(), &mut frame, usize::from(step.pid), &mut violations);
        match &proctype.transition(step.transition).statement {
            Statement::Print(format, arguments) => {
                let values: Vec<i32> =
                    arguments.iter().map(|argument| context.value(argument).unwrap_or(0)).collect();
                self.formatted(format, &values)
            }
            Statement::PrintMtype(value, set) => {
                let value = context.value(value).unwrap_or(0);
                self.system().mtype_name(*set, value).map_or_else(|| value.to_string(), str::to_owned)
            }
            _ => String::new(),
        }
    }

    fn formatted(&self, format: &str, values: &[i32]) -> String {
        let mut text = String::new();
        let mut values = values.iter();
        let mut characters = format.chars();
        while let Some(character) = characters.next() {
            match character {
                '\\' => match characters.next() {
                    Some('n') => text.push('\n'),
                    Some('t') => text.push('\t'),
                    Some('r') => text.push('\r'),
                    Some(other) => text.push(other),
                    None => {}
                },
                '%' => match characters.next() {
                    Some('%') | None => text.push('%'),
                    Some(verb) => {
                        let value = values.next().copied().unwrap_or(0);
                        text.push_str(&self.verb(verb, value));
                    }
                },
                other => text.push(other),
            }
        }
        text
    }

    fn verb(&self, verb: char, value: i32) -> String {
        match verb {
            'c' => u8::try_from(value).map_or_else(|_| "?".to_owned(), |byte| char::from(byte).to_string()),
            'e' => {
                let names = (0..self.system().mtypes.len() as u16)
                    .find_map(|set| self.system().mtype_name(set, value).map(str::to_owned));
                names.unwrap_or_else(|| value.to_string())
            }
            'o' => format!("{value:o}"),
            'u' => (value as u32).to_string(),
            'x' => format!("{value:x}"),
            _ => value.to_string(),
        }
    }
}
