//! Latencies of small models against closed forms.

use narrows_explicit::{Budget, Unwatched};
use narrows_model::Evaluator;

use super::{Latencies, build_ordered};
use crate::markov::{Accuracy, Aim, Interval, Requests};
use crate::requests::{Change, Order, RequestEvents};
use crate::samples::{system, timing};
use crate::{Delay, StateGraph, Time, Timing};

const ACCURACY: Accuracy<'static> = Accuracy::relative(1e-9);

/// Exponential delays, as hundredths.
fn latencies(text: &str, delays: &[(&str, i128)], [from, to]: [&str; 2], order: Order) -> Latencies {
    let system = system(text);
    let delays: Vec<(&str, Delay)> =
        delays.iter().map(|(name, mean)| (*name, Delay::Exponential(Time::new(*mean, 100)))).collect();
    let timing = timing(&system, &delays, &[from, to]);
    let evaluator = Evaluator::new(&system);
    let rows = StateGraph::new(&evaluator, Some(&system), &timing, Budget::unlimited(Unwatched)).unwrap();
    let ends = RequestEvents { from: 0, to: 1, both: 2, order };
    build_ordered(rows, &[ends]).unwrap().latencies(&[ends], Change::default(), false).unwrap()
}

fn requests(text: &str, delays: &[(&str, i128)], ends: [&str; 2], order: Order) -> Requests {
    let Latencies::Chain(requests) = latencies(text, delays, ends, order) else { panic!("a choice is open") };
    requests.recurrent().unwrap().unwrap().0
}

fn assert_is(found: Interval, expected: f64, width: f64) {
    let slack = 1e-12 * expected;
    assert!(found.low <= expected + slack && expected - slack <= found.high, "{found} {expected}");
    assert!(found.width() <= width * expected.abs().max(0.1), "{found} is wider than {width}");
}

/// How likely it is that so many exponential times with a rate are over by then.
fn erlang(stages: u32, rate: f64, time: f64) -> f64 {
    let mut term = f64::exp(-rate * time);
    let mut rest = 0.0;
    for number in 0..stages {
        rest += term;
        term *= rate * time / f64::from(number + 1);
    }
    1.0 - rest
}

const QUEUE: &str = "byte n;
    active proctype arrival() { do :: arrive: d_step { n < 5 -> n++ } od }
    active proctype server() { do :: serve: d_step { n > 0 -> n-- } od }";

const DELAYS: [(&str, i128); 2] = [("arrival:arrive", 50), ("server:serve", 40)];

/// The probability that somebody who gets in finds so many there.
fn found_by_arrivals() -> Vec<f64> {
    let load: f64 = 0.8;
    let all: f64 = (0..5).map(|number| load.powi(number)).sum();
    (0..5).map(|number| load.powi(number) / all).collect()
}

#[test]
fn a_queue_is_left_after_a_mixture_of_erlang_times() {
    let requests = requests(QUEUE, &DELAYS, ["arrival:arrive", "server:serve"], Order::Fifo);
    let finds = found_by_arrivals();
    let mean: f64 = (1..).zip(&finds).map(|(served, chance)| f64::from(served) * 0.4 * chance).sum();
    assert_is(requests.mean(ACCURACY), mean, 1e-8);
    assert_is(requests.little(ACCURACY).mean(), mean, 1e-8);
    let cdf = |time: f64| -> f64 {
        (1..).zip(&finds).map(|(served, chance)| chance * erlang(served, 2.5, time)).sum()
    };
    let passage = requests.distribution(1e-9, ACCURACY);
    for time in [0.0, 0.01, 0.3, 1.0, 2.5, 6.0] {
        assert_is(passage.at(time), cdf(time), 1e-9);
    }
    for part in [0.01, 0.5, 0.9, 0.99, 0.999, 0.99999] {
        let found = passage.quantile(part);
        assert!(cdf(found.low) <= part + 1e-13 && part - 1e-13 <= cdf(found.high), "{part}: {found}");
        assert!(found.width() < 1e-6 * found.high, "{part}: {found}");
    }
    // The place in line is all that matters.
    assert_eq!(requests.followed.states(), 6);
}

/// Who comes last is served first: the mean stays, and the rest takes as long as a busy period.
#[test]
fn the_mean_does_not_depend_on_the_order() {
    let ends = ["arrival:arrive", "server:serve"];
    let first = requests(QUEUE, &DELAYS, ends, Order::Fifo);
    let last = requests(QUEUE, &DELAYS, ends, Order::Lifo);
    let mean = first.mean(ACCURACY).middle();
    assert_is(last.mean(ACCURACY), mean, 1e-8);
    assert_is(last.little(ACCURACY).mean(), mean, 1e-8);
    let late = |requests: &Requests| requests.distribution(1e-9, ACCURACY).quantile(0.99).middle();
    assert!(late(&last) > 1.2 * late(&first), "{} {}", late(&last), late(&first));
    // To the next departure it is one service.
    let next = requests(QUEUE, &DELAYS, ends, Order::Next);
    assert_is(next.mean(ACCURACY), 0.4, 1e-8);
    assert_is(next.distribution(1e-9, ACCURACY).at(1.0), 1.0 - f64::exp(-2.5), 1e-9);
}

/// A job is done when both halves are, and the next one comes at once.
#[test]
fn fork_and_join_take_the_longer_of_two() {
    let text = "bit a, b, busy;
        active proctype source() { do :: fork: d_step { !busy -> busy = 1; a = 1; b = 1 } od }
        active proctype left() { do :: one: d_step { a -> a = 0 } od }
        active proctype right() { do :: two: d_step { b -> b = 0 } od }
        active proctype sink() { do :: join: d_step { busy && !a && !b -> busy = 0 } od }";
    let requests =
        requests(text, &[("left:one", 100), ("right:two", 100)], ["source:fork", "sink:join"], Order::Fifo);
    assert_is(requests.mean(ACCURACY), 1.5, 1e-8);
    let cdf = |time: f64| (1.0 - f64::exp(-time)).powi(2);
    let passage = requests.distribution(1e-9, ACCURACY);
    for time in [0.1, 0.7, 2.0, 9.0] {
        assert_is(passage.at(time), cdf(time), 1e-9);
    }
    assert_is(passage.quantile(0.99), -f64::ln(1.0 - f64::sqrt(0.99)), 1e-6);
}

/// Three jobs go round between two servers. By the arrival theorem, who comes finds what a network with two
/// jobs has.
#[test]
fn a_closed_network_obeys_the_arrival_theorem() {
    let text = "byte n = 3;
        active proctype one() { do :: first: d_step { n > 0 -> n-- } od }
        active proctype two() { do :: second: d_step { n < 3 -> n++ } od }";
    let requests =
        requests(text, &[("one:first", 50), ("two:second", 30)], ["one:first", "two:second"], Order::Fifo);
    // With two jobs, as many as 0, 1 or 2 are at the second server.
    let weights: Vec<f64> = (0..3).map(|number| 0.6_f64.powi(number)).collect();
    let all: f64 = weights.iter().sum();
    let cdf = |time: f64| -> f64 {
        (1..).zip(&weights).map(|(served, weight)| weight / all * erlang(served, 1.0 / 0.3, time)).sum()
    };
    let passage = requests.distribution(1e-9, ACCURACY);
    for time in [0.05, 0.4, 1.5] {
        assert_is(passage.at(time), cdf(time), 1e-9);
    }
}

/// Two queues in a row: who leaves the second has been in both. The sum of the means is that of the whole.
#[test]
fn a_tandem_takes_as_long_as_its_parts() {
    let text = "byte n, m;
        active proctype source() { do :: come: d_step { n < 3 -> n++ } od }
        active proctype one() { do :: pass: d_step { n > 0 && m < 2 -> n--; m++ } od }
        active proctype two() { do :: go: d_step { m > 0 -> m-- } od }";
    let delays = [("source:come", 80), ("one:pass", 50), ("two:go", 60)];
    let mean = |ends| requests(text, &delays, ends, Order::Fifo).mean(ACCURACY);
    let whole = mean(["source:come", "two:go"]);
    let parts = mean(["source:come", "one:pass"]).middle() + mean(["one:pass", "two:go"]).middle();
    assert_is(whole, parts, 1e-8);
}

/// From an event to the same one again, also if it happens twice at an instant.
#[test]
fn a_period_is_from_event_to_event() {
    let text = "byte n;
        active proctype source() { do :: come: n == 0 -> n = 2 od }
        active proctype sink() { do :: go: d_step { n > 0 -> n-- } od }";
    let requests = requests(text, &[("source:come", 100)], ["sink:go", "sink:go"], Order::Next);
    // Half of all follow at once.
    assert_is(requests.mean(ACCURACY), 0.5, 1e-8);
    let passage = requests.distribution(1e-9, ACCURACY);
    assert_is(passage.at(0.0), 0.5, 1e-9);
    assert_eq!(passage.quantile(0.4), Interval::exactly(0.0));
    assert_is(passage.quantile(0.75), f64::ln(2.0), 1e-6);
}

/// Where nothing happens again and again, each request of the one run counts alike.
#[test]
fn what_ends_is_measured_too() {
    let text = "byte n = 3; byte x;
        active proctype one() { do :: first: d_step { n > 0 -> n--; x++ } od }
        active proctype two() { do :: second: d_step { x > 0 -> x-- } od }";
    let requests =
        requests(text, &[("one:first", 100), ("two:second", 100)], ["one:first", "two:second"], Order::Fifo);
    // The first finds nobody; the second finds one half the time; the third 0.875 on average.
    assert_is(requests.mean(ACCURACY), (1.0 + 1.5 + 1.875) / 3.0, 1e-8);
}

/// A job takes one way or the other, as a scheduler likes.
#[test]
fn open_choices_give_a_range() {
    let text = "byte x;
        active proctype source() { do :: come: x == 0 -> if :: x = 1 :: x = 2 fi od }
        active proctype fast() { do :: quick: d_step { x == 1 -> x = 3 } od }
        active proctype slow() { do :: steady: d_step { x == 2 -> x = 3 } od }
        active proctype sink() { do :: go: d_step { x == 3 -> x = 0 } od }";
    let delays = [("source:come", 100), ("fast:quick", 100), ("slow:steady", 400)];
    let Latencies::Open(open) = latencies(text, &delays, ["source:come", "sink:go"], Order::Fifo) else {
        panic!("a choice is open");
    };
    assert_is(open.mean_over(Aim::Least, ACCURACY).unwrap().unwrap(), 1.0, 1e-6);
    assert_is(open.mean_over(Aim::Greatest, ACCURACY).unwrap().unwrap(), 4.0, 1e-6);
}

/// Jobs that are sent one way or the other, and after the first once more: whatever the policy, the mean is
/// that of its weights, and lies in the range over all schedulers, which reaches from the best to the worst.
#[test]
fn random_policies_lie_in_the_range() {
    let text = "byte x;
        active proctype source() { do
            :: come: x == 0 -> skip; pick: if :: x = 1 :: x = 2 fi
            :: x == 3 -> again: if :: x = 2 :: x = 4 fi
        od }
        active proctype one() { do :: first: d_step { x == 1 -> x = 3 } od }
        active proctype two() { do :: second: d_step { x == 2 -> x = 4 } od }
        active proctype sink() { do :: go: d_step { x == 4 -> x = 0 } od }";
    let ends = ["source:come", "sink:go"];
    let events = RequestEvents { from: 0, to: 1, both: 2, order: Order::Fifo };
    let system = system(text);
    let evaluator = Evaluator::new(&system);
    let mut random = narrows_graph::Random::new(5);
    for round in 0..40 {
        let mut mean = || i128::from(random.below(400)) + 1;
        let (first, second, last) = (mean(), mean(), mean());
        let delays =
            [("source:come", mean()), ("one:first", first), ("two:second", second), ("sink:go", last)];
        let Latencies::Open(open) = latencies(text, &delays, ends, Order::Fifo) else {
            panic!("a choice is open");
        };
        let [first, second, last] = [first, second, last].map(|mean| mean as f64 / 100.0);
        let [least, greatest] =
            [Aim::Least, Aim::Greatest].map(|aim| open.mean_over(aim, ACCURACY).unwrap().unwrap());
        assert_is(least, last + first.min(second), 1e-6);
        assert_is(greatest, last + first + second, 1e-6);
        // The first two policies are the best and the worst.
        for policy in 0..12 {
            let [pick, again] = match policy {
                0 if first < second => [[1, 0], [0, 1]],
                0 => [[0, 1], [0, 1]],
                1 => [[1, 0], [1, 0]],
                _ => [0; 2].map(|_| [random.below(9) as u32 + 1, random.below(9) as u32]),
            };
            let delays: Vec<(&str, Delay)> = delays
                .iter()
                .map(|(name, mean)| (*name, Delay::Exponential(Time::new(*mean, 100))))
                .collect();
            let mut given = timing(&system, &delays, &ends);
            given.weights(&Timing::sites(&system, "source", "pick"), &pick);
            given.weights(&Timing::sites(&system, "source", "again"), &again);
            let budget = Budget::unlimited(Unwatched);
            let rows = StateGraph::new(&evaluator, Some(&system), &given, budget).unwrap();
            let view = build_ordered(rows, &[events]).unwrap();
            let Latencies::Chain(requests) = view.latencies(&[events], Change::default(), false).unwrap()
            else {
                panic!("no choice is open");
            };
            let found = requests.recurrent().unwrap().unwrap().0.mean(ACCURACY);
            let share = |[one, other]: [u32; 2]| f64::from(one) / f64::from(one + other);
            let (pick, again) = (share(pick), share(again));
            let expected = last + pick * (first + again * second) + (1.0 - pick) * second;
            assert_is(found, expected, 1e-6);
            let slack = 1e-9 * greatest.high;
            assert!(
                least.low - slack <= found.low && found.high <= greatest.high + slack,
                "{round} {policy}: {found} in {least} to {greatest}"
            );
            let is_end = |end: Interval| (end.middle() - found.middle()).abs() < 1e-6 * end.high;
            assert!(policy > 1 || is_end([least, greatest][policy]), "{round} {policy}: {found}");
        }
    }
}
