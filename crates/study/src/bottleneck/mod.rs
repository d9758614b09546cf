//! Finds the bottleneck of a design: which resources overlap, how often things happen, and what limits that.
//!
//! | file | contents |
//! |---|---|
//! | `overlap.rs`, `diagrams.rs` | resources that are busy together; how state variables change |
//! | `rate.rs`, `flow.rs`, `case.rs` | the best and the worst run of an event, activities along them |
//! | `sensitivity.rs` | the same with each delay 10 % shorter and longer |
//! | `labelled.rs` | LOTOS models, of which only labels are known |
//! | `findings.rs` | conclusions, in sentences |

mod case;
mod diagrams;
mod findings;
mod flow;
mod labelled;
mod overlap;
mod rate;
mod sensitivity;

use narrows_explicit::{Budget, Engine, Share};
use narrows_model::{Bottleneck, Figure, FigureResult, Overlap, Resource};

use crate::measure::{Measured, Workbench, new_figure};
use crate::{Ask, Prepared, Question, Study, View};

pub(crate) use case::Described;
pub use labelled::analyse_labelled;
pub(crate) use overlap::{Sets, largest};
pub(crate) use rate::{Rate, rate, whole};

/// What an analysis came to.
#[derive(Debug, Default)]
pub struct Analysis {
    /// The answers to the study's own questions, and the sizes of the views.
    pub measured: Measured,
    /// What limits the design.
    pub bottleneck: Bottleneck,
}

/// Answers the questions of a study, and finds its bottleneck.
pub fn analyse(study: &Study, prepared: &Prepared, engine: &Engine<'_>, budget: &Budget<'_>) -> Analysis {
    let share = Share::new(budget.watch);
    let budget = Budget { watch: &share, ..*budget };
    let mut bench = Workbench::new(study, prepared, engine, &budget);
    let mut bottleneck = Bottleneck::default();
    bench.resources(&mut bottleneck);
    let events = bench.events();
    for event in &events {
        let flow = bench.flow(event);
        bottleneck.flows.push(flow);
    }
    bottleneck.diagrams = bench.diagrams();
    let figures = bench.answer_all(&share);
    Analysis { measured: Measured { figures, sizes: bench.sizes() }, bottleneck }
}

impl Workbench<'_, '_> {
    /// Finds which resources overlap.
    fn resources(&mut self, bottleneck: &mut Bottleneck) {
        let resource = |(name, text): &(crate::Text, crate::Text)| Resource {
            name: name.text.clone(),
            busy: text.text.clone(),
        };
        bottleneck.resources = self.study.resources.iter().take(overlap::MOST).map(resource).collect();
        if bottleneck.resources.is_empty() {
            return;
        }
        let has_time = self.study.has_delays() && self.study.has_windows();
        for first in 0..bottleneck.resources.len() {
            for second in first + 1..bottleneck.resources.len() {
                let mut answers = vec![self.overlap(first, second, View::Untimed)];
                if has_time {
                    answers.push(self.overlap(first, second, View::Timed));
                }
                bottleneck.overlaps.push(Overlap { first, second, answers });
            }
        }
        bottleneck.together = self.together();
        if self.study.has_delays() {
            for (name, _) in self.study.resources.iter().take(overlap::MOST) {
                bottleneck.utilisation.push(self.in_views(&Question::Utilisation(name.clone())));
            }
        }
    }

    /// Says whether two resources overlap in a view; it is found out once.
    pub(crate) fn overlap(&mut self, first: usize, second: usize, view: View) -> Figure {
        let (first, second) = (first.min(second), first.max(second));
        let is_known = |(one, other, figure): &&(usize, usize, Figure)| {
            (*one, *other, figure.view) == (first, second, view.name())
        };
        if let Some((.., figure)) = self.overlaps.iter().find(is_known) {
            return figure.clone();
        }
        let figure = self.find_overlap(first, second, view);
        self.overlaps.push((first, second, figure.clone()));
        figure
    }

    fn find_overlap(&mut self, first: usize, second: usize, view: View) -> Figure {
        match view {
            View::Untimed => self.overlap_untimed(first, second),
            View::Timed => self.overlap_timed(first, second),
            View::Stochastic => {
                let mut figure = new_figure("overlap", self.pair(first, second), view.name());
                let reason = "Ask for an overlap in the untimed or the timed view: how often something happens at random is \
                              a `utilisation`.";
                figure.result = FigureResult::None(reason.to_owned());
                figure
            }
        }
    }

    /// Returns the events to look at: those whose throughput or bottleneck is asked for, or else all.
    fn events(&self) -> Vec<crate::Text> {
        let mut events: Vec<crate::Text> = Vec::new();
        for ask in &self.study.asks {
            if let Question::Throughput(event) | Question::Bottleneck(event) = &ask.question
                && !events.iter().any(|known| known.text == event.text)
            {
                events.push(event.clone());
            }
        }
        if events.is_empty() {
            events.extend(self.study.events.iter().map(|(name, _)| name.clone()));
        }
        events
    }

    /// Names the bottleneck that a question asks for.
    pub(crate) fn name_bottleneck(&mut self, ask: &Ask) -> Figure {
        let mut figure = new_figure("bottleneck", ask.name.clone(), View::Timed.name());
        let Question::Bottleneck(event) = &ask.question else { return figure };
        let flow = self.flow(event);
        let undecided =
            flow.throughput.iter().find(|figure| matches!(figure.result, FigureResult::Undecided(_)));
        figure.result = match (flow.bottleneck, undecided) {
            (Some(names), _) => FigureResult::Word(names.join(" + ")),
            (None, Some(figure)) => figure.result.clone(),
            (None, None) => FigureResult::None("There is no bottleneck to name.".to_owned()),
        };
        figure
    }
}
