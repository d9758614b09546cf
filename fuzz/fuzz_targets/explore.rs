//! What compiles can be explored, depth-first and breadth-first search see the same states, and every run
//! replays.

#![no_main]

use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;

use libfuzzer_sys::fuzz_target;
use narrows_explicit::{Budget, Faults, Progress, SearchScope, Watch, breadth_first, depth_first, replay};
use narrows_model::{Evaluator, Limit, System};

/// Also stops inside a state that has no end of successors, such as an atomic sequence with many choices.
#[derive(Default)]
struct Patience(AtomicU32);

impl Watch for Patience {
    fn check(&self, _: &Progress) -> Option<Limit> {
        (self.0.fetch_add(1, Ordering::Relaxed) >= 5).then_some(Limit::Time)
    }
}

/// Atomic sequences need a deep stack, as the program itself has.
const STACK: usize = 256 << 20;

fuzz_target!(|data: &[u8]| {
    let Some(system) = narrows_fuzz::compile(data) else { return };
    thread::scope(|scope| {
        let worker = thread::Builder::new().stack_size(STACK).spawn_scoped(scope, || explore(&system));
        worker.expect("a thread").join().expect("no panic");
    });
});

fn explore(system: &System) {
    let space = Evaluator::new(system);
    let budget = || Budget { memory: 64 << 20, ..Budget::unlimited(Patience::default()) };
    let (deep_budget, wide_budget) = (budget(), budget());
    let scope = SearchScope { states: 2_000, transitions: 10_000, ..SearchScope::within(&deep_budget) };
    let deep = depth_first(&space, Faults::Continue, &scope);
    let wide = breadth_first(&space, &[], &SearchScope { budget: &wide_budget, ..scope });
    // States that differ only in hidden bytes count as one, and then the order decides which is followed.
    if deep.is_complete() && wide.is_complete() && system.hidden_bytes == 0 {
        assert_eq!(deep.coverage.states, wide.coverage.states);
        assert_eq!(deep.coverage.transitions, wide.coverage.transitions);
    }
    for finding in deep.findings.iter().chain(&wide.findings).filter(|finding| finding.run.is_some()).take(20) {
        let trace = replay(space, finding).unwrap_or_else(|wrong| panic!("not replayed: {}", wrong.what));
        if !trace.initial.is_empty() {
            space.describe(trace.last_state());
            space.disabled(trace.last_state());
        }
    }
}
