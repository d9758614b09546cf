//! State by state: processes, as machine code or in the evaluator.

use narrows_explicit::{Engine as Executor, Options, SearchScope, check, check_lossy};
use narrows_model::{Evaluator, Model, Question, Refusal, System};

use super::{refuse_order, wrong_form};
use crate::{Budget, CheckOptions, Checked, Choice, Engine, Unanswered};

/// The engine, with what executes the model.
pub(crate) struct Explicit {
    pub(crate) choice: Choice,
}

impl Explicit {
    fn who(&self) -> &'static str {
        match self.choice {
            Choice::Native => "`native`",
            Choice::Interpreter => "`interpreter`",
            _ => "a search state by state",
        }
    }
}

impl Engine for Explicit {
    fn name(&self) -> &'static str {
        match self.choice {
            Choice::Native => "native",
            Choice::Interpreter => "interpreter",
            _ => "explicit",
        }
    }

    fn accepts_model(&self, model: &Model, options: &CheckOptions<'_>) -> Result<(), Refusal> {
        if model.processes().is_none() {
            return Err(wrong_form(model, self.who(), "Promela models"));
        }
        refuse_order(options, self.who())
    }

    fn accepts_question(
        &self,
        model: &Model,
        question: &Question,
        options: &CheckOptions<'_>,
    ) -> Result<(), Refusal> {
        let system = model.processes().ok_or_else(|| wrong_form(model, self.who(), "Promela models"))?;
        narrows_explicit::accepts(system, question)?;
        if options.lossy.is_some() {
            return narrows_explicit::accepts_lossy(question);
        }
        if options.fair { narrows_explicit::accepts_fair(system, question) } else { Ok(()) }
    }

    fn answer(
        &self,
        model: &Model,
        questions: &[Question],
        options: &CheckOptions<'_>,
        budget: &Budget,
    ) -> Result<Checked, Unanswered> {
        let system = model
            .processes()
            .ok_or_else(|| Unanswered::Refused(wrong_form(model, self.who(), "Promela models")))?;
        let executor = executor(system, self.choice)?;
        let how = Options {
            fair: options.fair,
            runs: options.more_runs.max(1),
            reduce: !options.every_state,
            ..Options::default()
        };
        let scope = SearchScope { checkpoints: options.checkpoints, ..SearchScope::within(budget) };
        let checked = match options.lossy {
            Some(lossy) => check_lossy(&executor, questions, &how, lossy, &scope),
            None => check(&executor, questions, &how, &scope),
        };
        checked.map_err(|wrong| Unanswered::Internal(wrong.to_string()))
    }
}

/// Returns what executes a model.
pub(crate) fn executor(system: &System, choice: Choice) -> Result<Executor<'_>, Unanswered> {
    let evaluator = Evaluator::new(system);
    match choice {
        Choice::Interpreter => Ok(Executor::interpreter(evaluator)),
        Choice::Native => Executor::native(evaluator).map_err(|reason| {
            Unanswered::Refused(Refusal::new(format!(
                "the model can't be compiled to machine code: {reason}"
            )))
        }),
        _ => Ok(Executor::automatic(evaluator)),
    }
}
