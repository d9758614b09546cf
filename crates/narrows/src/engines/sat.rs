//! By satisfiability: synchronous systems that no decision diagram holds.

use narrows_model::{FormKind, Model, Question, Refusal};

use super::synchronous;
use crate::{Budget, CheckOptions, Checked, Engine, Feature, Unanswered};

/// The engine, in one of its ways.
pub(crate) struct Sat(pub(crate) narrows_sat::Engine);

impl Engine for Sat {
    fn name(&self) -> &'static str {
        self.0.name()
    }

    fn forms(&self) -> &'static [FormKind] {
        &[FormKind::Synchronous]
    }

    fn features(&self, _: FormKind) -> &'static [Feature] {
        &[]
    }

    fn accepts_question(
        &self,
        model: &Model,
        question: &Question,
        _: &CheckOptions<'_>,
    ) -> Result<(), Refusal> {
        narrows_sat::accepts(synchronous(model)?, question)
    }

    fn answer(
        &self,
        model: &Model,
        questions: &[Question],
        _: &CheckOptions<'_>,
        budget: &Budget,
    ) -> Result<Checked, Unanswered> {
        Ok(narrows_sat::check(synchronous(model)?, questions, self.0, budget, &mut |_, _| true))
    }
}
