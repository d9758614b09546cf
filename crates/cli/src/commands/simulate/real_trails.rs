//! Trails that SPIN 6.5.2's verifier wrote, replayed in models that the front end compiled.

use narrows_languages::promela::{self, Options};
use narrows_model::{Evaluator, System};
use narrows_source::{Diagnostics, LoadError, Loaded, Loader, Sources};

use super::session::{Session, Status};
use super::{text, trail};

struct NoFiles;

impl Loader for NoFiles {
    fn load(&self, _path: &str, _from: &str, _system: bool) -> Result<Loaded, LoadError> {
        Err(LoadError::NoFiles)
    }
}

fn compiled(model: &str) -> (System, Sources) {
    let mut sources = Sources::default();
    let file = sources.add("m.pml", model);
    let mut diagnostics = Diagnostics::default();
    let system = promela::compile(&mut sources, file, &NoFiles, &Options::default(), &mut diagnostics);
    (system.expect("a model without errors"), sources)
}

/// Replays a trail, given as `process:statement` pairs after its headers; returns how things stand then.
fn check(model: &str, trail: &str, look: impl Fn(&Session<'_>)) {
    let (system, sources) = compiled(model);
    let mut session = Session::new(Evaluator::new(&system), &sources, 1).expect("it has an initial state");
    let trail = narrows_report::read_trail(&trail.replace(' ', "\n")).expect("a trail");
    assert_eq!(trail::replay(&mut session, &trail), Ok(()));
    look(&session);
}

#[test]
fn merged_statements_and_a_rendezvous() {
    // `./pan` after `spin -a` and `gcc -DSAFETY`; the failing assertion is merged with the last line's `n = 1`.
    let model = "chan c = [0] of { byte };\nbyte g;\nactive proctype P() {\n  byte n;\n  n = 7;\n  n = n + 1;\n  c!n;\n  \
                 g = 3;\n  if\n  :: g == 3 -> n = 1; n = 2; printf(\"a\\n\"); g = 4\n  :: else -> skip\n  fi;\n  \
                 n = 1; n = 2; assert(n == 3)\n}\nactive proctype Q() {\n  byte k;\n  k = 1;\n  k = 2;\n  do\n  \
                 :: c?k -> k++; break\n  :: g > 100 -> break\n  od;\n  atomic { g == 4; k = 5; g = 9 }\n}\n";
    let trail = "-4:-4:-4 1:1:17 2:0:0 3:0:2 4:1:19 5:1:20 6:0:3 7:0:4 8:0:5 9:0:8 10:0:13";
    check(model, trail, |session| {
        let expected = "violation after 15 steps: assertion violated at m.pml:13";
        assert_eq!(text::verdict(session), expected);
        assert_eq!(session.output().map(|(_, text)| text).collect::<String>(), "a\n");
        assert_eq!(session.view().processes[1].locals[0].value, "9");
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
        assert_eq!(session.view().globals[0].value, "2");
    });
}

#[test]
fn a_deadlock() {
    let model = "chan a = [1] of { byte };\nactive [2] proctype W() {\n  atomic { a!1; a!2 }\n}\n";
    check(model, "-4:-4:-4 1:1:0", |session| {
        assert_eq!(text::verdict(session), "deadlock after 1 step: W(0) at m.pml:3, W(1) at m.pml:3");
    });
}
