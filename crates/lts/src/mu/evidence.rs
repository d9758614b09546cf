//! Why a formula holds, or does not, in a state.
//!
//! A pair of a variable and a state has its value for reasons: other pairs, at the same state or behind
//! edges. Where one operand or one edge is enough, one is chosen, the one with the smallest rank, so that the
//! reasons of a least fixpoint that holds, or of a greatest one that does not, come to an end. All states and
//! edges on the way are a graph on which every pair has the same value: where some edge is needed it is
//! there, and where all edges count none is new (Mateescu, 2000). As long as each pair has one reason, the
//! pairs are a run.

use narrows_graph::DenseSet;
use rustc_hash::FxHashMap;

use super::equations::{Equations, Right, Variable};
use super::solve::Solution;
use super::syntax::Formula;
use crate::graph::{Builder, Graph, TooLarge};

/// A part of a graph that shows why a formula holds, or does not.
#[derive(Clone, Debug)]
pub struct Evidence {
    /// The part: its first state is the one to begin with.
    pub graph: Graph,
    /// For each of its states, the number in the whole graph.
    pub states: Vec<u32>,
}

/// A run that shows why a formula holds, or does not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run {
    /// Where it begins.
    pub start: u32,
    /// Its edges: the number of the label, and the state behind it.
    pub steps: Vec<(u32, u32)>,
    /// If it goes on for ever, the step that follows on the last one.
    pub cycle: Option<usize>,
    /// What is to be said of its last state.
    pub end: End,
}

impl Run {
    /// Says of the last state what the run alone does not show.
    pub fn note(&self) -> Option<String> {
        let state = self.steps.last().map_or(self.start, |(_, state)| *state);
        match &self.end {
            End::Complete => None,
            End::Part { formula, holds } => Some(format!("In state {state}, `{formula}` is {holds}.")),
            End::Stuck => Some(format!("No edge of state {state} fits what comes next in the formula.")),
            End::Branches => Some(format!("From state {state} on, it takes several runs to show it.")),
        }
    }
}

/// How a run ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum End {
    /// The run says it all.
    Complete,
    /// In the last state a part of the formula holds, or does not.
    Part {
        /// The part.
        formula: String,
        /// Whether it holds.
        holds: bool,
    },
    /// No edge of the last state fits what comes next in the formula.
    Stuck,
    /// From the last state on, several runs are needed.
    Branches,
}

/// What makes a pair have its value.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reason {
    /// The edge of the graph that is taken, by its number, and its label.
    pub(super) edge: Option<(u32, u32)>,
    pub(super) variable: Variable,
    pub(super) state: u32,
}

/// Reasons for the value of a pair.
pub(super) enum Because {
    /// All of these.
    All(Vec<Reason>),
    /// Any one of these.
    Any(Vec<Reason>),
}

/// A solved formula.
pub(super) struct Reasons<'s, 'f> {
    pub(super) graph: &'s Graph,
    pub(super) equations: &'s Equations<'f>,
    pub(super) solution: &'s Solution,
}

impl Reasons<'_, '_> {
    pub(super) fn holds(&self, variable: Variable, state: u32) -> bool {
        self.solution.holds(variable, state)
    }

    /// Says how far the end is, for the choice among the operands of a variable: what lies outside of its
    /// group is best.
    fn rank(&self, variable: Variable, of: &Reason) -> u32 {
        if self.solution.groups[variable as usize] != self.solution.groups[of.variable as usize] {
            return 0;
        }
        match self.solution.ranks[of.variable as usize][of.state as usize] {
            0 => 1,
            rank => rank,
        }
    }

    /// Returns what makes a pair have its value, with all there is to choose from.
    pub(super) fn because(&self, variable: Variable, state: u32) -> Because {
        let value = self.holds(variable, state);
        let here = |variable| Reason { edge: None, variable, state };
        let (is_all, mut reasons): (bool, Vec<Reason>) = match self.equations.list[variable as usize].right {
            Right::Open | Right::Constant(_) => (true, Vec::new()),
            Right::Same(operand) | Right::Not(operand) => (true, vec![here(operand)]),
            right @ (Right::And(first, second) | Right::Or(first, second)) => {
                (matches!(right, Right::And(..)), vec![here(first), here(second)])
            }
            right @ (Right::Some(set, operand) | Right::All(set, operand)) => {
                let set = &self.equations.sets[set as usize];
                let first = self.graph.starts()[state as usize];
                let edges = self.graph.edges_from(state).iter().enumerate();
                let fitting = edges.filter(|(_, edge)| set[edge.label as usize]);
                let reasons = fitting.map(|(index, edge)| Reason {
                    edge: Some((first + index as u32, edge.label)),
                    variable: operand,
                    state: edge.target,
                });
                (matches!(right, Right::All(..)), reasons.collect())
            }
        };
        let has_operator = !matches!(
            self.equations.list[variable as usize].right,
            Right::Open | Right::Constant(_) | Right::Same(_) | Right::Not(_)
        );
        if !has_operator || is_all == value {
            return Because::All(reasons);
        }
        reasons.retain(|reason| self.holds(reason.variable, reason.state) == value);
        Because::Any(reasons)
    }

    /// Returns what makes a pair have its value; where one of several is enough, the one that is nearest to
    /// an end.
    fn of(&self, variable: Variable, state: u32) -> Vec<Reason> {
        match self.because(variable, state) {
            Because::All(reasons) => reasons,
            Because::Any(reasons) => {
                reasons.into_iter().min_by_key(|reason| self.rank(variable, reason)).into_iter().collect()
            }
        }
    }

    /// Returns the run that shows the value of the whole formula in the initial state, as far as one run
    /// does; `None` if it would be empty.
    pub(super) fn run(&self) -> Option<Run> {
        let start = self.graph.initial();
        let (mut variable, mut state) = (self.equations.root, start);
        let mut run = Run { start, steps: Vec::new(), cycle: None, end: End::Complete };
        // How many steps there were when a pair was met.
        let mut met: FxHashMap<(Variable, u32), usize> = FxHashMap::default();
        let mut planned = Vec::new().into_iter();
        let mut has_given_up = false;
        loop {
            if let Some(steps) = met.insert((variable, state), run.steps.len()) {
                // A circle of equations without an edge is no cycle of the graph.
                run.cycle = (steps < run.steps.len()).then_some(steps);
                return (!run.steps.is_empty()).then_some(run);
            }
            if planned.len() == 0
                && !has_given_up
                && let Some(way) = self.short_way(variable, state)
            {
                has_given_up = way.is_empty();
                planned = way.into_iter();
            }
            let reasons = match planned.next() {
                Some(reason) => vec![reason],
                None => self.of(variable, state),
            };
            let [reason] = reasons.as_slice() else {
                run.end = self.end(variable, state, reasons.len());
                let says_something = !run.steps.is_empty() || matches!(run.end, End::Part { .. });
                return says_something.then_some(run);
            };
            if let Some((_, label)) = reason.edge {
                run.steps.push((label, reason.state));
            }
            (variable, state) = (reason.variable, reason.state);
        }
    }

    fn end(&self, variable: Variable, state: u32, reasons: usize) -> End {
        let origin = self.equations.list[variable as usize].origin;
        match origin.formula {
            _ if reasons == 0
                && matches!(self.equations.list[variable as usize].right, Right::Constant(_)) =>
            {
                End::Complete
            }
            formula if origin.is_whole && variable != self.equations.root => {
                End::Part { formula: written(formula), holds: self.holds(variable, state) != origin.negated }
            }
            _ if reasons == 0 => End::Stuck,
            _ => End::Branches,
        }
    }

    /// Returns the part of the graph that shows the value of the whole formula in the initial state.
    pub(super) fn evidence(&self) -> Result<Evidence, TooLarge> {
        let states = self.graph.states();
        let mut met: Vec<Option<DenseSet>> = vec![None; self.equations.list.len()];
        let mut kept = DenseSet::new(self.graph.edges().len());
        let mut numbers: FxHashMap<u32, u32> = FxHashMap::default();
        let mut order = Vec::new();
        let mut queue = std::collections::VecDeque::from([(self.equations.root, self.graph.initial())]);
        while let Some((variable, state)) = queue.pop_front() {
            let known = met[variable as usize].get_or_insert_with(|| DenseSet::new(states as usize));
            if known.contains(state) {
                continue;
            }
            known.insert(state);
            numbers.entry(state).or_insert_with(|| {
                order.push(state);
                order.len() as u32 - 1
            });
            for reason in self.of(variable, state) {
                if let Some((edge, _)) = reason.edge {
                    kept.insert(edge);
                }
                queue.push_back((reason.variable, reason.state));
            }
        }
        let mut builder = Builder::new(0, 0);
        builder.states(order.len() as u32);
        for (number, state) in order.iter().enumerate() {
            let first = self.graph.starts()[*state as usize];
            for (index, edge) in self.graph.edges_from(*state).iter().enumerate() {
                if kept.contains(first + index as u32) {
                    let label = builder.label(self.graph.label(edge.label));
                    builder.edge(number as u32, label, numbers[&edge.target]);
                }
            }
        }
        Ok(Evidence { graph: builder.build()?, states: order })
    }
}

/// A part of a formula as it is shown, shortened if it is long.
fn written(formula: &Formula) -> String {
    let text = formula.to_string();
    match text.char_indices().nth(100) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}
