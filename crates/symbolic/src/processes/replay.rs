//! Answers about a synchronous system as answers about the processes that it was made of: every run is
//! replayed in their own evaluator, which must confirm what it shows.

use std::ops::ControlFlow;

use narrows_model::flatten::Flat;
use narrows_model::synchronous::Reference;
use narrows_model::{
    Answer, Atom, Claim, Evaluator, Expansion, Figure, FigureResult, Number, Question, Scratch, StateSpace,
    Successor, Trace, Verdict, Violation, ViolationKind,
};

use super::{CONTRADICTION, refusal};

/// Leads back from a synchronous system to the processes that it was made of.
pub(super) struct Replay<'a> {
    pub(super) evaluator: &'a Evaluator<'a>,
    pub(super) flat: &'a Flat<'a>,
    pub(super) reference: &'a Reference<'a>,
}

impl Replay<'_> {
    /// Makes an answer about the synchronous system into one about the processes.
    pub(super) fn answer(&self, question: &Question, answer: Answer) -> Answer {
        let mut notes = answer.notes;
        let (verdict, witness) = match answer.verdict {
            Verdict::Fails { trace, shortest, .. } => match self.counterexample(question, &trace) {
                Some((violation, trace)) => {
                    (Verdict::Fails { violation, trace: Box::new(trace), shortest }, None)
                }
                None => (refusal(CONTRADICTION), None),
            },
            Verdict::Holds => {
                let shown = answer.witness.map(|trace| self.replayed(&trace));
                match shown {
                    Some(None) => (refusal(CONTRADICTION), None),
                    Some(Some(trace)) => (Verdict::Holds, Some(self.told(question, trace))),
                    None => (Verdict::Holds, None),
                }
            }
            other => (other, None),
        };
        notes.retain(|note| !note.is_empty());
        Answer {
            verdict,
            witness: witness.map(Box::new),
            notes,
            ..Answer::new(question.clone(), Verdict::Holds)
        }
    }

    /// Adds what the propositions of a property are along a run.
    fn told(&self, question: &Question, mut trace: Trace) -> Trace {
        if let Some(property) = self.property(question) {
            let mut atoms: Vec<Atom> = Vec::new();
            match property {
                Claim::Ltl(formula) => atoms.extend(formula.atoms().into_iter().cloned()),
                Claim::Ctl(formula) => formula.each_atom(&mut |atom| atoms.push(atom.clone())),
                Claim::Never(_) | Claim::Trace { .. } => {}
            }
            trace.atoms = trace.propositions(self.evaluator, atoms.iter().collect());
        }
        trace
    }

    fn property(&self, question: &Question) -> Option<&Claim> {
        let Question::Property { index, .. } = question else { return None };
        self.evaluator.system().properties.get(*index).map(|property| &property.claim)
    }

    /// Replays a run against a claim, and makes sure that it shows what it is to show.
    fn counterexample(&self, question: &Question, trace: &Trace) -> Option<(Option<Violation>, Trace)> {
        let is_meant = |violation: &Violation| match question {
            Question::Assertions => violation.kind == ViolationKind::Assertion,
            _ => violation.kind != ViolationKind::Assertion,
        };
        match question {
            Question::Assertions | Question::Faults => {
                let states = self.states(trace);
                let mut found = None;
                self.evaluator.successors(states.last()?, &mut Scratch::default(), &mut |successor| {
                    found = successor.violations.iter().find(|violation| is_meant(violation)).copied();
                    if found.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
                });
                let violation = found?;
                let wanted = |violations: &[Violation]| violations.contains(&violation);
                let trace = Trace::replay(self.evaluator, &states, Some(&wanted))?;
                Some((Some(violation), trace))
            }
            Question::Deadlock => {
                let trace = Trace::replay(self.evaluator, &self.states(trace), None)?;
                let last = trace.last_state();
                let nothing = &mut |_: Successor<'_>| ControlFlow::Continue(());
                let expansion = self.evaluator.successors(last, &mut Scratch::default(), nothing);
                (expansion == Expansion::Deadlock).then_some((None, trace))
            }
            _ => {
                let trace = self.told(question, self.replayed(trace)?);
                if let Some(Claim::Ltl(formula)) = self.property(question) {
                    (trace.satisfies(formula) == Some(false)).then_some(())?;
                }
                Some((None, trace))
            }
        }
    }

    /// Returns the states of the processes along a run of the synchronous system.
    fn states(&self, trace: &Trace) -> Vec<Vec<u8>> {
        let states = std::iter::once(&trace.initial).chain(trace.steps.iter().map(|step| &step.state));
        states.map(|state| self.flat.state(&self.reference.unpack(state))).collect()
    }

    /// Replays a run, also an endless one.
    fn replayed(&self, trace: &Trace) -> Option<Trace> {
        let mut states = self.states(trace);
        // Where the processes can't go on, the synchronous system stays; the run is over there.
        let over = states.windows(2).position(|pair| pair[0] == pair[1] && self.is_over(&pair[0]));
        if let Some(last) = over {
            states.truncate(last + 1);
        }
        let mut made = Trace::replay(self.evaluator, &states, None)?;
        made.cycle = match over {
            Some(_) => trace.cycle.map(|_| made.steps.len()),
            None => trace.cycle,
        };
        Some(made)
    }

    fn is_over(&self, state: &[u8]) -> bool {
        let mut leads_on = false;
        self.evaluator.successors(state, &mut Scratch::default(), &mut |successor| {
            leads_on |= successor.target.is_some();
            ControlFlow::Continue(())
        });
        !leads_on
    }

    /// Makes a figure about the system into one about the system.
    pub(super) fn figure(&self, mut figure: Figure) -> Figure {
        figure.view = "untimed";
        if figure.kind.ends_with("count") {
            "states".clone_into(&mut figure.unit);
        }
        let mut witnesses = Vec::new();
        for (_, trace) in std::mem::take(&mut figure.witnesses) {
            match self.replayed(&trace) {
                Some(trace) => {
                    let what = match (&figure.result, trace.cycle) {
                        (FigureResult::Value { low: Number::Infinity, .. }, Some(_)) => {
                            "a run that goes round for ever"
                        }
                        (FigureResult::Value { low: Number::Infinity, .. }, None) => "a run that stops",
                        _ => "a run that takes so much",
                    };
                    witnesses.push((what.to_owned(), trace));
                }
                None => figure.result = FigureResult::None(CONTRADICTION.to_owned()),
            }
        }
        figure.witnesses = witnesses;
        figure
    }
}
