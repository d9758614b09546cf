//! What statements do on a path; follows `evaluator/execute.rs` and `evaluator/processes.rs` line by line.

use std::collections::BTreeMap;

use narrows_source::Span;

use super::channels::StatementPaths;
use super::expressions::{Actor, refused};
use super::path::Path;
use super::{Maker, Refused};
use crate::synchronous::ExprId;
use crate::{DStep, Guard, Node, NodeId, Run, Setup, Statement, ViolationKind};

/// The maximal number of statements that are executed symbolically in a `d_step`.
const MAX_DSTEP_PATHS: usize = 5000;

impl Maker<'_> {
    /// Executes a statement symbolically; `taken` says whether an earlier edge of the location was taken.
    /// Violations without a span of their own are at `span`.
    pub(super) fn execute(
        &mut self,
        mut path: Path,
        statement: &Statement,
        taken: ExprId,
        span: Span,
    ) -> Result<StatementPaths, Refused> {
        let mut tried = StatementPaths::default();
        let is_open =
            path.offer.is_none() || matches!(statement, Statement::Receive(_) | Statement::DStep(_));
        if path.is_impossible() || !is_open {
            return Ok(tried);
        }
        let always = self.terms.truth(true);
        match statement {
            Statement::Skip => {}
            Statement::Else => {
                let free = self.terms.not(taken);
                path.assume(&mut self.terms, free);
            }
            Statement::Condition(condition) => {
                let holds = self.holds(&mut path, condition, always)?;
                path.assume(&mut self.terms, holds);
            }
            Statement::Assign(place, value) => {
                let value = self.value(&mut path, value, always)?;
                self.store(&mut path, place, value)?;
            }
            Statement::Run(run, assign) => {
                for mut path in self.run(path, run)? {
                    match assign {
                        Some((place, value)) => {
                            let value = self.value(&mut path, value, always)?;
                            self.store(&mut path, place, value)?;
                        }
                        None => {
                            let nonzero = self.terms.is_so(path.run_result);
                            path.assume(&mut self.terms, nonzero);
                        }
                    }
                    if !path.is_impossible() {
                        tried.done.push(path);
                    }
                }
                return Ok(tried);
            }
            Statement::Send(send) => {
                self.send(path, send, &mut tried)?;
                return Ok(tried);
            }
            Statement::Receive(receive) => {
                self.receive(path, receive, &mut tried)?;
                return Ok(tried);
            }
            Statement::Assert(condition) => {
                let holds = self.holds(&mut path, condition, always)?;
                let wrong = self.terms.not(holds);
                self.report(&path, wrong, ViolationKind::Assertion, span);
            }
            Statement::Print(_, arguments) => {
                for argument in arguments {
                    self.value(&mut path, argument, always)?;
                }
            }
            Statement::PrintMtype(value, _) => {
                self.value(&mut path, value, always)?;
            }
            Statement::SetPriority(..) => {
                return Err(refused("Priorities decide who may move.", span));
            }
            Statement::End => self.end(&mut path),
            Statement::DStep(step) => {
                let may = self.may_start(&mut path, step, taken)?;
                path.assume(&mut self.terms, may);
                if !path.is_impossible() {
                    tried.done.extend(self.d_step(path, step)?);
                }
                return Ok(tried);
            }
        }
        if !path.is_impossible() {
            tried.done.push(path);
        }
        Ok(tried)
    }

    /// Ends a process, if it is the youngest.
    fn end(&mut self, path: &mut Path) {
        let younger = self.is_alive(path, path.actor.pid + 1);
        let youngest = self.terms.not(younger);
        path.assume(&mut self.terms, youngest);
        let zero = self.terms.number(0);
        let (actor, slot) = (path.actor, &self.layout.slots[path.actor.pid]);
        path.set(slot.control, zero);
        for kind in slot.kinds.iter().filter(|kind| Some(kind.proctype) == actor.proctype) {
            for local in &kind.locals {
                path.set(*local, zero);
            }
            for channel in kind.channels.iter().map(|channel| &self.layout.channels[channel.0]) {
                path.set(channel.length, zero);
                for variable in channel.messages.iter().flatten() {
                    path.set(*variable, zero);
                }
            }
        }
    }

    /// Creates a process: one path for each number that it may get.
    fn run(&mut self, mut path: Path, run: &Run) -> Result<Vec<Path>, Refused> {
        let always = self.terms.truth(true);
        let mut arguments = Vec::new();
        for argument in &run.arguments {
            arguments.push(self.value(&mut path, argument, always)?);
        }
        let mut paths = Vec::new();
        // Whoever runs it is there itself.
        for pid in path.actor.pid + 1..=self.layout.slots.len() {
            let mut path = path.clone();
            let (before, free) = (self.is_alive(&path, pid - 1), self.is_alive(&path, pid));
            let free = self.terms.not(free);
            path.assume(&mut self.terms, before);
            path.assume(&mut self.terms, free);
            if path.is_impossible() {
                continue;
            }
            let place =
                self.layout.slots.get(pid).and_then(|slot| Some((slot.control, slot.kind(run.proctype)?)));
            let Some((control, slot)) = place.map(|(control, kind)| (control, kind.clone())) else {
                let beyond = path.condition(&mut self.terms);
                self.note_beyond(beyond);
                continue;
            };
            let proctype = self.system.proctype(run.proctype);
            let code = self.terms.number(slot.first + i128::from(proctype.start.0));
            path.set(control, code);
            let runner = std::mem::replace(&mut path.actor, Actor { pid, proctype: Some(run.proctype) });
            for (parameter, value) in proctype.parameters.iter().zip(&arguments) {
                self.store(&mut path, parameter, *value)?;
            }
            let mut channels = slot.channels.iter();
            for step in &proctype.setup {
                match step {
                    Setup::Value(place, value) => {
                        let value = self.value(&mut path, value, always)?;
                        self.store(&mut path, place, value)?;
                    }
                    Setup::Channel(place, _) => {
                        let Some(channel) = channels.next() else {
                            return Err(refused("A channel was never seen.", proctype.span));
                        };
                        let number = self.terms.number(self.layout.channels[channel.0].number);
                        self.store(&mut path, place, number)?;
                    }
                }
            }
            path.actor = runner;
            path.run_result = self.terms.number(pid as i32);
            if !path.is_impossible() {
                paths.push(path);
            }
        }
        Ok(paths)
    }

    /// Returns whether a `d_step` may begin.
    fn may_start(&mut self, path: &mut Path, step: &DStep, taken: ExprId) -> Result<ExprId, Refused> {
        let free = self.terms.truth(path.offer.is_none());
        if step.guards.is_empty() {
            return Ok(free);
        }
        let mut open = self.terms.truth(true);
        let mut may = self.terms.truth(false);
        for guard in &step.guards {
            let first = self.terms.not(taken);
            let holds = match guard {
                Guard::Else => self.terms.and(free, first),
                Guard::Always => free,
                Guard::Receive(receive) => self.can_receive(path, receive, open)?,
                _ if self.terms.is_false(free) => free,
                Guard::Condition(condition) => self.holds(path, condition, open)?,
                Guard::Send(send) => self.can_send(path, send, open)?,
            };
            let here = self.terms.and(open, holds);
            may = self.terms.or(may, here);
            let other = self.terms.not(holds);
            open = self.terms.and(open, other);
        }
        Ok(may)
    }

    /// Executes a `d_step`. It is deterministic, so that paths that meet can be merged: they are postponed
    /// until all predecessors are done.
    fn d_step(&mut self, path: Path, step: &DStep) -> Result<Vec<Path>, Refused> {
        let ranks = ranks(step);
        let mut waiting: BTreeMap<usize, Path> = BTreeMap::from([(ranks[step.start.0 as usize], path)]);
        let mut nodes = vec![NodeId(0); ranks.len()];
        for (node, rank) in ranks.iter().enumerate() {
            nodes[*rank] = NodeId(node as u32);
        }
        let mut done: Vec<Path> = Vec::new();
        let mut pops = 0;
        while let Some((rank, path)) = waiting.pop_first() {
            pops += 1;
            self.count_step(step.span)?;
            if pops > MAX_DSTEP_PATHS {
                return Err(refused("A `d_step` is too long, or does not end.", step.span));
            }
            let always = self.terms.truth(true);
            let mut add = |terms: &mut super::terms::Terms, node: NodeId, path: Path| {
                let rank = ranks[node.0 as usize];
                let joined = match waiting.remove(&rank) {
                    Some(other) => Path::joined(terms, path, other),
                    None => path,
                };
                waiting.insert(rank, joined);
            };
            match &step.nodes[nodes[rank].0 as usize] {
                Node::Leave => done.push(path),
                Node::Jump(next) => add(&mut self.terms, *next, path),
                Node::Execute(statement, next, span) => {
                    let (ways, mut rest) = self.executed(path, statement, *span)?;
                    for way in ways {
                        add(&mut self.terms, *next, way);
                    }
                    self.fault(&mut rest, always, ViolationKind::BlockedDStep, *span);
                }
                Node::Choose(options, span) => {
                    let mut rest = Some(path);
                    for option in options {
                        let Some(path) = rest.take().filter(|path| !path.is_impossible()) else { break };
                        match &step.nodes[option.0 as usize] {
                            Node::Execute(statement, next, span) => {
                                let (ways, blocked) = self.executed(path, statement, *span)?;
                                for way in ways {
                                    add(&mut self.terms, *next, way);
                                }
                                rest = Some(blocked);
                            }
                            _ => add(&mut self.terms, *option, path),
                        }
                    }
                    if let Some(mut path) = rest {
                        self.fault(&mut path, always, ViolationKind::BlockedDStep, *span);
                    }
                }
            }
        }
        let joined = done.into_iter().reduce(|one, other| Path::joined(&mut self.terms, one, other));
        Ok(joined.into_iter().collect())
    }

    /// Executes a statement inside a `d_step`; returns the paths that continue, and the one on which it
    /// blocks.
    fn executed(
        &mut self,
        path: Path,
        statement: &Statement,
        span: Span,
    ) -> Result<(Vec<Path>, Path), Refused> {
        let mark = path.mark();
        let outer = self.begin_attempt(mark);
        let never = self.terms.truth(false);
        let mut tried = self.execute(path.clone(), statement, never, span)?;
        let faulted = self.end_attempt(outer, &path);
        let mut rest = path;
        let fine = self.terms.not(faulted);
        rest.assume(&mut self.terms, fine);
        for way in tried.done.iter().chain(&tried.offered) {
            let went = way.since(&mut self.terms, mark);
            let other = self.terms.not(went);
            rest.assume(&mut self.terms, other);
        }
        let always = self.terms.truth(true);
        for mut path in tried.offered {
            self.fault(&mut path, always, ViolationKind::RendezvousInDStep, span);
        }
        if matches!(statement, Statement::Receive(_)) {
            for path in &mut tried.done {
                path.offer = None;
            }
        }
        Ok((tried.done, rest))
    }
}

/// Returns a topological number for each node, loops aside.
fn ranks(step: &DStep) -> Vec<usize> {
    let following = |node: usize| -> Vec<usize> {
        let after = |id: &NodeId| match &step.nodes[id.0 as usize] {
            // Of an option, the first statement is executed where the choice is made.
            Node::Execute(_, next, _) => next.0 as usize,
            _ => id.0 as usize,
        };
        match &step.nodes[node] {
            Node::Leave => Vec::new(),
            Node::Jump(next) | Node::Execute(_, next, _) => vec![next.0 as usize],
            Node::Choose(options, _) => options.iter().map(after).collect(),
        }
    };
    let mut ranks = vec![usize::MAX; step.nodes.len()];
    let mut entered = vec![false; step.nodes.len()];
    let mut next = step.nodes.len();
    let starts = std::iter::once(step.start.0 as usize).chain(0..step.nodes.len());
    for start in starts {
        let mut stack = vec![(start, 0)];
        if std::mem::replace(&mut entered[start], true) {
            continue;
        }
        while let Some((node, child)) = stack.pop() {
            // The way out of a loop comes last, so that it is numbered after the loop.
            let children: Vec<usize> = following(node).into_iter().rev().collect();
            if let Some(other) = children.get(child) {
                stack.push((node, child + 1));
                if !std::mem::replace(&mut entered[*other], true) {
                    stack.push((*other, 0));
                }
            } else {
                next -= 1;
                ranks[node] = next;
            }
        }
    }
    ranks
}
