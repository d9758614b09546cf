//! The smallest graph that behaves the same.
//!
//! A [`Relation`] says what *the same* means. States are divided into blocks of states that behave the same
//! (`refine.rs`, `halves.rs`, `splitters.rs`), and each block becomes a state of the result.
//!
//! | file | contents |
//! |---|---|
//! | `table.rs` | a graph without cycles of internal steps, and without rates where no time passes |
//! | `amounts.rs`, `weights.rs` | exact decimal numbers; sums of rates and probabilities as labels |
//! | `partition.rs`, `classes.rs` | blocks of states that are refined; signatures, hash-consed |
//! | `refine.rs` | strong and branching bisimulation by signatures, with divergence and rates |
//! | `halves.rs`, `groups.rs`, `race.rs` | the same in O(m log n), processing the smaller half |
//! | `spread.rs`, `splitters.rs`, `prune.rs` | weak bisimulation: reachability of 128 sets at once |
//! | `weak.rs`, `trace.rs` | weak bisimulation by signatures; determinisation for traces |
//! | `quotient.rs`, `history.rs` | the quotient; how blocks were split, for distinguishing formulas |

mod amounts;
mod classes;
mod groups;
mod halves;
mod history;
mod partition;
mod prune;
mod quotient;
mod race;
mod refine;
mod splitters;
mod spread;
mod table;
#[cfg(test)]
pub(crate) mod tests;
mod trace;
mod weak;
mod weights;

pub(crate) use history::History;
pub(crate) use table::{DIVERGENCE, SILENT};
pub(crate) use trace::Subsets;

use crate::edit::breadth_first;
use crate::graph::Graph;
use partition::Partition;
use table::Table;

/// With at most so many edges at each state, whole signatures are faster than Valmari's algorithm.
const FEW: usize = 16;

/// What it means to behave the same, from the finest to the coarsest; weak and trace ignore divergence, as branching
/// does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Relation {
    /// Every step counts, internal ones too.
    Strong,
    /// As branching, and whether internal steps can go on for ever.
    DivergenceBranching,
    /// Internal steps count only if they decide something.
    Branching,
    /// Internal steps before and after others do not count.
    Weak,
    /// The same sequences of visible steps.
    Trace,
}

/// A relation, and what labels mean under it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
    /// What it means to behave the same.
    pub relation: Relation,
    /// Whether labels with rates mean time: sums of rates count, and internal steps come before any time passes.
    pub stochastic: bool,
    /// Whether labels with probabilities mean chance: sums of probabilities count.
    pub probabilistic: bool,
}

impl Settings {
    /// Settings under which labels mean nothing but themselves.
    pub fn plain(relation: Relation) -> Settings {
        Settings { relation, stochastic: false, probabilistic: false }
    }
}

/// Returns the smallest graph that behaves the same. The error says why there is none.
///
/// States that can't be reached are left out, and the others are numbered breadth first.
pub fn minimise(graph: &Graph, settings: Settings) -> Result<Graph, String> {
    if settings.relation != Relation::Trace {
        return Ok(breadth_first(&divide(graph, settings, false)?.quotient));
    }
    accept(settings)?;
    let smaller = minimise(graph, Settings::plain(Relation::Branching))?;
    minimise(&trace::determinise(&smaller)?, Settings::plain(Relation::Strong))
}

/// Refuses settings that do not go together.
pub(crate) fn accept(settings: Settings) -> Result<(), String> {
    let counts = settings.stochastic || settings.probabilistic;
    if counts && matches!(settings.relation, Relation::Weak | Relation::Trace) {
        return Err(
            "rates and probabilities go with the relations strong, branching and divbranching".to_owned()
        );
    }
    Ok(())
}

/// The blocks of a graph.
pub(crate) struct Division {
    /// The block of each state.
    pub(crate) of: Vec<u32>,
    /// A graph with a state for each block.
    pub(crate) quotient: Graph,
    /// How the blocks came to be, if that is wanted.
    pub(crate) history: Option<History>,
    /// The texts of the labels in the history.
    pub(crate) labels: Vec<String>,
}

/// Divides states into blocks of states that behave the same; not for traces.
pub(crate) fn divide(graph: &Graph, settings: Settings, wants_history: bool) -> Result<Division, String> {
    accept(settings)?;
    if settings.relation == Relation::Weak {
        return divide_weakly(graph, wants_history);
    }
    let mut table = Table::new(graph, settings)?;
    let states = table.states();
    let is_plain = !table.has_inert && table.weights.are_absent();
    let (partition, history) = if is_plain && !wants_history && table.most_edges() > FEW {
        (halves::refine(&mut table, Partition::new(states)), None)
    } else {
        refine::refine(&mut table, wants_history)
    };
    let words = quotient::words(&mut table, &partition);
    finish(graph, table, partition, words, history)
}

/// Branching bisimulation is finer and fast: it makes the graph smaller first.
fn divide_weakly(graph: &Graph, wants_history: bool) -> Result<Division, String> {
    let branching = divide(graph, Settings::plain(Relation::Branching), false)?;
    let mut table = Table::new(&branching.quotient, Settings::plain(Relation::Weak))?;
    let with_history = if wants_history { weak::refine(&table) } else { None };
    let (partition, history) = match with_history {
        Some((partition, history)) => (partition, Some(history)),
        None => (splitters::refine(&table), None),
    };
    let words = quotient::words(&mut table, &partition);
    let mut division = finish(&branching.quotient, table, partition, words, history)?;
    division.quotient = prune::prune(&division.quotient)?;
    division.of = branching.of.into_iter().map(|block| division.of[block as usize]).collect();
    Ok(division)
}

fn finish(
    graph: &Graph,
    table: Table,
    partition: Partition,
    words: Vec<(u32, Vec<u64>)>,
    history: Option<History>,
) -> Result<Division, String> {
    let blocks = partition.into_blocks();
    let of: Vec<u32> = table.place.iter().map(|state| blocks[*state as usize]).collect();
    let initial = of.get(graph.initial() as usize).copied().unwrap_or(0);
    let quotient = quotient::build(&table, initial, words)?;
    Ok(Division { of, quotient, history, labels: table.labels })
}
