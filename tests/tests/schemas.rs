//! The JSON Schemas in docs/schemas: every study of the repository is as theirs says, and so is what the
//! program prints.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use narrows_tests::commands::run;
use narrows_tests::narrows;
use narrows_tests::schema::violations;
use serde_json::{Map, Value, json};
use toml::de::{DeTable, DeValue};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn schema(name: &str) -> Value {
    let path = root().join(format!("docs/schemas/{name}.schema.json"));
    serde_json::from_str(&fs::read_to_string(path).expect("a schema")).expect("JSON")
}

fn studies(folder: &Path, found: &mut Vec<PathBuf>) {
    let mut paths: Vec<PathBuf> =
        fs::read_dir(folder).expect("a folder").filter_map(|entry| Some(entry.ok()?.path())).collect();
    paths.sort();
    for path in paths {
        if path.is_dir() {
            studies(&path, found);
        } else if path.extension().is_some_and(|ending| ending == "toml") {
            found.push(path);
        }
    }
}

fn as_json(value: &DeValue<'_>) -> Value {
    match value {
        DeValue::String(text) => json!(text),
        DeValue::Integer(number) => {
            json!(i64::from_str_radix(number.as_str(), number.radix()).expect("a number"))
        }
        DeValue::Float(number) => json!(number.as_str().parse::<f64>().expect("a number")),
        DeValue::Boolean(is_true) => json!(is_true),
        DeValue::Datetime(time) => json!(time.to_string()),
        DeValue::Array(list) => list.iter().map(|value| as_json(value.get_ref())).collect(),
        DeValue::Table(table) => table_as_json(table),
    }
}

fn table_as_json(table: &DeTable<'_>) -> Value {
    let entries = table.iter().map(|(key, value)| (key.get_ref().to_string(), as_json(value.get_ref())));
    Value::Object(entries.collect::<Map<_, _>>())
}

fn study(text: &str) -> Value {
    table_as_json(DeTable::parse(text).expect("TOML").get_ref())
}

#[test]
fn every_study_is_as_the_schema_says() {
    let schema = schema("study");
    let mut found = Vec::new();
    for folder in ["examples", "crates/cli/templates", "bench"] {
        studies(&root().join(folder), &mut found);
    }
    let mut count = 0;
    for path in found {
        let text = fs::read_to_string(&path).expect("a study");
        let value = study(&text);
        // Coherence tables are no studies.
        if value.get("model").is_none() {
            continue;
        }
        count += 1;
        assert_eq!(violations(&schema, &value), Vec::<String>::new(), "{}", path.display());
    }
    assert!(count > 60, "{count}");
}

#[test]
fn wrong_studies_are_told() {
    let schema = schema("study");
    for (text, place) in [
        ("unit = 'us'", "`model` is missing"),
        ("model = 'm.pml'\nunti = 'us'", "/unti"),
        ("model = 'm.pml'\n[[ask]]\nltl = '[] p'\nctl = 'AG p'", "/ask/0"),
        ("model = 'm.pml'\n[[ask]]\nname = 'nothing'", "/ask/0"),
        ("model = 'm.pml'\n[[ask]]\nlatency = { from = 'a' }", "/ask/0/latency"),
        ("model = 'm.pml'\n[delay]\n'a:b' = { fixde = 3 }", "/delay/a:b"),
        ("model = 'm.pml'\n[[ask]]\nltl = 'p'\nview = 'time'", "/ask/0/view"),
    ] {
        let found = violations(&schema, &study(text));
        assert!(found.iter().any(|one| one.contains(place)), "{text}: {found:?}");
    }
}

/// The schema of studies knows the questions that the program knows.
#[test]
fn the_schema_has_every_question() {
    let reader = fs::read_to_string(root().join("crates/study/src/file/questions.rs")).expect("the reader");
    let kinds = reader
        .split_once("const QUESTIONS")
        .and_then(|(_, rest)| rest.split_once("= ["))
        .expect("the kinds")
        .1;
    let kinds: Vec<&str> = kinds.split(']').next().unwrap_or("").split('"').skip(1).step_by(2).collect();
    assert!(kinds.len() > 20 && kinds.contains(&"latency"), "{kinds:?}");
    let schema = schema("study");
    for kind in kinds {
        assert!(
            !schema["$defs"]["ask"]["properties"][kind].is_null(),
            "docs/schemas lacks the question `{kind}`"
        );
    }
}

#[test]
fn what_is_printed_is_as_the_schema_says() {
    let Some(program) = narrows::program() else { return };
    let schema = schema("report");
    for arguments in [
        "check examples/mutex/broken.pml examples/mutex/peterson.pml",
        "check examples/mutex/broken.pml",
        "check tests/models/smv/ends.smv --engine symbolic",
        "check examples/pingpong/lotos/nowhere.lotos",
        "explore examples/mutex/broken.pml",
        "measure examples/queues/pipeline.toml --runs",
        "measure examples/queues",
        "measure examples/pci/figure7.toml",
        "bottleneck examples/myrinet/lcp_sends.toml examples/bottlenecks/dma_one.toml --no-report",
        "bottleneck examples/bottlenecks/dma_one.toml --no-report --what-if BUFFERS=2",
        "bounds examples/mutex/peterson.pml --from true --to true",
    ] {
        let mut command = Command::new(program);
        command.args(arguments.split(' ')).args(["--format", "json"]).current_dir(root());
        let finished = run(&mut command, Duration::from_mins(2)).expect("narrows runs");
        let document: Value = serde_json::from_str(&finished.stdout)
            .unwrap_or_else(|error| panic!("{arguments}: {error}: {}{}", finished.stdout, finished.stderr));
        assert_eq!(violations(&schema, &document), Vec::<String>::new(), "{arguments}");
    }
    let wrong = json!({ "schema": 1, "tool": "narrows", "model": "m", "answers": [{ "kind": "ltl" }] });
    assert!(!violations(&schema, &wrong).is_empty());
}
