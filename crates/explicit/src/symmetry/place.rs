//! Places what belongs to instances in the bytes of states.

use std::sync::Arc;

use narrows_model::{Evaluator, Outline, Scalar};
use rustc_hash::FxHashMap;

use super::analysis::Numbers;
use super::layout::{Domain, Layout, Live, Map, Part, Reference, Shared};
use super::typing::Typing;
use super::unify::Node;
use super::variables::Home;

/// Returns all places of the initial state with the number of a channel, and what they contain.
pub(super) fn channel_places(typing: &Typing<'_>, outline: &Outline) -> Vec<(Node, usize)> {
    let mut places = Vec::new();
    for (variable, elements) in typing.variables.list.iter().zip(&typing.variables.elements) {
        if variable.scalar != Scalar::Channel {
            continue;
        }
        for start in homes(variable.home, outline) {
            places.extend(elements.iter().map(|(offset, _)| (variable.content, start.1 + *offset as usize)));
        }
    }
    places
}

/// Returns where the variables of a home start in a state, and of which process they are.
fn homes(home: Home, outline: &Outline) -> Vec<(Option<usize>, usize)> {
    match home {
        Home::Global => vec![(None, outline.globals)],
        Home::Local(proctype) => (0..)
            .zip(&outline.processes)
            .filter(|(_, process)| usize::from(process.proctype.0) == proctype)
            .map(|(pid, process)| (Some(pid), process.locals))
            .collect(),
    }
}

/// The variable, its process unless that is exchanged too, and the indices but those of owners.
type Family = (usize, Option<usize>, Vec<u32>);

/// Where an element is, and what it is.
struct Element {
    at: usize,
    width: usize,
    owners: Vec<usize>,
    reference: Option<Reference>,
    family: Family,
    /// The number of a channel that it holds at the start.
    channel: Option<usize>,
}

pub(super) struct Placement<'a, 's> {
    typing: &'a Typing<'s>,
    numbers: &'a [Numbers],
    evaluator: &'a Evaluator<'s>,
    base: &'a [u8],
    outline: &'a Outline,
    layout: Layout,
}

impl<'a, 's> Placement<'a, 's> {
    pub(super) fn new(
        typing: &'a Typing<'s>,
        numbers: &'a [Numbers],
        evaluator: &'a Evaluator<'s>,
        base: &'a [u8],
        outline: &'a Outline,
    ) -> Placement<'a, 's> {
        let mut layout = Layout::default();
        for one in numbers {
            let start = layout.blocks.len();
            let mut block_of = Vec::new();
            for is_named in &one.is_named {
                block_of.push((!is_named).then_some(layout.blocks.len()));
                if !is_named {
                    layout.blocks.push(Vec::new());
                }
            }
            layout.domains.push(Domain { blocks: start..layout.blocks.len(), block_of });
        }
        layout.channels = vec![Vec::new(); layout.blocks.len()];
        layout.processes = vec![Vec::new(); layout.blocks.len()];
        layout.block_of_channel = vec![None; outline.channels.len()];
        Placement { typing, numbers, evaluator, base, outline, layout }
    }

    /// Places everything; the error is the class whose instances are not alike at the start.
    pub(super) fn place(mut self) -> Result<Layout, Node> {
        self.processes();
        let mut elements = self.elements();
        self.claim(&elements)?;
        let mut families: FxHashMap<Family, usize> = FxHashMap::default();
        // Elements of a block in the order of the variables and of the indices that are not its own.
        elements.sort_by(|left, right| left.family.cmp(&right.family));
        for element in elements {
            let Element { at, width, owners, reference, family, .. } = element;
            match (&owners[..], reference) {
                ([], Some(reference)) => self.layout.fixed.push(reference),
                ([], None) => {}
                ([block], Some(reference)) => self.layout.blocks[*block].push(Part::Reference(reference)),
                ([block], None) => self.layout.blocks[*block].push(Part::Plain(at..at + width)),
                (_, reference) => {
                    let next = families.len();
                    let family = *families.entry(family).or_insert(next);
                    self.layout.shared_at.insert((family, owners.clone()), self.layout.shared.len());
                    self.layout.shared.push(Shared { at, width, owners, family, reference });
                }
            }
        }
        self.gaps();
        self.messages();
        for (domain, one) in self.layout.domains.iter().zip(self.numbers) {
            let blocks = &mut self.layout.blocks[domain.blocks.clone()];
            if blocks.windows(2).any(|two| !are_alike(&two[0], &two[1])) {
                return Err(one.root);
            }
            let joined: Vec<Vec<Part>> = blocks.iter().map(|parts| join(parts)).collect();
            if joined.windows(2).all(|two| are_alike(&two[0], &two[1])) {
                blocks.clone_from_slice(&joined);
            }
        }
        Ok(self.layout)
    }

    /// Returns the block of a process.
    fn block_of_process(&self, pid: usize) -> Option<usize> {
        let proctype = usize::from(self.outline.processes[pid].proctype.0);
        let domain = self.numbers.iter().position(|one| one.proctypes.contains(&proctype))?;
        self.block(self.typing.pids[proctype], pid as i64)
            .filter(|(found, _)| *found == domain)
            .map(|found| found.1)
    }

    /// Returns the domain of a class and the block that a value of a node is.
    fn block(&self, node: Node, value: i64) -> Option<(usize, usize)> {
        let (root, more) = self.typing.nodes.find(node);
        let domain = self.numbers.iter().position(|one| one.root == root)?;
        let number = usize::try_from(value - more - self.numbers[domain].first).ok()?;
        Some((domain, (*self.layout.domains[domain].block_of.get(number)?)?))
    }

    /// Returns how values of a node name instances.
    fn map(&self, node: Node) -> Option<Map> {
        let (root, more) = self.typing.nodes.find(node);
        if let Some(domain) = self.numbers.iter().position(|one| one.root == root) {
            return Some(Map::Index { domain, first: self.numbers[domain].first + more });
        }
        let class = self.typing.nodes.class(node);
        (class.is_channel && !class.is_rigid).then_some(Map::Channel)
    }

    /// Gives the heads of processes to their blocks.
    fn processes(&mut self) {
        for (pid, process) in self.outline.processes.iter().enumerate() {
            if let Some(block) = self.block_of_process(pid) {
                self.layout.blocks[block].push(Part::Plain(process.start..process.locals));
                self.layout.processes[block].push(pid);
            }
        }
    }

    /// Finds all elements of variables.
    fn elements(&self) -> Vec<Element> {
        let mut found = Vec::new();
        for (number, variable) in self.typing.variables.list.iter().enumerate() {
            let width = variable.scalar.bytes() as usize;
            for (pid, start) in homes(variable.home, self.outline) {
                let own = pid.and_then(|pid| self.block_of_process(pid));
                for (offset, indices) in &self.typing.variables.elements[number] {
                    let at = start + *offset as usize;
                    let mut owners: Vec<usize> = own.into_iter().collect();
                    let mut others = Vec::new();
                    for (index, dimension) in indices.iter().zip(&variable.dimensions) {
                        match self.block(dimension.node, i64::from(*index)) {
                            Some((_, block)) => {
                                owners.push(block);
                                others.push(u32::MAX);
                            }
                            None => others.push(*index),
                        }
                    }
                    let reference = self.map(variable.content).and_then(|map| {
                        let live = self.live(variable.home, pid, *offset)?;
                        Some(Reference { at, width, map, live })
                    });
                    let channel = (variable.scalar == Scalar::Channel && self.base[at] > 0)
                        .then(|| usize::from(self.base[at]) - 1);
                    let fixed = pid.filter(|_| own.is_none());
                    let family = (number, fixed, others);
                    found.push(Element { at, width, owners, reference, family, channel });
                }
            }
        }
        found
    }

    /// Returns when a variable counts; `None` if it never does.
    fn live(&self, home: Home, pid: Option<usize>, offset: u32) -> Option<Live> {
        let system = self.typing.system;
        if !self.evaluator.forgets() {
            return Some(Live::Always);
        }
        let (Home::Local(proctype), Some(pid)) = (home, pid) else {
            let is_unread = system.unread.iter().any(|range| range.contains(&offset));
            return (!is_unread).then_some(Live::Always);
        };
        let kind = &system.proctypes[proctype];
        let mut dead = vec![false; kind.locations.len()];
        let starts = std::iter::once((kind.start, &kind.dead));
        let arrivals = kind.transitions.iter().map(|transition| (transition.target, &transition.dead));
        for (location, ranges) in starts.chain(arrivals) {
            dead[usize::from(location.0)] |= ranges.iter().any(|range| range.contains(&offset));
        }
        if dead.iter().all(|dead| !dead) {
            return Some(Live::Always);
        }
        let location = self.outline.processes[pid].start + 2;
        Some(Live::Unless { location, dead: Arc::from(dead) })
    }

    /// Gives channels to the instances that alone name them.
    fn claim(&mut self, elements: &[Element]) -> Result<(), Node> {
        let mut families: Vec<(&Family, Vec<&Element>)> = Vec::new();
        for element in
            elements.iter().filter(|element| element.channel.is_some() && element.owners.len() == 1)
        {
            match families.iter_mut().find(|(family, _)| **family == element.family) {
                Some((_, list)) => list.push(element),
                None => families.push((&element.family, vec![element])),
            }
        }
        for (_, list) in families {
            let domain = self.layout.domain_of(list[0].owners[0]);
            let channels: Vec<Option<usize>> = list.iter().map(|element| element.channel).collect();
            if channels.windows(2).all(|two| two[0] == two[1]) && list.len() > 1 {
                // All have the same.
                continue;
            }
            let wrong = Err(self.numbers[domain].root);
            let blocks: Vec<usize> = list.iter().map(|element| element.owners[0]).collect();
            if blocks.len() != self.layout.domains[domain].blocks.len() {
                return wrong;
            }
            let known: Vec<Option<(usize, usize)>> =
                channels.iter().flatten().map(|channel| self.layout.block_of_channel[*channel]).collect();
            if known.iter().all(Option::is_some) {
                // They have them already, under another name.
                let mut places = known.iter().flatten().map(|(_, place)| *place);
                let place = places.next();
                let is_same = known.iter().flatten().zip(&blocks).all(|((owner, _), block)| owner == block)
                    && places.all(|other| Some(other) == place);
                if is_same {
                    continue;
                }
                return wrong;
            }
            for (element, block) in list.iter().zip(blocks) {
                let Some(channel) =
                    element.channel.filter(|channel| self.layout.block_of_channel[*channel].is_none())
                else {
                    return wrong;
                };
                if !matches!(element.reference, Some(Reference { map: Map::Channel, .. })) {
                    return wrong;
                }
                self.layout.block_of_channel[channel] = Some((block, self.layout.channels[block].len()));
                self.layout.channels[block].push(channel);
            }
        }
        // What names a channel in a way that renaming can't follow must not see it renamed.
        for element in elements {
            if let Some(channel) = element.channel
                && let Some((block, _)) = self.layout.block_of_channel[channel]
                && element.reference.is_none()
            {
                return Err(self.numbers[self.layout.domain_of(block)].root);
            }
        }
        for domain in &self.layout.domains {
            let counts = self.layout.channels[domain.blocks.clone()].windows(2);
            let kinds = |channels: &[usize]| -> Vec<usize> {
                channels.iter().map(|channel| self.outline.channels[*channel].kind).collect()
            };
            let capacity = |kind: &usize| {
                let kind = &self.typing.system.channel_kinds[*kind];
                (kind.capacity, kind.fields.clone())
            };
            let mut like = counts.map(|two| {
                kinds(&two[0]).iter().map(capacity).eq(kinds(&two[1]).iter().map(capacity))
                    && kinds(&two[0]) == kinds(&two[1])
            });
            if !like.all(|like| like) {
                let one = self.layout.domain_of(domain.blocks.start);
                return Err(self.numbers[one].root);
            }
        }
        Ok(())
    }

    /// Gives bytes of processes that no variable has to their blocks.
    fn gaps(&mut self) {
        for (pid, process) in self.outline.processes.iter().enumerate() {
            let Some(block) = self.block_of_process(pid) else { continue };
            let proctype = usize::from(process.proctype.0);
            let mut is_known = vec![false; self.typing.system.proctypes[proctype].local_bytes as usize];
            for (variable, elements) in self.typing.variables.list.iter().zip(&self.typing.variables.elements)
            {
                if variable.home == Home::Local(proctype) {
                    for (offset, _) in elements {
                        let start = *offset as usize;
                        is_known[start..start + variable.scalar.bytes() as usize].fill(true);
                    }
                }
            }
            for (offset, _) in is_known.iter().enumerate().filter(|(_, known)| !**known) {
                let at = process.locals + offset;
                self.layout.blocks[block].push(Part::Plain(at..at + 1));
            }
        }
    }

    /// Gives channels with their messages to their blocks.
    fn messages(&mut self) {
        let system = self.typing.system;
        let mut fields: Vec<Option<Vec<Node>>> = vec![None; self.outline.channels.len()];
        for (content, at) in channel_places(self.typing, self.outline) {
            if let Some(channel) = usize::from(self.base[at]).checked_sub(1) {
                fields[channel] = Some(self.typing.nodes.class(content).fields.clone());
            }
        }
        let owned = self.layout.channels.iter().enumerate();
        let mut order: Vec<(Option<usize>, usize)> = owned
            .flat_map(|(block, channels)| channels.iter().map(move |channel| (Some(block), *channel)))
            .collect();
        let free =
            (0..self.outline.channels.len()).filter(|one| self.layout.block_of_channel[*one].is_none());
        order.extend(free.map(|channel| (None, channel)));
        for (block, channel) in order {
            let outline = self.outline.channels[channel];
            let kind = &system.channel_kinds[outline.kind];
            let mut parts = vec![Part::Plain(outline.start..outline.start + 4)];
            let mut at = outline.start + 4;
            for place in 0..kind.capacity {
                for (number, field) in kind.fields.iter().enumerate() {
                    let width = field.bytes() as usize;
                    let node = fields[channel].as_ref().and_then(|fields| fields.get(number).copied());
                    let length = outline.start + 2;
                    parts.push(match node.and_then(|node| self.map(node)) {
                        Some(map) => Part::Reference(Reference {
                            at,
                            width,
                            map,
                            live: Live::Message { length, place },
                        }),
                        None => Part::Plain(at..at + width),
                    });
                    at += width;
                }
            }
            match block {
                Some(block) => self.layout.blocks[block].extend(parts),
                None => self.layout.fixed.extend(parts.into_iter().filter_map(|part| match part {
                    Part::Reference(reference) => Some(reference),
                    Part::Plain(_) => None,
                })),
            }
        }
    }
}

/// Returns whether one block has the form of another.
fn are_alike(one: &[Part], other: &[Part]) -> bool {
    one.len() == other.len()
        && one.iter().zip(other).all(|(one, other)| match (one, other) {
            (Part::Plain(one), Part::Plain(other)) => one.len() == other.len(),
            (Part::Reference(one), Part::Reference(other)) => {
                one.width == other.width && one.map == other.map
            }
            _ => false,
        })
}

/// Puts neighbours together.
fn join(parts: &[Part]) -> Vec<Part> {
    let mut joined: Vec<Part> = Vec::new();
    for part in parts {
        match (joined.last_mut(), part) {
            (Some(Part::Plain(last)), Part::Plain(range)) if last.end == range.start => last.end = range.end,
            (_, part) => joined.push(part.clone()),
        }
    }
    joined
}
