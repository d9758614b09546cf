//! Says what the bottleneck is, in the words of the study.

use narrows_model::wording::{listed, percent, short};
use narrows_model::{Case, FigureResult, Flow, Number, Sensitivity};
use narrows_performance::{Step, Urgency};

use super::overlap::MAX_RESOURCES;
use crate::measure::Workbench;
use crate::resources::owners;
use crate::{Question, Study, View};

/// What is busy for at least this part of the time on average counts as saturated.
const NEARLY_ALWAYS: f64 = 0.98;

/// What gains no more than this gains nothing.
const NO_GAIN: f64 = 1e-9;

/// Gains that differ by no more than this part of them are the same, means being known to a millionth.
const ALIKE: f64 = 1e-4;

impl Workbench<'_, '_> {
    /// Draws the conclusion.
    pub(super) fn conclude(&mut self, flow: &mut Flow) {
        let mut findings = Vec::new();
        if flow.cases.is_empty() {
            flow.bottleneck = self.on_average(flow, &mut findings);
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
        findings.extend(self.timeless());
        add_findings(flow, findings);
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
        let names = saturated(self.study, case, when, findings)
            .or_else(|| self.at_work(case, when, findings))
            .unwrap_or_else(|| self.serial(case, when, findings));
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
                "If the busiest process never waited, `{event}` would be {} times as frequent: {} 1/{}. {} \
                 of the possible overlap is achieved.",
                short(possible / reached),
                short(possible),
                self.study.unit,
                percent(part)
            ));
        } else {
            findings.push(format!(
                "All possible overlap is achieved: without any, `{event}` would be {} as frequent.",
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

    /// Returns what a round waits for, in the order of the study: the resource if there is one, a name, and
    /// the part.
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
        // At a first look states without time are not visited.
        if !self.study.is_first_look {
            let busy: Vec<usize> = turns.iter().filter_map(|(resource, ..)| *resource).collect();
            self.pairs(&busy, findings);
        }
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

    /// Says what is waited for most on average: what owns the delay that matters most, so that both say the
    /// same.
    fn on_average(&mut self, flow: &Flow, findings: &mut Vec<String>) -> Option<Vec<String>> {
        let busy = self.mean_utilisation();
        let most = |resources: u64| {
            let own = (0..busy.len()).filter(|resource| resources >> resource & 1 == 1);
            own.max_by(|one, other| busy[*one].total_cmp(&busy[*other]).then(other.cmp(one)))
        };
        let critical = most_critical(&flow.changes);
        if critical.is_empty() {
            return None;
        }
        let owned = self.owned_resources().unwrap_or_default();
        let of = |delay: &str| owned.iter().find(|(name, _)| name == delay).map_or(0, |(_, set)| *set);
        let free = !owned.iter().fold(0, |set, (_, own)| set | own);
        // Some are busy because of several, such as all processors at a time.
        let full = most(free).filter(|resource| busy[*resource] >= NEARLY_ALWAYS);
        let mut names: Vec<(usize, String)> = Vec::new();
        for change in critical {
            let resource = most(of(&change.delay)).or(full);
            let name = resource.map_or(change.delay.as_str(), |resource| self.name(resource));
            let place = resource.unwrap_or(usize::MAX);
            if names.iter().any(|(_, known)| known == name) {
                continue;
            }
            let saturated = resource.filter(|resource| busy[*resource] >= NEARLY_ALWAYS);
            findings.push(match (saturated, change.elasticity()) {
                (Some(resource), _) => {
                    format!("`{name}` is the bottleneck: it is busy {} of the time.", percent(busy[resource]))
                }
                (None, share) => format!(
                    "On average, `{}` waits most for `{name}`: {} of the time between two of them depends on \
                     it.",
                    flow.event,
                    share.map_or_else(|| "a part".to_owned(), |share| percent(share.min(1.0)))
                ),
            });
            names.push((place, name.to_owned()));
        }
        names.sort_by_key(|(place, _)| *place);
        Some(names.into_iter().map(|(_, name)| name).collect())
    }

    /// Says which processes take no time, and so are never waited for.
    fn timeless(&self) -> Option<String> {
        let names = self.prepared.timeless_processes();
        let list = listed(names.iter().map(|name| format!("`{name}`")));
        (!names.is_empty()).then(|| format!("Assumed to take no time, as no delay is given: {list}."))
    }

    /// Returns for what part of the time each resource is busy on average; 0 if it is not known.
    fn mean_utilisation(&mut self) -> Vec<f64> {
        let study = self.study;
        let mean = |(name, _): &(crate::Text, crate::Text)| {
            let figures = self.in_views(&Question::Utilisation(name.clone()));
            let figure = figures.iter().find(|figure| figure.view == View::Stochastic.name());
            match figure.map(|figure| &figure.result) {
                Some(FigureResult::Value { low, high, .. }) => f64::midpoint(low.to_f64(), high.to_f64()),
                _ => 0.0,
            }
        };
        study.resources.iter().take(MAX_RESOURCES).map(mean).collect()
    }

    /// Returns the resources that belong to each delay, by its name, as far as the states of the stochastic
    /// view tell.
    fn owned_resources(&self) -> Option<Vec<(String, u64)>> {
        let prepared = self.prepared;
        let timing = &prepared.timing;
        let graph = self.means.whole_graph()?;
        let is_timed = |step: &Step| matches!(graph.effect(step.effect).urgency, Urgency::Timed(..));
        let rests = |state: &u32| graph.steps_of(*state).iter().all(is_timed);
        let states: Vec<u32> = (0..graph.states()).filter(rests).collect();
        let busy = |state: u32| self.busy(&graph.state(state)).unwrap_or(0);
        let delays = prepared.delays_of_resources(self.study);
        let resources = self.study.resources.len().min(MAX_RESOURCES);
        let mut owned: Vec<(String, u64)> = Vec::new();
        for owner in owners(&graph, &states, &busy, &delays, resources) {
            let name = &timing.delays()[usize::from(owner.delay)].name;
            match owned.iter_mut().find(|(known, _)| known == name) {
                Some((_, set)) => *set |= owner.resources,
                None => owned.push((name.clone(), owner.resources)),
            }
        }
        // Of those that are busy while several processes are at work, the predicate may say which delays they
        // have.
        for (resource, own) in delays.iter().enumerate().take(resources) {
            for delay in own.iter().flatten() {
                let name = &timing.delays()[usize::from(*delay)].name;
                owned
                    .iter_mut()
                    .filter(|(known, _)| known == name)
                    .for_each(|(_, set)| *set |= 1 << resource);
            }
        }
        Some(owned)
    }
}

/// Adds findings. What is so in the worst case and in the best case is said once.
pub(crate) fn add_findings(flow: &mut Flow, findings: Vec<String>) {
    for finding in findings {
        if !flow.findings.contains(&finding) {
            flow.findings.push(finding);
        }
    }
}

/// Says what is busy all the time; returns the names, if anything is.
pub(crate) fn saturated(
    study: &Study,
    case: &Case,
    when: &str,
    findings: &mut Vec<String>,
) -> Option<Vec<String>> {
    let names: Vec<String> = study
        .resources
        .iter()
        .zip(case.busy.iter().zip(&case.works))
        .filter(|(_, (busy, works))| **busy == Number::Ratio(1, 1) && **works)
        .map(|((name, _), _)| name.text.clone())
        .collect();
    let verb = match names.len() {
        0 => return None,
        1 => "is the bottleneck: it is",
        _ => "are the bottleneck: they are",
    };
    let list = listed(names.iter().map(|name| format!("`{name}`")));
    findings.push(sentence(&format!("{when}{list} {verb} busy all the time.")));
    Some(names)
}

/// Returns the delays that matter most: those of which a cut by 10 % gains most, if it gains anything.
pub(super) fn most_critical(changes: &[Sensitivity]) -> Vec<&Sensitivity> {
    let Some(gain) = changes.first().and_then(Sensitivity::gain).filter(|gain| *gain > NO_GAIN) else {
        return Vec::new();
    };
    let is_alike =
        |change: &&Sensitivity| change.gain().is_some_and(|other| (gain - other).abs() <= gain * ALIKE);
    changes.iter().filter(is_alike).collect()
}

/// Says which delay matters most, or which ones if several do alike.
pub(super) fn matters(changes: &[Sensitivity]) -> Option<String> {
    let gain = changes.first()?.gain()?;
    if gain <= NO_GAIN {
        return Some(
            "No single delay is critical: cutting any one of them by 10 % gains nothing.".to_owned(),
        );
    }
    let alike: Vec<String> =
        most_critical(changes).iter().map(|change| format!("`{}`", change.delay)).collect();
    let gain = percent(gain);
    Some(match alike.as_slice() {
        [delay] => {
            format!("The most critical delay is {delay}: cutting it by 10 % raises throughput by {gain}.")
        }
        _ => format!(
            "The most critical delays are {}: cutting any of them by 10 % raises throughput by {gain}.",
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
