//! Fits of phase-type delays by expectation and maximisation (EM; Dempster, Laird and Rubin 1977).
//!
//! Mixtures of Erlang delays come close to any distribution of times, and have a likelihood that is easily
//! maximised if the numbers of stages are given (Thümmler, Buchholz and Telek 2006): each measurement belongs
//! to each branch in part, by how likely it is there; then each branch has the mean of what belongs to it. No
//! step lowers the likelihood. Which stages there are is tried out. Measurements are in groups of their own
//! size while it is searched, so that a long log costs no more than a short one.

use super::distributions::FitForm;

/// So many groups stand for all measurements.
const GROUPS: usize = 400;

/// So many rounds of expectation and maximisation are done at most.
const ROUNDS: usize = 300;

/// The logarithm of the likelihood of one measurement changes by less than this in the last round.
const SETTLED: f64 = 1e-9;

/// The numbers of stages that are tried in mixtures.
const STAGES: [u32; 8] = [1, 2, 3, 5, 8, 13, 21, 34];

/// Branches with less are left out: studies have four digits.
const LEAST_PART: f64 = 0.002;

/// A branch of a mixture: how likely it is, its stages and its mean.
pub(super) type Branch = (f64, u32, f64);

/// Measurements in groups: a time, and how many there are.
struct Groups {
    times: Vec<(f64, f64)>,
    count: f64,
}

/// Returns the phase-type delays that fit sorted durations above 0 best, each in its form.
pub(super) fn phase_types(sorted: &[f64], mean: f64, deviation: f64) -> Vec<FitForm> {
    let groups = Groups::new(sorted);
    let mut forms = Vec::new();
    if deviation > mean {
        let ends: [&[f64]; 2] = [&[0.1, 3.0], &[0.05, 1.0, 8.0]];
        for times in ends {
            let start = times.iter().map(|time| (1.0 / times.len() as f64, 1, time * mean)).collect();
            forms.extend(kept(&groups.fitted(start)).map(FitForm::Hyperexponential));
        }
    } else {
        let [longer, shorter] = groups.two_stages(mean);
        // Two that are the same are an Erlang delay.
        if longer > 1.05 * shorter {
            forms.push(FitForm::Hypoexponential([longer, shorter]));
        }
    }
    let mut best: Option<(f64, Vec<Branch>)> = None;
    for (number, less) in STAGES.iter().enumerate() {
        for more in &STAGES[..=number] {
            // The shorter branch, and the longer one: either may be the one that varies less.
            for (one, other) in [(*less, *more), (*more, *less)] {
                let start = vec![(0.5, one, quantile(sorted, 0.25)), (0.5, other, quantile(sorted, 0.75))];
                let found = groups.fitted(start);
                let likelihood = groups.likelihood(&found);
                if best.as_ref().is_none_or(|(known, _)| likelihood > *known) {
                    best = Some((likelihood, found));
                }
            }
        }
    }
    let best = best.and_then(|(_, best)| kept(&best)).filter(|best| best.iter().any(|one| one.1 > 1));
    forms.extend(best.map(FitForm::Hypererlang));
    forms
}

/// Returns a mixture of several branches, all of which matter, the most likely first.
fn kept(branches: &[Branch]) -> Option<Vec<Branch>> {
    let is_right = |(part, _, mean): &Branch| *part > LEAST_PART && mean.is_finite() && *mean > 0.0;
    let mut kept = branches.to_vec();
    kept.sort_by(|one, other| other.0.total_cmp(&one.0));
    (kept.len() > 1 && kept.iter().all(is_right)).then_some(kept)
}

fn quantile(sorted: &[f64], part: f64) -> f64 {
    sorted[((sorted.len() - 1) as f64 * part) as usize]
}

impl Groups {
    fn new(sorted: &[f64]) -> Groups {
        let size = sorted.len().div_ceil(GROUPS).max(1);
        let group = |some: &[f64]| (some.iter().sum::<f64>() / some.len() as f64, some.len() as f64);
        Groups { times: sorted.chunks(size).map(group).collect(), count: sorted.len() as f64 }
    }

    /// Maximises the likelihood of a mixture, from a first guess on.
    fn fitted(&self, mut branches: Vec<Branch>) -> Vec<Branch> {
        let mut before = f64::NEG_INFINITY;
        let mut densities = vec![0.0; branches.len()];
        for _ in 0..ROUNDS {
            let mut sums = vec![(0.0, 0.0); branches.len()];
            let mut likelihood = 0.0;
            let factorials: Vec<f64> = branches.iter().map(|(_, stages, _)| factorial(*stages)).collect();
            for (time, count) in &self.times {
                for ((density, branch), factorial) in densities.iter_mut().zip(&branches).zip(&factorials) {
                    *density = branch.0.ln() + log_density(*time, branch.1, branch.2, *factorial);
                }
                let all = log_sum(&densities);
                likelihood += count * all;
                for (sum, density) in sums.iter_mut().zip(&densities) {
                    let part = count * (density - all).exp();
                    sum.0 += part;
                    sum.1 += part * time;
                }
            }
            for (branch, (count, time)) in branches.iter_mut().zip(sums) {
                (branch.0, branch.2) = (count / self.count, time / count);
            }
            branches.retain(|branch| branch.0 > 1e-9 && branch.2 > 0.0);
            densities.truncate(branches.len());
            if likelihood - before < SETTLED * self.count {
                break;
            }
            before = likelihood;
        }
        branches
    }

    fn likelihood(&self, branches: &[Branch]) -> f64 {
        let density = |(time, count): &(f64, f64)| count * mixture_log_density(branches, *time);
        self.times.iter().map(density).sum()
    }

    /// Finds the means of two stages in a row, which together have the mean of all, by golden section.
    fn two_stages(&self, mean: f64) -> [f64; 2] {
        let at = |longer: f64| {
            let means = [mean * longer, mean * (1.0 - longer)];
            self.times.iter().map(|(time, count)| count * row_log_density(means, *time)).sum::<f64>()
        };
        let (mut low, mut high) = (0.5, 0.9999);
        let golden = (5.0_f64.sqrt() - 1.0) / 2.0;
        for _ in 0..60 {
            let (one, other) = (high - golden * (high - low), low + golden * (high - low));
            if at(one) > at(other) {
                high = other;
            } else {
                low = one;
            }
        }
        let longer = f64::midpoint(low, high);
        [mean * longer, mean * (1.0 - longer)]
    }
}

/// Returns the logarithm of (stages − 1)!.
fn factorial(stages: u32) -> f64 {
    (1..stages).map(|stage| f64::from(stage).ln()).sum()
}

fn log_density(time: f64, stages: u32, mean: f64, factorial: f64) -> f64 {
    let (k, rate) = (f64::from(stages), f64::from(stages) / mean);
    // With one stage, the density is finite at 0.
    let power = if stages == 1 { 0.0 } else { (k - 1.0) * time.ln() };
    k * rate.ln() + power - rate * time - factorial
}

/// Returns the logarithm of the sum of numbers that are given by their logarithms.
fn log_sum(logarithms: &[f64]) -> f64 {
    let greatest = logarithms.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    if greatest == f64::NEG_INFINITY {
        return greatest;
    }
    greatest + logarithms.iter().map(|one| (one - greatest).exp()).sum::<f64>().ln()
}

/// Returns the logarithm of the density of a mixture of Erlang delays.
pub(super) fn mixture_log_density(branches: &[Branch], time: f64) -> f64 {
    let density =
        |(part, stages, mean): &Branch| part.ln() + log_density(time, *stages, *mean, factorial(*stages));
    log_sum(&branches.iter().map(density).collect::<Vec<_>>())
}

/// Returns how likely an Erlang delay is not to take longer than a time.
pub(super) fn erlang_ended(stages: u32, mean: f64, time: f64) -> f64 {
    let x = time / mean * f64::from(stages);
    let (mut term, mut sum) = ((-x).exp(), (-x).exp());
    for stage in 1..stages {
        term *= x / f64::from(stage);
        sum += term;
    }
    (1.0 - sum).clamp(0.0, 1.0)
}

/// Returns the logarithm of the density of two stages in a row, the first of which is not the shorter one.
pub(super) fn row_log_density([longer, shorter]: [f64; 2], time: f64) -> f64 {
    let (slow, fast) = (1.0 / longer, 1.0 / shorter);
    let apart = fast - slow;
    let middle = if apart * time < 1e-8 { time } else { -(-apart * time).exp_m1() / apart };
    (slow * fast).ln() - slow * time + middle.ln()
}

/// Returns how likely two stages in a row are not to take longer than a time.
pub(super) fn row_ended([longer, shorter]: [f64; 2], time: f64) -> f64 {
    let (slow, fast) = (1.0 / longer, 1.0 / shorter);
    if (fast - slow) < 1e-6 * fast {
        return erlang_ended(2, longer + shorter, time);
    }
    let lasts = (fast * (-slow * time).exp() - slow * (-fast * time).exp()) / (fast - slow);
    (1.0 - lasts).clamp(0.0, 1.0)
}
