//! The syntax tree. Names are in upper case.

use std::rc::Rc;

use narrows_source::Span;

/// A name and its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Ident {
    pub(super) name: Rc<str>,
    pub(super) span: Span,
}

/// A whole text.
#[derive(Debug, Default)]
pub(super) struct Specification {
    pub(super) name: Option<Ident>,
    pub(super) root: Option<Process>,
    /// The types of all scopes; they are known everywhere.
    pub(super) types: Vec<Type>,
    /// The types of the library that are used.
    pub(super) libraries: Vec<Ident>,
}

/// A process; that of the specification too.
#[derive(Debug)]
pub(super) struct Process {
    pub(super) name: Ident,
    pub(super) gates: Vec<Ident>,
    pub(super) parameters: Vec<Variable>,
    pub(super) functionality: Option<Vec<Ident>>,
    pub(super) functionality_span: Span,
    pub(super) body: Behaviour,
    /// The processes that are known inside.
    pub(super) processes: Vec<Process>,
}

/// A variable and its sort.
#[derive(Clone, Debug)]
pub(super) struct Variable {
    pub(super) name: Ident,
    pub(super) sort: Ident,
}

/// A type definition.
#[derive(Clone, Debug)]
pub(super) struct Type {
    pub(super) name: Ident,
    pub(super) imports: Vec<Ident>,
    pub(super) body: Body,
    pub(super) change: Change,
}

/// What a type takes from another one.
#[derive(Clone, Debug)]
pub(super) enum Change {
    /// Everything, as it is.
    None,
    /// All of its own, with other names.
    Renamed(Ident, Renaming),
    /// All of its own, with what was to be filled in.
    Actualized(Ident, Renaming),
}

/// Other names: the new one, and the old one.
#[derive(Clone, Debug, Default)]
pub(super) struct Renaming {
    pub(super) sorts: Vec<(Ident, Ident)>,
    pub(super) operations: Vec<(Ident, Ident)>,
}

/// What a type says.
#[derive(Clone, Debug, Default)]
pub(super) struct Body {
    pub(super) sorts: Vec<Ident>,
    /// Sorts that are only to be filled in later.
    pub(super) formal_sorts: Vec<Ident>,
    pub(super) operations: Vec<Operation>,
    pub(super) equations: Vec<Equation>,
}

/// The declaration of an operation.
#[derive(Clone, Debug)]
pub(super) struct Operation {
    pub(super) name: Ident,
    pub(super) infix: bool,
    pub(super) arguments: Vec<Ident>,
    pub(super) result: Ident,
    pub(super) remark: Option<Rc<str>>,
    /// Whether it is only to be filled in later.
    pub(super) is_formal: bool,
}

/// An equation.
#[derive(Clone, Debug)]
pub(super) struct Equation {
    pub(super) variables: Rc<Vec<Variable>>,
    pub(super) sort: Option<Ident>,
    pub(super) premises: Vec<Condition>,
    pub(super) left: Expr,
    pub(super) right: Expr,
}

/// Something that is true or false.
#[derive(Clone, Debug)]
pub(super) enum Condition {
    /// Two values are the same.
    Equal(Expr, Expr),
    /// A truth value.
    True(Expr),
}

/// An expression.
#[derive(Clone, Debug)]
pub(super) struct Expr {
    pub(super) name: Ident,
    pub(super) arguments: Vec<Expr>,
    /// Whether the name stands between its two arguments.
    pub(super) infix: bool,
    /// Whether it has parentheses for arguments, and so is no variable.
    pub(super) applied: bool,
    pub(super) sort: Option<Ident>,
    pub(super) span: Span,
}

/// A behaviour.
#[derive(Clone, Debug)]
pub(super) struct Behaviour {
    pub(super) kind: BehaviourKind,
    pub(super) span: Span,
}

/// What an action says about a value.
#[derive(Clone, Debug)]
pub(super) enum Offer {
    /// `!e`.
    Value(Expr),
    /// `?x:s`.
    Variable(Variable),
}

/// What an exit says about a value.
#[derive(Clone, Debug)]
pub(super) enum Result {
    /// This one.
    Value(Expr),
    /// Any of a sort.
    Any(Ident),
}

/// With whom one synchronises.
#[derive(Clone, Debug)]
pub(super) enum Meeting {
    /// At these gates.
    Gates(Vec<Ident>),
    /// At none.
    Nowhere,
    /// At all.
    Everywhere,
}

/// Gates that a name stands for, one after the other.
#[derive(Clone, Debug)]
pub(super) struct GateRange {
    pub(super) names: Vec<Ident>,
    pub(super) gates: Vec<Ident>,
}

/// The kinds of behaviour.
#[derive(Clone, Debug)]
pub(super) enum BehaviourKind {
    Stop,
    Exit(Vec<Result>),
    Internal(Box<Behaviour>),
    Action { gate: Ident, offers: Vec<Offer>, predicate: Option<Condition>, next: Box<Behaviour> },
    Choice(Box<Behaviour>, Box<Behaviour>),
    Guard(Condition, Box<Behaviour>),
    Parallel(Meeting, Box<Behaviour>, Box<Behaviour>),
    Hide(Vec<Ident>, Box<Behaviour>),
    Enable { left: Box<Behaviour>, accepted: Vec<Variable>, right: Box<Behaviour> },
    Disable(Box<Behaviour>, Box<Behaviour>),
    Let(Vec<(Variable, Expr)>, Box<Behaviour>),
    ChoiceOverValues(Vec<Variable>, Box<Behaviour>),
    ChoiceOverGates(Vec<GateRange>, Box<Behaviour>),
    ParallelOverGates(Vec<GateRange>, Meeting, Box<Behaviour>),
    Call { name: Ident, gates: Vec<Ident>, arguments: Vec<Expr> },
}
