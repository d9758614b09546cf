//! Atomic sequences, and `d_step`: one access to the only place in shared memory that they use, as a
//! processor's test-and-set is.

use narrows_model::{LocationId, Place, Statement, Transition, TransitionId};
use narrows_source::{Diagnostic, Span};

use super::super::accesses::{bare, may_meet, reads, touches};
use super::super::protocol::Access;
use super::{Rewriter, sequence};

impl Rewriter<'_> {
    /// Returns whether an atomic sequence, or a `d_step`, begins at a location.
    pub(super) fn is_atomic(&self, at: LocationId) -> bool {
        self.old.location(at).edges.iter().any(|edge| {
            let transition = self.old.transition(edge.transition);
            transition.atomic || matches!(transition.statement, Statement::DStep(_))
        })
    }

    /// Returns the locations inside the atomic sequence that begins at a location, and its transitions.
    pub(super) fn region(&self, at: LocationId) -> (Vec<LocationId>, Vec<TransitionId>) {
        let (mut locations, mut transitions) = (Vec::new(), Vec::new());
        let mut todo = vec![at];
        while let Some(location) = todo.pop() {
            for edge in &self.old.location(location).edges {
                let transition = self.old.transition(edge.transition);
                if !transitions.contains(&edge.transition) {
                    transitions.push(edge.transition);
                }
                if transition.atomic && !locations.contains(&transition.target) {
                    locations.push(transition.target);
                    todo.push(transition.target);
                }
            }
        }
        (locations, transitions)
    }

    /// Rewrites an atomic sequence that uses shared memory: it is one access.
    pub(super) fn rewrite_atomic(&mut self, at: LocationId, is_inside: bool) {
        let old = self.old;
        let (locations, transitions) = self.region(at);
        let like = old.transition(transitions[0]).clone();
        let Some((place, stores)) = self.only_place(&transitions) else { return };
        if is_inside {
            self.wrong(
                "C0009",
                like.span,
                "this atomic sequence is entered again, or goes round, and uses shared memory",
                "end the sequence before it goes round",
            );
            return;
        }
        let Some(found) = self.found(&place, like.span) else { return };
        let access = if stores { Access::TestAndSet } else { Access::Load };
        let inner = self.new_location(like.span);
        let mut steps = self.hierarchy.begin(&self.caches, access, &found, &self.locals);
        self.forget_line(&found, &mut steps);
        let begin = Transition {
            statement: sequence(Vec::new(), steps, like.span),
            target: inner,
            atomic: true,
            is_glue: true,
            ..like.clone()
        };
        self.add_transition(at, begin, None, 0);
        // The first to use a location inside has it; others get a copy.
        let mut copies: Vec<(LocationId, LocationId)> = vec![(at, inner)];
        for location in locations {
            let number = usize::from(location.0);
            let copy = if self.taken[number] {
                let span = old.location(location).span;
                self.new_location(span)
            } else {
                self.taken[number] = true;
                location
            };
            copies.push((location, copy));
        }
        for (location, copy) in copies.clone() {
            let mut has_else = false;
            for edge in old.location(location).edges.clone() {
                let mut transition = old.transition(edge.transition).clone();
                has_else |= matches!(transition.statement, Statement::Else);
                transition.target = if transition.atomic {
                    let inside = copies.iter().find(|(known, _)| *known == transition.target);
                    inside.map_or(transition.target, |(_, copy)| *copy)
                } else {
                    self.wait(&found, access, &like, transition.target)
                };
                self.add_transition(copy, transition, Some(edge.transition), edge.escape);
            }
            if location == at && !has_else {
                // It could not begin: the access took place all the same, and is tried again.
                let again = self.wait(&found, access, &like, at);
                self.add(copy, Statement::Else, again, &like, None);
            }
        }
    }

    /// Returns the only place in shared memory that some transitions use, and whether they store there.
    pub(super) fn only_place(&mut self, transitions: &[TransitionId]) -> Option<(Place, bool)> {
        let old = self.old;
        let mut places: Vec<(Place, Span)> = Vec::new();
        let (mut stores, mut written) = (false, Vec::new());
        for id in transitions {
            let transition = old.transition(*id);
            touches(&transition.statement, &mut |place, is_store| {
                if self.hierarchy.memory.is_shared(place) {
                    stores |= is_store;
                    if !places.iter().any(|(known, _)| bare(known) == bare(place)) {
                        places.push((place.clone(), transition.span));
                    }
                } else if is_store {
                    written.push(place.clone());
                }
            });
        }
        if let [(_, first), (_, second), ..] = &places[..] {
            let title = "this atomic sequence uses more than one place in shared memory";
            let help = "no processor does that at once: protect it by a lock, and end the sequence";
            let diagnostic = Diagnostic::error("C0009", *second, title).also(*first, "this is another place");
            self.diagnostics.push(diagnostic.help(help));
            return None;
        }
        let (place, span) = places.pop()?;
        let mut moves = false;
        for index in &place.indices {
            reads(&index.value, &mut |read| {
                moves |= written.iter().any(|place| may_meet(place, read));
            });
        }
        if moves {
            let title = "this atomic sequence changes what it takes as an index into shared memory";
            self.wrong("C0009", span, title, "change the index before or after the sequence");
            return None;
        }
        Some((place, stores))
    }
}
