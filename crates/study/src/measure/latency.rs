//! How long requests take on average, and within which time so many of them are over.

use std::sync::atomic::{AtomicBool, Ordering};

use narrows_explicit::{Progress, Watch};
use narrows_model::{CurvePoint, Figure, FigureResult, Limit};
use narrows_performance::markov::{Accuracy, Aim, Interval, OpenRequests, Passage, Requests, Zeno};
use narrows_performance::requests::{Change, Order, RequestEvents};
use narrows_performance::stochastic::{Latencies, LatencyError, Stochastic};

use super::solve::{no_chain, range_of, set, told};
use super::{blank, new_figure};
use crate::{Ask, Latency, LatencyKind, View};

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
    /// The number of the first of them among those that the view was built for.
    pub(super) first_kind: u32,
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
        match self.latencies(false) {
            Ok(Latencies::Chain(requests)) => match requests.recurrent() {
                Ok(Some((requests, comes_again))) => {
                    self.fill(&requests, comes_again, accuracy, &mut figures);
                }
                Ok(None) => figures[0].result = self.never(),
                Err(wrong) => figures[0].result = no_chain(&wrong),
            },
            Ok(Latencies::Open(requests)) => self.fill_open(&requests, accuracy, &mut figures),
            Err(LatencyError::NoChain(wrong)) => figures[0].result = no_chain(&wrong),
            Err(wrong) => figures[0].result = FigureResult::None(format!("There is no latency: {wrong}.")),
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

    fn latencies(&self, is_even: bool) -> Result<Latencies, LatencyError> {
        self.view.latencies_from(self.first_kind, self.kinds, self.initially, is_even)
    }

    /// Says that nothing begins.
    fn never(&self) -> FigureResult {
        let from = &self.latency.from.text;
        FigureResult::None(format!("`{from}` never begins, so that there is nothing to measure."))
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
        let figure = &mut figures[0];
        if !self.latency.is_percentile {
            let mean = requests.mean(accuracy);
            set(&Ok(mean), figure);
            if comes_again && self.latency.order != Order::Next {
                self.add_law(mean, requests, accuracy, figure);
            }
            if !comes_again && self.latency.kind != LatencyKind::Delay {
                let note = "Nothing of this happens again and again: each that begins in a run counts alike.";
                figure.notes.push(note.to_owned());
            }
        }
        if self.latency.kind == LatencyKind::Delay {
            return;
        }
        let left = |percent: f64| (1.0 - percent / 100.0) * BEYOND;
        let rest = self.latency.percentiles.iter().copied().map(left).fold(UNDRAWN * BEYOND, f64::min);
        let passage = requests.distribution(rest, accuracy);
        figure.curve = curve(&passage);
        for percent in &self.latency.percentiles {
            let mut figure = self.percentile(*percent);
            set(&Ok(passage.quantile(percent / 100.0)), &mut figure);
            figures.push(figure);
        }
        if self.latency.is_percentile
            && let Some(only) = figures.pop()
        {
            figures[0] = Figure { curve: std::mem::take(&mut figures[0].curve), ..only };
        }
    }

    /// Compares a mean with what Little's law says.
    fn add_law(&self, mean: Interval, requests: &Requests, accuracy: Accuracy<'_>, figure: &mut Figure) {
        let little = requests.little(accuracy);
        let law = little.mean();
        if law.low > mean.high || mean.low > law.high {
            figure
                .notes
                .push(format!("By Little's law it would be {}: this is a bug in narrows.", told(law)));
            return;
        }
        figure.notes.push(format!(
            "Little's law agrees: {} requests are open on average, and {} begin per {}.",
            told(little.open),
            told(little.often),
            self.unit
        ));
    }

    fn fill_open(&self, requests: &OpenRequests, accuracy: Accuracy<'_>, figures: &mut Vec<Figure>) {
        let found = || -> Result<Option<[Interval; 2]>, Zeno> {
            let least = requests.mean_over(Aim::Least, accuracy)?;
            let greatest = requests.mean_over(Aim::Greatest, accuracy)?;
            Ok(least.zip(greatest).map(|(least, greatest)| [least, greatest]))
        };
        let open = "The model leaves choices open, so that times have no single distribution: give the \
                    choices weights.";
        if self.latency.is_percentile {
            figures[0].result = FigureResult::None(open.to_owned());
            return;
        }
        match found() {
            Ok(None) => figures[0].result = self.never(),
            Ok(Some([least, greatest])) => {
                set(&Ok(Interval { low: least.low, high: greatest.high }), &mut figures[0]);
                figures[0].range = Some(range_of(least, greatest));
                let even = match self.latencies(true) {
                    Ok(Latencies::Chain(requests)) => requests.recurrent().ok().flatten(),
                    _ => None,
                };
                let even = even.map_or(Interval::ANY, |(requests, _)| requests.mean(accuracy));
                let even = told(even);
                figures[0].notes.push(format!(
                    "The model leaves choices open: this is the range of the mean over all schedulers and \
                     over all states in which it may begin again and again; with all choices equally likely \
                     it is {even}."
                ));
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

/// Returns points of a distribution, at times with few digits: they stand beside them.
fn curve(passage: &Passage) -> Vec<CurvePoint> {
    let end = passage.quantile(1.0 - UNDRAWN).high;
    if !end.is_finite() || end <= 0.0 {
        return Vec::new();
    }
    let rough = end / POINTS as f64;
    let exponent = rough.log10().floor() as i32;
    let power = 10.0_f64.powi(exponent.abs());
    // Dividing by a power of ten gives the number that its decimal stands for.
    let step = |factor: f64| if exponent < 0 { factor / power } else { factor * power };
    let factor = STEPS.into_iter().find(|factor| step(*factor) >= rough).unwrap_or(10.0);
    let last = (end / step(factor)).ceil().min(POINTS as f64) as usize;
    let point = |number: usize| {
        let time = step(factor * number as f64);
        let Interval { low, high } = passage.at(time);
        CurvePoint { time, low, high }
    };
    (0..=last).map(point).collect()
}

/// Steps between the times of a distribution, up to a power of ten.
const STEPS: [f64; 4] = [1.0, 2.0, 2.5, 5.0];
