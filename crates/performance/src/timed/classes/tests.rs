//! State classes against the graph in which time is counted in ticks, on random models.

use std::fmt::Write;

use narrows_explicit::{Budget, Unwatched};
use narrows_graph::Random;
use narrows_model::{Evaluator, System};

use super::{ClassCost, ClassFrequency, Classes, DatedRun};
use crate::requests::{Change, Order, RequestEvents};
use crate::samples::{predicate, system, timing};
use crate::timed::bounds::{Bound, Cost, Endpoints};
use crate::timed::ratio::{Extreme, Frequency};
use crate::timed::tests::{holds, random_model, with_view};
use crate::timed::{Edge, Span, Timed};
use crate::{Delay, StateGraph, Step, Time, Timing};

fn with_classes<R>(system: &System, timing: &Timing, use_it: impl FnOnce(Classes<'_>) -> R) -> R {
    let evaluator = Evaluator::new(system);
    let graph = StateGraph::new(&evaluator, Some(system), timing, Budget::unlimited(Unwatched)).unwrap();
    use_it(Classes::build(graph, usize::MAX).unwrap().unwrap().unwrap())
}

/// Makes sure that a run with dates is one of the view in which time is counted in ticks.
fn replays(run: &DatedRun<'_>, oracle: &Timed<'_>) {
    // Any node of the oracle that is reached by the same choices after the same ticks: there is one.
    let mut node = 0;
    let states: Vec<Vec<u8>> =
        run.timed.states.iter().map(|state| run.timed.state_graph.state(*state)).collect();
    let mut follow = |edge: &Edge, target: usize| {
        let same = |found: &&Edge| {
            (found.choice, found.ticks) == (edge.choice, edge.ticks)
                && oracle.state_graph.state(oracle.state(found.target)) == states[target]
        };
        node = oracle.edges(node).iter().find(same).expect("a run with dates is no run").target;
        node
    };
    let mut begins = None;
    for (number, (at, edge)) in run.walk.steps.iter().enumerate() {
        assert_eq!(number as u32, *at);
        let edge = &run.timed.edges(*at)[*edge as usize];
        if run.walk.cycle == Some(number) {
            begins = Some(());
        }
        follow(edge, edge.target as usize);
    }
    // A cycle is one: it can be taken again, and leads back to the same clocks.
    if let (Some(()), Some(cycle)) = (begins, run.walk.cycle) {
        let mut after = Vec::new();
        for _ in 0..2 {
            let mut last = 0;
            for (at, edge) in &run.walk.steps[cycle..] {
                let edge = &run.timed.edges(*at)[*edge as usize];
                last = follow(edge, edge.target as usize);
            }
            after.push(last);
        }
        assert_eq!(after[0], after[1], "a cycle leads elsewhere");
    }
}

/// Compares a bound with that of the oracle; returns whether it is finite.
fn compare(
    found: super::ClassBound<'_>,
    expected: &Bound,
    cost: ClassCost,
    oracle: &Timed<'_>,
    what: &str,
) -> bool {
    match (&found.bound, expected) {
        (Bound::NeverBegins, Bound::NeverBegins) => false,
        (Bound::Infinite(_), Bound::Infinite(_)) => {
            if let (Bound::Infinite(walk), Some(timed)) = (found.bound, found.timed) {
                replays(&DatedRun { timed, walk }, oracle);
            }
            false
        }
        (Bound::Finite(one, _), Bound::Finite(two, _)) => {
            assert_eq!(one, two, "{what}");
            let Bound::Finite(value, walk) = found.bound else { return true };
            let timed = found.timed.expect("a finite bound is shown");
            let measured = walk.edges(&timed).skip(walk.begins).map(|edge| match cost {
                ClassCost::Time => u64::from(edge.ticks),
                ClassCost::Event(event) => u64::from(timed.count(edge, event)),
            });
            assert_eq!(measured.sum::<u64>(), value, "{what}");
            replays(&DatedRun { timed, walk }, oracle);
            true
        }
        (one, two) => panic!("{what}: {one:?} and not {two:?}"),
    }
}

/// A host with two reads outstanding, a DMA engine, two flash channels.
const READS: &str = include_str!("../../../../../bench/models/reads.pml");

fn time(over: i128, under: i128) -> Time {
    Time::new(over, under)
}

fn range(least: (i128, i128), most: (i128, i128)) -> Delay {
    Delay::Between(time(least.0, least.1), time(most.0, most.1))
}

/// Returns the least and the most time from a step to another, and the worst and the best throughput.
fn measured(classes: &Classes<'_>, from: u16, to: u16) -> ([Time; 2], [Time; 2]) {
    let ends = RequestEvents { from, to, both: u16::MAX, order: Order::Fifo };
    let change = |_: u32, step: &Step| classes.state_graph().change(ends, step);
    let span = Span::Request { ends, initially: Change::default(), change: &change };
    let bounds = [classes.least(span, ClassCost::Time), classes.most(span, ClassCost::Time)];
    let bounds = bounds.map(|found| match found.unwrap().bound {
        Bound::Finite(ticks, _) => classes.tick() * Time::from_integer(ticks.into()),
        other => panic!("{other:?}"),
    });
    let rates = [Extreme::Worst, Extreme::Best].map(|which| match classes.frequency(to, which).unwrap() {
        ClassFrequency::Every { count, ticks, beyond: None, .. } => {
            Time::new(count.into(), ticks.into()) / classes.tick()
        }
        other => panic!("{other:?}"),
    });
    (bounds, rates)
}

/// Reads of 45 to 75 us beside transfers of odd sizes: two reads at a time, one for each channel.
#[test]
fn odd_sizes_are_as_cheap_as_even_ones() {
    let system = system(READS);
    let mut sizes = Vec::new();
    for back in [time(2, 1), time(2048, 1000), time(4096, 1900), time(2, 1) + time(1, 1_000_003)] {
        let submit = time(1, 1);
        let delays = [
            ("host:submit", Delay::Fixed(submit)),
            ("dma:fetch", Delay::Fixed(time(2, 1))),
            ("channel:flash", range((45, 1), (75, 1))),
            ("dma:back", Delay::Fixed(back)),
        ];
        let timing = timing(&system, &delays, &["host:submit", "host:complete"]);
        with_classes(&system, &timing, |classes| {
            let ([least, most], [worst, best]) = measured(&classes, 0, 1);
            assert_eq!(least, time(47, 1) + back);
            assert_eq!(most, time(80, 1) + back);
            // At worst, reads come in pairs, and one waits for the transfer of the other; at best, none
            // waits.
            assert_eq!(worst, time(2, 1) / (time(77, 1) + back + back));
            assert_eq!(best, time(2, 1) / (time(48, 1) + back));
            sizes.push(classes.nodes());
        });
    }
    assert!(sizes.iter().all(|size| *size < 200), "{sizes:?}");
}

/// A pipeline of ten processes, each with a range of its own: two neighbours hand over when both are ready.
#[test]
fn ten_processes_with_a_range_each() {
    let mut text =
        "chan link[10] = [0] of { bit };\nactive proctype s0() { do :: work: link[1]!1 od }\n".to_owned();
    for stage in 1..9 {
        let next = stage + 1;
        let _ = writeln!(
            text,
            "active proctype s{stage}() {{ bit item; do :: link[{stage}]?item; work: link[{next}]!item od }}"
        );
    }
    text += "active proctype s9() { bit item; do :: link[9]?item; work: skip od }\n";
    let system = system(&text);
    let names: Vec<String> = (0..10).map(|stage| format!("s{stage}:work")).collect();
    let window = |stage: i128| range((30 + stage, 10), (500 + 37 * stage, 100));
    let delays: Vec<(&str, Delay)> = names.iter().map(String::as_str).zip((0..10).map(window)).collect();
    let timing = timing(&system, &delays, &["s0:work", "s9:work"]);
    with_classes(&system, &timing, |classes| {
        let ([least, most], [worst, best]) = measured(&classes, 0, 1);
        // At best, nothing ever waits on the way; the last two stages take turns.
        assert_eq!(least, (1..10).map(|stage| time(30 + stage, 10)).sum());
        assert_eq!(best, time(10, 38 + 39));
        assert_eq!(worst, time(100, 1000 + 37 * (8 + 9)));
        assert!(most > least);
    });
}

#[test]
fn agree_with_ticks_on_random_models() {
    let mut random = Random::new(11);
    let mut random = move |below: u64| random.below(below);
    let (mut finite, mut infinite, mut met, mut rates, mut shown) = (0, 0, [0; 3], 0, 0);
    for _ in 0..400 {
        let (text, given) = random_model(&mut random);
        if given.is_empty() {
            continue;
        }
        let system = system(&text);
        let given: Vec<(&str, Delay)> =
            given.iter().map(|(name, delay)| (name.as_str(), delay.clone())).collect();
        let event = given[random(given.len() as u64) as usize].0;
        let timing = timing(&system, &given, &[event]);
        let what = format!("{text}{given:?} {event}");
        with_view(&system, &timing, |oracle| {
            let Ok(oracle) = oracle else { return };
            with_classes(&system, &timing, |classes| {
                let by_state = |text: &str| {
                    let expr = predicate(&system, text);
                    let evaluator = Evaluator::new(&system);
                    let ours: Vec<bool> = (0..classes.state_graph().states())
                        .map(|state| evaluator.holds(&expr, &classes.state_graph().state(state)).unwrap())
                        .collect();
                    (ours, holds(&oracle, &system, &expr))
                };
                for (from, to) in [("x == 0", "x == 2"), ("x == 1", "y == 2"), ("true", "y == 1 && x == 1")] {
                    let ((from_ours, from), (to_ours, to)) = (by_state(from), by_state(to));
                    let nodes = [&from, &to].map(|states| oracle.by_node(states));
                    let between = Endpoints { from: &nodes[0], to: &nodes[1] };
                    let span = Span::Between { from: &from_ours, to: &to_ours };
                    for (cost, theirs) in
                        [(ClassCost::Time, Cost::Time), (ClassCost::Event(0), Cost::Event(0))]
                    {
                        let least = classes.least(span, cost).unwrap();
                        let is_finite = compare(least, &oracle.least(between, theirs), cost, &oracle, &what);
                        let most = classes.most(span, cost).unwrap();
                        let are_finite = compare(most, &oracle.most(between, theirs), cost, &oracle, &what);
                        finite += usize::from(is_finite) + usize::from(are_finite);
                        infinite += usize::from(!are_finite);
                    }
                }
                // From one event to the next.
                let ends = RequestEvents { from: 0, to: 0, both: 1, order: Order::Fifo };
                let (ours, theirs) = (classes.state_graph(), oracle.state_graph());
                let (change, their_change) = (
                    |_: u32, step: &Step| ours.change(ends, step),
                    |_: u32, step: &Step| theirs.change(ends, step),
                );
                let initially = Change::default();
                let span = Span::Request { ends, initially, change: &change };
                let followed =
                    oracle.follow(&Span::Request { ends, initially, change: &their_change }).unwrap();
                let between = Endpoints { from: &followed.begins, to: &followed.ends };
                let expected =
                    [followed.timed.least(between, Cost::Time), followed.timed.most(between, Cost::Time)];
                let found = [classes.least(span, ClassCost::Time), classes.most(span, ClassCost::Time)];
                for (found, expected) in found.into_iter().zip(&expected) {
                    compare(found.unwrap(), expected, ClassCost::Time, &oracle, &what);
                }
                for text in ["x == 1", "y == 2", "y == 1 && x == 1"] {
                    let (ours, theirs) = by_state(text);
                    let is_meant =
                        |node: u32, edge: &Edge| edge.ticks > 0 && theirs[oracle.state(node) as usize];
                    let expected = (oracle.reaching(is_meant).is_some(), oracle.avoiding(is_meant).is_some());
                    let (meets, (avoids, run)) = (classes.reaching(&ours), classes.avoiding(&ours).unwrap());
                    assert_eq!((meets.is_some(), avoids), expected, "{text} in {what}");
                    met[usize::from(meets.is_some()) + usize::from(meets.is_some() && !avoids)] += 1;
                    let takes = |run: &DatedRun<'_>| {
                        run.walk
                            .edges(&run.timed)
                            .zip(&run.timed.states)
                            .any(|(edge, state)| edge.ticks > 0 && ours[*state as usize])
                    };
                    if let Some(run) = meets {
                        assert!(takes(&run), "{text} in {what}");
                        replays(&run, &oracle);
                    }
                    if let Some(run) = run {
                        assert!(!takes(&run), "{text} in {what}");
                        replays(&run, &oracle);
                    }
                }
                for which in [Extreme::Best, Extreme::Worst] {
                    let expected = match oracle.frequency(Cost::Event(0), which) {
                        Frequency::Every { count, ticks, .. } => Some((count, ticks)),
                        Frequency::Ends(_) => Some((0, 1)),
                        Frequency::Infinite(_) => None,
                    };
                    let (found, run) = match classes.frequency(0, which).unwrap() {
                        ClassFrequency::Every { count, ticks, beyond, run } => {
                            assert_eq!(beyond, None);
                            (Some((count, ticks)), run)
                        }
                        ClassFrequency::Ends(run) => (Some((0, 1)), run),
                        ClassFrequency::Infinite(run) => (None, run),
                    };
                    let ratio = |(count, ticks): (u64, u64)| num_rational::Ratio::new(count, ticks);
                    assert_eq!(found.map(ratio), expected.map(ratio), "{which:?} in {what}");
                    rates += usize::from(found.is_some_and(|(count, _)| count > 0));
                    if let Some(run) = run {
                        replays(&run, &oracle);
                        if let (Some((count, ticks)), Some(cycle)) = (found, run.walk.cycle) {
                            let round = || run.walk.edges(&run.timed).skip(cycle);
                            let happens: u64 = round().map(|edge| u64::from(run.timed.count(edge, 0))).sum();
                            let takes: u64 = round().map(|edge| u64::from(edge.ticks)).sum();
                            assert_eq!(happens * ticks, count * takes, "{which:?} in {what}");
                            shown += 1;
                        }
                    }
                }
            });
        });
    }
    assert!(finite > 300 && infinite > 200, "{finite} {infinite}");
    assert!(met.iter().all(|count| *count > 30), "never, possible and inevitable: {met:?}");
    assert!(rates > 50 && shown > 50, "{rates} {shown}");
}
