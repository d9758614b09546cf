//! Computation tree logic: what can happen, and what must.

/// A formula of computation tree logic over atoms of type `A`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ctl<A> {
    /// A proposition.
    Atom(A),
    /// Negation.
    Not(Box<Ctl<A>>),
    /// Conjunction.
    And(Box<Ctl<A>>, Box<Ctl<A>>),
    /// Disjunction.
    Or(Box<Ctl<A>>, Box<Ctl<A>>),
    /// Implication.
    Implies(Box<Ctl<A>>, Box<Ctl<A>>),
    /// Equivalence.
    Equivalent(Box<Ctl<A>>, Box<Ctl<A>>),
    /// On some path (`E`) or on all (`A`), in the next state.
    Next(Paths, Box<Ctl<A>>),
    /// On some path or on all, in some state.
    Eventually(Paths, Box<Ctl<A>>),
    /// On some path or on all, in every state.
    Always(Paths, Box<Ctl<A>>),
    /// On some path or on all, the left until the right, which must come.
    Until(Paths, Box<Ctl<A>>, Box<Ctl<A>>),
    /// On some path or on all, the left until the right, or for ever.
    WeakUntil(Paths, Box<Ctl<A>>, Box<Ctl<A>>),
}

/// Which of the paths from a state are meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Paths {
    /// There is one.
    Some,
    /// All of them.
    All,
}

impl Paths {
    /// Returns how it is written before an operator.
    pub fn letter(self) -> char {
        match self {
            Paths::Some => 'E',
            Paths::All => 'A',
        }
    }
}

impl<A> Ctl<A> {
    /// Visits every atom, from left to right.
    pub fn each_atom(&self, visit: &mut dyn FnMut(&A)) {
        match self {
            Ctl::Atom(atom) => visit(atom),
            Ctl::Not(operand)
            | Ctl::Next(_, operand)
            | Ctl::Eventually(_, operand)
            | Ctl::Always(_, operand) => operand.each_atom(visit),
            Ctl::And(left, right)
            | Ctl::Or(left, right)
            | Ctl::Implies(left, right)
            | Ctl::Equivalent(left, right)
            | Ctl::Until(_, left, right)
            | Ctl::WeakUntil(_, left, right) => {
                left.each_atom(visit);
                right.each_atom(visit);
            }
        }
    }

    /// Returns the formula with other atoms in the place of its own, from left to right.
    pub fn map<B>(&self, change: &mut dyn FnMut(&A) -> B) -> Ctl<B> {
        let mut one = |operand: &Ctl<A>| Box::new(operand.map(change));
        match self {
            Ctl::Not(operand) => Ctl::Not(one(operand)),
            Ctl::Next(paths, operand) => Ctl::Next(*paths, one(operand)),
            Ctl::Eventually(paths, operand) => Ctl::Eventually(*paths, one(operand)),
            Ctl::Always(paths, operand) => Ctl::Always(*paths, one(operand)),
            Ctl::And(left, right) => Ctl::And(one(left), one(right)),
            Ctl::Or(left, right) => Ctl::Or(one(left), one(right)),
            Ctl::Implies(left, right) => Ctl::Implies(one(left), one(right)),
            Ctl::Equivalent(left, right) => Ctl::Equivalent(one(left), one(right)),
            Ctl::Until(paths, left, right) => Ctl::Until(*paths, one(left), one(right)),
            Ctl::WeakUntil(paths, left, right) => Ctl::WeakUntil(*paths, one(left), one(right)),
            Ctl::Atom(atom) => Ctl::Atom(change(atom)),
        }
    }

    /// Writes the formula, with parentheses around operands that have binary operators or that are no single
    /// words.
    pub fn show(&self, atom: &dyn Fn(&A) -> String) -> String {
        let inner = |operand: &Ctl<A>| {
            let text = operand.show(atom);
            let is_closed = match operand {
                Ctl::Atom(_) => text.chars().all(|letter| letter.is_alphanumeric() || letter == '_'),
                Ctl::And(..) | Ctl::Or(..) | Ctl::Implies(..) | Ctl::Equivalent(..) => false,
                _ => true,
            };
            if is_closed { text } else { format!("({text})") }
        };
        let binary = |left: &Ctl<A>, symbol: &str, right: &Ctl<A>| {
            format!("{} {symbol} {}", inner(left), inner(right))
        };
        match self {
            Ctl::Atom(proposition) => bare(&atom(proposition)).to_owned(),
            Ctl::Not(operand) => format!("!{}", inner(operand)),
            Ctl::And(left, right) => binary(left, "&&", right),
            Ctl::Or(left, right) => binary(left, "||", right),
            Ctl::Implies(left, right) => binary(left, "->", right),
            Ctl::Equivalent(left, right) => binary(left, "<->", right),
            Ctl::Next(paths, operand) => format!("{}X {}", paths.letter(), inner(operand)),
            Ctl::Eventually(paths, operand) => format!("{}F {}", paths.letter(), inner(operand)),
            Ctl::Always(paths, operand) => format!("{}G {}", paths.letter(), inner(operand)),
            Ctl::Until(paths, left, right) => format!("{}[{}]", paths.letter(), binary(left, "U", right)),
            Ctl::WeakUntil(paths, left, right) => {
                format!("{}[{}]", paths.letter(), binary(left, "W", right))
            }
        }
    }
}

/// Takes off the parentheses that are around all of a text.
fn bare(text: &str) -> &str {
    let Some(inside) = text.strip_prefix('(').and_then(|text| text.strip_suffix(')')) else { return text };
    let mut depth = 0_i32;
    for letter in inside.chars() {
        depth += match letter {
            '(' => 1,
            ')' => -1,
            _ => 0,
        };
        if depth < 0 {
            return text;
        }
    }
    inside
}

#[cfg(test)]
mod tests {
    use super::{Ctl, Paths};

    #[test]
    fn is_written_with_the_parentheses_it_needs() {
        let atom = |text: &str| Box::new(Ctl::Atom(text.to_owned()));
        let eventually = Ctl::Eventually(Paths::All, atom("(x == 1)"));
        let implies = Ctl::Implies(atom("p"), Box::new(eventually));
        let formula = Ctl::Always(Paths::All, Box::new(implies));
        assert_eq!(formula.show(&Clone::clone), "AG (p -> AF (x == 1))");
        let until = Ctl::Until(Paths::Some, atom("p"), Box::new(Ctl::Not(atom("(a) && (b)"))));
        assert_eq!(until.show(&Clone::clone), "E[p U !((a) && (b))]");
    }

    #[test]
    fn atoms_come_from_left_to_right() {
        let formula = Ctl::WeakUntil(Paths::All, Box::new(Ctl::Atom(1)), Box::new(Ctl::Atom(2)));
        let mut seen = Vec::new();
        let doubled = formula.map(&mut |number| {
            seen.push(*number);
            number * 2
        });
        let mut after = Vec::new();
        doubled.each_atom(&mut |number| after.push(*number));
        assert_eq!((seen, after), (vec![1, 2], vec![2, 4]));
    }
}
