//! Expressions that look things up.

use narrows_model::{Binary, Expr, Place, Unary};
use narrows_source::Span;

pub(super) fn constant(value: i32) -> Expr {
    Expr::Constant(value)
}

pub(super) fn load(place: &Place) -> Expr {
    Expr::Load(Box::new(place.clone()))
}

pub(super) fn binary(operator: Binary, left: Expr, right: Expr) -> Expr {
    Expr::Binary(operator, Box::new(left), Box::new(right), Span::default())
}

pub(super) fn not(expr: Expr) -> Expr {
    Expr::Unary(Unary::Not, Box::new(expr))
}

/// Adds two numbers.
pub(super) fn sum(left: Expr, right: Expr) -> Expr {
    match (left.constant(), right.constant()) {
        (Some(left), Some(right)) => constant(left.wrapping_add(right)),
        (Some(0), None) => right,
        (None, Some(0)) => left,
        _ => binary(Binary::Add, left, right),
    }
}

/// Multiplies a number.
pub(super) fn product(expr: Expr, factor: i32) -> Expr {
    match (expr.constant(), factor) {
        (_, 0) => constant(0),
        (Some(value), _) => constant(value.wrapping_mul(factor)),
        (None, 1) => expr,
        _ => binary(Binary::Multiply, expr, constant(factor)),
    }
}

/// Returns the value that goes with a key; keys are in order, and one of them is there.
pub(super) fn select(key: &Expr, table: &[(i32, Expr)]) -> Expr {
    let Some((_, first)) = table.first() else { return constant(0) };
    if table.iter().all(|(_, value)| value == first) {
        return first.clone();
    }
    if let Some(key) = key.constant() {
        let found = table.iter().find(|(known, _)| *known == key);
        return found.map_or_else(|| first.clone(), |(_, value)| value.clone());
    }
    // Where the value changes nearest to the middle.
    let changes = (1..table.len()).filter(|at| table[*at].1 != table[at - 1].1);
    let middle = changes.min_by_key(|at| at.abs_diff(table.len() / 2)).unwrap_or(1);
    let (low, high) = table.split_at(middle);
    let is_low = binary(Binary::Less, key.clone(), constant(high[0].0));
    Expr::Conditional(Box::new(is_low), Box::new(select(key, low)), Box::new(select(key, high)))
}
