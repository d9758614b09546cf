//! Graphs made of graphs: hidden or renamed labels, states in another order, two graphs side by side.

mod compose;
mod labels;
mod order;

pub use compose::{Operator, compose};
pub use labels::{Choice, Pattern, Rule, hide, rename};
pub use order::breadth_first;

/// Returns the gate of a label: its first word, without what is offered there.
pub fn gate(label: &str) -> &str {
    let end = label.find(|c: char| c.is_whitespace() || matches!(c, '!' | '?' | '(' | ';'));
    &label[..end.unwrap_or(label.len())]
}
