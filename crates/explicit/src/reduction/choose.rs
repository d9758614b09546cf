//! Chooses, in a state, the processes whose steps are enough.

use std::ops::ControlFlow;
use std::sync::Arc;

use narrows_model::{
    LocationId, Move, MoveKind, Outline, ProcessSet, Scratch, Statement, Successor, TransitionId,
};

use super::Reduction;
use super::footprint::{Channels, Footprint, Need};
use super::instances::Instances;
use super::resolve::Deed;
use super::statics::is_else;

/// Processes whose steps are enough in a state, unless a search has a reason to take more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Choice {
    /// The processes.
    pub(crate) processes: ProcessSet,
    /// The one that the choice grew from: with it, [`Chooser::again`] makes the same choice.
    pub(crate) seed: u8,
    /// How many steps they have.
    steps: usize,
}

/// What a process can do in the current state.
#[derive(Default)]
struct Probe {
    is_current: bool,
    steps: usize,
    /// Whether one of the steps can be seen.
    visible: bool,
    need: Need,
    possible: Vec<TransitionId>,
}

/// Chooses. It looks at one state after the other, and remembers what it found out about processes.
pub(crate) struct Chooser<'r, 's> {
    reduction: &'r Reduction<'s>,
    instances: Instances,
    outline: Outline,
    scratch: Scratch,
    state: Vec<u8>,
    /// The instance of each process.
    who: Vec<usize>,
    futures: Vec<Arc<Footprint>>,
    probes: Vec<Probe>,
    channels: ChannelSets,
    /// How many processes have been tried as seeds.
    tried: usize,
    found: Vec<Choice>,
}

/// Channels by what they are and hold.
#[derive(Default)]
struct ChannelSets {
    /// Without a buffer.
    meeting: Channels,
    /// Without a message.
    empty: Channels,
}

impl<'r, 's> Chooser<'r, 's> {
    pub(super) fn new(reduction: &'r Reduction<'s>) -> Self {
        Chooser {
            reduction,
            instances: Instances::default(),
            outline: Outline::default(),
            scratch: Scratch::default(),
            state: Vec::new(),
            who: Vec::new(),
            futures: Vec::new(),
            probes: Vec::new(),
            channels: ChannelSets::default(),
            tried: 0,
            found: Vec::new(),
        }
    }

    /// Looks at a state; [`Chooser::next`] then tells the choices there are.
    pub(crate) fn look_at(&mut self, state: &[u8]) {
        let Reduction { evaluator, statics, .. } = self.reduction;
        evaluator.outline(state, &mut self.outline);
        self.state.clear();
        self.state.extend_from_slice(state);
        self.who.clear();
        self.futures.clear();
        for (pid, process) in self.outline.processes.iter().enumerate() {
            let instance = self.instances.find(statics, pid, process, state);
            self.who.push(instance);
            self.futures.push(self.instances.future(statics, instance, process.location));
        }
        self.probes.iter_mut().for_each(|probe| probe.is_current = false);
        if self.probes.len() < self.who.len() {
            self.probes.resize_with(self.who.len(), Probe::default);
        }
        self.channels = ChannelSets::default();
        for (index, channel) in self.outline.channels.iter().enumerate() {
            let number = (index + 1) as u8;
            if statics.system.channel_kinds[channel.kind].capacity == 0 {
                self.channels.meeting.insert(number);
            }
            if channel.length == 0 {
                self.channels.empty.insert(number);
            }
        }
        self.tried = 0;
        self.found.clear();
    }

    /// Returns the best choice that was not returned yet; `None` if there is none but to take every step.
    pub(crate) fn next(&mut self) -> Option<Choice> {
        let count = self.who.len();
        while self.tried < count && !self.found.iter().any(|choice| choice.steps == 1) {
            let seed = count - 1 - self.tried;
            self.tried += 1;
            if self.found.iter().any(|choice| choice.processes.contains(seed) && choice.processes.len() == 1)
            {
                continue;
            }
            if let Some(choice) = self.grow(seed)
                && !self.found.iter().any(|found| found.processes == choice.processes)
            {
                self.found.push(choice);
            }
        }
        let best = (0..self.found.len()).min_by_key(|index| self.found[*index].steps)?;
        Some(self.found.remove(best))
    }

    /// Makes a choice again.
    pub(crate) fn again(&mut self, state: &[u8], seed: u8) -> Option<Choice> {
        self.look_at(state);
        self.grow(usize::from(seed))
    }

    /// Adds to a process all those that its steps depend on; `None` if that is every one.
    fn grow(&mut self, seed: usize) -> Option<Choice> {
        let count = self.who.len();
        self.probe(seed);
        if self.probes[seed].steps == 0 {
            return None;
        }
        let mut processes = ProcessSet::default();
        processes.insert(seed);
        let mut list = vec![seed];
        let mut done = 0;
        let mut steps = 0;
        while let Some(pid) = list.get(done).copied() {
            done += 1;
            self.probe(pid);
            let probe = &self.probes[pid];
            if probe.need.touched.anything || probe.visible {
                return None;
            }
            steps += probe.steps;
            for (other, future) in self.futures.iter().enumerate() {
                if !processes.contains(other)
                    && (probe.need.with.contains(other) || probe.need.includes(future))
                {
                    processes.insert(other);
                    list.push(other);
                }
            }
            if list.len() == count {
                return None;
            }
        }
        Some(Choice { processes, seed: seed as u8, steps })
    }

    /// Finds out what a process can do now, and what that depends on.
    fn probe(&mut self, pid: usize) {
        if self.probes[pid].is_current {
            return;
        }
        let mut probe = std::mem::take(&mut self.probes[pid]);
        probe.is_current = true;
        probe.steps = 0;
        probe.visible = false;
        probe.need.clear();
        probe.need.partners = self.futures[pid].receives.and(self.channels.meeting);
        probe.possible.clear();
        let state = std::mem::take(&mut self.state);
        let mut scratch = std::mem::take(&mut self.scratch);
        let only = ProcessSet::from_iter([pid]);
        let space = self.reduction.space;
        space.successors_of(only, &state, &mut scratch, &mut |successor| {
            self.add_step(&successor, pid, &mut probe);
            if probe.need.touched.anything { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        self.state = state;
        self.scratch = scratch;
        if !probe.need.touched.anything {
            self.add_impossible(pid, &mut probe);
        }
        self.probes[pid] = probe;
    }

    fn add_step(&mut self, successor: &Successor<'_>, pid: usize, probe: &mut Probe) {
        let [first, .., last] = successor.moves else {
            if let [only] = successor.moves {
                self.add_moves(successor, *only, *only, pid, probe);
            } else {
                probe.need.touched.anything = true;
            }
            return;
        };
        self.add_moves(successor, *first, *last, pid, probe);
    }

    fn add_moves(
        &mut self,
        successor: &Successor<'_>,
        first: Move,
        last: Move,
        pid: usize,
        probe: &mut Probe,
    ) {
        // What ends a run comes before or after everything else.
        if successor.target.is_none() {
            probe.need.touched.anything = true;
            return;
        }
        probe.steps += 1;
        probe.possible.push(first.transition);
        for (number, step) in successor.moves.iter().enumerate() {
            let who = usize::from(step.pid);
            if who != pid {
                probe.need.with.insert(who);
            }
            if who >= self.who.len() {
                // It was created on the way.
                probe.need.touched.anything = true;
                return;
            }
            let deed = self.deed(who, step.transition);
            let proctype = self.reduction.statics.system.proctype(step.proctype);
            let transition = proctype.transition(step.transition);
            if deed.does.timeout {
                probe.need.touched.anything = true;
                return;
            }
            self.add_done(&deed, &mut probe.need);
            let kind = &self.reduction.statics.proctypes[usize::from(step.proctype.0)];
            let begins = number == 0 || step.kind == MoveKind::Accept;
            let escapes = || proctype.location(step.from).edges.iter().any(|edge| edge.escape > 0);
            if !begins
                || kind.entangled[usize::from(step.from.0)] && (is_else(&transition.statement) || escapes())
            {
                self.add_neighbours(who, step.from, &mut probe.need);
            }
            if let Some(visible) = &self.reduction.visible {
                probe.visible |= visible.sees(step, transition.target, &deed);
            }
        }
        // An atomic sequence that ended because it could not go on.
        let who = usize::from(last.pid);
        let transition = self.reduction.statics.system.proctype(last.proctype).transition(last.transition);
        if transition.atomic && transition.statement != Statement::End {
            self.add_neighbours(who, transition.target, &mut probe.need);
        }
    }

    fn deed(&mut self, pid: usize, transition: TransitionId) -> Arc<Deed> {
        self.instances.deed(&self.reduction.statics, self.who[pid], transition)
    }

    /// Adds what an executed transition touches.
    fn add_done(&self, deed: &Deed, need: &mut Need) {
        let Need { touched, senders, receivers, .. } = need;
        let meeting = self.channels.meeting;
        touched.add(&deed.does);
        if deed.does.opens {
            // Somebody may have kept the number of a channel that was there before.
            touched.add_channels(Channels::above(self.outline.channels.len()));
        }
        receivers.add(touched.sends.and(meeting));
        senders.add(touched.receives.and(meeting));
        touched.sends = touched.sends.without(meeting);
        touched.receives = touched.receives.without(meeting);
    }

    /// Adds everything that decides which edges of a location can be taken.
    fn add_neighbours(&mut self, pid: usize, location: LocationId, need: &mut Need) {
        let system = self.reduction.statics.system;
        let proctype = system.proctype(self.outline.processes[pid].proctype);
        for edge in &proctype.location(location).edges {
            let deed = self.deed(pid, edge.transition);
            let waits = &deed.waits;
            need.touched.add_quiet(waits);
            need.touched.queries.add(waits.sends.or(waits.receives).without(self.channels.meeting));
            need.receivers.add(waits.sends.and(self.channels.meeting));
        }
    }

    /// Adds what could make the other transitions of a process possible.
    fn add_impossible(&mut self, pid: usize, probe: &mut Probe) {
        let process = self.outline.processes[pid];
        let proctype = self.reduction.statics.system.proctype(process.proctype);
        let youngest = self.who.len() - 1;
        for edge in &proctype.location(process.location).edges {
            let statement = &proctype.transition(edge.transition).statement;
            if probe.possible.contains(&edge.transition) {
                continue;
            }
            let deed = self.deed(pid, edge.transition);
            let need = &mut probe.need;
            match statement {
                Statement::End if pid != youngest => {
                    need.with.insert(youngest);
                }
                Statement::Run(..) => need.touched.anything = true,
                _ => {}
            }
            let waits = &deed.waits;
            need.touched.add_quiet(waits);
            need.receivers.add(waits.sends);
            let (meeting, empty) = (self.channels.meeting, self.channels.empty);
            let buffered = waits.receives.without(meeting);
            need.senders.add(waits.receives.and(meeting.or(empty)));
            // There is a message, but not the one that is waited for.
            need.touched.receives.add(buffered.without(empty));
            if deed.random {
                need.senders.add(buffered);
            }
        }
    }
}
