//! Questions about a machine, answered by satisfiability.

use std::rc::Rc;

use narrows_model::synchronous::{Machine, MachineClaim as Claim, Reference, Run, Specification};
use narrows_model::{Answer, Figure, FigureResult, Limit, Question, Refusal, Reply, Verdict};

use crate::Progress;
use crate::bounded::Bounded;
use crate::ic3::Ic3;
use crate::induction::Induction;
use crate::question::{Asked, Problem, fault, is_end, problem, refusal, understand};
use crate::solver::{Meter, Stop, Watch};
use crate::unroll::{Begin, Unrolled, Witness};

/// How questions are answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Engine {
    /// By all of them, in turns.
    Automatic,
    /// By looking for runs, by their length.
    Bounded,
    /// By induction over several steps.
    Induction,
    /// By an invariant that is found step by step.
    Ic3,
}

impl Engine {
    /// Returns its name, as in the JSON output.
    pub fn name(self) -> &'static str {
        match self {
            Engine::Automatic => "sat",
            Engine::Bounded => "bmc",
            Engine::Induction => "induction",
            Engine::Ic3 => "ic3",
        }
    }
}

/// What a check may use.
pub struct Budget {
    /// At most this many bytes, about.
    pub memory: u64,
    /// Called now and then with the bytes in use; returns why to stop.
    pub watch: Watch,
}

/// What came out of a check.
#[derive(Debug)]
pub struct Checked {
    /// What was found, in the order of the questions.
    pub results: Vec<Reply>,
    /// Bytes that were used, about.
    pub bytes: u64,
    /// Why not everything was found out.
    pub limit: Option<Limit>,
}

/// A run that the reference does not confirm.
const CONTRADICTION: &str =
    "the run that should show it is none: this is a mistake in narrows, not in the model";

/// A proof that is not confirmed.
const NO_PROOF: &str = "the proof that was found is none: this is a mistake in narrows, not in the model";

/// Answers questions about a machine. Before each one and after it, `each` is called: before, with its number alone, it returns whether the
/// question is to be answered; after, with the answer.
pub fn check(
    machine: &Machine,
    questions: &[Question],
    engine: Engine,
    budget: Budget,
    each: &mut dyn FnMut(usize, Option<&Reply>) -> bool,
) -> Checked {
    let meter = Meter::new(budget.memory, budget.watch);
    let checker = Checker { machine, reference: Reference::new(machine), engine, meter: Rc::clone(&meter) };
    let mut results = Vec::new();
    let mut limit = None;
    for (number, question) in questions.iter().enumerate() {
        let reply = match limit {
            Some(limit) => undecided(machine, question, limit, None),
            None if !each(number, None) => undecided(machine, question, Limit::Enough, None),
            None => {
                meter.forgive();
                match checker.answer(question) {
                    Ok(reply) => reply,
                    Err(Failure::Contradiction) => Reply::Answer(Box::new(Answer::new(
                        question.clone(),
                        Verdict::Refused(refusal(NO_PROOF)),
                    ))),
                    Err(Failure::Limit(hit, depth)) => {
                        // Out of memory on one question says nothing about the next.
                        limit = (!matches!(hit, Limit::Memory | Limit::Enough)).then_some(hit);
                        undecided(machine, question, hit, depth)
                    }
                }
            }
        };
        each(number, Some(&reply));
        results.push(reply);
    }
    Checked { results, bytes: meter.most(), limit }
}

/// Says that there is no answer, and how far runs have been looked at.
fn undecided(machine: &Machine, question: &Question, limit: Limit, depth: Option<usize>) -> Reply {
    if let Some(figure) = figure(machine, question, FigureResult::Undecided(limit)) {
        return figure;
    }
    let mut answer = Answer::new(question.clone(), Verdict::Undecided(limit));
    answer.notes.extend(depth.and_then(looked_at));
    Reply::Answer(Box::new(answer))
}

/// Says of which runs it is known that they show nothing.
fn looked_at(depth: usize) -> Option<String> {
    let steps = depth.checked_sub(1)?;
    let plural = if steps == 1 { "step" } else { "steps" };
    Some(format!("No run of at most {steps} {plural} shows that it fails."))
}

/// Makes the reply to a question for a number.
fn figure(machine: &Machine, question: &Question, result: FigureResult) -> Option<Reply> {
    let Question::Property { index, kind, name } = question else { return None };
    let claim = &machine.specifications.get(*index)?.claim;
    if !matches!(claim, Claim::Minimum(..) | Claim::Maximum(..)) {
        return None;
    }
    let figure = Figure {
        kind,
        name: name.clone(),
        view: "timed",
        result,
        unit: "steps".to_owned(),
        witnesses: Vec::new(),
        notes: Vec::new(),
        expected: None,
    };
    Some(Reply::Figure(Box::new(figure)))
}

struct Checker<'m> {
    machine: &'m Machine,
    reference: Reference<'m>,
    engine: Engine,
    meter: Rc<Meter>,
}

/// Why there is no answer.
enum Failure {
    /// A limit was hit; and how long runs are that were looked at.
    Limit(Limit, Option<usize>),
    /// A proof is none.
    Contradiction,
}

/// The work of the first slice, when engines take turns.
const FIRST_SLICE: u64 = 20_000;

/// How a problem ended.
struct Outcome {
    /// `None` if no bad state can be reached.
    run: Option<Run>,
    by: Engine,
    shortest: bool,
}

impl Checker<'_> {
    fn answer(&self, question: &Question) -> Result<Reply, Failure> {
        let refused = |refusal: Refusal| {
            let none = FigureResult::None(refusal.reason.clone());
            figure(self.machine, question, none).unwrap_or_else(|| {
                Reply::Answer(Box::new(Answer::new(question.clone(), Verdict::Refused(refusal))))
            })
        };
        let asked = match understand(self.machine, question) {
            Ok(asked) => asked,
            Err(refusal) => return Ok(refused(refusal)),
        };
        let problem = match problem(self.machine, &asked) {
            Ok(problem) => problem,
            Err(refusal) => return Ok(refused(refusal)),
        };
        if matches!(asked, Asked::Successors) && !self.has_start(&problem)? {
            let verdict = Verdict::Fails { violation: None, trace: Box::default(), shortest: true };
            let mut answer = Answer::new(question.clone(), verdict);
            answer.notes.push("There is no first state: whatever is claimed holds of nothing.".to_owned());
            answer.engine = Some(Engine::Bounded.name());
            return Ok(Reply::Answer(Box::new(answer)));
        }
        let outcome = self.solve(&problem)?;
        let mut answer = self.judged(question, &asked, &outcome);
        answer.engine = Some(outcome.by.name());
        Ok(Reply::Answer(Box::new(answer)))
    }

    /// Finds out whether there is a first state.
    fn has_start(&self, problem: &Problem) -> Result<bool, Failure> {
        self.meter.allow(u64::MAX);
        let found = Unrolled::new(&problem.circuit, &self.meter, Begin::Start).solve(&[]);
        found.map_err(|stop| match stop {
            Stop::Limit(limit) => Failure::Limit(limit, None),
            Stop::Slice => Failure::Limit(Limit::Enough, None),
        })
    }

    /// Makes an answer of what was found.
    fn judged(&self, question: &Question, asked: &Asked<'_>, outcome: &Outcome) -> Answer {
        let Some(run) = &outcome.run else {
            return Answer::new(question.clone(), Verdict::Holds);
        };
        match asked {
            Asked::Successors => {
                if is_end(self.machine, &self.reference, run) == Some(true) {
                    return self.failing(question, None, run, outcome.shortest);
                }
                let reason = "There are inputs for which a state has no successor; whether there are others \
                              for which it has, --engine bdd finds out.";
                Answer::new(question.clone(), Verdict::Refused(refusal(reason)))
            }
            Asked::Faults => {
                let Some(hazard) = fault(self.machine, run) else { return contradiction(question) };
                let mut answer = self.failing(question, None, run, outcome.shortest);
                answer.notes.push(self.machine.describe_hazard(hazard));
                answer
            }
            Asked::Always(root, specification) => {
                let is_bad = run.states.last().is_some_and(|last| !self.reference.is_true(*root, last));
                if is_bad {
                    self.failing(question, Some(specification), run, outcome.shortest)
                } else {
                    contradiction(question)
                }
            }
        }
    }

    fn failing(
        &self,
        question: &Question,
        specification: Option<&Specification>,
        run: &Run,
        shortest: bool,
    ) -> Answer {
        match run.replay(&self.reference, specification) {
            Some(trace) => {
                let verdict = Verdict::Fails { violation: None, trace: Box::new(trace), shortest };
                Answer::new(question.clone(), verdict)
            }
            None => contradiction(question),
        }
    }

    /// Finds out whether a bad state can be reached.
    fn solve(&self, problem: &Problem) -> Result<Outcome, Failure> {
        let (circuit, bad, meter) = (&problem.circuit, problem.bad, &self.meter);
        let mut engines: Vec<Running<'_>> = Vec::new();
        if matches!(self.engine, Engine::Bounded | Engine::Automatic) {
            engines.push(Running::Bounded(Box::new(Bounded::new(circuit, bad, meter))));
        }
        if matches!(self.engine, Engine::Ic3 | Engine::Automatic) {
            engines.push(Running::Ic3(Box::new(Ic3::new(circuit, bad, meter))));
        }
        if matches!(self.engine, Engine::Induction | Engine::Automatic) {
            engines.push(Running::Induction(Box::new(Induction::new(circuit, bad, meter))));
        }
        let mut slice = if engines.len() > 1 { FIRST_SLICE } else { u64::MAX };
        loop {
            for number in 0..engines.len() {
                meter.allow(slice);
                let progress = match engines[number].run() {
                    Ok(progress) => progress,
                    Err(Why::Stop(Stop::Slice)) => continue,
                    Err(Why::Stop(Stop::Limit(limit))) => {
                        let depth = engines.iter().map(Running::depth).max();
                        return Err(Failure::Limit(limit, depth));
                    }
                    Err(Why::Unconfirmed) => return Err(Failure::Contradiction),
                };
                let by = engines[number].name();
                let Progress::Refuted(witness) = progress else {
                    return Ok(Outcome { run: None, by, shortest: true });
                };
                let (witness, by, shortest) = match &mut engines[..] {
                    [Running::Bounded(bounded), ..] if by == Engine::Ic3 => {
                        meter.allow(meter.work());
                        shorter(bounded, witness)
                    }
                    _ => (witness, by, by != Engine::Ic3),
                };
                // A run that the circuit does not confirm is none of the machine either.
                let run = problem.run(self.machine, &witness).unwrap_or_default();
                return Ok(Outcome { run: Some(run), by, shortest });
            }
            slice = slice.saturating_mul(2);
        }
    }
}

/// Looks for a shorter run than one that was found.
fn shorter(bounded: &mut Bounded<'_>, found: Witness) -> (Witness, Engine, bool) {
    while bounded.depth() + 1 < found.inputs.len() {
        match bounded.advance() {
            Ok(Progress::Going) => {}
            Ok(Progress::Refuted(witness)) => return (witness, Engine::Bounded, true),
            Ok(Progress::Proved) | Err(_) => return (found, Engine::Ic3, false),
        }
    }
    (found, Engine::Ic3, true)
}

/// An engine at work.
enum Running<'c> {
    Bounded(Box<Bounded<'c>>),
    Ic3(Box<Ic3<'c>>),
    Induction(Box<Induction<'c>>),
}

/// Why an engine has no answer.
enum Why {
    Stop(Stop),
    Unconfirmed,
}

impl Running<'_> {
    fn name(&self) -> Engine {
        match self {
            Running::Bounded(_) => Engine::Bounded,
            Running::Ic3(_) => Engine::Ic3,
            Running::Induction(_) => Engine::Induction,
        }
    }

    fn depth(&self) -> usize {
        match self {
            Running::Bounded(bounded) => bounded.depth(),
            Running::Ic3(ic3) => ic3.depth(),
            Running::Induction(induction) => induction.depth(),
        }
    }

    /// Goes on until it has an answer or has to stop.
    fn run(&mut self) -> Result<Progress, Why> {
        loop {
            let progress = match self {
                Running::Bounded(bounded) => bounded.advance().map_err(Why::Stop)?,
                Running::Ic3(ic3) => ic3.advance().map_err(Why::Stop)?.map_err(|_| Why::Unconfirmed)?,
                Running::Induction(induction) => induction.advance().map_err(Why::Stop)?,
            };
            if !matches!(progress, Progress::Going) {
                return Ok(progress);
            }
        }
    }
}

fn contradiction(question: &Question) -> Answer {
    Answer::new(question.clone(), Verdict::Refused(refusal(CONTRADICTION)))
}
