//! Lines, for what comes out when something is varied.

use std::fmt::Write;

use super::{COLOURS, Canvas, room, ticks};
use crate::bottleneck::short;

/// What is drawn.
pub(crate) struct Lines<'l> {
    /// What it is about.
    pub(crate) title: &'l str,
    /// What is varied.
    pub(crate) across: &'l str,
    /// Its values. If all are numbers, they stand where they belong, and otherwise side by side.
    pub(crate) points: &'l [String],
    /// What came out.
    pub(crate) shown: &'l [Line],
}

/// A line.
pub(crate) struct Line {
    /// What it shows.
    pub(crate) name: String,
    /// The least and the greatest value at each point; `None` where there is none.
    pub(crate) values: Vec<Option<(f64, f64)>>,
}

const WIDTH: f64 = 520.0;
const HEIGHT: f64 = 240.0;
/// More points than this do not all have labels.
const MAX_LABELS: usize = 16;

/// Draws lines.
pub(crate) fn lines(plot: &Lines<'_>) -> String {
    let finite = |value: &f64| value.is_finite();
    let all = || {
        plot.shown.iter().flat_map(|line| line.values.iter().flatten()).flat_map(|(low, high)| [*low, *high])
    };
    let most = all().filter(finite).fold(0.0, f64::max);
    let levels = ticks(most);
    let labels: Vec<String> = levels.iter().map(|level| short(*level)).collect();
    let left = room(labels.iter().map(String::as_str)) + 16.0;
    let legend = room(plot.shown.iter().map(|line| line.name.as_str())) + 40.0;
    let mut words: Vec<String> = Vec::new();
    for line in plot.shown {
        let value = |(point, value): (&String, &Option<(f64, f64)>)| match value {
            Some((low, high)) if high - low <= high.abs() * 1e-3 => format!("{} at {point}", short(*high)),
            Some((low, high)) => format!("{} to {} at {point}", short(*low), short(*high)),
            None => format!("none at {point}"),
        };
        let values: Vec<String> = plot.points.iter().zip(&line.values).map(value).collect();
        words.push(format!("{}: {}", line.name, values.join(", ")));
    }
    let mut canvas = Canvas::new(left + WIDTH + legend, HEIGHT + 60.0, plot.title, &words.join(". "));
    let y = |value: f64| 12.0 + HEIGHT - if most > 0.0 { value / most * HEIGHT } else { 0.0 };
    for (level, label) in levels.iter().zip(&labels) {
        canvas.line("grid", (left, y(*level)), (left + WIDTH, y(*level)));
        canvas.text("right faint", left - 8.0, y(*level) + 4.0, label);
    }
    let places = places(plot.points);
    // Where there are many, not all have room for what they are.
    let apart = plot.points.len().div_ceil(MAX_LABELS).max(1);
    for (point, place) in plot.points.iter().zip(&places).step_by(apart) {
        canvas.text("middle faint", left + place * WIDTH, HEIGHT + 32.0, point);
    }
    canvas.text("middle", left + WIDTH / 2.0, HEIGHT + 52.0, plot.across);
    for (number, line) in plot.shown.iter().enumerate() {
        let class = format!("c{}", number % COLOURS);
        let mut path = String::new();
        let mut is_down = false;
        for ((value, place), point) in line.values.iter().zip(&places).zip(plot.points) {
            let Some((low, high)) = value.filter(|(low, high)| low.is_finite() && high.is_finite()) else {
                is_down = false;
                continue;
            };
            let (x, middle) = (left + place * WIDTH, y(f64::midpoint(low, high)));
            let _ = write!(path, "{}{x:.1} {middle:.1} ", if is_down { 'L' } else { 'M' });
            is_down = true;
            if high - low > most * 0.005 {
                canvas.line(&format!("span {class}"), (x, y(low)), (x, y(high)));
            }
            let says = format!("{}: {} at {point}", line.name, short(f64::midpoint(low, high)));
            canvas.bar(&class, (x - 3.5, middle - 3.5), (7.0, 7.0), &says);
        }
        let _ = writeln!(canvas.out, "<path class=\"{class} curve\" d=\"{}\"/>", path.trim_end());
        let top = 20.0 + number as f64 * 20.0;
        canvas.bar(&class, (left + WIDTH + 16.0, top - 9.0), (10.0, 10.0), &line.name);
        canvas.text("", left + WIDTH + 32.0, top, &line.name);
    }
    canvas.finish()
}

/// Returns where points stand, from 0 to 1.
fn places(points: &[String]) -> Vec<f64> {
    let numbers: Option<Vec<f64>> = points.iter().map(|point| point.parse().ok()).collect();
    let numbers = numbers.filter(|numbers| numbers.iter().all(|number| number.is_finite()));
    let numbers = numbers.unwrap_or_else(|| (0..points.len()).map(|number| number as f64).collect());
    let least = numbers.iter().copied().fold(f64::INFINITY, f64::min);
    let most = numbers.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let place =
        |number: &f64| if most > least { 0.04 + 0.92 * (number - least) / (most - least) } else { 0.5 };
    numbers.iter().map(place).collect()
}
