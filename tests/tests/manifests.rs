//! Holds manifests to what others need to join in: every crate is described, every dependency is used, has a
//! version that is the one built with, comes from the registry, and under a licence that asks for little.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// What cargo knows about a workspace, with all that it depends on.
fn metadata(manifest: &str) -> Value {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command.args(["metadata", "--format-version", "1", "--locked", "--filter-platform", PLATFORM]);
    command.arg("--manifest-path").arg(root().join(manifest));
    let output = command.output().expect("cargo runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).expect("metadata is JSON")
}

/// The packages of others are looked at as this platform has them: only those are sure to have been
/// downloaded.
const PLATFORM: &str = "x86_64-unknown-linux-gnu";

fn text<'v>(value: &'v Value, key: &str) -> &'v str {
    value[key].as_str().unwrap_or_default()
}

fn list<'v>(value: &'v Value, key: &str) -> &'v [Value] {
    value[key].as_array().map(Vec::as_slice).unwrap_or_default()
}

/// The packages of the workspace; those of others have a source.
fn ours(metadata: &Value) -> impl Iterator<Item = &Value> {
    list(metadata, "packages").iter().filter(|package| package["source"].is_null())
}

#[test]
fn crates_are_described() {
    let metadata = metadata("Cargo.toml");
    assert!(ours(&metadata).count() > 10);
    for package in ours(&metadata) {
        let name = text(package, "name");
        for key in ["description", "license", "rust_version"] {
            assert!(!text(package, key).is_empty(), "`{name}` has no {key}");
        }
        let is_private = package["publish"].as_array().is_some_and(Vec::is_empty);
        if !is_private {
            assert!(!text(package, "readme").is_empty(), "`{name}` has no readme");
            for key in ["keywords", "categories"] {
                assert!(!list(package, key).is_empty(), "`{name}` has no {key}");
            }
        }
        for dependency in
            list(package, "dependencies").iter().filter(|one| !is_private && one["kind"].is_null())
        {
            let (on, version) = (text(dependency, "name"), text(dependency, "req"));
            assert!(version != "*", "`{name}` takes any version of `{on}`");
        }
    }
}

/// A dependency that no file mentions was left behind.
#[test]
fn dependencies_are_used() {
    let metadata = metadata("Cargo.toml");
    for package in ours(&metadata) {
        let folder = Path::new(text(package, "manifest_path")).parent().expect("a folder").to_path_buf();
        let product = mentioned(&folder, &["src"]);
        let tests = mentioned(&folder, &["src", "tests", "examples", "benches"]);
        for dependency in list(package, "dependencies") {
            let (name, on) = (text(package, "name"), text(dependency, "name"));
            let word = on.replace('-', "_");
            let is_for_tests = text(dependency, "kind") == "dev";
            let (found, places) =
                if is_for_tests { (&tests, "file") } else { (&product, "file of the product") };
            assert!(found.contains(&word), "`{name}` depends on `{on}`, and no {places} mentions it");
        }
    }
    let manifest = fs::read_to_string(root().join("Cargo.toml")).expect("a manifest");
    let used: BTreeSet<&str> = ours(&metadata)
        .flat_map(|package| list(package, "dependencies"))
        .map(|one| text(one, "name"))
        .collect();
    for name in shared(&manifest).keys() {
        assert!(used.contains(name.as_str()), "no crate uses `{name}` of [workspace.dependencies]");
    }
}

/// Every word before `::` or after `use` in the Rust files of some folders, but not below `#[cfg(test)]` of a
/// file of `src`.
fn mentioned(folder: &Path, places: &[&str]) -> BTreeSet<String> {
    let mut words = BTreeSet::new();
    for place in places {
        for file in rust_files(&folder.join(place)) {
            let text = fs::read_to_string(&file).expect("a text");
            let with_tests = places.len() > 1;
            for line in text.lines().take_while(|line| with_tests || line.trim() != "#[cfg(test)]") {
                let code = line.split("//").next().unwrap_or(line);
                let is_word = |letter: char| letter.is_alphanumeric() || letter == '_';
                words.extend(code.split(|letter| !is_word(letter)).map(str::to_owned));
            }
        }
    }
    words
}

fn rust_files(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let paths = entries.filter_map(|entry| Some(entry.ok()?.path()));
    let below = |path: PathBuf| if path.is_dir() { rust_files(&path) } else { vec![path] };
    paths.flat_map(below).filter(|path| path.extension().is_some_and(|extension| extension == "rs")).collect()
}

/// The dependencies that the workspace shares, with the lowest version of each.
fn shared(manifest: &str) -> BTreeMap<String, String> {
    let section = manifest.split("[workspace.dependencies]").nth(1).unwrap_or_default();
    let section = section.split("\n[").next().unwrap_or_default();
    let lines = section.lines().filter_map(|line| line.split_once(" = "));
    lines
        .map(|(name, rest)| {
            let version = rest.split_once("version = ").map_or(rest, |(_, version)| version);
            (name.to_owned(), version.split('"').nth(1).unwrap_or_default().to_owned())
        })
        .collect()
}

/// The lowest versions that manifests allow are those that Cargo.lock has: what is built here is a check of
/// them.
#[test]
fn lowest_versions_are_those_built_with() {
    let manifest = fs::read_to_string(root().join("Cargo.toml")).expect("a manifest");
    let metadata = metadata("Cargo.toml");
    let mut versions: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for package in list(&metadata, "packages") {
        let version = text(package, "version").split('+').next().unwrap_or_default();
        versions.entry(text(package, "name")).or_default().push(version);
    }
    let shared = shared(&manifest);
    assert!(shared.len() > 20, "{shared:?}");
    for (name, lowest) in &shared {
        let built = versions.get(name.as_str()).map(Vec::as_slice).unwrap_or_default();
        assert!(
            built.contains(&lowest.as_str()),
            "[workspace.dependencies] asks for `{name}` {lowest}, and Cargo.lock has {built:?}: name that version"
        );
    }
}

/// One of each row is enough.
const LICENCES: &[&str] =
    &["MIT", "Apache-2.0", "Apache-2.0 WITH LLVM-exception", "BSD-3-Clause", "Unicode-3.0", "Zlib"];

/// Packages that occur in two versions, because those that we depend on do not agree.
const TWICE: &[&str] = &["bitflags", "hashbrown", "syn", "windows-sys"];

#[test]
fn what_comes_from_others_may_be_used() {
    let metadata = metadata("Cargo.toml");
    let manifest = fs::read_to_string(root().join("deny.toml")).expect("deny.toml");
    for licence in LICENCES {
        assert!(manifest.contains(&format!("\"{licence}\"")), "deny.toml does not have {licence}");
    }
    let mut names = BTreeMap::<&str, usize>::new();
    for package in list(&metadata, "packages") {
        let (name, licence) = (text(package, "name"), text(package, "license"));
        assert!(is_allowed(licence), "`{name}` comes under `{licence}`");
        *names.entry(name).or_default() += 1;
        let source = text(package, "source");
        assert!(source.is_empty() || source.starts_with("registry+"), "`{name}` comes from {source}");
    }
    let twice: Vec<&str> = names.into_iter().filter(|(_, count)| *count > 1).map(|(name, _)| name).collect();
    for name in twice {
        assert!(TWICE.contains(&name), "`{name}` is there in several versions");
    }
}

/// Whether an expression of licences can be met by those that are allowed; `/` is an old way to write `OR`.
fn is_allowed(licence: &str) -> bool {
    let licence = licence.replace('/', " OR ");
    licence.split(" AND ").all(|part| {
        let part = part.trim().trim_start_matches('(').trim_end_matches(')');
        part.split(" OR ").any(|one| LICENCES.contains(&one.trim()))
    })
}

/// Crates in which little time is spent when the program runs: they are optimised little, so that builds take
/// less.
const COLD: &[&str] = &[
    "narrows",
    "narrows-cli",
    "narrows-gpu",
    "narrows-languages",
    "narrows-logic",
    "narrows-lsp",
    "narrows-network",
    "narrows-python",
    "narrows-report",
    "narrows-server",
    "narrows-source",
    "narrows-study",
    "narrows-tests",
];

/// A new crate is optimised little unless somebody thinks of it.
#[test]
fn hot_crates_are_optimised() {
    let metadata = metadata("Cargo.toml");
    let manifest = fs::read_to_string(root().join("Cargo.toml")).expect("a manifest");
    for name in ours(&metadata).map(|package| text(package, "name")) {
        for profile in ["release", "dev"] {
            let is_hot = manifest.contains(&format!("[profile.{profile}.package.{name}]"));
            let rule = "a crate is named in COLD or has its own part of both profiles";
            assert!(is_hot != COLD.contains(&name), "`{name}`, profile {profile}: {rule}");
        }
    }
}

/// The fuzz targets are a workspace of their own, built with the same versions.
#[test]
fn fuzz_targets_use_the_same_versions() {
    let read = |path: &str| fs::read_to_string(root().join(path)).expect("a lock file");
    let (all, fuzz) = (read("Cargo.lock"), read("fuzz/Cargo.lock"));
    let packages = |text: &str| -> BTreeSet<(String, String)> {
        let field = |block: &str, key: &str| {
            let line = block.lines().find(|line| line.starts_with(key)).unwrap_or_default();
            line.split('"').nth(1).unwrap_or_default().to_owned()
        };
        text.split("[[package]]")
            .skip(1)
            .map(|block| (field(block, "name"), field(block, "version")))
            .collect()
    };
    let (all, fuzz) = (packages(&all), packages(&fuzz));
    let names: BTreeSet<&String> = all.iter().map(|(name, _)| name).collect();
    for package in fuzz.iter().filter(|(name, _)| names.contains(name)) {
        assert!(all.contains(package), "fuzz/Cargo.lock has {package:?}, and Cargo.lock another version");
    }
    assert!(fuzz.iter().any(|(name, _)| name == "libfuzzer-sys"));
}

#[test]
fn the_checks_see_what_they_should() {
    assert!(
        is_allowed("MIT") && is_allowed("GPL-3.0/MIT") && is_allowed("(MIT OR Apache-2.0) AND Unicode-3.0")
    );
    assert!(!is_allowed("GPL-3.0") && !is_allowed("MIT AND GPL-3.0") && !is_allowed(""));
    let manifest = "[workspace.dependencies]\na = \"1.2\"\nb = { path = \"b\", version = \"3.4\" }\n\n[profile.dev]\nc = \"5\"";
    let expected = [("a".to_owned(), "1.2".to_owned()), ("b".to_owned(), "3.4".to_owned())];
    assert_eq!(shared(manifest), BTreeMap::from(expected));
}
