//! The chart as a picture: lifelines, arrows for messages, dots for what a process does by itself.

use std::fmt::Write;

use super::{Chart, Row, What};
use crate::escape::Escaped;
use crate::run::repeats;
use crate::units::count;

/// The height of a row.
const ROW: usize = 26;
/// The room above the first row, for its label.
const TOP: usize = 6;
/// The height of the names.
const HEAD: usize = 40;
/// The room at the left, for the numbers of the steps and the bracket of a cycle.
const GUTTER: usize = 64;
/// How wide a character is.
const CHARACTER: usize = 7;
/// So many characters of what a process does by itself are worth their room.
const LONGEST_ALONE: usize = 26;
/// How far apart lifelines are.
const PITCHES: std::ops::RangeInclusive<usize> = 120..=260;

/// How a picture looks that stands alone; a page has the same rules among its own.
pub(crate) const STYLE: &str = include_str!("chart.css");

/// Colours of a picture that stands alone.
const COLOURS: &str = "
svg { --back: #ffffff; --ink: #1f2430; --faint: #6b7280; --line: #c9cdd6; --accent: #2456c7; --good: #1a7f4b;
  --bad: #b3261e; --cycle: #8a5a00; --cycle-back: #fdf3dc; --panel: #f5f6f8; }
@media (prefers-color-scheme: dark) {
  svg { --back: #14171c; --ink: #e4e7ec; --faint: #98a0ad; --line: #3a404b; --accent: #8fb2ff; --good: #62c993;
    --bad: #ff8a80; --cycle: #e5b567; --cycle-back: #2a2417; --panel: #1c2027; }
}
";

/// A chart in two pictures of the same width, so that the names can stay in sight.
pub(crate) struct SvgParts {
    pub(crate) heads: String,
    pub(crate) body: String,
}

impl Chart {
    /// Draws the chart as a picture of its own.
    pub fn svg(&self, title: &str) -> String {
        let canvas = Canvas::new(self);
        let (width, height) = (canvas.width(), HEAD + canvas.height());
        let mut out = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" \
             height=\"{height}\" role=\"img\" class=\"chart\">\n<title>{}</title>\n<desc>{}</desc>\n\
             <style>{COLOURS}{STYLE}</style>\n<rect class=\"back\" width=\"{width}\" height=\"{height}\"/>\n",
            Escaped(title),
            Escaped(self.summary()),
        );
        canvas.heads(&mut out);
        let _ = writeln!(out, "<g transform=\"translate(0 {HEAD})\">");
        canvas.body(&mut out, false);
        out.push_str("</g>\n</svg>\n");
        out
    }

    /// Draws the chart for a page: `id` tells it from the others there.
    pub(crate) fn svg_parts(&self, id: &str) -> SvgParts {
        let canvas = Canvas::new(self);
        let (width, height) = (canvas.width(), canvas.height());
        let mut heads = format!(
            "<svg viewBox=\"0 0 {width} {HEAD}\" width=\"{width}\" height=\"{HEAD}\" class=\"chart\" \
             aria-hidden=\"true\">"
        );
        canvas.heads(&mut heads);
        heads.push_str("</svg>");
        let mut body = format!(
            "<svg viewBox=\"0 0 {width} {height}\" width=\"{width}\" height=\"{height}\" class=\"chart\" \
             role=\"img\" aria-labelledby=\"{id}-title\"><title id=\"{id}-title\">{}</title>\n",
            Escaped(self.summary()),
        );
        canvas.body(&mut body, true);
        body.push_str("</svg>");
        SvgParts { heads, body }
    }

    /// Says in words what the picture shows.
    fn summary(&self) -> String {
        let messages = self.rows.iter().filter(|row| {
            matches!(row.what, What::Passed { .. } | What::Received { .. })
                || matches!(row.what, What::Sent { received: None, .. })
        });
        let processes = match self.columns.len() {
            1 => "1 process".to_owned(),
            more => format!("{more} processes"),
        };
        let (steps, messages) = (count(self.steps as u64, "step"), count(messages.count() as u64, "message"));
        let cycle = match self.cycle {
            Some(start) if start < self.steps => format!("; {} for ever", repeats(start, self.steps)),
            Some(_) => "; then the run stays where it is for ever".to_owned(),
            None => String::new(),
        };
        format!("Message sequence chart: {processes}, {steps}, {messages}{cycle}")
    }
}

struct Canvas<'c> {
    chart: &'c Chart,
    pitch: usize,
}

impl<'c> Canvas<'c> {
    fn new(chart: &'c Chart) -> Self {
        let names = chart.columns.iter().map(|column| column.label.chars().count() + 4);
        let labels = chart.rows.iter().map(|row| match &row.what {
            What::Alone { label, .. } => (label.chars().count() + 3).min(LONGEST_ALONE),
            message => message.label().chars().count() + 5,
        });
        let widest = names.chain(labels).max().unwrap_or(0) * CHARACTER;
        Canvas { chart, pitch: widest.clamp(*PITCHES.start(), *PITCHES.end()) }
    }

    fn x(&self, column: usize) -> usize {
        GUTTER + column * self.pitch + self.pitch / 2
    }

    fn width(&self) -> usize {
        GUTTER + self.chart.columns.len() * self.pitch + self.pitch / 2
    }

    fn height(&self) -> usize {
        top(self.chart.rows.len() + 1)
    }

    /// Shortens a text to what has room between two lifelines.
    fn fitted(&self, text: &str) -> String {
        let room = self.pitch / CHARACTER - 3;
        if text.chars().count() <= room {
            return text.to_owned();
        }
        text.chars().take(room - 1).chain(['…']).collect()
    }

    fn heads(&self, out: &mut String) {
        for (index, column) in self.chart.columns.iter().enumerate() {
            let label = self.fitted(&column.label);
            let width = label.chars().count() * CHARACTER + 16;
            let (x, left) = (self.x(index), self.x(index) - width / 2);
            let _ = writeln!(
                out,
                "<g><title>{}</title><rect class=\"head\" x=\"{left}\" y=\"8\" width=\"{width}\" \
                 height=\"24\" rx=\"5\"/>\
                 <text class=\"name\" x=\"{x}\" y=\"24\">{}</text></g>",
                Escaped(&column.label),
                Escaped(label),
            );
        }
    }

    fn body(&self, out: &mut String, interactive: bool) {
        self.cycle(out);
        for column in 0..self.chart.columns.len() {
            self.lifeline(column, out);
        }
        let mut next = 0;
        while next < self.chart.rows.len() {
            let step = self.chart.rows[next].step;
            let rows = self.chart.rows[next..].iter().take_while(|row| row.step == step).count();
            self.step(step, next..next + rows, interactive, out);
            next += rows;
        }
    }

    /// Draws a step: its number, and its rows.
    fn step(&self, step: usize, rows: std::ops::Range<usize>, interactive: bool, out: &mut String) {
        let (top, height) = (top(rows.start), rows.len() * ROW);
        if interactive {
            let _ = write!(
                out,
                "<g class=\"step\" data-step=\"{step}\"><rect class=\"hit\" x=\"{}\" y=\"{top}\" \
                 width=\"{}\" height=\"{height}\"/>",
                GUTTER - 44,
                self.width() - GUTTER + 44,
            );
        } else {
            out.push_str("<g>");
        }
        let _ = write!(
            out,
            "<text class=\"number\" x=\"{}\" y=\"{}\">{step}</text>",
            GUTTER - 14,
            middle(rows.start) + 4
        );
        for row in rows {
            self.row(row, out);
        }
        out.push_str("</g>\n");
    }

    fn row(&self, index: usize, out: &mut String) {
        let Row { what, wrong, .. } = &self.chart.rows[index];
        let y = middle(index);
        match what {
            What::Passed { from, to, label } => {
                self.arrow((*from, index), (*to, index), label, "passed", out);
                self.label(*from, to > from, index, label, out);
            }
            What::Sent { from, label, received } => {
                let _ = write!(out, "<circle class=\"dot\" cx=\"{}\" cy=\"{y}\" r=\"3.5\"/>", self.x(*from));
                let to = received.and_then(|row| self.chart.rows[row].what.columns().first().copied());
                self.label(*from, to.is_none_or(|to| to >= *from), index, label, out);
                if received.is_none() {
                    let x = self.x(*from);
                    let _ = write!(
                        out,
                        "<path class=\"waiting\" d=\"M{} {y}h22\"><title>{} is not received in this \
                         run</title></path>\
                         <circle class=\"open\" cx=\"{}\" cy=\"{y}\" r=\"3\"/>",
                        x + 4,
                        Escaped(label),
                        x + 29,
                    );
                }
            }
            What::Received { from: Some(from), to, label, sent: Some(sent) } => {
                self.arrow((*from, *sent), (*to, index), label, "buffered", out);
                self.faint(*to, from < to, index, label, out);
            }
            What::Received { to, label, .. } => {
                let _ = write!(out, "<circle class=\"open\" cx=\"{}\" cy=\"{y}\" r=\"3.5\"/>", self.x(*to));
                self.faint(*to, true, index, label, out);
            }
            What::Alone { at, label } => {
                let _ = write!(out, "<circle class=\"alone\" cx=\"{}\" cy=\"{y}\" r=\"2.5\"/>", self.x(*at));
                self.faint(*at, true, index, label, out);
            }
        }
        if let (Some(message), Some(column)) = (wrong, what.columns().last()) {
            let x = self.x(*column);
            let _ = write!(
                out,
                "<path class=\"wrong\" d=\"M{} {}l10 10m0 -10l-10 10\"><title>{}</title></path>",
                x - 5,
                y - 5,
                Escaped(message),
            );
        }
    }

    /// Writes the label of a message beside its sender.
    fn label(&self, column: usize, rightwards: bool, row: usize, label: &str, out: &mut String) {
        let (x, class) =
            if rightwards { (self.x(column) + 8, "label") } else { (self.x(column) - 8, "label left") };
        let _ = write!(
            out,
            "<text class=\"{class}\" x=\"{x}\" y=\"{}\">{}</text>",
            middle(row) - 4,
            Escaped(self.fitted(label)),
        );
    }

    /// Writes what is less important beside a lifeline.
    fn faint(&self, column: usize, rightwards: bool, row: usize, label: &str, out: &mut String) {
        let (x, class) =
            if rightwards { (self.x(column) + 8, "faint") } else { (self.x(column) - 8, "faint left") };
        let short = self.fitted(label);
        let full = if short == label { String::new() } else { format!("<title>{}</title>", Escaped(label)) };
        let _ = write!(
            out,
            "<text class=\"{class}\" x=\"{x}\" y=\"{}\">{}{full}</text>",
            middle(row) + 4,
            Escaped(short),
        );
    }

    /// Draws an arrow from a column and a row to another column and row.
    fn arrow(&self, from: (usize, usize), to: (usize, usize), label: &str, class: &str, out: &mut String) {
        let (x1, y1, x2, y2) = (self.x(from.0), middle(from.1), self.x(to.0), middle(to.1));
        let title = format!("<title>{}</title>", Escaped(label));
        if x1 == x2 {
            let bend = x1 + 26;
            let _ = write!(
                out,
                "<path class=\"{class}\" d=\"M{x1} {y1}C{bend} {y1} {bend} {y2} {} {y2}\">{title}</path>",
                x2 + 8
            );
            let _ = write!(out, "<path class=\"tip\" d=\"M{x2} {y2}l9 -4v8z\"/>");
            return;
        }
        let (dx, dy) = (x2 as f64 - x1 as f64, y2 as f64 - y1 as f64);
        let length = dx.hypot(dy);
        let (ux, uy) = (dx / length, dy / length);
        let (bx, by) = (x2 as f64 - 9.0 * ux, y2 as f64 - 9.0 * uy);
        let _ = write!(out, "<path class=\"{class}\" d=\"M{x1} {y1}L{bx:.1} {by:.1}\">{title}</path>");
        let _ = write!(
            out,
            "<path class=\"tip\" d=\"M{x2} {y2}L{:.1} {:.1}L{:.1} {:.1}z\"/>",
            bx - 4.0 * uy,
            by + 4.0 * ux,
            bx + 4.0 * uy,
            by - 4.0 * ux,
        );
    }

    /// Draws when a process is there.
    fn lifeline(&self, column: usize, out: &mut String) {
        let x = self.x(column);
        let turns = &self.chart.columns[column].turns;
        let mut since = if turns.first().is_some_and(|(_, starts)| *starts) { None } else { Some(0) };
        let mut piece = |from: usize, to: usize| {
            let _ = writeln!(out, "<path class=\"life\" d=\"M{x} {from}V{to}\"/>");
        };
        let mut ends = Vec::new();
        for (step, starts) in turns {
            let y = self.chart.rows.iter().rposition(|row| row.step <= *step).map_or(0, middle);
            if *starts {
                since = Some(y);
            } else if let Some(from) = since.take() {
                piece(from, y);
                ends.push(y);
            }
        }
        if let Some(from) = since {
            piece(from, self.height());
        }
        for y in ends {
            let _ = writeln!(out, "<path class=\"end\" d=\"M{} {y}h12\"><title>ends</title></path>", x - 6);
        }
    }

    /// Marks what repeats for ever.
    fn cycle(&self, out: &mut String) {
        let Some(start) = self.chart.cycle else { return };
        let (rows, steps) = (&self.chart.rows, self.chart.steps);
        let bottom = top(rows.len());
        if start >= steps {
            let _ = writeln!(
                out,
                "<text class=\"cycle-name\" x=\"{}\" y=\"{}\">↻ the run stays here for ever</text>",
                GUTTER - 14,
                bottom + ROW - 8,
            );
            return;
        }
        let first = rows.iter().position(|row| row.step > start).unwrap_or(rows.len());
        let (top, height) = (top(first), bottom - top(first));
        let _ = writeln!(
            out,
            "<rect class=\"cycle\" x=\"20\" y=\"{top}\" width=\"{}\" height=\"{height}\"/>\
             <path class=\"bracket\" d=\"M18 {bottom}H9V{top}h7m-4 -4l4 4l-4 4\"><title>{} for \
             ever</title></path>\
             <text class=\"cycle-name\" x=\"{}\" y=\"{}\">↻ {} for ever</text>",
            self.width() - 20,
            repeats(start, steps),
            GUTTER - 40,
            bottom + ROW - 8,
            repeats(start, steps),
        );
    }
}

/// Returns where a row starts.
fn top(row: usize) -> usize {
    TOP + row * ROW
}

/// Returns the middle of a row.
fn middle(row: usize) -> usize {
    top(row) + ROW / 2
}

#[cfg(test)]
mod tests {

    use super::super::Chart;
    use crate::samples::{Sample, TALK};

    fn svg(sample: &Sample, title: &str) -> String {
        Chart::of(&sample.model, &sample.trace).svg(title)
    }

    #[test]
    fn every_message_is_an_arrow() {
        let sample = Sample::new(TALK, &[0, 1, 0, 0, 0, 1], None);
        let svg = svg(&sample, "<b>");
        let count = |text: &str| svg.matches(text).count();
        assert_eq!((count("class=\"buffered\""), count("class=\"passed\"")), (2, 1), "{svg}");
        assert!(svg.contains("2 processes, 6 steps, 3 messages"), "{svg}");
        assert!(
            svg.contains("assertion violated") && svg.contains("&lt;b&gt;") && !svg.contains("<b>"),
            "{svg}"
        );
    }

    #[test]
    fn a_cycle_and_a_waiting_message_are_marked() {
        let model = "chan c = [1] of { byte }; active proctype P() { do :: c!1 :: c?_ od }";
        let svg = svg(&Sample::new(model, &[0, 0, 0], Some(1)), "");
        for part in ["class=\"bracket\"", "steps 2–3 repeat for ever", "c!1 is not received in this run"] {
            assert!(svg.contains(part), "{part}: {svg}");
        }
    }
}
