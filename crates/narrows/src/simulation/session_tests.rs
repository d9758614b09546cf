//! Tests of [`Session`] with processes.

use narrows_model::{Event, Model, ViolationKind};

use narrows_report::RecordedAtom;

use super::examples::{counting, dividing, meeting};
use super::{Session, Status, Stop};

fn session(example: &Model) -> Session<'_> {
    Session::new(example, 1).expect("it has an initial state")
}

fn printed(session: &Session<'_>) -> String {
    session.output().map(|(_, text)| text).collect()
}

#[test]
fn prints_what_was_true_inside_an_atomic_sequence() {
    let example = counting();
    let mut session = session(&example);
    assert_eq!(session.steps().len(), 1, "Q waits for a message");
    assert!(session.choose(0));
    assert_eq!(printed(&session), "x is 1\nnow 2\n");
    assert_eq!(session.last().map(|taken| taken.step.actions.len()), Some(4));
}

#[test]
fn steps_back_and_forth() {
    let example = counting();
    let mut session = session(&example);
    session.choose(0);
    session.choose(0);
    let state = session.state().to_vec();
    assert_eq!(session.step_number(), 2);
    assert!(session.back());
    assert!(session.back());
    assert!(!session.back());
    assert_eq!(printed(&session), "");
    session.jump(99);
    assert_eq!(session.state(), state);
    assert!(!session.forward());
    session.jump(1);
    assert!(session.choose(0));
    assert_eq!((session.position(), session.history().len()), (2, 2), "the same step again keeps the future");
    assert!(!session.choose(17));
}

#[test]
fn another_choice_replaces_the_future() {
    let example = meeting();
    let mut session = session(&example);
    assert_eq!(session.steps().len(), 2);
    session.choose(0);
    session.choose(0);
    session.jump(0);
    session.choose(1);
    assert_eq!((session.position(), session.history().len()), (1, 1));
}

#[test]
fn stops_at_a_violation_and_at_a_deadlock() {
    let example = counting();
    let mut session = session(&example);
    let wrong = "assertion violated at example.pml:15".to_owned();
    assert_eq!(session.run(100, |_| false), Stop::Wrong(wrong));
    assert_eq!(session.violations()[0].kind, ViolationKind::Assertion);
    assert_eq!(session.place(session.violations()[0].span), "example.pml:15");
    assert_eq!(session.run(100, |_| false), Stop::Status(Status::Deadlock));
    assert_eq!(session.status(), Status::Deadlock);
}

#[test]
fn nothing_follows_a_fault() {
    let example = dividing();
    let mut session = session(&example);
    assert!(matches!(session.run(5, |_| false), Stop::Wrong(_)));
    assert_eq!(session.violations()[0].kind, ViolationKind::DivisionByZero);
    assert_eq!(session.status(), Status::Faulted);
    assert!(session.steps().is_empty());
    session.back();
    assert_eq!(session.status(), Status::Running);
    assert_eq!(session.steps().len(), 1);
}

#[test]
fn runs_until_a_process_moves_or_a_breakpoint() {
    let example = meeting();
    let mut session = session(&example);
    assert_eq!(session.run(100, |now| now.just_moved(0)), Stop::Reached);
    assert!(session.just_moved(0));
    session.jump(0);
    let file = session.processes()[1].span.expect("a place").file;
    assert!(session.toggle_breakpoint(file, 10));
    assert_eq!(session.run(100, |_| false), Stop::Breakpoint);
    assert!(session.just_moved(1));
    assert!(!session.toggle_breakpoint(file, 10));
}

#[test]
fn the_seed_decides() {
    let example = meeting();
    let run = |seed| {
        let mut session = Session::new(&example, seed).expect("it starts");
        assert_eq!(session.run(100, |_| false), Stop::Status(Status::Ended));
        session.past().iter().map(|taken| taken.step.moves()[0].pid).collect::<Vec<_>>()
    };
    assert_eq!(run(5), run(5));
    let runs: Vec<_> = (0..8).map(run).collect();
    assert!(runs.iter().any(|other| *other != runs[0]));
}

#[test]
fn tells_who_sent_what_to_whom() {
    let meeting = meeting();
    let mut first = session(&meeting);
    first.run(100, |_| false);
    let passed = Event::Passed { from: 0, to: 1, text: "m!7".to_owned() };
    assert!(first.past().iter().any(|taken| taken.events == [passed.clone()]));
    let counting = counting();
    let mut second = session(&counting);
    second.run(3, |_| false);
    let events: Vec<_> = second.past().iter().flat_map(|taken| taken.events.clone()).collect();
    assert_eq!(events[2], Event::Sent { pid: 0, channel: 1, slot: 0, text: "c!2".to_owned() });
    assert_eq!(events[3], Event::Received { pid: 1, channel: 1, slot: 0, text: "c?2".to_owned() });
}

#[test]
fn forgets_but_keeps_counting() {
    let example = counting();
    let mut session = session(&example);
    session.run(2, |_| false);
    session.forget();
    assert_eq!((session.step_number(), session.position()), (2, 0));
    session.run(1, |_| false);
    assert_eq!(session.step_number(), 3);
}

#[test]
fn an_endless_run_goes_round() {
    let example = counting();
    let mut session = session(&example);
    session.run(3, |_| false);
    session.set_cycle(Some(1));
    let atom = RecordedAtom { text: "p".to_owned(), values: vec![false, true, true, false] };
    session.set_atoms(vec![atom.clone()]);
    assert_eq!(session.atoms().collect::<Vec<_>>(), [("p", false, true)]);
    assert!(session.forward(), "the second step comes again");
    assert_eq!((session.position(), session.atoms().next()), (2, Some(("p", true, false))));
    assert_eq!((session.trace().atoms[0].values.len(), session.trace().cycle), (3, None));
    session.jump(3);
    assert_eq!((&session.trace().atoms[0].values, session.trace().cycle), (&atom.values, Some(1)));
    session.set_cycle(Some(3));
    assert!(!session.forward(), "it stays where it is");
    session.jump(0);
    session.random_step();
    assert_eq!(session.atoms().count(), 1, "the same step was taken again");
}
