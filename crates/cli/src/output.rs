//! Standard output and standard error.

use std::io::{BufWriter, ErrorKind, IsTerminal, StdoutLock, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use clap::{ArgMatches, ValueEnum};
use narrows_report::Document;
use narrows_source::{Diagnostic, Sources, printable, printable_json, render};
use serde_json::{Value, json};

use crate::{colour, watchdog};

/// How a report is written.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// For people
    Text,
    /// One JSON document
    Json,
}

/// Whether standard output is a JSON document.
static IS_JSON: AtomicBool = AtomicBool::new(false);

/// Notes what the command's `--format` asks for, if it has one.
pub(crate) fn choose(matches: &ArgMatches) {
    match matches.subcommand() {
        Some((_, inner)) => choose(inner),
        None => {
            let format = matches.try_get_raw("format").ok().flatten();
            let is_json = format.is_some_and(|mut values| values.any(|value| value == "json"));
            IS_JSON.store(is_json, Ordering::Relaxed);
        }
    }
}

/// Returns whether standard output is a JSON document: then errors are told there, too.
pub(crate) fn is_json() -> bool {
    IS_JSON.load(Ordering::Relaxed)
}

/// What a command has to say about one model or study, and the exit status that goes with it.
pub(crate) struct Outcome {
    pub(crate) status: u8,
    /// For people; empty if there is nothing to say to them, or if a document says it.
    pub(crate) text: String,
}

impl Outcome {
    /// Makes a text for people, or prints a document for programs, which is gone then.
    pub(crate) fn new<'d>(
        status: u8,
        text: impl FnOnce() -> String,
        document: impl FnOnce() -> Document<'d>,
    ) -> anyhow::Result<Outcome> {
        if is_json() {
            print_document(&document())?;
            return Ok(Outcome { status, text: String::new() });
        }
        Ok(Outcome { status, text: text() })
    }

    /// Makes what is said of a study that can't be answered, whose messages were shown already.
    pub(crate) fn refused(document: Value) -> anyhow::Result<Outcome> {
        Outcome::new(2, String::new, || document.into())
    }
}

/// Returns the exit status of a program that came to all of these: a failure comes first.
pub(crate) fn worst(statuses: &[u8]) -> u8 {
    if statuses.contains(&1) { 1 } else { statuses.iter().copied().max().unwrap_or(0) }
}

/// Prints text for people; what a model says in it does nothing to the terminal. A reader that has gone away
/// is no error.
pub(crate) fn print(text: &str) -> anyhow::Result<()> {
    print_raw(&printable(text))
}

/// Prints a report for people, with its verdicts in colour on a terminal.
pub(crate) fn print_report(text: &str) -> anyhow::Result<()> {
    let text = printable(text);
    if colour::is_wanted(&std::io::stdout()) { print_raw(&colour::painted(&text)) } else { print_raw(&text) }
}

/// Whether a report about another model was printed.
static IS_NEXT: AtomicBool = AtomicBool::new(false);

/// Says that what comes now is about another model.
pub(crate) fn begin_next() {
    IS_NEXT.store(true, Ordering::Relaxed);
}

/// Prints a report for people, set off from one about another model; nothing if it is empty.
pub(crate) fn print_next(text: &str) -> anyhow::Result<()> {
    if text.is_empty() {
        return Ok(());
    }
    let gap = if IS_NEXT.load(Ordering::Relaxed) { "\n" } else { "" };
    print_report(&format!("{gap}{text}"))
}

/// Prints data: to a terminal like text, and otherwise every character as it is.
pub(crate) fn print_data(text: &str) -> anyhow::Result<()> {
    if std::io::stdout().is_terminal() { print(text) } else { print_raw(text) }
}

/// Returns how many characters a line of the terminal has, if there is one.
pub(crate) fn width() -> Option<usize> {
    let size = ratatui::crossterm::terminal::size().ok().filter(|_| std::io::stdout().is_terminal());
    size.map(|(columns, _)| usize::from(columns))
}

fn print_raw(text: &str) -> anyhow::Result<()> {
    let write = || {
        let mut stdout = std::io::stdout().lock();
        stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush())
    };
    well_written(watchdog::uninterrupted(write))
}

/// Standard output for text that comes in pieces; what a model says in it does nothing to the terminal.
pub(crate) struct Printer<W: Write>(W);

impl Printer<StdoutLock<'static>> {
    /// Takes standard output.
    pub(crate) fn stdout() -> BufWriter<Self> {
        BufWriter::new(Printer(std::io::stdout().lock()))
    }
}

impl<W: Write> Write for Printer<W> {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        // Texts come whole: whoever writes has strings, and nobody cuts them.
        self.0.write_all(printable(&String::from_utf8_lossy(bytes)).as_bytes())?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.0.flush()
    }
}

/// Prints a JSON document.
pub(crate) fn print_json(document: &Value) -> anyhow::Result<()> {
    print_raw(&printable_json(&format!("{document:#}\n")))
}

/// How many documents are in the list that is being printed, if one is.
static LISTED: Mutex<Option<usize>> = Mutex::new(None);

fn listed() -> std::sync::MutexGuard<'static, Option<usize>> {
    LISTED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Begins to print documents about several models: one that holds a list of them, each as soon as it is
/// there.
pub(crate) fn begin_documents() -> anyhow::Result<()> {
    let head = format!("{:#}", Value::Object(narrows_report::envelope()));
    *listed() = Some(0);
    print_raw(&format!("{},\n  \"models\": [", head.trim_end_matches("\n}")))
}

/// Ends the list of documents, if there is one.
pub(crate) fn end_documents() -> anyhow::Result<()> {
    if listed().take().is_some() { print_raw("\n  ]\n}\n") } else { Ok(()) }
}

/// Prints a JSON document step by step, in the list of documents if there is one.
pub(crate) fn print_document(document: &Document<'_>) -> anyhow::Result<()> {
    let place = listed().as_mut().map(|count| std::mem::replace(count, *count + 1));
    let write = || {
        let mut out = BufWriter::new(JsonPrinter(std::io::stdout().lock()));
        match place {
            Some(before) => {
                out.write_all(if before == 0 { b"\n    " } else { b",\n    " })?;
                document.write(&mut out, 4)?;
            }
            None => {
                document.write(&mut out, 0)?;
                out.write_all(b"\n")?;
            }
        }
        out.flush()
    };
    well_written(watchdog::uninterrupted(write))
}

/// A reader that has gone away is no error.
fn well_written(result: std::io::Result<()>) -> anyhow::Result<()> {
    match result {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        result => Ok(result?),
    }
}

/// Writes JSON that comes in pieces, each of whole characters, so that it does nothing to a terminal.
struct JsonPrinter<W: Write>(W);

impl<W: Write> Write for JsonPrinter<W> {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.write_all(printable_json(&String::from_utf8_lossy(bytes)).as_bytes())?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.0.flush()
    }
}

/// Prints a document that says that there is no answer.
pub(crate) fn print_failure(message: &str) {
    let mut document = narrows_report::envelope();
    document.insert("answers".to_owned(), json!([]));
    document.insert("error".to_owned(), json!(message));
    // What was said of other models stays said. There is nobody left to tell if this fails too.
    let _ = print_document(&document.into()).and_then(|()| end_documents());
}

/// Prints a document that says that what was asked is undecided.
pub(crate) fn print_undecided(kind: &str, reason: &str) {
    let mut document = narrows_report::envelope();
    let answer = json!({ "kind": kind, "name": "", "verdict": "undecided", "reason": reason });
    document.insert("answers".to_owned(), json!([answer]));
    let _ = print_json(&Value::Object(document));
}

/// Says on standard error what is wrong.
pub(crate) fn error(message: &str) {
    warn_user(&format!("error: {}\n", printable(message)));
}

/// Says on standard error what is going on.
pub(crate) fn note(message: &str) {
    warn_user(&format!("note: {}\n", printable(message)));
}

/// Says on standard error what may become a problem.
pub(crate) fn warning(message: &str) {
    warn_user(&format!("warning: {}\n", printable(message)));
}

/// Shows messages about a text on standard error, in colour on a terminal.
pub(crate) fn diagnostics(list: &[Diagnostic], sources: &Sources) {
    let color = colour::is_wanted(&std::io::stderr());
    for diagnostic in list {
        warn_user(&format!("{}\n\n", render(diagnostic, sources, color)));
    }
}

fn warn_user(text: &str) {
    // If standard error is closed, nobody wants to know.
    let _ = std::io::stderr().lock().write_all(text.as_bytes());
}
