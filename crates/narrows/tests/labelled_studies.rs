//! Delays of actions: LOTOS models against closed forms, and against Promela models of the same systems.

mod labelled;
mod studies;

use labelled::{assert_near, bounds, figures, lotos, reason, try_figures, try_prepare};
use narrows::simulation::Session;
use narrows_model::{FigureResult, Number, RunStep};
use studies::budget;

const CLOCK: &str = "specification Clock [a] : noexit
    behaviour Clock [a] where process Clock [a] : noexit := a; Clock [a] endproc endspec";

#[test]
fn an_erlang_delay_has_its_mean() {
    for stages in [1, 2, 7] {
        let study = format!("[delay]\na = {{ erlang = 4, stages = {stages} }}\n[[ask]]\nthroughput = \"a\"");
        assert_near(&lotos(CLOCK, &study)[0], 0.25);
    }
}

#[test]
fn actions_have_clocks_in_a_simulation() {
    let model = "specification Two [load, drill] : noexit
        behaviour Feed [load] ||| Work [drill] where
          process Feed [load] : noexit := load; Feed [load] endproc
          process Work [drill] : noexit := drill; Work [drill] endproc
        endspec";
    let study = "[delay]\nload = 3\ndrill = 5\n[[ask]]\nthroughput = \"load\"";
    let study = try_prepare("m.lotos", model, study).expect("a study");
    let model = study.model();
    let mut session = Session::new(&model, 1).expect("a run");
    let mut clock = study.clock(1).expect("a clock");
    let mut run = Vec::new();
    for _ in 0..5 {
        assert!(clock.random_step(&mut session));
        clock.follow(&session);
        let label = session.last().map(|taken| taken.step.actions[0].label.to_lowercase());
        run.push(format!("{} {}", label.expect("a step"), clock.now(&session)));
    }
    // Either goes on while the other happens.
    assert_eq!(run, ["load 3", "drill 5", "load 6", "load 9", "drill 10"]);
}

/// A queue with room for so many, of one process: what it does next is a choice between two actions.
fn queue(room: u32) -> String {
    format!(
        "specification Queue [arrive, serve] : noexit library Boolean, Natural endlib
         behaviour Queue [arrive, serve] (0) where
           process Queue [arrive, serve] (n : Nat) : noexit :=
             [n lt {room}] -> arrive; Queue [arrive, serve] (n + 1)
             [] [n gt 0] -> serve; Queue [arrive, serve] (n - 1)
           endproc
         endspec"
    )
}

/// A queue of two places whose service has two stages, by hand: the service goes on while somebody arrives.
#[test]
fn a_queue_with_stages_of_service_has_its_closed_form() {
    let study = "[delay]
        arrive = { exponential = 2 }
        serve = { erlang = 1, stages = 2 }
        [[ask]]
        throughput = \"serve\"";
    let (arrives, stage) = (0.5, 2.0);
    let ratio = arrives / stage;
    // Probabilities, if that of the empty queue is 1: how many there are, and in which stage the first is.
    let one_second = ratio;
    let one_first = one_second * (1.0 + ratio);
    let two_first = one_first * ratio;
    let two_second = one_second * ratio + two_first;
    let full = two_first + two_second;
    let all = 1.0 + one_first + one_second + full;
    assert_near(&lotos(&queue(2), study)[0], arrives * (1.0 - full / all));
}

/// A clock is lost when its action is not possible any more: `a`, of two stages, against `b`, which has none.
#[test]
fn a_clock_is_lost_with_its_action() {
    let model = "specification Race [a, b, c] : noexit
        behaviour Race [a, b, c] where
          process Race [a, b, c] : noexit := a; c; Race [a, b, c] [] b; c; Race [a, b, c] endproc
        endspec";
    let study = "[delay]
        a = { erlang = 2, stages = 2 }
        b = { exponential = 3 }
        c = { exponential = 1 }
        [[ask]]
        throughput = \"a\"
        [[ask]]
        throughput = \"b\"";
    let (stage, other) = (1.0_f64, 1.0 / 3.0);
    let wins: f64 = (stage / (stage + other)).powi(2);
    let period = (1.0 + stage / (stage + other)) / (stage + other) + 1.0;
    let found = lotos(model, study);
    assert_near(&found[0], wins / period);
    assert_near(&found[1], (1.0 - wins) / period);
}

/// A clock goes on while its action stays possible, whatever else happens: two clocks do not know of each
/// other.
#[test]
fn clocks_run_beside_each_other() {
    let model = "specification Two [a, b] : noexit
        behaviour Two [a, b] where
          process Two [a, b] : noexit := a; Two [a, b] [] b; Two [a, b] endproc
        endspec";
    let ask = "[[ask]]\nthroughput = \"a\"\n[[ask]]\nthroughput = \"b\"";
    let random = lotos(
        model,
        &format!("[delay]\na = {{ erlang = 2, stages = 3 }}\nb = {{ erlang = 5, stages = 2 }}\n{ask}"),
    );
    assert_near(&random[0], 0.5);
    assert_near(&random[1], 0.2);
    let exact = lotos(model, &format!("[delay]\na = {{ fixed = 2 }}\nb = {{ fixed = 5 }}\n{ask}"));
    let ratio = |one: i128, other: i128| {
        let number = Number::Ratio(one, other);
        FigureResult::Value { low: number, high: number, exact: true }
    };
    let timed: Vec<_> = exact.iter().filter(|figure| figure.view == "timed").collect();
    assert_eq!((&timed[0].result, &timed[1].result), (&ratio(1, 2), &ratio(1, 5)));
}

/// A pipeline with room for so many between its stages, as LOTOS and as Promela. In Promela, `last` is the
/// last action, and `turn` changes with each `make`.
fn pipelines(room: u32) -> (String, String) {
    let lotos = format!(
        "specification Pipeline [make, put, get, use] : noexit library Boolean, Natural endlib
         behaviour (Producer [make, put] ||| Consumer [get, use]) |[put, get]| Buffer [put, get] (0) where
           process Producer [make, put] : noexit := make; put; Producer [make, put] endproc
           process Consumer [get, use] : noexit := get; use; Consumer [get, use] endproc
           process Buffer [put, get] (n : Nat) : noexit :=
             [n lt {room}] -> put; Buffer [put, get] (n + 1)
             [] [n gt 0] -> get; Buffer [put, get] (n - 1)
           endproc
         endspec"
    );
    let promela = format!(
        "mtype = {{ none, make, put, get, use }}; mtype last = none; byte n; bit turn;
         active proctype producer() {{
           do :: make: d_step {{ true -> last = make; turn = 1 - turn }};
                 put: d_step {{ n < {room} -> n++; last = put }} od }}
         active proctype consumer() {{
           do :: get: d_step {{ n > 0 -> n--; last = get }};
                 use: last = use od }}"
    );
    (lotos, promela)
}

#[test]
fn best_and_worst_cases_are_those_of_promela() {
    let delays = [
        ("fixed = 3", "fixed = 5"),
        ("fixed = 5", "fixed = 3"),
        ("between = [2, 3]", "fixed = 4"),
        ("fixed = 4", "between = [1, 6]"),
        ("between = [1, 4]", "between = [2, 3]"),
    ];
    for room in [1, 2] {
        let (lotos_model, promela_model) = pipelines(room);
        for (make, use_) in delays {
            let by_label = format!(
                "[delay]\nmake = {{ {make} }}\nuse = {{ {use_} }}
                 [[ask]]\nthroughput = \"use\"
                 [[ask]]\ndelay = {{ from = \"make\", to = \"use\" }}
                 [[ask]]\nmin_delay = {{ from = \"put\", to = \"get\" }}
                 [[ask]]\nmax_delay = {{ from = \"put\", to = \"put\" }}
                 [[ask]]\ndelay = {{ from = \"make\", to = \"make\" }}
                 [[ask]]\ncount = {{ of = \"use\", from = \"make\", to = \"make\" }}
                 [[ask]]\ncount = {{ of = \"make\", from = \"get\", to = \"use\" }}"
            );
            let by_state = format!(
                "[delay]\n\"producer:make\" = {{ {make} }}\n\"consumer:use\" = {{ {use_} }}
                 [[ask]]\nthroughput = \"consumer:use\"
                 [[ask]]\ndelay = {{ from = \"last == make\", to = \"last == use\" }}
                 [[ask]]\nmin_delay = {{ from = \"last == put\", to = \"last == get\" }}
                 [[ask]]\nmax_delay = {{ from = \"last == put && turn\", to = \"last == put && !turn\" }}
                 [[ask]]\ndelay = {{ from = \"last == make && turn\", to = \"last == make && !turn\" }}
                 [[ask]]\ncount = {{ of = \"consumer:use\", from = \"last == make && turn\", to = \"last == make && !turn\" }}
                 [[ask]]\ncount = {{ of = \"producer:make\", from = \"last == get\", to = \"last == use\" }}"
            );
            let one = figures("m.lotos", &lotos_model, &by_label);
            let other = figures("m.pml", &promela_model, &by_state);
            assert_eq!(one.len(), other.len());
            for (one, other) in one.iter().zip(&other) {
                assert_eq!(one.view, other.view);
                if one.view == "timed" {
                    let said = format!("{} {}: room {room}, {make}, {use_}", one.kind, one.name);
                    assert_eq!(one.result, other.result, "{said}");
                    assert!(matches!(one.result, FigureResult::Value { exact: true, .. }), "{said}");
                    assert!(!one.witnesses.is_empty() && one.notes.is_empty(), "{said}");
                } else {
                    let (one, other) = (bounds(one), bounds(other));
                    assert!(one.0 <= other.1 && other.0 <= one.1, "{one:?} {other:?}");
                }
            }
        }
    }
}

#[test]
fn stages_are_those_of_promela() {
    let delays =
        [("erlang = 3, stages = 2", "exponential = 2"), ("erlang = 3, stages = 4", "erlang = 2, stages = 3")];
    for room in [1, 2] {
        let (lotos_model, promela_model) = pipelines(room);
        for (make, use_) in delays {
            let study = |places: [&str; 2]| {
                format!(
                    "[delay]\n\"{}\" = {{ {make} }}\n\"{}\" = {{ {use_} }}\n[[ask]]\nthroughput = \"{}\"",
                    places[0], places[1], places[1]
                )
            };
            let one = figures("m.lotos", &lotos_model, &study(["make", "use"]));
            let other = figures("m.pml", &promela_model, &study(["producer:make", "consumer:use"]));
            assert_near(&one[0], f64::midpoint(bounds(&other[0]).0, bounds(&other[0]).1));
        }
    }
}

/// To go round without delay is to wait: `i` here, until `a` has taken its time.
#[test]
fn busy_waiting_is_waiting() {
    let model = "specification Poll [a, b] : noexit
        behaviour Work [a, b] where
          process Work [a, b] : noexit := b; Poll [a, b] endproc
          process Poll [a, b] : noexit := i; Poll [a, b] [] a; Work [a, b] endproc
        endspec";
    for delay in ["exponential = 2", "erlang = 2, stages = 3", "fixed = 2"] {
        let study = format!("[delay]\na = {{ {delay} }}\nb = {{ {delay} }}\n[[ask]]\nthroughput = \"a\"");
        for figure in lotos(model, &study) {
            assert_near(&figure, 0.25);
        }
    }
    // What is counted can't happen again and again while no time passes.
    let study = "[delay]\na = { exponential = 2 }\n[[ask]]\nthroughput = \"b\"";
    let model = model.replace("i; Poll [a, b]", "b; Poll [a, b]");
    assert!(reason(&lotos(&model, study)[0]).contains("no time passes on the cycle"));
}

/// Runs that show bounds are told with their labels and times.
#[test]
fn runs_show_the_bounds() {
    let study = "[delay]\narrive = { fixed = 1 }\nserve = { between = [2, 5] }
        [[ask]]\nmax_delay = { from = \"arrive\", to = \"serve\" }";
    let found = lotos(&queue(1), study);
    assert_eq!(bounds(&found[0]), (5.0, 5.0));
    let (_, trace) = &found[0].witnesses[0];
    let labels: Vec<&str> = trace.steps.iter().filter_map(RunStep::label).collect();
    assert_eq!(labels, ["ARRIVE", "SERVE"]);
    assert_eq!(trace.times, ["1 s", "6 s"]);
}

/// Without delays, steps are counted; where it never ends, there is no most.
#[test]
fn steps_are_counted_without_delays() {
    let study = "[[ask]]\ndelay = { from = \"arrive\", to = \"serve\" }
        [[ask]]\ncount = { of = \"arrive\", from = \"serve\", to = \"serve\" }
        [[ask]]\nmax_delay = { from = \"serve\", to = \"nothing\" }
        [[ask]]\nmax_delay = { from = \"nothing\", to = \"serve\" }
        [[ask]]\nmakespan = true";
    let found = lotos(&queue(2), study);
    assert_eq!(bounds(&found[0]), (1.0, 2.0));
    assert_eq!(bounds(&found[1]), (0.0, 2.0));
    assert_eq!(bounds(&found[2]), (f64::INFINITY, f64::INFINITY));
    assert_eq!(reason(&found[3]), "`nothing` never happens, so that nothing begins.");
    assert_eq!(bounds(&found[4]), (f64::INFINITY, f64::INFINITY));
    assert!(found.iter().all(|figure| figure.view == "untimed"));
}

/// A gate that is never used may be a slip: that it happens 0 times is not all that is said.
#[test]
fn gates_that_are_never_used_are_told() {
    let study =
        "[delay]\na = { exponential = 2 }\n[[ask]]\nthroughput = \"aa\"\n[[ask]]\nthroughput = \"a !1\"";
    let found = lotos(CLOCK, study);
    assert_eq!(bounds(&found[0]), (0.0, 0.0));
    assert!(found[0].notes[0].starts_with("No label is about the gate of `AA`"), "{:?}", found[0].notes);
    assert!(found[1].notes.is_empty());
}

#[test]
fn what_can_not_be_answered_is_said() {
    let twice = "specification Twice [a] : noexit
        behaviour Clock [a] ||| Clock [a] where process Clock [a] : noexit := a; a; Clock [a] endproc endspec";
    for delay in ["fixed = 2", "erlang = 2, stages = 2"] {
        let study = format!("[delay]\na = {{ {delay} }}\n[[ask]]\nthroughput = \"a\"");
        assert!(reason(&lotos(twice, &study)[0]).starts_with("Two steps of a state have the label `A`"));
    }
    // Without memory, it does not matter whose clock it is.
    let study = "[delay]\na = { exponential = 2 }\n[[ask]]\nthroughput = \"a\"";
    assert_near(&lotos(twice, study)[0], 1.0);
    let study = "[delay]\na = { exponential = 2 }\n[[ask]]\nmax_delay = { from = \"a\", to = \"a\" }";
    assert!(reason(&lotos(CLOCK, study)[0]).starts_with("The delay of `A` is random"));
    let views =
        "[delay]\na = { fixed = 2 }\n[[ask]]\nmax_delay = { from = \"a\", to = \"a\" }\nview = \"stochastic\"
        [[ask]]\nmean_period = \"a\"\nview = \"timed\"";
    let found = lotos(CLOCK, views);
    assert!(reason(&found[0]).starts_with("This is about best and worst cases"));
    assert!(reason(&found[1]).starts_with("This is a mean over runs"));
    let still = "specification Still [a, b] : noexit
        behaviour Loop [b] ||| a; stop where process Loop [b] : noexit := b; i; Loop [b] endproc endspec";
    let study =
        "[delay]\na = { fixed = 2 }\n[event]\nb = \"b\"\n[[ask]]\nthroughput = \"b\"\nview = \"timed\"";
    let found = lotos(still, study);
    assert!(bounds(&found[0]).1.is_infinite());
    let wrong = try_figures("m.lotos", CLOCK, "[delay]\na = { exponential = 2, times = \"n\" }").unwrap_err();
    assert!(wrong[0].starts_with("S0013"), "{wrong:?}");
    let wrong =
        try_figures("m.lotos", CLOCK, "[[ask]]\nmax_delay = { from = \"!\", to = \"a\" }").unwrap_err();
    assert!(wrong[0].starts_with("S0004"), "{wrong:?}");
}

#[test]
fn the_delay_that_takes_longest_is_the_bottleneck() {
    // One after the other, for 1, 2 and 5 seconds: that is how much of a round depends on each.
    let model = "specification Round [a, b, c] : noexit
        behaviour Round [a, b, c] where
        process Round [a, b, c] : noexit := a; b; c; Round [a, b, c] endproc endspec";
    let study = "[delay]\na = { exponential = 1 }\nb = { erlang = 2, stages = 2 }\nc = { exponential = 5 }\n
        [[ask]]\nthroughput = \"b\"\n[[ask]]\nbottleneck = \"b\"\nexpect = \"c\"";
    let found =
        try_prepare("m.lotos", model, study).unwrap_or_else(|wrong| panic!("{wrong:?}")).analyse(&budget());
    assert!(matches!(&found.measured.figures[1].result, FigureResult::Word(name) if name == "c"));
    assert_near(&found.measured.figures[0], 1.0 / 8.0);
    let [flow] = found.bottleneck.flows.as_slice() else { panic!("{:?}", found.bottleneck.flows) };
    let shares = [("c", 5.0 / 8.0), ("b", 2.0 / 8.0), ("a", 1.0 / 8.0)];
    for (change, (name, share)) in flow.changes.iter().zip(shares) {
        let elasticity = change.elasticity().expect("all are known");
        assert!(change.delay == name && (elasticity - share).abs() < 1e-4, "{change:?}");
    }
    assert_eq!(flow.changes.len(), 3);
    assert!(flow.findings[0].contains("`c`") && flow.findings[0].contains("62.5 %"), "{:?}", flow.findings);
}

#[test]
fn deadlocks_can_be_asked_about() {
    let ask = "[[ask]]\ndeadlock = true\n";
    let word = |model: &str| {
        let figure = lotos(model, ask).remove(0);
        match figure.result {
            FigureResult::Word(word) => (word, figure.notes),
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(word(CLOCK).0, "holds");
    let ends = "specification Ends [a] : exit behaviour a; exit endspec";
    assert_eq!(word(ends).0, "holds");
    let stops = "specification Stops [a, b] : noexit behaviour a; b; stop endspec";
    let (word, notes) = word(stops);
    assert_eq!((word.as_str(), notes), ("fails", vec!["A run that shows it: A; B.".to_owned()]));
    // The run itself is there too.
    assert_eq!(lotos(stops, ask)[0].witnesses[0].1.steps.len(), 2);
}
