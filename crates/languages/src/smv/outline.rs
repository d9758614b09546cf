//! The outline of an SMV text: its modules, and what their sections declare.

use std::ops::Range;

use narrows_source::{Diagnostics, FileId};

use super::lexer::{SECTIONS, Token, TokenKind, tokens};
use crate::outline::{Collector, NameKind, Outline, WordKind};

/// Makes the outline of a text.
pub(super) fn outline(text: &str) -> Outline {
    let tokens = tokens(text, FileId(0), &mut Diagnostics::default());
    let mut walk = Walk {
        tokens,
        at: 0,
        collector: Collector::default(),
        module: None,
        section: "",
        depth: 0,
        end: text.len(),
    };
    walk.run();
    walk.collector.outline
}

struct Walk {
    tokens: Vec<Token>,
    at: usize,
    collector: Collector,
    /// The module around.
    module: Option<usize>,
    /// The word that opened the section around.
    section: &'static str,
    /// How deep brackets are nested.
    depth: usize,
    end: usize,
}

impl Walk {
    fn kind(&self, at: usize) -> TokenKind {
        self.tokens.get(at).map_or(TokenKind::End, |token| token.kind)
    }

    fn place(&self, at: usize) -> Range<usize> {
        let span = self.tokens[at.min(self.tokens.len() - 1)].span;
        span.start as usize..span.end as usize
    }

    fn word(&mut self, kind: WordKind) {
        let (text, place) = (self.tokens[self.at].text.clone(), self.place(self.at));
        self.at += 1;
        self.collector.word(&text, place, kind);
    }

    fn run(&mut self) {
        while self.kind(self.at) != TokenKind::End {
            let token = &self.tokens[self.at];
            match token.kind {
                TokenKind::Keyword => self.keyword(),
                TokenKind::Name => self.name(),
                TokenKind::Digits | TokenKind::Real | TokenKind::WordConstant => self.word(WordKind::Number),
                TokenKind::LeftParen | TokenKind::LeftBracket | TokenKind::LeftBrace => {
                    self.depth += 1;
                    self.at += 1;
                }
                TokenKind::RightParen | TokenKind::RightBracket | TokenKind::RightBrace => {
                    self.depth = self.depth.saturating_sub(1);
                    self.at += 1;
                }
                _ => self.at += 1,
            }
        }
        self.end_module(self.end);
    }

    fn keyword(&mut self) {
        let text = self.tokens[self.at].text.clone();
        let place = self.place(self.at);
        self.word(WordKind::Keyword);
        if let Some(section) = SECTIONS.iter().find(|section| **section == &*text) {
            self.section = section;
            self.depth = 0;
            if *section == "MODULE" {
                self.end_module(place.start);
                self.module(place.start);
            }
        } else if &*text == "NAME" && self.kind(self.at) == TokenKind::Name {
            self.declare(NameKind::Property, place.start);
        }
    }

    /// The name and the parameters of a module.
    fn module(&mut self, start: usize) {
        if self.kind(self.at) != TokenKind::Name {
            return;
        }
        self.module = None;
        let module = self.declare(NameKind::Module, start);
        self.module = Some(module);
        if self.kind(self.at) == TokenKind::LeftParen {
            self.at += 1;
            while matches!(self.kind(self.at), TokenKind::Name | TokenKind::Comma) {
                if self.kind(self.at) == TokenKind::Name {
                    let start = self.place(self.at).start;
                    self.declare(NameKind::Parameter, start);
                } else {
                    self.at += 1;
                }
            }
        }
    }

    /// Declares the name at hand, known in its module.
    fn declare(&mut self, kind: NameKind, start: usize) -> usize {
        let (text, place) = (self.tokens[self.at].text.clone(), self.place(self.at));
        self.word(WordKind::Name);
        let scope = self.module.map(|_| 0..self.end);
        let number = self.collector.declare(&text, kind, place, scope, self.module);
        self.collector.outline.declared[number].extent.start = start;
        number
    }

    /// Closes a module: what it declares is known in it alone.
    fn end_module(&mut self, end: usize) {
        let Some(module) = self.module.take() else { return };
        self.collector.end(module, end);
        let extent = self.collector.outline.declared[module].extent.clone();
        for declared in &mut self.collector.outline.declared {
            if declared.parent == Some(module) {
                declared.scope = Some(extent.clone());
            }
        }
    }

    fn name(&mut self) {
        let next = self.kind(self.at + 1);
        let begins = self.depth == 0
            && self.at > 0
            && matches!(self.kind(self.at - 1), TokenKind::Semicolon | TokenKind::Keyword | TokenKind::Comma);
        let start = self.place(self.at).start;
        match self.section {
            "VAR" | "IVAR" | "FROZENVAR" if begins && next == TokenKind::Colon => {
                let number = self.declare(NameKind::Variable, start);
                self.extend(number);
            }
            "DEFINE" | "MDEFINE" if begins && next == TokenKind::Becomes => {
                let number = self.declare(NameKind::Definition, start);
                self.extend(number);
            }
            "CONSTANTS" if begins => drop(self.declare(NameKind::Constant, start)),
            // The values of an enumeration: the first place declares.
            "VAR" | "IVAR" | "FROZENVAR" if self.depth == 1 && self.is_value() => {
                let is_known = self.collector.outline.declared.iter().any(|declared| {
                    declared.parent == self.module && *declared.name == *self.tokens[self.at].text
                });
                if is_known {
                    self.word(WordKind::Name);
                } else {
                    self.declare(NameKind::Constant, start);
                }
            }
            _ if self.at > 0 && self.kind(self.at - 1) == TokenKind::Dot => {
                let whole = self.at.checked_sub(2).and_then(|at| self.collector.word_of(&self.place(at)));
                self.word(WordKind::Member(whole));
            }
            _ => self.word(WordKind::Name),
        }
    }

    /// Makes a declaration reach to its semicolon.
    fn extend(&mut self, number: usize) {
        let semicolon = (self.at..self.tokens.len()).find(|at| {
            matches!(self.kind(*at), TokenKind::Semicolon | TokenKind::End)
                || self.kind(*at) == TokenKind::Keyword && SECTIONS.contains(&&*self.tokens[*at].text)
        });
        let end = self.place(semicolon.unwrap_or(self.at).saturating_sub(1)).end;
        self.collector.end(number, end);
    }

    /// Returns whether the name at hand stands between braces, alone.
    fn is_value(&self) -> bool {
        matches!(self.kind(self.at - 1), TokenKind::LeftBrace | TokenKind::Comma)
            && matches!(self.kind(self.at + 1), TokenKind::RightBrace | TokenKind::Comma)
            && (0..self.at).rev().map(|at| self.kind(at)).find(|kind| {
                matches!(kind, TokenKind::LeftBrace | TokenKind::LeftParen | TokenKind::LeftBracket)
            }) == Some(TokenKind::LeftBrace)
    }
}
