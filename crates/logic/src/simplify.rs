//! Formulas rewritten to simpler ones that hold on the same words.
//!
//! Each constructor looks at the outermost operators of its operands, which are simple already, and applies
//! rules until none fits. Some rules need to know that one formula implies another; a check on their forms
//! finds many such cases and never claims one wrongly. The rules are those of Somenzi and Bloem (*Efficient
//! Büchi automata from LTL formulae*, CAV 2000), Etessami and Holzmann (*Optimizing Büchi automata*, CONCUR
//! 2000), and of Spot's `tl.pdf`.
//!
//! Invariant: a constructor's result holds on exactly the words on which the plain formula would. Cost: each
//! implication is decided once, from those of smaller formulas; above [`MAX_FORMULAS`] formulas none is
//! looked for.

use crate::formula::{FALSE, Formulas, Id, Node, TRUE};

/// With more formulas than this, looking for implications between all of them would take too long.
const MAX_FORMULAS: usize = 4000;

/// One half of the operators. Each rule of a half is one of the other, with all operators exchanged.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Half {
    /// `U`, `F` and `||`.
    Until,
    /// `R`, `G` and `&&`.
    Release,
}

impl Half {
    fn other(self) -> Half {
        match self {
            Half::Until => Half::Release,
            Half::Release => Half::Until,
        }
    }

    /// What `||`, or `&&`, of no formula is.
    fn neutral(self) -> Id {
        match self {
            Half::Until => FALSE,
            Half::Release => TRUE,
        }
    }
}

impl Formulas {
    /// Whether the second formula holds wherever the first does, as far as their forms show.
    pub(crate) fn implies(&mut self, one: Id, other: Id) -> bool {
        if one == other || one == FALSE || other == TRUE {
            return true;
        }
        if one == TRUE || other == FALSE || self.len() > MAX_FORMULAS || self.are_literals(one, other) {
            return false;
        }
        if let Some(known) = self.implications.get(&(one, other)) {
            return *known;
        }
        let answer = self.implies_by_left(one, other) || self.implies_by_right(one, other);
        self.implications.insert((one, other), answer);
        answer
    }

    fn implies_by_left(&mut self, one: Id, other: Id) -> bool {
        let shape = self.shape(other);
        match self.node(one).clone() {
            Node::And(operands) => operands.iter().any(|operand| self.implies(*operand, other)),
            Node::Or(operands) => operands.iter().all(|operand| self.implies(*operand, other)),
            Node::Next(operand) => shape.eventual && self.implies(operand, other),
            Node::Until(left, right) => {
                self.implies(right, other) && (shape.eventual || self.implies(left, other))
            }
            Node::Release(_, right) => self.implies(right, other),
            Node::True | Node::False | Node::Literal(..) => false,
        }
    }

    fn implies_by_right(&mut self, one: Id, other: Id) -> bool {
        let shape = self.shape(one);
        match (self.node(one).clone(), self.node(other).clone()) {
            (_, Node::And(operands)) => operands.iter().all(|operand| self.implies(one, *operand)),
            (_, Node::Or(operands)) => operands.iter().any(|operand| self.implies(one, *operand)),
            (Node::Next(operand), Node::Next(other)) if self.implies(operand, other) => true,
            (_, Node::Next(operand)) => shape.universal && self.implies(one, operand),
            (Node::Until(a, b), Node::Until(c, d)) if self.implies(a, c) && self.implies(b, d) => true,
            (_, Node::Until(_, right)) => self.implies(one, right),
            (Node::Release(a, b), Node::Release(c, d)) if self.implies(a, c) && self.implies(b, d) => true,
            (_, Node::Release(left, right)) => {
                self.implies(one, right) && (shape.universal || self.implies(one, left))
            }
            _ => false,
        }
    }

    fn are_literals(&self, one: Id, other: Id) -> bool {
        matches!((self.node(one), self.node(other)), (Node::Literal(..), Node::Literal(..)))
    }

    /// Whether both can't hold at once, as far as their forms show.
    fn excludes(&mut self, one: Id, other: Id) -> bool {
        if self.len() > MAX_FORMULAS || self.are_literals(one, other) {
            return matches!((self.node(one), self.node(other)),
                (Node::Literal(a, x), Node::Literal(b, y)) if a == b && x != y);
        }
        let (not_one, not_other) = (self.negation(one), self.negation(other));
        self.implies(one, not_other) || self.implies(other, not_one)
    }

    /// Whether one of them must hold, as far as their forms show.
    fn exhausts(&mut self, one: Id, other: Id) -> bool {
        if self.len() > MAX_FORMULAS || self.are_literals(one, other) {
            return self.excludes(one, other);
        }
        let (not_one, not_other) = (self.negation(one), self.negation(other));
        self.implies(not_one, other) || self.implies(not_other, one)
    }

    /// In the next state.
    pub(crate) fn next(&mut self, operand: Id) -> Id {
        if self.is_suspendable(operand) { operand } else { self.intern(Node::Next(operand)) }
    }

    /// The left until the right.
    pub(crate) fn until(&mut self, left: Id, right: Id) -> Id {
        self.temporal(Half::Until, left, right)
    }

    /// The right until and including the left, or for ever.
    pub(crate) fn release(&mut self, left: Id, right: Id) -> Id {
        self.temporal(Half::Release, left, right)
    }

    /// All of them.
    pub(crate) fn and(&mut self, operands: Vec<Id>) -> Id {
        self.joint(Half::Release, operands)
    }

    /// One of them.
    pub(crate) fn or(&mut self, operands: Vec<Id>) -> Id {
        self.joint(Half::Until, operands)
    }

    /// `F`, or `G`.
    fn unary(&mut self, half: Half, operand: Id) -> Id {
        self.temporal(half, half.other().neutral(), operand)
    }

    /// Whether one of them must hold; or, in the other half, whether both can't hold at once.
    fn covers(&mut self, half: Half, one: Id, other: Id) -> bool {
        match half {
            Half::Until => self.exhausts(one, other),
            Half::Release => self.excludes(one, other),
        }
    }

    /// Whether the second holds wherever the first does, or the other way round.
    fn is_below(&mut self, half: Half, one: Id, other: Id) -> bool {
        match half {
            Half::Until => self.implies(one, other),
            Half::Release => self.implies(other, one),
        }
    }

    /// Whether `F`, or `G`, before it changes nothing.
    fn is_fixed(&self, half: Half, id: Id) -> bool {
        match half {
            Half::Until => self.shape(id).eventual,
            Half::Release => self.shape(id).universal,
        }
    }

    fn as_temporal(&self, id: Id) -> Option<(Half, Id, Id)> {
        match *self.node(id) {
            Node::Until(left, right) => Some((Half::Until, left, right)),
            Node::Release(left, right) => Some((Half::Release, left, right)),
            _ => None,
        }
    }

    fn as_joint(&self, id: Id) -> Option<(Half, Vec<Id>)> {
        match self.node(id) {
            Node::Or(operands) => Some((Half::Until, operands.clone())),
            Node::And(operands) => Some((Half::Release, operands.clone())),
            _ => None,
        }
    }

    fn as_next(&self, id: Id) -> Option<Id> {
        if let Node::Next(inner) = self.node(id) { Some(*inner) } else { None }
    }

    /// `left U right`, or `left R right`. The rules are told for `U`.
    fn temporal(&mut self, half: Half, left: Id, right: Id) -> Id {
        if right == FALSE || right == TRUE || left == half.neutral() {
            return right;
        }
        if self.is_fixed(half, right) || self.is_below(half, left, right) {
            return right;
        }
        if left != half.other().neutral() && self.covers(half, left, right) {
            return self.unary(half, right);
        }
        if let Some(simpler) = self.by_left(half, left, right).or_else(|| self.by_right(half, left, right)) {
            return simpler;
        }
        self.intern(match half {
            Half::Until => Node::Until(left, right),
            Half::Release => Node::Release(left, right),
        })
    }

    fn by_left(&mut self, half: Half, left: Id, right: Id) -> Option<Id> {
        if let Some((joint, operands)) = self.as_joint(left) {
            let (kept, _) = self.split(&operands, |formulas, operand| {
                if joint == half {
                    !formulas.is_below(half, operand, right)
                } else {
                    // What must hold before the right does, because the right does not yet, need not be said.
                    !formulas.covers(half, operand, right)
                }
            })?;
            let left = self.joint(joint, kept);
            return Some(self.temporal(half, left, right));
        }
        match (self.as_temporal(left), self.as_next(left), self.as_next(right)) {
            // `(a U b) U b` is `a U b`.
            (Some((inside, inner, goal)), ..) if inside == half && goal == right => {
                Some(self.temporal(half, inner, right))
            }
            // `X a U X b` is `X (a U b)`.
            (_, Some(inner), Some(goal)) => {
                let until = self.temporal(half, inner, goal);
                Some(self.next(until))
            }
            _ => None,
        }
    }

    fn by_right(&mut self, half: Half, left: Id, right: Id) -> Option<Id> {
        let (other, is_unary) = (half.other(), left == half.other().neutral());
        if let Some((joint, operands)) = self.as_joint(right) {
            // `a U (b || F c)` is `(a U b) || F c`, and `a U (b && GF c)` is `(a U b) && GF c`.
            let (kept, mut all) = self.split(&operands, |formulas, operand| {
                !if joint == half {
                    formulas.is_fixed(half, operand)
                } else {
                    formulas.is_suspendable(operand)
                }
            })?;
            let rest = self.joint(joint, kept);
            all.push(self.temporal(half, left, rest));
            return Some(self.joint(joint, all));
        }
        if let Some(goal) = self.as_next(right).filter(|_| is_unary) {
            // `F X a` is `X F a`.
            let inner = self.unary(half, goal);
            return Some(self.next(inner));
        }
        match self.as_temporal(right)? {
            // `a U (b U c)` is `b U c` if `a` implies `b`; `F (b U c)` is `F c`.
            (inside, _, goal) if inside == half && is_unary => Some(self.unary(half, goal)),
            (inside, inner, _) if inside == half && self.is_below(half, left, inner) => Some(right),
            // `F G (a || G b)` is `F G a || F G b`; `G F (a && F b)` is `G (F a && F b)`: there are always
            // more of both.
            (inside, inner, goal) if inside == other && is_unary && inner == half.neutral() => {
                let (_, operands) = self.as_joint(goal).filter(|(joint, _)| *joint == half)?;
                let (kept, mut all) =
                    self.split(&operands, |formulas, operand| !formulas.is_fixed(other, operand))?;
                let rest = self.joint(half, kept);
                all.push(self.unary(other, rest));
                let all: Vec<Id> = all.into_iter().map(|operand| self.unary(half, operand)).collect();
                Some(self.joint(half, all))
            }
            _ => None,
        }
    }

    /// The operands that fit, and the others; `None` if all fit.
    fn split(
        &mut self,
        operands: &[Id],
        mut fits: impl FnMut(&mut Formulas, Id) -> bool,
    ) -> Option<(Vec<Id>, Vec<Id>)> {
        let (kept, others): (Vec<Id>, Vec<Id>) = operands.iter().partition(|operand| fits(self, **operand));
        (!others.is_empty()).then_some((kept, others))
    }

    /// `||`, or `&&`, of any number of formulas.
    fn joint(&mut self, half: Half, operands: Vec<Id>) -> Id {
        let (neutral, dominant) = (half.neutral(), half.other().neutral());
        let mut flat = Vec::new();
        for operand in operands {
            match self.as_joint(operand) {
                Some((joint, inner)) if joint == half => flat.extend(inner),
                _ => flat.push(operand),
            }
        }
        flat.sort_unstable();
        flat.dedup();
        flat.retain(|operand| *operand != neutral);
        if flat.contains(&dominant) {
            return dominant;
        }
        if flat.len() == 1 {
            return flat[0];
        }
        for (index, one) in flat.iter().enumerate() {
            for other in &flat[index + 1..] {
                if self.covers(half, *one, *other) {
                    return dominant;
                }
            }
        }
        let simpler = self.without_redundant(half, &flat).or_else(|| self.shortened(half, &flat));
        if let Some(simpler) = simpler.or_else(|| self.joined(half, &flat)) {
            return self.joint(half, simpler);
        }
        match half {
            _ if flat.is_empty() => neutral,
            Half::Until => self.intern(Node::Or(flat)),
            Half::Release => self.intern(Node::And(flat)),
        }
    }

    /// Without an operand that another one makes redundant.
    fn without_redundant(&mut self, half: Half, operands: &[Id]) -> Option<Vec<Id>> {
        let redundant = operands
            .iter()
            .position(|one| operands.iter().any(|other| one != other && self.is_below(half, *one, *other)))?;
        let mut fewer = operands.to_vec();
        fewer.remove(redundant);
        Some(fewer)
    }

    /// `a && (!a || b)` is `a && b`, and the other way round.
    fn shortened(&mut self, half: Half, operands: &[Id]) -> Option<Vec<Id>> {
        for (index, operand) in operands.iter().enumerate() {
            let Some((joint, inner)) = self.as_joint(*operand) else { continue };
            if joint == half {
                continue;
            }
            for other in operands.iter().filter(|other| *other != operand) {
                let kept = self.split(&inner, |formulas, part| !formulas.covers(half, part, *other));
                if let Some((kept, _)) = kept {
                    let mut simpler = operands.to_vec();
                    simpler[index] = self.joint(joint, kept);
                    return Some(simpler);
                }
            }
        }
        None
    }

    /// Joins two operands that have a part in common.
    fn joined(&mut self, half: Half, operands: &[Id]) -> Option<Vec<Id>> {
        for (index, one) in operands.iter().enumerate() {
            for (offset, other) in operands[index + 1..].iter().enumerate() {
                if let Some(both) = self.join(half, *one, *other) {
                    let mut simpler = operands.to_vec();
                    simpler[index] = both;
                    simpler.remove(index + 1 + offset);
                    return Some(simpler);
                }
            }
        }
        None
    }

    fn join(&mut self, half: Half, one: Id, other: Id) -> Option<Id> {
        if let (Some(a), Some(b)) = (self.as_next(one), self.as_next(other)) {
            let inner = self.joint(half, vec![a, b]);
            return Some(self.next(inner));
        }
        let ((inside, a, c), (outside, b, d)) = (self.as_temporal(one)?, self.as_temporal(other)?);
        if inside != outside {
            return None;
        }
        if inside == half {
            // `a U c || a U d` is `a U (c || d)`.
            return (a == b).then(|| {
                let inner = self.joint(half, vec![c, d]);
                self.temporal(half, a, inner)
            });
        }
        if c == d {
            // `a U c && b U c` is `(a && b) U c`.
            let inner = self.joint(half, vec![a, b]);
            return Some(self.temporal(inside, inner, c));
        }
        // `GF a || GF b` is `GF (a || b)`.
        let goal = |formulas: &Formulas, left: Id, right: Id| match formulas.as_temporal(right)? {
            (inner, first, goal) if inner == half => {
                (left == half.neutral() && first == inside.neutral()).then_some(goal)
            }
            _ => None,
        };
        let goals = vec![goal(self, a, c)?, goal(self, b, d)?];
        let inner = self.joint(half, goals);
        let inner = self.unary(half, inner);
        Some(self.unary(inside, inner))
    }
}
