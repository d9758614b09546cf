//! Translations compared with the meaning of formulas on words.

use narrows_graph::Random;

use crate::{Lasso, Ltl, TooLarge, is_disjoint, translate};

/// Draws formulas and words.
struct Sampler(Random);

impl Sampler {
    fn below(&mut self, bound: usize) -> usize {
        self.0.index(bound)
    }

    fn formula(&mut self, size: usize, atoms: usize) -> Ltl<usize> {
        if size <= 1 {
            return match self.below(20) {
                0 => Ltl::Constant(self.below(2) == 0),
                _ => Ltl::Atom(self.below(atoms)),
            };
        }
        let left_size = if size > 2 { 1 + self.below(size - 2) } else { 1 };
        match self.below(if size > 2 { 12 } else { 5 }) {
            0 => Ltl::Not(Box::new(self.formula(size - 1, atoms))),
            1 => Ltl::Next(Box::new(self.formula(size - 1, atoms))),
            2 | 3 => Ltl::Always(Box::new(self.formula(size - 1, atoms))),
            4 => Ltl::Eventually(Box::new(self.formula(size - 1, atoms))),
            operator => {
                let left = Box::new(self.formula(left_size, atoms));
                let right = Box::new(self.formula(size - 1 - left_size, atoms));
                match operator {
                    5 => Ltl::And(left, right),
                    6 => Ltl::Or(left, right),
                    7 => Ltl::Implies(left, right),
                    8 => Ltl::Equivalent(left, right),
                    9 => Ltl::WeakUntil(left, right),
                    10 => Ltl::Release(left, right),
                    _ => Ltl::Until(left, right),
                }
            }
        }
    }

    fn word(&mut self, atoms: usize) -> Lasso<usize> {
        let length = 1 + self.below(6);
        let letters = (0..length).map(|_| self.below(1 << atoms)).collect();
        Lasso { letters, cycle: self.below(length) }
    }
}

fn holds(atom: &usize, letter: &usize) -> bool {
    letter >> atom & 1 == 1
}

#[test]
fn automata_accept_the_words_on_which_formulas_hold() {
    let mut numbers = Sampler(Random::new(7));
    for _ in 0..2000 {
        let atoms = 1 + numbers.below(3);
        let size = 1 + numbers.below(10);
        let formula = numbers.formula(size, atoms);
        let automaton = translate(&formula).expect("a small formula");
        let opposite = translate(&formula.clone().negated()).expect("a small formula");
        assert!(is_disjoint(&automaton, &opposite), "{formula}");
        for _ in 0..30 {
            let word = numbers.word(atoms);
            let expected = word.satisfies(&formula, &holds);
            assert_eq!(
                word.is_accepted(&automaton, &holds),
                expected,
                "{formula} on {word:?}: {automaton:?}"
            );
            assert_eq!(word.is_accepted(&opposite, &holds), !expected, "!({formula}) on {word:?}");
        }
    }
}

#[test]
fn formulas_may_have_many_atoms() {
    let all = (1..200).map(Ltl::Atom).fold(Ltl::Atom(0), |all, atom| Ltl::And(Box::new(all), Box::new(atom)));
    let automaton = translate(&Ltl::Eventually(Box::new(all))).expect("a small automaton");
    assert_eq!((automaton.atoms.len(), automaton.states.len()), (200, 2));
    assert!(automaton.states[0].edges.iter().any(|edge| edge.guard.literals().count() == 200));
}

#[test]
fn deep_formulas_are_translated() {
    let mut formula = Ltl::Atom(0);
    for depth in 0..400 {
        formula = match depth % 4 {
            0 => Ltl::Until(Box::new(Ltl::Atom(1)), Box::new(formula)),
            1 => Ltl::Not(Box::new(formula)),
            2 => Ltl::Eventually(Box::new(formula)),
            _ => Ltl::Always(Box::new(formula)),
        };
    }
    assert!(translate(&formula).is_ok());
}

#[test]
fn a_translation_that_gets_too_large_is_given_up() {
    let later = (0..40).fold(Ltl::Atom(0), |formula, _| Ltl::Next(Box::new(formula)));
    let formula = Ltl::Always(Box::new(Ltl::Implies(Box::new(Ltl::Atom(0)), Box::new(later))));
    let error = translate(&formula).expect_err("a huge automaton");
    assert_eq!(error, TooLarge::States(20_000));
    assert!(error.to_string().ends_with('.'), "{error}");
}
