//! What can be asked in which view: the one place where questions of studies are refused.

use narrows_model::{FormKind, Refusal};
use narrows_performance::Time;

use crate::{
    Equivalence, Latency, LatencyKind, Question, ReachKind, SizePart, Study, StudyEngine, Text, View,
};

const NO_LABELS: &str =
    "Formulas of the mu-calculus are about labels: ask them of a LOTOS model, or of a graph.";
const NO_COMPARISON: &str = "Models are compared by their labels: ask it of a LOTOS model, or of a graph.";
const NO_CHANCE: &str = "This is a mean over runs, and an SMV model does not say how likely they are: ask \
                         for the least and the most.";
const NO_CACHES: &str = "Only a Promela model can have caches under it.";
const NO_STATES: &str = "Of this model nothing is known but its labels.";
const NO_VALUES: &str = "Of this model nothing is known but its labels, and they have no value that lasts: \
                         ask for the `utilisation` of a condition.";
const NO_TIME: &str = "A mean is over time: ask it in the timed or the stochastic view.";
const NO_MEAN: &str =
    "This is about best and worst cases: ask it in the timed view, not in the stochastic one.";
const NO_PERCENTILE: &str =
    "A percentile is about random times: ask it in the stochastic view, and here for the least and the most.";
const NO_EXTREMES: &str = "Simulation estimates means and percentiles; the least and the most over all runs \
                           are for the timed view.";
const NO_RUNS: &str = "A simulation sees some runs, and this is about all of them.";
const NO_MISSES: &str = "Simulation does not tell misses apart by variable: ask it in the stochastic view.";
const NO_OVERLAP: &str = "Ask for an overlap in the untimed or the timed view: how often something happens \
                          at random is a `utilisation`.";

/// Says whether a question of a study can be asked of models of a form, in a view.
///
/// # Errors
///
/// The refusal says why not, and what to ask instead.
pub fn accepts(form: FormKind, question: &Question, view: View) -> Result<(), Refusal> {
    use FormKind::{Labelled, Processes, Synchronous};
    let is_mean = matches!(
        question,
        Question::MeanDelay(..)
            | Question::MeanCount(..)
            | Question::MeanPeriod(_)
            | Question::Transient(..)
            | Question::Reward(..)
            | Question::Reach(..)
            | Question::MissTime(_)
    );
    let is_bound = matches!(
        question,
        Question::MinDelay(..)
            | Question::MaxDelay(..)
            | Question::Delay(..)
            | Question::MinCount(..)
            | Question::MaxCount(..)
            | Question::Count(..)
            | Question::Makespan
    );
    let has_percentiles = matches!(question, Question::Latency(latency) if !latency.percentiles.is_empty());
    if form == Labelled && matches!(question, Question::Mean(_)) {
        return Err(Refusal::new(NO_VALUES));
    }
    if view == View::Simulated && form != Synchronous {
        return accepts_simulation(question);
    }
    let reason = match (form, question, view) {
        (Processes | Synchronous, Question::Mu(_), _) => NO_LABELS,
        (Processes | Synchronous, Question::Equivalence(_), _) => NO_COMPARISON,
        (Labelled, Question::Ctl(_) | Question::Invariant(_), _) => NO_STATES,
        (_, Question::Mean(_), View::Untimed) => NO_TIME,
        (Synchronous, _, View::Stochastic | View::Simulated) => NO_CHANCE,
        (Synchronous, _, _) if is_mean => NO_CHANCE,
        (Synchronous, _, _) if has_percentiles => NO_CHANCE,
        (_, Question::Latency(latency), View::Timed | View::Untimed) if latency.is_percentile => {
            NO_PERCENTILE
        }
        (Labelled, Question::MissTime(_), _) => NO_CACHES,
        (_, Question::Overlap(..), View::Stochastic) => NO_OVERLAP,
        (_, _, View::Stochastic) if is_bound => NO_MEAN,
        (_, _, View::Timed | View::Untimed) if is_mean => {
            let view = view.name();
            let reason =
                format!("This is a mean over runs: ask it in the stochastic view, not in the {view} one.");
            return Err(Refusal::new(reason));
        }
        _ => return Ok(()),
    };
    Err(Refusal::new(reason))
}

/// Says whether a question can be answered by simulation, where delays are given.
fn accepts_simulation(question: &Question) -> Result<(), Refusal> {
    let reason = match question {
        Question::Throughput(_)
        | Question::MeanPeriod(_)
        | Question::Utilisation(_)
        | Question::Mean(_)
        | Question::MeanDelay(..)
        | Question::MeanCount(..)
        | Question::Transient(..)
        | Question::Latency(_)
        | Question::Overlap(..)
        | Question::Reward(..)
        | Question::Reach(..)
        | Question::Bottleneck(_) => return Ok(()),
        Question::MissTime(_) => NO_MISSES,
        Question::MinDelay(..)
        | Question::MaxDelay(..)
        | Question::Delay(..)
        | Question::MinCount(..)
        | Question::MaxCount(..)
        | Question::Count(..)
        | Question::Makespan => NO_EXTREMES,
        _ => NO_RUNS,
    };
    Err(Refusal::new(reason))
}

/// Says whether a view takes the delays of a study.
pub(crate) fn accepts_delays(study: &Study, view: View) -> Result<(), Refusal> {
    let is_exact = matches!(view, View::Timed | View::Stochastic);
    match study.delays.iter().find(|entry| is_exact && entry.delay.is_drawn()) {
        None => Ok(()),
        Some(entry) => Err(Refusal::new(format!(
            "The {} view takes delays that are fixed, ranges, or of exponential phases, and that of `{}` is \
             none of them: ask in the simulated view, or let `narrows fit` find phases.",
            view.name(),
            entry.place.text
        ))),
    }
}

/// Returns a question of each kind, which names nothing, with what makes it special among others of its kind.
pub fn kinds() -> Vec<(&'static str, Question)> {
    let text = Text::default;
    let plain = |kind| Latency { kind, ..Latency::default() };
    let latency = |latency: Latency| Question::Latency(Box::new(latency));
    let of_kind = LatencyKind::Latency;
    let ordinary = [
        Question::Ltl(text()),
        Question::Ctl(text()),
        Question::Mu(text()),
        Question::Equivalence(Equivalence::default()),
        Question::Invariant(text()),
        Question::Deadlock,
        Question::Overlap(text(), text()),
        Question::Bottleneck(text()),
        Question::Throughput(text()),
        Question::Utilisation(text()),
        Question::MinDelay(text(), text()),
        Question::MaxDelay(text(), text()),
        Question::Delay(text(), text()),
        Question::MinCount(text(), text(), text()),
        Question::MaxCount(text(), text(), text()),
        Question::Count(text(), text(), text()),
        Question::Makespan,
        Question::Size(SizePart::States),
        Question::MeanDelay(text(), text()),
        Question::MeanPeriod(text()),
        latency(plain(LatencyKind::Latency)),
        latency(plain(LatencyKind::Period)),
        latency(plain(LatencyKind::Duration)),
        Question::MeanCount(text(), text()),
        Question::Transient(text(), Time::ZERO),
        Question::Mean(text()),
        Question::Reward(text(), None),
        Question::Reach(ReachKind::Ever, text()),
        Question::Reach(ReachKind::Time, text()),
        Question::MissTime(text()),
    ];
    let special = [
        ("percentile", latency(Latency { is_percentile: true, percentiles: vec![99.0], ..plain(of_kind) })),
        ("by", latency(Latency { by: Some(text()), ..plain(of_kind) })),
        ("until", Question::Reach(ReachKind::Reward(text()), text())),
        ("before", Question::Reach(ReachKind::Before(Time::ZERO), text())),
    ];
    ordinary.map(|question| ("", question)).into_iter().chain(special).collect()
}

/// Returns the views in which a question is asked of a model of a form, if the study does not say.
pub(crate) fn views(study: &Study, form: FormKind, given: Option<View>, question: &Question) -> Vec<View> {
    let is_synchronous = form == FormKind::Synchronous;
    if is_synchronous && given != Some(View::Stochastic) {
        // One step is one unit of time.
        return vec![View::Timed];
    }
    if study.simulation.engine == StudyEngine::Simulation && !is_synchronous {
        return vec![View::Simulated];
    }
    let is_simulated = study.is_simulated() && accepts_simulation(question).is_ok();
    if given.is_none() && is_simulated && !is_synchronous {
        return vec![View::Simulated];
    }
    if let Some(view) = given.filter(|_| !matches!(question, Question::Bottleneck(_) | Question::MissTime(_)))
    {
        return vec![view];
    }
    let has_windows = study.has_windows();
    let exact = if study.has_delays() { View::Timed } else { View::Untimed };
    vec![match question {
        Question::Utilisation(_)
        | Question::MeanDelay(..)
        | Question::MeanPeriod(_)
        | Question::MeanCount(..)
        | Question::MissTime(_)
        | Question::Reward(..)
        | Question::Reach(..)
        | Question::Mean(_)
        | Question::Transient(..) => View::Stochastic,
        Question::Bottleneck(_) if form == FormKind::Labelled => View::Stochastic,
        Question::Bottleneck(_) => View::Timed,
        Question::Overlap(..) | Question::Mu(_) | Question::Equivalence(_) | Question::Size(_) => {
            View::Untimed
        }
        Question::Latency(latency) if latency.is_percentile => View::Stochastic,
        Question::Throughput(_) | Question::Latency(_) if !study.has_delays() => View::Untimed,
        Question::Throughput(_) | Question::Latency(_) if has_windows => {
            return vec![View::Timed, View::Stochastic];
        }
        Question::Throughput(_) | Question::Latency(_) => View::Stochastic,
        _ => exact,
    }]
}

/// Returns the views in which time passes.
pub(crate) fn views_with_time(study: &Study, form: FormKind) -> Vec<View> {
    match form {
        FormKind::Synchronous => vec![View::Timed],
        _ if !study.has_delays() => Vec::new(),
        _ if study.has_windows() => vec![View::Timed, View::Stochastic],
        _ => vec![View::Stochastic],
    }
}

/// Returns the view in which every step counts alike.
pub(crate) fn view_of_steps(form: FormKind) -> View {
    if form == FormKind::Synchronous { View::Timed } else { View::Untimed }
}
