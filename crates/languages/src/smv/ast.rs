//! The syntax tree. Expressions lie flat in one list, so that long ones can neither be too deep nor too slow
//! to drop.

use std::rc::Rc;

use narrows_source::Span;

/// A name and where it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Ident {
    pub(super) name: Rc<str>,
    pub(super) span: Span,
}

/// Names an expression in [`Tree::expressions`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Id(pub(super) u32);

/// A whole text.
#[derive(Debug, Default)]
pub(super) struct Tree {
    pub(super) modules: Vec<Module>,
    pub(super) expressions: Vec<Expr>,
}

impl Tree {
    pub(super) fn expr(&self, id: Id) -> &Expr {
        &self.expressions[id.0 as usize]
    }

    pub(super) fn span(&self, id: Id) -> Span {
        self.expr(id).span
    }

    /// Returns a path with nothing but names and numbers as one name: `p.state`, `r[0]`.
    pub(super) fn flat_name(&self, path: Id) -> Option<String> {
        let mut parts = Vec::new();
        let mut at = path;
        loop {
            match &self.expr(at).kind {
                ExprKind::Name(name) => {
                    parts.push(name.to_string());
                    parts.reverse();
                    return Some(parts.concat());
                }
                ExprKind::Dot(left, part) => {
                    parts.push(format!(".{}", part.name));
                    at = *left;
                }
                ExprKind::Index(left, index) => {
                    parts.push(format!("[{}]", self.number(*index)?));
                    at = *left;
                }
                _ => return None,
            }
        }
    }

    /// Returns the number that is written somewhere.
    pub(super) fn number(&self, id: Id) -> Option<i128> {
        match self.expr(id).kind {
            ExprKind::Number(number) => Some(number),
            ExprKind::Unary(Unary::Minus, operand) => match self.expr(operand).kind {
                ExprKind::Number(number) => Some(-number),
                _ => None,
            },
            _ => None,
        }
    }
}

#[derive(Debug)]
pub(super) struct Module {
    pub(super) name: Ident,
    pub(super) parameters: Vec<Ident>,
    pub(super) items: Vec<Item>,
}

#[derive(Debug)]
pub(super) enum Item {
    Variable(Section, Ident, Type),
    Define(Ident, Id),
    /// A definition of a name with a dot: within an instance, or of the name as a whole.
    DefineWithin(Id, Ident, Id),
    Assign(When, Id, Id),
    Constraint(ConstraintKind, Id),
    Justice(Id),
    Compassion(Id, Id),
    Constants(Vec<Ident>),
    Specification {
        kind: SpecKind,
        name: Option<Ident>,
        formula: Id,
        /// The instance that it is about, if it is not about the one it stands in.
        context: Option<Id>,
    },
    Compute {
        longest: bool,
        from: Id,
        to: Id,
        name: Option<Ident>,
        context: Option<Id>,
        span: Span,
    },
    Include(Ident),
}

/// Which kind of variable a section declares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Section {
    State,
    Input,
    Frozen,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum When {
    Initial,
    Next,
    Current,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ConstraintKind {
    Initial,
    Invariant,
    Transition,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SpecKind {
    Branching,
    Linear,
    Invariant,
}

#[derive(Clone, Debug)]
pub(super) struct Type {
    pub(super) kind: TypeKind,
    pub(super) span: Span,
}

#[derive(Clone, Debug)]
pub(super) enum TypeKind {
    Boolean,
    Range(Id, Id),
    Enumeration(Vec<Id>),
    Word(bool, Id),
    Array(Id, Id, Box<Type>),
    /// An array whose indices are words of so many bits.
    Memory(Id, Box<Type>),
    Instance {
        module: Ident,
        arguments: Vec<Id>,
        is_process: bool,
    },
    /// A type with no end of values; its name.
    Infinite(&'static str),
}

#[derive(Clone, Debug)]
pub(super) struct Expr {
    pub(super) kind: ExprKind,
    pub(super) span: Span,
    /// Whether there is a temporal operator in it.
    pub(super) is_temporal: bool,
}

#[derive(Clone, Debug)]
pub(super) enum ExprKind {
    Number(i128),
    Truth(bool),
    /// A word: its bits, 64 at a time, the last first.
    Word {
        limbs: Vec<u64>,
        width: u32,
        signed: bool,
    },
    Name(Rc<str>),
    Own,
    Dot(Id, Ident),
    Index(Id, Id),
    Bits(Id, Id, Id),
    Unary(Unary, Id),
    Binary(Binary, Id, Id),
    Conditional(Id, Id, Id),
    Case(Vec<(Id, Id)>),
    Set(Vec<Id>),
    /// The elements of an array that is defined.
    List(Vec<Id>),
    Range(Id, Id),
    Next(Id),
    Call(Function, Vec<Id>),
    /// A type, where a function needs one.
    Type(Box<Type>),
    Temporal(Temporal, Id),
    TemporalPair(TemporalPair, Id, Id),
    Bounded(Bounded, Id, Id, Id),
    BoundedUntil {
        for_all: bool,
        bounds: (Id, Id),
        left: Id,
        right: Id,
    },
}

impl ExprKind {
    /// Returns the operands.
    pub(super) fn operands(&self) -> Vec<Id> {
        match self {
            ExprKind::Number(_)
            | ExprKind::Truth(_)
            | ExprKind::Word { .. }
            | ExprKind::Name(_)
            | ExprKind::Type(_)
            | ExprKind::Own => Vec::new(),
            ExprKind::Dot(one, _)
            | ExprKind::Unary(_, one)
            | ExprKind::Next(one)
            | ExprKind::Temporal(_, one) => vec![*one],
            ExprKind::Index(one, two)
            | ExprKind::Binary(_, one, two)
            | ExprKind::Range(one, two)
            | ExprKind::TemporalPair(_, one, two) => vec![*one, *two],
            ExprKind::Bits(one, two, three)
            | ExprKind::Conditional(one, two, three)
            | ExprKind::Bounded(_, one, two, three) => vec![*one, *two, *three],
            ExprKind::Case(branches) => branches.iter().flat_map(|(one, two)| [*one, *two]).collect(),
            ExprKind::Set(list) | ExprKind::List(list) | ExprKind::Call(_, list) => list.clone(),
            ExprKind::BoundedUntil { bounds, left, right, .. } => vec![bounds.0, bounds.1, *left, *right],
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unary {
    Not,
    Minus,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Binary {
    And,
    Or,
    Xor,
    Xnor,
    Implies,
    Equivalent,
    Equal,
    NotEqual,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    In,
    Union,
    Add,
    Subtract,
    Multiply,
    Divide,
    Mod,
    ShiftLeft,
    ShiftRight,
    Concatenate,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Function {
    Bool,
    Word1,
    Unsigned,
    Signed,
    Extend,
    Resize,
    ToInt,
    UnsignedConstant,
    SignedConstant,
    SizeOf,
    Absolute,
    Least,
    Greatest,
    Count,
    Read,
    Write,
    ConstantArray,
}

/// An operator with one operand about what comes or what was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Temporal {
    AllNext,
    AllEventually,
    AllAlways,
    SomeNext,
    SomeEventually,
    SomeAlways,
    Next,
    Eventually,
    Always,
    Previous,
    WeakPrevious,
    Historically,
    Once,
}

/// An operator with two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TemporalPair {
    AllUntil,
    SomeUntil,
    Until,
    Release,
    Since,
    Triggered,
}

/// An operator with an operand and bounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Bounded {
    AllEventually,
    SomeEventually,
    AllAlways,
    SomeAlways,
    Eventually,
    Always,
    Once,
    Historically,
}

impl Temporal {
    /// Returns whether it is one of computation tree logic.
    pub(super) fn is_branching(self) -> bool {
        use Temporal::{AllAlways, AllEventually, AllNext, SomeAlways, SomeEventually, SomeNext};
        matches!(self, AllNext | AllEventually | AllAlways | SomeNext | SomeEventually | SomeAlways)
    }
}

impl Bounded {
    /// Returns whether it is one of computation tree logic.
    pub(super) fn is_branching(self) -> bool {
        use Bounded::{AllAlways, AllEventually, SomeAlways, SomeEventually};
        matches!(self, AllEventually | SomeEventually | AllAlways | SomeAlways)
    }
}
