//! Disjunctive partitioning of the transition relation: steps that are written as alternatives, each of which
//! changes a few variables and keeps all others.
//!
//! Alternatives that leave the same variables alone are one event. Such a model is a composition of
//! processes, and is treated like one: see [`crate::relation`].

use std::collections::BTreeMap;

use narrows_model::synchronous::{Demand, ExprId, Node, Operator, SynchronousSystem, VariableId};
use rustc_hash::FxHashMap;

/// Alternatives that leave the same variables alone.
pub(crate) struct Alternatives {
    /// The variables that stay what they are.
    pub(crate) kept: Vec<VariableId>,
    /// What else each of the alternatives demands.
    pub(crate) demands: Vec<Vec<ExprId>>,
}

/// With fewer alternatives than this, one event is as good as several.
const MIN_ALTERNATIVES: usize = 8;

/// The conjuncts of an alternative: the variables that keep their values, and all other demands.
#[derive(Clone, Debug, Default)]
struct Conjunction {
    kept: Vec<VariableId>,
    demands: Vec<ExprId>,
}

/// Finds the constraint on steps with the most alternatives, and takes it apart; returns its number too.
/// `None` if there is none that is worth it.
pub(crate) fn split(system: &SynchronousSystem) -> Option<(usize, Vec<Alternatives>)> {
    let disjuncts = system.transitions.iter().enumerate().filter_map(|(number, constraint)| {
        let Demand::Holds(root) = constraint.demand else { return None };
        Some((number, operands(system, root, Operator::Or)))
    });
    let (number, disjuncts) =
        disjuncts.max_by_key(|(_, list)| list.len()).filter(|(_, list)| list.len() >= MIN_ALTERNATIVES)?;
    let mut known: FxHashMap<ExprId, Conjunction> = FxHashMap::default();
    let mut groups: BTreeMap<Vec<VariableId>, Vec<Vec<ExprId>>> = BTreeMap::new();
    for disjunct in disjuncts {
        let taken = conjunction_of(system, disjunct, &mut known);
        if taken.kept.is_empty() {
            return None;
        }
        groups.entry(taken.kept).or_default().push(taken.demands);
    }
    let groups: Vec<Alternatives> =
        groups.into_iter().map(|(kept, demands)| Alternatives { kept, demands }).collect();
    (groups.len() > 1).then_some((number, groups))
}

/// Returns what each of many alternatives demands, but for what stays what it is; `None` if something is no
/// such alternative.
pub(crate) fn alternatives(system: &SynchronousSystem, root: ExprId) -> Option<Vec<Vec<ExprId>>> {
    let disjuncts = operands(system, root, Operator::Or);
    if disjuncts.len() < MIN_ALTERNATIVES {
        return None;
    }
    let mut known: FxHashMap<ExprId, Conjunction> = FxHashMap::default();
    let taken = disjuncts.into_iter().map(|disjunct| conjunction_of(system, disjunct, &mut known));
    taken.map(|taken| (!taken.kept.is_empty()).then_some(taken.demands)).collect()
}

/// Returns what an operator joins, from left to right.
fn operands(system: &SynchronousSystem, root: ExprId, operator: Operator) -> Vec<ExprId> {
    let mut list = Vec::new();
    let mut waiting = vec![root];
    while let Some(id) = waiting.pop() {
        match system.node(id) {
            Node::Binary(other, left, right) if *other == operator => waiting.extend([*right, *left]),
            _ => list.push(id),
        }
    }
    list
}

/// Takes a conjunction apart; definitions that many alternatives share are taken apart once.
fn conjunction_of(
    system: &SynchronousSystem,
    root: ExprId,
    known: &mut FxHashMap<ExprId, Conjunction>,
) -> Conjunction {
    for id in system.below([root]) {
        if known.contains_key(&id) {
            continue;
        }
        let taken = match system.node(id) {
            Node::Binary(Operator::And, left, right) => {
                let part = |id: &ExprId| known.get(id).cloned().unwrap_or_default();
                let (mut taken, more) = (part(left), part(right));
                taken.kept.extend(more.kept);
                taken.kept.sort_unstable();
                taken.kept.dedup();
                taken.demands.extend(more.demands);
                taken
            }
            Node::Binary(Operator::Equal, left, right) => match (system.node(*left), system.node(*right)) {
                (Node::Next(a), Node::Current(b)) | (Node::Current(a), Node::Next(b)) if a == b => {
                    Conjunction { kept: vec![*a], demands: Vec::new() }
                }
                _ => Conjunction { kept: Vec::new(), demands: vec![id] },
            },
            _ => Conjunction { kept: Vec::new(), demands: vec![id] },
        };
        known.insert(id, taken);
    }
    known.get(&root).cloned().unwrap_or_default()
}
