//! Signals along a run, as on the screen of a logic analyser: a line for each, a column for each cycle.

use std::fmt::Write;

use super::{COLOURS, Canvas, LETTER, room};
use crate::escape::Escaped;

const AXIS: f64 = 30.0;
const ROW: f64 = 26.0;
/// How high a signal is when it is up.
const HIGH: f64 = 15.0;
/// How wide the whole should be at least, and a cycle at least and at most.
const WIDTH: f64 = 860.0;
const NARROWEST: f64 = 7.0;
const WIDEST: f64 = 44.0;

/// Signals to be drawn.
pub(crate) struct Waves<'w> {
    pub(crate) title: &'w str,
    /// Names, and what each is in every state, as it is shown; `TRUE` and `FALSE` are drawn as levels.
    pub(crate) rows: &'w [(String, Vec<Option<String>>)],
    /// The part that is measured, from state to state.
    pub(crate) part: Option<(usize, Option<usize>)>,
    /// The state that follows the last one.
    pub(crate) cycle: Option<usize>,
}

/// A stretch of cycles in which a signal does not change.
struct Stretch<'w> {
    from: usize,
    /// The cycle after its last.
    to: usize,
    value: Option<&'w str>,
}

/// Draws signals.
pub(crate) fn waves(waves: &Waves<'_>) -> String {
    let count = waves.rows.iter().map(|(_, values)| values.len()).max().unwrap_or(0);
    let cell = (WIDTH / count.max(1) as f64).clamp(NARROWEST, WIDEST);
    let left = room(waves.rows.iter().map(|(name, _)| name.as_str())) + 16.0;
    let height = AXIS + waves.rows.len() as f64 * ROW + 10.0;
    let words: Vec<String> = waves.rows.iter().map(|(name, values)| describe(name, values)).collect();
    let width = left + count as f64 * cell + 24.0;
    let mut canvas = Canvas::new(width, height, waves.title, &format!("{}.", words.join(". ")));
    let x = |cycle: usize| left + cycle as f64 * cell;
    if let Some((from, to)) = waves.part {
        let to = to.map_or(count, |to| (to + 1).min(count));
        let _ = writeln!(
            canvas.out,
            "<rect class=\"part\" x=\"{:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{:.1}\"/>",
            x(from),
            AXIS - 6.0,
            (x(to) - x(from)).max(0.0),
            height - AXIS
        );
    }
    let every = [1, 2, 5, 10, 20, 50, 100].into_iter().find(|every| *every as f64 * cell >= 4.0 * LETTER);
    let every = every.unwrap_or(200);
    for cycle in (0..count).step_by(every) {
        canvas.line("grid", (x(cycle), AXIS - 6.0), (x(cycle), height - 6.0));
        canvas.text("middle faint", x(cycle), AXIS - 12.0, &cycle.to_string());
    }
    for (row, (name, values)) in waves.rows.iter().enumerate() {
        let base = AXIS + row as f64 * ROW + HIGH + 5.0;
        canvas.text("right", left - 8.0, base - 3.0, name);
        if is_level(values) {
            level(&mut canvas, row, base, values, &x);
        } else {
            boxes(&mut canvas, base, values, cell, &x);
        }
    }
    if let Some(start) = waves.cycle.filter(|start| *start < count) {
        canvas.line("round", (x(start), AXIS - 8.0), (x(start), height - 4.0));
        canvas.text("faint", x(start) + 3.0, 10.0, "again from here");
    }
    canvas.finish()
}

fn is_level(values: &[Option<String>]) -> bool {
    values.iter().flatten().all(|value| value == "TRUE" || value == "FALSE")
}

/// Draws a line that is up where the signal is true.
fn level(canvas: &mut Canvas, row: usize, base: f64, values: &[Option<String>], x: &impl Fn(usize) -> f64) {
    let mut path = String::new();
    let mut last = None;
    for stretch in stretches(values) {
        let Some(value) = stretch.value else {
            last = None;
            continue;
        };
        let y = if value == "TRUE" { base - HIGH } else { base };
        let command = if last.is_some() { 'L' } else { 'M' };
        let _ = write!(path, "{command}{:.1} {y:.1}L{:.1} {y:.1}", x(stretch.from), x(stretch.to));
        last = Some(y);
    }
    let _ = writeln!(canvas.out, "<path class=\"wave c{}\" d=\"{path}\"/>", row % COLOURS);
}

/// Draws a box for each value, with the value in it if there is room.
fn boxes(canvas: &mut Canvas, base: f64, values: &[Option<String>], cell: f64, x: &impl Fn(usize) -> f64) {
    for stretch in stretches(values) {
        let Some(value) = stretch.value else { continue };
        let (from, to) = (x(stretch.from), x(stretch.to));
        let slope = (cell / 3.0).min(4.0);
        let _ = writeln!(
            canvas.out,
            "<path class=\"bus\" d=\"M{from:.1} {middle:.1}L{:.1} {top:.1}L{:.1} {top:.1}L{to:.1} \
             {middle:.1}L{:.1} {base:.1}L{:.1} {base:.1}Z\"><title>{}</title></path>",
            from + slope,
            to - slope,
            to - slope,
            from + slope,
            Escaped(value),
            top = base - HIGH,
            middle = base - HIGH / 2.0,
        );
        if to - from > value.chars().count() as f64 * LETTER + 2.0 * slope {
            canvas.text("middle", f64::midpoint(from, to), base - 3.0, value);
        }
    }
}

/// Cuts values where they change.
fn stretches(values: &[Option<String>]) -> Vec<Stretch<'_>> {
    let mut list: Vec<Stretch<'_>> = Vec::new();
    for (cycle, value) in values.iter().enumerate() {
        match list.last_mut().filter(|last| last.value == value.as_deref()) {
            Some(last) => last.to = cycle + 1,
            None => list.push(Stretch { from: cycle, to: cycle + 1, value: value.as_deref() }),
        }
    }
    list
}

/// Says in words what a signal is, and when.
fn describe(name: &str, values: &[Option<String>]) -> String {
    let when = |stretch: &Stretch<'_>| match stretch.to - stretch.from {
        1 => format!("cycle {}", stretch.from),
        _ => format!("cycles {} to {}", stretch.from, stretch.to - 1),
    };
    let all = stretches(values);
    if is_level(values) {
        let up: Vec<String> = all.iter().filter(|one| one.value == Some("TRUE")).map(when).collect();
        return if up.is_empty() {
            format!("{name} is never up")
        } else {
            format!("{name} is up in {}", up.join(", "))
        };
    }
    let told = all.iter().filter_map(|one| Some(format!("{} in {}", one.value?, when(one))));
    format!("{name} is {}", told.collect::<Vec<_>>().join(", "))
}
