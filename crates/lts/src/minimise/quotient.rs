//! A graph with a state for each block.

use narrows_graph::Partition;
use rustc_hash::FxHashMap;

use super::signature_refinement::append_own;
use super::table::{DIVERGENCE, SILENT, Table, parts};
use crate::error::EquivalenceError;
use crate::graph::{Builder, Graph};

/// What the states of each block can do, as words; block by block.
pub(super) fn words(table: &mut Table, partition: &Partition) -> Vec<(u32, Vec<u64>)> {
    let mut all = Vec::new();
    for block in 0..partition.blocks() {
        let mut words = Vec::new();
        for state in partition.states(block) {
            append_own(table, partition, *state, &mut words);
        }
        words.sort_unstable();
        words.dedup();
        words.shrink_to_fit();
        all.push((block, words));
    }
    all
}

/// Makes a graph of blocks and words.
pub(super) fn build(
    table: &Table,
    initial: u32,
    words: Vec<(u32, Vec<u64>)>,
) -> Result<Graph, EquivalenceError> {
    let blocks = words.len() as u32;
    let mut builder = Builder::new(initial, words.iter().map(|(_, words)| words.len()).sum());
    builder.states(blocks);
    let mut labels = FxHashMap::default();
    for (block, words) in words {
        for word in words {
            let (label, target) = match parts(word) {
                (DIVERGENCE, _) => (SILENT, block),
                parts => parts,
            };
            let label = *labels.entry(label).or_insert_with(|| builder.label(&table.text(label)));
            builder.edge(block, label, target);
        }
    }
    Ok(builder.build()?)
}
