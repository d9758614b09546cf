//! Statements that need no choice: each load of an expression becomes a step with its wait, and the statement
//! itself the last one.

use narrows_model::{Edge, Expr, Guard, LocationId, Place, Scalar, Statement, Transition};
use narrows_source::Span;

use super::super::expressions::{constant, load, not};
use super::super::hierarchy::forget;
use super::super::loads::{Load, LoadExtraction, put_back, put_back_in};
use super::super::memory::LineRef;
use super::super::protocol::Access;
use super::{Rewriter, add_local, sequence};

impl Rewriter<'_> {
    /// Takes the loads out of something.
    pub(super) fn split<T>(&mut self, take: impl FnOnce(&mut LoadExtraction<'_, '_>) -> T) -> (T, Vec<Load>) {
        let memory = &self.hierarchy.memory;
        let mut temporary = |number, scalar| self.temporary(number, scalar);
        let mut split = LoadExtraction { memory, temporary: &mut temporary, loads: Vec::new() };
        let result = take(&mut split);
        (result, split.loads)
    }

    pub(super) fn temporary(&mut self, number: usize, scalar: Scalar) -> Place {
        let same = |known: &&(usize, Scalar, Place)| (known.0, known.1) == (number, scalar);
        if let Some((.., place)) = self.temporaries.iter().find(same) {
            return place.clone();
        }
        let place = add_local(&mut self.new, &format!("loaded {}", number + 1), scalar);
        self.temporaries.push((number, scalar, place.clone()));
        place
    }

    pub(super) fn found(&mut self, place: &Place, span: Span) -> Option<LineRef> {
        let found = self.hierarchy.memory.find_place(place);
        if found.is_none() {
            self.wrong(
                "C0008",
                span,
                "it is not clear which cache line this is",
                "give all elements of the variable the same treatment",
            );
        }
        found
    }

    /// Adds the loads of a chain, from a location on; returns where they end. What comes before goes with the
    /// first step.
    pub(super) fn add_loads(
        &mut self,
        mut at: LocationId,
        loads: &[Load],
        before: &mut Vec<Statement>,
        like: &Transition,
    ) -> LocationId {
        for one in loads {
            let next = self.new_location(like.span);
            let Some(found) = self.found(&one.place, like.span) else { return next };
            let first = std::mem::take(before);
            if let Some(need) = &one.need {
                let guard = vec![Guard::Condition(not(need.clone()))];
                self.add(at, sequence(guard, first.clone(), like.span), next, like, None);
            }
            let guards = one.need.iter().map(|need| Guard::Condition(need.clone())).collect();
            let mut steps = first;
            steps.extend(self.hierarchy.begin(&self.caches, Access::Load, &found, &self.locals));
            steps.push(Statement::Assign(one.temporary.clone(), load(&one.place)));
            self.forget_line(&found, &mut steps);
            let wait = self.wait(&found, Access::Load, like, next);
            self.add(at, sequence(guards, steps, like.span), wait, like, None);
            at = next;
        }
        at
    }

    /// With two phases the line is needed once more.
    pub(super) fn forget_line(&self, found: &LineRef, steps: &mut Vec<Statement>) {
        if self.hierarchy.phases == 1 {
            steps.extend(forget(found, &self.locals));
        }
    }

    /// Rewrites what leads away from a location and needs nothing to be evaluated before it is chosen. Some
    /// statements go with its first step.
    pub(super) fn rewrite_edge(&mut self, at: LocationId, edge: Edge, before: Vec<Statement>) {
        let transition = self.old.transition(edge.transition).clone();
        let origin = Some(edge.transition);
        match &transition.statement {
            Statement::Assign(place, expr) if self.uses(&transition.statement) => {
                self.rewrite_assignment(at, place, expr, &transition, edge, before);
            }
            statement if self.uses(statement) => {
                self.wrong(
                    "C0008",
                    transition.span,
                    "this statement does more than load or store",
                    "load shared variables into local ones first, and store results from local ones",
                );
            }
            _ if before.is_empty() => {
                self.add_transition(at, transition, origin, edge.escape);
            }
            Statement::Skip | Statement::Assign(..) | Statement::Assert(_) | Statement::Print(..) => {
                let mut steps = before;
                steps.push(transition.statement.clone());
                let statement = sequence(Vec::new(), steps, transition.span);
                self.add(at, statement, transition.target, &transition, origin);
            }
            _ => {
                // What was evaluated is forgotten right after it.
                let after = self.new_location(transition.span);
                let statement = sequence(Vec::new(), before, transition.span);
                self.add(after, statement, transition.target, &transition, None);
                let transition = Transition { target: after, ..transition };
                self.add_transition(at, transition, origin, edge.escape);
            }
        }
    }

    pub(super) fn rewrite_assignment(
        &mut self,
        at: LocationId,
        place: &Place,
        expr: &Expr,
        like: &Transition,
        edge: Edge,
        mut before: Vec<Statement>,
    ) {
        let ((mut expr, mut place), mut loads) = self.split(|split| {
            let expr = split.expr(expr, None);
            (expr, split.indices(place, None))
        });
        let stores = self.hierarchy.memory.is_shared(&place);
        // The last load needs no temporary variable: the assignment is the same step.
        let last = if stores { None } else { loads.pop_if(|one| one.need.is_none()) };
        let reset: Vec<Statement> =
            loads.iter().map(|one| Statement::Assign(one.temporary.clone(), constant(0))).collect();
        let end = self.add_loads(at, &loads, &mut before, like);
        let mut steps = before;
        let mut target = like.target;
        let access = if stores { Access::Store } else { Access::Load };
        let accessed = if stores { Some(place.clone()) } else { last.as_ref().map(|one| one.place.clone()) };
        if let Some(last) = &last {
            (expr, place) = (put_back(&expr, last), put_back_in(&place, last));
        }
        let mut forget = Vec::new();
        if let Some(accessed) = accessed {
            let Some(found) = self.found(&accessed, like.span) else { return };
            steps.extend(self.hierarchy.begin(&self.caches, access, &found, &self.locals));
            self.forget_line(&found, &mut forget);
            target = self.wait(&found, access, like, target);
        }
        steps.push(Statement::Assign(place, expr));
        steps.extend(forget);
        steps.extend(reset);
        self.add(end, sequence(Vec::new(), steps, like.span), target, like, Some(edge.transition));
    }
}
