//! State graphs to which states are added from elsewhere.

use std::ops::ControlFlow;

use narrows_explicit::{Budget, Engine, Unwatched};
use narrows_model::{Evaluator, Scratch, StateSpace};

use super::{MEMO_FROM, StateGraph};
use crate::Timing;
use crate::samples::system;

/// Two that count, and bytes before theirs that nothing changes.
const COUNTERS: &str = "byte before[12]; byte x, y;
    active proctype P() { do :: x < 60 -> x++ :: x == 60 -> x = 0 od }
    active proctype Q() { do :: y < 60 -> y++ :: y == 60 -> y = before[3] od }";

fn successors(space: &dyn StateSpace, state: &[u8]) -> Vec<Vec<u8>> {
    let mut found = Vec::new();
    space.successors(state, &mut Scratch::default(), &mut |successor| {
        found.extend(successor.target.map(<[u8]>::to_vec));
        ControlFlow::Continue(())
    });
    found
}

/// A state with bits that never changed before makes all states be packed in another way. What steps do to
/// packed states must not be recalled from before that.
#[test]
fn states_from_elsewhere_change_how_all_are_packed() {
    let text = system(COUNTERS);
    let others = system(&COUNTERS.replace("before[12]", "before[12] = 255"));
    let (engine, evaluator) = (Engine::automatic(Evaluator::new(&text)), Evaluator::new(&text));
    let (timing, budget) = (Timing::new(&text), Budget::unlimited(Unwatched));
    let mut graph = StateGraph::new(&engine, Some(&text), &timing, budget).unwrap();
    let (mut state, mut elsewhere) = (0, None);
    while state < graph.states() {
        if elsewhere != Some(state) {
            graph.expand(state).unwrap();
            let steps = graph.steps_of(state).iter();
            let found: Vec<Vec<u8>> = steps.map(|step| graph.state(step.target)).collect();
            assert_eq!(found, successors(&evaluator, &graph.state(state)), "state {state}");
        }
        state += 1;
        if state == MEMO_FROM as u32 + 200 {
            assert!(graph.memo.is_some(), "steps are recalled by now");
            let changes = graph.states.changes();
            elsewhere = Some(graph.number(&Evaluator::new(&others).initial().unwrap().0));
            assert!(graph.states.changes() > changes, "states are packed in another way");
        }
    }
    // Each process is at one of two places.
    assert_eq!(graph.states(), 122 * 122 + 1);
}
