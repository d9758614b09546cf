//! What measured durations are like, and which delay fits them.

use std::fmt::Write;

use serde_json::{Value, json};

use crate::bottleneck::short;
use crate::plot::{Line, Lines, lines};

/// The durations of one kind, and the forms of delays that were tried.
#[derive(Clone, Debug, PartialEq)]
pub struct FittedKind {
    /// What it is called.
    pub name: String,
    /// The unit of time; empty if the log names none.
    pub unit: String,
    /// How many there are.
    pub count: usize,
    /// The mean.
    pub mean: f64,
    /// The standard deviation.
    pub deviation: f64,
    /// Quantiles: the part in percent, and the duration. The first is the least, the last the greatest.
    pub quantiles: Vec<(f64, f64)>,
    /// What was tried, the best first.
    pub candidates: Vec<Candidate>,
    /// Classes: from, to, and how many.
    pub classes: Vec<(f64, f64, usize)>,
    /// Times, with the part that has ended by then: of those measured, and by the best form.
    pub curve: Vec<(f64, f64, f64)>,
}

/// A form of a delay with its parameters.
#[derive(Clone, Debug, PartialEq)]
pub struct Candidate {
    /// What it is called.
    pub form: &'static str,
    /// As a study writes it.
    pub delay: String,
    /// The greatest difference of the distribution functions.
    pub distance: f64,
    /// How likely a distance of at least that is by chance.
    pub p_value: f64,
    /// Akaike's criterion; infinite if the data are impossible.
    pub aic: f64,
}

/// Below this p-value a form is not what was measured.
const UNLIKELY: f64 = 0.01;

/// How wide bars are.
const BAR: usize = 40;

/// Writes what was found for people, with lines to paste into a study.
pub fn fits_text(name: &str, kinds: &[FittedKind]) -> String {
    let mut text = format!("{name}\n");
    for kind in kinds {
        kind_text(kind, &mut text);
    }
    text.push_str("\nfor a study\n");
    if let Some(unit) = kinds.iter().map(|kind| kind.unit.as_str()).find(|unit| !unit.is_empty()) {
        let _ = writeln!(text, "  unit = \"{unit}\"\n");
    }
    text.push_str("  [delay]\n");
    for (kind, best) in kinds.iter().filter_map(|kind| Some((kind, kind.candidates.first()?))) {
        let name = kind.name.replace('\\', "\\\\").replace('"', "\\\"");
        let _ = writeln!(text, "  \"{name}\" = {}", best.delay);
    }
    text
}

fn kind_text(kind: &FittedKind, text: &mut String) {
    let unit = if kind.unit.is_empty() { String::new() } else { format!(" {}", kind.unit) };
    let _ = writeln!(
        text,
        "\n{}: {} durations, mean {}{unit}, standard deviation {}{unit}",
        kind.name,
        crate::grouped(kind.count as u64),
        short(kind.mean),
        short(kind.deviation),
    );
    let quantiles: Vec<String> =
        kind.quantiles.iter().map(|(percent, time)| format!("{percent} %: {}", short(*time))).collect();
    let _ = writeln!(text, "  {}", quantiles.join(", "));
    let width = kind.candidates.iter().map(|one| one.delay.chars().count()).max().unwrap_or(0);
    let _ = writeln!(text, "\n  {:width$}  distance  p-value  AIC", "delay");
    for one in &kind.candidates {
        let aic = if one.aic.is_finite() { format!("{:.1}", one.aic) } else { "–".to_owned() };
        let _ = writeln!(text, "  {:width$}  {:<8.3}  {:<7.2}  {aic}", one.delay, one.distance, one.p_value);
    }
    if let Some(best) = kind.candidates.first().filter(|best| best.p_value < UNLIKELY) {
        let _ = writeln!(
            text,
            "  No form fits well: `{}` is the best of them, and up to {:.1} % of the durations are \
             elsewhere. `empirical` takes the durations as they are, for simulation.",
            best.form,
            100.0 * best.distance
        );
    }
    text.push('\n');
    let ends: Vec<String> =
        kind.classes.iter().map(|(from, to, _)| format!("{} to {}", short(*from), short(*to))).collect();
    let width = ends.iter().map(|one| one.chars().count()).max().unwrap_or(0);
    let most = kind.classes.iter().map(|(.., count)| *count).max().unwrap_or(1).max(1);
    for (ends, (.., count)) in ends.iter().zip(&kind.classes) {
        let bar = "█".repeat((count * BAR).div_ceil(most));
        let _ = writeln!(text, "{}", format!("  {ends:width$}  {count:>8}  {bar}").trim_end());
    }
}

/// Returns what was found as JSON.
pub fn fits_value(kinds: &[FittedKind]) -> Value {
    let kind = |kind: &FittedKind| {
        let candidates = kind.candidates.iter().map(|one| {
            let aic = if one.aic.is_finite() { json!(one.aic) } else { json!("infinity") };
            json!({
                "form": one.form, "delay": one.delay, "distance": one.distance, "p_value": one.p_value,
                "aic": aic,
            })
        });
        let quantiles = kind.quantiles.iter().map(|(percent, time)| json!([percent, time]));
        json!({
            "name": kind.name, "unit": kind.unit, "count": kind.count, "mean": kind.mean,
            "deviation": kind.deviation,
            "quantiles": quantiles.collect::<Value>(), "candidates": candidates.collect::<Value>(),
        })
    };
    kinds.iter().map(kind).collect()
}

/// Draws both distribution functions.
pub fn fit_picture(kind: &FittedKind) -> String {
    let best = kind.candidates.first().map_or("", |best| best.form);
    let points: Vec<String> = kind.curve.iter().map(|(time, ..)| short(*time)).collect();
    let line = |name: String, of: fn(&(f64, f64, f64)) -> f64| Line {
        name,
        values: kind.curve.iter().map(|point| Some((of(point), of(point)))).collect(),
    };
    let shown = [line("measured".to_owned(), |point| point.1), line(best.to_owned(), |point| point.2)];
    let title = format!("{}: share that takes at most this long", kind.name);
    let across = if kind.unit.is_empty() { "time".to_owned() } else { format!("time, {}", kind.unit) };
    lines(&Lines {
        title: &title,
        across: &across,
        points: &points,
        shown: &shown,
        whole: Some(1.0),
        is_stepped: false,
    })
}
