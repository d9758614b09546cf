//! What processes do, by the bits that they look at: a hash table that host and device read alike.

use rustc_hash::FxHashMap;

use crate::Key;

/// What a value leads to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// These steps: the bits that each flips.
    Steps(Vec<Key>),
    /// More bits decide.
    Node(u32),
    /// The host must expand the state.
    Host,
}

/// An entry of the hash table.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Slot {
    pub(crate) look: Key,
    pub(crate) node: u32,
    /// What it leads to, in the upper 8 bits, or how many steps; and which node, or the first step.
    pub(crate) what: u32,
}

/// Nothing is there.
pub(crate) const EMPTY: u32 = 255 << 24;
const NODE: u32 = 254;
const HOST: u32 = 253;
/// More steps than this are the host's.
const MAX_STEPS: usize = 252;
const FIRST: u32 = (1 << 24) - 1;

const _: () = assert!(MAX_STEPS < HOST as usize);

/// Why a table does not tell the steps of a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Undone {
    Special,
    Missing(u32),
}

/// What a [`Slot`] leads to, without a copy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Found {
    Steps(u32, u32),
    Host,
    /// The node that lacks the value.
    Missing(u32),
}

/// What processes do. The first nodes are those where processes begin, by their numbers; the next one is
/// asked where no process has a step.
#[derive(Clone, Debug, Default)]
pub struct Table {
    pub(crate) masks: Vec<Key>,
    pub(crate) slots: Vec<Slot>,
    pub(crate) flips: Vec<Key>,
    pub(crate) processes: u32,
    used: usize,
    most: FxHashMap<u32, u32>,
}

impl Table {
    /// Makes a table for processes that begin with these masks, and for states in which none has a step.
    pub fn new(processes: &[Key], idle: Key) -> Table {
        let nothing = Slot { look: 0, node: 0, what: EMPTY };
        Table {
            masks: [processes, &[idle]].concat(),
            slots: vec![nothing; 1 << 10],
            processes: processes.len() as u32,
            ..Table::default()
        }
    }

    /// Adds a node, and returns its number; `None` if there are too many.
    pub fn add_node(&mut self, mask: Key) -> Option<u32> {
        let number = u32::try_from(self.masks.len()).ok().filter(|number| *number < FIRST)?;
        self.masks.push(mask);
        Some(number)
    }

    /// Returns the mask of a node.
    pub fn mask(&self, node: u32) -> Key {
        self.masks[node as usize]
    }

    /// Returns whether the value of a key at a node is known.
    pub fn knows(&self, node: u32, key: Key) -> bool {
        self.slots[self.position(node, key & self.mask(node))].what != EMPTY
    }

    /// Returns how many values are known.
    pub fn len(&self) -> usize {
        self.used
    }

    /// Returns whether no value is known.
    pub fn is_empty(&self) -> bool {
        self.used == 0
    }

    /// Returns how many steps a state has at most, as far as is known.
    pub fn most_steps(&self) -> u64 {
        let most = |process: u32| self.most.get(&process).copied().unwrap_or(0);
        let together: u64 = (0..self.processes).map(|process| u64::from(most(process))).sum();
        together.max(u64::from(most(self.processes)))
    }

    /// Notes what a key leads to at a node of a process. What is known stays as it is.
    pub fn note(&mut self, (process, node): (u32, u32), key: Key, outcome: &Outcome) {
        let look = key & self.mask(node);
        let room = FIRST as usize - self.flips.len().min(FIRST as usize);
        let what = match outcome {
            Outcome::Node(next) => NODE << 24 | next,
            Outcome::Steps(flips) if flips.len() <= MAX_STEPS.min(room) => {
                let what = (flips.len() as u32) << 24 | self.flips.len() as u32;
                self.flips.extend(flips);
                let most = self.most.entry(process).or_default();
                *most = flips.len().max(*most as usize) as u32;
                what
            }
            Outcome::Steps(_) | Outcome::Host => HOST << 24,
        };
        if (self.used + 1) * 2 > self.slots.len() {
            let nothing = Slot { look: 0, node: 0, what: EMPTY };
            let larger = vec![nothing; self.slots.len() * 2];
            let old = std::mem::replace(&mut self.slots, larger);
            for slot in old.into_iter().filter(|slot| slot.what != EMPTY) {
                let at = self.position(slot.node, slot.look);
                self.slots[at] = slot;
            }
        }
        let at = self.position(node, look);
        if self.slots[at].what == EMPTY {
            self.slots[at] = Slot { look, node, what };
            self.used += 1;
        }
    }

    /// Returns where a value is, or would be.
    fn position(&self, node: u32, look: Key) -> usize {
        let mask = self.slots.len() - 1;
        let mut at = place(node, look) as usize & mask;
        while self.slots[at].what != EMPTY && (self.slots[at].node, self.slots[at].look) != (node, look) {
            at = (at + 1) & mask;
        }
        at
    }

    /// Returns what a state does, if that is known: what its processes do, or where none does anything, what
    /// happens then.
    pub(crate) fn steps(&self, key: Key) -> Result<Vec<Key>, Undone> {
        let (mut flips, mut is_special) = (Vec::new(), false);
        for process in 0..=self.processes {
            if process == self.processes && (is_special || !flips.is_empty()) {
                break;
            }
            match self.find(process, key) {
                Found::Steps(first, count) => {
                    flips.extend_from_slice(&self.flips[first as usize..(first + count) as usize]);
                }
                Found::Host => is_special = true,
                Found::Missing(node) => return Err(Undone::Missing(node)),
            }
        }
        if is_special { Err(Undone::Special) } else { Ok(flips) }
    }

    /// Returns what a process does in a state.
    fn find(&self, process: u32, key: Key) -> Found {
        let mut node = process;
        loop {
            let what = self.slots[self.position(node, key & self.mask(node))].what;
            match what >> 24 {
                _ if what == EMPTY => return Found::Missing(node),
                NODE => node = what & FIRST,
                HOST => return Found::Host,
                count => return Found::Steps(what & FIRST, count),
            }
        }
    }
}

/// Returns where a value is first looked for; the kernel does the same.
pub(crate) fn place(node: u32, look: Key) -> u32 {
    let folded = look as u64 ^ ((look >> 64) as u64).wrapping_mul(0xd6e8_feb8_6659_fd93);
    let mixed = (folded ^ u64::from(node) << 40).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    ((mixed ^ mixed >> 32).wrapping_mul(0xd6e8_feb8_6659_fd93) >> 32) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_lead_through_nodes_to_steps() {
        let mut table = Table::new(&[0b1, 0b110], 0b1000);
        let node = table.add_node(0b1001).unwrap();
        table.note((0, 0), 0b1, &Outcome::Node(node));
        table.note((0, 0), 0b0, &Outcome::Steps(vec![]));
        table.note((0, node), 0b1001, &Outcome::Steps(vec![0b1000, 0b1]));
        table.note((1, 1), 0b010, &Outcome::Host);
        assert_eq!(table.find(0, 0b1101), Found::Steps(0, 2));
        assert_eq!(table.find(0, 0b0101), Found::Missing(node));
        assert_eq!(table.find(0, 0b0100), Found::Steps(0, 0));
        assert_eq!(table.find(1, 0b1010), Found::Host);
        assert_eq!(table.find(1, 0b1110), Found::Missing(1));
        assert_eq!(table.most_steps(), 2);
        table.note((1, 1), 0b110, &Outcome::Steps(vec![]));
        table.note((2, 2), 0b1000, &Outcome::Steps(vec![0b1000]));
        assert_eq!(table.steps(0b1111), Ok(vec![0b1000, 0b1]));
        assert_eq!(table.steps(0b1110), Ok(vec![0b1000]));
        assert_eq!(table.steps(0b0110), Err(Undone::Missing(2)));
        assert_eq!(table.steps(0b1010), Err(Undone::Special));
    }

    #[test]
    fn many_values_are_found_again() {
        let mut table = Table::new(&[u128::MAX >> 1], 0);
        for value in 0..20_000_u128 {
            table.note((0, 0), value << 50, &Outcome::Steps(vec![value + 1]));
        }
        assert_eq!(table.len(), 20_000);
        for value in 0..20_000_u128 {
            let Found::Steps(first, 1) = table.find(0, value << 50) else { panic!("{value}") };
            assert_eq!(table.flips[first as usize], value + 1);
        }
    }
}
