//! Labelled systems by tables: a field of a key for each component, and rows for each group of components
//! that may take steps together.
//!
//! A component asks first, as the process that it is: by its value it is known at which gates it can do
//! something, and so in which groups, of those where it is the first member. The other members are looked at
//! one after the other, until one can't take part.

use narrows_gpu::{Key, Outcome, Table, Width};
use narrows_model::{Components, LabelledSystem, Limit, Progress, Violation};
use rustc_hash::{FxHashMap, FxHashSet};

use super::fields::{Field, give_bits};
use super::rows::{Interrupt, Refinement, Rows};
use crate::Budget;
use crate::search::Counts;

/// Adds to a table what it lacks about a labelled system.
pub(super) struct ComponentRows<'a> {
    components: Box<dyn Components + 'a>,
    budget: &'a Budget,
    arrangement: Dictionary,
    /// The components at each place.
    places: Vec<Dictionary>,
    /// Arrangement, place and component of all states that were taken note of.
    noted: FxHashSet<(u32, u16, u32)>,
    states: u64,
    is_fitted: bool,
    is_stale: bool,
    rows: Refinement,
    /// The group of each branch of a fork, with its arrangement; and the other way round.
    owners: FxHashMap<u32, (u32, usize)>,
    branches: FxHashMap<(u32, usize), u32>,
    /// The forks, by arrangement and groups.
    forks: FxHashMap<(u32, Vec<usize>), u32>,
    evaluated: u64,
}

/// Numbers for what occurs in a field.
struct Dictionary {
    field: Field,
    numbers: FxHashMap<u32, u32>,
    values: Vec<u32>,
}

/// Stands for a place that an arrangement does not have.
const ABSENT: u32 = u32::MAX;

impl Dictionary {
    fn new() -> Dictionary {
        let field = Field::for_values(u64::from(u32::MAX));
        Dictionary { field, numbers: FxHashMap::default(), values: Vec::new() }
    }

    /// As long as there is one arrangement, nothing depends on it.
    fn of_arrangements() -> Dictionary {
        let mut dictionary = Dictionary::new();
        dictionary.field.is_structural = true;
        dictionary
    }

    /// Takes note of a value; returns whether it needs more bits than there are.
    fn note(&mut self, value: u32, is_fitted: bool) -> bool {
        let next = self.values.len() as u32;
        if *self.numbers.entry(value).or_insert(next) < next {
            return false;
        }
        self.values.push(value);
        self.field.values += 1;
        self.field.outgrows(is_fitted)
    }

    fn key(&self, value: u32) -> Option<Key> {
        self.numbers.get(&value).map(|number| Key::from(*number) << self.field.shift)
    }

    fn value(&self, key: Key) -> u32 {
        self.values.get(self.field.number(key)).copied().unwrap_or(ABSENT)
    }
}

impl<'a> ComponentRows<'a> {
    /// Prepares it.
    pub(super) fn new(system: &'a dyn LabelledSystem, budget: &'a Budget) -> ComponentRows<'a> {
        ComponentRows {
            components: system.components(),
            budget,
            arrangement: Dictionary::of_arrangements(),
            places: Vec::new(),
            noted: FxHashSet::default(),
            states: 0,
            is_fitted: false,
            is_stale: false,
            rows: Refinement::default(),
            owners: FxHashMap::default(),
            branches: FxHashMap::default(),
            forks: FxHashMap::default(),
            evaluated: 0,
        }
    }

    fn note_parts(&mut self, arrangement: u32, parts: &[u32]) {
        while self.places.len() < parts.len() {
            let mut place = Dictionary::new();
            if self.states > 0 {
                place.note(ABSENT, false);
            }
            self.places.push(place);
            self.is_stale = true;
        }
        self.states += 1;
        self.is_stale |= self.arrangement.note(arrangement, self.is_fitted);
        for (number, place) in self.places.iter_mut().enumerate() {
            let value = parts.get(number).copied().unwrap_or(ABSENT);
            self.is_stale |= place.note(value, self.is_fitted);
            if value != ABSENT && self.noted.insert((arrangement, number as u16, value)) {
                self.components.note(arrangement, number as u16, value);
            }
        }
    }

    /// Returns the key of a state that was taken apart.
    fn key_of(&mut self, arrangement: u32, parts: &[u32]) -> Result<Key, Interrupt> {
        self.note_parts(arrangement, parts);
        if self.is_stale || self.components.is_outdated() {
            return Err(Interrupt::Anew);
        }
        let values = parts.iter().copied().chain(std::iter::repeat(ABSENT));
        let mut key = self.arrangement.key(arrangement).ok_or(Interrupt::Anew)?;
        for (place, value) in self.places.iter().zip(values) {
            key |= place.key(value).ok_or(Interrupt::Anew)?;
        }
        Ok(key)
    }

    /// Returns the state of a key, taken apart.
    fn parts(&self, key: Key) -> (u32, Vec<u32>) {
        let parts = self.places.iter().map(|place| place.value(key)).take_while(|part| *part != ABSENT);
        (self.arrangement.value(key), parts.collect())
    }

    fn mask(&self, place: u16) -> Key {
        self.places[usize::from(place)].field.mask()
    }

    /// Adds what a component does as the first member of groups.
    fn lead(&mut self, node: u32, key: Key, place: u16) -> Result<(), Interrupt> {
        let (arrangement, parts) = self.parts(key);
        let nothing = Outcome::Steps(Vec::new());
        let Some(component) = parts.get(usize::from(place)) else {
            self.rows.note(node, key, &nothing);
            return Ok(());
        };
        let Some(gates) = self.components.gates(*component) else {
            self.rows.note(node, key, &Outcome::Host);
            return Ok(());
        };
        let groups = self.components.groups(arrangement).ok_or(Interrupt::Refused(TOO_MANY_GROUPS))?;
        let its = groups.iter().enumerate().filter(|(_, group)| {
            group.members.first() == Some(&place) && group.gates.iter().any(|gate| gates.contains(gate))
        });
        let its: Vec<usize> = its.map(|(number, _)| number).collect();
        match its.as_slice() {
            [] => self.rows.note(node, key, &nothing),
            [group] => self.follow(node, key, (arrangement, &parts), *group)?,
            several => {
                let mut branches = Vec::new();
                for group in several {
                    branches.push(self.branch((arrangement, *group), place)?);
                }
                let fork = match self.forks.get(&(arrangement, its.clone())) {
                    Some(fork) => *fork,
                    None => {
                        let added = self.rows.table.add_fork(u32::from(place), &branches);
                        let fork = added.ok_or(Limit::Memory)?;
                        self.forks.insert((arrangement, its.clone()), fork);
                        fork
                    }
                };
                self.rows.note(node, key, &Outcome::Fork(fork));
                for (branch, group) in branches.into_iter().zip(its) {
                    self.follow(branch, key, (arrangement, &parts), group)?;
                }
            }
        }
        Ok(())
    }

    /// Returns the branch that is about a group, by its first member.
    fn branch(&mut self, group: (u32, usize), first: u16) -> Result<u32, Interrupt> {
        if let Some(branch) = self.branches.get(&group) {
            return Ok(*branch);
        }
        let branch = self.rows.add_branch(self.arrangement.field.mask() | self.mask(first))?;
        self.branches.insert(group, branch);
        self.owners.insert(branch, group);
        Ok(branch)
    }

    /// Adds what a group does.
    fn follow(
        &mut self,
        mut node: u32,
        key: Key,
        (arrangement, parts): (u32, &[u32]),
        group: usize,
    ) -> Result<(), Interrupt> {
        let groups = self.components.groups(arrangement).ok_or(Interrupt::Refused(TOO_MANY_GROUPS))?;
        let (members, mut gates) = (groups[group].members.clone(), groups[group].gates.clone());
        let mut mask = self.arrangement.field.mask();
        for member in members {
            mask |= self.mask(member);
            node = self.rows.refined(node, key, mask)?;
            let Some(its) = self.components.gates(parts[usize::from(member)]) else {
                self.rows.note(node, key, &Outcome::Host);
                return Ok(());
            };
            gates.retain(|gate| its.contains(gate));
            if gates.is_empty() {
                self.rows.note(node, key, &Outcome::Steps(Vec::new()));
                return Ok(());
            }
        }
        let Some(steps) = self.components.steps(arrangement, parts, group) else {
            self.rows.note(node, key, &Outcome::Host);
            return Ok(());
        };
        let mask = steps.others.iter().fold(mask, |mask, place| mask | self.mask(*place));
        node = self.rows.refined(node, key, mask)?;
        // Where components come and go, every field may change its meaning.
        let outcome = if steps.targets.iter().any(|(target, _)| *target != arrangement) {
            Outcome::Host
        } else {
            let flips = steps.targets.iter().map(|(_, target)| Ok(self.key_of(arrangement, target)? ^ key));
            Outcome::Steps(flips.collect::<Result<_, Interrupt>>()?)
        };
        self.rows.note(node, key, &outcome);
        Ok(())
    }
}

const TOO_MANY_GROUPS: &str = "its components can take steps together in too many ways";

impl Rows for ComponentRows<'_> {
    fn note(&mut self, state: &[u8]) {
        let mut parts = Vec::new();
        let arrangement = self.components.split(state, &mut parts);
        self.note_parts(arrangement, &parts);
    }

    fn fit(&mut self) -> Result<Width, u32> {
        let dictionaries = [&mut self.arrangement].into_iter().chain(&mut self.places);
        let mut fields: Vec<&mut Field> = dictionaries.map(|dictionary| &mut dictionary.field).collect();
        let width = give_bits(&mut fields).ok_or(fields.iter().map(|field| field.needed()).sum::<u32>())?;
        (self.is_fitted, self.is_stale) = (true, false);
        Ok(width)
    }

    fn begin(&mut self, _: &[u8]) {
        let arrangement = self.arrangement.field.mask();
        let roots: Vec<Key> = self.places.iter().map(|place| arrangement | place.field.mask()).collect();
        self.rows = Refinement::new(&roots, 0);
        // Where nothing can move, the host finds out whether that is as it should be.
        self.rows.note(roots.len() as u32, 0, &Outcome::Host);
        self.owners.clear();
        self.branches.clear();
        self.forks.clear();
        self.components.begin();
    }

    fn table(&self) -> &Table {
        &self.rows.table
    }

    fn key(&mut self, state: &[u8]) -> Result<Key, Interrupt> {
        let mut parts = Vec::new();
        let arrangement = self.components.split(state, &mut parts);
        self.key_of(arrangement, &parts)
    }

    fn decode(&self, key: Key, state: &mut Vec<u8>) {
        let (arrangement, parts) = self.parts(key);
        state.clear();
        self.components.join(arrangement, &parts, state);
    }

    fn answer(
        &mut self,
        missing: Vec<(u32, Key)>,
        _: &mut Counts,
        progress: Progress,
    ) -> Result<(), Interrupt> {
        let missing = self.rows.in_order(missing);
        // All that is new is taken note of, before it is clear that keys do not do for it.
        let mut is_anew = false;
        for (number, (node, key)) in missing.into_iter().enumerate() {
            if number % WATCH_ROWS == 0 {
                if self.components.bytes() > self.budget.memory {
                    return Err(Limit::Memory.into());
                }
                if let Some(limit) = self.budget.watch.check(&progress) {
                    return Err(limit.into());
                }
            }
            self.evaluated += 1;
            let root = self.rows.table.root(node);
            let added = match self.owners.get(&root).copied() {
                Some((_, group)) => {
                    let (arrangement, parts) = self.parts(key);
                    self.follow(node, key, (arrangement, &parts), group)
                }
                None => self.lead(node, key, root as u16),
            };
            match added {
                // Groups may have other numbers now.
                Err(Interrupt::Anew) if !self.components.is_outdated() => is_anew = true,
                other => other?,
            }
        }
        if is_anew { Err(Interrupt::Anew) } else { Ok(()) }
    }

    fn evaluated(&self) -> u64 {
        self.evaluated
    }

    fn holds(&self, _: usize, _: &[u8]) -> Result<bool, Violation> {
        // None is asked of these.
        Ok(true)
    }
}

/// After so many rows the watch is asked.
const WATCH_ROWS: usize = 1 << 8;
