//! The models in `tests/models/smv/large`, which sets of states can't hold, with the answers that stand
//! behind their specifications: `-- = holds`, `-- = fails`, or `-- = fails 3` for a shortest run of so many
//! steps.

use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicU32, Ordering};

use narrows_languages::smv::{Options, compile};
use narrows_model::{Budget, Limit, Progress, Question, Reply, Verdict};
use narrows_sat::{Engine, check};
use narrows_source::{Diagnostics, Sources, render};

fn found(reply: &Reply, expected: &str) -> String {
    let Reply::Answer(answer) = reply else { return "a number".to_owned() };
    match &answer.verdict {
        Verdict::Holds => "holds".to_owned(),
        Verdict::Fails { trace, shortest: true, .. } if expected != "fails" => {
            format!("fails {}", trace.steps.len())
        }
        Verdict::Fails { .. } => "fails".to_owned(),
        other => format!("{other:?}"),
    }
}

#[test]
fn models_are_what_their_comments_say() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/models/smv/large");
    let entries = fs::read_dir(folder).expect("the models");
    let mut paths: Vec<_> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    paths.sort();
    let mut wrong = Vec::new();
    let mut specifications = 0;
    for path in paths {
        let mut sources = Sources::default();
        let file = sources.add("model.smv", fs::read_to_string(&path).expect("a model"));
        let mut diagnostics = Diagnostics::default();
        let compiled = compile(&mut sources, file, &Options::default(), &mut diagnostics);
        let said: Vec<String> = diagnostics.sorted().iter().map(|one| render(one, &sources, false)).collect();
        let Some(compiled) = compiled else { panic!("{}", said.join("\n")) };
        let system = &compiled.system;
        let questions = system.questions();
        // Enough for all, and an end if something is wrong.
        let looks = AtomicU32::new(0);
        let watch = move |_: &Progress| {
            (looks.fetch_add(1, Ordering::Relaxed) >= 100_000).then_some(Limit::Interrupted)
        };
        let budget = Budget { memory: 1 << 30, ..Budget::unlimited(watch) };
        let checked = check(system, &questions, Engine::Automatic, &budget, &mut |_, _| true);
        for (question, reply) in questions.iter().zip(&checked.replies) {
            let Question::Property { index, name, .. } = question else { continue };
            let line = sources.position(system.specifications[*index].span).line;
            let text = sources.file(file).line(line);
            let (_, expected) = text.split_once("-- = ").expect("an answer behind each specification");
            let found = found(reply, expected.trim());
            if found != expected.trim() {
                wrong.push(format!("{}:{line}: {name}: {found}", path.display()));
            }
            specifications += 1;
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(specifications >= 11, "{specifications}");
}
