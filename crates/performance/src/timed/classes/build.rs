//! Finds all classes, round by round: immediate steps first, then time passes.

use std::rc::Rc;

use narrows_graph::components;

use super::super::build::{Unscalable, scale};
use super::exchanged::exchanged;
use super::steps::{ClassStep, Clocks, LATEST, Waiting};
use super::zone::Zone;
use super::{Class, Classes, Rest};
use crate::exchange::Exchange;
use crate::{BuildError, StateGraph, Urgency};

/// The budget is polled every so many classes.
const WATCH_EVERY: usize = 1 << 7;

struct Builder<'a> {
    graph: StateGraph<'a>,
    clocks: Clocks,
    rests: Vec<Rest>,
    classes: Vec<Class>,
    /// The classes of each state that no other stands for.
    of_state: Vec<Vec<u32>>,
    transitions: u64,
    bytes: u64,
    exchange: Option<Box<Exchange<'a>>>,
}

impl<'a> Classes<'a> {
    /// Finds all classes of a model, but for those that lie within others; `None` if there are more than
    /// that.
    pub fn build(
        graph: StateGraph<'a>,
        max_classes: usize,
    ) -> Result<Result<Option<Classes<'a>>, BuildError>, Unscalable> {
        let (windows, tick) = scale(&graph)?;
        let windows = windows.iter().map(|(least, most)| (i64::from(*least), i64::from(*most))).collect();
        let clocks = Clocks::new(windows);
        let (rests, classes, of_state) = (Vec::new(), Vec::new(), Vec::new());
        let exchange = graph.symmetry().map(|symmetry| Box::new(Exchange::new(symmetry)));
        let mut builder =
            Builder { graph, clocks, rests, classes, of_state, transitions: 0, bytes: 0, exchange };
        match builder.run(max_classes) {
            Ok(true) => {}
            Ok(false) => return Ok(Ok(None)),
            Err(error) => return Ok(Err(error)),
        }
        let Builder { graph, clocks, rests, classes, transitions, exchange, .. } = builder;
        Ok(Ok(Some(Classes {
            state_graph: Rc::new(graph),
            clocks,
            rests,
            found: classes,
            transitions,
            tick,
            exchange,
        })))
    }
}

impl Builder<'_> {
    /// Finds all classes; returns whether there are no more than that.
    fn run(&mut self, max_classes: usize) -> Result<bool, BuildError> {
        self.expand(0)?;
        let first = self.canonical(0)?;
        self.add(first, self.clocks.fresh(first), (0, 0));
        let mut first = 0;
        while first < self.classes.len() {
            let mut next = first;
            while next < self.classes.len() {
                self.go_on(next)?;
                next += 1;
            }
            let states: Vec<u32> = self.classes[first..next].iter().map(|class| class.state).collect();
            self.classify(&states)?;
            for class in first..next {
                self.let_time_pass(class)?;
            }
            first = next;
            if first > max_classes {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn expand(&mut self, state: u32) -> Result<(), BuildError> {
        self.graph.expand(state)?;
        self.clocks.note(&self.graph, state);
        Ok(())
    }

    /// Expands a state and all that its steps lead to.
    fn expand_around(&mut self, state: u32) -> Result<(), BuildError> {
        self.expand(state)?;
        for number in 0..self.graph.steps_of(state).len() {
            let target = self.graph.steps_of(state)[number].target;
            self.expand(target)?;
            self.canonical(target)?;
        }
        Ok(())
    }

    /// Returns the state that stands for a state.
    fn canonical(&mut self, state: u32) -> Result<u32, BuildError> {
        let Some(exchange) = &mut self.exchange else { return Ok(state) };
        let canonical = exchange.note(&mut self.graph, state)?.state;
        self.clocks.note(&self.graph, canonical);
        Ok(canonical)
    }

    fn add(&mut self, state: u32, zone: Zone, parent: (u32, u32)) {
        if self.of_state.len() <= state as usize {
            let count = self.graph.states() as usize;
            self.of_state.resize(count, Vec::new());
            self.rests.resize(count, Rest::Unknown);
        }
        let classes = &mut self.classes;
        let known = &mut self.of_state[state as usize];
        if known.iter().any(|class| zone.is_within(&classes[*class as usize].zone)) {
            return;
        }
        known.retain(|class| {
            let class = &mut classes[*class as usize];
            class.is_dominated = class.zone.is_within(&zone);
            !class.is_dominated
        });
        known.push(classes.len() as u32);
        self.bytes += zone.memory() + size_of::<Class>() as u64;
        classes.push(Class { state, zone, parent, is_dominated: false });
    }

    fn add_all(&mut self, class: usize, steps: Vec<ClassStep>) -> Result<(), BuildError> {
        self.transitions += steps.len() as u64;
        for step in steps {
            let exchange = self.exchange.as_deref();
            let ClassStep { choice, step, zone } = exchanged(exchange, &self.graph, &self.clocks, step);
            self.add(step.target, zone, (class as u32, choice));
        }
        if class.is_multiple_of(WATCH_EVERY) {
            let exchange = self.exchange.as_deref().map_or(0, Exchange::memory);
            self.graph.watch(self.bytes + exchange)?;
        }
        Ok(())
    }

    /// Takes the immediate steps of a class.
    fn go_on(&mut self, class: usize) -> Result<(), BuildError> {
        if self.classes[class].is_dominated {
            return Ok(());
        }
        let state = self.classes[class].state;
        self.expand_around(state)?;
        let mut steps = Vec::new();
        let zone = &self.classes[class].zone;
        self.clocks.immediate(&self.graph, (state, zone), LATEST, &mut |step| steps.push(step));
        self.add_all(class, steps)
    }

    /// Lets time pass in a class, if it can.
    fn let_time_pass(&mut self, class: usize) -> Result<(), BuildError> {
        let Class { state, zone, is_dominated, .. } = &self.classes[class];
        if *is_dominated {
            return Ok(());
        }
        let place = (*state, zone);
        match self.clocks.rests(&self.graph, self.rests[*state as usize], place) {
            Waiting::GoesOn => Ok(()),
            Waiting::StandsStill => Err(self.standstill(class)),
            Waiting::Rests => {
                let mut steps = Vec::new();
                self.clocks.timed(&self.graph, place, true, LATEST, &mut |step| steps.push(step));
                self.add_all(class, steps)
            }
        }
    }

    /// Finds out in which of some states time passes, given all that they lead to at once.
    fn classify(&mut self, states: &[u32]) -> Result<(), BuildError> {
        let graph = &self.graph;
        let is_now = |effect: u32| graph.effect(effect).urgency == Urgency::Immediate;
        let mut members: Vec<u32> = Vec::new();
        for state in states {
            let rest = &mut self.rests[*state as usize];
            if *rest == Rest::Unknown {
                *rest = Rest::Always;
                if graph.steps_of(*state).iter().any(|step| is_now(step.effect)) {
                    *rest = Rest::Never;
                    members.push(*state);
                }
            }
        }
        members.sort_unstable();
        let exchange = self.exchange.as_ref();
        let local = |state: u32| {
            let state = exchange.and_then(|exchange| exchange.of(state)).map_or(state, |canon| canon.state);
            members.binary_search(&state).ok().map(|place| place as u32)
        };
        let lists: Vec<Vec<Option<u32>>> = members
            .iter()
            .map(|state| {
                let now = graph.steps_of(*state).iter().filter(|step| is_now(step.effect));
                now.map(|step| local(step.target)).collect()
            })
            .collect();
        let found = components::find_among(members.len(), 0..members.len() as u32, |node, edge| {
            lists[node as usize].get(edge as usize).copied()
        });
        let mut is_left = vec![false; found.count as usize];
        for (node, targets) in lists.iter().enumerate() {
            let own = found.of[node];
            let stays = |target: &Option<u32>| target.is_some_and(|target| found.of[target as usize] == own);
            is_left[own as usize] |= !targets.iter().all(stays);
        }
        for (node, state) in members.iter().enumerate() {
            if !is_left[found.of[node] as usize] {
                if self.exchange.is_some() {
                    return Err(BuildError::Entangled);
                }
                self.rests[*state as usize] = Rest::Waiting;
            }
        }
        Ok(())
    }

    /// Returns the way to a class and the cycle of immediate steps there.
    fn standstill(&self, class: usize) -> BuildError {
        let parents: Vec<(u32, u32)> = self.classes.iter().map(|class| class.parent).collect();
        let mut choices = crate::state_graph::choices_to(&parents, class as u32);
        let mut seen: Vec<(u32, usize)> = Vec::new();
        let mut state = self.classes[class].state;
        loop {
            if let Some((_, begins)) = seen.iter().find(|(known, _)| *known == state) {
                return BuildError::Zeno(choices, *begins);
            }
            seen.push((state, choices.len()));
            let steps = self.graph.steps_of(state);
            let is_now = |step: &crate::Step| self.graph.effect(step.effect).urgency == Urgency::Immediate;
            let Some(choice) = steps.iter().position(is_now) else {
                return BuildError::Zeno(choices, 0);
            };
            choices.push(choice as u32);
            state = steps[choice].target;
        }
    }
}
