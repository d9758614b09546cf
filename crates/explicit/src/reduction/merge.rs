//! Merging of local steps: a process goes on at once where nothing but its own variables decides what it does
//! next.
//!
//! Steps that read and write only what belongs to one process commute with all steps of others. So a run in
//! which such a step waits differs from one in which it follows at once in nothing that others, a deadlock or
//! an assertion could tell, and the state before it need not be visited (G. Holzmann, *The engineering of a
//! model checker: the GNU i-protocol case study revisited*, 1999, merges statements so). It becomes a part of
//! the step before, as in an atomic sequence; locations and transitions keep their numbers.
//!
//! For a formula without X, nothing is merged that it can see: then runs differ in how often states are
//! repeated.
//!
//! Invariants: what is merged can't fail for good, since then others would never be seen to move after the
//! step before; at least one location of each cycle is visited; and nobody asks where the process is.

use std::ops::ControlFlow;

use narrows_model::{
    Binary, DStep, Edge, Evaluator, Expr, Index, Location, LocationId, Move, MoveKind, Node, Place, Proctype,
    ProctypeId, Scratch, StateSpace, Statement, Successor, System, Watcher,
};

use super::resolve::{Deed, Known, Resolver};
use super::statics::Statics;
use super::visible::Visible;
use crate::check::NotReplayed;
use crate::{Engine, Finding, Run, Wrong};

/// Kinds of process with more locations than this are left as they are.
const MAX_LOCATIONS: usize = 1 << 12;

/// Returns the system with local steps merged, for questions about single states and steps; `None` if there
/// are none.
pub fn merged(engine: &Engine<'_>) -> Option<System> {
    merged_unseen(&Statics::new(engine)?, None)
}

/// Returns the system with those local steps merged that a watcher does not see; likewise.
pub(crate) fn merged_for(engine: &Engine<'_>, watcher: Watcher<'_>) -> Option<System> {
    let statics = Statics::new(engine)?;
    let visible = Visible::new(&statics, watcher)?;
    merged_unseen(&statics, Some(&visible))
}

fn merged_unseen(statics: &Statics<'_>, visible: Option<&Visible>) -> Option<System> {
    let mut locals = Vec::new();
    for number in 0..statics.system.proctypes.len() {
        locals.push(local_locations(statics, number, visible)?);
    }
    let mut system = statics.system.clone();
    let mut count = 0;
    for (proctype, locals) in system.proctypes.iter_mut().zip(locals) {
        count += merge(proctype, &locals);
    }
    (count > 0).then_some(system)
}

/// Tells for each location of a kind of process whether all that can be done there is local and unseen;
/// `None` if somebody may ask where a process is.
fn local_locations(statics: &Statics<'_>, number: usize, visible: Option<&Visible>) -> Option<Vec<bool>> {
    let proctype = statics.proctype(number);
    let known = Known::nothing(statics, number);
    let resolver = Resolver { statics, known: &known, later: None };
    let deeds: Vec<Deed> =
        proctype.transitions.iter().map(|transition| resolver.deed(&transition.statement)).collect();
    if deeds.iter().any(|deed| deed.does.anything) {
        return None;
    }
    let is_local = |from: usize, edge: &Edge| {
        let transition = proctype.transition(edge.transition);
        let deed = &deeds[edge.transition.0 as usize];
        let (proctype, from) = (ProctypeId(number as u16), LocationId(from as u16));
        let step = Move { pid: 0, proctype, from, transition: edge.transition, kind: MoveKind::Alone };
        deed.does.is_empty()
            && is_safe(&transition.statement)
            && visible.is_none_or(|visible| !visible.sees(&step, transition.target, deed))
    };
    let locations = proctype.locations.iter().enumerate();
    let are_local = |(from, location): (usize, &Location)| {
        !location.edges.is_empty() && location.edges.iter().all(|edge| is_local(from, edge))
    };
    Some(locations.map(are_local).collect())
}

/// Makes steps that lead to local locations go on; returns how many.
fn merge(proctype: &mut Proctype, locals: &[bool]) -> usize {
    if proctype.locations.len() > MAX_LOCATIONS {
        return 0;
    }
    let mut count = 0;
    for number in (0..locals.len()).filter(|number| locals[*number]) {
        let location = LocationId(number as u16);
        let leading_here: Vec<usize> = (0..proctype.transitions.len())
            .filter(|index| {
                let transition = &proctype.transitions[*index];
                transition.target == location && !transition.atomic && transition.statement != Statement::End
            })
            .collect();
        let set = |proctype: &mut Proctype, atomic: bool| {
            for index in &leading_here {
                proctype.transitions[*index].atomic = atomic;
            }
        };
        set(proctype, true);
        if comes_back(proctype, location) {
            set(proctype, false);
        } else {
            count += leading_here.len();
        }
    }
    count
}

/// Returns whether a process may come back to a location without being seen on the way.
fn comes_back(proctype: &Proctype, start: LocationId) -> bool {
    let mut known = vec![false; proctype.locations.len()];
    let mut list = vec![start];
    while let Some(location) = list.pop() {
        for edge in &proctype.location(location).edges {
            let transition = proctype.transition(edge.transition);
            if !transition.atomic {
                continue;
            }
            if transition.target == start {
                return true;
            }
            if !std::mem::replace(&mut known[usize::from(transition.target.0)], true) {
                list.push(transition.target);
            }
        }
    }
    false
}

/// Returns whether nothing can go wrong in a local statement after which there is no state.
fn is_safe(statement: &Statement) -> bool {
    match statement {
        Statement::Skip | Statement::Else => true,
        Statement::Condition(value) | Statement::Assert(value) | Statement::PrintMtype(value, _) => {
            is_total(value)
        }
        Statement::Assign(place, value) => is_total_place(place) && is_total(value),
        Statement::Print(_, values) => values.iter().all(is_total),
        Statement::DStep(step) => is_straight(step),
        Statement::Run(..)
        | Statement::Send(_)
        | Statement::Receive(_)
        | Statement::SetPriority(..)
        | Statement::End => false,
    }
}

/// Returns whether a `d_step` only assigns, after its guard.
fn is_straight(step: &DStep) -> bool {
    let mut node = step.start;
    for position in 0..=step.nodes.len() {
        match &step.nodes[node.0 as usize] {
            Node::Leave => return true,
            Node::Jump(next) => node = *next,
            Node::Execute(statement, next, _) => {
                let may_block = !matches!(statement, Statement::Skip | Statement::Assign(..));
                let is_guard = position == 0 && matches!(statement, Statement::Condition(_));
                if may_block && !is_guard || !is_safe(statement) {
                    return false;
                }
                node = *next;
            }
            Node::Choose(..) => return false,
        }
    }
    false
}

/// Returns whether an expression always has a value.
fn is_total(expr: &Expr) -> bool {
    match expr {
        Expr::Constant(_) | Expr::Pid => true,
        Expr::Load(place) => is_total_place(place),
        Expr::Unary(_, operand) => is_total(operand),
        Expr::Binary(Binary::Divide | Binary::Remainder, left, right, _) => {
            is_total(left) && matches!(**right, Expr::Constant(divisor) if divisor > 0)
        }
        Expr::Binary(_, left, right, _) => is_total(left) && is_total(right),
        Expr::Conditional(condition, yes, no) => [condition, yes, no].into_iter().all(|part| is_total(part)),
        _ => false,
    }
}

fn is_total_place(place: &Place) -> bool {
    place.indices.iter().all(|Index { value, .. }| is_total(value))
}

/// Turns runs of the system with merged steps into runs of the system itself.
pub fn unmerge(
    findings: &mut [Finding],
    merged: &Engine<'_>,
    engine: &Engine<'_>,
) -> Result<(), NotReplayed> {
    for finding in findings {
        let Some(run) = &finding.run else { continue };
        let moves = moves_of(run, merged);
        let run = moves.and_then(|moves| run_along(&moves, &finding.wrong, engine));
        finding.run = Some(run.ok_or_else(|| NotReplayed::of(&finding.wrong))?);
    }
    Ok(())
}

/// Returns what processes do in a run.
fn moves_of(run: &Run, merged: &Engine<'_>) -> Option<Vec<Move>> {
    let (mut state, _) = merged.initial().ok()?;
    let mut scratch = Scratch::default();
    let mut moves = Vec::new();
    for choice in &run.choices {
        let mut number = 0;
        let mut next = None;
        merged.successors(&state, &mut scratch, &mut |successor: Successor<'_>| {
            if number == *choice {
                moves.extend_from_slice(successor.moves);
                next = Some(successor.target.map(<[u8]>::to_vec));
                return ControlFlow::Break(());
            }
            number += 1;
            ControlFlow::Continue(())
        });
        match next? {
            Some(target) => state = target,
            None => break,
        }
    }
    Some(moves)
}

/// Returns the run in which processes do this, up to the first step that shows what goes wrong.
fn run_along(moves: &[Move], wrong: &Wrong, engine: &Engine<'_>) -> Option<Run> {
    let evaluator = engine.evaluator();
    let (mut state, _) = evaluator.initial().ok()?;
    let mut choices = Vec::new();
    take_apart(&evaluator, &mut state, moves, &mut |choice, successor| {
        choices.push(choice);
        let shows = matches!(wrong, Wrong::Violation(wrong) if successor.violations.contains(wrong));
        if shows { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    })?;
    Some(Run { choices })
}

/// Takes a merged step apart: visits the steps in which processes do this from a state on, with their numbers
/// among the successors, until there is no state or the visitor has enough; the state becomes the last one.
/// `None` if processes can't do this.
pub(crate) fn take_apart(
    evaluator: &Evaluator<'_>,
    state: &mut Vec<u8>,
    moves: &[Move],
    visit: &mut dyn FnMut(u32, &Successor<'_>) -> ControlFlow<()>,
) -> Option<()> {
    let mut scratch = Scratch::default();
    let mut done = 0;
    while done < moves.len() {
        let mut number = 0;
        let mut found = None;
        evaluator.successors(state, &mut scratch, &mut |successor: Successor<'_>| {
            if !successor.moves.is_empty() && moves[done..].starts_with(successor.moves) {
                let goes_on = visit(number, &successor).is_continue();
                found = Some((successor.moves.len(), goes_on, successor.target.map(<[u8]>::to_vec)));
                return ControlFlow::Break(());
            }
            number += 1;
            ControlFlow::Continue(())
        });
        let (length, goes_on, target) = found?;
        done += length;
        match target {
            Some(target) if goes_on => *state = target,
            _ => return Some(()),
        }
    }
    Some(())
}
