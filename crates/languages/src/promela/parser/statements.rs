//! Sequences and statements.

use narrows_source::{Diagnostic, Span};

use super::{MAX_DEPTH, Open, Parsed, Parser};
use crate::promela::ast::{
    BinaryOperator, Exclusive, Expr, ExprKind, Ident, Place, Sequence, Statement, StatementKind, Step,
};
use crate::promela::lexer::TokenKind;

/// Words that `{` may follow.
const BLOCKS: &[TokenKind] = &[TokenKind::Atomic, TokenKind::DStep];

/// Makes the statement `skip`.
pub(super) fn skip(span: Span) -> Statement {
    Statement { kind: StatementKind::Condition(Expr { kind: ExprKind::Number(1), span }), span }
}

impl Parser<'_> {
    /// Parses `{ … }`.
    #[inline(never)]
    pub(super) fn block(&mut self) -> Parsed<Sequence> {
        let start = self.position;
        let open = self.expect(TokenKind::LeftBrace, "`{`")?;
        let parens = std::mem::take(&mut self.parens);
        self.open.push(Open { kind: TokenKind::LeftBrace, span: open });
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
            while self.eat(TokenKind::Semicolon) || self.eat(TokenKind::Arrow) {}
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
                    if self.at(TokenKind::LeftParen) && self.previous().kind == TokenKind::Name {
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
        matches!(
            self.kind(),
            TokenKind::RightBrace | TokenKind::Fi | TokenKind::Od | TokenKind::ColonColon | TokenKind::End
        ) || self.at_unit()
    }

    fn is_separated(&self) -> bool {
        self.at(TokenKind::Semicolon)
            || self.at(TokenKind::Arrow)
            || self.at_sequence_end()
            || self.token().newline
            || matches!(
                self.previous().kind,
                TokenKind::RightBrace
                    | TokenKind::Else
                    | TokenKind::Od
                    | TokenKind::Fi
                    | TokenKind::EmbeddedC
            )
    }

    fn may_start_statement(&self) -> bool {
        !matches!(
            self.kind(),
            TokenKind::Query
                | TokenKind::QueryQuery
                | TokenKind::Bang
                | TokenKind::BangBang
                | TokenKind::RightParen
                | TokenKind::RightBracket
                | TokenKind::Comma
                | TokenKind::Assign
                | TokenKind::Colon
                | TokenKind::Dot
                | TokenKind::DotDot
        )
    }

    /// Returns whether a `fi`, `od` or `::` stands here that nothing around waits for.
    fn is_stray(&self) -> bool {
        let waits = |kind: TokenKind| self.open.iter().any(|open| open.kind == kind);
        let inner = self.open.last().map(|open| open.kind);
        match self.kind() {
            TokenKind::Fi => !waits(TokenKind::If) && inner != Some(TokenKind::Do),
            TokenKind::Od => !waits(TokenKind::Do) && inner != Some(TokenKind::If),
            TokenKind::ColonColon => !waits(TokenKind::If) && !waits(TokenKind::Do),
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
        if self.at(TokenKind::Name)
            && self.ahead(1) == TokenKind::Name
            && !self.tokens[self.position + 1].newline
        {
            return self.two_names();
        }
        if matches!(self.kind(), TokenKind::Xr | TokenKind::Xs) {
            return Ok(Step::Exclusive(self.exclusive()?));
        }
        let main = self.statement()?;
        if self.eat(TokenKind::Unless) {
            let escape = self.statement()?;
            return Ok(Step::Unless(Box::new(main), Box::new(escape)));
        }
        Ok(Step::Statement(main))
    }

    #[inline(never)]
    fn exclusive(&mut self) -> Parsed<Exclusive> {
        let start = self.position;
        let send = self.at(TokenKind::Xs);
        self.bump();
        let mut channels = vec![self.place()?];
        while self.eat(TokenKind::Comma) {
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
            TokenKind::Name => return self.named_statement(),
            TokenKind::If => StatementKind::If(self.options(TokenKind::Fi)),
            TokenKind::Do => StatementKind::Do(self.options(TokenKind::Od)),
            TokenKind::For => self.for_loop()?,
            TokenKind::Select => self.select()?,
            TokenKind::Break => {
                self.bump();
                StatementKind::Break
            }
            TokenKind::Else => {
                self.bump();
                StatementKind::Else
            }
            TokenKind::Goto => {
                self.bump();
                StatementKind::Goto(self.name("a label")?)
            }
            TokenKind::LeftBrace => StatementKind::Block(self.block()?),
            TokenKind::Atomic => {
                self.bump();
                StatementKind::Atomic(self.block()?)
            }
            TokenKind::DStep => {
                self.bump();
                StatementKind::DStep(self.block()?)
            }
            TokenKind::Assert => {
                self.bump();
                StatementKind::Assert(self.expression()?)
            }
            TokenKind::Printf => self.printf()?,
            TokenKind::Printm => {
                self.bump();
                self.expect(TokenKind::LeftParen, "`(`")?;
                let value = self.enclosed(Parser::expression)?;
                self.expect(TokenKind::RightParen, "`)`")?;
                StatementKind::PrintMtype(value)
            }
            TokenKind::SetPriority => {
                self.bump();
                self.expect(TokenKind::LeftParen, "`(`")?;
                let process = self.enclosed(Parser::expression)?;
                self.expect(TokenKind::Comma, "`,` and a priority")?;
                let priority = self.enclosed(Parser::expression)?;
                self.expect(TokenKind::RightParen, "`)`")?;
                StatementKind::SetPriority(process, priority)
            }
            TokenKind::Return => self.return_value()?,
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
            TokenKind::Colon if self.at_label() => return self.labelled(),
            TokenKind::LeftParen if self.inlines.contains_key(&name.name) => {
                let kind = self.inline_call(&name, start, None)?;
                return Ok(Statement { kind, span: self.span_from(start) });
            }
            TokenKind::LeftParen if !self.tokens[self.position + 1].newline => {
                return Err(self.unknown_inline());
            }
            TokenKind::LeftBrace if !self.tokens[self.position + 1].newline => {
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
            TokenKind::Assign => {
                self.bump();
                if self.at(TokenKind::Name)
                    && self.ahead(1) == TokenKind::LeftParen
                    && self.inlines.contains_key(&self.token().text)
                {
                    let called = Ident { name: self.token().text.clone(), span: self.span() };
                    self.inline_call(&called, start, Some(place))?
                } else {
                    StatementKind::Assign(place, self.expression()?)
                }
            }
            _ if self.at_compound_assignment() => self.compound_assignment(place)?,
            TokenKind::PlusPlus => self.step_by_one(place, BinaryOperator::Add),
            TokenKind::MinusMinus => self.step_by_one(place, BinaryOperator::Subtract),
            TokenKind::Bang if !self.line_ended() => self.send(place)?,
            TokenKind::BangBang => self.send(place)?,
            TokenKind::Query | TokenKind::QueryQuery => self.receive(place)?,
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
            if self.at_type() || matches!(self.kind(), TokenKind::Xr | TokenKind::Xs) {
                self.label_before_declaration(&label);
                self.step()?;
                return Ok(skip(label.span));
            }
            labels.push((label, start));
            if self.depth + labels.len() > MAX_DEPTH {
                return Err(self.too_deep());
            }
        }
        let mut inner =
            if self.at_sequence_end() || self.at(TokenKind::Semicolon) || self.at(TokenKind::Arrow) {
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
        self.at(TokenKind::Name)
            && self.ahead(1) == TokenKind::Colon
            && !self.known_proctypes().contains(&self.token().text)
    }

    #[inline(never)]
    fn printf(&mut self) -> Parsed<StatementKind> {
        self.bump();
        self.expect(TokenKind::LeftParen, "`(`")?;
        if !self.at(TokenKind::Text) {
            return Err(self.no_string());
        }
        let text = unescape(&self.token().text);
        self.bump();
        let arguments = if self.eat(TokenKind::Comma) {
            self.enclosed(|parser| parser.expression_list(TokenKind::RightParen))?
        } else {
            Vec::new()
        };
        self.expect(TokenKind::RightParen, "`,` or `)`")?;
        Ok(StatementKind::Print(text, arguments))
    }

    /// Parses the options of an `if` or a `do` and its end; the keyword stands here.
    #[inline(never)]
    fn options(&mut self, end: TokenKind) -> Vec<Sequence> {
        let open = Open { kind: self.kind(), span: self.span() };
        let (word, other) = if end == TokenKind::Fi { ("fi", TokenKind::Od) } else { ("od", TokenKind::Fi) };
        self.bump();
        self.open.push(open);
        while self.eat(TokenKind::Semicolon) || self.eat(TokenKind::Arrow) {}
        if !self.at(TokenKind::ColonColon) {
            self.unexpected("`::` and an option");
            while !self.at_sequence_end() {
                self.synchronise();
                if !self.at_sequence_end() {
                    self.bump();
                }
            }
        }
        let mut options = Vec::new();
        while self.at(TokenKind::ColonColon) {
            let start = self.position;
            self.bump();
            let steps = self.nested(|parser| Ok(parser.steps("option"))).unwrap_or_default();
            options.push(Sequence { steps, span: self.span_from(start), close: self.previous().span });
        }
        self.open.pop();
        if self.eat(end) {
            return options;
        }
        let waiting = self
            .open
            .iter()
            .any(|around| around.kind == if other == TokenKind::Fi { TokenKind::If } else { TokenKind::Do });
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
        self.expect(TokenKind::LeftParen, "`(`")?;
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
            self.expect(TokenKind::RightParen, "`)`")?;
            return Ok(StatementKind::ForIn(variable, collection, self.for_body()?));
        }
        let (low, high) = self.range("`:` or `in`")?;
        Ok(StatementKind::ForRange(variable, low, high, self.for_body()?))
    }

    #[inline(never)]
    fn for_body(&mut self) -> Parsed<Sequence> {
        self.eat(TokenKind::Semicolon);
        self.block()
    }

    /// Parses `: a .. b )`.
    #[inline(never)]
    fn range(&mut self, expected: &str) -> Parsed<(Expr, Expr)> {
        self.expect(TokenKind::Colon, expected)?;
        let low = self.enclosed(Parser::expression)?;
        self.expect(TokenKind::DotDot, "`..`")?;
        let high = self.enclosed(Parser::expression)?;
        self.expect(TokenKind::RightParen, "`)`")?;
        Ok((low, high))
    }

    #[inline(never)]
    fn select(&mut self) -> Parsed<StatementKind> {
        let literal = self.is_literal_select();
        self.bump();
        self.expect(TokenKind::LeftParen, "`(`")?;
        let variable = self.enclosed(Parser::place)?;
        let (low, high) = self.range("`:`")?;
        Ok(StatementKind::Select { variable, low, high, literal })
    }

    /// Returns whether SPIN's lexer rewrites this `select`: one name without underscore, digits, and no line
    /// breaks except after `select` and between the dots and the name before them.
    fn is_literal_select(&self) -> bool {
        const SHAPE: [TokenKind; 6] = [
            TokenKind::Name,
            TokenKind::Colon,
            TokenKind::Number,
            TokenKind::DotDot,
            TokenKind::Number,
            TokenKind::RightParen,
        ];
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
