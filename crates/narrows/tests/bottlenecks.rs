//! Bottlenecks of small designs whose answers are known.

mod studies;

use narrows::{Budget, NoFiles};
use narrows_model::{Bottleneck, Figure, FigureResult, Number};
use narrows_study::{Analysis, Study, StudyEngine};
use studies::{budget, prepared, wrong};

/// Analyses a study; the error is what is wrong with it.
fn analysed(model: &str, study: &str) -> Result<Analysis, Vec<String>> {
    analysed_with(model, study, &|_| {})
}

fn analysed_with(model: &str, study: &str, change: &dyn Fn(&mut Study)) -> Result<Analysis, Vec<String>> {
    let study = format!("model = \"m.pml\"\nunit = \"us\"\n{study}");
    let prepared = prepared(&study, ("m.pml", model), &NoFiles, change).map_err(|rejected| {
        wrong(&rejected, |one, sources| {
            let help = one.help.as_deref().unwrap_or("");
            format!("{} `{}` {help}", one.code, sources.text(one.primary.span))
        })
    })?;
    Ok(prepared.analyse(&budget()))
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

/// The M/M/1/3 queue: what arrives while three are there is lost.
const QUEUE: &str = "byte n;
    active proctype source() { do :: make: d_step { n < 3 -> n++ } od }
    active proctype server() { do :: serve: d_step { n > 0 -> n-- } od }";

/// Returns the throughput of the queue: how many are served per time, arrivals and services being so long on
/// average.
fn served(arrival: f64, service: f64) -> f64 {
    let states = [0, 1, 2, 3].map(|number| (service / arrival).powi(number));
    let all: f64 = states.iter().sum();
    (all - states[0]) / all / service
}

#[test]
fn the_bottleneck_owns_the_delay_that_matters_most() {
    let (server, source) = ("server = \"n > 0\"", "source = \"n < 3\"");
    let declared = [vec![], vec![server], vec![source], vec![server, source]];
    for (arrival, service) in [(1.0, 0.5), (0.5, 1.0), (1.0, 0.9), (1.0, 1.0)] {
        for declared in &declared {
            let name = |resource: &str, delay: &str| {
                let is_declared = declared.iter().any(|line| line.starts_with(resource));
                if is_declared { resource.to_owned() } else { delay.to_owned() }
            };
            let (server, source) = (name("server", "server:serve"), name("source", "source:make"));
            // What is slower is waited for; if both are alike, both are.
            let mut expected = Vec::new();
            expected.extend((service >= arrival).then_some(server));
            expected.extend((arrival >= service).then_some(source));
            let study = format!(
                "[resource]\n{}\n[delay]\n\"source:make\" = {{ exponential = {arrival} }}\n\"server:serve\" = \
                 {{ exponential = {service} }}\n[event]\ndone = \"server:serve\"",
                declared.join("\n")
            );
            let analysis = analysed(QUEUE, &study).expect("a study");
            let flow = &analysis.bottleneck.flows[0];
            let mut found = flow.bottleneck.clone().expect("a bottleneck");
            found.sort();
            expected.sort();
            assert_eq!(found, expected, "{arrival} {service} {declared:?}");
            let now = served(arrival, service);
            for change in &flow.changes {
                let less = if change.delay == "source:make" {
                    served(arrival * 0.9, service)
                } else {
                    served(arrival, service * 0.9)
                };
                assert!((change.now - now).abs() < 1e-6, "{change:?}");
                assert!((change.less.expect("a value") - less).abs() < 1e-6, "{change:?}");
            }
        }
    }
}

#[test]
fn what_only_waits_is_no_bottleneck() {
    let model = "chan slot = [1] of { bit };
        active proctype fill() { do :: ready: skip; copy: slot!1 od }
        active proctype drain() { do :: slot?_; work: skip od }";
    let study = "[resource]
        fill = \"fill@copy\"
        drain = \"drain@work\"
        [event]
        packet = \"drain:work\"
        [delay]
        \"drain:work\" = 5\n";
    // The delay of `fill:copy` is forgotten: it is always there, and waits.
    let analysis = analysed(model, study).expect("a study");
    let flow = &analysis.bottleneck.flows[0];
    assert_eq!(flow.bottleneck.as_deref(), Some(&["drain".to_owned()][..]));
    let said = "Assumed to take no time, as no delay is given: `fill`.";
    assert!(flow.findings.iter().any(|finding| finding == said), "{:?}", flow.findings);
    // With it, it is still not what is waited for.
    let analysis = analysed(model, &format!("{study}\"fill:copy\" = 1")).expect("a study");
    let flow = &analysis.bottleneck.flows[0];
    assert_eq!(flow.bottleneck.as_deref(), Some(&["drain".to_owned()][..]));
    assert_eq!(flow.changes[0].delay, "drain:work");
}

#[test]
fn nothing_that_takes_time_is_an_error() {
    for ask in
        ["bottleneck = \"drain:drained\"", "utilisation = \"used > 0\"", "makespan = true\nview = \"timed\""]
    {
        let study = format!("[constant]\nBUFFERS = 1\n[[ask]]\n{ask}");
        let wrong = analysed(STAGES, &study).expect_err("an error");
        assert_eq!(wrong, ["S0018 `[[ask]]` say under `[delay]` how long statements take"], "{ask}");
    }
}

#[test]
fn a_delay_of_nothing_is_none() {
    // One after the other, the means add up; what takes 0 adds nothing.
    let analysis = stages(1, "{ exponential = 4 }", "0");
    let now = analysis.bottleneck.flows[0].changes[0].now;
    assert!((now - 0.25).abs() < 1e-9, "{now}");
    let analysis = stages(1, "4", "0");
    assert_eq!(analysis.bottleneck.flows[0].cases[0].throughput, Number::Ratio(1, 4));
}

#[test]
fn a_first_look_says_the_same_step_by_step() {
    let study = "model = \"m.pml\"\nunit = \"us\"
        [constant]
        BUFFERS = 2
        [resource]
        filling = \"fills\"
        draining = \"drains\"
        [delay]
        \"fill:filled\" = 2
        \"drain:drained\" = { between = [3, 4] }
        [[ask]]
        throughput = \"drain:drained\"";
    let prepared = prepared(study, ("m.pml", STAGES), &NoFiles, &|_| {}).expect("a study");
    let whole = prepared.analyse(&budget()).bottleneck;
    let mut told = Vec::new();
    let first = prepared.first_look(&budget(), &mut |early| told.push(early.bottleneck.clone())).bottleneck;
    let figures = |bottleneck: &Bottleneck| {
        let flow = &bottleneck.flows[0];
        let text = |figure: &Figure| format!("{} {:?}", figure.view, figure.result);
        let busy = bottleneck.utilisation.iter().flatten().map(text);
        (flow.throughput.iter().map(text).chain(busy).collect::<Vec<_>>(), flow.bottleneck.clone())
    };
    assert_eq!(figures(&first), figures(&whole));
    assert_eq!(first.flows[0].cases.len(), whole.flows[0].cases.len());
    // What is exact comes before the means.
    let [early] = &told[..] else { panic!("{} times", told.len()) };
    let means = |bottleneck: &Bottleneck| {
        figures(bottleneck).0.into_iter().filter(|text| text.starts_with("stochastic")).count()
    };
    assert_eq!((means(early), means(&first)), (0, 3));
    assert_eq!(early.flows[0].cases.len(), whole.flows[0].cases.len());
    // An estimate is near.
    let rough = prepared.rough_look(&budget()).expect("there are delays").bottleneck;
    let FigureResult::Estimated { low, high, .. } = rough.flows[0].throughput[0].result else {
        panic!("{:?}", rough.flows[0].throughput)
    };
    assert!(0.25 < low && low <= high && high < 0.34, "{low} to {high}");
    assert_eq!(rough.flows[0].bottleneck.as_deref(), Some(&["draining".to_owned()][..]));
}

#[test]
fn what_grows_is_named() {
    let model = "int n; byte m;
        active proctype source() { do :: make: n++; m = (m + 1) % 5 od }
        active proctype server() { do :: n > 0 -> serve: n-- od }";
    let study = "[delay]\n\"source:make\" = { exponential = 1 }\n\"server:serve\" = { exponential = 1 }\n\
                 [[ask]]\nthroughput = \"server:serve\"";
    let study = format!("model = \"m.pml\"\nunit = \"us\"\n{study}");
    let mut prepared = prepared(&study, ("m.pml", model), &NoFiles, &|_| {}).expect("a study");
    // Otherwise what does not fit is estimated.
    prepared.study.simulation.engine = StudyEngine::Exact;
    let analysis = prepared.analyse(&Budget { memory: 8 << 20, ..budget() });
    let figure = &analysis.measured.figures[0];
    assert!(matches!(figure.result, FigureResult::Undecided(_)), "{:?}", figure.result);
    let note = figure.notes.last().expect("a note");
    assert!(note.contains("`n` (from 0 to ") && !note.contains("`m`"), "{note}");
    assert!(analysis.bottleneck.flows[0].findings.contains(note));
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
        assert_eq!(study.change_delay("drain:drained", "0.002 ms"), Ok(()));
        let wrong = study.change_delay("drain:draind", "1").expect_err("no such delay");
        assert!(wrong.to_string().contains("did you mean `drain:drained`"), "{wrong}");
        assert!(study.change_delay("drain:drained", "-1").is_err());
        assert!(study.change_delay("drain:drained", "1 parsec").is_err());
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

/// Requests on the run are those that the question of the study tells apart: first in first out, last in
/// first out, or by process.
#[test]
fn requests_are_followed_on_the_run() {
    // Filled at 3, 6, 11, 16, and so on; drained at 8, 13, 18.
    let study = |latency: &str| {
        format!(
            "[constant]\nBUFFERS = 2\n[resource]\ndraining = \"drains\"\n[delay]\n\"fill:filled\" = 3\n\"drain:drained\" = 5\n\
             [event]\npacket = \"drain:drained\"\n[[ask]]\nname = \"through\"\nlatency = {{ from = \"fill:filled\", to = \"packet\"{latency} }}"
        )
    };
    let clients = "active [2] proctype client() { do :: ask: skip; done: skip od }";
    let by_process = "[resource]\nasking = \"client[any]@ask\"\n[delay]\n\"client:ask\" = 1\n\"client:done\" = 4\n[event]\nover = \"client:done\"\n\
                      [[ask]]\nname = \"through\"\nlatency = { from = \"client:ask\", to = \"over\", by = \"_pid\" }";
    let rows = [
        (STAGES, study(""), vec![(3.0, 8.0), (6.0, 13.0), (11.0, 18.0), (16.0, 23.0)]),
        (STAGES, study(", order = \"lifo\""), vec![(6.0, 8.0), (11.0, 13.0), (16.0, 18.0)]),
        (clients, by_process.to_owned(), vec![(1.0, 5.0), (1.0, 5.0), (6.0, 10.0), (6.0, 10.0)]),
    ];
    for (model, study, expected) in rows {
        let analysis = analysed(model, &study).expect("a study");
        let case = &analysis.bottleneck.flows[0].cases[0];
        let [(name, bars)] = case.gantt.requests.as_slice() else { panic!("{:?}", case.gantt.requests) };
        assert_eq!(name, "through");
        let times: Vec<(f64, f64)> = bars.iter().map(|bar| (bar.from, bar.to)).collect();
        assert_eq!(times[..expected.len()], expected, "{study}");
        assert_eq!(times.len(), 10);
    }
}
