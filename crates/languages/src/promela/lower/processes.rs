//! Processes: parameters, body, locations.

use std::rc::Rc;

use narrows_model::{Leaf, Place, Proctype, ProctypeId, Setup};
use narrows_source::{Diagnostic, Span};
use rustc_hash::FxHashMap;

use super::scopes;
use super::{Lowering, count};
use crate::promela::ast::{self, Sequence};
use crate::promela::flow::{Graph, Shape, ShapeKind, finish};

/// A process body that is being lowered.
#[derive(Debug, Default)]
pub(super) struct Body {
    pub(super) graph: Graph,
    pub(super) locals: Vec<Leaf>,
    pub(super) setup: Vec<Setup>,
    /// Whether no statement was seen yet, so that declarations are no steps.
    pub(super) may_initialise: bool,
    /// The loops that `break` can leave, innermost last.
    pub(super) loops: Vec<u32>,
    /// Where each label's name was first used.
    pub(super) label_homes: FxHashMap<Rc<str>, Vec<Vec<u32>>>,
}

impl Lowering<'_> {
    pub(super) fn proctype(&mut self, proctype: &ast::Proctype, id: ProctypeId) {
        self.scopes.local_bytes = 0;
        self.scopes.enter();
        let (parameters, leaves) = self.parameters(proctype);
        if let Some(signature) = self.signatures.get_mut(&proctype.name.name) {
            signature.parameters = parameters.len();
        }
        let provided = proctype.provided.as_ref().map(|condition| self.expr(condition));
        let mut body = Body { locals: leaves, ..self.new_body() };
        body.may_initialise = true;
        let mut lowered = self.process(&proctype.name.name, proctype.head, &proctype.body, body, id);
        lowered.parameters = parameters;
        lowered.provided = provided;
        lowered.deterministic = proctype.deterministic;
        self.store(id, lowered);
    }

    /// Lowers an `init`, before which there are so many others: SPIN runs all of them.
    pub(super) fn init(&mut self, init: &ast::Init, earlier: usize) -> ProctypeId {
        let id = ProctypeId((self.signatures.len() + earlier) as u16);
        self.scopes.local_bytes = 0;
        self.scopes.enter();
        let body = Body { may_initialise: true, ..self.new_body() };
        let lowered = self.process("init", init.head, &init.body, body, id);
        self.store(id, lowered);
        id
    }

    /// Lowers the body of a claim, which is like a process but stands beside the others.
    pub(super) fn claim(&mut self, name: &str, head: Span, sequence: &Sequence) -> Proctype {
        self.scopes.local_bytes = 0;
        self.scopes.enter();
        let mut body = Body { may_initialise: true, ..self.new_body() };
        body.graph.keeps_skips = true;
        self.process(name, head, sequence, body, ProctypeId(u16::MAX))
    }

    fn new_body(&self) -> Body {
        let mut body = Body::default();
        body.graph.next_trail_number = Rc::clone(&self.next_trail_number);
        body
    }

    fn store(&mut self, id: ProctypeId, proctype: Proctype) {
        let index = id.0 as usize;
        while self.system.proctypes.len() <= index {
            let blank = blank_proctype();
            self.system.proctypes.push(blank);
        }
        self.system.proctypes[index] = proctype;
    }

    fn parameters(&mut self, proctype: &ast::Proctype) -> (Vec<Place>, Vec<Leaf>) {
        let mut places = Vec::new();
        let mut leaves = Vec::new();
        for declaration in &proctype.parameters {
            for variable in &declaration.variables {
                if let Some(length) = &variable.length {
                    Diagnostic::error("P0220", length.span, "a parameter can't be an array")
                        .help("make the array global, or put it into a typedef")
                        .emit(self.diagnostics);
                }
                if variable.initial.is_some() {
                    Diagnostic::error("P0220", variable.name.span, "a parameter can't have an initial value")
                        .help("give the value where the process is run")
                        .emit(self.diagnostics);
                }
                let kind = self.resolve_type(&declaration.kind, variable.width, false, declaration.kind_span);
                let offset = self.scopes.local_bytes;
                self.scopes.local_bytes = offset.saturating_add(self.bytes_of(kind));
                let area = narrows_model::Area::Local;
                let declared = scopes::Variable {
                    kind,
                    length: None,
                    area,
                    offset,
                    span: variable.name.span,
                    constant: None,
                    channel: None,
                };
                if let Some(earlier) = self.scopes.declare(variable.name.name.clone(), declared) {
                    self.redeclared(&variable.name, earlier);
                }
                if !self.take_room(kind, 1, &variable.name.name, true, variable.name.span) {
                    continue;
                }
                for leaf in self.leaves(kind, None) {
                    let offset = offset + leaf.offset;
                    let span = variable.name.span;
                    places.push(Place { area, offset, indices: Vec::new(), scalar: leaf.scalar, span });
                    let name = format!("{}{}", variable.name.name, leaf.suffix);
                    leaves.push(Leaf { name, offset, scalar: leaf.scalar });
                }
            }
        }
        (places, leaves)
    }

    /// Lowers a body in a scope that is open already, and closes it.
    fn process(
        &mut self,
        name: &str,
        head: Span,
        sequence: &Sequence,
        mut body: Body,
        id: ProctypeId,
    ) -> Proctype {
        body.graph.open();
        self.steps(sequence, &mut body);
        self.note_locals(id);
        self.scopes.leave();
        body.graph.add(Shape::new(ShapeKind::End, sequence.close, "end"));
        let Body { mut graph, locals, setup, .. } = body;
        self.watch_labels(name, id, &mut graph);
        let mut proctype = Proctype {
            name: name.to_owned(),
            span: head,
            locals,
            local_bytes: self.scopes.local_bytes,
            setup,
            ..blank_proctype()
        };
        if graph.is_too_large() {
            Diagnostic::error("P0235", head, "this process has more than 65 000 statements")
                .help("write loops, or split it into several processes")
                .emit(self.diagnostics);
            return proctype;
        }
        let labels = graph.label_locations();
        if let Some(body) = graph.close()
            && let Some(finished) = finish(graph, body, self.diagnostics)
        {
            proctype.start = finished.start;
            proctype.locations = finished.locations;
            proctype.transitions = finished.transitions;
        }
        if id.0 != u16::MAX {
            let index = id.0 as usize;
            if self.remote_labels.len() <= index {
                self.remote_labels.resize(index + 1, FxHashMap::default());
            }
            self.remote_labels[index] = labels;
        }
        proctype
    }

    /// Remembers the local variables at the top level of a process for remote references.
    fn note_locals(&mut self, id: ProctypeId) {
        if id.0 == u16::MAX {
            return;
        }
        let index = id.0 as usize;
        if self.remote_locals.len() <= index {
            self.remote_locals.resize(index + 1, Vec::new());
        }
        self.remote_locals[index] = self.scopes.innermost();
    }

    /// A jump that has a watched label becomes a skip before the jump, so that its label is a location.
    fn watch_labels(&mut self, process: &str, id: ProctypeId, graph: &mut Graph) {
        for (name, label) in self.watched_labels.clone() {
            if &*name == process
                && let Some(jump) = graph.keep_label(&label)
            {
                self.unnumbered.push((id, label.to_string(), jump));
            }
        }
    }

    /// Numbers a jump that was split for its label, at the first reference to the label.
    pub(super) fn number_jump(&mut self, process: ProctypeId, label: &str) {
        let found = self.unnumbered.iter().position(|entry| entry.0 == process && entry.1 == label);
        let Some((_, _, jump)) = found.map(|index| self.unnumbered.remove(index)) else { return };
        let number = self.next_trail_number.get();
        self.next_trail_number.set(number + 1);
        let proctype = self.system.proctypes.get_mut(process.0 as usize);
        if let Some(transition) = proctype.and_then(|p| p.transitions.get_mut(jump.0 as usize)) {
            transition.trail_number = number;
        }
    }

    /// Checks every `run` against the proctype's parameters, all of which are known by now.
    pub(super) fn check_runs(&mut self) {
        for (id, given, span, name) in std::mem::take(&mut self.runs) {
            let Some(proctype) = self.system.proctypes.get(id.0 as usize) else { continue };
            let expected = proctype.parameters.len();
            if expected != given {
                let title =
                    format!("`{}` takes {}, but gets {given}", name.name, count(expected, "argument"));
                let declared = proctype.span;
                self.diagnostics
                    .push(Diagnostic::error("P0205", span, title).also(declared, "it is declared here"));
            }
        }
    }
}

fn blank_proctype() -> Proctype {
    Proctype {
        name: String::new(),
        span: Span::default(),
        parameters: Vec::new(),
        locals: Vec::new(),
        local_bytes: 0,
        setup: Vec::new(),
        start: narrows_model::LocationId(0),
        dead: Vec::new(),
        locations: Vec::new(),
        transitions: Vec::new(),
        provided: None,
        deterministic: false,
    }
}

impl Body {
    /// Returns a label's full name: it belongs to the block where its name was used first.
    pub(super) fn label(&mut self, name: &Rc<str>, path: Vec<u32>) -> crate::promela::flow::Target {
        let homes = self.label_homes.entry(name.clone()).or_default();
        let home = match homes.iter().rev().find(|home| path.starts_with(home)) {
            Some(home) => home.clone(),
            None => {
                homes.push(path.clone());
                path
            }
        };
        crate::promela::flow::Target::Label(name.clone(), home)
    }
}
