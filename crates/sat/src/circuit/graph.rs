//! And-inverter graphs: functions of bits, built of conjunctions and negations, each conjunction once.

use rustc_hash::FxHashMap;

/// A function in a [`Graph`]: twice the number of a node, and one more for its opposite.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Signal(u32);

impl Signal {
    /// What is never so.
    pub(crate) const FALSE: Signal = Signal(0);
    /// What is always so.
    pub(crate) const TRUE: Signal = Signal(1);

    /// Returns the number of the node.
    pub(crate) fn node(self) -> usize {
        (self.0 >> 1) as usize
    }

    /// Returns whether it is the opposite of its node.
    pub(crate) fn is_negative(self) -> bool {
        self.0 & 1 == 1
    }

    /// Returns it, or its opposite.
    pub(crate) fn negated_if(self, negate: bool) -> Signal {
        Signal(self.0 ^ u32::from(negate))
    }

    fn of(node: usize) -> Signal {
        Signal((node as u32) << 1)
    }
}

impl std::ops::Not for Signal {
    type Output = Signal;

    fn not(self) -> Signal {
        Signal(self.0 ^ 1)
    }
}

/// A node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Gate {
    /// A bit that the graph is a function of; also the constant, which is node 0.
    Leaf,
    /// A conjunction. Its operands have smaller numbers.
    And(Signal, Signal),
}

/// Functions of bits.
#[derive(Clone, Debug)]
pub(crate) struct Graph {
    gates: Vec<Gate>,
    known: FxHashMap<(Signal, Signal), Signal>,
}

impl Default for Graph {
    fn default() -> Self {
        Graph { gates: vec![Gate::Leaf], known: FxHashMap::default() }
    }
}

impl Graph {
    /// Returns how many nodes there are.
    pub(crate) fn len(&self) -> usize {
        self.gates.len()
    }

    /// Returns a node.
    pub(crate) fn gate(&self, node: usize) -> Gate {
        self.gates[node]
    }

    /// Adds a bit.
    pub(crate) fn leaf(&mut self) -> Signal {
        self.gates.push(Gate::Leaf);
        Signal::of(self.gates.len() - 1)
    }

    /// Returns a conjunction.
    pub(crate) fn and(&mut self, left: Signal, right: Signal) -> Signal {
        let (left, right) = if left < right { (left, right) } else { (right, left) };
        if left == Signal::FALSE || left == !right {
            return Signal::FALSE;
        }
        if left == Signal::TRUE || left == right {
            return right;
        }
        if let Some(simpler) = self.absorbed(left, right).or_else(|| self.absorbed(right, left)) {
            return simpler;
        }
        if let Some(known) = self.known.get(&(left, right)) {
            return *known;
        }
        self.gates.push(Gate::And(left, right));
        let signal = Signal::of(self.gates.len() - 1);
        self.known.insert((left, right), signal);
        signal
    }

    /// Looks one level down: what the conjunction of `one` and `other` is if `one` is a part of the
    /// conjunction `other`.
    fn absorbed(&mut self, one: Signal, other: Signal) -> Option<Signal> {
        let Gate::And(a, b) = self.gates[other.node()] else { return None };
        if other.is_negative() {
            if one == !a || one == !b {
                return Some(one);
            }
            // A conjunction of smaller nodes: this goes down, and ends.
            let rest = if one == a {
                b
            } else if one == b {
                a
            } else {
                return None;
            };
            return Some(self.and(one, !rest));
        }
        if one == a || one == b {
            return Some(other);
        }
        (one == !a || one == !b).then_some(Signal::FALSE)
    }

    /// Returns a disjunction.
    pub(crate) fn or(&mut self, left: Signal, right: Signal) -> Signal {
        !self.and(!left, !right)
    }

    /// Returns whether one of two is so and not both.
    pub(crate) fn xor(&mut self, left: Signal, right: Signal) -> Signal {
        if left.is_negative() || right.is_negative() {
            // In one form, so that it is found again.
            let negate = left.is_negative() != right.is_negative();
            let positive = |signal: Signal| signal.negated_if(signal.is_negative());
            return self.xor(positive(left), positive(right)).negated_if(negate);
        }
        let (one, other) = (self.and(left, !right), self.and(!left, right));
        self.or(one, other)
    }

    /// Returns whether both are so, or neither.
    pub(crate) fn same(&mut self, left: Signal, right: Signal) -> Signal {
        !self.xor(left, right)
    }

    /// Returns the second where the first is so, the third elsewhere.
    pub(crate) fn choose(&mut self, condition: Signal, then: Signal, otherwise: Signal) -> Signal {
        if then == otherwise {
            return then;
        }
        if then == !otherwise {
            return self.same(condition, then);
        }
        let (yes, no) = (self.and(condition, then), self.and(!condition, otherwise));
        self.or(yes, no)
    }

    /// Returns the conjunction of all, as a tree of little depth.
    pub(crate) fn all(&mut self, signals: impl IntoIterator<Item = Signal>) -> Signal {
        let mut level: Vec<Signal> = signals.into_iter().collect();
        level.sort_unstable();
        level.dedup();
        while level.len() > 1 {
            let pairs = level.chunks(2);
            level = pairs
                .map(|pair| if let [left, right] = pair { self.and(*left, *right) } else { pair[0] })
                .collect();
        }
        level.pop().unwrap_or(Signal::TRUE)
    }

    /// Returns the disjunction of all.
    pub(crate) fn any(&mut self, signals: impl IntoIterator<Item = Signal>) -> Signal {
        !self.all(signals.into_iter().map(|signal| !signal))
    }

    /// Computes every node, given the values of the leaves by node.
    pub(crate) fn simulate(&self, leaf: impl Fn(usize) -> bool) -> Vec<bool> {
        let mut values = vec![false; self.gates.len()];
        for (node, gate) in self.gates.iter().enumerate().skip(1) {
            values[node] = match gate {
                Gate::Leaf => leaf(node),
                Gate::And(left, right) => value(&values, *left) && value(&values, *right),
            };
        }
        values
    }

    /// Returns the nodes below signals, operands first; with these themselves.
    pub(crate) fn below(&self, roots: impl IntoIterator<Item = Signal>) -> Vec<usize> {
        let mut seen = vec![false; self.gates.len()];
        let mut waiting: Vec<usize> = roots.into_iter().map(Signal::node).collect();
        let mut found = Vec::new();
        while let Some(node) = waiting.pop() {
            if std::mem::replace(&mut seen[node], true) {
                continue;
            }
            found.push(node);
            if let Gate::And(left, right) = self.gates[node] {
                waiting.extend([left.node(), right.node()]);
            }
        }
        found.sort_unstable();
        found
    }
}

/// Returns what a signal is, given the values of nodes.
pub(crate) fn value(values: &[bool], signal: Signal) -> bool {
    values[signal.node()] != signal.is_negative()
}

#[cfg(test)]
mod tests {
    use super::{Graph, Signal, value};

    #[test]
    fn gates_are_what_they_say() {
        let mut graph = Graph::default();
        let leaves = [graph.leaf(), graph.leaf(), graph.leaf()];
        let [a, b, c] = leaves;
        let (and, xor) = (graph.and(a, b), graph.xor(a, !b));
        let choice = graph.choose(a, !b, c);
        let absorbed = graph.and(a, !and);
        let all = graph.all([a, b, c]);
        for bits in 0..8_usize {
            let of = |signal: Signal| bits >> (signal.node() - 1) & 1 == 1;
            let values = graph.simulate(|node| bits >> (node - 1) & 1 == 1);
            let (first, second, third) = (of(a), of(b), of(c));
            assert_eq!(value(&values, and), first && second);
            assert_eq!(value(&values, xor), first == second);
            assert_eq!(value(&values, choice), if first { !second } else { third });
            assert_eq!(value(&values, absorbed), first && !second);
            assert_eq!(value(&values, all), first && second && third);
        }
    }

    #[test]
    fn the_same_function_is_found_again() {
        let mut graph = Graph::default();
        let (a, b) = (graph.leaf(), graph.leaf());
        let first = graph.xor(a, b);
        let size = graph.len();
        assert_eq!(graph.xor(!b, a), !first);
        assert_eq!(graph.len(), size);
        let and = graph.and(a, b);
        assert_eq!(graph.and(!a, and), Signal::FALSE);
        assert_eq!(graph.or(a, and), a);
        assert_eq!(graph.or(a, !a), Signal::TRUE);
    }
}
