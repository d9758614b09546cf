//! What limits a design, told as text, as JSON and as a page with charts.

mod article;
mod charts;
mod compare;
mod flows;
mod json;
mod page;
mod runs;
mod story;
mod summary;
mod system;
mod text;

use narrows_model::decimals::{above, below, certain};
use narrows_model::{Bottleneck, Case, Figure, FigureResult, Flow, Link, Number};

use crate::Figures;

pub(crate) use narrows_model::wording::{percent, short};

pub use charts::{Picture, without_style};
pub use compare::{Column, compare};
pub use page::StudyPage;
pub use summary::summary;

/// Everything a report says about a study.
#[derive(Clone, Debug)]
pub struct Analysed<'a> {
    /// The answers to the study's own questions.
    pub figures: Figures<'a>,
    /// The unit of time.
    pub unit: &'a str,
    /// What was found out.
    pub bottleneck: &'a Bottleneck,
}

impl Analysed<'_> {
    /// Returns what a round waits for: the delays, each with its part. A delay that comes more than once is
    /// named with the resource that is busy, or else with the process.
    pub(crate) fn critical(&self, case: &Case) -> Vec<(String, String)> {
        let name = |link: &Link| {
            if case.critical.iter().filter(|other| other.delay == link.delay).count() == 1 {
                return link.delay.clone();
            }
            let resource = link.resources.first().map(|resource| &self.bottleneck.resources[*resource].name);
            format!("{} ({})", link.delay, resource.unwrap_or(&link.process))
        };
        case.critical.iter().map(|link| (name(link), percent(link.part.to_f64()))).collect()
    }

    /// Returns why something was not found out, if a limit was hit.
    pub fn limit(&self) -> Option<&'static str> {
        let bottleneck = self.bottleneck;
        let figures = self.figures.figures.iter();
        let figures = figures.chain(bottleneck.overlaps.iter().flat_map(|overlap| &overlap.answers));
        let figures = figures.chain(bottleneck.flows.iter().flat_map(|flow| &flow.throughput));
        let mut figures = figures.chain(bottleneck.utilisation.iter().flatten());
        figures.find_map(|figure| match figure.result {
            FigureResult::Undecided(limit) => Some(limit.reason()),
            _ => None,
        })
    }
}

/// Something that changes, with its sign, as a percentage.
pub(crate) fn change(part: Option<f64>) -> String {
    match part {
        None => "?".to_owned(),
        // What is rounded to nothing has no sign.
        Some(part) if percent(part.abs()) == percent(0.0) => percent(0.0),
        Some(part) if part < 0.0 => format!("−{}", percent(-part)),
        Some(part) => format!("+{}", percent(part)),
    }
}

/// The least and the greatest value of a figure; `None` if there is none.
pub(crate) fn ends(figure: &Figure) -> Option<(f64, f64)> {
    match figure.result {
        FigureResult::Value { low, high, .. } => Some((low.told_below(), high.told_above())),
        FigureResult::Estimated { low, high, .. } => Some((low, high)),
        _ => None,
    }
}

/// The word that a figure is, or why there is none.
pub(crate) fn word(figure: &Figure) -> String {
    match &figure.result {
        FigureResult::Word(word) => word.clone(),
        FigureResult::Undecided(limit) => format!("undecided: {}", limit.reason()),
        FigureResult::None(reason) => format!("none: {reason}"),
        _ => String::new(),
    }
}

/// The figure of a view.
pub(crate) fn of_view<'f>(figures: &'f [Figure], view: &str) -> Option<&'f Figure> {
    figures.iter().find(|figure| figure.view == view)
}

/// So many digits of throughputs are shown if nothing else is asked for: they are there to be compared.
const LEVEL_DIGITS: usize = 4;

/// A throughput with its name, for a table or a chart.
pub(crate) struct Level {
    pub(crate) name: &'static str,
    pub(crate) value: f64,
    /// The value in digits.
    pub(crate) text: String,
    /// The same in MB/s, if the event carries data.
    pub(crate) bandwidth: Option<String>,
    /// What it means.
    pub(crate) meaning: &'static str,
}

/// How a number between two others is written.
#[derive(Clone, Copy)]
enum Side {
    /// With the digits that are certain.
    Near,
    /// As what it is at least.
    Least,
    /// As what it is at most.
    Most,
}

impl Side {
    fn written(self, low: f64, high: f64, digits: usize) -> String {
        match self {
            Side::Near => certain(low, high, digits),
            Side::Least => below(low, digits),
            Side::Most => above(high, digits),
        }
    }
}

/// The throughputs of an event, from the least that could be to the most.
pub(crate) fn levels(flow: &Flow, digits: Option<usize>) -> Vec<Level> {
    let mut levels = Vec::new();
    let digits = digits.unwrap_or(LEVEL_DIGITS);
    let mut push = |name, side: Side, (low, high): (f64, f64), meaning| {
        let data = |each: f64| side.written((low * each).next_down(), (high * each).next_up(), LEVEL_DIGITS);
        levels.push(Level {
            name,
            value: f64::midpoint(low, high),
            text: side.written(low, high, digits),
            bandwidth: flow.megabytes.map(data),
            meaning,
        });
    };
    let both = |number: Number| (number.to_f64(), number.to_f64());
    let best: Option<&Case> = flow.cases.last();
    // Where no process works, there is nothing to overlap.
    let worked = best.filter(|case| !case.work.is_empty());
    if let Some(case) = worked {
        // With the delays of the best case.
        let meaning =
            if flow.cases.len() > 1 { "one after the other, at best" } else { "one after the other" };
        push("nothing overlapped", Side::Near, both(case.none_overlapped), meaning);
    }
    if best.is_some_and(|case| !case.is_endless) {
        for case in &flow.cases {
            let name = if case.name == "worst" { "longest run" } else { "shortest run" };
            push(name, Side::Near, both(case.throughput), "exact, from beginning to end");
        }
    } else if let Some((low, high)) = of_view(&flow.throughput, "timed").and_then(ends) {
        if (high - low).abs() <= high.abs() * 1e-12 {
            push("worst and best", Side::Near, (low, low), "exact, with the delays as they are");
        } else {
            push("worst", Side::Least, (low, low), "exact, over all runs");
            push("best", Side::Most, (high, high), "exact, over all runs");
        }
    }
    let mean = of_view(&flow.throughput, "stochastic").and_then(ends);
    if let Some((low, high)) = mean.filter(|_| best.is_none_or(|case| case.is_endless)) {
        if (high - low) <= high.abs() * 1e-3 {
            push("mean", Side::Near, (low, high), "every delay random, with its mean");
        } else {
            push("mean, at least", Side::Least, (low, low), "every delay random, choices at worst");
            push("mean, at most", Side::Most, (high, high), "every delay random, choices at best");
        }
    }
    if let Some(case) = worked {
        let (possible, meaning) = match flow.mean_overlapped {
            Some(possible) => ((possible, possible), "the busiest process never waits, on average"),
            None => (both(case.all_overlapped), "the busiest process never waits"),
        };
        push("all overlapped", Side::Near, possible, meaning);
    }
    levels
}
