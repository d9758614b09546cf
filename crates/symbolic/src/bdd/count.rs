//! Looking at a function: its size, its variables, how often it is true and where.

use rustc_hash::FxHashMap;

use super::{Bdd, Edge, FALSE, Kernel, Natural, TRUE};

impl Bdd {
    /// Returns how many nodes it has.
    pub(crate) fn size(&self) -> usize {
        let mut size = 0;
        self.kernel.borrow_mut().visit(self.edge, |_| size += 1);
        // The end of all functions is a node as well.
        size + 1
    }

    /// Returns the variables it depends on, in order.
    pub(crate) fn support(&self) -> Vec<u32> {
        let mut kernel = self.kernel.borrow_mut();
        let mut found = Vec::new();
        kernel.visit(self.edge, |variable| found.push(variable));
        if found.len() < kernel.tables.len() {
            // Small functions are many where there are many variables.
            found.sort_unstable();
            found.dedup();
            return found;
        }
        let mut is_in = vec![false; kernel.tables.len()];
        for variable in found {
            is_in[variable as usize] = true;
        }
        (0..is_in.len() as u32).filter(|variable| is_in[*variable as usize]).collect()
    }

    /// Returns for how many values of the variables it is true; it depends on no others.
    pub(crate) fn count(&self, variables: &[u32]) -> Natural {
        let kernel = self.kernel.borrow();
        let mut levels: Vec<u32> =
            variables.iter().map(|variable| kernel.level_of[*variable as usize]).collect();
        levels.sort_unstable();
        let mut counting = Counting { kernel: &kernel, levels, known: FxHashMap::default() };
        counting.from(self.edge, 0)
    }

    /// Returns values of all variables for which it is true, by variable; those that do not matter are false.
    /// `None` if it is never true.
    pub(crate) fn pick(&self) -> Option<Vec<bool>> {
        let kernel = self.kernel.borrow();
        let mut values = vec![false; kernel.tables.len()];
        let mut edge = self.edge;
        if edge == FALSE {
            return None;
        }
        while edge != TRUE {
            let node = kernel.node(edge);
            let (high, low) = (node.high ^ (edge & 1), node.low ^ (edge & 1));
            let takes_high = low == FALSE;
            values[node.variable as usize] = takes_high;
            edge = if takes_high { high } else { low };
        }
        Some(values)
    }
}

struct Counting<'k> {
    kernel: &'k Kernel,
    /// The levels of the variables that count.
    levels: Vec<u32>,
    /// For nodes, without a sign, the count over the levels from their own on.
    known: FxHashMap<u32, Natural>,
}

impl Counting<'_> {
    /// Counts over the levels from the one with an index on.
    fn from(&mut self, edge: Edge, index: usize) -> Natural {
        let rest = self.levels.len() - index;
        if edge == TRUE {
            return Natural::power_of_two(rest);
        }
        if edge == FALSE {
            return Natural::default();
        }
        let level = self.kernel.level(edge);
        let own = self.levels.partition_point(|other| *other < level);
        let mut count = self.of_node(edge >> 1, own);
        if edge & 1 == 1 {
            count = Natural::power_of_two(self.levels.len() - own).minus(&count);
        }
        count.shifted(own - index)
    }

    fn of_node(&mut self, node: u32, own: usize) -> Natural {
        if let Some(known) = self.known.get(&node) {
            return known.clone();
        }
        let (high, low) = (self.kernel.nodes[node as usize].high, self.kernel.nodes[node as usize].low);
        let count = self.from(high, own + 1).plus(&self.from(low, own + 1));
        self.known.insert(node, count.clone());
        count
    }
}
