//! Studies: a model with delays, events and questions, prepared once and then measured, swept or analysed.

use std::collections::HashSet;
use std::sync::Arc;

use narrows_explicit::Engine as Executor;
use narrows_lts::Graph;
use narrows_model::{
    Coverage, Evaluator, Figure, FigureResult, FormKind, Limit, Model, Refusal, Reply, Share, SweepPoint,
    Watch,
};
use narrows_performance::{StateGraph, stochastic};
use narrows_source::{Diagnostic, Diagnostics, FileId, Loader, Sources, render};
use narrows_study::{
    Analysis, Ask, Measured, ProcessStudy, Question, Study, Subject, Text, Variant, Verdicts, View, trends,
};
use narrows_symbolic::{ProcessWay, bounds_of_processes};

use crate::engines::symbolic::refused;
use crate::{Budget, CheckOptions, Checked, Choice, ExploreOptions, Rejected, Unanswered, answer, explore};

/// What is done with a study, beside answering its questions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StudyUse {
    /// Write the stochastic view as a graph.
    Chain,
    /// Estimate means from random runs.
    Estimate,
    /// Find bounds by sets of states.
    BoundsBySets,
}

impl StudyUse {
    /// Returns why it is not for models of a form, if it isn't.
    pub(crate) fn accepts(self, form: FormKind) -> Result<(), Refusal> {
        let reason = match (self, form) {
            (_, FormKind::Processes) | (StudyUse::Estimate, FormKind::Labelled) => return Ok(()),
            (StudyUse::Chain, _) => "the stochastic view as a graph is for studies on Promela models",
            (StudyUse::Estimate, FormKind::Synchronous) => {
                "a random run needs delays, and one step of an SMV model is one unit of time"
            }
            (StudyUse::BoundsBySets, FormKind::Synchronous) => {
                "bounds of SMV models are always found by sets of states: leave `symbolic` out"
            }
            (StudyUse::BoundsBySets, FormKind::Labelled) => {
                "`symbolic` is for Promela models, and of this one nothing is known but its labels"
            }
        };
        Err(Refusal::new(reason))
    }
}

/// A study together with its model.
#[derive(Debug)]
pub struct PreparedStudy {
    /// What it is called: mostly the name of its file.
    pub name: String,
    /// What it says.
    pub study: Study,
    /// Its text, and those of its model.
    pub sources: Sources,
    /// What is wrong with it, but does no harm.
    pub warnings: Vec<Diagnostic>,
    /// Which engine answers what is asked of the model as such: verdicts, and bounds of synchronous systems.
    pub engine: Choice,
    /// The model's file.
    file: FileId,
    pub(crate) subject: Subject,
}

impl PreparedStudy {
    /// Puts a study and its model together. The model is given by its name and its text; the diagnostics are
    /// what was wrong with the study so far.
    ///
    /// # Errors
    ///
    /// It is rejected if something in it, or in the model, is wrong; all of that is in the result.
    pub fn new(
        name: String,
        study: Study,
        model: Option<(String, String)>,
        mut sources: Sources,
        mut diagnostics: Diagnostics,
        loader: &dyn Loader,
    ) -> Result<PreparedStudy, Box<Rejected>> {
        let mut file = FileId(0);
        let subject = match model {
            Some((name, text)) if !diagnostics.has_errors() => {
                file = sources.add(name, text);
                Subject::prepare(&study, &mut sources, file, loader, &mut diagnostics)
            }
            _ => None,
        };
        let diagnostics = diagnostics.sorted();
        match subject {
            Some(subject) => {
                let engine = Choice::Automatic;
                Ok(PreparedStudy { name, study, sources, warnings: diagnostics, engine, file, subject })
            }
            None => Err(Box::new(Rejected { sources, diagnostics })),
        }
    }

    /// Returns the model, named after the study and with all texts.
    pub fn model(&self) -> Model {
        self.subject.own_model(&self.name, &self.sources)
    }

    /// Returns the model with what the study asks of it.
    fn asked_model(&self) -> Model {
        self.subject.model(&self.name, &self.sources)
    }

    /// Answers all questions.
    pub fn measure(&self, budget: &Budget) -> Measured {
        let engines = Engines { model: &self.asked_model(), engine: self.engine, budget };
        self.subject.measure(&self.study, budget, &engines)
    }

    /// Answers all questions, and finds the bottleneck.
    pub fn analyse(&self, budget: &Budget) -> Analysis {
        let engines = Engines { model: &self.asked_model(), engine: self.engine, budget };
        self.subject.analyse(&self.study, budget, &engines, &mut |_| {})
    }

    /// Finds the bottleneck, without what takes longest: no other questions, no gains of faster delays, and
    /// overlap with time alone where there is time. What is known before the means are, `tell` gets.
    pub fn first_look(&self, budget: &Budget, tell: &mut dyn FnMut(&Analysis)) -> Analysis {
        let engines = Engines { model: &self.asked_model(), engine: self.engine, budget };
        self.subject.analyse(&self.at_first(), budget, &engines, tell)
    }

    /// Estimates the same from a few random runs; `None` if that is not for the model, if a first look does
    /// no more than this, or if it was ended before something was known.
    pub fn rough_look(&self, budget: &Budget) -> Option<Analysis> {
        let study = self.at_first();
        let is_synchronous = self.subject.form() == FormKind::Synchronous;
        if !study.has_delays() || study.is_simulated() || is_synchronous {
            return None;
        }
        let engines = Engines { model: &self.asked_model(), engine: self.engine, budget };
        let found = self.subject.analyse(&study.estimated(), budget, &engines, &mut |_| {});
        let is_cut = |figure: &Figure| matches!(figure.result, FigureResult::Undecided(_));
        let is_empty = found.bottleneck.flows.iter().flat_map(|flow| &flow.throughput).all(is_cut);
        (!is_empty).then_some(found)
    }

    /// Returns the study with nothing but what is asked at first.
    fn at_first(&self) -> Study {
        let about = |ask: &Ask| {
            matches!(
                ask.question,
                Question::Throughput(_) | Question::Bottleneck(_) | Question::MeanPeriod(_)
            )
        };
        let mut study = Study { is_first_look: true, ..self.study.clone() };
        study.asks.retain(about);
        study
    }

    /// Answers the questions with each combination of values that the study names; also returns what is wrong
    /// with some of them, each message once. What is expected along the sweep is added to what was measured.
    ///
    /// Each combination gets a share of the time, so that one that takes long leaves time for the others.
    pub fn sweep(
        &mut self,
        measured: &mut Measured,
        loader: &dyn Loader,
        budget: &Budget,
    ) -> (Vec<SweepPoint>, Vec<Diagnostic>) {
        let share = Arc::new(Share::new(&budget.watch));
        let budget = &Budget { watch: share.clone(), ..budget.clone() };
        let variants = self.study.variants();
        let (mut points, mut wrong, mut open) = (Vec::new(), Vec::new(), Vec::new());
        for (number, Variant { settings, study }) in variants.iter().enumerate() {
            share.take(variants.len() - number);
            let had = share.seconds_left();
            let figures = self.point(study, loader, budget, &mut wrong);
            if figures.iter().any(|figure| matches!(figure.result, FigureResult::Undecided(Limit::Time))) {
                open.push((number, had));
            }
            points.push(SweepPoint { settings: settings.clone(), figures });
        }
        // The others may have left more time than these had.
        for (place, (number, had)) in open.iter().enumerate() {
            share.take(open.len() - place);
            if share.seconds_left() > *had {
                points[*number].figures = self.point(&variants[*number].study, loader, budget, &mut wrong);
            }
        }
        measured.figures.extend(trends(&self.study, &points));
        // Each combination reads the model anew, so the same place has another number: texts are compared.
        let mut said = HashSet::new();
        wrong.retain(|diagnostic| said.insert(render(diagnostic, &self.sources, false)));
        (points, wrong)
    }

    /// Answers the questions with one combination of values.
    fn point(
        &mut self,
        study: &Study,
        loader: &dyn Loader,
        budget: &Budget,
        wrong: &mut Vec<Diagnostic>,
    ) -> Vec<Figure> {
        let mut study = study.clone();
        study.expect_nothing();
        let mut diagnostics = Diagnostics::default();
        let subject = Subject::prepare(&study, &mut self.sources, self.file, loader, &mut diagnostics);
        let Some(subject) = subject else {
            wrong.extend(diagnostics.sorted());
            return Vec::new();
        };
        let model = &subject.model(&self.name, &self.sources);
        let engines = Engines { model, engine: self.engine, budget };
        let mut figures = subject.measure(&study, budget, &engines).figures;
        // A table shows numbers; the runs behind them are those of one study at a time.
        for figure in &mut figures {
            figure.witnesses.clear();
        }
        figures
    }

    /// Estimates means from a random run in which so many delays end.
    ///
    /// # Errors
    ///
    /// It is refused where a model has no delays but steps.
    pub fn estimate(
        &self,
        view: View,
        ends: u64,
        seed: u64,
        budget: &Budget,
    ) -> Result<Measured, Unanswered> {
        StudyUse::Estimate.accepts(self.subject.form())?;
        let engines = Engines { model: &self.asked_model(), engine: self.engine, budget };
        Ok(self.subject.estimate(&self.study, budget, &engines, view, (ends, seed)))
    }

    /// Returns the stochastic view as a graph with rates.
    ///
    /// # Errors
    ///
    /// It is refused where the model has no processes, or there is no such view within the budget.
    pub fn chain(&self, budget: &Budget) -> Result<Graph, Unanswered> {
        let refuse = |reason: &str| Refusal::new(reason).into();
        let prepared = self.processes(StudyUse::Chain)?;
        let executor = Executor::automatic(Evaluator::new(&prepared.system));
        let graph = StateGraph::new(&executor, Some(&prepared.system), &prepared.timing, budget.clone());
        let view = graph.and_then(stochastic::build);
        let view = view.map_err(|_| refuse("there is no stochastic view, and nothing to write"))?;
        let graph = view.graph(&prepared.event_names());
        graph.map_err(|_| refuse("the stochastic view is too large for a graph"))
    }

    /// Answers questions about delays and counts: by sets of states if that engine was chosen, which also
    /// tells what it covered.
    ///
    /// # Errors
    ///
    /// By sets, it is refused where the model has no processes, or not for sets of states, or a statement is
    /// counted.
    pub fn bounds(&self, budget: &Budget) -> Result<(Measured, Option<Coverage>), Unanswered> {
        if self.engine == Choice::Symbolic {
            let (measured, coverage) = self.bounds_by_sets(budget)?;
            return Ok((measured, Some(coverage)));
        }
        Ok((self.measure(budget), None))
    }

    fn bounds_by_sets(&self, budget: &Budget) -> Result<(Measured, Coverage), Unanswered> {
        let prepared = self.processes(StudyUse::BoundsBySets)?;
        if self.study.asks.iter().any(|ask| !ask.anywhere) {
            let reason =
                "`symbolic` knows states, and not what has just become true: begin `--within` a predicate";
            return Err(Refusal::new(reason).into());
        }
        let predicate = |text: &Text| {
            let (expr, text) = (prepared.predicate(text), text.text.clone());
            let reason = || format!("`symbolic` counts states, and `{text}` is a statement: leave it out");
            let expr = expr.ok_or_else(|| Refusal::new(reason()))?;
            Ok::<_, Refusal>((expr.clone(), text))
        };
        let mut way: Option<ProcessWay> = None;
        for ask in &self.study.asks {
            match &ask.question {
                Question::MinDelay(from, to) => {
                    let (from, to) = (predicate(from)?, predicate(to)?);
                    way = Some(ProcessWay { from, to, counted: Vec::new() });
                }
                Question::MinCount(what, ..) => {
                    if let Some(way) = &mut way {
                        way.counted.push(predicate(what)?);
                    }
                }
                _ => {}
            }
        }
        let nothing = || Refusal::new("there is nothing to measure");
        let evaluator = Evaluator::new(&prepared.system);
        let bounded = bounds_of_processes(&evaluator, &way.ok_or_else(nothing)?, budget);
        let bounded = bounded.map_err(refused)?;
        let figure = |reply| if let Reply::Figure(figure) = reply { Some(*figure) } else { None };
        let mut figures: Vec<Figure> = bounded.replies.into_iter().filter_map(figure).collect();
        for (figure, ask) in figures.iter_mut().zip(&self.study.asks) {
            figure.name.clone_from(&ask.name);
        }
        Ok((Measured { figures, sizes: Vec::new() }, bounded.coverage))
    }

    /// Returns the processes that something is done with.
    fn processes(&self, what: StudyUse) -> Result<&ProcessStudy, Refusal> {
        what.accepts(self.subject.form())?;
        match &self.subject {
            Subject::Processes(prepared) => Ok(prepared),
            _ => Err(Refusal::new("this is for Promela models")),
        }
    }
}

/// The engines of this library, for the verdicts that a study asks for.
struct Engines<'a> {
    model: &'a Model,
    engine: Choice,
    budget: &'a Budget,
}

impl Verdicts for Engines<'_> {
    fn answer(
        &self,
        questions: &[narrows_model::Question],
        fair: bool,
        seconds: Option<f64>,
    ) -> Result<Checked, Refusal> {
        let watch = Arc::new(Share::of(&self.budget.watch, seconds));
        let budget = Budget { watch, ..self.budget.clone() };
        let options = CheckOptions { engine: self.engine, fair, ..CheckOptions::default() };
        answer(self.model, questions, &options, &budget).map_err(refusal)
    }

    fn cover(&self, seconds: Option<f64>) -> Result<Checked, Refusal> {
        let watch = Arc::new(Share::of(&self.budget.watch, seconds));
        let budget = Budget { watch, ..self.budget.clone() };
        explore(self.model, &ExploreOptions::default(), &budget).map_err(refusal)
    }
}

/// Says in the words of an engine why there is no answer.
fn refusal(why: Unanswered) -> Refusal {
    match why {
        Unanswered::Refused(refusal) => refusal,
        wrong @ Unanswered::Internal(_) => Refusal::new(wrong.to_string()),
    }
}
