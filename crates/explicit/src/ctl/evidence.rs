//! One run that shows why a formula is true or false in the initial state, as far as one run can.
//!
//! What some path does is shown by that path: a shortest one to a goal, or a stem and a cycle. So is what not
//! all paths do. Then the formula at the end of the path is shown from there on. What all paths do, and what
//! no path does, no run can show: the run ends there and the fact is told.

use narrows_graph::DenseSet;
use narrows_model::Limit;

use super::formulas::{Formulas, Node, Sub};
use super::graph::Graph;
use super::label::{Labels, Means};
use super::shortest_paths::Ways;

/// A run by the numbers of its states, and what it does not show.
#[derive(Clone, Debug)]
pub(super) struct Evidence {
    /// The states, from the initial one on.
    pub(super) path: Vec<u32>,
    /// For an endless run, the place in the path that it goes on from after the last state, which is the
    /// same; the last place if it stays there.
    pub(super) cycle: Option<usize>,
    pub(super) facts: Vec<Fact>,
    /// Whether no shorter run shows as much.
    pub(super) shortest: bool,
}

/// Something that is so, though the run does not show it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Fact {
    pub(super) sub: Sub,
    pub(super) holds: bool,
    /// The place in the path where it is so, and the one after the last.
    pub(super) places: (usize, usize),
}

/// Shows why a formula has the value it has in a state.
pub(super) fn show(
    graph: &Graph,
    formulas: &Formulas,
    labels: &Labels,
    formula: Sub,
    means: &mut Means,
) -> Result<Evidence, Limit> {
    // Two lists of the ways, and those of the components.
    let bytes = u64::from(graph.len()) * 32;
    means.claim(bytes)?;
    let evidence = Evidence { path: vec![0], cycle: None, facts: Vec::new(), shortest: true };
    let mut guide =
        Guide { graph, formulas, labels, ways: Ways::new(graph), evidence, searches: 0, stepped: false };
    guide.show(formula, labels.holds(formula, 0), means)?;
    means.give_back(bytes);
    Ok(guide.evidence)
}

struct Guide<'a> {
    graph: &'a Graph,
    formulas: &'a Formulas,
    labels: &'a Labels,
    ways: Ways<'a>,
    evidence: Evidence,
    /// How many searches for a path there were so far.
    searches: u32,
    /// Whether a step was chosen among several.
    stepped: bool,
}

impl Guide<'_> {
    fn here(&self) -> u32 {
        self.evidence.path.last().copied().unwrap_or(0)
    }

    fn holds(&self, sub: Sub) -> bool {
        self.labels.holds(sub, self.here())
    }

    /// Returns whether a path can show more of a formula's value than that it is so.
    fn is_shown_by_path(&self, sub: Sub, value: bool) -> bool {
        match self.formulas.node(sub) {
            Node::Atom(_) => false,
            Node::Not(operand) => self.is_shown_by_path(operand, !value),
            Node::And(left, right) | Node::Or(left, right) => {
                self.is_shown_by_path(left, value) || self.is_shown_by_path(right, value)
            }
            Node::Implies(left, right) => {
                self.is_shown_by_path(left, !value) || self.is_shown_by_path(right, value)
            }
            Node::Equivalent(..) => true,
            Node::Next(all, _)
            | Node::Eventually(all, _)
            | Node::Always(all, _)
            | Node::Until(all, ..)
            | Node::WeakUntil(all, ..) => all != value,
        }
    }

    fn fact(&mut self, sub: Sub, holds: bool) {
        let place = self.evidence.path.len() - 1;
        self.fact_from(sub, holds, place, place + 1);
    }

    fn fact_from(&mut self, sub: Sub, holds: bool, from: usize, to: usize) {
        if from < to && !self.formulas.is_plain(sub) {
            self.evidence.facts.push(Fact { sub, holds, places: (from, to) });
        }
    }

    /// Shows that a formula has the given value in the last state of the path, which it has.
    fn show(&mut self, sub: Sub, value: bool, means: &mut Means) -> Result<(), Limit> {
        if self.formulas.is_plain(sub) {
            return Ok(());
        }
        match (self.formulas.node(sub), value) {
            (Node::Atom(_), _) => Ok(()),
            (Node::Not(operand), _) => self.show(operand, !value, means),
            (Node::And(left, right), true) => self.both((left, true), (right, true), means),
            (Node::And(left, right), false) => self.either((left, false), (right, false), means),
            (Node::Or(left, right), true) => self.either((left, true), (right, true), means),
            (Node::Or(left, right), false) => self.both((left, false), (right, false), means),
            (Node::Implies(left, right), true) => self.either((left, false), (right, true), means),
            (Node::Implies(left, right), false) => self.both((left, true), (right, false), means),
            (Node::Equivalent(left, right), _) => {
                let (first, second) = (self.holds(left), self.holds(right));
                self.both((left, first), (right, second), means)
            }
            (Node::Next(all, operand), _) if all != value => {
                self.step(operand, value);
                self.show(operand, value, means)
            }
            (Node::Eventually(false, operand), true) | (Node::Always(true, operand), false) => {
                self.go(None, (operand, value), None, means)?;
                self.show(operand, value, means)
            }
            (Node::Always(false, operand), true) | (Node::Eventually(true, operand), false) => {
                self.go_round(sub, value, operand, means)
            }
            (Node::Until(false, left, right), true) => {
                self.go(Some((left, true)), (right, true), None, means)?;
                self.show(right, true, means)
            }
            (Node::WeakUntil(false, left, right), true) => {
                if self.go(Some((left, true)), (right, true), None, means)? {
                    self.show(right, true, means)
                } else {
                    self.go_round(sub, true, left, means)
                }
            }
            (Node::Until(true, left, right) | Node::WeakUntil(true, left, right), false) => {
                if self.go(Some((right, false)), (left, false), Some((right, false)), means)? {
                    // An endless run without the right may be shorter still.
                    self.evidence.shortest &= matches!(self.formulas.node(sub), Node::WeakUntil(..));
                    self.both((left, false), (right, false), means)
                } else {
                    self.go_round(sub, false, right, means)
                }
            }
            _ => {
                self.fact(sub, value);
                Ok(())
            }
        }
    }

    /// Shows one of two values that are both needed, and tells the other.
    fn both(&mut self, left: (Sub, bool), right: (Sub, bool), means: &mut Means) -> Result<(), Limit> {
        let is_open = |one: (Sub, bool)| !self.formulas.is_plain(one.0);
        let (shown, told) = match (is_open(left), is_open(right)) {
            (true, true) if !self.is_shown_by_path(left.0, left.1) => (right, Some(left)),
            (true, true) => (left, Some(right)),
            (true, false) => (left, None),
            _ => (right, None),
        };
        if let Some((sub, value)) = told {
            self.fact(sub, value);
        }
        self.show(shown.0, shown.1, means)
    }

    /// Shows one of two values of which one is enough.
    fn either(&mut self, left: (Sub, bool), right: (Sub, bool), means: &mut Means) -> Result<(), Limit> {
        let is_so = |one: &(Sub, bool)| self.holds(one.0) == one.1;
        let candidates: Vec<(Sub, bool)> = [left, right].into_iter().filter(is_so).collect();
        if candidates.iter().any(|one| self.formulas.is_plain(one.0)) {
            return Ok(());
        }
        let best = candidates.iter().find(|one| self.is_shown_by_path(one.0, one.1)).or(candidates.first());
        let Some((sub, value)) = best.copied() else { return Ok(()) };
        self.evidence.shortest &= candidates.len() == 1;
        self.show(sub, value, means)
    }

    /// Steps to a successor where a formula has a value.
    fn step(&mut self, sub: Sub, value: bool) {
        let here = self.here();
        let found =
            self.graph.successors.of(here).iter().find(|next| self.labels.holds(sub, **next) == value);
        self.stepped = true;
        match found {
            Some(next) if *next != here || !self.graph.stays.contains(here) => self.evidence.path.push(*next),
            Some(_) => self.stay(),
            None => {}
        }
    }

    /// The run is over, and stays where it is.
    fn stay(&mut self) {
        self.evidence.shortest = false;
        self.evidence.cycle = Some(self.evidence.path.len() - 1);
    }

    /// Goes to the nearest state where a formula, and maybe another, has a value; on the way there, a third
    /// has. Returns whether there is such a state.
    fn go(
        &mut self,
        within: Option<(Sub, bool)>,
        goal: (Sub, bool),
        and: Option<(Sub, bool)>,
        means: &mut Means,
    ) -> Result<bool, Limit> {
        let labels = self.labels;
        let is = |one: (Sub, bool), state: u32| labels.holds(one.0, state) == one.1;
        let way = self.ways.nearest(
            self.here(),
            |state| within.is_none_or(|one| is(one, state)),
            |state| is(goal, state) && and.is_none_or(|one| is(one, state)),
            means,
        )?;
        let Some(way) = way else { return Ok(false) };
        // Whether a choice before this one could have led to a shorter run, nobody knows.
        self.evidence.shortest &= self.searches == 0 && !self.stepped;
        self.searches += 1;
        let from = self.evidence.path.len() - 1;
        self.evidence.path.extend(way);
        if let Some((sub, value)) = within {
            self.fact_from(sub, value, from, self.evidence.path.len() - 1);
        }
        Ok(true)
    }

    /// Goes to a cycle within the states where a formula has a value, and round it; all the way `told` has
    /// that value.
    fn go_round(&mut self, sub: Sub, value: bool, told: Sub, means: &mut Means) -> Result<(), Limit> {
        let set: &DenseSet = self.labels.set(sub);
        let from = self.evidence.path.len() - 1;
        let way = self.ways.nearest_cycle(self.here(), |state| set.contains(state) == value, means)?;
        self.evidence.shortest = false;
        if let Some((stem, cycle)) = way {
            self.evidence.path.extend(stem);
            let start = self.evidence.path.len() - 1;
            self.evidence.path.extend(cycle);
            self.evidence.cycle = Some(start);
        }
        self.fact_from(told, value, from, self.evidence.path.len());
        Ok(())
    }
}
