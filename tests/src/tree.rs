//! A Promela model as a tree of text, with just enough structure to take parts of it away.

use std::fmt;

/// A model: what is declared in it, in order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Model(pub Vec<Node>);

/// A declaration or a statement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Node {
    /// Text without parts, such as an assignment or a declaration.
    Leaf(String),
    /// Nodes one after the other between a head and a foot, such as a proctype, an `atomic` or an option.
    Sequence {
        /// What stands before the nodes, such as `atomic {` or `::`.
        head: String,
        /// The nodes.
        body: Vec<Node>,
        /// What stands after them, such as `}`, or nothing.
        foot: &'static str,
    },
    /// An `if` or a `do`.
    Choice {
        /// The keyword, a label before it included.
        head: String,
        /// Sequences whose head is `::`.
        options: Vec<Node>,
        /// `fi` or `od`.
        foot: &'static str,
    },
    /// `{ main } unless { escape }`.
    Unless {
        /// What is left when the escape becomes executable.
        main: Vec<Node>,
        /// What is done then.
        escape: Vec<Node>,
    },
}

impl Node {
    /// A node without parts.
    pub fn leaf(text: impl Into<String>) -> Self {
        Self::Leaf(text.into())
    }

    /// Nodes between braces, after words such as `atomic`.
    pub fn braces(words: &str, body: Vec<Self>) -> Self {
        let head = if words.is_empty() { "{".to_owned() } else { format!("{words} {{") };
        Self::Sequence { head, body, foot: "}" }
    }

    /// An option of a choice.
    pub fn option(body: Vec<Self>) -> Self {
        Self::Sequence { head: "::".to_owned(), body, foot: "" }
    }

    /// Puts a label before the node.
    #[must_use]
    pub fn labelled(mut self, label: &str) -> Self {
        match &mut self {
            Self::Leaf(text) => text.insert_str(0, &format!("{label}: ")),
            Self::Sequence { head, .. } | Self::Choice { head, .. } => {
                head.insert_str(0, &format!("{label}: "));
            }
            // SPIN wants the whole of it in braces for that.
            Self::Unless { .. } => return Self::braces(&format!("{label}:"), vec![self]),
        }
        self
    }

    fn write(&self, depth: usize, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        let indent = "  ".repeat(depth);
        match self {
            Self::Leaf(text) => write!(to, "{indent}{text}"),
            Self::Sequence { head, body, foot } => {
                writeln!(to, "{indent}{head}")?;
                write_sequence(body, depth + 1, to)?;
                if foot.is_empty() { Ok(()) } else { write!(to, "\n{indent}{foot}") }
            }
            Self::Choice { head, options, foot } => {
                writeln!(to, "{indent}{head}")?;
                for option in options {
                    option.write(depth, to)?;
                    writeln!(to)?;
                }
                write!(to, "{indent}{foot}")
            }
            Self::Unless { main, escape } => {
                writeln!(to, "{indent}{{")?;
                write_sequence(main, depth + 1, to)?;
                writeln!(to, "\n{indent}}} unless {{")?;
                write_sequence(escape, depth + 1, to)?;
                write!(to, "\n{indent}}}")
            }
        }
    }
}

fn write_sequence(nodes: &[Node], depth: usize, to: &mut fmt::Formatter<'_>) -> fmt::Result {
    if nodes.is_empty() {
        return write!(to, "{}skip", "  ".repeat(depth));
    }
    for (index, node) in nodes.iter().enumerate() {
        if index > 0 {
            writeln!(to, ";")?;
        }
        node.write(depth, to)?;
    }
    Ok(())
}

impl fmt::Display for Model {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        for node in &self.0 {
            node.write(0, to)?;
            // A semicolon after a declaration is wanted, one after a closing brace would be a part too many.
            writeln!(to, "{}", if matches!(node, Node::Leaf(_)) { ";" } else { "" })?;
        }
        Ok(())
    }
}
