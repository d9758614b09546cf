//! Tests of [`Session`] with synchronous and with labelled systems: forwards, backwards, saved and replayed.

use narrows_report::{RecordedLabel, RecordedLabels, trace_document};

use super::{Recording, Session, Status, text};
use crate::{Model, NoFiles, Options, read};

const LIGHT: &str = "MODULE main
FROZENVAR fast : boolean;
VAR light : {red, green}; left : 0..2;
IVAR press : boolean;
ASSIGN init(light) := red; init(left) := 0;
  next(light) := case left > 0 : light; press & light = red : green; TRUE : red; esac;
  next(left) := case left > 0 : left - 1; press & light = red : fast ? 1 : 2; TRUE : 0; esac;
DEFINE waits := light = red;
";

/// What is put may be lost: after `put` there are two steps `i`.
const BUFFER: &str = "specification Buffer [put, get, done] : exit library Boolean, Natural endlib
behaviour Buffer [put, get, done] (0) where
  process Buffer [put, get, done] (n : Nat) : exit :=
    put; (i; Buffer [put, get, done] (n) [] i; Buffer [put, get, done] (n + 1))
    [] [n gt 0] -> get !n; Buffer [put, get, done] (n - 1)
    [] done; exit
  endproc
endspec
";

fn model(name: &str, text: &str) -> Model {
    read(name, text.to_owned(), &NoFiles, &Options::default()).expect("a model").model
}

fn begin(model: &Model, seed: u64) -> Session<'_> {
    Session::new(model, seed).expect("a first state")
}

fn titles(session: &Session<'_>) -> Vec<String> {
    session.steps().iter().map(text::title).collect()
}

fn choose(session: &mut Session<'_>, title: &str) {
    let index = titles(session).iter().position(|known| *known == title).expect("it can be done");
    assert!(session.choose(index));
}

#[test]
fn several_first_states_are_a_choice() {
    let model = model("light.smv", LIGHT);
    let mut session = begin(&model, 1);
    assert!(session.is_before_first() && session.entries().is_empty());
    assert_eq!(titles(&session), ["fast = FALSE", "fast = TRUE"]);
    assert!(session.choose(1));
    assert_eq!((session.position(), session.definitions()), (0, vec![("waits".into(), "TRUE".into())]));
    // Two inputs, two steps.
    assert_eq!(session.steps().len(), 2);
    let press =
        session.steps().iter().position(|step| step.changes.len() > 1).expect("one changes something");
    assert!(session.choose(press));
    assert_eq!(session.position(), 1);
    assert!(session.back() && session.position() == 0);
    assert!(session.forward() && session.position() == 1);
    assert!(!session.forward());
    assert!(session.back() && session.back() && session.is_before_first());
    assert!(!session.back());
}

#[test]
fn saved_values_can_be_replayed() {
    let model = model("light.smv", LIGHT);
    let mut session = begin(&model, 5);
    for _ in 0..20 {
        assert!(session.random_step());
    }
    let document = trace_document(&model, "run", &session.trace()).to_value();
    let recording = Recording::read(&model, &document).expect("it was just written");
    let mut again = begin(&model, 1);
    again.replay(&recording).expect("it fits");
    assert_eq!((again.position(), again.state()), (19, session.state()));
    let Recording::Values(mut wrong) = recording else { panic!("values were saved") };
    wrong.steps[4][0].after = Some("maybe".into());
    let reason = again.replay(&Recording::Values(wrong)).unwrap_err();
    assert!(reason.to_string().starts_with("step 5 does not fit"), "{reason}");
    assert_eq!(again.position(), 4);
}

#[test]
fn hazards_are_told() {
    let text = "MODULE main\nVAR x : 0..3;\nASSIGN init(x) := 1; next(x) := (2 / x) mod 2;";
    let divides = model("divides.smv", text);
    let mut session = begin(&divides, 1);
    session.run(9, |_| false);
    assert!(session.wrong().is_some_and(|wrong| wrong.contains("division by zero")), "{:?}", session.wrong());
}

#[test]
fn why_not_names_the_constraint() {
    let text =
        "MODULE main\nVAR x : 0..3; y : 0..3;\nINIT x = 0 & y = 0\nINVAR x + y < 3\nTRANS next(x) = x + 1\n";
    let model = model("sum.smv", text);
    let mut session = begin(&model, 1);
    let why = session.why_not();
    let told: Vec<String> =
        why.iter().map(|one| format!("{} {}: {}", one.who, one.what, one.reason)).collect();
    assert!(told.contains(&"x 0: `next(x) = x + 1` would not hold".to_owned()), "{told:?}");
    assert!(told.contains(&"y 2: `x + y < 3` would not hold".to_owned()), "{told:?}");
    session.run(9, |_| false);
    assert_eq!(session.status(), Status::Deadlock);
    let why = session.why_not();
    assert!(why.iter().any(|one| one.reason == "`next(x) = x + 1` would not hold"), "{why:?}");
}

#[test]
fn labels_go_forwards_and_backwards() {
    let model = model("buffer.lotos", BUFFER);
    let mut session = begin(&model, 1);
    assert_eq!(titles(&session), ["PUT", "DONE"]);
    choose(&mut session, "PUT");
    assert_eq!(titles(&session), ["i", "i"]);
    let targets: Vec<String> = session.steps().iter().map(|step| text::target(&session, step)).collect();
    assert!(targets[0].starts_with("→ (0) :4") && targets[1].starts_with("→ (1) :4"), "{targets:?}");
    assert!(session.choose(1));
    assert_eq!(titles(&session), ["PUT", "GET !1", "DONE"]);
    assert!(session.back() && session.position() == 1);
    assert!(session.forward() && session.position() == 2 && !session.forward());
    session.jump(0);
    assert!(!session.back());
    choose(&mut session, "DONE");
    choose(&mut session, "exit");
    assert!(session.steps().is_empty() && session.status() == Status::Ended && !session.random_step());
}

#[test]
fn saved_labels_can_be_replayed() {
    let model = Model { definitions: vec!["n=1".to_owned()], ..model("buffer.lotos", BUFFER) };
    let mut session = begin(&model, 5);
    for label in ["PUT", "i", "PUT"] {
        choose(&mut session, label);
    }
    assert!(session.choose(1));
    choose(&mut session, "GET !1");
    let document = trace_document(&model, "run", &session.trace()).to_value();
    let recording = Recording::read(&model, &document).expect("it was just written");
    let mut again = begin(&model, 1);
    again.replay(&recording).expect("it fits");
    assert_eq!((again.position(), again.entries()), (5, session.entries()));
    // Without the choices, it turns out later which of the steps `i` were meant.
    let Recording::Labels(mut labels_alone) = recording else { panic!("labels were saved") };
    assert_eq!(labels_alone.definitions, ["n=1"]);
    labels_alone.steps.iter_mut().for_each(|step| step.choice = None);
    again.replay(&Recording::Labels(labels_alone.clone())).expect("it fits");
    assert_eq!((again.position(), again.entries()), (5, session.entries()));
    labels_alone.steps[4].label = "GET !3".to_owned();
    let reason = again.replay(&Recording::Labels(labels_alone)).unwrap_err();
    assert_eq!(reason.to_string(), "step 5 does not fit the model: `GET !3` can't be done");
    assert_eq!(again.position(), 4);
}

#[test]
fn endless_runs_of_labels_go_round() {
    let model = model("buffer.lotos", BUFFER);
    let step = |label: &str| RecordedLabel { label: label.to_owned(), choice: None };
    let steps = ["PUT", "i", "PUT", "i"].map(step).to_vec();
    let recorded = RecordedLabels { steps, cycle: Some(2), ..RecordedLabels::default() };
    let mut session = begin(&model, 1);
    session.replay(&Recording::Labels(recorded)).expect("it fits");
    assert!(session.forward() && session.position() == 3, "the third step comes again");
}
