//! Statements: each becomes a shape that the flow graph takes.

use narrows_model::{Binary, Expr, Place, Scalar, Statement};
use narrows_source::{Diagnostic, Span};

use super::Lowering;
use super::processes::Body;
use super::types::Type;
use crate::promela::ast::{self, ExprKind, Sequence, StatementKind, Step};
use crate::promela::flow::{SequenceId, Shape, ShapeKind, Target};
use crate::promela::text;

/// SPIN writes a `select` among at most this many more values than one as a choice.
const SELECT_AS_CHOICE: i64 = 32;

impl Lowering<'_> {
    /// Lowers the steps of a sequence into the open one.
    pub(super) fn steps(&mut self, sequence: &Sequence, body: &mut Body) {
        for step in &sequence.steps {
            match step {
                Step::Declaration(declaration) => self.local_declaration(declaration, body),
                Step::Exclusive(exclusive) => {
                    for channel in &exclusive.channels {
                        self.channel(channel);
                    }
                }
                Step::Statement(statement) => {
                    if let Some(shape) = self.shape(statement, body) {
                        body.graph.add(shape);
                    }
                    body.may_initialise = false;
                }
                Step::Unless(main, escape) => {
                    if let Some(shape) = self.unless(main, escape, body) {
                        body.graph.add(shape);
                    }
                    body.may_initialise = false;
                }
            }
        }
    }

    /// Lowers a sequence in a sequence of its own; a block has variables of its own, an option has not.
    fn nested(&mut self, sequence: &Sequence, body: &mut Body, is_block: bool) -> Option<SequenceId> {
        body.graph.open();
        body.may_initialise = false;
        self.warn_label(sequence, is_block);
        if is_block {
            self.scopes.enter();
        }
        self.steps(sequence, body);
        if is_block {
            self.scopes.leave();
        }
        let closed = body.graph.close();
        if closed.is_none() && !self.diagnostics.has_errors() {
            Diagnostic::error("P0225", sequence.span, "this needs at least one statement")
                .help("write `skip` if nothing is to be done")
                .emit(self.diagnostics);
        }
        closed
    }

    fn shape(&mut self, statement: &ast::Statement, body: &mut Body) -> Option<Shape> {
        let span = statement.span;
        let text = text::statement(&statement.kind);
        let kind = match &statement.kind {
            StatementKind::Label(label, inner) => {
                let target = body.label(&label.name, self.scopes.path());
                let mut shape = self.shape(inner, body)?;
                // A label of the statement inside, or one more before it, may be the same.
                let before = shape.labels.iter().find(|(other, _)| *other == target).map(|other| other.1);
                if let Some(other) = before.or_else(|| body.graph.earlier_label(&target)) {
                    self.label_twice(label, other);
                }
                shape.labels.insert(0, (target, label.span));
                return Some(shape);
            }
            StatementKind::If(options) => ShapeKind::If(self.options(options, body)?),
            StatementKind::Do(options) => {
                let number = self.enter_loop(body);
                let options = self.options(options, body);
                body.loops.pop();
                ShapeKind::Do(options?, number)
            }
            StatementKind::ForRange(variable, low, high, inner) => {
                return self.for_range(variable, low, high, inner, span, body);
            }
            StatementKind::ForIn(variable, container, inner) => {
                return self.for_in(variable, container, inner, span, body);
            }
            StatementKind::Select { variable, low, high, literal } => {
                return self.select(variable, low, high, *literal, span, body);
            }
            StatementKind::Break => match body.loops.last() {
                Some(number) => ShapeKind::Goto(Target::Break(*number)),
                None => {
                    Diagnostic::error("P0214", span, "`break` stands outside of a loop")
                        .help("it leaves the `do` or `for` around it; use `goto` to go elsewhere")
                        .emit(self.diagnostics);
                    return None;
                }
            },
            StatementKind::Goto(label) => ShapeKind::Goto(body.label(&label.name, self.scopes.path())),
            StatementKind::Block(inner) | StatementKind::Inline(_, inner) => {
                ShapeKind::Block(self.nested(inner, body, true)?)
            }
            StatementKind::Atomic(inner) => {
                let sequence = self.nested(inner, body, true)?;
                body.graph.make_atomic(sequence, false);
                ShapeKind::Atomic(sequence)
            }
            StatementKind::DStep(inner) => {
                let sequence = self.nested(inner, body, true)?;
                body.graph.make_atomic(sequence, true);
                self.check_d_step(inner);
                ShapeKind::DStep(sequence)
            }
            StatementKind::Else => ShapeKind::Else,
            basic => ShapeKind::Basic(self.basic(basic, span)),
        };
        Some(Shape::new(kind, span, text))
    }

    fn label_twice(&mut self, label: &ast::Ident, other: Span) {
        // The outer one of two is known later, but stands first.
        let (first, second) = if (other.file, other.start) < (label.span.file, label.span.start) {
            (other, label.span)
        } else {
            (label.span, other)
        };
        Diagnostic::error("P0213", second, format!("label `{}` stands twice", label.name))
            .also(first, "first here")
            .help("give one of them another name")
            .emit(self.diagnostics);
    }

    fn enter_loop(&mut self, body: &mut Body) -> u32 {
        self.next_loop += 1;
        body.loops.push(self.next_loop);
        self.next_loop
    }

    fn options(&mut self, options: &[Sequence], body: &mut Body) -> Option<Vec<SequenceId>> {
        let mut list = Vec::new();
        let mut first_else: Option<Span> = None;
        for option in options {
            if let Some(Step::Statement(ast::Statement { kind: StatementKind::Else, span })) =
                option.steps.first()
                && let Some(earlier) = first_else.replace(*span)
            {
                Diagnostic::error("P0215", *span, "two options start with `else`")
                    .also(earlier, "the other one")
                    .help("join them: `else -> if :: … :: … fi`")
                    .emit(self.diagnostics);
            }
            let sequence = self.nested(option, body, false);
            if let Some(sequence) = sequence {
                body.graph.prune_skips(sequence);
                list.push(sequence);
            }
        }
        if let Some(span) = first_else {
            self.warn_else(options, span);
        }
        (!list.is_empty()).then_some(list)
    }

    /// Warns of a label at the start of a block, which SPIN refuses, and of one at the start of an option
    /// that says something about the place. Other labels there give a statement a name.
    fn warn_label(&mut self, sequence: &Sequence, is_block: bool) {
        let Some(Step::Statement(ast::Statement { kind: StatementKind::Label(label, _), .. })) =
            sequence.steps.first()
        else {
            return;
        };
        let (place, outside, why) = if is_block {
            ("a block", "the block", "SPIN refuses a label here")
        } else if ["end", "progress", "accept"].iter().any(|kind| label.name.starts_with(kind)) {
            ("an option", "`if` or `do`", "a process that waits for its options does not stand here")
        } else {
            return;
        };
        let name = &label.name;
        Diagnostic::warning("P0309", label.span, format!("label `{name}` stands at the start of {place}"))
            .label(why)
            .help(format!("write `{name}:` before {outside}"))
            .emit(self.diagnostics);
    }

    /// Warns of an `else` beside an option that starts with a channel operation, as SPIN does.
    fn warn_else(&mut self, options: &[Sequence], span: Span) {
        let mut first = options.iter().filter_map(|option| option.steps.first());
        let Some(operation) = first.find_map(channel_operation) else { return };
        Diagnostic::warning("P0307", span, "`else` stands beside a channel operation")
            .label("taken when no message can be sent or received at this moment")
            .also(operation, "the operation")
            .note("SPIN calls this dubious, and refuses it where `xr` or `xs` is used")
            .help("test the channel with `len(…)` or a poll, if a moment without message is meant")
            .emit(self.diagnostics);
    }

    fn basic(&mut self, statement: &StatementKind, span: Span) -> Statement {
        match statement {
            StatementKind::Condition(condition) => match &condition.kind {
                ExprKind::Number(1) => Statement::Skip,
                ExprKind::Run { name, arguments, priority } => {
                    match self.run(name, arguments, *priority, condition.span) {
                        Some(run) => Statement::Run(run, None),
                        None => Statement::Skip,
                    }
                }
                _ => match self.expr(condition) {
                    Expr::Constant(1) => Statement::Skip,
                    lowered => Statement::Condition(lowered),
                },
            },
            StatementKind::Assign(target, value) => self.assign(target, value),
            StatementKind::Send { channel, arguments, sorted } => {
                Statement::Send(self.send(channel, arguments, *sorted, span))
            }
            StatementKind::Receive { channel, arguments, random, peek } => {
                Statement::Receive(self.receive(channel, arguments, *random, *peek, span))
            }
            StatementKind::Assert(condition) => Statement::Assert(self.expr(condition)),
            StatementKind::Print(format, arguments) => Statement::Print(
                format.clone(),
                arguments.iter().map(|argument| self.expr(argument)).collect(),
            ),
            StatementKind::PrintMtype(value) => {
                let set = self.mtype_of(value);
                Statement::PrintMtype(self.expr(value), set)
            }
            StatementKind::SetPriority(pid, priority) => {
                self.system.has_priorities = true;
                let (pid, priority) = (self.expr(pid), self.expr(priority));
                Statement::SetPriority(pid, priority)
            }
            _ => Statement::Skip,
        }
    }

    fn assign(&mut self, target: &ast::Place, value: &ast::Expr) -> Statement {
        let name = &target.parts[0].name.name;
        if target.parts.len() == 1 && &**name == "_priority" {
            self.system.has_priorities = true;
            return Statement::SetPriority(Expr::Pid, self.expr(value));
        }
        if target.parts.len() == 1 && &**name == "_" {
            self.expr(value);
            return Statement::Condition(Expr::Constant(1));
        }
        let place = self.assignable(target);
        let (run, lowered) = self.value_with_run(value);
        let Some(place) = place else { return Statement::Skip };
        if let Expr::Constant(constant) = lowered {
            self.warn_truncation(place.scalar, constant, value.span);
        }
        if let (Scalar::Bool | Scalar::Bit, ExprKind::Poll { random: true, .. }) = (place.scalar, &value.kind)
        {
            Diagnostic::warning("P0306", value.span, "the poll gives a position, of which one bit is kept")
                .note("`??[…]` gives the position of the message, from 1; position 2 is stored as 0")
                .help("compare it: `c??[…] > 0`")
                .emit(self.diagnostics);
        }
        match run {
            Some(run) => Statement::Run(run, Some((place, lowered))),
            None => Statement::Assign(place, lowered),
        }
    }

    /// Lowers the right side of an assignment, which may be a `run`.
    fn value_with_run(&mut self, value: &ast::Expr) -> (Option<narrows_model::Run>, Expr) {
        match &value.kind {
            ExprKind::Run { name, arguments, priority } => {
                let run = self.run(name, arguments, *priority, value.span);
                (run, Expr::RunResult)
            }
            _ => (None, self.expr(value)),
        }
    }

    fn check_d_step(&mut self, sequence: &Sequence) {
        let mut runs = Vec::new();
        sequence.each_expression(&mut |expr| {
            if let ExprKind::Run { .. } = expr.kind {
                runs.push(expr.span);
            }
        });
        for span in runs {
            Diagnostic::error("P0218", span, "`run` can't stand in a d_step")
                .help("use atomic instead of d_step")
                .emit(self.diagnostics);
        }
    }

    /// Adds a statement that the text implies but does not spell out.
    fn add_implied(body: &mut Body, statement: Statement, span: Span, text: String) {
        body.graph.add(Shape::new(ShapeKind::Basic(statement), span, text));
    }

    fn step_up(place: &Place, span: Span) -> Statement {
        let value = Expr::Load(Box::new(place.clone()));
        let sum = Expr::Binary(Binary::Add, Box::new(value), Box::new(Expr::Constant(1)), span);
        Statement::Assign(place.clone(), sum)
    }

    fn loop_variable(&mut self, variable: &ast::Place) -> Option<Place> {
        let place = self.assignable(variable)?;
        if place.scalar == Scalar::Channel {
            Diagnostic::error("P0239", variable.span, "a channel can't count")
                .help("use a variable of type `byte`, `short` or `int`")
                .emit(self.diagnostics);
            return None;
        }
        Some(place)
    }

    fn for_range(
        &mut self,
        variable: &ast::Place,
        low: &ast::Expr,
        high: &ast::Expr,
        inner: &Sequence,
        span: Span,
        body: &mut Body,
    ) -> Option<Shape> {
        let number = self.enter_loop(body);
        let place = self.loop_variable(variable);
        let (low_value, high_value) = (self.expr(low), self.expr(high));
        let place = place?;
        let name = text::place(variable);
        let start = Statement::Assign(place.clone(), low_value);
        Self::add_implied(body, start, span, format!("{name} = {}", text::expr(low)));
        let value = Expr::Load(Box::new(place.clone()));
        let condition = Expr::Binary(Binary::LessEqual, Box::new(value), Box::new(high_value), span);
        let guard = (Statement::Condition(condition), format!("({name} <= {})", text::expr(high)));
        self.finish_for(number, &place, &name, vec![guard], inner, span, body)
    }

    /// Builds the loop of a `for`: guard and body and increment, or else leave.
    fn finish_for(
        &mut self,
        number: u32,
        counter: &Place,
        name: &str,
        before: Vec<(Statement, String)>,
        inner: &Sequence,
        span: Span,
        body: &mut Body,
    ) -> Option<Shape> {
        body.graph.open();
        body.may_initialise = false;
        for (statement, text) in before {
            Self::add_implied(body, statement, span, text);
        }
        self.scopes.enter();
        self.steps(inner, body);
        self.scopes.leave();
        Self::add_implied(body, Self::step_up(counter, span), span, format!("{name} = {name} + 1"));
        let main = body.graph.close();
        body.graph.open();
        body.graph.add(Shape::new(ShapeKind::Else, span, "else"));
        body.graph.add(Shape::new(ShapeKind::Goto(Target::Break(number)), span, "break"));
        let leave = body.graph.close();
        body.loops.pop();
        Some(Shape::new(ShapeKind::Do(vec![leave?, main?], number), span, "for"))
    }

    fn for_in(
        &mut self,
        variable: &ast::Place,
        container: &ast::Place,
        inner: &Sequence,
        span: Span,
        body: &mut Body,
    ) -> Option<Shape> {
        if let Some(fields) = self.structure_places(variable) {
            return self.for_in_channel(fields, variable, container, inner, span, body);
        }
        let Some(length) = self.array_length(container) else {
            Diagnostic::error("P0230", container.span, "`for … in` needs an array here")
                .note(
                    "to go through a channel's messages, the variable must be a structure like its messages",
                )
                .emit(self.diagnostics);
            return None;
        };
        let number = self.enter_loop(body);
        let place = self.loop_variable(variable)?;
        let name = text::place(variable);
        let start = Statement::Assign(place.clone(), Expr::Constant(0));
        Self::add_implied(body, start, span, format!("{name} = 0"));
        let value = Expr::Load(Box::new(place.clone()));
        let last = Expr::Constant(length as i32 - 1);
        let condition = Expr::Binary(Binary::LessEqual, Box::new(value), Box::new(last), span);
        let guard = (Statement::Condition(condition), format!("({name} <= {})", length - 1));
        self.finish_for(number, &place, &name, vec![guard], inner, span, body)
    }

    /// Returns the number of elements of the array that a place names as a whole.
    fn array_length(&mut self, place: &ast::Place) -> Option<u32> {
        let (last, outer) = place.parts.split_last()?;
        if last.index.is_some() {
            return None;
        }
        if outer.is_empty() {
            return self.scopes.find(&last.name.name)?.length;
        }
        let outer = ast::Place { parts: outer.to_vec(), span: place.span };
        let Type::Structure(structure) = self.find_place(&outer)?.kind else { return None };
        self.structures[structure].fields.iter().find(|field| field.name.name == last.name.name)?.length
    }

    /// Goes through a channel's messages by taking each one out and putting it back.
    fn for_in_channel(
        &mut self,
        fields: Vec<Place>,
        variable: &ast::Place,
        container: &ast::Place,
        inner: &Sequence,
        span: Span,
        body: &mut Body,
    ) -> Option<Shape> {
        use narrows_model::{Area, Leaf, Pattern, Query, Receive, Send};
        let number = self.enter_loop(body);
        let (channel, _) = self.channel(container);
        let scalar = Scalar::Byte;
        let offset = self.scopes.local_bytes;
        self.scopes.local_bytes += scalar.bytes();
        let name = format!("for.{}", text::place(variable));
        body.locals.push(Leaf { name: name.clone(), offset, scalar });
        let counter = Place { area: Area::Local, offset, indices: Vec::new(), scalar, span };
        let start = Statement::Assign(counter.clone(), Expr::Constant(0));
        Self::add_implied(body, start, span, format!("{name} = 0"));
        let length = Expr::Channel(Query::Length, Box::new(channel.clone()), span);
        let value = Expr::Load(Box::new(counter.clone()));
        let condition = Expr::Binary(Binary::Less, Box::new(value), Box::new(length), span);
        let receive = Receive {
            channel: channel.clone(),
            patterns: fields.iter().cloned().map(Pattern::Store).collect(),
            random: false,
            peek: false,
            span,
        };
        let arguments = fields.into_iter().map(|place| Expr::Load(Box::new(place))).collect();
        let send = Send { channel, arguments, sorted: false, span };
        let (channel_text, variable_text) = (text::place(container), text::place(variable));
        let before = vec![
            (Statement::Condition(condition), format!("({name} < len({channel_text}))")),
            (Statement::Receive(receive), format!("{channel_text}?{variable_text}")),
            (Statement::Send(send), format!("{channel_text}!{variable_text}")),
        ];
        self.finish_for(number, &counter, &name, before, inner, span, body)
    }

    fn select(
        &mut self,
        variable: &ast::Place,
        low: &ast::Expr,
        high: &ast::Expr,
        literal: bool,
        span: Span,
        body: &mut Body,
    ) -> Option<Shape> {
        let place = self.loop_variable(variable);
        let (low_value, high_value) = (self.expr(low), self.expr(high));
        let place = place?;
        let name = text::place(variable);
        if let (Some(first), Some(last)) = (low_value.constant(), high_value.constant()) {
            if first > last {
                Diagnostic::error("P0238", span, format!("the range from {first} to {last} is empty"))
                    .label("nothing can be selected")
                    .help("the lower bound comes first")
                    .emit(self.diagnostics);
                return None;
            }
            if literal && i64::from(last) - i64::from(first) <= SELECT_AS_CHOICE {
                let mut options = Vec::new();
                for value in first..=last {
                    body.graph.open();
                    let statement = Statement::Assign(place.clone(), Expr::Constant(value));
                    Self::add_implied(body, statement, span, format!("{name} = {value}"));
                    options.extend(body.graph.close());
                }
                return Some(Shape::new(ShapeKind::If(options), span, "select"));
            }
        }
        let start = Statement::Assign(place.clone(), low_value);
        Self::add_implied(body, start, span, format!("{name} = {}", text::expr(low)));
        let number = self.enter_loop(body);
        body.graph.open();
        let value = Expr::Load(Box::new(place.clone()));
        let condition = Expr::Binary(Binary::Less, Box::new(value), Box::new(high_value), span);
        Self::add_implied(
            body,
            Statement::Condition(condition),
            span,
            format!("({name} < {})", text::expr(high)),
        );
        Self::add_implied(body, Self::step_up(&place, span), span, format!("{name} = {name} + 1"));
        let more = body.graph.close();
        body.graph.open();
        body.graph.add(Shape::new(ShapeKind::Goto(Target::Break(number)), span, "break"));
        let leave = body.graph.close();
        body.loops.pop();
        let options = if literal { vec![more?, leave?] } else { vec![leave?, more?] };
        Some(Shape::new(ShapeKind::Do(options, number), span, "select"))
    }

    fn unless(&mut self, main: &ast::Statement, escape: &ast::Statement, body: &mut Body) -> Option<Shape> {
        let span = main.span;
        let main = self.shape(main, body);
        let escape = self.shape(escape, body);
        let (main, escape) = (main?, escape?);
        if let Some((_, label)) = escape.labels.first() {
            Diagnostic::error("P0232", *label, "the start of an escape can't have a label")
                .help("put the label on a later statement of the escape")
                .emit(self.diagnostics);
            return None;
        }
        let escape = match escape.kind {
            ShapeKind::Block(sequence) => sequence,
            _ => wrapped(escape, body)?,
        };
        let (kind, labels): (fn(SequenceId) -> ShapeKind, _) = match main.kind {
            ShapeKind::Block(sequence) if main.labels.is_empty() => {
                return Some(Shape::new(ShapeKind::Unless(sequence, escape), span, "unless"));
            }
            ShapeKind::Block(_) => (ShapeKind::Block, main.labels.clone()),
            ShapeKind::Atomic(_) if !main.labels.is_empty() => (ShapeKind::Atomic, main.labels.clone()),
            ShapeKind::DStep(_) if !main.labels.is_empty() => (ShapeKind::DStep, main.labels.clone()),
            _ => {
                let sequence = wrapped(main, body)?;
                return Some(Shape::new(ShapeKind::Unless(sequence, escape), span, "unless"));
            }
        };
        // A labelled block: the label goes to a block around the whole.
        let (ShapeKind::Block(sequence) | ShapeKind::Atomic(sequence) | ShapeKind::DStep(sequence)) =
            main.kind
        else {
            return None;
        };
        let whole = wrapped(Shape::new(ShapeKind::Unless(sequence, escape), span, "unless"), body)?;
        let mut shape = Shape::new(kind(whole), span, main.text);
        shape.labels = labels;
        Some(shape)
    }
}

/// Returns the channel operation with which a step starts: a send, a receive, or a test that can't be
/// negated.
fn channel_operation(step: &Step) -> Option<Span> {
    let Step::Statement(statement) = step else { return None };
    let mut statement = statement;
    while let StatementKind::Label(_, inner) = &statement.kind {
        statement = inner;
    }
    match &statement.kind {
        StatementKind::Send { .. } | StatementKind::Receive { .. } => Some(statement.span),
        StatementKind::Condition(condition) => {
            let mut found = None;
            condition.each(&mut |part| {
                if let ExprKind::Channel(query, _) = &part.kind
                    && *query != ast::ChannelQuery::Length
                {
                    found = found.or(Some(part.span));
                }
            });
            found
        }
        _ => None,
    }
}

/// Puts a statement into a sequence of its own.
fn wrapped(shape: Shape, body: &mut Body) -> Option<SequenceId> {
    body.graph.open();
    body.graph.add(shape);
    body.graph.close()
}
