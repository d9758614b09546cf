//! Simulation in which equal processes are exchanged, against simulation of all states.

use narrows_explicit::{Asked, Budget, Symmetry, Unwatched};
use narrows_graph::Random;
use narrows_model::{Evaluator, System};

use super::{
    Channel, Draw, Effort, Estimate, Mark, Quantity, Requests, Scene, Simulated, StateValue, simulate,
};
use crate::requests::Order;
use crate::samples::{drive, predicate, system, timing};
use crate::{Delay, Site, Time, Timing};

const ASKED: [Quantity; 4] = [
    Quantity::Ratio(Channel::Event(0), Channel::Time),
    Quantity::Ratio(Channel::Value(0), Channel::Time),
    Quantity::Ratio(Channel::Times(0), Channel::Ended(0)),
    Quantity::Quantile(0, 0.9),
];

/// A drive whose slots wait for what they have submitted.
struct Drive {
    system: System,
    plain: Timing,
    /// Counts what each slot submits and completes, besides.
    apart: Timing,
    slots: u8,
}

impl Drive {
    fn new(random: &mut Random) -> Drive {
        let (text, _) = drive(random);
        let system = system(&text);
        let mut time = || {
            let mean = Time::from_integer(random.between(2, 9) as i128);
            match random.below(4) {
                0 => Delay::Fixed(mean),
                1 => Delay::Between(mean - Time::from_integer(1), mean + Time::from_integer(1)),
                2 => Delay::Erlang(2, mean),
                _ => Delay::Exponential(mean),
            }
        };
        let think = ("slot:submit", Delay::Exponential(time().mean()));
        let delays = [think, ("engine:fetch", time()), ("engine:back", time()), ("channel:flash", time())];
        let mut plain = timing(&system, &delays, &["slot:complete"]);
        let pages = Timing::sites(&system, "engine", "page");
        plain.weights(&pages, &vec![1; pages.len()]);
        let mut apart = plain.clone();
        let slots = system.initial_processes.iter().filter(|one| one.proctype.0 == 0).count() as u8;
        for label in ["submit", "complete"] {
            let site: Site = Timing::sites(&system, "slot", label)[0];
            for slot in 0..slots {
                apart.event_of(&[(site, Some(slot))], label);
            }
        }
        Drive { system, plain, apart, slots }
    }

    fn simulate(&self, symmetry: Option<&Symmetry>, accuracy: f64, threads: usize) -> Simulated {
        let evaluator = Evaluator::new(&self.system);
        let forgets = symmetry.is_some_and(Symmetry::forgets);
        let space = if forgets { evaluator.forgetting() } else { evaluator };
        let busy = predicate(&self.system, "x == 1");
        let values: Vec<StateValue<'_>> = vec![Box::new(move |state: &[u8]| {
            evaluator.holds(&busy, state).map(|holds| f64::from(u8::from(holds)))
        })];
        // What each slot does has a number beyond those that are counted.
        let counted = self.apart.events().len() as u16;
        let own = self.plain.events().len() as u16;
        let rename = |event: u16, _: &[u8]| Ok(if event < own { event } else { event - own + counted });
        let slots = u16::from(self.slots);
        let kind = |slot: u16| [Mark::Event(counted + slot), Mark::Event(counted + slots + slot)];
        let requests = vec![Requests { kinds: (0..slots).map(kind).collect(), order: Order::Fifo }];
        let scene = Scene {
            space: &space,
            system: Some(&self.system),
            timing: &self.apart,
            draw: Draw::AsGiven,
            rename: Some(&rename),
            values,
            requests,
            rewards: Vec::new(),
            target: None,
            sizes: Vec::new(),
            level: None,
            symmetry,
            by_process: true,
        };
        let effort = Effort { accuracy, events: 1 << 22, seed: 3 };
        let budget = Budget { threads, ..Budget::unlimited(Unwatched) };
        simulate(&scene, &ASKED, effort, &budget).unwrap()
    }
}

fn overlap(one: &Estimate, other: &Estimate) -> bool {
    one.low <= other.high && other.low <= one.high
}

#[test]
fn exchanged_processes_take_their_requests_along() {
    let mut random = Random::new(29);
    let (mut same, mut all) = (0, 0);
    for _ in 0..12 {
        let drive = Drive::new(&mut random);
        let label = |proctype, transition| drive.plain.label_of(proctype, transition);
        let busy = predicate(&drive.system, "x == 1");
        let asked = Asked { exprs: &[&busy], processes: &[], label: &label };
        let symmetry = Symmetry::find(Evaluator::new(&drive.system), &asked).unwrap();
        assert!(symmetry.words().len() == 2, "{:?}", symmetry.words());
        let plain = drive.simulate(None, 0.01, 1);
        let exchanged = drive.simulate(Some(&symmetry), 0.01, 1);
        for (one, other) in plain.estimates.iter().zip(&exchanged.estimates) {
            let (one, other) = (one.unwrap(), other.unwrap());
            assert!((one.value - other.value).abs() < 0.05 * one.value, "{one:?} {other:?}");
            same += u32::from(overlap(&one, &other));
            all += 1;
        }
        let threads = drive.simulate(Some(&symmetry), 0.01, 3);
        assert_eq!(exchanged.estimates, threads.estimates);
    }
    assert!(all == 48 && same >= 46, "{same} of {all}");
}
