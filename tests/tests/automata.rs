//! Automata of formulas: as small as SPIN's, and accepting the same words.

use std::process::Command;
use std::time::{Duration, Instant};

use narrows_graph::Random;
use narrows_logic::{Buchi, Lasso, is_disjoint, translate};
use narrows_tests::commands::{Scratch, run};
use narrows_tests::formulas::{Formula, has_spin, parse, random, read_claim, spin_automaton};

const FORMULAS: &str = include_str!("../models/formulas.txt");

/// SPIN needs minutes for some formulas.
const LIMIT: Duration = Duration::from_secs(3);

fn committed() -> Vec<Formula> {
    let lines = FORMULAS.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    lines.map(|line| parse(line).expect(line)).collect()
}

fn generated(count: u64, with_next: bool) -> Vec<Formula> {
    let one = |seed| {
        let mut numbers = Random::new(seed);
        let (atoms, size) = (numbers.between(2, 4), numbers.between(3, 12));
        random(&mut numbers, size, &["p", "q", "r", "s"][..atoms], with_next)
    };
    (0..count).map(one).collect()
}

fn automaton(formula: &Formula) -> Buchi<String> {
    translate(formula).unwrap_or_else(|error| panic!("{formula}: {error}"))
}

#[test]
fn automata_are_no_larger_than_those_of_spin() {
    if !has_spin() {
        assert!(std::env::var_os("CI").is_none(), "there is no `spin`");
        eprintln!("skipped: there is no `spin`");
        return;
    }
    let committed = committed();
    assert!(committed.len() >= 100, "only {} formulas", committed.len());
    for (name, formulas) in [("committed", committed), ("random", generated(100, false))] {
        let (mut ours, mut theirs, mut larger, mut compared) = ([0; 3], [0; 3], Vec::new(), 0);
        for formula in &formulas {
            let negation = formula.clone().negated();
            let (mine, opposite) = (automaton(formula), automaton(&negation));
            let (Some(spins), Some(spins_opposite)) = (
                spin_automaton(formula, LIMIT).expect("a claim"),
                spin_automaton(&negation, LIMIT).expect("a claim"),
            ) else {
                eprintln!("SPIN takes too long: {formula}");
                continue;
            };
            compared += 1;
            assert!(is_disjoint(&mine, &spins_opposite), "{formula}: too much is accepted");
            assert!(is_disjoint(&opposite, &spins), "{formula}: too little is accepted");
            assert!(is_disjoint(&mine, &opposite), "{formula}: a word is accepted and rejected");
            for (mine, spins) in [(&mine, &spins), (&opposite, &spins_opposite)] {
                let size = |automaton: &Buchi<String>| {
                    [automaton.states.len(), automaton.pair_count(), automaton.edge_count()]
                };
                let (my_size, spins_size) = (size(mine), size(spins));
                for index in 0..3 {
                    ours[index] += my_size[index];
                    theirs[index] += spins_size[index];
                }
                if my_size[0] > spins_size[0] {
                    larger.push(format!("{} instead of {}: {formula}", my_size[0], spins_size[0]));
                }
            }
        }
        println!("{name}: {compared} of {} formulas and their negations", formulas.len());
        assert!(compared > formulas.len() / 2, "{name}: SPIN takes too long for most formulas");
        for (index, what) in ["states", "transitions", "cubes"].into_iter().enumerate() {
            println!("  {what:<12} {:>6}, SPIN {:>6}", ours[index], theirs[index]);
        }
        println!("  larger than SPIN's: {}", larger.len());
        for line in larger {
            println!("    {line}");
        }
        assert!(ours[0] <= theirs[0], "{name}: {} states, SPIN {}", ours[0], theirs[0]);
        assert!(ours[1] <= theirs[1], "{name}: {} transitions, SPIN {}", ours[1], theirs[1]);
    }
}

#[test]
fn automata_accept_the_words_on_which_formulas_hold() {
    let mut numbers = Random::new(1);
    let names = ["p", "q", "r", "s", "t", "z"];
    let holds = |atom: &String, letter: &u64| {
        names.iter().position(|name| name == atom).is_some_and(|at| letter >> at & 1 == 1)
    };
    let (mut slowest, mut longest) = (String::new(), Duration::ZERO);
    for formula in committed().into_iter().chain(generated(300, true)) {
        let start = Instant::now();
        let mine = automaton(&formula);
        if start.elapsed() > longest {
            (slowest, longest) = (formula.to_string(), start.elapsed());
        }
        let opposite = automaton(&formula.clone().negated());
        assert!(is_disjoint(&mine, &opposite), "{formula}");
        for _ in 0..50 {
            let length = numbers.between(1, 8);
            let letters = (0..length).map(|_| numbers.bits()).collect();
            let word = Lasso { letters, cycle: numbers.index(length) };
            let expected = word.satisfies(&formula, &holds);
            assert_eq!(word.is_accepted(&mine, &holds), expected, "{formula} on {word:?}");
            assert_eq!(word.is_accepted(&opposite, &holds), !expected, "!({formula}) on {word:?}");
        }
    }
    println!("the slowest translation took {longest:?}: {slowest}");
}

/// A never claim means what its automaton does, and SPIN takes it.
#[test]
fn never_claims_can_be_used_with_spin() {
    let model = "bool p, q, r, s, t, z;\nactive proctype P() { do :: p = !p :: q = !q od }\n";
    let has_spin = has_spin();
    let scratch = Scratch::new().expect("a directory");
    for formula in committed().into_iter().chain(generated(40, true)) {
        let (mine, opposite) = (automaton(&formula), automaton(&formula.clone().negated()));
        let claim = mine.never_claim(&formula.to_string());
        let read = read_claim(&claim).unwrap_or_else(|error| panic!("{error}\n{claim}"));
        assert_eq!(read.states.len(), mine.states.len(), "{claim}");
        assert!(is_disjoint(&read, &opposite), "{claim}");
        let opposite = read_claim(&opposite.never_claim("")).expect("a claim");
        assert!(is_disjoint(&mine, &opposite), "{formula}");
        if has_spin {
            std::fs::write(scratch.path().join("model.pml"), format!("{model}{claim}")).expect("a model");
            let mut spin = Command::new("spin");
            spin.args(["-a", "model.pml"]).current_dir(scratch.path());
            let finished = run(&mut spin, LIMIT).expect("spin runs");
            let said = format!("{}{}", finished.stdout, finished.stderr);
            assert!(finished.code() == Some(0) && !said.to_lowercase().contains("error"), "{said}\n{claim}");
        }
    }
}
