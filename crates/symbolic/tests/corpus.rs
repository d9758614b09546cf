//! The models in `tests/models/smv` and `examples/pci`, with the answers that stand behind their
//! specifications: `-- = holds`, `-- = 5`, and `-- = states 16, depth 6` for the whole.

use std::fs;
use std::path::Path;

use narrows_languages::smv::{Options, compile};
use narrows_model::{Budget, FigureResult, Number, Question, Reply, Unwatched, Verdict};
use narrows_source::{Diagnostics, Sources, render};
use narrows_symbolic::check;

fn expected(line: &str) -> Option<&str> {
    line.split_once("-- = ").map(|(_, expected)| expected.trim())
}

fn found(reply: &Reply) -> String {
    match reply {
        Reply::Answer(answer) => match &answer.verdict {
            Verdict::Holds => "holds".to_owned(),
            Verdict::Fails { .. } => "fails".to_owned(),
            other => format!("{other:?}"),
        },
        Reply::Figure(figure) => match &figure.result {
            FigureResult::Value { low: Number::Ratio(value, 1), .. } => value.to_string(),
            FigureResult::Value { low: Number::Infinity, .. } => "infinity".to_owned(),
            FigureResult::None(_) => "none".to_owned(),
            other => format!("{other:?}"),
        },
    }
}

#[test]
fn models_are_what_their_comments_say() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let models = |folder: &str| {
        let entries = fs::read_dir(root.join(folder)).expect("the models");
        let paths = entries.filter_map(|entry| Some(entry.ok()?.path()));
        paths.filter(|path| path.extension().is_some_and(|extension| extension == "smv")).collect::<Vec<_>>()
    };
    let mut names = models("tests/models/smv");
    names.extend(models("examples/pci"));
    names.sort();
    let mut specifications = 0;
    let mut wrong = Vec::new();
    for path in names {
        let text = fs::read_to_string(&path).expect("a model");
        let mut sources = Sources::default();
        let file = sources.add(path.file_name().unwrap().to_string_lossy(), text.clone());
        let mut diagnostics = Diagnostics::default();
        let compiled = compile(&mut sources, file, &Options::default(), &mut diagnostics);
        let said: Vec<String> = diagnostics.sorted().iter().map(|one| render(one, &sources, false)).collect();
        let Some(compiled) = compiled else { panic!("{}", said.join("\n")) };
        let system = &compiled.system;
        let questions = system.questions();
        let budget = Budget { memory: 1 << 30, ..Budget::unlimited(Unwatched) };
        let how = narrows_symbolic::Options { depth: true, ..narrows_symbolic::Options::default() };
        let checked = check(system, &questions, &how, &budget);
        let size = checked.coverage.sets.as_ref().expect("sets of states");
        let states = size.states.as_ref().expect("no limit was hit");
        let mut whole = format!("states {states}, depth {}", size.depth.unwrap_or_default());
        for (question, reply) in questions.iter().zip(&checked.replies) {
            let Question::Property { index, name, .. } = question else {
                if found(reply) == "fails" {
                    whole = format!("{whole}, {}", question.kind());
                }
                continue;
            };
            let line = sources.position(system.specifications[*index].span).line;
            let written =
                expected(sources.file(file).line(line)).expect("an answer behind each specification");
            if found(reply) != written {
                wrong.push(format!("{}:{line}: {name}: {}", path.display(), found(reply)));
            }
            specifications += 1;
        }
        if text.lines().find_map(expected) != Some(whole.as_str()) {
            wrong.push(format!("{}: {whole}", path.display()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(specifications > 200, "{specifications}");
}
