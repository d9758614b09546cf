//! The page *The papers, entry by entry*: what each paper prints and what comes out here, made from the
//! studies.
//!
//! `UPDATE_DOCS=1` writes the page.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

use narrows_tests::narrows::program;
use serde_json::Value;

const HEAD: &str = "# The papers, entry by entry

The examples model systems from papers. This page lists each value that a paper prints and a study asks for, beside
the value that Narrows computes. A test generates it from the `reference` of the studies. Where the values differ, the
last column says why. Questions that a paper does not answer are marked as ours in the studies. The last section
lists what papers print and no study asks for.
";

/// What is printed in numbers and cannot be asked of a model, or depends on what is not printed.
const TAIL: &str = "
## Printed, and asked nowhere

| paper | what it prints | why it is not asked |
|---|---|---|
| The PCI bus | a state space of 10¹⁸ states; a transition relation of less than 10 000 nodes; verified in minutes | sizes of an encoding that is not shown; ours take seconds |
| The PCI bus | the overhead of one cancellation: 95 + 18 + 18 + 1 | its sum, 132, is asked |
| The firmware of Myrinet | 6 % more throughput than UDP with 32 KB, and the curves of figures 1 and 2 | measured on hosts with UDP, which no model here has; of the curves only what the text says of them is left: “about 1/2” is asked, \
 and “the shortest one-way latency” is a trend that figure2.toml expects (examples/myrinet/sizes) |
| The sending side of MCP | a state vector of 412 bytes, 278 036 states visited, 267 211 matched, 85 522 atomic steps | of SPIN's search of a product that is not printed; mcp_send.pml has 67 bytes |
| MPI ping-pong | measured latencies 9 % to 22 % from the model's; the curves of figures 1 and 2 | a machine whose latencies are not published; what the text says of the curves (latency grows with distance, A beats B, SR2 beats SR1) is a trend that pingpong.toml expects |
| MPI ping-pong | 797 lines of LOTOS, 1044 of C, 450 of properties | the texts are not printed |
";

/// A paper: its title, a line about it, and the studies that have its values.
struct Paper {
    title: &'static str,
    about: &'static str,
    folder: &'static str,
    studies: &'static [&'static str],
}

const PAPERS: [Paper; 4] = [
    Paper {
        title: "The PCI bus",
        about: "S. Campos, E. Clarke, W. Marrero, M. Minea: *Verifying the Performance of the PCI Local Bus using Symbolic Techniques*.",
        folder: "pci",
        studies: &[
            "figure5", "figure7", "figure8", "text", "cancels", "worst", "levels", "sizes", "choices",
            "detailed",
        ],
    },
    Paper {
        title: "The firmware of Myrinet",
        about: "H.-W. Jin, K.-S. Bang, C. Yoo, J.-Y. Choi, H. Cha: *Bottleneck Analysis of a Gigabit Network Interface Card: Formal \
                Verification Approach*.",
        folder: "myrinet",
        studies: &[
            "lcp",
            "lcp_sends",
            "lcp_receives",
            "lcp_equal",
            "sizes/figure1",
            "mcp",
            "mcp_formulas",
            "mcp_sends",
            "mcp_receives",
            "mcp_equal",
        ],
    },
    Paper {
        title: "The sending side of MCP",
        about: "H.-W. Jin, K.-S. Bang, J.-Y. Choi, H. Yoo: *Formal Verification of MCP using SPIN*.",
        folder: "myrinet",
        studies: &["mcp_send"],
    },
    Paper {
        title: "MPI ping-pong over coherent caches",
        about: "G. Chehaibar, M. Zidouni, R. Mateescu: *Modeling multiprocessor cache protocol impact on MPI performance*.",
        folder: "pingpong",
        studies: &[
            "a1",
            "a1_phases",
            "a2",
            "pingpong",
            "lotos/verify_composed_locks",
            "lotos/verify_composed_buffers",
            "lotos/composed_lists",
        ],
    },
];

/// Why something differs: the study, the entry or its beginning, the reason.
const REASONS: [(&str, &str, &str); 21] = [
    ("figure7", "Figure 7, ISA, Total acquisition", "a misprint: its own columns give 19 + 18"),
    ("figure8", "states", "the paper's model is not shown; ours tells less apart"),
    ("detailed", "states", "with a target process and all banks, still fewer than in the paper's model"),
    ("choices", "Other readings", "another reading of the text, asked to show what it would give"),
    (
        "sizes/figure1",
        "bandwidth",
        "“about 1/2” of 160 MB/s; the PCI bus of 132 MB/s and the cost of events take the rest",
    ),
    (
        "mcp_formulas",
        "formula 2-A, whatever the host does",
        "a slow host avoids the overlap: the paper assumes a fast one",
    ),
    ("mcp_send", "states", "environment, queues and a never claim that are not printed"),
    ("mcp_send", "transitions", "the same"),
    ("mcp_send", "depth", "that of a depth-first search of the product"),
    ("a1", "misses", "“about 20”; the primitives are chosen to fit, as their code is not printed"),
    ("a1", "share of packet", "rounds to 20 %"),
    ("a1", "share of", "8 pointer misses of 9, and 7.86 lock misses, or 6.82 in two phases, of 7"),
    (
        "a1_phases",
        "pointer misses",
        "each of the four pointer variables goes over and comes back once: the code that would have a ninth is not printed",
    ),
    ("a1_phases", "lock misses", "rounds to 7"),
    ("a1_phases", "misses", "without the ninth pointer miss"),
    ("pingpong", "misses", "“about 20”; the primitives are chosen to fit, as their code is not printed"),
    ("pingpong", "pointer misses", "as in a1_phases: the ninth needs code that is not printed"),
    ("pingpong", "lock misses", "6.82 with caches that change in the middle of a transfer, in a1_phases"),
    ("a2", "share of", "4 and 8 of 12; the paper's shares are of “about 12”"),
    ("lotos/verify_composed", "states", "the paper's primitives, mappings and data are not printed"),
    ("lotos/composed_lists", "states", "with two packets for each process; with 16 there are 1 416 987"),
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").canonicalize().expect("the repository")
}

fn measure(folder: &str, study: &str) -> Vec<Value> {
    let path = root().join("examples").join(folder).join(format!("{study}.toml"));
    let mut command = Command::new(program().expect("the program"));
    let output = command.arg("measure").arg(&path).args(["--format", "json", "--quiet"]).output();
    let document: Value = serde_json::from_slice(&output.expect("it runs").stdout).expect("a document");
    document["answers"].as_array().expect("a list").clone()
}

/// Writes a number with four digits behind the point at most.
fn number(value: &Value) -> String {
    match value.as_f64() {
        Some(number) => format!("{}", (number * 1e4).round() / 1e4),
        None => "∞".to_owned(),
    }
}

fn ours(answer: &Value) -> String {
    let Some(value) = answer["value"].as_object() else {
        return answer["verdict"].as_str().unwrap_or("?").to_owned();
    };
    let (low, high) = (number(&value["low"]), number(&value["high"]));
    if low == high { low } else { format!("{low} to {high}") }
}

fn theirs(answer: &Value) -> String {
    answer["reference"]["found"].as_str().expect("a text").replace("infinity", "∞")
}

fn entry(answer: &Value) -> String {
    let text = |value: &Value| value.as_str().unwrap_or("").to_owned();
    if answer["cell"].is_object() {
        let cell = &answer["cell"];
        return format!("{}, {}, {}", text(&cell["table"]), text(&cell["row"]), text(&cell["column"]));
    }
    let name = text(&answer["name"]);
    let is_formula = name.contains("->") || name.contains("[]");
    if is_formula { format!("`{name}`") } else { name }
}

/// Returns why an entry differs, and notes that the reason was needed.
fn reason(study: &str, entry: &str, used: &mut [bool]) -> &'static str {
    let fits = |(of, beginning, _): &(&str, &str, &str)| {
        (study == *of || study.starts_with(of) && of.contains('/')) && entry.starts_with(beginning)
    };
    let place = REASONS.iter().position(fits);
    let place = place.unwrap_or_else(|| panic!("{study}: {entry} differs, and nobody says why"));
    used[place] = true;
    REASONS[place].2
}

fn table(paper: &Paper, used: &mut [bool], page: &mut String) -> usize {
    let Paper { title, about, folder, studies } = paper;
    let _ = write!(
        page,
        "\n## {title}\n\n{about}\n\n| study | entry | paper | ours | |\n|---|---|---|---|---|\n"
    );
    let mut entries = 0;
    for study in *studies {
        let answers = measure(folder, study);
        let link = format!("[{study}](../../../examples/{folder}/{study}.toml)");
        let printed: Vec<&Value> = answers.iter().filter(|answer| answer["reference"].is_object()).collect();
        // Formulas about labels are many, and each says the same of another variable.
        let (formulas, others): (Vec<&Value>, Vec<&Value>) =
            printed.iter().partition(|answer| answer["kind"] == "mu");
        entries += printed.len();
        if !formulas.is_empty() {
            let all_hold = formulas.iter().all(|answer| ours(answer) == "holds" && theirs(answer) == "holds");
            assert!(all_hold, "{study}");
            let _ = writeln!(
                page,
                "| {link} | {} formulas for what section 3.4 verifies | hold | hold | = |",
                formulas.len()
            );
        }
        for answer in others {
            let (entry, theirs, ours) = (entry(answer), theirs(answer), ours(answer));
            let said = match answer["reference"]["agrees"].as_bool() {
                Some(true) => "=".to_owned(),
                _ => format!("≠ {}", reason(study, &entry, used)),
            };
            let _ = writeln!(page, "| {link} | {entry} | {theirs} | {ours} | {said} |");
        }
    }
    entries
}

#[test]
fn the_page_of_the_papers_is_what_the_studies_give() {
    let mut used = [false; REASONS.len()];
    let mut text = HEAD.to_owned();
    let entries: usize = PAPERS.iter().map(|paper| table(paper, &mut used, &mut text)).sum();
    assert!(entries > 200, "{entries}");
    let unused = REASONS.iter().zip(used).filter(|(_, used)| !used).map(|(reason, _)| reason);
    assert_eq!(unused.count(), 0, "{used:?}");
    text.push_str(TAIL);
    let path = root().join("docs/src/explanation/papers.md");
    if env::var_os("UPDATE_DOCS").is_some() {
        fs::write(&path, &text).expect("the page can be written");
    }
    assert_eq!(fs::read_to_string(&path).expect("the page"), text);
}

/// Returns the value of a key in a question of a study, and the comment behind it.
fn value_of<'t>(question: &'t str, key: &str) -> Option<(&'t str, &'t str)> {
    let line = question.lines().find(|line| line.split('=').next().is_some_and(|name| name.trim() == key))?;
    let (_, value) = line.split_once('=')?;
    let (value, comment) = value.split_once('#').unwrap_or((value, ""));
    Some((value.trim(), comment.trim()))
}

/// Returns all studies in a folder and below.
fn studies(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            found.extend(studies(&path));
        } else if path.extension().is_some_and(|ending| ending == "toml") {
            found.push(path);
        }
    }
    found.sort();
    found
}

/// What is expected is what a paper prints, or it is marked as ours. A range is expected only of what is a
/// range, and then both ends have to come out: none is as wide as it must be to pass.
#[test]
fn what_is_expected_is_printed_or_ours() {
    let (mut printed, mut ours, mut wrong) = (0, 0, Vec::new());
    for path in
        ["pci", "myrinet", "pingpong"].iter().flat_map(|of| studies(&root().join("examples").join(of)))
    {
        let text = fs::read_to_string(&path).expect("a study");
        let name = path.strip_prefix(root()).expect("it is inside").display().to_string();
        for question in text.split("\n[[ask]]\n").skip(1) {
            let Some((expected, comment)) = value_of(question, "expect") else { continue };
            let reference = value_of(question, "reference").map(|(value, _)| value);
            let is_ours = comment.starts_with("ours");
            match reference {
                Some(reference) if reference == expected && !is_ours => printed += 1,
                _ if is_ours && reference != Some(expected) => ours += 1,
                _ => wrong.push(format!("{name}: {expected}, marked `{comment}`, printed {reference:?}")),
            }
            let is_range =
                ["delay", "count", "throughput"].iter().any(|kind| value_of(question, kind).is_some());
            if expected.starts_with('[') && !is_range {
                wrong.push(format!("{name}: {expected} is expected of a single value"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(printed > 60 && ours > 60, "{printed} and {ours}");
}

/// Of a throughput a range may be wider than what comes out: the one that is expected here is not.
#[test]
fn ranges_of_throughput_are_exact() {
    let exact = measure("pingpong", "lotos/locks_exact");
    let throughput = exact.iter().find(|answer| answer["kind"] == "throughput").expect("it is asked");
    for (end, period) in [("low", 6760.0), ("high", 6335.0)] {
        let value = throughput["value"][end].as_f64().expect("a number");
        // Reading a decimal may lose its last bit.
        assert!((value * period - 1.0).abs() < 1e-15, "{end}: {value}");
    }
}
