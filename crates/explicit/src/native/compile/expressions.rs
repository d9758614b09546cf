//! Expressions, as values and as branches.

use std::mem::offset_of;

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{Block, InstBuilder, Value, types};
use narrows_model::{Area, Binary, Expr, ProctypeId, Unary};

use super::Interpreted;
use super::emit::{Address, Emitter};
use crate::native::level::HEAD;
use crate::native::undo_log::UndoLog;

impl Emitter<'_, '_> {
    /// Makes a function of a condition alone.
    pub(super) fn condition(&mut self, condition: &Expr) -> Result<(), Interpreted> {
        let yes = self.block();
        self.test(condition, yes, self.blocked)?;
        self.go_to(yes);
        self.done();
        Ok(())
    }

    /// Branches on an expression.
    pub(super) fn test(&mut self, expr: &Expr, yes: Block, no: Block) -> Result<(), Interpreted> {
        match expr {
            Expr::Constant(value) => self.jump(if *value == 0 { no } else { yes }),
            Expr::Unary(Unary::Not, operand) => self.test(operand, no, yes)?,
            Expr::Binary(Binary::And, left, right, _) => {
                let middle = self.block();
                self.test(left, middle, no)?;
                self.go_to(middle);
                self.test(right, yes, no)?;
            }
            Expr::Binary(Binary::Or, left, right, _) => {
                let middle = self.block();
                self.test(left, yes, middle)?;
                self.go_to(middle);
                self.test(right, yes, no)?;
            }
            Expr::Binary(operator, left, right, _) if comparison(*operator).is_some() => {
                let how = comparison(*operator).ok_or(Interpreted)?;
                let (left, right) = (self.value(left)?, self.value(right)?);
                let truth = self.compare(how, left, right);
                self.branch(truth, yes, no);
            }
            _ => {
                let value = self.value(expr)?;
                self.branch(value, yes, no);
            }
        }
        Ok(())
    }

    pub(super) fn value(&mut self, expr: &Expr) -> Result<Value, Interpreted> {
        Ok(match expr {
            Expr::Constant(value) => self.constant(*value),
            Expr::Load(place) => {
                let address = self.place(place)?;
                self.read(address, place.scalar)
            }
            Expr::Unary(Unary::Minus, operand) => {
                let value = self.value(operand)?;
                self.builder.ins().ineg(value)
            }
            Expr::Unary(Unary::Complement, operand) => {
                let value = self.value(operand)?;
                self.builder.ins().bnot(value)
            }
            Expr::Unary(Unary::Not, operand) => {
                let value = self.value(operand)?;
                let truth = self.compare_to(IntCC::Equal, value, 0);
                self.number(truth)
            }
            Expr::Binary(Binary::And | Binary::Or, ..) => {
                let (yes, no) = (self.block(), self.block());
                self.test(expr, yes, no)?;
                self.either(yes, no, |this| Ok(this.constant(1)), |this| Ok(this.constant(0)))?
            }
            Expr::Binary(operator, left, right, _) => self.binary(*operator, left, right)?,
            Expr::Conditional(condition, left, right) => {
                let (yes, no) = (self.block(), self.block());
                self.test(condition, yes, no)?;
                self.either(yes, no, |this| this.value(left), |this| this.value(right))?
            }
            Expr::Pid => self.register(types::I32, offset_of!(UndoLog, pid)),
            Expr::ProcessCount => self.register(types::I32, offset_of!(UndoLog, process_count)),
            Expr::RunResult => self.register(types::I32, offset_of!(UndoLog, run_result)),
            Expr::Timeout => self.register(types::I32, offset_of!(UndoLog, timeout)),
            Expr::Last if self.system.tracks_last => self.load_byte(Address { base: self.state, offset: 2 }),
            Expr::Priority if !self.system.has_priorities => self.constant(1),
            Expr::Channel(query, channel, _) => self.query(*query, channel)?,
            Expr::Poll(receive) => self.poll(receive)?,
            Expr::LocationOf(pid) => {
                self.of_process(pid, None, |this, process| Ok(this.load_word(process.plus(2))))?
            }
            Expr::AtLocation { proctype, pid: Some(pid), location } => {
                self.of_process(pid, Some(*proctype), |this, process| {
                    let there = this.load_word(process.plus(2));
                    let truth = this.compare_to(IntCC::Equal, there, i32::from(*location));
                    Ok(this.number(truth))
                })?
            }
            Expr::Remote { proctype, pid: Some(pid), place } if place.area == Area::Local => self
                .of_process(pid, Some(*proctype), |this, process| {
                    let start = process.plus(this.layout.process_head as u32);
                    let address = this.place_from(start, place)?;
                    Ok(this.read(address, place.scalar))
                })?,
            Expr::Last
            | Expr::Priority
            | Expr::PriorityOf(_)
            | Expr::NonProgress
            | Expr::Enabled(..)
            | Expr::AtLocation { .. }
            | Expr::Remote { .. } => return Err(Interpreted),
        })
    }

    /// Computes a value in one of two blocks, and goes on with it.
    pub(super) fn either(
        &mut self,
        yes: Block,
        no: Block,
        left: impl FnOnce(&mut Self) -> Result<Value, Interpreted>,
        right: impl FnOnce(&mut Self) -> Result<Value, Interpreted>,
    ) -> Result<Value, Interpreted> {
        let next = self.block();
        let result = self.builder.append_block_param(next, types::I32);
        self.go_to(yes);
        let value = left(self)?;
        self.builder.ins().jump(next, &[value.into()]);
        self.go_to(no);
        let value = right(self)?;
        self.builder.ins().jump(next, &[value.into()]);
        self.go_to(next);
        Ok(result)
    }

    /// Computes something of a process; 0 if there is none of the number, or it is of another kind.
    fn of_process(
        &mut self,
        pid: &Expr,
        proctype: Option<ProctypeId>,
        what: impl FnOnce(&mut Self, Address) -> Result<Value, Interpreted>,
    ) -> Result<Value, Interpreted> {
        let pid = self.value(pid)?;
        let count = self.register(types::I32, offset_of!(UndoLog, process_count));
        let exists = self.compare(IntCC::UnsignedLessThan, pid, count);
        let (there, yes, no) = (self.block(), self.block(), self.block());
        self.branch(exists, there, no);
        self.go_to(there);
        let table = self.register(types::I64, offset_of!(UndoLog, processes));
        let process = self.component(table, pid);
        match proctype {
            Some(proctype) => {
                let tag = self.load_word(process);
                let same = self.compare_to(IntCC::Equal, tag, i32::from(proctype.0));
                self.branch(same, yes, no);
            }
            None => self.jump(yes),
        }
        self.either(yes, no, |this| what(this, process), |this| Ok(this.constant(0)))
    }

    /// Finds a component by its place in a table.
    pub(super) fn component(&mut self, table: Value, index: Value) -> Address {
        const { assert!(HEAD == 4) };
        let entry = self.step(Address { base: table, offset: 0 }, index, 4);
        let offset = self.load(types::I32, entry);
        self.step(Address { base: self.state, offset: 0 }, offset, 1)
    }

    fn binary(&mut self, operator: Binary, left: &Expr, right: &Expr) -> Result<Value, Interpreted> {
        let divisor = right.constant();
        let (left, right) = (self.value(left)?, self.value(right)?);
        if let Some(how) = comparison(operator) {
            let truth = self.compare(how, left, right);
            return Ok(self.number(truth));
        }
        if let Binary::Divide | Binary::Remainder = operator {
            self.check_division(left, right, divisor);
        }
        let ins = self.builder.ins();
        Ok(match operator {
            Binary::Multiply => ins.imul(left, right),
            Binary::Divide => ins.sdiv(left, right),
            Binary::Remainder => ins.srem(left, right),
            Binary::Add => ins.iadd(left, right),
            Binary::Subtract => ins.isub(left, right),
            Binary::ShiftLeft => ins.ishl(left, right),
            Binary::ShiftRight => ins.sshr(left, right),
            Binary::BitAnd => ins.band(left, right),
            Binary::BitXor => ins.bxor(left, right),
            Binary::BitOr => ins.bor(left, right),
            _ => return Err(Interpreted),
        })
    }

    /// Leaves a division that has no result to the reference evaluator.
    fn check_division(&mut self, left: Value, right: Value, divisor: Option<i32>) {
        if divisor.is_none_or(|divisor| divisor == 0) {
            let possible = self.compare_to(IntCC::NotEqual, right, 0);
            self.demand(possible, self.unusual);
        }
        if divisor.is_none_or(|divisor| divisor == -1) {
            let smallest = self.compare_to(IntCC::Equal, left, i32::MIN);
            let turned = self.compare_to(IntCC::Equal, right, -1);
            let overflow = self.builder.ins().band(smallest, turned);
            let next = self.block();
            self.branch(overflow, self.unusual, next);
            self.go_to(next);
        }
    }
}

fn comparison(operator: Binary) -> Option<IntCC> {
    Some(match operator {
        Binary::Less => IntCC::SignedLessThan,
        Binary::LessEqual => IntCC::SignedLessThanOrEqual,
        Binary::Greater => IntCC::SignedGreaterThan,
        Binary::GreaterEqual => IntCC::SignedGreaterThanOrEqual,
        Binary::Equal => IntCC::Equal,
        Binary::NotEqual => IntCC::NotEqual,
        _ => return None,
    })
}
