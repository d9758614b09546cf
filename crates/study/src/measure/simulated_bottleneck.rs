//! What limits a design, as far as a simulation tells: what is busiest, and how often things happen.

use narrows_model::wording::percent;
use narrows_model::{Bottleneck, Figure, FigureResult, Flow, Overlap};

use super::Estimation;
use super::schedule::Bench;
use crate::bottleneck::{events, resources};
use crate::{Ask, Question, Study, View};

/// What is busy for at least this part of the time counts as saturated.
const NEARLY_ALWAYS: f64 = 0.98;

/// Estimates how often the events of a study happen, and for what part of the time its resources are busy,
/// alone and in pairs.
pub(super) fn by_simulation(study: &Study, bench: &mut dyn Bench) -> Bottleneck {
    let mut bottleneck = Bottleneck { resources: resources(study), ..Bottleneck::default() };
    let events = events(study);
    if !study.has_delays() {
        let findings = vec!["The study gives no delays, so nothing is known about time.".to_owned()];
        let flow = |event: &crate::Text| Flow {
            event: event.text.clone(),
            findings: findings.clone(),
            ..Flow::default()
        };
        bottleneck.flows = events.iter().map(flow).collect();
        return bottleneck;
    }
    let names: Vec<&crate::Text> =
        study.resources.iter().take(bottleneck.resources.len()).map(|(name, _)| name).collect();
    let pairs: Vec<(usize, usize)> =
        (0..names.len()).flat_map(|one| (one + 1..names.len()).map(move |other| (one, other))).collect();
    let questions = events.iter().map(|event| Question::Throughput(event.clone()));
    let questions = questions.chain(names.iter().map(|name| Question::Utilisation((*name).clone())));
    let overlaps =
        pairs.iter().map(|(one, other)| Question::Overlap(names[*one].clone(), names[*other].clone()));
    let asks: Vec<Ask> = questions.chain(overlaps).map(Ask::plain).collect();
    let mut found = bench.estimate(&Estimation::new(study, asks, View::Simulated)).into_iter();
    let throughputs: Vec<Vec<Figure>> = found.by_ref().take(events.len()).collect();
    bottleneck.utilisation = found.by_ref().take(names.len()).collect();
    let overlap =
        |((first, second), answers): ((usize, usize), Vec<Figure>)| Overlap { first, second, answers };
    bottleneck.overlaps = pairs.into_iter().zip(found).map(overlap).collect();
    for (event, throughput) in events.iter().zip(throughputs) {
        let (limits, finding) = busiest(study, &bottleneck.utilisation);
        bottleneck.flows.push(Flow {
            event: event.text.clone(),
            throughput,
            bottleneck: limits,
            findings: vec![finding],
            ..Flow::default()
        });
    }
    bottleneck
}

/// Estimates what views have left undecided about events and resources.
pub(super) fn estimate_bottleneck(study: &Study, bench: &mut dyn Bench, bottleneck: &mut Bottleneck) {
    let estimated = by_simulation(study, bench);
    let is_open = |figures: &Vec<Figure>| figures.iter().any(|figure| figure.limit().is_some());
    let is_known = |figures: &Vec<Figure>| {
        figures.iter().all(|figure| matches!(figure.result, FigureResult::Estimated { .. }))
    };
    for (known, found) in bottleneck.utilisation.iter_mut().zip(estimated.utilisation) {
        if is_open(known) && is_known(&found) {
            known.extend(found);
        }
    }
    for (known, found) in bottleneck.flows.iter_mut().zip(estimated.flows) {
        let is_bound = known.throughput.iter().any(|figure| {
            matches!(figure.result, FigureResult::Value { exact: false, .. })
                && figure.view == View::Timed.name()
        });
        if (is_open(&known.throughput) || is_bound) && is_known(&found.throughput) {
            known.throughput.extend(found.throughput);
        }
        if known.bottleneck.is_none() && found.bottleneck.is_some() {
            known.findings.extend(found.findings);
        }
    }
}

/// Names what is busy most of the time, if it is clear which resource that is, and says so.
fn busiest(study: &Study, utilisation: &[Vec<Figure>]) -> (Option<Vec<String>>, String) {
    let part = |figures: &Vec<Figure>| match figures.first().map(|figure| &figure.result) {
        Some(FigureResult::Estimated { value, low, high, .. }) => Some((*value, *low, *high)),
        _ => None,
    };
    let named = study.resources.iter().zip(utilisation);
    let mut parts: Vec<(&str, (f64, f64, f64))> =
        named.filter_map(|((name, _), figures)| Some((name.text.as_str(), part(figures)?))).collect();
    parts.sort_by(|one, other| other.1.0.total_cmp(&one.1.0));
    let Some((name, (value, low, _))) = parts.first().copied() else {
        let finding = "Name what can be busy under `[resource]` to see what is.".to_owned();
        return (None, finding);
    };
    let share = percent(value);
    if low >= NEARLY_ALWAYS {
        let finding =
            format!("On average, `{name}` is the bottleneck: it is busy {share} of the time (estimated).");
        return (Some(vec![name.to_owned()]), finding);
    }
    let is_clear = parts.get(1).is_none_or(|(_, (_, _, other))| *other < low);
    if is_clear {
        let finding = format!("On average, `{name}` is busiest: {share} of the time (estimated).");
        return (Some(vec![name.to_owned()]), finding);
    }
    (None, format!("No resource is clearly the busiest: `{name}` is busy {share} of the time (estimated)."))
}
