//! SPIN's own examples, where they are installed: they parse, and broken copies of them never panic.

use std::path::Path;

use narrows_graph::Random;
use narrows_languages::promela::{Options, parse};
use narrows_source::{Diagnostic, Diagnostics, Sources, render};
use narrows_tests::files::{Disk, promela_models};
use narrows_tests::mutate;

/// Where the models are; more folders may come from the environment variable `NARROWS_MODELS`.
const EXAMPLES: &str = "/usr/share/doc/spin/examples";

fn all_models() -> Vec<(String, String)> {
    let more = std::env::var("NARROWS_MODELS").unwrap_or_default();
    let mut folders = vec![Path::new(EXAMPLES)];
    folders.extend(more.split(':').filter(|folder| !folder.is_empty()).map(Path::new));
    promela_models(&folders)
}

fn diagnose(name: &str, text: &str) -> (Sources, Vec<Diagnostic>) {
    let mut sources = Sources::default();
    let file = sources.add(name, text);
    let mut diagnostics = Diagnostics::default();
    parse(&mut sources, file, &Disk, &Options::default(), &mut diagnostics);
    let list = diagnostics.sorted();
    (sources, list)
}

#[test]
fn examples_parse() {
    let mut wrong = String::new();
    for (name, text) in all_models() {
        let (sources, list) = diagnose(&name, &text);
        if text.contains("c_code") || text.contains("c_expr") {
            continue;
        }
        for diagnostic in list {
            // `pc10` of the patterns has `&` for `&&` before a temporal operator; SPIN makes nonsense of it.
            if diagnostic.code == "P0116" && name.ends_with("LTL/patterns.pml") {
                continue;
            }
            wrong.push_str(&render(&diagnostic, &sources, false));
            wrong.push('\n');
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn broken_examples_do_not_panic() {
    let mut random = Random::new(1);
    for (name, text) in all_models() {
        for _ in 0..20 {
            let broken = mutate::mutate(&text, mutate::PROMELA, &mut random);
            let (sources, list) = diagnose(&name, &broken);
            for diagnostic in list.iter().take(5) {
                assert!(!render(diagnostic, &sources, false).is_empty());
            }
        }
    }
}
