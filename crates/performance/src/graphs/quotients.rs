//! Graphs and their quotients: what behaves the same has the same figures.

use std::fmt::Write;

use narrows_graph::Random;
use narrows_lts::{Graph, Relation, Settings, aut, minimise};

use super::GraphAutomaton;
use crate::markov::{Accuracy, Aim, Interval, average, find_zeno, long_run, reward_at, uniform};

const ACCURACY: Accuracy<'static> = Accuracy::relative(1e-9);

/// The edges of a state: labels without numbers, the numbers in quarters, and where they lead.
type Row = Vec<(&'static str, u64, u64)>;

fn random_rows(random: &mut Random, is_open: bool) -> Vec<Row> {
    let size = 2 + random.below(5);
    let actions = ["", "A; ", "B; "];
    let row = |random: &mut Random| -> Row {
        let kind = random.below(8);
        if kind == 0 {
            let share = 1 + random.below(3);
            return vec![("prob", share, random.below(size)), ("A; prob", 4 - share, random.below(size))];
        }
        if kind < 3 {
            let label = |random: &mut Random| ["i", "GO"][random.below(2) as usize];
            let count = if is_open { 1 + random.below(2) } else { 1 };
            return (0..count).map(|_| (label(random), 0, random.below(size))).collect();
        }
        let count = 1 + random.below(3);
        let label = |random: &mut Random| match actions[random.below(3) as usize] {
            "" => "rate",
            "A; " => "A; rate",
            _ => "B; rate",
        };
        (0..count).map(|_| (label(random), 1 + random.below(12), random.below(size))).collect()
    };
    (0..size).map(|_| row(random)).collect()
}

/// A graph in which each state has copies, some of which only lead to the first one, unseen.
fn copied(random: &mut Random, rows: &[Row]) -> Graph {
    let size = rows.len() as u64;
    let copies = 1 + random.below(3);
    let mut text = "des (0, ?, ?)\n".to_owned();
    for copy in 0..copies {
        for (state, row) in (0..).zip(rows) {
            let here = copy * size + state;
            if copy > 0 && random.below(4) == 0 {
                _ = writeln!(text, "({here}, i, {state})");
                continue;
            }
            for (label, quarters, target) in row {
                let any = |random: &mut Random| random.below(copies) * size + target;
                let number = |quarters: u64| quarters as f64 / 4.0;
                if *quarters == 0 {
                    _ = writeln!(text, "({here}, \"{label}\", {})", any(random));
                } else if *quarters % 2 == 0 {
                    // Half of it to one copy, half to another.
                    for _ in 0..2 {
                        _ = writeln!(
                            text,
                            "({here}, \"{label} {}\", {})",
                            number(*quarters) / 2.0,
                            any(random)
                        );
                    }
                } else {
                    _ = writeln!(text, "({here}, \"{label} {}\", {})", number(*quarters), any(random));
                }
            }
        }
    }
    aut::read(&text).unwrap()
}

/// What can be said about each action; `None` if no time passes on a cycle.
fn figures(graph: &Graph, is_open: bool) -> Option<Vec<(String, Vec<Interval>)>> {
    let timed = GraphAutomaton::new(graph).unwrap();
    if find_zeno(&timed.automaton).is_some() {
        return None;
    }
    let mut all = Vec::new();
    for (number, action) in timed.actions.iter().enumerate() {
        let reward = timed.reward(graph, number);
        let mut found: Vec<Interval> = [Aim::Least, Aim::Greatest]
            .map(|aim| average(&timed.automaton, &reward, aim, ACCURACY).unwrap())
            .to_vec();
        if !is_open {
            let chain = uniform(&timed.automaton, std::slice::from_ref(&reward)).unwrap();
            found.extend(long_run(&chain.chain, &chain.rewards, ACCURACY));
            found.extend([0.3, 5.0].map(|time| reward_at(&chain.chain, &chain.rewards[0], time, ACCURACY)));
        }
        all.push((action.clone(), found));
    }
    all.sort_by(|one, other| one.0.cmp(&other.0));
    // What is not reached has no edges in a quotient.
    all.retain(|(_, found)| found.iter().any(|interval| interval.high > 1e-12));
    Some(all)
}

fn compare(is_open: bool, seed: u64) {
    let mut random = Random::new(seed);
    let (mut compared, mut smaller, mut counted) = (0, 0, 0);
    for round in 0..600 {
        let rows = random_rows(&mut random, is_open);
        let graph = copied(&mut random, &rows);
        let Some(expected) = figures(&graph, is_open) else { continue };
        for relation in [Relation::Strong, Relation::Branching, Relation::DivergenceBranching] {
            let settings = Settings { relation, stochastic: true, probabilistic: true };
            let Ok(quotient) = minimise(&graph, settings) else { continue };
            let found = figures(&quotient, is_open).unwrap();
            compared += 1;
            smaller += usize::from(quotient.states() < graph.states());
            let names = |all: &[(String, Vec<Interval>)]| {
                all.iter().map(|(name, _)| name.clone()).collect::<Vec<_>>()
            };
            let text = || format!("{round} {relation:?}\n{}{}", aut::write(&graph), aut::write(&quotient));
            assert_eq!(names(&expected), names(&found), "{}", text());
            for ((name, expected), (_, found)) in expected.iter().zip(&found) {
                for (expected, found) in expected.iter().zip(found) {
                    counted += usize::from(expected.low > 0.0);
                    let meets = expected.low <= found.high && found.low <= expected.high;
                    assert!(meets, "{name}: {expected} {found} {}", text());
                    let narrow = |one: &Interval| one.width() <= 1e-7 * (1.0 + one.high);
                    assert!(narrow(expected) && narrow(found), "{name}: {expected} {found} {}", text());
                }
            }
        }
    }
    assert!(compared > 500 && smaller > 300 && counted > 1000, "{compared} {smaller} {counted}");
}

#[test]
fn quotients_of_chains_have_the_same_figures() {
    compare(false, 3);
}

#[test]
fn quotients_with_choices_have_the_same_least_and_greatest() {
    compare(true, 5);
}

/// Without the exact sums of rates it would not be so: a graph whose plain quotient has other figures.
#[test]
fn a_plain_quotient_forgets_rates() {
    let text = "des (0, 4, 3)\n(0, \"rate 1\", 1)\n(0, \"rate 1\", 2)\n(1, \"A; rate 1\", 0)\n(2, \"A; rate \
                1\", 0)\n";
    let graph = aut::read(text).unwrap();
    let middle = |graph: &Graph| figures(graph, false).unwrap()[0].1[0].middle();
    assert!((middle(&graph) - 2.0 / 3.0).abs() < 1e-9);
    let plain = minimise(&graph, Settings::plain(Relation::Strong)).unwrap();
    assert!((middle(&plain) - 0.5).abs() < 1e-9);
}
