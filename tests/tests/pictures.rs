//! The pictures of the book: each is what the program draws, or a script that needs Python.
//!
//! `UPDATE_DOCS=1` draws them anew.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;
use std::{env, fs};

use narrows_tests::commands::{Scratch, run};
use narrows_tests::narrows;

/// The studies whose charts are shown.
const STUDIES: [&str; 12] = [
    "bottlenecks/bus_separate",
    "bottlenecks/bus_shared",
    "bottlenecks/nvme_four",
    "bottlenecks/nvme_one",
    "bottlenecks/ring_one",
    "bottlenecks/workers_lock",
    "myrinet/lcp_sends",
    "myrinet/mcp_sends",
    "myrinet/sizes/figure1",
    "myrinet/sizes/figure2",
    "pci/figure5",
    "pci/worst",
];

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// Returns all pictures below a folder.
fn pictures(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            found.extend(pictures(&path));
        } else if path.extension().is_some_and(|ending| ending == "svg") {
            found.push(path);
        }
    }
    found
}

fn draw(command: &mut Command) {
    let said = run(command, Duration::from_mins(4)).expect("it runs");
    assert_eq!(said.code(), Some(0), "{}{}", said.stdout, said.stderr);
}

#[test]
fn the_pictures_of_the_book_are_those_that_are_drawn() {
    let scratch = Scratch::new().expect("a directory");
    let program = || Command::new(narrows::program().expect("the program is built"));
    let study = |name: &&str| root().join("examples").join(format!("{name}.toml"));
    let charts = || {
        let mut program = program();
        program.args(["bottleneck", "--no-report", "--quiet", "--charts"]).arg(scratch.path());
        program
    };
    draw(charts().args(STUDIES.iter().map(study)));
    // The name of the model stands in the picture, as it is given.
    let mut graph = program();
    graph.current_dir(root()).args(["graph", "examples/mutex/peterson.pml", "-o"]);
    draw(graph.arg(scratch.path().join("peterson.svg")));
    // This one is of a simulation on paper, not of the program.
    let mut paper = Command::new(root().join("bench/cluster/paper"));
    draw(paper.arg(scratch.path().join("cluster-100-hosts.svg")));
    let kept = pictures(&root().join("docs/src"));
    assert!(kept.len() > 10, "{kept:?}");
    let mut changed = BTreeSet::new();
    for path in kept {
        let name = path.file_name().expect("a name");
        let drawn = fs::read_to_string(scratch.path().join(name));
        let drawn = drawn.unwrap_or_else(|_| panic!("nothing draws {}", path.display()));
        if env::var_os("UPDATE_DOCS").is_some() {
            fs::write(&path, &drawn).expect("it can be written");
        }
        if fs::read_to_string(&path).expect("a picture") != drawn {
            changed.insert(path);
        }
    }
    assert!(changed.is_empty(), "drawn otherwise now: {changed:?}; `UPDATE_DOCS=1` draws them anew");
}
