//! Runs of a small synchronous system: forwards, backwards, saved and replayed, and on a screen.

use narrows::{Model, NoFiles, Options, read};
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use super::super::keys::App;
use super::super::screen;
use super::super::terminal::Action;
use super::random;
use super::session::Session;
use super::view::Shown;

const LIGHT: &str = "MODULE main
FROZENVAR fast : boolean;
VAR light : {red, green}; left : 0..2;
IVAR press : boolean;
ASSIGN init(light) := red; init(left) := 0;
  next(light) := case left > 0 : light; press & light = red : green; TRUE : red; esac;
  next(left) := case left > 0 : left - 1; press & light = red : fast ? 1 : 2; TRUE : 0; esac;
DEFINE waits := light = red;
";

fn model(text: &str) -> Model {
    read("light.smv", text.to_owned(), &NoFiles, &Options::default()).expect("a model").model
}

fn text_of(session: &mut Session<'_>, count: u64) -> (String, bool) {
    let mut out = Vec::new();
    let well = random(session, count, false, &mut out).expect("memory takes everything");
    (String::from_utf8(out).expect("text"), well)
}

#[test]
fn several_first_states_are_a_choice() {
    let model = model(LIGHT);
    let mut session = Session::new(model.synchronous().expect("synchronous"), 1);
    assert!(session.state().is_none());
    let told: Vec<String> =
        session.steps().iter().map(|step| step.changes[0].after.clone().expect("a value").text).collect();
    assert_eq!(told, ["FALSE", "TRUE"]);
    assert!(session.choose(1));
    // Two inputs, two steps.
    assert_eq!(session.steps().len(), 2);
    let press =
        session.steps().iter().position(|step| step.changes.len() > 1).expect("one changes something");
    assert!(session.choose(press));
    assert_eq!(session.position(), 1);
    assert!(session.back() && session.position() == 0);
    assert!(session.forward() && session.position() == 1);
    assert!(!session.forward());
    assert!(session.back() && session.back() && session.state().is_none());
    assert!(!session.back());
}

#[test]
fn random_runs_are_written_step_by_step() {
    let model = model(LIGHT);
    let mut session = Session::new(model.synchronous().expect("synchronous"), 3);
    let (text, well) = text_of(&mut session, 4);
    assert!(well);
    let lines: Vec<&str> = text.lines().collect();
    assert!(lines[0].starts_with("   0  fast = "), "{text}");
    assert!(lines[1].starts_with("   1  press = "), "{text}");
    assert_eq!(lines.last(), Some(&"stopped after 4 steps"), "{text}");
    // The same seed gives the same run.
    let mut again = Session::new(model.synchronous().expect("synchronous"), 3);
    assert_eq!(text_of(&mut again, 4).0, text);
}

#[test]
fn what_is_saved_can_be_replayed() {
    let model = model(LIGHT);
    let mut session = Session::new(model.synchronous().expect("synchronous"), 5);
    for _ in 0..20 {
        assert!(session.random_step());
    }
    let document = narrows_report::trace_document(&model, "run", &session.trace());
    let recorded = narrows_report::read_run(&document).expect("it was just written");
    let mut again = Session::new(model.synchronous().expect("synchronous"), 1);
    again.replay(&recorded).expect("it fits");
    assert_eq!(again.position(), 19);
    assert_eq!(again.state(), session.state());
    let mut wrong = recorded;
    wrong.steps[4][0].after = Some("maybe".into());
    assert!(again.replay(&wrong).unwrap_err().starts_with("step 5 does not fit"));
    assert_eq!(again.position(), 4);
}

#[test]
fn the_end_and_what_is_wrong_are_said() {
    let stuck = model("MODULE main\nVAR x : 0..2;\nASSIGN init(x) := 0;\nTRANS next(x) = x + 1");
    let mut session = Session::new(stuck.synchronous().expect("synchronous"), 1);
    let (text, well) = text_of(&mut session, 9);
    assert!(!well && text.ends_with("deadlock after 2 steps: there is no next state\n"), "{text}");
    let divides = model("MODULE main\nVAR x : 0..3;\nASSIGN init(x) := 1; next(x) := (2 / x) mod 2;");
    let mut session = Session::new(divides.synchronous().expect("synchronous"), 1);
    let (text, well) = text_of(&mut session, 9);
    assert!(!well && text.contains("fault after"), "{text}");
}

#[test]
fn keys_drive_it_and_the_screen_shows_it() {
    let model = model(LIGHT);
    let mut app = App::new(Shown {
        session: Session::new(model.synchronous().expect("synchronous"), 1),
        name: "light.smv".to_owned(),
    });
    let press = |app: &mut App<Shown<'_>>, code: KeyCode| app.key(KeyEvent::new(code, KeyModifiers::NONE));
    let mut terminal = Terminal::new(TestBackend::new(100, 20)).expect("a terminal in memory");
    let mut screen = |app: &App<Shown<'_>>| {
        terminal.draw(|frame| screen::draw(frame, app)).expect("it draws");
        let buffer = terminal.backend().buffer().clone();
        buffer.content().iter().map(ratatui::buffer::Cell::symbol).collect::<String>()
    };
    assert!(screen(&app).contains("Choose a first state."));
    assert_eq!(press(&mut app, KeyCode::Char('1')), Action::Continue);
    let shown = screen(&app);
    assert!(shown.contains("light = red") && shown.contains("waits = TRUE"), "{shown}");
    assert!(shown.contains("Steps (1 of 2)"), "{shown}");
    press(&mut app, KeyCode::Down);
    press(&mut app, KeyCode::Enter);
    assert_eq!(app.session.session.position(), 1);
    press(&mut app, KeyCode::Char('R'));
    assert_eq!(app.session.session.position(), 101);
    press(&mut app, KeyCode::Char('g'));
    assert_eq!(app.session.session.position(), 0);
    press(&mut app, KeyCode::Char('9'));
    assert_eq!(app.message.as_deref(), Some("There is no step 9."));
    press(&mut app, KeyCode::Char('?'));
    assert!(screen(&app).contains("take a random step"));
    assert_eq!(press(&mut app, KeyCode::Char('q')), Action::Quit);
}
