//! What can be asked of what: made by asking each engine whether it accepts.

use std::io::{self, Read, Write};
use std::sync::OnceLock;

use narrows_explicit::{CheckpointError, Checkpoints, Lossy};
use narrows_model::{FormKind, Model, Progress, Question, Refusal};
use narrows_study::View;

use crate::engine::chosen;
use crate::interchange::accepts_circuit;
use crate::study::StudyUse;
use crate::{CheckOptions, Choice, Engine, ExploreOptions, Order, RunStyle, accepts_spin_trail, engines};

/// Whether an engine takes a question about a model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Capability {
    /// The language of the model.
    pub language: &'static str,
    /// The kind of question.
    pub question: &'static str,
    /// The name of the question, where questions of the same kind are not taken by the same engines.
    pub name: String,
    /// The option that is given, as on the command line; empty if none is.
    pub option: &'static str,
    /// The engine.
    pub engine: &'static str,
    /// Why not; `None` if it takes it.
    pub refusal: Option<String>,
}

/// Nothing is kept: engines are only asked whether they could.
struct NoCheckpoints;

impl Checkpoints for NoCheckpoints {
    fn is_due(&self) -> bool {
        false
    }

    fn save(&self, _: &mut dyn FnMut(&mut dyn Write) -> io::Result<()>) {}

    fn load(&self) -> Option<Box<dyn Read + '_>> {
        None
    }

    fn loaded(&self, _: Result<Progress, CheckpointError>) {}
}

/// The options that not all engines accept, as on the command line.
fn options() -> [(&'static str, CheckOptions<'static>); 8] {
    static ORDER: OnceLock<Order> = OnceLock::new();
    let plain = CheckOptions::default();
    [
        ("", plain),
        ("--fair", CheckOptions { fair: true, ..plain }),
        ("--all", CheckOptions { more_runs: 2, ..plain }),
        ("--bitstate", CheckOptions { lossy: Some(Lossy::Hashes), ..plain }),
        ("--symmetry", CheckOptions { symmetry: true, ..plain }),
        ("--checkpoint", CheckOptions { checkpoints: Some(&NoCheckpoints), ..plain }),
        ("--chart", CheckOptions { told: RunStyle::Messages, ..plain }),
        ("--order", CheckOptions { found_order: Some(&ORDER), ..plain }),
    ]
}

/// Asks every engine about every question of a model, with every option. Of questions of the same kind, only
/// those are listed that differ in who takes them.
pub fn capabilities(model: &Model) -> Vec<Capability> {
    let mut list: Vec<Capability> = Vec::new();
    for (option, options) in options() {
        let mut known: Vec<(&'static str, Vec<Option<String>>)> = Vec::new();
        for question in model.questions() {
            let refusals: Vec<Option<String>> =
                engines().iter().map(|engine| refusal(*engine, model, &question, &options)).collect();
            let same_kind = || known.iter().filter(|(kind, _)| *kind == question.kind());
            if same_kind().any(|(_, other)| *other == refusals) {
                continue;
            }
            let name = if same_kind().next().is_some() { question.name().to_owned() } else { String::new() };
            for (engine, refusal) in engines().iter().zip(&refusals) {
                list.push(Capability {
                    language: model.language,
                    question: question.kind(),
                    name: name.clone(),
                    option,
                    engine: engine.name(),
                    refusal: refusal.clone(),
                });
            }
            known.push((question.kind(), refusals));
        }
    }
    list
}

/// Returns the names of the engines that take a model, and of those that don't.
pub fn engines_for(model: &Model) -> (Vec<&'static str>, Vec<&'static str>) {
    let takes = |engine: &&&dyn Engine| engine.accepts_model(model, &CheckOptions::default()).is_ok();
    let (taking, others): (Vec<_>, Vec<_>) = engines().into_iter().partition(|engine| takes(&engine));
    let names = |engines: Vec<&dyn Engine>| engines.iter().map(|engine| engine.name()).collect();
    (names(taking), names(others))
}

/// Returns the name of the engine that answers if none is chosen.
pub fn automatic_engine(model: &Model) -> &'static str {
    chosen(model, Choice::Automatic).name()
}

/// What a command does with a model beside answering questions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommandCapability {
    /// The command with its option.
    pub command: &'static str,
    /// Why not; `None` if it takes the model.
    pub refusal: Option<String>,
}

/// Tells what commands do with a model, or with a study about it.
pub fn command_capabilities(model: &Model) -> Vec<CommandCapability> {
    let plain = ExploreOptions::default();
    let by = |engine: Choice| ExploreOptions { engine, ..plain }.accepts(model);
    let trail = || accepts_spin_trail(model);
    let form = model.form.kind();
    let list = [
        ("explore", plain.accepts(model)),
        ("explore --reduce", ExploreOptions { reduce: true, ..plain }.accepts(model)),
        ("explore --symmetry", ExploreOptions { symmetry: true, ..plain }.accepts(model)),
        ("explore --bitstate", ExploreOptions { lossy: Some(Lossy::Hashes), ..plain }.accepts(model)),
        (
            "explore --checkpoint",
            ExploreOptions { checkpoints: Some(&NoCheckpoints), ..plain }.accepts(model),
        ),
        ("explore --engine native", by(Choice::Native)),
        ("explore --engine interpreter", by(Choice::Interpreter)),
        ("explore --engine symbolic", by(Choice::Symbolic)),
        ("explore --engine ic3", by(Choice::Ic3)),
        ("check --spin-trail", trail()),
        ("simulate --trail", trail()),
        ("simulate --timed", StudyUse::Estimate.accepts(form)),
        ("graph --output model.aag", accepts_circuit(model).map(|_| ())),
        ("bounds --engine symbolic", StudyUse::BoundsBySets.accepts(form)),
        ("measure --chain", StudyUse::Chain.accepts(form)),
    ];
    let capability = |(command, accepted): (&'static str, Result<(), Refusal>)| CommandCapability {
        command,
        refusal: accepted.err().map(|refusal| refusal.reason),
    };
    list.map(capability).into()
}

/// In which views a question of studies can be asked of models of a form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StudyCapability {
    /// The kind of question.
    pub question: &'static str,
    /// The field that makes it special among others of its kind; empty if it has none.
    pub with: &'static str,
    /// The form of the model.
    pub form: FormKind,
    /// The views in which it is answered.
    pub views: Vec<&'static str>,
    /// Why it is not answered in others.
    pub refusals: Vec<String>,
}

/// Tells of every question of studies and every form of models in which views it is answered.
pub fn study_capabilities() -> Vec<StudyCapability> {
    let mut list = Vec::new();
    for (with, question) in narrows_study::kinds() {
        for form in [FormKind::Processes, FormKind::Synchronous, FormKind::Labelled] {
            let (mut views, mut refusals) = (Vec::new(), Vec::new());
            for view in View::ALL {
                match narrows_study::accepts(form, &question, view) {
                    Ok(()) => views.push(view.name()),
                    Err(refusal) => refusals.push(refusal.reason),
                }
            }
            list.push(StudyCapability { question: question.kind(), with, form, views, refusals });
        }
    }
    list
}

fn refusal(
    engine: &dyn Engine,
    model: &Model,
    question: &Question,
    options: &CheckOptions<'_>,
) -> Option<String> {
    engine.accepts(model, question, options).err().map(|refusal| refusal.reason)
}
