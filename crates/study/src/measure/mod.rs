//! Answers the questions of a study.

mod actions;
pub(crate) mod expect;
pub(crate) mod formulas;
mod labelled;
mod simulated;
mod solve;
mod stochastic;
mod timed;
mod trend;
mod trouble;

use narrows_explicit::{Budget, Engine, Share};
use narrows_model::{Figure, FigureResult, Flow, Limit};

use crate::bottleneck::Sets;
use crate::{Ask, Prepared, Question, Study, View};

pub use labelled::measure_labelled;
pub(crate) use labelled::{Bench, on_graph};
pub use simulated::simulate;
pub(crate) use timed::{span, timed_trace};
pub use trend::trends;

/// What came out.
#[derive(Debug, Default)]
pub struct Measured {
    /// A figure for each question and view, in the order of the questions.
    pub figures: Vec<Figure>,
    /// How large the views are, for people.
    pub sizes: Vec<Size>,
}

/// How large a view is.
#[derive(Clone, Debug, PartialEq)]
pub struct Size {
    /// The view.
    pub view: &'static str,
    /// How many places it has, in digits: there may be more than any number holds.
    pub states: String,
    /// How many edges, if they were counted.
    pub transitions: Option<u64>,
    /// How many states were left after minimisation, at most, if there were fewer for every question.
    pub minimised: Option<u64>,
    /// How many seconds it took to build it.
    pub seconds: f64,
}

/// What it takes to answer a question, the cheapest first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Work {
    /// The stochastic view.
    Means,
    /// A search of its own, for the question of this number.
    Formula(usize),
    /// The timed or the untimed view.
    Exact,
}

/// A study with its model and the views of it that were built so far.
pub(crate) struct Workbench<'a, 's> {
    pub(crate) study: &'a Study,
    pub(crate) prepared: &'a Prepared,
    pub(crate) engine: &'a Engine<'s>,
    pub(crate) budget: Budget<'a>,
    pub(crate) timed: timed::Views<'a, 's>,
    pub(crate) means: stochastic::Means<'a, 's>,
    /// Which resources are busy at the same time; `None` before it was found out.
    pub(crate) sets: Option<Sets>,
    /// What is known of pairs of resources, by their numbers.
    pub(crate) overlaps: Vec<(usize, usize, Figure)>,
    /// What is known of events.
    pub(crate) flows: Vec<Flow>,
}

impl<'a, 's> Workbench<'a, 's> {
    pub(crate) fn new(
        study: &'a Study,
        prepared: &'a Prepared,
        engine: &'a Engine<'s>,
        budget: &Budget<'a>,
    ) -> Workbench<'a, 's> {
        let timed = timed::Views::new(study, prepared, engine, *budget);
        let means = stochastic::Means::new(study, prepared, engine, *budget);
        let (overlaps, flows) = (Vec::new(), Vec::new());
        Workbench { study, prepared, engine, budget: *budget, timed, means, sets: None, overlaps, flows }
    }

    /// Answers all questions of the study. What is cheap comes first, and each kind of work gets a share of the time, so
    /// that one slow view leaves time for the others; what was cut short by its share is tried again at the end.
    pub(crate) fn answer_all(&mut self, share: &Share<'_>) -> Vec<Figure> {
        let mut jobs: Vec<(Work, usize, Option<View>)> = Vec::new();
        for (number, ask) in self.study.asks.iter().enumerate() {
            match &ask.question {
                Question::Ltl(_) | Question::Ctl(_) | Question::Invariant(_) | Question::Deadlock => {
                    jobs.push((Work::Formula(number), number, None));
                }
                Question::MissTime(_) | Question::Mu(_) => jobs.push((Work::Means, number, None)),
                Question::Bottleneck(_) => jobs.push((Work::Exact, number, None)),
                _ => {
                    for view in views(self.study, ask.view, &ask.question) {
                        let work = if view == View::Stochastic { Work::Means } else { Work::Exact };
                        jobs.push((work, number, Some(view)));
                    }
                }
            }
        }
        let mut order: Vec<usize> = (0..jobs.len()).collect();
        order.sort_by_key(|job| jobs[*job].0);
        let mut kinds: Vec<Work> = order.iter().map(|job| jobs[*job].0).collect();
        kinds.dedup();
        let mut figures: Vec<Vec<Figure>> = vec![Vec::new(); jobs.len()];
        let mut last = None;
        let mut left = kinds.len();
        for job in order.iter().copied() {
            let (work, number, view) = jobs[job];
            if last.replace(work) != Some(work) {
                share.take(left);
                left -= 1;
            }
            figures[job] = self.answer_one(number, view);
        }
        share.take(1);
        let is_cut = |figure: &Figure| matches!(figure.result, FigureResult::Undecided(Limit::Time));
        for job in order.iter().copied() {
            let has_time = self.budget.watch.seconds_left().is_some_and(|left| left > 0.0);
            if has_time && figures[job].iter().any(is_cut) {
                self.timed.forget_cut();
                self.means.forget_cut();
                figures[job] = self.answer_one(jobs[job].1, jobs[job].2);
            }
        }
        figures.into_iter().flatten().collect()
    }

    /// Answers a question, in a view if it has several.
    fn answer_one(&mut self, number: usize, view: Option<View>) -> Vec<Figure> {
        let ask = &self.study.asks[number];
        match (&ask.question, view) {
            (Question::Ltl(_) | Question::Ctl(_) | Question::Invariant(_) | Question::Deadlock, _) => {
                let property = self.prepared.formula(number);
                let mut figure = formulas::answer(ask, property, self.engine, &self.budget);
                expect::finish(&mut figure, ask, self.study);
                vec![figure]
            }
            (Question::MissTime(event), _) => self.means.miss_times(ask, event),
            (Question::Mu(_), _) => {
                let mut figure = blank(ask, View::Untimed);
                let reason = "Formulas of the mu-calculus are about labels: ask them of a LOTOS model, or of a \
                              graph.";
                figure.result = FigureResult::None(reason.to_owned());
                vec![figure]
            }
            (_, Some(view)) => vec![self.judged(ask, |bench, ask| bench.answer(ask, view))],
            (_, None) => vec![self.judged(ask, Workbench::name_bottleneck)],
        }
    }

    fn judged(&mut self, ask: &Ask, answer: impl FnOnce(&mut Self, &Ask) -> Figure) -> Figure {
        let mut figure = answer(self, ask);
        ask.name.clone_into(&mut figure.name);
        expect::finish(&mut figure, ask, self.study);
        figure
    }

    /// Answers a question in a view.
    pub(crate) fn answer(&mut self, ask: &Ask, view: View) -> Figure {
        match (&ask.question, view) {
            (Question::Overlap(first, second), _) => {
                let number =
                    |name: &str| self.study.resources.iter().position(|(known, _)| known.text == name);
                match (number(&first.text), number(&second.text)) {
                    (Some(first), Some(second)) => self.overlap(first, second, view),
                    _ => new_figure("overlap", ask.name.clone(), view.name()),
                }
            }
            (_, View::Untimed | View::Timed) => self.timed.answer(ask, view),
            (_, View::Stochastic) => self.means.answer(ask),
        }
    }

    /// Returns how large the views are that were built.
    pub(crate) fn sizes(&self) -> Vec<Size> {
        self.timed.sizes().into_iter().chain(self.means.size()).collect()
    }
}

/// Makes a figure that says nothing yet.
pub(crate) fn new_figure(kind: &'static str, name: String, view: &'static str) -> Figure {
    Figure {
        kind,
        name,
        view,
        result: FigureResult::None(String::new()),
        unit: String::new(),
        witnesses: Vec::new(),
        notes: Vec::new(),
        expected: None,
        reference: None,
        cell: None,
        is_drawn: false,
    }
}

/// Answers all questions of a study.
pub fn measure(study: &Study, prepared: &Prepared, engine: &Engine<'_>, budget: &Budget<'_>) -> Measured {
    let share = Share::new(budget.watch);
    let budget = Budget { watch: &share, ..*budget };
    let mut bench = Workbench::new(study, prepared, engine, &budget);
    let figures = bench.answer_all(&share);
    Measured { figures, sizes: bench.sizes() }
}

/// Makes a figure for a question that says nothing yet.
pub(crate) fn blank(ask: &Ask, view: View) -> Figure {
    new_figure(ask.question.kind(), ask.name.clone(), view.name())
}

/// Returns the views in which a question is asked, if the study does not say.
fn views(study: &Study, given: Option<View>, question: &Question) -> Vec<View> {
    if let Some(view) = given {
        return vec![view];
    }
    let has_windows = study.has_windows();
    let exact = if study.has_delays() { View::Timed } else { View::Untimed };
    match question {
        Question::Utilisation(_)
        | Question::MeanDelay(..)
        | Question::MeanPeriod(_)
        | Question::MeanCount(..)
        | Question::Transient(..) => {
            vec![View::Stochastic]
        }
        Question::Overlap(..) => vec![View::Untimed],
        Question::Throughput(_) if !study.has_delays() => vec![View::Untimed],
        Question::Throughput(_) if has_windows => vec![View::Timed, View::Stochastic],
        Question::Throughput(_) => vec![View::Stochastic],
        _ => vec![exact],
    }
}
