//! Ultimately periodic words, and the semantics of formulas on them, against which all else is tested.

use narrows_graph::components::find_indexed;

use crate::buchi::Buchi;
use crate::ltl::Ltl;

/// An infinite word: letters, of which those from `cycle` on are repeated for ever.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lasso<L> {
    /// The letters.
    pub letters: Vec<L>,
    /// Where the cycle starts: an index into `letters`.
    pub cycle: usize,
}

impl<L> Lasso<L> {
    fn after(&self, position: usize) -> usize {
        if position + 1 < self.letters.len() { position + 1 } else { self.cycle }
    }

    /// Whether the formula holds on the word, where `holds` says whether an atom holds on a letter.
    pub fn satisfies<A>(&self, formula: &Ltl<A>, holds: &impl Fn(&A, &L) -> bool) -> bool {
        self.values(formula, holds)[0]
    }

    /// The value of the formula at each position.
    fn values<A>(&self, formula: &Ltl<A>, holds: &impl Fn(&A, &L) -> bool) -> Vec<bool> {
        let size = self.letters.len();
        let pair = |left, right| {
            self.values(left, holds).into_iter().zip(self.values(right, holds)).collect::<Vec<(bool, bool)>>()
        };
        let each = |left, right, value: fn(bool, bool) -> bool| -> Vec<bool> {
            pair(left, right).into_iter().map(|(left, right)| value(left, right)).collect()
        };
        match formula {
            Ltl::Atom(atom) => self.letters.iter().map(|letter| holds(atom, letter)).collect(),
            Ltl::Constant(value) => vec![*value; size],
            Ltl::Not(operand) => self.values(operand, holds).into_iter().map(|value| !value).collect(),
            Ltl::Next(operand) => {
                let values = self.values(operand, holds);
                (0..size).map(|position| values[self.after(position)]).collect()
            }
            Ltl::Always(operand) => {
                let values = self.values(operand, holds);
                self.fixed_point(true, |position, later| values[position] && later)
            }
            Ltl::Eventually(operand) => {
                let values = self.values(operand, holds);
                self.fixed_point(false, |position, later| values[position] || later)
            }
            Ltl::And(left, right) => each(left, right, |left, right| left && right),
            Ltl::Or(left, right) => each(left, right, |left, right| left || right),
            Ltl::Implies(left, right) => each(left, right, |left, right| !left || right),
            Ltl::Equivalent(left, right) => each(left, right, |left, right| left == right),
            Ltl::Until(left, right) => {
                let values = pair(left, right);
                self.fixed_point(false, |position, later| values[position].1 || values[position].0 && later)
            }
            Ltl::WeakUntil(left, right) => {
                let values = pair(left, right);
                self.fixed_point(true, |position, later| values[position].1 || values[position].0 && later)
            }
            Ltl::Release(left, right) => {
                let values = pair(left, right);
                self.fixed_point(true, |position, later| values[position].1 && (values[position].0 || later))
            }
        }
    }

    /// Values that depend on those after them, starting from a guess.
    fn fixed_point(&self, guess: bool, value: impl Fn(usize, bool) -> bool) -> Vec<bool> {
        let mut values = vec![guess; self.letters.len()];
        loop {
            let before = values.clone();
            for position in (0..values.len()).rev() {
                values[position] = value(position, values[self.after(position)]);
            }
            if values == before {
                return values;
            }
        }
    }

    /// Whether the automaton accepts the word.
    pub fn is_accepted<A>(&self, automaton: &Buchi<A>, holds: &impl Fn(&A, &L) -> bool) -> bool {
        let size = self.letters.len();
        let mut successors: Vec<Vec<usize>> = Vec::new();
        for state in &automaton.states {
            for (position, letter) in self.letters.iter().enumerate() {
                let open = state
                    .edges
                    .iter()
                    .filter(|edge| edge.guard.holds(|atom| holds(&automaton.atoms[atom], letter)));
                successors.push(open.map(|edge| edge.target * size + self.after(position)).collect());
            }
        }
        let start = automaton.initial * size;
        let found =
            find_indexed(successors.len(), [start], |node, index| successors[node].get(index).copied());
        (0..successors.len()).any(|node| {
            // A state is on a cycle if an edge stays in its component: with accepting states in it, all are
            // visited.
            automaton.states[node / size].accepting
                && successors[node].iter().any(|target| found.are_together(node, *target))
        })
    }
}
