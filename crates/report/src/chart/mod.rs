//! A run as a message sequence chart: a column for each process, a row for each message.
//!
//! A rendezvous is one arrow. In a buffered channel a message leaves at one step and arrives at a later one:
//! the layout finds out which of the messages that left it is. What is drawn of it, and how, is up to `text`
//! and `svg`.

mod svg;
mod text;

use std::collections::BTreeMap;

use narrows_model::{Actor, Event, Model, Narrator, RunStep, Trace, TraceStep};

use crate::run::{actor, one_line};

pub(crate) use svg::{STYLE, SvgParts};

/// The layout of a chart.
#[derive(Clone, Debug, Default)]
pub struct Chart {
    columns: Vec<Column>,
    rows: Vec<Row>,
    /// How many steps there are.
    steps: usize,
    /// For an endless run: the step that comes again after the last one, counted from 0.
    cycle: Option<usize>,
}

/// A process.
#[derive(Clone, Debug)]
struct Column {
    pid: usize,
    name: String,
    label: String,
    /// At which steps it starts (true) or ends (false).
    turns: Vec<(usize, bool)>,
}

/// Something that happens.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Row {
    /// The step's number, counted from 1.
    step: usize,
    what: What,
    /// What went wrong.
    wrong: Option<&'static str>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum What {
    /// A message goes from one process to another at once.
    Passed { from: usize, to: usize, label: String },
    /// A message goes into a channel; it comes out at another row.
    Sent { from: usize, label: String, received: Option<usize> },
    /// A message comes out of a channel; it went in at another row.
    Received { from: Option<usize>, to: usize, label: String, sent: Option<usize> },
    /// A process does something by itself.
    Alone { at: usize, label: String },
}

/// Where the messages in each channel come from: the row and the column that sent them.
type Waiting = BTreeMap<usize, Vec<Option<(usize, usize)>>>;

impl Chart {
    /// Lays out the chart of a whole run.
    pub fn of(model: &Model, trace: &Trace) -> Chart {
        let narrator = Narrator::new(model);
        let actors = |step: &RunStep| narrator.actions(step).into_iter().filter_map(|action| action.actor);
        let mut chart = Chart::begin(trace.steps.iter().flat_map(actors), trace.cycle);
        let mut waiting = Waiting::new();
        for (index, step) in trace.steps.iter().enumerate() {
            let events = model.events(trace.state(index), step.moves());
            chart.steps += 1;
            chart.add(&narrator.step(trace, index), &events, &mut waiting);
        }
        chart
    }

    /// Lays out the chart of steps, each with what happened in it.
    pub fn new<'a>(
        steps: impl Iterator<Item = (&'a TraceStep, &'a [Event])> + Clone,
        cycle: Option<usize>,
    ) -> Chart {
        let actors =
            |(step, _): (&'a TraceStep, _)| step.actions.iter().filter_map(|action| action.actor.clone());
        let mut chart = Chart::begin(steps.clone().flat_map(actors), cycle);
        let mut waiting = Waiting::new();
        for (step, events) in steps {
            chart.steps += 1;
            chart.add(step, events, &mut waiting);
        }
        chart
    }

    /// Begins a chart with a column for each process that does something.
    fn begin(actors: impl Iterator<Item = Actor>, cycle: Option<usize>) -> Chart {
        let mut chart = Chart { cycle, ..Chart::default() };
        for who in actors {
            let is_known = |column: &Column| column.pid == who.number && column.name == who.name;
            if !chart.columns.iter().any(is_known) {
                let (pid, label) = (who.number, who.to_string());
                chart.columns.push(Column { pid, name: who.name, label, turns: Vec::new() });
            }
        }
        chart.columns.sort_by_key(|column| column.pid);
        chart
    }

    /// Returns whether any message is sent.
    pub fn has_messages(&self) -> bool {
        self.rows.iter().any(|row| !matches!(row.what, What::Alone { .. }))
    }

    fn add(&mut self, step: &TraceStep, events: &[Event], waiting: &mut Waiting) {
        let first = self.rows.len();
        for event in events {
            self.message(step, event, waiting);
        }
        if self.rows.len() == first
            && let Some(column) = step.actions.first().and_then(|action| self.column(&actor(action)))
        {
            let texts: Vec<String> = step.visible_actions().map(|action| one_line(&action.label)).collect();
            self.push(What::Alone { at: column, label: texts.join("; ") });
        }
        if let (Some(found), Some(last)) = (step.violations.first(), self.rows[first..].last_mut()) {
            last.wrong = Some(found.kind.message());
        }
        for change in &step.changes {
            let is_there = change.after.is_some();
            if is_there != change.before.is_some()
                && let Some(column) = self.column(&change.name)
            {
                self.columns[column].turns.push((self.steps, is_there));
            }
        }
    }

    fn push(&mut self, what: What) {
        self.rows.push(Row { step: self.steps, what, wrong: None });
    }

    fn column(&self, label: &str) -> Option<usize> {
        self.columns.iter().position(|column| column.label == *label)
    }

    /// Returns the column of a process that takes part in a step.
    fn column_of(&self, step: &TraceStep, pid: usize) -> Option<usize> {
        let mut actors = step.actions.iter().filter_map(|action| action.actor.as_ref());
        self.column(&actors.find(|actor| actor.number == pid)?.to_string())
    }

    fn message(&mut self, step: &TraceStep, event: &Event, waiting: &mut Waiting) {
        let row = self.rows.len();
        match event {
            Event::Printed { .. } => {}
            Event::Passed { from, to, text } => {
                if let (Some(from), Some(to)) = (self.column_of(step, *from), self.column_of(step, *to)) {
                    self.push(What::Passed { from, to, label: text.clone() });
                }
            }
            Event::Sent { pid, channel, slot, text } => {
                let Some(from) = self.column_of(step, *pid) else { return };
                let queue = waiting.entry(*channel).or_default();
                queue.resize(queue.len().max(*slot), None);
                queue.insert(*slot, Some((row, from)));
                self.push(What::Sent { from, label: text.clone(), received: None });
            }
            Event::Received { pid, channel, slot, text } => {
                let Some(to) = self.column_of(step, *pid) else { return };
                let queue = waiting.entry(*channel).or_default();
                let origin = if *slot < queue.len() { queue.remove(*slot) } else { None };
                let (sent, from) = origin.unzip();
                if let Some(What::Sent { received, .. }) = sent.map(|sent| &mut self.rows[sent].what) {
                    *received = Some(row);
                }
                self.push(What::Received { from, to, label: text.clone(), sent });
            }
        }
    }
}

impl What {
    fn label(&self) -> &str {
        match self {
            What::Passed { label, .. }
            | What::Sent { label, .. }
            | What::Received { label, .. }
            | What::Alone { label, .. } => label,
        }
    }

    /// Returns the processes that take part.
    fn columns(&self) -> Vec<usize> {
        match self {
            What::Passed { from, to, .. } => vec![*from, *to],
            What::Sent { from: column, .. }
            | What::Received { to: column, .. }
            | What::Alone { at: column, .. } => vec![*column],
        }
    }
}
