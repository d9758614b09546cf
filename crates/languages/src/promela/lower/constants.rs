//! Expressions that must be known before anything runs: array sizes, capacities, numbers of processes.

use narrows_source::{Diagnostic, Span};

use super::Lowering;
use crate::promela::ast::{ActiveCount, BinaryOperator, Expr, ExprKind, Ident, UnaryOperator, Variable};

impl Lowering<'_> {
    /// Evaluates a constant; a variable counts with its constant initial value, as in SPIN.
    pub(super) fn constant(&mut self, expr: &Expr) -> Option<i32> {
        match &expr.kind {
            ExprKind::Number(value) => Some(*value),
            ExprKind::Unary(UnaryOperator::Minus, operand) => Some(self.constant(operand)?.wrapping_neg()),
            ExprKind::Place(place) if place.parts.len() == 1 && place.parts[0].index.is_none() => {
                let name = &place.parts[0].name;
                if let Some((_, value, _)) = self.mtypes.get(&name.name) {
                    return Some(*value);
                }
                match self.scopes.find(&name.name).map(|variable| variable.constant) {
                    Some(None) => {
                        self.not_constant(expr.span);
                        None
                    }
                    Some(known) => known,
                    None => {
                        self.not_defined(name);
                        None
                    }
                }
            }
            ExprKind::Binary(operator, left, right) => {
                let (left, right) = (self.constant(left)?, self.constant(right)?);
                let value = match operator {
                    BinaryOperator::Add => left.checked_add(right),
                    BinaryOperator::Subtract => left.checked_sub(right),
                    BinaryOperator::Multiply => left.checked_mul(right),
                    BinaryOperator::Divide => left.checked_div(right),
                    BinaryOperator::Remainder => left.checked_rem(right),
                    BinaryOperator::ShiftLeft => left.checked_shl(right as u32),
                    BinaryOperator::ShiftRight => left.checked_shr(right as u32),
                    _ => None,
                };
                if value.is_none() {
                    self.not_constant(expr.span);
                }
                value
            }
            _ => {
                self.not_constant(expr.span);
                None
            }
        }
    }

    /// Reports a name in a constant that is neither a macro nor anything else.
    fn not_defined(&mut self, name: &Ident) {
        let name_text = &name.name;
        Diagnostic::error("P0209", name.span, format!("`{name_text}` is not defined"))
            .label("no macro, symbolic name or variable with this name stands above")
            .help(format!("write `#define {name_text} …` above, or give it with `-D {name_text}=…`"))
            .emit(self.diagnostics);
    }

    fn not_constant(&mut self, span: Span) {
        Diagnostic::error("P0209", span, "this is not a constant expression")
            .label("its value must be known before anything runs")
            .help("use numbers, macros, and the operators + - * / % << >>")
            .emit(self.diagnostics);
    }

    /// Returns the number of elements of an array.
    pub(super) fn length(&mut self, variable: &Variable) -> Option<u32> {
        let expr = variable.length.as_ref()?;
        let value = self.constant(expr).unwrap_or(1);
        match u32::try_from(value) {
            Ok(length @ 1..=65_535) => Some(length),
            _ => {
                Diagnostic::error("P0210", expr.span, format!("an array can't have {value} elements"))
                    .help("an array has 1 to 65535 elements")
                    .emit(self.diagnostics);
                Some(1)
            }
        }
    }

    /// Returns how many processes run at the start.
    pub(super) fn active_count(&mut self, count: &ActiveCount) -> usize {
        match count {
            ActiveCount::One => 1,
            ActiveCount::Count(expr) => {
                let value = self.constant(expr).unwrap_or(1);
                match usize::try_from(value) {
                    Ok(count @ 0..=255) => count,
                    _ => {
                        Diagnostic::error(
                            "P0219",
                            expr.span,
                            format!("{value} processes can't run at the start"),
                        )
                        .help("0 to 255 can; 255 is the most that can exist at a time")
                        .emit(self.diagnostics);
                        1
                    }
                }
            }
        }
    }
}
