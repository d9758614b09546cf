//! Characters to tokens.
//!
//! The lexer knows neither keywords nor directives: the preprocessor may rename everything, so words become
//! keywords only when it is done (see [`super::preprocess`]).

use std::rc::Rc;

use logos::Logos;
use narrows_source::{Diagnostic, Diagnostics, FileId, Span};
use rustc_hash::FxHashSet;

/// What a token is. The variants up to `Name` come from the text, keywords and values from the end of
/// preprocessing.
#[derive(Logos, Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[logos(skip r"[ \t\r\x0B\x0C\x00\u{FEFF}]+")]
#[logos(skip r"\\[ \t\r]*\n")]
#[logos(skip r"//(\\\r?\n|[^\n])*")]
pub(crate) enum TokenKind {
    #[regex(r"/\*([^*]|\*+[^*/])*\*+/")]
    Comment,
    #[token("\n")]
    Newline,
    #[token("/*")]
    UnterminatedComment,
    #[regex(r#""([^"\\\n]|\\[^\n])*""#)]
    Text,
    #[regex(r#""([^"\\\n]|\\[^\n])*"#)]
    UnterminatedText,
    #[regex(r"'([^'\\\n]|\\[^\n])'", priority = 20)]
    Quoted,
    /// More than one character between single quotes, which Promela has not.
    #[regex(r"'([^'\\\n]|\\[^\n])+'")]
    QuotedText,
    #[regex("[0-9][0-9A-Za-z_]*")]
    Digits,
    #[regex("[A-Za-z_][0-9A-Za-z_]*")]
    Name,

    #[token("#")]
    Hash,
    #[token("##")]
    HashHash,
    #[token("(")]
    LeftParen,
    #[token(")")]
    RightParen,
    #[token("[")]
    LeftBracket,
    #[token("]")]
    RightBracket,
    #[token("{")]
    LeftBrace,
    #[token("}")]
    RightBrace,
    #[token(",")]
    Comma,
    #[token(";")]
    Semicolon,
    #[token(":")]
    Colon,
    #[token("::")]
    ColonColon,
    #[token(".")]
    Dot,
    #[token("..")]
    DotDot,
    // SPIN looks for a second `-` before it looks for `>`, and takes either for an arrow.
    #[token("->")]
    #[token("-->")]
    Arrow,
    #[token("=")]
    Assign,
    #[token("==")]
    Equal,
    #[token("!=")]
    #[token("!!=")]
    NotEqual,
    #[token("<")]
    Less,
    #[token("<=")]
    LessEqual,
    #[token("<<")]
    #[token("<=<")]
    ShiftLeft,
    #[token(">")]
    Greater,
    #[token(">=")]
    GreaterEqual,
    #[token(">>")]
    #[token(">=>")]
    ShiftRight,
    #[token("+")]
    Plus,
    #[token("++")]
    PlusPlus,
    #[token("-")]
    Minus,
    #[token("--")]
    MinusMinus,
    #[token("*")]
    Star,
    #[token("/")]
    Slash,
    #[token("%")]
    Percent,
    #[token("&")]
    Ampersand,
    #[token("&&")]
    AndAnd,
    #[token("|")]
    Pipe,
    #[token("||")]
    OrOr,
    #[token("^")]
    Caret,
    #[token("~")]
    Tilde,
    #[token("!")]
    Bang,
    #[token("!!")]
    BangBang,
    #[token("?")]
    Query,
    #[token("??")]
    QueryQuery,
    #[token("@")]
    At,
    #[token("\\", priority = 1)]
    Backslash,

    /// A character that begins no token.
    #[token("'", priority = 1)]
    Unknown,
    /// The end of the tokens.
    End,

    /// A decimal number, in [`Token::value`].
    Number,
    /// A character constant, in [`Token::value`].
    Character,
    /// `c_code { … }` and its relatives, reported already.
    EmbeddedC,

    Active,
    Assert,
    Atomic,
    Bit,
    Bool,
    Break,
    Byte,
    Chan,
    CCode,
    CDecl,
    CExpr,
    CState,
    CTrack,
    DProctype,
    DStep,
    Do,
    Else,
    Empty,
    Enabled,
    Eval,
    False,
    Fi,
    For,
    Full,
    GetPriority,
    Goto,
    Hidden,
    If,
    Init,
    Inline,
    Int,
    Len,
    Local,
    Ltl,
    Mtype,
    Nempty,
    Never,
    Nfull,
    Notrace,
    Np,
    Od,
    Of,
    PcValue,
    Pid,
    Printf,
    Printm,
    Priority,
    Proctype,
    Provided,
    Return,
    Run,
    Select,
    SetPriority,
    Short,
    Show,
    Skip,
    Timeout,
    Trace,
    True,
    Typedef,
    Unless,
    Unsigned,
    Xr,
    Xs,
}

/// Every keyword; `in` is one only in the head of a `for`.
pub(crate) const KEYWORDS: &[(&str, TokenKind)] = &[
    ("active", TokenKind::Active),
    ("assert", TokenKind::Assert),
    ("atomic", TokenKind::Atomic),
    ("bit", TokenKind::Bit),
    ("bool", TokenKind::Bool),
    ("break", TokenKind::Break),
    ("byte", TokenKind::Byte),
    ("c_code", TokenKind::CCode),
    ("c_decl", TokenKind::CDecl),
    ("c_expr", TokenKind::CExpr),
    ("c_state", TokenKind::CState),
    ("c_track", TokenKind::CTrack),
    ("chan", TokenKind::Chan),
    ("D_proctype", TokenKind::DProctype),
    ("d_step", TokenKind::DStep),
    ("do", TokenKind::Do),
    ("else", TokenKind::Else),
    ("empty", TokenKind::Empty),
    ("enabled", TokenKind::Enabled),
    ("eval", TokenKind::Eval),
    ("false", TokenKind::False),
    ("fi", TokenKind::Fi),
    ("for", TokenKind::For),
    ("full", TokenKind::Full),
    ("get_priority", TokenKind::GetPriority),
    ("goto", TokenKind::Goto),
    ("hidden", TokenKind::Hidden),
    ("if", TokenKind::If),
    ("init", TokenKind::Init),
    ("inline", TokenKind::Inline),
    ("int", TokenKind::Int),
    ("len", TokenKind::Len),
    ("local", TokenKind::Local),
    ("ltl", TokenKind::Ltl),
    ("mtype", TokenKind::Mtype),
    ("nempty", TokenKind::Nempty),
    ("never", TokenKind::Never),
    ("nfull", TokenKind::Nfull),
    ("notrace", TokenKind::Notrace),
    ("np_", TokenKind::Np),
    ("od", TokenKind::Od),
    ("of", TokenKind::Of),
    ("pc_value", TokenKind::PcValue),
    ("pid", TokenKind::Pid),
    ("printf", TokenKind::Printf),
    ("printm", TokenKind::Printm),
    ("priority", TokenKind::Priority),
    ("proctype", TokenKind::Proctype),
    ("provided", TokenKind::Provided),
    ("return", TokenKind::Return),
    ("run", TokenKind::Run),
    ("select", TokenKind::Select),
    ("set_priority", TokenKind::SetPriority),
    ("short", TokenKind::Short),
    ("show", TokenKind::Show),
    ("skip", TokenKind::Skip),
    ("timeout", TokenKind::Timeout),
    ("trace", TokenKind::Trace),
    ("true", TokenKind::True),
    ("typedef", TokenKind::Typedef),
    ("unless", TokenKind::Unless),
    ("unsigned", TokenKind::Unsigned),
    ("xr", TokenKind::Xr),
    ("xs", TokenKind::Xs),
];

/// Returns the keyword with this spelling.
pub(crate) fn keyword(text: &str) -> Option<TokenKind> {
    KEYWORDS.iter().find(|(spelling, _)| *spelling == text).map(|(_, kind)| *kind)
}

/// One token.
#[derive(Clone, Debug)]
pub(crate) struct Token {
    /// What it is.
    pub(crate) kind: TokenKind,
    /// How it is spelt.
    pub(crate) text: Rc<str>,
    /// The value of a number or a character.
    pub(crate) value: i32,
    /// Where it stands; for a token out of a macro's body, where the macro is used.
    pub(crate) span: Span,
    /// Whether it is the first of its line.
    pub(crate) newline: bool,
    /// Whether a comment with a line break comes before it: no new line for a directive, but one for
    /// statements.
    pub(crate) comment_break: bool,
    /// Whether white space or a comment comes before it.
    pub(crate) space: bool,
    /// How many inline calls deep its text stands: 0 outside of all inlines.
    pub(crate) level: u32,
    /// The outermost macro whose body it comes from.
    pub(crate) origin: Option<Rc<str>>,
}

/// Keeps one copy of each spelling.
#[derive(Debug, Default)]
pub(crate) struct Interner {
    texts: FxHashSet<Rc<str>>,
}

impl Interner {
    /// Returns the shared copy of a text.
    pub(crate) fn intern(&mut self, text: &str) -> Rc<str> {
        if let Some(shared) = self.texts.get(text) {
            return shared.clone();
        }
        let shared: Rc<str> = Rc::from(text);
        self.texts.insert(shared.clone());
        shared
    }
}

/// Splits a text into tokens; the last one is [`TokenKind::End`].
pub(crate) fn lex(
    text: &str,
    file: FileId,
    interner: &mut Interner,
    diagnostics: &mut Diagnostics,
) -> Vec<Token> {
    let mut tokens = Vec::new();
    let mut newline = true;
    let mut comment_break = false;
    let mut last = 0;
    for (kind, range) in TokenKind::lexer(text).spanned() {
        let kind = kind.unwrap_or(TokenKind::Unknown);
        if kind == TokenKind::Newline {
            newline = true;
            continue;
        }
        if kind == TokenKind::Comment {
            comment_break |= text[range].contains('\n');
            continue;
        }
        let span = Span::new(file, range.start, range.end);
        if kind == TokenKind::UnterminatedComment {
            Diagnostic::error("P0015", span, "unterminated comment")
                .label("this comment has no end")
                .help("close it with `*/`")
                .emit(diagnostics);
            break;
        }
        tokens.push(Token {
            kind,
            text: interner.intern(&text[range.clone()]),
            value: 0,
            span,
            newline,
            comment_break,
            space: range.start > last,
            level: 0,
            origin: None,
        });
        newline = false;
        comment_break = false;
        last = range.end;
    }
    tokens.push(Token {
        kind: TokenKind::End,
        text: interner.intern(""),
        value: 0,
        span: Span::new(file, text.len(), text.len()),
        newline: true,
        comment_break: false,
        space: true,
        level: 0,
        origin: None,
    });
    tokens
}

#[cfg(test)]
mod tests {
    use narrows_source::{Diagnostics, FileId};

    use super::{Interner, lex};

    fn check(input: &str, expected: &str) {
        let mut diagnostics = Diagnostics::default();
        let tokens = lex(input, FileId(0), &mut Interner::default(), &mut diagnostics);
        let shown: Vec<String> = tokens[..tokens.len() - 1]
            .iter()
            .map(|token| format!("{}{:?}", if token.newline { "/" } else { "" }, token.kind))
            .collect();
        assert_eq!(shown.join(" "), expected, "{input:?}");
    }

    #[test]
    fn splits_operators_greedily() {
        check("a--->b", "/Name MinusMinus Arrow Name");
        check("c??[x]!! =", "/Name QueryQuery LeftBracket Name RightBracket BangBang Assign");
        check("1..3", "/Digits DotDot Digits");
        check(r"[]<> /\ \/", "/LeftBracket RightBracket Less Greater Slash Backslash Backslash Slash");
        check("<->", "/Less Arrow");
    }

    #[test]
    fn takes_for_operators_what_spin_takes() {
        check("a --> b-->c", "/Name Arrow Name Arrow Name");
        check("a <=< b >=> c !!= d", "/Name ShiftLeft Name ShiftRight Name NotEqual Name");
        check("a <= b >= c", "/Name LessEqual Name GreaterEqual Name");
    }

    #[test]
    fn marks_line_breaks_but_not_those_in_comments_and_continuations() {
        check("a\nb", "/Name /Name");
        check("a /* \n */ b", "/Name Name");
        check("a // x\nb", "/Name /Name");
        check("a \\\n b", "/Name Name");
        check("a /* ** / */ b", "/Name Name");
        check("// a \\\n still\nb", "/Name");
    }

    #[test]
    fn keeps_going_at_odd_characters() {
        check("a $ é ' b", "/Name Unknown Unknown Unknown Name");
        check("\"ab\\\"c\" 'x' '\\n' \"open", "/Text Quoted Quoted UnterminatedText");
        check("'ab\\n' 'c'", "/QuotedText Quoted");
    }
}
