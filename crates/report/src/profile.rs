//! Where the time of a search went, as text and as JSON.

use std::fmt::Write;

use narrows_model::{Phase, SearchProfile};
use serde_json::{Value, json};

use crate::units::grouped;

/// Tells in lines what each phase took, and how often things were done.
pub fn text(profile: Option<&SearchProfile>) -> String {
    let Some(profile) = profile else {
        return "\n  there are no phases: states were not searched breadth first\n".to_owned();
    };
    let mut text = String::new();
    let _ = writeln!(text, "\n  {:<13}{:>10}{:>10}{:>10}{:>10}", "phase", "turns", "seconds", "busy", "idle");
    for Phase { name, turns, seconds, busy, idle } in &profile.phases {
        let turns = grouped(*turns);
        let _ = writeln!(text, "  {name:<13}{turns:>10}{seconds:>10.3}{busy:>10.3}{idle:>10.3}");
    }
    text.push('\n');
    for (name, count) in &profile.counts {
        let _ = writeln!(text, "  {name:<23}{:>20}", grouped(*count));
    }
    text
}

/// Tells the same as JSON.
pub fn value(profile: Option<&SearchProfile>) -> Value {
    let Some(profile) = profile else { return Value::Null };
    let rounded = |seconds: f64| (seconds * 1e6).round() / 1e6;
    let phase = |phase: &Phase| {
        json!({
            "name": phase.name,
            "turns": phase.turns,
            "seconds": rounded(phase.seconds),
            "busy": rounded(phase.busy),
            "idle": rounded(phase.idle),
        })
    };
    let counts = profile.counts.iter().map(|(name, count)| (name.replace(' ', "_"), json!(count)));
    json!({
        "threads": profile.threads,
        "phases": profile.phases.iter().map(phase).collect::<Vec<_>>(),
        "counts": counts.collect::<serde_json::Map<_, _>>(),
    })
}
