//! Stands in for `native` where the crate is built without that feature: no system has machine code.

use std::convert::Infallible;
use std::fmt;
use std::marker::PhantomData;

use narrows_model::{Evaluator, Expansion, ProcessSet, Scratch, StateSpace, Violation, Visit};

/// Why there is no machine code for a system.
#[derive(Clone, Debug)]
pub struct Unsupported(());

impl fmt::Display for Unsupported {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("it was left out when this program was built")
    }
}

impl std::error::Error for Unsupported {}

/// A system in machine code: there is none.
#[derive(Debug)]
pub struct Native<'s>(Infallible, PhantomData<Evaluator<'s>>);

impl<'s> Native<'s> {
    /// Refuses.
    pub fn new(_: Evaluator<'s>) -> Result<Self, Unsupported> {
        Err(Unsupported(()))
    }

    /// Returns how many edges are left to the reference evaluator, and how many there are.
    pub fn interpreted(&self) -> (usize, usize) {
        match self.0 {}
    }
}

impl StateSpace for Native<'_> {
    fn hidden_bytes(&self) -> usize {
        match self.0 {}
    }

    fn initial(&self) -> Result<(Vec<u8>, Vec<Violation>), Violation> {
        match self.0 {}
    }

    fn successors(&self, _: &[u8], _: &mut Scratch, _: &mut Visit<'_>) -> Expansion {
        match self.0 {}
    }

    fn successors_of(&self, _: ProcessSet, _: &[u8], _: &mut Scratch, _: &mut Visit<'_>) {
        match self.0 {}
    }

    fn control(&self, _: &[u8], _: &mut Vec<u8>) {
        match self.0 {}
    }

    fn parts(&self, _: &[u8], _: &mut Vec<u32>) {
        match self.0 {}
    }
}
