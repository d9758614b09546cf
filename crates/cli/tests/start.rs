//! What helps a newcomer to start: templates, a workflow for CI, completions, manual pages, colours.

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

/// The commands of a workflow run as they stand.
#[test]
fn the_workflows_do_what_they_say() {
    let folder = Folder::new(&[]);
    folder.run("new pipeline");
    folder.run_with(&["new", "bus", "two words"]);
    for (service, file) in [("github", ".github/workflows/narrows.yml"), ("gitlab", ".gitlab-ci.yml")] {
        let output = folder.run_with(&["init", "--ci", service, "pipeline", "two words"]);
        assert_eq!(status(&output), 0, "{}", stderr(&output));
        let text = folder.read(file);
        let commands: Vec<&str> =
            text.lines().map(str::trim).filter(|line| line.starts_with("narrows ")).collect();
        assert_eq!(commands.len(), 2, "{text}");
        assert!(text.contains(concat!("narrows-", env!("CARGO_PKG_VERSION"), "-x86_64-linux")), "{text}");
        for command in commands {
            let program =
                format!("{} {}", env!("CARGO_BIN_EXE_narrows"), command.trim_start_matches("narrows "));
            let output = std::process::Command::new("sh")
                .args(["-ec", &program])
                .current_dir(&folder.0)
                .output()
                .unwrap();
            assert_eq!(status(&output), 0, "{command}\n{}", stderr(&output));
        }
        assert!(folder.read("narrows.html").contains("two words/bus.toml"));
        let again = folder.run_with(&["init", "--ci", service, "pipeline"]);
        assert_eq!(status(&again), 2);
        assert!(stderr(&again).contains("exists already"), "{}", stderr(&again));
        assert_eq!(folder.read(file), text);
    }
}

#[test]
fn a_workflow_names_the_subfolders_with_models_and_studies() {
    let folder = Folder::new(&[]);
    for file in [
        "designs/dma/m.pml",
        "designs/dma/s.toml",
        "designs/models only/m.smv",
        "Cargo.toml",
        "book.toml",
        "crate/Cargo.toml",
        "mixed/m.pml",
        "mixed/Cargo.toml",
        "mixed/a.toml",
        "mixed/b.toml",
        ".hidden/m.pml",
        "target/m.pml",
        "designs/target/s.toml",
        "docs/readme.md",
    ] {
        let path = folder.0.join(file);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        let text = match path.file_name().unwrap().to_str().unwrap() {
            "Cargo.toml" | "book.toml" => "[package]\nname = \"a\"\n",
            "a.toml" | "b.toml" | "s.toml" => "model = \"m.pml\"\n[[ask]]\ndeadlock = true\n",
            _ => "active proctype P() { skip }\n",
        };
        std::fs::write(path, text).unwrap();
    }
    let commands = |arguments: &str, file: &str| {
        let output = folder.run(arguments);
        assert_eq!(status(&output), 0, "{}", stderr(&output));
        let text = folder.read(file);
        let lines = text.lines().map(str::trim).filter(|line| line.starts_with("narrows "));
        lines.map(|line| line[..line.find(" --time").unwrap()].to_owned()).collect::<Vec<_>>()
    };
    let expected = [
        "narrows check designs/dma 'designs/models only' mixed",
        "narrows bottleneck designs/dma mixed/a.toml mixed/b.toml",
    ];
    assert_eq!(commands("init", ".github/workflows/narrows.yml"), expected);
    let some = ["narrows check designs/dma 'designs/models only'", "narrows bottleneck designs/dma"];
    assert_eq!(commands("init --ci gitlab designs designs/dma", ".gitlab-ci.yml"), some);
}

#[test]
fn a_workflow_needs_a_model_and_a_study() {
    let folder = Folder::new(&[("m.pml", "init { skip }")]);
    for (arguments, what) in [("init", "no study in `.`"), ("init nowhere", "no folder `nowhere`")] {
        let output = folder.run(arguments);
        assert_eq!(status(&output), 2);
        assert!(stderr(&output).contains(what), "{}", stderr(&output));
    }
    assert!(!folder.0.join(".github").exists());
}

#[test]
fn verdicts_are_in_colour_where_that_is_wanted() {
    let folder = Folder::new(&[("m.pml", "init { assert(false) }")]);
    let output = folder.run("check m.pml --color always");
    assert!(stdout(&output).contains("  \u{1b}[1;31mfails\u{1b}[0m  "), "{}", stdout(&output));
    assert!(stdout(&output).contains("  \u{1b}[32mholds\u{1b}[0m  "), "{}", stdout(&output));
    // Not in a pipe, and documents are for programs.
    assert!(!stdout(&folder.run("check m.pml")).contains('\u{1b}'));
    assert!(!stdout(&folder.run("check m.pml --format json --color always")).contains('\u{1b}'));
}

#[test]
fn constants_can_be_changed_like_delays() {
    let folder = Folder::new(&[]);
    folder.run("new pipeline");
    let output = folder.run("bottleneck pipeline --no-report --what-if DEPTH=1 --what-if second:done=3");
    assert_eq!(status(&output), 0, "{}", stderr(&output));
    assert!(stdout(&output).contains("pipeline.toml with DEPTH=1, second:done=3"), "{}", stdout(&output));
    // What comes out is what the constant alone gives.
    let mean = |text: &str| {
        let line =
            text.lines().find(|line| line.contains("finished: mean")).unwrap_or_else(|| panic!("{text}"));
        line.rsplit("  ").find(|cell| !cell.is_empty()).map(|cell| cell.trim().to_owned()).unwrap()
    };
    let changed = mean(&stdout(&folder.run("bottleneck pipeline --no-report --what-if DEPTH=1")));
    let defined = stdout(&folder.run("bottleneck pipeline --no-report -D DEPTH=1"));
    assert!(defined.contains(changed.trim_end_matches(" 1/us")), "{changed} is not in\n{defined}");
    for (change, said) in [
        ("DEPHT=1", "DEPHT"),
        ("done=3", "did you mean `second:done`?"),
        ("second:dne=3", "did you mean `second:done`?"),
        ("DEPTH", "CONSTANT=value"),
    ] {
        let output = folder.run(&format!("bottleneck pipeline --no-report --what-if {change}"));
        assert_eq!(status(&output), 2, "{change}");
        assert!(stderr(&output).contains(said), "{change}: {}", stderr(&output));
    }
}

#[test]
fn pages_replace_pages_alone() {
    let folder = Folder::new(&[("report.html", "<p>mine</p>"), ("empty.html", "")]);
    folder.run("new pipeline");
    for command in
        ["bottleneck pipeline", "measure pipeline --html report.html", "check pipeline --html report.html"]
    {
        let output = folder.run(command);
        assert_eq!(status(&output), 2, "{command}");
        assert!(stderr(&output).contains("`report.html` is not a page of narrows"), "{}", stderr(&output));
        assert_eq!(stdout(&output), "");
        assert_eq!(folder.read("report.html"), "<p>mine</p>");
    }
    for _ in 0..2 {
        let output = folder.run("bottleneck pipeline --report empty.html");
        assert_eq!(status(&output), 0, "{}", stderr(&output));
    }
    assert_eq!(status(&folder.run("check pipeline --html empty.html")), 0);
}
