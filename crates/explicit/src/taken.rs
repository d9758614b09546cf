//! Which transitions of each kind of process were taken.

use narrows_model::Move;

/// For each kind of process, whether each of its transitions was taken; those never seen may be missing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Taken(pub Vec<Vec<bool>>);

impl Taken {
    /// Remembers that transitions were taken.
    pub fn mark(&mut self, moves: &[Move]) {
        for step in moves {
            let (proctype, transition) = (usize::from(step.proctype.0), step.transition.0 as usize);
            match self.0.get_mut(proctype).and_then(|taken| taken.get_mut(transition)) {
                Some(taken) => *taken = true,
                None => self.mark_first(proctype, transition),
            }
        }
    }

    fn mark_first(&mut self, proctype: usize, transition: usize) {
        if self.0.len() <= proctype {
            self.0.resize_with(proctype + 1, Vec::new);
        }
        let taken = &mut self.0[proctype];
        if taken.len() <= transition {
            taken.resize(transition + 1, false);
        }
        taken[transition] = true;
    }

    /// Adds what another has seen.
    pub fn absorb(&mut self, other: &Taken) {
        for (proctype, taken) in other.0.iter().enumerate() {
            for (transition, _) in taken.iter().enumerate().filter(|(_, taken)| **taken) {
                self.mark_first(proctype, transition);
            }
        }
    }
}
