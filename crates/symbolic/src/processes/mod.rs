//! Questions about systems of processes, answered symbolically: as synchronous systems made by
//! [`narrows_model::flatten`].
//!
//! `widening` makes a system that has all reachable states, `questions` turns questions into its claims,
//! `replay` leads runs back to the system and has them confirmed by its evaluator, `survey` finds what goes
//! wrong.

mod questions;
mod replay;
mod survey;
mod widening;

use narrows_model::flatten::{Ending, Flat, Refused, accepts};
use narrows_model::synchronous::{ExprId, Reference};
use narrows_model::{
    Answer, Evaluator, Expr, Figure, FigureResult, Limit, Question, Refusal, Reply, Verdict, Violation,
};

pub use self::questions::accepts_question;
use self::questions::{AskedClaim, plan, unfit};
use self::replay::Replay;
use self::survey::problems;
use self::widening::{Resources, widen_until_complete};
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

/// Answers questions about a system.
pub fn check_processes(
    evaluator: &Evaluator<'_>,
    questions: &[Question],
    budget: Budget,
) -> Result<Decided, Refused> {
    accepts(evaluator)?;
    let depth = budget.depth;
    let mut resources = Resources::new(budget);
    let mut prepare = |flat: &mut Flat<'_>| -> Result<Vec<AskedClaim>, Refused> {
        questions.iter().map(|question| plan(evaluator, flat, question)).collect()
    };
    let found = widen_until_complete(
        evaluator,
        &mut resources,
        Ending::Stay,
        &mut prepare,
        &|flat, plans, engine, manager| {
            let system = flat.synchronous();
            let engine = engine.map(|engine| (unfit(&engine, plans), engine));
            let asked: Vec<Question> = plans
                .iter()
                .filter_map(|plan| match plan {
                    AskedClaim::Claim(index, _) => {
                        Some(Question::Property { index: *index, kind: "", name: String::new() })
                    }
                    AskedClaim::Refused(_) => None,
                })
                .collect();
            let (unfit, engine) = match engine {
                Ok((unfit, engine)) => (unfit, Ok(engine)),
                Err(limit) => (Ok(Vec::new()), Err(limit)),
            };
            let checked = answer_all(engine, system, &asked, (manager, depth), &mut |_, _| true);
            let mut replies = checked.results.into_iter();
            let (mut answers, mut limit) = (Vec::new(), checked.limit);
            let reference = Reference::new(system);
            for (number, (question, plan)) in questions.iter().zip(plans).enumerate() {
                let verdict = |verdict| Answer::new(question.clone(), verdict);
                let answer = match plan {
                    AskedClaim::Refused(reason) => verdict(refusal(reason)),
                    AskedClaim::Claim(..) => match (replies.next(), &unfit) {
                        (_, Ok(unfit)) if unfit.contains(&number) => {
                            verdict(refusal("A proposition has no value in some state that can be reached."))
                        }
                        (Some(Reply::Answer(answer)), Ok(_)) => {
                            let replay = Replay { evaluator, flat, reference: &reference };
                            replay.answer(question, *answer)
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
        },
    )?;
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
    let mut resources = Resources::new(budget);
    let mut prepare = |_: &mut Flat<'_>| Ok(());
    let found = widen_until_complete(
        evaluator,
        &mut resources,
        Ending::Stay,
        &mut prepare,
        &|flat, (), engine, manager| {
            let found =
                engine.as_ref().map_err(|limit| *limit).and_then(|engine| problems(evaluator, flat, engine));
            let checked = answer_all(engine, flat.synchronous(), &[], (manager, false), &mut |_, _| true);
            let limit = checked.limit.or(found.as_ref().err().copied());
            let problems = found.unwrap_or(Some(Vec::new()));
            problems.map(|problems| Surveyed { problems, size: checked.size, bytes: checked.bytes, limit })
        },
    )?;
    let contradiction = || Refused { reason: CONTRADICTION.to_owned(), span: None };
    match found {
        Ok(found) => found.ok_or_else(contradiction),
        Err(limit) => Ok(Surveyed { problems: Vec::new(), size: None, bytes: 0, limit: Some(limit) }),
    }
}

/// Finds the least and the most steps, and counts, on the ways between two predicates.
pub fn bounds_of_processes(
    evaluator: &Evaluator<'_>,
    way: &ProcessWay,
    budget: Budget,
) -> Result<Bounded, Refused> {
    accepts(evaluator)?;
    let mut resources = Resources::new(budget);
    let name = format!("{} → {}", way.from.1, way.to.1);
    let texts = [&way.from, &way.to].into_iter().chain(&way.counted);
    let mut prepare = |flat: &mut Flat<'_>| -> Result<Vec<(ExprId, ExprId)>, Refused> {
        texts.clone().map(|(expr, _)| flat.predicate(expr)).collect()
    };
    let found = widen_until_complete(
        evaluator,
        &mut resources,
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
            let replay = Replay { evaluator, flat, reference: &reference };
            let never_begins = checked.results.iter().any(|reply| {
                let Reply::Figure(figure) = reply else { return false };
                figure.kind == "max_delay" && matches!(figure.result, FigureResult::None(_))
            });
            let mut figures = Vec::new();
            for reply in checked.results {
                let Reply::Figure(figure) = reply else { continue };
                let mut figure = replay.figure(*figure);
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
        // Without a system, an engine that hit the limit at once says what is undecided.
        let manager = resources.manager();
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
    Verdict::Refused(Refusal::new(reason))
}
