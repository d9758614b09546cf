//! The syntax tree of a Promela text, after preprocessing and with inline calls expanded where they stand.

use std::rc::Rc;

use narrows_logic::{Ctl, Ltl};
pub use narrows_model::{Binary as BinaryOperator, Query as ChannelQuery, Unary as UnaryOperator};
use narrows_source::Span;

/// A name and where it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ident {
    /// The name.
    pub name: Rc<str>,
    /// Where it stands.
    pub span: Span,
}

/// A whole text.
#[derive(Clone, Debug, Default)]
pub struct Program {
    /// Its parts, in order.
    pub units: Vec<Unit>,
}

/// A part of a text at the top level.
#[derive(Clone, Debug)]
pub enum Unit {
    /// `proctype`.
    Proctype(Proctype),
    /// `init`.
    Init(Init),
    /// `never`.
    Never(Claim),
    /// `trace` or `notrace`.
    Trace(Trace),
    /// `ltl name { … }`.
    Ltl(LtlBlock),
    /// A formula of computation tree logic, which stands in a text of its own.
    Ctl(CtlBlock),
    /// A declaration of global variables.
    Variables(Declaration),
    /// `typedef`.
    Typedef(Typedef),
    /// `mtype = { … }`.
    Mtype(Mtype),
}

/// `active [2] proctype P(byte a; chan c) priority 3 provided (e) { … }`.
#[derive(Clone, Debug)]
pub struct Proctype {
    /// The name.
    pub name: Ident,
    /// How many instances run at the start; `None` without `active`.
    pub active: Option<ActiveCount>,
    /// Whether it is a `D_proctype`.
    pub deterministic: bool,
    /// The parameters, in order.
    pub parameters: Vec<Declaration>,
    /// `priority N`.
    pub priority: Option<i32>,
    /// `provided (e)`.
    pub provided: Option<Expr>,
    /// The body.
    pub body: Sequence,
    /// From `proctype` to the parameters.
    pub head: Span,
}

/// The number in `active [N]`.
#[derive(Clone, Debug)]
pub enum ActiveCount {
    /// No brackets: one.
    One,
    /// A constant expression.
    Count(Expr),
}

/// `init { … }`.
#[derive(Clone, Debug)]
pub struct Init {
    /// `priority N`.
    pub priority: Option<i32>,
    /// The body.
    pub body: Sequence,
    /// The keyword.
    pub head: Span,
}

/// `never name { … }`.
#[derive(Clone, Debug)]
pub struct Claim {
    /// The name, if given.
    pub name: Option<Ident>,
    /// The body.
    pub body: Sequence,
    /// The keyword.
    pub head: Span,
}

/// `trace { … }` or `notrace { … }`.
#[derive(Clone, Debug)]
pub struct Trace {
    /// Whether it is `notrace`.
    pub forbidden: bool,
    /// The body.
    pub body: Sequence,
    /// The keyword.
    pub head: Span,
}

/// `ltl name { formula }`.
#[derive(Clone, Debug)]
pub struct LtlBlock {
    /// The name, if given.
    pub name: Option<Ident>,
    /// The formula; its leaves are expressions without temporal operators.
    pub formula: Ltl<Expr>,
    /// The keyword.
    pub head: Span,
}

/// A formula of computation tree logic.
#[derive(Clone, Debug)]
pub struct CtlBlock {
    /// The name.
    pub name: Ident,
    /// The formula; its leaves are expressions without temporal operators.
    pub formula: Ctl<Expr>,
    /// All of it.
    pub head: Span,
}

/// `typedef T { … }`.
#[derive(Clone, Debug)]
pub struct Typedef {
    /// The name.
    pub name: Ident,
    /// The fields, in order.
    pub fields: Vec<Declaration>,
}

/// `mtype:set = { a, b }`.
#[derive(Clone, Debug)]
pub struct Mtype {
    /// The set, if named.
    pub set: Option<Ident>,
    /// The names, as written.
    pub names: Vec<Ident>,
}

/// `hidden byte a, b[3] = 1`.
#[derive(Clone, Debug)]
pub struct Declaration {
    /// `hidden`, `show` or `local`.
    pub visibility: Visibility,
    /// The type all variables share.
    pub kind: Type,
    /// Where the type stands.
    pub kind_span: Span,
    /// The variables.
    pub variables: Vec<Variable>,
}

/// The word before a declaration.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Visibility {
    /// None.
    #[default]
    Normal,
    /// `hidden`.
    Hidden,
    /// `show`.
    Show,
    /// `local`.
    Local,
}

/// A type as written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Type {
    /// `bit`.
    Bit,
    /// `bool`.
    Bool,
    /// `byte`.
    Byte,
    /// `pid`.
    Pid,
    /// `short`.
    Short,
    /// `int`.
    Int,
    /// `unsigned`; the width stands with each variable.
    Unsigned,
    /// `mtype` or `mtype:set`.
    Mtype(Option<Ident>),
    /// `chan`.
    Chan,
    /// A typedef.
    Named(Ident),
}

/// One variable of a declaration.
#[derive(Clone, Debug)]
pub struct Variable {
    /// The name.
    pub name: Ident,
    /// The width in `unsigned x : 3`.
    pub width: Option<(i32, Span)>,
    /// The number of elements, for an array.
    pub length: Option<Expr>,
    /// The initial value.
    pub initial: Option<Initial>,
}

/// What follows `=` in a declaration.
#[derive(Clone, Debug)]
pub enum Initial {
    /// An expression.
    Value(Expr),
    /// `{ 1, 2, 3 }` for an array.
    List(Vec<Expr>, Span),
    /// `[4] of { byte, chan }`.
    Channel(ChannelInit),
}

/// `[capacity] of { types }`.
#[derive(Clone, Debug)]
pub struct ChannelInit {
    /// How many messages it holds; 0 is a rendezvous.
    pub capacity: Expr,
    /// The types of the message's fields.
    pub fields: Vec<(Type, Span)>,
    /// All of it.
    pub span: Span,
}

/// Steps, one after the other.
#[derive(Clone, Debug)]
pub struct Sequence {
    /// The steps.
    pub steps: Vec<Step>,
    /// From the first to the last, brackets included.
    pub span: Span,
    /// The closing brace, where there is one.
    pub close: Span,
}

/// A step of a sequence.
#[derive(Clone, Debug)]
#[expect(clippy::large_enum_variant, reason = "nearly all steps are statements")]
pub enum Step {
    /// A declaration.
    Declaration(Declaration),
    /// `xr` or `xs`.
    Exclusive(Exclusive),
    /// A statement.
    Statement(Statement),
    /// `main unless escape`.
    Unless(Box<Statement>, Box<Statement>),
}

/// `xr a, b` or `xs a, b`.
#[derive(Clone, Debug)]
pub struct Exclusive {
    /// Whether it is `xs`.
    pub send: bool,
    /// The channels.
    pub channels: Vec<Place>,
    /// All of it.
    pub span: Span,
}

/// A statement and its place.
#[derive(Clone, Debug)]
pub struct Statement {
    /// What it does.
    pub kind: StatementKind,
    /// Where it stands.
    pub span: Span,
}

/// What a statement does.
#[derive(Clone, Debug)]
pub enum StatementKind {
    /// `label: statement`; a label before `}` stands before a `skip` of its own.
    Label(Ident, Box<Statement>),
    /// `if … fi`.
    If(Vec<Sequence>),
    /// `do … od`.
    Do(Vec<Sequence>),
    /// `for (i : a .. b) { … }`.
    ForRange(Place, Expr, Expr, Sequence),
    /// `for (i in a) { … }`.
    ForIn(Place, Place, Sequence),
    /// `select (i : a .. b)`.
    Select {
        /// The variable.
        variable: Place,
        /// The least value.
        low: Expr,
        /// The greatest value.
        high: Expr,
        /// Whether both bounds are plain digits, the variable's name has letters and digits only, and it
        /// stands outside of an inline: then SPIN rewrites it as a choice among assignments.
        literal: bool,
    },
    /// `break`.
    Break,
    /// `goto label`.
    Goto(Ident),
    /// `{ … }`.
    Block(Sequence),
    /// `atomic { … }`.
    Atomic(Sequence),
    /// `d_step { … }`.
    DStep(Sequence),
    /// A call of an inline, expanded: a block of its own.
    Inline(Ident, Sequence),
    /// `else`.
    Else,
    /// An expression that must be true.
    Condition(Expr),
    /// `place = value`; also `++` and `--`.
    Assign(Place, Expr),
    /// `c ! a, b` or, sorted, `c !! a, b`.
    Send {
        /// The channel.
        channel: Place,
        /// The message.
        arguments: Vec<Expr>,
        /// Whether it is `!!`.
        sorted: bool,
    },
    /// `c ? a, b` and its variants.
    Receive {
        /// The channel.
        channel: Place,
        /// What is matched and where it goes.
        arguments: Vec<ReceiveArgument>,
        /// Whether it is `??`: the first message that matches, not just the first.
        random: bool,
        /// Whether the message stays in the channel: `c?<a, b>`.
        peek: bool,
    },
    /// `assert(e)`.
    Assert(Expr),
    /// `printf("…", a, b)`.
    Print(String, Vec<Expr>),
    /// `printm(e)`.
    PrintMtype(Expr),
    /// `set_priority(p, n)`.
    SetPriority(Expr, Expr),
}

/// One argument of a receive or a poll.
#[derive(Clone, Debug)]
pub enum ReceiveArgument {
    /// A variable that takes the value; `_` throws it away.
    Variable(Place),
    /// A constant that must match (a name of an mtype too, known only after parsing: then it is a
    /// `Variable`).
    Constant(i32, Span),
    /// `eval(e)`: must match.
    Eval(Expr),
}

/// A variable, an element, a field: `a`, `a[i].b`.
#[derive(Clone, Debug)]
pub struct Place {
    /// The names with their indices, outermost first.
    pub parts: Vec<PlacePart>,
    /// All of it.
    pub span: Span,
}

/// One name of a [`Place`].
#[derive(Clone, Debug)]
pub struct PlacePart {
    /// The name.
    pub name: Ident,
    /// The index.
    pub index: Option<Box<Expr>>,
}

/// An expression and its place.
#[derive(Clone, Debug)]
pub struct Expr {
    /// What it is.
    pub kind: ExprKind,
    /// Where it stands.
    pub span: Span,
}

/// What an expression is.
#[derive(Clone, Debug)]
pub enum ExprKind {
    /// A number, `true`, `false`, `skip`, or a character.
    Number(i32),
    /// A variable, an mtype's name, `_pid`, `_nr_pr`, `_last`, `_priority`.
    Place(Place),
    /// `-e`, `!e`, `~e`.
    Unary(UnaryOperator, Box<Expr>),
    /// `a + b`, …
    Binary(BinaryOperator, Box<Expr>, Box<Expr>),
    /// `(c -> a : b)`.
    Conditional(Box<Expr>, Box<Expr>, Box<Expr>),
    /// `run P(a, b) priority 3`.
    Run {
        /// The proctype.
        name: Ident,
        /// The arguments.
        arguments: Vec<Expr>,
        /// `priority N`.
        priority: Option<i32>,
    },
    /// `len(c)` and its relatives.
    Channel(ChannelQuery, Place),
    /// `c?[a, b]`, or `c??[a, b]`.
    Poll {
        /// The channel.
        channel: Place,
        /// What must match.
        arguments: Vec<ReceiveArgument>,
        /// Whether it is `??`.
        random: bool,
    },
    /// `timeout`.
    Timeout,
    /// `np_`.
    NonProgress,
    /// `enabled(p)`.
    Enabled(Box<Expr>),
    /// `pc_value(p)`.
    PcValue(Box<Expr>),
    /// `get_priority(p)`.
    GetPriority(Box<Expr>),
    /// `P[i]@label`, `P@label`.
    RemoteLabel {
        /// The proctype.
        process: Ident,
        /// The process number.
        pid: Option<Box<Expr>>,
        /// The label.
        label: Ident,
    },
    /// `P[i]:x`, `P:x[2]`.
    RemoteVariable {
        /// The proctype.
        process: Ident,
        /// The process number.
        pid: Option<Box<Expr>>,
        /// The variable: one name, with or without index.
        variable: Place,
    },
}
