//! Means of expressions, rewards and reachability: studies of all forms against closed forms and by hand.

mod labelled;
mod studies;

use labelled::{assert_near, bounds, figures, lotos, reason, try_figures};
use narrows_model::Number;

const QUEUE: &str = "byte n;
    chan queue = [5] of { byte };
    active proctype A() { do :: arrive: atomic { nfull(queue) -> queue!1; n++ } od }
    active proctype S() { do :: serve: atomic { queue?_; n-- } od }";

const DELAYS: &str = "[delay]\n\"A:arrive\" = { exponential = 0.5 }\n\"S:serve\" = { exponential = 0.4 }\n";

/// How likely so many are in a queue with room for five, at a load of 0.8.
fn share(number: i32) -> f64 {
    let all: f64 = (0..=5).map(|number| 0.8_f64.powi(number)).sum();
    0.8_f64.powi(number) / all
}

#[test]
fn a_queue_has_its_length() {
    let ask = "[[ask]]\nmean = \"len(queue)\"\n[[ask]]\nmean = \"2 * n - 10\"\n[[ask]]\nmean = \"n > 2\"";
    let found = figures("m.pml", QUEUE, &format!("{DELAYS}{ask}"));
    let mean: f64 = (0..=5).map(|number| f64::from(number) * share(number)).sum();
    let square: f64 = (0..=5).map(|number| f64::from(number * number) * share(number)).sum();
    assert_near(&found[0], mean);
    assert_eq!(found[1].kind, "variance");
    assert_near(&found[1], square - mean * mean);
    let curve = &found[0].curve;
    assert_eq!(curve.len(), 6);
    let mut below = 0.0;
    for (number, point) in (0..).zip(curve) {
        below += share(number);
        assert_eq!(point.time.total_cmp(&f64::from(number)), std::cmp::Ordering::Equal);
        assert!(point.low <= below + 1e-12 && below - 1e-12 <= point.high, "{point:?} {below}");
        assert!(point.high - point.low < 1e-9, "{point:?}");
    }
    assert!(
        found[0].notes[0].starts_with("Part of the time with each value: 0: 27.1 %, 1: 21.7 %"),
        "{:?}",
        found[0].notes
    );
    // A mean may be negative, and that of a truth value is how long it holds.
    let (low, high) = bounds(&found[2]);
    let expected = 2.0 * mean - 10.0;
    assert!(low <= expected + 1e-12 && expected - 1e-12 <= high && high - low < 1e-5, "{low} {high}");
    assert_near(&found[3], 4.0 * (square - mean * mean));
    assert_near(&found[4], (3..=5).map(share).sum());
}

#[test]
fn numbers_are_no_part_of_the_time() {
    for what in ["len(queue)", "n", "n + 1", "n * (n > 2)"] {
        let study = format!("{DELAYS}[[ask]]\nutilisation = \"{what}\"");
        let wrong = try_figures("m.pml", QUEUE, &study).unwrap_err();
        assert!(wrong[0].starts_with("S0021 "), "{what}: {wrong:?}");
    }
    let study = format!("{DELAYS}[[ask]]\nutilisation = \"n > 0 && nempty(queue)\"");
    assert!(try_figures("m.pml", QUEUE, &study).is_ok());
}

#[test]
fn a_queue_uses_energy() {
    // 3 while it serves, 1/2 always, and 2 for each that is served.
    let study = format!(
        "{DELAYS}[event]\nserved = \"S:serve\"\n[resource]\nbusy = \"n > 0\"\n
        [reward.energy]\nunit = \"J\"\nrate_reward = {{ busy = 3, \"1\" = 0.5 }}\nevent_reward = {{ served = 2 }}
        [[ask]]\nreward = \"energy\"
        [[ask]]\nreward = {{ of = \"energy\", per = \"served\" }}
        [[ask]]\nreward = {{ of = \"energy\", to = \"n == 5\" }}
        [[ask]]\nmean_time = {{ to = \"n == 5\" }}
        [[ask]]\nprobability = {{ to = \"n == 5\", before = 3 }}
        [[ask]]\nprobability = {{ to = \"served\", before = 1 }}
        [[ask]]\nprobability = {{ to = \"n == 6\" }}
        [[ask]]\nmean_time = {{ to = \"n == 0\" }}
        [[ask]]\nmean_time = {{ to = \"n == 6\" }}"
    );
    let found = figures("m.pml", QUEUE, &study);
    let served = 2.5 * (1.0 - share(0));
    let power = 3.0 * (1.0 - share(0)) + 0.5 + 2.0 * served;
    assert_near(&found[0], power);
    assert_eq!((found[0].unit.as_str(), found[1].unit.as_str()), ("J/s", "J"));
    assert_near(&found[1], power / served);
    // From k to k + 1 it takes t(k) = 1/2 + 2.5/2 t(k - 1), and costs e(k) in the same way.
    let (mut time, mut energy) = (0.5, 0.25);
    let (mut times, mut energies) = (time, energy);
    for _ in 1..5 {
        time = 0.5 + 1.25 * time;
        energy = 1.75 + 1.25 * (2.0 + energy);
        times += time;
        energies += energy;
    }
    assert_near(&found[2], energies);
    assert_near(&found[3], times);
    assert_near(&found[4], full_before(3.0));
    // One comes, and is served: a sum of two times, if nobody cared about others.
    let (arrive, serve) = (2.0, 2.5);
    let at = 1.0 - (serve * f64::exp(-arrive) - arrive * f64::exp(-serve)) / (serve - arrive);
    assert_near(&found[5], at);
    assert_eq!(bounds(&found[6]), (0.0, 0.0));
    assert_eq!(bounds(&found[7]), (0.0, 0.0));
    assert!(bounds(&found[8]).0.is_infinite());
    assert!(found[8].notes[0].starts_with("It may never come to that"), "{:?}", found[8].notes);
}

/// How likely the queue was full before a time: by small steps of a dense matrix, extrapolated.
fn full_before(time: f64) -> f64 {
    let steps = |count: usize| {
        let step = time / count as f64;
        let mut now = [1.0, 0.0, 0.0, 0.0, 0.0, 0.0];
        for _ in 0..count {
            let drift = |now: &[f64; 6]| {
                let mut change = [0.0; 6];
                for state in 0..5 {
                    change[state] -= 2.0 * now[state];
                    change[state + 1] += 2.0 * now[state];
                    if state > 0 {
                        change[state] -= 2.5 * now[state];
                        change[state - 1] += 2.5 * now[state];
                    }
                }
                change
            };
            // Runge and Kutta.
            let moved = |now: &[f64; 6], by: &[f64; 6], factor: f64| -> [f64; 6] {
                std::array::from_fn(|place| now[place] + factor * by[place])
            };
            let one = drift(&now);
            let two = drift(&moved(&now, &one, step / 2.0));
            let three = drift(&moved(&now, &two, step / 2.0));
            let four = drift(&moved(&now, &three, step));
            now = std::array::from_fn(|place| {
                now[place] + step / 6.0 * (one[place] + 2.0 * two[place] + 2.0 * three[place] + four[place])
            });
        }
        now[5]
    };
    steps(4000)
}

/// A job is done by one of two machines; which one is left open.
const ROUTING: &str = "byte job;
    active proctype R() { do :: job == 0 -> start: skip; if :: job = 1 :: job = 2 fi
        :: job == 1 -> quick: job = 0 :: job == 2 -> slow: job = 0 od }";

#[test]
fn schedulers_have_a_range() {
    let study = "[delay]\n\"R:start\" = { exponential = 1 }\n\"R:quick\" = { exponential = 1 }
        \"R:slow\" = { exponential = 4 }
        [reward.cost]\nrate_reward = { \"job == 2\" = 1 }\nevent_reward = { \"R:quick\" = 7 }
        [[ask]]\nprobability = { to = \"R:slow\" }
        [[ask]]\nmean_time = { to = \"R:slow\" }
        [[ask]]\nreward = { of = \"cost\", per = \"R:start\" }
        [[ask]]\nmean = \"job\"
        [[ask]]\nprobability = { to = \"job == 2\", before = 2 }
        [[ask]]\nreward = { of = \"cost\", to = \"R:slow\" }";
    let found = figures("m.pml", ROUTING, study);
    let near = |number: usize, low: f64, high: f64| {
        let (least, greatest) = bounds(&found[number]);
        assert!((least - low).abs() < 1e-5, "{number}: {least} {greatest}");
        assert!(
            (greatest.is_infinite() && high.is_infinite()) || (greatest - high).abs() < 1e-5,
            "{number}: {least} {greatest}"
        );
        assert!(found[number].notes[0].contains("range over all schedulers"), "{:?}", found[number].notes);
    };
    near(0, 0.0, 1.0);
    near(1, 5.0, f64::INFINITY);
    near(2, 4.0, 7.0);
    // Half of the time with job 1, or four fifths of it with job 2.
    near(3, 0.5, 1.6);
    near(4, 0.0, 1.0 - f64::exp(-2.0));
    near(5, 4.0, f64::INFINITY);
}

#[test]
fn graphs_and_lotos_have_rewards() {
    let graph = "des (0, 3, 3)\n(0, \"GO\", 1)\n(1, \"WORK\", 0)\n(1, \"BREAK\", 2)\n";
    let study = "[delay]\nGO = { exponential = 1 }\nWORK = { exponential = 0.5 }\nBREAK = { exponential = 2 }
        [reward.cost]\nunit = \"EUR\"\nrate_reward = { WORK = 3 }\nevent_reward = { GO = 2, WORK = 1 }
        [[ask]]\nprobability = { to = \"BREAK\" }
        [[ask]]\nmean_time = { to = \"BREAK\" }
        [[ask]]\nreward = { of = \"cost\", to = \"BREAK\" }
        [[ask]]\nprobability = { to = \"WORK\" }
        [[ask]]\nreward = \"cost\"
        [[ask]]\nmean = \"WORK\"";
    let found = figures("m.aut", graph, study);
    assert_near(&found[0], 1.0);
    // Rounds of 1 and 0.4, of which the fifth breaks it; four are worked before.
    assert_near(&found[1], 5.0 * 1.4);
    assert_near(&found[2], 5.0 * 2.0 + 4.0 * 1.0 + 3.0 * 2.0);
    assert_near(&found[3], 0.8);
    assert!(bounds(&found[4]).1 < 1e-9);
    assert!(reason(&found[5]).contains("utilisation"), "{}", reason(&found[5]));
    let model = "specification s [go, work] : noexit behaviour p [go, work] where
        process p [go, work] : noexit := go; work; p [go, work] endproc endspec";
    let study = "[delay]\nGO = { exponential = 1 }\nWORK = { exponential = 3 }
        [reward.energy]\nrate_reward = { \"GO .. WORK\" = 2 }\nevent_reward = { WORK = 1 }
        [[ask]]\nreward = \"energy\"\n[[ask]]\nreward = { of = \"energy\", per = \"GO\" }";
    let found = lotos(model, study);
    assert_near(&found[0], (2.0 * 3.0 + 1.0) / 4.0);
    assert_near(&found[1], 7.0);
    assert_eq!(found[1].unit, "energy");
}

#[test]
fn exact_means_are_over_all_runs() {
    let text = "byte n;
        active proctype P() { do :: up: n = 3; wait: skip; if :: n = 1 :: n = 2 fi; down: n = 0 od }";
    let study =
        "[delay]\n\"P:up\" = { fixed = 1 }\n\"P:wait\" = { fixed = 2 }\n\"P:down\" = { between = [1, 4] }
        [[ask]]\nmean = \"n\"\nview = \"timed\"\n[[ask]]\nmean = \"n - 3\"\nview = \"timed\"";
    let found = figures("m.pml", text, study);
    let ends = |number: usize| match found[number].result {
        narrows_model::FigureResult::Value { low, high, exact: true } => (low, high),
        ref other => panic!("{other:?}"),
    };
    // Rounds: 1 at 0, 2 at 3, then 1 to 4 at 1 or 2.
    assert_eq!(ends(0), (Number::Ratio(10, 7), Number::Ratio(2, 1)));
    assert_eq!(ends(1), (Number::Ratio(-11, 7), Number::Ratio(-1, 1)));
    let smv = "MODULE main\nVAR n : 0..3; s : {low, high};\nASSIGN init(n) := 0; next(n) := case n < 2 : n + 1; TRUE : {0, 3}; esac;
        next(s) := {low, high};";
    let found =
        figures("m.smv", smv, "[[ask]]\nmean = \"n\"\n[[ask]]\nmean = \"n * 2 - 1\"\n[[ask]]\nmean = \"s\"");
    // Three states 0, 1, 2 for ever, or 3 for ever.
    assert_eq!(bounds(&found[0]), (1.0, 3.0));
    assert_eq!(bounds(&found[1]), (1.0, 5.0));
    assert!(reason(&found[2]).contains("not a number"), "{}", reason(&found[2]));
}

/// Delays that differ by a factor of two million, none of them a binary fraction, over many jumps: 3.3e12 of
/// them. Rates keep their digits, and so does the time.
#[test]
fn stiff_studies_are_sharp_at_a_time() {
    let model = "bit up = 1;
        active proctype P() { do :: fail: up == 1 -> up = 0 :: repair: up == 0 -> up = 1 od }";
    let study = |time: &str| {
        format!(
            "[delay]\n\"P:fail\" = {{ exponential = 0.0000003 }}\n\"P:repair\" = {{ exponential = 0.7 }}
            [[ask]]\ntransient = {{ of = \"up == 1\", at = {time} }}
            [[ask]]\nprobability = {{ to = \"P:repair\", before = {time} }}"
        )
    };
    let found = figures("m.pml", model, &study("1000000.1"));
    // What is up for 3e-7 and down for 0.7 on average.
    let (low, high) = bounds(&found[0]);
    let expected = 3e-7 / (0.7 + 3e-7);
    assert!(low <= expected * (1.0 + 1e-12) && expected * (1.0 - 1e-12) <= high, "{low} {high}");
    assert!(high - low <= 1e-6 * expected, "{low} {high}");
    // The sum of both delays is over by then: 1 − (λ·e^(−μt) − μ·e^(−λt)) / (λ − μ).
    let found = figures("m.pml", model, &study("0.1"));
    let (fast, slow): (f64, f64) = (1.0 / 3e-7, 1.0 / 0.7);
    let expected = 1.0 - (fast * f64::exp(-slow * 0.1)) / (fast - slow);
    let (low, high) = bounds(&found[1]);
    assert!(low <= expected + 1e-12 && expected - 1e-12 <= high && high - low <= 1e-6, "{low} {high}");
}

/// Jobs go round between two servers: those of one are a geometric part of all (Gordon and Newell).
#[test]
fn a_closed_network_has_its_product_form() {
    let model = "byte a = 4; byte b;
        active proctype A() { do :: go: d_step { a > 0 -> a--; b++ } od }
        active proctype B() { do :: go: d_step { b > 0 -> b--; a++ } od }";
    let study = "[delay]\n\"A:go\" = { exponential = 2 }\n\"B:go\" = { exponential = 3 }
        [[ask]]\nmean = \"b\"\n[[ask]]\nmean = \"a * b\"";
    let found = figures("m.pml", model, study);
    let weight = |number: i32| 1.5_f64.powi(number);
    let all: f64 = (0..=4).map(weight).sum();
    assert_near(&found[0], (0..=4).map(|number| f64::from(number) * weight(number) / all).sum());
    assert_near(
        &found[2],
        (0..=4).map(|number| f64::from(number * (4 - number)) * weight(number) / all).sum(),
    );
}

/// One server, services of several stages: the formula of Pollaczek and Khinchine, which M/D/1 is the end of.
#[test]
fn steadier_services_have_shorter_queues() {
    let model = "byte n;
        active proctype A() { do :: arrive: d_step { n < 60 -> n++ } od }
        active proctype S() { do :: serve: d_step { n > 0 -> n-- } od }";
    let mut last = f64::INFINITY;
    for stages in [1, 2, 8, 32] {
        let study = format!(
            "[delay]\n\"A:arrive\" = {{ exponential = 2 }}\n\"S:serve\" = {{ erlang = 1, stages = {stages} }}
            [[ask]]\nmean = \"n\""
        );
        let found = figures("m.pml", model, &study);
        let load = 0.5;
        let expected = load + load * load * (1.0 + 1.0 / f64::from(stages)) / (2.0 * (1.0 - load));
        assert_near(&found[0], expected);
        let (_, high) = bounds(&found[0]);
        assert!(high < last, "{stages}: {high}");
        last = high;
    }
    // With fixed services it is 0.75.
    assert!(last > 0.75 && last < 0.76, "{last}");
}

/// A server goes from queue to queue: all eight states, by elimination.
#[test]
fn polling_agrees_with_a_dense_solver() {
    let model = "bit a, b, at;
        active proctype A() { do :: come: d_step { !a -> a = 1 } od }
        active proctype B() { do :: come: d_step { !b -> b = 1 } od }
        active proctype S() { do
            :: serve: d_step { (at == 0 && a) -> a = 0 }
            :: other: d_step { (at == 1 && b) -> b = 0 }
            :: turn: d_step { ((at == 0 && !a) || (at == 1 && !b)) -> at = 1 - at } od }";
    let study = "[delay]\n\"A:come\" = { exponential = 2 }\n\"B:come\" = { exponential = 4 }
        \"S:serve\" = { exponential = 1 }\n\"S:other\" = { exponential = 0.5 }\n\"S:turn\" = { exponential = 0.2 }
        [[ask]]\nmean = \"a + 2 * b + 4 * at\"\n[[ask]]\nmean_time = { to = \"a && b\" }";
    let found = figures("m.pml", model, study);
    let rows: Vec<Vec<(usize, f64)>> = (0..8)
        .map(|state| {
            let (a, b, at) = (state & 1, state >> 1 & 1, state >> 2);
            let mut row = Vec::new();
            row.extend((a == 0).then_some((state | 1, 0.5)));
            row.extend((b == 0).then_some((state | 2, 0.25)));
            let served = if at == 0 {
                (a == 1).then_some((state & !1, 1.0))
            } else {
                (b == 1).then_some((state & !2, 2.0))
            };
            row.push(served.unwrap_or((state ^ 4, 5.0)));
            row
        })
        .collect();
    // Balance, of which one equation is that all add up to 1.
    let mut matrix = vec![vec![0.0; 9]; 8];
    for (state, row) in rows.iter().enumerate() {
        for (to, rate) in row {
            matrix[*to][state] += rate;
            matrix[state][state] -= rate;
        }
    }
    matrix[7] = vec![1.0; 9];
    let shares = solved(matrix);
    assert_near(&found[0], (0..8).map(|state| state as f64 * shares[state]).sum());
    let mut matrix = vec![vec![0.0; 9]; 8];
    for (state, row) in rows.iter().enumerate() {
        if state & 3 == 3 {
            matrix[state][state] = 1.0;
            continue;
        }
        for (to, rate) in row {
            matrix[state][*to] -= rate;
            matrix[state][state] += rate;
        }
        matrix[state][8] = 1.0;
    }
    assert_near(&found[2], solved(matrix)[0]);
}

/// Solves equations whose right sides stand in the last column.
fn solved(mut matrix: Vec<Vec<f64>>) -> Vec<f64> {
    let size = matrix.len();
    for pivot in 0..size {
        let largest = (pivot..size)
            .max_by(|one, other| matrix[*one][pivot].abs().total_cmp(&matrix[*other][pivot].abs()));
        matrix.swap(pivot, largest.unwrap_or(pivot));
        let row = matrix[pivot].clone();
        for (place, other) in matrix.iter_mut().enumerate().filter(|(place, _)| *place != pivot) {
            let factor = other[pivot] / row[pivot];
            assert!(factor.is_finite(), "{place}");
            other.iter_mut().zip(&row).for_each(|(one, own)| *one -= factor * own);
        }
    }
    (0..size).map(|state| matrix[state][size] / matrix[state][state]).collect()
}
