//! The states of a run as data: the first one whole, then what each step changes.
//!
//! `names` lists everything that has a value, as `[group, owner, name]`; a change is `[number in names, value]`, and a
//! value of null means that it is gone. The script adds changes up as far as the reader goes.

use narrows_model::{Area, Evaluator, Scalar, StateView, Trace};
use serde_json::{Value, json};

use super::run::shown;
use super::source::Places;

/// Everything that has a value in a state.
type Entries = Vec<((&'static str, String, String), String)>;

/// Describes the states of a run.
pub(crate) fn data(evaluator: Evaluator<'_>, places: &Places<'_>, trace: &Trace) -> Value {
    let mut names: Vec<(&'static str, String, String)> = Vec::new();
    let mut known = std::collections::BTreeMap::new();
    let mut last = std::collections::BTreeMap::new();
    let mut states = Vec::new();
    let mut add = |state: &[u8], number: usize, lines: Vec<String>| {
        let mut changes = Vec::new();
        let mut now = std::collections::BTreeMap::new();
        for (name, value) in entries(evaluator, places, &evaluator.describe(state)) {
            let number = *known.entry(name.clone()).or_insert_with(|| {
                names.push(name);
                names.len() - 1
            });
            if last.get(&number) != Some(&value) {
                changes.push(json!([number, value]));
            }
            now.insert(number, value);
        }
        changes.extend(
            last.keys().filter(|number| !now.contains_key(number)).map(|number| json!([number, null])),
        );
        last = now;
        states.push(json!({ "n": number, "lines": lines, "changes": changes }));
    };
    if !trace.initial.is_empty() {
        add(&trace.initial, 0, Vec::new());
        for index in shown(trace) {
            let step = &trace.steps[index];
            let lines = step.visible_moves(&evaluator).map(|step| places.spot(step.span).id).collect();
            add(&step.state, index + 1, lines);
        }
    }
    let cycle = trace.cycle.filter(|start| *start < trace.steps.len()).map(|start| start + 1);
    json!({ "names": names, "states": states, "cycle": cycle })
}

/// Returns everything that has a value, in the order in which it is shown.
fn entries(evaluator: Evaluator<'_>, places: &Places<'_>, view: &StateView) -> Entries {
    let leaves = &evaluator.system().globals;
    // A variable that always names the same channel is among the channels.
    let is_channel = |index: usize| {
        let leaf = leaves.get(index).filter(|leaf| leaf.scalar == Scalar::Channel);
        leaf.is_some_and(|leaf| evaluator.is_channel_constant(Area::Global, None, leaf.offset))
    };
    let mut entries = Entries::new();
    for (_, variable) in view.globals.iter().enumerate().filter(|(index, _)| !is_channel(*index)) {
        entries.push((("variable", String::new(), variable.name.clone()), variable.value.clone()));
    }
    for channel in view.channels.iter().filter(|channel| channel.capacity > 0) {
        let value = format!("{} of {}: {}", channel.messages.len(), channel.capacity, channel.contents());
        entries.push((("channel", String::new(), channel.label()), value));
    }
    for process in &view.processes {
        let owner = process.label();
        entries.push((("process", owner.clone(), String::new()), places.spot(process.span).id));
        for local in &process.locals {
            entries.push((("local", owner.clone(), local.name.clone()), local.value.clone()));
        }
    }
    entries
}
