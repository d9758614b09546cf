//! State by state: processes, as machine code or in the evaluator.

use narrows_explicit::{
    Accelerator, Engine as Executor, Options, SearchScope, accepts_tables, check, check_lossy, is_safety,
};
use narrows_model::{Answer, Evaluator, FormKind, Model, Question, Refusal, System, Verdict};

use crate::gpu::Gpu;
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
            Choice::Gpu => "gpu",
            _ => "explicit",
        }
    }

    fn forms(&self) -> &'static [FormKind] {
        &[FormKind::Processes]
    }

    fn features(&self, _: FormKind) -> &'static [Feature] {
        if self.choice == Choice::Gpu {
            return &[];
        }
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
        if self.choice == Choice::Gpu {
            if !is_safety(question) {
                return Err(Refusal::new("on a GPU there are assertions, deadlocks and faults alone"));
            }
            return accepts_tables(&Executor::automatic(Evaluator::new(system)));
        }
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
            reduce: !options.every_state && self.choice != Choice::Gpu,
            ..Options::default()
        };
        let scope = SearchScope { checkpoints: options.checkpoints, ..SearchScope::within(budget) };
        if self.choice == Choice::Gpu {
            return self.answer_on_gpu((model, questions, options), &executor, &how, &scope);
        }
        let is_plain = self.choice == Choice::Automatic && !how.reduce && options.checkpoints.is_none();
        let gpu = if is_plain { Gpu::if_there(options.gpu_memory) } else { None };
        let accelerator = gpu.as_ref().map(|gpu| gpu as &dyn Accelerator);
        let scope = SearchScope { accelerator, ..scope };
        let checked = match options.lossy {
            Some(lossy) => check_lossy(&executor, questions, &how, lossy, &scope),
            None => check(&executor, questions, &how, &scope),
        };
        checked.map_err(|wrong| Unanswered::Internal(wrong.to_string()))
    }
}

impl Explicit {
    fn answer_on_gpu(
        &self,
        (model, questions, options): (&Model, &[Question], &CheckOptions<'_>),
        executor: &Executor<'_>,
        how: &Options,
        scope: &SearchScope<'_>,
    ) -> Result<Checked, Unanswered> {
        let gpu = Gpu::find(options.gpu_memory)?;
        let accepted = |question: &&Question| self.accepts_question(model, question, options).is_ok();
        let asked: Vec<Question> = questions.iter().filter(accepted).cloned().collect();
        let checked = check(executor, &asked, how, &SearchScope { accelerator: Some(&gpu), ..*scope });
        let mut checked = checked.map_err(|wrong| Unanswered::Internal(wrong.to_string()))?;
        gpu.result()?;
        let mut replies = std::mem::take(&mut checked.replies).into_iter();
        let reply = |question: &Question| match self.accepts_question(model, question, options) {
            Err(refusal) => Some(Answer::new(question.clone(), Verdict::Refused(refusal)).into()),
            Ok(()) => replies.next(),
        };
        checked.replies = questions.iter().filter_map(reply).collect();
        Ok(checked)
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
