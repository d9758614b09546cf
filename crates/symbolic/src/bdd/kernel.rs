//! Nodes of binary decision diagrams, each once.
//!
//! An [`Edge`] is a node's number and a bit for negation, so that a function and its opposite share all
//! nodes; the high edge of a node is never negated, which makes diagrams canonical (Brace, Rudell, Bryant,
//! 1990). Each variable has a table of its nodes of its own, so that neighbours in the order can be swapped.
//! Nodes are freed by marking what the handles outside reach; results of operations are kept in a table in
//! which later ones overwrite earlier ones.

use std::sync::Arc;

use narrows_model::{Budget, Limit, Progress, Watch};
use rustc_hash::FxHashMap;

/// A node's number, and whether the function is its opposite in the last bit.
pub(super) type Edge = u32;

/// The function that is always true; its opposite is [`FALSE`].
pub(super) const TRUE: Edge = 0;
/// The function that is always false.
pub(super) const FALSE: Edge = 1;
/// Below every variable.
pub(super) const BOTTOM: u32 = u32::MAX;

#[derive(Clone, Copy, Debug)]
pub(super) struct Node {
    pub(super) variable: u32,
    pub(super) high: Edge,
    pub(super) low: Edge,
    /// The next node in the same bucket, or in the list of free nodes.
    pub(super) next: u32,
}

/// The nodes of one variable.
#[derive(Debug, Default)]
pub(super) struct Table {
    pub(super) buckets: Vec<u32>,
    pub(super) count: usize,
}

/// Why an operation ended without a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stop {
    /// So many nodes are in use that it is better to clean up first, and begin again.
    Crowded,
    /// There is no going on.
    Limit(Limit),
}

/// Operations whose results are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub(super) enum Operation {
    And,
    Xor,
    Choose,
    Exists,
    AndExists,
    Image,
    ToNext,
    Restrict,
}

/// A result: operands and what came out, with a bit of the operation's number in the first bit of each
/// operand. So an entry is in one line of the processor's cache.
#[derive(Clone, Copy, Debug)]
#[repr(align(16))]
struct Entry {
    key: [u32; 3],
    result: Edge,
}

const EMPTY: Entry = Entry { key: [u32::MAX; 3], result: u32::MAX };
/// The bits of an operand that are an edge: there are at most 2^30 nodes.
const EDGE: u32 = u32::MAX >> 1;

impl Entry {
    fn key(operation: Operation, operands: [Edge; 3]) -> [u32; 3] {
        let number = operation as u32;
        [operands[0] | number << 31, operands[1] | number >> 1 << 31, operands[2] | number >> 2 << 31]
    }

    fn is_empty(&self) -> bool {
        self.result == u32::MAX
    }
}

pub(super) struct Kernel {
    pub(super) nodes: Vec<Node>,
    /// How many handles outside hold each node.
    pub(super) held: Vec<u32>,
    pub(super) tables: Vec<Table>,
    pub(super) level_of: Vec<u32>,
    pub(super) variable_at: Vec<u32>,
    /// The first levels of groups of variables that stay together.
    pub(super) groups: Vec<(u32, u32)>,
    free: u32,
    /// Nodes in use, also those that nobody needs any more.
    pub(super) used: usize,
    cache: Vec<Entry>,
    /// Results of [`crate::saturation`], by a number and two functions.
    pub(super) closures: FxHashMap<(u32, Edge, Edge), Edge>,
    /// Which nodes were seen in which visit, and the number of the last one.
    seen: Vec<u32>,
    visits: u32,
    /// How often the order of variables has changed.
    pub(super) generation: u64,
    /// When this many are in use, an operation gives up in favour of cleaning up.
    crowded: usize,
    /// When this many are needed, the order of variables is looked at.
    pub(super) next_reordering: usize,
    pub(super) may_reorder: bool,
    pub(super) most: usize,
    ticks: u32,
    /// Steps of operations, and nodes that sifting has looked at.
    pub(super) worked: u64,
    pub(super) sifted: u64,
    pub(super) watch: Arc<dyn Watch>,
}

/// About how many bytes a node takes, with its part of the tables.
pub(super) const NODE_BYTES: usize = 40;
/// The order of variables is first looked at when there are so many nodes.
const FIRST_REORDERING: usize = 8_000;
/// Below so many nodes it is not worth it to clean up.
const ROOMY: usize = 120_000;
/// So many nodes may be looked at by sifting before any operation has taken as long.
const SIFTING_AHEAD: u64 = 10_000_000;
/// How many steps there are between two looks at the watch.
const TICKS: u32 = 1 << 13;

impl Kernel {
    pub(super) fn new(budget: &Budget) -> Kernel {
        let memory = budget.memory;
        let terminal = Node { variable: BOTTOM, high: TRUE, low: TRUE, next: 0 };
        Kernel {
            nodes: vec![terminal],
            held: vec![1],
            tables: Vec::new(),
            level_of: Vec::new(),
            variable_at: Vec::new(),
            groups: Vec::new(),
            free: 0,
            used: 1,
            cache: vec![EMPTY; 1 << 16],
            closures: FxHashMap::default(),
            generation: 0,
            seen: Vec::new(),
            visits: 0,
            crowded: ROOMY.min(usize::try_from(memory / NODE_BYTES as u64).unwrap_or(usize::MAX)).max(1000),
            next_reordering: FIRST_REORDERING,
            may_reorder: true,
            most: usize::try_from(memory / NODE_BYTES as u64).unwrap_or(usize::MAX).clamp(1000, 1 << 30),
            ticks: 0,
            worked: 0,
            sifted: 0,
            watch: Arc::clone(&budget.watch),
        }
    }

    pub(super) fn bytes(&self) -> u64 {
        (self.nodes.len() * 28 + self.cache.len() * size_of::<Entry>() + self.closures.capacity() * 20) as u64
    }

    /// Adds variables that stay together, below all others; returns the first.
    pub(super) fn add_group(&mut self, size: u32) -> u32 {
        let first = self.tables.len() as u32;
        for variable in first..first + size {
            self.tables.push(Table { buckets: vec![0; 16], count: 0 });
            self.level_of.push(variable);
            self.variable_at.push(variable);
        }
        self.groups.push((first, size));
        first
    }

    pub(super) fn node(&self, edge: Edge) -> &Node {
        &self.nodes[(edge >> 1) as usize]
    }

    pub(super) fn level(&self, edge: Edge) -> u32 {
        let variable = self.node(edge).variable;
        if variable == BOTTOM { BOTTOM } else { self.level_of[variable as usize] }
    }

    /// Returns what a function is where the variable at a level is true, and where it is false.
    pub(super) fn cofactors(&self, edge: Edge, level: u32) -> (Edge, Edge) {
        let node = self.node(edge);
        if node.variable == BOTTOM || self.level_of[node.variable as usize] != level {
            return (edge, edge);
        }
        (node.high ^ (edge & 1), node.low ^ (edge & 1))
    }

    /// Calls something with the variable of each node of a function, each once.
    pub(super) fn visit(&mut self, edge: Edge, mut each: impl FnMut(u32)) {
        self.seen.resize(self.nodes.len(), 0);
        self.visits = self.visits.wrapping_add(1);
        if self.visits == 0 {
            self.seen.fill(0);
            self.visits = 1;
        }
        let mut waiting = vec![edge >> 1];
        while let Some(index) = waiting.pop() {
            if index != 0 && std::mem::replace(&mut self.seen[index as usize], self.visits) != self.visits {
                let node = &self.nodes[index as usize];
                each(node.variable);
                waiting.extend([node.high >> 1, node.low >> 1]);
            }
        }
    }

    /// Returns the function that is one where a variable is true and another where it is false.
    pub(super) fn make(&mut self, variable: u32, high: Edge, low: Edge) -> Result<Edge, Stop> {
        if high == low {
            return Ok(high);
        }
        let sign = high & 1;
        let (high, low) = (high ^ sign, low ^ sign);
        if let Some(found) = self.find(variable, high, low) {
            return Ok(found << 1 | sign);
        }
        if self.used >= self.crowded {
            return Err(Stop::Crowded);
        }
        let index = self.insert(variable, high, low);
        Ok(index << 1 | sign)
    }

    pub(super) fn find(&self, variable: u32, high: Edge, low: Edge) -> Option<u32> {
        let table = &self.tables[variable as usize];
        let mut index = table.buckets[bucket(high, low, table.buckets.len())];
        while index != 0 {
            let node = &self.nodes[index as usize];
            if node.high == high && node.low == low {
                return Some(index);
            }
            index = node.next;
        }
        None
    }

    /// Adds a node that is not there yet.
    pub(super) fn insert(&mut self, variable: u32, high: Edge, low: Edge) -> u32 {
        let node = Node { variable, high, low, next: 0 };
        let index = if self.free == 0 {
            self.nodes.push(node);
            self.held.push(0);
            self.nodes.len() as u32 - 1
        } else {
            let index = self.free;
            self.free = self.nodes[index as usize].next;
            self.nodes[index as usize] = node;
            self.held[index as usize] = 0;
            index
        };
        self.used += 1;
        self.link(index);
        index
    }

    /// Enters a node into the table of its variable.
    pub(super) fn link(&mut self, index: u32) {
        let Node { variable, high, low, .. } = self.nodes[index as usize];
        let table = &mut self.tables[variable as usize];
        if table.count >= table.buckets.len() * 2 {
            self.grow(variable);
        }
        let table = &mut self.tables[variable as usize];
        let at = bucket(high, low, table.buckets.len());
        self.nodes[index as usize].next = table.buckets[at];
        table.buckets[at] = index;
        table.count += 1;
    }

    fn grow(&mut self, variable: u32) {
        let size = self.tables[variable as usize].buckets.len() * 4;
        self.resize(variable, size);
    }

    pub(super) fn resize(&mut self, variable: u32, size: usize) {
        let table = &mut self.tables[variable as usize];
        let old = std::mem::replace(&mut table.buckets, vec![0; size]);
        for mut index in old {
            while index != 0 {
                let node = &mut self.nodes[index as usize];
                let next = node.next;
                let at = bucket(node.high, node.low, size);
                node.next = table.buckets[at];
                table.buckets[at] = index;
                index = next;
            }
        }
    }

    /// Takes a node out of the table of its variable.
    pub(super) fn unlink(&mut self, index: u32) {
        let Node { variable, high, low, next } = self.nodes[index as usize];
        let table = &mut self.tables[variable as usize];
        let at = bucket(high, low, table.buckets.len());
        table.count -= 1;
        if table.buckets[at] == index {
            table.buckets[at] = next;
            return;
        }
        let mut before = table.buckets[at];
        while self.nodes[before as usize].next != index {
            before = self.nodes[before as usize].next;
        }
        self.nodes[before as usize].next = next;
    }

    /// Puts a node on the list of free ones; it is in no table.
    pub(super) fn release(&mut self, index: u32) {
        self.nodes[index as usize] = Node { variable: BOTTOM, high: 0, low: 0, next: self.free };
        self.free = index;
        self.used -= 1;
    }

    /// Looks up a result.
    pub(super) fn known(&self, operation: Operation, operands: [Edge; 3]) -> Option<Edge> {
        let key = Entry::key(operation, operands);
        let entry = &self.cache[slot(key, self.cache.len())];
        (entry.key == key && !entry.is_empty()).then_some(entry.result)
    }

    /// Keeps a result.
    pub(super) fn keep(&mut self, operation: Operation, operands: [Edge; 3], result: Edge) {
        let key = Entry::key(operation, operands);
        let at = slot(key, self.cache.len());
        self.cache[at] = Entry { key, result };
    }

    /// Counts a step; now and then, asks whether to go on.
    pub(super) fn tick(&mut self) -> Result<(), Stop> {
        self.ticks += 1;
        if self.ticks < TICKS {
            return Ok(());
        }
        self.ticks = 0;
        self.worked += u64::from(TICKS);
        self.ask()
    }

    /// Asks whether to go on.
    pub(super) fn ask(&self) -> Result<(), Stop> {
        self.watch.check(&Progress::of_memory(self.bytes())).map_or(Ok(()), |limit| Err(Stop::Limit(limit)))
    }

    /// Makes room: frees what nobody needs, looks at the order, and decides when to do so again.
    pub(super) fn clean_up(&mut self) -> Result<(), Stop> {
        self.collect();
        // Sifting pays only if it does not take longer than what it is to make faster.
        if self.may_reorder
            && self.used > self.next_reordering
            && self.sifted < SIFTING_AHEAD + 4 * self.worked
        {
            let before = self.used;
            self.reorder()?;
            let factor = if self.used * 10 > before * 8 { 4 } else { 2 };
            self.next_reordering = (self.used * factor).max(FIRST_REORDERING);
        }
        if self.used > self.most / 10 * 9 {
            return Err(Stop::Limit(Limit::Memory));
        }
        self.crowded = (self.used * 6).max(ROOMY).min(self.most);
        let wanted = (self.crowded / 2).next_power_of_two().clamp(1 << 16, 1 << 24);
        if wanted > self.cache.len() {
            self.grow_cache(wanted);
        }
        Ok(())
    }

    /// Returns how many nodes an operation may use before it gives up.
    pub(super) fn room(&self) -> usize {
        self.crowded
    }

    /// Gives an operation more room than it had when it gave up.
    pub(super) fn widen(&mut self, room: usize) -> Result<(), Stop> {
        if self.crowded <= room {
            if room >= self.most {
                return Err(Stop::Limit(Limit::Memory));
            }
            self.crowded = (room * 2).min(self.most);
        }
        Ok(())
    }

    fn grow_cache(&mut self, size: usize) {
        let old = std::mem::replace(&mut self.cache, vec![EMPTY; size]);
        for entry in old {
            if !entry.is_empty() {
                self.cache[slot(entry.key, size)] = entry;
            }
        }
    }

    /// Returns whether it is time to clean up, before an operation.
    pub(super) fn is_untidy(&self) -> bool {
        self.used * 2 > self.crowded
    }

    pub(super) fn forget_results(&mut self) {
        self.cache.fill(EMPTY);
        self.closures.clear();
    }

    /// Frees all nodes that no handle reaches.
    pub(super) fn collect(&mut self) {
        let mut marked = vec![false; self.nodes.len()];
        marked[0] = true;
        let mut waiting: Vec<u32> =
            (1..self.nodes.len() as u32).filter(|index| self.held[*index as usize] > 0).collect();
        while let Some(index) = waiting.pop() {
            if std::mem::replace(&mut marked[index as usize], true) {
                continue;
            }
            let node = &self.nodes[index as usize];
            waiting.extend([node.high >> 1, node.low >> 1].iter().filter(|child| !marked[**child as usize]));
        }
        for variable in 0..self.tables.len() {
            let mut buckets = std::mem::take(&mut self.tables[variable].buckets);
            let mut count = 0;
            for head in &mut buckets {
                let mut index = std::mem::take(head);
                while index != 0 {
                    let next = self.nodes[index as usize].next;
                    if marked[index as usize] {
                        self.nodes[index as usize].next = *head;
                        *head = index;
                        count += 1;
                    } else {
                        self.release(index);
                    }
                    index = next;
                }
            }
            self.tables[variable] = Table { buckets, count };
        }
        let alive = |edge: Edge| marked[(edge >> 1) as usize];
        self.closures.retain(|(_, set, within), result| alive(*set) && alive(*within) && alive(*result));
        for entry in self.cache.iter_mut().filter(|entry| !entry.is_empty()) {
            let is_alive = entry.key.iter().all(|edge| alive(edge & EDGE)) && alive(entry.result);
            if !is_alive {
                *entry = EMPTY;
            }
        }
    }
}

fn bucket(high: Edge, low: Edge, size: usize) -> usize {
    let mixed = u64::from(high).wrapping_mul(0x9e37_79b9_7f4a_7c15)
        ^ u64::from(low).wrapping_mul(0xc2b2_ae3d_27d4_eb4f);
    (mixed >> 29) as usize & (size - 1)
}

fn slot(key: [u32; 3], size: usize) -> usize {
    let mixed = u64::from(key[0]).wrapping_mul(0x9e37_79b9_7f4a_7c15)
        ^ u64::from(key[1]).wrapping_mul(0xc2b2_ae3d_27d4_eb4f).rotate_left(17)
        ^ u64::from(key[2]).wrapping_mul(0x1656_67b1_9e37_79f9).rotate_left(31);
    (mixed >> 27) as usize & (size - 1)
}
