//! Expressions and the places they read.
//!
//! All values are 32-bit integers as C's `int`; a [`Scalar`] says how many of the bits a variable keeps.

use narrows_source::Span;

use crate::ProctypeId;

/// How a variable is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Scalar {
    /// One bit.
    Bit,
    /// One bit, shown as true or false.
    Bool,
    /// Eight bits.
    Byte,
    /// A process number: eight bits.
    Pid,
    /// A name of the given set of names: eight bits.
    Mtype(u16),
    /// A channel's number, counted from 1: eight bits.
    Channel,
    /// Sixteen bits, signed.
    Short,
    /// Thirty-two bits, signed.
    Int,
    /// The given number of bits, 1 to 31.
    Unsigned(u8),
}

impl Scalar {
    /// Returns how many bytes of a state it takes.
    pub fn bytes(self) -> u32 {
        match self {
            Scalar::Bit | Scalar::Bool | Scalar::Byte | Scalar::Pid | Scalar::Mtype(_) | Scalar::Channel => 1,
            Scalar::Short => 2,
            Scalar::Int => 4,
            Scalar::Unsigned(bits) => match bits {
                0..=8 => 1,
                9..=16 => 2,
                _ => 4,
            },
        }
    }

    /// Returns what remains of a value when it is stored.
    pub fn truncate(self, value: i32) -> i32 {
        match self {
            Scalar::Bit | Scalar::Bool => value & 1,
            Scalar::Byte | Scalar::Pid | Scalar::Mtype(_) | Scalar::Channel => value & 0xff,
            Scalar::Short => i32::from(value as i16),
            Scalar::Int => value,
            Scalar::Unsigned(bits) => value & ((1i64 << bits) - 1) as i32,
        }
    }

    /// Reads a value from a state.
    pub fn read(self, state: &[u8], at: usize) -> i32 {
        match self.bytes() {
            1 => i32::from(state[at]),
            2 => {
                let raw = u16::from_le_bytes([state[at], state[at + 1]]);
                if self == Scalar::Short { i32::from(raw as i16) } else { i32::from(raw) }
            }
            _ => i32::from_le_bytes([state[at], state[at + 1], state[at + 2], state[at + 3]]),
        }
    }

    /// Writes what remains of a value into a state.
    pub fn write(self, state: &mut [u8], at: usize, value: i32) {
        let bytes = self.truncate(value).to_le_bytes();
        let width = self.bytes() as usize;
        state[at..at + width].copy_from_slice(&bytes[..width]);
    }
}

/// Which part of the state a [`Place`] is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Area {
    /// Global variables.
    Global,
    /// Global variables that do not count when states are compared.
    Hidden,
    /// Variables of the process that runs.
    Local,
}

/// A scalar variable, an element of an array, or a field.
#[derive(Clone, Debug, PartialEq)]
pub struct Place {
    /// Where the variable lives.
    pub area: Area,
    /// Its first byte within the area, all indices being 0.
    pub offset: u32,
    /// What the indices add to that.
    pub indices: Vec<Index>,
    /// How it is stored.
    pub scalar: Scalar,
    /// Where it is written.
    pub span: Span,
}

/// One index of a [`Place`].
#[derive(Clone, Debug, PartialEq)]
pub struct Index {
    /// The index.
    pub value: Expr,
    /// How many bytes one step is.
    pub stride: u32,
    /// How many elements there are.
    pub length: u32,
}

/// Unary operators.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unary {
    /// Arithmetic negation.
    Minus,
    /// 1 for 0, otherwise 0.
    Not,
    /// All bits turned.
    Complement,
}

/// Binary operators, with the meaning they have in C.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "they are what their names say")]
pub enum Binary {
    Multiply,
    Divide,
    Remainder,
    Add,
    Subtract,
    ShiftLeft,
    ShiftRight,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    Equal,
    NotEqual,
    BitAnd,
    BitXor,
    BitOr,
    And,
    Or,
}

impl Binary {
    /// Returns how it is written.
    pub fn symbol(self) -> &'static str {
        match self {
            Binary::Multiply => "*",
            Binary::Divide => "/",
            Binary::Remainder => "%",
            Binary::Add => "+",
            Binary::Subtract => "-",
            Binary::ShiftLeft => "<<",
            Binary::ShiftRight => ">>",
            Binary::Less => "<",
            Binary::LessEqual => "<=",
            Binary::Greater => ">",
            Binary::GreaterEqual => ">=",
            Binary::Equal => "==",
            Binary::NotEqual => "!=",
            Binary::BitAnd => "&",
            Binary::BitXor => "^",
            Binary::BitOr => "|",
            Binary::And => "&&",
            Binary::Or => "||",
        }
    }
}

/// What is asked of a channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Query {
    /// How many messages it holds.
    Length,
    /// Whether a send would block.
    Full,
    /// Whether it holds no message.
    Empty,
    /// Whether a send would not block.
    NotFull,
    /// Whether it holds a message.
    NotEmpty,
}

/// An expression.
#[derive(Clone, Debug, PartialEq)]
pub enum Expr {
    /// A constant.
    Constant(i32),
    /// The value of a variable.
    Load(Box<Place>),
    /// A unary operator.
    Unary(Unary, Box<Expr>),
    /// A binary operator; the span is for faults.
    Binary(Binary, Box<Expr>, Box<Expr>, Span),
    /// `if c then a else b`.
    Conditional(Box<Expr>, Box<Expr>, Box<Expr>),
    /// The number of the process that runs.
    Pid,
    /// How many processes there are.
    ProcessCount,
    /// Which process moved last.
    Last,
    /// Whether nothing else in the system can move.
    Timeout,
    /// Whether no process is at a progress label.
    NonProgress,
    /// The process number that the `run` of the same statement gave.
    RunResult,
    /// Something about a channel.
    Channel(Query, Box<Expr>, Span),
    /// Whether a receive could take place: 0, or the 1-based position of the message.
    Poll(Box<Receive>),
    /// Whether a process has an executable statement.
    Enabled(Box<Expr>, Span),
    /// The number of a process's location.
    LocationOf(Box<Expr>),
    /// A process's priority.
    PriorityOf(Box<Expr>),
    /// The priority of the process that runs.
    Priority,
    /// Whether a process of the type is at one of the locations; without a number, the first of the type.
    AtLocation {
        /// The type of the process.
        proctype: ProctypeId,
        /// Its number.
        pid: Option<Box<Expr>>,
        /// The number of the location.
        location: u16,
    },
    /// The value of a variable of another process.
    Remote {
        /// The type of the process.
        proctype: ProctypeId,
        /// Its number.
        pid: Option<Box<Expr>>,
        /// The variable: local there, its indices read here.
        place: Box<Place>,
    },
}

impl Expr {
    /// Returns the value if it is a constant.
    pub fn constant(&self) -> Option<i32> {
        match self {
            Expr::Constant(value) => Some(*value),
            _ => None,
        }
    }
}

/// A message: what is sent, field by field.
pub type Message = Vec<i32>;

/// A send.
#[derive(Clone, Debug, PartialEq)]
pub struct Send {
    /// The channel.
    pub channel: Expr,
    /// The fields.
    pub arguments: Vec<Expr>,
    /// Whether the message goes before the first greater one, not to the end.
    pub sorted: bool,
    /// Where it is written.
    pub span: Span,
}

/// A receive, or a poll.
#[derive(Clone, Debug, PartialEq)]
pub struct Receive {
    /// The channel.
    pub channel: Expr,
    /// What is done with each field.
    pub patterns: Vec<Pattern>,
    /// Whether any message may match, not just the first.
    pub random: bool,
    /// Whether the message stays.
    pub peek: bool,
    /// Where it is written.
    pub span: Span,
}

/// What a receive does with a field.
#[derive(Clone, Debug, PartialEq)]
pub enum Pattern {
    /// Stores it.
    Store(Place),
    /// Throws it away.
    Discard,
    /// Takes the message only if it equals this.
    Match(Expr),
}

/// The creation of a process.
#[derive(Clone, Debug, PartialEq)]
pub struct Run {
    /// What kind of process.
    pub proctype: ProctypeId,
    /// Its parameters.
    pub arguments: Vec<Expr>,
    /// Its priority.
    pub priority: u8,
    /// Where it is written.
    pub span: Span,
}
