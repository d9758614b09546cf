//! Large texts and large values: no deep recursion, no enumeration without an end.

use std::fmt::Write;
use std::time::{Duration, Instant};

use narrows_languages::smv::{Compiled, Options, compile};
use narrows_model::synchronous::Reference;
use narrows_model::{Budget, Reply, Unwatched, Verdict};
use narrows_source::{Diagnostics, Sources};
use narrows_symbolic::check;

fn compiled(text: &str) -> Compiled {
    let mut sources = Sources::default();
    let file = sources.add("model.smv", text);
    let mut diagnostics = Diagnostics::default();
    let compiled = compile(&mut sources, file, &Options::default(), &mut diagnostics);
    compiled.unwrap_or_else(|| panic!("{:?}", diagnostics.sorted().first()))
}

fn holds(compiled: &Compiled) -> Vec<bool> {
    let system = &compiled.system;
    let budget = Budget { memory: 1 << 30, ..Budget::unlimited(Unwatched) };
    let questions = system.questions();
    let first = questions.len() - system.specifications.len();
    let is_so =
        |reply: &Reply| matches!(reply, Reply::Answer(answer) if matches!(answer.verdict, Verdict::Holds));
    check(system, &questions, &narrows_symbolic::Options::default(), &budget).replies[first..]
        .iter()
        .map(is_so)
        .collect()
}

/// Runs with little room for recursion.
fn on_a_small_stack(work: impl FnOnce() + Send + 'static) {
    let thread = std::thread::Builder::new().stack_size(1 << 20).spawn(work).expect("a thread");
    thread.join().expect("no overflow");
}

#[test]
fn ten_thousand_definitions_are_built_on_each_other() {
    on_a_small_stack(|| {
        let steps: [(&str, &str); 4] = [
            ("(d{} + 1) mod 4", "d9999 < 4"),
            ("case n = 1 : d{}; TRUE : n; esac", "d9999 < 4"),
            ("d{} / n + 1", "d9999 >= 0"),
            ("d{} union {n, 1}", "n in d9999"),
        ];
        for (step, claim) in steps {
            let begin = Instant::now();
            let mut text = "MODULE main\nVAR n : 0..3;\nDEFINE d0 := n;\n".to_owned();
            // The last one first: each needs one that comes later.
            for number in (1..10_000).rev() {
                let step = step.replace("d{}", &format!("d{}", number - 1));
                let _ = writeln!(text, "  d{number} := {step};");
            }
            let _ = writeln!(text, "INVARSPEC {claim};");
            assert_eq!(holds(&compiled(&text)), [true], "{step}");
            assert!(begin.elapsed() < Duration::from_mins(1), "{step}");
        }
    });
}

#[test]
fn long_formulas_are_read_without_going_deep() {
    on_a_small_stack(|| {
        let ltl: Vec<String> = (0..3000).map(|number| format!("X n < {}", 4 + number % 5)).collect();
        let ctl: Vec<String> = (0..3000).map(|number| format!("AX n < {}", 4 + number % 5)).collect();
        let text =
            format!("MODULE main\nVAR n : 0..3;\nLTLSPEC {}\nCTLSPEC {}\n", ltl.join(" & "), ctl.join(" & "));
        assert_eq!(holds(&compiled(&text)), [true, true]);
    });
}

#[test]
fn definitions_that_need_each_other_in_a_long_circle_are_refused() {
    on_a_small_stack(|| {
        let mut text = "MODULE main\nDEFINE\n".to_owned();
        for number in 0..10_000 {
            let _ = writeln!(text, "  d{number} := d{};", (number + 1) % 10_000);
        }
        let mut sources = Sources::default();
        let file = sources.add("model.smv", text);
        let mut diagnostics = Diagnostics::default();
        assert!(compile(&mut sources, file, &Options::default(), &mut diagnostics).is_none());
        assert_eq!(diagnostics.sorted()[0].code, "V0207");
    });
}

#[test]
fn large_words_are_tried_one_by_one() {
    let text = "MODULE main\nVAR a : word[64]; b : word[64]; c : word[64];\n\
                TRANS next(a) = a + 0ud64_1\nTRANS next(c) = c * c & b < next(b)\n";
    let compiled = compiled(text);
    let reference = Reference::new(&compiled.system);
    let mut first = Vec::new();
    assert!(!reference.initial_states_within(1000, &mut |state| {
        first.push(state.to_vec());
        first.len() < 3
    }));
    assert_eq!(first.len(), 3);
    let mut found = Vec::new();
    let state = vec![5, (1 << 64) - 1, 3];
    // No word is larger than the largest: that can't be found out by trying.
    assert!(!reference.steps_within(&state, 1000, &mut |_, after| {
        found.push(after.to_vec());
        true
    }));
    assert!(found.is_empty());
    reference.steps(&[5, 0, 3], &mut |_, after| {
        found.push(after.to_vec());
        found.len() < 2
    });
    assert_eq!(found, [[6, 1, 9], [6, 2, 9]]);
}

#[test]
fn values_are_read_as_they_are_shown() {
    let text =
        "MODULE main\nVAR a : word[64]; s : signed word[64]; n : -3..5; e : {red, 4, blue}; t : boolean;\n";
    let system = compiled(text).system;
    for (id, variable) in system.each_variable() {
        let last = variable.domain.value(variable.domain.len() - 1);
        for value in variable.domain.values().take(3).chain(last) {
            assert_eq!(system.read(&system.show(value, variable.display), id), Some(value));
        }
        assert_eq!(system.read("nothing", id), None);
        assert_eq!(system.read("99999999999999999999999999", id), None);
    }
}

#[test]
fn shifts_by_wide_words_leave_nothing_or_the_sign() {
    let text = "MODULE main\nVAR k : 0..3; b : word[8]; s : signed word[8];\nASSIGN init(b) := 0ud8_200; next(b) := b;\n\
                init(s) := -0sd8_7; next(s) := s;\n\
                DEFINE by := case k = 0 : 0ud60_3; k = 1 : 0ud60_8; k = 2 : 0ud60_100; TRUE : 0uh60_fffffffffffffff; esac;\n\
                far := by :: 0ud40_0;\n\
                INVARSPEC k > 0 -> (b >> by) = 0ud8_0 & (b << by) = 0ud8_0;\n\
                INVARSPEC k > 0 -> (s >> by) = -0sd8_1;\n\
                INVARSPEC k = 0 -> (b >> by) = 0ud8_25 & (b << by) = 0ud8_64 & (s >> by) = -0sd8_1;\n\
                INVARSPEC (b >> far) = 0ud8_0;\n\
                INVARSPEC (b >> b) = 0ud8_0 & (b << b) = 0ud8_0;\n";
    assert_eq!(holds(&compiled(text)), [true; 5]);
}
