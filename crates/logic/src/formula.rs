//! Formulas in negation normal form, each stored once.
//!
//! Equal formulas have equal ids, so that sets of formulas are sets of numbers. Negations stand at atoms
//! only; `F a` is `true U a` and `G a` is `false R a`. The constructors that a translation uses are those of
//! `simplify`, which write a formula in a simpler form; `intern` here stores it as it is.

use rustc_hash::FxHashMap;

use crate::ltl::Ltl;

/// A formula of a [`Formulas`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Id(pub(crate) u32);

impl Id {
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

/// What a formula is made of. The operands of `And` and `Or` are sorted and at least two.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Node {
    True,
    False,
    Literal(usize, bool),
    And(Vec<Id>),
    Or(Vec<Id>),
    Next(Id),
    Until(Id, Id),
    Release(Id, Id),
}

/// What is known of a formula by its form (Etessami and Holzmann 2000).
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shape {
    /// It holds now if it holds at some time: words can be put before those that it accepts.
    pub(crate) eventual: bool,
    /// It holds always if it holds now: words that it accepts can be cut off at their start.
    pub(crate) universal: bool,
}

/// All formulas of a translation.
pub(crate) struct Formulas {
    nodes: Vec<Node>,
    shapes: Vec<Shape>,
    known: FxHashMap<Node, Id>,
    negations: FxHashMap<Id, Id>,
    pub(super) implications: FxHashMap<(Id, Id), bool>,
}

pub(crate) const FALSE: Id = Id(0);
pub(crate) const TRUE: Id = Id(1);

impl Formulas {
    pub(crate) fn new() -> Formulas {
        let mut formulas = Formulas {
            nodes: Vec::new(),
            shapes: Vec::new(),
            known: FxHashMap::default(),
            negations: FxHashMap::default(),
            implications: FxHashMap::default(),
        };
        formulas.intern(Node::False);
        formulas.intern(Node::True);
        formulas
    }

    pub(crate) fn node(&self, id: Id) -> &Node {
        &self.nodes[id.index()]
    }

    pub(crate) fn shape(&self, id: Id) -> Shape {
        self.shapes[id.index()]
    }

    pub(crate) fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether it holds always or never from some time on, whatever comes before.
    pub(crate) fn is_suspendable(&self, id: Id) -> bool {
        let shape = self.shape(id);
        shape.eventual && shape.universal
    }

    /// Stores a formula as it is.
    pub(crate) fn intern(&mut self, node: Node) -> Id {
        if let Some(id) = self.known.get(&node) {
            return *id;
        }
        let id = Id(self.nodes.len() as u32);
        self.shapes.push(self.shape_of(&node));
        self.known.insert(node.clone(), id);
        self.nodes.push(node);
        id
    }

    fn shape_of(&self, node: &Node) -> Shape {
        let all = |operands: &[Id]| Shape {
            eventual: operands.iter().all(|id| self.shape(*id).eventual),
            universal: operands.iter().all(|id| self.shape(*id).universal),
        };
        match node {
            Node::True | Node::False => Shape { eventual: true, universal: true },
            Node::Literal(..) => Shape { eventual: false, universal: false },
            Node::And(operands) | Node::Or(operands) => all(operands),
            Node::Next(operand) => self.shape(*operand),
            Node::Until(left, right) => Shape {
                eventual: *left == TRUE || self.shape(*right).eventual,
                universal: self.shape(*left).universal && self.shape(*right).universal,
            },
            Node::Release(left, right) => Shape {
                eventual: self.shape(*left).eventual && self.shape(*right).eventual,
                universal: *left == FALSE || self.shape(*right).universal,
            },
        }
    }

    /// The negation, again in negation normal form.
    pub(crate) fn negation(&mut self, id: Id) -> Id {
        if let Some(known) = self.negations.get(&id) {
            return *known;
        }
        let negation = match self.node(id).clone() {
            Node::True => FALSE,
            Node::False => TRUE,
            Node::Literal(atom, holds) => self.intern(Node::Literal(atom, !holds)),
            Node::And(operands) => {
                let operands = operands.iter().map(|operand| self.negation(*operand)).collect();
                self.or(operands)
            }
            Node::Or(operands) => {
                let operands = operands.iter().map(|operand| self.negation(*operand)).collect();
                self.and(operands)
            }
            Node::Next(operand) => {
                let operand = self.negation(operand);
                self.next(operand)
            }
            Node::Until(left, right) => {
                let (left, right) = (self.negation(left), self.negation(right));
                self.release(left, right)
            }
            Node::Release(left, right) => {
                let (left, right) = (self.negation(left), self.negation(right));
                self.until(left, right)
            }
        };
        self.negations.insert(id, negation);
        self.negations.entry(negation).or_insert(id);
        negation
    }

    /// Stores a formula, whose atoms are numbers here, and its negation.
    ///
    /// Both are made at once: an equivalence needs both of its operands both ways, again and again inside.
    pub(crate) fn read<A>(&mut self, formula: &Ltl<A>, number: &mut impl FnMut(&A) -> usize) -> (Id, Id) {
        if let Some(operands) = chain(formula) {
            let both: Vec<(Id, Id)> =
                operands.into_iter().map(|operand| self.read(operand, number)).collect();
            let (all, negations): (Vec<Id>, Vec<Id>) = both.into_iter().unzip();
            return match formula {
                Ltl::And(..) => (self.and(all), self.or(negations)),
                _ => (self.or(all), self.and(negations)),
            };
        }
        let mut operands = formula.operands().map(|operand| self.read(operand, number)).collect::<Vec<_>>();
        let (right, not_right) = operands.pop().unwrap_or((TRUE, FALSE));
        let (left, not_left) = operands.pop().unwrap_or((TRUE, FALSE));
        match formula {
            Ltl::Atom(atom) => {
                let atom = number(atom);
                (self.intern(Node::Literal(atom, true)), self.intern(Node::Literal(atom, false)))
            }
            Ltl::Constant(true) => (TRUE, FALSE),
            Ltl::Constant(false) => (FALSE, TRUE),
            Ltl::Not(_) => (not_right, right),
            Ltl::Next(_) => (self.next(right), self.next(not_right)),
            Ltl::Always(_) => (self.release(FALSE, right), self.until(TRUE, not_right)),
            Ltl::Eventually(_) => (self.until(TRUE, right), self.release(FALSE, not_right)),
            Ltl::And(..) | Ltl::Or(..) | Ltl::Implies(..) => {
                (self.or(vec![not_left, right]), self.and(vec![left, not_right]))
            }
            Ltl::Equivalent(..) => (
                self.equivalence(left, right, not_left, not_right),
                self.equivalence(left, not_right, not_left, right),
            ),
            Ltl::Until(..) => (self.until(left, right), self.release(not_left, not_right)),
            Ltl::Release(..) => (self.release(left, right), self.until(not_left, not_right)),
            Ltl::WeakUntil(..) => {
                // `a W b` is `b R (a || b)`.
                let (either, neither) = (self.or(vec![left, right]), self.and(vec![not_left, not_right]));
                (self.release(right, either), self.until(not_right, neither))
            }
        }
    }

    fn equivalence(&mut self, left: Id, right: Id, not_left: Id, not_right: Id) -> Id {
        let both = self.and(vec![left, right]);
        let neither = self.and(vec![not_left, not_right]);
        self.or(vec![both, neither])
    }
}

/// The operands of a conjunction or disjunction, those of such ones inside of it included.
///
/// A long one is simplified once, and not again for each of its operands.
fn chain<A>(formula: &Ltl<A>) -> Option<Vec<&Ltl<A>>> {
    let is_and = match formula {
        Ltl::And(..) => true,
        Ltl::Or(..) => false,
        _ => return None,
    };
    let (mut operands, mut rest) = (Vec::new(), vec![formula]);
    while let Some(part) = rest.pop() {
        match part {
            Ltl::And(left, right) if is_and => rest.extend([right, left].map(|operand| &**operand)),
            Ltl::Or(left, right) if !is_and => rest.extend([right, left].map(|operand| &**operand)),
            _ => operands.push(part),
        }
    }
    Some(operands)
}
