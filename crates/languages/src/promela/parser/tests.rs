//! Small texts and the trees or messages they give.

use std::fmt::Write as _;

use narrows_source::{Diagnostics, NoFiles, Sources};

use super::{
    Context, Options, parse, parse_ctl_text, parse_expression_text, parse_formula_text, parse_with_context,
    show,
};
use crate::promela::ast::{StatementKind, Step, Unit};

fn run(text: &str) -> (String, Vec<String>) {
    let mut sources = Sources::default();
    let file = sources.add("test.pml", text);
    let mut diagnostics = Diagnostics::default();
    let program = parse(&mut sources, file, &NoFiles, &Options::default(), &mut diagnostics);
    let messages = diagnostics
        .sorted()
        .iter()
        .map(|d| {
            let position = sources.position(d.primary.span);
            let help = d.help.as_ref().map(|help| format!(" ({help})")).unwrap_or_default();
            format!("{}:{} {} {}{help}", position.line, position.column, d.code, d.title)
        })
        .collect();
    (show::program(&program), messages)
}

/// Checks the tree of a text without errors.
fn check(text: &str, expected: &str) {
    let (shown, messages) = run(text);
    assert!(messages.is_empty(), "{text}\n{messages:#?}");
    assert_eq!(shown, expected, "{text}");
}

/// Checks statements: the text stands in `init { … }`.
fn body(text: &str, expected: &str) {
    check(&format!("init {{ {text} }}"), &format!("init {{{expected}}}"));
}

/// Checks an expression.
fn expression(text: &str, expected: &str) {
    body(&format!("x = {text}"), &format!("x = {expected}"));
}

/// Checks a formula.
fn formula(text: &str, expected: &str) {
    check(&format!("ltl p {{ {text} }}"), &format!("ltl p {expected}"));
}

/// Checks the messages of a text.
fn errors(text: &str, expected: &[&str]) {
    let (_, messages) = run(text);
    assert_eq!(messages, expected, "{text}");
}

#[test]
fn slips_of_programmers_of_c() {
    errors(
        "init { byte x; x += 1; x <<= 2; x = 3 }",
        &[
            "1:18 P0124 Promela has no `+=` (write `x = x + …`)",
            "1:26 P0124 Promela has no `<<=` (write `x = x << …`)",
        ],
    );
    errors(
        "init { printf('hello'); printf('a') }",
        &[
            "1:15 P0019 a string stands between double quotes (write \"…\" instead of '…')",
            "1:32 P0100 expected a string, found `'a'` (a string stands between double quotes: \"a\")",
        ],
    );
    errors(
        "unsigned x : BITS;",
        &["1:14 P0100 expected a number of bits, found the name `BITS` \
           (write `#define BITS …` above, or give it with `-D BITS=…`)"],
    );
    errors(
        "#include \"missing.h\"\nT t;\nbyte a[N];\ninit { work(t) }",
        &["1:1 P0002 can't include `missing.h`"],
    );
    body("x > 0 --> x = 1", "(x > 0); x = 1");
}

#[test]
fn expressions_bind_as_in_spin() {
    expression("a + b * c - d", "((a + (b * c)) - d)");
    expression("a << 1 + b", "(a << (1 + b))");
    expression("a < b == c > d", "((a < b) == (c > d))");
    expression("a & b == c", "(a & (b == c))");
    expression("a | b ^ c & d", "(a | (b ^ (c & d)))");
    expression("a || b && c || d", "((a || (b && c)) || d)");
    expression("!a == b", "(!a == b)");
    expression("-a * ~b", "(-a * ~b)");
    expression("!!a", "!!a");
    expression("(a -> b + 1 : c)", "(a -> (b + 1) : c)");
    expression("true + false + skip + 'a' + '\\n'", "((((1 + 0) + 1) + 97) + 10)");
    expression("-2147483648", "--2147483648");
}

#[test]
fn expressions_ask() {
    expression("len(c) + a[i].b[2].c", "(Length(c) + a[i].b[2].c)");
    expression("full(c) || nempty(d[1])", "(Full(c) || NotEmpty(d[1]))");
    expression("c?[a, 3, eval(x)] && c??[-1]", "(c?[a,3,eval(x)] && c??[-1])");
    expression("run P(1, c) priority 3", "run P(1, c) priority 3");
    expression(
        "enabled(p) + pc_value(1) + get_priority(_pid)",
        "((enabled(p) + pc_value(1)) + get_priority(_pid))",
    );
    expression("np_ + timeout", "(np_ + timeout)");
    check(
        "proctype P() { byte x; L: x = 1 } init { P[1]@L; P@L -> P[1]:x == P:x }",
        "proctype P() {byte x; L: x = 1}\ninit {P[1]@L; P@L; (P[1]:x == P:x)}",
    );
}

#[test]
fn statements() {
    body("skip; break -> goto L", "1; break; goto L");
    body("a++; b[2]--", "a = (a + 1); b[2] = (b[2] - 1)");
    body("if :: a -> b :: else -> skip fi", "if {a; b} {else; 1} fi");
    body("do :: a :: else break od", "do {a} {else; break} od");
    body("atomic { a; b } d_step { c } { d }", "atomic {a; b}; d_step {c}; {d}");
    body("for (i : 1 .. n + 1) { a }", "for (i : 1 .. (n + 1)) {a}");
    body("for (i in arr); { a }", "for (i in arr) {a}");
    body("assert(a == 1); assert a == 1", "assert (a == 1); assert (a == 1)");
    body("printf(\"x %d\\n\", a, b); printm(a)", "printf(\"x %d\\n\", a, b); printm(a)");
    body("set_priority(0, 3)", "set_priority(0, 3)");
    body("x = run P()", "x = run P()");
    body("{ a } unless { b }; a unless b", "{a} unless {b}; a unless b");
    body("{ a }\nunless\n{ b }", "{a} unless {b}");
    body("xr c; xs c[0], d", "xr c; xs c[0], d");
    body("in = 1", "in = 1");
    body("a;; -> ; b;", "a; b");
}

#[test]
fn labels() {
    body("L: a; M: N: b", "L: a; M: N: b");
    body("a; L: ", "a; L: 1");
    body("do :: L: :: M: skip od", "do {L: 1} {M: 1} od");
    body("L:\n  a", "L: a");
    errors(
        "init { L: byte x; x = 1 }",
        &["1:8 P0106 a label stands before a declaration (move the declaration before the label)"],
    );
}

#[test]
fn sends_and_receives() {
    body("c!a, b + 1; c!a(b, 3); c!!x", "c!a,(b + 1); c!a,b,3; c!!x");
    body("c[1]?a, 3; c?a(b, _); c?(a, -1)", "c[1]?a,3; c?a,b,_; c?a,-1");
    body("c?<a, b>; c??a; c??<eval(x + 1)>", "c?<a,b>; c??a; c??<eval((x + 1))>");
    body("c?[a] -> c??[b] && x", "c?[a]; (c??[b] && x)");
}

#[test]
fn line_breaks_separate() {
    body("c!x\n(y == 1)", "c!x; (y == 1)");
    body("x = a\n-1 < b", "x = a; (-1 < b)");
    body("x = (a\n-1)", "x = (a - 1)");
    body("c\n!x", "c; !x");
    body("a\nb /* \n */ c", "a; b; c");
    body("a +\n b", "(a + b)");
    errors("init { x = 1 y = 2 }", &["1:14 P0102 missing `;` before the name `y`"]);
}

#[test]
fn select_is_literal_as_in_spins_lexer() {
    body("select (i : 1 .. 3)", "select! (i : 1 .. 3)");
    body("select (my_i : 1 .. 3)", "select (my_i : 1 .. 3)");
    body("select (i : 1 .. n)", "select (i : 1 .. n)");
    body("select (i[0] : 1 .. 3)", "select (i[0] : 1 .. 3)");
    body("select (i : 1\n .. 3)", "select (i : 1 .. 3)");
    check("#define N 3\ninit { select (i : 0 .. N) }", "init {select! (i : 0 .. 3)}");
    check("inline f() { select (i : 0 .. 1) } init { f() }", "init {f() {select (i : 0 .. 1)}}");
}

#[test]
fn declarations() {
    check("byte a, b[N + 1] = 5; hidden bit c", "byte a, b[(N + 1)] = 5\nhidden bit c");
    check("unsigned x : 3 = 1, y : 4\nint z[3] = {1, 2, -3}", "unsigned x:3 = 1, y:4\nint z[3] = {1, 2, -3}");
    check("mtype = {a b, c} mtype:s = {d}; mtype {e}", "mtype = {a b c}\nmtype:s = {d}\nmtype = {e}");
    check("mtype:s x; mtype y = a", "mtype:s x\nmtype y = a");
    check("typedef T { byte x, y; mtype:s z\n bit w; }", "typedef T {byte x, y; mtype:s z; bit w}");
}

#[test]
fn channels_and_types() {
    check(
        "typedef T { byte x; chan c[2] = [0] of {bit} } T t; chan c = [2] of { byte, mtype:s, T }",
        "typedef T {byte x; chan c[2] = [0] of {bit}}\nT t\nchan c = [2] of {byte, mtype:s, T}",
    );
    errors("Tt x; Tt y;", &["1:1 P0105 unknown type `Tt`"]);
    errors(
        "chan c = [1] of { byt, Tt }",
        &["1:19 P0105 unknown type `byt` (did you mean `bit`?)", "1:24 P0105 unknown type `Tt`"],
    );
    errors(
        "typedef Tree { byte x } init { Tre t; t.x = 1 }",
        &["1:32 P0105 unknown type `Tre` (did you mean `Tree`?)"],
    );
}

#[test]
fn processes() {
    check(
        "active [N] proctype P(byte a, b; chan c) priority 3 provided (x > 1) { skip }",
        "active[N] proctype P(byte a, b; chan c) priority 3 provided (x > 1) {1}",
    );
    check("active D_proctype P() { skip }", "active D_proctype P() {1}");
    check(
        "init priority 2 { skip } never n { skip } trace { c!x } notrace { c?x }",
        "init priority 2 {1}\nnever n {1}\ntrace {c!x}\nnotrace {c?x}",
    );
    errors("proctype P(byte a, byte b) { skip }", &["1:18 P0118 parameters are separated by `;`"]);
}

#[test]
fn formulas() {
    formula("[] (x == 1 && y)", "Always ‹((x == 1) && y)›");
    formula("[] <> p -> q", "(Always Eventually ‹p› Implies ‹q›)");
    formula("a -> b -> c", "((‹a› Implies ‹b›) Implies ‹c›)");
    formula("a U b U c", "((‹a› Until ‹b›) Until ‹c›)");
    formula("a && b U c || d", "((‹a› And (‹b› Until ‹c›)) Or ‹d›)");
    formula("a && b || !c", "‹((a && b) || !c)›");
    formula("!(a U b) /\\ c \\/ X d", "((!(‹a› Until ‹b›) And ‹c›) Or Next ‹d›)");
    formula("a <-> b W c V d R e", "(‹a› Equivalent (((‹b› WeakUntil ‹c›) Release ‹d›) Release ‹e›))");
    formula("always (a implies eventually b) until c", "(Always (‹a› Implies Eventually ‹b›) Until ‹c›)");
    formula("x < 3 U P@L", "(‹(x < 3)› Until ‹P@L›)");
    formula("R && len(c) - 1 <= 2;", "‹(R && ((Length(c) - 1) <= 2))›");
    formula("a\n-> b", "(‹a› Implies ‹b›)");
    check("ltl { a } ltl q { true }", "ltl ‹a›\nltl q ‹1›");
    errors(
        "ltl p { [] x == 1 }",
        &[
            "1:14 P0116 a formula is used as a number (temporal operators bind tightest: write `[] (x == 1)`, not `[] x == 1`)",
        ],
    );
    body("U = X; W: V", "U = X; W: V");
}

#[test]
fn formulas_know_processes_below() {
    check(
        "ltl p { <> (P:x == 1 || P[0]:y) } proctype P() { skip }",
        "ltl p Eventually ‹((P:x == 1) || P[0]:y)›\nproctype P() {1}",
    );
    check("never { do :: P:x od } proctype P() { skip }", "never {do {P:x} od}\nproctype P() {1}");
    check("init { P: x } proctype P() { skip }", "init {P: x}\nproctype P() {1}");
}

#[test]
fn inlines() {
    check(
        "inline f(a, b) { a = b * 2 } init { f(x, y + 1); f(c.d[i], len(c)) }",
        "init {f() {x = (y + (1 * 2))}; f() {c.d[i] = (Length(c) * 2)}}",
    );
    check("inline g(v) { v++ } inline f(v) { g(v.n) } init { f(x) }", "init {f() {g() {x.n = (x.n + 1)}}}");
    check("inline f(a) { return a + 1 } init { x = f(3) y = 1 }", "init {f() {x = (3 + 1)}; y = 1}");
    check("inline f() { skip } init { L: f(); f() unless f() }", "init {L: f() {1}; f() {1} unless f() {1}}");
}

#[test]
fn inlines_go_wrong() {
    errors("inline f(a) { skip } init { f(1, 2) }", &["1:29 P0111 wrong number of arguments for inline `f`"]);
    errors(
        "inline f() { g() } inline g() { f() } init { f() }",
        &[
            "1:33 P0110 inline `f` calls itself (an inline is copied where it is called; use a process or a loop instead)",
        ],
    );
    errors(
        "inline f() { f() } init { f() }",
        &[
            "1:14 P0110 inline `f` calls itself (an inline is copied where it is called; use a process or a loop instead)",
        ],
    );
    errors(
        "inline f() { return 1 } init { f(); return 2 }",
        &[
            "1:14 P0112 nothing takes the value that is returned here (call the inline as in `x = f(…)`)",
            "1:37 P0112 nothing takes the value that is returned here",
        ],
    );
    errors("inline f() { skip } inline f() { skip }", &["1:28 P0114 inline `f` is defined twice"]);
    errors(
        "init { x = P(1) * 2; y = 1 } proctype P() { skip }",
        &["1:13 P0109 proctype `P` is called like a function (write `run P(…)`)"],
    );
    errors("init { asert(x) }", &["1:8 P0109 unknown inline `asert` (did you mean `assert`?)"]);
}

#[test]
fn missing_ends() {
    errors("init {\n if :: true -> skip\n}", &["3:1 P0103 missing `fi` before `}`"]);
    errors("init { do :: if :: a od }", &["1:22 P0103 missing `fi` before `od`"]);
    errors("init { do :: break fi; x = 1 }", &["1:20 P0104 expected `od`, found `fi`"]);
    errors("init { skip; od; x = 1 }", &["1:14 P0104 `od` without a beginning"]);
    errors("init { atomic { skip\nproctype P() { skip }", &["2:1 P0103 missing `}` before `proctype`"]);
    errors("init { skip", &["1:12 P0103 missing `}` before the end of the text"]);
    errors(
        "init { f(1; x = 2 } inline f(a) { skip }",
        &["1:8 P0109 unknown inline `f` (an inline must be defined before it is used: move it up)"],
    );
    errors("byte x }\nbyte y;", &["1:8 P0102 missing `;` before `}`"]);
}

#[test]
fn slips() {
    errors(
        "porctype P() { skip }",
        &["1:1 P0101 expected a declaration or a process, found `porctype` (did you mean `proctype`?)"],
    );
    errors("init { atmoic { skip } }", &["1:8 P0121 unknown word `atmoic` (did you mean `atomic`?)"]);
    errors("init { L: skip; gto L }", &["1:17 P0121 unknown word `gto` (did you mean `goto`?)"]);
    errors(
        "init { if :: (x = 1) -> skip fi }",
        &["1:17 P0108 an assignment is not an expression (use `==` to compare)"],
    );
    errors(
        "init { x + 1 = 2; y = 3 }",
        &["1:14 P0108 nothing can be assigned to this expression (use `==` to compare)"],
    );
    errors(
        "init { if :: n > 0 && c?x -> skip fi }",
        &[
            "1:24 P0122 a send or a receive is a statement, not an expression (ask with `c?[x]` whether a message can be received, and receive it in the next statement)",
        ],
    );
    errors("init { }", &["1:8 P0117 this block is empty (write `skip` for a statement that does nothing)"]);
    errors(
        "init { if :: fi }",
        &["1:14 P0117 this option is empty (write `skip` for a statement that does nothing)"],
    );
    errors(
        "init { x = ; y = 1; z = ) }",
        &["1:12 P0100 expected an expression, found `;`", "1:25 P0100 expected an expression, found `)`"],
    );
    errors(
        "x = 1; byte y; 3",
        &[
            "1:1 P0101 expected a declaration or a process, found `x` (statements stand in a process; a declaration starts with a type)",
            "1:16 P0100 expected a declaration or a process, found `3`",
        ],
    );
    errors(
        "unsigned:3 x;",
        &["1:9 P0120 only `mtype` has sets (a width stands after the name, as in `unsigned x : 3`)"],
    );
    errors("init { mtype = { a }; skip }", &["1:8 P0119 an `mtype` is declared outside of processes"]);
}

#[test]
fn embedded_c_is_reported_once_each() {
    errors(
        "c_decl { int x = '}'; /* } */ char *s = \"}\"; }\ninit {\n c_code [x > 0] { x++; if (1) { } } skip\n }\n\
         c_state \"int y\" \"Global\"",
        &[
            "1:1 P0113 embedded C (`c_decl`) is not supported (write what it does in Promela)",
            "3:2 P0113 embedded C (`c_code`) is not supported (write what it does in Promela)",
            "5:1 P0113 embedded C (`c_state`) is not supported (write what it does in Promela)",
        ],
    );
}

#[test]
fn deep_nesting_is_an_error_and_no_crash() {
    for (open, close) in [("(", ")"), ("{", "}"), ("if :: ", " fi"), ("!", ""), ("a[", "]"), ("L: ", "")] {
        let text = format!("init {{ {}x{} }}", open.repeat(100_000), close.repeat(100_000));
        let (_, messages) = run(&text);
        assert!(messages.iter().any(|message| message.contains("P0107")), "{open}: {messages:?}");
    }
    let (_, messages) = run(&format!("ltl p {{ {}x }}", "[] ".repeat(100_000)));
    assert_eq!(messages.len(), 1, "{messages:?}");
    let (_, messages) = run(&format!("init {{ x = 1{} }}", " + 1".repeat(100_000)));
    assert_eq!(messages.len(), 1, "{messages:?}");
    let (_, messages) = run(&format!("init {{ x = {}1{} }}", "(".repeat(390), ")".repeat(390)));
    assert!(messages.is_empty(), "{messages:?}");
}

#[test]
fn inlines_that_explode_are_an_error() {
    let mut text = String::from("inline f0() { skip }\n");
    for level in 1..40 {
        let _ = writeln!(text, "inline f{level}() {{ f{0}(); f{0}() }}", level - 1);
    }
    text.push_str("init { f39() }");
    let (_, messages) = run(&text);
    assert!(messages.iter().any(|message| message.contains("P0115")), "{messages:?}");
}

#[test]
fn separate_texts() {
    let mut sources = Sources::default();
    let file = sources.add("test.pml", "#define p (x == 1)\nproctype P() { L: skip }");
    let mut diagnostics = Diagnostics::default();
    let (_, context) =
        parse_with_context(&mut sources, file, &NoFiles, &Options::default(), &mut diagnostics);
    let formula = parse_formula_text(&mut sources, "-f", "[] p -> P:y", &context, &mut diagnostics);
    assert_eq!(formula.as_ref().map(show::ltl).as_deref(), Some("(Always ‹(x == 1)› Implies ‹P:y›)"));
    let value = parse_expression_text(&mut sources, "-e", "p\n - 1", &context, &mut diagnostics);
    assert_eq!(value.as_ref().map(show::expr).as_deref(), Some("((x == 1) - 1)"));
    assert!(!diagnostics.has_errors());
    assert!(parse_formula_text(&mut sources, "-f", "[] p )", &context, &mut diagnostics).is_none());
    assert!(diagnostics.has_errors());
}

/// Checks a formula of computation tree logic.
fn ctl(text: &str, expected: &str) {
    let (found, messages) = ctl_messages(text);
    assert_eq!((found.as_deref(), messages.as_slice()), (Some(expected), [].as_slice()), "{text}");
}

fn ctl_messages(text: &str) -> (Option<String>, Vec<String>) {
    let mut diagnostics = Diagnostics::default();
    let (mut sources, context) = (Sources::default(), Context::default());
    let formula = parse_ctl_text(&mut sources, "--ctl", text, &context, &mut diagnostics);
    let messages =
        diagnostics.sorted().into_iter().map(|message| format!("{}: {}", message.code, message.title));
    (formula.as_ref().map(show::ctl), messages.collect())
}

#[test]
fn formulas_of_trees() {
    ctl("AG p", "AG (‹p›)");
    ctl("AG (p -> AF q)", "AG ((‹p›) -> AF (‹q›))");
    ctl("!EF (x == 1) && AX !p || q", "(!EF (‹(x == 1)›) && AX (‹!p›)) || (‹q›)");
    ctl("A[p U q] -> E[p W q]", "A[(‹p›) U (‹q›)] -> E[(‹p›) W (‹q›)]");
    ctl("A (p until q && r)", "A[(‹p›) U (‹(q && r)›)]");
    ctl("EG EX len(c) <-> np_", "EG EX (‹Length(c)›) <-> (‹np_›)");
    ctl("E[A[p U q] U (AG r)]", "E[A[(‹p›) U (‹q›)] U AG (‹r›)]");
    ctl("AG P[1]@cs", "AG (‹P[1]@cs›)");
    ctl("AG (p implies AF q)", "AG ((‹p›) -> AF (‹q›))");
    ctl("x + 1 > 2", "‹((x + 1) > 2)›");
}

#[test]
fn operators_of_trees_are_names_too() {
    ctl("AG == 1", "‹(AG == 1)›");
    ctl("AG AG", "AG (‹AG›)");
    ctl("A[0] > 1 && EF", "‹((A[0] > 1) && EF)›");
    ctl("A[U] == 1", "‹(A[U] == 1)›");
    ctl("A[AG U U]", "A[(‹AG›) U (‹U›)]");
    ctl("A[E[0] U A[1]]", "A[(‹E[0]›) U (‹A[1]›)]");
    ctl("A[p[1] == 2 W G]", "A[(‹(p[1] == 2)›) W (‹G›)]");
    ctl("AG - 1", "‹(AG - 1)›");
}

#[test]
fn formulas_of_trees_that_are_wrong() {
    let title = "a temporal operator that does not say which paths it means";
    for text in ["[] p", "AG <> p", "p U q", "AG (p U q)", "G p", "E X p", "AG F p", "A p", "AG [] p"] {
        assert_eq!(ctl_messages(text), (None, vec![format!("P0123: {title}")]), "{text}");
    }
    let warned = ctl_messages("AG x == 1");
    assert_eq!(
        warned,
        (Some("AG (‹(x == 1)›)".to_owned()), vec!["P0116: a formula is used as a number".to_owned()])
    );
    for (text, expected) in [
        ("A[p]", None),
        ("A(p)", Some("P0100: expected `U` or `W`, found `)`")),
        ("A[p U q", Some("P0100: expected `]` or an operator, found the end of the text")),
        ("AG", None),
        ("AG (p", Some("P0100: expected `)` or an operator, found the end of the text")),
        ("E[p U q] == 1", Some("P0116: a formula is used as a number")),
        ("", Some("P0100: expected an expression, found the end of the text")),
    ] {
        let expected: Vec<String> = expected.iter().map(|text| (*text).to_owned()).collect();
        assert_eq!(ctl_messages(text).1, expected, "{text}");
    }
    let deep = format!("{}p", "AG ".repeat(100_000));
    assert!(ctl_messages(&deep).1[0].starts_with("P0107"));
}

#[test]
fn any_words_may_be_a_formula() {
    let words = [
        "A", "E", "AG", "EX", "U", "W", "[", "]", "(", ")", "!", "&&", "->", "<->", "[]", "<>", "p",
        "x == 1", "1", "P@l", "c?[x]", "len(c)", "-", "<", ";", "G",
    ];
    let mut random = narrows_graph::Random::new(7);
    for _ in 0..50_000 {
        let words = (0..random.below(12)).map(|_| words[random.index(words.len())]).collect::<Vec<_>>();
        let text = words.join(" ");
        let (formula, messages) = ctl_messages(&text);
        assert!(formula.is_some() || !messages.is_empty(), "{text}");
    }
}

#[test]
fn spans_stay_where_the_text_is() {
    let text = "inline f(a) {\n  x = a + 1\n}\n\ninit { f(y * 2) }";
    let mut sources = Sources::default();
    let file = sources.add("test.pml", text);
    let mut diagnostics = Diagnostics::default();
    let program = parse(&mut sources, file, &NoFiles, &Options::default(), &mut diagnostics);
    let Unit::Init(init) = &program.units[0] else { panic!("{program:?}") };
    let Step::Statement(call) = &init.body.steps[0] else { panic!("{program:?}") };
    assert_eq!(sources.text(call.span), "f(y * 2)");
    let StatementKind::Inline(_, body) = &call.kind else { panic!("{program:?}") };
    assert_eq!(sources.text(body.span), "{\n  x = a + 1\n}");
    let Step::Statement(assign) = &body.steps[0] else { panic!("{program:?}") };
    assert_eq!(sources.text(assign.span), "x = a + 1");
}
