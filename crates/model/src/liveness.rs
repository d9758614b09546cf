//! Dead variables, by a backward data-flow analysis.
//!
//! A variable is *live* at a location if some path from there reads it before it is written. Backwards over
//! the edges of a proctype, what is live before a statement is what it reads, and what is live after it and
//! not written by it, iterated to the least fixpoint (any text on compilers; for model checkers, G. Holzmann,
//! *The engineering of a model checker: the Gnu i-protocol case study revisited*, 1999). States that differ
//! in dead variables alone are bisimilar, so a search may set those to 0 wherever a process arrives, and
//! visit fewer states.
//!
//! A global variable that nobody ever reads, such as one that only counts, is dead everywhere.
//!
//! The analysis is per byte, not per variable. A read of a process's variable from outside keeps it live
//! everywhere; so does a `provided` clause, and what no step writes is left as it is. Cost: a few rounds over
//! the model.

use std::ops::Range;

use narrows_graph::BitSet;

use crate::{
    Area, Binary, Claim, DStep, Expr, Guard, LocationId, Node, Pattern, Place, Proctype, Receive, Send,
    Setup, Statement, System,
};

/// Larger tables are not analysed; nothing is dead then.
const MAX_BITS: usize = 1 << 24;

/// Notes which global variables nobody reads, and which local ones are dead at the start of each kind of
/// process, and after each transition.
pub fn mark_dead(system: &mut System) {
    mark_unread(system);
    let watched = watched(system);
    for (proctype, watched) in system.proctypes.iter_mut().zip(watched) {
        if proctype.locations.len() * proctype.local_bytes as usize <= MAX_BITS {
            mark_proctype(proctype, watched);
        }
    }
}

/// Returns the bytes a place may be at, whatever its indices are.
fn extent(place: &Place) -> Range<usize> {
    let more: u32 = place.indices.iter().map(|index| index.length.saturating_sub(1) * index.stride).sum();
    place.offset as usize..(place.offset + more + place.scalar.bytes()) as usize
}

/// Finds the local variables of each kind of process that others look at.
fn watched(system: &System) -> Vec<BitSet> {
    let mut watched = vec![BitSet::default(); system.proctypes.len()];
    let mut look = |expr: &Expr| {
        each_expr(expr, &mut |expr| {
            if let Expr::Remote { proctype, place, .. } = expr
                && let Some(bytes) = watched.get_mut(usize::from(proctype.0))
            {
                bytes.extend(extent(place));
            }
        });
    };
    for proctype in &system.proctypes {
        each_expr_of(proctype, &mut look);
    }
    for property in &system.properties {
        match &property.claim {
            Claim::Ltl(formula) => formula.atoms().into_iter().for_each(|atom| look(&atom.expr)),
            Claim::Ctl(formula) => formula.each_atom(&mut |atom| look(&atom.expr)),
            Claim::Never(process) | Claim::Trace { pattern: process, .. } => each_expr_of(process, &mut look),
        }
    }
    watched
}

/// Finds the global variables that are written and never read, but perhaps to count on.
fn mark_unread(system: &mut System) {
    let (mut read, mut written) = (BitSet::default(), BitSet::default());
    let mut look = |expr: &Expr| {
        each_expr(expr, &mut |expr| match expr {
            Expr::Load(place) if place.area == Area::Global => read.extend(extent(place)),
            Expr::Poll(receive) => {
                for place in stored(receive).filter(|place| place.area == Area::Global) {
                    read.extend(extent(place));
                }
            }
            _ => {}
        });
    };
    let claims = system.properties.iter().map(|property| &property.claim);
    let watchers = claims.clone().filter_map(|claim| match claim {
        Claim::Never(process) | Claim::Trace { pattern: process, .. } => Some(&**process),
        _ => None,
    });
    for proctype in system.proctypes.iter().chain(watchers) {
        each_expr_of(proctype, &mut look);
        for transition in &proctype.transitions {
            each_statement(&transition.statement, &mut |statement| {
                stores(statement, &mut |place| {
                    if place.area == Area::Global {
                        written.extend(extent(place));
                    }
                });
            });
        }
    }
    for claim in claims {
        match claim {
            Claim::Ltl(formula) => formula.atoms().into_iter().for_each(|atom| look(&atom.expr)),
            Claim::Ctl(formula) => formula.each_atom(&mut |atom| look(&atom.expr)),
            Claim::Never(_) | Claim::Trace { .. } => {}
        }
    }
    for step in system.setup.iter().chain(system.proctypes.iter().flat_map(|proctype| &proctype.setup)) {
        match step {
            Setup::Value(_, value) => look(value),
            Setup::Channel(place, _) => look(&Expr::Load(Box::new(place.clone()))),
        }
    }
    let is_unread = |byte: &u32| written.contains(*byte as usize) && !read.contains(*byte as usize);
    for transition in system.proctypes.iter_mut().flat_map(|proctype| &mut proctype.transitions) {
        let mut own = BitSet::default();
        each_statement(&transition.statement, &mut |statement| {
            stores(statement, &mut |place| {
                if place.area == Area::Global {
                    own.extend(extent(place));
                }
            });
        });
        let bytes = (0..system.global_bytes).filter(|byte| own.contains(*byte as usize) && is_unread(byte));
        transition.unread = ranges(bytes);
    }
    system.unread = ranges((0..system.global_bytes).filter(is_unread));
}

fn mark_proctype(proctype: &mut Proctype, mut kept: BitSet) {
    let mut written = BitSet::default();
    for transition in &proctype.transitions {
        each_statement(&transition.statement, &mut |statement| {
            stores(statement, &mut |place| {
                if place.area == Area::Local {
                    written.extend(extent(place));
                }
            });
        });
    }
    for step in &proctype.setup {
        if let Setup::Channel(place, _) = step {
            kept.extend(extent(place));
        }
    }
    if let Some(provided) = &proctype.provided {
        reads(provided, &mut kept);
    }
    let live = live(proctype, &kept);
    let dead_at = |location: LocationId| {
        let live = &live[usize::from(location.0)];
        let is_dead = |byte: &u32| written.contains(*byte as usize) && !live.contains(*byte as usize);
        ranges((0..proctype.local_bytes).filter(is_dead))
    };
    proctype.dead = dead_at(proctype.start);
    for transition in &mut proctype.transitions {
        let ends = transition.statement == Statement::End;
        transition.dead = if ends { Vec::new() } else { dead_at(transition.target) };
    }
}

/// Puts neighbours together.
fn ranges(bytes: impl Iterator<Item = u32>) -> Vec<Range<u32>> {
    let mut ranges: Vec<Range<u32>> = Vec::new();
    for byte in bytes {
        match ranges.last_mut() {
            Some(range) if range.end == byte => range.end += 1,
            _ => ranges.push(byte..byte + 1),
        }
    }
    ranges
}

/// Finds what is live at each location.
fn live(proctype: &Proctype, kept: &BitSet) -> Vec<BitSet> {
    let mut live = vec![kept.clone(); proctype.locations.len()];
    let mut changed = true;
    while changed {
        changed = false;
        for index in (0..proctype.locations.len()).rev() {
            let mut here = live[index].clone();
            for edge in &proctype.locations[index].edges {
                let transition = proctype.transition(edge.transition);
                let mut before = match transition.statement {
                    Statement::End => kept.clone(),
                    _ => live[usize::from(transition.target.0)].clone(),
                };
                go_back(&transition.statement, &mut before);
                here.union_with(&before);
            }
            here.union_with(kept);
            changed |= here != live[index];
            live[index] = here;
        }
    }
    live
}

/// Turns what is live after a statement into what is live before it.
fn go_back(statement: &Statement, live: &mut BitSet) {
    if let Statement::DStep(step) = statement {
        return go_back_through(step, live);
    }
    if let Some(counter) = counter(statement)
        && counter.area == Area::Local
        && counter.indices.is_empty()
        && extent(counter).all(|byte| !live.contains(byte))
    {
        // Nobody wants to know how far it counts.
        return;
    }
    stores(statement, &mut |place| {
        if place.indices.is_empty() && place.area == Area::Local {
            for byte in extent(place) {
                live.remove(byte);
            }
        }
    });
    each_read(statement, &mut |expr| reads(expr, live));
    if let Some(counter) = counter(statement) {
        reads(&Expr::Load(Box::new(counter.clone())), live);
    }
}

fn go_back_through(step: &DStep, live: &mut BitSet) {
    let mut nodes = vec![BitSet::default(); step.nodes.len()];
    let mut changed = true;
    while changed {
        changed = false;
        for (index, node) in step.nodes.iter().enumerate().rev() {
            let mut here = nodes[index].clone();
            match node {
                Node::Execute(statement, next, _) => {
                    let mut before = nodes[next.0 as usize].clone();
                    go_back(statement, &mut before);
                    here.union_with(&before);
                }
                Node::Choose(options, _) => {
                    for next in options {
                        here.union_with(&nodes[next.0 as usize]);
                    }
                }
                Node::Jump(next) => here.union_with(&nodes[next.0 as usize]),
                Node::Leave => here.union_with(live),
            }
            changed |= here != nodes[index];
            nodes[index] = here;
        }
    }
    *live = nodes.swap_remove(step.start.0 as usize);
    for guard in &step.guards {
        each_read_of_guard(guard, &mut |expr| reads(expr, live));
    }
}

/// Adds the local variables that an expression reads.
fn reads(expr: &Expr, live: &mut BitSet) {
    each_expr(expr, &mut |expr| match expr {
        Expr::Load(place) if place.area == Area::Local => live.extend(extent(place)),
        Expr::Poll(receive) => {
            for place in stored(receive).filter(|place| place.area == Area::Local) {
                live.extend(extent(place));
            }
        }
        _ => {}
    });
}

/// Returns the variable that a statement adds something to, if that is all it does.
fn counter(statement: &Statement) -> Option<&Place> {
    let Statement::Assign(place, value) = statement else { return None };
    let Expr::Binary(Binary::Add | Binary::Subtract, left, right, _) = value else { return None };
    let (Expr::Load(old), Expr::Constant(_)) = (&**left, &**right) else { return None };
    (old.area == place.area && extent(old) == extent(place)).then_some(old)
}

/// Returns the places that a receive stores to.
fn stored(receive: &Receive) -> impl Iterator<Item = &Place> {
    receive.patterns.iter().filter_map(|pattern| match pattern {
        Pattern::Store(place) => Some(place),
        _ => None,
    })
}

/// Visits every place that a statement, other than a `d_step`, stores to when it is executed.
fn stores(statement: &Statement, visit: &mut dyn FnMut(&Place)) {
    match statement {
        Statement::Assign(place, _) | Statement::Run(_, Some((place, _))) => visit(place),
        Statement::Receive(receive) => stored(receive).for_each(visit),
        _ => {}
    }
}

/// Visits a statement, and those inside it.
fn each_statement(statement: &Statement, visit: &mut dyn FnMut(&Statement)) {
    visit(statement);
    if let Statement::DStep(step) = statement {
        for node in &step.nodes {
            if let Node::Execute(statement, ..) = node {
                each_statement(statement, visit);
            }
        }
    }
}

/// Visits every expression of a kind of process, but not those inside others.
fn each_expr_of(proctype: &Proctype, visit: &mut dyn FnMut(&Expr)) {
    for transition in &proctype.transitions {
        each_statement(&transition.statement, &mut |statement| {
            each_read(statement, visit);
            if let Statement::DStep(step) = statement {
                step.guards.iter().for_each(|guard| each_read_of_guard(guard, visit));
            }
        });
    }
    for step in &proctype.setup {
        if let Setup::Value(place, value) = step {
            indices(place, visit);
            visit(value);
        }
    }
    if let Some(provided) = &proctype.provided {
        visit(provided);
    }
}

/// Visits the expressions that a statement, other than a `d_step`, evaluates; of a variable that it only adds
/// to, just the indices.
fn each_read(statement: &Statement, visit: &mut dyn FnMut(&Expr)) {
    if let (Some(old), Statement::Assign(place, _)) = (counter(statement), statement) {
        indices(old, visit);
        indices(place, visit);
        return;
    }
    match statement {
        Statement::Skip | Statement::Else | Statement::End | Statement::DStep(_) => {}
        Statement::Condition(value) | Statement::Assert(value) | Statement::PrintMtype(value, _) => {
            visit(value);
        }
        Statement::Assign(place, value) => {
            indices(place, visit);
            visit(value);
        }
        Statement::Run(run, assign) => {
            run.arguments.iter().for_each(&mut *visit);
            if let Some((place, value)) = assign {
                indices(place, visit);
                visit(value);
            }
        }
        Statement::Send(send) => each_read_of_send(send, visit),
        Statement::Receive(receive) => each_read_of_receive(receive, visit),
        Statement::Print(_, values) => values.iter().for_each(visit),
        Statement::SetPriority(who, priority) => {
            visit(who);
            visit(priority);
        }
    }
}

fn each_read_of_guard(guard: &Guard, visit: &mut dyn FnMut(&Expr)) {
    match guard {
        Guard::Else | Guard::Always => {}
        Guard::Condition(value) => visit(value),
        Guard::Send(send) => each_read_of_send(send, visit),
        Guard::Receive(receive) => each_read_of_receive(receive, visit),
    }
}

fn each_read_of_send(send: &Send, visit: &mut dyn FnMut(&Expr)) {
    visit(&send.channel);
    send.arguments.iter().for_each(visit);
}

fn each_read_of_receive(receive: &Receive, visit: &mut dyn FnMut(&Expr)) {
    visit(&receive.channel);
    for pattern in &receive.patterns {
        match pattern {
            Pattern::Store(place) => indices(place, visit),
            Pattern::Match(value) => visit(value),
            Pattern::Discard => {}
        }
    }
}

fn indices(place: &Place, visit: &mut dyn FnMut(&Expr)) {
    place.indices.iter().for_each(|index| visit(&index.value));
}

/// Visits an expression, and all those inside it.
pub(crate) fn each_expr(expr: &Expr, visit: &mut dyn FnMut(&Expr)) {
    visit(expr);
    let mut inside = |expr: &Expr| each_expr(expr, visit);
    match expr {
        Expr::Constant(_)
        | Expr::Pid
        | Expr::ProcessCount
        | Expr::Last
        | Expr::Timeout
        | Expr::NonProgress
        | Expr::RunResult
        | Expr::Priority => {}
        Expr::Load(place) => indices(place, &mut inside),
        Expr::Unary(_, value)
        | Expr::Channel(_, value, _)
        | Expr::Enabled(value, _)
        | Expr::LocationOf(value)
        | Expr::PriorityOf(value) => inside(value),
        Expr::Binary(_, left, right, _) => {
            inside(left);
            inside(right);
        }
        Expr::Conditional(condition, yes, no) => {
            inside(condition);
            inside(yes);
            inside(no);
        }
        Expr::Poll(receive) => each_read_of_receive(receive, &mut inside),
        Expr::AtLocation { pid, .. } => {
            if let Some(pid) = pid {
                inside(pid);
            }
        }
        Expr::Remote { pid, place, .. } => {
            if let Some(pid) = pid {
                inside(pid);
            }
            indices(place, &mut inside);
        }
    }
}
