//! Bounds of frequencies from the work of processes, without clocks: for models with too many of them.
//!
//! Where all clocks are forgotten, there are all runs, and more. A process that moves has taken the least
//! time of its delay since it moved last: so a cycle takes no less time than any process works in it, and no
//! less than some processes together divided by how many they are. And it takes no more than the sum, over
//! its steps, of the longest time until the first delay expires that runs there. Both are cycle ratios of
//! the graph of states: no run is more frequent than the one, or less than the other. They are not attained,
//! mostly.

use narrows_model::Limit;

use super::build::{Unscalable, scale};
use super::ratio::{Extreme, Frequency};
use super::{Edge, Timed};
use crate::nodes::Nodes;
use crate::timed::bounds::Cost;
use crate::{BuildError, StateGraph, Time, Urgency};

/// All runs of a model and more: those with any order of the delays that run.
#[derive(Debug)]
pub struct Unclocked<'a> {
    timed: Timed<'a>,
    /// The least and the most ticks of each delay.
    windows: Vec<(u32, u32)>,
}

/// Processes that are looked at together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Workers {
    /// The name of their kind.
    pub name: String,
    /// Their numbers.
    pub processes: Vec<u8>,
}

/// What no run is beyond.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorkBounds {
    /// Not less than so often in a unit of time.
    pub least: Time,
    /// Not more than so often in a unit of time, and whose work says so; `None` if no work is needed.
    pub most: Option<(Time, Workers)>,
}

impl<'a> Unclocked<'a> {
    /// Builds the graph of states, in which any delay that runs may expire; there is no room for more steps
    /// than that.
    pub fn build(
        state_graph: StateGraph<'a>,
        max_edges: usize,
    ) -> Result<Result<Unclocked<'a>, BuildError>, Unscalable> {
        let (windows, tick) = scale(&state_graph)?;
        let run = |state_graph| {
            let mut nodes = Nodes::new(state_graph)?;
            let mut first = 0;
            while (first as usize) < nodes.len() {
                let round = nodes.round(first)?;
                for node in round.nodes().filter(|node| round.waits(*node)) {
                    expire_any(&mut nodes, &windows, node)?;
                }
                if nodes.edges.len() > max_edges {
                    return Err(Limit::Memory.into());
                }
                first = round.nodes().end;
            }
            Ok(super::build::finish(nodes, tick))
        };
        Ok(run(state_graph).map(|timed| Unclocked { timed, windows }))
    }

    /// Bounds how often an event happens in the long run.
    pub fn frequency(&mut self, event: u16) -> WorkBounds {
        let per = |count: u64, ticks: u64, tick: Time| {
            Time::new(i128::from(count), i128::from(ticks.max(1))) / tick
        };
        let tick = self.timed.tick.unwrap_or_else(|| Time::from_integer(1));
        let least = match self.timed.frequency(Cost::Event(event), Extreme::Worst) {
            Frequency::Every { count, ticks, .. } => per(count, ticks, tick),
            Frequency::Ends(_) | Frequency::Infinite(_) => Time::from_integer(0),
        };
        let latest: Vec<u32> = self.timed.edges.iter().map(|edge| edge.ticks).collect();
        let mut most: Option<(Time, Workers)> = None;
        for workers in self.workers() {
            self.count_work(&workers);
            let count = i128::try_from(workers.processes.len()).unwrap_or(1);
            let bound = match self.timed.frequency(Cost::Event(event), Extreme::Best) {
                Frequency::Every { count: 0, .. } | Frequency::Ends(_) => Time::from_integer(0),
                Frequency::Every { count: often, ticks, .. } if ticks > 0 => {
                    per(often, ticks, tick) * Time::from_integer(count)
                }
                Frequency::Every { .. } | Frequency::Infinite(_) => continue,
            };
            if most.as_ref().is_none_or(|(known, _)| bound < *known) {
                most = Some((bound, workers));
            }
        }
        self.timed.edges.iter_mut().zip(latest).for_each(|(edge, ticks)| edge.ticks = ticks);
        WorkBounds { least, most }
    }

    /// Returns the processes with delays by kind and, where they are not exchanged, one by one.
    fn workers(&self) -> Vec<Workers> {
        let graph = self.timed.state_graph();
        let mut pids: Vec<u8> = graph
            .effects()
            .iter()
            .filter_map(|effect| match effect.urgency {
                Urgency::Timed(pid, _) => Some(pid),
                Urgency::Immediate => None,
            })
            .collect();
        pids.sort_unstable();
        pids.dedup();
        let Some(system) = graph.system() else { return Vec::new() };
        let kind = |pid: u8| system.initial_processes.get(usize::from(pid)).map(|one| one.proctype);
        let mut found: Vec<Workers> = Vec::new();
        let count = pids.len();
        pids.retain(|pid| kind(*pid).is_some());
        if pids.len() < count && graph.is_of_orbits() {
            // Those that were created may be exchanged with others.
            return found;
        }
        let name = |pid: u8| kind(pid).map_or_else(String::new, |kind| system.proctype(kind).name.clone());
        for pid in &pids {
            match found.iter_mut().find(|known| kind(known.processes[0]) == kind(*pid)) {
                Some(known) => known.processes.push(*pid),
                None => found.push(Workers { name: name(*pid), processes: vec![*pid] }),
            }
        }
        if graph.is_of_orbits() {
            // Which of those that are exchanged moves is a matter of names.
            for one in &mut found {
                let own = kind(one.processes[0]);
                let all = 0..system.initial_processes.len() as u8;
                one.processes = all.filter(|pid| kind(*pid) == own).collect();
            }
        } else {
            let several =
                |pid: &&u8| found.iter().any(|one| one.processes.len() > 1 && one.processes.contains(pid));
            let single: Vec<Workers> = pids
                .iter()
                .filter(several)
                .map(|pid| Workers { name: format!("{}[{pid}]", name(*pid)), processes: vec![*pid] })
                .collect();
            found.extend(single);
        }
        found
    }

    /// Lets steps take the least time in which some processes do them, and all others none.
    fn count_work(&mut self, workers: &Workers) {
        let Unclocked { timed, windows } = self;
        let Timed { state_graph, edges, .. } = timed;
        for edge in edges {
            edge.ticks = match state_graph.effect(edge.effect).urgency {
                Urgency::Timed(pid, delay) if workers.processes.contains(&pid) => {
                    windows[usize::from(delay)].0
                }
                _ => 0,
            };
        }
    }
}

/// Lets each of the delays that run in a node expire, at the latest when the first of them must.
fn expire_any(nodes: &mut Nodes<'_>, windows: &[(u32, u32)], node: u32) -> Result<(), BuildError> {
    let state = nodes.state(node);
    let steps = nodes.state_graph.steps_of(state).to_vec();
    let timed = |effect: u32| match nodes.state_graph.effect(effect).urgency {
        Urgency::Timed(_, delay) => Some(delay),
        Urgency::Immediate => None,
    };
    let delays: Vec<Option<u16>> = steps.iter().map(|step| timed(step.effect)).collect();
    let most = delays.iter().flatten().map(|delay| windows[usize::from(*delay)].1).min();
    let Some(ticks) = most else { return Ok(()) };
    for (choice, (step, delay)) in (0..).zip(steps.iter().zip(&delays)) {
        if delay.is_some() {
            let target = nodes.follow(node, &[], choice, 0)?;
            nodes.edges.push((node, Edge { target, ticks, effect: step.effect, choice }));
            nodes.watch(nodes.edges.len(), 0)?;
        }
    }
    Ok(())
}
