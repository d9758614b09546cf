//! Random small models: what is found set by set is what is found state by state.

mod oracle;
mod writer;

use narrows_graph::Random;
use narrows_languages::smv::{Compiled, Options, compile};
use narrows_model::synchronous::{Reference, SynchronousClaim as Claim, holds_on};
use narrows_model::{Budget, Figure, FigureResult, Number, Question, Reply, Unwatched, Verdict};
use narrows_source::{Diagnostics, Sources, render};
use narrows_symbolic::{Way, bounds, check};
use oracle::Graph;

fn unlimited() -> Budget {
    Budget { memory: 1 << 30, ..Budget::unlimited(Unwatched) }
}

fn compiled(text: &str, expressions: &[&str]) -> Compiled {
    let mut sources = Sources::default();
    let file = sources.add("model.smv", text);
    let mut diagnostics = Diagnostics::default();
    let expressions = expressions.iter().map(|text| ((*text).to_owned(), "expression".to_owned())).collect();
    let options = Options { expressions, ..Options::default() };
    let compiled = compile(&mut sources, file, &options, &mut diagnostics);
    let said: Vec<String> =
        diagnostics.sorted().iter().map(|diagnostic| render(diagnostic, &sources, false)).collect();
    compiled.unwrap_or_else(|| panic!("{text}\n{}", said.join("\n")))
}

fn value(figure: &Figure) -> Option<u64> {
    match figure.result {
        FigureResult::Value { low: Number::Ratio(value, 1), .. } => Some(value as u64),
        FigureResult::Value { low: Number::Infinity, .. } => None,
        _ => Some(u64::MAX),
    }
}

#[derive(Default, Debug)]
struct Tally {
    models: u32,
    holds: u32,
    fails: u32,
    deadlocks: u32,
    faults: u32,
    finite: u32,
    infinite: u32,
    exact: u32,
    computed: u32,
}

/// What COMPUTE must say, and whether it is infinity.
fn computed(
    graph: &Graph<'_>,
    claim: &Claim,
    fair: &std::collections::BTreeSet<usize>,
) -> (Option<u64>, bool) {
    let fair_of = |id| graph.satisfying(id).intersection(fair).copied().collect();
    let (from, to, is_minimum): (std::collections::BTreeSet<usize>, std::collections::BTreeSet<usize>, bool) =
        match claim {
            Claim::Minimum(from, to) => (fair_of(*from), fair_of(*to), true),
            Claim::Maximum(from, to) => (fair_of(*from), fair_of(*to), false),
            other => panic!("{other:?}"),
        };
    let steps = |state: usize| u64::from(!to.contains(&state));
    let value = match is_minimum {
        true => graph.minimum(&from, &to, fair),
        false if from.is_empty() => Some(u64::MAX),
        false => graph.longest(&from, &to, fair, steps),
    };
    (value, value.is_none())
}

fn one(seed: u64, tally: &mut Tally) {
    let mut random = Random::new(seed);
    let text = writer::model(&mut random);
    let (from, to, counted) =
        (writer::predicate(&mut random), writer::predicate(&mut random), writer::predicate(&mut random));
    let found = compiled(&text, &[&from, &to, &counted]);
    let system = &found.system;
    let Some(graph) = Graph::new(system, 300) else { return };
    tally.models += 1;
    let context = |what: &str| format!("seed {seed}: {what}\n{text}");
    let questions = system.questions();
    let how = narrows_symbolic::Options { depth: true, ..narrows_symbolic::Options::default() };
    let checked = check(system, &questions, &how, &unlimited());
    let size = checked.coverage.sets.as_ref().expect("sets of states");
    assert_eq!(size.states, Some(graph.states.len().to_string()), "{}", context("states"));
    assert_eq!(size.depth, Some(graph.depth), "{}", context("depth"));
    let reference = Reference::new(system);
    let fair = graph.staying(&graph.all());
    for (question, outcome) in questions.iter().zip(&checked.replies) {
        let answer = match outcome {
            Reply::Answer(answer) => answer,
            Reply::Figure(figure) => {
                let Question::Property { index, .. } = question else { panic!("{}", context("a figure")) };
                let (expected, is_endless) = computed(&graph, &system.specifications[*index].claim, &fair);
                assert_eq!(value(figure), expected, "{}", context(question.name()));
                tally.computed += 1;
                tally.infinite += u32::from(is_endless);
                continue;
            }
        };
        let holds = match &answer.verdict {
            Verdict::Holds => true,
            Verdict::Fails { .. } => false,
            other => panic!("{} {other:?}", context(question.name())),
        };
        let expected = match question {
            Question::Deadlock => {
                tally.deadlocks += u32::from(!holds);
                !graph.initial.is_empty() && graph.ends().is_empty()
            }
            Question::Faults => {
                tally.faults += u32::from(!holds);
                let mut evaluation = narrows_model::synchronous::Evaluation::new(system);
                !graph.states.iter().any(|state| {
                    inputs(system, state).into_iter().any(|state| {
                        let moment = narrows_model::synchronous::Moment::still(&state);
                        system.hazards.iter().any(|hazard| evaluation.is_true(hazard.condition, moment))
                    })
                })
            }
            Question::Property { index, .. } => match &system.specifications[*index].claim {
                Claim::Invariant(root) if system.is_of_step(*root) => graph.on_all_steps(*root),
                Claim::Invariant(root) => graph.satisfying(*root).len() == graph.states.len(),
                Claim::Branching(formulas) => {
                    let set = graph.evaluate(formulas);
                    graph.initial.iter().all(|state| set.contains(state) || !fair.contains(state))
                }
                Claim::Linear(formulas) => {
                    // A run against it has been replayed; one that was overlooked is looked for everywhere,
                    // or else at random.
                    let expected = graph.on_all_runs(formulas, 1500);
                    tally.exact += u32::from(holds && expected.is_some());
                    if let Some(expected) = expected {
                        assert_eq!(holds, expected, "{}", context(question.name()));
                    } else if holds {
                        for _ in 0..150 {
                            let Some(run) = graph.lasso(|below| random.below(below as u64) as usize) else {
                                continue;
                            };
                            let is_against =
                                graph.is_fair(&run) && holds_on(formulas, &reference, &run) == Some(false);
                            assert!(!is_against, "{}", context(question.name()));
                        }
                    }
                    holds
                }
                _ => continue,
            },
            _ => continue,
        };
        assert_eq!(holds, expected, "{}", context(&format!("{question:?}")));
        tally.holds += u32::from(holds);
        tally.fails += u32::from(!holds);
    }
    let meet = |id| graph.satisfying(id).intersection(&fair).copied().collect();
    let (start, end): (std::collections::BTreeSet<usize>, std::collections::BTreeSet<usize>) =
        (meet(found.expressions[0]), meet(found.expressions[1]));
    let counts = graph.satisfying(found.expressions[2]);
    let way = Way {
        from: found.expressions[0],
        to: found.expressions[1],
        counted: vec![(found.expressions[2], counted)],
        name: "way".to_owned(),
    };
    let weight = |state: usize| u64::from(counts.contains(&state));
    let steps = |state: usize| u64::from(!end.contains(&state));
    for outcome in bounds(system, &way, &unlimited()).replies {
        let Reply::Figure(figure) = outcome else { continue };
        let expected = match figure.kind {
            "min_delay" => graph.minimum(&start, &end, &fair),
            "max_delay" if start.is_empty() => Some(u64::MAX),
            "max_delay" => graph.longest(&start, &end, &fair, steps),
            "min_count" => graph.least(&start, &end, &fair, weight),
            _ if start.is_empty() => Some(u64::MAX),
            _ => graph.longest(&start, &end, &fair, weight),
        };
        assert_eq!(
            value(&figure),
            expected,
            "{}",
            context(&format!("{} from {from} to {to}, {}", figure.kind, figure.name))
        );
        tally.finite += u32::from(expected.is_some());
        tally.infinite += u32::from(expected.is_none());
    }
}

/// Returns a state with all values of the inputs.
fn inputs(system: &narrows_model::synchronous::SynchronousSystem, state: &[i128]) -> Vec<Vec<i128>> {
    let mut all = vec![state.to_vec()];
    for (index, variable) in system.variables.iter().enumerate() {
        if variable.role == narrows_model::synchronous::Role::Input {
            let wider = all.iter().flat_map(|state| {
                variable.domain.values().map(move |value| {
                    let mut state = state.clone();
                    state[index] = value;
                    state
                })
            });
            all = wider.collect();
        }
    }
    all
}

#[test]
fn sets_and_states_agree() {
    let mut tally = Tally::default();
    let seeds = std::env::var("SEEDS").ok().and_then(|text| text.parse().ok()).unwrap_or(400);
    for seed in 0..seeds {
        one(seed, &mut tally);
    }
    assert!(tally.models > 200 && tally.holds > 500 && tally.fails > 500, "{tally:?}");
    assert!(tally.exact > 100 && tally.computed > 500, "{tally:?}");
    assert!(
        tally.deadlocks > 10 && tally.faults > 10 && tally.finite > 200 && tally.infinite > 100,
        "{tally:?}"
    );
}
