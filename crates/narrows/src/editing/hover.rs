//! What is told of a name where the pointer rests.

use std::fmt::Write;
use std::ops::Range;

use narrows_languages::outline::{Declared, NameKind};
use narrows_study::Entry;

use super::files::Files;
use super::names::Target;

/// Longer declarations are cut off.
const MAX_LINES: usize = 12;

/// What is told of a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hover {
    /// The name.
    pub place: Range<usize>,
    /// What is told: Markdown.
    pub text: String,
}

impl Files {
    /// Tells what the name at an offset is: its declaration, and the comment before it.
    pub fn hover(&self, file: usize, offset: usize) -> Option<Hover> {
        let (place, target) = self.target_at(file, offset)?;
        let text = match target {
            Target::Declared(owner, number) => {
                let declared = &self.documents[owner].outline()?.declared[number];
                let mut text = self.describe(owner, declared);
                if owner != file {
                    let _ = write!(text, "\n\nin `{}`", self.documents[owner].name);
                }
                text
            }
            Target::Entry(owner, number) => {
                let entry = &self.documents[owner].entries()[number];
                let written = self.line_of(owner, entry);
                format!("{} of the study\n\n```toml\n{written}\n```", entry.table.join("."))
            }
        };
        Some(Hover { place, text })
    }

    /// Describes a declaration: what it is, its text, and the comment above it.
    fn describe(&self, file: usize, declared: &Declared) -> String {
        let document = &self.documents[file];
        let text = &document.text;
        let kind = kind_name(declared.kind);
        let place = match declared.kind {
            // A body tells little of what a process is for.
            NameKind::Process | NameKind::Module | NameKind::Type => {
                let end = text[declared.place.end..declared.extent.end.max(declared.place.end)]
                    .find(['{', '\n'])
                    .filter(|_| declared.kind != NameKind::Type);
                declared.extent.start..end.map_or(declared.extent.end, |length| declared.place.end + length)
            }
            _ => declared.extent.clone(),
        };
        let lines: Vec<&str> = text.get(place).unwrap_or(&declared.name).trim_end().lines().collect();
        let mut shown = lines[..lines.len().min(MAX_LINES)].join("\n");
        if lines.len() > MAX_LINES {
            shown += "\n…";
        }
        let owner = declared.parent.and_then(|parent| Some(&document.outline()?.declared[parent].name));
        let of = owner.map_or(String::new(), |owner| format!(" of `{owner}`"));
        let language = document.language().to_ascii_lowercase();
        let mut told = format!("{kind}{of}\n\n```{language}\n{}\n```", shown.trim_start());
        if let Some(comment) = comment_above(text, declared.extent.start) {
            let _ = write!(told, "\n\n{comment}");
        }
        told
    }

    /// Returns the text of an entry of a study.
    fn line_of(&self, file: usize, entry: &Entry) -> String {
        let text = &self.documents[file].text;
        let start = text[..entry.key_place.start].rfind('\n').map_or(0, |at| at + 1);
        let end = text[entry.place.end..].find('\n').map_or(text.len(), |length| entry.place.end + length);
        text[start..end].trim().to_owned()
    }
}

/// Returns what a kind of name is called.
pub(super) fn kind_name(kind: NameKind) -> &'static str {
    match kind {
        NameKind::Process => "process",
        NameKind::Module => "module",
        NameKind::Inline => "inline",
        NameKind::Macro => "macro",
        NameKind::Type => "type",
        NameKind::Field => "field",
        NameKind::Constant => "constant",
        NameKind::Definition => "definition",
        NameKind::Variable => "variable",
        NameKind::Channel => "channel",
        NameKind::Parameter => "parameter",
        NameKind::Label => "label",
        NameKind::Gate => "gate",
        NameKind::Operation => "operation",
        NameKind::Property => "property",
    }
}

/// Returns the comment on the lines just above an offset, without its signs.
fn comment_above(text: &str, offset: usize) -> Option<String> {
    let start = text[..offset].rfind('\n')?;
    let mut lines = Vec::new();
    let mut is_block = false;
    for line in text[..start].lines().rev() {
        let line = line.trim();
        is_block |= line.ends_with("*/") || line.ends_with("*)");
        let signs = ["//", "--", "/*", "(*"];
        if !is_block && !signs.iter().any(|sign| line.starts_with(sign)) {
            break;
        }
        let inner = line.trim_start_matches(['/', '*', '-', '(']).trim_end_matches(['/', '*', ')']).trim();
        lines.push(inner);
        if line.starts_with("/*") || line.starts_with("(*") {
            break;
        }
    }
    lines.reverse();
    let comment = lines.join("\n").trim().to_owned();
    (!comment.is_empty()).then_some(comment)
}
