//! A GPU as an accelerator of searches state by state.

use std::sync::Mutex;

use narrows_explicit::Accelerator;
use narrows_gpu::{Device, Failure, Limits};
use narrows_model::Refusal;

use crate::Unanswered;

/// The first GPU of this machine.
pub(crate) struct Gpu {
    limits: Limits,
    /// So many states are visited on the processor first; if the GPU can't go on, it does.
    threshold: u64,
    refused: Mutex<Option<String>>,
}

impl Gpu {
    /// Makes sure that there is a GPU, of which so many bytes may be used.
    pub(crate) fn find(memory: Option<u64>) -> Result<Gpu, Unanswered> {
        let limits = Limits { memory };
        match find() {
            Ok(()) => Ok(Gpu { limits, threshold: 0, refused: Mutex::default() }),
            Err(failure) => Err(Refusal::new(format!("`gpu` can't be used here: {failure}")).into()),
        }
    }

    /// Takes a GPU for what turns out to be large, if there is one.
    pub(crate) fn if_there(memory: Option<u64>) -> Option<Gpu> {
        find().ok()?;
        Some(Gpu { limits: Limits { memory }, threshold: LARGE, refused: Mutex::default() })
    }

    /// Returns why the search was not done, if it wasn't.
    pub(crate) fn result(self) -> Result<(), Unanswered> {
        match self.refused.into_inner() {
            Ok(Some(reason)) => Err(Refusal::new(reason).into()),
            _ => Ok(()),
        }
    }
}

impl Accelerator for Gpu {
    fn open(&self) -> Result<Box<dyn Device>, Failure> {
        open(self.limits)
    }

    fn threshold(&self) -> u64 {
        self.threshold
    }

    fn refused(&self, reason: &str) -> bool {
        if let Ok(mut refused) = self.refused.lock() {
            *refused = Some(reason.to_owned());
        }
        self.threshold > 0
    }
}

/// A processor visits so many states in less than a second; to open a GPU takes half of one.
const LARGE: u64 = 1 << 20;

#[cfg(feature = "gpu")]
fn find() -> Result<(), Failure> {
    narrows_gpu::Cuda::find()
}

#[cfg(not(feature = "gpu"))]
fn find() -> Result<(), Failure> {
    Err(Failure::NoDriver("this program was built without the feature `gpu`".to_owned()))
}

#[cfg(feature = "gpu")]
fn open(limits: Limits) -> Result<Box<dyn Device>, Failure> {
    Ok(Box::new(narrows_gpu::Cuda::open(limits)?))
}

#[cfg(not(feature = "gpu"))]
fn open(_: Limits) -> Result<Box<dyn Device>, Failure> {
    find().and(Err(Failure::Full))
}
