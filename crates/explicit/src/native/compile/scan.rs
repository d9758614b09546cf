//! All edges of a location in one function.
//!
//! The function tries one edge after the other, from a given one on, and returns at the first that does
//! something, with its number; so edges that are blocked cost next to nothing. What it leaves to others it
//! returns as unusual.

use std::mem::offset_of;
use std::ops::Range;

use cranelift_codegen::ir::{InstBuilder, types};
use cranelift_frontend::Switch;
use narrows_model::Statement;

use super::Interpreted;
use super::emit::{Address, Emitter};
use crate::native::undo_log::{NO_MORE, UNUSUAL, UndoLog};

/// An edge of a location.
pub(super) struct ScannedEdge<'s> {
    /// What it does; `None` if that is left to others.
    pub(super) statement: Option<&'s Statement>,
    pub(super) transition: u32,
    pub(super) target: u16,
    /// Whether the process keeps control afterwards.
    pub(super) atomic: bool,
    /// Which local variables nobody reads afterwards, and which global ones nobody ever does; empty if they
    /// are kept.
    pub(super) dead: &'s [Range<u32>],
    pub(super) unread: &'s [Range<u32>],
}

impl Emitter<'_, '_> {
    /// Makes a function of the edges of a location.
    pub(super) fn scan(&mut self, edges: &[ScannedEdge<'_>]) -> Result<(), Interpreted> {
        let blocks: Vec<_> = (0..=edges.len()).map(|_| self.block()).collect();
        let end = blocks[edges.len()];
        let next = self.register(types::I32, offset_of!(UndoLog, next_edge));
        let mut switch = Switch::new();
        for (number, block) in blocks[..edges.len()].iter().enumerate() {
            switch.set_entry(number as u128, *block);
        }
        switch.emit(&mut self.builder, next, end);
        let mut most_changes = 0;
        for (number, edge) in edges.iter().enumerate() {
            self.go_to(blocks[number]);
            (self.edge, self.changes) = (number as u32, 0);
            self.blocked = blocks[number + 1];
            self.unusual = self.block();
            self.builder.set_cold_block(self.unusual);
            let done = self.block();
            match edge.statement {
                None => self.jump(self.unusual),
                Some(Statement::Else) => {
                    let taken = self.register(types::I32, offset_of!(UndoLog, taken));
                    self.branch(taken, self.blocked, done);
                }
                Some(statement) => self.statement(statement, done, true)?,
            }
            self.go_to(self.unusual);
            self.leave(UNUSUAL);
            self.go_to(done);
            self.arrive(edge);
            self.done();
            most_changes = most_changes.max(self.changes);
        }
        self.changes = most_changes;
        self.go_to(end);
        let no_more = self.constant(NO_MORE as i32);
        self.builder.ins().return_(&[no_more]);
        Ok(())
    }

    /// Where the process's location is.
    pub(super) fn location(&self) -> Address {
        Address { base: self.locals, offset: 2 - self.layout.process_head as i32 }
    }

    /// Puts the process where an edge leads, with all that comes with it.
    pub(super) fn arrive(&mut self, edge: &ScannedEdge<'_>) {
        let target = self.constant(i32::from(edge.target));
        self.write_bytes(self.location(), 2, target);
        if self.system.tracks_last {
            let pid = self.register(types::I32, offset_of!(UndoLog, pid));
            self.write_bytes(Address { base: self.state, offset: 2 }, 1, pid);
        }
        let globals = Address { base: self.state, offset: self.layout.globals as i32 };
        let locals = Address { base: self.locals, offset: 0 };
        for (start, ranges) in [(locals, edge.dead), (globals, edge.unread)] {
            for range in ranges {
                self.clear(start.plus(range.start), range.end - range.start);
            }
        }
    }

    /// Sets bytes to zero.
    fn clear(&mut self, mut address: Address, mut bytes: u32) {
        while bytes > 0 {
            let width = 1 << bytes.min(8).ilog2();
            let of = if width == 8 { types::I64 } else { types::I32 };
            let zero = self.builder.ins().iconst(of, 0);
            self.write_bytes(address, width, zero);
            address = address.plus(width);
            bytes -= width;
        }
    }
}
