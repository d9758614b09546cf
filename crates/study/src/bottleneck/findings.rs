//! Says what the bottleneck is, in the words of the study.

use narrows_model::wording::{listed, percent, short};
use narrows_model::{Case, FigureResult, Flow, Number, Sensitivity};

use crate::measure::Workbench;
use crate::{Question, View};

/// What is busy for at least this part of the time on average counts as saturated.
const NEARLY_ALWAYS: f64 = 0.98;

impl Workbench<'_, '_> {
    /// Draws the conclusion.
    pub(super) fn conclude(&mut self, flow: &mut Flow) {
        let mut findings = Vec::new();
        if flow.cases.is_empty() {
            flow.bottleneck = self.on_average(&mut findings);
        }
        let cases = flow.cases.clone();
        if cases.iter().any(|case| !case.is_endless) {
            findings.push(
                "Every run comes to an end: these figures are of the shortest and the longest run as a whole."
                    .to_owned(),
            );
        }
        for case in &cases {
            // The last case is the best one: what limits it limits all.
            flow.bottleneck = self.limits(case, &flow.event, &mut findings);
        }
        findings.extend(matters(&flow.changes));
        if self.study.resources.is_empty() {
            findings.push("Name what can be busy under `[resource]` to see what is.".to_owned());
        }
        // What is so in the worst case and in the best case is said once.
        for finding in findings {
            if !flow.findings.contains(&finding) {
                flow.findings.push(finding);
            }
        }
    }

    fn name(&self, resource: usize) -> &str {
        &self.study.resources[resource].0.text
    }

    /// Says what limits a run; returns names.
    fn limits(&mut self, case: &Case, event: &str, findings: &mut Vec<String>) -> Option<Vec<String>> {
        let when = match case.name {
            "worst" => "In the worst case, ",
            "best" => "In the best case, ",
            _ => "",
        };
        let is_full = |resource: &usize| case.busy[*resource] == Number::Ratio(1, 1);
        let full: Vec<usize> = (0..case.busy.len()).filter(is_full).collect();
        let names = if full.is_empty() {
            self.at_work(case, when, findings).unwrap_or_else(|| self.serial(case, when, findings))
        } else {
            let names: Vec<String> = full.iter().map(|resource| self.name(*resource).to_owned()).collect();
            let verb =
                if full.len() == 1 { "is the bottleneck: it is" } else { "are the bottleneck: they are" };
            let list = listed(names.iter().map(|name| format!("`{name}`")));
            findings.push(sentence(&format!("{when}{list} {verb} busy all the time.")));
            names
        };
        self.reached(case, event, findings);
        Some(names).filter(|names| !names.is_empty())
    }

    /// Says how much of what could be done at the same time is.
    fn reached(&self, case: &Case, event: &str, findings: &mut Vec<String>) {
        let (reached, possible, least) =
            (case.throughput.to_f64(), case.all_overlapped.to_f64(), case.none_overlapped.to_f64());
        if !possible.is_finite() || least >= possible * (1.0 - 1e-9) {
            return;
        }
        if reached < possible * (1.0 - 1e-9) {
            let part = ((reached - least) / (possible - least)).clamp(0.0, 1.0);
            findings.push(format!(
                "If the process with the most work never waited, there would be {} times as many `{event}`: {} 1/{}. Of \
                 what could be gained by working at the same time, {} is reached.",
                short(possible / reached),
                short(possible),
                self.study.unit,
                percent(part)
            ));
        } else {
            findings.push(format!(
                "Work is done at the same time as far as it can be: one after the other, there would be {} of the \
                 `{event}`.",
                percent(least / reached)
            ));
        }
    }

    /// Says of a process that never rests what it does; returns its name.
    fn at_work(&self, case: &Case, when: &str, findings: &mut Vec<String>) -> Option<Vec<String>> {
        let process = &case.critical.first()?.process;
        let whole: f64 = case.critical.iter().map(|link| link.part.to_f64()).sum();
        let is_one = case.critical.iter().all(|link| link.process == *process);
        let does_more = self.turns(case).len() > 1;
        if !is_one || !does_more || whole < 1.0 - 1e-9 {
            return None;
        }
        let list = listed(self.turns(case).iter().map(told));
        findings.push(sentence(&format!(
            "{when}the process `{process}` is the bottleneck: it is always at work, for {list}."
        )));
        Some(vec![process.clone()])
    }

    /// Returns what a round waits for, in the order of the study: the resource if there is one, a name, and the part.
    fn turns(&self, case: &Case) -> Vec<Turn> {
        let mut turns: Vec<Turn> = Vec::new();
        for link in &case.critical {
            let resource = link.resources.first().copied();
            let name = resource.map_or(link.delay.as_str(), |resource| self.name(resource));
            match turns.iter_mut().find(|(_, known, _)| known == name) {
                Some((.., part)) => *part += link.part.to_f64(),
                None => turns.push((resource, name.to_owned(), link.part.to_f64())),
            }
        }
        turns.sort_by_key(|(resource, ..)| resource.unwrap_or(usize::MAX));
        turns
    }

    /// Says what takes turns.
    fn serial(&mut self, case: &Case, when: &str, findings: &mut Vec<String>) -> Vec<String> {
        let turns = self.turns(case);
        let list = listed(turns.iter().map(told));
        match turns.len() {
            0 => return Vec::new(),
            1 => findings.push(sentence(&format!("{when}each round waits for {list}."))),
            _ => findings.push(sentence(&format!(
                "{when}nothing is busy all the time: each round waits for {list}, one after the other."
            ))),
        }
        let busy: Vec<usize> = turns.iter().filter_map(|(resource, ..)| *resource).collect();
        self.pairs(&busy, findings);
        turns.into_iter().map(|(_, name, _)| name).collect()
    }

    /// Says of resources that take turns whether they must.
    fn pairs(&mut self, busy: &[usize], findings: &mut Vec<String>) {
        let mut never = Vec::new();
        for (number, first) in busy.iter().enumerate() {
            for second in &busy[number + 1..] {
                let mut word = |view: View| match self.overlap(*first, *second, view).result {
                    FigureResult::Word(word) => word,
                    _ => String::new(),
                };
                let (untimed, timed) = (word(View::Untimed), word(View::Timed));
                let both = format!("`{}` and `{}`", self.name(*first), self.name(*second));
                if untimed == "never" {
                    never.push(both);
                } else if timed == "never" {
                    findings.push(format!(
                        "{both} could be busy at the same time, but with these delays they never are."
                    ));
                }
            }
        }
        let all = busy.len() * busy.len().saturating_sub(1) / 2;
        let who = match never.as_slice() {
            [] => return,
            _ if never.len() > 1 && never.len() == all => "No two of them are ever".to_owned(),
            [one] => format!("{one} are never"),
            [first @ .., last] => format!("{}, and {last} are never", first.join(", ")),
        };
        findings.push(format!(
            "{who} busy at the same time, whatever the delays: the design itself puts one after the other."
        ));
    }

    /// Says what is busy most on average.
    fn on_average(&mut self, findings: &mut Vec<String>) -> Option<Vec<String>> {
        let mut most: Option<(usize, f64)> = None;
        for (resource, (name, _)) in self.study.resources.iter().enumerate() {
            let figures = self.in_views(&Question::Utilisation(name.clone()));
            let figure = figures.iter().find(|figure| figure.view == View::Stochastic.name());
            if let Some(FigureResult::Value { low, high, .. }) = figure.map(|figure| &figure.result) {
                let mean = f64::midpoint(low.to_f64(), high.to_f64());
                if most.is_none_or(|(_, most)| mean > most) {
                    most = Some((resource, mean));
                }
            }
        }
        let (resource, most) = most?;
        let name = self.name(resource);
        findings.push(if most >= NEARLY_ALWAYS {
            format!("`{name}` is the bottleneck: it is busy {} of the time.", percent(most))
        } else {
            format!("Nothing is busy all the time; `{name}` is most: {} of the time.", percent(most))
        });
        Some(vec![name.to_owned()])
    }
}

/// Says which delay matters most, or which ones if several do alike.
pub(super) fn matters(changes: &[Sensitivity]) -> Option<String> {
    let gain = changes.first()?.gain()?;
    if gain <= 1e-9 {
        return Some("No single delay matters: a tenth less of any of them gains nothing.".to_owned());
    }
    let is_alike =
        |change: &&Sensitivity| change.gain().is_some_and(|other| (gain - other).abs() <= gain * 1e-6);
    let alike: Vec<String> =
        changes.iter().filter(is_alike).map(|change| format!("`{}`", change.delay)).collect();
    let gain = percent(gain);
    Some(match alike.as_slice() {
        [delay] => format!("The delay that matters most is {delay}: a tenth less of it gives {gain} more."),
        _ => format!(
            "The delays that matter most are {}: a tenth less of any of them gives {gain} more.",
            listed(alike.into_iter())
        ),
    })
}

/// What is waited for: a resource if there is one, its name or that of the delay, and the part of the time.
type Turn = (Option<usize>, String, f64);

fn told((resource, name, part): &Turn) -> String {
    match resource {
        Some(_) => format!("`{name}` ({})", percent(*part)),
        None => format!("the delay `{name}` ({})", percent(*part)),
    }
}

/// Begins with a capital.
fn sentence(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}
