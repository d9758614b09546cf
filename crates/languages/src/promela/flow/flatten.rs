//! Choices folded into the locations they start from, and escapes put in front.

use narrows_model::{Edge, Location, LocationId, Statement, Transition, TransitionId};

use rustc_hash::FxHashSet;

use super::edges::Finished;
use super::graph::{ElementId, ElementKind, Graph, status};

/// An edge before folding.
#[derive(Clone, Debug)]
struct RawEdge {
    /// The element it executes.
    element: ElementId,
    /// Where it leads; `None` after the end of a process.
    target: Option<ElementId>,
    /// The escapes that cover the element, the outermost first.
    escapes: Vec<ElementId>,
    /// The escape it belongs to; 0 for none.
    escape: u32,
}

/// The edges of a location before folding: one, or a choice among the starts of options.
#[derive(Clone, Debug, Default)]
pub(super) struct Raw {
    edges: Vec<RawEdge>,
    is_choice: bool,
}

impl Raw {
    pub(super) fn basic(element: ElementId, target: Option<ElementId>) -> Raw {
        let edge = RawEdge { element, target, escapes: Vec::new(), escape: 0 };
        Raw { edges: vec![edge], is_choice: false }
    }

    pub(super) fn choice(element: ElementId, options: Vec<ElementId>) -> Raw {
        let edges = options
            .into_iter()
            .map(|option| RawEdge { element, target: Some(option), escapes: Vec::new(), escape: 0 })
            .collect();
        Raw { edges, is_choice: true }
    }

    pub(super) fn add_escape(&mut self, start: ElementId) {
        if let Some(edge) = self.edges.first_mut() {
            edge.escapes.push(start);
        }
    }
}

/// There are more edges than memory should be spent on.
#[derive(Debug)]
pub(super) struct TooMany;

/// At most this many edges lead out of all statements by escapes.
const MAX_ESCAPES: usize = 1_000_000;

/// Marks of locations.
#[derive(Clone, Copy, Debug, Default)]
struct Marks {
    end: bool,
    progress: bool,
    accepting: bool,
}

pub(super) struct Flat<'g> {
    graph: &'g Graph,
    raw: Vec<Raw>,
    marks: Vec<Marks>,
}

impl<'g> Flat<'g> {
    pub(super) fn new(graph: &'g Graph, raw: Vec<Raw>, end: Option<ElementId>) -> Self {
        let mut marks = vec![Marks::default(); raw.len()];
        for element in graph.element_ids() {
            for name in graph.names_of(element) {
                let mark = &mut marks[element.0 as usize];
                mark.end |= name.starts_with("end");
                mark.progress |= name.starts_with("progress");
                mark.accepting |= name.starts_with("accept");
            }
        }
        if let Some(end) = end {
            marks[end.0 as usize].end = true;
        }
        Flat { graph, raw, marks }
    }

    pub(super) fn finish(mut self, start: LocationId) -> Result<Finished, TooMany> {
        self.unfold_nested();
        self.fold_options();
        self.add_escapes()?;
        self.pass_end_marks();
        Ok(self.locations(start))
    }

    /// A mark on the start of an option moves on to where the option leads.
    fn pass_marks(&mut self, from: ElementId, to: Option<ElementId>) {
        let Some(to) = to else { return };
        let marks = self.marks[from.0 as usize];
        let there = &mut self.marks[to.0 as usize];
        there.end |= marks.end;
        there.progress |= marks.progress;
        there.accepting |= marks.accepting;
    }

    /// Replaces options that are choices themselves by their options, until none is.
    fn unfold_nested(&mut self) {
        loop {
            let mut changed = false;
            for index in 1..self.raw.len() {
                let raw = &self.raw[index];
                if !raw.is_choice || !raw.edges.iter().any(|edge| self.leads_to_choice(edge)) {
                    continue;
                }
                let mut edges = Vec::new();
                for edge in self.raw[index].edges.clone() {
                    let Some(target) = edge.target else { continue };
                    if self.leads_to_choice(&edge) {
                        for inner in self.raw[target.0 as usize].edges.clone() {
                            self.pass_marks(target, inner.target);
                            edges.push(inner);
                        }
                        changed = true;
                    } else {
                        // The mark passes to the option's own start, which has it already.
                        edges.push(edge);
                    }
                }
                self.raw[index].edges = edges;
            }
            if !changed {
                break;
            }
        }
    }

    fn leads_to_choice(&self, edge: &RawEdge) -> bool {
        edge.target.is_some_and(|target| {
            let raw = &self.raw[target.0 as usize];
            raw.is_choice && !raw.edges.is_empty()
        })
    }

    /// Replaces each option by the edge that starts it.
    fn fold_options(&mut self) {
        for index in 1..self.raw.len() {
            if !self.raw[index].is_choice {
                continue;
            }
            let mut edges = Vec::new();
            for option in self.raw[index].edges.clone() {
                let Some(start) = option.target else { continue };
                let Some(first) = self.raw[start.0 as usize].edges.first().cloned() else { continue };
                if self.raw[start.0 as usize].is_choice {
                    continue;
                }
                self.pass_marks(start, first.target);
                edges.push(first);
            }
            self.raw[index].edges = edges;
            self.raw[index].is_choice = false;
        }
    }

    /// Puts the edges of escapes in front; the outermost escape comes first.
    fn add_escapes(&mut self) -> Result<(), TooMany> {
        let mut total = 0;
        for index in 1..self.raw.len() {
            // From the last to the first.
            let mut front: Vec<RawEdge> = Vec::new();
            let mut known: FxHashSet<ElementId> =
                self.raw[index].edges.iter().map(|edge| edge.element).collect();
            for edge in self.raw[index].edges.clone() {
                for escape in edge.escapes.iter().rev() {
                    for copy in self.raw[escape.0 as usize].edges.clone() {
                        if known.insert(copy.element) {
                            front.push(RawEdge { escape: escape.0, ..copy });
                        }
                    }
                }
            }
            total += front.len();
            if total > MAX_ESCAPES {
                return Err(TooMany);
            }
            front.reverse();
            front.append(&mut self.raw[index].edges);
            self.raw[index].edges = front;
        }
        Ok(())
    }

    /// A process that may end before a joint may end behind it.
    fn pass_end_marks(&mut self) {
        for index in 1..self.raw.len() {
            let [edge] = self.raw[index].edges.as_slice() else { continue };
            if matches!(self.graph.element(edge.element).kind, ElementKind::Join)
                && self.marks[index].end
                && let Some(target) = edge.target
            {
                self.marks[target.0 as usize].end = true;
            }
        }
    }

    fn locations(&self, start: LocationId) -> Finished {
        let mut finished = Finished { start, ..Finished::default() };
        // A transition for each element that has an edge of its own; the others stay unused.
        for element in self.graph.element_ids() {
            finished.transitions.push(self.transition(element));
        }
        finished.locations.push(Location::default());
        for element in self.graph.element_ids() {
            let index = element.0 as usize;
            let edges = self.raw[index].edges.iter().map(|edge| Edge {
                transition: TransitionId(edge.element.0 - 1),
                escape: edge.escape as u16,
            });
            finished.locations.push(Location {
                edges: edges.collect(),
                labels: self.graph.names_of(element).map(std::string::ToString::to_string).collect(),
                is_end: self.marks[index].end,
                is_progress: self.marks[index].progress,
                is_accepting: self.marks[index].accepting,
                span: self.graph.element(element).span,
            });
        }
        finished
    }

    fn transition(&self, id: ElementId) -> Transition {
        let element = self.graph.element(id);
        let (statement, is_glue) = match &element.kind {
            ElementKind::Basic(statement) => (statement.clone(), false),
            ElementKind::Else => (Statement::Else, false),
            ElementKind::End => (Statement::End, false),
            ElementKind::DStep(sequence) => {
                (Statement::DStep(Box::new(self.graph.d_step(*sequence, element.span))), false)
            }
            ElementKind::Goto(_) => (Statement::Skip, false),
            _ => (Statement::Skip, true),
        };
        let own = self.raw[id.0 as usize].edges.iter().find(|edge| edge.element == id);
        Transition {
            statement,
            target: LocationId(own.and_then(|edge| edge.target).map_or(0, |target| target.0 as u16)),
            atomic: element.status & status::ATOMIC != 0,
            span: element.span,
            text: element.text.clone(),
            is_glue,
            trail_number: element.trail_number,
            dead: Vec::new(),
            unread: Vec::new(),
        }
    }
}
