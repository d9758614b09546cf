//! From the tree to a [`Behaviour`]: types, equations, processes for each choice of gates.
//!
//! `types.rs` combines types, `terms.rs` resolves overloaded operations, `equations.rs` makes rewrite rules,
//! `missing_equations.rs` finds values without equation, `behaviours/` makes control points, once for each
//! instantiation of gates, `recursion.rs` and `synchronisation_warnings.rs` warn.

mod behaviours;
mod equations;
mod missing_equations;
mod names;
mod recursion;
mod synchronisation_warnings;
mod terms;
mod types;

use narrows_model::behaviour::Behaviour;
use narrows_source::{Diagnostics, Sources};

use super::Options;
use super::ast::Specification;

/// Lowers a tree; `None` if there are errors.
pub(super) fn lower(
    tree: &Specification,
    options: &Options,
    sources: &mut Sources,
    diagnostics: &mut Diagnostics,
) -> Option<Behaviour> {
    let root = tree.root.as_ref()?;
    let (bodies, library) = types::collect(tree, sources, diagnostics);
    let mut scope = types::declare(&bodies, library, diagnostics);
    equations::lower(&bodies, &mut scope, diagnostics);
    if diagnostics.has_errors() {
        return None;
    }
    recursion::check(root, diagnostics);
    let behaviour = behaviours::lower(root, &scope, options, sources, diagnostics);
    if let Some(behaviour) = &behaviour {
        synchronisation_warnings::check(behaviour, diagnostics);
    }
    behaviour.filter(|_| !diagnostics.has_errors())
}
