//! The outline of a LOTOS text: processes, types, and what both declare.

use std::ops::Range;

use narrows_source::{Diagnostics, FileId};

use super::lexer::{Token, TokenKind, tokens};
use crate::outline::{Collector, NameKind, Outline, WordKind};

/// Makes the outline of a text.
pub(super) fn outline(text: &str) -> Outline {
    let tokens = tokens(text, FileId(0), &mut Diagnostics::default());
    let mut walk = Walk { tokens, at: 0, collector: Collector::default(), open: Vec::new(), part: "" };
    walk.run();
    while walk.close(text.len()) {}
    walk.collector.outline
}

struct Walk {
    tokens: Vec<Token>,
    at: usize,
    collector: Collector,
    /// The specification, processes and types that are not ended yet.
    open: Vec<usize>,
    /// Which part of a type this is.
    part: &'static str,
}

impl Walk {
    fn is(&self, at: usize, text: &str) -> bool {
        self.tokens.get(at).is_some_and(|token| &*token.text == text)
    }

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
            match self.kind(self.at) {
                TokenKind::Word => self.keyword(),
                TokenKind::Name | TokenKind::Special if self.declares_operation() => {
                    self.declare(NameKind::Operation);
                }
                TokenKind::Name if self.part == "sorts" => drop(self.declare(NameKind::Type)),
                TokenKind::Name => self.word(WordKind::Name),
                TokenKind::Digits => self.word(WordKind::Number),
                TokenKind::Sign if self.is(self.at, "?") => {
                    self.at += 1;
                    self.variables();
                }
                _ => self.at += 1,
            }
        }
    }

    /// Returns whether the name at hand is declared among the operations: in a list of names, each maybe with
    /// marks for operands, before a colon.
    fn declares_operation(&self) -> bool {
        if self.part != "opns" || self.at > 0 && self.is(self.at - 1, "->") {
            return false;
        }
        let mut at = self.at;
        loop {
            while self.is(at, "_") {
                at += 1;
            }
            if !matches!(self.kind(at), TokenKind::Name | TokenKind::Special | TokenKind::Digits) {
                return false;
            }
            at += 1;
            while self.is(at, "_") {
                at += 1;
            }
            if !self.is(at, ",") {
                return self.is(at, ":");
            }
            at += 1;
        }
    }

    fn keyword(&mut self) {
        let text = self.tokens[self.at].text.clone();
        let start = self.place(self.at).start;
        let end = self.place(self.at).end;
        self.word(WordKind::Keyword);
        match &*text {
            "specification" | "process" if self.kind(self.at) == TokenKind::Name => {
                let number = self.declare(NameKind::Process);
                self.collector.outline.declared[number].extent.start = start;
                self.open.push(number);
                self.head();
            }
            "type" if self.kind(self.at) == TokenKind::Name => {
                let number = self.declare(NameKind::Type);
                self.collector.outline.declared[number].extent.start = start;
                self.open.push(number);
            }
            "endproc" | "endspec" | "endtype" => {
                self.close(end);
                self.part = "";
            }
            "sorts" => self.part = "sorts",
            "opns" => self.part = "opns",
            "eqns" | "formalsorts" | "formalopns" | "formaleqns" => self.part = "",
            "forall" | "let" | "choice" | "any" => self.variables(),
            "hide" => self.gates("in"),
            "par" if (self.is(self.at + 1, "in") || self.is(self.at + 1, ",")) => {
                self.gates("in");
            }
            _ => {}
        }
    }

    /// Gates and parameters after the name of a process.
    fn head(&mut self) {
        if self.is(self.at, "[") {
            self.at += 1;
            self.gates("]");
        }
        if self.is(self.at, "(") {
            self.at += 1;
            self.variables();
        }
    }

    /// Gates up to a sign.
    fn gates(&mut self, last: &str) {
        while self.kind(self.at) == TokenKind::Name || self.is(self.at, ",") {
            if self.kind(self.at) == TokenKind::Name {
                self.declare(NameKind::Gate);
            } else {
                self.at += 1;
            }
        }
        if self.is(self.at, last) && self.kind(self.at) == TokenKind::Sign {
            self.at += 1;
        }
    }

    /// `x, y : Nat, b : Bool`.
    fn variables(&mut self) {
        loop {
            let mut at = self.at;
            while self.kind(at) == TokenKind::Name && self.is(at + 1, ",") {
                at += 2;
            }
            if self.kind(at) != TokenKind::Name || !self.is(at + 1, ":") {
                return;
            }
            while self.at <= at {
                if self.kind(self.at) == TokenKind::Name {
                    self.declare(NameKind::Variable);
                } else {
                    self.at += 1;
                }
            }
            self.at += 1;
            if self.kind(self.at) == TokenKind::Name {
                self.word(WordKind::Name);
            }
            if !self.is(self.at, ",") {
                return;
            }
            self.at += 1;
        }
    }

    /// Declares the name at hand in what is open.
    fn declare(&mut self, kind: NameKind) -> usize {
        let (text, place) = (self.tokens[self.at].text.clone(), self.place(self.at));
        self.word(WordKind::Name);
        let parent = self.open.last().copied();
        // Processes, sorts and operations are known wherever their names can stand.
        let is_local = matches!(kind, NameKind::Variable | NameKind::Gate);
        let scope = parent.filter(|_| is_local).map(|_| place.clone());
        self.collector.declare(&text, kind, place, scope, parent)
    }

    /// Ends what was opened last; returns whether there was something.
    fn close(&mut self, end: usize) -> bool {
        let Some(number) = self.open.pop() else { return false };
        self.collector.end(number, end);
        let extent = self.collector.outline.declared[number].extent.clone();
        for declared in &mut self.collector.outline.declared {
            if declared.parent == Some(number) && declared.scope.is_some() {
                declared.scope = Some(extent.clone());
            }
        }
        true
    }
}
