//! The table that runs walk through: a row for each state in which time passes.
//!
//! A row is made when a run comes there first, and what follows the end of a delay when it first ends. Where
//! processes are equal, a state stands for all that exchanges make of it: delays that run and requests that
//! are open go with the processes.

use std::rc::Rc;

use narrows_model::{Budget, Evaluator, Violation};
use rustc_hash::FxHashMap;

use super::changes::Kinds;
use super::instant::Outcome;
use super::run::WATCH_EVERY;
use super::sample::{Sampler, scale_of};
use super::{Scene, SimulationError};
use crate::exchange::{Canon, Exchange, Moved};
use crate::requests::Change;
use crate::{BuildError, StateGraph, Step, Urgency};

/// Marks a state without a row, and a target that has none yet.
pub(super) const NONE: u32 = u32::MAX;

/// Marks a jump whose way is drawn step by step.
pub(super) const DRAWN: u32 = u32::MAX - 1;

/// In [`Jump::carry`], a delay that begins.
pub(super) const FRESH: u8 = u8::MAX;

/// So many delays with memory may run in a state.
pub(super) const MAX_CLOCKS: usize = 128;

/// A running delay: the process and the number of the delay.
pub(super) type Clock = (u8, u16);

/// What happens in a state in which time passes.
#[derive(Debug, Default)]
pub(super) struct Row {
    /// The state; of busy waiting, one of its states.
    pub(super) state: u32,
    /// How near it is to what is rare.
    pub(super) level: u32,
    /// The channels that grow with time, and how fast.
    pub(super) rates: Box<[(u16, f64)]>,
    /// How fast the delays without memory expire, all together; and the mean time until one does.
    pub(super) total: f64,
    pub(super) mean: f64,
    /// Up to which part of the total each of them goes, and its jump.
    pub(super) race: Box<[(f64, u32)]>,
    /// Delays with memory, in order.
    pub(super) clocks: Box<[SlotRow]>,
}

/// A delay with memory in a row.
#[derive(Clone, Copy, Debug)]
pub(super) struct SlotRow {
    /// The number of the delay.
    pub(super) delay: u16,
    /// How fast its work is done.
    pub(super) speed: f64,
    /// Its jump.
    pub(super) jump: u32,
}

/// From the end of a delay to the next state in which time passes.
#[derive(Clone, Debug, Default)]
pub(super) struct Jump {
    /// How likely it is, with all jumps before it.
    pub(super) upto: f64,
    /// Its row, once there is one; of several, the first.
    pub(super) row: u32,
    /// Its state; [`NONE`] if it is not known yet, or there is more than one.
    pub(super) state: u32,
    /// If it stands for several jumps, how many.
    pub(super) count: u32,
    /// How often events happen, by channel.
    pub(super) counts: Box<[(u16, f64)]>,
    /// What happens to requests, by kind.
    pub(super) changes: Box<[(u16, Change)]>,
    /// For each clock of the target where it ran before, or [`FRESH`].
    pub(super) carry: Box<[u8]>,
    /// Where processes go, if requests are told apart by them.
    pub(super) moved: Option<Moved>,
    /// Whether it is one of several between which the model leaves the choice open.
    pub(super) is_open: bool,
}

impl Jump {
    /// Returns about how many bytes it takes.
    pub(super) fn memory(&self) -> usize {
        size_of::<Jump>() + 16 * self.counts.len() + 20 * self.changes.len() + self.carry.len()
    }
}

/// Whether time passes in a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Class {
    Unknown,
    /// Nothing is immediate.
    Tangible,
    /// Immediate steps lead to where time passes.
    Vanishing,
    /// Busy waiting: in one of the components of immediate steps that are never left.
    Waiting(u32),
}

/// States, what is known about them, and rows.
pub(super) struct Table<'a> {
    pub(super) scene: &'a Scene<'a>,
    pub(super) graph: StateGraph<'a>,
    pub(super) samplers: Vec<Sampler>,
    /// How many units of time in which runs are counted make one of the study's.
    pub(super) scale: f64,
    evaluator: Option<Evaluator<'a>>,
    budget: Budget,
    classes: Vec<Class>,
    /// The states of each component of busy waiting, in the order of their bytes.
    pub(super) waiting: Vec<Vec<u32>>,
    values: FxHashMap<u32, Box<[f64]>>,
    row_of: Vec<u32>,
    pub(super) rows: Vec<Row>,
    pub(super) jumps: Vec<Jump>,
    /// The state and the clock at whose end each jump is taken that was made for one.
    pub(super) expiries: FxHashMap<u32, (u32, Clock)>,
    /// What follows each state that is left at once.
    pub(super) known: FxHashMap<u32, Rc<Outcome>>,
    pub(super) kinds: Kinds,
    /// Finds the state that stands for all that exchanges of equal processes make of it.
    exchange: Option<Exchange<'a>>,
    /// Which delays with memory run in each state, as far as that is known.
    clocks: Vec<Option<Box<[Clock]>>>,
    /// About how many bytes the rows take.
    pub(super) bytes: usize,
}

impl<'a> Table<'a> {
    pub(super) fn new(scene: &'a Scene<'a>, budget: &Budget) -> Result<Table<'a>, SimulationError> {
        let mut graph = StateGraph::new(scene.space, scene.system, scene.timing, budget.clone())?;
        if let Some(rename) = scene.rename {
            graph = graph.renaming(Box::new(rename));
        }
        let (delays, scale) = (scene.timing.delays(), scale_of(scene));
        Ok(Table {
            scene,
            graph,
            samplers: delays.iter().map(|one| Sampler::new(&one.delay, scene.draw, scale)).collect(),
            scale,
            evaluator: scene.system.map(Evaluator::new),
            budget: budget.clone(),
            classes: Vec::new(),
            waiting: Vec::new(),
            values: FxHashMap::default(),
            row_of: Vec::new(),
            rows: Vec::new(),
            jumps: Vec::new(),
            expiries: FxHashMap::default(),
            known: FxHashMap::default(),
            kinds: Kinds::new(scene),
            exchange: scene.symmetry.map(Exchange::new),
            clocks: Vec::new(),
            bytes: 0,
        })
    }

    /// Empties the table if it has grown too large; returns whether it has, and then all numbers of states
    /// and rows mean nothing any more.
    pub(super) fn shrink(&mut self) -> Result<bool, SimulationError> {
        let values = self.values.len() * (32 + 8 * (self.scene.values.len() + self.scene.sizes.len()));
        let exchange = self.exchange.as_ref().map_or(0, Exchange::memory);
        let bytes = self.graph.memory() + exchange + (self.bytes + values + self.classes.len() * 28) as u64;
        let is_large = bytes > self.budget.memory / 2;
        if is_large {
            let scene = self.scene;
            *self = Table::new(scene, &self.budget.clone())?;
        }
        Ok(is_large)
    }

    /// Asks whether to go on, every so many events.
    pub(super) fn watch_now_and_then(&self, events: u64) -> Result<(), SimulationError> {
        if events.is_multiple_of(WATCH_EVERY) { self.watch() } else { Ok(()) }
    }

    /// Asks whether to go on.
    pub(super) fn watch(&self) -> Result<(), SimulationError> {
        Ok(self.graph.watch(0)?)
    }

    /// Returns the steps of a state.
    pub(super) fn steps(&mut self, state: u32) -> Result<Vec<Step>, BuildError> {
        self.graph.expand(state)?;
        Ok(self.graph.steps_of(state).to_vec())
    }

    pub(super) fn is_immediate(&self, step: &Step) -> bool {
        self.graph.effect(step.effect).urgency == Urgency::Immediate
    }

    /// Returns the state that stands for a state, and where processes go.
    pub(super) fn canonical(&mut self, state: u32) -> Result<(u32, Option<Moved>), SimulationError> {
        let Some(exchange) = &mut self.exchange else { return Ok((state, None)) };
        let Canon { state, moved } = exchange.note(&mut self.graph, state)?;
        Ok((state, moved))
    }

    /// Finds out which delays with memory run in a state.
    pub(super) fn note_clocks(&mut self, state: u32) -> Result<(), SimulationError> {
        if self.clocks.get(state as usize).is_some_and(Option::is_some) {
            return Ok(());
        }
        let mut clocks = self.running(state)?;
        clocks.retain(|(_, delay)| self.samplers[usize::from(*delay)].rate().is_none());
        if clocks.len() > MAX_CLOCKS {
            return Err(SimulationError::TooManyClocks);
        }
        if self.clocks.len() <= state as usize {
            self.clocks.resize(self.graph.states() as usize, None);
        }
        self.bytes += 4 * clocks.len();
        self.clocks[state as usize] = Some(clocks.into());
        Ok(())
    }

    /// Returns which delays with memory run in a state, in order, once that is found out.
    pub(super) fn known_clocks(&self, state: u32) -> &[Clock] {
        self.clocks.get(state as usize).and_then(Option::as_deref).unwrap_or_default()
    }

    /// Returns all values of a state, and the logarithms of its sizes.
    pub(super) fn values(&mut self, state: u32) -> Result<&[f64], SimulationError> {
        if !self.values.contains_key(&state) {
            let bytes = self.graph.state(state);
            let wrong = |violation: Violation| BuildError::Wrong(violation, Vec::new());
            let values = self.scene.values.iter().map(|value| value(&bytes));
            let sizes = self.scene.sizes.iter().map(|size| size(&bytes).map(|size| size.abs().ln_1p()));
            let found: Result<Box<[f64]>, _> = values.chain(sizes).collect();
            self.values.insert(state, found.map_err(wrong)?);
        }
        Ok(self.values.get(&state).map_or(&[], |values| values))
    }

    /// Returns how fast a delay goes in a state.
    fn speed(&self, state: u32, delay: u16) -> Result<f64, SimulationError> {
        let speed = &self.scene.timing.delays()[usize::from(delay)].speed;
        let (Some((times, over)), Some(evaluator)) = (speed, &self.evaluator) else { return Ok(1.0) };
        let bytes = self.graph.state(state);
        let mut seen = evaluator.observe(&bytes);
        let mut value = |expr| seen.value(expr).map(f64::from);
        let found = value(times).and_then(|times| Ok((times, over.as_ref().map_or(Ok(1.0), value)?)));
        let (times, over) = found.map_err(|wrong| BuildError::Wrong(wrong, Vec::new()))?;
        Ok(if times > 0.0 && over > 0.0 { times / over } else { 0.0 })
    }

    /// Returns what a state is to time.
    pub(super) fn class(&mut self, state: u32) -> Result<Class, SimulationError> {
        if self.known_class(state) == Class::Unknown {
            self.classify(state)?;
        }
        Ok(self.known_class(state))
    }

    fn known_class(&self, state: u32) -> Class {
        self.classes.get(state as usize).copied().unwrap_or(Class::Unknown)
    }

    fn set_class(&mut self, state: u32, class: Class) {
        if self.classes.len() <= state as usize {
            self.classes.resize(self.graph.states() as usize, Class::Unknown);
        }
        self.classes[state as usize] = class;
    }

    /// Looks for a way to where time passes: all states on it have one. If there is none, what was seen is
    /// busy waiting, and what leads to it.
    fn classify(&mut self, state: u32) -> Result<(), SimulationError> {
        let mut seen: FxHashMap<u32, u32> = FxHashMap::default();
        let (mut found, mut edges): (Vec<u32>, Vec<Vec<u32>>) = (vec![state], Vec::new());
        seen.insert(state, 0);
        // The way to each state, and from which one it was found.
        let mut parents: Vec<u32> = vec![NONE];
        let mut open = vec![0u32];
        while let Some(place) = open.pop() {
            let from = found[place as usize];
            let known = self.known_class(from);
            let steps = self.steps(from)?;
            let now: Vec<u32> =
                steps.iter().filter(|step| self.is_immediate(step)).map(|step| step.target).collect();
            if now.is_empty() {
                self.set_class(from, Class::Tangible);
            }
            if now.is_empty() || matches!(known, Class::Tangible | Class::Vanishing | Class::Waiting(_)) {
                let mut at = parents[place as usize];
                while at != NONE {
                    self.set_class(found[at as usize], Class::Vanishing);
                    at = parents[at as usize];
                }
                return Ok(());
            }
            edges.resize(edges.len().max(place as usize + 1), Vec::new());
            for target in now {
                let next = found.len() as u32;
                let number = *seen.entry(target).or_insert(next);
                if number == next {
                    found.push(target);
                    parents.push(place);
                    open.push(next);
                }
                edges[place as usize].push(number);
            }
        }
        edges.resize(found.len(), Vec::new());
        self.find_waiting(&found, &edges)
    }

    /// Finds the components of busy waiting in a closed set of states with immediate steps.
    fn find_waiting(&mut self, found: &[u32], edges: &[Vec<u32>]) -> Result<(), SimulationError> {
        let of = |node: usize| edges[node].as_slice();
        let components = narrows_graph::components::find_in_lists(found.len(), [0], of);
        let bottoms = components.bottoms(of);
        let mut members: Vec<Vec<u32>> = vec![Vec::new(); components.count as usize];
        for (node, component) in components.of.iter().enumerate() {
            members[*component as usize].push(found[node]);
        }
        for (mut states, is_bottom) in members.into_iter().zip(bottoms) {
            if !is_bottom {
                for state in states {
                    self.set_class(state, Class::Vanishing);
                }
                continue;
            }
            states.sort_by_cached_key(|state| self.graph.state(*state));
            let first = self.running(states[0])?;
            for state in &states {
                if self.running(*state)? != first {
                    return Err(BuildError::Zeno(Vec::new(), 0).into());
                }
            }
            let number = self.waiting.len() as u32;
            for state in &states {
                self.set_class(*state, Class::Waiting(number));
            }
            self.waiting.push(states);
        }
        Ok(())
    }

    /// Returns which delays run in a state, with and without memory.
    pub(super) fn running(&mut self, state: u32) -> Result<Vec<Clock>, SimulationError> {
        self.graph.expand(state)?;
        let urgency = |step: &Step| match self.graph.effect(step.effect).urgency {
            Urgency::Timed(pid, delay) => Some((pid, delay)),
            Urgency::Immediate => None,
        };
        let mut running: Vec<Clock> = self.graph.steps_of(state).iter().filter_map(urgency).collect();
        running.sort_unstable();
        running.dedup();
        Ok(running)
    }

    /// Returns the states that a state in which time passes stands for.
    pub(super) fn members(&mut self, state: u32) -> Result<Vec<u32>, SimulationError> {
        Ok(match self.class(state)? {
            Class::Waiting(number) => self.waiting[number as usize].clone(),
            _ => vec![state],
        })
    }

    /// Returns the row of a state in which time passes.
    pub(super) fn row(&mut self, state: u32) -> Result<u32, SimulationError> {
        if let Some(row) = self.row_of.get(state as usize).filter(|row| **row != NONE) {
            return Ok(*row);
        }
        let row = self.make_row(state)?;
        let number = self.rows.len() as u32;
        self.row_of.resize(self.row_of.len().max(self.graph.states() as usize), NONE);
        self.row_of[state as usize] = number;
        self.bytes += 160 + 16 * (row.rates.len() + row.race.len() + 2 * row.clocks.len());
        self.rows.push(row);
        Ok(number)
    }

    fn make_row(&mut self, state: u32) -> Result<Row, SimulationError> {
        let members = self.members(state)?;
        let rates = self.rates(&members)?;
        let (mut race, mut clocks, mut total) = (Vec::new(), Vec::new(), 0.0);
        for clock in self.running(state)? {
            let jump = self.jumps.len() as u32;
            self.jumps.push(Jump { row: NONE, state: NONE, ..Jump::default() });
            self.expiries.insert(jump, (state, clock));
            let speed = self.speed(state, clock.1)?;
            match self.samplers[usize::from(clock.1)].rate() {
                Some(rate) => {
                    total += rate * speed;
                    race.push((total, jump));
                }
                None => clocks.push(SlotRow { delay: clock.1, speed, jump }),
            }
        }
        self.bytes += (race.len() + clocks.len()) * (size_of::<Jump>() + 40);
        let (race, clocks) = (race.into_boxed_slice(), clocks.into_boxed_slice());
        let level = match self.scene.level {
            Some(number) => self.values(state)?[number].max(0.0) as u32,
            None => 0,
        };
        Ok(Row { state, level, rates, total, mean: 1.0 / total, race, clocks })
    }

    /// Returns the channels that grow with time, and how fast.
    fn rates(&mut self, members: &[u32]) -> Result<Box<[(u16, f64)]>, SimulationError> {
        let first = self.values(members[0])?.to_vec();
        let count = self.scene.values.len();
        for member in &members[1..] {
            let pairs = self.values(*member)?.iter().zip(&first[..count]);
            let differs = pairs.map(|(one, other)| (one - other).abs()).position(|off| off > 0.0);
            if let Some(number) = differs {
                return Err(SimulationError::Unsteady(number));
            }
        }
        let channel = self.scene.timing.events().len();
        // Requests are counted in between.
        let between = 2 * self.scene.requests.len();
        let rates = first.iter().enumerate().filter(|(_, value)| **value != 0.0);
        let place = |number: usize| channel + number + if number < count { 0 } else { between };
        Ok(rates.map(|(number, value)| (place(number) as u16, *value)).collect())
    }
}
