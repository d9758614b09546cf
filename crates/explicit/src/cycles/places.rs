//! A number for each state, in pages that are made when they are first needed.

use crate::Full;
use crate::store::Memory;

const PAGE_BITS: u32 = 12;
const PAGE: usize = 1 << PAGE_BITS;

/// A number for each state; 0 until it is set.
#[derive(Debug, Default)]
pub(super) struct Places {
    pages: Vec<Option<Box<[u32; PAGE]>>>,
}

impl Places {
    /// Makes sure that a state's number can be set.
    pub(super) fn reach(&mut self, state: u32, memory: &Memory) -> Result<(), Full> {
        let page = (state >> PAGE_BITS) as usize;
        if page >= self.pages.len() {
            let more = page + 1 - self.pages.len();
            memory.reserve(&mut self.pages, more)?;
            self.pages.resize_with(page + 1, || None);
        }
        if self.pages[page].is_none() {
            memory.claim(PAGE * size_of::<u32>())?;
            self.pages[page] = Some(Box::new([0; PAGE]));
        }
        Ok(())
    }

    pub(super) fn set(&mut self, state: u32, number: u32) {
        if let Some(Some(page)) = self.pages.get_mut((state >> PAGE_BITS) as usize) {
            page[state as usize % PAGE] = number;
        }
    }

    pub(super) fn get(&self, state: u32) -> u32 {
        match self.pages.get((state >> PAGE_BITS) as usize) {
            Some(Some(page)) => page[state as usize % PAGE],
            _ => 0,
        }
    }
}
