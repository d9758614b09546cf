//! The contract between those who ask and those who answer.

use std::sync::OnceLock;

use narrows_explicit::{Checkpoints, Elsewhere, Lossy};
use narrows_model::{Answer, Budget, Checked, FormKind, Model, Question, Refusal, Verdict};
use narrows_symbolic::Order;

use crate::engines::{
    cluster::Cluster, explicit::Explicit, labelled::ByGraph, portfolio::Portfolio, sat::Sat,
    symbolic::Symbolic,
};

/// Answers questions about models.
pub trait Engine: Sync {
    /// Returns its name, as on the command line.
    fn name(&self) -> &'static str;

    /// Returns the forms of models that it takes.
    fn forms(&self) -> &'static [FormKind];

    /// Returns what it can do beyond plain answers, for models of a form.
    fn features(&self, form: FormKind) -> &'static [Feature];

    /// Says of something that it can't do for models of its forms for what that is.
    fn lacks(&self, feature: Feature) -> &'static str {
        feature.refusal()
    }

    /// Returns why it does not take a model, or not with these options, if it doesn't.
    fn accepts_model(&self, model: &Model, options: &CheckOptions<'_>) -> Result<(), Refusal> {
        let form = model.form.kind();
        if !self.forms().contains(&form) {
            return Err(wrong_form(model, self.name(), self.forms()));
        }
        let is_missing =
            |feature: &&Feature| feature.is_wanted(options) && !self.features(form).contains(feature);
        if let Some(missing) = Feature::ALL.iter().find(is_missing) {
            return Err(Refusal::new(self.lacks(*missing)));
        }
        if options.told == RunStyle::Messages { model.draws_messages() } else { Ok(()) }
    }

    /// Returns why it does not take a question about a model that it takes, if it doesn't and that is found
    /// out quickly.
    fn accepts_question(
        &self,
        model: &Model,
        question: &Question,
        options: &CheckOptions<'_>,
    ) -> Result<(), Refusal>;

    /// Returns why it does not take a question about a model, if it doesn't. Nobody else refuses.
    fn accepts(&self, model: &Model, question: &Question, options: &CheckOptions<'_>) -> Result<(), Refusal> {
        self.accepts_model(model, options)?;
        self.accepts_question(model, question, options)
    }

    /// Answers questions that it accepts, about a model that it takes, in their order.
    fn answer(
        &self,
        model: &Model,
        questions: &[Question],
        options: &CheckOptions<'_>,
        budget: &Budget,
    ) -> Result<Checked, Unanswered>;
}

/// What options ask for that not every engine can do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Feature {
    /// Count only runs that are fair.
    Fairness,
    /// Show several counterexamples for a question.
    SeveralRuns,
    /// Store states with loss.
    LossyStorage,
    /// Keep for later what a search has found.
    Checkpoints,
    /// Begin with an order of variables, and return the one that was found.
    VariableOrder,
    /// Count states once that differ only in which of some equal parts does what.
    Symmetry,
}

impl Feature {
    /// All of them.
    pub const ALL: [Feature; 6] = [
        Feature::Fairness,
        Feature::SeveralRuns,
        Feature::LossyStorage,
        Feature::Checkpoints,
        Feature::VariableOrder,
        Feature::Symmetry,
    ];

    fn is_wanted(self, options: &CheckOptions<'_>) -> bool {
        match self {
            Feature::Fairness => options.fair,
            Feature::SeveralRuns => options.more_runs > 1,
            Feature::LossyStorage => options.lossy.is_some(),
            Feature::Checkpoints => options.checkpoints.is_some(),
            Feature::VariableOrder => options.order.is_some() || options.found_order.is_some(),
            Feature::Symmetry => options.symmetry,
        }
    }

    /// Says for what it is, where an engine can't do it.
    pub(crate) fn refusal(self) -> &'static str {
        match self {
            Feature::Fairness => {
                "fairness is for processes that are searched state by state, and for gates of labelled graphs"
            }
            Feature::SeveralRuns => "this engine finds one counterexample for each question",
            Feature::LossyStorage => "storing states with loss is for Promela models, state by state",
            Feature::Checkpoints => {
                "checkpoints are for Promela models, LOTOS models and graphs, searched state by state"
            }
            Feature::VariableOrder => "an order of variables is for SMV models, by decision diagrams",
            Feature::Symmetry => "equal parts are counted once in Promela models, state by state",
        }
    }
}

/// Says that an engine is not for models of this form.
fn wrong_form(model: &Model, engine: &str, forms: &[FormKind]) -> Refusal {
    let forms = forms.iter().map(|form| match form {
        FormKind::Processes => "Promela models",
        FormKind::Synchronous => "SMV models",
        FormKind::Labelled => "LOTOS models and graphs",
    });
    let forms = forms.collect::<Vec<_>>().join(" and ");
    Refusal::new(format!("`{engine}` is for {forms}, and `{}` is in {}", model.name, model.language))
}

/// Which engine is to answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Choice {
    /// What fits the model.
    #[default]
    Automatic,
    /// State by state, as machine code from the start.
    Native,
    /// State by state, in the reference evaluator.
    Interpreter,
    /// Set by set.
    Symbolic,
    /// State by state, on a GPU.
    Gpu,
    /// By satisfiability: runs by their length.
    Bounded,
    /// By satisfiability: induction over several steps.
    Induction,
    /// By satisfiability: an invariant that is found step by step.
    Ic3,
}

/// How runs are told.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RunStyle {
    /// Step by step.
    #[default]
    Steps,
    /// As messages between processes too.
    Messages,
}

/// How questions are answered.
#[derive(Clone, Copy, Default)]
pub struct CheckOptions<'a> {
    /// Which engine answers.
    pub engine: Choice,
    /// Whether only those endless runs count that are fair to every process.
    pub fair: bool,
    /// How many different counterexamples are wanted for each question, if more than one.
    pub more_runs: usize,
    /// Whether every state is visited, also where the order of steps does not matter.
    pub every_state: bool,
    /// Whether states count once that differ only in which of some equal parts of the model does what.
    pub symmetry: bool,
    /// What is kept of states, if not all.
    pub lossy: Option<Lossy>,
    /// Who keeps what a search needs to go on later.
    pub checkpoints: Option<&'a dyn Checkpoints>,
    /// How counterexamples are to be told.
    pub told: RunStyle,
    /// The order of variables to begin with.
    pub order: Option<&'a Order>,
    /// How many bytes of a GPU's memory may be used, if not all that are free.
    pub gpu_memory: Option<u64>,
    /// Where the order of variables is put that was found, if it is wanted.
    pub found_order: Option<&'a OnceLock<Order>>,
    /// Who visits all states, if that is done on several machines.
    pub elsewhere: Option<&'a dyn Elsewhere>,
}

/// Why there are no answers.
#[derive(Debug, thiserror::Error)]
pub enum Unanswered {
    /// The engine does not take the model or a question.
    #[error("{}", .0.reason)]
    Refused(Refusal),
    /// There is a mistake in this program.
    #[error("internal error: {0}\nThis is a bug in narrows, not in the model.")]
    Internal(String),
}

/// Returns all engines that search on this machine, the more general ones first.
pub fn engines() -> [&'static dyn Engine; 10] {
    use narrows_sat::Engine as By;
    static BOUNDED: Sat = Sat(By::Bounded);
    static INDUCTION: Sat = Sat(By::Induction);
    static IC3: Sat = Sat(By::Ic3);
    [
        &Explicit { choice: Choice::Automatic },
        &Explicit { choice: Choice::Native },
        &Explicit { choice: Choice::Interpreter },
        &Explicit { choice: Choice::Gpu },
        &Portfolio,
        &Symbolic,
        &BOUNDED,
        &INDUCTION,
        &IC3,
        &ByGraph,
    ]
}

impl From<Refusal> for Unanswered {
    fn from(refusal: Refusal) -> Unanswered {
        Unanswered::Refused(refusal)
    }
}

/// Returns the engine that answers questions about a model.
pub(crate) fn chosen(model: &Model, choice: Choice) -> &'static dyn Engine {
    use narrows_sat::Engine as By;
    match choice {
        Choice::Automatic if model.synchronous().is_some() => &Portfolio,
        Choice::Automatic if model.labelled().is_some() => &ByGraph,
        Choice::Automatic => &Explicit { choice: Choice::Automatic },
        Choice::Native => &Explicit { choice: Choice::Native },
        Choice::Interpreter => &Explicit { choice: Choice::Interpreter },
        Choice::Gpu => &Explicit { choice: Choice::Gpu },
        Choice::Symbolic => &Symbolic,
        Choice::Bounded => &Sat(By::Bounded),
        Choice::Induction => &Sat(By::Induction),
        Choice::Ic3 => &Sat(By::Ic3),
    }
}

/// Answers questions about a model by the engine that was chosen, or by what fits.
///
/// # Errors
///
/// The engine may refuse the model. To a question that it refuses, the answer is
/// [`Verdict::Refused`](narrows_model::Verdict).
pub fn answer(
    model: &Model,
    questions: &[Question],
    options: &CheckOptions<'_>,
    budget: &Budget,
) -> Result<Checked, Unanswered> {
    let engine = if options.elsewhere.is_some() { &Cluster } else { chosen(model, options.engine) };
    engine.accepts_model(model, options)?;
    let why_not = |question: &Question| engine.accepts_question(model, question, options).err();
    let refusals: Vec<Option<Refusal>> = questions.iter().map(why_not).collect();
    let is_accepted = |(_, refusal): &(&Question, &Option<Refusal>)| refusal.is_none();
    let asked: Vec<Question> =
        questions.iter().zip(&refusals).filter(is_accepted).map(|(question, _)| question.clone()).collect();
    // Where nothing can be asked, nothing is searched: the answers say why.
    let mut checked = if asked.is_empty() && !questions.is_empty() {
        Checked::default()
    } else {
        engine.answer(model, &asked, options, budget)?
    };
    let mut replies = std::mem::take(&mut checked.replies).into_iter();
    let reply = |(question, refusal): (&Question, Option<Refusal>)| match refusal {
        Some(refusal) => Some(Answer::new(question.clone(), Verdict::Refused(refusal)).into()),
        None => replies.next(),
    };
    checked.replies = questions.iter().zip(refusals).filter_map(reply).collect();
    Ok(checked)
}
