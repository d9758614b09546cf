//! `run`: the new process as bytes that are known beforehand, and code for its arguments.

use std::mem::offset_of;

use cranelift_codegen::ir::types;
use cranelift_module::FuncId;
use narrows_model::{Area, Expr, Place, Run, Scalar, Setup, Statement};

use super::emit::{Address, Emitter};
use super::{Compiler, Interpreted, Unsupported};
use crate::native::plan::Creation;
use crate::native::undo_log::{Code, MAX_FIELDS, UndoLog};

/// A [`Creation`] whose functions have no address yet.
pub(super) struct PendingCreation {
    arguments: FuncId,
    assign: Option<FuncId>,
    head: Vec<u8>,
    variables: Vec<u8>,
    parameters: Vec<(usize, Scalar)>,
}

impl PendingCreation {
    pub(super) fn finish(self, finished: &dyn Fn(FuncId) -> Code) -> Creation {
        Creation {
            arguments: finished(self.arguments),
            assign: self.assign.map(finished),
            head: self.head,
            variables: self.variables,
            parameters: self.parameters,
            dead: Vec::new(),
        }
    }
}

impl Compiler<'_> {
    /// Prepares a `run`; `None` if it is left to the reference evaluator.
    pub(super) fn creation(
        &mut self,
        run: &Run,
        assign: Option<&(Place, Expr)>,
    ) -> Result<Option<PendingCreation>, Unsupported> {
        let proctype = self.system.proctype(run.proctype);
        let Some(variables) = first_values(&proctype.setup, proctype.local_bytes as usize) else {
            return Ok(None);
        };
        let mut parameters = Vec::new();
        for (parameter, _) in proctype.parameters.iter().zip(&run.arguments) {
            if parameter.area != Area::Local || !parameter.indices.is_empty() {
                return Ok(None);
            }
            parameters.push((parameter.offset as usize, parameter.scalar));
        }
        let Some(arguments) = self.function(|emitter| emitter.arguments(&run.arguments))? else {
            return Ok(None);
        };
        let assign = match assign {
            None => None,
            Some((place, value)) => {
                let statement = Statement::Assign(place.clone(), value.clone());
                let emit = |emitter: &mut Emitter<'_, '_>| {
                    emitter.notes = false;
                    emitter.transition(&statement)
                };
                match self.function(emit)? {
                    None => return Ok(None),
                    code => code,
                }
            }
        };
        let mut head = run.proctype.0.to_le_bytes().to_vec();
        head.extend(proctype.start.0.to_le_bytes());
        if self.system.has_priorities {
            head.push(run.priority);
        }
        Ok(Some(PendingCreation { arguments, assign, head, variables, parameters }))
    }
}

/// Computes what the variables of a new process are, if they are always the same.
fn first_values(setup: &[Setup], bytes: usize) -> Option<Vec<u8>> {
    let mut variables = vec![0; bytes];
    for step in setup {
        let Setup::Value(place, value) = step else { return None };
        let (value, is_plain) = (value.constant()?, place.area == Area::Local && place.indices.is_empty());
        is_plain.then_some(())?;
        place.scalar.write(&mut variables, place.offset as usize, value);
    }
    Some(variables)
}

impl Emitter<'_, '_> {
    /// Makes a function that puts the arguments of a `run` where a send puts its message.
    fn arguments(&mut self, arguments: &[Expr]) -> Result<(), Interpreted> {
        if arguments.len() > MAX_FIELDS {
            return Err(Interpreted);
        }
        let message = self.register(types::I64, offset_of!(UndoLog, message));
        for (index, argument) in arguments.iter().enumerate() {
            let value = self.value(argument)?;
            self.store_plain(Address { base: message, offset: 4 * index as i32 }, value);
        }
        self.done();
        Ok(())
    }
}
