//! Machine code against the reference evaluator, on models of all kinds and on texts that nobody would write.

use std::path::Path;

use narrows_graph::Random;
use narrows_languages::promela::{Options, compile};
use narrows_model::System;
use narrows_source::{Diagnostics, Sources};
use narrows_tests::engines::Compared;
use narrows_tests::files::{Disk, promela_models};
use narrows_tests::seeds::seeds;
use narrows_tests::{engines, generator, mutate};

fn system(name: &str, text: &str) -> Option<System> {
    let mut sources = Sources::default();
    let file = sources.add(name, text);
    compile(&mut sources, file, &Disk, &Options::default(), &mut Diagnostics::default())
}

fn agree(name: &str, text: &str, most: usize) -> Compared {
    system(name, text).map_or_else(Compared::default, |system| engines::agree(name, &system, most))
}

fn agree_on_folder(folder: &Path, most: usize) -> usize {
    let models = promela_models(&[folder]);
    for (name, text) in &models {
        agree(name, text, most);
    }
    models.len()
}

#[test]
fn machine_code_agrees_on_our_models() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    assert!(agree_on_folder(&root.join("models"), 5_000) > 50);
    assert!(agree_on_folder(&root.join("../examples"), 5_000) > 5);
}

#[test]
fn machine_code_agrees_on_models_of_spin() {
    agree_on_folder(Path::new("/usr/share/doc/spin/examples"), 3_000);
}

/// `NARROWS_SEEDS=1..5000` makes a long run of it.
#[test]
fn machine_code_agrees_on_random_models() {
    let (mut states, mut edges) = (0, 0);
    let seeds = seeds(200);
    for seed in seeds.clone() {
        let mut texts = vec![generator::generate_with_long_sequences(seed).to_string()];
        if seed % 4 == 0 {
            texts.push(generator::generate_questions(seed).model.to_string());
        }
        for text in texts {
            let compared = agree(&format!("seed {seed}\n{text}\n"), &text, 2_000);
            (states, edges) = (states + compared.states, edges + compared.edges);
        }
    }
    eprintln!("{states} states, {edges} edges");
    assert!(edges > 1_000 * seeds.count(), "{edges} edges");
}

/// What the fuzz target `native` does for hours: texts made from models by accident. `NARROWS_SEEDS=1..20000`
/// makes a long run of it.
#[test]
fn machine_code_agrees_on_broken_models() {
    let probes = promela_models(&[&Path::new(env!("CARGO_MANIFEST_DIR")).join("models/probes")]);
    let probes: Vec<String> = probes.into_iter().map(|(_, text)| text).collect();
    let (mut compiled, mut edges) = (0, 0);
    let seeds = seeds(400);
    for seed in seeds.clone() {
        let mut random = Random::new(seed);
        let whole = match random.pick(&probes) {
            Some(probe) if seed % 2 == 0 => probe.clone(),
            _ => generator::generate_with_long_sequences(seed).to_string(),
        };
        let text = mutate::mutate(&whole, mutate::PROMELA, &mut random);
        let compared = agree(&format!("seed {seed}\n{text}\n"), &text, 300);
        compiled += usize::from(compared.edges > 0);
        edges += compared.edges;
    }
    eprintln!("{compiled} models, {edges} edges");
    let count = seeds.count();
    assert!(compiled > count / 20 && edges > 20 * count, "{compiled} models, {edges} edges of {count} texts");
}

/// Sequences that are long, split, meet again, go round for ever, or pass control to and fro.
#[test]
fn machine_code_agrees_on_long_sequences() {
    for text in [
        "active [2] proctype P() { int i; atomic { for (i : 0 .. 3000) { skip } } }",
        "int n; active [2] proctype P() { int i; atomic { for (i : 0 .. 500) { d_step { n++; n = n % 7 } } } }",
        "byte x; active proctype P() { atomic { do :: x = 1 :: x = 2 od } }",
        "byte x; active proctype P() { int i; atomic { for (i : 0 .. 150) { if :: x = 1 :: x = 2 :: x = 1 fi } } }",
        "byte x; active proctype P() { atomic { do :: x++ :: break od; assert(x < 250) } }",
        "chan a = [0] of { byte }; chan b = [0] of { byte }; byte x;
         active proctype P() { byte y; atomic { do :: a!y; b?y :: x > 0 -> break od } }
         active proctype Q() { byte z; atomic { do :: a?z; b!z od } }",
        "chan a = [0] of { byte }; chan b = [0] of { byte };
         active proctype P() { byte y; atomic { do :: a!y; b?y od } }
         active proctype Q() { byte z; atomic { do :: a?z; b!z + 1 od } }",
        "int n; active proctype P() { d_step { do :: n < 1200000 -> n++ :: else -> break od } }",
        "byte x; active proctype P() { d_step { do :: x = 1 - x od } }",
        "byte a[4]; active [2] proctype P() { int i;
           atomic { for (i : 0 .. 20000) { a[i % 4] = a[i % 4] + i } } }",
        "byte a[4]; active [2] proctype P() { byte x; int i;
           atomic { if :: x = 1 :: x = 2 fi; for (i : 0 .. 9000) { a[i % 4] = a[i % 4] + x };
             if :: x = 3 :: x = 4 fi } }",
        "byte n, m; active [2] proctype P() { byte i; atomic { do
           :: d_step { i < 20 && n <= m -> n++; if :: n % 3 == 0 -> m++ :: n % 3 == 1 -> m = n :: else fi }
           :: d_step { i < 20 && n > m -> m++; i++ } :: d_step { i >= 20 -> i = 0 }; break od } }",
        "byte n; active [2] proctype P() { byte i;
           atomic { for (i : 0 .. 9) { d_step { n++; assert(n < 12); n > 3 -> skip } } } }",
        "chan c = [2] of { byte }; byte n; active [2] proctype P() { byte i, x; atomic { for (i : 0 .. 9) {
           d_step { c!i; n = n + len(c) }; if :: d_step { c?x -> n = n + x } :: d_step { nfull(c) -> n = 1 } fi } } }",
        "byte n; active [2] proctype P() { byte i;
           atomic { for (i : 0 .. 9) { if :: n > 3 -> n = 0 :: d_step { else -> n++ } fi } } }",
    ] {
        let states = agree(text, text, 1_000).states;
        assert!(states > 0, "{text}");
    }
}

/// What C's `int` does at its limits, and what variables keep of it.
#[test]
fn machine_code_computes_as_the_reference_does() {
    let values = [
        "0", "1", "-1", "2", "7", "-7", "31", "32", "33", "255", "256", "32767", "32768", "65536", "max",
        "min",
    ];
    let operators =
        ["+", "-", "*", "/", "%", "<<", ">>", "&", "|", "^", "<", "<=", ">", ">=", "==", "!=", "&&", "||"];
    let choices = |name: &str| {
        let options: Vec<String> = values.iter().map(|value| format!(":: {name} = {value}")).collect();
        format!("if {} fi", options.join(" "))
    };
    let header = "int a, b, r; bit t; byte y; short s; unsigned u : 5; unsigned w : 13; unsigned x : 31;
        int max = 2147483647; int min = -2147483647 - 1; int list[3];";
    for operator in operators {
        let text = format!(
            "{header} active proctype p() {{ {}; {}; r = a {operator} b; t = r; y = r; s = r; u = r; w = r; x = r;
             r = s + u + w + x - y; (a {operator} b) -> r = (a {operator} b -> ~a : -b); list[r] = !r; r = list[a];
             assert(list[a % 3] >= 0) }}",
            choices("a"),
            choices("b")
        );
        let states = agree(operator, &text, 100_000).states;
        assert!(states > 256, "{operator}: {states}");
    }
}
