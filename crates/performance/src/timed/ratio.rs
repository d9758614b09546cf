//! Extreme long-run frequencies: the cycles on which an event is most and least frequent, or a predicate
//! holds for the most and least time.

use narrows_graph::components;

use super::Timed;
use super::bounds::Cost;
use super::howard::{Arc, extreme};
use super::paths::Walk;

/// An extreme frequency, with a witness.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Frequency {
    /// So many times in so many ticks, for ever.
    Every {
        /// How many times.
        count: u64,
        /// In how many ticks.
        ticks: u64,
        /// A run that comes to the cycle.
        walk: Walk,
    },
    /// Again and again without any time in between.
    Infinite(Walk),
    /// No more from some time on: the run ends.
    Ends(Walk),
}

/// Which of the cycles counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extreme {
    /// The one on which the event is most frequent.
    Best,
    /// The one on which it is least frequent.
    Worst,
}

impl Timed<'_> {
    /// Finds how much is counted in the long run: events, or ticks while something holds.
    pub fn frequency(&self, counted: Cost<'_>, which: Extreme) -> Frequency {
        let nodes = self.nodes() as usize;
        let idle = self.groups(|ticks, count| ticks == 0 && count == 0, counted);
        let instant = self.groups(|ticks, _| ticks == 0, counted);
        for node in 0..self.nodes() {
            for (number, edge) in self.edges(node).iter().enumerate() {
                let together = instant.of[node as usize] == instant.of[edge.target as usize];
                if edge.ticks == 0 && self.cost(counted, node, edge) > 0 && together && which == Extreme::Best
                {
                    let inside = |other: u32| instant.of[other as usize] == instant.of[node as usize];
                    if let Some(cycle) = self.cycle_with(node, number as u32, inside) {
                        return Frequency::Infinite(self.walk_round(cycle));
                    }
                }
            }
        }
        if which == Extreme::Worst
            && let Some(walk) = self.stop(&idle)
        {
            return Frequency::Ends(walk);
        }
        let all = components::find_among(nodes, [0], |node, edge| {
            self.edges(node).get(edge as usize).map(|edge| Some(edge.target))
        });
        // A group whose steps neither take time nor count is one place.
        let mut arcs: Vec<Vec<Arc>> = vec![Vec::new(); idle.count as usize];
        for node in 0..self.nodes() {
            let from = idle.of[node as usize];
            for (number, edge) in self.edges(node).iter().enumerate() {
                let to = idle.of[edge.target as usize];
                let count = self.cost(counted, node, edge);
                let turns = from == to && edge.ticks == 0 && count == 0;
                if !turns && all.of[node as usize] == all.of[edge.target as usize] {
                    let (count, ticks) = (count as i64, i64::from(edge.ticks));
                    arcs[from as usize].push(Arc { target: to, count, ticks, name: (node, number as u32) });
                }
            }
        }
        let Some(found) = extreme(&arcs, which == Extreme::Best) else {
            return match self.stop(&idle) {
                Some(walk) => Frequency::Ends(walk),
                None => Frequency::Ends(Walk::default()),
            };
        };
        let mut cycle: Vec<(u32, u32)> = Vec::new();
        for (index, (node, edge)) in found.arcs.iter().enumerate() {
            let arrives = self.edges(*node)[*edge as usize].target;
            cycle.push((*node, *edge));
            let next = found.arcs[(index + 1) % found.arcs.len()].0;
            let group = idle.of[arrives as usize];
            let way = self.way([arrives], |goal| goal == next, |other| idle.of[other as usize] == group);
            cycle.extend(way.unwrap_or_default());
        }
        let walk = self.walk_round(cycle);
        Frequency::Every { count: found.count as u64, ticks: found.ticks as u64, walk }
    }

    /// Groups nodes that edges of some kind join in both directions.
    fn groups(&self, is_kind: impl Fn(u32, u64) -> bool, counted: Cost<'_>) -> components::Components {
        components::find_among(self.nodes() as usize, 0..self.nodes(), |node, edge| {
            let edge = self.edges(node).get(edge as usize)?;
            Some(is_kind(edge.ticks, self.cost(counted, node, edge)).then_some(edge.target))
        })
    }

    /// Puts the way from the initial node before a cycle.
    fn walk_round(&self, cycle: Vec<(u32, u32)>) -> Walk {
        let mut steps = self.way_to(cycle.first().map_or(0, |(node, _)| *node));
        let begins = steps.len();
        steps.extend(cycle);
        Walk { steps, begins, cycle: Some(begins) }
    }

    /// Finds a run that stops: it comes to a group that nothing leaves, and where no time passes.
    fn stop(&self, idle: &components::Components) -> Option<Walk> {
        let mut is_left = vec![false; idle.count as usize];
        for node in 0..self.nodes() {
            let group = idle.of[node as usize];
            is_left[group as usize] |=
                self.edges(node).iter().any(|edge| edge.ticks > 0 || idle.of[edge.target as usize] != group);
        }
        let steps = self.way([0], |node| !is_left[idle.of[node as usize] as usize], |_| true)?;
        Some(Walk { begins: steps.len(), steps, cycle: None })
    }
}
