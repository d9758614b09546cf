//! Formulas as a graph: what they share is there once.

use narrows_logic::{Ctl, Paths};
use narrows_model::Atom;
use rustc_hash::FxHashMap;

/// Names a sub-formula of [`Formulas`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Sub(pub(super) u32);

/// A sub-formula: an operator and its operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Node {
    /// A proposition, by its number.
    Atom(u32),
    Not(Sub),
    And(Sub, Sub),
    Or(Sub, Sub),
    Implies(Sub, Sub),
    Equivalent(Sub, Sub),
    Next(bool, Sub),
    Eventually(bool, Sub),
    Always(bool, Sub),
    Until(bool, Sub, Sub),
    WeakUntil(bool, Sub, Sub),
}

/// Sub-formulas, each after its operands.
#[derive(Debug, Default)]
pub(super) struct Formulas {
    nodes: Vec<Node>,
    /// Whether a sub-formula has no temporal operator, so that a state alone decides it.
    plain: Vec<bool>,
    known: FxHashMap<Node, Sub>,
    pub(super) atoms: Vec<Atom>,
    atom_numbers: FxHashMap<String, u32>,
}

impl Formulas {
    /// Adds a formula.
    pub(super) fn add(&mut self, formula: &Ctl<Atom>) -> Sub {
        let node = match formula {
            Ctl::Atom(atom) => Node::Atom(self.atom(atom)),
            Ctl::Not(operand) => Node::Not(self.add(operand)),
            Ctl::And(left, right) => Node::And(self.add(left), self.add(right)),
            Ctl::Or(left, right) => Node::Or(self.add(left), self.add(right)),
            Ctl::Implies(left, right) => Node::Implies(self.add(left), self.add(right)),
            Ctl::Equivalent(left, right) => Node::Equivalent(self.add(left), self.add(right)),
            Ctl::Next(paths, operand) => Node::Next(is_all(*paths), self.add(operand)),
            Ctl::Eventually(paths, operand) => Node::Eventually(is_all(*paths), self.add(operand)),
            Ctl::Always(paths, operand) => Node::Always(is_all(*paths), self.add(operand)),
            Ctl::Until(paths, left, right) => Node::Until(is_all(*paths), self.add(left), self.add(right)),
            Ctl::WeakUntil(paths, left, right) => {
                Node::WeakUntil(is_all(*paths), self.add(left), self.add(right))
            }
        };
        if let Some(known) = self.known.get(&node) {
            return *known;
        }
        let sub = Sub(self.nodes.len() as u32);
        let plain = match node {
            Node::Atom(_) => true,
            Node::Not(operand) => self.is_plain(operand),
            Node::And(left, right)
            | Node::Or(left, right)
            | Node::Implies(left, right)
            | Node::Equivalent(left, right) => self.is_plain(left) && self.is_plain(right),
            _ => false,
        };
        self.nodes.push(node);
        self.plain.push(plain);
        self.known.insert(node, sub);
        sub
    }

    /// Two atoms with the same text are the same.
    fn atom(&mut self, atom: &Atom) -> u32 {
        if let Some(number) = self.atom_numbers.get(&atom.text) {
            return *number;
        }
        let number = self.atoms.len() as u32;
        self.atoms.push(atom.clone());
        self.atom_numbers.insert(atom.text.clone(), number);
        number
    }

    pub(super) fn node(&self, sub: Sub) -> Node {
        self.nodes[sub.0 as usize]
    }

    pub(super) fn is_plain(&self, sub: Sub) -> bool {
        self.plain[sub.0 as usize]
    }

    /// Returns every sub-formula, operands first.
    pub(super) fn all(&self) -> impl Iterator<Item = (Sub, Node)> + '_ {
        self.nodes.iter().enumerate().map(|(index, node)| (Sub(index as u32), *node))
    }

    /// Returns a sub-formula as a formula again.
    pub(super) fn formula(&self, sub: Sub) -> Ctl<Atom> {
        let one = |sub: Sub| Box::new(self.formula(sub));
        match self.node(sub) {
            Node::Atom(number) => Ctl::Atom(self.atoms[number as usize].clone()),
            Node::Not(operand) => Ctl::Not(one(operand)),
            Node::And(left, right) => Ctl::And(one(left), one(right)),
            Node::Or(left, right) => Ctl::Or(one(left), one(right)),
            Node::Implies(left, right) => Ctl::Implies(one(left), one(right)),
            Node::Equivalent(left, right) => Ctl::Equivalent(one(left), one(right)),
            Node::Next(all, operand) => Ctl::Next(paths(all), one(operand)),
            Node::Eventually(all, operand) => Ctl::Eventually(paths(all), one(operand)),
            Node::Always(all, operand) => Ctl::Always(paths(all), one(operand)),
            Node::Until(all, left, right) => Ctl::Until(paths(all), one(left), one(right)),
            Node::WeakUntil(all, left, right) => Ctl::WeakUntil(paths(all), one(left), one(right)),
        }
    }
}

fn is_all(paths: Paths) -> bool {
    paths == Paths::All
}

fn paths(all: bool) -> Paths {
    if all { Paths::All } else { Paths::Some }
}
