//! The pages of the repository and of the book lead somewhere, to the heading: in Markdown, and in the book
//! that mdBook builds, where `./test` has built it.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").canonicalize().expect("the repository")
}

fn files(folder: &Path, ending: &str, found: &mut Vec<PathBuf>) {
    let mut paths: Vec<PathBuf> =
        fs::read_dir(folder).expect("a folder").filter_map(|entry| Some(entry.ok()?.path())).collect();
    paths.sort();
    for path in paths {
        if path.is_dir() {
            files(&path, ending, found);
        } else if path.extension().is_some_and(|extension| extension == ending) {
            found.push(path);
        }
    }
}

/// The pages: those at the root, of the examples, of fuzzing and benchmarks, and of the book.
fn pages() -> Vec<PathBuf> {
    let names = ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md"];
    let mut pages: Vec<PathBuf> = names.into_iter().map(|name| root().join(name)).collect();
    for folder in ["docs/src", "examples", "bench", "fuzz", "packaging"] {
        files(&root().join(folder), "md", &mut pages);
    }
    pages
}

/// The lines of a page that are not inside a block of code.
fn prose(text: &str) -> impl Iterator<Item = &str> {
    let mut fence: Option<&str> = None;
    text.lines().filter(move |line| {
        let start = line.trim_start();
        let ticks = &start[..start.len() - start.trim_start_matches('`').len()];
        match fence {
            None if ticks.len() >= 3 => fence = Some(ticks),
            Some(open) if start.trim_end() == open => {
                fence = None;
                return false;
            }
            _ => {}
        }
        fence.is_none()
    })
}

/// The names of the headings of a page, as GitHub and mdBook make them.
fn anchors(text: &str) -> Vec<String> {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    let mut names = Vec::new();
    for line in prose(text).filter(|line| line.starts_with('#')) {
        let title = line.trim_start_matches('#').trim();
        let kept = title.chars().filter(|one| one.is_alphanumeric() || " -_".contains(*one));
        let name: String =
            kept.map(|one| if one == ' ' { '-' } else { one }).collect::<String>().to_lowercase();
        let count = counts.entry(name.clone()).or_insert(0);
        names.push(if *count == 0 { name } else { format!("{name}-{count}") });
        *count += 1;
    }
    names
}

/// Splits a link into the file and the heading.
fn parts(link: &str) -> (&str, Option<&str>) {
    link.split_once('#').map_or((link, None), |(file, anchor)| (file, Some(anchor)))
}

/// Returns what is wrong with the links of a page, given what it reads like and how its links are found.
fn dead(page: &Path, links: &[String], anchors_of: &dyn Fn(&Path) -> Option<Vec<String>>) -> Vec<String> {
    let mut found = Vec::new();
    for link in links {
        if link.contains("://") || link.starts_with("mailto:") || link.starts_with("data:") {
            continue;
        }
        let (file, anchor) = parts(link);
        let target = if file.is_empty() { page.to_owned() } else { page.parent().unwrap_or(page).join(file) };
        if !target.exists() {
            found.push(format!("{}: `{link}` leads nowhere", page.display()));
        } else if let (Some(anchor), Some(known)) = (anchor, anchors_of(&target))
            && !anchor.is_empty()
            && !known.iter().any(|one| one == anchor)
        {
            found.push(format!("{}: `{link}` names no heading", page.display()));
        }
    }
    found
}

#[test]
fn links_in_markdown_lead_to_pages_and_headings() {
    let (mut found, mut count) = (Vec::new(), 0);
    for page in pages() {
        let text = fs::read_to_string(&page).expect("a page");
        let targets =
            prose(&text).flat_map(|line| line.split("](").skip(1)).filter_map(|rest| rest.split(')').next());
        let links: Vec<String> = targets.map(str::to_owned).collect();
        count += links.len();
        found.extend(dead(&page, &links, &|target| {
            let is_page = target.extension().is_some_and(|ending| ending == "md");
            is_page.then(|| anchors(&fs::read_to_string(target).unwrap_or_default()))
        }));
    }
    assert!(count > 300, "{count}");
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn headings_have_the_names_that_mdbook_gives_them() {
    let text = "# Can it?\n```\n# no heading\n```\n## `from` and *to*, at 10 %\n## Can it?\n";
    assert_eq!(anchors(text), ["can-it", "from-and-to-at-10-", "can-it-1"]);
}

/// The values of an attribute in a page.
fn values(text: &str, attribute: &str) -> Vec<String> {
    let start = format!(" {attribute}=\"");
    let rests = text.split(start.as_str()).skip(1);
    rests.filter_map(|rest| rest.split('"').next()).map(|value| value.replace("&amp;", "&")).collect()
}

#[test]
fn the_book_that_is_built_has_no_dead_links() {
    let Some(book) = std::env::var_os("NARROWS_BOOK").map(PathBuf::from) else {
        eprintln!("skipped: NARROWS_BOOK does not say where the book is built; `./test` builds it");
        return;
    };
    let (mut pages, mut found, mut count) = (Vec::new(), Vec::new(), 0);
    files(&book, "html", &mut pages);
    // The page that lists the chapters, and the one for what is not found, belong to no place.
    pages.retain(|page| page.file_name().is_none_or(|name| name != "toc.html" && name != "404.html"));
    assert!(pages.len() > 40, "{}", pages.len());
    for page in &pages {
        let text = fs::read_to_string(page).expect("a page");
        let links: Vec<String> = [values(&text, "href"), values(&text, "src")].concat();
        count += links.len();
        // What leaves the book leads into the repository; the test of the Markdown pages follows that.
        let inside = |link: &&String| {
            let target = page.parent().unwrap_or(page).join(parts(link).0);
            let depth = target.strip_prefix(&book).ok().map(|path| {
                path.components().try_fold(0_i32, |depth, part| match part {
                    std::path::Component::ParentDir => (depth > 0).then_some(depth - 1),
                    _ => Some(depth + 1),
                })
            });
            depth.flatten().is_some()
        };
        let links: Vec<String> = links.iter().filter(inside).cloned().collect();
        found.extend(dead(page, &links, &|target| {
            let is_page = target.extension().is_some_and(|ending| ending == "html");
            is_page.then(|| values(&fs::read_to_string(target).unwrap_or_default(), "id"))
        }));
    }
    assert!(count > 1000, "{count}");
    assert!(found.is_empty(), "{}", found.join("\n"));
}
