//! Simulation against exact answers.

use narrows_explicit::{Budget, Unwatched};
use narrows_model::{Evaluator, System, WideVariable};

use super::{
    Channel, Draw, Effort, Gain, Mark, Passage, Quantity, Requests, Scene, Simulated, StateValue, passage,
    simulate, transient,
};
use crate::requests::Order;
use crate::samples::{predicate, system, timing};
use crate::{Delay, Time, Timing};

const MM1K: &str = "byte n; active proctype source() { do :: arrive: n < 5 -> n++ od }
active proctype server() { do :: serve: n > 0 -> n-- od }";

fn time(number: i128) -> Time {
    Time::from_integer(number)
}

fn budget(threads: usize) -> Budget {
    Budget { threads, ..Budget::unlimited(Unwatched) }
}

fn effort(seed: u64, accuracy: f64) -> Effort {
    Effort { accuracy, events: 1 << 24, seed }
}

/// A model, its delays and what is counted.
struct Case {
    system: System,
    timing: Timing,
    predicates: Vec<&'static str>,
    requests: Vec<Requests>,
    rewards: Vec<Gain>,
    target: Option<Mark>,
    level: Option<usize>,
}

impl Case {
    fn new(text: &str, delays: &[(&str, Delay)], events: &[&str], predicates: &[&'static str]) -> Case {
        let system = system(text);
        let timing = timing(&system, delays, events);
        let predicates = predicates.to_vec();
        let (requests, rewards, target, level) = (Vec::new(), Vec::new(), None, None);
        Case { system, timing, predicates, requests, rewards, target, level }
    }

    fn with_scene<T>(&self, draw: Draw, work: impl FnOnce(&Scene<'_>) -> T) -> T {
        let evaluator = Evaluator::new(&self.system);
        let exprs: Vec<_> = self.predicates.iter().map(|text| predicate(&self.system, text)).collect();
        let value = |expr| -> StateValue<'_> {
            Box::new(move |state| evaluator.holds(expr, state).map(|holds| f64::from(u8::from(holds))))
        };
        let mut values: Vec<StateValue<'_>> = exprs.iter().map(value).collect();
        if self.level.is_some() {
            // The first variable.
            values.push(Box::new(move |state| Ok(f64::from(evaluator.describe(state).globals[0].number))));
        }
        let (timing, requests) = (&self.timing, self.requests.clone());
        let wide = self.system.wide_variables();
        let size = |one: &WideVariable| -> StateValue<'_> {
            let value = one.value.clone();
            Box::new(move |state| evaluator.observe(state).value(&value).map(f64::from))
        };
        let sizes = wide.iter().map(size).collect();
        work(&Scene {
            space: &evaluator,
            system: Some(&self.system),
            timing,
            draw,
            rename: None,
            values,
            requests,
            rewards: self.rewards.clone(),
            target: self.target,
            sizes,
            level: self.level,
            symmetry: None,
            by_process: false,
        })
    }

    fn simulate(&self, draw: Draw, asked: &[Quantity], effort: Effort, threads: usize) -> Simulated {
        self.with_scene(draw, |scene| simulate(scene, asked, effort, &budget(threads)).unwrap())
    }
}

fn exponential(mean: i128) -> Delay {
    Delay::Exponential(time(mean))
}

/// Mean arrivals every 4, mean service 3.
fn queue() -> Case {
    let delays = [("source:arrive", exponential(4)), ("server:serve", exponential(3))];
    let mut case =
        Case::new(MM1K, &delays, &["source:arrive", "server:serve"], &["n > 0", "n == 0", "n == 2"]);
    case.requests = vec![Requests { kinds: vec![[Mark::Event(0), Mark::Event(1)]], order: Order::Fifo }];
    case
}

/// The probabilities of 0 to 5 in the queue.
fn queue_lengths() -> Vec<f64> {
    let powers: Vec<f64> = (0..6).map(|n| 0.75f64.powi(n)).collect();
    let sum: f64 = powers.iter().sum();
    powers.iter().map(|power| power / sum).collect()
}

/// What is asked of the queue, with the exact answers.
fn queue_answers() -> Vec<(Quantity, f64)> {
    let lengths = queue_lengths();
    let throughput = (1.0 - lengths[0]) / 3.0;
    let open: f64 = lengths.iter().enumerate().map(|(n, p)| n as f64 * p).sum();
    vec![
        (Channel::Event(1).often(), throughput),
        (Channel::Value(0).often(), 1.0 - lengths[0]),
        (Quantity::Ratio(Channel::Times(0), Channel::Ended(0)), open / throughput),
    ]
}

#[test]
fn estimates_a_queue() {
    let answers = queue_answers();
    let asked: Vec<Quantity> = answers.iter().map(|(asked, _)| *asked).collect();
    let found = queue().simulate(Draw::AsGiven, &asked, effort(1, 0.005), 1);
    for (estimate, (quantity, exact)) in found.estimates.iter().zip(&answers) {
        let estimate = estimate.unwrap();
        assert!(estimate.accuracy() <= 0.005, "{quantity:?} {estimate:?}");
        assert!(estimate.low <= *exact && *exact <= estimate.high, "{quantity:?} {estimate:?} {exact}");
    }
    assert!(!found.has_choices && found.ended == 0 && found.limit.is_none());
}

#[test]
fn threads_make_no_difference() {
    let asked: Vec<Quantity> = queue_answers().into_iter().map(|(asked, _)| asked).collect();
    let one = queue().simulate(Draw::AsGiven, &asked, effort(3, 0.01), 1);
    let four = queue().simulate(Draw::AsGiven, &asked, effort(3, 0.01), 4);
    assert_eq!((one.estimates, one.events), (four.estimates, four.events));
    let other = queue().simulate(Draw::AsGiven, &asked, effort(4, 0.01), 1);
    assert_ne!(one.curves, other.curves);
    assert_eq!(one.curves, four.curves);
}

#[test]
fn covers_the_truth_as_often_as_it_says() {
    let answers = queue_answers();
    let asked: Vec<Quantity> = answers.iter().map(|(asked, _)| *asked).collect();
    let mut covered = vec![0; answers.len()];
    for seed in 0..1_000 {
        let found = queue().simulate(Draw::AsGiven, &asked, effort(seed, 0.03), 1);
        for (place, (_, exact)) in answers.iter().enumerate() {
            let estimate = found.estimates[place].unwrap();
            covered[place] += u32::from(estimate.low <= *exact && *exact <= estimate.high);
        }
    }
    assert!(covered.iter().all(|count| (970..1_000).contains(count)), "{covered:?}");
}

#[test]
fn sees_a_moment() {
    let text = "bool up; active proctype P() { do :: !up -> rise: up = 1 od }";
    let case = Case::new(text, &[("P:rise", exponential(10))], &[], &["up"]);
    let found = case.with_scene(Draw::AsGiven, |scene| transient(scene, 0, 5.0, effort(1, 0.01), &budget(1)));
    let estimate = found.unwrap().estimates[0].unwrap();
    let exact = 1.0 - (-0.5f64).exp();
    assert!(estimate.low <= exact && exact <= estimate.high && estimate.accuracy() <= 0.01, "{estimate:?}");
}

/// A queue of 30 that is half loaded is full for a part of 4.7 · 10⁻¹⁰ of the time.
#[test]
fn splitting_sees_what_is_rare() {
    let text = MM1K.replace("n < 5", "n < 30");
    let delays = [("source:arrive", exponential(2)), ("server:serve", exponential(1))];
    let mut case = Case::new(&text, &delays, &["server:serve"], &["n == 3", "n > 0"]);
    let exact = |n: i32| 0.5f64.powi(n + 1) / (1.0 - 0.5f64.powi(31));
    let asked = [Channel::Value(0).often(), Channel::Value(1).often(), Channel::Event(0).often()];
    // The level is the last value.
    case.level = Some(2);
    let mut covered = 0;
    for seed in 0..20 {
        let found = case.simulate(Draw::AsGiven, &asked, effort(seed, 0.02), 1);
        let truths = [exact(3), 1.0 - exact(0), 1.0 - exact(0)];
        for (estimate, truth) in found.estimates.iter().zip(truths) {
            let estimate = estimate.unwrap();
            covered += i32::from(estimate.low <= truth && truth <= estimate.high);
        }
    }
    assert!(covered >= 57, "{covered} of 60");
}

#[test]
fn splitting_reaches_the_end_of_a_queue() {
    let text = MM1K.replace("n < 5", "n < 30");
    let delays = [("source:arrive", exponential(2)), ("server:serve", exponential(1))];
    let mut case = Case::new(&text, &delays, &["server:serve"], &[]);
    case.level = Some(0);
    let full = |case: &Case| {
        case.with_scene(Draw::AsGiven, |scene| {
            let level = &scene.values[0];
            let values: Vec<StateValue<'_>> = vec![
                Box::new(|state| level(state)),
                Box::new(|state| level(state).map(|level| f64::from(u8::from(level >= 30.0)))),
            ];
            let requests = Vec::new();
            let (sizes, rewards) = (Vec::new(), Vec::new());
            let split = Scene { values, requests, rewards, sizes, level: Some(0), ..*scene };
            simulate(&split, &[Channel::Value(1).often()], effort(1, 0.1), &budget(1)).unwrap()
        })
    };
    let found = full(&case);
    let exact = 0.5f64.powi(31) / (1.0 - 0.5f64.powi(31));
    let estimate = found.estimates[0].unwrap();
    assert!(
        estimate.low <= exact && exact <= estimate.high && estimate.accuracy() <= 0.2,
        "{estimate:?} {exact}"
    );
}

const QUEUE: &str = "int n; active proctype source() { do :: arrive: n++ od }
active proctype server() { do :: serve: n > 0 -> n-- od }";

/// A queue without an end: arrivals on average every 20 units of time, service so many.
fn endless(service: i128) -> Case {
    let delays = [("source:arrive", exponential(20)), ("server:serve", exponential(service))];
    let mut case = Case::new(QUEUE, &delays, &["source:arrive", "server:serve"], &["n > 0"]);
    case.requests = vec![Requests { kinds: vec![[Mark::Event(0), Mark::Event(1)]], order: Order::Fifo }];
    case
}

const ENDLESS: [Quantity; 3] = [
    Quantity::Ratio(Channel::Event(1), Channel::Time),
    Quantity::Ratio(Channel::Value(0), Channel::Time),
    Quantity::Ratio(Channel::Times(0), Channel::Ended(0)),
];

/// With loads of 0.9 and 0.95, all is estimated, and the intervals hold the exact values.
#[test]
fn queues_that_settle_are_estimated() {
    let (mut covered, mut all) = (0, 0);
    for seed in 0..30 {
        for service in [10, 18, 19] {
            let load = service as f64 / 20.0;
            let exact = [1.0 / 20.0, load, service as f64 / (1.0 - load)];
            let found = endless(service).simulate(Draw::AsGiven, &ENDLESS[..2], effort(seed, 0.03), 1);
            assert!(found.growing.is_empty() && found.unsettled == [false; 2], "{seed} {service} {found:?}");
            for (estimate, exact) in found.estimates.iter().zip(exact) {
                let estimate = estimate.unwrap();
                covered += u32::from(estimate.low <= exact && exact <= estimate.high);
                all += 1;
            }
        }
    }
    assert!(all == 180 && covered >= 174, "{covered} of {all}");
}

/// With a load of 1 or just above, nothing is estimated.
#[test]
fn queues_that_do_not_settle_are_refused() {
    for seed in 0..40 {
        let effort = Effort { accuracy: 0.02, events: 1 << 21, seed };
        let found = endless(20).simulate(Draw::AsGiven, &ENDLESS, effort, 1);
        assert!(found.growing == [0] && found.unsettled == [true; 3], "{seed} {found:?}");
        assert!(found.estimates.iter().all(Option::is_none), "{seed} {found:?}");
    }
}

/// With a load of 1.2, the server is always busy and works as fast as it can; how long it takes grows.
#[test]
fn an_overloaded_server_has_a_throughput() {
    let mut covered = 0;
    for seed in 0..20 {
        let effort = Effort { accuracy: 0.02, events: 1 << 22, seed };
        let found = endless(24).simulate(Draw::AsGiven, &ENDLESS, effort, 1);
        assert!(found.growing == [0] && found.unsettled == [false, false, true], "{seed} {found:?}");
        let throughput = found.estimates[0].unwrap();
        covered += u32::from(throughput.low <= 1.0 / 24.0 && 1.0 / 24.0 <= throughput.high);
        assert!(found.estimates[1].unwrap().value > 0.99 && found.estimates[2].is_none(), "{found:?}");
    }
    assert!(covered >= 19, "{covered} of 20");
}

/// A number that only counts, or that names one request after the other, is no queue.
#[test]
fn counters_do_no_harm() {
    let text = "int served, number; byte n; active proctype source() { do :: arrive: n < 5 -> n++; number++ od }
        active proctype server() { do :: serve: n > 0 -> n--; served++; if :: number < 0 -> skip :: else fi od }";
    let delays = [("source:arrive", exponential(4)), ("server:serve", exponential(3))];
    let case = Case::new(text, &delays, &["server:serve"], &["n > 0"]);
    let asked = [Channel::Event(0).often(), Channel::Value(0).often()];
    let found = case.simulate(Draw::AsGiven, &asked, effort(1, 0.01), 1);
    assert_eq!((found.growing.as_slice(), found.unsettled.as_slice()), (&[0][..], &[false; 2][..]));
    let busy = found.estimates[1].unwrap();
    let exact = 1.0 - queue_lengths()[0];
    assert!(busy.low <= exact && exact <= busy.high, "{busy:?}");
}

/// Something is won every 3 on average, unless it is lost, every 1 on average: then nothing happens any more.
const RACE: &str = "byte x; active proctype P() { win: x == 0 -> x = 1; again: x = 2 }
active proctype Q() { lose: x == 0 -> x = 3 }";

fn race() -> Case {
    let delays = [("P:win", exponential(3)), ("Q:lose", exponential(1)), ("P:again", exponential(2))];
    let mut case = Case::new(RACE, &delays, &["P:win", "P:again", "Q:lose"], &["x == 2", "x > 0", "x == 1"]);
    case.target = Some(Mark::Becomes(0, true));
    // 5 for a win, and 7 per time after it.
    case.rewards = vec![Gain { values: vec![(2, 7.0)], events: vec![(0, 5.0)] }];
    case
}

fn passages(case: &Case, what: Passage, effort: Effort) -> Simulated {
    case.with_scene(Draw::AsGiven, |scene| passage(scene, what, effort, &budget(1)).unwrap())
}

/// How often the truth lies in an interval, for some seeds.
fn covered(case: &Case, what: Passage, truth: f64, seeds: u64) -> u64 {
    let holds = |seed: &u64| {
        let found = passages(case, what, effort(*seed, 0.05)).estimates[0].unwrap();
        found.accuracy() <= 0.05 && found.low <= truth && truth <= found.high
    };
    (0..seeds).filter(holds).count() as u64
}

#[test]
fn the_way_to_a_target_is_covered_as_often_as_it_says() {
    let race = race();
    assert!((292..=300).contains(&covered(&race, Passage::Ever, 0.25, 300)));
    // The win comes at rate 4/3 and leads on in one case of four, and 2 later on average.
    let before = |time: f64| {
        let (first, second) = (4.0 / 3.0, 0.5);
        let sum = (1.0 - (-second * time).exp()) * first / (first - second);
        (sum - (1.0 - (-first * time).exp()) * second / (first - second)) / 4.0
    };
    assert!((292..=300).contains(&covered(&race, Passage::Before(3.0), before(3.0), 300)));
    // An event is a target as well as a predicate.
    let end = Case { target: Some(Mark::Event(1)), ..race };
    assert!((292..=300).contains(&covered(&end, Passage::Before(3.0), before(3.0), 300)));
    // Up to the first of both, 3/4 on average; and 5 in one case of four, as no time passes after it.
    let either = Case { target: Some(Mark::Becomes(1, true)), ..end };
    assert!((292..=300).contains(&covered(&either, Passage::Time, 0.75, 300)));
    assert!((292..=300).contains(&covered(&either, Passage::Reward(0), 1.25, 300)));
}

/// The mean time until a queue is full: from one length to the next, 1/λ and what µ/λ of the one before is.
#[test]
fn a_queue_fills_up_after_a_time() {
    let (arrival, service) = (0.25, 1.0 / 3.0);
    let steps = std::iter::successors(Some(1.0 / arrival), |last| Some((1.0 + service * last) / arrival));
    let exact: f64 = steps.take(2).sum();
    let mut case = queue();
    case.target = Some(Mark::Becomes(2, true));
    let found = passages(&case, Passage::Time, effort(1, 0.01));
    let estimate = found.estimates[0].unwrap();
    assert!(estimate.low <= exact && exact <= estimate.high, "{estimate:?} {exact}");
    assert!(estimate.accuracy() <= 0.01 && (found.missed, found.open) == (0, 0));
}

/// What may be missed has no mean, and what is given up counts for both.
#[test]
fn what_may_never_come_has_no_mean() {
    let found = passages(&race(), Passage::Time, effort(1, 0.05));
    assert!(found.estimates[0].is_none() && found.missed > 0 && found.open == 0, "{found:?}");
    let text = "byte x; active proctype P() { choose: if :: x = 1 :: x = 2 fi; do :: turn: skip od }";
    let delays = [("P:choose", exponential(1)), ("P:turn", exponential(1))];
    let mut case = Case::new(text, &delays, &[], &["x == 1", "x == 0"]);
    case.target = Some(Mark::Becomes(0, true));
    let found = passages(&case, Passage::Ever, Effort { accuracy: 0.01, events: 1 << 18, seed: 2 });
    let estimate = found.estimates[0].unwrap();
    assert!(found.open > 100 && estimate.low < 0.5 && (0.99..=1.0).contains(&estimate.high), "{found:?}");
    // At the start, all is over at once.
    case.target = Some(Mark::Becomes(1, true));
    let found = passages(&case, Passage::Time, effort(1, 0.05)).estimates[0].unwrap();
    assert!(found.value == 0.0 && found.high == 0.0, "{found:?}");
}

#[test]
fn rewards_add_up() {
    let lengths = queue_lengths();
    let throughput = (1.0 - lengths[0]) / 3.0;
    let mut case = queue();
    case.rewards = vec![Gain { values: vec![(0, 2.0), (2, 5.0)], events: vec![(0, 1.0), (1, 3.0)] }];
    let often = 2.0 * (1.0 - lengths[0]) + 5.0 * lengths[2] + 4.0 * throughput;
    let asked = [Channel::Reward(0).often(), Quantity::Ratio(Channel::Reward(0), Channel::Event(1))];
    let mut covered = [0; 2];
    for seed in 0..100 {
        let found = case.simulate(Draw::AsGiven, &asked, effort(seed, 0.02), 1);
        for (place, truth) in [often, often / throughput].into_iter().enumerate() {
            let estimate = found.estimates[place].unwrap();
            covered[place] += u32::from(estimate.low <= truth && truth <= estimate.high);
        }
    }
    assert!(covered.iter().all(|count| *count >= 96), "{covered:?}");
}
