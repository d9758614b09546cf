//! Canonical states where blocks name each other in any way: refinement of colours, and search.
//!
//! Each block has a colour, a number that does not depend on how blocks are ordered. Colours are refined by
//! those of what a block names and of what names it, until there are no more of them. If several blocks have
//! the same colour, each of them in turn is given one of its own, and so on (*Practical graph isomorphism*,
//! Congressus Numerantium 30, 1981). Where two ways come to the same state, an automorphism was found, which
//! saves others the trouble. The least state that comes out is the canonical one.

use super::canonical::Canonical;
use super::layout::{Layout, Named, Part, Reference};

/// After so many ways the least state so far will do.
const MAX_LEAVES: usize = 512;

/// Memory that is used again and again, and the search at hand.
#[derive(Debug, Default)]
pub(super) struct Refinement {
    /// For each block, what never changes of its colour.
    own: Vec<u64>,
    /// What names what: from a block, or from outside, by which reference, to a block.
    edges: Vec<(Option<usize>, u64, usize)>,
    /// Elements that belong to several blocks: their owners, and what they hold.
    joints: Vec<(Vec<usize>, u64, Option<usize>)>,
    leaves: usize,
    first: Option<(Vec<u8>, Vec<usize>)>,
    best: Option<(Vec<u8>, Vec<usize>)>,
    /// Automorphisms that were found.
    found: Vec<Vec<usize>>,
    /// The blocks that were given a colour of their own on the first way.
    first_way: Vec<usize>,
    room: Vec<u8>,
}

/// What a part of the search came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Outcome {
    Done,
    /// An automorphism leads back to the first way: nothing else is to be found below the point at this
    /// depth.
    SameAsFirst(usize),
}

fn mix(hash: u64, word: u64) -> u64 {
    let product = u128::from(hash ^ word.wrapping_add(0x9e37_79b9_7f4a_7c15)) * 0xd6e8_feb8_6659_fd93_u128;
    (product as u64 ^ (product >> 64) as u64).rotate_left(23).wrapping_add(word)
}

fn mix_bytes(hash: u64, bytes: &[u8]) -> u64 {
    bytes.iter().fold(hash, |hash, byte| mix(hash, u64::from(*byte)))
}

impl Refinement {
    /// Finds where each block goes in the canonical state.
    pub(super) fn run(
        &mut self,
        layout: &Layout,
        (state, tags): (&[u8], &[Vec<u8>]),
        labels: &mut Vec<usize>,
    ) -> Canonical {
        self.read(layout, (state, tags));
        (self.leaves, self.first, self.best) = (0, None, None);
        self.found.clear();
        self.first_way.clear();
        let mut colours = self.own.clone();
        self.refine(&mut colours);
        self.search(layout, (state, tags), &colours, &mut Vec::new());
        let is_exact = self.leaves < MAX_LEAVES;
        labels.clear();
        if let Some((_, best)) = &self.best {
            labels.extend_from_slice(best);
        }
        // Orbit by orbit along the first way: all automorphisms that leave alone what was chosen before.
        let mut automorphisms = Some(1_u128);
        for (depth, chosen) in self.first_way.iter().enumerate() {
            let orbit = self.orbit(*chosen, &self.first_way[..depth]);
            automorphisms = automorphisms.and_then(|all| all.checked_mul(orbit.len() as u128));
        }
        Canonical { automorphisms, is_exact }
    }

    /// Reads the blocks of a state.
    fn read(&mut self, layout: &Layout, (state, tags): (&[u8], &[Vec<u8>])) {
        self.own.clear();
        self.edges.clear();
        self.joints.clear();
        for (block, parts) in layout.blocks.iter().enumerate() {
            let mut own = mix(0, layout.domain_of(block) as u64);
            for tag in layout.processes[block].iter().filter_map(|process| tags.get(*process)) {
                own = mix_bytes(mix(own, tag.len() as u64), tag);
            }
            for (number, part) in (0..).zip(parts) {
                match part {
                    Part::Plain(range) => own = mix_bytes(own, &state[range.clone()]),
                    Part::Reference(reference) => {
                        own = mix(own, word_of(layout, reference, state, Some(block)));
                        if let Named::Block(other, place) = layout.named(reference, state)
                            && other != block
                        {
                            let domain = layout.domain_of(block) as u64;
                            let slot = mix(mix(domain, number), place as u64);
                            self.edges.push((Some(block), slot, other));
                        }
                    }
                }
            }
            self.own.push(own);
        }
        for (number, reference) in (0_u64..).zip(&layout.fixed) {
            if let Named::Block(block, place) = layout.named(reference, state) {
                self.edges.push((None, mix(number, place as u64), block));
            }
        }
        for shared in &layout.shared {
            let (mut word, mut named) = (mix(1, shared.family as u64), None);
            match &shared.reference {
                Some(reference) => {
                    word = mix(word, word_of(layout, reference, state, None));
                    if let Named::Block(block, place) = layout.named(reference, state) {
                        (word, named) = (mix(word, place as u64), Some(block));
                    }
                }
                None => word = mix_bytes(word, &state[shared.at..shared.at + shared.width]),
            }
            self.joints.push((shared.owners.clone(), word, named));
        }
    }

    /// Refines colours until there are no more of them; returns how many there are.
    fn refine(&self, colours: &mut [u64]) -> usize {
        let mut count = distinct(colours);
        loop {
            let old = colours.to_vec();
            let mut sums: Vec<u64> = vec![0; colours.len()];
            let mut add = |block: usize, word: u64| sums[block] = sums[block].wrapping_add(mix(word, 7));
            for (from, slot, to) in &self.edges {
                match from {
                    Some(from) => {
                        add(*to, mix(mix(*slot, 1), old[*from]));
                        add(*from, mix(mix(*slot, 2), old[*to]));
                    }
                    None => add(*to, mix(*slot, 3)),
                }
            }
            for (owners, word, named) in &self.joints {
                let mut all = owners.iter().fold(*word, |word, owner| mix(word, old[*owner]));
                // Which of its own indices a block is, and whether they are the same.
                for (place, owner) in owners.iter().enumerate() {
                    let same = owners.iter().position(|other| other == owner).unwrap_or(place);
                    all = mix(all, same as u64);
                }
                all = mix(all, named.map_or(0, |named| old[named]));
                for (place, owner) in (0..).zip(owners) {
                    add(*owner, mix(all, place + 4));
                }
                if let Some(named) = named {
                    add(*named, mix(all, 99));
                }
            }
            for (colour, sum) in colours.iter_mut().zip(&sums) {
                *colour = mix(*colour, *sum);
            }
            let now = distinct(colours);
            if now == count {
                return now;
            }
            count = now;
        }
    }

    /// Tries all ways to tell blocks of the same colour apart.
    fn search(
        &mut self,
        layout: &Layout,
        tagged: (&[u8], &[Vec<u8>]),
        colours: &[u64],
        way: &mut Vec<usize>,
    ) -> Outcome {
        let Some(cell) = first_cell(layout, colours) else {
            return self.leaf(layout, tagged, colours, way);
        };
        let depth = way.len();
        for (number, block) in cell.iter().enumerate() {
            if self.leaves >= MAX_LEAVES {
                break;
            }
            let tried = &cell[..number];
            if !tried.is_empty() {
                let orbit = self.orbit(*block, way);
                if tried.iter().any(|other| orbit.contains(other)) {
                    continue;
                }
            }
            let mut refined = colours.to_vec();
            refined[*block] = mix(refined[*block], 0x5eed);
            self.refine(&mut refined);
            way.push(*block);
            let outcome = self.search(layout, tagged, &refined, way);
            way.pop();
            if let Outcome::SameAsFirst(back) = outcome
                && back < depth
            {
                return outcome;
            }
        }
        Outcome::Done
    }

    /// All blocks have colours of their own.
    fn leaf(
        &mut self,
        layout: &Layout,
        (state, tags): (&[u8], &[Vec<u8>]),
        colours: &[u64],
        way: &[usize],
    ) -> Outcome {
        self.leaves += 1;
        let mut labels = vec![0; colours.len()];
        for domain in &layout.domains {
            let mut order: Vec<usize> = domain.blocks.clone().collect();
            order.sort_by_key(|block| colours[*block]);
            for (place, block) in order.into_iter().enumerate() {
                labels[block] = domain.blocks.start + place;
            }
        }
        let mut output = std::mem::take(&mut self.room);
        layout.apply(&labels, state, &mut output);
        if !tags.is_empty() {
            append_tags(layout, &labels, tags, &mut output);
        }
        let Some((known, others)) = &self.first else {
            self.first = Some((output.clone(), labels.clone()));
            self.first_way = way.to_vec();
            self.best = Some((output, labels));
            return Outcome::Done;
        };
        if *known == output {
            let automorphism = composed(others, &labels);
            self.found.push(automorphism);
            self.room = output;
            // Where this way left the first one.
            let back = way.iter().zip(&self.first_way).take_while(|(one, other)| one == other);
            return Outcome::SameAsFirst(back.count());
        }
        match &self.best {
            Some((best, others)) if *best == output => {
                let automorphism = composed(others, &labels);
                self.found.push(automorphism);
            }
            Some((best, _)) if output < *best => self.best = Some((output.clone(), labels)),
            _ => {}
        }
        self.room = output;
        Outcome::Done
    }

    /// Returns where automorphisms take a block that leave some others alone.
    fn orbit(&self, block: usize, fixed: &[usize]) -> Vec<usize> {
        let fitting: Vec<&Vec<usize>> = self
            .found
            .iter()
            .filter(|automorphism| fixed.iter().all(|one| automorphism[*one] == *one))
            .collect();
        let mut orbit = vec![block];
        let mut next = 0;
        while let Some(one) = orbit.get(next).copied() {
            next += 1;
            for automorphism in &fitting {
                if !orbit.contains(&automorphism[one]) {
                    orbit.push(automorphism[one]);
                }
            }
        }
        orbit
    }
}

/// Writes what else is known of processes behind a state, in the order in which they come to be.
fn append_tags(layout: &Layout, labels: &[usize], tags: &[Vec<u8>], output: &mut Vec<u8>) {
    let mut from: Vec<usize> = vec![0; labels.len()];
    for (block, label) in labels.iter().enumerate() {
        from[*label] = block;
    }
    for tag in
        from.iter().flat_map(|block| &layout.processes[*block]).filter_map(|process| tags.get(*process))
    {
        output.extend((tag.len() as u16).to_be_bytes());
        output.extend_from_slice(tag);
    }
}

/// Returns what takes each block to the one that has the same label.
fn composed(first: &[usize], second: &[usize]) -> Vec<usize> {
    let mut back = vec![0; first.len()];
    for (block, label) in first.iter().enumerate() {
        back[*label] = block;
    }
    second.iter().map(|label| back[*label]).collect()
}

/// Returns what is the same in all orders of the blocks about a value.
fn word_of(layout: &Layout, reference: &Reference, state: &[u8], own: Option<usize>) -> u64 {
    match layout.named(reference, state) {
        Named::Nothing => 11,
        Named::Other => mix_bytes(12, &state[reference.at..reference.at + reference.width]),
        Named::Block(block, place) if Some(block) == own => mix(13, place as u64),
        Named::Block(_, place) => mix(14, place as u64),
    }
}

fn distinct(colours: &[u64]) -> usize {
    let mut sorted = colours.to_vec();
    sorted.sort_unstable();
    sorted.dedup();
    sorted.len()
}

/// Returns the blocks of the first colour that several of a domain have.
fn first_cell(layout: &Layout, colours: &[u64]) -> Option<Vec<usize>> {
    for domain in &layout.domains {
        let mut order: Vec<usize> = domain.blocks.clone().collect();
        order.sort_by_key(|block| colours[*block]);
        let mut groups = order.chunk_by(|left, right| colours[*left] == colours[*right]);
        if let Some(cell) = groups.find(|group| group.len() > 1) {
            return Some(cell.to_vec());
        }
    }
    None
}
