//! Edges in groups: those with the same source block, the same label and the same target block.

use rustc_hash::FxHashMap;

/// What the edges of a group have in common: the block they leave, their label, the block they lead to.
pub(super) type EdgeGroupKey = (u32, u32, u32);

/// Edges in groups; each edge knows its group, and where it stands there.
#[derive(Default)]
pub(super) struct EdgeGroups {
    numbers: FxHashMap<EdgeGroupKey, u32>,
    all: Vec<EdgeGroup>,
    free: Vec<u32>,
    /// The groups of the edges that leave each block.
    of: Vec<Vec<u32>>,
    /// The group of each edge, or [`NONE`], and where it stands there.
    inside: Vec<u32>,
    place: Vec<u32>,
}

struct EdgeGroup {
    key: EdgeGroupKey,
    /// Where it stands among those of its block.
    place: u32,
    edges: Vec<u32>,
}

const NONE: u32 = u32::MAX;

impl EdgeGroups {
    /// No edge is in a group yet.
    pub(super) fn new(edges: usize) -> EdgeGroups {
        EdgeGroups { inside: vec![NONE; edges], place: vec![0; edges], ..EdgeGroups::default() }
    }

    /// Returns what the edges of the group of an edge have in common.
    pub(super) fn key(&self, edge: u32) -> Option<EdgeGroupKey> {
        let group = self.inside[edge as usize];
        (group != NONE).then(|| self.all[group as usize].key)
    }

    /// Returns what the edges of one of the groups of a block have in common.
    pub(super) fn key_of(&self, block: u32, number: usize) -> Option<EdgeGroupKey> {
        let group = *self.of.get(block as usize)?.get(number)?;
        Some(self.all[group as usize].key)
    }

    /// Returns the edges of a group.
    pub(super) fn edges(&self, key: EdgeGroupKey) -> &[u32] {
        self.numbers.get(&key).map_or(&[], |group| &self.all[*group as usize].edges)
    }

    /// Puts an edge into a group, out of the one where it is.
    pub(super) fn put(&mut self, edge: u32, key: EdgeGroupKey) {
        self.remove(edge);
        let group = match self.numbers.get(&key) {
            Some(group) => *group,
            None => self.add(key),
        };
        let edges = &mut self.all[group as usize].edges;
        self.inside[edge as usize] = group;
        self.place[edge as usize] = edges.len() as u32;
        edges.push(edge);
    }

    /// Takes an edge out of its group, if it is in one.
    pub(super) fn remove(&mut self, edge: u32) {
        let number = std::mem::replace(&mut self.inside[edge as usize], NONE);
        if number == NONE {
            return;
        }
        let group = &mut self.all[number as usize];
        let place = self.place[edge as usize];
        group.edges.swap_remove(place as usize);
        if let Some(moved) = group.edges.get(place as usize) {
            self.place[*moved as usize] = place;
        }
        if !group.edges.is_empty() {
            return;
        }
        let (key, place) = (group.key, group.place);
        group.edges = Vec::new();
        self.numbers.remove(&key);
        let others = &mut self.of[key.0 as usize];
        others.swap_remove(place as usize);
        if let Some(moved) = others.get(place as usize) {
            self.all[*moved as usize].place = place;
        }
        self.free.push(number);
    }

    fn add(&mut self, key: EdgeGroupKey) -> u32 {
        if self.of.len() <= key.0 as usize {
            self.of.resize_with(key.0 as usize + 1, Vec::new);
        }
        let of = &mut self.of[key.0 as usize];
        let group = EdgeGroup { key, place: of.len() as u32, edges: Vec::new() };
        let number = match self.free.pop() {
            Some(number) => {
                self.all[number as usize] = group;
                number
            }
            None => {
                self.all.push(group);
                self.all.len() as u32 - 1
            }
        };
        of.push(number);
        self.numbers.insert(key, number);
        number
    }
}
