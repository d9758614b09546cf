//! The text of a study: what the user changes in it, and the model it names.

use narrows_source::{Diagnostic, Diagnostics, LoadError, Loader, Sources, Span};
use narrows_study::{Ask, ChangeError, Question, Study, StudyEngine, Text, View, read};
use thiserror::Error;

use crate::{PreparedStudy, Rejected};

/// Why a study is not there.
#[derive(Debug, Error)]
pub enum StudyError {
    /// Something in it or in its model is wrong.
    #[error("the study or its model has errors")]
    Rejected(Box<Rejected>),
    /// Its model can't be loaded.
    #[error("the model `{name}` can't be loaded: {reason}")]
    NoModel {
        /// The file that the study names.
        name: String,
        /// Why not.
        reason: LoadError,
    },
}

/// A text of the user, with the name under which messages show it.
#[derive(Clone, Debug, Default)]
pub struct Named {
    /// The name.
    pub origin: &'static str,
    /// The text.
    pub text: String,
}

/// The way from one predicate to another.
#[derive(Clone, Debug, Default)]
pub struct Bounds {
    /// Where it begins: where this becomes true, or with an action that fits it.
    pub from: Named,
    /// Whether it begins in any state in which that holds.
    pub is_anywhere: bool,
    /// Where it ends.
    pub to: Named,
    /// What is counted on it.
    pub counted: Vec<Named>,
}

/// A study whose model is not read yet.
#[derive(Debug)]
pub struct StudyText {
    name: String,
    pub(crate) study: Study,
    sources: Sources,
    diagnostics: Diagnostics,
    /// What was changed.
    changes: Vec<String>,
}

impl StudyText {
    /// Reads a text. What is wrong with it is told when it is put together with its model.
    pub fn read(name: &str, text: String) -> StudyText {
        let (mut sources, mut diagnostics) = (Sources::default(), Diagnostics::default());
        let file = sources.add(name, text);
        let study = read(&sources, file, &mut diagnostics);
        StudyText { name: name.to_owned(), study, sources, diagnostics, changes: Vec::new() }
    }

    /// Makes a study without a text, about the model of this name: it asks for the least and the most steps
    /// from one predicate to another.
    pub fn bounds(name: &str, bounds: &Bounds) -> StudyText {
        let mut sources = Sources::default();
        let mut text = |Named { origin, text }: &Named| {
            let file = sources.add(*origin, text.clone());
            Text { text: text.clone(), span: Span::new(file, 0, text.len()) }
        };
        let (from, to) = (text(&bounds.from), text(&bounds.to));
        let mut questions =
            vec![Question::MinDelay(from.clone(), to.clone()), Question::MaxDelay(from.clone(), to.clone())];
        for counted in &bounds.counted {
            let counted = text(counted);
            questions.push(Question::MinCount(counted.clone(), from.clone(), to.clone()));
            questions.push(Question::MaxCount(counted, from.clone(), to.clone()));
        }
        let ask = |question: Question| {
            let mut ask =
                Ask { view: Some(View::Untimed), anywhere: bounds.is_anywhere, ..Ask::plain(question) };
            if ask.anywhere {
                ask.name = ask.name.replacen("from ", "within ", 1);
            }
            ask
        };
        let mut study = Study { asks: questions.into_iter().map(ask).collect(), ..Study::default() };
        study.simulation.engine = StudyEngine::Exact;
        let (diagnostics, changes) = (Diagnostics::default(), Vec::new());
        StudyText { name: name.to_owned(), study, sources, diagnostics, changes }
    }

    /// Gives a constant of the model another value, as in `-D NAME=VALUE`.
    pub fn define(&mut self, name: &str, value: &str) {
        self.define_by("-D", name, value);
    }

    fn define_by(&mut self, option: &str, name: &str, value: &str) {
        let file = self.sources.add(option, format!("{name}={value}"));
        self.study.set_constant(&Text { text: name.to_owned(), span: Span::new(file, 0, name.len()) }, value);
    }

    /// Makes a change: a delay takes another time, as in `dma:done = 0.2 ms`, or a constant of the model has
    /// another value, as in `BUFFERS=2`. What the study expects is not expected of it then, and its name
    /// tells of the change.
    ///
    /// # Errors
    ///
    /// The study may have no such delay, and the time may be none. A constant that the model does not have is
    /// told when both are put together.
    pub fn change(&mut self, text: &str) -> Result<(), ChangeError> {
        let (name, value) = text
            .split_once('=')
            .map(|(name, value)| (name.trim(), value.trim()))
            .filter(|(name, value)| !name.is_empty() && !value.is_empty())
            .ok_or_else(|| ChangeError::NoChange(text.to_owned()))?;
        if self.study.is_constant(name) {
            self.define_by("--what-if", name, value);
        } else {
            self.study.change_delay(name, value)?;
        }
        self.changes.push(text.to_owned());
        Ok(())
    }

    /// Returns the file of its model, as the study names it; `None` if it names none, or is wrong.
    pub fn model(&self) -> Option<&str> {
        let model = self.study.model.as_ref().filter(|_| !self.diagnostics.has_errors());
        model.map(|model| model.text.as_str())
    }

    /// Puts it together with its model, given by its name and its text.
    ///
    /// # Errors
    ///
    /// It is rejected if something in it, or in the model, is wrong; all of that is in the result.
    pub fn prepare(
        mut self,
        model: Option<(String, String)>,
        loader: &dyn Loader,
    ) -> Result<PreparedStudy, Box<Rejected>> {
        if !self.changes.is_empty() {
            self.name = format!("{} with {}", self.name, self.changes.join(", "));
            self.study.expect_nothing();
        }
        PreparedStudy::new(self.name, self.study, model, self.sources, self.diagnostics, loader)
    }
}

impl PreparedStudy {
    /// Reads a study, and its model by the loader, which is asked for a file beside the study.
    ///
    /// # Errors
    ///
    /// Something in the study or in the model may be wrong, or there may be no such model.
    pub fn read(name: &str, text: String, loader: &dyn Loader) -> Result<PreparedStudy, StudyError> {
        PreparedStudy::of(StudyText::read(name, text), loader)
    }

    /// Puts a study together with its model, which the loader is asked for.
    ///
    /// # Errors
    ///
    /// Something in the study or in the model may be wrong, or there may be no such model.
    pub fn of(study: StudyText, loader: &dyn Loader) -> Result<PreparedStudy, StudyError> {
        let model = match study.model() {
            Some(model) => match loader.load(model, &study.name, false) {
                Ok(loaded) => Some((loaded.name, loaded.text)),
                Err(reason) => return Err(StudyError::NoModel { name: model.to_owned(), reason }),
            },
            None => None,
        };
        study.prepare(model, loader).map_err(StudyError::Rejected)
    }

    /// Returns what to say if the study asks nothing: there is nothing to measure then.
    pub fn nothing_asked(&self) -> Option<Diagnostic> {
        let study = &self.study;
        if !study.asks.is_empty() {
            return None;
        }
        let span = study.model.as_ref().map_or(Span::default(), |model| model.span);
        let event = study.events.first().map(|(name, _)| &name.text);
        let event = event.or(study.delays.first().map(|entry| &entry.place.text));
        let question =
            event.map_or_else(|| "deadlock = true".to_owned(), |event| format!("throughput = \"{event}\""));
        let error = Diagnostic::error("S0019", span, "the study asks nothing")
            .label("so there is nothing to measure")
            .help(format!("add a question: `[[ask]]`, and in the next line `{question}`"));
        Some(error)
    }
}
