//! State transition diagrams: nodes, and edges with labels, laid out once and drawn as SVG, or written for
//! Graphviz.

mod dot;
mod layers;
mod layout;
mod svg;

pub use dot::dot;
pub(crate) use svg::STYLE;
pub use svg::svg;

/// A diagram to draw. Its first node is the one to begin with.
#[derive(Clone, Debug, Default)]
pub struct Diagram {
    /// What it shows.
    pub title: String,
    /// Its nodes.
    pub nodes: Vec<DiagramNode>,
    /// Its edges.
    pub edges: Vec<DiagramEdge>,
}

/// A node.
#[derive(Clone, Debug, Default)]
pub struct DiagramNode {
    /// What stands in it.
    pub name: String,
    /// What is said of it when it is pointed at; may be empty.
    pub note: String,
    /// Whether a run may end there.
    pub is_end: bool,
    /// What it stands for.
    pub kind: NodeKind,
    /// Whether it stands out.
    pub is_marked: bool,
}

/// What a node stands for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum NodeKind {
    /// A state.
    #[default]
    State,
    /// A kind of process.
    Process,
    /// A channel.
    Channel,
    /// A variable that processes share.
    Variable,
    /// A resource.
    Resource,
}

/// An edge.
#[derive(Clone, Debug, Default)]
pub struct DiagramEdge {
    /// The number of the node it leaves.
    pub from: usize,
    /// The number of the node it leads to.
    pub to: usize,
    /// What stands at it; may be empty.
    pub label: String,
}

#[cfg(test)]
mod tests {
    use super::{Diagram, DiagramEdge, DiagramNode, dot, svg};

    fn diagram(nodes: usize, edges: &[(usize, usize, &str)]) -> Diagram {
        let node = |number: usize| DiagramNode { name: number.to_string(), ..DiagramNode::default() };
        let edge = |(from, to, label): &(usize, usize, &str)| DiagramEdge {
            from: *from,
            to: *to,
            label: (*label).to_owned(),
        };
        Diagram {
            title: "P <&>".to_owned(),
            nodes: (0..nodes).map(node).collect(),
            edges: edges.iter().map(edge).collect(),
        }
    }

    #[test]
    fn every_node_and_edge_is_drawn() {
        let diagram =
            diagram(4, &[(0, 1, "a < b"), (1, 2, ""), (2, 0, "back"), (1, 1, "again"), (0, 2, "far")]);
        let text = svg(std::slice::from_ref(&diagram), "model");
        assert_eq!(text.matches("class=\"node\"").count(), 4);
        assert_eq!(text.matches("class=\"edge\"").count(), 5);
        for part in ["a &lt; b", "back", "again", "far", "P &lt;&amp;&gt;"] {
            assert!(text.contains(part), "{part}");
        }
        let text = dot(&[diagram], "model");
        assert!(text.contains("\"0.0\" -> \"0.1\" [label = \"a < b\"]"), "{text}");
        assert!(text.contains("label = \"P <&>\""), "{text}");
    }

    #[test]
    fn drawings_are_the_same_each_time() {
        let edges: Vec<(usize, usize, String)> =
            (0..60).map(|number| (number % 17, number * 7 % 17, format!("step {number}"))).collect();
        let edges: Vec<_> = edges.iter().map(|(from, to, label)| (*from, *to, label.as_str())).collect();
        let diagram = diagram(17, &edges);
        assert_eq!(svg(std::slice::from_ref(&diagram), "m"), svg(&[diagram], "m"));
    }

    #[test]
    fn an_empty_diagram_is_a_picture_too() {
        assert!(svg(&[], "m").ends_with("</svg>\n"));
        assert!(svg(&[diagram(1, &[])], "m").contains("class=\"node\""));
    }
}
