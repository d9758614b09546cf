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

    fn eventually(&mut self, operand: Id) -> Id {
        self.until(TRUE, operand)
    }

    fn always(&mut self, operand: Id) -> Id {
        self.release(FALSE, operand)
    }

    /// The left until the right.
    pub(crate) fn until(&mut self, left: Id, right: Id) -> Id {
        if right == FALSE || right == TRUE || left == FALSE {
            return right;
        }
        if self.shape(right).eventual || self.implies(left, right) {
            return right;
        }
        if left != TRUE && self.exhausts(left, right) {
            return self.eventually(right);
        }
        if let Some(simpler) = self.until_by_left(left, right).or_else(|| self.until_by_right(left, right)) {
            return simpler;
        }
        self.intern(Node::Until(left, right))
    }

    fn until_by_left(&mut self, left: Id, right: Id) -> Option<Id> {
        match self.node(left).clone() {
            // What must hold before the right does, because the right does not yet, need not be said.
            Node::And(operands) => {
                let kept = self.kept(&operands, |formulas, operand| !formulas.exhausts(operand, right))?;
                let left = self.and(kept);
                Some(self.until(left, right))
            }
            Node::Or(operands) => {
                let kept = self.kept(&operands, |formulas, operand| !formulas.implies(operand, right))?;
                let left = self.or(kept);
                Some(self.until(left, right))
            }
            // `(a U b) U b` is `a U b`.
            Node::Until(inner, goal) if goal == right => Some(self.until(inner, right)),
            // `X a U X b` is `X (a U b)`.
            Node::Next(inner) => match *self.node(right) {
                Node::Next(goal) => {
                    let until = self.until(inner, goal);
                    Some(self.next(until))
                }
                _ => None,
            },
            _ => None,
        }
    }

    fn until_by_right(&mut self, left: Id, right: Id) -> Option<Id> {
        match self.node(right).clone() {
            // `F X a` is `X F a`.
            Node::Next(goal) if left == TRUE => {
                let inner = self.eventually(goal);
                Some(self.next(inner))
            }
            // `a U (b U c)` is `b U c` if `a` implies `b`; `F (b U c)` is `F c`.
            Node::Until(_, goal) if left == TRUE => Some(self.eventually(goal)),
            Node::Until(inner, _) if self.implies(left, inner) => Some(right),
            // `a U (b || F c)` is `(a U b) || F c`.
            Node::Or(operands) => {
                let kept = self.kept(&operands, |formulas, operand| !formulas.shape(operand).eventual)?;
                let mut all: Vec<Id> =
                    operands.into_iter().filter(|operand| !kept.contains(operand)).collect();
                let rest = self.or(kept);
                all.push(self.until(left, rest));
                Some(self.or(all))
            }
            // `a U (b && GF c)` is `(a U b) && GF c`.
            Node::And(operands) => {
                let kept = self.kept(&operands, |formulas, operand| !formulas.is_suspendable(operand))?;
                let mut all: Vec<Id> =
                    operands.into_iter().filter(|operand| !kept.contains(operand)).collect();
                let rest = self.and(kept);
                all.push(self.until(left, rest));
                Some(self.and(all))
            }
            // `F G (a || G b)` is `F G a || F G b`: the opposite of the rule for `G F` below.
            Node::Release(FALSE, goal) if left == TRUE => {
                let Node::Or(operands) = self.node(goal).clone() else { return None };
                let kept = self.kept(&operands, |formulas, operand| !formulas.shape(operand).universal)?;
                let mut all: Vec<Id> =
                    operands.into_iter().filter(|operand| !kept.contains(operand)).collect();
                let rest = self.or(kept);
                all.push(self.always(rest));
                let all: Vec<Id> = all.into_iter().map(|operand| self.eventually(operand)).collect();
                Some(self.or(all))
            }
            _ => None,
        }
    }

    /// The operands that fit; `None` if all do.
    fn kept(&mut self, operands: &[Id], mut fits: impl FnMut(&mut Formulas, Id) -> bool) -> Option<Vec<Id>> {
        let kept: Vec<Id> = operands.iter().copied().filter(|operand| fits(self, *operand)).collect();
        (kept.len() < operands.len()).then_some(kept)
    }

    /// The right until and including the left, or for ever.
    pub(crate) fn release(&mut self, left: Id, right: Id) -> Id {
        if right == FALSE || right == TRUE || left == TRUE {
            return right;
        }
        if self.shape(right).universal || self.implies(right, left) {
            return right;
        }
        if left != FALSE && self.excludes(left, right) {
            return self.always(right);
        }
        if let Some(simpler) =
            self.release_by_left(left, right).or_else(|| self.release_by_right(left, right))
        {
            return simpler;
        }
        self.intern(Node::Release(left, right))
    }

    fn release_by_left(&mut self, left: Id, right: Id) -> Option<Id> {
        match self.node(left).clone() {
            Node::Or(operands) => {
                let kept = self.kept(&operands, |formulas, operand| !formulas.excludes(operand, right))?;
                let left = self.or(kept);
                Some(self.release(left, right))
            }
            Node::And(operands) => {
                let kept = self.kept(&operands, |formulas, operand| !formulas.implies(right, operand))?;
                let left = self.and(kept);
                Some(self.release(left, right))
            }
            // `(a R b) R b` is `a R b`.
            Node::Release(inner, goal) if goal == right => Some(self.release(inner, right)),
            Node::Next(inner) => match *self.node(right) {
                Node::Next(goal) => {
                    let release = self.release(inner, goal);
                    Some(self.next(release))
                }
                _ => None,
            },
            _ => None,
        }
    }

    fn release_by_right(&mut self, left: Id, right: Id) -> Option<Id> {
        match self.node(right).clone() {
            Node::Next(goal) if left == FALSE => {
                let inner = self.always(goal);
                Some(self.next(inner))
            }
            Node::Release(_, goal) if left == FALSE => Some(self.always(goal)),
            Node::Release(inner, _) if self.implies(inner, left) => Some(right),
            Node::And(operands) => {
                let kept = self.kept(&operands, |formulas, operand| !formulas.shape(operand).universal)?;
                let mut all: Vec<Id> =
                    operands.into_iter().filter(|operand| !kept.contains(operand)).collect();
                let rest = self.and(kept);
                all.push(self.release(left, rest));
                Some(self.and(all))
            }
            Node::Or(operands) => {
                let kept = self.kept(&operands, |formulas, operand| !formulas.is_suspendable(operand))?;
                let mut all: Vec<Id> =
                    operands.into_iter().filter(|operand| !kept.contains(operand)).collect();
                let rest = self.or(kept);
                all.push(self.release(left, rest));
                Some(self.or(all))
            }
            // `G F (a && F b)` is `G (F a && F b)`: there are always more of both.
            Node::Until(TRUE, goal) if left == FALSE => {
                let Node::And(operands) = self.node(goal).clone() else { return None };
                let kept = self.kept(&operands, |formulas, operand| !formulas.shape(operand).eventual)?;
                let mut all: Vec<Id> =
                    operands.into_iter().filter(|operand| !kept.contains(operand)).collect();
                let rest = self.and(kept);
                all.push(self.eventually(rest));
                let all: Vec<Id> = all.into_iter().map(|operand| self.always(operand)).collect();
                Some(self.and(all))
            }
            _ => None,
        }
    }

    /// All of them.
    pub(crate) fn and(&mut self, operands: Vec<Id>) -> Id {
        let mut flat = Vec::new();
        for operand in operands {
            match self.node(operand) {
                Node::And(inner) => flat.extend_from_slice(inner),
                _ => flat.push(operand),
            }
        }
        flat.sort_unstable();
        flat.dedup();
        flat.retain(|operand| *operand != TRUE);
        if flat.contains(&FALSE) {
            return FALSE;
        }
        if flat.len() == 1 {
            return flat[0];
        }
        for (index, one) in flat.iter().enumerate() {
            for other in &flat[index + 1..] {
                if self.excludes(*one, *other) {
                    return FALSE;
                }
            }
        }
        if let Some(fewer) =
            self.without_redundant(&flat, |formulas, one, other| formulas.implies(other, one))
        {
            return self.and(fewer);
        }
        if let Some(simpler) = self.shortened(&flat, true).or_else(|| self.joined(&flat, true)) {
            return self.and(simpler);
        }
        if flat.is_empty() { TRUE } else { self.intern(Node::And(flat)) }
    }

    /// One of them.
    pub(crate) fn or(&mut self, operands: Vec<Id>) -> Id {
        let mut flat = Vec::new();
        for operand in operands {
            match self.node(operand) {
                Node::Or(inner) => flat.extend_from_slice(inner),
                _ => flat.push(operand),
            }
        }
        flat.sort_unstable();
        flat.dedup();
        flat.retain(|operand| *operand != FALSE);
        if flat.contains(&TRUE) {
            return TRUE;
        }
        if flat.len() == 1 {
            return flat[0];
        }
        for (index, one) in flat.iter().enumerate() {
            for other in &flat[index + 1..] {
                if self.exhausts(*one, *other) {
                    return TRUE;
                }
            }
        }
        if let Some(fewer) = self.without_redundant(&flat, Formulas::implies) {
            return self.or(fewer);
        }
        if let Some(simpler) = self.shortened(&flat, false).or_else(|| self.joined(&flat, false)) {
            return self.or(simpler);
        }
        if flat.is_empty() { FALSE } else { self.intern(Node::Or(flat)) }
    }

    /// Without an operand that another one makes redundant.
    fn without_redundant(
        &mut self,
        operands: &[Id],
        is_redundant: impl Fn(&mut Formulas, Id, Id) -> bool,
    ) -> Option<Vec<Id>> {
        let redundant = operands
            .iter()
            .position(|one| operands.iter().any(|other| one != other && is_redundant(self, *one, *other)))?;
        let mut fewer = operands.to_vec();
        fewer.remove(redundant);
        Some(fewer)
    }

    /// `a && (!a || b)` is `a && b`, and the other way round.
    fn shortened(&mut self, operands: &[Id], is_and: bool) -> Option<Vec<Id>> {
        for (index, operand) in operands.iter().enumerate() {
            let inner = match self.node(*operand) {
                Node::Or(inner) if is_and => inner.clone(),
                Node::And(inner) if !is_and => inner.clone(),
                _ => continue,
            };
            for other in operands.iter().filter(|other| *other != operand) {
                let kept = self.kept(&inner, |formulas, part| {
                    !if is_and { formulas.excludes(part, *other) } else { formulas.exhausts(part, *other) }
                });
                if let Some(kept) = kept {
                    let mut simpler = operands.to_vec();
                    simpler[index] = if is_and { self.or(kept) } else { self.and(kept) };
                    return Some(simpler);
                }
            }
        }
        None
    }

    /// Joins two operands that have a part in common.
    fn joined(&mut self, operands: &[Id], is_and: bool) -> Option<Vec<Id>> {
        for (index, one) in operands.iter().enumerate() {
            for (offset, other) in operands[index + 1..].iter().enumerate() {
                if let Some(both) = self.join(*one, *other, is_and) {
                    let mut simpler = operands.to_vec();
                    simpler[index] = both;
                    simpler.remove(index + 1 + offset);
                    return Some(simpler);
                }
            }
        }
        None
    }

    fn join(&mut self, one: Id, other: Id, is_and: bool) -> Option<Id> {
        let (one, other) = (self.node(one).clone(), self.node(other).clone());
        let combined = |formulas: &mut Formulas, a, b| {
            if is_and { formulas.and(vec![a, b]) } else { formulas.or(vec![a, b]) }
        };
        match (one, other) {
            (Node::Next(a), Node::Next(b)) => {
                let inner = combined(self, a, b);
                Some(self.next(inner))
            }
            (Node::Until(a, c), Node::Until(b, d)) if is_and && c == d => {
                let inner = combined(self, a, b);
                Some(self.until(inner, c))
            }
            (Node::Until(a, c), Node::Until(b, d)) if !is_and && a == b => {
                let inner = combined(self, c, d);
                Some(self.until(a, inner))
            }
            (Node::Release(a, c), Node::Release(b, d)) if is_and && a == b => {
                let inner = combined(self, c, d);
                Some(self.release(a, inner))
            }
            (Node::Release(a, c), Node::Release(b, d)) if !is_and && c == d => {
                let inner = combined(self, a, b);
                Some(self.release(inner, c))
            }
            // `GF a || GF b` is `GF (a || b)`, and the other way round.
            (Node::Release(FALSE, a), Node::Release(FALSE, b)) if !is_and => {
                match (self.node(a).clone(), self.node(b).clone()) {
                    (Node::Until(TRUE, a), Node::Until(TRUE, b)) => {
                        let inner = combined(self, a, b);
                        let inner = self.eventually(inner);
                        Some(self.always(inner))
                    }
                    _ => None,
                }
            }
            (Node::Until(TRUE, a), Node::Until(TRUE, b)) if is_and => {
                match (self.node(a).clone(), self.node(b).clone()) {
                    (Node::Release(FALSE, a), Node::Release(FALSE, b)) => {
                        let inner = combined(self, a, b);
                        let inner = self.always(inner);
                        Some(self.eventually(inner))
                    }
                    _ => None,
                }
            }
            _ => None,
        }
    }
}
