//! Models and runs for tests.

use narrows_languages::promela::{Options, compile};
use narrows_model::{Answer, Coverage, Evaluator, Form, Model, Reply, StateSpace, Trace, TraceAtom};
use narrows_source::{Diagnostics, NoFiles, Sources, Span};

use crate::Report;

/// Two processes that take turns.
pub(crate) const TURNS: &str = "\
byte turn;
active [2] proctype P() {
  do
  :: turn == _pid -> turn = 1 - _pid
  od
}
";

/// Two processes that talk over a buffered channel and a rendezvous.
pub(crate) const TALK: &str = "\
mtype = { data, ack };
chan link = [2] of { mtype, byte };
chan done = [0] of { byte };
active proctype Sender() {
  link!data,1;
  link!data,2;
  done?3;
  assert(false)
}
active proctype Receiver() {
  byte n;
  link?data,n;
  atomic { link?data,n; n++ };
  done!n
}
";

/// A model with a run.
pub(crate) struct Sample {
    pub(crate) model: Model,
    pub(crate) trace: Trace,
}

impl Sample {
    /// Compiles a model and runs it: each choice is the number of a step, counted from 0.
    pub(crate) fn new(model: &str, choices: &[usize], cycle: Option<usize>) -> Sample {
        let mut sources = Sources::default();
        let file = sources.add("m.pml", model);
        let mut diagnostics = Diagnostics::default();
        let system = compile(&mut sources, file, &NoFiles, &Options::default(), &mut diagnostics);
        let system = system.expect("a model without errors");
        let evaluator = Evaluator::new(&system);
        let (initial, _) = evaluator.initial().expect("an initial state");
        let mut trace = Trace { initial, cycle, ..Trace::default() };
        for choice in choices {
            let mut steps = evaluator.steps(trace.last_state()).0;
            trace.steps.push(steps.swap_remove(*choice).kept());
        }
        let (form, definitions) = (Form::Processes(Box::new(system)), Vec::new());
        let model = Model { name: "m.pml".to_owned(), language: "Promela", sources, definitions, form };
        Sample { model, trace }
    }

    /// Adds a proposition: whether a global variable has a value.
    pub(crate) fn with_atom(mut self, text: &str, variable: &str, value: &str) -> Sample {
        let states =
            std::iter::once(&self.trace.initial).chain(self.trace.steps.iter().map(|step| &step.state));
        let evaluator = Evaluator::new(self.model.processes().expect("processes"));
        let is = |state: &Vec<u8>| {
            let globals = evaluator.describe(state).globals;
            globals.iter().any(|global| global.name == variable && global.value == value)
        };
        let values = states.map(is).collect();
        self.trace.atoms.push(TraceAtom { text: text.to_owned(), span: Span::default(), values });
        self
    }

    /// Reports some answers about it.
    pub(crate) fn report<R>(&self, answers: &[Answer], write: impl Fn(&Report<'_>) -> R) -> R {
        let replies: Vec<Reply> =
            answers.iter().map(|answer| Reply::Answer(Box::new(answer.clone()))).collect();
        write(&Report {
            model: &self.model,
            coverage: &Coverage::default(),
            seconds: 0.0,
            limit: None,
            problems: &[],
            replies: &replies,
        })
    }
}
