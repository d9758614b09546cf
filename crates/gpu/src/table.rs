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
    /// Several nodes, each of which says what some of the steps are: [`Table::add_fork`] has its number.
    Fork(u32),
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
const FORK: u32 = 252;
/// More steps than this are the host's.
const MAX_STEPS: usize = 251;
const FIRST: u32 = (1 << 24) - 1;

const _: () = assert!(MAX_STEPS < FORK as usize);

const NOTHING: Slot = Slot { look: 0, node: 0, what: EMPTY };

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
    Fork(u32),
    Host,
    /// The node that lacks the value.
    Missing(u32),
}

/// What processes do. The first nodes are those where processes begin, by their numbers; the next one is
/// asked where no process has a step.
///
/// A device that has a copy brings it up to date by what was added since: masks, flips and forks are only
/// added at the end, and `placed` lists the slots that were filled since all were last put elsewhere.
#[derive(Clone, Debug, Default)]
pub struct Table {
    pub(crate) masks: Vec<Key>,
    pub(crate) slots: Vec<Slot>,
    pub(crate) flips: Vec<Key>,
    /// Lists of nodes, each after its length.
    pub(crate) forks: Vec<u32>,
    pub(crate) processes: u32,
    pub(crate) placed: Vec<u32>,
    /// The root to which each node leads back: that of a process, or a branch of a fork.
    roots: Vec<u32>,
    /// The process and the first place of each fork.
    fork_of: Vec<(u32, u32)>,
    /// Where each list of flips is: many rows have the same.
    lists: FxHashMap<Box<[Key]>, u32>,
    /// The most steps that a row has, by root.
    most: FxHashMap<u32, u32>,
    used: usize,
}

impl Table {
    /// Makes a table for processes that begin with these masks, and for states in which none has a step.
    pub fn new(processes: &[Key], idle: Key) -> Table {
        Table {
            masks: [processes, &[idle]].concat(),
            roots: (0..=processes.len() as u32).collect(),
            slots: vec![NOTHING; 1 << 10],
            processes: processes.len() as u32,
            ..Table::default()
        }
    }

    /// Adds a node that refines another, or without one the branch of a fork; returns its number, `None` if
    /// there are too many.
    pub fn add_node(&mut self, mask: Key, refines: Option<u32>) -> Option<u32> {
        let number = u32::try_from(self.masks.len()).ok().filter(|number| *number < FIRST)?;
        self.masks.push(mask);
        self.roots.push(refines.map_or(number, |node| self.root(node)));
        Some(number)
    }

    /// Adds a fork of a process, whose steps are those of all these nodes together; returns its number,
    /// `None` if there are too many.
    pub fn add_fork(&mut self, process: u32, branches: &[u32]) -> Option<u32> {
        let first = u32::try_from(self.forks.len()).ok().filter(|first| *first < FIRST)?;
        self.forks.push(branches.len() as u32);
        self.forks.extend(branches);
        self.fork_of.push((process, first));
        Some(first)
    }

    /// Returns the mask of a node.
    pub fn mask(&self, node: u32) -> Key {
        self.masks[node as usize]
    }

    /// Returns the root to which a node leads back.
    pub fn root(&self, node: u32) -> u32 {
        self.roots[node as usize]
    }

    /// Returns whether the value of a key at a node is known.
    pub fn knows(&self, node: u32, key: Key) -> bool {
        self.slots[self.position(node, key & self.mask(node))].what != EMPTY
    }

    /// Returns the node to which the value of a key leads.
    pub fn next(&self, node: u32, key: Key) -> Option<u32> {
        let what = self.slots[self.position(node, key & self.mask(node))].what;
        (what >> 24 == NODE).then_some(what & FIRST)
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
        let most = |root: u32| u64::from(self.most.get(&root).copied().unwrap_or(0));
        let mut of_processes: Vec<u64> = (0..=self.processes).map(most).collect();
        for (process, first) in &self.fork_of {
            let together: u64 = self.branches(*first).iter().map(|branch| most(*branch)).sum();
            let of_process = &mut of_processes[*process as usize];
            *of_process = together.max(*of_process);
        }
        let idle = of_processes.pop().unwrap_or(0);
        of_processes.iter().sum::<u64>().max(idle)
    }

    fn branches(&self, fork: u32) -> &[u32] {
        let first = fork as usize + 1;
        &self.forks[first..first + self.forks[fork as usize] as usize]
    }

    /// Notes what a key leads to at a node. What is known stays as it is.
    pub fn note(&mut self, node: u32, key: Key, outcome: &Outcome) {
        let look = key & self.mask(node);
        let what = match outcome {
            Outcome::Node(next) => NODE << 24 | next,
            Outcome::Fork(fork) => FORK << 24 | fork,
            Outcome::Host => HOST << 24,
            Outcome::Steps(flips) => self.place_flips(node, flips).unwrap_or(HOST << 24),
        };
        if (self.used + 1) * 2 > self.slots.len() {
            self.enlarge();
        }
        let at = self.position(node, look);
        if self.slots[at].what == EMPTY {
            self.slots[at] = Slot { look, node, what };
            self.placed.push(at as u32);
            self.used += 1;
        }
    }

    /// Returns how a slot names a list of flips; `None` if there is no room for it.
    fn place_flips(&mut self, node: u32, flips: &[Key]) -> Option<u32> {
        let count = u32::try_from(flips.len()).ok().filter(|count| *count <= MAX_STEPS as u32)?;
        let first = match self.lists.get(flips) {
            Some(first) => *first,
            None => {
                let first = u32::try_from(self.flips.len()).ok()?;
                if first > FIRST - count {
                    return None;
                }
                self.flips.extend(flips);
                self.lists.insert(flips.into(), first);
                first
            }
        };
        let most = self.most.entry(self.roots[node as usize]).or_default();
        *most = count.max(*most);
        Some(count << 24 | first)
    }

    fn enlarge(&mut self) {
        let larger = vec![NOTHING; self.slots.len() * 2];
        let old = std::mem::replace(&mut self.slots, larger);
        for slot in old.into_iter().filter(|slot| slot.what != EMPTY) {
            let at = self.position(slot.node, slot.look);
            self.slots[at] = slot;
        }
        self.placed.clear();
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
                Found::Fork(fork) => {
                    for branch in self.branches(fork) {
                        is_special |= self.append(self.find(*branch, key), &mut flips)?;
                    }
                }
                found => is_special |= self.append(found, &mut flips)?,
            }
        }
        if is_special { Err(Undone::Special) } else { Ok(flips) }
    }

    /// Appends steps that were found; returns whether they are the host's instead.
    fn append(&self, found: Found, flips: &mut Vec<Key>) -> Result<bool, Undone> {
        match found {
            Found::Steps(first, count) => {
                flips.extend_from_slice(&self.flips[first as usize..(first + count) as usize]);
                Ok(false)
            }
            Found::Host | Found::Fork(_) => Ok(true),
            Found::Missing(node) => Err(Undone::Missing(node)),
        }
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
                FORK => return Found::Fork(what & FIRST),
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
        let node = table.add_node(0b1001, Some(0)).unwrap();
        table.note(0, 0b1, &Outcome::Node(node));
        table.note(0, 0b0, &Outcome::Steps(vec![]));
        table.note(node, 0b1001, &Outcome::Steps(vec![0b1000, 0b1]));
        table.note(1, 0b010, &Outcome::Host);
        assert_eq!(table.find(0, 0b1101), Found::Steps(0, 2));
        assert_eq!(table.find(0, 0b0101), Found::Missing(node));
        assert_eq!(table.find(0, 0b0100), Found::Steps(0, 0));
        assert_eq!(table.find(1, 0b1010), Found::Host);
        assert_eq!(table.find(1, 0b1110), Found::Missing(1));
        assert_eq!(table.most_steps(), 2);
        table.note(1, 0b110, &Outcome::Steps(vec![]));
        table.note(2, 0b1000, &Outcome::Steps(vec![0b1000]));
        assert_eq!(table.steps(0b1111), Ok(vec![0b1000, 0b1]));
        assert_eq!(table.steps(0b1110), Ok(vec![0b1000]));
        assert_eq!(table.steps(0b0110), Err(Undone::Missing(2)));
        assert_eq!(table.steps(0b1010), Err(Undone::Special));
    }

    #[test]
    fn forks_put_steps_together() {
        let mut table = Table::new(&[0b1], 0);
        let branches = [0b10, 0b100].map(|mask| table.add_node(mask, None).unwrap());
        let fork = table.add_fork(0, &branches).unwrap();
        table.note(0, 0b1, &Outcome::Fork(fork));
        table.note(branches[0], 0b10, &Outcome::Steps(vec![0b10]));
        assert_eq!(table.steps(0b111), Err(Undone::Missing(branches[1])));
        table.note(branches[1], 0b100, &Outcome::Steps(vec![0b100, 0b1]));
        assert_eq!(table.steps(0b111), Ok(vec![0b10, 0b100, 0b1]));
        assert_eq!(table.most_steps(), 3);
        table.note(branches[1], 0, &Outcome::Host);
        assert_eq!(table.steps(0b011), Err(Undone::Special));
    }

    #[test]
    fn equal_steps_are_kept_once() {
        let mut table = Table::new(&[0b11], 0);
        for value in 0..4 {
            table.note(0, value, &Outcome::Steps(vec![0b100, value & 1]));
        }
        assert_eq!((table.len(), table.flips.len()), (4, 4));
        assert_eq!(table.steps(0b11), Ok(vec![0b100, 0b1]));
    }

    #[test]
    fn many_values_are_found_again() {
        let mut table = Table::new(&[u128::MAX >> 1], 0);
        for value in 0..20_000_u128 {
            table.note(0, value << 50, &Outcome::Steps(vec![value + 1]));
        }
        assert_eq!(table.len(), 20_000);
        for value in 0..20_000_u128 {
            let Found::Steps(first, 1) = table.find(0, value << 50) else { panic!("{value}") };
            assert_eq!(table.flips[first as usize], value + 1);
        }
    }
}
