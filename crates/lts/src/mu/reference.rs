//! What formulas mean, word for word: sets of states and repetition until nothing changes. Slow, and not
//! translated: the reference for the tests.

use super::actions::labels;
use super::syntax::{Formula, Operator, Regular, Sign};
use crate::graph::Graph;

type Set = Vec<bool>;

/// Returns the states that satisfy a formula.
pub(super) fn satisfying(formula: &Formula, graph: &Graph) -> Set {
    Reference { graph }.formula(formula, &mut Vec::new())
}

struct Reference<'g> {
    graph: &'g Graph,
}

impl Reference<'_> {
    fn formula<'f>(&self, formula: &'f Formula, bound: &mut Vec<(&'f str, Set)>) -> Set {
        let states = self.graph.states() as usize;
        match formula {
            Formula::True => vec![true; states],
            Formula::False => vec![false; states],
            Formula::Variable(name) => {
                bound.iter().rev().find(|(other, _)| *other == name.text).unwrap().1.clone()
            }
            Formula::Not(operand) => negated(&self.formula(operand, bound)),
            Formula::Binary(operator, left, right) => {
                let (left, right) = (self.formula(left, bound), self.formula(right, bound));
                let join = |(left, right): (bool, bool)| match operator {
                    Operator::And => left && right,
                    Operator::Or => left || right,
                    Operator::Implies => !left || right,
                    Operator::Equivalent => left == right,
                };
                left.into_iter().zip(right).map(join).collect()
            }
            Formula::Possible(regular, operand) => self.before(regular, &self.formula(operand, bound)),
            Formula::Necessary(regular, operand) => {
                negated(&self.before(regular, &negated(&self.formula(operand, bound))))
            }
            Formula::Endless(regular, _) => until_stable(vec![true; states], |set| self.before(regular, set)),
            Formula::Bounded(regular, _) => {
                negated(&until_stable(vec![true; states], |set| self.before(regular, set)))
            }
            Formula::Fixpoint(sign, name, body) => {
                until_stable(vec![*sign == Sign::Greatest; states], |set| {
                    bound.push((name.text.as_str(), set.clone()));
                    let next = self.formula(body, bound);
                    bound.pop();
                    next
                })
            }
        }
    }

    /// Returns the states from which a path leads to a set.
    fn before(&self, regular: &Regular, set: &Set) -> Set {
        match regular {
            Regular::Nil => set.clone(),
            Regular::Action(action) => {
                let fitting = labels(action, self.graph);
                let mut result = vec![false; set.len()];
                for (from, edge) in self.graph.all_edges() {
                    if fitting[edge.label as usize] && set[edge.target as usize] {
                        result[from as usize] = true;
                    }
                }
                result
            }
            Regular::Then(first, second) => self.before(first, &self.before(second, set)),
            Regular::Either(first, second) => union(&self.before(first, set), &self.before(second, set)),
            Regular::Star(part, _) => self.any(part, set),
            Regular::Plus(part, _) => self.before(part, &self.any(part, set)),
            Regular::Optional(part) => union(set, &self.before(part, set)),
        }
    }

    fn any(&self, part: &Regular, set: &Set) -> Set {
        until_stable(set.clone(), |found| union(found, &self.before(part, found)))
    }
}

fn negated(set: &Set) -> Set {
    set.iter().map(|has| !has).collect()
}

fn union(left: &Set, right: &Set) -> Set {
    left.iter().zip(right).map(|(left, right)| *left || *right).collect()
}

fn until_stable(mut set: Set, mut next: impl FnMut(&Set) -> Set) -> Set {
    loop {
        let after = next(&set);
        if after == set {
            return set;
        }
        set = after;
    }
}
