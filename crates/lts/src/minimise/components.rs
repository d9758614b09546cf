//! Cycles of internal steps: strongly connected components, found by Tarjan's algorithm without recursion.

use crate::graph::Graph;

/// States that reach each other by internal steps, together. Internal steps lead to components with smaller numbers.
pub(super) struct Components {
    /// The component of each state.
    pub(super) of: Vec<u32>,
    pub(super) count: u32,
}

const UNSEEN: u32 = u32::MAX;

/// Finds the components of the edges whose labels are internal.
pub(super) fn find(graph: &Graph, is_silent: &[bool]) -> Components {
    let states = graph.states() as usize;
    // While a state is open, `low` is the earliest state it is known to reach; afterwards its component is in `of`.
    let (mut low, mut of) = (vec![UNSEEN; states], vec![UNSEEN; states]);
    let (mut stack, mut path): (Vec<u32>, Vec<(u32, u32)>) = (Vec::new(), Vec::new());
    // The numbers of the states on the path, which `low` may fall below.
    let mut numbers = Vec::new();
    let (mut seen, mut count) = (0, 0);
    for root in 0..states as u32 {
        if low[root as usize] != UNSEEN {
            continue;
        }
        path.push((root, graph.starts()[root as usize]));
        low[root as usize] = seen;
        seen += 1;
        stack.push(root);
        numbers.push(low[root as usize]);
        while let Some((state, at)) = path.last_mut() {
            let state = *state;
            let end = graph.starts()[state as usize + 1];
            let mut child = None;
            while *at < end {
                let edge = graph.edges()[*at as usize];
                *at += 1;
                if !is_silent[edge.label as usize] || of[edge.target as usize] != UNSEEN {
                    continue;
                }
                if low[edge.target as usize] == UNSEEN {
                    child = Some(edge.target);
                    break;
                }
                low[state as usize] = low[state as usize].min(low[edge.target as usize]);
            }
            if let Some(child) = child {
                low[child as usize] = seen;
                numbers.push(seen);
                seen += 1;
                stack.push(child);
                path.push((child, graph.starts()[child as usize]));
                continue;
            }
            path.pop();
            let number = numbers.pop();
            if number == Some(low[state as usize]) {
                while let Some(member) = stack.pop() {
                    of[member as usize] = count;
                    if member == state {
                        break;
                    }
                }
                count += 1;
            }
            if let Some((parent, _)) = path.last() {
                let lowest = low[*parent as usize].min(low[state as usize]);
                if of[state as usize] == UNSEEN {
                    low[*parent as usize] = lowest;
                }
            }
        }
    }
    Components { of, count }
}
