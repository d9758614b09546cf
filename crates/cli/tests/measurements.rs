//! Digits that are certain.

#![expect(clippy::unwrap_used, reason = "a helper of a test may fail as the test itself")]

mod program;

use program::{Folder, document, stderr, stdout};

/// Two states that change places quickly, and a slow way out.
const STIFF: &str = "des (0, 4, 3)\n(0, \"rate 1e9\", 1)\n(1, \"A; rate 1e9\", 0)\n(1, \"rate 2e-3\", 2)\n(2, \"rate 5\", 2)\n";

const LOOPS: &str =
    "des (0, 3, 1)\n(0, \"A; rate 0.1\", 0)\n(0, \"A; rate 0.2\", 0)\n(0, \"A; rate 0.3\", 0)\n";

#[test]
fn bounds_contain_what_is_true_and_digits_are_certain() {
    let folder = Folder::new(&[("loops.aut", LOOPS), ("stiff.aut", STIFF)]);
    let found = document(&folder.run("lts steady loops.aut --format json"));
    let end = |name: &str| found["throughputs"][0]["uniform"][name].as_f64().unwrap();
    assert!(end("low") < 0.6 && 0.6 < end("high"), "{found}");
    assert!(stdout(&folder.run("lts steady loops.aut")).contains("A       0.6\n"));
    // 1e12 jumps: half of exp(−1e-3·1e3) of 1e9, but for one part in 1e12.
    let output = folder.run("lts transient stiff.aut --time 1000");
    assert!(stdout(&output).contains("183940000"), "{}", stdout(&output));
    assert!(!stderr(&output).contains("accuracy"), "{}", stderr(&output));
    let more = stdout(&folder.run("lts transient stiff.aut --time 1000 --digits 10"));
    assert!(more.contains("183939720"), "{more}");
    let wrong = folder.run("lts steady loops.aut --digits 0");
    assert!(stderr(&wrong).contains("write a whole number from 1 to 17"), "{}", stderr(&wrong));
}
