//! Timed views of small models: known answers, and random models against a clock that ticks one by one.

use std::collections::{BTreeSet, HashMap};
use std::fmt::Write;
use std::ops::ControlFlow;

use narrows_explicit::{Budget, Unwatched};
use narrows_graph::Random;
use narrows_model::{Evaluator, Expr, Move, Scratch, StateSpace, System};

use super::activity::chain;
use super::bounds::{Bound, Cost, Endpoints};
use super::ratio::{Extreme, Frequency};
use super::{Edge, Timed, Walk, build, build_untimed};
use crate::samples::{predicate, system, timing};
use crate::{BuildError, Delay, StateGraph, Time, Timing};

fn fixed(ticks: i128) -> Delay {
    Delay::Fixed(Time::from_integer(ticks))
}

pub(super) fn between(least: i128, most: i128) -> Delay {
    Delay::Between(Time::from_integer(least), Time::from_integer(most))
}

pub(super) fn with_view<R>(
    system: &System,
    timing: &Timing,
    use_it: impl FnOnce(Result<Timed<'_>, BuildError>) -> R,
) -> R {
    let evaluator = Evaluator::new(system);
    let state_graph =
        StateGraph::new(&evaluator, Some(system), timing, Budget::unlimited(Unwatched)).unwrap();
    use_it(if timing.delays().is_empty() { build_untimed(state_graph) } else { build(state_graph).unwrap() })
}

pub(super) fn holds(timed: &Timed<'_>, system: &System, expr: &Expr) -> Vec<bool> {
    let evaluator = Evaluator::new(system);
    (0..timed.state_graph().states())
        .map(|state| evaluator.holds(expr, &timed.state_graph().state(state)).unwrap())
        .collect()
}

fn value(bound: &Bound) -> Option<u64> {
    match bound {
        Bound::Finite(value, _) => Some(*value),
        _ => None,
    }
}

/// Returns the least and the most time, in ticks; `None` is infinity.
fn delays(timed: &Timed<'_>, system: &System, from: &str, to: &str) -> (Option<u64>, Option<u64>) {
    let (from, to) = (predicate(system, from), predicate(system, to));
    let (from, to) = (holds(timed, system, &from), holds(timed, system, &to));
    let nodes = [&from, &to].map(|states| timed.by_node(states));
    let between = Endpoints { from: &nodes[0], to: &nodes[1] };
    let (least, most) = (timed.least(between, Cost::Time), timed.most(between, Cost::Time));
    for bound in [&least, &most] {
        if let Bound::Finite(value, walk) = bound {
            assert_eq!(measured(timed, walk), *value);
            ends_well(timed, walk, &from, &to);
        }
    }
    (value(&least), value(&most))
}

/// Adds up the ticks of what a run measures.
fn measured(timed: &Timed<'_>, walk: &Walk) -> u64 {
    walk.edges(timed).skip(walk.begins).map(|edge| u64::from(edge.ticks)).sum()
}

/// Makes sure that a run is one, from where it should begin to where it should end.
fn ends_well(timed: &Timed<'_>, walk: &Walk, from: &[bool], to: &[bool]) {
    let mut node = 0;
    for (number, (at, edge)) in walk.steps.iter().enumerate() {
        assert_eq!(node, *at);
        assert!(number != walk.begins || from[timed.state(node) as usize]);
        assert!(number < walk.begins || !to[timed.state(node) as usize]);
        node = timed.edges(node)[*edge as usize].target;
    }
    assert!(to[timed.state(node) as usize]);
}

const PIPELINE: &str = "
byte stored, sent; chan room = [SIZE] of { bit };
active proctype load() { do :: loaded: room!1; stored = (stored + 1) % 4 od }
active proctype send() { bit item; do :: nempty(room) -> done: room?item; sent = (sent + 1) % 4 od }";

fn throughput(size: &str, first: i128, second: i128, which: Extreme) -> (u64, u64) {
    let system = system(&PIPELINE.replace("SIZE", size));
    let timing =
        timing(&system, &[("load:loaded", fixed(first)), ("send:done", fixed(second))], &["send:done"]);
    with_view(&system, &timing, |timed| {
        let timed = timed.unwrap();
        let per_tick = timed.tick().unwrap();
        match timed.frequency(Cost::Event(0), which) {
            Frequency::Every { count, ticks, walk } => {
                let round = || walk.edges(&timed).skip(walk.cycle.unwrap());
                assert_eq!(round().map(|edge| u64::from(edge.ticks)).sum::<u64>(), ticks);
                assert_eq!(round().map(|edge| u64::from(timed.count(edge, 0))).sum::<u64>(), count);
                let time =
                    per_tick * Time::from_integer(i128::from(ticks)) / Time::from_integer(i128::from(count));
                (1, time.to_integer() as u64)
            }
            other => panic!("{other:?}"),
        }
    })
}

#[test]
fn buffers_decide_between_sum_and_maximum() {
    for which in [Extreme::Best, Extreme::Worst] {
        assert_eq!(throughput("2", 248, 205, which), (1, 248));
        assert_eq!(throughput("2", 100, 300, which), (1, 300));
        assert_eq!(throughput("1", 100, 300, which), (1, 300 + 100));
    }
}

#[test]
fn ranges_give_a_best_and_a_worst_case() {
    let system = system("byte x; active proctype p() { a: x = 1; b: x = 2; x = 3 }");
    let timing = timing(&system, &[("p:a", between(2, 5)), ("p:b", between(1, 10))], &[]);
    with_view(&system, &timing, |timed| {
        let timed = timed.unwrap();
        assert_eq!(delays(&timed, &system, "x == 0", "x == 3"), (Some(3), Some(15)));
        assert_eq!(delays(&timed, &system, "x == 1", "x == 2"), (Some(1), Some(10)));
        assert_eq!(delays(&timed, &system, "x == 3", "x == 1"), (None, None));
        assert_eq!(delays(&timed, &system, "x >= 2", "x == 3"), (Some(0), Some(0)));
    });
}

#[test]
fn who_is_faster_wins() {
    let text = "byte x; active proctype p() { a: x = 1 } active proctype q() { b: x = 2 }";
    let system = system(text);
    let timing = timing(&system, &[("p:a", fixed(3)), ("q:b", fixed(4))], &[]);
    with_view(&system, &timing, |timed| {
        let timed = timed.unwrap();
        assert_eq!(delays(&timed, &system, "x == 0", "x == 2"), (Some(4), Some(4)));
        assert_eq!(delays(&timed, &system, "x == 0", "x == 1"), (Some(3), Some(3)));
    });
}

#[test]
fn a_clock_is_kept_while_enabled_and_lost_otherwise() {
    let text = "bit open = 1; byte x;
        active proctype gate() { do :: t: open = !open od }
        active proctype p() { a: open -> x = 1 }";
    let system = system(text);
    // The gate closes before p is done, again and again: its clock starts anew each time.
    let never = timing(&system, &[("gate:t", fixed(2)), ("p:a", fixed(3))], &[]);
    with_view(&system, &never, |timed| {
        let timed = timed.unwrap();
        assert_eq!(delays(&timed, &system, "x == 0", "x == 1"), (None, None));
    });
    let soon = timing(&system, &[("gate:t", fixed(3)), ("p:a", fixed(2))], &[]);
    with_view(&system, &soon, |timed| {
        let timed = timed.unwrap();
        // It takes no time from the condition to the assignment.
        assert_eq!(delays(&timed, &system, "x == 0", "x == 1"), (Some(0), Some(2)));
    });
}

#[test]
fn busy_waiting_is_waiting() {
    let text = "bit ready; byte got;
        active proctype engine() { do :: !ready -> done: ready = 1 od }
        active proctype main() { do :: ready -> ready = 0; got = 1 - got :: else -> skip; skip od }";
    let system = system(text);
    let timing = timing(&system, &[("engine:done", fixed(7))], &["engine:done"]);
    with_view(&system, &timing, |timed| {
        let timed = timed.unwrap();
        assert_eq!(delays(&timed, &system, "got == 0", "got == 1"), (Some(0), Some(1)));
        for which in [Extreme::Best, Extreme::Worst] {
            let found = timed.frequency(Cost::Event(0), which);
            assert!(matches!(found, Frequency::Every { count, ticks, .. } if count == ticks), "{found:?}");
        }
    });
}

#[test]
fn time_that_stands_still_is_found() {
    let text =
        "bit x; active proctype p() { do :: x = !x od } active proctype q() { x == 1 -> a: x == 1 -> skip }";
    let system = system(text);
    let timing = timing(&system, &[("q:a", fixed(5))], &[]);
    with_view(&system, &timing, |timed| match timed {
        Err(BuildError::Zeno(choices, begins)) => assert!(begins < choices.len()),
        other => panic!("{other:?}"),
    });
}

#[test]
fn both_sides_of_a_rendezvous_are_one_too_many() {
    let text = "chan c = [0] of { bit }; active proctype p() { a: c!1 } active proctype q() { b: c?1 }";
    let system = system(text);
    let one = timing(&system, &[("q:b", fixed(5))], &["p:a"]);
    with_view(&system, &one, |timed| assert_eq!(timed.unwrap().edges(0)[0].ticks, 1));
    let both = timing(&system, &[("p:a", fixed(1)), ("q:b", fixed(5))], &[]);
    let evaluator = Evaluator::new(&system);
    let mut state_graph =
        StateGraph::new(&evaluator, Some(&system), &both, Budget::unlimited(Unwatched)).unwrap();
    assert!(matches!(state_graph.expand(0), Err(BuildError::TwoDelays(..))));
}

#[test]
fn steps_and_states_are_counted_without_delays() {
    let text = "byte x; active proctype p() { do :: x < 5 -> x++ :: x == 5 -> x = 0 od }";
    let system = system(text);
    let timing = Timing::new(&system);
    with_view(&system, &timing, |timed| {
        let timed = timed.unwrap();
        // Each round of the loop is two steps.
        assert_eq!(delays(&timed, &system, "x == 1", "x == 4"), (Some(5), Some(6)));
        let (from, to) = (predicate(&system, "x == 1"), predicate(&system, "x == 4"));
        let (from, to) = (holds(&timed, &system, &from), holds(&timed, &system, &to));
        let counted = holds(&timed, &system, &predicate(&system, "x == 2"));
        let nodes = [&from, &to].map(|states| timed.by_node(states));
        let between = Endpoints { from: &nodes[0], to: &nodes[1] };
        assert_eq!(value(&timed.most(between, Cost::While(&counted))), Some(2));
    });
}

#[test]
fn a_chain_of_delays_is_what_a_round_waits_for() {
    // One fills, the other empties, with room for one: while one works, the other waits.
    let text = "byte n; active proctype fill() { do :: f: atomic { n == 0 -> n = 1 } od }
                active proctype drain() { do :: d: atomic { n == 1 -> n = 0 } od }";
    let system = system(text);
    let timing = timing(&system, &[("fill:f", fixed(3)), ("drain:d", fixed(2))], &["drain:d"]);
    with_view(&system, &timing, |timed| {
        let timed = timed.unwrap();
        let Frequency::Every { count, ticks, walk } = timed.frequency(Cost::Event(0), Extreme::Best) else {
            panic!("it goes round");
        };
        assert_eq!((count, ticks, walk.period(&timed)), (1, 5, 5));
        let long = walk.unrolled(4);
        let activities = long.activities(&timed);
        let spans: Vec<(u16, u64, u64)> =
            activities.iter().map(|one| (one.delay, one.start, one.end)).take(4).collect();
        assert_eq!(spans, [(0, 0, 3), (1, 3, 5), (0, 5, 8), (1, 8, 10)]);
        let waits = chain(&activities, (5, 10));
        let waits: Vec<(u16, u64)> =
            waits.iter().map(|(number, ticks)| (activities[*number].delay, *ticks)).collect();
        assert_eq!(waits, [(0, 3), (1, 2)]);
        let full = holds(&timed, &system, &predicate(&system, "n == 1"));
        assert_eq!(long.parts(&timed, |state| full[state as usize])[..2], [(3, 5), (8, 10)]);
        let busy = timed.frequency(Cost::While(&full), Extreme::Worst);
        assert!(matches!(busy, Frequency::Every { count: 2, ticks: 5, .. }), "{busy:?}");
    });
}

/// A clock that ticks one by one: what can be reached, and the least and most ticks from one predicate to
/// another.
struct Naive<'s> {
    evaluator: Evaluator<'s>,
    windows: HashMap<(u16, u32), (u32, u32)>,
}

type Moment = (Vec<u8>, Vec<(u8, u32)>);

/// For each moment, what comes next: ticks, and the number of a moment.
type Next = Vec<Vec<(u32, usize)>>;

impl Naive<'_> {
    fn steps(&self, state: &[u8]) -> Vec<(Vec<Move>, Vec<u8>)> {
        let mut found = Vec::new();
        self.evaluator.successors(state, &mut Scratch::default(), &mut |successor| {
            found.push((successor.moves.to_vec(), successor.target.unwrap().to_vec()));
            ControlFlow::Continue(())
        });
        found
    }

    fn delay(&self, moves: &[Move]) -> Option<(u8, (u32, u32))> {
        let first = moves.first()?;
        let window = self.windows.get(&(first.proctype.0, first.transition.0))?;
        Some((first.pid, *window))
    }

    /// Drops the clocks of delays that do not run, and starts those that do.
    fn settle(&self, state: &[u8], old: &[(u8, u32)], moves: &[Move]) -> Vec<(u8, u32)> {
        let running: BTreeSet<u8> =
            self.steps(state).iter().filter_map(|(moves, _)| Some(self.delay(moves)?.0)).collect();
        let kept =
            |pid: u8| old.iter().find(|(other, _)| *other == pid && moves.iter().all(|step| step.pid != pid));
        running.iter().map(|pid| (*pid, kept(*pid).map_or(0, |(_, ticks)| *ticks))).collect()
    }

    fn next(&self, (state, clocks): &Moment) -> Vec<(u32, Moment)> {
        let steps = self.steps(state);
        let mut found = Vec::new();
        for (moves, target) in steps.iter().filter(|(moves, _)| self.delay(moves).is_none()) {
            found.push((0, (target.clone(), self.settle(target, clocks, moves))));
        }
        if !found.is_empty() {
            return found;
        }
        let clock = |pid: u8| clocks.iter().find(|(other, _)| *other == pid).map_or(0, |(_, ticks)| *ticks);
        let mut may_wait = !clocks.is_empty();
        for (moves, target) in &steps {
            let Some((pid, (least, most))) = self.delay(moves) else { continue };
            if clock(pid) >= least {
                found.push((0, (target.clone(), self.settle(target, clocks, moves))));
            }
            may_wait &= clock(pid) < most;
        }
        if may_wait {
            let later = clocks.iter().map(|(pid, ticks)| (*pid, ticks + 1)).collect();
            found.push((1, (state.clone(), later)));
        }
        found
    }

    /// Returns everything that can be reached, what leads from where to where, and what is entered by a step.
    fn graph(&self) -> (Vec<Moment>, Next, Vec<bool>) {
        let (initial, _) = self.evaluator.initial().unwrap();
        let clocks = self.settle(&initial, &[], &[]);
        let mut numbers: HashMap<Moment, usize> = HashMap::new();
        let mut moments = vec![(initial, clocks)];
        numbers.insert(moments[0].clone(), 0);
        let mut edges: Vec<Vec<(u32, usize)>> = Vec::new();
        let mut is_entered = vec![true];
        while edges.len() < moments.len() {
            let next = self.next(&moments[edges.len()]);
            let mut row = Vec::new();
            for (ticks, moment) in next {
                let number = *numbers.entry(moment.clone()).or_insert_with(|| {
                    moments.push(moment);
                    is_entered.push(false);
                    moments.len() - 1
                });
                is_entered[number] |= ticks == 0;
                row.push((ticks, number));
            }
            edges.push(row);
        }
        (moments, edges, is_entered)
    }

    /// Returns whether something ever holds while time passes, and whether a run avoids that for ever.
    fn meets(&self, expr: &Expr) -> (bool, bool) {
        let (moments, edges, _) = self.graph();
        let holds: Vec<bool> =
            moments.iter().map(|(state, _)| self.evaluator.holds(expr, state).unwrap()).collect();
        let is_met = |moment: usize, ticks: u32| ticks > 0 && holds[moment];
        let meets =
            (0..moments.len()).any(|moment| edges[moment].iter().any(|(ticks, _)| is_met(moment, *ticks)));
        // How many ticks can pass without it, up to more than there are moments; a run that stops has all the
        // time.
        let infinite = moments.len() as u32 + 1;
        let mut without: Vec<u32> =
            edges.iter().map(|row| if row.is_empty() { infinite } else { 0 }).collect();
        loop {
            let before = without.clone();
            for moment in 0..moments.len() {
                for (ticks, next) in edges[moment].iter().filter(|(ticks, _)| !is_met(moment, *ticks)) {
                    without[moment] = without[moment].max((ticks + without[*next]).min(infinite));
                }
            }
            if without == before {
                return (meets, without[0] == infinite);
            }
        }
    }

    /// Returns the least and the most ticks, by repeating until nothing changes; `None` is infinity.
    fn delays(&self, from: &Expr, to: &Expr) -> (Option<u32>, Option<u32>) {
        // A way begins when a state is entered, not while time passes there.
        let (moments, edges, is_entered) = self.graph();
        let at = |expr: &Expr| -> Vec<bool> {
            moments.iter().map(|(state, _)| self.evaluator.holds(expr, state).unwrap()).collect()
        };
        let (from, to) = (at(from), at(to));
        let infinite = 100_000;
        let mut least: Vec<u32> = to.iter().map(|to| if *to { 0 } else { infinite }).collect();
        let mut most: Vec<u32> = to.iter().map(|_| 0).collect();
        // Long enough for every way without a cycle; what grows on is infinite.
        for round in 0..moments.len() * 2 + 2 {
            for moment in (0..moments.len()).filter(|moment| !to[*moment]) {
                for (ticks, next) in &edges[moment] {
                    least[moment] = least[moment].min(ticks + least[*next]);
                    let longer = ticks + most[*next];
                    if longer > most[moment] {
                        most[moment] = if round > moments.len() { infinite } else { longer.min(infinite) };
                    }
                }
                if edges[moment].is_empty() {
                    most[moment] = infinite;
                }
            }
        }
        let starts = || (0..moments.len()).filter(|moment| from[*moment] && is_entered[*moment]);
        let finite = |ticks: Option<u32>| ticks.filter(|ticks| *ticks < infinite);
        (finite(starts().map(|start| least[start]).min()), finite(starts().map(|start| most[start]).max()))
    }
}

/// Writes processes that set variables, wait for each other, and have delays at some of their statements.
pub(super) fn random_model(random: &mut dyn FnMut(u64) -> u64) -> (String, Vec<(String, Delay)>) {
    let mut text = "byte x, y;\n".to_owned();
    let mut given = Vec::new();
    for process in 0..2 + random(2) {
        let _ = writeln!(text, "active proctype p{process}() {{");
        for statement in 0..2 + random(3) {
            let _ = write!(text, "  l{statement}: ");
            text += match random(6) {
                0 => "x = (x + 1) % 3;\n",
                1 => "y = (y + 1) % 3;\n",
                2 => "atomic { x > 0 -> x-- };\n",
                3 => "y != x;\n",
                4 => "if :: y = 0 :: x = 2 fi;\n",
                _ => "x = y;\n",
            };
            if random(3) > 0 {
                let least = random(4) as i128;
                let most = (least + random(3) as i128).max(1);
                given.push((format!("p{process}:l{statement}"), between(least, most)));
            }
        }
        // A loop without a delay would let no time pass.
        let has_delay =
            given.iter().any(|(name, _): &(String, Delay)| name.starts_with(&format!("p{process}:")));
        text += if random(2) == 0 && has_delay { "  goto l0\n}\n" } else { "  skip\n}\n" };
    }
    (text, given)
}

#[test]
fn agrees_with_a_clock_that_ticks() {
    let mut random = Random::new(7);
    let mut random = move |below: u64| random.below(below);
    let (mut finite, mut infinite, mut met) = (0, 0, [0; 3]);
    for _ in 0..300 {
        let (text, given) = random_model(&mut random);
        let system = system(&text);
        let given: Vec<(&str, Delay)> =
            given.iter().map(|(name, delay)| (name.as_str(), delay.clone())).collect();
        if given.is_empty() {
            continue;
        }
        let timing = timing(&system, &given, &[]);
        with_view(&system, &timing, |timed| {
            let Ok(timed) = timed else { return };
            let tick = timed.tick().unwrap();
            let mut windows = HashMap::new();
            for (name, delay) in &given {
                let (proctype, label) = name.split_once(':').unwrap();
                for site in Timing::sites(&system, proctype, label) {
                    let (least, most) = delay.window().unwrap();
                    let key = (site.proctype.0, site.transition.0);
                    windows.insert(key, (least.to_integer() as u32, most.to_integer() as u32));
                }
            }
            let naive = Naive { evaluator: Evaluator::new(&system), windows };
            for (from, to) in [("x == 0", "x == 2"), ("x == 1", "y == 2"), ("true", "y == 1 && x == 1")] {
                let found = delays(&timed, &system, from, to);
                let in_units = |ticks: Option<u64>| {
                    ticks.map(|ticks| (tick * Time::from_integer(i128::from(ticks))).to_integer() as u32)
                };
                let found = (in_units(found.0), in_units(found.1));
                let expected = naive.delays(&predicate(&system, from), &predicate(&system, to));
                assert_eq!(found, expected, "{from} to {to} in\n{text}{given:?}");
                finite += usize::from(found.1.is_some());
                infinite += usize::from(found.1.is_none());
            }
            for text in ["x == 1", "y == 2", "y == 1 && x == 1"] {
                let expr = predicate(&system, text);
                let holds = holds(&timed, &system, &expr);
                let is_meant = |node: u32, edge: &Edge| edge.ticks > 0 && holds[timed.state(node) as usize];
                let (meets, avoids) = (timed.reaching(is_meant), timed.avoiding(is_meant));
                assert_eq!((meets.is_some(), avoids.is_some()), naive.meets(&expr), "{text} in {given:?}");
                let takes = |walk: &Walk| {
                    walk.steps.iter().any(|(node, edge)| is_meant(*node, &timed.edges(*node)[*edge as usize]))
                };
                assert!(meets.as_ref().is_none_or(takes) && !avoids.as_ref().is_some_and(takes));
                met[usize::from(meets.is_some()) + usize::from(meets.is_some() && avoids.is_none())] += 1;
            }
        });
    }
    assert!(finite > 50 && infinite > 50, "{finite} {infinite}");
    assert!(met.iter().all(|count| *count > 30), "never, possible and inevitable: {met:?}");
}
