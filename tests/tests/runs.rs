//! Compares answers to questions about whole runs with SPIN's: formulas, never claims, acceptance and
//! progress. `bench/random-runs` makes the long comparison of random models.

use std::path::{Path, PathBuf};
use std::time::Duration;
use std::{env, fs};

use narrows_tests::commands::Scratch;
use narrows_tests::compare::{Summary, Verdict};
use narrows_tests::narrows::{self, Answers};
use narrows_tests::seeds::seeds;
use narrows_tests::spin::{self, Cycles, Limits, Said, Verifier};
use narrows_tests::{generator, questions};

const EXAMPLES: &str = "/usr/share/doc/spin/examples/Examples";

/// Examples with questions that SPIN, unreduced, does not answer in seconds.
const SLOW: &[&str] = &["LTL/leader.pml", "LTL/leader_pre.pml", "LTL/petersonN.pml", "Exercises/ex_6.pml"];

fn has_spin() -> bool {
    let installed = spin::installed();
    assert!(installed || env::var_os("CI").is_none(), "there is no `spin` here");
    installed
}

fn model(folder: &str, name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("models").join(folder).join(name)
}

fn answer(file: &Path, kind: &str, name: &str, fair: bool) -> String {
    match narrows::check_file(file, &[], fair, Duration::from_mins(1)).expect("narrows runs") {
        Answers::Given(answers) => {
            let found = answers.iter().find(|answer| answer.kind == kind && answer.name == name);
            found.map(|answer| answer.verdict.clone()).unwrap_or_default()
        }
        other => panic!("{}: {other:?}", file.display()),
    }
}

#[test]
fn narrows_agrees_with_spin_on_runs_of_random_models() {
    if !has_spin() {
        return;
    }
    let limits = Limits { time: Duration::from_secs(1), ..Limits::quick() };
    let mut summary = Summary::default();
    let seeds = seeds(20);
    for seed in seeds.clone() {
        let asked = generator::generate_questions(seed);
        for compared in questions::compare(&asked, &limits).expect("both tools run") {
            summary.add(&compared.verdict);
            if let Verdict::Differed(why) = compared.verdict {
                let small = questions::reduce(&asked, &compared.asked, 200, &limits);
                panic!("seed {seed}: {why}\n{}", questions::text(&small, &compared.asked));
            }
        }
    }
    eprintln!("{summary}");
    // Each model is asked several questions.
    assert!(summary.agreed > 2 * seeds.count(), "{summary}");
}

/// Every `.pml` below a directory that has a question about runs and no C, in a fixed order.
fn examples(directory: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(directory) else { return Vec::new() };
    let mut paths: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    paths.sort();
    let below = |path: PathBuf| if path.is_dir() { examples(&path) } else { vec![path] };
    let asks = |path: &PathBuf| {
        let text = String::from_utf8_lossy(&fs::read(path).unwrap_or_default()).into_owned();
        let has = |words: &[&str]| words.iter().any(|word| text.contains(word));
        path.extension().is_some_and(|extension| extension == "pml")
            && has(&["ltl ", "never", "accept", "progress"])
            && !has(&["c_code", "c_expr", "c_decl"])
    };
    paths.into_iter().flat_map(below).filter(asks).collect()
}

/// The file, or a copy without the formulas that have a next operator, which SPIN as Debian builds it
/// rejects.
fn without_next(file: &Path, scratch: &Scratch) -> PathBuf {
    let text = String::from_utf8_lossy(&fs::read(file).expect("a file")).into_owned();
    let rejected = |line: &&str| {
        line.contains("ltl ") && ["X (", "X(", "X<>", "X "].iter().any(|next| line.contains(next))
    };
    if !text.lines().any(|line| rejected(&line)) {
        return file.to_owned();
    }
    let copy = scratch.path().join("accepted.pml");
    let lines: Vec<&str> = text.lines().filter(|line| !rejected(line)).collect();
    fs::write(&copy, lines.join("\n")).expect("a copy");
    copy
}

#[test]
fn narrows_agrees_with_spin_on_runs_of_its_examples() {
    let examples = examples(Path::new(EXAMPLES));
    if !has_spin() || examples.is_empty() {
        return;
    }
    let mut summary = Summary::default();
    let mut differences = Vec::new();
    for file in examples {
        let name = file.strip_prefix(EXAMPLES).unwrap_or(&file).display().to_string();
        if SLOW.contains(&name.as_str()) {
            continue;
        }
        let scratch = Scratch::new().expect("a folder");
        let accepted = without_next(&file, &scratch);
        for compared in questions::compare_file(&accepted, &Limits::default()).expect("both tools run") {
            summary.add(&compared.verdict);
            match compared.verdict {
                Verdict::Agreed(_) => {}
                Verdict::Skipped(why) => eprintln!("{name}, {}: {why}", compared.asked),
                Verdict::Differed(why) => differences.push(format!("{name}: {why}")),
            }
        }
    }
    eprintln!("{summary}");
    assert!(differences.is_empty(), "{summary}\n{}", differences.join("\n\n"));
    assert!(summary.agreed >= 30, "{summary}");
}

#[test]
fn narrows_agrees_with_spin_on_what_claims_can_look_at() {
    if !has_spin() {
        return;
    }
    let all = questions::compare_file(&model("claims", "looks.pml"), &Limits::default());
    let all = all.expect("both tools run");
    for compared in &all {
        assert!(matches!(compared.verdict, Verdict::Agreed(_)), "{:?}", compared.verdict);
    }
    assert_eq!(all.len(), 32);
}

#[test]
fn narrows_answers_the_claims_of_the_probes() {
    let table = fs::read_to_string(model("probes", "expected.tsv")).expect("the table of expected figures");
    let mut count = 0;
    for line in table.lines().skip(1) {
        let cells: Vec<&str> = line.split('\t').collect();
        let (kind, name) = match (cells[1], cells[2]) {
            ("LTLFULL", "(only)") => ("never", ""),
            ("LTLFULL", name) => ("ltl", name),
            ("ACC", _) => ("accept", ""),
            ("NP", _) => ("progress", ""),
            _ => continue,
        };
        // SPIN's verifier refuses p40. Its label is at the loop itself, so that every round is progress.
        let expected = if cells[3] == "crash" || cells[7] == "0" { "holds" } else { "fails" };
        let verdict = answer(&model("probes", cells[0]), kind, name, false);
        assert_eq!(verdict, expected, "{} {} {}", cells[0], cells[1], cells[2]);
        count += 1;
    }
    assert!(count > 5);
}

/// What SPIN says of a model of which it is known to be wrong.
fn said(name: &str, cycles: Cycles, claim: Option<&str>, fair: bool) -> Option<Said> {
    if !has_spin() {
        return None;
    }
    let verifier = Verifier::of_file(&model("differences", name), &[], cycles, &Limits::default());
    Some(verifier.expect("spin runs").expect("a verifier").ask(claim, fair).expect("the verifier runs"))
}

#[test]
fn differences_in_fairness_are_as_described() {
    let cases = [
        ("fair_receivers.pml", "ltl", "served", "holds", Cycles::Claims),
        ("fair_receive.pml", "ltl", "served", "holds", Cycles::Claims),
        ("fair_provided.pml", "ltl", "stops", "fails", Cycles::Claims),
        ("fair_end.pml", "ltl", "settles", "fails", Cycles::Claims),
        ("fair_accept.pml", "accept", "", "holds", Cycles::Acceptance),
    ];
    for (file, kind, name, expected, cycles) in cases {
        assert_eq!(answer(&model("differences", file), kind, name, true), expected, "{file}");
        let claim = Some(name).filter(|name| !name.is_empty());
        match said(file, cycles, claim, true) {
            None => {}
            Some(Said::Holds) => assert_eq!(expected, "fails", "{file}: SPIN agrees by now"),
            Some(Said::Fails(_)) => assert_eq!(expected, "holds", "{file}: SPIN agrees by now"),
            other => panic!("{file}: {other:?}"),
        }
    }
}

#[test]
fn a_receive_that_goes_wrong_is_not_enabled() {
    let text = "active proctype P(chan c; byte x) { progress: do :: skip; c ? x od }
        active proctype Idle() { do :: skip od }";
    let answers = narrows::check_text(text, true, Duration::from_mins(1)).expect("narrows runs");
    let Answers::Given(answers) = answers else { panic!("{answers:?}") };
    assert!(
        answers.iter().any(|answer| answer.kind == "progress" && answer.verdict == "fails"),
        "{answers:?}"
    );
}
