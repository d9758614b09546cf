//! What came out, with what a report of it needs.

use narrows_model::{Bottleneck, Coverage, Limit, SweepPoint};
use narrows_report::{Analysed, Figures, MeasuredFigure, Report};
use narrows_source::{Diagnostic, Loader};
use narrows_study::{Analysis, Beside, Log, Measured, Study, View};

use crate::{Budget, CheckOptions, Checked, Figure, Model, PreparedStudy, Unanswered, answer};

/// What came out for a model.
#[derive(Debug)]
pub struct ModelFindings {
    /// The model.
    pub model: Model,
    /// What came out.
    pub checked: Checked,
    /// How long it took.
    pub seconds: f64,
}

impl ModelFindings {
    /// Answers what the text of a model asks.
    ///
    /// # Errors
    ///
    /// The engine may refuse the model.
    pub fn of(model: Model, budget: &Budget) -> Result<ModelFindings, Unanswered> {
        let checked = answer(&model, &model.questions(), &CheckOptions::default(), budget)?;
        Ok(ModelFindings { model, checked, seconds: budget.watch.seconds() })
    }

    /// Returns what a report says.
    pub fn report(&self) -> Report<'_> {
        Report::new(&self.model, &self.checked, self.seconds)
    }
}

/// What is done with a study.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StudyTask {
    /// Answer its questions.
    Measure,
    /// The same, and find the bottleneck.
    Bottleneck,
    /// Answer questions about delays and counts, by sets of states where that engine was chosen.
    Bounds,
    /// Estimate means from a random run in which so many delays end.
    Estimate {
        /// How delays are drawn.
        view: View,
        /// How many delays end.
        ends: u64,
        /// What the random generator begins with.
        seed: u64,
    },
}

/// What came out for a study.
#[derive(Debug)]
pub struct StudyFindings {
    /// What was studied.
    pub study: Study,
    /// The model, named after the study and with all texts.
    pub model: Model,
    /// What came out.
    pub measured: Measured,
    /// What limits the design, if that was asked for.
    pub bottleneck: Option<Bottleneck>,
    /// What came out for each combination of values that the study names.
    pub points: Vec<SweepPoint>,
    /// What is wrong with some of them, each message once.
    pub wrong: Vec<Diagnostic>,
    /// States that were covered and belong to no view.
    pub coverage: Option<Coverage>,
    /// How long it took.
    pub seconds: f64,
}

fn figures<'a>(study: &'a Study, model: &'a Model, measured: &'a Measured, seconds: f64) -> Figures<'a> {
    Figures {
        name: &model.name,
        title: &study.title,
        figures: &measured.figures,
        sizes: &measured.sizes,
        sweep: &[],
        seconds,
        model,
        coverage: None,
        width: None,
        digits: None,
        against: None,
    }
}

impl StudyFindings {
    /// Returns what a report says about the questions.
    pub fn figures(&self) -> Figures<'_> {
        let figures = figures(&self.study, &self.model, &self.measured, self.seconds);
        Figures { sweep: &self.points, coverage: self.coverage.as_ref(), ..figures }
    }

    /// Returns what a report says about the bottleneck, if that was asked for.
    pub fn analysed(&self) -> Option<Analysed<'_>> {
        let bottleneck = self.bottleneck.as_ref()?;
        Some(Analysed { figures: self.figures(), unit: &self.study.unit, bottleneck })
    }

    /// Returns the limits that were hit.
    pub fn limits(&self) -> impl Iterator<Item = Limit> {
        let varied = self.points.iter().flat_map(|point| &point.figures);
        self.measured.figures.iter().chain(varied).filter_map(Figure::limit)
    }

    /// Puts what was measured beside what came out.
    pub fn against(&self, log: &Log) -> Vec<MeasuredFigure> {
        let row = |one: Beside| MeasuredFigure {
            question: format!("{} {}, {}", one.kind, one.name, one.view),
            ratio: one.ratio(),
            is_within: one.is_within(),
            unit: one.unit,
            predicted: one.predicted,
            measured: one.measured,
            confidence: one.confidence,
        };
        log.beside(&self.measured.figures).into_iter().map(row).collect()
    }
}

impl PreparedStudy {
    /// Returns what a report says about an analysis that took so many seconds, given the model of the study.
    pub fn analysed<'a>(
        &'a self,
        model: &'a Model,
        Analysis { measured, bottleneck }: &'a Analysis,
        seconds: f64,
    ) -> Analysed<'a> {
        let figures = figures(&self.study, model, measured, seconds);
        Analysed { figures, unit: &self.study.unit, bottleneck }
    }

    /// Does something with the study. With a loader, which finds what models include, it does the same for
    /// each combination of values that the study names.
    ///
    /// # Errors
    ///
    /// What is to be done may not be for its model.
    pub fn find(
        &mut self,
        task: StudyTask,
        sweep: Option<&dyn Loader>,
        budget: &Budget,
    ) -> Result<StudyFindings, Unanswered> {
        let mut coverage = None;
        let (mut measured, bottleneck) = match task {
            StudyTask::Measure => (self.measure(budget), None),
            StudyTask::Bounds => {
                let (measured, covered) = self.bounds(budget)?;
                coverage = covered;
                (measured, None)
            }
            StudyTask::Estimate { view, ends, seed } => (self.estimate(view, ends, seed, budget)?, None),
            StudyTask::Bottleneck => {
                let Analysis { measured, bottleneck } = self.analyse(budget);
                (measured, Some(bottleneck))
            }
        };
        let (points, wrong) =
            sweep.map_or_else(Default::default, |loader| self.sweep(&mut measured, loader, budget));
        let (study, model, seconds) = (self.study.clone(), self.model(), budget.watch.seconds());
        Ok(StudyFindings { study, model, measured, bottleneck, points, wrong, coverage, seconds })
    }
}
