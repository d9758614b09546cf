//! The steps of an access: what happens to the caches when it begins, and the wait for its transfer.

use narrows_model::{Area, Binary, Expr, Place, Scalar, Statement};
use narrows_source::Span;

use super::joint::Joint;
use super::memory::{Found, Memory};
use super::protocol::{Access, Protocol};
use super::tree::{constant, load, select};

/// Everything that is the same for all processes.
#[derive(Clone, Debug)]
pub(crate) struct CacheSystem {
    pub(crate) memory: Memory,
    pub(crate) protocol: Protocol,
    pub(crate) joint: Joint,
    /// The first byte of the states of lines among the global variables.
    pub(crate) cells: u32,
    /// How the combination of a line is stored; it is counted from 1.
    pub(crate) cell: Scalar,
    /// How many phases an access has.
    pub(crate) phases: u32,
}

/// Variables of a process that the steps of its accesses use.
#[derive(Clone, Debug)]
pub(super) struct Own {
    /// The transfer that goes on: its number, counted from 1; 0 if there is none.
    pub(super) transfer: Place,
    /// The line it is about.
    pub(super) line: Place,
}

/// A transfer over a distance.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Way {
    /// The number of the transfer in the table.
    pub(crate) transfer: usize,
    /// How far the data comes from.
    pub(crate) distance: usize,
}

impl CacheSystem {
    /// Returns the number of a way as the state has it.
    pub(crate) fn way_number(&self, way: Way) -> i32 {
        let distances = self.memory.farthest() + 1;
        if way.transfer == 0 { 1 } else { (2 + (way.transfer - 1) * distances + way.distance) as i32 }
    }

    /// Returns all ways, in order of their numbers.
    pub(crate) fn ways(&self) -> Vec<Way> {
        let distances = self.memory.farthest() + 1;
        let misses = (1..self.protocol.transfers.len())
            .flat_map(|transfer| (0..distances).map(move |distance| Way { transfer, distance }));
        std::iter::once(Way { transfer: 0, distance: 0 }).chain(misses).collect()
    }

    /// Returns the ways that an access may go, over all combinations, caches and lines.
    pub(super) fn possible(&self, caches: &[usize], access: Access, lines: &[u32]) -> Vec<Way> {
        let mut ways = Vec::new();
        for cache in caches {
            for combination in 0..self.joint.combinations.len() {
                for line in lines {
                    ways.push(self.way(combination, *cache, access, *line));
                }
            }
        }
        ways.sort_unstable();
        ways.dedup();
        ways
    }

    fn way(&self, combination: usize, cache: usize, access: Access, line: u32) -> Way {
        let outcome = self.joint.outcome(combination, cache, access);
        let own = self.memory.caches[cache].node;
        let to = |other: &usize| self.memory.distance(own, self.memory.caches[*other].node);
        let distance = match outcome.transfer {
            0 => 0,
            _ => outcome
                .providers
                .iter()
                .map(to)
                .min()
                .unwrap_or_else(|| self.memory.distance(own, self.memory.home_of(line))),
        };
        Way { transfer: outcome.transfer, distance }
    }

    /// Returns where the combination of a line is.
    fn cell(&self, line: Expr) -> Place {
        let (offset, indices) = match line.constant() {
            Some(line) => (self.cells + line as u32 * self.cell.bytes(), Vec::new()),
            None => {
                let mut index = self.memory.index(line);
                index.stride = self.cell.bytes();
                (self.cells, vec![index])
            }
        };
        Place { area: Area::Global, offset, indices, scalar: self.cell, span: Span::default() }
    }

    /// Looks something up by the cache of the process that runs.
    fn by_cache(&self, caches: &[usize], value: impl Fn(usize) -> Expr) -> Expr {
        let of = |cache: &usize| (self.memory.caches[*cache].pid as i32, value(*cache));
        let table: Vec<(i32, Expr)> = caches.iter().map(of).collect();
        select(&Expr::Pid, &table)
    }

    /// Returns what the combination of a line becomes.
    pub(super) fn update(&self, caches: &[usize], access: Access, line: &Expr) -> Statement {
        let cell = self.cell(line.clone());
        let state = load(&cell);
        let next = self.by_cache(caches, |cache| {
            let of = |combination: usize| {
                let next = self.joint.outcome(combination, cache, access).next;
                (combination as i32 + 1, constant(next as i32 + 1))
            };
            select(&state, &(0..self.joint.combinations.len()).map(of).collect::<Vec<_>>())
        });
        Statement::Assign(cell, next)
    }

    /// Returns what happens when an access begins, but for the access itself.
    pub(super) fn begin(&self, caches: &[usize], access: Access, found: &Found, own: &Own) -> Vec<Statement> {
        let mut steps = Vec::new();
        let line = match found.line.constant() {
            Some(_) => found.line.clone(),
            None => {
                steps.push(Statement::Assign(own.line.clone(), found.line.clone()));
                load(&own.line)
            }
        };
        let state = load(&self.cell(line.clone()));
        let number = |combination: usize, cache: usize, line: u32| {
            constant(self.way_number(self.way(combination, cache, access, line)))
        };
        let way = self.by_cache(caches, |cache| {
            let of = |combination: usize| {
                let by_line: Vec<(i32, Expr)> = found
                    .lines
                    .iter()
                    .map(|line| (*line as i32, number(combination, cache, *line)))
                    .collect();
                (combination as i32 + 1, select(&line, &by_line))
            };
            select(&state, &(0..self.joint.combinations.len()).map(of).collect::<Vec<_>>())
        });
        steps.push(Statement::Assign(own.transfer.clone(), way));
        if self.phases == 1 {
            steps.push(self.update(caches, access, &line));
        }
        steps
    }

    /// Returns whether a transfer goes on in a way.
    pub(super) fn goes(&self, way: Way, own: &Own) -> Expr {
        super::tree::binary(Binary::Equal, load(&own.transfer), constant(self.way_number(way)))
    }
}

/// Returns how the line is forgotten, if it was noted.
pub(super) fn forget(found: &Found, own: &Own) -> Option<Statement> {
    found.line.constant().is_none().then(|| Statement::Assign(own.line.clone(), constant(0)))
}
