//! Two graphs side by side, as the parallel operators of LOTOS put them.

use rustc_hash::FxHashMap;

use super::gate;
use crate::graph::{Builder, Graph, TooLarge};
use crate::label::{Label, LabelTiming, is_internal};

/// Which labels two graphs take together; `exit` always, internal steps and labels with rates never.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Operator {
    /// `||`: all.
    All,
    /// `|[a, b]|`: those with these gates; none is `|||`.
    Gates(Vec<String>),
}

impl Operator {
    /// Reads `||`, `|||` or `|[a, b]|`.
    pub fn parse(text: &str) -> Option<Operator> {
        let text = text.trim();
        if text == "||" {
            return Some(Operator::All);
        }
        if text == "|||" {
            return Some(Operator::Gates(Vec::new()));
        }
        let inner = text.strip_prefix("|[")?.strip_suffix("]|")?.trim();
        let gates: Vec<String> = inner.split(',').map(|gate| gate.trim().to_owned()).collect();
        match gates.iter().all(|gate| !gate.is_empty() && super::gate(gate) == gate) {
            true => Some(Operator::Gates(gates)),
            false if inner.is_empty() => Some(Operator::Gates(Vec::new())),
            false => None,
        }
    }

    fn is_common(&self, label: &str) -> bool {
        let has_timing = Label::parse(label).is_ok_and(|label| label.timing != LabelTiming::Immediate);
        if is_internal(label) || has_timing {
            return false;
        }
        match self {
            Operator::All => true,
            Operator::Gates(gates) => gate(label) == "exit" || gates.iter().any(|name| name == gate(label)),
        }
    }
}

/// The states of a product that were found.
#[derive(Default)]
struct Pairs {
    numbers: FxHashMap<(u32, u32), u32>,
    order: Vec<(u32, u32)>,
}

impl Pairs {
    fn number(&mut self, left: u32, right: u32) -> u32 {
        let next = self.order.len() as u32;
        let number = *self.numbers.entry((left, right)).or_insert(next);
        if number == next {
            self.order.push((left, right));
        }
        number
    }
}

/// Puts two graphs side by side: a label that both know goes with the same text on the other side. Only the
/// states that are reached are there.
pub fn compose(left: &Graph, right: &Graph, operator: &Operator) -> Result<Graph, TooLarge> {
    let mut builder = Builder::new(0, 0);
    let mut read = |graph: &Graph| -> Vec<(u32, bool)> {
        let texts = graph.labels().iter();
        texts.map(|text| (builder.label(text), operator.is_common(text))).collect()
    };
    let (lefts, rights) = (read(left), read(right));
    let mut pairs = Pairs::default();
    pairs.number(left.initial(), right.initial());
    let mut at = 0;
    while let Some((one, other)) = pairs.order.get(at).copied() {
        let from = at as u32;
        for edge in left.edges_from(one) {
            let (label, is_common) = lefts[edge.label as usize];
            if !is_common {
                builder.edge(from, label, pairs.number(edge.target, other));
                continue;
            }
            for partner in
                right.edges_from(other).iter().filter(|next| rights[next.label as usize].0 == label)
            {
                builder.edge(from, label, pairs.number(edge.target, partner.target));
            }
        }
        for edge in right.edges_from(other) {
            let (label, is_common) = rights[edge.label as usize];
            if !is_common {
                builder.edge(from, label, pairs.number(one, edge.target));
            }
        }
        at += 1;
        if at as u64 >= u64::from(u32::MAX) - 1 {
            return Err(TooLarge);
        }
    }
    builder.build()
}

#[cfg(test)]
mod tests {
    use super::{Operator, compose};
    use crate::aut;

    fn composed(operator: &str) -> String {
        let left = aut::read("des (0, 3, 3)\n(0, \"P !1\", 1)\n(1, i, 2)\n(2, \"exit\", 0)").unwrap();
        let right =
            aut::read("des (0, 4, 2)\n(0, \"P !1\", 1)\n(0, \"P !2\", 1)\n(1, \"exit\", 0)\n(1, i, 1)")
                .unwrap();
        aut::write(&compose(&left, &right, &Operator::parse(operator).unwrap()).unwrap())
    }

    #[test]
    fn gates_go_together() {
        let text = "des (0, 5, 3)\n(0, \"P !1\", 1)\n(1, i, 2)\n(1, i, 1)\n(2, \"exit\", 0)\n(2, i, 2)\n";
        assert_eq!(composed("|[P]|"), text);
        assert_eq!(composed("|[ P , Q ]|"), text);
        assert_eq!(composed("||"), text);
        assert!(composed("|||").starts_with("des (0, 14, 6)\n"), "{}", composed("|||"));
    }

    #[test]
    fn operators_are_read() {
        assert_eq!(Operator::parse("|[]|"), Operator::parse("|||"));
        for wrong in ["", "|", "[a]", "|[a b]|", "|[a,]|"] {
            assert_eq!(Operator::parse(wrong), None, "{wrong}");
        }
    }
}
