//! Orbits of states against all states: random models of parts that are equal, or nearly so.

mod symmetric;

use narrows_explicit::{
    Asked, Budget, Engine, Exploration, Quotient, SearchScope, Symmetry, Unwatched, Wrong, breadth_first,
    replay,
};
use narrows_languages::Options;
use narrows_model::{Evaluator, StateSpace, System};
use narrows_source::{LoadError, Loaded, Loader};

struct NoFiles;

impl Loader for NoFiles {
    fn load(&self, _: &str, _: &str, _: bool) -> Result<Loaded, LoadError> {
        Err(LoadError::NoFiles)
    }
}

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
    assert_eq!(count.states, Some(full.coverage.states.into()), "{:?} in\n{text}", symmetry.words());
    assert_eq!(count.transitions, Some(full.coverage.transitions.into()), "{text}");
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
