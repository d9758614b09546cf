//! Any text is answered, with a system or with messages: no panic, no hang, no end of memory. What compiles
//! can be explored, and both searches agree.
//!
//! The fuzz targets in `fuzz/` do the same for hours; what they and others have found is kept here.

use std::fmt::Write;
use std::path::Path;
use std::sync::atomic::{AtomicU32, Ordering};
use std::{fs, thread};

use narrows_explicit::{Budget, Faults, Progress, SearchScope, Unwatched, Watch, breadth_first, depth_first};
use narrows_graph::Random;
use narrows_languages::promela::{Options, compile};
use narrows_languages::{aiger, lotos, smv, text_of};
use narrows_model::behaviour::{Behaviour, Unfolding};
use narrows_model::{Evaluator, Limit};
use narrows_source::{Diagnostics, FileId, LoadError, Loaded, Loader, Sources, render};
use narrows_tests::{generator, mutate};

/// Every file there is includes the same text.
struct Mirror(&'static str);

impl Loader for Mirror {
    fn load(&self, _path: &str, _from: &str, _system: bool) -> Result<Loaded, LoadError> {
        if self.0.is_empty() {
            return Err(LoadError::NoFiles);
        }
        Ok(Loaded { name: "mirror.pml".to_owned(), text: self.0.to_owned() })
    }
}

/// Stops a search that finds no end of edges at one state.
#[derive(Default)]
struct Patience(AtomicU32);

impl Watch for Patience {
    fn check(&self, _: &Progress) -> Option<Limit> {
        (self.0.fetch_add(1, Ordering::Relaxed) >= 2).then_some(Limit::Time)
    }
}

/// Compiles a text and, if it is a model, explores a little of it; returns whether it is one, and the codes
/// of the messages.
fn judge(text: &str, mirror: &'static str) -> (bool, Vec<&'static str>) {
    let mut sources = Sources::default();
    let file = sources.add("model.pml", text);
    let mut diagnostics = Diagnostics::default();
    let system = compile(&mut sources, file, &Mirror(mirror), &Options::default(), &mut diagnostics);
    let list = diagnostics.sorted();
    assert_eq!(system.is_none(), diagnostics.has_errors(), "{text}");
    for diagnostic in list.iter().take(2) {
        assert!(!render(diagnostic, &sources, false).is_empty());
    }
    if let Some(system) = &system {
        let space = Evaluator::new(system);
        let budget = || Budget { memory: 32 << 20, ..Budget::unlimited(Patience::default()) };
        let (deep_budget, wide_budget) = (budget(), budget());
        let scope = SearchScope { states: 100, transitions: 500, ..SearchScope::within(&deep_budget) };
        let deep = depth_first(&space, Faults::Continue, &scope);
        let wide = breadth_first(&space, &[], &SearchScope { budget: &wide_budget, ..scope });
        if deep.is_complete() && wide.is_complete() && system.hidden_bytes == 0 {
            assert_eq!(deep.coverage.states, wide.coverage.states, "{text}");
        }
    }
    (system.is_some(), list.iter().map(|diagnostic| diagnostic.code).collect())
}

fn answer_with(text: &str, mirror: &'static str) -> Vec<&'static str> {
    judge(text, mirror).1
}

fn answer(text: &str) -> Vec<&'static str> {
    answer_with(text, "")
}

/// Runs with the stack that the program itself has: long atomic sequences need it.
fn deeply(work: impl FnOnce() + Send + 'static) {
    let worker = thread::Builder::new().stack_size(512 << 20).spawn(work);
    worker.expect("a thread").join().expect("no panic");
}

/// Reads the models of a folder whose names end so.
fn models(folder: &str, extension: &str) -> Vec<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(folder);
    let entries = fs::read_dir(folder).expect("the models are there");
    let mut paths: Vec<_> = entries.flatten().map(|entry| entry.path()).collect();
    paths.retain(|path| path.extension().is_some_and(|found| found == extension));
    paths.sort();
    assert!(!paths.is_empty());
    paths.iter().map(|path| fs::read_to_string(path).expect("a model is text")).collect()
}

/// How often each model is broken, and answered.
const ROUNDS: usize = 100;

/// Breaks models in many ways, and answers each; returns how many there were that are models still.
fn break_models(models: &[String], words: &[&'static str], answer: impl Fn(&str) -> bool) -> usize {
    let mut random = Random::new(7);
    let rounds = (0..ROUNDS).flat_map(|_| models);
    rounds.filter(|model| answer(&mutate::mutate(model, words, &mut random))).count()
}

#[test]
fn broken_models_are_answered() {
    deeply(|| {
        let mut models = models("tests/models/probes", "pml");
        models.extend((1..=20).map(|seed| generator::generate(seed).to_string()));
        let whole = break_models(&models, mutate::PROMELA, |text| judge(text, "").0);
        assert!(whole > ROUNDS, "only {whole} broken models are models still");
    });
}

/// Compiles a text; there is a model, or there are errors, and each says where it is.
fn compiled<T>(
    text: &str,
    compile: impl Fn(&mut Sources, FileId, &mut Diagnostics) -> Option<T>,
) -> Option<T> {
    let mut sources = Sources::default();
    let file = sources.add("model", text);
    let mut diagnostics = Diagnostics::default();
    let model = compile(&mut sources, file, &mut diagnostics);
    assert_eq!(model.is_none(), diagnostics.has_errors(), "{text}");
    for diagnostic in diagnostics.sorted().iter().take(2) {
        assert!(!render(diagnostic, &sources, false).is_empty());
    }
    model
}

/// Small words of SMV and LOTOS that fit in many places.
const SMV: &[&str] = &[
    "MODULE",
    "VAR",
    "IVAR",
    "FROZENVAR",
    "DEFINE",
    "ASSIGN",
    "TRANS",
    "INIT",
    "INVAR",
    "LTLSPEC",
    "CTLSPEC",
    "COMPUTE",
    "FAIRNESS",
    "ISA",
    "init",
    "next",
    "case",
    "esac",
    "self",
    "process",
    "array",
    "of",
    "word",
    "unsigned",
    "boolean",
    "TRUE",
    "FALSE",
    "union",
    "in",
    "mod",
    "count",
    "toint",
    "word1",
    "extend",
    "0ud8_255",
    "0sb4_1111",
    "X",
    "G",
    "H",
    "O",
    "U",
    "V",
    "S",
    "E",
    "A",
    "MIN",
    "MAX",
    "!",
    "&",
    "|",
    "xor",
    "<->",
    ":=",
    "..",
    "#",
];
const LOTOS: &[&str] = &[
    "stop",
    "exit",
    "hide",
    "in",
    "let",
    "choice",
    "par",
    "process",
    "endproc",
    "where",
    "type",
    "endtype",
    "is",
    "sorts",
    "opns",
    "eqns",
    "forall",
    "ofsort",
    "of",
    "any",
    "accept",
    "noexit",
    "behaviour",
    "endspec",
    "library",
    "endlib",
    "i",
    "[]",
    "|||",
    "||",
    "|[",
    "]|",
    ">>",
    "[>",
    "=>",
    "=",
    "eq",
    "Nat",
    "Bool",
    "Boolean",
    "true",
    "0",
    "Succ",
    "!",
    "?x:Nat",
    "(*! external *)",
    "actualizedby",
    "renamedby",
    "using",
];

#[test]
fn broken_models_in_smv_are_answered() {
    deeply(|| {
        let whole = break_models(&models("tests/models/smv", "smv"), SMV, |text| {
            let found = compiled(text, |sources, file, diagnostics| {
                smv::compile(sources, file, &smv::Options::default(), diagnostics)
            });
            found.is_some()
        });
        assert!(whole > ROUNDS, "only {whole} broken models are models still");
    });
}

#[test]
fn broken_circuits_are_answered() {
    let words = &["aag", "aig", "0", "1", "2", "25", "4294967295", "-1", "c", "l0", "x"];
    let whole = break_models(&models("examples/circuits", "aag"), words, |text| {
        // As bytes they might be a binary file.
        let bytes = text.replacen("aag", "aig", 1).into_bytes();
        if bytes.starts_with(b"aig ")
            && let Ok(text) = text_of(bytes)
        {
            assert!(text.starts_with("aag "));
        }
        let found = compiled(text, |sources, file, diagnostics| {
            aiger::compile(sources, file, &smv::Options::default(), diagnostics)
        });
        found.is_some()
    });
    assert!(whole > 10, "only {whole} broken circuits are circuits still");
}

/// Visits some states of a behaviour in both ways; they find the same.
fn explore(behaviour: &Behaviour, text: &str) {
    let Ok(mut unfolding) = Unfolding::new(behaviour) else { return };
    // Few states are enough for what is done with many.
    unfolding.take_apart_from(20);
    let (mut state, mut transitions) = (0, 0);
    while state < unfolding.states() {
        if state == 100 || unfolding.expand(state).is_err() {
            return;
        }
        transitions += unfolding.edges().len() as u64;
        state += 1;
    }
    let budget = Budget { memory: 32 << 20, ..Budget::unlimited(Unwatched) };
    let found = breadth_first(behaviour, &[], &SearchScope::within(&budget));
    assert!(found.is_complete(), "{text}");
    assert_eq!(
        (found.coverage.states, found.coverage.transitions),
        (u64::from(state), transitions),
        "{text}"
    );
}

#[test]
fn broken_models_in_lotos_are_answered() {
    deeply(|| {
        let whole = break_models(&models("tests/models/lotos", "lotos"), LOTOS, |text| {
            let found = compiled(text, |sources, file, diagnostics| {
                lotos::compile(sources, file, &lotos::Options::default(), diagnostics)
            });
            if let Some(behaviour) = &found {
                explore(behaviour, text);
            }
            found.is_some()
        });
        assert!(whole > ROUNDS, "only {whole} broken models are models still");
    });
}

/// Checks that a text is rejected, and that one of the messages has the code.
fn rejects(code: &str, text: &str) {
    let codes = answer(text);
    assert!(codes.contains(&code), "{codes:?}: {}", text.chars().take(200).collect::<String>());
}

fn repeat(count: usize, piece: impl Fn(usize) -> String) -> String {
    (0..count).map(piece).collect()
}

#[test]
fn sizes_have_limits() {
    rejects("P0240", "typedef A { int x[65535] }; typedef B { A a[65535] }; B b; init { skip }");
    rejects("P0240", "typedef A { int x[60000] }; A a, b, c, d, e; init { skip }");
    rejects("P0240", "typedef A { int x[65535] }; chan c = [65535] of { A, A }; init { skip }");
    rejects("P0240", "init { chan c[200] = [65535] of { int, int, int, int, int }; skip }");
    rejects(
        "P0240",
        &(repeat(50, |i| format!("proctype P{i}() {{ int a[65535]; skip }}\n")) + "init { skip }"),
    );
    rejects("P0240", &format!("typedef A {{ byte {}[65535] }}; A a; init {{ skip }}", "x".repeat(5000)));
    let doubling = repeat(40, |i| format!("typedef T{} {{ T{i} a; T{i} b }};\n", i + 1));
    rejects("P0240", &format!("typedef T0 {{ int x }};\n{doubling}T40 t; init {{ skip }}"));
    let nested = repeat(500, |i| format!("typedef T{} {{ T{i} a }};\n", i + 1));
    rejects("P0240", &format!("typedef T0 {{ int x }};\n{nested}T500 t; init {{ skip }}"));
    // A structure that is sent often.
    let sends = "c!s; c?s; ".repeat(100);
    rejects(
        "P0240",
        &format!("typedef S {{ byte f[50000] }}; S s; chan c = [1] of {{ byte }}; init {{ {sends}skip }}"),
    );
    rejects("P0240", &(repeat(33_000, |i| format!("proctype P{i}() {{ skip }}\n")) + "init { skip }"));
    rejects(
        "P0240",
        &format!("init {{ {} skip }}", repeat(33_000, |i| format!("chan c{i} = [1] of {{ bit }};"))),
    );
    rejects("P0227", &(repeat(300, |i| format!("mtype:a{i} = {{ b{i} }};\n")) + "init { skip }"));
    // All of these fit, but not all processes at once: a fault when it runs.
    assert!(answer("active [255] proctype P() { int a[60000]; a[1] = 1 }").is_empty());
}

#[test]
fn constants_at_the_edge() {
    rejects("P0209", "int a[1 / 0]; init { skip }");
    rejects("P0209", "int a[-2147483648 / -1]; init { skip }");
    rejects("P0209", "int a[2147483647 + 1]; init { skip }");
    rejects("P0209", "int a[1 << 40]; init { skip }");
    answer("int x; init { select (x : -2147483648 .. 2147483647) }");
    answer(
        "mtype = { a }; int x = -2147483648; init { printm(x); x = -x; x = x - 1; x = x * x; assert(x << 33) }",
    );
    answer("int x = -2147483648; init { if :: x / -1 > 0 :: x % -1 > 0 :: x << -1 > 0 fi }");
    // Before any process exists.
    answer("byte p = _priority; byte q = _pid; byte r = _last; byte s = _nr_pr; bit t = np_; init { skip }");
}

#[test]
fn long_texts() {
    assert!(answer(&format!("init {{ d_step {{ {}skip }} }}", "skip; ".repeat(30_000))).is_empty());
    assert!(answer(&format!("init {{ {} skip }}", repeat(10_000, |i| format!("L{i}: skip;")))).is_empty());
    rejects("P0235", &format!("init {{ {}skip }}", "skip; ".repeat(70_000)));
    rejects(
        "P0236",
        &format!("init {{ {}L5000: skip }}", repeat(5_000, |i| format!("L{i}: goto L{};", i + 1))),
    );
    let (body, options) = ("x = 1; ".repeat(2_000), ":: x == 1 ".repeat(1_000));
    rejects("P0235", &format!("byte x; init {{ {{ {body} skip }} unless {{ if {options} fi }} }}"));
    // Many mistakes.
    let names = repeat(2_000, |i| format!("byte b{i};\n"));
    rejects("P0201", &format!("{names}init {{ {} skip }}", repeat(5_000, |i| format!("a{i} = 1; "))));
    rejects("P0212", &format!("init {{ {} skip }}", repeat(5_000, |i| format!("L{i}: goto M{i}; "))));
    rejects("P0201", &format!("byte {}; init {{ {} = 1 }}", "x".repeat(50_000), "x".repeat(50_001)));
}

#[test]
fn nothing_grows_without_bound() {
    // A place in an index in a poll, again and again.
    let (open, close) = ("s[c?[".repeat(50), "]].f".repeat(50));
    answer(&format!(
        "typedef S {{ int f }}; S s[3]; chan c = [1] of {{ byte }}; init {{ c?[{open}s[0].f{close}] }}"
    ));
    let mut pasted = String::from("#define p0(a) a##a\n");
    for level in 1..40 {
        let _ = writeln!(pasted, "#define p{level}(a) p{0}(a##a)", level - 1);
    }
    rejects("P0014", &(pasted + "init { p39(x) }"));
    let twice = "#include \"mirror.pml\"\n#include \"mirror.pml\"\n";
    let codes = answer_with("#include \"mirror.pml\"\ninit { skip }", twice);
    assert!(codes.contains(&"P0003"), "{codes:?}");
}

#[test]
fn long_steps() {
    // Hidden variables tell the rounds of a loop apart.
    let hidden =
        "hidden int x; init { d_step { do :: x < 5000 -> x++ :: else -> break od }; assert(x == 5000) }";
    assert_eq!(answer(hidden), ["P0301"]);
    answer("int x; init { d_step { do :: x < 2000000000 -> x++ :: else -> break od } }");
    answer("int x; init { d_step { do :: x = 1 - x od } }");
    // Endless, but never the same state again; from many states.
    deeply(|| {
        answer(
            "int x; byte y; active proctype P() { atomic { do :: x++ od } } active proctype Q() { do :: y < 3 -> y++ od }",
        );
    });
    answer("init { L: { goto L } unless { true } }");
    answer("init { L: { M: { goto L } unless { true } } unless { goto M } }");
    let choices = "int x; init { atomic { do :: x < 40 -> x++ :: x < 40 -> x = x + 1 :: else -> break od } }";
    answer(choices);
}

#[test]
fn hardly_a_text() {
    rejects("P0231", "");
    rejects("P0231", "\0\0\0");
    answer("\u{feff}\u{fffd}\r\n\"");
    rejects("P0015", "/*");
    answer("#");
    answer("#if");
    answer("#define");
    answer("#include");
}
