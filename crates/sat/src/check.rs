//! Questions about a system, answered by satisfiability.

use std::rc::Rc;

use narrows_model::synchronous::{
    Linear, Reference, Run, Specification, SynchronousClaim as Claim, SynchronousSystem, holds_on, shortened,
};
use narrows_model::{
    Answer, Budget, Checked, Coverage, Figure, FigureResult, Limit, Question, Refusal, Reply, SetSize,
    Verdict,
};

use crate::Progress;
use crate::bounded::Bounded;
use crate::circuit::Signal;
use crate::ic3::Ic3;
use crate::induction::Induction;
use crate::question::{Goal, Problem, always, fault, is_end, is_fair, problem as make, refusal, understand};
use crate::solver::{Meter, Stop};
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

/// A run that the reference does not confirm.
const CONTRADICTION: &str = "the run that should show it is none: this is a bug in narrows, not in the model";

/// A proof that is not confirmed.
const NO_PROOF: &str = "the proof that was found is none: this is a bug in narrows, not in the model";

/// Answers questions about a system. Before each one and after it, `each` is called: before, with its number
/// alone, it returns whether the question is to be answered; after, with the answer.
pub fn check(
    system: &SynchronousSystem,
    questions: &[Question],
    engine: Engine,
    budget: &Budget,
    each: &mut dyn FnMut(usize, Option<&Reply>) -> bool,
) -> Checked {
    let meter = Meter::new(budget);
    let checker = Checker { system, reference: Reference::new(system), engine, meter: Rc::clone(&meter) };
    let mut replies: Vec<Option<Reply>> = questions.iter().map(|_| None).collect();
    let mut depths: Vec<Option<usize>> = vec![None; questions.len()];
    let mut limit = None;
    let mut most = FIRST_ROUND;
    // Questions take turns, so that a hard one keeps none from its answer; what was begun is begun anew, with
    // more patience.
    while limit.is_none() && replies.iter().any(Option::is_none) {
        let is_last = replies.iter().filter(|reply| reply.is_none()).count() == 1;
        for (number, question) in questions.iter().enumerate() {
            if limit.is_some() || replies[number].is_some() {
                continue;
            }
            let give_up = |limit, depth| Some(undecided(system, question, limit, depth));
            if !each(number, None) {
                replies[number] = give_up(Limit::Enough, None);
                continue;
            }
            meter.forgive();
            replies[number] = match checker.answer(question, if is_last { u64::MAX } else { most }) {
                Ok(reply) => Some(reply),
                Err(Failure::Contradiction) => {
                    let verdict = Verdict::Refused(refusal(NO_PROOF));
                    Some(Answer::new(question.clone(), verdict).into())
                }
                Err(Failure::Patience(depth)) => {
                    depths[number] = depths[number].max(depth);
                    None
                }
                // Out of memory on one question says nothing about the next.
                Err(Failure::Limit(hit @ (Limit::Memory | Limit::Enough), depth)) => give_up(hit, depth),
                Err(Failure::Limit(hit, depth)) => {
                    depths[number] = depths[number].max(depth);
                    limit = Some(hit);
                    None
                }
            };
            if let Some(reply) = &replies[number] {
                each(number, Some(reply));
            }
        }
        most = most.saturating_mul(4);
    }
    let rest =
        |number: usize| undecided(system, &questions[number], limit.unwrap_or(Limit::Enough), depths[number]);
    let replies =
        replies.into_iter().enumerate().map(|(number, reply)| reply.unwrap_or_else(|| rest(number)));
    let coverage = Coverage { sets: Some(SetSize::default()), bytes: meter.most(), ..Coverage::default() };
    Checked { replies: replies.collect(), coverage, limit, ..Checked::default() }
}

/// Says that there is no answer, and how far runs have been looked at.
fn undecided(system: &SynchronousSystem, question: &Question, limit: Limit, depth: Option<usize>) -> Reply {
    if let Some(figure) = figure(system, question, FigureResult::Undecided(limit)) {
        return figure;
    }
    let mut answer = Answer::new(question.clone(), Verdict::Undecided(limit));
    answer.notes.extend(depth.and_then(looked_at));
    answer.into()
}

/// Says of which runs it is known that they show nothing.
fn looked_at(depth: usize) -> Option<String> {
    let steps = depth.checked_sub(1)?;
    let plural = if steps == 1 { "step" } else { "steps" };
    Some(format!("No run of at most {steps} {plural} shows that it fails."))
}

/// Makes the reply to a question for a number.
fn figure(system: &SynchronousSystem, question: &Question, result: FigureResult) -> Option<Reply> {
    let Question::Property { index, kind, name } = question else { return None };
    let claim = &system.specifications.get(*index)?.claim;
    let is_number =
        matches!(claim, Claim::Minimum(..) | Claim::Maximum(..) | Claim::FewestOf(..) | Claim::MostOf(..));
    if !is_number {
        return None;
    }
    let figure = Figure::new(kind, name.clone(), "timed", result);
    Some(Figure { unit: "steps".to_owned(), ..figure }.into())
}

struct Checker<'m> {
    system: &'m SynchronousSystem,
    reference: Reference<'m>,
    engine: Engine,
    meter: Rc<Meter>,
}

/// Why there is no answer.
enum Failure {
    /// A limit was hit; and how long runs are that were looked at.
    Limit(Limit, Option<usize>),
    /// It takes longer than it may take for now; and how long runs are that were looked at.
    Patience(Option<usize>),
    /// A proof is none.
    Contradiction,
}

/// The work of the first slice, when engines take turns.
const FIRST_SLICE: u64 = 20_000;

/// The work for a question in the first round, when questions take turns.
const FIRST_ROUND: u64 = 3 * FIRST_SLICE;

/// How a problem ended.
struct Outcome {
    /// `None` if no bad state can be reached.
    run: Option<Run>,
    by: Engine,
    shortest: bool,
}

impl Checker<'_> {
    fn answer(&self, question: &Question, most: u64) -> Result<Reply, Failure> {
        let refused = |refusal: Refusal| {
            let none = FigureResult::None(refusal.reason.clone());
            figure(self.system, question, none)
                .unwrap_or_else(|| Answer::new(question.clone(), Verdict::Refused(refusal)).into())
        };
        let asked = match understand(self.system, question) {
            Ok(asked) => asked,
            Err(refusal) => return Ok(refused(refusal)),
        };
        if let Goal::Linear(formulas, specification) = &asked
            && let Some(answer) = self.always(question, formulas, specification, most / 2)?
        {
            return Ok(answer.into());
        }
        let problem = match make(self.system, &asked, false) {
            Ok(problem) => problem,
            Err(refusal) => return Ok(refused(refusal)),
        };
        if matches!(asked, Goal::Successors) && !self.has_start(&problem)? {
            let verdict = Verdict::Fails { violation: None, trace: Box::default(), shortest: true };
            let mut answer = Answer::new(question.clone(), verdict);
            answer.notes.push("There is no first state: whatever is claimed holds of nothing.".to_owned());
            answer.engine = Some(Engine::Bounded.name());
            return Ok(answer.into());
        }
        let mut outcome = self.solve(&problem, most)?;
        if matches!(asked, Goal::Linear(..))
            && outcome.run.as_ref().is_some_and(|run| run.states.is_empty())
            && let Ok(problem) = make(self.system, &asked, true)
        {
            // What was left out does not come again soon enough to be shown: it is looked at, too.
            outcome = self.solve(&problem, most)?;
        }
        let mut answer = self.judged(question, &asked, &outcome);
        answer.engine = Some(outcome.by.name());
        Ok(answer.into())
    }

    /// Answers whether something holds in every state, if that is what a formula says. Returns `None` if runs
    /// that go on for ever have to be looked at.
    fn always(
        &self,
        question: &Question,
        formulas: &[Linear],
        specification: &Specification,
        most: u64,
    ) -> Result<Option<Answer>, Failure> {
        let Some((system, root)) = always(self.system, formulas) else { return Ok(None) };
        let problem = Problem::always(&system, root);
        let outcome = match self.solve(&problem, most) {
            Err(Failure::Patience(_)) => return Ok(None),
            outcome => outcome?,
        };
        let mut answer = match &outcome.run {
            None => Answer::new(question.clone(), Verdict::Holds),
            Some(run) if problem.goes_on(self.system) => {
                let reference = Reference::new(&system);
                let is_bad = run.states.last().is_some_and(|last| !reference.is_true(root, last));
                if !is_bad {
                    return Ok(Some(contradiction(question)));
                }
                self.failing(question, Some(specification), run, outcome.shortest)
            }
            Some(_) => return Ok(None),
        };
        answer.engine = Some(outcome.by.name());
        Ok(Some(answer))
    }

    /// Finds out whether there is an initial state.
    fn has_start(&self, problem: &Problem) -> Result<bool, Failure> {
        self.meter.allow(u64::MAX);
        let found = Unrolled::new(&problem.circuit, &self.meter, Begin::Start).solve(&[]);
        found.map_err(|stop| match stop {
            Stop::Limit(limit) => Failure::Limit(limit, None),
            Stop::Slice => Failure::Limit(Limit::Enough, None),
        })
    }

    /// Makes an answer of what was found.
    fn judged(&self, question: &Question, asked: &Goal<'_>, outcome: &Outcome) -> Answer {
        let Some(run) = &outcome.run else {
            return Answer::new(question.clone(), Verdict::Holds);
        };
        match asked {
            Goal::Successors => {
                if is_end(self.system, &self.reference, run) == Some(true) {
                    return self.failing(question, None, run, outcome.shortest);
                }
                let reason = "There are inputs for which a state has no successor; whether there are others \
                              for which it has, the engine `symbolic` finds out.";
                Answer::new(question.clone(), Verdict::Refused(refusal(reason)))
            }
            Goal::Faults => {
                let Some(hazard) = fault(self.system, run) else { return contradiction(question) };
                let mut answer = self.failing(question, None, run, outcome.shortest);
                answer.notes.push(self.system.describe_hazard(hazard));
                answer
            }
            Goal::Linear(formulas, specification) => {
                let is_against =
                    is_fair(self.system, run) && holds_on(formulas, &self.reference, run) == Some(false);
                if is_against {
                    let run = shortened(formulas, &self.reference, run.clone());
                    self.failing(question, Some(specification), &run, false)
                } else {
                    contradiction(question)
                }
            }
            Goal::Always(root, specification) => {
                if run.ends_without(self.system, *root) {
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
    fn solve(&self, problem: &Problem, most: u64) -> Result<Outcome, Failure> {
        let (circuit, bad, meter) = (&problem.circuit, problem.bad, &self.meter);
        if bad == Signal::FALSE {
            // No state is bad, reachable or not.
            let by = if self.engine == Engine::Automatic { Engine::Induction } else { self.engine };
            return Ok(Outcome { run: None, by, shortest: true });
        }
        let end = meter.work().saturating_add(most);
        let mut engines: Vec<RunningEngine<'_>> = Vec::new();
        if matches!(self.engine, Engine::Bounded | Engine::Automatic) {
            engines.push(RunningEngine::Bounded(Box::new(Bounded::new(circuit, bad, meter))));
        }
        if matches!(self.engine, Engine::Ic3 | Engine::Automatic) {
            engines.push(RunningEngine::Ic3(Box::new(Ic3::new(circuit, bad, meter))));
        }
        if matches!(self.engine, Engine::Induction | Engine::Automatic) {
            engines.push(RunningEngine::Induction(Box::new(Induction::new(circuit, bad, meter))));
        }
        let mut slice = if engines.len() > 1 { FIRST_SLICE } else { most };
        let depth = |engines: &[RunningEngine<'_>]| engines.iter().map(RunningEngine::depth).max();
        loop {
            if meter.work() >= end {
                return Err(Failure::Patience(depth(&engines)));
            }
            for number in 0..engines.len() {
                meter.allow(slice);
                let progress = match engines[number].run() {
                    Ok(progress) => progress,
                    Err(EngineFailure::Stop(Stop::Slice)) => continue,
                    Err(EngineFailure::Stop(Stop::Limit(limit))) => {
                        return Err(Failure::Limit(limit, depth(&engines)));
                    }
                    Err(EngineFailure::Unconfirmed) => return Err(Failure::Contradiction),
                };
                let by = engines[number].name();
                let Progress::Refuted(witness) = progress else {
                    return Ok(Outcome { run: None, by, shortest: true });
                };
                // Engines find runs of a length only after all shorter ones, but for IC3.
                let is_shortest = witness.inputs.len() <= engines[number].depth() + 1;
                let (witness, by, shortest) = match &mut engines[..] {
                    [RunningEngine::Bounded(bounded), ..] if !is_shortest => {
                        meter.allow(meter.work());
                        shorter(bounded, witness)
                    }
                    _ => (witness, by, is_shortest),
                };
                // A run that the circuit does not confirm is none of the system either.
                let run = problem.run(self.system, &witness).unwrap_or_default();
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
enum RunningEngine<'c> {
    Bounded(Box<Bounded<'c>>),
    Ic3(Box<Ic3<'c>>),
    Induction(Box<Induction<'c>>),
}

/// Why an engine has no answer.
enum EngineFailure {
    Stop(Stop),
    Unconfirmed,
}

impl RunningEngine<'_> {
    fn name(&self) -> Engine {
        match self {
            RunningEngine::Bounded(_) => Engine::Bounded,
            RunningEngine::Ic3(_) => Engine::Ic3,
            RunningEngine::Induction(_) => Engine::Induction,
        }
    }

    fn depth(&self) -> usize {
        match self {
            RunningEngine::Bounded(bounded) => bounded.depth(),
            RunningEngine::Ic3(ic3) => ic3.depth(),
            RunningEngine::Induction(induction) => induction.depth(),
        }
    }

    /// Goes on until it has an answer or has to stop.
    fn run(&mut self) -> Result<Progress, EngineFailure> {
        loop {
            let progress = match self {
                RunningEngine::Bounded(bounded) => bounded.advance().map_err(EngineFailure::Stop)?,
                RunningEngine::Ic3(ic3) => {
                    ic3.advance().map_err(EngineFailure::Stop)?.map_err(|_| EngineFailure::Unconfirmed)?
                }
                RunningEngine::Induction(induction) => induction.advance().map_err(EngineFailure::Stop)?,
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
