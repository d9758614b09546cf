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

use crate::{Area, Claim, DStep, Expr, LocationId, Node, Proctype, Setup, Statement, System};

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

/// Finds the local variables of each kind of process that others look at.
fn watched(system: &System) -> Vec<BitSet> {
    let mut watched = vec![BitSet::default(); system.proctypes.len()];
    let mut look = |expr: &Expr| {
        expr.each(&mut |expr| {
            if let Expr::Remote { proctype, place, .. } = expr
                && let Some(bytes) = watched.get_mut(usize::from(proctype.0))
            {
                bytes.insert_range(place.extent());
            }
        });
    };
    for proctype in &system.proctypes {
        proctype.each_expr(&mut look);
    }
    for property in &system.properties {
        match &property.claim {
            Claim::Ltl(formula) => formula.atoms().into_iter().for_each(|atom| look(&atom.expr)),
            Claim::Ctl(formula) => formula.each_atom(&mut |atom| look(&atom.expr)),
            Claim::Never(process) | Claim::Trace { pattern: process, .. } => process.each_expr(&mut look),
        }
    }
    watched
}

/// Finds the global variables that are written and never read, but perhaps to count on.
fn mark_unread(system: &mut System) {
    let (mut read, mut written) = (BitSet::default(), BitSet::default());
    let mut look = |expr: &Expr| {
        expr.each(&mut |expr| match expr {
            Expr::Load(place) if place.area == Area::Global => read.insert_range(place.extent()),
            Expr::Poll(receive) => {
                for place in receive.stored().filter(|place| place.area == Area::Global) {
                    read.insert_range(place.extent());
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
        proctype.each_expr(&mut look);
        for transition in &proctype.transitions {
            transition.statement.each_store(&mut |place| {
                if place.area == Area::Global {
                    written.insert_range(place.extent());
                }
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
        transition.statement.each_store(&mut |place| {
            if place.area == Area::Global {
                own.insert_range(place.extent());
            }
        });
        transition.unread = ranges(own.iter().map(|byte| byte as u32).filter(is_unread));
    }
    system.unread = ranges((0..system.global_bytes).filter(is_unread));
}

fn mark_proctype(proctype: &mut Proctype, mut kept: BitSet) {
    let mut written = BitSet::default();
    for transition in &proctype.transitions {
        transition.statement.each_store(&mut |place| {
            if place.area == Area::Local {
                written.insert_range(place.extent());
            }
        });
    }
    for step in &proctype.setup {
        if let Setup::Channel(place, _) = step {
            kept.insert_range(place.extent());
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
    if let Some(counter) = statement.counter()
        && counter.area == Area::Local
        && counter.indices.is_empty()
        && counter.extent().all(|byte| !live.contains(byte))
    {
        // Nobody wants to know how far it counts.
        return;
    }
    statement.each_store(&mut |place| {
        if place.indices.is_empty() && place.area == Area::Local {
            for byte in place.extent() {
                live.remove(byte);
            }
        }
    });
    statement.each_read(&mut |expr| reads(expr, live));
    if let Some(counter) = statement.counter() {
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
        guard.each_read(&mut |expr| reads(expr, live));
    }
}

/// Adds the local variables that an expression reads.
fn reads(expr: &Expr, live: &mut BitSet) {
    expr.each(&mut |expr| match expr {
        Expr::Load(place) if place.area == Area::Local => live.insert_range(place.extent()),
        Expr::Poll(receive) => {
            for place in receive.stored().filter(|place| place.area == Area::Local) {
                live.insert_range(place.extent());
            }
        }
        _ => {}
    });
}
