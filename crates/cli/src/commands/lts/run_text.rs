//! A run of a labelled graph as text.

use std::fmt::Write;

use narrows_lts::Graph;
use narrows_lts::mu::Run;
use narrows_report::one_line;

/// A run with more steps than this is shown without its middle.
const LONGEST: usize = 400;
/// Of a long run, this many steps are shown at either end, and after the start of its cycle.
const ENDS: usize = 100;

/// Writes a run: the states on the way, and the labels between them.
pub(crate) fn run_text(graph: &Graph, run: &Run) -> String {
    let total = run.steps.len();
    let number = total.to_string().len();
    let states = std::iter::once(run.start).chain(run.steps.iter().map(|(_, state)| *state));
    let width = states.map(|state| state.to_string().len()).max().unwrap_or(1);
    let mut text = format!("  {:>number$}  state {:>width$}\n", 0, run.start);
    let mut left_out = 0;
    for (index, (label, state)) in run.steps.iter().enumerate() {
        let in_cycle = run.cycle.is_some_and(|start| start <= index);
        let bar = if in_cycle { "│ " } else { "  " };
        let near_cycle = run.cycle.is_some_and(|start| (start..start + ENDS).contains(&index));
        if total > LONGEST && index >= ENDS && index + ENDS < total && !near_cycle {
            left_out += 1;
            continue;
        }
        if left_out > 0 {
            let _ = writeln!(text, "{bar}… {left_out} steps left out; --format json has all of them …");
            left_out = 0;
        }
        if run.cycle == Some(index) {
            let _ = writeln!(text, "┌─ cycle: {} for ever", repeats(index, total));
        }
        let label = one_line(graph.label(*label));
        let _ = writeln!(text, "{bar}{:>number$}  state {state:>width$}  {label}", index + 1);
    }
    if let Some(cycle) = run.cycle {
        let _ = writeln!(text, "└─ back to step {}", cycle + 1);
    }
    if let Some(note) = run.note() {
        let _ = writeln!(text, "  {note}");
    }
    text
}

fn repeats(index: usize, total: usize) -> String {
    match total - index {
        1 => format!("step {total} repeats"),
        _ => format!("steps {}–{total} repeat", index + 1),
    }
}
