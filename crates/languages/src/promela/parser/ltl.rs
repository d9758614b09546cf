//! Formulas of linear temporal logic. Words such as `U` are operators only where an operator may stand, so a
//! variable may be called `U` too.

use narrows_logic::Ltl;

use super::formulas::{Formula, Join, Operand, Position};
use super::{Parsed, Parser};
use crate::promela::ast::{BinaryOperator, Expr};
use crate::promela::lexer::TokenKind;

impl Formula for Ltl<Expr> {
    const HELP: &'static str = "temporal operators bind tightest: write `[] (x == 1)`, not `[] x == 1`";
    const AND: Join<Self> = Ltl::And;
    const OR: Join<Self> = Ltl::Or;
    const IMPLIES: Join<Self> = Ltl::Implies;
    const EQUIVALENT: Join<Self> = Ltl::Equivalent;

    fn atom(expression: Expr) -> Self {
        Ltl::Atom(expression)
    }

    fn not(operand: Box<Self>) -> Self {
        Ltl::Not(operand)
    }

    fn innermost(&mut self) -> Option<&mut Expr> {
        match self {
            Ltl::Atom(expression) => Some(expression),
            Ltl::Not(operand) | Ltl::Next(operand) | Ltl::Always(operand) | Ltl::Eventually(operand) => {
                operand.innermost()
            }
            _ => None,
        }
    }

    fn word(word: &str) -> Option<Join<Self>> {
        match word {
            "U" | "until" | "stronguntil" => Some(Ltl::Until),
            "W" | "weakuntil" => Some(Ltl::WeakUntil),
            "V" | "R" | "release" => Some(Ltl::Release),
            _ => None,
        }
    }

    fn instead_of(operator: BinaryOperator) -> Option<(Join<Self>, &'static str)> {
        match operator {
            BinaryOperator::BitAnd => Some((Ltl::And, "use `&&`: `&` works on the bits of numbers")),
            BinaryOperator::BitOr => Some((Ltl::Or, "use `||`: `|` works on the bits of numbers")),
            _ => None,
        }
    }

    fn temporal(parser: &mut Parser<'_>, place: Position) -> Parsed<Option<Operand<Self>>> {
        let (make, length): (fn(Box<Self>) -> Self, _) = match parser.kind() {
            TokenKind::LeftBracket if parser.ahead(1) == TokenKind::RightBracket => (Ltl::Always, 2),
            TokenKind::Less if parser.ahead(1) == TokenKind::Greater => (Ltl::Eventually, 2),
            TokenKind::Name => match &*parser.token().text {
                "always" => (Ltl::Always, 1),
                "eventually" => (Ltl::Eventually, 1),
                "X" | "next" => (Ltl::Next, 1),
                _ => return Ok(None),
            },
            _ => return Ok(None),
        };
        for _ in 0..length {
            parser.bump();
        }
        let operand = parser.nested(|parser| parser.formula_unary::<Self>(place))?;
        Ok(Some(Operand::Temporal(make(operand.boxed()))))
    }

    fn end(_: &mut Parser<'_>, _: Position) -> Parsed<()> {
        Ok(())
    }
}
