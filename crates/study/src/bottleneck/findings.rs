//! Says what the bottleneck is, in the words of the study.

use narrows_model::{Case, Figure, FigureResult, Flow, Number, Overlap, Resource};

use crate::View;
use crate::measure::Workbench;

/// What is busy for at least this part of the time on average counts as saturated.
const NEARLY_ALWAYS: f64 = 0.98;

impl Workbench<'_, '_> {
    /// Draws the conclusion.
    pub(super) fn conclude(&self, overlaps: &[Overlap], flow: &mut Flow) {
        let resource = |(name, text): &(crate::Text, crate::Text)| Resource {
            name: name.text.clone(),
            busy: text.text.clone(),
        };
        let resources: Vec<Resource> = self.study.resources.iter().map(resource).collect();
        let told = Told { resources: &resources, overlaps, unit: &self.study.unit };
        let mut findings = Vec::new();
        if flow.cases.is_empty() {
            flow.bottleneck = told.on_average(flow, &mut findings);
        }
        for case in &flow.cases {
            let names = told.case(case, &flow.event, &mut findings);
            // The last case is the best one: what limits it limits all.
            flow.bottleneck = names;
        }
        if let Some(change) = flow.changes.first()
            && let Some(gain) = change.gain()
        {
            findings.push(if gain > 1e-9 {
                format!(
                    "The delay that matters most is `{}`: a tenth less of it gives {} more.",
                    change.delay,
                    percent(gain)
                )
            } else {
                "No single delay matters: a tenth less of any of them gains nothing.".to_owned()
            });
        }
        flow.findings = findings;
    }
}

/// What sentences are about.
struct Told<'t> {
    resources: &'t [Resource],
    overlaps: &'t [Overlap],
    unit: &'t str,
}

impl Told<'_> {
    fn name(&self, resource: usize) -> String {
        format!("`{}`", self.resources[resource].name)
    }

    /// Says what limits a run; returns names.
    fn case(&self, case: &Case, event: &str, findings: &mut Vec<String>) -> Option<Vec<String>> {
        let when = match case.name {
            "worst" => "In the worst case, ",
            "best" => "In the best case, ",
            _ => "",
        };
        let full: Vec<usize> = (0..self.resources.len())
            .filter(|resource| case.busy[*resource] == Number::Ratio(1, 1))
            .collect();
        let names = if full.is_empty() {
            self.serial(case, when, findings)
        } else {
            let list = listed(full.iter().map(|resource| self.name(*resource)));
            let verb =
                if full.len() == 1 { "is the bottleneck: it is" } else { "are the bottleneck: they are" };
            findings.push(sentence(&format!("{when}{list} {verb} busy all the time.")));
            full.iter().map(|resource| self.resources[*resource].name.clone()).collect()
        };
        let (reached, possible, least) =
            (case.throughput.to_f64(), case.all_overlapped.to_f64(), case.none_overlapped.to_f64());
        if possible.is_finite() && least < possible * (1.0 - 1e-9) {
            let part = ((reached - least) / (possible - least)).clamp(0.0, 1.0);
            if reached < possible * (1.0 - 1e-9) {
                findings.push(format!(
                    "If everything was done at the same time, there would be {} times as many `{event}`: {} 1/{}. Of what \
                     could be gained by working at the same time, {} is reached.",
                    short(possible / reached),
                    short(possible),
                    self.unit,
                    percent(part)
                ));
            } else {
                findings.push(format!(
                    "All work is done at the same time as far as it can be: without that, there would be {} of the \
                     `{event}`.",
                    percent(least / reached)
                ));
            }
        }
        Some(names).filter(|names| !names.is_empty())
    }

    /// Says what takes turns.
    fn serial(&self, case: &Case, when: &str, findings: &mut Vec<String>) -> Vec<String> {
        // What is waited for: the resource if there is one, a plain name, and the part of the round.
        let mut turns: Vec<(Option<usize>, String, f64)> = Vec::new();
        for link in &case.critical {
            let resource = link.resources.first().copied();
            let name =
                resource.map_or_else(|| link.delay.clone(), |resource| self.resources[resource].name.clone());
            match turns.iter_mut().find(|(_, known, _)| *known == name) {
                Some((.., part)) => *part += link.part.to_f64(),
                None => turns.push((resource, name, link.part.to_f64())),
            }
        }
        if turns.is_empty() {
            return Vec::new();
        }
        // A round begins anywhere: the order of the study is as good, and always the same.
        turns.sort_by_key(|(resource, ..)| resource.unwrap_or(usize::MAX));
        let told = |(resource, name, part): &(Option<usize>, String, f64)| match resource {
            Some(_) => format!("`{name}` ({})", percent(*part)),
            None => format!("the delay `{name}` ({})", percent(*part)),
        };
        let list = listed(turns.iter().map(told));
        let busy: Vec<usize> = turns.iter().filter_map(|(resource, ..)| *resource).collect();
        if turns.len() == 1 {
            findings.push(sentence(&format!("{when}each round waits for {list}.")));
        } else {
            findings.push(sentence(&format!(
                "{when}nothing is busy all the time: each round waits for {list}, one after the other."
            )));
        }
        self.pairs(&busy, findings);
        turns.into_iter().map(|(_, name, _)| name).collect()
    }

    /// Says of resources that take turns whether they must.
    fn pairs(&self, busy: &[usize], findings: &mut Vec<String>) {
        for overlap in self
            .overlaps
            .iter()
            .filter(|overlap| busy.contains(&overlap.first) && busy.contains(&overlap.second))
        {
            let both = format!("{} and {}", self.name(overlap.first), self.name(overlap.second));
            let word =
                |view: View| overlap.answers.iter().find(|answer| answer.view == view.name()).and_then(word);
            match (word(View::Untimed), word(View::Timed)) {
                (Some("never"), _) => findings.push(format!(
                    "{both} are never busy at the same time, whatever the delays: the design itself puts one after the other."
                )),
                (Some(_), Some("never")) => findings
                    .push(format!("{both} could be busy at the same time, but with these delays they never are.")),
                _ => {}
            }
        }
    }

    /// Says what is busy most on average.
    fn on_average(&self, flow: &Flow, findings: &mut Vec<String>) -> Option<Vec<String>> {
        let mean = |figures: &Vec<Figure>| {
            let figure = figures.iter().find(|figure| figure.view == View::Stochastic.name())?;
            match figure.result {
                FigureResult::Value { low, high, .. } => Some(f64::midpoint(low.to_f64(), high.to_f64())),
                _ => None,
            }
        };
        let means = flow
            .utilisation
            .iter()
            .enumerate()
            .filter_map(|(resource, figures)| Some((resource, mean(figures)?)));
        let (resource, most) = means.max_by(|one, other| one.1.total_cmp(&other.1))?;
        let name = self.name(resource);
        findings.push(if most >= NEARLY_ALWAYS {
            format!("{name} is the bottleneck: it is busy {} of the time.", percent(most))
        } else {
            format!("Nothing is busy all the time; {name} is most: {} of the time.", percent(most))
        });
        Some(vec![self.resources[resource].name.clone()])
    }
}

fn word(figure: &Figure) -> Option<&str> {
    match &figure.result {
        FigureResult::Word(word) => Some(word),
        _ => None,
    }
}

/// Writes a part as a percentage.
fn percent(part: f64) -> String {
    let percent = part * 100.0;
    if (percent - percent.round()).abs() < 0.05 {
        format!("{percent:.0} %")
    } else {
        format!("{percent:.1} %")
    }
}

/// Writes a number with four digits.
fn short(number: f64) -> String {
    let places = (3 - number.abs().log10().floor() as i32).clamp(0, 12) as usize;
    let text = format!("{number:.places$}");
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}

/// Lists names: `a`, `b` and `c`.
fn listed(names: impl Iterator<Item = String>) -> String {
    let names: Vec<String> = names.collect();
    match names.as_slice() {
        [] => String::new(),
        [one] => one.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

/// Begins with a capital.
fn sentence(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}
