//! Strongly connected components (Tarjan 1972), without recursion.

/// Which component each node is in. Every edge leads to the same component or to one with a smaller number.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Components {
    /// The component of each node; [`OUTSIDE`] for nodes that were not reached.
    pub of: Vec<u32>,
    /// How many there are.
    pub count: u32,
    /// The nodes that were reached, each after all that the search found behind it.
    pub finished: Vec<u32>,
}

/// Marks a node that is in no component.
pub const OUTSIDE: u32 = u32::MAX;

impl Components {
    /// Calls `visit` with the nodes of each component, those that others lead to first.
    pub fn each(&self, mut visit: impl FnMut(&[u32])) {
        let mut ends = vec![0_u32; self.count as usize + 1];
        for node in &self.finished {
            ends[self.of[*node as usize] as usize + 1] += 1;
        }
        for component in 0..self.count as usize {
            ends[component + 1] += ends[component];
        }
        let starts = ends.clone();
        let mut members = vec![0; self.finished.len()];
        for node in &self.finished {
            let end = &mut ends[self.of[*node as usize] as usize];
            members[*end as usize] = *node;
            *end += 1;
        }
        for range in starts.windows(2) {
            visit(&members[range[0] as usize..range[1] as usize]);
        }
    }

    /// Says of each component whether no edge leaves it.
    pub fn bottoms<'a>(&self, successors: impl Fn(usize) -> &'a [u32]) -> Vec<bool> {
        let mut bottom = vec![true; self.count as usize];
        for node in &self.finished {
            let own = self.of[*node as usize];
            let leaves = |node: u32| successors(node as usize).iter().any(|to| self.of[*to as usize] != own);
            if bottom[own as usize] && leaves(*node) {
                bottom[own as usize] = false;
            }
        }
        bottom
    }
}

/// Finds the components of a graph with so many nodes, as far as they are reached from some of them. `next` returns the
/// successors of a node one by one; it is given a number that begins with 0 and that it changes as it likes.
pub fn find(
    nodes: usize,
    roots: impl IntoIterator<Item = u32>,
    mut next: impl FnMut(u32, &mut u32) -> Option<u32>,
) -> Components {
    let mut found = Components { of: vec![OUTSIDE; nodes], count: 0, finished: Vec::new() };
    // When a node was first reached, or the earliest such number that it leads back to.
    let mut low = vec![OUTSIDE; nodes];
    // Nodes that have no component yet; and the path of the search: a node, when it was reached, and where it is.
    let (mut open, mut path): (Vec<u32>, Vec<(u32, u32, u32)>) = (Vec::new(), Vec::new());
    let mut time = 0;
    for root in roots {
        let mut child = (low[root as usize] == OUTSIDE).then_some(root);
        loop {
            if let Some(node) = child.take() {
                low[node as usize] = time;
                path.push((node, time, 0));
                open.push(node);
                time += 1;
            }
            let Some((node, number, position)) = path.last_mut() else { break };
            let (node, number) = (*node, *number);
            match next(node, position) {
                Some(target) if low[target as usize] == OUTSIDE => child = Some(target),
                Some(target) => {
                    if found.of[target as usize] == OUTSIDE {
                        low[node as usize] = low[node as usize].min(low[target as usize]);
                    }
                }
                None => {
                    path.pop();
                    found.finished.push(node);
                    let lowest = low[node as usize];
                    if let Some((parent, ..)) = path.last() {
                        low[*parent as usize] = low[*parent as usize].min(lowest);
                    }
                    if lowest == number {
                        while let Some(member) = open.pop() {
                            found.of[member as usize] = found.count;
                            if member == node {
                                break;
                            }
                        }
                        found.count += 1;
                    }
                }
            }
        }
    }
    found
}

/// Finds components if the successors of each node are a list.
pub fn find_in_lists<'a>(
    nodes: usize,
    roots: impl IntoIterator<Item = u32>,
    successors: impl Fn(usize) -> &'a [u32],
) -> Components {
    find(nodes, roots, |node, position| {
        let target = *successors(node as usize).get(*position as usize)?;
        *position += 1;
        Some(target)
    })
}

/// Finds components if some edges do not count: `edge` gives the node to which the edge with a number leads, `Some(None)`
/// if that edge does not count, and `None` after the last.
pub fn find_among(
    nodes: usize,
    roots: impl IntoIterator<Item = u32>,
    mut edge: impl FnMut(u32, u32) -> Option<Option<u32>>,
) -> Components {
    find(nodes, roots, |node, position| {
        loop {
            let target = edge(node, *position)?;
            *position += 1;
            if target.is_some() {
                return target;
            }
        }
    })
}

#[cfg(test)]
mod tests {
    use super::{OUTSIDE, find_among, find_in_lists};

    /// 0 → 1 ⇄ 2 → 3 ⇄ 4, 0 → 6; 5 is not reached.
    const EDGES: [&[u32]; 7] = [&[1, 6], &[2], &[1, 3], &[4], &[3], &[0], &[]];

    #[test]
    fn components_come_in_order() {
        let found = find_in_lists(7, [0], |node| EDGES[node]);
        assert_eq!((found.count, &found.of[..]), (4, &[3, 1, 1, 0, 0, OUTSIDE, 2][..]));
        assert_eq!(found.finished.last(), Some(&0));
        assert_eq!(found.bottoms(|node| EDGES[node]), [true, false, true, false]);
        let mut groups = Vec::new();
        found.each(|members| groups.push(members.to_vec()));
        assert_eq!(groups, [vec![4, 3], vec![2, 1], vec![6], vec![0]]);
    }

    #[test]
    fn edges_may_be_left_out() {
        // Without 2 → 1, only one component has two nodes.
        let edge = |node: u32, number: u32| {
            EDGES[node as usize].get(number as usize).map(|to| (node != 2 || *to != 1).then_some(*to))
        };
        let found = find_among(7, [0, 5], edge);
        assert_eq!(found.count, 6);
        assert_eq!(found.of[3], found.of[4]);
        assert_ne!(found.of[1], found.of[2]);
    }

    #[test]
    fn long_chains_need_no_stack() {
        let nodes = 1_000_000;
        let next = |node: u32, edge: u32| (edge == 0 && node + 1 < nodes).then_some(Some(node + 1));
        assert_eq!(find_among(nodes as usize, [0], next).count, nodes);
    }
}
