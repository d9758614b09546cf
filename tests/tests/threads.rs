//! Answers about whole runs do not depend on the number of threads, nor on how many states are searched
//! first.

use narrows_explicit::{Budget, Engine, Options, SearchScope, Unwatched, check};
use narrows_languages::promela::{self, compile};
use narrows_model::{Answer, Coverage, Evaluator, Question, System, Trace, Verdict};
use narrows_source::{Diagnostics, NoFiles, Sources};
use narrows_tests::generator;
use narrows_tests::questions::claims_text;
use narrows_tests::seeds::seeds;

fn system(text: &str) -> Option<System> {
    let mut sources = Sources::default();
    let file = sources.add("random.pml", text);
    compile(&mut sources, file, &NoFiles, &promela::Options::default(), &mut Diagnostics::default())
}

/// What of an answer must be the same: the verdict, and each state and move of the run.
fn essence(answer: &Answer) -> String {
    let run = |trace: &Trace| {
        let steps: Vec<_> = trace.steps.iter().map(|step| (&step.done, &step.state)).collect();
        format!("{:?} {steps:?}", trace.cycle)
    };
    match &answer.verdict {
        Verdict::Fails { violation, trace, shortest } => {
            format!("fails {violation:?} {shortest} {}", run(trace))
        }
        other => format!("{other:?} {:?}", answer.notes),
    }
}

fn kind(answer: &Answer) -> bool {
    matches!(answer.verdict, Verdict::Fails { .. })
}

fn figures(coverage: &Coverage) -> (u64, u64, u64, u64, Vec<Vec<bool>>) {
    (coverage.states, coverage.transitions, coverage.depth, coverage.state_bytes, coverage.taken.clone())
}

/// Asks a question on so many threads, with so many states searched first.
fn ask(
    engine: &Engine<'_>,
    question: &Question,
    fair: bool,
    near: Option<u64>,
    threads: usize,
) -> Option<(Answer, Coverage)> {
    let options = Options { fair, near, ..Options::default() };
    let budget = Budget { threads, ..Budget::unlimited(Unwatched) };
    let scope = SearchScope { states: 200_000, ..SearchScope::within(&budget) };
    let checked = check(engine, std::slice::from_ref(question), &options, &scope);
    let checked = checked.unwrap_or_else(|wrong| panic!("{question:?}, fair {fair}: {wrong}"));
    let answer = checked.answers().next()?.clone();
    (!matches!(answer.verdict, Verdict::Undecided(_))).then_some((answer, checked.coverage))
}

/// Compares the answers to all questions of a model; returns how many there were, and how many fail.
fn compare(name: &str, text: &str) -> (usize, usize) {
    let Some(system) = system(text) else { return (0, 0) };
    let engine = Engine::automatic(Evaluator::new(&system));
    let (mut asked, mut failing) = (0, 0);
    for question in Question::all(&system) {
        if matches!(question, Question::Assertions | Question::Deadlock | Question::Faults) {
            continue;
        }
        for fair in [false, true] {
            let Some((usual, _)) = ask(&engine, &question, fair, None, 1) else { continue };
            for near in [1, 5, 40] {
                let Some(alone) = ask(&engine, &question, fair, Some(near), 1) else { continue };
                let what = format!("{name}, {question:?}, fair {fair}, near {near}");
                assert_eq!(kind(&alone.0), kind(&usual), "{what}: does it fail?\n{text}");
                for threads in [2, 3, 4] {
                    let Some(together) = ask(&engine, &question, fair, Some(near), threads) else { continue };
                    assert_eq!(essence(&together.0), essence(&alone.0), "{what}, {threads} threads\n{text}");
                    assert_eq!(
                        figures(&together.1),
                        figures(&alone.1),
                        "{what}, {threads} threads: figures\n{text}"
                    );
                }
            }
            asked += 1;
            failing += usize::from(kind(&usual));
        }
    }
    (asked, failing)
}

/// `NARROWS_SEEDS=1..5000` makes a long run of it.
#[test]
fn runs_do_not_depend_on_threads() {
    let (mut asked, mut failing) = (0, 0);
    for seed in seeds(15) {
        let questions = generator::generate_questions(seed);
        for text in [claims_text(&questions), questions.model.to_string()] {
            let counts = compare(&format!("seed {seed}"), &text);
            asked += counts.0;
            failing += counts.1;
        }
    }
    eprintln!("{asked} questions, {failing} of them fail");
    assert!(asked > 20 && failing > 5 && failing < asked);
}

/// What is hidden tells no states apart, but a run goes on from what it is.
#[test]
fn runs_with_hidden_variables_are_replayed() {
    let text = "
        hidden bit h; bit x;
        active proctype P() { do :: h = 1 - h :: h == 1 -> x = 1 - x od }
        ltl set { <> (x == 1) }";
    let system = system(text).expect("a model");
    let engine = Engine::automatic(Evaluator::new(&system));
    for question in Question::all(&system) {
        if let Question::Property { .. } = &question {
            for near in [None, Some(1)] {
                let (answer, _) = ask(&engine, &question, false, near, 2).expect("an answer");
                assert!(kind(&answer), "{question:?}, near {near:?}");
            }
        }
    }
}
