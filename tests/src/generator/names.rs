//! What names stand for: variables with their types, and channels with their messages.

use narrows_graph::Random;

/// The type of a scalar.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ScalarKind {
    Bit,
    Bool,
    Byte,
    Short,
    Int,
    Unsigned(usize),
    /// A symbolic name of the set with the number.
    Mtype(usize),
    Pid,
}

impl ScalarKind {
    /// Draws a type that is not symbolic.
    pub(super) fn draw(random: &mut Random) -> Self {
        match random.weighted(&[2, 2, 5, 2, 3, 2, 1]) {
            0 => Self::Bit,
            1 => Self::Bool,
            2 => Self::Byte,
            3 => Self::Short,
            4 => Self::Int,
            5 => Self::Unsigned(random.between(1, 4)),
            _ => Self::Pid,
        }
    }

    /// The declaration of a name of this type; `sets` are the names of the sets of symbolic names.
    pub(super) fn declare(self, name: &str, sets: &[MtypeSet]) -> String {
        match self {
            Self::Unsigned(bits) => format!("unsigned {name} : {bits}"),
            _ => format!("{} {name}", self.keyword(sets)),
        }
    }

    /// The type's name, as in a channel's list of fields.
    pub(super) fn keyword(self, sets: &[MtypeSet]) -> String {
        match self {
            Self::Bit => "bit".into(),
            Self::Bool => "bool".into(),
            Self::Byte => "byte".into(),
            Self::Short => "short".into(),
            Self::Int => "int".into(),
            Self::Unsigned(_) => "unsigned".into(),
            Self::Mtype(set) => sets[set].keyword.clone(),
            Self::Pid => "pid".into(),
        }
    }

    /// Whether no value of the type is negative.
    pub(super) fn is_natural(self) -> bool {
        !matches!(self, Self::Short | Self::Int)
    }

    /// Whether the type is wide enough for a small counter.
    pub(super) fn can_count(self) -> bool {
        matches!(self, Self::Byte | Self::Short | Self::Int)
    }

    /// Whether every value of the other type fits into this one.
    ///
    /// A receive into a variable that is too narrow is left out: when SPIN takes such a step back, it puts
    /// what is left in the variable back into the channel, so its counts are wrong.
    pub(super) fn holds(self, other: Self) -> bool {
        match self {
            Self::Int => true,
            Self::Short => other != Self::Int,
            Self::Byte | Self::Pid => !matches!(other, Self::Int | Self::Short),
            Self::Bit | Self::Bool | Self::Unsigned(_) => matches!(other, Self::Bit | Self::Bool),
            Self::Mtype(_) => self == other,
        }
    }

    pub(super) fn is_symbolic(self) -> bool {
        matches!(self, Self::Mtype(_))
    }
}

/// A set of symbolic names.
#[derive(Debug, Clone)]
pub(super) struct MtypeSet {
    /// `mtype` or `mtype:name`.
    pub(super) keyword: String,
    pub(super) names: Vec<String>,
}

/// A variable, an element of an array or a field: something that has a value.
#[derive(Debug, Clone)]
pub(super) struct Place {
    pub(super) name: String,
    /// The array's size, if the name needs an index.
    pub(super) size: Option<usize>,
    /// What comes after the index, such as `.field`.
    pub(super) suffix: String,
    pub(super) kind: ScalarKind,
    /// False for counters of loops, which nothing else may write.
    pub(super) writable: bool,
}

impl Place {
    pub(super) fn scalar(name: impl Into<String>, kind: ScalarKind) -> Self {
        Self { name: name.into(), size: None, suffix: String::new(), kind, writable: true }
    }

    pub(super) fn array(name: impl Into<String>, size: usize, kind: ScalarKind) -> Self {
        Self { size: Some(size), ..Self::scalar(name, kind) }
    }

    pub(super) fn counter(name: impl Into<String>, kind: ScalarKind) -> Self {
        Self { writable: false, ..Self::scalar(name, kind) }
    }
}

/// A field of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Field {
    Scalar(ScalarKind),
    /// A channel whose messages are those of the shape with the number.
    Channel(usize),
    /// A typedef, all of it.
    Struct,
}

/// A channel, or a variable or parameter that holds one.
#[derive(Debug, Clone)]
pub(super) struct Channel {
    pub(super) name: String,
    pub(super) size: Option<usize>,
    /// Which of the model's message shapes it carries.
    pub(super) shape: usize,
    /// Whether it surely has slots, so that it may be polled.
    pub(super) buffered: bool,
    /// Whether it is a variable, which a receive may change.
    pub(super) variable: bool,
    /// Whether it may be sent in a message or passed to a process.
    pub(super) travels: bool,
}

/// The typedef that messages may carry, and its scalar fields.
#[derive(Debug, Clone)]
pub(super) struct Typedef {
    pub(super) name: String,
    /// For each field what follows the variable's name, such as `.f` or `.a` with an array's size.
    pub(super) fields: Vec<(String, Option<usize>, ScalarKind)>,
}

impl Typedef {
    /// The places in a variable of the type; an array of them has its index before the field.
    pub(super) fn places(&self, name: &str, size: Option<usize>) -> Vec<Place> {
        let mut places = Vec::new();
        for (field, inner, kind) in &self.fields {
            match (size, inner) {
                (None, None) => places.push(Place::scalar(format!("{name}{field}"), *kind)),
                (None, Some(inner)) => places.push(Place::array(format!("{name}{field}"), *inner, *kind)),
                (Some(_), None) => {
                    places.push(Place { size, suffix: field.clone(), ..Place::scalar(name, *kind) });
                }
                (Some(_), Some(inner)) => {
                    let suffix = format!("{field}[{}]", inner - 1);
                    places.push(Place { size, suffix, ..Place::scalar(name, *kind) });
                }
            }
        }
        places
    }
}
