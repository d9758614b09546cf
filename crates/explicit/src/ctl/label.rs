//! Which states satisfy a formula: labelling, from the inside out (Clarke, Emerson and Sistla, 1986).
//!
//! Three operators are enough: some successor, some path to a goal (backwards from the goal), some endless
//! path within a set (states are taken away whose last successor in the set was taken away). The others are
//! opposites of these. Each costs time in the size of the graph, so a formula costs its length times that; a
//! sub-formula takes a bit for each state, and while one is worked out there are up to 12 bytes more for each
//! state.

use narrows_graph::DenseSet;
use narrows_model::Limit;

use super::formulas::{Formulas, Node, Sub};
use super::graph::Graph;
use crate::{Budget, Progress};

/// Memory and time that are left.
pub(super) struct Means {
    budget: Budget,
    /// What the search has come to; its memory is what is in use.
    progress: Progress,
    /// The most memory that was in use.
    peak: u64,
    ticks: u32,
}

/// After this many steps the watch is asked.
const ASK_EVERY: u32 = 1 << 16;

impl Means {
    pub(super) fn new(budget: &Budget, progress: Progress) -> Means {
        Means { budget: budget.clone(), progress, peak: progress.memory, ticks: 0 }
    }

    /// Counts memory before it is taken.
    pub(super) fn claim(&mut self, bytes: u64) -> Result<(), Limit> {
        let used = self.progress.memory.saturating_add(bytes);
        if used > self.budget.memory {
            return Err(Limit::Memory);
        }
        self.progress.memory = used;
        self.peak = self.peak.max(used);
        Ok(())
    }

    pub(super) fn give_back(&mut self, bytes: u64) {
        self.progress.memory -= bytes;
    }

    pub(super) fn peak(&self) -> u64 {
        self.peak
    }

    /// Counts a step of work; asks the watch, once in a while.
    pub(super) fn tick(&mut self) -> Result<(), Limit> {
        self.ticks += 1;
        if self.ticks < ASK_EVERY {
            return Ok(());
        }
        self.ticks = 0;
        self.budget.watch.check(&self.progress).map_or(Ok(()), Err)
    }
}

/// Which states satisfy each sub-formula.
#[derive(Debug)]
pub(super) struct Labels {
    sets: Vec<DenseSet>,
}

impl Labels {
    pub(super) fn set(&self, sub: Sub) -> &DenseSet {
        &self.sets[sub.0 as usize]
    }

    pub(super) fn holds(&self, sub: Sub, state: u32) -> bool {
        self.set(sub).contains(state)
    }
}

/// Works out which states satisfy each sub-formula; `atoms` says it of the atoms.
pub(super) fn label(
    graph: &Graph,
    formulas: &Formulas,
    atoms: &[DenseSet],
    means: &mut Means,
) -> Result<Labels, Limit> {
    let scratch = u64::from(graph.len()) * 12;
    means.claim(scratch)?;
    let mut labels = Labels { sets: Vec::new() };
    for (_, node) in formulas.all() {
        // At most three sets are there at a time beside those that stay.
        let bytes = u64::from(graph.len()).div_ceil(8);
        means.claim(bytes * 3)?;
        let set = Labeller { graph, labels: &labels, means }.set(node, atoms)?;
        means.give_back(bytes * 2);
        labels.sets.push(set);
    }
    means.give_back(scratch);
    Ok(labels)
}

struct Labeller<'a> {
    graph: &'a Graph,
    labels: &'a Labels,
    means: &'a mut Means,
}

impl Labeller<'_> {
    fn set(&mut self, node: Node, atoms: &[DenseSet]) -> Result<DenseSet, Limit> {
        let labels = self.labels;
        let of = |sub: Sub| labels.set(sub);
        Ok(match node {
            Node::Atom(number) => atoms[number as usize].clone(),
            Node::Not(operand) => opposite(of(operand)),
            Node::And(left, right) => combined(of(left), of(right), DenseSet::intersect_with),
            Node::Or(left, right) => combined(of(left), of(right), DenseSet::union_with),
            Node::Implies(left, right) => not(combined(of(left), of(right), DenseSet::difference_with)),
            Node::Equivalent(left, right) => {
                not(combined(of(left), of(right), DenseSet::symmetric_difference_with))
            }
            Node::Next(false, operand) => self.some_next(of(operand))?,
            Node::Next(true, operand) => not(self.some_next(&opposite(of(operand)))?),
            Node::Eventually(false, operand) => self.some_until(None, of(operand).clone())?,
            Node::Eventually(true, operand) => not(self.some_always(opposite(of(operand)))?),
            Node::Always(false, operand) => self.some_always(of(operand).clone())?,
            Node::Always(true, operand) => not(self.some_until(None, opposite(of(operand)))?),
            Node::Until(false, left, right) => self.some_until(Some(of(left)), of(right).clone())?,
            Node::Until(true, left, right) => {
                // It fails if the right does not come, or comes after a state without the left.
                let mut fails = self.broken(of(left), of(right))?;
                let never = self.some_always(opposite(of(right)))?;
                fails.union_with(&never);
                not(fails)
            }
            Node::WeakUntil(false, left, right) => {
                let mut set = self.some_until(Some(of(left)), of(right).clone())?;
                let always = self.some_always(of(left).clone())?;
                set.union_with(&always);
                set
            }
            Node::WeakUntil(true, left, right) => not(self.broken(of(left), of(right))?),
        })
    }

    /// Returns the states from which some path comes to a state with neither, and has no state with the right
    /// before.
    fn broken(&mut self, left: &DenseSet, right: &DenseSet) -> Result<DenseSet, Limit> {
        let neither = not(combined(left, right, DenseSet::union_with));
        self.some_until(Some(&opposite(right)), neither)
    }

    /// Returns the states with a successor in the set.
    fn some_next(&mut self, set: &DenseSet) -> Result<DenseSet, Limit> {
        let mut result = DenseSet::try_new(self.graph.len() as usize).map_err(|_| Limit::Memory)?;
        for state in set.iter() {
            for before in self.graph.predecessors.of(state) {
                self.means.tick()?;
                result.insert(*before);
            }
        }
        Ok(result)
    }

    /// Returns the states with a path within a set, or any path, to a goal.
    fn some_until(&mut self, within: Option<&DenseSet>, mut goal: DenseSet) -> Result<DenseSet, Limit> {
        let mut waiting: Vec<u32> = goal.iter().collect();
        while let Some(state) = waiting.pop() {
            for before in self.graph.predecessors.of(state) {
                self.means.tick()?;
                if !goal.contains(*before) && within.is_none_or(|within| within.contains(*before)) {
                    goal.insert(*before);
                    waiting.push(*before);
                }
            }
        }
        Ok(goal)
    }

    /// Returns the states with an endless path within the set.
    fn some_always(&mut self, mut set: DenseSet) -> Result<DenseSet, Limit> {
        let graph = self.graph;
        // How many successors in the set each state has.
        let mut left = vec![0_u32; graph.len() as usize];
        let mut waiting = Vec::new();
        for state in set.iter() {
            self.means.tick()?;
            let count = graph.successors.of(state).iter().filter(|next| set.contains(**next)).count();
            left[state as usize] = count as u32;
            if count == 0 {
                waiting.push(state);
            }
        }
        for state in &waiting {
            set.remove(*state);
        }
        while let Some(state) = waiting.pop() {
            for before in graph.predecessors.of(state) {
                self.means.tick()?;
                if set.contains(*before) {
                    left[*before as usize] -= 1;
                    if left[*before as usize] == 0 {
                        set.remove(*before);
                        waiting.push(*before);
                    }
                }
            }
        }
        Ok(set)
    }
}

fn not(mut set: DenseSet) -> DenseSet {
    set.complement();
    set
}

fn opposite(set: &DenseSet) -> DenseSet {
    not(set.clone())
}

fn combined(left: &DenseSet, right: &DenseSet, operation: fn(&mut DenseSet, &DenseSet)) -> DenseSet {
    let mut set = left.clone();
    operation(&mut set, right);
    set
}
