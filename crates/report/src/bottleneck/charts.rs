//! The charts about a study, each a picture of its own.

use narrows_model::Flow;
use narrows_model::decimals::certain_percent;

use super::{Analysed, change, ends, levels, of_view, short};
use crate::narration::picture;
use crate::plot::{Bars, Line, Lines, bars, lanes, lines, requests};
use crate::sweep;

/// As many lines as there are colours share a chart.
const MAX_TOGETHER: usize = 8;

/// A chart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Picture {
    /// A name for its file, without an ending.
    pub name: String,
    /// What it shows, as a heading.
    pub title: String,
    /// The picture.
    pub svg: String,
}

impl Analysed<'_> {
    /// Draws all charts.
    pub fn charts(&self) -> Vec<Picture> {
        let mut charts: Vec<Picture> = self.system_picture().into_iter().collect();
        for flow in &self.bottleneck.flows {
            self.of_flow(flow, &mut charts);
        }
        self.of_runs(&mut charts);
        self.of_distributions(&mut charts);
        self.of_utilisation(&mut charts);
        self.of_sweep(&mut charts);
        // Two events may have the same critical run.
        let mut shown: Vec<String> = Vec::new();
        charts.retain(|chart| {
            let is_new = !shown.contains(&chart.svg);
            shown.push(chart.svg.clone());
            is_new
        });
        charts
    }

    /// Draws the runs that the study wants to be drawn.
    fn of_runs(&self, charts: &mut Vec<Picture>) {
        for figure in self.figures.figures.iter().filter(|figure| figure.is_drawn) {
            let Some((what, trace)) = figure.witnesses.last() else { continue };
            let title = format!("{} {}: {what}", figure.kind, figure.name);
            if let Some(svg) = picture(self.figures.model, trace, &title) {
                charts.push(Picture { name: format!("run-{}", plain(&figure.name)), title, svg });
            }
        }
    }

    /// Draws how likely it is that something takes no longer than a time.
    fn of_distributions(&self, charts: &mut Vec<Picture>) {
        for figure in self.figures.figures.iter().filter(|figure| !figure.curve.is_empty()) {
            // A time may be anything between two points, and a number of things not.
            let is_number = figure.kind == "mean";
            let title = if is_number {
                format!(
                    "Distribution of {}, {}: share of the time at or below each value",
                    figure.name, figure.view
                )
            } else {
                format!(
                    "Distribution of {} {}, {}: share that takes at most this long",
                    figure.kind, figure.name, figure.view
                )
            };
            let points: Vec<String> = figure.curve.iter().map(|point| short(point.time)).collect();
            let values = figure.curve.iter().map(|point| Some((point.low, point.high))).collect();
            let name = if is_number { "share of the time" } else { "share" };
            let svg = lines(&Lines {
                title: &title,
                across: &figure.unit,
                points: &points,
                shown: &[Line { name: name.to_owned(), values }],
                whole: Some(1.0),
                is_stepped: is_number,
            });
            charts.push(Picture {
                name: format!("distribution-{}-{}", plain(&figure.name), figure.view),
                title,
                svg,
            });
        }
    }

    fn of_utilisation(&self, charts: &mut Vec<Picture>) {
        let mut rows = Vec::new();
        for (resource, figures) in self.bottleneck.resources.iter().zip(&self.bottleneck.utilisation) {
            for (view, what) in [("timed", ""), ("stochastic", ", mean")] {
                if let Some((low, high)) = of_view(figures, view).and_then(ends) {
                    let text = certain_percent(low, high);
                    rows.push((format!("{}{what}", resource.name), Some(high), text));
                }
            }
        }
        if !rows.is_empty() {
            let title = "Utilisation of the resources".to_owned();
            let svg = bars(&Bars { title: &title, whole: Some(1.0), rows: &rows });
            charts.push(Picture { name: "utilisation".to_owned(), title, svg });
        }
    }

    fn of_flow(&self, flow: &Flow, charts: &mut Vec<Picture>) {
        let event = &flow.event;
        let mut add = |kind: &str, title: String, svg: String| {
            charts.push(Picture { name: format!("{kind}-{}", plain(event)), title, svg });
        };
        let levels = levels(flow, self.figures.digits);
        if !levels.is_empty() {
            let data = if flow.megabytes.is_some() { " (MB/s)" } else { "" };
            let title = format!("Throughput of {event}, 1/{}{data}", self.unit);
            let text = |level: &super::Level| {
                let data = level.bandwidth.as_ref().map(|bandwidth| format!(" ({bandwidth})"));
                format!("{}{}", level.text, data.unwrap_or_default())
            };
            let row = |level: &super::Level| (level.name.to_owned(), Some(level.value), text(level));
            let rows: Vec<_> = levels.iter().map(row).collect();
            let svg = bars(&Bars { title: &title, whole: None, rows: &rows });
            add("throughput", title, svg);
        }
        let names: Vec<String> =
            self.bottleneck.resources.iter().map(|resource| resource.name.clone()).collect();
        for case in &flow.cases {
            if names.is_empty() {
                break;
            }
            let gantt = &case.gantt;
            let which = if case.name == "every" { String::new() } else { format!(", {} case", case.name) };
            let kind = if case.name == "worst" { "-worst" } else { "" };
            let svg = lanes(&names, &gantt.lanes, &gantt.unit, gantt.round);
            add(&format!("busy{kind}"), format!("When resources are busy{which}"), svg);
            for (name, bars) in gantt.requests.iter().filter(|(_, bars)| !bars.is_empty()) {
                let svg = requests(name, bars, &gantt.unit);
                let kind = format!("requests{kind}-{}", plain(name));
                add(&kind, format!("Request by request: {name}{which}"), svg);
            }
        }
        if !flow.changes.is_empty() {
            let title = format!("What cutting each delay by 10 % gains for {event}");
            let row = |one: &narrows_model::Sensitivity| (one.delay.clone(), one.gain(), change(one.gain()));
            let rows: Vec<_> = flow.changes.iter().map(row).collect();
            let svg = bars(&Bars { title: &title, whole: None, rows: &rows });
            add("elasticity", title, svg);
        }
    }

    /// Draws what came out with other values: the last thing that is varied across, and a line for each
    /// combination of the others.
    fn of_sweep(&self, charts: &mut Vec<Picture>) {
        let points = self.figures.sweep;
        let Some(first) = points.first() else { return };
        let Some((across, _)) = first.settings.last() else { return };
        let (heads, _) = sweep::cells(points, self.figures.digits());
        let mut values: Vec<String> = Vec::new();
        let mut groups: Vec<String> = Vec::new();
        let group = |settings: &[(String, String)]| {
            let others = &settings[..settings.len() - 1];
            others.iter().map(|(name, value)| format!("{name} = {value}")).collect::<Vec<_>>().join(", ")
        };
        for point in points {
            let value = &point.settings[point.settings.len() - 1].1;
            if !values.contains(value) {
                values.push(value.clone());
            }
            let group = group(&point.settings);
            if !groups.contains(&group) {
                groups.push(group);
            }
        }
        let values_of = |name: &String, figure: usize| -> Vec<Option<(f64, f64)>> {
            let value = |value: &String| {
                let point = points.iter().find(|point| {
                    group(&point.settings) == *name
                        && point.settings.last().is_some_and(|(_, other)| other == value)
                })?;
                point.figures.get(figure).and_then(ends)
            };
            values.iter().map(value).collect()
        };
        for together in self.drawn_together(groups.len()) {
            let unit = match first.figures[together[0]].unit.as_str() {
                "" => String::new(),
                unit => format!(", {unit}"),
            };
            let head = |figure: usize| heads[first.settings.len() + figure].clone();
            let (title, drawn) = if let [figure] = together[..] {
                let line = |name: &String| {
                    let shown = if name.is_empty() { head(figure) } else { name.clone() };
                    Line { name: shown, values: values_of(name, figure) }
                };
                (head(figure), groups.iter().map(line).collect::<Vec<Line>>())
            } else {
                let mut drawn: Vec<Line> = Vec::new();
                for figure in &together {
                    let (name, values) = (&first.figures[*figure].name, values_of(&groups[0], *figure));
                    // Of lines on top of each other only one would be seen.
                    match drawn.iter_mut().find(|line| line.values == values) {
                        Some(line) => line.name = format!("{}, {name}", line.name),
                        None => drawn.push(Line { name: name.clone(), values }),
                    }
                }
                (first.figures[together[0]].kind.to_owned(), drawn)
            };
            if drawn.iter().all(|line| line.values.iter().all(Option::is_none)) {
                continue;
            }
            let title = format!("{title}{unit}");
            let svg = lines(&Lines {
                title: &title,
                across,
                points: &values,
                shown: &drawn,
                whole: None,
                is_stepped: false,
            });
            charts.push(Picture { name: format!("sweep-{}", together[0] + 1), title, svg });
        }
    }

    /// Returns the numbers of the figures that share a chart of what is varied: those of the same kind, view
    /// and unit, if there is one line for each.
    fn drawn_together(&self, groups: usize) -> Vec<Vec<usize>> {
        let figures = self.figures.sweep.first().map_or(&[][..], |point| &point.figures);
        let mut charts: Vec<Vec<usize>> = Vec::new();
        for (number, figure) in figures.iter().enumerate() {
            let is_like = |chart: &&mut Vec<usize>| {
                let other = &figures[chart[0]];
                groups == 1
                    && chart.len() < MAX_TOGETHER
                    && (other.kind, other.view, &other.unit) == (figure.kind, figure.view, &figure.unit)
            };
            match charts.iter_mut().find(is_like) {
                Some(chart) => chart.push(number),
                None => charts.push(vec![number]),
            }
        }
        charts
    }
}

/// Takes the style out of a picture, for a page that has the styles of all pictures once.
pub fn without_style(svg: &str) -> String {
    // What a model says is escaped, so that the first style is ours.
    match (svg.find("<style>"), svg.find("</style>")) {
        (Some(from), Some(to)) => {
            format!("{}{}", &svg[..from], svg[to + "</style>".len()..].trim_start_matches('\n'))
        }
        _ => svg.to_owned(),
    }
}

/// Makes a name that is good for a file.
fn plain(name: &str) -> String {
    name.chars().map(|letter| if letter.is_ascii_alphanumeric() { letter } else { '-' }).collect()
}
