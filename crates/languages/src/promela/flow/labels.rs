//! Labels and jumps.

use std::rc::Rc;

use narrows_source::Span;

use narrows_model::{Statement, TransitionId};
use rustc_hash::FxHashMap;

use super::graph::{ElementId, ElementKind, Graph};

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
struct Label {
    target: Target,
    element: ElementId,
    span: Span,
}

/// All labels of a process, found by name, by loop and by element.
#[derive(Clone, Debug, Default)]
pub(super) struct Labels {
    list: Vec<Label>,
    by_name: FxHashMap<Rc<str>, Vec<usize>>,
    by_loop: FxHashMap<u32, usize>,
    by_element: FxHashMap<ElementId, Vec<usize>>,
}

impl Labels {
    fn add(&mut self, label: Label) {
        let index = self.list.len();
        match &label.target {
            Target::Label(name, _) => self.by_name.entry(name.clone()).or_default().push(index),
            Target::Break(number) => {
                self.by_loop.insert(*number, index);
            }
        }
        self.by_element.entry(label.element).or_default().push(index);
        self.list.push(label);
    }

    /// Returns the labels with a name, the newest first.
    fn named(&self, name: &str) -> impl Iterator<Item = &Label> {
        self.by_name.get(name).into_iter().flatten().rev().map(|index| &self.list[*index])
    }

    fn of(&self, element: ElementId) -> impl Iterator<Item = &Label> {
        self.by_element.get(&element).into_iter().flatten().map(|index| &self.list[*index])
    }

    /// Returns every name, in the order of the labels.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.list.iter().filter_map(|label| match &label.target {
            Target::Label(name, _) => Some(&**name),
            Target::Break(_) => None,
        })
    }

    /// Moves an element's newest label to another element.
    fn move_newest(&mut self, from: ElementId, to: ElementId) {
        let Some(index) = self.by_element.get_mut(&from).and_then(Vec::pop) else { return };
        self.list[index].element = to;
        self.by_element.entry(to).or_default().push(index);
    }
}

impl Graph {
    pub(super) fn set_label(&mut self, target: Target, element: ElementId, span: Span) {
        self.labels.add(Label { target, element, span });
    }

    /// Returns an earlier place of the very same label.
    pub(in super::super) fn earlier_label(&self, target: &Target) -> Option<Span> {
        let Target::Label(name, _) = target else { return None };
        self.labels.named(name).find(|label| label.target == *target).map(|label| label.span)
    }

    /// Finds where a jump leads: the label of the same block, else of an enclosing one, else any.
    pub(super) fn find_label(&self, target: &Target) -> Option<ElementId> {
        let (name, path) = match target {
            Target::Label(name, path) => (name, path),
            Target::Break(number) => {
                return self.labels.by_loop.get(number).map(|index| self.labels.list[*index].element);
            }
        };
        let mut best = None;
        for label in self.labels.named(name) {
            let Target::Label(_, other_path) = &label.target else { continue };
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
        for label in &self.labels.list {
            if let Target::Label(name, _) = &label.target {
                locations.insert(name.to_string(), label.element.0 as u16);
            }
        }
        locations
    }

    /// Keeps a label that another process watches a location: a jump that has it gets a skip before it.
    ///
    /// Returns the transition of the jump: SPIN gives it a number for trail files only at the first
    /// reference.
    pub(in super::super) fn keep_label(&mut self, name: &str) -> Option<TransitionId> {
        let found = self.labels.named(name).next();
        let id = found.map(|label| label.element)?;
        let ElementKind::Goto(_) = self.element(id).kind else { return None };
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
        element.kind = ElementKind::Basic(Statement::Skip);
        element.next = Some(jump);
        Some(TransitionId(jump.0 - 1))
    }

    pub(super) fn has_label(&self, element: ElementId) -> bool {
        self.labels.of(element).next().is_some()
    }

    /// Returns whether an element has a label that starts with one of the prefixes.
    pub(super) fn has_special_label(&self, element: ElementId) -> bool {
        self.names_of(element)
            .any(|name| ["accept", "end", "progress"].iter().any(|prefix| name.starts_with(prefix)))
    }

    pub(super) fn names_of(&self, element: ElementId) -> impl Iterator<Item = &Rc<str>> {
        self.labels.of(element).filter_map(|label| match &label.target {
            Target::Label(name, _) => Some(name),
            Target::Break(_) => None,
        })
    }

    /// Moves an element's newest label to another element.
    pub(super) fn move_label(&mut self, from: ElementId, to: ElementId) {
        self.labels.move_newest(from, to);
    }
}
