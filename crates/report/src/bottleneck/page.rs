//! Studies as one page that needs nothing else: no network, no script.

use askama::Template;
use narrows_model::{Figure, FigureResult, StateDiagram, Trace};
use narrows_source::printable;

use super::charts::Picture;
use super::compare::{Column, Row, names as heads, rows};
use super::summary;
use super::{Analysed, of_view, short, word};
use crate::diagram::{Diagram, DiagramEdge, DiagramNode, svg as diagram_svg};
use crate::figures::{judgement, result_text};
use crate::narration::{self, picture};
use crate::units::seconds;
use crate::{ViewSize, sweep, tables};

/// A page about some studies.
#[derive(Default)]
pub struct StudyPage {
    studies: Vec<String>,
    names: Vec<(String, String)>,
    columns: Vec<Column>,
}

#[derive(Template)]
#[template(path = "report.html")]
struct Whole<'p> {
    title: String,
    tool: String,
    names: &'p [(String, String)],
    /// The same without the folders that all studies are in.
    short_names: Vec<(String, String)>,
    studies: &'p [String],
    summary_heads: [&'static str; 7],
    summary: Vec<Vec<String>>,
    heads: Vec<String>,
    different: Vec<Row>,
    same: Vec<Row>,
    page_style: &'static str,
    study_style: &'static str,
    chart_style: &'static str,
}

#[derive(Template)]
#[template(path = "study.html")]
struct Study {
    id: String,
    name: String,
    title: String,
    /// Why something was not found out.
    limit: Option<&'static str>,
    conclusions: Vec<Conclusion>,
    answers: Vec<Answer>,
    tables: Vec<Table>,
    heads: Vec<String>,
    matrix: Vec<(String, Vec<Cell>)>,
    together: Vec<(String, String)>,
    charts: Vec<Picture>,
    sweep_heads: Vec<String>,
    sweep_lines: Vec<Vec<String>>,
    diagrams: Vec<Picture>,
    runs: Vec<Run>,
    methods: Vec<Method>,
    texts: Vec<(String, String)>,
    sizes: Vec<String>,
}

/// What is said about an event.
struct Conclusion {
    event: String,
    bottleneck: String,
    findings: Vec<Vec<(bool, String)>>,
    /// What a round waits for.
    critical: Vec<(String, String)>,
    period: String,
    work: Vec<(String, String)>,
}

/// An answer to a question of the study.
struct Answer {
    class: &'static str,
    mark: char,
    question: String,
    result: String,
    judgement: String,
    notes: Vec<String>,
    run: Option<String>,
}

/// A table that the study asks for.
struct Table {
    title: String,
    /// Who found the figures that stand beside ours; empty if there are none.
    source: String,
    columns: Vec<String>,
    rows: Vec<(String, Vec<Entry>)>,
}

/// A field of such a table.
#[derive(Default)]
struct Entry {
    class: &'static str,
    ours: String,
    run: Option<String>,
    /// What others found.
    theirs: String,
    differs: bool,
}

/// A field of the matrix of overlaps.
struct Cell {
    /// What is said, each with its class, and the run that shows it.
    words: Vec<(String, String, Option<String>)>,
}

/// A run that shows something.
struct Run {
    id: String,
    title: String,
    steps: String,
    chart: Option<String>,
}

/// How a number was found.
struct Method {
    what: String,
    value: String,
    view: &'static str,
    how: String,
}

/// Of a longer run there is no chart.
const CHARTED: usize = 400;

impl StudyPage {
    /// Adds what there is to say about a study; the diagrams are those of its model.
    pub fn add(&mut self, analysed: &Analysed<'_>, diagrams: &[Diagram]) {
        let id = format!("s{}", self.studies.len() + 1);
        self.names.push((id.clone(), analysed.figures.name.to_owned()));
        self.columns.push(analysed.column());
        let study = Maker { analysed, id, runs: Vec::new() }.study(diagrams);
        // Writing into a string can't fail.
        self.studies.push(study.render().unwrap_or_default());
    }

    /// Writes the page.
    pub fn write(&self) -> String {
        let title = match self.names.as_slice() {
            [(_, name)] => name.clone(),
            names => format!("{} studies", names.len()),
        };
        let (different, same) =
            if self.columns.len() > 1 { rows(&self.columns) } else { (Vec::new(), Vec::new()) };
        let whole = Whole {
            title,
            tool: format!("narrows {}", env!("CARGO_PKG_VERSION")),
            names: &self.names,
            short_names: self.names.iter().map(|(id, _)| id.clone()).zip(heads(&self.columns)).collect(),
            studies: &self.studies,
            summary_heads: summary::HEADS,
            summary: summary::lines(&self.columns),
            heads: heads(&self.columns),
            different,
            same,
            page_style: include_str!("../../templates/page.css"),
            study_style: include_str!("../../templates/study.css"),
            chart_style: include_str!("../chart/chart.css"),
        };
        printable(&whole.render().unwrap_or_default()).into_owned()
    }
}

struct Maker<'m, 'a> {
    analysed: &'m Analysed<'a>,
    id: String,
    runs: Vec<Run>,
}

impl Maker<'_, '_> {
    fn study(mut self, diagrams: &[Diagram]) -> Study {
        let analysed = self.analysed;
        let is_told = |figure: &&Figure| figure.cell.is_none() || figure.fails() || figure.is_open();
        let told = analysed.figures.figures.iter().filter(is_told);
        let answers = told.map(|figure| self.answer(figure)).collect();
        let tables = self.tables();
        let matrix = self.matrix();
        for flow in &analysed.bottleneck.flows {
            for figure in &flow.throughput {
                self.witnesses(figure);
            }
        }
        let (sweep_heads, sweep_lines) = sweep::cells(analysed.figures.sweep, analysed.figures.digits());
        let of_variables: Vec<Diagram> = analysed.bottleneck.diagrams.iter().map(diagram_of).collect();
        let drawn = of_variables.iter().chain(diagrams).enumerate().map(|(number, diagram)| {
            let svg = diagram_svg(std::slice::from_ref(diagram), &diagram.title);
            // Several pictures on a page must not share the names of their parts.
            let tip = format!("{}tip{number}", self.id);
            let svg = svg
                .replace("id=\"tip\"", &format!("id=\"{tip}\""))
                .replace("url(#tip)", &format!("url(#{tip})"));
            Picture { name: format!("process-{number}"), title: diagram.title.clone(), svg }
        });
        Study {
            name: analysed.figures.name.to_owned(),
            title: analysed.figures.title.to_owned(),
            limit: analysed.limit(),
            conclusions: self.conclusions(),
            answers,
            tables,
            heads: analysed
                .bottleneck
                .resources
                .iter()
                .skip(1)
                .map(|resource| resource.name.clone())
                .collect(),
            matrix,
            together: self.together(),
            charts: analysed.charts(),
            sweep_heads,
            sweep_lines,
            diagrams: drawn.collect(),
            methods: self.methods(),
            texts: self.texts(),
            sizes: self.sizes(),
            runs: self.runs,
            id: self.id,
        }
    }

    fn tables(&mut self) -> Vec<Table> {
        let mut made = Vec::new();
        for table in tables::tables(self.analysed.figures.figures) {
            let mut rows = Vec::new();
            for (name, cells) in &table.rows {
                let entries =
                    cells.iter().map(|cell| cell.map_or_else(Entry::default, |one| self.entry(one)));
                rows.push(((*name).to_owned(), entries.collect()));
            }
            made.push(Table {
                title: table.title.to_owned(),
                source: table.source.to_owned(),
                columns: table.columns.iter().map(|&column| column.to_owned()).collect(),
                rows,
            });
        }
        made
    }

    fn entry(&mut self, figure: &Figure) -> Entry {
        Entry {
            class: if figure.fails() { "fails" } else { "" },
            ours: tables::short(figure, self.analysed.figures.digits()),
            run: self.witnesses(figure),
            theirs: figure.reference.as_ref().map_or_else(String::new, |one| tables::found(&one.found)),
            differs: figure.reference.as_ref().is_some_and(|one| !one.agrees),
        }
    }

    fn conclusions(&self) -> Vec<Conclusion> {
        let unit = self.analysed.unit;
        let conclusion = |flow: &narrows_model::Flow| {
            let case = flow.cases.last();
            let work = case.map_or(&[][..], |case| &case.work);
            Conclusion {
                event: flow.event.clone(),
                bottleneck: flow
                    .bottleneck
                    .as_ref()
                    .map_or_else(|| "not known".to_owned(), |names| names.join(" + ")),
                findings: flow.findings.iter().map(|finding| pieces(finding)).collect(),
                critical: case.map_or_else(Vec::new, |case| self.analysed.critical(case)),
                period: case.map_or_else(String::new, |case| {
                    let what = if case.is_endless { "round" } else { "run" };
                    let period = format!("{what} of {} {unit}", short(case.period.to_f64()));
                    if case.work.is_empty() {
                        format!("What is busy in a {period}")
                    } else {
                        format!("What a {period} waits for")
                    }
                }),
                work: work
                    .iter()
                    .map(|work| (work.process.clone(), format!("{} {unit}", short(work.time.to_f64()))))
                    .collect(),
            }
        };
        self.analysed.bottleneck.flows.iter().map(conclusion).collect()
    }

    fn answer(&mut self, figure: &Figure) -> Answer {
        let (class, mark) = if figure.fails() {
            ("fails", '✗')
        } else if figure.is_open() {
            ("undecided", '?')
        } else if figure.expected.is_some() {
            ("holds", '✓')
        } else {
            // Nothing was expected, so that nothing can be as expected.
            ("", '·')
        };
        Answer {
            class,
            mark,
            question: format!("{} {}", figure.kind, figure.name),
            result: result_text(figure, self.analysed.figures.digits()),
            judgement: judgement(figure).trim().to_owned(),
            notes: figure.notes.clone(),
            run: self.witnesses(figure),
        }
    }

    /// Adds the runs that show a figure; returns the name of the first.
    fn witnesses(&mut self, figure: &Figure) -> Option<String> {
        let mut first = None;
        for (what, trace) in &figure.witnesses {
            let title = format!("{} {} ({}): {what}", figure.kind, figure.name, figure.view);
            let id = match self.runs.iter().find(|run| run.title == title) {
                Some(run) => run.id.clone(),
                None => self.run(title, trace),
            };
            first.get_or_insert(id);
        }
        first
    }

    fn run(&mut self, title: String, trace: &Trace) -> String {
        let id = format!("{}r{}", self.id, self.runs.len() + 1);
        let model = self.analysed.figures.model;
        let mut steps = String::new();
        narration::steps(model, trace, &mut steps);
        let is_short = trace.steps.len() <= CHARTED;
        let chart = is_short.then(|| picture(model, trace, &title)).flatten();
        self.runs.push(Run { id: id.clone(), title, steps, chart });
        id
    }

    /// Returns the upper half of the matrix of overlaps, line by line.
    fn matrix(&mut self) -> Vec<(String, Vec<Cell>)> {
        let bottleneck = self.analysed.bottleneck;
        let mut lines = Vec::new();
        for first in 0..bottleneck.resources.len().saturating_sub(1) {
            let mut cells = Vec::new();
            for second in 1..bottleneck.resources.len() {
                let mut words = Vec::new();
                let overlap = bottleneck
                    .overlaps
                    .iter()
                    .find(|overlap| (overlap.first, overlap.second) == (first, second));
                let answer = |view| overlap.and_then(|overlap| of_view(&overlap.answers, view));
                let is_never = answer("untimed").is_some_and(|figure| word(figure) == "never");
                let is_synchronous = self.analysed.figures.model.synchronous().is_some();
                let timed = if is_synchronous { "" } else { " with these delays" };
                for (view, when) in [("untimed", " whatever the delays"), ("timed", timed)] {
                    if is_never && view == "timed" {
                        continue;
                    }
                    if let Some(figure) = answer(view) {
                        let word = word(figure);
                        let class = if matches!(figure.result, FigureResult::Word(_)) {
                            word.clone()
                        } else {
                            "undecided".to_owned()
                        };
                        words.push((class, format!("{word}{when}"), self.witnesses(figure)));
                    }
                }
                cells.push(Cell { words });
            }
            lines.push((bottleneck.resources[first].name.clone(), cells));
        }
        lines
    }

    fn together(&self) -> Vec<(String, String)> {
        let resources = &self.analysed.bottleneck.resources;
        let set = |set: &Vec<usize>| {
            set.iter().map(|number| resources[*number].name.as_str()).collect::<Vec<_>>().join(" + ")
        };
        let line = |together: &narrows_model::Together| {
            let view = match (self.analysed.figures.model.synchronous(), together.view) {
                (Some(_), _) => "",
                (_, "timed") => ", with these delays",
                _ => ", whatever the delays",
            };
            let so_far = if together.is_complete { "" } else { ", as far as states were visited" };
            (format!("{view}{so_far}"), together.sets.iter().map(set).collect::<Vec<_>>().join("; "))
        };
        self.analysed.bottleneck.together.iter().map(line).collect()
    }

    fn methods(&self) -> Vec<Method> {
        let mut figures: Vec<&Figure> = self.analysed.figures.figures.iter().collect();
        for flow in &self.analysed.bottleneck.flows {
            figures.extend(&flow.throughput);
        }
        figures.extend(self.analysed.bottleneck.utilisation.iter().flatten());
        for overlap in &self.analysed.bottleneck.overlaps {
            figures.extend(&overlap.answers);
        }
        let method = |figure: &&Figure| Method {
            what: format!("{} {}", figure.kind, figure.name),
            value: result_text(figure, self.analysed.figures.digits()),
            view: figure.view,
            how: how(figure, self.analysed.figures.model.synchronous().is_some()),
        };
        figures.iter().map(method).collect()
    }

    fn texts(&self) -> Vec<(String, String)> {
        let mut texts: Vec<(String, String)> = Vec::new();
        for (_, file) in self.analysed.figures.model.sources.files() {
            // Expressions and constants of the study are files of their own to the front end.
            let is_part = ["study:", "command line"].iter().any(|start| file.name.starts_with(start));
            if !is_part && !texts.iter().any(|(name, _)| *name == file.name) {
                texts.push((file.name.clone(), file.text.clone()));
            }
        }
        texts
    }

    fn sizes(&self) -> Vec<String> {
        let sizes = self.analysed.figures.sizes.iter().map(ViewSize::text);
        sizes.chain([seconds(self.analysed.figures.seconds)]).collect()
    }
}

/// Cuts a sentence at its quotes: whether each piece stands in quotes, and what it says.
fn pieces(sentence: &str) -> Vec<(bool, String)> {
    sentence.split('`').enumerate().map(|(number, piece)| (number % 2 == 1, piece.to_owned())).collect()
}

/// Draws how a variable changes. Who changes it is only said if not always the same process does.
fn diagram_of(diagram: &StateDiagram) -> Diagram {
    let by = diagram.changes.first().map_or("", |(.., by)| by);
    let is_one = diagram.changes.iter().all(|(.., other)| other == by);
    let title = if is_one && !by.is_empty() {
        format!("{}, changed by {by}", diagram.variable)
    } else {
        diagram.variable.clone()
    };
    let node = |value: &String| DiagramNode { name: value.clone(), ..DiagramNode::default() };
    let edge = |(from, to, by): &(usize, usize, String)| DiagramEdge {
        from: *from,
        to: *to,
        label: if is_one { String::new() } else { by.clone() },
    };
    Diagram {
        title,
        nodes: diagram.values.iter().map(node).collect(),
        edges: diagram.changes.iter().map(edge).collect(),
    }
}

/// Says how a figure was found, and how far it may be off.
fn how(figure: &Figure, is_synchronous: bool) -> String {
    let error = match figure.result {
        FigureResult::Value { exact: true, .. } => " Exact.".to_owned(),
        FigureResult::Value { low, high, .. } => {
            let (low, high) = (low.to_f64(), high.to_f64());
            format!(" It lies between {low:e} and {high:e}, rounding included.")
        }
        _ => String::new(),
    };
    let how = match (figure.kind, figure.view) {
        ("throughput" | "utilisation", "timed") => {
            "The greatest and the least ratio over all cycles of the timed view."
        }
        ("throughput" | "utilisation" | "mean_count", _) => {
            "The Markov chain of the model, its long run bounded from both sides."
        }
        ("mean_delay" | "transient", _) => "The Markov chain of the model, bounded from both sides.",
        ("overlap", "timed") => "Every state of the timed view was looked at, and every cycle.",
        ("overlap", _) => {
            "Every state of the model was visited; whether it must happen is a formula about fair runs."
        }
        ("delay" | "count" | "min_delay" | "max_delay" | "min_count" | "max_count", "timed")
            if is_synchronous =>
        {
            "Sets of states, step by step from where it begins and back from where it ends."
        }
        ("ltl" | "ctl" | "invariant" | "deadlock", _) => "Every run of the model was looked at.",
        ("bottleneck", _) => "What the best run waits for, and what is busy all the time on it.",
        _ => "The shortest and the longest way through all states of the view.",
    };
    let notes = figure.notes.iter().fold(String::new(), |all, note| all + " " + note);
    format!("{how}{error}{notes}")
}
