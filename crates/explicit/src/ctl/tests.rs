//! The labelling against fixed points worked out naively, and runs against what they are to show.

use narrows_graph::DenseSet;
use narrows_graph::Random;
use narrows_logic::{Ctl, Paths};
use narrows_model::{Atom, Binary, Evaluator, Expr, Limit, Statement, System, Verdict};
use narrows_source::Span;

use super::evidence::{Evidence, show};
use super::formulas::{Formulas, Node, Sub};
use super::graph::Graph;
use super::label::{Labels, Means, label};
use super::{CtlAnswer, ctl};
use crate::samples::{add, binary, counters, global, load, proctype, system, when};
use crate::{Budget, Engine, Progress, SearchScope, Unwatched};

const ATOMS: u64 = 3;

/// Draws graphs and formulas.
struct Sampler(Random);

impl Sampler {
    fn next(&mut self, below: u64) -> u64 {
        self.0.below(below)
    }

    /// Some states have no way out, some have themselves.
    fn graph(&mut self) -> Vec<Vec<u32>> {
        let count = 1 + self.next(12);
        let most = 1 + self.next(4);
        (0..count)
            .map(|_| {
                let mut list: Vec<u32> = (0..self.next(most + 1)).map(|_| self.next(count) as u32).collect();
                list.sort_unstable();
                list.dedup();
                list
            })
            .collect()
    }

    fn formula(&mut self, depth: u64) -> Ctl<Atom> {
        if depth == 0 || self.next(6) == 0 {
            return atom(&format!("a{}", self.next(ATOMS)), Expr::Constant(0));
        }
        let paths = if self.next(2) == 0 { Paths::Some } else { Paths::All };
        let mut one = || Box::new(self.formula(depth - 1));
        let (left, right) = (one(), one());
        match self.next(10) {
            0 => Ctl::Not(left),
            1 => Ctl::And(left, right),
            2 => Ctl::Or(left, right),
            3 => Ctl::Implies(left, right),
            4 => Ctl::Equivalent(left, right),
            5 => Ctl::Next(paths, left),
            6 => Ctl::Eventually(paths, left),
            7 => Ctl::Always(paths, left),
            8 => Ctl::Until(paths, left, right),
            _ => Ctl::WeakUntil(paths, left, right),
        }
    }
}

fn atom(text: &str, expr: Expr) -> Ctl<Atom> {
    Ctl::Atom(Atom { expr, text: text.to_owned(), span: Span::default() })
}

/// Works out fixed points by their definitions.
struct Naive<'a> {
    successors: &'a [Vec<u32>],
    values: &'a dyn Fn(&str, usize) -> bool,
}

impl Naive<'_> {
    /// Repeats `z = right || (left && some or all successors are in z)` until it does not change.
    fn fixed_point(&self, begin: bool, paths: Paths, left: &[bool], right: &[bool]) -> Vec<bool> {
        let mut set = vec![begin; left.len()];
        loop {
            let next = self.next(paths, &set);
            let new: Vec<bool> =
                (0..set.len()).map(|state| right[state] || left[state] && next[state]).collect();
            if new == set {
                return set;
            }
            set = new;
        }
    }

    fn next(&self, paths: Paths, set: &[bool]) -> Vec<bool> {
        let one = |(state, list): (usize, &Vec<u32>)| match (list.is_empty(), paths) {
            (true, _) => set[state],
            (false, Paths::Some) => list.iter().any(|next| set[*next as usize]),
            (false, Paths::All) => list.iter().all(|next| set[*next as usize]),
        };
        self.successors.iter().enumerate().map(one).collect()
    }

    fn set(&self, formula: &Ctl<Atom>) -> Vec<bool> {
        let count = self.successors.len();
        let (none, all) = (vec![false; count], vec![true; count]);
        let both = |left: &Ctl<Atom>, right: &Ctl<Atom>, function: fn(bool, bool) -> bool| {
            let pairs = self.set(left).into_iter().zip(self.set(right));
            pairs.map(|(left, right)| function(left, right)).collect()
        };
        match formula {
            Ctl::Atom(atom) => (0..count).map(|state| (self.values)(&atom.text, state)).collect(),
            Ctl::Not(operand) => self.set(operand).iter().map(|value| !value).collect(),
            Ctl::And(left, right) => both(left, right, |left, right| left && right),
            Ctl::Or(left, right) => both(left, right, |left, right| left || right),
            Ctl::Implies(left, right) => both(left, right, |left, right| !left || right),
            Ctl::Equivalent(left, right) => both(left, right, |left, right| left == right),
            Ctl::Next(paths, operand) => self.next(*paths, &self.set(operand)),
            Ctl::Eventually(paths, operand) => self.fixed_point(false, *paths, &all, &self.set(operand)),
            Ctl::Always(paths, operand) => self.fixed_point(true, *paths, &self.set(operand), &none),
            Ctl::Until(paths, left, right) => {
                self.fixed_point(false, *paths, &self.set(left), &self.set(right))
            }
            Ctl::WeakUntil(paths, left, right) => {
                self.fixed_point(true, *paths, &self.set(left), &self.set(right))
            }
        }
    }
}

fn means() -> Means {
    Means::new(&Budget::unlimited(Unwatched), Progress::default())
}

/// A graph whose states have random atoms, and formulas over it.
struct Sample {
    lists: Vec<Vec<u32>>,
    values: Vec<u64>,
    graph: Graph,
    questions: Vec<Ctl<Atom>>,
    formulas: Formulas,
    roots: Vec<Sub>,
    labels: Labels,
}

fn sample(seed: u64) -> Sample {
    let mut numbers = Sampler(Random::new(seed));
    let lists = numbers.graph();
    let values: Vec<u64> = lists.iter().map(|_| numbers.next(1 << ATOMS)).collect();
    let questions: Vec<Ctl<Atom>> = (0..4).map(|depth| numbers.formula(depth + 1)).collect();
    let graph = Graph::of_lists(&lists);
    let mut formulas = Formulas::default();
    let roots: Vec<Sub> = questions.iter().map(|formula| formulas.add(formula)).collect();
    let atoms: Vec<DenseSet> = formulas
        .atoms
        .iter()
        .map(|atom| {
            let mut set = DenseSet::new(graph.len() as usize);
            (0..graph.len())
                .filter(|state| value(&values, &atom.text, *state as usize))
                .for_each(|state| set.insert(state));
            set
        })
        .collect();
    let labels = label(&graph, &formulas, &atoms, &mut means()).unwrap();
    Sample { lists, values, graph, questions, formulas, roots, labels }
}

fn value(values: &[u64], atom: &str, state: usize) -> bool {
    let number: u64 = atom[1..].parse().unwrap();
    values[state] >> number & 1 == 1
}

#[test]
fn labels_are_the_fixed_points() {
    for seed in 0..20_000 {
        let sample = sample(seed);
        let values = |atom: &str, state: usize| value(&sample.values, atom, state);
        let naive = Naive { successors: &sample.lists, values: &values };
        for (root, formula) in sample.roots.iter().zip(&sample.questions) {
            let expected = naive.set(formula);
            let found: Vec<bool> =
                (0..sample.graph.len()).map(|state| sample.labels.holds(*root, state)).collect();
            let text = formula.show(&|atom| atom.text.clone());
            assert_eq!(found, expected, "seed {seed}: {text} on {:?}", sample.lists);
        }
    }
}

/// Works out from a run and the facts told about it alone what is sure to be.
struct Reader<'a> {
    sample: &'a Sample,
    evidence: &'a Evidence,
}

impl Reader<'_> {
    fn is_sure(&self, sub: Sub, value: bool, place: usize) -> bool {
        let (formulas, evidence) = (&self.sample.formulas, self.evidence);
        if formulas.is_plain(sub) {
            return self.sample.labels.holds(sub, evidence.path[place]) == value;
        }
        let is_told = evidence.facts.iter().any(|fact| {
            fact.sub == sub && fact.holds == value && (fact.places.0..fact.places.1).contains(&place)
        });
        if is_told {
            return true;
        }
        match (formulas.node(sub), value) {
            (Node::Atom(_), _) => false,
            (Node::Not(operand), _) => self.is_sure(operand, !value, place),
            (Node::And(left, right), true) => {
                self.is_sure(left, true, place) && self.is_sure(right, true, place)
            }
            (Node::And(left, right), false) => {
                self.is_sure(left, false, place) || self.is_sure(right, false, place)
            }
            (Node::Or(left, right), true) => {
                self.is_sure(left, true, place) || self.is_sure(right, true, place)
            }
            (Node::Or(left, right), false) => {
                self.is_sure(left, false, place) && self.is_sure(right, false, place)
            }
            (Node::Implies(left, right), true) => {
                self.is_sure(left, false, place) || self.is_sure(right, true, place)
            }
            (Node::Implies(left, right), false) => {
                self.is_sure(left, true, place) && self.is_sure(right, false, place)
            }
            (Node::Equivalent(left, right), _) => [false, true]
                .into_iter()
                .any(|first| self.is_sure(left, first, place) && self.is_sure(right, first == value, place)),
            (Node::Next(all, operand), _) => {
                all != value && self.after(place).is_some_and(|next| self.is_sure(operand, value, next))
            }
            (Node::Eventually(false, operand), true) | (Node::Always(true, operand), false) => {
                self.run(place).0.iter().any(|place| self.is_sure(operand, value, *place))
            }
            (Node::Always(false, operand), true) | (Node::Eventually(true, operand), false) => {
                let (places, endless) = self.run(place);
                endless && places.iter().all(|place| self.is_sure(operand, value, *place))
            }
            (Node::Until(false, left, right), true) => self.until(place, (left, true), (right, true)),
            (Node::WeakUntil(false, left, right), true) => {
                let (places, endless) = self.run(place);
                self.until(place, (left, true), (right, true))
                    || endless && places.iter().all(|place| self.is_sure(left, true, *place))
            }
            (Node::Until(true, left, right), false) => {
                let (places, endless) = self.run(place);
                self.broken(place, left, right)
                    || endless && places.iter().all(|place| self.is_sure(right, false, *place))
            }
            (Node::WeakUntil(true, left, right), false) => self.broken(place, left, right),
            _ => false,
        }
    }

    fn until(&self, place: usize, left: (Sub, bool), right: (Sub, bool)) -> bool {
        for place in self.run(place).0 {
            if self.is_sure(right.0, right.1, place) {
                return true;
            }
            if !self.is_sure(left.0, left.1, place) {
                return false;
            }
        }
        false
    }

    fn broken(&self, place: usize, left: Sub, right: Sub) -> bool {
        for place in self.run(place).0 {
            if !self.is_sure(right, false, place) {
                return false;
            }
            if self.is_sure(left, false, place) {
                return true;
            }
        }
        false
    }

    fn after(&self, place: usize) -> Option<usize> {
        let last = self.evidence.path.len() - 1;
        if place < last {
            return Some(place + 1);
        }
        self.evidence.cycle.map(|start| if start == last { last } else { start + 1 })
    }

    /// Returns the places of the run from one on, and whether it is endless.
    fn run(&self, place: usize) -> (Vec<usize>, bool) {
        let mut places = vec![place];
        loop {
            match self.after(places[places.len() - 1]) {
                None => return (places, false),
                Some(next) if places.contains(&next) => return (places, true),
                Some(next) => places.push(next),
            }
        }
    }
}

#[test]
fn runs_and_facts_show_the_verdict() {
    let (mut shown, mut endless, mut told) = (0, 0, 0);
    for seed in 0..20_000 {
        let sample = sample(seed);
        for (root, formula) in sample.roots.iter().zip(&sample.questions) {
            let evidence =
                show(&sample.graph, &sample.formulas, &sample.labels, *root, &mut means()).unwrap();
            let text = formula.show(&|atom| atom.text.clone());
            let context = || format!("seed {seed}: {text} on {:?}: {evidence:?}", sample.lists);
            for pair in evidence.path.windows(2) {
                assert!(sample.lists[pair[0] as usize].contains(&pair[1]), "{}", context());
            }
            let last = evidence.path.len() - 1;
            match evidence.cycle {
                Some(start) if start == last => {
                    assert!(sample.lists[evidence.path[last] as usize].is_empty(), "{}", context());
                }
                Some(start) => assert_eq!(evidence.path[start], evidence.path[last], "{}", context()),
                None => {}
            }
            for fact in &evidence.facts {
                for place in fact.places.0..fact.places.1 {
                    assert_eq!(
                        sample.labels.holds(fact.sub, evidence.path[place]),
                        fact.holds,
                        "{}",
                        context()
                    );
                }
            }
            let value = sample.labels.holds(*root, 0);
            assert!(
                Reader { sample: &sample, evidence: &evidence }.is_sure(*root, value, 0),
                "{}",
                context()
            );
            shown += usize::from(last > 0);
            endless += usize::from(evidence.cycle.is_some());
            told += usize::from(!evidence.facts.is_empty());
        }
    }
    assert!(shown > 10_000 && endless > 5_000 && told > 5_000, "{shown} {endless} {told}");
}

fn is(offset: u32, number: i32) -> Ctl<Atom> {
    let text = format!("g{offset} == {number}");
    atom(&text, binary(Binary::Equal, load(offset), Expr::Constant(number)))
}

fn answer(system: &System, formula: &Ctl<Atom>) -> CtlAnswer {
    let budget = Budget::unlimited(Unwatched);
    let (mut answers, exploration) =
        ctl(&Engine::automatic(Evaluator::new(system)), &[formula], &SearchScope::within(&budget)).unwrap();
    assert!(exploration.is_complete());
    answers.remove(0)
}

fn eventually(paths: Paths, operand: Ctl<Atom>) -> Ctl<Atom> {
    Ctl::Eventually(paths, Box::new(operand))
}

fn always(paths: Paths, operand: Ctl<Atom>) -> Ctl<Atom> {
    Ctl::Always(paths, Box::new(operand))
}

/// A process that counts up to 3, and may stop for good at 2.
fn stopping() -> System {
    let body = vec![
        (0, 0, Statement::Condition(binary(Binary::Equal, load(0), Expr::Constant(9)))),
        (0, 1, add(0, 1)),
        (1, 2, add(0, 1)),
        (2, 3, when(Binary::Equal, 0, 2)),
        (2, 0, add(0, 1)),
    ];
    let mut process = proctype("p", body);
    let reset = Statement::Assign(global(0), Expr::Constant(0));
    process.transitions[0].statement = reset;
    system(1, 1, None, vec![process])
}

#[test]
fn witnesses_and_counterexamples_are_replayed() {
    let system = counters(2, 4);
    let reached = answer(&system, &eventually(Paths::Some, is(0, 3)));
    let (Verdict::Holds, Some(witness)) = (&reached.verdict, &reached.witness) else { panic!("{reached:?}") };
    assert_eq!((witness.steps.len(), witness.cycle), (3, None));
    assert_eq!(witness.atoms[0].values, [false, false, false, true]);

    let avoided = answer(&system, &eventually(Paths::All, is(0, 3)));
    let Verdict::Fails { trace, violation: None, shortest: false } = &avoided.verdict else {
        panic!("{avoided:?}")
    };
    assert_eq!((trace.steps.len(), trace.cycle), (4, Some(0)));
    assert!(avoided.notes.is_empty());

    let recurring = answer(&system, &always(Paths::All, eventually(Paths::Some, is(0, 3))));
    assert!(matches!(recurring.verdict, Verdict::Holds) && recurring.witness.is_none());
}

#[test]
fn a_state_without_successors_stays_for_ever() {
    let system = stopping();
    let stuck = answer(&system, &always(Paths::All, eventually(Paths::Some, is(0, 0))));
    let Verdict::Fails { trace, shortest: true, .. } = &stuck.verdict else { panic!("{stuck:?}") };
    assert_eq!((trace.steps.len(), trace.cycle), (3, None));
    assert_eq!(stuck.notes, ["In the last state, `EF (g0 == 0)` is false."]);

    let response = Ctl::Implies(Box::new(is(0, 2)), Box::new(eventually(Paths::All, is(0, 0))));
    let late = answer(&system, &always(Paths::All, response));
    let Verdict::Fails { trace, .. } = &late.verdict else { panic!("{late:?}") };
    assert_eq!((trace.steps.len(), trace.cycle), (3, Some(3)));
}

#[test]
fn what_no_run_shows_is_told_in_the_initial_state() {
    let system = counters(1, 4);
    let never = answer(&system, &eventually(Paths::Some, is(0, 7)));
    let Verdict::Fails { trace, .. } = &never.verdict else { panic!("{never:?}") };
    assert!(trace.steps.is_empty() && never.notes.is_empty());
}

#[test]
fn an_atom_without_a_value_is_refused() {
    let system = counters(1, 4);
    let quotient = binary(Binary::Divide, Expr::Constant(1), load(0));
    let refused = answer(&system, &always(Paths::All, atom("1 / g0", quotient)));
    let Verdict::Refused(refusal) = &refused.verdict else { panic!("{refused:?}") };
    assert!(refusal.reason.contains("`1 / g0` has no value"), "{}", refusal.reason);
}

#[test]
fn limits_leave_it_undecided() {
    let system = counters(3, 40);
    let formula = always(Paths::All, eventually(Paths::Some, is(0, 3)));
    let mut kinds = Vec::new();
    for memory in [2 << 20, 4 << 20, 6 << 20, 8 << 20, 64 << 20] {
        let budget = Budget { memory, ..Budget::unlimited(Unwatched) };
        let (answers, exploration) =
            ctl(&Engine::automatic(Evaluator::new(&system)), &[&formula], &SearchScope::within(&budget))
                .unwrap();
        assert!(exploration.coverage.bytes <= memory, "{} of {memory}", exploration.coverage.bytes);
        kinds.push(match answers[0].verdict {
            Verdict::Undecided(Limit::Memory) => 'm',
            Verdict::Holds => 'h',
            _ => '?',
        });
    }
    let text: String = kinds.into_iter().collect();
    assert!(text.starts_with('m') && text.ends_with('h') && !text.contains('?'), "{text}");
    let budget = Budget::unlimited(Unwatched);
    let scope = SearchScope { states: 100, ..SearchScope::within(&budget) };
    let (answers, _) = ctl(&Engine::automatic(Evaluator::new(&system)), &[&formula], &scope).unwrap();
    assert!(matches!(answers[0].verdict, Verdict::Undecided(Limit::Enough)));
}
