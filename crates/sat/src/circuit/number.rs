//! Values that depend on bits, and how to compute with them. Numbers are cut to 128 bits, as in the
//! reference.

use std::collections::BTreeMap;
use std::rc::Rc;

use narrows_model::synchronous::{Domain, Operator, SynchronousSystem, Value};

use super::graph::{Graph, Signal};

/// A value that depends on bits.
#[derive(Clone, Debug)]
pub(crate) enum Number {
    /// 1 where the function is true, 0 elsewhere.
    Truth(Signal),
    /// One of a list, by its index, the last bit first.
    Indexed(Rc<[Value]>, Vec<Signal>),
    /// Each value where its function is true; nowhere two.
    Cases(BTreeMap<Value, Signal>),
    /// A number in two's complement, the last bit first; the first is its sign.
    Bits(Vec<Signal>),
}

/// With more combinations of cases than this, numbers are computed bit by bit.
const MAX_CASES: usize = 64;

/// Values have so many bits.
const MAX_WIDTH: usize = 128;

/// Computes with values.
pub(crate) struct Arithmetic<'g> {
    pub(crate) graph: &'g mut Graph,
}

/// Makes a constant.
pub(crate) fn constant(value: Value) -> Number {
    Number::Cases(BTreeMap::from([(value, Signal::TRUE)]))
}

/// Returns how many bits tell the indices of a domain apart.
pub(crate) fn index_width(domain: &Domain) -> u32 {
    128 - (domain.len() - 1).leading_zeros()
}

impl Arithmetic<'_> {
    /// Returns the value of a domain with an index, the last bit first.
    pub(crate) fn indexed(&mut self, domain: &Domain, is_truth: bool, index: &[Signal]) -> Number {
        match domain {
            Domain::Range(0, 1) if is_truth => Number::Truth(index[0]),
            Domain::Range(low, _) => {
                let mut bits = index.to_vec();
                bits.push(Signal::FALSE);
                let low = self.bits(&constant(*low));
                Number::Bits(trimmed(self.add(&bits, &low)))
            }
            Domain::Values(values) => Number::Indexed(values.as_slice().into(), index.to_vec()),
        }
    }

    /// Returns the index of a value in a domain, the last bit first; anything where it is not one of it.
    pub(crate) fn index(&mut self, domain: &Domain, value: &Number) -> Vec<Signal> {
        let width = index_width(domain) as usize;
        match (domain, value) {
            (Domain::Range(low, _), value) => {
                let (bits, low) = (self.bits(value), self.bits(&constant(*low)));
                let mut bits = self.subtract(&bits, &low);
                bits = extended(&bits, width);
                bits.truncate(width);
                bits
            }
            (Domain::Values(values), Number::Indexed(others, bits)) if **others == **values => bits.clone(),
            (Domain::Values(values), value) => {
                let at: Vec<Signal> = values.iter().map(|one| self.equal(value, &constant(*one))).collect();
                let bit = |graph: &mut Graph, place: usize| {
                    let with = at.iter().enumerate().filter(|(index, _)| index >> place & 1 == 1);
                    graph.any(with.map(|(_, at)| *at))
                };
                (0..width).map(|place| bit(self.graph, place)).collect()
            }
        }
    }

    /// Returns where a value is one of a domain.
    pub(crate) fn within(&mut self, domain: &Domain, value: &Number) -> Signal {
        match (domain, value) {
            (Domain::Values(values), Number::Indexed(others, bits)) if **others == **values => {
                self.valid(domain, &bits.clone())
            }
            (Domain::Range(low, high), Number::Bits(_)) => {
                let at_least = self.binary(Operator::LessEqual, &constant(*low), value);
                let at_most = self.binary(Operator::LessEqual, value, &constant(*high));
                let (at_least, at_most) = (self.truth(&at_least), self.truth(&at_most));
                self.graph.and(at_least, at_most)
            }
            (Domain::Values(values), Number::Bits(_)) => {
                let at: Vec<Signal> = values.iter().map(|one| self.equal(value, &constant(*one))).collect();
                self.graph.any(at)
            }
            _ => {
                let cases = self.cases(value).unwrap_or_default();
                self.graph.any(cases.into_iter().filter(|(one, _)| domain.contains(*one)).map(|(_, at)| at))
            }
        }
    }

    /// Returns where an index is one of a domain.
    pub(crate) fn valid(&mut self, domain: &Domain, index: &[Signal]) -> Signal {
        let last = domain.len() - 1;
        let mut result = Signal::TRUE;
        for (place, bit) in index.iter().enumerate() {
            result = if last >> place & 1 == 1 {
                self.graph.choose(*bit, result, Signal::TRUE)
            } else {
                self.graph.and(!*bit, result)
            };
        }
        result
    }

    /// Returns where a value is not 0.
    pub(crate) fn truth(&mut self, value: &Number) -> Signal {
        match value {
            Number::Truth(truth) => *truth,
            Number::Bits(bits) => self.graph.any(bits.iter().copied()),
            _ => {
                let cases = self.cases(value).unwrap_or_default();
                self.graph.any(cases.into_iter().filter(|(one, _)| *one != 0).map(|(_, at)| at))
            }
        }
    }

    fn cases(&mut self, value: &Number) -> Option<BTreeMap<Value, Signal>> {
        match value {
            Number::Truth(truth) => Some(BTreeMap::from([(0, !*truth), (1, *truth)])),
            Number::Cases(cases) => Some(cases.clone()),
            Number::Bits(_) => None,
            Number::Indexed(values, index) => {
                let at = |graph: &mut Graph, number: usize| {
                    let bits = index.iter().enumerate();
                    graph.all(bits.map(|(place, bit)| bit.negated_if(number >> place & 1 == 0)))
                };
                let each = values.iter().enumerate();
                Some(each.map(|(number, value)| (*value, at(self.graph, number))).collect())
            }
        }
    }

    fn bits(&mut self, value: &Number) -> Vec<Signal> {
        match value {
            Number::Truth(truth) => vec![*truth, Signal::FALSE],
            Number::Bits(bits) => bits.clone(),
            _ => {
                let cases = self.cases(value).unwrap_or_default();
                let width = cases.keys().map(|value| width(*value)).max().unwrap_or(1);
                let bit = |graph: &mut Graph, place: usize| {
                    graph.any(cases.iter().filter(|(value, _)| **value >> place & 1 == 1).map(|(_, at)| *at))
                };
                (0..width).map(|place| bit(self.graph, place)).collect()
            }
        }
    }

    /// Returns a value as one of a list, if it can only be one of it.
    fn as_indexed(&mut self, values: &Rc<[Value]>, value: &Number) -> Option<Vec<Signal>> {
        match value {
            Number::Indexed(others, bits) if others == values => Some(bits.clone()),
            Number::Cases(cases) if cases.keys().all(|one| values.contains(one)) => {
                Some(self.index(&Domain::Values(values.to_vec()), value))
            }
            _ => None,
        }
    }

    /// Returns the second where the first is so, the third elsewhere.
    pub(crate) fn choose(&mut self, condition: Signal, then: &Number, otherwise: &Number) -> Number {
        if condition == Signal::TRUE {
            return then.clone();
        }
        if condition == Signal::FALSE {
            return otherwise.clone();
        }
        if let (Number::Truth(then), Number::Truth(otherwise)) = (then, otherwise) {
            return Number::Truth(self.graph.choose(condition, *then, *otherwise));
        }
        if let Number::Indexed(values, _) = if matches!(then, Number::Indexed(..)) { then } else { otherwise }
        {
            let values = values.clone();
            let both = (self.as_indexed(&values, then), self.as_indexed(&values, otherwise));
            if let (Some(then), Some(otherwise)) = both {
                return Number::Indexed(values, self.mux(condition, &then, &otherwise));
            }
        }
        let symbols = Self::has_symbols(then) || Self::has_symbols(otherwise);
        if let (Some(then), Some(otherwise)) = (self.cases(then), self.cases(otherwise))
            && (symbols || then.len() + otherwise.len() <= MAX_CASES)
        {
            let mut cases = BTreeMap::new();
            for value in then.keys().chain(otherwise.keys()) {
                let of = |cases: &BTreeMap<Value, Signal>| cases.get(value).copied().unwrap_or(Signal::FALSE);
                let at = self.graph.choose(condition, of(&then), of(&otherwise));
                if at != Signal::FALSE {
                    cases.insert(*value, at);
                }
            }
            return Number::Cases(cases);
        }
        let (then, otherwise) = self.aligned(then, otherwise);
        Number::Bits(self.mux(condition, &then, &otherwise))
    }

    fn mux(&mut self, condition: Signal, then: &[Signal], otherwise: &[Signal]) -> Vec<Signal> {
        then.iter().zip(otherwise).map(|(yes, no)| self.graph.choose(condition, *yes, *no)).collect()
    }

    fn has_symbols(value: &Number) -> bool {
        match value {
            Number::Cases(cases) => {
                cases.keys().next_back().is_some_and(|last| *last >= SynchronousSystem::SYMBOLS)
            }
            Number::Indexed(values, _) => values.iter().any(|value| *value >= SynchronousSystem::SYMBOLS),
            Number::Truth(_) | Number::Bits(_) => false,
        }
    }

    fn aligned(&mut self, left: &Number, right: &Number) -> (Vec<Signal>, Vec<Signal>) {
        let (left, right) = (self.bits(left), self.bits(right));
        let width = left.len().max(right.len());
        (extended(&left, width), extended(&right, width))
    }

    /// Returns where two values are the same.
    pub(crate) fn equal(&mut self, left: &Number, right: &Number) -> Signal {
        if let (Number::Truth(left), Number::Truth(right)) = (left, right) {
            return self.graph.same(*left, *right);
        }
        if let (Number::Indexed(values, a), Number::Indexed(others, b)) = (left, right)
            && values == others
        {
            return self.same_bits(a, b);
        }
        if let (Some(left), Some(right)) = (self.cases(left), self.cases(right)) {
            let common: Vec<(Signal, Signal)> =
                left.iter().filter_map(|(value, at)| Some((*at, *right.get(value)?))).collect();
            let both: Vec<Signal> = common.into_iter().map(|(a, b)| self.graph.and(a, b)).collect();
            return self.graph.any(both);
        }
        // Symbols are large numbers here, which no other number is.
        let (left, right) = self.aligned(left, right);
        self.same_bits(&left, &right)
    }

    fn same_bits(&mut self, left: &[Signal], right: &[Signal]) -> Signal {
        let same: Vec<Signal> = left.iter().zip(right).map(|(a, b)| self.graph.same(*a, *b)).collect();
        self.graph.all(same)
    }

    /// Returns the number with the other sign.
    pub(crate) fn negate(&mut self, value: &Number) -> Number {
        self.binary(Operator::Subtract, &constant(0), value)
    }

    /// Returns the number with all bits the other way.
    pub(crate) fn invert(&mut self, value: &Number) -> Number {
        Number::Bits(self.bits(value).into_iter().map(|bit| !bit).collect())
    }

    /// Returns the last bits of a number.
    pub(crate) fn wrap(&mut self, value: &Number, width: u32, signed: bool) -> Number {
        let width = width.clamp(1, MAX_WIDTH as u32) as usize;
        let bits = self.bits(value);
        let mut bits = extended(&bits, width);
        bits.truncate(width);
        if !signed {
            bits.push(Signal::FALSE);
        }
        Number::Bits(cut(bits))
    }

    /// Computes with two values.
    pub(crate) fn binary(&mut self, operator: Operator, left: &Number, right: &Number) -> Number {
        if let (Number::Truth(a), Number::Truth(b)) = (left, right) {
            match operator {
                Operator::And => return Number::Truth(self.graph.and(*a, *b)),
                Operator::Or => return Number::Truth(self.graph.or(*a, *b)),
                Operator::Xor => return Number::Truth(self.graph.xor(*a, *b)),
                _ => {}
            }
        }
        if operator == Operator::Equal {
            return Number::Truth(self.equal(left, right));
        }
        if let (Some(a), Some(b)) = (self.cases(left), self.cases(right))
            && a.len() * b.len() <= MAX_CASES
        {
            return self.by_cases(operator, &a, &b);
        }
        let (a, b) = self.aligned(left, right);
        match operator {
            Operator::And | Operator::Or | Operator::Xor => {
                let bit = |graph: &mut Graph, (a, b): (&Signal, &Signal)| match operator {
                    Operator::And => graph.and(*a, *b),
                    Operator::Or => graph.or(*a, *b),
                    _ => graph.xor(*a, *b),
                };
                Number::Bits(a.iter().zip(&b).map(|pair| bit(self.graph, pair)).collect())
            }
            Operator::Equal => Number::Truth(self.same_bits(&a, &b)),
            Operator::Less => Number::Truth(self.less(&a, &b)),
            Operator::LessEqual => Number::Truth(!self.less(&b, &a)),
            Operator::Add => Number::Bits(trimmed(self.add(&a, &b))),
            Operator::Subtract => Number::Bits(trimmed(self.subtract(&a, &b))),
            Operator::Multiply => {
                let (a, b) = (self.bits(left), self.bits(right));
                Number::Bits(trimmed(self.product(&a, &b)))
            }
            Operator::Divide | Operator::Remainder => Number::Bits(trimmed(self.quotient(operator, &a, &b))),
            Operator::ShiftLeft | Operator::ShiftRight => {
                let (a, b) = (self.bits(left), self.bits(right));
                Number::Bits(trimmed(self.shift(operator, a, &b)))
            }
        }
    }

    fn by_cases(
        &mut self,
        operator: Operator,
        left: &BTreeMap<Value, Signal>,
        right: &BTreeMap<Value, Signal>,
    ) -> Number {
        let mut result: BTreeMap<Value, Vec<Signal>> = BTreeMap::new();
        for (a, at_a) in left {
            for (b, at_b) in right {
                let at = self.graph.and(*at_a, *at_b);
                result.entry(operator.apply(*a, *b)).or_default().push(at);
            }
        }
        let mut cases: BTreeMap<Value, Signal> = BTreeMap::new();
        for (value, at) in result {
            let at = self.graph.any(at);
            if at != Signal::FALSE {
                cases.insert(value, at);
            }
        }
        if matches!(operator, Operator::Less | Operator::LessEqual) {
            return Number::Truth(cases.remove(&1).unwrap_or(Signal::FALSE));
        }
        Number::Cases(cases)
    }

    /// Returns where one number is less than another of the same width.
    fn less(&mut self, a: &[Signal], b: &[Signal]) -> Signal {
        let mut result = Signal::FALSE;
        let last = a.len() - 1;
        for (index, (a, b)) in a.iter().zip(b).enumerate() {
            // The sign counts the other way.
            let (a, b) = if index == last { (*b, *a) } else { (*a, *b) };
            let differ = self.graph.xor(a, b);
            result = self.graph.choose(differ, b, result);
        }
        result
    }

    fn sum(&mut self, a: &[Signal], b: &[Signal], mut carry: Signal) -> Vec<Signal> {
        let mut bits = Vec::with_capacity(a.len());
        for (a, b) in a.iter().zip(b) {
            let half = self.graph.xor(*a, *b);
            bits.push(self.graph.xor(half, carry));
            let (both, through) = (self.graph.and(*a, *b), self.graph.and(half, carry));
            carry = self.graph.or(both, through);
        }
        bits
    }

    fn add(&mut self, a: &[Signal], b: &[Signal]) -> Vec<Signal> {
        let width = a.len().max(b.len()) + 1;
        cut(self.sum(&extended(a, width), &extended(b, width), Signal::FALSE))
    }

    fn subtract(&mut self, a: &[Signal], b: &[Signal]) -> Vec<Signal> {
        let width = a.len().max(b.len()) + 1;
        cut(self.difference(&extended(a, width), &extended(b, width)))
    }

    fn difference(&mut self, a: &[Signal], b: &[Signal]) -> Vec<Signal> {
        let inverted: Vec<Signal> = b.iter().map(|bit| !*bit).collect();
        self.sum(a, &inverted, Signal::TRUE)
    }

    fn product(&mut self, a: &[Signal], b: &[Signal]) -> Vec<Signal> {
        let width = (a.len() + b.len()).min(MAX_WIDTH);
        let (a, b) = (extended(a, width), extended(b, width));
        let mut total = vec![Signal::FALSE; width];
        for (shift, bit) in b.iter().take(width).enumerate() {
            let mut part = vec![Signal::FALSE; shift];
            for digit in a.iter().take(width - shift) {
                part.push(self.graph.and(*digit, *bit));
            }
            total = self.sum(&total, &part, Signal::FALSE);
        }
        total
    }

    /// Divides as one does by hand, without signs, and puts these right afterwards.
    fn quotient(&mut self, operator: Operator, a: &[Signal], b: &[Signal]) -> Vec<Signal> {
        let width = a.len() + 1;
        let (a, b) = (extended(a, width), extended(b, width));
        let zero = vec![Signal::FALSE; width];
        let (a_sign, b_sign) = (a[width - 1], b[width - 1]);
        let (a_less, b_less) = (self.difference(&zero, &a), self.difference(&zero, &b));
        let (a_size, b_size) = (self.mux(a_sign, &a_less, &a), self.mux(b_sign, &b_less, &b));
        let mut rest = zero.clone();
        let mut digits = zero.clone();
        for index in (0..width).rev() {
            rest.insert(0, a_size[index]);
            rest.truncate(width);
            let fits = !self.less(&rest, &b_size);
            let less = self.difference(&rest, &b_size);
            rest = self.mux(fits, &less, &rest);
            digits[index] = fits;
        }
        let (size, sign) = if operator == Operator::Divide {
            (digits, self.graph.xor(a_sign, b_sign))
        } else {
            (rest, a_sign)
        };
        let negative = self.difference(&zero, &size);
        let result = self.mux(sign, &negative, &size);
        // By zero it is zero.
        let is_nonzero = self.graph.any(b);
        let bits = result.into_iter().map(|bit| self.graph.and(bit, is_nonzero)).collect();
        cut(bits)
    }

    /// Shifts by each power of two or not.
    fn shift(&mut self, operator: Operator, mut bits: Vec<Signal>, by: &[Signal]) -> Vec<Signal> {
        let negative = by.last().copied().unwrap_or(Signal::FALSE);
        let unchanged = bits.clone();
        let amount = &by[..by.len().saturating_sub(1)];
        let small = &amount[..amount.len().min(7)];
        let too_far = self.graph.any(amount.iter().skip(7).copied());
        let is_left = operator == Operator::ShiftLeft;
        for (place, bit) in small.iter().enumerate() {
            let by = 1 << place;
            let moved = if is_left {
                let mut moved = vec![Signal::FALSE; by];
                moved.extend(&bits);
                cut(moved)
            } else {
                let sign = bits.last().copied().unwrap_or(Signal::FALSE);
                bits.iter().skip(by).copied().chain([sign]).collect()
            };
            let width = moved.len().max(bits.len());
            bits = self.mux(*bit, &extended(&moved, width), &extended(&bits, width));
        }
        if is_left {
            let nothing = self.graph.or(too_far, negative);
            bits.into_iter().map(|bit| self.graph.and(bit, !nothing)).collect()
        } else {
            let width = bits.len().max(unchanged.len());
            let sign = vec![unchanged.last().copied().unwrap_or(Signal::FALSE); width];
            let far = self.mux(too_far, &sign, &extended(&bits, width));
            self.mux(negative, &extended(&unchanged, width), &far)
        }
    }
}

/// Cuts a number to the widest there is.
fn cut(mut bits: Vec<Signal>) -> Vec<Signal> {
    bits.truncate(MAX_WIDTH);
    bits
}

/// Leaves out first bits that say nothing but the sign again.
fn trimmed(mut bits: Vec<Signal>) -> Vec<Signal> {
    while bits.len() > 1 && bits[bits.len() - 1] == bits[bits.len() - 2] {
        bits.pop();
    }
    bits
}

fn extended(bits: &[Signal], width: usize) -> Vec<Signal> {
    let mut bits = bits.to_vec();
    let sign = bits.last().copied().unwrap_or(Signal::FALSE);
    while bits.len() < width {
        bits.push(sign);
    }
    bits
}

/// Returns how many bits a number needs in two's complement.
fn width(value: Value) -> usize {
    let size = if value < 0 { !value } else { value };
    (128 - size.leading_zeros() + 1).min(128) as usize
}

#[cfg(test)]
mod tests {
    use super::super::graph::{Graph, Signal, value};
    use super::{Arithmetic, Number};
    use narrows_model::synchronous::{Operator, Value};

    const OPERATORS: [Operator; 13] = [
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

    fn read(values: &[bool], bits: &[Signal]) -> Value {
        let last = bits.len() - 1;
        let bit = |index: usize| Value::from(value(values, bits[index])) << index;
        (0..last).map(bit).sum::<Value>() - bit(last)
    }

    /// All numbers of some bits, with signs, beside what the reference computes.
    #[test]
    fn arithmetic_is_that_of_the_reference() {
        let width = 4;
        for operator in OPERATORS {
            let mut graph = Graph::default();
            let a: Vec<Signal> = (0..width).map(|_| graph.leaf()).collect();
            let b: Vec<Signal> = (0..width).map(|_| graph.leaf()).collect();
            let mut arithmetic = Arithmetic { graph: &mut graph };
            let found = arithmetic.binary(operator, &Number::Bits(a.clone()), &Number::Bits(b.clone()));
            let bits = arithmetic.bits(&found);
            for pattern in 0..1_usize << (2 * width) {
                let values = graph.simulate(|node| pattern >> (node - 1) & 1 == 1);
                let (left, right) = (read(&values, &a), read(&values, &b));
                if right < 0 && matches!(operator, Operator::ShiftLeft | Operator::ShiftRight) {
                    continue;
                }
                assert_eq!(read(&values, &bits), operator.apply(left, right), "{left} {operator:?} {right}");
            }
        }
    }
}
