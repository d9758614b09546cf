//! Macros and their expansion.

use std::rc::Rc;

use narrows_source::{Diagnostic, Diagnostics, FileId, Span};
use rustc_hash::FxHashMap;

use crate::promela::lexer::{Interner, Token, TokenKind, lex};

/// How many tokens all expansions together may make.
pub(super) const MAX_TOKENS: usize = 2_000_000;
/// How long a token may be that `##` or `#` makes.
const MAX_LENGTH: usize = 1 << 16;
/// How deep macro calls may stand in arguments of macro calls.
const MAX_DEPTH: usize = 128;

/// All macros by name.
pub(crate) type Macros = FxHashMap<Rc<str>, Rc<Macro>>;

/// A `#define`.
#[derive(Debug)]
pub(crate) struct Macro {
    /// The parameters of a function-like macro.
    pub(crate) parameters: Option<Vec<Rc<str>>>,
    /// What it stands for.
    pub(crate) body: Vec<Token>,
    /// Where it is named.
    pub(crate) span: Span,
}

impl Macro {
    /// Returns whether two definitions say the same.
    pub(super) fn same(&self, other: &Macro) -> bool {
        self.parameters == other.parameters
            && self.body.len() == other.body.len()
            && self.body.iter().zip(&other.body).all(|(left, right)| left.text == right.text)
    }

    fn parameter(&self, token: &Token) -> Option<usize> {
        if token.kind != TokenKind::Name {
            return None;
        }
        self.parameters.as_ref()?.iter().position(|name| *name == token.text)
    }
}

/// The macros a token must not be expanded by.
type Hidden = Option<Rc<[Rc<str>]>>;

/// A token on its way through expansion.
#[derive(Clone)]
struct Traveller {
    token: Token,
    hidden: Hidden,
}

fn hides(hidden: &Hidden, name: &Rc<str>) -> bool {
    hidden.as_ref().is_some_and(|names| names.contains(name))
}

fn union(left: &Hidden, right: &Rc<[Rc<str>]>) -> Rc<[Rc<str>]> {
    match left {
        None => right.clone(),
        Some(left) if Rc::ptr_eq(left, right) => right.clone(),
        Some(left) => {
            let mut names: Vec<Rc<str>> = left.to_vec();
            names.extend(right.iter().filter(|name| !left.contains(name)).cloned());
            names.into()
        }
    }
}

/// Expands tokens by the macros that are defined.
pub(crate) struct Expander<'a> {
    /// What is defined.
    pub(crate) macros: &'a Macros,
    /// Spellings.
    pub(crate) interner: &'a mut Interner,
    /// Where messages go.
    pub(crate) diagnostics: &'a mut Diagnostics,
    /// How many tokens may still be made.
    pub(crate) budget: &'a mut usize,
}

impl Expander<'_> {
    /// Expands a list of tokens.
    pub(crate) fn expand_all(&mut self, tokens: Vec<Token>) -> Vec<Token> {
        let work = tokens.into_iter().map(|token| Traveller { token, hidden: None }).collect();
        self.expand(work, 0).into_iter().map(|traveller| traveller.token).collect()
    }

    fn expand(&mut self, mut work: Vec<Traveller>, depth: usize) -> Vec<Traveller> {
        work.reverse();
        let mut output = Vec::with_capacity(work.len());
        while let Some(traveller) = work.pop() {
            let found = if traveller.token.kind == TokenKind::Name
                && !hides(&traveller.hidden, &traveller.token.text)
            {
                self.macros.get(&traveller.token.text).cloned()
            } else {
                None
            };
            let Some(found) = found else {
                output.push(traveller);
                continue;
            };
            let name = traveller.token.text.clone();
            let mut span = traveller.token.span;
            let mut outer = traveller.hidden.clone();
            let mut arguments = Vec::new();
            if let Some(parameters) = &found.parameters {
                if work.last().is_none_or(|next| next.token.kind != TokenKind::LeftParen) {
                    output.push(traveller);
                    continue;
                }
                let Some((given, close)) = take_arguments(&mut work) else {
                    Diagnostic::error("P0012", span, format!("unterminated call of macro `{name}`"))
                        .label("no `)` closes its arguments")
                        .also(found.span, "the macro is defined here")
                        .emit(self.diagnostics);
                    output.push(traveller);
                    continue;
                };
                if traveller.token.origin.is_none() {
                    span = span.to(close.token.span);
                }
                arguments = given;
                if parameters.is_empty() && arguments.len() == 1 && arguments[0].is_empty() {
                    arguments.clear();
                }
                if parameters.len() != arguments.len() {
                    self.wrong_count(&name, &found, arguments.len(), span);
                    output.push(traveller);
                    continue;
                }
                outer = outer.zip(close.hidden).map(|(left, right)| {
                    left.iter().filter(|name| right.contains(name)).cloned().collect::<Vec<_>>().into()
                });
            }
            if depth >= MAX_DEPTH {
                self.too_large(span, &name);
                output.push(traveller);
                continue;
            }
            let hidden = union(&outer, &Rc::from([name.clone()]));
            let origin = traveller.token.origin.clone().or(Some(name.clone()));
            let mut result = self.substitute(&found, &arguments, span, origin.as_ref(), depth);
            // Each token keeps the names that hide it.
            let cost = 1 + result.len() * (1 + hidden.len() / 8);
            if *self.budget < cost {
                self.too_large(span, &name);
                *self.budget = 0;
                output.push(traveller);
                continue;
            }
            *self.budget -= cost;
            for (index, new) in result.iter_mut().enumerate() {
                new.token.newline = index == 0 && traveller.token.newline;
                if index == 0 {
                    new.token.space = traveller.token.space;
                }
                new.hidden = Some(union(&new.hidden, &hidden));
            }
            if result.is_empty()
                && let Some(next) = work.last_mut()
            {
                next.token.newline |= traveller.token.newline;
                next.token.space = true;
            }
            work.extend(result.into_iter().rev());
        }
        output
    }

    #[cold]
    fn wrong_count(&mut self, name: &str, found: &Macro, given: usize, span: Span) {
        let wanted = found.parameters.as_ref().map_or(0, Vec::len);
        Diagnostic::error("P0011", span, format!("wrong number of arguments for macro `{name}`"))
            .label(format!("{given} given, {wanted} expected"))
            .also(found.span, "the macro is defined here")
            .emit(self.diagnostics);
    }

    #[cold]
    fn too_large(&mut self, span: Span, name: &str) {
        if *self.budget > 0 {
            Diagnostic::error("P0014", span, format!("the expansion of macro `{name}` is too large"))
                .label("macros that use each other grow without bound here")
                .emit(self.diagnostics);
        }
    }

    /// Puts arguments into a macro's body.
    fn substitute(
        &mut self,
        found: &Macro,
        arguments: &[Vec<Traveller>],
        span: Span,
        origin: Option<&Rc<str>>,
        depth: usize,
    ) -> Vec<Traveller> {
        let mut expanded: Vec<Option<Vec<Traveller>>> = vec![None; arguments.len()];
        let mut result: Vec<Traveller> = Vec::new();
        let own = |token: &Token| {
            let mut token = token.clone();
            token.span = span;
            token.origin = origin.cloned();
            Traveller { token, hidden: None }
        };
        // Whether the operand before a `##` was an empty argument.
        let mut left_empty = false;
        let mut index = 0;
        while let Some(token) = found.body.get(index) {
            index += 1;
            let next_is_paste = found.body.get(index).is_some_and(|next| next.kind == TokenKind::HashHash);
            if token.kind == TokenKind::HashHash && index > 1 && index < found.body.len() {
                let (right, used) = self.operand(found, &found.body[index..], arguments, &own);
                index += used;
                let mut right = right.into_iter();
                if !left_empty && let Some(first) = right.next() {
                    match result.pop() {
                        Some(left) => result.extend(self.paste(&left, &first, span)),
                        None => result.push(first),
                    }
                } else if left_empty {
                    left_empty = right.len() == 0;
                }
                result.extend(right);
            } else if next_is_paste {
                let (left, used) = self.operand(found, &found.body[index - 1..], arguments, &own);
                index += used - 1;
                left_empty = left.is_empty();
                result.extend(left);
            } else if token.kind == TokenKind::Hash && found.parameters.is_some() {
                let (text, used) = self.operand(found, &found.body[index - 1..], arguments, &own);
                index += used - 1;
                result.extend(text);
            } else if let Some(parameter) = found.parameter(token) {
                if expanded[parameter].is_none() {
                    expanded[parameter] = Some(self.expand(arguments[parameter].clone(), depth + 1));
                }
                let argument = expanded[parameter].as_deref().unwrap_or_default();
                // A long argument used often must not outgrow the memory before anyone counts.
                if result.len() + argument.len() > MAX_TOKENS {
                    return result;
                }
                let start = result.len();
                result.extend_from_slice(argument);
                if let Some(first) = result.get_mut(start) {
                    first.token.space = token.space;
                }
            } else {
                result.push(own(token));
            }
        }
        result
    }

    /// Returns what stands beside a `##`, not expanded: a `# parameter`, an argument or a token; and its
    /// length.
    fn operand(
        &mut self,
        found: &Macro,
        body: &[Token],
        arguments: &[Vec<Traveller>],
        own: &dyn Fn(&Token) -> Traveller,
    ) -> (Vec<Traveller>, usize) {
        let token = &body[0];
        if token.kind == TokenKind::Hash
            && let Some(parameter) = body.get(1).and_then(|next| found.parameter(next))
        {
            let mut text = own(token);
            text.token.kind = TokenKind::Text;
            let written = stringify(&arguments[parameter]);
            let written = if self.afford(written.len(), text.token.span) { &written } else { "\"\"" };
            text.token.text = self.interner.intern(written);
            return (vec![text], 2);
        }
        match found.parameter(token) {
            Some(parameter) => (arguments[parameter].clone(), 1),
            None => (vec![own(token)], 1),
        }
    }

    /// Counts a token that was made of others by its length: `##` and `#` can double it again and again.
    fn afford(&mut self, length: usize, span: Span) -> bool {
        let cost = length / 16;
        if *self.budget < cost || length > MAX_LENGTH {
            self.too_large(span, "##");
            return false;
        }
        *self.budget -= cost;
        true
    }

    /// Joins two tokens to one.
    fn paste(&mut self, left: &Traveller, right: &Traveller, span: Span) -> Vec<Traveller> {
        let text = format!("{}{}", left.token.text, right.token.text);
        if !self.afford(text.len(), span) {
            return vec![left.clone()];
        }
        let mut tokens = lex(&text, FileId(0), self.interner, self.diagnostics);
        tokens.pop();
        if tokens.len() != 1 {
            Diagnostic::error("P0013", span, format!("`##` makes no token of `{text}`"))
                .label("in the expansion of this macro")
                .emit(self.diagnostics);
            return vec![left.clone(), right.clone()];
        }
        let mut joined = left.clone();
        joined.token.kind = tokens[0].kind;
        joined.token.text = tokens[0].text.clone();
        vec![joined]
    }
}

/// Takes `(a, b)` off the work; `None` (and nothing taken) if no `)` closes it.
fn take_arguments(work: &mut Vec<Traveller>) -> Option<(Vec<Vec<Traveller>>, Traveller)> {
    let mut depth = 0_usize;
    let length = work.iter().rev().position(|next| {
        match next.token.kind {
            TokenKind::LeftParen => depth += 1,
            TokenKind::RightParen => depth -= 1,
            _ => {}
        }
        depth == 0
    })?;
    let mut taken: Vec<Traveller> = work.split_off(work.len() - length - 1);
    taken.reverse();
    let close = taken.pop()?;
    let mut arguments = vec![Vec::new()];
    let mut depth = 0_usize;
    for mut next in taken.into_iter().skip(1) {
        match next.token.kind {
            TokenKind::LeftParen => depth += 1,
            TokenKind::RightParen => depth -= 1,
            TokenKind::Comma if depth == 0 => {
                arguments.push(Vec::new());
                continue;
            }
            _ => {}
        }
        next.token.space |= next.token.newline;
        next.token.newline = false;
        if let Some(argument) = arguments.last_mut() {
            argument.push(next);
        }
    }
    Some((arguments, close))
}

/// Returns an argument as a string constant.
fn stringify(argument: &[Traveller]) -> String {
    let mut text = String::from("\"");
    for (index, next) in argument.iter().enumerate() {
        if index > 0 && next.token.space {
            text.push(' ');
        }
        for character in next.token.text.chars() {
            let quoted = matches!(next.token.kind, TokenKind::Text | TokenKind::Quoted);
            if quoted && matches!(character, '"' | '\\') {
                text.push('\\');
            }
            text.push(character);
        }
    }
    text.push('"');
    text
}
