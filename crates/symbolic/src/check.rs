//! Questions about a system, answered symbolically.

mod ways;

use std::cell::OnceCell;
use std::sync::OnceLock;

use narrows_model::synchronous::{
    Branching, BranchingId, Evaluation, ExprId, Hazard, Linear, Moment, Reference, Role, Run, Specification,
    SynchronousClaim as Claim, SynchronousSystem, Value, holds_on, monitor, product, shortened,
};
use narrows_model::{
    Answer, Budget, Checked, Coverage, Figure, FigureResult, Limit, Question, Refusal, Reply, SetSize,
    Verdict,
};

use crate::bdd::{Bdd, Manager};
use crate::ctl::CtlChecker;
use crate::explain::Evidence;
use crate::fairness::Fairness;
use crate::order_file::Order;
use crate::space::{Reached, Space};
use crate::walk::Lead;

pub(crate) use ways::bounds_with;
pub use ways::{Way, bounds};

type Result<T> = std::result::Result<T, Limit>;

/// How questions are answered.
#[derive(Clone, Copy, Default)]
pub struct Options<'a> {
    /// The order of variables to begin with.
    pub order: Option<&'a Order>,
    /// Where the order of variables is put in the end, if it got so far that there is one.
    pub found_order: Option<&'a OnceLock<Order>>,
    /// Whether to find out after how many steps all states have been reached, also where that takes longer.
    pub depth: bool,
}

/// A run that the reference does not confirm, or that should be there and is not.
const CONTRADICTION: &str = "the run that should show it is none: this is a bug in narrows, not in the model";

/// What makes claims about endless runs weaker than they look.
const ENDS: &str = "Some states have no successor; runs that end there do not count here.";

/// A formula with more guesses than this, and than the system has variables, is looked at together with it.
const MANY_GUESSES: usize = 12;

/// Answers questions about a system.
pub fn check(
    system: &SynchronousSystem,
    questions: &[Question],
    options: &Options<'_>,
    budget: &Budget,
) -> Checked {
    check_each(system, questions, options, budget, &mut |_, _| true)
}

/// Answers questions about a system. Before each one and after it, `each` is called: before, with its number
/// alone, it returns whether the question is to be answered; after, with the answer. If the watch ends one
/// with [`Limit::Enough`], the next is asked.
pub fn check_each(
    system: &SynchronousSystem,
    questions: &[Question],
    options: &Options<'_>,
    budget: &Budget,
    each: &mut dyn FnMut(usize, Option<&Reply>) -> bool,
) -> Checked {
    let manager = Manager::new(budget);
    let engine = match options.order {
        Some(order) => Engine::beginning(system, manager.clone(), order),
        None => Engine::new(system, manager.clone()),
    };
    let encoding = |engine: &Engine<'_>| engine.space.encoding.clone();
    let wanted = options.found_order.zip(engine.as_ref().ok().map(encoding));
    let checked = answer_all(engine, system, questions, (&manager, options.depth), each);
    if let Some((found, encoding)) = wanted {
        found.get_or_init(|| encoding.order());
    }
    checked
}

/// Answers questions with an engine, if there is one.
pub(crate) fn answer_all(
    engine: Result<Engine<'_>>,
    system: &SynchronousSystem,
    questions: &[Question],
    (manager, depth): (&Manager, bool),
    each: &mut dyn FnMut(usize, Option<&Reply>) -> bool,
) -> Checked {
    let mut limit = engine.as_ref().err().copied();
    let mut replies = Vec::new();
    for (number, question) in questions.iter().enumerate() {
        let outcome = match (&engine, limit) {
            (Ok(_), None) if !each(number, None) => undecided(system, question, Limit::Enough),
            (Ok(engine), None) => match engine.answer(question) {
                Ok(outcome) => outcome,
                Err(hit) => {
                    // Out of memory on one question says nothing about the next.
                    limit = (!matches!(hit, Limit::Memory | Limit::Enough)).then_some(hit);
                    undecided(system, question, hit)
                }
            },
            (_, limit) => undecided(system, question, limit.unwrap_or(Limit::Memory)),
        };
        each(number, Some(&outcome));
        replies.push(outcome);
    }
    if let (Ok(engine), None, true) = (&engine, limit, depth) {
        limit = engine.reached.depth(&engine.space).err();
    }
    checked(engine.ok(), replies, manager, limit)
}

/// Says what was covered, if there was an engine.
fn checked(
    engine: Option<Engine<'_>>,
    replies: Vec<Reply>,
    manager: &Manager,
    limit: Option<Limit>,
) -> Checked {
    let size = engine.as_ref().map(Engine::size);
    drop(engine);
    Checked { replies, coverage: coverage(size, manager.bytes()), limit, ..Checked::default() }
}

/// Makes a coverage of sets; nothing is known of their size if there is none.
pub(crate) fn coverage(size: Option<SetSize>, bytes: u64) -> Coverage {
    Coverage { sets: Some(size.unwrap_or_default()), bytes, ..Coverage::default() }
}

fn undecided(system: &SynchronousSystem, question: &Question, limit: Limit) -> Reply {
    if let Question::Property { index, kind, name } = question
        && let Some(Claim::Minimum(..) | Claim::Maximum(..) | Claim::FewestOf(..) | Claim::MostOf(..)) =
            system.specifications.get(*index).map(|specification| &specification.claim)
    {
        return Reply::Figure(Box::new(blank(kind, name.clone(), FigureResult::Undecided(limit))));
    }
    Reply::Answer(Box::new(Answer::new(question.clone(), Verdict::Undecided(limit))))
}

fn blank(kind: &'static str, name: String, result: FigureResult) -> Figure {
    let unit = if kind.ends_with("delay") { "steps" } else { "" }.to_owned();
    Figure { unit, ..Figure::new(kind, name, "timed", result) }
}

pub(crate) struct Engine<'m> {
    system: &'m SynchronousSystem,
    reference: Reference<'m>,
    space: Space,
    reached: Reached,
    /// The states without a successor.
    ends: Bdd,
    fairness: Fairness,
    /// The states from which there is a fair path, once that was asked for.
    known_fair: OnceCell<Bdd>,
    /// Whether bounds count runs that come to an end.
    counts_finite: bool,
}

impl<'m> Engine<'m> {
    pub(crate) fn new(system: &'m SynchronousSystem, manager: Manager) -> Result<Engine<'m>> {
        Engine::beginning(system, manager, &Order::first(system))
    }

    fn beginning(system: &'m SynchronousSystem, manager: Manager, order: &Order) -> Result<Engine<'m>> {
        let mut space = Space::new(system, manager, order)?;
        let reached = space.reach()?;
        space.settle(&reached.all)?;
        let ends = space.relation.stuck(&reached.all)?;
        let fairness = fairness(system, &space)?;
        Ok(Engine {
            system,
            reference: Reference::new(system),
            space,
            reached,
            ends,
            fairness,
            known_fair: OnceCell::new(),
            counts_finite: false,
        })
    }

    /// Lets bounds count runs that come to an end: processes may well do so.
    pub(crate) fn counting_finite(self) -> Engine<'m> {
        Engine { counts_finite: true, ..self }
    }

    /// Returns a state that can be reached and in which something is so.
    pub(crate) fn reached_where(&self, condition: ExprId) -> Result<Option<Vec<Value>>> {
        let set = self.space.states(self.system, condition)?.and(&self.reached.all)?;
        Ok(self.space.pick(&set))
    }

    fn size(&self) -> SetSize {
        SetSize {
            states: Some(self.space.count(&self.reached.all).to_string()),
            bits: self.space.encoding.bits_of(|role| role != Role::Input).len() as u64,
            depth: self.reached.known_depth(),
        }
    }

    fn answer(&self, question: &Question) -> Result<Reply> {
        let answer = match question {
            Question::Deadlock => self.deadlock(question)?,
            Question::Faults => self.faults(question)?,
            Question::Property { index, kind, name } => {
                let Some(specification) = self.system.specifications.get(*index) else {
                    return Ok(refused(question, "There is no such specification."));
                };
                match &specification.claim {
                    Claim::Minimum(from, to) | Claim::Maximum(from, to) => {
                        let figure = self.delay(kind, *from, *to, name, Some(specification))?;
                        return Ok(figure.into());
                    }
                    Claim::FewestOf(from, to, counted) | Claim::MostOf(from, to, counted) => {
                        let figure = self.occurrences(kind, (*from, *to), *counted, name)?;
                        return Ok(figure.into());
                    }
                    Claim::Invariant(root) => self.invariant(question, specification, *root)?,
                    Claim::Branching(formulas) => self.branching(question, specification, formulas)?,
                    Claim::Linear(formulas) => self.linear(question, specification, formulas)?,
                }
            }
            _ => return Ok(refused(question, "This question does not apply to a synchronous system.")),
        };
        let is_decided = matches!(answer.verdict, Verdict::Holds | Verdict::Fails { .. });
        Ok(Answer { engine: is_decided.then_some("symbolic"), ..answer }.into())
    }

    /// Makes an answer out of a run against a claim.
    fn failing(
        &self,
        question: &Question,
        specification: Option<&Specification>,
        run: Option<Run>,
        shortest: bool,
    ) -> Answer {
        let trace = run.and_then(|run| run.replay(&self.reference, specification));
        let verdict = match trace {
            Some(trace) => Verdict::Fails { violation: None, trace: Box::new(trace), shortest },
            None => Verdict::Refused(Refusal::new(CONTRADICTION)),
        };
        Answer::new(question.clone(), verdict)
    }

    fn deadlock(&self, question: &Question) -> Result<Answer> {
        if self.space.initial.is_false() {
            let verdict = Verdict::Fails { violation: None, trace: Box::default(), shortest: true };
            let mut answer = Answer::new(question.clone(), verdict);
            answer.notes.push("There is no first state: whatever is claimed holds of nothing.".to_owned());
            return Ok(answer);
        }
        let Some(lead) = self.space.lead(&self.reached, &self.ends)? else {
            return Ok(Answer::new(question.clone(), Verdict::Holds));
        };
        let run = Run { states: lead.path, cycle: None };
        let mut answer = self.failing(question, None, Some(run), lead.shortest);
        let count = self.space.count(&self.ends);
        answer.notes.push(format!("States without a successor: {count}."));
        Ok(answer)
    }

    /// Finds out whether something happens that must not.
    fn faults(&self, question: &Question) -> Result<Answer> {
        let mut first: Option<(&Hazard, Lead)> = None;
        // Not all bits of inputs stand for values.
        let inputs = self.space.valid_inputs(self.system)?;
        for hazard in &self.system.hazards {
            let set = self.space.states(self.system, hazard.condition)?.and(&inputs)?;
            if let Some(lead) = self.space.lead(&self.reached, &set)?
                && first.as_ref().is_none_or(|(_, other)| lead.path.len() < other.path.len())
            {
                first = Some((hazard, lead));
            }
        }
        let Some((hazard, lead)) = first else {
            return Ok(Answer::new(question.clone(), Verdict::Holds));
        };
        let is_so = lead
            .path
            .last()
            .is_some_and(|last| Evaluation::new(self.system).is_true(hazard.condition, Moment::still(last)));
        let run = is_so.then_some(Run { states: lead.path, cycle: None });
        let mut answer = self.failing(question, None, run, lead.shortest);
        answer.notes.push(self.system.describe_hazard(hazard));
        Ok(answer)
    }

    fn checker(&self) -> CtlChecker<'_> {
        CtlChecker {
            system: self.system,
            space: &self.space,
            all: &self.reached.all,
            ends: &self.ends,
            fairness: &self.fairness,
            known_fair: &self.known_fair,
        }
    }

    /// Says what makes claims about endless fair paths weaker than they look.
    fn caution(&self, answer: &mut Answer) -> Result<()> {
        // Which states have an endless path at all is looked at only where something depends on it.
        let is_unknown =
            self.fairness.is_trivial() && !self.ends.is_false() && self.known_fair.get().is_none();
        if !is_unknown && !self.space.initial.meets(self.checker().fair()?)? {
            answer.notes.push("No fair run starts in any first state: this holds of nothing.".to_owned());
        } else if !self.ends.is_false() && matches!(answer.verdict, Verdict::Holds) {
            answer.notes.push(ENDS.to_owned());
        }
        Ok(())
    }

    fn invariant(&self, question: &Question, specification: &Specification, root: ExprId) -> Result<Answer> {
        if self.system.is_of_step(root) {
            return self.step_invariant(question, specification, root);
        }
        let bad = self.space.states(self.system, root)?.not();
        let Some(Lead { path, shortest }) = self.space.lead(&self.reached, &bad)? else {
            return Ok(Answer::new(question.clone(), Verdict::Holds));
        };
        let is_bad = path.last().is_some_and(|last| !self.reference.is_true(root, last));
        let run = is_bad.then_some(Run { states: path, cycle: None });
        Ok(self.failing(question, Some(specification), run, shortest))
    }

    /// Finds out whether something is so in every step, by remembering whether it was.
    fn step_invariant(
        &self,
        question: &Question,
        specification: &Specification,
        root: ExprId,
    ) -> Result<Answer> {
        let (product, was) = monitor(self.system, root);
        let (mut space, _) = self.space.with_product(&product, self.system, &self.reached.all)?;
        let reached = space.reach()?;
        space.settle(&reached.all)?;
        let bad = space.states(&product.system, was)?.not();
        let Some(Lead { mut path, shortest }) = space.lead(&reached, &bad)? else {
            return Ok(Answer::new(question.clone(), Verdict::Holds));
        };
        for state in &mut path {
            state.truncate(self.system.variables.len());
        }
        let run = Run { states: path, cycle: None };
        let run = run.ends_without(self.system, root).then_some(run);
        Ok(self.failing(question, Some(specification), run, shortest))
    }

    fn branching(
        &self,
        question: &Question,
        specification: &Specification,
        formulas: &[Branching],
    ) -> Result<Answer> {
        let checker = self.checker();
        if let Some(Branching::Always(narrows_logic::Paths::All, one)) = formulas.last() {
            return self.always(question, specification, &checker, &formulas[..formulas.len() - 1], *one);
        }
        let sets = checker.evaluate(formulas)?;
        let Some(root) = sets.last() else { return Ok(Answer::new(question.clone(), Verdict::Holds)) };
        let evidence = Evidence { checker: &checker, formulas, sets: &sets };
        let last = BranchingId(sets.len() as u32 - 1);
        let bad = self.space.initial.and(checker.fair()?)?.minus(root)?;
        if let Some(start) = self.space.pick(&bad) {
            let run = evidence.show(vec![start], last, false)?;
            let shortest =
                matches!(formulas, [Branching::Atom(_), Branching::Always(narrows_logic::Paths::All, _)]);
            return Ok(self.failing(question, Some(specification), Some(run), shortest));
        }
        let mut answer = Answer::new(question.clone(), Verdict::Holds);
        let good = self.space.initial.and(checker.fair()?)?;
        if let Some(start) = self.space.pick(&good) {
            let run = evidence.show(vec![start], last, true)?;
            if run.states.len() > 1 || run.cycle.is_some() {
                answer.witness = run.replay(&self.reference, Some(specification)).map(Box::new);
            }
        }
        self.caution(&mut answer)?;
        Ok(answer)
    }

    /// Finds out whether something holds in all states: those that can be reached are known already.
    fn always(
        &self,
        question: &Question,
        specification: &Specification,
        checker: &CtlChecker<'_>,
        formulas: &[Branching],
        one: BranchingId,
    ) -> Result<Answer> {
        if crate::ctl::constant(self.system, formulas, one) == Some(true) {
            let mut answer = Answer::new(question.clone(), Verdict::Holds);
            self.caution(&mut answer)?;
            return Ok(answer);
        }
        let sets = checker.evaluate(formulas)?;
        let bad = self.reached.all.minus(&sets[one.0 as usize])?;
        let bad = if bad.is_false() { bad } else { bad.and(checker.fair()?)? };
        let Some(Lead { path, shortest }) = self.space.lead(&self.reached, &bad)? else {
            let mut answer = Answer::new(question.clone(), Verdict::Holds);
            self.caution(&mut answer)?;
            return Ok(answer);
        };
        let length = path.len();
        let evidence = Evidence { checker, formulas, sets: &sets };
        let run = evidence.show(path, one, false)?;
        let shortest = shortest && run.states.len() == length && run.cycle.is_none();
        Ok(self.failing(question, Some(specification), Some(run), shortest))
    }

    fn linear(
        &self,
        question: &Question,
        specification: &Specification,
        formulas: &[Linear],
    ) -> Result<Answer> {
        let Against::Something(run) = self.against(formulas)? else {
            let mut answer = Answer::new(question.clone(), Verdict::Holds);
            self.caution(&mut answer)?;
            return Ok(answer);
        };
        let run = run.filter(|run| holds_on(formulas, &self.reference, run) == Some(false));
        let run = run.map(|run| shortened(formulas, &self.reference, run));
        Ok(self.failing(question, Some(specification), run, false))
    }

    /// Looks for a fair run on which a formula is false.
    fn against(&self, formulas: &[Linear]) -> Result<Against> {
        let product = product(self.system, formulas);
        let guesses = product.system.variables.len() - self.system.variables.len();
        let is_most = guesses > MANY_GUESSES.max(self.system.variables.len());
        let (mut space, fairness) = if is_most && self.system.selector.is_none() {
            // Where the formula is most of it, the order of variables is found with it in mind.
            let whole = product.into_system();
            let space = Space::new(&whole, self.space.manager().clone(), &Order::first(&whole))?;
            let fairness = fairness(&whole, &space)?;
            (space, fairness)
        } else {
            self.space.with_product(&product, self.system, &self.reached.all)?
        };
        let all = space.reach()?.all;
        space.settle(&all)?;
        let core = space.core(&all, &fairness)?;
        if core.is_false() {
            return Ok(Against::Nothing);
        }
        // From some initial state to the core, which holds all that is on or before a fair cycle but for
        // compassion.
        let states = core.exists(&space.inputs)?;
        let leading = space.leading(&all, &states, false)?;
        let Some(start) = space.pick(&space.initial.and(&leading)?) else { return Ok(Against::Nothing) };
        let mut path = vec![start];
        let anywhere = space.manager().truth(true);
        if !space.go(&mut path, &anywhere, &states)? {
            return Ok(Against::Something(None));
        }
        let Some(mut run) = space.lasso(path, &core, &fairness)? else { return Ok(Against::Something(None)) };
        for state in &mut run.states {
            state.truncate(self.system.variables.len());
        }
        Ok(Against::Something(Some(run)))
    }
}

/// What was found against a formula.
enum Against {
    /// There is no fair run on which it is false.
    Nothing,
    /// There is one; this, if it could be made.
    Something(Option<Run>),
}

/// Returns what makes a run fair.
fn fairness(system: &SynchronousSystem, space: &Space) -> Result<Fairness> {
    let mut fairness = Fairness::default();
    for justice in &system.justice {
        let set = space.states(system, *justice)?;
        fairness.with_justice(space, set);
    }
    for (first, second) in &system.compassion {
        let (first, second) = (space.states(system, *first)?, space.states(system, *second)?);
        fairness.with_compassion(space, first, second);
    }
    Ok(fairness)
}

fn refused(question: &Question, reason: &str) -> Reply {
    Answer::new(question.clone(), Verdict::Refused(Refusal::new(reason))).into()
}
