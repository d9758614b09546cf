//! Graphs with rates, as CADP writes them: how often actions happen, and what happens on the way to a target.

use narrows_lts::{Graph, Label, LabelPattern};
use narrows_performance::Fine;
use narrows_performance::graphs::{AutomatonError, GraphAutomaton, GraphReach};
use narrows_performance::markov::{
    Accuracy, Distribution, Interval, OverSchedulers, Reach, Vanished, distribution_at, rewards_at,
    steady_bounds,
};
use narrows_report::{AtTime, AtTimes, Bounds, LongRun, OnTheWay, Ranged};

/// How graphs with rates are measured.
#[derive(Clone, Copy, Debug)]
pub struct RateOptions {
    /// How wide an interval may be, compared with the number in it.
    pub accuracy: f64,
    /// Whether the probability of each state is wanted too.
    pub states: bool,
}

/// What is asked about the way to a target.
#[derive(Clone, Debug, Default)]
pub struct Target {
    /// Actions that are the target.
    pub actions: Vec<LabelPattern>,
    /// States that are the target.
    pub states: Vec<u32>,
    /// Times before which it is to be reached; without rates, numbers of steps.
    pub before: Vec<f64>,
    /// What is gained each time some actions happen.
    pub event_rewards: Vec<(LabelPattern, f64)>,
    /// What is gained per time while some actions are possible.
    pub rate_rewards: Vec<(LabelPattern, f64)>,
}

/// Why a graph with rates is not measured.
#[derive(Debug, thiserror::Error)]
pub enum RateError {
    /// No interval is as wide as that.
    #[error("invalid accuracy `{0}`: it must be above 0 and below 1")]
    Accuracy(f64),
    /// This is no time.
    #[error("invalid time `{0}`: it must be at least 0 and finite")]
    Time(f64),
    /// There is no such state; the last one is this.
    #[error("there is no state {0}: states are numbered from 0 to {1}")]
    State(u32, u32),
    /// Nothing fits a pattern.
    #[error("no action of the graph fits `{0}`; `narrows lts info` lists its labels")]
    Action(LabelPattern),
    /// The graph has no numbers.
    #[error(transparent)]
    Graph(#[from] AutomatonError),
}

/// What came out, and what of it has wider bounds than wanted.
#[derive(Clone, Debug)]
pub struct Rates<T> {
    /// What came out.
    pub report: T,
    /// The names of numbers whose bounds are right and wider than wanted.
    pub wide: Vec<String>,
}

/// Computes how often each action of a graph happens in the long run.
///
/// # Errors
///
/// The options may be wrong, and the graph may have no chain.
pub fn steady(graph: &Graph, options: &RateOptions) -> Result<Rates<LongRun>, RateError> {
    let accuracy = accuracy(options.accuracy)?;
    let timed = GraphAutomaton::new(graph)?;
    let found = timed.long_run(graph, &timed.rewards(graph), accuracy)?;
    let distribution = match options.states.then(|| timed.uniform(&[])).transpose()? {
        Some(Vanished { chain, states, .. }) => {
            let shares = steady_bounds(&chain, accuracy).into_iter();
            let states = timed.in_graph(&states).into_iter();
            Some(states.zip(shares).map(|(state, share)| (state, share.middle(), bounds(share))).collect())
        }
        None => None,
    };
    let named = || timed.actions.iter().zip(&found);
    let is_wide = named().filter(|(_, found)| is_wide(found, accuracy));
    let wide = is_wide.map(|(name, _)| name.clone()).collect();
    let throughputs = named().map(|(name, found)| ranged(name, found)).collect();
    let (states, vanishing) = (timed.states.len(), timed.deciding());
    Ok(Rates { report: LongRun { states, vanishing, throughputs, distribution }, wide })
}

/// Computes how often each action of a graph happens at given times, with choices of a state equally likely.
///
/// # Errors
///
/// The options or times may be wrong, and the graph may have no chain.
pub fn transient(graph: &Graph, times: &[f64], options: &RateOptions) -> Result<Rates<AtTimes>, RateError> {
    let accuracy = accuracy(options.accuracy)?;
    check_times(times)?;
    let timed = GraphAutomaton::new(graph)?;
    let chain = timed.uniform(&timed.rewards(graph))?;
    let in_graph = timed.in_graph(&chain.states);
    let mut is_wide = vec![false; timed.actions.len()];
    let mut are_states_wide = false;
    let mut at = |time: f64| {
        let (near, factor) = Fine::as_written(time).split_near();
        let scaled = chain.chain.scaled(factor);
        let found = rewards_at(&scaled, &chain.rewards, near, accuracy);
        for (is_wide, found) in is_wide.iter_mut().zip(&found) {
            *is_wide |= !accuracy.is_met(*found);
        }
        let distribution = options.states.then(|| {
            let Distribution { probabilities, error } = distribution_at(&scaled, near, accuracy);
            are_states_wide |= error > accuracy.relative;
            let off = |share: f64| ((share - error).next_down().max(0.0), (share + error).next_up().min(1.0));
            (
                in_graph
                    .iter()
                    .copied()
                    .zip(probabilities)
                    .map(|(state, share)| (state, share, off(share)))
                    .collect(),
                error,
            )
        });
        AtTime { time, throughputs: found.into_iter().map(bounds).collect(), distribution }
    };
    let times = times.iter().map(|time| at(*time)).collect();
    let actions = timed.actions.iter().zip(is_wide).filter(|(_, is_wide)| *is_wide);
    let wide = actions
        .map(|(action, _)| action.clone())
        .chain(are_states_wide.then(|| "probabilities of states".to_owned()))
        .collect();
    let has_choices = timed.has_choices(graph);
    Ok(Rates { report: AtTimes { has_choices, actions: timed.actions, times }, wide })
}

/// Computes how likely a target is reached, how soon, and what is gained on the way.
///
/// # Errors
///
/// The options or the target may be wrong, and the graph may have no automaton.
pub fn reach(graph: &Graph, target: &Target, options: &RateOptions) -> Result<Rates<OnTheWay>, RateError> {
    let accuracy = accuracy(options.accuracy)?;
    check_times(&target.before)?;
    if let Some(state) = target.states.iter().find(|state| **state >= graph.states()) {
        return Err(RateError::State(*state, graph.states() - 1));
    }
    let fits = |pattern: &LabelPattern, label: &str| {
        let label = Label::parse(label).ok();
        label.and_then(|label| label.action).is_some_and(|action| pattern.fits(action))
    };
    let rewards = target.event_rewards.iter().chain(&target.rate_rewards).map(|(actions, _)| actions);
    let unknown = |pattern: &&LabelPattern| !graph.labels().iter().any(|label| fits(pattern, label));
    if let Some(pattern) = target.actions.iter().chain(rewards).find(unknown) {
        return Err(RateError::Action(pattern.clone()));
    }
    let is_target = |label: &str| target.actions.iter().any(|pattern| fits(pattern, label));
    let way = GraphReach::new(graph, is_target, |state| target.states.contains(&state))?;
    let (mut reached, mut wide) = (Vec::new(), Vec::new());
    let mut add = |name: String, before: Option<f64>, what: Reach<'_>| {
        let found = way.solve(what, accuracy)?;
        if is_wide(&found, accuracy) {
            wide.push(name.clone());
        }
        reached.push((before, ranged(&name, &found)));
        Ok::<(), AutomatonError>(())
    };
    add("probability".to_owned(), None, Reach::Ever)?;
    for time in &target.before {
        add(format!("probability before {time}"), Some(*time), Reach::Before(Fine::as_written(*time)))?;
    }
    let expected = if way.is_discrete { "expected steps" } else { "expected time" };
    add(expected.to_owned(), None, Reach::Total(&way.time()))?;
    if !(target.event_rewards.is_empty() && target.rate_rewards.is_empty()) {
        let amounts = |list: &[(LabelPattern, f64)]| -> Vec<_> {
            let one = |(actions, amount): &(LabelPattern, f64)| {
                let actions = actions.clone();
                (move |action: &str| actions.fits(action), *amount)
            };
            list.iter().map(one).collect()
        };
        let reward = way.reward(&amounts(&target.event_rewards), &amounts(&target.rate_rewards));
        add("expected reward".to_owned(), None, Reach::Total(&reward))?;
    }
    let (states, vanishing) = way.size();
    Ok(Rates { report: OnTheWay { states, vanishing, is_discrete: way.is_discrete, reached }, wide })
}

/// The Markov chain of a graph with rates, as a sparse matrix.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SparseChain {
    /// For each state of the chain, which one of the graph it is: states that are left at once are not in it.
    pub states: Vec<u32>,
    /// For each transition, the state that it leaves.
    pub rows: Vec<u32>,
    /// For each transition, the state that it leads to.
    pub columns: Vec<u32>,
    /// For each transition, its rate.
    pub rates: Vec<f64>,
    /// The states to begin with, and how likely each is.
    pub initial: Vec<(u32, f64)>,
    /// The visible actions.
    pub actions: Vec<String>,
    /// For each action, how often it happens per time in each state.
    pub frequencies: Vec<Vec<f64>>,
    /// Whether the graph leaves choices open, which are equally likely in the chain.
    pub has_choices: bool,
}

/// Makes the Markov chain of a graph, with choices of a state equally likely.
///
/// # Errors
///
/// The graph may have no chain.
pub fn sparse_chain(graph: &Graph) -> Result<SparseChain, RateError> {
    let timed = GraphAutomaton::new(graph)?;
    let Vanished { chain, states, rewards, .. } = timed.uniform(&timed.rewards(graph))?;
    let transitions = chain.transitions();
    let mut made = SparseChain {
        states: timed.in_graph(&states),
        rows: Vec::with_capacity(transitions),
        columns: Vec::with_capacity(transitions),
        rates: Vec::with_capacity(transitions),
        initial: chain.initial().to_vec(),
        frequencies: rewards,
        has_choices: timed.has_choices(graph),
        actions: timed.actions,
    };
    for state in 0..chain.states() {
        for (target, rate) in chain.row(state) {
            made.rows.push(state as u32);
            made.columns.push(target);
            made.rates.push(rate);
        }
    }
    Ok(made)
}

fn ranged(name: &str, found: &OverSchedulers) -> Ranged {
    Ranged { name: name.to_owned(), even: bounds(found.even), open: found.open.map(|ends| ends.map(bounds)) }
}

fn bounds(interval: Interval) -> Bounds {
    (interval.low, interval.high)
}

/// Returns whether something is wider than wanted, and could be narrower.
fn is_wide(found: &OverSchedulers, accuracy: Accuracy<'_>) -> bool {
    let mut all = found.open.into_iter().flatten().chain([found.even]);
    all.any(|interval| !accuracy.is_met(interval) && interval.low.is_finite())
}

fn accuracy(relative: f64) -> Result<Accuracy<'static>, RateError> {
    if relative > 0.0 && relative < 1.0 {
        Ok(Accuracy::relative(relative))
    } else {
        Err(RateError::Accuracy(relative))
    }
}

fn check_times(times: &[f64]) -> Result<(), RateError> {
    let wrong = times.iter().find(|time| !(**time >= 0.0 && time.is_finite()));
    wrong.map_or(Ok(()), |time| Err(RateError::Time(*time)))
}
