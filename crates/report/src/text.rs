//! Reports as text for people.

use std::fmt::Write;

use narrows_model::decimals::DIGITS;
use narrows_model::{Answer, Limit, Question, Reply, SetSize, Trace, Verdict, Violation};

use crate::figures::{judgement, result_text};
use crate::narration::steps;
use crate::run::{one_line, stuck, violation_text};
use crate::units::{WIDEST, bytes, count, grouped, grouped_digits, seconds};
use crate::{Report, Unreached, loss, orbits};

/// Reports what exploring a model found.
pub fn explore(report: &Report<'_>) -> String {
    let mut text = format!("{}\n", report.model.name);
    incomplete(report, &mut text);
    figures(report, &mut text);
    problems(report, &mut text);
    unreached(report, &mut text);
    labels(report, &mut text);
    text
}

/// Reports the answers to questions about a model, each failure with its run.
pub fn check(report: &Report<'_>) -> String {
    let mut text = format!("{}\n", report.model.name);
    for reply in report.replies {
        match reply {
            Reply::Answer(answer) => one_answer(report, answer, &mut text),
            Reply::Figure(figure) => {
                let (kind, name) = (figure.kind, &figure.name);
                let _ = writeln!(
                    text,
                    "  {kind:<10} {name}: {}{}",
                    result_text(figure, DIGITS),
                    judgement(figure)
                );
            }
        }
    }
    for answer in report.answers() {
        for run in runs(answer) {
            one_run(report, &answer.question, &run, &mut text);
        }
        for note in answer.notes.iter().filter(|_| has_run(answer)) {
            let _ = writeln!(text, "  {note}");
        }
    }
    text.push('\n');
    incomplete(report, &mut text);
    summary(report, &mut text);
    unreached(report, &mut text);
    text
}

fn one_answer(report: &Report<'_>, answer: &Answer, text: &mut String) {
    let (mark, line) = answer_line(report, answer);
    // Visiting all states, one by one or set by set, is the rule.
    let by = answer.engine.filter(|engine| *engine != "symbolic");
    let by = by.map_or_else(String::new, |engine| format!(" (by {engine})"));
    let _ = writeln!(text, "  {mark:<10} {line}{by}");
    for note in answer.notes.iter().filter(|_| !has_run(answer)) {
        let _ = writeln!(text, "             {note}");
    }
}

pub(crate) fn has_run(answer: &Answer) -> bool {
    answer.witness.is_some() || matches!(answer.verdict, Verdict::Fails { .. })
}

pub(crate) fn answer_line(report: &Report<'_>, answer: &Answer) -> (&'static str, String) {
    let name = title(&answer.question);
    match &answer.verdict {
        Verdict::Holds => ("holds", name),
        Verdict::Fails { violation: Some(violation), .. } => {
            ("fails", violation_text(report.sources(), *violation))
        }
        Verdict::Fails { .. } => ("fails", opposite(report, &answer.question)),
        // The reason stands once below.
        Verdict::Undecided(Limit::Lossy) => {
            ("undecided", format!("{name}: no violation found, which is no proof"))
        }
        Verdict::Undecided(limit) => ("undecided", format!("{name}: {}", limit.reason())),
        Verdict::Refused(refusal) => ("undecided", format!("{name}: {}", refusal.reason)),
        _ => ("undecided", name),
    }
}

/// Says what is claimed when a question is answered with yes.
pub(crate) fn title(question: &Question) -> String {
    match question {
        Question::Assertions => "no assertion is violated".to_owned(),
        Question::Deadlock => "no deadlock".to_owned(),
        Question::Faults => "no run-time fault".to_owned(),
        Question::Acceptance => "no acceptance cycle".to_owned(),
        Question::Progress => "no non-progress cycle".to_owned(),
        other => {
            let kind = match other.kind() {
                "never" => "never claim",
                "trace" => "trace assertion",
                kind => kind,
            };
            format!("{kind} {}", other.name()).trim_end().to_owned()
        }
    }
}

/// Says what a run shows that is a counterexample.
fn opposite(report: &Report<'_>, question: &Question) -> String {
    match question {
        Question::Deadlock if report.model.synchronous().is_some() => {
            "deadlock: there is a state without a successor".to_owned()
        }
        Question::Deadlock => "deadlock: no process can move".to_owned(),
        Question::Faults => "fault: something happens that must not".to_owned(),
        Question::Acceptance => "acceptance cycle: an accepting place is passed again and again".to_owned(),
        Question::Progress => "non-progress cycle: the run goes on for ever without progress".to_owned(),
        other => title(other),
    }
}

/// Says what a run is a counterexample to, and how long it is.
pub(crate) fn headline(
    question: &Question,
    violation: Option<Violation>,
    trace: &Trace,
    shortest: bool,
) -> String {
    let what = claim(question, violation);
    let note = if shortest { " (no shorter run shows it)" } else { " (a shorter run may show it too)" };
    extent(&what, trace, note)
}

/// Says what goes wrong in a counterexample.
fn claim(question: &Question, violation: Option<Violation>) -> String {
    match (question, violation) {
        (_, Some(violation)) => violation.kind.message().to_owned(),
        (Question::Deadlock, _) => "deadlock".to_owned(),
        (Question::Acceptance, _) => "acceptance cycle".to_owned(),
        (Question::Progress, _) => "non-progress cycle".to_owned(),
        (other, _) => format!("{} fails", title(other)),
    }
}

/// Says of what a run shows how long it takes.
fn extent(what: &str, trace: &Trace, note: &str) -> String {
    let steps = |number: usize| count(number as u64, "step");
    let length = trace.steps.len();
    match (length, trace.cycle) {
        (0, None) => format!("{what} in the initial state"),
        (0, Some(_)) => format!("{what}: the run stays in its initial state for ever"),
        (_, None) => format!("{what} after {}{note}", steps(length)),
        (_, Some(0)) => format!("{what}: a cycle of {}{note}", steps(length)),
        (_, Some(start)) if start < length => {
            format!("{what}: {}, then a cycle of {}{note}", steps(start), length - start)
        }
        (_, Some(_)) => format!("{what}: {}, then the run stays there for ever{note}", steps(length)),
    }
}

/// A run that goes with an answer.
pub(crate) struct Shown<'a> {
    /// Says what it shows, and how long it is.
    pub(crate) title: String,
    /// What goes wrong in it.
    pub(crate) violation: Option<Violation>,
    pub(crate) trace: &'a Trace,
}

/// Returns every run that goes with an answer: the counterexample, further ones, a witness.
pub(crate) fn runs(answer: &Answer) -> Vec<Shown<'_>> {
    let mut runs = Vec::new();
    if let Verdict::Fails { violation, trace, shortest } = &answer.verdict {
        let title = headline(&answer.question, *violation, trace, *shortest);
        runs.push(Shown { title, violation: *violation, trace });
    }
    for other in &answer.more {
        let what = claim(&answer.question, other.violation);
        let title = extent(&format!("another run: {what}"), &other.trace, "");
        runs.push(Shown { title, violation: other.violation, trace: &other.trace });
    }
    if let Some(witness) = &answer.witness {
        let title = extent(&format!("{} shown", title(&answer.question)), witness, "");
        runs.push(Shown { title, violation: None, trace: witness });
    }
    runs
}

fn one_run(report: &Report<'_>, question: &Question, run: &Shown<'_>, text: &mut String) {
    let _ = writeln!(text, "\n{}", run.title);
    steps(report.model, run.trace, text);
    match run.violation {
        Some(violation) if run.trace.steps.is_empty() => {
            let _ = writeln!(text, "  {}", violation_text(report.sources(), violation));
        }
        None if *question == Question::Deadlock => stuck(report.model, run.trace, text),
        _ => {}
    }
}

fn incomplete(report: &Report<'_>, text: &mut String) {
    if report.limit == Some(Limit::Enough) {
        let _ = writeln!(text, "  not every state was visited: all questions were answered before");
    } else if report.limit == Some(Limit::Lossy) {
        let _ = writeln!(text, "  NO PROOF: {}", Limit::Lossy.reason());
    } else if let Some(limit) = report.limit {
        let _ =
            writeln!(text, "  INCOMPLETE: {}; there may be more states and more problems", limit.reason());
    }
    for sentence in loss::sentences(report) {
        let _ = writeln!(text, "  {sentence}");
    }
}

fn rate(report: &Report<'_>) -> u64 {
    if report.seconds > 0.0 { (report.coverage.states as f64 / report.seconds) as u64 } else { 0 }
}

/// A search that goes its ways on several threads has no depth that means anything.
fn has_depth(report: &Report<'_>) -> bool {
    report.coverage.depth > 0 || report.coverage.states <= 1
}

fn figures(report: &Report<'_>, text: &mut String) {
    let coverage = report.coverage;
    let mut line = |name: &str, value: String| {
        let _ = writeln!(text, "  {name:<13}{value}");
    };
    if let Some(sets) = &coverage.sets {
        if let Some(states) = &sets.states {
            line("states", grouped_digits(states));
            line("bits", grouped(sets.bits));
        }
        if let Some(depth) = sets.depth {
            line("depth", grouped(depth));
        }
        line("memory", bytes(coverage.bytes));
        line("time", seconds(report.seconds));
        return;
    }
    line("states", grouped(coverage.states));
    line("transitions", grouped(coverage.transitions));
    for (name, value) in orbits::lines(report) {
        line(name, value);
    }
    if has_depth(report) {
        line("depth", grouped(coverage.depth));
    }
    if coverage.state_bytes > 0 {
        line("state size", format!("{} on average", bytes(report.bytes_per_state())));
    }
    line("memory", bytes(coverage.bytes));
    let mut time = seconds(report.seconds);
    if report.seconds >= 0.05 {
        let _ = write!(time, " ({} states/s)", grouped(rate(report)));
    }
    line("time", time);
}

fn summary(report: &Report<'_>, text: &mut String) {
    let coverage = report.coverage;
    if let Some(sets) = &coverage.sets {
        // Single runs and proofs need not count states.
        let is_counted = sets.states.is_some() || report.limit.is_some();
        let size = if is_counted { format!("{}, ", set_size(sets)) } else { String::new() };
        let _ = writeln!(text, "  {size}{}, {}", bytes(coverage.bytes), seconds(report.seconds));
        return;
    }
    let depth =
        if has_depth(report) { format!("depth {}, ", grouped(coverage.depth)) } else { String::new() };
    let size = if coverage.state_bytes > 0 {
        format!("{} a state, ", bytes(report.bytes_per_state()))
    } else {
        String::new()
    };
    let _ = writeln!(
        text,
        "  {}, {}, {depth}{size}{}, {}",
        count(coverage.states, "state"),
        count(coverage.transitions, "transition"),
        bytes(coverage.bytes),
        seconds(report.seconds),
    );
}

/// Says how many states there are in a set.
pub(crate) fn set_size(sets: &SetSize) -> String {
    let Some(states) = &sets.states else { return "not all states were found".to_owned() };
    let plural = if states == "1" { "state" } else { "states" };
    let depth = sets.depth.map_or_else(String::new, |depth| format!(", depth {depth}"));
    format!("{} {plural} of {} bits{depth}", grouped_digits(states), sets.bits)
}

fn problems(report: &Report<'_>, text: &mut String) {
    if report.problems.is_empty() {
        let _ =
            writeln!(text, "\n  nothing goes wrong{}", if report.limit.is_some() { " so far" } else { "" });
        return;
    }
    let _ = writeln!(text, "\n  what goes wrong:");
    for problem in report.problems {
        let place = problem.span.map(|span| report.place(span)).unwrap_or_default();
        let times =
            if problem.count > 1 { format!(" ({} times)", grouped(problem.count)) } else { String::new() };
        let _ = writeln!(text, "    {place:<20}  {}{times}", problem.title());
    }
    let _ = writeln!(text, "  `narrows check` shows a shortest run to each kind of problem");
}

fn unreached(report: &Report<'_>, text: &mut String) {
    let list = report.unreached();
    if list.is_empty() {
        return;
    }
    let so_far = if report.limit.is_some() { " so far" } else { "" };
    let _ = writeln!(text, "\n  never executed{so_far}:");
    let places: Vec<String> = list.iter().map(|entry| report.place(entry.span)).collect();
    let width = places.iter().map(String::len).max().unwrap_or(0).min(WIDEST);
    let mut proctype: Option<&Unreached> = None;
    for (entry, place) in list.iter().zip(&places) {
        if proctype.is_none_or(|last| last.proctype != entry.proctype) {
            let _ = writeln!(text, "    {}", entry.proctype);
            proctype = Some(entry);
        }
        let note = if entry.is_waited_for { "  (reached, never executable)" } else { "" };
        let _ = writeln!(text, "      {place:<width$}  {}{note}", entry.text);
    }
}

/// So many labels are listed.
const MAX_LISTED_LABELS: usize = 40;

/// Writes which labels there are at steps, and how often.
fn labels(report: &Report<'_>, text: &mut String) {
    let labels = &report.coverage.labels;
    if labels.is_empty() {
        return;
    }
    let _ = writeln!(text, "\n  {}", count(labels.len() as u64, "label"));
    for (label, number) in labels.iter().take(MAX_LISTED_LABELS) {
        let _ = writeln!(text, "  {number:>9}  {}", one_line(label));
    }
    if labels.len() > MAX_LISTED_LABELS {
        let _ = writeln!(text, "  … {} more", labels.len() - MAX_LISTED_LABELS);
    }
}
