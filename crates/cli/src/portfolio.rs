//! Several engines for synchronous models: sets of states first, then these and satisfiability side by side.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

use narrows_model::synchronous::SynchronousSystem;
use narrows_model::{Limit, Question, Reply, Verdict};
use narrows_symbolic::{Budget, Checked};

use crate::progress::Display;

/// So long sets of states are tried alone.
const MOMENT: Duration = Duration::from_millis(700);

/// No question is being answered.
const NONE: usize = usize::MAX;

/// What answers questions about a synchronous model.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Choice {
    /// All of them.
    Automatic,
    /// Sets of states.
    Sets,
    /// Satisfiability, in one of its ways.
    Sat(narrows_sat::Engine),
}

/// What limits a check.
#[derive(Clone)]
pub(crate) struct Limits {
    pub(crate) memory: u64,
    pub(crate) time: Option<Duration>,
    pub(crate) start: Instant,
    pub(crate) interrupted: Arc<AtomicBool>,
    /// Shows how far it is.
    pub(crate) display: Option<Arc<Display>>,
}

impl Limits {
    /// Returns why to stop, with so many bytes in use.
    pub(crate) fn hit(&self, bytes: u64) -> Option<Limit> {
        if self.interrupted.load(Ordering::Relaxed) {
            return Some(Limit::Interrupted);
        }
        let elapsed = self.start.elapsed();
        if let Some(display) = &self.display {
            display.show_memory(bytes, elapsed);
        }
        self.time.is_some_and(|time| elapsed >= time).then_some(Limit::Time)
    }
}

/// What engines know of each other.
struct Board {
    /// The answers so far.
    replies: Mutex<Vec<Option<Reply>>>,
    /// Which are there, for a quick look.
    answered: Vec<AtomicBool>,
    /// Woken up when an engine has done what it can.
    done: Condvar,
    sets_done: Mutex<bool>,
}

impl Board {
    fn new(count: usize) -> Board {
        Board {
            replies: Mutex::new((0..count).map(|_| None).collect()),
            answered: (0..count).map(|_| AtomicBool::new(false)).collect(),
            done: Condvar::new(),
            sets_done: Mutex::new(false),
        }
    }

    fn is_answered(&self, number: usize) -> bool {
        self.answered[number].load(Ordering::Acquire)
    }

    fn is_complete(&self) -> bool {
        (0..self.answered.len()).all(|number| self.is_answered(number))
    }

    /// Keeps an answer, if it is one and the first.
    fn put(&self, number: usize, reply: &Reply) {
        if is_open(reply) {
            return;
        }
        let mut replies = self.replies.lock().unwrap_or_else(PoisonError::into_inner);
        if replies[number].is_none() {
            replies[number] = Some(reply.clone());
            self.answered[number].store(true, Ordering::Release);
        }
    }

    /// Returns why an engine should stop that works on a question.
    fn is_enough(&self, current: usize) -> bool {
        if current == NONE { self.is_complete() } else { self.is_answered(current) }
    }

    fn finish_sets(&self) {
        *self.sets_done.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.done.notify_all();
    }

    /// Waits until sets of states have had their moment; returns whether they are done.
    fn wait(&self) -> bool {
        let done = self.sets_done.lock().unwrap_or_else(PoisonError::into_inner);
        let waited = self.done.wait_timeout_while(done, MOMENT, |done| !*done);
        let (done, _) = waited.unwrap_or_else(PoisonError::into_inner);
        *done
    }
}

/// Returns whether there is no answer.
fn is_open(reply: &Reply) -> bool {
    match reply {
        Reply::Answer(answer) => matches!(answer.verdict, Verdict::Undecided(_) | Verdict::Refused(_)),
        Reply::Figure(figure) => figure.is_open(),
    }
}

/// Answers questions by the engines that were chosen.
pub(crate) fn check(
    system: &SynchronousSystem,
    questions: &[Question],
    choice: Choice,
    limits: &Limits,
) -> Checked {
    match choice {
        Choice::Sets => sets(system, questions, limits, limits.memory, None),
        Choice::Sat(engine) => sat(system, questions, engine, limits, limits.memory, None),
        Choice::Automatic => both(system, questions, limits),
    }
}

/// Stops an engine at a limit, or when what it works on has been answered by another one.
fn watch(
    limits: &Limits,
    board: Option<&Arc<Board>>,
    current: &Arc<AtomicUsize>,
) -> impl Fn(u64) -> Option<Limit> + Send + Sync + use<> {
    let (limits, board, current) = (limits.clone(), board.cloned(), Arc::clone(current));
    move |bytes: u64| {
        let is_enough = |board: &Arc<Board>| board.is_enough(current.load(Ordering::Relaxed));
        limits.hit(bytes).or_else(|| board.as_ref().is_some_and(is_enough).then_some(Limit::Enough))
    }
}

fn sets(
    system: &SynchronousSystem,
    questions: &[Question],
    limits: &Limits,
    memory: u64,
    board: Option<&Arc<Board>>,
) -> Checked {
    let current = Arc::new(AtomicUsize::new(NONE));
    let watch = watch(limits, board, &current);
    let budget = Budget { memory, depth: false, watch: Box::new(watch) };
    let mut checked = narrows_symbolic::check_each(
        system,
        questions,
        budget,
        &mut followed(board, &current, Some("symbolic")),
    );
    mark(&mut checked.results, "symbolic");
    checked
}

fn sat(
    system: &SynchronousSystem,
    questions: &[Question],
    engine: narrows_sat::Engine,
    limits: &Limits,
    memory: u64,
    board: Option<&Arc<Board>>,
) -> Checked {
    let current = Arc::new(AtomicUsize::new(NONE));
    let watch = watch(limits, board, &current);
    let budget = narrows_sat::Budget { memory, watch: Box::new(watch) };
    let checked = narrows_sat::check(system, questions, engine, budget, &mut followed(board, &current, None));
    Checked { results: checked.results, size: None, bytes: checked.bytes, limit: checked.limit }
}

/// Tells the board what an engine works on, and what it has found.
fn followed<'a>(
    board: Option<&'a Arc<Board>>,
    current: &'a AtomicUsize,
    engine: Option<&'static str>,
) -> impl FnMut(usize, Option<&Reply>) -> bool + 'a {
    move |number, reply| {
        let Some(board) = board else { return true };
        match reply {
            None => {
                current.store(number, Ordering::Relaxed);
                !board.is_answered(number)
            }
            Some(reply) => {
                current.store(NONE, Ordering::Relaxed);
                let mut reply = vec![reply.clone()];
                if let Some(engine) = engine {
                    mark(&mut reply, engine);
                }
                board.put(number, &reply[0]);
                true
            }
        }
    }
}

/// Notes which engine gave answers.
fn mark(replies: &mut [Reply], engine: &'static str) {
    for reply in replies {
        if let Reply::Answer(answer) = reply
            && !matches!(answer.verdict, Verdict::Undecided(_) | Verdict::Refused(_))
        {
            answer.engine = Some(engine);
        }
    }
}

/// Answers questions by all engines: each by the first that knows.
fn both(system: &SynchronousSystem, questions: &[Question], limits: &Limits) -> Checked {
    let board = Arc::new(Board::new(questions.len()));
    // Each may use half of the memory; clauses seldom need as much.
    let memory = limits.memory / 2;
    let (mut first, second) = std::thread::scope(|scope| {
        let other = std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, || {
            if board.wait() && board.is_complete() {
                return None;
            }
            Some(sat(system, questions, narrows_sat::Engine::Automatic, limits, memory, Some(&board)))
        });
        let first = sets(system, questions, limits, memory, Some(&board));
        board.finish_sets();
        let second = other.ok().and_then(|thread| thread.join().ok()).flatten();
        (first, second)
    });
    let mut found = board.replies.lock().unwrap_or_else(PoisonError::into_inner);
    for (number, reply) in first.results.iter_mut().enumerate() {
        if let Some(found) = found[number].take() {
            *reply = found;
        } else if let Some(second) = &second {
            both_open(reply, &second.results[number]);
        }
    }
    let is_open = first.results.iter().any(is_open);
    first.bytes += second.as_ref().map_or(0, |second| second.bytes);
    // What one engine could not do is no loss if the other did it.
    first.limit = first.limit.filter(|_| is_open).filter(|limit| *limit != Limit::Enough);
    first
}

/// Puts together why neither engine has an answer.
fn both_open(first: &mut Reply, second: &Reply) {
    if let (Reply::Answer(first), Reply::Answer(second)) = (first, second) {
        first.notes.extend(second.notes.iter().cloned());
        if matches!(first.verdict, Verdict::Undecided(Limit::Enough)) {
            first.verdict = second.verdict.clone();
        }
    }
}

/// Expressions may be deep. Pages that are not used cost nothing.
const STACK: usize = 256 << 20;
