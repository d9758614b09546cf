//! Builds the graph of a timed view round by round: in tangible nodes, the first delay to expire, or any that
//! may be the first, gives the nodes of the next round.

use std::rc::Rc;

use narrows_model::Limit;
use num_traits::Zero;

use super::{Edge, Timed};
use crate::nodes::Nodes;
use crate::{BuildError, StateGraph, Time, Urgency};

/// Why delays can't be counted in ticks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unscalable {
    /// A delay is random, and has no greatest value: its name.
    Random(String),
    /// A delay depends on the state: its name.
    Changing(String),
    /// A delay has too many ticks: its name.
    TooLong(String),
}

/// The budget is looked at after so many edges.
const WATCH_EVERY: usize = 1 << 12;

/// The least and the most ticks that a delay takes.
type Window = (u32, u32);

/// Builds the untimed view: every step takes one tick.
pub fn build_untimed(mut state_graph: StateGraph<'_>) -> Result<Timed<'_>, BuildError> {
    let (mut starts, mut edges) = (vec![0], Vec::new());
    let (mut state, mut watched) = (0, 0);
    while state < state_graph.states() {
        state_graph.expand(state)?;
        let steps = state_graph.steps_of(state).iter().enumerate();
        edges.extend(steps.map(|(choice, step)| Edge {
            target: step.target,
            ticks: 1,
            effect: step.effect,
            choice: choice as u32,
        }));
        starts.push(edges.len() as u32);
        state += 1;
        if edges.len() >= watched + WATCH_EVERY {
            watched = edges.len();
            // What is counted here comes beside the steps of the graph, which stay; a number for each state
            // is made at the end.
            let starts = (starts.capacity() + state_graph.states() as usize) * size_of::<u32>();
            state_graph.watch((starts + edges.capacity() * size_of::<Edge>()) as u64)?;
        }
    }
    let states = (0..state_graph.states()).collect();
    Ok(Timed { state_graph: Rc::new(state_graph), states, starts, edges, tick: None })
}

/// Builds the same view for synchronous systems, where a step is a clock tick of one unit of time.
pub fn build_clocked(state_graph: StateGraph<'_>) -> Result<Timed<'_>, BuildError> {
    Ok(Timed { tick: Some(Time::from_integer(1)), ..build_untimed(state_graph)? })
}

/// Builds the timed view.
pub fn build(state_graph: StateGraph<'_>) -> Result<Result<Timed<'_>, BuildError>, Unscalable> {
    let built = build_within(state_graph, usize::MAX)?;
    Ok(built.and_then(|built| built.ok_or(BuildError::Limit(Limit::Memory))))
}

/// Builds the timed view; `None` if it has more edges than that.
pub fn build_within(
    state_graph: StateGraph<'_>,
    max_edges: usize,
) -> Result<Result<Option<Timed<'_>>, BuildError>, Unscalable> {
    let (windows, tick) = scale(&state_graph)?;
    Ok(run(state_graph, &windows, tick, max_edges))
}

/// Returns all delays in ticks, and how long a tick is: as long as possible.
pub(super) fn scale(state_graph: &StateGraph<'_>) -> Result<(Vec<Window>, Time), Unscalable> {
    let mut windows = Vec::new();
    for delayed in state_graph.timing().delays() {
        if delayed.speed.is_some() {
            return Err(Unscalable::Changing(delayed.name.clone()));
        }
        let random = || Unscalable::Random(delayed.name.clone());
        windows.push(delayed.delay.window().ok_or_else(random)?);
    }
    let times = || windows.iter().flat_map(|(least, most)| [*least, *most]).filter(|time| !time.is_zero());
    // The greatest time of which all are multiples.
    let tick = times().reduce(|tick, time| {
        let denominator = tick.denom() * time.denom();
        Time::new(divisor(tick.numer() * time.denom(), time.numer() * tick.denom()), denominator)
    });
    let tick = tick.unwrap_or_else(|| Time::from_integer(1));
    let ticks = |(least, most): &(Time, Time)| {
        let whole = |time: &Time| u32::try_from((time / tick).to_integer()).ok();
        Some((whole(least)?, whole(most)?))
    };
    let names = state_graph.timing().delays().iter().map(|delayed| &delayed.name);
    let scaled = windows.iter().zip(names).map(|(window, name)| {
        ticks(window).filter(|(_, most)| *most < MAX_TICKS).ok_or_else(|| Unscalable::TooLong(name.clone()))
    });
    Ok((scaled.collect::<Result<_, _>>()?, tick))
}

/// Returns how many ticks the widest range of a delay has; 0 if there is none, or delays can't be counted.
pub fn widest_range(state_graph: &StateGraph<'_>) -> u32 {
    let windows = scale(state_graph).map_or_else(|_| Vec::new(), |(windows, _)| windows);
    windows.iter().map(|(least, most)| most - least).max().unwrap_or(0)
}

/// A delay has fewer ticks than this.
const MAX_TICKS: u32 = 1 << 30;

/// Returns the greatest common divisor.
pub(super) fn divisor(mut first: i128, mut second: i128) -> i128 {
    while second != 0 {
        (first, second) = (second, first % second);
    }
    first.abs()
}

fn run<'a>(
    state_graph: StateGraph<'a>,
    windows: &[Window],
    tick: Time,
    max_edges: usize,
) -> Result<Option<Timed<'a>>, BuildError> {
    let mut nodes = Nodes::new(state_graph)?;
    let mut first = 0;
    while (first as usize) < nodes.len() {
        let round = nodes.round(first)?;
        for node in round.nodes().filter(|node| round.waits(*node)) {
            let_time_pass(&mut nodes, windows, node)?;
            if nodes.edges.len() > max_edges {
                return Ok(None);
            }
        }
        first = round.nodes().end;
    }
    Ok(Some(finish(nodes, tick)))
}

/// Lets time pass in a node until a delay expires, for every delay that may be the first.
fn let_time_pass(nodes: &mut Nodes<'_>, windows: &[Window], node: u32) -> Result<(), BuildError> {
    let state = nodes.state(node);
    let running = nodes.running(node);
    let window = |delay: u16| windows[usize::from(delay)];
    let left = running.iter().map(|(_, delay, far)| window(*delay).1 - far).min().unwrap_or(0);
    for choice in 0..nodes.state_graph.steps_of(state).len() as u32 {
        let effect = nodes.state_graph.steps_of(state)[choice as usize].effect;
        let Urgency::Timed(pid, delay) = nodes.state_graph.effect(effect).urgency else { continue };
        let clock = running.iter().find(|(known, other, _)| (*known, *other) == (pid, delay));
        let earliest = clock.map_or(0, |(_, delay, far)| window(*delay).0.saturating_sub(*far));
        for ticks in earliest..=left {
            let target = nodes.follow(node, &running, choice, ticks)?;
            nodes.edges.push((node, Edge { target, ticks, effect, choice }));
            nodes.watch(nodes.edges.len(), 0)?;
        }
    }
    Ok(())
}

/// Puts the edges of each node together.
pub(super) fn finish(nodes: Nodes<'_>, tick: Time) -> Timed<'_> {
    let (states, found, state_graph) = nodes.into_parts();
    let mut starts = vec![0_u32; states.len() + 1];
    for (from, _) in &found {
        starts[*from as usize + 1] += 1;
    }
    for node in 1..starts.len() {
        starts[node] += starts[node - 1];
    }
    let mut next = starts.clone();
    let mut edges = vec![Edge { target: 0, ticks: 0, effect: 0, choice: 0 }; found.len()];
    for (from, edge) in found {
        edges[next[from as usize] as usize] = edge;
        next[from as usize] += 1;
    }
    Timed { state_graph: Rc::new(state_graph), states, starts, edges, tick: Some(tick) }
}
