//! Runs that show why: short ones against formulas about runs, and whole ones against formulas about paths.

use narrows_languages::smv::{Options, compile};
use narrows_model::{Budget, Reply, Trace, Unwatched, Verdict};
use narrows_source::{Diagnostics, Sources};
use narrows_symbolic::check;

/// Returns the runs against, or for, what a text claims, in order.
fn runs(text: &str) -> Vec<Option<Trace>> {
    let mut sources = Sources::default();
    let file = sources.add("model.smv", text);
    let compiled = compile(&mut sources, file, &Options::default(), &mut Diagnostics::default());
    let system = compiled.expect("a model").system;
    let budget = Budget { memory: 1 << 28, ..Budget::unlimited(Unwatched) };
    let asked = system.questions();
    let first = asked.len() - system.specifications.len();
    let run = |reply: &Reply| match reply {
        Reply::Answer(answer) => match &answer.verdict {
            Verdict::Fails { trace, .. } => Some((**trace).clone()),
            _ => answer.witness.as_deref().cloned(),
        },
        Reply::Figure(_) => None,
    };
    check(&system, &asked, &narrows_symbolic::Options::default(), &budget).replies[first..]
        .iter()
        .map(run)
        .collect()
}

/// Returns how many steps each run has before its cycle, and in it.
fn lengths(text: &str) -> Vec<(usize, usize)> {
    let length = |trace: Option<Trace>| {
        let trace = trace.expect("a run");
        let all = trace.steps.len();
        trace.cycle.map_or((all, 0), |start| (start, all - start))
    };
    runs(text).into_iter().map(length).collect()
}

const CHOICE: &str = "MODULE main\nVAR s : {a, b, c, d};\nASSIGN init(s) := a; next(s) := {a, b, c, d};\n";

#[test]
fn runs_against_formulas_do_not_go_round_for_nothing() {
    let formulas = "LTLSPEC (G F s = b) -> F s = c;\n\
                    LTLSPEC !((G F s = b) & (G F s = c) & (G F s = d))\n\
                    LTLSPEC G (s = b -> F s = c)\n\
                    LTLSPEC !(X X s = b & X X X G (s = d | X s = d))\n\
                    LTLSPEC G (s = c -> O s = b)\n";
    let found = lengths(&format!("{CHOICE}{formulas}"));
    let total: Vec<usize> = found.iter().map(|(stem, round)| stem + round).collect();
    assert_eq!(found[0], (1, 1));
    assert_eq!(total[1], 4, "{found:?}");
    assert_eq!(total[2], 2, "{found:?}");
    assert!(total[3] <= 4, "{found:?}");
    assert_eq!(total[4], 2, "{found:?}");
}

#[test]
fn runs_stay_fair_when_they_get_shorter() {
    let model = "MODULE main\nVAR s : {a, b, c, d};\nASSIGN init(s) := a; next(s) := {a, b, c, d};\n\
                 JUSTICE s = d\nCOMPASSION (s = d, s = c)\nLTLSPEC F s = b\nLTLSPEC !(G F next(s) = b)\n";
    let found = runs(model);
    for trace in &found {
        let trace = trace.as_ref().expect("a run");
        let start = trace.cycle.expect("an endless run");
        let after = |step: usize| trace.steps[step].state[0];
        let round: Vec<u8> = (start..trace.steps.len()).map(after).collect();
        assert!(round.contains(&2) && round.contains(&3), "{round:?}");
    }
    assert_eq!(found[0].as_ref().map(|trace| trace.steps.len()), Some(3));
}

#[test]
fn counterexamples_go_on_to_what_fails_inside() {
    // 0 → 1 → 2 → 3 → 3, and 1 → 4 → 4.
    let chain = "MODULE main\nVAR n : 0..4;\nASSIGN init(n) := 0;\n\
                 next(n) := case n = 0 : 1; n = 1 : {2, 4}; n = 2 : 3; TRUE : n; esac;\n";
    let cases: &[(&str, usize, Option<usize>)] = &[
        ("AG (n = 1 -> AX n = 2)", 2, None),
        ("AX AX n != 2", 2, None),
        ("A [n < 2 U AX n = 9]", 3, None),
        ("A [AG n != 3 U n = 3]", 3, None),
        ("AG (n = 1 -> AF n = 3)", 3, Some(2)),
        ("ABF 0..2 n = 2", 2, None),
        ("E [n < 3 BU 2..3 AG n = 3]", 3, None),
        ("EBG 0..3 n != 2", 3, None),
    ];
    for (formula, steps, cycle) in cases {
        let found = runs(&format!("{chain}CTLSPEC {formula}\n"));
        let trace = found[0].as_ref();
        let length = trace.map(|trace| (trace.steps.len(), trace.cycle));
        assert_eq!(length, Some((*steps, *cycle)), "{formula}");
    }
}
