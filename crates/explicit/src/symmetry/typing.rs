//! Finds out which values number instances, as Ip and Dill's *scalarsets* do by declaration (*Better
//! verification through symmetry*, 1996).
//!
//! A walk over all statements unites what values flow between, and writes down each statement as a list of
//! tokens in which constants stand apart: so that later `fetched[0]!x` and `fetched[1]!x` are seen to be
//! alike but for one number.

use narrows_model::{
    Area, Binary, DStep, Expr, Guard, Node as Code, Pattern, Place, ProctypeId, Receive, Scalar, Send,
    Statement, System, Unary,
};

use super::unify::{Node, Nodes};
use super::variables::{Home, Variables};

/// A piece of a statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Token {
    /// Anything that means itself.
    Word(u64),
    /// A constant, by its number among all.
    Constant(usize),
}

/// A constant in the text.
#[derive(Clone, Copy, Debug)]
pub(super) struct Constant {
    pub(super) value: i64,
    /// What it is an index of, or compared with.
    pub(super) node: Option<Node>,
}

/// What a value is known to be.
#[derive(Clone, Copy, Debug)]
enum Typed {
    Constant(usize),
    /// That of a node and so much more, within bounds.
    Node {
        node: Node,
        more: i64,
        low: i64,
        high: i64,
    },
    /// The result of arithmetic, of a comparison.
    Plain,
}

/// Something to be looked at when all channels are known.
#[derive(Clone, Copy, Debug)]
pub(super) enum Transfer {
    /// Values within bounds are sent as a field.
    Sent { channel: Node, field: usize, low: i64, high: i64 },
    /// A field is stored.
    Stored { channel: Node, field: usize, scalar: Scalar },
}

/// The walk.
pub(super) struct Typing<'s> {
    pub(super) system: &'s System,
    pub(super) nodes: Nodes,
    pub(super) variables: Variables,
    /// What the numbers of processes of each kind are.
    pub(super) pids: Vec<Node>,
    /// The number of the only process of a kind.
    pub(super) single: Vec<Option<usize>>,
    /// The least and the greatest number of a process of each kind.
    pub(super) pid_ranges: Vec<(i64, i64)>,
    pub(super) constants: Vec<Constant>,
    pub(super) transfers: Vec<Transfer>,
    /// What is added to or taken from.
    pub(super) shifted: Vec<Node>,
    /// Why nothing can be said.
    pub(super) refused: Option<&'static str>,
    tokens: Vec<Token>,
    /// The kind of the process that runs; outside of processes, there is none.
    home: Option<usize>,
}

/// Returns the least and the greatest value that a variable may have.
pub(super) fn range(scalar: Scalar) -> (i64, i64) {
    match scalar {
        Scalar::Bit | Scalar::Bool => (0, 1),
        Scalar::Byte | Scalar::Pid | Scalar::Mtype(_) | Scalar::Channel => (0, 255),
        Scalar::Short => (i64::from(i16::MIN), i64::from(i16::MAX)),
        Scalar::Int => (i64::from(i32::MIN), i64::from(i32::MAX)),
        Scalar::Unsigned(bits) => (0, (1 << bits) - 1),
    }
}

impl<'s> Typing<'s> {
    pub(super) fn new(system: &'s System) -> Option<Typing<'s>> {
        let mut nodes = Nodes::default();
        let pids = system.proctypes.iter().map(|_| nodes.add()).collect();
        let variables = Variables::new(system, &mut nodes)?;
        Some(Typing {
            system,
            nodes,
            variables,
            pids,
            single: vec![None; system.proctypes.len()],
            pid_ranges: vec![(0, 255); system.proctypes.len()],
            constants: Vec::new(),
            transfers: Vec::new(),
            shifted: Vec::new(),
            refused: None,
            tokens: Vec::new(),
            home: None,
        })
    }

    /// Looks at a statement of a kind of process; returns it as tokens.
    pub(super) fn statement_of(&mut self, proctype: usize, statement: &Statement) -> Vec<Token> {
        self.home = Some(proctype);
        self.statement(statement);
        std::mem::take(&mut self.tokens)
    }

    /// Looks at a condition, of a kind of process or of none.
    pub(super) fn condition_of(&mut self, proctype: Option<usize>, condition: &Expr) -> Vec<Token> {
        self.home = proctype;
        self.truth(condition);
        std::mem::take(&mut self.tokens)
    }

    /// Looks at a value that somebody outside asks for.
    pub(super) fn value_of(&mut self, value: &Expr) -> Vec<Token> {
        self.home = None;
        let typed = self.expr(value);
        self.plain(typed);
        std::mem::take(&mut self.tokens)
    }

    fn word(&mut self, word: u64) {
        self.tokens.push(Token::Word(word));
    }

    fn refuse(&mut self, why: &'static str) {
        self.refused.get_or_insert(why);
    }

    fn constant(&mut self, value: i64) -> usize {
        self.constants.push(Constant { value, node: None });
        self.tokens.push(Token::Constant(self.constants.len() - 1));
        self.constants.len() - 1
    }

    /// Says that a value is only used as itself.
    fn plain(&mut self, typed: Typed) {
        if let Typed::Node { node, .. } = typed {
            self.nodes.class_mut(node).is_rigid = true;
        }
    }

    /// Says that a value is one of a node's.
    fn relate(&mut self, node: Node, typed: Typed) {
        match typed {
            Typed::Constant(number) => self.constants[number].node = Some(node),
            Typed::Node { node: other, more, .. } => self.nodes.unite(node, other, more),
            Typed::Plain => self.nodes.class_mut(node).is_rigid = true,
        }
    }

    /// Says that a value is stored.
    fn store(&mut self, node: Node, scalar: Scalar, typed: Typed) {
        if let Typed::Constant(number) = typed {
            let value = self.constants[number].value;
            self.constants[number].value = i64::from(scalar.truncate(value as i32));
        }
        self.relate(node, typed);
        let (least, most) = range(scalar);
        if let Typed::Node { low, high, .. } = typed
            && (low < least || high > most)
        {
            // What is cut off could make an instance's number of something else.
            self.nodes.class_mut(node).is_rigid = true;
        }
    }

    fn truth(&mut self, expr: &Expr) {
        let typed = self.expr(expr);
        self.truth_of(typed);
    }

    /// Says that a value is compared with 0.
    fn truth_of(&mut self, typed: Typed) {
        if let Typed::Node { .. } = typed {
            self.word(1);
            let zero = self.constant(0);
            self.compare(typed, Typed::Constant(zero));
        }
    }

    fn compare(&mut self, left: Typed, right: Typed) {
        match (left, right) {
            (Typed::Node { node, more, .. }, Typed::Constant(number))
            | (Typed::Constant(number), Typed::Node { node, more, .. }) => {
                self.constants[number].node = Some(node);
                self.constants[number].value -= more;
            }
            (Typed::Node { node, more, .. }, Typed::Node { node: other, more: others, .. }) => {
                self.nodes.unite(node, other, others - more);
            }
            (one, Typed::Plain) | (Typed::Plain, one) => self.plain(one),
            (Typed::Constant(_), Typed::Constant(_)) => {}
        }
    }

    /// Looks at a place: returns what is there.
    fn place(&mut self, home: Option<usize>, place: &Place) -> Option<(Node, Scalar)> {
        let home = match (place.area, home) {
            (Area::Global, _) => Home::Global,
            (Area::Local, Some(proctype)) => Home::Local(proctype),
            (Area::Local | Area::Hidden, _) => {
                self.refuse("a hidden variable is used");
                return None;
            }
        };
        let Some((number, constants, dimensions)) = self.variables.find(home, place, &mut self.nodes) else {
            self.refuse("an array is not used as arrays are");
            return None;
        };
        self.word(2);
        self.word(number as u64);
        let (variable, mut own) = (self.variables.list[number].clone(), dimensions.into_iter());
        for (dimension, constant) in variable.dimensions.iter().zip(&constants) {
            if let Some(constant) = constant {
                let number = self.constant(i64::from(*constant));
                self.constants[number].node = Some(dimension.node);
            }
        }
        for index in &place.indices {
            let typed = self.expr(&index.value);
            if let Some(dimension) = own.next() {
                self.word(dimension as u64);
                self.relate(variable.dimensions[dimension].node, typed);
            }
        }
        Some((variable.content, variable.scalar))
    }

    fn load(&mut self, home: Option<usize>, place: &Place) -> Typed {
        match self.place(home, place) {
            Some((node, scalar)) => {
                let (low, high) = range(scalar);
                Typed::Node { node, more: 0, low, high }
            }
            None => Typed::Plain,
        }
    }

    /// Looks at the number of a process of a kind, if one is given.
    fn process(&mut self, proctype: ProctypeId, pid: Option<&Expr>) {
        self.word(u64::from(proctype.0));
        let typed = match pid {
            Some(pid) => self.expr(pid),
            // The first of its kind.
            None => match self.single[usize::from(proctype.0)] {
                Some(_) => return,
                None => Typed::Plain,
            },
        };
        match self.single[usize::from(proctype.0)] {
            Some(_) => self.plain(typed),
            None => self.relate(self.pids[usize::from(proctype.0)], typed),
        }
    }

    fn shift(&mut self, typed: Typed, more: i64) -> Typed {
        match typed {
            Typed::Node { node, more: before, low, high } => {
                self.shifted.push(node);
                Typed::Node { node, more: before + more, low: low + more, high: high + more }
            }
            other => other,
        }
    }

    fn binary(&mut self, operator: Binary, left: &Expr, right: &Expr) -> Typed {
        self.word(operator as u64);
        match (operator, left.constant(), right.constant()) {
            (Binary::And | Binary::Or, ..) => {
                self.truth(left);
                self.truth(right);
                Typed::Plain
            }
            (Binary::Equal | Binary::NotEqual, ..) => {
                let (left, right) = (self.expr(left), self.expr(right));
                self.compare(left, right);
                Typed::Plain
            }
            (Binary::Add, None, Some(more)) => {
                self.word(more as u64);
                let typed = self.expr(left);
                self.shift(typed, i64::from(more))
            }
            (Binary::Add, Some(more), None) => {
                self.word(more as u64);
                let typed = self.expr(right);
                self.shift(typed, i64::from(more))
            }
            (Binary::Subtract, None, Some(less)) => {
                self.word(less as u64);
                let typed = self.expr(left);
                self.shift(typed, -i64::from(less))
            }
            _ => {
                for part in [left, right] {
                    let typed = self.expr(part);
                    self.plain(typed);
                }
                Typed::Plain
            }
        }
    }

    fn expr(&mut self, expr: &Expr) -> Typed {
        self.word(100 + discriminant(expr));
        match expr {
            Expr::Constant(value) => Typed::Constant(self.constant(i64::from(*value))),
            Expr::Load(place) => self.load(self.home, place),
            Expr::Unary(operator, value) => {
                self.word(*operator as u64);
                let typed = self.expr(value);
                if *operator == Unary::Not {
                    self.truth_of(typed);
                } else {
                    self.plain(typed);
                }
                Typed::Plain
            }
            Expr::Binary(operator, left, right, _) => self.binary(*operator, left, right),
            Expr::Conditional(condition, yes, no) => {
                self.truth(condition);
                let either = self.nodes.add();
                let (mut low, mut high) = (i64::MAX, i64::MIN);
                for part in [yes, no] {
                    let typed = self.expr(part);
                    let (least, most) = match typed {
                        Typed::Constant(number) => [self.constants[number].value; 2].into(),
                        Typed::Node { low, high, .. } => (low, high),
                        Typed::Plain => range(Scalar::Int),
                    };
                    (low, high) = (low.min(least), high.max(most));
                    self.relate(either, typed);
                }
                Typed::Node { node: either, more: 0, low, high }
            }
            Expr::Pid => match self.home.map(|home| (home, self.single[home])) {
                Some((_, Some(only))) => Typed::Constant(self.constant(only as i64)),
                Some((home, None)) => {
                    let (low, high) = self.pid_ranges[home];
                    Typed::Node { node: self.pids[home], more: 0, low, high }
                }
                None => Typed::Plain,
            },
            Expr::ProcessCount | Expr::Timeout | Expr::NonProgress | Expr::RunResult | Expr::Priority => {
                Typed::Plain
            }
            Expr::Last => {
                self.refuse("the model asks which process moved last");
                Typed::Plain
            }
            Expr::Channel(query, channel, _) => {
                self.word(*query as u64);
                self.channel(channel, 0);
                Typed::Plain
            }
            Expr::Poll(receive) => {
                self.receive(receive);
                Typed::Plain
            }
            Expr::Enabled(pid, _) | Expr::LocationOf(pid) | Expr::PriorityOf(pid) => {
                let typed = self.expr(pid);
                match typed {
                    // Whichever process it is.
                    Typed::Constant(number) => {
                        let value = self.constants[number].value;
                        let of = self.single.iter().position(|only| *only == Some(value as usize));
                        if of.is_none() {
                            self.refuse("the model asks about a process by its number");
                        }
                    }
                    other => self.plain(other),
                }
                Typed::Plain
            }
            Expr::AtLocation { proctype, pid, location } => {
                self.word(u64::from(*location));
                self.process(*proctype, pid.as_deref());
                Typed::Plain
            }
            Expr::Remote { proctype, pid, place } => {
                self.process(*proctype, pid.as_deref());
                let home = Some(usize::from(proctype.0));
                // Its indices are read here.
                self.load(home, place)
            }
        }
    }

    /// Looks at a channel and the fields of its messages; returns their nodes.
    fn channel(&mut self, channel: &Expr, fields: usize) -> Option<(Node, Vec<Node>)> {
        match self.expr(channel) {
            Typed::Node { node, more: 0, .. } => {
                let fields = self.nodes.fields(node, fields);
                Some((node, fields))
            }
            _ => {
                self.refuse("a channel is computed");
                None
            }
        }
    }

    fn send(&mut self, send: &Send) {
        self.word(send.arguments.len() as u64 * 2 + u64::from(send.sorted));
        let channel = self.channel(&send.channel, send.arguments.len());
        for (place, argument) in send.arguments.iter().enumerate() {
            let typed = self.expr(argument);
            let Some((channel, fields)) = &channel else { continue };
            self.relate(fields[place], typed);
            let (low, high) = match typed {
                Typed::Constant(number) => [self.constants[number].value; 2].into(),
                Typed::Node { low, high, .. } => (low, high),
                Typed::Plain => continue,
            };
            self.transfers.push(Transfer::Sent { channel: *channel, field: place, low, high });
        }
        if let Some((channel, _)) = channel {
            self.nodes.class_mut(channel).is_sorted |= send.sorted;
        }
    }

    fn receive(&mut self, receive: &Receive) {
        let patterns = receive.patterns.len() as u64;
        self.word(patterns * 4 + u64::from(receive.random) * 2 + u64::from(receive.peek));
        let channel = self.channel(&receive.channel, receive.patterns.len());
        for (place, pattern) in receive.patterns.iter().enumerate() {
            match pattern {
                Pattern::Discard => self.word(3),
                Pattern::Store(to) => {
                    self.word(4);
                    let stored = self.place(self.home, to);
                    if let (Some((node, scalar)), Some((channel, fields))) = (stored, &channel) {
                        self.nodes.unite(node, fields[place], 0);
                        self.transfers.push(Transfer::Stored { channel: *channel, field: place, scalar });
                    }
                }
                Pattern::Match(value) => {
                    self.word(5);
                    let typed = self.expr(value);
                    if let Some((_, fields)) = &channel {
                        let (low, high) = (0, 0);
                        self.compare(Typed::Node { node: fields[place], more: 0, low, high }, typed);
                    }
                }
            }
        }
    }

    fn statement(&mut self, statement: &Statement) {
        self.word(200);
        match statement {
            Statement::Skip => self.word(6),
            Statement::Else => self.word(7),
            Statement::End => self.word(8),
            Statement::Condition(value) | Statement::Assert(value) => {
                self.word(9 + u64::from(matches!(statement, Statement::Assert(_))));
                self.truth(value);
            }
            Statement::Assign(place, value) => {
                self.word(11);
                let stored = self.place(self.home, place);
                let typed = self.expr(value);
                match stored {
                    Some((node, scalar)) => self.store(node, scalar, typed),
                    None => self.plain(typed),
                }
            }
            Statement::Run(..) => self.refuse("processes are created on the way"),
            Statement::SetPriority(..) => self.refuse("priorities are changed"),
            Statement::Send(send) => {
                self.word(12);
                self.send(send);
            }
            Statement::Receive(receive) => {
                self.word(13);
                self.receive(receive);
            }
            // What is printed makes no difference.
            Statement::Print(_, values) => values.iter().for_each(|value| {
                self.expr(value);
            }),
            Statement::PrintMtype(value, _) => {
                self.expr(value);
            }
            Statement::DStep(step) => self.d_step(step),
        }
    }

    fn d_step(&mut self, step: &DStep) {
        self.word(14);
        for count in [u64::from(step.start.0), step.guards.len() as u64, step.nodes.len() as u64] {
            self.word(count);
        }
        for guard in &step.guards {
            match guard {
                Guard::Else => self.word(15),
                Guard::Always => self.word(16),
                Guard::Condition(value) => {
                    self.word(17);
                    self.truth(value);
                }
                Guard::Send(send) => {
                    self.word(18);
                    self.send(send);
                }
                Guard::Receive(receive) => {
                    self.word(19);
                    self.receive(receive);
                }
            }
        }
        for code in &step.nodes {
            match code {
                Code::Execute(statement, next, _) => {
                    self.word(u64::from(next.0));
                    self.statement(statement);
                }
                Code::Choose(options, _) => {
                    self.word(20 + options.len() as u64);
                    for option in options {
                        self.word(u64::from(option.0));
                    }
                }
                Code::Jump(next) => {
                    self.word(21);
                    self.word(u64::from(next.0));
                }
                Code::Leave => self.word(22),
            }
        }
    }
}

/// Returns a number for each kind of expression.
fn discriminant(expr: &Expr) -> u64 {
    match expr {
        Expr::Constant(_) => 0,
        Expr::Load(_) => 1,
        Expr::Unary(..) => 2,
        Expr::Binary(..) => 3,
        Expr::Conditional(..) => 4,
        Expr::Pid => 5,
        Expr::ProcessCount => 6,
        Expr::Last => 7,
        Expr::Timeout => 8,
        Expr::NonProgress => 9,
        Expr::RunResult => 10,
        Expr::Channel(..) => 11,
        Expr::Poll(_) => 12,
        Expr::Enabled(..) => 13,
        Expr::LocationOf(_) => 14,
        Expr::PriorityOf(_) => 15,
        Expr::Priority => 16,
        Expr::AtLocation { .. } => 17,
        Expr::Remote { .. } => 18,
    }
}
