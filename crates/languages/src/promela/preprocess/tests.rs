//! Small texts and what the preprocessor makes of them.

use std::fmt::Write as _;

use narrows_source::{Diagnostics, LoadError, Loaded, Loader, Sources};

use super::{Options, preprocess};

/// Two files by name.
struct Files;

impl Loader for Files {
    fn load(&self, path: &str, _from: &str, system: bool) -> Result<Loaded, LoadError> {
        let text = match (path, system) {
            ("one.h", false) => "one /* comment */\n#define ONE 1\n",
            ("sub/two.h", true) => "two\n",
            ("self.h", _) => "#include \"self.h\"\n",
            _ => return Err(LoadError::NoFiles),
        };
        Ok(Loaded { name: path.to_owned(), text: text.to_owned() })
    }
}

fn run(text: &str, definitions: &[(&str, Option<&str>)]) -> (String, Vec<String>) {
    let mut sources = Sources::default();
    let file = sources.add("test.pml", text);
    let mut diagnostics = Diagnostics::default();
    let definitions =
        definitions.iter().map(|(name, value)| ((*name).to_owned(), value.map(str::to_owned))).collect();
    let options = Options { definitions, ..Options::default() };
    let tokens = preprocess(&mut sources, file, &Files, &options, &mut diagnostics).tokens;
    let shown: Vec<&str> = tokens[..tokens.len() - 1].iter().map(|token| &*token.text).collect();
    let messages = diagnostics
        .sorted()
        .iter()
        .map(|d| format!("{} {} {}", sources.position(d.primary.span).line, d.code, d.title))
        .collect();
    (shown.join(" "), messages)
}

fn check(text: &str, expected: &str) {
    let (shown, messages) = run(text, &[]);
    assert!(messages.is_empty(), "{text}\n{messages:?}");
    assert_eq!(shown, expected, "{text}");
}

fn errors(text: &str, expected: &[&str]) {
    assert_eq!(run(text, &[]).1, expected, "{text}");
}

#[test]
fn objects() {
    check("#define A 1 + B\n#define B 2\nA B\n#undef B\nA", "1 + 2 2 1 + B");
    check("#define A A + B\n#define B A\nA B", "A + A A + B");
    check("#define EMPTY\na EMPTY b", "a b");
    check("#define LONG a \\\n  b\nLONG", "a b");
    check("#  define A /* one\n two */ 3\nA", "3");
    check("#define while do\nwhile", "do");
}

#[test]
fn functions() {
    check("#define SUM(a, b) (a + b)\nSUM(1, (2, 3)) SUM (x,\n y) SUM", "( 1 + ( 2 , 3 ) ) ( x + y ) SUM");
    check("#define F() f\nF() F( )", "f f");
    check("#define ID(x) x\nID(ID(ID(1))) ID()", "1");
    check("#define F(x) x F(x)\nF(1)", "1 F ( 1 )");
    check("#define G(x) [x]\n#define H G\nH(2)", "[ 2 ]");
    check("#define OBJECT (x) x\nOBJECT", "( x ) x");
}

#[test]
fn the_standards_own_example() {
    check(
        "#define x 3\n#define f(a) f(x * (a))\n#undef x\n#define x 2\n#define g f\n#define z z[0]\n\
         #define h g(~\n#define m(a) a(w)\n#define w 0,1\n#define t(a) a\n\
         f(y+1) + f(f(z)) % t(t(g)(0) + t)(1);\ng(x+(3,4)-w) | h 5) & m\n(f)^m(m);",
        "f ( 2 * ( y + 1 ) ) + f ( 2 * ( f ( 2 * ( z [ 0 ] ) ) ) ) % f ( 2 * ( 0 ) ) + t ( 1 ) ; \
         f ( 2 * ( 2 + ( 3 , 4 ) - 0 , 1 ) ) | f ( 2 * ( ~ 5 ) ) & f ( 2 * ( 0 , 1 ) ) ^ m ( 0 , 1 ) ;",
    );
}

#[test]
fn strings_and_pastes() {
    check("#define S(x) #x\nS(a  + \"b\\n\") S()", "\"a + \\\"b\\\\n\\\"\" \"\"");
    check("#define J(a, b) a ## b\nJ(x, 1) J(, y) J(z,) J(1, 2)", "x1 y z 12");
    check("#define J(a) p_ ## a ## _q\n#define N n\nJ(N) J()", "p_N_q p__q");
    errors("#define J(a, b) a ## b\nJ(x, +)", &["2 P0013 `##` makes no token of `x+`"]);
}

#[test]
fn conditions() {
    check("#if 1 + 1 == 2 && !defined(A)\nyes\n#else\nno\n#endif", "yes");
    check("#define A 3\n#if defined A && A > 2 ? 1 : 1 / 0\nyes\n#elif 1\nno\n#endif", "yes");
    check("#ifdef A\na\n#elif 0x10 == 16L\nb\n#else\nc\n#endif", "b");
    check("#ifndef A\n#if 0\nx\n#else\ny\n#endif\n#endif z", "y");
    check("#if 0\n' \" #bad\n#if 1\n#endif\n#error no\n#endif\nok", "ok");
    check("#if 0 && 1 / 0\n#else\nok\n#endif", "ok");
    errors("#if 1 +\n#endif", &["1 P0006 malformed condition of the preprocessor"]);
    errors("#if 1 / 0\n#endif", &["1 P0006 malformed condition of the preprocessor"]);
    errors("#if 1\n", &["1 P0004 unterminated conditional"]);
    errors(
        "#else\n#endif\n#if 1\n#else\n#else\n#endif",
        &["1 P0005 `#else` without `#if`", "2 P0005 `#endif` without `#if`", "5 P0005 `#else` after `#else`"],
    );
    let deep = format!("#if {}1\n#endif", "(".repeat(100_000));
    assert_eq!(run(&deep, &[]).1.len(), 1);
}

#[test]
fn includes() {
    check("#include \"one.h\"\n#include <sub/two.h>\nONE", "one two 1");
    check("#define FILE \"one.h\"\n#include FILE\n", "one");
    errors("#include \"none.h\"", &["1 P0002 can't include `none.h`"]);
    errors("#include none", &["1 P0002 `#include` needs a file"]);
    errors("#include \"self.h\"", &["1 P0003 includes are nested too deeply"]);
}

#[test]
fn other_directives() {
    check("#line 3 \"f\"\n# 12 \"g\"\n#pragma once\n#ident \"x\"\n#\na", "a");
    errors(
        "#error do not\n#warning oh\n#defien A",
        &["1 P0007 `#error`: do not", "2 P0008 `#warning`: oh", "3 P0001 unknown directive `#defien`"],
    );
    errors("#define A 1\n#define A  1\n#define A 2", &["3 P0010 macro `A` is defined again"]);
    errors(
        "#define\n#define F(a\n#undef",
        &[
            "1 P0009 `#define` needs a name",
            "2 P0009 malformed parameters of macro `F`",
            "3 P0009 `#undef` needs a name",
        ],
    );
}

#[test]
fn calls_go_wrong() {
    errors("#define F(a) a\nF(1, 2)", &["2 P0011 wrong number of arguments for macro `F`"]);
    errors("#define F(a) a\nF(1", &["2 P0012 unterminated call of macro `F`"]);
}

#[test]
fn explosions_are_an_error() {
    let mut text = String::from("#define A0 a\n");
    for level in 1..64 {
        let _ = writeln!(text, "#define A{level} A{0} A{0} A{0}", level - 1);
    }
    text.push_str("A63");
    let (_, messages) = run(&text, &[]);
    assert_eq!(messages.len(), 1, "{messages:?}");
    assert!(messages[0].contains("P0014"), "{messages:?}");
    let deep = format!("#define F(a) a\n{}1{}", "F(".repeat(10_000), ")".repeat(10_000));
    assert!(run(&deep, &[]).1.iter().any(|message| message.contains("P0014")));
}

#[test]
fn the_command_line_defines() {
    assert_eq!(run("A B", &[("A", None), ("B", Some("x + 1"))]).0, "1 x + 1");
}

#[test]
fn numbers_and_characters() {
    errors(
        "1a 0x1F 2147483648 2147483647 $ \"open",
        &[
            "1 P0018 malformed number `1a`",
            "1 P0018 malformed number `0x1F`",
            "1 P0022 the number 2147483648 is out of range: -2147483648 is used",
            "1 P0017 unexpected character `$`",
            "1 P0016 unterminated string",
        ],
    );
    errors("a /* open", &["1 P0015 unterminated comment"]);
    errors(
        "4294967297 99999999999999999999 -2147483648",
        &[
            "1 P0022 the number 4294967297 is out of range: 1 is used",
            "1 P0022 the number 99999999999999999999 is out of range: -1 is used",
        ],
    );
}

#[test]
fn what_spin_reads_all_the_same() {
    let (shown, messages) = run("a */ b\n*/\nc */* comment */ d *// comment\ne * / f <=< 1", &[]);
    assert_eq!(shown, "a b c * d * e * / f <=< 1");
    assert_eq!(
        messages,
        ["1 P0020 `*/` ends no comment", "2 P0020 `*/` ends no comment", "4 P0021 `<=<` is read as `<<`"]
    );
    errors("'hello\\n' 'a'", &["1 P0019 a string stands between double quotes"]);
}
