//! What can go wrong with graphs and what is asked of them.

use thiserror::Error;

use crate::graph::TooLarge;

/// What is wrong with the number in a label.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum LabelError {
    /// It can't be read.
    #[error("`{0}` is not a number")]
    NoNumber(String),
    /// A rate that no exponential delay has.
    #[error("`{0}` is not a rate: it must be above 0 and finite")]
    NoRate(f64),
    /// A probability that no choice has.
    #[error("`{0}` is not a probability: it must be above 0 and at most 1")]
    NoProbability(f64),
}

/// What is wrong with a pattern for labels.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum PatternError {
    /// It has no gate.
    #[error("`{0}` does not begin with the name of a gate")]
    NoGate(String),
    /// It has an empty value.
    #[error("a value is missing after `!` in `{0}`")]
    NoValue(String),
    /// A value has the number 0.
    #[error("values are counted from 1, which is the first after the gate")]
    NoPlace,
    /// It is no regular expression.
    #[error("not a regular expression: {0}")]
    NoExpression(String),
    /// There are several groups.
    #[error("`{0}` has several groups, and one of them is the value: write `(?:…)` for the others")]
    TooManyGroups(String),
}

/// What is wrong with a regular expression, as the crate `regex` says it.
#[derive(Clone, Debug, PartialEq, Error)]
#[error(transparent)]
pub struct ExpressionError(#[from] pub(crate) regex::Error);

/// Why a graph can't be minimised, or two can't be compared.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum EquivalenceError {
    /// The relation knows no sums of rates and probabilities.
    #[error("rates and probabilities go with the relations strong, branching and divbranching")]
    Relation,
    /// A label has a wrong number.
    #[error("label `{label}`: {error}")]
    Label {
        /// Its text.
        label: String,
        /// What is wrong.
        error: LabelError,
    },
    /// A number that is not decimal.
    #[error("`{0}` is not a decimal number")]
    NoDecimal(String),
    /// Numbers that can't be added exactly.
    #[error(
        "`{number}` and the smallest part of another number are more than {digits} digits apart; round the \
         numbers"
    )]
    Apart {
        /// The larger one.
        number: String,
        /// How many digits there may be.
        digits: i64,
    },
    /// A choice by chance, and an internal step.
    #[error("state {0} has both an internal step and probabilities: which comes first is open")]
    InternalAndChance(u32),
    /// Probabilities that sum to more than 1.
    #[error("the probabilities of state {state} sum to {sum}: that is more than 1")]
    Excess {
        /// Where.
        state: u32,
        /// The sum.
        sum: String,
    },
    /// The subset construction takes too much memory.
    #[error(
        "there are too many ways to go on after the same trace: {0} sets of states; branching or weak \
         bisimulation takes no such sets, and graphs equivalent under them have the same traces"
    )]
    Subsets(usize),
    /// A graph with too many states, edges or labels.
    #[error(transparent)]
    TooLarge(#[from] TooLarge),
}

/// Why it is not known whether a formula holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum LinearError {
    /// The automaton of the formula has too many states.
    #[error("the formula is too large")]
    Formula,
    /// The product has too many edges.
    #[error("graph and formula are too large together")]
    Product,
}
