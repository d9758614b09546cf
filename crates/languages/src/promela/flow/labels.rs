//! Labels and jumps.

use std::rc::Rc;

use narrows_source::Span;

use narrows_model::{Statement, TransitionId};
use rustc_hash::FxHashMap;

use super::graph::{ElementId, Graph, Kind};

/// Where a jump leads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in super::super) enum Target {
    /// To a label, named as it is found from the block with this path.
    Label(Rc<str>, Vec<u32>),
    /// Behind the loop with this number.
    Break(u32),
}

/// A label of an element.
#[derive(Clone, Debug)]
pub(super) struct Label {
    pub(super) target: Target,
    pub(super) element: ElementId,
    pub(super) span: Span,
}

impl Graph {
    pub(super) fn set_label(&mut self, target: Target, element: ElementId, span: Span) {
        self.labels.push(Label { target, element, span });
    }

    /// Returns an earlier place of the very same label.
    pub(in super::super) fn earlier_label(&self, target: &Target) -> Option<Span> {
        self.labels.iter().rev().find(|label| label.target == *target).map(|label| label.span)
    }

    /// Finds where a jump leads: the label of the same block, else of an enclosing one, else any.
    pub(super) fn find_label(&self, target: &Target) -> Option<ElementId> {
        let Target::Label(name, path) = target else {
            return self.labels.iter().rev().find(|label| label.target == *target).map(|label| label.element);
        };
        let mut best = None;
        for label in self.labels.iter().rev() {
            let Target::Label(other, other_path) = &label.target else { continue };
            if other != name {
                continue;
            }
            if other_path == path {
                return Some(label.element);
            }
            if path.starts_with(other_path) || best.is_none() {
                best = Some(label.element);
            }
        }
        best
    }

    /// Returns the location of each label.
    pub(in super::super) fn label_locations(&self) -> FxHashMap<String, u16> {
        let mut locations = FxHashMap::default();
        for label in &self.labels {
            if let Target::Label(name, _) = &label.target {
                locations.insert(name.to_string(), label.element.0 as u16);
            }
        }
        locations
    }

    /// Keeps a label that another process watches a location: a jump that has it gets a skip before it.
    ///
    /// Returns the transition of the jump: SPIN gives it a number for trail files only at the first reference.
    pub(in super::super) fn keep_label(&mut self, name: &str) -> Option<TransitionId> {
        let found = self
            .labels
            .iter()
            .rev()
            .find(|label| matches!(&label.target, Target::Label(other, _) if **other == *name));
        let id = found.map(|label| label.element)?;
        let Kind::Goto(_) = self.element(id).kind else { return None };
        let (kind, span, text) = {
            let element = self.element(id);
            (element.kind.clone(), element.span, element.text.clone())
        };
        let number = self.next_trail_number.get();
        let jump = self.new_element(kind, span, text);
        self.next_trail_number.set(number);
        self.element_mut(jump).next = self.element(id).next;
        self.element_mut(jump).status = 0;
        let element = self.element_mut(id);
        element.kind = Kind::Basic(Statement::Skip);
        element.next = Some(jump);
        Some(TransitionId(jump.0 - 1))
    }

    pub(super) fn has_label(&self, element: ElementId) -> bool {
        self.labels.iter().any(|label| label.element == element)
    }

    /// Returns the names of an element's labels that start with one of the prefixes.
    pub(super) fn has_special_label(&self, element: ElementId) -> bool {
        self.names_of(element)
            .any(|name| ["accept", "end", "progress"].iter().any(|prefix| name.starts_with(prefix)))
    }

    pub(super) fn names_of(&self, element: ElementId) -> impl Iterator<Item = &Rc<str>> {
        self.labels.iter().filter(move |label| label.element == element).filter_map(|label| {
            match &label.target {
                Target::Label(name, _) => Some(name),
                Target::Break(_) => None,
            }
        })
    }

    /// Moves an element's newest label to another element.
    pub(super) fn move_label(&mut self, from: ElementId, to: ElementId) {
        if let Some(label) = self.labels.iter_mut().rev().find(|label| label.element == from) {
            label.element = to;
        }
    }
}
