//! Channels: sending, matching, taking; follows `evaluator/channels.rs` line by line.

use super::layout::ChannelId;
use super::path::{HeldMessage, Path};
use super::{Maker, Refused};
use crate::synchronous::ExprId;
use crate::{Binary, ChannelKind, Pattern, Receive, Send, ViolationKind};

/// The paths of a statement: those on which it was executed, and those on which it offers a message.
#[derive(Debug, Default)]
pub(super) struct StatementPaths {
    pub(super) done: Vec<Path>,
    pub(super) offered: Vec<Path>,
}

impl<'s> Maker<'s> {
    pub(super) fn channel_kind(&self, channel: ChannelId) -> &'s ChannelKind {
        &self.system.channel_kinds[usize::from(self.layout.channels[channel.0].kind)]
    }

    pub(super) fn is_full(&mut self, path: &Path, channel: ChannelId) -> ExprId {
        let capacity = self.channel_kind(channel).capacity;
        if capacity == 0 {
            return self.terms.truth(false);
        }
        let length = path.value(self.layout.channels[channel.0].length);
        let capacity = self.terms.number(capacity);
        self.terms.binary(Binary::GreaterEqual, length, capacity)
    }

    /// Returns a field of a message; one that it lacks is 0.
    fn field(&mut self, path: &Path, channel: ChannelId, slot: usize, field: usize) -> ExprId {
        let messages = &self.layout.channels[channel.0].messages;
        match messages.get(slot).and_then(|message| message.get(field)) {
            Some(variable) => path.value(*variable),
            None => self.terms.number(0),
        }
    }

    /// Stops at a field that messages do not have, unless they have one only.
    fn check_field(
        &mut self,
        path: &mut Path,
        channel: ChannelId,
        field: usize,
        receive: &Receive,
        when: ExprId,
    ) {
        let count = self.channel_kind(channel).fields.len();
        if field >= count && count > 1 {
            self.fault(path, when, ViolationKind::TooManyFieldsReceived, receive.span);
        }
    }

    /// Returns for each place in a channel whether the message there is the first that a receive would take.
    pub(super) fn matching(
        &mut self,
        path: &mut Path,
        channel: ChannelId,
        receive: &Receive,
        under: ExprId,
    ) -> Result<Vec<ExprId>, Refused> {
        let most = self.layout.channels[channel.0].messages.len();
        let slots = if receive.random { most } else { most.min(1) };
        let mut open = under;
        let mut list = Vec::new();
        for slot in 0..slots {
            let place = self.terms.number(slot as i32);
            let length = path.value(self.layout.channels[channel.0].length);
            let is_there = self.terms.less(place, length);
            let mut fits = self.terms.and(open, is_there);
            for (field, pattern) in receive.patterns.iter().enumerate() {
                if let Pattern::Match(expected) = pattern
                    && !self.terms.is_false(fits)
                {
                    let there = self.field(path, channel, slot, field);
                    let value = self.value(path, expected, fits)?;
                    self.check_field(path, channel, field, receive, fits);
                    let same = self.terms.equal(value, there);
                    fits = self.terms.and(fits, same);
                }
            }
            let other = self.terms.not(fits);
            open = self.terms.and(open, other);
            list.push(fits);
        }
        Ok(list)
    }

    /// Returns the condition under which a receive matches the offered message.
    fn matches_offer(
        &mut self,
        path: &mut Path,
        offer: &HeldMessage,
        receive: &Receive,
        under: ExprId,
    ) -> Result<ExprId, Refused> {
        let mut fits = under;
        for (field, pattern) in receive.patterns.iter().enumerate() {
            if let Pattern::Match(expected) = pattern
                && !self.terms.is_false(fits)
            {
                let value = self.value(path, expected, fits)?;
                self.check_field(path, offer.channel, field, receive, fits);
                let zero = self.terms.number(0);
                let there = offer.message.get(field).copied().unwrap_or(zero);
                let same = self.terms.equal(value, there);
                fits = self.terms.and(fits, same);
            }
        }
        Ok(fits)
    }

    /// Returns whether a receive would not block.
    pub(super) fn can_receive(
        &mut self,
        path: &mut Path,
        receive: &Receive,
        under: ExprId,
    ) -> Result<ExprId, Refused> {
        let number = self.value(path, &receive.channel, under)?;
        let (list, none) = self.channels(path, number);
        let none = self.terms.and(under, none);
        self.report(path, none, ViolationKind::ReceiveFromNowhere, receive.span);
        let mut ways = Vec::new();
        for (condition, channel) in list {
            let when = self.terms.and(under, condition);
            if let Some(offer) = path.offer.clone() {
                if offer.channel == channel && !receive.peek {
                    ways.push(self.matches_offer(path, &offer, receive, when)?);
                }
            } else if self.channel_kind(channel).capacity > 0 {
                ways.extend(self.matching(path, channel, receive, when)?);
            }
        }
        Ok(self.terms.any(&ways))
    }

    /// Returns whether a send would not block.
    pub(super) fn can_send(
        &mut self,
        path: &mut Path,
        send: &Send,
        under: ExprId,
    ) -> Result<ExprId, Refused> {
        let number = self.value(path, &send.channel, under)?;
        let (list, none) = self.channels(path, number);
        let none = self.terms.and(under, none);
        self.fault(path, none, ViolationKind::NoChannel, send.span);
        let mut ways = Vec::new();
        for (condition, channel) in list {
            let full = self.is_full(path, channel);
            let room = self.terms.not(full);
            ways.push(self.terms.and(condition, room));
        }
        let any = self.terms.any(&ways);
        Ok(if path.offer.is_some() { self.terms.truth(false) } else { any })
    }

    /// Receives, on every path on which that does not block.
    pub(super) fn receive(
        &mut self,
        mut path: Path,
        receive: &Receive,
        tried: &mut StatementPaths,
    ) -> Result<(), Refused> {
        let always = self.terms.truth(true);
        let number = self.value(&mut path, &receive.channel, always)?;
        let (list, none) = self.channels(&path, number);
        self.report(&path, none, ViolationKind::ReceiveFromNowhere, receive.span);
        for (condition, channel) in list {
            let mut path = path.clone();
            path.assume(&mut self.terms, condition);
            if path.is_impossible() {
                continue;
            }
            if let Some(offer) = path.offer.clone() {
                if offer.channel == channel && !receive.peek {
                    let fits = self.matches_offer(&mut path, &offer, receive, always)?;
                    path.assume(&mut self.terms, fits);
                    self.take(path, (channel, 0), receive, tried)?;
                }
            } else if self.channel_kind(channel).capacity == 0 {
                if receive.peek {
                    self.report(&path, always, ViolationKind::PolledRendezvous, receive.span);
                }
            } else {
                let slots = self.matching(&mut path, channel, receive, always)?;
                for (slot, fits) in slots.into_iter().enumerate() {
                    let mut path = path.clone();
                    path.assume(&mut self.terms, fits);
                    self.take(path, (channel, slot), receive, tried)?;
                }
            }
        }
        Ok(())
    }

    /// Takes the message in a slot, or the offered one.
    fn take(
        &mut self,
        mut path: Path,
        (channel, slot): (ChannelId, usize),
        receive: &Receive,
        tried: &mut StatementPaths,
    ) -> Result<(), Refused> {
        if path.is_impossible() {
            return Ok(());
        }
        let always = self.terms.truth(true);
        let count = self.channel_kind(channel).fields.len();
        if receive.patterns.len() != count && !receive.peek {
            let only_tests = receive.patterns.iter().all(|pattern| matches!(pattern, Pattern::Match(_)));
            if only_tests && !receive.random {
                self.fault(&mut path, always, ViolationKind::TooManyFieldsReceived, receive.span);
                return Ok(());
            }
            self.report(&path, always, ViolationKind::WrongFieldCountReceived, receive.span);
        }
        let offer = path.offer.clone();
        let mut message = Vec::new();
        for field in 0..receive.patterns.len() {
            let there = self.field(&path, channel, slot, field);
            let zero = self.terms.number(0);
            message.push(match &offer {
                Some(offer) => offer.message.get(field).copied().unwrap_or(zero),
                None => there,
            });
        }
        for (field, pattern) in receive.patterns.iter().enumerate() {
            if let Pattern::Store(_) | Pattern::Discard = pattern {
                self.check_field(&mut path, channel, field, receive, always);
            }
            if let Pattern::Store(place) = pattern {
                self.store(&mut path, place, message[field])?;
            }
        }
        if offer.is_none() && !receive.peek {
            self.remove(&mut path, channel, slot);
        }
        if !path.is_impossible() {
            tried.done.push(path);
        }
        Ok(())
    }

    /// Takes a message out; what comes after it moves up.
    fn remove(&mut self, path: &mut Path, channel: ChannelId, slot: usize) {
        let layout = &self.layout.channels[channel.0];
        let zero = self.terms.builder.constant(0);
        for (place, message) in layout.messages.iter().enumerate().skip(slot) {
            for (field, variable) in message.iter().enumerate() {
                let after = layout.messages.get(place + 1).map(|message| path.value(message[field]));
                path.set(*variable, after.unwrap_or(zero));
            }
        }
        let (variable, one) = (layout.length, self.terms.builder.constant(1));
        let shorter = self.terms.binary(Binary::Subtract, path.value(variable), one);
        path.set(variable, shorter);
    }

    pub(super) fn send(
        &mut self,
        mut path: Path,
        send: &Send,
        tried: &mut StatementPaths,
    ) -> Result<(), Refused> {
        let always = self.terms.truth(true);
        let number = self.value(&mut path, &send.channel, always)?;
        let (list, none) = self.channels(&path, number);
        self.fault(&mut path, none, ViolationKind::NoChannel, send.span);
        for (condition, channel) in list {
            let mut path = path.clone();
            path.assume(&mut self.terms, condition);
            let full = self.is_full(&path, channel);
            let room = self.terms.not(full);
            path.assume(&mut self.terms, room);
            if path.is_impossible() {
                continue;
            }
            let kind = self.channel_kind(channel);
            let mut raw = Vec::new();
            for argument in &send.arguments {
                raw.push(self.value(&mut path, argument, always)?);
            }
            if raw.len() != kind.fields.len() {
                let few = raw.len() < kind.fields.len();
                let fault =
                    if few { ViolationKind::TooFewFieldsSent } else { ViolationKind::TooManyFieldsSent };
                self.report(&path, always, fault, send.span);
                raw.resize(kind.fields.len(), self.terms.builder.constant(0));
            }
            let message: Vec<ExprId> = raw
                .iter()
                .zip(&kind.fields)
                .map(|(value, field)| self.terms.stored(*value, *field))
                .collect();
            if path.is_impossible() {
            } else if kind.capacity == 0 {
                path.offer = Some(HeldMessage { channel, message });
                tried.offered.push(path);
            } else {
                self.insert(&mut path, channel, &raw, &message, send.sorted);
                if !path.is_impossible() {
                    tried.done.push(path);
                }
            }
        }
        Ok(())
    }

    /// Puts a message into a channel that has room: at the end, or before the first greater one.
    fn insert(
        &mut self,
        path: &mut Path,
        channel: ChannelId,
        raw: &[ExprId],
        message: &[ExprId],
        sorted: bool,
    ) {
        let layout = self.layout.channels[channel.0].clone();
        let length = path.value(layout.length);
        let most = layout.messages.len();
        if most < usize::from(self.channel_kind(channel).capacity) {
            // There may be room, but there is no place for it among the variables.
            let too_long = self.terms.equals(length, most as i32);
            let before = path.condition(&mut self.terms);
            let beyond = self.terms.and(before, too_long);
            self.note_beyond(beyond);
            let fine = self.terms.not(too_long);
            path.assume(&mut self.terms, fine);
        }
        // Whether the message goes before the one at a place, or before an earlier one.
        let mut passed = self.terms.truth(false);
        let mut old: Option<Vec<ExprId>> = None;
        for (place, variables) in layout.messages.iter().enumerate() {
            let here: Vec<ExprId> = variables.iter().map(|variable| path.value(*variable)).collect();
            let number = self.terms.number(place as i32);
            let is_there = self.terms.less(number, length);
            let mut comes = self.terms.equal(number, length);
            if sorted {
                let less = self.lexicographic(raw, &here);
                let less = self.terms.and(is_there, less);
                comes = self.terms.or(comes, less);
            }
            for (field, variable) in variables.iter().enumerate() {
                let moved = old.as_ref().map_or(here[field], |old| old[field]);
                let mut value = self.terms.choose(comes, message[field], here[field]);
                // In a sorted channel, what is greater moves on.
                if sorted {
                    value = self.terms.choose(passed, moved, value);
                }
                path.set(*variable, value);
            }
            passed = self.terms.or(passed, comes);
            old = Some(here);
        }
        let one = self.terms.number(1);
        let longer = self.terms.binary(Binary::Add, length, one);
        path.set(layout.length, longer);
    }

    /// Returns whether a message is less than another, field by field.
    fn lexicographic(&mut self, left: &[ExprId], right: &[ExprId]) -> ExprId {
        let mut result = self.terms.truth(false);
        for (a, b) in left.iter().zip(right).rev() {
            let (less, same) = (self.terms.less(*a, *b), self.terms.equal(*a, *b));
            let later = self.terms.and(same, result);
            result = self.terms.or(less, later);
        }
        result
    }
}
