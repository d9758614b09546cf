//! Discrete-event simulation with batch means: a check of what is computed.

use narrows_graph::Random;

use crate::{BuildError, Delay, StateGraph, Urgency, as_f64};

/// How delays are drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Draw {
    /// As the study says; intervals are uniform.
    AsGiven,
    /// As in the stochastic view: every delay is exponential or Erlang distributed.
    Random,
}

/// The counts of one batch.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Batch {
    /// How much time passed.
    pub time: f64,
    /// How often each event happened.
    pub counts: Vec<u64>,
    /// For how long each predicate held.
    pub held: Vec<f64>,
}

/// After so many immediate steps in a row, a model counts as busy waiting.
const PATIENCE: u32 = 1_000;

/// The watch is asked every so many steps.
const WATCH_EVERY: u64 = 1 << 12;

/// A running delay: process, delay, and remaining time.
type Running = (u8, u16, f64);

/// Simulates a model for some batches of so many expired delays each; every predicate is evaluated in each
/// state in which time passes. Ends early in a deadlock.
pub fn simulate(
    state_graph: &mut StateGraph<'_>,
    draw: Draw,
    seed: u64,
    batches: usize,
    ends_in_batch: u64,
    predicates: usize,
    holds: &mut dyn FnMut(&StateGraph<'_>, u32, usize) -> bool,
    speed: &mut dyn FnMut(&StateGraph<'_>, u32, u16) -> f64,
) -> Result<Vec<Batch>, BuildError> {
    let mut random = Random::new(seed);
    let mut run = Run { state: 0, clocks: Vec::new(), without_time: 0 };
    let events = state_graph.timing().events().len();
    let mut list = Vec::new();
    let mut steps: u64 = 0;
    for _ in 0..batches {
        let mut batch = Batch { time: 0.0, counts: vec![0; events], held: vec![0.0; predicates] };
        let mut ends = 0;
        while ends < ends_in_batch {
            steps += 1;
            if steps.is_multiple_of(WATCH_EVERY) {
                state_graph.watch(0)?;
            }
            state_graph.expand(run.state)?;
            if run.takes_step(state_graph, &mut random, &mut batch)? {
                continue;
            }
            run.draw_clocks(state_graph, draw, &mut random, speed);
            let next = run.clocks.iter().copied().min_by(|left, right| left.2.total_cmp(&right.2));
            let Some((pid, delay, time)) = next else { return Ok(list) };
            batch.time += time;
            for (number, held) in batch.held.iter_mut().enumerate() {
                *held += if holds(state_graph, run.state, number) { time } else { 0.0 };
            }
            run.clocks.iter_mut().for_each(|clock| clock.2 -= time);
            run.ends(state_graph, &mut random, pid, delay, &mut batch)?;
            ends += 1;
        }
        list.push(batch);
    }
    Ok(list)
}

/// The current state of a run.
struct Run {
    state: u32,
    clocks: Vec<Running>,
    without_time: u32,
}

impl Run {
    /// Takes an immediate step, if there is one and the model is not busy waiting.
    fn takes_step(
        &mut self,
        state_graph: &mut StateGraph<'_>,
        random: &mut Random,
        batch: &mut Batch,
    ) -> Result<bool, BuildError> {
        let now = |state_graph: &StateGraph<'_>, choice: &usize| {
            state_graph.effect(state_graph.steps_of(self.state)[*choice].effect).urgency == Urgency::Immediate
        };
        let choices: Vec<usize> =
            (0..state_graph.steps_of(self.state).len()).filter(|choice| now(state_graph, choice)).collect();
        let is_waiting = self.without_time >= PATIENCE && !self.running(state_graph).is_empty();
        if choices.is_empty() || is_waiting {
            return Ok(false);
        }
        self.without_time += 1;
        self.take(state_graph, pick(state_graph, self.state, &choices, random), batch)?;
        Ok(true)
    }

    /// Takes one of the steps of an expired delay.
    fn ends(
        &mut self,
        state_graph: &mut StateGraph<'_>,
        random: &mut Random,
        pid: u8,
        delay: u16,
        batch: &mut Batch,
    ) -> Result<(), BuildError> {
        let ended = |state_graph: &StateGraph<'_>, choice: &usize| {
            state_graph.effect(state_graph.steps_of(self.state)[*choice].effect).urgency
                == Urgency::Timed(pid, delay)
        };
        let choices: Vec<usize> =
            (0..state_graph.steps_of(self.state).len()).filter(|choice| ended(state_graph, choice)).collect();
        self.without_time = 0;
        self.take(state_graph, pick(state_graph, self.state, &choices, random), batch)
    }

    fn take(
        &mut self,
        state_graph: &mut StateGraph<'_>,
        choice: usize,
        batch: &mut Batch,
    ) -> Result<(), BuildError> {
        let step = state_graph.steps_of(self.state)[choice];
        state_graph.expand(step.target)?;
        let effect = state_graph.effect(step.effect);
        for (event, count) in &effect.events {
            batch.counts[usize::from(*event)] += u64::from(*count);
        }
        self.state = step.target;
        let running = self.running(state_graph);
        self.clocks
            .retain(|(pid, delay, _)| !effect.stops(*pid, *delay) && running.contains(&(*pid, *delay)));
        Ok(())
    }

    /// Returns which delays run.
    fn running(&self, state_graph: &StateGraph<'_>) -> Vec<(u8, u16)> {
        let mut running = Vec::new();
        for step in state_graph.steps_of(self.state) {
            if let Urgency::Timed(pid, delay) = state_graph.effect(step.effect).urgency
                && !running.contains(&(pid, delay))
            {
                running.push((pid, delay));
            }
        }
        running
    }

    /// Samples the delays that have just started; those whose speed may have changed are sampled again, which
    /// makes no difference as they are memoryless.
    fn draw_clocks(
        &mut self,
        state_graph: &StateGraph<'_>,
        draw: Draw,
        random: &mut Random,
        speed: &mut dyn FnMut(&StateGraph<'_>, u32, u16) -> f64,
    ) {
        for (pid, delay) in self.running(state_graph) {
            let delayed = &state_graph.timing().delays()[usize::from(delay)];
            let has_speed = delayed.speed.is_some();
            if has_speed {
                self.clocks.retain(|(other, number, _)| (*other, *number) != (pid, delay));
            }
            if self.clocks.iter().any(|(other, number, _)| (*other, *number) == (pid, delay)) {
                continue;
            }
            let speed = if has_speed { speed(state_graph, self.state, delay) } else { 1.0 };
            if speed > 0.0 {
                self.clocks.push((pid, delay, time_of(&delayed.delay, draw, random) / speed));
            }
        }
    }
}

/// Picks one of the enabled steps: the random choices of one process count as one alternative.
fn pick(state_graph: &StateGraph<'_>, state: u32, choices: &[usize], random: &mut Random) -> usize {
    let chance = |choice: usize| state_graph.effect(state_graph.steps_of(state)[choice].effect).chance;
    let mut firsts: Vec<usize> = Vec::new();
    for choice in choices {
        let same =
            |first: &usize| chance(*first).zip(chance(*choice)).is_some_and(|(one, other)| one.0 == other.0);
        if !firsts.iter().any(same) {
            firsts.push(*choice);
        }
    }
    let first = firsts[random.below(firsts.len() as u64) as usize];
    let Some((pid, _)) = chance(first) else { return first };
    let weighted = || choices.iter().filter_map(|choice| Some((*choice, chance(*choice)?)));
    let own =
        || weighted().filter(|(_, (other, _))| *other == pid).map(|(choice, (_, weight))| (choice, weight));
    let total: u64 = own().map(|(_, weight)| u64::from(weight)).sum();
    let mut left = random.below(total.max(1));
    for (choice, weight) in own() {
        if left < u64::from(weight) {
            return choice;
        }
        left -= u64::from(weight);
    }
    first
}

fn time_of(delay: &Delay, draw: Draw, random: &mut Random) -> f64 {
    match (draw, delay) {
        (Draw::AsGiven, Delay::Fixed(time)) => as_f64(*time),
        (Draw::AsGiven, Delay::Between(least, most)) => {
            as_f64(*least) + (as_f64(*most) - as_f64(*least)) * random.fraction()
        }
        _ => {
            let stages = delay.stages();
            let mean = as_f64(delay.mean()) / f64::from(stages);
            (0..stages).map(|_| -random.fraction().ln() * mean).sum()
        }
    }
}
