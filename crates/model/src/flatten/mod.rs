//! Translation of a system of processes to a synchronous system with the same states and steps, over finitely
//! many variables.
//!
//! Each edge of each process is executed symbolically, through atomic sequences and rendezvous to the next
//! stored state: each path is one alternative of the synchronous system's steps, with a condition and updates
//! of a few variables. The rules are those of `evaluator/`, file by file; tests compare the states of both.
//! Where the system is deadlocked, the synchronous system stutters.
//!
//! Variables get the ranges that were seen in a sample of states ([`Extent`]), and so do the numbers of
//! processes. A step out of these ranges is no step of the synchronous system, but a condition in
//! [`Flat::beyond`]: if no reachable state satisfies one, the translation is complete. Otherwise what follows
//! that state is added to the sample, and the system is translated again.
//!
//! Files follow those of `evaluator/`, symbolically: `expressions.rs`, `channels.rs`, `statements.rs`,
//! `steps.rs`. `extent.rs` samples the ranges of variables, `layout.rs` maps variables to parts of a state
//! and back, `path.rs` is one symbolic path through a step, `terms.rs` builds expressions and knows their
//! ranges, `formulas.rs` has claims.

mod channels;
mod expressions;
mod extent;
mod formulas;
mod layout;
mod path;
mod statements;
mod steps;
mod terms;

use std::rc::Rc;

use narrows_source::Span;

pub use extent::Extent;

use expressions::Actor;
use layout::Layout;
use path::Path;
use terms::Terms;

use crate::synchronous::{Constraint, Demand, ExprId, Node, SynchronousSystem, Value, VariableId};
use crate::{Evaluator, Expr, StateSpace, System, Violation, ViolationKind};

/// Indices into larger arrays are not translated.
const MAX_ELEMENTS: usize = 4096;

/// The maximal number of moves: each is an alternative.
const MAX_MOVES: usize = 400_000;

/// Why a system can't be translated, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refused {
    /// The reason, as a full sentence.
    pub reason: String,
    /// What it is about.
    pub span: Option<Span>,
}

/// A violation in a step from states that satisfy a condition.
#[derive(Clone, Debug)]
pub struct FlatHazard {
    /// The violation.
    pub violation: Violation,
    /// The condition.
    pub condition: ExprId,
}

/// One alternative of the transition relation.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Alternative {
    condition: ExprId,
    changes: Vec<(VariableId, ExprId)>,
}

/// Translates steps to alternatives.
struct Maker<'s> {
    system: &'s System,
    terms: Terms,
    layout: Layout,
    alternatives: Vec<Alternative>,
    hazards: Vec<FlatHazard>,
    beyond: Vec<ExprId>,
    /// Whether nothing else can move.
    timeout: bool,
    /// The condition under which nothing else can move, once that is known.
    stuck: Option<ExprId>,
    /// How many conjuncts there were when the statement was begun, and the condition of a fault since then.
    attempt: usize,
    faulted: ExprId,
    /// The symbolic states of the current atomic sequence.
    inside: Vec<(usize, Vec<ExprId>)>,
    moves: usize,
    go_on: Rc<dyn Fn() -> bool>,
}

/// A system translated to a synchronous system.
pub struct Flat<'s> {
    maker: Maker<'s>,
    /// The conditions under which a step leaves the ranges of variables.
    pub beyond: Vec<ExprId>,
    /// The possible violations.
    pub hazards: Vec<FlatHazard>,
    /// The states in which no process can move and some process is not at a valid end state.
    pub deadlock: ExprId,
    /// The states without successors.
    pub over: ExprId,
}

/// What the synchronous system does in a deadlock of the system.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// It stutters.
    Stay,
    /// It has no successor.
    Stop,
}

impl std::fmt::Debug for Flat<'_> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Flat").field("deadlock", &self.deadlock).finish_non_exhaustive()
    }
}

/// Returns why a system can't be translated, if that is plain from its text.
pub fn accepts(evaluator: &Evaluator<'_>) -> Result<(), Refused> {
    let system = evaluator.system();
    let refuse = |reason: &str| Err(Refused { reason: reason.to_owned(), span: None });
    if system.has_priorities {
        return refuse("Priorities decide who may move.");
    }
    if system.hidden_bytes > 0 {
        return refuse("Hidden variables are not part of a state.");
    }
    match evaluator.initial() {
        Ok((_, violations)) => match violations.first() {
            Some(violation) => Err(at_start(violation)),
            None => Ok(()),
        },
        Err(violation) => Err(at_start(&violation)),
    }
}

fn at_start(violation: &Violation) -> Refused {
    let reason = format!("Something goes wrong before the first step: {}.", violation.kind.message());
    Refused { reason, span: Some(violation.span) }
}

impl<'s> Flat<'s> {
    /// Translates a system within the given ranges of states. `go_on` is polled; the translation stops where
    /// it returns `false`.
    pub fn new(
        evaluator: &Evaluator<'s>,
        extent: &Extent,
        ending: Ending,
        go_on: Rc<dyn Fn() -> bool>,
    ) -> Result<Flat<'s>, Refused> {
        accepts(evaluator)?;
        let system = evaluator.system();
        let mut terms = Terms::default();
        let layout = Layout::new(system, extent, &mut terms)?;
        let faulted = terms.truth(false);
        let mut maker = Maker {
            system,
            terms,
            layout,
            alternatives: Vec::new(),
            hazards: Vec::new(),
            beyond: Vec::new(),
            timeout: false,
            stuck: None,
            attempt: 0,
            faulted,
            inside: Vec::new(),
            moves: 0,
            go_on,
        };
        let moved = maker.steps()?;
        let end = maker.all_may_end();
        let either = maker.terms.or(moved, end);
        let deadlock = maker.terms.not(either);
        let over = maker.put_together(ending);
        maker.start(evaluator)?;
        let (beyond, hazards) = (std::mem::take(&mut maker.beyond), std::mem::take(&mut maker.hazards));
        Ok(Flat { maker, beyond, hazards, deadlock, over })
    }

    /// Returns the synchronous system.
    pub fn synchronous(&self) -> &SynchronousSystem {
        &self.maker.terms.builder.system
    }

    /// Returns the state of the system that a state of the synchronous system stands for.
    pub fn state(&self, values: &[Value]) -> Vec<u8> {
        self.maker.layout.frame(self.maker.system, values).to_state()
    }

    /// Translates an expression over a state; returns its value, and the condition under which it has a
    /// fault.
    pub fn predicate(&mut self, expr: &Expr) -> Result<(ExprId, ExprId), Refused> {
        self.maker.predicate(expr)
    }

    /// Returns the condition under which one of some violations happens in a step.
    pub fn any_hazard(&mut self, is_meant: impl Fn(ViolationKind) -> bool) -> ExprId {
        let meant: Vec<ExprId> = self
            .hazards
            .iter()
            .filter(|hazard| is_meant(hazard.violation.kind))
            .map(|hazard| hazard.condition)
            .collect();
        self.maker.terms.any(&meant)
    }

    /// Returns the conjunction of two conditions.
    pub fn both(&mut self, one: ExprId, other: ExprId) -> ExprId {
        self.maker.terms.and(one, other)
    }

    /// Returns the disjunction of two conditions.
    pub fn either(&mut self, one: ExprId, other: ExprId) -> ExprId {
        self.maker.terms.or(one, other)
    }

    /// Returns the negation of a condition.
    pub fn not(&mut self, condition: ExprId) -> ExprId {
        self.maker.terms.not(condition)
    }

    /// Returns the condition that some process is at a location of some kind.
    pub fn anybody_at(&mut self, is_meant: impl Fn(&crate::Location) -> bool) -> ExprId {
        let path = Path::new(&mut self.maker.terms);
        self.maker.anybody_at(&path, is_meant)
    }
}

impl Maker<'_> {
    fn note_hazard(&mut self, actor: Actor, condition: ExprId, kind: ViolationKind, span: Span) {
        if !self.terms.is_false(condition) {
            let violation = Violation { kind, span, pid: actor.pid as u8 };
            self.hazards.push(FlatHazard { violation, condition });
        }
    }

    fn note_beyond(&mut self, condition: ExprId) {
        if !self.terms.is_false(condition) && !self.beyond.contains(&condition) {
            self.beyond.push(condition);
        }
    }

    /// Counts a move, and stops where there are too many.
    fn count_step(&mut self, span: Span) -> Result<(), Refused> {
        self.moves += 1;
        if self.moves > MAX_MOVES {
            let reason = "There are too many paths through an atomic sequence.".to_owned();
            return Err(Refused { reason, span: Some(span) });
        }
        if self.moves.is_multiple_of(64) && !(self.go_on)() {
            return Err(Refused { reason: "It was stopped.".to_owned(), span: None });
        }
        Ok(())
    }

    fn predicate(&mut self, expr: &Expr) -> Result<(ExprId, ExprId), Refused> {
        let mut path = Path::new(&mut self.terms);
        let always = self.terms.truth(true);
        let hazards = std::mem::take(&mut self.hazards);
        let holds = self.holds(&mut path, expr, always);
        let wrong: Vec<ExprId> = std::mem::replace(&mut self.hazards, hazards)
            .into_iter()
            .map(|hazard| hazard.condition)
            .collect();
        Ok((holds?, self.terms.any(&wrong)))
    }

    /// Combines all alternatives to one constraint; returns the condition under which none is enabled.
    fn put_together(&mut self, ending: Ending) -> ExprId {
        let alternatives = std::mem::take(&mut self.alternatives);
        let count = self.terms.builder.system.variables.len();
        let mut kept = Vec::with_capacity(count);
        for index in 0..count {
            let variable = VariableId(index as u32);
            let now = self.terms.current(variable);
            // A variable with one value can't change.
            if self.terms.constant(now).is_some() {
                kept.push(self.terms.truth(true));
                continue;
            }
            let next = self.terms.builder.node(Node::Next(variable));
            kept.push(self.terms.builder.equal(next, now));
        }
        let mut ways = Vec::new();
        let mut conditions = Vec::new();
        for alternative in alternatives {
            let mut demands = kept.clone();
            for (variable, value) in &alternative.changes {
                let next = self.terms.builder.node(Node::Next(*variable));
                demands[variable.0 as usize] = self.terms.builder.equal(next, *value);
            }
            demands.push(alternative.condition);
            conditions.push(alternative.condition);
            ways.push(self.terms.all(&demands));
        }
        let any = self.terms.any(&conditions);
        let over = self.terms.not(any);
        if ending == Ending::Stay {
            kept.push(over);
            ways.push(self.terms.all(&kept));
        }
        let root = self.terms.any(&ways);
        let demand = Demand::Holds(root);
        self.terms.builder.system.transitions.push(Constraint { demand, span: Span::default() });
        over
    }

    /// Adds the initial state.
    fn start(&mut self, evaluator: &Evaluator<'_>) -> Result<(), Refused> {
        let count = self.terms.builder.system.variables.len();
        let initial = evaluator.initial().ok().map(|(state, _)| evaluator.load(&state));
        let values = initial.and_then(|frame| self.layout.values(self.system, &frame, count));
        let Some(values) = values else {
            let reason = "The first state was not looked at.".to_owned();
            return Err(Refused { reason, span: None });
        };
        for (index, value) in values.into_iter().enumerate() {
            let value = self.terms.number(value);
            let demand = Demand::Assigned(VariableId(index as u32), value);
            self.terms.builder.system.initial.push(Constraint { demand, span: Span::default() });
        }
        Ok(())
    }
}
