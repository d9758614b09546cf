//! Searches that are stopped and go on, beside searches that are not.

use std::io::{self, Read, Write};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use narrows_model::{Binary, Coverage, Evaluator, Expr, Limit, Question, Statement, System};

use crate::samples::{add, binary, load, proctype, system, when};
use crate::{
    Budget, CheckpointError, Checkpoints, End, Engine, Exploration, Finding, Goal, Progress, Reduction,
    SearchScope, Unwatched, Watch, breadth_first, breadth_first_reduced,
};

/// Keeps the last checkpoint in memory.
#[derive(Default)]
struct Kept {
    bytes: Mutex<Option<Vec<u8>>>,
    /// Whether to save after every batch.
    always: bool,
    saved: AtomicU64,
    refused: Mutex<Option<String>>,
    resumed: AtomicU64,
}

impl Checkpoints for Kept {
    fn is_due(&self) -> bool {
        self.always
    }

    fn save(&self, write: &mut dyn FnMut(&mut dyn Write) -> io::Result<()>) {
        let mut bytes = Vec::new();
        write(&mut bytes).unwrap();
        *self.bytes.lock().unwrap() = Some(bytes);
        self.saved.fetch_add(1, Ordering::Relaxed);
    }

    fn load(&self) -> Option<Box<dyn Read + '_>> {
        let bytes = self.bytes.lock().unwrap().clone()?;
        Some(Box::new(io::Cursor::new(bytes)))
    }

    fn loaded(&self, result: Result<Progress, CheckpointError>) {
        match result {
            Ok(progress) => self.resumed.store(progress.states, Ordering::Relaxed),
            Err(reason) => *self.refused.lock().unwrap() = Some(reason.to_string()),
        }
    }
}

impl Kept {
    /// Goes as far as the budget allows, and keeps that.
    fn scope<'a>(&'a self, budget: &'a Budget) -> SearchScope<'a> {
        SearchScope { checkpoints: Some(self), ..SearchScope::within(budget) }
    }
}

/// Stops a search when it has been asked this many times.
struct StopAfter(AtomicU64);

impl StopAfter {
    fn new(times: u64) -> StopAfter {
        StopAfter(AtomicU64::new(times))
    }
}

impl Watch for StopAfter {
    fn check(&self, _: &Progress) -> Option<Limit> {
        let left = self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1));
        left.is_err().then_some(Limit::Time)
    }
}

/// Some processes that count up to a value, each with an assertion that is wrong at some of them, and stop
/// there.
fn climbers(count: u32, top: i32) -> System {
    let one = |offset| {
        let claim = Statement::Assert(binary(Binary::NotEqual, load(offset), Expr::Constant(top / 2)));
        proctype(
            "climber",
            vec![(0, 1, when(Binary::Less, offset, top)), (1, 2, add(offset, 1)), (2, 0, claim)],
        )
    };
    system(count, count as usize, None, (0..count).map(one).collect())
}

fn result(exploration: &Exploration) -> (End, Coverage, Vec<Finding>) {
    let coverage = Coverage { bytes: 0, ..exploration.coverage.clone() };
    (exploration.end, coverage, exploration.findings.clone())
}

fn assert_same(one: &Exploration, other: &Exploration, what: &str) {
    assert_eq!(format!("{:?}", result(one)), format!("{:?}", result(other)), "{what}");
}

fn goals() -> [Goal; 1] {
    [Goal { question: Question::Faults, patience: None }]
}

#[test]
fn whatever_the_pieces_the_whole_is_the_same() {
    let system = climbers(3, 12);
    let evaluator = Evaluator::new(&system);
    let whole = breadth_first(&evaluator, &[], &SearchScope::within(&Budget::unlimited(Unwatched)));
    assert!(whole.coverage.states > 40_000 && whole.findings.len() == 2, "{whole:?}");
    for threads in [1, 2] {
        for times in [0, 3, 20, 50] {
            let kept = Kept::default();
            for piece in 1.. {
                // A batch must be visited in one piece, so that there must be more time at last.
                let watch = StopAfter::new(times + piece - 1);
                let budget = Budget { threads, ..Budget::unlimited(watch) };
                let exploration = breadth_first(&evaluator, &[], &kept.scope(&budget));
                if exploration.end == End::Complete {
                    assert_same(
                        &whole,
                        &exploration,
                        &format!("{threads} threads, {times} times, {piece} pieces"),
                    );
                    assert!(piece > 1);
                    break;
                }
                assert_eq!(exploration.end, End::Limit(Limit::Time));
                assert_eq!(kept.saved.load(Ordering::Relaxed), piece);
            }
        }
    }
}

/// Keeps every checkpoint.
#[derive(Default)]
struct All(Mutex<Vec<Vec<u8>>>);

impl Checkpoints for All {
    fn is_due(&self) -> bool {
        true
    }

    fn save(&self, write: &mut dyn FnMut(&mut dyn Write) -> io::Result<()>) {
        let mut bytes = Vec::new();
        write(&mut bytes).unwrap();
        self.0.lock().unwrap().push(bytes);
    }

    fn load(&self) -> Option<Box<dyn Read + '_>> {
        None
    }

    fn loaded(&self, _: Result<Progress, CheckpointError>) {}
}

/// Goes on from every batch of a search, and compares with the search as a whole.
fn go_on_from_all(search: &dyn Fn(&SearchScope<'_>) -> Exploration, at_least: usize) {
    let budget = Budget::unlimited(Unwatched);
    let unlimited = SearchScope::within(&budget);
    let whole = search(&unlimited);
    let all = All::default();
    assert_same(
        &whole,
        &search(&SearchScope { checkpoints: Some(&all), ..unlimited }),
        "saving changes nothing",
    );
    let batches = all.0.into_inner().unwrap();
    assert!(batches.len() >= at_least, "{} batches", batches.len());
    for (number, bytes) in batches.into_iter().enumerate() {
        let kept = Kept { bytes: Mutex::new(Some(bytes)), ..Kept::default() };
        let budget = Budget { threads: 1 + number % 2, ..budget.clone() };
        assert_same(&whole, &search(&kept.scope(&budget)), &format!("batch {number}"));
        assert!(kept.resumed.load(Ordering::Relaxed) > 0);
    }
}

#[test]
fn any_batch_will_do_to_go_on_from() {
    let system = climbers(2, 9);
    let evaluator = Evaluator::new(&system);
    go_on_from_all(&|scope| breadth_first(&evaluator, &goals(), scope), 20);
}

/// Processes that count up, each its own variable and one of all, so that some orders matter and some do not.
fn sharers(count: u32, top: i32) -> System {
    let one = |offset| {
        let claim = Statement::Assert(binary(Binary::Less, load(0), Expr::Constant(count as i32 * top)));
        let steps = vec![
            (0, 1, when(Binary::Less, offset, top)),
            (1, 2, add(offset, 1)),
            (2, 3, add(0, 1)),
            (3, 0, claim),
        ];
        proctype("sharer", steps)
    };
    system(count + 1, count as usize, None, (1..=count).map(one).collect())
}

#[test]
fn a_reduced_search_goes_on_too() {
    let budget = Budget::unlimited(Unwatched);
    let unlimited = SearchScope::within(&budget);
    for (top, stops) in [(5, false), (11, true)] {
        let system = sharers(3, top);
        let engine = Engine::interpreter(Evaluator::new(&system));
        let reduction = Reduction::for_safety(&engine).unwrap();
        let search = |scope: &SearchScope<'_>| breadth_first_reduced(&engine, Some(&reduction), &[], scope);
        let whole = search(&unlimited);
        assert!(whole.coverage.states < breadth_first(&engine, &[], &unlimited).coverage.states);
        assert_eq!(whole.findings.len(), 2);
        if stops {
            stop_again_and_again(&search, &whole);
        } else {
            go_on_from_all(&search, 20);
        }
    }
}

/// Stops a search in the middle of batches: when it has taken a while, and when there is no room.
fn stop_again_and_again(search: &dyn Fn(&SearchScope<'_>) -> Exploration, whole: &Exploration) {
    let kept = Kept::default();
    for piece in 0.. {
        let watch = StopAfter::new(piece / 4);
        let exploration = search(&kept.scope(&Budget::unlimited(watch)));
        if exploration.end == End::Complete {
            assert_same(whole, &exploration, "stopped again and again");
            assert!(piece > 3, "{piece} pieces");
            break;
        }
    }
    let mut saved = 0;
    for number in 10..40 {
        let kept = Kept::default();
        let memory = whole.coverage.bytes * number / 40;
        let tight = Budget { memory, ..Budget::unlimited(Unwatched) };
        if search(&kept.scope(&tight)).end == End::Limit(Limit::Memory) {
            saved += kept.saved.load(Ordering::Relaxed);
            let roomy = Budget { memory: u64::MAX, ..tight };
            assert_same(whole, &search(&kept.scope(&roomy)), &format!("{memory} bytes"));
        }
    }
    assert!(saved > 0);
}

#[test]
fn more_memory_goes_on_where_there_was_none() {
    let system = climbers(3, 12);
    let evaluator = Evaluator::new(&system);
    let whole = breadth_first(&evaluator, &[], &SearchScope::within(&Budget::unlimited(Unwatched)));
    let (mut stopped, mut resumed) = (0, 0);
    for number in 10..40 {
        let kept = Kept::default();
        let (memory, threads) = (whole.coverage.bytes * number / 40, 1 + number as usize % 2);
        let tight = Budget { memory, threads, ..Budget::unlimited(Unwatched) };
        let first = breadth_first(&evaluator, &[], &kept.scope(&tight));
        if first.end == End::Limit(Limit::Memory) {
            stopped += 1;
            resumed += kept.saved.load(Ordering::Relaxed);
            let roomy = Budget { memory: u64::MAX, ..tight };
            assert_same(
                &whole,
                &breadth_first(&evaluator, &[], &kept.scope(&roomy)),
                &format!("{memory} bytes"),
            );
        }
    }
    assert!(stopped > 10 && resumed > stopped / 2, "{stopped} stopped, {resumed} saved");
}

#[test]
fn what_is_wrong_is_refused_and_kept() {
    let system = climbers(2, 9);
    let evaluator = Evaluator::new(&system);
    let kept = Kept { always: true, ..Kept::default() };
    let budget = Budget::unlimited(Unwatched);
    breadth_first(&evaluator, &[], &kept.scope(&budget));
    let bytes = kept.bytes.lock().unwrap().clone().unwrap();
    // Other goals, and any end that is too early.
    let cut = (0..bytes.len()).step_by(997).map(|length| (bytes[..length].to_vec(), false));
    for (bytes, other) in cut.chain([(bytes.clone(), true)]) {
        let kept = Kept { bytes: Mutex::new(Some(bytes.clone())), ..Kept::default() };
        let goals = goals();
        let exploration = breadth_first(&evaluator, if other { &goals } else { &[] }, &kept.scope(&budget));
        assert_eq!(exploration.end, End::Limit(Limit::Interrupted));
        assert!(kept.refused.lock().unwrap().is_some());
        assert_eq!(*kept.bytes.lock().unwrap(), Some(bytes));
    }
}

#[test]
fn loading_can_be_stopped() {
    let system = climbers(3, 12);
    let evaluator = Evaluator::new(&system);
    let kept = Kept { always: true, ..Kept::default() };
    let budget = Budget::unlimited(Unwatched);
    let scope = SearchScope { states: 45_000, ..kept.scope(&budget) };
    assert_eq!(breadth_first(&evaluator, &[], &scope).end, End::Enough);
    let bytes = kept.bytes.lock().unwrap().clone();
    let stopping = Budget::unlimited(StopAfter::new(0));
    let stopped = breadth_first(&evaluator, &[], &SearchScope { budget: &stopping, ..scope });
    assert_eq!(stopped.end, End::Limit(Limit::Time));
    assert_eq!(*kept.bytes.lock().unwrap(), bytes);
}

/// Stops a search the first time it looks at limits while its states stay the same: keys are being made anew.
struct StopInRenewal {
    states: AtomicU64,
    looks: AtomicU64,
    wanted: u64,
}

impl Watch for StopInRenewal {
    fn check(&self, progress: &Progress) -> Option<Limit> {
        let before = self.states.swap(progress.states, Ordering::Relaxed);
        let learning = progress.states >= LEARN_FROM && before == progress.states;
        let looks = self.looks.fetch_add(u64::from(learning), Ordering::Relaxed) + u64::from(learning);
        (learning && looks >= self.wanted).then_some(Limit::Time)
    }
}

const LEARN_FROM: u64 = 30_000;

#[test]
fn stops_while_keys_are_made_anew_and_goes_on() {
    let system = climbers(3, 12);
    let evaluator = Evaluator::new(&system);
    let budget = Budget::unlimited(Unwatched);
    let unlimited = SearchScope { learn_from: LEARN_FROM, ..SearchScope::within(&budget) };
    let whole = breadth_first(&evaluator, &[], &unlimited);
    for wanted in 1..=3 {
        let kept = Kept::default();
        let watch = StopInRenewal { states: AtomicU64::new(0), looks: AtomicU64::new(0), wanted };
        let budget = Budget { threads: 2, ..Budget::unlimited(watch) };
        let scope = SearchScope { learn_from: LEARN_FROM, ..kept.scope(&budget) };
        let part = breadth_first(&evaluator, &[], &scope);
        assert_eq!(part.end, End::Limit(Limit::Time), "{wanted}");
        assert!(part.coverage.states < whole.coverage.states, "{wanted}");
        assert_eq!(kept.saved.load(Ordering::Relaxed), 1, "{wanted}");
        let rest = breadth_first(&evaluator, &[], &SearchScope { checkpoints: Some(&kept), ..unlimited });
        assert_eq!(kept.resumed.load(Ordering::Relaxed), part.coverage.states, "{wanted}");
        assert_same(&whole, &rest, "goes on from the middle of a renewal");
    }
}
