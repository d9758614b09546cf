//! Questions about systems of processes, answered set by set: as synchronous systems, whose runs are replayed
//! in the system's own evaluator.
//!
//! A synchronous system is made for how far states were seen to extend. If one that can be reached leads
//! further, what follows it is looked at, and all is done again with a larger synchronous system: see
//! [`narrows_model::flatten`].

use std::cell::RefCell;
use std::ops::ControlFlow;
use std::rc::Rc;

use narrows_model::flatten::{Ending, Extent, Flat, Refused, accepts};
use narrows_model::synchronous::{ExprId, Reference};
use narrows_model::{
    Answer, Atom, Claim, Evaluator, Expansion, Expr, Figure, FigureResult, Limit, Question, Refusal, Reply,
    Scratch, StateSpace, Trace, Verdict, Violation, ViolationKind,
};

use crate::bdd::{Manager, Watch};
use crate::check::{Engine, answer_all, bounds_with};
use crate::{Budget, Size, Way};

/// What came out of questions about a system.
#[derive(Debug)]
pub struct Decided {
    /// The answers, in the order of the questions.
    pub answers: Vec<Answer>,
    /// What was found out about the states.
    pub size: Option<Size>,
    /// Bytes that were used.
    pub bytes: u64,
    /// Why not everything was found out.
    pub limit: Option<Limit>,
}

/// What came out of a search for bounds.
#[derive(Debug)]
pub struct Bounded {
    /// The least and the most, in steps, and of each that is counted.
    pub figures: Vec<Figure>,
    /// What was found out about the states.
    pub size: Option<Size>,
    /// Bytes that were used.
    pub bytes: u64,
}

/// A way between two predicates.
#[derive(Clone, Debug)]
pub struct ProcessWay {
    /// Where it begins.
    pub from: (Expr, String),
    /// Where it ends.
    pub to: (Expr, String),
    /// What is counted on it, with its text.
    pub counted: Vec<(Expr, String)>,
}

/// What a question is to the synchronous system.
enum Plan {
    /// A claim, with what makes it meaningless.
    Claim(usize, ExprId),
    Refused(String),
}

/// A limit, while one and the same watch goes from synchronous system to synchronous system.
struct Means {
    memory: u64,
    watch: Rc<RefCell<Watch>>,
    /// What the watch said when states were looked at one by one.
    limit: Option<Limit>,
}

impl Means {
    fn new(budget: Budget) -> Means {
        Means { memory: budget.memory, watch: Rc::new(RefCell::new(budget.watch)), limit: None }
    }

    fn manager(&self) -> Manager {
        let watch = Rc::clone(&self.watch);
        Manager::new(self.memory, Box::new(move |bytes| (watch.borrow_mut())(bytes)))
    }

    fn go_on(&mut self) -> bool {
        self.limit = self.limit.or((self.watch.borrow_mut())(0));
        self.limit.is_none()
    }
}

/// How often a synchronous system is made larger.
const ROUNDS: usize = 60;

/// Answers questions about a system.
pub fn check_processes(
    evaluator: &Evaluator<'_>,
    questions: &[Question],
    budget: Budget,
) -> Result<Decided, Refused> {
    accepts(evaluator)?;
    let depth = budget.depth;
    let mut means = Means::new(budget);
    let mut prepare = |flat: &mut Flat<'_>| -> Result<Vec<Plan>, Refused> {
        questions.iter().map(|question| plan(evaluator, flat, question)).collect()
    };
    let found =
        settle(evaluator, &mut means, Ending::Stay, &mut prepare, &|flat, plans, engine, manager| {
            let synchronous = flat.synchronous();
            let engine = engine.map(|engine| (unfit(&engine, plans), engine));
            let asked: Vec<Question> = plans
                .iter()
                .filter_map(|plan| match plan {
                    Plan::Claim(index, _) => {
                        Some(Question::Property { index: *index, kind: "", name: String::new() })
                    }
                    Plan::Refused(_) => None,
                })
                .collect();
            let (unfit, engine) = match engine {
                Ok((unfit, engine)) => (unfit, Ok(engine)),
                Err(limit) => (Ok(Vec::new()), Err(limit)),
            };
            let checked = answer_all(engine, synchronous, &asked, (manager, depth), &mut |_, _| true);
            let mut replies = checked.results.into_iter();
            let (mut answers, mut limit) = (Vec::new(), checked.limit);
            let reference = Reference::new(synchronous);
            for (number, (question, plan)) in questions.iter().zip(plans).enumerate() {
                let verdict = |verdict| Answer::new(question.clone(), verdict);
                let answer = match plan {
                    Plan::Refused(reason) => verdict(refusal(reason)),
                    Plan::Claim(..) => match (replies.next(), &unfit) {
                        (_, Ok(unfit)) if unfit.contains(&number) => {
                            verdict(refusal("A proposition has no value in some state that can be reached."))
                        }
                        (Some(Reply::Answer(answer)), Ok(_)) => {
                            let back = Back { evaluator, flat, reference: &reference };
                            back.answer(question, *answer)
                        }
                        (_, Err(hit)) => {
                            limit = limit.or(Some(*hit));
                            verdict(Verdict::Undecided(*hit))
                        }
                        _ => verdict(refusal(CONTRADICTION)),
                    },
                };
                answers.push(answer);
            }
            Decided { answers, size: checked.size, bytes: checked.bytes, limit }
        })?;
    Ok(found.unwrap_or_else(|limit| Decided {
        answers: questions
            .iter()
            .map(|question| Answer::new(question.clone(), Verdict::Undecided(limit)))
            .collect(),
        size: None,
        bytes: 0,
        limit: Some(limit),
    }))
}

/// What goes wrong, and in a step from which state.
pub type Trouble = (Option<Violation>, Vec<u8>);

/// What there is in a system.
#[derive(Debug)]
pub struct Surveyed {
    /// What goes wrong in a step from a state, each place once; without a violation, nothing can move there,
    /// and should.
    pub problems: Vec<Trouble>,
    /// What was found out about the states.
    pub size: Option<Size>,
    /// Bytes that were used.
    pub bytes: u64,
    /// Why not everything was found out.
    pub limit: Option<Limit>,
}

/// Counts the states of a system, and finds what goes wrong in them.
pub fn explore_processes(evaluator: &Evaluator<'_>, budget: Budget) -> Result<Surveyed, Refused> {
    accepts(evaluator)?;
    let mut means = Means::new(budget);
    let mut prepare = |_: &mut Flat<'_>| Ok(());
    let found = settle(evaluator, &mut means, Ending::Stay, &mut prepare, &|flat, (), engine, manager| {
        let found =
            engine.as_ref().map_err(|limit| *limit).and_then(|engine| problems(evaluator, flat, engine));
        let checked = answer_all(engine, flat.synchronous(), &[], (manager, false), &mut |_, _| true);
        let limit = checked.limit.or(found.as_ref().err().copied());
        let problems = found.unwrap_or(Some(Vec::new()));
        problems.map(|problems| Surveyed { problems, size: checked.size, bytes: checked.bytes, limit })
    })?;
    let contradiction = || Refused { reason: CONTRADICTION.to_owned(), span: None };
    match found {
        Ok(found) => found.ok_or_else(contradiction),
        Err(limit) => Ok(Surveyed { problems: Vec::new(), size: None, bytes: 0, limit: Some(limit) }),
    }
}

/// Finds a state for each thing that goes wrong; `None` if the evaluator does not confirm one.
fn problems(
    evaluator: &Evaluator<'_>,
    flat: &Flat<'_>,
    engine: &Engine<'_>,
) -> Result<Option<Vec<Trouble>>, Limit> {
    let mut list: Vec<Trouble> = Vec::new();
    for hazard in &flat.hazards {
        let meant = hazard.violation;
        let is_same = |other: &Violation| other.kind == meant.kind && other.span == meant.span;
        if list.iter().any(|(known, _)| known.as_ref().is_some_and(is_same)) {
            continue;
        }
        let Some(values) = engine.reached_where(hazard.condition)? else { continue };
        let state = flat.state(&values);
        let mut found: Option<Violation> = None;
        evaluator.successors(&state, &mut Scratch::default(), &mut |successor| {
            for violation in successor.violations.iter().filter(|violation| violation.kind == meant.kind) {
                found = Some(found.filter(is_same).unwrap_or(*violation));
            }
            ControlFlow::Continue(())
        });
        if found.is_none() {
            return Ok(None);
        }
        list.push((found, state));
    }
    if let Some(values) = engine.reached_where(flat.deadlock)? {
        let state = flat.state(&values);
        let nothing = &mut |_: narrows_model::Successor<'_>| ControlFlow::Continue(());
        if evaluator.successors(&state, &mut Scratch::default(), nothing) != Expansion::Deadlock {
            return Ok(None);
        }
        list.push((None, state));
    }
    Ok(Some(list))
}

/// Finds the least and the most steps, and counts, on the ways between two predicates.
pub fn bounds_of_processes(
    evaluator: &Evaluator<'_>,
    way: &ProcessWay,
    budget: Budget,
) -> Result<Bounded, Refused> {
    accepts(evaluator)?;
    let mut means = Means::new(budget);
    let name = format!("{} → {}", way.from.1, way.to.1);
    let texts = [&way.from, &way.to].into_iter().chain(&way.counted);
    let mut prepare = |flat: &mut Flat<'_>| -> Result<Vec<(ExprId, ExprId)>, Refused> {
        texts.clone().map(|(expr, _)| flat.predicate(expr)).collect()
    };
    let found = settle(
        evaluator,
        &mut means,
        Ending::Stop,
        &mut prepare,
        &|flat, found, engine, manager| {
            let faulty = engine.as_ref().ok().and_then(|engine| {
                let wrong = |(_, wrong): &(ExprId, ExprId)| !matches!(engine.reached_where(*wrong), Ok(None));
                found.iter().position(wrong)
            });
            let counted = found[2..]
                .iter()
                .map(|(holds, _)| *holds)
                .zip(way.counted.iter().map(|(_, text)| text.clone()));
            let asked =
                Way { from: found[0].0, to: found[1].0, counted: counted.collect(), name: name.clone() };
            let checked = bounds_with(engine.map(Engine::counting_finite), &asked, manager);
            let reference = Reference::new(flat.synchronous());
            let back = Back { evaluator, flat, reference: &reference };
            let never_begins = checked.results.iter().any(|reply| {
            matches!(reply, Reply::Figure(figure) if figure.kind == "max_delay" && matches!(figure.result, FigureResult::None(_)))
        });
            let mut figures = Vec::new();
            for reply in checked.results {
                let Reply::Figure(figure) = reply else { continue };
                let mut figure = back.figure(*figure);
                if let Some(text) = faulty.and_then(|index| texts.clone().nth(index)) {
                    let reason = format!("`{}` goes wrong in a state.", text.1);
                    figure.result = FigureResult::None(reason);
                    figure.witnesses.clear();
                } else if never_begins {
                    let reason = format!("`{}` never holds, so that nothing begins.", way.from.1);
                    figure.result = FigureResult::None(reason);
                    figure.witnesses.clear();
                }
                figures.push(figure);
            }
            Bounded { figures, size: checked.size, bytes: checked.bytes }
        },
    )?;
    Ok(found.unwrap_or_else(|limit| {
        // Without a synchronous system, an engine that hit the limit at once says what is undecided.
        let manager = means.manager();
        let none = way.counted.iter().map(|(_, text)| (ExprId(0), text.clone())).collect();
        let asked = Way { from: ExprId(0), to: ExprId(0), counted: none, name: name.clone() };
        let checked = bounds_with(Err(limit), &asked, &manager);
        let figures = checked.results.into_iter().filter_map(|reply| match reply {
            Reply::Figure(figure) => Some(*figure),
            Reply::Answer(_) => None,
        });
        Bounded { figures: figures.collect(), size: None, bytes: 0 }
    }))
}

/// A run that the evaluator does not confirm.
const CONTRADICTION: &str =
    "the run that should show it is none: this is a mistake in narrows, not in the model";

fn refusal(reason: &str) -> Verdict {
    Verdict::Refused(Refusal { reason: reason.to_owned() })
}

/// Uses an engine for a synchronous system that has all states.
type Use<'u, P, T> = &'u dyn Fn(&Flat<'_>, &P, std::result::Result<Engine<'_>, Limit>, &Manager) -> T;

/// Makes synchronous systems, each larger than the one before, until one has all states; then uses it. The
/// inner error is a limit that was hit before there was a synchronous system.
fn settle<P, T>(
    evaluator: &Evaluator<'_>,
    means: &mut Means,
    ending: Ending,
    prepare: &mut dyn FnMut(&mut Flat<'_>) -> Result<P, Refused>,
    then: Use<'_, P, T>,
) -> Result<Result<T, Limit>, Refused> {
    let mut extent = Extent::scout(evaluator, &mut || means.go_on());
    for _ in 0..ROUNDS {
        if let Some(limit) = means.limit {
            return Ok(Err(limit));
        }
        let watch = Rc::clone(&means.watch);
        let go_on = Rc::new(move || (watch.borrow_mut())(0).is_none());
        let made = Flat::new(evaluator, &extent, ending, go_on);
        if !means.go_on()
            && let Some(limit) = means.limit
        {
            return Ok(Err(limit));
        }
        let mut flat = made?;
        let plans = prepare(&mut flat)?;
        let manager = means.manager();
        let engine = Engine::new(flat.synchronous(), manager.clone());
        let outside = engine.and_then(|engine| Ok((outside(&engine, &flat)?, engine)));
        match outside {
            Ok((None, engine)) => return Ok(Ok(then(&flat, &plans, Ok(engine), &manager))),
            Err(limit) => return Ok(Ok(then(&flat, &plans, Err(limit), &manager))),
            Ok((Some(state), engine)) => {
                drop(engine);
                let grew = extent.widen(evaluator, &state, &mut || means.go_on());
                if !grew && means.limit.is_none() {
                    return Err(Refused { reason: CONTRADICTION.to_owned(), span: None });
                }
            }
        }
    }
    let reason = "Values go on growing, or there are ever more processes.".to_owned();
    Err(Refused { reason, span: None })
}

/// Returns a state from which a step leads to where the synchronous system has no states.
fn outside(engine: &Engine<'_>, flat: &Flat<'_>) -> Result<Option<Vec<u8>>, Limit> {
    for condition in &flat.beyond {
        if let Some(values) = engine.reached_where(*condition)? {
            return Ok(Some(flat.state(&values)));
        }
    }
    Ok(None)
}

/// Returns which questions make no sense, as a proposition goes wrong somewhere.
fn unfit(engine: &Engine<'_>, plans: &[Plan]) -> Result<Vec<usize>, Limit> {
    let mut list = Vec::new();
    for (number, plan) in plans.iter().enumerate() {
        if let Plan::Claim(_, wrong) = plan
            && engine.reached_where(*wrong)?.is_some()
        {
            list.push(number);
        }
    }
    Ok(list)
}

/// Adds what a question asks to the claims of a synchronous system.
fn plan(evaluator: &Evaluator<'_>, flat: &mut Flat<'_>, question: &Question) -> Result<Plan, Refused> {
    let asserts = |kind: ViolationKind| kind == ViolationKind::Assertion;
    let condition = flat.any_hazard(|_| false);
    let never = |flat: &mut Flat<'_>, bad: ExprId| Plan::Claim(flat.add_never(bad), condition);
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
            Plan::Claim(flat.add_not_always_again(accepting), condition)
        }
        Question::Progress => {
            // A run that ends is no endless run without progress.
            let progress = flat.anybody_at(|location| location.is_progress);
            let over = flat.over;
            let either = flat.either(progress, over);
            Plan::Claim(flat.add_always_again(either), condition)
        }
        Question::Property { index, .. } => match evaluator.system().properties.get(*index) {
            None => Plan::Refused("There is no such property.".to_owned()),
            Some(property) => match flat.add_claim(&property.claim)? {
                Some(claim) => Plan::Claim(claim.index, claim.wrong),
                None => Plan::Refused(
                    "Never claims and traces are followed state by state: leave --engine symbolic out."
                        .to_owned(),
                ),
            },
        },
        _ => Plan::Refused("Sets of states do not answer this question.".to_owned()),
    })
}

/// Leads back from the synchronous system to the system.
struct Back<'a> {
    evaluator: &'a Evaluator<'a>,
    flat: &'a Flat<'a>,
    reference: &'a Reference<'a>,
}

impl Back<'_> {
    /// Makes an answer about the synchronous system into one about the system.
    fn answer(&self, question: &Question, answer: Answer) -> Answer {
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
                let nothing = &mut |_: narrows_model::Successor<'_>| ControlFlow::Continue(());
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

    /// Returns the states of a run of the synchronous system.
    fn states(&self, trace: &Trace) -> Vec<Vec<u8>> {
        let states = std::iter::once(&trace.initial).chain(trace.steps.iter().map(|step| &step.state));
        states.map(|state| self.flat.state(&self.reference.unpack(state))).collect()
    }

    /// Replays a run, also an endless one.
    fn replayed(&self, trace: &Trace) -> Option<Trace> {
        let mut states = self.states(trace);
        // Where the system can't go on, the synchronous system stays; the run is over there.
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

    /// Makes a figure about the synchronous system into one about the system.
    fn figure(&self, mut figure: Figure) -> Figure {
        figure.view = "untimed";
        if figure.kind.ends_with("count") {
            "states".clone_into(&mut figure.unit);
        }
        let mut witnesses = Vec::new();
        for (_, trace) in std::mem::take(&mut figure.witnesses) {
            match self.replayed(&trace) {
                Some(trace) => {
                    let what = match (&figure.result, trace.cycle) {
                        (FigureResult::Value { low: narrows_model::Number::Infinity, .. }, Some(_)) => {
                            "a run that goes round for ever"
                        }
                        (FigureResult::Value { low: narrows_model::Number::Infinity, .. }, None) => {
                            "a run that stops"
                        }
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
