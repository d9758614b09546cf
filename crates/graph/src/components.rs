//! Strongly connected components, without recursion.
//!
//! Depth-first search keeps the nodes whose component is not complete on a stack of *open* nodes. Each has a
//! low link: the lowest place on that stack that it is known to lead to. A node whose low link is still its
//! own place after all its successors is the root of a component: the stack from there on (R. Tarjan 1972).
//! As in D. Pearce's *A space-efficient algorithm for finding strongly connected components* (2016), low
//! links and numbers of components share an array: places are small numbers and components are counted down
//! from the top, so that the minimum over successors passes over those that are complete.
//!
//! Invariant: places grow along the search path, and an open node is in the component of the node at its low
//! link. Components are completed in reverse topological order. Cost: each node and each edge is visited
//! once; twelve bytes for each node, and twelve more along the search path.
//!
//! ```
//! use narrows_graph::components;
//!
//! // 0 → 1 ⇄ 2 → 3
//! let edges: [&[u32]; 4] = [&[1], &[2], &[1, 3], &[]];
//! let found = components::find_in_lists(4, [0], |node| edges[node]);
//! assert_eq!(found.of, [2, 1, 1, 0]);
//! assert_eq!(found.bottoms(|node| edges[node]), [true, false, false]);
//! ```

use std::convert::Infallible;

/// Which component each node is in. Every edge leads to the same component or to one with a smaller number.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Components {
    /// The component of each node; [`OUTSIDE`] for nodes that were not reached.
    pub of: Vec<u32>,
    /// How many there are.
    pub count: u32,
    /// The nodes that were reached, in postorder: each after all that the search found behind it.
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

    /// Says of each component whether it is a bottom component: no edge leaves it.
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

    /// Returns the component of a node; `None` if it was not reached.
    pub fn get(&self, node: usize) -> Option<usize> {
        Some(self.of[node]).filter(|component| *component != OUTSIDE).map(|component| component as usize)
    }

    /// Says whether two nodes are in the same component; a node that was not reached is in none.
    pub fn are_together(&self, one: usize, other: usize) -> bool {
        self.of[one] != OUTSIDE && self.of[one] == self.of[other]
    }
}

/// Finds the components of a graph with so many nodes, as far as they are reached from some of them. `next`
/// returns the successors of a node one by one; it is given a number that begins with 0 and that it changes
/// as it likes.
pub fn find(
    nodes: usize,
    roots: impl IntoIterator<Item = u32>,
    mut next: impl FnMut(u32, &mut u32) -> Option<u32>,
) -> Components {
    match try_find(nodes, roots, |node, position| Ok::<_, Infallible>(next(node, position))) {
        Ok(found) => found,
        Err(never) => match never {},
    }
}

/// Finds components as [`find`] does; if `next` fails, the search ends with what it says.
pub fn try_find<E>(
    nodes: usize,
    roots: impl IntoIterator<Item = u32>,
    mut next: impl FnMut(u32, &mut u32) -> Result<Option<u32>, E>,
) -> Result<Components, E> {
    // Not reached: `OUTSIDE`. Open: the low link, a place on the stack of open nodes. Complete: `OUTSIDE - 1`
    // less the number of the component. There are never more places and components together than nodes.
    let mut low = vec![OUTSIDE; nodes];
    let (mut count, mut finished) = (0, Vec::new());
    // The open nodes; and the search path: a node, its place among the open ones, and where `next` is.
    let (mut open, mut path): (Vec<u32>, Vec<(u32, u32, u32)>) = (Vec::new(), Vec::new());
    for root in roots {
        let mut child = (low[root as usize] == OUTSIDE).then_some(root);
        loop {
            if let Some(node) = child.take() {
                let place = open.len() as u32;
                low[node as usize] = place;
                path.push((node, place, 0));
                open.push(node);
            }
            let Some((node, place, position)) = path.last_mut() else { break };
            let (node, place) = (*node, *place);
            match next(node, position)? {
                Some(target) if low[target as usize] == OUTSIDE => child = Some(target),
                Some(target) => low[node as usize] = low[node as usize].min(low[target as usize]),
                None => {
                    path.pop();
                    finished.push(node);
                    let lowest = low[node as usize];
                    if let Some((parent, ..)) = path.last() {
                        low[*parent as usize] = low[*parent as usize].min(lowest);
                    }
                    if lowest == place {
                        for member in open.drain(place as usize..) {
                            low[member as usize] = OUTSIDE - 1 - count;
                        }
                        count += 1;
                    }
                }
            }
        }
    }
    for number in low.iter_mut().filter(|number| **number != OUTSIDE) {
        *number = OUTSIDE - 1 - *number;
    }
    Ok(Components { of: low, count, finished })
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

/// Finds components if nodes are indices, and `successor` gives the node to which the edge with a number
/// leads.
pub fn find_indexed(
    nodes: usize,
    roots: impl IntoIterator<Item = usize>,
    successor: impl Fn(usize, usize) -> Option<usize>,
) -> Components {
    find(nodes, roots.into_iter().map(|root| root as u32), |node, position| {
        let target = successor(node as usize, *position as usize)?;
        *position += 1;
        Some(target as u32)
    })
}

/// Finds components if some edges do not count: `edge` gives the node to which the edge with a number leads,
/// `Some(None)` if that edge does not count, and `None` after the last.
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
    use super::{OUTSIDE, find_among, find_in_lists, find_indexed, try_find};
    use crate::Random;

    /// 0 → 1 ⇄ 2 → 3 ⇄ 4, 0 → 6; 5 is not reached.
    const EDGES: [&[u32]; 7] = [&[1, 6], &[2], &[1, 3], &[4], &[3], &[0], &[]];

    #[test]
    fn components_come_in_order() {
        let found = find_in_lists(7, [0], |node| EDGES[node]);
        assert_eq!((found.count, &found.of[..]), (4, &[3, 1, 1, 0, 0, OUTSIDE, 2][..]));
        assert_eq!(found.finished.last(), Some(&0));
        assert_eq!((found.get(0), found.get(5)), (Some(3), None));
        let next = |node: usize, edge: usize| EDGES[node].get(edge).map(|to| *to as usize);
        assert_eq!(find_indexed(7, [0], next), found);
        assert_eq!(found.bottoms(|node| EDGES[node]), [true, false, true, false]);
        assert!(found.are_together(3, 4) && !found.are_together(2, 3) && !found.are_together(5, 5));
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
        assert!(found.are_together(3, 4) && !found.are_together(1, 2));
    }

    #[test]
    fn long_chains_need_no_stack() {
        let nodes = 1_000_000;
        let next = |node: u32, edge: u32| (edge == 0 && node + 1 < nodes).then_some(Some(node + 1));
        assert_eq!(find_among(nodes as usize, [0], next).count, nodes);
    }

    #[test]
    fn a_failure_ends_the_search() {
        let mut calls = 0;
        let found = try_find(3, [0], |node, _| {
            calls += 1;
            if node < 2 { Ok(Some(node + 1)) } else { Err("enough") }
        });
        assert_eq!((found, calls), (Err("enough"), 3));
    }

    /// Who reaches whom, by Warshall's algorithm.
    fn closure(edges: &[Vec<u32>]) -> Vec<Vec<bool>> {
        let count = edges.len();
        let mut reaches = vec![vec![false; count]; count];
        for (node, targets) in edges.iter().enumerate() {
            reaches[node][node] = true;
            for target in targets {
                reaches[node][*target as usize] = true;
            }
        }
        for middle in 0..count {
            for from in 0..count {
                for to in 0..count {
                    reaches[from][to] |= reaches[from][middle] && reaches[middle][to];
                }
            }
        }
        reaches
    }

    #[test]
    fn agrees_with_the_definition() {
        let mut random = Random::new(1);
        for _ in 0..2_000 {
            let count = 1 + random.index(9);
            let edges: Vec<Vec<u32>> = (0..count)
                .map(|_| (0..random.index(4)).map(|_| random.index(count) as u32).collect())
                .collect();
            let root = random.index(count);
            let found = find_in_lists(count, [root as u32], |node| &edges[node]);
            let reaches = closure(&edges);
            for one in 0..count {
                assert_eq!(found.of[one] != OUTSIDE, reaches[root][one]);
                for other in (0..count).filter(|other| reaches[root][one] && reaches[root][*other]) {
                    let together = reaches[one][other] && reaches[other][one];
                    assert_eq!(found.are_together(one, other), together, "{edges:?}");
                    assert!(!reaches[one][other] || found.of[other] <= found.of[one], "{edges:?}");
                }
            }
            let mut sizes = 0;
            found.each(|members| sizes += members.len());
            assert_eq!(sizes, found.finished.len());
        }
    }
}
