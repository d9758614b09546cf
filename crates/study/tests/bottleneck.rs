//! Bottlenecks of small designs whose answers are known.

use narrows_explicit::{Budget, Engine, Unwatched};
use narrows_model::{Evaluator, FigureResult, Number};
use narrows_source::{Diagnostics, LoadError, Loaded, Loader, Sources};
use narrows_study::{Analysis, Study, analyse, prepare, read};

struct Nothing;

impl Loader for Nothing {
    fn load(&self, _: &str, _: &str, _: bool) -> Result<Loaded, LoadError> {
        Err(LoadError::NoFiles)
    }
}

/// Analyses a study; the error is what is wrong with it.
fn analysed(model: &str, study: &str) -> Result<Analysis, Vec<String>> {
    analysed_with(model, study, &|_| {})
}

fn analysed_with(model: &str, study: &str, change: &dyn Fn(&mut Study)) -> Result<Analysis, Vec<String>> {
    let (mut sources, mut diagnostics) = (Sources::default(), Diagnostics::default());
    let file = sources.add("study.toml", format!("model = \"m.pml\"\nunit = \"us\"\n{study}"));
    let mut study = read(&sources, file, &mut diagnostics);
    change(&mut study);
    let model = sources.add("m.pml", model);
    let Some(prepared) = prepare(&study, &mut sources, model, &Nothing, &mut diagnostics) else {
        let say = |one: &narrows_source::Diagnostic| {
            format!("{} `{}` {}", one.code, sources.text(one.primary.span), one.help.as_deref().unwrap_or(""))
        };
        return Err(diagnostics.sorted().iter().map(say).collect());
    };
    let engine = Engine::automatic(Evaluator::new(&prepared.system));
    Ok(analyse(&study, &prepared, &engine, &Budget::unlimited(&Unwatched)))
}

fn words(analysis: &Analysis, first: &str, second: &str) -> Vec<String> {
    let bottleneck = &analysis.bottleneck;
    let name = |number: usize| bottleneck.resources[number].name.as_str();
    let overlap =
        bottleneck.overlaps.iter().find(|one| (name(one.first), name(one.second)) == (first, second));
    let word = |figure: &narrows_model::Figure| match &figure.result {
        FigureResult::Word(word) => word.clone(),
        other => format!("{other:?}"),
    };
    overlap.expect("a pair").answers.iter().map(word).collect()
}

/// Two stages with so many buffers between them.
const STAGES: &str = "
    byte used;
    bool fills, drains;
    active proctype fill() {
        do
        :: atomic { used < BUFFERS -> fills = true };
filled:    atomic { fills -> fills = false; used++ }
        od
    }
    active proctype drain() {
        do
        :: atomic { used > 0 -> drains = true };
drained:   atomic { drains -> drains = false; used-- }
        od
    }";

fn stages(buffers: u32, fill: &str, drain: &str) -> Analysis {
    let study = format!(
        "[constant]
        BUFFERS = {buffers}
        [resource]
        filling = \"fills\"
        draining = \"drains\"
        [delay]
        \"fill:filled\" = {fill}
        \"drain:drained\" = {drain}
        [event]
        packet = \"drain:drained\""
    );
    analysed(STAGES, &study).expect("a study")
}

#[test]
fn with_one_buffer_stages_take_turns() {
    let analysis = stages(1, "{ fixed = 3 }", "{ fixed = 5 }");
    assert_eq!(words(&analysis, "filling", "draining"), ["never", "never"]);
    assert_eq!(analysis.bottleneck.together[0].sets, [[0], [1]]);
    let flow = &analysis.bottleneck.flows[0];
    assert_eq!(flow.bottleneck.as_deref(), Some(&["filling".to_owned(), "draining".to_owned()][..]));
    let case = &flow.cases[0];
    assert_eq!((case.name, case.throughput), ("every", Number::Ratio(1, 8)));
    assert_eq!((case.all_overlapped, case.none_overlapped), (Number::Ratio(1, 5), Number::Ratio(1, 8)));
    assert_eq!(case.busy, [Number::Ratio(3, 8), Number::Ratio(5, 8)]);
    let links: Vec<(&str, Number)> =
        case.critical.iter().map(|link| (link.delay.as_str(), link.part)).collect();
    assert_eq!(links.len(), 2);
    assert!(links.contains(&("fill:filled", Number::Ratio(3, 8))), "{links:?}");
    assert_eq!((case.gantt.lanes[0].len(), case.gantt.lanes[1].len()), (10, 10));
    assert_eq!((case.gantt.lanes[1][0].from, case.gantt.lanes[1][0].to), (3.0, 8.0));
    // A tenth less of the longer delay gains more: 8 / 7.5, and 8 / 7.7.
    let gains: Vec<(&str, f64)> =
        flow.changes.iter().map(|change| (change.delay.as_str(), change.gain().expect("a gain"))).collect();
    assert_eq!((gains[0].0, gains[1].0), ("drain:drained", "fill:filled"));
    assert!((gains[0].1 - (8.0 / 7.5 - 1.0)).abs() < 1e-12 && (gains[1].1 - (8.0 / 7.7 - 1.0)).abs() < 1e-12);
    assert!(
        flow.findings.iter().any(|text| text.contains("never busy at the same time")),
        "{:?}",
        flow.findings
    );
}

#[test]
fn with_two_buffers_the_slower_stage_is_saturated() {
    let analysis = stages(2, "{ fixed = 3 }", "{ fixed = 5 }");
    assert_eq!(words(&analysis, "filling", "draining"), ["possible", "inevitable"]);
    let flow = &analysis.bottleneck.flows[0];
    assert_eq!(flow.bottleneck.as_deref(), Some(&["draining".to_owned()][..]));
    assert_eq!(flow.cases[0].throughput, Number::Ratio(1, 5));
    assert_eq!(flow.changes[1].gain(), Some(0.0));
    let utilisation = &analysis.bottleneck.utilisation[1][0];
    assert!(
        matches!(utilisation.result, FigureResult::Value { low: Number::Ratio(1, 1), .. }),
        "{utilisation:?}"
    );
}

#[test]
fn worst_and_best_are_told_apart() {
    let analysis = stages(1, "{ between = [2, 3] }", "{ fixed = 5 }");
    let cases = &analysis.bottleneck.flows[0].cases;
    let told: Vec<(&str, Number)> = cases.iter().map(|case| (case.name, case.throughput)).collect();
    assert_eq!(told, [("worst", Number::Ratio(1, 8)), ("best", Number::Ratio(1, 7))]);
}

#[test]
fn random_delays_have_a_mean_alone() {
    let analysis = stages(1, "{ exponential = 3 }", "{ fixed = 5 }");
    let flow = &analysis.bottleneck.flows[0];
    assert!(flow.cases.is_empty());
    assert_eq!(flow.throughput.len(), 1);
    assert_eq!(flow.bottleneck.as_deref(), Some(&["draining".to_owned()][..]));
    assert_eq!(words(&analysis, "filling", "draining"), ["never"]);
    // One after the other, the means add up.
    let change = &flow.changes[0];
    assert!((change.now - 1.0 / 8.0).abs() < 1e-9, "{change:?}");
    assert!((change.less.expect("a value") - 1.0 / 7.5).abs() < 1e-9, "{change:?}");
}

#[test]
fn what_must_happen_needs_fairness() {
    // Both are busy at some time in every run, unless one of them is left out for ever.
    let model = "bool a, b; active proctype one() { do :: a = true od } active proctype two() { b = true }";
    let study = "[resource]
        one = \"a\"
        two = \"b\"";
    let analysis = analysed(model, study).expect("a study");
    assert_eq!(words(&analysis, "one", "two"), ["inevitable"]);
    let model = model.replace("b = true", "if :: b = true :: skip fi");
    let analysis = analysed(&model, study).expect("a study");
    assert_eq!(words(&analysis, "one", "two"), ["possible"]);
    let answer = &analysis.bottleneck.overlaps[0].answers[0];
    let runs: Vec<&str> = answer.witnesses.iter().map(|(what, _)| what.as_str()).collect();
    assert_eq!(
        runs,
        ["a shortest run to where both are busy", "a fair run that never comes to where both are busy"]
    );
}

#[test]
fn a_run_that_ends_is_looked_at_as_a_whole() {
    let model = STAGES
        .replace(
            "do\n        :: atomic { used < BUFFERS",
            "byte n;\n do\n :: atomic { n < 4 && used < BUFFERS",
        )
        .replace("fills = true }", "fills = true; n++ }");
    let study = "[constant]
        BUFFERS = 1
        [resource]
        filling = \"fills\"
        draining = \"drains\"
        [delay]
        \"fill:filled\" = { fixed = 3 }
        \"drain:drained\" = { fixed = 5 }
        [event]
        packet = \"drain:drained\"";
    let analysis = analysed(&model, study).expect("a study");
    let case = &analysis.bottleneck.flows[0].cases[0];
    assert_eq!((case.count, case.period, case.throughput), (4, Number::Ratio(32, 1), Number::Ratio(1, 8)));
    assert!(!case.is_endless);
}

#[test]
fn variables_with_names_are_drawn() {
    let model = "mtype = { idle, busy, done }; mtype state = idle;
        active proctype worker() { do :: state == idle -> state = busy :: state == busy -> state = done od }";
    let analysis = analysed(model, "[resource]\nr = \"state == busy\"").expect("a study");
    let diagram = &analysis.bottleneck.diagrams[0];
    assert_eq!((diagram.variable.as_str(), diagram.values.join(" ")), ("state", "idle busy done".to_owned()));
    let worker = || "worker".to_owned();
    assert_eq!(diagram.changes, [(0, 1, worker()), (1, 2, worker())]);
}

#[test]
fn changed_delays_are_checked() {
    let study = "[constant]
        BUFFERS = 2
        [delay]
        \"fill:filled\" = { fixed = 3 }
        \"drain:drained\" = { fixed = 5 }
        [event]
        packet = \"drain:drained\"";
    let faster = analysed_with(STAGES, study, &|study| {
        assert_eq!(study.change_delay("drain:drained = 0.002 ms"), Ok(()));
        let wrong = study.change_delay("drain:draind=1").expect_err("no such delay");
        assert!(wrong.contains("did you mean `drain:drained`"), "{wrong}");
        assert!(study.change_delay("drain:drained=-1").is_err());
        assert!(study.change_delay("drain:drained").is_err());
        assert!(study.change_delay("drain:drained=1 parsec").is_err());
    });
    let analysis = faster.expect("a study");
    assert_eq!(analysis.bottleneck.flows[0].cases[0].throughput, Number::Ratio(1, 3));
}

#[test]
fn misspelt_constants_are_told() {
    let study = "[constant]
        BUFERS = 2
        [resource]
        filling = \"fills\"";
    let wrong = analysed(&STAGES.replace("BUFFERS", "BUFFERS_OF_THE_MODEL"), study).expect_err("a mistake");
    assert!(wrong.iter().any(|message| message.contains("P0201")), "{wrong:?}");
    let wrong = analysed(&format!("#define BUFFERS 2\n{STAGES}"), study).expect_err("a mistake");
    assert_eq!(wrong, ["S0012 `BUFERS` did you mean `BUFFERS`?"]);
}

#[test]
fn unknown_resources_are_named() {
    let study = "[constant]
        BUFFERS = 2
        [resource]
        filling = \"fills\"
        draining = \"drains\"
        [[ask]]
        overlap = [\"filling\", \"draning\"]
        [[ask]]
        overlap = [\"filling\", \"filling\"]";
    let wrong = analysed(STAGES, study).expect_err("two mistakes");
    assert_eq!(wrong, ["S0011 `draning` did you mean `draining`?", "S0011 `filling` "]);
}

#[test]
fn a_resource_that_happens_to_be_busy_is_not_waited_for() {
    let model = concat!("#define DEPTH 2\n", include_str!("../../../examples/bottlenecks/nvme.pml"));
    let study = "[resource]\nflash = \"reads[0] || reads[1]\"\n[delay]\n\"host:doorbell\" = { fixed = 1 }\n\
                 \"controller:fetched\" = { fixed = 2 }\n\"channel:read\" = { fixed = 60 }\n\
                 \"handler:handled\" = { fixed = 5 }\n[event]\nread = \"handler:handled\"";
    let analysis = analysed(model, study).expect("a study");
    // A command rings the doorbell while the other one is read.
    let expected = ["controller:fetched", "flash", "handler:handled", "host:doorbell"];
    let mut names = analysis.bottleneck.flows[0].bottleneck.clone().expect("a bottleneck");
    names.sort();
    assert_eq!(names, expected);
}

#[test]
fn lanes_with_more_bars_in_a_round_do_not_end_early() {
    let model = concat!("#define SIZE 1\n", include_str!("../../../examples/bottlenecks/ring.pml"));
    let study = "[resource]\nrest = \"producer@rested\"\nwork = \"consumer@done\"\n[delay]\n\
                 \"producer:put\" = { fixed = 1 }\n\"producer:rested\" = { fixed = 20 }\n\
                 \"consumer:done\" = { fixed = 5 }\n[event]\nitem = \"consumer:done\"";
    let analysis = analysed(model, study).expect("a study");
    let lanes = &analysis.bottleneck.flows[0].cases[0].gantt.lanes;
    let counts: Vec<usize> = lanes.iter().map(Vec::len).collect();
    assert_eq!(counts, [2, 10], "four are worked on for each rest");
}
