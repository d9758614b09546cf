//! The processes that were met, and what each of them does now and may do later.

use std::sync::Arc;

use narrows_model::{LocationId, ProcessOutline, Statement, TransitionId};
use rustc_hash::FxHashMap;

use super::footprint::Footprint;
use super::resolve::{Deed, Known, Resolver};
use super::statics::Statics;

/// After this many children, nothing is known of any other.
const MAX_CHILDREN: usize = 64;

/// A process of which the same is known whenever it is met.
pub(super) struct Instance {
    pub(super) known: Known,
    deeds: Vec<Option<Arc<Deed>>>,
    futures: Vec<Option<Future>>,
}

/// What an instance may do from a location on, the processes it may create included.
#[derive(Clone)]
pub(super) struct Future {
    /// No other has this number.
    pub(super) number: usize,
    pub(super) does: Arc<Footprint>,
}

/// All instances so far.
#[derive(Default)]
pub(super) struct Instances {
    list: Vec<Instance>,
    numbers: FxHashMap<Box<[u8]>, usize>,
    key: Vec<u8>,
    /// How many futures there are.
    futures: usize,
}

impl Instances {
    /// Finds the instance of a process in a state.
    pub(super) fn find(
        &mut self,
        statics: &Statics<'_>,
        pid: usize,
        process: &ProcessOutline,
        state: &[u8],
    ) -> usize {
        let proctype = usize::from(process.proctype.0);
        let fixed = &statics.proctypes[proctype].fixed;
        let locals = &state[process.locals..process.locals + fixed.len()];
        self.key.clear();
        self.key.push(pid as u8);
        self.key.extend_from_slice(&process.proctype.0.to_le_bytes());
        self.key.extend(locals.iter().zip(fixed).filter(|(_, fixed)| **fixed).map(|(value, _)| *value));
        if let Some(number) = self.numbers.get(self.key.as_slice()) {
            return *number;
        }
        let locals = locals.iter().zip(fixed).map(|(value, fixed)| fixed.then_some(*value)).collect();
        let kind = statics.proctype(proctype);
        let number = self.list.len();
        self.list.push(Instance {
            known: Known { proctype, pid: Some(pid as u8), locals, globals: None },
            deeds: vec![None; kind.transitions.len()],
            futures: vec![None; kind.locations.len()],
        });
        self.numbers.insert(self.key.as_slice().into(), number);
        number
    }

    /// Returns what a transition of an instance does.
    pub(super) fn deed(
        &mut self,
        statics: &Statics<'_>,
        instance: usize,
        transition: TransitionId,
    ) -> Arc<Deed> {
        let Instance { known, deeds, .. } = &mut self.list[instance];
        let deed = deeds[transition.0 as usize].get_or_insert_with(|| {
            let statement = &statics.proctype(known.proctype).transition(transition).statement;
            Arc::new(Resolver { statics, known, later: None }.deed(statement))
        });
        Arc::clone(deed)
    }

    /// Returns what an instance may do from a location on.
    pub(super) fn future(&mut self, statics: &Statics<'_>, instance: usize, location: LocationId) -> Future {
        let Instance { known, futures, .. } = &mut self.list[instance];
        let future = futures[usize::from(location.0)].get_or_insert_with(|| {
            let mut collector = Collector { statics, children: Vec::new(), out: Footprint::default() };
            collector.add(known, location);
            let mut next = 0;
            while let Some(child) = collector.children.get(next).cloned() {
                next += 1;
                collector.add(&child, statics.proctype(child.proctype).start);
            }
            self.futures += 1;
            Future { number: self.futures - 1, does: Arc::new(collector.out) }
        });
        future.clone()
    }
}

/// Collects what a process may do.
struct Collector<'f, 's> {
    statics: &'f Statics<'s>,
    /// The processes that may be created.
    children: Vec<Known>,
    out: Footprint,
}

impl Collector<'_, '_> {
    fn add(&mut self, known: &Known, from: LocationId) {
        let statics = self.statics;
        let (kind, proctype) = (&statics.proctypes[known.proctype], statics.proctype(known.proctype));
        let resolver = Resolver { statics, known, later: None };
        for location in &kind.reachable[usize::from(from.0)] {
            let place = usize::from(location.0);
            let looks_closer = kind.inside[place] || kind.entangled[place];
            for edge in &proctype.location(*location).edges {
                let statement = &proctype.transition(edge.transition).statement;
                let deed = resolver.deed(statement);
                self.out.add(&deed.does);
                if looks_closer {
                    // Whether it can be executed decides about other edges, or how far an atomic sequence
                    // goes.
                    self.out.queries.union_with(deed.waits.sends.union(deed.waits.receives));
                }
                self.add_children(&resolver, statement);
            }
        }
    }

    fn add_children(&mut self, resolver: &Resolver<'_, '_>, statement: &Statement) {
        match statement {
            Statement::Run(run, _) => {
                let mut child = resolver.child(run);
                if self.children.len() >= MAX_CHILDREN {
                    child = Known::nothing(self.statics, child.proctype);
                }
                if !self.children.contains(&child) {
                    self.children.push(child);
                }
            }
            Statement::DStep(step) => {
                step.statements().for_each(|inner| self.add_children(resolver, inner));
            }
            _ => {}
        }
    }
}
