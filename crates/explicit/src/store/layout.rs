//! How the numbers of a state's leaves make a key of 64 bits.
//!
//! If they fit, they stand in the key side by side, with the number of the shape. Otherwise they are folded:
//! into two nodes if there are few leaves, by way of nodes for some neighbours each if there are many; the
//! key is the numbers of the two. Which it is to be, how many bits each number gets, and where leaves are
//! best divided, is found out with the first states of a search.

use super::shape::MAX_LEAVES;

/// How many numbers a node has at most.
pub(super) const ARITY: usize = 4;

/// How many numbers a half of a key stands for at most.
pub(super) const SIDE: usize = 8;

/// How many numbers a key stands for at most.
pub(super) const TOP: usize = 2 * SIDE;

const _: () = assert!(MAX_LEAVES <= ARITY * TOP);

/// Keys have at most this many bits, so that one is left to stand for no state.
pub(super) const MAX_BITS: u32 = 63;

/// A number gets at most so many bits more than it has now; more would make the set of keys larger.
const ROOM: u32 = 5;

/// Nor are there fewer than this, if there is room.
const LEAST_BITS: u32 = 8;

/// The number of the shape has at least so many.
const LEAST_SHAPE_BITS: u32 = 4;

/// With less, keys would soon have to be made anew.
pub(super) const LEAST_ROOM: u32 = 3;

/// How keys are made.
#[derive(Clone, Debug)]
pub(crate) enum Layout {
    /// The numbers stand side by side.
    Flat(Flat),
    /// They are folded.
    Folded(Splits),
}

/// Which bits of a key each number has: the shape's the lowest.
#[derive(Clone, Debug)]
pub(crate) struct Flat {
    pub(super) shape: Field,
    pub(super) leaves: Vec<Field>,
}

/// Returns how many bits so many numbers need.
pub(super) fn width(count: u64) -> u32 {
    u64::BITS - count.saturating_sub(1).leading_zeros()
}

/// Some bits of a key.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Field {
    pub(super) shift: u32,
    pub(super) bits: u32,
}

impl Field {
    /// Returns whether a number has no more bits than there are.
    #[inline]
    pub(super) fn fits(self, number: u32) -> bool {
        u64::from(number) >> self.bits == 0
    }

    /// Returns all of its bits.
    pub(super) fn mask(self) -> u64 {
        ((1 << self.bits) - 1) << self.shift
    }

    #[inline]
    pub(crate) fn get(self, key: u64) -> u32 {
        (key >> self.shift & ((1 << self.bits) - 1)) as u32
    }

    #[inline]
    pub(super) fn set(self, key: u64, number: u32) -> u64 {
        key & !(((1 << self.bits) - 1) << self.shift) | u64::from(number) << self.shift
    }
}

impl Flat {
    /// Finds room for so many shapes, and so many leaves at each place; `None` if there is not enough.
    pub(super) fn for_counts(shapes: u64, leaves: &[u64]) -> Option<Flat> {
        // Processes that end make new shapes, often when all else has been seen.
        let shape = Field { shift: 0, bits: (width(shapes) + LEAST_ROOM).max(LEAST_SHAPE_BITS) };
        let used = shape.bits + leaves.iter().map(|count| width(*count)).sum::<u32>();
        let places = leaves.len().max(1) as u32;
        let room = (MAX_BITS.checked_sub(used)? / places).min(ROOM);
        if room < LEAST_ROOM {
            return None;
        }
        let mut spare = MAX_BITS - used - room * places;
        let mut shift = shape.bits;
        let mut field = |count: &u64| {
            let bits = (width(*count) + room).min(u32::BITS - 1);
            let more = LEAST_BITS.saturating_sub(bits).min(spare);
            spare -= more;
            let bits = bits + more;
            let field = Field { shift, bits };
            shift += bits;
            field
        };
        Some(Flat { shape, leaves: leaves.iter().map(&mut field).collect() })
    }

    pub(super) fn bits(&self) -> u32 {
        self.leaves.last().map_or(self.shape.bits, |last| last.shift + last.bits)
    }
}

/// Which numbers the left half of a key gets, a bit for each: of leaves, of nodes, by how many there are for
/// both halves.
///
/// It matters much. What changes together should be in one half, and both halves should have as few values as
/// can be. Neighbours in a state need not be what changes together: the processes of a ring stand behind all
/// channels between them.
#[derive(Clone, Debug)]
pub(crate) struct Splits([[u16; TOP + 1]; 2]);

impl Default for Splits {
    fn default() -> Splits {
        let mut halves = [0; TOP + 1];
        for (numbers, half) in halves.iter_mut().enumerate() {
            *half = first(numbers.div_ceil(2));
        }
        Splits([halves; 2])
    }
}

/// Returns a bit for each of the first so many numbers.
fn first(numbers: usize) -> u16 {
    ((1_u32 << numbers) - 1) as u16
}

impl Splits {
    /// Returns which of the numbers go to the left; whether they are nodes' follows from the number of
    /// leaves.
    #[inline]
    pub(super) fn of(&self, leaves: usize) -> u16 {
        let nodes = leaves > TOP;
        let numbers = if nodes { leaves.div_ceil(ARITY) } else { leaves };
        self.0[usize::from(nodes)][numbers]
    }

    /// Finds out how numbers are best divided: for so many, of leaves or nodes, all that occur are in `seen`,
    /// one state's after another's. Starts with the best way to keep neighbours together, and then moves or
    /// swaps numbers as long as that helps.
    pub(super) fn learn(&mut self, nodes: bool, numbers: usize, seen: &[u32]) {
        if numbers < 2 || seen.is_empty() {
            return;
        }
        let mut tally = Tally::new(numbers, seen);
        let sizes = numbers.saturating_sub(SIDE).max(1)..=SIDE.min(numbers - 1);
        let middle = numbers.div_ceil(2);
        let neighbours = sizes.clone().map(|size| (tally.cost(first(size)), size.abs_diff(middle), size));
        let Some((mut cost, _, size)) = neighbours.min() else { return };
        let mut best = first(size);
        loop {
            let moved = (0..numbers).map(|number| best ^ 1 << number);
            let pairs = (0..numbers).flat_map(|one| (0..one).map(move |other| 1 << one | 1 << other));
            let swapped = pairs.filter(|pair: &u16| (best & pair).is_power_of_two()).map(|pair| best ^ pair);
            let fitting = |left: &u16| sizes.contains(&(left.count_ones() as usize));
            let better = moved.chain(swapped).filter(fitting).map(|left| (tally.cost(left), left)).min();
            match better {
                Some((less, left)) if less < cost => (cost, best) = (less, left),
                _ => break,
            }
        }
        self.0[usize::from(nodes)][numbers] = best;
    }
}

/// Counts the values that halves would have, as those of their hashes in a table of bits: close enough to
/// compare, and fast.
struct Tally {
    /// For each number, a hash of it in each state.
    hashes: Vec<Vec<u64>>,
    sums: Vec<u64>,
    table: Vec<u64>,
}

impl Tally {
    fn new(numbers: usize, seen: &[u32]) -> Tally {
        let mix = |place: usize, number: u32| {
            let mixed = (u64::from(number) << 8 | place as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            (mixed ^ mixed >> 29).wrapping_mul(0xd6e8_feb8_6659_fd93)
        };
        let of =
            |place: usize| seen.chunks_exact(numbers).map(|all| mix(place, all[place])).collect::<Vec<_>>();
        let states = seen.len() / numbers;
        let table = vec![0; (states * 8).next_power_of_two().max(64) / 64];
        Tally { hashes: (0..numbers).map(of).collect(), sums: vec![0; states], table }
    }

    /// Estimates how many words the nodes of both halves would take.
    fn cost(&mut self, left: u16) -> u64 {
        let right = first(self.hashes.len()) & !left;
        [left, right].map(|half| self.different(half) * (u64::from(half.count_ones()) / 2 + 3)).iter().sum()
    }

    /// Counts the values that some numbers have together.
    fn different(&mut self, half: u16) -> u64 {
        self.sums.fill(0);
        for (_, hashes) in self.hashes.iter().enumerate().filter(|(number, _)| half >> number & 1 == 1) {
            for (sum, hash) in self.sums.iter_mut().zip(hashes) {
                *sum = sum.wrapping_add(*hash);
            }
        }
        self.table.fill(0);
        let bits = (self.table.len() * 64).ilog2();
        for sum in &self.sums {
            let bit = sum.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (u64::BITS - bits);
            self.table[(bit / 64) as usize] |= 1 << (bit % 64);
        }
        self.table.iter().map(|word| u64::from(word.count_ones())).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_stand_side_by_side() {
        let flat = Flat::for_counts(3, &[1, 200, 1000]).unwrap();
        assert_eq!(flat.shape.bits, 5);
        assert_eq!(flat.leaves.iter().map(|field| field.bits).collect::<Vec<_>>(), [8, 13, 15]);
        assert_eq!(flat.bits(), 41);
        let key = flat.leaves[1].set(flat.leaves[2].set(5, 999), 8191);
        assert_eq!((flat.shape.get(key), flat.leaves[0].get(key)), (5, 0));
        assert_eq!((flat.leaves[1].get(key), flat.leaves[2].get(key)), (8191, 999));
        assert!(flat.leaves[0].fits(255) && !flat.leaves[0].fits(256));
    }

    #[test]
    fn too_many_leaves_do_not_fit() {
        assert!(Flat::for_counts(1, &[1 << 20; 4]).is_none());
        assert!(Flat::for_counts(1, &[2; 40]).is_none());
        assert_eq!(Flat::for_counts(1, &[1 << 11; 4]).unwrap().leaves[3].bits, 14);
        assert!(Flat::for_counts(1, &[1 << 13; 4]).is_none());
    }
}
