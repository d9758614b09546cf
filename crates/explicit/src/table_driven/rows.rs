//! What a search by tables knows of a model: how its states become keys, and which rows a table lacks.

use narrows_gpu::{Key, Outcome, Table, Width};
use narrows_model::{Limit, Progress, Violation};
use rustc_hash::FxHashMap;

use super::encoding::Encoding;
use crate::search::Counts;

/// Makes keys of states, and rows of tables.
pub(super) trait Rows {
    /// Takes note of a state.
    fn note(&mut self, state: &[u8]);

    /// Makes keys that have room for all that was taken note of; the error is how many bits are needed.
    fn fit(&mut self) -> Result<Width, u32>;

    /// Begins with an empty table.
    fn begin(&mut self, initial: &[u8]);

    /// Returns the table.
    fn table(&self) -> &Table;

    /// Returns the key of a state. What is new to it is taken note of.
    fn key(&mut self, state: &[u8]) -> Result<Key, Interrupt>;

    /// Returns what knows the keys of states of which nothing is new, if several threads may ask it.
    fn encoding(&self) -> Option<&Encoding> {
        None
    }

    /// Finds the state of a key again.
    fn decode(&self, key: Key, state: &mut Vec<u8>);

    /// Adds what is missing: nodes, with a key that leads there.
    fn answer(
        &mut self,
        missing: Vec<(u32, Key)>,
        counts: &mut Counts,
        progress: Progress,
    ) -> Result<(), Interrupt>;

    /// Returns how many states were evaluated for rows.
    fn evaluated(&self) -> u64;

    /// Returns whether an invariant holds in a state.
    fn holds(&self, invariant: usize, state: &[u8]) -> Result<bool, Violation>;
}

/// Why the search can't go on as it is.
#[derive(Clone, Copy, Debug)]
pub(super) enum Interrupt {
    /// Keys have changed their meaning: it must begin anew.
    Anew,
    Limit(Limit),
    /// No tables can be made of the model.
    Refused(&'static str),
}

impl From<Limit> for Interrupt {
    fn from(limit: Limit) -> Interrupt {
        Interrupt::Limit(limit)
    }
}

/// A table, with its nodes by what they look at.
#[derive(Default)]
pub(super) struct Refinement {
    pub(super) table: Table,
    /// The nodes that refine a root, by their masks.
    nodes: FxHashMap<(u32, Key), u32>,
}

impl Refinement {
    /// Makes a table for processes that begin with these masks, and for states in which none has a step.
    pub(super) fn new(roots: &[Key], idle: Key) -> Refinement {
        let numbered = (0..).zip(roots.iter().chain([&idle]));
        let nodes = numbered.map(|(root, mask)| ((root, *mask), root)).collect();
        Refinement { table: Table::new(roots, idle), nodes }
    }

    /// Adds the branch of a fork.
    pub(super) fn add_branch(&mut self, mask: Key) -> Result<u32, Interrupt> {
        let branch = self.table.add_node(mask, None).ok_or(Limit::Memory)?;
        self.nodes.insert((branch, mask), branch);
        Ok(branch)
    }

    /// Notes what happens in a state, as far as a node sees it.
    pub(super) fn note(&mut self, node: u32, key: Key, outcome: &Outcome) {
        self.table.note(node, key, outcome);
    }

    /// Puts what is missing into an order that does not depend on that in which a device comes by it, each
    /// value once.
    pub(super) fn in_order(&self, mut missing: Vec<(u32, Key)>) -> Vec<(u32, Key)> {
        missing.sort_unstable_by_key(|(node, key)| (*node, key & self.table.mask(*node), *key));
        missing.dedup_by_key(|(node, key)| (*node, *key & self.table.mask(*node)));
        missing
    }

    /// Follows what is known of a key, from a node to the last one.
    fn last_known(&self, mut node: u32, key: Key) -> u32 {
        while let Some(next) = self.table.next(node, key) {
            node = next;
        }
        node
    }

    /// Makes more bits decide from a node on, and returns where they do.
    pub(super) fn refined(&mut self, node: u32, key: Key, mask: Key) -> Result<u32, Interrupt> {
        let node = self.last_known(node, key);
        let here = self.table.mask(node);
        if mask & !here == 0 || self.table.knows(node, key) {
            return Ok(node);
        }
        let (root, mask) = (self.table.root(node), mask | here);
        let next = match self.nodes.get(&(root, mask)) {
            Some(next) => *next,
            None => {
                let next = self.table.add_node(mask, Some(node)).ok_or(Limit::Memory)?;
                self.nodes.insert((root, mask), next);
                next
            }
        };
        self.table.note(node, key, &Outcome::Node(next));
        Ok(next)
    }
}
