//! Formulas about labelled graphs: the regular alternation-free µ-calculus, written as in CADP's MCL.
//!
//! [`parse`] reads a formula, a [`Checker`] finds the states of a graph that satisfy it, and an [`Answer`]
//! says why the first state does, or does not: as a [`Run`] where one is enough, and as a part of the graph,
//! [`Evidence`], always. Time and memory are linear in the graph and in the formula.
//!
//! In the order in which a formula gets its answer:
//!
//! | module | what it does |
//! |---|---|
//! | `lexer`, `parser`, `syntax`, `print` | text to tree, and back |
//! | `scope` | variables, negations, alternation |
//! | `actions`, `equations` | labels that fit; a Boolean equation system, one for each operator |
//! | `solve`, `infinite_looping` | equations block by block; `<R> @` by components |
//! | `evidence`, `lasso` | why: a run, a part of the graph; short ways into a cycle |
//! | `reference` | the semantics of formulas, word for word: for tests |
//!
//! A new operator goes to `syntax`, `parser`, `print`, `equations`, and `reference`.

mod actions;
mod equations;
mod evidence;
mod infinite_looping;
mod lasso;
mod lexer;
mod parser;
mod print;
mod reversed;
mod scope;
mod solve;
mod syntax;

#[cfg(test)]
mod reference;
#[cfg(test)]
mod tests;

use narrows_source::{Diagnostics, FileId};

use crate::graph::{Graph, TooLarge};
use equations::{Equations, equations};
use evidence::Reasons;
use reversed::Reversed;
use solve::{BothDirections, Solution, solve};

pub use actions::warn_of_unknown_labels;
pub use evidence::{End, Evidence, Run};
pub use syntax::{Action, Formula, Name, Operator, Pattern, Regular, Sign};

/// What the messages about formulas mean.
pub const MESSAGES: &str = include_str!("messages.md");

/// Reads a formula; `None` if it has errors.
pub fn parse(file: FileId, text: &str, diagnostics: &mut Diagnostics) -> Option<Formula> {
    let formula = parser::read(file, text, diagnostics)?;
    scope::check(&formula, diagnostics);
    (!diagnostics.has_errors()).then_some(formula)
}

/// Checks formulas on a graph.
pub struct Checker<'g> {
    graph: &'g Graph,
    reversed: Reversed,
}

/// What came out for a formula.
pub struct Answer<'c, 'f> {
    checker: &'c Checker<'c>,
    formula: &'f Formula,
    equations: Equations<'f>,
    solution: Solution,
}

impl<'g> Checker<'g> {
    /// Prepares a graph.
    pub fn new(graph: &'g Graph) -> Checker<'g> {
        Checker { graph, reversed: Reversed::new(graph) }
    }

    /// Finds the states that satisfy a formula that [`parse`] returned.
    pub fn check<'c, 'f>(&'c self, formula: &'f Formula) -> Result<Answer<'c, 'f>, TooLarge> {
        let equations = equations(formula, self.graph);
        let solution = solve(&equations, BothDirections { graph: self.graph, reversed: &self.reversed })?;
        Ok(Answer { checker: self, formula, equations, solution })
    }
}

impl Answer<'_, '_> {
    /// Returns whether the first state satisfies the formula.
    pub fn holds(&self) -> bool {
        self.holds_in(self.checker.graph.initial())
    }

    /// Returns whether a state satisfies the formula.
    pub fn holds_in(&self, state: u32) -> bool {
        self.solution.holds(self.equations.root, state)
    }

    /// Counts the states that satisfy the formula.
    pub fn count(&self) -> u32 {
        self.solution.values[self.equations.root as usize].len() as u32
    }

    /// Returns a run that shows the answer, as far as a single run does.
    pub fn run(&self) -> Option<Run> {
        self.reasons().run()
    }

    /// Returns the part of the graph that shows the answer.
    pub fn evidence(&self) -> Result<Evidence, TooLarge> {
        self.reasons().evidence()
    }

    /// Checks the formula on its evidence alone: whether the answer is the same.
    pub fn is_confirmed_by(&self, evidence: &Evidence) -> Result<bool, TooLarge> {
        Ok(Checker::new(&evidence.graph).check(self.formula)?.holds() == self.holds())
    }

    fn reasons(&self) -> Reasons<'_, '_> {
        Reasons { graph: self.checker.graph, equations: &self.equations, solution: &self.solution }
    }
}
