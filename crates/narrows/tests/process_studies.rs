//! Studies of small models, against closed forms and against each other.

mod studies;

use narrows::{Budget, NoFiles, PreparedStudy};
use narrows_model::{Figure, FigureResult, Number};
use narrows_study::{Measured, View};
use studies::{budget, prepared, wrong};

/// How to answer a prepared study.
type Answer<'a> = &'a dyn Fn(&PreparedStudy, &Budget) -> Measured;

/// Measures a study; the error is what is wrong with it.
fn figures(model: &str, study: &str) -> Result<Vec<Figure>, Vec<String>> {
    figures_by(model, study, &PreparedStudy::measure)
}

fn figures_by(model: &str, study: &str, answer: Answer<'_>) -> Result<Vec<Figure>, Vec<String>> {
    let study = format!("model = \"m.pml\"\n{study}");
    let prepared = prepared(&study, ("m.pml", model), &NoFiles, &|_| {}).map_err(|rejected| {
        wrong(&rejected, |one, sources| {
            let (file, help) = (&sources.file(one.primary.span.file).name, one.help.as_deref().unwrap_or(""));
            format!("{} {file} `{}` {help}", one.code, sources.text(one.primary.span))
        })
    })?;
    Ok(answer(&prepared, &budget()).figures)
}

fn value(figure: &Figure) -> (f64, f64) {
    match &figure.result {
        FigureResult::Value { low, high, .. } => (low.to_f64(), high.to_f64()),
        FigureResult::Estimated { low, high, .. } => (*low, *high),
        other => panic!("{}: {other:?}", figure.name),
    }
}

fn assert_near(figure: &Figure, expected: f64) {
    let (low, high) = value(figure);
    assert!(low <= expected * (1.0 + 1e-12) && high >= expected * (1.0 - 1e-12), "{low} {expected} {high}");
    assert!(high - low <= 2e-6 * expected, "{low} {high}");
}

const QUEUE: &str = "short n;
    active proctype arrival() { do :: arrive: d_step { n < 4 -> n++ } od }
    active proctype server() { do :: serve: d_step { n > 0 -> n-- } od }";

/// Two kinds of jobs share two servers, of which one gets slower: nothing in it is the same from two sides.
const SHOP: &str = "short a, b, served; bit fast = 1;
    active proctype first() { do :: arrive: d_step { a < 12 -> a++ } od }
    active proctype second() { do :: arrive: d_step { b < 14 -> b++ } od }
    active proctype left() { do :: serve: d_step { a > 0 -> a--; served = (served + 1) % 5 } od }
    active proctype right() { do :: serve: d_step { b > 0 -> b-- } :: help: d_step { b == 0 && a > 3 -> a-- } od }
    active proctype weather() { do :: change: d_step { fast = 1 - fast } od }";

#[test]
fn means_are_the_same_on_any_number_of_threads() {
    let study = "unit = \"s\"
        [delay]
        \"first:arrive\" = { exponential = 0.5 }
        \"second:arrive\" = { exponential = 0.7 }
        \"left:serve\" = { exponential = 0.4, times = \"1 + a\", over = \"2 + served\" }
        \"right:serve\" = { exponential = 1, times = \"1 + 2 * fast\" }
        \"right:help\" = { exponential = 3 }
        \"weather:change\" = { exponential = 40 }
        [[ask]]
        transient = { of = \"a == 0\", at = 1 }
        [[ask]]
        throughput = \"left:serve\"
        [[ask]]
        utilisation = \"a > 0\"
        [[ask]]
        throughput = \"right:help\"
        [[ask]]
        mean_count = { of = \"right:serve\", per = \"left:serve\" }
        [[ask]]
        utilisation = \"a + b > 20\"";
    let on = |threads: usize, study: &str| {
        let answer =
            |study: &PreparedStudy, budget: &Budget| study.measure(&Budget { threads, ..budget.clone() });
        figures_by(SHOP, study, &answer).unwrap()
    };
    let alone = on(1, study);
    assert_eq!(alone.len(), 6);
    for threads in [2, 3, 8] {
        for (figure, other) in alone.iter().zip(on(threads, study)) {
            assert_eq!(value(figure), value(&other), "{} on {threads} threads", figure.name);
        }
    }
    // Each by itself says the same.
    let parts: Vec<&str> = study.split("[[ask]]").collect();
    for (number, ask) in parts[1..].iter().enumerate() {
        let (low, high) = value(&on(1, &format!("{}[[ask]]{ask}", parts[0]))[0]);
        let (other_low, other_high) = value(&alone[number]);
        assert!(low <= other_high && other_low <= high, "{ask}");
    }
}

#[test]
fn a_queue_has_its_closed_form() {
    let study = "unit = \"s\"
        [delay]
        \"arrival:arrive\" = { exponential = 0.5 }
        \"server:serve\" = { exponential = 1, times = \"3\" }
        [[ask]]
        throughput = \"server:serve\"
        [[ask]]
        utilisation = \"n > 0\"
        [[ask]]
        mean_count = { of = \"arrival:arrive\", per = \"server:serve\" }
        [[ask]]
        transient = { of = \"n == 0\", at = 0 }
        [[ask]]
        transient = { of = \"n == 0\", at = 1000 }";
    let figures = figures(QUEUE, study).unwrap();
    let load: f64 = 2.0 / 3.0;
    let chance = |n: i32| load.powi(n) * (1.0 - load) / (1.0 - load.powi(5));
    assert_near(&figures[0], 2.0 * (1.0 - chance(4)));
    assert_near(&figures[1], 1.0 - chance(0));
    assert_near(&figures[2], 1.0);
    assert_near(&figures[3], 1.0);
    assert_near(&figures[4], chance(0));
}

#[test]
fn an_erlang_delay_has_its_mean() {
    let model = "bit x; active proctype p() { do :: a: x = 1; b: x = 0 od }";
    let study = "unit = \"s\"
        [delay]
        \"p:a\" = { erlang = 3, stages = 5 }
        \"p:b\" = { exponential = 2 }
        [[ask]]
        utilisation = \"x\"
        [[ask]]
        mean_delay = { from = \"x == 0\", to = \"x == 1\" }
        [[ask]]
        throughput = \"p:a\"";
    let figures = figures(model, study).unwrap();
    assert_near(&figures[0], 0.4);
    assert_near(&figures[1], 3.0);
    assert_near(&figures[2], 0.2);
}

/// Two stages with one buffer between them, or with two.
fn pipeline(buffers: u32, first: u32, second: u32) -> Vec<Figure> {
    let model = format!(
        "byte waiting;
         active proctype load() {{ do :: waiting < {buffers} -> loaded: waiting++ od }}
         active proctype send() {{ do :: waiting > 0 -> sent: waiting-- od }}"
    );
    let study = format!(
        "unit = \"us\"
         [delay]
         \"load:loaded\" = {{ fixed = {first} }}
         \"send:sent\" = {{ fixed = {second} }}
         [[ask]]
         throughput = \"send:sent\"
         view = \"timed\""
    );
    figures(&model, &study).expect("a study without mistakes")
}

#[test]
fn stages_take_turns_or_overlap() {
    for (first, second) in [(248, 205), (100, 300), (7, 7)] {
        let exact = |figure: &Figure, time: i128| {
            let number = Number::Ratio(1, time);
            assert_eq!(figure.result, FigureResult::Value { low: number, high: number, exact: true });
            // There is no better or worse run: one critical cycle shows both.
            assert_eq!(figure.witnesses.len(), 1);
        };
        exact(&pipeline(1, first, second)[0], i128::from(first + second));
        exact(&pipeline(2, first, second)[0], i128::from(first.max(second)));
    }
}

#[test]
fn open_choices_give_the_least_and_the_greatest() {
    // After each job someone decides whether the next one is long or short.
    let model = "byte job; active proctype p() {
          do
          :: job == 0 -> if :: job = 1 :: job = 2 fi
          :: job == 1 -> quick: job = 0
          :: job == 2 -> slow: job = 0
          od }";
    let study = "unit = \"s\"
        [delay]
        \"p:quick\" = { exponential = 1 }
        \"p:slow\" = { exponential = 4 }
        [event]
        done = \"p:quick\"
        [[ask]]
        throughput = \"done\"
        [[ask]]
        utilisation = \"job == 1\"";
    let figures = figures(model, study).unwrap();
    let (low, high) = value(&figures[0]);
    assert!(low.abs() < 1e-9 && (high - 1.0).abs() < 1e-5, "{low} {high}");
    assert!(figures[0].notes[0].contains("equally likely choices it is 0.2."), "{:?}", figures[0].notes);
    let (low, high) = value(&figures[1]);
    assert!(low.abs() < 1e-9 && (high - 1.0).abs() < 1e-5, "{low} {high}");
}

#[test]
fn open_choices_at_a_time_and_on_the_way() {
    // As above, and a job is started only now and then.
    let model = "byte job; active proctype p() {
          do
          :: job == 0 -> start: skip; if :: job = 1 :: job = 2 fi
          :: job == 1 -> quick: job = 0
          :: job == 2 -> slow: job = 0
          od }";
    let study = "unit = \"s\"
        [delay]
        \"p:start\" = { exponential = 1 }
        \"p:quick\" = { exponential = 1 }
        \"p:slow\" = { exponential = 4 }
        [[ask]]
        mean_delay = { from = \"job > 0\", to = \"job == 0\" }
        [[ask]]
        mean_delay = { from = \"job == 0\", to = \"job == 2\" }
        [[ask]]
        transient = { of = \"job == 2\", at = 1 }
        [[ask]]
        transient = { of = \"job == 0\", at = 1 }";
    let figures = figures(model, study).unwrap();
    let near = |figure: &Figure, least: f64, greatest: f64| {
        let (low, high) = value(figure);
        assert!(
            (low - least).abs() < 1e-6 && (high - greatest).abs() < 1e-6,
            "{low} {high} {:?}",
            figure.notes
        );
    };
    near(&figures[0], 1.0, 4.0);
    assert!(figures[0].notes[0].contains("equally likely it is 2.5."), "{:?}", figures[0].notes);
    // Never, or at once.
    let (low, high) = value(&figures[1]);
    assert!((low - 1.0).abs() < 1e-6 && high.is_infinite(), "{low} {high}");
    // It begins with rate 1 and ends with rate 1/4.
    near(&figures[2], 0.0, 0.8 * (1.0 - f64::exp(-1.25)));
    let (low, high) = value(&figures[3]);
    assert!(low < high && low > f64::exp(-1.0) && high < 1.0, "{low} {high}");
}

#[test]
fn machines_that_are_alike_need_fewer_states() {
    let model = "byte up[6]; byte broken; active [6] proctype machine() {
          do :: fail: d_step { up[_pid] == 0 -> up[_pid] = 1; broken++ }
             :: mend: d_step { up[_pid] == 1 -> up[_pid] = 0; broken-- } od }";
    let study = "unit = \"h\"
        [delay]
        \"machine:fail\" = { exponential = 9 }
        \"machine:mend\" = { exponential = 1 }
        [[ask]]
        utilisation = \"broken == 0\"
        [[ask]]
        throughput = \"machine:fail\"
        [[ask]]
        mean_delay = { from = \"broken > 0\", to = \"broken == 0\" }
        [[ask]]
        transient = { of = \"broken == 4\", at = 2 }";
    let mut sizes = Vec::new();
    let measured = std::cell::RefCell::new(&mut sizes);
    let figures = figures_by(model, study, &|study, budget| {
        let found = study.measure(budget);
        measured.borrow_mut().extend(found.sizes.iter().cloned());
        found
    });
    let figures = figures.unwrap();
    assert_near(&figures[0], 0.9_f64.powi(6));
    assert_near(&figures[1], 6.0 * 0.1);
    // The machines are all up for 9/6 on average, and for that part of the time.
    assert_near(&figures[2], 1.5 / 0.9_f64.powi(6) - 1.5);
    let down = 0.1 * (1.0 - f64::exp(-2.0 * (1.0 + 1.0 / 9.0)));
    assert_near(&figures[3], 15.0 * down.powi(4) * (1.0 - down).powi(2));
    assert_eq!(sizes[0].states, "64");
    assert_eq!(sizes[0].minimised, Some(7));
}

#[test]
fn weights_decide() {
    let model = "byte job; active proctype p() {
          do
          :: job == 0 -> pick: if :: job = 1 :: job = 2 fi
          :: job == 1 -> quick: job = 0
          :: job == 2 -> slow: job = 0
          od }";
    let study = "unit = \"s\"
        [delay]
        \"p:quick\" = { exponential = 1 }
        \"p:slow\" = { exponential = 4 }
        [weight]
        \"p:pick\" = [3, 1]
        [[ask]]
        throughput = \"p:quick\"";
    // On average a job takes 3/4 + 1, and three quarters of them are short.
    assert_near(&figures(model, study).unwrap()[0], 0.75 / 1.75);
}

#[test]
fn what_is_expected_is_judged() {
    let study = |expect: &str| {
        format!(
            "[[ask]]
             max_delay = {{ from = \"n == 1\", to = \"n == 0\" }}
             {expect}"
        )
    };
    let judged = |expect: &str| figures(QUEUE, &study(expect)).unwrap()[0].expected.clone();
    assert_eq!(judged(""), None);
    assert_eq!(judged("expect = \"infinity\""), Some(("infinity".to_owned(), true)));
    assert_eq!(judged("expect = 3"), Some(("3".to_owned(), false)));
    assert_eq!(judged("expect = 0.25"), Some(("0.25".to_owned(), false)));
}

#[test]
fn a_mean_is_held_to_the_digits_that_are_given() {
    // x is 1 for two of three units of time.
    let model = "bit x; active proctype p() { do :: x == 0 -> one: x = 1 :: x == 1 -> two: x = 0 od }";
    let study = |expect: &str| {
        format!(
            "unit = \"s\"\n[delay]\n\"p:one\" = {{ exponential = 1 }}\n\"p:two\" = {{ exponential = 2 }}
             [[ask]]\nutilisation = \"x == 1\"\n{expect}"
        )
    };
    let is_met = |expect: &str| {
        figures(model, &study(&format!("expect = {expect}"))).unwrap()[0].expected.clone().unwrap().1
    };
    for met in ["\"2/3\"", "0.6667", "0.66667", "0.6666667", "[0.6, 0.7]", "[\"2/3\", 0.7]"] {
        assert!(is_met(met), "{met}");
    }
    for missed in ["0.66", "0.6666", "0.66666", "0.6666661", "[0.67, 0.7]", "[0.6, 0.6666]", "\"3/4\""] {
        assert!(!is_met(missed), "{missed}");
    }
}

#[test]
fn mistakes_point_into_the_study() {
    let study = "unit = \"s\"
        [delay]
        \"server:srve\" = { exponential = 1 }
        [[ask]]
        utilisation = \"m > 0\"
        [[ask]]
        throughput = \"served\"";
    let messages = figures(QUEUE, study).unwrap_err();
    assert_eq!(messages, ["P0201 study.toml `m` "]);
    let messages = figures(QUEUE, &study.replace("m > 0", "n > 0")).unwrap_err();
    assert_eq!(
        messages,
        [
            "S0004 study.toml `\"server:srve\"` did you mean `server:serve`?",
            "S0007 study.toml `served` name it under `[event]`, or write `proctype:label`"
        ]
    );
    let inside = "byte x; active proctype p() { do :: atomic { x++; late: x-- } od }";
    let messages = figures(inside, "unit = \"s\"\n[delay]\n\"p:late\" = { fixed = 1 }").unwrap_err();
    assert_eq!(
        messages,
        ["S0008 study.toml `\"p:late\"` give the delay to the first statement of the sequence"]
    );
    let choice = inside.replace("late: x--", "late: if :: x-- :: x = 0 fi");
    let messages = figures(&choice, "unit = \"s\"\n[weight]\n\"p:late\" = [1, 2]").unwrap_err();
    assert_eq!(
        messages,
        ["S0008 study.toml `\"p:late\"` end the sequence before the choice, or begin it after the choice"]
    );
    let temporal = "[[ask]]\nmax_delay = { from = \"<> (n == 1)\", to = \"true\" }";
    assert_eq!(figures(QUEUE, temporal).unwrap_err(), ["S0009 study.toml `<> (n == 1)` "]);
}

#[test]
fn what_is_varied_is_in_the_model() {
    let model = "#define SIZE 3\nbyte n; active proctype p() { do :: step: n = (n + 1) % SIZE od }";
    let study = |name: &str| format!("[sweep]\n{name} = [1, 2]");
    assert!(figures(model, &study("SIZE")).is_ok());
    assert_eq!(figures(model, &study("SIEZ")).unwrap_err(), ["S0010 study.toml `SIEZ` did you mean `SIZE`?"]);
    // It is not enough that it is defined, or spoken of.
    let unused = format!("#ifndef REST\n#define REST 3\n#endif\n#undef REST\n/* REST */\n{model}");
    assert_eq!(figures(&unused, &study("REST")).unwrap_err(), ["S0010 study.toml `REST` "]);
    let switch = format!("#ifndef REST\nbyte y;\n#endif\n{model}");
    assert!(figures(&switch, &study("REST")).is_ok());
}

#[test]
fn weights_are_given_to_all_choices() {
    let model = "byte x; active proctype p() { do :: pick: if :: x = 1 :: x = 2 fi; go: x = 0 od }";
    let study = |weights: &str| {
        let head = "unit = \"s\"\n[delay]\n\"p:go\" = 1\n[weight]";
        format!("{head}\n{weights}\n[[ask]]\nutilisation = \"x == 2\"")
    };
    assert_near(&figures(model, &study("\"p:pick\" = [1, 3]")).unwrap()[0], 0.75);
    let help = "give a weight to each choice after the label, in their order";
    for place in ["\"p:pick\" = [1, 2, 3]", "\"p:pick\" = [1]", "\"p:go\" = [1]"] {
        let name = &place[..place.find(' ').unwrap()];
        let expected = [format!("S0005 study.toml `{name}` {help}")];
        assert_eq!(figures(model, &study(place)).unwrap_err(), expected);
    }
    // What takes 0 takes no time.
    let none = "unit = \"s\"\n[delay]\n\"p:go\" = 0\n[[ask]]\nutilisation = \"x == 2\"";
    let wrong = figures(model, none).unwrap_err();
    assert!(wrong[0].starts_with("S0018"), "{wrong:?}");
}

#[test]
fn constants_override_what_the_model_defines() {
    let model = QUEUE.replace("n < 4", "n < DEPTH");
    let study = |depth: &str| {
        format!(
            "unit = \"s\"\n{depth}\n[delay]\n\"arrival:arrive\" = {{ exponential = 1 }}\n\
             \"server:serve\" = {{ exponential = 0.5 }}\n[[ask]]\nthroughput = \"server:serve\""
        )
    };
    // Half as many arrive as could be served: of the M/M/1/K queue, 1 - 0.5^K of 1 - 0.5^(K+1) get in.
    let expected = |depth: i32| (1.0 - 0.5_f64.powi(depth)) / (1.0 - 0.5_f64.powi(depth + 1));
    let plain = format!("#define DEPTH 4\n{model}");
    let optional = format!("#ifndef DEPTH\n#define DEPTH 4\n#endif\n{model}");
    let again = format!("#undef DEPTH\n#define DEPTH 4\n{model}");
    for model in [&plain, &optional, &again] {
        assert_near(&figures(model, &study("")).unwrap()[0], expected(4));
        assert_near(&figures(model, &study("[constant]\nDEPTH = 2")).unwrap()[0], expected(2));
        let wrong = figures(model, &study("[constant]\nDEPHT = 2")).unwrap_err();
        assert_eq!(wrong, ["S0012 study.toml `DEPHT` did you mean `DEPTH`?"]);
    }
    // What the study defines for itself is not taken for something of the model.
    let own = "[define]\nDEPTH = \"n > 2\"\n[[ask]]\ninvariant = \"DEPTH\"";
    let wrong = figures(&plain, &study(own)).unwrap_err();
    assert_eq!(wrong, ["P0023 study.toml `n > 2` choose another name"]);
    let hidden = study(&own.replace("DEPTH", "n").replace("n > 2", "true"));
    assert_eq!(figures(&plain, &hidden).unwrap_err(), ["P0023 study.toml `true` choose another name"]);
}

#[test]
fn one_of_several_processes_is_named_by_its_number() {
    let model = "byte n; active [2] proctype flash() { do :: n++; read: n-- od }";
    let ask = |what: &str| format!("[[ask]]\ninvariant = \"{what}\"");
    let word = |what: &str| figures(model, &ask(what)).map(|figures| figures[0].result.clone());
    let help = "write `flash[1]@read`, or `flash[any]@read` or `flash[all]@read`";
    let wrong = || Err(vec![format!("P0241 study.toml `flash` {help}")]);
    assert_eq!(word("flash@read || n < 2"), wrong());
    let verdict = |word: &str| Ok(FigureResult::Word(word.to_owned()));
    assert_eq!(word("flash[1]@read || n < 2"), verdict("holds"));
    assert_eq!(word("flash[any]@read || n == 0"), verdict("holds"));
    assert_eq!(word("flash[all]@read || n == 0"), verdict("fails"));
    let busy = "[resource]\nflash = \"flash@read\"";
    assert_eq!(figures(model, busy).map(|_| verdict("")), Err(wrong().unwrap_err()));
    let busy = "[define]\nREADS = \"flash@read\"\n[[ask]]\ninvariant = \"READS\"";
    assert_eq!(figures(model, busy).unwrap_err()[0], wrong().unwrap_err()[0]);
    // Those that `run` creates have numbers behind that of `init`, also if a loop creates them.
    let created = "byte n; proctype flash() { do :: n++; read: n-- od } init { run flash(); run flash() }";
    let looped = created.replace("run flash(); run flash()", "int i; for (i : 1 .. 2) { run flash() }");
    for model in [created, &looped] {
        let word = |what: &str| figures(model, &ask(what)).map(|figures| figures[0].result.clone());
        assert_eq!(word("flash[any]@read || n == 0"), verdict("holds"));
        assert_eq!(word("!flash[any]@read || n == 1"), verdict("fails"));
        assert_eq!(word("!flash[2]@read || flash[any]@read"), verdict("holds"));
    }
    // A delay or an event is one of the statement, whoever executes it.
    let study = "unit = \"s\"\n[delay]\n\"flash:read\" = 2\n[[ask]]\nthroughput = \"flash:read\"";
    assert_eq!(value(&figures(model, study).unwrap()[0]), (1.0, 1.0));
}

#[test]
fn what_goes_wrong_is_said() {
    let model = "byte x; active proctype p() { a: x = 1; assert(x == 0) }";
    let study = "unit = \"s\"\n[delay]\n\"p:a\" = { fixed = 1 }\n[[ask]]\nmakespan = true";
    let figure = &figures(model, study).unwrap()[0];
    assert!(matches!(&figure.result, FigureResult::None(reason) if reason.contains("assertion violated")));
    let zeno =
        "bit x; active proctype p() { do :: x = !x od } active proctype q() { x == 1 -> a: x == 1 -> skip }";
    let study = "unit = \"s\"\n[delay]\n\"q:a\" = { fixed = 1 }\n[[ask]]\nmakespan = true";
    let figure = &figures(zeno, study).unwrap()[0];
    assert!(matches!(&figure.result, FigureResult::None(reason) if reason.contains("Time stands still")));
    assert!(figure.witnesses[0].1.cycle.is_some());
}

#[test]
fn random_runs_agree() {
    let study = "unit = \"s\"
        [delay]
        \"arrival:arrive\" = { exponential = 0.5 }
        \"server:serve\" = { erlang = 1, stages = 3 }
        [[ask]]
        throughput = \"server:serve\"
        [[ask]]
        utilisation = \"n == 4\"
        [[ask]]
        mean_count = { of = \"arrival:arrive\", per = \"server:serve\" }";
    let computed = figures(QUEUE, study).unwrap();
    let mut inside = 0;
    for seed in 0..20 {
        let estimated = figures_by(QUEUE, study, &|study, budget| {
            study.estimate(View::Stochastic, 30_000, seed, budget).expect("an estimate")
        });
        for (computed, estimated) in computed.iter().zip(&estimated.unwrap()) {
            let ((low, high), (least, most)) = (value(computed), value(estimated));
            inside += i32::from(least <= high && low <= most);
            assert!(most - least < 0.1 * high, "{least} {most}");
        }
    }
    // 99 in 100 should be.
    assert!(inside >= 57, "{inside} of 60");
}

#[test]
fn random_runs_with_exact_delays_lie_between_the_best_and_the_worst() {
    let model = "byte waiting;
         active proctype load() { do :: waiting < 2 -> loaded: waiting++ od }
         active proctype send() { do :: waiting > 0 -> sent: waiting-- od }";
    let study = "unit = \"us\"
         [delay]
         \"load:loaded\" = { between = [240, 250] }
         \"send:sent\" = { between = [100, 300] }
         [[ask]]
         throughput = \"send:sent\"
         view = \"timed\"";
    let (worst, best) = value(&figures(model, study).unwrap()[0]);
    let estimated = figures_by(model, study, &|study, budget| {
        study.estimate(View::Timed, 30_000, 1, budget).expect("an estimate")
    });
    let (least, most) = value(&estimated.unwrap()[0]);
    assert!(worst < least && most < best, "{worst} {least} {most} {best}");
}
