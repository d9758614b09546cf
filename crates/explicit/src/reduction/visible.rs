//! Which steps a question can see: those that may change the value of one of its atoms.

use narrows_model::{Area, Atom, Expr, LocationId, Move, Place, Receive, Watcher};

use super::footprint::Footprint;
use super::resolve::{Deed, Known, Resolver};
use super::statics::Statics;

/// What a question looks at.
pub(super) struct Visible {
    /// Variables, channels, the number of processes.
    looked_at: Footprint,
    /// The locations that it tells from others, by kind of process.
    locations: Vec<Vec<bool>>,
    /// The transitions that change local variables it looks at, by kind of process.
    transitions: Vec<Vec<bool>>,
}

impl Visible {
    /// Finds what a watcher looks at; `None` if that may be anything.
    pub(super) fn new(statics: &Statics<'_>, watcher: Watcher<'_>) -> Option<Visible> {
        let proctypes = &statics.system.proctypes;
        let mut visible = Visible {
            looked_at: Footprint::default(),
            locations: proctypes.iter().map(|proctype| vec![false; proctype.locations.len()]).collect(),
            transitions: proctypes.iter().map(|proctype| vec![false; proctype.transitions.len()]).collect(),
        };
        match watcher {
            Watcher::Automaton(automaton) => visible.add_atoms(statics, &automaton.atoms),
            Watcher::Acceptance => visible.add_locations(statics, |location| location.is_accepting),
            Watcher::Progress => visible.add_locations(statics, |location| location.is_progress),
            // A claim may count steps, and a trace tells messages apart.
            Watcher::Never(_) | Watcher::Trace { .. } => return None,
        }
        (!visible.looked_at.anything).then_some(visible)
    }

    fn add_atoms(&mut self, statics: &Statics<'_>, atoms: &[Atom]) {
        // An observer is no process; nothing is known of it.
        let known = Known { proctype: 0, pid: None, locals: Vec::new(), globals: None };
        let resolver = Resolver { statics, known: &known, later: None };
        for atom in atoms {
            self.add_expr(statics, &resolver, &atom.expr);
        }
    }

    fn add_locations(&mut self, statics: &Statics<'_>, label: impl Fn(&narrows_model::Location) -> bool) {
        for (marks, proctype) in self.locations.iter_mut().zip(&statics.system.proctypes) {
            for (mark, location) in marks.iter_mut().zip(&proctype.locations) {
                *mark |= label(location);
            }
        }
    }

    fn add_expr(&mut self, statics: &Statics<'_>, resolver: &Resolver<'_, '_>, expr: &Expr) {
        match expr {
            Expr::AtLocation { proctype, pid, location } => {
                self.looked_at.counts = true;
                if let Some(pid) = pid {
                    self.add_expr(statics, resolver, pid);
                }
                if let Some(mark) = self.locations[usize::from(proctype.0)].get_mut(usize::from(*location)) {
                    *mark = true;
                }
            }
            Expr::Remote { proctype, pid, place } => {
                self.looked_at.counts = true;
                if let Some(pid) = pid {
                    self.add_expr(statics, resolver, pid);
                }
                for index in &place.indices {
                    self.add_expr(statics, resolver, &index.value);
                }
                self.add_local(statics, usize::from(proctype.0), place);
            }
            Expr::NonProgress => self.add_locations(statics, |location| location.is_progress),
            Expr::Unary(_, operand) => self.add_expr(statics, resolver, operand),
            Expr::Binary(_, left, right, _) => {
                self.add_expr(statics, resolver, left);
                self.add_expr(statics, resolver, right);
            }
            Expr::Conditional(condition, yes, no) => {
                for part in [condition, yes, no] {
                    self.add_expr(statics, resolver, part);
                }
            }
            Expr::Load(place) if place.area == Area::Local => self.looked_at.anything = true,
            // Nothing times out where an observer looks.
            Expr::Timeout => {}
            Expr::Poll(receive) if is_odd(receive) => self.looked_at.anything = true,
            _ => resolver.expr(expr, &mut self.looked_at),
        }
    }

    fn add_local(&mut self, statics: &Statics<'_>, proctype: usize, place: &Place) {
        if place.area != Area::Local {
            self.looked_at.anything = true;
        }
        let looked_at = place.extent();
        let transitions = &statics.system.proctypes[proctype].transitions;
        for (mark, transition) in self.transitions[proctype].iter_mut().zip(transitions) {
            transition.statement.each_store(&mut |written| {
                let bytes = written.extent();
                let meets = bytes.start < looked_at.end && looked_at.start < bytes.end;
                *mark |= written.area == Area::Local && meets;
            });
        }
    }

    /// Returns whether a move that leads to the given location can be seen.
    pub(super) fn sees(&self, step: &Move, target: LocationId, deed: &Deed) -> bool {
        let proctype = usize::from(step.proctype.0);
        let (looked_at, does) = (&self.looked_at, &deed.does);
        self.locations[proctype][usize::from(step.from.0)]
            || self.locations[proctype][usize::from(target.0)]
            || self.transitions[proctype][step.transition.0 as usize]
            || does.anything
            || does.writes.meets(&looked_at.reads)
            || looked_at.queries.meets(does.sends.union(does.receives))
            || looked_at.counts && (does.births || does.deaths)
    }
}

/// Returns whether a poll of an observer has places of its own.
fn is_odd(receive: &Receive) -> bool {
    receive
        .patterns
        .iter()
        .any(|pattern| matches!(pattern, narrows_model::Pattern::Store(place) if place.area == Area::Local))
}
