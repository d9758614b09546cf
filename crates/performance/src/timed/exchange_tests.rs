//! Views in which equal processes are exchanged with their clocks, against views of all states.

use narrows_explicit::{Asked, Budget, Symmetry, Unwatched};
use narrows_graph::Random;
use narrows_model::{Evaluator, Expr, System};

use super::bounds::{Bound, Cost, Endpoints};
use super::classes::{ClassBound, ClassCost, ClassFrequency, Classes};
use super::ratio::{Extreme, Frequency};
use super::tests::random_model;
use super::{FollowError, Span, Timed, build_within};
use crate::requests::{Change, Order, RequestEvents};
use crate::samples::{drive, predicate, system, timing};
use crate::{BuildError, Delay, StateGraph, Step, Time, Timing};

const PAIRS: [(&str, &str); 3] = [("x == 0", "x == 2"), ("x == 1", "y == 2"), ("true", "y == 1 && x == 1")];

/// What a bound comes to.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Value {
    NeverBegins,
    Finite(u64),
    Infinite,
}

/// What a view says: the least and the most times, and how often an event happens at worst and at best, each
/// as a quotient; `None` is infinite.
#[derive(Debug, PartialEq)]
struct Said {
    bounds: Vec<Value>,
    rates: Vec<Option<(u64, u64)>>,
}

fn value(bound: &Bound) -> Value {
    match bound {
        Bound::NeverBegins => Value::NeverBegins,
        Bound::Finite(value, _) => Value::Finite(*value),
        Bound::Infinite(_) => Value::Infinite,
    }
}

fn reduced((count, ticks): (u64, u64)) -> (u64, u64) {
    let ratio = num_rational::Ratio::new(count, ticks);
    (*ratio.numer(), *ratio.denom())
}

/// What is asked about a model.
struct Questions<'q> {
    system: &'q System,
    exprs: Vec<[Expr; 2]>,
    /// Requests from the first event to the second, in any order that is the same for all processes.
    requests: Option<RequestEvents>,
}

impl Questions<'_> {
    fn holds(&self, graph: &StateGraph<'_>, expr: &Expr) -> Vec<bool> {
        let evaluator = Evaluator::new(self.system);
        (0..graph.states()).map(|state| evaluator.holds(expr, &graph.state(state)).unwrap()).collect()
    }

    fn of_ticks(&self, timed: &Timed<'_>) -> Said {
        let mut bounds = Vec::new();
        for pair in &self.exprs {
            let [from, to] =
                pair.each_ref().map(|expr| timed.by_node(&self.holds(timed.state_graph(), expr)));
            let between = Endpoints { from: &from, to: &to };
            bounds.push(value(&timed.least(between, Cost::Time)));
            bounds.push(value(&timed.most(between, Cost::Time)));
            bounds.push(value(&timed.most(between, Cost::Event(0))));
        }
        if let Some(ends) = self.requests {
            let change = |_: u32, step: &Step| timed.state_graph().change(ends, step);
            let span = Span::Request { ends, initially: Change::default(), change: &change };
            let followed = timed.follow(&span).unwrap();
            let between = Endpoints { from: &followed.begins, to: &followed.ends };
            bounds.push(value(&followed.timed.least(between, Cost::Time)));
            bounds.push(value(&followed.timed.most(between, Cost::Time)));
        }
        let rate = |which| match timed.frequency(Cost::Event(0), which) {
            Frequency::Every { count, ticks, .. } => Some(reduced((count, ticks))),
            Frequency::Ends(_) => Some((0, 1)),
            Frequency::Infinite(_) => None,
        };
        Said { bounds, rates: [Extreme::Worst, Extreme::Best].map(rate).into() }
    }

    /// Asks state classes; where they are too many, and where rates are only bracketed, what is exact counts.
    fn of_classes(&self, classes: &Classes<'_>, exact: &Said) -> Said {
        let graph = classes.state_graph();
        let mut bounds = Vec::new();
        let mut add = |span: Span<'_>, has_count: bool| {
            let mut push = |found: Result<ClassBound<'_>, FollowError>| {
                let known = exact.bounds[bounds.len()];
                bounds.push(found.map_or(known, |found| value(&found.bound)));
            };
            push(classes.least(span, ClassCost::Time));
            push(classes.most(span, ClassCost::Time));
            if has_count {
                push(classes.most(span, ClassCost::Event(0)));
            }
        };
        for pair in &self.exprs {
            let [from, to] = pair.each_ref().map(|expr| self.holds(graph, expr));
            add(Span::Between { from: &from, to: &to }, true);
        }
        if let Some(ends) = self.requests {
            let change = |_: u32, step: &Step| graph.change(ends, step);
            add(Span::Request { ends, initially: Change::default(), change: &change }, false);
        }
        let mut rates = Vec::new();
        for (which, exact) in [Extreme::Worst, Extreme::Best].into_iter().zip(&exact.rates) {
            rates.push(match classes.frequency(0, which) {
                Ok(ClassFrequency::Every { count, ticks, beyond: None, .. }) => Some(reduced((count, ticks))),
                Ok(ClassFrequency::Every { beyond: Some((count, ticks)), .. }) => {
                    let (over, under) = exact.unwrap();
                    let is_less = over * ticks <= count * under;
                    assert_eq!(is_less, which == Extreme::Best || over * ticks == count * under);
                    *exact
                }
                Ok(ClassFrequency::Ends(_)) => Some((0, 1)),
                Ok(ClassFrequency::Infinite(_)) => None,
                // There was no end: that is allowed.
                Err(_) => *exact,
            });
        }
        Said { bounds, rates }
    }
}

/// Larger views are not compared.
const MAX_EDGES: usize = 40_000;
const MAX_CLASSES: usize = 300;

/// How many models were compared, and in how many there was less to look at.
#[derive(Debug, Default)]
struct Tally {
    ticks: u32,
    fewer: u32,
    classes: u32,
    fewer_classes: u32,
}

/// Compares views with and without exchanges.
fn compare(system: &System, timing: &Timing, questions: &Questions<'_>, what: &str, tally: &mut Tally) {
    let evaluator = Evaluator::new(system);
    let exprs: Vec<&Expr> = questions.exprs.iter().flatten().collect();
    let label = |proctype, transition| timing.label_of(proctype, transition);
    let asked = Asked { exprs: &exprs, label: &label, ..Asked::NOTHING };
    let Ok(symmetry) = Symmetry::find(evaluator, &asked) else { return };
    let meant = if symmetry.forgets() { evaluator.forgetting() } else { evaluator };
    let rows = || StateGraph::new(&meant, Some(system), timing, Budget::unlimited(Unwatched)).unwrap();
    let Ok(Some(full)) = build_within(rows(), MAX_EDGES).unwrap() else { return };
    let once = match build_within(rows().exchanging(&symmetry), MAX_EDGES).unwrap() {
        Ok(once) => once.expect("no more edges than without"),
        Err(BuildError::Entangled) => return,
        Err(error) => panic!("{error:?} in {what}"),
    };
    let expected = questions.of_ticks(&full);
    assert_eq!(questions.of_ticks(&once), expected, "{what}");
    assert!(once.nodes() <= full.nodes(), "{what}");
    tally.ticks += 1;
    tally.fewer += u32::from(once.nodes() < full.nodes());
    let Some(all) = Classes::build(rows(), MAX_CLASSES).unwrap().unwrap() else { return };
    let classes = Classes::build(rows().exchanging(&symmetry), usize::MAX).unwrap().unwrap().unwrap();
    assert_eq!(questions.of_classes(&classes, &expected), expected, "classes of {what}");
    tally.classes += 1;
    tally.fewer_classes += u32::from(classes.nodes() < all.nodes());
}

#[test]
fn random_processes_that_are_equal() {
    let mut random = Random::new(5);
    let mut random = move |below: u64| random.below(below);
    let mut tally = Tally::default();
    for _ in 0..120 {
        let (text, given) = random_model(&mut random);
        if given.is_empty() {
            continue;
        }
        let copies = format!("active [{}] proctype p0", 2 + random(2));
        let text = text.replace("active proctype p0", &copies);
        let system = system(&text);
        let given: Vec<(&str, Delay)> =
            given.iter().map(|(name, delay)| (name.as_str(), delay.clone())).collect();
        let event = given[random(given.len() as u64) as usize].0;
        let timing = timing(&system, &given, &[event]);
        let exprs = PAIRS.map(|(from, to)| [predicate(&system, from), predicate(&system, to)]).into();
        let questions = Questions { system: &system, exprs, requests: None };
        compare(&system, &timing, &questions, &format!("{text}{given:?}"), &mut tally);
    }
    assert!(tally.ticks > 40 && tally.fewer > 20, "{tally:?}");
    assert!(tally.classes >= 25 && tally.fewer_classes > 8, "{tally:?}");
}

#[test]
fn drives_whose_channels_are_equal() {
    let mut random = Random::new(9);
    let mut tally = Tally::default();
    for number in 0..16 {
        let (text, channels) = drive(&mut random);
        let system = system(&text);
        let time = |random: &mut Random| Time::from_integer(random.between(1, 4) as i128);
        let delays = ["slot:submit", "engine:fetch", "engine:back", "channel:flash"].map(|name| {
            let least = time(&mut random);
            let has_range = number % 2 == 0 && name == "channel:flash";
            let delay = if has_range {
                Delay::Between(least, least + time(&mut random))
            } else {
                Delay::Fixed(least)
            };
            (name, delay)
        });
        let mut timing = timing(&system, &delays, &["slot:complete", "slot:submit"]);
        timing.weights(&Timing::sites(&system, "engine", "page"), &vec![1; channels]);
        let requests = Some(RequestEvents { from: 1, to: 0, both: u16::MAX, order: Order::Fifo });
        let questions = Questions { system: &system, exprs: Vec::new(), requests };
        compare(&system, &timing, &questions, &format!("{text}{delays:?}"), &mut tally);
    }
    assert!(tally.ticks > 6 && tally.fewer == tally.ticks, "{tally:?}");
    assert!(tally.classes > 2 && tally.fewer_classes > 2, "{tally:?}");
}
