//! Sorts, operations and the equations that say what operations mean.

use narrows_source::Span;

/// Names a [`Sort`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SortId(pub u16);

/// Names an [`Operation`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct OperationId(pub u32);

/// A set of values.
#[derive(Clone, Debug)]
pub struct Sort {
    /// Its name, as labels show it.
    pub name: String,
    /// The operations that build its values; none for natural numbers.
    pub constructors: Vec<OperationId>,
    /// Whether its values are the natural numbers.
    pub natural: bool,
    /// Up to which number they are listed where nobody decides, if that was said.
    pub listed: Option<u32>,
}

/// Makes a value of values.
#[derive(Clone, Debug)]
pub struct Operation {
    /// Its name, as labels show it.
    pub name: String,
    /// Whether it stands between its arguments.
    pub infix: bool,
    /// The sorts of its arguments.
    pub arguments: Vec<SortId>,
    /// The sort of its result.
    pub result: SortId,
    /// What it gives.
    pub meaning: Meaning,
    /// Where it is declared.
    pub span: Span,
}

/// What an operation gives.
#[derive(Clone, Debug)]
pub enum Meaning {
    /// A new value; its place among the constructors of its sort.
    Constructor(u16),
    /// What the first equation says whose left side fits and whose premises are true.
    Rules(Vec<Rule>),
    /// Something that is known here.
    Builtin(Builtin),
}

/// An operation that needs no equations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Builtin {
    /// A number.
    Number(u32),
    /// One more.
    Successor,
    /// The sum.
    Add,
    /// The difference, which must not be below 0.
    Subtract,
    /// The product.
    Multiply,
    /// The power.
    Power,
    /// The quotient, rounded down.
    Divide,
    /// The rest of a division.
    Modulo,
    /// The lesser one.
    Minimum,
    /// The greater one.
    Maximum,
    /// Whether two values are the same.
    Equal,
    /// Whether they are not.
    NotEqual,
    /// Whether the first number is less.
    Less,
    /// Whether it is not greater.
    LessOrEqual,
    /// Whether it is greater.
    Greater,
    /// Whether it is not less.
    GreaterOrEqual,
}

/// An equation, read from left to right.
#[derive(Clone, Debug)]
pub struct Rule {
    /// What the arguments have to look like.
    pub patterns: Vec<Pattern>,
    /// What has to be true.
    pub premises: Vec<Condition>,
    /// What it gives then.
    pub result: Term,
    /// How many variables it has.
    pub variables: u16,
}

/// What a value has to look like.
#[derive(Clone, Debug)]
pub enum Pattern {
    /// Anything; it becomes the value of a variable.
    Bind(u16),
    /// The value that a variable has already.
    Same(u16),
    /// A number.
    Number(u32),
    /// A number above 0, and what is said of the one before.
    Successor(Box<Pattern>),
    /// A constructor's value.
    Constructor(OperationId, Vec<Pattern>),
}

/// A value that depends on variables.
#[derive(Clone, Debug)]
pub enum Term {
    /// The value of a variable.
    Variable(u16),
    /// An operation and its arguments.
    Apply(OperationId, Vec<Term>),
    /// A number.
    Number(u32),
}

/// Something that is true or false.
#[derive(Clone, Debug)]
pub enum Condition {
    /// Two terms have the same value.
    Equal(Term, Term),
    /// A term of the sort of truth values is true.
    True(Term),
}

/// All sorts and operations.
#[derive(Clone, Debug, Default)]
pub struct Data {
    /// The sorts.
    pub sorts: Vec<Sort>,
    /// The operations.
    pub operations: Vec<Operation>,
    /// The constructors of false and true, if there are truth values.
    pub truth: Option<[OperationId; 2]>,
}

impl Data {
    /// Returns a sort.
    pub fn sort(&self, id: SortId) -> &Sort {
        &self.sorts[usize::from(id.0)]
    }

    /// Returns an operation.
    pub fn operation(&self, id: OperationId) -> &Operation {
        &self.operations[id.0 as usize]
    }
}
