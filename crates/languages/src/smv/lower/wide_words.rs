//! Words of more than 64 bits.
//!
//! Values have 128 bits, signs and symbols included, so a wide word is a row of limbs of 64 bits, the last
//! bits first; the first limb has what is left. All limbs are without a sign. Each is an expression, or a
//! variable, of its own, and operators are written out over them: engines need not know. The limbs of an
//! expression stand together in a node [`Node::Set`], which is never evaluated as one.

use narrows_model::synchronous::{ExprId, Node, Operator, VariableId};
use narrows_source::Diagnostic;

use super::sorts::Sort;
use super::{Lowering, Typed};
use crate::smv::ast::{Binary, Function, Id};

/// The bits of a limb.
pub(super) const LIMB: u32 = 64;
/// Quotients are written out bit by bit: words have at most so many bits there.
const MAX_DIVIDED: u32 = 256;

/// A word as limbs.
#[derive(Clone)]
struct Wide {
    limbs: Vec<ExprId>,
    width: u32,
    signed: bool,
}

/// Returns whether a value takes more than one limb: a long word, or an array whose indices are words.
pub(super) fn is_wide(sort: Sort) -> bool {
    match sort {
        Sort::Word { width, .. } => width > LIMB,
        Sort::Memory { .. } => true,
        _ => false,
    }
}

/// Returns how many bits each limb has, the last first.
pub(super) fn limb_widths(width: u32) -> impl Iterator<Item = u32> {
    (0..width.div_ceil(LIMB)).map(move |place| (width - place * LIMB).min(LIMB))
}

fn ones(bits: u32) -> i128 {
    (1 << bits) - 1
}

impl Lowering<'_> {
    /// Makes a wide word of variables.
    pub(super) fn wide_variable(&mut self, variables: &[VariableId], sort: Sort) -> Typed {
        let limbs = variables.iter().map(|variable| self.builder.current(*variable)).collect();
        let id = self.builder.node(Node::Set(limbs));
        Typed { id, sort, is_set: false }
    }

    /// Makes a constant of limbs.
    pub(super) fn wide_constant(&mut self, limbs: &[u64], width: u32, signed: bool) -> Typed {
        let limbs = limbs.iter().map(|limb| self.builder.constant(i128::from(*limb))).collect();
        self.tied(Wide { limbs, width, signed })
    }

    /// Returns the limbs of a word, wide or not.
    pub(super) fn limbs_of(&mut self, typed: Typed) -> Vec<ExprId> {
        match (self.builder.system.node(typed.id), typed.sort) {
            (Node::Set(limbs), sort) if is_wide(sort) => limbs.clone(),
            (_, Sort::Word { width, .. }) => vec![self.builder.wrap(typed.id, width, false)],
            _ => vec![typed.id],
        }
    }

    fn wide(&mut self, typed: Typed) -> Option<Wide> {
        let Sort::Word { width, signed } = typed.sort else { return None };
        Some(Wide { limbs: self.limbs_of(typed), width, signed })
    }

    /// Makes an expression of limbs: cuts the first to its bits, and gives a sign to what is not wide.
    fn tied(&mut self, word: Wide) -> Typed {
        let Wide { mut limbs, width, signed } = word;
        let zero = self.builder.constant(0);
        limbs.resize(width.div_ceil(LIMB) as usize, zero);
        let sort = Sort::Word { width, signed };
        if width <= LIMB {
            return Typed { id: self.builder.wrap(limbs[0], width, signed), sort, is_set: false };
        }
        let widths: Vec<u32> = limb_widths(width).collect();
        let last = limbs.len() - 1;
        limbs[last] = self.builder.wrap(limbs[last], widths[last], false);
        Typed { id: self.builder.node(Node::Set(limbs)), sort, is_set: false }
    }

    /// Chooses between two values, limb by limb if they are wide words.
    pub(super) fn choose(&mut self, condition: ExprId, then: Typed, otherwise: Typed) -> ExprId {
        if !(is_wide(then.sort) && then.sort == otherwise.sort) {
            return self.builder.choose(condition, then.id, otherwise.id);
        }
        let (then, otherwise) = (self.limbs_of(then), self.limbs_of(otherwise));
        let limbs = self.mux(condition, &then, &otherwise);
        self.builder.node(Node::Set(limbs))
    }

    fn mux(&mut self, condition: ExprId, then: &[ExprId], otherwise: &[ExprId]) -> Vec<ExprId> {
        let pairs = then.iter().zip(otherwise);
        pairs.map(|(then, otherwise)| self.builder.choose(condition, *then, *otherwise)).collect()
    }

    /// Says that a set of wide words is not read.
    pub(super) fn no_wide_set(&mut self, expr: Id) {
        let title = format!("arrays and words of more than {LIMB} bits can't be members of a set");
        let diagnostic = Diagnostic::error("V0217", self.tree.span(expr), title)
            .label("this is such a set")
            .help("leave the variable open and say in INIT or TRANS what it can be, with `=` and `|`");
        self.report(diagnostic);
    }

    /// Computes with two words, of which one is wide.
    pub(super) fn wide_binary(
        &mut self,
        operator: Binary,
        left: (Typed, Id),
        right: (Typed, Id),
        whole: Id,
    ) -> Option<Typed> {
        if matches!(operator, Binary::ShiftLeft | Binary::ShiftRight) {
            return self.wide_shift(operator, left, right);
        }
        if operator == Binary::Concatenate {
            let (upper, lower) = (self.wide(left.0)?, self.wide(right.0)?);
            return self.joined(&upper, &lower, whole);
        }
        let sort = self.join(left.0.sort, right.0.sort, self.tree.span(whole))?;
        let (Some(a), Some(b)) = (self.wide(left.0), self.wide(right.0)) else {
            self.mismatch(self.tree.span(whole), "a number", &sort.name(), None);
            return None;
        };
        let truth = |id| Some(Typed { id, sort: Sort::Boolean, is_set: false });
        match operator {
            Binary::Equal => truth(self.wide_equal(&a.limbs, &b.limbs)),
            Binary::NotEqual => {
                let equal = self.wide_equal(&a.limbs, &b.limbs);
                truth(self.builder.not(equal))
            }
            Binary::Less => truth(self.wide_less(&a, &b)),
            Binary::Greater => truth(self.wide_less(&b, &a)),
            Binary::LessEqual => {
                let greater = self.wide_less(&b, &a);
                truth(self.builder.not(greater))
            }
            Binary::GreaterEqual => {
                let less = self.wide_less(&a, &b);
                truth(self.builder.not(less))
            }
            Binary::Divide | Binary::Mod => self.wide_quotient(operator, &a, &b, (right.1, whole)),
            _ => {
                let limbs = self.wide_arithmetic(operator, &a, &b)?;
                Some(self.tied(Wide { limbs, ..a }))
            }
        }
    }

    fn wide_arithmetic(&mut self, operator: Binary, a: &Wide, b: &Wide) -> Option<Vec<ExprId>> {
        Some(match operator {
            Binary::Add => self.wide_sum(&a.limbs, &b.limbs, false),
            Binary::Subtract => {
                let b = self.inverted(&b.limbs);
                self.wide_sum(&a.limbs, &b, true)
            }
            Binary::Multiply => self.wide_product(&a.limbs, &b.limbs),
            Binary::And => self.limbwise(Operator::And, &a.limbs, &b.limbs),
            Binary::Or => self.limbwise(Operator::Or, &a.limbs, &b.limbs),
            Binary::Xor => self.limbwise(Operator::Xor, &a.limbs, &b.limbs),
            Binary::Xnor | Binary::Equivalent => {
                let limbs = self.limbwise(Operator::Xor, &a.limbs, &b.limbs);
                self.inverted(&limbs)
            }
            Binary::Implies => {
                let not = self.inverted(&a.limbs);
                self.limbwise(Operator::Or, &not, &b.limbs)
            }
            _ => return None,
        })
    }

    fn limbwise(&mut self, operator: Operator, a: &[ExprId], b: &[ExprId]) -> Vec<ExprId> {
        a.iter().zip(b).map(|(a, b)| self.builder.binary(operator, *a, *b)).collect()
    }

    fn inverted(&mut self, limbs: &[ExprId]) -> Vec<ExprId> {
        let all = self.builder.constant(ones(LIMB));
        limbs.iter().map(|limb| self.builder.binary(Operator::Subtract, all, *limb)).collect()
    }

    /// Inverts or negates a wide word.
    pub(super) fn wide_unary(&mut self, typed: Typed, negate: bool) -> Option<Typed> {
        let word = self.wide(typed)?;
        let limbs = self.inverted(&word.limbs);
        let limbs = if negate {
            let zero = vec![self.builder.constant(0); limbs.len()];
            self.wide_sum(&zero, &limbs, true)
        } else {
            limbs
        };
        Some(self.tied(Wide { limbs, ..word }))
    }

    pub(super) fn wide_equal(&mut self, a: &[ExprId], b: &[ExprId]) -> ExprId {
        let mut all = self.builder.truth(true);
        for (a, b) in a.iter().zip(b) {
            let same = self.builder.equal(*a, *b);
            all = self.builder.and(all, same);
        }
        all
    }

    fn wide_less(&mut self, a: &Wide, b: &Wide) -> ExprId {
        let mut less = self.builder.truth(false);
        let last = a.limbs.len() - 1;
        let sign = limb_widths(a.width).last().map_or(0, |bits| 1 << (bits - 1));
        for (place, (a_limb, b_limb)) in a.limbs.iter().zip(&b.limbs).enumerate() {
            let (mut first, mut second) = (*a_limb, *b_limb);
            if place == last && a.signed {
                let sign = self.builder.constant(sign);
                first = self.builder.binary(Operator::Xor, first, sign);
                second = self.builder.binary(Operator::Xor, second, sign);
            }
            let here = self.builder.binary(Operator::Less, first, second);
            let same = self.builder.equal(first, second);
            let below = self.builder.and(same, less);
            less = self.builder.or(here, below);
        }
        less
    }

    fn wide_sum(&mut self, a: &[ExprId], b: &[ExprId], carry: bool) -> Vec<ExprId> {
        let mut carry = self.builder.constant(i128::from(carry));
        let by = self.builder.constant(i128::from(LIMB));
        let mut limbs = Vec::new();
        for (a, b) in a.iter().zip(b) {
            let sum = self.builder.binary(Operator::Add, *a, *b);
            let sum = self.builder.binary(Operator::Add, sum, carry);
            limbs.push(self.builder.wrap(sum, LIMB, false));
            carry = self.builder.binary(Operator::ShiftRight, sum, by);
        }
        limbs
    }

    /// Multiplies as one does by hand, with digits of half a limb, so that nothing has more than 128 bits.
    fn wide_product(&mut self, a: &[ExprId], b: &[ExprId]) -> Vec<ExprId> {
        const HALF: u32 = LIMB / 2;
        let half = self.builder.constant(i128::from(HALF));
        let mut digits = |limbs: &[ExprId]| -> Vec<ExprId> {
            let mut digits = Vec::new();
            for limb in limbs {
                digits.push(self.builder.wrap(*limb, HALF, false));
                digits.push(self.builder.binary(Operator::ShiftRight, *limb, half));
            }
            digits
        };
        let (a, b) = (digits(a), digits(b));
        let mut carry = self.builder.constant(0);
        let mut found = Vec::new();
        for place in 0..a.len() {
            let mut column = carry;
            for index in 0..=place {
                let product = self.builder.binary(Operator::Multiply, a[index], b[place - index]);
                column = self.builder.binary(Operator::Add, column, product);
            }
            found.push(self.builder.wrap(column, HALF, false));
            carry = self.builder.binary(Operator::ShiftRight, column, half);
        }
        let pair = |this: &mut Self, pair: &[ExprId]| {
            let upper = this.builder.binary(Operator::ShiftLeft, pair[1], half);
            this.builder.binary(Operator::Or, upper, pair[0])
        };
        found.chunks(2).map(|digits| pair(self, digits)).collect()
    }

    /// Divides as one does by hand, bit by bit and without signs, and puts these right afterwards.
    fn wide_quotient(&mut self, operator: Binary, a: &Wide, b: &Wide, at: (Id, Id)) -> Option<Typed> {
        let width = a.width;
        if width > MAX_DIVIDED {
            let title = format!("words of more than {MAX_DIVIDED} bits can't be divided");
            let label = format!("these have {width} bits");
            self.report(Diagnostic::error("V0210", self.tree.span(at.1), title).label(label));
            return None;
        }
        let zero = vec![self.builder.constant(0); a.limbs.len()];
        let is_zero = self.wide_equal(&b.limbs, &zero);
        self.division_by_zero(is_zero, at.0);
        let (a_sign, b_sign) = (self.sign(a), self.sign(b));
        let (a_size, b_size) = (self.size(a, a_sign), self.size(b, b_sign));
        let mut rest = Wide { limbs: zero.clone(), width: width + 1, signed: false };
        let mut divisor = Wide { limbs: b_size, width: width + 1, signed: false };
        let limbs = (width + 1).div_ceil(LIMB) as usize;
        let nothing = self.builder.constant(0);
        rest.limbs.resize(limbs, nothing);
        divisor.limbs.resize(limbs, nothing);
        let mut digits = zero.clone();
        let opposite = self.inverted(&divisor.limbs);
        for place in (0..width).rev() {
            let (limb, bit) = ((place / LIMB) as usize, self.builder.constant(i128::from(place % LIMB)));
            let next = self.builder.binary(Operator::ShiftRight, a_size[limb], bit);
            let next = self.builder.wrap(next, 1, false);
            rest.limbs = self.wide_sum(&rest.limbs.clone(), &rest.limbs.clone(), false);
            rest.limbs[0] = self.builder.binary(Operator::Or, rest.limbs[0], next);
            let less = self.wide_less(&rest, &divisor);
            let fits = self.builder.not(less);
            let smaller = self.wide_sum(&rest.limbs, &opposite, true);
            rest.limbs = self.mux(fits, &smaller, &rest.limbs.clone());
            let digit = self.builder.binary(Operator::ShiftLeft, fits, bit);
            digits[limb] = self.builder.binary(Operator::Or, digits[limb], digit);
        }
        let (size, is_negative) = if operator == Binary::Divide {
            let same = self.builder.equal(a_sign, b_sign);
            (digits, self.builder.not(same))
        } else {
            rest.limbs.truncate(zero.len());
            (rest.limbs, a_sign)
        };
        let inverted = self.inverted(&size);
        let negative = self.wide_sum(&zero, &inverted, true);
        let limbs = self.mux(is_negative, &negative, &size);
        // By zero it is zero.
        let limbs = self.mux(is_zero, &zero, &limbs);
        Some(self.tied(Wide { limbs, ..a.clone() }))
    }

    /// Returns whether a word is negative.
    fn sign(&mut self, word: &Wide) -> ExprId {
        if !word.signed {
            return self.builder.truth(false);
        }
        let bits = limb_widths(word.width).last().unwrap_or(1);
        let by = self.builder.constant(i128::from(bits - 1));
        let sign = self.builder.binary(Operator::ShiftRight, word.limbs[word.limbs.len() - 1], by);
        self.builder.wrap(sign, 1, false)
    }

    /// Returns a word without its sign.
    fn size(&mut self, word: &Wide, sign: ExprId) -> Vec<ExprId> {
        let zero = vec![self.builder.constant(0); word.limbs.len()];
        let inverted = self.inverted(&word.limbs);
        let negated = self.wide_sum(&zero, &inverted, true);
        let mut limbs = self.mux(sign, &negated, &word.limbs);
        let bits = limb_widths(word.width).last().unwrap_or(LIMB);
        if let Some(last) = limbs.last_mut() {
            *last = self.builder.wrap(*last, bits, false);
        }
        limbs
    }

    /// Returns the limbs of a word that is made longer, with its sign.
    fn stretched(&mut self, word: &Wide, width: u32) -> Vec<ExprId> {
        let mut limbs = word.limbs.clone();
        let count = width.div_ceil(LIMB) as usize;
        let sign = self.sign(word);
        let (none, all) = (self.builder.constant(0), self.builder.constant(ones(LIMB)));
        let fill = self.builder.choose(sign, all, none);
        let bits = limb_widths(word.width).last().unwrap_or(LIMB);
        if bits < LIMB
            && let Some(last) = limbs.last_mut()
        {
            let upper = self.builder.constant(ones(LIMB) - ones(bits));
            let upper = self.builder.choose(sign, upper, none);
            *last = self.builder.binary(Operator::Or, *last, upper);
        }
        limbs.resize(count, fill);
        limbs
    }

    /// Shifts limbs to the right by a constant; what comes in is given.
    fn moved_right(&mut self, limbs: &[ExprId], by: u32, fill: ExprId) -> Vec<ExprId> {
        let (skip, bits) = ((by / LIMB) as usize, by % LIMB);
        let at = |place: usize| limbs.get(place).copied().unwrap_or(fill);
        let (down, up) =
            (self.builder.constant(i128::from(bits)), self.builder.constant(i128::from(LIMB - bits)));
        (0..limbs.len())
            .map(|place| {
                let lower = self.builder.binary(Operator::ShiftRight, at(place + skip), down);
                if bits == 0 {
                    return lower;
                }
                let upper = self.builder.binary(Operator::ShiftLeft, at(place + skip + 1), up);
                let both = self.builder.binary(Operator::Or, upper, lower);
                self.builder.wrap(both, LIMB, false)
            })
            .collect()
    }

    /// Shifts limbs to the left by a constant.
    fn moved_left(&mut self, limbs: &[ExprId], by: u32) -> Vec<ExprId> {
        let (skip, bits) = ((by / LIMB) as usize, by % LIMB);
        let none = self.builder.constant(0);
        let at = |place: Option<usize>| place.and_then(|place| limbs.get(place)).copied().unwrap_or(none);
        let (up, down) =
            (self.builder.constant(i128::from(bits)), self.builder.constant(i128::from(LIMB - bits)));
        (0..limbs.len())
            .map(|place| {
                let upper = self.builder.binary(Operator::ShiftLeft, at(place.checked_sub(skip)), up);
                let below = at(place.checked_sub(skip + 1));
                let lower = self.builder.binary(Operator::ShiftRight, below, down);
                let lower = if bits == 0 { none } else { lower };
                let both = self.builder.binary(Operator::Or, upper, lower);
                self.builder.wrap(both, LIMB, false)
            })
            .collect()
    }

    fn wide_shift(&mut self, operator: Binary, left: (Typed, Id), right: (Typed, Id)) -> Option<Typed> {
        let word = self.wide(left.0)?;
        let by = self.amount(right, word.width)?;
        let sign = self.sign(&word);
        let (none, all) = (self.builder.constant(0), self.builder.constant(ones(LIMB)));
        let fill = self.builder.choose(sign, all, none);
        let mut limbs = self.stretched(&word, word.width);
        let mut step = 1;
        for place in 0.. {
            if step > word.width {
                break;
            }
            let bit = self.builder.constant(place);
            let bit = self.builder.binary(Operator::ShiftRight, by, bit);
            let bit = self.builder.wrap(bit, 1, false);
            let moved = match operator {
                Binary::ShiftLeft => self.moved_left(&limbs, step),
                _ => self.moved_right(&limbs, step, fill),
            };
            limbs = self.mux(bit, &moved, &limbs);
            step *= 2;
        }
        Some(self.tied(Wide { limbs, ..word }))
    }

    /// Returns by how much a word is shifted, as a number: at most its width.
    pub(super) fn amount(&mut self, right: (Typed, Id), width: u32) -> Option<ExprId> {
        let limbs = match right.0.sort {
            Sort::Word { signed: false, .. } => self.limbs_of(right.0),
            _ => vec![self.number(right.0, right.1)?],
        };
        let is_fine = match self.builder.constant_value(limbs[0]) {
            Some(value) if limbs.len() == 1 => (0..=i128::from(width)).contains(&value),
            _ => matches!(self.interval(limbs[0]), Some((0.., _))),
        };
        if !is_fine {
            let title = format!("a word of {width} bits is shifted by 0 to {width} bits");
            let diagnostic = Diagnostic::error("V0208", self.tree.span(right.1), title)
                .label("this can be something else")
                .help("shift by a word without a sign, or by a variable whose range begins at 0");
            self.report(diagnostic);
            return None;
        }
        let (zero, most) = (self.builder.constant(0), self.builder.constant(i128::from(width)));
        let mut is_small = self.builder.binary(Operator::LessEqual, limbs[0], most);
        for limb in &limbs[1..] {
            let is_zero = self.builder.equal(*limb, zero);
            is_small = self.builder.and(is_small, is_zero);
        }
        Some(self.builder.choose(is_small, limbs[0], most))
    }

    fn joined(&mut self, upper: &Wide, lower: &Wide, whole: Id) -> Option<Typed> {
        let width = upper.width + lower.width;
        self.width_limit(width, whole)?;
        let none = self.builder.constant(0);
        let count = width.div_ceil(LIMB) as usize;
        let (mut high, mut low) = (upper.limbs.clone(), lower.limbs.clone());
        high.resize(count, none);
        low.resize(count, none);
        let high = self.moved_left(&high, lower.width);
        let limbs = self.limbwise(Operator::Or, &high, &low);
        Some(self.tied(Wide { limbs, width, signed: false }))
    }

    /// Takes bits of a wide word; that they are there has been checked.
    pub(super) fn wide_bits(&mut self, typed: Typed, (high, low): (u32, u32)) -> Option<Typed> {
        let word = self.wide(typed)?;
        let none = self.builder.constant(0);
        let mut limbs = self.moved_right(&word.limbs, low, none);
        let width = high - low + 1;
        limbs.truncate(width.div_ceil(LIMB) as usize);
        Some(self.tied(Wide { limbs, width, signed: false }))
    }

    /// Gives a word another width and sign: as `extend`, `resize`, `signed` and `unsigned` do.
    pub(super) fn wide_cast(&mut self, typed: Typed, function: Function, width: u32) -> Option<Typed> {
        let word = self.wide(typed)?;
        let signed = match function {
            Function::Signed => true,
            Function::Unsigned => false,
            _ => word.signed,
        };
        let mut limbs = self.stretched(&word, word.width.max(width));
        let count = width.div_ceil(LIMB) as usize;
        if width < word.width && word.signed {
            // A word with a sign keeps it, before its last bits.
            let sign = self.sign(&word);
            let place = ((width - 1) / LIMB) as usize;
            let bits = (width - 1) % LIMB;
            let rest = if bits == 0 {
                self.builder.constant(0)
            } else {
                self.builder.wrap(limbs[place], bits, false)
            };
            let by = self.builder.constant(i128::from(bits));
            let sign = self.builder.binary(Operator::ShiftLeft, sign, by);
            limbs[place] = self.builder.binary(Operator::Or, rest, sign);
        }
        limbs.truncate(count);
        Some(self.tied(Wide { limbs, width, signed }))
    }

    /// Returns whether a wide word is not zero.
    pub(super) fn wide_truth(&mut self, typed: Typed) -> ExprId {
        let limbs = self.limbs_of(typed);
        let zero = vec![self.builder.constant(0); limbs.len()];
        let is_zero = self.wide_equal(&limbs, &zero);
        self.builder.not(is_zero)
    }
}
