//! The steps of a tree.
//!
//! A tree answers two queries: all its steps, except at some gates; and its steps that synchronise with a
//! given event. A parallel composition asks one side the first query, then for each event at a common gate
//! the other side the second one, and finally the other side the first one, except at the common gates. So
//! few steps are listed that no partner accepts. Below the root, results are cached: the same tree occurs in
//! many states. A result depends on the tree alone, and so do the successors and their order.

use super::alphabet::GateSets;
use super::events::{Events, OfferValue};
use super::memory::Memory;
use super::points::{Behaviour, GateId, GateSet, PointId, PointKind};
use super::rewrite::Computed;
use super::step_cache::{ALL, OPEN, Range, Recipe, Step};

impl Behaviour {
    /// Returns the steps of a tree, except at some gates.
    pub(super) fn all(&self, node: u32, but: u32, memory: &mut Memory) -> Computed<Range> {
        if memory.is_idle(node, but) {
            return Ok(0..0);
        }
        self.ask(node, ALL | but, memory)
    }

    /// Returns the steps of a tree that synchronise with an event.
    pub(super) fn with(&self, node: u32, event: u32, memory: &mut Memory) -> Computed<Range> {
        let point = memory.nodes.get(node)[0];
        if !memory.alphabet(point).contains(memory.events.gate(event)) {
            return Ok(0..0);
        }
        self.ask(node, event, memory)
    }

    /// Answers a query about a tree, from the cache if possible.
    fn ask(&self, node: u32, question: u32, memory: &mut Memory) -> Computed<Range> {
        let point = memory.nodes.get(node)[0];
        let is_worthwhile = memory.step_cache.is_worthwhile(point, question);
        if is_worthwhile && let Some(known) = memory.step_cache.find(node, question) {
            memory.step_cache.count_found(point, question);
            return Ok(known);
        }
        let base = memory.stack.len();
        if question & ALL != 0 {
            self.list_all(node, question & !ALL, memory)?;
            memory.set_sound(node);
        } else {
            self.list_with(node, question, memory)?;
        }
        let found_as = is_worthwhile.then_some((node, question));
        let kept = memory.step_cache.keep(&memory.stack[base..], found_as);
        memory.stack.truncate(base);
        Ok(kept)
    }

    /// Returns the target of a cached step.
    #[inline]
    pub(super) fn made(&self, index: usize, memory: &mut Memory) -> u32 {
        let step = memory.step_cache.step(index);
        match step.recipe() {
            None => step.then,
            Some(recipe) => self.make(index, &recipe, memory),
        }
    }

    fn make(&self, index: usize, recipe: &Recipe, memory: &mut Memory) -> u32 {
        let side = self.made(recipe.step, memory);
        let [point, first, second] = memory.nodes.get(recipe.tree);
        let then = match &self.point(PointId(point)).kind {
            PointKind::Parallel { .. } | PointKind::Disable(..) if recipe.is_right => {
                memory.pair(point, first, side)
            }
            PointKind::Parallel { .. } | PointKind::Disable(..) => memory.pair(point, side, second),
            _ => memory.wrap(point, side, second),
        };
        memory.step_cache.make(index, then);
        then
    }

    /// Pushes the steps of a tree, except at some gates, on the stack.
    fn list_all(&self, node: u32, but: u32, memory: &mut Memory) -> Computed<()> {
        let [point, first, second] = memory.nodes.get(node);
        let here = self.point(PointId(point));
        match &here.kind {
            PointKind::Parallel { gates, .. } => {
                let is_right = leads(memory.leaves(first), memory.leaves(second));
                let (one, other) = if is_right { (second, first) } else { (first, second) };
                for index in self.all(one, but, memory)? {
                    let event = memory.step_cache.step(index).event;
                    if is_common(gates, memory.events.gate(event)) {
                        self.list_together(point, index, is_right, other, memory)?;
                    } else {
                        memory.stack.push(Step::of_side(event, node, index, is_right));
                    }
                }
                let but = memory.below(but, point, &here.kind);
                for index in self.all(other, but, memory)? {
                    let event = memory.step_cache.step(index).event;
                    memory.stack.push(Step::of_side(event, node, index, !is_right));
                }
            }
            PointKind::Hide(gates, _) => {
                let but = memory.below(but, point, &here.kind);
                for index in self.all(first, but, memory)? {
                    let step = memory.step_cache.step(index);
                    if !gates.contains(memory.events.gate(step.event)) {
                        memory.stack.push(Step::of_side(step.event, node, index, false));
                        continue;
                    }
                    let then = self.made(index, memory);
                    for event in self.decide(step.event, &[then], node, memory)? {
                        if let Some(then) = self.decided(then, event, memory)? {
                            let then = memory.wrap(point, then, second);
                            memory.stack.push(Step::new(Events::INTERNAL, then));
                        }
                    }
                }
            }
            PointKind::Enable { right, .. } => {
                let but = memory.below(but, point, &here.kind);
                for index in self.all(first, but, memory)? {
                    let step = memory.step_cache.step(index);
                    if memory.events.gate(step.event) != GateId::EXIT {
                        memory.stack.push(Step::of_side(step.event, node, index, false));
                        continue;
                    }
                    for event in self.decide(step.event, &[], first, memory)? {
                        let mut values = memory.values_of(second);
                        values.extend(memory.events.given(event).filter_map(|given| given.1));
                        let then = self.follow(right, &values, memory)?;
                        memory.stack.push(Step::new(Events::INTERNAL, then));
                    }
                }
            }
            PointKind::Disable(..) => {
                for index in self.all(first, but, memory)? {
                    let step = memory.step_cache.step(index);
                    // When it ends, it can't be disabled any more.
                    let ends = memory.events.gate(step.event) == GateId::EXIT;
                    memory.stack.push(if ends {
                        step
                    } else {
                        Step::of_side(step.event, node, index, false)
                    });
                }
                let steps = self.all(second, but, memory)?;
                memory.stack.extend_from_slice(memory.step_cache.steps(steps));
            }
            _ if but == GateSets::EMPTY => self.list_leaf(node, memory)?,
            _ => {
                for index in self.all(node, GateSets::EMPTY, memory)? {
                    let step = memory.step_cache.step(index);
                    if !memory.sets.get(but).contains(memory.events.gate(step.event)) {
                        memory.stack.push(step);
                    }
                }
            }
        }
        Ok(())
    }

    /// Pushes the steps of a tree that synchronise with an event on the stack.
    fn list_with(&self, node: u32, event: u32, memory: &mut Memory) -> Computed<()> {
        let [point, first, second] = memory.nodes.get(node);
        let gate = memory.events.gate(event);
        match &self.point(PointId(point)).kind {
            PointKind::Parallel { gates, .. } if is_common(gates, gate) => {
                for index in self.with(first, event, memory)? {
                    self.list_together(point, index, false, second, memory)?;
                }
            }
            PointKind::Parallel { .. } => {
                for index in self.with(first, event, memory)? {
                    let event = memory.step_cache.step(index).event;
                    memory.stack.push(Step::of_side(event, node, index, false));
                }
                for index in self.with(second, event, memory)? {
                    let event = memory.step_cache.step(index).event;
                    memory.stack.push(Step::of_side(event, node, index, true));
                }
            }
            PointKind::Hide(gates, _) if gates.contains(gate) => {}
            PointKind::Enable { .. } if gate == GateId::EXIT => {}
            PointKind::Hide(..) | PointKind::Enable { .. } => {
                for index in self.with(first, event, memory)? {
                    let event = memory.step_cache.step(index).event;
                    memory.stack.push(Step::of_side(event, node, index, false));
                }
            }
            PointKind::Disable(..) => {
                for index in self.with(first, event, memory)? {
                    let step = memory.step_cache.step(index);
                    let ends = gate == GateId::EXIT;
                    memory.stack.push(if ends {
                        step
                    } else {
                        Step::of_side(step.event, node, index, false)
                    });
                }
                let steps = self.with(second, event, memory)?;
                memory.stack.extend_from_slice(memory.step_cache.steps(steps));
            }
            _ => {
                for index in self.all(node, GateSets::EMPTY, memory)? {
                    let step = memory.step_cache.step(index);
                    if memory.events.gate(step.event) != gate {
                        continue;
                    }
                    let Some(event) = memory.events.meet(step.event, event) else { continue };
                    let then = self.made(index, memory);
                    if let Some(then) = self.attempt(then, event, memory) {
                        memory.stack.push(Step::new(event, then));
                    }
                }
            }
        }
        Ok(())
    }

    /// Pushes the joint steps of a side with a step of the other one, which may be the right one, on the
    /// stack.
    fn list_together(
        &self,
        point: u32,
        index: usize,
        is_right: bool,
        side: u32,
        memory: &mut Memory,
    ) -> Computed<()> {
        let event = memory.step_cache.step(index).event;
        for other in self.with(side, event, memory)? {
            let event = memory.step_cache.step(other).event;
            let one = self.made(index, memory);
            if let Some(one) = self.attempt(one, event, memory) {
                let other = self.made(other, memory);
                let (left, right) = if is_right { (other, one) } else { (one, other) };
                let then = memory.pair(point, left, right);
                memory.stack.push(Step::new(event, then));
            }
        }
        Ok(())
    }

    /// Returns the events that a step of a tree can be, with all values decided; `open` has what becomes of
    /// all that take part, the one to blame first.
    pub(super) fn decide(
        &self,
        event: u32,
        open: &[u32],
        node: u32,
        memory: &mut Memory,
    ) -> Computed<Decided> {
        if !memory.events.is_open(event) {
            return Ok(Decided::one(event));
        }
        let gate = memory.events.gate(event);
        let given: Vec<OfferValue> = memory.events.given(event).collect();
        let ends = if self.lacks_number(&given) {
            self.ends_of_offers(given.len(), open, memory)
        } else {
            Vec::new()
        };
        let ways = self.ways(&given, &ends, memory).map_err(|sort| {
            let then = open.first().copied().unwrap_or(0);
            let point = self.place(gate, then, node, memory);
            Box::new(self.endless_sort(sort, self.point(PointId(point)).span))
        })?;
        let events: Vec<u32> = ways.iter().map(|way| memory.events.number(gate, way)).collect();
        Ok(Decided::Many(events.into_iter()))
    }

    /// Finds a control point that a step comes from.
    fn place(&self, gate: GateId, then: u32, node: u32, memory: &mut Memory) -> u32 {
        let mut waiting = vec![then];
        while let Some(then) = waiting.pop() {
            if then & OPEN == 0 {
                continue;
            }
            let [point, first, second] = memory.opens.get(then & !OPEN);
            match &self.point(PointId(point)).kind {
                PointKind::Prefix { .. } => return point,
                PointKind::Parallel { .. } | PointKind::Disable(..) => waiting.extend([second, first]),
                _ => waiting.push(first),
            }
        }
        let mut waiting = vec![node];
        while let Some(node) = waiting.pop() {
            let [point, first, second] = memory.nodes.get(node);
            match &self.point(PointId(point)).kind {
                PointKind::Parallel { .. } | PointKind::Disable(..) => waiting.extend([second, first]),
                PointKind::Hide(..) | PointKind::Enable { .. } => waiting.push(first),
                _ => {
                    let steps = self.all(node, GateSets::EMPTY, memory).unwrap_or_default();
                    let is_it = |step: &Step| {
                        memory.events.gate(step.event) == gate && memory.events.is_open(step.event)
                    };
                    if memory.step_cache.steps(steps).iter().any(is_it) {
                        return point;
                    }
                }
            }
        }
        self.initial.0
    }
}

/// An iterator over events.
pub(super) enum Decided {
    One(std::option::IntoIter<u32>),
    Many(std::vec::IntoIter<u32>),
}

impl Decided {
    /// A single event.
    pub(super) fn one(event: u32) -> Decided {
        Decided::One(Some(event).into_iter())
    }
}

impl Iterator for Decided {
    type Item = u32;

    fn next(&mut self) -> Option<u32> {
        match self {
            Decided::One(one) => one.next(),
            Decided::Many(many) => many.next(),
        }
    }
}

/// Returns whether the right side is asked first: the one with fewer processes has fewer steps that are
/// discarded.
pub(super) fn leads(left: u32, right: u32) -> bool {
    right < left
}

/// Returns whether two sides synchronise at a gate.
pub(super) fn is_common(gates: &GateSet, gate: GateId) -> bool {
    gate == GateId::EXIT || gates.contains(gate)
}
