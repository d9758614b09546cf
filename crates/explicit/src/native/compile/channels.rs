//! Channels: what is asked of them, sent to them and received from them.
//!
//! Where a channel lies and what its messages are is known beforehand if a global variable names it for ever.
//! Otherwise its number leads to its place, and its kind to one of several pieces of code, one for each shape
//! of channel.

use std::mem::offset_of;

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{Block, InstBuilder, Value, types};
use narrows_model::{ChannelKind, Expr, Pattern, Query, Receive, Send};

use super::Interpreted;
use super::emit::{Address, Emitter};
use crate::native::level::HEAD;
use crate::native::undo_log::{self, MAX_FIELDS, OFFERED, UndoLog};

/// Code for more shapes of channel than this is not worth its size.
const MAX_SHAPES: usize = 8;

/// Messages of at most this many bytes in all move up without a call.
const FEW_BYTES: u32 = 32;

/// A channel whose place is known.
#[derive(Clone, Copy)]
pub(super) struct Channel<'e> {
    /// Its number, counted from 1.
    number: Value,
    at: Address,
    kind: &'e ChannelKind,
}

impl Channel<'_> {
    fn messages(&self) -> Address {
        self.at.plus(HEAD as u32)
    }
}

impl<'e> Emitter<'e, '_> {
    /// Finds a channel and emits code for every shape it may have; each piece ends by going elsewhere.
    fn with_channel(
        &mut self,
        channel: &Expr,
        emit: &mut dyn FnMut(&mut Self, Channel<'e>) -> Result<(), Interpreted>,
    ) -> Result<(), Interpreted> {
        let kinds = &self.system.channel_kinds;
        if let Some(fixed) = self.facts.fixed(channel) {
            let number = self.constant(fixed.number as i32);
            let at = Address { base: self.state, offset: fixed.at as i32 };
            return emit(self, Channel { number, at, kind: &kinds[fixed.kind] });
        }
        let number = self.value(channel)?;
        let one = self.constant(1);
        let index = self.builder.ins().isub(number, one);
        let count = self.register(types::I32, offset_of!(UndoLog, channel_count));
        let exists = self.compare(IntCC::UnsignedLessThan, index, count);
        self.demand(exists, self.unusual);
        let table = self.register(types::I64, offset_of!(UndoLog, channels));
        let at = self.component(table, index);
        let shapes = &self.facts.shapes;
        if let [only] = shapes.as_slice() {
            return emit(self, Channel { number, at, kind: &kinds[*only] });
        }
        if shapes.len() > MAX_SHAPES {
            return Err(Interpreted);
        }
        let tag = self.load_word(at);
        let mask = self.constant(0x7fff);
        let kind = self.builder.ins().band(tag, mask);
        let table = self.address_constant(self.facts.shape_of.as_ptr() as usize);
        let entry = self.step(Address { base: table, offset: 0 }, kind, 1);
        let shape = self.load_byte(entry);
        for (number_of_shape, kind) in shapes.iter().enumerate() {
            let (this, next) = (self.block(), self.block());
            let same = self.compare_to(IntCC::Equal, shape, number_of_shape as i32);
            self.branch(same, this, next);
            self.go_to(this);
            emit(self, Channel { number, at, kind: &kinds[*kind] })?;
            self.go_to(next);
        }
        self.jump(self.unusual);
        Ok(())
    }

    /// Computes something of a channel.
    fn of_channel(
        &mut self,
        channel: &Expr,
        emit: &mut dyn FnMut(&mut Self, Channel<'e>) -> Result<Value, Interpreted>,
    ) -> Result<Value, Interpreted> {
        let next = self.block();
        let result = self.builder.append_block_param(next, types::I32);
        self.with_channel(channel, &mut |this, channel| {
            let value = emit(this, channel)?;
            this.builder.ins().jump(next, &[value.into()]);
            Ok(())
        })?;
        self.go_to(next);
        Ok(result)
    }

    fn length(&mut self, channel: &Channel<'_>) -> Value {
        self.load_word(channel.at.plus(2))
    }

    fn is_offered(&mut self, channel: &Channel<'_>) -> Value {
        let offered = self.register(types::I32, offset_of!(UndoLog, offer_channel));
        self.compare(IntCC::Equal, offered, channel.number)
    }

    pub(super) fn query(&mut self, query: Query, channel: &Expr) -> Result<Value, Interpreted> {
        self.of_channel(channel, &mut |this, channel| {
            let capacity = i32::from(channel.kind.capacity);
            let length = if capacity == 0 {
                // In the middle of a rendezvous the message is in the channel, as far as the receiver can
                // see.
                let offered = this.is_offered(&channel);
                this.number(offered)
            } else {
                this.length(&channel)
            };
            let truth = match query {
                Query::Length => return Ok(length),
                Query::Empty => this.compare_to(IntCC::Equal, length, 0),
                Query::NotEmpty => this.compare_to(IntCC::NotEqual, length, 0),
                Query::Full if capacity == 0 => return Ok(this.constant(0)),
                Query::NotFull if capacity == 0 => return Ok(this.constant(1)),
                Query::Full => this.compare_to(IntCC::UnsignedGreaterThanOrEqual, length, capacity),
                Query::NotFull => this.compare_to(IntCC::UnsignedLessThan, length, capacity),
            };
            Ok(this.number(truth))
        })
    }

    /// Goes on if a send would not block; nothing is held out when it is asked.
    pub(super) fn can_send(&mut self, send: &Send, yes: Block, no: Block) -> Result<(), Interpreted> {
        self.with_channel(&send.channel, &mut |this, channel| {
            if channel.kind.capacity == 0 {
                this.jump(yes);
            } else {
                let length = this.length(&channel);
                let capacity = i32::from(channel.kind.capacity);
                let has_room = this.compare_to(IntCC::UnsignedLessThan, length, capacity);
                this.branch(has_room, yes, no);
            }
            Ok(())
        })
    }

    /// Sends; goes on at `done`, or leaves the function with a message held out if that is allowed.
    pub(super) fn send(&mut self, send: &Send, done: Block, may_offer: bool) -> Result<(), Interpreted> {
        self.with_channel(&send.channel, &mut |this, channel| {
            let kind = channel.kind;
            if kind.fields.len() != send.arguments.len() || (kind.capacity == 0 && !may_offer) {
                this.jump(this.unusual);
                return Ok(());
            }
            if kind.capacity == 0 {
                return this.hold_out(send, &channel);
            }
            let length = this.length(&channel);
            let has_room = this.compare_to(IntCC::UnsignedLessThan, length, i32::from(kind.capacity));
            this.demand(has_room, this.blocked);
            let mut values = Vec::new();
            for argument in &send.arguments {
                values.push(this.value(argument)?);
            }
            let slot = if send.sorted { this.sorted_slot(&channel, &values, length) } else { length };
            let mut address = this.step(channel.messages(), slot, kind.message_bytes());
            for (field, value) in kind.fields.iter().zip(values) {
                this.write(address, *field, value);
                address = address.plus(field.bytes());
            }
            let one = this.constant(1);
            let more = this.builder.ins().iadd(length, one);
            this.write_bytes(channel.at.plus(2), 2, more);
            this.jump(done);
            Ok(())
        })
    }

    fn hold_out(&mut self, send: &Send, channel: &Channel<'_>) -> Result<(), Interpreted> {
        if send.arguments.len() > MAX_FIELDS {
            return Err(Interpreted);
        }
        let message = self.register(types::I64, offset_of!(UndoLog, message));
        for (index, (field, argument)) in channel.kind.fields.iter().zip(&send.arguments).enumerate() {
            let value = self.value(argument)?;
            let value = self.truncate(*field, value);
            self.store_plain(Address { base: message, offset: 4 * index as i32 }, value);
        }
        self.set_register(offset_of!(UndoLog, out_channel), channel.number);
        self.leave(OFFERED);
        Ok(())
    }

    /// Finds the first message that is greater than the new one, field by field, and makes room before it.
    fn sorted_slot(&mut self, channel: &Channel<'_>, values: &[Value], length: Value) -> Value {
        let kind = channel.kind;
        let (head, body, next, found) = (self.block(), self.block(), self.block(), self.block());
        let slot = self.builder.append_block_param(head, types::I32);
        let zero = self.constant(0);
        self.builder.ins().jump(head, &[zero.into()]);
        self.go_to(head);
        let more = self.compare(IntCC::UnsignedLessThan, slot, length);
        self.branch(more, body, found);
        self.go_to(body);
        let mut address = self.step(channel.messages(), slot, kind.message_bytes());
        for (field, value) in kind.fields.iter().zip(values) {
            let there = self.read(address, *field);
            address = address.plus(field.bytes());
            let (equal, not_less) = (self.block(), self.block());
            let less = self.compare(IntCC::SignedLessThan, *value, there);
            self.branch(less, found, not_less);
            self.go_to(not_less);
            let same = self.compare(IntCC::Equal, *value, there);
            self.branch(same, equal, next);
            self.go_to(equal);
        }
        self.jump(next);
        self.go_to(next);
        let one = self.constant(1);
        let after = self.builder.ins().iadd(slot, one);
        self.builder.ins().jump(head, &[after.into()]);
        self.go_to(found);
        self.move_messages(undo_log::make_room as *const () as usize, channel, slot, length);
        slot
    }

    fn move_messages(&mut self, function: usize, channel: &Channel<'_>, slot: Value, length: Value) {
        self.changes += 1;
        let messages = self.pointer(channel.messages());
        let bytes = self.constant(channel.kind.message_bytes() as i32);
        let noted = self.constant(i32::from(self.notes));
        let arguments = [self.undo_log, self.state, messages, slot, length, bytes, noted];
        let convention = self.builder.func.signature.call_conv;
        self.call(function, &arguments, convention);
    }

    /// Looks for a message that a receive would take; goes to `found` with its slot.
    fn matching_slot(
        &mut self,
        receive: &Receive,
        channel: &Channel<'_>,
        found: Block,
        none: Block,
    ) -> Result<(), Interpreted> {
        let length = self.length(channel);
        let zero = self.constant(0);
        if !receive.random {
            let some = self.compare_to(IntCC::NotEqual, length, 0);
            self.demand(some, none);
            self.match_fields(receive, channel, channel.messages(), none)?;
            self.builder.ins().jump(found, &[zero.into()]);
            return Ok(());
        }
        let (head, body, next) = (self.block(), self.block(), self.block());
        let slot = self.builder.append_block_param(head, types::I32);
        self.builder.ins().jump(head, &[zero.into()]);
        self.go_to(head);
        let more = self.compare(IntCC::UnsignedLessThan, slot, length);
        self.branch(more, body, none);
        self.go_to(body);
        let address = self.step(channel.messages(), slot, channel.kind.message_bytes());
        self.match_fields(receive, channel, address, next)?;
        self.builder.ins().jump(found, &[slot.into()]);
        self.go_to(next);
        let one = self.constant(1);
        let after = self.builder.ins().iadd(slot, one);
        self.builder.ins().jump(head, &[after.into()]);
        Ok(())
    }

    /// Goes on if the message at an address matches.
    fn match_fields(
        &mut self,
        receive: &Receive,
        channel: &Channel<'_>,
        mut address: Address,
        otherwise: Block,
    ) -> Result<(), Interpreted> {
        for (field, pattern) in channel.kind.fields.iter().zip(&receive.patterns) {
            if let Pattern::Match(expected) = pattern {
                let expected = self.value(expected)?;
                let there = self.read(address, *field);
                let same = self.compare(IntCC::Equal, there, expected);
                self.demand(same, otherwise);
            }
            address = address.plus(field.bytes());
        }
        Ok(())
    }

    pub(super) fn poll(&mut self, receive: &Receive) -> Result<Value, Interpreted> {
        self.of_channel(&receive.channel, &mut |this, channel| {
            let kind = channel.kind;
            let next = this.block();
            let result = this.builder.append_block_param(next, types::I32);
            if kind.capacity == 0 || receive.patterns.len() > kind.fields.len() {
                this.jump(this.unusual);
            } else {
                let (found, none) = (this.block(), this.block());
                let slot = this.builder.append_block_param(found, types::I32);
                this.matching_slot(receive, &channel, found, none)?;
                this.go_to(found);
                let one = this.constant(1);
                let position = this.builder.ins().iadd(slot, one);
                this.builder.ins().jump(next, &[position.into()]);
                this.go_to(none);
                let zero = this.constant(0);
                this.builder.ins().jump(next, &[zero.into()]);
            }
            this.go_to(next);
            Ok(result)
        })
    }

    /// Goes on if a receive would not block; nothing is held out when it is asked.
    pub(super) fn can_receive(
        &mut self,
        receive: &Receive,
        yes: Block,
        no: Block,
    ) -> Result<(), Interpreted> {
        self.with_channel(&receive.channel, &mut |this, channel| {
            let kind = channel.kind;
            if kind.capacity == 0 {
                this.jump(no);
            } else if receive.patterns.len() > kind.fields.len() {
                this.jump(this.unusual);
            } else {
                let found = this.block();
                this.builder.append_block_param(found, types::I32);
                this.matching_slot(receive, &channel, found, no)?;
                this.go_to(found);
                this.jump(yes);
            }
            Ok(())
        })
    }

    /// Receives, and goes on at `done`.
    pub(super) fn receive(&mut self, receive: &Receive, done: Block) -> Result<(), Interpreted> {
        self.with_channel(&receive.channel, &mut |this, channel| {
            let kind = channel.kind;
            if kind.fields.len() != receive.patterns.len() {
                this.jump(this.unusual);
                return Ok(());
            }
            if kind.capacity == 0 {
                return this.accept(receive, &channel, done);
            }
            let offered = this.register(types::I32, offset_of!(UndoLog, offer_channel));
            let free = this.compare_to(IntCC::Equal, offered, 0);
            this.demand(free, this.blocked);
            let found = this.block();
            let slot = this.builder.append_block_param(found, types::I32);
            this.matching_slot(receive, &channel, found, this.blocked)?;
            this.go_to(found);
            let mut address = if receive.random {
                this.step(channel.messages(), slot, kind.message_bytes())
            } else {
                channel.messages()
            };
            for (field, pattern) in kind.fields.iter().zip(&receive.patterns) {
                if let Pattern::Store(place) = pattern {
                    let value = this.read(address, *field);
                    let to = this.place(place)?;
                    this.write(to, place.scalar, value);
                }
                address = address.plus(field.bytes());
            }
            if !receive.peek {
                this.take_out(receive, &channel, slot);
            }
            this.jump(done);
            Ok(())
        })
    }

    /// Takes the message that is held out.
    fn accept(&mut self, receive: &Receive, channel: &Channel<'_>, done: Block) -> Result<(), Interpreted> {
        if receive.peek {
            // If nothing is held out, that is reported.
            let offered = self.register(types::I32, offset_of!(UndoLog, offer_channel));
            self.branch(offered, self.blocked, self.unusual);
            return Ok(());
        }
        let offered = self.is_offered(channel);
        self.demand(offered, self.blocked);
        let message = self.register(types::I64, offset_of!(UndoLog, offer));
        let field = |index: usize| Address { base: message, offset: 4 * index as i32 };
        for (index, pattern) in receive.patterns.iter().enumerate() {
            if let Pattern::Match(expected) = pattern {
                let expected = self.value(expected)?;
                let there = self.load(types::I32, field(index));
                let same = self.compare(IntCC::Equal, there, expected);
                self.demand(same, self.blocked);
            }
        }
        for (index, pattern) in receive.patterns.iter().enumerate() {
            if let Pattern::Store(place) = pattern {
                let value = self.load(types::I32, field(index));
                let to = self.place(place)?;
                self.write(to, place.scalar, value);
            }
        }
        self.jump(done);
        Ok(())
    }

    fn take_out(&mut self, receive: &Receive, channel: &Channel<'_>, slot: Value) {
        let kind = channel.kind;
        let length = self.length(channel);
        let bytes = kind.message_bytes();
        let all = bytes * u32::from(kind.capacity);
        if receive.random || all > FEW_BYTES {
            self.move_messages(undo_log::take_out as *const () as usize, channel, slot, length);
        } else {
            self.move_up(channel.messages(), bytes, all);
        }
        let one = self.constant(1);
        let less = self.builder.ins().isub(length, one);
        self.write_bytes(channel.at.plus(2), 2, less);
    }

    /// Moves the messages of a channel up by one, word by word; what becomes free is zero, as what was never
    /// used is.
    fn move_up(&mut self, messages: Address, bytes: u32, all: u32) {
        let words = all.div_ceil(8);
        let old: Vec<Value> = (0..words).map(|word| self.load(types::I64, messages.plus(8 * word))).collect();
        let whole = |word: u32| (all - 8 * word).min(8) == 8;
        let mask = |word: u32| if whole(word) { -1 } else { (1i64 << (8 * (all - 8 * word))) - 1 };
        // What is behind the last message belongs to others.
        let mut inside = old.clone();
        if let Some(last) = inside.last_mut() {
            let mask = self.builder.ins().iconst(types::I64, mask(words - 1));
            *last = self.builder.ins().band(*last, mask);
        }
        let zero = self.builder.ins().iconst(types::I64, 0);
        let (skip, shift) = (bytes / 8, 8 * (bytes % 8));
        for word in 0..words {
            let part = |index: u32| inside.get(index as usize).copied().unwrap_or(zero);
            let (low, high) = (part(word + skip), part(word + skip + 1));
            let mut value = low;
            if shift > 0 {
                let right = self.builder.ins().iconst(types::I64, i64::from(shift));
                let left = self.builder.ins().iconst(types::I64, i64::from(64 - shift));
                let low = self.builder.ins().ushr(low, right);
                let high = self.builder.ins().ishl(high, left);
                value = self.builder.ins().bor(low, high);
            }
            if !whole(word) {
                let others = self.builder.ins().iconst(types::I64, !mask(word));
                let others = self.builder.ins().band(old[word as usize], others);
                value = self.builder.ins().bor(value, others);
            }
            self.write_bytes(messages.plus(8 * word), 8, value);
        }
    }
}
