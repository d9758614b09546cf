//! What can be asked of what: made by asking each engine whether it accepts.

use narrows_model::{Model, Question};

use crate::{CheckOptions, engines};

/// Whether an engine takes a question about a model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Capability {
    /// The language of the model.
    pub language: &'static str,
    /// The kind of question.
    pub question: &'static str,
    /// The engine.
    pub engine: &'static str,
    /// Why not; `None` if it takes it.
    pub refusal: Option<String>,
}

/// Asks every engine about every question of a model, each kind once.
pub fn capabilities(model: &Model) -> Vec<Capability> {
    let mut list: Vec<Capability> = Vec::new();
    let mut kinds: Vec<&'static str> = Vec::new();
    let questions: Vec<Question> = model.questions();
    for question in &questions {
        if kinds.contains(&question.kind()) {
            continue;
        }
        kinds.push(question.kind());
        for engine in engines() {
            let accepted = engine.accepts(model, question, &CheckOptions::default());
            list.push(Capability {
                language: model.language,
                question: question.kind(),
                engine: engine.name(),
                refusal: accepted.err().map(|refusal| refusal.reason),
            });
        }
    }
    list
}
