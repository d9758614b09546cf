//! How long requests take: studies of all forms against closed forms, by hand, and by brute force on random
//! models.

mod labelled;
mod studies;

use std::collections::HashSet;
use std::fmt::Write;

use labelled::{assert_near, bounds, figures, lotos, reason, try_figures};
use narrows_graph::Random;
use narrows_model::{Figure, Number};

const QUEUE: &str = "byte n;
    active proctype A() { do :: arrive: d_step { n < 5 -> n++ } od }
    active proctype S() { do :: serve: d_step { n > 0 -> n-- } od }";

const DELAYS: &str = "[delay]\n\"A:arrive\" = { exponential = 0.5 }\n\"S:serve\" = { exponential = 0.4 }\n";

/// How likely it is that so many exponential times with a rate are over by then.
fn erlang(stages: u32, rate: f64, time: f64) -> f64 {
    let mut term = f64::exp(-rate * time);
    let mut rest = 0.0;
    for number in 0..stages {
        rest += term;
        term *= rate * time / f64::from(number + 1);
    }
    1.0 - rest
}

/// How likely it is that somebody who gets into the queue has left it by then.
fn left(time: f64) -> f64 {
    let all: f64 = (0..5).map(|number| 0.8_f64.powi(number)).sum();
    (0..5).map(|number| 0.8_f64.powi(number as i32) / all * erlang(number + 1, 2.5, time)).sum()
}

/// The time by which such a part has left.
fn quantile(part: f64) -> f64 {
    let (mut low, mut high) = (0.0, 100.0);
    for _ in 0..100 {
        let middle = f64::midpoint(low, high);
        if left(middle) < part { low = middle } else { high = middle }
    }
    low
}

fn is_exact(figure: &Figure) -> bool {
    matches!(figure.result, narrows_model::FigureResult::Value { exact: true, .. })
}

#[test]
fn a_queue_has_its_percentiles_in_all_languages() {
    let ask = "[[ask]]\nlatency = { from = \"A:arrive\", to = \"S:serve\" }\npercentile = [50, 99, 99.9]\n\
        [[ask]]\nlatency = { from = \"A:arrive\", to = \"S:serve\" }\npercentile = 90\nexpect = 2.19";
    let promela = figures("m.pml", QUEUE, &format!("{DELAYS}{ask}"));
    let graph = "des (0, 10, 6)\n(0, \"ARRIVE\", 1)\n(1, \"ARRIVE\", 2)\n(2, \"ARRIVE\", 3)\n(3, \"ARRIVE\", 4)\n\
         (4, \"ARRIVE\", 5)\n(1, \"SERVE\", 0)\n(2, \"SERVE\", 1)\n(3, \"SERVE\", 2)\n(4, \"SERVE\", 3)\n(5, \"SERVE\", 4)";
    let study =
        format!("{DELAYS}{ask}").replace("\"A:arrive\"", "\"ARRIVE\"").replace("\"S:serve\"", "\"SERVE\"");
    let aut = figures("m.aut", graph, &study);
    let all: f64 = (0..5).map(|number| 0.8_f64.powi(number)).sum();
    let mean: f64 = (0..5).map(|number| 0.4 * f64::from(number + 1) * 0.8_f64.powi(number) / all).sum();
    for found in [&promela, &aut] {
        assert_near(&found[0], mean);
        assert!(found[0].notes[0].starts_with("Little's law agrees: "), "{:?}", found[0].notes);
        for (figure, part) in found[1..4].iter().zip([0.5, 0.99, 0.999]) {
            assert_near(figure, quantile(part));
            assert_eq!(figure.kind, "percentile");
        }
        assert!(found[3].name.ends_with(", 99.9 %"), "{}", found[3].name);
        // One percentile alone is the answer, and may be expected.
        assert_near(&found[4], quantile(0.9));
        assert_eq!(found[4].expected, Some(("2.19".to_owned(), true)));
        assert!(found[4].name.ends_with(", 90 %"), "{}", found[4].name);
        let curve = &found[0].curve;
        assert_eq!(curve.len(), 101);
        for point in curve {
            let is = left(point.time);
            assert!(point.low <= is + 1e-12 && is - 1e-12 <= point.high && point.high - point.low < 1e-9);
        }
    }
}

#[test]
fn a_queue_by_hand_in_the_timed_view() {
    // One comes every 3, and is served within 4 or 5 as soon as it is its turn: with room for two, the third
    // waits.
    let text = "byte n; bit busy;
        active proctype A() { do :: arrive: d_step { n < 2 -> n++ } od }
        active proctype S() { do :: begin: d_step { n > 0 && !busy -> busy = 1 }; serve: d_step { n--; busy = 0 } od }";
    let study = "[delay]\n\"A:arrive\" = { fixed = 3 }\n\"S:serve\" = { between = [4, 5] }\n
        [[ask]]\nlatency = { from = \"A:arrive\", to = \"S:serve\" }\nview = \"timed\"
        [[ask]]\nperiod = \"S:serve\"\nview = \"timed\"
        [[ask]]\nduration = \"n == 2\"\nview = \"timed\"";
    let found = figures("m.pml", text, study);
    assert!(found.iter().all(is_exact));
    // The first finds nobody. Later, one has been served for 0 to 3 when the next comes, and that takes 4 or
    // 5 more after the rest of it: arrivals come 3 after there is room.
    let (least, most) = bounds(&found[0]);
    assert_eq!((least, bounds(&found[1])), (4.0, (4.0, 5.0)));
    let witness = &found[0].witnesses;
    assert_eq!(witness.len(), 2);
    for (_, run) in witness {
        assert!(!run.times.is_empty());
    }
    // By brute force, below.
    assert_eq!((most, bounds(&found[2])), (7.0, (1.0, 2.0)));
}

/// Each of some workers is busy between its two statements; who begins and ends is told apart by process.
#[test]
fn processes_are_told_apart() {
    let text = "active [3] proctype P() { do :: rest: skip; work: skip od }";
    let study = "[delay]\n\"P:rest\" = { exponential = 1 }\n\"P:work\" = { exponential = 2 }\n
        [[ask]]\nlatency = { from = \"P:rest\", to = \"P:work\", by = \"_pid\" }\npercentile = [90]
        [[ask]]\nlatency = { from = \"P:rest\", to = \"P:work\" }
        [[ask]]\nlatency = { from = \"P:rest\", to = \"P:work\", order = \"lifo\" }\npercentile = 90
        [[ask]]\nlatency = { from = \"P:rest\", to = \"P:work\" }\npercentile = 90";
    let found = figures("m.pml", text, study);
    assert_near(&found[0], 2.0);
    assert_near(&found[1], -2.0 * f64::ln(0.1));
    // In any order the mean is the same, and the rest is not.
    assert_near(&found[2], 2.0);
    let late = [4, 3, 1].map(|one: usize| bounds(&found[one]));
    assert!(late[0].1 * 1.1 < late[1].0 && late[1].1 * 1.01 < late[2].0, "{late:?}");
    let timed = study.replace("exponential = 1", "fixed = 1").replace("exponential = 2", "between = [2, 4]");
    let timed = timed.replace("percentile = [90]", "view = \"timed\"");
    assert_eq!(bounds(&figures("m.pml", text, &timed)[0]), (2.0, 4.0));
    // In LOTOS, by the first value.
    let behaviours = "specification S [rest, work] : noexit library Natural endlib behaviour
          P [rest, work] (1) ||| P [rest, work] (2) ||| P [rest, work] (3) where
        process P [rest, work] (n : Nat) : noexit := rest !n; work !n; P [rest, work] (n) endproc endspec";
    let study = "[delay]\nrest = { exponential = 1 }\nwork = { exponential = 2 }\n
        [[ask]]\nlatency = { from = \"rest\", to = \"work\", by = 1 }\npercentile = [90]
        [[ask]]\nlatency = { from = \"rest\", to = \"work\", by = 2 }";
    let same = lotos(behaviours, study);
    assert_near(&same[0], 2.0);
    assert_near(&same[1], -2.0 * f64::ln(0.1));
    assert!(reason(&same[2]).contains("has no value number 2"));
}

#[test]
fn a_flag_that_falls_and_rises_in_no_time_is_seen() {
    // The flag is down for no time at all between two jobs.
    let text = "bit up; active proctype P() { do :: rise: up = 1; hold: skip; up = 0 od }";
    let study = "[delay]\n\"P:hold\" = { exponential = 3 }\n[[ask]]\nduration = \"up\"\npercentile = 50
        [[ask]]\nduration = \"up\"\n[[ask]]\nduration = \"!up\"";
    let found = figures("m.pml", text, study);
    assert_near(&found[0], 3.0 * f64::ln(2.0));
    assert_near(&found[1], 3.0);
    assert_eq!(bounds(&found[2]), (0.0, 0.0));
    let timed = study.replace("exponential", "fixed").replace("percentile = 50", "view = \"timed\"");
    let found = figures("m.pml", text, &timed);
    assert_eq!([&found[0], &found[1]].map(bounds), [(3.0, 3.0); 2]);
}

#[test]
fn synchronous_systems_have_latencies_in_cycles() {
    let text = "MODULE main\nVAR n : 0..2; m : 0..3;\nIVAR go : boolean;\nASSIGN\n  init(n) := 0; init(m) := 0;
          next(m) := (m + 1) mod 4;
          next(n) := case m = 3 & n > 0 & !(go & n < 2) : n - 1; go & n < 2 & m != 3 : n + 1; TRUE : n; esac;\n";
    let study = "[event]\nin = \"next(n) = n + 1\"\nout = \"next(n) = n - 1\"
        [[ask]]\nlatency = { from = \"in\", to = \"out\" }\n[[ask]]\nduration = \"n = 2\"\n[[ask]]\nperiod = \"out\"
        [[ask]]\nlatency = { from = \"in\", to = \"out\" }\npercentile = [50]";
    let found = figures("m.smv", text, &study.replace("unit = \"s\"", ""));
    assert!(found[..3].iter().all(is_exact));
    // In with m = 2, out with m = 3; or in with m = 0 as the second, out after the next round.
    assert!((bounds(&found[0]).0 - 1.0).abs() < 1e-12);
    assert!(reason(&found[3]).contains("does not say how likely"));
}

#[test]
fn open_choices_give_a_range_and_no_percentile() {
    let text = "byte x;
        active proctype A() { do :: come: x == 0 -> if :: x = 1 :: x = 2 fi od }
        active proctype F() { do :: quick: d_step { x == 1 -> x = 3 } od }
        active proctype S() { do :: slow: d_step { x == 2 -> x = 3 } od }
        active proctype B() { do :: go: d_step { x == 3 -> x = 0 } od }";
    let study = "[delay]\n\"A:come\" = { exponential = 1 }\n\"F:quick\" = { exponential = 1 }\n\"S:slow\" = { exponential = 4 }\n
        [[ask]]\nlatency = { from = \"A:come\", to = \"B:go\" }\npercentile = [50]";
    let found = figures("m.pml", text, study);
    let (low, high) = bounds(&found[0]);
    assert!((low - 1.0).abs() < 1e-5 && (high - 4.0).abs() < 1e-5, "{low} {high}");
    assert!(reason(&found[1]).contains("choices open"));
}

#[test]
fn mistakes_are_told() {
    let wrong =
        |ask: &str| try_figures("m.pml", QUEUE, &format!("{DELAYS}[[ask]]\n{ask}")).unwrap_err().join("; ");
    assert!(wrong("latency = { from = \"A:arrive\" }").contains("`latency` needs `to`"));
    assert!(wrong("latency = { from = \"n > 0\", to = \"S:serve\" }").contains("there is no event `n > 0`"));
    assert!(
        wrong("latency = { from = \"A:arrive\", to = \"S:serve\", order = \"last\" }")
            .contains("`fifo`, `lifo`")
    );
    assert!(
        wrong("latency = { from = \"A:arrive\", to = \"S:serve\", by = \"nobody\" }")
            .contains("`nobody` means nothing to `A`")
    );
    assert!(
        wrong("latency = { from = \"A:arrive\", to = \"S:serve\" }\npercentile = [100]")
            .contains("below 100")
    );
    assert!(wrong("throughput = \"S:serve\"\npercentile = 50").contains("those of a `latency`"));
    // Nobody is ever served who would end what has begun.
    let study = format!("{DELAYS}[[ask]]\nlatency = {{ from = \"A:arrive\", to = \"A:nope\" }}");
    let text = QUEUE.replace("n++ }", "n++ } :: nope: n > 9");
    assert!(reason(&figures("m.pml", &text, &study)[0]).contains("more than 4096 requests are open"));
}

/// A line of stages, with random rooms and delays.
fn random_line(random: &mut Random, stages: usize) -> (String, String) {
    let mut text = String::new();
    for stage in 0..=stages {
        let _ = writeln!(text, "byte n{stage};");
    }
    let mut delays = "[delay]\n".to_owned();
    for stage in 0..=stages {
        let room = 1 + random.below(3);
        let take = if stage == 0 { String::new() } else { format!("n{}--; ", stage - 1) };
        let has = if stage == 0 { String::new() } else { format!("n{} > 0 && ", stage - 1) };
        let (give, fits) = if stage == stages {
            ("skip".to_owned(), "true".to_owned())
        } else {
            (format!("n{stage}++"), format!("n{stage} < {room}"))
        };
        let _ = writeln!(
            text,
            "active proctype P{stage}() {{ do :: go: d_step {{ {has}{fits} -> {take}{give} }} od }}"
        );
        let _ = writeln!(delays, "\"P{stage}:go\" = {{ exponential = {} }}", 1 + random.below(9));
    }
    (text, delays)
}

/// The note says so where both agree; and the means of the stages add up to that of the whole.
#[test]
fn littles_law_holds_in_random_lines() {
    let mut random = Random::new(19);
    for _ in 0..12 {
        let stages = 1 + random.below(3) as usize;
        let (text, delays) = random_line(&mut random, stages);
        let ask = |from: usize, to: usize, order: &str| {
            format!(
                "[[ask]]\nlatency = {{ from = \"P{from}:go\", to = \"P{to}:go\", order = \"{order}\" }}\n"
            )
        };
        let mut study = delays + &ask(0, stages, "fifo") + &ask(0, stages, "lifo");
        (0..stages).for_each(|stage| study += &ask(stage, stage + 1, "fifo"));
        let found = figures("m.pml", &text, &study);
        for figure in &found {
            assert!(figure.notes[0].starts_with("Little's law agrees: "), "{:?}\n{text}", figure.notes);
        }
        let middle = |figure: &Figure| f64::midpoint(bounds(figure).0, bounds(figure).1);
        let sum: f64 = found[2..].iter().map(middle).sum();
        assert!((middle(&found[0]) / sum - 1.0).abs() < 1e-5 && (middle(&found[1]) / sum - 1.0).abs() < 1e-5);
    }
}

/// A clock that ticks one by one, and requests in a list: the least and the most over all runs of some
/// length, against the exact bounds. Lines have ranges of delays and room for few, so that all is seen soon.
#[test]
fn least_and_most_agree_with_brute_force() {
    let mut random = Random::new(5);
    let mut compared = 0;
    for _ in 0..40 {
        let (rooms, windows) = (
            1 + random.below(2) as u32,
            [(); 2].map(|()| {
                let least = 1 + random.below(3) as u32;
                (least, least + random.below(3) as u32)
            }),
        );
        let text = format!(
            "byte n; active proctype A() {{ do :: come: d_step {{ n < {rooms} -> n++ }} od }}
             active proctype B() {{ do :: go: d_step {{ n > 0 -> n-- }} od }}"
        );
        let window = |(least, most): (u32, u32)| format!("{{ between = [{least}, {most}] }}");
        let study = format!(
            "[delay]\n\"A:come\" = {}\n\"B:go\" = {}\n[[ask]]\nlatency = {{ from = \"A:come\", to = \"B:go\", order = \"{}\" }}\n\
             view = \"timed\"",
            window(windows[0]),
            window(windows[1]),
            if random.one_in(2) { "lifo" } else { "fifo" },
        );
        let is_last = study.contains("lifo");
        let found = figures("m.pml", &text, &study);
        let mut brute = Brute { rooms, windows, is_last, least: u32::MAX, most: 0, seen: HashSet::default() };
        brute.run();
        let FigureValue(low, high) = FigureValue::of(&found[0]);
        if high.is_none() {
            // Who comes first may wait for ever if the last are served first.
            assert!(is_last && brute.most == ENDLESS, "{study}");
            continue;
        }
        assert_eq!((low, high), (brute.least, Some(brute.most)), "{text}\n{study}");
        compared += 1;
    }
    assert!(compared >= 20);
}

/// Whole numbers; `None` is infinity.
struct FigureValue(u32, Option<u32>);

impl FigureValue {
    fn of(figure: &Figure) -> FigureValue {
        let narrows_model::FigureResult::Value { low, high, .. } = &figure.result else {
            panic!("{:?}", figure.result)
        };
        let whole = |number: &Number| (*number != Number::Infinity).then(|| number.to_f64() as u32);
        FigureValue(whole(low).unwrap_or(u32::MAX), whole(high))
    }
}

/// How long each open request has been so, the first first; and how far the clocks of coming and going are.
#[derive(Clone, Default, PartialEq, Eq, Hash)]
struct Line {
    open: Vec<u32>,
    clocks: [Option<u32>; 2],
}

struct Brute {
    rooms: u32,
    windows: [(u32, u32); 2],
    is_last: bool,
    least: u32,
    most: u32,
    seen: HashSet<Line>,
}

impl Brute {
    fn run(&mut self) {
        let mut open = vec![Line::default()];
        while let Some(mut line) = open.pop() {
            for (clock, can) in [(0, (line.open.len() as u32) < self.rooms), (1, !line.open.is_empty())] {
                line.clocks[clock] = if can { Some(line.clocks[clock].unwrap_or(0)) } else { None };
            }
            if line.open.iter().any(|age| *age > ENDLESS) {
                self.most = ENDLESS;
            } else if self.seen.insert(line.clone()) {
                self.go_on(&line, &mut open);
            }
        }
    }

    fn go_on(&mut self, line: &Line, open: &mut Vec<Line>) {
        for (step, (least, _)) in self.windows.into_iter().enumerate() {
            if line.clocks[step].is_none_or(|clock| clock < least) {
                continue;
            }
            let mut next = line.clone();
            next.clocks[step] = None;
            if step == 0 {
                next.open.push(0);
            } else {
                let age = if self.is_last { next.open.pop() } else { Some(next.open.remove(0)) };
                let age = age.unwrap_or(0);
                (self.least, self.most) = (self.least.min(age), self.most.max(age));
            }
            open.push(next);
        }
        let is_due = (0..2).any(|step| line.clocks[step] == Some(self.windows[step].1));
        if !is_due {
            let mut later = line.clone();
            later.clocks.iter_mut().flatten().for_each(|clock| *clock += 1);
            later.open.iter_mut().for_each(|age| *age += 1);
            open.push(later);
        }
    }
}

/// Who has waited longer than this waits for ever.
const ENDLESS: u32 = 60;

/// One meaning of `from` in all views: where something becomes true, or happens; and of `within`: wherever it
/// holds.
#[test]
fn delays_begin_at_the_edge() {
    // A flag is up for 3 and down for no time; then up for 3 again, and so on.
    let text = "bit up; byte n; active proctype P() { do :: rise: up = 1; hold: n = (n + 1) % 2; up = 0 od }";
    let asks = "[[ask]]\nmean_delay = { from = \"up\", to = \"!up\" }\n[[ask]]\nmean_delay = { from = \"P:hold\", to = \"P:hold\" }
        [[ask]]\nmean_delay = { from = \"P:rise\", to = \"n == 0\" }\n[[ask]]\nmean_delay = { from = \"n == 1\", to = \"P:hold\" }";
    let found = figures("m.pml", text, &format!("[delay]\n\"P:hold\" = {{ exponential = 3 }}\n{asks}"));
    // Where `n` is 0 already, it takes no time to get there.
    for (figure, expected) in found.iter().zip([3.0, 3.0, 1.5, 3.0]) {
        assert_near(figure, expected);
    }
    let asks = "[[ask]]\ndelay = { from = \"up\", to = \"!up\" }\n[[ask]]\ndelay = { within = \"up\", to = \"!up\" }
        [[ask]]\ndelay = { from = \"P:hold\", to = \"P:hold\" }\n[[ask]]\ncount = { of = \"P:hold\", from = \"up\", to = \"!up\" }
        [[ask]]\nmin_delay = { from = \"P:rise\", to = \"n == 0\" }\n[[ask]]\nmax_delay = { from = \"n == 1\", to = \"P:hold\" }";
    let found = figures("m.pml", text, &format!("[delay]\n\"P:hold\" = {{ fixed = 3 }}\n{asks}"));
    let expected = [(3.0, 3.0), (0.0, 3.0), (3.0, 3.0), (1.0, 1.0), (0.0, 0.0), (3.0, 3.0)];
    for (figure, expected) in found.iter().zip(expected) {
        assert_eq!(bounds(figure), expected, "{} {}", figure.kind, figure.name);
    }
    assert_eq!(found[1].name, "within up to !up");
    // A synchronous system: three cycles up, one down.
    let clock = "MODULE main\nVAR m : 0..3;\nASSIGN init(m) := 0; next(m) := (m + 1) mod 4;\n";
    let asks = "[[ask]]\ndelay = { from = \"m < 3\", to = \"m = 3\" }\n[[ask]]\ndelay = { within = \"m < 3\", to = \"m = 3\" }";
    assert_eq!(
        figures("m.smv", clock, asks).iter().map(bounds).collect::<Vec<_>>(),
        [(3.0, 3.0), (1.0, 3.0)]
    );
    let wrong = |ask: &str| {
        let study = format!("[delay]\n\"P:hold\" = {{ fixed = 3 }}\n[[ask]]\n{ask}");
        try_figures("m.pml", text, &study).unwrap_err().join("; ")
    };
    assert!(wrong("mean_delay = { within = \"up\", to = \"!up\" }").contains("not `within` one"));
    assert!(
        wrong("delay = { within = \"P:hold\", to = \"!up\" }")
            .contains("an event happens, and does not hold")
    );
    assert!(wrong("delay = { from = \"up\", within = \"up\", to = \"!up\" }").contains("not both"));
}

/// Two processes of a kind, each with two requests that are open at the same time: told apart by an
/// expression of variables that each has, and of one that all have.
#[test]
fn requests_are_told_apart_by_expressions() {
    let model = "byte base = 10;
        active [2] proctype P() { byte me = 4 * _pid; byte n; do
            :: first: n = 1; second: n = 2; third: n = 1; fourth: n = 2 od }";
    let study = |by: &str, form: &str, view: &str| {
        let delay = |label: &str, time: u32| format!("\"P:{label}\" = {{ {form} = {time} }}\n");
        let delays = [delay("first", 1), delay("second", 2), delay("third", 3), delay("fourth", 4)].concat();
        format!(
            "[delay]\n{delays}[event]\nbegin = [\"P:first\", \"P:second\"]\nend = [\"P:third\", \"P:fourth\"]
            [[ask]]\nlatency = {{ from = \"begin\", to = \"end\", by = {by} }}\nview = \"{view}\""
        )
    };
    let timed = |by: &str| bounds(&figures("m.pml", model, &study(by, "fixed", "timed"))[0]);
    // From the first to the third 2 + 3, from the second to the fourth 3 + 4.
    assert_eq!(timed("\"base + me + n\""), (5.0, 7.0));
    // From the second to the third 3, from the first to the fourth 2 + 3 + 4.
    assert_eq!(timed("{ from = \"base + me + n\", to = \"base + me + 3 - n\" }"), (3.0, 9.0));
    let mean = figures("m.pml", model, &study("\"base + me + n\"", "exponential", "stochastic"));
    let (low, high) = bounds(&mean[0]);
    assert!(low <= 6.0 + 1e-9 && 6.0 - 1e-9 <= high && high - low < 1e-4, "{low} {high}");
    let estimated = figures("m.pml", model, &study("\"base + me + n\"", "exponential", "simulated"));
    let narrows_model::FigureResult::Estimated { low, high, .. } = estimated[0].result else {
        panic!("{:?}", estimated[0].result)
    };
    assert!(low <= 6.0 && 6.0 <= high && high - low < 1.0, "{low} {high}");
    let beyond = figures("m.pml", model, &study("\"base + me + n - 20\"", "exponential", "simulated"));
    assert!(reason(&beyond[0]).contains("told apart by values from 0 to 255"), "{:?}", beyond[0].result);
    let wrong = try_figures("m.pml", model, &study("\"base + m\"", "fixed", "timed")).unwrap_err();
    assert!(wrong[0].contains("`base + m` means nothing to `P`"), "{wrong:?}");
}

/// Commands are made by one kind of process and ended by another: told apart by what each has.
#[test]
fn requests_are_told_apart_by_values() {
    let model = "chan work = [2] of { byte }; byte last;
        active [2] proctype H() { do :: submit: work!_pid; done: atomic { last == _pid + 1 -> last = 0 } od }
        active proctype D() { byte command; do :: work?command; finish: atomic { last == 0 -> last = command + 1 } od }";
    let delays = "[delay]\n\"H:submit\" = { fixed = 3 }\n\"D:finish\" = { fixed = 2 }\n";
    let random = delays.replace("fixed", "exponential");
    let asked = |by: &str, view: &str, delays: &str| {
        let latency = format!("latency = {{ from = \"H:submit\", to = \"D:finish\"{by} }}");
        let study = format!("{delays}[[ask]]\n{latency}\nview = \"{view}\"");
        figures("m.pml", model, &study).remove(0)
    };
    // Work is done in order, so that it makes no difference by what requests are matched.
    for (view, delays) in [("timed", delays), ("stochastic", random.as_str())] {
        let fifo = bounds(&asked("", view, delays));
        let by = bounds(&asked(", by = { from = \"_pid\", to = \"command\" }", view, delays));
        assert!((fifo.0 - by.0).abs() < 1e-6 && (fifo.1 - by.1).abs() < 1e-6, "{view}: {fifo:?} {by:?}");
    }
    // Out of order it does: the second overtakes the first, and both are followed by their numbers.
    let model = "byte id; byte open; byte which;
        active proctype H() { do :: open == 0 -> one: d_step { id = 7; open = 1 }; two: d_step { id = 8; open = 2 };
            open == 0 od }
        active proctype D() { do :: atomic { open == 2 -> which = 8; open = 3 }; end: id = which;
            which = 7; end2: id = which; open = 0 od }";
    let study = "[delay]\n\"H:one\" = 1\n\"H:two\" = 4\n\"D:end\" = 2\n\"D:end2\" = 8
        [event]\nbegin = [\"H:one\", \"H:two\"]\nend = [\"D:end\", \"D:end2\"]
        [[ask]]\nlatency = { from = \"begin\", to = \"end\", by = \"id\" }\nview = \"timed\"
        [[ask]]\nlatency = { from = \"begin\", to = \"end\" }\nview = \"timed\"";
    let found = figures("m.pml", model, study);
    assert_eq!((bounds(&found[0]), bounds(&found[1])), ((2.0, 14.0), (6.0, 10.0)));
    let wrong = try_figures("m.pml", model, &study.replace("\"id\"", "\"nothing\"")).unwrap_err();
    assert!(wrong[0].contains("`nothing` means nothing to `H`"), "{wrong:?}");
}

/// The second request overtakes the first: told apart by an expression in SMV, and by a part of labels.
#[test]
fn requests_of_all_languages_are_told_apart() {
    let smv = "MODULE main\nVAR c : 0..5;\nASSIGN init(c) := 0; next(c) := (c + 1) mod 6;\n
        DEFINE who := (c = 0 | c = 5) ? 1 : 2;\n";
    let study = |by: &str| {
        format!(
            "[event]\nsubmit = \"c = 0 | c = 1\"\ndone = \"c = 3 | c = 5\"
            [[ask]]\nlatency = {{ from = \"submit\", to = \"done\"{by} }}"
        )
    };
    let by = |by: &str| bounds(&figures("m.smv", smv, &study(by))[0]);
    assert_eq!(by(""), (3.0, 4.0));
    assert_eq!(by(", by = \"who\""), (2.0, 5.0));
    assert_eq!(by(", by = { from = \"who\", to = \"3 - who\" }"), (3.0, 4.0));
    let graph =
        "des (0, 4, 4)\n(0, \"SEND_1\", 1)\n(1, \"SEND_2\", 2)\n(2, \"RECV_2\", 3)\n(3, \"RECV_1\", 0)\n";
    let labelled = |by: &str| {
        format!(
            "[delay]\n\"SEND_*\" = 1\n\"RECV_*\" = 2
            [[ask]]\nlatency = {{ from = \"SEND_*\", to = \"RECV_*\"{by} }}\nview = \"timed\""
        )
    };
    let by = |by: &str| figures("m.aut", graph, &labelled(by)).remove(0);
    assert_eq!(bounds(&by("")), (3.0, 4.0));
    assert_eq!(bounds(&by(", by = \"_([0-9]+)$\"")), (2.0, 5.0));
    assert_eq!(bounds(&by(", by = { from = \"[0-9]\", to = \"[0-9]$\" }")), (2.0, 5.0));
    assert!(reason(&by(", by = \"X([0-9])\"")).contains("does not match"));
    assert!(reason(&by(", by = 1")).contains("has no value number 1"));
    // More values than can be told apart.
    let wide = "MODULE main\nVAR c : 0..199;\nASSIGN init(c) := 0; next(c) := (c + 1) mod 200;\n";
    let study = "[[ask]]\nlatency = { from = \"c = 3\", to = \"c = 9\", by = \"c\" }";
    let wrong = try_figures("m.smv", wide, study).expect_err("a mistake");
    assert!(wrong[0].contains("200 values"), "{wrong:?}");
}
