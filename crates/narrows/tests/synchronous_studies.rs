//! Studies of synchronous models.

mod studies;

use narrows::{NoFiles, PreparedStudy};
use narrows_model::{Figure, FigureResult, Number};
use narrows_source::{Diagnostic, Severity};
use narrows_study::Analysis;
use studies::{budget, prepared, wrong};

/// Prepares a study; the error is what is wrong.
fn try_prepare(model: &str, study: &str) -> Result<PreparedStudy, Vec<String>> {
    let study = format!("model = \"m.smv\"\n{study}");
    prepared(&study, ("m.smv", model), &NoFiles, &|_| {}).map_err(|mut rejected| {
        rejected.diagnostics.retain(|one| one.severity == Severity::Error);
        wrong(&rejected, |one: &Diagnostic, sources| {
            let help = one.help.as_deref().unwrap_or("");
            format!("{} `{}` {help}", one.code, sources.text(one.primary.span))
        })
    })
}

fn figures(model: &str, study: &str) -> Result<Vec<Figure>, Vec<String>> {
    Ok(try_prepare(model, study)?.measure(&budget()).figures)
}

fn analysis(model: &str, study: &str) -> Analysis {
    try_prepare(model, study).expect("a study").analyse(&budget())
}

fn text(figure: &Figure) -> String {
    let number = |number: Number| match number {
        Number::Ratio(above, 1) => above.to_string(),
        Number::Ratio(above, below) => format!("{above}/{below}"),
        Number::Infinity => "∞".to_owned(),
        Number::Float(number) => number.to_string(),
    };
    match &figure.result {
        FigureResult::Value { low, high, .. } => {
            format!("{}..{} {}", number(*low), number(*high), figure.unit).trim_end().to_owned()
        }
        FigureResult::Word(word) => word.clone(),
        FigureResult::None(reason) => reason.clone(),
        other => format!("{other:?}"),
    }
}

/// A job takes 1 to MOST cycles, after a pause of 2 cycles, or of any length if it is lazy.
const WORKER: &str = "MODULE main
DEFINE MOST := 3; LAZY := FALSE;
VAR state : {pause, ready, work}; left : 0..MOST;
IVAR go : boolean;
ASSIGN
  init(state) := pause; init(left) := 0;
  next(state) := case
    state = pause : ready;
    state = ready & (go | !LAZY) : work;
    state = work & left = 0 : pause;
    TRUE : state;
  esac;
  next(left) := case
    next(state) = work & state = ready : {0, MOST - 1};
    left > 0 : left - 1;
    TRUE : 0;
  esac;
";

const ASKS: &str = "
[define]
busy = \"state = work\"
[resource]
worker = \"busy\"
other = \"state = ready\"
[event]
done = \"state = work & next(state) = pause\"
pushed = \"go & state = ready\"
[[ask]]
delay = { from = \"state = ready\", to = \"state = pause\" }
expect = [2, 4]
[[ask]]
count = { of = \"busy\", from = \"state = ready\", to = \"state = pause\" }
[[ask]]
max_count = { of = \"done\", from = \"state = ready\", to = \"state = pause\" }
[[ask]]
throughput = \"done\"
[[ask]]
throughput = \"pushed\"
[[ask]]
utilisation = \"worker\"
[[ask]]
overlap = [\"worker\", \"other\"]
[[ask]]
ltl = \"G (state = ready -> F busy)\"
[[ask]]
ctl = \"AG (busy -> AF state = pause)\"
[[ask]]
invariant = \"left < 2\"
expect = \"fails\"
[[ask]]
deadlock = true
[[ask]]
bottleneck = \"done\"
";

#[test]
fn questions_about_cycles_are_answered() {
    let found = figures(WORKER, ASKS).expect("a study");
    let texts: Vec<String> = found.iter().map(text).collect();
    let expected = [
        "2..4 cycles",
        "1..3",
        "1..1",
        // A round is pause, ready, and 1 or 3 cycles of work.
        "1/5..1/3 1/cycles",
        // Who need not be pushed may be pushed in each round, or never.
        "0..1/3 1/cycles",
        "1/3..3/5",
        "never",
        "holds",
        "holds",
        "fails",
        "holds",
        "worker",
    ];
    assert_eq!(texts, expected);
    for figure in &found {
        assert_ne!(figure.expected.as_ref().map(|(_, met)| *met), Some(false), "{}", figure.name);
        let needs_run = !["never", "holds", "worker"].contains(&text(figure).as_str());
        assert!(!needs_run || !figure.witnesses.is_empty(), "{}", figure.name);
        assert!(figure.notes.iter().all(|note| !note.contains("mistake")), "{:?}", figure.notes);
    }
}

#[test]
fn constants_are_those_of_the_study() {
    let constants = "[constant]\nMOST = 7\nLAZY = true\n";
    let found = figures(WORKER, &format!("{constants}{}", ASKS.replace("[2, 4]", "[2, \"infinity\"]")))
        .expect("a study");
    assert_eq!(text(&found[0]), "2..∞ cycles");
    assert_eq!(text(&found[3]), "0..1/3 1/cycles");
    assert!(found[0].expected.as_ref().is_some_and(|(_, met)| *met));
    // A frozen variable has the value it is given.
    let frozen =
        "MODULE main\nFROZENVAR n : 1..9;\nVAR x : 0..9;\nASSIGN init(x) := 0; next(x) := x < n ? x + 1 : x;";
    let ask = "[[ask]]\nmax_delay = { from = \"x = 0\", to = \"x = n\" }\n";
    assert_eq!(text(&figures(frozen, ask).expect("a study")[0]), "9..9 cycles");
    assert_eq!(
        text(&figures(frozen, &format!("[constant]\nn = 4\n{ask}")).expect("a study")[0]),
        "4..4 cycles"
    );
}

#[test]
fn what_is_wrong_is_said_where_it_is() {
    let wrong = |study: &str| figures(WORKER, study).expect_err("something is wrong");
    assert_eq!(wrong("[constant]\nMOSt = 2"), ["V0219 `MOSt` did you mean `MOST`?"]);
    assert_eq!(wrong("[sweep]\nLASY = [true]"), ["V0219 `LASY` did you mean `LAZY`?"]);
    assert_eq!(wrong("[resource]\na = \"stat = work\""), ["V0201 `stat` did you mean `state`?"]);
    let inputs = wrong("[resource]\na = \"go\"");
    assert!(inputs[0].starts_with("V0213 `go`"), "{inputs:?}");
    let delays = wrong("unit = \"us\"\n[delay]\n\"main:a\" = { fixed = 1 }");
    assert!(delays[0].starts_with("S0015 `\"main:a\"`"), "{delays:?}");
    assert_eq!(wrong("[signal]\na = \"{1, 2}\""), ["S0016 `{1, 2}` "]);
    let cell = wrong("[[ask]]\ndeadlock = true\ncell = [\"a\", \"b\"]");
    assert!(cell[0].starts_with("S0006"), "{cell:?}");
}

#[test]
fn what_has_no_answer_says_why() {
    let means = "[[ask]]\nmean_delay = { from = \"state = ready\", to = \"state = pause\" }\n\
                 [[ask]]\nthroughput = \"state = work\"\nview = \"stochastic\"";
    for figure in figures(WORKER, means).expect("a study") {
        assert!(text(&figure).contains("how likely"), "{}", text(&figure));
    }
    let large = "MODULE main\nVAR x : array 0..29 of boolean;\nASSIGN next(x[0]) := !x[0];";
    let found = figures(large, "[[ask]]\nthroughput = \"x[0]\"").expect("a study");
    assert!(text(&found[0]).contains("there are 1073741824"), "{}", text(&found[0]));
    let fair = "MODULE main\nVAR x : boolean;\nFAIRNESS x";
    let found = figures(fair, "[[ask]]\nthroughput = \"x\"").expect("a study");
    assert_eq!(text(&found[0]), "0..1 1/cycles");
    assert!(found[0].notes.iter().any(|note| note.contains("fair")));
}

#[test]
fn what_others_found_stands_beside_it() {
    let asks = "reference = \"paper\"\n[[ask]]\ndelay = { from = \"state = ready\", to = \"state = pause\" }\n\
                reference = [2, 4]\ncell = [\"t\", \"r\", \"c\"]\n\
                [[ask]]\ndelay = { from = \"state = ready\", to = \"state = pause\" }\nreference = [2, 5]\n\
                [[ask]]\nmax_delay = { from = \"state = ready\", to = \"state = pause\" }\nreference = \"∞\"\n";
    let found = figures(WORKER, asks).expect("a study");
    let told: Vec<(String, bool)> = found
        .iter()
        .filter_map(|figure| figure.reference.as_ref())
        .map(|one| (format!("{} {}", one.source, one.found), one.agrees))
        .collect();
    let expected = [("paper 2 to 4", true), ("paper 2 to 5", false), ("paper infinity", false)];
    assert_eq!(told, expected.map(|(text, agrees)| (text.to_owned(), agrees)));
    assert_eq!(found[0].cell, Some(["t", "r", "c"].map(str::to_owned)));
}

#[test]
fn the_bottleneck_is_what_is_busy() {
    let found = analysis(WORKER, ASKS);
    let bottleneck = &found.bottleneck;
    assert_eq!(bottleneck.overlaps.len(), 1);
    assert_eq!(text(&bottleneck.overlaps[0].answers[0]), "never");
    let flow = bottleneck.flows.iter().find(|flow| flow.event == "done").expect("it is asked for");
    let names: Vec<&str> = flow.cases.iter().map(|case| case.name).collect();
    assert_eq!(names, ["worst", "best"]);
    let worst = &flow.cases[0];
    assert_eq!((worst.period, worst.count), (Number::Ratio(5, 1), 1));
    assert_eq!(worst.busy, [Number::Ratio(3, 5), Number::Ratio(1, 5)]);
    let parts: Vec<(&str, Number)> =
        worst.critical.iter().map(|link| (link.delay.as_str(), link.part)).collect();
    assert!(parts.contains(&("worker", Number::Ratio(3, 5))), "{parts:?}");
    assert!(parts.contains(&("nothing busy", Number::Ratio(1, 5))), "{parts:?}");
    let said = flow.findings.join(" ");
    assert!(said.contains("`worker` is most: 60 % of the time"), "{said}");
    assert!(said.contains("`worker` and `other` are never busy at the same time"), "{said}");
    let diagram = bottleneck.diagrams.iter().find(|diagram| diagram.variable == "state").expect("it changes");
    assert_eq!(diagram.changes.len(), 3);
}

/// Throughput by hand: every cycle of a small random graph is tried.
#[test]
fn throughput_is_that_of_the_best_and_worst_cycle() {
    let mut random = narrows_graph::Random::new(7);
    let mut next = |bound: u64| random.below(bound);
    for _ in 0..30 {
        let count = 2 + next(5) as usize;
        let targets: Vec<Vec<usize>> = (0..count)
            .map(|_| {
                let mut list: Vec<usize> = (0..=next(3)).map(|_| next(count as u64) as usize).collect();
                list.sort_unstable();
                list.dedup();
                list
            })
            .collect();
        let marked: Vec<bool> = (0..count).map(|_| next(2) == 0).collect();
        let branch = |(from, list): (usize, &Vec<usize>)| {
            let list: Vec<String> = list.iter().map(ToString::to_string).collect();
            format!("x = {from} : {{{}}};", list.join(", "))
        };
        let cases: Vec<String> = targets.iter().enumerate().map(branch).collect();
        let model = format!(
            "MODULE main\nVAR x : 0..{};\nASSIGN init(x) := 0; next(x) := case {} TRUE : x; esac;",
            count - 1,
            cases.join(" ")
        );
        let members: Vec<String> =
            (0..count).filter(|one| marked[*one]).map(|one| format!("x = {one}")).collect();
        let event = if members.is_empty() { "FALSE".to_owned() } else { members.join(" | ") };
        let found = figures(&model, &format!("[[ask]]\nthroughput = \"{event}\"")).expect("a study");
        let (low, high) = extremes(&targets, &marked);
        let number = |(above, below): (i128, i128)| {
            let time = num_rational::Ratio::new(above, below);
            Number::Ratio(*time.numer(), *time.denom())
        };
        let expected = FigureResult::Value { low: number(low), high: number(high), exact: true };
        assert_eq!(found[0].result, expected, "{model}\n{event}");
    }
}

/// Returns the least and the greatest share of marked states on a simple cycle that can be reached from 0.
fn extremes(targets: &[Vec<usize>], marked: &[bool]) -> ((i128, i128), (i128, i128)) {
    let mut reached = vec![0];
    let mut next = 0;
    while next < reached.len() {
        for target in &targets[reached[next]] {
            if !reached.contains(target) {
                reached.push(*target);
            }
        }
        next += 1;
    }
    let mut ratios: Vec<(i128, i128)> = Vec::new();
    let mut paths: Vec<Vec<usize>> = reached.iter().map(|start| vec![*start]).collect();
    while let Some(path) = paths.pop() {
        for target in &targets[path[path.len() - 1]] {
            if *target == path[0] {
                let count = path.iter().filter(|state| marked[**state]).count();
                ratios.push((count as i128, path.len() as i128));
            } else if !path.contains(target) {
                paths.push(path.iter().copied().chain([*target]).collect());
            }
        }
    }
    let less = |one: &(i128, i128), other: &(i128, i128)| (one.0 * other.1).cmp(&(other.0 * one.1));
    let low = *ratios.iter().min_by(|one, other| less(one, other)).expect("a cycle");
    let high = *ratios.iter().max_by(|one, other| less(one, other)).expect("a cycle");
    (low, high)
}

/// Sets of states of two multipliers are too large, and induction needs none.
#[test]
fn satisfiability_answers_formulas_of_studies() {
    let model = "MODULE main
        VAR a : unsigned word[40]; b : unsigned word[40];
        ASSIGN init(a) := 0ud40_1; next(a) := a * b + 0ud40_1;
               init(b) := 0ud40_3; next(b) := b * a + 0ud40_2;";
    let study = "[[ask]]\ninvariant = \"a[0:0] = 0ud1_1 | b[0:0] = 0ud1_1\"\n";
    let little = narrows::Budget { memory: 1 << 25, ..budget() };
    let figures = try_prepare(model, study).expect("a study").measure(&little).figures;
    assert_eq!(figures[0].result, FigureResult::Word("holds".to_owned()));
}
