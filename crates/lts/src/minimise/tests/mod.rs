//! Random graphs against the reference, and long chains.

mod families;
pub(crate) mod random;
pub(crate) mod reference;

use narrows_graph::Partition;

use super::table::Table;
use super::{Relation, Settings, bundle_refinement, divide, minimise, prune, splitter_refinement};
use crate::graph::{Builder, Graph};
use crate::{Verdict, aut, compare};
use random::Sampler;

pub(crate) const RELATIONS: [Relation; 4] =
    [Relation::Strong, Relation::DivergenceBranching, Relation::Branching, Relation::Weak];

/// Renumbers blocks by when they come first.
fn canonical(blocks: &[u32]) -> Vec<usize> {
    let mut seen: Vec<u32> = Vec::new();
    let mut number = |block: &u32| {
        seen.iter().position(|other| other == block).unwrap_or_else(|| {
            seen.push(*block);
            seen.len() - 1
        })
    };
    blocks.iter().map(&mut number).collect()
}

fn check(graph: &Graph, settings: Settings) {
    let context = || format!("{settings:?}\n{}", aut::write(graph));
    let division = divide(graph, settings, false).unwrap();
    let expected = reference::blocks(graph, settings);
    assert_eq!(canonical(&division.of), canonical(&expected), "{}", context());
    // With a history, other code does it.
    let division = divide(graph, settings, true).unwrap();
    assert_eq!(canonical(&division.of), canonical(&expected), "with history, {}", context());
    let mut table = Table::new(graph, settings).unwrap();
    let blocks = if settings.relation == Relation::Weak {
        splitter_refinement::refine(&table)
    } else {
        let all = Partition::new(table.states());
        bundle_refinement::refine(&mut table, all)
    };
    let blocks = blocks.into_blocks();
    let of: Vec<u32> = table.place.iter().map(|state| blocks[*state as usize]).collect();
    assert_eq!(canonical(&of), canonical(&expected), "without signatures, {}", context());
    let small = minimise(graph, settings).unwrap();
    let again = minimise(&small, settings).unwrap();
    assert_eq!(small.states(), again.states(), "{}", context());
    assert_eq!(small.edges().len(), again.edges().len(), "{}", context());
    assert_eq!(compare(graph, &small, settings).unwrap(), Verdict::Equivalent, "{}", context());
}

#[test]
fn blocks_are_those_of_the_reference() {
    let mut random = Sampler::new(1);
    for _ in 0..1500 {
        let graph = random.graph(&["i", "a", "b"]);
        for relation in RELATIONS {
            check(&graph, Settings::plain(relation));
        }
    }
    for _ in 0..500 {
        let graph = random.graph(&["i", "i", "i", "tau", "a"]);
        for relation in RELATIONS {
            check(&graph, Settings::plain(relation));
        }
    }
}

#[test]
fn small_graphs_with_many_internal_steps_are_those_of_the_reference() {
    let mut random = Sampler::new(77);
    for round in 0..4000 {
        let states = 2 + round % 8;
        let edges = 1 + random.below(states * 2);
        let graph = random.graph_of(states, edges, &["i", "i", "a"]);
        for relation in [Relation::DivergenceBranching, Relation::Branching, Relation::Weak] {
            check(&graph, Settings::plain(relation));
        }
        let graph = random.downwards(states * 2, edges * 2, &["i", "i", "i", "a", "rate 1", "rate 0.5"]);
        for relation in [Relation::DivergenceBranching, Relation::Branching] {
            check(&graph, Settings { relation, stochastic: true, probabilistic: false });
        }
    }
}

#[test]
fn blocks_of_larger_graphs_are_those_of_the_reference() {
    let mut random = Sampler::new(5);
    for _ in 0..60 {
        let graph = random.graph_of(80, 110, &["i", "i", "a"]);
        for relation in RELATIONS {
            check(&graph, Settings::plain(relation));
        }
        let graph = random.graph_of(60, 80, &["i", "a", "rate 1", "rate 2"]);
        check(&graph, Settings { relation: Relation::Branching, stochastic: true, probabilistic: false });
    }
}

#[test]
fn rates_are_summed() {
    let mut random = Sampler::new(2);
    for _ in 0..1500 {
        let graph = random.graph(&["i", "a", "rate 1", "rate 0.5", "rate 2", "b; rate 1", "b; rate 0.5"]);
        for relation in [Relation::Strong, Relation::DivergenceBranching, Relation::Branching] {
            check(&graph, Settings { relation, stochastic: true, probabilistic: false });
        }
    }
}

#[test]
fn probabilities_are_summed() {
    let mut random = Sampler::new(3);
    for _ in 0..500 {
        let graph = random.graph(&["a", "prob 0.01", "prob 0.02", "b; prob 0.01"]);
        for relation in [Relation::Strong, Relation::Branching] {
            check(&graph, Settings { relation, stochastic: false, probabilistic: true });
        }
    }
}

#[test]
fn edges_that_others_make_up_for_are_left_out() {
    let mut random = Sampler::new(6);
    for _ in 0..1000 {
        let states = 2 + random.below(10);
        let edges = random.below(states * 3);
        let graph = random.downwards(states, edges, &["i", "i", "a", "a", "b"]);
        let pruned = prune::prune(&graph).unwrap();
        let texts = |graph: &Graph| {
            let mut all: Vec<(u32, String, u32)> = graph
                .all_edges()
                .map(|(from, edge)| (from, graph.label(edge.label).to_owned(), edge.target))
                .collect();
            all.sort();
            all
        };
        assert_eq!(texts(&pruned), reference::needed(&graph), "{}", aut::write(&graph));
    }
}

#[test]
fn traces_are_those_of_the_reference() {
    let mut random = Sampler::new(4);
    for _ in 0..1000 {
        let graph = random.graph(&["i", "a", "a", "b"]);
        let settings = Settings::plain(Relation::Trace);
        let small = minimise(&graph, settings).unwrap();
        assert_eq!(small.states() as usize, reference::trace_states(&graph), "{}", aut::write(&graph));
        assert_eq!(compare(&graph, &small, settings).unwrap(), Verdict::Equivalent);
    }
}

fn minimised(text: &str, settings: Settings) -> String {
    aut::write(&minimise(&aut::read(text).unwrap(), settings).unwrap())
}

#[test]
fn decimal_sums_are_exact() {
    let settings = Settings { relation: Relation::Branching, stochastic: true, probabilistic: false };
    let text = "des (0, 7, 5)\n(0, a, 1)\n(0, a, 2)\n(1, rate 0.1, 3)\n(1, rate 0.2, 4)\n(2, rate 0.3, 3)\n\
                (3, b, 0)\n(4, b, 0)";
    let expected = "des (0, 3, 3)\n(0, \"a\", 1)\n(1, \"rate 0.3\", 2)\n(2, \"b\", 0)\n";
    assert_eq!(minimised(text, settings), expected);
    // Two equal edges are two: their rates add up.
    let text = "des (0, 3, 2)\n(0, rate 2, 1)\n(0, rate 2, 1)\n(1, a, 0)";
    assert_eq!(minimised(text, settings), "des (0, 2, 2)\n(0, \"rate 4\", 1)\n(1, \"a\", 0)\n");
}

#[test]
fn internal_steps_come_before_time() {
    let settings = Settings { relation: Relation::Branching, stochastic: true, probabilistic: false };
    let text = "des (0, 4, 4)\n(0, i, 1)\n(0, rate 9, 2)\n(1, rate 1, 3)\n(2, b, 2)";
    assert_eq!(minimised(text, settings), "des (0, 1, 2)\n(0, \"rate 1\", 1)\n");
}

#[test]
fn what_does_not_go_together_is_refused() {
    let graph = aut::read("des (0, 2, 2)\n(0, i, 1)\n(0, prob 1, 1)").unwrap();
    let settings = |relation| Settings { relation, stochastic: false, probabilistic: true };
    assert!(
        minimise(&graph, settings(Relation::Weak)).unwrap_err().to_string().contains("go with the relations")
    );
    assert!(
        minimise(&graph, settings(Relation::Trace))
            .unwrap_err()
            .to_string()
            .contains("go with the relations")
    );
    assert!(
        minimise(&graph, settings(Relation::Branching)).unwrap_err().to_string().contains("state 0 has both")
    );
    let graph = aut::read("des (0, 2, 2)\n(0, prob 0.75, 1)\n(0, a; prob 0.5, 1)").unwrap();
    assert!(
        minimise(&graph, settings(Relation::Strong))
            .unwrap_err()
            .to_string()
            .contains("of state 0 sum to 1.25")
    );
}

/// A chain with these labels again and again, and at the end another one.
fn chain(length: u32, labels: &[&str]) -> Graph {
    let mut builder = Builder::new(0, length as usize);
    let numbers: Vec<u32> = labels.iter().map(|label| builder.label(label)).collect();
    for state in 0..length {
        builder.edge(state, numbers[state as usize % numbers.len()], state + 1);
    }
    let end = builder.label("end");
    builder.edge(length, end, length);
    builder.build().unwrap()
}

#[test]
fn long_chains_take_no_long_time() {
    let states = |labels: &[&str], length, relation| {
        minimise(&chain(length, labels), Settings::plain(relation)).unwrap().states()
    };
    assert_eq!(states(&["a"], 1_000_000, Relation::Strong), 1_000_001);
    assert_eq!(states(&["i"], 1_000_000, Relation::Strong), 1_000_001);
    assert_eq!(states(&["i"], 1_000_000, Relation::Branching), 1);
    assert_eq!(states(&["i"], 1_000_000, Relation::Weak), 1);
    assert_eq!(states(&["a"], 1_000_000, Relation::Branching), 1_000_001);
    assert_eq!(states(&["a", "i"], 400_000, Relation::DivergenceBranching), 200_001);
    assert_eq!(states(&["a", "i"], 400_000, Relation::Weak), 200_001);
    assert_eq!(states(&["a", "i"], 400_000, Relation::Trace), 200_001);
    let with_history = divide(&chain(300_000, &["a"]), Settings::plain(Relation::Weak), true).unwrap();
    assert_eq!(with_history.quotient.states(), 300_001);
}

/// A chain of internal steps beside which visible ones lead further along it.
fn ladder(length: u32, mut further: impl FnMut(u32) -> u32) -> Graph {
    let mut builder = Builder::new(0, 2 * length as usize);
    let (internal, visible, end) = (builder.label("i"), builder.label("a"), builder.label("end"));
    for state in 0..length {
        builder.edge(state, internal, state + 1);
        builder.edge(state, visible, further(state).min(length));
    }
    builder.edge(length, end, length);
    builder.build().unwrap()
}

#[test]
fn internal_chains_that_fall_apart_take_no_long_time() {
    let branching = Settings::plain(Relation::Branching);
    let states = |graph: &Graph| divide(graph, branching, false).unwrap().quotient.states();
    // One state after the other is told apart, from the last to the first.
    assert_eq!(states(&ladder(1_000_000, |state| state + 1)), 1_000_001);
    assert_eq!(states(&ladder(300_000, |state| state + 2)), 150_001);
    let mut random = Sampler::new(9);
    assert!(states(&ladder(300_000, |state| state + 1 + random.below(5) as u32)) > 100_000);
    let graph = ladder(100_000, |state| state + 1);
    let diverging = Settings::plain(Relation::DivergenceBranching);
    assert_eq!(divide(&graph, diverging, false).unwrap().quotient.states(), 100_001);
}

#[test]
fn ladders_are_those_of_the_reference() {
    let mut random = Sampler::new(13);
    for _ in 0..200 {
        let reach = 1 + random.below(6);
        let graph = ladder(12, |state| (state as usize + random.below(reach + 2)).saturating_sub(1) as u32);
        for relation in [Relation::DivergenceBranching, Relation::Branching] {
            check(&graph, Settings::plain(relation));
        }
    }
}

/// States whose edges lead to all states of a chain, one of which after the other is told apart.
#[test]
fn states_with_many_edges_take_no_long_time() {
    let length = 20_000;
    let mut builder = Builder::new(0, 3 * length as usize);
    let (all, next) = (builder.label("all"), builder.label("next"));
    for state in 2..length {
        builder.edge(0, all, state);
        builder.edge(1, all, state);
        builder.edge(state, next, (state + 1).min(length));
    }
    let graph = builder.build().unwrap();
    assert_eq!(divide(&graph, Settings::plain(Relation::Strong), false).unwrap().quotient.states(), length);
}

#[test]
fn a_graph_without_edges_stays() {
    let graph = aut::read("des (0, 0, 1)").unwrap();
    for relation in RELATIONS.into_iter().chain([Relation::Trace]) {
        assert_eq!(minimise(&graph, Settings::plain(relation)).unwrap().states(), 1);
    }
}
