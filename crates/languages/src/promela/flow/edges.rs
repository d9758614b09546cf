//! Where each element leads.

use narrows_model::{Expr, Location, LocationId, Statement, Transition};
use narrows_source::{Diagnostic, Diagnostics, Span};

use super::flatten::{Flat, Raw, TooMany};
use super::graph::{ElementId, ElementKind, Graph, SequenceId, status};
use super::labels::Target;

/// The locations and transitions of a process.
#[derive(Debug, Default)]
pub(in super::super) struct Finished {
    pub(in super::super) start: LocationId,
    pub(in super::super) locations: Vec<Location>,
    pub(in super::super) transitions: Vec<Transition>,
}

/// Jumps through more joints than this are circular.
const MAX_HOPS: usize = 500;

/// Works out the locations and transitions of a process whose body is `body`.
pub(in super::super) fn finish(
    graph: Graph,
    body: SequenceId,
    diagnostics: &mut Diagnostics,
) -> Option<Finished> {
    graph.check_jumps(diagnostics);
    if diagnostics.has_errors() {
        return None;
    }
    let mut edges = Edges { raw: vec![Raw::default(); graph.element_count() + 1], failed: None, graph };
    edges.tie_loose_ends();
    let first = edges.graph.first(body);
    let first_status = edges.graph.element(first).status;
    let start = edges.hunt(first, first_status);
    edges.sequence(body);
    if let Some(span) = edges.failed {
        let message = "this jump leads around in a circle without a statement";
        diagnostics.push(Diagnostic::error("P0236", span, message).help("put a `skip` into the circle"));
        return None;
    }
    let end = edges.graph.sequence(body).last;
    match Flat::new(&edges.graph, edges.raw, end).finish(LocationId(start.0 as u16)) {
        Ok(finished) => Some(finished),
        Err(TooMany) => {
            let span = edges.graph.element(first).span;
            let message = "the escapes of this process cover too many statements";
            Diagnostic::error("P0235", span, message)
                .help("let an `unless` cover less, or have fewer options where its escape starts")
                .emit(diagnostics);
            None
        }
    }
}

/// Works out edges; an element's edge is worked out once, in SPIN's order.
struct Edges {
    graph: Graph,
    raw: Vec<Raw>,
    failed: Option<Span>,
}

impl Edges {
    /// Lets the end of each block lead on to what follows the block.
    fn tie_loose_ends(&mut self) {
        // Outer blocks first: their end may be an inner block.
        let ids: Vec<_> = self.graph.element_ids().collect();
        for id in ids.into_iter().rev() {
            let element = self.graph.element(id);
            let (ElementKind::Atomic(inner) | ElementKind::Block(inner) | ElementKind::DStep(inner)) =
                element.kind
            else {
                continue;
            };
            let mut follower = element.next;
            while let Some(next) = follower {
                if !matches!(self.graph.element(next).kind, ElementKind::Join) {
                    break;
                }
                follower = self.graph.element(next).next;
            }
            if let Some(last) = self.graph.sequence(inner).last
                && self.graph.element(last).next.is_none()
            {
                self.graph.element_mut(last).next = follower;
            }
        }
    }

    /// Finds the location that control comes to at an element, through jumps and joints, but not out of an
    /// atomic sequence: there, leaving is a move of its own.
    fn hunt(&mut self, from: ElementId, status: u8) -> ElementId {
        self.hunt_inside(from, status, 0)
    }

    /// The same, so many times inside of `unless`.
    fn hunt_inside(&mut self, from: ElementId, status: u8, depth: usize) -> ElementId {
        let mut at = from;
        for _ in 0..MAX_HOPS {
            let element = self.graph.element(at);
            let next = match &element.kind {
                ElementKind::Goto(target) => match self.graph.find_label(target) {
                    Some(next) if next != at => next,
                    _ => break,
                },
                ElementKind::Join | ElementKind::BreakTarget => match element.next {
                    Some(next) => next,
                    None => return at,
                },
                ElementKind::Unless if depth < MAX_HOPS => {
                    let main = self.graph.first(element.branches[0]);
                    let next = self.hunt_inside(main, status, depth + 1);
                    if self.failed.is_some() {
                        return from;
                    }
                    next
                }
                ElementKind::Unless => break,
                _ => return at,
            };
            let leaves_atomic =
                status & status::ATOMIC != 0 && self.graph.element(next).status & status::ATOMIC == 0;
            if leaves_atomic {
                return at;
            }
            at = next;
        }
        self.failed.get_or_insert(self.graph.element(from).span);
        from
    }

    /// Finds where a sequence starts: behind joints, inside of `unless`.
    fn start_of(&self, sequence: SequenceId) -> ElementId {
        self.graph.start_of(sequence)
    }

    fn sequence(&mut self, sequence: SequenceId) {
        let last = self.graph.sequence(sequence).last;
        let mut at = self.graph.sequence(sequence).first;
        while let Some(id) = at {
            if self.graph.element(id).status & status::DONE == 0 {
                self.graph.element_mut(id).status |= status::DONE;
                self.element(id);
            }
            if Some(id) == last {
                break;
            }
            at = self.graph.element(id).next;
        }
    }

    fn element(&mut self, id: ElementId) {
        let branches = self.graph.element(id).branches.clone();
        match self.graph.element(id).kind.clone() {
            ElementKind::Unless => self.sequence(branches[0]),
            ElementKind::If | ElementKind::Do => {
                let mut options = Vec::new();
                for branch in &branches {
                    let start = self.start_of(*branch);
                    if !self.is_dead(start) {
                        options.push(start);
                    }
                }
                self.raw[id.0 as usize] = Raw::choice(id, options);
                for branch in branches {
                    self.sequence(branch);
                }
            }
            ElementKind::Atomic(inner) | ElementKind::Block(inner) => {
                self.enter_block(id, inner);
                let start = self.start_of(inner);
                self.raw[id.0 as usize] = Raw::choice(id, vec![start]);
                self.sequence(inner);
            }
            ElementKind::DStep(inner) => {
                self.enter_block(id, inner);
                self.basic(id, None);
            }
            ElementKind::Goto(target) => {
                let target = self.graph.find_label(&target);
                self.basic(id, target);
            }
            _ => self.basic(id, None),
        }
    }

    /// Returns whether an option's first statement is the constant false, and nothing can escape from it.
    fn is_dead(&self, element: ElementId) -> bool {
        let element = self.graph.element(element);
        matches!(element.kind, ElementKind::Basic(Statement::Condition(Expr::Constant(0))))
            && element.escapes.is_empty()
    }

    fn enter_block(&mut self, id: ElementId, inner: SequenceId) {
        self.patch_jumps(inner);
        let next = self.graph.element(id).next;
        if let Some(last) = self.graph.sequence(inner).last {
            self.graph.element_mut(last).next = next;
        }
    }

    /// Ends atomicity at jumps that leave an atomic sequence, and keeps it at those that lead from one to
    /// another.
    fn patch_jumps(&mut self, sequence: SequenceId) {
        const INSIDE: u8 = status::ATOMIC | status::LAST_ATOMIC;
        let extent = self.graph.sequence(sequence).extent;
        let mut at = self.graph.sequence(sequence).first;
        while let Some(id) = at {
            if let ElementKind::Goto(target) = &self.graph.element(id).kind {
                if let Some(to) = self.graph.find_label(target) {
                    let inside = self.graph.element(to).status & INSIDE != 0;
                    let element = self.graph.element_mut(id);
                    if element.status & INSIDE != 0 && !inside {
                        element.status = (element.status & !status::ATOMIC) | status::LAST_ATOMIC;
                    }
                    if element.status & status::LAST_ATOMIC != 0 && inside {
                        element.status = (element.status & !status::LAST_ATOMIC) | status::ATOMIC;
                    }
                }
            } else {
                for branch in self.graph.element(id).branches.clone() {
                    self.patch_jumps(branch);
                }
            }
            if Some(id) == extent {
                break;
            }
            at = self.graph.element(id).next;
        }
    }

    /// Works out the one edge of an element that is not a choice; `jump` is where it goes instead of on.
    fn basic(&mut self, id: ElementId, jump: Option<ElementId>) {
        let element = self.graph.element(id);
        let status = element.status;
        let follower = jump.or(element.next);
        let is_end = matches!(element.kind, ElementKind::End);
        let escapes = element.escapes.clone();
        let has_escapes = !matches!(element.kind, ElementKind::Join);
        let target = follower.map(|next| self.hunt(next, status));
        let target = if is_end { None } else { target };
        self.raw[id.0 as usize] = Raw::basic(id, target);
        if has_escapes {
            for escape in &escapes {
                let first = self.graph.first(*escape);
                let start = self.hunt(first, status);
                self.raw[id.0 as usize].add_escape(start);
            }
            for escape in escapes {
                self.sequence(escape);
            }
        }
    }
}

impl Graph {
    /// Finds where a sequence starts: behind joints, inside of `unless`.
    pub(super) fn start_of(&self, sequence: SequenceId) -> ElementId {
        let mut at = self.first(sequence);
        for _ in 0..200 {
            let element = self.element(at);
            at = match element.kind {
                ElementKind::Join => match element.next {
                    Some(next) => next,
                    None => break,
                },
                ElementKind::Unless => self.first(element.branches[0]),
                _ => break,
            };
        }
        at
    }

    /// Reports jumps to nowhere, and jumps into or out of a `d_step`.
    fn check_jumps(&self, diagnostics: &mut Diagnostics) {
        for id in self.element_ids() {
            let element = self.element(id);
            let ElementKind::Goto(target) = &element.kind else { continue };
            let Target::Label(name, _) = target else { continue };
            let Some(to) = self.find_label(target) else {
                if diagnostics.is_full() {
                    continue;
                }
                let mut names: Vec<&str> = self.labels.names().collect();
                names.sort_unstable();
                Diagnostic::error("P0212", element.span, format!("unknown label `{name}`"))
                    .label("no statement of this process has this label")
                    .did_you_mean(narrows_source::closest(name, names))
                    .emit(diagnostics);
                continue;
            };
            let (inside, target_inside) =
                (element.status & status::D_STEP != 0, self.element(to).status & status::D_STEP != 0);
            if inside != target_inside {
                let what = if inside { "out of" } else { "into" };
                Diagnostic::error("P0216", element.span, format!("this jumps {what} a d_step"))
                    .also(self.element(to).span, "to here")
                    .help("use atomic instead of d_step")
                    .emit(diagnostics);
            }
        }
    }
}
