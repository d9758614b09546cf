//! SPIN's answers to questions about whole runs: formulas, never claims, acceptance and non-progress cycles.
//!
//! One verifier answers every claim of a text, with and without fairness. Assertions are not switched off: a
//! formula's claim contains some, of the form `!(…)`. So a model that is asked about should have none like
//! that, nor anything else that goes wrong.

use std::fs;
use std::io;
use std::path::Path;
use std::process::Command;

use super::{Limits, Outcome, compile, copy, generate, message};
use crate::commands::{self, Scratch};

/// What a verifier looks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cycles {
    /// Runs that a claim of the text accepts.
    Claims,
    /// Runs through accept labels again and again; claims do not count.
    Acceptance,
    /// Endless runs without progress; claims do not count.
    Progress,
}

/// What SPIN says of a question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Said {
    /// There is no such run.
    Holds,
    /// There is one; the message.
    Fails(String),
    /// Something else went wrong first.
    Wrong(String),
    /// The search was not finished.
    Unfinished,
}

/// A compiled verifier.
#[derive(Debug)]
pub struct Verifier {
    scratch: Scratch,
    cycles: Cycles,
    limits: Limits,
}

impl Verifier {
    /// Has a verifier made of a text; an outcome tells why there is none.
    pub fn of_text(model: &str, cycles: Cycles, limits: &Limits) -> io::Result<Result<Self, Outcome>> {
        let scratch = Scratch::new()?;
        fs::write(scratch.path().join("model.pml"), model)?;
        Self::make(scratch, "model.pml", &[], model.contains('#'), cycles, limits)
    }

    /// Has a verifier made of a file; an outcome tells why there is none.
    pub fn of_file(
        file: &Path,
        definitions: &[String],
        cycles: Cycles,
        limits: &Limits,
    ) -> io::Result<Result<Self, Outcome>> {
        let scratch = Scratch::new()?;
        let name = copy(file, &scratch)?;
        Self::make(scratch, &name, definitions, true, cycles, limits)
    }

    fn make(
        scratch: Scratch,
        model: &str,
        definitions: &[String],
        preprocess: bool,
        cycles: Cycles,
        limits: &Limits,
    ) -> io::Result<Result<Self, Outcome>> {
        if let Some(failure) = generate(&scratch, model, definitions, preprocess, limits)? {
            return Ok(Err(failure));
        }
        let option = match cycles {
            Cycles::Claims => None,
            Cycles::Acceptance => Some("-DNOCLAIM"),
            Cycles::Progress => Some("-DNP"),
        };
        let options: Vec<&str> = option.into_iter().chain(["-DNFAIR=3"]).collect();
        if let Some(failure) = compile(&scratch, &options, limits)? {
            return Ok(Err(failure));
        }
        Ok(Ok(Self { scratch, cycles, limits: limits.clone() }))
    }

    /// Runs the verifier; a claim has a name if there are several.
    pub fn ask(&self, claim: Option<&str>, fair: bool) -> io::Result<Said> {
        let said = self.search(claim, fair, "-c1")?;
        match &said {
            // One of the model's own; there may be more to see behind it.
            Said::Wrong(text) if text.starts_with("assertion violated") => self.search(claim, fair, "-c0"),
            _ => Ok(said),
        }
    }

    fn search(&self, claim: Option<&str>, fair: bool, errors: &str) -> io::Result<Said> {
        let mut depth = 100_000;
        loop {
            let mut pan = Command::new(self.scratch.path().join("pan"));
            pan.current_dir(self.scratch.path());
            pan.arg(if self.cycles == Cycles::Progress { "-l" } else { "-a" });
            pan.args(fair.then_some("-f")).args(["-n", "-E", "-w18", errors]).arg(format!("-m{depth}"));
            pan.args(claim.iter().flat_map(|name| ["-N", name]));
            let ended = commands::run(&mut pan, self.limits.time)?;
            let said = read(&ended, errors == "-c0");
            // An error found before the depth was used up is one all the same.
            if said != Said::Holds || !ended.stdout.contains("max search depth too small") {
                return Ok(said);
            }
            depth *= 10;
            if depth > self.limits.depth {
                return Ok(Said::Unfinished);
            }
        }
    }
}

/// Reads what the verifier printed.
fn read(ended: &commands::Finished, all: bool) -> Said {
    let text = &ended.stdout;
    let Some(status) = ended.status else { return Said::Unfinished };
    if text.contains("reached -DMEMLIM bound") || text.contains("out of memory") {
        return Said::Unfinished;
    }
    let complete = text.lines().any(|line| line.contains("states, stored"));
    if status.code().is_none() || !complete {
        let line = text.lines().next().unwrap_or_default();
        return Said::Wrong(format!("{status}: {line}"));
    }
    let mut messages: Vec<&str> = text.lines().filter_map(message).collect();
    if all {
        messages.retain(|text| !text.starts_with("assertion violated") || is_verdict(text));
    }
    if let Some(wrong) = messages.iter().find(|text| !is_verdict(text)) {
        return Said::Wrong((*wrong).to_owned());
    }
    match messages.first() {
        Some(message) => Said::Fails((*message).to_owned()),
        None if all || text.contains("errors: 0") => Said::Holds,
        None => Said::Wrong("errors without a message".to_owned()),
    }
}

/// Whether a message tells of a run that was asked for. A formula's claim has assertions.
fn is_verdict(message: &str) -> bool {
    message.starts_with("acceptance cycle")
        || message.starts_with("accept stutter")
        || message.starts_with("non-progress cycle")
        || message.starts_with("end state in claim reached")
        || message.starts_with("claim violated")
        || message.strip_prefix("assertion violated").is_some_and(|rest| rest.trim_start().starts_with("!("))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spin::installed;

    const LABELS: &str = "byte x;
        active proctype P() { accept: do :: x = 1 - x od }
        active proctype Q() { do :: x == 1 -> progress: skip :: else od }";
    // Without labels: those of the processes would count beside a claim.
    const CLAIMS: &str = "byte x;
        active proctype P() { do :: x = 1 - x od }
        ltl a { [] (x < 2) }
        ltl b { [] (x == 0) }";

    fn said(text: &str, cycles: Cycles, name: Option<&str>, fair: bool) -> Said {
        let verifier = Verifier::of_text(text, cycles, &Limits::quick()).expect("programs run");
        verifier.expect("a verifier").ask(name, fair).expect("programs run")
    }

    #[test]
    fn answers_each_claim() {
        if !installed() {
            return;
        }
        assert_eq!(said(CLAIMS, Cycles::Claims, Some("a"), false), Said::Holds);
        assert!(matches!(said(CLAIMS, Cycles::Claims, Some("b"), false), Said::Fails(_)));
    }

    #[test]
    fn answers_what_labels_ask() {
        if !installed() {
            return;
        }
        assert!(matches!(said(LABELS, Cycles::Acceptance, None, true), Said::Fails(_)));
        assert!(matches!(said(LABELS, Cycles::Progress, None, false), Said::Fails(_)));
    }
}
