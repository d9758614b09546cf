//! Searches that keep states with loss, on random models: they prove nothing, and what they find is there.

use std::collections::BTreeMap;
use std::process::Command;
use std::time::Duration;

use narrows_tests::commands::{Scratch, run};
use narrows_tests::seeds::seeds;
use narrows_tests::{generator, narrows};
use serde_json::Value;

const LIMIT: Duration = Duration::from_secs(20);

/// What is kept, from far too little to plenty.
const LOSSY: [&[&str]; 4] = [
    &["--bitstate=1K"],
    &["--bitstate=16K", "--hash-functions", "1"],
    &["--bitstate=4M"],
    &["--hash-compact"],
];

/// The verdict for each safety question, and the exit status; `None` if there was no time.
fn verdicts(
    program: &std::path::Path,
    file: &std::path::Path,
    options: &[&str],
) -> Option<(BTreeMap<String, String>, i32)> {
    let mut command = Command::new(program);
    command.arg("check").arg(file).args(["--format", "json", "--memory", "512M"]).args(options);
    for kind in ["assertion", "deadlock", "fault"] {
        command.args(["--only", kind]);
    }
    let ended = run(&mut command, LIMIT).expect("narrows runs");
    let status = ended.code()?;
    let report: Value = serde_json::from_str(&ended.stdout).unwrap_or_else(|_| panic!("{}", ended.stderr));
    let text = |answer: &Value, key: &str| answer[key].as_str().unwrap_or_default().to_owned();
    let answers = report["answers"].as_array().expect("answers");
    Some((answers.iter().map(|answer| (text(answer, "kind"), text(answer, "verdict"))).collect(), status))
}

#[test]
fn what_is_found_with_loss_is_there_and_nothing_is_proved() {
    let Some(program) = narrows::program() else { panic!("no `narrows` is built") };
    let scratch = Scratch::new().expect("a directory");
    let file = scratch.path().join("model.pml");
    let (mut found, mut missed) = (0, 0);
    let seeds = seeds(60);
    for seed in seeds.clone() {
        std::fs::write(&file, generator::generate(seed).to_string()).expect("a file");
        let Some((exact, exact_status)) = verdicts(program, &file, &["--time", "5s"]) else { continue };
        if exact.values().any(|verdict| verdict == "undecided") {
            continue;
        }
        for options in LOSSY {
            let Some((lossy, status)) = verdicts(program, &file, options) else { continue };
            for (kind, verdict) in &lossy {
                match (verdict.as_str(), exact[kind].as_str()) {
                    ("fails", "fails") => found += 1,
                    ("undecided", "fails") => missed += 1,
                    ("undecided", "holds") => {}
                    other => panic!("seed {seed}, {options:?}, {kind}: {other:?}"),
                }
            }
            let fails = lossy.values().any(|verdict| verdict == "fails");
            assert_eq!(status, if fails { 1 } else { 2 }, "seed {seed}, {options:?}");
            assert!(!fails || exact_status == 1, "seed {seed}, {options:?}");
        }
    }
    eprintln!("{found} found, {missed} missed");
    assert!(found > missed && found > seeds.count(), "{found} found, {missed} missed");
}
