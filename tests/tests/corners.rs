//! Corners of the language that random models do not reach: each model says in its comment what comes out,
//! and SPIN counts it too.

use std::path::{Path, PathBuf};
use std::time::Duration;
use std::{env, fs};

use narrows_tests::compare::{Verdict, compare_file};
use narrows_tests::narrows::{self, Outcome};
use narrows_tests::spin::{self, Limits};

fn models() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("models/corners");
    let mut paths: Vec<PathBuf> = fs::read_dir(folder)
        .expect("the folder is there")
        .map(|entry| entry.expect("readable").path())
        .collect();
    paths.sort();
    assert!(!paths.is_empty());
    paths
}

#[test]
fn counts_are_those_that_the_models_state() {
    for path in models() {
        let text = fs::read_to_string(&path).expect("readable");
        let expected = text.split("RESULT: ").nth(1).and_then(|rest| rest.split(" */").next());
        let found = match narrows::explore_file(&path, &[], Duration::from_mins(1)).expect("narrows runs") {
            Outcome::Explored(found) => found,
            other => panic!("{}: {other:?}", path.display()),
        };
        let counted = format!("{} states, {} transitions", found.states, found.transitions);
        assert_eq!(expected, Some(counted.as_str()), "{}", path.display());
    }
}

#[test]
fn spin_counts_the_same() {
    if !spin::installed() {
        assert!(env::var_os("CI").is_none(), "there is no `spin` here");
        eprintln!("skipped: there is no `spin` here");
        return;
    }
    for path in models() {
        let verdict = compare_file(&path, &[], &Limits::default()).expect("both tools run");
        assert!(matches!(verdict, Verdict::Agreed(_)), "{}: {verdict:?}", path.display());
    }
}
