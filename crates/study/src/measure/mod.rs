//! Answers the questions of a study.

mod actions;
mod bracket;
mod by_work;
pub(crate) mod equal_parts;
mod exact;
pub(crate) mod expect;
mod failure;
mod labelled;
mod latency;
mod observed;
mod reach;
mod schedule;
mod shared_views;
mod simulated;
mod simulated_bottleneck;
mod simulation_plan;
mod solve;
mod stochastic;
mod timed;
mod together;
mod trend;
mod views;

use std::rc::Rc;

use narrows_explicit::{Budget, Engine};
use narrows_model::{
    Bottleneck, Checked, Figure, FigureResult, Flow, FormKind, Refusal, StateDiagram, ViewSize,
};

use crate::bottleneck::Sets;
use crate::verdicts::{Asker, Verdicts};
use crate::{Ask, Latency, ProcessStudy, Question, Study, Text, View};

pub(crate) use equal_parts::Equal;
pub(crate) use exact::Exact;
pub(crate) use labelled::{LabelledBench, of_verdicts, on_graph};
pub(crate) use schedule::{Bench, analyse, measure};
pub(crate) use simulated::Estimation;
pub(crate) use timed::{Asked, Built, ModelFacts, Through, Ways, span, timed_trace};
pub(crate) use together::RequestsTogether;
pub use trend::trends;

/// What came out.
#[derive(Debug, Default)]
pub struct Measured {
    /// A figure for each question and view, in the order of the questions.
    pub figures: Vec<Figure>,
    /// How large the views are, for people.
    pub sizes: Vec<ViewSize>,
}

/// A study with its model and the views of it that were built so far.
pub(crate) struct Workbench<'a, 's> {
    pub(crate) study: &'a Study,
    pub(crate) prepared: &'a ProcessStudy,
    pub(crate) engine: &'a Engine<'s>,
    pub(crate) budget: Budget,
    equal: Equal<'a>,
    pub(crate) timed: views::Views<'a, 's>,
    pub(crate) means: stochastic::Means<'a, 's>,
    /// Asks for verdicts.
    pub(crate) asker: Asker<'a>,
    /// Which resources are busy at the same time; `None` before it was found out.
    pub(crate) sets: Option<Sets>,
    /// Which resources are busy in each state of the timed view; `None` before it was found out.
    pub(crate) busy_states: Option<Rc<[u64]>>,
    /// What is known of pairs of resources, by their numbers.
    pub(crate) overlaps: Vec<(usize, usize, Figure)>,
    /// What is known of events.
    pub(crate) flows: Vec<Flow>,
    /// Whether means come later.
    pub(crate) leaves_out_means: bool,
}

impl<'a, 's> Workbench<'a, 's> {
    pub(crate) fn new(
        study: &'a Study,
        prepared: &'a ProcessStudy,
        engine: &'a Engine<'s>,
        budget: &Budget,
        verdicts: &'a dyn Verdicts,
        equal: Equal<'a>,
    ) -> Workbench<'a, 's> {
        let timed = views::Views::new(study, prepared, engine, budget.clone(), equal);
        let means = stochastic::Means::new(study, prepared, engine, budget.clone(), equal);
        let (asker, sets) = (Asker::new(verdicts, &budget.watch), None);
        let (busy_states, overlaps, flows) = (None, Vec::new(), Vec::new());
        Workbench {
            study,
            prepared,
            engine,
            budget: budget.clone(),
            equal,
            timed,
            means,
            asker,
            sets,
            busy_states,
            overlaps,
            flows,
            leaves_out_means: false,
        }
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
            (Question::Latency(latency), View::Untimed | View::Timed) if latency.by.is_some() => {
                self.timed.told_apart(ask, latency, view)
            }
            (_, View::Untimed | View::Timed) => self.timed.answer(ask, view),
            (_, View::Stochastic) => self.means.answer(ask),
            // Simulations answer several questions at once.
            (_, View::Simulated) => blank(ask, view),
        }
    }

    fn asked(&self, number: usize) -> Option<narrows_model::Question> {
        self.prepared.asked(&self.study.asks[number], number)
    }
}

impl Bench for Workbench<'_, '_> {
    fn form(&self) -> FormKind {
        FormKind::Processes
    }

    /// Each is asked alone.
    fn group(&self, number: usize) -> Option<usize> {
        self.asked(number).map(|_| number)
    }

    fn cover(&self) -> Result<Checked, Refusal> {
        self.asker.cover()
    }

    fn answer_one(&mut self, number: usize, view: View) -> Vec<Figure> {
        let ask = &self.study.asks[number];
        match (&ask.question, self.asked(number)) {
            (_, Some(asked)) => vec![self.asker.figure(self.study, ask, &[asked], view)],
            (Question::MissTime(event), _) => self.means.miss_times(ask, event),
            (Question::Latency(latency), _) if view == View::Stochastic => self.means.latency(ask, latency),
            (Question::Mean(what), _) if view == View::Stochastic => self.means.mean(ask, what),
            (Question::MeanDelay(from, to), _) => self.means.latency(ask, &Latency::delay(from, to)),
            _ => vec![self.answer(ask, view)],
        }
    }

    fn forget_cut(&mut self) {
        self.timed.forget_cut();
        self.means.forget_cut();
        self.asker.forget_cut();
    }

    fn bound(&mut self, ask: &Ask) -> Option<Figure> {
        self.timed.bound_by_work(ask)
    }

    fn estimate(&mut self, estimation: &Estimation) -> Vec<Vec<Figure>> {
        simulated::estimate((self.study, self.prepared), self.engine, self.equal, &self.budget, estimation)
    }

    fn sizes(&self) -> Vec<ViewSize> {
        self.timed.sizes().into_iter().chain(self.means.size()).collect()
    }

    fn resources(&mut self, found: &mut Bottleneck) {
        self.find_resources(found);
    }

    fn look(&mut self, event: &Text) -> Flow {
        self.look_at(event)
    }

    fn leave_out_means(&mut self) -> bool {
        self.leaves_out_means = self.study.has_delays() && self.study.has_windows();
        self.leaves_out_means
    }

    fn add_means(&mut self, bottleneck: &mut Bottleneck) {
        self.leaves_out_means = false;
        self.add_means_to(bottleneck);
    }

    fn flows(&mut self) -> &mut Vec<Flow> {
        &mut self.flows
    }

    fn diagrams(&mut self) -> Vec<StateDiagram> {
        self.find_diagrams()
    }
}

/// Makes a figure that says nothing yet.
pub(crate) fn new_figure(kind: &'static str, name: String, view: &'static str) -> Figure {
    Figure::new(kind, name, view, FigureResult::None(String::new()))
}

/// Makes a figure for a question that says nothing yet.
pub(crate) fn blank(ask: &Ask, view: View) -> Figure {
    new_figure(ask.question.kind(), ask.name.clone(), view.name())
}
