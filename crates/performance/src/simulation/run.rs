//! One replication: a walk through the table.

use std::collections::VecDeque;

use narrows_graph::Random;

use super::table::{DRAWN, FRESH, Jump, NONE, Table};
use super::tally::Tally;
use super::{Scene, SimulationError};
use crate::requests::{Change, Order};

/// The watch is asked every so many events.
pub(super) const WATCH_EVERY: u64 = 1 << 14;

/// Fixed delays whose ends are nearer than this part of them end at the same time.
const SAME: f64 = 1e-12;

/// The requests of a kind that are open: what measures them, their order, and when they have begun.
type OpenRequests = (u16, Order, VecDeque<f64>);

/// A replication, wherever it is.
#[derive(Clone, Debug)]
pub(super) struct Run {
    random: Random,
    row: u32,
    /// The state in which it was left, for another table.
    bytes: Vec<u8>,
    pub(super) time: f64,
    /// The work that is left of each clock with memory in the row.
    left: Vec<f64>,
    spare: Vec<f64>,
    /// When the open requests of each kind have begun, with the number of what measures them and their order.
    open: Vec<OpenRequests>,
    /// Whether nothing happens any more.
    pub(super) is_over: bool,
}

impl Run {
    /// Begins a replication.
    pub(super) fn start(
        table: &mut Table<'_>,
        random: Random,
        tally: &mut Tally,
    ) -> Result<Run, SimulationError> {
        let mut open = Vec::new();
        for (number, requests) in (0..).zip(&table.scene.requests) {
            open.extend(requests.kinds.iter().map(|_| (number, requests.order, VecDeque::new())));
        }
        let (left, spare) = (Vec::new(), Vec::new());
        let mut run = Run { random, row: 0, bytes: Vec::new(), time: 0.0, left, spare, open, is_over: false };
        let jump = table.start(&mut run.random)?;
        run.row = table.row(jump.state)?;
        tally.has_choices |= jump.is_open;
        run.land(table, &jump, tally, 1.0);
        run.leave(table);
        Ok(run)
    }

    /// Notes the state, so that another table can go on.
    pub(super) fn leave(&mut self, table: &Table<'_>) {
        self.bytes = table.graph.state(table.rows[self.row as usize].state);
    }

    /// Goes on in a table.
    pub(super) fn enter(&mut self, table: &mut Table<'_>) -> Result<(), SimulationError> {
        let state = table.graph.number(&self.bytes);
        self.row = table.row(state)?;
        Ok(())
    }

    /// Returns a value of the state it is in.
    pub(super) fn value(&self, table: &Table<'_>, value: usize) -> f64 {
        let channel = table.scene.timing.events().len() + value;
        let rates = table.rows[self.row as usize].rates.iter();
        rates.filter(|(known, _)| usize::from(*known) == channel).map(|(_, value)| *value).sum()
    }

    /// Returns how near it is to what is rare.
    pub(super) fn level(&self, table: &Table<'_>) -> u32 {
        table.rows[self.row as usize].level
    }

    /// Returns whether nothing happens any more.
    pub(super) fn is_stuck(&self, table: &Table<'_>) -> bool {
        let row = &table.rows[self.row as usize];
        row.total <= 0.0 && row.clocks.iter().all(|slot| slot.speed <= 0.0)
    }

    /// Returns the same run with other random numbers from here on.
    pub(super) fn split(&mut self) -> Run {
        Run { random: Random::new(self.random.bits()), ..self.clone() }
    }

    /// Lets time pass until some moment.
    pub(super) fn advance(
        &mut self,
        table: &mut Table<'_>,
        until: f64,
        tally: &mut Tally,
    ) -> Result<(), SimulationError> {
        while self.step(table, until, tally, 1.0)? {
            if tally.events.is_multiple_of(WATCH_EVERY) {
                self.pause(table)?;
            }
        }
        Ok(())
    }

    /// Asks whether to go on, and makes room if there is none.
    pub(super) fn pause(&mut self, table: &mut Table<'_>) -> Result<(), SimulationError> {
        table.watch()?;
        self.leave(table);
        if table.shrink()? {
            self.enter(table)?;
        }
        Ok(())
    }

    /// Lets time pass until the next delay expires, and takes what follows; returns whether that is not after
    /// some moment. What happens counts with a weight.
    #[inline]
    pub(super) fn step(
        &mut self,
        table: &mut Table<'_>,
        until: f64,
        tally: &mut Tally,
        weight: f64,
    ) -> Result<bool, SimulationError> {
        let row = &table.rows[self.row as usize];
        let mut step = if row.total > 0.0 { self.random.exponential() * row.mean } else { f64::INFINITY };
        let mut ends = None;
        for (place, (slot, left)) in row.clocks.iter().zip(&self.left).enumerate() {
            let need = if slot.speed > 0.0 { left / slot.speed } else { f64::INFINITY };
            if need < step {
                step = need.max(0.0);
                ends = Some(place);
            }
        }
        if self.time + step > until {
            let rest = until - self.time;
            for (channel, value) in &row.rates {
                tally.now[usize::from(*channel)] += value * rest * weight;
            }
            for (left, slot) in self.left.iter_mut().zip(&row.clocks) {
                *left -= rest * slot.speed;
            }
            self.time = until;
            self.is_over = self.is_stuck(table);
            return Ok(false);
        }
        for (channel, value) in &row.rates {
            tally.now[usize::from(*channel)] += value * step * weight;
        }
        self.time += step;
        tally.events += 1;
        let jump = match ends {
            None => {
                let ticket = self.random.fraction() * row.total;
                let last = row.race.len() - 1;
                row.race[..last].iter().find(|(upto, _)| ticket <= *upto).unwrap_or(&row.race[last]).1
            }
            Some(place) => {
                let place = self.draw_tie(table, place, step, tally);
                let row = &table.rows[self.row as usize];
                for (left, slot) in self.left.iter_mut().zip(&row.clocks) {
                    *left -= step * slot.speed;
                }
                row.clocks[place].jump
            }
        };
        if ends.is_none() && !self.left.is_empty() {
            let row = &table.rows[self.row as usize];
            for (left, slot) in self.left.iter_mut().zip(&row.clocks) {
                *left -= step * slot.speed;
            }
        }
        self.take(table, jump, tally, weight)?;
        Ok(true)
    }

    /// Draws one of the clocks that expire at the same time.
    fn draw_tie(&mut self, table: &Table<'_>, first: usize, step: f64, tally: &mut Tally) -> usize {
        let row = &table.rows[self.row as usize];
        let ends = |place: &usize| {
            let slot = row.clocks[*place];
            let near = table.samplers[usize::from(slot.delay)].fixed().map(|time| step + time * SAME);
            near.is_some_and(|near| slot.speed > 0.0 && self.left[*place] / slot.speed <= near)
        };
        if !ends(&first) || (0..row.clocks.len()).filter(ends).nth(1).is_none() {
            return first;
        }
        let ties: Vec<usize> = (0..row.clocks.len()).filter(ends).collect();
        tally.has_choices = true;
        ties[self.random.index(ties.len())]
    }

    /// Takes a jump.
    fn take(
        &mut self,
        table: &mut Table<'_>,
        number: u32,
        tally: &mut Tally,
        weight: f64,
    ) -> Result<(), SimulationError> {
        let Some(number) = self.find_jump(table, number)? else {
            let jump = table.draw(number, &mut self.random)?;
            tally.has_choices |= jump.is_open;
            self.row = table.row(jump.state)?;
            self.land(table, &jump, tally, weight);
            return Ok(());
        };
        let jump = &table.jumps[number as usize];
        tally.has_choices |= jump.is_open;
        self.row = jump.row;
        self.land(table, jump, tally, weight);
        Ok(())
    }

    /// Finds the jump that is taken and its row, given that of the delay that ends; `None` if its way is
    /// drawn step by step.
    #[inline]
    fn find_jump(&mut self, table: &mut Table<'_>, number: u32) -> Result<Option<u32>, SimulationError> {
        let jump = &table.jumps[number as usize];
        if jump.row < DRAWN && jump.count == 0 { Ok(Some(number)) } else { self.find_new_jump(table, number) }
    }

    #[cold]
    fn find_new_jump(
        &mut self,
        table: &mut Table<'_>,
        mut number: u32,
    ) -> Result<Option<u32>, SimulationError> {
        if table.jumps[number as usize].row == NONE && table.jumps[number as usize].state == NONE {
            table.expire(number)?;
        }
        let Jump { row: first, count, .. } = table.jumps[number as usize];
        if count > 0 {
            let ticket = self.random.fraction();
            let jumps = &table.jumps[first as usize..(first + count) as usize];
            number = first + jumps.iter().position(|jump| ticket <= jump.upto).unwrap_or(0) as u32;
        }
        let Jump { row, state, .. } = table.jumps[number as usize];
        if row == DRAWN {
            return Ok(None);
        }
        if row == NONE {
            table.jumps[number as usize].row = table.row(state)?;
        }
        Ok(Some(number))
    }

    /// Counts what a jump does, and begins new delays.
    fn land(&mut self, table: &Table<'_>, jump: &Jump, tally: &mut Tally, weight: f64) {
        for (channel, count) in &jump.counts {
            tally.now[usize::from(*channel)] += count * weight;
        }
        for (kind, change) in &jump.changes {
            if usize::from(*kind) < self.open.len() {
                self.change(table.scene, *kind, *change, tally);
            } else {
                // The last kind ends at the target.
                tally.has_arrived |= change.end > 0;
            }
        }
        if let Some(moved) = &jump.moved {
            self.open = self.exchanged(moved);
        }
        if jump.carry.is_empty() {
            self.left.clear();
            return;
        }
        self.spare.clear();
        let row = &table.rows[self.row as usize];
        for (place, slot) in jump.carry.iter().zip(&row.clocks) {
            let left = if *place == FRESH {
                table.samplers[usize::from(slot.delay)].draw(&mut self.random)
            } else {
                self.left[usize::from(*place)]
            };
            self.spare.push(left);
        }
        std::mem::swap(&mut self.left, &mut self.spare);
    }

    /// Returns the open requests of processes that have moved, whose numbers are those of kinds.
    fn exchanged(&mut self, moved: &[u8]) -> Vec<OpenRequests> {
        let mut open: Vec<OpenRequests> = std::mem::take(&mut self.open);
        let own: Vec<OpenRequests> = open.iter_mut().take(moved.len()).map(std::mem::take).collect();
        for (requests, to) in own.into_iter().zip(moved) {
            open[usize::from(*to)] = requests;
        }
        open
    }

    /// Begins and ends requests of a kind.
    fn change(&mut self, scene: &Scene<'_>, kind: u16, change: Change, tally: &mut Tally) {
        let (number, order, open) = &mut self.open[usize::from(kind)];
        let now = self.time;
        let times = scene.timing.events().len() + scene.values.len() + 2 * usize::from(*number);
        let mut end = |begun: f64| {
            tally.now[times] += now - begun;
            tally.now[times + 1] += 1.0;
            tally.histograms[usize::from(*number)].add(now - begun);
        };
        match order {
            Order::Fifo => {
                open.extend((0..change.begin).map(|_| now));
                for _ in 0..change.both {
                    open.pop_front().into_iter().for_each(&mut end);
                    open.push_back(now);
                }
                (0..change.end).filter_map(|_| open.pop_front()).for_each(end);
            }
            Order::Lifo => {
                (0..change.both).for_each(|_| end(now));
                (0..change.end).filter_map(|_| open.pop_back()).for_each(end);
                open.extend((0..change.begin).map(|_| now));
            }
            Order::Next => {
                (0..change.both).for_each(|_| end(now));
                if change.end > 0 {
                    open.drain(..).for_each(end);
                }
                open.extend((0..change.begin).map(|_| now));
            }
        }
    }
}
