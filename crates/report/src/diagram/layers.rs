//! Which layer each node is on: edges lead downwards, but for those that close a cycle.

use super::Diagram;

/// Returns the layer of each node, from 0, and for each edge whether it leads upwards.
pub(super) fn layers(diagram: &Diagram) -> (Vec<usize>, Vec<bool>) {
    let count = diagram.nodes.len();
    let mut leaving: Vec<Vec<usize>> = vec![Vec::new(); count];
    for (number, edge) in diagram.edges.iter().enumerate() {
        leaving[edge.from].push(number);
    }
    let (finished, upwards) = depth_first(diagram, &leaving);
    // Nodes in the order in which downward edges lead: each is one below the lowest that leads to it.
    let mut layers = vec![0; count];
    for node in finished.iter().rev() {
        for number in &leaving[*node] {
            let edge = &diagram.edges[*number];
            if !upwards[*number] && edge.to != edge.from {
                layers[edge.to] = layers[edge.to].max(layers[*node] + 1);
            }
        }
    }
    (layers, upwards)
}

/// Visits all nodes depth first; returns them in the order in which they are finished, and which edges lead
/// back to a node that is not finished.
fn depth_first(diagram: &Diagram, leaving: &[Vec<usize>]) -> (Vec<usize>, Vec<bool>) {
    let mut upwards = vec![false; diagram.edges.len()];
    let mut is_open = vec![false; leaving.len()];
    let mut is_known = vec![false; leaving.len()];
    let mut finished = Vec::new();
    let mut path: Vec<(usize, usize)> = Vec::new();
    for root in 0..leaving.len() {
        if is_known[root] {
            continue;
        }
        path.push((root, 0));
        (is_known[root], is_open[root]) = (true, true);
        while let Some((node, next)) = path.last_mut() {
            let node = *node;
            let Some(number) = leaving[node].get(*next) else {
                is_open[node] = false;
                finished.push(node);
                path.pop();
                continue;
            };
            *next += 1;
            let to = diagram.edges[*number].to;
            if is_open[to] {
                upwards[*number] = true;
            } else if !is_known[to] {
                (is_known[to], is_open[to]) = (true, true);
                path.push((to, 0));
            }
        }
    }
    (finished, upwards)
}
