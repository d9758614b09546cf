//! The outline of a Promela text: tokens before preprocessing, with the blocks they stand in.

use std::ops::Range;

use narrows_source::{Diagnostics, FileId};

use super::lexer::{Interner, Token, TokenKind, keyword, lex};
use crate::outline::{Collector, Include, NameKind, Outline, WordKind};

/// Makes the outline of a text.
pub(super) fn outline(text: &str) -> Outline {
    let mut tokens = lex(text, FileId(0), &mut Interner::default(), &mut Diagnostics::default());
    for token in &mut tokens {
        if let (TokenKind::Name, Some(kind)) = (token.kind, keyword(&token.text)) {
            token.kind = kind;
        }
    }
    let mut walk =
        Walk { text, tokens, at: 0, collector: Collector::default(), blocks: Vec::new(), depth: 0 };
    walk.run();
    let Collector { mut outline } = walk.collector;
    // Children were declared before the ends of their parents were known.
    for number in 0..outline.declared.len() {
        if let (Some(parent), None) = (outline.declared[number].parent, &outline.declared[number].scope)
            && !matches!(outline.declared[number].kind, NameKind::Constant | NameKind::Field)
        {
            outline.declared[number].scope = Some(outline.declared[parent].extent.clone());
        }
    }
    outline
}

/// What stands between braces.
struct Block {
    /// The declaration that it is the body of.
    owner: Option<usize>,
    /// What was declared in it, and is known to its end.
    locals: Vec<usize>,
    /// How deep parentheses were nested before.
    depth: usize,
    /// Whether it is the body of a structure.
    is_structure: bool,
}

struct Walk<'t> {
    text: &'t str,
    tokens: Vec<Token>,
    at: usize,
    collector: Collector,
    blocks: Vec<Block>,
    /// How deep parentheses and brackets are nested, within the block.
    depth: usize,
}

impl Walk<'_> {
    fn kind(&self, at: usize) -> TokenKind {
        self.tokens.get(at).map_or(TokenKind::End, |token| token.kind)
    }

    fn place(&self, at: usize) -> Range<usize> {
        let span = self.tokens[at.min(self.tokens.len() - 1)].span;
        span.start as usize..span.end as usize
    }

    /// Returns the declaration whose body is around.
    fn owner(&self) -> Option<usize> {
        self.blocks.iter().rev().find_map(|block| block.owner)
    }

    /// Adds the token as a word, and steps over it.
    fn word(&mut self, kind: WordKind) -> usize {
        let (text, place) = (self.tokens[self.at].text.clone(), self.place(self.at));
        self.at += 1;
        self.collector.word(&text, place, kind)
    }

    fn run(&mut self) {
        while self.kind(self.at) != TokenKind::End {
            let token = &self.tokens[self.at];
            if token.newline && token.kind == TokenKind::Hash {
                self.directive();
            } else {
                self.step();
            }
        }
        let end = self.text.len();
        while let Some(block) = self.blocks.pop() {
            self.close(&block, end);
        }
    }

    fn step(&mut self) {
        match self.kind(self.at) {
            TokenKind::LeftBrace => self.open(None, false),
            TokenKind::RightBrace => {
                let end = self.place(self.at).end;
                self.at += 1;
                if let Some(block) = self.blocks.pop() {
                    self.close(&block, end);
                }
            }
            TokenKind::LeftParen | TokenKind::LeftBracket => {
                self.depth += 1;
                self.at += 1;
            }
            TokenKind::RightParen | TokenKind::RightBracket => {
                self.depth = self.depth.saturating_sub(1);
                self.at += 1;
            }
            TokenKind::Proctype | TokenKind::DProctype => self.routine(NameKind::Process),
            TokenKind::Inline => self.routine(NameKind::Inline),
            TokenKind::Init if self.blocks.is_empty() => {
                let place = self.place(self.at);
                self.word(WordKind::Keyword);
                let owner = self.collector.declare("init", NameKind::Process, place, None, None);
                self.body(Some(owner), false);
            }
            TokenKind::Ltl | TokenKind::Never | TokenKind::Trace | TokenKind::Notrace
                if self.blocks.is_empty() =>
            {
                let start = self.place(self.at);
                self.word(WordKind::Keyword);
                let owner = (self.kind(self.at) == TokenKind::Name)
                    .then(|| self.name(NameKind::Property, start, None));
                self.body(owner, false);
            }
            TokenKind::Typedef => {
                let start = self.place(self.at);
                self.word(WordKind::Keyword);
                let owner =
                    (self.kind(self.at) == TokenKind::Name).then(|| self.name(NameKind::Type, start, None));
                self.body(owner, true);
            }
            TokenKind::Mtype => self.mtype(),
            TokenKind::Hidden | TokenKind::Local | TokenKind::Show => {
                self.word(WordKind::Keyword);
            }
            kind if is_type(kind) => {
                let variable = if kind == TokenKind::Chan { NameKind::Channel } else { NameKind::Variable };
                let start = self.place(self.at);
                self.word(WordKind::Keyword);
                self.variables(variable, &start);
            }
            TokenKind::Name if self.begins_declaration() => {
                let start = self.place(self.at);
                self.word(WordKind::Name);
                self.variables(NameKind::Variable, &start);
            }
            TokenKind::Name => self.used(),
            TokenKind::Goto => {
                self.word(WordKind::Keyword);
                if self.kind(self.at) == TokenKind::Name {
                    self.word(WordKind::Label(None));
                }
            }
            TokenKind::Digits => drop(self.word(WordKind::Number)),
            TokenKind::Text | TokenKind::UnterminatedText | TokenKind::Quoted | TokenKind::QuotedText => {
                self.word(WordKind::Text);
            }
            _ if keyword(&self.tokens[self.at].text).is_some() => drop(self.word(WordKind::Keyword)),
            _ => self.at += 1,
        }
    }

    fn open(&mut self, owner: Option<usize>, is_structure: bool) {
        self.blocks.push(Block { owner, locals: Vec::new(), depth: self.depth, is_structure });
        self.depth = 0;
        self.at += 1;
    }

    fn close(&mut self, block: &Block, end: usize) {
        self.depth = block.depth;
        for local in &block.locals {
            if let Some(scope) = &mut self.collector.outline.declared[*local].scope {
                scope.end = end;
            }
        }
        if let Some(owner) = block.owner {
            self.collector.end(owner, end);
        }
    }

    /// Steps over what stands before the next brace, which opens the body of a declaration.
    fn body(&mut self, owner: Option<usize>, is_structure: bool) {
        if self.kind(self.at) == TokenKind::LeftBrace {
            self.open(owner, is_structure);
        }
    }

    /// Declares the name at hand; the declaration begins where `start` does.
    fn name(&mut self, kind: NameKind, start: Range<usize>, scope: Option<Range<usize>>) -> usize {
        let (text, place) = (self.tokens[self.at].text.clone(), self.place(self.at));
        let word = if kind == NameKind::Field { WordKind::Member(None) } else { WordKind::Name };
        self.word(word);
        let parent = self.owner();
        let number = self.collector.declare(&text, kind, place, scope, parent);
        self.collector.outline.declared[number].extent.start = start.start;
        number
    }

    /// A proctype or an inline: its name, parameters and what else stands before the body.
    fn routine(&mut self, kind: NameKind) {
        let mut start = self.place(self.at);
        // `active [2]` belongs to it.
        for before in self.at.saturating_sub(4)..self.at {
            if self.kind(before) == TokenKind::Active {
                start.start = self.place(before).start;
            }
        }
        self.word(WordKind::Keyword);
        if self.kind(self.at) != TokenKind::Name {
            return;
        }
        let owner = self.name(kind, start.clone(), None);
        self.collector.outline.declared[owner].parent = None;
        if self.kind(self.at) == TokenKind::LeftParen {
            self.at += 1;
            self.blocks.push(Block { owner: Some(owner), locals: Vec::new(), depth: 0, is_structure: false });
            while !matches!(
                self.kind(self.at),
                TokenKind::RightParen | TokenKind::End | TokenKind::LeftBrace | TokenKind::Hash
            ) {
                match self.kind(self.at) {
                    kind if is_type(kind) || kind == TokenKind::Mtype => {
                        self.word(WordKind::Keyword);
                        self.parameters(&start);
                    }
                    TokenKind::Name if kind == NameKind::Inline => {
                        self.name(NameKind::Parameter, start.clone(), None);
                    }
                    TokenKind::Name if self.kind(self.at + 1) == TokenKind::Name => {
                        self.word(WordKind::Name);
                        self.parameters(&start);
                    }
                    TokenKind::Name => drop(self.word(WordKind::Name)),
                    _ => self.at += 1,
                }
            }
            self.blocks.pop();
        }
        // A guard or a priority may stand before the body.
        while !matches!(self.kind(self.at), TokenKind::LeftBrace | TokenKind::End | TokenKind::Semicolon) {
            if self.tokens[self.at].kind == TokenKind::Hash {
                return;
            }
            match self.kind(self.at) {
                TokenKind::Name => self.used(),
                TokenKind::Digits => drop(self.word(WordKind::Number)),
                _ if keyword(&self.tokens[self.at].text).is_some() => drop(self.word(WordKind::Keyword)),
                _ => self.at += 1,
            }
        }
        self.body(Some(owner), false);
    }

    /// The names after a type among the parameters of a proctype.
    fn parameters(&mut self, start: &Range<usize>) {
        while self.kind(self.at) == TokenKind::Name {
            self.name(NameKind::Parameter, start.clone(), None);
            if self.kind(self.at) != TokenKind::Comma || self.kind(self.at + 1) != TokenKind::Name {
                return;
            }
            if self.kind(self.at + 2) == TokenKind::Name {
                return;
            }
            self.at += 1;
        }
    }

    /// `mtype = { a, b }`, `mtype:set = { a, b }`, or variables of that type.
    fn mtype(&mut self) {
        let start = self.place(self.at);
        self.word(WordKind::Keyword);
        if self.kind(self.at) == TokenKind::Colon && self.kind(self.at + 1) == TokenKind::Name {
            self.at += 1;
            self.word(WordKind::Name);
        }
        let offset = usize::from(self.kind(self.at) == TokenKind::Assign);
        if self.kind(self.at + offset) != TokenKind::LeftBrace {
            self.variables(NameKind::Variable, &start);
            return;
        }
        self.at += offset + 1;
        while matches!(self.kind(self.at), TokenKind::Name | TokenKind::Comma) {
            if self.kind(self.at) == TokenKind::Name {
                let start = self.place(self.at);
                self.name(NameKind::Constant, start, None);
            } else {
                self.at += 1;
            }
        }
        if self.kind(self.at) == TokenKind::RightBrace {
            self.at += 1;
        }
    }

    /// The names after a type, each with its size and its first value.
    fn variables(&mut self, kind: NameKind, start: &Range<usize>) {
        while self.kind(self.at) == TokenKind::Name {
            let is_field = self.blocks.last().is_some_and(|block| block.is_structure);
            let number = if is_field {
                self.name(NameKind::Field, start.clone(), None)
            } else {
                let scope = (!self.blocks.is_empty()).then(|| self.place(self.at).start..self.text.len());
                let number = self.name(kind, start.clone(), scope);
                if let Some(block) = self.blocks.last_mut() {
                    block.locals.push(number);
                }
                number
            };
            let mut nested = 0_usize;
            loop {
                match self.kind(self.at) {
                    TokenKind::End | TokenKind::Semicolon | TokenKind::Arrow if nested == 0 => return,
                    TokenKind::End => return,
                    TokenKind::Comma if nested == 0 => break,
                    TokenKind::RightBrace | TokenKind::RightParen | TokenKind::RightBracket
                        if nested == 0 =>
                    {
                        return;
                    }
                    TokenKind::LeftBrace | TokenKind::LeftParen | TokenKind::LeftBracket => nested += 1,
                    TokenKind::RightBrace | TokenKind::RightParen | TokenKind::RightBracket => nested -= 1,
                    TokenKind::Name => {
                        self.used();
                        continue;
                    }
                    TokenKind::Digits => {
                        self.word(WordKind::Number);
                        continue;
                    }
                    _ if self.tokens[self.at].newline && nested == 0 => return,
                    _ if keyword(&self.tokens[self.at].text).is_some() => {
                        self.word(WordKind::Keyword);
                        continue;
                    }
                    _ => {}
                }
                let end = self.place(self.at).end;
                self.collector.end(number, end);
                self.at += 1;
            }
            self.at += 1;
        }
    }

    /// Returns whether what comes before begins a statement or a declaration.
    fn begins_statement(&self) -> bool {
        let Some(before) = self.at.checked_sub(1) else { return true };
        let is_after = matches!(
            self.kind(before),
            TokenKind::LeftBrace
                | TokenKind::RightBrace
                | TokenKind::Semicolon
                | TokenKind::Arrow
                | TokenKind::ColonColon
                | TokenKind::Colon
                | TokenKind::Hidden
                | TokenKind::Local
                | TokenKind::Show
                | TokenKind::Else
                | TokenKind::Fi
                | TokenKind::Od
        );
        self.depth == 0 && (is_after || self.tokens[self.at].newline)
    }

    /// Returns whether the name at hand is a type, and variables follow.
    fn begins_declaration(&self) -> bool {
        self.kind(self.at + 1) == TokenKind::Name
            && !self.tokens[self.at + 1].newline
            && self.begins_statement()
    }

    /// A name that is used, or a label.
    fn used(&mut self) {
        let after = self.kind(self.at + 1);
        let is_label = after == TokenKind::Colon && !self.blocks.is_empty() && self.begins_statement();
        if is_label && !self.is_process() {
            let place = self.place(self.at);
            let text = self.tokens[self.at].text.clone();
            self.word(WordKind::Label(None));
            let parent = self.owner();
            self.collector.declare(&text, NameKind::Label, place, None, parent);
            return;
        }
        if self.at > 0 && self.kind(self.at - 1) == TokenKind::Dot {
            let whole = self.whole();
            self.word(WordKind::Member(whole));
            return;
        }
        let process = self.word(WordKind::Name);
        let mut next = self.at;
        if self.kind(next) == TokenKind::LeftBracket {
            // `P[1]@label`: what stands between the brackets is looked at again, as any other text.
            let mut nested = 0_usize;
            while !matches!(self.kind(next), TokenKind::End | TokenKind::Semicolon | TokenKind::LeftBrace) {
                match self.kind(next) {
                    TokenKind::LeftBracket => nested += 1,
                    TokenKind::RightBracket => nested -= 1,
                    _ => {}
                }
                next += 1;
                if nested == 0 {
                    break;
                }
            }
        }
        let is_remote = self.kind(next + 1) == TokenKind::Name;
        match self.kind(next) {
            TokenKind::At if is_remote => self.remote(next, WordKind::Label(Some(process))),
            TokenKind::Colon if is_remote && self.depth_of_choice() => {
                self.remote(next, WordKind::Remote(process));
            }
            _ => {}
        }
    }

    /// Returns the word before the dot before the name at hand: in `a[i].b`, that is `a`.
    fn whole(&self) -> Option<usize> {
        let mut at = self.at.checked_sub(2)?;
        if self.kind(at) == TokenKind::RightBracket {
            let mut nested = 1_usize;
            while nested > 0 {
                at = at.checked_sub(1)?;
                match self.kind(at) {
                    TokenKind::RightBracket => nested += 1,
                    TokenKind::LeftBracket => nested -= 1,
                    _ => {}
                }
            }
            at = at.checked_sub(1)?;
        }
        self.collector.word_of(&self.place(at))
    }

    /// Returns whether the name at hand is that of a proctype, which is no label then.
    fn is_process(&self) -> bool {
        let text = &*self.tokens[self.at].text;
        let declared = &self.collector.outline.declared;
        declared.iter().any(|declared| declared.kind == NameKind::Process && declared.name == text)
    }

    /// Returns whether a colon here is no part of `(a -> b : c)`.
    fn depth_of_choice(&self) -> bool {
        let mut nested = 0_usize;
        for before in (0..self.at).rev() {
            match self.kind(before) {
                TokenKind::RightParen => nested += 1,
                TokenKind::LeftParen if nested == 0 => return true,
                TokenKind::LeftParen => nested -= 1,
                TokenKind::Arrow if nested == 0 => return self.depth == 0,
                TokenKind::Semicolon
                | TokenKind::LeftBrace
                | TokenKind::RightBrace
                | TokenKind::ColonColon => {
                    return true;
                }
                // `for (i : 1 .. n)`.
                TokenKind::For | TokenKind::Select => return false,
                _ => {}
            }
        }
        true
    }

    /// Takes what stands up to a sign, and the name behind it.
    fn remote(&mut self, sign: usize, kind: WordKind) {
        while self.at < sign {
            match self.kind(self.at) {
                TokenKind::Name => drop(self.word(WordKind::Name)),
                TokenKind::Digits => drop(self.word(WordKind::Number)),
                _ => self.at += 1,
            }
        }
        self.at = sign + 1;
        self.word(kind);
    }

    /// A line of the preprocessor.
    fn directive(&mut self) {
        let start = self.place(self.at).start;
        self.at += 1;
        if self.kind(self.at) == TokenKind::End || self.tokens[self.at].newline {
            return;
        }
        let name = self.tokens[self.at].text.clone();
        let place = start..self.place(self.at).end;
        self.at += 1;
        self.collector.word(&format!("#{name}"), place, WordKind::Directive);
        let end = (self.at..self.tokens.len()).find(|at| self.tokens[*at].newline).unwrap_or(self.at);
        match &*name {
            "define" if self.at < end && self.is_word() => self.macro_definition(start, end),
            "include" => self.include(end),
            _ => {}
        }
        while self.at < end {
            match self.kind(self.at) {
                TokenKind::Digits => drop(self.word(WordKind::Number)),
                TokenKind::Text => drop(self.word(WordKind::Text)),
                TokenKind::Name => {
                    let is_member = self.kind(self.at - 1) == TokenKind::Dot;
                    let whole = self.whole();
                    self.word(if is_member { WordKind::Member(whole) } else { WordKind::Name });
                }
                _ if self.is_word() => drop(self.word(WordKind::Keyword)),
                _ => self.at += 1,
            }
        }
    }

    fn is_word(&self) -> bool {
        self.kind(self.at) == TokenKind::Name || keyword(&self.tokens[self.at].text).is_some()
    }

    /// `#define NAME(a, b) …`: the parameters are known up to the end of the line.
    fn macro_definition(&mut self, start: usize, end: usize) {
        let next = self.at + 1;
        let has_parameters =
            next < end && self.kind(next) == TokenKind::LeftParen && !self.tokens[next].space;
        let kind = if has_parameters { NameKind::Inline } else { NameKind::Macro };
        let number = self.name(kind, start..start, None);
        self.collector.outline.declared[number].parent = None;
        let last = self.place(end - 1).end;
        self.collector.end(number, last);
        if has_parameters {
            self.at += 1;
            while self.at < end && self.kind(self.at) != TokenKind::RightParen {
                if self.kind(self.at) == TokenKind::Name {
                    let parameter = self.name(NameKind::Parameter, start..start, Some(start..last));
                    self.collector.outline.declared[parameter].parent = Some(number);
                } else {
                    self.at += 1;
                }
            }
        }
    }

    /// `#include "name"` or `#include <name>`.
    fn include(&mut self, end: usize) {
        if self.at >= end {
            return;
        }
        let first = self.place(self.at);
        let last = self.place(end - 1);
        let (is_system, place) = match self.kind(self.at) {
            TokenKind::Text => (false, first.start + 1..first.end - 1),
            TokenKind::Less if last.start > first.end => (true, first.end..last.start),
            _ => return,
        };
        let path = self.text[place.clone()].to_owned();
        self.collector.word(&path, first.start..last.end, WordKind::Text);
        self.collector.outline.includes.push(Include { path, place, is_system });
        self.at = end;
    }
}

fn is_type(kind: TokenKind) -> bool {
    matches!(
        kind,
        TokenKind::Bit
            | TokenKind::Bool
            | TokenKind::Byte
            | TokenKind::Short
            | TokenKind::Int
            | TokenKind::Pid
            | TokenKind::Chan
            | TokenKind::Unsigned
    )
}
