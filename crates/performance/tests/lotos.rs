//! The corpus of LOTOS models: what stands in their comments behind `RESULT:` is what comes out.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use narrows_explicit::{Budget, SearchScope, Unwatched, breadth_first};
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
    build(&behaviour(text), &Budget::unlimited(Unwatched)).unwrap_or_else(|_| panic!("{text}")).graph
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
        let budget = Budget { threads: 2, ..Budget::unlimited(Unwatched) };
        let found = breadth_first(&model, &[], &SearchScope::within(&budget)).coverage;
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
    // With `a` once and without `d`: the first has 3 states, the second 3, the third 2, the fourth 1, the
    // last 2.
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

/// Returns the labels of all edges, sorted.
fn labels(text: &str) -> Vec<String> {
    let graph = graph(text);
    let mut labels: Vec<String> =
        graph.edges().iter().map(|edge| graph.label(edge.label).to_owned()).collect();
    labels.sort();
    labels
}

#[test]
fn numbers_that_nobody_decides_have_the_bounds_of_conditions() {
    let offered = |behaviour: &str| {
        labels(&format!(
            "specification S [a, b] : noexit library Natural, Boolean endlib behaviour {behaviour} where
               process P [a] (n : Nat) : noexit := a ?x:Nat [x lt n]; stop endproc
             endspec"
        ))
    };
    let cases: &[(&str, &[&str])] = &[
        ("a ?x:Nat [x le 2]; stop", &["A !0", "A !1", "A !2"]),
        ("a ?x:Nat [2 gt x]; stop", &["A !0", "A !1"]),
        ("a ?x:Nat [x = 3]; stop", &["A !3"]),
        ("a ?x:Nat [(x ge 1) and (x <= 2)]; stop", &["A !1", "A !2"]),
        ("a ?x:Nat ?y:Bool [(x lt 1) and y]; stop", &["A !0 !TRUE"]),
        ("P [a] (2)", &["A !0", "A !1"]),
        ("P [a] (0)", &[]),
        ("hide a in a ?x:Nat [x lt 2]; b !x; stop", &["B !0", "B !1", "i", "i"]),
        // The bound of one side is enough for both.
        ("a ?x:Nat [x ge 1]; stop |[a]| a ?y:Nat [y le 2]; stop", &["A !1", "A !2"]),
        ("choice x : Nat [] [x le 1] -> a !x; stop", &["A !0", "A !1"]),
        ("choice x : Nat [] a !x [x lt 2]; stop", &["A !0", "A !1"]),
    ];
    for (behaviour, expected) in cases {
        assert_eq!(offered(behaviour), *expected, "{behaviour}");
    }
    // What depends on an open value is no bound, and neither is an alternative.
    for behaviour in ["a ?x:Nat ?y:Nat [x le y]; stop", "a ?x:Nat [(x le 2) or (x ge 5)]; stop"] {
        let text = format!(
            "specification S [a] : noexit library Natural, Boolean endlib behaviour {behaviour} endspec"
        );
        let found = build(&self::behaviour(&text), &Budget::unlimited(Unwatched));
        assert!(
            matches!(&found, Err(GraphError::Fault(fault)) if fault.kind == ViolationKind::EndlessSort),
            "{behaviour}"
        );
    }
}

#[test]
fn an_option_bounds_numbers_that_nobody_decides() {
    let text = "specification S [a] : noexit library Natural endlib behaviour a ?x:Nat; stop endspec";
    let with = |value: &str| {
        let mut sources = Sources::default();
        let file = sources.add("model.lotos", text);
        let mut diagnostics = Diagnostics::default();
        let options = Options { values: vec![("Nat".to_owned(), value.to_owned(), "-D".to_owned())] };
        let found = compile(&mut sources, file, &options, &mut diagnostics);
        (found, diagnostics.sorted().iter().map(|diagnostic| diagnostic.code).collect::<Vec<_>>())
    };
    let (found, codes) = with("3");
    assert_eq!(codes, [] as [&str; 0]);
    let built = build(&found.expect("a model"), &Budget::unlimited(Unwatched)).expect("a graph");
    assert_eq!(built.graph.edges().len(), 4);
    assert_eq!(with("many").1, ["L0231"]);
    assert_eq!(with("4000000000").1, ["L0231"]);
}

#[test]
fn digits_that_a_type_declares_are_numbers() {
    let text = |equation: &str| {
        format!(
            "specification S [a] : noexit library Natural endlib
             type Digits is Natural
               opns 0, 1, 2, 3 : -> Nat
                    half : Nat -> Nat
               eqns ofsort Nat
                 {equation}
                 half (2) = 1; half (0) = 0;
             endtype
             behaviour a !(1 + 2) !half (2) !7; stop endspec"
        )
    };
    for equation in ["", "1 = succ (0); 2 = succ (1); 3 = 1 + 2;", "2 = 2 of Nat;"] {
        assert_eq!(labels(&text(equation)), ["A !3 !1 !7"], "{equation}");
    }
    let mut diagnostics = Diagnostics::default();
    let mut sources = Sources::default();
    let file = sources.add("model.lotos", text("2 = succ (0);"));
    assert!(compile(&mut sources, file, &Options::default(), &mut diagnostics).is_none());
    assert_eq!(diagnostics.sorted()[0].code, "L0221");
}

#[test]
fn the_library_has_the_types_of_the_standard() {
    let names = [
        "Boolean",
        "FBoolean",
        "Element",
        "BasicNaturalNumber",
        "NaturalNumber",
        "BasicNonEmptyString",
        "RicherNonEmptyString",
        "NonEmptyString",
        "String0",
        "String1",
        "String",
        "Set",
        "Bit",
        "BitString",
        "Octet",
        "OctetString",
        "OctDigit",
        "OctString",
        "OctNatRepr",
        "DecDigit",
        "DecString",
        "DecNatRepr",
        "HexDigit",
        "HexString",
        "HexNatRepr",
        "BitNatRepr",
        "NatRepresentations",
    ];
    for name in names {
        let text = format!("specification S [a] : noexit library {name} endlib behaviour a; stop endspec");
        assert_eq!(labels(&text), ["A"], "{name}");
    }
    let cases = [
        ("DecNatRepr", "NatNum ((Dec (4) + 2) + (7 of DecDigit))", "427"),
        ("HexNatRepr", "NatNum ((F of HexDigit) + Hex (A))", "250"),
        ("OctNatRepr", "NatNum (Oct (1) + (7 of OctDigit))", "15"),
        ("BitNatRepr", "NatNum (((1 of Bit) + ((0 of Bit) + Bit (1))) ++ Bit (1))", "11"),
        ("NatRepresentations", "Length (Hex (A) ++ Hex (B))", "2"),
        ("HexDigit", "((9 of HexDigit) lt A)", "TRUE"),
        ("OctetString", "Length (Octet (Octet (0, 0, 0, 0, 0, 0, 0, 1)))", "1"),
    ];
    for (name, term, expected) in cases {
        let text =
            format!("specification S [a] : noexit library {name} endlib behaviour a !{term}; stop endspec");
        assert_eq!(labels(&text), [format!("A !{expected}")], "{term}");
    }
    let generic = "specification S [a] : noexit library NonEmptyString, Natural, Boolean endlib
        type Numbers is NonEmptyString actualizedby Natural using
          sortnames Nat for Element Numbers for NonEmptyString Bool for FBool
        endtype
        behaviour a !Reverse (1 + (2 + String (3))) !Last (String (5) + 6) !(4 IsIn String (4)); stop endspec";
    assert_eq!(labels(generic), ["A !3 + (2 + STRING (1)) !6 !TRUE"]);
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
        match build(&model, &Budget::unlimited(Unwatched)) {
            Err(GraphError::Fault(fault)) => {
                assert_eq!((fault.kind, fault.about.as_str()), (*kind, *about), "{text}");
            }
            _ => panic!("{text}: nothing is wrong"),
        }
    }
}
