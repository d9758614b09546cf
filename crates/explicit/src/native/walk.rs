//! From a state to its successors, in one buffer that is changed and changed back.
//!
//! The order, and what is visited, is the reference evaluator's (`narrows_model`, `evaluator/steps.rs`); this
//! walk differs in how it gets there. A statement in machine code changes the state in place, and its log
//! takes that back. What adds or removes processes, and whatever machine code finds unusual, works on a copy
//! one level up.

mod interpret;
mod levels;

use super::Native;
use super::level::Level;
use super::plan::{Action, Edge, Gate};
use super::undo_log::{BLOCKED, Code, DONE, EDGE_SHIFT, Mark, NO_MORE, OFFERED, UndoLog};
use narrows_model::{
    AtomicPath, Difference, Expansion, LocationId, Move, MoveKind, Offer, ProcessSet, ProctypeId, Scratch,
    Successor, Transition, Violation, ViolationKind, Visit, Walks, Workspace,
};

/// Inside an atomic sequence each choice is a level of recursion. Deeper than this, the reference evaluator
/// goes on: it has a stack of its own.
const DEEPEST: usize = 64;

/// With this many processes, or bytes, the reference evaluator finds out whether there may be more.
const MAX_PROCESSES: usize = 200;
const LARGE_STATE: usize = 1 << 20;

/// What a walk uses again and again.
#[derive(Default)]
pub(super) struct Memory {
    undo_log: UndoLog,
    /// The state that is worked on.
    level: Level,
    /// The states below it, up to `Walk::below`, and others to use again.
    levels: Vec<Level>,
    /// What processes have done since the state that is expanded.
    path: AtomicPath,
    offers: Vec<Offer>,
    /// For paths that the reference evaluator follows to their end.
    rest: Scratch,
    workspace: Workspace,
    /// A state before it was changed.
    before: Vec<u8>,
}

/// A process that tries an edge.
#[derive(Clone, Copy)]
struct Try<'w> {
    pid: usize,
    /// Where its component starts.
    at: usize,
    proctype: ProctypeId,
    from: LocationId,
    /// The number of the message that is held out to it, among those that are.
    offer: Option<usize>,
    edge: &'w Edge,
    deterministic: bool,
}

/// How it went: whether the process could move.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Went {
    Blocked,
    /// It moved, and only edges of the same escape come after it.
    Moved,
    /// It held out a message, and nobody took it.
    Refused,
}

pub(super) struct Walk<'w, 's> {
    space: &'w Native<'s>,
    memory: &'w mut Memory,
    visit: &'w mut Visit<'w>,
    stopped: bool,
    /// How many states are below the one that is worked on.
    below: usize,
    /// How many messages are held out.
    offers: usize,
    /// How many choices deep inside an atomic sequence.
    inside: usize,
    walks: Walks,
}

impl<'w, 's> Walk<'w, 's> {
    pub(super) fn new(space: &'w Native<'s>, scratch: &'w mut Scratch, visit: &'w mut Visit<'w>) -> Self {
        let walks = scratch.walks();
        let memory = scratch.memory::<Memory>();
        memory.rest.set_walks(walks);
        memory.path.clear();
        memory.undo_log.forget();
        Walk { space, memory, visit, stopped: false, below: 0, offers: 0, inside: 0, walks }
    }

    pub(super) fn expand(mut self, state: &[u8]) -> Expansion {
        let Memory { undo_log, level, .. } = &mut *self.memory;
        level.load(&self.space.layout, state);
        undo_log.look_at(level);
        let processes = level.processes.len();
        let mut moved = false;
        for timeout in [false, true] {
            self.memory.undo_log.timeout = u32::from(timeout);
            for pid in (0..processes).rev() {
                moved |= self.process(pid, None);
                if self.stopped {
                    break;
                }
            }
            if moved || self.stopped {
                return Expansion::Moves;
            }
        }
        let level = &self.memory.level;
        let may_end = |at: &u32| {
            let kind = &self.space.plan.kinds[usize::from(level.word(*at as usize))];
            kind.locations[usize::from(level.word(*at as usize + 2))].is_end
        };
        if level.processes.iter().all(may_end) { Expansion::Ended } else { Expansion::Deadlock }
    }

    /// Visits what some processes do, unless that takes a timeout.
    pub(super) fn expand_some(mut self, chosen: ProcessSet, state: &[u8]) {
        let Memory { undo_log, level, .. } = &mut *self.memory;
        level.load(&self.space.layout, state);
        undo_log.look_at(level);
        undo_log.timeout = 0;
        for pid in (0..level.processes.len()).rev().filter(|pid| chosen.contains(*pid)) {
            self.process(pid, None);
            if self.stopped {
                break;
            }
        }
    }

    /// Tries every edge of a process; returns whether any could be taken.
    fn process(&mut self, pid: usize, offer: Option<usize>) -> bool {
        let plan = &self.space.plan;
        let level = &self.memory.level;
        let at = level.processes[pid] as usize;
        let (proctype, from) = level.head(at);
        let kind = &plan.kinds[usize::from(proctype)];
        if !matches!(kind.gate, Gate::Open) && !self.may_move(kind.gate, pid, at) {
            return false;
        }
        let location = &kind.locations[usize::from(from)];
        let edges = &plan.edges[location.start as usize..location.end as usize];
        if let (None, Some(scan), false) = (offer, location.scan, self.space.records_events) {
            return self.scan(scan, pid, at, (ProctypeId(proctype), LocationId(from)), edges);
        }
        let mut escape = 0;
        let mut moved = false;
        for edge in edges {
            if escape > 0 && edge.escape != escape {
                break;
            }
            if offer.is_some() && !edge.receives {
                continue;
            }
            let (proctype, from) = (ProctypeId(proctype), LocationId(from));
            let deterministic = kind.deterministic && moved;
            let attempt = Try { pid, at, proctype, from, offer, edge, deterministic };
            let said = self.memory.path.told.violations.len();
            match self.attempt(attempt, moved) {
                Went::Blocked => {}
                Went::Moved => {
                    moved = true;
                    escape = edge.escape;
                }
                Went::Refused => escape = 0,
            }
            self.memory.path.told.violations.truncate(said);
            if self.stopped {
                break;
            }
        }
        moved
    }

    /// Tries all edges of a location by machine code that knows them all, as [`Walk::process`] does.
    fn scan(
        &mut self,
        scan: Code,
        pid: usize,
        at: usize,
        (proctype, from): (ProctypeId, LocationId),
        edges: &'w [Edge],
    ) -> bool {
        let mut moved = false;
        let mut next = 0;
        while next < edges.len() {
            let undo_log = &mut self.memory.undo_log;
            let mark = undo_log.mark();
            undo_log.offer_channel = 0;
            undo_log.taken = u32::from(moved);
            undo_log.next_edge = next as u32;
            let result = self.call(scan, pid, at);
            if result == NO_MORE {
                break;
            }
            let number = (result >> EDGE_SHIFT) as usize;
            next = number + 1;
            let edge = &edges[number];
            let attempt = Try { pid, at, proctype, from, offer: None, edge, deterministic: false };
            match result & ((1 << EDGE_SHIFT) - 1) {
                DONE => {
                    moved = true;
                    self.memory.path.moves.push(Self::move_of(attempt, MoveKind::Alone));
                    if edge.atomic {
                        self.stay_inside(attempt);
                    } else {
                        self.emit(true);
                    }
                    self.memory.path.moves.pop();
                    self.undo(mark);
                }
                OFFERED => {
                    moved |= self.offered(attempt) == Went::Moved;
                    self.undo(mark);
                }
                _ => {
                    self.undo(mark);
                    let said = self.memory.path.told.violations.len();
                    let went = match edge.action {
                        Action::Run(_) => self.interpret(attempt, moved),
                        _ => self.attempt(attempt, moved),
                    };
                    moved |= went == Went::Moved;
                    self.memory.path.told.violations.truncate(said);
                }
            }
            if self.stopped {
                break;
            }
        }
        moved
    }

    fn attempt(&mut self, attempt: Try<'_>, taken: bool) -> Went {
        let edge = attempt.edge;
        let action =
            if self.space.records_events && edge.communicates { Action::Interpreted } else { edge.action };
        // Most statements are of this kind: a branch that is guessed right costs less than a table.
        if let Action::Run(code) = action {
            return self.run(code, attempt, taken);
        }
        match action {
            Action::Interpreted => self.interpret(attempt, taken),
            Action::Always => self.done(attempt),
            Action::Else if taken => Went::Blocked,
            Action::Else => self.done(Try { deterministic: false, ..attempt }),
            Action::Run(code) => self.run(code, attempt, taken),
            Action::Create(number) => self.create(number, attempt, taken),
            Action::Step(guard, body) => self.step(guard, body, attempt, taken),
            Action::End => {
                if attempt.pid + 1 < self.memory.level.processes.len() {
                    return Went::Blocked;
                }
                self.push_copy();
                self.level_mut().remove_youngest();
                self.look_at_level();
                let went = self.after_end(attempt);
                self.pop_level();
                went
            }
        }
    }

    fn call(&mut self, code: Code, pid: usize, at: usize) -> u32 {
        let Memory { undo_log, level, .. } = &mut *self.memory;
        undo_log.pid = pid as u32;
        undo_log.run(code, level, at + self.space.layout.process_head)
    }

    /// Lets machine code execute a statement.
    fn run(&mut self, code: Code, attempt: Try<'_>, taken: bool) -> Went {
        let Memory { undo_log, offers, .. } = &mut *self.memory;
        let mark = undo_log.mark();
        undo_log.offer_channel = 0;
        if let Some(offer) = attempt.offer {
            undo_log.offer_channel = offers[offer].channel as u32 + 1;
            undo_log.offer = offers[offer].message.as_ptr();
        }
        let went = match self.call(code, attempt.pid, attempt.at) {
            BLOCKED => return Went::Blocked,
            DONE => self.done(attempt),
            OFFERED => self.offered(attempt),
            _ => {
                self.undo(mark);
                return self.interpret(attempt, taken);
            }
        };
        self.undo(mark);
        went
    }

    fn undo(&mut self, mark: Mark) {
        let Memory { undo_log, level, .. } = &mut *self.memory;
        undo_log.undo(mark, level);
    }

    /// Lets machine code execute a `d_step`; what it has changed is found afterwards.
    fn step(&mut self, guard: Option<Code>, body: Code, attempt: Try<'_>, taken: bool) -> Went {
        if attempt.offer.is_some() {
            return self.interpret(attempt, taken);
        }
        self.memory.undo_log.offer_channel = 0;
        self.memory.undo_log.taken = u32::from(taken);
        if let Some(guard) = guard {
            match self.call(guard, attempt.pid, attempt.at) {
                BLOCKED => return Went::Blocked,
                DONE => {}
                _ => return self.interpret(attempt, taken),
            }
        }
        let Memory { level, before, .. } = &mut *self.memory;
        before.clone_from(&level.bytes);
        let result = self.call(body, attempt.pid, attempt.at);
        let Memory { undo_log, level, before, .. } = &mut *self.memory;
        if result != DONE {
            level.bytes.clone_from(before);
            return self.interpret(attempt, taken);
        }
        let mark = undo_log.mark();
        undo_log.note_all(level, before);
        let went = self.done(attempt);
        self.undo(mark);
        went
    }

    /// Creates a process, on a copy of the state.
    fn create(&mut self, number: u32, attempt: Try<'_>, taken: bool) -> Went {
        let creation = &self.space.plan.creations[number as usize];
        let level = &self.memory.level;
        let is_usual = level.processes.len() < MAX_PROCESSES && level.visible < LARGE_STATE;
        self.memory.undo_log.offer_channel = 0;
        if !is_usual || self.call(creation.arguments, attempt.pid, attempt.at) != DONE {
            return self.interpret(attempt, taken);
        }
        self.push_copy();
        let Memory { undo_log, level, .. } = &mut *self.memory;
        let start = level.visible + creation.head.len();
        undo_log.run_result = level.processes.len() as u32;
        level.add_process(&creation.head, &creation.variables);
        let values = undo_log.held_out(creation.parameters.len());
        for ((offset, scalar), value) in creation.parameters.iter().zip(values) {
            scalar.write(&mut level.bytes, start + offset, *value);
        }
        for range in &creation.dead {
            level.bytes[start + range.start as usize..start + range.end as usize].fill(0);
        }
        self.look_at_level();
        let assigned =
            creation.assign.is_none_or(|assign| self.call(assign, attempt.pid, attempt.at) == DONE);
        let went = if assigned { Some(self.done(attempt)) } else { None };
        self.pop_level();
        went.unwrap_or_else(|| self.interpret(attempt, taken))
    }

    fn move_of(attempt: Try<'_>, kind: MoveKind) -> Move {
        let Try { pid, proctype, from, edge, .. } = attempt;
        Move { pid: pid as u8, proctype, from, transition: edge.transition, kind }
    }

    fn alone(attempt: Try<'_>) -> Move {
        Self::move_of(attempt, if attempt.offer.is_some() { MoveKind::Accept } else { MoveKind::Alone })
    }

    /// Goes on after a statement that was executed, and comes back to where the process was.
    fn done(&mut self, attempt: Try<'_>) -> Went {
        if attempt.deterministic {
            self.say_nondeterministic(attempt);
        }
        self.memory.path.moves.push(Self::alone(attempt));
        let mark = self.put(attempt);
        if attempt.edge.atomic {
            self.stay_inside(attempt);
        } else {
            self.emit(true);
        }
        self.undo(mark);
        self.memory.path.moves.pop();
        Went::Moved
    }

    fn say_nondeterministic(&mut self, attempt: Try<'_>) {
        let span = self.transition(attempt).span;
        let violation = Violation { kind: ViolationKind::Nondeterminism, span, pid: attempt.pid as u8 };
        self.memory.path.told.violations.push(violation);
    }

    fn transition(&self, attempt: Try<'_>) -> &'s Transition {
        self.space.evaluator.system().proctype(attempt.proctype).transition(attempt.edge.transition)
    }

    /// Puts the process where the edge leads; returns how to take that back.
    fn put(&mut self, attempt: Try<'_>) -> Mark {
        let Memory { undo_log, level, .. } = &mut *self.memory;
        let mark = undo_log.mark();
        undo_log.set_word(level, attempt.at + 2, attempt.edge.target.0);
        if self.space.layout.globals > 2 {
            undo_log.set_byte(level, 2, attempt.pid as u8);
        }
        let (start, end) = attempt.edge.dead;
        if start < end {
            let locals = attempt.at + self.space.layout.process_head;
            // Nobody reads them where the edge leads.
            for range in &self.space.plan.dead[start as usize..end as usize] {
                undo_log.set_to_zero(level, locals + range.start as usize..locals + range.end as usize);
            }
        }
        let (start, end) = attempt.edge.unread;
        if start < end {
            let globals = self.space.layout.globals;
            // Nor these, anywhere.
            for range in &self.space.plan.dead[start as usize..end as usize] {
                undo_log.set_to_zero(level, globals + range.start as usize..globals + range.end as usize);
            }
        }
        mark
    }

    /// Goes on after a process has ended.
    fn after_end(&mut self, attempt: Try<'_>) -> Went {
        if attempt.deterministic {
            self.say_nondeterministic(attempt);
        }
        self.memory.path.moves.push(Self::alone(attempt));
        if self.space.layout.globals > 2 {
            self.level_mut().bytes[2] = attempt.pid as u8;
        }
        self.emit(true);
        self.memory.path.moves.pop();
        Went::Moved
    }

    /// Lets someone else take the message that machine code holds out.
    fn offered(&mut self, attempt: Try<'_>) -> Went {
        let Memory { undo_log, offers, level, .. } = &mut *self.memory;
        let channel = undo_log.out_channel as usize - 1;
        let kind = level.word(level.channels[channel] as usize) & 0x7fff;
        let count = self.space.evaluator.system().channel_kinds[usize::from(kind)].fields.len();
        if offers.len() == self.offers {
            offers.push(Offer::default());
        }
        let offer = &mut offers[self.offers];
        offer.channel = channel;
        offer.message.clear();
        offer.message.extend_from_slice(undo_log.held_out(count));
        self.memory.path.moves.push(Self::move_of(attempt, MoveKind::Offer));
        let mark = self.put(attempt);
        let taken = self.hold_out(attempt.pid);
        self.undo(mark);
        self.memory.path.moves.pop();
        if taken { Went::Moved } else { Went::Refused }
    }

    /// Lets someone else take the youngest message that is held out; returns whether anyone could.
    fn hold_out(&mut self, sender: usize) -> bool {
        let timeout = std::mem::replace(&mut self.memory.undo_log.timeout, 0);
        let offer = self.offers;
        self.offers += 1;
        let mut taken = false;
        for pid in (0..self.memory.level.processes.len()).rev().filter(|pid| *pid != sender) {
            taken |= self.process(pid, Some(offer));
            if self.stopped {
                break;
            }
        }
        self.offers = offer;
        self.memory.undo_log.timeout = timeout;
        taken
    }

    /// Goes on inside an atomic sequence; where it blocks, the state is visited like any other.
    fn stay_inside(&mut self, attempt: Try<'_>) {
        self.memory.path.count(1);
        if self.is_over(attempt.pid) {
            return;
        }
        let chain = self.space.plan.kinds[usize::from(attempt.proctype.0)].chain;
        let chain = chain.filter(|_| !self.space.records_events);
        if self.inside == DEEPEST || chain.is_none() && self.merges() {
            return self.hand_over(attempt.pid);
        }
        let timeout = std::mem::replace(&mut self.memory.undo_log.timeout, 0);
        self.inside += 1;
        match chain {
            Some(chain) => self.follow(chain, attempt),
            None => self.go_on(attempt.pid),
        }
        self.inside -= 1;
        self.memory.undo_log.timeout = timeout;
    }

    /// Returns whether paths that meet are merged, which the reference evaluator does.
    fn merges(&self) -> bool {
        self.memory.path.merges() && !self.walks.every_path
    }

    /// Returns whether the path ends inside an atomic sequence: it is a loop, or the visitor has had enough.
    fn is_over(&mut self, pid: usize) -> bool {
        let Memory { path, level, .. } = &mut *self.memory;
        if path.is_loop(pid, |state| level.state().clone_into(state)) {
            let system = self.space.evaluator.system();
            let transition = |last: &Move| system.proctype(last.proctype).transition(last.transition);
            let span = path.moves.last().map(|last| transition(last).span).unwrap_or_default();
            let violation = Violation { kind: ViolationKind::EndlessAtomic, span, pid: pid as u8 };
            path.told.violations.push(violation);
            self.emit(false);
            self.memory.path.told.violations.pop();
            return true;
        }
        if self.walks.with_pulses
            && let Some(first) = path.next_pulse()
        {
            self.pulse(first);
        }
        self.stopped
    }

    /// Tells the visitor that the walk goes on, with the moves from a place on.
    fn pulse(&mut self, first: usize) {
        let Memory { path, undo_log, .. } = &*self.memory;
        let held = path.memory() + undo_log.memory() as u64;
        if (self.visit)(Successor::pulse(&path.moves[first..], held)).is_break() {
            self.stopped = true;
        }
    }

    /// Lets the reference evaluator go on inside an atomic sequence.
    fn hand_over(&mut self, pid: usize) {
        let Memory { path, level, rest, .. } = &mut *self.memory;
        rest.swap_path(path);
        self.stopped |= self.space.evaluator.successors_inside(level.state(), pid, rest, self.visit);
        rest.swap_path(path);
    }

    /// Goes on with whatever a process can do; if that is nothing, visits the state.
    fn go_on(&mut self, pid: usize) {
        if !self.process(pid, None) && !self.stopped {
            self.emit(true);
        }
    }

    /// Goes on as far as there is no choice, then as ever.
    fn follow(&mut self, chain: Code, attempt: Try<'_>) {
        let (mark, moves_before) = (self.memory.undo_log.mark(), self.memory.path.moves.len());
        let locals = attempt.at + self.space.layout.process_head;
        let (pid, proctype, kind) = (attempt.pid as u8, attempt.proctype, MoveKind::Alone);
        loop {
            let Memory { undo_log, level, path, before, .. } = &mut *self.memory;
            let most = path.until_compared();
            undo_log.offer_channel = 0;
            undo_log.pid = attempt.pid as u32;
            let ended = undo_log.run_chain(chain, level, locals, most);
            let length = path.moves.len();
            path.moves.extend(undo_log.chain().map(|(from, transition)| Move {
                pid,
                proctype,
                from,
                transition,
                kind,
            }));
            let steps = path.moves.len() - length;
            // The last move of all leads out of the sequence.
            path.count(steps - usize::from(ended));
            if ended {
                self.emit(true);
                break;
            }
            if steps < most {
                if self.merges() {
                    self.hand_over(attempt.pid);
                } else {
                    self.go_on(attempt.pid);
                }
                break;
            }
            undo_log.compact(mark, level, before);
            if self.is_over(attempt.pid) {
                break;
            }
        }
        self.memory.path.moves.truncate(moves_before);
        self.undo(mark);
    }

    #[inline]
    fn emit(&mut self, leads_on: bool) {
        let Memory { undo_log, level, levels, path, .. } = &*self.memory;
        let difference = if self.below == 0 {
            // What was noted are changes of this very state.
            Difference::Changes(undo_log.noted())
        } else if level.is_like(&levels[0]) {
            Difference::Alike
        } else {
            Difference::Unknown
        };
        let successor = Successor {
            moves: &path.moves,
            violations: &path.told.violations,
            events: &path.told.events,
            target: leads_on.then(|| level.state()),
            difference,
            ..Successor::default()
        };
        if (self.visit)(successor).is_break() {
            self.stopped = true;
        }
    }
}
