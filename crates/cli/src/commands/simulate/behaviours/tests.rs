//! Runs of a small LOTOS model: forwards, backwards, saved and replayed, line by line, and on a screen.

use narrows::{Model, NoFiles, Options, read};
use narrows_report::{RecordedLabel, RecordedLabels, read_labels, trace_document};
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use super::super::keys::App;
use super::super::screen;
use super::super::terminal::Action;
use super::session::Session;
use super::{lines, random};

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

fn model(text: &str) -> Model {
    read("buffer.lotos", text.to_owned(), &NoFiles, &Options::default()).expect("a model").model
}

/// Begins a run.
fn begin(model: &Model, seed: u64) -> Session<'_> {
    let system = &*model.labelled().expect("labels").system;
    Session::new(model, system, seed).expect("a first state")
}

fn labels<'s>(session: &'s Session<'_>) -> Vec<&'s str> {
    session.steps().iter().map(|(label, _)| label.as_str()).collect()
}

fn choose(session: &mut Session<'_>, label: &str) {
    let index = labels(session).iter().position(|known| *known == label).expect("it can be done");
    assert!(session.choose(index));
}

#[test]
fn a_run_goes_forwards_and_backwards() {
    let model = model(BUFFER);
    let mut session = begin(&model, 1);
    assert_eq!(labels(&session), ["PUT", "DONE"]);
    choose(&mut session, "PUT");
    assert_eq!(labels(&session), ["i", "i"]);
    assert!(session.choose(1));
    assert_eq!(labels(&session), ["PUT", "GET !1", "DONE"]);
    assert!(session.back() && session.position() == 1);
    assert!(session.forward() && session.position() == 2 && !session.forward());
    session.jump(0);
    assert!(!session.back());
    choose(&mut session, "DONE");
    choose(&mut session, "exit");
    assert!(session.steps().is_empty() && session.has_ended() && !session.random_step());
}

#[test]
fn what_is_saved_can_be_replayed() {
    let model = Model { definitions: vec!["n=1".to_owned()], ..model(BUFFER) };
    let mut session = begin(&model, 5);
    for label in ["PUT", "i", "PUT"] {
        choose(&mut session, label);
    }
    assert!(session.choose(1));
    choose(&mut session, "GET !1");
    let document = trace_document(&model, "run", &session.trace());
    let recorded = read_labels(&document).expect("it was just written");
    assert_eq!(recorded.definitions, ["n=1"]);
    let mut again = begin(&model, 1);
    again.replay(&recorded).expect("it fits");
    assert_eq!((again.position(), again.places(5)), (5, session.places(5)));
    // Without the choices, it turns out later which of the steps `i` were meant.
    let mut labels_alone = recorded.clone();
    labels_alone.steps.iter_mut().for_each(|step| step.choice = None);
    again.replay(&labels_alone).expect("it fits");
    assert_eq!((again.position(), again.places(5)), (5, session.places(5)));
    labels_alone.steps[4].label = "GET !3".to_owned();
    let reason = again.replay(&labels_alone).unwrap_err();
    assert_eq!(reason, "step 5 does not fit the model: `GET !3` can't be done");
    assert_eq!(again.position(), 4);
}

#[test]
fn endless_runs_go_round() {
    let model = model(BUFFER);
    let step = |label: &str| RecordedLabel { label: label.to_owned(), choice: None };
    let steps = ["PUT", "i", "PUT", "i"].map(step).to_vec();
    let recorded = RecordedLabels { steps, cycle: Some(2), ..RecordedLabels::default() };
    let mut session = begin(&model, 1);
    session.replay(&recorded).expect("it fits");
    assert!(session.forward() && session.position() == 2);
    session.jump(4);
    let mut out = Vec::new();
    assert!(random(&mut session, 0, false, &mut out).expect("memory takes everything"));
    let text = String::from_utf8(out).expect("text");
    assert!(text.contains("     2  i\n        the cycle starts here\n     3  PUT\n"), "{text}");
    assert!(text.ends_with("and again from step 3 on, for ever\n"), "{text}");
}

#[test]
fn random_runs_are_written_step_by_step() {
    let ends = model("specification Ends [a, b] : exit behaviour a; b; exit endspec");
    let write = |model: &Model, count: u64| {
        let mut out = Vec::new();
        let mut session = begin(model, 3);
        let well = random(&mut session, count, false, &mut out).expect("memory takes everything");
        (String::from_utf8(out).expect("text"), well)
    };
    assert_eq!(write(&ends, 2), ("     1  A\n     2  B\n".to_owned(), true));
    let all = "     1  A\n     2  B\n     3  exit\nthe run has ended\n";
    assert_eq!(write(&ends, 9), (all.to_owned(), true));
    let stops = model("specification Stops [a] : noexit behaviour a; stop endspec");
    assert_eq!(write(&stops, 9), ("     1  A\ndeadlock: nothing can happen any more\n".to_owned(), false));
}

#[test]
fn without_a_terminal_it_talks_line_by_line() {
    let model = model(BUFFER);
    let mut session = begin(&model, 1);
    let mut out = Vec::new();
    let well = lines::converse(&mut session, &mut "1\n2\nt\ns\nb 2\n7\nq\n".as_bytes(), &mut out);
    assert!(well.expect("memory takes everything"));
    let text = String::from_utf8(out).expect("text");
    for part in ["after 2 steps", "    2  GET !1", "    1  PUT\n    2  i\n", "with 1", "there is no step 7"] {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert_eq!(session.position(), 0);
}

#[test]
fn keys_drive_it_and_the_screen_shows_it() {
    let model = model(BUFFER);
    let mut app = App::new(begin(&model, 1));
    let press = |app: &mut App<Session<'_>>, code: KeyCode| app.key(KeyEvent::new(code, KeyModifiers::NONE));
    let mut terminal = Terminal::new(TestBackend::new(110, 20)).expect("a terminal in memory");
    let mut screen = |app: &App<Session<'_>>| {
        terminal.draw(|frame| screen::draw(frame, app)).expect("it draws");
        let buffer = terminal.backend().buffer().clone();
        buffer.content().iter().map(ratatui::buffer::Cell::symbol).collect::<String>()
    };
    let shown = screen(&app);
    for part in ["Processes", "line 4:", "Steps (1 of 2)", "1 PUT", "buffer.lotos: 0 steps"] {
        assert!(shown.contains(part), "{part}: {shown}");
    }
    press(&mut app, KeyCode::Char('1'));
    press(&mut app, KeyCode::Down);
    press(&mut app, KeyCode::Enter);
    let shown = screen(&app);
    assert!(shown.contains("with 1") && shown.contains("2 GET !1") && shown.contains("▶   2 i"), "{shown}");
    press(&mut app, KeyCode::Left);
    assert_eq!(app.session.position(), 1);
    press(&mut app, KeyCode::Char('g'));
    press(&mut app, KeyCode::Char('2'));
    press(&mut app, KeyCode::Char('1'));
    press(&mut app, KeyCode::Char('r'));
    assert_eq!(app.message.as_deref(), Some("The run has ended."));
    assert!(screen(&app).contains("The run has ended."));
    press(&mut app, KeyCode::Char('x'));
    assert_eq!(app.message.as_deref(), Some("? shows what the keys do"));
    assert_eq!(press(&mut app, KeyCode::Char('s')), Action::Save);
    assert_eq!(press(&mut app, KeyCode::Char('q')), Action::Quit);
}
