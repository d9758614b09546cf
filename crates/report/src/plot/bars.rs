//! Bars beside each other, for quantities of the same kind.

use super::{Canvas, room};

/// What is drawn.
pub(crate) struct Bars<'b> {
    /// What it is about.
    pub(crate) title: &'b str,
    /// The longest bar stands for the greatest value, or for this.
    pub(crate) whole: Option<f64>,
    /// Names, values, and the values as text; a value that is not known has no bar. Values below 0 go to the
    /// left.
    pub(crate) rows: &'b [(String, Option<f64>, String)],
}

const HEIGHT: f64 = 26.0;
const LENGTH: f64 = 420.0;

/// Draws bars.
pub(crate) fn bars(plot: &Bars<'_>) -> String {
    let left = room(plot.rows.iter().map(|(name, ..)| name.as_str())) + 16.0;
    let right = room(plot.rows.iter().map(|(.., text)| text.as_str())) + 16.0;
    let values = || plot.rows.iter().filter_map(|(_, value, _)| *value).filter(|value| value.is_finite());
    let most = values().fold(plot.whole.unwrap_or(0.0), f64::max);
    let least = values().fold(0.0, f64::min);
    let scale = if most > least { LENGTH / (most - least) } else { 0.0 };
    let width = left + LENGTH + right;
    let height = plot.rows.len() as f64 * HEIGHT + 12.0;
    let words: Vec<String> = plot.rows.iter().map(|(name, _, text)| format!("{name}: {text}")).collect();
    let mut canvas = Canvas::new(width, height, plot.title, &words.join("; "));
    let zero = left - least * scale;
    for (number, (name, value, text)) in plot.rows.iter().enumerate() {
        let top = 6.0 + number as f64 * HEIGHT;
        canvas.text("right", left - 8.0, top + 16.0, name);
        let mut end = zero;
        if let Some(value) = value.filter(|value| value.is_finite()) {
            let from = zero.min(zero + value * scale);
            canvas.bar("c0", (from, top + 3.0), ((value * scale).abs(), HEIGHT - 8.0), &words[number]);
            end = zero.max(zero + value * scale);
        }
        canvas.text("", end + 8.0, top + 16.0, text);
    }
    canvas.line("grid", (zero, 2.0), (zero, height - 2.0));
    canvas.finish()
}
