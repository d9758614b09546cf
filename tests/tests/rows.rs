//! The states that views are built from have the successors that the reference evaluator gives them, also
//! where these are put together from what was remembered of processes.

use std::ops::ControlFlow;

use narrows_explicit::{Budget, Engine, Unwatched};
use narrows_languages::promela::{self, compile};
use narrows_model::{Evaluator, Scratch, StateSpace, System};
use narrows_performance::{StateGraph, Timing};
use narrows_source::{Diagnostics, NoFiles, Sources};
use narrows_tests::generator;
use narrows_tests::seeds::seeds;

fn system(text: &str) -> Option<System> {
    let mut sources = Sources::default();
    let file = sources.add("random.pml", text);
    compile(&mut sources, file, &NoFiles, &promela::Options::default(), &mut Diagnostics::default())
}

/// More states than this are not looked at.
const MOST: u32 = 30_000;

/// Compares the steps of all states of a model; returns how many states there were before something was wrong
/// with it.
fn compare(name: &str, text: &str) -> u32 {
    let Some(system) = system(text) else { return 0 };
    let evaluator = Evaluator::new(&system);
    let engine = Engine::automatic(evaluator);
    let timing = Timing::new(&system);
    let Ok(mut rows) = StateGraph::new(&engine, Some(&system), &timing, Budget::unlimited(Unwatched)) else {
        return 0;
    };
    let (mut state, mut scratch) = (0, Scratch::default());
    while state < rows.states().min(MOST) {
        if rows.expand(state).is_err() {
            break;
        }
        let (mut choice, row) = (0, rows.steps_of(state));
        evaluator.successors(&rows.state(state), &mut scratch, &mut |successor| {
            let step =
                row.get(choice).unwrap_or_else(|| panic!("{name}: state {state} has more steps\n{text}"));
            // Of states that differ in what is hidden, the first is kept.
            let visible = |state: &[u8]| state[..state.len() - evaluator.hidden_bytes()].to_vec();
            let target = visible(&rows.state(step.target));
            assert_eq!(
                Some(target),
                successor.target.map(visible),
                "{name}: step {choice} of state {state}\n{text}"
            );
            let moved = rows.effect(step.effect).moved;
            let moves = |pid: usize| successor.moves.iter().any(|step| usize::from(step.pid) == pid);
            assert!(
                (0..255).all(|pid| moved.contains(pid) == moves(pid)),
                "{name}: {choice} of {state}\n{text}"
            );
            choice += 1;
            ControlFlow::Continue(())
        });
        assert_eq!(choice, row.len(), "{name}: state {state} has fewer steps\n{text}");
        state += 1;
    }
    state
}

/// `NARROWS_SEEDS=1..5000` makes a long run of it.
#[test]
fn steps_that_are_remembered_are_the_steps() {
    let mut large = 0;
    for seed in seeds(60) {
        let states = compare(&format!("seed {seed}"), &generator::generate(seed).to_string());
        large += usize::from(states > 2_000);
    }
    eprintln!("{large} models have many states");
    assert!(large > 5);
}

/// Steps depend on what others can do, on places that are computed, and on messages.
#[test]
fn steps_of_all_kinds_are_remembered() {
    let models = [
        // Only when nothing else can move.
        "byte n, m; bit late;
        active [3] proctype count() { do :: n < 40 -> n++ :: n > 0 && n < 40 -> n-- od }
        active proctype late_one() { do :: timeout -> late = 1; m = (m + 1) % 40; n = m :: late -> late = 0 od }",
        // Arrays, and places that are computed.
        "byte a[6], i, j;
        active [2] proctype turn() { do :: d_step { a[i] < 3 -> a[i]++; i = (i + 1) % 6 } :: a[j] > 0 -> a[j]-- od }
        active proctype move() { byte k; do :: k < 5 -> k++; j = k :: else -> k = 0; j = 0 od }",
        // Messages, one by one and in order.
        "chan c = [3] of { byte, bit }; chan d = [2] of { byte }; byte x, y;
        active [2] proctype send() { byte k; do :: c!k,1 :: c!k,0 -> k = (k + 1) % 4 od }
        active proctype pass() { bit b; do :: c?x,b -> if :: b -> d!x :: else fi od }
        active proctype take() { do :: d?y :: d?[2] -> y = 9 od }",
        // Meetings, and processes that come and go.
        "chan c = [0] of { byte }; byte x, n, k;
        proctype child() { x = (x + 1) % 5; n-- }
        active proctype parent() { do :: n < 2 -> n++; run child() od }
        active [2] proctype meet() { byte m; do :: c!m -> m = (m + 1) % 6 :: c?m od }
        active proctype wide() { do :: k < 9 -> k++ :: k = 0 od }",
        // Processes that are started one by one.
        "byte a, b; chan c = [2] of { byte };
        proctype up(byte most) { do :: a < most -> a++ :: a > 0 -> a--; c!a od }
        proctype down() { byte k; do :: c?k -> b = k :: b > 0 -> b-- od }
        init { run up(7); run down(); run up(9); do :: b == 3 -> b = 0 od }",
        // What is hidden does not count.
        "hidden byte h; byte n, m;
        active [2] proctype P() { do :: n < 50 -> n++; h = n :: n > 0 -> n--; m = n % 7 :: h > 3 -> m = 0 od }",
    ];
    for (number, text) in models.into_iter().enumerate() {
        let states = compare(&format!("model {number}"), text);
        assert!(states > 1_500, "model {number} has {states} states");
    }
}
