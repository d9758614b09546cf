//! Locations whose conditions read shared memory: the conditions are evaluated by loads, into one bit for
//! each guard; then the choice is made by these bits, and if nothing can be executed, all is polled again.

use narrows_model::{Binary, Edge, Expr, Guard, LocationId, Statement, Transition};

use super::super::expressions::{binary, constant, load};
use super::super::loads::put_back;
use super::super::protocol::Access;
use super::{Rewriter, sequence};

/// The most conditions of a choice: one bit each in an `int`.
const MAX_GUARDS: usize = 30;

impl Rewriter<'_> {
    /// Rewrites a location without atomic sequences.
    pub(super) fn rewrite_location(&mut self, at: LocationId) {
        let old = self.old;
        let edges = old.location(at).edges.clone();
        let conditions: Vec<(usize, &Expr)> = edges
            .iter()
            .enumerate()
            .filter_map(|(number, edge)| match &old.transition(edge.transition).statement {
                statement @ Statement::Condition(expr) if self.uses(statement) => Some((number, expr)),
                _ => None,
            })
            .collect();
        if conditions.is_empty() {
            for edge in edges {
                self.rewrite_edge(at, edge, Vec::new());
            }
            return;
        }
        let like = old.transition(edges[conditions[0].0].transition).clone();
        if conditions.len() > MAX_GUARDS {
            self.wrong("C0008", like.span, "this choice has too many conditions", "split the choice");
            return;
        }
        let (exprs, mut loads) =
            self.split(|split| conditions.iter().map(|(_, expr)| split.expr(expr, None)).collect::<Vec<_>>());
        let mut bits = constant(0);
        for (number, expr) in exprs.iter().enumerate() {
            let bit = Box::new(constant(1 << number));
            let one = Expr::Conditional(Box::new(expr.clone()), bit, Box::new(constant(0)));
            bits = if number == 0 { one } else { binary(Binary::BitOr, bits, one) };
        }
        // The last load needs no temporary variable: what it is for is decided in the same step.
        let last = loads.pop_if(|one| one.need.is_none());
        let reset: Vec<Statement> =
            loads.iter().map(|one| Statement::Assign(one.temporary.clone(), constant(0))).collect();
        let end = self.add_loads(at, &loads, &mut Vec::new(), &like);
        let choice = self.new_location(like.span);
        let mut steps = Vec::new();
        let mut target = choice;
        if let Some(last) = &last {
            let Some(found) = self.found(&last.place, like.span) else { return };
            steps.extend(self.hierarchy.begin(&self.caches, Access::Load, &found, &self.locals));
            bits = put_back(&bits, last);
            self.forget_line(&found, &mut steps);
            target = self.wait(&found, Access::Load, &like, choice);
        }
        steps.push(Statement::Assign(self.guards.clone(), bits));
        steps.extend(reset);
        self.add(end, sequence(Vec::new(), steps, like.span), target, &like, None);
        self.choose(at, choice, &edges, &conditions, &like);
    }

    /// Adds the choices of a location whose guards have been evaluated.
    pub(super) fn choose(
        &mut self,
        at: LocationId,
        choice: LocationId,
        edges: &[Edge],
        conditions: &[(usize, &Expr)],
        like: &Transition,
    ) {
        let reset = vec![Statement::Assign(self.guards.clone(), constant(0))];
        let mut has_else = false;
        for (number, edge) in edges.iter().enumerate() {
            let transition = self.old.transition(edge.transition).clone();
            let origin = Some(edge.transition);
            let evaluated = conditions.iter().position(|(known, _)| *known == number);
            let guard = match (&transition.statement, evaluated) {
                (_, Some(bit)) => {
                    let bit = constant(1 << bit);
                    Some(Guard::Condition(binary(Binary::BitAnd, load(&self.guards), bit)))
                }
                (Statement::Condition(expr), None) => Some(Guard::Condition(expr.clone())),
                (Statement::Else, None) => {
                    has_else = true;
                    Some(Guard::Else)
                }
                _ => None,
            };
            match guard {
                Some(guard) => {
                    let statement = sequence(vec![guard], reset.clone(), transition.span);
                    self.add(choice, statement, transition.target, &transition, origin);
                }
                None => self.rewrite_edge(choice, *edge, reset.clone()),
            }
        }
        if !has_else {
            // Nothing could be executed: it is tried again.
            self.add(choice, sequence(vec![Guard::Else], reset, like.span), at, like, None);
        }
    }
}
