//! Strongly connected components (Tarjan 1972), without recursion.

/// The components of a graph.
#[derive(Clone, Debug)]
pub(crate) struct Components {
    /// The component of each node, `usize::MAX` if it can't be reached from the roots. Edges lead to
    /// components with the same or a smaller number.
    pub(crate) of: Vec<usize>,
    /// How many there are.
    pub(crate) count: usize,
}

struct Frame {
    node: usize,
    next: usize,
}

/// Finds the components that can be reached from the roots.
pub(crate) fn components(
    size: usize,
    roots: impl IntoIterator<Item = usize>,
    successor: impl Fn(usize, usize) -> Option<usize>,
) -> Components {
    const NONE: usize = usize::MAX;
    let (mut index, mut low) = (vec![NONE; size], vec![0; size]);
    let mut found = Components { of: vec![NONE; size], count: 0 };
    let (mut stack, mut counter) = (Vec::new(), 0);
    for root in roots {
        if index[root] != NONE {
            continue;
        }
        let mut frames = vec![Frame { node: root, next: 0 }];
        while let Some(frame) = frames.last_mut() {
            let node = frame.node;
            if frame.next == 0 {
                index[node] = counter;
                low[node] = counter;
                counter += 1;
                stack.push(node);
            }
            if let Some(target) = successor(node, frame.next) {
                frame.next += 1;
                if index[target] == NONE {
                    frames.push(Frame { node: target, next: 0 });
                } else if found.of[target] == NONE {
                    low[node] = low[node].min(index[target]);
                }
                continue;
            }
            if low[node] == index[node] {
                while let Some(member) = stack.pop() {
                    found.of[member] = found.count;
                    if member == node {
                        break;
                    }
                }
                found.count += 1;
            }
            frames.pop();
            if let Some(parent) = frames.last() {
                low[parent.node] = low[parent.node].min(low[node]);
            }
        }
    }
    found
}
