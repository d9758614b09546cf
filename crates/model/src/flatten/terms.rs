//! Expressions of a synchronous system with their value ranges: what these decide is folded to a constant.

use crate::synchronous::{Builder, Domain, ExprId, Node, Operator, Value, VariableId};
use crate::{Binary, Scalar, Unary};

const MIN_VALUE: Value = i32::MIN as Value;
const MAX_VALUE: Value = i32::MAX as Value;

/// A closed range.
pub(super) type Range = (Value, Value);

/// Makes expressions.
#[derive(Debug, Default)]
pub(super) struct Terms {
    pub(super) builder: Builder,
    /// What each expression can be, as far as that was asked for.
    ranges: Vec<Range>,
}

impl Terms {
    pub(super) fn number(&mut self, value: impl Into<Value>) -> ExprId {
        self.builder.constant(value.into())
    }

    pub(super) fn truth(&mut self, value: bool) -> ExprId {
        self.builder.truth(value)
    }

    pub(super) fn constant(&self, id: ExprId) -> Option<Value> {
        self.builder.constant_value(id)
    }

    pub(super) fn is_false(&self, id: ExprId) -> bool {
        self.constant(id) == Some(0)
    }

    /// Returns the current value of a variable: a constant if it has one value only.
    pub(super) fn current(&mut self, variable: VariableId) -> ExprId {
        match self.builder.system.variable(variable).domain {
            Domain::Range(low, high) if low == high => self.number(low),
            _ => self.builder.current(variable),
        }
    }

    /// Returns the range of an expression.
    pub(super) fn range(&mut self, id: ExprId) -> Range {
        // Operands have smaller numbers.
        while self.ranges.len() <= id.0 as usize {
            let range = self.range_of(self.ranges.len());
            self.ranges.push(range);
        }
        self.ranges[id.0 as usize]
    }

    fn range_of(&self, index: usize) -> Range {
        let synchronous = &self.builder.system;
        let of = |id: &ExprId| self.ranges[id.0 as usize];
        let hull = |a: Range, b: Range| (a.0.min(b.0), a.1.max(b.1));
        match &synchronous.nodes[index] {
            Node::Constant(value) => (*value, *value),
            Node::Current(variable) | Node::Next(variable) => match &synchronous.variable(*variable).domain {
                Domain::Range(low, high) => (*low, *high),
                Domain::Values(_) => (MIN_VALUE, MAX_VALUE),
            },
            Node::Not(_) | Node::In(..) | Node::Within(..) => (0, 1),
            Node::Negate(operand) => (-of(operand).1, -of(operand).0),
            Node::Invert(operand) => (!of(operand).1, !of(operand).0),
            Node::Choose(_, then, otherwise) => hull(of(then), of(otherwise)),
            Node::Set(_) => (MIN_VALUE, MAX_VALUE),
            Node::Wrap { operand, width, signed } => {
                let kept = word(*width, *signed);
                if within(of(operand), kept) { of(operand) } else { kept }
            }
            Node::Binary(operator, left, right) => binary_range(*operator, of(left), of(right)),
        }
    }

    pub(super) fn not(&mut self, id: ExprId) -> ExprId {
        self.builder.not(id)
    }

    pub(super) fn and(&mut self, left: ExprId, right: ExprId) -> ExprId {
        if self.builder.system.node(left) == &Node::Not(right)
            || self.builder.system.node(right) == &Node::Not(left)
        {
            return self.truth(false);
        }
        self.builder.and(left, right)
    }

    pub(super) fn or(&mut self, left: ExprId, right: ExprId) -> ExprId {
        if self.builder.system.node(left) == &Node::Not(right)
            || self.builder.system.node(right) == &Node::Not(left)
        {
            return self.truth(true);
        }
        self.builder.or(left, right)
    }

    /// Splits a conjunct in two: the operands of a conjunction, or the negated operands of a negated
    /// disjunction.
    pub(super) fn parts(&mut self, fact: ExprId) -> Option<(ExprId, ExprId)> {
        let (left, right, opposite) = match *self.builder.system.node(fact) {
            Node::Binary(Operator::And, left, right) => (left, right, false),
            Node::Not(inner) => match *self.builder.system.node(inner) {
                Node::Binary(Operator::Or, left, right) => (left, right, true),
                _ => return None,
            },
            _ => return None,
        };
        // On numbers, these are operators on bits.
        if !within(self.range(left), (0, 1)) || !within(self.range(right), (0, 1)) {
            return None;
        }
        Some(if opposite { (self.not(left), self.not(right)) } else { (left, right) })
    }

    /// Returns a balanced conjunction.
    pub(super) fn all(&mut self, list: &[ExprId]) -> ExprId {
        match list {
            [] => self.truth(true),
            [one] => *one,
            _ => {
                let (left, right) = list.split_at(list.len() / 2);
                let (left, right) = (self.all(left), self.all(right));
                self.and(left, right)
            }
        }
    }

    /// Returns a balanced disjunction.
    pub(super) fn any(&mut self, list: &[ExprId]) -> ExprId {
        match list {
            [] => self.truth(false),
            [one] => *one,
            _ => {
                let (left, right) = list.split_at(list.len() / 2);
                let (left, right) = (self.any(left), self.any(right));
                self.or(left, right)
            }
        }
    }

    /// Returns whether a number is not 0.
    pub(super) fn is_so(&mut self, id: ExprId) -> ExprId {
        if within(self.range(id), (0, 1)) {
            return id;
        }
        let zero = self.number(0);
        let none = self.equal(id, zero);
        self.not(none)
    }

    pub(super) fn choose(&mut self, condition: ExprId, then: ExprId, otherwise: ExprId) -> ExprId {
        match (self.constant(then), self.constant(otherwise)) {
            (Some(1), Some(0)) => condition,
            (Some(0), Some(1)) => self.not(condition),
            _ => self.builder.choose(condition, then, otherwise),
        }
    }

    pub(super) fn equal(&mut self, left: ExprId, right: ExprId) -> ExprId {
        if left == right {
            return self.truth(true);
        }
        let (a, b) = (self.range(left), self.range(right));
        if a.1 < b.0 || b.1 < a.0 {
            return self.truth(false);
        }
        for (one, other) in [(left, right), (right, left)] {
            let Some(value) = self.constant(other) else { continue };
            if within(self.range(one), (0, 1)) {
                return if value == 0 { self.not(one) } else { one };
            }
            if let Node::Choose(condition, then, otherwise) = *self.builder.system.node(one)
                && (self.constant(then).is_some() || self.constant(otherwise).is_some())
            {
                let (then, otherwise) = (self.equal(then, other), self.equal(otherwise, other));
                return self.choose(condition, then, otherwise);
            }
        }
        let (left, right) = if left < right { (left, right) } else { (right, left) };
        self.builder.equal(left, right)
    }

    pub(super) fn equals(&mut self, left: ExprId, value: impl Into<Value>) -> ExprId {
        let right = self.number(value);
        self.equal(left, right)
    }

    pub(super) fn less(&mut self, left: ExprId, right: ExprId) -> ExprId {
        let (a, b) = (self.range(left), self.range(right));
        if a.1 < b.0 {
            return self.truth(true);
        }
        if a.0 >= b.1 {
            return self.truth(false);
        }
        self.builder.binary(Operator::Less, left, right)
    }

    /// Wraps a number to so many bits.
    pub(super) fn wrap(&mut self, id: ExprId, width: u32, signed: bool) -> ExprId {
        if within(self.range(id), word(width, signed)) { id } else { self.builder.wrap(id, width, signed) }
    }

    /// Wraps a number as a scalar variable stores it.
    pub(super) fn stored(&mut self, id: ExprId, scalar: Scalar) -> ExprId {
        let (width, signed) = match scalar {
            Scalar::Bit | Scalar::Bool => (1, false),
            Scalar::Byte | Scalar::Pid | Scalar::Mtype(_) | Scalar::Channel => (8, false),
            Scalar::Short => (16, true),
            Scalar::Int => (32, true),
            Scalar::Unsigned(bits) => (u32::from(bits), false),
        };
        self.wrap(id, width, signed)
    }

    pub(super) fn unary(&mut self, operator: Unary, operand: ExprId) -> ExprId {
        match operator {
            Unary::Minus => {
                let negative = self.builder.negate(operand);
                self.wrap(negative, 32, true)
            }
            Unary::Not => {
                let truth = self.is_so(operand);
                self.not(truth)
            }
            Unary::Complement => self.builder.invert(operand),
        }
    }

    /// Applies an operator without faults; the result of a division by zero is arbitrary.
    pub(super) fn binary(&mut self, operator: Binary, left: ExprId, right: ExprId) -> ExprId {
        let plain = |terms: &mut Terms, operator| {
            let result = terms.builder.binary(operator, left, right);
            terms.wrap(result, 32, true)
        };
        match operator {
            Binary::Add => plain(self, Operator::Add),
            Binary::Subtract => plain(self, Operator::Subtract),
            Binary::Multiply => plain(self, Operator::Multiply),
            Binary::Divide => plain(self, Operator::Divide),
            Binary::Remainder => plain(self, Operator::Remainder),
            Binary::BitAnd => plain(self, Operator::And),
            Binary::BitOr => plain(self, Operator::Or),
            Binary::BitXor => plain(self, Operator::Xor),
            Binary::ShiftLeft | Binary::ShiftRight => {
                let mut amount = right;
                if !within(self.range(right), (0, 31)) {
                    let mask = self.number(31);
                    amount = self.builder.binary(Operator::And, right, mask);
                }
                let is_left = operator == Binary::ShiftLeft;
                let operator = if is_left { Operator::ShiftLeft } else { Operator::ShiftRight };
                let shifted = self.builder.binary(operator, left, amount);
                self.wrap(shifted, 32, true)
            }
            Binary::Less => self.less(left, right),
            Binary::Greater => self.less(right, left),
            Binary::LessEqual => {
                let other = self.less(right, left);
                self.not(other)
            }
            Binary::GreaterEqual => {
                let other = self.less(left, right);
                self.not(other)
            }
            Binary::Equal => self.equal(left, right),
            Binary::NotEqual => {
                let same = self.equal(left, right);
                self.not(same)
            }
            Binary::And => {
                let (left, right) = (self.is_so(left), self.is_so(right));
                self.and(left, right)
            }
            Binary::Or => {
                let (left, right) = (self.is_so(left), self.is_so(right));
                self.or(left, right)
            }
        }
    }
}

/// Returns whether one range is part of another.
pub(super) fn within(inner: Range, outer: Range) -> bool {
    outer.0 <= inner.0 && inner.1 <= outer.1
}

/// Returns the numbers of so many bits.
fn word(width: u32, signed: bool) -> Range {
    if signed { (-(1 << (width - 1)), (1 << (width - 1)) - 1) } else { (0, (1 << width) - 1) }
}

/// Returns the numbers that have no more bits than these.
fn as_wide(a: Range, b: Range) -> Range {
    let size = |value: Value| 128 - (if value < 0 { !value } else { value }).leading_zeros();
    let bits = [a.0, a.1, b.0, b.1].into_iter().map(size).max().unwrap_or(0);
    let most = (1 << bits) - 1;
    if a.0 >= 0 && b.0 >= 0 { (0, most) } else { (-most - 1, most) }
}

fn binary_range(operator: Operator, a: Range, b: Range) -> Range {
    let far = |range: Range| range.0.abs().max(range.1.abs());
    match operator {
        Operator::Equal | Operator::Less | Operator::LessEqual => (0, 1),
        Operator::And if a.0 >= 0 && b.0 >= 0 => (0, a.1.min(b.1)),
        Operator::And if a.0 >= 0 => (0, a.1),
        Operator::And if b.0 >= 0 => (0, b.1),
        Operator::And | Operator::Or | Operator::Xor => as_wide(a, b),
        Operator::Add => (a.0 + b.0, a.1 + b.1),
        Operator::Subtract => (a.0 - b.1, a.1 - b.0),
        Operator::Multiply => {
            let products = [a.0 * b.0, a.0 * b.1, a.1 * b.0, a.1 * b.1];
            products.into_iter().fold((Value::MAX, Value::MIN), |all, one| (all.0.min(one), all.1.max(one)))
        }
        Operator::Divide if a.0 >= 0 && b.0 >= 0 => (0, a.1),
        Operator::Divide => (-far(a), far(a)),
        Operator::Remainder => {
            let most = far(a).min((far(b) - 1).max(0));
            (if a.0 < 0 { -most } else { 0 }, if a.1 > 0 { most } else { 0 })
        }
        Operator::ShiftLeft => {
            let ends = [a.0 << b.0, a.0 << b.1, a.1 << b.0, a.1 << b.1];
            ends.into_iter().fold((Value::MAX, Value::MIN), |all, one| (all.0.min(one), all.1.max(one)))
        }
        Operator::ShiftRight => (a.0.min(0), a.1.max(0)),
    }
}

#[cfg(test)]
mod tests {
    use super::{Operator, binary_range};

    #[test]
    fn ranges_hold_all_results() {
        let operators = [
            Operator::And,
            Operator::Or,
            Operator::Xor,
            Operator::Equal,
            Operator::Less,
            Operator::LessEqual,
            Operator::Add,
            Operator::Subtract,
            Operator::Multiply,
            Operator::Divide,
            Operator::Remainder,
            Operator::ShiftLeft,
            Operator::ShiftRight,
        ];
        let ranges = [(-5, -2), (-3, 4), (0, 0), (0, 6), (2, 9)];
        for operator in operators {
            let shifts = matches!(operator, Operator::ShiftLeft | Operator::ShiftRight);
            for a in ranges {
                for b in ranges.iter().copied().filter(|b| !shifts || b.0 >= 0) {
                    let (low, high) = binary_range(operator, a, b);
                    for left in a.0..=a.1 {
                        for right in b.0..=b.1 {
                            let result = operator.apply(left, right);
                            assert!(low <= result && result <= high, "{operator:?} {left} {right}");
                        }
                    }
                }
            }
        }
    }
}
