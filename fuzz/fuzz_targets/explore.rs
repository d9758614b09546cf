//! What compiles can be explored, and depth-first and breadth-first search see the same states.

#![no_main]

use libfuzzer_sys::fuzz_target;
use narrows_explicit::{Budget, Faults, Unwatched, breadth_first, depth_first};
use narrows_model::Evaluator;

fuzz_target!(|data: &[u8]| {
    let Some(system) = narrows_fuzz::compile(data) else { return };
    let space = Evaluator::new(&system);
    let budget = Budget { memory: 64 << 20, states: 2_000, transitions: 10_000, watch: &Unwatched };
    let deep = depth_first(&space, Faults::Continue, &budget);
    let wide = breadth_first(&space, &[], &budget);
    // States that differ only in hidden bytes count as one, and then the order decides which is followed.
    if deep.is_complete() && wide.is_complete() && system.hidden_bytes == 0 {
        assert_eq!(deep.coverage.states, wide.coverage.states);
        assert_eq!(deep.coverage.transitions, wide.coverage.transitions);
    }
});
