//! Small systems to test with, built by hand so that the simulator is tested without a language.

use narrows_model::{
    Area, Binary, ChannelKind, Edge, Expr, Form, InitialProcess, Leaf, Location, LocationId, Model, Pattern,
    Place, Proctype, ProctypeId, Receive, Scalar, Send, Setup, Statement, System, Transition, TransitionId,
};
use narrows_source::{FileId, Sources, Span};

/// A system and its text.
struct Example {
    system: System,
    sources: Sources,
    file: FileId,
    numbers: u32,
}

fn constant(value: i32) -> Expr {
    Expr::Constant(value)
}

fn global(offset: u32) -> Place {
    place(Area::Global, offset)
}

fn local(offset: u32) -> Place {
    place(Area::Local, offset)
}

fn place(area: Area, offset: u32) -> Place {
    Place { area, offset, indices: Vec::new(), scalar: Scalar::Byte, span: Span::default() }
}

fn load(place: Place) -> Expr {
    Expr::Load(Box::new(place))
}

fn binary(operator: Binary, left: Expr, right: Expr) -> Expr {
    Expr::Binary(operator, Box::new(left), Box::new(right), Span::default())
}

fn send(channel: Place, value: Expr) -> Statement {
    let span = Span::default();
    Statement::Send(Send { channel: load(channel), arguments: vec![value], sorted: false, span })
}

fn receive(channel: Place, into: Place) -> Statement {
    let patterns = vec![Pattern::Store(into)];
    let span = Span::default();
    Statement::Receive(Receive { channel: load(channel), patterns, random: false, peek: false, span })
}

impl Example {
    fn new(text: &str) -> Self {
        let mut sources = Sources::default();
        let file = sources.add("example.pml", text);
        let system = System { name: "example.pml".to_owned(), ..System::default() };
        Example { system, sources, file, numbers: 0 }
    }

    /// Makes a model of it.
    fn model(self) -> Model {
        let form = Form::Processes(Box::new(self.system));
        let (name, language) = ("example.pml".to_owned(), "Promela");
        Model { name, language, sources: self.sources, definitions: Vec::new(), form }
    }

    fn span(&self, text: &str) -> Span {
        let start = self.sources.file(self.file).text.find(text).unwrap_or(0);
        Span::new(self.file, start, start + text.len())
    }

    /// Adds a global byte.
    fn byte(&mut self, name: &str) -> Place {
        let place = global(self.system.global_bytes);
        let leaf = Leaf { name: name.to_owned(), offset: place.offset, scalar: Scalar::Byte };
        self.system.globals.push(leaf);
        self.system.global_bytes += 1;
        place
    }

    /// Adds a global channel of bytes.
    fn channel(&mut self, name: &str, capacity: u16) -> Place {
        let place = self.byte(name);
        let kind = ChannelKind { name: name.to_owned(), capacity, fields: vec![Scalar::Byte] };
        self.system.channel_kinds.push(kind);
        let number = self.system.channel_kinds.len() as u16 - 1;
        self.system.setup.push(Setup::Channel(place.clone(), number));
        place
    }

    /// Adds a process that does one thing after the other, then ends; `true` keeps control afterwards.
    fn process(&mut self, name: &str, locals: &[&str], lines: Vec<(&str, Statement, bool)>) {
        let mut locations = Vec::new();
        let mut transitions = Vec::new();
        let end = ("-end-", Statement::End, false);
        for (index, (text, statement, atomic)) in lines.into_iter().chain([end]).enumerate() {
            self.numbers += 1;
            let span = self.span(text);
            let is_end = statement == Statement::End;
            let edges = vec![Edge { transition: TransitionId(index as u32), escape: 0 }];
            locations.push(Location { edges, span, is_end, ..Location::default() });
            let target = if is_end { index } else { index + 1 };
            transitions.push(Transition {
                statement,
                target: LocationId(target as u16),
                atomic,
                span,
                text: text.to_owned(),
                is_glue: is_end,
                trail_number: self.numbers,
                dead: Vec::new(),
                unread: Vec::new(),
            });
        }
        let leaf = |(offset, name): (usize, &&str)| Leaf {
            name: (*name).to_owned(),
            offset: offset as u32,
            scalar: Scalar::Byte,
        };
        let proctype = ProctypeId(self.system.proctypes.len() as u16);
        self.system.initial_processes.push(InitialProcess { proctype, priority: 1 });
        self.system.proctypes.push(Proctype {
            name: name.to_owned(),
            span: self.span(name),
            parameters: Vec::new(),
            locals: locals.iter().enumerate().map(leaf).collect(),
            local_bytes: locals.len() as u32,
            setup: Vec::new(),
            start: LocationId(0),
            dead: Vec::new(),
            locations,
            transitions,
            provided: None,
            deterministic: false,
        });
    }
}

/// P counts inside an atomic sequence and sends what it got; Q receives that, twice in vain.
pub(super) fn counting() -> Model {
    let text = "byte x;\nchan c = [2] of { byte };\nactive proctype P() {\n  atomic {\n    x = 1;\n    \
                printf(\"x is %d\\n\", x);\n    x = 2;\n    printf(\"now %d\\n\", x)\n  };\n  c!x\n}\n\
                active proctype Q() {\n  byte y;\n  c?y;\n  assert(y == 3);\n  c?0\n}\n";
    let mut example = Example::new(text);
    let x = example.byte("x");
    let c = example.channel("c", 2);
    let print = |format: &str| Statement::Print(format.to_owned(), vec![load(global(0))]);
    let lines = vec![
        ("x = 1", Statement::Assign(x.clone(), constant(1)), true),
        ("printf(\"x is %d\\n\", x)", print("x is %d\n"), true),
        ("x = 2", Statement::Assign(x.clone(), constant(2)), true),
        ("printf(\"now %d\\n\", x)", print("now %d\n"), false),
        ("c!x", send(c.clone(), load(x)), false),
    ];
    example.process("P", &[], lines);
    let wrong = binary(Binary::Equal, load(local(0)), constant(3));
    let lines = vec![
        ("c?y", receive(c.clone(), local(0)), false),
        ("assert(y == 3)", Statement::Assert(wrong), false),
        ("c?0", receive(c, local(0)), false),
    ];
    example.process("Q", &["y"], lines);
    example.model()
}

/// P hands a message over to Q, after a statement of its own; both end.
pub(super) fn meeting() -> Model {
    let text = "chan m = [0] of { byte };\nactive proctype P() {\n  byte n;\n  n = 7;\n  m!n\n}\n\
                active proctype Q() {\n  byte k;\n  k = 1;\n  m?k\n}\n";
    let mut example = Example::new(text);
    let m = example.channel("m", 0);
    let lines = vec![
        ("n = 7", Statement::Assign(local(0), constant(7)), false),
        ("m!n", send(m.clone(), load(local(0))), false),
    ];
    example.process("P", &["n"], lines);
    let lines = vec![
        ("k = 1", Statement::Assign(local(0), constant(1)), false),
        ("m?k", receive(m, local(0)), false),
    ];
    example.process("Q", &["k"], lines);
    example.model()
}

/// A process that divides by zero.
pub(super) fn dividing() -> Model {
    let mut example = Example::new("byte x;\nactive proctype P() {\n  x = 1 / x\n}\n");
    let x = example.byte("x");
    let span = example.span("1 / x");
    let value = Expr::Binary(Binary::Divide, Box::new(constant(1)), Box::new(load(x.clone())), span);
    example.process("P", &[], vec![("x = 1 / x", Statement::Assign(x, value), false)]);
    example.model()
}
