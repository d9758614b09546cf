//! From a state to its successors: interleaving, atomicity, rendezvous, `else`, `timeout`, escapes,
//! priorities.
//!
//! The order is SPIN's: processes from the youngest to the oldest, edges as the text has them. States inside
//! an atomic sequence and in the middle of a rendezvous are passed through, not visited; a sequence that
//! blocks is visited there.
//!
//! What is left to do lies on a stack of its own, because a sequence may be as long as it likes. A process
//! that has just one way on needs no place there: it goes on where it is. So the stack grows with the choices
//! of a path alone.

mod finish;

use std::ops::ControlFlow;
use std::sync::Arc;

use super::Evaluator;
use super::attempt::{Attempt, StepRecord};
use super::channels::Offer;
use super::execute::Outcome;
use super::expressions::Context;
use super::frame::Frame;
use super::read_log::{Partner, ReadLog, StepPart};
use super::sequence::{AtomicPath, Choice};
use crate::{
    Expansion, Move, MoveKind, ProcessSet, Scratch, Statement, Successor, Transition, Violation,
    ViolationKind, Visit,
};

/// Executes a statement, and says of everything that goes wrong where it is written. `pulse` is asked now and
/// then whether a long `d_step` is to go on.
pub(super) fn execute(
    evaluator: &Evaluator<'_>,
    frame: &mut Frame,
    attempt: &Attempt<'_>,
    told: &mut StepRecord,
    pulse: &mut dyn FnMut() -> ControlFlow<()>,
) -> Result<Outcome, Violation> {
    let StepRecord { violations, events } = told;
    let before = violations.len();
    let span = attempt.transition.span;
    let mut context = Context::new(evaluator.system, frame, attempt.pid, violations);
    context.timeout = attempt.timeout;
    context.offer = attempt.offer;
    context.events = evaluator.records_events.then_some(events);
    context.pulse = Some(pulse);
    let processes = context.frame.process_count();
    let mut outcome = context.execute(&attempt.transition.statement, attempt.taken);
    if evaluator.forgets {
        evaluator.forget_at_start(context.frame, processes);
    }
    if let Err(fault) = &mut outcome
        && fault.span == narrows_source::Span::default()
    {
        fault.span = span;
    }
    // An assertion's place is its statement's; the statement itself does not know it.
    for violation in &mut violations[before..] {
        if violation.span == narrows_source::Span::default() {
            violation.span = span;
        }
    }
    outcome
}

/// Something on the stack.
#[derive(Debug)]
#[expect(clippy::large_enum_variant, reason = "most are turns, and there are few at a time")]
pub(crate) enum Task {
    Turn(Turn),
    HoldOut(HoldOut),
}

/// A process whose edges are tried one after the other.
#[derive(Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each says one thing about the turn")]
pub(crate) struct Turn {
    /// The state in which they are tried.
    frame: Frame,
    pid: usize,
    /// The number of the message that is held out to it, among those that are.
    offer: Option<usize>,
    timeout: bool,
    /// The next edge, and where edges end that are tried.
    edge: usize,
    end: usize,
    /// The escape whose edges alone may still be taken; 0 if all may.
    escape: u16,
    /// Whether an edge was taken here.
    moved: bool,
    /// Whether an edge was taken on the way here.
    moved_before: bool,
    /// Whether the process is inside an atomic sequence: where nothing can be done, the state is visited.
    inside: bool,
    /// Whether more than one way leads on.
    splits: bool,
    /// The number of this choice, if paths are merged.
    choice: Option<usize>,
    /// How far the path had come here.
    here: Marks,
    /// What comes next here, if it was looked for already.
    pending: Option<Event>,
}

/// A process holds out a message in the middle of a rendezvous, and others may take it.
#[derive(Debug)]
pub(crate) struct HoldOut {
    frame: Frame,
    sender: usize,
    /// The escape of the sender's edge.
    escape: u16,
    /// All processes from this one on were asked.
    asked: usize,
    /// No process before this one is asked.
    least: usize,
    taken: bool,
    here: Marks,
}

/// Lengths of what a path has told: moves, violations, events.
#[derive(Clone, Copy, Debug)]
struct Marks(usize, usize, usize);

/// What came of trying an edge, if it is more than nothing.
#[derive(Debug)]
struct Event {
    edge: usize,
    outcome: Result<Outcome, Violation>,
    /// The state behind it; `None` if the statement changes nothing.
    next: Option<Frame>,
    /// What it told, if that had to be put aside.
    told: StepRecord,
}

pub(super) struct Walk<'w, 's> {
    evaluator: &'w Evaluator<'s>,
    scratch: &'w mut Scratch,
    visit: &'w mut Visit<'w>,
    stopped: bool,
    timeout: bool,
    /// Messages that are held out.
    offers: Vec<Offer>,
    /// Whether every move is an edge of its own, also inside an atomic sequence.
    single: bool,
    /// Who wants to know what is read.
    log: Option<Arc<ReadLog>>,
    /// What is tried of a process.
    part: StepPart,
}

impl<'w, 's> Walk<'w, 's> {
    pub(super) fn new(
        evaluator: &'w Evaluator<'s>,
        scratch: &'w mut Scratch,
        visit: &'w mut Visit<'w>,
    ) -> Self {
        scratch.path.clear();
        Walk::resumed(evaluator, scratch, visit)
    }

    /// Goes on with the path that another engine has begun.
    pub(super) fn resumed(
        evaluator: &'w Evaluator<'s>,
        scratch: &'w mut Scratch,
        visit: &'w mut Visit<'w>,
    ) -> Self {
        scratch.tasks.clear();
        let offers = Vec::new();
        let (log, part) = (None, StepPart::default());
        Walk { evaluator, scratch, visit, stopped: false, timeout: false, offers, single: false, log, part }
    }

    /// Notes what is read of the state, and tries a part of what a process does.
    pub(super) fn logging(mut self, log: &Arc<ReadLog>, part: StepPart) -> Self {
        self.log = Some(Arc::clone(log));
        self.part = part;
        self
    }

    /// Makes every move an edge of its own.
    pub(super) fn single(mut self) -> Self {
        self.single = true;
        self
    }

    pub(super) fn expand(mut self, state: &[u8]) -> Expansion {
        let mut frame = self.scratch.frames.blank();
        frame.load(self.evaluator.system, state);
        let mut moved = false;
        for timeout in [false, true] {
            self.timeout = timeout;
            for pid in (0..frame.process_count()).rev() {
                moved |= self.process(&mut frame, pid);
                if self.stopped {
                    break;
                }
            }
            if moved || self.stopped {
                break;
            }
        }
        let expansion = if moved || self.stopped {
            Expansion::Moves
        } else if (0..frame.process_count()).all(|pid| self.may_end(&frame, pid)) {
            Expansion::Ended
        } else {
            Expansion::Deadlock
        };
        self.scratch.frames.give_back(frame);
        expansion
    }

    /// Visits what some processes do, unless that takes a timeout.
    pub(super) fn expand_some(mut self, processes: ProcessSet, state: &[u8]) {
        let mut frame = self.scratch.frames.blank();
        frame.load(self.evaluator.system, state);
        frame.log_reads(self.log.take());
        for pid in (0..frame.process_count()).rev().filter(|pid| processes.contains(*pid)) {
            self.process(&mut frame, pid);
            if self.stopped {
                break;
            }
        }
        self.scratch.frames.give_back(frame);
    }

    /// Goes on with a process inside an atomic sequence; returns whether the visitor broke off.
    pub(super) fn expand_inside(mut self, state: &[u8], pid: usize) -> bool {
        let mut frame = self.scratch.frames.blank();
        frame.load(self.evaluator.system, state);
        let here = self.marks();
        let edge = if self.may_move(&frame, pid, false) { 0 } else { usize::MAX };
        let turn = Turn { inside: true, edge, ..self.turn(frame, pid, None, false) };
        let (frame, _) = self.run(turn);
        self.restore(here);
        self.scratch.frames.give_back(frame);
        self.stopped
    }

    fn may_end(&self, frame: &Frame, pid: usize) -> bool {
        self.evaluator.proctype_of(frame, pid).location(frame.location(pid)).is_end
    }

    /// Tries every edge of a process; returns whether any could be taken.
    fn process(&mut self, frame: &mut Frame, pid: usize) -> bool {
        if !self.may_move(frame, pid, self.timeout) {
            return false;
        }
        let (edge, end) = match self.part.edge {
            Some(edge) => (usize::from(edge), usize::from(edge) + 1),
            None => (0, usize::MAX),
        };
        let turn = Turn { edge, end, ..self.turn(std::mem::take(frame), pid, None, self.timeout) };
        let moved;
        (*frame, moved) = self.run(turn);
        moved
    }

    fn turn(&self, frame: Frame, pid: usize, offer: Option<usize>, timeout: bool) -> Turn {
        Turn {
            frame,
            pid,
            offer,
            timeout,
            edge: 0,
            end: usize::MAX,
            escape: 0,
            moved: false,
            moved_before: false,
            inside: false,
            splits: false,
            choice: None,
            here: self.marks(),
            pending: None,
        }
    }

    fn marks(&self) -> Marks {
        let path = &self.scratch.path;
        Marks(path.moves.len(), path.told.violations.len(), path.told.events.len())
    }

    fn restore(&mut self, marks: Marks) {
        let path = &mut self.scratch.path;
        path.moves.truncate(marks.0);
        path.told.violations.truncate(marks.1);
        path.told.events.truncate(marks.2);
    }

    /// Does all that follows from a turn; returns its state, and whether the process could move.
    fn run(&mut self, first: Turn) -> (Frame, bool) {
        self.scratch.tasks.push(Task::Turn(first));
        loop {
            let ended = match self.scratch.tasks.pop() {
                Some(Task::Turn(turn)) => self.advance(turn),
                Some(Task::HoldOut(offer)) => {
                    self.ask_next(offer);
                    None
                }
                None => return (self.scratch.frames.blank(), false),
            };
            let Some(ended) = ended else { continue };
            if ended.inside && !ended.moved && !self.stopped {
                self.emit(Some(&ended.frame));
            }
            if let Some(choice) = ended.choice {
                self.scratch.path.leave(choice);
            }
            let moved = ended.moved || ended.moved_before;
            match self.scratch.tasks.last_mut() {
                None => return (ended.frame, moved),
                Some(Task::Turn(_)) => self.scratch.frames.give_back(ended.frame),
                Some(Task::HoldOut(offer)) => {
                    offer.taken |= moved;
                    // It lent its state to the receiver.
                    offer.frame = ended.frame;
                }
            }
        }
    }

    /// Goes on with a turn until it is over; `None` if something else comes first, and the turn waits for it.
    fn advance(&mut self, mut turn: Turn) -> Option<Turn> {
        loop {
            self.restore(turn.here);
            if self.stopped {
                return Some(turn);
            }
            let event = match turn.pending.take() {
                Some(mut event) => {
                    self.scratch.path.told.append(&mut event.told);
                    event
                }
                None => match self.next_event(&mut turn) {
                    Some(event) => event,
                    None => return Some(turn),
                },
            };
            turn = self.follow(turn, event)?;
        }
    }

    /// Tries edges until one does something; what it tells is added to the path.
    fn next_event(&mut self, turn: &mut Turn) -> Option<Event> {
        if turn.edge == usize::MAX {
            return None;
        }
        let proctype = self.evaluator.proctype_of(&turn.frame, turn.pid);
        let edges = &proctype.location(turn.frame.location(turn.pid)).edges;
        let Marks(moves, violations, events) = self.marks();
        while let Some(edge) = edges.get(turn.edge).filter(|_| turn.edge < turn.end) {
            if turn.escape > 0 && edge.escape != turn.escape {
                break;
            }
            turn.edge += 1;
            let (outcome, next) = self.attempt(turn, proctype.transition(edge.transition));
            if self.stopped {
                break;
            }
            // With the timeout everything is tried once more; what is wrong was said before.
            let is_silent = turn.timeout || self.scratch.path.told.violations.len() == violations;
            if matches!(outcome, Ok(Outcome::Blocked)) && is_silent {
                self.restore(Marks(moves, violations, events));
                if let Some(next) = next {
                    self.scratch.frames.give_back(next);
                }
                continue;
            }
            return Some(Event { edge: turn.edge - 1, outcome, next, told: StepRecord::default() });
        }
        None
    }

    /// Tries a transition; returns also the state behind it, unless the statement changes nothing.
    fn attempt(
        &mut self,
        turn: &mut Turn,
        transition: &Transition,
    ) -> (Result<Outcome, Violation>, Option<Frame>) {
        let wants_pulses = self.scratch.walks().with_pulses;
        let Scratch { frames, path, .. } = &mut *self.scratch;
        let AtomicPath { moves, told, .. } = path;
        let is_test =
            matches!(transition.statement, Statement::Skip | Statement::Else | Statement::Condition(_));
        let mut next = (!is_test).then(|| frames.copy_of(&turn.frame));
        let offer = turn.offer.map(|offer| &self.offers[offer]);
        let attempt = Attempt { pid: turn.pid, transition, offer, taken: turn.moved, timeout: turn.timeout };
        let (visit, stopped) = (&mut *self.visit, &mut self.stopped);
        let mut pulse = || {
            if wants_pulses && visit(Successor::pulse(moves, 0)).is_break() {
                *stopped = true;
                return ControlFlow::Break(());
            }
            ControlFlow::Continue(())
        };
        let frame = next.as_mut().unwrap_or(&mut turn.frame);
        (execute(self.evaluator, frame, &attempt, told, &mut pulse), next)
    }

    /// Does what follows from an edge that was tried; returns the turn if it goes on, `None` if it waits.
    fn follow(&mut self, mut turn: Turn, event: Event) -> Option<Turn> {
        // Where a turn is the first, no other waits for it.
        let partner = if self.scratch.tasks.is_empty() { self.part.partner } else { Partner::Anybody };
        let is_offer = matches!(event.outcome, Ok(Outcome::Offered(_)));
        if partner != Partner::Anybody && is_offer == (partner == Partner::Nobody) {
            if let Some(next) = event.next {
                self.scratch.frames.give_back(next);
            }
            return Some(turn);
        }
        let proctype = self.evaluator.proctype_of(&turn.frame, turn.pid);
        let from = turn.frame.location(turn.pid);
        let edge = &proctype.location(from).edges[event.edge];
        let transition = proctype.transition(edge.transition);
        let step = Move {
            pid: turn.pid as u8,
            proctype: turn.frame.proctype(turn.pid),
            from,
            transition: edge.transition,
            kind: if turn.offer.is_some() { MoveKind::Accept } else { MoveKind::Alone },
        };
        match event.outcome {
            Err(fault) => {
                // The run ends here, but the process did move: this is no deadlock.
                self.scratch.path.told.violations.push(fault);
                self.scratch.path.moves.push(step);
                self.emit(None);
                (turn.moved, turn.escape) = (true, edge.escape);
                Some(turn)
            }
            Ok(Outcome::Blocked | Outcome::BrokenOff) => {
                self.scratch.path.moves.push(step);
                self.emit(None);
                Some(turn)
            }
            Ok(Outcome::Done) => {
                if proctype.deterministic && turn.moved && transition.statement != Statement::Else {
                    let kind = ViolationKind::Nondeterminism;
                    let violation = Violation { kind, span: transition.span, pid: turn.pid as u8 };
                    self.scratch.path.told.violations.push(violation);
                }
                (turn.moved, turn.escape) = (true, edge.escape);
                if transition.atomic && !self.single {
                    return self.stay_inside(turn, event.next, step, transition);
                }
                let mut next = event.next.unwrap_or_else(|| self.scratch.frames.copy_of(&turn.frame));
                self.scratch.path.moves.push(step);
                self.arrive(&mut next, turn.pid, transition);
                self.emit(Some(&next));
                self.scratch.frames.give_back(next);
                Some(turn)
            }
            Ok(Outcome::Offered(offer)) => {
                if turn.inside && !std::mem::replace(&mut turn.splits, true) && !self.meet(&mut turn) {
                    return Some(turn);
                }
                let mut frame = event.next.unwrap_or_else(|| self.scratch.frames.copy_of(&turn.frame));
                self.scratch.path.moves.push(Move { kind: MoveKind::Offer, ..step });
                self.arrive(&mut frame, turn.pid, transition);
                self.offers.push(offer);
                let (sender, count, escape) = (turn.pid, frame.process_count(), edge.escape);
                let (least, asked) = match partner {
                    Partner::Only(pid) => (usize::from(pid), count.min(usize::from(pid) + 1)),
                    Partner::Anybody | Partner::Nobody => (0, count),
                };
                let hold_out =
                    HoldOut { frame, sender, escape, asked, least, taken: false, here: self.marks() };
                self.scratch.tasks.push(Task::Turn(turn));
                self.scratch.tasks.push(Task::HoldOut(hold_out));
                None
            }
        }
    }

    /// Lets the next process take a message that is held out.
    fn ask_next(&mut self, mut offer: HoldOut) {
        self.restore(offer.here);
        while offer.asked > offer.least && !self.stopped {
            offer.asked -= 1;
            let pid = offer.asked;
            if pid == offer.sender || !self.may_move(&offer.frame, pid, false) {
                continue;
            }
            let receiver =
                self.turn(std::mem::take(&mut offer.frame), pid, Some(self.offers.len() - 1), false);
            self.scratch.tasks.push(Task::HoldOut(offer));
            self.scratch.tasks.push(Task::Turn(receiver));
            return;
        }
        self.offers.pop();
        self.scratch.frames.give_back(offer.frame);
        if let Some(Task::Turn(sender)) = self.scratch.tasks.last_mut() {
            sender.moved |= offer.taken;
            sender.escape = if offer.taken { offer.escape } else { 0 };
        }
    }

    /// Goes on inside an atomic sequence, where a move was made that told what the path tells now.
    fn stay_inside(
        &mut self,
        mut turn: Turn,
        next: Option<Frame>,
        step: Move,
        transition: &Transition,
    ) -> Option<Turn> {
        // Outside, where the turn began, others need the state again.
        if turn.inside && !turn.splits {
            let told = self.marks();
            turn.pending = self.next_event(&mut turn);
            if let Some(event) = &mut turn.pending {
                event.told = self.scratch.path.told.split_off(told.1, told.2);
                turn.splits = true;
                if !self.meet(&mut turn) {
                    return Some(turn);
                }
            }
        }
        self.scratch.path.moves.push(step);
        let goes_on_here = turn.inside && !turn.splits;
        let mut frame = match next {
            Some(next) => next,
            None if goes_on_here => std::mem::take(&mut turn.frame),
            None => self.scratch.frames.copy_of(&turn.frame),
        };
        self.arrive(&mut frame, turn.pid, transition);
        if self.enter(&frame, turn.pid, transition) {
            self.scratch.frames.give_back(frame);
            if goes_on_here {
                // The rest of its edges is known to do nothing.
                turn.edge = usize::MAX;
            }
            return Some(turn);
        }
        if !goes_on_here {
            let edge = if self.may_move(&frame, turn.pid, false) { 0 } else { usize::MAX };
            let inner = Turn { inside: true, edge, ..self.turn(frame, turn.pid, None, false) };
            self.scratch.tasks.push(Task::Turn(turn));
            self.scratch.tasks.push(Task::Turn(inner));
            return None;
        }
        self.scratch.frames.give_back(std::mem::replace(&mut turn.frame, frame));
        (turn.moved, turn.moved_before, turn.escape, turn.timeout) = (false, true, 0, false);
        turn.edge = if self.may_move(&turn.frame, turn.pid, false) { 0 } else { usize::MAX };
        turn.here = self.marks();
        Some(turn)
    }

    /// Counts a move inside an atomic sequence; returns whether the path ends there, because it is a loop or
    /// the visitor has had enough.
    fn enter(&mut self, frame: &Frame, pid: usize, transition: &Transition) -> bool {
        let path = &mut self.scratch.path;
        path.count(1);
        if path.is_loop(pid, |state| frame.save(state)) {
            self.say_endless(transition.span, pid);
            return true;
        }
        if self.scratch.walks().with_pulses
            && let Some(first) = self.scratch.path.next_pulse()
        {
            self.pulse(first, frame.size());
        }
        self.stopped
    }

    /// Meets a choice inside an atomic sequence; returns whether it is to be followed. If not, the turn is
    /// over.
    fn meet(&mut self, turn: &mut Turn) -> bool {
        if self.scratch.walks().every_path || !self.scratch.path.merges() {
            return true;
        }
        let path = &mut self.scratch.path;
        let mut told = path.told.split_off(turn.here.1, turn.here.2);
        let choice = path.meet(turn.pid, |state| turn.frame.save(state));
        match choice {
            Choice::New(number) => {
                turn.choice = Some(number);
                self.scratch.path.told.append(&mut told);
                return true;
            }
            Choice::OnPath => {
                let system = self.evaluator.system;
                let last = self.scratch.path.moves.last();
                let transition = last.map(|last| system.proctype(last.proctype).transition(last.transition));
                self.say_endless(transition.map(|transition| transition.span).unwrap_or_default(), turn.pid);
            }
            // The last moves have not been seen: all before them are on a path that was visited.
            Choice::Followed if self.scratch.walks().with_pulses => {
                self.pulse(self.scratch.path.moves.len().saturating_sub(2), turn.frame.size());
            }
            Choice::Followed => {}
        }
        turn.edge = usize::MAX;
        turn.pending = None;
        turn.moved = true;
        false
    }
}
