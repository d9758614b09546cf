//! Which gates and variables stand in behaviours and terms, and where variables are among the values at hand.

use std::rc::Rc;

use narrows_model::behaviour::{self, Condition, Term};

use super::super::ast::{self, BehaviourKind, Meeting};

/// Visits the names of all gates that stand in a behaviour.
pub(super) fn uses(behaviour: &ast::Behaviour, visit: &mut dyn FnMut(&Rc<str>)) {
    let meet = |meeting: &Meeting, visit: &mut dyn FnMut(&Rc<str>)| {
        if let Meeting::Gates(names) = meeting {
            for name in names {
                visit(&name.name);
            }
        }
    };
    match &behaviour.kind {
        BehaviourKind::Stop | BehaviourKind::Exit(_) => {}
        BehaviourKind::Action { gate, next, .. } => {
            visit(&gate.name);
            uses(next, visit);
        }
        BehaviourKind::Internal(inner)
        | BehaviourKind::Guard(_, inner)
        | BehaviourKind::Hide(_, inner)
        | BehaviourKind::Let(_, inner)
        | BehaviourKind::ChoiceOverValues(_, inner) => uses(inner, visit),
        BehaviourKind::Parallel(meeting, left, right) => {
            meet(meeting, visit);
            uses(left, visit);
            uses(right, visit);
        }
        BehaviourKind::Choice(left, right)
        | BehaviourKind::Disable(left, right)
        | BehaviourKind::Enable { left, right, .. } => {
            uses(left, visit);
            uses(right, visit);
        }
        BehaviourKind::ChoiceOverGates(ranges, inner) => {
            ranges.iter().flat_map(|range| &range.gates).for_each(|gate| visit(&gate.name));
            uses(inner, visit);
        }
        BehaviourKind::ParallelOverGates(ranges, meeting, inner) => {
            ranges.iter().flat_map(|range| &range.gates).for_each(|gate| visit(&gate.name));
            meet(meeting, visit);
            uses(inner, visit);
        }
        BehaviourKind::Call { gates, .. } => gates.iter().for_each(|gate| visit(&gate.name)),
    }
}

/// Returns all numbers of some lists, in rising order.
pub(super) fn united(lists: &[&[u16]]) -> Vec<u16> {
    let mut all = lists.concat();
    all.sort_unstable();
    all.dedup();
    all
}

/// Returns where a variable is among those at hand.
pub(super) fn place(number: u16, all: &[u16]) -> u16 {
    all.iter().position(|other| *other == number).unwrap_or(0) as u16
}

pub(super) fn term_variables(term: &Term, all: &mut Vec<u16>) {
    match term {
        Term::Variable(number) => all.push(*number),
        Term::Number(_) => {}
        Term::Apply(_, arguments) => arguments.iter().for_each(|argument| term_variables(argument, all)),
    }
}

pub(super) fn condition_variables(condition: &Condition) -> Vec<u16> {
    let mut all = Vec::new();
    match condition {
        Condition::True(term) => term_variables(term, &mut all),
        Condition::Equal(left, right) => {
            term_variables(left, &mut all);
            term_variables(right, &mut all);
        }
    }
    all
}

pub(super) fn offer_variables(offers: &[behaviour::Offer]) -> Vec<u16> {
    let mut all = Vec::new();
    for offer in offers {
        if let behaviour::Offer::Value(term, _) = offer {
            term_variables(term, &mut all);
        }
    }
    united(&[&all])
}

/// Replaces the numbers of variables by their places.
pub(super) fn place_term(term: &mut Term, all: &[u16]) {
    match term {
        Term::Variable(number) => *number = place(*number, all),
        Term::Number(_) => {}
        Term::Apply(_, arguments) => arguments.iter_mut().for_each(|argument| place_term(argument, all)),
    }
}

pub(super) fn place_condition(condition: &mut Condition, all: &[u16]) {
    match condition {
        Condition::True(term) => place_term(term, all),
        Condition::Equal(left, right) => {
            place_term(left, all);
            place_term(right, all);
        }
    }
}

pub(super) fn place_offers(offers: &mut [behaviour::Offer], all: &[u16]) {
    for offer in offers {
        if let behaviour::Offer::Value(term, _) = offer {
            place_term(term, all);
        }
    }
}
