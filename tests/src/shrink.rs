//! Reduces a model to the smallest one found that still has a property, by taking parts away one at a time.
//!
//! Zeller's delta debugging on a tree: each edit removes a node, replaces it by its parts or makes its text
//! simpler; an edit that keeps the property stays. The result is minimal in that no single further edit keeps
//! it.

use crate::tree::{Model, Node};

/// A way to make one node simpler.
#[derive(Debug, Clone, Copy)]
enum Edit {
    /// Removes it.
    Delete,
    /// Puts the parts of its n-th branch in its place.
    Unwrap(usize),
    /// Makes the statement `skip`.
    Skip,
    /// Replaces the n-th parenthesis of its text by 1 or by 0.
    Constant(usize, char),
}

/// Shrinks a model for as long as `keeps` holds of it, with at most `attempts` questions asked.
pub fn shrink(model: &Model, mut attempts: usize, mut keeps: impl FnMut(&Model) -> bool) -> Model {
    let mut best = model.clone();
    loop {
        let mut progress = false;
        let mut target = 0;
        while target < count(&best.0) {
            let mut moved = false;
            for edit in edits() {
                let mut candidate = best.clone();
                if !apply(&mut candidate.0, target, edit, false) || candidate == best {
                    continue;
                }
                if attempts == 0 {
                    return best;
                }
                attempts -= 1;
                if keeps(&candidate) {
                    best = candidate;
                    (progress, moved) = (true, true);
                    break;
                }
            }
            // After an edit another node stands in this place.
            if !moved {
                target += 1;
            }
        }
        if !progress {
            return best;
        }
    }
}

fn edits() -> impl Iterator<Item = Edit> {
    let structure = [Edit::Delete, Edit::Unwrap(0), Edit::Unwrap(1), Edit::Unwrap(2), Edit::Skip];
    let constants = (0..4).flat_map(|group| [Edit::Constant(group, '1'), Edit::Constant(group, '0')]);
    structure.into_iter().chain(constants)
}

fn count(nodes: &[Node]) -> usize {
    nodes.iter().map(|node| 1 + branches(node).into_iter().map(|branch| count(branch)).sum::<usize>()).sum()
}

/// The lists of nodes inside a node; a choice has one list, of its options.
fn branches(node: &Node) -> Vec<&Vec<Node>> {
    match node {
        Node::Leaf(_) => vec![],
        Node::Sequence { body, .. } => vec![body],
        Node::Choice { options, .. } => vec![options],
        Node::Unless { main, escape } => vec![main, escape],
    }
}

fn branches_mut(node: &mut Node) -> Vec<&mut Vec<Node>> {
    match node {
        Node::Leaf(_) => vec![],
        Node::Sequence { body, .. } => vec![body],
        Node::Choice { options, .. } => vec![options],
        Node::Unless { main, escape } => vec![main, escape],
    }
}

/// Edits the node that has a place in preorder; false if the edit does not fit it.
fn apply(nodes: &mut Vec<Node>, target: usize, edit: Edit, options: bool) -> bool {
    let mut before = 0;
    for index in 0..nodes.len() {
        if before == target {
            return edit_at(nodes, index, edit, options);
        }
        before += 1;
        let is_choice = matches!(nodes[index], Node::Choice { .. });
        for branch in branches_mut(&mut nodes[index]) {
            let size = count(branch);
            if target < before + size {
                return apply(branch, target - before, edit, is_choice);
            }
            before += size;
        }
    }
    false
}

fn edit_at(nodes: &mut Vec<Node>, index: usize, edit: Edit, options: bool) -> bool {
    match edit {
        Edit::Delete => {
            nodes.remove(index);
            true
        }
        Edit::Unwrap(_) | Edit::Skip if options => false,
        Edit::Unwrap(branch) => {
            let parts = match &nodes[index] {
                Node::Choice { options, .. } => options.get(branch).and_then(|option| match option {
                    Node::Sequence { body, .. } => Some(body.clone()),
                    _ => None,
                }),
                node => branches(node).get(branch).map(|&parts| parts.clone()),
            };
            let Some(parts) = parts else { return false };
            nodes.splice(index..=index, parts);
            true
        }
        Edit::Skip => {
            let changed = nodes[index] != Node::leaf("skip");
            nodes[index] = Node::leaf("skip");
            changed
        }
        Edit::Constant(group, value) => {
            let (Node::Leaf(text) | Node::Sequence { head: text, .. }) = &mut nodes[index] else {
                return false;
            };
            let Some((start, end)) = parenthesis(text, group) else { return false };
            text.replace_range(start..end, &value.to_string());
            true
        }
    }
}

/// Where the n-th parenthesis of a text opens and closes, counted by opening.
fn parenthesis(text: &str, group: usize) -> Option<(usize, usize)> {
    let (start, _) = text.match_indices('(').nth(group)?;
    let mut depth = 0;
    for (offset, letter) in text[start..].char_indices() {
        match letter {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Some((start, start + offset + 1));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_only_what_matters() {
        let body = vec![
            Node::leaf("x = ((1 + y) * 3)"),
            Node::Choice {
                head: "if".to_owned(),
                options: vec![
                    Node::option(vec![Node::leaf("skip"), Node::leaf("y = 1")]),
                    Node::option(vec![Node::braces("atomic", vec![Node::leaf("z = (4 + y)")])]),
                ],
                foot: "fi",
            },
        ];
        let model = Model(vec![Node::leaf("byte x"), Node::braces("active proctype P()", body)]);
        let small = shrink(&model, 1000, |model| model.to_string().contains("z ="));
        assert_eq!(small.to_string(), "z = 1;\n");
    }
}
