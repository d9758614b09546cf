//! Classes of values that number the same things: union-find with offsets.
//!
//! A node stands for the values that a variable, an index, a field of a message or a process number may have.
//! Two nodes are united when values go from one to the other, or are compared; the offset says by how much
//! they differ, so that `_pid - 4` and the index of an array can be one class. A class that is used in any
//! other way, in arithmetic or an order, is rigid: its values mean themselves.

/// Names a node.
pub(super) type Node = usize;

#[derive(Clone, Copy, Debug)]
struct Link {
    parent: Node,
    /// A value here is the value there and so much more.
    delta: i64,
}

/// What is known of a class, kept at its root.
#[derive(Clone, Debug, Default)]
pub(super) struct Class {
    pub(super) is_rigid: bool,
    /// Whether its values are numbers of channels.
    pub(super) is_channel: bool,
    /// Whether messages are sorted in such a channel.
    pub(super) is_sorted: bool,
    /// The channels that may be meant, and the fields of their messages.
    pub(super) channels: Vec<usize>,
    pub(super) fields: Vec<Node>,
}

/// All nodes.
#[derive(Debug, Default)]
pub(super) struct Nodes {
    links: Vec<Link>,
    classes: Vec<Class>,
}

impl Nodes {
    pub(super) fn add(&mut self) -> Node {
        let node = self.links.len();
        self.links.push(Link { parent: node, delta: 0 });
        self.classes.push(Class::default());
        node
    }

    /// Returns the root of a node's class, and how much more a value is at the node than at the root.
    pub(super) fn find(&self, node: Node) -> (Node, i64) {
        let (mut at, mut delta) = (node, 0_i64);
        while self.links[at].parent != at {
            delta = delta.saturating_add(self.links[at].delta);
            at = self.links[at].parent;
        }
        (at, delta)
    }

    pub(super) fn class(&self, node: Node) -> &Class {
        &self.classes[self.find(node).0]
    }

    pub(super) fn class_mut(&mut self, node: Node) -> &mut Class {
        let root = self.find(node).0;
        &mut self.classes[root]
    }

    /// Unites the classes of two nodes: a value of the first is one of the second and so much more.
    pub(super) fn unite(&mut self, first: Node, second: Node, more: i64) {
        let (root, own) = self.find(first);
        let (other, others) = self.find(second);
        // first = root + own, and first = second + more = other + others + more.
        let delta = others.saturating_add(more).saturating_sub(own);
        if root == other {
            self.classes[root].is_rigid |= delta != 0;
            return;
        }
        self.links[root] = Link { parent: other, delta };
        let lost = std::mem::take(&mut self.classes[root]);
        let kept = &mut self.classes[other];
        kept.is_rigid |= lost.is_rigid;
        kept.is_channel |= lost.is_channel;
        kept.is_sorted |= lost.is_sorted;
        kept.channels.extend(lost.channels);
        let mut pairs = Vec::new();
        for (place, field) in lost.fields.into_iter().enumerate() {
            match kept.fields.get(place) {
                Some(known) => pairs.push((field, *known)),
                None => kept.fields.push(field),
            }
        }
        for (field, known) in pairs {
            self.unite(field, known, 0);
        }
    }

    /// Returns the fields of the messages of a channel, at least so many.
    pub(super) fn fields(&mut self, channel: Node, count: usize) -> Vec<Node> {
        self.class_mut(channel).is_channel = true;
        while self.class(channel).fields.len() < count {
            let field = self.add();
            self.class_mut(channel).fields.push(field);
        }
        self.class(channel).fields.clone()
    }

    pub(super) fn len(&self) -> usize {
        self.links.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offsets_add_up_and_contradictions_are_rigid() {
        let mut nodes = Nodes::default();
        let [a, b, c] = [nodes.add(), nodes.add(), nodes.add()];
        nodes.unite(a, b, 4);
        nodes.unite(b, c, -1);
        let (root, of_a) = nodes.find(a);
        let (same, of_c) = nodes.find(c);
        assert_eq!((root, of_a - of_c), (same, 3));
        assert!(!nodes.class(a).is_rigid);
        nodes.unite(a, c, 3);
        assert!(!nodes.class(a).is_rigid);
        nodes.unite(c, a, 3);
        assert!(nodes.class(b).is_rigid);
    }

    #[test]
    fn channels_that_may_be_the_same_have_the_same_fields() {
        let mut nodes = Nodes::default();
        let [a, b] = [nodes.add(), nodes.add()];
        let (first, second) = (nodes.fields(a, 1), nodes.fields(b, 2));
        nodes.unite(a, b, 0);
        assert_eq!(nodes.find(first[0]), nodes.find(second[0]));
        assert_eq!(nodes.fields(a, 2).len(), 2);
    }
}
