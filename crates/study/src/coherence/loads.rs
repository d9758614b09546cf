//! Takes the loads out of an expression, in the order in which it is evaluated.
//!
//! Each load of a shared variable goes to a temporary variable, and the expression reads that. The same place
//! is loaded once: a compiler keeps it in a register. What `&&`, `||` and conditional expressions may leave
//! out is loaded only if it is needed.

use narrows_model::{Binary, Expr, Index, Place, Scalar};

use super::accesses::bare;
use super::expressions::{binary, load, not};
use super::memory::Memory;

/// A load, and when it is needed.
#[derive(Clone, Debug)]
pub(super) struct Load {
    /// What is loaded; its indices are loaded before.
    pub(super) place: Place,
    /// Under which condition; always if there is none.
    pub(super) need: Option<Expr>,
    /// Where it goes.
    pub(super) temporary: Place,
}

/// Loads that were taken out so far.
pub(super) struct LoadExtraction<'m, 't> {
    pub(super) memory: &'m Memory,
    /// Gives a temporary variable: which one, and of which type.
    pub(super) temporary: &'t mut dyn FnMut(usize, Scalar) -> Place,
    pub(super) loads: Vec<Load>,
}

impl LoadExtraction<'_, '_> {
    /// Returns the expression with its loads taken out.
    pub(super) fn expr(&mut self, expr: &Expr, need: Option<&Expr>) -> Expr {
        match expr {
            Expr::Load(place) => {
                let place = self.indices(place, need);
                if !self.memory.is_shared(&place) {
                    return Expr::Load(Box::new(place));
                }
                let same = |known: &&Load| {
                    let is_there = known.need.is_none() || known.need.as_ref() == need;
                    is_there && bare(&known.place) == bare(&place)
                };
                if let Some(known) = self.loads.iter().find(same) {
                    return load(&known.temporary);
                }
                let temporary = (self.temporary)(self.loads.len(), place.scalar);
                self.loads.push(Load { place, need: need.cloned(), temporary: temporary.clone() });
                load(&temporary)
            }
            Expr::Unary(operator, inner) => Expr::Unary(*operator, Box::new(self.expr(inner, need))),
            Expr::Binary(operator, left, right, span) => {
                let left = self.expr(left, need);
                let right = match operator {
                    Binary::And => self.expr(right, Some(&both(need, left.clone()))),
                    Binary::Or => self.expr(right, Some(&both(need, not(left.clone())))),
                    _ => self.expr(right, need),
                };
                Expr::Binary(*operator, Box::new(left), Box::new(right), *span)
            }
            Expr::Conditional(condition, yes, no) => {
                let condition = self.expr(condition, need);
                let yes = self.expr(yes, Some(&both(need, condition.clone())));
                let no = self.expr(no, Some(&both(need, not(condition.clone()))));
                Expr::Conditional(Box::new(condition), Box::new(yes), Box::new(no))
            }
            other => other.clone(),
        }
    }

    /// Returns a place with the loads of its indices taken out.
    pub(super) fn indices(&mut self, place: &Place, need: Option<&Expr>) -> Place {
        let index = |index: &Index| Index { value: self.expr(&index.value, need), ..index.clone() };
        Place { indices: place.indices.iter().map(index).collect(), ..place.clone() }
    }
}

fn both(need: Option<&Expr>, more: Expr) -> Expr {
    match need {
        Some(need) => binary(Binary::And, need.clone(), more),
        None => more,
    }
}

/// Returns an expression that loads a place where it read a temporary variable.
pub(super) fn put_back(expr: &Expr, one: &Load) -> Expr {
    let again = |expr: &Expr| Box::new(put_back(expr, one));
    match expr {
        Expr::Load(place) if **place == one.temporary => load(&one.place),
        Expr::Load(place) => Expr::Load(Box::new(put_back_in(place, one))),
        Expr::Unary(operator, inner) => Expr::Unary(*operator, again(inner)),
        Expr::Binary(operator, left, right, span) => {
            Expr::Binary(*operator, again(left), again(right), *span)
        }
        Expr::Conditional(condition, yes, no) => Expr::Conditional(again(condition), again(yes), again(no)),
        other => other.clone(),
    }
}

/// Does so with the indices of a place.
pub(super) fn put_back_in(place: &Place, one: &Load) -> Place {
    let index = |index: &Index| Index { value: put_back(&index.value, one), ..index.clone() };
    Place { indices: place.indices.iter().map(index).collect(), ..place.clone() }
}
