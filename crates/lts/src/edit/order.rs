//! States in the order in which they are found.

use crate::graph::{Builder, Graph};

const UNSEEN: u32 = u32::MAX;

/// Numbers states breadth first, from 0 for the one to begin with; those that are not reached are left out.
/// Labels are sorted, and only those that are used remain; the edges of a state are sorted by label.
pub fn breadth_first(graph: &Graph) -> Graph {
    let mut ranked: Vec<u32> = (0..graph.labels().len() as u32).collect();
    ranked.sort_by_key(|label| graph.label(*label));
    let mut rank = vec![0; ranked.len()];
    for (at, label) in ranked.iter().enumerate() {
        rank[*label as usize] = at as u32;
    }
    let mut number = vec![UNSEEN; graph.states() as usize];
    let mut order = Vec::new();
    let mut edges = Vec::new();
    if graph.states() > 0 {
        number[graph.initial() as usize] = 0;
        order.push(graph.initial());
    }
    let mut at = 0;
    while let Some(state) = order.get(at).copied() {
        let from = edges.len();
        edges.extend(graph.edges_from(state).iter().map(|edge| (rank[edge.label as usize], edge.target)));
        edges[from..].sort_by_key(|(label, _)| *label);
        for (_, target) in &mut edges[from..] {
            let known = &mut number[*target as usize];
            if *known == UNSEEN {
                *known = order.len() as u32;
                order.push(*target);
            }
            *target = *known;
        }
        edges[from..].sort_unstable();
        at += 1;
    }
    let is_used = {
        let mut is_used = vec![false; ranked.len()];
        for (label, _) in &edges {
            is_used[*label as usize] = true;
        }
        is_used
    };
    let mut builder = Builder::new(0, edges.len());
    let mut numbers = vec![UNSEEN; ranked.len()];
    for at in (0..ranked.len()).filter(|at| is_used[*at]) {
        numbers[at] = builder.label(graph.label(ranked[at]));
    }
    builder.states(order.len() as u32);
    let mut edges = edges.into_iter();
    for (from, state) in order.iter().enumerate() {
        for (label, target) in edges.by_ref().take(graph.edges_from(*state).len()) {
            builder.edge(from as u32, numbers[label as usize], target);
        }
    }
    // It is no larger than what there was.
    builder.build().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::breadth_first;
    use crate::aut;

    #[test]
    fn states_are_numbered_as_they_are_found() {
        let graph =
            aut::read("des (3, 5, 6)\n(3, b, 1)\n(3, a, 5)\n(5, b, 3)\n(2, z, 3)\n(1, a, 1)").unwrap();
        let found = breadth_first(&graph);
        let text = "des (0, 4, 3)\n(0, \"a\", 1)\n(0, \"b\", 2)\n(1, \"b\", 0)\n(2, \"a\", 2)\n";
        assert_eq!(aut::write(&found), text);
        assert_eq!(found.labels(), ["a", "b"]);
    }
}
