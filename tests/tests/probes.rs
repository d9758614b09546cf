//! Explores the probes, one small model per corner of Promela's semantics, and compares with the figures that
//! SPIN gave for them, kept in `expected.tsv`. SPIN is not needed here; where it is installed, a second test
//! makes sure that the oracle still gives these figures.

use std::path::{Path, PathBuf};
use std::time::Duration;
use std::{fs, thread};

use narrows_tests::narrows::{self, Found, Outcome};
use narrows_tests::spin;

/// A row of the table whose question is the whole state space.
struct Row {
    model: String,
    crash: bool,
    states: u64,
    transitions: u64,
    atomic_steps: u64,
    errors: u64,
}

/// Probes in which SPIN stops or goes astray at a fault: only that Narrows reports one is compared.
const FAULTY: &[&str] = &["p15_run_fail.pml", "p22_divzero.pml", "p23_index.pml", "p31_dstep_block.pml"];

fn probe(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("models/probes").join(name)
}

fn rows() -> Vec<Row> {
    let text = fs::read_to_string(probe("expected.tsv")).expect("the table of expected figures");
    let rows = text.lines().skip(1).map(|line| line.split('\t').collect::<Vec<_>>());
    rows.filter(|cells| cells[1] == "FULL")
        .map(|cells| {
            let number = |index: usize| cells.get(index).and_then(|cell| cell.parse().ok()).unwrap_or(0);
            Row {
                model: cells[0].to_owned(),
                crash: cells[3] == "crash",
                states: number(4),
                transitions: number(5),
                atomic_steps: number(6),
                errors: number(7),
            }
        })
        .collect()
}

fn outcome(name: &str) -> Outcome {
    narrows::explore_file(&probe(name), &[], Duration::from_mins(1)).expect("narrows runs")
}

fn explored(name: &str) -> Found {
    match outcome(name) {
        Outcome::Explored(found) => found,
        other => panic!("{name}: {other:?}"),
    }
}

#[test]
fn narrows_finds_what_spin_finds() {
    let mut differences = Vec::new();
    for row in rows().iter().filter(|row| !row.crash && !FAULTY.contains(&row.model.as_str())) {
        let expected = (row.states, row.transitions - 1, row.errors > 0);
        match outcome(&row.model) {
            Outcome::Explored(found) => {
                let actual = (found.states, found.transitions, !found.violations.is_empty());
                if actual != expected {
                    differences.push(format!("{}: expected {expected:?}, found {actual:?}", row.model));
                }
            }
            other => differences.push(format!("{}: {other:?}", row.model)),
        }
    }
    assert!(differences.is_empty(), "(states, transitions, errors)\n{}", differences.join("\n"));
}

#[test]
fn faults_are_reported() {
    for name in FAULTY {
        let found = explored(name);
        assert!(found.has("fault"), "{name}: {found:?}");
    }
    let found = explored("p22_divzero.pml");
    assert_eq!(found.violations[0].line, 2, "{found:?}");
}

#[test]
fn loops_that_spin_refuses_are_explored() {
    for name in ["p40_np.pml", "p49_selfloop.pml"] {
        assert!(explored(name).complete, "{name}");
    }
}

#[test]
fn wrong_models_are_rejected() {
    for name in ["p54_run_expr.pml", "p67_inline_for_in.pml"] {
        let outcome = outcome(name);
        assert!(matches!(outcome, Outcome::Rejected(_)), "{name}: {outcome:?}");
    }
}

#[test]
fn an_uninitialised_channel_is_noticed() {
    match outcome("p55_uninit_chan.pml") {
        Outcome::Rejected(_) => {}
        Outcome::Explored(found) => assert!(found.has("fault"), "{found:?}"),
        other => panic!("{other:?}"),
    }
}

#[test]
fn the_oracle_still_gives_these_figures() {
    if !spin::installed() {
        eprintln!("skipped: there is no `spin` here");
        return;
    }
    let rows = rows();
    let (left, right) = rows.split_at(rows.len() / 2);
    thread::scope(|scope| {
        scope.spawn(|| left.iter().for_each(check_oracle));
        scope.spawn(|| right.iter().for_each(check_oracle));
    });
}

fn check_oracle(row: &Row) {
    let outcome = spin::explore_file(&probe(&row.model), &[], &spin::Limits::default()).expect("spin runs");
    match &outcome {
        spin::Outcome::Ran(found) if !row.crash => {
            let figures = (found.states, found.transitions, found.atomic_steps, found.errors);
            let expected = (row.states, row.transitions, row.atomic_steps, row.errors);
            assert_eq!(figures, expected, "{}", row.model);
            assert_eq!(found.errors > 0, !found.messages.is_empty(), "{}", row.model);
        }
        spin::Outcome::Refused(_) | spin::Outcome::Crashed(_) if row.crash => {}
        other => panic!("{}: {other:?}", row.model),
    }
}
