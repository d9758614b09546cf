use narrows_lts::{Graph, aut};

use super::{AutomatonError, GraphAutomaton};
use crate::markov::{Accuracy, Aim, Interval, average, long_run, uniform};

fn graph(edges: &[(u32, &str, u32)]) -> Graph {
    let lines: Vec<String> =
        edges.iter().map(|(from, label, to)| format!("({from}, \"{label}\", {to})\n")).collect();
    aut::read(&format!("des (0, ?, ?)\n{}", lines.concat())).unwrap()
}

/// The throughput of each action if all choices are alike.
fn throughputs(graph: &Graph) -> Vec<(String, Interval)> {
    let timed = GraphAutomaton::new(graph).unwrap();
    let rewards: Vec<_> = (0..timed.actions.len()).map(|action| timed.reward(graph, action)).collect();
    let chain = uniform(&timed.automaton, &rewards).unwrap();
    let found = long_run(&chain.chain, &chain.rewards, Accuracy::default());
    timed.actions.into_iter().zip(found).collect()
}

#[track_caller]
fn check(edges: &[(u32, &str, u32)], expected: &[(&str, f64)]) {
    let found = throughputs(&graph(edges));
    assert_eq!(found.len(), expected.len(), "{found:?}");
    for ((action, found), (name, expected)) in found.iter().zip(expected) {
        assert_eq!(action, name);
        assert!(found.widened(1e-15).contains(*expected) && found.width() < 1e-12, "{action} {found}");
    }
}

#[test]
fn rates_are_counted_by_action() {
    check(&[(0, "A; rate 1", 1), (1, "B; rate 3", 0)], &[("A", 0.75), ("B", 0.75)]);
    // Two edges alike, one to the state itself, one without a name.
    check(
        &[(0, "A; rate 1", 1), (0, "A; rate 1", 1), (0, "B; rate 5", 0), (1, "rate 2", 0)],
        &[("A", 1.0), ("B", 2.5)],
    );
}

#[test]
fn what_happens_at_once_comes_first() {
    // In state 1 the rate plays no part, and state 3 is never reached.
    check(
        &[(0, "A; rate 1", 1), (1, "rate 100", 3), (1, "i", 2), (2, "B; rate 1", 0), (3, "C; rate 1", 0)],
        &[("A", 0.5), ("B", 0.5), ("C", 0.0)],
    );
    check(
        &[(0, "A; rate 1", 1), (1, "B; prob 0.25", 0), (1, "prob 0.75", 2), (2, "C; rate 1", 0)],
        &[("A", 1.0 / 1.75), ("B", 0.25 / 1.75), ("C", 0.75 / 1.75)],
    );
    check(&[(0, "A; rate 2", 1), (1, "GO", 2), (2, "i", 0)], &[("A", 2.0), ("GO", 2.0)]);
}

#[test]
fn chance_that_comes_back_is_left_in_the_end() {
    // Retries until it works: two on average.
    check(
        &[(0, "A; rate 1", 1), (1, "TRY; prob 0.5", 1), (1, "TRY; prob 0.5", 0)],
        &[("A", 1.0), ("TRY", 2.0)],
    );
}

#[test]
fn choices_give_a_least_and_a_greatest() {
    let graph =
        graph(&[(0, "rate 1", 1), (1, "LEFT", 2), (1, "RIGHT", 3), (2, "A; rate 1", 0), (3, "rate 4", 0)]);
    let timed = GraphAutomaton::new(&graph).unwrap();
    assert!(timed.has_choices(&graph));
    let action = timed.actions.iter().position(|action| action == "A").unwrap();
    let reward = timed.reward(&graph, action);
    let of = |aim| average(&timed.automaton, &reward, aim, Accuracy::default()).unwrap();
    assert!(of(Aim::Least).widened(1e-15).contains(0.0));
    assert!(of(Aim::Greatest).widened(1e-15).contains(0.5));
}

#[test]
fn what_makes_no_sense_is_refused() {
    let error = |edges: &[(u32, &str, u32)]| GraphAutomaton::new(&graph(edges)).err();
    assert!(matches!(error(&[(0, "rate x", 0)]), Some(AutomatonError::Label(_))));
    assert_eq!(error(&[(0, "rate 1", 1), (1, "prob 0.5", 0)]), Some(AutomatonError::Probabilities(1, 0.5)));
    // Six digits are enough.
    assert_eq!(error(&[(0, "prob 0.333333", 1), (0, "prob 0.333333", 2), (0, "prob 0.333333", 3)]), None);
}

#[track_caller]
fn determinate(edges: &[(u32, &str, u32)], expected: &Result<&str, AutomatonError>) {
    let graph = graph(edges);
    let found = GraphAutomaton::new(&graph)
        .and_then(|timed| timed.determinate(&graph))
        .map(|graph| aut::write(&graph));
    assert_eq!(found.as_deref(), expected.as_deref());
}

#[test]
fn choices_that_do_not_matter_vanish() {
    determinate(
        &[(0, "A; rate 3", 1), (1, "i", 2), (1, "i", 3), (2, "i", 4), (3, "i", 4), (4, "B; rate 2", 0)],
        &Ok("des (0, 2, 2)\n(0, \"A; rate 3\", 1)\n(1, \"B; rate 2\", 0)\n"),
    );
    determinate(
        &[(0, "prob 0.25", 1), (0, "prob 0.75", 2), (1, "rate 1", 2), (2, "A; rate 8", 0)],
        &Ok(
            "des (0, 5, 3)\n(0, \"prob 0.25\", 1)\n(0, \"prob 0.75\", 2)\n(1, \"rate 1\", 2)\n(2, \"A; rate 2\", \
            1)\n(2, \"A; rate 6\", 2)\n",
        ),
    );
}

#[test]
fn choices_that_matter_are_named() {
    determinate(
        &[(0, "rate 1", 7), (7, "i", 0), (7, "i", 2), (2, "rate 1", 0)],
        &Err(AutomatonError::Choice(7)),
    );
    determinate(
        &[(0, "rate 1", 3), (3, "i", 4), (4, "i", 3), (4, "i", 0)],
        &Err(AutomatonError::Zeno(vec![4, 3])),
    );
    determinate(&[(0, "rate 2", 1)], &Ok("des (0, 1, 2)\n(0, \"rate 2\", 1)\n"));
}

#[test]
fn sums_of_rates_are_rounded_outwards() {
    let of = |edges: &[(u32, &str, u32)]| {
        let graph = graph(edges);
        let timed = GraphAutomaton::new(&graph).unwrap();
        let reward = timed.reward(&graph, 0);
        let alone =
            long_run(&timed.chain().unwrap(), std::slice::from_ref(&reward.rates), Accuracy::default())[0];
        (alone, average(&timed.automaton, &reward, Aim::Least, Accuracy::default()).unwrap())
    };
    let (alone, least) = of(&[(0, "A; rate 0.1", 0), (0, "A; rate 0.2", 0), (0, "A; rate 0.3", 0)]);
    assert!(alone.low < 0.6 && 0.6 < alone.high && alone.width() < 2e-15, "{alone}");
    assert!(least.low < 0.6 && 0.6 < least.high && least.width() < 1e-14, "{least}");
    // What is exact stays so.
    let (alone, _) = of(&[(0, "A; rate 0.5", 0), (0, "A; rate 0.25", 0)]);
    assert_eq!(alone, Interval::exactly(0.75));
}
