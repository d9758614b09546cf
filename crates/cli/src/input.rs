//! Model files: finding, reading, compiling.

use std::collections::BTreeMap;
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::{Args, ValueEnum};
use narrows::{
    Choice, Diagnostic, Formula, LANGUAGES, LoadError, Loaded, Loader, Model, Options, Refusal, Rejected,
    Sources, Unanswered,
};
use narrows_report::{Document, json_diagnostics};
use narrows_source::{Span, closest};

use crate::output::{self, Format};
use crate::watchdog::{self, Work};
use crate::{cluster, limits, reading};

/// Which models, how they are read, and what a search may use.
#[derive(Args)]
pub(crate) struct Models {
    /// Model files, or folders: every model in them
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,

    /// Define a macro, as in C; in SMV, give a DEFINE or a FROZENVAR of `main` this value; in LOTOS, a
    /// parameter of the specification
    #[arg(short = 'D', value_name = "NAME[=VALUE]")]
    pub(crate) definitions: Vec<String>,

    /// Look for included files in this folder too
    #[arg(short = 'I', value_name = "DIR")]
    pub(crate) include: Vec<PathBuf>,

    /// Choose how the report is written
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: Format,

    /// Choose the engine [default: machine code for all but small Promela models, where supported; all
    /// engines for SMV models, side by side]
    #[arg(long, value_name = "ENGINE")]
    engine: Option<EngineName>,

    /// Search on this many threads [default: one for each core]; answers do not depend on it
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(crate) threads: Option<u16>,

    /// Use at most this much memory, such as 4G or 500M [default: 80 % of what the machine has]
    #[arg(long, value_name = "SIZE", value_parser = limits::parse_memory)]
    pub(crate) memory: Option<u64>,

    /// Use at most this much memory of a GPU [default: what is free]
    #[arg(long, value_name = "SIZE", value_parser = limits::parse_memory)]
    pub(crate) gpu_memory: Option<u64>,

    /// Stop after this time, such as 90s, 5m or 1h30m, for each model
    #[arg(long, value_name = "TIME", value_parser = limits::parse_time)]
    pub(crate) time: Option<std::time::Duration>,

    /// Show neither progress nor warnings
    #[arg(long, short)]
    pub(crate) quiet: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum EngineName {
    /// What fits the model
    Auto,
    /// Promela: machine code from the start; an error where it is not supported
    Native,
    /// Promela: the reference evaluator
    Interpreter,
    /// Promela: every state on an NVIDIA GPU, for assertions, deadlocks and faults
    Gpu,
    /// Sets of states, as binary decision diagrams: for SMV, and for Promela with many states of few
    /// processes
    #[value(alias = "bdd")]
    Symbolic,
    /// SMV: bounded model checking by SAT: finds counterexamples, proves little
    Bmc,
    /// SMV: k-induction by SAT
    Induction,
    /// SMV: IC3 by SAT: an inductive invariant, found step by step
    Ic3,
}

impl Models {
    /// Returns which engine is to answer.
    pub(crate) fn choice(&self) -> Choice {
        match self.engine {
            None | Some(EngineName::Auto) => Choice::Automatic,
            Some(EngineName::Native) => Choice::Native,
            Some(EngineName::Interpreter) => Choice::Interpreter,
            Some(EngineName::Gpu) => Choice::Gpu,
            Some(EngineName::Symbolic) => Choice::Symbolic,
            Some(EngineName::Bmc) => Choice::Bounded,
            Some(EngineName::Induction) => Choice::Induction,
            Some(EngineName::Ic3) => Choice::Ic3,
        }
    }

    pub(crate) fn is_json(&self) -> bool {
        self.format == Format::Json
    }

    /// Prints a report in the format that was asked for; returns the exit status that goes with it. A text
    /// may be empty if there is nothing to say to people.
    pub(crate) fn say<'d>(
        &self,
        status: u8,
        text: impl FnOnce() -> String,
        document: impl FnOnce() -> Document<'d>,
    ) -> anyhow::Result<u8> {
        if cluster::is_silent() {
            return Ok(status);
        }
        if self.is_json() { output::print_document(&document()) } else { output::print_next(&text()) }?;
        Ok(status)
    }

    /// Runs a command on every model, which prints a report; returns the exit status.
    ///
    /// The formulas are asked of every model, beside what its text claims.
    pub(crate) fn each(
        &self,
        formulas: &[Formula],
        mut run: impl FnMut(&Model) -> anyhow::Result<u8>,
    ) -> anyhow::Result<u8> {
        let files = self.expand()?;
        let mut statuses = Vec::new();
        if self.is_json() && files.len() > 1 {
            output::begin_documents()?;
        }
        for file in &files {
            watchdog::limit(Work::Reading, self.time, self.memory);
            let status = match self.load(file, formulas)? {
                Ok(model) => run(&model)?,
                Err(status) => status,
            };
            output::begin_next();
            statuses.push(status);
        }
        output::end_documents()?;
        Ok(output::worst(&statuses))
    }

    /// Says that an engine does not take a model or a question, and why.
    pub(crate) fn refused(&self, model: &Model, why: Unanswered) -> anyhow::Result<u8> {
        let Unanswered::Refused(refusal) = why else { return Err(why.into()) };
        if !refusal.span.is_some_and(|span| model.sources.files().any(|(id, _)| id == span.file)) {
            anyhow::bail!("{}: {}", model.name, refusal.reason);
        }
        let diagnostic = not_for_sets(&model.sources, &refusal);
        self.say(2, String::new, || {
            json_diagnostics(&model.name, std::slice::from_ref(&diagnostic), &model.sources, None).into()
        })
    }

    /// Reads the model for other processes: returns all files that this takes, or shows what is wrong with
    /// it and returns the exit status.
    pub(crate) fn preload(&self) -> anyhow::Result<Result<BTreeMap<String, String>, u8>> {
        anyhow::ensure!(
            self.studies()?.is_none(),
            "several machines search models: there are no studies yet"
        );
        self.ensure_one("a search on several machines")?;
        let files = self.expand()?;
        watchdog::limit(Work::Reading, self.time, self.memory);
        let (loaded, read) = reading::recorded(|| self.load(&files[0], &[]));
        Ok(loaded?.map(|_| read))
    }

    /// Makes sure that there is one model, if an option needs that.
    pub(crate) fn ensure_one(&self, option: &str) -> anyhow::Result<()> {
        let count = self.expand()?.len();
        anyhow::ensure!(count == 1, "{option} is for one model, and there are {count}");
        Ok(())
    }

    fn expand(&self) -> anyhow::Result<Vec<PathBuf>> {
        let endings = model_endings();
        expand(&self.files, &endings)
    }

    /// Returns the files if they are studies; `None` if they are models.
    pub(crate) fn studies(&self) -> anyhow::Result<Option<&[PathBuf]>> {
        let count = self.files.iter().filter(|path| is_study(path)).count();
        anyhow::ensure!(
            count == 0 || count == self.files.len(),
            "studies and models can't be checked together: check the .toml files by themselves"
        );
        Ok((count > 0).then_some(&self.files))
    }

    /// Reads a model, or shows what is wrong with it and returns the exit status.
    fn load(&self, path: &Path, formulas: &[Formula]) -> anyhow::Result<Result<Model, u8>> {
        let options = Options {
            definitions: self.definitions.iter().map(|text| text.as_str().into()).collect(),
            formulas: formulas.to_vec(),
        };
        let read = read_model(path, &self.include, &options, self.quiet);
        let name = path.display().to_string();
        let status = match read {
            Ok(Ok(model)) => return Ok(Ok(model)),
            Ok(Err(rejected)) => self.rejected(&name, &rejected.diagnostics, &rejected.sources),
            Err(error) => self.unreadable(path, &error),
        };
        Ok(Err(status?))
    }

    fn rejected(&self, name: &str, list: &[Diagnostic], sources: &Sources) -> anyhow::Result<u8> {
        let message = format!("{name} is not a model that can be used");
        let other = list.is_empty().then_some(message.as_str());
        if let Some(message) = other {
            output::error(message);
        }
        self.say(2, String::new, || json_diagnostics(name, list, sources, other).into())
    }

    fn unreadable(&self, path: &Path, error: &std::io::Error) -> anyhow::Result<u8> {
        let message = unreadable(path, error);
        output::error(&message);
        let name = path.display().to_string();
        self.say(2, String::new, || json_diagnostics(&name, &[], &Sources::default(), Some(&message)).into())
    }
}

/// Says on standard error why a model can't be answered by sets of states, and returns that.
pub(crate) fn not_for_sets(sources: &Sources, refusal: &Refusal) -> Diagnostic {
    let known = refusal.span.filter(|span| sources.files().any(|(id, _)| id == span.file));
    // What has no place of its own is about the whole file.
    let file = sources.files().next().map(|(id, _)| id).unwrap_or_default();
    let diagnostic = Diagnostic::error(
        "N0002",
        known.unwrap_or_else(|| Span::new(file, 0, 0)),
        "this is not a model for sets of states",
    );
    let diagnostic = diagnostic
        .label(&refusal.reason)
        .help("leave --engine symbolic out: then states are visited one by one");
    output::diagnostics(std::slice::from_ref(&diagnostic), sources);
    diagnostic
}

/// Returns how the names of models end, in all languages.
pub(crate) fn model_endings() -> Vec<&'static str> {
    LANGUAGES.iter().flat_map(|language| language.endings()).copied().collect()
}

/// Returns whether a file is a study, by its name.
pub(crate) fn is_study(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "toml")
}

/// Replaces folders by the files in them whose names end so.
pub(crate) fn expand(paths: &[PathBuf], endings: &[&str]) -> anyhow::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for path in paths {
        if !path.is_dir() {
            files.push(path.clone());
            continue;
        }
        let entries = std::fs::read_dir(path).with_context(|| format!("can't read `{}`", path.display()))?;
        let mut found: Vec<PathBuf> = entries
            .filter_map(|entry| Some(entry.ok()?.path()))
            .filter(|path| {
                path.extension().is_some_and(|extension| endings.iter().any(|ending| extension == *ending))
            })
            .collect();
        found.sort();
        let wanted = match endings {
            [first @ .., last] if !first.is_empty() => format!("{} or .{last}", first.join(", .")),
            _ => endings.concat(),
        };
        anyhow::ensure!(!found.is_empty(), "there is no .{wanted} file in `{}`", path.display());
        files.extend(found);
    }
    Ok(files)
}

/// Reads a model from a file, and shows what is wrong with it; `quiet` leaves warnings out.
pub(crate) fn read_model(
    path: &Path,
    include: &[PathBuf],
    options: &Options,
    quiet: bool,
) -> std::io::Result<Result<Model, Box<Rejected>>> {
    let text = read_text(path)?;
    match narrows::read(&path.display().to_string(), text, &Disk { folders: include }, options) {
        Ok(read) => {
            if !quiet && !reading::is_provided() {
                read.note.iter().for_each(|note| output::note(note));
                output::diagnostics(&read.warnings, &read.model.sources);
            }
            Ok(Ok(read.model))
        }
        Err(rejected) => {
            output::diagnostics(&rejected.diagnostics, &rejected.sources);
            Ok(Err(rejected))
        }
    }
}

/// The largest text that is read.
const LARGEST: u64 = 64 << 20;

/// The largest log that is read.
const LARGEST_LOG: u64 = 1 << 30;

/// Reads a text, or what is the text of a model in another form.
pub(crate) fn read_text(path: &Path) -> std::io::Result<String> {
    read_up_to(path, LARGEST)
}

/// Reads measurements, of which there may be tens of millions, or a run, which may be as long.
pub(crate) fn read_large_text(path: &Path) -> std::io::Result<String> {
    read_up_to(path, LARGEST_LOG)
}

fn read_up_to(path: &Path, largest: u64) -> std::io::Result<String> {
    if let Some(provided) = reading::provided(path) {
        return provided;
    }
    let text = read_here(path, largest)?;
    reading::record(path, &text);
    Ok(text)
}

fn read_here(path: &Path, largest: u64) -> std::io::Result<String> {
    let mut bytes = Vec::new();
    reading::check_kind(path)?;
    std::fs::File::open(path)?.take(largest + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > largest {
        let message = format!("it is larger than {} MiB", largest >> 20);
        return Err(std::io::Error::new(ErrorKind::FileTooLarge, message));
    }
    narrows::text_of(bytes).map_err(|error| std::io::Error::new(ErrorKind::InvalidData, error))
}

/// Says that a file can't be read, and which one may be meant.
pub(crate) fn unreadable(path: &Path, error: &std::io::Error) -> String {
    let message = format!("can't read `{}`: {error}", path.display());
    match neighbour(path).filter(|_| error.kind() == ErrorKind::NotFound) {
        Some(name) => format!("{message}; did you mean `{name}`?"),
        None => message,
    }
}

/// Returns a file of the same folder with nearly the same name.
fn neighbour(path: &Path) -> Option<String> {
    let folder = match path.parent() {
        Some(folder) if folder != Path::new("") => folder,
        _ => Path::new("."),
    };
    let entries = std::fs::read_dir(folder).ok()?;
    let names: Vec<String> = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok()).collect();
    let name = closest(path.file_name()?.to_str()?, names.iter().map(String::as_str))?;
    Some(path.with_file_name(name).display().to_string())
}

/// Finds included files: beside the file that includes them, then in the folders given with `-I`.
pub(crate) struct Disk<'a> {
    pub(crate) folders: &'a [PathBuf],
}

impl Loader for Disk<'_> {
    fn load(&self, path: &str, from: &str, system: bool) -> Result<Loaded, LoadError> {
        let beside = Path::new(from).parent().filter(|_| !system).map(Path::to_path_buf);
        let searched = "beside it or in the folders given with -I".to_owned();
        let mut reason = LoadError::NotFound { searched };
        for folder in beside.iter().chain(self.folders) {
            let candidate = folder.join(path);
            match reading::check_named(&candidate).and_then(|()| read_text(&candidate)) {
                Ok(text) => return Ok(Loaded { name: candidate.display().to_string(), text }),
                Err(error) if error.kind() == ErrorKind::NotFound => {}
                Err(error) => {
                    let name = candidate.display().to_string();
                    reason = LoadError::Unreadable { name, reason: error.to_string() };
                }
            }
        }
        Err(reason)
    }
}
