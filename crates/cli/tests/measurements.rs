//! Digits that are certain, delays from measurements, and measurements beside predictions.

#![expect(clippy::unwrap_used, reason = "a helper of a test may fail as the test itself")]

mod program;

use std::fmt::Write;

use program::{Folder, document, status, stderr, stdout};

/// Two states that change places quickly, and a slow way out.
const STIFF: &str = "des (0, 4, 3)\n(0, \"rate 1073741824\", 1)\n(1, \"A; rate 1073741824\", 0)\n(1, \"rate 0.001953125\", 2)\n(2, \"rate 5\", 2)\n";

const LOOPS: &str =
    "des (0, 3, 1)\n(0, \"A; rate 0.1\", 0)\n(0, \"A; rate 0.2\", 0)\n(0, \"A; rate 0.3\", 0)\n";

#[test]
fn bounds_contain_what_is_true_and_digits_are_certain() {
    let folder = Folder::new(&[("loops.aut", LOOPS), ("stiff.aut", STIFF)]);
    let found = document(&folder.run("lts steady loops.aut --format json"));
    let end = |name: &str| found["throughputs"][0]["uniform"][name].as_f64().unwrap();
    assert!(end("low") < 0.6 && 0.6 < end("high"), "{found}");
    assert!(stdout(&folder.run("lts steady loops.aut")).contains("A       0.6\n"));
    // 1e12 jumps: half of exp(−1000/1024) of 2³⁰, but for one part in 1e12.
    let output = folder.run("lts transient stiff.aut --time 1000");
    assert!(stdout(&output).contains("202187000"), "{}", stdout(&output));
    assert!(!stderr(&output).contains("accuracy"), "{}", stderr(&output));
    let more = stdout(&folder.run("lts transient stiff.aut --time 1000 --digits 10"));
    assert!(more.contains("202187438"), "{more}");
    let wrong = folder.run("lts steady loops.aut --digits 0");
    assert!(stderr(&wrong).contains("write a whole number from 1 to 17"), "{}", stderr(&wrong));
}

#[test]
fn delays_are_learnt_from_a_log() {
    let mut log = String::from("kind,begin us,end us\n");
    // Quantiles of an exponential distribution with mean 20.
    for number in 0..500 {
        let duration = -20.0 * (1.0 - (f64::from(number) + 0.5) / 500.0).ln();
        let _ = writeln!(log, "read,{},{}", number * 10, f64::from(number * 10) + duration);
    }
    let folder = Folder::new(&[("log.csv", &log), ("bad.csv", "read us\n1\nfast\n")]);
    let output = folder.run("fit log.csv --svg read.svg");
    let text = stdout(&output);
    assert_eq!(status(&output), 0, "{}", stderr(&output));
    assert!(text.contains("read: 500 durations, mean 19.9"), "{text}");
    assert!(text.contains("  \"read\" = { exponential = 19.9"), "{text}");
    assert!(folder.read("read.svg").contains("<svg"));
    let found = document(&folder.run("fit log.csv --format json"));
    assert_eq!(found["kinds"][0]["candidates"][0]["form"], "exponential", "{found}");
    let wrong = folder.run("fit bad.csv");
    assert_eq!(status(&wrong), 2);
    assert!(
        stderr(&wrong).contains("bad.csv: line 3: `fast` in column `read` is not a duration"),
        "{}",
        stderr(&wrong)
    );
    let wrong = folder.run("fit log.csv --kind write");
    assert!(stderr(&wrong).contains("there is no kind `write` in log.csv; there are `read`"));
}

#[test]
fn what_was_measured_stands_beside_what_is_predicted() {
    let model = "active proctype p() { do :: true -> begin: skip; done: skip od }\n";
    let study = "model = \"m.pml\"\nunit = \"us\"\n[delay]\n\"p:done\" = { exponential = 20 }\n[event]\nread = \"p:done\"\n\
                 [[ask]]\nthroughput = \"read\"\n[[ask]]\nname = \"read\"\nlatency = { from = \"p:begin\", to = \"p:done\" }\npercentile = [50]\n";
    let log = "kind,begin ms,end ms\nread,0,0.02\nread,0.02,0.06\nread,0.06,0.08\n";
    let folder = Folder::new(&[("m.pml", model), ("s.toml", study), ("log.csv", log)]);
    let output = folder.run("measure s.toml --against log.csv --csv out.csv --html out.html");
    let text = stdout(&output);
    assert!(text.contains("against log.csv"), "{text}{}", stderr(&output));
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    // Three measurements say little.
    assert!(
        words.contains("throughput read, stochastic 0.05 1/us 0.03333 1/us at least 0.0015 0.667 yes"),
        "{text}"
    );
    assert!(words.contains("latency read, stochastic 20 us 26.67 us 0 to 92.84 1.333 yes"), "{text}");
    assert!(text.contains("percentile read, 50 %, stochastic"), "{text}");
    assert!(folder.read("out.csv").contains("question,unit,predicted least"));
    assert!(folder.read("out.html").contains("Beside what was measured, log.csv"));
    let found = document(&folder.run("measure s.toml --against log.csv --format json"));
    assert_eq!(found["against"]["figures"].as_array().map(Vec::len), Some(3), "{found}");
    assert_eq!(found["against"]["figures"][0]["confidence"]["high"], "infinity", "{found}");
}
