//! What stands at a step between two states.

use std::collections::HashMap;
use std::fmt::Write;

use narrows_explicit::NumberedEdge;
use narrows_model::wording::one_line;
use narrows_model::{Communication, Evaluator, Move, MoveKind, Outline, Setup};

use super::LabelStyle;

/// The label of a step that shows nothing.
const INTERNAL: &str = "i";

/// Makes labels.
pub(super) struct StepLabels<'s> {
    evaluator: Evaluator<'s>,
    style: LabelStyle,
    /// The labels of moves, which come again and again.
    known: HashMap<Vec<(u8, u16, u32)>, String>,
    /// The moves at hand.
    key: Vec<(u8, u16, u32)>,
    outline: Outline,
    /// For each kind of channel, whether there may be several.
    several: Vec<bool>,
    text: String,
}

impl<'s> StepLabels<'s> {
    pub(super) fn new(evaluator: Evaluator<'s>, style: LabelStyle) -> Self {
        let system = evaluator.system();
        let mut several: Vec<u32> = vec![0; system.channel_kinds.len()];
        for step in &system.setup {
            if let Setup::Channel(_, kind) = step {
                several[usize::from(*kind)] += 1;
            }
        }
        for step in system.proctypes.iter().flat_map(|proctype| &proctype.setup) {
            // A process may be created more than once.
            if let Setup::Channel(_, kind) = step {
                several[usize::from(*kind)] += 2;
            }
        }
        StepLabels {
            evaluator,
            style,
            known: HashMap::new(),
            key: Vec::new(),
            outline: Outline::default(),
            several: several.into_iter().map(|count| count > 1).collect(),
            text: String::new(),
        }
    }

    /// Returns the label of an edge.
    pub(super) fn text(&mut self, edge: &NumberedEdge<'_>) -> &str {
        if self.style == LabelStyle::Channel {
            self.messages(edge);
            return &self.text;
        }
        self.key.clear();
        self.key
            .extend(edge.successor.moves.iter().map(|step| (step.pid, step.proctype.0, step.transition.0)));
        if !self.known.contains_key(&self.key) {
            let text = match self.style {
                LabelStyle::Label => self.places(edge.successor.moves),
                _ => self.statements(edge.successor.moves),
            };
            self.known.insert(self.key.clone(), text);
        }
        self.known.get(&self.key).map_or(INTERNAL, String::as_str)
    }

    /// Writes what each process does: its statements, without those that only join two locations.
    fn statements(&self, moves: &[Move]) -> String {
        let system = self.evaluator.system();
        let is_glue = |step: &Move| {
            step.kind == MoveKind::Alone && system.proctype(step.proctype).transition(step.transition).is_glue
        };
        let all_glue = moves.iter().all(is_glue);
        let mut text = String::new();
        let mut last = None;
        for step in moves.iter().filter(|step| all_glue || !is_glue(step)) {
            let proctype = system.proctype(step.proctype);
            let statement = one_line(&proctype.transition(step.transition).text);
            let _ = match last {
                Some(pid) if pid == step.pid => write!(text, "; {statement}"),
                Some(_) => write!(text, " | {}({}): {statement}", proctype.name, step.pid),
                None => write!(text, "{}({}): {statement}", proctype.name, step.pid),
            };
            last = Some(step.pid);
        }
        text
    }

    /// Writes the labels of the model that stand before the statements.
    fn places(&self, moves: &[Move]) -> String {
        let system = self.evaluator.system();
        let mut places: Vec<String> = Vec::new();
        for step in moves {
            let proctype = system.proctype(step.proctype);
            for label in &proctype.location(step.from).labels {
                places.push(format!("{}({}):{label}", proctype.name, step.pid));
            }
        }
        if places.is_empty() { INTERNAL.to_owned() } else { places.join("; ") }
    }

    /// Writes the messages that are sent and received; those of a rendezvous once.
    fn messages(&mut self, edge: &NumberedEdge<'_>) {
        self.text.clear();
        let mut events = edge.successor.events.iter();
        while let Some(event) = events.next() {
            // A channel may have been created on the way.
            let states = [Some(edge.before), edge.successor.target];
            let kind = states.into_iter().flatten().find_map(|state| self.kind(state, event));
            let Some(kind) = kind else { continue };
            let channel = &self.evaluator.system().channel_kinds[kind];
            if !self.text.is_empty() {
                self.text.push_str("; ");
            }
            self.text.push_str(&channel.name);
            if self.several[kind] {
                let _ = write!(self.text, "#{}", event.channel);
            }
            let sign = if event.sent { '!' } else { '?' };
            for (value, field) in event.message.iter().zip(&channel.fields) {
                let _ = write!(self.text, " {sign}{}", self.evaluator.show(*field, *value));
            }
            if event.sent && channel.capacity == 0 {
                // The next event is that it is received.
                events.next();
            }
        }
        if self.text.is_empty() {
            self.text.push_str(INTERNAL);
        }
    }

    /// Returns the kind of the channel of an event.
    fn kind(&mut self, state: &[u8], event: &Communication) -> Option<usize> {
        self.evaluator.outline(state, &mut self.outline);
        let number = usize::try_from(event.channel).ok()?.checked_sub(1)?;
        self.outline.channels.get(number).map(|channel| channel.kind)
    }
}
