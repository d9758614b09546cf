//! Delays rounded outwards and inwards against exact ones.

use narrows_graph::Random;

use super::bounds::Cost;
use super::ratio::{Extreme, Frequency};
use super::tests::{between, holds, with_view};
use crate::Timing;
use crate::samples::{predicate, system, timing};
use narrows_model::System;

const QUEUE: &str = "byte n;
    active proctype arrival() { do :: arrive: d_step { n < 3 -> n++ } od }
    active proctype server() { do :: serve: d_step { n > 0 -> n-- } od }";

/// Returns the least and the greatest part of the time for which there is something in the queue.
fn shares(system: &System, timing: &Timing) -> (f64, f64) {
    with_view(system, timing, |view| {
        let view = view.unwrap();
        let busy = holds(&view, system, &predicate(system, "n > 0"));
        let share = |which| match view.frequency(Cost::While(&busy), which) {
            Frequency::Every { count, ticks, .. } => count as f64 / ticks as f64,
            other => panic!("{other:?}"),
        };
        (share(Extreme::Worst), share(Extreme::Best))
    })
}

#[test]
fn rounded_delays_bracket_what_is_exact() {
    let system = system(QUEUE);
    let mut random = Random::new(3);
    let (mut attained, mut narrower) = (0, 0);
    for _ in 0..40 {
        let mut window = || {
            let least = random.between(3, 40) as i128;
            between(least, least + random.between(0, 30) as i128)
        };
        let timing = timing(&system, &[("arrival:arrive", window()), ("server:serve", window())], &[]);
        let exact = shares(&system, &timing);
        let mut widths = Vec::new();
        for ticks in [4, 8, 16, 32] {
            let grid = timing.grid(ticks).unwrap();
            let outer = shares(&system, &timing.rounded_outwards(grid));
            assert!(outer.0 <= exact.0 + 1e-12 && exact.1 <= outer.1 + 1e-12, "{outer:?} {exact:?}");
            widths.push(outer.1 - outer.0);
            if let Some(inwards) = timing.rounded_inwards(grid) {
                let inner = shares(&system, &inwards);
                assert!(exact.0 <= inner.0 + 1e-12 && inner.1 <= exact.1 + 1e-12, "{inner:?} {exact:?}");
                attained += 1;
            }
        }
        narrower += u32::from(widths[3] < widths[0]);
    }
    assert!(attained > 40 && narrower > 20, "{attained} {narrower}");
}
