//! The runs that show figures. A page holds them packed, and a script unfolds one when it is opened; without
//! a script, its beginning can be read.

use narrows_model::{Figure, Model, Trace};
use narrows_source::printable;
use serde_json::json;

use super::charts::without_style;
use crate::narration::{self, picture};
use crate::pack::packed;

/// Of a longer run there is no chart.
const CHARTED: usize = 400;

/// So many lines of a run can be read without a script.
const READABLE: usize = 24;

/// A run that shows something.
pub(super) struct Run {
    pub(super) id: String,
    /// What it shows; the same run may show several things.
    pub(super) titles: Vec<String>,
    /// Its first steps, as text.
    pub(super) start: String,
    /// How many lines follow.
    pub(super) more: usize,
    /// All steps and the chart, packed; empty if `start` is all there is.
    pub(super) packed: String,
    steps: String,
}

/// The runs of a study.
pub(super) struct Runs<'r> {
    model: &'r Model,
    study: String,
    pub(super) list: Vec<Run>,
}

impl<'r> Runs<'r> {
    pub(super) fn new(model: &'r Model, study: &str) -> Runs<'r> {
        Runs { model, study: study.to_owned(), list: Vec::new() }
    }

    /// Adds the runs that show a figure; returns the name of the first.
    pub(super) fn witnesses(&mut self, figure: &Figure) -> Option<String> {
        let mut first = None;
        for (what, trace) in &figure.witnesses {
            let title = format!("{} {} ({}): {what}", figure.kind, figure.name, figure.view);
            let id = match self.list.iter().find(|run| run.titles.contains(&title)) {
                Some(run) => run.id.clone(),
                None => self.add(title, trace),
            };
            first.get_or_insert(id);
        }
        first
    }

    fn add(&mut self, title: String, trace: &Trace) -> String {
        let mut steps = String::new();
        narration::steps(self.model, trace, &mut steps);
        if let Some(run) = self.list.iter_mut().find(|run| run.steps == steps) {
            run.titles.push(title);
            return run.id.clone();
        }
        let id = format!("{}r{}", self.study, self.list.len() + 1);
        let is_short = trace.steps.len() <= CHARTED;
        let chart = is_short.then(|| picture(self.model, trace, &title)).flatten();
        let lines = steps.lines().count();
        let start: String = steps.split_inclusive('\n').take(READABLE).collect();
        let more = lines.saturating_sub(READABLE);
        let packed = if more > 0 || chart.is_some() {
            let chart = chart.map(|chart| printable(&without_style(&chart)).into_owned());
            packed(&json!({ "steps": printable(&steps), "chart": chart }).to_string())
        } else {
            String::new()
        };
        self.list.push(Run { id: id.clone(), titles: vec![title], start, more, packed, steps });
        id
    }
}
