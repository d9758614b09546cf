//! The states of a run as data: the first one whole, then what each step changes.
//!
//! `names` lists everything that has a value, as `[group, owner, name]`; a change is
//! `[number in names, value]`, and a value of null means that it is gone. The script adds changes up as far
//! as the reader goes.

use narrows_model::{EntryGroup, Model, Narrator, Trace};
use serde_json::{Value, json};

use super::run::{shown, written_actions};
use super::source::Places;

/// Describes the states of a run.
pub(crate) fn data(model: &Model, places: &Places<'_>, trace: &Trace) -> Value {
    let mut names: Vec<(&'static str, String, String)> = Vec::new();
    let mut known = std::collections::BTreeMap::new();
    let mut last = std::collections::BTreeMap::new();
    let mut states = Vec::new();
    let mut add = |state: &[u8], number: usize, lines: Vec<String>| {
        let mut changes = Vec::new();
        let mut now = std::collections::BTreeMap::new();
        for entry in model.entries(state) {
            let value = entry.span.map_or(entry.value, |span| places.spot(span).id);
            let name = (group(entry.group), entry.owner, entry.name);
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
        let narrator = Narrator::new(model);
        for index in shown(trace) {
            let step = narrator.step(trace, index);
            let lines = written_actions(&step).map(|action| places.spot(action.span).id).collect();
            add(&step.state, index + 1, lines);
        }
    }
    let cycle = trace.cycle.filter(|start| *start < trace.steps.len()).map(|start| start + 1);
    json!({ "names": names, "states": states, "cycle": cycle })
}

/// Returns the name of a group of entries.
fn group(group: EntryGroup) -> &'static str {
    match group {
        EntryGroup::Variable => "variable",
        EntryGroup::Channel => "channel",
        EntryGroup::Process => "process",
        EntryGroup::Local => "local",
    }
}
