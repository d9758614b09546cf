//! The reachable global states of a line, and whether the table is coherent there.
//!
//! A global state is a combination of the states that all caches have the line in. From the first one on,
//! every cache does every access, and with the states goes along who has the latest data: memory or not, each
//! cache or not. One bit each is enough, since every store makes all other copies old. Breadth first, so that
//! what goes wrong is shown by a shortest run. The table must have exactly one row for each combination and
//! access; data must never come from where it is old; and a cache that has the only copy must be alone. Cost:
//! the combinations times caches times rows.

use narrows_source::Span;
use rustc_hash::{FxHashMap, FxHashSet};

use super::protocol::{Access, Holds, Protocol, Row, Source};

/// The most global states that are explored.
const MAX_GLOBAL_STATES: usize = 4096;

/// What an access of a cache does in a combination.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Outcome {
    /// The combination afterwards.
    pub(crate) next: u32,
    /// The number of the transfer.
    pub(crate) transfer: usize,
    /// The caches that the data may come from; if there are none, it is memory, or the own cache for a hit.
    pub(crate) providers: Vec<usize>,
}

/// The reachable global states, with what accesses do there.
#[derive(Clone, Debug)]
pub(crate) struct GlobalStates {
    /// The states of all caches; the first combination is where lines begin.
    pub(crate) combinations: Vec<Vec<u8>>,
    /// By combination, then by cache, then by access.
    outcomes: Vec<Outcome>,
    caches: usize,
}

/// What is wrong with a table.
#[derive(Clone, Debug)]
pub(crate) struct TableError {
    /// What is wrong, in one line.
    pub(crate) title: String,
    /// The kind of problem.
    pub(crate) kind: TableFault,
    /// The row it is about, if there is one, and another.
    pub(crate) rows: Vec<Span>,
    /// A run that shows it, line by line.
    pub(crate) run: Vec<String>,
}

/// What can be wrong with a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TableFault {
    /// No row fits.
    Missing,
    /// Several rows fit.
    Ambiguous,
    /// There are two copies, one of which should be the only one.
    TwoCopies,
    /// Data that is not the latest is used.
    Stale,
    /// There are too many combinations.
    TooMany,
}

/// A global state, and who has the latest data.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Configuration {
    states: Vec<u8>,
    /// Which caches have it, one bit each.
    latest: u64,
    memory: bool,
}

struct Search<'p> {
    protocol: &'p Protocol,
    configurations: Vec<Configuration>,
    known: FxHashSet<Configuration>,
    /// From where, by which cache and access, and by which row.
    parents: Vec<Option<(usize, usize, Access, usize)>>,
}

impl GlobalStates {
    /// Finds all combinations for so many caches.
    ///
    /// # Errors
    ///
    /// Says what is wrong with the table.
    pub(crate) fn explore(protocol: &Protocol, caches: usize) -> Result<GlobalStates, TableError> {
        let too_many = || {
            let title =
                format!("{caches} caches can be in more than {MAX_GLOBAL_STATES} combinations of states");
            TableError { title, kind: TableFault::TooMany, rows: Vec::new(), run: Vec::new() }
        };
        if caches > 64 {
            return Err(too_many());
        }
        let first = Configuration { states: vec![protocol.initial; caches], latest: 0, memory: true };
        let mut search = Search {
            protocol,
            configurations: vec![first.clone()],
            known: std::iter::once(first).collect(),
            parents: vec![None],
        };
        let mut global_states = GlobalStates { combinations: Vec::new(), outcomes: Vec::new(), caches };
        let mut known: FxHashMap<Vec<u8>, u32> = FxHashMap::default();
        let mut at = 0;
        while at < search.configurations.len() {
            let states = search.configurations[at].states.clone();
            if !known.contains_key(&states) {
                known.insert(states.clone(), global_states.combinations.len() as u32);
                global_states.combinations.push(states);
            }
            if global_states.combinations.len() > MAX_GLOBAL_STATES {
                return Err(too_many());
            }
            for cache in 0..caches {
                for access in Access::ALL {
                    search.step(at, cache, access)?;
                }
            }
            at += 1;
        }
        for states in &global_states.combinations {
            for cache in 0..caches {
                for access in Access::ALL {
                    let others = others(states, cache);
                    let Some((_, row)) =
                        protocol.rows_of(access).find(|(_, row)| fits(row, states[cache], others.clone()))
                    else {
                        continue;
                    };
                    let after = after(row, states, cache);
                    let providers = match row.source {
                        Source::Cache(from) => providers(states, cache, from).collect(),
                        _ => Vec::new(),
                    };
                    let next = known.get(&after).copied().unwrap_or(0);
                    global_states.outcomes.push(Outcome { next, transfer: row.transfer, providers });
                }
            }
        }
        Ok(global_states)
    }

    /// Returns what an access of a cache does in a combination.
    pub(crate) fn outcome(&self, combination: usize, cache: usize, access: Access) -> &Outcome {
        let accesses = Access::ALL.len();
        &self.outcomes[(combination * self.caches + cache) * accesses + access as usize]
    }
}

fn others(states: &[u8], cache: usize) -> impl Iterator<Item = u8> + Clone {
    states.iter().enumerate().filter(move |(other, _)| *other != cache).map(|(_, state)| *state)
}

fn fits(row: &Row, own: u8, others: impl Iterator<Item = u8> + Clone) -> bool {
    row.own >> own & 1 == 1 && row.others.fit(others)
}

fn providers(states: &[u8], cache: usize, from: u32) -> impl Iterator<Item = usize> {
    let is_provider = move |(other, state): &(usize, &u8)| *other != cache && from >> **state & 1 == 1;
    states.iter().enumerate().filter(is_provider).map(|(other, _)| other)
}

fn after(row: &Row, states: &[u8], cache: usize) -> Vec<u8> {
    let next = |(other, state): (usize, &u8)| {
        if other == cache { row.becomes.unwrap_or(*state) } else { row.others_become[usize::from(*state)] }
    };
    states.iter().enumerate().map(next).collect()
}

impl Search<'_> {
    fn step(&mut self, at: usize, cache: usize, access: Access) -> Result<(), TableError> {
        let before = self.configurations[at].clone();
        let others = others(&before.states, cache);
        let own = before.states[cache];
        let fitting: Vec<(usize, &Row)> =
            self.protocol.rows_of(access).filter(|(_, row)| fits(row, own, others.clone())).collect();
        let shown = self.protocol.show(&before.states);
        let says = format!("a {} of P{cache} when the caches are in {shown}", access.name());
        let (number, row) = match fitting[..] {
            [one] => one,
            [] => {
                let title = format!("the table has no row for {says}");
                return Err(self.broken(TableFault::Missing, title, Vec::new(), at));
            }
            [(_, first), (_, second), ..] => {
                let title = format!("the table has several rows for {says}");
                return Err(self.broken(TableFault::Ambiguous, title, vec![first.span, second.span], at));
            }
        };
        let is_latest = match row.source {
            Source::Own => before.latest >> cache & 1 == 1 && self.holds(own) != Holds::Nothing,
            Source::Memory => before.memory,
            Source::Cache(from) => {
                let mut any = false;
                let mut all = true;
                for other in providers(&before.states, cache, from) {
                    any = true;
                    all &=
                        before.latest >> other & 1 == 1 && self.holds(before.states[other]) != Holds::Nothing;
                }
                any && all
            }
        };
        let after = self.follow(&before, cache, access, row);
        let next = after.states.clone();
        if !is_latest {
            let from = match row.source {
                Source::Own => "its own copy, which is old",
                Source::Memory => "memory, where the data is old",
                Source::Cache(_) => "a cache that does not have the latest data",
            };
            let title = format!("P{cache} {} what comes from {from}", access.verb());
            let mut broken = self.broken(TableFault::Stale, title, vec![row.span], at);
            broken.run.push(self.line(&before, cache, access, row, &next));
            return Err(broken);
        }
        let copies = next.iter().filter(|state| self.holds(**state) != Holds::Nothing).count();
        let only = next.iter().position(|state| self.holds(*state) == Holds::Exclusive);
        if let Some(owner) = only.filter(|_| copies > 1) {
            let name = &self.protocol.states[usize::from(next[owner])].name;
            let title = format!("P{owner} is in {name}, which is for the only copy, and there are {copies}");
            let mut broken = self.broken(TableFault::TwoCopies, title, vec![row.span], at);
            broken.run.push(self.line(&before, cache, access, row, &next));
            return Err(broken);
        }
        if !self.known.contains(&after) {
            self.known.insert(after.clone());
            self.configurations.push(after);
            self.parents.push(Some((at, cache, access, number)));
        }
        Ok(())
    }

    fn holds(&self, state: u8) -> Holds {
        self.protocol.states[usize::from(state)].holds
    }

    /// Returns the configuration after an access.
    fn follow(&self, before: &Configuration, cache: usize, access: Access, row: &Row) -> Configuration {
        let states = after(row, &before.states, cache);
        let mut latest = before.latest | 1 << cache;
        let mut memory = before.memory || row.write_back;
        if access != Access::Load {
            latest = if row.update { before.latest | 1 << cache } else { 1 << cache };
            memory = row.update;
        }
        for (other, state) in states.iter().enumerate() {
            // Whoever had no copy and did not ask for one has none with the latest data.
            let had = self.holds(before.states[other]) != Holds::Nothing || other == cache;
            if self.holds(*state) == Holds::Nothing || !had {
                latest &= !(1 << other);
            }
        }
        Configuration { states, latest, memory }
    }

    /// Writes one access of a run.
    fn line(&self, before: &Configuration, cache: usize, access: Access, row: &Row, next: &[u8]) -> String {
        let transfer = &self.protocol.transfers[row.transfer];
        let (from, to) = (self.protocol.show(&before.states), self.protocol.show(next));
        format!("P{cache} {}: {from} → {to}, {transfer}", access.verb())
    }

    /// Puts together what is wrong, with the run to a configuration.
    fn broken(&self, kind: TableFault, title: String, rows: Vec<Span>, mut at: usize) -> TableError {
        let mut run = Vec::new();
        while let Some((from, cache, access, row)) = self.parents[at] {
            let row = &self.protocol.rows[row];
            let next = &self.configurations[at].states;
            run.push(self.line(&self.configurations[from], cache, access, row, next));
            at = from;
        }
        run.reverse();
        TableError { title, kind, rows, run }
    }
}
