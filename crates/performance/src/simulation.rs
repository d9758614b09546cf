//! Runs a model with its delays at random, and counts: a check of what is computed.

use crate::random::Random;
use crate::{Delay, Pace, Rows, Trouble, as_f64};

/// How delays are drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Draw {
    /// Fixed delays are fixed, and any time of a range is as likely as another.
    AsGiven,
    /// Every delay is random and has no memory, or is a sum of such.
    Random,
}

/// What was counted in a part of a run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Part {
    /// How much time passed.
    pub time: f64,
    /// How often each event happened.
    pub counts: Vec<u64>,
    /// For how long each predicate held.
    pub held: Vec<f64>,
}

/// After so many steps without a delay in a row, a model counts as waiting.
const PATIENCE: u32 = 1_000;

/// After so many steps the watch is asked.
const WATCH_EVERY: u64 = 1 << 12;

/// A delay that runs: the process, the delay, and how much time is left.
type Running = (u8, u16, f64);

/// Runs a model until so many delays have ended, part by part; every predicate is asked of each state in which time
/// passes. It ends early where nothing can happen any more.
pub fn simulate(
    rows: &mut Rows<'_>,
    draw: Draw,
    seed: u64,
    parts: usize,
    ends_in_part: u64,
    predicates: usize,
    holds: &mut dyn FnMut(&Rows<'_>, u32, usize) -> bool,
    speed: &mut dyn FnMut(&Rows<'_>, u32, u16) -> f64,
) -> Result<Vec<Part>, Trouble> {
    let mut random = Random::new(seed);
    let mut run = Run { state: 0, clocks: Vec::new(), without_time: 0 };
    let events = rows.timing().events().len();
    let mut list = Vec::new();
    let mut steps: u64 = 0;
    for _ in 0..parts {
        let mut part = Part { time: 0.0, counts: vec![0; events], held: vec![0.0; predicates] };
        let mut ends = 0;
        while ends < ends_in_part {
            steps += 1;
            if steps.is_multiple_of(WATCH_EVERY) {
                rows.watch(0)?;
            }
            rows.expand(run.state)?;
            if run.takes_step(rows, &mut random, &mut part)? {
                continue;
            }
            run.draw_clocks(rows, draw, &mut random, speed);
            let next = run.clocks.iter().copied().min_by(|left, right| left.2.total_cmp(&right.2));
            let Some((pid, delay, time)) = next else { return Ok(list) };
            part.time += time;
            for (number, held) in part.held.iter_mut().enumerate() {
                *held += if holds(rows, run.state, number) { time } else { 0.0 };
            }
            run.clocks.iter_mut().for_each(|clock| clock.2 -= time);
            run.ends(rows, &mut random, pid, delay, &mut part)?;
            ends += 1;
        }
        list.push(part);
    }
    Ok(list)
}

/// Where a run is.
struct Run {
    state: u32,
    clocks: Vec<Running>,
    without_time: u32,
}

impl Run {
    /// Takes a step without a delay, if there is one and the model is not busy waiting.
    fn takes_step(
        &mut self,
        rows: &mut Rows<'_>,
        random: &mut Random,
        part: &mut Part,
    ) -> Result<bool, Trouble> {
        let now =
            |rows: &Rows<'_>, choice: &usize| rows.deed(rows.row(self.state)[*choice].deed).pace == Pace::Now;
        let choices: Vec<usize> =
            (0..rows.row(self.state).len()).filter(|choice| now(rows, choice)).collect();
        let is_waiting = self.without_time >= PATIENCE && !self.running(rows).is_empty();
        if choices.is_empty() || is_waiting {
            return Ok(false);
        }
        self.without_time += 1;
        self.take(rows, pick(rows, self.state, &choices, random), part)?;
        Ok(true)
    }

    /// Takes one of the steps that a delay stood before.
    fn ends(
        &mut self,
        rows: &mut Rows<'_>,
        random: &mut Random,
        pid: u8,
        delay: u16,
        part: &mut Part,
    ) -> Result<(), Trouble> {
        let ended = |rows: &Rows<'_>, choice: &usize| {
            rows.deed(rows.row(self.state)[*choice].deed).pace == Pace::Later(pid, delay)
        };
        let choices: Vec<usize> =
            (0..rows.row(self.state).len()).filter(|choice| ended(rows, choice)).collect();
        self.without_time = 0;
        self.take(rows, pick(rows, self.state, &choices, random), part)
    }

    fn take(&mut self, rows: &mut Rows<'_>, choice: usize, part: &mut Part) -> Result<(), Trouble> {
        let step = rows.row(self.state)[choice];
        rows.expand(step.target)?;
        let deed = rows.deed(step.deed);
        for (event, count) in &deed.events {
            part.counts[usize::from(*event)] += u64::from(*count);
        }
        self.state = step.target;
        let running = self.running(rows);
        self.clocks.retain(|(pid, delay, _)| !deed.stops(*pid, *delay) && running.contains(&(*pid, *delay)));
        Ok(())
    }

    /// Returns which delays run.
    fn running(&self, rows: &Rows<'_>) -> Vec<(u8, u16)> {
        let mut running = Vec::new();
        for step in rows.row(self.state) {
            if let Pace::Later(pid, delay) = rows.deed(step.deed).pace
                && !running.contains(&(pid, delay))
            {
                running.push((pid, delay));
            }
        }
        running
    }

    /// Draws how long delays take that have just started; those whose speed may have changed are drawn anew, which makes
    /// no difference as they have no memory.
    fn draw_clocks(
        &mut self,
        rows: &Rows<'_>,
        draw: Draw,
        random: &mut Random,
        speed: &mut dyn FnMut(&Rows<'_>, u32, u16) -> f64,
    ) {
        for (pid, delay) in self.running(rows) {
            let delayed = &rows.timing().delays()[usize::from(delay)];
            let has_speed = delayed.speed.is_some();
            if has_speed {
                self.clocks.retain(|(other, number, _)| (*other, *number) != (pid, delay));
            }
            if self.clocks.iter().any(|(other, number, _)| (*other, *number) == (pid, delay)) {
                continue;
            }
            let speed = if has_speed { speed(rows, self.state, delay) } else { 1.0 };
            if speed > 0.0 {
                self.clocks.push((pid, delay, time_of(&delayed.delay, draw, random) / speed));
            }
        }
    }
}

/// Picks one of some steps: each process whose steps are taken by chance is one choice among others.
fn pick(rows: &Rows<'_>, state: u32, choices: &[usize], random: &mut Random) -> usize {
    let chance = |choice: usize| rows.deed(rows.row(state)[choice].deed).chance;
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
