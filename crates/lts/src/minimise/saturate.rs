//! Internal steps before and after others as edges of their own.

use super::table::{SILENT, Table};
use crate::graph::Edge;

/// Adds an edge for each step with internal ones before and after, and for internal steps alone; `None` if there would be
/// more than so many edges.
pub(super) fn saturate(table: &Table, most: usize) -> Option<Table> {
    let states = table.states();
    // Internal steps lead to smaller numbers: what they reach is known before.
    let mut reach: Vec<Box<[u32]>> = Vec::with_capacity(states as usize);
    let mut total = 0;
    for state in 0..states {
        let mut found = vec![state];
        for edge in silent(table, state) {
            found.extend_from_slice(&reach[edge.target as usize]);
        }
        found.sort_unstable();
        found.dedup();
        total += found.len();
        if total > most {
            return None;
        }
        reach.push(found.into());
    }
    let (mut starts, mut edges) = (vec![0_u32], Vec::new());
    for state in 0..states {
        let first = edges.len();
        edges.extend(reach[state as usize].iter().map(|target| Edge { label: SILENT, target: *target }));
        for edge in table.edges(state) {
            if edge.label == SILENT {
                let range = starts[edge.target as usize] as usize..starts[edge.target as usize + 1] as usize;
                edges.extend_from_within(range);
            } else {
                let reached = reach[edge.target as usize].iter();
                edges.extend(reached.map(|target| Edge { label: edge.label, target: *target }));
            }
        }
        edges[first..].sort_unstable();
        let mut kept = first;
        for at in first..edges.len() {
            if kept == first || edges[at] != edges[kept - 1] {
                edges[kept] = edges[at];
                kept += 1;
            }
        }
        edges.truncate(kept);
        if edges.len() > most {
            return None;
        }
        starts.push(edges.len() as u32);
    }
    Some(table.with_edges(starts, edges))
}

fn silent(table: &Table, state: u32) -> impl Iterator<Item = &Edge> {
    table.edges(state).iter().take_while(|edge| edge.label == SILENT)
}
