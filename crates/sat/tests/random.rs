//! Random small models: what SAT engines say is what is found set by set.

#[allow(dead_code)]
#[path = "../../symbolic/tests/writer/mod.rs"]
mod writer;

use narrows_graph::Random;
use narrows_languages::smv::{Options, compile};
use narrows_model::synchronous::SynchronousSystem;
use narrows_model::{Question, Reply, Verdict};
use narrows_sat::{Budget, Engine, check};
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
    let budget = narrows_symbolic::Budget { memory: 1 << 30, depth: false, watch: Box::new(|_| None) };
    let expected = narrows_symbolic::check(&system, &questions, budget).results;
    for (engine, tally) in engines {
        // Looking for runs alone has no end where there is none; and that there are no longer paths of
        // different states is hard to see.
        let is_patient = matches!(engine, Engine::Ic3 | Engine::Automatic);
        let patience = std::cell::Cell::new(if is_patient { 100_000 } else { 30 });
        let watch = move |_| {
            patience.set(patience.get() - 1);
            (patience.get() == 0).then_some(narrows_model::Limit::Enough)
        };
        for (question, expected) in questions.iter().zip(&expected) {
            let budget = Budget { memory: 1 << 30, watch: Box::new(watch.clone()) };
            let found = check(&system, std::slice::from_ref(question), *engine, budget, &mut |_, _| true);
            let Some(found) = said(&found.results[0]) else {
                let is_refused = matches!(&found.results[0],
                    Reply::Answer(answer) if matches!(&answer.verdict, Verdict::Refused(refusal)
                        if refusal.reason.contains("mistake")));
                assert!(!is_refused, "seed {seed}, {engine:?}, {question:?}: {:?}\n{text}", found.results[0]);
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
