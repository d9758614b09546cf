//! Formulas as they are written.

use narrows_source::Span;
use regex::Regex;

/// A formula about a state.
#[derive(Clone, Debug)]
pub enum Formula {
    /// Every state.
    True,
    /// No state.
    False,
    /// What an enclosing `mu` or `nu` defines.
    Variable(Name),
    /// `not F`.
    Not(Box<Formula>),
    /// `F and G` and the like.
    Binary(Operator, Box<Formula>, Box<Formula>),
    /// `<R> F`: some path that fits `R` leads to `F`.
    Possible(Regular, Box<Formula>),
    /// `[R] F`: every path that fits `R` leads to `F`.
    Necessary(Regular, Box<Formula>),
    /// `<R> @`: some endless path is made of parts that fit `R`.
    Endless(Regular, Span),
    /// `[R] -|`: no endless path is made of parts that fit `R`.
    Bounded(Regular, Span),
    /// `mu X . F` or `nu X . F`.
    Fixpoint(Sign, Name, Box<Formula>),
}

/// An operator between two formulas, about states or about labels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operator {
    /// `and`.
    And,
    /// `or`.
    Or,
    /// `implies`.
    Implies,
    /// `equ`.
    Equivalent,
}

/// Which solution of an equation is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sign {
    /// The smallest set of states: `mu`.
    Least,
    /// The largest set of states: `nu`.
    Greatest,
}

impl Sign {
    /// Returns the sign under a negation.
    pub(super) fn flipped(self, flip: bool) -> Sign {
        match (self, flip) {
            (Sign::Least, true) | (Sign::Greatest, false) => Sign::Greatest,
            (Sign::Greatest, true) | (Sign::Least, false) => Sign::Least,
        }
    }
}

/// A name, and where it is written.
#[derive(Clone, Debug)]
pub struct Name {
    /// The name.
    pub text: String,
    /// Where it is written.
    pub span: Span,
}

/// A set of paths.
#[derive(Clone, Debug)]
pub enum Regular {
    /// The path without edges.
    Nil,
    /// One edge whose label fits.
    Action(Action),
    /// `R . S`: one after the other.
    Then(Box<Regular>, Box<Regular>),
    /// `R | S`: either.
    Either(Box<Regular>, Box<Regular>),
    /// `R*`: any number of times. The span is that of the operator.
    Star(Box<Regular>, Span),
    /// `R+`: once or more. The span is that of the operator.
    Plus(Box<Regular>, Span),
    /// `R?`: once or not at all.
    Optional(Box<Regular>),
}

impl Regular {
    /// Returns whether the path without edges fits.
    pub(super) fn fits_nothing(&self) -> bool {
        match self {
            Regular::Nil | Regular::Star(..) | Regular::Optional(_) => true,
            Regular::Action(_) => false,
            Regular::Then(first, second) => first.fits_nothing() && second.fits_nothing(),
            Regular::Either(first, second) => first.fits_nothing() || second.fits_nothing(),
            Regular::Plus(part, _) => part.fits_nothing(),
        }
    }

    /// Returns where something is repeated any number of times, if anything is.
    pub(super) fn repetition(&self) -> Option<Span> {
        match self {
            Regular::Nil | Regular::Action(_) => None,
            Regular::Then(first, second) | Regular::Either(first, second) => {
                first.repetition().or_else(|| second.repetition())
            }
            Regular::Star(_, span) | Regular::Plus(_, span) => Some(*span),
            Regular::Optional(part) => part.repetition(),
        }
    }
}

/// A set of labels.
#[derive(Clone, Debug)]
pub enum Action {
    /// Every label.
    True,
    /// No label.
    False,
    /// The internal action.
    Internal,
    /// One label.
    Label(Name),
    /// The labels that a regular expression matches as a whole.
    Pattern(Pattern),
    /// `not A`.
    Not(Box<Action>),
    /// `A and B` and the like.
    Binary(Operator, Box<Action>, Box<Action>),
}

/// A regular expression over the texts of labels.
#[derive(Clone, Debug)]
pub struct Pattern {
    /// The expression as it is written, without its quotes.
    pub text: String,
    /// The expression for whole texts.
    pub(super) expression: Regex,
    /// Where it is written.
    pub span: Span,
}
