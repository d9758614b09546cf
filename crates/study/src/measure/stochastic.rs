//! Means: questions about the long run, where every delay is random.

use narrows_explicit::{Budget, Engine};
use narrows_model::{Figure, FigureResult};
use narrows_performance::markov::Interval;
use narrows_performance::{Rows, Timing, as_f64, stochastic};

use super::solve::{Gain, Solvable, set};
use super::trouble::{Failure, result_of};
use super::{Size, blank, new_figure};
use crate::{Ask, Prepared, Question, Study, Text, View};

/// The stochastic view of a model, built when it is needed.
pub(crate) struct Means<'a, 's> {
    study: &'a Study,
    prepared: &'a Prepared,
    engine: &'a Engine<'s>,
    budget: Budget<'a>,
    built: Option<Result<Solvable<'a>, Failure>>,
    /// How many seconds that took.
    seconds: f64,
}

impl<'a, 's> Means<'a, 's> {
    pub(crate) fn new(
        study: &'a Study,
        prepared: &'a Prepared,
        engine: &'a Engine<'s>,
        budget: Budget<'a>,
    ) -> Means<'a, 's> {
        Means { study, prepared, engine, budget, built: None, seconds: 0.0 }
    }

    pub(crate) fn size(&self) -> Option<Size> {
        let solvable = self.built.as_ref()?.as_ref().ok()?;
        let view = &solvable.view;
        let states = u64::from(view.rests()) + u64::from(view.decisions());
        let (view, transitions) = (View::Stochastic.name(), Some(view.arrow_count()));
        let states = states.to_string();
        Some(Size { view, states, transitions, minimised: solvable.minimised(), seconds: self.seconds })
    }

    /// Returns the mean throughput of an event with other delays; `None` if there is none.
    pub(crate) fn throughput_with(&self, timing: &Timing, event: u16) -> Option<f64> {
        let solvable = self.build(timing).ok()?;
        let mut figure = new_figure("throughput", String::new(), View::Stochastic.name());
        let found = solvable.average(&Gain::Event(event), &mut figure).ok()?;
        Some(found.middle())
    }

    fn build<'t>(&self, timing: &'t Timing) -> Result<Solvable<'t>, Failure>
    where
        'a: 't,
    {
        let evaluator = self.engine.evaluator();
        let rows = Rows::new(self.engine, Some(&self.prepared.system), timing, self.budget);
        let view = rows.and_then(stochastic::build);
        let view = view.map_err(|trouble| Box::new(result_of(&trouble, evaluator)))?;
        Solvable::new(view).map_err(|wrong| {
            Box::new((FigureResult::None(format!("There is no Markov chain: {wrong}.")), None))
        })
    }

    /// Answers a question.
    pub(crate) fn answer(&mut self, ask: &Ask) -> Figure {
        if self.built.is_none() {
            let before = self.budget.watch.seconds();
            self.built = Some(self.build(&self.prepared.timing));
            self.seconds = self.budget.watch.seconds() - before;
        }
        let mut figure = blank(ask, View::Stochastic);
        match &self.built {
            None => {}
            Some(Err(failure)) => {
                figure.result = failure.0.clone();
                figure.witnesses.extend(failure.1.clone());
            }
            Some(Ok(solvable)) => self.fill(solvable, &ask.question, &mut figure),
        }
        figure
    }

    fn fill(&self, solvable: &Solvable<'_>, question: &Question, figure: &mut Figure) {
        let none = |reason: &str| FigureResult::None(reason.to_owned());
        match question {
            Question::Throughput(event) => {
                figure.unit = format!("1/{}", self.study.unit);
                if let Some(event) = self.prepared.event(event) {
                    let found = solvable.average(&Gain::Event(event), figure);
                    set(&found, figure);
                }
            }
            Question::Utilisation(what) => {
                if let Some(rates) = self.rates(solvable, self.study.busy(what), figure) {
                    let found = solvable.average(&Gain::State(rates), figure);
                    set(&found.map(|found| found.and(Interval { low: 0.0, high: 1.0 })), figure);
                }
            }
            Question::MeanCount(of, per) => {
                let (Some(of), Some(per)) = (self.prepared.event(of), self.prepared.event(per)) else {
                    return;
                };
                let of = solvable.average(&Gain::Event(of), figure);
                let per = solvable.average(&Gain::Event(per), figure);
                match (of, per) {
                    (Ok(_), Ok(per)) if per.high <= 0.0 => {
                        figure.result = none("What it is counted for never happens in the long run.");
                    }
                    (Ok(of), Ok(per)) => {
                        let high = if per.low > 0.0 { of.high / per.low } else { f64::INFINITY };
                        set(&Ok(Interval { low: of.low / per.high, high }), figure);
                    }
                    (Err(zeno), _) | (_, Err(zeno)) => set(&Err(zeno), figure),
                }
            }
            Question::Transient(what, time) => {
                let Some(rates) = self.rates(solvable, what, figure) else { return };
                set(&solvable.transient(rates, as_f64(*time), figure), figure);
            }
            Question::MeanDelay(from, to) => {
                self.study.unit.clone_into(&mut figure.unit);
                let Some(from) = self.rates(solvable, from, figure) else { return };
                let Some(to) = self.rates(solvable, to, figure) else { return };
                match solvable.passage(from, to, figure).transpose() {
                    Some(found) => set(&found, figure),
                    None => {
                        figure.result = none(
                            "The first predicate does not begin to hold again and again, nor does it hold at the start.",
                        );
                    }
                }
            }
            _ => {
                figure.result = none(
                    "This is about best and worst cases: ask it in the timed view, not in the stochastic one.",
                );
            }
        }
    }

    /// Returns 1 for each rest in which an expression holds, and 0 for others; `None` if that is not clear.
    fn rates(&self, solvable: &Solvable<'_>, text: &Text, figure: &mut Figure) -> Option<Vec<f64>> {
        let evaluator = self.engine.evaluator();
        let expr = self.prepared.predicate(text)?;
        let view = &solvable.view;
        let mut rates = Vec::with_capacity(view.rests() as usize);
        for rest in 0..view.rests() {
            let mut value = None;
            for state in view.states(rest) {
                match evaluator.holds(expr, &view.rows().state(*state)) {
                    Ok(holds) if value.is_none_or(|value| value == holds) => value = Some(holds),
                    Ok(_) => {
                        figure.result = FigureResult::None(format!(
                            "`{}` changes while the model is busy waiting, so that it has no value there.",
                            text.text
                        ));
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
