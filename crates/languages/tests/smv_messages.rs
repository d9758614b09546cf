//! What is said of SMV models that can't be used: for each code a small model, the line the message points
//! to, and phrases that the message as it is shown must contain.

use std::collections::BTreeSet;

use narrows_languages::Language;
use narrows_languages::smv::{Compiled, Given, Options, Smv, compile};
use narrows_languages::{Formula, Logic};
use narrows_source::{Diagnostics, Explanation, Sources, Span, render};

type Said = Vec<(&'static str, usize, String)>;

fn compiled(model: &str, options: &Options) -> (Option<Compiled>, Said) {
    let mut sources = Sources::default();
    let file = sources.add("model.smv", model);
    let mut diagnostics = Diagnostics::default();
    let compiled = compile(&mut sources, file, options, &mut diagnostics);
    assert_eq!(compiled.is_none(), diagnostics.has_errors(), "{model}");
    let list = diagnostics.sorted();
    let said = list
        .iter()
        .map(|message| {
            let line = sources.position(message.primary.span).line;
            (message.code, line, render(message, &sources, false))
        })
        .collect();
    (compiled, said)
}

fn messages_of(model: &str) -> Said {
    compiled(model, &Options::default()).1
}

type Case = (&'static str, &'static str, usize, &'static [&'static str]);

const CASES: &[Case] = &[
    ("MODULE main\nVAR x : boolean;\nINIT x @ TRUE;", "V0001", 3, &["`@` does not belong here"]),
    (
        "# 1 \"model.smv\"\n#define N 3\nMODULE main\nVAR x : boolean;",
        "V0001",
        2,
        &["a line for the preprocessor stands", "let `cpp -P` read the file first"],
    ),
    ("MODULE main\n/-- open", "V0002", 2, &["a comment has no end", "end it with `--/`"]),
    ("MODULE main\nVAR x : word[2];\nINIT x = 0ub2_2;", "V0003", 3, &["the digits do not fit the base"]),
    ("MODULE main\nVAR x : word[2];\nINIT x = 0ud2_9;", "V0003", 3, &["does not fit into the word"]),
    ("MODULE main\nVAR x boolean;", "V0100", 2, &["`boolean` stands where `:` and a type should"]),
    ("MODULE main\nVAR case : boolean;", "V0100", 2, &["`case` is a word of SMV and can't be a name"]),
    (
        "MODULE main\nVAR x : boolean;\nASIGN x := TRUE;",
        "V0100",
        3,
        &["`ASIGN` stands where", "did you mean `ASSIGN`?"],
    ),
    (
        "MODULE main\nVAR x : 0..1;\nINIT case x = 0 : TRUE;\nVAR y : boolean;",
        "V0103",
        4,
        &["has no `esac`", "it begins here"],
    ),
    ("MODULE main\nVAR x : 0..3;\nINIT x = eval(2);", "V0104", 3, &["there is no function `eval`"]),
    (
        "MODULE mian\nVAR x : boolean;",
        "V0200",
        1,
        &["there is no module `main`", "did you mean `main` by `mian`?"],
    ),
    (
        "MODULE main\nVAR count : 0..3;\nINIT cuont = 0;",
        "V0201",
        3,
        &["unknown name `cuont`", "did you mean `count`?"],
    ),
    (
        "MODULE main\nVAR a : 0..3; b : 0..3;\nINIT a-b = 0;",
        "V0201",
        3,
        &["a name may hold a minus sign", "write `a - b`"],
    ),
    ("MODULE main\nVAR a : boolean;\nINIT true;", "V0201", 3, &["did you mean `TRUE`?"]),
    (
        "MODULE m\nVAR x : boolean;\nMODULE main\nVAR i : m;\nINIT i.y;",
        "V0201",
        5,
        &["module `m` has no `y`"],
    ),
    ("MODULE main\nVAR x : boolean;\nINIT x.y;", "V0201", 3, &["what stands before `.y` has no parts"]),
    (
        "MODULE main\nVAR x : boolean;\n    x : 0..1;",
        "V0202",
        3,
        &["`x` is declared twice", "first declared here"],
    ),
    ("MODULE cell\nMODULE main\nVAR c : cel;", "V0203", 3, &["unknown module `cel`", "did you mean `cell`?"]),
    ("MODULE m(a, b)\nMODULE main\nVAR c : m(TRUE);", "V0204", 3, &["`m` takes 2 arguments, but gets 1"]),
    ("MODULE m\nVAR i : m;\nMODULE main\nVAR c : m;", "V0205", 2, &["module `m` is part of itself"]),
    (
        "MODULE main\nVAR x : boolean;\nASSIGN next(x) := TRUE;\nnext(x) := FALSE;",
        "V0206",
        4,
        &["`x` is assigned twice"],
    ),
    (
        "MODULE main\nVAR x : boolean;\nASSIGN x := TRUE;\ninit(x) := FALSE;",
        "V0206",
        4,
        &["this gives its value at all times"],
    ),
    ("MODULE main\nDEFINE a := b;\n b := !a;", "V0207", 2, &["the definition of `a` needs itself"]),
    (
        "MODULE main\nVAR x : boolean; y : boolean;\nASSIGN x := y;\n y := x;",
        "V0207",
        3,
        &["it goes round: x needs y needs x"],
    ),
    (
        "MODULE main\nVAR x : boolean; y : boolean;\nASSIGN next(x) := next(y);\n next(y) := next(x);",
        "V0207",
        3,
        &["needs itself"],
    ),
    (
        "MODULE main\nVAR x : {red, green};\nINIT x + 1 = 2;",
        "V0208",
        3,
        &["a number is needed here, and this is a symbol"],
    ),
    ("MODULE main\nVAR x : {red, green};\nINIT !x = red;", "V0208", 3, &["`!` binds tightest"]),
    ("MODULE main\nVAR x : word[4]; y : word[3];\nINIT x = y;", "V0208", 3, &["do not go together"]),
    (
        "MODULE main\nVAR e : {x, y};\n  x : {x, y};",
        "V0202",
        3,
        &["`x` is a symbol and something else as well", "here it is a symbol"],
    ),
    (
        "MODULE main\nDEFINE idle := TRUE;\nVAR s : {idle, busy};",
        "V0202",
        2,
        &["`idle` is a symbol and something else as well"],
    ),
    (
        "MODULE main\nVAR x : boolean;\nCTLSPEC AG x IN x",
        "V0201",
        3,
        &["`x` is not an instance of a module", "stands behind `IN`"],
    ),
    ("MODULE main\nVAR p.q : boolean;\nINIT p.r;", "V0201", 3, &["unknown name `p.r`"]),
    ("MODULE main\nVAR p.q : boolean;\nINIT p;", "V0201", 3, &["unknown name `p`"]),
    (
        "MODULE main\nVAR w : word[65];\nASSIGN init(w) := {0ud65_1, 0ud65_2};",
        "V0217",
        3,
        &["words of more than 64 bits can't be members of a set"],
    ),
    (
        "MODULE main\nVAR w : word[300];\nINIT w / w = w;",
        "V0210",
        3,
        &["words of more than 256 bits can't be divided"],
    ),
    ("MODULE main\nVAR w : word[70];\nINIT toint(w) = 1;", "V0210", 3, &["can't be a number"]),
    ("MODULE main\nVAR w : word[20000];", "V0210", 2, &["a word can't have 20000 bits"]),
    ("MODULE main\nVAR w : word[66];\nINIT w = 0ub66_2;", "V0003", 3, &["the digits do not fit the base"]),
    ("MODULE main\nVAR w : word[66];\nINIT w = 0ud66_99999999999999999999;", "V0003", 3, &["does not fit"]),
    (
        "MODULE main\nVAR x : word[4];\nINIT (x >> 70) = x;",
        "V0208",
        3,
        &["a word of 4 bits is shifted by 0 to 4 bits"],
    ),
    ("MODULE main\nVAR n : 0..3;\n x : 0..n;", "V0209", 3, &["this is not a constant"]),
    ("MODULE main\nVAR x : 3..0;", "V0210", 2, &["there is no number from 3 to 0", "write `0..3`"]),
    ("MODULE main\nVAR a : array 3..0 of boolean;", "V0210", 2, &["at least one element"]),
    (
        "MODULE main\nVAR a : array 0..60000 of array 0..60000 of array 0..60000 of boolean;",
        "V0210",
        2,
        &["too many elements of arrays", "more than 200000 variables"],
    ),
    (
        "MODULE main\nVAR x : boolean;\nCTLSPEC ABF 0..99999 x;",
        "V0210",
        3,
        &["a bound is a number from 0 to 10000"],
    ),
    ("MODULE main\nVAR x : boolean;\nINIT next(x);", "V0211", 3, &["`next` has no place in INIT"]),
    ("MODULE main\nVAR x : boolean;\nTRANS next(next(x));", "V0211", 3, &["`next` stands within `next`"]),
    ("MODULE main\nVAR x : boolean;\nCTLSPEC G x;", "V0212", 3, &["does not belong to CTL"]),
    ("MODULE main\nVAR x : boolean;\nLTLSPEC AG x;", "V0212", 3, &["does not belong to LTL"]),
    ("MODULE main\nVAR x : boolean;\nINIT G x;", "V0212", 3, &["a temporal operator has no place here"]),
    ("MODULE main\nVAR x : boolean;\nCTLSPEC (AG x) + 1;", "V0212", 3, &["a formula is used as a value"]),
    ("MODULE main\nIVAR go : boolean;\nINIT go;", "V0213", 3, &["the input `go` has no place in INIT"]),
    ("MODULE main\nIVAR go : boolean;\nTRANS next(go);", "V0213", 3, &["has no place in `next`"]),
    (
        "MODULE main\nIVAR x : boolean;\nASSIGN init(x) := TRUE;",
        "V0214",
        3,
        &["an input has any value in every step"],
    ),
    ("MODULE main\nDEFINE x := TRUE;\nASSIGN x := FALSE;", "V0214", 3, &["`x` can't be assigned"]),
    (
        "MODULE main\nVAR a : array 0..2 of boolean;\nINIT a[3];",
        "V0215",
        3,
        &["the array has no element 3", "0 to 2"],
    ),
    ("MODULE main\nVAR x : word[4];\nINIT x[4:1] = 0ub4_0;", "V0215", 3, &["the word has no bits 4 to 1"]),
    ("MODULE main\nVAR x : boolean;\nINIT x[0];", "V0215", 3, &["this is not an array"]),
    (
        "MODULE main\nVAR a : array word[32] of word[8];",
        "V0220",
        2,
        &["an array can't have indices of 32 bits and elements of 8", "at most 16384 bits"],
    ),
    (
        "MODULE main\nVAR a : array word[2] of 0..3;",
        "V0220",
        2,
        &["elements of an array with words as indices are words or truth values", "0..15"],
    ),
    (
        "MODULE main\nVAR a : array word[2] of word[8];\nINVARSPEC READ(a, 0ud3_1) = 0ud8_0;",
        "V0208",
        3,
        &["an unsigned word of 2 bits is needed here, and this is an unsigned word of 3 bits"],
    ),
    (
        "MODULE main\nVAR a : array word[2] of word[8];\nINVARSPEC a + a = a;",
        "V0208",
        3,
        &["a single value is needed here", "an array with words of 2 bits as indices"],
    ),
    (
        "MODULE main\nVAR b : boolean;\nINVARSPEC READ(b, 0ud1_0);",
        "V0208",
        3,
        &["an array with words as indices is needed here"],
    ),
    (
        "MODULE main\nVAR b : boolean;\n a : array integer of array integer of word[8];",
        "V0220",
        3,
        &["an array whose indices are all integers has no bounds", "array word[4] of"],
    ),
    ("MODULE main\nVAR x : integer;", "V0216", 2, &["a variable of type `integer` has no end of values"]),
    (
        "MODULE main\nVAR x : 0..3;\nINIT x = {1, 2};",
        "V0217",
        3,
        &["a set stands where a value is needed", "use `in`"],
    ),
    ("MODULE main\nVAR x : 0..3;\nASSIGN init(x) := 4;", "V0218", 3, &["`x` can't be 4"]),
    (
        "MODULE main\nVAR x : {a, b}; y : {c, d};\nASSIGN next(x) := y;",
        "V0218",
        3,
        &["can never be what is assigned"],
    ),
    (
        "MODULE main\nVAR x : boolean;\nASSIGN next(x) := case\n x : 0; 1 : 1; esac;",
        "V0301",
        4,
        &["numbers are used as truth values"],
    ),
    (
        "MODULE main\nVAR x : boolean;\nPSLSPEC always {x; x} |-> x;\nINIT x;",
        "V0302",
        3,
        &["regular expression"],
    ),
    ("MODULE main\nVAR x : {red, red};", "V0303", 2, &["`red` stands twice"]),
    (
        "MODULE main\nVAR x : 0..3;\nTRANS next(x) = 3 -> 6 / next(x) = 2;\nTRANS 6 / next(x) = 2;",
        "V0305",
        3,
        &["not checked: whether this is a division by zero"],
    ),
    ("MODULE main\nVAR x : 0..3; y : 0..7;\nASSIGN init(x) := y;", "V0304", 3, &["there is no state"]),
];

#[test]
fn messages_point_to_the_place_and_say_what_to_do() {
    for (model, code, line, phrases) in CASES {
        let said = messages_of(model);
        let found = said.iter().find(|(other, _, _)| other == code);
        let Some((_, place, text)) = found else { panic!("no {code} for\n{model}\n{said:?}") };
        assert_eq!(place, line, "{text}");
        for phrase in *phrases {
            assert!(text.contains(phrase), "`{phrase}` is not in\n{text}");
        }
    }
}

#[test]
fn deep_nesting_is_said() {
    let model = format!("MODULE main\nVAR x : boolean;\nINIT {}x{};", "(".repeat(500), ")".repeat(500));
    assert!(messages_of(&model).iter().any(|(code, _, _)| *code == "V0102"));
}

#[test]
fn values_for_what_is_not_there_are_refused() {
    let model = "MODULE main\nDEFINE SIZE := 4; REST := 1;\nVAR x : 0..7;\nINIT x = SIZE;";
    let given = |name: &str| Given {
        name: name.to_owned(),
        span: Span::default(),
        text: "2".to_owned(),
        origin: "-D".to_owned(),
    };
    let said = compiled(model, &Options { constants: vec![given("SIZES")], ..Options::default() }).1;
    assert!(
        said.iter().any(|(code, _, text)| *code == "V0219" && text.contains("did you mean `SIZE`?")),
        "{said:?}"
    );
    let said = compiled(model, &Options { constants: vec![given("SIZE")], ..Options::default() }).1;
    assert!(said.is_empty(), "{said:?}");
    // A value that nothing uses makes no difference, whether it is given or will be.
    let varied = vec![("REST".to_owned(), Span::default())];
    for options in [
        Options { constants: vec![given("REST")], ..Options::default() },
        Options { varied, ..Options::default() },
    ] {
        let said = compiled(model, &options).1;
        let is_said =
            said.iter().any(|(code, _, text)| *code == "V0219" && text.contains("nothing uses `REST`"));
        assert!(is_said, "{said:?}");
    }
}

#[test]
fn every_message_has_a_case() {
    let covered: BTreeSet<&str> = CASES.iter().map(|case| case.1).chain(["V0102", "V0219"]).collect();
    let explained: BTreeSet<&str> = Explanation::read(Smv.messages()).map(|entry| entry.code).collect();
    assert_eq!(covered, explained);
}

#[test]
fn the_example_of_an_explanation_shows_its_message() {
    for explanation in Explanation::read(Smv.messages()) {
        let Some((_, rest)) = explanation.text.split_once("```smv\n") else { continue };
        let example = rest.split("```").next().unwrap_or_default();
        let said = messages_of(example);
        assert!(said.iter().any(|(code, _, _)| *code == explanation.code), "{}: {said:?}", explanation.code);
    }
}

#[test]
fn all_mistakes_are_said_at_once() {
    let model =
        "MODULE main\nVAR x boolean;\n y : 0..3;\nASSIGN next(y := 1;\nINIT y == ;\nSPEC AG (y = 1;\n";
    let lines: Vec<usize> = messages_of(model).iter().map(|(_, line, _)| *line).collect();
    assert_eq!(lines, [2, 4, 5, 6]);
    let model = "MODULE main\nVAR y : 0..3;\nINIT z;\nTRANS next(q) = y;\nSPEC AG w\nINVARSPEC y = red";
    let lines: Vec<usize> = messages_of(model).iter().map(|(_, line, _)| *line).collect();
    assert_eq!(lines, [3, 4, 5, 6]);
}

#[test]
fn formulas_from_elsewhere_are_read_in_main() {
    let formula =
        |logic, text: &str| Formula { logic, text: text.to_owned(), origin: "--formula".to_owned() };
    let formulas = vec![formula(Logic::Ctl, "AG x"), formula(Logic::Ltl, "G (x -> F !x)")];
    let options =
        Options { formulas, expressions: vec![("x".to_owned(), "--from".to_owned())], ..Options::default() };
    let (compiled, said) = compiled("MODULE main\nVAR x : boolean;", &options);
    assert!(said.is_empty(), "{said:?}");
    let compiled = compiled.expect("a model");
    assert_eq!(compiled.system.specifications.len(), 2);
    assert_eq!(compiled.expressions.len(), 1);
}

/// Whatever stands in a text, it is answered.
#[test]
fn cut_and_mixed_texts_are_answered() {
    let text = "MODULE worker(n, b)\nVAR at : {idle, busy};\nASSIGN init(at) := idle; next(at) := case b : busy; TRUE : {idle, busy}; esac;\n\
        FAIRNESS running\nMODULE main\nVAR n : 0..3; b : boolean; w : word[4]; a : array 0..1 of boolean;\n p : process worker(n, b);\n\
        DEFINE d := w[2:1] :: 0ub1_1;\nINVARSPEC NAME safe := n < 4;\nLTLSPEC G (b -> F [0, 3] p.at = idle)\nCOMPUTE MAX [b, !b]\n\
        CTLSPEC A [b U E [!b BU 0..2 n in {1, 2}]]\n";
    assert!(compiled(text, &Options::default()).0.is_some());
    for end in 0..text.len() {
        messages_of(&text[..end]);
    }
    let words: Vec<&str> = text.split_inclusive(' ').collect();
    for at in 0..words.len() {
        let mut fewer = words.clone();
        fewer.remove(at);
        messages_of(&fewer.concat());
        let mut mixed = words.clone();
        mixed.swap(at, (at * 7 + 3) % words.len());
        messages_of(&mixed.concat());
    }
}
