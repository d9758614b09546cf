//! Reachability and avoidance of edges, with witnesses.

use narrows_graph::components::{self, OUTSIDE};

use super::paths::Walk;
use super::{Edge, Timed};

impl Timed<'_> {
    /// Finds a shortest run that takes an edge of some kind; `None` if no run does.
    pub fn reaching(&self, is_meant: impl Fn(u32, &Edge) -> bool) -> Option<Walk> {
        let meant = |node: u32| self.edges(node).iter().position(|edge| is_meant(node, edge));
        let mut steps = self.way([0], |node| meant(node).is_some(), |_| true)?;
        let begins = steps.len();
        let node = steps.last().map_or(0, |(node, edge)| self.edges(*node)[*edge as usize].target);
        steps.push((node, meant(node)? as u32));
        Some(Walk { steps, begins, cycle: None })
    }

    /// Finds a run that never takes an edge of some kind, and on which time diverges or that ends in a
    /// deadlock; `None` if there is none. Immediate cycles are left eventually, so they don't count.
    pub fn avoiding(&self, is_meant: impl Fn(u32, &Edge) -> bool) -> Option<Walk> {
        let found = components::find_among(self.nodes() as usize, [0], |node, edge| {
            let edge = self.edges(node).get(edge as usize)?;
            Some((!is_meant(node, edge)).then_some(edge.target))
        });
        let is_allowed = |node: u32, edge: &Edge| !is_meant(node, edge);
        let mut is_left = vec![false; found.count as usize];
        for node in (0..self.nodes()).filter(|node| found.of[*node as usize] != OUTSIDE) {
            let component = found.of[node as usize];
            for (number, edge) in self.edges(node).iter().enumerate() {
                let stays = is_allowed(node, edge) && found.of[edge.target as usize] == component;
                if !stays {
                    is_left[component as usize] = true;
                } else if edge.ticks > 0 {
                    let inside = |node: u32, edge: &Edge| {
                        is_allowed(node, edge) && found.of[edge.target as usize] == component
                    };
                    let mut steps = self.way_along([0], |goal| goal == node, is_allowed)?;
                    let begins = steps.len();
                    steps.push((node, number as u32));
                    steps.extend(self.way_along([edge.target], |goal| goal == node, inside)?);
                    return Some(Walk { steps, begins, cycle: Some(begins) });
                }
            }
        }
        let is_stop = |node: u32| {
            let component = found.of[node as usize];
            component != OUTSIDE && !is_left[component as usize]
        };
        let steps = self.way_along([0], is_stop, is_allowed)?;
        Some(Walk { begins: steps.len(), steps, cycle: None })
    }
}
