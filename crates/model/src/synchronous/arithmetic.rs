//! Values that depend on bits, and how to compute with them: truth values, few values, and numbers in two's
//! complement, cut to 128 bits as in the reference. What a bit is, is left to a [`BitAlgebra`]: a decision
//! diagram, or a signal of a circuit.

use std::collections::BTreeMap;
use std::rc::Rc;

use super::system::{Domain, Operator, SynchronousSystem, Value};

/// How functions of bits are combined.
pub trait BitAlgebra {
    /// A function of bits.
    type Bit: Clone + PartialEq;
    /// Why there is no function: a limit was reached.
    type Error;

    /// With more combinations of cases than this, numbers are computed bit by bit.
    const MAX_CASES: usize;

    /// Whether few values stay cases where an operation only changes or drops bits of them: decision diagrams
    /// are smaller then, and circuits larger.
    const KEEPS_CASES: bool;

    /// Returns the function that is always true, or always false.
    fn truth(&self, value: bool) -> Self::Bit;

    /// Returns the opposite.
    fn not(&self, bit: &Self::Bit) -> Self::Bit;

    /// Returns the conjunction.
    fn and(&mut self, left: &Self::Bit, right: &Self::Bit) -> Result<Self::Bit, Self::Error>;

    /// Returns whether one of two is so and not both.
    fn xor(&mut self, left: &Self::Bit, right: &Self::Bit) -> Result<Self::Bit, Self::Error>;

    /// Returns the second where the first is so, the third elsewhere.
    fn choose(
        &mut self,
        condition: &Self::Bit,
        then: &Self::Bit,
        otherwise: &Self::Bit,
    ) -> Result<Self::Bit, Self::Error>;

    /// Returns the disjunction of all.
    fn any<'b>(&mut self, bits: impl Iterator<Item = &'b Self::Bit>) -> Result<Self::Bit, Self::Error>
    where
        Self::Bit: 'b;

    /// Returns the conjunction of all.
    fn all<'b>(&mut self, bits: impl Iterator<Item = &'b Self::Bit>) -> Result<Self::Bit, Self::Error>
    where
        Self::Bit: 'b,
    {
        let opposites: Vec<Self::Bit> = bits.map(|bit| self.not(bit)).collect();
        let any = self.any(opposites.iter())?;
        Ok(self.not(&any))
    }

    /// Returns what an adder carries on: from its two bits, whether one of them is so and not both, and what
    /// was carried to them.
    fn carry(&mut self, bits: [&Self::Bit; 4]) -> Result<Self::Bit, Self::Error>;
}

/// A value that depends on bits.
#[derive(Clone, Debug)]
pub enum BitValue<B> {
    /// 1 where the function is true, 0 elsewhere.
    Truth(B),
    /// One of a list, by its index, the last bit first.
    Indexed(Rc<[Value]>, Vec<B>),
    /// Each value where its function is true; nowhere two.
    Cases(BTreeMap<Value, B>),
    /// A number in two's complement, the last bit first; the first is its sign.
    Bits(Vec<B>),
}

/// Values have so many bits.
const MAX_WIDTH: usize = 128;

/// The widest number has two to the power of this many bits: further shifts leave nothing.
const PLACES: usize = 7;

/// Computes with values.
#[derive(Clone)]
pub struct Arithmetic<A> {
    /// Combines their bits.
    pub algebra: A,
}

/// Returns how many bits tell the indices of a domain apart.
pub fn index_width(domain: &Domain) -> u32 {
    128 - (domain.len() - 1).leading_zeros()
}

type Of<A> = BitValue<<A as BitAlgebra>::Bit>;
type Bits<A> = Vec<<A as BitAlgebra>::Bit>;

impl<A: BitAlgebra> Arithmetic<A> {
    /// Makes a constant.
    pub fn constant(&self, value: Value) -> Of<A> {
        BitValue::Cases(BTreeMap::from([(value, self.algebra.truth(true))]))
    }

    /// Returns the value of a domain with an index, the last bit first.
    ///
    /// # Errors
    ///
    /// A limit of the algebra was reached: so with all methods here.
    pub fn indexed(&mut self, domain: &Domain, is_truth: bool, index: &[A::Bit]) -> Result<Of<A>, A::Error> {
        match domain {
            Domain::Range(0, 1) if is_truth => Ok(BitValue::Truth(index[0].clone())),
            Domain::Range(low, _) => {
                let mut bits = index.to_vec();
                bits.push(self.algebra.truth(false));
                let low = self.bits(&self.constant(*low))?;
                Ok(BitValue::Bits(trimmed(self.add(&bits, &low)?)))
            }
            Domain::Values(values) => Ok(BitValue::Indexed(values.as_slice().into(), index.to_vec())),
        }
    }

    /// Returns the index of a value in a domain, the last bit first; anything where it is not one of it.
    pub fn index(&mut self, domain: &Domain, value: &Of<A>) -> Result<Vec<A::Bit>, A::Error> {
        let width = index_width(domain) as usize;
        match (domain, value) {
            (Domain::Range(low, _), value) => {
                let (bits, low) = (self.bits(value)?, self.bits(&self.constant(*low))?);
                let bits = self.subtract(&bits, &low)?;
                let mut bits = self.extended(&bits, width);
                bits.truncate(width);
                Ok(bits)
            }
            (Domain::Values(values), BitValue::Indexed(others, bits)) if **others == **values => {
                Ok(bits.clone())
            }
            (Domain::Values(values), value) => {
                let mut at = Vec::with_capacity(values.len());
                for one in values {
                    at.push(self.equal(value, &self.constant(*one))?);
                }
                let bit = |place: usize| {
                    let with = at.iter().enumerate().filter(|(index, _)| index >> place & 1 == 1);
                    self.algebra.any(with.map(|(_, at)| at))
                };
                (0..width).map(bit).collect()
            }
        }
    }

    /// Returns where a value is one of a domain.
    pub fn within(&mut self, domain: &Domain, value: &Of<A>) -> Result<A::Bit, A::Error> {
        match (domain, value) {
            (Domain::Values(values), BitValue::Indexed(others, bits)) if **others == **values => {
                self.valid(domain, bits)
            }
            (Domain::Range(low, high), BitValue::Bits(_)) => {
                let (low, high) = (self.constant(*low), self.constant(*high));
                let at_least = self.binary(Operator::LessEqual, &low, value)?;
                let at_most = self.binary(Operator::LessEqual, value, &high)?;
                let (at_least, at_most) = (self.truth(&at_least)?, self.truth(&at_most)?);
                self.algebra.and(&at_least, &at_most)
            }
            (Domain::Values(values), BitValue::Bits(_)) => {
                let mut at = Vec::with_capacity(values.len());
                for one in values {
                    at.push(self.equal(value, &self.constant(*one))?);
                }
                self.algebra.any(at.iter())
            }
            _ => {
                let cases = self.cases(value)?.unwrap_or_default();
                let within = cases.iter().filter(|(one, _)| domain.contains(**one));
                self.algebra.any(within.map(|(_, at)| at))
            }
        }
    }

    /// Returns where an index, the last bit first, is one of a domain.
    pub fn valid(&mut self, domain: &Domain, index: &[A::Bit]) -> Result<A::Bit, A::Error> {
        let last = domain.len() - 1;
        let [yes, no] = [true, false].map(|truth| self.algebra.truth(truth));
        let mut result = yes.clone();
        for (place, bit) in index.iter().enumerate() {
            result = if last >> place & 1 == 1 {
                self.algebra.choose(bit, &result, &yes)?
            } else {
                self.algebra.choose(bit, &no, &result)?
            };
        }
        Ok(result)
    }

    /// Returns where a value is not 0.
    pub fn truth(&mut self, value: &Of<A>) -> Result<A::Bit, A::Error> {
        match value {
            BitValue::Truth(truth) => Ok(truth.clone()),
            BitValue::Bits(bits) => self.algebra.any(bits.iter()),
            _ => {
                let cases = self.cases(value)?.unwrap_or_default();
                self.algebra.any(cases.iter().filter(|(one, _)| **one != 0).map(|(_, at)| at))
            }
        }
    }

    fn cases(&mut self, value: &Of<A>) -> Result<Option<BTreeMap<Value, A::Bit>>, A::Error> {
        match value {
            BitValue::Truth(truth) => {
                Ok(Some(BTreeMap::from([(0, self.algebra.not(truth)), (1, truth.clone())])))
            }
            BitValue::Cases(cases) => Ok(Some(cases.clone())),
            BitValue::Bits(_) => Ok(None),
            BitValue::Indexed(values, index) => {
                let mut cases = BTreeMap::new();
                for (number, value) in values.iter().enumerate() {
                    let bits = index.iter().enumerate();
                    let bits = bits.map(|(place, bit)| match number >> place & 1 {
                        0 => self.algebra.not(bit),
                        _ => bit.clone(),
                    });
                    let bits: Vec<A::Bit> = bits.collect();
                    cases.insert(*value, self.algebra.all(bits.iter())?);
                }
                Ok(Some(cases))
            }
        }
    }

    fn bits(&mut self, value: &Of<A>) -> Result<Vec<A::Bit>, A::Error> {
        match value {
            BitValue::Truth(truth) => Ok(vec![truth.clone(), self.algebra.truth(false)]),
            BitValue::Bits(bits) => Ok(bits.clone()),
            _ => {
                let cases = self.cases(value)?.unwrap_or_default();
                let width = cases.keys().map(|value| width(*value)).max().unwrap_or(1);
                let bit = |place: usize| {
                    let with = cases.iter().filter(|(value, _)| **value >> place & 1 == 1);
                    self.algebra.any(with.map(|(_, at)| at))
                };
                (0..width).map(bit).collect()
            }
        }
    }

    /// Returns a value as one of a list, if it can only be one of it.
    fn as_indexed(&mut self, values: &Rc<[Value]>, value: &Of<A>) -> Result<Option<Vec<A::Bit>>, A::Error> {
        match value {
            BitValue::Indexed(others, bits) if others == values => Ok(Some(bits.clone())),
            BitValue::Cases(cases) if cases.keys().all(|one| values.contains(one)) => {
                self.index(&Domain::Values(values.to_vec()), value).map(Some)
            }
            _ => Ok(None),
        }
    }

    /// Returns the second where the first is so, the third elsewhere.
    pub fn choose(&mut self, condition: &A::Bit, then: &Of<A>, otherwise: &Of<A>) -> Result<Of<A>, A::Error> {
        if *condition == self.algebra.truth(true) {
            return Ok(then.clone());
        }
        if *condition == self.algebra.truth(false) {
            return Ok(otherwise.clone());
        }
        if is_truth(then) && is_truth(otherwise) {
            let (then, otherwise) = (self.truth(then)?, self.truth(otherwise)?);
            return Ok(BitValue::Truth(self.algebra.choose(condition, &then, &otherwise)?));
        }
        if let BitValue::Indexed(values, _) =
            if matches!(then, BitValue::Indexed(..)) { then } else { otherwise }
        {
            let values = values.clone();
            let both = (self.as_indexed(&values, then)?, self.as_indexed(&values, otherwise)?);
            if let (Some(then), Some(otherwise)) = both {
                return Ok(BitValue::Indexed(values, self.choose_bits(condition, &then, &otherwise)?));
            }
        }
        let has_symbols = has_symbols(then) || has_symbols(otherwise);
        if let (Some(then), Some(otherwise)) = (self.cases(then)?, self.cases(otherwise)?)
            && (has_symbols || then.len() + otherwise.len() <= A::MAX_CASES)
        {
            let never = self.algebra.truth(false);
            let mut cases = BTreeMap::new();
            for value in then.keys().chain(otherwise.keys()) {
                if !cases.contains_key(value) {
                    let [yes, no] = [&then, &otherwise].map(|cases| cases.get(value).unwrap_or(&never));
                    let at = self.algebra.choose(condition, yes, no)?;
                    if at != never {
                        cases.insert(*value, at);
                    }
                }
            }
            return Ok(BitValue::Cases(cases));
        }
        let [then, otherwise] = self.aligned(then, otherwise)?;
        Ok(BitValue::Bits(self.choose_bits(condition, &then, &otherwise)?))
    }

    fn choose_bits(
        &mut self,
        condition: &A::Bit,
        then: &[A::Bit],
        otherwise: &[A::Bit],
    ) -> Result<Vec<A::Bit>, A::Error> {
        then.iter().zip(otherwise).map(|(yes, no)| self.algebra.choose(condition, yes, no)).collect()
    }

    /// Returns the bits of two numbers, in the same width.
    fn aligned(&mut self, left: &Of<A>, right: &Of<A>) -> Result<[Bits<A>; 2], A::Error> {
        let (left, right) = (self.bits(left)?, self.bits(right)?);
        let width = left.len().max(right.len());
        Ok([self.extended(&left, width), self.extended(&right, width)])
    }

    /// Returns where two values are the same.
    pub fn equal(&mut self, left: &Of<A>, right: &Of<A>) -> Result<A::Bit, A::Error> {
        if let (BitValue::Truth(left), BitValue::Truth(right)) = (left, right) {
            return self.same(left, right);
        }
        if let (BitValue::Indexed(values, a), BitValue::Indexed(others, b)) = (left, right)
            && values == others
        {
            return self.same_bits(a, b);
        }
        if let (Some(left), Some(right)) = (self.cases(left)?, self.cases(right)?) {
            let mut both = Vec::new();
            for (value, at) in &left {
                if let Some(other) = right.get(value) {
                    both.push(self.algebra.and(at, other)?);
                }
            }
            return self.algebra.any(both.iter());
        }
        // Symbols are large numbers here, which no other number is.
        let [left, right] = self.aligned(left, right)?;
        self.same_bits(&left, &right)
    }

    fn same(&mut self, left: &A::Bit, right: &A::Bit) -> Result<A::Bit, A::Error> {
        let differ = self.algebra.xor(left, right)?;
        Ok(self.algebra.not(&differ))
    }

    fn same_bits(&mut self, left: &[A::Bit], right: &[A::Bit]) -> Result<A::Bit, A::Error> {
        // The first bits first: decision diagrams stay small then.
        let pairs = left.iter().zip(right).rev();
        let same: Vec<A::Bit> = pairs.map(|(a, b)| self.same(a, b)).collect::<Result<_, _>>()?;
        self.algebra.all(same.iter())
    }

    /// Returns the number with the other sign.
    pub fn negate(&mut self, value: &Of<A>) -> Result<Of<A>, A::Error> {
        self.binary(Operator::Subtract, &self.constant(0), value)
    }

    /// Returns the number with all bits the other way.
    pub fn invert(&mut self, value: &Of<A>) -> Result<Of<A>, A::Error> {
        if A::KEEPS_CASES
            && let Some(cases) = self.cases(value)?
        {
            return Ok(BitValue::Cases(cases.into_iter().map(|(value, at)| (!value, at)).collect()));
        }
        Ok(BitValue::Bits(self.bits(value)?.iter().map(|bit| self.algebra.not(bit)).collect()))
    }

    /// Returns the last bits of a number.
    pub fn wrap(&mut self, value: &Of<A>, width: u32, signed: bool) -> Result<Of<A>, A::Error> {
        let width = width.clamp(1, MAX_WIDTH as u32);
        if A::KEEPS_CASES
            && let Some(cases) = self.cases(value)?
        {
            return self.joined(cases.into_iter().map(|(value, at)| (wrapped(value, width, signed), at)));
        }
        let bits = self.bits(value)?;
        let mut bits = self.extended(&bits, width as usize);
        bits.truncate(width as usize);
        if !signed {
            bits.push(self.algebra.truth(false));
        }
        Ok(BitValue::Bits(cut(bits)))
    }

    /// Computes with two values.
    pub fn binary(&mut self, operator: Operator, left: &Of<A>, right: &Of<A>) -> Result<Of<A>, A::Error> {
        let combines = matches!(operator, Operator::And | Operator::Or | Operator::Xor);
        if combines && is_truth(left) && is_truth(right) {
            let (a, b) = (self.truth(left)?, self.truth(right)?);
            return Ok(BitValue::Truth(self.combined(operator, &a, &b)?));
        }
        if operator == Operator::Equal {
            return Ok(BitValue::Truth(self.equal(left, right)?));
        }
        if let (Some(a), Some(b)) = (self.cases(left)?, self.cases(right)?)
            && a.len() * b.len() <= A::MAX_CASES
        {
            return self.by_cases(operator, &a, &b);
        }
        let [a, b] = self.aligned(left, right)?;
        Ok(match operator {
            Operator::Equal => BitValue::Truth(self.same_bits(&a, &b)?),
            Operator::Less => BitValue::Truth(self.less(&a, &b)?),
            Operator::LessEqual => {
                let greater = self.less(&b, &a)?;
                BitValue::Truth(self.algebra.not(&greater))
            }
            Operator::And | Operator::Or | Operator::Xor => {
                let pairs = a.iter().zip(&b);
                BitValue::Bits(pairs.map(|(a, b)| self.combined(operator, a, b)).collect::<Result<_, _>>()?)
            }
            Operator::Add => BitValue::Bits(trimmed(self.add(&a, &b)?)),
            Operator::Subtract => BitValue::Bits(trimmed(self.subtract(&a, &b)?)),
            Operator::Divide | Operator::Remainder => {
                BitValue::Bits(trimmed(self.quotient(operator, &a, &b)?))
            }
            Operator::Multiply => {
                let (a, b) = (self.bits(left)?, self.bits(right)?);
                BitValue::Bits(trimmed(self.product(&a, &b)?))
            }
            Operator::ShiftLeft | Operator::ShiftRight => {
                let (a, b) = (self.bits(left)?, self.bits(right)?);
                BitValue::Bits(trimmed(self.shift(operator, a, &b)?))
            }
        })
    }

    fn combined(&mut self, operator: Operator, a: &A::Bit, b: &A::Bit) -> Result<A::Bit, A::Error> {
        match operator {
            Operator::And => self.algebra.and(a, b),
            Operator::Or => self.algebra.any([a, b].into_iter()),
            _ => self.algebra.xor(a, b),
        }
    }

    fn by_cases(
        &mut self,
        operator: Operator,
        left: &BTreeMap<Value, A::Bit>,
        right: &BTreeMap<Value, A::Bit>,
    ) -> Result<Of<A>, A::Error> {
        let never = self.algebra.truth(false);
        let mut all = Vec::new();
        for (a, at_a) in left {
            for (b, at_b) in right {
                let at = self.algebra.and(at_a, at_b)?;
                if at != never {
                    all.push((operator.apply(*a, *b), at));
                }
            }
        }
        match self.joined(all.into_iter())? {
            BitValue::Cases(mut cases) if matches!(operator, Operator::Less | Operator::LessEqual) => {
                Ok(BitValue::Truth(cases.remove(&1).unwrap_or(never)))
            }
            other => Ok(other),
        }
    }

    /// Puts cases of the same value together.
    fn joined(&mut self, all: impl Iterator<Item = (Value, A::Bit)>) -> Result<Of<A>, A::Error> {
        let mut lists: BTreeMap<Value, Vec<A::Bit>> = BTreeMap::new();
        for (value, at) in all {
            lists.entry(value).or_default().push(at);
        }
        let never = self.algebra.truth(false);
        let mut cases = BTreeMap::new();
        for (value, list) in lists {
            let at = self.algebra.any(list.iter())?;
            if at != never {
                cases.insert(value, at);
            }
        }
        Ok(BitValue::Cases(cases))
    }

    /// Returns where one number is less than another of the same width.
    fn less(&mut self, a: &[A::Bit], b: &[A::Bit]) -> Result<A::Bit, A::Error> {
        let mut result = self.algebra.truth(false);
        let last = a.len() - 1;
        for (index, (a, b)) in a.iter().zip(b).enumerate() {
            // The sign counts the other way.
            let (a, b) = if index == last { (b, a) } else { (a, b) };
            let differ = self.algebra.xor(a, b)?;
            result = self.algebra.choose(&differ, b, &result)?;
        }
        Ok(result)
    }

    fn sum(&mut self, a: &[A::Bit], b: &[A::Bit], mut carry: A::Bit) -> Result<Vec<A::Bit>, A::Error> {
        let mut bits = Vec::with_capacity(a.len());
        for (a, b) in a.iter().zip(b) {
            let half = self.algebra.xor(a, b)?;
            bits.push(self.algebra.xor(&half, &carry)?);
            carry = self.algebra.carry([a, b, &half, &carry])?;
        }
        Ok(bits)
    }

    fn add(&mut self, a: &[A::Bit], b: &[A::Bit]) -> Result<Vec<A::Bit>, A::Error> {
        let width = a.len().max(b.len()) + 1;
        let (a, b) = (self.extended(a, width), self.extended(b, width));
        self.sum(&a, &b, self.algebra.truth(false)).map(cut)
    }

    fn subtract(&mut self, a: &[A::Bit], b: &[A::Bit]) -> Result<Vec<A::Bit>, A::Error> {
        let width = a.len().max(b.len()) + 1;
        let (a, b) = (self.extended(a, width), self.extended(b, width));
        self.difference(&a, &b).map(cut)
    }

    fn difference(&mut self, a: &[A::Bit], b: &[A::Bit]) -> Result<Vec<A::Bit>, A::Error> {
        let inverted: Vec<A::Bit> = b.iter().map(|bit| self.algebra.not(bit)).collect();
        self.sum(a, &inverted, self.algebra.truth(true))
    }

    fn product(&mut self, a: &[A::Bit], b: &[A::Bit]) -> Result<Vec<A::Bit>, A::Error> {
        let width = (a.len() + b.len()).min(MAX_WIDTH);
        let (a, b) = (self.extended(a, width), self.extended(b, width));
        let never = self.algebra.truth(false);
        let mut total = vec![never.clone(); width];
        for (shift, bit) in b.iter().take(width).enumerate() {
            let mut part = vec![never.clone(); shift];
            for digit in a.iter().take(width - shift) {
                part.push(self.algebra.and(digit, bit)?);
            }
            total = self.sum(&total, &part, never.clone())?;
        }
        Ok(total)
    }

    /// Divides as one does by hand, without signs, and puts these right afterwards.
    fn quotient(&mut self, operator: Operator, a: &[A::Bit], b: &[A::Bit]) -> Result<Vec<A::Bit>, A::Error> {
        let width = a.len() + 1;
        let (a, b) = (self.extended(a, width), self.extended(b, width));
        let zero = vec![self.algebra.truth(false); width];
        let (a_sign, b_sign) = (a[width - 1].clone(), b[width - 1].clone());
        let (a_less, b_less) = (self.difference(&zero, &a)?, self.difference(&zero, &b)?);
        let a_size = self.choose_bits(&a_sign, &a_less, &a)?;
        let b_size = self.choose_bits(&b_sign, &b_less, &b)?;
        let mut rest = zero.clone();
        let mut digits = zero.clone();
        for index in (0..width).rev() {
            rest.insert(0, a_size[index].clone());
            rest.truncate(width);
            let is_less = self.less(&rest, &b_size)?;
            let fits = self.algebra.not(&is_less);
            let less = self.difference(&rest, &b_size)?;
            rest = self.choose_bits(&fits, &less, &rest)?;
            digits[index] = fits;
        }
        let (size, sign) = match operator {
            Operator::Divide => (digits, self.algebra.xor(&a_sign, &b_sign)?),
            _ => (rest, a_sign),
        };
        let negative = self.difference(&zero, &size)?;
        let result = self.choose_bits(&sign, &negative, &size)?;
        // By zero it is zero.
        let is_nonzero = self.algebra.any(b.iter())?;
        let bits = result.iter().map(|bit| self.algebra.and(bit, &is_nonzero));
        bits.collect::<Result<_, _>>().map(cut)
    }

    /// Shifts by each power of two or not.
    fn shift(
        &mut self,
        operator: Operator,
        mut bits: Vec<A::Bit>,
        by: &[A::Bit],
    ) -> Result<Vec<A::Bit>, A::Error> {
        let never = self.algebra.truth(false);
        let negative = by.last().unwrap_or(&never).clone();
        let unchanged = bits.clone();
        let amount = &by[..by.len().saturating_sub(1)];
        let too_far = self.algebra.any(amount.iter().skip(PLACES))?;
        let sign = bits.last().unwrap_or(&never).clone();
        let is_left = operator == Operator::ShiftLeft;
        for (place, bit) in amount.iter().take(PLACES).enumerate().filter(|(_, bit)| **bit != never) {
            let by = 1 << place;
            let moved: Vec<A::Bit> = if is_left {
                cut(vec![never.clone(); by].into_iter().chain(bits.iter().cloned()).collect())
            } else {
                bits.iter().skip(by).cloned().chain([sign.clone()]).collect()
            };
            let width = moved.len().max(bits.len());
            let (moved, kept) = (self.extended(&moved, width), self.extended(&bits, width));
            bits = self.choose_bits(bit, &moved, &kept)?;
        }
        if is_left {
            let nothing = self.algebra.any([&too_far, &negative].into_iter())?;
            let something = self.algebra.not(&nothing);
            return bits.iter().map(|bit| self.algebra.and(bit, &something)).collect();
        }
        let width = bits.len().max(unchanged.len());
        let (bits, unchanged) = (self.extended(&bits, width), self.extended(&unchanged, width));
        let far = self.choose_bits(&too_far, &vec![sign; width], &bits)?;
        self.choose_bits(&negative, &unchanged, &far)
    }

    fn extended(&self, bits: &[A::Bit], width: usize) -> Vec<A::Bit> {
        let sign = bits.last().cloned().unwrap_or_else(|| self.algebra.truth(false));
        let mut bits = bits.to_vec();
        bits.resize(width.max(bits.len()), sign);
        bits
    }
}

/// Returns whether a value is 0 or 1, wherever it has one.
fn is_truth<B>(value: &BitValue<B>) -> bool {
    match value {
        BitValue::Truth(_) => true,
        BitValue::Cases(cases) => cases.keys().all(|value| (0..=1).contains(value)),
        BitValue::Indexed(..) | BitValue::Bits(_) => false,
    }
}

fn has_symbols<B>(value: &BitValue<B>) -> bool {
    match value {
        BitValue::Cases(cases) => {
            cases.keys().next_back().is_some_and(|last| *last >= SynchronousSystem::SYMBOLS)
        }
        BitValue::Indexed(values, _) => values.iter().any(|value| *value >= SynchronousSystem::SYMBOLS),
        BitValue::Truth(_) | BitValue::Bits(_) => false,
    }
}

/// Cuts a number to the widest there is.
fn cut<B>(mut bits: Vec<B>) -> Vec<B> {
    bits.truncate(MAX_WIDTH);
    bits
}

/// Leaves out first bits that say nothing but the sign again.
fn trimmed<B: PartialEq>(mut bits: Vec<B>) -> Vec<B> {
    while bits.len() > 1 && bits[bits.len() - 1] == bits[bits.len() - 2] {
        bits.pop();
    }
    bits
}

/// Returns how many bits a number needs in two's complement.
fn width(value: Value) -> usize {
    let size = if value < 0 { !value } else { value };
    (128 - size.leading_zeros() + 1).min(128) as usize
}

fn wrapped(value: Value, width: u32, signed: bool) -> Value {
    let shift = 128 - width;
    if signed { value << shift >> shift } else { ((value << shift) as u128 >> shift) as Value }
}
