//! SPIN as the oracle: compiles a model to its verifier, runs that without optimisations or reductions, and
//! reads the figures it prints.
//!
//! Compiling `pan.c` dominates on small models. Measured on one 2-core machine, per model: gcc -O2 1.7 s, -O1
//! 1.0 s, -O0 0.35 s; Debian's tcc 0.02 s, and its verifier runs no slower than gcc's at -O0 (about 2.5 times
//! slower than at -O2, which pays off only beyond a million states). So tcc is used where it is installed and
//! gcc -O0 elsewhere; the environment variable `NARROWS_CC` names another compiler, options included. SPIN
//! itself spends three quarters of its 33 ms in the C preprocessor, which a model without a `#` does not
//! need. tcc gets a few expressions wrong, so what differs is compiled again by gcc before it counts.

mod cycles;

use std::path::Path;
use std::process::Command;
use std::sync::OnceLock;
use std::time::Duration;
use std::{env, fs, io};

use crate::commands::{self, Finished, Scratch};

pub use cycles::{Cycles, Said, Verifier};

/// What became of an attempt to have SPIN explore a model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// SPIN found the model wrong, and said so.
    Rejected(String),
    /// SPIN, the C compiler or the verifier fell over.
    Crashed(String),
    /// The verifier declined to start, as it does at an unconditional self-loop or at an `else` within an
    /// `else`.
    Refused(String),
    /// The time or the memory was not enough.
    TimedOut,
    /// The verifier ran to its end, or to an error that it cannot continue after.
    Ran(Statistics),
}

/// What the verifier printed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Statistics {
    /// States stored.
    pub states: u64,
    /// Transitions taken, the arrival in the initial state included.
    pub transitions: u64,
    /// Steps inside atomic sequences.
    pub atomic_steps: u64,
    /// The deepest point of the search.
    pub depth: u64,
    /// Errors of every kind, counted per execution.
    pub errors: u64,
    /// The messages printed, each without its number and depth. One that repeats the one before is not
    /// printed, so the list tells which kinds of errors there are, not how many.
    pub messages: Vec<String>,
    /// Whether an error ended the search early, so that the counts are not those of the whole state space.
    pub fatal: bool,
}

impl Statistics {
    /// Whether an `assert` failed.
    pub fn has_assertion(&self) -> bool {
        self.messages.iter().any(|text| is_assertion(text))
    }

    /// Whether there is a state in which no process can move and not all may stop.
    pub fn has_deadlock(&self) -> bool {
        self.messages.iter().any(|text| text == DEADLOCK)
    }

    /// Whether something else went wrong, such as an index out of range or a blocked `d_step`.
    pub fn has_fault(&self) -> bool {
        self.messages.iter().any(|text| text != DEADLOCK && !is_assertion(text))
    }
}

const DEADLOCK: &str = "invalid end state";

fn is_assertion(message: &str) -> bool {
    message.starts_with("assertion violated") && !message.contains("- invalid array index")
}

/// How much SPIN may spend on a model.
#[derive(Debug, Clone)]
pub struct Limits {
    /// The longest that the verifier may run.
    pub time: Duration,
    /// The most memory the verifier may take, in megabytes.
    pub megabytes: u32,
    /// The deepest search that is worth another attempt, in steps.
    pub depth: u64,
    /// Whether gcc compiles the verifier even where tcc is quicker.
    pub careful: bool,
}

impl Default for Limits {
    fn default() -> Self {
        Self { time: Duration::from_secs(5), megabytes: 2048, depth: 20_000_000, careful: false }
    }
}

impl Limits {
    /// Limits for models of which there are thousands.
    pub fn quick() -> Self {
        Self { time: Duration::from_secs(2), megabytes: 1024, depth: 2_000_000, careful: false }
    }
}

/// Whether SPIN can be run at all.
pub fn installed() -> bool {
    static INSTALLED: OnceLock<bool> = OnceLock::new();
    *INSTALLED.get_or_init(|| Command::new("spin").arg("-V").output().is_ok())
}

/// Explores a model that is given as text.
pub fn explore_text(model: &str, limits: &Limits) -> io::Result<Outcome> {
    let scratch = Scratch::new()?;
    fs::write(scratch.path().join("model.pml"), model)?;
    let preprocess = model.contains('#');
    explore_in(&scratch, "model.pml", &[], preprocess, limits)
}

/// Explores a model file; other files of its directory can be included by it.
///
/// A definition is a `NAME=VALUE`, as for the C preprocessor.
pub fn explore_file(file: &Path, definitions: &[String], limits: &Limits) -> io::Result<Outcome> {
    let scratch = Scratch::new()?;
    let name = copy(file, &scratch)?;
    explore_in(&scratch, &name, definitions, true, limits)
}

/// Copies a model file and those that it may include, and returns its name.
fn copy(file: &Path, scratch: &Scratch) -> io::Result<String> {
    let directory = file.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    for entry in fs::read_dir(directory)? {
        let path = entry?.path();
        let included =
            path.extension().is_some_and(|e| ["pml", "h", "prom", "promela"].iter().any(|x| e == *x));
        if let Some(name) = path.file_name().filter(|_| (included || path == file) && path.is_file()) {
            fs::copy(&path, scratch.path().join(name))?;
        }
    }
    Ok(file.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default())
}

fn explore_in(
    scratch: &Scratch,
    model: &str,
    definitions: &[String],
    preprocess: bool,
    limits: &Limits,
) -> io::Result<Outcome> {
    if let Some(failure) = generate(scratch, model, definitions, preprocess, limits)? {
        return Ok(failure);
    }
    if let Some(failure) = compile(scratch, &["-DSAFETY", "-DNOCLAIM"], limits)? {
        return Ok(failure);
    }
    search(scratch, limits)
}

/// Has SPIN write the verifier's source; an outcome means that it did not.
fn generate(
    scratch: &Scratch,
    model: &str,
    definitions: &[String],
    preprocess: bool,
    limits: &Limits,
) -> io::Result<Option<Outcome>> {
    let mut spin = Command::new("spin");
    spin.current_dir(scratch.path());
    if !preprocess && definitions.is_empty() {
        spin.arg("-Pcat");
    }
    spin.args(definitions.iter().map(|definition| format!("-D{definition}")));
    spin.args(["-o1", "-o2", "-o3", "-a", model]);
    let ended = commands::run(&mut spin, limits.time.max(Duration::from_secs(3)))?;
    let said = format!("{}{}", ended.stdout, ended.stderr);
    Ok(match ended.status {
        None => Some(Outcome::TimedOut),
        Some(status) if status.code().is_none() => Some(Outcome::Crashed(format!("spin: {status}\n{said}"))),
        // The status decides, not the word `Error`, which SPIN also says of an `else` beside channel
        // operations.
        Some(status) if !status.success() => Some(Outcome::Rejected(said)),
        Some(_) if !scratch.path().join("pan.c").exists() => Some(Outcome::Rejected(said)),
        Some(_) => None,
    })
}

fn compile(scratch: &Scratch, options: &[&str], limits: &Limits) -> io::Result<Option<Outcome>> {
    let gcc = ["gcc", "-O0", "-pipe"].map(String::from);
    let words = if limits.careful { &gcc[..] } else { compiler() };
    let mut compile = Command::new(&words[0]);
    compile.current_dir(scratch.path()).args(&words[1..]);
    compile.args(["-w", "-DNOREDUCE", "-DVECTORSZ=40000"]).args(options);
    compile.arg(format!("-DMEMLIM={}", limits.megabytes)).args(["-o", "pan", "pan.c"]);
    let ended = commands::run(&mut compile, Duration::from_mins(1))?;
    Ok(match ended.status {
        Some(status) if status.success() => None,
        // The machine is too busy; that says nothing about the model.
        None => Some(Outcome::TimedOut),
        _ => Some(Outcome::Crashed(format!("pan.c does not compile\n{}{}", ended.stdout, ended.stderr))),
    })
}

/// The C compiler and its options.
fn compiler() -> &'static [String] {
    static COMPILER: OnceLock<Vec<String>> = OnceLock::new();
    COMPILER.get_or_init(|| {
        let words = |text: &str| text.split_whitespace().map(String::from).collect::<Vec<_>>();
        match env::var("NARROWS_CC").map(|text| words(&text)) {
            Ok(named) if !named.is_empty() => named,
            _ if Command::new("tcc").arg("-v").output().is_ok() => words("tcc"),
            _ => words("gcc -O0 -pipe"),
        }
    })
}

/// Runs the verifier, and again with a deeper stack while the one it had was too small.
fn search(scratch: &Scratch, limits: &Limits) -> io::Result<Outcome> {
    let mut depth = 200_000;
    loop {
        let mut pan = Command::new(scratch.path().join("pan"));
        pan.current_dir(scratch.path()).args(["-n", "-c0", "-w20"]).arg(format!("-m{depth}"));
        let ended = commands::run(&mut pan, limits.time)?;
        if !ended.stdout.contains("max search depth too small") {
            return Ok(read(&ended));
        }
        depth *= 10;
        if depth > limits.depth {
            return Ok(Outcome::TimedOut);
        }
    }
}

/// Reads what the verifier printed.
fn read(ended: &Finished) -> Outcome {
    let text = &ended.stdout;
    let Some(status) = ended.status else { return Outcome::TimedOut };
    if text.contains("reached -DMEMLIM bound") || text.contains("out of memory") {
        return Outcome::TimedOut;
    }
    if text.contains("unconditional self-loop") || text.contains("'else' stmnts") {
        return Outcome::Refused(text.lines().next().unwrap_or_default().to_owned());
    }
    if status.code().is_none() {
        return Outcome::Crashed(format!("pan: {status}\n{text}"));
    }
    let mut found = Statistics::default();
    let mut complete = false;
    for line in text.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words.as_slice() {
            [count, "states,", "stored", ..] => {
                found.states = number(count);
                complete = true;
            }
            [count, "transitions", ..] => found.transitions = number(count),
            [count, "atomic", "steps"] => found.atomic_steps = number(count),
            ["State-vector", _, "byte,", "depth", "reached", depth, "errors:", errors] => {
                found.depth = number(depth.trim_end_matches(','));
                found.errors = number(errors);
            }
            _ => {
                if let Some(message) = message(line) {
                    found.messages.push(message.to_owned());
                }
            }
        }
    }
    found.fatal = text.contains("Search not completed");
    if complete { Outcome::Ran(found) } else { Outcome::Crashed(format!("{text}{}", ended.stderr)) }
}

/// The text of a line such as `pan:1: invalid end state (at depth 4)`.
fn message(line: &str) -> Option<&str> {
    let rest = line.strip_prefix("pan:")?;
    let (count, rest) = rest.split_once(": ")?;
    count.parse::<u64>().ok()?;
    Some(rest.rsplit_once(" (at depth ").map_or(rest, |(text, _)| text))
}

/// A count as C's `%g` prints it: from a hundred million on with an exponent, then exact only in its first
/// digits.
fn number(text: &str) -> u64 {
    text.parse().unwrap_or_else(|_| text.parse::<f64>().unwrap_or(0.0) as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ran(model: &str) -> Statistics {
        match explore_text(model, &Limits::default()) {
            Ok(Outcome::Ran(found)) => found,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn tells_kinds_of_errors_apart() {
        if !installed() {
            return;
        }
        let found =
            ran("byte x; active proctype P() { if :: x = 1; assert(x == 0) :: x == 5 :: x = 2; x == 0 fi }");
        assert_eq!(found.errors, 2);
        assert!(found.has_assertion() && found.has_deadlock() && !found.has_fault());
    }

    #[test]
    fn notices_an_early_end() {
        if !installed() {
            return;
        }
        let found = ran("byte x; active proctype P() { d_step { x = 1; x == 2; x = 3 } }");
        assert!(found.fatal && found.has_fault(), "{found:?}");
    }

    #[test]
    fn returns_what_spin_says_of_a_wrong_model() {
        if !installed() {
            return;
        }
        let outcome = explore_text("active proctype P() { brek }", &Limits::default());
        assert!(matches!(&outcome, Ok(Outcome::Rejected(text)) if text.contains("brek")), "{outcome:?}");
        let outcome = explore_text("active proctype P() { do :: skip od }", &Limits::default());
        assert!(matches!(&outcome, Ok(Outcome::Refused(_))), "{outcome:?}");
    }
}
