//! Questions about a system as claims of its system.

use narrows_model::flatten::{Flat, Refused};
use narrows_model::synchronous::ExprId;
use narrows_model::{Claim, Evaluator, Limit, Question, Refusal, System, ViolationKind};

use crate::check::Engine;

/// What a question becomes.
pub(super) enum AskedClaim {
    /// A claim, with what makes it meaningless.
    Claim(usize, ExprId),
    Refused(String),
}

/// Returns which questions make no sense, as a proposition goes wrong somewhere.
pub(super) fn unfit(engine: &Engine<'_>, plans: &[AskedClaim]) -> Result<Vec<usize>, Limit> {
    let mut list = Vec::new();
    for (number, plan) in plans.iter().enumerate() {
        if let AskedClaim::Claim(_, wrong) = plan
            && engine.reached_where(*wrong)?.is_some()
        {
            list.push(number);
        }
    }
    Ok(list)
}

/// Why claims that are processes are not answered.
const FOLLOWED: &str = "Never claims and traces are followed state by state, not by sets of states.";

/// Returns why sets of states do not answer a question about processes, if that is plain to see.
pub fn accepts_question(system: &System, question: &Question) -> Result<(), Refusal> {
    let Question::Property { index, .. } = question else { return Ok(()) };
    match system.properties.get(*index).map(|property| &property.claim) {
        Some(Claim::Never(_) | Claim::Trace { .. }) => Err(Refusal::new(FOLLOWED)),
        Some(_) => Ok(()),
        None => Err(Refusal::new("There is no such property.")),
    }
}

/// Adds what a question asks to the claims of a system.
pub(super) fn plan(
    evaluator: &Evaluator<'_>,
    flat: &mut Flat<'_>,
    question: &Question,
) -> Result<AskedClaim, Refused> {
    let asserts = |kind: ViolationKind| kind == ViolationKind::Assertion;
    let condition = flat.any_hazard(|_| false);
    let never = |flat: &mut Flat<'_>, bad: ExprId| AskedClaim::Claim(flat.add_never(bad), condition);
    Ok(match question {
        Question::Assertions => {
            let bad = flat.any_hazard(asserts);
            never(flat, bad)
        }
        Question::Faults => {
            let bad = flat.any_hazard(|kind| !asserts(kind));
            never(flat, bad)
        }
        Question::Deadlock => {
            let bad = flat.deadlock;
            never(flat, bad)
        }
        Question::Acceptance => {
            let accepting = flat.anybody_at(|location| location.is_accepting);
            AskedClaim::Claim(flat.add_not_always_again(accepting), condition)
        }
        Question::Progress => {
            // A run that ends is no endless run without progress.
            let progress = flat.anybody_at(|location| location.is_progress);
            let over = flat.over;
            let either = flat.either(progress, over);
            AskedClaim::Claim(flat.add_always_again(either), condition)
        }
        Question::Property { index, .. } => match evaluator.system().properties.get(*index) {
            None => AskedClaim::Refused("There is no such property.".to_owned()),
            Some(property) => match flat.add_claim(&property.claim)? {
                Some(claim) => AskedClaim::Claim(claim.index, claim.wrong),
                None => AskedClaim::Refused(FOLLOWED.to_owned()),
            },
        },
        _ => AskedClaim::Refused("Sets of states do not answer this question.".to_owned()),
    })
}
