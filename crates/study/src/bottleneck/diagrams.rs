//! State diagrams in a model: global variables with names for values, and how they change.

use narrows_explicit::NumberedEdge;
use narrows_model::{Evaluator, Leaf, ProctypeId, Scalar, StateDiagram, StateSpace};

/// How some variables change, as it is found.
#[derive(Default)]
pub(crate) struct Diagrams {
    variables: Vec<Leaf>,
    /// Where in a state each of them is.
    places: Vec<usize>,
    /// The variable, its values before and after, and the kind of process that changes it; as they are found.
    changes: Vec<(usize, u8, u8, u16)>,
}

impl Diagrams {
    /// Begins with those variables of a model that have names for values.
    pub(super) fn new(evaluator: Evaluator<'_>) -> Diagrams {
        let is_named = |leaf: &&Leaf| matches!(leaf.scalar, Scalar::Mtype(_));
        let variables: Vec<Leaf> = evaluator.system().globals.iter().filter(is_named).cloned().collect();
        let places = variables.iter().map(|leaf| evaluator.global_place(leaf)).collect();
        Diagrams { variables, places, changes: Vec::new() }
    }

    /// Notes what an edge changes.
    pub(super) fn note(&mut self, edge: &NumberedEdge<'_>) {
        let Some(after) = edge.successor.target else { return };
        for (variable, place) in self.places.iter().enumerate() {
            let (before, after) = (edge.before[*place], after[*place]);
            if before != after {
                let by = edge.successor.moves.last().map_or(ProctypeId(0), |step| step.proctype);
                let change = (variable, before, after, by.0);
                if !self.changes.contains(&change) {
                    self.changes.push(change);
                }
            }
        }
    }

    /// Describes those variables that change.
    pub(super) fn describe(&self, evaluator: Evaluator<'_>) -> Vec<StateDiagram> {
        let Ok((initial, _)) = evaluator.initial() else { return Vec::new() };
        let system = evaluator.system();
        let mut list = Vec::new();
        for (number, leaf) in self.variables.iter().enumerate() {
            let name = |value: u8| match leaf.scalar {
                Scalar::Mtype(set) => system.mtype_name(set, i32::from(value)).map(str::to_owned),
                _ => None,
            };
            let name = |value: u8| name(value).unwrap_or_else(|| value.to_string());
            let mut diagram = StateDiagram {
                variable: leaf.name.clone(),
                values: vec![name(initial[self.places[number]])],
                changes: Vec::new(),
            };
            for (_, before, after, by) in self.changes.iter().filter(|(variable, ..)| *variable == number) {
                let by = &system.proctypes[usize::from(*by)].name;
                add_change(&mut diagram, name(*before), name(*after), by);
            }
            if !diagram.changes.is_empty() {
                list.push(diagram);
            }
        }
        list
    }
}

/// Adds a change from one value to another, and who does that if it is known.
pub(crate) fn add_change(diagram: &mut StateDiagram, before: String, after: String, by: &str) {
    let mut number = |name: String| {
        let known = diagram.values.iter().position(|known| *known == name);
        known.unwrap_or_else(|| {
            diagram.values.push(name);
            diagram.values.len() - 1
        })
    };
    let (from, to) = (number(before), number(after));
    match diagram.changes.iter_mut().find(|(other, next, _)| (*other, *next) == (from, to)) {
        Some((.., names)) if names.split(", ").any(|name| name == by) => {}
        Some((.., names)) => *names = format!("{names}, {by}"),
        None => diagram.changes.push((from, to, by.to_owned())),
    }
}
