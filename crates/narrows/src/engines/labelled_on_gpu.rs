//! Labelled systems on a GPU: all states, and deadlocks. Of labels, nothing is kept there.

use narrows_explicit::{Exploration, Goal, SearchScope, labelled_on_accelerator};
use narrows_model::{Answer, LabelledSystem, Model, Question, Refusal, Reply, Verdict};

use crate::engines::cluster::{ended, problems, stuck};
use crate::engines::labelled::undecided;
use crate::gpu::Gpu;
use crate::{Budget, CheckOptions, Checked, Unanswered};

/// Returns why a question is not answered there, if it isn't.
pub(crate) fn accepts(question: &Question) -> Result<(), Refusal> {
    match question {
        Question::Deadlock => Ok(()),
        _ => Err(Refusal::new("on a GPU there are no formulas about labels, only deadlocks")),
    }
}

/// Visits every state.
pub(crate) fn explore(
    model: &Model,
    system: &dyn LabelledSystem,
    gpu_memory: Option<u64>,
    budget: &Budget,
) -> Result<Checked, Unanswered> {
    let found = visit(system, &[], gpu_memory, budget)?;
    let limit = match ended(system, &found) {
        Ok(limit) => limit,
        Err(fault) => return Ok(undecided(&[], &fault)),
    };
    let problems = problems(model, &found);
    Ok(Checked { coverage: found.coverage, limit, problems, profile: found.profile, ..Checked::default() })
}

/// Answers whether there are deadlocks. To a question that is not about them, the answer is why there is
/// none.
pub(crate) fn answer(
    system: &dyn LabelledSystem,
    questions: &[Question],
    options: &CheckOptions<'_>,
    budget: &Budget,
) -> Result<Checked, Unanswered> {
    let asked: Vec<Question> =
        questions.iter().filter(|question| accepts(question).is_ok()).cloned().collect();
    let mut checked = if asked.is_empty() {
        Checked::default()
    } else {
        let goals = [Goal { question: Question::Deadlock, patience: None }];
        let found = visit(system, &goals, options.gpu_memory, budget)?;
        match ended(system, &found) {
            Err(fault) => Checked { problems: Vec::new(), ..undecided(&asked, &fault) },
            Ok(_) => stuck(system, &asked, found)?,
        }
    };
    let mut replies = std::mem::take(&mut checked.replies).into_iter();
    let reply = |question: &Question| match accepts(question) {
        Err(refusal) => Some(Reply::from(Answer::new(question.clone(), Verdict::Refused(refusal)))),
        Ok(()) => replies.next(),
    };
    checked.replies = questions.iter().filter_map(reply).collect();
    Ok(checked)
}

fn visit(
    system: &dyn LabelledSystem,
    goals: &[Goal],
    gpu_memory: Option<u64>,
    budget: &Budget,
) -> Result<Exploration, Unanswered> {
    let gpu = Gpu::find(gpu_memory)?;
    let mut found = labelled_on_accelerator(system, goals, &SearchScope::within(budget), &gpu);
    gpu.result()?;
    // As for a graph on the processor, where states are numbers.
    found.coverage.state_bytes = 0;
    Ok(found)
}
