//! Answers the questions of a study about a synchronous system.

use narrows_explicit::Budget;
use narrows_model::{
    Bottleneck, Checked, Coverage, Figure, FigureResult, Flow, FormKind, Limit, Overlap, Question as Asked,
    Refusal, StateDiagram, ViewSize,
};
use narrows_performance::timed::Timed;

use super::SynchronousStudy;
use super::bottleneck::diagrams;
use super::graph::{GraphSource, Known};
use crate::measure::{Bench, blank, new_figure};
use crate::verdicts::{Asker, Verdicts};
use crate::{Ask, Question, Study, Text, View};

/// A study with its model, and what was found out so far.
pub(crate) struct SynchronousBench<'a> {
    pub(super) study: &'a Study,
    pub(super) prepared: &'a SynchronousStudy,
    budget: Budget,
    asker: Asker<'a>,
    pub(super) sizes: Vec<ViewSize>,
    pub(super) source: &'a GraphSource<'a>,
    /// The graph of all states, or why there is none; if it was needed.
    graph: Option<Result<Timed<'a>, FigureResult>>,
    /// Whether it was asked what engines answer.
    is_asked: bool,
    /// What is known of events.
    flows: Vec<Flow>,
    /// What is known of pairs of resources.
    pub(super) overlaps: Vec<Overlap>,
}

impl<'a> SynchronousBench<'a> {
    pub(crate) fn new(
        study: &'a Study,
        prepared: &'a SynchronousStudy,
        budget: Budget,
        verdicts: &'a dyn Verdicts,
        source: &'a GraphSource<'a>,
    ) -> SynchronousBench<'a> {
        let (asker, sizes) = (Asker::new(verdicts, &budget.watch), Vec::new());
        SynchronousBench {
            study,
            prepared,
            budget,
            asker,
            sizes,
            source,
            graph: None,
            is_asked: false,
            flows: Vec::new(),
            overlaps: Vec::new(),
        }
    }

    /// Asks everything that engines answer, at once and once; about all resources, or only those that the
    /// study asks about.
    pub(super) fn ask_system(&mut self, all_resources: bool) {
        if std::mem::replace(&mut self.is_asked, true) {
            return;
        }
        let mut questions: Vec<Asked> = self.prepared.asked.iter().flatten().cloned().collect();
        let mut pairs: Vec<(usize, usize)> = Vec::new();
        for ask in &self.study.asks {
            if let Question::Overlap(first, second) = &ask.question {
                pairs.extend(self.pair(&first.text, &second.text));
            }
        }
        if all_resources {
            let count = self.study.resources.len();
            pairs.extend((0..count).flat_map(|first| (first + 1..count).map(move |second| (first, second))));
        }
        pairs.sort_unstable();
        pairs.dedup();
        for pair in pairs {
            questions.extend(self.prepared.overlaps.get(&pair).cloned().into_iter().flatten());
        }
        if self.sizes.is_empty() {
            self.ask_and_count(&questions);
        } else {
            self.asker.ask_all(questions.into_iter());
        }
    }

    /// Asks some questions, and notes how many states there are if that comes out.
    fn ask_and_count(&mut self, questions: &[Asked]) {
        let started = self.budget.watch.seconds();
        let found = self.asker.ask(questions, false);
        self.note_size(found.coverage, started);
    }

    /// Finds out how many states there are; the error says why that does not come out.
    fn count(&mut self) -> Result<(), FigureResult> {
        let started = self.budget.watch.seconds();
        let found = self.asker.cover()?;
        self.note_size(found.coverage, started);
        if self.sizes.is_empty() {
            return Err(FigureResult::Undecided(found.limit.unwrap_or(Limit::Memory)));
        }
        Ok(())
    }

    fn note_size(&mut self, coverage: Coverage, started: f64) {
        let states = coverage.sets.and_then(|sets| sets.states);
        self.sizes.extend(states.map(|states| ViewSize {
            view: View::Timed.name(),
            unit: "states",
            states,
            transitions: None,
            minimised: None,
            seconds: self.budget.watch.seconds() - started,
        }));
    }

    /// Returns the numbers of two resources, the smaller one first.
    fn pair(&self, first: &str, second: &str) -> Option<(usize, usize)> {
        let number = |name: &str| self.study.resources.iter().position(|(known, _)| known.text == name);
        let (first, second) = (number(first)?, number(second)?);
        Some((first.min(second), first.max(second)))
    }

    /// Says whether two resources can be, or must be, busy at the same time.
    pub(super) fn overlap(&mut self, pair: (usize, usize)) -> Figure {
        let name = |number: usize| &self.study.resources[number].0.text;
        let name = format!("{} and {}", name(pair.0), name(pair.1));
        let mut figure = new_figure("overlap", name, View::Timed.name());
        if let Some(asked) = self.prepared.overlaps.get(&pair) {
            self.asker.overlap(asked, false, false, &mut figure);
        }
        figure
    }

    /// Answers what is about how often something happens.
    pub(super) fn on_graph(&mut self, ask: &Ask) -> Figure {
        let mut figure = blank(ask, View::Timed);
        let SynchronousBench { study, prepared, source, .. } = *self;
        match self.graph() {
            Err(result) => figure.result = result,
            Ok(timed) => {
                Known { study, prepared, source }.fill(timed, ask, &mut figure);
            }
        }
        figure
    }

    /// Builds the graph of all states if there is none yet; the error says why there can be none.
    pub(super) fn graph(&mut self) -> Result<&Timed<'a>, FigureResult> {
        if self.graph.is_none() {
            // An engine that does not count states may have been the first to answer.
            let counted = if self.sizes.is_empty() { self.count() } else { Ok(()) };
            let states = self.sizes.first().map_or("", |size| size.states.as_str());
            let built = counted.and_then(|()| self.source.build(states, &self.budget));
            if let (Ok(timed), Some(size)) = (&built, self.sizes.first_mut()) {
                size.transitions = Some(timed.edge_count());
            }
            self.graph = Some(built);
        }
        match &self.graph {
            Some(Ok(timed)) => Ok(timed),
            Some(Err(result)) => Err(result.clone()),
            None => Err(FigureResult::None("There is no graph of all states.".to_owned())),
        }
    }
}

impl Bench for SynchronousBench<'_> {
    fn form(&self) -> FormKind {
        FormKind::Synchronous
    }

    /// All are asked together.
    fn group(&self, number: usize) -> Option<usize> {
        let is_overlap = matches!(self.study.asks[number].question, Question::Overlap(..));
        (is_overlap || !self.prepared.asked[number].is_empty()).then_some(0)
    }

    fn cover(&self) -> Result<Checked, Refusal> {
        self.asker.cover()
    }

    fn answer_one(&mut self, number: usize, view: View) -> Vec<Figure> {
        self.ask_system(false);
        let ask = &self.study.asks[number];
        let asked = &self.prepared.asked[number];
        vec![match &ask.question {
            Question::Overlap(first, second) => match self.pair(&first.text, &second.text) {
                Some(pair) => self.overlap(pair),
                None => blank(ask, view),
            },
            _ if asked.is_empty() => self.on_graph(ask),
            _ => self.asker.figure(self.study, ask, asked, view),
        }]
    }

    fn forget_cut(&mut self) {
        self.asker.forget_cut();
        self.is_asked = false;
        self.graph.take_if(|graph| matches!(graph, Err(FigureResult::Undecided(Limit::Time))));
    }

    fn sizes(&self) -> Vec<ViewSize> {
        self.sizes.clone()
    }

    fn resources(&mut self, found: &mut Bottleneck) {
        self.find_resources(found);
    }

    fn look(&mut self, event: &Text) -> Flow {
        self.look_at(event)
    }

    fn flows(&mut self) -> &mut Vec<Flow> {
        &mut self.flows
    }

    fn diagrams(&mut self) -> Vec<StateDiagram> {
        let source = self.source;
        self.graph().map(|timed| diagrams(source, timed)).unwrap_or_default()
    }
}
