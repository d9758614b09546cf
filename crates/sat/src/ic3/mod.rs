//! IC3: an invariant, found clause by clause.
//!
//! For each number of steps, a set that holds all states reachable in so many steps, as a conjunction of
//! clauses: each says that the states of a [`Cube`] are not reached. A state from which a bad one can be
//! reached is shown to be unreachable, with as many others as the reason covers; or its predecessors come
//! next, until one is an initial state. If two sets become the same, they are an invariant. Bradley (2011),
//! Eén, Mishchenko and Brayton (2011).

mod certificate;
mod cube;
mod queries;

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::rc::Rc;

use self::certificate::is_proof;
use self::cube::Cube;
use self::queries::{Found, Queries};
use crate::Progress;
use crate::circuit::{Circuit, Signal, value};
use crate::solver::{Meter, Result};
use crate::unroll::Witness;

/// States to be shown unreachable.
struct Obligation {
    cube: Cube,
    /// With these inputs it leads to the next one, or is bad.
    inputs: Vec<bool>,
    next: Option<usize>,
}

/// A search for an invariant.
pub(crate) struct Ic3<'c> {
    circuit: &'c Circuit,
    bad: Signal,
    meter: Rc<Meter>,
    queries: Queries<'c>,
    /// The sets that are not reached in so many steps, each at the largest number for which that is known.
    frames: Vec<Vec<Cube>>,
    obligations: Vec<Obligation>,
    queue: BinaryHeap<Reverse<(usize, usize)>>,
    /// How far a round of pushing has come: frame and place; `None` if there is none.
    pushing: Option<(usize, usize)>,
    /// Sets that are a proof, and wait to be checked.
    proof: Option<Vec<Cube>>,
    is_begun: bool,
}

/// A proof that the check does not confirm.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Unconfirmed;

impl<'c> Ic3<'c> {
    pub(crate) fn new(circuit: &'c Circuit, bad: Signal, meter: &Rc<Meter>) -> Ic3<'c> {
        Ic3 {
            circuit,
            bad,
            meter: Rc::clone(meter),
            queries: Queries::new(circuit, bad, meter),
            frames: vec![Vec::new(), Vec::new()],
            obligations: Vec::new(),
            queue: BinaryHeap::new(),
            pushing: None,
            proof: None,
            is_begun: false,
        }
    }

    /// Returns the number of steps within which no bad state is reached.
    pub(crate) fn depth(&self) -> usize {
        if self.is_begun { self.top() } else { 0 }
    }

    fn top(&self) -> usize {
        self.frames.len() - 1
    }

    /// Does one thing: answers one obligation, looks for one, or pushes one clause on.
    pub(crate) fn advance(&mut self) -> Result<std::result::Result<Progress, Unconfirmed>> {
        if let Some(sets) = &self.proof {
            let is_proof = is_proof(self.circuit, self.bad, sets, &self.meter)?;
            return Ok(if is_proof { Ok(Progress::Proved) } else { Err(Unconfirmed) });
        }
        if !self.is_begun {
            if let Some((first, inputs)) = self.queries.bad_at_start()? {
                return Ok(Ok(Progress::Refuted(Witness { first, inputs: vec![inputs] })));
            }
            self.is_begun = true;
        }
        self.queries.renew(&self.frames);
        if self.pushing.is_some() {
            self.push()?;
            return Ok(Ok(Progress::Going));
        }
        if let Some(Reverse((level, number))) = self.queue.peek().copied() {
            return Ok(Ok(self.answer(level, number)?.map_or(Progress::Going, Progress::Refuted)));
        }
        self.obligations.clear();
        match self.queries.bad(self.top())? {
            Some(Found { cube, inputs }) => self.add(self.top(), cube, inputs, None),
            None => {
                self.frames.push(Vec::new());
                self.pushing = Some((1, 0));
            }
        }
        Ok(Ok(Progress::Going))
    }

    fn add(&mut self, level: usize, cube: Cube, inputs: Vec<bool>, next: Option<usize>) {
        self.queue.push(Reverse((level, self.obligations.len())));
        self.obligations.push(Obligation { cube, inputs, next });
    }

    /// Shows that states are not reached in so many steps, or finds what comes before them. Returns a run if
    /// that is an initial state.
    fn answer(&mut self, level: usize, number: usize) -> Result<Option<Witness>> {
        let cube = self.obligations[number].cube.clone();
        let is_blocked = self.frames[level..].iter().flatten().any(|other| other.covers(&cube));
        if is_blocked {
            self.queue.pop();
            self.again(level, number);
            return Ok(None);
        }
        if let Some(first) = self.queries.first_state_in(&cube)? {
            return Ok(Some(self.witness(first, number)));
        }
        match self.queries.before(level - 1, &cube)? {
            Err(smaller) => {
                let smaller = self.generalised(level, smaller)?;
                let mut level = level;
                while level < self.top() && self.queries.before(level, &smaller)?.is_err() {
                    level += 1;
                }
                self.block(level, smaller);
                self.queue.pop();
                self.again(level, number);
            }
            Ok(Found { cube, inputs }) => self.add(level - 1, cube, inputs, Some(number)),
        }
        Ok(None)
    }

    /// Asks about the same states after one step more: they lead to a bad one then as well.
    fn again(&mut self, level: usize, number: usize) {
        if level < self.top() {
            self.queue.push(Reverse((level + 1, number)));
        }
    }

    fn block(&mut self, level: usize, cube: Cube) {
        for frame in &mut self.frames[..=level] {
            frame.retain(|other| !cube.covers(other));
        }
        self.queries.block(level, &cube);
        self.frames[level].push(cube);
    }

    /// Leaves out conditions, as long as the states are still not reached.
    fn generalised(&mut self, level: usize, mut cube: Cube) -> Result<Cube> {
        let mut index = 0;
        let mut failures = 0;
        while index < cube.0.len() && cube.0.len() > 1 && failures < 12 + cube.0.len() / 4 {
            let smaller = cube.without(index);
            if self.queries.first_state_in(&smaller)?.is_none()
                && let Err(core) = self.queries.before(level - 1, &smaller)?
            {
                // What was kept so far is needed, and was kept first: it stays in front.
                index = core
                    .0
                    .iter()
                    .position(|literal| !cube.0[..index].contains(literal))
                    .unwrap_or(core.0.len());
                cube = core;
                failures = 0;
            } else {
                index += 1;
                failures += 1;
            }
        }
        Ok(cube)
    }

    /// Moves a clause on if it holds after one step more.
    fn push(&mut self) -> Result<()> {
        let Some((level, place)) = self.pushing else { return Ok(()) };
        let Some(cube) = self.frames[level].get(place).cloned() else {
            if self.frames[level].is_empty() {
                self.proof = Some(self.frames[level..].concat());
                self.pushing = None;
            } else {
                self.pushing = (level + 1 < self.top()).then_some((level + 1, 0));
            }
            return Ok(());
        };
        match self.queries.before(level, &cube)? {
            Err(core) => {
                // What was found to be needed may be less, and is then better.
                let was = self.frames[level].len();
                self.block(level + 1, core);
                // Clauses before this one may have gone too.
                let gone = was - self.frames[level].len();
                self.pushing = Some((level, (place + 1).saturating_sub(gone.max(1))));
            }
            Ok(_) => self.pushing = Some((level, place + 1)),
        }
        Ok(())
    }

    /// Follows obligations from an initial state to a bad one.
    fn witness(&self, first: Vec<bool>, number: usize) -> Witness {
        let mut inputs = Vec::new();
        let mut at = Some(number);
        while let Some(number) = at {
            inputs.push(self.obligations[number].inputs.clone());
            at = self.obligations[number].next;
        }
        // The first state that ends up bad: a cube may hold states that are bad sooner.
        let nodes = self.circuit.replay(&first, &inputs);
        let end = nodes.iter().position(|nodes| value(nodes, self.bad)).map_or(inputs.len(), |end| end + 1);
        inputs.truncate(end);
        Witness { first, inputs }
    }
}
