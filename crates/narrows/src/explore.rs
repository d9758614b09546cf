//! Visits every state: how many there are, what goes wrong in them, what is never reached.

use narrows_explicit::{
    Checkpoints, Elsewhere, Engine, Exploration, Lossy, Quotient, SearchScope, Symmetry, accepts_tables,
    breadth_first, explore as visit, explore_accelerated, explore_lossy, explore_sparsely, problems,
};
use narrows_model::synchronous::SynchronousSystem;
use narrows_model::{Evaluator, Form, FormKind, Model, Problem, Question, Refusal, Verdict};
use narrows_performance::labelled::PartialGraph;
use narrows_symbolic::{Options, check, explore_processes};

use crate::engines::cluster::Saved;
use crate::engines::explicit::{ON_THE_PROCESSOR, executor};
use crate::engines::labelled::{self, Asked};
use crate::engines::symbolic::refused;
use crate::engines::{cluster, cluster_synchronous, labelled_on_gpu};
use crate::gpu::Gpu;
use crate::{Budget, Checked, Choice, Unanswered};

/// How states are visited.
#[derive(Clone, Copy, Default)]
pub struct ExploreOptions<'a> {
    /// What visits them.
    pub engine: Choice,
    /// Whether states may be left out that are not needed to find what goes wrong.
    pub reduce: bool,
    /// Whether states count once that differ only in which of some equal parts of the model does what.
    pub symmetry: bool,
    /// What is kept of states, if not all.
    pub lossy: Option<Lossy>,
    /// Who keeps what a search needs to go on later.
    pub checkpoints: Option<&'a dyn Checkpoints>,
    /// How many bytes of a GPU's memory may be used, if not all that are free.
    pub gpu_memory: Option<u64>,
    /// Who visits all states, if that is done on several machines.
    pub elsewhere: Option<&'a dyn Elsewhere>,
}

/// Visits every state of a model.
///
/// # Errors
///
/// What is chosen may not be for models of this form.
pub fn explore(model: &Model, options: &ExploreOptions<'_>, budget: &Budget) -> Result<Checked, Unanswered> {
    options.accepts(model)?;
    match &model.form {
        Form::Synchronous(system) if options.elsewhere.is_some() => {
            Ok(visit_synchronous(model, system, options, budget))
        }
        Form::Synchronous(system) => Ok(sets_of_synchronous(model, system, budget)),
        Form::Labelled(system) if options.engine == Choice::Gpu => {
            labelled_on_gpu::explore(model, &*system.system, options.gpu_memory, budget)
        }
        Form::Labelled(system) => match (options.elsewhere, options.checkpoints) {
            (Some(elsewhere), _) => Ok(visit_labelled(model, &*system.system, elsewhere, budget)),
            (None, Some(checkpoints)) => {
                Ok(visit_labelled(model, &*system.system, &Saved(checkpoints), budget))
            }
            (None, None) => graph(model, &*system.system, budget),
        },
        Form::Processes(system) if options.engine == Choice::Symbolic => {
            explore_processes(&Evaluator::new(system), budget).map_err(refused)
        }
        Form::Processes(system) if options.engine == Choice::Gpu => {
            let engine = executor(system, options.engine)?;
            let gpu = Gpu::find(options.gpu_memory)?;
            let scope = SearchScope { accelerator: Some(&gpu), ..SearchScope::within(budget) };
            let found = explore_accelerated(&engine, &scope);
            gpu.result()?;
            Ok(checked(&engine, found))
        }
        Form::Processes(system) => {
            let engine = executor(system, options.engine)?;
            if options.symmetry {
                return orbits(&engine, budget);
            }
            let engine = if options.reduce { engine.forgetting() } else { engine };
            let (checkpoints, elsewhere) = (options.checkpoints, options.elsewhere);
            let scope = SearchScope { checkpoints, elsewhere, ..SearchScope::within(budget) };
            let is_plain = options.engine == Choice::Automatic
                && !options.reduce
                && scope.checkpoints.is_none()
                && elsewhere.is_none();
            let gpu = if is_plain { Gpu::if_there(options.gpu_memory) } else { None };
            let found = match (options.lossy, &gpu) {
                (Some(lossy), _) => explore_lossy(&engine, lossy, &scope),
                (None, Some(gpu)) => {
                    explore_accelerated(&engine, &SearchScope { accelerator: Some(gpu), ..scope })
                }
                (None, None) if options.reduce => explore_sparsely(&engine, &scope),
                (None, None) => visit(&engine, None, &scope),
            };
            Ok(checked(&engine, found))
        }
        _ => Err(Refusal::new("this form has no states to visit").into()),
    }
}

fn checked(engine: &Engine<'_>, found: Exploration) -> Checked {
    let problems = problems(engine.evaluator(), &found.findings);
    let limit = found.end.limit();
    let profile = found.profile;
    Checked { coverage: found.coverage, limit, problems, profile, ..Checked::default() }
}

impl ExploreOptions<'_> {
    /// Returns why states of a model can't be visited so, if they can't.
    pub(crate) fn accepts(&self, model: &Model) -> Result<(), Refusal> {
        let is_explicit = matches!(self.engine, Choice::Automatic | Choice::Native | Choice::Interpreter);
        let is_stored = self.lossy.is_some() || self.checkpoints.is_some();
        let wants_search = self.reduce || self.symmetry || is_stored;
        let reason = match (&model.form, self.engine) {
            (_, Choice::Bounded | Choice::Induction | Choice::Ic3) => {
                "states are not counted by satisfiability, which looks for single runs"
            }
            (Form::Synchronous(_) | Form::Labelled(_), Choice::Native | Choice::Interpreter) => {
                "machine code and evaluator are for Promela models"
            }
            (Form::Synchronous(_), Choice::Gpu) => "a GPU searches Promela and LOTOS models, and graphs",
            (_, Choice::Gpu) if self.elsewhere.is_some() => return self.accepts_elsewhere(model),
            (Form::Processes(_) | Form::Labelled(_), Choice::Gpu) if wants_search => ON_THE_PROCESSOR,
            (Form::Labelled(_), Choice::Gpu) => return Ok(()),
            (Form::Processes(system), Choice::Gpu) => {
                return accepts_tables(&Engine::automatic(Evaluator::new(system)));
            }
            (Form::Labelled(_), Choice::Symbolic) => "sets of states are for SMV and Promela models",
            _ if self.elsewhere.is_some() => return self.accepts_elsewhere(model),
            (Form::Labelled(_), _) if self.checkpoints.is_some() && !self.reduce && !self.symmetry => {
                return Ok(());
            }
            (form, _) if wants_search && !(is_explicit && form.kind() == FormKind::Processes) => {
                "reduction, symmetry and loss are for Promela models, and checkpoints for what is searched \
                 state by state"
            }
            _ if self.symmetry && (self.reduce || is_stored) => {
                "symmetry goes without reduction, loss and checkpoints"
            }
            _ => return Ok(()),
        };
        Err(Refusal::new(reason))
    }
}

impl ExploreOptions<'_> {
    /// Returns why states of a model can't be visited so on several machines, if they can't.
    fn accepts_elsewhere(&self, model: &Model) -> Result<(), Refusal> {
        cluster::accepts_choice(self.engine)?;
        if self.reduce || self.symmetry || self.lossy.is_some() || self.checkpoints.is_some() {
            return Err(Refusal::new(
                "several machines visit every state: reduction, symmetry, loss and checkpoint files are for \
                 one",
            ));
        }
        match &model.form {
            Form::Processes(system) => cluster::accepts_system(system),
            Form::Synchronous(_) | Form::Labelled(_) => Ok(()),
            _ => Err(Refusal::new("this form has no states to visit")),
        }
    }
}

/// Visits the states of a synchronous system on several machines.
fn visit_synchronous(
    model: &Model,
    system: &SynchronousSystem,
    options: &ExploreOptions<'_>,
    budget: &Budget,
) -> Checked {
    let Some(elsewhere) = options.elsewhere else { return Checked::default() };
    let found = cluster_synchronous::visit(system, elsewhere, budget);
    let problems = cluster_synchronous::problems(model, &found);
    let limit = found.end.limit();
    Checked { coverage: found.coverage, limit, problems, profile: found.profile, ..Checked::default() }
}

/// Visits the states of a labelled system one by one: on several machines, or where they can be saved.
fn visit_labelled(
    model: &Model,
    system: &dyn narrows_model::LabelledSystem,
    elsewhere: &dyn Elsewhere,
    budget: &Budget,
) -> Checked {
    let found = cluster::visit(system, elsewhere, budget);
    let limit = match cluster::ended(system, &found) {
        Ok(limit) => limit,
        Err(fault) => return labelled::undecided(&[], &fault),
    };
    let problems = cluster::problems(model, &found);
    Checked { coverage: found.coverage, limit, problems, profile: found.profile, ..Checked::default() }
}

/// Visits one state of each orbit.
fn orbits(engine: &Engine<'_>, budget: &Budget) -> Result<Checked, Unanswered> {
    let symmetry = Symmetry::find(engine.evaluator(), &narrows_explicit::Asked::NOTHING).map_err(|why| {
        Unanswered::Refused(Refusal::new(format!("no parts of the model are surely equal: {why}")))
    })?;
    let forgetting = engine.forgetting();
    let quotient = Quotient::new(if symmetry.forgets() { &forgetting } else { engine }, &symmetry);
    let found = breadth_first(&quotient, &[], &SearchScope::within(budget));
    let coverage = quotient.coverage(&found);
    let problems = problems(engine.evaluator(), &found.findings);
    Ok(Checked { coverage, limit: found.end.limit(), problems, profile: found.profile, ..Checked::default() })
}

fn sets_of_synchronous(model: &Model, system: &SynchronousSystem, budget: &Budget) -> Checked {
    let is_asked = |question: &Question| matches!(question, Question::Deadlock | Question::Faults);
    let questions: Vec<Question> = model.questions().into_iter().filter(is_asked).collect();
    let how = Options { depth: true, ..Options::default() };
    let checked = check(system, &questions, &how, budget);
    let mut problems = Vec::new();
    for answer in checked.answers() {
        if let Verdict::Fails { trace, .. } = &answer.verdict {
            problems.push(match answer.question {
                Question::Deadlock => model.deadlock(trace.last_state(), 1),
                _ => Problem {
                    kind: answer.question.kind(),
                    message: answer.notes.first().cloned().unwrap_or_else(|| "a fault".to_owned()),
                    span: None,
                    count: 1,
                },
            });
        }
    }
    Checked { problems, replies: Vec::new(), ..checked }
}

fn graph(
    model: &Model,
    system: &dyn narrows_model::LabelledSystem,
    budget: &Budget,
) -> Result<Checked, Unanswered> {
    let PartialGraph { built, visited, limit } = match labelled::build_some(system, budget) {
        Ok(built) => built,
        Err(unbuilt) => return Ok(labelled::undecided(&[], &unbuilt)),
    };
    let mut coverage = built.coverage;
    coverage.labels = built.graph.labels().iter().map(|label| (label.clone(), 0)).collect();
    for edge in built.graph.edges() {
        coverage.labels[edge.label as usize].1 += 1;
    }
    let asked = Asked { model, system, graph: &built.graph, visited, limit, is_fair: false };
    let problems = labelled::problems(&asked)?;
    Ok(Checked { coverage, problems, limit, ..Checked::default() })
}
