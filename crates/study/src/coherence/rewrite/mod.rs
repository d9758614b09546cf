//! Rewrites a kind of process so that each access to shared memory is a step of its own, with a wait after
//! it.
//!
//! What a process does stays the same; what was one statement may become several. An access is one step that
//! does what the statement says, changes the states of its line, and notes how the data is transferred. Then
//! the process waits, in a location with one transition for each transfer: these have the delays. A condition
//! that reads memory is evaluated by loads; if nothing can be executed afterwards, it is polled again. An
//! atomic sequence, or a `d_step`, may use one place in memory, and is one access to it.

mod atomic;
mod choices;
mod statements;
mod waits;

use narrows_model::{
    Area, DStep, Edge, Guard, Leaf, Location, LocationId, Node, NodeId, Place, Proctype, ProctypeId, Scalar,
    Statement, Transition, TransitionId,
};
use narrows_performance::Site;
use narrows_source::{Diagnostic, Diagnostics, Span};

use super::accesses::touches;
use super::hierarchy::{Hierarchy, Transfer, TransferLocals};
use super::protocol::Access;

/// Where a process waits for a transfer.
#[derive(Clone, Debug)]
pub(crate) struct Wait {
    /// The transition that ends it.
    pub(crate) site: Site,
    /// The variable.
    pub(crate) variable: usize,
    pub(crate) transfer: Transfer,
    /// Which phase it is, and whether that is the last one.
    pub(crate) is_last: bool,
}

/// What became of a kind of process.
pub(crate) struct Rewritten {
    pub(crate) proctype: Proctype,
    /// The transition of the text that each transition stands for.
    pub(crate) origins: Vec<Option<TransitionId>>,
    pub(crate) waits: Vec<Wait>,
}

/// The place where a wait leads on, and what it waits for.
type Key = (LocationId, usize, Access, Vec<u32>);

struct Rewriter<'a> {
    hierarchy: &'a Hierarchy,
    id: ProctypeId,
    /// The caches of its processes.
    caches: Vec<usize>,
    old: &'a Proctype,
    locals: TransferLocals,
    /// Which guards hold, one bit each.
    guards: Place,
    temporaries: Vec<(usize, Scalar, Place)>,
    new: Proctype,
    origins: Vec<Option<TransitionId>>,
    waits: Vec<Wait>,
    known: Vec<(Key, LocationId)>,
    /// Which locations inside atomic sequences are used already.
    taken: Vec<bool>,
    diagnostics: &'a mut Diagnostics,
}

/// Rewrites a kind of process. The scalar is for the transfer that goes on; `has_delay` says of which
/// statements the study gives a delay.
pub(crate) fn rewrite(
    hierarchy: &Hierarchy,
    id: ProctypeId,
    old: &Proctype,
    transfers: Scalar,
    has_delay: &dyn Fn(TransitionId) -> bool,
    diagnostics: &mut Diagnostics,
) -> Rewritten {
    let caches = hierarchy.memory.caches.iter().enumerate();
    let caches = caches.filter(|(_, cache)| cache.proctype == id).map(|(number, _)| number).collect();
    let mut new = Proctype { transitions: Vec::new(), ..old.clone() };
    let transfer = add_local(&mut new, "transfer", transfers);
    let line = add_local(&mut new, "line", Scalar::Short);
    let guards = add_local(&mut new, "guards", Scalar::Int);
    let mut rewriter = Rewriter {
        hierarchy,
        id,
        caches,
        old,
        locals: TransferLocals { transfer, line },
        guards,
        temporaries: Vec::new(),
        new,
        origins: Vec::new(),
        waits: Vec::new(),
        known: Vec::new(),
        taken: vec![false; old.locations.len()],
        diagnostics,
    };
    rewriter.check_whole(has_delay);
    rewriter.run();
    Rewritten { proctype: rewriter.new, origins: rewriter.origins, waits: rewriter.waits }
}

/// Adds a local variable.
fn add_local(proctype: &mut Proctype, name: &str, scalar: Scalar) -> Place {
    let offset = proctype.local_bytes;
    proctype.locals.push(Leaf { name: name.to_owned(), offset, scalar });
    proctype.local_bytes += scalar.bytes();
    Place { area: Area::Local, offset, indices: Vec::new(), scalar, span: Span::default() }
}

/// Makes one step of some statements.
fn sequence(guards: Vec<Guard>, statements: Vec<Statement>, span: Span) -> Statement {
    let next = |number: usize| NodeId(number as u32 + 1);
    let nodes = statements.into_iter().enumerate();
    let nodes = nodes.map(|(number, statement)| Node::Execute(statement, next(number), span));
    let nodes = nodes.chain([Node::Leave]).collect();
    Statement::DStep(Box::new(DStep { guards, nodes, start: NodeId(0), span }))
}

impl Rewriter<'_> {
    /// Returns whether a statement uses shared memory.
    fn uses(&self, statement: &Statement) -> bool {
        let mut found = false;
        touches(statement, &mut |place, _| found |= self.hierarchy.memory.is_shared(place));
        found
    }

    fn wrong(&mut self, code: &'static str, span: Span, title: &str, help: &str) {
        self.diagnostics.push(Diagnostic::error(code, span, title).help(help));
    }

    /// Finds what can't be rewritten at all.
    fn check_whole(&mut self, has_delay: &dyn Fn(TransitionId) -> bool) {
        for (number, transition) in self.old.transitions.iter().enumerate() {
            if has_delay(TransitionId(number as u32)) && self.uses(&transition.statement) {
                self.wrong(
                    "C0008",
                    transition.span,
                    "this statement uses shared memory, and the study gives it a delay",
                    "its time is that of its accesses; give the delay to a `skip` before or after it",
                );
            }
        }
        let old = self.old;
        for location in &old.locations {
            let escapes = location.edges.iter().any(|edge| edge.escape != 0);
            let statement = |edge: &Edge| &old.transition(edge.transition).statement;
            if escapes && location.edges.iter().any(|edge| self.uses(statement(edge))) {
                self.wrong(
                    "C0008",
                    location.span,
                    "shared memory is used inside `unless`, which may interrupt it anywhere",
                    "use shared memory outside of `unless`",
                );
            }
        }
        if old.provided.as_ref().is_some_and(|expr| self.uses(&Statement::Condition(expr.clone()))) {
            self.wrong(
                "C0008",
                old.span,
                "a `provided` clause reads shared memory before every step",
                "read it where it is needed",
            );
        }
    }

    fn run(&mut self) {
        let old = self.old;
        let mut inside = vec![false; old.locations.len()];
        let mut outside = vec![false; old.locations.len()];
        outside[usize::from(old.start.0)] = true;
        for transition in &old.transitions {
            let target = usize::from(transition.target.0);
            if transition.atomic { inside[target] = true } else { outside[target] = true }
        }
        for location in &mut self.new.locations {
            location.edges.clear();
        }
        for number in 0..old.locations.len() {
            let at = LocationId(number as u16);
            if inside[number] && !outside[number] {
                // It belongs to an atomic sequence, and is rewritten with that if it has to be.
                continue;
            }
            if self.is_atomic(at)
                && self.region(at).1.iter().any(|one| self.uses(&old.transition(*one).statement))
            {
                self.rewrite_atomic(at, inside[number]);
            } else {
                self.rewrite_location(at);
            }
        }
        for number in 0..old.locations.len() {
            if inside[number] && !outside[number] && !self.taken[number] {
                self.copy_edges(LocationId(number as u16));
            }
        }
    }

    /// Leaves a location as it is.
    fn copy_edges(&mut self, at: LocationId) {
        for edge in self.old.location(at).edges.clone() {
            let transition = self.old.transition(edge.transition).clone();
            self.add_transition(at, transition, Some(edge.transition), edge.escape);
        }
    }

    fn add_transition(
        &mut self,
        at: LocationId,
        transition: Transition,
        origin: Option<TransitionId>,
        escape: u16,
    ) -> TransitionId {
        let id = TransitionId(self.new.transitions.len() as u32);
        self.new.transitions.push(transition);
        self.origins.push(origin);
        self.new.locations[usize::from(at.0)].edges.push(Edge { transition: id, escape });
        id
    }

    /// Adds a step that stands for something of the text, or for nothing.
    fn add(
        &mut self,
        at: LocationId,
        statement: Statement,
        target: LocationId,
        like: &Transition,
        origin: Option<TransitionId>,
    ) -> TransitionId {
        let text = like.text.clone();
        let is_glue = origin.is_none();
        let new = Transition { statement, target, atomic: false, text, is_glue, ..like.clone() };
        self.add_transition(at, new, origin, 0)
    }

    fn new_location(&mut self, like: Span) -> LocationId {
        let id = LocationId(self.new.locations.len() as u16);
        self.new.locations.push(Location { span: like, ..Location::default() });
        id
    }
}
