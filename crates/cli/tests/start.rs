//! What helps a newcomer to start: templates, completions, manual pages.

#![expect(clippy::unwrap_used, reason = "a helper of a test may fail as the test itself")]

mod program;

use program::{Folder, status, stderr, stdout};

#[test]
fn every_template_is_checked_and_has_a_bottleneck() {
    let folder = Folder::new(&[]);
    for template in ["pipeline", "ring", "bus", "request"] {
        let output = folder.run(&format!("new {template}"));
        assert_eq!(status(&output), 0, "{}", stderr(&output));
        assert!(stdout(&output).contains(&format!("narrows check {template}/{template}.pml")));
        for command in ["check", "measure", "bottleneck --no-report"] {
            let output = folder.run(&format!("{command} {template}"));
            assert_eq!(status(&output), 0, "{command} {template}\n{}{}", stdout(&output), stderr(&output));
            assert_eq!(stderr(&output), "", "{command} {template}");
        }
    }
}

#[test]
fn without_delays_there_is_no_bottleneck() {
    let model = "byte n; active proctype P() { do :: up: n = 1 - n od }\n";
    let study = "model = \"m.pml\"\nunit = \"us\"\n[event]\nup = \"P:up\"\n";
    let with = "[delay]\n\"P:up\" = { exponential = 1 }\n";
    let folder = Folder::new(&[("m.pml", model), ("s.toml", study), ("t.toml", &format!("{study}{with}"))]);
    let output = folder.run("bottleneck s.toml --no-report");
    assert_eq!(status(&output), 2);
    assert!(stdout(&output).contains("say under `[delay]` how long"), "{}", stdout(&output));
    assert_eq!(status(&folder.run("bottleneck t.toml --no-report")), 0);
}

#[test]
fn what_is_there_is_not_overwritten() {
    let folder = Folder::new(&[("ring.toml", "mine")]);
    let output = folder.run("new ring .");
    assert_eq!(status(&output), 2);
    assert!(stderr(&output).contains("exists already"), "{}", stderr(&output));
    assert_eq!(folder.read("ring.toml"), "mine");
    assert!(!folder.0.join("ring.pml").exists());
}

#[test]
fn shells_and_man_know_every_command() {
    let folder = Folder::new(&[]);
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let output = folder.run(&format!("completions {shell}"));
        assert!(stdout(&output).contains("bottleneck"), "{shell}");
    }
    assert_eq!(status(&folder.run("man pages")), 0);
    for page in ["narrows", "narrows-check", "narrows-bottleneck", "narrows-lts-min"] {
        assert!(folder.read(&format!("pages/{page}.1")).contains(".SH SYNOPSIS"), "{page}");
    }
}
