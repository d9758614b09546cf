//! Arrays whose indices are words: `array word[4] of word[8]`, with READ, WRITE and CONSTARRAY.
//!
//! All elements are there, each a variable or an expression of its own, as limbs of wide words are: they
//! stand together in a node [`Node::Set`]. So engines need not know, and only short indices can be had.

use narrows_model::synchronous::{ExprId, Node, VariableId};
use narrows_source::Diagnostic;

use super::scopes::{ScopeId, Symbol};
use super::sorts::{Element, Sort};
use super::wide_words::{LIMB, is_wide};
use super::{Lowering, Typed};
use crate::smv::MAX_BITS;
use crate::smv::ast::{Binary, ExprKind, Function, Id, Ident, Section, Type, TypeKind};

impl Element {
    /// Returns what an element is.
    fn sort(self) -> Sort {
        match self {
            Element::Boolean => Sort::Boolean,
            Element::Word { width, signed } => Sort::Word { width, signed },
        }
    }

    /// Returns into how many limbs an element is divided.
    fn limbs(self) -> usize {
        match self {
            Element::Boolean => 1,
            Element::Word { width, .. } => width.div_ceil(LIMB) as usize,
        }
    }
}

impl Lowering<'_> {
    /// Returns what an array is whose indices are words.
    fn memory_sort(&mut self, index: Id, element: &Type, scope: ScopeId) -> Option<Sort> {
        let bits = self.constant(index, scope)?;
        let (element, width) = match &element.kind {
            TypeKind::Boolean => (Element::Boolean, 1),
            TypeKind::Word(..) => match self.simple_type(element, scope)? {
                (_, Sort::Word { width, signed }) => (Element::Word { width, signed }, width),
                _ => return None,
            },
            _ => {
                let title = "the elements of an array with words as indices are words or truth values";
                let diagnostic = Diagnostic::error("V0220", element.span, title)
                    .label("this is something else")
                    .help("give the indices a range: `array 0..15 of …`, with `a[i]` for `READ(a, i)`");
                self.report(diagnostic);
                return None;
            }
        };
        let fits = |bits: &u32| (1..32).contains(bits) && (u64::from(width) << bits) <= u64::from(MAX_BITS);
        let Some(index) = u32::try_from(bits).ok().filter(fits) else {
            let title = format!("an array can't have indices of {bits} bits and elements of {width}");
            let diagnostic = Diagnostic::error("V0220", self.tree.span(index), title)
                .label(format!("all elements together have at most {MAX_BITS} bits"))
                .help("use a shorter index");
            self.report(diagnostic);
            return None;
        };
        Some(Sort::Memory { index, element })
    }

    /// Declares every element of an array whose indices are words.
    pub(super) fn memory_declared(
        &mut self,
        scope: ScopeId,
        section: Section,
        (whole, name): (&str, &Ident),
        index: Id,
        element: &Type,
    ) -> Option<Symbol> {
        let sort = self.memory_sort(index, element, scope)?;
        let Sort::Memory { index, .. } = sort else { return None };
        let first = self.builder.system.variables.len() as u32;
        for place in 0..1u32 << index {
            self.declared(scope, section, &format!("{whole}[{place}]"), name, element);
        }
        let end = self.builder.system.variables.len() as u32;
        Some(Symbol::Wide((first..end).map(VariableId).collect(), sort))
    }

    /// Returns the elements of an array.
    pub(super) fn elements(&mut self, array: Typed) -> Vec<Typed> {
        let Sort::Memory { element, .. } = array.sort else { return Vec::new() };
        let (sort, count, limbs) = (element.sort(), element.limbs(), self.limbs_of(array));
        let mut element = |limbs: &[ExprId]| match limbs {
            [id] => Typed { id: *id, sort, is_set: false },
            _ => Typed { id: self.builder.node(Node::Set(limbs.to_vec())), sort, is_set: false },
        };
        limbs.chunks(count).map(&mut element).collect()
    }

    /// Makes an array of its elements.
    fn memory(&mut self, elements: &[Typed], sort: Sort) -> Typed {
        let parts = elements.iter();
        let limbs =
            parts.flat_map(|part| if is_wide(part.sort) { self.limbs_of(*part) } else { vec![part.id] });
        let limbs = limbs.collect();
        Typed { id: self.builder.node(Node::Set(limbs)), sort, is_set: false }
    }

    /// Compares two arrays; nothing else can be done with both.
    pub(super) fn memory_binary(
        &mut self,
        operator: Binary,
        left: (Typed, Id),
        right: (Typed, Id),
        whole: Id,
    ) -> Option<Typed> {
        let sort = self.join(left.0.sort, right.0.sort, self.tree.span(whole))?;
        if !matches!(operator, Binary::Equal | Binary::NotEqual | Binary::In) {
            self.mismatch(self.tree.span(left.1), "a single value", &sort.name(), Some("READ an element"));
            return None;
        }
        let (a, b) = (self.limbs_of(left.0), self.limbs_of(right.0));
        let equal = self.wide_equal(&a, &b);
        let id = if operator == Binary::NotEqual { self.builder.not(equal) } else { equal };
        Some(Typed { id, sort: Sort::Boolean, is_set: false })
    }

    /// Lowers READ, WRITE and CONSTARRAY.
    pub(super) fn memory_function(
        &mut self,
        function: Function,
        arguments: &[Id],
        scope: ScopeId,
    ) -> Option<Typed> {
        let sort = match &self.tree.expr(arguments[0]).kind {
            ExprKind::Type(kind) => match &kind.kind {
                TypeKind::Memory(index, element) => self.memory_sort(*index, element, scope),
                _ => None,
            },
            _ => Some(self.value(arguments[0], scope)?.sort),
        };
        let Some(sort @ Sort::Memory { index, element }) = sort else {
            let found = sort.map_or("another type".to_owned(), Sort::name);
            self.mismatch(self.tree.span(arguments[0]), "an array with words as indices", &found, None);
            return None;
        };
        if function == Function::ConstantArray {
            let value = self.suiting(arguments[1], element.sort(), scope)?;
            return Some(self.memory(&vec![value; 1 << index], sort));
        }
        let array = self.value(arguments[0], scope)?;
        let at = self.suiting(arguments[1], Sort::Word { width: index, signed: false }, scope)?;
        let mut elements = self.elements(array);
        if function == Function::Read {
            // By halves: so it is as deep as the index is long.
            for place in 0..index {
                let bit = self.bits(at, index, (i128::from(place), i128::from(place)), arguments[1])?;
                let pairs = elements.chunks(2);
                elements = pairs
                    .map(|pair| Typed { id: self.choose(bit.id, pair[1], pair[0]), ..pair[0] })
                    .collect();
            }
            return elements.pop();
        }
        let value = self.suiting(arguments[2], element.sort(), scope)?;
        for (place, old) in elements.iter_mut().enumerate() {
            let place = self.builder.constant(place as i128);
            let here = self.builder.equal(at.id, place);
            old.id = self.choose(here, value, *old);
        }
        Some(self.memory(&elements, sort))
    }

    /// Lowers a single value of a certain kind.
    fn suiting(&mut self, expr: Id, sort: Sort, scope: ScopeId) -> Option<Typed> {
        let typed = self.value(expr, scope)?;
        self.single(typed, self.tree.span(expr))?;
        if typed.sort != sort {
            self.mismatch(self.tree.span(expr), &sort.name(), &typed.sort.name(), None);
            return None;
        }
        Some(typed)
    }
}
