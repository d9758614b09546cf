//! Fits of the forms that a delay may have.

use super::phases::{self, Branch, erlang_ended, mixture_log_density, row_ended, row_log_density};

/// Measured durations, in ascending order; there is at least one.
#[derive(Clone, Debug, PartialEq)]
pub struct Sample {
    sorted: Vec<f64>,
}

/// What a sample says of itself.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Summary {
    /// How many there are.
    pub count: usize,
    /// The mean.
    pub mean: f64,
    /// The standard deviation, with n − 1; 0 for one.
    pub deviation: f64,
    /// The least.
    pub least: f64,
    /// The greatest.
    pub greatest: f64,
}

/// The forms of delays that a study takes.
#[derive(Clone, Debug, PartialEq)]
pub enum FitForm {
    /// Always the same.
    Fixed(f64),
    /// Anything from the first to the second, each as likely.
    Between(f64, f64),
    /// Exponential, with this mean.
    Exponential(f64),
    /// So many exponential stages, with this mean in total.
    Erlang(u32, f64),
    /// One of several exponential delays: how likely each is, one stage, and its mean.
    Hyperexponential(Vec<Branch>),
    /// Two exponential stages with these means, the longer one first.
    Hypoexponential([f64; 2]),
    /// One of several Erlang delays: how likely each is, its stages and its mean.
    Hypererlang(Vec<Branch>),
    /// The times that were measured, each as likely as another.
    Empirical,
}

/// A form with its parameters, and how well it fits.
#[derive(Clone, Debug, PartialEq)]
pub struct Fit {
    /// The form.
    pub form: FitForm,
    /// The greatest difference of the distribution functions.
    pub distance: f64,
    /// How likely a distance of at least that is if the form were true with these parameters.
    pub p_value: f64,
    /// Akaike's criterion; less is better. Infinite if the data are impossible.
    pub aic: f64,
}

/// Below this coefficient of variation durations count as always the same.
const ALIKE: f64 = 0.01;

/// A normal number is farther from its mean than so many deviations in 1 of 100 cases.
const NORMAL: f64 = 2.575_829;

/// The same of Student's t with one to four degrees of freedom.
const STUDENT: [f64; 4] = [63.657, 9.925, 5.841, 4.605];

/// With fewer measurements there is no telling one phase from another.
const LEAST_FOR_PHASES: usize = 30;

/// More stages than this make a chain large, and differ little from a fixed delay.
const MAX_STAGES: u32 = 50;

impl Sample {
    /// Makes a sample of durations that are finite and not below 0.
    pub(super) fn new(mut durations: Vec<f64>) -> Sample {
        durations.sort_unstable_by(f64::total_cmp);
        Sample { sorted: durations }
    }

    /// Returns the durations in ascending order.
    pub fn sorted(&self) -> &[f64] {
        &self.sorted
    }

    /// Returns count, mean, deviation and ends.
    pub fn summary(&self) -> Summary {
        let count = self.sorted.len();
        let mean = self.sorted.iter().sum::<f64>() / count.max(1) as f64;
        let squares: f64 = self.sorted.iter().map(|one| (one - mean) * (one - mean)).sum();
        let deviation = if count > 1 { (squares / (count - 1) as f64).sqrt() } else { 0.0 };
        let least = self.sorted.first().copied().unwrap_or(0.0);
        Summary { count, mean, deviation, least, greatest: self.sorted.last().copied().unwrap_or(0.0) }
    }

    /// Returns the least duration that such a part of all does not exceed.
    pub fn quantile(&self, part: f64) -> f64 {
        let place = (part * self.sorted.len() as f64).ceil() as usize;
        self.sorted[place.clamp(1, self.sorted.len()) - 1]
    }

    /// Returns where the true mean lies with 99 % confidence, if durations are independent: by Student's t.
    pub fn mean_within(&self) -> (f64, f64) {
        let Summary { count, mean, deviation, .. } = self.summary();
        if count < 2 {
            return (0.0, f64::INFINITY);
        }
        let freedom = (count - 1) as f64;
        // The first terms of its expansion around the normal distribution (Hill 1970).
        let z = NORMAL;
        let expanded = z
            + (z.powi(3) + z) / (4.0 * freedom)
            + (5.0 * z.powi(5) + 16.0 * z.powi(3) + 3.0 * z) / (96.0 * freedom.powi(2))
            + (3.0 * z.powi(7) + 19.0 * z.powi(5) + 17.0 * z.powi(3) - 15.0 * z) / (384.0 * freedom.powi(3));
        let student = STUDENT.get(count - 2).copied().unwrap_or(expanded);
        let off = student * deviation / (count as f64).sqrt();
        ((mean - off).max(0.0), mean + off)
    }

    /// Returns where the true quantile lies with 99 % confidence, if durations are independent: between two
    /// of them, whatever their distribution.
    pub fn quantile_within(&self, part: f64) -> (f64, f64) {
        let count = self.sorted.len() as f64;
        let off = NORMAL * (count * part * (1.0 - part)).sqrt();
        let (low, high) = ((count * part - off).floor(), (count * part + off).ceil() + 1.0);
        let low = if low < 1.0 { 0.0 } else { self.sorted[low as usize - 1] };
        let high = self.sorted.get((high.max(1.0) as usize) - 1).copied().unwrap_or(f64::INFINITY);
        (low, high)
    }

    /// Fits all forms, the best first.
    pub fn fits(&self) -> Vec<Fit> {
        let Summary { mean, deviation, least, greatest, .. } = self.summary();
        let mut forms = vec![FitForm::Fixed(mean)];
        if greatest > least {
            forms.push(FitForm::Between(least, greatest));
        }
        if mean > 0.0 {
            forms.push(FitForm::Exponential(mean));
            let stages = self.stages(mean);
            if stages > 1 {
                forms.push(FitForm::Erlang(stages, mean));
            }
            if least > 0.0 && greatest > least && self.sorted.len() >= LEAST_FOR_PHASES {
                forms.extend(phases::phase_types(&self.sorted, mean, deviation));
            }
        }
        if greatest > least {
            forms.push(FitForm::Empirical);
        }
        let mut fits: Vec<Fit> = forms.into_iter().map(|form| self.judge(form)).collect();
        let is_alike = deviation <= ALIKE * mean;
        let rank = |fit: &Fit| {
            if is_alike && matches!(fit.form, FitForm::Fixed(_)) { f64::NEG_INFINITY } else { fit.aic }
        };
        fits.sort_by(|one, other| rank(one).total_cmp(&rank(other)));
        fits
    }

    /// Returns the number of stages with the greatest likelihood.
    fn stages(&self, mean: f64) -> u32 {
        let count = self.sorted.len() as f64;
        let logarithms: f64 = self.sorted.iter().map(|one| one.ln()).sum();
        if !logarithms.is_finite() {
            return 1;
        }
        let mut factorial = 0.0;
        let mut best = (f64::NEG_INFINITY, 1);
        for stages in 1..=MAX_STAGES {
            let k = f64::from(stages);
            let likelihood = count * (k * (k / mean).ln() - factorial) + (k - 1.0) * logarithms - k * count;
            if likelihood > best.0 {
                best = (likelihood, stages);
            }
            factorial += k.ln();
        }
        best.1
    }

    fn judge(&self, form: FitForm) -> Fit {
        let count = self.sorted.len() as f64;
        let distance = if let FitForm::Fixed(at) = form {
            self.apart(at)
        } else if form == FitForm::Empirical {
            0.0
        } else {
            let steps = self.sorted.iter().enumerate().map(|(number, one)| {
                let ended = form.ended(*one);
                (ended - number as f64 / count).max((number + 1) as f64 / count - ended)
            });
            steps.fold(0.0, f64::max)
        };
        let likelihood: f64 = self.sorted.iter().map(|one| form.log_density(*one)).sum();
        let aic = 2.0 * form.parameters() - 2.0 * likelihood;
        Fit { form, distance, p_value: p_value(distance, count), aic }
    }

    /// Returns which part of all is below a fixed delay, or above it, whichever is more.
    fn apart(&self, at: f64) -> f64 {
        let below = self.sorted.partition_point(|one| *one < at);
        let above = self.sorted.len() - self.sorted.partition_point(|one| *one <= at);
        below.max(above) as f64 / self.sorted.len() as f64
    }
}

impl FitForm {
    /// Returns what it is called in a study.
    pub fn name(&self) -> &'static str {
        match self {
            FitForm::Fixed(_) => "fixed",
            FitForm::Between(..) => "between",
            FitForm::Exponential(_) => "exponential",
            FitForm::Erlang(..) => "erlang",
            FitForm::Hyperexponential(_) => "hyperexponential",
            FitForm::Hypoexponential(_) => "hypoexponential",
            FitForm::Hypererlang(_) => "hypererlang",
            FitForm::Empirical => "empirical",
        }
    }

    /// Writes it as a study does, with four significant digits; the ends of a range lie outside. The log and
    /// the column are for the times themselves.
    pub fn in_study(&self, log: &str, column: &str) -> String {
        let listed = |numbers: &mut dyn Iterator<Item = String>| numbers.collect::<Vec<_>>().join(", ");
        let means = |branches: &[Branch]| listed(&mut branches.iter().map(|(.., mean)| digits(*mean, 0.0)));
        match *self {
            FitForm::Hyperexponential(ref branches) => {
                format!("{{ hyperexponential = [{}], parts = [{}] }}", means(branches), parts(branches))
            }
            FitForm::Hypererlang(ref branches) => {
                let stages = listed(&mut branches.iter().map(|(_, stages, _)| stages.to_string()));
                let (means, parts) = (means(branches), parts(branches));
                format!("{{ hypererlang = [{means}], stages = [{stages}], parts = [{parts}] }}")
            }
            FitForm::Hypoexponential(means) => {
                format!("{{ hypoexponential = [{}, {}] }}", digits(means[0], 0.0), digits(means[1], 0.0))
            }
            FitForm::Empirical => {
                let quoted = |text: &str| text.replace('\\', "\\\\").replace('"', "\\\"");
                format!("{{ empirical = \"{}\", column = \"{}\" }}", quoted(log), quoted(column))
            }
            FitForm::Fixed(at) => format!("{{ fixed = {} }}", digits(at, 0.0)),
            FitForm::Between(least, most) => {
                format!("{{ between = [{}, {}] }}", digits(least, -1.0), digits(most, 1.0))
            }
            FitForm::Exponential(mean) => format!("{{ exponential = {} }}", digits(mean, 0.0)),
            FitForm::Erlang(stages, mean) => {
                format!("{{ erlang = {}, stages = {stages} }}", digits(mean, 0.0))
            }
        }
    }

    fn parameters(&self) -> f64 {
        match self {
            FitForm::Fixed(_) | FitForm::Exponential(_) => 1.0,
            FitForm::Between(..) | FitForm::Erlang(..) | FitForm::Hypoexponential(_) => 2.0,
            // Parts add up to 1.
            FitForm::Hyperexponential(branches) => 2.0 * branches.len() as f64 - 1.0,
            FitForm::Hypererlang(branches) => 3.0 * branches.len() as f64 - 1.0,
            FitForm::Empirical => f64::INFINITY,
        }
    }

    /// Returns how likely it is not to take longer than a time.
    pub fn ended(&self, time: f64) -> f64 {
        match *self {
            FitForm::Hyperexponential(ref branches) | FitForm::Hypererlang(ref branches) => {
                branches.iter().map(|(part, stages, mean)| part * erlang_ended(*stages, *mean, time)).sum()
            }
            FitForm::Hypoexponential(means) => row_ended(means, time),
            // It is what it is compared with.
            FitForm::Empirical => f64::NAN,
            FitForm::Fixed(at) => f64::from(u8::from(time >= at)),
            FitForm::Between(least, most) => ((time - least) / (most - least)).clamp(0.0, 1.0),
            FitForm::Exponential(mean) => -(-time / mean).exp_m1(),
            FitForm::Erlang(stages, mean) => erlang_ended(stages, mean, time),
        }
    }

    fn log_density(&self, time: f64) -> f64 {
        match *self {
            FitForm::Hyperexponential(ref branches) | FitForm::Hypererlang(ref branches) => {
                mixture_log_density(branches, time)
            }
            FitForm::Hypoexponential(means) => row_log_density(means, time),
            // Durations that vary are impossible; and nothing is said of other ones.
            FitForm::Fixed(_) | FitForm::Empirical => f64::NEG_INFINITY,
            FitForm::Between(least, most) => -(most - least).ln(),
            FitForm::Exponential(mean) => -time / mean - mean.ln(),
            FitForm::Erlang(stages, mean) => {
                let (k, rate) = (f64::from(stages), f64::from(stages) / mean);
                let factorial: f64 = (1..stages).map(|stage| f64::from(stage).ln()).sum();
                k * rate.ln() + (k - 1.0) * time.ln() - rate * time - factorial
            }
        }
    }
}

/// Writes how likely branches are, with four digits that add up to 1.
fn parts(branches: &[Branch]) -> String {
    let whole = 10_000_i64;
    let mut parts: Vec<i64> =
        branches.iter().map(|(part, ..)| (part * whole as f64).round() as i64).collect();
    // The first is the most likely: there it matters least.
    let rest = whole - parts.iter().sum::<i64>();
    if let Some(first) = parts.first_mut() {
        *first += rest;
    }
    let text = |part: &i64| format!("0.{part:04}").trim_end_matches('0').to_owned();
    parts.iter().map(text).collect::<Vec<_>>().join(", ")
}

/// Writes a number with four significant digits, rounded down if the sign is below 0, and up if it is above.
fn digits(number: f64, side: f64) -> String {
    if number == 0.0 {
        return "0".to_owned();
    }
    let unit = 10.0_f64.powi(number.abs().log10().floor() as i32 - 3);
    let scaled = number / unit;
    let whole = if side < 0.0 {
        scaled.floor()
    } else if side > 0.0 {
        scaled.ceil()
    } else {
        scaled.round()
    };
    let places = (3 - number.abs().log10().floor() as i32).max(0) as usize;
    let text = format!("{:.places$}", whole * unit);
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}

/// The asymptotic distribution of Kolmogorov, with Stephens' correction for few data.
fn p_value(distance: f64, count: f64) -> f64 {
    let root = count.sqrt();
    let x = (root + 0.12 + 0.11 / root) * distance;
    if x < 0.2 {
        return 1.0;
    }
    let term = |number: i32| {
        let sign = if number % 2 == 1 { 1.0 } else { -1.0 };
        sign * (-2.0 * f64::from(number * number) * x * x).exp()
    };
    (2.0 * (1..=100).map(term).sum::<f64>()).clamp(0.0, 1.0)
}

#[cfg(test)]
mod tests {
    use narrows_graph::Random;

    use super::{FitForm, Sample, p_value};

    fn sample(seed: u64, count: usize, draw: impl Fn(&mut Random) -> f64) -> Sample {
        let mut random = Random::new(seed);
        Sample::new((0..count).map(|_| draw(&mut random)).collect())
    }

    fn exponential(random: &mut Random, mean: f64) -> f64 {
        -mean * (1.0 - random.fraction()).ln()
    }

    #[test]
    fn each_form_is_found_again() {
        for seed in 1..20 {
            let best = |sample: &Sample| sample.fits()[0].clone();
            let found = best(&sample(seed, 2000, |random| exponential(random, 20.0)));
            // A few times by chance, something with more parameters is likelier.
            let is_near = matches!(found.form, FitForm::Exponential(_)) || found.distance < 0.03;
            assert!(is_near, "{found:?}");
            assert!(found.p_value > 0.01, "{found:?}");
            let erlang = |random: &mut Random| (0..4).map(|_| exponential(random, 5.0)).sum();
            let found = best(&sample(seed, 2000, erlang));
            let is_near = match found.form {
                FitForm::Erlang(stages, mean) => (3..=5).contains(&stages) && (mean - 20.0).abs() < 1.5,
                _ => found.distance < 0.03,
            };
            assert!(is_near, "{found:?}");
            let found = best(&sample(seed, 2000, |random| 3.0 + 4.0 * random.fraction()));
            let FitForm::Between(least, most) = found.form else { panic!("{found:?}") };
            assert!((3.0..3.1).contains(&least) && (6.9..=7.0).contains(&most), "{found:?}");
            let found = best(&sample(seed, 50, |random| 5.0 + 0.01 * random.fraction()));
            assert!(matches!(found.form, FitForm::Fixed(_)), "{found:?}");
        }
    }

    #[test]
    fn phases_are_found_again() {
        for seed in 1..6 {
            let best = |sample: &Sample| sample.fits()[0].clone();
            // Some are quick, a few take long.
            let found = best(&sample(seed, 3000, |random| {
                let is_quick = random.fraction() < 0.8;
                exponential(random, if is_quick { 2.0 } else { 40.0 })
            }));
            let FitForm::Hyperexponential(branches) = &found.form else { panic!("{found:?}") };
            assert!((branches[0].0 - 0.8).abs() < 0.1 && found.p_value > 0.01, "{found:?}");
            assert!((branches[0].2 - 2.0).abs() < 0.3, "{found:?}");
            // Two stages that differ.
            let found =
                best(&sample(seed, 3000, |random| exponential(random, 9.0) + exponential(random, 2.0)));
            assert!(found.p_value > 0.01 && found.distance < 0.03, "{found:?}");
            // Two peaks.
            let found = best(&sample(seed, 3000, |random| {
                let (stages, mean) = if random.fraction() < 0.6 { (8, 10.0) } else { (21, 60.0) };
                (0..stages).map(|_| exponential(random, mean / f64::from(stages))).sum()
            }));
            let FitForm::Hypererlang(branches) = &found.form else { panic!("{found:?}") };
            assert!((branches[0].0 - 0.6).abs() < 0.05 && (branches[0].2 - 10.0).abs() < 1.0, "{found:?}");
            assert!((branches[1].2 - 60.0).abs() < 3.0 && found.p_value > 0.01, "{found:?}");
        }
    }

    #[test]
    fn densities_are_slopes() {
        let forms = [
            FitForm::Erlang(3, 5.0),
            FitForm::Hyperexponential(vec![(0.7, 1, 2.0), (0.3, 1, 30.0)]),
            FitForm::Hypererlang(vec![(0.5, 2, 3.0), (0.5, 8, 40.0)]),
            FitForm::Hypoexponential([4.0, 1.0]),
            FitForm::Hypoexponential([4.0, 4.0]),
        ];
        for form in forms {
            for time in [0.5, 2.0, 17.0, 40.0] {
                let slope = (form.ended(time + 1e-5) - form.ended(time - 1e-5)) / 2e-5;
                assert!((slope - form.log_density(time).exp()).abs() < 1e-6, "{form:?} {time} {slope}");
            }
        }
    }

    #[test]
    fn distances_are_those_of_the_definition() {
        // Three data against the uniform distribution on [0, 1]: at 0.1, 0.2 and 0.9 the greatest is 2/3 −
        // 0.2.
        let sample = Sample::new(vec![0.9, 0.1, 0.2]);
        let fit = sample.judge(FitForm::Between(0.0, 1.0));
        assert!((fit.distance - (2.0 / 3.0 - 0.2)).abs() < 1e-15, "{fit:?}");
        assert!((sample.judge(FitForm::Fixed(0.2)).distance - 1.0 / 3.0).abs() < 1e-15);
        // Kolmogorov's table: 1.358 is exceeded in one of 20 cases.
        assert!((p_value(1.358 / 1e4, 1e8) - 0.05).abs() < 1e-3);
        assert!(sample.quantile(0.5).to_bits() == 0.2_f64.to_bits());
        assert!(sample.quantile(0.99).to_bits() == 0.9_f64.to_bits());
    }

    #[test]
    fn forms_are_written_as_studies_read_them() {
        let cases = [
            (FitForm::Fixed(20.0), "{ fixed = 20 }"),
            (FitForm::Between(1.234_56, 7.890_12), "{ between = [1.234, 7.891] }"),
            (FitForm::Exponential(123_456.0), "{ exponential = 123500 }"),
            (FitForm::Erlang(4, 0.001_234_56), "{ erlang = 0.001235, stages = 4 }"),
            (
                FitForm::Hyperexponential(vec![(2.0 / 3.0, 1, 3.0), (1.0 / 3.0, 1, 12.5)]),
                "{ hyperexponential = [3, 12.5], parts = [0.6667, 0.3333] }",
            ),
            (
                FitForm::Hypererlang(vec![(0.75, 2, 3.0), (0.25, 8, 40.0)]),
                "{ hypererlang = [3, 40], stages = [2, 8], parts = [0.75, 0.25] }",
            ),
            (FitForm::Hypoexponential([7.0, 1.0]), "{ hypoexponential = [7, 1] }"),
            (FitForm::Empirical, "{ empirical = \"log.csv\", column = \"read\" }"),
        ];
        for (form, text) in cases {
            assert_eq!(form.in_study("log.csv", "read"), text);
        }
    }
}
