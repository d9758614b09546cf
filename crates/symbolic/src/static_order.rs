//! A first order of variables: those that constraints name together stand near each other.
//!
//! FORCE (Aloul, Markov, Sakallah, 2003): each variable moves to the middle of the constraints it is in,
//! again and again, and the order with the shortest constraints is kept.

use narrows_model::synchronous::{Constraint, Demand, ExprId, SynchronousSystem, VariableId};

use crate::disjuncts::alternatives;

/// How often variables move.
const MAX_ROUNDS: usize = 40;

/// Returns all variables in an order.
pub(crate) fn order(system: &SynchronousSystem) -> Vec<VariableId> {
    let count = system.variables.len();
    let lists = [&system.transitions, &system.invariants, &system.initial];
    let constraints: Vec<Vec<usize>> = lists
        .into_iter()
        .flatten()
        .flat_map(|constraint| variables(system, constraint))
        .filter(|list| list.len() > 1)
        .collect();
    let mut places: Vec<f64> = (0..count).map(|index| index as f64).collect();
    let mut best = (span(&constraints, &places), ranking(&places));
    for _ in 0..MAX_ROUNDS {
        let mut sums = vec![(0.0, 0.0); count];
        for list in &constraints {
            let middle = list.iter().map(|variable| places[*variable]).sum::<f64>() / list.len() as f64;
            // A constraint over everything says little about who belongs together.
            let weight = 1.0 / list.len() as f64;
            for variable in list {
                sums[*variable].0 += middle * weight;
                sums[*variable].1 += weight;
            }
        }
        let moved: Vec<f64> = (0..count)
            .map(|index| if sums[index].1 > 0.0 { sums[index].0 / sums[index].1 } else { places[index] })
            .collect();
        let order = ranking(&moved);
        for (place, variable) in order.iter().enumerate() {
            places[*variable] = place as f64;
        }
        let length = span(&constraints, &places);
        if length < best.0 {
            best = (length, order);
        }
    }
    best.1.into_iter().map(|index| VariableId(index as u32)).collect()
}

/// Returns which variables a constraint names together: each of many alternatives, those that it does not
/// just leave alone.
fn variables(system: &SynchronousSystem, constraint: &Constraint) -> Vec<Vec<usize>> {
    let (assigned, root) = match constraint.demand {
        Demand::Holds(root) => (None, root),
        Demand::Assigned(variable, root) => (Some(variable), root),
    };
    if assigned.is_none()
        && let Some(alternatives) = alternatives(system, root)
    {
        return alternatives.into_iter().map(|demands| named(system, None, demands)).collect();
    }
    vec![named(system, assigned, vec![root])]
}

fn named(system: &SynchronousSystem, assigned: Option<VariableId>, roots: Vec<ExprId>) -> Vec<usize> {
    let mut list: Vec<usize> = assigned.map(|variable| variable.0 as usize).into_iter().collect();
    for root in roots {
        let (current, next) = system.looks_at(root);
        list.extend(current.into_iter().chain(next).map(|variable| variable.0 as usize));
    }
    list.sort_unstable();
    list.dedup();
    list
}

fn ranking(places: &[f64]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..places.len()).collect();
    order.sort_by(|left, right| places[*left].total_cmp(&places[*right]).then(left.cmp(right)));
    order
}

fn span(constraints: &[Vec<usize>], places: &[f64]) -> f64 {
    let length = |list: &Vec<usize>| {
        let at = |variable: &usize| places[*variable];
        let last = list.iter().map(at).fold(f64::MIN, f64::max);
        last - list.iter().map(at).fold(f64::MAX, f64::min)
    };
    constraints.iter().map(length).sum()
}
