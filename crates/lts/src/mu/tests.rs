//! Random formulas on random graphs against the reference, and what is known by heart.

use narrows_graph::Random;
use narrows_source::{Diagnostics, Sources, Span};

use super::reference::satisfying;
use super::syntax::{Action, Formula, Name, Operator, Regular, Sign};
use super::{Checker, End, Run, parse};
use crate::graph::{Builder, Graph};

/// Draws graphs and formulas.
struct Sampler(Random);

impl Sampler {
    fn below(&mut self, limit: u32) -> u32 {
        self.0.below(limit.into()) as u32
    }

    fn graph(&mut self) -> Graph {
        let states = 1 + self.below(9);
        let mut builder = Builder::new(self.below(states), 0);
        builder.states(states);
        for _ in 0..self.below(states * 3 + 1) {
            let label = builder.label(["A", "B", "C !1", "i"][self.below(4) as usize]);
            builder.edge(self.below(states), label, self.below(states));
        }
        builder.build().unwrap()
    }

    fn action(&mut self, depth: u32) -> Action {
        match self.below(if depth == 0 { 6 } else { 9 }) {
            0 => Action::True,
            1 => Action::False,
            2 => Action::Internal,
            3 => super::actions::pattern("[AC].*", Span::default()).map(Action::Pattern).unwrap(),
            4 | 5 => Action::Label(name(["A", "B", "C !1"][self.below(3) as usize])),
            6 => Action::Not(Box::new(self.action(depth - 1))),
            _ => {
                let operator = self.operator();
                let (left, right) = (self.action(depth - 1), self.action(depth - 1));
                Action::Binary(operator, Box::new(left), Box::new(right))
            }
        }
    }

    fn operator(&mut self) -> Operator {
        [Operator::And, Operator::Or, Operator::Implies, Operator::Equivalent][self.below(4) as usize]
    }

    fn regular(&mut self, depth: u32) -> Regular {
        match self.below(if depth == 0 { 5 } else { 11 }) {
            0 => Regular::Nil,
            1..5 => Regular::Action(self.action(1)),
            5 | 6 => Regular::Then(Box::new(self.regular(depth - 1)), Box::new(self.regular(depth - 1))),
            7 => Regular::Either(Box::new(self.regular(depth - 1)), Box::new(self.regular(depth - 1))),
            8 => Regular::Star(Box::new(self.regular(depth - 1)), Span::default()),
            9 => Regular::Plus(Box::new(self.regular(depth - 1)), Span::default()),
            _ => Regular::Optional(Box::new(self.regular(depth - 1))),
        }
    }

    fn formula(&mut self, depth: u32, bound: &mut Vec<&'static str>) -> Formula {
        if depth == 0 {
            return match self.below(4) {
                0 => Formula::True,
                1 => Formula::False,
                _ if bound.is_empty() => Formula::True,
                _ => Formula::Variable(name(bound[self.below(bound.len() as u32) as usize])),
            };
        }
        match self.below(12) {
            0 => Formula::Not(Box::new(self.formula(depth - 1, bound))),
            1..4 => {
                let operator = self.operator();
                let (left, right) = (self.formula(depth - 1, bound), self.formula(depth - 1, bound));
                Formula::Binary(operator, Box::new(left), Box::new(right))
            }
            4 | 5 => Formula::Possible(self.regular(2), Box::new(self.formula(depth - 1, bound))),
            6 | 7 => Formula::Necessary(self.regular(2), Box::new(self.formula(depth - 1, bound))),
            8 => Formula::Endless(self.regular(3), Span::default()),
            9 => Formula::Bounded(self.regular(3), Span::default()),
            _ => {
                let variable = ["X", "Y", "Z"][self.below(3) as usize];
                bound.push(variable);
                let body = self.formula(depth - 1, bound);
                bound.pop();
                let sign = if self.below(2) == 0 { Sign::Least } else { Sign::Greatest };
                Formula::Fixpoint(sign, name(variable), Box::new(body))
            }
        }
    }
}

fn name(text: &str) -> Name {
    Name { text: text.to_owned(), span: Span::default() }
}

fn read(text: &str) -> Option<Formula> {
    let mut sources = Sources::default();
    let file = sources.add("formula", text);
    parse(file, text, &mut Diagnostics::default())
}

fn graph(edges: &[(u32, &str, u32)]) -> Graph {
    let mut builder = Builder::new(0, 0);
    for (from, label, target) in edges {
        let label = builder.label(label);
        builder.edge(*from, label, *target);
    }
    builder.build().unwrap()
}

#[test]
fn agrees_with_the_reference_and_evidence_confirms_it() {
    let mut random = Sampler(Random::new(2));
    let (mut asked, mut held, mut runs) = (0, 0, 0);
    for _ in 0..20_000 {
        let depth = 1 + random.below(5);
        let text = random.formula(depth, &mut Vec::new()).to_string();
        let Some(formula) = read(&text) else { continue };
        asked += 1;
        let graph = random.graph();
        let checker = Checker::new(&graph);
        let answer = checker.check(&formula).unwrap();
        let expected = satisfying(&formula, &graph);
        let found: Vec<bool> = (0..graph.states()).map(|state| answer.holds_in(state)).collect();
        assert_eq!(found, expected, "{text}\n{}", crate::aut::write(&graph));
        assert_eq!(answer.count() as usize, expected.iter().filter(|holds| **holds).count());
        held += u32::from(answer.holds());
        let evidence = answer.evidence().unwrap();
        assert!(answer.is_confirmed_by(&evidence).unwrap(), "{text}\n{}", crate::aut::write(&graph));
        assert_eq!(satisfying(&formula, &evidence.graph)[0], answer.holds(), "{text}");
        assert_eq!(evidence.states[0], graph.initial());
        for (from, edge) in evidence.graph.all_edges() {
            let whole = |state: u32| evidence.states[state as usize];
            let label = evidence.graph.label(edge.label);
            let is_there = |other: &&crate::Edge| {
                graph.label(other.label) == label && other.target == whole(edge.target)
            };
            assert!(graph.edges_from(whole(from)).iter().any(|other| is_there(&other)));
        }
        if let Some(run) = answer.run() {
            runs += 1;
            follow(&run, &graph);
            if run.end == End::Complete {
                let alone = satisfying(&formula, &of_run(&run, &graph));
                assert_eq!(alone[run.start as usize], answer.holds(), "{text} {run:?}");
            }
        }
    }
    assert!(asked > 10_000 && held > 2_500 && asked - held > 2_500 && runs > 1_500, "{asked} {held} {runs}");
}

/// Returns the edges of a run alone.
fn of_run(run: &Run, graph: &Graph) -> Graph {
    let mut builder = Builder::new(graph.initial(), 0);
    builder.states(graph.states());
    let mut state = run.start;
    for (label, target) in &run.steps {
        let label = builder.label(graph.label(*label));
        builder.edge(state, label, *target);
        state = *target;
    }
    builder.build().unwrap()
}

/// Makes sure that a run is one of the graph.
fn follow(run: &Run, graph: &Graph) {
    let mut state = run.start;
    assert_eq!(state, graph.initial());
    let mut states = vec![state];
    for (label, target) in &run.steps {
        let edges = graph.edges_from(state);
        assert!(edges.iter().any(|edge| edge.label == *label && edge.target == *target));
        state = *target;
        states.push(state);
    }
    if let Some(cycle) = run.cycle {
        assert!(cycle < run.steps.len());
        assert_eq!(states[cycle], state);
    }
}

#[test]
fn what_is_printed_is_read_again() {
    let mut random = Sampler(Random::new(1));
    let mut read_again = 0;
    for _ in 0..20_000 {
        let depth = 1 + random.below(5);
        let text = random.formula(depth, &mut Vec::new()).to_string();
        if let Some(formula) = read(&text) {
            assert_eq!(formula.to_string(), text);
            read_again += 1;
        }
    }
    assert!(read_again > 10_000, "{read_again}");
}

#[test]
fn precedences_are_those_of_the_manual() {
    let cases = [
        ("<\"A\"> true and [\"B\"] false or true", "(<\"A\"> true and [\"B\"] false) or true"),
        ("true implies false implies true", "true implies (false implies true)"),
        ("true equ false or true", "true equ (false or true)"),
        ("not <true> true and false", "not <true> true and false"),
        ("<not \"A\"*> true", "<(not \"A\")*> true"),
        ("<\"A\" or \"B\" . \"C\" | nil> true", "<((\"A\" or \"B\") . \"C\") | nil> true"),
        ("<\"A\" . \"B\"* . i?> @", "<\"A\" . \"B\"* . tau?> @"),
        ("mu X . <true> X", "mu X . <true> X"),
        ("(* all *) [ true * ] (* not closed *) -|", "[true*] -|"),
        (r#"<"say \"hi\" \\"> true"#, r#"<"say \"hi\" \\"> true"#),
        (r"<'it\'s \d+ \\'> true", r"<'it\'s \d+ \\'> true"),
    ];
    for (text, expected) in cases {
        let formula = read(text).unwrap_or_else(|| panic!("{text}"));
        assert_eq!(formula.to_string(), expected, "{text}");
        assert_eq!(read(expected).unwrap().to_string(), expected);
    }
}

#[test]
fn labels_are_matched_as_a_whole() {
    let graph = graph(&[(0, "PUT !1", 1), (1, "tau", 2), (2, "say \"x\"", 0)]);
    let checker = Checker::new(&graph);
    for (text, states) in [
        ("<\"PUT !1\"> true", 1),
        ("<\"PUT\"> true", 0),
        ("<'PUT'> true", 0),
        ("<'PUT .*'> true", 1),
        ("<'PUT !1|i'> true", 2),
        ("<i> true", 1),
        ("<tau> true", 1),
        ("<\"i\"> true", 1),
        ("<'i'> true", 1),
        (r#"<"say \"x\""> true"#, 1),
        ("<not i and not 'PUT.*'> true", 1),
    ] {
        let formula = read(text).unwrap();
        assert_eq!(checker.check(&formula).unwrap().count(), states, "{text}");
    }
}

#[test]
fn runs_show_what_goes_wrong() {
    // 0 sends and loses, or sends and gets an answer; 3 is a dead end.
    let graph = graph(&[
        (0, "SEND", 1),
        (1, "LOSE", 1),
        (1, "RECV", 0),
        (0, "IDLE", 0),
        (1, "BREAK", 2),
        (2, "i", 3),
    ]);
    let checker = Checker::new(&graph);
    let run = |text: &str| {
        let formula = read(text).unwrap();
        let answer = checker.check(&formula).unwrap();
        let run = answer.run().map(|run| {
            let steps = run.steps.iter().map(|(label, state)| format!("{} {state}", graph.label(*label)));
            (steps.collect::<Vec<_>>().join(", "), run.cycle, run.end)
        });
        (answer.holds(), run)
    };
    let found = |steps: &str, cycle, end| Some((steps.to_owned(), cycle, end));
    assert_eq!(run("[true* . \"BREAK\"] false"), (false, found("SEND 1, BREAK 2", None, End::Complete)));
    assert_eq!(
        run("[true*] <true> true"),
        (
            false,
            found(
                "SEND 1, BREAK 2, i 3",
                None,
                End::Part { formula: "<true> true".to_owned(), holds: false }
            )
        )
    );
    assert_eq!(
        run("[true* . \"SEND\"] mu X . (<true> true and [not \"RECV\"] X)"),
        (false, found("SEND 1, LOSE 1", Some(1), End::Complete))
    );
    assert_eq!(run("<\"IDLE\"> @"), (true, found("IDLE 0", Some(0), End::Complete)));
    assert_eq!(run("<true* . \"RECV\"> @"), (true, found("SEND 1, RECV 0", Some(0), End::Complete)));
    assert_eq!(run("[\"SEND\"] -|"), (true, found("SEND 1", None, End::Stuck)));
    assert_eq!(
        run("<\"SEND\"> ([\"LOSE\"] true and <\"RECV\"> true)"),
        (
            true,
            found(
                "SEND 1",
                None,
                End::Part { formula: "[\"LOSE\"] true and <\"RECV\"> true".to_owned(), holds: true }
            )
        )
    );
    assert_eq!(run("[true* . \"NEVER\"] false").1, None);
}

#[test]
fn a_long_chain_takes_no_stack() {
    let states = 1_000_000;
    let mut builder = Builder::new(0, states as usize);
    let (step, last) = (builder.label("STEP"), builder.label("LAST"));
    for state in 0..states - 1 {
        builder.edge(state, if state == states - 2 { last } else { step }, state + 1);
    }
    let graph = builder.build().unwrap();
    let checker = Checker::new(&graph);
    for (text, holds, count) in [
        ("mu X . (<\"LAST\"> true or <true> X)", true, states - 1),
        ("mu X . <true> X", false, 0),
        ("mu X . [true] X", true, states),
        ("<true* . \"LAST\"> true", true, states - 1),
        ("<true*. \"STEP\"> @", false, 0),
        ("[true*] <true> true", false, 0),
    ] {
        let formula = read(text).unwrap();
        let answer = checker.check(&formula).unwrap();
        assert_eq!((answer.holds(), answer.count()), (holds, count), "{text}");
        assert!(answer.is_confirmed_by(&answer.evidence().unwrap()).unwrap(), "{text}");
    }
}
