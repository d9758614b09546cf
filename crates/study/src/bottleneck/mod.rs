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

use narrows_model::{Bottleneck, Figure, Overlap, Resource};

use crate::measure::{Measured, Workbench};
use crate::{Question, Study, Text, View};

/// What is said of events where nothing takes time.
const NO_DELAYS: &str = "The study gives no delays, so the bottleneck is not known: say under `[delay]` how \
                         long statements take.";

pub(crate) use case::Described;
pub(crate) use diagrams::add_change;
pub(crate) use findings::{add_findings, saturated};
pub(crate) use flow::cases;
pub(crate) use overlap::{MAX_RESOURCES, Sets, largest};
pub(crate) use rate::whole;

/// What an analysis came to.
#[derive(Debug, Default)]
pub struct Analysis {
    /// The answers to the study's own questions, and the sizes of the views.
    pub measured: Measured,
    /// What limits the design.
    pub bottleneck: Bottleneck,
}

impl Workbench<'_, '_> {
    /// Finds which resources overlap.
    pub(crate) fn find_resources(&mut self, bottleneck: &mut Bottleneck) {
        bottleneck.resources = resources(self.study);
        if bottleneck.resources.is_empty() {
            return;
        }
        let has_time = self.study.has_delays() && self.study.has_windows();
        for first in 0..bottleneck.resources.len() {
            for second in first + 1..bottleneck.resources.len() {
                let mut answers = Vec::new();
                if !(has_time && self.study.is_first_look) {
                    answers.push(self.overlap(first, second, View::Untimed));
                }
                if has_time {
                    answers.push(self.overlap(first, second, View::Timed));
                }
                bottleneck.overlaps.push(Overlap { first, second, answers });
            }
        }
        bottleneck.together = self.together();
        if self.study.has_delays() {
            for (name, _) in self.study.resources.iter().take(MAX_RESOURCES) {
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
        let figure = match view {
            View::Untimed => self.overlap_untimed(first, second),
            _ => self.overlap_timed(first, second),
        };
        self.overlaps.push((first, second, figure.clone()));
        figure
    }
}

/// Returns the resources of a study, as far as they are told apart.
pub(crate) fn resources(study: &Study) -> Vec<Resource> {
    let resource =
        |(name, text): &(Text, Text)| Resource { name: name.text.clone(), busy: text.text.clone() };
    study.resources.iter().take(MAX_RESOURCES).map(resource).collect()
}

/// Returns the events to look at: those of which it is asked how often they happen, or what limits them, or
/// else all.
pub(crate) fn events(study: &Study) -> Vec<Text> {
    let mut events: Vec<Text> = Vec::new();
    for ask in &study.asks {
        let event = match &ask.question {
            Question::Throughput(event) | Question::Bottleneck(event) => event,
            Question::MeanPeriod(event) if study.is_about_labels() => event,
            _ => continue,
        };
        if !events.iter().any(|known| known.text == event.text) {
            events.push(event.clone());
        }
    }
    if events.is_empty() {
        events.extend(study.events.iter().map(|(name, _)| name.clone()));
    }
    events
}
