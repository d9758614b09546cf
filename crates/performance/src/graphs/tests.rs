use narrows_graph::Random;
use narrows_lts::{Graph, aut};
use num_traits::{One, Zero};

use super::{AutomatonError, GraphAutomaton};
use crate::fine::tests::{Fraction, fraction};
use crate::markov::{Accuracy, Aim, Interval, average, long_run, rewards_at, uniform};

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

/// What a number of tenths is, as it is written and as a fraction.
fn tenths(number: u64) -> (String, Fraction) {
    (format!("{}", number as f64 / 10.0), Fraction::new(number.into(), 10.into()))
}

/// The stationary distribution of rates in a matrix, by elimination in fractions.
fn stationary(rates: &[Vec<Fraction>]) -> Vec<Fraction> {
    let size = rates.len();
    let mut matrix = vec![vec![Fraction::zero(); size + 1]; size];
    for (from, row) in rates.iter().enumerate() {
        for (to, rate) in row.iter().enumerate() {
            matrix[to][from] += rate;
            matrix[from][from] -= rate;
        }
    }
    matrix[size - 1] = vec![Fraction::one(); size + 1];
    for pivot in 0..size {
        let row = (pivot..size).find(|row| !matrix[*row][pivot].is_zero()).expect("it is connected");
        matrix.swap(pivot, row);
        let above = matrix[pivot].clone();
        for other in (0..size).filter(|other| *other != pivot) {
            let factor = &matrix[other][pivot] / &above[pivot];
            for (entry, above) in matrix[other].iter_mut().zip(&above) {
                *entry -= &factor * above;
            }
        }
    }
    (0..size).map(|row| &matrix[row][size] / &matrix[row][row]).collect()
}

/// Rates and probabilities are the decimals that are written: bounds contain what follows from these.
#[test]
fn decimals_are_taken_as_they_are() {
    let mut random = Random::new(19);
    let mut narrow = 0;
    for round in 0..300 {
        let size = 1 + random.index(4);
        let mut edges: Vec<String> = Vec::new();
        let mut rates = vec![vec![Fraction::zero(); size]; size];
        let mut counted = vec![Fraction::zero(); size];
        let mut next = size;
        for state in 0..size {
            // A ring keeps it in one piece.
            let targets: Vec<usize> = (0..random.index(4)).map(|_| random.index(size)).collect();
            for target in std::iter::once((state + 1) % size).chain(targets) {
                let (text, rate) = tenths(1 + random.below(99));
                let action = if random.below(2) == 0 { "A; " } else { "" };
                if !action.is_empty() {
                    counted[state] += &rate;
                }
                if random.below(3) > 0 {
                    edges.push(format!("({state}, \"{action}rate {text}\", {target})"));
                    rates[state][target] += rate;
                    continue;
                }
                // By chance somewhere else.
                edges.push(format!("({state}, \"{action}rate {text}\", {next})"));
                let (first, other) = (1 + random.below(9), random.index(size));
                for (part, to) in [(first, target), (10 - first, other)] {
                    let (text, share) = tenths(part);
                    edges.push(format!("({next}, \"prob {text}\", {to})"));
                    rates[state][to] += &rate * share;
                }
                next += 1;
            }
        }
        let text = format!("des (0, {}, {next})\n{}\n", edges.len(), edges.join("\n"));
        let graph = aut::read(&text).unwrap();
        let timed = GraphAutomaton::new(&graph).unwrap();
        let Some(action) = timed.actions.iter().position(|action| action == "A") else { continue };
        let shares = stationary(&rates);
        let truth = shares.iter().zip(&counted).fold(Fraction::zero(), |sum, (one, rate)| sum + one * rate);
        let reward = timed.reward(&graph, action);
        let even = timed.long_run(&graph, std::slice::from_ref(&reward), Accuracy::default()).unwrap();
        let least = average(&timed.automaton, &reward, Aim::Least, Accuracy::default()).unwrap();
        for found in [even[0].even, least] {
            let is_inside = fraction(found.low) <= truth && truth <= fraction(found.high);
            assert!(is_inside, "{round}: {found}, and not {truth}\n{text}");
            narrow += usize::from(found.width() <= 1e-11 * found.high);
        }
    }
    assert!(narrow > 400, "{narrow}");
}

/// With so many jumps, rates of the usual precision would tell five digits.
#[test]
fn decimals_of_stiff_graphs_keep_their_digits() {
    let graph = graph(&[
        (0, "rate 123456789.1", 1),
        (1, "rate 98765432.3", 0),
        (1, "A; rate 0.001", 2),
        (2, "prob 0.3", 0),
        (2, "prob 0.7", 1),
    ]);
    let timed = GraphAutomaton::new(&graph).unwrap();
    let chain = timed.uniform(&timed.rewards(&graph)).unwrap();
    assert!(chain.chain.fine_off() < 1e-28, "{}", chain.chain.fine_off());
    let found = rewards_at(&chain.chain, &chain.rewards, 1e5, Accuracy::default())[0];
    let expected = 0.001 * 123_456_789.1 / (123_456_789.1 + 98_765_432.3);
    assert!(
        found.width() < 1e-6 * expected && (found.middle() - expected).abs() < 1e-6 * expected,
        "{found}"
    );
}
