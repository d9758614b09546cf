//! What commands that measure have in common: options, a model with questions, and how figures are reported.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use anyhow::Context;
use clap::{Args, ValueEnum};
use narrows::{Budget, Choice, PreparedStudy, StudyText, of_ending};
use narrows_lts::aut;
use narrows_model::{Bottleneck, Coverage, Figure, SweepPoint};
use narrows_report::{Against, Analysed, Figures, MAX_DIGITS, MeasuredFigure, StudyPage, json_diagnostics};
use narrows_source::Diagnostic;
use narrows_study::{Beside, Log, Measured, StudyEngine, View};

use super::files::{check_page, write};
use crate::input::{Disk, Models, expand, read_text, unreadable};
use crate::limits::{self, Clock, interrupt_flag};
use crate::output::{self, Format, Outcome};
use crate::reading;
use crate::watchdog::{self, Work};

/// What may be used, and how figures are written.
#[derive(Args)]
pub(crate) struct Options {
    /// Print the run behind each figure
    #[arg(long)]
    pub(crate) runs: bool,

    /// Choose how the report is written
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: Format,

    /// Show up to this many significant digits of a result, as far as they are certain [default: 6]
    #[arg(long, value_name = "N", value_parser = digits)]
    pub(crate) digits: Option<usize>,

    /// Look for included files in this folder too
    #[arg(short = 'I', value_name = "DIR")]
    include: Vec<PathBuf>,

    /// Use at most this much memory, such as 4G or 500M [default: 80 % of what the machine has]
    #[arg(long, value_name = "SIZE", value_parser = limits::parse_memory)]
    pub(crate) memory: Option<u64>,

    /// Stop after this time, such as 90s, 5m or 1h30m
    #[arg(long, value_name = "TIME", value_parser = limits::parse_time)]
    pub(crate) time: Option<std::time::Duration>,

    /// Show neither progress nor warnings
    #[arg(long, short)]
    pub(crate) quiet: bool,

    /// Which engine answers what is asked of the model as such.
    #[arg(skip)]
    engine: Choice,
}

/// Who answers what a study asks about time.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum TimeEngine {
    /// Exact views, and estimates of what they leave undecided
    Automatic,
    /// Exact views alone
    Exact,
    /// Simulation
    Simulation,
}

impl TimeEngine {
    pub(super) fn choice(self) -> StudyEngine {
        match self {
            TimeEngine::Automatic => StudyEngine::Automatic,
            TimeEngine::Exact => StudyEngine::Exact,
            TimeEngine::Simulation => StudyEngine::Simulation,
        }
    }
}

/// Reads a number of digits.
pub(super) fn digits(text: &str) -> Result<usize, String> {
    let digits = text.parse().ok().filter(|digits| (1..=MAX_DIGITS).contains(digits));
    digits.ok_or_else(|| format!("write a whole number from 1 to {MAX_DIGITS}"))
}

/// Files to which answers go too.
#[derive(Clone, Copy)]
pub(super) struct Files<'a> {
    /// The stochastic view of a single study.
    pub(super) chain: Option<&'a Path>,
    /// A page with all answers.
    pub(super) html: Option<&'a Path>,
    /// The answers of a single study as comma-separated values.
    pub(super) csv: Option<&'a Path>,
    /// Who answers what is asked about time.
    pub(super) engine: TimeEngine,
    /// What was measured, and the name of the log.
    pub(super) against: Option<(&'a str, &'a Log)>,
}

/// How questions are answered.
#[derive(Clone, Copy)]
pub(super) enum Way<'a> {
    /// By looking at everything; the stochastic view may go to a file.
    Whole {
        chain: Option<&'a Path>,
        csv: Option<&'a Path>,
        against: Option<(&'a str, &'a Log)>,
        engine: TimeEngine,
    },
    /// By a random run in which so many delays end.
    Random { view: View, ends: u64, seed: u64 },
}

impl Way<'_> {
    /// Returns whether something is written even if nothing is asked.
    fn writes(self) -> bool {
        matches!(self, Way::Whole { chain: Some(_), .. })
    }
}

/// Puts what was measured beside figures.
fn measured_beside(log: &Log, figures: &[Figure]) -> Vec<MeasuredFigure> {
    let row = |one: Beside| MeasuredFigure {
        question: format!("{} {}, {}", one.kind, one.name, one.view),
        unit: one.unit.clone(),
        predicted: one.predicted,
        measured: one.measured,
        confidence: one.confidence,
        ratio: one.ratio(),
        is_within: one.is_within(),
    };
    log.beside(figures).into_iter().map(row).collect()
}

/// Says that a study asks nothing, and what it could ask.
fn nothing_asked(prepared: &PreparedStudy, error: Diagnostic) -> anyhow::Result<Outcome> {
    let PreparedStudy { name, sources, .. } = prepared;
    let diagnostics = [error];
    output::diagnostics(&diagnostics, sources);
    Outcome::refused(json_diagnostics(name, &diagnostics, sources, None))
}

/// Ends the documents, and prints what is to be said to people; returns the exit status.
pub(super) fn print(said: Vec<Outcome>) -> anyhow::Result<u8> {
    let statuses: Vec<u8> = said.iter().map(|one| one.status).collect();
    output::end_documents()?;
    let texts: Vec<String> = said.into_iter().map(|one| one.text).filter(|text| !text.is_empty()).collect();
    output::print_report(&texts.join("\n"))?;
    Ok(output::worst(&statuses))
}

impl Options {
    /// Puts everything together that a report says about a study.
    pub(super) fn report<R>(
        &self,
        prepared: &PreparedStudy,
        measured: &Measured,
        sweep: &[SweepPoint],
        seconds: f64,
        coverage: Option<&Coverage>,
        write: impl FnOnce(Figures<'_>) -> R,
    ) -> R {
        let varied = sweep.iter().flat_map(|point| &point.figures);
        limits::remember(self.quiet, measured.figures.iter().chain(varied).filter_map(Figure::limit));
        let sizes = measured.sizes.as_slice();
        let (name, title) = (&prepared.name, &prepared.study.title);
        let (model, figures) = (&prepared.model(), measured.figures.as_slice());
        let (width, digits) = (output::width(), self.digits);
        write(Figures {
            name,
            title,
            figures,
            sizes,
            sweep,
            seconds,
            model,
            coverage,
            width,
            digits,
            against: None,
        })
    }

    pub(super) fn is_json(&self) -> bool {
        self.format == Format::Json
    }

    /// Makes the options of a command that has few of its own.
    pub(super) fn plain(include: &[PathBuf], quiet: bool) -> Options {
        let (runs, format, include) = (false, Format::Text, include.to_vec());
        let engine = Choice::Automatic;
        Options { runs, format, digits: None, include, memory: None, time: None, quiet, engine }
    }

    /// Makes the options of a command that also takes models.
    pub(super) fn of(models: &Models) -> Options {
        Options {
            runs: false,
            digits: None,
            format: models.format,
            include: models.include.clone(),
            memory: models.memory,
            time: models.time,
            quiet: models.quiet,
            engine: models.choice(),
        }
    }

    /// Answers the questions of some studies, and prints the answers; returns the exit status.
    pub(super) fn answer_all(
        &self,
        files: &[PathBuf],
        definitions: &[String],
        Files { chain, html, csv, against, engine }: Files<'_>,
    ) -> anyhow::Result<u8> {
        html.map_or(Ok(()), check_page)?;
        let interrupted = interrupt_flag()?;
        let mut said = Vec::new();
        let studies = expand(files, &["toml"])?;
        anyhow::ensure!(chain.is_none() || studies.len() == 1, "--chain goes with one study");
        anyhow::ensure!(csv.is_none() || studies.len() == 1, "--csv goes with one study");
        let mut page = html.map(|_| StudyPage::default());
        self.begin(studies.len())?;
        for path in studies {
            let way = Way::Whole { chain, csv, against, engine };
            said.push(self.answer_study(&path, definitions, way, page.as_mut(), &interrupted)?);
        }
        if let (Some(page), Some(html)) = (page, html) {
            write(html, &page.write())?;
        }
        print(said)
    }

    /// Reads a study and answers its questions. Definitions are constants that the user gives other values.
    pub(super) fn answer_study(
        &self,
        path: &Path,
        definitions: &[String],
        way: Way<'_>,
        page: Option<&mut StudyPage>,
        interrupted: &Arc<AtomicBool>,
    ) -> anyhow::Result<Outcome> {
        match self.load(path, definitions, &[])? {
            Ok(prepared) => match prepared.nothing_asked().filter(|_| !way.writes()) {
                Some(error) => nothing_asked(&prepared, error),
                None => self.answer(prepared, way, page, interrupted),
            },
            Err(said) => Ok(said),
        }
    }

    /// Reads a study and its model. The changes are delays and constants that the user gives
    /// other values.
    pub(super) fn load(
        &self,
        path: &Path,
        definitions: &[String],
        changes: &[String],
    ) -> anyhow::Result<Result<PreparedStudy, Outcome>> {
        let name = path.display().to_string();
        anyhow::ensure!(
            of_ending(&name).is_none(),
            "`{name}` is a model, and this is for studies: a study names its model, and says how long things take"
        );
        let text = read_text(path).map_err(|error| anyhow::anyhow!(unreadable(path, &error)))?;
        let mut study = StudyText::read(&name, text);
        for definition in definitions {
            let (constant, value) = definition.split_once('=').context("write -D NAME=VALUE")?;
            study.define(constant, value);
        }
        for change in changes {
            study.change(change)?;
        }
        let model = study.model().map(|model| path.with_file_name(model));
        self.prepare(&name, study, model.as_deref())
    }

    /// Reads the model of a study.
    pub(super) fn prepare(
        &self,
        name: &str,
        study: StudyText,
        model: Option<&Path>,
    ) -> anyhow::Result<Result<PreparedStudy, Outcome>> {
        watchdog::limit(Work::Reading, self.time, self.memory);
        let model = match model {
            Some(path) => {
                let text = reading::check_named(path).and_then(|()| read_text(path));
                let text = text.map_err(|error| anyhow::anyhow!(unreadable(path, &error)))?;
                Some((path.display().to_string(), text))
            }
            None => None,
        };
        match study.prepare(model, &self.disk()) {
            Ok(mut prepared) => {
                prepared.engine = self.engine;
                if !self.quiet {
                    output::diagnostics(&prepared.warnings, &prepared.sources);
                }
                Ok(Ok(prepared))
            }
            Err(rejected) => {
                output::diagnostics(&rejected.diagnostics, &rejected.sources);
                let document = json_diagnostics(name, &rejected.diagnostics, &rejected.sources, None);
                Outcome::refused(document).map(Err)
            }
        }
    }

    /// Returns what finds included files.
    fn disk(&self) -> Disk<'_> {
        Disk { folders: &self.include }
    }

    /// Answers the questions of a study about a model.
    pub(super) fn answer(
        &self,
        mut prepared: PreparedStudy,
        way: Way<'_>,
        page: Option<&mut StudyPage>,
        interrupted: &Arc<AtomicBool>,
    ) -> anyhow::Result<Outcome> {
        let clock = self.clock(&prepared.name, interrupted);
        let budget = clock.budget();
        let (measured, points) = match way {
            Way::Whole { chain, engine, .. } => {
                prepared.study.simulation.engine = engine.choice();
                if let Some(path) = chain {
                    write(path, &aut::write(&prepared.chain(&budget)?))?;
                }
                let mut measured = prepared.measure(&budget);
                let points = self.sweep(&mut prepared, &mut measured, &budget);
                watchdog::tell();
                (measured, points)
            }
            Way::Random { view, ends, seed } => (prepared.estimate(view, ends, seed, &budget)?, Vec::new()),
        };
        let seconds = clock.finish();
        self.report(&prepared, &measured, &points, seconds, None, |figures| {
            let beside = match way {
                Way::Whole { against: Some((log, measured)), .. } => {
                    Some((log, measured_beside(measured, figures.figures)))
                }
                _ => None,
            };
            let against = beside.as_ref().map(|(log, rows)| Against { log, rows });
            let figures = Figures { against, ..figures };
            if let Way::Whole { csv: Some(path), .. } = way {
                write(path, &figures.csv())?;
            }
            let text = || figures.text(self.runs);
            let outcome = Outcome::new(figures.status(), text, || figures.document())?;
            if let Some(page) = page {
                let bottleneck = Bottleneck::default();
                page.add(&Analysed { figures, unit: &prepared.study.unit, bottleneck: &bottleneck }, &[]);
            }
            Ok(outcome)
        })
    }

    /// Measures a study with each combination of values that it names, and shows what is wrong with some of
    /// them.
    pub(super) fn sweep(
        &self,
        prepared: &mut PreparedStudy,
        measured: &mut Measured,
        budget: &Budget,
    ) -> Vec<SweepPoint> {
        let (points, wrong) = prepared.sweep(measured, &self.disk(), budget);
        output::diagnostics(&wrong, &prepared.sources);
        points
    }

    /// Returns the clock that limits the work on something.
    pub(crate) fn clock(&self, about: &str, interrupted: &Arc<AtomicBool>) -> Clock {
        watchdog::limit(Work::Searching, self.time, self.memory);
        Clock::with(self.time, self.memory, self.quiet, about, interrupted)
    }

    /// Begins to answer so many studies: documents are printed as soon as they are there.
    pub(super) fn begin(&self, studies: usize) -> anyhow::Result<()> {
        if self.is_json() && studies > 1 { output::begin_documents() } else { Ok(()) }
    }
}
