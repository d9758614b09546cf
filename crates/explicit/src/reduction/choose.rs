//! Chooses, in a state, the processes whose steps are enough.

use std::ops::ControlFlow;
use std::sync::Arc;

use narrows_model::{LocationId, Move, MoveKind, Outline, ProcessSet, Scratch, Statement, TransitionId};

use super::Reduction;
use super::footprint::{Channels, Need};
use super::instances::{Future, Instances};
use super::need_cache::Needs;
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
#[derive(Clone, Copy, Default)]
struct Probe {
    is_current: bool,
    steps: usize,
    /// Whether its steps can't be chosen without all others.
    stuck: bool,
    /// The processes that its steps depend on.
    others: ProcessSet,
}

/// Chooses. It looks at one state after the other, and remembers what it found out about processes.
pub(crate) struct Chooser<'r, 's> {
    view: View<'r, 's>,
    needs: Needs,
    scratch: Scratch,
    state: Vec<u8>,
    probes: Vec<Probe>,
    /// The steps of the process that is probed.
    steps: Steps,
    /// How many processes have been tried as seeds, and how many choices were returned.
    tried: usize,
    returned: usize,
    found: Vec<Choice>,
}

/// After so many choices that would not do, every step is taken.
const MAX_CHOICES: usize = 3;

/// The moves of some steps, one after the other.
#[derive(Default)]
struct Steps {
    moves: Vec<Move>,
    /// Where each step ends.
    ends: Vec<usize>,
}

/// What is known of the state that is looked at.
struct View<'r, 's> {
    reduction: &'r Reduction<'s>,
    instances: Instances,
    outline: Outline,
    /// The instance of each process.
    who: Vec<usize>,
    futures: Vec<Future>,
    channels: ChannelSets,
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
        let view = View {
            reduction,
            instances: Instances::default(),
            outline: Outline::default(),
            who: Vec::new(),
            futures: Vec::new(),
            channels: ChannelSets::default(),
        };
        Chooser {
            view,
            needs: Needs::default(),
            scratch: Scratch::with_pulses(),
            state: Vec::new(),
            probes: Vec::new(),
            steps: Steps::default(),
            tried: 0,
            returned: 0,
            found: Vec::new(),
        }
    }

    /// Looks at a state; [`Chooser::next`] then tells the choices there are.
    pub(crate) fn look_at(&mut self, state: &[u8]) {
        self.view.look_at(state);
        self.state.clear();
        self.state.extend_from_slice(state);
        self.probes.iter_mut().for_each(|probe| probe.is_current = false);
        if self.probes.len() < self.view.who.len() {
            self.probes.resize_with(self.view.who.len(), Probe::default);
        }
        (self.tried, self.returned) = (0, 0);
        self.found.clear();
    }

    /// Returns the best choice that was not returned yet; `None` if there is none but to take every step.
    pub(crate) fn next(&mut self) -> Option<Choice> {
        if self.returned == MAX_CHOICES {
            return None;
        }
        self.returned += 1;
        let count = self.view.who.len();
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
        let count = self.view.who.len();
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
            if probe.stuck {
                return None;
            }
            steps += probe.steps;
            for other in (0..count).filter(|other| probe.others.contains(*other)) {
                if !processes.contains(other) {
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
        let Chooser { view, needs, scratch, state, probes, steps, .. } = self;
        let probe = &mut probes[pid];
        if probe.is_current {
            return;
        }
        steps.moves.clear();
        steps.ends.clear();
        let mut odd = false;
        let only = ProcessSet::from_iter([pid]);
        view.reduction.space.successors_of(only, state, scratch, &mut |successor| {
            // What ends a run comes before or after everything else; and little is known of who was created
            // on the way.
            let exists = |step: &Move| usize::from(step.pid) < view.who.len();
            odd = successor.target.is_none() || !successor.moves.iter().all(exists);
            steps.moves.extend_from_slice(successor.moves);
            steps.ends.push(steps.moves.len());
            if odd { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        *probe = Probe { is_current: true, steps: steps.ends.len(), stuck: odd, ..Probe::default() };
        if odd {
            return;
        }
        view.write_signature(pid, steps, needs.signature());
        let number = needs.find(|| view.need(pid, steps));
        probe.stuck = needs.is_stuck(number);
        if !probe.stuck {
            probe.others = needs.with(number);
            for (other, future) in view.futures.iter().enumerate().filter(|(other, _)| *other != pid) {
                if needs.includes(number, future) {
                    probe.others.insert(other);
                }
            }
        }
    }
}

impl View<'_, '_> {
    fn look_at(&mut self, state: &[u8]) {
        let Reduction { evaluator, statics, .. } = self.reduction;
        evaluator.outline(state, &mut self.outline);
        self.who.clear();
        self.futures.clear();
        for (pid, process) in self.outline.processes.iter().enumerate() {
            let instance = self.instances.find(statics, pid, process, state);
            self.who.push(instance);
            self.futures.push(self.instances.future(statics, instance, process.location));
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
    }

    /// Writes down all that decides what the steps of a process need.
    fn write_signature(&self, pid: usize, steps: &Steps, out: &mut Vec<u32>) {
        let location = u32::from(self.outline.processes[pid].location.0);
        let counts = (self.who.len() as u32) << 16 | self.outline.channels.len() as u32;
        out.extend([pid as u32, self.who[pid] as u32, location, counts]);
        let known = [self.channels.meeting, self.channels.empty];
        out.extend(
            known.iter().flat_map(|set| set.words()).flat_map(|word| [word as u32, (word >> 32) as u32]),
        );
        let mut start = 0;
        for end in &steps.ends {
            for Move { pid, from, transition, kind, .. } in &steps.moves[start..*end] {
                let part = u32::from(from.0) << 16 | u32::from(*pid) << 2 | *kind as u32;
                out.extend([self.who[usize::from(*pid)] as u32, transition.0, part]);
            }
            out.push(u32::MAX);
            start = *end;
        }
    }

    /// Finds out what the steps of a process need, and whether one of them can be seen.
    fn need(&mut self, pid: usize, steps: &Steps) -> (Need, bool) {
        let mut need = Need {
            partners: self.futures[pid].does.receives.intersection(self.channels.meeting),
            ..Need::default()
        };
        let (mut visible, mut start) = (false, 0);
        let mut possible = Vec::new();
        for end in &steps.ends {
            let moves = &steps.moves[start..*end];
            possible.extend(moves.first().map(|first| first.transition));
            visible |= self.add_moves(moves, pid, &mut need);
            start = *end;
        }
        self.add_impossible(pid, &possible, &mut need);
        (need, visible)
    }

    /// Adds what a step needs; returns whether it can be seen.
    fn add_moves(&mut self, moves: &[Move], pid: usize, need: &mut Need) -> bool {
        let mut is_visible = false;
        for (number, step) in moves.iter().enumerate() {
            let who = usize::from(step.pid);
            if who != pid {
                need.with.insert(who);
            }
            let deed = self.deed(who, step.transition);
            let proctype = self.reduction.statics.system.proctype(step.proctype);
            let transition = proctype.transition(step.transition);
            need.touched.anything |= deed.does.timeout;
            self.add_done(&deed, need);
            let kind = &self.reduction.statics.proctypes[usize::from(step.proctype.0)];
            let begins = number == 0 || step.kind == MoveKind::Accept;
            let escapes = || proctype.location(step.from).edges.iter().any(|edge| edge.escape > 0);
            if !begins
                || kind.entangled[usize::from(step.from.0)] && (is_else(&transition.statement) || escapes())
            {
                self.add_neighbours(who, step.from, need);
            }
            if let Some(visible) = &self.reduction.visible {
                is_visible |= visible.sees(step, transition.target, &deed);
            }
        }
        // An atomic sequence that ended because it could not go on.
        if let Some(last) = moves.last() {
            let proctype = self.reduction.statics.system.proctype(last.proctype);
            let transition = proctype.transition(last.transition);
            if transition.atomic && transition.statement != Statement::End {
                self.add_neighbours(usize::from(last.pid), transition.target, need);
            }
        }
        is_visible
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
            touched.add_channels((self.outline.channels.len() + 1..256).collect());
        }
        receivers.union_with(touched.sends.intersection(meeting));
        senders.union_with(touched.receives.intersection(meeting));
        touched.sends = touched.sends.difference(meeting);
        touched.receives = touched.receives.difference(meeting);
    }

    /// Adds everything that decides which edges of a location can be taken.
    fn add_neighbours(&mut self, pid: usize, location: LocationId, need: &mut Need) {
        let system = self.reduction.statics.system;
        let proctype = system.proctype(self.outline.processes[pid].proctype);
        for edge in &proctype.location(location).edges {
            let deed = self.deed(pid, edge.transition);
            let waits = &deed.waits;
            need.touched.add_quiet(waits);
            need.touched
                .queries
                .union_with(waits.sends.union(waits.receives).difference(self.channels.meeting));
            need.receivers.union_with(waits.sends.intersection(self.channels.meeting));
        }
    }

    /// Adds what could make the other transitions of a process possible.
    fn add_impossible(&mut self, pid: usize, possible: &[TransitionId], need: &mut Need) {
        let process = self.outline.processes[pid];
        let proctype = self.reduction.statics.system.proctype(process.proctype);
        let youngest = self.who.len() - 1;
        for edge in &proctype.location(process.location).edges {
            let statement = &proctype.transition(edge.transition).statement;
            if possible.contains(&edge.transition) {
                continue;
            }
            let deed = self.deed(pid, edge.transition);
            match statement {
                Statement::End if pid != youngest => {
                    need.with.insert(youngest);
                }
                Statement::Run(..) => need.touched.anything = true,
                _ => {}
            }
            let waits = &deed.waits;
            need.touched.add_quiet(waits);
            need.receivers.union_with(waits.sends);
            let (meeting, empty) = (self.channels.meeting, self.channels.empty);
            let buffered = waits.receives.difference(meeting);
            need.senders.union_with(waits.receives.intersection(meeting.union(empty)));
            // There is a message, but not the one that is waited for.
            need.touched.receives.union_with(buffered.difference(empty));
            if deed.random {
                need.senders.union_with(buffered);
            }
        }
    }
}
