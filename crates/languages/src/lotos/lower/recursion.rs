//! Processes that call each other: without a step in between, or such that there is no end of them.

use std::collections::BTreeMap;
use std::rc::Rc;

use narrows_graph::components::{Components, find_indexed};
use narrows_source::{Diagnostic, Diagnostics, Span};

use super::super::ast::{Behaviour, BehaviourKind, Process};

/// A call of a process within another one.
struct Call {
    from: usize,
    to: usize,
    span: Span,
    /// Whether a step, or a condition, comes before it.
    guarded: bool,
    /// What is around it and stays there.
    within: Option<&'static str>,
}

/// A process, and where names are looked up.
struct Entry<'p> {
    process: &'p Process,
    parent: Option<usize>,
}

/// Complains about recursion that can't be.
pub(super) fn check(root: &Process, diagnostics: &mut Diagnostics) {
    let mut entries = Vec::new();
    let mut names: BTreeMap<(Option<usize>, Rc<str>), usize> = BTreeMap::new();
    enter(root, None, &mut entries, &mut names);
    let mut calls = Vec::new();
    for (number, entry) in entries.iter().enumerate() {
        let mut walk = Walk { from: number, entries: &entries, names: &names, calls: &mut calls };
        walk.visit(&entry.process.body, false, None);
    }
    // A call comes back to where it is if both processes are in one strongly connected component.
    let direct = components(entries.len(), calls.iter().filter(|call| !call.guarded));
    for call in calls.iter().filter(|call| !call.guarded) {
        if direct.are_together(call.from, call.to) {
            let name = &entries[call.to].process.name.name;
            let title = format!("`{name}` comes back to itself without a step");
            let help = "put an action before the call; it would never come to an end";
            diagnostics.push(Diagnostic::error("L0301", call.span, title).help(help));
        }
    }
    let all = components(entries.len(), calls.iter());
    for call in &calls {
        let Some(within) = call.within else { continue };
        if all.are_together(call.from, call.to) && !diagnostics.has_errors() {
            let name = &entries[call.to].process.name.name;
            let title = format!("each call of `{name}` adds to the state: there may be no end of states");
            let label = format!("this call is within `{within}`, which stays");
            diagnostics.push(Diagnostic::warning("L0302", call.span, title).label(label));
        }
    }
}

fn enter<'p>(
    process: &'p Process,
    parent: Option<usize>,
    entries: &mut Vec<Entry<'p>>,
    names: &mut BTreeMap<(Option<usize>, Rc<str>), usize>,
) {
    let number = entries.len();
    entries.push(Entry { process, parent });
    if parent.is_some() {
        names.entry((parent, process.name.name.clone())).or_insert(number);
    }
    for inner in &process.processes {
        enter(inner, Some(number), entries, names);
    }
}

/// Finds which processes lead to each other by calls.
fn components<'c>(count: usize, calls: impl Iterator<Item = &'c Call>) -> Components {
    let mut targets = vec![Vec::new(); count];
    for call in calls {
        targets[call.from].push(call.to);
    }
    find_indexed(count, 0..count, |process, call| targets[process].get(call).copied())
}

struct Walk<'w, 'p> {
    from: usize,
    entries: &'w [Entry<'p>],
    names: &'w BTreeMap<(Option<usize>, Rc<str>), usize>,
    calls: &'w mut Vec<Call>,
}

impl Walk<'_, '_> {
    fn find(&self, name: &Rc<str>) -> Option<usize> {
        let mut scope = Some(self.from);
        while let Some(number) = scope {
            if let Some(found) = self.names.get(&(Some(number), name.clone())) {
                return Some(*found);
            }
            scope = self.entries[number].parent;
        }
        None
    }

    fn visit(&mut self, behaviour: &Behaviour, guarded: bool, within: Option<&'static str>) {
        match &behaviour.kind {
            BehaviourKind::Stop | BehaviourKind::Exit(_) => {}
            BehaviourKind::Internal(next) | BehaviourKind::Action { next, .. } => {
                self.visit(next, true, within);
            }
            // Whether a condition is ever false is not known here.
            BehaviourKind::Guard(_, inner) => self.visit(inner, true, within),
            BehaviourKind::Choice(left, right) => {
                self.visit(left, guarded, within);
                self.visit(right, guarded, within);
            }
            BehaviourKind::Parallel(_, left, right) => {
                self.visit(left, guarded, Some("|[…]|"));
                self.visit(right, guarded, Some("|[…]|"));
            }
            BehaviourKind::ParallelOverGates(_, _, inner) => self.visit(inner, guarded, Some("par")),
            BehaviourKind::Hide(_, inner) => self.visit(inner, guarded, Some("hide")),
            BehaviourKind::Enable { left, right, .. } => {
                self.visit(left, guarded, Some(">>"));
                self.visit(right, true, within);
            }
            BehaviourKind::Disable(left, right) => {
                self.visit(left, guarded, Some("[>"));
                self.visit(right, guarded, within);
            }
            BehaviourKind::Let(_, inner)
            | BehaviourKind::ChoiceOverValues(_, inner)
            | BehaviourKind::ChoiceOverGates(_, inner) => self.visit(inner, guarded, within),
            BehaviourKind::Call { name, .. } => {
                if let Some(to) = self.find(&name.name) {
                    let (from, span) = (self.from, name.span);
                    self.calls.push(Call { from, to, span, guarded, within });
                }
            }
        }
    }
}
