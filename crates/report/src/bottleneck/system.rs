//! The system as a picture: processes, what they share, resources, and the bottleneck marked.

use narrows_model::System;

use super::Analysed;
use super::charts::Picture;
use crate::diagram::{Diagram, DiagramEdge, DiagramNode, NodeKind, svg};

/// The name of the picture among the charts.
pub(super) const SYSTEM: &str = "system";

/// With more nodes than this, variables are left out of the picture.
const MAX_NODES: usize = 26;

impl Analysed<'_> {
    /// Draws the system; `None` if its model has no processes.
    pub(super) fn system_picture(&self) -> Option<Picture> {
        let system = self.figures.model.processes()?;
        let diagram = self.system_diagram(system)?;
        let title = "The system, with its bottleneck marked".to_owned();
        Some(Picture { name: SYSTEM.to_owned(), svg: svg(&[diagram], &title), title })
    }

    fn system_diagram(&self, system: &System) -> Option<Diagram> {
        let marked: Vec<&str> = self
            .bottleneck
            .flows
            .iter()
            .flat_map(|flow| flow.bottleneck.iter().flatten())
            .map(String::as_str)
            .collect();
        // A delay is named by its process and its label.
        let is_marked =
            |name: &str| marked.iter().any(|mark| *mark == name || mark.split(':').next() == Some(name));
        let mut nodes: Vec<DiagramNode> = Vec::new();
        let mut edges: Vec<DiagramEdge> = Vec::new();
        let add = |nodes: &mut Vec<DiagramNode>, name: &str, note: String, kind: NodeKind| {
            nodes.push(DiagramNode {
                name: name.to_owned(),
                note,
                kind,
                is_marked: is_marked(name),
                ..DiagramNode::default()
            });
            nodes.len() - 1
        };
        for proctype in &system.proctypes {
            add(&mut nodes, &proctype.name, format!("process {}", proctype.name), NodeKind::Process);
        }
        if nodes.is_empty() {
            return None;
        }
        // The states of caches, which a study puts under a model, belong to variables that are drawn
        // themselves.
        let mut shared = system.shared_objects();
        shared.retain(|object| !object.name.contains('('));
        let is_small = nodes.len() + shared.len() + self.bottleneck.resources.len() <= MAX_NODES;
        for object in shared.iter().filter(|object| is_small || object.is_channel) {
            let (kind, what) = if object.is_channel {
                (NodeKind::Channel, "channel")
            } else {
                (NodeKind::Variable, "variable")
            };
            let number = add(&mut nodes, &object.name, format!("{what} {}", object.name), kind);
            let edge = |from, to| DiagramEdge { from, to, label: String::new() };
            edges.extend(object.writers.iter().map(|writer| edge(*writer, number)));
            // Who writes as well is joined once.
            edges.extend(
                object
                    .readers
                    .iter()
                    .filter(|one| !object.writers.contains(one))
                    .map(|one| edge(number, *one)),
            );
        }
        for (number, resource) in self.bottleneck.resources.iter().enumerate() {
            let node = add(
                &mut nodes,
                &resource.name,
                format!("resource {}: busy while {}", resource.name, resource.busy),
                NodeKind::Resource,
            );
            let waited =
                (0..system.proctypes.len()).filter(|at| self.uses(number, &system.proctypes[*at].name));
            let mut users: Vec<usize> = waited.collect();
            if users.is_empty() {
                users = named(&resource.busy, system);
            }
            edges.extend(users.into_iter().map(|from| DiagramEdge { from, to: node, label: String::new() }));
        }
        Some(Diagram { title: String::new(), nodes, edges })
    }

    /// Returns whether a process is known to work while a resource is busy: it is so on what rounds wait for.
    /// Where they wait for something else, the condition tells who makes it busy.
    fn uses(&self, resource: usize, process: &str) -> bool {
        let links = self.bottleneck.flows.iter().flat_map(|flow| &flow.cases).flat_map(|case| &case.critical);
        let mut links = links.filter(|link| link.resources.contains(&resource));
        // Several processes of a kind are told apart by their numbers.
        links.any(|link| link.process.split('(').next() == Some(process))
    }
}

/// Returns the processes that a condition is about: those that it names, and those that write what it names.
fn named(condition: &str, system: &System) -> Vec<usize> {
    let objects = system.global_objects();
    let is_named = |name: &str| {
        let is_inside = |letter: char| letter.is_alphanumeric() || letter == '_';
        condition.split(|letter| !is_inside(letter)).any(|word| word == name)
    };
    let written = objects.iter().filter(|object| is_named(&object.name)).flat_map(|object| &object.writers);
    let written: Vec<usize> = written.copied().collect();
    let places = |name: &str| condition.contains(&format!("{name}@")) && is_named(name);
    let concerns = |at: &usize| written.contains(at) || places(&system.proctypes[*at].name);
    (0..system.proctypes.len()).filter(concerns).collect()
}
