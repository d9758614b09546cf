//! Which message a send holds out.

use crate::evaluator::Context;
use crate::{Evaluator, Move, Statement, Violation};

/// A message on its way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Transfer {
    /// The channel's number, counted from 1.
    pub channel: usize,
    /// The name of the variable it was created for.
    pub name: String,
    /// The fields, as the model's author would write them.
    pub fields: Vec<String>,
}

impl Evaluator<'_> {
    /// Returns what a move sends, given the state before it; `None` if it is not a send.
    pub fn sent(&self, before: &[u8], step: Move) -> Option<Transfer> {
        let Statement::Send(send) =
            &self.system().proctype(step.proctype).transition(step.transition).statement
        else {
            return None;
        };
        let mut frame = self.load(before);
        if usize::from(step.pid) >= frame.process_count() {
            return None;
        }
        let mut violations: Vec<Violation> = Vec::new();
        let mut context = Context::new(self.system(), &mut frame, usize::from(step.pid), &mut violations);
        let channel = usize::try_from(context.value(&send.channel).ok()?).ok()?;
        if channel == 0 || channel > context.frame.channel_count() {
            return None;
        }
        let kind = &self.system().channel_kinds[context.frame.channel_kind(channel - 1)];
        let mut fields = Vec::new();
        for (argument, field) in send.arguments.iter().zip(&kind.fields) {
            let value = field.truncate(context.value(argument).ok()?);
            fields.push(self.show(*field, value));
        }
        Some(Transfer { channel, name: kind.name.clone(), fields })
    }
}
