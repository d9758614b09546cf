//! What a small synchronous system does, state by state and word by word: as slow and as plain as can be.

mod linear;

use std::collections::{BTreeMap, BTreeSet};

use narrows_logic::Paths;
use narrows_model::synchronous::{
    Branching, Evaluation, ExprId, Moment, Reference, Role, Run, SynchronousSystem, Value,
};

/// A step: where it comes from, the values before it with the inputs, and where it goes.
pub(crate) struct Edge {
    pub(crate) from: usize,
    pub(crate) before: Vec<Value>,
    pub(crate) to: usize,
}

/// All states that can be reached, and all steps.
pub(crate) struct Graph<'m> {
    pub(crate) system: &'m SynchronousSystem,
    pub(crate) states: Vec<Vec<Value>>,
    pub(crate) initial: Vec<usize>,
    pub(crate) edges: Vec<Edge>,
    pub(crate) depth: u64,
}

type Set = BTreeSet<usize>;

impl<'m> Graph<'m> {
    /// Visits all states; `None` if there are too many.
    pub(crate) fn new(system: &'m SynchronousSystem, most: usize) -> Option<Graph<'m>> {
        let reference = Reference::new(system);
        let strip = |state: &[Value]| -> Vec<Value> {
            let kept = system.variables.iter().zip(state);
            kept.map(|(variable, value)| {
                if variable.role == Role::Input {
                    variable.domain.value(0).unwrap_or_default()
                } else {
                    *value
                }
            })
            .collect()
        };
        let mut numbers: BTreeMap<Vec<Value>, usize> = BTreeMap::new();
        let mut graph =
            Graph { system, states: Vec::new(), initial: Vec::new(), edges: Vec::new(), depth: 0 };
        let mut levels = Vec::new();
        reference.initial_states(&mut |state| {
            let state = strip(state);
            if !numbers.contains_key(&state) {
                numbers.insert(state.clone(), graph.states.len());
                graph.initial.push(graph.states.len());
                graph.states.push(state);
                levels.push(0);
            }
            true
        });
        let mut next = 0;
        while next < graph.states.len() {
            let mut found = Vec::new();
            reference.steps(&graph.states[next].clone(), &mut |before, after| {
                found.push((before.to_vec(), strip(after)));
                true
            });
            for (before, after) in found {
                let to = *numbers.entry(after.clone()).or_insert_with(|| {
                    graph.states.push(after);
                    levels.push(levels[next] + 1);
                    graph.states.len() - 1
                });
                graph.edges.push(Edge { from: next, before, to });
            }
            if graph.states.len() > most || graph.edges.len() > 20 * most {
                return None;
            }
            next += 1;
        }
        graph.depth = levels.into_iter().max().unwrap_or(0);
        Some(graph)
    }

    pub(crate) fn all(&self) -> Set {
        (0..self.states.len()).collect()
    }

    pub(crate) fn satisfying(&self, root: ExprId) -> Set {
        let mut evaluation = Evaluation::new(self.system);
        self.all().into_iter().filter(|s| evaluation.is_true(root, Moment::still(&self.states[*s]))).collect()
    }

    pub(crate) fn ends(&self) -> Set {
        let with: Set = self.edges.iter().map(|edge| edge.from).collect();
        self.all().difference(&with).copied().collect()
    }

    fn before(&self, set: &Set) -> Set {
        self.edges.iter().filter(|edge| set.contains(&edge.to)).map(|edge| edge.from).collect()
    }

    fn after(&self, set: &Set) -> Set {
        self.edges.iter().filter(|edge| set.contains(&edge.from)).map(|edge| edge.to).collect()
    }

    /// From where a path within a set leads to another.
    fn leading(&self, within: &Set, to: &Set) -> Set {
        let mut all = to.clone();
        loop {
            let more: Set = self.before(&all).intersection(within).copied().collect();
            let size = all.len();
            all.extend(more);
            if all.len() == size {
                return all;
            }
        }
    }

    fn reachable(edges: &[&Edge], from: usize) -> Set {
        let mut all = Set::from([from]);
        loop {
            let size = all.len();
            let more: Vec<usize> = edges.iter().filter(|e| all.contains(&e.from)).map(|e| e.to).collect();
            all.extend(more);
            if all.len() == size {
                return all;
            }
        }
    }

    /// Whether something is so in every step.
    pub(crate) fn on_all_steps(&self, root: ExprId) -> bool {
        let mut evaluation = Evaluation::new(self.system);
        let mut is_so = |edge: &Edge| {
            evaluation.is_true(root, Moment { current: &edge.before, next: &self.states[edge.to] })
        };
        self.edges.iter().all(&mut is_so)
    }

    fn holds_on_edge(&self, root: ExprId, edge: &Edge) -> bool {
        Evaluation::new(self.system).is_true(root, Moment::still(&edge.before))
    }

    /// The states on fair cycles that consist of these edges.
    fn fair_cycles(&self, edges: &[&Edge]) -> Set {
        let mut found = Set::new();
        let mut done = Set::new();
        let states: Set = edges.iter().map(|edge| edge.from).collect();
        for state in states {
            if done.contains(&state) {
                continue;
            }
            let ahead = Self::reachable(edges, state);
            let component: Set = ahead
                .iter()
                .copied()
                .filter(|other| Self::reachable(edges, *other).contains(&state))
                .collect();
            done.extend(&component);
            let inside: Vec<&Edge> = edges
                .iter()
                .filter(|edge| component.contains(&edge.from) && component.contains(&edge.to))
                .copied()
                .collect();
            if inside.is_empty() {
                continue;
            }
            let has = |root: ExprId| inside.iter().any(|edge| self.holds_on_edge(root, edge));
            if !self.system.justice.iter().all(|justice| has(*justice)) {
                continue;
            }
            let broken = self.system.compassion.iter().find(|(p, q)| has(*p) && !has(*q));
            match broken {
                None => found.extend(&component),
                Some((p, _)) => {
                    let fewer: Vec<&Edge> =
                        inside.iter().filter(|edge| !self.holds_on_edge(*p, edge)).copied().collect();
                    found.extend(self.fair_cycles(&fewer));
                }
            }
        }
        found
    }

    /// From where a fair path stays within a set.
    pub(crate) fn staying(&self, within: &Set) -> Set {
        let edges: Vec<&Edge> = self
            .edges
            .iter()
            .filter(|edge| within.contains(&edge.from) && within.contains(&edge.to))
            .collect();
        self.leading(within, &self.fair_cycles(&edges))
    }

    /// Where the last formula holds.
    pub(crate) fn evaluate(&self, formulas: &[Branching]) -> Set {
        let fair = self.staying(&self.all());
        let all = self.all();
        let not = |set: &Set| -> Set { all.difference(set).copied().collect() };
        let both = |a: &Set, b: &Set| -> Set { a.intersection(b).copied().collect() };
        let some_next = |set: &Set| self.before(&both(set, &fair));
        let mut sets: Vec<Set> = Vec::new();
        for formula in formulas {
            let of = |id: &narrows_model::synchronous::BranchingId| &sets[id.0 as usize];
            let until = |left: &Set, right: &Set| self.leading(left, &both(right, &fair));
            let set = match formula {
                Branching::Atom(root) => self.satisfying(*root),
                Branching::Not(one) => not(of(one)),
                Branching::And(left, right) => both(of(left), of(right)),
                Branching::Or(left, right) => of(left).union(of(right)).copied().collect(),
                Branching::Next(Paths::Some, one) => some_next(of(one)),
                Branching::Next(Paths::All, one) => not(&some_next(&not(of(one)))),
                Branching::Eventually(Paths::Some, one) => until(&all, of(one)),
                Branching::Always(Paths::All, one) => not(&until(&all, &not(of(one)))),
                Branching::Always(Paths::Some, one) => self.staying(of(one)),
                Branching::Eventually(Paths::All, one) => not(&self.staying(&not(of(one)))),
                Branching::Until(Paths::Some, left, right) => until(of(left), of(right)),
                Branching::Until(Paths::All, left, right) => {
                    let without = not(of(right));
                    let neither = both(&without, &not(of(left)));
                    let bad = until(&without, &neither).union(&self.staying(&without)).copied().collect();
                    not(&bad)
                }
                Branching::EventuallyWithin(paths, low, high, one) => {
                    self.bounded(*paths, *low, *high, &all, of(one), &fair)
                }
                Branching::AlwaysWithin(paths, low, high, one) => {
                    let other = if *paths == Paths::All { Paths::Some } else { Paths::All };
                    not(&self.bounded(other, *low, *high, &all, &not(of(one)), &fair))
                }
                Branching::UntilWithin(paths, low, high, left, right) => {
                    self.bounded(*paths, *low, *high, of(left), of(right), &fair)
                }
            };
            sets.push(set);
        }
        sets.pop().unwrap_or_default()
    }

    /// Follows every fair path by itself, step by step.
    fn bounded(&self, paths: Paths, low: u32, high: u32, left: &Set, right: &Set, fair: &Set) -> Set {
        let holds = |state: &usize| self.bounded_from(*state, 0, (low, high), paths, left, right, fair);
        self.all().into_iter().filter(|state| holds(state)).collect()
    }

    #[allow(clippy::too_many_arguments)]
    fn bounded_from(
        &self,
        state: usize,
        steps: u32,
        bounds: (u32, u32),
        paths: Paths,
        left: &Set,
        right: &Set,
        fair: &Set,
    ) -> bool {
        if !fair.contains(&state) {
            return paths == Paths::All;
        }
        if steps >= bounds.0 && right.contains(&state) {
            return true;
        }
        if steps >= bounds.1.max(bounds.0) || !left.contains(&state) {
            return false;
        }
        let mut next = self.edges.iter().filter(|edge| edge.from == state && fair.contains(&edge.to));
        let goes = |edge: &Edge| self.bounded_from(edge.to, steps + 1, bounds, paths, left, right, fair);
        match paths {
            Paths::Some => next.any(goes),
            Paths::All => next.all(goes),
        }
    }

    /// The length of a shortest way.
    pub(crate) fn minimum(&self, from: &Set, to: &Set, within: &Set) -> Option<u64> {
        let mut seen: Set = from.clone();
        let mut length = 0;
        loop {
            if seen.intersection(to).next().is_some() {
                return Some(length);
            }
            let size = seen.len();
            let more: Set = self.after(&seen).intersection(within).copied().collect();
            seen.extend(more);
            if seen.len() == size {
                return None;
            }
            length += 1;
        }
    }

    /// The greatest sum of weights on a way, the weight of each state counted when it is passed; `None` for
    /// infinity.
    pub(crate) fn longest(
        &self,
        from: &Set,
        to: &Set,
        within: &Set,
        weight: impl Fn(usize) -> u64,
    ) -> Option<u64> {
        // Values grow along paths: if they still do after more rounds than there could be on a path, they do
        // for ever.
        let mut best: BTreeMap<usize, u64> = within.iter().map(|state| (*state, weight(*state))).collect();
        let rounds = within.len() + 2;
        let mut endless = Set::new();
        for round in 0..2 * rounds {
            let mut changed = false;
            for edge in &self.edges {
                if to.contains(&edge.from) || !within.contains(&edge.from) || !within.contains(&edge.to) {
                    continue;
                }
                if endless.contains(&edge.to) && endless.insert(edge.from) {
                    changed = true;
                }
                let value = best[&edge.to] + weight(edge.from);
                if value > best[&edge.from] {
                    best.insert(edge.from, value);
                    changed = true;
                    if round > rounds {
                        endless.insert(edge.from);
                    }
                }
            }
            if !changed {
                break;
            }
        }
        if from.intersection(&endless).next().is_some() {
            return None;
        }
        from.iter().map(|state| best[state]).max()
    }

    /// The least sum of weights on a way to its end; `None` if there is no way.
    pub(crate) fn least(
        &self,
        from: &Set,
        to: &Set,
        within: &Set,
        weight: impl Fn(usize) -> u64,
    ) -> Option<u64> {
        let mut best: BTreeMap<usize, u64> = to.iter().map(|state| (*state, weight(*state))).collect();
        loop {
            let mut changed = false;
            for edge in &self.edges {
                if to.contains(&edge.from) || !within.contains(&edge.from) {
                    continue;
                }
                if let Some(value) = best.get(&edge.to).map(|value| value + weight(edge.from))
                    && best.get(&edge.from).is_none_or(|old| value < *old)
                {
                    best.insert(edge.from, value);
                    changed = true;
                }
            }
            if !changed {
                return from.iter().filter_map(|state| best.get(state).copied()).min();
            }
        }
    }

    /// A random run that ends in a cycle; `None` if it comes to an end.
    pub(crate) fn lasso(&self, mut random: impl FnMut(usize) -> usize) -> Option<Run> {
        if self.initial.is_empty() {
            return None;
        }
        let mut state = self.initial[random(self.initial.len())];
        let mut visited: Vec<(usize, Vec<Value>)> = Vec::new();
        let patience = random(12);
        loop {
            if let Some(start) = visited.iter().position(|(other, _)| *other == state)
                && (visited.len() >= patience || random(3) == 0)
            {
                let states = visited.into_iter().map(|(_, values)| values).collect();
                return Some(Run { states, cycle: Some(start) });
            }
            if visited.len() > 60 {
                return None;
            }
            let edges: Vec<&Edge> = self.edges.iter().filter(|edge| edge.from == state).collect();
            let edge = edges.get(random(edges.len().max(1)))?;
            visited.push((state, edge.before.clone()));
            state = edge.to;
        }
    }

    /// Whether a run that ends in a cycle is fair.
    pub(crate) fn is_fair(&self, run: &Run) -> bool {
        let Some(start) = run.cycle else { return false };
        let mut evaluation = Evaluation::new(self.system);
        let mut has = |root: ExprId| {
            run.states[start..].iter().any(|state| evaluation.is_true(root, Moment::still(state)))
        };
        self.system.justice.iter().all(|justice| has(*justice))
            && self.system.compassion.iter().all(|(p, q)| !has(*p) || has(*q))
    }
}
