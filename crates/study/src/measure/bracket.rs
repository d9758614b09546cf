//! What grids of ticks tell of the least and the greatest of something.

use std::fmt::Write as _;

use narrows_model::decimals::{DIGITS, outwards};
use narrows_model::{Figure, FigureResult, Number};
use narrows_performance::Time;

/// The longest delay has so many ticks on the first grid, and at most so many on the last.
pub(super) const FIRST_TICKS: u32 = 30;
pub(super) const MAX_BRACKET_TICKS: u32 = 30 << 7;

/// A view on a finer grid has at most so many edges.
pub(super) const MAX_BRACKET_EDGES: usize = 1 << 20;

/// Brackets this narrow, relative to their ends, are not made narrower.
const CLOSED: f64 = 1e-3;

/// What is known of the least and the greatest of something: both are within `outer`, and beyond `inner`.
#[derive(Default)]
pub(super) struct Bracket {
    outer: Option<(Number, Number)>,
    inner: Option<(Number, Number)>,
    pub(super) grid: Option<Time>,
}

impl Bracket {
    /// Adds bounds which nothing is beyond.
    pub(super) fn narrow(&mut self, low: Number, high: Number) {
        let (least, most) = self.outer.unwrap_or((low, high));
        let low = if low.to_f64() > least.to_f64() { low } else { least };
        let high = if high.to_f64() < most.to_f64() { high } else { most };
        self.outer = Some((low, high));
    }

    /// Adds what some runs come to.
    pub(super) fn widen(&mut self, low: Number, high: Number) {
        let (least, most) = self.inner.unwrap_or((low, high));
        let low = if low.to_f64() < least.to_f64() { low } else { least };
        let high = if high.to_f64() > most.to_f64() { high } else { most };
        self.inner = Some((low, high));
    }

    /// Returns whether the ends are known well enough.
    pub(super) fn is_closed(&self) -> bool {
        let (Some(outer), Some(inner)) = (self.outer, self.inner) else { return false };
        let near = |one: Number, other: Number| {
            let (one, other) = (one.to_f64(), other.to_f64());
            (one - other).abs() <= CLOSED * one.abs().max(other.abs())
        };
        near(outer.0, inner.0) && near(outer.1, inner.1)
    }

    /// Tells what is known, with what else is in an answer.
    pub(super) fn fill(&self, answer: Figure, unit: &str, figure: &mut Figure) {
        let (Some((low, high)), Some(grid)) = (self.outer, self.grid) else { return };
        *figure = answer;
        let is_exact = self.inner == self.outer;
        figure.result = FigureResult::Value { low, high, exact: is_exact };
        if is_exact {
            return;
        }
        let mut note = format!(
            "These are bounds and not attained: delays are rounded outwards to multiples of {grid} {unit}."
        );
        if let Some((low, high)) = self.inner {
            let [low, high] = outwards(low.told_below(), high.told_above(), DIGITS);
            let _ = write!(note, " Rounded inwards, {low} at worst and {high} at best are attained.");
        }
        figure.notes.push(note);
    }
}
