//! The simulator line by line, for scripts and for terminals that can do no more.

use std::fmt::Write as _;
use std::io::{self, BufRead, Write};

use narrows_report::one_line;

use super::super::keys::Run;
use super::session::Session;
use crate::output::Printer;

const HELP: &str = "\
  1, 2, …   take the step with this number
  r, r N    take a random step, or N of them
  b, b N    go back a step, or N of them
  s         show where the processes are
  t         show the steps so far
  q         quit
";

/// Asks what to do, until there is nothing more to read. Returns whether nothing went wrong.
pub(super) fn talk(session: &mut Session<'_>) -> io::Result<bool> {
    converse(session, &mut io::stdin().lock(), &mut Printer::stdout())
}

pub(super) fn converse(
    session: &mut Session<'_>,
    input: &mut dyn BufRead,
    out: &mut dyn Write,
) -> io::Result<bool> {
    writeln!(out, "{}: choose a step by its number; h for help", session.name())?;
    let mut lines = input.lines();
    loop {
        if session.fault().is_some() {
            return Ok(false);
        }
        write!(out, "{}", choices(session))?;
        loop {
            write!(out, "> ")?;
            out.flush()?;
            let Some(line) = lines.next() else { return Ok(true) };
            let line = line?;
            let mut words = line.split_whitespace();
            let word = words.next().unwrap_or("");
            let count: usize = words.next().and_then(|word| word.parse().ok()).unwrap_or(1);
            if let Ok(number) = word.parse::<usize>() {
                if number.checked_sub(1).is_some_and(|index| session.choose(index)) {
                    break;
                }
                writeln!(out, "there is no step {number}")?;
                continue;
            }
            match word {
                "q" | "quit" => return Ok(true),
                "r" | "random" => {
                    for _ in 0..count {
                        if !session.random_step() {
                            break;
                        }
                        writeln!(out, "  {}", session.past(session.here()))?;
                    }
                    break;
                }
                "b" | "back" => {
                    session.jump(session.here().saturating_sub(count));
                    break;
                }
                "s" | "state" => {
                    for (place, values) in session.places(session.here()) {
                        writeln!(out, "  {place}{}{values}", if values.is_empty() { "" } else { "  with " })?;
                    }
                }
                "t" | "trace" => {
                    for number in 1..=session.here() {
                        writeln!(out, "{number:>5}  {}", session.past(number))?;
                    }
                }
                _ => write!(out, "{HELP}")?,
            }
        }
    }
}

/// Lists what can be done.
fn choices(session: &Session<'_>) -> String {
    let mut text = format!("\nafter {} steps\n", session.position());
    for (number, (label, _)) in session.steps().iter().enumerate() {
        let _ = writeln!(text, "{:>5}  {}", number + 1, one_line(label));
    }
    if session.steps().is_empty() {
        text +=
            if session.has_ended() { "  the run has ended\n" } else { "  deadlock: nothing can happen\n" };
    }
    text
}
