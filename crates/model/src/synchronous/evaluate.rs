//! What expressions are, given the values of variables.

use super::system::{ExprId, Node, Operator, SynchronousSystem, Value, VariableId};

/// The values of all variables before a step, with the inputs, and after it.
#[derive(Clone, Copy, Debug)]
pub struct Moment<'a> {
    /// Before; of an input, during the step.
    pub current: &'a [Value],
    /// After; the same as before where there is no step.
    pub next: &'a [Value],
}

impl<'a> Moment<'a> {
    /// Makes a moment without a step.
    pub fn still(current: &'a [Value]) -> Moment<'a> {
        Moment { current, next: current }
    }
}

/// Evaluates expressions. It goes from operands to what they are operands of, and so does not mind deep ones.
#[derive(Clone, Debug)]
pub struct Evaluation<'m> {
    system: &'m SynchronousSystem,
    values: Vec<Value>,
}

impl<'m> Evaluation<'m> {
    /// Prepares to evaluate expressions of a synchronous system.
    pub fn new(system: &'m SynchronousSystem) -> Self {
        Evaluation { system, values: vec![0; system.nodes.len()] }
    }

    /// Returns the value of an expression that is no set.
    pub fn value(&mut self, root: ExprId, moment: Moment<'_>) -> Value {
        let order = self.system.below([root]);
        self.ordered(&order, moment);
        self.values[root.0 as usize]
    }

    /// Returns whether something is so.
    pub fn is_true(&mut self, root: ExprId, moment: Moment<'_>) -> bool {
        self.value(root, moment) != 0
    }

    /// Returns the members of a set, or the value of what is none, in order and each once.
    pub fn members(&mut self, root: ExprId, moment: Moment<'_>) -> Vec<Value> {
        let order = self.system.below([root]);
        self.members_after(root, &order, moment)
    }

    /// As [`Self::members`], with the expressions below it given, operands first.
    pub(super) fn members_after(&mut self, root: ExprId, order: &[ExprId], moment: Moment<'_>) -> Vec<Value> {
        self.ordered(order, moment);
        let mut members = Vec::new();
        self.collect(root, &mut members);
        members.sort_unstable();
        members.dedup();
        members
    }

    /// Evaluates expressions in an order in which operands come first.
    pub(super) fn ordered(&mut self, order: &[ExprId], moment: Moment<'_>) {
        for id in order {
            let at = |operand: &ExprId| self.values[operand.0 as usize];
            let value = match self.system.node(*id) {
                Node::Constant(value) => *value,
                Node::Current(variable) => moment.current[variable.0 as usize],
                Node::Next(variable) => moment.next[variable.0 as usize],
                Node::Not(operand) => Value::from(at(operand) == 0),
                Node::Negate(operand) => at(operand).wrapping_neg(),
                Node::Invert(operand) => !at(operand),
                Node::Binary(operator, left, right) => binary(*operator, at(left), at(right)),
                Node::Choose(condition, then, otherwise) => {
                    // Of sets, nothing is looked at here.
                    if at(condition) != 0 { at(then) } else { at(otherwise) }
                }
                Node::Set(_) => 0,
                Node::In(left, right) => {
                    let mut members = Vec::new();
                    self.collect(*right, &mut members);
                    Value::from(members.contains(&at(left)))
                }
                Node::Within(operand, variable) => {
                    let mut members = Vec::new();
                    self.collect(*operand, &mut members);
                    Value::from(self.fits(&members, *variable))
                }
                Node::Wrap { operand, width, signed } => wrap(at(operand), *width, *signed),
            };
            self.values[id.0 as usize] = value;
        }
    }

    /// Returns what was found for an expression.
    pub(super) fn found(&self, id: ExprId) -> Value {
        self.values[id.0 as usize]
    }

    fn fits(&self, members: &[Value], variable: VariableId) -> bool {
        let domain = &self.system.variable(variable).domain;
        members.iter().all(|value| domain.contains(*value))
    }

    /// Appends the members of a set whose parts have been evaluated.
    fn collect(&self, root: ExprId, members: &mut Vec<Value>) {
        let mut waiting = vec![root];
        while let Some(id) = waiting.pop() {
            match self.system.node(id) {
                Node::Set(parts) => waiting.extend(parts),
                Node::Choose(condition, then, otherwise) => {
                    waiting.push(if self.found(*condition) != 0 { *then } else { *otherwise });
                }
                _ => members.push(self.found(id)),
            }
        }
    }
}

impl Operator {
    /// Returns what it makes of two values.
    pub fn apply(self, left: Value, right: Value) -> Value {
        binary(self, left, right)
    }
}

pub(super) fn binary(operator: Operator, left: Value, right: Value) -> Value {
    match operator {
        Operator::And => left & right,
        Operator::Or => left | right,
        Operator::Xor => left ^ right,
        Operator::Equal => Value::from(left == right),
        Operator::Less => Value::from(left < right),
        Operator::LessEqual => Value::from(left <= right),
        Operator::Add => left.wrapping_add(right),
        Operator::Subtract => left.wrapping_sub(right),
        Operator::Multiply => left.wrapping_mul(right),
        Operator::Divide => left.checked_div(right).unwrap_or(0),
        Operator::Remainder => left.checked_rem(right).unwrap_or(0),
        Operator::ShiftLeft => u32::try_from(right).ok().and_then(|by| left.checked_shl(by)).unwrap_or(0),
        Operator::ShiftRight => left >> right.clamp(0, 127),
    }
}

/// Returns the last bits of a number.
pub(super) fn wrap(value: Value, width: u32, signed: bool) -> Value {
    let shift = 128 - width.clamp(1, 128);
    if signed { value << shift >> shift } else { ((value << shift) as u128 >> shift) as Value }
}

#[cfg(test)]
mod tests {
    use super::{binary, wrap};
    use crate::synchronous::Operator;

    #[test]
    fn words_are_cut_off() {
        assert_eq!(wrap(9, 3, false), 1);
        assert_eq!(wrap(-1, 3, false), 7);
        assert_eq!(wrap(5, 3, true), -3);
        assert_eq!(wrap(-5, 3, true), 3);
    }

    #[test]
    fn division_is_that_of_c_and_total() {
        assert_eq!(binary(Operator::Divide, -7, 2), -3);
        assert_eq!(binary(Operator::Remainder, -7, 2), -1);
        assert_eq!(binary(Operator::Divide, 7, 0), 0);
        assert_eq!(binary(Operator::ShiftRight, -8, 1), -4);
        assert_eq!(binary(Operator::ShiftLeft, 1, 200), 0);
    }
}
