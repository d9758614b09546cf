//! A run as a message sequence chart: a column for each process, an arrow for each message.
//!
//! A rendezvous is one arrow. In a buffered channel a message leaves (`●`) at one step and arrives (a dashed arrow from
//! its sender) at a later one. Steps that move no message are left out.

use std::ops::ControlFlow;

use narrows_model::{ChannelView, Evaluator, MoveKind, Scratch, Trace, TraceMove};

/// Draws the messages of a run.
pub fn chart(evaluator: Evaluator<'_>, trace: &Trace) -> String {
    let mut chart = Chart::default();
    let mut before = trace.initial.clone();
    for (index, step) in trace.steps.iter().enumerate() {
        for piece in pieces(evaluator, before.clone(), &step.moves, &step.state) {
            chart.add(evaluator, index + 1, &piece);
        }
        before.clone_from(&step.state);
    }
    chart.draw()
}

/// One or two moves of a step, with the states around them.
struct Piece<'t> {
    moves: &'t [TraceMove],
    before: Vec<u8>,
    after: Vec<u8>,
}

/// Takes a step apart, move by move: an atomic sequence is one step of many moves.
fn pieces<'t>(
    evaluator: Evaluator<'_>,
    mut state: Vec<u8>,
    moves: &'t [TraceMove],
    last: &[u8],
) -> Vec<Piece<'t>> {
    let mut list = Vec::new();
    let mut rest = moves;
    while rest.len() > 1 {
        let Some((length, next)) = single(evaluator, &state, rest) else { break };
        let (now, later) = rest.split_at(length);
        list.push(Piece { moves: now, before: std::mem::replace(&mut state, next.clone()), after: next });
        rest = later;
    }
    if !rest.is_empty() {
        list.push(Piece { moves: rest, before: state, after: last.to_vec() });
    }
    list
}

/// Finds the state after the first of some moves, or after the first two if they are a rendezvous.
fn single(evaluator: Evaluator<'_>, state: &[u8], moves: &[TraceMove]) -> Option<(usize, Vec<u8>)> {
    let mut found = None;
    evaluator.single_moves(state, &mut Scratch::default(), &mut |successor| {
        let length = successor.moves.len();
        let same =
            length <= moves.len() && successor.moves.iter().eq(moves[..length].iter().map(|m| &m.step));
        match successor.target {
            Some(target) if same => {
                found = Some((length, target.to_vec()));
                ControlFlow::Break(())
            }
            _ => ControlFlow::Continue(()),
        }
    });
    found
}

/// What a row shows.
#[derive(Debug, PartialEq, Eq)]
enum Event {
    /// A message goes from one process to another at once.
    Rendezvous { from: usize, to: usize, label: String },
    /// A message goes into a channel.
    Leaves { from: usize, label: String },
    /// A message comes out of a channel.
    Arrives { from: Option<usize>, to: usize, label: String },
}

#[derive(Default)]
struct Chart {
    columns: Vec<String>,
    rows: Vec<(usize, Event)>,
    /// Who sent what is in each channel, by the channel's number.
    senders: Vec<Vec<Option<usize>>>,
}

impl Chart {
    fn column(&mut self, step: &TraceMove) -> usize {
        let label = format!("{}({})", step.process, step.step.pid);
        if let Some(column) = self.columns.iter().position(|column| *column == label) {
            return column;
        }
        self.columns.push(label);
        self.columns.len() - 1
    }

    fn add(&mut self, evaluator: Evaluator<'_>, number: usize, piece: &Piece<'_>) {
        if let [offer, accept] = piece.moves
            && offer.step.kind == MoveKind::Offer
            && accept.step.kind == MoveKind::Accept
        {
            let (from, to) = (self.column(offer), self.column(accept));
            let label = match evaluator.sent(&piece.before, offer.step) {
                Some(message) => format!("{} {}", message.name, message.fields.join(",")),
                None => offer.text.clone(),
            };
            self.rows.push((number, Event::Rendezvous { from, to, label }));
        }
        let Some(step) = piece.moves.last() else { return };
        let before = evaluator.describe(&piece.before).channels;
        let after = evaluator.describe(&piece.after).channels;
        for (old, new) in before.iter().zip(&after) {
            if old.messages != new.messages {
                let column = self.column(step);
                self.channel(number, column, old, new);
            }
        }
        self.senders.truncate(after.len());
    }

    /// Finds what went into a channel and what came out, by comparing.
    fn channel(&mut self, number: usize, column: usize, old: &ChannelView, new: &ChannelView) {
        let index = old.number - 1;
        if self.senders.len() <= index {
            self.senders.resize_with(index + 1, Vec::new);
        }
        let senders = &mut self.senders[index];
        senders.resize(old.messages.len(), None);
        let same = old.messages.iter().zip(&new.messages).take_while(|(left, right)| left == right).count();
        let name = |message: &[String]| format!("{} {}", old.name, message.join(","));
        if new.messages.len() > old.messages.len() {
            let added = new.messages.len() - old.messages.len();
            for (offset, message) in new.messages[same..same + added].iter().enumerate() {
                senders.insert(same + offset, Some(column));
                self.rows.push((number, Event::Leaves { from: column, label: name(message) }));
            }
        } else {
            let removed = old.messages.len() - new.messages.len();
            let gone: Vec<Option<usize>> = senders.drain(same..same + removed).collect();
            for (message, from) in old.messages[same..].iter().zip(gone) {
                self.rows.push((number, Event::Arrives { from, to: column, label: name(message) }));
            }
        }
    }

    fn draw(&self) -> String {
        if self.rows.is_empty() {
            return "no messages\n".to_owned();
        }
        let widest = self.columns.iter().map(|column| column.chars().count()).max().unwrap_or(0);
        let labels = self.rows.iter().map(|(_, event)| event.label().chars().count()).max().unwrap_or(0);
        let canvas = Canvas { columns: self.columns.len(), width: (widest + 3).max(labels.min(20) + 7) };
        let mut text = canvas.heads(&self.columns);
        for (number, event) in &self.rows {
            text.push_str(&canvas.row(*number, event));
        }
        text
    }
}

impl Event {
    fn label(&self) -> &str {
        match self {
            Event::Rendezvous { label, .. } | Event::Leaves { label, .. } | Event::Arrives { label, .. } => {
                label
            }
        }
    }
}

/// How wide the columns are.
struct Canvas {
    columns: usize,
    width: usize,
}

const MARGIN: usize = 7;

impl Canvas {
    fn middle(&self, column: usize) -> usize {
        MARGIN + column * self.width + self.width / 2
    }

    fn heads(&self, columns: &[String]) -> String {
        let mut line: Vec<char> = vec![' '; MARGIN + self.columns * self.width];
        for (index, column) in columns.iter().enumerate() {
            let start = self.middle(index) - column.chars().count() / 2;
            write_at(&mut line, start, column);
        }
        finish(&line, "")
    }

    fn row(&self, number: usize, event: &Event) -> String {
        let mut line: Vec<char> = vec![' '; MARGIN + self.columns * self.width];
        for column in 0..self.columns {
            line[self.middle(column)] = '│';
        }
        write_at(&mut line, 0, &format!("{number:>5}"));
        let mut note = String::new();
        match event {
            Event::Rendezvous { from, to, label } => note = self.arrow(&mut line, *from, *to, label, '─'),
            Event::Leaves { from, label } => {
                line[self.middle(*from)] = '●';
                note = format!("{label} leaves");
            }
            Event::Arrives { from: Some(from), to, label } if from != to => {
                note = self.arrow(&mut line, *from, *to, label, '╌');
            }
            Event::Arrives { to, label, .. } => {
                line[self.middle(*to)] = '○';
                note.push_str(label);
                note.push_str(" arrives");
            }
        }
        finish(&line, &note)
    }

    /// Draws an arrow with its label on it; returns the label if there is no room.
    fn arrow(&self, line: &mut [char], from: usize, to: usize, label: &str, dash: char) -> String {
        let (left, right) = (self.middle(from.min(to)) + 1, self.middle(from.max(to)));
        line[left..right].fill(dash);
        if from < to {
            line[right - 1] = '▶';
        } else {
            line[left] = '◀';
        }
        let length = label.chars().count() + 2;
        if length + 4 > self.width {
            return label.to_owned();
        }
        // Next to its sender, so that a long arrow does not lose it.
        let start = if from < to { left + 1 } else { right - 1 - length };
        write_at(line, start, &format!(" {label} "));
        String::new()
    }
}

fn write_at(line: &mut [char], start: usize, text: &str) {
    for (slot, character) in line[start..].iter_mut().zip(text.chars()) {
        *slot = character;
    }
}

fn finish(line: &[char], note: &str) -> String {
    let text: String = line.iter().collect();
    if note.is_empty() { format!("{}\n", text.trim_end()) } else { format!("{text}  {note}\n") }
}
