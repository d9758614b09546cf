//! Where a text asks something: answers are shown there.

use std::ops::Range;

use narrows_languages::outline::NameKind;

use super::document::{Content, Document};

/// A place where something is asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AskedAt {
    /// The name of a property of a model; of a study, the number of the question.
    pub what: String,
    /// Where.
    pub place: Range<usize>,
}

/// Returns where a text asks something: properties of a model, questions of a study.
pub fn asked(document: &Document) -> Vec<AskedAt> {
    match &document.content {
        Content::Model(_, outline) => {
            let properties = outline.declared.iter().filter(|declared| declared.kind == NameKind::Property);
            properties.map(|found| AskedAt { what: found.name.clone(), place: found.place.clone() }).collect()
        }
        Content::Study(entries) => {
            let mut asked: Vec<AskedAt> = Vec::new();
            for entry in entries.iter().filter(|entry| entry.table == ["ask"]) {
                let what = entry.number.to_string();
                let place = entry.key_place.start..entry.place.end;
                match asked.iter_mut().find(|known| known.what == what) {
                    Some(known) if known.place.start <= place.start => {}
                    Some(known) => known.place = place,
                    None => asked.push(AskedAt { what, place }),
                }
            }
            asked
        }
    }
}
