//! The code of a `d_step`: it runs as one move, so it gets no locations.

use std::collections::BTreeMap;

use narrows_model::{DStep, Guard, Node, NodeId, Statement};
use narrows_source::Span;

use super::graph::{ElementId, ElementKind, Graph, SequenceId, status};

impl Graph {
    pub(super) fn d_step(&self, sequence: SequenceId, span: Span) -> DStep {
        let mut builder =
            Builder { graph: self, nodes: vec![Node::Leave], known: BTreeMap::new(), open: Vec::new() };
        let start = builder.node(Some(self.first(sequence)));
        builder.build();
        let mut guards = Vec::new();
        self.guards(sequence, &mut guards);
        DStep { guards, nodes: builder.nodes, start, span }
    }

    /// Collects the conditions under which a `d_step` may begin, as SPIN does: none means always.
    fn guards(&self, sequence: SequenceId, guards: &mut Vec<Guard>) {
        let first = self.first(sequence);
        let element = self.element(first);
        match &element.kind {
            ElementKind::Unless => self.guards(element.branches[0], guards),
            ElementKind::Block(inner) => self.guards(*inner, guards),
            ElementKind::If => self.option_guards(first, guards),
            ElementKind::Join => {
                if let Some(next) =
                    element.next.filter(|next| matches!(self.element(*next).kind, ElementKind::Do))
                {
                    self.option_guards(next, guards);
                }
            }
            ElementKind::Else => guards.push(Guard::Else),
            ElementKind::Basic(statement) => guards.extend(simple_guard(statement)),
            _ => {}
        }
    }

    fn option_guards(&self, choice: ElementId, guards: &mut Vec<Guard>) {
        for option in &self.element(choice).branches {
            let start = self.start_of(*option);
            let element = self.element(start);
            match &element.kind {
                ElementKind::Block(inner) => self.option_guards(self.first(*inner), guards),
                ElementKind::If | ElementKind::Do => self.option_guards(start, guards),
                ElementKind::Else => guards.push(Guard::Always),
                ElementKind::Basic(statement) => guards.extend(simple_guard(statement)),
                _ => {}
            }
        }
    }
}

fn simple_guard(statement: &Statement) -> Option<Guard> {
    match statement {
        Statement::Condition(condition) => Some(Guard::Condition(condition.clone())),
        Statement::Skip => Some(Guard::Always),
        Statement::Send(send) => Some(Guard::Send(send.clone())),
        Statement::Receive(receive) => Some(Guard::Receive(receive.clone())),
        _ => None,
    }
}

struct Builder<'g> {
    graph: &'g Graph,
    nodes: Vec<Node>,
    known: BTreeMap<ElementId, NodeId>,
    /// Elements whose nodes have a number but no content yet: a list, as long sequences would need a deep
    /// stack.
    open: Vec<(ElementId, NodeId)>,
}

impl Builder<'_> {
    /// Returns the node of an element; what lies outside is where the step ends.
    fn node(&mut self, element: Option<ElementId>) -> NodeId {
        let Some(id) = element.filter(|id| self.graph.element(*id).status & status::D_STEP != 0) else {
            return NodeId(0);
        };
        if let Some(node) = self.known.get(&id) {
            return *node;
        }
        let node = NodeId(self.nodes.len() as u32);
        self.known.insert(id, node);
        self.nodes.push(Node::Leave);
        self.open.push((id, node));
        node
    }

    fn build(&mut self) {
        while let Some((id, node)) = self.open.pop() {
            self.nodes[node.0 as usize] = self.content(id);
        }
    }

    fn content(&mut self, id: ElementId) -> Node {
        let element = self.graph.element(id);
        match &element.kind {
            ElementKind::Basic(statement) => {
                Node::Execute(statement.clone(), self.node(element.next), element.span)
            }
            ElementKind::Else => Node::Execute(Statement::Skip, self.node(element.next), element.span),
            ElementKind::Goto(target) => Node::Jump(self.node(self.graph.find_label(target))),
            ElementKind::If | ElementKind::Do => {
                let options =
                    element.branches.iter().map(|branch| self.node(Some(self.graph.first(*branch))));
                Node::Choose(options.collect(), element.span)
            }
            ElementKind::Unless => Node::Jump(self.node(Some(self.graph.first(element.branches[0])))),
            ElementKind::Atomic(inner) | ElementKind::Block(inner) | ElementKind::DStep(inner) => {
                Node::Jump(self.node(Some(self.graph.first(*inner))))
            }
            ElementKind::Join | ElementKind::BreakTarget => Node::Jump(self.node(element.next)),
            ElementKind::End => Node::Leave,
        }
    }
}
