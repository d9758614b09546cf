//! State by state: processes, as machine code or in the evaluator.

use narrows_explicit::{
    Accelerator, Engine as Executor, Options, SearchScope, accepts_symmetric, accepts_tables, check,
    check_invariants, check_lossy, check_symmetric, is_invariant, is_safety,
};
use narrows_model::{Answer, Evaluator, FormKind, Model, Question, Refusal, Reply, System, Verdict};

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
        &[
            Feature::Fairness,
            Feature::SeveralRuns,
            Feature::LossyStorage,
            Feature::Checkpoints,
            Feature::Symmetry,
        ]
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
            if !is_safety(question) && !is_invariant(system, question) {
                return Err(Refusal::new(NOT_ON_A_GPU));
            }
            return accepts_tables(&Executor::automatic(Evaluator::new(system)));
        }
        if options.symmetry {
            if options.fair || options.lossy.is_some() || options.checkpoints.is_some() {
                return Err(Refusal::new("symmetry goes without fairness, loss and checkpoints"));
            }
            return accepts_symmetric(system, question);
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
            _ if options.symmetry => check_symmetric(&executor, questions, &how, &scope),
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
        let scope = SearchScope { accelerator: Some(&gpu), ..*scope };
        let accepted = |question: &&Question| self.accepts_question(model, question, options).is_ok();
        let asked: Vec<Question> = questions.iter().filter(accepted).cloned().collect();
        let (safety, invariants): (Vec<Question>, Vec<Question>) = asked.into_iter().partition(is_safety);
        let internal = |wrong: narrows_explicit::NotReplayed| Unanswered::Internal(wrong.to_string());
        let mut checked = Checked::default();
        if !safety.is_empty() {
            checked = check(executor, &safety, how, &scope).map_err(internal)?;
        }
        if !invariants.is_empty()
            && let Some(found) = check_invariants(executor, &invariants, &scope).map_err(internal)?
        {
            let answer = |(question, verdict)| Answer::new(question, verdict).into();
            checked.replies.extend(invariants.into_iter().zip(found.verdicts).map(answer));
            if found.coverage.states > checked.coverage.states {
                (checked.coverage, checked.limit) = (found.coverage, found.limit);
            }
        }
        gpu.result()?;
        let mut replies = std::mem::take(&mut checked.replies);
        let mut reply = |question: &Question| match self.accepts_question(model, question, options) {
            Err(refusal) => Some(Answer::new(question.clone(), Verdict::Refused(refusal)).into()),
            Ok(()) => {
                let is_its =
                    |reply: &Reply| matches!(reply, Reply::Answer(answer) if answer.question == *question);
                let place = replies.iter().position(is_its)?;
                Some(replies.remove(place))
            }
        };
        checked.replies = questions.iter().filter_map(&mut reply).collect();
        Ok(checked)
    }
}

/// What an engine that visits all states by tables does not take.
const NOT_ON_A_GPU: &str = "on a GPU there are assertions, deadlocks, faults and invariants `[] p` alone";

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
