//! From a state to its successors; follows `evaluator/steps.rs` line by line, with conditions in the place of
//! states.

use super::expressions::{Actor, refused};
use super::path::Path;
use super::{Alternative, Maker, Refused};
use crate::synchronous::{ExprId, Node, Value, VariableId};
use crate::{Expr, LocationId, Proctype, ProctypeId, Statement, Transition, ViolationKind};

/// The maximal length of an atomic sequence.
const MAX_SEQUENCE: usize = 2000;

impl Maker<'_> {
    /// Translates all steps. Returns the condition under which some process can move, without and with a
    /// timeout.
    pub(super) fn steps(&mut self) -> Result<ExprId, Refused> {
        let mut moved = self.round(false)?;
        if self.mentions_timeout() {
            let stuck = self.terms.not(moved);
            self.stuck = Some(stuck);
            self.timeout = true;
            let more = self.round(true)?;
            self.timeout = false;
            self.stuck = None;
            let more = self.terms.and(stuck, more);
            moved = self.terms.or(moved, more);
        }
        Ok(moved)
    }

    fn mentions_timeout(&self) -> bool {
        self.system.proctypes.iter().any(|proctype| {
            proctype.transitions.iter().any(|transition| mentions_timeout(&transition.statement))
        })
    }

    /// Executes the edges of each process at each location.
    fn round(&mut self, timeout: bool) -> Result<ExprId, Refused> {
        let mut moved = Vec::new();
        let start = Path::new(&mut self.terms);
        for pid in (0..self.layout.slots.len()).rev() {
            for kind in self.layout.slots[pid].kinds.clone() {
                let proctype = self.system.proctype(kind.proctype);
                for index in 0..proctype.locations.len() {
                    let location = LocationId(index as u16);
                    let is_asked = |edge: &crate::Edge| {
                        mentions_timeout(&proctype.transition(edge.transition).statement)
                    };
                    if timeout && !proctype.location(location).edges.iter().any(is_asked) {
                        continue;
                    }
                    let mut path = start.clone();
                    let actor = Actor { pid, proctype: Some(kind.proctype) };
                    self.pin(&mut path, actor, kind.first + index as Value);
                    if let Some(stuck) = self.stuck {
                        path.assume(&mut self.terms, stuck);
                    }
                    let here = self
                        .terms
                        .equals(start.value(self.layout.slots[pid].control), kind.first + index as Value);
                    let went = self.process(&path)?;
                    moved.push(self.terms.and(here, went));
                }
            }
        }
        Ok(self.terms.any(&moved))
    }

    /// Makes a process the one that takes a path, and assumes its location.
    fn pin(&mut self, path: &mut Path, actor: Actor, code: Value) {
        path.actor = actor;
        let control = self.layout.slots[actor.pid].control;
        let value = path.value(control);
        let here = self.terms.equals(value, code);
        path.assume(&mut self.terms, here);
        let code = self.terms.number(code);
        if matches!(self.terms.builder.system.node(value), Node::Current(variable) if *variable == control) {
            path.known.push((control, code));
        }
        path.set(control, code);
    }

    /// Returns where a process is on a path.
    fn location(&self, path: &Path) -> Option<LocationId> {
        let slot = self.layout.slots.get(path.actor.pid)?;
        let code = self.terms.constant(path.value(slot.control))?;
        let (kind, location) = slot.place(code)?;
        (Some(kind.proctype) == path.actor.proctype).then_some(location)
    }

    /// Starts to collect the conditions of faults; returns what was collected before.
    pub(super) fn begin_attempt(&mut self, mark: usize) -> (usize, ExprId) {
        let outer = (self.attempt, self.faulted);
        self.attempt = mark;
        self.faulted = self.terms.truth(false);
        outer
    }

    /// Returns the condition of a fault since the attempt began, and adds it to what was collected before.
    pub(super) fn end_attempt(&mut self, outer: (usize, ExprId), start: &Path) -> ExprId {
        let mine = self.faulted;
        self.attempt = outer.0;
        let since = start.since(&mut self.terms, outer.0);
        let here = self.terms.and(since, mine);
        self.faulted = self.terms.or(outer.1, here);
        mine
    }

    /// Executes every edge of a process; returns the condition under which one is taken, given the path.
    fn process(&mut self, path: &Path) -> Result<ExprId, Refused> {
        let nothing = self.terms.truth(false);
        let (Some(location), Some(kind)) = (self.location(path), path.actor.proctype) else {
            return Ok(nothing);
        };
        let proctype = self.system.proctype(kind);
        let mark = path.mark();
        let mut path = path.clone();
        self.provide(&mut path, proctype)?;
        let mut open = self.terms.truth(true);
        let mut escapes: Vec<(u16, ExprId)> = Vec::new();
        let mut moved = nothing;
        for edge in &proctype.location(location).edges {
            let transition = proctype.transition(edge.transition);
            // After a timeout, nothing else can move.
            if self.timeout && !mentions_timeout(&transition.statement) {
                continue;
            }
            for (_, taken) in escapes.iter().filter(|(group, _)| *group != edge.escape) {
                let other = self.terms.not(*taken);
                open = self.terms.and(open, other);
            }
            let mut start = path.clone();
            start.assume(&mut self.terms, open);
            if start.is_impossible() {
                continue;
            }
            self.count_step(transition.span)?;
            let taken = self.edge(&start, proctype, transition, moved)?;
            // Given the path that this began with.
            let since = start.since(&mut self.terms, mark);
            let when = self.terms.and(since, taken.when);
            if edge.escape > 0 || !escapes.is_empty() {
                let offered = self.terms.and(since, taken.offered);
                self.note_escape(&mut escapes, edge.escape, when, offered);
            }
            moved = self.terms.or(moved, when);
        }
        Ok(moved)
    }

    /// Remembers which edges may follow: once one is taken, those of the same group.
    fn note_escape(&mut self, escapes: &mut Vec<(u16, ExprId)>, group: u16, taken: ExprId, offered: ExprId) {
        // A message that nobody takes makes all edges possible again.
        let either = self.terms.or(taken, offered);
        let neither = self.terms.not(either);
        for (_, condition) in &mut *escapes {
            *condition = self.terms.and(*condition, neither);
        }
        if group > 0 {
            escapes.push((group, taken));
        }
    }

    /// Assumes that a process may move.
    fn provide(&mut self, path: &mut Path, proctype: &Proctype) -> Result<(), Refused> {
        let Some(condition) = &proctype.provided else { return Ok(()) };
        if asks_timeout(condition) {
            return Err(refused("Whether a process may move depends on a timeout.", proctype.span));
        }
        let hazards = self.hazards.len();
        let always = self.terms.truth(true);
        let holds = self.holds(path, condition, always)?;
        if self.hazards.len() > hazards {
            return Err(refused("What a process is provided with may go wrong.", proctype.span));
        }
        path.assume(&mut self.terms, holds);
        Ok(())
    }

    /// Executes an edge.
    fn edge(
        &mut self,
        start: &Path,
        proctype: &Proctype,
        transition: &Transition,
        moved: ExprId,
    ) -> Result<Taken, Refused> {
        let mark = start.mark();
        let outer = self.begin_attempt(mark);
        let hazards = self.hazards.len();
        let timeout = self.timeout;
        let tried = self.execute(start.clone(), &transition.statement, moved, transition.span)?;
        let tried_hazards = hazards..self.hazards.len();
        let mut ways = vec![self.end_attempt(outer, start)];
        // What goes on from here is no longer in the round after a timeout.
        self.timeout = false;
        for mut path in tried.done {
            ways.push(path.since(&mut self.terms, mark));
            if proctype.deterministic && transition.statement != Statement::Else {
                self.report(&path, moved, ViolationKind::Nondeterminism, transition.span);
            }
            path.offer = None;
            if transition.statement != Statement::End {
                self.arrive(&mut path, transition);
            }
            self.set_last(&mut path);
            if transition.atomic {
                self.stay_inside(&path, transition)?;
            } else {
                self.emit(&path);
            }
        }
        let mut offers = Vec::new();
        for mut path in tried.offered {
            let went = path.since(&mut self.terms, mark);
            self.arrive(&mut path, transition);
            self.set_last(&mut path);
            let taken = self.hold_out(&path)?;
            // What goes wrong with a message that nobody takes does not count.
            let whole = path.condition(&mut self.terms);
            let other = self.terms.not(whole);
            let counts = self.terms.or(other, taken);
            for index in tried_hazards.clone() {
                self.hazards[index].condition = self.terms.and(self.hazards[index].condition, counts);
            }
            offers.push(went);
            ways.push(self.terms.and(went, taken));
        }
        self.timeout = timeout;
        Ok(Taken { when: self.terms.any(&ways), offered: self.terms.any(&offers) })
    }

    /// Puts a process where a transition leads.
    fn arrive(&mut self, path: &mut Path, transition: &Transition) {
        let (actor, slot) = (path.actor, &self.layout.slots[path.actor.pid]);
        let first =
            slot.kinds.iter().find(|kind| Some(kind.proctype) == actor.proctype).map_or(0, |kind| kind.first);
        let (control, code) = (slot.control, first + Value::from(transition.target.0));
        let code = self.terms.number(code);
        path.set(control, code);
    }

    fn set_last(&mut self, path: &mut Path) {
        if let Some(last) = self.layout.last {
            let pid = self.terms.number(path.actor.pid as i32);
            path.set(last, pid);
        }
    }

    /// Lets another process take an offered message; returns the condition under which one can, given the
    /// path.
    fn hold_out(&mut self, path: &Path) -> Result<ExprId, Refused> {
        let mark = path.mark();
        let mut taken = Vec::new();
        for pid in (0..self.layout.slots.len()).rev().filter(|pid| *pid != path.actor.pid) {
            for kind in self.layout.slots[pid].kinds.clone() {
                let proctype = self.system.proctype(kind.proctype);
                for (index, location) in proctype.locations.iter().enumerate() {
                    let receives = |edge: &crate::Edge| {
                        let statement = &proctype.transition(edge.transition).statement;
                        matches!(statement, Statement::Receive(_) | Statement::DStep(_))
                    };
                    if !location.edges.iter().any(receives) {
                        continue;
                    }
                    let mut path = path.clone();
                    let actor = Actor { pid, proctype: Some(kind.proctype) };
                    self.pin(&mut path, actor, kind.first + index as Value);
                    if path.is_impossible() {
                        continue;
                    }
                    let went = self.process(&path)?;
                    let here = path.since(&mut self.terms, mark);
                    taken.push(self.terms.and(here, went));
                }
            }
        }
        Ok(self.terms.any(&taken))
    }

    /// Continues inside an atomic sequence; where it blocks, the state is stored like any other.
    fn stay_inside(&mut self, path: &Path, transition: &Transition) -> Result<(), Refused> {
        if path.is_impossible() {
            return Ok(());
        }
        if self.inside.len() > MAX_SEQUENCE {
            return Err(refused("An atomic sequence is too long, or does not end.", transition.span));
        }
        let here = (path.actor.pid, path.values.clone());
        if self.inside.contains(&here) {
            // From the same values on, it does the same again.
            let always = self.terms.truth(true);
            self.report(path, always, ViolationKind::EndlessAtomic, transition.span);
            return Ok(());
        }
        self.inside.push(here);
        let moved = self.process(path)?;
        self.inside.pop();
        let mut blocked = path.clone();
        let other = self.terms.not(moved);
        blocked.assume(&mut self.terms, other);
        self.emit(&blocked);
        Ok(())
    }

    /// Adds the alternative of a path.
    fn emit(&mut self, path: &Path) {
        if path.is_impossible() {
            return;
        }
        let condition = path.condition(&mut self.terms);
        let mut changes: Vec<(VariableId, ExprId)> = Vec::new();
        for (index, value) in path.values.iter().enumerate() {
            let variable = VariableId(index as u32);
            let known = path.known.iter().find(|(other, _)| *other == variable);
            let before = match known {
                Some((_, value)) => *value,
                None => self.terms.current(variable),
            };
            if *value == before {
                continue;
            }
            let crate::synchronous::Domain::Range(low, high) =
                self.terms.builder.system.variable(variable).domain
            else {
                continue;
            };
            if !super::terms::within(self.terms.range(*value), (low, high)) {
                let (low, high) = (self.terms.number(low), self.terms.number(high));
                let (below, above) = (self.terms.less(*value, low), self.terms.less(high, *value));
                let outside = self.terms.or(below, above);
                let beyond = self.terms.and(condition, outside);
                self.note_beyond(beyond);
            }
            changes.push((variable, *value));
        }
        let alternative = Alternative { condition, changes };
        if !self.alternatives.contains(&alternative) {
            self.alternatives.push(alternative);
        }
    }
}

/// The condition under which an edge is taken, given the path that it was tried on.
struct Taken {
    when: ExprId,
    /// The condition under which it offers a message, taken or not.
    offered: ExprId,
}

/// Returns whether a statement asks whether nothing else can move.
fn mentions_timeout(statement: &Statement) -> bool {
    let mut found = false;
    statement.each_read(&mut |expr| found |= asks_timeout(expr));
    found
}

fn asks_timeout(expr: &Expr) -> bool {
    let mut found = false;
    expr.each(&mut |part| found |= *part == Expr::Timeout);
    found
}

impl Maker<'_> {
    /// Returns the condition that every process is at a valid end state.
    pub(super) fn all_may_end(&mut self) -> ExprId {
        let path = Path::new(&mut self.terms);
        let awake: Vec<(usize, ProctypeId, Value)> = self.places(|location| !location.is_end);
        let mut list = Vec::new();
        for (pid, _, code) in awake {
            list.push(self.terms.equals(path.value(self.layout.slots[pid].control), code));
        }
        let somebody = self.terms.any(&list);
        self.terms.not(somebody)
    }

    fn places(&self, is_meant: impl Fn(&crate::Location) -> bool) -> Vec<(usize, ProctypeId, Value)> {
        let mut list = Vec::new();
        for (pid, slot) in self.layout.slots.iter().enumerate() {
            for kind in &slot.kinds {
                let locations = self.system.proctype(kind.proctype).locations.iter().enumerate();
                let meant = locations.filter(|(_, location)| is_meant(location));
                list.extend(meant.map(|(index, _)| (pid, kind.proctype, kind.first + index as Value)));
            }
        }
        list
    }
}
