//! Draws delays.

use std::sync::Arc;

use narrows_graph::Random;

use super::{Draw, Scene};
use crate::{Delay, Distribution, Phases, Time, as_f64};

/// A delay as it is drawn, in floating-point numbers.
#[derive(Clone, Debug)]
pub(super) enum Sampler {
    /// Memoryless, with this mean.
    Exponential(f64),
    /// So many exponential stages, each with this mean.
    Erlang(u32, f64),
    /// These phases, with the factor by which they are longer.
    Phases(Arc<Phases>, f64),
    /// Always the same.
    Fixed(f64),
    /// From the first on, at most the second more.
    Uniform(f64, f64),
    /// Normal: mean and standard deviation; never below 0.
    Normal(f64, f64),
    /// Lognormal: mean and standard deviation of the logarithm.
    Lognormal(f64, f64),
    /// Weibull: scale, and one over the shape.
    Weibull(f64, f64),
    /// Pareto: the least, and one over the shape.
    Pareto(f64, f64),
    /// One of these.
    Empirical(Vec<f64>),
}

/// Draws how long a delay takes, as it is given; intervals are uniform.
pub fn drawn(delay: &Delay, random: &mut Random) -> f64 {
    Sampler::new(delay, Draw::AsGiven, 1.0).draw(random)
}

impl Sampler {
    pub(super) fn new(delay: &Delay, draw: Draw, scale: f64) -> Sampler {
        let as_f64 = |time: Time| as_f64(time) * scale;
        match (draw, delay) {
            (Draw::AsGiven, Delay::Fixed(time)) => Sampler::Fixed(as_f64(*time)),
            (Draw::AsGiven, Delay::Between(least, most)) => {
                Sampler::Uniform(as_f64(*least), as_f64(*most - *least))
            }
            (_, Delay::Drawn(mean, distribution)) => Sampler::drawn(as_f64(*mean), distribution, scale),
            (_, Delay::Phases(phases, factor)) => Sampler::Phases(phases.clone(), as_f64(*factor)),
            _ => match delay.stages() {
                1 => Sampler::Exponential(as_f64(delay.mean())),
                stages => Sampler::Erlang(stages, as_f64(delay.mean()) / f64::from(stages)),
            },
        }
    }

    fn drawn(mean: f64, distribution: &Distribution, scale: f64) -> Sampler {
        match distribution {
            Distribution::Normal(deviation) => Sampler::Normal(mean, as_f64(*deviation) * scale),
            Distribution::Lognormal(deviation) => {
                let variance = (as_f64(*deviation) * scale / mean).powi(2).ln_1p();
                Sampler::Lognormal(mean.ln() - variance / 2.0, variance.sqrt())
            }
            Distribution::Weibull(shape) => {
                let inverse = 1.0 / as_f64(*shape);
                Sampler::Weibull(mean / gamma(1.0 + inverse), inverse)
            }
            Distribution::Pareto(shape) => {
                let shape = as_f64(*shape);
                Sampler::Pareto(mean * (shape - 1.0) / shape, 1.0 / shape)
            }
            Distribution::Empirical(times) => {
                Sampler::Empirical(times.iter().map(|time| time * scale).collect())
            }
        }
    }

    /// Returns the rate of a delay without memory.
    pub(super) fn rate(&self) -> Option<f64> {
        if let Sampler::Exponential(mean) = self { Some(1.0 / mean) } else { None }
    }

    /// Returns how long it takes, if that is always the same.
    pub(super) fn fixed(&self) -> Option<f64> {
        if let Sampler::Fixed(time) = self { Some(*time) } else { None }
    }

    pub(super) fn draw(&self, random: &mut Random) -> f64 {
        match self {
            Sampler::Exponential(mean) => random.exponential() * mean,
            Sampler::Erlang(stages, mean) if *stages > FEW_STAGES => many_stages(*stages, random) * mean,
            Sampler::Erlang(stages, mean) => (0..*stages).map(|_| random.exponential()).sum::<f64>() * mean,
            Sampler::Phases(phases, factor) => phases.draw(&mut || random.fraction()) * factor,
            Sampler::Fixed(time) => *time,
            Sampler::Uniform(least, more) => least + more * random.fraction(),
            Sampler::Normal(mean, deviation) => loop {
                let time = mean + deviation * standard(random);
                if time >= 0.0 {
                    return time;
                }
            },
            Sampler::Lognormal(mean, deviation) => (mean + deviation * standard(random)).exp(),
            Sampler::Weibull(scale, inverse) => scale * random.exponential().powf(*inverse),
            Sampler::Pareto(least, inverse) => least * random.fraction().powf(-inverse),
            Sampler::Empirical(times) => times.get(random.index(times.len())).copied().unwrap_or(0.0),
        }
    }
}

/// Returns how many units of time in which runs are counted make one of the study's: where all that is fixed
/// is a multiple of the same fraction, time is counted in these, so that sums of delays are exact.
pub(super) fn scale_of(scene: &Scene<'_>) -> f64 {
    let times = scene.timing.delays().iter().filter_map(|one| match one.delay {
        Delay::Fixed(time) if scene.draw == Draw::AsGiven => Some(time),
        _ => None,
    });
    let mut common = 1i128;
    for time in times {
        let mut one = *time.denom();
        let mut other = common;
        while other != 0 {
            (one, other) = (other, one % other);
        }
        match common.checked_mul(*time.denom() / one.max(1)).filter(|product| *product < 1 << 32) {
            Some(product) => common = product,
            None => return 1.0,
        }
    }
    as_f64(Time::from_integer(common))
}

/// So many stages are drawn one by one.
const FEW_STAGES: u32 = 16;

/// Draws the sum of many exponential stages, each with the mean 1, at once (G. Marsaglia, W. Tsang, *A simple
/// method for generating gamma variables*, 2000): a third power of a normal number, accepted or rejected so
/// that the distribution is exact.
fn many_stages(stages: u32, random: &mut Random) -> f64 {
    let most = f64::from(stages) - 1.0 / 3.0;
    loop {
        let normal = standard(random);
        let cube = (1.0 + normal / (9.0 * most).sqrt()).powi(3);
        let bound = 0.5 * normal * normal + most * (1.0 - cube + cube.ln());
        // The logarithm of a uniform number, as an exponential one below 0; that of what is not positive is
        // NaN.
        if cube > 0.0 && -random.exponential() < bound {
            return most * cube;
        }
    }
}

/// Draws from the standard normal distribution (G. Box, M. Muller 1958).
fn standard(random: &mut Random) -> f64 {
    let radius = (2.0 * random.exponential()).sqrt();
    radius * (random.fraction() * std::f64::consts::TAU).cos()
}

/// Returns the gamma function of a number above 1/2, by the approximation of C. Lanczos (1964).
fn gamma(number: f64) -> f64 {
    const TERMS: [f64; 8] = [
        676.520_368_121_885_1,
        -1_259.139_216_722_402_8,
        771.323_428_777_653_1,
        -176.615_029_162_140_6,
        12.507_343_278_686_905,
        -0.138_571_095_265_720_12,
        9.984_369_578_019_572e-6,
        1.505_632_735_149_311_6e-7,
    ];
    let number = number - 1.0;
    let terms = TERMS.iter().zip(1..).map(|(term, place)| term / (number + f64::from(place)));
    let sum = 0.999_999_999_999_809_9 + terms.sum::<f64>();
    let base = number + 7.5;
    std::f64::consts::TAU.sqrt() * base.powf(number + 0.5) * (-base).exp() * sum
}

#[cfg(test)]
mod tests {
    use narrows_graph::Random;

    use super::{Sampler, gamma};
    use crate::simulation::Draw;
    use crate::{Delay, Distribution, Time};

    #[test]
    fn gamma_is_the_factorial() {
        for (number, exact) in [(1.0, 1.0), (5.0, 24.0), (1.5, 0.886_226_925_452_758), (3.0, 2.0)] {
            assert!((gamma(number) - exact).abs() < 1e-9, "{number}");
        }
    }

    /// However many stages there are, the sum has their mean, deviation and skewness.
    #[test]
    fn stages_are_drawn_together() {
        for stages in [16, 17, 60, 10_000] {
            let sampler = Sampler::new(&Delay::Erlang(stages, Time::from_integer(1)), Draw::AsGiven, 1.0);
            let mut random = Random::new(11);
            let deviation = f64::from(stages).powf(-0.5);
            let moments = (0..400_000).fold([0.0; 3], |[first, second, third], _| {
                let off = (sampler.draw(&mut random) - 1.0) / deviation;
                [first + off, second + off * off, third + off * off * off]
            });
            let [mean, square, cube] = moments.map(|sum| sum / 400_000.0);
            assert!(mean.abs() < 0.01 && (square - 1.0).abs() < 0.02, "{stages}: {mean} {square}");
            assert!((cube - 2.0 * deviation).abs() < 0.05, "{stages}: {cube}");
        }
    }

    /// Means and standard deviations are those that are asked for.
    #[test]
    fn means_and_deviations_come_out() {
        let whole = Time::from_integer;
        let drawn = |distribution| Delay::Drawn(whole(10), distribution);
        // A Weibull with shape 2 has the deviation mean · √(4/π − 1), a Pareto with shape 3 mean / √3.
        let cases = [
            (drawn(Distribution::Normal(whole(2))), 2.0),
            (drawn(Distribution::Lognormal(whole(5))), 5.0),
            (drawn(Distribution::Weibull(whole(2))), 10.0 * (4.0 / std::f64::consts::PI - 1.0).sqrt()),
            (drawn(Distribution::Pareto(whole(9))), 10.0 / 63f64.sqrt()),
            (drawn(Distribution::Empirical([5.0, 15.0].into())), 5.0),
            (Delay::Between(whole(4), whole(16)), 12.0 / 12f64.sqrt()),
            (Delay::Erlang(4, whole(10)), 5.0),
        ];
        for (delay, deviation) in cases {
            let sampler = Sampler::new(&delay, Draw::AsGiven, 1.0);
            let mut random = Random::new(5);
            let times: Vec<f64> = (0..200_000).map(|_| sampler.draw(&mut random)).collect();
            let mean = times.iter().sum::<f64>() / 200_000.0;
            let square = times.iter().map(|time| (time - mean).powi(2)).sum::<f64>() / 200_000.0;
            assert!((mean - 10.0).abs() < 0.05, "{delay:?} {mean}");
            assert!((square.sqrt() - deviation).abs() < 0.1, "{delay:?} {}", square.sqrt());
        }
    }
}
