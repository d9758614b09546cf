//! From a formula to equations.
//!
//! Each part of a formula gets a variable, and an equation with one operator on its right side; negations
//! move inwards to the constants. A path `R` before a formula becomes equations too: one for each operator of
//! `R`, and a fixpoint for each repetition. Without alternation, variables that depend on each other have
//! fixpoints of one sign only. `<R> @` is an exception: its equations are least fixpoints but for one, and
//! have no `and`.

use rustc_hash::FxHashMap;

use super::actions::labels;
use super::syntax::{Action, Formula, Operator, Regular, Sign};
use crate::graph::Graph;

/// Names a variable.
pub(super) type Variable = u32;

/// What a variable equals.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Right {
    /// Not known yet.
    Open,
    Constant(bool),
    Same(Variable),
    /// Never part of what depends on itself.
    Not(Variable),
    And(Variable, Variable),
    Or(Variable, Variable),
    /// An edge whose label is in a set leads to the variable.
    Some(u32, Variable),
    /// Every edge whose label is in a set leads to the variable.
    All(u32, Variable),
}

impl Right {
    /// Returns the variables it depends on.
    pub(super) fn operands(self) -> [Option<Variable>; 2] {
        match self {
            Right::Open | Right::Constant(_) => [None, None],
            Right::Same(operand) | Right::Not(operand) => [Some(operand), None],
            Right::Some(_, operand) | Right::All(_, operand) => [Some(operand), None],
            Right::And(left, right) | Right::Or(left, right) => [Some(left), Some(right)],
        }
    }
}

/// Which solution of an equation is meant, if it depends on itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fixpoint {
    Plain(Sign),
    /// The greatest one, although those within are least ones.
    Endless,
}

/// Where a variable comes from.
#[derive(Clone, Copy, Debug)]
pub(super) struct Origin<'f> {
    /// The part of the formula.
    pub(super) formula: &'f Formula,
    /// Whether the variable means the opposite.
    pub(super) negated: bool,
    /// Whether it stands for the part as a whole, and not for the rest of a path.
    pub(super) is_whole: bool,
}

/// One equation.
#[derive(Clone, Copy, Debug)]
pub(super) struct Equation<'f> {
    pub(super) right: Right,
    pub(super) fixpoint: Option<Fixpoint>,
    pub(super) origin: Origin<'f>,
}

/// The equations of a formula on a graph.
#[derive(Clone, Debug)]
pub(super) struct Equations<'f> {
    pub(super) list: Vec<Equation<'f>>,
    /// Sets of labels: for each label whether it belongs to it.
    pub(super) sets: Vec<Vec<bool>>,
    /// What stands for the whole formula.
    pub(super) root: Variable,
}

/// Makes equations of a formula whose variables have been checked.
pub(super) fn equations<'f>(formula: &'f Formula, graph: &Graph) -> Equations<'f> {
    let mut translation = Translation {
        graph,
        equations: Equations { list: Vec::new(), sets: Vec::new(), root: 0 },
        sets: FxHashMap::default(),
        bound: Vec::new(),
        shared: FxHashMap::default(),
        origin: Origin { formula, negated: false, is_whole: true },
    };
    let root = translation.formula(formula, false);
    Equations { root, ..translation.equations }
}

struct Translation<'f, 'g> {
    graph: &'g Graph,
    equations: Equations<'f>,
    /// The sets of labels by the text of their actions.
    sets: FxHashMap<String, u32>,
    bound: Vec<(&'f str, Variable)>,
    /// The operands of `equ`, by their place in memory: both are needed twice.
    shared: FxHashMap<(usize, bool), Variable>,
    origin: Origin<'f>,
}

/// How the equations of a path are made: for some path or for all.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Paths {
    Some,
    All,
}

impl<'f> Translation<'f, '_> {
    fn add(&mut self, right: Right) -> Variable {
        self.equations.list.push(Equation { right, fixpoint: None, origin: self.origin });
        (self.equations.list.len() - 1) as Variable
    }

    fn add_fixpoint(&mut self, fixpoint: Fixpoint) -> Variable {
        let variable = self.add(Right::Open);
        self.equations.list[variable as usize].fixpoint = Some(fixpoint);
        variable
    }

    fn formula(&mut self, formula: &'f Formula, negated: bool) -> Variable {
        self.origin = Origin { formula, negated, is_whole: true };
        match formula {
            Formula::True => self.add(Right::Constant(!negated)),
            Formula::False => self.add(Right::Constant(negated)),
            Formula::Variable(name) => {
                let bound = self.bound.iter().rev().find(|(other, _)| *other == name.text);
                match bound {
                    Some((_, variable)) => *variable,
                    // Formulas with unknown variables are not translated.
                    None => self.add(Right::Constant(false)),
                }
            }
            Formula::Not(operand) => self.formula(operand, !negated),
            Formula::Binary(operator, left, right) => self.binary(formula, *operator, left, right, negated),
            Formula::Possible(regular, operand) => {
                self.modal(formula, regular, operand, negated, Paths::Some)
            }
            Formula::Necessary(regular, operand) => {
                self.modal(formula, regular, operand, negated, Paths::All)
            }
            Formula::Endless(regular, _) => self.endless(regular, negated),
            Formula::Bounded(regular, _) => self.endless(regular, !negated),
            Formula::Fixpoint(sign, name, body) => {
                let variable = self.add_fixpoint(Fixpoint::Plain(sign.flipped(negated)));
                self.bound.push((name.text.as_str(), variable));
                let body = self.formula(body, negated);
                self.bound.pop();
                let right = match self.equations.list[body as usize].right {
                    // `mu X . X`
                    Right::Open if body == variable => {
                        Right::Constant(sign.flipped(negated) == Sign::Greatest)
                    }
                    Right::Open => Right::Same(body),
                    right => right,
                };
                self.equations.list[variable as usize].right = right;
                variable
            }
        }
    }

    fn binary(
        &mut self,
        formula: &'f Formula,
        operator: Operator,
        left: &'f Formula,
        right: &'f Formula,
        negated: bool,
    ) -> Variable {
        if operator == Operator::Equivalent {
            let pairs = [(false, negated), (true, !negated)].map(|(left_negated, right_negated)| {
                let left = self.shared(left, left_negated);
                let right = self.shared(right, right_negated);
                self.origin = Origin { formula, negated, is_whole: false };
                self.add(Right::And(left, right))
            });
            self.origin.is_whole = true;
            return self.add(Right::Or(pairs[0], pairs[1]));
        }
        let left = self.formula(left, negated != (operator == Operator::Implies));
        let right = self.formula(right, negated);
        self.origin = Origin { formula, negated, is_whole: true };
        self.add(match (operator, negated) {
            (Operator::And, false) | (Operator::Or | Operator::Implies, true) => Right::And(left, right),
            _ => Right::Or(left, right),
        })
    }

    /// Translates an operand of `equ`, in which no variable of what is around can stand.
    fn shared(&mut self, formula: &'f Formula, negated: bool) -> Variable {
        let key = (std::ptr::from_ref(formula) as usize, negated);
        if let Some(variable) = self.shared.get(&key) {
            return *variable;
        }
        let variable = self.formula(formula, negated);
        self.shared.insert(key, variable);
        variable
    }

    fn modal(
        &mut self,
        formula: &'f Formula,
        regular: &'f Regular,
        operand: &'f Formula,
        negated: bool,
        paths: Paths,
    ) -> Variable {
        let end = self.formula(operand, negated);
        let paths = match (paths, negated) {
            (Paths::Some, false) | (Paths::All, true) => Paths::Some,
            _ => Paths::All,
        };
        self.origin = Origin { formula, negated, is_whole: false };
        let start = self.path(regular, end, paths);
        if start != end {
            self.equations.list[start as usize].origin.is_whole = true;
        }
        start
    }

    /// Translates a path that leads to a variable.
    fn path(&mut self, regular: &'f Regular, end: Variable, paths: Paths) -> Variable {
        match regular {
            Regular::Nil => end,
            Regular::Action(action) => {
                let set = self.set(action);
                self.add(match paths {
                    Paths::Some => Right::Some(set, end),
                    Paths::All => Right::All(set, end),
                })
            }
            Regular::Then(first, second) => {
                let middle = self.path(second, end, paths);
                self.path(first, middle, paths)
            }
            Regular::Either(first, second) => {
                let (first, second) = (self.path(first, end, paths), self.path(second, end, paths));
                self.add(either(first, second, paths))
            }
            Regular::Optional(part) => {
                let part = self.path(part, end, paths);
                self.add(either(end, part, paths))
            }
            Regular::Star(part, _) => self.repeated(part, end, paths).0,
            Regular::Plus(part, _) => self.repeated(part, end, paths).1,
        }
    }

    /// Translates a repetition; returns what stands for any number of times, and for once or more.
    fn repeated(&mut self, part: &'f Regular, end: Variable, paths: Paths) -> (Variable, Variable) {
        let sign = if paths == Paths::Some { Sign::Least } else { Sign::Greatest };
        let any = self.add_fixpoint(Fixpoint::Plain(sign));
        let once = self.path(part, any, paths);
        self.equations.list[any as usize].right = either(end, once, paths);
        (any, once)
    }

    fn endless(&mut self, regular: &'f Regular, negated: bool) -> Variable {
        if regular.fits_nothing() {
            return self.add(Right::Constant(!negated));
        }
        let variable = self.add_fixpoint(Fixpoint::Endless);
        self.equations.list[variable as usize].origin.is_whole = !negated;
        self.origin.is_whole = false;
        let body = self.path(regular, variable, Paths::Some);
        self.equations.list[variable as usize].right = Right::Same(body);
        self.origin.is_whole = true;
        if negated { self.add(Right::Not(variable)) } else { variable }
    }

    fn set(&mut self, action: &Action) -> u32 {
        let next = self.equations.sets.len() as u32;
        let number = *self.sets.entry(action.to_string()).or_insert(next);
        if number == next {
            self.equations.sets.push(labels(action, self.graph));
        }
        number
    }
}

fn either(left: Variable, right: Variable, paths: Paths) -> Right {
    match paths {
        Paths::Some => Right::Or(left, right),
        Paths::All => Right::And(left, right),
    }
}
