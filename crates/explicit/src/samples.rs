//! Small systems, built by hand, for tests.

use narrows_model::{
    Area, Binary, ChannelKind, Edge, Expr, InitialProcess, Leaf, Location, LocationId, Pattern, Place,
    Proctype, ProctypeId, Receive, Run, Scalar, Send, Setup, Statement, System, Transition, TransitionId,
};
use narrows_source::{FileId, Span};

/// A global byte variable.
pub(crate) fn global(offset: u32) -> Place {
    Place { area: Area::Global, offset, indices: Vec::new(), scalar: Scalar::Byte, span: Span::default() }
}

pub(crate) fn load(offset: u32) -> Expr {
    Expr::Load(Box::new(global(offset)))
}

pub(crate) fn binary(operator: Binary, left: Expr, right: Expr) -> Expr {
    Expr::Binary(operator, Box::new(left), Box::new(right), Span::new(FileId(0), 1, 2))
}

pub(crate) fn add(offset: u32, amount: i32) -> Statement {
    Statement::Assign(global(offset), binary(Binary::Add, load(offset), Expr::Constant(amount)))
}

pub(crate) fn when(operator: Binary, offset: u32, value: i32) -> Statement {
    Statement::Condition(binary(operator, load(offset), Expr::Constant(value)))
}

pub(crate) fn send(value: Expr) -> Statement {
    Statement::Send(Send { channel: load(0), arguments: vec![value], sorted: false, span: Span::default() })
}

pub(crate) fn receive(offset: u32) -> Statement {
    let patterns = vec![Pattern::Store(global(offset))];
    Statement::Receive(Receive {
        channel: load(0),
        patterns,
        random: false,
        peek: false,
        span: Span::default(),
    })
}

pub(crate) fn run(proctype: u16) -> Statement {
    let run =
        Run { proctype: ProctypeId(proctype), arguments: Vec::new(), priority: 1, span: Span::default() };
    Statement::Run(run, None)
}

/// Builds a kind of process from edges: from, to, statement. A location without edges ends the process.
pub(crate) fn proctype(name: &str, edges: Vec<(u16, u16, Statement)>) -> Proctype {
    let most = edges.iter().map(|edge| edge.0.max(edge.1)).max().unwrap_or(0);
    let mut locations = vec![Location::default(); usize::from(most) + 1];
    let mut transitions = Vec::new();
    for (number, (from, to, statement)) in edges.into_iter().enumerate() {
        let edge = Edge { transition: TransitionId(number as u32), escape: 0 };
        locations[usize::from(from)].edges.push(edge);
        let span = Span::new(FileId(0), number, number + 1);
        transitions.push(Transition {
            text: format!("{name} {number}"),
            target: LocationId(to),
            atomic: false,
            is_glue: false,
            trail_number: 0,
            dead: Vec::new(),
            unread: Vec::new(),
            statement,
            span,
        });
    }
    for location in &mut locations {
        location.is_end = location.edges.is_empty();
    }
    Proctype {
        name: name.to_owned(),
        span: Span::default(),
        parameters: Vec::new(),
        locals: Vec::new(),
        local_bytes: 0,
        setup: Vec::new(),
        start: LocationId(0),
        dead: Vec::new(),
        locations,
        transitions,
        provided: None,
        deterministic: false,
    }
}

/// Builds a system with one running process of each of the first `running` kinds, and some global bytes. The
/// first global is a channel if a capacity is given.
pub(crate) fn system(globals: u32, running: usize, channel: Option<u16>, proctypes: Vec<Proctype>) -> System {
    let leaf = |offset| Leaf { name: format!("g{offset}"), offset, scalar: Scalar::Byte };
    let kind = |capacity| ChannelKind { name: "link".to_owned(), capacity, fields: vec![Scalar::Byte] };
    System {
        globals: (0..globals).map(leaf).collect(),
        global_bytes: globals,
        setup: channel.iter().map(|_| Setup::Channel(global(0), 0)).collect(),
        channel_kinds: channel.into_iter().map(kind).collect(),
        initial_processes: (0..running as u16)
            .map(|number| InitialProcess { proctype: ProctypeId(number), priority: 1 })
            .collect(),
        proctypes,
        ..System::default()
    }
}

/// Counters that go round independently: `size` to the power of `count` states.
pub(crate) fn counters(count: u32, size: i32) -> System {
    let one = |offset| {
        let next = binary(Binary::Add, load(offset), Expr::Constant(1));
        let next = binary(Binary::Remainder, next, Expr::Constant(size));
        proctype("counter", vec![(0, 0, Statement::Assign(global(offset), next))])
    };
    system(count, count as usize, None, (0..count).map(one).collect())
}
