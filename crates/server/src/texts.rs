//! What editors ask of texts. Places are lines and columns, counted from 0, columns in units of UTF-16.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use narrows::editing::{
    Colour, CompletionKind, Document, Files, Lines, NameKind, Position, messages as messages_of, rewritten,
};
use narrows::explanations;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::folder::Open;
use crate::listen::Shared;
use crate::{Environment, Refused};

type Answered = Result<Json<Value>, Refused>;

/// A text, and those that are open beside it.
#[derive(Deserialize)]
pub(crate) struct Texts {
    /// The file that is asked about.
    pub(crate) file: String,
    /// What is open in the browser, by the names of the files; others are read from disk.
    #[serde(default)]
    texts: BTreeMap<String, String>,
}

/// The same as a list, with the text that is asked about.
pub(crate) struct Work {
    pub(crate) file: String,
    pub(crate) text: String,
    pub(crate) texts: Vec<(String, String)>,
}

impl Texts {
    /// Returns the text of the file, from the browser or else from disk.
    pub(crate) fn work(self, environment: &Environment) -> Result<Work, Refused> {
        let text = match self.texts.get(&self.file) {
            Some(text) => text.clone(),
            None => environment.folder.read(&self.file)?,
        };
        Ok(Work { file: self.file, text, texts: self.texts.into_iter().collect() })
    }
}

impl Work {
    pub(crate) fn loader<'f>(&'f self, environment: &'f Environment) -> Open<'f> {
        Open { texts: &self.texts, folder: &*environment.folder }
    }

    pub(crate) fn document(&self) -> Document {
        Document::new(self.file.clone(), self.text.clone())
    }

    /// Returns the text of a file that is open or can be read.
    pub(crate) fn text_of(&self, environment: &Environment, file: &str) -> Option<String> {
        if file == self.file {
            return Some(self.text.clone());
        }
        let open = self.texts.iter().find(|(known, _)| known == file).map(|(_, text)| text.clone());
        open.or_else(|| environment.folder.read(file).ok())
    }

    /// Returns the text with all that it names, itself first.
    fn files(&self, environment: &Environment) -> Files {
        let others = self.texts.iter().filter(|(name, _)| *name != self.file);
        let others = others.map(|(name, text)| Document::new(name.clone(), text.clone()));
        let documents = std::iter::once(self.document()).chain(others).collect();
        Files::new(documents, &self.loader(environment))
    }
}

/// Returns a range of bytes as the browser has it.
pub(crate) fn range(lines: &Lines<'_>, place: &Range<usize>) -> Value {
    let position = |offset| {
        let Position { line, column } = lines.position(offset);
        json!({ "line": line, "column": column })
    };
    json!({ "from": position(place.start), "to": position(place.end) })
}

/// Does something with a text on a thread with a deep stack.
async fn with_text(
    shared: Arc<Shared>,
    texts: Texts,
    work: impl FnOnce(&Work, &Environment) -> Result<Value, Refused> + Send + 'static,
) -> Answered {
    let workers = shared.workers.clone();
    let answer = workers.work(move || work(&texts.work(&shared.environment)?, &shared.environment));
    Ok(Json(answer.await??))
}

/// What is wrong with a text.
pub(crate) async fn messages(State(shared): State<Arc<Shared>>, Json(texts): Json<Texts>) -> Answered {
    with_text(shared, texts, |work, environment| {
        if work.document().is_foreign() {
            return Ok(json!([]));
        }
        let found = messages_of(&work.file, &work.text, &work.loader(environment));
        let told = found.into_iter().map(|message| {
            let text = work.text_of(environment, &message.file).unwrap_or_default();
            let lines = Lines::new(&text);
            let fix = message
                .fix
                .as_ref()
                .map(|fix| json!({ "place": range(&lines, &fix.place), "text": fix.replacement }));
            json!({
                "file": message.file, "place": range(&lines, &message.place), "error": message.is_error,
                "code": message.code, "text": message.text, "fix": fix,
            })
        });
        Ok(told.collect())
    })
    .await
}

/// A place of a text.
#[derive(Deserialize)]
pub(crate) struct Place {
    #[serde(flatten)]
    texts: Texts,
    line: u32,
    column: u32,
}

impl Place {
    fn offset(&self) -> impl Fn(&str) -> usize + use<> {
        let position = Position { line: self.line, column: self.column };
        move |text| Lines::new(text).offset(position)
    }
}

/// What may stand at a place.
pub(crate) async fn completions(State(shared): State<Arc<Shared>>, Json(place): Json<Place>) -> Answered {
    let offset = place.offset();
    with_text(shared, place.texts, move |work, environment| {
        let lines = Lines::new(&work.text);
        let found = work.files(environment).completions(0, offset(&work.text));
        let told = found.into_iter().map(|proposal| {
            let kind = match proposal.kind {
                CompletionKind::Keyword => "keyword",
                CompletionKind::StudyName => "constant",
                CompletionKind::Named(kind) => completion_kind(kind),
            };
            json!({
                "text": proposal.text, "detail": proposal.detail, "kind": kind,
                "replaces": range(&lines, &proposal.replaces),
            })
        });
        Ok(told.collect())
    })
    .await
}

/// Returns one of the kinds for which the editor has a sign.
fn completion_kind(kind: NameKind) -> &'static str {
    match kind {
        NameKind::Process => "class",
        NameKind::Module => "namespace",
        NameKind::Inline | NameKind::Operation => "function",
        NameKind::Macro | NameKind::Definition | NameKind::Constant => "constant",
        NameKind::Type => "type",
        NameKind::Field | NameKind::Property => "property",
        NameKind::Variable | NameKind::Channel | NameKind::Parameter => "variable",
        NameKind::Label => "text",
        NameKind::Gate => "interface",
    }
}

/// What a name is.
pub(crate) async fn hover(State(shared): State<Arc<Shared>>, Json(place): Json<Place>) -> Answered {
    let offset = place.offset();
    with_text(shared, place.texts, move |work, environment| {
        let hover = work.files(environment).hover(0, offset(&work.text));
        let lines = Lines::new(&work.text);
        Ok(json!(hover.map(|hover| {
            let name = work.text.get(hover.place.clone()).unwrap_or_default();
            json!({ "place": range(&lines, &hover.place), "name": name, "text": hover.text })
        })))
    })
    .await
}

/// Where a name is declared.
pub(crate) async fn definition(State(shared): State<Arc<Shared>>, Json(place): Json<Place>) -> Answered {
    let offset = place.offset();
    with_text(shared, place.texts, move |work, environment| {
        let found = work.files(environment).definition(0, offset(&work.text));
        Ok(json!(found.and_then(|found| {
            let text = work.text_of(environment, &found.file)?;
            Some(json!({ "file": found.file, "place": range(&Lines::new(&text), &found.place) }))
        })))
    })
    .await
}

/// What each word is, for its colour: line, column, length and kind.
pub(crate) async fn colours(State(shared): State<Arc<Shared>>, Json(texts): Json<Texts>) -> Answered {
    with_text(shared, texts, |work, environment| {
        let lines = Lines::new(&work.text);
        let words = work.files(environment).colours(0).into_iter().filter_map(|(place, colour)| {
            let (from, to) = (lines.position(place.start), lines.position(place.end));
            let kind = colour_kind(colour).filter(|_| from.line == to.line)?;
            Some(json!([from.line, from.column, to.column - from.column, kind]))
        });
        Ok(words.collect())
    })
    .await
}

fn colour_kind(colour: Colour) -> Option<&'static str> {
    Some(match colour {
        Colour::Keyword => "keyword",
        Colour::Number => "number",
        Colour::Text => "string",
        Colour::Directive => "directive",
        Colour::Unknown => return None,
        Colour::Named(kind) => match kind {
            NameKind::Process | NameKind::Module | NameKind::Type => "type",
            NameKind::Inline | NameKind::Operation | NameKind::Property => "function",
            NameKind::Macro | NameKind::Constant | NameKind::Definition => "constant",
            NameKind::Field | NameKind::Variable | NameKind::Parameter => "variable",
            NameKind::Channel | NameKind::Gate => "channel",
            NameKind::Label => "label",
        },
    })
}

/// Other values for delays and constants of a study.
#[derive(Deserialize)]
pub(crate) struct Changed {
    #[serde(flatten)]
    texts: Texts,
    changes: Vec<(String, String)>,
}

/// The text of a study with other values; nothing is saved.
pub(crate) async fn change(State(shared): State<Arc<Shared>>, Json(changed): Json<Changed>) -> Answered {
    let Changed { texts, changes } = changed;
    with_text(shared, texts, move |work, _| {
        let text = rewritten(&work.text, &changes).map_err(|error| Refused::Bad(error.to_string()))?;
        Ok(json!({ "text": text }))
    })
    .await
}

/// A message whose meaning is asked for.
#[derive(Deserialize)]
pub(crate) struct Code {
    code: String,
}

/// What a message means.
pub(crate) async fn explain(Json(asked): Json<Code>) -> Answered {
    let found = explanations().into_iter().find(|explanation| explanation.code == asked.code);
    let found = found.ok_or_else(|| Refused::Missing(format!("there is no message `{}`", asked.code)))?;
    Ok(Json(json!({ "code": found.code, "title": found.title, "text": found.text })))
}
