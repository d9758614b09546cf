//! Random small models: what SAT engines say is what is found set by set.

#[allow(dead_code)]
#[path = "../../symbolic/tests/writer/mod.rs"]
mod writer;

use std::sync::atomic::{AtomicU32, Ordering};

use narrows_graph::Random;
use narrows_languages::smv::{Options, compile};
use narrows_model::synchronous::SynchronousSystem;
use narrows_model::{Budget, Limit, Progress, Question, Reply, Unwatched, Verdict};
use narrows_sat::{Engine, check};
use narrows_source::{Diagnostics, Sources};

fn system(text: &str) -> SynchronousSystem {
    let mut sources = Sources::default();
    let file = sources.add("model.smv", text);
    let mut diagnostics = Diagnostics::default();
    let compiled = compile(&mut sources, file, &Options::default(), &mut diagnostics);
    compiled.unwrap_or_else(|| panic!("{text}")).system
}

/// How often what came out.
#[derive(Default, Debug)]
struct Tally {
    holds: u32,
    fails: u32,
    open: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Said {
    holds: bool,
    /// The length of a run that is said to be shortest.
    shortest: Option<usize>,
}

fn said(reply: &Reply) -> Option<Said> {
    let Reply::Answer(answer) = reply else { return None };
    match &answer.verdict {
        Verdict::Holds => Some(Said { holds: true, shortest: None }),
        Verdict::Fails { trace, shortest, .. } => {
            let length = if trace.initial.is_empty() { 0 } else { trace.steps.len() };
            Some(Said { holds: false, shortest: shortest.then_some(length) })
        }
        _ => None,
    }
}

fn one(seed: u64, engines: &mut [(Engine, Tally)]) {
    let mut random = Random::new(seed);
    let text = writer::model(&mut random);
    let system = system(&text);
    let questions = system.questions();
    let budget = Budget { memory: 1 << 30, ..Budget::unlimited(Unwatched) };
    let expected =
        narrows_symbolic::check(&system, &questions, &narrows_symbolic::Options::default(), &budget).replies;
    for (engine, tally) in engines {
        // Looking for runs alone has no end where there is none; and that there are no longer paths of
        // different states is hard to see.
        let is_patient = matches!(engine, Engine::Ic3 | Engine::Automatic);
        let patience = if is_patient { 100_000 } else { 30 };
        for (question, expected) in questions.iter().zip(&expected) {
            let looks = AtomicU32::new(1);
            let watch = move |_: &Progress| {
                (looks.fetch_add(1, Ordering::Relaxed) == patience).then_some(Limit::Enough)
            };
            let budget = Budget { memory: 1 << 30, ..Budget::unlimited(watch) };
            let found = check(&system, std::slice::from_ref(question), *engine, &budget, &mut |_, _| true);
            let Some(found) = said(&found.replies[0]) else {
                let is_refused = matches!(&found.replies[0],
                    Reply::Answer(answer) if matches!(&answer.verdict, Verdict::Refused(refusal)
                        if refusal.reason.contains("mistake")));
                assert!(!is_refused, "seed {seed}, {engine:?}, {question:?}: {:?}\n{text}", found.replies[0]);
                tally.open += 1;
                continue;
            };
            let Some(expected) = said(expected) else { continue };
            let context = || format!("seed {seed}, {engine:?}, {question:?}: {found:?} {expected:?}\n{text}");
            assert_eq!(found.holds, expected.holds, "{}", context());
            if let (Some(mine), Some(other)) = (found.shortest, expected.shortest)
                && !matches!(question, Question::Property { kind: "ltl" | "ctl", .. })
            {
                assert_eq!(mine, other, "{}", context());
            }
            tally.holds += u32::from(found.holds);
            tally.fails += u32::from(!found.holds);
        }
    }
}

#[test]
fn engines_agree_with_sets() {
    let all = [Engine::Bounded, Engine::Induction, Engine::Ic3, Engine::Automatic];
    let mut engines = all.map(|engine| (engine, Tally::default()));
    let seeds = std::env::var("SEEDS").ok().and_then(|text| text.parse().ok()).unwrap_or(100);
    for seed in 0..seeds {
        one(seed, &mut engines);
    }
    for (engine, tally) in &engines {
        assert!(
            tally.fails > 100 && (tally.holds > 50 || *engine == Engine::Bounded),
            "{engine:?} {tally:?}"
        );
    }
}
