//! Questions about systems of processes, answered symbolically: as synchronous systems made by
//! [`narrows_model::flatten`].
//!
//! `widening` makes a synchronous system that has all reachable states, `questions` turns questions into its
//! claims, `replay` leads runs back to the processes and has them confirmed by their evaluator, `problems`
//! finds what goes wrong.

mod problems;
mod questions;
mod replay;
mod widening;

use narrows_model::flatten::{Ending, Flat, Refused, accepts};
use narrows_model::synchronous::{ExprId, Reference};
use narrows_model::{
    Answer, Budget, Checked, Evaluator, Expr, FigureResult, Limit, Question, Refusal, Reply, Verdict,
};

use self::problems::problems;
pub use self::questions::accepts_question;
use self::questions::{AskedClaim, plan, unfit};
use self::replay::Replay;
use self::widening::{Resources, widen_until_complete};
use crate::Way;
use crate::check::{Engine, answer_all, bounds_with, coverage};

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

/// Answers questions about processes.
pub fn check_processes(
    evaluator: &Evaluator<'_>,
    questions: &[Question],
    budget: &Budget,
) -> Result<Checked, Refused> {
    accepts(evaluator)?;
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
            let checked = answer_all(engine, system, &asked, (manager, false), &mut |_, _| true);
            let mut found = checked.replies.into_iter();
            let (mut replies, mut limit) = (Vec::new(), checked.limit);
            let reference = Reference::new(system);
            for (number, (question, plan)) in questions.iter().zip(plans).enumerate() {
                let verdict = |verdict| Answer::new(question.clone(), verdict);
                let answer = match plan {
                    AskedClaim::Refused(reason) => verdict(refusal(reason)),
                    AskedClaim::Claim(..) => match (found.next(), &unfit) {
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
                replies.push(answer.into());
            }
            Checked { replies, limit, coverage: checked.coverage, ..Checked::default() }
        },
    )?;
    let undecided = |limit| {
        let answer = |question: &Question| Answer::new(question.clone(), Verdict::Undecided(limit)).into();
        Checked { replies: questions.iter().map(answer).collect(), ..nothing(limit) }
    };
    Ok(found.unwrap_or_else(undecided))
}

/// Counts the states of processes, and finds what goes wrong in them.
pub fn explore_processes(evaluator: &Evaluator<'_>, budget: &Budget) -> Result<Checked, Refused> {
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
            problems.map(|problems| Checked { problems, limit, ..checked })
        },
    )?;
    let contradiction = || Refused { reason: CONTRADICTION.to_owned(), span: None };
    match found {
        Ok(found) => found.ok_or_else(contradiction),
        Err(limit) => Ok(nothing(limit)),
    }
}

/// What came out if a limit was hit before there was a system.
fn nothing(limit: Limit) -> Checked {
    Checked { coverage: coverage(None, 0), limit: Some(limit), ..Checked::default() }
}

/// Finds the least and the most steps, and counts, on the ways between two predicates.
pub fn bounds_of_processes(
    evaluator: &Evaluator<'_>,
    way: &ProcessWay,
    budget: &Budget,
) -> Result<Checked, Refused> {
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
            let mut checked = bounds_with(engine.map(Engine::counting_finite), &asked, manager);
            let reference = Reference::new(flat.synchronous());
            let replay = Replay { evaluator, flat, reference: &reference };
            let never_begins = checked.replies.iter().any(|reply| {
                let Reply::Figure(figure) = reply else { return false };
                figure.kind == "max_delay" && matches!(figure.result, FigureResult::None(_))
            });
            for reply in &mut checked.replies {
                let Reply::Figure(figure) = reply else { continue };
                **figure = replay.figure((**figure).clone());
                if let Some(text) = faulty.and_then(|index| texts.clone().nth(index)) {
                    let reason = format!("`{}` goes wrong in a state.", text.1);
                    figure.result = FigureResult::None(reason);
                    figure.witnesses.clear();
                } else if never_begins {
                    let reason = format!("`{}` never holds, so that nothing begins.", way.from.1);
                    figure.result = FigureResult::None(reason);
                    figure.witnesses.clear();
                }
            }
            checked
        },
    )?;
    Ok(found.unwrap_or_else(|limit| {
        // Without a system, an engine that hit the limit at once says what is undecided.
        let manager = resources.manager();
        let none = way.counted.iter().map(|(_, text)| (ExprId(0), text.clone())).collect();
        let asked = Way { from: ExprId(0), to: ExprId(0), counted: none, name: name.clone() };
        Checked { coverage: coverage(None, 0), ..bounds_with(Err(limit), &asked, &manager) }
    }))
}

/// A run that the evaluator does not confirm.
const CONTRADICTION: &str = "the run that should show it is none: this is a bug in narrows, not in the model";

fn refusal(reason: &str) -> Verdict {
    Verdict::Refused(Refusal::new(reason))
}
