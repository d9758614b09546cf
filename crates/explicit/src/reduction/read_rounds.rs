//! What decides about the steps that a process begins, in rounds: what is read next depends on what was read
//! before.
//!
//! Which element of an array is read depends on its index; what a rendezvous does, on who is ready to take
//! part. So the first round has the variables that indices depend on, and the processes that may ever take
//! what is held out; the second has the elements, and all of those processes that are ready to take it. With
//! the arrays as a whole, and the processes with all they may touch, hardly any two states would agree.
//!
//! Values of a state may be used for what is read in it first; for what comes later in the same step, only if
//! nothing in the step changes them.

use std::ops::Range;

use narrows_model::{
    Area, DStep, Guard, LocationId, Node, NodeId, Outline, ProcessOutline, Proctype, ReadRounds, SecondRound,
    Statement, Transition,
};

use super::footprint::{Channels, Footprint};
use super::read_set::ReadSets;
use super::resolve::{Known, Resolver};

/// What is known of a process in a state.
struct Knowledge {
    now: Known,
    /// What will be known in another round, if there is one.
    later: Option<Known>,
}

impl Knowledge {
    /// Returns what of this is still known when some statements have been executed.
    fn after<'k>(&self, statements: impl Iterator<Item = &'k Statement>) -> Knowledge {
        let (mut now, mut later) = (self.now.clone(), self.later.clone());
        for statement in statements {
            statement.each_store(&mut |place| {
                for known in [Some(&mut now), later.as_mut()].into_iter().flatten() {
                    let bytes = match place.area {
                        Area::Local => Some(&mut known.locals),
                        Area::Global => known.globals.as_mut(),
                        Area::Hidden => None,
                    };
                    let written = bytes.and_then(|bytes| {
                        let end = place.extent().end.min(bytes.len());
                        bytes.get_mut(place.extent().start..end)
                    });
                    if let Some(written) = written {
                        written.fill(None);
                    }
                }
            });
        }
        Knowledge { now, later }
    }
}

impl ReadSets<'_> {
    /// Finds what decides about the steps that a process begins; see
    /// [`StateSpace::read_rounds`](narrows_model::StateSpace::read_rounds).
    pub(crate) fn rounds(&self, state: &[u8], pid: usize) -> Option<ReadRounds> {
        let mut outline = Outline::default();
        self.evaluator.outline(state, &mut outline);
        let process = outline.processes.get(pid)?;
        let own = self.own_bytes(process);
        let mut rounds = ReadRounds { own, first: None, second: SecondRound::Needless, deciding: None };
        let now = self.known_now(state, pid, process);
        let later = Some(Known { globals: Some(self.globals(state, &outline)), ..now.clone() });
        let knowledge = Knowledge { now, later };
        let footprint = self.step(&knowledge, process.location, &|_| true);
        let offers = footprint.sends.intersection(self.meetings(&outline));
        let has_offers = !offers.is_empty();
        if is_beyond(&footprint) || has_offers && !self.is_constant {
            return Some(rounds);
        }
        let mut bytes = Vec::new();
        self.add_touched(&footprint, &outline, &mut bytes);
        let takers: Vec<usize> =
            if has_offers { self.takers(state, &outline, pid, offers).collect() } else { Vec::new() };
        // Where they are decides whether they are ready.
        let head = |process: &ProcessOutline| process.start as u32..process.locals as u32;
        let heads: Vec<_> = takers.iter().map(|taker| head(&outline.processes[*taker])).collect();
        bytes.extend_from_slice(&heads);
        rounds.first = Some(bytes);
        if has_offers || footprint.later {
            rounds.deciding = (!footprint.later).then_some(heads);
            let sender = footprint.later.then_some((knowledge, process));
            rounds.second = match self.second(state, &outline, sender, (&takers, offers)) {
                Some(bytes) => SecondRound::Bytes(bytes),
                None => SecondRound::Unknown,
            };
        }
        Some(rounds)
    }

    /// Finds the second round; `None` if more may decide. The process that begins the step is looked at if it
    /// is given.
    fn second(
        &self,
        state: &[u8],
        outline: &Outline,
        sender: Option<(Knowledge, &ProcessOutline)>,
        (takers, offers): (&[usize], Channels),
    ) -> Option<Vec<Range<u32>>> {
        let mut footprint = Footprint::default();
        if let Some((Knowledge { later: Some(later), .. }, process)) = sender {
            let knowledge = Knowledge { now: later, later: None };
            footprint = self.step(&knowledge, process.location, &|_| true);
        }
        let meetings = self.meetings(outline);
        let mut bytes = Vec::new();
        for taker in takers {
            let process = &outline.processes[*taker];
            let knowledge = Knowledge { now: self.known(state, *taker, process), later: None };
            let resolver = self.resolver(&knowledge.now);
            let takes =
                |transition: &Transition| resolver.deed(&transition.statement).does.receives.meets(offers);
            if !self.is_ready(process, &takes) {
                continue;
            }
            let theirs = self.step(&knowledge, process.location, &takes);
            if is_beyond(&theirs) || theirs.sends.meets(meetings) {
                return None;
            }
            footprint.add(&theirs);
            bytes.push(self.own_bytes(process));
        }
        self.add_touched(&footprint, outline, &mut bytes);
        Some(bytes)
    }

    /// Returns whether a process is where some of its edges may be taken.
    fn is_ready(&self, process: &ProcessOutline, takes: &dyn Fn(&Transition) -> bool) -> bool {
        let proctype = self.statics.proctype(usize::from(process.proctype.0));
        proctype
            .location(process.location)
            .edges
            .iter()
            .any(|edge| takes(proctype.transition(edge.transition)))
    }

    /// Returns the number of a process, and all values of its variables.
    fn known_now(&self, state: &[u8], pid: usize, process: &ProcessOutline) -> Known {
        let proctype = usize::from(process.proctype.0);
        let length = self.statics.proctype(proctype).local_bytes as usize;
        let locals = state[process.locals..process.locals + length].iter().copied().map(Some).collect();
        Known { proctype, pid: Some(pid as u8), locals, globals: None }
    }

    fn globals(&self, state: &[u8], outline: &Outline) -> Vec<Option<u8>> {
        let length = self.statics.system.global_bytes as usize;
        state[outline.globals..outline.globals + length].iter().copied().map(Some).collect()
    }

    /// Returns what a process may touch in a step from a location by some of its edges.
    fn step(
        &self,
        knowledge: &Knowledge,
        location: LocationId,
        takes: &dyn Fn(&Transition) -> bool,
    ) -> Footprint {
        let proctype = self.statics.proctype(knowledge.now.proctype);
        let mut footprint = Footprint::default();
        let edges = proctype.location(location).edges.iter();
        let first = edges.map(|edge| proctype.transition(edge.transition));
        for transition in first.filter(|transition| takes(transition)) {
            self.add_edge(knowledge, proctype, transition, &mut footprint);
        }
        footprint
    }

    /// Adds what an edge touches, and what may follow it inside an atomic sequence.
    fn add_edge(
        &self,
        knowledge: &Knowledge,
        proctype: &Proctype,
        first: &Transition,
        footprint: &mut Footprint,
    ) {
        let chain = chain(proctype, first);
        let statements = || [first].into_iter().chain(chain.iter().copied()).map(|part| &part.statement);
        let after = knowledge.after(statements());
        let now = self.resolver_of(knowledge);
        let then = self.resolver_of(&after);
        match &first.statement {
            // It is evaluated wherever the process goes on.
            statement if proctype.provided.is_some() => footprint.add(&then.deed(statement).does),
            Statement::DStep(step) => {
                footprint.anything |= proctype.deterministic;
                if !add_d_step(step, &now, &then, footprint) {
                    return;
                }
            }
            statement if reads_first(statement) => {
                footprint.add(&now.deed(statement).does);
                if let Statement::Condition(condition) = statement
                    && now.value(condition) == Some(0)
                {
                    return;
                }
            }
            statement => footprint.add(&then.deed(statement).does),
        }
        for part in chain {
            footprint.add(&then.deed(&part.statement).does);
        }
    }

    fn resolver_of<'r>(&'r self, knowledge: &'r Knowledge) -> Resolver<'r, 'r> {
        Resolver { statics: &self.statics, known: &knowledge.now, later: knowledge.later.as_ref() }
    }
}

/// Returns whether more than variables, channels and those who take a message may decide about a step.
fn is_beyond(footprint: &Footprint) -> bool {
    let Footprint { anything, births, opens, deaths, counts, .. } = *footprint;
    anything || births || opens || deaths || counts
}

/// Returns whether a statement evaluates everything before it changes anything.
fn reads_first(statement: &Statement) -> bool {
    !matches!(statement, Statement::Receive(_) | Statement::Run(..) | Statement::End | Statement::DStep(_))
}

/// Returns what a process may execute in the same step after a transition.
fn chain<'p>(proctype: &'p Proctype, first: &Transition) -> Vec<&'p Transition> {
    let mut locations: Vec<LocationId> = first.atomic.then_some(first.target).into_iter().collect();
    let mut list = Vec::new();
    let mut next = 0;
    while let Some(location) = locations.get(next).copied() {
        next += 1;
        for edge in &proctype.location(location).edges {
            let transition = proctype.transition(edge.transition);
            list.push(transition);
            if transition.atomic && !locations.contains(&transition.target) {
                locations.push(transition.target);
            }
        }
    }
    list
}

/// Adds what a `d_step` touches that is executed first; false if it is known that it can't be.
fn add_d_step(
    step: &DStep,
    now: &Resolver<'_, '_>,
    then: &Resolver<'_, '_>,
    footprint: &mut Footprint,
) -> bool {
    let mut guards = Footprint::default();
    now.guards(step, &mut guards);
    footprint.add(&guards);
    if let [Guard::Condition(condition)] = step.guards.as_slice()
        && now.value(condition) == Some(0)
    {
        return false;
    }
    let first = first_nodes(step);
    for (number, node) in step.nodes.iter().enumerate() {
        let Node::Execute(statement, ..) = node else { continue };
        let is_first = reads_first(statement) && first.contains(&NodeId(number as u32));
        if is_first { now } else { then }.inside(statement, footprint);
    }
    true
}

/// Returns the nodes of a `d_step` that are executed first if at all.
fn first_nodes(step: &DStep) -> Vec<NodeId> {
    let mut leading_there = vec![0_u32; step.nodes.len()];
    for node in &step.nodes {
        let next: &[NodeId] = match node {
            Node::Execute(_, next, _) | Node::Jump(next) => std::slice::from_ref(next),
            Node::Choose(options, _) => options,
            Node::Leave => &[],
        };
        for next in next {
            leading_there[next.0 as usize] += 1;
        }
    }
    if leading_there[step.start.0 as usize] > 0 {
        return Vec::new();
    }
    match &step.nodes[step.start.0 as usize] {
        Node::Choose(options, _) => {
            options.iter().copied().filter(|option| leading_there[option.0 as usize] == 1).collect()
        }
        _ => vec![step.start],
    }
}
