//! Set by set: synchronous systems, and processes whose variables are known beforehand.

use narrows_model::flatten::Refused;
use narrows_model::{Evaluator, Model, Question, Refusal};
use narrows_symbolic::{Options, accepts_question, check, check_processes};

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
            return check_processes(&Evaluator::new(system), questions, budget).map_err(refused);
        }
        let system = model
            .synchronous()
            .ok_or_else(|| Unanswered::Refused(wrong_form(model, WHO, "SMV and Promela models")))?;
        let how = Options { order: options.order, found_order: options.found_order, depth: false };
        Ok(check(system, questions, &how, budget))
    }
}

/// Says why processes can't be answered so.
pub(crate) fn refused(refused: Refused) -> Unanswered {
    Unanswered::Refused(Refusal { reason: refused.reason, span: refused.span })
}
