//! Classes up to exchanges of equal processes: dates go with the processes whose delays they are.
//!
//! What tells the dates of a process from those of another is how far they are from now and from all others;
//! equal parts are sorted by that. Dates that look the same so may still differ in which is how far from
//! which: then classes are kept apart that need not be, which is right, too.

use super::steps::{ClassStep, Clock, Clocks};
use super::zone::Zone;
use crate::StateGraph;
use crate::exchange::{Exchange, place};

/// Puts the class that stands for it in place of one that a step leads to, whose state was noted.
pub(super) fn exchanged(
    exchange: Option<&Exchange<'_>>,
    graph: &StateGraph<'_>,
    clocks: &Clocks,
    mut found: ClassStep,
) -> ClassStep {
    let Some(exchange) = exchange else { return found };
    let Some(canon) = exchange.of(found.step.target) else { return found };
    let mut named: Vec<Clock> = clocks
        .of(found.step.target)
        .iter()
        .map(|(pid, delay)| (place(canon.moved.as_ref(), *pid), *delay))
        .collect();
    if !named.is_empty() {
        let mut tags: Vec<(u8, Vec<u8>)> =
            (0..named.len()).map(|number| (named[number].0, tag(&found.zone, &named, number))).collect();
        tags.sort();
        if let Some(moved) = exchange.settle(graph, canon.state, &tags) {
            for (pid, _) in &mut named {
                *pid = place(Some(&moved), *pid);
            }
        }
        let mut order: Vec<usize> = (0..named.len()).collect();
        order.sort_by_key(|number| named[*number]);
        debug_assert!(order.iter().map(|number| &named[*number]).eq(clocks.of(canon.state)));
        let dates: Vec<usize> = std::iter::once(0).chain(order.iter().map(|number| number + 1)).collect();
        found.zone = found.zone.select(&dates);
    }
    found.step.target = canon.state;
    found
}

/// Says all about a date that does not depend on how processes are numbered.
fn tag(zone: &Zone, named: &[Clock], number: usize) -> Vec<u8> {
    let date = number + 1;
    let far = |from: usize, to: usize| [zone.bound(from, to), zone.bound(to, from)];
    let mut others: Vec<(u16, [i64; 2])> = (0..named.len())
        .filter(|other| *other != number)
        .map(|other| (named[other].1, far(date, other + 1)))
        .collect();
    others.sort_unstable();
    let mut tag = named[number].1.to_be_bytes().to_vec();
    let all = std::iter::once((0, far(date, 0))).chain(others);
    for (delay, [from, to]) in all {
        tag.extend(delay.to_be_bytes());
        // In the order of numbers, as far as bytes have one.
        tag.extend((from.cast_unsigned() ^ 1 << 63).to_be_bytes());
        tag.extend((to.cast_unsigned() ^ 1 << 63).to_be_bytes());
    }
    tag
}
