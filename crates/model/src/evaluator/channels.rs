//! Channels: finding, sending, matching, taking.

use narrows_source::Span;

use super::expressions::{Context, Fault};
use super::frame::Frame;
use crate::{ChannelKind, Communication, Message, Pattern, Query, Receive, Scalar, Send, ViolationKind};

/// A message that a sender holds out in a rendezvous.
#[derive(Clone, Debug, Default)]
pub struct Offer {
    /// The channel's index, counted from 0.
    pub channel: usize,
    /// The fields.
    pub message: Message,
}

/// Reads a message field by field.
struct Reader<'s> {
    channel: usize,
    fields: &'s [Scalar],
    at: usize,
}

impl Reader<'_> {
    /// Returns the next field; one that a message lacks is 0.
    fn next(&mut self, frame: &Frame) -> i32 {
        let Some((scalar, rest)) = self.fields.split_first() else { return 0 };
        let end = self.at + scalar.bytes() as usize;
        frame.note_messages(self.channel, self.at..end);
        let value = scalar.read(frame.messages(self.channel), self.at);
        self.fields = rest;
        self.at = end;
        value
    }
}

/// How a send went.
pub(super) enum Sent {
    Blocked,
    Stored,
    Offered(Offer),
}

impl<'s> Context<'_, 's> {
    /// Finds the channel that an expression names.
    pub(super) fn channel(&mut self, channel: &crate::Expr, span: Span) -> Result<usize, Fault> {
        let number = self.value(channel)?;
        match usize::try_from(number - 1) {
            Ok(index) if index < self.frame.channel_count() => Ok(index),
            _ => Err(self.fault(ViolationKind::NoChannel, span)),
        }
    }

    pub(super) fn kind(&self, channel: usize) -> &'s ChannelKind {
        &self.system.channel_kinds[self.frame.channel_kind(channel)]
    }

    fn is_full(&self, channel: usize) -> bool {
        let kind = self.kind(channel);
        kind.capacity > 0 && self.frame.channel_length(channel) >= usize::from(kind.capacity)
    }

    /// Finds the channel that is received from; without one, that is reported and the receive blocks.
    fn source(&mut self, receive: &Receive) -> Result<Option<usize>, Fault> {
        match self.channel(&receive.channel, receive.span) {
            Err(fault) if fault.kind == ViolationKind::NoChannel => {
                self.report(ViolationKind::ReceiveFromNowhere, receive.span);
                Ok(None)
            }
            found => found.map(Some),
        }
    }

    pub(super) fn query(&mut self, query: Query, channel: &crate::Expr, span: Span) -> Result<i32, Fault> {
        let channel = self.channel(channel, span)?;
        // In the middle of a rendezvous the message is in the channel, as far as the receiver can see.
        let offered = self.offer.is_some_and(|offer| offer.channel == channel);
        let length = self.frame.channel_length(channel) + usize::from(offered);
        Ok(match query {
            Query::Length => length as i32,
            Query::Full => i32::from(self.is_full(channel)),
            Query::Empty => i32::from(length == 0),
            Query::NotFull => i32::from(!self.is_full(channel)),
            Query::NotEmpty => i32::from(length > 0),
        })
    }

    /// Starts to read a message field by field.
    fn reader(&self, channel: usize, slot: usize) -> Reader<'s> {
        let kind = self.kind(channel);
        Reader { channel, fields: &kind.fields, at: slot * kind.message_bytes() as usize }
    }

    /// Returns whether a send would not block.
    pub(super) fn can_send(&mut self, send: &Send) -> Result<bool, Fault> {
        let channel = self.channel(&send.channel, send.span)?;
        Ok(self.offer.is_none() && !self.is_full(channel))
    }

    pub(super) fn send(&mut self, send: &Send) -> Result<Sent, Fault> {
        let channel = self.channel(&send.channel, send.span)?;
        if self.offer.is_some() || self.is_full(channel) {
            return Ok(Sent::Blocked);
        }
        let kind = self.kind(channel);
        let mut raw = Message::with_capacity(send.arguments.len());
        for argument in &send.arguments {
            let value = self.value(argument)?;
            raw.push(value);
        }
        if raw.len() != kind.fields.len() {
            let few = raw.len() < kind.fields.len();
            let fault = if few { ViolationKind::TooFewFieldsSent } else { ViolationKind::TooManyFieldsSent };
            self.report(fault, send.span);
            raw.resize(kind.fields.len(), 0);
        }
        if let Some(events) = &mut self.events {
            let message = raw.iter().zip(&kind.fields).map(|(value, field)| field.truncate(*value)).collect();
            events.push(Communication { sent: true, channel: channel as i32 + 1, message });
        }
        if kind.capacity == 0 {
            let message = raw.iter().zip(&kind.fields).map(|(value, field)| field.truncate(*value)).collect();
            return Ok(Sent::Offered(Offer { channel, message }));
        }
        let length = self.frame.channel_length(channel);
        let slot = if send.sorted { self.sorted_slot(channel, &raw, length) } else { length };
        let bytes = kind.message_bytes() as usize;
        self.frame.note_messages(channel, slot * bytes..(length + 1) * bytes);
        let messages = self.frame.messages_mut(channel);
        messages.copy_within(slot * bytes..length * bytes, (slot + 1) * bytes);
        let mut at = slot * bytes;
        for (value, field) in raw.iter().zip(&kind.fields) {
            field.write(messages, at, *value);
            at += field.bytes() as usize;
        }
        self.frame.set_channel_length(channel, length + 1);
        Ok(Sent::Stored)
    }

    /// Finds the first message that is greater than the new one, field by field.
    fn sorted_slot(&self, channel: usize, message: &[i32], length: usize) -> usize {
        (0..length)
            .find(|slot| {
                let mut reader = self.reader(channel, *slot);
                let there = (0..message.len()).map(|_| reader.next(self.frame));
                message.iter().copied().lt(there)
            })
            .unwrap_or(length)
    }

    /// Returns the slot of the message that a receive would take.
    fn matching_slot(&mut self, channel: usize, receive: &Receive) -> Result<Option<usize>, Fault> {
        let length = self.frame.channel_length(channel);
        let slots = if receive.random { length } else { length.min(1) };
        'slots: for slot in 0..slots {
            let mut reader = self.reader(channel, slot);
            for (field, pattern) in receive.patterns.iter().enumerate() {
                let there = reader.next(self.frame);
                if let Pattern::Match(expected) = pattern {
                    let value = self.value(expected)?;
                    self.check_field(channel, field, receive)?;
                    if value != there {
                        continue 'slots;
                    }
                }
            }
            return Ok(Some(slot));
        }
        Ok(None)
    }

    /// Returns 0 or the 1-based position of the message that a poll finds.
    pub(super) fn poll(&mut self, receive: &Receive) -> Result<i32, Fault> {
        let Some(channel) = self.source(receive)? else { return Ok(0) };
        if self.kind(channel).capacity == 0 {
            self.report(ViolationKind::PolledRendezvous, receive.span);
            return Ok(0);
        }
        Ok(self.matching_slot(channel, receive)?.map_or(0, |slot| slot as i32 + 1))
    }

    /// Stops at a field that messages do not have, unless they have one only: as in SPIN, the others are 0
    /// then.
    fn check_field(&self, channel: usize, field: usize, receive: &Receive) -> Result<(), Fault> {
        let count = self.kind(channel).fields.len();
        if field >= count && count > 1 {
            return Err(self.fault(ViolationKind::TooManyFieldsReceived, receive.span));
        }
        Ok(())
    }

    fn matches_offer(&mut self, receive: &Receive) -> Result<bool, Fault> {
        for (field, pattern) in receive.patterns.iter().enumerate() {
            if let Pattern::Match(expected) = pattern {
                let value = self.value(expected)?;
                let Some(offer) = self.offer else { return Ok(false) };
                self.check_field(offer.channel, field, receive)?;
                if offer.message.get(field).copied().unwrap_or(0) != value {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }

    /// Returns whether a receive would not block.
    pub(super) fn can_receive(&mut self, receive: &Receive) -> Result<bool, Fault> {
        let Some(channel) = self.source(receive)? else { return Ok(false) };
        if let Some(offer) = self.offer {
            return Ok(offer.channel == channel && !receive.peek && self.matches_offer(receive)?);
        }
        if self.kind(channel).capacity == 0 {
            return Ok(false);
        }
        Ok(self.matching_slot(channel, receive)?.is_some())
    }

    /// Receives; false if it would block.
    pub(super) fn receive(&mut self, receive: &Receive) -> Result<bool, Fault> {
        let Some(channel) = self.source(receive)? else { return Ok(false) };
        let kind = self.kind(channel);
        let offer = self.offer;
        if let Some(offer) = offer {
            if offer.channel != channel || receive.peek {
                return Ok(false);
            }
        } else if kind.capacity == 0 {
            if receive.peek {
                self.report(ViolationKind::PolledRendezvous, receive.span);
            }
            return Ok(false);
        } else if self.frame.channel_length(channel) == 0 {
            return Ok(false);
        }
        let slot = if offer.is_some() {
            if !self.matches_offer(receive)? {
                return Ok(false);
            }
            0
        } else {
            match self.matching_slot(channel, receive)? {
                Some(slot) => slot,
                None => return Ok(false),
            }
        };
        if receive.patterns.len() != kind.fields.len() && !receive.peek {
            let only_tests = receive.patterns.iter().all(|pattern| matches!(pattern, Pattern::Match(_)));
            if only_tests && !receive.random {
                return Err(self.fault(ViolationKind::TooManyFieldsReceived, receive.span));
            }
            self.report(ViolationKind::WrongFieldCountReceived, receive.span);
        }
        if self.events.is_some() && !receive.peek {
            let mut reader = self.reader(channel, slot);
            let message = match offer {
                Some(offer) => offer.message.clone(),
                None => kind.fields.iter().map(|_| reader.next(self.frame)).collect(),
            };
            if let Some(events) = &mut self.events {
                events.push(Communication { sent: false, channel: channel as i32 + 1, message });
            }
        }
        let mut reader = self.reader(channel, slot);
        for (field, pattern) in receive.patterns.iter().enumerate() {
            if let Pattern::Store(_) | Pattern::Discard = pattern {
                self.check_field(channel, field, receive)?;
            }
            let value = match offer {
                Some(offer) => offer.message.get(field).copied().unwrap_or(0),
                None => reader.next(self.frame),
            };
            if let Pattern::Store(place) = pattern {
                self.store(place, value)?;
            }
        }
        if offer.is_none() && !receive.peek {
            let bytes = kind.message_bytes() as usize;
            let length = self.frame.channel_length(channel);
            self.frame.note_messages(channel, slot * bytes..length * bytes);
            let messages = self.frame.messages_mut(channel);
            messages.copy_within((slot + 1) * bytes..length * bytes, slot * bytes);
            messages[(length - 1) * bytes..length * bytes].fill(0);
            self.frame.set_channel_length(channel, length - 1);
        }
        Ok(true)
    }
}
