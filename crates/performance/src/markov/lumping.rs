//! Ordinary lumping: the coarsest partition whose quotient is a chain with the same rewards.
//!
//! States are partitioned into blocks, at first by their rewards. A block is a splitter: states with
//! different rates into it are separated (Valmari and Franceschinis 2010). Of the pieces of a block that was
//! a splitter before, all but the largest become splitters again, so that each transition is visited O(log n)
//! times.
//!
//! Before that, a few sweeps separate most states by hashes: first of the rewards, then also of the rates to
//! states with other hashes. States of one block have the same hashes at all times. So if there are too many
//! different hashes, lumping does not pay; otherwise refinement starts from them.
//!
//! Rates are added exactly, as integer multiples of a power of two. So states in a block have the same rates
//! to all blocks, to the last bit, and whatever is proved about the quotient holds in each of them. Rates
//! that were rounded before they were stored do no harm: the quotient says so, and bounds allow for it. Of
//! what is missing from rates, the quotient says how much it differs within a block.

use narrows_graph::Partition;
use rustc_hash::FxHashMap;

use super::chain::{self, Chain};
use super::double_double::{Double, UNIT};

/// The quotient of a chain.
#[derive(Clone, Debug, PartialEq)]
pub struct Lumped {
    /// The chain; states that come first in the original one come first here.
    pub chain: Chain,
    /// For each state of the original chain, the one that stands for it.
    pub of: Vec<u32>,
    /// For each state of the smaller chain, the first one that it stands for.
    pub first: Vec<u32>,
}

impl Lumped {
    /// Returns what a reward is in the smaller chain; it has to be one of those that were told apart.
    pub fn reward(&self, reward: &[f64]) -> Vec<f64> {
        self.first.iter().map(|state| reward[*state as usize]).collect()
    }
}

/// Lumps a chain, keeping states with different rewards apart. Gives up if too many states would be left, or
/// it takes too long.
pub fn lump(chain: &Chain, rewards: &[&[f64]]) -> Option<Lumped> {
    let exact = Exact::new(chain)?;
    let mut lumping = Lumping::new(told_apart(chain, rewards, &exact)?);
    lumping.refine(chain, &exact)?;
    lumping.finish(chain)
}

/// How many of so many states may be left for it to pay. What is the same from two sides has half the states
/// and a few.
fn enough(states: usize) -> usize {
    states - states * 2 / 5
}

/// How often each transition may be looked at before lumping costs more than it saves.
const VISITS: usize = 6;

/// Rates as whole multiples of a power of two.
struct Exact {
    /// The exponent of that power, as it is stored in a number.
    unit: u64,
}

/// The bits of a number that are its digits; the first digit is not stored.
const DIGITS: u32 = f64::MANTISSA_DIGITS - 1;

impl Exact {
    /// `None` if the rates are too unlike for that.
    fn new(chain: &Chain) -> Option<Exact> {
        let (mut least, mut most, mut terms) = (u64::MAX, 0, 1);
        for state in 0..chain.states() {
            for (_, rate) in chain.row(state) {
                let exponent = rate.to_bits() >> DIGITS;
                (least, most) = (least.min(exponent), most.max(exponent));
            }
            terms = terms.max(chain.targets(state).len());
        }
        let bits = u64::from(DIGITS) + 1 + most.saturating_sub(least) + u64::from(terms.ilog2()) + 1;
        // The sign needs a bit too, and numbers with the exponent 0 lack their first digit.
        (bits < 127 && least > 0).then_some(Exact { unit: least })
    }

    fn of(&self, rate: f64) -> i128 {
        let bits = rate.to_bits();
        let digits = (bits & ((1 << DIGITS) - 1)) | (1 << DIGITS);
        i128::from(digits) << ((bits >> DIGITS) - self.unit)
    }
}

/// At most so many sweeps tell states apart by hashes; after each two of them, there should be so many times
/// as many different ones.
const SWEEPS: (usize, f64) = (16, 20.0);

/// Divides states by hashes that are the same for all that belong together; returns classes, and how many.
/// `None` if that leaves too many already.
fn told_apart(chain: &Chain, rewards: &[&[f64]], exact: &Exact) -> Option<(Vec<u32>, usize)> {
    let mut hashes = vec![0_u64; chain.states()];
    for reward in rewards {
        for (hash, gained) in hashes.iter_mut().zip(*reward) {
            *hash = mixed(*hash ^ gained.to_bits());
        }
    }
    let mut next = hashes.clone();
    let (mut classes, mut count) = numbered(&hashes)?;
    for _ in 0..SWEEPS.0 / 2 {
        for _ in 0..2 {
            for (state, next) in next.iter_mut().enumerate() {
                let own = hashes[state];
                // Rates are added as they are, so that it makes no difference how they are divided.
                let sum = chain.row(state).fold(0_u64, |sum, (target, rate)| {
                    let other = hashes[target as usize];
                    let weight = if other == own { 0 } else { other };
                    sum.wrapping_add(weight.wrapping_mul(exact.of(rate) as u64))
                });
                *next = mixed(own ^ mixed(sum));
            }
            std::mem::swap(&mut hashes, &mut next);
        }
        let before = count;
        (classes, count) = numbered(&hashes)?;
        if (count as f64) < SWEEPS.1 * before as f64 {
            break;
        }
    }
    Some((classes, count))
}

fn mixed(bits: u64) -> u64 {
    let product = u128::from(bits ^ 0x9e37_79b9_7f4a_7c15) * u128::from(0xd6e8_feb8_6659_fd93_u64);
    product as u64 ^ (product >> 64) as u64
}

/// Numbers hashes in the order in which they come; `None` if there are too many different ones.
fn numbered(hashes: &[u64]) -> Option<(Vec<u32>, usize)> {
    let mut numbers: FxHashMap<u64, u32> = FxHashMap::default();
    let mut classes = Vec::with_capacity(hashes.len());
    for hash in hashes {
        let next = numbers.len() as u32;
        classes.push(*numbers.entry(*hash).or_insert(next));
        if numbers.len() > enough(hashes.len()) {
            return None;
        }
    }
    Some((classes, numbers.len()))
}

/// Sums of rates, of those states that have any.
struct Sums {
    /// Where the sum of each state is, plus one; 0 if there is none.
    place: Vec<u32>,
    list: Vec<(u32, i128)>,
}

impl Sums {
    fn add(&mut self, state: u32, amount: i128) {
        let place = &mut self.place[state as usize];
        if *place == 0 {
            self.list.push((state, amount));
            *place = self.list.len() as u32;
        } else {
            self.list[*place as usize - 1].1 += amount;
        }
    }

    /// Returns the sum of a state that has one.
    fn of(&self, state: u32) -> i128 {
        self.list[self.place[state as usize] as usize - 1].1
    }

    fn clear(&mut self) {
        for (state, _) in self.list.drain(..) {
            self.place[state as usize] = 0;
        }
    }
}

/// With which rates states are left, each different one once.
struct Exits {
    of: Vec<u32>,
    rates: Vec<i128>,
}

impl Exits {
    fn new(chain: &Chain, exact: &Exact) -> Exits {
        let mut numbers: FxHashMap<i128, u32> = FxHashMap::default();
        let mut rates = Vec::new();
        let of = (0..chain.states()).map(|state| {
            let exit: i128 = chain.row(state).map(|(_, rate)| exact.of(rate)).sum();
            *numbers.entry(exit).or_insert_with(|| {
                rates.push(exit);
                rates.len() as u32 - 1
            })
        });
        Exits { of: of.collect(), rates }
    }
}

/// The partition, and what splits it.
struct Lumping {
    partition: Partition,
    /// Blocks that are still to be splitters.
    open: Vec<u32>,
    /// The marked states of a block in the order of their sums, with their classes and how many each has.
    marked: Vec<u32>,
    classes: Vec<u32>,
    counts: Vec<u32>,
}

impl Lumping {
    /// Starts with the class of each state.
    fn new((of, count): (Vec<u32>, usize)) -> Lumping {
        let partition = Partition::from_blocks(&of, count);
        let open = (0..count as u32).collect();
        Lumping { partition, open, marked: Vec::new(), classes: Vec::new(), counts: Vec::new() }
    }

    /// Lets blocks split others until none does; `None` if there are too many, or it takes too long.
    fn refine(&mut self, chain: &Chain, exact: &Exact) -> Option<()> {
        let backwards = chain.transposed();
        let exits = Exits::new(chain, exact);
        let mut sums = Sums { place: vec![0; chain.states()], list: Vec::new() };
        let mut left = VISITS * chain.transitions() + chain.states();
        while let Some(splitter) = self.open.pop() {
            let splitter = self.partition.states(splitter);
            // A state leaves its own block with what it does not do inside.
            for state in splitter {
                let exit = exits.rates[exits.of[*state as usize] as usize];
                if exit > 0 {
                    sums.add(*state, -exit);
                }
                left = left.checked_sub(chain.targets(*state as usize).len())?;
            }
            for state in splitter {
                left = left.checked_sub(backwards.targets(*state as usize).len())?;
                for (source, rate) in backwards.row(*state as usize) {
                    sums.add(source, exact.of(rate));
                }
            }
            for (state, _) in sums.list.iter().filter(|(_, sum)| *sum != 0) {
                self.partition.mark(*state);
            }
            while let Some(block) = self.partition.next_marked() {
                self.split(block, &sums);
            }
            sums.clear();
            if self.partition.blocks() as usize > enough(chain.states()) {
                return None;
            }
        }
        Some(())
    }

    /// Splits a block by sums; unmarked states have the sum 0. All parts but the largest are splitters again.
    fn split(&mut self, block: u32, sums: &Sums) {
        let Lumping { partition, marked, classes, counts, open } = self;
        let all = partition.marked(block);
        let first = sums.of(all[0]);
        let is_one = all.iter().all(|state| sums.of(*state) == first);
        counts.clear();
        counts.push(partition.unmarked(block));
        if is_one && counts[0] == 0 {
            partition.unmark(block);
            return;
        }
        marked.clear();
        marked.extend_from_slice(all);
        classes.clear();
        if !is_one {
            marked.sort_unstable_by_key(|state| (sums.of(*state), *state));
        }
        for same in marked.chunk_by(|one, other| sums.of(*one) == sums.of(*other)) {
            classes.extend(std::iter::repeat_n(counts.len() as u32, same.len()));
            counts.push(same.len() as u32);
        }
        let first_new = partition.blocks();
        partition.split(block, marked, classes, counts);
        open.extend(first_new..partition.blocks());
    }

    /// Makes the smaller chain, with blocks in the order of their first states.
    fn finish(self, chain: &Chain) -> Option<Lumped> {
        let mut number = vec![u32::MAX; self.partition.blocks() as usize];
        let mut first = Vec::with_capacity(number.len());
        let of = (0..).zip(self.partition.into_blocks()).map(|(state, block)| {
            let number = &mut number[block as usize];
            if *number == u32::MAX {
                *number = first.len() as u32;
                first.push(state);
            }
            *number
        });
        let of: Vec<u32> = of.collect();
        let mut builder = chain::Builder::new(first.len(), 0);
        for state in &first {
            let row = chain.fine_row(*state as usize);
            builder.fine_row(row.map(|(target, rate)| (of[target as usize], rate)));
        }
        builder.rounded_before(chain, if chain.has_rests() { apart(chain, &of, &first) } else { 0.0 });
        let initial = chain.initial().iter().map(|(state, weight)| (of[*state as usize], *weight));
        let chain = builder.build(initial).ok()?;
        Some(Lumped { chain, of, first })
    }
}

/// Returns how much the rates of twice the usual precision of states that are lumped differ, compared with
/// themselves.
fn apart(chain: &Chain, of: &[u32], first: &[u32]) -> f64 {
    let sums = |state: usize| {
        let mut row: Vec<(u32, Double)> =
            chain.fine_row(state).map(|(target, rate)| (of[target as usize], rate)).collect();
        row.retain(|(block, _)| *block != of[state]);
        row.sort_by_key(|(block, _)| *block);
        row.dedup_by(|next, kept| {
            let same = next.0 == kept.0;
            if same {
                kept.1 += next.1;
            }
            same
        });
        row
    };
    let known: Vec<Vec<(u32, Double)>> = first.iter().map(|state| sums(*state as usize)).collect();
    let mut most = 0.0_f64;
    let mut terms = 0;
    for state in 0..chain.states() {
        let (own, other) = (sums(state), &known[of[state] as usize]);
        terms = terms.max(chain.targets(state).len());
        for ((_, one), (_, other)) in own.iter().zip(other) {
            let off = (*one - *other).high.abs() / other.high;
            most = most.max(off);
        }
    }
    most * (1.0 + 1e-9) + 4.0 * (terms + 1) as f64 * UNIT
}
