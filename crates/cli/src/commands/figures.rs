//! What commands that measure have in common: options, a model with questions, and how figures are reported.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use anyhow::Context;
use clap::{Args, ValueEnum};
use narrows::{Choice, Loader, PreparedStudy, StudyFindings, StudyTask, StudyText, Unanswered, of_ending};
use narrows_lts::aut;
use narrows_model::Bottleneck;
use narrows_report::{Against, Analysed, Figures, MAX_DIGITS, StudyPage, json_diagnostics};
use narrows_source::Diagnostic;
use narrows_study::{Log, StudyEngine, View};

use super::files::{check_page, write};
use crate::input::{Disk, Models, expand, not_for_sets, read_text, unreadable};
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
    /// Delays and counts in steps.
    Bounds,
    /// By a random run in which so many delays end.
    Random { view: View, ends: u64, seed: u64 },
}

impl Way<'_> {
    /// Returns whether something is written even if nothing is asked.
    fn writes(self) -> bool {
        matches!(self, Way::Whole { chain: Some(_), .. })
    }
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
    /// Does something with a study, and says which limits were hit and what is wrong with some points of its
    /// sweep; a refusal that has a place in the text is shown there.
    pub(super) fn find(
        &self,
        prepared: &mut PreparedStudy,
        task: StudyTask,
        clock: &Clock,
    ) -> anyhow::Result<Result<StudyFindings, Outcome>> {
        let disk = self.disk();
        let is_swept = matches!(task, StudyTask::Measure | StudyTask::Bottleneck);
        let found = prepared.find(task, is_swept.then_some(&disk as &dyn Loader), &clock.budget());
        watchdog::tell();
        let seconds = clock.finish();
        let found = match found {
            Ok(found) => StudyFindings { seconds, ..found },
            Err(Unanswered::Refused(refusal)) if refusal.span.is_some() => {
                let diagnostic = not_for_sets(&prepared.sources, &refusal);
                let document = json_diagnostics(&prepared.name, &[diagnostic], &prepared.sources, None);
                return Outcome::refused(document).map(Err);
            }
            Err(other) => return Err(other.into()),
        };
        limits::remember(self.quiet, found.limits());
        output::diagnostics(&found.wrong, &prepared.sources);
        Ok(Ok(found))
    }

    /// Returns what a report says, as the options want it.
    pub(super) fn figures<'f>(&self, found: &'f StudyFindings) -> Figures<'f> {
        Figures { width: output::width(), digits: self.digits, ..found.figures() }
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
            "`{name}` is a model, and this is for studies: a study names its model, and says how long things \
             take"
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
        let task = match way {
            Way::Bounds => StudyTask::Bounds,
            Way::Random { view, ends, seed } => StudyTask::Estimate { view, ends, seed },
            Way::Whole { chain, engine, .. } => {
                prepared.study.simulation.engine = engine.choice();
                if let Some(path) = chain {
                    write(path, &aut::write(&prepared.chain(&clock.budget())?))?;
                }
                StudyTask::Measure
            }
        };
        let found = match self.find(&mut prepared, task, &clock)? {
            Ok(found) => found,
            Err(said) => return Ok(said),
        };
        let (log, csv) = match way {
            Way::Whole { against, csv, .. } => (against, csv),
            _ => (None, None),
        };
        let rows = log.map(|(_, measured)| found.against(measured));
        let against = log.zip(rows.as_ref()).map(|((log, _), rows)| Against { log, rows });
        let figures = Figures { against, ..self.figures(&found) };
        if let Some(path) = csv {
            write(path, &figures.csv())?;
        }
        let outcome = Outcome::new(figures.status(), || figures.text(self.runs), || figures.document())?;
        if let Some(page) = page {
            let bottleneck = Bottleneck::default();
            page.add(&Analysed { figures, unit: &found.study.unit, bottleneck: &bottleneck }, &[]);
        }
        Ok(outcome)
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
