//! Searches with loss, on systems built by hand, beside exact ones.

use narrows_model::{
    Binary, Checked, Evaluator, Expr, Kept, Limit, Loss, Question, Statement, System, Verdict,
};

use super::{Lossy, check_lossy, explore_lossy};
use crate::samples::{add, binary, counters, load, proctype, system};
use crate::{Budget, End, Engine, Exploration, Options, SearchScope, Unwatched, explore};

const LARGE: Lossy = Lossy::Bits { bytes: 1 << 20, hashes: 3 };
const TINY: Lossy = Lossy::Bits { bytes: 64, hashes: 3 };

fn all() -> [Lossy; 4] {
    [LARGE, TINY, Lossy::Bits { bytes: 1, hashes: 1 }, Lossy::Hashes]
}

fn visit(system: &System, lossy: Lossy) -> Exploration {
    explore_lossy(&Evaluator::new(system), lossy, &SearchScope::within(&Budget::unlimited(Unwatched)))
}

fn checked(system: &System, questions: &[Question], runs: usize, lossy: Lossy) -> Checked {
    let engine = Engine::automatic(Evaluator::new(system));
    let options = Options { runs, ..Options::default() };
    check_lossy(&engine, questions, &options, lossy, &SearchScope::within(&Budget::unlimited(Unwatched)))
        .unwrap()
}

fn loss(exploration: &Exploration) -> Loss {
    exploration.coverage.loss.unwrap()
}

/// Counts beside another process; at 3 and at 5 an assertion fails.
fn asserting() -> System {
    let unless = |value| Statement::Assert(binary(Binary::NotEqual, load(0), Expr::Constant(value)));
    let count = vec![(0, 1, add(0, 1)), (1, 2, unless(3)), (2, 0, unless(5))];
    system(2, 2, None, vec![proctype("count", count), proctype("other", vec![(0, 0, add(1, 1))])])
}

#[test]
fn with_room_nothing_is_missed_and_nothing_is_proved() {
    let system = counters(3, 20);
    let exact = explore(&Evaluator::new(&system), None, &SearchScope::within(&Budget::unlimited(Unwatched)));
    for lossy in [LARGE, Lossy::Hashes] {
        let found = visit(&system, lossy);
        assert_eq!(found.end, End::Limit(Limit::Lossy));
        assert_eq!(found.coverage.states, exact.coverage.states);
        assert_eq!(found.coverage.transitions, exact.coverage.transitions);
        assert_eq!(found.coverage.state_bytes, exact.coverage.state_bytes);
        assert_eq!(loss(&found).cut, 0);
        for answer in checked(&system, &Question::SAFETY, 1, lossy).answers() {
            assert!(matches!(answer.verdict, Verdict::Undecided(Limit::Lossy)), "{:?}", answer.verdict);
        }
    }
}

#[test]
fn a_small_table_misses_about_as_many_as_it_says() {
    // 27 000 states in 2¹⁷ bits: some are taken for others.
    let system = counters(3, 30);
    let found = visit(&system, Lossy::Bits { bytes: 1 << 14, hashes: 3 });
    let Kept::Bits { table, set, hashes, missed } = loss(&found).kept else { panic!("{found:?}") };
    assert_eq!((table, hashes), (1 << 17, 3));
    assert!(set <= 3 * found.coverage.states && set > found.coverage.states);
    // Whatever is missed has many neighbours here, so that nothing is lost but itself.
    let really = 27_000 - found.coverage.states;
    assert!(really > 500 && (0.7..1.4).contains(&(missed / really as f64)), "{missed} and {really}");
}

#[test]
fn the_probability_of_a_missed_state_grows_with_the_square() {
    let found = visit(&counters(3, 30), Lossy::Hashes);
    let Kept::Hashes { any_missed } = loss(&found).kept else { panic!("{found:?}") };
    let expected = 27_000.0 * 26_999.0 / 2_f64.powi(65);
    assert!((any_missed / expected - 1.0).abs() < 1e-6, "{any_missed} and {expected}");
}

#[test]
fn what_is_found_is_real() {
    let system = asserting();
    for lossy in all() {
        let checked = checked(&system, &[Question::Assertions], 1, lossy);
        // The run is replayed, or there is an error.
        match &checked.answers().next().unwrap().verdict {
            Verdict::Fails { violation: Some(_), trace, shortest: false } => assert!(!trace.steps.is_empty()),
            Verdict::Undecided(Limit::Lossy) => assert_ne!(lossy, LARGE),
            verdict => panic!("{lossy:?}: {verdict:?}"),
        }
    }
    let several = checked(&system, &Question::SAFETY, 5, LARGE);
    let several: Vec<_> = several.answers().collect();
    assert_eq!(several[0].more.len(), 1);
    assert!(matches!(several[1].verdict, Verdict::Undecided(Limit::Lossy)));
}

#[test]
fn the_search_ends_when_all_is_answered() {
    let alone = checked(&asserting(), &[Question::Assertions], 1, LARGE);
    assert_eq!(alone.limit, Some(Limit::Enough));
    let all = checked(&asserting(), &Question::SAFETY, 1, LARGE);
    assert_eq!(all.limit, Some(Limit::Lossy));
    assert!(alone.coverage.states < all.coverage.states);
}

#[test]
fn other_questions_are_refused_with_a_remedy() {
    let checked = checked(&counters(1, 2), &[Question::Progress, Question::Deadlock], 1, LARGE);
    let answers: Vec<_> = checked.answers().collect();
    let Verdict::Refused(refusal) = &answers[0].verdict else { panic!("{:?}", answers[0].verdict) };
    assert!(refusal.reason.contains("keep whole states"));
    assert!(matches!(answers[1].verdict, Verdict::Undecided(Limit::Lossy)));
}

#[test]
fn without_room_for_long_runs_it_turns_back() {
    let system = counters(3, 40);
    let budget = |memory| Budget { memory, ..Budget::unlimited(Unwatched) };
    for lossy in [Lossy::Bits { bytes: 1 << 17, hashes: 3 }, Lossy::Hashes] {
        let found = explore_lossy(&Evaluator::new(&system), lossy, &SearchScope::within(&budget(4 << 20)));
        assert_eq!(found.end, End::Limit(Limit::Lossy));
        let tight = explore_lossy(&Evaluator::new(&system), lossy, &SearchScope::within(&budget(1 << 20)));
        assert!(tight.coverage.bytes <= 1 << 20, "{:?}", tight.coverage);
        let turned_back = loss(&tight).cut > 0 && tight.coverage.states < found.coverage.states;
        assert!(turned_back || tight.end == End::Limit(Limit::Memory), "{:?}", tight.coverage);
    }
    let found = explore_lossy(&Evaluator::new(&system), LARGE, &SearchScope::within(&budget(1 << 19)));
    assert_eq!(found.end, End::Limit(Limit::Memory));
}

#[test]
fn limits_are_kept() {
    let budget = Budget::unlimited(Unwatched);
    let scope = SearchScope { states: 100, ..SearchScope::within(&budget) };
    let found = explore_lossy(&Evaluator::new(&counters(3, 40)), LARGE, &scope);
    assert_eq!(found.end, End::Enough);
}
