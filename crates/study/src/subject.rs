//! What a study is about: one of the kinds of models. Who answers a question is decided here, and nowhere else.

use std::sync::Arc;

use narrows_explicit::{Budget, Engine};
use narrows_languages::identify;
use narrows_model::synchronous::SynchronousSystem;
use narrows_model::{Evaluator, Form, FormKind, Model};
use narrows_source::{Diagnostics, FileId, Loader, Sources};

use crate::machine::{self, PreparedMachine};
use crate::{
    Analysis, Labelled, Measured, Prepared, Study, analyse, analyse_labelled, measure, measure_labelled,
    prepare, prepare_labelled,
};

/// A model, put together with the study that is about it.
#[derive(Debug)]
pub enum Subject {
    /// Processes with statements, some of which take time.
    Processes(Box<Prepared>),
    /// A synchronous system: one step is one unit of time.
    Machine(Box<PreparedMachine>),
    /// Processes whose steps have labels, some of which take time.
    Labelled(Box<Labelled>),
}

/// What the engines may use.
#[derive(Clone, Copy)]
pub struct Budgets<'a> {
    /// State by state.
    pub explicit: Budget<'a>,
    /// Set by set: a budget for each time that it is asked for.
    pub symbolic: &'a dyn Fn() -> narrows_symbolic::Budget,
}

impl Subject {
    /// Compiles the model of a study, and what the study says about it. `None` if something is wrong.
    pub fn prepare(
        study: &Study,
        sources: &mut Sources,
        model: FileId,
        loader: &dyn Loader,
        diagnostics: &mut Diagnostics,
    ) -> Option<Subject> {
        let text = sources.file(model);
        match identify(&text.name, &text.text).language.form() {
            FormKind::Processes => {
                let prepared = prepare(study, sources, model, loader, diagnostics)?;
                Some(Subject::Processes(Box::new(prepared)))
            }
            FormKind::Synchronous => {
                let prepared = machine::prepare(study, sources, model, diagnostics)?;
                Some(Subject::Machine(Box::new(prepared)))
            }
            FormKind::Labelled => {
                let prepared = prepare_labelled(study, sources, model, loader, diagnostics)?;
                Some(Subject::Labelled(Box::new(prepared)))
            }
        }
    }

    /// Returns the language of the model.
    pub fn language(&self) -> &'static str {
        match self {
            Subject::Processes(_) => "Promela",
            Subject::Machine(_) => "SMV",
            Subject::Labelled(prepared) => prepared.language,
        }
    }

    /// Returns the model, as reports name it and with all texts.
    pub fn model(&self, name: &str, sources: &Sources) -> Model {
        let form = match self {
            Subject::Processes(prepared) => Form::Processes(Box::new(prepared.system.clone())),
            Subject::Machine(prepared) => {
                let system = prepared.machine.clone();
                let signals = prepared.signals.clone();
                Form::Synchronous(Box::new(SynchronousSystem { signals, ..system }))
            }
            Subject::Labelled(prepared) => {
                let (system, formulas) = (Arc::clone(&prepared.system), Vec::new());
                Form::Labelled(Box::new(narrows_model::Labelled { system, formulas }))
            }
        };
        let (name, sources, language) = (name.to_owned(), sources.clone(), self.language());
        Model { name, language, sources, definitions: Vec::new(), form }
    }

    /// Answers all questions of the study.
    pub fn measure(&self, study: &Study, budgets: &Budgets<'_>) -> Measured {
        match self {
            Subject::Processes(prepared) => {
                let engine = Engine::automatic(Evaluator::new(&prepared.system));
                measure(study, prepared, &engine, &budgets.explicit)
            }
            Subject::Machine(prepared) => machine::measure(study, prepared, budgets),
            Subject::Labelled(prepared) => measure_labelled(study, prepared, &budgets.explicit),
        }
    }

    /// Answers the questions of the study, and finds its bottleneck.
    pub fn analyse(&self, study: &Study, budgets: &Budgets<'_>) -> Analysis {
        match self {
            Subject::Processes(prepared) => {
                let engine = Engine::automatic(Evaluator::new(&prepared.system));
                analyse(study, prepared, &engine, &budgets.explicit)
            }
            Subject::Machine(prepared) => machine::analyse(study, prepared, budgets),
            Subject::Labelled(prepared) => analyse_labelled(study, prepared, &budgets.explicit),
        }
    }
}
