//! What editors ask of texts in memory.

use std::collections::HashMap;
use std::path::Path;

use narrows::editing::{CompletionKind, Document, Files, RenameError, asked, formatted, messages};
use narrows::{LoadError, Loaded, Loader, NoFiles};

/// Texts in memory, by name.
struct Memory(HashMap<&'static str, &'static str>);

impl Loader for Memory {
    fn load(&self, path: &str, _from: &str, _system: bool) -> Result<Loaded, LoadError> {
        let text = self.0.get(path).ok_or(LoadError::NoFiles)?;
        Ok(Loaded { name: path.to_owned(), text: (*text).to_owned() })
    }
}

const HEADER: &str = "#define DEPTH 4\nmtype = { ask, tell };\n// How many wait.\nbyte waiting;\n";
const MODEL: &str = "#include \"header.h\"
chan queue = [DEPTH] of { mtype };
active proctype host() {
  do
  :: submit: queue!ask; waiting++
  od
}
active proctype device() {
  byte served;
  do
  :: serve: queue?ask -> served = (served + 1) % DEPTH
  od
}
ltl bounded { [] (waiting <= DEPTH) }
";
const STUDY: &str = "model = \"model.pml\"
unit = \"us\"
[delay]
\"device:serve\" = { exponential = 2 }
\"host:submit\" = { exponential = 3 }
[event]
done = \"device:serve\"
[resource]
device = \"len(queue) > 0\"
[[ask]]
throughput = \"done\"
[[ask]]
utilisation = \"device\"
expect = 0.5
";

fn memory() -> Memory {
    Memory(HashMap::from([("header.h", HEADER), ("model.pml", MODEL), ("study.toml", STUDY)]))
}

/// The texts as if all were open, with the study last.
fn files() -> Files {
    let open = [("header.h", HEADER), ("model.pml", MODEL), ("study.toml", STUDY)];
    Files::new(open.map(|(name, text)| Document::new(name, text)).into(), &memory())
}

/// Returns the offset of the n-th place of a text.
fn at(text: &str, word: &str, number: usize) -> usize {
    text.match_indices(word).nth(number).expect("it is there").0
}

/// Returns where something is declared: the file and the text from there on.
fn leads(file: usize, text: &str, word: &str, number: usize) -> String {
    let files = files();
    let Some(place) = files.definition(file, at(text, word, number)) else { return "nowhere".to_owned() };
    let target = files.document(files.find(&place.file).expect("a file"));
    let rest = &target.text[place.place.start..];
    format!("{}: {}", place.file, rest.lines().next().unwrap_or("").trim())
}

#[test]
fn definitions_are_found_across_files() {
    assert_eq!(leads(1, MODEL, "DEPTH", 0), "header.h: DEPTH 4");
    assert_eq!(leads(1, MODEL, "ask", 1), "header.h: ask, tell };");
    assert_eq!(leads(1, MODEL, "served", 1), "model.pml: served;");
    assert_eq!(leads(1, MODEL, "header.h", 0), "header.h: #define DEPTH 4");
    assert_eq!(leads(2, STUDY, "done", 1), "study.toml: done = \"device:serve\"");
    assert_eq!(leads(2, STUDY, "serve", 0), "model.pml: serve: queue?ask -> served = (served + 1) % DEPTH");
    assert_eq!(leads(2, STUDY, "device", 0), "model.pml: device() {");
    assert_eq!(leads(2, STUDY, "device", 3), "study.toml: device = \"len(queue) > 0\"");
    assert_eq!(leads(2, STUDY, "queue", 0), "model.pml: queue = [DEPTH] of { mtype };");
    assert_eq!(leads(2, STUDY, "model.pml", 0), "model.pml: #include \"header.h\"");
    assert_eq!(leads(1, MODEL, "do", 0), "nowhere");
}

#[test]
fn names_change_everywhere_or_nowhere() {
    let files = files();
    let applied = |file: usize, offset: usize, name: &str| -> Result<Vec<String>, RenameError> {
        let mut places = files.rename(file, offset, name)?;
        places.reverse();
        let mut texts: Vec<String> =
            ["header.h", "model.pml", "study.toml"].map(|name| memory().0[name].to_owned()).into();
        for place in places {
            let file = files.find(&place.file).expect("a file");
            texts[file].replace_range(place.place, name);
        }
        Ok(texts)
    };
    let texts = applied(2, at(STUDY, "serve", 0), "answer").expect("another name");
    assert_eq!(texts[1], MODEL.replace("serve:", "answer:"));
    assert_eq!(texts[2], STUDY.replace("device:serve", "device:answer"));
    let texts = applied(0, at(HEADER, "waiting", 0), "pending").expect("another name");
    assert_eq!(texts[1], MODEL.replace("waiting", "pending"));
    let texts = applied(2, at(STUDY, "done", 0), "finished").expect("another name");
    assert_eq!(texts[2], STUDY.replace("done", "finished"));
    assert_eq!(texts[1], MODEL);
    let taken = applied(1, at(MODEL, "served", 0), "queue").expect_err("it is in use");
    assert_eq!(taken.to_string(), "`queue` is used already, in model.pml");
    for (name, reason) in [("do", "`do` is a keyword"), ("1a", "`1a` is not a name in Promela")] {
        let error = applied(1, at(MODEL, "served", 0), name).expect_err("it is no name");
        assert_eq!(error.to_string(), reason);
    }
    assert_eq!(files.rename(1, at(MODEL, "do", 0), "x"), Err(RenameError::NoName));
    // Every text that is changed is still read, and means the same.
    assert!(messages("model.pml", &texts[1], &memory()).is_empty());
}

#[test]
fn hovering_tells_declarations_and_comments() {
    let files = files();
    let hover = files.hover(1, at(MODEL, "waiting", 0)).expect("a name");
    assert!(hover.text.contains("byte waiting") && hover.text.contains("How many wait."), "{}", hover.text);
    assert!(hover.text.contains("in `header.h`"), "{}", hover.text);
    let hover = files.hover(1, at(MODEL, "DEPTH", 0)).expect("a name");
    assert!(hover.text.starts_with("macro") && hover.text.contains("#define DEPTH 4"), "{}", hover.text);
    let hover = files.hover(2, at(STUDY, "done", 1)).expect("a name");
    assert!(hover.text.contains("done = \"device:serve\""), "{}", hover.text);
    let hover = files.hover(2, at(STUDY, "serve", 1)).expect("a name");
    assert!(hover.text.starts_with("label of `device`"), "{}", hover.text);
}

/// Returns what is proposed at the mark `|` of a text.
fn proposals(name: &str, text: &str) -> Vec<String> {
    let offset = text.find('|').expect("a mark");
    let text = text.replacen('|', "", 1);
    let files = Files::new(vec![Document::new(name, text)], &memory());
    let found = files.completions(0, offset);
    assert!(found.iter().all(|found| found.replaces.end == offset));
    found.into_iter().map(|found| found.text).collect()
}

#[test]
fn completions_fit_their_place() {
    let has = |list: &[String], words: &[&str], not: &[&str]| {
        for word in words {
            assert!(list.iter().any(|found| found == word), "no {word} in {list:?}");
        }
        for word in not {
            assert!(!list.iter().any(|found| found == word), "{word} in {list:?}");
        }
    };
    let text = "#include \"header.h\"\ntypedef T { byte id };\nT t;\nproctype P(byte own) { again: goto x; de| }\n\
                proctype Q(byte other) { skip }";
    has(&proposals("a.pml", text), &["waiting", "own", "t", "do", "ask"], &["other", "id", "again"]);
    has(&proposals("a.pml", &text.replace("de|", "t.|")), &["id"], &["waiting", "do"]);
    has(&proposals("a.pml", &text.replace("goto x; de|", "goto |")), &["again"], &["waiting", "do"]);
    let study = |end: &str| format!("model = \"model.pml\"\n[event]\ndone = \"device:serve\"\n{end}");
    has(&proposals("a.toml", &study("[[ask]]\nth|")), &["throughput", "expect"], &["unit"]);
    has(&proposals("a.toml", &study("[[ask]]\nthroughput = \"|")), &["done", "device:serve"], &["expect"]);
    has(&proposals("a.toml", &study("[delay]\n\"device:|")), &["serve"], &["submit", "done"]);
    has(&proposals("a.toml", &study("[[ask]]\nlatency = { |")), &["from", "to"], &["unit"]);
    has(&proposals("a.toml", &study("[|")), &["delay", "ask"], &["throughput"]);
    has(&proposals("a.toml", "mo|"), &["model", "unit"], &["throughput"]);
    let files = Files::new(vec![Document::new("a.smv", "MODULE main VAR x : boolean; ")], &NoFiles);
    let found = files.completions(0, 29);
    assert!(found.iter().any(|found| found.text == "ASSIGN" && found.kind == CompletionKind::Keyword));
}

#[test]
fn messages_have_places_and_remedies() {
    assert!(messages("model.pml", MODEL, &memory()).is_empty());
    let wrong = MODEL.replace("queue!ask", "queu!ask");
    let found = messages("model.pml", &wrong, &memory());
    let fix = found[0].fix.as_ref().expect("a remedy");
    assert_eq!((&wrong[fix.place.clone()], fix.replacement.as_str()), ("queu", "queue"));
    let found = messages("study.toml", &STUDY.replace("throughput", "troughput"), &memory());
    assert!(found.iter().any(|message| message.code == "S0001" && message.fix.is_some()), "{found:#?}");
    let found = messages("study.toml", &STUDY.replace("model.pml", "modell.pml"), &memory());
    assert!(found[0].is_error && found[0].place == (9..19), "{found:#?}");
    assert_eq!(messages("study.toml", STUDY, &memory()), []);
}

#[test]
fn questions_and_symbols_have_places() {
    let files = files();
    let places = asked(files.document(2));
    let shown: Vec<&str> = places.iter().map(|asked| &STUDY[asked.place.clone()]).collect();
    assert_eq!(shown, ["throughput = \"done", "utilisation = \"device"]);
    assert_eq!(asked(files.document(1))[0].what, "bounded");
    let names: Vec<String> = files.symbols(1).into_iter().map(|symbol| symbol.name).collect();
    assert_eq!(names, ["queue", "host", "device", "bounded"]);
    let device = &files.symbols(1)[2];
    assert_eq!(
        device.children.iter().map(|child| child.name.as_str()).collect::<Vec<_>>(),
        ["served", "serve"]
    );
    let tables: Vec<String> = files.symbols(2).into_iter().map(|symbol| symbol.name).collect();
    assert_eq!(tables, ["model = model.pml", "unit = us", "delay", "event", "resource", "ask", "ask"]);
}

/// Everything that editors ask can be asked anywhere in any text, finished or not.
#[test]
fn nothing_fails_anywhere() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let mut folders = vec![root];
    let (mut places, mut defined, mut layouts) = (0, 0, 0);
    while let Some(folder) = folders.pop() {
        for path in std::fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path())
        {
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let name = path.to_string_lossy().into_owned();
            let Ok(text) = std::fs::read_to_string(&path) else { continue };
            if text.len() > 12_000
                || ![".pml", ".smv", ".lotos", ".toml", ".h"].iter().any(|end| name.ends_with(end))
            {
                continue;
            }
            let whole = Document::new(name.as_str(), text.as_str());
            layouts += usize::from(formatted(&whole).is_some());
            for cut in [text.len(), text.len() / 2] {
                let Some(part) = text.get(..cut) else { continue };
                let files = Files::new(vec![Document::new(name.as_str(), part)], &NoFiles);
                files.symbols(0);
                files.colours(0);
                for offset in (0..=cut).step_by(17) {
                    places += 1;
                    defined += usize::from(files.definition(0, offset).is_some());
                    files.hover(0, offset);
                    files.completions(0, offset);
                    files.references(0, offset);
                }
            }
        }
    }
    println!("{places} places, {defined} with a name that is declared; {layouts} layouts");
    assert!(places > 5_000 && defined > 2_000 && layouts > 10, "{places} {defined} {layouts}");
}
