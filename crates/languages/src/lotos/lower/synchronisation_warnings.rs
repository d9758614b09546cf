//! Warnings about processes that wait for each other at a gate and never agree there.

use std::collections::{BTreeMap, BTreeSet};

use narrows_model::behaviour::{Behaviour, GateId, GateSet, Jump, Offer, PointId, PointKind, SortId};
use narrows_source::{Diagnostic, Diagnostics};

/// The sorts of the values that are used at each gate.
type Used = BTreeMap<GateId, BTreeSet<Vec<SortId>>>;

/// Warns of gates at which two sides never meet.
pub(super) fn check(behaviour: &Behaviour, diagnostics: &mut Diagnostics) {
    for point in &behaviour.points {
        let PointKind::Parallel { gates, left, right } = &point.kind else { continue };
        let (one, two) = (used(behaviour, left.point, gates), used(behaviour, right.point, gates));
        let all: BTreeSet<&GateId> = one.keys().chain(two.keys()).collect();
        for gate in all {
            let name = &behaviour.gates[usize::from(gate.0)];
            match (one.get(gate), two.get(gate)) {
                (Some(left), Some(right)) if left.is_disjoint(right) => {
                    let title = format!("the two sides never agree on what happens at `{name}`");
                    let show = |sets: &BTreeSet<Vec<SortId>>| {
                        let one = |sorts: &Vec<SortId>| {
                            let sorts = sorts.iter().map(|sort| behaviour.data.sort(*sort).name.clone());
                            format!("({})", sorts.collect::<Vec<_>>().join(", "))
                        };
                        sets.iter().map(one).collect::<Vec<_>>().join(" or ")
                    };
                    let note = format!("one side has values {}, the other {}", show(left), show(right));
                    diagnostics.push(Diagnostic::warning("L0305", point.span, title).note(note));
                }
                (Some(_), Some(_)) => {}
                _ => {
                    let title = format!("only one side ever does something at `{name}`, and waits for ever");
                    diagnostics.push(Diagnostic::warning("L0306", point.span, title));
                }
            }
        }
    }
}

fn used(behaviour: &Behaviour, start: PointId, gates: &GateSet) -> Used {
    let mut seen = vec![false; behaviour.points.len()];
    let mut open = vec![start];
    let mut used = Used::new();
    while let Some(point) = open.pop() {
        if std::mem::replace(&mut seen[point.0 as usize], true) {
            continue;
        }
        let mut go = |jump: &Jump| open.push(jump.point);
        match &behaviour.point(point).kind {
            PointKind::Stop | PointKind::Done | PointKind::Exit(_) => {}
            PointKind::Prefix { gate, offers, next, .. } => {
                if gates.contains(*gate) {
                    used.entry(*gate).or_default().insert(offers.iter().map(Offer::sort).collect());
                }
                go(next);
            }
            PointKind::Choice(all) => all.iter().for_each(go),
            PointKind::Over(_, next)
            | PointKind::Guard(_, next)
            | PointKind::Let(_, next)
            | PointKind::Hide(_, next) => go(next),
            PointKind::Parallel { left, right, .. }
            | PointKind::Enable { left, right, .. }
            | PointKind::Disable(left, right) => {
                go(left);
                go(right);
            }
        }
    }
    used
}
