//! Pseudo-random numbers that a seed decides, the same on every platform.
//!
//! `SplitMix64` (G. Steele, D. Lea, C. Flood, *Fast splittable pseudorandom number generators*, OOPSLA 2014):
//! the state counts up by a fixed odd number, and what is returned is a bijective mix of it. So every seed is
//! equally good, also 0, the period is 2⁶⁴, and a number costs two multiplications. It is meant for random
//! models, walks and simulations, not for secrets.
//!
//! **Pages of the documentation show runs that a seed decides: the stream must stay as it is.**

/// A generator of pseudo-random numbers.
///
/// ```
/// use narrows_graph::Random;
///
/// let mut dice = Random::new(7);
/// let throws: Vec<u64> = (0..4).map(|_| 1 + dice.below(6)).collect();
/// assert_eq!(throws, [3, 1, 6, 4]);
/// assert_eq!(dice.pick(&["red", "green", "blue"]), Some(&"green"));
/// ```
#[derive(Clone, Debug)]
pub struct Random {
    state: u64,
}

impl Random {
    /// Begins the sequence that belongs to a seed.
    pub fn new(seed: u64) -> Random {
        Random { state: seed }
    }

    /// Begins one of the many sequences that belong to a seed, as far apart as chance puts them: for runs
    /// side by side, each with numbers of its own.
    pub fn stream(seed: u64, number: u64) -> Random {
        let key = Random::new(seed).bits();
        Random { state: Random::new(key ^ number.wrapping_mul(0xd6e8_feb8_6659_fd93)).bits() }
    }

    /// Returns the next 64 bits.
    pub fn bits(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// Returns a number below `limit`, all of them almost equally likely; 0 if the limit is 0.
    ///
    /// The upper half of a product takes the place of a division (D. Lemire 2019); no number is more likely
    /// than another by more than `limit` / 2⁶⁴.
    pub fn below(&mut self, limit: u64) -> u64 {
        ((u128::from(self.bits()) * u128::from(limit)) >> 64) as u64
    }

    /// Returns an index into a list of so many items: [`below`](Random::below) for lengths.
    pub fn index(&mut self, length: usize) -> usize {
        self.below(length as u64) as usize
    }

    /// Returns a number from `low` to `high`, both included.
    pub fn between(&mut self, low: usize, high: usize) -> usize {
        low + self.index(high - low + 1)
    }

    /// Returns true with a probability of one in so many.
    pub fn one_in(&mut self, number: u64) -> bool {
        self.below(number) == 0
    }

    /// Returns true with a probability in percent.
    pub fn percent(&mut self, chance: usize) -> bool {
        self.index(100) < chance
    }

    /// Returns a number above 0 and at most 1, a multiple of 2⁻⁵³.
    pub fn fraction(&mut self) -> f64 {
        ((self.bits() >> 11) + 1) as f64 / (1_u64 << 53) as f64
    }

    /// Returns an exponentially distributed number with mean 1.
    pub fn exponential(&mut self) -> f64 {
        -self.fraction().ln()
    }

    /// Returns one of the items; `None` if there are none.
    pub fn pick<'a, T>(&mut self, items: &'a [T]) -> Option<&'a T> {
        if items.is_empty() { None } else { items.get(self.index(items.len())) }
    }

    /// Returns an index, drawn in proportion to the weights; 0 if their sum is 0.
    pub fn weighted(&mut self, weights: &[usize]) -> usize {
        let mut ticket = self.index(weights.iter().sum());
        let is_drawn = |weight: &usize| {
            let drawn = ticket < *weight;
            ticket = ticket.saturating_sub(*weight);
            drawn
        };
        weights.iter().position(is_drawn).unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::Random;

    #[test]
    fn follows_the_reference_implementation() {
        let mut random = Random::new(1_234_567);
        let numbers = [random.bits(), random.bits(), random.bits()];
        assert_eq!(
            numbers,
            [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423]
        );
    }

    #[test]
    fn stays_within_limits_and_reaches_everything() {
        let mut random = Random::new(7);
        let (mut below, mut between) = ([false; 5], [false; 3]);
        for _ in 0..200 {
            below[random.index(5)] = true;
            between[random.between(4, 6) - 4] = true;
            let fraction = random.fraction();
            assert!(fraction > 0.0 && fraction <= 1.0);
        }
        assert_eq!((below, between), ([true; 5], [true; 3]));
        assert_eq!((random.below(0), random.pick::<u8>(&[])), (0, None));
    }

    #[test]
    fn streams_differ_and_stay() {
        let mut first: Vec<u64> = (0..1_000).map(|number| Random::stream(7, number).bits()).collect();
        first.extend((0..1_000).map(|seed| Random::stream(seed, 8).bits()));
        assert_eq!(Random::stream(7, 9).bits(), first[9]);
        first.sort_unstable();
        first.dedup();
        // Stream 8 of seed 7 is in both lists.
        assert_eq!(first.len(), 1_999);
        let mut random = Random::stream(3, 1);
        let mean = (0..100_000).map(|_| random.exponential()).sum::<f64>() / 100_000.0;
        assert!((mean - 1.0).abs() < 0.015, "{mean}");
    }

    #[test]
    fn weights_decide_how_often() {
        let mut random = Random::new(3);
        let mut drawn = [0; 4];
        for _ in 0..10_000 {
            drawn[random.weighted(&[1, 0, 6, 3])] += 1;
        }
        assert_eq!(drawn[1], 0);
        for (count, expected) in drawn.into_iter().zip([1_000_i32, 0, 6_000, 3_000]) {
            assert!((count - expected).abs() < 200, "{drawn:?}");
        }
        let heads = (0..10_000).filter(|_| random.percent(25) && !random.one_in(5)).count();
        assert!((1_800..2_200).contains(&heads), "{heads}");
    }
}
