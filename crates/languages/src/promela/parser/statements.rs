//! Sequences and statements.

use narrows_source::{Diagnostic, Span};

use super::{MAX_DEPTH, Open, Parsed, Parser};
use crate::promela::ast::{
    BinaryOperator, Exclusive, Expr, ExprKind, Ident, Place, Sequence, Statement, StatementKind, Step,
};
use crate::promela::lexer::Kind;

/// Words that `{` may follow.
const BLOCKS: &[Kind] = &[Kind::Atomic, Kind::DStep];

/// Makes the statement `skip`.
pub(super) fn skip(span: Span) -> Statement {
    Statement { kind: StatementKind::Condition(Expr { kind: ExprKind::Number(1), span }), span }
}

impl Parser<'_> {
    /// Parses `{ … }`.
    #[inline(never)]
    pub(super) fn block(&mut self) -> Parsed<Sequence> {
        let start = self.position;
        let open = self.expect(Kind::LeftBrace, "`{`")?;
        let parens = std::mem::take(&mut self.parens);
        self.open.push(Open { kind: Kind::LeftBrace, span: open });
        let steps = self.nested(|parser| Ok(parser.steps("block")));
        self.open.pop();
        self.parens = parens;
        let close = self.close_brace(open);
        Ok(Sequence { steps: steps?, span: self.span_from(start), close })
    }

    /// Parses steps up to the end of what contains them.
    #[inline(never)]
    fn steps(&mut self, container: &str) -> Vec<Step> {
        let mut steps = Vec::new();
        let mut failed = false;
        loop {
            while self.eat(Kind::Semicolon) || self.eat(Kind::Arrow) {}
            if self.is_stray() {
                self.stray();
                failed = true;
                continue;
            }
            if self.at_sequence_end() {
                break;
            }
            let start = self.position;
            self.operators = 0;
            if let Ok(step) = self.step() {
                let inlined = matches!(&step, Step::Statement(statement) if is_inline(statement));
                steps.push(step);
                if !inlined && !self.is_separated() {
                    if self.at(Kind::LeftParen) && self.previous().kind == Kind::Name {
                        self.called_in_expression();
                        continue;
                    }
                    self.missing_separator();
                    // Unlike a statement, an operator or a bracket can't come next.
                    if !self.may_start_statement() {
                        self.synchronise();
                    }
                }
            } else {
                failed = true;
                self.synchronise();
            }
            if self.position == start {
                self.bump();
            }
        }
        if steps.is_empty() {
            if !failed {
                self.empty(container);
            }
            steps.push(Step::Statement(skip(self.span())));
        }
        steps
    }

    fn at_sequence_end(&self) -> bool {
        matches!(self.kind(), Kind::RightBrace | Kind::Fi | Kind::Od | Kind::ColonColon | Kind::End)
            || self.at_unit()
    }

    fn is_separated(&self) -> bool {
        self.at(Kind::Semicolon)
            || self.at(Kind::Arrow)
            || self.at_sequence_end()
            || self.token().newline
            || matches!(
                self.previous().kind,
                Kind::RightBrace | Kind::Else | Kind::Od | Kind::Fi | Kind::EmbeddedC
            )
    }

    fn may_start_statement(&self) -> bool {
        !matches!(
            self.kind(),
            Kind::Query
                | Kind::QueryQuery
                | Kind::Bang
                | Kind::BangBang
                | Kind::RightParen
                | Kind::RightBracket
                | Kind::Comma
                | Kind::Assign
                | Kind::Colon
                | Kind::Dot
                | Kind::DotDot
        )
    }

    /// Returns whether a `fi`, `od` or `::` stands here that nothing around waits for.
    fn is_stray(&self) -> bool {
        let waits = |kind: Kind| self.open.iter().any(|open| open.kind == kind);
        let inner = self.open.last().map(|open| open.kind);
        match self.kind() {
            Kind::Fi => !waits(Kind::If) && inner != Some(Kind::Do),
            Kind::Od => !waits(Kind::Do) && inner != Some(Kind::If),
            Kind::ColonColon => !waits(Kind::If) && !waits(Kind::Do),
            _ => false,
        }
    }

    #[inline(never)]
    pub(super) fn step(&mut self) -> Parsed<Step> {
        if self.at_mtype_names(0) {
            return self.misplaced_mtype();
        }
        if self.at_type() {
            return Ok(Step::Declaration(self.declaration()?));
        }
        if self.at(Kind::Name) && self.ahead(1) == Kind::Name && !self.tokens[self.position + 1].newline {
            return self.two_names();
        }
        if matches!(self.kind(), Kind::Xr | Kind::Xs) {
            return Ok(Step::Exclusive(self.exclusive()?));
        }
        let main = self.statement()?;
        if self.eat(Kind::Unless) {
            let escape = self.statement()?;
            return Ok(Step::Unless(Box::new(main), Box::new(escape)));
        }
        Ok(Step::Statement(main))
    }

    #[inline(never)]
    fn exclusive(&mut self) -> Parsed<Exclusive> {
        let start = self.position;
        let send = self.at(Kind::Xs);
        self.bump();
        let mut channels = vec![self.place()?];
        while self.eat(Kind::Comma) {
            channels.push(self.place()?);
        }
        Ok(Exclusive { send, channels, span: self.span_from(start) })
    }

    pub(super) fn statement(&mut self) -> Parsed<Statement> {
        self.nested(Parser::statement_kind)
    }

    #[inline(never)]
    fn statement_kind(&mut self) -> Parsed<Statement> {
        let start = self.position;
        let kind = match self.kind() {
            Kind::Name => return self.named_statement(),
            Kind::If => StatementKind::If(self.options(Kind::Fi)),
            Kind::Do => StatementKind::Do(self.options(Kind::Od)),
            Kind::For => self.for_loop()?,
            Kind::Select => self.select()?,
            Kind::Break => {
                self.bump();
                StatementKind::Break
            }
            Kind::Else => {
                self.bump();
                StatementKind::Else
            }
            Kind::Goto => {
                self.bump();
                StatementKind::Goto(self.name("a label")?)
            }
            Kind::LeftBrace => StatementKind::Block(self.block()?),
            Kind::Atomic => {
                self.bump();
                StatementKind::Atomic(self.block()?)
            }
            Kind::DStep => {
                self.bump();
                StatementKind::DStep(self.block()?)
            }
            Kind::Assert => {
                self.bump();
                StatementKind::Assert(self.expression()?)
            }
            Kind::Printf => self.printf()?,
            Kind::Printm => {
                self.bump();
                self.expect(Kind::LeftParen, "`(`")?;
                let value = self.enclosed(Parser::expression)?;
                self.expect(Kind::RightParen, "`)`")?;
                StatementKind::PrintMtype(value)
            }
            Kind::SetPriority => {
                self.bump();
                self.expect(Kind::LeftParen, "`(`")?;
                let process = self.enclosed(Parser::expression)?;
                self.expect(Kind::Comma, "`,` and a priority")?;
                let priority = self.enclosed(Parser::expression)?;
                self.expect(Kind::RightParen, "`)`")?;
                StatementKind::SetPriority(process, priority)
            }
            Kind::Return => self.return_value()?,
            _ => StatementKind::Condition(self.expression()?),
        };
        Ok(Statement { kind, span: self.span_from(start) })
    }

    /// Parses a statement that starts with a name.
    #[inline(never)]
    fn named_statement(&mut self) -> Parsed<Statement> {
        let start = self.position;
        let name = Ident { name: self.token().text.clone(), span: self.span() };
        match self.ahead(1) {
            Kind::Colon if self.at_label() => return self.labelled(),
            Kind::LeftParen if self.inlines.contains_key(&name.name) => {
                let kind = self.inline_call(&name, start, None)?;
                return Ok(Statement { kind, span: self.span_from(start) });
            }
            Kind::LeftParen if !self.tokens[self.position + 1].newline => return Err(self.unknown_inline()),
            Kind::LeftBrace if !self.tokens[self.position + 1].newline => {
                if let Some((text, kind)) = Parser::meant(&name.name, BLOCKS) {
                    self.misspelt(text, kind);
                    return self.statement();
                }
            }
            _ => {}
        }
        let first = self.named()?;
        let ExprKind::Place(place) = first.kind else {
            let condition = self.expression_from(first, start)?;
            return Ok(Statement { span: condition.span, kind: StatementKind::Condition(condition) });
        };
        let kind = match self.kind() {
            Kind::Assign => {
                self.bump();
                if self.at(Kind::Name)
                    && self.ahead(1) == Kind::LeftParen
                    && self.inlines.contains_key(&self.token().text)
                {
                    let called = Ident { name: self.token().text.clone(), span: self.span() };
                    self.inline_call(&called, start, Some(place))?
                } else {
                    StatementKind::Assign(place, self.expression()?)
                }
            }
            _ if self.at_compound_assignment() => self.compound_assignment(place)?,
            Kind::PlusPlus => self.step_by_one(place, BinaryOperator::Add),
            Kind::MinusMinus => self.step_by_one(place, BinaryOperator::Subtract),
            Kind::Bang if !self.line_ended() => self.send(place)?,
            Kind::BangBang => self.send(place)?,
            Kind::Query | Kind::QueryQuery => self.receive(place)?,
            _ => {
                let first = Expr { span: place.span, kind: ExprKind::Place(place) };
                StatementKind::Condition(self.expression_from(first, start)?)
            }
        };
        Ok(Statement { kind, span: self.span_from(start) })
    }

    /// Makes an assignment of `place++` or `place--`.
    #[inline(never)]
    fn step_by_one(&mut self, place: Place, operator: BinaryOperator) -> StatementKind {
        let span = self.span();
        self.bump();
        let one = Expr { kind: ExprKind::Number(1), span };
        let old = Expr { span: place.span, kind: ExprKind::Place(place.clone()) };
        let value = Expr {
            span: place.span.to(span),
            kind: ExprKind::Binary(operator, Box::new(old), Box::new(one)),
        };
        StatementKind::Assign(place, value)
    }

    /// Parses labels and the statement they mark. Labels may be many, so this is a loop.
    #[inline(never)]
    fn labelled(&mut self) -> Parsed<Statement> {
        let mut labels: Vec<(Ident, usize)> = Vec::new();
        while self.at_label() {
            let start = self.position;
            let label = self.name("a label")?;
            self.bump();
            if self.at_type() || matches!(self.kind(), Kind::Xr | Kind::Xs) {
                self.label_before_declaration(&label);
                self.step()?;
                return Ok(skip(label.span));
            }
            labels.push((label, start));
            if self.depth + labels.len() > MAX_DEPTH {
                return Err(self.too_deep());
            }
        }
        let mut inner = if self.at_sequence_end() || self.at(Kind::Semicolon) || self.at(Kind::Arrow) {
            skip(self.previous().span)
        } else {
            self.statement()?
        };
        for (label, start) in labels.into_iter().rev() {
            inner =
                Statement { kind: StatementKind::Label(label, Box::new(inner)), span: self.span_from(start) };
        }
        Ok(inner)
    }

    fn at_label(&self) -> bool {
        self.at(Kind::Name)
            && self.ahead(1) == Kind::Colon
            && !self.known_proctypes().contains(&self.token().text)
    }

    #[inline(never)]
    fn printf(&mut self) -> Parsed<StatementKind> {
        self.bump();
        self.expect(Kind::LeftParen, "`(`")?;
        if !self.at(Kind::Text) {
            return Err(self.no_string());
        }
        let text = unescape(&self.token().text);
        self.bump();
        let arguments = if self.eat(Kind::Comma) {
            self.enclosed(|parser| parser.expression_list(Kind::RightParen))?
        } else {
            Vec::new()
        };
        self.expect(Kind::RightParen, "`,` or `)`")?;
        Ok(StatementKind::Print(text, arguments))
    }

    /// Parses the options of an `if` or a `do` and its end; the keyword stands here.
    #[inline(never)]
    fn options(&mut self, end: Kind) -> Vec<Sequence> {
        let open = Open { kind: self.kind(), span: self.span() };
        let (word, other) = if end == Kind::Fi { ("fi", Kind::Od) } else { ("od", Kind::Fi) };
        self.bump();
        self.open.push(open);
        while self.eat(Kind::Semicolon) || self.eat(Kind::Arrow) {}
        if !self.at(Kind::ColonColon) {
            self.unexpected("`::` and an option");
            while !self.at_sequence_end() {
                self.synchronise();
                if !self.at_sequence_end() {
                    self.bump();
                }
            }
        }
        let mut options = Vec::new();
        while self.at(Kind::ColonColon) {
            let start = self.position;
            self.bump();
            let steps = self.nested(|parser| Ok(parser.steps("option"))).unwrap_or_default();
            options.push(Sequence { steps, span: self.span_from(start), close: self.previous().span });
        }
        self.open.pop();
        if self.eat(end) {
            return options;
        }
        let waiting =
            self.open.iter().any(|around| around.kind == if other == Kind::Fi { Kind::If } else { Kind::Do });
        if self.at(other) && !waiting {
            self.wrong_end(open, word);
        } else {
            self.unclosed(open, word);
        }
        options
    }

    /// Parses `for (i : a .. b) { … }` or `for (i in a) { … }`.
    #[inline(never)]
    fn for_loop(&mut self) -> Parsed<StatementKind> {
        self.bump();
        self.expect(Kind::LeftParen, "`(`")?;
        if self.at_type() {
            let diagnostic =
                Diagnostic::error("P0100", self.span(), "a loop's variable is declared before the loop")
                    .label("expected the name of a variable");
            self.report(diagnostic);
            self.bump();
        }
        let variable = self.enclosed(Parser::place)?;
        if self.at_word("in") {
            self.bump();
            let collection = self.enclosed(Parser::place)?;
            self.expect(Kind::RightParen, "`)`")?;
            return Ok(StatementKind::ForIn(variable, collection, self.for_body()?));
        }
        let (low, high) = self.range("`:` or `in`")?;
        Ok(StatementKind::ForRange(variable, low, high, self.for_body()?))
    }

    #[inline(never)]
    fn for_body(&mut self) -> Parsed<Sequence> {
        self.eat(Kind::Semicolon);
        self.block()
    }

    /// Parses `: a .. b )`.
    #[inline(never)]
    fn range(&mut self, expected: &str) -> Parsed<(Expr, Expr)> {
        self.expect(Kind::Colon, expected)?;
        let low = self.enclosed(Parser::expression)?;
        self.expect(Kind::DotDot, "`..`")?;
        let high = self.enclosed(Parser::expression)?;
        self.expect(Kind::RightParen, "`)`")?;
        Ok((low, high))
    }

    #[inline(never)]
    fn select(&mut self) -> Parsed<StatementKind> {
        let literal = self.is_literal_select();
        self.bump();
        self.expect(Kind::LeftParen, "`(`")?;
        let variable = self.enclosed(Parser::place)?;
        let (low, high) = self.range("`:`")?;
        Ok(StatementKind::Select { variable, low, high, literal })
    }

    /// Returns whether SPIN's lexer rewrites this `select`: one name without underscore, digits, and no line
    /// breaks except after `select` and between the dots and the name before them.
    fn is_literal_select(&self) -> bool {
        const SHAPE: [Kind; 6] =
            [Kind::Name, Kind::Colon, Kind::Number, Kind::DotDot, Kind::Number, Kind::RightParen];
        let first = self.position + 2;
        self.calls.is_empty()
            && self.tokens.get(first..first + SHAPE.len()).is_some_and(|tokens| {
                tokens.iter().zip(SHAPE).all(|(token, kind)| token.kind == kind && !token.newline)
                    && tokens[0].text.bytes().all(|byte| byte.is_ascii_alphanumeric())
            })
    }
}

fn is_inline(statement: &Statement) -> bool {
    match &statement.kind {
        StatementKind::Inline(..) => true,
        StatementKind::Label(_, inner) => is_inline(inner),
        _ => false,
    }
}

/// Returns what a string constant, quotes included, stands for.
fn unescape(text: &str) -> String {
    let text = text.strip_prefix('"').unwrap_or(text);
    let text = text.strip_suffix('"').unwrap_or(text);
    let mut result = String::with_capacity(text.len());
    let mut characters = text.chars();
    while let Some(character) = characters.next() {
        if character != '\\' {
            result.push(character);
            continue;
        }
        match characters.next() {
            Some('n') => result.push('\n'),
            Some('t') => result.push('\t'),
            Some('r') => result.push('\r'),
            Some('f') => result.push('\x0C'),
            Some('b') => result.push('\x08'),
            Some('a') => result.push('\x07'),
            Some(other) => result.push(other),
            None => result.push('\\'),
        }
    }
    result
}
