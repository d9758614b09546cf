//! Conditions about labels, and mean times between actions: LOTOS models and graphs against closed forms, and
//! against Promela models of the same systems.

mod labelled;
mod studies;

use labelled::{assert_near, bounds, figures, lotos, reason, try_figures, try_prepare};
use narrows_model::{Figure, FigureResult};
use narrows_study::View;
use studies::budget;

/// A specification of one process that goes round.
fn cycle(gates: &str, body: &str) -> String {
    format!(
        "specification S [{gates}] : noexit behaviour P [{gates}] where
           process P [{gates}] : noexit := {body} endproc endspec"
    )
}

fn word(figure: &Figure) -> &str {
    match &figure.result {
        FigureResult::Word(word) => word,
        other => panic!("{}: {other:?}", figure.name),
    }
}

fn assert_same(one: &[Figure], other: &[Figure]) {
    assert_eq!(one.len(), other.len());
    for (one, other) in one.iter().zip(other) {
        assert_near(one, f64::midpoint(bounds(other).0, bounds(other).1));
    }
}

const MM1K: &str = "specification Queue [arrive, start, serve] : noexit library Boolean, Natural endlib
    behaviour (Room [arrive, start] (0) |[start]| Server [start, serve]) where
      process Room [arrive, start] (n : Nat) : noexit :=
        [n lt 4] -> arrive; Room [arrive, start] (n + 1) [] [n gt 0] -> start; Room [arrive, start] (n - 1)
      endproc
      process Server [start, serve] : noexit := start; serve; Server [start, serve] endproc
    endspec";

/// Four wait and one is served, at most.
#[test]
fn the_utilisation_of_a_queue_has_its_closed_form_in_all_languages() {
    let study = "[resource]
        server = \"start .. serve\"
        [define]
        SERVES = \"serve\"
        [delay]
        arrive = { exponential = 2 }
        serve = { exponential = 1.25 }
        [[ask]]
        utilisation = \"server\"
        [[ask]]
        utilisation = \"SERVES\"
        [[ask]]
        transient = { of = \"start .. serve\", at = 3 }
        [[ask]]
        mean_delay = { from = \"arrive\", to = \"serve\" }
        [[ask]]
        mean_delay = { from = \"serve\", to = \"start\" }";
    let found = lotos(MM1K, study);
    let load: f64 = 1.25 / 2.0;
    let idle = (1.0 - load) / (1.0 - load.powi(6));
    assert_near(&found[0], 1.0 - idle);
    assert_near(&found[1], 1.0 - idle);
    // Whenever somebody arrives, the rest of the service has no memory.
    assert_near(&found[3], 1.25);
    // After a service that leaves nobody waiting, the next customer is waited for.
    let leaves_none = load * idle / (1.0 - idle);
    assert_near(&found[4], leaves_none * 2.0);
    let graph = "des (0, 10, 6)\n(0, \"ARRIVE\", 1)\n(1, \"ARRIVE\", 2)\n(2, \"ARRIVE\", 3)\n(3, \"ARRIVE\", 4)\n\
         (4, \"ARRIVE\", 5)\n(1, \"SERVE\", 0)\n(2, \"SERVE\", 1)\n(3, \"SERVE\", 2)\n(4, \"SERVE\", 3)\n(5, \"SERVE\", 4)";
    let delays = "[delay]\narrive = { exponential = 2 }\nserve = { exponential = 1.25 }\n";
    let asks = |busy: &str| {
        format!(
            "{delays}[[ask]]\nutilisation = \"{busy}\"\n[[ask]]\ntransient = {{ of = \"{busy}\", at = 3 }}"
        )
    };
    let of_graph = figures("m.aut", graph, &asks("SERVE"));
    assert_same(&of_graph, &[found[0].clone(), found[2].clone()]);
    let promela = "byte n;
        active proctype A() { do :: arrive: d_step { n < 5 -> n++ } od }
        active proctype S() { do :: serve: d_step { n > 0 -> n-- } od }";
    let asks = asks("n > 0").replace("\narrive", "\n\"A:arrive\"").replace("\nserve", "\n\"S:serve\"");
    assert_same(&figures("m.pml", promela, &asks), &of_graph);
}

#[test]
fn a_chain_of_two_states_has_its_probability_at_a_time() {
    let study = "[delay]\nfail = { exponential = 5 }\nrepair = { exponential = 2 }\n
        [[ask]]\ntransient = { of = \"fail .. repair\", at = 1.5 }
        [[ask]]\nutilisation = \"fail .. repair\"
        [[ask]]\ntransient = { of = \"FAIL .. REPAIR\", at = 0 }";
    let (fails, repairs) = (0.2, 0.5);
    let sum: f64 = fails + repairs;
    let graph = "des (0, 2, 2)\n(0, \"FAIL\", 1)\n(1, \"REPAIR\", 0)";
    for found in [
        lotos(&cycle("fail, repair", "fail; repair; P [fail, repair]"), study),
        figures("m.aut", graph, study),
    ] {
        assert_near(&found[0], fails / sum * (1.0 - (-1.5 * sum).exp()));
        assert_near(&found[1], fails / sum);
        assert!(bounds(&found[2]).1 < 1e-9);
    }
}

/// Two stages, each with one server: a job comes when the one before it has left the first stage.
#[test]
fn passage_times_of_a_tandem_agree_with_promela() {
    let tandem = "specification Tandem [come, pass, leave] : noexit
        behaviour One [come, pass] |[pass]| Two [pass, leave] where
          process One [come, pass] : noexit := come; pass; One [come, pass] endproc
          process Two [pass, leave] : noexit := pass; leave; Two [pass, leave] endproc
        endspec";
    let study = "[event]\nleft = \"leave\"
        [delay]\ncome = { exponential = 3 }\npass = { erlang = 2, stages = 3 }\nleave = { exponential = 4 }\n
        [[ask]]\nmean_delay = { from = \"come\", to = \"pass\" }
        [[ask]]\nmean_delay = { from = \"pass\", to = \"left\" }
        [[ask]]\nutilisation = \"come .. pass\"
        [[ask]]\nutilisation = \"pass .. leave\"";
    let found = lotos(tandem, study);
    let promela = "bool one, two;
        active proctype C() { do :: come: d_step { !one -> one = true } od }
        active proctype P() { do :: pass: d_step { one && !two -> one = false; two = true } od }
        active proctype L() { do :: leave: d_step { two -> two = false } od }";
    let study = "[delay]\n\"C:come\" = { exponential = 3 }\n\"P:pass\" = { erlang = 2, stages = 3 }
        \"L:leave\" = { exponential = 4 }\n
        [[ask]]\nmean_delay = { from = \"one\", to = \"!one\" }
        [[ask]]\nmean_delay = { from = \"two\", to = \"!two\" }
        [[ask]]\nutilisation = \"one\"
        [[ask]]\nutilisation = \"two\"";
    assert_same(&found, &figures("m.pml", promela, study));
    assert_near(&found[1], 4.0);
}

fn mean(body: &str, from: &str, to: &str) -> Figure {
    let gates = "go, send, recv, fast, slow, skip";
    let study = format!(
        "[delay]\ngo = {{ exponential = 1 }}\nfast = {{ exponential = 2 }}\nslow = {{ exponential = 8 }}\n
         [[ask]]\nmean_delay = {{ from = \"{from}\", to = \"{to}\" }}"
    );
    let body = body.replace('P', &format!("P [{gates}]"));
    let is_used = |line: &&str| match line.split_once(" = { exponential") {
        Some((gate, _)) => body.contains(&format!("{gate};")),
        None => true,
    };
    let study: Vec<&str> = study.lines().filter(is_used).collect();
    lotos(&cycle(gates, &body), &study.join("\n")).remove(0)
}

/// What happens at one time is taken in its order, and each action counts.
#[test]
fn actions_at_the_same_time_are_told_apart() {
    let check =
        |body: &str, from: &str, to: &str, expected: f64| assert_near(&mean(body, from, to), expected);
    check("go; send; skip; fast; recv; P", "send", "recv", 2.0);
    check("send; skip; fast; recv; P", "send", "recv", 2.0);
    // One takes no time, the other waits.
    check("go; send; recv; send; fast; recv; P", "send", "recv", 1.0);
    check("go; send; recv; fast; P", "send", "recv", 0.0);
    // Two begin at once, and then one alone.
    check("send; send; fast; recv; send; slow; recv; P", "send", "recv", 4.0);
    // A second one begins while the first waits for the same end.
    check("send; slow; send; fast; recv; P", "send", "recv", 6.0);
    // The end of one is the beginning of the next.
    check("recv; send; fast; P", "send", "recv", 2.0);
    check("fast; slow; P", "fast", "fast", 10.0);
    check("fast; P", "fast", "fast", 2.0);
    check("fast; fast; slow; P", "fast", "fast", 6.0);
    check("go; send; fast; go; slow; recv; P", "go", "go", 6.0);
    assert!(bounds(&mean("send; fast; P", "send", "recv")).0.is_infinite());
    assert!(reason(&mean("fast; recv; P", "send", "recv")).contains("never begins"));
}

#[test]
fn a_passage_may_begin_once_at_the_start() {
    let once = "specification S [send, work, recv] : exit behaviour send; work; recv; exit endspec";
    let study = "[delay]\nwork = { erlang = 6, stages = 2 }\n[[ask]]\nmean_delay = { from = \"send\", to = \"recv\" }";
    assert_near(&lotos(once, study)[0], 6.0);
}

#[test]
fn open_choices_leave_a_range() {
    let body = "send; (i; fast; recv; P [] i; slow; recv; P)";
    let found = mean(body, "send", "recv");
    let (low, high) = bounds(&found);
    assert!((low - 2.0).abs() < 1e-5 && (high - 8.0).abs() < 1e-5, "{low} {high}");
    assert!(found.notes.iter().any(|note| note.contains("equally likely it is 5.")), "{:?}", found.notes);
    // A passage that takes no time is the least there is, whoever decides.
    let body = "go; (i; send; recv; P [] i; send; fast; recv; P)";
    let (low, high) = bounds(&mean(body, "send", "recv"));
    assert!(low.abs() < 1e-9 && (high - 2.0).abs() < 1e-5, "{low} {high}");
    // The end of one passage is the beginning of the next.
    let body = "send; (i; fast; P [] i; slow; P)";
    let (low, high) = bounds(&mean(body, "send", "send"));
    assert!((low - 2.0).abs() < 1e-5 && (high - 8.0).abs() < 1e-5, "{low} {high}");
}

/// Steps with the same label have clocks of their own.
#[test]
fn equal_labels_race() {
    let servers = "specification Two [a, b] : noexit behaviour P [a, b] ||| P [a, b] where
        process P [a, b] : noexit := a; b; P [a, b] endproc endspec";
    let study = "[delay]\na = { exponential = 1 }\nb = { exponential = 3 }\n
        [[ask]]\nmean_delay = { from = \"a\", to = \"a\" }
        [[ask]]\nutilisation = \"b\"";
    let found = lotos(servers, study);
    assert_near(&found[0], 2.0);
    assert_near(&found[1], 1.0 - 1.0 / 16.0);
}

#[test]
fn with_exact_delays_conditions_hold_for_a_part_of_the_time() {
    let model = cycle("a, b, c", "a; b; c; P [a, b, c]");
    let study = "[delay]\na = { fixed = 2 }\nb = { between = [1, 2] }\nc = { fixed = 1 }\n
        [[ask]]\nutilisation = \"a .. b\"\nview = \"timed\"
        [[ask]]\nutilisation = \"c\"\nview = \"timed\"
        [[ask]]\nmin_delay = { from = \"a\", to = \"c\" }";
    let found = lotos(&model, study);
    assert_eq!(bounds(&found[0]), (0.25, 0.4));
    assert_eq!(bounds(&found[1]), (0.2, 0.25));
    assert_eq!(bounds(&found[2]), (2.0, 2.0));
    assert_eq!(found[0].witnesses.len(), 2);
}

/// Counted in ticks of 16 ns, this has forty million edges.
#[test]
fn ranges_beside_odd_delays_need_no_ticks() {
    let model = "specification S [a, b, c, d] : noexit behaviour P [a, b] ||| P [c, d] where
          process P [x, y] : noexit := x; y; P [x, y] endproc
        endspec";
    let study = "[delay]\na = { between = [45, 75] }\nb = { fixed = \"2.048 s\" }
        c = { between = [10, 31] }\nd = { fixed = \"1.024 s\" }
        [[ask]]\nmax_delay = { from = \"b\", to = \"a\" }\nview = \"timed\"
        [[ask]]\nthroughput = \"b\"\nview = \"timed\"
        [[ask]]\ndelay = { from = \"b\", to = \"d\" }\nview = \"timed\"";
    let measured = try_prepare("m.lotos", model, study).expect("a study").measure(&budget());
    let found = &measured.figures;
    assert_eq!(bounds(&found[0]), (75.0, 75.0));
    assert_eq!(bounds(&found[1]), (1.0 / 77.048, 1.0 / 47.048));
    assert_eq!(bounds(&found[2]), (0.0, 32.024));
    assert_eq!(measured.sizes[0].unit, "state classes");
    assert!(found.iter().all(|figure| !figure.witnesses.is_empty()));
}

#[test]
fn resources_of_labels_overlap_or_not() {
    let model = "specification S [a, b, c, d] : noexit behaviour
          (P [a, b] ||| P [c, d]) |[b, c]| Turns [b, c] where
          process P [x, y] : noexit := x; y; P [x, y] endproc
          process Turns [b, c] : noexit := b; c; Turns [b, c] endproc
        endspec";
    let study = "[resource]\nleft = \"a .. b\"\nright = \"c .. d\"\nturn = \"b .. c\"\n
        [delay]\na = { fixed = 4 }\nb = { fixed = 1 }\nc = { fixed = 1 }\nd = { fixed = 1 }\n
        [[ask]]\noverlap = [\"left\", \"right\"]
        [[ask]]\noverlap = [\"right\", \"turn\"]
        [[ask]]\noverlap = [\"left\", \"right\"]\nview = \"timed\"
        [[ask]]\noverlap = [\"left\", \"right\"]\nview = \"stochastic\"";
    let found = lotos(model, study);
    assert_eq!(word(&found[0]), "possible");
    assert_eq!(word(&found[1]), "possible");
    // A right half takes one second, and the next left one begins four seconds after the last.
    assert_eq!(word(&found[2]), "never");
    assert!(reason(&found[3]).contains("utilisation"));
    let analysis = try_prepare("m.lotos", model, study).unwrap().analyse(&budget());
    let bottleneck = analysis.bottleneck;
    assert_eq!(bottleneck.resources.len(), 3);
    assert_eq!(bottleneck.overlaps.len(), 3);
    assert!(bottleneck.overlaps.iter().all(|overlap| overlap.answers.len() == 2));
    assert_eq!(bottleneck.together.len(), 2);
    assert_eq!(bottleneck.together[1].sets, [[0], [1], [2]]);
    assert_eq!(bottleneck.utilisation.len(), 3);
    assert!(
        bottleneck.utilisation.iter().flatten().all(|one| matches!(one.result, FigureResult::Value { .. }))
    );
}

#[test]
fn a_random_run_estimates_what_is_computed() {
    let study = "[resource]\nserver = \"start .. serve\"
        [delay]\narrive = { exponential = 2 }\nserve = { exponential = 1.25 }\n
        [[ask]]\nutilisation = \"server\"
        [[ask]]\nthroughput = \"serve\"
        [[ask]]\nmean_count = { of = \"start\", per = \"arrive\" }";
    let exact = lotos(MM1K, study);
    let prepared = try_prepare("m.lotos", MM1K, study).unwrap();
    let estimated = prepared.estimate(View::Stochastic, 200_000, 7, &budget()).unwrap().figures;
    assert_eq!(estimated.len(), 3);
    for (one, exact) in estimated.iter().zip(&exact) {
        let ((low, high), (least, most)) = (bounds(one), bounds(exact));
        assert!(low <= most && least <= high && high - low < 0.02, "{low} {high}: {least} {most}");
    }
}

#[test]
fn what_is_malformed_is_said() {
    let clock = cycle("a", "a; P [a]");
    let wrong = |study: &str| try_figures("m.lotos", &clock, study).unwrap_err();
    assert_eq!(wrong("[resource]\nr = \"a .. !1\""), ["S0004 `!1` does not begin with the name of a gate"]);
    let delay = "[delay]\na = { exponential = 1 }\n";
    let twice = "S0009 a condition about labels has one beginning and one end";
    let defined = "[define]\nd = \"a .. b .. c\"\n[[ask]]\nutilisation = \"d\"";
    assert_eq!(wrong(&format!("{delay}{defined}")), [twice]);
    assert_eq!(wrong(&format!("{delay}[[ask]]\nutilisation = \"a ..\"")), [twice]);
    assert_eq!(wrong(&format!("{delay}[[ask]]\nmean_delay = {{ from = \"\", to = \"a\" }}")).len(), 1);
    assert!(wrong("[resource]\nr = \"a\"\n[[ask]]\noverlap = [\"r\", \"s\"]")[0].starts_with("S0011"));
    let unused =
        "specification s [a] (n, m : Nat) : noexit library NaturalNumber endlib behaviour a !n; stop endspec";
    let varied = |name: &str| {
        let study = format!("[constant]\nn = 1\nm = 2\n[sweep]\n{name} = [1, 2]\n[[ask]]\ndeadlock = true");
        try_figures("m.lotos", unused, &study)
    };
    assert!(varied("n").is_ok());
    assert_eq!(varied("m").unwrap_err(), ["S0010 the model does not use its parameter `m`"]);
    assert!(wrong("[weight]\na = [1, 2]")[0].starts_with("S0013"));
    assert!(wrong("[[ask]]\ninvariant = \"a\"")[0].starts_with("S0014"));
    let found = lotos(&clock, "[delay]\na = { exponential = 1 }\n[[ask]]\nutilisation = \"b .. a\"");
    assert!(found[0].notes.iter().any(|note| note.contains("gate of `B`")), "{:?}", found[0].notes);
}
