//! Long and endless atomic sequences, and choices inside them, in both engines.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use narrows_model::{Binary, Evaluator, Expr, Limit, Scratch, StateSpace, Statement, System, ViolationKind};

use crate::samples::{add, global, proctype, system, when};
use crate::{
    Budget, End, Engine, Exploration, Faults, Progress, SearchScope, Share, Unwatched, Watch, Wrong,
    breadth_first, depth_first,
};

/// Builds a process whose edges are inside an atomic sequence but for the last.
fn atomic(edges: Vec<(u16, u16, Statement)>) -> System {
    let mut only = proctype("atomic", edges);
    let last = only.transitions.len() - 1;
    only.transitions[..last].iter_mut().for_each(|transition| transition.atomic = true);
    system(2, 1, None, vec![only])
}

fn set(offset: u32, value: i32) -> Statement {
    Statement::Assign(global(offset), Expr::Constant(value))
}

/// Counts two bytes up to 200: about 80 000 moves, without a choice, in one step.
fn long() -> System {
    atomic(vec![
        (0, 1, when(Binary::Less, 0, 200)),
        (0, 2, when(Binary::GreaterEqual, 0, 200)),
        (1, 0, add(0, 1)),
        (2, 3, set(0, 0)),
        (3, 4, when(Binary::Less, 1, 200)),
        (4, 0, add(1, 1)),
        (3, 5, when(Binary::GreaterEqual, 1, 200)),
    ])
}

/// Writes a byte in one of two ways, 200 times: paths that nobody could count, but few states.
fn splitting() -> System {
    atomic(vec![
        (0, 1, when(Binary::Less, 0, 200)),
        (1, 2, set(1, 1)),
        (1, 2, set(1, 2)),
        (2, 0, add(0, 1)),
        (0, 3, when(Binary::GreaterEqual, 0, 200)),
    ])
}

/// Goes round for ever, with a choice each time.
fn endless() -> System {
    atomic(vec![(0, 0, set(0, 1)), (0, 0, set(0, 2)), (0, 1, when(Binary::Equal, 0, 3))])
}

/// Searches with both engines, both ways, on a thread with a small stack.
fn explored(system: &System, check: impl Fn(&Exploration) + Sync) {
    std::thread::scope(|scope| {
        let work = || {
            let evaluator = Evaluator::new(system);
            for engine in [Engine::interpreter(evaluator), Engine::native(evaluator).unwrap()] {
                let budget = Budget::unlimited(Unwatched);
                check(&depth_first(&engine, Faults::Continue, &SearchScope::within(&budget)));
                check(&breadth_first(&engine, &[], &SearchScope::within(&Budget { threads: 2, ..budget })));
            }
        };
        std::thread::Builder::new().stack_size(1 << 20).spawn_scoped(scope, work).unwrap().join().unwrap();
    });
}

#[test]
fn a_long_sequence_is_a_step_like_any_other() {
    explored(&long(), |found| {
        assert_eq!(found.end, End::Complete);
        assert_eq!((found.coverage.states, found.coverage.transitions), (2, 1));
        assert!(found.findings.is_empty(), "{:?}", found.findings);
    });
}

#[test]
fn paths_that_meet_are_followed_once() {
    explored(&splitting(), |found| {
        assert_eq!((found.end, found.coverage.states), (End::Complete, 3));
        assert!(found.findings.is_empty(), "{:?}", found.findings);
        assert!(found.coverage.taken[0].iter().all(|taken| *taken), "{:?}", found.coverage.taken);
    });
}

#[test]
fn an_endless_sequence_is_found_to_be_one() {
    explored(&endless(), |found| {
        let is_endless = |wrong: &Wrong| match wrong {
            Wrong::Violation(violation) => violation.kind == ViolationKind::EndlessAtomic,
            Wrong::Deadlock(_) => false,
        };
        assert!(!found.findings.is_empty());
        assert!(found.findings.iter().all(|finding| is_endless(&finding.wrong)), "{:?}", found.findings);
    });
}

/// Says at once that it is enough.
struct Impatient;

impl Watch for Impatient {
    fn check(&self, _: &Progress) -> Option<Limit> {
        Some(Limit::Interrupted)
    }
}

#[test]
fn limits_hold_inside_a_sequence() {
    let (long, splitting) = (long(), splitting());
    for system in [&long, &splitting] {
        let evaluator = Evaluator::new(system);
        for engine in [Engine::interpreter(evaluator), Engine::native(evaluator).unwrap()] {
            let impatient = Budget::unlimited(Impatient);
            let stopped = breadth_first(&engine, &[], &SearchScope::within(&impatient));
            assert_eq!((stopped.end, stopped.coverage.states), (End::Limit(Limit::Interrupted), 1));
            let stopped = depth_first(&engine, Faults::Continue, &SearchScope::within(&impatient));
            assert_eq!(stopped.end, End::Limit(Limit::Interrupted));
        }
    }
    // The moves alone take more.
    let small = Budget { memory: 1 << 19, ..Budget::unlimited(Unwatched) };
    let engine = Engine::interpreter(Evaluator::new(&long));
    assert_eq!(
        depth_first(&engine, Faults::Continue, &SearchScope::within(&small)).end,
        End::Limit(Limit::Memory)
    );
}

/// A clock that goes on by a second whenever it is asked for the time.
struct Seconds(AtomicU64);

impl Watch for Seconds {
    fn check(&self, _: &Progress) -> Option<Limit> {
        (self.seconds() >= 100.0).then_some(Limit::Time)
    }

    fn seconds(&self) -> f64 {
        self.0.fetch_add(1, Ordering::Relaxed) as f64
    }

    fn seconds_left(&self) -> Option<f64> {
        Some(100.0 - self.0.load(Ordering::Relaxed) as f64)
    }
}

#[test]
fn a_share_ends_before_the_whole() {
    let clock = Arc::new(Seconds(AtomicU64::new(0)));
    let share = Share::of(&(Arc::<Seconds>::clone(&clock) as Arc<dyn Watch>), None);
    let used = || {
        let before = clock.0.load(Ordering::Relaxed);
        while share.check(&Progress::default()).is_none() {}
        clock.0.load(Ordering::Relaxed) - before
    };
    share.take(4);
    assert!((20..30).contains(&used()));
    share.take(1);
    assert!((60..80).contains(&used()));
}

/// Where a path never ends, all that come to the same states are not followed one by one.
#[test]
fn an_endless_path_ends_the_counting_of_paths() {
    let system = endless();
    let evaluator = Evaluator::new(&system);
    let (initial, _) = evaluator.initial().unwrap();
    for engine in [Engine::interpreter(evaluator), Engine::native(evaluator).unwrap()] {
        let mut faults = 0;
        engine.successors(&initial, &mut Scratch::default(), &mut |step| {
            faults += step.violations.len();
            ControlFlow::Continue(())
        });
        // Each of 65 536 moves would be on some path that never ends.
        assert!((1..100).contains(&faults), "{faults}");
    }
}
