//! Runs the commands in README.md, the pages of the examples and the book, and compares what they print.
//!
//! A block of the language `console` holds a session: a line `$ command`, then what it prints, first on
//! standard output, then on standard error. `[..]` stands for anything within a line, a line `...` for any
//! lines, and `$ echo $?` shows the exit status before it. The sessions of a page share one empty directory,
//! in which `examples` and `tests` are the folders of those names; that of the tutorial about a design of
//! one's own has nothing in it.
//!
//! `UPDATE_DOCS=1 cargo test -p narrows-tests --test documentation` writes what the commands print now into
//! the pages.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;
use std::{env, io};

use narrows_tests::commands::{Scratch, run};
use narrows_tests::narrows;

const LIMIT: Duration = Duration::from_mins(2);

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").canonicalize().expect("the repository")
}

fn book(folder: &Path, pages: &mut Vec<PathBuf>) {
    let mut paths: Vec<PathBuf> =
        fs::read_dir(folder).expect("the book").filter_map(|entry| Some(entry.ok()?.path())).collect();
    paths.sort();
    for path in paths {
        if path.is_dir() {
            book(&path, pages);
        } else if path.extension().is_some_and(|extension| extension == "md") {
            pages.push(path);
        }
    }
}

fn pages() -> Vec<PathBuf> {
    let root = root();
    let mut pages = vec![
        root.join("README.md"),
        root.join("examples/README.md"),
        root.join("examples/bottlenecks/README.md"),
        root.join("examples/myrinet/README.md"),
        root.join("examples/nvme/README.md"),
        root.join("examples/pci/README.md"),
        root.join("examples/pingpong/README.md"),
        root.join("examples/pingpong/lotos/README.md"),
    ];
    book(&root.join("docs/src"), &mut pages);
    pages
}

/// A directory with the program on its path.
struct Shell {
    scratch: Scratch,
    path: String,
    status: Option<i32>,
}

impl Shell {
    fn new(program: &Path, given: &[&str]) -> io::Result<Shell> {
        let scratch = Scratch::new()?;
        for name in given {
            symlink(root().join(name), scratch.path().join(name))?;
        }
        let folder = program.parent().unwrap_or(Path::new("."));
        let path = format!("{}:{}", folder.display(), env::var("PATH").unwrap_or_default());
        Ok(Shell { scratch, path, status: None })
    }

    fn run(&mut self, command: &str) -> String {
        if command == "echo $?" {
            return format!(
                "{}\n",
                self.status.map_or_else(|| "none".to_owned(), |status| status.to_string())
            );
        }
        let mut bash = Command::new("bash");
        bash.args(["-c", command])
            .current_dir(self.scratch.path())
            .env("PATH", &self.path)
            .env("NO_COLOR", "1");
        bash.env("COLUMNS", "100");
        let finished = run(&mut bash, LIMIT).expect("bash runs");
        self.status = finished.code();
        format!("{}{}", finished.stdout, finished.stderr)
    }
}

/// The folders that the sessions of a page find.
fn given(page: &Path) -> &'static [&'static str] {
    if page.ends_with("docs/src/tutorial_design.md") { &[] } else { &["examples", "tests"] }
}

/// Whether a session uses a program that is not installed here.
fn lacks_a_program(session: &[&str]) -> bool {
    let uses = |name: &str| session.iter().any(|line| line.starts_with("$ ") && line.contains(name));
    ["spin", "gcc", "jq"].iter().any(|name| uses(&format!("{name} ")) && !is_installed(name))
}

fn is_installed(name: &str) -> bool {
    env::var_os("PATH").is_some_and(|path| env::split_paths(&path).any(|folder| folder.join(name).is_file()))
}

/// Whether this opens or closes a block; a block that holds such lines itself has a longer one.
fn is_fence(text: &str) -> bool {
    text.len() >= 3 && text.chars().all(|c| c == '`')
}

/// Whether a line is what was expected, where `[..]` stands for anything.
fn line_fits(line: &str, expected: &str) -> bool {
    let Some((before, after)) = expected.split_once("[..]") else { return line == expected };
    let Some(rest) = line.strip_prefix(before) else { return false };
    (0..=rest.len()).filter(|at| rest.is_char_boundary(*at)).any(|at| line_fits(&rest[at..], after))
}

/// Whether lines are what was expected, where a line `...` stands for any lines.
fn lines_fit(lines: &[&str], expected: &[&str]) -> bool {
    match expected.split_first() {
        None => lines.is_empty(),
        Some((&"...", rest)) => (0..=lines.len()).any(|skipped| lines_fit(&lines[skipped..], rest)),
        Some((first, rest)) => {
            lines.split_first().is_some_and(|(line, lines)| line_fits(line, first) && lines_fit(lines, rest))
        }
    }
}

fn trimmed(text: &str) -> Vec<&str> {
    let mut lines: Vec<&str> = text.lines().map(str::trim_end).collect();
    while lines.last().is_some_and(|line| line.is_empty()) {
        lines.pop();
    }
    lines
}

/// Replaces times and sizes, which differ from run to run.
fn elided(line: &str) -> String {
    let mut words: Vec<String> = line.split(' ').map(str::to_owned).collect();
    for index in 1..words.len() {
        let unit = words[index].trim_end_matches([',', ';']);
        let is_number = words[index - 1].starts_with(|c: char| c.is_ascii_digit());
        if ["s", "MB", "kB", "bytes"].contains(&unit) && is_number {
            "[..]".clone_into(&mut words[index - 1]);
        }
    }
    words.join(" ")
}

/// Runs the sessions of a page; returns the page with what they print now, and what differs.
fn check(page: &Path, text: &str, program: &Path) -> (String, Vec<String>, usize) {
    let mut shell = Shell::new(program, given(page)).expect("a directory for the sessions");
    let (mut updated, mut differences, mut commands) = (String::new(), Vec::new(), 0);
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        updated.extend([line, "\n"]);
        let Some(fence) = line.strip_suffix("console").filter(|fence| is_fence(fence)) else { continue };
        let session: Vec<&str> = std::iter::from_fn(|| lines.next_if(|line| *line != fence)).collect();
        if lacks_a_program(&session) {
            assert!(env::var_os("CI").is_none(), "{}: a program is missing for a session", page.display());
            updated.extend(session.iter().flat_map(|line| [*line, "\n"]));
            continue;
        }
        let starts: Vec<usize> = (0..session.len()).filter(|at| session[*at].starts_with("$ ")).collect();
        assert_eq!(starts.first(), Some(&0), "{}: a session starts with a command", page.display());
        for (number, start) in starts.iter().enumerate() {
            let end = starts.get(number + 1).copied().unwrap_or(session.len());
            let command = &session[*start][2..];
            let printed = shell.run(command);
            let (printed, expected) =
                (trimmed(&printed), trimmed(&session[start + 1..end].join("\n")).join("\n"));
            let expected: Vec<&str> = expected.lines().collect();
            commands += 1;
            updated.extend(["$ ", command, "\n"]);
            if lines_fit(&printed, &expected) {
                let kept = session[start + 1..end].iter();
                updated.extend(kept.map(|line| format!("{line}\n")));
            } else {
                let place = page.strip_prefix(root()).unwrap_or(page).display().to_string();
                differences.push(format!(
                    "{place}: `{command}` prints\n{}\nbut the page says\n{}\n",
                    printed.join("\n"),
                    expected.join("\n")
                ));
                updated.extend(printed.iter().map(|line| format!("{}\n", elided(line))));
            }
        }
    }
    (updated, differences, commands)
}

#[test]
fn commands_print_what_the_pages_say() {
    let Some(program) = narrows::program() else {
        assert!(env::var_os("CI").is_none(), "there is no `narrows`: run `cargo build --release` first");
        eprintln!("skipped: there is no `narrows`; run `cargo build --release` first");
        return;
    };
    let (mut all, mut commands) = (Vec::new(), 0);
    for page in pages() {
        let text = fs::read_to_string(&page).expect("a page");
        let (updated, differences, count) = check(&page, &text, program);
        if env::var_os("UPDATE_DOCS").is_some() && updated != text {
            fs::write(&page, updated).expect("the page can be written");
        }
        all.extend(differences);
        commands += count;
    }
    eprintln!("{commands} commands");
    assert!(commands > 10, "the pages have commands");
    assert!(all.is_empty(), "{}", all.join("\n"));
}

/// A command in a block of another kind would not be run.
#[test]
fn commands_stand_in_sessions() {
    for page in pages() {
        let text = fs::read_to_string(&page).expect("a page");
        let mut open: Option<(&str, &str)> = None;
        for (number, line) in text.lines().enumerate() {
            let start = line.find(|c| c != '`').unwrap_or(line.len());
            match open {
                None if is_fence(&line[..start]) => open = Some(line.split_at(start)),
                Some((fence, _)) if line == fence => open = None,
                Some((_, language)) if language != "console" => {
                    let place = format!("{}:{}", page.display(), number + 1);
                    assert!(!line.starts_with("$ "), "{place}: a command outside of a console block");
                }
                _ => {}
            }
        }
        assert!(open.is_none(), "{}: a block is not closed", page.display());
    }
}

/// The targets of links in a page, without those to the web.
fn links(text: &str) -> Vec<&str> {
    let targets = text.split("](").skip(1).filter_map(|rest| rest.split(')').next());
    let local = targets.filter(|target| !target.starts_with("http") && !target.starts_with('#'));
    local.map(|target| target.split('#').next().unwrap_or(target)).collect()
}

#[test]
fn every_page_of_the_book_is_in_its_summary() {
    let source = root().join("docs/src");
    let summary = fs::read_to_string(source.join("SUMMARY.md")).expect("the summary");
    let listed: Vec<PathBuf> = links(&summary).into_iter().map(|link| source.join(link)).collect();
    let mut found = Vec::new();
    book(&source, &mut found);
    for page in found.iter().filter(|page| page.file_name().is_some_and(|name| name != "SUMMARY.md")) {
        assert!(listed.contains(page), "{} is not in SUMMARY.md", page.display());
    }
}

/// The page of the codes names every message that can be shown.
#[test]
fn every_message_is_in_the_reference() {
    let page = fs::read_to_string(root().join("docs/src/reference/messages.md")).expect("the page");
    let Some(program) = narrows::program() else { return };
    let finished = run(Command::new(program).arg("explain"), LIMIT).expect("narrows runs");
    for line in finished.stdout.lines() {
        assert!(page.contains(line), "docs/src/reference/messages.md lacks `{line}`");
    }
}
