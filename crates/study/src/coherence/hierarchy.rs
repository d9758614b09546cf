//! The memory hierarchy under a model, and what an access does to it: how the global state of its line
//! changes, and which transfer the process waits for.

use narrows_model::{Area, Binary, Expr, Place, Scalar, Statement};
use narrows_source::Span;

use super::expressions::{constant, load, select};
use super::global_states::GlobalStates;
use super::memory::{LineRef, Memory};
use super::protocol::{Access, Protocol};

/// Caches, lines and the protocol: all that is the same for every process.
#[derive(Clone, Debug)]
pub(crate) struct Hierarchy {
    pub(crate) memory: Memory,
    pub(crate) protocol: Protocol,
    pub(crate) global_states: GlobalStates,
    /// The first byte of the states of lines among the global variables.
    pub(crate) cells: u32,
    /// How the combination of a line is stored; it is counted from 1.
    pub(crate) cell: Scalar,
    /// How many phases an access has.
    pub(crate) phases: u32,
}

/// Local variables of a process that the steps of its accesses use.
#[derive(Clone, Debug)]
pub(super) struct TransferLocals {
    /// The transfer that goes on: its number, counted from 1; 0 if there is none.
    pub(super) transfer: Place,
    /// The line it is about.
    pub(super) line: Place,
}

/// A transfer over a distance.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Transfer {
    /// The number of the transfer in the table.
    pub(crate) kind: usize,
    /// How far the data comes from.
    pub(crate) distance: usize,
}

impl Hierarchy {
    /// Returns the number of a transfer as states have it.
    pub(crate) fn transfer_number(&self, transfer: Transfer) -> i32 {
        let distances = self.memory.farthest() + 1;
        if transfer.kind == 0 { 1 } else { (2 + (transfer.kind - 1) * distances + transfer.distance) as i32 }
    }

    /// Returns all transfers, in order of their numbers.
    pub(crate) fn transfers(&self) -> Vec<Transfer> {
        let distances = self.memory.farthest() + 1;
        let misses = (1..self.protocol.transfers.len())
            .flat_map(|kind| (0..distances).map(move |distance| Transfer { kind, distance }));
        std::iter::once(Transfer { kind: 0, distance: 0 }).chain(misses).collect()
    }

    /// Returns the transfers that an access may need, over all global states, caches and lines.
    pub(super) fn possible(&self, caches: &[usize], access: Access, lines: &[u32]) -> Vec<Transfer> {
        let mut transfers = Vec::new();
        for cache in caches {
            for combination in 0..self.global_states.combinations.len() {
                for line in lines {
                    transfers.push(self.transfer(combination, *cache, access, *line));
                }
            }
        }
        transfers.sort_unstable();
        transfers.dedup();
        transfers
    }

    fn transfer(&self, combination: usize, cache: usize, access: Access, line: u32) -> Transfer {
        let outcome = self.global_states.outcome(combination, cache, access);
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
        Transfer { kind: outcome.transfer, distance }
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
                let next = self.global_states.outcome(combination, cache, access).next;
                (combination as i32 + 1, constant(next as i32 + 1))
            };
            select(&state, &(0..self.global_states.combinations.len()).map(of).collect::<Vec<_>>())
        });
        Statement::Assign(cell, next)
    }

    /// Returns what happens when an access begins, but for the access itself.
    pub(super) fn begin(
        &self,
        caches: &[usize],
        access: Access,
        found: &LineRef,
        locals: &TransferLocals,
    ) -> Vec<Statement> {
        let mut steps = Vec::new();
        let line = match found.line.constant() {
            Some(_) => found.line.clone(),
            None => {
                steps.push(Statement::Assign(locals.line.clone(), found.line.clone()));
                load(&locals.line)
            }
        };
        let state = load(&self.cell(line.clone()));
        let number = |combination: usize, cache: usize, line: u32| {
            constant(self.transfer_number(self.transfer(combination, cache, access, line)))
        };
        let transfer = self.by_cache(caches, |cache| {
            let of = |combination: usize| {
                let by_line: Vec<(i32, Expr)> = found
                    .lines
                    .iter()
                    .map(|line| (*line as i32, number(combination, cache, *line)))
                    .collect();
                (combination as i32 + 1, select(&line, &by_line))
            };
            select(&state, &(0..self.global_states.combinations.len()).map(of).collect::<Vec<_>>())
        });
        steps.push(Statement::Assign(locals.transfer.clone(), transfer));
        if self.phases == 1 {
            steps.push(self.update(caches, access, &line));
        }
        steps
    }

    /// Returns whether a transfer goes on.
    pub(super) fn goes(&self, transfer: Transfer, locals: &TransferLocals) -> Expr {
        super::expressions::binary(
            Binary::Equal,
            load(&locals.transfer),
            constant(self.transfer_number(transfer)),
        )
    }
}

/// Returns how the line is forgotten, if it was noted.
pub(super) fn forget(found: &LineRef, locals: &TransferLocals) -> Option<Statement> {
    found.line.constant().is_none().then(|| Statement::Assign(locals.line.clone(), constant(0)))
}
