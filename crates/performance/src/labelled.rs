//! The labelled transition system of a process-algebra behaviour, and throughputs when its actions have
//! rates.

use std::ops::ControlFlow;

use narrows_explicit::{Budget, Progress};
use narrows_lts::{Builder, Graph, LabelPattern, Relation, Rows, Settings, minimise};
use narrows_model::behaviour::Fault;
use narrows_model::{Coverage, LabelledSystem, Limit, Scratch};

use crate::graphs::{AutomatonError, GraphAutomaton};
use crate::markov::{Accuracy, ChainError, OverSchedulers, Reward};
use crate::stages::STAGE;

/// The state graph of a labelled system.
#[derive(Clone, Debug)]
pub struct BuiltGraph {
    /// The graph; the edges of each state in the order in which the system gives them.
    pub graph: Graph,
    /// What was visited.
    pub coverage: Coverage,
}

/// Why there is no graph.
#[derive(Clone, Debug)]
pub enum GraphError {
    /// A limit was hit.
    Limit(Limit),
    /// A state has no steps because a term has no value.
    Fault(Fault),
}

/// The memory that a label takes, with its text, in bytes.
const LABEL: u64 = 128;
/// The budget's watch is polled every so many states and edges.
const WATCH_EVERY: usize = 4096;

/// As much of a state graph as a limit left time and memory for.
#[derive(Clone, Debug)]
pub struct PartialGraph {
    /// The graph; states from [`visited`](Self::visited) on have no edges yet.
    pub built: BuiltGraph,
    /// How many states were visited: the first ones.
    pub visited: u32,
    /// Why not all were.
    pub limit: Option<Limit>,
}

/// Explores all states breadth first; they are numbered in the order of discovery.
pub fn build(system: &dyn LabelledSystem, budget: &Budget) -> Result<BuiltGraph, GraphError> {
    let walk = Walk::visit(system, budget).map_err(GraphError::Fault)?;
    walk.limit.map_or(Ok(()), |limit| Err(GraphError::Limit(limit)))?;
    Ok(walk.finish().ok_or(GraphError::Limit(Limit::Memory))?.built)
}

/// Explores states breadth first, until a limit is hit; `None` if there are too many for a graph.
///
/// # Errors
///
/// A term may have no value.
pub fn build_some(system: &dyn LabelledSystem, budget: &Budget) -> Result<Option<PartialGraph>, Fault> {
    Ok(Walk::visit(system, budget)?.finish())
}

/// What was visited, before it is a graph.
struct Walk {
    rows: Rows,
    coverage: Coverage,
    visited: u32,
    limit: Option<Limit>,
}

impl Walk {
    fn visit(system: &dyn LabelledSystem, budget: &Budget) -> Result<Walk, Fault> {
        let mut unfolding = system.unfold()?;
        let mut rows = Rows::default();
        // For each event, the number of its label, once it has one.
        let mut labels: Vec<Option<u32>> = Vec::new();
        let (mut state, mut transitions, mut depth, mut level_end) = (0, 0, 0, 1);
        let mut since_watch = WATCH_EVERY;
        let mut stop = None;
        while state < unfolding.states() && stop.is_none() {
            if state == level_end {
                level_end = unfolding.states();
                depth += 1;
            }
            rows.state();
            unfolding.expand(state)?;
            transitions += unfolding.edges().len() as u64;
            for (event, target) in unfolding.edges() {
                let label = match labels.get(*event as usize).copied().flatten() {
                    Some(label) => label,
                    None => {
                        let label = rows.label(&unfolding.label(*event));
                        labels.resize(labels.len().max(*event as usize + 1), None);
                        labels[*event as usize] = Some(label);
                        label
                    }
                };
                rows.edge(label, *target);
            }
            since_watch += 1 + unfolding.edges().len();
            if since_watch >= WATCH_EVERY {
                since_watch = 0;
                let memory = unfolding.bytes() + rows.bytes() + labels.capacity() as u64 * LABEL;
                let states = u64::from(unfolding.states());
                let progress = Progress { states, transitions, depth, memory };
                let is_full = memory > budget.memory || unfolding.is_full();
                stop = if is_full { Some(Limit::Memory) } else { budget.watch.check(&progress) };
            }
            state += 1;
        }
        let bytes = unfolding.bytes() + rows.bytes();
        let states = u64::from(unfolding.states());
        let coverage = Coverage { states, transitions, depth, bytes, of_system: true, ..Coverage::default() };
        Ok(Walk { rows, coverage, visited: state, limit: stop })
    }

    /// Makes a graph; `None` if there are too many states for one.
    fn finish(self) -> Option<PartialGraph> {
        let Walk { rows, coverage, visited, limit } = self;
        let graph = rows.build().ok()?;
        Some(PartialGraph { built: BuiltGraph { graph, coverage }, visited, limit })
    }
}

/// Follows a run of the graph in the system itself; returns the states on the way, or `None` if there is no
/// such run.
pub fn replay(system: &dyn LabelledSystem, graph: &Graph, steps: &[(u32, u32)]) -> Option<Vec<Vec<u8>>> {
    let mut states = vec![system.initial().ok()?.0];
    let mut number = graph.initial();
    let mut scratch = Scratch::default();
    for (label, target) in steps {
        let edges = graph.edges_from(number);
        let place = edges.iter().position(|edge| edge.label == *label && edge.target == *target)?;
        let (mut count, mut next) = (0, None);
        system.successors(states.last()?, &mut scratch, &mut |successor| {
            if count == place {
                let is_it = system.label(successor.label) == graph.label(*label);
                next = successor.target.filter(|_| is_it).map(<[u8]>::to_vec);
                return ControlFlow::Break(());
            }
            count += 1;
            ControlFlow::Continue(())
        });
        states.push(next?);
        number = *target;
    }
    Some(states)
}

/// Which actions have rates, and which are counted.
#[derive(Clone, Debug, Default)]
pub struct ActionRates {
    /// Patterns of timed actions, with their rates, `None` for immediate ones; the first match counts.
    pub rates: Vec<(LabelPattern, Option<f64>)>,
    /// The patterns of actions that are counted: each event may have several.
    pub events: Vec<Vec<LabelPattern>>,
}

/// Rates are rounded when they are computed from delays, and once more when what was added is read back.
const WRITTEN: usize = 2;

/// A graph whose actions have rates, minimised.
#[derive(Debug)]
pub struct RatedGraph {
    graph: Graph,
    timed: GraphAutomaton,
    /// For each event, which actions count.
    counted: Vec<Vec<usize>>,
    /// How many states and edges there were before minimisation.
    pub before: (u32, usize),
}

impl RatedGraph {
    /// Assigns rates to actions, hides those that are not counted, and minimises the graph.
    pub fn new(graph: &Graph, rates: &ActionRates) -> Result<RatedGraph, AutomatonError> {
        let labels: Vec<String> = graph.labels().iter().map(|label| rates.relabelled(label)).collect();
        let mut builder = Builder::new(graph.initial(), graph.edges().len());
        builder.states(graph.states());
        let numbers: Vec<u32> = labels.iter().map(|label| builder.label(label)).collect();
        for (from, edge) in graph.all_edges() {
            builder.edge(from, numbers[edge.label as usize], edge.target);
        }
        let too_large = |_| AutomatonError::Other(ChainError::TooLarge);
        let paced = builder.build().map_err(too_large)?;
        let settings = Settings { relation: Relation::Branching, stochastic: true, probabilistic: true };
        let small = minimise(&paced, settings).unwrap_or(paced);
        let timed = GraphAutomaton::of_rounded(&small, WRITTEN)?;
        let fitting = |patterns: &Vec<LabelPattern>| {
            let fits = |action: &String| patterns.iter().any(|pattern| pattern.fits(action));
            (0..timed.actions.len()).filter(|index| fits(&timed.actions[*index])).collect()
        };
        let counted = rates.events.iter().map(fitting).collect();
        Ok(RatedGraph { graph: small, timed, counted, before: (graph.states(), graph.edges().len()) })
    }

    /// Returns how many states and edges there are.
    pub fn size(&self) -> (u32, usize) {
        (self.graph.states(), self.graph.edges().len())
    }

    /// Computes the long-run throughput of each event.
    pub fn throughputs(&self, accuracy: Accuracy<'_>) -> Result<Vec<OverSchedulers>, AutomatonError> {
        let rewards: Vec<Reward> = self.counted.iter().map(|actions| self.reward(actions)).collect();
        self.timed.long_run(&self.graph, &rewards, accuracy)
    }

    fn reward(&self, actions: &[usize]) -> Reward {
        let mut sum = Reward::none(&self.timed.automaton);
        for action in actions {
            let one = self.timed.reward(&self.graph, *action);
            sum.rates.iter_mut().zip(&one.rates).for_each(|(sum, one)| *sum += one);
            sum.impulses.iter_mut().zip(&one.impulses).for_each(|(sum, one)| *sum += one);
        }
        sum
    }
}

impl ActionRates {
    /// Returns a label with its rate, and without its action if that is not counted.
    fn relabelled(&self, label: &str) -> String {
        let mut of_phase = None;
        let mut label = label;
        if let Some(phase) = label.strip_prefix(STAGE) {
            let Some((rate, action)) = phase.split_once(STAGE) else { return format!("rate {phase}") };
            (label, of_phase) = (action, rate.parse().ok());
        }
        let is_counted = self.events.iter().flatten().any(|pattern| pattern.fits(label));
        let rate = self.rates.iter().find(|(pattern, _)| pattern.fits(label)).and_then(|(_, rate)| *rate);
        let rate = of_phase.or(rate);
        match (is_counted, rate) {
            (true, Some(rate)) => format!("{label}; rate {rate:e}"),
            (false, Some(rate)) => format!("rate {rate:e}"),
            (true, None) => label.to_owned(),
            (false, None) => "i".to_owned(),
        }
    }
}
