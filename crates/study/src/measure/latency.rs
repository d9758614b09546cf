//! How long requests take on average, and within which time so many of them are over.

use std::sync::atomic::{AtomicBool, Ordering};

use narrows_explicit::{Progress, Watch};
use narrows_model::{CurvePoint, Figure, FigureResult, Limit};
use narrows_performance::markov::{Accuracy, Aim, Interval, OpenRequests, Passage, Requests, Zeno};
use narrows_performance::requests::{Change, Order, RequestEvents};
use narrows_performance::stochastic::{Latencies, LatencyError, Stochastic};

use super::solve::{no_chain, set};
use super::{blank, new_figure};
use crate::{Ask, Latency, View};

/// How wide an interval may be.
const ACCURACY: Accuracy<'static> = Accuracy::relative(1e-6);

/// A distribution is drawn with so many points, up to where so few are left.
const POINTS: usize = 100;
const UNDRAWN: f64 = 1e-3;

/// Of what takes longer than is asked about, such a part is not looked at.
const BEYOND: f64 = 1e-9;

/// The requests of a view that was built for a question.
pub(super) struct Followed<'f, 'v> {
    pub(super) ask: &'f Ask,
    pub(super) latency: &'f Latency,
    pub(super) unit: &'f str,
    pub(super) view: &'f Stochastic<'v>,
    /// The events of each kind of request.
    pub(super) kinds: &'f [RequestEvents],
    /// What happens at the start.
    pub(super) initially: Change,
    pub(super) watch: &'f dyn Watch,
}

impl Followed<'_, '_> {
    /// Returns the mean with the distribution, and a figure for each percentile.
    pub(super) fn figures(&self) -> Vec<Figure> {
        let cut = AtomicBool::new(false);
        let progress = Progress { states: self.view.tangible_states().into(), ..Progress::default() };
        let stop = || {
            let is_over = self.watch.check(&progress).is_some();
            cut.fetch_or(is_over, Ordering::Relaxed);
            is_over
        };
        let accuracy = Accuracy { stop: Some(&stop), ..ACCURACY };
        let mut figures = vec![Figure { unit: self.unit.to_owned(), ..blank(self.ask, View::Stochastic) }];
        match self.view.latencies(self.kinds, self.initially) {
            Ok(Latencies::Chain(requests)) => match requests.recurrent() {
                Ok(Some((requests, comes_again))) => {
                    self.fill(&requests, comes_again, accuracy, &mut figures);
                }
                Ok(None) => self.none(self.never(), &mut figures),
                Err(wrong) => figures[0].result = no_chain(&wrong),
            },
            Ok(Latencies::Open(requests)) => self.fill_open(&requests, accuracy, &mut figures),
            Err(LatencyError::NoChain(wrong)) => figures[0].result = no_chain(&wrong),
            Err(wrong) => self.none(format!("There is no latency: {wrong}."), &mut figures),
        }
        if cut.into_inner() {
            let limit = self.watch.check(&progress).unwrap_or(Limit::Time);
            for figure in &mut figures {
                figure.result = FigureResult::Undecided(limit);
                figure.notes.clear();
                figure.curve.clear();
            }
        }
        figures
    }

    /// Says why there is no figure.
    fn none(&self, reason: String, figures: &mut [Figure]) {
        figures[0].result = FigureResult::None(reason);
    }

    fn never(&self) -> String {
        format!("`{}` never begins.", self.latency.from.text)
    }

    fn percentile(&self, percent: f64) -> Figure {
        let name = format!("{}, {percent} %", self.ask.name);
        Figure { unit: self.unit.to_owned(), ..new_figure("percentile", name, View::Stochastic.name()) }
    }

    fn fill(
        &self,
        requests: &Requests,
        comes_again: bool,
        accuracy: Accuracy<'_>,
        figures: &mut Vec<Figure>,
    ) {
        let left = |percent: f64| (1.0 - percent / 100.0) * BEYOND;
        let rest = self.latency.percentiles.iter().copied().map(left).fold(UNDRAWN * BEYOND, f64::min);
        let passage = requests.distribution(rest, accuracy);
        let mut percentiles: Vec<Figure> = Vec::new();
        for percent in &self.latency.percentiles {
            let mut figure = self.percentile(*percent);
            set(&Ok(passage.quantile(percent / 100.0)), &mut figure);
            percentiles.push(figure);
        }
        let figure = &mut figures[0];
        figure.curve = curve(&passage);
        if self.latency.is_percentile {
            if let Some(only) = percentiles.pop() {
                *figure = Figure { curve: std::mem::take(&mut figure.curve), ..only };
            }
            return;
        }
        let mean = requests.mean(accuracy);
        set(&Ok(mean), figure);
        if comes_again && self.latency.order != Order::Next {
            self.add_law(mean, requests, accuracy, figure);
        }
        if !comes_again {
            let note = "Nothing of this happens again and again: each request of a run counts alike.";
            figure.notes.push(note.to_owned());
        }
        figures.extend(percentiles);
    }

    /// Compares a mean with what Little's law says.
    fn add_law(&self, mean: Interval, requests: &Requests, accuracy: Accuracy<'_>, figure: &mut Figure) {
        let little = requests.little(accuracy);
        let law = little.mean();
        if law.low > mean.high || mean.low > law.high {
            figure.notes.push(format!(
                "By Little's law it would be between {} and {}: this is a mistake in narrows.",
                law.low, law.high
            ));
            return;
        }
        figure.notes.push(format!(
            "Little's law agrees: {:.6} requests are open on average, and {:.6} begin per {}.",
            little.open.middle(),
            little.often.middle(),
            self.unit
        ));
    }

    fn fill_open(&self, requests: &OpenRequests, accuracy: Accuracy<'_>, figures: &mut Vec<Figure>) {
        let found = || -> Result<Option<[Interval; 2]>, Zeno> {
            let least = requests.mean_over(Aim::Least, accuracy)?;
            let greatest = requests.mean_over(Aim::Greatest, accuracy)?;
            Ok(least.zip(greatest).map(|(least, greatest)| [least, greatest]))
        };
        let open = "The model leaves choices open, so that times have no single distribution: give the choices weights.";
        if self.latency.is_percentile {
            return self.none(open.to_owned(), figures);
        }
        match found() {
            Ok(None) => self.none(self.never(), figures),
            Ok(Some([least, greatest])) => {
                set(&Ok(Interval { low: least.low, high: greatest.high }), &mut figures[0]);
                let note = "The model leaves choices open: this is the range of the mean over all schedulers, and over all \
                            states in which a request may begin.";
                figures[0].notes.push(note.to_owned());
            }
            Err(zeno) => set(&Err(zeno), &mut figures[0]),
        }
        for percent in &self.latency.percentiles {
            let mut figure = self.percentile(*percent);
            figure.result = FigureResult::None(open.to_owned());
            figures.push(figure);
        }
    }
}

/// Returns points of a distribution.
fn curve(passage: &Passage) -> Vec<CurvePoint> {
    let end = passage.quantile(1.0 - UNDRAWN).high;
    if !end.is_finite() || end <= 0.0 {
        return Vec::new();
    }
    let point = |number: usize| {
        let time = end * number as f64 / POINTS as f64;
        let Interval { low, high } = passage.at(time);
        CurvePoint { time, low, high }
    };
    (0..=POINTS).map(point).collect()
}
