//! Builds the places of a stochastic view, round by round, and leaves out what takes no time as it is found.

use narrows_model::{Evaluator, Observation};
use rustc_hash::FxHashMap;

use super::outcomes::{Arrival, Outcomes, Place};
use super::{Arrow, Stochastic};
use crate::delay::as_f64;
use crate::nodes::{Nodes, Round, Running};
use crate::{Pace, Rows, Trouble};

/// Builds the stochastic view of a model.
pub fn build(rows: Rows<'_>) -> Result<Stochastic<'_>, Trouble> {
    let mut builder = Builder {
        evaluator: Evaluator::new(rows.system()),
        nodes: Nodes::new(rows)?,
        outcome_of: Vec::new(),
        outcomes: Outcomes::new(),
        tallies: Vec::new(),
        rests: Vec::new(),
        members: FxHashMap::default(),
        starts: vec![0],
        arrows: Vec::new(),
        decisions: Vec::new(),
    };
    builder.run()?;
    let Builder { nodes, outcome_of, outcomes, rests, members, starts, mut arrows, decisions, .. } = builder;
    let (_, _, mut rows) = nodes.into_parts();
    // What follows needs room for itself.
    rows.forget_steps();
    arrows.shrink_to_fit();
    let initial = outcome_of[0];
    Ok(Stochastic { rows, rests, members, starts, arrows, decisions, outcomes, initial })
}

struct Builder<'a> {
    evaluator: Evaluator<'a>,
    nodes: Nodes<'a>,
    /// Where each node leads without delay.
    outcome_of: Vec<u32>,
    outcomes: Outcomes,
    /// What is counted with each deed.
    tallies: Vec<u32>,
    rests: Vec<u32>,
    members: FxHashMap<u32, Vec<u32>>,
    starts: Vec<u64>,
    arrows: Vec<Arrow>,
    decisions: Vec<Vec<u32>>,
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

/// What happens when a delay of a rest has ended: how often it does, and the steps that may be taken then. Without a deed,
/// only the next stage begins.
struct Pending {
    rate: f64,
    options: Vec<Possible>,
    stage: Option<u32>,
}

impl Builder<'_> {
    fn run(&mut self) -> Result<(), Trouble> {
        let mut first = 0;
        // What happens in the rests of the round before, in order.
        let mut waiting: Vec<Vec<Pending>> = Vec::new();
        while (first as usize) < self.nodes.len() {
            let round = self.nodes.round(first)?;
            let rests = self.resolve(&round)?;
            self.nodes.edges.clear();
            for pending in waiting.drain(..) {
                self.finish(&pending);
            }
            for members in &rests {
                waiting.push(self.let_time_pass(members)?);
                self.nodes.watch(waiting.len(), self.arrows.capacity() * size_of::<Arrow>())?;
            }
            first = round.nodes().end;
        }
        for pending in waiting {
            self.finish(&pending);
        }
        Ok(())
    }

    /// Finds out where each node of a round leads; returns the nodes of each rest that was found.
    fn resolve(&mut self, round: &Round) -> Result<Vec<Vec<u32>>, Trouble> {
        self.outcome_of.resize(round.nodes().end as usize, u32::MAX);
        let mut order: Vec<u32> = round.nodes().collect();
        // Edges lead to components with smaller numbers.
        order.sort_by_key(|node| round.component(*node));
        let mut rests = Vec::new();
        for members in order.chunk_by(|left, right| round.component(*left) == round.component(*right)) {
            if round.waits(members[0]) {
                let rest = self.rests.len() as u32;
                self.rests.push(self.nodes.state(members[0]));
                if members.len() > 1 {
                    let states = members.iter().map(|node| self.nodes.state(*node)).collect();
                    self.members.insert(rest, states);
                }
                let outcome = self.outcomes.certain(Place::Rest(rest));
                for node in members {
                    self.outcome_of[*node as usize] = outcome;
                }
                rests.push(members.to_vec());
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
    fn let_time_pass(&mut self, members: &[u32]) -> Result<Vec<Pending>, Trouble> {
        let running = self.nodes.running(members[0]);
        let mut pending = Vec::new();
        for (pid, delay, stage) in &running {
            let delayed = &self.nodes.rows.timing().delays()[usize::from(*delay)];
            let stages = delayed.delay.stages();
            let rate = f64::from(stages) / as_f64(delayed.delay.mean()) * self.speed(*delay, members[0])?;
            if rate <= 0.0 {
                continue;
            }
            let mut options = Vec::new();
            let mut next = None;
            if stage + 1 < stages {
                next = Some(self.nodes.further(members[0], &running, (*pid, *delay)));
            } else {
                for node in members {
                    self.fire(*node, (*pid, *delay), &running, &mut options)?;
                }
            }
            pending.push(Pending { rate, options, stage: next });
        }
        Ok(pending)
    }

    /// Collects the steps that may be taken in a node when a delay has ended.
    fn fire(
        &mut self,
        node: u32,
        ended: (u8, u16),
        running: &[Running],
        options: &mut Vec<Possible>,
    ) -> Result<(), Trouble> {
        let state = self.nodes.state(node);
        for choice in 0..self.nodes.rows.row(state).len() as u32 {
            let deed = self.nodes.rows.row(state)[choice as usize].deed;
            if self.nodes.rows.deed(deed).pace == Pace::Later(ended.0, ended.1) {
                let target = self.nodes.follow(node, running, choice, 0)?;
                options.push(Possible { from: node, target, deed });
            }
        }
        Ok(())
    }

    /// Returns how many times as fast as usual a delay runs in a node.
    fn speed(&self, delay: u16, node: u32) -> Result<f64, Trouble> {
        let Some((times, over)) = &self.nodes.rows.timing().delays()[usize::from(delay)].speed else {
            return Ok(1.0);
        };
        let state = self.nodes.state(node);
        let mut seen: Observation<'_> = self.evaluator.observe(self.nodes.rows.state(state));
        let wrong = |violation| Trouble::Wrong(violation, self.nodes.choices_to(node));
        let times = f64::from(seen.value(times).map_err(wrong)?);
        let over = match over {
            Some(over) => f64::from(seen.value(over).map_err(wrong)?),
            None => 1.0,
        };
        Ok(if times <= 0.0 || over <= 0.0 { 0.0 } else { times / over })
    }

    /// Turns what happens in a rest into arrows, now that it is known where everything leads.
    fn finish(&mut self, pending: &[Pending]) {
        for Pending { rate, options, stage } in pending {
            if let ([only], None) = (&options[..], stage)
                && let Some(rest) = Outcomes::rest_of(self.outcome_of[only.target as usize])
            {
                let tally = self.tally_of(only.deed);
                self.arrows.push(Arrow { rate: *rate, place: Place::Rest(rest), tally });
                continue;
            }
            let outcome = match stage {
                Some(node) => self.outcome_of[*node as usize],
                None => self.decide(options),
            };
            for arrival in self.outcomes.get(outcome) {
                let (place, tally) = (arrival.place, arrival.tally);
                self.arrows.push(Arrow { rate: rate * arrival.probability, place, tally });
            }
        }
        self.starts.push(self.arrows.len() as u64);
    }
}
