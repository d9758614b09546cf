//! Formulas about runs, by definition: every state with every guess of what is to come, and the strongly
//! connected parts of that graph.

use std::collections::{BTreeMap, BTreeSet};

use narrows_model::synchronous::{Evaluation, Linear, LinearId, Moment};

use super::{Edge, Graph};

/// A step of the system, with what is guessed or remembered of each formula, bit by bit.
type Place = (usize, u64);

/// A graph of places.
struct Places {
    /// What each formula is at each place: a bit for each.
    values: Vec<u64>,
    edges: Vec<usize>,
    next: Vec<Vec<usize>>,
}

impl Graph<'_> {
    /// Returns whether a formula holds on all fair runs; `None` if there are too many places to look at.
    pub(crate) fn on_all_runs(&self, formulas: &[Linear], most: usize) -> Option<bool> {
        let atoms: Vec<Vec<bool>> = self.edges.iter().map(|edge| self.atoms(formulas, edge)).collect();
        let guessed: Vec<usize> = (0..formulas.len())
            .filter(|index| {
                !matches!(
                    formulas[*index],
                    Linear::Atom(_) | Linear::Not(_) | Linear::And(..) | Linear::Or(..)
                )
            })
            .collect();
        let remembered: u64 = guessed
            .iter()
            .filter(|index| matches!(formulas[**index], Linear::Previous(_) | Linear::Since(..)))
            .map(|index| 1 << index)
            .sum();
        if formulas.len() > 60 || self.edges.len() << guessed.len() > most {
            return None;
        }
        let root = formulas.len() - 1;
        let mut numbers: BTreeMap<Place, usize> = BTreeMap::new();
        let mut places = Places { values: Vec::new(), edges: Vec::new(), next: Vec::new() };
        let mut waiting = Vec::new();
        let mut leaving: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for (edge, step) in self.edges.iter().enumerate() {
            leaving.entry(step.from).or_default().push(edge);
        }
        // At first nothing is remembered, and the formula is to be false.
        for state in &self.initial {
            for edge in leaving.get(state).into_iter().flatten() {
                for guess in guesses(&guessed) {
                    let values = values(formulas, &atoms[*edge], guess);
                    if guess & remembered == 0 && values >> root & 1 == 0 {
                        waiting.push((places.number(&mut numbers, (*edge, guess), values), (*edge, guess)));
                    }
                }
            }
        }
        let mut done = BTreeSet::new();
        while let Some((number, (edge, guess))) = waiting.pop() {
            if !done.insert(number) {
                continue;
            }
            for after in leaving.get(&self.edges[edge].to).into_iter().flatten() {
                for later in guesses(&guessed) {
                    let later_values = values(formulas, &atoms[*after], later);
                    if follows(formulas, &guessed, (guess, places.values[number]), (later, later_values)) {
                        let other = places.number(&mut numbers, (*after, later), later_values);
                        places.next[number].push(other);
                        waiting.push((other, (*after, later)));
                    }
                }
            }
        }
        let all = (0..places.values.len()).collect();
        Some(!self.has_fair_part(formulas, &places, &all))
    }

    fn atoms(&self, formulas: &[Linear], edge: &Edge) -> Vec<bool> {
        let mut evaluation = Evaluation::new(self.system);
        let moment = Moment { current: &edge.before, next: &self.states[edge.to] };
        let is_so = |formula: &Linear| match formula {
            Linear::Atom(root) => evaluation.is_true(*root, moment),
            _ => false,
        };
        formulas.iter().map(is_so).collect()
    }

    /// Whether some part of the places, strongly connected, has all that a fair run must pass.
    fn has_fair_part(&self, formulas: &[Linear], places: &Places, within: &BTreeSet<usize>) -> bool {
        places.parts(within).into_iter().any(|part| {
            let has_step =
                part.iter().any(|place| places.next[*place].iter().any(|next| part.contains(next)));
            let kept = |index: usize, right: &LinearId| {
                part.iter().any(|place| {
                    let values = places.values[*place];
                    values >> index & 1 == 0 || values >> right.0 & 1 == 1
                })
            };
            let is_kept = formulas.iter().enumerate().all(|(index, formula)| match formula {
                Linear::Until(_, right) => kept(index, right),
                _ => true,
            });
            let at = |place: usize, root| self.holds_on_edge(root, &self.edges[places.edges[place]]);
            let has = |root| part.iter().any(|place| at(*place, root));
            if !has_step || !is_kept || !self.system.justice.iter().all(|justice| has(*justice)) {
                return false;
            }
            match self.system.compassion.iter().find(|(p, q)| has(*p) && !has(*q)) {
                None => true,
                Some((p, _)) => {
                    let fewer = part.iter().copied().filter(|place| !at(*place, *p)).collect();
                    self.has_fair_part(formulas, places, &fewer)
                }
            }
        })
    }
}

impl Places {
    fn number(&mut self, numbers: &mut BTreeMap<Place, usize>, place: Place, values: u64) -> usize {
        *numbers.entry(place).or_insert_with(|| {
            self.values.push(values);
            self.edges.push(place.0);
            self.next.push(Vec::new());
            self.values.len() - 1
        })
    }

    /// The strongly connected parts (Kosaraju): last out of a search first, each with what leads to it. An
    /// oracle uses nothing of what it checks, so not `narrows_graph::components`.
    fn parts(&self, within: &BTreeSet<usize>) -> Vec<BTreeSet<usize>> {
        let mut before: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        let mut seen = BTreeSet::new();
        let mut order = Vec::new();
        for root in within {
            let mut stack = vec![(*root, 0)];
            while let Some((place, next)) = stack.pop() {
                if next == 0 && !seen.insert(place) {
                    continue;
                }
                match self.next[place].get(next) {
                    Some(other) => {
                        stack.push((place, next + 1));
                        if within.contains(other) {
                            before.entry(*other).or_default().push(place);
                            stack.push((*other, 0));
                        }
                    }
                    None => order.push(place),
                }
            }
        }
        let mut parts = Vec::new();
        let mut taken = BTreeSet::new();
        while let Some(root) = order.pop() {
            let mut part = BTreeSet::new();
            let mut waiting = vec![root];
            while let Some(place) = waiting.pop() {
                if taken.insert(place) {
                    part.insert(place);
                    waiting.extend(before.get(&place).into_iter().flatten());
                }
            }
            if !part.is_empty() {
                parts.push(part);
            }
        }
        parts
    }
}

/// All ways to guess.
fn guesses(guessed: &[usize]) -> impl Iterator<Item = u64> + '_ {
    let spread = |number: u64| {
        let bits = guessed.iter().enumerate();
        bits.map(|(place, index)| (number >> place & 1) << index).sum()
    };
    (0..1_u64 << guessed.len()).map(spread)
}

/// What each formula is, given what comes or was before.
fn values(formulas: &[Linear], atoms: &[bool], guess: u64) -> u64 {
    let mut values = 0_u64;
    for (index, formula) in formulas.iter().enumerate() {
        let of = |id: &LinearId| values >> id.0 & 1 == 1;
        let guessed = guess >> index & 1 == 1;
        let value = match formula {
            Linear::Atom(_) => atoms[index],
            Linear::Not(one) => !of(one),
            Linear::And(left, right) => of(left) && of(right),
            Linear::Or(left, right) => of(left) || of(right),
            Linear::Next(_) | Linear::Previous(_) => guessed,
            Linear::Until(left, right) | Linear::Since(left, right) => of(right) || of(left) && guessed,
        };
        values |= u64::from(value) << index;
    }
    values
}

/// Whether what was guessed is so afterwards, and what is remembered was so before.
fn follows(formulas: &[Linear], guessed: &[usize], now: (u64, u64), later: (u64, u64)) -> bool {
    guessed.iter().all(|index| {
        let bit = |word: u64, index: usize| word >> index & 1;
        match formulas[*index] {
            Linear::Next(one) => bit(now.0, *index) == bit(later.1, one.0 as usize),
            Linear::Until(..) => bit(now.0, *index) == bit(later.1, *index),
            Linear::Previous(one) => bit(later.0, *index) == bit(now.1, one.0 as usize),
            _ => bit(later.0, *index) == bit(now.1, *index),
        }
    })
}
