//! Model files: finding, reading, compiling.

use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::{Args, ValueEnum};
use narrows_explicit::Engine;
use narrows_languages::promela::{Formula, Options, compile};
use narrows_model::{Evaluator, System};
use narrows_report::json_diagnostics;
use narrows_source::{Diagnostic, Diagnostics, Loaded, Loader, Sources, closest};
use serde_json::Value;

use crate::behaviours::{self, BehaviourModel};
use crate::limits;
use crate::machines::{self, MachineModel};
use crate::output::{self, Format};
use crate::portfolio::Choice;
use crate::reading;

/// Which models, how they are read, and what a search may use.
#[derive(Args)]
pub(crate) struct Models {
    /// Model files (.pml, .smv, .lotos), or folders: every model in them
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,

    /// Define a macro, as in C; in SMV, give a DEFINE or a FROZENVAR of `main` this value; in LOTOS, a parameter of the
    /// specification
    #[arg(short = 'D', value_name = "NAME[=VALUE]")]
    pub(crate) definitions: Vec<String>,

    /// Look for included files in this folder too
    #[arg(short = 'I', value_name = "DIR")]
    pub(crate) include: Vec<PathBuf>,

    /// Choose how the report is written
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: Format,

    /// Choose what executes or checks the model [default: machine code for all but small Promela models, where the machine has
    /// the means; all that check SMV models]
    #[arg(long, value_name = "ENGINE")]
    engine: Option<EngineName>,

    /// Search on this many threads [default: one for each core]; answers do not depend on it
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(crate) threads: Option<u16>,

    /// Use at most this much memory, such as 4G or 500M [default: 80 % of what the machine has]
    #[arg(long, value_name = "SIZE", value_parser = limits::parse_memory)]
    pub(crate) memory: Option<u64>,

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
    /// Promela: machine code, from the start; an error if there can be none
    Native,
    /// Promela: the reference evaluator
    Interpreter,
    /// Sets of states, as binary decision diagrams: for SMV, and for Promela with many states of few processes
    #[value(alias = "bdd")]
    Symbolic,
    /// SMV: runs by their length, by satisfiability; proves little
    Bmc,
    /// SMV: induction over several steps, by satisfiability
    Induction,
    /// SMV: an invariant, found step by step by satisfiability
    Ic3,
}

impl EngineName {
    fn name(self) -> String {
        self.to_possible_value().map(|value| value.get_name().to_owned()).unwrap_or_default()
    }
}

/// A model that can be used.
pub(crate) struct Model {
    pub(crate) name: String,
    pub(crate) sources: Sources,
    pub(crate) system: System,
    pub(crate) definitions: Vec<String>,
}

/// What a command has to say about one model, and the exit status that goes with it.
pub(crate) struct Outcome {
    said: Said,
    status: u8,
}

enum Said {
    Text(String),
    Document(Value),
}

impl Models {
    /// Returns what executes a model.
    pub(crate) fn engine<'s>(&self, model: &'s Model) -> anyhow::Result<Engine<'s>> {
        let evaluator = Evaluator::new(&model.system);
        match self.engine {
            Some(EngineName::Interpreter) => Ok(Engine::interpreter(evaluator)),
            None | Some(EngineName::Auto) => Ok(Engine::automatic(evaluator)),
            Some(EngineName::Symbolic) => {
                anyhow::bail!("this goes from state to state: it is not for --engine symbolic")
            }
            Some(EngineName::Native) => Engine::native(evaluator)
                .with_context(|| format!("`{}` can't be compiled to machine code", model.name)),
            Some(other) => anyhow::bail!(
                "--engine {} is for SMV models, and `{}` is none: use native, interpreter or symbolic",
                other.name(),
                model.name
            ),
        }
    }

    /// Returns what checks a synchronous model.
    pub(crate) fn machine_engine(&self) -> anyhow::Result<Choice> {
        use narrows_sat::Engine as Sat;
        match self.engine {
            None | Some(EngineName::Auto) => Ok(Choice::Automatic),
            Some(EngineName::Symbolic) => Ok(Choice::Sets),
            Some(EngineName::Bmc) => Ok(Choice::Sat(Sat::Bounded)),
            Some(EngineName::Induction) => Ok(Choice::Sat(Sat::Induction)),
            Some(EngineName::Ic3) => Ok(Choice::Sat(Sat::Ic3)),
            Some(other) => anyhow::bail!(
                "--engine {} is for Promela models: SMV models are checked by symbolic, bmc, induction or ic3",
                other.name()
            ),
        }
    }

    /// Returns whether models are to be answered by sets of states.
    pub(crate) fn is_symbolic(&self) -> bool {
        self.engine == Some(EngineName::Symbolic)
    }

    pub(crate) fn is_json(&self) -> bool {
        self.format == Format::Json
    }

    /// Writes a report in the format that was asked for.
    pub(crate) fn outcome(
        &self,
        status: u8,
        text: impl FnOnce() -> String,
        document: impl FnOnce() -> Value,
    ) -> Outcome {
        Outcome { said: if self.is_json() { Said::Document(document()) } else { Said::Text(text()) }, status }
    }

    /// Runs a command on every model; prints the reports, and returns the exit status.
    ///
    /// The formulas are asked of every model, beside what its text claims.
    pub(crate) fn each(
        &self,
        formulas: &[Formula],
        mut run: impl FnMut(&Model) -> anyhow::Result<Outcome>,
        mut run_machine: impl FnMut(&MachineModel) -> anyhow::Result<Outcome>,
        mut run_behaviour: impl FnMut(&BehaviourModel) -> anyhow::Result<Outcome>,
    ) -> anyhow::Result<u8> {
        let files = self.expand()?;
        let mut documents = Vec::new();
        let mut statuses = Vec::new();
        for file in &files {
            let outcome = if machines::is_machine(file) {
                match self.load_machine(file, formulas) {
                    Ok(model) => run_machine(&model)?,
                    Err(rejected) => rejected,
                }
            } else if behaviours::is_behaviour(file) {
                match self.load_behaviour(file) {
                    Ok(model) => run_behaviour(&model)?,
                    Err(rejected) => rejected,
                }
            } else {
                match self.load(file, formulas) {
                    Ok(model) => run(&model)?,
                    Err(rejected) => rejected,
                }
            };
            match outcome.said {
                Said::Document(document) => documents.push(document),
                Said::Text(text) if text.is_empty() => {}
                Said::Text(text) if statuses.is_empty() => output::print(&text)?,
                Said::Text(text) => output::print(&format!("\n{text}"))?,
            }
            statuses.push(outcome.status);
        }
        if self.is_json() {
            output::print_json(&combine(documents))?;
        }
        let worst = if statuses.contains(&1) { 1 } else { statuses.into_iter().max().unwrap_or(0) };
        Ok(worst)
    }

    /// Makes sure that there is one model, if an option needs that.
    pub(crate) fn ensure_one(&self, option: &str) -> anyhow::Result<()> {
        let count = self.expand()?.len();
        anyhow::ensure!(count == 1, "{option} is for one model, and there are {count}");
        Ok(())
    }

    fn expand(&self) -> anyhow::Result<Vec<PathBuf>> {
        expand(&self.files, &["pml", "smv", "lotos", "lot"])
    }

    /// Returns the files if they are studies; `None` if they are models.
    pub(crate) fn studies(&self) -> anyhow::Result<Option<&[PathBuf]>> {
        let is_study = |path: &PathBuf| path.extension().is_some_and(|extension| extension == "toml");
        let count = self.files.iter().filter(|path| is_study(path)).count();
        anyhow::ensure!(
            count == 0 || count == self.files.len(),
            "studies and models can't be checked together: check the .toml files by themselves"
        );
        Ok((count > 0).then_some(&self.files))
    }

    /// Reads and compiles a model, and shows what is wrong with it.
    fn load(&self, path: &Path, formulas: &[Formula]) -> Result<Model, Outcome> {
        let name = path.display().to_string();
        let compiled = compile_file(path, &self.definitions, &self.include, formulas, self.quiet)
            .map_err(|error| self.unreadable(path, &error))?;
        match compiled.system {
            Some(system) => {
                Ok(Model { name, sources: compiled.sources, system, definitions: self.definitions.clone() })
            }
            None => Err(self.rejected(&name, &compiled.diagnostics, &compiled.sources)),
        }
    }

    /// Reads and compiles a synchronous model, and shows what is wrong with it.
    fn load_machine(&self, path: &Path, formulas: &[Formula]) -> Result<MachineModel, Outcome> {
        let name = path.display().to_string();
        let options = machines::options(formulas);
        let read = machines::compile_file(path, &self.definitions, options, self.quiet)
            .map_err(|error| self.unreadable(path, &error))?;
        read.map_err(|(list, sources)| self.rejected(&name, &list, &sources))
    }

    /// Reads and compiles a model of processes that meet at gates, and shows what is wrong with it.
    fn load_behaviour(&self, path: &Path) -> Result<BehaviourModel, Outcome> {
        let name = path.display().to_string();
        let read = behaviours::compile_file(path, &self.definitions, self.quiet)
            .map_err(|error| self.unreadable(path, &error))?;
        read.map_err(|(list, sources)| self.rejected(&name, &list, &sources))
    }

    fn rejected(&self, name: &str, list: &[Diagnostic], sources: &Sources) -> Outcome {
        let message = format!("{name} is not a model that can be used");
        let other = list.is_empty().then_some(message.as_str());
        if let Some(message) = other {
            output::error(message);
        }
        self.outcome(2, String::new, || json_diagnostics(name, list, sources, other))
    }

    fn unreadable(&self, path: &Path, error: &std::io::Error) -> Outcome {
        let message = unreadable(path, error);
        output::error(&message);
        let name = path.display().to_string();
        self.outcome(2, String::new, || json_diagnostics(&name, &[], &Sources::default(), Some(&message)))
    }
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

/// What became of a model file.
pub(crate) struct Compiled {
    pub(crate) sources: Sources,
    /// `None` if there are errors.
    pub(crate) system: Option<System>,
    pub(crate) diagnostics: Vec<Diagnostic>,
}

/// Reads and compiles a file, and shows what is wrong with it; `quiet` leaves warnings out.
pub(crate) fn compile_file(
    path: &Path,
    definitions: &[String],
    include: &[PathBuf],
    formulas: &[Formula],
    quiet: bool,
) -> std::io::Result<Compiled> {
    let mut sources = Sources::default();
    let file = sources.add(path.display().to_string(), read_text(path)?);
    let definitions = definitions.iter().map(|text| definition(text)).collect();
    let options = Options { definitions, formulas: formulas.to_vec() };
    let mut diagnostics = Diagnostics::default();
    let system = compile(&mut sources, file, &Disk { folders: include }, &options, &mut diagnostics);
    let system = system.filter(|_| !diagnostics.has_errors());
    let list = diagnostics.sorted();
    if system.is_none() || !quiet {
        output::diagnostics(&list, &sources);
    }
    Ok(Compiled { sources, system, diagnostics: list })
}

/// The largest text that is read.
const LARGEST: u64 = 64 << 20;

/// Reads a text; old models have comments in other encodings than UTF-8, and strange characters there do no harm.
pub(crate) fn read_text(path: &Path) -> std::io::Result<String> {
    let mut bytes = Vec::new();
    reading::check_kind(path)?;
    std::fs::File::open(path)?.take(LARGEST + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > LARGEST {
        return Err(std::io::Error::new(ErrorKind::FileTooLarge, "it is larger than 64 MiB"));
    }
    String::from_utf8(bytes).or_else(|error| {
        if error.as_bytes().contains(&0) {
            return Err(std::io::Error::new(ErrorKind::InvalidData, "it is not a text"));
        }
        Ok(String::from_utf8_lossy(error.as_bytes()).into_owned())
    })
}

/// Says that a file can't be read, and which one may be meant.
pub(crate) fn unreadable(path: &Path, error: &std::io::Error) -> String {
    let message = format!("can't read `{}`: {error}", path.display());
    match neighbour(path) {
        Some(name) => format!("{message}; did you mean `{name}`?"),
        None => message,
    }
}

fn combine(mut documents: Vec<Value>) -> Value {
    if documents.len() == 1 {
        return documents.remove(0);
    }
    let tool = format!("narrows {}", env!("CARGO_PKG_VERSION"));
    serde_json::json!({ "schema": 1, "tool": tool, "models": documents })
}

fn definition(text: &str) -> (String, Option<String>) {
    match text.split_once('=') {
        Some((name, value)) => (name.to_owned(), Some(value.to_owned())),
        None => (text.to_owned(), None),
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
    fn load(&self, path: &str, from: &str, system: bool) -> Result<Loaded, String> {
        let beside = Path::new(from).parent().filter(|_| !system).map(Path::to_path_buf);
        let mut reason = "there is no such file beside it or in the folders given with -I".to_owned();
        for folder in beside.iter().chain(self.folders) {
            let candidate = folder.join(path);
            match reading::check_named(&candidate).and_then(|()| read_text(&candidate)) {
                Ok(text) => return Ok(Loaded { name: candidate.display().to_string(), text }),
                Err(error) if error.kind() == ErrorKind::NotFound => {}
                Err(error) => reason = format!("`{}`: {error}", candidate.display()),
            }
        }
        Err(reason)
    }
}
