//! Graphs from files and into files.

use std::fmt;
use std::fs::File;
use std::io::{self, BufRead, BufReader, BufWriter, ErrorKind, IsTerminal, Write};
use std::path::Path;

use anyhow::Context;
use narrows::{GraphError, LabelStyle, Language, Options, assign_definitions, fault_diagnostic, of_ending};
use narrows_lts::{Graph, aut};

use super::Given;
use super::limits::Limits;
use crate::input::{read_model, read_text};
use crate::limits::{self, Clock, interrupt_flag};
use crate::output::{self, Printer};
use crate::reading;

/// Reads a graph, or makes that of a LOTOS model; `-` is standard input. The definitions are values of
/// parameters.
pub(super) fn read(path: &Path, given: &Given<'_>) -> anyhow::Result<Graph> {
    let definitions = shared(&[path], given.definitions)?;
    read_one(path, &definitions[0], given.limits)
}

/// Reads two graphs. A definition is for those of them that have such a parameter.
pub(super) fn read_both(first: &Path, second: &Path, given: &Given<'_>) -> anyhow::Result<(Graph, Graph)> {
    let definitions = shared(&[first, second], given.definitions)?;
    let limits = given.limits;
    Ok((read_one(first, &definitions[0], limits)?, read_one(second, &definitions[1], limits)?))
}

/// Says which definitions are for which file.
fn shared(paths: &[&Path], definitions: &[String]) -> anyhow::Result<Vec<Vec<String>>> {
    if definitions.is_empty() {
        return Ok(vec![Vec::new(); paths.len()]);
    }
    let mut parameters = Vec::new();
    for path in paths {
        parameters.push(match language_of_model(path) {
            Some(language) => {
                let text = read_text(path).with_context(|| format!("can't read {}", path.display()))?;
                Some(language.parameters(&text))
            }
            None => None,
        });
    }
    assign_definitions(&parameters, definitions).with_context(|| {
        format!(
            "-D gives a parameter of a LOTOS model its value, and `{}` is a graph, which has none",
            paths[0].display()
        )
    })
}

/// Returns the language of a model whose graph is to be made. Graphs themselves are read line by line.
fn language_of_model(path: &Path) -> Option<&'static dyn Language> {
    of_ending(&path.display().to_string()).filter(|language| !language.is_graph())
}

fn read_one(path: &Path, definitions: &[String], limits: &Limits) -> anyhow::Result<Graph> {
    if path == Path::new("-") {
        return read_lines(io::stdin().lock(), "standard input");
    }
    if language_of_model(path).is_some() {
        return graph_of_model(path, definitions, limits);
    }
    let shown = path.display().to_string();
    reading::check_kind(path).with_context(|| format!("can't read {shown}"))?;
    let file = File::open(path).with_context(|| format!("can't read {shown}"))?;
    read_lines(BufReader::with_capacity(1 << 16, file), &shown)
}

/// Reads a model and makes its graph.
fn graph_of_model(path: &Path, definitions: &[String], limits: &Limits) -> anyhow::Result<Graph> {
    let definitions = definitions.iter().map(|text| text.as_str().into()).collect();
    let options = Options { definitions, ..Options::default() };
    let read =
        read_model(path, &[], &options, true).with_context(|| format!("can't read {}", path.display()))?;
    let Ok(model) = read else { anyhow::bail!("{} is not a model that can be used", path.display()) };
    let (time, memory) = (limits.time_limit, Some(limits.for_states()));
    let clock = Clock::with(time, memory, false, &model.name, &interrupt_flag()?);
    let built = narrows::states(&model, LabelStyle::Text, &clock.budget());
    clock.finish();
    match built? {
        Ok(states) => Ok(states.graph),
        Err(GraphError::Limit(limit)) => {
            // Processes without end were warned of, if this had not been quiet.
            let _ = read_model(path, &[], &options, false);
            limits::remember(false, [limit]);
            let reason = limit.reason();
            anyhow::bail!("{}: undecided: no end of its states is in sight, and {reason}", model.name)
        }
        Err(GraphError::Fault(fault)) => {
            output::diagnostics(&[fault_diagnostic(&fault)], &model.sources);
            anyhow::bail!("{}: there is no graph of all states", model.name)
        }
    }
}

fn read_lines(mut text: impl BufRead, shown: &str) -> anyhow::Result<Graph> {
    let wrong = |wrong: aut::Malformed| anyhow::anyhow!("{shown}:{}: {}", wrong.line, wrong.error);
    let mut reader = aut::Reader::default();
    let mut line = String::new();
    while text.read_line(&mut line).with_context(|| format!("can't read {shown}"))? > 0 {
        reader.line(line.trim_end_matches(['\n', '\r'])).map_err(wrong)?;
        line.clear();
    }
    reader.finish().map_err(wrong)
}

/// Writes a graph into a file, or else to standard output.
pub(super) fn write(graph: &Graph, path: Option<&Path>) -> anyhow::Result<()> {
    write_with(path, |text| aut::write_to(graph, text))
}

/// Writes a text into a file, or else to standard output.
pub(super) fn write_text(text: &str, path: Option<&Path>) -> anyhow::Result<()> {
    write_with(path, |to| to.write_str(text))
}

fn write_with(path: Option<&Path>, write: impl Fn(&mut dyn fmt::Write) -> fmt::Result) -> anyhow::Result<()> {
    let Some(path) = path.filter(|path| *path != Path::new("-")) else {
        let result = if io::stdout().is_terminal() {
            Pieces::write(Printer::stdout(), write)
        } else {
            Pieces::write(io::stdout().lock(), write)
        };
        return match result {
            Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
            result => Ok(result?),
        };
    };
    let shown = path.display();
    let file = File::create(path).with_context(|| format!("can't write {shown}"))?;
    Pieces::write(file, write).with_context(|| format!("can't write {shown}"))
}

/// Writes text piece by piece, and remembers what went wrong.
struct Pieces<W: Write> {
    to: BufWriter<W>,
    error: Option<io::Error>,
}

impl<W: Write> Pieces<W> {
    fn write(to: W, write: impl Fn(&mut dyn fmt::Write) -> fmt::Result) -> io::Result<()> {
        let mut pieces = Pieces { to: BufWriter::with_capacity(1 << 16, to), error: None };
        let result = write(&mut pieces);
        match (result, pieces.error) {
            (_, Some(error)) => Err(error),
            (Err(_), None) => Err(io::Error::other("the text can't be written")),
            (Ok(()), None) => pieces.to.flush(),
        }
    }
}

impl<W: Write> fmt::Write for Pieces<W> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.to.write_all(text.as_bytes()).map_err(|error| {
            self.error = Some(error);
            fmt::Error
        })
    }
}

/// Says on standard error how large a graph was and is.
pub(super) fn tell_sizes(before: &Graph, after: &Graph) {
    output::note(&format!(
        "{} states, {} edges → {} states, {} edges",
        before.states(),
        before.edges().len(),
        after.states(),
        after.edges().len()
    ));
}
