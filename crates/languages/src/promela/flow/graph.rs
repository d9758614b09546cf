//! Elements and sequences.

use std::cell::Cell;
use std::rc::Rc;

use narrows_model::Statement;
use narrows_source::Span;

use super::labels::{Labels, Target};

/// Names an element; SPIN numbers them from 1 within a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(in super::super) struct ElementId(pub(super) u32);

/// Names a sequence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(in super::super) struct SequenceId(pub(super) u32);

/// Bits of an element's status.
pub(super) mod status {
    /// Its edges are worked out.
    pub(in super::super) const DONE: u8 = 1;
    /// The process keeps control after it.
    pub(in super::super) const ATOMIC: u8 = 2;
    /// It is the last one of an atomic sequence.
    pub(in super::super) const LAST_ATOMIC: u8 = 4;
    /// It is inside a `d_step`.
    pub(in super::super) const D_STEP: u8 = 8;
}

/// What an element is.
#[derive(Clone, Debug)]
pub(super) enum ElementKind {
    Basic(Statement),
    Else,
    Goto(Target),
    /// Where the options of a choice meet again.
    Join,
    /// Where `break` leads.
    BreakTarget,
    If,
    Do,
    Unless,
    Atomic(SequenceId),
    Block(SequenceId),
    DStep(SequenceId),
    End,
}

/// A place in the text that control can be at.
#[derive(Clone, Debug)]
pub(super) struct Element {
    pub(super) kind: ElementKind,
    pub(super) span: Span,
    pub(super) text: String,
    /// SPIN's number for it in trail files.
    pub(super) trail_number: u32,
    pub(super) status: u8,
    pub(super) next: Option<ElementId>,
    /// The options of a choice; the main sequence and the escape of an `unless`.
    pub(super) branches: Vec<SequenceId>,
    /// The escapes that cover it, the outermost first.
    pub(super) escapes: Vec<SequenceId>,
}

/// Elements one after the other.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Sequence {
    pub(super) first: Option<ElementId>,
    pub(super) last: Option<ElementId>,
    /// The last element before the join of an enclosing choice was added.
    pub(super) extent: Option<ElementId>,
}

/// All elements and sequences of one process.
#[derive(Clone, Debug, Default)]
pub(in super::super) struct Graph {
    elements: Vec<Element>,
    sequences: Vec<Sequence>,
    pub(super) open: Vec<SequenceId>,
    pub(super) labels: Labels,
    /// The next number for trail files: they run through all processes of a text.
    pub(in super::super) next_trail_number: Rc<Cell<u32>>,
    /// Whether skips that change nothing are kept: in a claim.
    pub(in super::super) keeps_skips: bool,
}

impl Graph {
    pub(super) fn element(&self, id: ElementId) -> &Element {
        &self.elements[id.0 as usize - 1]
    }

    pub(super) fn element_mut(&mut self, id: ElementId) -> &mut Element {
        &mut self.elements[id.0 as usize - 1]
    }

    pub(super) fn sequence(&self, id: SequenceId) -> &Sequence {
        &self.sequences[id.0 as usize]
    }

    pub(super) fn sequence_mut(&mut self, id: SequenceId) -> &mut Sequence {
        &mut self.sequences[id.0 as usize]
    }

    pub(super) fn element_count(&self) -> usize {
        self.elements.len()
    }

    pub(super) fn element_ids(&self) -> impl Iterator<Item = ElementId> + use<> {
        (1..=self.elements.len() as u32).map(ElementId)
    }

    pub(super) fn new_element(&mut self, kind: ElementKind, span: Span, text: String) -> ElementId {
        let trail_number = self.next_trail_number.get();
        self.next_trail_number.set(trail_number + 1);
        self.elements.push(Element {
            kind,
            span,
            text,
            trail_number,
            status: 0,
            next: None,
            branches: Vec::new(),
            escapes: Vec::new(),
        });
        ElementId(self.elements.len() as u32)
    }

    /// Opens a sequence: what is added goes into it.
    pub(in super::super) fn open(&mut self) {
        self.sequences.push(Sequence::default());
        self.open.push(SequenceId(self.sequences.len() as u32 - 1));
    }

    /// Closes the sequence opened last; `None` if it is empty.
    pub(in super::super) fn close(&mut self) -> Option<SequenceId> {
        let id = self.open.pop()?;
        let sequence = self.sequence_mut(id);
        sequence.extent = sequence.last;
        sequence.last.map(|_| id)
    }

    /// Returns whether its elements are too many to be numbered.
    pub(in super::super) fn is_too_large(&self) -> bool {
        self.elements.len() > 65_000
    }

    pub(super) fn current(&self) -> SequenceId {
        *self.open.last().unwrap_or(&SequenceId(0))
    }

    /// Returns the first element of a sequence that is not empty.
    pub(super) fn first(&self, id: SequenceId) -> ElementId {
        self.sequence(id).first.unwrap_or(ElementId(1))
    }

    /// Returns whether the first element of an option is `else`.
    pub(super) fn starts_with_else(&self, id: SequenceId) -> bool {
        matches!(self.element(self.first(id)).kind, ElementKind::Else)
    }
}
