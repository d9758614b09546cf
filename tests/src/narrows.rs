//! Narrows as the tool under test, seen through its command line and its JSON report.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;
use std::time::Duration;
use std::{env, fs, io};

use serde_json::Value;

use crate::commands::{self, Scratch};

/// What became of an attempt to have Narrows explore a model.
#[derive(Debug, Clone, PartialEq)]
pub enum Outcome {
    /// It found the model wrong, and said so.
    Rejected(String),
    /// It panicked, was killed by a signal or broke its contract.
    Crashed(String),
    /// The time was not enough.
    TimedOut,
    /// It explored the model and reported.
    Explored(Found),
}

/// What Narrows reported.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Found {
    /// Distinct states.
    pub states: u64,
    /// Edges between them.
    pub transitions: u64,
    /// Whether all of the state space was seen.
    pub complete: bool,
    /// What is wrong with the model.
    pub violations: Vec<Violation>,
}

/// Something wrong with a model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Violation {
    /// `assertion`, `deadlock` or `fault`.
    pub kind: String,
    /// The sentence for people.
    pub message: String,
    /// The line in the model; 0 if the violation has no place.
    pub line: u64,
}

impl Found {
    /// Whether there is a violation of the kind.
    pub fn has(&self, kind: &str) -> bool {
        self.violations.iter().any(|violation| violation.kind == kind)
    }
}

/// The program: the one that `NARROWS_BIN` names, or the newest built beside this one.
///
/// Cargo tells tests only where the programs of their own package are, so the profiles' directories are
/// looked through, starting from the running program's own.
pub fn program() -> Option<&'static Path> {
    static PROGRAM: OnceLock<Option<PathBuf>> = OnceLock::new();
    PROGRAM
        .get_or_init(|| {
            if let Some(named) = env::var_os("NARROWS_BIN") {
                return Some(PathBuf::from(named));
            }
            let own = env::current_exe().ok()?;
            let name = format!("narrows{}", env::consts::EXE_SUFFIX);
            let built = |path: &PathBuf| fs::metadata(path).and_then(|data| data.modified()).ok();
            own.ancestors()
                .flat_map(|directory| ["release", "debug"].map(|profile| directory.join(profile).join(&name)))
                .filter(|path| path.is_file())
                .max_by_key(built)
        })
        .as_deref()
}

/// Explores a model that is given as text.
pub fn explore_text(model: &str, limit: Duration) -> io::Result<Outcome> {
    let scratch = Scratch::new()?;
    let file = scratch.path().join("model.pml");
    fs::write(&file, model)?;
    explore_file(&file, &[], limit)
}

/// Explores a model file; a definition is a `NAME=VALUE`.
pub fn explore_file(file: &Path, definitions: &[String], limit: Duration) -> io::Result<Outcome> {
    let mut command = command("explore")?;
    command.arg(file).args(["--format", "json"]);
    for definition in definitions {
        command.args(["-D", definition]);
    }
    let ended = commands::run(&mut command, limit)?;
    let Some(status) = ended.status else { return Ok(Outcome::TimedOut) };
    let said = || format!("narrows: {status}\n{}{}", ended.stdout, ended.stderr);
    Ok(match (status.code(), read(&ended.stdout)) {
        (Some(0), Some(found)) if found.violations.is_empty() => Outcome::Explored(found),
        (Some(1), Some(found)) if !found.violations.is_empty() => Outcome::Explored(found),
        (Some(2), Some(found)) if !found.complete => Outcome::Explored(found),
        (Some(2), None) => Outcome::Rejected(ended.stderr),
        _ => Outcome::Crashed(said()),
    })
}

/// An answer to one question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    /// The question's kind, such as `ltl` or `progress`.
    pub kind: String,
    /// The name in the text, if it has one.
    pub name: String,
    /// `holds`, `fails`, `undecided` or `refused`.
    pub verdict: String,
    /// Whether the run that shows it ends in a state where nothing can move.
    pub stays: bool,
}

/// What became of an attempt to have Narrows answer questions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answers {
    /// Its answers, in order.
    Given(Vec<Answer>),
    /// The model is wrong, and it said so.
    Rejected(String),
    /// It panicked, was killed by a signal or broke its contract.
    Crashed(String),
    /// The time was not enough.
    TimedOut,
}

/// Has a model that is given as text checked.
pub fn check_text(model: &str, fair: bool, limit: Duration) -> io::Result<Answers> {
    let scratch = Scratch::new()?;
    let file = scratch.path().join("model.pml");
    fs::write(&file, model)?;
    check_file(&file, &[], fair, limit)
}

/// Has a model file checked, every question of its text.
pub fn check_file(file: &Path, definitions: &[String], fair: bool, limit: Duration) -> io::Result<Answers> {
    let mut command = command("check")?;
    command.arg(file).args(["--format", "json"]);
    if fair {
        command.args(["--fair", "weak"]);
    }
    for definition in definitions {
        command.args(["-D", definition]);
    }
    let ended = commands::run(&mut command, limit)?;
    let Some(status) = ended.status else { return Ok(Answers::TimedOut) };
    Ok(match (status.code(), read_answers(&ended.stdout)) {
        (Some(0..=2), Some(answers)) if !answers.is_empty() => Answers::Given(answers),
        (Some(2), _) if !ended.stderr.contains("internal error") => Answers::Rejected(ended.stderr),
        _ => Answers::Crashed(format!("narrows: {status}\n{}{}", ended.stdout, ended.stderr)),
    })
}

fn read_answers(text: &str) -> Option<Vec<Answer>> {
    let report: Value = serde_json::from_str(text).ok()?;
    let text = |answer: &Value, key: &str| Some(answer.get(key)?.as_str()?.to_owned());
    let answers = report.get("answers")?.as_array()?.iter().map(|answer| {
        Some(Answer {
            kind: text(answer, "kind")?,
            name: text(answer, "name")?,
            verdict: text(answer, "verdict")?,
            stays: stays(answer).unwrap_or(false),
        })
    });
    answers.collect()
}

fn stays(answer: &Value) -> Option<bool> {
    let trace = answer.get("trace")?;
    Some(trace.get("cycle")?.as_u64()? == trace.get("steps")?.as_array()?.len() as u64)
}

/// The program with the name of one of its commands.
fn command(name: &str) -> io::Result<Command> {
    let program = program().ok_or_else(|| {
        io::Error::new(io::ErrorKind::NotFound, "no `narrows` is built; build it or set NARROWS_BIN")
    })?;
    let mut command = Command::new(program);
    command.arg(name);
    Ok(command)
}

/// Reads the report; `None` if it is not one.
fn read(text: &str) -> Option<Found> {
    let report: Value = serde_json::from_str(text).ok()?;
    let violations = report.get("violations")?.as_array()?.iter().map(|violation| {
        Some(Violation {
            kind: violation.get("kind")?.as_str()?.to_owned(),
            message: violation.get("message")?.as_str()?.to_owned(),
            line: violation.get("line").and_then(Value::as_u64).unwrap_or(0),
        })
    });
    Some(Found {
        states: report.get("states")?.as_u64()?,
        transitions: report.get("transitions")?.as_u64()?,
        complete: report.get("complete")?.as_bool()?,
        violations: violations.collect::<Option<_>>()?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_a_report() {
        let text = r#"{"schema":1,"states":3,"transitions":4,"depth":2,"complete":true,
            "violations":[{"kind":"deadlock","message":"No process can move.","file":"m.pml","line":7}]}"#;
        let found = read(text).expect("a report");
        assert_eq!((found.states, found.transitions, found.complete), (3, 4, true));
        assert!(found.has("deadlock") && !found.has("fault"));
        assert_eq!(read("error: no such file"), None);
    }
}
