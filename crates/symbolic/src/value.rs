//! Values that depend on bits: of truth values, of few values, and of numbers in two's complement.

use std::collections::BTreeMap;

use narrows_model::Limit;
use narrows_model::synchronous::{Operator, SynchronousSystem, Value};

use crate::bdd::{Bdd, Manager};

type Result<T> = std::result::Result<T, Limit>;

/// A value that depends on bits.
#[derive(Clone, Debug)]
pub(crate) enum Symbolic {
    /// 1 where the function is true, 0 elsewhere.
    Truth(Bdd),
    /// Each value where its function is true; nowhere two, and everywhere one where variables have values of
    /// theirs.
    Cases(BTreeMap<Value, Bdd>),
    /// A number in two's complement, the last bit first; the first is its sign.
    Bits(Vec<Bdd>),
}

/// With more combinations of cases than this, numbers are computed bit by bit.
const MAX_CASES: usize = 1 << 12;

/// Numbers have at most two to the power of this many bits, as in the reference: further shifts leave
/// nothing.
const PLACES: usize = 7;

/// Returns whether a value is 0 or 1, wherever it has one.
fn is_truth(value: &Symbolic) -> bool {
    match value {
        Symbolic::Truth(_) => true,
        Symbolic::Cases(cases) => cases.keys().all(|value| (0..=1).contains(value)),
        Symbolic::Bits(_) => false,
    }
}

/// Computes with values.
#[derive(Clone)]
pub(crate) struct Arithmetic<'m> {
    pub(crate) manager: &'m Manager,
}

impl Arithmetic<'_> {
    pub(crate) fn constant(&self, value: Value) -> Symbolic {
        Symbolic::Cases(BTreeMap::from([(value, self.manager.truth(true))]))
    }

    /// Returns where a value is not 0.
    pub(crate) fn truth(&self, value: &Symbolic) -> Result<Bdd> {
        match value {
            Symbolic::Truth(truth) => Ok(truth.clone()),
            Symbolic::Cases(cases) => {
                self.any(cases.iter().filter(|(value, _)| **value != 0).map(|(_, at)| at))
            }
            Symbolic::Bits(bits) => self.any(bits.iter()),
        }
    }

    fn any<'b>(&self, list: impl Iterator<Item = &'b Bdd>) -> Result<Bdd> {
        let mut result = self.manager.truth(false);
        for bdd in list {
            result = result.or(bdd)?;
        }
        Ok(result)
    }

    pub(crate) fn cases(value: &Symbolic) -> Option<BTreeMap<Value, Bdd>> {
        match value {
            Symbolic::Truth(truth) => Some(BTreeMap::from([(0, truth.not()), (1, truth.clone())])),
            Symbolic::Cases(cases) => Some(cases.clone()),
            Symbolic::Bits(_) => None,
        }
    }

    pub(crate) fn bits(&self, value: &Symbolic) -> Result<Vec<Bdd>> {
        match value {
            Symbolic::Truth(truth) => Ok(vec![truth.clone(), self.manager.truth(false)]),
            Symbolic::Bits(bits) => Ok(bits.clone()),
            Symbolic::Cases(cases) => {
                let width = cases.keys().map(|value| width(*value)).max().unwrap_or(1);
                (0..width)
                    .map(|bit| {
                        self.any(cases.iter().filter(|(value, _)| **value >> bit & 1 == 1).map(|(_, at)| at))
                    })
                    .collect()
            }
        }
    }

    fn has_symbols(value: &Symbolic) -> bool {
        matches!(value, Symbolic::Cases(cases) if cases.keys().next_back().is_some_and(|last| *last >= SynchronousSystem::SYMBOLS))
    }

    pub(crate) fn choose(&self, condition: &Bdd, then: &Symbolic, otherwise: &Symbolic) -> Result<Symbolic> {
        if condition.is_true() {
            return Ok(then.clone());
        }
        if condition.is_false() {
            return Ok(otherwise.clone());
        }
        if is_truth(then) && is_truth(otherwise) {
            let (then, otherwise) = (self.truth(then)?, self.truth(otherwise)?);
            return Ok(Symbolic::Truth(condition.choose(&then, &otherwise)?));
        }
        if let (Some(then), Some(otherwise)) = (Self::cases(then), Self::cases(otherwise)) {
            let never = self.manager.truth(false);
            let mut cases = BTreeMap::new();
            for value in then.keys().chain(otherwise.keys()) {
                if !cases.contains_key(value) {
                    let (yes, no) =
                        (then.get(value).unwrap_or(&never), otherwise.get(value).unwrap_or(&never));
                    let at = condition.choose(yes, no)?;
                    if !at.is_false() {
                        cases.insert(*value, at);
                    }
                }
            }
            return Ok(Symbolic::Cases(cases));
        }
        let (then, otherwise) = self.aligned(then, otherwise)?;
        let bits = then.iter().zip(&otherwise).map(|(then, otherwise)| condition.choose(then, otherwise));
        Ok(Symbolic::Bits(bits.collect::<Result<_>>()?))
    }

    /// Returns the bits of two numbers, in the same width.
    fn aligned(&self, left: &Symbolic, right: &Symbolic) -> Result<(Vec<Bdd>, Vec<Bdd>)> {
        let (left, right) = (self.bits(left)?, self.bits(right)?);
        let width = left.len().max(right.len());
        Ok((extended(left, width), extended(right, width)))
    }

    /// Returns where two values are the same.
    pub(crate) fn equal(&self, left: &Symbolic, right: &Symbolic) -> Result<Bdd> {
        if let (Symbolic::Truth(left), Symbolic::Truth(right)) = (left, right) {
            return left.same(right);
        }
        if let (Some(left), Some(right)) = (Self::cases(left), Self::cases(right)) {
            let mut result = self.manager.truth(false);
            for (value, at) in &left {
                if let Some(other) = right.get(value) {
                    result = result.or(&at.and(other)?)?;
                }
            }
            return Ok(result);
        }
        if Self::has_symbols(left) || Self::has_symbols(right) {
            // A symbol is no number: what is a number in one may still be one in the other.
            let numbers = |value: &Symbolic| match value {
                Symbolic::Cases(cases) => Symbolic::Cases(
                    cases
                        .iter()
                        .filter(|(value, _)| **value < SynchronousSystem::SYMBOLS)
                        .map(|(v, at)| (*v, at.clone()))
                        .collect(),
                ),
                other => other.clone(),
            };
            let mut result = self.manager.truth(false);
            let (few, many) = if matches!(left, Symbolic::Bits(_)) { (right, left) } else { (left, right) };
            for (value, at) in Self::cases(&numbers(few)).unwrap_or_default() {
                let here = self.equal(&Symbolic::Bits(constant_bits(self.manager, value)), many)?;
                result = result.or(&here.and(&at)?)?;
            }
            return Ok(result);
        }
        let (left, right) = self.aligned(left, right)?;
        let mut result = self.manager.truth(true);
        for (left, right) in left.iter().zip(&right).rev() {
            result = result.and(&left.same(right)?)?;
        }
        Ok(result)
    }

    pub(crate) fn negate(&self, value: &Symbolic) -> Result<Symbolic> {
        match Self::cases(value) {
            Some(cases) => Ok(Symbolic::Cases(cases.into_iter().map(|(value, at)| (-value, at)).collect())),
            None => self.binary(Operator::Subtract, &self.constant(0), value),
        }
    }

    pub(crate) fn invert(&self, value: &Symbolic) -> Result<Symbolic> {
        match Self::cases(value) {
            Some(cases) => Ok(Symbolic::Cases(cases.into_iter().map(|(value, at)| (!value, at)).collect())),
            None => Ok(Symbolic::Bits(self.bits(value)?.iter().map(Bdd::not).collect())),
        }
    }

    /// Returns the last bits of a number.
    pub(crate) fn wrap(&self, value: &Symbolic, width: u32, signed: bool) -> Result<Symbolic> {
        if let Some(cases) = Self::cases(value) {
            let mut result: BTreeMap<Value, Bdd> = BTreeMap::new();
            for (value, at) in cases {
                Self::add_case(&mut result, wrapped(value, width, signed), &at)?;
            }
            return Ok(Symbolic::Cases(result));
        }
        let mut bits = extended(self.bits(value)?, width as usize);
        bits.truncate(width as usize);
        if !signed {
            bits.push(self.manager.truth(false));
        }
        Ok(Symbolic::Bits(bits))
    }

    fn add_case(cases: &mut BTreeMap<Value, Bdd>, value: Value, at: &Bdd) -> Result<()> {
        let joined = match cases.get(&value) {
            Some(other) => other.or(at)?,
            None => at.clone(),
        };
        if !joined.is_false() {
            cases.insert(value, joined);
        }
        Ok(())
    }

    pub(crate) fn binary(&self, operator: Operator, left: &Symbolic, right: &Symbolic) -> Result<Symbolic> {
        if matches!(operator, Operator::And | Operator::Or | Operator::Xor)
            && is_truth(left)
            && is_truth(right)
        {
            let (a, b) = (self.truth(left)?, self.truth(right)?);
            match operator {
                Operator::And => return Ok(Symbolic::Truth(a.and(&b)?)),
                Operator::Or => return Ok(Symbolic::Truth(a.or(&b)?)),
                _ => return Ok(Symbolic::Truth(a.xor(&b)?)),
            }
        }
        if operator == Operator::Equal {
            return Ok(Symbolic::Truth(self.equal(left, right)?));
        }
        let cases = match (Self::cases(left), Self::cases(right)) {
            (Some(a), Some(b)) if a.len() * b.len() <= MAX_CASES => Some((a, b)),
            _ => None,
        };
        if let Some((a, b)) = cases {
            return self.by_cases(operator, &a, &b);
        }
        self.by_bits(operator, left, right)
    }

    fn by_cases(
        &self,
        operator: Operator,
        left: &BTreeMap<Value, Bdd>,
        right: &BTreeMap<Value, Bdd>,
    ) -> Result<Symbolic> {
        let mut result: BTreeMap<Value, Bdd> = BTreeMap::new();
        for (a, at_a) in left {
            for (b, at_b) in right {
                let at = at_a.and(at_b)?;
                if !at.is_false() {
                    Self::add_case(&mut result, computed(operator, *a, *b), &at)?;
                }
            }
        }
        if matches!(operator, Operator::Less | Operator::LessEqual) {
            return Ok(Symbolic::Truth(result.remove(&1).unwrap_or(self.manager.truth(false))));
        }
        Ok(Symbolic::Cases(result))
    }

    fn by_bits(&self, operator: Operator, left: &Symbolic, right: &Symbolic) -> Result<Symbolic> {
        match operator {
            Operator::And | Operator::Or | Operator::Xor => {
                let (a, b) = self.aligned(left, right)?;
                let bits = a.iter().zip(&b).map(|(a, b)| match operator {
                    Operator::And => a.and(b),
                    Operator::Or => a.or(b),
                    _ => a.xor(b),
                });
                Ok(Symbolic::Bits(bits.collect::<Result<_>>()?))
            }
            Operator::Equal => Ok(Symbolic::Truth(self.equal(left, right)?)),
            Operator::Less => {
                let (a, b) = self.aligned(left, right)?;
                Ok(Symbolic::Truth(self.less(&a, &b)?))
            }
            Operator::LessEqual => {
                let (a, b) = self.aligned(left, right)?;
                Ok(Symbolic::Truth(self.less(&b, &a)?.not()))
            }
            Operator::Add => {
                let (a, b) = self.aligned(left, right)?;
                let width = a.len() + 1;
                let no = self.manager.truth(false);
                Ok(Symbolic::Bits(Self::sum(&extended(a, width), &extended(b, width), no)?))
            }
            Operator::Subtract => {
                let (a, b) = self.aligned(left, right)?;
                let width = a.len() + 1;
                Ok(Symbolic::Bits(self.difference(&extended(a, width), &extended(b, width))?))
            }
            Operator::Multiply => {
                let (a, b) = (self.bits(left)?, self.bits(right)?);
                self.product(&a, &b)
            }
            Operator::Divide | Operator::Remainder => self.quotient(operator, left, right),
            Operator::ShiftLeft | Operator::ShiftRight => self.shift(operator, left, right),
        }
    }

    /// Returns where one number, in two's complement, is less than another of the same width.
    fn less(&self, a: &[Bdd], b: &[Bdd]) -> Result<Bdd> {
        let mut result = self.manager.truth(false);
        let last = a.len() - 1;
        for (index, (a, b)) in a.iter().zip(b).enumerate() {
            // The sign counts the other way.
            let (a, b) = if index == last { (b, a) } else { (a, b) };
            result = a.xor(b)?.choose(b, &result)?;
        }
        Ok(result)
    }

    fn sum(a: &[Bdd], b: &[Bdd], mut carry: Bdd) -> Result<Vec<Bdd>> {
        let mut bits = Vec::with_capacity(a.len());
        for (a, b) in a.iter().zip(b) {
            let half = a.xor(b)?;
            bits.push(half.xor(&carry)?);
            carry = half.choose(&carry, a)?;
        }
        Ok(bits)
    }

    fn difference(&self, a: &[Bdd], b: &[Bdd]) -> Result<Vec<Bdd>> {
        let inverted: Vec<Bdd> = b.iter().map(Bdd::not).collect();
        Self::sum(a, &inverted, self.manager.truth(true))
    }

    fn product(&self, a: &[Bdd], b: &[Bdd]) -> Result<Symbolic> {
        let width = a.len() + b.len();
        let (a, b) = (extended(a.to_vec(), width), extended(b.to_vec(), width));
        let no = self.manager.truth(false);
        let mut total = vec![no.clone(); width];
        for (shift, bit) in b.iter().enumerate() {
            let mut part = vec![no.clone(); shift];
            for digit in a.iter().take(width - shift) {
                part.push(digit.and(bit)?);
            }
            total = Self::sum(&total, &part, no.clone())?;
        }
        Ok(Symbolic::Bits(total))
    }

    /// Divides as one does by hand, without signs, and puts these right afterwards.
    fn quotient(&self, operator: Operator, left: &Symbolic, right: &Symbolic) -> Result<Symbolic> {
        let (a, b) = self.aligned(left, right)?;
        let width = a.len() + 1;
        let (a, b) = (extended(a, width), extended(b, width));
        let no = self.manager.truth(false);
        let zero = vec![no.clone(); width];
        let (a_sign, b_sign) = (a[width - 1].clone(), b[width - 1].clone());
        let pick = |sign: &Bdd, yes: &[Bdd], otherwise: &[Bdd]| -> Result<Vec<Bdd>> {
            yes.iter().zip(otherwise).map(|(yes, otherwise)| sign.choose(yes, otherwise)).collect()
        };
        let a_size = pick(&a_sign, &self.difference(&zero, &a)?, &a)?;
        let b_size = pick(&b_sign, &self.difference(&zero, &b)?, &b)?;
        let mut rest = zero.clone();
        let mut digits = zero.clone();
        for index in (0..width).rev() {
            rest.insert(0, a_size[index].clone());
            rest.truncate(width);
            let fits = self.less(&rest, &b_size)?.not();
            let less = self.difference(&rest, &b_size)?;
            rest = pick(&fits, &less, &rest)?;
            digits[index] = fits;
        }
        let (size, sign) =
            if operator == Operator::Divide { (digits, a_sign.xor(&b_sign)?) } else { (rest, a_sign) };
        let result = pick(&sign, &self.difference(&zero, &size)?, &size)?;
        // By zero it is zero.
        let mut is_zero = self.manager.truth(true);
        for bit in &b {
            is_zero = is_zero.minus(bit)?;
        }
        Ok(Symbolic::Bits(pick(&is_zero, &zero, &result)?))
    }

    /// Shifts by each power of two or not; by a constant at once.
    fn shift(&self, operator: Operator, left: &Symbolic, right: &Symbolic) -> Result<Symbolic> {
        let is_left = operator == Operator::ShiftLeft;
        let no = self.manager.truth(false);
        let mut bits = self.bits(left)?;
        let by = self.bits(right)?;
        // The last bit is the sign: amounts are not negative.
        let amount = &by[..by.len() - 1];
        let too_far = self.any(amount.iter().skip(PLACES))?;
        let sign = bits.last().cloned().unwrap_or_else(|| no.clone());
        for (place, bit) in amount.iter().take(PLACES).enumerate().filter(|(_, bit)| !bit.is_false()) {
            let moved = if is_left {
                let mut moved = vec![no.clone(); 1 << place];
                moved.append(&mut bits.clone());
                moved.truncate(1 << PLACES);
                moved
            } else {
                bits.iter().skip(1 << place).cloned().chain([sign.clone()]).collect()
            };
            let width = moved.len().max(bits.len());
            let (moved, kept) = (extended(moved, width), extended(bits, width));
            let chosen = moved.iter().zip(&kept).map(|(moved, kept)| bit.choose(moved, kept));
            bits = chosen.collect::<Result<_>>()?;
        }
        let rest = if is_left { &no } else { &sign };
        let bits = bits.iter().map(|bit| too_far.choose(rest, bit));
        Ok(Symbolic::Bits(bits.collect::<Result<_>>()?))
    }
}

fn extended(mut bits: Vec<Bdd>, width: usize) -> Vec<Bdd> {
    if let Some(sign) = bits.last().cloned() {
        while bits.len() < width {
            bits.push(sign.clone());
        }
    }
    bits
}

/// Returns how many bits a number needs in two's complement.
fn width(value: Value) -> u32 {
    let size = if value < 0 { !value } else { value };
    128 - size.leading_zeros() + 1
}

pub(crate) fn constant_bits(manager: &Manager, value: Value) -> Vec<Bdd> {
    (0..width(value)).map(|bit| manager.truth(value >> bit & 1 == 1)).collect()
}

fn wrapped(value: Value, width: u32, signed: bool) -> Value {
    let shift = 128 - width.clamp(1, 128);
    if signed { value << shift >> shift } else { ((value << shift) as u128 >> shift) as Value }
}

fn computed(operator: Operator, left: Value, right: Value) -> Value {
    operator.apply(left, right)
}
