//! `narrows lts transient`: what holds at given times.

use std::fmt::Write;

use clap::Args;
use narrows_performance::graphs::GraphAutomaton;
use narrows_performance::markov::{self, Interval};
use narrows_report::with_head;
use narrows_source::csv_cell;
use serde_json::json;

use super::Given;
use super::steady::{Common, Format, align};
use crate::output;

/// Compute how often each action happens at given times
#[derive(Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    common: Common,

    /// Choose the times
    #[arg(long, value_name = "TIME", required = true, num_args = 1.., value_delimiter = ',')]
    time: Vec<f64>,
}

/// What holds at one time.
struct Moment {
    time: f64,
    throughputs: Vec<Interval>,
    shares: Option<markov::Distribution>,
}

pub(super) fn run(arguments: &Arguments, given: &Given<'_>) -> anyhow::Result<u8> {
    let common = &arguments.common;
    let accuracy = common.accuracy()?;
    if let Some(time) = arguments.time.iter().find(|time| !(**time >= 0.0 && time.is_finite())) {
        anyhow::bail!("invalid time `{time}`: it must be at least 0 and finite");
    }
    let graph = super::read(&common.file, given)?;
    let timed = GraphAutomaton::new(&graph).map_err(|trouble| common.trouble(&trouble))?;
    let chain = common.chain(&graph, &timed)?;
    let moment = |time: &f64| Moment {
        time: *time,
        throughputs: markov::rewards_at(&chain.chain, &chain.rewards, *time, accuracy),
        shares: common.states.then(|| markov::distribution_at(&chain.chain, *time, accuracy)),
    };
    let moments: Vec<Moment> = arguments.time.iter().map(moment).collect();
    let states: Vec<u32> = chain.states.iter().map(|state| timed.states[*state as usize]).collect();
    match common.format {
        Format::Text => output::print(&text(common, &timed, &moments, &states))?,
        Format::Csv => output::print(&csv(&timed, &moments, &states))?,
        Format::Json => {
            let ends = |(action, interval): (&String, &Interval)| json!({ "action": action, "low": interval.low, "high": interval.high });
            let moments: Vec<serde_json::Value> = moments
                .iter()
                .map(|moment| {
                    let list: Vec<_> = timed.actions.iter().zip(&moment.throughputs).map(ends).collect();
                    let mut value = json!({ "time": moment.time, "throughputs": list });
                    if let Some(found) = &moment.shares {
                        let of = |(state, share): (&u32, &f64)| {
                            let Interval { low, high } = bounds(*share, found.error);
                            json!({ "state": state, "probability": share, "low": low, "high": high })
                        };
                        value["distribution"] =
                            states.iter().zip(&found.probabilities).map(of).collect::<Vec<_>>().into();
                        value["error"] = json!(found.error);
                    }
                    value
                })
                .collect();
            let choices = timed.has_choices(&graph);
            let content = json!({ "choices": choices, "moments": moments, "answers": [] });
            output::print_json(&with_head(&common.file.display().to_string(), content))?;
        }
    }
    let wide = |action: usize| moments.iter().any(|moment| !accuracy.is_met(moment.throughputs[action]));
    let actions = timed.actions.iter().enumerate().filter(|(action, _)| wide(*action));
    let is_wide = |found: &markov::Distribution| found.error > accuracy.relative;
    let states = moments.iter().filter_map(|moment| moment.shares.as_ref()).any(is_wide);
    let states = states.then_some("probabilities of states");
    common.warn_of(actions.map(|(_, action)| action.as_str()).chain(states));
    if timed.has_choices(&graph) {
        output::note("the graph leaves choices open; here the choices of a state are equally likely");
    }
    Ok(0)
}

fn text(common: &Common, timed: &GraphAutomaton, moments: &[Moment], states: &[u32]) -> String {
    let mut rows = vec![vec!["time".to_owned()]];
    rows[0].extend(timed.actions.iter().cloned());
    for moment in moments {
        let mut row = vec![moment.time.to_string()];
        row.extend(moment.throughputs.iter().map(|interval| common.shown(*interval)));
        rows.push(row);
    }
    let mut text = format!("{}\n{}", common.file.display(), align(&rows));
    for moment in moments {
        let Some(found) = &moment.shares else { continue };
        let mut rows = vec![vec!["state".to_owned(), "probability".to_owned()]];
        for (state, share) in states.iter().zip(&found.probabilities) {
            let interval = bounds(*share, found.error);
            rows.push(vec![state.to_string(), common.shown(interval)]);
        }
        let _ = write!(text, "\n  at time {}\n{}", moment.time, align(&rows));
    }
    text
}

fn csv(timed: &GraphAutomaton, moments: &[Moment], states: &[u32]) -> String {
    let names = timed.actions.iter().map(|action| csv_cell(action));
    let mut text = format!("time,value,{}\n", names.collect::<Vec<_>>().join(","));
    for moment in moments {
        for (name, of) in [("low", low as fn(&Interval) -> f64), ("high", high)] {
            let cells: Vec<String> = moment.throughputs.iter().map(|one| format!("{:e}", of(one))).collect();
            let _ = writeln!(text, "{},{name},{}", moment.time, cells.join(","));
        }
    }
    if moments.iter().any(|moment| moment.shares.is_some()) {
        text += "\ntime,state,probability,low,high\n";
    }
    for moment in moments {
        let Some(found) = &moment.shares else { continue };
        for (state, share) in states.iter().zip(&found.probabilities) {
            let Interval { low, high } = bounds(*share, found.error);
            let _ = writeln!(text, "{},{state},{share:e},{low:e},{high:e}", moment.time);
        }
    }
    text
}

/// Returns the bounds of a probability that is off by so much at most.
fn bounds(share: f64, error: f64) -> Interval {
    Interval { low: (share - error).next_down().max(0.0), high: (share + error).next_up().min(1.0) }
}

fn low(interval: &Interval) -> f64 {
    interval.low
}

fn high(interval: &Interval) -> f64 {
    interval.high
}
