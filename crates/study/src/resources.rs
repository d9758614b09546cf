//! Which delays belong to a resource, where its predicate says so.

use narrows_model::{Expr, Proctype, ProctypeId, TransitionId};
use narrows_performance::{Site, StateGraph, Urgency};
use narrows_source::{Diagnostic, Diagnostics};

use crate::{ProcessStudy, Study, Text};

impl ProcessStudy {
    /// Returns for each resource the delays of the statements at which it is busy, if its predicate is about
    /// nothing but where processes are; `None` if it is about anything else.
    pub(crate) fn delays_of_resources(&self, study: &Study) -> Vec<Option<Vec<u16>>> {
        let delays = |(_, text): &(Text, Text)| {
            let places = locations(self.predicate(text)?)?;
            let sites = places.into_iter().flat_map(|(proctype, location)| {
                let kind = self.system.proctype(proctype);
                let edges = &kind.locations[usize::from(location)].edges;
                edges.iter().map(move |edge| Site { proctype, transition: edge.transition })
            });
            Some(sites.filter_map(|site| self.timing.delay_at(site)).collect())
        };
        study.resources.iter().map(delays).collect()
    }

    /// Warns about resources that are busy only at statements that take no time: they wait for others all the
    /// while.
    pub(crate) fn look_for_timeless(&self, study: &Study, diagnostics: &mut Diagnostics) {
        if self.timing.delays().is_empty() || study.coherence.is_some() {
            return;
        }
        for ((name, text), delays) in study.resources.iter().zip(self.delays_of_resources(study)) {
            if delays.is_some_and(|delays| delays.is_empty()) {
                let title = format!("no statement at which `{}` is busy takes time", name.text);
                let warning = Diagnostic::warning("S0017", text.span, title);
                diagnostics.push(warning.help("give one of them a delay under `[delay]`"));
            }
        }
    }

    /// Returns the kinds of processes that go round and take no time, by name.
    pub(crate) fn timeless_processes(&self) -> Vec<&str> {
        let takes_time = |number: usize, kind: &Proctype| {
            let proctype = ProctypeId(number as u16);
            let transitions = (0..kind.transitions.len() as u32).map(TransitionId);
            transitions.into_iter().any(|transition| self.timing.has_delay(Site { proctype, transition }))
        };
        let kinds = self.system.proctypes.iter().enumerate();
        let timeless = kinds.filter(|(number, kind)| !takes_time(*number, kind) && goes_round(kind));
        timeless.map(|(_, kind)| kind.name.as_str()).collect()
    }
}

/// Returns whether a process of a kind may do the same again and again.
fn goes_round(kind: &Proctype) -> bool {
    let targets = |location: usize| {
        let edges = &kind.locations[location].edges;
        edges.iter().map(|edge| usize::from(kind.transition(edge.transition).target.0))
    };
    (0..kind.locations.len()).any(|start| {
        let mut seen = vec![false; kind.locations.len()];
        let mut next: Vec<usize> = targets(start).collect();
        while let Some(location) = next.pop() {
            if location == start {
                return true;
            }
            if !std::mem::replace(&mut seen[location], true) {
                next.extend(targets(location));
            }
        }
        false
    })
}

/// Returns the locations that an expression is about; `None` if it is about anything else in a state.
fn locations(expr: &Expr) -> Option<Vec<(ProctypeId, u16)>> {
    let mut found = Some(Vec::new());
    expr.each(&mut |part| match part {
        Expr::AtLocation { proctype, location, .. } => {
            if let Some(found) = &mut found {
                found.push((*proctype, *location));
            }
        }
        Expr::Constant(_) | Expr::Unary(..) | Expr::Binary(..) | Expr::Conditional(..) => {}
        _ => found = None,
    });
    found.filter(|found| !found.is_empty())
}

/// A delay of a process, and the resources that belong to it, one bit each.
pub(crate) struct Owner {
    pub(crate) pid: u8,
    pub(crate) delay: u16,
    pub(crate) resources: u64,
}

/// Returns which resources belong to each delay, as far as some states tell in which time passes: those that
/// are busy whenever it runs, or only while it runs. A resource that just happens to be busy at the time is
/// left out, and so is one of which it is known that other delays are its own.
pub(crate) fn owners(
    graph: &StateGraph<'_>,
    states: &[u32],
    busy: &dyn Fn(u32) -> u64,
    delays: &[Option<Vec<u16>>],
    resources: usize,
) -> Vec<Owner> {
    let running = |state: u32| -> Vec<(u8, u16)> {
        let urgency = |effect: u32| match graph.effect(effect).urgency {
            Urgency::Timed(pid, delay) => Some((pid, delay)),
            Urgency::Immediate => None,
        };
        graph.steps_of(state).iter().filter_map(|step| urgency(step.effect)).collect()
    };
    let mut pairs: Vec<(u8, u16)> = states.iter().flat_map(|state| running(*state)).collect();
    pairs.sort_unstable();
    pairs.dedup();
    // For each, what was busy whenever it ran, and what was not busy while it did not.
    let mut found = vec![(u64::MAX, u64::MAX); pairs.len()];
    for state in states {
        let (busy, running) = (busy(*state), running(*state));
        for (pair, (always, only)) in pairs.iter().zip(&mut found) {
            if running.contains(pair) {
                *always &= busy;
            } else {
                *only &= !busy;
            }
        }
    }
    let owner = |((pid, delay), (always, only)): ((u8, u16), (u64, u64))| {
        let own = |resource: &usize| delays.get(*resource).and_then(Option::as_ref);
        let may = |resource: &usize| own(resource).is_none_or(|own| own.contains(&delay));
        let may = (0..resources).filter(may).fold(0, |set, resource| set | 1 << resource);
        Owner { pid, delay, resources: (always | only) & may }
    };
    pairs.into_iter().zip(found).map(owner).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_predicate_about_variables_says_nothing_of_statements() {
        let at = |location| Expr::AtLocation { proctype: ProctypeId(1), pid: None, location };
        let both = |one, other| {
            let span = narrows_source::Span::default();
            Expr::Binary(narrows_model::Binary::Or, Box::new(one), Box::new(other), span)
        };
        assert_eq!(locations(&both(at(3), at(4))), Some(vec![(ProctypeId(1), 3), (ProctypeId(1), 4)]));
        assert_eq!(locations(&both(at(3), Expr::Timeout)), None);
        assert_eq!(locations(&Expr::Constant(1)), None);
    }
}
