//! Small models of queueing and of reliability: figures against closed forms, and against elimination where
//! there is none.

mod labelled;
mod studies;

use std::collections::BTreeMap;

use labelled::{assert_near, bounds, figures, lotos, reason, try_figures};
use narrows_model::Figure;

/// Measures a Promela model, with delays and questions in lines of their own.
fn measured(model: &str, delays: &[(&str, &str)], asks: &[&str]) -> Vec<Figure> {
    let delays: Vec<String> =
        delays.iter().map(|(at, delay)| format!("\"{at}\" = {{ {delay} }}\n")).collect();
    let asks: Vec<String> = asks.iter().map(|ask| format!("[[ask]]\n{ask}\n")).collect();
    figures("m.pml", model, &format!("[delay]\n{}{}", delays.concat(), asks.concat()))
}

/// The stationary distribution of a chain, given where a state goes: by elimination.
fn stationary<S: Copy + Ord>(start: S, next: impl Fn(S) -> Vec<(S, f64)>) -> BTreeMap<S, f64> {
    let mut states = vec![start];
    let mut place = BTreeMap::from([(start, 0)]);
    let mut rates: Vec<(usize, usize, f64)> = Vec::new();
    let mut from = 0;
    while let Some(state) = states.get(from).copied() {
        for (to, rate) in next(state) {
            let number = *place.entry(to).or_insert(states.len());
            if number == states.len() {
                states.push(to);
            }
            rates.push((from, number, rate));
        }
        from += 1;
    }
    let size = states.len();
    // Balance, of which one equation is that all add up to 1.
    let mut matrix = vec![vec![0.0; size + 1]; size];
    for (from, to, rate) in rates {
        matrix[to][from] += rate;
        matrix[from][from] -= rate;
    }
    matrix[size - 1] = vec![1.0; size + 1];
    for pivot in 0..size {
        let best = (pivot..size)
            .max_by(|one, other| matrix[*one][pivot].abs().total_cmp(&matrix[*other][pivot].abs()));
        matrix.swap(pivot, best.expect("a row"));
        let row = matrix[pivot].clone();
        for other in (0..size).filter(|other| *other != pivot) {
            let factor = matrix[other][pivot] / row[pivot];
            for (entry, above) in matrix[other].iter_mut().zip(&row) {
                *entry -= factor * above;
            }
        }
    }
    let share = |number: usize| matrix[number][size] / matrix[number][number];
    states.iter().enumerate().map(|(number, state)| (*state, share(number))).collect()
}

/// What a number is on average.
fn mean<S: Copy + Ord>(shares: &BTreeMap<S, f64>, number: impl Fn(S) -> f64) -> f64 {
    shares.iter().map(|(state, share)| share * number(*state)).sum()
}

/// The shares of the states of a birth and death process.
fn births(rates: &[(f64, f64)]) -> Vec<f64> {
    let mut weights = vec![1.0];
    for (birth, death) in rates {
        weights.push(weights[weights.len() - 1] * birth / death);
    }
    let all: f64 = weights.iter().sum();
    weights.iter().map(|weight| weight / all).collect()
}

fn length(shares: &[f64]) -> f64 {
    shares.iter().enumerate().map(|(number, share)| number as f64 * share).sum()
}

/// How likely it is that so many exponential times with a rate are over by then.
fn erlang(stages: usize, rate: f64, time: f64) -> f64 {
    let mut term = f64::exp(-rate * time);
    let mut rest = 0.0;
    for number in 0..stages {
        rest += term;
        term *= rate * time / (number + 1) as f64;
    }
    1.0 - rest
}

/// The time by which a distribution has reached a part.
fn quantile(part: f64, distribution: impl Fn(f64) -> f64) -> f64 {
    let (mut low, mut high) = (0.0, 1e4);
    for _ in 0..200 {
        let middle = f64::midpoint(low, high);
        if distribution(middle) < part { low = middle } else { high = middle }
    }
    low
}

/// M/M/3/6: three servers, and room for six.
#[test]
fn several_servers() {
    let model = "byte n; active proctype A() { do :: come: d_step { n < 6 -> n++ } od }
        active proctype S() { do :: serve: d_step { n > 0 -> n-- } od }";
    let found = measured(
        model,
        &[("A:come", "exponential = 0.5"), ("S:serve", "exponential = 1, times = \"(n < 3 -> n : 3)\"")],
        &["mean = \"n\"", "utilisation = \"n == 6\"", "throughput = \"S:serve\""],
    );
    let shares = births(&[1.0, 2.0, 3.0, 3.0, 3.0, 3.0].map(|death| (2.0, death)));
    assert_near(&found[0], length(&shares));
    assert_near(&found[2], shares[6]);
    assert_near(&found[3], 2.0 * (1.0 - shares[6]));
}

/// M/E2/1/4 and M/H2/1/4: services that are steadier and less steady than exponential ones.
#[test]
fn services_with_phases() {
    let model = "byte n; active proctype A() { do :: come: d_step { n < 4 -> n++ } od }
        active proctype S() { do :: serve: d_step { n > 0 -> n-- } od }";
    let asks = ["mean = \"n\"", "throughput = \"S:serve\""];
    let arrive = ("A:come", "exponential = 1.25");
    let found = measured(model, &[arrive, ("S:serve", "erlang = 1, stages = 2")], &asks);
    let shares = stationary((0, 0), |(n, stage): (u8, u8)| {
        let mut row = Vec::new();
        row.extend((n < 4).then_some(((n + 1, stage), 0.8)));
        row.extend((n > 0).then_some((if stage == 0 { (n, 1) } else { (n - 1, 0) }, 2.0)));
        row
    });
    assert_near(&found[0], mean(&shares, |(n, _)| f64::from(n)));
    assert_near(&found[2], 2.0 * mean(&shares, |(n, stage)| f64::from(u8::from(n > 0 && stage == 1))));
    // A quarter of the services is long.
    let found = measured(
        model,
        &[arrive, ("S:serve", "hyperexponential = [0.4, 2], parts = [\"3/4\", \"1/4\"]")],
        &asks,
    );
    let shares = stationary((0, 0), |(n, kind): (u8, u8)| {
        let begins = |n: u8, rate: f64| [((n, 0), 0.75 * rate), ((n, 1), 0.25 * rate)];
        let mut row = Vec::new();
        if n == 0 {
            row.extend(begins(1, 0.8));
            return row;
        }
        row.extend((n < 4).then_some(((n + 1, kind), 0.8)));
        let rate = [2.5, 0.5][usize::from(kind)];
        if n == 1 {
            row.push(((0, 0), rate));
        } else {
            row.extend(begins(n - 1, rate));
        }
        row
    });
    assert_near(&found[0], mean(&shares, |(n, _)| f64::from(n)));
}

/// How long services are is not seen in how often all of four servers are busy (Erlang's loss formula).
#[test]
fn lost_calls_depend_on_the_mean_alone() {
    let model = "bit taken[4]; byte busy;
        active proctype A() { do :: call: if
            :: !taken[0] -> d_step { taken[0] = 1; busy++ }
            :: taken[0] && !taken[1] -> d_step { taken[1] = 1; busy++ }
            :: taken[0] && taken[1] && !taken[2] -> d_step { taken[2] = 1; busy++ }
            :: taken[0] && taken[1] && taken[2] && !taken[3] -> d_step { taken[3] = 1; busy++ }
            :: busy == 4 -> lost: skip fi od }
        proctype S(byte me) { do :: serve: d_step { taken[me] -> taken[me] = 0; busy-- } od }
        init { atomic { run S(0); run S(1); run S(2); run S(3) } }";
    let shares = births(&[1.0, 2.0, 3.0, 4.0].map(|busy| (2.5, busy)));
    for service in ["exponential = 1", "erlang = 1, stages = 3"] {
        let found = measured(
            model,
            &[("A:call", "exponential = 0.4"), ("S:serve", service)],
            &["utilisation = \"busy == 4\"", "mean = \"busy\""],
        );
        assert_near(&found[0], shares[4]);
        assert_near(&found[1], 2.5 * (1.0 - shares[4]));
    }
}

/// Five machines and one who repairs them: what is broken, and how long a repair takes from the failure on,
/// which finds what there is with one machine fewer.
#[test]
fn machines_wait_for_repair() {
    let model = "byte broken; active proctype M() { do :: fail: d_step { broken < 5 -> broken++ } od }
        active proctype R() { do :: mend: d_step { broken > 0 -> broken-- } od }";
    let found = measured(
        model,
        &[("M:fail", "exponential = 10, times = \"5 - broken\""), ("R:mend", "exponential = 2")],
        &["mean = \"broken\"", "latency = { from = \"M:fail\", to = \"R:mend\" }\npercentile = [50, 99]"],
    );
    let with = |machines: i32| -> Vec<f64> {
        let rates: Vec<_> = (0..machines).map(|broken| (f64::from(machines - broken) * 0.1, 0.5)).collect();
        births(&rates)
    };
    assert_near(&found[0], length(&with(5)));
    let arrivals = with(4);
    let over = |time: f64| -> f64 {
        arrivals.iter().enumerate().map(|(broken, share)| share * erlang(broken + 1, 0.5, time)).sum()
    };
    assert_near(&found[2], 2.0 * (length(&arrivals) + 1.0));
    assert_near(&found[3], quantile(0.5, over));
    assert_near(&found[4], quantile(0.99, over));
}

/// Who finds the server busy tries again later, from an orbit of six.
#[test]
fn callers_try_again() {
    let model = "bit busy; byte orbit;
        active proctype A() { do :: come: if :: !busy -> busy = 1
            :: busy && orbit < 6 -> orbit++ :: busy && orbit == 6 -> lost: skip fi od }
        active proctype O() { do :: again: d_step { orbit > 0 && !busy -> orbit--; busy = 1 } od }
        active proctype S() { do :: serve: busy == 1 -> busy = 0 od }";
    let found = measured(
        model,
        &[
            ("A:come", "exponential = 2"),
            ("O:again", "exponential = 3, times = \"orbit\""),
            ("S:serve", "exponential = 1"),
        ],
        &["mean = \"orbit\"", "utilisation = \"busy\"", "throughput = \"A:lost\""],
    );
    let shares = stationary((0, 0), |(busy, orbit): (u8, u8)| {
        let mut row = Vec::new();
        if busy == 0 {
            row.push(((1, orbit), 0.5));
            row.extend((orbit > 0).then(|| ((1, orbit - 1), f64::from(orbit) / 3.0)));
        } else {
            row.extend((orbit < 6).then_some(((1, orbit + 1), 0.5)));
            row.push(((0, orbit), 1.0));
        }
        row
    });
    assert_near(&found[0], mean(&shares, |(_, orbit)| f64::from(orbit)));
    assert_near(&found[2], mean(&shares, |(busy, _)| f64::from(busy)));
    assert_near(&found[3], 0.5 * mean(&shares, |state| f64::from(u8::from(state == (1, 6)))));
}

/// One server takes from two queues in turn, and from the other if one is empty; of two kinds, one is served
/// first.
#[test]
fn one_server_has_two_queues() {
    let turns = "byte a, b; bit last;
        active proctype A() { do :: come: d_step { a < 3 -> a++ } od }
        active proctype B() { do :: come: d_step { b < 3 -> b++ } od }
        active proctype S() { do
            :: first: d_step { a > 0 && (last || b == 0) -> a--; last = 0 }
            :: second: d_step { b > 0 && (!last || a == 0) -> b--; last = 1 } od }";
    let delays = [
        ("A:come", "exponential = 2"),
        ("B:come", "exponential = 4"),
        ("S:first", "exponential = 1"),
        ("S:second", "exponential = 1.5"),
    ];
    let asks = ["mean = \"a\"", "mean = \"b\""];
    let arrivals = |(a, b, rest): (u8, u8, u8)| {
        let one = (a < 3).then_some(((a + 1, b, rest), 0.5));
        one.into_iter().chain((b < 3).then_some(((a, b + 1, rest), 0.25))).collect::<Vec<_>>()
    };
    let found = measured(turns, &delays, &asks);
    let shares = stationary((0, 0, 0), |state: (u8, u8, u8)| {
        let (a, b, last) = state;
        let mut row = arrivals(state);
        if a > 0 && (last == 1 || b == 0) {
            row.push(((a - 1, b, 0), 1.0));
        } else if b > 0 {
            row.push(((a, b - 1, 1), 1.0 / 1.5));
        }
        row
    });
    assert_near(&found[0], mean(&shares, |(a, _, _)| f64::from(a)));
    assert_near(&found[2], mean(&shares, |(_, b, _)| f64::from(b)));
    let first = turns
        .replace("a > 0 && (last || b == 0)", "a > 0")
        .replace("b > 0 && (!last || a == 0)", "b > 0 && a == 0");
    let found = measured(&first, &delays, &asks);
    let shares = stationary((0, 0, 0), |state: (u8, u8, u8)| {
        let (a, b, _) = state;
        let mut row = arrivals(state);
        if a > 0 {
            row.push(((a - 1, b, 0), 1.0));
        } else if b > 0 {
            row.push(((a, b - 1, 0), 1.0 / 1.5));
        }
        row
    });
    assert_near(&found[0], mean(&shares, |(a, _, _)| f64::from(a)));
    assert_near(&found[2], mean(&shares, |(_, b, _)| f64::from(b)));
}

/// Two queues in a row, of which a full one stops the other; jobs come in pairs.
#[test]
fn queues_in_a_row_block() {
    let model = "byte n, m; active proctype A() { do :: come: d_step { n < 3 -> n = n + 2 } od }
        active proctype F() { do :: move: d_step { n > 0 && m < 2 -> n--; m++ } od }
        active proctype S() { do :: leave: d_step { m > 0 -> m-- } od }";
    let found = measured(
        model,
        &[("A:come", "exponential = 4"), ("F:move", "exponential = 1"), ("S:leave", "exponential = 1.6")],
        &["mean = \"n\"", "mean = \"m\"", "utilisation = \"n > 0 && m == 2\"", "throughput = \"S:leave\""],
    );
    let shares = stationary((0, 0), |(n, m): (u8, u8)| {
        let mut row = Vec::new();
        row.extend((n < 3).then_some(((n + 2, m), 0.25)));
        row.extend((n > 0 && m < 2).then(|| ((n - 1, m + 1), 1.0)));
        row.extend((m > 0).then(|| ((n, m - 1), 0.625)));
        row
    });
    assert_near(&found[0], mean(&shares, |(n, _)| f64::from(n)));
    assert_near(&found[2], mean(&shares, |(_, m)| f64::from(m)));
    assert_near(&found[4], mean(&shares, |(n, m)| f64::from(u8::from(n > 0 && m == 2))));
    assert_near(&found[5], 0.625 * mean(&shares, |(_, m)| f64::from(u8::from(m > 0))));
}

/// Two of three parts are enough: with parts that fail at λ and are mended at µ, that lasts (5λ + µ)/(6λ²)
/// on average; without repair, until a time with probability 3e⁻²ᵏ − 2e⁻³ᵏ, k = λ·time.
#[test]
fn two_of_three_are_enough() {
    let model = "byte good = 3; active proctype F() { do :: fail: d_step { good > 0 -> good-- } od }
        active proctype R() { do :: mend: d_step { good < 3 -> good++ } od }";
    let found = measured(
        model,
        &[
            ("F:fail", "exponential = 100, times = \"good\""),
            ("R:mend", "exponential = 5, times = \"3 - good\""),
        ],
        &["mean_time = { to = \"good < 2\" }"],
    );
    let (fails, mends) = (0.01, 0.2);
    assert_near(&found[0], (5.0 * fails + mends) / (6.0 * fails * fails));
    let found = measured(
        "byte good = 3; active proctype F() { do :: fail: d_step { good > 0 -> good-- } od }",
        &[("F:fail", "exponential = 100, times = \"good\"")],
        &["probability = { to = \"good < 2\", before = 70 }", "probability = { to = \"good < 2\" }"],
    );
    let lasts = 3.0 * f64::exp(-1.4) - 2.0 * f64::exp(-2.1);
    let (low, high) = bounds(&found[0]);
    assert!(low <= 1.0 - lasts + 1e-12 && 1.0 - lasts <= high + 1e-12 && high - low < 1e-6, "{low} {high}");
    assert_near(&found[1], 1.0);
}

/// From the start, something is on at a time with probability p + (1 − p)·e⁻⁽ᵃ⁺ᵇ⁾ᵗ; how long a queue without
/// waiting room is busy; and how long a source is off.
#[test]
fn switches_at_a_time() {
    let model = "bit on = 1; active proctype P() { do :: fall: on -> on = 0 :: rise: !on -> on = 1 od }";
    let found = measured(
        model,
        &[("P:fall", "exponential = 4"), ("P:rise", "exponential = 1.25")],
        &[
            "transient = { of = \"on\", at = 0.7 }",
            "duration = \"!on\"\npercentile = [90]",
            "utilisation = \"on\"",
        ],
    );
    let (fall, rise) = (0.25, 0.8);
    let share = rise / (fall + rise);
    let expected = share + (1.0 - share) * f64::exp(-0.7 * (fall + rise));
    let (low, high) = bounds(&found[0]);
    assert!(low <= expected + 1e-12 && expected - 1e-12 <= high && high - low < 1e-6, "{low} {high}");
    assert_near(&found[1], 1.25);
    assert_near(&found[2], -1.25 * f64::ln(0.1));
    assert_near(&found[3], share);
}

/// A queue with room for four is busy from the first who comes to the last who leaves.
#[test]
fn busy_periods() {
    let model = "byte n; active proctype A() { do :: come: d_step { n < 4 -> n++ } od }
        active proctype S() { do :: serve: d_step { n > 0 -> n-- } od }";
    let found = measured(
        model,
        &[("A:come", "exponential = 2"), ("S:serve", "exponential = 1")],
        &["duration = \"n > 0\"", "mean_delay = { from = \"n == 4\", to = \"n == 0\" }"],
    );
    // Idle for 2 on average; that is the part of the time in which it is empty.
    let shares = births(&[(0.5, 1.0); 4]);
    assert_near(&found[0], 2.0 * (1.0 - shares[0]) / shares[0]);
    // From one length to the one below it, from the full queue on down.
    let down = std::iter::successors(Some(1.0), |above: &f64| Some((1.0 + 0.5 * above) / 1.0));
    assert_near(&found[1], down.take(4).sum());
}

/// What is fixed has no spread: a server that is fed every 3 and takes 2 is busy for two thirds of the time.
#[test]
fn fixed_times_by_hand() {
    let model = "byte n; active proctype A() { do :: come: d_step { n < 4 -> n++ } od }
        active proctype S() { do :: serve: d_step { n > 0 -> n-- } od }";
    let found = measured(
        model,
        &[("A:come", "fixed = 3"), ("S:serve", "fixed = 2")],
        &[
            "utilisation = \"n > 0\"\nview = \"timed\"",
            "latency = { from = \"A:come\", to = \"S:serve\" }\nview = \"timed\"",
            "throughput = \"S:serve\"\nview = \"timed\"",
        ],
    );
    assert_eq!([0, 1].map(|one| bounds(&found[one])), [(2.0 / 3.0, 2.0 / 3.0), (2.0, 2.0)]);
    assert_eq!(bounds(&found[2]), (1.0 / 3.0, 1.0 / 3.0));
}

/// Two parts fail and are mended, each for itself: how often, in LOTOS as well.
#[test]
fn parts_are_mended_in_lotos() {
    let model = "specification s [fail, mend] : noexit behaviour p [fail, mend] ||| p [fail, mend] where
        process p [fail, mend] : noexit := fail; mend; p [fail, mend] endproc endspec";
    let study = "[delay]\nFAIL = { exponential = 8 }\nMEND = { exponential = 2 }
        [[ask]]\nthroughput = \"FAIL\"\n[[ask]]\nmean_time = { to = \"MEND\" }";
    let found = lotos(model, study);
    assert_near(&found[0], 2.0 / 10.0);
    // Until the first of two fails, 4; then it is mended, or the other one fails as well.
    let (fail, mend) = (0.125, 0.5);
    assert_near(&found[1], 4.0 + (1.0 + fail / (2.0 * mend)) / (fail + mend));
}

/// What has no answer is said: requests that never begin, and the part of the time of a number.
#[test]
fn what_has_no_closed_form_has_a_reason() {
    let model =
        "byte n; active proctype A() { do :: come: d_step { n < 4 -> n++ } :: n > 9 -> late: n = 0 od }
        active proctype S() { do :: serve: d_step { n > 0 -> n-- } od }";
    let delays = "[delay]\n\"A:come\" = { exponential = 2 }\n\"S:serve\" = { exponential = 1 }\n";
    let latency = format!("{delays}[[ask]]\nlatency = {{ from = \"A:late\", to = \"S:serve\" }}");
    let found = figures("m.pml", model, &latency);
    assert!(reason(&found[0]).contains("never begins"), "{}", reason(&found[0]));
    let number = format!("{delays}[[ask]]\nutilisation = \"n\"");
    let wrong = try_figures("m.pml", model, &number).unwrap_err();
    assert!(wrong.iter().any(|message| message.starts_with("S0021")), "{wrong:?}");
}
