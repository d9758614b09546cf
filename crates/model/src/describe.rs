//! A state for people: processes with their locations and variables, channels with their messages.

use narrows_source::Span;
use rustc_hash::FxHashMap;

use crate::evaluator::Frame;
use crate::{Area, Change, Evaluator, Leaf, LocationId, ProctypeId, Scalar, Setup, Shown};

/// A whole state.
#[derive(Clone, Debug, Default)]
pub struct StateView {
    /// The global variables, hidden ones last.
    pub globals: Vec<VariableView>,
    /// The channels, in order of their numbers.
    pub channels: Vec<ChannelView>,
    /// The processes, in order of their numbers.
    pub processes: Vec<ProcessView>,
}

/// A variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VariableView {
    /// Its name.
    pub name: String,
    /// Its value, as the model's author would write it.
    pub value: String,
    /// The value itself.
    pub number: i32,
}

/// A channel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChannelView {
    /// Its number, counted from 1.
    pub number: usize,
    /// The name of the variable it was created for.
    pub name: String,
    /// How many messages it holds at most; 0 is a rendezvous.
    pub capacity: u16,
    /// Its messages.
    pub messages: Vec<Vec<String>>,
}

/// A process.
#[derive(Clone, Debug)]
pub struct ProcessView {
    /// Its number.
    pub pid: usize,
    /// Its kind.
    pub proctype: ProctypeId,
    /// The name of its kind.
    pub name: String,
    /// Where it is.
    pub location: LocationId,
    /// Where that is in the text.
    pub span: Span,
    /// The labels there.
    pub labels: Vec<String>,
    /// Whether it may end there.
    pub may_end: bool,
    /// Its priority.
    pub priority: u8,
    /// Its variables.
    pub locals: Vec<VariableView>,
}

impl Evaluator<'_> {
    /// Describes a state.
    pub fn describe(&self, state: &[u8]) -> StateView {
        let frame = self.load(state);
        let system = self.system();
        let mut globals: Vec<_> = self.variables(&frame, &system.globals, Area::Global, 0).collect();
        globals.extend(self.variables(&frame, &system.hidden, Area::Hidden, 0));
        let channels = (0..frame.channel_count()).map(|channel| self.channel_view(&frame, channel)).collect();
        let processes = (0..frame.process_count()).map(|pid| self.process_view(&frame, pid)).collect();
        StateView { globals, channels, processes }
    }

    fn variables<'a>(
        &'a self,
        frame: &'a Frame,
        leaves: &'a [Leaf],
        area: Area,
        pid: usize,
    ) -> impl Iterator<Item = VariableView> + 'a {
        leaves.iter().map(move |leaf| {
            let number = frame.read(area, pid, leaf.offset, leaf.scalar);
            VariableView { name: leaf.name.clone(), value: self.show(leaf.scalar, number), number }
        })
    }

    fn process_view(&self, frame: &Frame, pid: usize) -> ProcessView {
        let proctype = self.proctype_of(frame, pid);
        let location = frame.location(pid);
        let here = proctype.location(location);
        ProcessView {
            pid,
            proctype: frame.proctype(pid),
            name: proctype.name.clone(),
            location,
            span: here.span,
            labels: here.labels.clone(),
            may_end: here.is_end,
            priority: frame.priority(pid),
            locals: self.variables(frame, &proctype.locals, Area::Local, pid).collect(),
        }
    }

    fn channel_view(&self, frame: &Frame, channel: usize) -> ChannelView {
        let kind = &self.system().channel_kinds[frame.channel_kind(channel)];
        let bytes = kind.message_bytes() as usize;
        let messages = (0..frame.channel_length(channel)).map(|slot| {
            let mut at = slot * bytes;
            let fields = kind.fields.iter().map(|field| {
                let value = field.read(frame.messages(channel), at);
                at += field.bytes() as usize;
                self.show(*field, value)
            });
            fields.collect()
        });
        ChannelView {
            number: channel + 1,
            name: kind.name.clone(),
            capacity: kind.capacity,
            messages: messages.collect(),
        }
    }

    /// Shows a value as the model's author would write it.
    pub fn show(&self, scalar: Scalar, value: i32) -> String {
        match scalar {
            Scalar::Bool => if value == 0 { "false" } else { "true" }.to_owned(),
            Scalar::Mtype(set) => {
                self.system().mtype_name(set, value).map_or_else(|| value.to_string(), str::to_owned)
            }
            _ => value.to_string(),
        }
    }

    /// Returns what differs between two states, locations left out.
    pub fn changes(&self, before: &[u8], after: &[u8]) -> Vec<Change> {
        let before = entries(&self.describe(before));
        let after = entries(&self.describe(after));
        // There may be hundreds of processes, each with its variables.
        let by_name = |entries: &[(String, Shown)]| entries.iter().cloned().collect::<FxHashMap<_, _>>();
        let (old, new) = (by_name(&before), by_name(&after));
        let mut changes = Vec::new();
        for (name, value) in &before {
            let now = new.get(name).cloned();
            if now.as_ref() != Some(value) {
                changes.push(Change { name: name.clone(), before: Some(value.clone()), after: now });
            }
        }
        for (name, value) in after {
            if !old.contains_key(&name) {
                changes.push(Change { name, before: None, after: Some(value) });
            }
        }
        changes
    }

    /// Returns whether a variable was set up as a channel, so that its number never changes.
    pub fn is_channel_constant(&self, area: Area, proctype: Option<ProctypeId>, offset: u32) -> bool {
        let setup = match proctype {
            Some(id) => &self.system().proctype(id).setup,
            None => &self.system().setup,
        };
        setup.iter().any(
            |step| matches!(step, Setup::Channel(place, _) if place.area == area && place.offset == offset),
        )
    }
}

/// Returns everything in a state that has a name, with its value.
fn entries(view: &StateView) -> Vec<(String, Shown)> {
    let shown = |variable: &VariableView| Shown {
        text: variable.value.clone(),
        number: Some(i128::from(variable.number)),
    };
    let mut entries: Vec<_> = view.globals.iter().map(|v| (v.name.clone(), shown(v))).collect();
    for channel in view.channels.iter().filter(|channel| channel.capacity > 0) {
        entries.push((channel.label(), channel.contents().into()));
    }
    for process in &view.processes {
        entries.push((process.label(), "alive".into()));
        for local in &process.locals {
            entries.push((format!("{}.{}", process.label(), local.name), shown(local)));
        }
    }
    entries
}

impl ChannelView {
    /// Returns its name with its number, such as `link#2`.
    pub fn label(&self) -> String {
        format!("{}#{}", self.name, self.number)
    }

    /// Returns its messages, such as `[msg,1] [ack,0]`.
    pub fn contents(&self) -> String {
        if self.messages.is_empty() {
            return "empty".to_owned();
        }
        self.messages.iter().map(|fields| format!("[{}]", fields.join(","))).collect::<Vec<_>>().join(" ")
    }
}

impl ProcessView {
    /// Returns its name with its number, such as `Sender(2)`.
    pub fn label(&self) -> String {
        format!("{}({})", self.name, self.pid)
    }
}
