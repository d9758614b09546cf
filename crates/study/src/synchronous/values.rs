//! Requests of synchronous systems that are told apart by a value: an event for each value.

use std::collections::BTreeSet;

use narrows_model::synchronous::{
    Builder, Domain, Evaluation, Eventful, ExprId, Moment, SynchronousSystem, Value, VariableId,
};

use crate::{Latency, Question, Study};

/// What requests are asked for: both ends, and what tells them apart at each.
pub(crate) type RequestNames = [String; 4];

/// So many combinations of what an expression looks at are tried to find its values.
const MAX_COMBINATIONS: u128 = 1 << 16;

/// Returns the requests that are told apart by a value, each once for each question.
pub(super) fn told_apart(study: &Study) -> impl Iterator<Item = &Latency> {
    study.asks.iter().filter_map(|ask| match &ask.question {
        Question::Latency(latency) if latency.by.is_some() => Some(&**latency),
        _ => None,
    })
}

/// Returns what requests are asked for, if they are told apart.
pub(super) fn request_names(latency: &Latency) -> Option<RequestNames> {
    let (by, by_end) = (latency.by.as_ref()?, latency.value_at_end()?);
    Some([&latency.from, &latency.to, by, by_end].map(|text| text.text.clone()))
}

/// Adds the events of each value that requests may have; returns their numbers. The error says why not.
pub(super) fn value_events(
    latency: &Latency,
    values: [ExprId; 2],
    builder: &mut Builder,
    events: &mut Vec<(String, ExprId)>,
) -> Result<Vec<(u16, u16)>, String> {
    let find = |name: &str| events.iter().find(|(known, _)| known == name).map(|(_, event)| *event);
    let (Some(from), Some(to)) = (find(&latency.from.text), find(&latency.to.text)) else {
        return Ok(Vec::new());
    };
    let both = values.map(|value| possible(&builder.system, value));
    let [Some(first), Some(second)] = both else {
        return Err("what tells requests apart looks at too many variables to know its values".to_owned());
    };
    // What begins with a value that no end has goes on, and is nobody's.
    let all: BTreeSet<Value> = first.intersection(&second).copied().collect();
    let room = Eventful::MAX_EVENTS.saturating_sub(events.len()) / 2;
    if all.len() > room {
        return Err(format!(
            "requests may have {} values here, and no more than {room} are told apart beside the other \
             events",
            all.len()
        ));
    }
    let mut made = Vec::new();
    for value in all {
        let constant = builder.constant(value);
        let mut add = |event: ExprId, of: ExprId| {
            let is_it = builder.equal(of, constant);
            let name = format!("{} with {value}", latency.from.text);
            events.push((name, builder.and(event, is_it)));
            events.len() as u16 - 1
        };
        made.push((add(from, values[0]), add(to, values[1])));
    }
    Ok(made)
}

/// Returns the values that an expression may have, whatever can be reached. `None` if that is too much to
/// try.
fn possible(system: &SynchronousSystem, root: ExprId) -> Option<BTreeSet<Value>> {
    let (current, next) = system.looks_at(root);
    let domain = |id: &VariableId| &system.variable(*id).domain;
    let count = current.iter().chain(&next).map(|id| Domain::len(domain(id)));
    if count.fold(1, u128::saturating_mul) > MAX_COMBINATIONS {
        return None;
    }
    let first = |(_, variable): (VariableId, &narrows_model::synchronous::Variable)| {
        variable.domain.values().next().unwrap_or_default()
    };
    let start: Vec<Value> = system.each_variable().map(first).collect();
    let mut moments = vec![(start.clone(), start)];
    for (is_next, id) in current.iter().map(|id| (false, id)).chain(next.iter().map(|id| (true, id))) {
        let place = id.0 as usize;
        let with = |(current, next): (Vec<Value>, Vec<Value>)| {
            let values = system.variable(*id).domain.values();
            values.map(move |value| {
                let (mut current, mut next) = (current.clone(), next.clone());
                if is_next {
                    next[place] = value;
                } else {
                    current[place] = value;
                }
                (current, next)
            })
        };
        moments = moments.into_iter().flat_map(with).collect();
    }
    let mut evaluation = Evaluation::new(system);
    let value = |(current, next): (Vec<Value>, Vec<Value>)| {
        evaluation.value(root, Moment { current: &current, next: &next })
    };
    Some(moments.into_iter().map(value).collect())
}
