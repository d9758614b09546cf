//! What steps need, remembered: a process that can do the same things in the same way needs the same.

use narrows_model::ProcessSet;
use rustc_hash::FxHashMap;

use super::footprint::Need;
use super::instances::Future;

/// When there are so many, all are forgotten.
const MAX_NEEDS: usize = 1 << 16;

/// What steps needed wherever they were met.
#[derive(Default)]
pub(super) struct Needs {
    list: Vec<Remembered>,
    numbers: FxHashMap<Box<[u32]>, usize>,
    signature: Vec<u32>,
}

struct Remembered {
    need: Need,
    /// Whether one of the steps can be seen.
    visible: bool,
    /// For each future, whether it belongs to the need, as far as that was asked.
    includes: Vec<Option<bool>>,
}

impl Needs {
    /// Returns an empty list, to write down what decides about the need.
    pub(super) fn signature(&mut self) -> &mut Vec<u32> {
        self.signature.clear();
        &mut self.signature
    }

    /// Returns the number of the need with the signature that was written down; finds it out if it is new.
    pub(super) fn find(&mut self, find_out: impl FnOnce() -> (Need, bool)) -> usize {
        if let Some(number) = self.numbers.get(self.signature.as_slice()) {
            return *number;
        }
        if self.list.len() == MAX_NEEDS {
            self.list.clear();
            self.numbers.clear();
        }
        let (need, visible) = find_out();
        let number = self.list.len();
        self.list.push(Remembered { need, visible, includes: Vec::new() });
        self.numbers.insert(self.signature.as_slice().into(), number);
        number
    }

    /// Returns whether the steps can't be chosen without all others.
    pub(super) fn is_stuck(&self, number: usize) -> bool {
        let Remembered { need, visible, .. } = &self.list[number];
        *visible || need.touched.anything
    }

    /// Returns the processes that take part in any case.
    pub(super) fn with(&self, number: usize) -> ProcessSet {
        self.list[number].need.with
    }

    /// Returns whether a process with this future belongs to it.
    pub(super) fn includes(&mut self, number: usize, future: &Future) -> bool {
        let Remembered { need, includes, .. } = &mut self.list[number];
        if let Some(Some(known)) = includes.get(future.number) {
            return *known;
        }
        if includes.len() <= future.number {
            includes.resize(future.number + 1, None);
        }
        *includes[future.number].insert(need.includes(&future.does))
    }
}
