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
    /// How many scalars it is.
    pub(super) scalars: u64,
    /// How many bytes the names of all its scalars have together.
    names: u64,
    /// How deep structures stand in it.
    depth: usize,
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

/// What a text may still use, so that a short text can't ask for more memory than there is.
#[derive(Debug)]
pub(super) struct Room {
    bytes: u64,
    scalars: u64,
    names: u64,
}

/// How many bytes all variables and channels of a text may take.
const MAX_BYTES: u32 = 1 << 20;
/// How many scalars they may be, those of structures counted whenever one is sent, received or passed.
const MAX_SCALARS: u64 = 1 << 20;
/// How many bytes the full names of all scalars may have, such as `m[2].header`.
const MAX_NAMES: u64 = 1 << 26;
/// The number of scalars of a structure that is too large, which is reported where it is declared.
const BROKEN: u64 = u64::MAX;
/// How deep structures may stand in structures.
const MAX_DEPTH: usize = 100;
/// How many sets of symbolic names there may be.
const MAX_SETS: usize = 255;

impl Default for Room {
    fn default() -> Self {
        Room { bytes: u64::from(MAX_BYTES), scalars: MAX_SCALARS, names: MAX_NAMES }
    }
}

impl Lowering<'_> {
    /// Takes room for so many values of a type, the names of whose scalars start with `name`; false if there
    /// is not enough, which is reported.
    pub(super) fn take_room(
        &mut self,
        kind: Type,
        values: u32,
        name: &str,
        in_states: bool,
        span: Span,
    ) -> bool {
        if self.scalars_of(kind) == BROKEN {
            return false;
        }
        let names = self.names_of(kind, values, name.len());
        let values = u64::from(values);
        let scalars = self.scalars_of(kind).saturating_mul(values);
        let bytes = if in_states { u64::from(self.bytes_of(kind)).saturating_mul(values) } else { 0 };
        if bytes > self.room.bytes || scalars > self.room.scalars || names > self.room.names {
            self.too_large(span);
            return false;
        }
        self.room.bytes -= bytes;
        self.room.scalars -= scalars;
        self.room.names -= names;
        true
    }

    pub(super) fn too_large(&mut self, span: Span) {
        Diagnostic::error("P0240", span, "this takes too much memory")
            .label("too large, together with what stands before")
            .note("all variables, arrays and channels of a model may take 1 MiB of a state")
            .help("make arrays shorter, messages smaller, or channels less deep")
            .emit(self.diagnostics);
    }

    fn scalars_of(&self, kind: Type) -> u64 {
        match kind {
            Type::Scalar(_) => 1,
            Type::Structure(index) => self.structures[index].scalars,
        }
    }

    /// Returns how many bytes the names of the scalars of so many values have, each starting with a name.
    fn names_of(&self, kind: Type, values: u32, name: usize) -> u64 {
        let inner = match kind {
            Type::Scalar(_) => 0,
            Type::Structure(index) => self.structures[index].names,
        };
        let own = self.scalars_of(kind).saturating_mul(name as u64 + 1);
        own.saturating_add(inner).saturating_mul(u64::from(values))
    }

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
            Diagnostic::error("P0211", width_span, "only an `unsigned` variable has a width")
                .help("write `unsigned x : 4` for four bits")
                .emit(self.diagnostics);
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
                    Diagnostic::error("P0211", width_span, "an unsigned variable has 1 to 31 bits")
                        .help("use `int` for 32 bits with a sign")
                        .emit(self.diagnostics);
                    Scalar::Unsigned(31)
                }
                None => {
                    Diagnostic::error("P0211", span, "an unsigned variable needs a width")
                        .help("write `unsigned x : 4` for four bits")
                        .emit(self.diagnostics);
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
        if sets.len() > MAX_SETS {
            let title = format!("more than {MAX_SETS} sets of symbolic names");
            Diagnostic::error("P0227", set.span, title)
                .help("put names that belong together into one set")
                .emit(self.diagnostics);
            return 0;
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
            Diagnostic::error("P0227", span, "more than 255 names in a set of symbolic names")
                .help("put some of them into a set of their own: `mtype:colour = { … }`")
                .emit(self.diagnostics);
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
            scalars: 0,
            names: 0,
            depth: 1,
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
                let bytes = self.bytes_of(kind).checked_mul(length.unwrap_or(1));
                match bytes.and_then(|bytes| bytes.checked_add(offset)) {
                    Some(bytes) => structure.bytes = bytes,
                    None => {
                        if structure.scalars != BROKEN && self.scalars_of(kind) != BROKEN {
                            self.too_large(variable.name.span);
                        }
                        structure.scalars = BROKEN;
                    }
                }
                if let Type::Structure(index) = kind {
                    structure.depth = structure.depth.max(self.structures[index].depth + 1);
                }
                if structure.depth > MAX_DEPTH {
                    Diagnostic::error("P0240", variable.name.span, "structures stand too deep in each other")
                        .label(format!("more than {MAX_DEPTH} levels"))
                        .help("put the fields into fewer structures")
                        .emit(self.diagnostics);
                    continue;
                }
                let scalars = self.scalars_of(kind).saturating_mul(u64::from(length.unwrap_or(1)));
                structure.scalars = structure.scalars.saturating_add(scalars);
                let names = self.names_of(kind, length.unwrap_or(1), variable.name.name.len());
                structure.names = structure.names.saturating_add(names);
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
