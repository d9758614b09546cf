//! Never claims: an observer process that moves once in every state before the system does.

use crate::evaluator::{Context, Frame, OBSERVER, Outcome};
use crate::{Evaluator, LocationId, Proctype, Statement, Violation, ViolationKind};

use super::Seen;

/// An atomic sequence of a claim that is longer than this never ends.
const MAX_CLAIM_STEPS: usize = 10_000;

/// How many bytes the location takes, before the claim's variables.
const LOCATION: usize = 2;

/// Returns where the claim starts.
pub(super) fn start(evaluator: &Evaluator<'_>, claim: &Proctype) -> Result<Vec<u8>, Violation> {
    let mut frame = Frame::empty(evaluator.system());
    frame.set_observer(&vec![0; claim.local_bytes as usize]);
    let mut violations = Vec::new();
    Context::new(evaluator.system(), &mut frame, OBSERVER, &mut violations)
        .set_up(&claim.setup, claim.span)?;
    Ok(memory(claim.start, &frame))
}

/// Returns where the claim is.
pub(super) fn location(memory: &[u8]) -> LocationId {
    LocationId(u16::from_le_bytes([memory[0], memory[1]]))
}

fn memory(location: LocationId, frame: &Frame) -> Vec<u8> {
    let mut memory = location.0.to_le_bytes().to_vec();
    memory.extend_from_slice(frame.observer());
    memory
}

/// Returns every move of the claim in a state.
pub(super) fn look(evaluator: &Evaluator<'_>, claim: &Proctype, memory: &[u8], state: &[u8]) -> Seen {
    let mut frame = evaluator.load(state);
    frame.set_observer(&memory[LOCATION..]);
    let mut look = Look { evaluator, claim, seen: Seen::default() };
    look.from(location(memory), &frame, 0);
    look.seen
}

struct Look<'l, 's> {
    evaluator: &'l Evaluator<'s>,
    claim: &'l Proctype,
    seen: Seen,
}

impl Look<'_, '_> {
    fn from(&mut self, from: LocationId, frame: &Frame, depth: usize) {
        let location = self.claim.location(from);
        if location.is_end {
            self.end(ViolationKind::ClaimMatched, location.span);
            return;
        }
        if depth > MAX_CLAIM_STEPS {
            self.end(ViolationKind::EndlessAtomic, location.span);
            return;
        }
        let mut moved = false;
        let mut escape = 0;
        for edge in &location.edges {
            if escape > 0 && edge.escape != escape {
                break;
            }
            let transition = self.claim.transition(edge.transition);
            let mut next = frame.clone();
            let mut violations = Vec::new();
            let mut context = Context::new(self.evaluator.system(), &mut next, OBSERVER, &mut violations);
            let outcome = context.execute(&transition.statement, moved);
            for violation in violations.iter_mut().chain(outcome.as_ref().err().copied().iter_mut()) {
                self.end(violation.kind, transition.span);
            }
            if !matches!(outcome, Ok(Outcome::Done)) {
                continue;
            }
            moved = true;
            escape = edge.escape;
            let target = self.claim.location(transition.target);
            if transition.statement == Statement::End || target.is_end {
                self.end(ViolationKind::ClaimMatched, transition.span);
            } else if transition.atomic {
                self.from(transition.target, &next, depth + 1);
            } else {
                self.seen.next.push(memory(transition.target, &next));
            }
        }
    }

    fn end(&mut self, kind: ViolationKind, span: narrows_source::Span) {
        self.seen.violations.push(Violation { kind, span, pid: OBSERVER as u8 });
    }
}
