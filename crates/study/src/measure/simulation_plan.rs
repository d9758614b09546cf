//! What a simulation observes to answer some questions.

use std::ops::Range;

use narrows_model::WideVariable;
use narrows_performance::as_f64;
use narrows_performance::requests::RequestEvents;
use narrows_performance::simulation::{
    Channel, Estimate, Gain, Mark, Passage, Quantity, Requests, Simulated,
};

use crate::conditions::meant;
use crate::{Ask, Latency, LatencyKind, Question, ReachKind, Study, Text};

/// A value of states: whether one thing holds, or two at the same time.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Watched<'s> {
    One(&'s Text),
    /// The value of an expression.
    Number(&'s Text),
    Both(&'s Text, &'s Text),
    /// How near a state is to what is rare.
    Level(&'s Text),
}

/// What is observed to answer some questions.
#[derive(Default)]
pub(super) struct Plan<'s> {
    pub(super) values: Vec<Watched<'s>>,
    pub(super) requests: Vec<Requests>,
    pub(super) asked: Vec<Quantity>,
    /// The questions, each with its part of what is asked.
    pub(super) parts: Vec<(usize, Range<usize>)>,
    /// The variables that may grow beyond all bounds.
    pub(super) sizes: Vec<WideVariable>,
    /// The value that is a level.
    pub(super) level: Option<usize>,
    /// Questions about a moment: the number, the value and the time.
    pub(super) moments: Vec<(usize, usize, f64)>,
    /// What is gained.
    pub(super) rewards: Vec<Gain>,
    /// A question about the way to something: the number, where it ends, and what is asked about it.
    pub(super) way: Option<(usize, Mark, Passage)>,
}

/// Finds what the texts of a study mean.
pub(super) trait Names {
    fn event(&self, text: &Text) -> Option<u16>;
}

impl<'s> Plan<'s> {
    pub(super) fn value(&mut self, value: Watched<'s>) -> usize {
        if let Some(place) = self.values.iter().position(|known| *known == value) {
            return place;
        }
        self.values.push(value);
        self.values.len() - 1
    }

    /// Adds a question; kinds are those of its requests.
    pub(super) fn add(
        &mut self,
        study: &'s Study,
        (number, ask): (usize, &'s Ask),
        names: &dyn Names,
        kinds: &[RequestEvents],
    ) {
        let start = self.asked.len();
        let event = |text: &Text| Channel::Event(names.event(text).unwrap_or(u16::MAX));
        match &ask.question {
            Question::Throughput(what) => self.asked.push(event(what).often()),
            Question::MeanPeriod(what) => self.asked.push(Quantity::Ratio(Channel::Time, event(what))),
            Question::MeanCount(of, per) => self.asked.push(Quantity::Ratio(event(of), event(per))),
            Question::Utilisation(what) => {
                let value = self.value(Watched::One(meant_by(study, what)));
                self.asked.push(Channel::Value(value).often());
            }
            Question::Mean(what) => {
                let value = self.value(Watched::Number(what));
                self.asked.push(Channel::Value(value).often());
            }
            Question::Overlap(one, other) => {
                let value = self.value(Watched::Both(meant_by(study, one), meant_by(study, other)));
                self.asked.push(Channel::Value(value).often());
            }
            Question::Transient(what, time) => {
                let value = self.value(Watched::One(meant_by(study, what)));
                self.moments.push((number, value, as_f64(*time)));
                return;
            }
            Question::Reward(of, per) => {
                let gain = Channel::Reward(self.gain(study, of, names));
                self.asked.push(Quantity::Ratio(gain, per.as_ref().map_or(Channel::Time, event)));
            }
            Question::Reach(kind, to) => {
                let what = match kind {
                    ReachKind::Ever => Passage::Ever,
                    ReachKind::Before(time) => Passage::Before(as_f64(*time)),
                    ReachKind::Time => Passage::Time,
                    ReachKind::Reward(of) => Passage::Reward(self.gain(study, of, names)),
                };
                self.way = Some((number, self.mark(to, names), what));
                return;
            }
            Question::MeanDelay(from, to) => {
                let kinds = vec![[self.mark(from, names), self.mark(to, names)]];
                let order = Latency::delay(from, to).order;
                self.follow(Requests { kinds, order }, &[], false);
            }
            Question::Latency(latency) => {
                let kinds = if latency.kind == LatencyKind::Duration {
                    let value = self.value(Watched::One(meant_by(study, &latency.from)));
                    vec![[Mark::Becomes(value, true), Mark::Becomes(value, false)]]
                } else {
                    kinds.iter().map(|kind| [Mark::Event(kind.from), Mark::Event(kind.to)]).collect()
                };
                let requests = Requests { kinds, order: latency.order };
                self.follow(requests, &latency.percentiles, latency.is_percentile);
            }
            _ => return,
        }
        self.parts.push((number, start..self.asked.len()));
    }

    /// Returns where an event happens, or a predicate becomes true.
    fn mark(&mut self, text: &'s Text, names: &dyn Names) -> Mark {
        match names.event(text) {
            Some(event) => Mark::Event(event),
            None => Mark::Becomes(self.value(Watched::One(text)), true),
        }
    }

    /// Adds what is gained; returns its number.
    fn gain(&mut self, study: &'s Study, of: &Text, names: &dyn Names) -> usize {
        let mut gain = Gain::default();
        if let Some(reward) = study.reward(of) {
            let events = reward.events.iter();
            gain.events =
                events.filter_map(|(what, amount)| Some((names.event(what)?, as_f64(*amount)))).collect();
            for (what, amount) in &reward.rates {
                let meant = meant_by(study, what);
                let is_label = study.is_about_labels();
                let value = self.value(if is_label { Watched::One(meant) } else { Watched::Number(meant) });
                gain.values.push((value, as_f64(*amount)));
            }
        }
        self.rewards.push(gain);
        self.rewards.len() - 1
    }

    /// Names what kept growing in a simulation.
    pub(super) fn growing(&self, simulated: &Simulated) -> String {
        let names: Vec<String> =
            simulated.growing.iter().map(|number| format!("`{}`", self.sizes[*number].name)).collect();
        match &names[..] {
            [first, second, third, _, ..] => format!("{first}, {second}, {third} and others"),
            [first @ .., last] if !first.is_empty() => format!("{} and {last}", first.join(", ")),
            _ => names.concat(),
        }
    }

    fn follow(&mut self, requests: Requests, percentiles: &[f64], is_percentile: bool) {
        let number = self.requests.len();
        self.requests.push(requests);
        if !is_percentile {
            self.asked.push(Quantity::Ratio(Channel::Times(number), Channel::Ended(number)));
        }
        self.asked.extend(percentiles.iter().map(|percent| Quantity::Quantile(number, percent / 100.0)));
    }
}

/// Returns what says when a resource is busy; the text itself if there is no such resource.
pub(super) fn meant_by<'s>(study: &'s Study, what: &'s Text) -> &'s Text {
    if study.is_about_labels() { meant(study, what) } else { study.busy(what) }
}

/// Returns the unit of what is asked.
pub(super) fn unit_of(study: &Study, question: &Question) -> String {
    match question {
        Question::Throughput(_) => format!("1/{}", study.unit),
        Question::MeanPeriod(_) | Question::MeanDelay(..) | Question::Latency(_) => study.unit.clone(),
        Question::Reach(ReachKind::Time, _) => study.unit.clone(),
        Question::Reward(of, per) => {
            let gained = study.reward(of).map_or("", |reward| &reward.unit);
            if per.is_some() { gained.to_owned() } else { format!("{gained}/{}", study.unit) }
        }
        Question::Reach(ReachKind::Reward(of), _) => {
            study.reward(of).map_or_else(String::new, |reward| reward.unit.clone())
        }
        _ => String::new(),
    }
}

/// Keeps an interval within what there can be: no time and no number is below 0, and no part above 1.
pub(super) fn within(found: Option<Estimate>, question: &Question) -> Option<Estimate> {
    let most = match question {
        Question::Utilisation(_)
        | Question::Overlap(..)
        | Question::Transient(..)
        | Question::Reach(ReachKind::Ever | ReachKind::Before(_), _) => 1.0,
        _ => f64::INFINITY,
    };
    // An expression may be below 0, and so what it is worth.
    let is_any = matches!(question, Question::Mean(_) | Question::Reward(..))
        || matches!(question, Question::Reach(ReachKind::Reward(_), _));
    let least = if is_any { f64::NEG_INFINITY } else { 0.0 };
    found.map(|one| Estimate { low: one.low.max(least), high: one.high.min(most), ..one })
}

/// Puts questions together that one simulation answers: all but those whose requests are told apart, or about
/// the way to something.
/// With a level, averages have a simulation of their own, in which runs are split.
pub(super) fn groups(asks: &[Ask], has_level: bool) -> Vec<(bool, Vec<usize>)> {
    let is_alone = |number: &usize| match &asks[*number].question {
        Question::Latency(latency) => latency.by.is_some(),
        // A run to something ends there.
        Question::Reach(..) => true,
        _ => false,
    };
    let (alone, together): (Vec<usize>, Vec<usize>) = (0..asks.len()).partition(is_alone);
    let is_split = |number: &usize| {
        let is_average = matches!(
            asks[*number].question,
            Question::Throughput(_)
                | Question::MeanPeriod(_)
                | Question::MeanCount(..)
                | Question::Utilisation(_)
                | Question::Mean(_)
                | Question::Reward(..)
                | Question::Overlap(..)
        );
        has_level && is_average
    };
    let (split, whole): (Vec<usize>, Vec<usize>) = together.into_iter().partition(is_split);
    let groups = [(true, split), (false, whole)].into_iter().filter(|(_, numbers)| !numbers.is_empty());
    groups.chain(alone.into_iter().map(|number| (false, vec![number]))).collect()
}
