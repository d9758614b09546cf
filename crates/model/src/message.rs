//! What a move puts into a channel.

use crate::evaluator::Context;
use crate::{Evaluator, Move, Statement, Violation};

impl Evaluator<'_> {
    /// Returns the number of the channel that a move sends to and the message, field by field, given the state before
    /// it; `None` for moves that send nothing.
    pub fn sent(&self, before: &[u8], step: Move) -> Option<(usize, Vec<String>)> {
        let proctype = self.system().proctype(step.proctype);
        let Statement::Send(send) = &proctype.transition(step.transition).statement else { return None };
        let mut frame = self.load(before);
        if usize::from(step.pid) >= frame.process_count() {
            return None;
        }
        let mut violations: Vec<Violation> = Vec::new();
        let mut context = Context::new(self.system(), &mut frame, usize::from(step.pid), &mut violations);
        let number = usize::try_from(context.value(&send.channel).ok()?).ok()?;
        let mut values = Vec::with_capacity(send.arguments.len());
        for argument in &send.arguments {
            values.push(context.value(argument).ok()?);
        }
        let index = number.checked_sub(1).filter(|index| *index < frame.channel_count())?;
        let fields = &self.system().channel_kinds[frame.channel_kind(index)].fields;
        values.resize(fields.len(), 0);
        let shown = values.iter().zip(fields).map(|(value, field)| self.show(*field, field.truncate(*value)));
        Some((number, shown.collect()))
    }
}
