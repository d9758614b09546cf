//! Builds a stochastic view round by round, eliminating vanishing states on the fly.

use narrows_model::{Evaluator, Observation};
use rustc_hash::FxHashMap;

use super::Stochastic;
use super::outcomes::{Arrival, Outcomes, Target};
use super::transitions::{Transition, Transitions};
use crate::fine::Fine;
use crate::nodes::{Nodes, Round};
use crate::phases::Phase;
use crate::requests::RequestEvents;
use crate::timing::Delayed;
use crate::{BuildError, StateGraph, Urgency, ValueCache};

/// Builds the stochastic view of a model.
pub fn build(state_graph: StateGraph<'_>) -> Result<Stochastic<'_>, BuildError> {
    build_ordered(state_graph, &[])
}

/// Builds the same view, in which tallies also know in which order requests of some kinds begin and end at an
/// instant.
pub fn build_ordered<'a>(
    state_graph: StateGraph<'a>,
    kinds: &[RequestEvents],
) -> Result<Stochastic<'a>, BuildError> {
    let evaluator = state_graph.system().map(Evaluator::new);
    let delay_rates = state_graph
        .timing()
        .delays()
        .iter()
        .map(|delayed| DelayRate::new(delayed, evaluator.as_ref()))
        .collect();
    let mut builder = Builder {
        evaluator,
        nodes: Nodes::new(state_graph)?,
        delay_rates,
        outcome_of: Vec::new(),
        outcomes: Outcomes::new(kinds),
        tallies: Vec::new(),
        tangible: Vec::new(),
        members: FxHashMap::default(),
        transitions: Transitions::new(),
        decisions: Vec::new(),
        ends: Vec::new(),
    };
    builder.run()?;
    let Builder { nodes, outcome_of, outcomes, tangible, members, mut transitions, decisions, .. } = builder;
    let mut state_graph = nodes.into_state_graph();
    // What follows needs room for itself.
    state_graph.forget_ways();
    transitions.shrink();
    let initial = outcome_of[0];
    Ok(Stochastic { state_graph, tangible, members, transitions, decisions, outcomes, initial })
}

struct Builder<'a> {
    evaluator: Option<Evaluator<'a>>,
    nodes: Nodes<'a>,
    /// The rates of delays, as far as they do not depend on the state.
    delay_rates: Vec<DelayRate>,
    /// The outcome of each node's immediate steps.
    outcome_of: Vec<u32>,
    outcomes: Outcomes,
    /// The tally of each effect.
    tallies: Vec<u32>,
    tangible: Vec<u32>,
    members: FxHashMap<u32, Vec<u32>>,
    transitions: Transitions,
    decisions: Vec<Vec<u32>>,
    /// Scratch: the expiring delays of one tangible state.
    ends: Vec<ExpiringStep>,
}

/// The rate of a delay, as far as it does not depend on the state.
struct DelayRate {
    /// Its phases; most delays have one.
    phases: Vec<Phase>,
    /// Its speed, if that is the same in all states.
    speed: Option<Fine>,
    /// Its speed by state.
    speeds: ValueCache<Fine>,
}

impl DelayRate {
    fn new(delayed: &Delayed, evaluator: Option<&Evaluator<'_>>) -> DelayRate {
        let speed = match &delayed.speed {
            None => Some(Fine::ONE),
            Some((times, None)) => times.constant().map(|times| quotient(times, 1)),
            Some((times, Some(over))) => {
                times.constant().zip(over.constant()).map(|(times, over)| quotient(times, over))
            }
        };
        let bytes = delayed.speed.as_ref().zip(evaluator).and_then(|((times, over), evaluator)| {
            let mut bytes = evaluator.global_bytes(times)?;
            if let Some(over) = over {
                bytes.extend(evaluator.global_bytes(over)?);
            }
            Some(bytes)
        });
        DelayRate { phases: delayed.delay.phases(), speed, speeds: ValueCache::new(bytes) }
    }
}

/// Returns the speed of a delay; it stands still unless that is positive.
fn quotient(times: i32, over: i32) -> Fine {
    if times <= 0 || over <= 0 { Fine::ZERO } else { Fine::ratio(times.into(), over.into()) }
}

/// An enabled step: its source and target nodes, and its effect.
#[derive(Clone, Copy)]
struct EnabledStep {
    from: u32,
    target: u32,
    effect: u32,
}

/// Weights and outcomes.
type Weighted = Vec<(u32, u32)>;

/// A step that is taken when a delay expires.
#[derive(Clone, Copy)]
struct ExpiringStep {
    pid: u8,
    delay: u16,
    node: u32,
    choice: u32,
    effect: u32,
}

/// The expiry of a delay: its rate, and the steps that may be taken then. Without steps, only the next stage
/// begins.
struct Expiry {
    rate: Fine,
    /// The end of its range among all steps.
    options: u32,
    stage: Option<u32>,
}

/// The expiries in the tangible states of a round, in order.
#[derive(Default)]
struct Expiries {
    options: Vec<EnabledStep>,
    pending: Vec<Expiry>,
    /// The end of each state's range.
    ends: Vec<u32>,
}

/// The nodes of some tangible states, concatenated.
#[derive(Default)]
struct Members {
    nodes: Vec<u32>,
    ends: Vec<u32>,
}

impl Members {
    fn add(&mut self, members: &[u32]) {
        self.nodes.extend_from_slice(members);
        self.ends.push(self.nodes.len() as u32);
    }

    fn iter(&self) -> impl Iterator<Item = &[u32]> {
        let starts = std::iter::once(&0).chain(&self.ends);
        starts.zip(&self.ends).map(|(start, end)| &self.nodes[*start as usize..*end as usize])
    }
}

impl Builder<'_> {
    fn run(&mut self) -> Result<(), BuildError> {
        // With stages, a state comes again in later rounds.
        let comes_again = self.delay_rates.iter().any(|delay| delay.phases.len() > 1);
        let mut first = 0;
        let mut waiting = Expiries::default();
        while (first as usize) < self.nodes.len() {
            let round = self.nodes.round(first)?;
            let tangible = self.resolve(&round)?;
            self.nodes.edges.clear();
            self.finish(&mut waiting);
            for (number, members) in tangible.iter().enumerate() {
                self.let_time_pass(members, comes_again, &mut waiting)?;
                self.nodes.watch(number, self.transitions.memory())?;
            }
            if !comes_again {
                self.nodes.state_graph.forget_steps();
            }
            first = round.nodes().end;
        }
        self.finish(&mut waiting);
        Ok(())
    }

    /// Computes the outcome of each node of a round; returns the nodes of each tangible state that was found.
    fn resolve(&mut self, round: &Round) -> Result<Members, BuildError> {
        self.outcome_of.resize(round.nodes().end as usize, u32::MAX);
        let mut order: Vec<u32> = round.nodes().collect();
        // Edges lead to components with smaller numbers.
        order.sort_by_key(|node| round.component(*node));
        let mut tangible = Members::default();
        for members in order.chunk_by(|left, right| round.component(*left) == round.component(*right)) {
            if round.waits(members[0]) {
                let state = self.tangible.len() as u32;
                self.tangible.push(self.nodes.state(members[0]));
                if members.len() > 1 {
                    let states = members.iter().map(|node| self.nodes.state(*node)).collect();
                    self.members.insert(state, states);
                }
                let outcome = Outcomes::tangible(state);
                for node in members {
                    self.outcome_of[*node as usize] = outcome;
                }
                tangible.add(members);
            } else {
                self.pass(members, round)?;
            }
        }
        Ok(tangible)
    }

    /// Computes the outcome of a vanishing component.
    fn pass(&mut self, members: &[u32], round: &Round) -> Result<(), BuildError> {
        let component = round.component(members[0]);
        let mut options = Vec::new();
        let mut has_chance = false;
        let mut has_cycle = false;
        for node in members {
            for (from, edge) in round.edges(*node, &self.nodes) {
                let effect = self.nodes.state_graph.effect(edge.effect);
                let stays = round.component(edge.target) == component;
                has_cycle |= stays;
                has_chance |= effect.chance.is_some();
                if stays && !effect.events.is_empty() {
                    return Err(self.nodes.standstill(*node, round));
                }
                options.push(EnabledStep { from: *from, target: edge.target, effect: edge.effect });
            }
        }
        if has_cycle && has_chance {
            // How often it goes round depends on chance: each node decides for itself.
            for node in members {
                let decision = self.decisions.len() as u32;
                self.decisions.push(Vec::new());
                self.outcome_of[*node as usize] = self.outcomes.certain(Target::Decision(decision));
            }
            for node in members {
                let own: Vec<EnabledStep> =
                    options.iter().copied().filter(|option| option.from == *node).collect();
                let choices = self.choices(&own);
                let own = self.outcomes.get(self.outcome_of[*node as usize]).next();
                if let Some(Arrival { target: Target::Decision(decision), .. }) = own {
                    self.decisions[decision as usize] = choices;
                }
            }
            return Ok(());
        }
        // Nobody goes round for ever: one of the ways out is taken.
        options.retain(|option| round.component(option.target) != component);
        let outcome = self.decide(&options);
        for node in members {
            self.outcome_of[*node as usize] = outcome;
        }
        Ok(())
    }

    /// Returns the distinct outcomes of some steps: the random choices of one process are one distribution.
    fn choices(&mut self, options: &[EnabledStep]) -> Vec<u32> {
        let mut choices: Vec<u32> = Vec::new();
        let mut chances: Vec<((u32, u8), Weighted)> = Vec::new();
        for option in options {
            let chance = self.nodes.state_graph.effect(option.effect).chance;
            let tally = self.tally_of(option.effect);
            let outcome = self.outcomes.after(tally, self.outcome_of[option.target as usize]);
            match chance {
                None => choices.push(outcome),
                Some((pid, weight)) => match chances.iter_mut().find(|(key, _)| *key == (option.from, pid)) {
                    Some((_, list)) => list.push((weight, outcome)),
                    None => chances.push(((option.from, pid), vec![(weight, outcome)])),
                },
            }
        }
        for (_, list) in chances {
            if list.iter().any(|(weight, _)| *weight > 0) {
                choices.push(self.outcomes.mixture(&list));
            }
        }
        choices.sort_unstable();
        choices.dedup();
        choices
    }

    /// Returns the tally of an effect.
    fn tally_of(&mut self, effect: u32) -> u32 {
        while self.tallies.len() <= effect as usize {
            let events = self.nodes.state_graph.effect(self.tallies.len() as u32).events.clone();
            let tally = self.outcomes.of_step(events);
            self.tallies.push(tally);
        }
        self.tallies[effect as usize]
    }

    /// Returns the outcome of some steps; if they have several, there is a decision.
    fn decide(&mut self, options: &[EnabledStep]) -> u32 {
        let choices = self.choices(options);
        if let [outcome] = choices[..] {
            return outcome;
        }
        let decision = self.decisions.len() as u32;
        self.decisions.push(choices);
        self.outcomes.certain(Target::Decision(decision))
    }

    /// Lets a delay of a tangible state expire.
    fn let_time_pass(
        &mut self,
        members: &[u32],
        has_stages: bool,
        waiting: &mut Expiries,
    ) -> Result<(), BuildError> {
        let running = if has_stages { self.nodes.running(members[0]) } else { Vec::new() };
        let mut ends = std::mem::take(&mut self.ends);
        self.find_ends(members, &mut ends);
        let mut seen = None;
        for group in ends.chunk_by(|left, right| (left.pid, left.delay) == (right.pid, right.delay)) {
            let ExpiringStep { pid, delay, .. } = group[0];
            let speed = self.speed(delay, members[0], &mut seen)?;
            if speed == Fine::ZERO {
                continue;
            }
            let far = running.iter().find(|(known, other, _)| (*known, *other) == (pid, delay));
            let far = far.map_or(0, |(_, _, far)| *far);
            let phases = &self.delay_rates[usize::from(delay)].phases;
            let Some(Phase { ends, next }) = phases.get(far as usize) else { continue };
            for (phase, rate) in next {
                let stage = Some(self.nodes.further(members[0], &running, (pid, delay), *phase));
                let options = waiting.options.len() as u32;
                waiting.pending.push(Expiry { rate: rate.times(speed), options, stage });
            }
            if ends.near() > 0.0 {
                let rate = ends.times(speed);
                for ExpiringStep { node, choice, effect, .. } in group {
                    let target = self.nodes.follow(*node, &running, *choice, 0)?;
                    waiting.options.push(EnabledStep { from: *node, target, effect: *effect });
                }
                waiting.pending.push(Expiry { rate, options: waiting.options.len() as u32, stage: None });
            }
        }
        waiting.ends.push(waiting.pending.len() as u32);
        self.ends = ends;
        Ok(())
    }

    /// Collects the steps of the expiring delays of a tangible state, grouped by delay.
    fn find_ends(&self, members: &[u32], ends: &mut Vec<ExpiringStep>) {
        ends.clear();
        let state_graph = &self.nodes.state_graph;
        for node in members {
            for (choice, step) in (0..).zip(state_graph.steps_of(self.nodes.state(*node))) {
                if let Urgency::Timed(pid, delay) = state_graph.effect(step.effect).urgency {
                    ends.push(ExpiringStep { pid, delay, node: *node, choice, effect: step.effect });
                }
            }
        }
        // The steps of the last process come first: the other way round, little is left to sort.
        ends.reverse();
        ends.sort_unstable_by_key(|end| (end.pid, end.delay, end.node, end.choice));
    }

    /// Returns the speed of a delay in a node, of which an observation may be at hand.
    fn speed<'s>(
        &mut self,
        delay: u16,
        node: u32,
        seen: &mut Option<Observation<'s>>,
    ) -> Result<Fine, BuildError>
    where
        Self: 's,
    {
        let Builder { nodes, delay_rates, evaluator, .. } = self;
        let pace = &mut delay_rates[usize::from(delay)];
        if let Some(speed) = pace.speed {
            return Ok(speed);
        }
        let speed = &nodes.state_graph.timing().delays()[usize::from(delay)].speed;
        // Expressions are those of a system.
        let (Some((times, over)), Some(evaluator)) = (speed, evaluator) else { return Ok(Fine::ONE) };
        let state = nodes.state(node);
        let speed = pace.speeds.get(&nodes.state_graph, state, || {
            let seen = seen.get_or_insert_with(|| evaluator.observe(&nodes.state_graph.state(state)));
            let times = seen.value(times)?;
            let over = over.as_ref().map_or(Ok(1), |over| seen.value(over))?;
            Ok(quotient(times, over))
        });
        speed.map_err(|violation| BuildError::Wrong(violation, nodes.choices_to(node)))
    }

    /// Turns the expiries into transitions, now that all outcomes are known.
    fn finish(&mut self, waiting: &mut Expiries) {
        let (mut first, mut start) = (0, 0);
        for end in &waiting.ends {
            for Expiry { rate, options, stage } in &waiting.pending[first..*end as usize] {
                self.arrive(*rate, &waiting.options[start..*options as usize], *stage);
                start = *options as usize;
            }
            first = *end as usize;
            self.transitions.end_state();
        }
        waiting.ends.clear();
        waiting.pending.clear();
        waiting.options.clear();
    }

    /// Adds the transitions of one expiry.
    fn arrive(&mut self, rate: Fine, options: &[EnabledStep], stage: Option<u32>) {
        if let ([only], None) = (options, stage)
            && let Some(state) = Outcomes::tangible_of(self.outcome_of[only.target as usize])
        {
            let tally = self.tally_of(only.effect);
            self.transitions.push(Transition { rate, target: Target::Tangible(state), tally });
            return;
        }
        let outcome = match stage {
            Some(node) => self.outcome_of[node as usize],
            None => self.decide(options),
        };
        for arrival in self.outcomes.get(outcome) {
            let (target, tally) = (arrival.target, arrival.tally);
            self.transitions.push(Transition { rate: rate.times(arrival.probability), target, tally });
        }
    }
}
