//! Locations and transitions of processes, and states of graphs, as diagrams.

use std::collections::HashMap;

use narrows_lts::Graph;
use narrows_model::{LocationId, Model, Proctype, Statement};
use narrows_report::{Diagram, DiagramEdge, DiagramNode, one_line};
use narrows_source::{Sources, Span};

/// Returns a diagram for each kind of process; `None` if a model has no processes with locations.
pub fn process_diagrams(model: &Model) -> Option<Vec<Diagram>> {
    let proctypes = &model.processes()?.proctypes;
    Some(proctypes.iter().map(|proctype| of_proctype(proctype, &model.sources)).collect())
}

/// Returns the diagram of a graph of states.
pub fn graph_diagram(title: &str, graph: &Graph) -> Diagram {
    let node = |state: u32| DiagramNode {
        name: state.to_string(),
        is_end: graph.edges_from(state).is_empty(),
        ..DiagramNode::default()
    };
    let edges = graph.all_edges().map(|(from, edge)| DiagramEdge {
        from: from as usize,
        to: edge.target as usize,
        label: graph.label(edge.label).to_owned(),
    });
    Diagram {
        title: title.to_owned(),
        nodes: (0..graph.states()).map(node).collect(),
        edges: edges.collect(),
    }
}

/// The locations that can be reached, in the order they are found: breadth first.
struct Reached {
    numbers: HashMap<LocationId, usize>,
    order: Vec<LocationId>,
}

impl Reached {
    fn number(&mut self, location: LocationId) -> usize {
        *self.numbers.entry(location).or_insert_with(|| {
            self.order.push(location);
            self.order.len() - 1
        })
    }
}

fn of_proctype(proctype: &Proctype, sources: &Sources) -> Diagram {
    let mut reached = Reached { numbers: HashMap::new(), order: Vec::new() };
    reached.number(proctype.start);
    // An edge without a target ends the process.
    let mut edges: Vec<(usize, Option<usize>, String)> = Vec::new();
    let mut next = 0;
    while let Some(location) = reached.order.get(next).copied() {
        for edge in &proctype.location(location).edges {
            let transition = proctype.transition(edge.transition);
            let text = one_line(&transition.text);
            let label = if edge.escape > 0 { format!("unless: {text}") } else { text };
            let target = match transition.statement {
                Statement::End => None,
                _ => Some(reached.number(transition.target)),
            };
            edges.push((next, target, label));
        }
        next += 1;
    }
    let mut nodes: Vec<DiagramNode> = Vec::new();
    for (number, id) in reached.order.iter().enumerate() {
        let location = proctype.location(*id);
        let name = match location.labels.as_slice() {
            [] => number.to_string(),
            labels => labels.join(", "),
        };
        nodes.push(DiagramNode {
            name,
            note: place(sources, location.span),
            is_end: location.is_end,
            ..DiagramNode::default()
        });
    }
    if edges.iter().any(|(_, target, _)| target.is_none()) {
        nodes.push(DiagramNode { name: "gone".to_owned(), is_end: true, ..DiagramNode::default() });
    }
    let end = nodes.len() - 1;
    let edges = edges.into_iter().map(|(from, to, label)| DiagramEdge { from, to: to.unwrap_or(end), label });
    Diagram { title: proctype.name.clone(), nodes, edges: edges.collect() }
}

fn place(sources: &Sources, span: Span) -> String {
    if span == Span::default() {
        return String::new();
    }
    format!("{}:{}", sources.file(span.file).name, sources.position(span).line)
}
