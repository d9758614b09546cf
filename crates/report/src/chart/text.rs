//! The chart as lines of text. Only messages are shown, and only processes that send or receive.

use super::{Chart, Row, What};
use crate::run::repeats;

/// How wide the column with the numbers of the steps is.
const GUTTER: usize = 6;
/// A column narrower than this can't be read.
const NARROWEST: usize = 12;
/// A column wider than this wastes room.
const WIDEST: usize = 30;

impl Chart {
    /// Draws the messages as lines; the first names the processes. If `width` is given, no line is longer.
    pub fn lines(&self, width: Option<usize>) -> Vec<String> {
        let rows: Vec<&Row> =
            self.rows.iter().filter(|row| !matches!(row.what, What::Alone { .. })).collect();
        if rows.is_empty() {
            return vec!["no messages".to_owned()];
        }
        let canvas = self.canvas(&rows, width);
        let mut lines = vec![canvas.heads(self)];
        let mut is_marked = false;
        for row in rows {
            let repeated = self.cycle.filter(|start| row.step > *start);
            if let (Some(start), false) = (repeated, is_marked) {
                let note = format!("  ── cycle: {} for ever", repeats(start, self.steps));
                lines.push(note.chars().take(width.unwrap_or(usize::MAX)).collect());
                is_marked = true;
            }
            lines.push(canvas.row(row));
        }
        let hidden = canvas.places.iter().filter(|place| **place == Place::Outside).count();
        if hidden > 0 {
            lines.push(format!("(no room: {hidden} more)"));
        }
        lines
    }

    fn canvas(&self, rows: &[&Row], width: Option<usize>) -> Canvas {
        let mut talks = vec![false; self.columns.len()];
        for column in rows.iter().flat_map(|row| row.what.columns()) {
            talks[column] = true;
        }
        let count = talks.iter().filter(|talks| **talks).count();
        let most = width.map_or(count, |width| (width.saturating_sub(GUTTER) / NARROWEST).max(1));
        let shown = count.min(most);
        let names = self.columns.iter().map(|column| column.label.chars().count() + 3);
        let labels = rows.iter().map(|row| row.what.label().chars().count() + 7);
        let wanted = names.chain(labels).max().unwrap_or(0).clamp(NARROWEST, WIDEST);
        let column = width
            .map_or(wanted, |width| (width.saturating_sub(GUTTER) / shown.max(1)).clamp(NARROWEST, WIDEST));
        let mut next = 0;
        let mut place = |talks: &bool| {
            if !talks {
                return Place::Silent;
            }
            next += 1;
            if next > shown { Place::Outside } else { Place::At(next - 1) }
        };
        // Beside the last line there may be a label.
        let room = GUTTER + shown * column + column / 2;
        let places = talks.iter().map(&mut place).collect();
        Canvas {
            places,
            column,
            room: width.map_or(room, |width| room.min(width.max(GUTTER + shown * column))),
        }
    }
}

/// Where a process is drawn.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    /// Nowhere: it neither sends nor receives.
    Silent,
    /// Nowhere: there is no room.
    Outside,
    /// In a column.
    At(usize),
}

struct Canvas {
    places: Vec<Place>,
    /// How wide a column is.
    column: usize,
    /// How long a line may be.
    room: usize,
}

impl Canvas {
    /// Returns where a process's line is.
    fn centre(&self, column: usize) -> Option<usize> {
        match self.places[column] {
            Place::At(index) => Some(GUTTER + index * self.column + self.column / 2),
            _ => None,
        }
    }

    fn blank(&self) -> Vec<char> {
        vec![' '; self.room]
    }

    fn heads(&self, chart: &Chart) -> String {
        let mut line = self.blank();
        for (index, column) in chart.columns.iter().enumerate() {
            if let Some(centre) = self.centre(index) {
                let name: Vec<char> = column.label.chars().take(self.column - 1).collect();
                put(&mut line, centre - name.len() / 2, &name);
            }
        }
        finished(&line)
    }

    fn row(&self, row: &Row) -> String {
        let mut line = self.blank();
        put(&mut line, 0, &format!("{:>5}", row.step).chars().collect::<Vec<_>>());
        for centre in (0..self.places.len()).filter_map(|column| self.centre(column)) {
            line[centre] = '│';
        }
        match &row.what {
            What::Passed { from, to, label } => self.arrow(&mut line, *from, *to, label, '─'),
            What::Sent { from, label, .. } => self.dot(&mut line, *from, '●', label),
            What::Received { from: Some(from), to, label, .. } => {
                self.arrow(&mut line, *from, *to, label, '╌');
            }
            What::Received { to, label, .. } => self.dot(&mut line, *to, '○', label),
            What::Alone { .. } => {}
        }
        finished(&line)
    }

    fn dot(&self, line: &mut [char], column: usize, mark: char, text: &str) {
        let Some(centre) = self.centre(column) else { return };
        line[centre] = mark;
        let text: Vec<char> = text.chars().take(self.column - 3).collect();
        put(line, centre + 2, &text);
    }

    fn arrow(&self, line: &mut [char], from: usize, to: usize, text: &str, dash: char) {
        let (Some(start), Some(end)) = (self.centre(from), self.centre(to)) else {
            // The other end is outside of the picture.
            self.dot(line, from, '●', text);
            return self.dot(line, to, '○', text);
        };
        if start == end {
            return self.dot(line, to, '↺', text);
        }
        let (left, right) = (start.min(end), start.max(end));
        line[left + 1..right].fill(dash);
        line[start] = if start < end { '├' } else { '┤' };
        line[if start < end { right - 1 } else { left + 1 }] = if start < end { '▶' } else { '◀' };
        // Next to its sender, so that a long arrow does not lose it.
        let text: Vec<char> = format!(" {text} ").chars().take(self.column - 4).collect();
        put(line, if start < end { left + 2 } else { right - 1 - text.len() }, &text);
    }
}

fn put(line: &mut [char], at: usize, text: &[char]) {
    for (place, character) in line.iter_mut().skip(at).zip(text) {
        *place = *character;
    }
}

fn finished(line: &[char]) -> String {
    line.iter().collect::<String>().trim_end().to_owned()
}

#[cfg(test)]
mod tests {

    use super::super::{Chart, What};
    use crate::samples::{Sample, TALK, TURNS};

    fn check(sample: &Sample, width: Option<usize>, expected: &str) {
        let chart = Chart::of(&sample.model, &sample.trace);
        assert_eq!(chart.lines(width).join("\n"), expected);
    }

    #[test]
    fn messages_are_arrows_from_their_senders() {
        let sample = Sample::new(TALK, &[0, 1, 0, 0, 0], None);
        let expected = "           Sender(0)        Receiver(1)
    1          ● link!data,1     │
    2          ● link!data,2     │
    3          ├╌ link?data,1 ╌╌▶│
    4          ├╌ link?data,2 ╌╌▶│
    5          │◀─────── done!3 ─┤";
        check(&sample, None, expected);
        let chart = Chart::of(&sample.model, &sample.trace);
        for width in 0..60 {
            let lines = chart.lines(Some(width));
            assert!(lines.iter().all(|line| line.chars().count() <= width.max(26)), "{width}: {lines:?}");
        }
    }

    #[test]
    fn equal_messages_arrive_in_the_order_in_which_they_left() {
        let model = "chan c = [3] of { byte };
            active proctype One() { c!7; c!7 }
            active proctype Two() { c!7 }
            active proctype Reader() { c?_; c?_; c?_ }";
        // One sends twice, then Two; what Reader takes last is from Two.
        let sample = Sample::new(model, &[1, 2, 1, 0, 0, 0], None);
        let chart = Chart::of(&sample.model, &sample.trace);
        let senders: Vec<Option<usize>> = chart
            .rows
            .iter()
            .filter_map(|row| match row.what {
                What::Received { sent, .. } => Some(sent),
                _ => None,
            })
            .collect();
        assert_eq!(senders, [Some(0), Some(1), Some(2)], "{:?}", chart.lines(None));
    }

    #[test]
    fn a_cycle_is_marked() {
        let expected = "          P(0)
    1       ● c!1
  ── cycle: steps 2–3 repeat for ever
    2       ↺ c?1
    3       ● c!1";
        let model = "chan c = [1] of { byte }; active proctype P() { do :: c!1 :: c?_ od }";
        check(&Sample::new(model, &[0, 0, 0], Some(1)), None, expected);
    }

    #[test]
    fn without_messages_it_says_so() {
        check(&Sample::new(TURNS, &[0, 0], None), None, "no messages");
    }
}
