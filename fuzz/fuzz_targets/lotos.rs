//! Any text is a model in LOTOS, or is rejected with a diagnostic: no panic, no hang, bounded memory. Both
//! ways to visit its states find the same.

#![no_main]

use std::thread;

use libfuzzer_sys::fuzz_target;
use narrows_explicit::{Budget, SearchScope, Unwatched, breadth_first};
use narrows_model::behaviour::{Behaviour, Unfolding};

/// How many states are visited.
const STATES: u32 = 300;
/// Behaviours in each other need a deep stack, as the program itself has.
const STACK: usize = 256 << 20;

fuzz_target!(|data: &[u8]| {
    thread::scope(|scope| {
        let worker = thread::Builder::new().stack_size(STACK).spawn_scoped(scope, || {
            if let Some(behaviour) = narrows_fuzz::compile_lotos(data) {
                explore(&behaviour);
            }
        });
        worker.expect("a thread").join().expect("no panic");
    });
});

fn explore(behaviour: &Behaviour) {
    let Ok(mut unfolding) = Unfolding::new(behaviour) else { return };
    // Few states are enough for trees to be taken apart.
    unfolding.take_apart_from(20);
    let (mut state, mut transitions) = (0, 0);
    while state < unfolding.states() && state < STATES {
        if unfolding.expand(state).is_err() {
            return;
        }
        transitions += unfolding.edges().len() as u64;
        for (event, _) in unfolding.edges() {
            unfolding.label(*event);
        }
        state += 1;
    }
    if state < unfolding.states() {
        return;
    }
    let budget = Budget { memory: 64 << 20, ..Budget::unlimited(Unwatched) };
    let found = breadth_first(behaviour, &[], &SearchScope::within(&budget));
    assert!(found.is_complete());
    assert_eq!((found.coverage.states, found.coverage.transitions), (u64::from(state), transitions));
}
