//! Set by set: synchronous systems, and processes whose variables are known beforehand.

use narrows_model::flatten::Refused;
use narrows_model::{Evaluator, FormKind, Model, Question, Refusal};
use narrows_symbolic::{Options, accepts_question, check, check_processes};

use super::{synchronous, synchronous_question};
use crate::{Budget, CheckOptions, Checked, Engine, Feature, Unanswered};

/// The engine.
pub(crate) struct Symbolic;

impl Engine for Symbolic {
    fn name(&self) -> &'static str {
        "symbolic"
    }

    fn forms(&self) -> &'static [FormKind] {
        &[FormKind::Synchronous, FormKind::Processes]
    }

    fn features(&self, form: FormKind) -> &'static [Feature] {
        if form == FormKind::Synchronous { &[Feature::VariableOrder] } else { &[] }
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
        let how = Options { order: options.order, found_order: options.found_order, depth: false };
        Ok(check(synchronous(model)?, questions, &how, budget))
    }
}

/// Says why processes can't be answered so.
pub(crate) fn refused(refused: Refused) -> Unanswered {
    Unanswered::Refused(Refusal { reason: refused.reason, span: refused.span })
}
