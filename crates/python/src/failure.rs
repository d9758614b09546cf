//! Exceptions: classes of the module `narrows.errors`, with what they carry.

use narrows::{Rejected, StudyError, Unanswered, render};
use narrows_report::json_diagnostics;
use narrows_source::Sources;
use pyo3::prelude::*;
use pyo3::types::PyTuple;

/// Why there is no result.
#[derive(Debug)]
pub(crate) enum Failure {
    /// Something is wrong with a text: a document with all messages, and the messages for people.
    Rejected { document: String, text: String },
    /// Something can't be done with this, and why.
    Refused(String),
    /// An argument can't be used, and why.
    Argument(String),
    /// A limit was hit before there was anything to return.
    Limit(String),
    /// There is a mistake in this program.
    Internal(String),
}

impl Failure {
    pub(crate) fn rejected(name: &str, rejected: &Rejected) -> Failure {
        let Rejected { sources, diagnostics } = rejected;
        let document = json_diagnostics(name, diagnostics, sources, None).to_string();
        let texts: Vec<String> = diagnostics.iter().map(|one| render(one, sources, false)).collect();
        let text = texts.iter().map(|text| text.trim_end()).collect::<Vec<_>>().join("\n\n");
        let text = if text.is_empty() { format!("`{name}` can't be used") } else { text };
        Failure::Rejected { document, text }
    }

    pub(crate) fn of_study(name: &str, error: &StudyError) -> Failure {
        match error {
            StudyError::Rejected(rejected) => Failure::rejected(name, rejected),
            StudyError::NoModel { .. } => {
                let message = error.to_string();
                let document = json_diagnostics(name, &[], &Sources::default(), Some(&message)).to_string();
                Failure::Rejected { document, text: message }
            }
        }
    }
}

impl From<Unanswered> for Failure {
    fn from(why: Unanswered) -> Failure {
        match why {
            Unanswered::Refused(refusal) => Failure::Refused(refusal.reason),
            internal @ Unanswered::Internal(_) => Failure::Internal(internal.to_string()),
        }
    }
}

/// Makes the exception.
pub(crate) fn raise(py: Python<'_>, failure: Failure) -> PyErr {
    let (class, arguments) = match failure {
        Failure::Rejected { document, text } => ("InputError", vec![text, document]),
        Failure::Refused(reason) => ("RefusedError", vec![reason]),
        Failure::Argument(reason) => ("ArgumentError", vec![reason]),
        Failure::Limit(reason) => ("LimitError", vec![reason]),
        Failure::Internal(reason) => ("InternalError", vec![reason]),
    };
    let made = || -> PyResult<PyErr> {
        let class = py.import("narrows.errors")?.getattr(class)?;
        Ok(PyErr::from_value(class.call1(PyTuple::new(py, arguments)?)?))
    };
    made().unwrap_or_else(|error| error)
}
