//! What expressions of a system are in terms of a synchronous system's variables; follows
//! `evaluator/expressions.rs` line by line.

use narrows_source::Span;

use super::layout::ChannelId;
use super::path::Path;
use super::{Maker, Refused};
use crate::evaluator::OBSERVER;
use crate::synchronous::{ExprId, Value, VariableId};
use crate::{Area, Binary, Expr, Place, ProctypeId, Query, Receive, Scalar, ViolationKind};

/// The process, or the observer, that evaluates an expression.
#[derive(Clone, Copy, Debug)]
pub(super) struct Actor {
    pub(super) pid: usize,
    pub(super) proctype: Option<ProctypeId>,
}

impl Actor {
    /// An observer.
    pub(super) const OBSERVER: Actor = Actor { pid: OBSERVER, proctype: None };
}

/// Which variable is meant, if the condition holds.
pub(super) type Candidate = (ExprId, VariableId);

impl Maker<'_> {
    /// Notes that something goes wrong on a path if a condition holds; it goes on.
    pub(super) fn report(&mut self, path: &Path, condition: ExprId, kind: ViolationKind, span: Span) {
        if self.terms.is_false(condition) || path.is_impossible() {
            return;
        }
        let before = path.condition(&mut self.terms);
        let condition = self.terms.and(before, condition);
        self.note_hazard(path.actor, condition, kind, span);
    }

    /// Notes that something goes so wrong on a path, if a condition holds, that it ends.
    pub(super) fn fault(&mut self, path: &mut Path, condition: ExprId, kind: ViolationKind, span: Span) {
        if self.terms.is_false(condition) || path.is_impossible() {
            return;
        }
        self.report(path, condition, kind, span);
        let since = path.since(&mut self.terms, self.attempt);
        let here = self.terms.and(since, condition);
        self.faulted = self.terms.or(self.faulted, here);
        let fine = self.terms.not(condition);
        path.assume(&mut self.terms, fine);
    }

    /// Returns whether an expression is true; it is looked at only under a condition.
    pub(super) fn holds(&mut self, path: &mut Path, expr: &Expr, under: ExprId) -> Result<ExprId, Refused> {
        let value = self.value(path, expr, under)?;
        Ok(self.terms.is_so(value))
    }

    /// Returns the value of an expression, which is looked at only under a condition.
    pub(super) fn value(&mut self, path: &mut Path, expr: &Expr, under: ExprId) -> Result<ExprId, Refused> {
        Ok(match expr {
            Expr::Constant(value) => self.terms.number(*value),
            Expr::Load(place) => {
                let candidates = self.place(path, None, place, under)?;
                self.chosen(path, &candidates)
            }
            Expr::Unary(operator, operand) => {
                let operand = self.value(path, operand, under)?;
                self.terms.unary(*operator, operand)
            }
            Expr::Binary(operator, left, right, span) => {
                self.binary(path, (*operator, left, right, *span), under)?
            }
            Expr::Conditional(condition, yes, no) => {
                let condition = self.holds(path, condition, under)?;
                let (when, otherwise) = (self.terms.and(under, condition), self.terms.not(condition));
                let otherwise = self.terms.and(under, otherwise);
                // What is never looked at may be anything.
                let zero = self.terms.number(0);
                let yes = if self.terms.is_false(when) { zero } else { self.value(path, yes, when)? };
                let no = if self.terms.is_false(otherwise) { zero } else { self.value(path, no, otherwise)? };
                self.terms.choose(condition, yes, no)
            }
            Expr::Pid => self.terms.number(path.actor.pid as i32),
            Expr::ProcessCount => self.process_count(path),
            Expr::Last => match self.layout.last {
                Some(last) => path.value(last),
                None => self.terms.number(0),
            },
            Expr::Timeout => self.terms.truth(self.timeout),
            Expr::NonProgress => {
                let progress = self.anybody_at(path, |location| location.is_progress);
                self.terms.not(progress)
            }
            Expr::RunResult => path.run_result,
            Expr::Channel(query, channel, span) => {
                let number = self.value(path, channel, under)?;
                self.query(path, *query, number, *span, under)
            }
            Expr::Poll(receive) => self.poll(path, receive, under)?,
            Expr::Enabled(_, span) => {
                return Err(refused("`enabled()` asks what other processes can do.", *span));
            }
            Expr::LocationOf(pid) => self.location_of(path, pid, under)?,
            Expr::PriorityOf(_) | Expr::Priority => {
                return Err(Refused { reason: "Priorities decide who may move.".to_owned(), span: None });
            }
            Expr::AtLocation { proctype, pid, location } => {
                let mut list = Vec::new();
                for (there, slot) in self.remote(path, *proctype, pid.as_deref(), under)? {
                    let code = self.code(slot, *proctype, *location);
                    let control = path.value(self.layout.slots[slot].control);
                    let at = self.terms.equals(control, code);
                    list.push(self.terms.and(there, at));
                }
                self.terms.any(&list)
            }
            Expr::Remote { proctype, pid, place } => {
                let mut value = self.terms.number(0);
                for (there, slot) in self.remote(path, *proctype, pid.as_deref(), under)? {
                    let other = Actor { pid: slot, proctype: Some(*proctype) };
                    let when = self.terms.and(under, there);
                    let candidates = self.place(path, Some(other), place, when)?;
                    let here = self.chosen(path, &candidates);
                    value = self.terms.choose(there, here, value);
                }
                value
            }
        })
    }

    fn binary(
        &mut self,
        path: &mut Path,
        (operator, left, right, span): (Binary, &Expr, &Expr, Span),
        under: ExprId,
    ) -> Result<ExprId, Refused> {
        let left = self.value(path, left, under)?;
        let mut when = under;
        if matches!(operator, Binary::And | Binary::Or) {
            let mut goes_on = self.terms.is_so(left);
            if operator == Binary::Or {
                goes_on = self.terms.not(goes_on);
            }
            when = self.terms.and(under, goes_on);
            if self.terms.is_false(when) {
                return Ok(self.terms.is_so(left));
            }
        }
        let right = self.value(path, right, when)?;
        if matches!(operator, Binary::Divide | Binary::Remainder) {
            let none = self.terms.equals(right, 0);
            let none = self.terms.and(when, none);
            self.fault(path, none, ViolationKind::DivisionByZero, span);
            let (least, minus) = (self.terms.equals(left, i32::MIN), self.terms.equals(right, -1));
            let overflow = self.terms.and(least, minus);
            let overflow = self.terms.and(when, overflow);
            self.fault(path, overflow, ViolationKind::DivisionOverflow, span);
        }
        Ok(self.terms.binary(operator, left, right))
    }

    /// Returns which variables a place may mean: those of `owner`, or of whoever takes the path.
    pub(super) fn place(
        &mut self,
        path: &mut Path,
        owner: Option<Actor>,
        place: &Place,
        under: ExprId,
    ) -> Result<Vec<Candidate>, Refused> {
        let mut when = under;
        let mut offsets: Vec<(ExprId, u32)> = vec![(self.terms.truth(true), place.offset)];
        for index in &place.indices {
            let value = self.value(path, &index.value, when)?;
            let (zero, length) = (self.terms.number(0), self.terms.number(index.length));
            let (below, inside) = (self.terms.less(value, zero), self.terms.less(value, length));
            let above = self.terms.not(inside);
            let outside = self.terms.or(below, above);
            let wrong = self.terms.and(when, outside);
            self.report(path, wrong, ViolationKind::IndexOutOfRange, place.span);
            let fine = self.terms.not(outside);
            when = self.terms.and(when, fine);
            let (low, high) = self.terms.range(value);
            let (low, high) = (low.max(0), high.min(Value::from(index.length) - 1));
            if (high - low + 1).max(0) as usize * offsets.len() > super::MAX_ELEMENTS {
                return Err(refused("An index may name any of too many elements.", place.span));
            }
            let mut more = Vec::new();
            for number in low..=high {
                let at = self.terms.equals(value, number);
                for (condition, offset) in &offsets {
                    let both = self.terms.and(*condition, at);
                    if !self.terms.is_false(both) {
                        more.push((both, offset + number as u32 * index.stride));
                    }
                }
            }
            offsets = more;
        }
        let mut candidates = Vec::new();
        for (condition, offset) in offsets {
            let variable = self.variable(owner.unwrap_or(path.actor), place.area, offset, place.scalar);
            let variable =
                variable.ok_or_else(|| refused("A variable can't be told from others.", place.span))?;
            candidates.push((condition, variable));
        }
        Ok(candidates)
    }

    fn variable(&self, owner: Actor, area: Area, offset: u32, scalar: Scalar) -> Option<VariableId> {
        match area {
            Area::Global => {
                let leaf = *self.layout.global_at.get(&offset)?;
                (self.system.globals[leaf].scalar == scalar).then(|| self.layout.globals[leaf])
            }
            Area::Hidden => None,
            Area::Local => {
                let kind = self.layout.slots.get(owner.pid)?.kind(owner.proctype?)?;
                let leaf = *kind.local_at.get(&offset)?;
                let same = self.system.proctype(kind.proctype).locals[leaf].scalar == scalar;
                same.then(|| kind.locals[leaf])
            }
        }
    }

    /// Returns the value of the variable that is meant; 0 if there is none.
    fn chosen(&mut self, path: &Path, candidates: &[Candidate]) -> ExprId {
        let mut value = self.terms.number(0);
        for (condition, variable) in candidates.iter().rev() {
            value = self.terms.choose(*condition, path.value(*variable), value);
        }
        value
    }

    pub(super) fn store(&mut self, path: &mut Path, place: &Place, value: ExprId) -> Result<(), Refused> {
        let always = self.terms.truth(true);
        let value = self.terms.stored(value, place.scalar);
        for (condition, variable) in self.place(path, None, place, always)? {
            let stored = self.terms.choose(condition, value, path.value(variable));
            path.set(variable, stored);
        }
        Ok(())
    }

    /// Returns whether there is a process with a number.
    pub(super) fn is_alive(&mut self, path: &Path, pid: usize) -> ExprId {
        match self.layout.slots.get(pid) {
            Some(slot) => {
                let nobody = self.terms.equals(path.value(slot.control), 0);
                self.terms.not(nobody)
            }
            None => self.terms.truth(false),
        }
    }

    /// Returns whether the process with a number is of a kind.
    pub(super) fn is_kind(&mut self, path: &Path, pid: usize, proctype: ProctypeId) -> ExprId {
        let slot = &self.layout.slots[pid];
        let control = path.value(slot.control);
        let Some(kind) = slot.kind(proctype) else { return self.terms.truth(false) };
        let (first, last) = (kind.first, kind.last);
        let (low, high) = (self.terms.number(first), self.terms.number(last));
        let (below, above) = (self.terms.less(control, low), self.terms.less(high, control));
        let outside = self.terms.or(below, above);
        self.terms.not(outside)
    }

    fn code(&self, slot: usize, proctype: ProctypeId, location: u16) -> Value {
        let kind = self.layout.slots[slot].kind(proctype);
        // No process is ever there.
        kind.map_or(-1, |kind| kind.first + Value::from(location))
    }

    fn process_count(&mut self, path: &Path) -> ExprId {
        let mut count = self.terms.number(0);
        for pid in 0..self.layout.slots.len() {
            let (alive, more) = (self.is_alive(path, pid), self.terms.number(pid as i32 + 1));
            count = self.terms.choose(alive, more, count);
        }
        count
    }

    pub(super) fn anybody_at(&mut self, path: &Path, is_meant: impl Fn(&crate::Location) -> bool) -> ExprId {
        let mut list = Vec::new();
        for slot in self.layout.slots.clone() {
            for kind in &slot.kinds {
                for (index, location) in self.system.proctype(kind.proctype).locations.iter().enumerate() {
                    if is_meant(location) {
                        list.push(self.terms.equals(path.value(slot.control), kind.first + index as Value));
                    }
                }
            }
        }
        self.terms.any(&list)
    }

    /// Returns which processes of a kind may be meant, each with the condition under which it is.
    fn remote(
        &mut self,
        path: &mut Path,
        proctype: ProctypeId,
        pid: Option<&Expr>,
        under: ExprId,
    ) -> Result<Vec<(ExprId, usize)>, Refused> {
        let number = match pid {
            Some(pid) => Some(self.value(path, pid, under)?),
            None => None,
        };
        let mut list = Vec::new();
        let mut none_before = self.terms.truth(true);
        for slot in 0..self.layout.slots.len() {
            let is_kind = self.is_kind(path, slot, proctype);
            let meant = match number {
                Some(number) => self.terms.equals(number, slot as i32),
                None => none_before,
            };
            let meant = self.terms.and(meant, is_kind);
            let other = self.terms.not(is_kind);
            none_before = self.terms.and(none_before, other);
            if !self.terms.is_false(meant) {
                list.push((meant, slot));
            }
        }
        Ok(list)
    }

    fn location_of(&mut self, path: &mut Path, pid: &Expr, under: ExprId) -> Result<ExprId, Refused> {
        let number = self.value(path, pid, under)?;
        let mut value = self.terms.number(0);
        for slot in 0..self.layout.slots.len() {
            let control = path.value(self.layout.slots[slot].control);
            for kind in self.layout.slots[slot].kinds.clone() {
                let first = self.terms.number(kind.first);
                let location = self.terms.binary(Binary::Subtract, control, first);
                let meant = self.terms.equals(number, slot as i32);
                let there = self.is_kind(path, slot, kind.proctype);
                let meant = self.terms.and(meant, there);
                value = self.terms.choose(meant, location, value);
            }
        }
        Ok(value)
    }

    /// Returns which channels a number may name, each with the condition under which it does; and when it
    /// names none.
    pub(super) fn channels(&mut self, path: &Path, number: ExprId) -> (Vec<(ExprId, ChannelId)>, ExprId) {
        let mut list = Vec::new();
        for index in 0..self.layout.channels.len() {
            let channel = &self.layout.channels[index];
            let (owner, name) = (channel.owner, channel.number);
            let mut meant = self.terms.equals(number, name);
            if let Some((pid, proctype)) = owner
                && !self.terms.is_false(meant)
            {
                let exists = self.is_kind(path, pid, proctype);
                meant = self.terms.and(meant, exists);
            }
            if !self.terms.is_false(meant) {
                list.push((meant, ChannelId(index)));
            }
        }
        let conditions: Vec<ExprId> = list.iter().map(|(condition, _)| *condition).collect();
        let any = self.terms.any(&conditions);
        (list, self.terms.not(any))
    }

    fn query(&mut self, path: &mut Path, query: Query, number: ExprId, span: Span, under: ExprId) -> ExprId {
        let (list, none) = self.channels(path, number);
        let none = self.terms.and(under, none);
        self.fault(path, none, ViolationKind::NoChannel, span);
        let mut value = self.terms.number(0);
        for (condition, channel) in list {
            let full = self.is_full(path, channel);
            let mut length = path.value(self.layout.channels[channel.0].length);
            // In the middle of a rendezvous the message is in the channel, as far as the receiver can see.
            if path.offer.as_ref().is_some_and(|offer| offer.channel == channel) {
                let one = self.terms.number(1);
                length = self.terms.binary(Binary::Add, length, one);
            }
            let empty = self.terms.equals(length, 0);
            let here = match query {
                Query::Length => length,
                Query::Full => full,
                Query::NotFull => self.terms.not(full),
                Query::Empty => empty,
                Query::NotEmpty => self.terms.not(empty),
            };
            value = self.terms.choose(condition, here, value);
        }
        value
    }

    fn poll(&mut self, path: &mut Path, receive: &Receive, under: ExprId) -> Result<ExprId, Refused> {
        let number = self.value(path, &receive.channel, under)?;
        let (list, none) = self.channels(path, number);
        let none = self.terms.and(under, none);
        self.report(path, none, ViolationKind::ReceiveFromNowhere, receive.span);
        let mut value = self.terms.number(0);
        for (condition, channel) in list {
            let when = self.terms.and(under, condition);
            if self.channel_kind(channel).capacity == 0 {
                self.report(path, when, ViolationKind::PolledRendezvous, receive.span);
                continue;
            }
            let mut found = self.terms.number(0);
            for (slot, matches) in self.matching(path, channel, receive, when)?.into_iter().enumerate() {
                let position = self.terms.number(slot as i32 + 1);
                found = self.terms.choose(matches, position, found);
            }
            value = self.terms.choose(condition, found, value);
        }
        Ok(value)
    }
}

pub(super) fn refused(reason: &str, span: Span) -> Refused {
    Refused { reason: reason.to_owned(), span: Some(span) }
}
