//! Studies of models with equal parts: more states than are visited one by one, and closed forms.

use narrows::{Budget, Figure, FigureResult, NoFiles, StudyText, Unwatched};

/// Answers the questions of a study.
fn measured(model: &str, study: &str) -> Vec<Figure> {
    let text = StudyText::read("study.toml", format!("model = \"model.pml\"\nunit = \"ms\"\n{study}"));
    let study = text.prepare(Some(("model.pml".to_owned(), model.to_owned())), &NoFiles).expect("a study");
    let budget = Budget { memory: 4 << 30, ..Budget::unlimited(Unwatched) };
    study.measure(&budget).figures
}

/// Returns the first figure of a kind.
fn of<'f>(figures: &'f [Figure], kind: &str) -> &'f Figure {
    figures.iter().find(|figure| figure.kind == kind).expect("an answer")
}

/// Makes sure that a value is in the bounds of a figure, which are close.
fn is(figure: &Figure, expected: f64) {
    let FigureResult::Value { low, high, .. } = figure.result else {
        panic!("{}: {:?}", figure.name, figure.result)
    };
    let (low, high) = (low.to_f64(), high.to_f64());
    assert!(low <= expected && expected <= high, "{}: {expected} in {low} .. {high}", figure.name);
    assert!(high - low <= 1e-4 * expected, "{}: {low} .. {high}", figure.name);
}

const MACHINES: &str = "
byte busy;
active [10] proctype machine() {
  do
  :: idle: busy = busy + 1;
     first: skip;
     second: busy = busy - 1;
     rest: skip
  od
}";

/// Ten machines, each in one of four phases: 4¹⁰ states, and 286 without names.
#[test]
fn many_equal_machines_have_the_mean_of_one() {
    let figures = measured(
        MACHINES,
        "[delay]
         \"machine:idle\" = { exponential = 4 }
         \"machine:first\" = { exponential = 1 }
         \"machine:second\" = { exponential = 2 }
         \"machine:rest\" = { exponential = 3 }
         [event]
         done = \"machine:second\"
         [[ask]]
         mean = \"busy\"
         [[ask]]
         throughput = \"done\"
         [[ask]]
         utilisation = \"busy == 10\"",
    );
    // A machine is busy in two of its phases, 3 ms of 10.
    is(of(&figures, "mean"), 10.0 * 0.3);
    is(of(&figures, "throughput"), 10.0 / 10.0);
    is(of(&figures, "utilisation"), 0.3_f64.powi(10));
}

/// A question about one of the machines tells it apart from the others, which stay equal.
#[test]
fn a_machine_that_is_asked_about_is_told_apart() {
    let figures = measured(
        MACHINES,
        "[delay]
         \"machine:idle\" = { exponential = 4 }
         \"machine:first\" = { exponential = 1 }
         \"machine:second\" = { exponential = 2 }
         \"machine:rest\" = { exponential = 3 }
         [event]
         done = \"machine:second\"
         [[ask]]
         throughput = \"done\"
         [[ask]]
         utilisation = \"machine[3]@first\"",
    );
    is(of(&figures, "throughput"), 10.0 / 10.0);
    is(of(&figures, "utilisation"), 1.0 / 10.0);
}
