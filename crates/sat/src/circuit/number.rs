//! Values that depend on signals of a circuit.

use std::collections::BTreeMap;
use std::convert::Infallible;

use narrows_model::synchronous::{BitAlgebra, Value};

use super::graph::{Graph, Signal};

/// A value that depends on signals.
pub(crate) type Number = narrows_model::synchronous::BitValue<Signal>;

/// Makes a constant.
pub(crate) fn constant(value: Value) -> Number {
    Number::Cases(BTreeMap::from([(value, Signal::TRUE)]))
}

/// Returns what a computation comes to that has no limits.
pub(crate) fn sure<T>(result: Result<T, Infallible>) -> T {
    let Ok(value) = result;
    value
}

impl BitAlgebra for &mut Graph {
    type Bit = Signal;
    type Error = Infallible;

    const MAX_CASES: usize = 64;
    const KEEPS_CASES: bool = false;

    fn truth(&self, value: bool) -> Signal {
        Signal::FALSE.negated_if(value)
    }

    fn not(&self, bit: &Signal) -> Signal {
        !*bit
    }

    fn and(&mut self, left: &Signal, right: &Signal) -> Result<Signal, Infallible> {
        Ok(Graph::and(self, *left, *right))
    }

    fn xor(&mut self, left: &Signal, right: &Signal) -> Result<Signal, Infallible> {
        Ok(Graph::xor(self, *left, *right))
    }

    fn choose(
        &mut self,
        condition: &Signal,
        then: &Signal,
        otherwise: &Signal,
    ) -> Result<Signal, Infallible> {
        Ok(Graph::choose(self, *condition, *then, *otherwise))
    }

    fn any<'b>(&mut self, bits: impl Iterator<Item = &'b Signal>) -> Result<Signal, Infallible> {
        Ok(Graph::any(self, bits.copied()))
    }

    fn carry(&mut self, [left, right, half, carry]: [&Signal; 4]) -> Result<Signal, Infallible> {
        let (both, through) = (Graph::and(self, *left, *right), Graph::and(self, *half, *carry));
        Ok(Graph::or(self, both, through))
    }
}

#[cfg(test)]
mod tests {
    use super::super::graph::{Graph, Signal, value};
    use super::{Number, sure};
    use narrows_model::synchronous::{Arithmetic, Operator, Value};

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
            let mut arithmetic = Arithmetic { algebra: &mut graph };
            let found = sure(arithmetic.binary(operator, &Number::Bits(a.clone()), &Number::Bits(b.clone())));
            // The sum with 0 has bits, whatever it was.
            let zero = Number::Bits(vec![Signal::FALSE]);
            let found = sure(arithmetic.binary(Operator::Add, &found, &zero));
            let bits = match found {
                Number::Bits(bits) => bits,
                other => panic!("{other:?}"),
            };
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
