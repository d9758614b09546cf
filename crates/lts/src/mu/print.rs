//! Formulas as text that can be read again.

use std::fmt::{Display, Formatter, Result, Write};

use super::syntax::{Action, Formula, Operator, Regular, Sign};

impl Display for Operator {
    fn fmt(&self, to: &mut Formatter<'_>) -> Result {
        to.write_str(match self {
            Operator::And => "and",
            Operator::Or => "or",
            Operator::Implies => "implies",
            Operator::Equivalent => "equ",
        })
    }
}

impl Display for Formula {
    fn fmt(&self, to: &mut Formatter<'_>) -> Result {
        match self {
            Formula::True => to.write_str("true"),
            Formula::False => to.write_str("false"),
            Formula::Variable(name) => to.write_str(&name.text),
            Formula::Not(operand) => write!(to, "not {}", Operand(operand)),
            Formula::Binary(operator, left, right) => {
                write!(to, "{} {operator} {}", Operand(left), Operand(right))
            }
            Formula::Possible(regular, operand) => write!(to, "<{regular}> {}", Operand(operand)),
            Formula::Necessary(regular, operand) => write!(to, "[{regular}] {}", Operand(operand)),
            Formula::Endless(regular, _) => write!(to, "<{regular}> @"),
            Formula::Bounded(regular, _) => write!(to, "[{regular}] -|"),
            Formula::Fixpoint(sign, name, body) => {
                let word = if *sign == Sign::Least { "mu" } else { "nu" };
                write!(to, "{word} {} . {}", name.text, Operand(body))
            }
        }
    }
}

/// A formula beside an operator.
struct Operand<'f>(&'f Formula);

impl Display for Operand<'_> {
    fn fmt(&self, to: &mut Formatter<'_>) -> Result {
        match self.0 {
            Formula::Binary(..) | Formula::Fixpoint(..) => write!(to, "({})", self.0),
            other => write!(to, "{other}"),
        }
    }
}

impl Display for Regular {
    fn fmt(&self, to: &mut Formatter<'_>) -> Result {
        match self {
            Regular::Nil => to.write_str("nil"),
            Regular::Action(action) => write!(to, "{action}"),
            Regular::Then(first, second) => match &**first {
                Regular::Then(..) => write!(to, "{first} . {}", PathOperand(second)),
                first => write!(to, "{} . {}", PathOperand(first), PathOperand(second)),
            },
            Regular::Either(first, second) => match &**first {
                Regular::Either(..) => write!(to, "{first} | {}", PathOperand(second)),
                first => write!(to, "{} | {}", PathOperand(first), PathOperand(second)),
            },
            Regular::Star(part, _) => write!(to, "{}*", PathOperand(part)),
            Regular::Plus(part, _) => write!(to, "{}+", PathOperand(part)),
            Regular::Optional(part) => write!(to, "{}?", PathOperand(part)),
        }
    }
}

/// A set of paths beside an operator.
struct PathOperand<'r>(&'r Regular);

impl Display for PathOperand<'_> {
    fn fmt(&self, to: &mut Formatter<'_>) -> Result {
        match self.0 {
            Regular::Then(..)
            | Regular::Either(..)
            | Regular::Action(Action::Binary(..) | Action::Not(_)) => write!(to, "({})", self.0),
            other => write!(to, "{other}"),
        }
    }
}

impl Display for Action {
    fn fmt(&self, to: &mut Formatter<'_>) -> Result {
        match self {
            Action::True => to.write_str("true"),
            Action::False => to.write_str("false"),
            Action::Internal => to.write_str("tau"),
            Action::Label(name) => quoted(&name.text, '"', to),
            Action::Pattern(pattern) => write!(to, "'{}'", pattern.text.replace('\'', "\\'")),
            Action::Not(operand) => match &**operand {
                Action::Binary(..) => write!(to, "not ({operand})"),
                other => write!(to, "not {other}"),
            },
            Action::Binary(operator, left, right) => {
                action_operand(left, to)?;
                write!(to, " {operator} ")?;
                action_operand(right, to)
            }
        }
    }
}

fn action_operand(action: &Action, to: &mut Formatter<'_>) -> Result {
    match action {
        Action::Binary(..) => write!(to, "({action})"),
        other => write!(to, "{other}"),
    }
}

/// Writes a text between quotes; the quote and the backslash have a backslash before them.
fn quoted(text: &str, quote: char, to: &mut Formatter<'_>) -> Result {
    to.write_char(quote)?;
    for character in text.chars() {
        if character == quote || character == '\\' {
            to.write_char('\\')?;
        }
        to.write_char(character)?;
    }
    to.write_char(quote)
}
