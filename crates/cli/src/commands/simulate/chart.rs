//! A message sequence chart of a run, as lines of text: processes are columns, messages are arrows.
//!
//! A rendezvous is one arrow. A message that waits in a channel is a dot where it is sent and an arrow from its sender
//! where it is received.

use std::collections::BTreeMap;

use super::follow::Event;
use super::session::Taken;

/// How wide the column with the numbers of the steps is.
const GUTTER: usize = 5;

/// A column narrower than this can't be read.
const NARROWEST: usize = 12;

/// Draws the chart of some steps: the first line names the processes.
pub(super) fn draw(steps: &[Taken], width: usize) -> Vec<String> {
    let names = participants(steps);
    if names.is_empty() {
        return vec!["No message was sent so far.".to_owned()];
    }
    let fits = (width.saturating_sub(GUTTER) / NARROWEST).max(1);
    let shown: Vec<(usize, &String)> = names.iter().map(|(pid, name)| (*pid, name)).take(fits).collect();
    let canvas = Canvas {
        pids: shown.iter().map(|(pid, _)| *pid).collect(),
        column: (width.saturating_sub(GUTTER) / shown.len()).clamp(NARROWEST, 30),
    };
    let mut lines = vec![canvas.header(&shown)];
    let mut waiting: BTreeMap<usize, Vec<(usize, String)>> = BTreeMap::new();
    for (index, taken) in steps.iter().enumerate() {
        for event in &taken.events {
            lines.extend(canvas.event(index + 1, event, &mut waiting));
        }
    }
    if shown.len() < names.len() {
        lines.push(format!("({} more processes do not fit)", names.len() - shown.len()));
    }
    lines
}

/// Returns the processes that sent or received something, with their names.
fn participants(steps: &[Taken]) -> BTreeMap<usize, String> {
    let mut names = BTreeMap::new();
    for taken in steps {
        for event in &taken.events {
            let pids = match event {
                Event::Printed { .. } => vec![],
                Event::Sent { pid, .. } | Event::Received { pid, .. } => vec![*pid],
                Event::Passed { from, to, .. } => vec![*from, *to],
            };
            for pid in pids {
                let own = taken.step.moves.iter().find(|step| usize::from(step.step.pid) == pid);
                let name = own.map_or_else(String::new, |step| step.process.clone());
                names.entry(pid).or_insert_with(|| format!("{name}({pid})"));
            }
        }
    }
    names
}

struct Canvas {
    pids: Vec<usize>,
    column: usize,
}

impl Canvas {
    /// Returns the place of a process's line.
    fn centre(&self, pid: usize) -> Option<usize> {
        let index = self.pids.iter().position(|other| *other == pid)?;
        Some(GUTTER + index * self.column + self.column / 2)
    }

    fn header(&self, names: &[(usize, &String)]) -> String {
        let mut row = vec![' '; GUTTER + self.pids.len() * self.column];
        for (pid, name) in names {
            let Some(centre) = self.centre(*pid) else { continue };
            let name: Vec<char> = name.chars().take(self.column - 1).collect();
            put(&mut row, centre - name.len() / 2, &name);
        }
        finished(&row)
    }

    fn event(
        &self,
        step: usize,
        event: &Event,
        waiting: &mut BTreeMap<usize, Vec<(usize, String)>>,
    ) -> Option<String> {
        let mut row = self.empty(step);
        match event {
            Event::Printed { .. } => return None,
            Event::Sent { pid, channel, slot, text } => {
                let queue = waiting.entry(*channel).or_default();
                queue.insert((*slot).min(queue.len()), (*pid, text.clone()));
                self.dot(&mut row, *pid, '●', text);
            }
            Event::Received { pid, channel, slot } => {
                let queue = waiting.entry(*channel).or_default();
                if *slot < queue.len() {
                    let (from, text) = queue.remove(*slot);
                    self.arrow(&mut row, from, *pid, &text);
                } else {
                    self.dot(&mut row, *pid, '○', "receives");
                }
            }
            Event::Passed { from, to, text } => self.arrow(&mut row, *from, *to, text),
        }
        Some(finished(&row))
    }

    fn empty(&self, step: usize) -> Vec<char> {
        let mut row = vec![' '; GUTTER + self.pids.len() * self.column];
        let number: Vec<char> = format!("{step:>4}").chars().collect();
        put(&mut row, 0, &number);
        for pid in &self.pids {
            if let Some(centre) = self.centre(*pid) {
                row[centre] = '│';
            }
        }
        row
    }

    fn dot(&self, row: &mut [char], pid: usize, mark: char, text: &str) {
        let Some(centre) = self.centre(pid) else { return };
        row[centre] = mark;
        let text: Vec<char> = text.chars().take(self.column - 3).collect();
        put(row, centre + 2, &text);
    }

    fn arrow(&self, row: &mut [char], from: usize, to: usize, text: &str) {
        let (Some(start), Some(end)) = (self.centre(from), self.centre(to)) else {
            // The other end is outside of the picture.
            self.dot(row, from, '●', text);
            self.dot(row, to, '○', text);
            return;
        };
        if start == end {
            return self.dot(row, to, '↺', text);
        }
        let (left, right) = (start.min(end), start.max(end));
        row[left + 1..right].fill('─');
        row[start] = if start < end { '├' } else { '┤' };
        row[if start < end { right - 1 } else { left + 1 }] = if start < end { '▶' } else { '◀' };
        let text: Vec<char> = text.chars().take(right - left - 5).collect();
        put(row, left + (right - left - text.len()).div_ceil(2), &text);
    }
}

fn put(row: &mut [char], at: usize, text: &[char]) {
    for (place, character) in row.iter_mut().skip(at).zip(text) {
        *place = *character;
    }
}

fn finished(row: &[char]) -> String {
    row.iter().collect::<String>().trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use narrows_model::Evaluator;

    use super::super::examples::{Example, counting, meeting};
    use super::super::session::Session;
    use super::*;

    fn check(example: &Example, expected: &[&str]) {
        let mut session = Session::new(Evaluator::new(&example.system), &example.sources, 1)
            .expect("it has an initial state");
        session.run(100, |_| false);
        assert_eq!(draw(session.past(), 45), expected);
    }

    #[test]
    fn messages_that_wait_are_arrows_from_their_senders() {
        check(
            &counting(),
            &[
                "             P(0)                Q(1)",
                "   2           ● c!2               │",
                "   3           ├────────c!2───────▶│",
            ],
        );
    }

    #[test]
    fn a_rendezvous_is_an_arrow() {
        check(&meeting(), &["             P(0)                Q(1)", "   3           ├────────m!7───────▶│"]);
    }

    #[test]
    fn without_messages_it_says_so() {
        assert_eq!(draw(&[], 40), ["No message was sent so far."]);
    }
}
