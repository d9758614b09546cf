//! Studies as one page that needs nothing else: no network, and no script but the one in it, without which
//! all but long runs and diagrams is there.

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

/// Variants that differ by less are alike.
const ALIKE: f64 = 5e-4;

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
    /// How many studies are as expected, and which ones are not.
    verdicts: Vec<String>,
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
            verdicts: verdicts(&self.columns, &names),
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

/// Says how many of the studies that expect something are as expected, and names the others.
fn verdicts(columns: &[Column], names: &[String]) -> Vec<String> {
    let such = |word: &str| -> Vec<&str> {
        let judged = columns.iter().zip(names).filter(|(column, _)| judged(column) == word);
        judged.map(|(_, name)| name.as_str()).collect()
    };
    let (met, unmet, open) = (such("yes").len(), such("NO"), such("undecided"));
    let all = met + unmet.len() + open.len();
    let whole = match all {
        0 => return Vec::new(),
        1 if met == 1 => "One study says what it expects, and is as expected.".to_owned(),
        _ if met == all => format!("All {all} studies that say what they expect are as expected."),
        _ => format!("{met} of {all} studies that say what they expect are as expected."),
    };
    let told =
        |what: &str, names: &[&str]| (!names.is_empty()).then(|| format!("{what}: {}.", names.join(", ")));
    [Some(whole), told("Not as expected", &unmet), told("Undecided", &open)].into_iter().flatten().collect()
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
        (Some(best), Some(worst)) if best.2.best() - worst.2.best() > best.2.best() * ALIKE => {
            vec![told("Best", best), told("Worst", worst)]
        }
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::{Column, verdicts};

    #[test]
    fn verdicts_name_what_is_not_as_expected() {
        let column = |status, expects| Column {
            name: String::new(),
            events: Vec::new(),
            lines: Vec::new(),
            status,
            expects,
        };
        let said = |columns: &[Column]| {
            let names: Vec<String> = (1..=columns.len()).map(|number| format!("study {number}")).collect();
            verdicts(columns, &names).join(" ")
        };
        // What expects nothing is not counted.
        assert_eq!(said(&[column(0, false), column(0, false)]), "");
        assert_eq!(
            said(&[column(0, true), column(0, false), column(0, true)]),
            "All 2 studies that say what they expect are as expected."
        );
        assert_eq!(
            said(&[column(0, true), column(1, true), column(2, true)]),
            "1 of 3 studies that say what they expect are as expected. Not as expected: study 2. Undecided: study 3."
        );
    }
}
