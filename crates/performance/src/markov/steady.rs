//! Stationary distributions.

use super::chain::Chain;
use super::elimination::{Dense, MAX_ELIMINATED};
use super::interval::Accuracy;
use super::long_run::Parts;
use super::relaxation::Equations;

/// Computes the fraction of time that each state has in the long run.
///
/// In components of a few hundred states each number is right in nearly all digits (elimination); in larger
/// ones, and where several components may be reached, they are those of an iteration that went on until
/// nothing changed, and are not bounded: ask [`long_run`](super::long_run()) for averages with bounds.
pub fn steady(chain: &Chain, accuracy: Accuracy<'_>) -> Vec<f64> {
    let parts = Parts::new(chain);
    let mut values = vec![0.0; chain.states()];
    let reached = parts.reached(chain, &mut values, accuracy);
    values.fill(0.0);
    let backwards =
        parts.bottoms.iter().any(|members| members.len() > MAX_ELIMINATED).then(|| chain.transposed());
    for (members, reached) in parts.bottoms.iter().zip(reached) {
        match &backwards {
            Some(backwards) if members.len() > MAX_ELIMINATED => {
                relax(chain, backwards, members, &mut values, accuracy);
            }
            _ => {
                let columns = vec![vec![0.0; members.len()]];
                let found = Dense::new(chain, members, columns, &[]).distribution();
                for (state, share) in members.iter().zip(found) {
                    values[*state as usize] = share;
                }
            }
        }
        for state in members {
            values[*state as usize] *= reached.middle();
        }
    }
    for state in parts.passing {
        values[state as usize] = 0.0;
    }
    values
}

/// Solves `π·Q = 0` in a component: the same relaxation, with transitions taken backwards.
fn relax(chain: &Chain, backwards: &Chain, members: &[u32], values: &mut [f64], accuracy: Accuracy<'_>) {
    let nothing = vec![0.0; chain.states()];
    let equations = Equations {
        chain: backwards,
        leaving: chain,
        order: members,
        right: &nothing,
        time: None::<fn(usize) -> f64>,
        closed: false,
        accuracy,
    };
    for state in members {
        values[*state as usize] = 1.0 / members.len() as f64;
    }
    let mut iteration = equations.start(0.0);
    let (mut least, mut stuck) = (f64::INFINITY, 0);
    loop {
        equations.cycle(&mut iteration, values, 0.0);
        let total: f64 = members.iter().map(|state| values[*state as usize]).sum();
        let largest = members.iter().map(|state| values[*state as usize].abs()).fold(0.0, f64::max);
        if total <= 0.0 || !total.is_finite() {
            return;
        }
        // What rounding does cannot be relaxed away.
        stuck = if iteration.change < 0.5 * least { 0 } else { stuck + 1 };
        least = least.min(iteration.change);
        let done = iteration.change <= 1e-14 * largest || (stuck > 20 && iteration.change <= 1e-10 * largest);
        if done || iteration.sweeps >= accuracy.sweeps || accuracy.is_stopped() {
            for state in members {
                values[*state as usize] = (values[*state as usize] / total).max(0.0);
            }
            return;
        }
    }
}
