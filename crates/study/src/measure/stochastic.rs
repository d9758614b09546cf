//! Means: questions about the long run, where every delay is random.

use narrows_explicit::{Budget, Engine};
use narrows_model::wording::percent;
use narrows_model::{Figure, FigureResult, FormKind};
use narrows_performance::markov::Interval;
use narrows_performance::{BuildError, Predicate, StateGraph, Timing, ValueCache, as_f64, stochastic};

use super::latency::Followed;
use super::solve::{Gain, Solvable, Wanted, no_chain, set};
use super::trouble::{Failure, is_cut, result_of};
use super::{Size, blank, new_figure};
use crate::accepts::views;
use crate::{Ask, Latency, LatencyKind, Prepared, Question, Study, Text, View};

/// The stochastic view of a model, built when it is needed.
pub(crate) struct Means<'a, 's> {
    study: &'a Study,
    prepared: &'a Prepared,
    engine: &'a Engine<'s>,
    budget: Budget,
    built: Option<Result<Solvable<'a>, Failure>>,
    /// How many seconds that took.
    seconds: f64,
    /// How large a view is in which requests were followed.
    followed: Option<Size>,
}

impl<'a, 's> Means<'a, 's> {
    pub(crate) fn new(
        study: &'a Study,
        prepared: &'a Prepared,
        engine: &'a Engine<'s>,
        budget: Budget,
    ) -> Means<'a, 's> {
        Means { study, prepared, engine, budget, built: None, seconds: 0.0, followed: None }
    }

    pub(crate) fn size(&self) -> Option<Size> {
        let Some(built) = &self.built else { return self.followed.clone() };
        let solvable = built.as_ref().ok()?;
        Some(Size { minimised: solvable.minimised(), ..size_of(&solvable.view, self.seconds) })
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
        let rows = StateGraph::new(self.engine, Some(&self.prepared.system), timing, self.budget.clone());
        let view = rows.and_then(stochastic::build);
        let view = view.map_err(|trouble| Box::new(result_of(&trouble, evaluator)))?;
        Solvable::new(view, &self.budget.watch).map_err(|wrong| Box::new((no_chain(&wrong), None)))
    }

    /// Forgets a view that was cut short, so that it is tried again.
    pub(crate) fn forget_cut(&mut self) {
        if matches!(&self.built, Some(Err(failure)) if is_cut(failure)) {
            self.built = None;
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

    /// Says how long requests take, in a view of its own.
    pub(crate) fn latency(&mut self, ask: &Ask, latency: &Latency) -> Vec<Figure> {
        let (timing, kinds) = self.prepared.requests(latency);
        let events: Vec<u16> = kinds.iter().flat_map(|ends| [ends.from, ends.to]).collect();
        let counted = timing.counting(&events);
        let before = self.budget.watch.seconds();
        let evaluator = self.engine.evaluator();
        let build = || -> Result<_, BuildError> {
            let mut rows =
                StateGraph::new(self.engine, Some(&self.prepared.system), &counted, self.budget.clone())?;
            let predicate = |text: &Text, is: bool| -> Option<Predicate<'_>> {
                let expr = self.prepared.predicate(text)?;
                Some(Box::new(move |state| evaluator.holds(expr, state).map(|holds| holds == is)))
            };
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
            Ok((stochastic::build_ordered(rows, &kinds)?, initially))
        };
        match build() {
            Ok((view, initially)) => {
                self.followed = Some(size_of(&view, self.budget.watch.seconds() - before));
                let (unit, watch) = (&self.study.unit, &*self.budget.watch);
                Followed { ask, latency, unit, view: &view, kinds: &kinds, initially, watch }.figures()
            }
            Err(trouble) => {
                let (result, witness) = result_of(&trouble, evaluator);
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
            let time = solvable.average(Gain::Events(events.clone()), &mut figure);
            let found = time.and_then(|time| per.clone().map(|per| quotient(time, per)));
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

    /// Answers a question.
    pub(crate) fn answer(&mut self, ask: &Ask) -> Figure {
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
                    Ok(found) => set(&Ok(reciprocal(found)), figure),
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
                let of = solvable.average(Gain::Event(of), figure);
                let per = solvable.average(Gain::Event(per), figure);
                match (of, per) {
                    (Ok(_), Ok(per)) if per.high <= 0.0 => {
                        figure.result = none("What it is counted for never happens in the long run.");
                    }
                    (Ok(of), Ok(per)) => set(&Ok(quotient(of, per)), figure),
                    (Err(zeno), _) | (_, Err(zeno)) => set(&Err(zeno), figure),
                }
            }
            Question::Transient(what, time) => {
                let Some(rates) = self.rates(solvable, what, figure) else { return };
                set(&solvable.transient(rates, as_f64(*time), figure), figure);
            }
            _ => {}
        }
    }

    /// Returns 1 for each rest in which an expression holds, and 0 for others; `None` if that is not clear.
    fn rates(&self, solvable: &Solvable<'_>, text: &Text, figure: &mut Figure) -> Option<Vec<f64>> {
        let evaluator = self.engine.evaluator();
        let expr = self.prepared.predicate(text)?;
        let view = &solvable.view;
        let mut rates = Vec::with_capacity(view.tangible_states() as usize);
        let mut known = ValueCache::new(evaluator.global_bytes(expr));
        for rest in 0..view.tangible_states() {
            let mut value = None;
            for state in view.states(rest) {
                let rows = view.state_graph();
                match known.get(rows, *state, || evaluator.holds(expr, &rows.state(*state))) {
                    Ok(holds) if value.is_none_or(|value| value == holds) => value = Some(holds),
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
            rates.push(if value == Some(true) { 1.0 } else { 0.0 });
        }
        Some(rates)
    }
}

/// Returns how large a view is that took so many seconds.
fn size_of(view: &stochastic::Stochastic<'_>, seconds: f64) -> Size {
    let states = u64::from(view.tangible_states()) + u64::from(view.decisions());
    let transitions = Some(view.transition_count());
    let states = states.to_string();
    let view = View::Stochastic.name();
    Size { view, unit: "states", states, transitions, minimised: None, seconds }
}

/// Says why it is not known for how long something holds.
pub(super) fn changes_while_waiting(text: &str) -> FigureResult {
    FigureResult::None(format!(
        "`{text}` changes while the model is busy waiting, so that it has no value there."
    ))
}

/// Returns the bounds of a quotient; what it is divided by is above 0.
fn quotient(of: Interval, per: Interval) -> Interval {
    let high = if per.low > 0.0 { (of.high / per.low).next_up() } else { f64::INFINITY };
    // What never happens, happens never.
    let low = if of.low == 0.0 { 0.0 } else { (of.low / per.high).next_down() };
    Interval { low, high: if of.high == 0.0 { 0.0 } else { high } }
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
