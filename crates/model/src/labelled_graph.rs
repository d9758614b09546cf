//! A labelled system that is given by its states and edges, such as a file that another program wrote.
//!
//! Its states are the numbers of the graph, as four bytes. A state without edges is where a run ends well if
//! an edge with the label `exit` leads to it, as in the graphs of LOTOS models, and otherwise a deadlock.

use narrows_graph::DenseSet;
use narrows_graph::labelled::{Graph, is_exit};

use crate::behaviour::Fault;
use crate::{
    Components, Expansion, Group, GroupSteps, LabelledSystem, Scratch, StatePart, StateSpace, Successor,
    Unfold, Violation, Visit,
};

/// A graph as a system.
#[derive(Clone, Debug)]
pub struct LabelledGraph {
    graph: Graph,
    /// The states that an edge `exit` leads to.
    exits: DenseSet,
}

impl LabelledGraph {
    /// Makes a system of a graph.
    pub fn new(graph: Graph) -> LabelledGraph {
        let mut exits = DenseSet::new(graph.states() as usize);
        for edge in graph.edges().iter().filter(|edge| is_exit(graph.label(edge.label))) {
            exits.insert(edge.target);
        }
        LabelledGraph { graph, exits }
    }

    /// Returns the number of a state; `None` if the graph has no such state.
    fn number(&self, state: &[u8]) -> Option<u32> {
        let number = u32::from_le_bytes(state.try_into().ok()?);
        (number < self.graph.states()).then_some(number)
    }
}

impl StateSpace for LabelledGraph {
    fn initial(&self) -> Result<(Vec<u8>, Vec<Violation>), Violation> {
        Ok((self.graph.initial().to_le_bytes().to_vec(), Vec::new()))
    }

    fn successors(&self, state: &[u8], _: &mut Scratch, visit: &mut Visit<'_>) -> Expansion {
        let Some(number) = self.number(state) else { return Expansion::Deadlock };
        let edges = self.graph.edges_from(number);
        for edge in edges {
            let successor = Successor {
                label: &edge.label.to_le_bytes(),
                target: Some(&edge.target.to_le_bytes()),
                ..Successor::default()
            };
            if visit(successor).is_break() {
                return Expansion::Moves;
            }
        }
        match edges.is_empty() {
            false => Expansion::Moves,
            true if self.exits.contains(number) => Expansion::Ended,
            true => Expansion::Deadlock,
        }
    }
}

impl LabelledSystem for LabelledGraph {
    fn label(&self, label: &[u8]) -> String {
        let number = label.try_into().map(u32::from_le_bytes).ok();
        let text = number.and_then(|number| self.graph.labels().get(number as usize));
        text.cloned().unwrap_or_default()
    }

    fn describe(&self, state: &[u8]) -> Vec<StatePart> {
        let part = |number| StatePart { span: None, values: format!("state {number}") };
        self.number(state).map(part).into_iter().collect()
    }

    fn fault(&self, _: Option<&[u8]>) -> Option<Fault> {
        None
    }

    fn unfold(&self) -> Result<Box<dyn Unfold + '_>, Fault> {
        let mut unfolding = GraphUnfolding {
            graph: &self.graph,
            numbers: vec![u32::MAX; self.graph.states() as usize],
            order: Vec::new(),
            edges: Vec::new(),
        };
        unfolding.find(self.graph.initial());
        Ok(Box::new(unfolding))
    }

    fn components(&self) -> Box<dyn Components + '_> {
        let alone = Group { members: vec![0], gates: vec![0] };
        Box::new(SingleComponent { graph: &self.graph, groups: vec![alone] })
    }
}

/// A graph as a component that has nobody beside it, at a single gate.
struct SingleComponent<'g> {
    graph: &'g Graph,
    groups: Vec<Group>,
}

impl Components for SingleComponent<'_> {
    fn split(&mut self, state: &[u8], parts: &mut Vec<u32>) -> u32 {
        parts.push(state.try_into().map_or(0, u32::from_le_bytes));
        0
    }

    fn join(&self, _: u32, parts: &[u32], state: &mut Vec<u8>) {
        state.extend(parts.iter().flat_map(|part| part.to_le_bytes()));
    }

    fn note(&mut self, _: u32, _: u16, _: u32) {}

    fn is_outdated(&self) -> bool {
        false
    }

    fn begin(&mut self) {}

    fn groups(&self, _: u32) -> Option<&[Group]> {
        Some(&self.groups)
    }

    fn gates(&mut self, component: u32) -> Option<Vec<u16>> {
        let is_last = self.graph.edges_from(component).is_empty();
        Some(if is_last { Vec::new() } else { vec![0] })
    }

    fn steps(&mut self, _: u32, parts: &[u32], _: usize) -> Option<GroupSteps> {
        let edges = parts.first().map_or(&[][..], |state| self.graph.edges_from(*state));
        let targets = edges.iter().map(|edge| (0, vec![edge.target])).collect();
        Some(GroupSteps { targets, others: Vec::new() })
    }

    fn bytes(&self) -> u64 {
        0
    }
}

/// Numbers the reachable states of a graph.
struct GraphUnfolding<'g> {
    graph: &'g Graph,
    /// The new number of each state, `u32::MAX` for those that were not found.
    numbers: Vec<u32>,
    /// The states that were found.
    order: Vec<u32>,
    /// The edges of the last state, by new number.
    edges: Vec<(u32, u32)>,
}

impl GraphUnfolding<'_> {
    /// Returns the new number of a state, the next one if it was not found before.
    fn find(&mut self, state: u32) -> u32 {
        let number = &mut self.numbers[state as usize];
        if *number == u32::MAX {
            *number = self.order.len() as u32;
            self.order.push(state);
        }
        *number
    }
}

impl Unfold for GraphUnfolding<'_> {
    fn states(&self) -> u32 {
        self.order.len() as u32
    }

    fn expand(&mut self, state: u32) -> Result<(), Fault> {
        self.edges.clear();
        let graph = self.graph;
        for edge in graph.edges_from(self.order[state as usize]) {
            let target = self.find(edge.target);
            self.edges.push((edge.label, target));
        }
        Ok(())
    }

    fn edges(&self) -> &[(u32, u32)] {
        &self.edges
    }

    fn label(&self, label: u32) -> String {
        self.graph.label(label).to_owned()
    }

    fn bytes(&self) -> u64 {
        let words = self.numbers.capacity() + self.order.capacity() + self.edges.capacity() * 2;
        words as u64 * 4 + self.graph.edges().len() as u64 * 8 + self.graph.starts().len() as u64 * 4
    }

    fn is_full(&self) -> bool {
        // A graph has fewer states than there are numbers.
        false
    }
}

#[cfg(test)]
mod tests {
    use std::ops::ControlFlow;

    use narrows_graph::aut;

    use super::LabelledGraph;
    use crate::{Expansion, LabelledSystem, Scratch, StateSpace};

    fn system(text: &str) -> LabelledGraph {
        LabelledGraph::new(aut::read(text).expect("a graph"))
    }

    /// The labels and targets of a state, and how it ends.
    fn steps(system: &LabelledGraph, state: u32) -> (Vec<(String, Vec<u8>)>, Expansion) {
        let mut found = Vec::new();
        let expansion = system.successors(&state.to_le_bytes(), &mut Scratch::default(), &mut |successor| {
            found.push((system.label(successor.label), successor.target.expect("a state").to_vec()));
            ControlFlow::Continue(())
        });
        (found, expansion)
    }

    #[test]
    fn edges_are_steps_in_their_order() {
        let system = system("des (2, 4, 4)\n(2, b, 0)\n(2, a, 1)\n(2, a, 1)\n(0, \"exit !1\", 3)");
        let to = |label: &str, state: u32| (label.to_owned(), state.to_le_bytes().to_vec());
        assert_eq!(system.initial().expect("a state").0, 2_u32.to_le_bytes());
        assert_eq!(steps(&system, 2), (vec![to("b", 0), to("a", 1), to("a", 1)], Expansion::Moves));
        assert_eq!(steps(&system, 1), (Vec::new(), Expansion::Deadlock));
        assert_eq!(steps(&system, 3), (Vec::new(), Expansion::Ended));
        assert_eq!(system.describe(&1_u32.to_le_bytes())[0].values, "state 1");
    }

    #[test]
    fn bytes_that_are_no_state_have_no_steps() {
        let system = system("des (0, 1, 1)\n(0, a, 0)");
        assert_eq!(steps(&system, 1), (Vec::new(), Expansion::Deadlock));
        assert!(system.describe(&[0]).is_empty());
        assert_eq!(system.label(&[7, 0, 0, 0]), "");
    }

    #[test]
    fn states_are_numbered_as_they_are_found() {
        let system = system("des (3, 4, 5)\n(3, a, 1)\n(1, b, 3)\n(3, c, 0)\n(4, d, 3)");
        let mut unfolding = system.unfold().expect("states");
        assert_eq!(unfolding.states(), 1);
        let mut edges = |state: u32| {
            unfolding.expand(state).expect("steps");
            let edges = unfolding.edges().iter();
            edges.map(|(label, target)| (unfolding.label(*label), *target)).collect::<Vec<_>>()
        };
        assert_eq!(edges(0), [("a".to_owned(), 1), ("c".to_owned(), 2)]);
        assert_eq!(edges(1), [("b".to_owned(), 0)]);
        assert_eq!(edges(2), []);
        // Nothing leads to state 4.
        assert_eq!(unfolding.states(), 3);
    }
}
