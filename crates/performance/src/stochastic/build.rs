//! Builds the places of a stochastic view, round by round, and leaves out what takes no time as it is found.

use narrows_model::{Evaluator, Observation};
use rustc_hash::FxHashMap;

use super::Stochastic;
use super::arrows::{Arrow, Arrows};
use super::outcomes::{Arrival, Outcomes, Place};
use crate::delay::as_f64;
use crate::nodes::{Nodes, Round};
use crate::timing::Delayed;
use crate::{Pace, Rows, Trouble, Values};

/// Builds the stochastic view of a model.
pub fn build(rows: Rows<'_>) -> Result<Stochastic<'_>, Trouble> {
    let evaluator = rows.system().map(Evaluator::new);
    let paces =
        rows.timing().delays().iter().map(|delayed| Usual::new(delayed, evaluator.as_ref())).collect();
    let mut builder = Builder {
        evaluator,
        nodes: Nodes::new(rows)?,
        paces,
        outcome_of: Vec::new(),
        outcomes: Outcomes::new(),
        tallies: Vec::new(),
        rests: Vec::new(),
        members: FxHashMap::default(),
        arrows: Arrows::new(),
        decisions: Vec::new(),
        ends: Vec::new(),
    };
    builder.run()?;
    let Builder { nodes, outcome_of, outcomes, rests, members, mut arrows, decisions, .. } = builder;
    let mut rows = nodes.into_rows();
    // What follows needs room for itself.
    rows.forget_ways();
    arrows.shrink();
    let initial = outcome_of[0];
    Ok(Stochastic { rows, rests, members, arrows, decisions, outcomes, initial })
}

struct Builder<'a> {
    evaluator: Option<Evaluator<'a>>,
    nodes: Nodes<'a>,
    /// What is known of each delay in advance.
    paces: Vec<Usual>,
    /// Where each node leads without delay.
    outcome_of: Vec<u32>,
    outcomes: Outcomes,
    /// What is counted with each deed.
    tallies: Vec<u32>,
    rests: Vec<u32>,
    members: FxHashMap<u32, Vec<u32>>,
    arrows: Arrows,
    decisions: Vec<Vec<u32>>,
    /// Room for the ends of one rest.
    ends: Vec<End>,
}

/// What is known of a delay in advance.
struct Usual {
    stages: u32,
    /// How often a stage ends per time.
    rate: f64,
    /// How many times as fast it goes, if that is the same in all states.
    speed: Option<f64>,
    /// How many times as fast it goes in states.
    speeds: Values<f64>,
}

impl Usual {
    fn new(delayed: &Delayed, evaluator: Option<&Evaluator<'_>>) -> Usual {
        let stages = delayed.delay.stages();
        let speed = match &delayed.speed {
            None => Some(1.0),
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
        let rate = f64::from(stages) / as_f64(delayed.delay.mean());
        Usual { stages, rate, speed, speeds: Values::new(bytes) }
    }
}

/// Returns how fast a delay goes; it stands still if that is not above 0.
fn quotient(times: i32, over: i32) -> f64 {
    if times <= 0 || over <= 0 { 0.0 } else { f64::from(times) / f64::from(over) }
}

/// A step that may be taken: the node it comes from and the one it leads to, and what is done.
#[derive(Clone, Copy)]
struct Possible {
    from: u32,
    target: u32,
    deed: u32,
}

/// Weights and outcomes.
type Weighted = Vec<(u32, u32)>;

/// A step that is taken when a delay has ended.
#[derive(Clone, Copy)]
struct End {
    pid: u8,
    delay: u16,
    node: u32,
    choice: u32,
    deed: u32,
}

/// What happens when a delay of a rest has ended: how often it does, and the steps that may be taken then. Without steps,
/// only the next stage begins.
struct Pending {
    rate: f64,
    /// Where the steps end, among those of all.
    options: u32,
    stage: Option<u32>,
}

/// What happens in the rests of a round, in order.
#[derive(Default)]
struct Waiting {
    options: Vec<Possible>,
    pending: Vec<Pending>,
    /// Where that of each rest ends.
    ends: Vec<u32>,
}

/// The nodes of some rests, one after the other.
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
    fn run(&mut self) -> Result<(), Trouble> {
        // With stages, a state comes again in later rounds.
        let comes_again = self.paces.iter().any(|pace| pace.stages > 1);
        let mut first = 0;
        let mut waiting = Waiting::default();
        while (first as usize) < self.nodes.len() {
            let round = self.nodes.round(first)?;
            let rests = self.resolve(&round)?;
            self.nodes.edges.clear();
            self.finish(&mut waiting);
            for (number, members) in rests.iter().enumerate() {
                self.let_time_pass(members, comes_again, &mut waiting)?;
                self.nodes.watch(number, self.arrows.memory())?;
            }
            if !comes_again {
                self.nodes.rows.forget_steps();
            }
            first = round.nodes().end;
        }
        self.finish(&mut waiting);
        Ok(())
    }

    /// Finds out where each node of a round leads; returns the nodes of each rest that was found.
    fn resolve(&mut self, round: &Round) -> Result<Members, Trouble> {
        self.outcome_of.resize(round.nodes().end as usize, u32::MAX);
        let mut order: Vec<u32> = round.nodes().collect();
        // Edges lead to components with smaller numbers.
        order.sort_by_key(|node| round.component(*node));
        let mut rests = Members::default();
        for members in order.chunk_by(|left, right| round.component(*left) == round.component(*right)) {
            if round.waits(members[0]) {
                let rest = self.rests.len() as u32;
                self.rests.push(self.nodes.state(members[0]));
                if members.len() > 1 {
                    let states = members.iter().map(|node| self.nodes.state(*node)).collect();
                    self.members.insert(rest, states);
                }
                let outcome = Outcomes::rest(rest);
                for node in members {
                    self.outcome_of[*node as usize] = outcome;
                }
                rests.add(members);
            } else {
                self.pass(members, round)?;
            }
        }
        Ok(rests)
    }

    /// Finds out where a component leads that is left at once.
    fn pass(&mut self, members: &[u32], round: &Round) -> Result<(), Trouble> {
        let component = round.component(members[0]);
        let mut options = Vec::new();
        let mut has_chance = false;
        let mut has_cycle = false;
        for node in members {
            for (from, edge) in round.edges(*node, &self.nodes) {
                let deed = self.nodes.rows.deed(edge.deed);
                let stays = round.component(edge.target) == component;
                has_cycle |= stays;
                has_chance |= deed.chance.is_some();
                if stays && !deed.events.is_empty() {
                    return Err(self.nodes.standstill(*node, round));
                }
                options.push(Possible { from: *from, target: edge.target, deed: edge.deed });
            }
        }
        if has_cycle && has_chance {
            // How often it goes round depends on chance: each node decides for itself.
            for node in members {
                let decision = self.decisions.len() as u32;
                self.decisions.push(Vec::new());
                self.outcome_of[*node as usize] = self.outcomes.certain(Place::Decision(decision));
            }
            for node in members {
                let own: Vec<Possible> =
                    options.iter().copied().filter(|option| option.from == *node).collect();
                let choices = self.choices(&own);
                let own = self.outcomes.get(self.outcome_of[*node as usize]).next();
                if let Some(Arrival { place: Place::Decision(decision), .. }) = own {
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

    /// Returns the different outcomes of some steps: those of one process that are taken by chance are one choice.
    fn choices(&mut self, options: &[Possible]) -> Vec<u32> {
        let mut choices: Vec<u32> = Vec::new();
        let mut chances: Vec<((u32, u8), Weighted)> = Vec::new();
        for option in options {
            let chance = self.nodes.rows.deed(option.deed).chance;
            let tally = self.tally_of(option.deed);
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

    /// Returns what is counted with a deed.
    fn tally_of(&mut self, deed: u32) -> u32 {
        while self.tallies.len() <= deed as usize {
            let events = self.nodes.rows.deed(self.tallies.len() as u32).events.clone();
            let tally = self.outcomes.number_of(events);
            self.tallies.push(tally);
        }
        self.tallies[deed as usize]
    }

    /// Returns the outcome of some steps; if they have several, there is a decision.
    fn decide(&mut self, options: &[Possible]) -> u32 {
        let choices = self.choices(options);
        if let [outcome] = choices[..] {
            return outcome;
        }
        let decision = self.decisions.len() as u32;
        self.decisions.push(choices);
        self.outcomes.certain(Place::Decision(decision))
    }

    /// Lets time pass in a rest until a delay ends.
    fn let_time_pass(
        &mut self,
        members: &[u32],
        has_stages: bool,
        waiting: &mut Waiting,
    ) -> Result<(), Trouble> {
        let running = if has_stages { self.nodes.running(members[0]) } else { Vec::new() };
        let mut ends = std::mem::take(&mut self.ends);
        self.find_ends(members, &mut ends);
        let mut seen = None;
        for group in ends.chunk_by(|left, right| (left.pid, left.delay) == (right.pid, right.delay)) {
            let End { pid, delay, .. } = group[0];
            let rate = self.rate(delay, members[0], &mut seen)?;
            if rate <= 0.0 {
                continue;
            }
            let far = running.iter().find(|(known, other, _)| (*known, *other) == (pid, delay));
            let far = far.map_or(0, |(_, _, far)| *far);
            let mut stage = None;
            if far + 1 < self.paces[usize::from(delay)].stages {
                stage = Some(self.nodes.further(members[0], &running, (pid, delay)));
            } else {
                for End { node, choice, deed, .. } in group {
                    let target = self.nodes.follow(*node, &running, *choice, 0)?;
                    waiting.options.push(Possible { from: *node, target, deed: *deed });
                }
            }
            waiting.pending.push(Pending { rate, options: waiting.options.len() as u32, stage });
        }
        waiting.ends.push(waiting.pending.len() as u32);
        self.ends = ends;
        Ok(())
    }

    /// Collects the steps that are taken when a delay of a rest has ended, those of the same delay together.
    fn find_ends(&self, members: &[u32], ends: &mut Vec<End>) {
        ends.clear();
        let rows = &self.nodes.rows;
        for node in members {
            for (choice, step) in (0..).zip(rows.row(self.nodes.state(*node))) {
                if let Pace::Later(pid, delay) = rows.deed(step.deed).pace {
                    ends.push(End { pid, delay, node: *node, choice, deed: step.deed });
                }
            }
        }
        // The steps of the last process come first: the other way round, little is left to sort.
        ends.reverse();
        ends.sort_unstable_by_key(|end| (end.pid, end.delay, end.node, end.choice));
    }

    /// Returns how often a stage of a delay ends per time in a node, of which an observation may be at hand.
    fn rate<'s>(&mut self, delay: u16, node: u32, seen: &mut Option<Observation<'s>>) -> Result<f64, Trouble>
    where
        Self: 's,
    {
        let Builder { nodes, paces, evaluator, .. } = self;
        let pace = &mut paces[usize::from(delay)];
        if let Some(speed) = pace.speed {
            return Ok(pace.rate * speed);
        }
        let speed = &nodes.rows.timing().delays()[usize::from(delay)].speed;
        // Expressions are those of a system.
        let (Some((times, over)), Some(evaluator)) = (speed, evaluator) else { return Ok(pace.rate) };
        let state = nodes.state(node);
        let speed = pace.speeds.get(&nodes.rows, state, || {
            let seen = seen.get_or_insert_with(|| evaluator.observe(&nodes.rows.state(state)));
            let times = seen.value(times)?;
            let over = over.as_ref().map_or(Ok(1), |over| seen.value(over))?;
            Ok(quotient(times, over))
        });
        let speed = speed.map_err(|violation| Trouble::Wrong(violation, nodes.choices_to(node)))?;
        Ok(pace.rate * speed)
    }

    /// Turns what happens in rests into arrows, now that it is known where everything leads.
    fn finish(&mut self, waiting: &mut Waiting) {
        let (mut first, mut start) = (0, 0);
        for end in &waiting.ends {
            for Pending { rate, options, stage } in &waiting.pending[first..*end as usize] {
                self.arrive(*rate, &waiting.options[start..*options as usize], *stage);
                start = *options as usize;
            }
            first = *end as usize;
            self.arrows.end_rest();
        }
        waiting.ends.clear();
        waiting.pending.clear();
        waiting.options.clear();
    }

    /// Adds the arrows for what happens when one delay has ended.
    fn arrive(&mut self, rate: f64, options: &[Possible], stage: Option<u32>) {
        if let ([only], None) = (options, stage)
            && let Some(rest) = Outcomes::rest_of(self.outcome_of[only.target as usize])
        {
            let tally = self.tally_of(only.deed);
            self.arrows.push(Arrow { rate, place: Place::Rest(rest), tally });
            return;
        }
        let outcome = match stage {
            Some(node) => self.outcome_of[node as usize],
            None => self.decide(options),
        };
        for arrival in self.outcomes.get(outcome) {
            let (place, tally) = (arrival.place, arrival.tally);
            self.arrows.push(Arrow { rate: rate * arrival.probability, place, tally });
        }
    }
}
