//! Trails that SPIN 6.5.2's verifier wrote, replayed in models that the front end compiled.

use super::{Recording, Session, Status, text};
use crate::{NoFiles, Options, read};

/// Replays a trail, given as `process:statement` pairs after its headers; returns how things stand then.
fn check(model: &str, trail: &str, look: impl Fn(&Session<'_>)) {
    let read =
        read("m.pml", model.to_owned(), &NoFiles, &Options::default()).expect("a model without errors");
    let mut session = Session::new(&read.model, 1).expect("it has an initial state");
    let trail = narrows_report::read_trail(&trail.replace(' ', "\n")).expect("a trail");
    assert_eq!(session.replay(&Recording::Trail(trail)), Ok(()));
    look(&session);
}

#[test]
fn merged_statements_and_a_rendezvous() {
    // `./pan` after `spin -a` and `gcc -DSAFETY`; the failing assertion is merged with the last line's
    // `n = 1`.
    let model = "chan c = [0] of { byte };\nbyte g;\nactive proctype P() {\n  byte n;\n  n = 7;\n  n = n + 1;\n  c!n;\n  \
                 g = 3;\n  if\n  :: g == 3 -> n = 1; n = 2; printf(\"a\\n\"); g = 4\n  :: else -> skip\n  fi;\n  \
                 n = 1; n = 2; assert(n == 3)\n}\nactive proctype Q() {\n  byte k;\n  k = 1;\n  k = 2;\n  do\n  \
                 :: c?k -> k++; break\n  :: g > 100 -> break\n  od;\n  atomic { g == 4; k = 5; g = 9 }\n}\n";
    let trail = "-4:-4:-4 1:1:17 2:0:0 3:0:2 4:1:19 5:1:20 6:0:3 7:0:4 8:0:5 9:0:8 10:0:13";
    check(model, trail, |session| {
        let expected = "violation after 15 steps: assertion violated at m.pml:13";
        assert_eq!(text::verdict(session).as_deref(), Some(expected));
        assert_eq!(session.output().map(|(_, text)| text).collect::<String>(), "a\n");
        let local = session.entries().into_iter().rfind(|entry| entry.name == "k").expect("a variable of Q");
        assert_eq!((local.owner.as_str(), local.value.as_str()), ("Q(1)", "9"));
    });
}

#[test]
fn a_claim_and_a_cycle() {
    // `./pan -a`: the claim is process 0 and moves before each step.
    let model =
        "byte x;\nactive proctype A() { do :: x < 3 -> x++ :: x > 0 -> x-- od }\nltl p { <>[](x == 1) }\n";
    let trail = "-2:1:-2 -4:-4:-4 1:0:8 2:1:0 3:0:15 4:1:1 5:0:10 6:1:0 7:0:10 8:1:1 -1:-1:-1 9:0:8 10:1:0 11:0:15 \
                 12:1:1 13:0:8 14:1:2 15:0:15 16:1:3";
    check(model, trail, |session| {
        assert_eq!((session.position(), session.cycle()), (8, Some(4)));
        assert_eq!(session.status(), Status::Running);
        assert_eq!(session.entries()[0].value, "2");
    });
}

#[test]
fn a_deadlock() {
    let model = "chan a = [1] of { byte };\nactive [2] proctype W() {\n  atomic { a!1; a!2 }\n}\n";
    check(model, "-4:-4:-4 1:1:0", |session| {
        let expected = "deadlock after 1 step: W(0) at m.pml:3, W(1) at m.pml:3";
        assert_eq!(text::verdict(session).as_deref(), Some(expected));
    });
}
