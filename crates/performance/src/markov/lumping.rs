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
//! that were rounded before they were stored do no harm: the quotient says so, and bounds allow for it.

use rustc_hash::FxHashMap;

use super::chain::{self, Chain};

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
    let mut partition = Partition::new(told_apart(chain, rewards, &exact)?);
    partition.refine(chain, &exact)?;
    partition.finish(chain)
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

/// States in blocks. Those of a block are next to each other, marked ones first.
struct Partition {
    states: Vec<u32>,
    /// The block of each state, and where it is among all.
    of: Vec<Place>,
    blocks: Vec<Block>,
    /// Blocks that are still to divide others.
    open: Vec<u32>,
}

/// Where a state is: side by side, as both are mostly asked for together.
#[derive(Clone, Copy, Default)]
struct Place {
    block: u32,
    at: u32,
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

#[derive(Clone, Copy, Default)]
struct Block {
    begin: u32,
    end: u32,
    marked: u32,
}

impl Partition {
    /// Starts with the class of each state.
    fn new((of, count): (Vec<u32>, usize)) -> Partition {
        let size = of.len();
        let mut sizes = vec![0_u32; count];
        for block in &of {
            sizes[*block as usize] += 1;
        }
        let mut begin = 0;
        let mut blocks = Vec::with_capacity(count);
        for size in sizes {
            blocks.push(Block { begin, end: begin, marked: 0 });
            begin += size;
        }
        let mut states = vec![0; size];
        let places = (0..).zip(of).map(|(state, block)| {
            let end = &mut blocks[block as usize].end;
            states[*end as usize] = state;
            *end += 1;
            Place { block, at: *end - 1 }
        });
        let of = places.collect();
        Partition { states, of, blocks, open: (0..count as u32).collect() }
    }

    /// Lets blocks divide others until none does; `None` if there are too many, or it takes too long.
    fn refine(&mut self, chain: &Chain, exact: &Exact) -> Option<()> {
        let backwards = chain.transposed();
        let exits = Exits::new(chain, exact);
        let mut sums = Sums { place: vec![0; chain.states()], list: Vec::new() };
        let (mut splitter, mut divided) = (Vec::new(), Vec::new());
        let mut left = VISITS * chain.transitions() + chain.states();
        while let Some(block) = self.open.pop() {
            splitter.clear();
            splitter.extend_from_slice(self.members(block));
            // A state leaves its own block with what it does not do inside.
            for state in &splitter {
                let exit = exits.rates[exits.of[*state as usize] as usize];
                if exit > 0 {
                    sums.add(*state, -exit);
                }
                left = left.checked_sub(chain.targets(*state as usize).len())?;
            }
            for state in &splitter {
                left = left.checked_sub(backwards.targets(*state as usize).len())?;
                for (source, rate) in backwards.row(*state as usize) {
                    sums.add(source, exact.of(rate));
                }
            }
            for (state, _) in sums.list.iter().filter(|(_, sum)| *sum != 0) {
                self.mark(*state, &mut divided);
            }
            for block in divided.drain(..) {
                self.divide(block, &sums);
            }
            sums.clear();
            if self.blocks.len() > enough(chain.states()) {
                return None;
            }
        }
        Some(())
    }

    fn members(&self, block: u32) -> &[u32] {
        let Block { begin, end, .. } = self.blocks[block as usize];
        &self.states[begin as usize..end as usize]
    }

    /// Moves a state to the marked ones of its block; notes blocks when they get their first.
    fn mark(&mut self, state: u32, divided: &mut Vec<u32>) {
        let Place { block: number, at: from } = self.of[state as usize];
        let block = &mut self.blocks[number as usize];
        if block.marked == 0 {
            divided.push(number);
        }
        let to = block.begin + block.marked;
        block.marked += 1;
        if from != to {
            let other = self.states[to as usize];
            self.states.swap(from as usize, to as usize);
            (self.of[state as usize].at, self.of[other as usize].at) = (to, from);
        }
    }

    /// Divides a block by sums; unmarked states have the sum 0.
    fn divide(&mut self, number: u32, sums: &Sums) {
        let Block { begin, end, marked } = self.blocks[number as usize];
        self.blocks[number as usize].marked = 0;
        let sum_of = |state: u32| sums.of(state);
        let range = begin as usize..(begin + marked) as usize;
        let first = sum_of(self.states[range.start]);
        let mut pieces: Vec<(u32, u32)> = Vec::new();
        if self.states[range.clone()].iter().all(|state| sum_of(*state) == first) {
            pieces.push((begin, begin + marked));
        } else {
            self.states[range.clone()].sort_unstable_by_key(|state| (sum_of(*state), *state));
            let mut from = begin;
            for piece in self.states[range].chunk_by(|one, other| sum_of(*one) == sum_of(*other)) {
                let to = from + piece.len() as u32;
                pieces.push((from, to));
                from = to;
            }
            for place in begin..begin + marked {
                self.of[self.states[place as usize] as usize].at = place;
            }
        }
        if begin + marked < end {
            pieces.push((begin + marked, end));
        }
        // The largest piece keeps the number, and need not be looked at again on its own account.
        let largest = (0..pieces.len()).max_by_key(|piece| pieces[*piece].1 - pieces[*piece].0).unwrap_or(0);
        for (piece, (begin, end)) in pieces.into_iter().enumerate() {
            if piece == largest {
                self.blocks[number as usize] = Block { begin, end, marked: 0 };
                continue;
            }
            let new = self.blocks.len() as u32;
            self.blocks.push(Block { begin, end, marked: 0 });
            self.open.push(new);
            for place in begin..end {
                self.of[self.states[place as usize] as usize].block = new;
            }
        }
    }

    /// Makes the smaller chain, with blocks in the order of their first states.
    fn finish(self, chain: &Chain) -> Option<Lumped> {
        let mut number = vec![u32::MAX; self.blocks.len()];
        let mut first = Vec::with_capacity(number.len());
        let of = (0..).zip(&self.of).map(|(state, place)| {
            let number = &mut number[place.block as usize];
            if *number == u32::MAX {
                *number = first.len() as u32;
                first.push(state);
            }
            *number
        });
        let of: Vec<u32> = of.collect();
        let mut builder = chain::Builder::new(first.len(), 0);
        let (mut merged, mut blocks) = (0, Vec::new());
        for state in &first {
            builder.row(chain.row(*state as usize).map(|(target, rate)| (of[target as usize], rate)));
            let targets = chain.targets(*state as usize);
            blocks.clear();
            blocks.extend(targets.iter().map(|target| of[*target as usize]));
            blocks.sort_unstable();
            blocks.dedup();
            merged = merged.max(targets.len() - blocks.len());
        }
        builder.rounded(chain.roundings() + merged);
        let initial = chain.initial().iter().map(|(state, weight)| (of[*state as usize], *weight));
        let chain = builder.build(initial).ok()?;
        Some(Lumped { chain, of, first })
    }
}
