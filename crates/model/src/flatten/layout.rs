//! The mapping between states of the system and variables of the synchronous system.
//!
//! Each number of a process has a variable for where that process is: 0 if there is none, and otherwise a
//! code for its kind and location. What belongs to a process that is not there is 0, so that every state is
//! told by one assignment.

use rustc_hash::FxHashMap;

use super::Refused;
use super::extent::{ChannelExtent, Extent, Span as Extends, owners};
use super::terms::Terms;
use crate::evaluator::Frame;
use crate::synchronous::{Display, Domain, Role, Value, Variable, VariableId};
use crate::{Area, LocationId, ProctypeId, System};

/// Names one of [`Layout::channels`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct ChannelId(pub(super) usize);

/// The variables of a synchronous system.
#[derive(Clone, Debug, Default)]
pub(super) struct Layout {
    /// By the number of the leaf.
    pub(super) globals: Vec<VariableId>,
    /// The number of the global leaf at an offset.
    pub(super) global_at: FxHashMap<u32, usize>,
    pub(super) slots: Vec<Slot>,
    pub(super) channels: Vec<Channel>,
    /// Which process moved last.
    pub(super) last: Option<VariableId>,
}

/// A process number.
#[derive(Clone, Debug)]
pub(super) struct Slot {
    /// The variable that encodes its proctype and location.
    pub(super) control: VariableId,
    pub(super) kinds: Vec<SlotKind>,
}

/// A proctype that can have a process number.
#[derive(Clone, Debug)]
pub(super) struct SlotKind {
    pub(super) proctype: ProctypeId,
    /// The code of its first location; the others follow.
    pub(super) first: Value,
    /// The code of its last location.
    pub(super) last: Value,
    /// By the number of the leaf.
    pub(super) locals: Vec<VariableId>,
    /// The number of the leaf at an offset.
    pub(super) local_at: FxHashMap<u32, usize>,
    pub(super) channels: Vec<ChannelId>,
}

/// A channel.
#[derive(Clone, Debug)]
pub(super) struct Channel {
    pub(super) kind: u16,
    /// The process that it comes and goes with.
    pub(super) owner: Option<(usize, ProctypeId)>,
    /// What variables hold that name it.
    pub(super) number: i32,
    pub(super) length: VariableId,
    /// The fields of each message, first message first.
    pub(super) messages: Vec<Vec<VariableId>>,
}

impl Slot {
    pub(super) fn kind(&self, proctype: ProctypeId) -> Option<&SlotKind> {
        self.kinds.iter().find(|kind| kind.proctype == proctype)
    }

    /// Returns the kind and the location that a code stands for.
    pub(super) fn place(&self, code: Value) -> Option<(&SlotKind, LocationId)> {
        let kind = self.kinds.iter().find(|kind| kind.first <= code && code <= kind.last)?;
        Some((kind, LocationId((code - kind.first) as u16)))
    }
}

struct Making<'a> {
    system: &'a System,
    terms: &'a mut Terms,
    layout: Layout,
}

impl Layout {
    /// Makes the variables of a synchronous system.
    pub(super) fn new(system: &System, extent: &Extent, terms: &mut Terms) -> Result<Layout, Refused> {
        let mut making = Making { system, terms, layout: Layout::default() };
        making.globals(extent);
        making.processes(extent)?;
        Ok(making.layout)
    }

    /// Returns the values of all variables in a state; `None` if the state lies beyond them.
    pub(super) fn values(&self, system: &System, frame: &Frame, count: usize) -> Option<Vec<Value>> {
        let mut values = vec![0; count];
        let mut put = |id: VariableId, value: i32| values[id.0 as usize] = Value::from(value);
        for (id, leaf) in self.globals.iter().zip(&system.globals) {
            put(*id, frame.read(Area::Global, 0, leaf.offset, leaf.scalar));
        }
        if let Some(last) = self.last {
            put(last, i32::from(frame.last()));
        }
        for pid in 0..frame.process_count() {
            let slot = self.slots.get(pid)?;
            let kind = slot.kind(frame.proctype(pid))?;
            put(slot.control, kind.first as i32 + i32::from(frame.location(pid).0));
            for (id, leaf) in kind.locals.iter().zip(&system.proctype(kind.proctype).locals) {
                put(*id, frame.read(Area::Local, pid, leaf.offset, leaf.scalar));
            }
        }
        for (index, (owner, place)) in owners(frame).into_iter().enumerate() {
            let owner = owner.map(|pid| (pid, frame.proctype(pid)));
            let channel = self.channels.iter().filter(|channel| channel.owner == owner).nth(place)?;
            put(channel.length, frame.channel_length(index) as i32);
            let mut at = 0;
            for message in channel.messages.iter().take(frame.channel_length(index)) {
                let fields = &system.channel_kinds[usize::from(channel.kind)].fields;
                for (id, scalar) in message.iter().zip(fields) {
                    put(*id, scalar.read(frame.messages(index), at));
                    at += scalar.bytes() as usize;
                }
            }
        }
        Some(values)
    }

    /// Returns the state that values of all variables stand for.
    pub(super) fn frame(&self, system: &System, values: &[Value]) -> Frame {
        let of = |id: VariableId| values[id.0 as usize] as i32;
        let mut frame = Frame::empty(system);
        for (id, leaf) in self.globals.iter().zip(&system.globals) {
            frame.write(Area::Global, 0, leaf.offset, leaf.scalar, of(*id));
        }
        let add = |frame: &mut Frame, owner: Option<(usize, ProctypeId)>| {
            for channel in self.channels.iter().filter(|channel| channel.owner == owner) {
                let index = frame.add_channel(system, channel.kind);
                let length = of(channel.length);
                frame.set_channel_length(index, length as usize);
                let fields = &system.channel_kinds[usize::from(channel.kind)].fields;
                let mut at = 0;
                for message in channel.messages.iter().take(length as usize) {
                    for (id, scalar) in message.iter().zip(fields) {
                        scalar.write(frame.messages_mut(index), at, of(*id));
                        at += scalar.bytes() as usize;
                    }
                }
            }
        };
        add(&mut frame, None);
        for slot in &self.slots {
            let Some((kind, location)) = slot.place(values[slot.control.0 as usize]) else { break };
            let pid = frame.add_process(system, kind.proctype, location, 1);
            for (id, leaf) in kind.locals.iter().zip(&system.proctype(kind.proctype).locals) {
                frame.write(Area::Local, pid, leaf.offset, leaf.scalar, of(*id));
            }
            add(&mut frame, Some((pid, kind.proctype)));
        }
        if let Some(last) = self.last {
            frame.set_last(of(last) as usize);
        }
        frame
    }
}

impl Making<'_> {
    fn add(&mut self, name: String, low: Value, high: Value) -> VariableId {
        let variables = &mut self.terms.builder.system.variables;
        let display = if (low, high) == (0, 1) { Display::Boolean } else { Display::Plain };
        variables.push(Variable {
            name,
            domain: Domain::Range(low, high),
            display,
            role: Role::State,
            span: narrows_source::Span::default(),
        });
        VariableId(variables.len() as u32 - 1)
    }

    fn scalar(&mut self, name: String, span: Extends) -> VariableId {
        self.add(name, span.low, span.high)
    }

    fn globals(&mut self, extent: &Extent) {
        for (index, (leaf, span)) in self.system.globals.iter().zip(&extent.globals).enumerate() {
            let id = self.scalar(leaf.name.clone(), *span);
            self.layout.globals.push(id);
            self.layout.global_at.insert(leaf.offset, index);
        }
        if self.system.tracks_last {
            let most = extent.processes.len().max(1) as Value - 1;
            self.layout.last = Some(self.add("_last".to_owned(), 0, most));
        }
        for (index, channel) in extent.channels.iter().enumerate() {
            self.channel(channel, None, index as i32 + 1);
        }
    }

    fn channel(
        &mut self,
        extent: &ChannelExtent,
        owner: Option<(usize, ProctypeId)>,
        number: i32,
    ) -> ChannelId {
        let kind = &self.system.channel_kinds[usize::from(extent.kind)];
        let name = match owner {
            Some((pid, _)) => format!("{}({pid})", kind.name),
            None => kind.name.clone(),
        };
        let length = self.add(format!("len({name})"), 0, Value::from(extent.length));
        let mut messages = Vec::new();
        for place in 0..extent.length {
            let mut fields = Vec::new();
            for (field, span) in extent.fields.iter().enumerate() {
                fields.push(self.scalar(format!("{name}[{place}].{field}"), *span));
            }
            messages.push(fields);
        }
        self.layout.channels.push(Channel { kind: extent.kind, owner, number, length, messages });
        ChannelId(self.layout.channels.len() - 1)
    }

    fn processes(&mut self, extent: &Extent) -> Result<(), Refused> {
        let mut next_channel = extent.channels.len() as i32 + 1;
        for (pid, kinds) in extent.processes.iter().enumerate() {
            let mut code = 1;
            let mut slot_kinds = Vec::new();
            for proctype in kinds.keys() {
                let kind = self.system.proctype(*proctype);
                let last = code + kind.locations.len().max(1) as Value - 1;
                slot_kinds.push(SlotKind {
                    proctype: *proctype,
                    first: code,
                    last,
                    locals: Vec::new(),
                    local_at: FxHashMap::default(),
                    channels: Vec::new(),
                });
                code = last + 1;
            }
            let control = self.add(format!("process {pid}"), 0, code - 1);
            let counts: Vec<usize> = kinds.values().map(|process| process.channels.len()).collect();
            if counts.iter().any(|count| *count != counts[0]) {
                let reason = "Which number a channel gets depends on which processes there are: sets of \
                              states are kept for fixed numbers of channels.";
                let first = kinds.keys().next();
                return Err(Refused {
                    reason: reason.to_owned(),
                    span: first.map(|kind| self.system.proctype(*kind).span),
                });
            }
            for ((proctype, process), slot) in kinds.iter().zip(&mut slot_kinds) {
                let kind = self.system.proctype(*proctype);
                for (index, (leaf, span)) in kind.locals.iter().zip(&process.locals).enumerate() {
                    let name = format!("{}({pid}).{}", kind.name, leaf.name);
                    let id = self.scalar(name, *span);
                    slot.locals.push(id);
                    slot.local_at.insert(leaf.offset, index);
                }
                for (place, channel) in process.channels.iter().enumerate() {
                    let number = next_channel + place as i32;
                    slot.channels.push(self.channel(channel, Some((pid, *proctype)), number));
                }
            }
            next_channel += counts.first().map_or(0, |count| *count as i32);
            self.layout.slots.push(Slot { control, kinds: slot_kinds });
        }
        Ok(())
    }
}
