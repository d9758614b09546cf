//! Studies as one page that needs nothing else: no network, and no script but the one in it, without which all but
//! long runs and diagrams is there.

use askama::Template;
use narrows_source::printable;

use super::Analysed;
use super::article::{Shown, article};
use super::charts::without_style;
use super::compare::{Column, Row, names as heads, rows};
use super::story::{Story, variants};
use super::summary::judged;
use crate::diagram::Diagram;
use crate::{chart, diagram, plot};

/// A page about some studies.
#[derive(Default)]
pub struct StudyPage {
    studies: Vec<String>,
    ids: Vec<String>,
    columns: Vec<Column>,
    stories: Vec<Vec<Story>>,
    shown: Shown,
}

#[derive(Template)]
#[template(path = "report.html")]
struct Whole<'p> {
    title: String,
    tool: String,
    /// The studies: where they are on the page, and what they are called.
    names: Vec<(&'p str, String)>,
    studies: &'p [String],
    /// For each event of each study, the study, what is said, and whether all of it is as expected.
    stories: Vec<(&'p str, String, &'p Story, &'static str)>,
    /// The best and the worst of all that is compared.
    extremes: Vec<(&'static str, &'p str, String, &'p Story)>,
    variants: Vec<String>,
    heads: Vec<String>,
    different: Vec<Row>,
    same: Vec<Row>,
    page_style: &'static str,
    study_style: &'static str,
    chart_style: String,
    script: &'static str,
}

impl StudyPage {
    /// Adds what there is to say about a study; the diagrams are those of its model.
    pub fn add(&mut self, analysed: &Analysed<'_>, diagrams: &[Diagram]) {
        let id = format!("s{}", self.studies.len() + 1);
        self.ids.push(id.clone());
        self.columns.push(analysed.column());
        self.stories.push(analysed.stories());
        self.studies.push(article(analysed, id, diagrams, &mut self.shown));
    }

    /// Writes the page.
    pub fn write(&self) -> String {
        let names = heads(&self.columns);
        let title = match self.columns.as_slice() {
            [column] => column.name.clone(),
            columns => format!("{} studies", columns.len()),
        };
        let (different, same) =
            if self.columns.len() > 1 { rows(&self.columns) } else { (Vec::new(), Vec::new()) };
        let studies = self.ids.iter().zip(&names).zip(&self.columns).zip(&self.stories);
        let stories: Vec<_> = studies
            .flat_map(|(((id, name), column), stories)| {
                stories.iter().map(move |story| (id.as_str(), name.clone(), story, judged(column)))
            })
            .collect();
        let compared: Vec<(String, Story)> =
            stories.iter().map(|(_, name, story, _)| (name.clone(), (*story).clone())).collect();
        let whole = Whole {
            title,
            tool: format!("narrows {}", env!("CARGO_PKG_VERSION")),
            names: self.ids.iter().map(String::as_str).zip(names.iter().cloned()).collect(),
            studies: &self.studies,
            extremes: extremes(&stories),
            stories,
            variants: variants(&compared).iter().map(|svg| without_style(svg)).collect(),
            heads: names,
            different,
            same,
            page_style: include_str!("../../templates/page.css"),
            study_style: include_str!("../../templates/study.css"),
            chart_style: [chart::STYLE, plot::STYLE, diagram::STYLE].concat(),
            script: include_str!("../../templates/report.js"),
        };
        printable(&whole.render().unwrap_or_default()).into_owned()
    }
}

/// Returns the best and the worst variant, if all are about the same event in the same unit.
fn extremes<'p>(
    stories: &[(&'p str, String, &'p Story, &'static str)],
) -> Vec<(&'static str, &'p str, String, &'p Story)> {
    let mut known: Vec<_> = stories.iter().filter(|(_, _, story, _)| story.best() > 0.0).collect();
    let Some((_, _, first, _)) = known.first() else { return Vec::new() };
    if known.len() < 2 || !known.iter().all(|(_, _, story, _)| story.is_comparable(first)) {
        return Vec::new();
    }
    known.sort_by(|one, other| other.2.best().total_cmp(&one.2.best()));
    let told = |what, (id, name, story, _): &(&'p str, String, &'p Story, &'static str)| {
        (what, *id, name.clone(), *story)
    };
    match (known.first(), known.last()) {
        (Some(best), Some(worst)) => vec![told("Best", best), told("Worst", worst)],
        _ => Vec::new(),
    }
}
