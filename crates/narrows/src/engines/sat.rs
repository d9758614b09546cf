//! By satisfiability: synchronous systems that no decision diagram holds.

use narrows_model::{Model, Question, Refusal};

use super::{refuse_messages, refuse_order, refuse_search_options, wrong_form};
use crate::{Budget, CheckOptions, Checked, Engine, Unanswered};

/// The engine, in one of its ways.
pub(crate) struct Sat(pub(crate) narrows_sat::Engine);

impl Engine for Sat {
    fn name(&self) -> &'static str {
        self.0.name()
    }

    fn accepts_model(&self, model: &Model, options: &CheckOptions<'_>) -> Result<(), Refusal> {
        let who = format!("`{}`", self.0.name());
        if model.synchronous().is_none() {
            return Err(wrong_form(model, &who, "SMV models"));
        }
        refuse_messages(model, options)?;
        refuse_order(options, &who)?;
        refuse_search_options(options, &who)
    }

    fn accepts_question(
        &self,
        model: &Model,
        question: &Question,
        _: &CheckOptions<'_>,
    ) -> Result<(), Refusal> {
        match model.synchronous() {
            Some(system) => narrows_sat::accepts(system, question),
            None => Err(wrong_form(model, self.0.name(), "SMV models")),
        }
    }

    fn answer(
        &self,
        model: &Model,
        questions: &[Question],
        _: &CheckOptions<'_>,
        budget: &Budget,
    ) -> Result<Checked, Unanswered> {
        let who = format!("`{}`", self.0.name());
        let system =
            model.synchronous().ok_or_else(|| Unanswered::Refused(wrong_form(model, &who, "SMV models")))?;
        Ok(narrows_sat::check(system, questions, self.0, budget, &mut |_, _| true))
    }
}
