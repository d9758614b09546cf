//! Holds searches that leave out what they can against those that leave out nothing: whatever goes wrong is
//! found by both, every question has the same answer, and no state is visited that is not there.

use std::collections::BTreeSet;
use std::path::Path;

use narrows_explicit::{
    Budget, Engine, Exploration, Faults, Finding, Options, Reduction, SearchScope, Unwatched, Wrong,
    breadth_first_reduced, check, depth_first, depth_first_reduced, merged, replay, unmerge,
};
use narrows_languages::promela;
use narrows_model::{Evaluator, Question, StateSpace, System, Verdict};
use narrows_source::{Diagnostics, Sources};
use narrows_tests::files::{Disk, promela_models};
use narrows_tests::generator;
use narrows_tests::questions::claims_text;
use narrows_tests::seeds::seeds;

/// Larger models are left out.
const STATES: u64 = 30_000;

fn compile(name: &str, text: &str) -> Option<System> {
    let mut sources = Sources::default();
    let file = sources.add(name, text);
    let mut diagnostics = Diagnostics::default();
    promela::compile(&mut sources, file, &Disk, &promela::Options::default(), &mut diagnostics)
}

/// What goes wrong, without the runs that show it.
fn wrongs(evaluator: Evaluator<'_>, exploration: &Exploration) -> BTreeSet<String> {
    let name = |wrong: &Wrong| match wrong {
        Wrong::Violation(violation) => format!("{:?} at {:?}", violation.kind, violation.span),
        Wrong::Deadlock(state) => {
            let mut control = Vec::new();
            evaluator.control(state, &mut control);
            format!("deadlock at {control:?}")
        }
    };
    exploration.findings.iter().map(|finding| name(&finding.wrong)).collect()
}

/// The runs that show what goes wrong.
fn runs(exploration: &Exploration) -> Vec<Option<Vec<u32>>> {
    let choices = |finding: &Finding| finding.run.as_ref().map(|run| run.choices.clone());
    exploration.findings.iter().map(choices).collect()
}

/// What was compared.
#[derive(Debug, Default)]
struct Compared {
    systems: u64,
    answers: u64,
    holding: u64,
    full: u64,
    /// How many states are the same but for what nobody reads.
    forgotten: u64,
    reduced: u64,
    /// How many states fewer there are with local steps merged.
    merged: u64,
}

/// Makes sure that one search finds what the other does, and that what it finds is there.
fn compare_findings(
    name: &str,
    text: &str,
    evaluator: Evaluator<'_>,
    which: &str,
    (search, full): (&Exploration, &Exploration),
) {
    for finding in search.findings.iter().filter(|finding| finding.run.is_some()) {
        let replayed = replay(evaluator, finding);
        assert!(replayed.is_ok(), "{name}, {which}: {:?}\n{text}", finding.wrong);
    }
    assert!(search.is_complete(), "{name}, {which}: {:?}\n{text}", search.end);
    let (ours, all) = (wrongs(evaluator, search), wrongs(evaluator, full));
    assert_eq!(ours, all, "{name}, {which}: what goes wrong?\n{text}");
    let (states, most) = (search.coverage.states, full.coverage.states);
    assert!(states <= most, "{name}, {which}: {states} states of {most}\n{text}");
    let taken = (&search.coverage.taken, &full.coverage.taken);
    assert!(same(taken.0, taken.1), "{name}, {which}: what is executed?\n{text}");
}

impl Compared {
    fn add(&mut self, name: &str, text: &str) {
        let Some(system) = compile(name, text) else { return };
        let evaluator = Evaluator::new(&system);
        let budget = Budget::unlimited(Unwatched);
        let scope = SearchScope { states: STATES, ..SearchScope::within(&budget) };
        let engine = Engine::automatic(evaluator);
        let full = depth_first(&engine, Faults::Continue, &scope);
        if !full.is_complete() {
            return;
        }
        let plain = engine;
        let engine = plain.forgetting();
        let without_dead = depth_first(&engine, Faults::Continue, &scope);
        self.forgotten += full.coverage.states - without_dead.coverage.states;
        compare_findings(name, text, evaluator, "forgetting", (&without_dead, &full));
        let Some(reduction) = Reduction::for_safety(&engine) else { return };
        self.systems += 1;
        let deep = depth_first_reduced(&engine, Some(&reduction), Faults::Continue, &scope);
        let wide = breadth_first_reduced(&engine, Some(&reduction), &[], &scope);
        for threads in [2, 3] {
            let budget = Budget { threads, ..budget.clone() };
            let scope = SearchScope { budget: &budget, ..scope };
            let other = breadth_first_reduced(&engine, Some(&reduction), &[], &scope);
            let figures = |search: &Exploration| (search.coverage.states, search.coverage.transitions);
            assert_eq!(figures(&wide), figures(&other), "{name}, {threads} threads\n{text}");
            assert_eq!(runs(&wide), runs(&other), "{name}, {threads} threads\n{text}");
        }
        for (which, search) in [("depth", &deep), ("breadth", &wide)] {
            compare_findings(name, text, evaluator, which, (search, &full));
        }
        self.full += full.coverage.states;
        self.reduced += deep.coverage.states;
        if let Some(system) = merged(&engine) {
            let sparse = engine.over(&system);
            let reduction = Reduction::for_safety(&sparse);
            let depth = depth_first_reduced(&sparse, reduction.as_ref(), Faults::Continue, &scope);
            self.merged += deep.coverage.states.saturating_sub(depth.coverage.states);
            for (which, mut search) in [
                ("merged, all", breadth_first_reduced(&sparse, None, &[], &scope)),
                ("merged, depth", depth),
                ("merged, breadth", breadth_first_reduced(&sparse, reduction.as_ref(), &[], &scope)),
            ] {
                let turned = unmerge(&mut search.findings, &sparse, &engine);
                assert!(turned.is_ok(), "{name}, {which}: {turned:?}\n{text}");
                compare_findings(name, text, evaluator, which, (&search, &full));
            }
        }
        for question in Question::all(&system) {
            let answer = |reduce, near| {
                let options = Options { reduce, near, ..Options::default() };
                let checked = check(&plain, std::slice::from_ref(&question), &options, &scope);
                let checked = checked.unwrap_or_else(|wrong| panic!("{name}: {wrong}\n{text}"));
                match checked.answers().next().expect("an answer").verdict {
                    Verdict::Holds => Some(true),
                    Verdict::Fails { .. } => Some(false),
                    _ => None,
                }
            };
            let without = answer(false, None);
            // What is not near the start is searched with merged steps.
            for near in [None, Some(3)] {
                let with = answer(true, near);
                assert!(
                    without.is_none() || without == with,
                    "{name}, {question:?}, {near:?}: {without:?}, {with:?}\n{text}"
                );
            }
            self.answers += 1;
            self.holding += u64::from(without == Some(true));
        }
    }
}

/// Compares lists of what was executed; those that were never lengthened end with nothing.
fn same(left: &[Vec<bool>], right: &[Vec<bool>]) -> bool {
    let at = |list: &[Vec<bool>], kind: usize, transition: usize| {
        list.get(kind).and_then(|list| list.get(transition)).copied().unwrap_or(false)
    };
    (0..left.len().max(right.len())).all(|kind| {
        let length = |list: &[Vec<bool>]| list.get(kind).map_or(0, Vec::len);
        (0..length(left).max(length(right)))
            .all(|transition| at(left, kind, transition) == at(right, kind, transition))
    })
}

#[test]
fn random_models_have_the_same_answers() {
    let mut compared = Compared::default();
    for seed in seeds(150) {
        compared.add(&format!("seed {seed}"), &generator::generate(seed).to_string());
    }
    eprintln!("{compared:?}");
    assert!(compared.systems > 0 && compared.reduced < compared.full && compared.forgotten > 0);
    assert!(compared.merged > 0);
}

#[test]
fn questions_about_runs_of_random_models_have_the_same_answers() {
    let mut compared = Compared::default();
    for seed in seeds(150) {
        let questions = generator::generate_questions(seed);
        compared.add(&format!("seed {seed}, claims"), &claims_text(&questions));
        compared.add(&format!("seed {seed}, labels"), &questions.model.to_string());
    }
    eprintln!("{compared:?}");
    assert!(compared.holding > 0 && compared.reduced < compared.full);
}

#[test]
fn models_of_the_tests_and_examples_have_the_same_answers() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let (ours, examples) = (here.join("models"), here.join("../examples"));
    let mut compared = Compared::default();
    for (name, text) in promela_models(&[&ours, &examples, Path::new("/usr/share/doc/spin/examples")]) {
        compared.add(&name, &text);
    }
    eprintln!("{compared:?}");
    assert!(compared.systems > 70 && compared.reduced < compared.full);
}
