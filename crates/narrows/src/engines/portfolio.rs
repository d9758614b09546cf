//! Several engines for synchronous systems: sets of states first, then these and satisfiability side by side.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};

use narrows_model::synchronous::SynchronousSystem;
use narrows_model::{FormKind, Limit, Model, Progress, Question, Refusal, Reply, Verdict, Watch};
use narrows_symbolic::Options;

use super::symbolic::Symbolic;
use super::{synchronous, synchronous_question};
use crate::{Budget, CheckOptions, Checked, Engine, Feature, Unanswered};

/// So many seconds sets of states are tried alone.
const HEAD_START: f64 = 0.7;

/// Where no clock tells, it is this many looks at the watch.
const LOOKS: usize = 500;

/// No question is being answered.
const NONE: usize = usize::MAX;

/// All engines for synchronous systems together.
pub(crate) struct Portfolio;

impl Engine for Portfolio {
    fn name(&self) -> &'static str {
        "portfolio"
    }

    fn forms(&self) -> &'static [FormKind] {
        &[FormKind::Synchronous]
    }

    fn features(&self, form: FormKind) -> &'static [Feature] {
        Symbolic.features(form)
    }

    fn accepts_question(
        &self,
        model: &Model,
        question: &Question,
        _: &CheckOptions<'_>,
    ) -> Result<(), Refusal> {
        synchronous_question(model, question)
    }

    fn answer(
        &self,
        model: &Model,
        questions: &[Question],
        options: &CheckOptions<'_>,
        budget: &Budget,
    ) -> Result<Checked, Unanswered> {
        // Decision diagrams alone have an order of variables, and count states where nothing else is asked.
        if options.order.is_some() || options.found_order.is_some() || questions.is_empty() {
            return Symbolic.answer(model, questions, options, budget);
        }
        Ok(both(synchronous(model)?, questions, budget))
    }
}

/// What engines know of each other.
struct Board {
    /// The answers so far.
    replies: Mutex<Vec<Option<Reply>>>,
    /// Which are there, for a quick look.
    answered: Vec<AtomicBool>,
    /// Woken up when sets of states are done, or have had their head start.
    woken: Condvar,
    begun: Mutex<bool>,
}

impl Board {
    fn new(count: usize) -> Board {
        Board {
            replies: Mutex::new((0..count).map(|_| None).collect()),
            answered: (0..count).map(|_| AtomicBool::new(false)).collect(),
            woken: Condvar::new(),
            begun: Mutex::new(false),
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
        if reply.is_open() {
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

    /// Lets the second engine begin.
    fn begin_second(&self) {
        *self.begun.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.woken.notify_all();
    }

    /// Waits until sets of states have had their head start, or are done.
    fn wait(&self) {
        let begun = self.begun.lock().unwrap_or_else(PoisonError::into_inner);
        drop(self.woken.wait_while(begun, |begun| !*begun));
    }
}

/// Stops an engine at a limit, or when what it works on has been answered by another one.
struct BoardWatch {
    whole: Arc<dyn Watch>,
    board: Arc<Board>,
    /// The question that the engine works on.
    current: Arc<AtomicUsize>,
    start: f64,
    looks: AtomicUsize,
}

impl Watch for BoardWatch {
    fn check(&self, progress: &Progress) -> Option<Limit> {
        let seconds = self.whole.seconds() - self.start;
        // Without a clock, looks are counted.
        let is_standing = seconds == 0.0 && self.looks.fetch_add(1, Ordering::Relaxed) >= LOOKS;
        if seconds >= HEAD_START || is_standing {
            self.board.begin_second();
        }
        let is_enough = || self.board.is_enough(self.current.load(Ordering::Relaxed));
        self.whole.check(progress).or_else(|| is_enough().then_some(Limit::Enough))
    }

    fn seconds(&self) -> f64 {
        self.whole.seconds()
    }

    fn seconds_left(&self) -> Option<f64> {
        self.whole.seconds_left()
    }
}

/// Has an engine work on what is open on a board, and put up there what it finds.
fn beside(
    budget: &Budget,
    start: f64,
    board: &Arc<Board>,
    engine: impl FnOnce(&Budget, &mut dyn FnMut(usize, Option<&Reply>) -> bool) -> Checked,
) -> Checked {
    let current = Arc::new(AtomicUsize::new(NONE));
    let watch = BoardWatch {
        whole: Arc::clone(&budget.watch),
        board: Arc::clone(board),
        current: Arc::clone(&current),
        start,
        looks: AtomicUsize::new(0),
    };
    let follow = &mut |number, reply: Option<&Reply>| match reply {
        None => {
            current.store(number, Ordering::Relaxed);
            !board.is_answered(number)
        }
        Some(reply) => {
            current.store(NONE, Ordering::Relaxed);
            board.put(number, reply);
            true
        }
    };
    engine(&Budget { watch: Arc::new(watch), ..budget.clone() }, follow)
}

/// Answers questions by all engines: each by the first that knows.
fn both(system: &SynchronousSystem, questions: &[Question], budget: &Budget) -> Checked {
    let board = Arc::new(Board::new(questions.len()));
    let start = budget.watch.seconds();
    // Each may use half of the memory; clauses seldom need as much.
    let half = Budget { memory: budget.memory / 2, ..budget.clone() };
    let (mut first, second) = std::thread::scope(|scope| {
        let other = std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, || {
            board.wait();
            // The stack of this thread may have used up what there was.
            if board.is_complete() || half.watch.check(&Progress::default()).is_some() {
                return None;
            }
            let engine = narrows_sat::Engine::Automatic;
            Some(beside(&half, start, &board, |budget, follow| {
                narrows_sat::check(system, questions, engine, budget, follow)
            }))
        });
        let first = beside(&half, start, &board, |budget, follow| {
            narrows_symbolic::check_each(system, questions, &Options::default(), budget, follow)
        });
        board.begin_second();
        let second = other.ok().and_then(|thread| thread.join().ok()).flatten();
        (first, second)
    });
    let mut found = board.replies.lock().unwrap_or_else(PoisonError::into_inner);
    for (number, reply) in first.replies.iter_mut().enumerate() {
        if let Some(found) = found[number].take() {
            *reply = found;
        } else if let Some(second) = &second {
            both_open(reply, &second.replies[number]);
        }
    }
    let is_open = first.replies.iter().any(Reply::is_open);
    first.coverage.bytes += second.as_ref().map_or(0, |second| second.coverage.bytes);
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
