//! Tests of what is on the screen.

use narrows::Model;
use narrows::simulation::Session;
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use super::app::App;
use super::examples::{buffer, counting, light, meeting, model};
use super::view;

/// Returns the screen after some keys.
fn screen(example: &Model, keys: &str, width: u16, height: u16) -> String {
    let mut app = App::new(Session::new(example, 1).expect("it has an initial state"));
    for key in keys.chars() {
        app.key(KeyEvent::new(KeyCode::Char(key), KeyModifiers::NONE));
    }
    drawn(&app, width, height)
}

fn drawn(app: &App<'_>, width: u16, height: u16) -> String {
    let mut terminal = Terminal::new(TestBackend::new(width, height)).expect("a screen in memory");
    terminal.draw(|frame| view::draw(frame, app)).expect("it draws");
    let buffer = terminal.backend().buffer();
    let cells: Vec<&str> = buffer.content().iter().map(ratatui::buffer::Cell::symbol).collect();
    cells.chunks(usize::from(width)).map(|row| row.concat() + "\n").collect()
}

fn check(example: &Model, keys: &str, expected: &[&str]) {
    let screen = screen(example, keys, 80, 24);
    for text in expected {
        assert!(screen.contains(text), "`{text}` is not in\n{screen}");
    }
}

#[test]
fn shows_the_initial_state() {
    let panes = ["Processes", "Variables", "Channels", "Steps (1)", "example.pml — P(0)", "? help"];
    check(&counting(), "", &panes);
    let state = [
        "▶P(0) example.pml:4 atomic {",
        "y=0",
        "x = 0",
        "c#1 0 of 2: empty",
        " 1 P(0) x = 1; printf",
        "4▶  atomic {",
        "5→    x = 1;",
    ];
    check(&counting(), "", &state);
}

#[test]
fn shows_what_happened() {
    let after = ["step 2", "c#1 1 of 2: [2]", "Output", "x is 1", "now 2", "Q(1) c?y"];
    check(&counting(), "rr", &after);
    check(&counting(), "rrb", &["step 1 of 2"]);
    let wrong = ["assertion violated at example.pml:15", "Nothing can move: deadlock.", "w says why"];
    check(&counting(), "R", &wrong);
}

#[test]
fn shows_the_other_panes() {
    check(&counting(), "Rm", &["Messages", "● c!2", "c?2 ╌"]);
    check(&counting(), "w", &["Why not?", "Q(1) example.pml:14 [c?y]: the channel"]);
    check(&counting(), "rrh", &["History", "0 the initial state", "▶   2 P(0) c!x"]);
    check(&counting(), "?", &["Help", "so does its number", "Ctrl-C   quit"]);
    check(&meeting(), "Rm", &["P(0)", "Q(1)", "m!7"]);
    check(&meeting(), "R", &["ended", "All processes have ended."]);
}

#[test]
fn shows_a_cycle_and_what_the_formula_asks() {
    let example = counting();
    let mut app = App::new(Session::new(&example, 1).expect("it has an initial state"));
    app.session.run(3, |_| false);
    app.session.set_cycle(Some(1));
    let values = vec![false, true, true, false];
    app.session.set_atoms(vec![narrows_report::RecordedAtom { text: "x > 1".to_owned(), values }]);
    for (key, expected) in [
        ('h', ["then again from step 2: → goes round", "◇ x > 1: false", "2 ↻ P(0) c!x"]),
        ('b', ["in the cycle of steps 2–3", "◆ x > 1: true", "↻"]),
        ('g', ["the cycle starts at step 2", "◇ x > 1: false", "↻"]),
    ] {
        app.key(KeyEvent::new(KeyCode::Char(key), KeyModifiers::NONE));
        let screen = drawn(&app, 100, 30);
        for text in expected {
            assert!(screen.contains(text), "`{text}` is not in\n{screen}");
        }
    }
}

#[test]
fn shows_values_and_first_states() {
    let first = ["choose a first state", "First states (2)", "1 fast = FALSE", "2 fast = TRUE"];
    check(&light(), "", &first);
    let state = ["Variables", "light = red", "waits = TRUE", "Steps (2)", "History", "0 the initial state"];
    check(&light(), "1", &state);
    check(&light(), "1R", &["step 100", "Took 100 steps."]);
    check(&light(), "1Rg", &["step 0 of 100"]);
    check(&light(), "1Rm", &["Chart", "light", "press", "┌─┘"]);
}

#[test]
fn says_what_rules_values_out() {
    let text = screen(&light(), "1w", 110, 24);
    for part in ["Why not?", "fast light.smv:2 [TRUE]: it is frozen", "left light.smv:7 [1]: `"] {
        assert!(text.contains(part), "`{part}` is not in\n{text}");
    }
}

#[test]
fn shows_where_processes_stand_and_go() {
    let start =
        ["Processes", "process 1 buffer.lotos:4 put;", "1 PUT  → ", "2 DONE", "buffer.lotos — process 1"];
    check(&buffer(), "", &start);
    // The two steps `i` lead to different values.
    check(&buffer(), "1", &["1 i  → (0)", "2 i  → (1)"]);
    check(&buffer(), "12", &["with 1", "2 GET !1"]);
    check(&buffer(), "12h", &["▶   2 i"]);
    check(&buffer(), "21", &["Nothing can move: the run has ended."]);
    check(&buffer(), "12m", &["Chart", "PUT", "i", "●"]);
}

#[test]
fn says_whom_nobody_meets() {
    let text = "specification Wait [a, b] : noexit behaviour
  a; stop
  |[a, b]|
  (b; stop ||| b; stop) endspec";
    let wait = model("wait.lotos", text);
    check(&wait, "", &["Nothing can move: deadlock.", "w says why"]);
    let why = screen(&wait, "w", 119, 24);
    for part in
        ["process 1 wait.lotos:2 [a]: nobody is ready for a with it", "[b]: nobody is ready for b with it"]
    {
        assert!(why.contains(part), "`{part}` is not in\n{why}");
    }
}

#[test]
fn draws_at_any_size() {
    let example = counting();
    for (width, height) in [(1, 1), (10, 3), (40, 10), (80, 24), (120, 40), (250, 80)] {
        for keys in ["", "R", "Rm", "w", "Rh", "Ro", "?"] {
            for example in [&example, &light(), &buffer()] {
                screen(example, keys, width, height);
            }
        }
    }
    let wide = screen(&example, "R", 140, 40);
    assert!(wide.contains("History") && wide.contains("Output"), "{wide}");
}
