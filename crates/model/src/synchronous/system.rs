//! What a synchronous system is.

use narrows_source::Span;

use super::formula::Specification;
use super::run::Signal;
use crate::Question;

/// A value: a truth value as 0 or 1, a number, or a symbol (see [`SynchronousSystem::SYMBOLS`]).
pub type Value = i128;

/// Names one of [`SynchronousSystem::variables`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct VariableId(pub u32);

/// Names one of [`SynchronousSystem::nodes`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ExprId(pub u32);

/// A synchronous system.
///
/// A state gives each variable that is no input a value, such that all `invariants` hold. A step leads from a
/// state, with any values of the inputs, to a state such that all `transitions` hold.
#[derive(Clone, Debug, Default)]
pub struct SynchronousSystem {
    /// The variables.
    pub variables: Vec<Variable>,
    /// The names of the symbols.
    pub symbols: Vec<String>,
    /// All expressions; operands stand before what they are operands of.
    pub nodes: Vec<Node>,
    /// What holds in the first state, of current values.
    pub initial: Vec<Constraint>,
    /// What holds in every state, of current values.
    pub invariants: Vec<Constraint>,
    /// What holds in every step.
    pub transitions: Vec<Constraint>,
    /// What holds again and again on a fair run.
    pub justice: Vec<ExprId>,
    /// If the first holds again and again on a fair run, so does the second.
    pub compassion: Vec<(ExprId, ExprId)>,
    /// What must not be, in any step.
    pub hazards: Vec<Hazard>,
    /// Names for expressions over current values.
    pub definitions: Vec<Definition>,
    /// What is claimed, and what is to be computed.
    pub specifications: Vec<Specification>,
    /// The input that says which process moves, if the system is a composition of processes.
    pub selector: Option<VariableId>,
    /// What pictures of runs show; the variables that change if there is nothing here.
    pub signals: Vec<Signal>,
    /// Whether runs may end, so that nobody asks whether each state has a successor: constraints of circuits
    /// say which inputs matter, and not that there always are some.
    pub may_stop: bool,
}

/// A variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variable {
    /// Its whole name.
    pub name: String,
    /// The values it can have.
    pub domain: Domain,
    /// How its values are shown.
    pub display: Display,
    /// Whether and when it changes.
    pub role: Role,
    /// Where it is declared.
    pub span: Span,
}

/// Whether and when a variable changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// It is part of the state.
    State,
    /// It is part of the state and never changes.
    Frozen,
    /// It belongs to steps, and not to states.
    Input,
}

/// The values that a variable can have; at least one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Domain {
    /// All numbers from the first to the second.
    Range(Value, Value),
    /// These, each once.
    Values(Vec<Value>),
}

impl Domain {
    /// Returns how many values there are.
    pub fn len(&self) -> u128 {
        match self {
            Domain::Range(low, high) => high.abs_diff(*low) + 1,
            Domain::Values(values) => values.len() as u128,
        }
    }

    /// Returns whether there are none, which is never so.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns whether a value is one of them.
    pub fn contains(&self, value: Value) -> bool {
        self.index(value).is_some()
    }

    /// Returns which of the values one is.
    pub fn index(&self, value: Value) -> Option<u128> {
        match self {
            Domain::Range(low, high) => (*low..=*high).contains(&value).then(|| value.abs_diff(*low)),
            Domain::Values(values) => {
                values.iter().position(|other| *other == value).map(|index| index as u128)
            }
        }
    }

    /// Returns the value with an index.
    pub fn value(&self, index: u128) -> Option<Value> {
        match self {
            Domain::Range(low, _) => (index < self.len()).then(|| low + index as Value),
            Domain::Values(values) => values.get(usize::try_from(index).ok()?).copied(),
        }
    }

    /// Returns all values, in order.
    pub fn values(&self) -> impl Iterator<Item = Value> + '_ {
        (0..self.len()).filter_map(|index| self.value(index))
    }
}

/// How values are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Display {
    /// As `TRUE` and `FALSE`.
    Boolean,
    /// As numbers, and symbols as their names.
    Plain,
    /// As words without a sign, of so many bits.
    Unsigned(u32),
    /// As words with a sign, of so many bits.
    Signed(u32),
}

/// An expression. All are total: a division by zero gives 0.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Node {
    /// A value.
    Constant(Value),
    /// What a variable is now.
    Current(VariableId),
    /// What a variable is after the step.
    Next(VariableId),
    /// Whether something is not so.
    Not(ExprId),
    /// The number with the other sign.
    Negate(ExprId),
    /// The number with every bit, in two's complement, the other way.
    Invert(ExprId),
    /// An operator with two operands.
    Binary(Operator, ExprId, ExprId),
    /// The second where the first is so, the third where not; these may be sets.
    Choose(ExprId, ExprId, ExprId),
    /// The set of these values, or of the members of these sets.
    Set(Vec<ExprId>),
    /// Whether the value is a member of the set.
    In(ExprId, ExprId),
    /// Whether every member of the set, or the value, is one that the variable can have.
    Within(ExprId, VariableId),
    /// The last bits of a number in two's complement, with or without a sign.
    Wrap {
        /// The number.
        operand: ExprId,
        /// How many bits.
        width: u32,
        /// Whether the first of them is a sign.
        signed: bool,
    },
}

/// An operator with two operands. On truth values the first three are those of logic, on numbers those of
/// bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Operator {
    /// And.
    And,
    /// Or.
    Or,
    /// Exclusive or.
    Xor,
    /// Equality.
    Equal,
    /// Less.
    Less,
    /// Less or equal.
    LessEqual,
    /// Sum.
    Add,
    /// Difference.
    Subtract,
    /// Product.
    Multiply,
    /// Quotient, rounded towards zero.
    Divide,
    /// What remains then.
    Remainder,
    /// Shift to the left; the second operand is not negative.
    ShiftLeft,
    /// Shift to the right with the sign; the second operand is not negative.
    ShiftRight,
}

/// A constraint and where it is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Constraint {
    /// What is demanded.
    pub demand: Demand,
    /// Where.
    pub span: Span,
}

/// What is demanded of a state or a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Demand {
    /// Something is so.
    Holds(ExprId),
    /// A variable has a value, or one of a set: now in a state, next in a step.
    Assigned(VariableId, ExprId),
}

/// Something that must not be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hazard {
    /// When it is, in terms of the values before a step, the inputs, and the values after it.
    pub condition: ExprId,
    /// What it is.
    pub kind: HazardKind,
    /// Where it is written.
    pub span: Span,
}

/// What must not be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HazardKind {
    /// A value that the variable can't have.
    OutOfRange(VariableId),
    /// A division by zero.
    DivisionByZero,
    /// An index outside of an array.
    Index,
    /// None of the conditions of a case.
    NoBranch,
}

/// A name for an expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Definition {
    /// The whole name.
    pub name: String,
    /// The expression, over current values.
    pub value: ExprId,
    /// How its values are shown.
    pub display: Display,
}

impl SynchronousSystem {
    /// Symbols are the values from here on, by their number.
    pub const SYMBOLS: Value = 1 << 100;

    /// Returns a variable.
    pub fn variable(&self, id: VariableId) -> &Variable {
        &self.variables[id.0 as usize]
    }

    /// Returns an expression.
    pub fn node(&self, id: ExprId) -> &Node {
        &self.nodes[id.0 as usize]
    }

    /// Returns all variables with their numbers.
    pub fn each_variable(&self) -> impl Iterator<Item = (VariableId, &Variable)> {
        self.variables.iter().enumerate().map(|(index, variable)| (VariableId(index as u32), variable))
    }

    /// Returns the operands of an expression.
    pub fn operands(&self, id: ExprId) -> Vec<ExprId> {
        let mut operands = Vec::new();
        self.each_operand(id, |operand| operands.push(operand));
        operands
    }

    /// Returns an expression and all below it, each once, operands first.
    pub fn below(&self, roots: impl IntoIterator<Item = ExprId>) -> Vec<ExprId> {
        let mut waiting: Vec<ExprId> = roots.into_iter().collect();
        let most = waiting.iter().map(|id| id.0 as usize + 1).max().unwrap_or(0);
        // Operands stand before what they are operands of.
        let mut seen = vec![0u64; most.div_ceil(64)];
        let mut count = 0;
        while let Some(id) = waiting.pop() {
            let (word, bit) = (id.0 as usize / 64, 1 << (id.0 % 64));
            if seen[word] & bit == 0 {
                seen[word] |= bit;
                count += 1;
                self.each_operand(id, |operand| waiting.push(operand));
            }
        }
        let mut found = Vec::with_capacity(count);
        for (word, mut bits) in seen.into_iter().enumerate() {
            while bits != 0 {
                found.push(ExprId(word as u32 * 64 + bits.trailing_zeros()));
                bits &= bits - 1;
            }
        }
        found
    }

    /// Visits the operands of an expression.
    fn each_operand(&self, id: ExprId, mut visit: impl FnMut(ExprId)) {
        match self.node(id) {
            Node::Constant(_) | Node::Current(_) | Node::Next(_) => {}
            Node::Not(operand)
            | Node::Negate(operand)
            | Node::Invert(operand)
            | Node::Within(operand, _)
            | Node::Wrap { operand, .. } => visit(*operand),
            Node::Binary(_, left, right) | Node::In(left, right) => {
                visit(*left);
                visit(*right);
            }
            Node::Choose(condition, then, otherwise) => {
                visit(*condition);
                visit(*then);
                visit(*otherwise);
            }
            Node::Set(members) => members.iter().copied().for_each(visit),
        }
    }

    /// Returns the variables whose current and whose next values an expression looks at, in order.
    pub fn looks_at(&self, root: ExprId) -> (Vec<VariableId>, Vec<VariableId>) {
        let (mut current, mut next) = (Vec::new(), Vec::new());
        for id in self.below([root]) {
            match self.node(id) {
                Node::Current(variable) => current.push(*variable),
                Node::Next(variable) => next.push(*variable),
                _ => {}
            }
        }
        (current, next)
    }

    /// Returns whether an expression is a set.
    pub fn is_set(&self, id: ExprId) -> bool {
        let mut seen = std::collections::BTreeSet::new();
        let mut waiting = vec![id];
        while let Some(id) = waiting.pop() {
            match self.node(id) {
                Node::Set(_) => return true,
                Node::Choose(_, then, otherwise) if seen.insert(id) => waiting.extend([*then, *otherwise]),
                _ => {}
            }
        }
        false
    }

    /// Returns of every expression whether it is a set, in order.
    pub fn sets(&self) -> Vec<bool> {
        let mut sets: Vec<bool> = Vec::with_capacity(self.nodes.len());
        for node in &self.nodes {
            sets.push(match node {
                Node::Set(_) => true,
                Node::Choose(_, then, otherwise) => sets[then.0 as usize] || sets[otherwise.0 as usize],
                _ => false,
            });
        }
        sets
    }

    /// Returns the parts that a set consists of, itself included, each once and parts before wholes: sets,
    /// choices between sets, and the values in them. `sets` is what [`Self::sets`] returns.
    pub fn set_parts(&self, set: ExprId, sets: &[bool]) -> Vec<ExprId> {
        let mut seen = std::collections::BTreeSet::new();
        let mut waiting = vec![set];
        while let Some(id) = waiting.pop() {
            if seen.insert(id) {
                match self.node(id) {
                    Node::Set(members) => waiting.extend(members),
                    Node::Choose(_, then, otherwise) if sets[id.0 as usize] => {
                        waiting.extend([*then, *otherwise]);
                    }
                    _ => {}
                }
            }
        }
        seen.into_iter().collect()
    }

    /// Returns whether an expression is about a step: it looks at inputs, or at the state after it.
    pub fn is_of_step(&self, root: ExprId) -> bool {
        let (current, next) = self.looks_at(root);
        !next.is_empty() || current.iter().any(|id| self.variable(*id).role == Role::Input)
    }

    /// Returns the value of a variable that is shown so; `None` if it has no such value.
    pub fn read(&self, text: &str, id: VariableId) -> Option<Value> {
        let variable = self.variable(id);
        let value = match variable.display {
            Display::Boolean => Value::from(text == "TRUE"),
            Display::Plain => match text.parse() {
                Ok(number) => number,
                Err(_) => {
                    let number = self.symbols.iter().position(|symbol| symbol == text)?;
                    SynchronousSystem::SYMBOLS + number as Value
                }
            },
            Display::Unsigned(_) | Display::Signed(_) => {
                let size: Value = text.rsplit('_').next()?.parse().ok()?;
                if text.starts_with('-') { -size } else { size }
            }
        };
        let is_it = variable.domain.contains(value) && self.show(value, variable.display) == text;
        is_it.then_some(value)
    }

    /// Returns every question that the text asks: whether there is always a next state, whether something
    /// happens that must not, and the specifications.
    pub fn questions(&self) -> Vec<Question> {
        let faults = (!self.hazards.is_empty()).then_some(Question::Faults);
        let specifications = self.specifications.iter().enumerate().map(|(index, specification)| {
            Question::Property { index, kind: specification.claim.kind(), name: specification.name.clone() }
        });
        let deadlock = (!self.may_stop).then_some(Question::Deadlock);
        deadlock.into_iter().chain(faults).chain(specifications).collect()
    }

    /// Says what must not be.
    pub fn describe_hazard(&self, hazard: &Hazard) -> String {
        match hazard.kind {
            HazardKind::OutOfRange(variable) => {
                format!("`{}` is assigned a value that it can't have.", self.variable(variable).name)
            }
            HazardKind::DivisionByZero => "There is a division by zero.".to_owned(),
            HazardKind::Index => "An index is outside of its array.".to_owned(),
            HazardKind::NoBranch => "No condition of a case holds.".to_owned(),
        }
    }

    /// Shows a value.
    pub fn show(&self, value: Value, display: Display) -> String {
        match display {
            Display::Boolean => if value == 0 { "FALSE" } else { "TRUE" }.to_owned(),
            Display::Plain if value >= SynchronousSystem::SYMBOLS => {
                self.symbols.get((value - SynchronousSystem::SYMBOLS) as usize).cloned().unwrap_or_default()
            }
            Display::Plain => value.to_string(),
            Display::Unsigned(width) => format!("0ud{width}_{value}"),
            Display::Signed(width) if value < 0 => format!("-0sd{width}_{}", -value),
            Display::Signed(width) => format!("0sd{width}_{value}"),
        }
    }
}
