//! What a page says about one study.

use askama::Template;
use narrows_model::{Figure, FigureResult, StateDiagram};

use super::charts::{Picture, without_style};
use super::runs::{Run, Runs};
use super::story::Story;
use super::system::SYSTEM;
use super::{Analysed, of_view, short, word};
use crate::against::{Against, HEADS, MeasuredFigure};
use crate::diagram::{Diagram, DiagramEdge, DiagramNode, svg as diagram_svg};
use crate::figures::size_text;
use crate::figures::{asked, judgement, result_text};
use crate::pack::{base64, packed};
use crate::units::seconds;
use crate::{sweep, tables};

/// What the studies before this one have shown, and where: a model that several are about is drawn and
/// printed once.
#[derive(Default)]
pub(super) struct Shown {
    diagrams: Vec<(String, String)>,
    texts: Vec<((String, String), String)>,
}

impl Shown {
    /// Returns where something was shown, or notes that it is shown here.
    fn place<T: PartialEq>(list: &mut Vec<(T, String)>, what: T, here: &str) -> Option<String> {
        let found = list.iter().find(|(known, _)| *known == what).map(|(_, place)| place.clone());
        if found.is_none() {
            list.push((what, here.to_owned()));
        }
        found
    }
}

/// Writes what there is to say about a study; the diagrams are those of its model.
pub(super) fn article(
    analysed: &Analysed<'_>,
    id: String,
    diagrams: &[Diagram],
    shown: &mut Shown,
) -> String {
    let study = Maker { analysed, runs: Runs::new(analysed.figures.model, &id), id }.study(diagrams, shown);
    // Writing into a string can't fail.
    study.render().unwrap_or_default()
}

#[derive(Template)]
#[template(path = "study.html")]
struct Study {
    id: String,
    stories: Vec<Story>,
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
    /// The system, on the first screen.
    system: Option<Picture>,
    charts: Vec<Picture>,
    sweep_heads: Vec<String>,
    sweep_lines: Vec<Vec<String>>,
    diagrams: Vec<Unfolding>,
    runs: Vec<Run>,
    methods: Vec<Method>,
    texts: Vec<Listing>,
    sizes: Vec<String>,
    /// The figures as files that the page holds: what they are called, and a link that holds them.
    files: [(String, String); 2],
}

/// A picture that is drawn when it is wanted.
struct Unfolding {
    id: String,
    title: String,
    packed: String,
    /// Where the same picture was shown before.
    at: Option<String>,
}

/// A file of the study.
struct Listing {
    id: String,
    name: String,
    text: String,
    /// Where the same text was shown before.
    at: Option<String>,
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

/// How a number was found.
struct Method {
    what: String,
    value: String,
    view: &'static str,
    how: String,
}

struct Maker<'m, 'a> {
    analysed: &'m Analysed<'a>,
    id: String,
    runs: Runs<'m>,
}

impl Maker<'_, '_> {
    fn study(mut self, diagrams: &[Diagram], shown: &mut Shown) -> Study {
        let analysed = self.analysed;
        let is_told = |figure: &&Figure| figure.cell.is_none() || figure.fails() || figure.is_open();
        let told = analysed.figures.figures.iter().filter(is_told);
        let answers = told.map(|figure| self.answer(figure)).collect();
        let tables = self.tables();
        let matrix = self.matrix();
        for flow in &analysed.bottleneck.flows {
            for figure in &flow.throughput {
                self.runs.witnesses(figure);
            }
        }
        let (sweep_heads, sweep_lines) = sweep::cells(analysed.figures.sweep, analysed.figures.digits());
        let of_variables: Vec<Diagram> = analysed.bottleneck.diagrams.iter().map(diagram_of).collect();
        let drawn = self.diagrams(of_variables.iter().chain(diagrams), shown);
        let charts = self.charts();
        Study {
            name: analysed.figures.name.to_owned(),
            title: analysed.figures.title.to_owned(),
            limit: analysed.limit(),
            stories: analysed.stories(),
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
            system: charts.iter().find(|chart| chart.name == SYSTEM).cloned(),
            charts: charts.into_iter().filter(|chart| chart.name != SYSTEM).collect(),
            sweep_heads,
            sweep_lines,
            diagrams: drawn,
            methods: self.methods(),
            texts: self.texts(shown),
            sizes: self.sizes(),
            files: self.files(),
            runs: self.runs.list,
            id: self.id,
        }
    }

    fn charts(&self) -> Vec<Picture> {
        let charts = self.analysed.charts().into_iter();
        // Several pictures on a page must not share the names of their parts.
        let svg = |svg: &str| renamed(&without_style(svg), &format!("{}tip", self.id));
        charts.map(|chart| Picture { svg: svg(&chart.svg), ..chart }).collect()
    }

    /// Draws diagrams to be unfolded, or says where the same were drawn before.
    fn diagrams<'d>(&self, diagrams: impl Iterator<Item = &'d Diagram>, shown: &mut Shown) -> Vec<Unfolding> {
        let unfolding = |(number, diagram): (usize, &Diagram)| {
            let svg = without_style(&diagram_svg(std::slice::from_ref(diagram), &diagram.title));
            let id = format!("{}-diagram{}", self.id, number + 1);
            let at = Shown::place(&mut shown.diagrams, svg.clone(), &id);
            let svg = renamed(&svg, &format!("{}tip{number}", self.id));
            let packed = if at.is_none() { packed(&svg) } else { String::new() };
            Unfolding { id, title: diagram.title.clone(), packed, at }
        };
        diagrams.enumerate().map(unfolding).collect()
    }

    /// Returns the figures as files: comma-separated values, and the document without the steps of runs.
    fn files(&self) -> [(String, String); 2] {
        let document = self.analysed.told(false).to_value();
        let link =
            |kind: &str, text: &str| format!("data:{kind};charset=utf-8;base64,{}", base64(text.as_bytes()));
        let name = self.analysed.figures.name;
        let name = name.rsplit('/').next().unwrap_or(name).trim_end_matches(".toml");
        [
            (format!("{name}.csv"), link("text/csv", &self.analysed.figures.csv())),
            (format!("{name}.json"), link("application/json", &document.to_string())),
        ]
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
        made.extend(self.against());
        made
    }

    /// Puts what was measured into a table.
    fn against(&self) -> Option<Table> {
        let Against { log, rows } = self.analysed.figures.against?;
        let entry = |ours: String| Entry { ours, ..Entry::default() };
        let row = |row: &MeasuredFigure| {
            let cells = row.cells(self.analysed.figures.digits());
            (row.question.clone(), cells.into_iter().map(entry).collect())
        };
        Some(Table {
            title: format!("Beside what was measured, {log}"),
            source: String::new(),
            columns: HEADS.map(str::to_owned).to_vec(),
            rows: rows.iter().map(row).collect(),
        })
    }

    fn entry(&mut self, figure: &Figure) -> Entry {
        Entry {
            class: if figure.fails() { "fails" } else { "" },
            ours: tables::short(figure, self.analysed.figures.digits()),
            run: self.runs.witnesses(figure),
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
            question: format!("{} {}", figure.kind, asked(self.analysed.figures.figures, figure)),
            result: result_text(figure, self.analysed.figures.digits()),
            judgement: judgement(figure).trim().to_owned(),
            notes: figure.notes.clone(),
            run: self.runs.witnesses(figure),
        }
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
                        words.push((class, format!("{word}{when}"), self.runs.witnesses(figure)));
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

    fn texts(&self, shown: &mut Shown) -> Vec<Listing> {
        let mut texts: Vec<Listing> = Vec::new();
        for (_, file) in self.analysed.figures.model.sources.files() {
            // Expressions and constants of the study are files of their own to the front end.
            let is_part = ["study:", "command line", "-D", "--what-if"]
                .iter()
                .any(|start| file.name.starts_with(start));
            if is_part || texts.iter().any(|known| known.name == file.name) {
                continue;
            }
            let id = format!("{}-text{}", self.id, texts.len() + 1);
            let at = Shown::place(&mut shown.texts, (file.name.clone(), file.text.clone()), &id);
            let text = if at.is_some() { String::new() } else { file.text.clone() };
            texts.push(Listing { id, name: file.name.clone(), text, at });
        }
        texts
    }

    fn sizes(&self) -> Vec<String> {
        let sizes = self.analysed.figures.sizes.iter().map(size_text);
        sizes.chain([seconds(self.analysed.figures.seconds)]).collect()
    }
}

/// Gives the arrow heads of a picture a name of their own.
fn renamed(svg: &str, tip: &str) -> String {
    svg.replace("id=\"tip\"", &format!("id=\"{tip}\"")).replace("url(#tip)", &format!("url(#{tip})"))
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
            let (low, high) = (low.told_below(), high.told_above());
            format!(" It lies between {low:e} and {high:e}, rounding included.")
        }
        FigureResult::Estimated { low, high, .. } => {
            return format!("Estimated by simulation: between {low:e} and {high:e} with 99 % confidence.");
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
