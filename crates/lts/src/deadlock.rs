//! States without steps.

use narrows_graph::labelled::is_exit;

use crate::graph::Graph;
use crate::mu::{End, Run};

/// Finds runs to at most so many states without steps that are not the end of a run that ends well, as `exit`
/// says. They are shortest where states are numbered level by level, as those of models are. Only the first
/// states were visited: nothing is known of the others.
pub fn deadlocks(graph: &Graph, visited: u32, most: usize) -> Vec<Run> {
    let mut before: Vec<Option<(u32, u32)>> = vec![None; graph.states() as usize];
    for (from, edge) in graph.all_edges() {
        let known = &mut before[edge.target as usize];
        if known.is_none() && edge.target != graph.initial() && from < edge.target {
            *known = Some((from, edge.label));
        }
    }
    let run = |end: u32| {
        let (mut steps, mut state) = (Vec::new(), end);
        while let Some((from, label)) = before[state as usize] {
            steps.push((label, state));
            state = from;
        }
        steps.reverse();
        Run { start: graph.initial(), steps, cycle: None, end: End::Complete }
    };
    stuck_states(graph, visited).into_iter().take(most).map(run).collect()
}

/// Lists the states without steps, of the first ones, that are not the end of a run that ends well.
pub fn stuck_states(graph: &Graph, visited: u32) -> Vec<u32> {
    let mut ended = vec![false; graph.states() as usize];
    for edge in graph.edges() {
        if is_exit(graph.label(edge.label)) {
            ended[edge.target as usize] = true;
        }
    }
    let stuck = |state: &u32| graph.edges_from(*state).is_empty() && !ended[*state as usize];
    (0..visited.min(graph.states())).filter(stuck).collect()
}
