//! What needs observers beside the graph of a labelled model: how long conditions hold, which of them hold
//! together, and how long requests take.

use narrows_model::{Figure, FigureResult};
use narrows_performance::actions::{Actions, Condition};
use narrows_performance::markov::Interval;
use narrows_performance::stochastic::{self, Stochastic};
use narrows_performance::timed::{Edge, Timed};
use narrows_performance::{BuildError, Fine, Predicate, StateGraph, as_f64};

use super::actions::{Actual, Known, Sizes, add_size};
use super::latency::Followed;
use super::reach::Way;
use super::solve::{Gain, Gains, Solvable, no_chain, set};
use super::stochastic::{changes_while_waiting, undecided_if_cut};
use super::timed::ModelFacts;
use super::{blank, new_figure};
use crate::bottleneck::largest;
use crate::conditions::meant;
use crate::{Ask, Latency, LatencyKind, Question, ReachKind, RewardEntry, Text, View};

/// What is known of resources in a view.
pub(crate) struct Together {
    /// What is said of each pair, by their numbers.
    pub(crate) pairs: Vec<(usize, usize, Figure)>,
    /// The largest sets that are busy at the same time.
    pub(crate) sets: Vec<Vec<usize>>,
}

impl Actual<'_> {
    /// Returns the condition that a question is about.
    pub(super) fn condition(&self, question: &Question) -> Option<Condition> {
        match question {
            Question::Utilisation(what) | Question::Transient(what, _) => {
                self.model.conditions.get(meant(self.study, what)).cloned()
            }
            Question::Latency(latency) if latency.kind == LatencyKind::Duration => {
                self.model.conditions.get(meant(self.study, &latency.from)).cloned()
            }
            _ => None,
        }
    }

    /// Answers a question about how long or how likely a condition holds.
    pub(super) fn mean(&self, ask: &Ask, sizes: &mut Sizes) -> Figure {
        let mut figure = blank(ask, View::Stochastic);
        // What is not asked about may happen again and again while the model waits.
        let timing = match self.timing(View::Stochastic, &[]) {
            Ok(timing) => timing,
            Err(refusal) => {
                figure.result = refusal.into();
                return figure;
            }
        };
        let mut actions = Actions::new(self.graph);
        if let Some(condition) = self.condition(&ask.question) {
            actions = actions.observing(&[condition]);
        }
        let rows = StateGraph::new(&actions, None, &timing, self.budget.clone());
        let view = match rows.and_then(stochastic::build) {
            Ok(view) => view,
            Err(error) => {
                Known { asked: self, actions: &actions }.say(&error, &mut figure);
                return figure;
            }
        };
        match Solvable::new(view, &self.budget.watch) {
            Ok(solvable) => {
                fill_mean((&actions, 0), &solvable, &ask.question, &mut figure);
                undecided_if_cut(&solvable, &mut figure);
                let view = &solvable.view;
                let states = u64::from(view.tangible_states()) + u64::from(view.decisions());
                let size = (states, view.transition_count());
                add_size(sizes, View::Stochastic, size, solvable.minimised());
            }
            Err(wrong) => figure.result = no_chain(&wrong),
        }
        figure
    }

    /// Says how much of a reward is gained, or what is asked about the way to an action.
    pub(super) fn gained(&self, ask: &Ask, sizes: &mut Sizes) -> Figure {
        let mut figure = blank(ask, View::Stochastic);
        let (of, other) = match &ask.question {
            Question::Reward(of, per) => (Some(of), per.as_ref()),
            Question::Reach(ReachKind::Reward(of), to) => (Some(of), Some(to)),
            Question::Reach(_, to) => (None, Some(to)),
            _ => return figure,
        };
        let nothing = RewardEntry::default();
        let reward = of.and_then(|of| self.study.reward(of)).unwrap_or(&nothing);
        let events = reward.events.iter();
        let events = events.filter_map(|(what, amount)| Some((self.model.event(what)?, as_f64(*amount))));
        let events: Vec<(u16, f64)> = events.collect();
        let other = other.and_then(|other| self.model.event(other));
        let timing = match self.timing(View::Stochastic, &self.model.named_events()) {
            Ok(timing) => timing,
            Err(refusal) => return Figure { result: refusal.into(), ..figure },
        };
        // What is not asked about may happen again and again while the model waits.
        let counted: Vec<u16> = events.iter().map(|(event, _)| *event).chain(other).collect();
        let timing = timing.counting(&counted);
        let condition = |what: &Text| self.model.conditions.get(meant(self.study, what)).cloned();
        let conditions: Vec<Condition> =
            reward.rates.iter().filter_map(|(what, _)| condition(what)).collect();
        let actions = Actions::new(self.graph).observing(&conditions);
        let rows = StateGraph::new(&actions, None, &timing, self.budget.clone());
        let view = match rows.and_then(stochastic::build) {
            Ok(view) => view,
            Err(error) => {
                Known { asked: self, actions: &actions }.say(&error, &mut figure);
                return figure;
            }
        };
        let states = u64::from(view.tangible_states()) + u64::from(view.decisions());
        let size = (states, view.transition_count());
        let mut rates = vec![Fine::ZERO; view.tangible_states() as usize];
        for (number, (what, amount)) in reward.rates.iter().enumerate() {
            let Some(held) = held(&actions, number, &view, &what.text, &mut figure) else { return figure };
            let amount = Fine::of(*amount);
            let gained = |held: f64| if held > 0.0 { amount } else { Fine::ZERO };
            rates.iter_mut().zip(held).for_each(|(sum, held)| *sum = sum.plus(gained(held)));
        }
        let rates = rates.into_iter().map(Fine::near).collect();
        let gains = Gains { rates, events };
        reward.unit.clone_into(&mut figure.unit);
        match (&ask.question, other) {
            (Question::Reach(kind, _), Some(event)) => {
                let watch = &*self.budget.watch;
                Way { view: &view, event, is_there: false, gains, watch }.fill(kind, self.study, &mut figure);
                add_size(sizes, View::Stochastic, size, None);
            }
            (Question::Reward(_, per), _) => match Solvable::new(view, &self.budget.watch) {
                Ok(solvable) => {
                    match (per, other) {
                        (None, _) => {
                            figure.unit = format!("{}/{}", reward.unit, self.study.unit);
                            set(&solvable.average(Gain::Sum(gains), &mut figure), &mut figure);
                        }
                        (_, Some(event)) => solvable.per(Gain::Sum(gains), event, &mut figure),
                        _ => {}
                    }
                    undecided_if_cut(&solvable, &mut figure);
                    add_size(sizes, View::Stochastic, size, solvable.minimised());
                }
                Err(wrong) => figure.result = no_chain(&wrong),
            },
            _ => {}
        }
        figure
    }

    /// Says how long requests take.
    pub(super) fn latency(&self, ask: &Ask, latency: &Latency, sizes: &mut Sizes) -> Vec<Figure> {
        let mut figure = blank(ask, View::Stochastic);
        let (timing, kinds) = match self.requests(View::Stochastic, latency) {
            Ok(found) => found,
            Err(refusal) => return vec![Figure { result: refusal.into(), ..figure }],
        };
        let events: Vec<u16> = kinds.iter().flat_map(|ends| [ends.from, ends.to]).collect();
        let timing = timing.counting(&events);
        let conditions: Vec<Condition> = self.condition(&ask.question).into_iter().collect();
        let actions = &Actions::new(self.graph).observing(&conditions);
        let build = || -> Result<_, BuildError> {
            let mut rows = StateGraph::new(actions, None, &timing, self.budget.clone())?;
            if !conditions.is_empty() {
                let (held, ended) =
                    (|state: &[u8]| actions.holds(0, state), |state: &[u8]| !actions.holds(0, state));
                let (held, ended): (Predicate<'_>, Predicate<'_>) =
                    (Box::new(move |state| Ok(held(state))), Box::new(move |state| Ok(ended(state))));
                rows = rows.marking([Some(held), Some(ended)], kinds[0]);
            }
            let initially = rows.marked_initially()?;
            Ok((stochastic::build_ordered(rows, &kinds)?, initially))
        };
        match build() {
            Ok((view, initially)) => {
                let states = u64::from(view.tangible_states()) + u64::from(view.decisions());
                add_size(sizes, View::Stochastic, (states, view.transition_count()), None);
                let (unit, watch) = (&self.study.unit, &*self.budget.watch);
                let (view, kinds, first_kind) = (&view, kinds.as_slice(), 0);
                Followed { ask, latency, unit, view, kinds, first_kind, initially, watch }.figures()
            }
            Err(error) => {
                Known { asked: self, actions }.say(&error, &mut figure);
                vec![figure]
            }
        }
    }

    /// Says of each pair of some resources, given by their numbers, whether they overlap in the untimed or
    /// the timed view. The error says why there is no view.
    pub(super) fn overlaps(
        &self,
        resources: &[usize],
        view: View,
        sizes: &mut Sizes,
    ) -> Result<Together, Box<Figure>> {
        let name = |number: usize| self.study.resources[number].0.text.as_str();
        let blank = |name: String| new_figure("overlap", name, view.name());
        let no_view = |result: FigureResult| {
            let names: Vec<&str> = resources.iter().map(|number| name(*number)).collect();
            Box::new(Figure { result, ..blank(names.join(" and ")) })
        };
        let texts = resources.iter().map(|number| &self.study.resources[*number].1);
        let conditions: Vec<Condition> =
            texts.filter_map(|text| self.model.conditions.get(meant(self.study, text)).cloned()).collect();
        let timing = self.timing(view, &[]).map_err(|refusal| no_view(refusal.into()))?;
        let actions = Actions::new(self.graph).observing(&conditions);
        let known = Known { asked: self, actions: &actions };
        let timed = match self.build(&actions, &timing, view) {
            Ok(Ok(timed)) => timed,
            Ok(Err(error)) => {
                let mut figure = no_view(FigureResult::None(String::new()));
                known.say(&error, &mut figure);
                return Err(figure);
            }
            Err(refusal) => return Err(no_view(refusal.into())),
        };
        add_size(sizes, view, (u64::from(timed.nodes()), timed.edge_count()), None);
        let busy = busy(&timed, &actions, resources);
        let mut pairs = Vec::new();
        for (place, first) in resources.iter().enumerate() {
            for second in &resources[place + 1..] {
                let mut figure = blank(format!("{} and {}", name(*first), name(*second)));
                self.pair(&known, &timed, &busy, 1 << *first | 1 << *second, view, &mut figure);
                pairs.push((*first, *second, figure));
            }
        }
        let lasts =
            |node: &u32| view == View::Untimed || timed.edges(*node).iter().any(|edge| edge.ticks > 0);
        let nodes = (0..timed.nodes()).filter(lasts);
        let sets = largest(nodes.map(|node| busy[timed.state(node) as usize]));
        Ok(Together { pairs, sets })
    }

    /// Says whether a pair is busy at the same time, for some time if there are delays.
    fn pair(
        &self,
        known: &Known<'_>,
        timed: &Timed<'_>,
        busy: &[u64],
        pair: u64,
        view: View,
        figure: &mut Figure,
    ) {
        let are_busy = |node: u32| busy[timed.state(node) as usize] & pair == pair;
        let is_untimed = view == View::Untimed;
        let is_meant = |node: u32, edge: &Edge| {
            if is_untimed { are_busy(edge.target) } else { edge.ticks > 0 && are_busy(node) }
        };
        let (unit, states) = (&self.study.unit, timed.nodes());
        let mut show = |what: &str, walk| {
            figure.witnesses.extend(known.trace(timed, walk, unit).map(|trace| (what.to_owned(), trace)));
        };
        let word = match (timed.reaching(is_meant), timed.avoiding(is_meant)) {
            _ if is_untimed && are_busy(0) => "inevitable",
            (None, _) => "never",
            (Some(meets), avoids) => {
                show("a run to where both are busy", &meets);
                match avoids {
                    None => "inevitable",
                    Some(avoids) => {
                        show("a run on which they are never busy at the same time", &avoids);
                        "possible"
                    }
                }
            }
        };
        if word == "never" {
            figure.notes.push(if is_untimed {
                format!("None of {states} states has both busy.")
            } else {
                format!("In none of {states} timed states both are busy for some time.")
            });
        }
        figure.result = FigureResult::Word(word.to_owned());
    }
}

/// Returns which resources are busy in each state, one bit each.
fn busy(timed: &Timed<'_>, actions: &Actions<'_>, resources: &[usize]) -> Vec<u64> {
    let rows = timed.state_graph();
    let set = |state: u32| {
        let bytes = rows.state(state);
        let bit = |(place, number): (usize, &usize)| u64::from(actions.holds(place, &bytes)) << *number;
        resources.iter().enumerate().map(bit).fold(0, |set, bit| set | bit)
    };
    (0..rows.states()).map(set).collect()
}

/// Returns 1 for each rest in which a condition holds, given by its number, and 0 for others; `None` if that
/// is not clear.
fn held(
    actions: &Actions<'_>,
    number: usize,
    view: &Stochastic<'_>,
    text: &str,
    figure: &mut Figure,
) -> Option<Vec<f64>> {
    let holds = |state: &u32| actions.holds(number, &view.state_graph().state(*state));
    let mut rates = Vec::with_capacity(view.tangible_states() as usize);
    for rest in 0..view.tangible_states() {
        let states = view.states(rest);
        let value = holds(&states[0]);
        if states.iter().any(|state| holds(state) != value) {
            figure.result = changes_while_waiting(text);
            return None;
        }
        rates.push(f64::from(u8::from(value)));
    }
    Some(rates)
}

/// Says how long or how likely a condition holds, given its number.
pub(super) fn fill_mean(
    (actions, number): (&Actions<'_>, usize),
    solvable: &Solvable<'_>,
    question: &Question,
    figure: &mut Figure,
) {
    match question {
        Question::Utilisation(what) => {
            let Some(rates) = held(actions, number, &solvable.view, &what.text, figure) else { return };
            let found = solvable.average(Gain::State(rates), figure);
            set(&found.map(|found| found.and(Interval { low: 0.0, high: 1.0 })), figure);
        }
        Question::Transient(what, time) => {
            let Some(rates) = held(actions, number, &solvable.view, &what.text, figure) else { return };
            set(&solvable.transient(rates, *time, figure), figure);
        }
        _ => {}
    }
}
