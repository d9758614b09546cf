//! Delays of several exponential phases: studies of all forms against closed forms, and against simulation.

mod labelled;
mod studies;

use labelled::{assert_near, bounds, figures, lotos, reason, try_figures};

const SERVER: &str = "byte n;
    active proctype A() { do :: arrive: d_step { n < 120 -> n++ } od }
    active proctype S() { do :: serve: d_step { n > 0 -> n-- } od }";

/// A delay as a study writes it, its mean, its second moment, and how likely it is that it is over by a time.
struct Case {
    delay: &'static str,
    mean: f64,
    square: f64,
    over: fn(f64) -> f64,
}

fn exponential(mean: f64, time: f64) -> f64 {
    -(-time / mean).exp_m1()
}

/// Two stages of the same mean.
fn two(mean: f64, time: f64) -> f64 {
    1.0 - (1.0 + time / mean) * f64::exp(-time / mean)
}

const CASES: [Case; 5] = [
    Case {
        delay: "{ hyperexponential = [1, 12], parts = [0.8, 0.2] }",
        mean: 3.2,
        square: 0.8 * 2.0 + 0.2 * 288.0,
        over: |time| 0.8 * exponential(1.0, time) + 0.2 * exponential(12.0, time),
    },
    Case {
        delay: "{ hypoexponential = [3, 1] }",
        mean: 4.0,
        square: 2.0 * 9.0 + 2.0 + 2.0 * 3.0,
        over: |time| 1.0 - (3.0 * f64::exp(-time / 3.0) - f64::exp(-time)) / 2.0,
    },
    Case {
        // A quarter goes on to the second phase.
        delay: "{ coxian = [2, 2], further = [0.25] }",
        mean: 2.5,
        square: 0.75 * 8.0 + 0.25 * 24.0,
        over: |time| 0.75 * exponential(2.0, time) + 0.25 * two(2.0, time),
    },
    Case {
        delay: "{ hypererlang = [2, 9], stages = [2, 1], parts = [\"2/3\", \"1/3\"] }",
        mean: 13.0 / 3.0,
        square: 2.0 / 3.0 * 6.0 + 1.0 / 3.0 * 162.0,
        over: |time| 2.0 / 3.0 * two(1.0, time) + 1.0 / 3.0 * exponential(9.0, time),
    },
    Case {
        // The branch that is over sooner on average has the slower stage.
        delay: "{ hypererlang = [4, 5], stages = [1, 2], parts = [0.5, 0.5] }",
        mean: 4.5,
        square: 0.5 * 32.0 + 0.5 * 37.5,
        over: |time| 0.5 * exponential(4.0, time) + 0.5 * two(2.5, time),
    },
];

fn quantile(over: fn(f64) -> f64, part: f64) -> f64 {
    let (mut low, mut high) = (0.0, 1e4);
    for _ in 0..100 {
        let middle = f64::midpoint(low, high);
        if over(middle) < part { low = middle } else { high = middle }
    }
    low
}

#[test]
fn percentiles_are_those_of_the_distribution_in_all_forms() {
    // One request at a time: how long it takes is how long its only delay takes.
    let promela =
        "bit busy; active proctype P() { do :: rest: !busy -> busy = 1 :: work: busy -> busy = 0 od }";
    let graph = "des (0, 2, 2)\n(0, \"REST\", 1)\n(1, \"WORK\", 0)\n";
    let process = "process P[REST, WORK] : noexit := REST; WORK; P[REST, WORK] endproc";
    for Case { delay, mean, over, .. } in CASES {
        let study = |rest: &str, work: &str| {
            format!(
                "[delay]\n\"{rest}\" = {{ exponential = 5 }}\n\"{work}\" = {delay}
                [[ask]]\nlatency = {{ from = \"{rest}\", to = \"{work}\" }}\npercentile = [10, 50, 99]
                [[ask]]\nthroughput = \"{work}\""
            )
        };
        let labelled = study("REST", "WORK");
        let whole =
            format!("specification s [REST, WORK] : noexit behaviour P[REST, WORK] where {process} endspec");
        let all = [
            figures("m.pml", promela, &study("P:rest", "P:work")),
            figures("m.aut", graph, &labelled),
            lotos(&whole, &labelled),
        ];
        for found in all {
            assert_near(&found[0], mean);
            for (figure, part) in found[1..4].iter().zip([0.1, 0.5, 0.99]) {
                assert_near(figure, quantile(over, part));
            }
            assert_near(&found[4], 1.0 / (5.0 + mean));
        }
    }
}

/// The formula of Pollaczek and Khinchine knows the mean and the second moment alone.
#[test]
fn queues_are_as_long_as_pollaczek_and_khinchine_say() {
    for Case { delay, mean, square, .. } in CASES {
        let every = mean / 0.4;
        let study = format!(
            "[delay]\n\"A:arrive\" = {{ exponential = {every} }}\n\"S:serve\" = {delay}\n[[ask]]\nmean = \"n\""
        );
        let found = figures("m.pml", SERVER, &study);
        let expected = 0.4 + square / (every * every) / (2.0 * 0.6);
        let (low, high) = bounds(&found[0]);
        // The room is large enough that hardly anybody is sent away.
        assert!(
            (low / expected - 1.0).abs() < 1e-4 && (high / expected - 1.0).abs() < 1e-4,
            "{delay} {expected}"
        );
    }
}

/// A delay that goes on while another one ends keeps its phase.
#[test]
fn what_goes_on_keeps_its_phase() {
    let model = "bit a, b; active proctype P() { do :: work: !a -> a = 1 od }
        active proctype Q() { do :: tick: b = 1 - b od }";
    let study = |tick: &str| {
        format!(
            "[delay]\n\"P:work\" = {{ hypoexponential = [3, 1] }}\n\"Q:tick\" = {{ exponential = {tick} }}
            [[ask]]\ntransient = {{ of = \"a\", at = 2 }}"
        )
    };
    for tick in ["0.01", "1", "50"] {
        let found = figures("m.pml", model, &study(tick));
        assert_near(&found[0], (CASES[1].over)(2.0));
    }
}

#[test]
fn simulation_draws_them() {
    for Case { delay, mean, .. } in CASES {
        let study = format!(
            "[simulation]\nseed = 3\n[delay]\n\"A:arrive\" = {{ exponential = 20 }}\n\"S:serve\" = {delay}
            [[ask]]\nutilisation = \"n > 0\"\nview = \"simulated\""
        );
        let found = figures("m.pml", SERVER, &study);
        let narrows_model::FigureResult::Estimated { .. } = found[0].result else { panic!("{:?}", found[0]) };
        let (low, high) = bounds(&found[0]);
        // Of 99 % intervals, five are all right with this seed.
        assert!(low <= mean / 20.0 && mean / 20.0 <= high, "{delay} {low} {high}");
    }
}

#[test]
fn the_timed_view_says_what_it_takes() {
    let study = "[delay]\n\"A:arrive\" = 3\n\"S:serve\" = { hyperexponential = [1, 2], parts = [0.5, 0.5] }
        [[ask]]\nlatency = { from = \"A:arrive\", to = \"S:serve\" }\nview = \"timed\"";
    let found = figures("m.pml", SERVER, study);
    assert!(reason(&found[0]).contains("no greatest value"), "{}", reason(&found[0]));
}

#[test]
fn mistakes_are_told() {
    for (delay, said) in [
        ("{ hyperexponential = [1, 2], parts = [0.5, 0.6] }", "add up to 1"),
        ("{ hyperexponential = [1, 2], parts = [1] }", "needs 2 numbers in `parts`"),
        ("{ hyperexponential = [1, 2] }", "needs a list `parts`"),
        ("{ hypererlang = [1, 2], stages = [1], parts = [0.5, 0.5] }", "needs 2 numbers in `stages`"),
        ("{ hypererlang = [1, 2], stages = [1, 0.5], parts = [0.5, 0.5] }", "whole numbers"),
        ("{ coxian = [1, 2], further = [1.5] }", "not greater than 1"),
        ("{ hypoexponential = [1, 0] }", "above 0"),
        ("{ hypoexponential = [] }", "no phases"),
        ("{ hypoexponential = 3 }", "needs a list `hypoexponential`"),
        ("{ exponential = 3, column = \"x\" }", "belongs to `empirical`"),
    ] {
        let study =
            format!("[delay]\n\"A:arrive\" = 3\n\"S:serve\" = {delay}\n[[ask]]\nthroughput = \"S:serve\"");
        let wrong = try_figures("m.pml", SERVER, &study).expect_err("a mistake");
        assert!(format!("{wrong:?}").contains(said), "{delay}: {wrong:?}");
    }
}
