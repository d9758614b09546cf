//! Who is busy when: a lane for each resource, or a line for each packet and resource.

use narrows_model::{Bar, Gantt};

use super::{COLOURS, Canvas, room, ticks};
use crate::bottleneck::short;

const LENGTH: f64 = 760.0;
const AXIS: f64 = 26.0;

/// Draws a lane for each resource; its bars are numbered. The round that comes again and again is marked.
pub(crate) fn lanes(names: &[String], lanes: &[Vec<Bar>], unit: &str, round: Option<(f64, f64)>) -> String {
    let lane_height = 28.0;
    let mut drawing =
        Drawing::begin(names, lanes, unit, lanes.len() as f64 * lane_height, 0, "When resources are busy");
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
            drawing.canvas.line("round", (x, AXIS - 4.0), (x, bottom));
        }
    }
    drawing.canvas.finish()
}

/// Draws a line for each packet and resource: the n-th bar of each resource belongs to the n-th packet.
/// `None` if that can't be so, because a resource has more or fewer bars than there are packets, or works on
/// a packet before the one before it is done.
pub(crate) fn packets(names: &[String], gantt: &Gantt) -> Option<String> {
    let (lanes, unit) = (&gantt.lanes, &gantt.unit);
    let line_height = 13.0;
    let used = stages(lanes).filter(|_| gantt.is_one_each)?;
    let most = used.iter().map(|lane| lanes[*lane].len()).max().unwrap_or(0);
    let group = used.len() as f64 * line_height + 5.0;
    let mut drawing =
        Drawing::begin(names, lanes, unit, most as f64 * group, 4, "Packet by packet, who works on it");
    for packet in 0..most {
        let top = AXIS + packet as f64 * group;
        for (line, lane) in used.iter().enumerate() {
            let Some(bar) = lanes[*lane].get(packet) else { continue };
            let y = top + line as f64 * line_height;
            let name = format!("{} {}", packet + 1, names[*lane]);
            drawing.canvas.text("right faint", drawing.left - 8.0, y + 10.0, &name);
            drawing.bar(*lane, y, line_height - 1.0, bar, &name, unit);
        }
    }
    Some(drawing.canvas.finish())
}

/// Returns the lanes with bars in the order in which packets come to them, if it is the same for every
/// packet.
fn stages(lanes: &[Vec<Bar>]) -> Option<Vec<usize>> {
    let mut used: Vec<usize> = (0..lanes.len()).filter(|lane| !lanes[*lane].is_empty()).collect();
    used.sort_by(|one, other| lanes[*one][0].from.total_cmp(&lanes[*other][0].from));
    let follows = |pair: &[usize]| {
        let both = lanes[pair[0]].iter().zip(&lanes[pair[1]]);
        both.into_iter().all(|(before, after)| after.from >= before.to)
    };
    used.windows(2).all(follows).then_some(used)
}

struct Drawing {
    canvas: Canvas,
    left: f64,
    end: f64,
}

impl Drawing {
    /// Draws the axis; `more` is how many letters names need beside their own.
    fn begin(
        names: &[String],
        lanes: &[Vec<Bar>],
        unit: &str,
        height: f64,
        more: usize,
        title: &str,
    ) -> Drawing {
        let end = lanes.iter().flatten().map(|bar| bar.to).filter(|end| end.is_finite()).fold(0.0, f64::max);
        let left = room(names.iter().map(String::as_str)) + 16.0 + more as f64 * super::LETTER;
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
        for tick in ticks(end) {
            let x = left + if end > 0.0 { tick / end * LENGTH } else { 0.0 };
            canvas.line("grid", (x, AXIS - 6.0), (x, AXIS + height));
            canvas.text("middle faint", x, AXIS - 10.0, &short(tick));
        }
        canvas.text("faint", left + LENGTH + 16.0, AXIS - 10.0, unit);
        Drawing { canvas, left, end }
    }

    fn x(&self, time: f64) -> f64 {
        self.left + if self.end > 0.0 { time / self.end * LENGTH } else { 0.0 }
    }

    fn bar(&mut self, lane: usize, top: f64, height: f64, bar: &Bar, name: &str, unit: &str) {
        let (from, to) = (self.x(bar.from), self.x(bar.to));
        let says = format!("{name}: {} to {} {unit}", short(bar.from), short(bar.to));
        self.canvas.bar(&format!("c{}", lane % COLOURS), (from, top), (to - from, height), &says);
    }

    /// Writes into a bar, if there is room.
    fn inside(&mut self, y: f64, bar: &Bar, text: &str) {
        let (from, to) = (self.x(bar.from), self.x(bar.to));
        if to - from > text.len() as f64 * 8.0 {
            self.canvas.text("inside", f64::midpoint(from, to), y, text);
        }
    }
}

#[cfg(test)]
mod tests {
    use narrows_model::{Bar, Gantt};

    use super::packets;

    fn gantt(lanes: &[&[(f64, f64)]]) -> Gantt {
        let bars =
            |lane: &&[(f64, f64)]| lane.iter().map(|(from, to)| Bar { from: *from, to: *to }).collect();
        let (unit, lanes) = ("us".to_owned(), lanes.iter().map(bars).collect());
        Gantt { unit, lanes, round: None, is_one_each: true }
    }

    #[test]
    fn packets_are_followed_only_where_they_keep_their_order() {
        let names: Vec<String> = ["sent", "read"].map(str::to_owned).into();
        let drawn = packets(&names, &gantt(&[&[(3.0, 5.0), (6.0, 8.0)], &[(0.0, 3.0), (3.0, 6.0)]]));
        let drawn = drawn.expect("a picture");
        // What comes first stands first, whatever the order of the study.
        assert!(drawn.find(">1 read<") < drawn.find(">1 sent<"), "{drawn}");
        // The second packet would be sent before it is read.
        assert_eq!(packets(&names, &gantt(&[&[(3.0, 5.0), (5.0, 7.0)], &[(0.0, 3.0), (3.0, 6.0)]])), None);
        let halves = Gantt { is_one_each: false, ..gantt(&[&[(3.0, 5.0)], &[(0.0, 3.0)]]) };
        assert_eq!(packets(&names, &halves), None);
    }
}
