//! The range of a quotient of two long-run averages, over all schedulers.
//!
//! The greatest quotient of averages of r and p, where p is gained by every scheduler, is above λ if and only
//! if some scheduler's average of `r − λ·p` is above 0 (Dinkelbach 1967). So the sign of a certified average
//! tells on which side of λ it lies, and bisection narrows what is known until a sign is not certain any
//! more.

use super::automaton::{Automaton, Reward};
use super::end_components::Zeno;
use super::interval::{Accuracy, Interval};
use super::optimal_average::average;
use super::optimal_total::Aim;

/// Bounds the greatest or the least of a quotient of averages in the long run. Rewards are not negative.
/// What is divided by must be above 0 for every scheduler, or there is no upper bound.
///
/// # Errors
///
/// If choices may follow each other for ever in no time.
pub fn ratio(
    automaton: &Automaton,
    over: &Reward,
    under: &Reward,
    aim: Aim,
    accuracy: Accuracy<'_>,
) -> Result<Interval, Zeno> {
    let ends = |reward: &Reward| -> Result<Interval, Zeno> {
        let least = average(automaton, reward, Aim::Least, accuracy)?;
        let greatest = average(automaton, reward, Aim::Greatest, accuracy)?;
        Ok(Interval { low: least.low, high: greatest.high })
    };
    let (above, below) = (ends(over)?, ends(under)?);
    let mut known = above.over(below);
    while known.high.is_finite() && !accuracy.is_met(known) && !accuracy.is_stopped() {
        let middle = known.middle();
        let less = |over: &[f64], under: &[f64]| -> Vec<f64> {
            over.iter().zip(under).map(|(over, under)| over - middle * under).collect()
        };
        let difference = Reward {
            rates: less(&over.rates, &under.rates),
            impulses: less(&over.impulses, &under.impulses),
        };
        // Each difference is off by three roundings of what it is made of.
        let off = 4.0 * f64::EPSILON * (above.high + middle * below.high);
        let found = average(automaton, &difference, aim, accuracy)?.widened(off);
        if found.low > 0.0 {
            known.low = middle;
        } else if found.high < 0.0 {
            known.high = middle;
        } else {
            break;
        }
    }
    Ok(known)
}
