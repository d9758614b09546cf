//! Emptiness of the intersection of automata.

use narrows_graph::components::find_indexed;

use crate::buchi::Buchi;
use crate::cube::Cube;

/// Whether no word is accepted by both automata.
///
/// Builds the product of the two and looks for a component with an accepting state of each.
pub fn is_disjoint<A: Eq>(one: &Buchi<A>, other: &Buchi<A>) -> bool {
    let number = |atom: &A| one.atoms.iter().position(|known| known == atom);
    let fresh = one.atoms.len();
    let renamed: Vec<usize> =
        other.atoms.iter().enumerate().map(|(index, atom)| number(atom).unwrap_or(fresh + index)).collect();
    let rename = |guard: &Cube| Cube {
        positive: guard.positive.iter().map(|atom| renamed[atom]).collect(),
        negative: guard.negative.iter().map(|atom| renamed[atom]).collect(),
    };
    let guards: Vec<Vec<(Cube, usize)>> = other
        .states
        .iter()
        .map(|state| state.edges.iter().map(|edge| (rename(&edge.guard), edge.target)).collect())
        .collect();
    let width = other.states.len();
    let mut successors: Vec<Vec<usize>> = Vec::with_capacity(one.states.len() * width);
    for state in &one.states {
        for theirs in &guards {
            let mut targets = Vec::new();
            for edge in &state.edges {
                let fitting = theirs.iter().filter(|(guard, _)| guard.is_compatible(&edge.guard));
                targets.extend(fitting.map(|(_, target)| edge.target * width + target));
            }
            successors.push(targets);
        }
    }
    let start = one.initial * width + other.initial;
    let found = find_indexed(successors.len(), [start], |node, index| successors[node].get(index).copied());
    let mut seen = vec![(false, false, false); found.count as usize];
    for (node, targets) in successors.iter().enumerate() {
        let Some(component) = found.get(node) else { continue };
        let component = &mut seen[component];
        component.0 |= one.states[node / width].accepting;
        component.1 |= other.states[node % width].accepting;
        component.2 |= targets.iter().any(|target| found.are_together(*target, node));
    }
    !seen.contains(&(true, true, true))
}
