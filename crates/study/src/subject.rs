//! What a study is about: one of the kinds of models. Who answers a question is decided here, and nowhere else.

use narrows_explicit::{Budget, Engine};
use narrows_model::Evaluator;
use narrows_source::{Diagnostics, FileId, Loader, Sources};

use crate::machine::{self, PreparedMachine};
use crate::{
    Analysis, Labelled, Measured, Prepared, Study, analyse, analyse_labelled, measure, measure_labelled,
    prepare, prepare_labelled,
};

/// The kinds of models.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Processes with statements: Promela.
    Processes,
    /// A synchronous system: SMV.
    Synchronous,
    /// Processes whose steps have labels: LOTOS.
    Labelled,
}

/// Returns which kind of model a file is, by its name.
pub(crate) fn kind_of(name: &str) -> Kind {
    match name.rsplit_once('.').map_or("", |(_, ending)| ending) {
        "smv" => Kind::Synchronous,
        "lotos" | "lot" => Kind::Labelled,
        _ => Kind::Processes,
    }
}

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
        match kind_of(&sources.file(model).name) {
            Kind::Processes => {
                let prepared = prepare(study, sources, model, loader, diagnostics)?;
                Some(Subject::Processes(Box::new(prepared)))
            }
            Kind::Synchronous => {
                let prepared = machine::prepare(study, sources, model, diagnostics)?;
                Some(Subject::Machine(Box::new(prepared)))
            }
            Kind::Labelled => {
                let prepared = prepare_labelled(study, sources, model, diagnostics)?;
                Some(Subject::Labelled(Box::new(prepared)))
            }
        }
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
