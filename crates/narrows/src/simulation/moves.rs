//! Saved runs of processes: finding their moves again in the model.

use narrows_model::{
    Action, Actor, Evaluator, LocationId, Move, ProctypeId, Single, TraceStep, TransitionId,
};
use narrows_report::{RecordedMove, RecordedTrace};

use super::{ReplayError, Session, StepError};

/// Replays a recorded run from the initial state. The error says at which step it does not fit the model, and
/// why; the steps before that one are taken.
pub(super) fn replay(
    session: &mut Session<'_>,
    evaluator: Evaluator<'_>,
    recorded: &RecordedTrace,
) -> Result<(), ReplayError> {
    for (index, moves) in recorded.steps.iter().enumerate() {
        let step = find(session, evaluator, moves)
            .map_err(|reason| ReplayError::Step { number: index + 1, reason })?;
        session.take(step);
    }
    session.set_cycle(recorded.cycle);
    session.set_atoms(recorded.atoms.clone());
    Ok(())
}

/// Finds the step with the given moves; a prefix of an atomic sequence is a step too, for runs that end
/// inside one.
fn find(
    session: &Session<'_>,
    evaluator: Evaluator<'_>,
    recorded: &[RecordedMove],
) -> Result<TraceStep, StepError> {
    let same = |step: &&TraceStep| {
        let is_it = |(action, recorded): (&Action, &RecordedMove)| {
            let is_named = |actor: &Actor| recorded.process.is_empty() || recorded.process == actor.name;
            action.transition().is_some_and(|step| is_move(step, recorded))
                && action.actor.as_ref().is_some_and(is_named)
        };
        step.actions.len() == recorded.len() && step.actions.iter().zip(recorded).all(is_it)
    };
    if let Some(step) = session.steps().iter().find(same) {
        return Ok(step.clone());
    }
    let moves = resolve(evaluator, session.state(), recorded)?;
    match evaluator.follow(session.state(), &moves) {
        Ok(path) => Ok(as_step(evaluator, session.state(), &path)),
        Err((index, state)) => Err(why_not(session, evaluator, &state, &recorded[index])),
    }
}

/// Makes one step out of moves that follow each other.
pub(super) fn as_step(evaluator: Evaluator<'_>, before: &[u8], path: &[Single]) -> TraceStep {
    let moves: Vec<Move> = path.iter().flat_map(|single| single.moves.iter().copied()).collect();
    let violations = path.iter().flat_map(|single| single.violations.iter().copied()).collect();
    let target = path.last().and_then(|single| single.after.clone());
    evaluator.trace_step(before, &moves, violations, target)
}

fn is_move(step: Move, recorded: &RecordedMove) -> bool {
    step.pid == recorded.pid
        && step.transition.0 == recorded.transition
        && step.from.0 == recorded.from
        && step.kind == recorded.kind
}

/// Turns recorded moves into moves of the model.
fn resolve(
    evaluator: Evaluator<'_>,
    state: &[u8],
    recorded: &[RecordedMove],
) -> Result<Vec<Move>, StepError> {
    let (system, view) = (evaluator.system(), evaluator.describe(state));
    let resolved = recorded.iter().map(|step| {
        // The name comes first: the process may only be created inside the step.
        let named = system.proctypes.iter().position(|proctype| proctype.name == step.process);
        if named.is_none() && !step.process.is_empty() {
            return Err(StepError::NoProctype(step.process.clone()));
        }
        let there = view.processes.get(usize::from(step.pid)).map(|process| process.proctype);
        let proctype = named.map(|index| ProctypeId(index as u16)).or(there);
        let proctype = proctype.ok_or_else(|| StepError::NoProcess(label(step)))?;
        let (from, transition) = (LocationId(step.from), TransitionId(step.transition));
        Ok(Move { pid: step.pid, proctype, from, transition, kind: step.kind })
    });
    resolved.collect()
}

fn label(step: &RecordedMove) -> String {
    format!("{}({})", step.process, step.pid)
}

/// Says why a recorded move can't be made in a state.
fn why_not(session: &Session<'_>, evaluator: Evaluator<'_>, state: &[u8], step: &RecordedMove) -> StepError {
    let view = evaluator.describe(state);
    let Some(process) = view.processes.get(usize::from(step.pid)) else {
        return StepError::TooFewProcesses { process: label(step), pid: step.pid };
    };
    if process.name != step.process && !step.process.is_empty() {
        return StepError::OtherProcess { pid: step.pid, found: process.label(), recorded: label(step) };
    }
    let proctype = evaluator.system().proctype(process.proctype);
    let edges = &proctype.location(process.location).edges;
    let here =
        process.location.0 == step.from && edges.iter().any(|edge| edge.transition.0 == step.transition);
    if !here {
        let place = session.place(process.span);
        return StepError::Elsewhere { process: process.label(), place, statement: step.text.clone() };
    }
    let span = proctype.transition(TransitionId(step.transition)).span;
    let disabled = evaluator.disabled(state);
    let reason = disabled.iter().find(|entry| entry.pid == process.pid && entry.span == span);
    let reason = reason.map_or("another process has to take part", |entry| entry.reason.as_str());
    StepError::Disabled {
        process: process.label(),
        statement: step.text.clone(),
        place: session.place(span),
        reason: reason.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use narrows_model::Model;
    use narrows_report::read_trace;

    use super::super::examples::{counting, dividing, meeting};
    use super::super::recording::Recording;
    use super::*;

    fn session(model: &Model) -> Session<'_> {
        Session::new(model, 9).expect("it has an initial state")
    }

    fn recorded(session: &Session<'_>) -> RecordedTrace {
        let trace = session.trace();
        let document = narrows_report::trace_document(session.model(), "run", &trace).to_value();
        read_trace(&document).expect("it was just written")
    }

    fn replay(session: &mut Session<'_>, recorded: &RecordedTrace) -> Result<(), ReplayError> {
        session.replay(&Recording::Moves(recorded.clone()))
    }

    #[test]
    fn what_is_saved_can_be_replayed() {
        for example in [counting(), meeting(), dividing()] {
            let mut made = session(&example);
            made.run(100, |_| false);
            let mut again = session(&example);
            assert_eq!(replay(&mut again, &recorded(&made)), Ok(()));
            assert_eq!(again.state(), made.state());
            assert_eq!(again.violations(), made.violations());
            assert_eq!(again.output().collect::<Vec<_>>(), made.output().collect::<Vec<_>>());
        }
    }

    #[test]
    fn a_run_may_end_inside_an_atomic_sequence() {
        let example = counting();
        let mut made = session(&example);
        made.choose(0);
        let mut trace = recorded(&made);
        trace.steps[0].truncate(2);
        let mut again = session(&example);
        assert_eq!(replay(&mut again, &trace), Ok(()));
        assert_eq!(again.entries()[0].value, "1");
    }

    #[test]
    fn says_where_and_why_it_does_not_fit() {
        let check = |change: &dyn Fn(&mut RecordedTrace), expected: &str| {
            let example = counting();
            let mut made = session(&example);
            made.run(3, |_| false);
            let mut trace = recorded(&made);
            change(&mut trace);
            let found = replay(&mut session(&example), &trace).expect_err(expected);
            assert_eq!(found.to_string(), expected);
        };
        check(
            &|trace| trace.steps.swap(0, 2),
            "step 1 does not fit the model: Q(1) can't execute [c?y] at example.pml:14: the channel is empty",
        );
        check(
            &|trace| trace.steps.swap(0, 1),
            "step 1 does not fit the model: P(0) is at example.pml:5, where there is no [c!x]",
        );
        check(
            &|trace| trace.steps[1][0].pid = 9,
            "step 2 does not fit the model: P(9) can't be found: there is no process 9",
        );
        check(
            &|trace| trace.steps[2][0].process = "P".to_owned(),
            "step 3 does not fit the model: process 1 is Q(1), not P(1)",
        );
        check(
            &|trace| trace.steps[2][0].process = "R".to_owned(),
            "step 3 does not fit the model: the model has no proctype R",
        );
    }
}
