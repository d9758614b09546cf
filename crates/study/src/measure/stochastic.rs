//! Means: questions about the long run, where every delay is random.

use std::collections::{BTreeSet, HashMap};

use narrows_explicit::{Budget, Engine};
use narrows_model::decimals::{certain_percent, told_above, told_below};
use narrows_model::wording::percent;
use narrows_model::{CurvePoint, Figure, FigureResult, FormKind, ViewSize};
use narrows_performance::markov::Interval;
use narrows_performance::requests::{Order, RequestEvents};
use narrows_performance::{
    Fine, Predicate, StateGraph, StepEffect, Timing, Urgency, ValueCache, as_f64, stochastic,
};

use super::equal_parts::{Counting, Equal, either};
use super::failure::{Failure, is_cut, result_of};
use super::latency::Followed;
use super::reach::Way;
use super::solve::{Gain, Gains, Solvable, Wanted, no_chain, set};
use super::together::Shared;
use super::{blank, new_figure};
use crate::accepts::views;
use crate::request_values::ValueEvents;
use crate::{Ask, Latency, LatencyKind, ProcessStudy, Question, ReachKind, Study, Text, View};

/// With more states than this, equal parts count once if choices are left open.
const FEW_WITH_CHOICES: u32 = 1 << 12;

/// The stochastic view of a model, built when it is needed.
pub(crate) struct Means<'a, 's> {
    pub(super) study: &'a Study,
    pub(super) prepared: &'a ProcessStudy,
    pub(super) engine: &'a Engine<'s>,
    pub(super) budget: Budget,
    built: Option<Result<Solvable<'a>, Failure>>,
    /// How many seconds that took.
    seconds: f64,
    /// How large a view is in which requests were followed.
    pub(super) followed: Option<ViewSize>,
    /// The view in which requests of several questions are followed.
    pub(super) shared: Option<Result<Shared<'a>, Failure>>,
    pub(super) equal: Equal<'a>,
}

impl<'a, 's> Means<'a, 's> {
    pub(crate) fn new(
        study: &'a Study,
        prepared: &'a ProcessStudy,
        engine: &'a Engine<'s>,
        budget: Budget,
        equal: Equal<'a>,
    ) -> Means<'a, 's> {
        let (built, seconds, followed, shared) = (None, 0.0, None, None);
        Means { study, prepared, engine, budget, built, seconds, followed, shared, equal }
    }

    pub(crate) fn size(&self) -> Option<ViewSize> {
        let Some(built) = &self.built else { return self.followed.clone() };
        let solvable = built.as_ref().ok()?;
        Some(ViewSize { minimised: solvable.minimised(), ..size_of(&solvable.view, self.seconds) })
    }

    /// Returns the mean throughput of an event with other delays; `None` if there is none.
    pub(crate) fn throughput_with(&self, timing: &Timing, event: u16) -> Option<f64> {
        let solvable = self.build(timing).ok()?;
        let mut figure = new_figure("throughput", String::new(), View::Stochastic.name());
        let found = solvable.average(Gain::Event(event), &mut figure).ok()?;
        solvable.take_cut().is_none().then(|| found.middle())
    }

    fn build<'t>(&self, timing: &'t Timing) -> Result<Solvable<'t>, Failure>
    where
        'a: 't,
    {
        let evaluator = self.engine.evaluator();
        let build = |counting, budget| {
            let model = (&self.prepared.system, timing);
            stochastic::build(self.equal.rows((counting, self.engine), model, budget)?)
        };
        let view = either(self.equal.quotient, &self.budget, build);
        let mut view = view.map_err(|error| Box::new(result_of(&error, evaluator)))?;
        // Choices that are left open can't be lumped: schedulers have to be found for all states.
        if let Some(quotient) = self.equal.quotient
            && view.decisions() > 0
            && view.tangible_states() > FEW_WITH_CHOICES
            && !view.state_graph().is_of_orbits()
            && let Ok(once) = build(Counting::Once(quotient), self.budget.clone())
        {
            view = once;
        }
        Solvable::new(view, &self.budget.watch).map_err(|wrong| Box::new((no_chain(&wrong), None)))
    }

    /// Forgets a view that was cut short, so that it is tried again.
    pub(crate) fn forget_cut(&mut self) {
        if matches!(&self.built, Some(Err(failure)) if is_cut(failure)) {
            self.built = None;
        }
        if matches!(&self.shared, Some(Err(failure)) if is_cut(failure)) {
            self.shared = None;
        }
    }

    fn build_once(&mut self) {
        if self.built.is_none() {
            let before = self.budget.watch.seconds();
            let mut built = self.build(&self.prepared.timing);
            self.seconds = self.budget.watch.seconds() - before;
            if let Ok(solvable) = &mut built {
                self.solve_together(solvable);
            }
            self.built = Some(built);
        }
    }

    /// Says how long requests take.
    pub(crate) fn latency(&mut self, ask: &Ask, latency: &Latency) -> Vec<Figure> {
        if let Some(figures) = self.latency_together(ask, latency) {
            return figures;
        }
        let (timing, kinds, values) = self.prepared.requests(latency);
        let mut events: Vec<u16> = kinds.iter().flat_map(|ends| [ends.from, ends.to]).collect();
        events.extend(values.iter().flat_map(ValueEvents::counted));
        let counted = timing.counting(&events);
        let before = self.budget.watch.seconds();
        let evaluator = self.engine.evaluator();
        // Requests of equal processes take the same time: those of one are enough.
        let one = self.equal.one_of_all(values.as_ref(), self.prepared);
        let of_one =
            one.map_or_else(|| counted.clone(), |one| timing.counting(&values_of(values.as_ref(), one)));
        let own = one.and_then(|_| self.equal.symmetry(self.prepared, &of_one));
        let quotient = own.as_ref().map(|own| self.equal.quotient_of(own, self.engine));
        let quotient = if values.is_some() { quotient.as_ref() } else { self.equal.quotient };
        let built = either(quotient, &self.budget, |counting, budget| {
            let is_once = matches!(counting, Counting::Once(_));
            let counted = if is_once { &of_one } else { &counted };
            let kinds = match one.filter(|_| is_once) {
                Some(one) => &kinds[usize::from(one)..=usize::from(one)],
                None => &kinds[..],
            };
            let model = (&self.prepared.system, counted);
            let mut rows = self.equal.rows((counting, self.engine), model, budget)?;
            let predicate = |text: &Text, is: bool| -> Option<Predicate<'_>> {
                let expr = self.prepared.predicate(text)?;
                Some(Box::new(move |state| evaluator.holds(expr, state).map(|holds| holds == is)))
            };
            if let Some(values) = &values {
                rows = rows.renaming(values.rename(evaluator));
            }
            match latency.kind {
                LatencyKind::Duration => {
                    let what = self.study.busy(&latency.from);
                    rows = rows.marking([predicate(what, true), predicate(what, false)], kinds[0]);
                }
                LatencyKind::Delay => {
                    let end = |text: &Text| {
                        if self.prepared.event(text).is_some() { None } else { predicate(text, true) }
                    };
                    rows = rows.marking([end(&latency.from), end(&latency.to)], kinds[0]);
                }
                LatencyKind::Latency | LatencyKind::Period => {}
            }
            let initially = rows.marked_initially()?;
            Ok((stochastic::build_ordered(rows, kinds)?, initially, kinds.to_vec()))
        });
        let told = |values: &ValueEvents| values.why_not(latency.by.as_ref()?);
        match built {
            Ok((view, initially, kinds)) => {
                if let Some(reason) = values.as_ref().and_then(told) {
                    return vec![Figure {
                        result: FigureResult::None(reason),
                        ..blank(ask, View::Stochastic)
                    }];
                }
                self.followed = Some(size_of(&view, self.budget.watch.seconds() - before));
                let (unit, watch) = (&self.study.unit, &*self.budget.watch);
                let (view, kinds, first_kind) = (&view, kinds.as_slice(), 0);
                Followed { ask, latency, unit, view, kinds, first_kind, initially, watch }.figures()
            }
            Err(error) => {
                let (result, witness) = result_of(&error, evaluator);
                let witnesses = witness.into_iter().collect();
                vec![Figure { result, witnesses, ..blank(ask, View::Stochastic) }]
            }
        }
    }

    /// Says for each shared variable how long processes wait for misses on it, the longest first.
    pub(crate) fn miss_times(&mut self, ask: &Ask, event: &Text) -> Vec<Figure> {
        self.build_once();
        let mut figure = blank(ask, View::Stochastic);
        let (Some(Ok(solvable)), Some(event)) = (&self.built, self.prepared.event(event)) else {
            if let Some(Err(failure)) = &self.built {
                figure.result = failure.0.clone();
                figure.witnesses.extend(failure.1.clone());
            }
            return vec![figure];
        };
        let per = solvable.average(Gain::Event(event), &mut figure);
        let mut list: Vec<(f64, Figure)> = Vec::new();
        for (variable, events) in &self.prepared.costs {
            let mut figure = blank(ask, View::Stochastic);
            variable.clone_into(&mut figure.name);
            self.study.unit.clone_into(&mut figure.unit);
            let time =
                solvable.average(Gain::Sum(Gains { rates: Vec::new(), events: events.clone() }), &mut figure);
            let found = time.and_then(|time| per.clone().map(|per| time.over(per)));
            let middle = found.as_ref().map_or(0.0, Interval::middle);
            set(&found, &mut figure);
            undecided_if_cut(solvable, &mut figure);
            list.push((middle, figure));
        }
        if list.is_empty() {
            figure.result = FigureResult::None("The study puts no caches under the model.".to_owned());
            return vec![figure];
        }
        list.sort_by(|one, other| other.0.total_cmp(&one.0));
        let all: f64 = list.iter().map(|(time, _)| time).sum();
        let share = |(time, mut figure): (f64, Figure)| {
            if all > 0.0 {
                figure.notes.push(format!("{} of all waiting for misses.", percent(time / all)));
            }
            figure
        };
        list.into_iter().map(share).collect()
    }

    /// Says what an expression is on average, with its variance and the distribution of its values.
    pub(crate) fn mean(&mut self, ask: &Ask, what: &Text) -> Vec<Figure> {
        self.build_once();
        let mut figure = blank(ask, View::Stochastic);
        let Some(Ok(solvable)) = &self.built else { return vec![self.answer(ask)] };
        let Some(values) = self.values(&solvable.view, what, &mut figure) else { return vec![figure] };
        let mean = solvable.average(Gain::State(values.clone()), &mut figure);
        set(&mean, &mut figure);
        let spread = mean.ok().and_then(|mean| solvable.spread(&values, mean));
        let mut figures = vec![figure];
        if let Some((parts, variance)) = spread {
            let mut second = new_figure("variance", ask.name.clone(), View::Stochastic.name());
            set(&Ok(variance), &mut second);
            figures[0].notes.push(parts_text(&parts));
            figures[0].curve = cumulated(&parts);
            figures.push(second);
        }
        if let Some(limit) = solvable.take_cut() {
            let blank = blank(ask, View::Stochastic);
            return vec![Figure { result: FigureResult::Undecided(limit), ..blank }];
        }
        figures
    }

    /// Says what is asked about the way to something: in a view of its own, if that is a predicate.
    fn reach(&mut self, ask: &Ask, kind: &ReachKind, to: &Text) -> Figure {
        let mut figure = blank(ask, View::Stochastic);
        if let Some(event) = self.prepared.event(to) {
            self.build_once();
            match &self.built {
                Some(Ok(solvable)) => self.fill_reach(&solvable.view, (event, false), kind, &mut figure),
                Some(Err(failure)) => {
                    figure.result = failure.0.clone();
                    figure.witnesses.extend(failure.1.clone());
                }
                None => {}
            }
            return figure;
        }
        let before = self.budget.watch.seconds();
        let evaluator = self.engine.evaluator();
        let next = self.prepared.timing.events().len() as u16;
        let ends = RequestEvents { from: next, to: next + 1, both: next + 2, order: Order::Next };
        let timing = &self.prepared.timing;
        let built = either(self.equal.quotient, &self.budget, |counting, budget| {
            let model = (&self.prepared.system, timing);
            let rows = self.equal.rows((counting, self.engine), model, budget)?;
            let predicate = self
                .prepared
                .predicate(to)
                .map(|expr| -> Predicate<'_> { Box::new(move |state| evaluator.holds(expr, state)) });
            let rows = rows.marking([None, predicate], ends);
            let is_there = rows.marked_initially()?.end > 0;
            Ok((stochastic::build(rows)?, is_there))
        });
        match built {
            Ok((view, is_there)) => {
                self.fill_reach(&view, (ends.to, is_there), kind, &mut figure);
                self.followed = Some(size_of(&view, self.budget.watch.seconds() - before));
            }
            Err(error) => {
                let (result, witness) = result_of(&error, evaluator);
                figure.result = result;
                figure.witnesses.extend(witness);
            }
        }
        figure
    }

    fn fill_reach(
        &self,
        view: &stochastic::Stochastic<'_>,
        (event, is_there): (u16, bool),
        kind: &ReachKind,
        figure: &mut Figure,
    ) {
        let gains = match kind {
            ReachKind::Reward(of) => self.gains(view, of, figure),
            _ => Some(Gains::default()),
        };
        let Some(gains) = gains else { return };
        Way { view, event, is_there, gains, watch: &*self.budget.watch }.fill(kind, self.study, figure);
    }

    /// Returns how much of a reward is gained in each rest, and with events; `None` if that is not clear.
    fn gains(&self, view: &stochastic::Stochastic<'_>, of: &Text, figure: &mut Figure) -> Option<Gains> {
        let reward = self.study.reward(of)?;
        reward.unit.clone_into(&mut figure.unit);
        let mut rates = vec![Fine::ZERO; view.tangible_states() as usize];
        for (what, amount) in &reward.rates {
            let values = self.values(view, self.study.busy(what), figure)?;
            if values.iter().any(|value| *value < 0.0) {
                figure.result = FigureResult::None(format!("`{}` is negative in a state.", what.text));
                return None;
            }
            let amount = Fine::of(*amount);
            let gained = |value: f64| amount.times(Fine::from(value));
            rates.iter_mut().zip(values).for_each(|(sum, value)| *sum = sum.plus(gained(value)));
        }
        let rates = rates.into_iter().map(Fine::near).collect();
        let events = reward.events.iter();
        let events = events.filter_map(|(what, amount)| Some((self.prepared.event(what)?, as_f64(*amount))));
        Some(Gains { rates, events: events.collect() })
    }

    /// Returns all states of the model with their steps; `None` if there are too many.
    pub(crate) fn whole_graph(&self) -> Option<StateGraph<'a>> {
        let ProcessStudy { system, timing, .. } = self.prepared;
        if matches!(&self.built, Some(Ok(solvable)) if solvable.view.state_graph().is_of_orbits()) {
            return None;
        }
        let mut graph = StateGraph::new(self.engine, Some(system), timing, self.budget.clone()).ok()?;
        let mut state = 0;
        while state < graph.states() {
            graph.expand(state).ok()?;
            state += 1;
        }
        Some(graph)
    }

    /// Returns for what part of the time the process works that works most; `None` if it is not known.
    pub(crate) fn busiest(&mut self) -> Option<f64> {
        self.build_once();
        let Some(Ok(solvable)) = &self.built else { return None };
        let view = &solvable.view;
        // The view has forgotten the steps from which it was made.
        let graph = self.whole_graph()?;
        let numbers: HashMap<Vec<u8>, u32> =
            (0..graph.states()).map(|state| (graph.state(state), state)).collect();
        let pid = |effect: &StepEffect| match effect.urgency {
            Urgency::Timed(pid, _) => Some(pid),
            Urgency::Immediate => None,
        };
        let pids: BTreeSet<u8> = graph.effects().iter().filter_map(pid).collect();
        let mut busiest: f64 = 0.0;
        for process in pids {
            let works = |state: &u32| {
                let steps = graph.steps_of(*numbers.get(&view.state_graph().state(*state))?);
                Some(steps.iter().any(|step| pid(graph.effect(step.effect)) == Some(process)))
            };
            let rate = |rest| {
                let states: Option<Vec<bool>> = view.states(rest).iter().map(works).collect();
                Some(if states?.contains(&true) { 1.0 } else { 0.0 })
            };
            let rates: Option<Vec<f64>> = (0..view.tangible_states()).map(rate).collect();
            let mut unseen = new_figure("utilisation", String::new(), View::Stochastic.name());
            let found = solvable.average(Gain::State(rates?), &mut unseen).ok()?;
            busiest = busiest.max(found.middle().min(1.0));
        }
        (solvable.take_cut().is_none() && busiest > 0.0).then_some(busiest)
    }

    /// Answers a question.
    pub(crate) fn answer(&mut self, ask: &Ask) -> Figure {
        if let Question::Reach(kind, to) = &ask.question {
            return self.reach(ask, kind, to);
        }
        self.build_once();
        let mut figure = blank(ask, View::Stochastic);
        match &self.built {
            None => {}
            Some(Err(failure)) => {
                figure.result = failure.0.clone();
                figure.witnesses.extend(failure.1.clone());
            }
            Some(Ok(solvable)) => {
                self.fill(solvable, &ask.question, &mut figure);
                undecided_if_cut(solvable, &mut figure);
            }
        }
        figure
    }

    /// Finds the means that the study asks for, as many at a time as there are threads.
    fn solve_together(&self, solvable: &mut Solvable<'_>) {
        let mut wanted: Vec<Wanted> = Vec::new();
        let mut want = |one: Option<Wanted>| wanted.extend(one.filter(|one| !wanted.contains(one)));
        for ask in &self.study.asks {
            if !views(self.study, FormKind::Processes, ask.view, &ask.question).contains(&View::Stochastic) {
                continue;
            }
            let event = |event: &Text| self.prepared.event(event).map(Wanted::Event);
            match &ask.question {
                Question::Throughput(one) => want(event(one)),
                Question::MeanCount(of, per) => {
                    want(event(of));
                    want(event(per));
                }
                Question::Utilisation(what) => want(Some(Wanted::Holds(self.study.busy(what).text.clone()))),
                _ => {}
            }
        }
        // One alone is found when it is asked for.
        if wanted.len() < 2 || !solvable.is_chain() {
            return;
        }
        for some in wanted.chunks(self.budget.threads.max(1)) {
            let gains = some.iter().filter_map(|one| {
                let gain = match one {
                    Wanted::Event(event) => Gain::Event(*event),
                    Wanted::Holds(text) => Gain::State(self.holding(solvable, text)?),
                };
                Some((one.clone(), gain))
            });
            let gains = gains.collect();
            solvable.find(gains);
        }
    }

    /// Returns 1 for each rest in which what a resource or a predicate says holds, if there is no doubt about
    /// it.
    fn holding(&self, solvable: &Solvable<'_>, text: &str) -> Option<Vec<f64>> {
        let asks = self.study.asks.iter().filter_map(|ask| match &ask.question {
            Question::Utilisation(what) => Some(self.study.busy(what)),
            _ => None,
        });
        let mut unseen = new_figure("utilisation", String::new(), View::Stochastic.name());
        self.rates(solvable, asks.into_iter().find(|busy| busy.text == text)?, &mut unseen)
    }

    fn fill(&self, solvable: &Solvable<'_>, question: &Question, figure: &mut Figure) {
        let none = |reason: &str| FigureResult::None(reason.to_owned());
        match question {
            Question::Throughput(event) => {
                figure.unit = format!("1/{}", self.study.unit);
                if let Some(event) = self.prepared.event(event) {
                    let found = solvable.average(Gain::Event(event), figure);
                    set(&found, figure);
                }
            }
            Question::MeanPeriod(event) => {
                self.study.unit.clone_into(&mut figure.unit);
                let Some(event) = self.prepared.event(event) else { return };
                match solvable.average(Gain::Event(event), figure) {
                    Ok(found) if found.high <= 0.0 => {
                        figure.result = none("It does not happen again and again.");
                    }
                    Ok(found) => {
                        let turned = |(low, high)| {
                            let Interval { low, high } = reciprocal(Interval { low, high });
                            (low, high)
                        };
                        figure.range = figure.range.map(|[least, most]| [turned(most), turned(least)]);
                        set(&Ok(reciprocal(found)), figure);
                    }
                    Err(zeno) => set(&Err(zeno), figure),
                }
            }
            Question::Utilisation(what) => {
                let busy = self.study.busy(what);
                let found = match solvable.found(&Wanted::Holds(busy.text.clone())) {
                    Some(found) => Some(Ok(found)),
                    None => {
                        let rates = self.rates(solvable, busy, figure);
                        rates.map(|rates| solvable.average(Gain::State(rates), figure))
                    }
                };
                if let Some(found) = found {
                    set(&found.map(|found| found.and(Interval { low: 0.0, high: 1.0 })), figure);
                }
            }
            Question::MeanCount(of, per) => {
                let (Some(of), Some(per)) = (self.prepared.event(of), self.prepared.event(per)) else {
                    return;
                };
                solvable.per(Gain::Event(of), per, figure);
            }
            Question::Reward(of, per) => {
                let Some(gains) = self.gains(&solvable.view, of, figure) else { return };
                match per {
                    None => {
                        figure.unit = format!("{}/{}", figure.unit, self.study.unit);
                        set(&solvable.average(Gain::Sum(gains), figure), figure);
                    }
                    Some(per) => {
                        if let Some(per) = self.prepared.event(per) {
                            solvable.per(Gain::Sum(gains), per, figure);
                        }
                    }
                }
            }
            Question::Transient(what, time) => {
                let Some(rates) = self.rates(solvable, what, figure) else { return };
                set(&solvable.transient(rates, *time, figure), figure);
            }
            _ => {}
        }
    }

    /// Returns 1 for each rest in which an expression holds, and 0 for others; `None` if that is not clear.
    fn rates(&self, solvable: &Solvable<'_>, text: &Text, figure: &mut Figure) -> Option<Vec<f64>> {
        let values = self.values(&solvable.view, text, figure)?;
        Some(values.into_iter().map(|value| if value == 0.0 { 0.0 } else { 1.0 }).collect())
    }

    /// Returns the value of an expression in each rest; `None` if that is not clear.
    fn values(
        &self,
        view: &stochastic::Stochastic<'_>,
        text: &Text,
        figure: &mut Figure,
    ) -> Option<Vec<f64>> {
        let evaluator = self.engine.evaluator();
        let expr = self.prepared.predicate(text)?;
        let mut values = Vec::with_capacity(view.tangible_states() as usize);
        let mut known = ValueCache::new(evaluator.global_bytes(expr));
        for rest in 0..view.tangible_states() {
            let mut value = None;
            for state in view.states(rest) {
                let rows = view.state_graph();
                match known.get(rows, *state, || evaluator.observe(&rows.state(*state)).value(expr)) {
                    Ok(found) if value.is_none_or(|value| value == found) => value = Some(found),
                    Ok(_) => {
                        figure.result = changes_while_waiting(&text.text);
                        return None;
                    }
                    Err(violation) => {
                        let reason = violation.kind.message();
                        figure.result =
                            FigureResult::None(format!("`{}` goes wrong in a state: {reason}.", text.text));
                        return None;
                    }
                }
            }
            values.push(f64::from(value.unwrap_or(0)));
        }
        Some(values)
    }
}

/// So many values of an expression are told; the others are in the distribution.
const MAX_TOLD_VALUES: usize = 12;

/// Says for what part of the time something has each of its values.
fn parts_text(parts: &[(f64, Interval)]) -> String {
    let told = parts.iter().take(MAX_TOLD_VALUES);
    let told: Vec<String> = told.map(|(value, part)| format!("{value}: {}", share(*part))).collect();
    let more = if parts.len() > MAX_TOLD_VALUES { ", …" } else { "" };
    format!("Part of the time with each value: {}{more}.", told.join(", "))
}

/// Writes a part of the time as a percentage.
fn share(part: Interval) -> String {
    certain_percent(told_below(part.low), told_above(part.high))
}

/// Returns for what part of the time something has a value that is not greater, for each value.
fn cumulated(parts: &[(f64, Interval)]) -> Vec<CurvePoint> {
    let (mut low, mut high) = (0.0_f64, 0.0_f64);
    // What is above a value bounds what is not.
    let all = parts.iter().rev().scan(0.0_f64, |above, (_, part)| {
        let before = *above;
        *above = (*above + part.high).next_up();
        Some(1.0 - before)
    });
    let mut least: Vec<f64> = all.collect();
    least.reverse();
    let point = |((value, part), least): (&(f64, Interval), f64)| {
        low = (low + part.low).next_down().max(0.0);
        high = (high + part.high).next_up().min(1.0);
        CurvePoint { time: *value, low: low.max(least.next_down()).min(high), high }
    };
    parts.iter().zip(least).map(point).collect()
}

/// Returns how large a view is that took so many seconds.
pub(super) fn size_of(view: &stochastic::Stochastic<'_>, seconds: f64) -> ViewSize {
    let states = u64::from(view.tangible_states()) + u64::from(view.decisions());
    let transitions = Some(view.transition_count());
    let states = states.to_string();
    let unit = if view.state_graph().is_of_orbits() { "states up to symmetry" } else { "states" };
    let view = View::Stochastic.name();
    ViewSize { view, unit, states, transitions, minimised: None, seconds }
}

/// Returns the events of one process among those of all.
pub(super) fn values_of(values: Option<&ValueEvents>, process: u8) -> Vec<u16> {
    values.into_iter().flat_map(|values| values.of_process(process)).collect()
}

/// Says why it is not known for how long something holds.
pub(super) fn changes_while_waiting(text: &str) -> FigureResult {
    FigureResult::None(format!(
        "`{text}` changes while the model is busy waiting, so that it has no value there."
    ))
}

/// Returns the time from one event to the next, from how often it happens.
pub(super) fn reciprocal(rate: Interval) -> Interval {
    let over = |rate: f64| if rate > 0.0 { 1.0 / rate } else { f64::INFINITY };
    Interval { low: over(rate.high).next_down(), high: over(rate.low).next_up() }
}

/// A limit that has cut solving short leaves a question open, however narrow the bounds are.
pub(super) fn undecided_if_cut(solvable: &Solvable<'_>, figure: &mut Figure) {
    if let Some(limit) = solvable.take_cut() {
        figure.result = FigureResult::Undecided(limit);
        figure.notes.clear();
    }
}
