//! The first screen of a page: for each event what limits it, how sure that is, what would help, and all
//! variants in one chart.

use narrows_model::decimals::{above, outwards};
use narrows_model::{FigureResult, Flow};

use super::{Analysed, change, ends, of_view, short, word};
use crate::plot::{Range, ranges};
use crate::units;

/// What a study says about an event.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Story {
    pub(crate) event: String,
    /// What limits it.
    pub(crate) bottleneck: String,
    /// How fast it is, in words.
    pub(crate) speed: String,
    /// How sure that is.
    pub(crate) sure: String,
    /// What would help.
    pub(crate) help: Vec<String>,
    unit: String,
    ends: Option<(f64, f64)>,
    mean: Option<(f64, f64)>,
    possible: Option<f64>,
}

/// So many delays are named as what would help.
const HELPS: usize = 2;

/// A change below this is none.
const NOTABLE: f64 = 5e-4;

impl Analysed<'_> {
    /// Tells what there is to say about each event.
    pub(crate) fn stories(&self) -> Vec<Story> {
        self.bottleneck.flows.iter().map(|flow| self.story(flow)).collect()
    }

    fn story(&self, flow: &Flow) -> Story {
        let case = flow.cases.last();
        let is_endless = case.is_none_or(|case| case.is_endless);
        let timed = of_view(&flow.throughput, "timed").and_then(ends).filter(|_| is_endless);
        let mean = of_view(&flow.throughput, "stochastic").and_then(ends).filter(|_| is_endless);
        let worked = case.filter(|case| !case.work.is_empty());
        let possible = worked.map(|case| flow.mean_overlapped.unwrap_or(case.all_overlapped.to_f64()));
        let possible = possible.filter(|value| value.is_finite());
        Story {
            event: flow.event.clone(),
            bottleneck: flow
                .bottleneck
                .as_ref()
                .map_or_else(|| "not known".to_owned(), |names| names.join(" + ")),
            speed: speed(timed, mean, &self.unit_of_rate()),
            sure: self.sure(flow),
            help: help(flow, timed, possible),
            unit: self.unit_of_rate(),
            ends: timed,
            mean,
            possible,
        }
    }

    fn unit_of_rate(&self) -> String {
        format!("1/{}", self.unit)
    }

    /// Says how far what is said about an event can be relied on.
    fn sure(&self, flow: &Flow) -> String {
        let of = |view: &str| of_view(&flow.throughput, view);
        if flow.bottleneck.is_none() {
            let reason = flow.throughput.iter().map(word).find(|reason| !reason.is_empty());
            return reason.unwrap_or_else(|| "undecided: nothing is known about time".to_owned());
        }
        let states = |view: &str| {
            let size = self.figures.sizes.iter().find(|size| size.view == view);
            size.map_or_else(String::new, |size| {
                format!(" of {} states", units::grouped_digits(&size.states))
            })
        };
        if let Some(FigureResult::Value { exact: true, .. }) = of("timed").map(|figure| &figure.result) {
            return format!("proved: exact over all runs{}", states("timed"));
        }
        match of("stochastic").and_then(ends) {
            Some((low, high)) if high - low <= high.abs() * 1e-3 => {
                let off = above(((high - low) / 2.0).max(f64::EPSILON * high.abs()), 1);
                format!("bounded: the mean is known to ± {off}, from a chain{}", states("stochastic"))
            }
            Some(_) => "bounded: the range over all schedulers".to_owned(),
            None => "nothing is known about time".to_owned(),
        }
    }
}

impl Story {
    /// Returns the best throughput that is known.
    pub(crate) fn best(&self) -> f64 {
        self.ends.map(|(_, best)| best).or(self.mean.map(|(_, high)| high)).unwrap_or(0.0)
    }

    /// Returns whether both are about the same event in the same unit.
    pub(crate) fn is_comparable(&self, other: &Story) -> bool {
        self.event == other.event && self.unit == other.unit
    }
}

fn speed(timed: Option<(f64, f64)>, mean: Option<(f64, f64)>, unit: &str) -> String {
    let told = |(low, high): (f64, f64)| match (short(low), short(high)) {
        (low, high) if low == high => low,
        _ => outwards(low, high, 4).join(" to "),
    };
    let timed = timed.map(|ends| format!("{} {unit}", told(ends)));
    let mean = mean.map(|ends| format!("mean {} {unit}", told(ends)));
    timed.into_iter().chain(mean).collect::<Vec<_>>().join(", ")
}

/// Says what would help most: shorter delays, and full overlap.
fn help(flow: &Flow, timed: Option<(f64, f64)>, possible: Option<f64>) -> Vec<String> {
    let gain = |one: &&narrows_model::Sensitivity| one.gain().is_some_and(|gain| gain > NOTABLE);
    let shorter = flow.changes.iter().filter(gain).take(HELPS);
    let mut list: Vec<String> = shorter
        .map(|one| format!("{} cut by 10\u{a0}%: {}", one.delay, unbroken(&change(one.gain()))))
        .collect();
    if let (Some((_, best)), Some(possible)) = (timed, possible)
        && best > 0.0
        && possible > best * (1.0 + NOTABLE)
    {
        list.push(format!("full overlap: {} times as frequent", short(possible / best)));
    }
    list
}

/// Keeps a number and its sign on one line.
fn unbroken(text: &str) -> String {
    text.replace(' ', "\u{a0}")
}

/// Draws all variants, one chart for each unit, the best first.
pub(crate) fn variants(stories: &[(String, Story)]) -> Vec<String> {
    let mut units: Vec<&str> = Vec::new();
    for (_, story) in stories {
        if !units.contains(&story.unit.as_str()) {
            units.push(&story.unit);
        }
    }
    let chart = |unit: &&str| {
        let here: Vec<&(String, Story)> = stories.iter().filter(|(_, story)| story.unit == *unit).collect();
        let is_one_event = here.iter().all(|(_, story)| story.event == here[0].1.event);
        let row = |(name, story): &&(String, Story)| Range {
            name: if is_one_event { name.clone() } else { format!("{name}, {}", story.event) },
            ends: story.ends,
            mean: story.mean.map(|(low, high)| f64::midpoint(low, high)),
            possible: story.possible,
        };
        let mut rows: Vec<Range> = here.iter().map(row).filter(|row| row.best() > 0.0).collect();
        rows.sort_by(|one, other| other.best().total_cmp(&one.best()));
        (rows.len() > 1).then(|| ranges(&format!("Throughput of all variants, {unit}"), &rows))
    };
    units.iter().filter_map(chart).collect()
}
