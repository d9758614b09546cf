//! A counterexample on the page: the steps as a list, the propositions as strips, the messages as a chart.

use narrows_model::{Action, Model, Narrator, Question, Trace, TraceStep};

use super::atoms::{Strip, strips};
use super::source::{Places, Spot};
use crate::Report;
use crate::chart::{Chart, SvgParts};
use crate::narration::picture;
use crate::run::{actor, change_text, one_line, repeats, role, violation_text};
use crate::text::Shown;
use crate::units::count;

/// Of a longer run the page shows the ends only.
const LONGEST: usize = 5000;

/// A counterexample.
pub(crate) struct Run {
    pub(crate) id: String,
    pub(crate) title: String,
    pub(crate) stated: String,
    /// What is wrong already in the initial state.
    pub(crate) at_first: Vec<String>,
    pub(crate) strips: Vec<Strip>,
    /// How wide the strips are at most.
    pub(crate) strip_width: usize,
    pub(crate) first_atoms: Vec<String>,
    pub(crate) steps: Vec<Step>,
    pub(crate) last: usize,
    /// The messages.
    pub(crate) chart: Option<SvgParts>,
    /// The signals, where there are no messages.
    pub(crate) picture: Option<String>,
    /// Which steps repeat, if any.
    pub(crate) repeats: String,
    /// The first of them.
    pub(crate) first_again: usize,
    pub(crate) stays: bool,
    pub(crate) waiting: Vec<Waiting>,
}

/// A step.
pub(crate) struct Step {
    pub(crate) number: usize,
    pub(crate) moves: Vec<Move>,
    pub(crate) changes: Vec<String>,
    pub(crate) atoms: Vec<String>,
    pub(crate) violations: Vec<String>,
    pub(crate) in_cycle: bool,
    pub(crate) starts_cycle: bool,
    /// Says how many steps before it are left out; empty if none are.
    pub(crate) left_out: String,
}

/// What a process does.
pub(crate) struct Move {
    pub(crate) process: String,
    /// Where it is written; `None` if only a label is known.
    pub(crate) spot: Option<Spot>,
    pub(crate) text: String,
    pub(crate) role: &'static str,
}

/// A process that can't move.
pub(crate) struct Waiting {
    pub(crate) process: String,
    pub(crate) spot: Spot,
    pub(crate) may_end: bool,
    pub(crate) reasons: Vec<String>,
}

/// Returns which steps of a run the page shows.
pub(crate) fn shown(trace: &Trace) -> impl Iterator<Item = usize> {
    let total = trace.steps.len();
    let is_shown =
        move |index: &usize| total <= LONGEST || *index < LONGEST / 2 || *index >= total - LONGEST / 2;
    (0..total).filter(is_shown)
}

/// Describes a counterexample.
pub(crate) fn run(
    report: &Report<'_>,
    places: &Places<'_>,
    id: &str,
    question: &Question,
    shown_run: &Shown<'_>,
) -> Run {
    let trace = shown_run.trace;
    let total = trace.steps.len();
    let mut next = 0;
    let narrator = Narrator::new(report.model);
    let steps = shown(trace).map(|index| {
        let hidden = index - next;
        next = index + 1;
        let mut step = step(report, places, trace, index, &narrator);
        if hidden > 0 {
            step.left_out = format!("{} left out; --trace saves all of them", count(hidden as u64, "step"));
        }
        step
    });
    let steps: Vec<Step> = steps.collect();
    let at_first =
        shown_run.violation.filter(|_| total == 0).map(|found| violation_text(report.sources(), found));
    let cycle = trace.cycle.filter(|start| *start < total);
    let stated = Some(super::stated(report, question)).filter(|stated| stated.as_str() != question.name());
    let is_stuck = *question == Question::Deadlock && !trace.initial.is_empty();
    Run {
        id: id.to_owned(),
        title: shown_run.title.clone(),
        stated: stated.unwrap_or_default(),
        at_first: at_first.into_iter().collect(),
        strips: strips(trace),
        strip_width: (total + 1) * 28,
        first_atoms: atom_texts(trace, None),
        steps,
        last: total,
        chart: chart(report.model, trace, id),
        picture: timing_diagram(report.model, trace),
        repeats: cycle.map_or_else(String::new, |start| repeats(start, total)),
        first_again: cycle.map_or(0, |start| start + 1),
        stays: trace.cycle.is_some_and(|start| start >= total),
        waiting: if is_stuck { waiting(report, places, trace) } else { Vec::new() },
    }
}

fn chart(model: &Model, trace: &Trace, id: &str) -> Option<SvgParts> {
    let is_drawn = model.processes().is_some() && (1..=LONGEST).contains(&trace.steps.len());
    is_drawn.then(|| Chart::of(model, trace).svg_parts(id))
}

/// Draws the signals of a run of a synchronous system.
fn timing_diagram(model: &Model, trace: &Trace) -> Option<String> {
    let is_drawn = model.synchronous().is_some() && (1..=LONGEST).contains(&trace.steps.len());
    if is_drawn { picture(model, trace, "") } else { None }
}

/// Returns the visible actions of a step that have a place in the text.
pub(crate) fn written_actions(step: &TraceStep) -> impl Iterator<Item = &Action> {
    step.visible_actions().filter(|action| action.actor.is_some())
}

fn step(
    report: &Report<'_>,
    places: &Places<'_>,
    trace: &Trace,
    index: usize,
    narrator: &Narrator<'_>,
) -> Step {
    let step = narrator.step(trace, index);
    let moves = step.visible_actions().map(|action| Move {
        process: actor(action),
        spot: action.actor.as_ref().map(|_| places.spot(action.span)),
        text: one_line(&action.label),
        role: role(action).trim(),
    });
    let cycle = trace.cycle.filter(|start| *start < trace.steps.len());
    Step {
        number: index + 1,
        moves: moves.collect(),
        changes: step.changes.iter().map(change_text).collect(),
        atoms: atom_texts(trace, Some(index)),
        violations: step.violations.iter().map(|found| violation_text(report.sources(), *found)).collect(),
        in_cycle: cycle.is_some_and(|start| start <= index),
        starts_cycle: cycle == Some(index),
        left_out: String::new(),
    }
}

/// Says what the propositions are at first, or how a step changes them.
fn atom_texts(trace: &Trace, step: Option<usize>) -> Vec<String> {
    let texts = trace.atoms.iter().filter_map(|atom| match step {
        None => Some(format!("{}: {}", atom.text, atom.values.first()?)),
        Some(index) => {
            let (before, after) = (atom.values.get(index)?, atom.values.get(index + 1)?);
            (before != after).then(|| format!("{}: {before} → {after}", atom.text))
        }
    });
    texts.collect()
}

fn waiting(report: &Report<'_>, places: &Places<'_>, trace: &Trace) -> Vec<Waiting> {
    let waiting = report.model.waiting(trace.last_state()).into_iter().map(|process| Waiting {
        process: process.process,
        spot: places.spot(process.span),
        may_end: process.may_end,
        reasons: process
            .statements
            .iter()
            .map(|(_, text, reason)| format!("{}: {reason}", one_line(text)))
            .collect(),
    });
    waiting.collect()
}
