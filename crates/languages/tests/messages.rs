//! What is said of a model that parses but makes no sense: for each code a small model, the line the message
//! points to, and a phrase that the message as it is shown must contain.

use std::collections::BTreeSet;

use narrows_languages::Language;
use narrows_languages::promela::{Options, Promela, compile};
use narrows_languages::{Formula, Logic};
use narrows_source::{Diagnostics, Explanation, NoFiles, Sources, render};

/// A model, the code of the message about it, the message's line, and phrases of the message as it is shown.
struct Case {
    model: &'static str,
    code: &'static str,
    line: usize,
    phrases: &'static [&'static str],
}

const fn case(
    model: &'static str,
    code: &'static str,
    line: usize,
    phrases: &'static [&'static str],
) -> Case {
    Case { model, code, line, phrases }
}

const CASES: &[Case] = &[
    case(
        "active proctype P() {\n  byte count;\n  cuont = 1\n}",
        "P0201",
        3,
        &["unknown name `cuont`", "not a variable, symbolic name or statement", "did you mean `count`?"],
    ),
    case(
        "proctype Worker() { skip }\ninit { Worker == 1 }",
        "P0201",
        2,
        &["this is a proctype", "`run Worker(…)` creates a process"],
    ),
    case("byte x;\nint x;\ninit { skip }", "P0202", 2, &["`x` is declared twice", "first declared here"]),
    case(
        "proctype Worker() { skip }\ninit {\n  run Wroker()\n}",
        "P0204",
        3,
        &["unknown proctype `Wroker`", "did you mean `Worker`?"],
    ),
    case(
        "proctype P(byte a, b) { skip }\ninit {\n  run P(1)\n}",
        "P0205",
        3,
        &["`P` takes 2 arguments, but gets 1", "it is declared here"],
    ),
    case(
        "int x;\ninit {\n  x!1\n}",
        "P0206",
        3,
        &["`x` is not a channel", "a channel is needed here", "it is declared here"],
    ),
    case("byte x = [2] of { byte };\ninit { skip }", "P0206", 1, &["`x` is not a channel", "chan x = …"]),
    case("byte x;\ninit {\n  x[1] = 2\n}", "P0207", 3, &["`x` is not an array", "leave the index out"]),
    case(
        "byte x[2];\ninit {\n  x = 2\n}",
        "P0207",
        3,
        &["`x` is an array", "write `x[0]` for its first element"],
    ),
    case("byte x = { 1, 2 };\ninit { skip }", "P0207", 1, &["`x` is not an array", "write `x[2]`"]),
    case(
        "typedef Point { byte x, y };\nPoint p;\ninit {\n  p.z = 1\n}",
        "P0208",
        4,
        &["`Point` has no field `z`", "the structure is declared here"],
    ),
    case("byte b;\ninit {\n  b.x = 1\n}", "P0208", 3, &["what stands before `.x` has no fields"]),
    case(
        "init {\n  byte n;\n  byte a[n];\n  skip\n}",
        "P0209",
        3,
        &["not a constant expression", "its value must be known before anything runs"],
    ),
    case("byte a[0];\ninit { skip }", "P0210", 1, &["an array can't have 0 elements", "1 to 65535"]),
    case("unsigned x;\ninit { skip }", "P0211", 1, &["needs a width", "write `unsigned x : 4`"]),
    case("unsigned x : 40;\ninit { skip }", "P0211", 1, &["1 to 31 bits"]),
    case("byte x : 4;\ninit { skip }", "P0211", 1, &["only an `unsigned` variable has a width"]),
    case(
        "init {\n  again: skip;\n  goto agian\n}",
        "P0212",
        3,
        &["unknown label `agian`", "did you mean `again`?"],
    ),
    case(
        "proctype P() { here: skip }\nactive proctype Q() {\n  P[0]@there\n}",
        "P0212",
        3,
        &["`P` has no label `there`", "did you mean `here`?"],
    ),
    case("init {\n  l: skip;\n  l: skip\n}", "P0213", 3, &["label `l` stands twice", "first here"]),
    case("init {\n  skip;\n  break\n}", "P0214", 3, &["`break` stands outside of a loop"]),
    case(
        "init {\n  if\n  :: else -> skip\n  :: else -> skip\n  fi\n}",
        "P0215",
        4,
        &["two options start with `else`", "the other one"],
    ),
    case(
        "init {\n  goto inside;\n  d_step { skip; inside: skip }\n}",
        "P0216",
        2,
        &["this jumps into a d_step", "to here", "use atomic instead of d_step"],
    ),
    case(
        "proctype P() { skip }\ninit {\n  byte x = 1 + run P();\n  skip\n}",
        "P0217",
        3,
        &["`run` can't stand here", "p = run P()"],
    ),
    case(
        "proctype P() { skip }\ninit {\n  d_step { run P() }\n}",
        "P0218",
        3,
        &["`run` can't stand in a d_step", "use atomic instead of d_step"],
    ),
    case(
        "active [300] proctype P() { skip }",
        "P0219",
        1,
        &["300 processes can't run at the start", "0 to 255"],
    ),
    case("proctype P(byte a[2]) { skip }\ninit { run P(1) }", "P0220", 1, &["a parameter can't be an array"]),
    case(
        "proctype P(byte a = 2) { skip }\ninit { run P(1) }",
        "P0220",
        1,
        &["a parameter can't have an initial value"],
    ),
    case("byte x;\ninit {\n  x = _\n}", "P0222", 3, &["`_` can't be read", "thrown away"]),
    case("init {\n  _pid = 3\n}", "P0223", 2, &["`_pid` can't be assigned", "Promela itself sets it"]),
    case(
        "mtype = { red };\ninit {\n  red = 3\n}",
        "P0223",
        3,
        &["`red` is a symbolic name", "it is declared here"],
    ),
    case(
        "typedef Point { byte x, y };\nPoint p;\ninit {\n  p = 1\n}",
        "P0224",
        4,
        &["`p` is a whole structure", "name one of its fields"],
    ),
    case(
        "chan c = [1] of { byte };\ninit {\n  atomic { xr c }\n}",
        "P0225",
        3,
        &["this needs at least one statement", "write `skip`"],
    ),
    case(
        "active proctype Q() {\n  P[0]@here\n}\nproctype P() { here: skip }",
        "P0226",
        2,
        &["nothing is known of the inside of `P` here", "move the proctype up"],
    ),
    case("chan c = [70000] of { byte };\ninit { skip }", "P0228", 1, &["can't hold 70000 messages", "65535"]),
    case(
        "init {\n  skip;\n  chan c = [1] of { byte };\n  c!1\n}",
        "P0229",
        3,
        &["a channel can't be created behind the first statement", "move the declaration"],
    ),
    case("byte i, n;\ninit {\n  for (i in n) { skip }\n}", "P0230", 3, &["`for … in` needs an array here"]),
    case("proctype P() { skip }", "P0231", 1, &["no process runs at the start", "write `active`"]),
    case(
        "byte x;\ninit {\n  { x = 1 } unless out: x == 1\n}",
        "P0232",
        3,
        &["the start of an escape can't have a label"],
    ),
    case(
        "byte a[2] = { 1, 2, 3 };\ninit { skip }",
        "P0233",
        1,
        &["`a` has 2 elements, but is given 3 values", "the last ones are ignored, as in SPIN"],
    ),
    case(
        "mtype = { A };\nbyte a[2] = { A, 1 + 1 };\ninit { a[0] == a[1] }",
        "P0310",
        2,
        &["SPIN can't read this list", "no plain number or symbolic name"],
    ),
    case("byte a[2] = {};\ninit { a[0] == a[1] }", "P0310", 1, &["SPIN wants a value here"]),
    case(
        "proctype P() { byte count; skip }\nactive proctype Q() {\n  P[0]:conut == 1\n}",
        "P0234",
        3,
        &["`P` has no variable `conut`", "did you mean `count`?"],
    ),
    case(
        "init {\n  a: goto b;\n  b: goto a\n}",
        "P0236",
        2,
        &["leads around in a circle without a statement", "put a `skip` into the circle"],
    ),
    case(
        "chan c = [1] of { unsigned };\ninit { skip }",
        "P0237",
        1,
        &["a message field can't be `unsigned`"],
    ),
    case(
        "byte i;\ninit {\n  select (i : 5 .. 2)\n}",
        "P0238",
        3,
        &["the range from 5 to 2 is empty", "nothing can be selected"],
    ),
    case("chan c;\ninit {\n  for (c : 1 .. 3) { skip }\n}", "P0239", 3, &["a channel can't count"]),
    case(
        "int matrix[60000];\nint other[60000];\nint third[60000];\nint fourth[60000];\nint fifth[60000];\ninit { skip }",
        "P0240",
        5,
        &["this takes too much memory"],
    ),
    case(
        "active [2] proctype flash() { read: skip }\nltl reads { <> flash@read }",
        "P0241",
        2,
        &["there may be several `flash`", "write `flash[1]@read`, or `flash[any]@read` or `flash[all]@read`"],
    ),
    case(
        "proctype flash() { read: skip }\ninit { int i; for (i : 1 .. 2) { run flash() } }\nltl reads { <> flash@read }",
        "P0241",
        3,
        &["there may be several `flash`", "write `flash[2]@read` for one of them, or `flash[any]@read`"],
    ),
    case(
        "proctype flash() { read: skip }\ninit { run flash(); run flash() }\nltl reads { <> flash[all]@read }",
        "P0242",
        3,
        &["created by `run`", "`flash[1]@read && flash[2]@read`"],
    ),
    case("hidden byte x;\ninit { x = 1 }", "P0301", 1, &["`x` is hidden", "drop `hidden`"]),
    case(
        "chan c = [1] of { byte, byte };\ninit {\n  c!1\n}",
        "P0302",
        3,
        &["this sends 1 field, but the channel's messages have 2", "a fault when it is executed"],
    ),
    case(
        "typedef Point { byte x, y };\nPoint p = 3;\ninit { p.x = 1 }",
        "P0304",
        2,
        &["the initial value of `p` is ignored", "give them values in the typedef"],
    ),
    case(
        "typedef Point { byte x, y };\nPoint p[2] = { 1, 2 };\ninit { p[0].x = 1 }",
        "P0304",
        2,
        &["the initial value of `p` is ignored"],
    ),
    case(
        "typedef Point { byte x, y };\ninit {\n  skip;\n  Point p = 3;\n  p.x = 1\n}",
        "P0224",
        4,
        &["a whole structure can't be given one value"],
    ),
    case(
        "init { skip }\ninit { skip }",
        "P0308",
        2,
        &["a second `init` runs beside the first", "first declared here"],
    ),
    case(
        "chan c = [1] of { byte };\ninit {\n  do\n  :: end: c?_\n  od\n}",
        "P0309",
        4,
        &["label `end` stands at the start of an option", "write `end:` before `if` or `do`"],
    ),
    case(
        "byte x;\ninit {\n  do\n  :: progress: x = 1 - x\n  od\n}",
        "P0309",
        4,
        &["label `progress` stands at the start of an option", "write `progress:` before `if` or `do`"],
    ),
    case(
        "byte x;\ninit {\n  x++;\n  atomic { L: x++; x-- }\n}",
        "P0309",
        4,
        &["label `L` stands at the start of a block", "SPIN refuses a label here"],
    ),
    case(
        "chan c = [1] of { byte };\ninit {\n  if\n  :: c!1\n  :: else -> skip\n  fi\n}",
        "P0307",
        5,
        &["`else` stands beside a channel operation", "the operation", "SPIN calls this dubious"],
    ),
    case(
        "chan c = [1] of { byte };\nbyte x;\ninit {\n  do\n  :: x > 2 && nempty(c) -> c?x\n  :: else -> break\n  od\n}",
        "P0307",
        6,
        &["`else` stands beside a channel operation"],
    ),
    case(
        "byte a[SIZE];\ninit { a[0] = 1 }",
        "P0209",
        1,
        &["`SIZE` is not defined", "write `#define SIZE …` above, or give it with `-D SIZE=…`"],
    ),
    case("active [COUNT + 1] proctype P() { skip }", "P0209", 1, &["`COUNT` is not defined", "-D COUNT=…"]),
    case(
        "byte x;\ninit {\n  x < LIMIT\n}",
        "P0201",
        3,
        &["unknown name `LIMIT`", "give it with `-D LIMIT=…`"],
    ),
    case(
        "init {\n  byte x;\n  again: do\n  :: x < 3 ->\n    again: x++\n  :: else -> break\n  od\n}",
        "P0213",
        5,
        &["label `again` stands twice", "first here"],
    ),
    case("init {\n  byte x;\n  l: l: x++\n}", "P0213", 3, &["label `l` stands twice"]),
    case(
        "init {\n  byte x;\n  l: atomic { x++; l: x++ }\n}",
        "P0213",
        3,
        &["label `l` stands twice", "first here"],
    ),
    case(
        "chan c = [1] of { byte };\ninit {\n  c?_pid\n}",
        "P0223",
        3,
        &["nothing can be received into `_pid`", "write `eval(_pid)`"],
    ),
    case(
        "typedef A { byte x[60000] };\ntypedef B { A a[60000] };\ntypedef C { B b[60000] };\ntypedef D { C c[60000] };\nD d;\ninit { d.c[1].b[2].a[3].x[4] = 1 }",
        "P0240",
        3,
        &["this takes too much memory"],
    ),
    case("byte x = 300;\ninit { skip }", "P0303", 1, &["300 does not fit: 44 is stored", "use a wider type"]),
    case(
        "chan c = [2] of { byte };\nbool b;\ninit {\n  b = c??[3]\n}",
        "P0306",
        4,
        &["gives a position", "compare it: `c??[…] > 0`"],
    ),
];

/// Returns the code, the line and the text of every message about a model.
fn messages_of(model: &str) -> Vec<(&'static str, usize, String)> {
    let mut sources = Sources::default();
    let file = sources.add("model.pml", model);
    let mut diagnostics = Diagnostics::default();
    compile(&mut sources, file, &NoFiles, &Options::default(), &mut diagnostics);
    let list = diagnostics.sorted();
    let line = |diagnostic: &narrows_source::Diagnostic| sources.position(diagnostic.primary.span).line;
    list.iter()
        .map(|diagnostic| (diagnostic.code, line(diagnostic), render(diagnostic, &sources, false)))
        .collect()
}

fn check(model: &str, code: &str, line: usize, phrases: &[&str]) {
    let found = messages_of(model);
    let shown: Vec<&str> = found.iter().map(|message| message.2.as_str()).collect();
    let [(found_code, found_line, text)] = found.as_slice() else {
        panic!(
            "one message was expected about\n{model}\nbut there are {}:\n{}",
            shown.len(),
            shown.join("\n")
        );
    };
    assert_eq!((*found_code, *found_line), (code, line), "{text}");
    for phrase in phrases {
        assert!(text.contains(phrase), "`{phrase}` is not in\n{text}");
    }
}

#[test]
fn each_message_says_what_is_wrong_and_where() {
    for Case { model, code, line, phrases } in CASES {
        check(model, code, *line, phrases);
    }
}

/// Returns every message about formulas beside a model, as it is shown.
fn messages_of_formulas(model: &str, formulas: &[(Logic, &str)]) -> Vec<String> {
    let formula = |(logic, text): &(Logic, &str)| {
        let origin = if *logic == Logic::Ltl { "--ltl" } else { "--ctl" };
        Formula { logic: *logic, text: (*text).to_owned(), origin: origin.to_owned() }
    };
    let options = Options { formulas: formulas.iter().map(formula).collect(), ..Options::default() };
    let mut sources = Sources::default();
    let file = sources.add("model.pml", model);
    let mut diagnostics = Diagnostics::default();
    compile(&mut sources, file, &NoFiles, &options, &mut diagnostics);
    diagnostics.sorted().iter().map(|diagnostic| render(diagnostic, &sources, false)).collect()
}

#[test]
fn formulas_beside_a_model() {
    let model = "#define p (count == 1)\nbyte count;\nactive proctype P() { again: count = 1 }";
    let good = [(Logic::Ltl, "[] (p -> <> P@again)"), (Logic::Ctl, "AG EF (p || _nr_pr == 0)")];
    assert_eq!(messages_of_formulas(model, &good), [] as [String; 0]);
    for (logic, text, phrases) in [
        (Logic::Ltl, "[] cuont", ["P0201", "--ltl:1:4", "did you mean `count`?"]),
        (Logic::Ctl, "AG (p ->\n AF cuont)", ["P0201", "--ctl:2:5", "did you mean `count`?"]),
        (Logic::Ctl, "AG P@agian", ["P0212", "--ctl:1:6", "did you mean `again`?"]),
        (Logic::Ctl, "[] p", ["P0123", "--ctl:1:1", "write `AG p` or `EG p`"]),
        (Logic::Ctl, "count U p", ["P0123", "--ctl:1:7", "write `A[p U q]` or `E[p U q]`"]),
        (Logic::Ctl, "AG count == 1", ["P0116", "--ctl:1:10", "write `AG (x == 1)`"]),
        (Logic::Ltl, "AG p", ["P0100", "--ltl:1:4", "ask it as a CTL formula"]),
    ] {
        let found = messages_of_formulas(model, &[(logic, text)]);
        let [message] = found.as_slice() else { panic!("{text}: {}", found.join("\n")) };
        for phrase in phrases {
            assert!(message.contains(phrase), "`{phrase}` is not in\n{message}");
        }
    }
    let all = messages_of_formulas("byte x;\ninit { y = 1 }", &[(Logic::Ltl, "[] z"), (Logic::Ctl, "p U q")]);
    assert_eq!(all.len(), 3, "{}", all.join("\n"));
}

#[test]
fn too_many_symbolic_names() {
    let names: Vec<String> = (0..256).map(|index| format!("n{index}")).collect();
    let model = format!("mtype = {{ {} }};\ninit {{ skip }}", names.join(", "));
    check(&model, "P0227", 1, &["more than 255 names in a set of symbolic names", "a set of their own"]);
}

#[test]
fn too_large_a_process() {
    let model = format!("byte x;\ninit {{\n{}}}", "x = 1;\n".repeat(65_600));
    check(&model, "P0235", 2, &["this process has more than 65 000 statements"]);
}

/// Returns what the messages mean that come after parsing.
fn of_lowering() -> impl Iterator<Item = Explanation> {
    Explanation::read(Promela.messages()).filter(|explanation| explanation.code >= "P02")
}

#[test]
fn every_message_of_the_lowering_has_a_case() {
    let generated = ["P0227", "P0235"];
    let covered: BTreeSet<&str> = CASES.iter().map(|case| case.code).chain(generated).collect();
    let explained: BTreeSet<&str> = of_lowering().map(|explanation| explanation.code).collect();
    assert_eq!(covered, explained);
}

#[test]
fn the_example_of_an_explanation_shows_its_message() {
    for explanation in of_lowering() {
        let Some((_, rest)) = explanation.text.split_once("```promela\n") else { continue };
        let example = rest.split("```").next().unwrap_or_default();
        let codes: Vec<&str> = messages_of(example).iter().map(|message| message.0).collect();
        // The example of P0227 leaves out most of its 256 names.
        assert!(
            codes.contains(&explanation.code) || explanation.code == "P0227",
            "{}: {codes:?}",
            explanation.code
        );
    }
}
