//! What happens when: a lane for each resource with the times it is busy, or a line for each request.

use narrows_model::Bar;

use super::{COLOURS, Canvas, room, ticks};
use crate::bottleneck::short;

const LENGTH: f64 = 760.0;
const AXIS: f64 = 26.0;

/// Draws a lane for each resource; its bars are numbered. The round that comes again and again is marked.
pub(crate) fn lanes(names: &[String], lanes: &[Vec<Bar>], unit: &str, round: Option<(f64, f64)>) -> String {
    let lane_height = 28.0;
    let mut drawing =
        Drawing::begin(names, lanes, unit, lanes.len() as f64 * lane_height, "When resources are busy");
    for (lane, (name, bars)) in names.iter().zip(lanes).enumerate() {
        let top = AXIS + lane as f64 * lane_height;
        drawing.canvas.text("right", drawing.left - 8.0, top + 17.0, name);
        for (number, bar) in bars.iter().enumerate() {
            drawing.bar(lane, top + 3.0, lane_height - 6.0, bar, &format!("{name}, {}", number + 1), unit);
            drawing.inside(top + 17.0, bar, &(number + 1).to_string());
        }
    }
    if let Some((from, to)) = round {
        let bottom = AXIS + lanes.len() as f64 * lane_height;
        for at in [from, to].into_iter().filter(|at| *at <= drawing.end) {
            let x = drawing.x(at);
            let data = format!(" data-at=\"{at}\"");
            drawing.canvas.marked_line("round", &data, (x, AXIS - 4.0), (x, bottom));
        }
    }
    drawing.canvas.finish()
}

/// Draws a line for each request, from where it begins to where it ends.
pub(crate) fn requests(name: &str, bars: &[Bar], unit: &str) -> String {
    let line_height = 16.0;
    let names: Vec<String> = (1..=bars.len()).map(|number| format!("{name} {number}")).collect();
    let lanes: Vec<Vec<Bar>> = bars.iter().map(|bar| vec![*bar]).collect();
    let title = format!("Request by request: {name}");
    let mut drawing = Drawing::begin(&names, &lanes, unit, bars.len() as f64 * line_height, &title);
    for (line, (name, bar)) in names.iter().zip(bars).enumerate() {
        let top = AXIS + line as f64 * line_height;
        drawing.canvas.text("right faint", drawing.left - 8.0, top + 12.0, name);
        drawing.bar(0, top + 1.0, line_height - 3.0, bar, name, unit);
        drawing.inside(top + 11.0, bar, &short(bar.to - bar.from));
    }
    drawing.canvas.finish()
}

struct Drawing {
    canvas: Canvas,
    left: f64,
    end: f64,
}

impl Drawing {
    /// Draws the axis.
    fn begin(names: &[String], lanes: &[Vec<Bar>], unit: &str, height: f64, title: &str) -> Drawing {
        let end = lanes.iter().flatten().map(|bar| bar.to).filter(|end| end.is_finite()).fold(0.0, f64::max);
        let left = room(names.iter().map(String::as_str)) + 16.0;
        let mut words: Vec<String> = Vec::new();
        for (name, bars) in names.iter().zip(lanes) {
            let times: Vec<String> =
                bars.iter().map(|bar| format!("{} to {}", short(bar.from), short(bar.to))).collect();
            words.push(format!(
                "{name}: {}",
                if times.is_empty() { "never".to_owned() } else { times.join(", ") }
            ));
        }
        let description = format!("In {unit}. {}.", words.join(". "));
        let mut canvas = Canvas::new(left + LENGTH + 40.0, AXIS + height + 8.0, title, &description);
        // What a page needs to zoom: where time begins and ends, on the picture and by the clock.
        canvas.mark(&format!(
            " data-left=\"{left:.1}\" data-length=\"{LENGTH}\" data-end=\"{end}\" data-bottom=\"{:.1}\"",
            AXIS + height
        ));
        canvas.out.push_str("<g class=\"ticks\">\n");
        for tick in ticks(end) {
            let x = left + if end > 0.0 { tick / end * LENGTH } else { 0.0 };
            canvas.line("grid", (x, AXIS - 6.0), (x, AXIS + height));
            canvas.text("middle faint", x, AXIS - 10.0, &short(tick));
        }
        canvas.out.push_str("</g>\n");
        canvas.text("faint", left + LENGTH + 16.0, AXIS - 10.0, unit);
        Drawing { canvas, left, end }
    }

    fn x(&self, time: f64) -> f64 {
        self.left + if self.end > 0.0 { time / self.end * LENGTH } else { 0.0 }
    }

    fn bar(&mut self, lane: usize, top: f64, height: f64, bar: &Bar, name: &str, unit: &str) {
        let (from, to) = (self.x(bar.from), self.x(bar.to));
        let says = format!("{name}: {} to {} {unit}", short(bar.from), short(bar.to));
        let data = format!(" data-from=\"{}\" data-to=\"{}\"", bar.from, bar.to);
        self.canvas.marked_bar(
            &format!("c{}", lane % COLOURS),
            &data,
            (from, top),
            (to - from, height),
            &says,
        );
    }

    /// Writes into a bar; the text shows if there is room.
    fn inside(&mut self, y: f64, bar: &Bar, text: &str) {
        let (from, to) = (self.x(bar.from), self.x(bar.to));
        let class = if to - from > text.len() as f64 * 8.0 { "inside" } else { "inside away" };
        self.canvas.text(class, f64::midpoint(from, to), y, text);
    }
}

#[cfg(test)]
mod tests {
    use narrows_model::Bar;

    use super::requests;

    #[test]
    fn requests_stand_below_each_other_and_say_how_long_they_take() {
        let drawn = requests("read", &[Bar { from: 0.0, to: 26.0 }, Bar { from: 3.0, to: 90.0 }], "us");
        assert_eq!(drawn.matches("class=\"bar ").count(), 2);
        assert!(drawn.contains("<desc>In us. read 1: 0 to 26. read 2: 3 to 90.</desc>"), "{drawn}");
        assert!(drawn.contains(">87<"), "{drawn}");
    }
}
