//! Automata of formulas as text and as JSON.

use std::fmt::Write;

use narrows_logic::{Buchi, Cube};
use serde_json::{Value, json};

use crate::json::envelope;
use crate::units::{WIDEST, count};

/// Shows an automaton: its sizes, then each state with the ways on from it.
pub fn automaton(formula: &str, automaton: &Buchi<String>) -> String {
    let mut text = format!("{formula}\n");
    let sizes = [
        count(automaton.states.len() as u64, "state"),
        count(automaton.pair_count() as u64, "transition"),
        if automaton.is_deterministic() { "deterministic" } else { "not deterministic" }.to_owned(),
    ];
    let _ = writeln!(text, "  {}", sizes.join(", "));
    for (index, state) in automaton.states.iter().enumerate() {
        let mut notes = Vec::new();
        notes.extend((index == automaton.initial).then_some("initial"));
        notes.extend(state.accepting.then_some("accepting"));
        notes.extend(state.accepts_all(index).then_some("accepts everything"));
        notes.extend(state.edges.is_empty().then_some("accepts nothing"));
        let _ = writeln!(text, "\n{}", format!("  state {index}  {}", notes.join(", ")).trim_end());
        let lines: Vec<(String, usize)> = state
            .targets()
            .into_iter()
            .map(|target| match automaton.condition(state, target) {
                always if always == "1" => ("always".to_owned(), target),
                condition => (condition, target),
            })
            .collect();
        let width = lines.iter().map(|(condition, _)| condition.chars().count()).max().unwrap_or(0);
        let width = width.min(WIDEST);
        for (condition, target) in lines {
            let _ = writeln!(text, "    {condition:<width$}  → {target}");
        }
    }
    text
}

/// Reports an automaton as JSON.
pub fn automaton_document(formula: &str, automaton: &Buchi<String>) -> Value {
    let mut document = envelope();
    document.insert("formula".into(), json!(formula));
    document.insert("states".into(), json!(automaton.states.len()));
    document.insert("transitions".into(), json!(automaton.pair_count()));
    document.insert("deterministic".into(), json!(automaton.is_deterministic()));
    let cube = |cube: &Cube| {
        let atoms = |wanted: bool| -> Vec<usize> {
            cube.literals().filter(|(_, holds)| *holds == wanted).map(|(atom, _)| atom).collect()
        };
        json!({ "true": atoms(true), "false": atoms(false) })
    };
    let states: Vec<Value> = automaton
        .states
        .iter()
        .map(|state| {
            let edge = |target: usize| {
                let cubes: Vec<Value> = state.guards_to(target).map(cube).collect();
                json!({ "target": target, "condition": automaton.condition(state, target), "cubes": cubes })
            };
            let edges: Vec<Value> = state.targets().into_iter().map(edge).collect();
            json!({ "accepting": state.accepting, "edges": edges })
        })
        .collect();
    document.insert(
        "automaton".into(),
        json!({ "atoms": automaton.atoms, "initial": automaton.initial, "states": states }),
    );
    Value::Object(document)
}
