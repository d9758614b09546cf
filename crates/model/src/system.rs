//! A system of processes as data.

use std::ops::Range;

use narrows_logic::{Ctl, Ltl};
use narrows_source::Span;

use crate::{Binary, Expr, Place, Receive, Run, Scalar, Send, Unary};

/// Names a kind of process.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ProctypeId(pub u16);

/// Names a location of a kind of process.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct LocationId(pub u16);

/// Names a transition of a kind of process.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TransitionId(pub u32);

/// Names a node of a [`DStep`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(pub u32);

/// A system: variables, channels, processes. Plain data; everything else is computed from it.
#[derive(Clone, Debug, Default)]
pub struct System {
    /// Its name: the file's.
    pub name: String,
    /// The global variables, every scalar by itself, for people.
    pub globals: Vec<Leaf>,
    /// How many bytes of a state they take.
    pub global_bytes: u32,
    /// The hidden global variables, likewise.
    pub hidden: Vec<Leaf>,
    /// How many bytes they take, at the end of a state.
    pub hidden_bytes: u32,
    /// How the global variables get their values, in order.
    pub setup: Vec<Setup>,
    /// The kinds of process.
    pub proctypes: Vec<Proctype>,
    /// The processes there are at the start, in order of their numbers.
    pub initial_processes: Vec<InitialProcess>,
    /// The kinds of channel.
    pub channel_kinds: Vec<ChannelKind>,
    /// The sets of symbolic names; the first is the one without a name.
    pub mtypes: Vec<MtypeSet>,
    /// Whether which process moved last is part of the state.
    pub tracks_last: bool,
    /// Whether priorities matter.
    pub has_priorities: bool,
    /// The claims and formulas the text states.
    pub properties: Vec<Property>,
    /// The bytes of global variables that some step writes and nobody ever reads.
    pub unread: Vec<Range<u32>>,
    /// Where the bytes of global variables are best cut: the ends of pieces, the last that of all of them;
    /// [`cut_globals`](crate::cut_globals) finds them. Without any, they are cut blindly.
    pub pieces: Vec<u32>,
}

/// A scalar variable with its full name, such as `m[2].header`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Leaf {
    /// The name.
    pub name: String,
    /// Its first byte within its area.
    pub offset: u32,
    /// How it is stored.
    pub scalar: Scalar,
}

/// How a variable gets its first value.
#[derive(Clone, Debug, PartialEq)]
pub enum Setup {
    /// From an expression.
    Value(Place, Expr),
    /// A new channel.
    Channel(Place, u16),
}

/// A kind of channel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChannelKind {
    /// Its name, for people.
    pub name: String,
    /// How many messages it holds; 0 is a rendezvous.
    pub capacity: u16,
    /// The fields of a message.
    pub fields: Vec<Scalar>,
}

impl ChannelKind {
    /// Returns how many bytes a message takes.
    pub fn message_bytes(&self) -> u32 {
        self.fields.iter().map(|field| field.bytes()).sum()
    }
}

/// A set of symbolic names; the name of value `n` is `names[n - 1]`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MtypeSet {
    /// The set's own name; empty for the one without a name.
    pub name: String,
    /// The names by value.
    pub names: Vec<String>,
}

/// A process that is there at the start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InitialProcess {
    /// Its kind.
    pub proctype: ProctypeId,
    /// Its priority.
    pub priority: u8,
}

/// A kind of process.
#[derive(Clone, Debug)]
pub struct Proctype {
    /// Its name.
    pub name: String,
    /// Where it is declared.
    pub span: Span,
    /// The parameters, one for each scalar.
    pub parameters: Vec<Place>,
    /// The local variables, every scalar by itself, for people.
    pub locals: Vec<Leaf>,
    /// How many bytes of a state they take.
    pub local_bytes: u32,
    /// How local variables get their first values, in order, when a process is created.
    pub setup: Vec<Setup>,
    /// Where it starts.
    pub start: LocationId,
    /// The bytes of local variables that nobody reads from there on.
    pub dead: Vec<Range<u32>>,
    /// Its locations.
    pub locations: Vec<Location>,
    /// Its transitions.
    pub transitions: Vec<Transition>,
    /// What must hold for a process of this kind to move.
    pub provided: Option<Expr>,
    /// Whether more than one executable choice is a fault.
    pub deterministic: bool,
}

/// Where a process can be.
#[derive(Clone, Debug, Default)]
pub struct Location {
    /// What leads on from here, in the order it is tried.
    pub edges: Vec<Edge>,
    /// The labels of the text here.
    pub labels: Vec<String>,
    /// Whether a process may end here.
    pub is_end: bool,
    /// Whether being here is progress.
    pub is_progress: bool,
    /// Whether it is an accepting location.
    pub is_accepting: bool,
    /// What the text says here.
    pub span: Span,
}

/// A transition as it leaves one location.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Edge {
    /// The transition.
    pub transition: TransitionId,
    /// Non-zero for an escape of an `unless`: once an edge is taken, only edges of the same group follow.
    pub escape: u16,
}

/// What a process can do, and where that leads.
#[derive(Clone, Debug)]
pub struct Transition {
    /// What it does.
    pub statement: Statement,
    /// Where it leads.
    pub target: LocationId,
    /// Whether the process keeps control afterwards.
    pub atomic: bool,
    /// Where it is written.
    pub span: Span,
    /// What is written there, tidied up.
    pub text: String,
    /// Whether nobody wrote it: it only joins two locations.
    pub is_glue: bool,
    /// Its number in SPIN's trail files.
    pub trail_number: u32,
    /// The bytes of local variables that nobody reads afterwards: [`mark_dead`](crate::mark_dead) finds them.
    pub dead: Vec<Range<u32>>,
    /// The bytes of global variables it writes that nobody ever reads.
    pub unread: Vec<Range<u32>>,
}

/// What a transition does.
#[derive(Clone, Debug, PartialEq)]
pub enum Statement {
    /// Nothing.
    Skip,
    /// Nothing; executable only if no earlier edge of the location is.
    Else,
    /// Nothing; executable if true.
    Condition(Expr),
    /// Stores a value.
    Assign(Place, Expr),
    /// Creates a process, and stores an expression of its number.
    Run(Run, Option<(Place, Expr)>),
    /// Sends a message.
    Send(Send),
    /// Receives a message.
    Receive(Receive),
    /// Claims that an expression is true.
    Assert(Expr),
    /// Prints: format and arguments.
    Print(String, Vec<Expr>),
    /// Prints the symbolic name of a value of the given set.
    PrintMtype(Expr, u16),
    /// Changes a process's priority.
    SetPriority(Expr, Expr),
    /// Ends the process.
    End,
    /// Many statements as one.
    DStep(Box<DStep>),
}

/// A deterministic sequence as one step.
#[derive(Clone, Debug, PartialEq)]
pub struct DStep {
    /// When it is executable: one of these must hold; if empty, always.
    pub guards: Vec<Guard>,
    /// The code.
    pub nodes: Vec<Node>,
    /// Where it starts.
    pub start: NodeId,
    /// Where it is written.
    pub span: Span,
}

/// One condition under which a [`DStep`] is executable.
#[derive(Clone, Debug, PartialEq)]
pub enum Guard {
    /// No earlier edge of the location is executable.
    Else,
    /// Always.
    Always,
    /// An expression is true.
    Condition(Expr),
    /// A send would not block.
    Send(Send),
    /// A receive would not block.
    Receive(Receive),
}

/// A place in the code of a [`DStep`].
#[derive(Clone, Debug, PartialEq)]
pub enum Node {
    /// Executes a statement, then goes on.
    Execute(Statement, NodeId, Span),
    /// Takes the first option whose first statement is executable.
    Choose(Vec<NodeId>, Span),
    /// Goes on.
    Jump(NodeId),
    /// The step is over.
    Leave,
}

/// Something the text claims.
#[derive(Clone, Debug)]
pub struct Property {
    /// Its name; empty if it has none.
    pub name: String,
    /// What is claimed.
    pub claim: Claim,
    /// Where it is written.
    pub span: Span,
}

/// A proposition of a formula.
#[derive(Clone, Debug)]
pub struct Atom {
    /// What is asked of a state.
    pub expr: Expr,
    /// What the text says, tidied up: two atoms with the same text are the same.
    pub text: String,
    /// Where it is written.
    pub span: Span,
}

impl PartialEq for Atom {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

impl Eq for Atom {}

/// A claim over whole runs.
#[derive(Clone, Debug)]
pub enum Claim {
    /// A formula over runs.
    Ltl(Ltl<Atom>),
    /// A formula over the tree of all runs.
    Ctl(Ctl<Atom>),
    /// A process that watches: a run that it accepts is a violation.
    Never(Box<Proctype>),
    /// The events on some channels must, or must not, follow a process's pattern.
    Trace {
        /// The pattern.
        pattern: Box<Proctype>,
        /// Whether following it is the violation.
        forbidden: bool,
    },
}

impl Claim {
    /// Returns what is claimed of the first state alone; `None` if it is about more than that.
    pub fn predicate(&self) -> Option<Expr> {
        match self {
            Claim::Ltl(formula) => predicate(formula),
            Claim::Ctl(Ctl::Atom(atom)) => Some(atom.expr.clone()),
            _ => None,
        }
    }
}

fn predicate(formula: &Ltl<Atom>) -> Option<Expr> {
    let both = |operator, left, right| {
        Some(Expr::Binary(operator, Box::new(left), Box::new(predicate(right)?), Span::default()))
    };
    let not = |expr| Expr::Unary(Unary::Not, Box::new(expr));
    match formula {
        Ltl::Atom(atom) => Some(atom.expr.clone()),
        Ltl::Constant(value) => Some(Expr::Constant(i32::from(*value))),
        Ltl::Not(inner) => Some(not(predicate(inner)?)),
        Ltl::And(left, right) => both(Binary::And, predicate(left)?, right),
        Ltl::Or(left, right) => both(Binary::Or, predicate(left)?, right),
        Ltl::Implies(left, right) => both(Binary::Or, not(predicate(left)?), right),
        Ltl::Equivalent(left, right) => {
            let truth = |formula| Some(not(predicate(formula)?));
            let (left, right) = (truth(left)?, truth(right)?);
            Some(Expr::Binary(Binary::Equal, Box::new(left), Box::new(right), Span::default()))
        }
        _ => None,
    }
}

impl System {
    /// Returns a kind of process.
    pub fn proctype(&self, id: ProctypeId) -> &Proctype {
        &self.proctypes[id.0 as usize]
    }

    /// Returns the symbolic name of a value.
    pub fn mtype_name(&self, set: u16, value: i32) -> Option<&str> {
        let set = self.mtypes.get(set as usize)?;
        set.names.get(usize::try_from(value.checked_sub(1)?).ok()?).map(String::as_str)
    }
}

impl Proctype {
    /// Returns a transition.
    pub fn transition(&self, id: TransitionId) -> &Transition {
        &self.transitions[id.0 as usize]
    }

    /// Returns a location.
    pub fn location(&self, id: LocationId) -> &Location {
        &self.locations[id.0 as usize]
    }
}
