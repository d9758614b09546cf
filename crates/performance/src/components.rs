//! Strongly connected components, without recursion.

/// Which component each node is in. Components are numbered so that every edge leads to the same or a smaller number.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Components {
    /// The component of each node; `u32::MAX` for nodes that were left out.
    pub of: Vec<u32>,
    /// How many there are.
    pub count: u32,
}

/// Marks a node that is in no component.
pub const OUTSIDE: u32 = u32::MAX;

/// Finds the components of a graph with so many nodes, as far as they can be reached from some of them. `successor` gives
/// the node to which the edge with a number leads, `Some(None)` if that edge does not count, and `None` after the last.
pub fn find(
    nodes: usize,
    roots: impl IntoIterator<Item = u32>,
    mut successor: impl FnMut(u32, u32) -> Option<Option<u32>>,
) -> Components {
    let mut of = vec![OUTSIDE; nodes];
    // When each node was found, counted from 1, and the earliest node of the stack that it leads back to.
    let mut found = vec![0_u32; nodes];
    let mut low = vec![0_u32; nodes];
    let (mut time, mut count) = (0, 0);
    let mut path: Vec<(u32, u32)> = Vec::new();
    let mut stack = Vec::new();
    for root in roots {
        if found[root as usize] != 0 {
            continue;
        }
        path.push((root, 0));
        while let Some((node, edge)) = path.last_mut() {
            let here = *node as usize;
            if *edge == 0 && found[here] == 0 {
                time += 1;
                (found[here], low[here]) = (time, time);
                stack.push(*node);
            }
            match successor(*node, *edge) {
                Some(target) => {
                    *edge += 1;
                    let Some(target) = target else { continue };
                    let there = target as usize;
                    if found[there] == 0 {
                        path.push((target, 0));
                    } else if of[there] == OUTSIDE {
                        low[here] = low[here].min(found[there]);
                    }
                }
                None => {
                    path.pop();
                    if let Some((parent, _)) = path.last() {
                        low[*parent as usize] = low[*parent as usize].min(low[here]);
                    }
                    if low[here] == found[here] {
                        while let Some(member) = stack.pop() {
                            of[member as usize] = count;
                            if member as usize == here {
                                break;
                            }
                        }
                        count += 1;
                    }
                }
            }
        }
    }
    Components { of, count }
}

#[cfg(test)]
mod tests {
    use super::{OUTSIDE, find};

    #[test]
    fn components_come_in_order() {
        let edges: [&[u32]; 6] = [&[1], &[2, 3], &[1], &[4], &[3], &[0]];
        let found =
            find(6, [0], |node, edge| edges[node as usize].get(edge as usize).map(|target| Some(*target)));
        assert_eq!(found.count, 3);
        assert_eq!(found.of, [2, 1, 1, 0, 0, OUTSIDE]);
    }

    #[test]
    fn long_chains_need_no_stack() {
        let nodes = 1_000_000;
        let next = |node: u32, edge: u32| (edge == 0 && node + 1 < nodes).then_some(Some(node + 1));
        assert_eq!(find(nodes as usize, [0], next).count, nodes);
    }
}
