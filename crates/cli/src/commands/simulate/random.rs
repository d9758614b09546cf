//! Runs without a terminal, for scripts: every step as text, or only what the model prints.

use std::io::{self, Write};

use narrows::Limit;
use narrows::simulation::{Session, Status, text};

/// Writes the run so far, takes at most `count` random steps, writes them and how things stand then. Returns
/// whether nothing went wrong, or the limit that ended the run before that was known.
pub(super) fn run(
    session: &mut Session<'_>,
    count: u64,
    quiet: bool,
    out: &mut dyn Write,
    limit: &dyn Fn() -> Option<Limit>,
) -> io::Result<Result<bool, Limit>> {
    if session.is_before_first() {
        // Where to begin is no step.
        session.random_step();
    }
    let mut well = true;
    for position in 0..=session.history().len() {
        session.jump(position);
        if let Some(line) = text::cycle_start(session).filter(|_| !quiet) {
            writeln!(out, "{line}")?;
        }
        write_step(session, quiet, out)?;
        well &= session.wrong().is_none();
    }
    if let Some(line) = text::cycle_end(session).filter(|_| !quiet) {
        writeln!(out, "{line}")?;
    }
    let mut reached = None;
    for _ in 0..count {
        if session.wrong().is_some() || session.steps().is_empty() {
            break;
        }
        reached = limit();
        if reached.is_some() {
            break;
        }
        session.forget();
        session.random_step();
        write_step(session, quiet, out)?;
        well &= session.wrong().is_none();
    }
    if let Some(verdict) = text::verdict(session) {
        writeln!(out, "{verdict}")?;
    }
    let is_well = well && !matches!(session.status(), Status::Deadlock | Status::Faulted);
    // What went wrong before stays wrong, whatever would have followed.
    Ok(reached.filter(|_| is_well).map_or(Ok(is_well), Err))
}

fn write_step(session: &Session<'_>, quiet: bool, out: &mut dyn Write) -> io::Result<()> {
    let lines = if quiet { text::output(session) } else { text::last_step(session) };
    out.write_all(lines.as_bytes())
}

#[cfg(test)]
mod tests {
    use narrows::Model;
    use narrows::simulation::Recording;
    use narrows_report::{RecordedLabel, RecordedLabels};

    use super::super::examples::{buffer, counting, dividing, light, meeting, model};
    use super::*;

    fn check(model: &Model, count: u64, quiet: bool) -> (String, bool) {
        let mut session = Session::new(model, 3).expect("it has an initial state");
        let mut out = Vec::new();
        let end = run(&mut session, count, quiet, &mut out, &|| None).expect("memory takes everything");
        (String::from_utf8(out).expect("text"), end.expect("there is no limit"))
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

    #[test]
    fn a_limit_ends_a_run_that_goes_well() {
        let steps = std::cell::Cell::new(0);
        let limit = || {
            steps.set(steps.get() + 1);
            (steps.get() > 3).then_some(Limit::Time)
        };
        let model = light();
        let mut session = Session::new(&model, 3).expect("it has an initial state");
        let mut out = Vec::new();
        let end = run(&mut session, 1000, false, &mut out, &limit).expect("memory takes everything");
        assert_eq!(end, Err(Limit::Time));
        let text = String::from_utf8(out).expect("text");
        assert!(text.ends_with("stopped after 3 steps\n"), "{text}");
    }

    #[test]
    fn more_paths_than_can_be_listed_are_cut_short() {
        let splits = "byte x; init { int i; atomic { for (i : 0 .. 400) { if :: x = 1 :: x = 2 fi } } }";
        let splits = model("splits.pml", splits);
        let session = Session::new(&splits, 3).expect("it has an initial state");
        assert!(session.has_more() && session.steps().len() < 1000, "{}", session.steps().len());
    }

    #[test]
    fn values_are_written_state_by_state() {
        let (text, well) = check(&light(), 4, false);
        assert!(well);
        let lines: Vec<&str> = text.lines().collect();
        assert!(lines[0].starts_with("   0  fast = "), "{text}");
        assert!(lines[1].starts_with("   1  press = "), "{text}");
        assert_eq!(lines.last(), Some(&"stopped after 4 steps"), "{text}");
        // The same seed gives the same run.
        assert_eq!(check(&light(), 4, false).0, text);
    }

    #[test]
    fn the_end_of_values_and_what_is_wrong_are_said() {
        let stuck = "MODULE main\nVAR x : 0..2;\nASSIGN init(x) := 0;\nTRANS next(x) = x + 1";
        let (text, well) = check(&model("stuck.smv", stuck), 9, false);
        assert!(!well && text.ends_with("deadlock after 2 steps: there is no next state\n"), "{text}");
        let divides = "MODULE main\nVAR x : 0..3;\nASSIGN init(x) := 1; next(x) := (2 / x) mod 2;";
        let (text, well) = check(&model("divides.smv", divides), 9, false);
        assert!(!well && text.contains("fault after"), "{text}");
    }

    #[test]
    fn labels_are_written_step_by_step() {
        let ends = model("ends.lotos", "specification Ends [a, b] : exit behaviour a; b; exit endspec");
        assert_eq!(check(&ends, 2, false), ("     1  A\n     2  B\n".to_owned(), true));
        let all = "     1  A\n     2  B\n     3  exit\nthe run has ended\n";
        assert_eq!(check(&ends, 9, false), (all.to_owned(), true));
        let stops = model("stops.lotos", "specification Stops [a] : noexit behaviour a; stop endspec");
        let text = "     1  A\ndeadlock: nothing can happen any more\n";
        assert_eq!(check(&stops, 9, false), (text.to_owned(), false));
    }

    #[test]
    fn endless_runs_say_where_they_come_back_to() {
        let step = |label: &str| RecordedLabel { label: label.to_owned(), choice: None };
        let steps = ["PUT", "i", "PUT", "i"].map(step).to_vec();
        let recorded = RecordedLabels { steps, cycle: Some(2), ..RecordedLabels::default() };
        let model = buffer();
        let mut session = Session::new(&model, 1).expect("it has an initial state");
        session.replay(&Recording::Labels(recorded)).expect("it fits");
        let mut out = Vec::new();
        assert_eq!(
            run(&mut session, 0, false, &mut out, &|| None).expect("memory takes everything"),
            Ok(true)
        );
        let text = String::from_utf8(out).expect("text");
        assert!(text.contains("     2  i\n        the cycle starts here\n     3  PUT\n"), "{text}");
        assert!(text.ends_with("and again from step 3 on, for ever\n"), "{text}");
    }
}
