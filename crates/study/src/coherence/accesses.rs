//! Which places of the state a statement reads and writes.

use narrows_model::{Area, Expr, Guard, Index, Node, Pattern, Place, Receive, Statement};
use narrows_source::Span;

/// Visits all places that an expression reads, innermost first.
pub(super) fn reads(expr: &Expr, visit: &mut dyn FnMut(&Place)) {
    match expr {
        Expr::Load(place) => {
            indices(place, visit);
            visit(place);
        }
        Expr::Unary(_, inner) | Expr::Channel(_, inner, _) => reads(inner, visit),
        Expr::Binary(_, left, right, _) => {
            reads(left, visit);
            reads(right, visit);
        }
        Expr::Conditional(condition, yes, no) => {
            for part in [condition, yes, no] {
                reads(part, visit);
            }
        }
        Expr::Poll(receive) => received(receive, &mut |place, _| visit(place)),
        _ => {}
    }
}

fn indices(place: &Place, visit: &mut dyn FnMut(&Place)) {
    for index in &place.indices {
        reads(&index.value, visit);
    }
}

/// Visits what a receive reads, and what it writes.
fn received(receive: &Receive, visit: &mut dyn FnMut(&Place, bool)) {
    reads(&receive.channel, &mut |place| visit(place, false));
    for pattern in &receive.patterns {
        match pattern {
            Pattern::Store(place) => {
                indices(place, &mut |place| visit(place, false));
                visit(place, true);
            }
            Pattern::Match(expr) => reads(expr, &mut |place| visit(place, false)),
            Pattern::Discard => {}
        }
    }
}

/// Visits all places that a statement reads, and those that it writes (true). What it only asserts or prints
/// is for people.
pub(super) fn touches(statement: &Statement, visit: &mut dyn FnMut(&Place, bool)) {
    match statement {
        Statement::Condition(expr) => reads(expr, &mut |place| visit(place, false)),
        Statement::Assign(place, expr) => {
            reads(expr, &mut |place| visit(place, false));
            indices(place, &mut |place| visit(place, false));
            visit(place, true);
        }
        Statement::Run(run, result) => {
            for argument in &run.arguments {
                reads(argument, &mut |place| visit(place, false));
            }
            if let Some((place, expr)) = result {
                reads(expr, &mut |place| visit(place, false));
                indices(place, &mut |place| visit(place, false));
                visit(place, true);
            }
        }
        Statement::Send(send) => {
            reads(&send.channel, &mut |place| visit(place, false));
            for argument in &send.arguments {
                reads(argument, &mut |place| visit(place, false));
            }
        }
        Statement::Receive(receive) => received(receive, visit),
        Statement::SetPriority(first, second) => {
            reads(first, &mut |place| visit(place, false));
            reads(second, &mut |place| visit(place, false));
        }
        Statement::DStep(step) => {
            for guard in &step.guards {
                match guard {
                    Guard::Condition(expr) => reads(expr, &mut |place| visit(place, false)),
                    Guard::Send(send) => touches(&Statement::Send(send.clone()), visit),
                    Guard::Receive(receive) => received(receive, visit),
                    Guard::Else | Guard::Always => {}
                }
            }
            for node in &step.nodes {
                if let Node::Execute(statement, ..) = node {
                    touches(statement, visit);
                }
            }
        }
        _ => {}
    }
}

/// Returns a place without its spans, so that two places can be compared that are written in different
/// places.
pub(super) fn bare(place: &Place) -> Place {
    let index = |index: &Index| Index { value: bare_expr(&index.value), ..index.clone() };
    Place { indices: place.indices.iter().map(index).collect(), span: Span::default(), ..place.clone() }
}

fn bare_expr(expr: &Expr) -> Expr {
    let boxed = |expr: &Expr| Box::new(bare_expr(expr));
    match expr {
        Expr::Load(place) => Expr::Load(Box::new(bare(place))),
        Expr::Unary(operator, inner) => Expr::Unary(*operator, boxed(inner)),
        Expr::Binary(operator, left, right, _) => {
            Expr::Binary(*operator, boxed(left), boxed(right), Span::default())
        }
        Expr::Conditional(condition, yes, no) => Expr::Conditional(boxed(condition), boxed(yes), boxed(no)),
        other => other.clone(),
    }
}

/// Returns the bytes that a place may be at, whatever its indices are.
pub(super) fn extent(place: &Place) -> std::ops::Range<u32> {
    let more: u32 = place.indices.iter().map(|index| index.length.saturating_sub(1) * index.stride).sum();
    place.offset..place.offset + more + place.scalar.bytes()
}

/// Returns whether two places may be the same.
pub(super) fn may_meet(one: &Place, other: &Place) -> bool {
    let (first, second) = (extent(one), extent(other));
    one.area == other.area && first.start < second.end && second.start < first.end
}

/// Returns whether a place is a global variable in memory: channels are not.
pub(super) fn is_memory(place: &Place) -> bool {
    place.area == Area::Global && place.scalar != narrows_model::Scalar::Channel
}
