//! Types: scalars and structures.

use std::rc::Rc;

use narrows_model::Scalar;
use narrows_source::{Diagnostic, Span};

use super::Lowering;
use super::declarations::Start;
use crate::promela::ast::{self, Ident};

/// The type of a variable or a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Type {
    Scalar(Scalar),
    /// An index into the list of structures.
    Structure(usize),
}

/// A typedef.
#[derive(Clone, Debug)]
pub(super) struct Structure {
    pub(super) name: Rc<str>,
    pub(super) fields: Vec<Field>,
    pub(super) bytes: u32,
    pub(super) span: Span,
}

/// A field of a typedef.
#[derive(Clone, Debug)]
pub(super) struct Field {
    pub(super) name: Ident,
    pub(super) kind: Type,
    /// The number of elements, for an array.
    pub(super) length: Option<u32>,
    pub(super) offset: u32,
    pub(super) start: Start,
}

/// A scalar inside a variable: what must be added to the name, and where it is.
pub(super) struct LeafPart {
    pub(super) suffix: String,
    pub(super) offset: u32,
    pub(super) scalar: Scalar,
}

impl Lowering<'_> {
    pub(super) fn bytes_of(&self, kind: Type) -> u32 {
        match kind {
            Type::Scalar(scalar) => scalar.bytes(),
            Type::Structure(index) => self.structures[index].bytes,
        }
    }

    /// Resolves a type as written; bits in arrays are bytes, as in SPIN.
    pub(super) fn resolve_type(
        &mut self,
        kind: &ast::Type,
        width: Option<(i32, Span)>,
        array: bool,
        span: Span,
    ) -> Type {
        if let (Some((_, width_span)), false) = (width, *kind == ast::Type::Unsigned) {
            self.diagnostics.push(
                Diagnostic::error("P0211", width_span, "only an `unsigned` variable has a width")
                    .help("write `unsigned x : 4` for four bits"),
            );
        }
        Type::Scalar(match kind {
            ast::Type::Bit if array => Scalar::Byte,
            ast::Type::Bool if array => Scalar::Byte,
            ast::Type::Bit => Scalar::Bit,
            ast::Type::Bool => Scalar::Bool,
            ast::Type::Byte => Scalar::Byte,
            ast::Type::Pid => Scalar::Pid,
            ast::Type::Short => Scalar::Short,
            ast::Type::Int => Scalar::Int,
            ast::Type::Chan => Scalar::Channel,
            ast::Type::Unsigned => match width {
                Some((bits @ 1..=31, _)) => Scalar::Unsigned(bits as u8),
                Some((_, width_span)) => {
                    self.diagnostics.push(
                        Diagnostic::error("P0211", width_span, "an unsigned variable has 1 to 31 bits")
                            .help("use `int` for 32 bits with a sign"),
                    );
                    Scalar::Unsigned(31)
                }
                None => {
                    self.diagnostics.push(
                        Diagnostic::error("P0211", span, "an unsigned variable needs a width")
                            .help("write `unsigned x : 4` for four bits"),
                    );
                    Scalar::Unsigned(16)
                }
            },
            ast::Type::Mtype(set) => Scalar::Mtype(self.mtype_set(set.as_ref())),
            ast::Type::Named(name) => match self.structure_names.get(&name.name) {
                Some(index) => return Type::Structure(*index),
                // The parser has reported it: it knows the typedefs that stand above.
                None => Scalar::Int,
            },
        })
    }

    fn mtype_set(&mut self, set: Option<&Ident>) -> u16 {
        let Some(set) = set else { return 0 };
        let sets = &mut self.system.mtypes;
        if let Some(index) = sets.iter().position(|known| known.name == *set.name) {
            return index as u16;
        }
        sets.push(narrows_model::MtypeSet { name: set.name.to_string(), names: Vec::new() });
        sets.len() as u16 - 1
    }

    /// Declares names: within one declaration the last name is the least.
    pub(super) fn mtype(&mut self, mtype: &ast::Mtype) {
        let set = self.mtype_set(mtype.set.as_ref());
        let before = self.system.mtypes[set as usize].names.len();
        for (index, name) in mtype.names.iter().rev().enumerate() {
            if let Some((other, _, span)) = self.mtypes.get(&name.name)
                && *other == set
            {
                let span = *span;
                self.redeclared(name, span);
                continue;
            }
            let value = (before + index + 1) as i32;
            self.mtypes.entry(name.name.clone()).or_insert((set, value, name.span));
            self.system.mtypes[set as usize].names.push(name.name.to_string());
        }
        if self.system.mtypes[set as usize].names.len() > 255 {
            let span = mtype.names.last().map_or(Span::default(), |name| name.span);
            self.diagnostics.push(
                Diagnostic::error("P0227", span, "more than 255 names in a set of symbolic names")
                    .help("put some of them into a set of their own: `mtype:colour = { … }`"),
            );
        }
    }

    pub(super) fn typedef(&mut self, typedef: &ast::Typedef) {
        if let Some(index) = self.structure_names.get(&typedef.name.name) {
            let earlier = self.structures[*index].span;
            self.redeclared(&typedef.name, earlier);
            return;
        }
        let mut structure = Structure {
            name: typedef.name.name.clone(),
            fields: Vec::new(),
            bytes: 0,
            span: typedef.name.span,
        };
        for declaration in &typedef.fields {
            for variable in &declaration.variables {
                let length = self.length(variable);
                let kind = self.resolve_type(
                    &declaration.kind,
                    variable.width,
                    length.is_some(),
                    declaration.kind_span,
                );
                if let Some(other) =
                    structure.fields.iter().find(|field| field.name.name == variable.name.name)
                {
                    let earlier = other.name.span;
                    self.redeclared(&variable.name, earlier);
                    continue;
                }
                let start = self.start_value(variable, kind);
                let offset = structure.bytes;
                structure.bytes += self.bytes_of(kind) * length.unwrap_or(1);
                structure.fields.push(Field { name: variable.name.clone(), kind, length, offset, start });
            }
        }
        self.structure_names.insert(typedef.name.name.clone(), self.structures.len());
        self.structures.push(structure);
    }

    /// Returns every scalar inside a value of a type, in order.
    pub(super) fn leaves(&self, kind: Type, length: Option<u32>) -> Vec<LeafPart> {
        let mut leaves = Vec::new();
        for element in 0..length.unwrap_or(1) {
            let index = if length.is_some() { format!("[{element}]") } else { String::new() };
            let base = element * self.bytes_of(kind);
            match kind {
                Type::Scalar(scalar) => leaves.push(LeafPart { suffix: index, offset: base, scalar }),
                Type::Structure(structure) => {
                    for field in &self.structures[structure].fields {
                        for leaf in self.leaves(field.kind, field.length) {
                            leaves.push(LeafPart {
                                suffix: format!("{index}.{}{}", field.name.name, leaf.suffix),
                                offset: base + field.offset + leaf.offset,
                                scalar: leaf.scalar,
                            });
                        }
                    }
                }
            }
        }
        leaves
    }
}
