//! Set by set: synchronous systems, and processes whose variables are known beforehand.

use narrows_model::flatten::Refused;
use narrows_model::{Coverage, Evaluator, Model, Question, Refusal, Reply, SetSize, Verdict};
use narrows_symbolic::{Size, accepts_question, check_ordered, check_processes};

use super::explicit::replies;
use super::{refuse_messages, refuse_order, refuse_search_options, synchronous_question, wrong_form};
use crate::{Budget, CheckOptions, Checked, Engine, Unanswered};

/// The engine.
pub(crate) struct Symbolic;

const WHO: &str = "`symbolic`";

impl Engine for Symbolic {
    fn name(&self) -> &'static str {
        "symbolic"
    }

    fn accepts_model(&self, model: &Model, options: &CheckOptions<'_>) -> Result<(), Refusal> {
        if model.labelled().is_some() {
            return Err(wrong_form(model, WHO, "SMV and Promela models"));
        }
        if model.processes().is_some() {
            refuse_order(options, "an encoding of processes")?;
        }
        refuse_messages(model, options)?;
        refuse_search_options(options, WHO)
    }

    fn accepts_question(
        &self,
        model: &Model,
        question: &Question,
        _: &CheckOptions<'_>,
    ) -> Result<(), Refusal> {
        match model.processes() {
            Some(system) => accepts_question(system, question),
            None => synchronous_question(model, question),
        }
    }

    fn answer(
        &self,
        model: &Model,
        questions: &[Question],
        options: &CheckOptions<'_>,
        budget: &Budget,
    ) -> Result<Checked, Unanswered> {
        if let Some(system) = model.processes() {
            let found = check_processes(&Evaluator::new(system), questions, budget.symbolic());
            let found = found.map_err(refused)?;
            return Ok(Checked {
                replies: replies(found.answers),
                coverage: coverage(found.size.as_ref(), found.bytes),
                limit: found.limit,
                ..Checked::default()
            });
        }
        let system = model
            .synchronous()
            .ok_or_else(|| Unanswered::Refused(wrong_form(model, WHO, "SMV and Promela models")))?;
        let (mut checked, order) = check_ordered(system, questions, budget.symbolic(), options.order);
        mark(&mut checked.results, "symbolic");
        Ok(Checked {
            replies: checked.results,
            coverage: coverage(checked.size.as_ref(), checked.bytes),
            limit: checked.limit,
            order: order.filter(|_| options.wants_order),
            ..Checked::default()
        })
    }
}

/// Tells what was covered.
pub(crate) fn coverage(size: Option<&Size>, bytes: u64) -> Coverage {
    let set = |size: &Size| SetSize {
        states: Some(size.states.to_string()),
        bits: size.bits,
        depth: size.diameter,
    };
    let none = || SetSize { states: None, bits: 0, depth: None };
    Coverage { sets: Some(size.map_or_else(none, set)), bytes, ..Coverage::default() }
}

/// Says why processes can't be answered so.
pub(crate) fn refused(refused: Refused) -> Unanswered {
    Unanswered::Refused(Refusal { reason: refused.reason, span: refused.span })
}

/// Notes which engine gave answers.
pub(super) fn mark(replies: &mut [Reply], engine: &'static str) {
    for reply in replies {
        if let Reply::Answer(answer) = reply
            && !matches!(answer.verdict, Verdict::Undecided(_) | Verdict::Refused(_))
        {
            answer.engine = Some(engine);
        }
    }
}
