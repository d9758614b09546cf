//! Memoised steps of subtrees.

/// A step of a tree: an event, and the tree after it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Step {
    pub(super) event: u32,
    /// A node; or, with the bit [`OPEN`], a term that becomes a node when the values of the event are
    /// decided; or [`UNMADE`].
    pub(super) then: u32,
    /// If it is not built: the tree one of whose sides takes the step.
    tree: u32,
    /// If it is not built: which step the side takes, and with the bit [`RIGHT`], that it is the right one.
    side: u32,
}

/// Marks a target that depends on undecided values.
pub(super) const OPEN: u32 = 1 << 31;
/// Stands for a target that is built on demand: many steps are discarded because a partner does not
/// synchronise.
const UNMADE: u32 = u32::MAX;
const RIGHT: u32 = 1 << 31;

/// How to build a target: a tree, the step that one of its sides takes, and whether it is the right one.
pub(super) struct Recipe {
    pub(super) tree: u32,
    pub(super) step: usize,
    pub(super) is_right: bool,
}

impl Step {
    /// Makes a step with a known target.
    #[inline]
    pub(super) fn new(event: u32, then: u32) -> Step {
        Step { event, then, tree: 0, side: 0 }
    }

    /// Makes a step that the left or the only side of a tree takes, or the right one.
    #[inline]
    pub(super) fn of_side(event: u32, tree: u32, step: usize, is_right: bool) -> Step {
        Step { event, then: UNMADE, tree, side: step as u32 | if is_right { RIGHT } else { 0 } }
    }

    /// Returns how to build the target, if it is not built.
    #[inline]
    pub(super) fn recipe(&self) -> Option<Recipe> {
        let Step { then, tree, side, .. } = *self;
        (then == UNMADE).then_some(Recipe {
            tree,
            step: (side & !RIGHT) as usize,
            is_right: side & RIGHT != 0,
        })
    }
}

/// Marks a query for all steps; the rest is the number of a set of excluded gates. Without this bit, a query
/// is the number of an event that a partner offers.
pub(super) const ALL: u32 = 1 << 31;

/// A range of cached steps.
pub(super) type Range = std::ops::Range<usize>;

/// A cache from nodes and queries to steps.
#[derive(Debug, Default)]
pub(super) struct StepCache {
    /// A node plus 1, or 0 if the slot is free; a query; the first of its steps, and how many they are.
    slots: Vec<[u32; 4]>,
    count: usize,
    steps: Vec<Step>,
    /// Steps up to here belong to cached results; later ones are temporary.
    end: usize,
    /// Hit rates, for each point and both kinds of queries.
    rates: Vec<[HitRate; 2]>,
}

/// Lookups and hits, and for how many more lookups the cache is bypassed.
#[derive(Clone, Copy, Debug, Default)]
struct HitRate {
    asked: u32,
    found: u32,
    pause: u32,
    is_always: bool,
}

const MIN_SLOTS: usize = 1 << 10;
/// With more results, or more steps in them, the cache is cleared.
const MAX_ENTRIES: usize = 1 << 20;
const MAX_STEPS: usize = 1 << 22;
/// After so many lookups at a point, caching goes on there only if one in so many was a hit.
const PROBE: u32 = 1 << 12;
const WORTHWHILE: u32 = 4;
/// If not, the cache is bypassed for so many queries.
const PAUSE: u32 = 1 << 18;

impl StepCache {
    /// Makes counters for points; `true` for those where results are always cached.
    pub(super) fn prepare(&mut self, points: impl Iterator<Item = bool>) {
        self.rates = points.map(|is_always| [HitRate { is_always, ..HitRate::default() }; 2]).collect();
    }

    /// Discards temporary steps, and everything if the cache is full.
    pub(super) fn make_room(&mut self) {
        self.steps.truncate(self.end);
        if self.count > MAX_ENTRIES || self.steps.len() > MAX_STEPS {
            self.slots.fill([0; 4]);
            self.count = 0;
            self.steps.clear();
            self.end = 0;
        }
    }

    /// Returns whether caching pays at a point.
    #[inline]
    pub(super) fn is_worthwhile(&mut self, point: u32, question: u32) -> bool {
        let rate = &mut self.rates[point as usize][usize::from(question & ALL != 0)];
        if rate.pause > 0 {
            rate.pause -= 1;
            return false;
        }
        rate.asked = rate.asked.wrapping_add(1);
        if rate.asked < PROBE || rate.is_always {
            return true;
        }
        let pays = rate.found >= rate.asked / WORTHWHILE;
        *rate = HitRate { pause: if pays { 0 } else { PAUSE }, ..HitRate::default() };
        pays
    }

    /// Counts a hit.
    #[inline]
    pub(super) fn count_found(&mut self, point: u32, question: u32) {
        let rate = &mut self.rates[point as usize][usize::from(question & ALL != 0)];
        rate.found = rate.found.wrapping_add(1);
    }

    /// Returns the steps of a node for a query, if they are cached.
    #[inline]
    pub(super) fn find(&self, node: u32, question: u32) -> Option<Range> {
        let mask = self.slots.len().checked_sub(1)?;
        let mut slot = place(node, question);
        loop {
            let [found, asked, start, count] = self.slots[slot & mask];
            if found == 0 {
                return None;
            }
            if found - 1 == node && asked == question {
                return Some(start as usize..(start + count) as usize);
            }
            slot += 1;
        }
    }

    /// Keeps steps until the next state, and under a key, if there is one, longer.
    pub(super) fn keep(&mut self, steps: &[Step], found_as: Option<(u32, u32)>) -> Range {
        let start = self.steps.len();
        self.steps.extend_from_slice(steps);
        if let Some((node, question)) = found_as {
            if self.count * 2 >= self.slots.len() {
                self.grow();
            }
            self.enter([node + 1, question, start as u32, steps.len() as u32]);
            self.count += 1;
            self.end = self.steps.len();
        }
        start..self.steps.len()
    }

    fn enter(&mut self, entry: [u32; 4]) {
        let mask = self.slots.len() - 1;
        let mut slot = place(entry[0] - 1, entry[1]);
        while self.slots[slot & mask][0] != 0 {
            slot += 1;
        }
        self.slots[slot & mask] = entry;
    }

    #[cold]
    fn grow(&mut self) {
        let length = (self.slots.len() * 2).max(MIN_SLOTS);
        let old = std::mem::replace(&mut self.slots, vec![[0; 4]; length]);
        old.into_iter().filter(|entry| entry[0] != 0).for_each(|entry| self.enter(entry));
    }

    /// Returns a cached step.
    #[inline]
    pub(super) fn step(&self, index: usize) -> Step {
        self.steps[index]
    }

    /// Sets the target of a step.
    pub(super) fn make(&mut self, index: usize, then: u32) {
        self.steps[index].then = then;
    }

    /// Returns a range of cached steps.
    pub(super) fn steps(&self, range: Range) -> &[Step] {
        &self.steps[range]
    }

    /// Returns how many bytes are in use.
    pub(super) fn bytes(&self) -> u64 {
        self.slots.capacity() as u64 * 16 + self.steps.capacity() as u64 * 16
    }
}

#[inline]
fn place(node: u32, question: u32) -> usize {
    let product = (u64::from(node) << 32 | u64::from(question)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (product >> 32) as usize
}
