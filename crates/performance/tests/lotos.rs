//! The corpus of LOTOS models: what stands in their comments behind `RESULT:` is what comes out.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use narrows_explicit::{Budget, Unwatched, breadth_first};
use narrows_languages::lotos::{Options, compile};
use narrows_lts::mu::{Checker, parse};
use narrows_lts::{Graph, Relation, Settings, Verdict, aut, compare, minimise};
use narrows_model::ViolationKind;
use narrows_model::behaviour::Behaviour;
use narrows_performance::labelled::{GraphError, build};
use narrows_source::{Diagnostics, FileId, Sources};

fn corpus() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/models/lotos")
}

fn behaviour(text: &str) -> Behaviour {
    let mut sources = Sources::default();
    let file = sources.add("model.lotos", text);
    let mut diagnostics = Diagnostics::default();
    compile(&mut sources, file, &Options::default(), &mut diagnostics)
        .unwrap_or_else(|| panic!("{text}\n{:#?}", diagnostics.sorted()))
}

fn graph(text: &str) -> Graph {
    build(&behaviour(text), &Budget::unlimited(&Unwatched)).unwrap_or_else(|_| panic!("{text}")).graph
}

fn read(name: &str) -> Graph {
    graph(&fs::read_to_string(corpus().join(name)).expect("a model of the corpus"))
}

/// Whether a state has no edges and is not where a run ends well.
fn has_deadlock(graph: &Graph) -> bool {
    let ended = |state: u32| {
        graph.edges().iter().any(|edge| edge.target == state && graph.label(edge.label).starts_with("exit"))
    };
    (0..graph.states()).any(|state| graph.edges_from(state).is_empty() && !ended(state))
}

#[test]
fn the_corpus_has_its_results() {
    let mut count = 0;
    let mut wrong = String::new();
    for entry in fs::read_dir(corpus()).expect("the corpus").flatten() {
        let text = fs::read_to_string(entry.path()).expect("a text");
        let Some((_, result)) = text.split_once("RESULT: ") else { continue };
        let expected = result.split(" *)").next().unwrap_or("");
        let graph = graph(&text);
        let small = minimise(&graph, Settings::plain(Relation::Branching)).expect("a quotient");
        let found = format!(
            "states {}, transitions {}, deadlock {}, branching {}",
            graph.states(),
            graph.edges().len(),
            if has_deadlock(&graph) { "yes" } else { "no" },
            small.states()
        );
        if found != expected {
            let place = entry.path();
            let _ = writeln!(wrong, "{}\n  expected {expected}\n  found    {found}", place.display());
        }
        count += 1;
    }
    assert!(wrong.is_empty(), "{wrong}");
    assert!(count >= 8, "{count}");
}

#[test]
fn other_searches_see_the_same_states() {
    for name in ["alternating_bit.lotos", "sliding_window.lotos", "features.lotos", "disabling.lotos"] {
        let text = fs::read_to_string(corpus().join(name)).expect("a model of the corpus");
        let model = behaviour(&text);
        let budget = Budget { threads: 2, ..Budget::unlimited(&Unwatched) };
        let found = breadth_first(&model, &[], &budget).coverage;
        let graph = graph(&text);
        assert_eq!(
            (found.states, found.transitions),
            (u64::from(graph.states()), graph.edges().len() as u64)
        );
    }
}

fn is_same(left: &Graph, right: &Graph) -> bool {
    compare(left, right, Settings::plain(Relation::Branching)) == Ok(Verdict::Equivalent)
}

#[test]
fn protocols_do_what_they_are_for() {
    let buffer = "des (0, 4, 3)\n(0, \"PUT !RED\", 1)\n(0, \"PUT !GREEN\", 2)\n(1, \"GET !RED\", 0)\n(2, \"GET !GREEN\", 0)\n";
    let protocol = read("alternating_bit.lotos");
    assert!(is_same(&protocol, &aut::read(buffer).expect("a graph")));
    let leader = aut::read("des (0, 1, 2)\n(0, \"LEADER !3\", 1)\n").expect("a graph");
    assert!(is_same(&read("leader_election.lotos"), &leader));
    let checker = |graph: &Graph, text: &str| {
        let formula = parse(FileId(0), text, &mut Diagnostics::default()).expect("a formula");
        Checker::new(graph).check(&formula).expect("an answer").holds()
    };
    // What comes out first was put in first.
    let window = read("sliding_window.lotos");
    let bad = "[(not 'PUT.*')* . \"PUT !RED\" . true* . \"GET !GREEN\"] false";
    assert!(!checker(&window, bad), "red comes out first, then green");
    let order = "[(not 'PUT.*')* . \"PUT !RED\" . (not 'GET.*')* . \"GET !GREEN\"] false";
    assert!(checker(&window, order));
    let ring = read("token_ring.lotos");
    assert!(checker(&ring, "[true*] <true* . \"WORK !2\"> true"));
}

#[test]
fn it_does_not_matter_who_meets_whom_first() {
    let [one, two, three, four, five] =
        ["a; b; stop", "b; c; stop", "c; stop", "d; a; stop", "b; d; a; stop"];
    let nested = |op: &str| {
        [
            format!("({one} {op} ({two} {op} ({three} {op} ({four} {op} {five}))))"),
            format!("(((({one} {op} {two}) {op} {three}) {op} {four}) {op} {five})"),
            format!("(({one} {op} {two}) {op} ({three} {op} ({four} {op} {five})))"),
            format!("({one} {op} (({two} {op} {three} {op} {four}) {op} {five}))"),
        ]
    };
    // With `a` once and without `d`: the first has 3 states, the second 3, the third 2, the fourth 1, the last 2.
    for (op, first) in [("|||", 36), ("|[b]|", 4)] {
        for (beside, states) in
            [("a; stop", Some(first)), ("d; a; a; stop", None), ("c; b; b; b; a; stop", None)]
        {
            // On either side of something that meets them, at a gate that not all have.
            let graphs: Vec<Graph> = nested(op)
                .iter()
                .flat_map(|all| [format!("{all} |[a, d]| {beside}"), format!("({beside}) |[a, d]| {all}")])
                .map(|text| graph(&format!("specification S [a, b, c, d] : noexit behaviour {text} endspec")))
                .collect();
            for other in &graphs[1..] {
                assert_eq!(other.states(), graphs[0].states(), "{op} {beside}");
                let verdict = compare(other, &graphs[0], Settings::plain(Relation::Strong));
                assert_eq!(verdict, Ok(Verdict::Equivalent), "{op} {beside}");
            }
            assert_eq!(graphs[0].states(), states.unwrap_or(graphs[0].states()));
        }
    }
}

#[test]
fn what_has_no_value_is_told_with_its_place() {
    let cases: &[(&str, ViolationKind, &str)] = &[
        ("a !head (nil); stop", ViolationKind::NoEquation, "HEAD (NIL)"),
        ("a !(1 - 2); stop", ViolationKind::BelowZero, "1 - 2"),
        ("a !(1 div 0); stop", ViolationKind::DivisionByZero, "1 DIV 0"),
        ("a !(2 ** 31); stop", ViolationKind::NumberTooLarge, "2 ** 31"),
        ("a !for_ever (1); stop", ViolationKind::EndlessRewriting, "FOR_EVER"),
        ("a ?x:Nat; stop", ViolationKind::EndlessSort, "NAT"),
        ("choice x : List [] a; stop", ViolationKind::EndlessSort, "LIST"),
        ("P [a] (1)", ViolationKind::EndlessRecursion, ""),
        ("a; Q [a] (nil)", ViolationKind::StateTooLarge, "CONS"),
        ("R [a]", ViolationKind::StateTooLarge, ""),
        ("T [a] >> stop", ViolationKind::StateTooLarge, ""),
    ];
    for (text, kind, about) in cases {
        let model = behaviour(&format!(
            "specification S [a] : noexit
             library Natural endlib
             type List is Natural
               sorts List
               opns nil (*! constructor *) : -> List
                    cons (*! constructor *) : Nat, List -> List
                    head : List -> Nat
                    for_ever : Nat -> Nat
               eqns forall x : Nat, l : List
                 ofsort Nat head (cons (x, l)) = x; for_ever (x) = for_ever (x + 0);
             endtype
             behaviour {text}
             where
               process P [a] (n : Nat) : noexit := [n ge 0] -> P [a] (n) [] a; stop endproc
               process Q [a] (l : List) : noexit := a; Q [a] (cons (1, l)) endproc
               process R [a] : noexit := a; (R [a] ||| stop) endproc
               process T [a] : exit := a; (T [a] >> a; exit) endproc
             endspec"
        ));
        match build(&model, &Budget::unlimited(&Unwatched)) {
            Err(GraphError::Fault(fault)) => {
                assert_eq!((fault.kind, fault.about.as_str()), (*kind, *about), "{text}");
            }
            _ => panic!("{text}: nothing is wrong"),
        }
    }
}
