//! Answers the questions of a study about a synchronous system.

use narrows_model::{Answer, Bottleneck, Figure, FigureResult, Question as Asked, Reply, Verdict};
use narrows_performance::timed::Timed;
use narrows_symbolic::Checked;

use super::PreparedMachine;
use super::graph::{Asked as OnGraph, Ground};
use crate::measure::{Measured, Size, blank, expect, formulas, new_figure, span};
use crate::{Ask, Budgets, Question, Study, Text, View};

/// Answers all questions of a study.
pub(crate) fn measure(study: &Study, prepared: &PreparedMachine, budgets: &Budgets<'_>) -> Measured {
    let ground = Ground::new(prepared);
    let mut bench = Bench::new(study, prepared, budgets, &ground);
    bench.ask_machine(false);
    let figures = bench.answers();
    Measured { figures, sizes: bench.sizes }
}

/// A study with its model, and what was found out so far.
pub(super) struct Bench<'a> {
    pub(super) study: &'a Study,
    pub(super) prepared: &'a PreparedMachine,
    budgets: &'a Budgets<'a>,
    /// What the machine was asked, and what came out.
    replies: Vec<(Asked, Reply)>,
    pub(super) sizes: Vec<Size>,
    pub(super) ground: &'a Ground<'a>,
    /// The graph of all states, or why there is none; if it was needed.
    graph: Option<Result<Timed<'a>, FigureResult>>,
    /// The bottlenecks that are known already, by event.
    pub(super) named: Vec<(String, Option<Vec<String>>)>,
}

impl<'a> Bench<'a> {
    pub(super) fn new(
        study: &'a Study,
        prepared: &'a PreparedMachine,
        budgets: &'a Budgets<'a>,
        ground: &'a Ground<'a>,
    ) -> Bench<'a> {
        let (replies, sizes) = (Vec::new(), Vec::new());
        Bench { study, prepared, budgets, replies, sizes, ground, graph: None, named: Vec::new() }
    }

    /// Answers all questions, after the machine was asked.
    pub(super) fn answers(&mut self) -> Vec<Figure> {
        (0..self.study.asks.len()).map(|number| self.answer(number)).collect()
    }

    /// Asks everything that is answered set by set, at once; about all resources, or only those that the study asks about.
    pub(super) fn ask_machine(&mut self, all_resources: bool) {
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
        let started = self.budgets.explicit.watch.seconds();
        let Checked { results, size, .. } =
            narrows_symbolic::check(&self.prepared.machine, &questions, (self.budgets.symbolic)());
        self.replies = questions.into_iter().zip(results).collect();
        self.sizes.extend(size.map(|size| Size {
            view: View::Timed.name(),
            states: size.states.to_string(),
            transitions: None,
            minimised: None,
            seconds: self.budgets.explicit.watch.seconds() - started,
        }));
    }

    /// Returns the numbers of two resources, the smaller one first.
    fn pair(&self, first: &str, second: &str) -> Option<(usize, usize)> {
        let number = |name: &str| self.study.resources.iter().position(|(known, _)| known.text == name);
        let (first, second) = (number(first)?, number(second)?);
        Some((first.min(second), first.max(second)))
    }

    fn reply(&self, question: &Asked) -> Option<&Reply> {
        self.replies.iter().find(|(asked, _)| asked == question).map(|(_, reply)| reply)
    }

    fn answer(&mut self, number: usize) -> Figure {
        let ask = &self.study.asks[number];
        let mut figure = match &ask.question {
            Question::Overlap(first, second) => match self.pair(&first.text, &second.text) {
                Some(pair) => self.overlap(pair),
                None => blank(ask, View::Timed),
            },
            _ if ask.view == Some(View::Stochastic) => refused(ask, NO_CHANCE),
            Question::MeanDelay(..) | Question::MeanCount(..) | Question::Transient(..) => {
                refused(ask, NO_CHANCE)
            }
            Question::Bottleneck(event) => self.name_bottleneck(ask, event),
            _ if self.prepared.asked[number].is_empty() => self.on_graph(ask),
            _ => self.of_replies(ask, &self.prepared.asked[number]),
        };
        ask.name.clone_into(&mut figure.name);
        expect::finish(&mut figure, ask, self.study);
        figure
    }

    /// Names the bottleneck that a question asks for.
    fn name_bottleneck(&mut self, ask: &Ask, event: &Text) -> Figure {
        let mut figure = blank(ask, View::Timed);
        if let Err(result) = self.graph() {
            figure.result = result;
            return figure;
        }
        let known = self.named.iter().find(|(name, _)| *name == event.text).map(|(_, names)| names.clone());
        let names = known.unwrap_or_else(|| self.flow(event, &Bottleneck::default()).bottleneck);
        figure.result = match names {
            Some(names) => FigureResult::Word(names.join(" + ")),
            None => FigureResult::None("There is no bottleneck to name.".to_owned()),
        };
        figure
    }

    /// Puts together what the machine was asked for a question.
    fn of_replies(&self, ask: &Ask, questions: &[Asked]) -> Figure {
        let mut figure = blank(ask, View::Timed);
        let mut found = Vec::new();
        for question in questions {
            match self.reply(question) {
                Some(Reply::Answer(answer)) => {
                    formulas::fill(Answer::clone(answer), &mut figure);
                    return figure;
                }
                Some(Reply::Figure(part)) => {
                    found.push(part.result.clone());
                    let which = if part.kind.starts_with("min") { "least" } else { "most" };
                    let runs = part.witnesses.iter();
                    figure
                        .witnesses
                        .extend(runs.map(|(what, run)| (format!("{which}: {what}"), run.clone())));
                    figure.notes.extend(part.notes.iter().cloned());
                }
                None => return figure,
            }
        }
        let is_time =
            !matches!(ask.question, Question::MinCount(..) | Question::MaxCount(..) | Question::Count(..));
        if is_time {
            self.study.unit.clone_into(&mut figure.unit);
        }
        figure.result = span(&found);
        figure
    }

    /// Says whether two resources can be, or must be, busy at the same time.
    pub(super) fn overlap(&self, pair: (usize, usize)) -> Figure {
        let name = |number: usize| &self.study.resources[number].0.text;
        let name = format!("{} and {}", name(pair.0), name(pair.1));
        let mut figure = new_figure("overlap", name, View::Timed.name());
        let Some([never, inevitable]) = self.prepared.overlaps.get(&pair) else { return figure };
        let verdict = |question: &Asked| match self.reply(question) {
            Some(Reply::Answer(answer)) => Some(&answer.verdict),
            _ => None,
        };
        match verdict(never) {
            Some(Verdict::Holds) => {
                figure.result = FigureResult::Word("never".to_owned());
                return figure;
            }
            Some(Verdict::Fails { trace, .. }) => {
                let what = "a shortest run to where both are busy";
                figure.witnesses.push((what.to_owned(), (**trace).clone()));
            }
            other => {
                figure.result = open(other);
                return figure;
            }
        }
        figure.result = FigureResult::Word("possible".to_owned());
        match verdict(inevitable) {
            Some(Verdict::Holds) => {
                figure.result = FigureResult::Word("inevitable".to_owned());
                figure.notes.push("Every fair run comes to where both are busy.".to_owned());
            }
            Some(Verdict::Fails { trace, .. }) => {
                let what = "a fair run that never comes to where both are busy";
                figure.witnesses.push((what.to_owned(), (**trace).clone()));
            }
            other => {
                let reason = match open(other) {
                    FigureResult::Undecided(limit) => limit.reason().to_owned(),
                    FigureResult::None(reason) => reason,
                    _ => String::new(),
                };
                figure.notes.push(format!("Whether it is inevitable is undecided: {reason}."));
            }
        }
        figure
    }

    /// Answers what is about how often something happens.
    pub(super) fn on_graph(&mut self, ask: &Ask) -> Figure {
        let mut figure = blank(ask, View::Timed);
        let Bench { study, prepared, ground, .. } = *self;
        match self.graph() {
            Err(result) => figure.result = result,
            Ok(timed) => {
                OnGraph { study, prepared, ground, timed }.fill(&ask.question, &mut figure);
            }
        }
        figure
    }

    /// Builds the graph of all states if there is none yet; the error says why there can be none.
    pub(super) fn graph(&mut self) -> Result<&Timed<'a>, FigureResult> {
        if self.graph.is_none() {
            let states = self.sizes.first().map(|size| size.states.clone());
            let built = self.ground.build(states.as_deref(), self.budgets);
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

/// Why there are no means.
const NO_CHANCE: &str = "This is a mean over runs, and an SMV model does not say how likely they are: ask for the least and the most.";

fn refused(ask: &Ask, reason: &str) -> Figure {
    let mut figure = blank(ask, ask.view.unwrap_or(View::Timed));
    figure.result = FigureResult::None(reason.to_owned());
    figure
}

/// Says why there is no answer.
fn open(verdict: Option<&Verdict>) -> FigureResult {
    match verdict {
        Some(Verdict::Undecided(limit)) => FigureResult::Undecided(*limit),
        Some(Verdict::Refused(refusal)) => FigureResult::None(refusal.reason.clone()),
        _ => FigureResult::None("There is no answer".to_owned()),
    }
}
