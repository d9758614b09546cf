//! Adding statements: how each shape of the text becomes elements.

use narrows_model::Statement;
use narrows_source::Span;

use super::graph::{ElementId, ElementKind, Graph, SequenceId, status};
use super::labels::Target;

/// A statement that is about to be added.
#[derive(Clone, Debug)]
pub(in super::super) struct Shape {
    pub(in super::super) kind: ShapeKind,
    pub(in super::super) span: Span,
    pub(in super::super) text: String,
    /// Its labels, the outermost first.
    pub(in super::super) labels: Vec<(Target, Span)>,
}

/// What kind of statement it is; sub-sequences are closed already.
#[derive(Clone, Debug)]
pub(in super::super) enum ShapeKind {
    Basic(Statement),
    Else,
    Goto(Target),
    If(Vec<SequenceId>),
    /// The number is the one its `break`s use.
    Do(Vec<SequenceId>, u32),
    Unless(SequenceId, SequenceId),
    Atomic(SequenceId),
    Block(SequenceId),
    DStep(SequenceId),
    End,
}

impl Shape {
    pub(in super::super) fn new(kind: ShapeKind, span: Span, text: impl Into<String>) -> Shape {
        Shape { kind, span, text: text.into(), labels: Vec::new() }
    }
}

impl Graph {
    /// Adds a statement to the open sequence.
    pub(in super::super) fn add(&mut self, shape: Shape) {
        let Shape { kind, span, text, labels } = shape;
        let placed = matches!(kind, ShapeKind::If(_) | ShapeKind::Do(..) | ShapeKind::Unless(..));
        let element = match kind {
            ShapeKind::If(options) => self.add_choice(options, None, span, text),
            ShapeKind::Do(options, number) => self.add_choice(options, Some(number), span, text),
            ShapeKind::Unless(main, escape) => self.add_unless(main, escape, span, text),
            ShapeKind::Basic(statement) => self.new_element(ElementKind::Basic(statement), span, text),
            ShapeKind::Else => self.new_element(ElementKind::Else, span, text),
            ShapeKind::Goto(target) => self.new_element(ElementKind::Goto(target), span, text),
            ShapeKind::Atomic(sequence) => self.new_element(ElementKind::Atomic(sequence), span, text),
            ShapeKind::Block(sequence) => self.new_element(ElementKind::Block(sequence), span, text),
            ShapeKind::DStep(sequence) => self.new_element(ElementKind::DStep(sequence), span, text),
            ShapeKind::End => self.new_element(ElementKind::End, span, text),
        };
        for (label, span) in labels.into_iter().rev() {
            self.set_label(label, element, span);
        }
        if !placed {
            self.append(element, self.current());
        }
    }

    fn append(&mut self, element: ElementId, to: SequenceId) {
        if matches!(self.element(element).kind, ElementKind::Goto(_)) && self.has_special_label(element) {
            // A jump is folded away, but its label must be a location: a skip takes it over.
            let span = self.element(element).span;
            let skip = self.new_element(ElementKind::Basic(Statement::Skip), span, "skip".to_owned());
            self.move_label(element, skip);
            self.append(skip, to);
        }
        let sequence = *self.sequence(to);
        match sequence.last {
            None => self.sequence_mut(to).first = Some(element),
            Some(last) => self.element_mut(last).next = Some(element),
        }
        self.sequence_mut(to).last = Some(element);
    }

    fn add_choice(
        &mut self,
        mut options: Vec<SequenceId>,
        loop_number: Option<u32>,
        span: Span,
        text: String,
    ) -> ElementId {
        let kind = if loop_number.is_some() { ElementKind::Do } else { ElementKind::If };
        let choice = self.new_element(kind, span, text.clone());
        let join = self.new_element(ElementKind::Join, span, text.clone());
        if let Some(position) = options.iter().position(|option| self.starts_with_else(*option)) {
            let option = options.remove(position);
            options.push(option);
        }
        for option in &options {
            self.append(join, *option);
        }
        self.element_mut(choice).branches = options;
        let current = self.current();
        match loop_number {
            None => {
                self.append(choice, current);
                self.append(join, current);
            }
            Some(number) => {
                self.append(join, current);
                let target = self.new_element(ElementKind::BreakTarget, span, text);
                self.set_label(Target::Break(number), target, span);
                self.append(choice, current);
                self.append(target, current);
            }
        }
        choice
    }

    fn add_unless(&mut self, main: SequenceId, escape: SequenceId, span: Span, text: String) -> ElementId {
        let unless = self.new_element(ElementKind::Unless, span, text.clone());
        let join = self.new_element(ElementKind::Join, span, text);
        self.element_mut(unless).branches = vec![main, escape];
        self.append(join, main);
        self.append(join, escape);
        self.cover(main, escape);
        let current = self.current();
        self.append(unless, current);
        self.append(join, current);
        unless
    }

    /// Covers every statement of a sequence with an escape.
    fn cover(&mut self, sequence: SequenceId, escape: SequenceId) {
        let extent = self.sequence(sequence).extent;
        let mut at = self.sequence(sequence).first;
        while let Some(element) = at {
            self.cover_element(element, escape);
            if Some(element) == extent {
                break;
            }
            at = self.element(element).next;
        }
    }

    fn cover_element(&mut self, element: ElementId, escape: SequenceId) {
        if self.element(element).escapes.contains(&escape) {
            return;
        }
        for inner in self.element(element).escapes.clone() {
            self.cover(inner, escape);
        }
        self.element_mut(element).escapes.insert(0, escape);
        match self.element(element).kind.clone() {
            ElementKind::Unless => {
                let main = self.element(element).branches[0];
                self.cover(main, escape);
            }
            ElementKind::If | ElementKind::Do => {
                for option in self.element(element).branches.clone() {
                    self.cover(option, escape);
                }
            }
            ElementKind::DStep(sequence) => {
                let first = self.first(sequence);
                self.cover_element(first, escape);
            }
            ElementKind::Atomic(sequence) | ElementKind::Block(sequence) => self.cover(sequence, escape),
            _ => {}
        }
    }

    /// Marks a sequence as atomic, or as a `d_step`.
    pub(in super::super) fn make_atomic(&mut self, sequence: SequenceId, d_step: bool) {
        let Sequence { first: Some(first), last: Some(last) } = self.ends(sequence) else { return };
        self.mark_atomic(first, last, d_step);
        match self.element(last).kind.clone() {
            ElementKind::Block(inner) | ElementKind::Atomic(inner) => self.make_atomic(inner, d_step),
            ElementKind::Unless => {
                let main = self.element(last).branches[0];
                self.make_atomic(main, d_step);
            }
            _ => {
                let last = self.element_mut(last);
                last.status = (last.status & !status::ATOMIC) | status::LAST_ATOMIC;
            }
        }
    }

    fn ends(&self, sequence: SequenceId) -> Sequence {
        let sequence = self.sequence(sequence);
        Sequence { first: sequence.first, last: sequence.last }
    }

    fn mark_atomic(&mut self, first: ElementId, last: ElementId, d_step: bool) {
        let mut element = first;
        loop {
            let bits = status::ATOMIC | if d_step { status::D_STEP } else { 0 };
            self.element_mut(element).status |= bits;
            let inner = match self.element(element).kind {
                ElementKind::Atomic(inner) | ElementKind::Block(inner) => Some(inner),
                ElementKind::DStep(inner) if d_step => Some(inner),
                _ => None,
            };
            if let Some(inner) = inner {
                self.element_mut(element).kind = ElementKind::Block(inner);
                if let Sequence { first: Some(first), last: Some(last) } = self.ends(inner) {
                    self.mark_atomic(first, last, d_step);
                }
            }
            for branch in self.element(element).branches.clone() {
                if let Sequence { first: Some(first), last: Some(last) } = self.ends(branch) {
                    self.mark_atomic(first, last, d_step);
                }
            }
            if element == last {
                break;
            }
            match self.element(element).next {
                Some(next) => element = next,
                None => break,
            }
        }
    }

    /// Removes skips that follow skips in an option: SPIN does, and it changes the count of states.
    pub(in super::super) fn prune_skips(&mut self, option: SequenceId) {
        if self.keeps_skips {
            return;
        }
        let Sequence { first, last } = self.ends(option);
        let mut run = 0;
        let mut previous = None;
        let mut at = first;
        while let Some(element) = at {
            at = self.element(element).next;
            let is_print = matches!(
                self.element(element).kind,
                ElementKind::Basic(Statement::Print(..) | Statement::PrintMtype(..))
            );
            if !(is_print || self.is_skip(element)) || self.has_label(element) {
                run = 0;
                previous = Some(element);
                continue;
            }
            run += 1;
            if run > 1
                && !is_print
                && Some(element) != first
                && Some(element) != last
                && let Some(previous) = previous
            {
                self.element_mut(previous).next = at;
                continue;
            }
            previous = Some(element);
        }
    }

    fn is_skip(&self, element: ElementId) -> bool {
        matches!(self.element(element).kind, ElementKind::Basic(Statement::Skip))
    }
}

/// The two ends of a sequence.
struct Sequence {
    first: Option<ElementId>,
    last: Option<ElementId>,
}
