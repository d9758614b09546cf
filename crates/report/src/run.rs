//! A run as text: numbered steps, each with what it changed.

use std::collections::BTreeSet;
use std::fmt::Write;

use narrows_model::{Action, Change, Model, Move, MoveKind, Narrator, RunStep, Trace, TraceStep, Violation};
use narrows_source::Sources;

pub use narrows_model::wording::one_line;

use crate::report::{place, written};
use crate::units::{WIDEST, count};

/// A run with more steps than this is shown without its middle.
const LONGEST: usize = 400;
/// Of a long run, this many steps at either end are shown, and after the start of its cycle.
const ENDS: usize = 100;
/// Of a long run, this many steps before the start of its cycle are shown.
const BEFORE_CYCLE: usize = 10;
/// Marks a proposition of the formula.
const ATOM: char = '◆';

/// Writes the steps of a run, with what the propositions of the formula are on the way.
pub(crate) fn steps(model: &Model, trace: &Trace, into: &mut String) {
    let (total, sources, narrator) = (trace.steps.len(), &model.sources, Narrator::new(model));
    let (mut name_width, mut place_width) = (0, 0);
    // In a long run, everything is done many times.
    let mut known = BTreeSet::new();
    for step in &trace.steps {
        let is_new = |one: &&Move| known.insert((one.pid, one.proctype, one.transition));
        let new: Vec<Move> = step.moves().iter().filter(is_new).copied().collect();
        for action in
            new.iter().flat_map(|one| narrator.actions(&RunStep::of_moves(&[*one], Vec::new(), Vec::new())))
        {
            name_width = name_width.max(actor(&action).chars().count());
            place_width = place_width.max(place(sources, action.span).len());
        }
    }
    let layout = Layout {
        number: total.to_string().len(),
        name: name_width.min(24).min(WIDEST),
        place: place_width.min(WIDEST),
    };
    first_values(trace, &layout, into);
    each_step(trace, into, |index, bar, into| {
        one_step(sources, index + 1, &narrator.step(trace, index), &layout, bar, into);
        changed_values(trace, index, &layout, bar, into);
    });
    match trace.cycle {
        Some(start) if start < total => {
            let _ = writeln!(into, "└─ back to step {}", start + 1);
        }
        Some(_) => into.push_str("  ── the run stays here for ever\n"),
        None => {}
    }
}

/// Writes each step that is shown, with what is left out before it, where the cycle begins, and the time.
pub(crate) fn each_step(trace: &Trace, into: &mut String, mut write: impl FnMut(usize, Bar, &mut String)) {
    let total = trace.steps.len();
    let cycle = trace.cycle.filter(|start| *start < total);
    let mut next = 0;
    for index in 0..total {
        if !is_shown(index, total, cycle) {
            continue;
        }
        left_out(index - next, Bar::at(next, cycle), into);
        next = index + 1;
        if cycle == Some(index) {
            let _ = writeln!(into, "┌─ cycle: {} for ever", repeats(index, total));
        }
        let bar = Bar::at(index, cycle);
        passed_time(trace, index, bar, into);
        write(index, bar, into);
    }
}

/// Writes what time it is when a step is taken, if time has passed since the one before.
pub(crate) fn passed_time(trace: &Trace, index: usize, bar: Bar, into: &mut String) {
    if let Some(time) = trace.times.get(index)
        && index.checked_sub(1).and_then(|before| trace.times.get(before)) != Some(time)
    {
        let _ = writeln!(into, "{}── at {time}", bar.text());
    }
}

/// Says which steps repeat, from the one with an index to the last.
pub(crate) fn repeats(index: usize, total: usize) -> String {
    match total - index {
        1 => format!("step {total} repeats"),
        _ => format!("steps {}–{total} repeat", index + 1),
    }
}

/// Says whether a step of a long run is near one of its ends, or near the start of its cycle.
pub(crate) fn is_shown(index: usize, total: usize, cycle: Option<usize>) -> bool {
    let near_cycle = cycle.is_some_and(|start| index + BEFORE_CYCLE >= start && index < start + ENDS);
    total <= LONGEST || index < ENDS || index >= total - ENDS || near_cycle
}

/// Says that steps are not shown.
pub(crate) fn left_out(steps: usize, bar: Bar, into: &mut String) {
    if steps > 0 {
        let steps = count(steps as u64, "step");
        let _ = writeln!(into, "{}… {steps} left out; --trace and --html save all of them …", bar.text());
    }
}

/// Writes what the propositions of the formula are in the initial state.
fn first_values(trace: &Trace, layout: &Layout, into: &mut String) {
    if trace.atoms.is_empty() {
        return;
    }
    let _ = writeln!(into, "  {:>width$}  the initial state", 0, width = layout.number);
    for atom in &trace.atoms {
        if let Some(value) = atom.values.first() {
            let _ = writeln!(into, "{:indent$}{ATOM} {}: {value}", "", atom.text, indent = layout.indent());
        }
    }
}

/// Writes which propositions of the formula have other values after a step than before it.
fn changed_values(trace: &Trace, index: usize, layout: &Layout, bar: Bar, into: &mut String) {
    for atom in &trace.atoms {
        if let Some([before, after]) = atom.values.get(index..index + 2)
            && before != after
        {
            let indent = bar.indented(layout.indent());
            let _ = writeln!(into, "{indent}{ATOM} {}: {before} → {after}", atom.text);
        }
    }
}

/// What stands at the left of a line: a bar beside the steps of a cycle.
#[derive(Clone, Copy)]
pub(crate) struct Bar(bool);

impl Bar {
    /// Returns what stands beside a step.
    pub(crate) fn at(index: usize, cycle: Option<usize>) -> Bar {
        Bar(cycle.is_some_and(|start| start <= index))
    }

    /// Returns it as text.
    pub(crate) fn text(self) -> &'static str {
        if self.0 { "│ " } else { "  " }
    }

    fn indented(self, indent: usize) -> String {
        format!("{}{:width$}", self.text(), "", width = indent - 2)
    }
}

/// How wide the columns are.
struct Layout {
    number: usize,
    name: usize,
    place: usize,
}

impl Layout {
    /// Returns where the text of a line without number and name starts.
    fn indent(&self) -> usize {
        self.number + self.name + 6
    }
}

fn one_step(
    sources: &Sources,
    number: usize,
    step: &TraceStep,
    layout: &Layout,
    bar: Bar,
    into: &mut String,
) {
    let mut first = number.to_string();
    for action in step.visible_actions() {
        let (name, place) = (actor(action), place(sources, action.span));
        let _ = writeln!(
            into,
            "{bar}{first:>number$}  {name:<width$}  {place:<where_$}  {text}{role}",
            bar = bar.text(),
            number = layout.number,
            width = layout.name,
            where_ = layout.place,
            text = one_line(&action.label),
            role = role(action),
        );
        first.clear();
    }
    let indent = bar.indented(layout.indent());
    for change in &step.changes {
        let _ = writeln!(into, "{indent}{}", change_text(change));
    }
    for violation in &step.violations {
        let _ = writeln!(into, "{indent}! {}", violation_text(sources, *violation));
    }
}

/// Says what part a move has in a rendezvous.
pub(crate) fn role(action: &Action) -> &'static str {
    match action.transition().map(|step| step.kind) {
        None | Some(MoveKind::Alone) => "",
        Some(MoveKind::Offer) => "  (rendezvous)",
        Some(MoveKind::Accept) => "  (takes it)",
    }
}

/// Says who acts; empty if it is the system as a whole.
pub(crate) fn actor(action: &Action) -> String {
    action.actor.as_ref().map(ToString::to_string).unwrap_or_default()
}

/// Says what changed, in one line.
pub fn change_text(change: &Change) -> String {
    match (&change.before, &change.after) {
        (Some(before), Some(after)) => format!("{}: {before} → {after}", change.name),
        (None, Some(after)) if after.text == "alive" => format!("{} starts", change.name),
        (Some(before), None) if before.text == "alive" => format!("{} ends", change.name),
        (None, Some(after)) => format!("{} = {after}", change.name),
        (Some(before), None) => format!("{} is gone (was {before})", change.name),
        (None, None) => change.name.clone(),
    }
}

/// Says what went wrong and where.
pub(crate) fn violation_text(sources: &Sources, violation: Violation) -> String {
    let place = place(sources, violation.span);
    let text = written(sources, violation.span);
    let message = violation.kind.message();
    match (place.as_str(), text) {
        ("", _) => message.to_owned(),
        (place, "") => format!("{message} at {place}"),
        (place, text) => format!("{message} at {place}: {text}"),
    }
}

/// Writes where every process is in the last state, and why it can't move.
pub(crate) fn stuck(model: &Model, trace: &Trace, into: &mut String) {
    if trace.initial.is_empty() {
        return;
    }
    let waiting = model.waiting(trace.last_state());
    if !waiting.is_empty() {
        let _ = writeln!(into, "  now no process can move:");
    }
    for process in &waiting {
        let note = if process.may_end { " (may end here)" } else { "" };
        let _ =
            writeln!(into, "    {} waits at {}{note}", process.process, place(&model.sources, process.span));
        for (span, text, reason) in &process.statements {
            let _ = writeln!(into, "      {}  {text}: {reason}", place(&model.sources, *span));
        }
    }
}

#[cfg(test)]
mod tests {
    use narrows_model::{Answer, Question, Verdict};

    use crate::samples::{Sample, TURNS};

    /// Returns what is said of a run against a question.
    fn text(sample: &Sample, question: Question) -> String {
        let trace = Box::new(sample.trace.clone());
        let verdict = Verdict::Fails { violation: None, trace, shortest: true };
        let text = sample.report(&[Answer::new(question, verdict)], crate::check);
        let lines: Vec<&str> = text.lines().skip(3).take_while(|line| !line.is_empty()).collect();
        lines.join("\n") + "\n"
    }

    fn property(kind: &'static str, name: &str) -> Question {
        Question::Property { index: 0, kind, name: name.to_owned() }
    }

    #[test]
    fn a_lasso_is_marked_and_propositions_are_told() {
        let sample = Sample::new(TURNS, &[0; 4], Some(1)).with_atom("turn == 1", "turn", "1");
        let expected = "\
ltl fair fails: 1 step, then a cycle of 3 (no shorter run shows it)
  0  the initial state
           ◆ turn == 1: false
  1  P(0)  m.pml:4  (turn == _pid)
┌─ cycle: steps 2–4 repeat for ever
│ 2  P(0)  m.pml:4  turn = 1 - _pid
│          turn: 0 → 1
│          ◆ turn == 1: false → true
│ 3  P(1)  m.pml:4  (turn == _pid)
│ 4  P(1)  m.pml:4  turn = 1 - _pid
│          turn: 1 → 0
│          ◆ turn == 1: true → false
└─ back to step 2
";
        assert_eq!(text(&sample, property("ltl", "fair")), expected);
    }

    #[test]
    fn a_run_may_stay_where_it_is() {
        let sample = Sample::new(TURNS, &[0], Some(1));
        let expected = "\
never claim fails: 1 step, then the run stays there for ever (no shorter run shows it)
  1  P(0)  m.pml:4  (turn == _pid)
  ── the run stays here for ever
";
        assert_eq!(text(&sample, property("never", "")), expected);
    }

    #[test]
    fn headlines_say_what_fails() {
        let check = |question: Question, choices: &[usize], cycle, expected: &str| {
            let text = text(&Sample::new(TURNS, choices, cycle), question);
            assert_eq!(text.lines().next(), Some(expected));
        };
        let short = "no shorter run shows it";
        check(property("ctl", "q"), &[0], None, &format!("ctl q fails after 1 step ({short})"));
        check(property("ctl", "q"), &[], None, "ctl q fails in the initial state");
        check(property("ltl", "q"), &[], Some(0), "ltl q fails: the run stays in its initial state for ever");
        check(property("trace", ""), &[0], None, &format!("trace assertion fails after 1 step ({short})"));
        check(
            Question::Progress,
            &[0; 4],
            Some(0),
            &format!("non-progress cycle: a cycle of 4 steps ({short})"),
        );
        let lasso = format!("acceptance cycle: 3 steps, then a cycle of 1 ({short})");
        check(Question::Acceptance, &[0; 4], Some(3), &lasso);
    }

    #[test]
    fn a_long_run_is_shown_at_its_ends_and_around_its_cycle() {
        let text = text(&Sample::new(TURNS, &[0; 900], Some(400)), property("ltl", "q"));
        let steps = text.lines().filter(|line| line.contains("m.pml:4")).count();
        assert_eq!(steps, 100 + 10 + 100 + 100);
        for line in [
            "  … 290 steps left out; --trace and --html save all of them …",
            "┌─ cycle: steps 401–900 repeat for ever",
            "│ … 300 steps left out; --trace and --html save all of them …",
            "└─ back to step 401",
        ] {
            assert!(text.lines().any(|other| other == line), "{line}\n{text}");
        }
    }
}
