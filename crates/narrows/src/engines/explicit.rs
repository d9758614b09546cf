//! State by state: processes, as machine code or in the evaluator.

use narrows_explicit::{Engine as Executor, Options, SearchScope, check, check_lossy};
use narrows_model::{Evaluator, FormKind, Model, Question, Refusal, System};

use crate::{Budget, CheckOptions, Checked, Choice, Engine, Feature, Unanswered};

/// The engine, with what executes the model.
pub(crate) struct Explicit {
    pub(crate) choice: Choice,
}

impl Engine for Explicit {
    fn name(&self) -> &'static str {
        match self.choice {
            Choice::Native => "native",
            Choice::Interpreter => "interpreter",
            _ => "explicit",
        }
    }

    fn forms(&self) -> &'static [FormKind] {
        &[FormKind::Processes]
    }

    fn features(&self, _: FormKind) -> &'static [Feature] {
        &[Feature::Fairness, Feature::SeveralRuns, Feature::LossyStorage, Feature::Checkpoints]
    }

    fn accepts_question(
        &self,
        model: &Model,
        question: &Question,
        options: &CheckOptions<'_>,
    ) -> Result<(), Refusal> {
        let system = processes(model)?;
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
        let executor = executor(processes(model)?, self.choice)?;
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

/// Returns the processes of a model.
fn processes(model: &Model) -> Result<&System, Refusal> {
    model.processes().ok_or_else(|| Refusal::new("this is for Promela models"))
}

/// Returns what executes a model.
pub(crate) fn executor(system: &System, choice: Choice) -> Result<Executor<'_>, Unanswered> {
    let evaluator = Evaluator::new(system);
    match choice {
        Choice::Interpreter => Ok(Executor::interpreter(evaluator)),
        Choice::Native => Executor::native(evaluator).map_err(|reason| {
            Refusal::new(format!("the model can't be compiled to machine code: {reason}")).into()
        }),
        _ => Ok(Executor::automatic(evaluator)),
    }
}
