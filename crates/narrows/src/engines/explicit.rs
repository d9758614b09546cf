//! State by state: processes, as machine code or in the evaluator.

use narrows_explicit::{
    Accelerator, Engine as Executor, Options, SearchScope, accepts_symmetric, accepts_tables, check,
    check_invariants, check_lossy, check_symmetric, is_invariant, is_safety,
};
use narrows_model::{Answer, Evaluator, FormKind, Model, Question, Refusal, Reply, System};

use crate::engines::labelled_on_gpu;
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
        if self.choice == Choice::Gpu {
            return &[FormKind::Processes, FormKind::Labelled];
        }
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

    fn lacks(&self, feature: Feature) -> &'static str {
        match feature {
            Feature::VariableOrder => feature.refusal(),
            _ if self.choice == Choice::Gpu => ON_THE_PROCESSOR,
            _ => feature.refusal(),
        }
    }

    fn accepts_question(
        &self,
        model: &Model,
        question: &Question,
        options: &CheckOptions<'_>,
    ) -> Result<(), Refusal> {
        if model.labelled().is_some() {
            return labelled_on_gpu::accepts(question);
        }
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
        if let Some(labelled) = model.labelled() {
            return labelled_on_gpu::answer(&*labelled.system, questions, options, budget);
        }
        let executor = executor(processes(model)?, self.choice)?;
        let how = Options {
            fair: options.fair,
            runs: options.more_runs.max(1),
            reduce: !options.every_state && self.choice != Choice::Gpu,
            ..Options::default()
        };
        let scope = SearchScope { checkpoints: options.checkpoints, ..SearchScope::within(budget) };
        if self.choice == Choice::Gpu {
            return answer_on_gpu(questions, options.gpu_memory, &executor, &how, &scope);
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

fn answer_on_gpu(
    questions: &[Question],
    memory: Option<u64>,
    executor: &Executor<'_>,
    how: &Options,
    scope: &SearchScope<'_>,
) -> Result<Checked, Unanswered> {
    let gpu = Gpu::find(memory)?;
    let scope = SearchScope { accelerator: Some(&gpu), ..*scope };
    let (safety, invariants): (Vec<Question>, Vec<Question>) = questions.iter().cloned().partition(is_safety);
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
    let place = |reply: &Reply| match reply {
        Reply::Answer(answer) => questions.iter().position(|question| answer.question == *question),
        Reply::Figure(_) => None,
    };
    checked.replies.sort_by_key(place);
    Ok(checked)
}

/// Refuses what only the search on the processor can do.
pub(crate) const ON_THE_PROCESSOR: &str = "a GPU visits every state, and keeps all of it: reduction, \
                                           symmetry, loss, checkpoints, fairness and several runs are for a \
                                           search on the processor; leave `--engine gpu` out";

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
