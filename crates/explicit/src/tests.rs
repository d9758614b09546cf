//! The searches on systems built by hand.

use std::sync::atomic::{AtomicU64, Ordering};

use narrows_model::{
    Answer, Binary, Checked, Coverage, Evaluator, Expr, Limit, Question, StateSpace, Statement, System,
    Verdict, ViolationKind,
};

use crate::samples::{add, binary, counters, global, load, proctype, receive, run, send, system, when};
use crate::{
    Budget, End, Engine, Exploration, Faults, Goal, Options, Progress, SearchScope, Unwatched, Watch, Wrong,
    breadth_first, check, depth_first,
};

fn explore(system: &System) -> Exploration {
    depth_first(&Evaluator::new(system), Faults::Stop, &SearchScope::within(&Budget::unlimited(Unwatched)))
}

fn shortest(system: &System) -> Exploration {
    breadth_first(&Evaluator::new(system), &[], &SearchScope::within(&Budget::unlimited(Unwatched)))
}

fn checked(system: &System) -> Checked {
    check(
        &Engine::automatic(Evaluator::new(system)),
        &Question::SAFETY,
        &Options::default(),
        &SearchScope::within(&Budget::unlimited(Unwatched)),
    )
    .unwrap()
}

fn verdict(checked: &Checked, number: usize) -> &Verdict {
    &checked.answers().nth(number).unwrap().verdict
}

fn counts(exploration: &Exploration) -> (u64, u64, u64) {
    let coverage = &exploration.coverage;
    (coverage.states, coverage.transitions, coverage.depth)
}

/// Two processes that wait for each other after one step: both may go either way first.
fn crossing() -> System {
    let left =
        proctype("left", vec![(0, 1, add(0, 1)), (1, 2, when(Binary::Equal, 1, 0)), (2, 0, add(0, -1))]);
    let right =
        proctype("right", vec![(0, 1, add(1, 1)), (1, 2, when(Binary::Equal, 0, 0)), (2, 0, add(1, -1))]);
    system(2, 2, None, vec![left, right])
}

/// A process that counts up to a value, beside another that does so too, with an assertion on the way.
fn asserting() -> System {
    let claim = Statement::Assert(binary(Binary::NotEqual, load(0), Expr::Constant(3)));
    let body =
        vec![(0, 1, add(0, 1)), (1, 0, claim), (0, 2, when(Binary::Greater, 0, 9)), (2, 2, Statement::End)];
    system(1, 1, None, vec![proctype("count", body)])
}

#[test]
fn both_searches_count_alike() {
    for system in [counters(3, 4), counters(1, 1), crossing()] {
        let (deep, wide) = (explore(&system), shortest(&system));
        assert_eq!((deep.end, wide.end), (End::Complete, End::Complete));
        assert_eq!(counts(&deep).0, counts(&wide).0);
        assert_eq!(counts(&deep).1, counts(&wide).1);
        assert_eq!(deep.coverage.taken, wide.coverage.taken);
    }
    assert_eq!(counts(&explore(&counters(3, 4))), (64, 192, 63));
    assert_eq!(counts(&shortest(&counters(3, 4))), (64, 192, 9));
}

#[test]
fn a_large_stack_changes_nothing() {
    // With little memory, successors are forgotten and collected again.
    let system = counters(3, 20);
    let roomy = explore(&system);
    let budget = Budget { memory: 2 << 20, ..Budget::unlimited(Unwatched) };
    let tight = depth_first(&Evaluator::new(&system), Faults::Stop, &SearchScope::within(&budget));
    assert_eq!((roomy.end, tight.end), (End::Complete, End::Complete));
    assert_eq!(counts(&roomy), counts(&tight));
}

#[test]
fn depth_first_takes_successors_in_order() {
    // The first option of the start leads round all locations; the second, to one that is known by then.
    let body =
        vec![(0, 1, add(0, 0)), (0, 2, add(0, 0)), (1, 2, add(0, 0)), (2, 3, add(0, 0)), (3, 0, add(0, 0))];
    let exploration = explore(&system(1, 1, None, vec![proctype("ring", body)]));
    assert_eq!(counts(&exploration), (4, 5, 3));
}

#[test]
fn finds_deadlocks_with_a_run() {
    let system = crossing();
    let exploration = explore(&system);
    let deadlocks: Vec<_> =
        exploration.findings.iter().filter(|finding| matches!(finding.wrong, Wrong::Deadlock(_))).collect();
    assert_eq!(deadlocks.len(), 1);
    let checked = checked(&system);
    let Verdict::Fails { trace, shortest, violation: None } = verdict(&checked, 1) else {
        panic!("{:?}", verdict(&checked, 1))
    };
    assert!(*shortest);
    assert_eq!(trace.steps.len(), 2);
    assert!(matches!(verdict(&checked, 0), Verdict::Holds));
    assert!(matches!(verdict(&checked, 2), Verdict::Holds));
}

#[test]
fn finds_a_shortest_run_to_a_violation() {
    let system = asserting();
    let checked = checked(&system);
    let Verdict::Fails { violation: Some(violation), trace, shortest: true } = verdict(&checked, 0) else {
        panic!("{:?}", verdict(&checked, 0))
    };
    assert_eq!(violation.kind, ViolationKind::Assertion);
    assert_eq!(violation.span.start, 1);
    assert_eq!(trace.steps.len(), 6);
    assert!(trace.steps[5].violations.contains(violation));
    assert!(checked.coverage.taken[0].iter().all(|taken| *taken));
}

#[test]
fn a_fault_stops_where_the_search_reaches_it() {
    // The first option is a loop of three states, the second a division by zero, the third leads elsewhere.
    let divide = Statement::Assign(global(0), binary(Binary::Divide, load(0), Expr::Constant(0)));
    let body =
        vec![(0, 1, add(0, 0)), (1, 2, add(0, 0)), (2, 0, add(0, 0)), (0, 3, divide), (0, 4, add(0, 0))];
    let system = system(1, 1, None, vec![proctype("p", body)]);
    let exploration = explore(&system);
    assert_eq!(exploration.end, End::Fault);
    assert_eq!(counts(&exploration), (3, 3, 2));
    let Wrong::Violation(violation) = &exploration.findings[0].wrong else { panic!() };
    assert_eq!(violation.kind, ViolationKind::DivisionByZero);
    assert_eq!(exploration.findings[0].run.as_ref().unwrap().choices, [1]);
    let budget = Budget::unlimited(Unwatched);
    let onward = depth_first(&Evaluator::new(&system), Faults::Continue, &SearchScope::within(&budget));
    assert_eq!((onward.end, counts(&onward)), (End::Complete, (4, 4, 2)));
    let checked = checked(&system);
    let Verdict::Fails { trace, .. } = verdict(&checked, 2) else { panic!() };
    assert_eq!(trace.steps.len(), 1);
}

#[test]
fn finds_that_processes_are_created_without_end() {
    let spawner =
        proctype("spawner", vec![(0, 1, run(0)), (0, 1, add(0, 1)), (1, 0, add(1, 1)), (0, 0, add(2, 1))]);
    let system = system(3, 1, None, vec![spawner]);
    let evaluator = Evaluator::new(&system);
    let budget = Budget::unlimited(Unwatched);
    let scope = SearchScope { transitions: 300_000, ..SearchScope::within(&budget) };
    let checked =
        check(&Engine::automatic(evaluator), &[Question::Faults], &Options::default(), &scope).unwrap();
    let checked: Vec<&Answer> = checked.answers().collect();
    let Verdict::Fails { violation: Some(violation), shortest: false, trace } = &checked[0].verdict else {
        panic!("{:?}", checked[0].verdict)
    };
    assert_eq!(violation.kind, ViolationKind::TooManyProcesses);
    assert!((255..600).contains(&trace.steps.len()), "{}", trace.steps.len());
}

#[test]
fn explores_channels() {
    for (capacity, states) in [(0, 4), (2, 12)] {
        let sender =
            proctype("sender", vec![(0, 1, send(Expr::Constant(1))), (1, 0, send(Expr::Constant(2)))]);
        let receiver = proctype("receiver", vec![(0, 0, receive(1))]);
        let system = system(2, 2, Some(capacity), vec![sender, receiver]);
        let (deep, wide) = (explore(&system), shortest(&system));
        assert!(deep.is_complete() && deep.findings.is_empty());
        assert_eq!(counts(&deep).0, counts(&wide).0);
        assert!(counts(&deep).0 <= states, "{:?}", counts(&deep));
    }
}

#[test]
fn decided_goals_end_the_search() {
    let system = asserting();
    let goal = Goal { question: Question::Assertions, patience: None };
    let budget = Budget::unlimited(Unwatched);
    let exploration = breadth_first(&Evaluator::new(&system), &[goal], &SearchScope::within(&budget));
    assert_eq!(exploration.end, End::Enough);
    assert!(exploration.coverage.states < explore(&system).coverage.states);
}

/// Stops after some calls.
struct Stopwatch(AtomicU64);

impl Watch for Stopwatch {
    fn check(&self, progress: &Progress) -> Option<Limit> {
        assert!(progress.states > 0 && progress.memory > 0);
        (self.0.fetch_add(1, Ordering::Relaxed) >= 3).then_some(Limit::Interrupted)
    }
}

#[test]
fn limits_make_answers_undecided() {
    let system = counters(4, 20);
    let evaluator = Evaluator::new(&system);
    let watch = Stopwatch(AtomicU64::new(0));
    let checked = check(
        &Engine::automatic(evaluator),
        &Question::SAFETY,
        &Options::default(),
        &SearchScope::within(&Budget::unlimited(watch)),
    )
    .unwrap();
    assert!(checked.answers().all(|a| matches!(a.verdict, Verdict::Undecided(Limit::Interrupted))));
    let memory = 4 << 20;
    let budget = Budget { memory, ..Budget::unlimited(Unwatched) };
    let deep = depth_first(&evaluator, Faults::Stop, &SearchScope::within(&budget));
    assert_eq!(deep.end, End::Limit(Limit::Memory));
    assert!(deep.coverage.bytes <= memory && deep.coverage.states > 10_000, "{:?}", deep.coverage);
    let checked = check(
        &Engine::automatic(evaluator),
        &Question::SAFETY,
        &Options::default(),
        &SearchScope::within(&budget),
    )
    .unwrap();
    assert!(checked.answers().all(|a| matches!(a.verdict, Verdict::Undecided(Limit::Memory))));
}

#[test]
fn hidden_bytes_do_not_tell_states_apart() {
    let mut system = counters(2, 5);
    let plain = explore(&system).coverage.states;
    system.proctypes[0].transitions[0].statement = {
        let mut place = global(0);
        place.area = narrows_model::Area::Hidden;
        let value = Expr::Load(Box::new(place.clone()));
        Statement::Assign(place, binary(Binary::Add, value, Expr::Constant(1)))
    };
    system.hidden_bytes = 1;
    assert_eq!(Evaluator::new(&system).hidden_bytes(), 1);
    assert_eq!((plain, explore(&system).coverage.states, shortest(&system).coverage.states), (25, 5, 5));
}

/// Says all that a search says, but for memory.
fn told(exploration: &Exploration) -> String {
    let coverage = Coverage { bytes: 0, ..exploration.coverage.clone() };
    format!("{:?} {coverage:?} {:?}", exploration.end, exploration.findings)
}

#[test]
fn the_number_of_threads_changes_nothing() {
    let mut counted = counters(3, 12);
    // Wherever two counters meet something is wrong, and where all three stand at 11 nothing moves.
    for (number, proctype) in counted.proctypes.iter_mut().enumerate() {
        let claim = binary(Binary::NotEqual, load(number as u32), load((number as u32 + 1) % 3));
        let guard = binary(Binary::Less, load(number as u32), Expr::Constant(11));
        let guarded = vec![
            (0, 1, Statement::Condition(guard)),
            (1, 2, Statement::Assert(claim)),
            (2, 0, proctype.transitions[0].statement.clone()),
        ];
        *proctype = crate::samples::proctype("counter", guarded);
    }
    for system in [counters(3, 40), counters(4, 12), counted, crossing()] {
        let evaluator = Evaluator::new(&system);
        let search = |threads| {
            let budget = Budget { threads, ..Budget::unlimited(Unwatched) };
            breadth_first(&evaluator, &[], &SearchScope::within(&budget))
        };
        let one = search(1);
        assert_eq!(counts(&one).0, explore(&system).coverage.states);
        assert_eq!(counts(&one).1, explore(&system).coverage.transitions);
        for threads in [2, 3, 8] {
            assert_eq!(told(&search(threads)), told(&one));
        }
        for finding in &one.findings {
            let violation = matches!(finding.wrong, Wrong::Violation(_));
            let states = finding.run.as_ref().map(|run| run.states(&evaluator, violation).unwrap());
            if let (Wrong::Deadlock(state), Some(states)) = (&finding.wrong, states) {
                assert_eq!(states.last(), Some(state));
            }
        }
    }
}

#[test]
fn limits_stop_all_threads() {
    let system = counters(4, 24);
    let evaluator = Evaluator::new(&system);
    let watch = Stopwatch(AtomicU64::new(0));
    let budget = Budget { threads: 3, ..Budget::unlimited(watch) };
    let stopped = breadth_first(&evaluator, &[], &SearchScope::within(&budget));
    assert_eq!(stopped.end, End::Limit(Limit::Interrupted));
    for memory in [0, 1 << 10, 1 << 16, 1 << 19, 1 << 20] {
        let budget = Budget { memory, threads: 3, ..Budget::unlimited(Unwatched) };
        let full = breadth_first(&evaluator, &[], &SearchScope::within(&budget));
        assert_eq!(full.end, End::Limit(Limit::Memory));
        assert!(full.coverage.bytes <= memory);
    }
    let roomy = Budget { memory: 8 << 20, threads: 3, ..Budget::unlimited(Unwatched) };
    let all = breadth_first(&evaluator, &[], &SearchScope::within(&roomy));
    assert_eq!((all.end, counts(&all).0), (End::Complete, 24 * 24 * 24 * 24));
}
