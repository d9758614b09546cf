//! Bounds from the work of processes against exact frequencies.

use narrows_explicit::{Asked, Budget, Symmetry, Unwatched};
use narrows_graph::Random;
use narrows_model::{Evaluator, System};

use super::bounds::Cost;
use super::ratio::{Extreme, Frequency};
use super::tests::random_model;
use super::{Unclocked, build_within};
use crate::samples::{drive, system, timing};
use crate::{BuildError, Delay, StateGraph, Time, Timing};

/// Larger views are not compared.
const MAX_EDGES: usize = 100_000;

/// Compares bounds with what is exact; returns how near they are, if an event happens again and again.
fn compare(system: &System, timing: &Timing, what: &str) -> Option<[bool; 2]> {
    let evaluator = Evaluator::new(system);
    let rows = || StateGraph::new(&evaluator, Some(system), timing, Budget::unlimited(Unwatched)).unwrap();
    let Ok(Some(exact)) = build_within(rows(), MAX_EDGES).unwrap() else { return None };
    let tick = exact.tick().unwrap();
    let rate = |which| match exact.frequency(Cost::Event(0), which) {
        Frequency::Every { count, ticks, .. } => Some(Time::new(count.into(), ticks.into()) / tick),
        Frequency::Ends(_) => Some(Time::from_integer(0)),
        Frequency::Infinite(_) => None,
    };
    let (worst, best) = (rate(Extreme::Worst)?, rate(Extreme::Best));
    let label = |proctype, transition| timing.label_of(proctype, transition);
    let asked = Asked { label: &label, ..Asked::NOTHING };
    let symmetry = Symmetry::find(evaluator, &asked).ok().filter(|symmetry| !symmetry.forgets());
    let mut near = None;
    for is_exchanged in [false, true] {
        let rows = match &symmetry {
            Some(symmetry) if is_exchanged => rows().exchanging(symmetry),
            _ => rows(),
        };
        let mut unclocked = match Unclocked::build(rows, MAX_EDGES).unwrap() {
            Ok(unclocked) => unclocked,
            Err(BuildError::Entangled) => continue,
            Err(error) => panic!("{error:?} in {what}"),
        };
        let found = unclocked.frequency(0);
        assert!(found.least <= worst, "{found:?} and not {worst} in {what}");
        if let Some((most, _)) = &found.most {
            assert!(best.is_some_and(|best| best <= *most), "{found:?} and not {best:?} in {what}");
        }
        let is_met = |bound: Option<Time>| bound.is_some() && bound == best;
        near = Some([found.least == worst, is_met(found.most.map(|(most, _)| most))]);
        // What was asked once can be asked again.
        assert_eq!(unclocked.frequency(0).least, found.least);
    }
    near
}

#[test]
fn nothing_is_beyond_the_work_of_processes() {
    let mut random = Random::new(31);
    let mut random = move |below: u64| random.below(below);
    let (mut compared, mut met) = (0, [0; 2]);
    for _ in 0..200 {
        let (text, given) = random_model(&mut random);
        if given.is_empty() {
            continue;
        }
        let text =
            if random(2) == 0 { text.replace("active proctype p0", "active [2] proctype p0") } else { text };
        let system = system(&text);
        let given: Vec<(&str, Delay)> =
            given.iter().map(|(name, delay)| (name.as_str(), delay.clone())).collect();
        let event = given[random(given.len() as u64) as usize].0;
        let timing = timing(&system, &given, &[event]);
        if let Some(near) = compare(&system, &timing, &format!("{text}{given:?} {event}")) {
            compared += 1;
            (0..2).for_each(|side| met[side] += u32::from(near[side]));
        }
    }
    assert!(compared > 80 && met.iter().all(|met| *met > 10), "{compared} {met:?}");
}

#[test]
fn channels_bound_a_drive() {
    let mut random = Random::new(9);
    let mut compared = 0;
    for number in 0..12 {
        let (text, _) = drive(&mut random);
        let system = system(&text);
        let time = |random: &mut Random| Time::from_integer(random.between(1, 4) as i128);
        let delays = ["slot:submit", "engine:fetch", "engine:back", "channel:flash"].map(|name| {
            let least = time(&mut random);
            let has_range = number % 2 == 0 && name == "channel:flash";
            let most = if has_range { least + time(&mut random) } else { least };
            (name, if has_range { Delay::Between(least, most) } else { Delay::Fixed(least) })
        });
        let timing = timing(&system, &delays, &["slot:complete"]);
        compared += u32::from(compare(&system, &timing, &format!("{text}{delays:?}")).is_some());
    }
    assert!(compared > 5, "{compared}");
}
