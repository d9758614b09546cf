//! Says why there is no figure, and shows runs.

use std::ops::ControlFlow;

use narrows_model::{Evaluator, FigureResult, Limit, Move, Scratch, StateSpace, Trace};
use narrows_performance::BuildError;
use narrows_performance::timed::Unscalable;

/// Why there is no view, and the run that shows it.
pub(super) type Failure = Box<(FigureResult, Option<(String, Trace)>)>;

/// Returns whether there is no view because time was up.
pub(super) fn is_cut(failure: &Failure) -> bool {
    matches!(failure.0, FigureResult::Undecided(Limit::Time))
}

/// Turns what stood in the way of a view into a result, and the run that shows it.
pub(super) fn result_of(
    error: &BuildError,
    evaluator: Evaluator<'_>,
) -> (FigureResult, Option<(String, Trace)>) {
    let none = |text: &str| FigureResult::None(text.to_owned());
    match error {
        BuildError::Limit(limit) => (FigureResult::Undecided(*limit), None),
        BuildError::Wrong(violation, choices) => {
            let text = format!(
                "The model goes wrong ({}), so that there is nothing to measure; `narrows check` shows more.",
                violation.kind.message()
            );
            let trace = trace_of(evaluator, choices);
            (FigureResult::None(text), trace.map(|trace| ("the run that goes wrong".to_owned(), trace)))
        }
        BuildError::TwoDelays(..) => (
            none(
                "Both sides of a rendezvous have a delay; it takes place once, so give the delay to one of \
                 them.",
            ),
            None,
        ),
        BuildError::Entangled => (
            none("Equal parts of the model can't be counted once: they are told apart while it waits."),
            None,
        ),
        BuildError::Zeno(choices, begins) => {
            let trace = trace_of(evaluator, choices).map(|trace| Trace { cycle: Some(*begins), ..trace });
            let text = "Time stands still: steps without delay follow each other for ever, and the delays \
                        beside them do not run on. Give one of the steps of the cycle a delay.";
            (none(text), trace.map(|trace| ("the run on which time stands still".to_owned(), trace)))
        }
    }
}

/// Says why delays can't be counted.
pub(super) fn reason_of(unscalable: &Unscalable) -> String {
    match unscalable {
        Unscalable::Random(name) => format!(
            "The delay of `{name}` is random and has no greatest value: there is no best and worst case. Ask \
             in the stochastic view, or make it `fixed` or `between`."
        ),
        Unscalable::Changing(name) => {
            format!("How fast `{name}` goes depends on the state: that is for the stochastic view alone.")
        }
        Unscalable::TooLong(name) => format!(
            "The delay of `{name}` is too long beside the shortest difference between delays; round them."
        ),
    }
}

/// Replays a run that is given by the number of the successor at each state.
pub(super) fn trace_of(evaluator: Evaluator<'_>, choices: &[u32]) -> Option<Trace> {
    let (mut state, _) = evaluator.initial().ok()?;
    let mut scratch = Scratch::default();
    let mut moves: Vec<Vec<Move>> = Vec::new();
    for choice in choices {
        let (mut number, mut next) = (0, None);
        evaluator.successors(&state, &mut scratch, &mut |successor| {
            if number == *choice {
                next = successor.target.map(<[u8]>::to_vec);
                moves.push(successor.moves.to_vec());
                return ControlFlow::Break(());
            }
            number += 1;
            ControlFlow::Continue(())
        });
        match next {
            Some(next) => state = next,
            None => break,
        }
    }
    let moves: Vec<&[Move]> = moves.iter().map(Vec::as_slice).collect();
    Trace::follow(&evaluator, &moves)
}
