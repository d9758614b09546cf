//! The page that a person reads in a minute.

use std::fmt::Write;

use narrows_model::decimals::certain_percent;
use narrows_model::{Flow, Gantt};

use super::{Analysed, change, ends, levels, of_view, short, word};
use crate::sweep;

/// Texts are broken after so many characters.
const WIDTH: usize = 108;

/// How wide bars are.
const BAR: f64 = 40.0;

impl Analysed<'_> {
    /// Returns the exit status that the answers call for: without any delay the bottleneck is not known.
    pub fn status(&self) -> u8 {
        let flows = &self.bottleneck.flows;
        let is_unknown = !flows.is_empty() && flows.iter().all(|flow| flow.throughput.is_empty());
        match self.figures.status() {
            0 if is_unknown => 2,
            status => status,
        }
    }

    /// Writes what was found out for people.
    pub fn text(&self) -> String {
        let mut text = self.figures.name.to_owned();
        if !self.figures.title.is_empty() {
            let _ = write!(text, ": {}", self.figures.title);
        }
        text.push('\n');
        if let Some(reason) = self.limit() {
            let _ = writeln!(text, "  Incomplete: {reason}.");
        }
        for flow in &self.bottleneck.flows {
            self.flow(flow, &mut text);
        }
        if self.bottleneck.flows.is_empty() {
            text.push_str("  Name what is counted under `[event]` to see how often it happens.\n");
        }
        let mut drawn: Vec<&Gantt> = Vec::new();
        for case in self.bottleneck.flows.iter().filter_map(|flow| flow.cases.last()) {
            if !drawn.contains(&&case.gantt) {
                self.gantt(&case.gantt, &mut text);
                drawn.push(&case.gantt);
            }
        }
        self.utilisation(&mut text);
        self.overlaps(&mut text);
        if !self.figures.figures.is_empty() {
            text.push_str("\nquestions\n");
            self.figures.answers(&mut text);
        }
        if !self.figures.sweep.is_empty() {
            text.push_str("\nsweep\n");
            text.push_str(&sweep::table(self.figures.sweep, self.figures.width, self.figures.digits()));
        }
        text.push('\n');
        self.figures.sizes_text(&mut text);
        text
    }

    fn flow(&self, flow: &Flow, text: &mut String) {
        let name = match &flow.bottleneck {
            Some(names) => names.join(" + "),
            None => "not known".to_owned(),
        };
        let _ = writeln!(text, "\nbottleneck of {}: {name}", flow.event);
        for finding in &flow.findings {
            wrapped(finding, text);
        }
        let levels = levels(flow, self.figures.digits);
        let most =
            levels.iter().map(|level| level.value).filter(|value| value.is_finite()).fold(0.0, f64::max);
        if !levels.is_empty() {
            let data = if flow.megabytes.is_some() { ", and in MB/s" } else { "" };
            let _ = writeln!(text, "\nthroughput of {}, 1/{}{data}", flow.event, self.unit);
        }
        for level in &levels {
            let length = if most > 0.0 { (level.value / most * BAR).round().clamp(0.0, BAR) } else { 0.0 };
            let data = level.bandwidth.as_ref().map(|bandwidth| format!("  {bandwidth:>10}"));
            let _ = writeln!(
                text,
                "  {:18}  {:>10}{}  {:40}  {}",
                level.name,
                level.text,
                data.unwrap_or_default(),
                "█".repeat(length as usize),
                level.meaning
            );
        }
        for figure in &flow.throughput {
            if ends(figure).is_none() {
                let _ = writeln!(text, "  {:18}  {}", figure.view, word(figure));
            }
        }
        if let Some(case) = flow.cases.last()
            && !case.critical.is_empty()
        {
            let links: Vec<String> =
                self.critical(case).into_iter().map(|(name, part)| format!("{name} {part}")).collect();
            let counted =
                if case.count == 1 { String::new() } else { format!(" ({} × {})", case.count, flow.event) };
            let _ = writeln!(
                text,
                "\n{} a {} of {} {}{counted}{}\n  {}",
                if case.work.is_empty() { "what is busy in" } else { "what" },
                if case.is_endless { "round" } else { "run" },
                short(case.period.to_f64()),
                self.unit,
                if case.work.is_empty() { "" } else { " waits for" },
                links.join(if case.work.is_empty() { ", " } else { ", then " })
            );
        }
        if !flow.changes.is_empty() {
            let width = flow.changes.iter().map(|change| change.delay.chars().count()).max().unwrap_or(0);
            let _ = writeln!(text, "\n{:width$}       10 % less     10 % more  elasticity", "delay");
            for one in &flow.changes {
                let elasticity = one.elasticity().map_or_else(
                    || "?".to_owned(),
                    |value| format!("{:.2}", if value.abs() < 0.005 { 0.0 } else { value }),
                );
                let more = one.more.map(|more| more / one.now - 1.0);
                let _ = writeln!(
                    text,
                    "  {:width$}  {:>12}  {:>12}  {elasticity:>10}",
                    one.delay,
                    change(one.gain()),
                    change(more)
                );
            }
        }
    }

    fn utilisation(&self, text: &mut String) {
        let resources = &self.bottleneck.resources;
        if self.bottleneck.utilisation.iter().all(Vec::is_empty) || resources.is_empty() {
            return;
        }
        let width = resources.iter().map(|resource| resource.name.chars().count()).max().unwrap_or(0).max(9);
        let bounds: Vec<Option<(f64, f64)>> = (0..resources.len()).map(|one| self.busy(one)).collect();
        let has_bounds = bounds.iter().any(Option::is_some);
        let heads = if has_bounds { "  at least   at most" } else { "" };
        let _ = writeln!(text, "\n{:width$}  {heads}      mean", "busy");
        for ((resource, figures), bounds) in resources.iter().zip(&self.bottleneck.utilisation).zip(bounds) {
            let mean = of_view(figures, "stochastic")
                .and_then(ends)
                .map_or_else(|| "–".to_owned(), |(low, high)| certain_percent(low, high));
            let share = |value: Option<f64>| {
                value.map_or_else(|| "–".to_owned(), |value| certain_percent(value, value))
            };
            let bounds = if has_bounds {
                format!(
                    "  {:>8}  {:>8}",
                    share(bounds.map(|(low, _)| low)),
                    share(bounds.map(|(_, high)| high))
                )
            } else {
                String::new()
            };
            let _ = writeln!(text, "  {:width$}{bounds}  {mean:>8}", resource.name);
        }
    }

    /// Returns for what part of the time a resource is busy, at least and at most.
    fn busy(&self, resource: usize) -> Option<(f64, f64)> {
        let cases = || self.bottleneck.flows.iter().flat_map(|flow| &flow.cases);
        if cases().any(|case| !case.is_endless) {
            // In the long run nothing is busy; what counts is the runs as a whole.
            let parts = || cases().map(|case| case.busy[resource].to_f64());
            return Some((parts().fold(1.0, f64::min), parts().fold(0.0, f64::max)));
        }
        of_view(&self.bottleneck.utilisation[resource], "timed").and_then(ends)
    }

    fn overlaps(&self, text: &mut String) {
        let resources = &self.bottleneck.resources;
        if self.bottleneck.overlaps.is_empty() {
            return;
        }
        let pair =
            |first: usize, second: usize| format!("{} and {}", resources[first].name, resources[second].name);
        let widths = self
            .bottleneck
            .overlaps
            .iter()
            .map(|overlap| pair(overlap.first, overlap.second).chars().count());
        let width = widths.max().unwrap_or(0);
        let has_time =
            self.bottleneck.overlaps.iter().any(|overlap| of_view(&overlap.answers, "timed").is_some());
        let is_synchronous = self.figures.model.synchronous().is_some();
        let heads = match (is_synchronous, has_time) {
            (true, _) => "",
            (false, true) => "whatever the delays  with these delays",
            (false, false) => "whatever the delays",
        };
        let _ = writeln!(text, "{}", format!("\n{:width$}  {heads}", "at the same time").trim_end());
        for overlap in &self.bottleneck.overlaps {
            let answer = |view: &str| of_view(&overlap.answers, view).map(word).unwrap_or_default();
            let (pair, timed) = (pair(overlap.first, overlap.second), answer("timed"));
            let line = if is_synchronous {
                format!("  {pair:width$}  {timed}")
            } else {
                format!("  {pair:width$}  {:19}  {timed}", answer("untimed"))
            };
            let _ = writeln!(text, "{}", line.trim_end());
        }
        for together in &self.bottleneck.together {
            let set = |set: &Vec<usize>| {
                set.iter().map(|number| resources[*number].name.as_str()).collect::<Vec<_>>().join(" + ")
            };
            let sets: Vec<String> = together.sets.iter().map(set).collect();
            let view = match (is_synchronous, together.view) {
                (true, _) => "",
                (false, "timed") => ", with these delays",
                (false, _) => ", whatever the delays",
            };
            let so_far = if together.is_complete { "" } else { ", as far as states were visited" };
            let _ = writeln!(text, "  largest sets busy together{view}{so_far}: {}", sets.join("; "));
        }
    }

    /// Draws when resources are busy, a character for each part of time.
    fn gantt(&self, gantt: &Gantt, text: &mut String) {
        let end = gantt.lanes.iter().flatten().map(|bar| bar.to).fold(0.0, f64::max);
        if end <= 0.0 || gantt.lanes.len() != self.bottleneck.resources.len() {
            return;
        }
        let width = self.bottleneck.resources.iter().map(|one| one.name.chars().count()).max().unwrap_or(0);
        let cells = WIDTH - width - 4;
        let _ = writeln!(text, "\nthe first rounds, 0 to {} {}", short(end), gantt.unit);
        for (resource, bars) in self.bottleneck.resources.iter().zip(&gantt.lanes) {
            let mut line = vec![' '; cells];
            for (number, bar) in bars.iter().enumerate() {
                let place = |time: f64| ((time / end * cells as f64).round() as usize).min(cells);
                let digit = char::from_digit((number as u32 + 1) % 10, 10).unwrap_or('#');
                // Even what is very short is shown.
                let from = place(bar.from).min(cells - 1);
                for cell in &mut line[from..place(bar.to).max(from + 1)] {
                    *cell = digit;
                }
            }
            let line: String = line.into_iter().collect();
            let _ = writeln!(text, "  {:width$}  {}", resource.name, line.trim_end());
        }
    }
}

/// Writes a sentence, broken into lines.
fn wrapped(sentence: &str, text: &mut String) {
    let mut line = String::from(" ");
    for word in sentence.split(' ') {
        // A number stays with its sign.
        if line.chars().count() + 1 + word.chars().count() > WIDTH && !word.starts_with('%') {
            let _ = writeln!(text, "{line}");
            line = String::from(" ");
        }
        line.push(' ');
        line.push_str(word);
    }
    let _ = writeln!(text, "{line}");
}
