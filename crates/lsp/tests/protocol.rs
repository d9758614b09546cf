//! Sessions with a client.

mod client;

use client::{Client, position};
use serde_json::{Value, json};

const HEADER: &str = "#define DEPTH 4\nbyte waiting; /* ä𝄞 */ byte lost;\n";
const MODEL: &str = "#include \"header.h\"
active proctype host() {
  do
  :: submit: waiting < DEPTH -> waiting++
  :: serve: waiting > 0 -> waiting--
  od
}
ltl bounded { [] (waiting <= DEPTH) }
ltl never_full { [] (waiting < DEPTH) }
";
const STUDY: &str = "model = \"model.pml\"
unit = \"us\"
[delay]
\"host:submit\" = { exponential = 2 }
\"host:serve\" = { exponential = 1 }
[event]
done = \"host:serve\"
[[ask]]
throughput = \"done\"
[[ask]]
mean = \"waiting\"
expect = 0.1
";
const DISK: [(&str, &str); 2] = [("/m/header.h", HEADER), ("/m/model.pml", MODEL)];

fn about(uri: &str) -> Value {
    json!({ "textDocument": { "uri": uri } })
}

#[test]
fn mistakes_are_shown_and_mended_as_one_types() {
    let mut client = Client::new(&DISK, &Value::Null);
    let (uri, wrong) = ("file:///m/a%20b.pml", MODEL.replace("-> waiting++", "-> waitin++"));
    client.open(uri, "promela", &wrong);
    let list = client.diagnostics(uri, 1..=1);
    assert_eq!(list[0]["range"]["start"], position(&wrong, "waitin++", 0));
    assert_eq!((&list[0]["severity"], &list[0]["source"]), (&json!(1), &json!("narrows")));
    let actions = json!({
        "textDocument": { "uri": uri },
        "range": list[0]["range"],
        "context": { "diagnostics": list },
    });
    let actions = client.ask("textDocument/codeAction", &actions);
    assert_eq!(actions[0]["title"], "Replace by `waiting`");
    let edit = &actions[0]["edit"]["changes"][uri][0];
    let change = json!({
        "textDocument": { "uri": uri, "version": 2 },
        "contentChanges": [{ "range": edit["range"], "text": edit["newText"] }],
    });
    client.tell("textDocument/didChange", &change);
    client.diagnostics(uri, 0..=0);
    client.tell("textDocument/didClose", &about(uri));
    client.end();
}

#[test]
fn what_is_open_counts_more_than_what_is_on_disk() {
    let mut client = Client::new(&DISK, &Value::Null);
    client.open("file:///m/model.pml", "promela", MODEL);
    client.diagnostics("file:///m/model.pml", 0..=0);
    // Now the header is changed, and lacks what the model uses: that is said of the model.
    client.open("file:///m/header.h", "promela", "#define DEPTH 4\n");
    let list = client.diagnostics("file:///m/model.pml", 1..);
    assert!(list[0]["message"].as_str().expect("a text").contains("waiting"));
    client.tell("textDocument/didClose", &about("file:///m/header.h"));
    client.diagnostics("file:///m/model.pml", 0..=0);
    client.end();
}

#[test]
fn names_lead_to_their_places() {
    let mut client = Client::new(&DISK, &Value::Null);
    let (model, study) = ("file:///m/model.pml", "file:///m/study.toml");
    client.open(model, "promela", MODEL);
    client.open(study, "toml", STUDY);
    let place = client.at("textDocument/definition", model, MODEL, "waiting", 0);
    assert_eq!(place["uri"], "file:///m/header.h");
    assert_eq!(place["range"]["start"], json!({ "line": 1, "character": 5 }));
    let place = client.at("textDocument/definition", study, STUDY, "serve", 0);
    assert_eq!((&place["uri"], &place["range"]["start"]), (&json!(model), &position(MODEL, "serve", 0)));
    let uses = client.at("textDocument/references", model, MODEL, "serve", 0);
    assert_eq!(uses.as_array().map(Vec::len), Some(3), "{uses}");
    let edit = client.at("textDocument/rename", study, STUDY, "serve", 0);
    assert_eq!(edit["changes"][study].as_array().map(Vec::len), Some(2), "{edit}");
    assert_eq!(edit["changes"][model].as_array().map(Vec::len), Some(1), "{edit}");
    let hover = client.at("textDocument/hover", model, MODEL, "DEPTH", 0);
    assert!(hover["contents"]["value"].as_str().expect("a text").contains("#define DEPTH 4"), "{hover}");
    let nothing = client.at("textDocument/hover", model, MODEL, "active", 0);
    assert_eq!(nothing, Value::Null);
    let parameters = json!({
        "textDocument": { "uri": model }, "position": position(MODEL, "waiting", 0), "newName": "do",
    });
    let id = client.send("textDocument/rename", &parameters);
    assert!(client.answer(id).expect_err("no name").contains("`do` is a keyword"));
    let found = client.at("textDocument/completion", study, STUDY, "serve", 1);
    assert!(found.as_array().expect("a list").iter().any(|item| item["label"] == "submit"), "{found}");
    let symbols = client.ask("textDocument/documentSymbol", &about(model));
    let names: Vec<&str> =
        symbols.as_array().expect("a list").iter().filter_map(|s| s["name"].as_str()).collect();
    assert_eq!(names, ["host", "bounded", "never_full"]);
    client.end();
}

#[test]
fn graphs_are_texts_too() {
    let mut client = Client::new(&[], &json!({ "simulates": true }));
    let uri = "file:///m/ring.aut";
    let graph = "des (0, 3, 2)\n(0, \"PUT !1\", 1)\n(1, GET, 0)\n(1, \"PUT !2\", 1)\n";
    client.open(uri, "aut", graph);
    client.diagnostics(uri, 0..=0);
    let uses = client.at("textDocument/references", uri, graph, "PUT", 1);
    assert_eq!(uses.as_array().map(Vec::len), Some(2), "{uses}");
    let place = client.at("textDocument/definition", uri, graph, "PUT", 1);
    assert_eq!(place["range"]["start"], position(graph, "PUT", 0));
    let symbols = client.ask("textDocument/documentSymbol", &about(uri));
    let names: Vec<&str> =
        symbols.as_array().expect("a list").iter().filter_map(|one| one["name"].as_str()).collect();
    assert_eq!(names, ["PUT", "GET"]);
    let lenses = client.ask("textDocument/codeLens", &about(uri));
    let titles: Vec<&str> = lenses
        .as_array()
        .expect("lenses")
        .iter()
        .filter_map(|lens| lens["command"]["title"].as_str())
        .collect();
    assert_eq!(titles, ["check", "simulate"]);
    let run = json!({ "command": "narrows.check", "arguments": [uri] });
    let result = client.ask("workspace/executeCommand", &run);
    assert!(result["report"].as_str().expect("a report").contains("deadlock"), "{result}");
    let change = json!({
        "textDocument": { "uri": uri, "version": 2 },
        "contentChanges": [{ "text": graph.replace("(1, GET, 0)", "(1, GET, 7)") }],
    });
    client.tell("textDocument/didChange", &change);
    let list = client.diagnostics(uri, 1..=1);
    assert_eq!((&list[0]["code"], &list[0]["range"]["start"]["line"]), (&json!("G0004"), &json!(2)));
    client.end();
}

#[test]
fn words_have_colours() {
    let mut client = Client::new(&DISK, &Value::Null);
    let uri = "file:///m/header.h";
    client.open(uri, "promela", HEADER);
    let tokens = client.ask("textDocument/semanticTokens/full", &about(uri));
    let data: Vec<u64> =
        tokens["data"].as_array().expect("numbers").iter().filter_map(Value::as_u64).collect();
    // `lost` stands after a comment with a letter of two units of UTF-16.
    let last = &data[data.len() - 5..];
    assert_eq!(last, [0, 5, 4, 9, 0]);
    let starts: u64 = data.chunks(5).skip(3).filter(|token| token[0] == 0).map(|token| token[1]).sum();
    assert_eq!(u64::from(HEADER.lines().nth(1).expect("a line").find("lost").is_some()), 1);
    let line = HEADER.lines().nth(1).expect("a line");
    let column = line[..line.find("lost").expect("it is there")].encode_utf16().count() as u64;
    assert_eq!(starts, column);
    client.end();
}

#[test]
fn checks_run_beside_the_text() {
    let mut client = Client::new(&DISK, &json!({ "simulates": true }));
    let uri = "file:///m/model.pml";
    client.open(uri, "promela", MODEL);
    client.diagnostics(uri, 0..=0);
    let lenses = client.ask("textDocument/codeLens", &about(uri));
    let titles: Vec<&str> = lenses
        .as_array()
        .expect("a list")
        .iter()
        .filter_map(|lens| lens["command"]["title"].as_str())
        .collect();
    assert_eq!(titles, ["check", "check", "check", "simulate"]);
    let command = &lenses[0]["command"];
    let run = json!({ "command": command["command"], "arguments": command["arguments"] });
    let result = client.ask("workspace/executeCommand", &run);
    assert!(result["report"].as_str().expect("a text").contains("never_full"), "{result}");
    let list = client.diagnostics(uri, 1..=1);
    assert_eq!(list[0]["range"]["start"], position(MODEL, "never_full", 0));
    let hints = client.ask(
        "textDocument/inlayHint",
        &json!({
            "textDocument": { "uri": uri },
            "range": { "start": { "line": 0, "character": 0 }, "end": { "line": 99, "character": 0 } },
        }),
    );
    let labels: Vec<(u64, &str)> = hints
        .as_array()
        .expect("a list")
        .iter()
        .map(|hint| (hint["position"]["line"].as_u64().unwrap_or(99), hint["label"].as_str().unwrap_or("")))
        .collect();
    assert!(labels.contains(&(7, "holds")), "{labels:?}");
    assert!(labels.iter().any(|(line, text)| *line == 8 && text.starts_with("fails after")), "{labels:?}");
    client.wait("$/progress", |told| told["value"]["kind"] == "end");
    // An answer is about one text, and goes when that changes.
    let change = json!({
        "textDocument": { "uri": uri, "version": 2 },
        "contentChanges": [{ "text": format!("{MODEL}\n") }],
    });
    client.tell("textDocument/didChange", &change);
    client.diagnostics(uri, 0..=0);
    client.end();
}

#[test]
fn figures_stand_beside_the_questions_of_a_study() {
    let mut client = Client::new(&DISK, &Value::Null);
    let uri = "file:///m/study.toml";
    client.open(uri, "toml", STUDY);
    client.diagnostics(uri, 0..=0);
    for command in ["narrows.check", "narrows.bottleneck"] {
        let result =
            client.ask("workspace/executeCommand", &json!({ "command": command, "arguments": [uri] }));
        assert_eq!(result["answers"][1]["fails"], true, "{result}");
        let list = client.diagnostics(uri, 1..=1);
        assert_eq!(list[0]["range"]["start"], position(STUDY, "mean", 0));
        let hints = client.ask(
            "textDocument/inlayHint",
            &json!({
                "textDocument": { "uri": uri },
                "range": { "start": { "line": 0, "character": 0 }, "end": { "line": 99, "character": 0 } },
            }),
        );
        assert_eq!(hints[0]["position"]["line"], 8, "{hints}");
        // Two rates, two states at a time: 1/3 of the time ... an M/M/1/4 queue with load 1/2.
        assert!(hints[0]["label"].as_str().expect("a text").starts_with("0.48"), "{hints}");
        client.told.clear();
    }
    let edits = client.ask(
        "textDocument/formatting",
        &json!({
            "textDocument": { "uri": uri }, "options": { "tabSize": 2, "insertSpaces": true },
        }),
    );
    assert!(edits[0]["newText"].as_str().expect("a text").contains("\n\n[delay]\n"), "{edits}");
    client.end();
}

#[test]
fn other_files_in_toml_are_left_alone() {
    let mut client = Client::new(&DISK, &Value::Null);
    let uri = "file:///m/Cargo.toml";
    client.open(uri, "toml", "[package]\nname=\"a\"\n");
    client.diagnostics(uri, 0..=0);
    assert_eq!(client.ask("textDocument/codeLens", &about(uri)), json!([]));
    let layout = json!({ "textDocument": { "uri": uri }, "options": { "tabSize": 2, "insertSpaces": true } });
    assert_eq!(client.ask("textDocument/formatting", &layout), json!([]));
    client.end();
}

#[test]
fn runs_can_be_cancelled() {
    let model =
        "int a; active [6] proctype P() { int b; do :: b < 5000 -> b++; a = a + b :: b > 3 -> b = b - 3 od }";
    let mut client = Client::new(&[], &Value::Null);
    let uri = "file:///m/large.pml";
    client.open(uri, "promela", model);
    let run = json!({ "command": "narrows.check", "arguments": [uri] });
    let id = client.send("workspace/executeCommand", &run);
    client.wait("$/progress", |told| told["value"]["kind"] == "begin");
    client.tell("$/cancelRequest", &json!({ "id": id }));
    assert_eq!(client.answer(id).expect_err("it was cancelled"), "cancelled");
    // A second run on the same text takes the place of the first.
    let first = client.send("workspace/executeCommand", &run);
    let second = client.send("workspace/executeCommand", &run);
    assert_eq!(client.answer(first).expect_err("it was replaced"), "cancelled");
    client.tell("$/cancelRequest", &json!({ "id": second }));
    assert_eq!(client.answer(second).expect_err("it was cancelled"), "cancelled");
    client.end();
}

#[test]
fn strange_messages_are_answered_with_reasons() {
    let mut client = Client::new(&DISK, &json!({ "seconds": -1 }));
    let mut refused = |method: &str, parameters: Value| {
        let id = client.send(method, &parameters);
        client.answer(id).expect_err("a reason")
    };
    assert!(refused("textDocument/unknown", Value::Null).contains("unknown request"));
    assert!(!refused("textDocument/hover", json!({ "position": 3 })).is_empty());
    let run = |command: &str, uri: &str| json!({ "command": command, "arguments": [uri] });
    assert!(refused("workspace/executeCommand", run("narrows.fly", "file:///a")).contains("unknown command"));
    assert!(refused("workspace/executeCommand", run("narrows.check", "file:///a")).contains("open text"));
    client.tell("textDocument/didOpen", &json!({ "wrong": true }));
    client.tell(
        "textDocument/didChange",
        &json!({
            "textDocument": { "uri": "file:///none", "version": 1 }, "contentChanges": [],
        }),
    );
    let uri = "file:///m/odd.pml";
    client.open(uri, "promela", "byte a\n");
    // Positions behind the end, and ranges the wrong way round.
    let far = json!({ "line": 900, "character": 900 });
    let hover = client.ask("textDocument/hover", &json!({ "textDocument": { "uri": uri }, "position": far }));
    assert_eq!(hover, Value::Null);
    client.tell("textDocument/didChange", &json!({
        "textDocument": { "uri": uri, "version": 2 },
        "contentChanges": [
            { "range": { "start": far, "end": { "line": 0, "character": 0 } }, "text": "; init { skip }" },
        ],
    }));
    client.diagnostics(uri, 0..=0);
    assert_eq!(
        client.ask(
            "textDocument/hover",
            &json!({
                "textDocument": { "uri": "file:///none" }, "position": far,
            })
        ),
        Value::Null
    );
    client.end();
}
