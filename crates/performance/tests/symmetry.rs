//! Orbits of states against all states: random models of parts that are equal, or nearly so.

mod symmetric;

use narrows_explicit::{
    Asked, Budget, Engine, Exploration, Options as CheckOptions, Quotient, SearchScope, Symmetry, Unwatched,
    Wrong, breadth_first, check, check_symmetric, replay,
};
use narrows_languages::Options;
use narrows_model::{Evaluator, Question, StateSpace, System, Verdict};
use narrows_source::NoFiles;

fn system(text: &str) -> System {
    let read = narrows_languages::read("m.pml", text.to_owned(), &NoFiles, &Options::default());
    match read {
        Ok(read) => read.model.processes().expect("processes").clone(),
        Err(wrong) => panic!("{:?} in\n{text}", wrong.diagnostics),
    }
}

fn visit(space: &dyn StateSpace, most: u64) -> Exploration {
    let budget = Budget { memory: 1 << 30, ..Budget::unlimited(Unwatched) };
    breadth_first(space, &[], &SearchScope { states: most, ..SearchScope::within(&budget) })
}

/// Returns what goes wrong, each thing once.
fn wrongs(exploration: &Exploration) -> Vec<String> {
    let mut all: Vec<String> = exploration
        .findings
        .iter()
        .map(|finding| match &finding.wrong {
            Wrong::Violation(violation) => format!("{:?} {:?}", violation.kind, violation.span),
            Wrong::Deadlock(_) => "deadlock".to_owned(),
        })
        .collect();
    all.sort();
    all.dedup();
    all
}

/// Compares orbits with all states; returns how many of each there are, or why nothing may be exchanged.
fn compare(text: &str) -> Result<(u64, u64), &'static str> {
    let system = system(text);
    let evaluator = Evaluator::new(&system);
    let symmetry = Symmetry::find(evaluator, &Asked::NOTHING)?;
    let meant = if symmetry.forgets() { evaluator.forgetting() } else { evaluator };
    let full = visit(&Engine::automatic(meant), 30_000);
    if !full.is_complete() {
        return Err("too many states");
    }
    let quotient = Quotient::new(&meant, &symmetry);
    let orbits = visit(&quotient, 30_000);
    let count = quotient.count();
    assert!(orbits.is_complete(), "{text}");
    assert_eq!(count.expanded, orbits.coverage.states, "{text}");
    if symmetry.order().is_some() {
        assert_eq!(count.states, Some(full.coverage.states.into()), "{:?} in\n{text}", symmetry.words());
        assert_eq!(count.transitions, Some(full.coverage.transitions.into()), "{text}");
    }
    assert_eq!(wrongs(&full), wrongs(&orbits), "{text}");
    assert_eq!(full.coverage.depth, orbits.coverage.depth, "{text}");
    let mut taken = orbits.coverage.taken.clone();
    symmetry.complete(&mut taken);
    assert_eq!(full.coverage.taken, taken, "{text}");
    for finding in orbits.findings.iter().filter(|finding| finding.run.is_some()) {
        let lifted = quotient.lift(evaluator, finding).expect("each run of orbits is one of the model");
        assert!(replay(evaluator, &lifted).is_ok(), "{text}");
    }
    Ok((full.coverage.states, orbits.coverage.states))
}

#[test]
fn orbits_stand_for_all_states_of_random_models() {
    let (mut reduced, mut refused, mut uneven) = (0, 0, 0);
    for seed in 0..240 {
        let written = symmetric::write(seed);
        match compare(&written.text) {
            Ok((full, orbits)) => {
                assert!(orbits <= full);
                reduced += u32::from(orbits < full);
                uneven += u32::from(written.is_uneven);
            }
            Err("too many states") => {}
            Err(_) => refused += 1,
        }
    }
    assert!(
        reduced > 60 && refused < 120 && uneven > 10,
        "{reduced} reduced, {refused} refused, {uneven} uneven"
    );
}

#[test]
fn equal_processes_are_found() {
    let text = "byte n; bit busy[4];
        active [4] proctype worker() { do :: n < 3 -> atomic { n++; busy[_pid] = 1 }; atomic { n--; busy[_pid] = 0 } od }";
    let symmetry =
        Symmetry::find(Evaluator::new(&system(text)), &Asked::NOTHING).map(|found| found.words().to_vec());
    assert_eq!(symmetry, Ok(vec!["4 × worker".to_owned()]));
    let (full, orbits) = compare(text).unwrap();
    assert_eq!((full, orbits), (81, 15));
}

#[test]
fn what_is_nearly_equal_is_left_alone() {
    let with = |globals: &str, choice: &str| {
        format!(
            "byte n, turn; bit busy[3]; {globals}
            active [3] proctype worker() {{ byte i; do :: busy[_pid] = 1 :: busy[_pid] = 0 {choice} od }}"
        )
    };
    let refused = [
        with("", ":: n = _pid / 2"),
        with("", ":: _pid < 2 -> n = 1 - n"),
        with("", ":: turn == _pid -> turn = (turn + 1) % 3"),
        with("byte own[3] = { 1, 2, 3 };", ":: n = own[_pid]"),
        with("", ":: i = 0; do :: i < 3 -> busy[i] = 0; i++ :: else -> break od"),
        with("hidden byte h;", ":: h = 1"),
        with("", ":: n = _last"),
        with("", ":: break"),
    ];
    for text in &refused {
        assert!(compare(text).is_err(), "{text}");
    }
    // One is named: the others may be exchanged.
    let symmetry =
        Symmetry::find(Evaluator::new(&system(&with("", ":: busy[0] == 1 -> n = 1"))), &Asked::NOTHING);
    assert_eq!(symmetry.map(|found| found.words().to_vec()), Ok(vec!["2 of 3 × worker".to_owned()]));
}

/// Formulas about the random models, of which some name one of the parts.
const FORMULAS: [&str; 8] = [
    "[] <> (phase == 1)",
    "<> (owner != 255)",
    "[] (owner == 0 -> <> (owner != 0))",
    "[] (len(work) > 0 -> <> (len(work) == 0))",
    "<> [] (phase == 0)",
    "[] (done[0] -> <> (done[0] == 0))",
    "(phase == 0) U (done[1])",
    "[] (phase == 0 -> X (phase == 0))",
];

/// Questions are answered as by a search of all states, and each run is replayed where it is lifted.
#[test]
fn answers_are_those_of_all_states() {
    let (mut holds, mut fails, mut lassos, mut refused) = (0, 0, 0, 0);
    for seed in 0..160 {
        let written = symmetric::write(seed);
        let formula = FORMULAS[(seed % 8) as usize];
        let text = format!("{}\nltl asked {{ {formula} }}\n", written.text);
        let system = system(&text);
        let evaluator = Evaluator::new(&system);
        let engine = Engine::interpreter(evaluator);
        let property = Question::Property { index: 0, kind: "ltl", name: "asked".to_owned() };
        let mut questions = vec![Question::Assertions, Question::Deadlock, Question::Faults];
        questions.push(property);
        let budget = Budget { memory: 1 << 30, ..Budget::unlimited(Unwatched) };
        let scope = SearchScope { states: 30_000, ..SearchScope::within(&budget) };
        let options = CheckOptions { runs: 1, ..CheckOptions::default() };
        let full = check(&engine, &questions, &options, &scope).unwrap();
        let once = check_symmetric(&engine, &questions, &options, &scope).unwrap();
        for (full, once) in full.answers().zip(once.answers()) {
            assert_eq!(full.question, once.question);
            match (&full.verdict, &once.verdict) {
                (Verdict::Undecided(_), _) => {}
                (_, Verdict::Refused(_)) => refused += 1,
                (Verdict::Holds, Verdict::Holds) => holds += 1,
                (Verdict::Fails { trace: one, shortest, .. }, Verdict::Fails { trace: two, .. }) => {
                    fails += 1;
                    lassos += u32::from(two.cycle.is_some());
                    // Deadlocks and violations are as near.
                    let is_shortest = *shortest && !matches!(full.question, Question::Property { .. });
                    assert!(!is_shortest || one.steps.len() == two.steps.len(), "{text}");
                }
                (one, two) => panic!("{:?}: {one:?} and not {two:?} in {text}", full.question),
            }
        }
    }
    assert!(
        holds > 100 && fails > 30 && lassos > 5 && refused < 450,
        "{holds} hold, {fails} fail, {lassos} lassos, {refused} refused"
    );
}

/// Makes processes of a random model begin with `init`, which is process 0 then.
fn started(text: &str) -> String {
    let number = |name: &str| -> usize {
        let line = text.lines().find_map(|line| line.strip_prefix(&format!("#define {name} ")));
        line.and_then(|number| number.trim().parse().ok()).expect("a number")
    };
    let (clients, banks) = (number("N"), number("M"));
    let mut started = text.replace("_pid - N - 1", "_pid - N - 2");
    for kind in ["active [N] proctype", "active [M] proctype", "active proctype"] {
        started = started.replace(kind, "proctype");
    }
    for array in ["done", "uses", "saw", "table"] {
        started = started.replace(&format!("{array}[N]"), &format!("{array}[{}]", clients + 1));
    }
    let clients = "run client(); ".repeat(clients);
    let banks = vec!["run disk()"; banks].join("; ");
    format!("{started}\ninit {{ atomic {{ {clients}run server(); {banks} }} }}\n")
}

#[test]
fn processes_that_init_creates_are_exchanged() {
    let (mut reduced, mut refused) = (0, 0);
    for seed in 0..120 {
        match compare(&started(&symmetric::write(seed).text)) {
            Ok((full, orbits)) => {
                assert!(orbits <= full);
                reduced += u32::from(orbits < full);
            }
            Err("too many states") => {}
            Err(_) => refused += 1,
        }
    }
    assert!(reduced > 15 && refused < 90, "{reduced} reduced, {refused} refused");
}

/// What processes are given when they are created may number them.
#[test]
fn processes_are_numbered_by_what_they_are_given() {
    let text = "byte n; bit busy[4];
        proctype worker(byte id) {
            do :: n < 3 -> atomic { n++; busy[id] = 1 }; atomic { assert(busy[id]); n--; busy[id] = 0 } od
        }
        init { byte i; atomic { i = 0; do :: i < 4 -> run worker(i); i++ :: else -> break od } }";
    let (full, orbits) = compare(text).unwrap();
    assert!(orbits * 4 < full, "{orbits} of {full}");
    // Created while others are at work already: there are several ways to get there.
    let late = text.replace("atomic { i = 0;", "{ i = 0;");
    assert_eq!(compare(&late), Err("processes are created on the way"));
}
