//! A better order of variables, by sifting (Rudell, 1993): each group of variables is moved through all
//! places and stays at the best. Neighbours are swapped in place: every node goes on to stand for the same
//! function.
//!
//! While groups move, nodes know how many others hold them, so that those that nobody needs go at once: their
//! number is what is to become small.

use narrows_graph::DenseSet;

use super::kernel::{Edge, Kernel, NODE_BYTES, Stop};

/// A group that makes all diagrams grow by more than this on its way goes no further.
const GROWTH: f64 = 1.2;
/// Of the memory, one part in so many may go into which variables meet: with more of them, none is moved.
const MEETINGS: usize = 8;
/// At most this many groups are moved, the largest first.
const MAX_GROUPS: usize = 300;
/// At most this many swaps of neighbours, times the number of nodes at hand.
const MAX_WORK: u64 = 60_000_000;

impl Kernel {
    /// Moves groups of variables to better places. All nodes in the tables are needed: [`Kernel::collect`]
    /// was just called.
    pub(super) fn reorder(&mut self) -> Result<(), Stop> {
        // Which variables meet takes a bit for each two of them.
        if self.tables.len().pow(2) / 8 > self.most.saturating_mul(NODE_BYTES) / MEETINGS {
            return Ok(());
        }
        self.forget_results();
        self.generation += 1;
        self.shrink_tables();
        let mut holders = vec![0_u32; self.nodes.len()];
        for (index, held) in self.held.iter().enumerate() {
            holders[index] = *held;
        }
        for table in &self.tables {
            for head in &table.buckets {
                let mut index = *head;
                while index != 0 {
                    let node = &self.nodes[index as usize];
                    holders[(node.high >> 1) as usize] += 1;
                    holders[(node.low >> 1) as usize] += 1;
                    index = node.next;
                }
            }
        }
        let meets = self.meetings();
        let mut sifting =
            Sifting { kernel: self, holders, meets, work: 0, changed: Vec::new(), waiting: Vec::new() };
        let result = sifting.all();
        self.sifted += sifting.work;
        self.level_changes();
        result
    }

    /// Finds out which variables occur in one function: others can be swapped without a look at their nodes.
    fn meetings(&self) -> Vec<DenseSet> {
        let count = self.tables.len();
        let mut meets = vec![DenseSet::new(count); count];
        let mut seen = vec![0_u32; self.nodes.len()];
        let mut round = 0;
        // What is part of another function that is held adds nothing.
        let mut is_part = vec![false; self.nodes.len()];
        for table in &self.tables {
            for head in &table.buckets {
                let mut index = *head;
                while index != 0 {
                    let node = &self.nodes[index as usize];
                    is_part[(node.high >> 1) as usize] = true;
                    is_part[(node.low >> 1) as usize] = true;
                    index = node.next;
                }
            }
        }
        let roots = (1..self.nodes.len()).filter(|root| self.held[*root] > 0 && !is_part[*root]);
        for root in roots {
            round += 1;
            let mut support = DenseSet::new(count);
            let mut waiting = vec![root as u32];
            while let Some(index) = waiting.pop() {
                if index == 0 || std::mem::replace(&mut seen[index as usize], round) == round {
                    continue;
                }
                let node = &self.nodes[index as usize];
                support.insert(node.variable);
                waiting.extend([node.high >> 1, node.low >> 1]);
            }
            for variable in support.iter() {
                meets[variable as usize].union_with(&support);
            }
        }
        meets
    }

    /// Gives tables the size that suits their nodes: sifting walks through all of it.
    fn shrink_tables(&mut self) {
        for variable in 0..self.tables.len() {
            let size = self.tables[variable].count.next_power_of_two().max(16);
            if size * 2 < self.tables[variable].buckets.len() {
                self.resize(variable as u32, size);
            }
        }
    }

    fn level_changes(&mut self) {
        // Groups are listed by their first levels.
        let level_of = &self.level_of;
        self.groups.sort_by_key(|(first, _)| level_of[*first as usize]);
    }
}

struct Sifting<'k> {
    kernel: &'k mut Kernel,
    /// How many nodes and handles hold each node.
    holders: Vec<u32>,
    /// For each variable, those that occur in a function with it: a bit for each.
    meets: Vec<DenseSet>,
    work: u64,
    /// Room that is used again and again.
    changed: Vec<u32>,
    waiting: Vec<u32>,
}

impl Sifting<'_> {
    fn all(&mut self) -> Result<(), Stop> {
        self.kernel.level_changes();
        let mut order: Vec<(usize, u32)> = self
            .kernel
            .groups
            .iter()
            .map(|(first, size)| {
                let count = (*first..first + size).map(|v| self.kernel.tables[v as usize].count).sum();
                (count, *first)
            })
            .collect();
        order.sort_unstable_by_key(|(count, first)| (std::cmp::Reverse(*count), *first));
        for (count, first) in order.into_iter().take(MAX_GROUPS) {
            if count < 2 || self.work > MAX_WORK {
                break;
            }
            self.kernel.ask()?;
            self.sift(first);
        }
        Ok(())
    }

    fn place_of(&self, first: u32) -> usize {
        self.kernel.groups.iter().position(|group| group.0 == first).unwrap_or(0)
    }

    /// Moves a group through all places, and to the best.
    fn sift(&mut self, first: u32) {
        let start = self.place_of(first);
        let last = self.kernel.groups.len() - 1;
        let (mut best, mut best_size) = (start, self.kernel.used);
        let mut place = start;
        // The nearer end first.
        let ends = if start * 2 > last { [last, 0] } else { [0, last] };
        for end in ends {
            while place != end {
                let next = if place < end { place + 1 } else { place - 1 };
                self.exchange(place.min(next));
                place = next;
                let size = self.kernel.used;
                if size < best_size || (size == best_size && place == start) {
                    (best, best_size) = (place, size);
                } else if size as f64 > best_size as f64 * GROWTH {
                    break;
                }
            }
            // Back, towards the other end or the best place.
            while place != best {
                let next = if place < best { place + 1 } else { place - 1 };
                self.exchange(place.min(next));
                place = next;
            }
        }
    }

    /// Exchanges a group and the next one.
    fn exchange(&mut self, place: usize) {
        let (upper, lower) = (self.kernel.groups[place], self.kernel.groups[place + 1]);
        let top = self.kernel.level_of[upper.0 as usize];
        for moved in 0..lower.1 {
            for step in (0..upper.1).rev() {
                self.swap(top + moved + step);
            }
        }
        self.kernel.groups.swap(place, place + 1);
    }

    /// Swaps the variables at a level and the next one.
    fn swap(&mut self, level: u32) {
        let (x, y) = (self.kernel.variable_at[level as usize], self.kernel.variable_at[level as usize + 1]);
        self.work += 1;
        if !self.meets[x as usize].contains(y) {
            self.exchange_levels(x, y, level);
            return;
        }
        let table = &self.kernel.tables[x as usize];
        self.work += (table.count + table.buckets.len() / 4) as u64;
        let is_y = |kernel: &Kernel, edge: Edge| kernel.node(edge).variable == y;
        let mut changed = std::mem::take(&mut self.changed);
        let mut buckets = std::mem::take(&mut self.kernel.tables[x as usize].buckets);
        for head in &mut buckets {
            let mut index = std::mem::take(head);
            while index != 0 {
                let node = self.kernel.nodes[index as usize];
                if is_y(self.kernel, node.high) || is_y(self.kernel, node.low) {
                    changed.push(index);
                } else {
                    self.kernel.nodes[index as usize].next = *head;
                    *head = index;
                }
                index = node.next;
            }
        }
        let table = &mut self.kernel.tables[x as usize];
        table.buckets = buckets;
        table.count -= changed.len();
        for index in changed.drain(..) {
            let node = self.kernel.nodes[index as usize];
            let (f11, f10) = self.parts(node.high, y);
            let (f01, f00) = self.parts(node.low, y);
            let high = self.made(x, f11, f01);
            let low = self.made(x, f10, f00);
            let changed = &mut self.kernel.nodes[index as usize];
            (changed.variable, changed.high, changed.low) = (y, high, low);
            self.kernel.link(index);
            self.drop_edge(node.high);
            self.drop_edge(node.low);
        }
        self.changed = changed;
        self.exchange_levels(x, y, level);
    }

    fn exchange_levels(&mut self, x: u32, y: u32, level: u32) {
        self.kernel.variable_at.swap(level as usize, level as usize + 1);
        self.kernel.level_of[x as usize] = level + 1;
        self.kernel.level_of[y as usize] = level;
    }

    fn parts(&self, edge: Edge, variable: u32) -> (Edge, Edge) {
        let node = self.kernel.node(edge);
        if node.variable == variable { (node.high ^ (edge & 1), node.low ^ (edge & 1)) } else { (edge, edge) }
    }

    /// Returns a node that one more holds.
    fn made(&mut self, variable: u32, high: Edge, low: Edge) -> Edge {
        if high == low {
            self.holders[(high >> 1) as usize] += 1;
            return high;
        }
        let sign = high & 1;
        let (high, low) = (high ^ sign, low ^ sign);
        let index = if let Some(found) = self.kernel.find(variable, high, low) {
            found
        } else {
            let index = self.kernel.insert(variable, high, low);
            if index as usize >= self.holders.len() {
                self.holders.resize(index as usize + 1, 0);
            }
            self.holders[index as usize] = 0;
            self.holders[(high >> 1) as usize] += 1;
            self.holders[(low >> 1) as usize] += 1;
            index
        };
        self.holders[index as usize] += 1;
        index << 1 | sign
    }

    /// Lets go of a node, and frees it if nobody else holds it.
    fn drop_edge(&mut self, edge: Edge) {
        let mut waiting = std::mem::take(&mut self.waiting);
        waiting.push(edge >> 1);
        while let Some(index) = waiting.pop() {
            let holders = &mut self.holders[index as usize];
            *holders -= 1;
            if *holders == 0 && index != 0 {
                let node = self.kernel.nodes[index as usize];
                self.kernel.unlink(index);
                self.kernel.release(index);
                waiting.extend([node.high >> 1, node.low >> 1]);
            }
        }
        self.waiting = waiting;
    }
}
