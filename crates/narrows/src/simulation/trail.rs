//! Replays SPIN's trails.
//!
//! SPIN merges statements that touch local variables only and records the first of them, so a process may
//! have to catch up before its next recorded statement is there; nobody else can tell the difference.

use narrows_model::{Evaluator, Expansion, Expr, Move, Place, Single, Statement};
use narrows_report::{Trail, TrailEntry};

use super::moves::as_step;
use super::{ReplayError, Session, StepError};

/// At most this many moves are made to catch up with merged statements.
const CATCH_UP: usize = 100;

/// Replays a trail from the initial state. The error says at which line the replay failed, and why; what was
/// replayed until then is taken.
pub(super) fn replay(
    session: &mut Session<'_>,
    evaluator: Evaluator<'_>,
    trail: &Trail,
) -> Result<(), ReplayError> {
    let mut replay = Replay { evaluator, state: session.state().to_vec(), path: Vec::new() };
    let mut cycle = None;
    let mut next = 0;
    let mut failure = None;
    while next < trail.entries.len() {
        if trail.cycle.is_some_and(|start| start <= next) {
            cycle.get_or_insert(replay.path.len());
        }
        match replay.entry(&trail.entries[next..]) {
            Ok(used) => next += used,
            Err(reason) => {
                let TrailEntry { line, statement, .. } = trail.entries[next];
                failure = Some(ReplayError::Trail { line, statement, reason: reason(session) });
                break;
            }
        }
    }
    if failure.is_none() && trail.cycle.is_none() {
        replay.finish();
    }
    let cycle = take_all(session, evaluator, &replay.path, cycle);
    session.set_cycle(cycle);
    failure.map_or(Ok(()), Err)
}

/// Takes the moves, those of an atomic sequence as one step; returns the step with which the cycle starts.
fn take_all(
    session: &mut Session<'_>,
    evaluator: Evaluator<'_>,
    path: &[Single],
    cycle: Option<usize>,
) -> Option<usize> {
    let mut first = 0;
    let mut cycle_step = None;
    for index in 0..path.len() {
        if cycle == Some(first) {
            cycle_step.get_or_insert(session.position());
        }
        let goes_on = path.get(index + 1).is_some_and(|next| {
            cycle != Some(index + 1) && holder(evaluator, &path[index]) == Some(next.moves[0].pid)
        });
        if !goes_on {
            let step = as_step(evaluator, session.state(), &path[first..=index]);
            session.take(step);
            first = index + 1;
        }
    }
    cycle_step
}

/// Returns the process that keeps control after a move, being inside an atomic sequence.
fn holder(evaluator: Evaluator<'_>, single: &Single) -> Option<u8> {
    let last = single.moves.last()?;
    let transition = evaluator.system().proctype(last.proctype).transition(last.transition);
    transition.atomic.then_some(last.pid)
}

/// Why an entry can't be replayed; told only when the session can say where things are.
type Reason = Box<dyn Fn(&Session<'_>) -> StepError>;

struct Replay<'s> {
    evaluator: Evaluator<'s>,
    state: Vec<u8>,
    path: Vec<Single>,
}

impl Replay<'_> {
    fn number(&self, step: Move) -> u32 {
        self.evaluator.system().proctype(step.proctype).transition(step.transition).trail_number
    }

    fn make(&mut self, single: Single) {
        if let Some(after) = &single.after {
            self.state.clone_from(after);
        }
        self.path.push(single);
    }

    /// Replays the first of some entries, and the second with it in a rendezvous; returns how many.
    fn entry(&mut self, entries: &[TrailEntry]) -> Result<usize, Reason> {
        let entry = entries[0];
        let (length, state) = (self.path.len(), self.state.clone());
        let partner = entries.get(1).map(|entry| usize::from(entry.pid));
        for _ in 0..CATCH_UP {
            if let Some(single) = self.matching(entries) {
                let used = single.moves.len();
                self.make(single);
                for (index, entry) in entries[..used].iter().enumerate() {
                    self.catch_up(usize::from(entry.pid), &entries[index + 1..]);
                }
                return Ok(used);
            }
            let pid = usize::from(entry.pid);
            let here = self.is_at(pid, entry.statement);
            let late = if here { partner.filter(|other| *other != pid) } else { Some(pid) };
            let caught_up = late.is_some_and(|pid| self.advance(pid, !here));
            if !caught_up && !self.settle() {
                break;
            }
        }
        let reason = self.why_not(entry);
        self.path.truncate(length);
        self.state = state;
        Err(reason)
    }

    /// Makes the merged moves of a process up to its next recorded statement, if they lead there.
    fn catch_up(&mut self, pid: usize, rest: &[TrailEntry]) {
        let Some(next) = rest.iter().find(|entry| usize::from(entry.pid) == pid) else { return };
        let (length, state) = (self.path.len(), self.state.clone());
        for _ in 0..CATCH_UP {
            if self.is_at(pid, next.statement) {
                return;
            }
            if !self.advance(pid, false) {
                break;
            }
        }
        self.path.truncate(length);
        self.state = state;
    }

    /// Returns the move that the first entry records.
    fn matching(&self, entries: &[TrailEntry]) -> Option<Single> {
        let is =
            |step: &Move, entry: &TrailEntry| step.pid == entry.pid && self.number(*step) == entry.statement;
        let (list, _) = self.evaluator.singles(&self.state);
        let fits = |single: &&Single| {
            single.moves.len() <= entries.len() && single.moves.iter().zip(entries).all(|(m, e)| is(m, e))
        };
        let found = list.iter().filter(fits).find(|single| single.after.is_some());
        found.or_else(|| list.iter().find(fits)).cloned()
    }

    /// Returns whether a process is where a statement is, executable or not.
    fn is_at(&self, pid: usize, statement: u32) -> bool {
        let view = self.evaluator.describe(&self.state);
        let Some(process) = view.processes.get(pid) else { return false };
        let proctype = self.evaluator.system().proctype(process.proctype);
        let edges = &proctype.location(process.location).edges;
        edges.iter().any(|edge| proctype.transition(edge.transition).trail_number == statement)
    }

    /// Makes the only move that a process has, if there is just one; returns whether there was. `any` allows
    /// moves that others notice.
    fn advance(&mut self, pid: usize, any: bool) -> bool {
        let (list, _) = self.evaluator.singles(&self.state);
        let mut own = list.into_iter().filter(|single| usize::from(single.moves[0].pid) == pid);
        match (own.next(), own.next()) {
            (Some(single), None) if single.moves.len() == 1 && (any || self.may_be_merged(&single)) => {
                self.make(single);
                true
            }
            _ => false,
        }
    }

    /// Lets one process make a move that SPIN may have merged with an earlier one; returns whether one could.
    fn settle(&mut self) -> bool {
        let processes = self.evaluator.describe(&self.state).processes.len();
        (0..processes).any(|pid| self.advance(pid, false))
    }

    fn may_be_merged(&self, single: &Single) -> bool {
        let step = single.moves[0];
        let proctype = self.evaluator.system().proctype(step.proctype);
        self.path.last().and_then(|last| holder(self.evaluator, last)) == Some(step.pid)
            || is_private(&proctype.transition(step.transition).statement)
    }

    /// Makes the merged moves at the end of the trail, if they lead to what is wrong; otherwise leaves it
    /// where it ends.
    fn finish(&mut self) {
        let (length, state) = (self.path.len(), self.state.clone());
        if self.path.iter().any(|single| !single.violations.is_empty()) || self.is_deadlock() {
            return;
        }
        for _ in 0..CATCH_UP {
            if !self.settle() {
                break;
            }
            if self.path.last().is_some_and(|single| !single.violations.is_empty()) {
                return;
            }
        }
        if !self.is_deadlock() {
            self.path.truncate(length);
            self.state = state;
        }
    }

    fn is_deadlock(&self) -> bool {
        self.evaluator.singles(&self.state).1 == Expansion::Deadlock
    }

    fn why_not(&self, entry: TrailEntry) -> Reason {
        let evaluator = self.evaluator;
        let view = evaluator.describe(&self.state);
        let Some(process) = view.processes.get(usize::from(entry.pid)).cloned() else {
            return Box::new(move |_| StepError::NoProcess(entry.pid.to_string()));
        };
        let proctype = evaluator.system().proctype(process.proctype);
        let wanted = proctype.transitions.iter().find(|t| t.trail_number == entry.statement);
        let Some((span, text)) = wanted.map(|wanted| (wanted.span, wanted.text.clone())) else {
            return Box::new(move |_| StepError::NoStatement(process.label()));
        };
        let disabled = evaluator.disabled(&self.state).into_iter();
        let mut why =
            disabled.filter(|other| other.pid == process.pid && other.span == span).map(|other| other.reason);
        let why = why.next_back().filter(|_| self.is_at(process.pid, entry.statement));
        let at = process.span;
        Box::new(move |session| {
            let (process, statement, wanted) = (process.label(), text.clone(), session.place(span));
            match why.clone() {
                Some(reason) => StepError::Disabled { process, statement, place: wanted, reason },
                None => StepError::NotReached { process, statement, place: session.place(at), wanted },
            }
        })
    }
}

/// Returns whether a statement touches nothing but local variables.
fn is_private(statement: &Statement) -> bool {
    match statement {
        Statement::Skip => true,
        Statement::Condition(value) | Statement::Assert(value) | Statement::PrintMtype(value, _) => {
            reads_own(value)
        }
        Statement::Assign(place, value) => is_own(place) && reads_own(value),
        Statement::Print(_, values) => values.iter().all(reads_own),
        _ => false,
    }
}

fn is_own(place: &Place) -> bool {
    place.area == narrows_model::Area::Local && place.indices.iter().all(|index| reads_own(&index.value))
}

fn reads_own(value: &Expr) -> bool {
    match value {
        Expr::Constant(_) | Expr::Pid => true,
        Expr::Load(place) => is_own(place),
        Expr::Unary(_, operand) => reads_own(operand),
        Expr::Binary(_, left, right, _) => reads_own(left) && reads_own(right),
        Expr::Conditional(condition, left, right) => {
            [condition, left, right].into_iter().all(|e| reads_own(e))
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::super::examples::{counting, meeting};
    use super::super::{Recording, Status};
    use super::*;
    use narrows_model::Model;
    use narrows_report::read_trail;

    fn session(model: &Model) -> Session<'_> {
        Session::new(model, 1).expect("it has an initial state")
    }

    fn replay(session: &mut Session<'_>, trail: &Trail) -> Result<(), ReplayError> {
        session.replay(&Recording::Trail(trail.clone()))
    }

    fn check(example: &Model, text: &str) -> (String, usize) {
        let mut session = session(example);
        let result = replay(&mut session, &read_trail(text).expect("a trail"));
        (result.map_or_else(|wrong| wrong.to_string(), |()| String::new()), session.position())
    }

    #[test]
    fn an_atomic_sequence_is_one_step() {
        let example = counting();
        let mut session = session(&example);
        let trail = read_trail("1:0:1\n2:0:2\n3:0:3\n4:0:4\n5:0:5\n6:1:7\n7:1:8\n").expect("a trail");
        assert_eq!(replay(&mut session, &trail), Ok(()));
        assert_eq!(session.position(), 4);
        assert_eq!(session.violations().len(), 1);
    }

    #[test]
    fn processes_catch_up_with_merged_statements() {
        // P's `n = 7` (1) and Q's `k = 1` (4) are not in the trail; the rendezvous is two lines.
        let example = meeting();
        let mut session = session(&example);
        let trail = read_trail("1:0:2\n2:1:5\n3:1:6\n4:0:3\n").expect("a trail");
        assert_eq!(replay(&mut session, &trail), Ok(()));
        assert_eq!(session.position(), 5);
        assert_eq!(session.status(), Status::Ended);
    }

    #[test]
    fn a_merged_assertion_at_the_end_is_found() {
        let example = counting();
        let mut session = session(&example);
        let trail = read_trail("1:0:1\n2:0:5\n3:1:7\n").expect("a trail");
        assert_eq!(replay(&mut session, &trail), Ok(()));
        assert_eq!(session.violations().len(), 1);
    }

    #[test]
    fn marks_the_cycle() {
        let example = meeting();
        let mut session = session(&example);
        let trail = read_trail("1:0:1\n-1:-1:-1\n2:1:4\n3:0:2\n4:1:5\n").expect("a trail");
        assert_eq!(replay(&mut session, &trail), Ok(()));
        assert_eq!((session.position(), session.cycle()), (3, Some(1)));
    }

    #[test]
    fn says_where_and_why_it_does_not_fit() {
        let (result, taken) = check(&counting(), "1:0:1\n2:1:7\n");
        let empty = "the trail does not fit the model (line 2, statement 7): Q(1) can't execute [c?y] at \
                     example.pml:14: the channel is empty";
        assert_eq!((result.as_str(), taken), (empty, 1));
        let nobody = "the trail does not fit the model (line 1, statement 1): there is no process 5";
        assert_eq!(check(&counting(), "1:5:1\n").0, nobody);
        let nothing = "the trail does not fit the model (line 1, statement 99): P(0) has no such statement";
        assert_eq!(check(&counting(), "1:0:99\n").0, nothing);
    }
}
