//! Strongly connected components, those that others lead to first: Tarjan's algorithm, without recursion.

/// Not visited yet.
const NEW: u32 = 0;
/// In a component that is complete.
const DONE: u32 = u32::MAX;

/// Finds the components of what is reached from some nodes, and calls `found` with each. `next` returns the successors of a
/// node one by one; it is given a number that begins with 0 and that it may change.
pub(super) fn components(
    nodes: usize,
    roots: impl IntoIterator<Item = u32>,
    next: impl Fn(u32, &mut u32) -> Option<u32>,
    mut found: impl FnMut(&[u32]),
) {
    // When a node was first visited, and the least of these numbers that is reached from it.
    let mut order = vec![NEW; nodes];
    let mut low = vec![NEW; nodes];
    let mut visited = 0;
    let mut open: Vec<u32> = Vec::new();
    let mut path: Vec<(u32, u32)> = Vec::new();
    for root in roots {
        if order[root as usize] != NEW {
            continue;
        }
        path.push((root, 0));
        while let Some((node, position)) = path.last_mut() {
            let node = *node;
            if order[node as usize] == NEW {
                visited += 1;
                order[node as usize] = visited;
                low[node as usize] = visited;
                open.push(node);
            }
            match next(node, position) {
                Some(target) if order[target as usize] == NEW => path.push((target, 0)),
                Some(target) => {
                    // A complete component has the largest number.
                    low[node as usize] = low[node as usize].min(order[target as usize]);
                }
                None => {
                    path.pop();
                    if let Some((before, _)) = path.last() {
                        low[*before as usize] = low[*before as usize].min(low[node as usize]);
                    }
                    if low[node as usize] == order[node as usize] {
                        let start = open.iter().rposition(|other| *other == node).unwrap_or(0);
                        found(&open[start..]);
                        for member in open.drain(start..) {
                            order[member as usize] = DONE;
                        }
                    }
                }
            }
        }
    }
}
