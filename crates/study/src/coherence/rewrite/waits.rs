//! The wait after an access: a location with one transition for each transfer that the access may need.
//!
//! The transitions carry the delays of the study. An access that leads on to the same location, for the same
//! lines, has the same wait: processes that wait alike are in the same state.

use narrows_model::{Guard, LocationId, Statement, Transition};
use narrows_performance::Site;

use super::super::expressions::{constant, load};
use super::super::hierarchy::{Transfer, forget};
use super::super::memory::LineRef;
use super::super::protocol::Access;
use super::{Rewriter, Wait, sequence};

impl Rewriter<'_> {
    /// Returns the location where a process waits for a transfer, and then goes on.
    pub(super) fn wait(
        &mut self,
        found: &LineRef,
        access: Access,
        like: &Transition,
        target: LocationId,
    ) -> LocationId {
        let lines = if self.hierarchy.phases == 1 { Vec::new() } else { found.lines.clone() };
        let key = (target, found.variable, if lines.is_empty() { Access::Load } else { access }, lines);
        // With one phase, which access it was makes no difference any more.
        let accesses: &[Access] =
            if self.hierarchy.phases == 1 { &Access::ALL } else { std::slice::from_ref(&access) };
        if let Some((_, known)) = self.known.iter().find(|(known, _)| *known == key) {
            return *known;
        }
        let at = self.new_location(like.span);
        self.known.push((key, at));
        let (hierarchy, locals, caches) = (self.hierarchy, self.locals.clone(), self.caches.clone());
        let every = hierarchy.memory.lines_of(found.variable);
        let lines: &[u32] = if hierarchy.phases == 1 { &every } else { &found.lines };
        let mut transfers: Vec<Transfer> =
            accesses.iter().flat_map(|access| hierarchy.possible(&caches, *access, lines)).collect();
        transfers.sort_unstable();
        transfers.dedup();
        let second = if hierarchy.phases == 2 { Some(self.new_location(like.span)) } else { None };
        for transfer in transfers {
            let guard = vec![Guard::Condition(hierarchy.goes(transfer, &locals))];
            let mut done = vec![Statement::Assign(locals.transfer.clone(), constant(0))];
            let last = match second {
                None => at,
                Some(second) => {
                    let line = match found.line.constant() {
                        Some(_) => found.line.clone(),
                        None => load(&locals.line),
                    };
                    let update = hierarchy.update(&caches, access, &line);
                    self.add_wait(
                        at,
                        found.variable,
                        transfer,
                        (guard.clone(), vec![update]),
                        second,
                        like,
                        false,
                    );
                    done.extend(forget(found, &locals));
                    second
                }
            };
            self.add_wait(last, found.variable, transfer, (guard, done), target, like, true);
        }
        at
    }

    pub(super) fn add_wait(
        &mut self,
        at: LocationId,
        variable: usize,
        transfer: Transfer,
        (guards, steps): (Vec<Guard>, Vec<Statement>),
        target: LocationId,
        like: &Transition,
        is_last: bool,
    ) {
        let name = &self.hierarchy.memory.variables[variable];
        let source = &self.hierarchy.protocol.transfers[transfer.kind];
        let text = match transfer.kind {
            0 => format!("hit {name}"),
            _ => format!("{source} at distance {} for {name}", transfer.distance),
        };
        let statement = sequence(guards, steps, like.span);
        let mut new = Transition { statement, target, atomic: false, text, ..like.clone() };
        new.is_glue = false;
        let transition = self.add_transition(at, new, None, 0);
        let site = Site { proctype: self.id, transition };
        self.waits.push(Wait { site, variable, transfer, is_last });
    }
}
