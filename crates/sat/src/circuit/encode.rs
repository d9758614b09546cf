//! Expressions as functions of bits.

use narrows_model::synchronous::{Arithmetic, Demand, ExprId, Node, SynchronousSystem, VariableId};
use rustc_hash::FxHashMap;

use super::graph::{Graph, Signal};
use super::number::{Number, constant, sure};

/// Which values the variables of an expression stand for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Reading {
    /// Of a state: current and next values are the same.
    Still,
    /// Of a step: values before it and after it.
    Step,
    /// Of the state after a step: current values are those after it.
    Ahead,
}

/// Turns expressions into functions; each once.
pub(super) struct Encoder<'m> {
    pub(super) system: &'m SynchronousSystem,
    pub(super) graph: Graph,
    /// The values of variables now, as far as they are known.
    pub(super) current: Vec<Option<Number>>,
    /// The values of variables after the step, as far as they are known.
    pub(super) next: Vec<Option<Number>>,
    known: FxHashMap<(ExprId, Reading), Number>,
    /// Of each expression, whether it is a set.
    sets: Vec<bool>,
}

impl<'m> Encoder<'m> {
    pub(super) fn new(system: &'m SynchronousSystem) -> Encoder<'m> {
        let unknown = vec![None; system.variables.len()];
        Encoder {
            system,
            graph: Graph::default(),
            current: unknown.clone(),
            next: unknown,
            known: FxHashMap::default(),
            sets: system.sets(),
        }
    }

    pub(super) fn arithmetic(&mut self) -> Arithmetic<&mut Graph> {
        Arithmetic { algebra: &mut self.graph }
    }

    /// Returns the value of an expression that is no set. All variables that it looks at must be known.
    pub(super) fn value(&mut self, root: ExprId, reading: Reading) -> Number {
        self.prepare(root, reading);
        self.at(root, reading)
    }

    /// Returns where something is so.
    pub(super) fn holds(&mut self, root: ExprId, reading: Reading) -> Signal {
        let value = self.value(root, reading);
        sure(self.arithmetic().truth(&value))
    }

    /// Returns where a constraint is met.
    pub(super) fn demand(&mut self, demand: Demand, reading: Reading) -> Signal {
        match demand {
            Demand::Holds(root) => self.holds(root, reading),
            Demand::Assigned(variable, root) => {
                self.prepare(root, reading);
                let target = self.variable(variable, reading != Reading::Still);
                self.member(&target, root, reading)
            }
        }
    }

    fn variable(&self, variable: VariableId, is_next: bool) -> Number {
        let side = if is_next { &self.next } else { &self.current };
        side[variable.0 as usize].clone().unwrap_or_else(|| constant(0))
    }

    fn at(&self, id: ExprId, reading: Reading) -> Number {
        self.known.get(&(id, reading)).cloned().unwrap_or_else(|| constant(0))
    }

    fn truth(&mut self, id: ExprId, reading: Reading) -> Signal {
        let value = self.at(id, reading);
        sure(self.arithmetic().truth(&value))
    }

    /// Computes an expression and all below it that is no set.
    pub(super) fn prepare(&mut self, root: ExprId, reading: Reading) {
        for id in self.system.below([root]) {
            if !self.known.contains_key(&(id, reading)) && !self.sets[id.0 as usize] {
                let value = self.compute(id, reading);
                self.known.insert((id, reading), value);
            }
        }
    }

    fn compute(&mut self, id: ExprId, reading: Reading) -> Number {
        match self.system.node(id) {
            Node::Constant(value) => constant(*value),
            Node::Current(variable) => self.variable(*variable, reading == Reading::Ahead),
            Node::Next(variable) => self.variable(*variable, reading != Reading::Still),
            Node::Not(operand) => Number::Truth(!self.truth(*operand, reading)),
            Node::Negate(operand) => {
                let value = self.at(*operand, reading);
                sure(self.arithmetic().negate(&value))
            }
            Node::Invert(operand) => {
                let value = self.at(*operand, reading);
                sure(self.arithmetic().invert(&value))
            }
            Node::Binary(operator, left, right) => {
                let (left, right) = (self.at(*left, reading), self.at(*right, reading));
                sure(self.arithmetic().binary(*operator, &left, &right))
            }
            Node::Choose(condition, then, otherwise) => {
                let condition = self.truth(*condition, reading);
                let (then, otherwise) = (self.at(*then, reading), self.at(*otherwise, reading));
                sure(self.arithmetic().choose(&condition, &then, &otherwise))
            }
            Node::Set(_) => constant(0),
            Node::In(left, set) => {
                let value = self.at(*left, reading);
                Number::Truth(self.member(&value, *set, reading))
            }
            Node::Within(set, variable) => Number::Truth(self.fits(*set, *variable, reading, true)),
            Node::Wrap { operand, width, signed } => {
                let value = self.at(*operand, reading);
                sure(self.arithmetic().wrap(&value, *width, *signed))
            }
        }
    }

    /// Returns where a value is a member of a set, or is the same as another value.
    fn member(&mut self, value: &Number, set: ExprId, reading: Reading) -> Signal {
        self.over_set(set, reading, &|this, member| sure(this.arithmetic().equal(value, member)), false)
    }

    /// Returns where every member of a set, or any, is a value of a variable. Its parts have been prepared.
    pub(super) fn fits(&mut self, set: ExprId, variable: VariableId, reading: Reading, all: bool) -> Signal {
        let domain = &self.system.variable(variable).domain;
        self.over_set(set, reading, &|this, member| sure(this.arithmetic().within(domain, member)), all)
    }

    /// Joins what is said of each member of a set: by and, or by or.
    fn over_set(
        &mut self,
        set: ExprId,
        reading: Reading,
        say: &dyn Fn(&mut Self, &Number) -> Signal,
        all: bool,
    ) -> Signal {
        let system = self.system;
        let mut said: FxHashMap<ExprId, Signal> = FxHashMap::default();
        for id in system.set_parts(set, &self.sets) {
            let about = match system.node(id) {
                Node::Set(members) => {
                    let each: Vec<Signal> = members.iter().map(|member| said[member]).collect();
                    if all { self.graph.all(each) } else { self.graph.any(each) }
                }
                Node::Choose(condition, then, otherwise) if self.sets[id.0 as usize] => {
                    let condition = self.truth(*condition, reading);
                    self.graph.choose(condition, said[then], said[otherwise])
                }
                _ => {
                    let value = self.at(id, reading);
                    say(self, &value)
                }
            };
            said.insert(id, about);
        }
        said[&set]
    }

    /// Returns one of the members of a set, or the value of what is none: bits that are asked for say which.
    /// Its parts have been prepared.
    pub(super) fn pick(&mut self, set: ExprId, reading: Reading, choices: &mut Vec<Signal>) -> Number {
        let system = self.system;
        let mut picked: FxHashMap<ExprId, Number> = FxHashMap::default();
        for id in system.set_parts(set, &self.sets) {
            let one = match system.node(id) {
                Node::Set(members) => {
                    let mut each: Vec<Number> = members.iter().map(|member| picked[member].clone()).collect();
                    // By halves: every bit of the choice tells the members of a pair apart.
                    while each.len() > 1 {
                        let bit = self.graph.leaf();
                        choices.push(bit);
                        let pairs: Vec<Vec<Number>> = each.chunks(2).map(<[Number]>::to_vec).collect();
                        each = pairs
                            .into_iter()
                            .map(|pair| match pair.as_slice() {
                                [left, right] => sure(self.arithmetic().choose(&bit, right, left)),
                                _ => pair[0].clone(),
                            })
                            .collect();
                    }
                    each.pop().unwrap_or_else(|| constant(0))
                }
                Node::Choose(condition, then, otherwise) if self.sets[id.0 as usize] => {
                    let condition = self.truth(*condition, reading);
                    let (then, otherwise) = (picked[then].clone(), picked[otherwise].clone());
                    sure(self.arithmetic().choose(&condition, &then, &otherwise))
                }
                _ => self.at(id, reading),
            };
            picked.insert(id, one);
        }
        picked.remove(&set).unwrap_or_else(|| constant(0))
    }
}
