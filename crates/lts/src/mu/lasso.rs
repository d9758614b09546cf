//! Short ways to an end or into a cycle.
//!
//! Where a greatest fixpoint holds, or a least one does not, any reasons will do, and they may go round for
//! ever. Breadth first, the nearest pair is found that ends the reasons, or that leads back to one before it.

use rustc_hash::FxHashMap;

use super::equations::Variable;
use super::evidence::{Because, Reason, Reasons};

/// The most pairs that are visited.
const MAX_PAIRS: usize = 50_000;

type Pair = (Variable, u32);

impl Reasons<'_, '_> {
    /// Returns the reasons on a short way from a pair, none if there is no short way; `None` if not any
    /// reasons will do.
    pub(super) fn short_way(&self, variable: Variable, state: u32) -> Option<Vec<Reason>> {
        self.is_free((variable, state)).then(|| self.shortest(variable, state))
    }

    fn shortest(&self, variable: Variable, state: u32) -> Vec<Reason> {
        // The pairs in the order they are found; with each, the place of the one before it and the reason
        // that led here.
        let mut found: Vec<(Pair, usize, Option<Reason>)> = vec![((variable, state), 0, None)];
        let mut places: FxHashMap<Pair, usize> = FxHashMap::from_iter([((variable, state), 0)]);
        let mut next = 0;
        while next < found.len() && found.len() < MAX_PAIRS {
            let (pair, _, _) = found[next];
            let reasons = match self.because(pair.0, pair.1) {
                Because::Any(reasons) => reasons,
                Because::All(reasons) if reasons.is_empty() => return way(&found, next, None),
                Because::All(reasons) if reasons.len() == 1 => reasons,
                // Several runs would be needed here.
                Because::All(_) => Vec::new(),
            };
            for reason in reasons {
                let target = (reason.variable, reason.state);
                if !self.is_free(target) || self.group(target) != self.group(pair) {
                    return way(&found, next, Some(reason));
                }
                match places.get(&target) {
                    Some(place) if is_before(&found, *place, next) => return way(&found, next, Some(reason)),
                    Some(_) => {}
                    None => {
                        places.insert(target, found.len());
                        found.push((target, next, Some(reason)));
                    }
                }
            }
            next += 1;
        }
        Vec::new()
    }

    fn group(&self, pair: Pair) -> u32 {
        self.solution.groups[pair.0 as usize]
    }

    /// Returns whether a pair depends on itself and has its value for any reasons.
    fn is_free(&self, pair: Pair) -> bool {
        self.solution.ranks[pair.0 as usize].get(pair.1 as usize) == Some(&0)
    }
}

/// Returns whether a pair is on the way to another.
fn is_before(found: &[(Pair, usize, Option<Reason>)], place: usize, mut of: usize) -> bool {
    while of > place {
        of = found[of].1;
    }
    of == place
}

/// Returns the reasons on the way to a pair, and one more.
fn way(found: &[(Pair, usize, Option<Reason>)], mut place: usize, last: Option<Reason>) -> Vec<Reason> {
    let mut reasons: Vec<Reason> = last.into_iter().collect();
    while let (_, before, Some(reason)) = found[place] {
        reasons.push(reason);
        place = before;
    }
    reasons.reverse();
    reasons
}
