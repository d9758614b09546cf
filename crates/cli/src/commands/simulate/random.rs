//! Runs without a terminal, for scripts: every step as text, or only what the model prints.

use std::io::{self, Write};

use super::session::{Session, Status};
use super::text;

/// Writes the run so far, takes at most `count` random steps, writes them and how things stand then. Returns whether
/// nothing went wrong.
pub(super) fn run(
    session: &mut Session<'_>,
    count: u64,
    quiet: bool,
    out: &mut dyn Write,
) -> io::Result<bool> {
    let mut well = session.violations().is_empty();
    let replayed = session.history().len();
    for position in 1..=replayed {
        session.jump(position);
        if session.cycle() == Some(position - 1) && !quiet {
            writeln!(out, "      the cycle starts here")?;
        }
        write_step(session, quiet, out)?;
        well &= session.violations().is_empty();
    }
    if let Some(cycle) = session.cycle().filter(|_| !quiet) {
        writeln!(out, "      {}", text::cycle(cycle, replayed))?;
    }
    for _ in 0..count {
        if !session.violations().is_empty() {
            break;
        }
        session.forget();
        if !session.random_step() {
            break;
        }
        write_step(session, quiet, out)?;
        well &= session.violations().is_empty();
    }
    writeln!(out, "{}", text::verdict(session))?;
    Ok(well && !matches!(session.status(), Status::Deadlock | Status::Faulted))
}

fn write_step(session: &Session<'_>, quiet: bool, out: &mut dyn Write) -> io::Result<()> {
    let lines = if quiet { text::output(session) } else { text::last_step(session) };
    out.write_all(lines.as_bytes())
}

#[cfg(test)]
mod tests {
    use narrows_model::Evaluator;

    use super::super::examples::{Example, counting, dividing, meeting};
    use super::*;

    fn check(example: &Example, count: u64, quiet: bool) -> (String, bool) {
        let mut session = Session::new(Evaluator::new(&example.system), &example.sources, 3)
            .expect("it has an initial state");
        let mut out = Vec::new();
        let well = run(&mut session, count, quiet, &mut out).expect("memory takes everything");
        (String::from_utf8(out).expect("text"), well)
    }

    #[test]
    fn shows_every_step() {
        let (text, well) = check(&counting(), 9, false);
        let expected = "   1  P(0)  example.pml:5  [x = 1]
      P(0)  example.pml:6  [printf(\"x is %d\\n\", x)]
      P(0)  example.pml:7  [x = 2]
      P(0)  example.pml:8  [printf(\"now %d\\n\", x)]
        > x is 1
        > now 2
        x: 0 → 2
   2  P(0)  example.pml:10  [c!x]
        c#1: empty → [2]
   3  Q(1)  example.pml:14  [c?y]
        c#1: [2] → empty
        Q(1).y: 0 → 2
   4  Q(1)  example.pml:15  [assert(y == 3)]
      ! assertion violated at example.pml:15
violation after 4 steps: assertion violated at example.pml:15
";
        assert_eq!(text, expected);
        assert!(!well);
    }

    #[test]
    fn quiet_is_output_and_verdict() {
        let (text, well) = check(&counting(), 2, true);
        assert_eq!(text, "x is 1\nnow 2\nstopped after 2 steps\n");
        assert!(well);
        assert_eq!(check(&meeting(), 100, true), ("end after 5 steps\n".to_owned(), true));
        let fault = "violation after 1 step: division by zero at example.pml:3\n";
        assert_eq!(check(&dividing(), 100, true), (fault.to_owned(), false));
    }
}
