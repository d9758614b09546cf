//! Lines, for what comes out when something is varied.

use std::fmt::Write;

use narrows_model::decimals::{certain, outwards};

use super::{COLOURS, Canvas, LETTER, room, ticks};
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
    /// The top of the axis, if it is known: 1 for a probability.
    pub(crate) whole: Option<f64>,
    /// Whether a value stays until the next point, as in the distribution of a number.
    pub(crate) is_stepped: bool,
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
/// More points than this make a curve, with small dots.
const MAX_DOTS: usize = 16;
/// The room between two labels below the axis, in letters.
const APART: f64 = 2.0;

/// Draws lines.
pub(crate) fn lines(plot: &Lines<'_>) -> String {
    let finite = |value: &f64| value.is_finite();
    let all = || {
        plot.shown.iter().flat_map(|line| line.values.iter().flatten()).flat_map(|(low, high)| [*low, *high])
    };
    let most = plot.whole.unwrap_or_else(|| all().filter(finite).fold(0.0, f64::max));
    let levels = ticks(most);
    let labels: Vec<String> = levels.iter().map(|level| short(*level)).collect();
    let left = room(labels.iter().map(String::as_str)) + 16.0;
    // One line is what the title says.
    let is_told = plot.shown.len() > 1;
    let names = plot.shown.iter().filter(|_| is_told).map(|line| line.name.as_str());
    let legend = room(names) + if is_told { 40.0 } else { 24.0 };
    let mut words: Vec<String> = Vec::new();
    for line in plot.shown {
        let value = |(point, value): (&String, &Option<(f64, f64)>)| match value {
            Some((low, high)) => format!("{} at {point}", told(*low, *high)),
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
    for (label, place) in axis(plot.points, &places) {
        canvas.text("middle faint", left + place * WIDTH, HEIGHT + 32.0, &label);
    }
    let is_curve = plot.points.len() > MAX_DOTS;
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
            if is_down && plot.is_stepped {
                let _ = write!(path, "H{x:.1} ");
            }
            let _ = write!(path, "{}{x:.1} {middle:.1} ", if is_down { 'L' } else { 'M' });
            is_down = true;
            if high - low > most * 0.005 {
                canvas.line(&format!("span {class}"), (x, y(low)), (x, y(high)));
            }
            let says = format!("{}: {} at {point}", line.name, told(low, high));
            let half = if is_curve { 1.5 } else { 3.5 };
            canvas.bar(&class, (x - half, middle - half), (2.0 * half, 2.0 * half), &says);
        }
        let _ = writeln!(canvas.out, "<path class=\"{class} curve\" d=\"{}\"/>", path.trim_end());
        if !is_told {
            continue;
        }
        let top = 20.0 + number as f64 * 20.0;
        canvas.bar(&class, (left + WIDTH + 16.0, top - 9.0), (10.0, 10.0), &line.name);
        canvas.text("", left + WIDTH + 32.0, top, &line.name);
    }
    canvas.finish()
}

/// Writes a value that lies between two numbers.
fn told(low: f64, high: f64) -> String {
    if high - low <= high.abs() * 1e-3 {
        certain(low, high, DIGITS)
    } else {
        outwards(low, high, DIGITS).join(" to ")
    }
}

/// So many digits of values are told.
const DIGITS: usize = 4;

/// Returns what stands below the axis, and where: what the points are called, or round numbers if there is no
/// room for the names of all points.
fn axis(points: &[String], places: &[f64]) -> Vec<(String, f64)> {
    let named: Vec<(String, f64)> = points.iter().cloned().zip(places.iter().copied()).collect();
    let fits = |list: &[(String, f64)]| {
        let room = |text: &str| (text.chars().count() as f64 + APART) * LETTER;
        list.windows(2)
            .all(|pair| (pair[1].1 - pair[0].1) * WIDTH >= f64::midpoint(room(&pair[0].0), room(&pair[1].0)))
    };
    if fits(&named) {
        return named;
    }
    let numbers: Vec<f64> = points.iter().filter_map(|point| point.parse().ok()).collect();
    if let (true, [first, .., last]) = (numbers.len() == points.len(), numbers.as_slice()) {
        // The places grow evenly with the numbers.
        let (from, to) = (places[0], places[places.len() - 1]);
        let place = |number: f64| from + (to - from) * (number - first) / (last - first);
        let round = ticks(*last).into_iter().filter(|number| number >= first);
        let list: Vec<(String, f64)> = round.map(|number| (short(number), place(number))).collect();
        if last > first && fits(&list) {
            return list;
        }
    }
    (2..points.len())
        .map(|apart| named.iter().step_by(apart).cloned().collect::<Vec<_>>())
        .find(|list| fits(list))
        .unwrap_or_default()
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

#[cfg(test)]
mod tests {
    use super::{APART, LETTER, WIDTH, axis, places};

    #[test]
    fn labels_below_the_axis_do_not_touch() {
        let crowded: Vec<String> = (0..65).map(|number| format!("{}", 1.137 * f64::from(number))).collect();
        let words: Vec<String> = (0..60).map(|number| format!("variant {number}")).collect();
        let few = ["1".to_owned(), "2".to_owned(), "8".to_owned()];
        // Points close to each other at the beginning, as in a distribution.
        let uneven: Vec<String> = (0..40).map(|number| format!("{}", f64::from(number).powi(3))).collect();
        for points in [crowded.as_slice(), &words, &few, &uneven] {
            let shown = axis(points, &places(points));
            assert!(shown.len() >= 3, "{shown:?}");
            for pair in shown.windows(2) {
                let room = |text: &str| (text.chars().count() as f64 + APART) * LETTER;
                let apart = (pair[1].1 - pair[0].1) * WIDTH;
                assert!(apart >= f64::midpoint(room(&pair[0].0), room(&pair[1].0)), "{pair:?}");
            }
        }
        assert_eq!(axis(&few, &places(&few)).len(), 3);
    }
}
