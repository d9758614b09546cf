//! Values that depend on bits, as decision diagrams.

use narrows_model::Limit;
use narrows_model::synchronous::{BitAlgebra, BitValue};

use crate::bdd::{Bdd, Manager};

type Result<T> = std::result::Result<T, Limit>;

/// A value that depends on bits.
pub(crate) type Symbolic = BitValue<Bdd>;

/// Computes with values.
pub(crate) type Arithmetic<'m> = narrows_model::synchronous::Arithmetic<Diagrams<'m>>;

/// Combines functions of bits.
#[derive(Clone, Copy)]
pub(crate) struct Diagrams<'m>(&'m Manager);

/// Returns what computes with values.
pub(crate) fn arithmetic(manager: &Manager) -> Arithmetic<'_> {
    Arithmetic { algebra: Diagrams(manager) }
}

impl BitAlgebra for Diagrams<'_> {
    type Bit = Bdd;
    type Error = Limit;

    const MAX_CASES: usize = 1 << 12;
    const KEEPS_CASES: bool = true;

    fn truth(&self, value: bool) -> Bdd {
        self.0.truth(value)
    }

    fn not(&self, bit: &Bdd) -> Bdd {
        bit.not()
    }

    fn and(&mut self, left: &Bdd, right: &Bdd) -> Result<Bdd> {
        left.and(right)
    }

    fn xor(&mut self, left: &Bdd, right: &Bdd) -> Result<Bdd> {
        left.xor(right)
    }

    fn choose(&mut self, condition: &Bdd, then: &Bdd, otherwise: &Bdd) -> Result<Bdd> {
        condition.choose(then, otherwise)
    }

    fn any<'b>(&mut self, bits: impl Iterator<Item = &'b Bdd>) -> Result<Bdd> {
        let mut result = self.0.truth(false);
        for bit in bits {
            result = result.or(bit)?;
        }
        Ok(result)
    }

    fn carry(&mut self, [left, _, half, carry]: [&Bdd; 4]) -> Result<Bdd> {
        half.choose(carry, left)
    }
}
