//! Strongly connected components (Tarjan 1972), without recursion.

/// The component of each state, as far as states were reached.
pub(super) struct Components {
    /// For each state the number of its component, or [`NONE`] if it was not reached. A component comes after all
    /// those that can be reached from it.
    pub(super) of: Vec<u32>,
    /// How many there are.
    pub(super) count: usize,
    /// The states that were reached, each after all that a depth-first search found behind it.
    pub(super) finished: Vec<u32>,
}

/// No component.
pub(super) const NONE: u32 = u32::MAX;

/// Finds the components of what can be reached from some states.
pub(super) fn components<'a>(
    states: usize,
    roots: impl Iterator<Item = u32>,
    successors: impl Fn(usize) -> &'a [u32],
) -> Components {
    let mut search = Search {
        found: Components { of: vec![NONE; states], count: 0, finished: Vec::new() },
        low: vec![NONE; states],
        open: Vec::new(),
        path: Vec::new(),
        next: 0,
    };
    for root in roots {
        if search.low[root as usize] == NONE {
            search.enter(root);
            search.run(&successors);
        }
    }
    search.found
}

struct Search {
    found: Components,
    /// When a state was first reached, or the earliest such number that it leads back to.
    low: Vec<u32>,
    /// States that have no component yet.
    open: Vec<u32>,
    /// The path of the search: a state, when it was reached, and how many of its successors have been looked at.
    path: Vec<(u32, u32, u32)>,
    next: u32,
}

impl Search {
    fn enter(&mut self, state: u32) {
        self.low[state as usize] = self.next;
        self.path.push((state, self.next, 0));
        self.open.push(state);
        self.next += 1;
    }

    fn run<'a>(&mut self, successors: &impl Fn(usize) -> &'a [u32]) {
        while let Some((state, number, seen)) = self.path.last_mut() {
            let (state, number) = (*state, *number);
            if let Some(target) = successors(state as usize).get(*seen as usize) {
                *seen += 1;
                let target = *target;
                if self.low[target as usize] == NONE {
                    self.enter(target);
                } else if self.found.of[target as usize] == NONE {
                    self.low[state as usize] = self.low[state as usize].min(self.low[target as usize]);
                }
                continue;
            }
            self.path.pop();
            self.found.finished.push(state);
            let low = self.low[state as usize];
            if let Some((parent, _, _)) = self.path.last() {
                self.low[*parent as usize] = self.low[*parent as usize].min(low);
            }
            if low == number {
                self.close(state);
            }
        }
    }

    fn close(&mut self, root: u32) {
        while let Some(state) = self.open.pop() {
            self.found.of[state as usize] = self.found.count as u32;
            if state == root {
                break;
            }
        }
        self.found.count += 1;
    }
}

/// Which components cannot be left.
pub(super) fn bottoms<'a>(found: &Components, successors: impl Fn(usize) -> &'a [u32]) -> Vec<bool> {
    let mut bottom = vec![true; found.count];
    for state in &found.finished {
        let own = found.of[*state as usize];
        if bottom[own as usize] && successors(*state as usize).iter().any(|to| found.of[*to as usize] != own)
        {
            bottom[own as usize] = false;
        }
    }
    bottom
}

#[cfg(test)]
mod tests {
    use super::{NONE, bottoms, components};

    #[test]
    fn components_and_bottoms_are_found() {
        // 0 → 1 ⇄ 2 → 3, 0 → 4 ⇄ 5; 6 is not reached.
        let edges: [&[u32]; 7] = [&[1, 4], &[2], &[1, 3], &[], &[5], &[4], &[0]];
        let found = components(7, std::iter::once(0), |state| edges[state]);
        assert_eq!(found.count, 4);
        assert_eq!(found.of[1], found.of[2]);
        assert_eq!(found.of[4], found.of[5]);
        assert_eq!(found.of[6], NONE);
        assert_eq!(found.finished.last(), Some(&0));
        let bottom = bottoms(&found, |state| edges[state]);
        let is_bottom = |state: usize| bottom[found.of[state] as usize];
        assert!(!is_bottom(0) && !is_bottom(1) && is_bottom(3) && is_bottom(4));
    }
}
