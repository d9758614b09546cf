//! The workers of this process, and how they reach the others.

use std::net::TcpStream;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};

use narrows_explicit::{Elsewhere, End, Exploration, Goal, NumberedStates, SearchScope};
use narrows_model::{Coverage, Limit, StateSpace};
use timely::WorkerConfig;
use timely::communication::Hooks;
use timely::communication::allocator::zero_copy::initialize::initialize_networking_from_sockets;
use timely::communication::allocator::{AllocatorBuilder, ProcessBuilder};
use timely::execute::execute_from;
use timely::worker::Worker;

use crate::explorer::{Explorer, Task};
use crate::link::{Link, Trouble};
use crate::outgoing::Outgoing;
use crate::part::Parts;
use crate::rounds::{Hatch, LOOK_UP, Lost, carry, take_part};

/// Connects this process with all others, as often as it is asked: each search has connections of its own.
pub trait Mesh: Sync {
    /// Returns the number of this process.
    fn process(&self) -> usize;

    /// Returns the names of the hosts of all processes.
    fn hosts(&self) -> &[String];

    /// Returns a connection to each other process, in the order of processes, and none to this one. The error
    /// says who can't be reached.
    fn connect(&self) -> Result<Vec<Option<TcpStream>>, String>;
}

/// Some workers that search together, in this process and in others.
pub struct Team<'m> {
    /// How many workers each process has: the same number in all.
    workers: usize,
    mesh: Option<&'m dyn Mesh>,
    /// Who keeps what the first search needs to go on later.
    parts: Option<&'m dyn Parts>,
    has_searched: AtomicBool,
    trouble: Arc<Trouble>,
}

impl<'m> Team<'m> {
    /// Makes a team of so many workers in this process alone.
    pub fn local(workers: usize) -> Team<'m> {
        Team::made(workers, None)
    }

    /// Makes a team of so many workers in each of several processes.
    pub fn of(workers: usize, mesh: &'m dyn Mesh) -> Team<'m> {
        Team::made(workers, Some(mesh))
    }

    fn made(workers: usize, mesh: Option<&'m dyn Mesh>) -> Team<'m> {
        let (parts, has_searched) = (None, AtomicBool::new(false));
        Team { workers: workers.max(1), mesh, parts, has_searched, trouble: Arc::default() }
    }

    /// Has the first search saved from time to time, and go on from what was saved before.
    #[must_use]
    pub fn with_parts(self, parts: &'m dyn Parts) -> Team<'m> {
        Team { parts: Some(parts), ..self }
    }

    /// Returns where it is noted that another process can't be reached any more: whoever finds that out tells
    /// it.
    pub fn trouble(&self) -> &Arc<Trouble> {
        &self.trouble
    }

    fn search(&self, task: Task<'_>) -> Result<Exploration, Limit> {
        let lost = |why: String| {
            self.trouble.report(why);
            Limit::HostLost
        };
        // Better now than when the others are waiting.
        NumberedStates::new(task.budget.memory / task.share)?;
        self.trouble.expect_end(false);
        let locals = ProcessBuilder::new_typed_vector(self.workers, Hooks::default().refill, None);
        let (builders, guard) = match self.mesh {
            None => (locals.into_iter().map(AllocatorBuilder::Process).collect::<Vec<_>>(), None),
            Some(mesh) => {
                let sockets = mesh.connect().map_err(lost)?;
                let links = sockets.into_iter().zip(mesh.hosts()).map(|(socket, host)| {
                    socket.map(|socket| Link::new(socket, host.clone(), Arc::clone(&self.trouble)))
                });
                let built = initialize_networking_from_sockets(
                    locals,
                    links.collect(),
                    mesh.process(),
                    self.workers,
                    Hooks::default(),
                );
                let (builders, guard) = built.map_err(|error| lost(error.to_string()))?;
                (builders.into_iter().map(AllocatorBuilder::Tcp).collect(), Some(guard))
            }
        };
        let (first, peers) = match self.mesh {
            Some(mesh) => (mesh.process() * self.workers, mesh.hosts().len() * self.workers),
            None => (0, self.workers),
        };
        let hatches: Arc<Vec<Arc<Hatch>>> =
            Arc::new((0..self.workers).map(|_| Arc::new(Hatch::new())).collect());
        let (shared, trouble) = (Arc::clone(&hatches), Arc::clone(&self.trouble));
        let carrier = move |worker: &mut Worker| {
            let Some(hatch) = shared.get(worker.index() - first) else { return };
            let carried = catch_unwind(AssertUnwindSafe(|| carry(worker, hatch, &trouble)));
            if carried.is_err() {
                // Where a connection breaks, whoever writes to it panics; then that is known already.
                trouble.report("a thread of this process has ended".to_owned());
            }
        };
        let carriers =
            execute_from(builders, Box::new(()), WorkerConfig::default(), carrier).map_err(lost)?;
        let results: Vec<_> = std::thread::scope(|scope| {
            let members = hatches.iter().enumerate();
            let work = |(index, hatch): (usize, &Arc<Hatch>)| {
                let (hatch, me) = (Arc::clone(hatch), first + index);
                scope.spawn(move || self.work(&hatch, me, peers, task))
            };
            let threads: Vec<_> = members.map(work).collect();
            threads.into_iter().map(std::thread::ScopedJoinHandle::join).collect()
        });
        let mut explored = Err(Limit::HostLost);
        for result in results {
            match result {
                Ok(result) => explored = explored.or(result),
                Err(panic) => {
                    std::mem::forget((carriers, guard));
                    resume_unwind(panic);
                }
            }
        }
        if self.trouble.is_known() {
            // The threads of the network may wait for ever; nobody waits for them.
            std::mem::forget((carriers, guard));
            return Err(Limit::HostLost);
        }
        self.trouble.expect_end(true);
        let (told, tell) = channel();
        std::thread::spawn(move || {
            // The threads of the network panic if the end was not a clean one.
            let _ = catch_unwind(AssertUnwindSafe(|| drop((carriers, guard))));
            told.send(())
        });
        while matches!(tell.recv_timeout(LOOK_UP), Err(RecvTimeoutError::Timeout)) && !self.trouble.is_late()
        {
        }
        explored
    }

    /// Is one worker.
    fn work(&self, hatch: &Hatch, me: usize, peers: usize, task: Task<'_>) -> Result<Exploration, Limit> {
        let work = || {
            let mut out = Outgoing::new(me, peers);
            let mut explorer = Explorer::new(task, peers).inspect_err(|_| {
                self.trouble.report("there is no room for the first tables".to_owned());
            })?;
            let taken_part = take_part(hatch, &mut out, &mut explorer, &self.trouble);
            taken_part.map_err(|Lost| Limit::HostLost)?;
            Ok(explorer.outcome())
        };
        catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| {
            self.trouble.report("a worker of this process has ended".to_owned());
            resume_unwind(panic)
        })
    }
}

impl Elsewhere for Team<'_> {
    fn breadth_first(&self, space: &dyn StateSpace, goals: &[Goal], scope: &SearchScope<'_>) -> Exploration {
        let (budget, states, share) = (scope.budget, scope.states, self.workers as u64);
        // What is saved belongs to one search: the others would find what is not theirs.
        let parts = self.parts.filter(|_| !self.has_searched.swap(true, Ordering::Relaxed));
        let task = Task { space, goals, budget, states, share, parts };
        self.search(task).unwrap_or_else(|limit| Exploration {
            end: End::Limit(limit),
            coverage: Coverage { of_system: true, ..Coverage::default() },
            findings: Vec::new(),
            partial: 0,
            profile: None,
            labels: Vec::new(),
        })
    }
}
