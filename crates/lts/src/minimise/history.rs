//! How blocks were split: a tree whose leaves are the blocks at the end.

use std::ops::Range;

use super::table::{NOWHERE, parts};

/// A tree of blocks: each part of a block knows why it is not another part.
#[derive(Debug, Default)]
pub(crate) struct History {
    nodes: Vec<Node>,
    /// The node of each block.
    current: Vec<u32>,
}

#[derive(Debug)]
pub(crate) struct Node {
    /// What it was a part of; the root is its own.
    pub(crate) parent: u32,
    /// How many blocks there are above it.
    pub(crate) depth: u32,
    /// What its states could do when it became a block: labels, and the nodes that were blocks at that time.
    pub(crate) signature: Vec<(u32, u32)>,
}

impl History {
    /// Starts with all states in one block.
    pub(super) fn new() -> History {
        History { nodes: vec![Node { parent: 0, depth: 0, signature: Vec::new() }], current: vec![0] }
    }

    pub(crate) fn node(&self, node: u32) -> &Node {
        &self.nodes[node as usize]
    }

    /// Returns the node of a block at the end.
    pub(crate) fn leaf(&self, block: u32) -> u32 {
        self.current[block as usize]
    }

    /// Returns all blocks in an order in which those of a node stand together, and where those of each node
    /// stand.
    pub(crate) fn leaves(&self) -> (Vec<u32>, Vec<Range<usize>>) {
        // Parents come before their parts.
        let mut counts = vec![0; self.nodes.len()];
        self.current.iter().for_each(|node| counts[*node as usize] = 1);
        for node in (1..self.nodes.len()).rev() {
            counts[self.nodes[node].parent as usize] += counts[node];
        }
        let mut ranges = vec![0..self.current.len(); self.nodes.len()];
        let mut next = vec![0; self.nodes.len()];
        for node in 1..self.nodes.len() {
            let parent = self.nodes[node].parent as usize;
            ranges[node] = next[parent]..next[parent] + counts[node];
            next[parent] += counts[node];
            next[node] = ranges[node].start;
        }
        let mut order = vec![0; self.current.len()];
        for (block, node) in self.current.iter().enumerate() {
            order[ranges[*node as usize].start] = block as u32;
        }
        (order, ranges)
    }

    /// Notes that a block was split into blocks with these numbers and signatures.
    pub(super) fn split<'a>(&mut self, block: u32, parts_with: impl Iterator<Item = (u32, &'a [u64])>) {
        let parent = self.current[block as usize];
        let depth = self.node(parent).depth + 1;
        let mut updates = Vec::new();
        for (number, signature) in parts_with {
            let then = |word: &u64| match parts(*word) {
                (label, NOWHERE) => (label, NOWHERE),
                (label, block) => (label, self.current[block as usize]),
            };
            let signature = signature.iter().map(then).collect();
            updates.push((number, self.nodes.len() as u32));
            self.nodes.push(Node { parent, depth, signature });
        }
        for (number, node) in updates {
            if self.current.len() <= number as usize {
                self.current.resize(number as usize + 1, node);
            }
            self.current[number as usize] = node;
        }
    }
}
