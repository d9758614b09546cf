//! What is said of formulas that can't be used, or hardly mean what they say: for each code a formula, the
//! column the message points to, and phrases of the message as it is shown.

use std::collections::BTreeSet;

use narrows_graph::Random;
use narrows_lts::aut;
use narrows_lts::mu::{MESSAGES, parse, warn_of_unknown_labels};
use narrows_source::{Diagnostics, Explanation, Sources, render};

const GRAPH: &str = "des (0, 3, 3)\n(0, \"PUT !1\", 1)\n(1, \"GET !1\", 2)\n(2, i, 0)\n";

const CASES: &[(&str, &str, usize, &[&str])] = &[
    ("[true*] and true", "M0001", 9, &["expected a formula, found `and`"]),
    ("<true>", "M0001", 7, &["expected a formula, found the end of the formula"]),
    ("true false", "M0001", 6, &["expected `and`, `or`, `implies`, `equ` or the end"]),
    ("true adn false", "M0001", 6, &["did you mean `and`?"]),
    ("\"PUT !1\"", "M0001", 1, &["an action stands in brackets"]),
    ("true | false", "M0001", 6, &["write `or`"]),
    ("mu true . true", "M0001", 4, &["the name of a variable after `mu`"]),
    ("mu X <true> X", "M0001", 6, &["`.` after `mu X`"]),
    ("<true true", "M0001", 7, &["expected `>`, found `true`"]),
    ("<true", "M0002", 1, &["`<` is not closed", "close it with `>`"]),
    ("(true", "M0002", 1, &["`(` is not closed", "close it with `)`"]),
    ("true)", "M0002", 5, &["`)` closes nothing"]),
    ("<\"PUT> true", "M0003", 2, &["a label is not closed"]),
    ("<'PUT> true", "M0003", 2, &["a regular expression is not closed"]),
    ("true (* never", "M0003", 6, &["a comment is not closed", "`*)`"]),
    ("true && false", "M0004", 6, &["unexpected `&&`", "write `and`"]),
    ("!true", "M0004", 1, &["write `not`"]),
    ("true § false", "M0004", 6, &["formulas have no such sign"]),
    ("<'PUT !(.*'> true", "M0005", 2, &["not a valid regular expression", "unclosed group"]),
    ("<'(a{1000}){1000}'> true", "M0005", 2, &["too much memory"]),
    ("mu State . <true> Stat", "M0006", 19, &["unknown variable `Stat`", "did you mean `State`?"]),
    ("<true> fales", "M0006", 8, &["did you mean `false`?"]),
    ("<true> X", "M0006", 8, &["bind it with `mu X . …`"]),
    ("<PUT> true", "M0006", 2, &["unknown action `PUT`", "a label stands in quotes"]),
    ("<ture> true", "M0006", 2, &["did you mean `true`?"]),
    ("mu X . not <true> X", "M0007", 19, &["`X` stands under an odd number of negations", "bound here"]),
    ("mu X . (X implies true)", "M0007", 9, &["the left side of `implies`"]),
    ("nu X . (X equ true)", "M0007", 9, &["both sides of `equ`"]),
    (
        "nu X . mu Y . (<\"PUT !1\"> X or <true> Y)",
        "M0008",
        27,
        &[
            "least and greatest fixpoints depend on each other",
            "a greatest fixpoint",
            "a least fixpoint within",
        ],
    ),
    ("nu X . <true* . \"PUT !1\"> X", "M0008", 27, &["this repetition is a least fixpoint", "write `<R> @`"]),
    ("mu X . [true+] X", "M0008", 16, &["write `[R] -|`"]),
    (
        "not nu X . not [true*] not X",
        "M0008",
        28,
        &["a least fixpoint", "this repetition is a greatest fixpoint"],
    ),
    ("<not (\"A\" . \"B\")> true", "M0010", 2, &["`not` stands beside a path"]),
    ("<true and \"A\"*> true", "M0104", 11, &[]),
    ("<true and (\"A\"*)> true", "M0010", 7, &["`and` stands beside a path", "`|` joins paths"]),
    ("mu X . true", "M0101", 4, &["the variable `X` is never used"]),
    (
        "mu X . <true> X or true",
        "M0102",
        17,
        &["the body of `mu X` has no parentheses", "write `mu X . (…)`"],
    ),
    ("<true*> @", "M0103", 1, &["this is always true", "`R+` in place of `R*`"]),
    ("[true?] -|", "M0103", 1, &["this is always false"]),
    ("<\"PUT !2\"> true", "M0104", 2, &["no edge is labelled `PUT !2`", "did you mean `\"PUT !1\"`?"]),
    ("<\"PUT\"> true", "M0104", 2, &["`'PUT.*'` fits all labels that begin so"]),
    ("<'PUT'> true", "M0104", 2, &["no label matches `PUT`", "must match a whole label"]),
];

/// Returns the messages about a formula, with their codes and columns.
fn messages(text: &str) -> Vec<(&'static str, usize, String)> {
    let graph = aut::read(GRAPH).expect("a graph");
    let (mut sources, mut diagnostics) = (Sources::default(), Diagnostics::default());
    let file = sources.add("formula", text);
    if let Some(formula) = parse(file, text, &mut diagnostics) {
        warn_of_unknown_labels(&formula, &graph, &mut diagnostics);
    }
    let shown = diagnostics.sorted();
    let describe = |diagnostic: &narrows_source::Diagnostic| {
        let column = sources.position(diagnostic.primary.span).column;
        (diagnostic.code, column, render(diagnostic, &sources, false))
    };
    shown.iter().map(describe).collect()
}

#[test]
fn messages_say_what_is_wrong_and_where() {
    let mut codes = BTreeSet::new();
    for (text, code, column, phrases) in CASES {
        let found = messages(text);
        let Some((_, _, message)) = found.iter().find(|(other, at, _)| other == code && at == column) else {
            panic!("`{text}`: no {code} at column {column}, but {found:#?}");
        };
        for phrase in *phrases {
            assert!(message.contains(phrase), "`{text}`: no `{phrase}` in\n{message}");
        }
        codes.insert(*code);
    }
    codes.insert("M0009");
    let all: Vec<_> = Explanation::read(MESSAGES).map(|explanation| explanation.code).collect();
    let explained: BTreeSet<_> = all.iter().copied().collect();
    assert_eq!(codes, explained);
    assert_eq!(all.len(), explained.len());
}

#[test]
fn all_errors_are_shown_at_once() {
    let found = messages("<PUT . 'x('> (Y && true) or mu X . (not X and [\"A\" . ] false)");
    let codes: Vec<&str> = found.iter().map(|(code, _, _)| *code).collect();
    assert_eq!(codes, ["M0006", "M0005", "M0006", "M0004", "M0007", "M0001"], "{found:#?}");
}

#[test]
fn large_formulas_are_refused() {
    let deep = format!("{}true{}", "(".repeat(100_000), ")".repeat(100_000));
    let long = format!("true{}", " and true".repeat(100_000));
    let path = format!("<true{}> true", " . true".repeat(100_000));
    for text in [deep, long, path, "not ".repeat(100_000), "mu X . ".repeat(100_000)] {
        let found = messages(&text);
        assert_eq!(found.iter().filter(|(code, _, _)| *code == "M0009").count(), 1, "{}", found.len());
    }
}

/// A message as it is shown, whole.
#[test]
fn a_message_is_drawn_with_its_places() {
    let found = messages("nu X . <true* . \"PUT !1\"> X");
    let expected = "\
error[M0008]: least and greatest fixpoints depend on each other
 --> formula:1:27
  |
1 | nu X . <true* . \"PUT !1\"> X
  |    -        -             ^ `X` is used within the other kind
  |    |        |
  |    |        this repetition is a least fixpoint
  |    a greatest fixpoint
  |
  = note: only formulas without such alternation are checked: in time linear in the graph
  = help: if the body is `<R> X`, write `<R> @`: `R` can be repeated for ever";
    assert_eq!(found[0].2, expected);
}

#[test]
fn any_text_is_read_without_panic() {
    let pieces = [
        "<", ">", "[", "]", "(", ")", "mu X .", "nu Y .", "X", "\"a", "'b'", "'", "(*", "*", "-|", "@",
        "not", "or", "é", ".", "|",
    ];
    let mut random = Random::new(7);
    for _ in 0..20_000 {
        let mut text = String::new();
        for _ in 0..12 {
            text += random.pick(&pieces).expect("there are pieces");
            text += if random.one_in(2) { " " } else { "" };
        }
        messages(&text);
    }
}
