//! JSON documents whose runs are written step by step.
//!
//! A run may have millions of steps. As a tree of values one step takes kilobytes, and as text hundreds of
//! bytes: lists in a [`Document`] are made while they are written, and each entry is gone when the next one
//! comes. What is written is what `serde_json` would write of the whole, indented.

use std::io::{self, Write};

use serde_json::{Map, Value};

/// A JSON value, in which lists may be made while they are written.
pub enum Document<'a> {
    /// A value that is there.
    Value(Value),
    /// An object: names with what they stand for, in order.
    Object(Vec<(String, Document<'a>)>),
    /// A list whose entries are there.
    Array(Vec<Document<'a>>),
    /// A list whose entries are made one by one.
    List(Entries<'a>),
}

/// Makes the entries of a list, each time from the first one on.
type Entries<'a> = Box<dyn Fn() -> Box<dyn Iterator<Item = Document<'a>> + 'a> + 'a>;

impl<'a> Document<'a> {
    /// Makes a list of what a function returns: the same entries whenever it is called.
    pub(crate) fn list<I>(entries: impl Fn() -> I + 'a) -> Document<'a>
    where
        I: Iterator<Item = Document<'a>> + 'a,
    {
        Document::List(Box::new(move || Box::new(entries())))
    }

    /// Adds a field; what is not an object stays what it is.
    pub fn insert(&mut self, name: &str, value: impl Into<Document<'a>>) {
        match self {
            Document::Object(fields) => fields.push((name.to_owned(), value.into())),
            Document::Value(Value::Object(fields)) => {
                fields.insert(name.to_owned(), value.into().to_value());
            }
            Document::Value(_) | Document::Array(_) | Document::List(_) => {}
        }
    }

    /// Writes the document, each line after the first one indented by so many spaces more. Every piece that
    /// is written at once is whole characters.
    ///
    /// # Errors
    ///
    /// Returns what the writer says.
    pub fn write(&self, out: &mut dyn Write, indent: usize) -> io::Result<()> {
        let inner = indent + 2;
        match self {
            Document::Value(value) => {
                let text = format!("{value:#}");
                let text = if indent > 0 { text.replace('\n', &format!("\n{:indent$}", "")) } else { text };
                out.write_all(text.as_bytes())
            }
            Document::Object(fields) if fields.is_empty() => out.write_all(b"{}"),
            Document::Object(fields) => {
                out.write_all(b"{")?;
                for (number, (name, value)) in fields.iter().enumerate() {
                    out.write_all(if number > 0 { b"," } else { b"" })?;
                    line_break(out, inner)?;
                    out.write_all(format!("{}: ", Value::from(name.as_str())).as_bytes())?;
                    value.write(out, inner)?;
                }
                line_break(out, indent)?;
                out.write_all(b"}")
            }
            Document::Array(entries) => write_list(entries.iter(), out, indent),
            Document::List(entries) => write_list(entries(), out, indent),
        }
    }

    /// Makes the whole tree of values.
    pub fn to_value(&self) -> Value {
        match self {
            Document::Value(value) => value.clone(),
            Document::Object(fields) => {
                let fields = fields.iter().map(|(name, value)| (name.clone(), value.to_value()));
                Value::Object(fields.collect())
            }
            Document::Array(entries) => entries.iter().map(Document::to_value).collect(),
            Document::List(entries) => entries().map(|entry| entry.to_value()).collect(),
        }
    }
}

fn line_break(out: &mut dyn Write, indent: usize) -> io::Result<()> {
    write!(out, "\n{:indent$}", "")
}

fn write_list<'a>(
    entries: impl Iterator<Item = impl std::borrow::Borrow<Document<'a>>>,
    out: &mut dyn Write,
    indent: usize,
) -> io::Result<()> {
    out.write_all(b"[")?;
    let mut is_empty = true;
    for entry in entries {
        out.write_all(if is_empty { b"" } else { b"," })?;
        line_break(out, indent + 2)?;
        entry.borrow().write(out, indent + 2)?;
        is_empty = false;
    }
    if !is_empty {
        line_break(out, indent)?;
    }
    out.write_all(b"]")
}

impl From<Value> for Document<'_> {
    fn from(value: Value) -> Self {
        Document::Value(value)
    }
}

/// The fields that are there, and room for others that are not.
impl From<Map<String, Value>> for Document<'_> {
    fn from(fields: Map<String, Value>) -> Self {
        Document::Object(fields.into_iter().map(|(name, value)| (name, value.into())).collect())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn written(document: &Document<'_>, indent: usize) -> String {
        let mut out = Vec::new();
        document.write(&mut out, indent).expect("memory takes everything");
        String::from_utf8(out).expect("text")
    }

    #[test]
    fn it_is_written_as_the_whole_tree_would_be() {
        let texts = ["plain", "two\nlines", "\"quoted\" \\ \u{1b}"];
        let entries =
            move || texts.into_iter().map(|text| Document::from(json!({ "text": text, "none": [] })));
        let mut document = Document::from(Map::new());
        assert_eq!(written(&document, 0), "{}");
        document.insert("a \"name\"", json!(1.5));
        document.insert("entries", Document::list(entries));
        document.insert("nothing", Document::list(std::iter::empty));
        document.insert("there", Document::Array(entries().collect()));
        document.insert("empty", Document::Array(Vec::new()));
        document.insert("deep", Document::list(move || std::iter::once(Document::list(entries))));
        let whole = document.to_value();
        assert_eq!(written(&document, 0), format!("{whole:#}"));
        let list = json!([whole]);
        assert_eq!(format!("[\n  {}\n]", written(&document, 2)), format!("{list:#}"));
        assert_eq!(whole["deep"][0][1]["text"], "two\nlines");
    }
}
