//! Aggregation multigrid: coarser and coarser chains that speed up relaxation.
//!
//! Relaxation removes local errors fast and global ones slowly. So states are aggregated in groups of about
//! four, and the rates between groups form a coarser chain, in which each state is weighted by its
//! approximate stationary probability. The residual of a group is solved there, again by one sweep, a coarser
//! chain and another sweep, and the correction is added to the values of all its states (aggregation
//! multigrid: Notay 2012, and Horton and Leutenegger 1994 for chains). All of it is linear, which is all that
//! GMRES needs of a preconditioner.
//!
//! The choice of groups decides whether this works. A state that goes nearly always, and fast, to one other
//! state must be in the group of that one: otherwise the group would be left too often.
//!
//! Nothing here is trusted: see `relaxation.rs`. Memory: for each state 8 bytes, and smaller chains, together
//! about as large as half of the chain.

use super::chain::{Builder, Chain};
use super::elimination::{Dense, Eliminated};

/// Chains with at most so many states are solved by elimination.
const COARSEST: usize = 200;
/// Ways to aggregate, the best first: the largest group in each of two passes per level, and the transition
/// probability from which a state belongs to its successor. Which is best depends on the chain, and is only
/// known when tried.
pub(super) const WAYS: [(u8, f64); 3] = [(2, 0.9), (3, 0.9), (4, 0.7)];
/// A level must have fewer states than this share of the one before.
const SHRINKS: f64 = 0.7;

/// Marks a state that is in no group.
const NONE: u32 = u32::MAX;

/// Groups of states, and the chain of the groups.
struct Level {
    groups: Groups,
    chain: Chain,
    inverse: Vec<f64>,
    /// The residual of each group, and its correction.
    missing: Vec<f64>,
    values: Vec<f64>,
}

/// All levels, from fine to coarse.
pub(super) struct Multigrid {
    levels: Vec<Level>,
    coarsest: Eliminated,
}

/// Which group each state is in, and how much it counts there.
struct Groups {
    of: Vec<u32>,
    share: Vec<f32>,
    count: usize,
}

impl Multigrid {
    /// Aggregates the states of a component, given in the order of a sweep, with approximate stationary
    /// weights; `None` if that makes nothing smaller.
    pub(super) fn new(chain: &Chain, order: &[u32], visited: &[f32], way: (u8, f64)) -> Option<Multigrid> {
        let mut weights = vec![0.0; chain.states()];
        for (state, visited) in order.iter().zip(visited) {
            weights[*state as usize] = f64::from(*visited);
        }
        let mut levels = vec![Level::new(chain, order, &mut weights, way)?];
        loop {
            let last = levels.last()?;
            let states = last.chain.states();
            if states <= COARSEST {
                let members: Vec<u32> = (0..states as u32).collect();
                let coarsest = Dense::new(&last.chain, &members, vec![vec![1.0; states]], &[]).eliminated();
                return Some(Multigrid { levels, coarsest });
            }
            let order: Vec<u32> = (0..states as u32).collect();
            levels.push(Level::new(&last.chain, &order, &mut weights, way)?);
        }
    }

    /// Corrects the values of a component by a coarse-grid correction. The equation is that of
    /// `relaxation.rs`.
    pub(super) fn correct(
        &mut self,
        chain: &Chain,
        order: &[u32],
        inverse: &[f64],
        right: impl Fn(usize) -> f64,
        values: &mut [f64],
    ) {
        let [first, rest @ ..] = &mut self.levels[..] else { return };
        first.missing.fill(0.0);
        for (state, inverse) in order.iter().zip(inverse) {
            let state = *state as usize;
            let missing = chain.gather(state, right(state), values) - values[state] / inverse;
            first.missing[first.groups.of[state] as usize] += missing * f64::from(first.groups.share[state]);
        }
        descend(first, rest, &self.coarsest);
        for state in order {
            values[*state as usize] += first.values[first.groups.of[*state as usize] as usize];
        }
    }
}

/// Solves for the residual of a level.
fn descend(level: &mut Level, rest: &mut [Level], coarsest: &Eliminated) {
    let Level { chain, inverse, missing, values, .. } = level;
    let [next, rest @ ..] = rest else {
        coarsest.advance(missing, values);
        return;
    };
    values.fill(0.0);
    for state in 0..values.len() {
        values[state] = chain.gather(state, missing[state], values) * inverse[state];
    }
    next.missing.fill(0.0);
    for state in 0..values.len() {
        let still = chain.gather(state, missing[state], values) - values[state] / inverse[state];
        next.missing[next.groups.of[state] as usize] += still * f64::from(next.groups.share[state]);
    }
    descend(next, rest, coarsest);
    for (value, group) in values.iter_mut().zip(&next.groups.of) {
        *value += next.values[*group as usize];
    }
    for state in (0..values.len()).rev() {
        values[state] = chain.gather(state, missing[state], values) * inverse[state];
    }
}

impl Level {
    /// Makes the next level; weights become those of the groups.
    fn new(chain: &Chain, order: &[u32], weights: &mut Vec<f64>, way: (u8, f64)) -> Option<Level> {
        let mut groups = Groups::new(chain, order, weights, way);
        let mut coarse = groups.chain(chain, order)?;
        groups.weigh(weights);
        let order_of_groups: Vec<u32> = (0..coarse.states() as u32).collect();
        let larger = Groups::new(&coarse, &order_of_groups, weights, way);
        coarse = larger.chain(&coarse, &order_of_groups)?;
        larger.weigh(weights);
        groups.join(&larger);
        if coarse.states() as f64 > SHRINKS * order.len() as f64 {
            return None;
        }
        let states = coarse.states();
        let inverse = (0..states).map(|state| 1.0 / coarse.exit(state)).collect();
        let (missing, values) = (vec![0.0; states], vec![0.0; states]);
        Some(Level { groups, chain: coarse, inverse, missing, values })
    }
}

impl Groups {
    /// Puts each state together with the one it goes to most often, if that is still alone, and with few
    /// others.
    fn new(chain: &Chain, order: &[u32], weights: &[f64], (largest, dominant): (u8, f64)) -> Groups {
        let mut of = vec![NONE; chain.states()];
        let mut sizes: Vec<u8> = Vec::new();
        let put = |of: &mut Vec<u32>, sizes: &mut Vec<u8>, state: usize, with: Option<u32>| match with {
            Some(other) if of[other as usize] != NONE => {
                of[state] = of[other as usize];
                sizes[of[state] as usize] += 1;
            }
            _ => {
                of[state] = sizes.len() as u32;
                sizes.push(1 + u8::from(with.is_some()));
                if let Some(other) = with {
                    of[other as usize] = of[state];
                }
            }
        };
        for state in order.iter().map(|state| *state as usize) {
            if of[state] == NONE {
                let enough = dominant * chain.exit(state);
                let has_room =
                    |to: &u32| of[*to as usize] == NONE || sizes[of[*to as usize] as usize] < largest;
                let with = chain.row(state).find(|(_, rate)| *rate >= enough).map(|(to, _)| to);
                if let Some(to) = with.filter(has_room) {
                    put(&mut of, &mut sizes, state, Some(to));
                }
            }
        }
        for state in order.iter().map(|state| *state as usize) {
            if of[state] == NONE {
                let most = |is_free: &dyn Fn(usize) -> bool| {
                    let free = chain.row(state).filter(|(to, _)| is_free(*to as usize));
                    let best = free.fold(
                        (0.0, None),
                        |best, (to, rate)| {
                            if rate > best.0 { (rate, Some(to)) } else { best }
                        },
                    );
                    best.1
                };
                let with = most(&|to| of[to] == NONE)
                    .or_else(|| most(&|to| of[to] != NONE && sizes[of[to] as usize] < largest));
                put(&mut of, &mut sizes, state, with);
            }
        }
        let count = sizes.len();
        let mut groups = Groups { of, share: vec![0.0; chain.states()], count };
        groups.in_order(order);
        let mut total = weights.to_vec();
        groups.weigh_into(weights, &mut total);
        for state in order.iter().map(|state| *state as usize) {
            groups.share[state] = (weights[state] / total[groups.of[state] as usize]) as f32;
        }
        groups
    }

    /// Numbers groups in the order in which a sweep first comes to them.
    fn in_order(&mut self, order: &[u32]) {
        let mut numbers = vec![NONE; self.count];
        let mut next = 0;
        for state in order {
            let group = &mut self.of[*state as usize];
            let number = &mut numbers[*group as usize];
            if *number == NONE {
                *number = next;
                next += 1;
            }
            *group = *number;
        }
    }

    fn weigh_into(&self, weights: &[f64], total: &mut Vec<f64>) {
        total.clear();
        total.resize(self.count, 0.0);
        for (group, weight) in self.of.iter().zip(weights).filter(|(group, _)| **group != NONE) {
            total[*group as usize] += weight;
        }
    }

    /// Adds the weights of the states of each group.
    fn weigh(&self, weights: &mut Vec<f64>) {
        let mut total = Vec::new();
        self.weigh_into(weights, &mut total);
        *weights = total;
    }

    /// Makes the chain of the groups.
    fn chain(&self, chain: &Chain, order: &[u32]) -> Option<Chain> {
        let mut starts = vec![0_u32; self.count + 1];
        for state in order {
            starts[self.of[*state as usize] as usize + 1] += 1;
        }
        for group in 0..self.count {
            starts[group + 1] += starts[group];
        }
        let mut next = starts.clone();
        let mut members = vec![0_u32; order.len()];
        for state in order {
            let place = &mut next[self.of[*state as usize] as usize];
            members[*place as usize] = *state;
            *place += 1;
        }
        let mut builder = Builder::new(self.count, 0);
        for group in 0..self.count {
            let members = &members[starts[group] as usize..starts[group + 1] as usize];
            builder.row(members.iter().flat_map(|state| {
                let share = f64::from(self.share[*state as usize]);
                chain.row(*state as usize).map(move |(to, rate)| (self.of[to as usize], rate * share))
            }));
        }
        builder.build([(0, 1.0)]).ok()
    }

    /// Puts groups of groups together.
    fn join(&mut self, larger: &Groups) {
        for (group, share) in self.of.iter_mut().zip(&mut self.share).filter(|(group, _)| **group != NONE) {
            *share *= larger.share[*group as usize];
            *group = larger.of[*group as usize];
        }
        self.count = larger.count;
    }
}
