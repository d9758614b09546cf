//! What a process does inside an atomic sequence while it has no choice, in one function for all of it.
//!
//! The function goes from location to location as long as just one edge can be taken there, and notes which
//! it took. Where there are several, or none, or something is unusual, it stops, and the walk goes on from
//! there one edge at a time.

use std::mem::offset_of;

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{Block, InstBuilder, types};
use cranelift_frontend::{Switch, Variable};
use narrows_model::Statement;

use super::Interpreted;
use super::emit::{Address, Emitter};
use super::scan::ScannedEdge;
use crate::native::undo_log::{SEQUENCE_ENDS, SEQUENCE_GOES_ON, UndoLog};

/// A location inside an atomic sequence all of whose edges are compiled.
pub(super) struct Link<'s> {
    pub(super) location: u16,
    pub(super) edges: Vec<ScannedEdge<'s>>,
}

impl Emitter<'_, '_> {
    /// Makes a function of the locations of a kind of process that lie inside atomic sequences.
    pub(super) fn chain(&mut self, links: &[Link<'_>]) -> Result<(), Interpreted> {
        let stop = self.block();
        let steps = self.builder.declare_var(types::I64);
        let first = self.register(types::I64, offset_of!(UndoLog, chain));
        self.builder.def_var(steps, first);
        self.settle();
        let blocks: Vec<Block> = links.iter().map(|_| self.block()).collect();
        let location = self.load_word(self.location());
        let mut switch = Switch::new();
        for (link, block) in links.iter().zip(&blocks) {
            switch.set_entry(u128::from(link.location), *block);
        }
        switch.emit(&mut self.builder, location, stop);
        (self.blocked, self.unusual) = (stop, stop);
        let mut most_changes = 0;
        for (link, block) in links.iter().zip(&blocks) {
            self.go_to(*block);
            let step = self.builder.use_var(steps);
            let end = self.register(types::I64, offset_of!(UndoLog, chain_limit));
            let has_room = self.compare(IntCC::UnsignedLessThan, step, end);
            self.demand(has_room, stop);
            let takers = self.only_choice(&link.edges, stop)?;
            for (edge, taker) in link.edges.iter().zip(takers) {
                self.go_to(taker);
                self.changes = 0;
                let done = self.block();
                self.statement(edge.statement.ok_or(Interpreted)?, done, false)?;
                self.go_to(done);
                self.arrive(edge);
                self.note_step(steps, link.location, edge);
                let next = links.iter().position(|next| next.location == edge.target);
                match next.filter(|_| edge.atomic) {
                    Some(next) => self.jump(blocks[next]),
                    None if edge.atomic => self.jump(stop),
                    None => self.leave_chain(steps, SEQUENCE_ENDS),
                }
                most_changes = most_changes.max(self.changes);
            }
        }
        self.changes = most_changes;
        self.go_to(stop);
        self.leave_chain(steps, SEQUENCE_GOES_ON);
        Ok(())
    }

    /// Finds the one edge that can be taken; stops if there are several, or none. Returns where each goes on.
    fn only_choice(&mut self, edges: &[ScannedEdge<'_>], stop: Block) -> Result<Vec<Block>, Interpreted> {
        let takers: Vec<Block> = edges.iter().map(|_| self.block()).collect();
        if let [only] = takers.as_slice() {
            self.jump(*only);
            return Ok(takers);
        }
        let none = edges.len() as i32;
        let chosen = self.builder.declare_var(types::I32);
        let start = self.constant(none);
        self.builder.def_var(chosen, start);
        let mut otherwise = None;
        for (number, edge) in edges.iter().enumerate() {
            let statement = edge.statement.ok_or(Interpreted)?;
            if *statement == Statement::Else {
                otherwise = Some(number);
                continue;
            }
            let (yes, no) = (self.block(), self.block());
            self.can_execute(statement, yes, no)?;
            self.go_to(yes);
            let before = self.builder.use_var(chosen);
            let is_first = self.compare_to(IntCC::Equal, before, none);
            self.demand(is_first, stop);
            let number = self.constant(number as i32);
            self.builder.def_var(chosen, number);
            self.jump(no);
            self.go_to(no);
        }
        let mut switch = Switch::new();
        for (number, taker) in takers.iter().enumerate() {
            if otherwise != Some(number) {
                switch.set_entry(number as u128, *taker);
            }
        }
        let chosen = self.builder.use_var(chosen);
        switch.emit(&mut self.builder, chosen, otherwise.map_or(stop, |number| takers[number]));
        Ok(takers)
    }

    fn can_execute(&mut self, statement: &Statement, yes: Block, no: Block) -> Result<(), Interpreted> {
        match statement {
            Statement::Condition(condition) => self.test(condition, yes, no),
            Statement::Send(send) => self.can_send(send, yes, no),
            Statement::Receive(receive) => self.can_receive(receive, yes, no),
            Statement::DStep(step) if !step.guards.is_empty() => self.any_guard(&step.guards, yes, no),
            _ => {
                self.jump(yes);
                Ok(())
            }
        }
    }

    /// Notes which edge was taken, and that what was changed so far is meant.
    fn note_step(&mut self, steps: Variable, location: u16, edge: &ScannedEdge<'_>) {
        let step = self.builder.use_var(steps);
        let what = i64::from(edge.transition) << 32 | i64::from(location);
        let what = self.builder.ins().iconst(types::I64, what);
        self.store_plain(Address { base: step, offset: 0 }, what);
        let size = self.builder.ins().iconst(types::I64, 8);
        let next = self.builder.ins().iadd(step, size);
        self.builder.def_var(steps, next);
        self.settle();
    }

    fn settle(&mut self) {
        let log = self.register(types::I64, offset_of!(UndoLog, log));
        self.set_register(offset_of!(UndoLog, settled), log);
    }

    fn leave_chain(&mut self, steps: Variable, how: u32) {
        let step = self.builder.use_var(steps);
        self.set_register(offset_of!(UndoLog, chain_end), step);
        let how = self.constant(how as i32);
        self.builder.ins().return_(&[how]);
    }
}
