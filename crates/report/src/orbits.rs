//! What stands behind states if equal parts of a model are not told apart.

use narrows_model::Orbits;
use serde_json::{Map, Value, json};

use crate::Report;
use crate::units::grouped_digits;

/// Says which parts are equal, and how many states there are if they are told apart: names and values.
pub(crate) fn lines(report: &Report<'_>) -> Vec<(&'static str, String)> {
    let Some(orbits) = &report.coverage.orbits else { return Vec::new() };
    let mut lines = vec![("equal parts", orbits.parts.join(", "))];
    if let Some(states) = &orbits.states {
        let transitions = orbits.transitions.as_deref().unwrap_or("?");
        let forgotten = if orbits.forgets { ", without values that nobody reads" } else { "" };
        lines.push((
            "told apart",
            format!(
                "{} states, {} transitions{forgotten}",
                grouped_digits(states),
                grouped_digits(transitions)
            ),
        ));
    }
    lines
}

/// The same for programs.
pub(crate) fn value(orbits: &Orbits) -> Value {
    let mut value = Map::new();
    value.insert("parts".into(), json!(orbits.parts));
    for (name, number) in [("states", &orbits.states), ("transitions", &orbits.transitions)] {
        if let Some(number) = number {
            value.insert(name.into(), crate::json::large(number));
        }
    }
    value.insert("forgets".into(), json!(orbits.forgets));
    Value::Object(value)
}
