//! What a statement touches when a given process executes it.
//!
//! Much is known of a process that exists: its number, and the values of variables that no step ever writes,
//! such as most parameters. So it is known which element of `wants[_pid]` it reads, and which channel is
//! behind `in`.

use narrows_model::{
    Area, Binary, DStep, Expr, Guard, Index, Pattern, Place, Query, Receive, Run, Scalar, Send, Setup,
    Statement, Unary,
};

use super::footprint::{Channels, Footprint};
use super::statics::Statics;

/// The number of a channel that does not exist yet.
const FRESH: u8 = 0;

/// What is known of a process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Known {
    pub(super) proctype: usize,
    pub(super) pid: Option<u8>,
    /// Its local variables, byte by byte. If the process does not exist yet, [`FRESH`] stands for channels
    /// that do not either: no step that is possible now uses them.
    pub(super) locals: Vec<Option<u8>>,
    /// The global variables likewise, if more is known than which of them no step writes.
    pub(super) globals: Option<Vec<Option<u8>>>,
}

impl Known {
    /// Returns what is known of every process of a kind: nothing.
    pub(super) fn nothing(statics: &Statics<'_>, proctype: usize) -> Known {
        let locals = vec![None; statics.proctype(proctype).local_bytes as usize];
        Known { proctype, pid: None, locals, globals: None }
    }

    /// Returns whether the bytes are known that an expression without arrays reads.
    fn covers(&self, expr: &Expr) -> bool {
        match expr {
            Expr::Constant(_) | Expr::Pid => true,
            Expr::Load(place) => {
                let bytes = match place.area {
                    Area::Global => self.globals.as_deref().unwrap_or(&[]),
                    Area::Local => &self.locals,
                    Area::Hidden => &[],
                };
                let known = bytes.get(place.extent()).unwrap_or(&[]);
                place.indices.is_empty() && !known.is_empty() && known.iter().all(Option::is_some)
            }
            Expr::Unary(_, operand) => self.covers(operand),
            Expr::Binary(_, left, right, _) => self.covers(left) && self.covers(right),
            _ => false,
        }
    }
}

/// What a transition does, and what it waits for.
#[derive(Clone, Debug, Default)]
pub(super) struct Deed {
    /// What it touches when it is executed, looking whether it can be included.
    pub(super) does: Footprint,
    /// What decides whether it can be: variables, channels that are asked about, and those it sends to or
    /// receives from.
    pub(super) waits: Footprint,
    /// Whether it may take another message than the first, or none because no message fits.
    pub(super) random: bool,
}

/// Finds footprints.
pub(super) struct Resolver<'r, 's> {
    pub(super) statics: &'r Statics<'s>,
    pub(super) known: &'r Known,
    /// What will be known in another round, which adds the elements of arrays that are known only then.
    pub(super) later: Option<&'r Known>,
}

impl Resolver<'_, '_> {
    /// Returns what a transition of the process touches.
    pub(super) fn deed(&self, statement: &Statement) -> Deed {
        let mut deed = Deed::default();
        self.statement(statement, &mut deed);
        let proctype = self.statics.proctype(self.known.proctype);
        if let Some(provided) = &proctype.provided {
            self.expr(provided, &mut deed.waits);
            // Its value with a timeout is not that of the statement.
            deed.waits.anything |= deed.waits.timeout;
        }
        deed.waits.anything |= proctype.deterministic;
        deed.does.add(&deed.waits);
        deed
    }

    fn statement(&self, statement: &Statement, deed: &mut Deed) {
        let Deed { does, waits, random } = deed;
        match statement {
            Statement::Skip | Statement::Else => {}
            Statement::Condition(condition) => self.condition(condition, waits),
            Statement::Assign(place, value) => {
                self.expr(value, does);
                self.store(place, does);
            }
            Statement::Run(run, assign) => {
                self.run(run, does);
                if let Some((place, value)) = assign {
                    self.expr(value, does);
                    self.store(place, does);
                }
            }
            Statement::Send(send) => {
                self.send(send, does);
                self.expr(&send.channel, waits);
                waits.sends.union_with(self.channels(&send.channel));
            }
            Statement::Receive(receive) => {
                self.receive(receive, does);
                self.wait_for(receive, waits);
                *random = receive.random;
            }
            Statement::Assert(value) | Statement::PrintMtype(value, _) => self.expr(value, does),
            Statement::Print(_, values) => {
                for value in values {
                    self.expr(value, does);
                }
            }
            Statement::SetPriority(..) => does.anything = true,
            Statement::End => {
                does.deaths = true;
                does.add_channels(self.own_channels());
            }
            Statement::DStep(step) => self.d_step(step, does, waits),
        }
    }

    fn d_step(&self, step: &DStep, does: &mut Footprint, waits: &mut Footprint) {
        self.guards(step, waits);
        step.statements().for_each(|statement| self.inside(statement, does));
    }

    /// Adds what decides whether a `d_step` can be executed.
    pub(super) fn guards(&self, step: &DStep, waits: &mut Footprint) {
        for guard in &step.guards {
            match guard {
                Guard::Else | Guard::Always => {}
                Guard::Condition(condition) => self.expr(condition, waits),
                Guard::Send(send) => {
                    self.expr(&send.channel, waits);
                    waits.sends.union_with(self.channels(&send.channel));
                }
                Guard::Receive(receive) => self.wait_for(receive, waits),
            }
        }
        // One of many may be what it waits for, and what comes first in it decides how it goes on.
        waits.queries.union_with(waits.sends.union(waits.receives));
    }

    /// Adds what a statement inside a `d_step` touches.
    pub(super) fn inside(&self, statement: &Statement, does: &mut Footprint) {
        let mut inner = Deed::default();
        self.statement(statement, &mut inner);
        inner.does.add(&inner.waits);
        inner.does.queries.union_with(inner.does.sends.union(inner.does.receives));
        does.add(&inner.does);
    }

    fn run(&self, run: &Run, out: &mut Footprint) {
        for argument in &run.arguments {
            self.expr(argument, out);
        }
        out.births = true;
        let proctype = usize::from(run.proctype.0);
        out.opens |= self.statics.proctypes[proctype].has_channels;
        let known = Known::nothing(self.statics, proctype);
        let inside = Resolver { statics: self.statics, known: &known, later: None };
        for step in &self.statics.proctype(proctype).setup {
            if let Setup::Value(place, value) = step {
                inside.expr(value, out);
                inside.store(place, out);
            }
        }
    }

    /// Returns the channels that end with the process.
    fn own_channels(&self) -> Channels {
        let mut channels = Channels::default();
        for step in &self.statics.proctype(self.known.proctype).setup {
            if let Setup::Channel(place, _) = step {
                match self.load(place) {
                    Some(number) => channels.insert(number as u8),
                    None => return Channels::FULL,
                };
            }
        }
        channels
    }

    fn send(&self, send: &Send, out: &mut Footprint) {
        self.expr(&send.channel, out);
        for argument in &send.arguments {
            self.expr(argument, out);
        }
        let channels = self.channels(&send.channel);
        out.sends.union_with(channels);
        if send.sorted {
            out.sorts.union_with(channels);
        }
    }

    fn receive(&self, receive: &Receive, out: &mut Footprint) {
        self.expr(&receive.channel, out);
        out.receives.union_with(self.channels(&receive.channel));
        for pattern in &receive.patterns {
            match pattern {
                Pattern::Store(place) => self.store(place, out),
                Pattern::Match(value) => self.expr(value, out),
                Pattern::Discard => {}
            }
        }
    }

    fn wait_for(&self, receive: &Receive, out: &mut Footprint) {
        self.expr(&receive.channel, out);
        out.receives.union_with(self.channels(&receive.channel));
        for pattern in &receive.patterns {
            if let Pattern::Match(value) = pattern {
                self.expr(value, out);
            }
        }
    }

    /// Adds what a condition reads. That a channel has a message, or room for one, is no more than a receive
    /// or a send asks for.
    fn condition(&self, condition: &Expr, out: &mut Footprint) {
        match condition {
            Expr::Binary(Binary::And, left, right, _) => {
                self.condition(left, out);
                if self.value(left) != Some(0) {
                    self.condition(right, out);
                }
            }
            Expr::Channel(Query::NotEmpty, channel, _) => {
                self.expr(channel, out);
                out.receives.union_with(self.channels(channel));
            }
            Expr::Channel(Query::NotFull, channel, _) => {
                self.expr(channel, out);
                out.sends.union_with(self.channels(channel));
            }
            _ => self.expr(condition, out),
        }
    }

    /// Adds what an expression reads.
    pub(super) fn expr(&self, expr: &Expr, out: &mut Footprint) {
        match expr {
            Expr::Constant(_) | Expr::Pid | Expr::RunResult => {}
            Expr::Load(place) => self.place(place, out, false),
            Expr::Unary(_, operand) => self.expr(operand, out),
            Expr::Binary(operator, left, right, _) => {
                self.expr(left, out);
                let left = self.value(left);
                let decides = match operator {
                    Binary::And => left == Some(0),
                    Binary::Or => left.is_some_and(|left| left != 0),
                    _ => false,
                };
                if !decides {
                    self.expr(right, out);
                }
            }
            Expr::Conditional(condition, yes, no) => {
                for part in [condition, yes, no] {
                    self.expr(part, out);
                }
            }
            Expr::ProcessCount => out.counts = true,
            Expr::Timeout => out.timeout = true,
            Expr::Channel(_, channel, _) => {
                self.expr(channel, out);
                out.queries.union_with(self.channels(channel));
            }
            Expr::Poll(receive) => {
                let mut asked = Footprint::default();
                self.receive(receive, &mut asked);
                out.reads.union_with(&asked.reads);
                out.queries.union_with(asked.queries.union(asked.receives));
                out.anything |= asked.anything;
                out.timeout |= asked.timeout;
                out.counts |= asked.counts;
            }
            Expr::Last
            | Expr::NonProgress
            | Expr::Enabled(..)
            | Expr::LocationOf(_)
            | Expr::PriorityOf(_)
            | Expr::Priority
            | Expr::AtLocation { .. }
            | Expr::Remote { .. } => out.anything = true,
        }
    }

    fn store(&self, place: &Place, out: &mut Footprint) {
        self.place(place, out, true);
    }

    fn place(&self, place: &Place, out: &mut Footprint, written: bool) {
        for index in &place.indices {
            self.expr(&index.value, out);
        }
        match place.area {
            Area::Local => {}
            Area::Hidden => out.anything = true,
            Area::Global if self.puts_off(place) => out.later = true,
            Area::Global => {
                let variables = if written { &mut out.writes } else { &mut out.reads };
                for offset in self.offsets(place) {
                    match self.statics.variable_of.get(offset) {
                        Some(_) if self.statics.unread[offset] => {}
                        Some(variable) => {
                            variables.insert(usize::from(*variable));
                        }
                        None => out.anything = true,
                    }
                }
            }
        }
    }

    /// Returns whether another round will know which element this is: that depends on which bytes will be
    /// known, not on their values.
    fn puts_off(&self, place: &Place) -> bool {
        let Some(later) = self.later else { return false };
        let is_open = |index: &Index| self.value(&index.value).is_none();
        place.indices.iter().any(is_open) && place.indices.iter().all(|index| later.covers(&index.value))
    }

    /// Returns the bytes at which a place may be.
    fn offsets(&self, place: &Place) -> std::ops::Range<usize> {
        let mut start = place.offset;
        let mut more = 0;
        for index in &place.indices {
            match self.value(&index.value).and_then(|value| u32::try_from(value).ok()) {
                Some(value) if value < index.length => start += value * index.stride,
                _ => more += index.length.saturating_sub(1) * index.stride,
            }
        }
        start as usize..(start + more + place.scalar.bytes()) as usize
    }

    /// Returns the channels that an expression may name.
    pub(super) fn channels(&self, channel: &Expr) -> Channels {
        let mut channels = Channels::default();
        if let Some(value) = self.number(channel) {
            match u8::try_from(value) {
                Ok(value) => channels.insert(value),
                Err(_) => return Channels::FULL,
            };
            return channels;
        }
        let Expr::Load(place) = channel else { return Channels::FULL };
        if place.area != Area::Global || place.scalar.bytes() != 1 {
            return Channels::FULL;
        }
        for offset in self.offsets(place) {
            match self.statics.fixed.get(offset) {
                Some(Some(value)) => channels.insert(*value),
                _ => return Channels::FULL,
            };
        }
        channels
    }

    /// Returns the number of a channel, if it is the same in every state.
    fn number(&self, channel: &Expr) -> Option<i32> {
        match channel {
            Expr::Load(place) => self.load(place),
            _ => self.value(channel),
        }
    }

    /// Returns the value of an expression, if it is the same in every state.
    pub(super) fn value(&self, expr: &Expr) -> Option<i32> {
        match expr {
            Expr::Constant(value) => Some(*value),
            Expr::Pid => self.known.pid.map(i32::from),
            // The number of a channel that does not exist yet is no value to count with.
            Expr::Load(place) if place.scalar == Scalar::Channel && self.known.pid.is_none() => None,
            Expr::Load(place) => self.load(place),
            Expr::Unary(operator, operand) => {
                let value = self.value(operand)?;
                Some(match operator {
                    Unary::Minus => value.wrapping_neg(),
                    Unary::Not => i32::from(value == 0),
                    Unary::Complement => !value,
                })
            }
            Expr::Binary(operator, left, right, _) => match (operator, self.value(left)?) {
                (Binary::And, 0) => Some(0),
                (Binary::Or, left) if left != 0 => Some(1),
                (_, left) => operator.apply(left, self.value(right)?).ok(),
            },
            _ => None,
        }
    }

    fn load(&self, place: &Place) -> Option<i32> {
        let mut at = place.offset as usize;
        for index in &place.indices {
            let value = u32::try_from(self.value(&index.value)?).ok()?;
            if value >= index.length {
                return None;
            }
            at += (value * index.stride) as usize;
        }
        let bytes = match place.area {
            Area::Global => self.known.globals.as_ref().unwrap_or(&self.statics.fixed),
            Area::Local => &self.known.locals,
            Area::Hidden => return None,
        };
        let mut value = [0; 4];
        let width = place.scalar.bytes() as usize;
        for (byte, known) in value.iter_mut().zip(bytes.get(at..at + width)?) {
            *byte = (*known)?;
        }
        Some(place.scalar.read(&value, 0))
    }

    /// Returns what is known of a process that this one creates.
    pub(super) fn child(&self, run: &Run) -> Known {
        let proctype = usize::from(run.proctype.0);
        let mut child = Known::nothing(self.statics, proctype);
        let kind = &self.statics.proctypes[proctype];
        let set = |child: &mut Known, place: &Place, value: Option<i32>| {
            let bytes = place.extent();
            let fixed = kind.fixed.get(bytes.clone()).is_some_and(|fixed| fixed.iter().all(|fixed| *fixed));
            let Some(value) = value.filter(|_| fixed && place.indices.is_empty()) else { return };
            let mut stored = [0; 4];
            place.scalar.write(&mut stored, 0, value);
            for (at, byte) in bytes.zip(stored) {
                child.locals[at] = Some(byte);
            }
        };
        let proctype = self.statics.proctype(proctype);
        for (place, argument) in proctype.parameters.iter().zip(&run.arguments) {
            let is_channel = place.scalar == Scalar::Channel;
            let value = if is_channel { self.number(argument) } else { self.value(argument) };
            set(&mut child, place, value);
        }
        for step in &proctype.setup {
            if let Setup::Channel(place, _) = step {
                set(&mut child, place, Some(i32::from(FRESH)));
            }
        }
        child
    }
}
