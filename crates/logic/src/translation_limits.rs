//! How large a translation may become.

use thiserror::Error;

/// How much a translation may make before it gives up.
#[derive(Clone, Copy, Debug)]
pub struct TranslationLimits {
    /// The most states that an automaton may have at any time during the translation.
    pub states: usize,
    /// The most combinations of transitions that may be looked at.
    pub work: usize,
}

impl Default for TranslationLimits {
    /// More than formulas written by people need, and done within seconds.
    fn default() -> TranslationLimits {
        TranslationLimits { states: 20_000, work: 8_000_000 }
    }
}

impl TranslationLimits {
    /// For what is not needed but may help.
    pub(crate) fn modest() -> TranslationLimits {
        TranslationLimits { states: 500, work: 200_000 }
    }

    pub(crate) fn spend(&mut self, work: usize) -> Result<(), TooLarge> {
        self.work = self.work.checked_sub(work).ok_or(TooLarge::Work)?;
        Ok(())
    }

    pub(crate) fn check_states(&self, count: usize) -> Result<(), TooLarge> {
        if count > self.states { Err(TooLarge::States(self.states)) } else { Ok(()) }
    }
}

/// Why a formula was not translated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum TooLarge {
    /// There would be more states than this.
    #[error(
        "The automaton of the formula has more than {0} states; a formula with fewer or simpler parts may do."
    )]
    States(usize),
    /// There are too many combinations of transitions.
    #[error(
        "The automaton of the formula has too many transitions; a formula with fewer or simpler parts may do."
    )]
    Work,
}
