//! Simulation against the exact views.

mod studies;

use std::fmt::Write as _;

use narrows::{Budget, Figure, FigureResult, Limit, NoFiles, PreparedStudy};
use narrows_study::StudyEngine;
use studies::{budget, prepared, wrong};

const TANDEM: &str = "byte n, m;
    active proctype source() { do :: arrive: n < 4 -> n++ od }
    active proctype first() { do :: move: n > 0 && m < 3 -> d_step { n--; m++ } od }
    active proctype second() { do :: leave: m > 0 -> m-- od }";

const TANDEM_STUDY: &str = "unit = \"s\"
    [delay]
    \"source:arrive\" = { exponential = 1 }
    \"first:move\" = { erlang = 0.8, stages = 2 }
    \"second:leave\" = { exponential = 0.7 }
    [event]
    out = \"second:leave\"
    [[ask]]
    throughput = \"out\"
    view = \"stochastic\"
    [[ask]]
    utilisation = \"m == 3\"
    [[ask]]
    latency = { from = \"source:arrive\", to = \"second:leave\" }
    view = \"stochastic\"";

const FORK_JOIN: &str = "byte a, b, done;
    active proctype fork() { do :: begin: a == 0 && b == 0 && done == 0 -> d_step { a = 1; b = 1 } od }
    active proctype left() { do :: work: a == 1 -> d_step { a = 0; done++ } od }
    active proctype right() { do :: work: b == 1 -> d_step { b = 0; done++ } od }
    active proctype join() { do :: done == 2 -> over: done = 0 od }";

const FORK_JOIN_STUDY: &str = "unit = \"s\"
    [delay]
    \"fork:begin\" = { exponential = 2 }
    \"left:work\" = { exponential = 1 }
    \"right:work\" = { exponential = 1 }
    [[ask]]
    throughput = \"join:over\"
    view = \"stochastic\"
    [[ask]]
    duration = \"a == 1 || b == 1\"
    view = \"stochastic\"
    [[ask]]
    utilisation = \"a == 1 && b == 1\"";

fn prepare(model: &str, study: &str) -> PreparedStudy {
    let study = format!("model = \"m.pml\"\n{study}");
    prepared(&study, ("m.pml", model), &NoFiles, &|_| {}).unwrap_or_else(|rejected| {
        panic!("{:?} in\n{model}\n{study}", wrong(&rejected, |one, _| one.title.clone()))
    })
}

fn interval(figure: &Figure) -> (f64, f64) {
    match &figure.result {
        FigureResult::Value { low, high, .. } => (low.to_f64(), high.to_f64()),
        FigureResult::Estimated { low, high, .. } => (*low, *high),
        other => panic!("{} {}: {other:?}", figure.kind, figure.name),
    }
}

/// Simulates a study with delays as they are.
fn simulated(study: &mut PreparedStudy, seed: u64, accuracy: f64) -> Vec<Figure> {
    study.study.simulation.engine = StudyEngine::Simulation;
    study.study.simulation.seed = seed;
    study.study.simulation.accuracy = accuracy;
    study.measure(&budget()).figures
}

/// Returns how many intervals of so many simulations contain the truth, for each question.
fn covered(prepared: &mut PreparedStudy, seeds: u64, accuracy: f64) -> Vec<u64> {
    let exact: Vec<(f64, f64)> = prepared.measure(&budget()).figures.iter().map(interval).collect();
    assert!(exact.iter().all(|(low, high)| high - low <= 1e-4 * high), "{exact:?}");
    let mut covered = vec![0; exact.len()];
    for seed in 0..seeds {
        for (place, figure) in simulated(prepared, seed, accuracy).iter().enumerate() {
            assert_eq!(figure.view, "simulated");
            let ((low, high), (least, most)) = (interval(figure), exact[place]);
            covered[place] += u64::from(low <= most && least <= high);
        }
    }
    covered
}

/// Of 1 000 intervals, about 990 contain the truth.
fn check_coverage(model: &str, study: &str) {
    let covered = covered(&mut prepare(model, study), 1_000, 0.03);
    assert!(covered.iter().all(|count| (970..1_000).contains(count)), "{covered:?}");
}

#[test]
fn a_pipeline_is_covered() {
    check_coverage(TANDEM, TANDEM_STUDY);
}

#[test]
fn forks_and_joins_are_covered() {
    check_coverage(FORK_JOIN, FORK_JOIN_STUDY);
}

/// What is gained, and the way to something.
#[test]
fn rewards_and_ways_are_covered() {
    let study = "unit = \"s\"
        [delay]
        \"source:arrive\" = { exponential = 1 }
        \"first:move\" = { erlang = 0.8, stages = 2 }
        \"second:leave\" = { exponential = 0.7 }
        [resource]
        busy = \"n > 0\"
        [reward.energy]
        unit = \"J\"
        rate_reward = { busy = 3, \"m\" = 0.5 }
        event_reward = { \"second:leave\" = 2 }
        [[ask]]
        reward = \"energy\"
        [[ask]]
        reward = { of = \"energy\", per = \"second:leave\" }
        [[ask]]
        reward = { of = \"energy\", to = \"m == 2\" }
        [[ask]]
        mean_time = { to = \"second:leave\" }
        [[ask]]
        probability = { to = \"n == 2\", before = 2.5 }";
    let mut prepared = prepare(TANDEM, study);
    let covered = covered(&mut prepared, 150, 0.05);
    assert!(covered.iter().all(|count| (144..=150).contains(count)), "{covered:?}");
    let figures = simulated(&mut prepared, 1, 0.05);
    let units: Vec<&str> = figures.iter().map(|figure| figure.unit.as_str()).collect();
    assert_eq!(units, ["J/s", "J", "J", "s", ""]);
}

/// Labels have rewards and targets too; what may never come has no mean.
#[test]
fn ways_of_graphs_are_estimated() {
    let graph = "des (0, 4, 4)\n(0, \"GO\", 1)\n(1, \"WORK\", 0)\n(1, \"BREAK\", 2)\n(2, \"MEND\", 3)\n";
    let study = "model = \"m.aut\"\nunit = \"s\"
        [delay]\nGO = { exponential = 1 }\nWORK = { exponential = 0.5 }\nBREAK = { exponential = 2 }
        MEND = { exponential = 4 }
        [reward.cost]\nunit = \"EUR\"\nrate_reward = { WORK = 3 }\nevent_reward = { GO = 2, WORK = 1 }
        [[ask]]\nmean_time = { to = \"BREAK\" }
        [[ask]]\nreward = { of = \"cost\", to = \"BREAK\" }
        [[ask]]\nprobability = { to = \"WORK\" }
        [[ask]]\nmean_time = { to = \"WORK\" }";
    let Ok(mut prepared) = prepared(study, ("m.aut", graph), &NoFiles, &|_| {}) else {
        panic!("it is refused")
    };
    let mut missed = [0; 3];
    for seed in 1..=40 {
        let figures = simulated(&mut prepared, seed, 0.03);
        for (place, truth) in [7.0, 20.0, 0.8].into_iter().enumerate() {
            let (low, high) = interval(&figures[place]);
            assert!(high - low < 0.07 * truth, "{:?}", figures[place]);
            missed[place] += u32::from(truth < low || high < truth);
        }
    }
    assert!(missed.iter().all(|count| *count <= 2), "{missed:?}");
    let figures = simulated(&mut prepared, 1, 0.03);
    let FigureResult::None(reason) = &figures[3].result else { panic!("{:?}", figures[3]) };
    assert!(reason.starts_with("It may never come to that"), "{reason}");
}

/// Writes a closed network of processes that pass tokens on, with weights and choices that are left open.
fn random_network(seed: u64) -> (String, String) {
    let mut random = narrows_graph::Random::new(seed);
    let places = random.between(2, 4);
    let mut model = format!("byte at[{places}];\ninit {{ at[0] = {} }}\n", random.between(1, 3));
    let mut study = "unit = \"s\"\n[delay]\n".to_owned();
    let mut asks = String::new();
    for place in 0..places {
        let next = random.index(places);
        let other = (place + 1) % places;
        let random_choice = format!(
            "do :: at[{place}] > 0 -> go: at[{place}]--; if :: pick: at[{next}]++ :: at[{other}]++ fi od"
        );
        let _ = writeln!(model, "active proctype P{place}() {{ {random_choice} }}");
        let mean = random.between(1, 5);
        let delay = if random.one_in(3) {
            format!("erlang = {mean}, stages = 3")
        } else {
            format!("exponential = {mean}")
        };
        let _ = writeln!(study, "\"P{place}:go\" = {{ {delay} }}");
        let _ = writeln!(asks, "[[ask]]\nthroughput = \"P{place}:go\"\nview = \"stochastic\"");
        let _ = writeln!(asks, "[[ask]]\nutilisation = \"at[{place}] > 0\"");
    }
    (model, format!("{study}{asks}"))
}

#[test]
fn random_models_agree_with_the_exact_views() {
    let (mut compared, mut inside) = (0, 0);
    for seed in 0..40 {
        let (model, study) = random_network(seed);
        let mut prepared = prepare(&model, &study);
        let exact = prepared.measure(&budget()).figures;
        for (one, exact) in simulated(&mut prepared, seed, 0.02).iter().zip(&exact) {
            let (least, most) = interval(exact);
            let (low, high) = match &one.result {
                FigureResult::Estimated { low, high, .. } => (*low, *high),
                // What never happens was not seen.
                _ => {
                    assert!(most < 1e-3, "{seed}: {one:?}\n{model}");
                    continue;
                }
            };
            compared += 1;
            inside += i32::from(low <= most && least <= high);
        }
    }
    assert!(compared >= 150, "{compared}");
    assert!(f64::from(inside) >= 0.97 * f64::from(compared), "{inside} of {compared}");
}

#[test]
fn delays_of_any_distribution_are_simulated() {
    let model = "byte n; active proctype P() { do :: a: n = 1 - n od }";
    let study = |delay: &str, more: &str| {
        format!("unit = \"s\"\n[delay]\n\"P:a\" = {{ {delay} }}\n[[ask]]\nthroughput = \"P:a\"\n{more}")
    };
    for delay in [
        "normal = 4, deviation = 1",
        "lognormal = 4, deviation = 6",
        "weibull = 4, shape = 0.7",
        "pareto = 4, shape = 3.5",
    ] {
        let figures = prepare(model, &study(delay, "")).measure(&budget()).figures;
        let (low, high) = interval(&figures[0]);
        assert!(low <= 0.25 && 0.25 <= high && high - low < 0.006, "{delay}: {low} {high}");
        assert_eq!((figures[0].view, figures.len()), ("simulated", 1));
        let refused = prepare(model, &study(delay, "view = \"stochastic\"")).measure(&budget()).figures;
        assert!(
            matches!(&refused[0].result, FigureResult::None(reason) if reason.contains("simulated view"))
        );
    }
}

#[test]
fn what_the_exact_views_leave_undecided_is_estimated() {
    let mut prepared = prepare(TANDEM, TANDEM_STUDY);
    let exact: Vec<(f64, f64)> = prepared.measure(&budget()).figures.iter().map(interval).collect();
    // As if memory was exhausted while a view is built, and not in a simulation.
    let small = Budget { memory: 4_000, ..budget() };
    let figures = prepared.measure(&small).figures;
    for (figure, (low, high)) in figures.iter().zip(&exact) {
        let FigureResult::Estimated { low: least, high: most, .. } = figure.result else {
            panic!("{:?}", figure.result)
        };
        assert!(least <= *high && *low <= most, "{figure:?}");
        assert!(figure.notes[0].starts_with("The stochastic view is undecided"), "{:?}", figure.notes);
    }
    prepared.study.simulation.engine = StudyEngine::Exact;
    let figures = prepared.measure(&small).figures;
    assert!(figures.iter().all(|figure| figure.limit() == Some(Limit::Memory)));
}

/// Returns whether the first figure is as expected, if that is decided.
fn met(expect: &str) -> Option<bool> {
    let study = "unit = \"s\"\n[delay]\n\"P:a\" = { exponential = 2 }\n[[ask]]\nthroughput = \"P:a\"\n";
    let model = "byte n; active proctype P() { do :: a: n = 1 - n od }";
    let mut prepared = prepare(model, &format!("{study}expect = {expect}"));
    let figures = simulated(&mut prepared, 1, 0.01);
    assert_eq!(figures[0].is_open(), figures[0].expected.is_none());
    figures[0].expected.as_ref().map(|(_, met)| *met)
}

#[test]
fn an_interval_decides_or_does_not() {
    assert_eq!(met("[0.45, 0.55]"), Some(true));
    assert_eq!(met("[0.6, 0.7]"), Some(false));
    assert_eq!(met("0.4"), Some(false));
    assert_eq!(met("0.5"), None);
    assert_eq!(met("[0.5, 0.7]"), None);
}
