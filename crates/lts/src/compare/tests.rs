//! Random pairs of graphs, against the reference.

use narrows_source::{Diagnostics, Sources};

use super::{Evidence, Verdict, compare, side_by_side};
use crate::graph::Graph;
use crate::minimise::tests::RELATIONS;
use crate::minimise::tests::random::Sampler;
use crate::minimise::tests::reference;
use crate::minimise::{Relation, Settings};
use crate::{aut, minimise, mu};

fn are_equal(left: &Graph, right: &Graph, settings: Settings) -> bool {
    let (both, second) = side_by_side(left, right).unwrap();
    let blocks = reference::blocks(&both, settings);
    blocks[both.initial() as usize] == blocks[second as usize]
}

#[test]
fn changed_graphs_are_told_apart() {
    let mut random = Sampler::new(11);
    let mut different = 0;
    for _ in 0..1500 {
        let left = random.graph(&["i", "i", "a", "b"]);
        let right = random.mutated(&left);
        for relation in RELATIONS {
            let settings = Settings::plain(relation);
            let verdict = compare(&left, &right, settings).unwrap();
            let context = || format!("{relation:?} {verdict:?}\n{}{}", aut::write(&left), aut::write(&right));
            let is_equal = verdict == Verdict::Equivalent;
            assert_eq!(is_equal, are_equal(&left, &right, settings), "{}", context());
            if !is_equal {
                // A formula is there only if it was found right.
                assert!(matches!(verdict, Verdict::Different(Evidence::Formula(_))), "{}", context());
                different += 1;
            }
        }
    }
    assert!(different > 500, "{different}");
}

/// Returns what the formula that tells two graphs apart says of each, as it is read from its text.
fn read_back(text: &str, left: &Graph, right: &Graph) -> (bool, bool) {
    let (mut sources, mut diagnostics) = (Sources::default(), Diagnostics::default());
    let file = sources.add("formula", text);
    let formula = mu::parse(file, text, &mut diagnostics);
    assert!(diagnostics.sorted().is_empty(), "{text}\n{diagnostics:?}");
    let formula = formula.unwrap();
    let holds = |graph: &Graph| mu::Checker::new(graph).check(&formula).unwrap().holds();
    (holds(left), holds(right))
}

#[test]
fn cycles_of_internal_steps_tell_nothing() {
    // State 4 of the second graph has a loop that it can do without: nothing may depend on it.
    let left = "des (0, 9, 7)\n(0, i, 4)\n(0, i, 1)\n(1, i, 3)\n(1, b, 0)\n\
                (3, c, 0)\n(3, i, 4)\n(4, a, 2)\n(6, c, 2)\n(6, a, 0)";
    let right = "des (0, 10, 7)\n(0, i, 6)\n(0, i, 1)\n(1, i, 3)\n(1, b, 0)\n\
                 (3, i, 0)\n(3, i, 4)\n(4, i, 4)\n(4, a, 2)\n(6, c, 2)\n(6, a, 0)";
    let text = formula(left, right, Relation::Branching);
    let (left, right) = (aut::read(left).unwrap(), aut::read(right).unwrap());
    assert_eq!(read_back(&text, &left, &right), (true, false), "{text}");
}

#[test]
fn formulas_can_be_read_back() {
    const PLAIN: &[&str] = &["i", "i", "i", "a", "b", "c"];
    const QUOTED: &[&str] = &["i", "tau", "i", "a", "say \"b\\\"", "c"];
    let mut random = Sampler::new(17);
    let (mut found, mut nested) = (0, 0);
    for round in 0..20_000 {
        let labels = if round % 2 == 0 { PLAIN } else { QUOTED };
        let states = 2 + random.below(6);
        let edges = states + random.below(states * 2);
        let left = random.downwards(states, edges, labels);
        let right = random.mutated(&left);
        for relation in [Relation::Branching, Relation::DivergenceBranching] {
            let verdict = compare(&left, &right, Settings::plain(relation)).unwrap();
            let context = || format!("{relation:?} {verdict:?}\n{}{}", aut::write(&left), aut::write(&right));
            match &verdict {
                Verdict::Equivalent => {}
                Verdict::Different(Evidence::Formula(text)) => {
                    assert_eq!(read_back(text, &left, &right), (true, false), "{}", context());
                    found += 1;
                    nested += usize::from(text.contains("(mu X") || text.contains("(nu X"));
                }
                Verdict::Different(_) => panic!("{}", context()),
            }
        }
    }
    assert!(found > 5_000 && nested > 20, "{found}, of which {nested} with a fixpoint within");
}

#[test]
fn changed_rates_are_told_apart() {
    let mut random = Sampler::new(12);
    for _ in 0..500 {
        let left = random.graph(&["i", "a", "rate 1", "rate 0.5", "b; rate 0.5"]);
        let right = random.mutated(&left);
        for relation in [Relation::Strong, Relation::Branching] {
            let settings = Settings { relation, stochastic: true, probabilistic: false };
            let is_equal = compare(&left, &right, settings).unwrap() == Verdict::Equivalent;
            assert_eq!(is_equal, are_equal(&left, &right, settings));
        }
    }
}

#[test]
fn traces_tell_graphs_apart() {
    let mut random = Sampler::new(13);
    let settings = Settings::plain(Relation::Trace);
    let mut different = 0;
    for _ in 0..1000 {
        let left = random.graph(&["i", "a", "a", "b"]);
        let right = random.mutated(&left);
        // Smallest deterministic graphs, numbered breadth first, are the same if their traces are.
        let is_equal = minimise(&left, settings).unwrap() == minimise(&right, settings).unwrap();
        match compare(&left, &right, settings).unwrap() {
            Verdict::Equivalent => assert!(is_equal),
            Verdict::Different(Evidence::Trace { .. }) => {
                assert!(!is_equal);
                different += 1;
            }
            verdict @ Verdict::Different(_) => panic!("{verdict:?}"),
        }
    }
    assert!(different > 100, "{different}");
}

fn formula(left: &str, right: &str, relation: Relation) -> String {
    let (left, right) = (aut::read(left).unwrap(), aut::read(right).unwrap());
    match compare(&left, &right, Settings::plain(relation)).unwrap() {
        Verdict::Different(Evidence::Formula(formula)) => formula,
        verdict => panic!("{verdict:?}"),
    }
}

#[test]
fn formulas_are_short() {
    let early = "des (0, 4, 4)\n(0, a, 1)\n(0, a, 2)\n(1, b, 3)\n(2, c, 3)";
    let late = "des (0, 3, 3)\n(0, a, 1)\n(1, b, 2)\n(1, c, 2)";
    assert_eq!(formula(early, late, Relation::Strong), r#"<"a"> ["c"] false"#);
    assert_eq!(formula(late, early, Relation::Strong), r#"["a"] <"c"> true"#);
    assert_eq!(formula(early, late, Relation::Branching), r#"<i* . "a"> [i* . "c"] false"#);
    assert_eq!(formula(early, late, Relation::Weak), r#"<i* . "a" . i*> [i* . "b" . i*] false"#);
    let spins = "des (0, 2, 2)\n(0, a, 1)\n(1, i, 1)";
    let stops = "des (0, 1, 2)\n(0, a, 1)";
    assert_eq!(formula(spins, stops, Relation::DivergenceBranching), r#"<i* . "a"> <i> @"#);
}

#[test]
fn long_formulas_are_not_shown() {
    let chain = |length: u32, last: &str| {
        let edges: Vec<String> = (0..length).map(|state| format!("({state}, a, {})", state + 1)).collect();
        aut::read(&format!("des (0, ?, ?)\n{}\n({length}, {last}, 0)", edges.join("\n"))).unwrap()
    };
    let settings = Settings::plain(Relation::Strong);
    let verdict = compare(&chain(100_000, "b"), &chain(100_000, "c"), settings).unwrap();
    assert!(matches!(verdict, Verdict::Different(Evidence::None(_))));
    let verdict = compare(&chain(50, "b"), &chain(50, "c"), settings).unwrap();
    assert!(matches!(verdict, Verdict::Different(Evidence::Formula(_))));
}

#[test]
fn formulas_are_not_looked_for_too_long() {
    // An internal chain beside a visible one, whose states are told apart one by one.
    let chains = |length: u32, last: &str| {
        let first = length + 1;
        let at = |state: u32| {
            let (next, beside) = (state + 1, first + state);
            format!("({state}, i, {next})\n({state}, a, {beside})\n({beside}, b, {})\n", beside + 1)
        };
        let edges: String = (0..length).map(at).collect();
        let end = first + length;
        aut::read(&format!("des (0, ?, ?)\n{edges}({length}, a, {first})\n({end}, {last}, {end})")).unwrap()
    };
    let settings = Settings::plain(Relation::Branching);
    let verdict = compare(&chains(3_000, "b"), &chains(3_000, "c"), settings).unwrap();
    assert!(
        matches!(&verdict, Verdict::Different(Evidence::None(reason)) if reason.contains("too long to find")),
        "{verdict:?}"
    );
    let verdict = compare(&chains(5, "b"), &chains(5, "c"), settings).unwrap();
    assert!(matches!(verdict, Verdict::Different(Evidence::Formula(_))), "{verdict:?}");
}
