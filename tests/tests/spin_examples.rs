//! Compares with SPIN on the examples that come with it, as Debian installs them.

use std::path::{Path, PathBuf};
use std::time::Duration;
use std::{env, fs};

use narrows_tests::compare::{Summary, Verdict, compare_file};
use narrows_tests::spin::{self, Limits};

const EXAMPLES: &str = "/usr/share/doc/spin/examples/Examples";

/// Examples whose whole state space SPIN does not finish in 8 seconds, as compiled for tests, or not within 2
/// GB or 20 million steps of depth; their place is in `bench/`.
const SLOW: &[&str] = &[
    "Book_1991/App.F.pftp.pml",
    "Book_1991/p108.pml",
    "Exercises/ex_6.pml",
    "LTL/leader.pml",
    "LTL/leader_pre.pml",
    "LTL/ltl_gen.pml",
    "LTL/petersonN.pml",
    "LTL/pftp.pml",
    "cambridge.pml",
    "life.pml",
    "priorities.pml",
    "sort.pml",
];

/// Every `.pml` below a directory, in a fixed order.
fn models(directory: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(directory) else { return Vec::new() };
    let mut paths: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    paths.sort();
    let below = |path: PathBuf| if path.is_dir() { models(&path) } else { vec![path] };
    let files = paths.into_iter().flat_map(below);
    files.filter(|path| path.extension().is_some_and(|extension| extension == "pml")).collect()
}

/// Whether a model contains C, which SPIN hands through to its verifier.
fn embeds_c(path: &Path) -> bool {
    let bytes = fs::read(path).unwrap_or_default();
    let text = String::from_utf8_lossy(&bytes);
    ["c_code", "c_expr", "c_decl", "c_state", "c_track"].iter().any(|word| text.contains(word))
}

#[test]
fn narrows_agrees_with_spin_on_its_examples() {
    let models = models(Path::new(EXAMPLES));
    if !spin::installed() || models.is_empty() {
        assert!(env::var_os("CI").is_none(), "there is no `spin` here, or not with its examples");
        eprintln!("skipped: there is no `spin` here, or not with its examples");
        return;
    }
    let limits = Limits { time: Duration::from_secs(8), ..Limits::default() };
    let mut summary = Summary::default();
    let mut differences = Vec::new();
    for model in models.iter().filter(|model| !embeds_c(model)) {
        let name = model.strip_prefix(EXAMPLES).unwrap_or(model).display().to_string();
        if SLOW.contains(&name.as_str()) {
            continue;
        }
        let verdict = compare_file(model, &[], &limits).expect("both tools run");
        summary.add(&verdict);
        match verdict {
            Verdict::Agreed(_) => {}
            Verdict::Skipped(why) => eprintln!("{name}: {why}"),
            Verdict::Differed(why) => differences.push(format!("{name}: {why}")),
        }
    }
    eprintln!("{summary}");
    assert!(differences.is_empty(), "{summary}\n{}", differences.join("\n\n"));
}
