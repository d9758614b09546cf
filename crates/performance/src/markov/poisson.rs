//! Poisson probabilities that neither overflow nor underflow.
//!
//! The idea is that of Fox and Glynn (1988): start at the likeliest number with weight 1, go up and down by
//! the quotients `mean/n`, and divide by the sum at the end. What is left out beyond the ends is less than a
//! geometric series, whose sum is known.

/// For a larger mean no weights are computed: there would be millions of them, and a number plus one is not
/// always another number.
const LARGE: f64 = 1e11;

/// The weights of the numbers `first`, `first + 1`, …
pub(super) struct Weights {
    pub(super) first: u64,
    pub(super) list: Vec<f64>,
    last: u64,
    /// More than what the weights of all other numbers add up to.
    pub(super) beyond: f64,
    /// By how much each weight here is off at most, compared with itself.
    pub(super) relative: f64,
}

impl Weights {
    /// Computes the weights for a mean, but for so much together.
    pub(super) fn new(mean: f64, missing: f64) -> Weights {
        Weights::within(mean, missing, LARGE as u64)
    }

    /// Computes the weights for a mean, but for so much together; none if those up to a number are too small
    /// to count.
    pub(super) fn within(mean: f64, missing: f64, most: u64) -> Weights {
        if mean <= 0.0 {
            return Weights { first: 0, list: vec![1.0], last: 0, beyond: 0.0, relative: 0.0 };
        }
        let reach = 40.0 * mean.sqrt();
        if mean > LARGE || mean - reach > most as f64 {
            // Nobody gets that far: a chain has settled, or been given up, many steps before the first
            // number. Beyond 40 standard deviations there is less than e^-700.
            let (first, last) = ((mean - reach) as u64, (mean + reach) as u64);
            return Weights { first, list: Vec::new(), last, beyond: f64::MIN_POSITIVE, relative: 0.0 };
        }
        let mode = mean.floor();
        // A series that falls by the factor f at each step adds up to less than its last term times f/(1 −
        // f).
        let small = missing / 4.0;
        let mut upper = vec![1.0];
        let (mut weight, mut number, mut above) = (1.0_f64, mode, f64::INFINITY);
        // All weights together are at least 1, so that what is small here is smaller still after division.
        while above > small {
            number += 1.0;
            weight *= mean / number;
            upper.push(weight);
            let factor = mean / (number + 1.0);
            above = if factor < 1.0 { weight * factor / (1.0 - factor) } else { f64::INFINITY };
        }
        let mut lower = Vec::new();
        let (mut weight, mut number, mut below) = (1.0_f64, mode, f64::INFINITY);
        while number > 0.0 && below > small {
            weight *= number / mean;
            number -= 1.0;
            lower.push(weight);
            let factor = number / mean;
            below = if factor < 1.0 { weight * factor / (1.0 - factor) } else { f64::INFINITY };
        }
        if number <= 0.0 {
            below = 0.0;
        }
        lower.reverse();
        lower.extend(upper);
        let total: f64 = lower.iter().sum();
        let steps = lower.len() as f64;
        for weight in &mut lower {
            *weight /= total;
        }
        // Each weight has been through three roundings for each step from the mode, and the sum through as
        // many.
        let relative = 8.0 * steps * f64::EPSILON;
        let (first, beyond) = (number as u64, 2.0 * (above + below) / total + f64::MIN_POSITIVE);
        Weights { first, last: first + lower.len() as u64 - 1, list: lower, beyond, relative }
    }

    /// Returns more than what all weights are off, and those of other numbers add up to.
    pub(super) fn missing(&self) -> f64 {
        self.beyond + self.relative
    }

    /// Returns the last number that has a weight.
    pub(super) fn last(&self) -> u64 {
        self.last
    }

    /// Returns the weight of a number.
    pub(super) fn of(&self, number: u64) -> f64 {
        number.checked_sub(self.first).and_then(|place| self.list.get(place as usize)).copied().unwrap_or(0.0)
    }
}

#[cfg(test)]
mod tests {
    use super::Weights;

    #[test]
    fn weights_are_those_of_the_definition() {
        for mean in [1e-9, 0.3, 1.0, 7.5, 100.0] {
            let found = Weights::new(mean, 1e-12);
            let mut exact = f64::exp(-mean);
            for number in 0..=found.last() {
                assert!((found.of(number) - exact).abs() < 1e-12, "{mean} {number}");
                exact *= mean / (number + 1) as f64;
            }
            assert!(found.missing() < 1e-11, "{mean}");
        }
    }

    #[test]
    fn a_mean_beyond_all_steps_needs_no_weights() {
        for mean in [1e12, 1e18, 1e300] {
            let found = Weights::new(mean, 1e-9);
            assert!(found.list.is_empty() && found.first > 100_000_000_000 && found.last() >= found.first);
            assert!(found.of(10_000_000).abs() < f64::EPSILON);
        }
    }

    #[test]
    fn large_means_have_few_weights() {
        let found = Weights::new(1e10, 1e-10);
        assert!(found.list.len() < 3_000_000 && found.missing() < 1e-8);
        let mean: f64 = (found.first..=found.last())
            .zip(&found.list)
            .map(|(number, weight)| number as f64 * weight)
            .sum();
        assert!((mean / 1e10 - 1.0).abs() < 1e-8);
        assert_eq!(Weights::new(0.0, 1e-9).list, [1.0]);
    }
}
