//! Statements by themselves.

use cranelift_codegen::ir::Block;
use narrows_model::{Guard, Statement};

use super::Interpreted;
use super::emit::Emitter;

impl Emitter<'_, '_> {
    /// Makes a function of a statement that is a step of its own.
    pub(super) fn transition(&mut self, statement: &Statement) -> Result<(), Interpreted> {
        let done = self.block();
        self.statement(statement, done, true)?;
        self.go_to(done);
        self.done();
        Ok(())
    }

    /// Executes a statement, and goes on at `done`.
    pub(super) fn statement(
        &mut self,
        statement: &Statement,
        done: Block,
        may_offer: bool,
    ) -> Result<(), Interpreted> {
        match statement {
            Statement::Skip | Statement::Else => self.jump(done),
            Statement::Condition(condition) => self.test(condition, done, self.blocked)?,
            Statement::Assert(condition) => self.test(condition, done, self.unusual)?,
            Statement::Assign(place, value) => {
                let value = self.value(value)?;
                let address = self.place(place)?;
                self.write(address, place.scalar, value);
                self.jump(done);
            }
            Statement::Send(send) => self.send(send, done, may_offer)?,
            Statement::Receive(receive) => self.receive(receive, done)?,
            Statement::Print(_, arguments) => {
                // What it prints is only seen when a run is replayed; that it can be computed matters always.
                for argument in arguments {
                    self.value(argument)?;
                }
                self.jump(done);
            }
            Statement::PrintMtype(value, _) => {
                self.value(value)?;
                self.jump(done);
            }
            // It is one without loops: others are functions of their own.
            Statement::DStep(step) => self.nodes(step, done, None)?,
            Statement::Run(..) | Statement::SetPriority(..) | Statement::End => return Err(Interpreted),
        }
        Ok(())
    }

    /// Makes a function of the guards of a `d_step`: one of them must hold.
    pub(super) fn guards(&mut self, guards: &[Guard]) -> Result<(), Interpreted> {
        let yes = self.block();
        self.any_guard(guards, yes, self.blocked)?;
        self.go_to(yes);
        self.done();
        Ok(())
    }

    /// Goes on at `yes` if one of the guards holds, at `otherwise` if none does.
    pub(super) fn any_guard(
        &mut self,
        guards: &[Guard],
        yes: Block,
        otherwise: Block,
    ) -> Result<(), Interpreted> {
        for guard in guards {
            let no = self.block();
            match guard {
                Guard::Always => self.jump(yes),
                Guard::Else => {
                    let taken = self.register(
                        cranelift_codegen::ir::types::I32,
                        std::mem::offset_of!(crate::native::undo_log::UndoLog, taken),
                    );
                    self.branch(taken, no, yes);
                }
                Guard::Condition(condition) => self.test(condition, yes, no)?,
                Guard::Send(send) => self.can_send(send, yes, no)?,
                Guard::Receive(receive) => self.can_receive(receive, yes, no)?,
            }
            self.go_to(no);
        }
        self.jump(otherwise);
        Ok(())
    }
}
