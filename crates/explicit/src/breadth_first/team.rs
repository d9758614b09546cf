//! Threads that take turns at the jobs of a batch, and how long they take for what.
//!
//! Between two phases of a batch there are only microseconds, too few to put a thread to sleep and to wake it
//! again. So each thread runs an attendant: it looks for work in its own queue again and again, and gives up
//! its time, then itself, only if there is none for a while. A phase is handed to all threads at once, and
//! each has the same worker every time, so that what the worker remembers stays near its processor.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use narrows_model::{Phase, Watch};
use rayon_core::{ThreadPool, ThreadPoolBuilder, Yield};

/// What a search spends its time on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Activity {
    /// Finds successors and their keys.
    Expand,
    /// Adds keys to the set.
    Probe,
    /// Collects what is new.
    Gather,
    /// Notes what is new; one thread.
    Append,
    /// Learns how keys are made; one thread.
    Learn,
    /// Makes keys anew.
    Renew,
    /// Makes tables of components larger; one thread.
    Grow,
}

const ACTIVITIES: [(Activity, &str); 7] = [
    (Activity::Expand, "expand"),
    (Activity::Probe, "probe"),
    (Activity::Gather, "gather"),
    (Activity::Append, "append"),
    (Activity::Learn, "learn"),
    (Activity::Renew, "rebuild"),
    (Activity::Grow, "grow"),
];

/// How often something was done, and how many nanoseconds it took.
#[derive(Debug, Default)]
struct Clock {
    turns: AtomicU64,
    passed: AtomicU64,
    busy: AtomicU64,
    /// What passed, times the threads that could work.
    offered: AtomicU64,
}

/// Threads that take turns. They stay between one batch and the next: small batches would not pay for new
/// ones.
pub(super) struct Team {
    pool: Option<ThreadPool>,
    watch: Arc<dyn Watch>,
    attendance: Arc<Attendance>,
    clocks: [Clock; ACTIVITIES.len()],
}

/// Which threads are looking for work.
#[derive(Debug, Default)]
struct Attendance {
    present: Box<[AtomicBool]>,
    is_over: AtomicBool,
}

/// Looks for work so often before it lets others have the processor, …
const EAGER: u32 = 1 << 11;

/// … and so often after that before it gives up.
const PATIENT: u32 = 1 << 9;

impl Attendance {
    /// Does what comes up on this thread, until nothing has for a while.
    fn attend(&self, thread: usize) {
        let mut idle = 0;
        while idle < EAGER + PATIENT && !self.is_over.load(Ordering::Relaxed) {
            match rayon_core::yield_local() {
                Some(Yield::Executed) => idle = 0,
                _ if idle < EAGER => {
                    idle += 1;
                    std::hint::spin_loop();
                }
                _ => {
                    idle += 1;
                    std::thread::yield_now();
                }
            }
        }
        self.present[thread].store(false, Ordering::Relaxed);
    }
}

fn nanoseconds(seconds: f64) -> u64 {
    (seconds * 1e9) as u64
}

impl Team {
    /// Gathers so many threads. If there can be no others, this one does everything.
    pub(super) fn new(threads: usize, watch: &Arc<dyn Watch>) -> Team {
        let pool = || ThreadPoolBuilder::new().num_threads(threads).build().ok();
        let pool = (threads > 1).then(pool).flatten();
        let present = (0..threads).map(|_| AtomicBool::new(false)).collect();
        let attendance = Arc::new(Attendance { present, is_over: AtomicBool::new(false) });
        Team { pool, watch: Arc::clone(watch), attendance, clocks: Default::default() }
    }

    /// Does something in which threads take turns now and then. It is done by one of them: between two turns
    /// it is soon back, while a thread from outside would be put to sleep and woken each time.
    pub(super) fn lead<R: Send>(&self, work: impl FnOnce() -> R + Send) -> R {
        match &self.pool {
            Some(pool) => {
                let result = pool.install(work);
                self.attendance.is_over.store(true, Ordering::Relaxed);
                result
            }
            None => work(),
        }
    }

    /// Lets workers take turns at jobs until all are done.
    pub(super) fn share<W: Send, J: Send>(
        &self,
        activity: Activity,
        workers: &mut [W],
        jobs: &mut [J],
        work: impl Fn(&mut W, &mut J) + Sync,
    ) {
        self.share_after(activity, || {}, workers, jobs, work);
    }

    /// Does something on this thread, while the other ones begin to take turns at jobs.
    pub(super) fn share_after<W: Send, J: Send>(
        &self,
        activity: Activity,
        first: impl FnOnce() + Send,
        workers: &mut [W],
        jobs: &mut [J],
        work: impl Fn(&mut W, &mut J) + Sync,
    ) {
        let (threads, begin) = (workers.len(), self.watch.seconds());
        let parts = jobs.chunks_mut(jobs.len().div_ceil(threads.max(1)).max(1));
        let queues: Vec<_> = parts.map(|part| Mutex::new(part.iter_mut())).collect();
        // Neighbours are alike, so that each thread has its own part, and then helps others.
        let turns = |number: usize, worker: &mut W| {
            let begin = self.watch.seconds();
            for queue in (0..queues.len()).map(|next| &queues[(number + next) % queues.len()]) {
                let take = || queue.lock().ok().and_then(|mut queue| queue.next());
                while let Some(job) = take() {
                    work(worker, job);
                }
            }
            let busy = nanoseconds(self.watch.seconds() - begin);
            self.clocks[activity as usize].busy.fetch_add(busy, Ordering::Relaxed);
        };
        let leader = rayon_core::current_thread_index().filter(|_| self.pool.is_some() && threads > 1);
        match (leader, workers) {
            (Some(leader), workers) => {
                self.call(leader);
                let all = self.attendance.present.len();
                let workers: Vec<_> = workers.iter_mut().map(Mutex::new).collect();
                rayon_core::scope(|scope| {
                    scope.spawn_broadcast(|_, context| {
                        // The leader has the first one.
                        let number = (context.index() + all - leader) % all;
                        if let Some(worker) = workers.get(number) {
                            turns(number, &mut worker.lock().unwrap_or_else(PoisonError::into_inner));
                        }
                    });
                    first();
                });
            }
            (None, workers) => {
                first();
                workers.first_mut().into_iter().for_each(|worker| turns(0, worker));
            }
        }
        self.note(activity, begin, threads);
    }

    /// Calls attendants where there are none.
    fn call(&self, leader: usize) {
        let is_absent = |thread: usize| !self.attendance.present[thread].load(Ordering::Relaxed);
        if !(0..self.attendance.present.len()).any(|thread| thread != leader && is_absent(thread)) {
            return;
        }
        let attendance = Arc::clone(&self.attendance);
        rayon_core::spawn_broadcast(move |context| {
            let thread = context.index();
            if thread != leader && !attendance.present[thread].swap(true, Ordering::Relaxed) {
                attendance.attend(thread);
            }
        });
    }

    fn note(&self, activity: Activity, begin: f64, threads: usize) {
        let clock = &self.clocks[activity as usize];
        let passed = nanoseconds(self.watch.seconds() - begin);
        clock.turns.fetch_add(1, Ordering::Relaxed);
        clock.passed.fetch_add(passed, Ordering::Relaxed);
        clock.offered.fetch_add(passed * threads as u64, Ordering::Relaxed);
    }

    /// Does something on this thread alone.
    pub(super) fn alone<R>(&self, activity: Activity, work: impl FnOnce() -> R) -> R {
        let begin = self.watch.seconds();
        let result = work();
        let busy = nanoseconds(self.watch.seconds() - begin);
        self.clocks[activity as usize].busy.fetch_add(busy, Ordering::Relaxed);
        self.note(activity, begin, self.attendance.present.len());
        result
    }

    /// Returns how long it took for what.
    pub(super) fn phases(&self) -> Vec<Phase> {
        let seconds = |clock: &AtomicU64| clock.load(Ordering::Relaxed) as f64 / 1e9;
        let phase = |(activity, name): &(Activity, &'static str)| {
            let clock = &self.clocks[*activity as usize];
            let busy = seconds(&clock.busy);
            Phase {
                name,
                turns: clock.turns.load(Ordering::Relaxed),
                seconds: seconds(&clock.passed),
                busy,
                idle: (seconds(&clock.offered) - busy).max(0.0),
            }
        };
        ACTIVITIES.iter().map(phase).filter(|phase| phase.turns > 0).collect()
    }
}
