//! Sets of states that agree in some latches.

/// The states in which some latches have these values, in order.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Cube(pub(crate) Vec<(u32, bool)>);

impl Cube {
    /// Returns whether every state of another set is one of this.
    pub(crate) fn covers(&self, other: &Cube) -> bool {
        if self.0.len() > other.0.len() {
            return false;
        }
        let mut rest = other.0.iter();
        self.0.iter().all(|literal| rest.by_ref().any(|one| one == literal))
    }

    /// Returns the set without one of its conditions.
    pub(crate) fn without(&self, index: usize) -> Cube {
        let mut cube = self.clone();
        cube.0.remove(index);
        cube
    }
}

#[cfg(test)]
mod tests {
    use super::Cube;

    #[test]
    fn fewer_conditions_cover_more() {
        let small = Cube(vec![(1, true), (4, false)]);
        let large = Cube(vec![(1, true), (2, true), (4, false)]);
        assert!(small.covers(&large) && !large.covers(&small));
        assert!(!Cube(vec![(1, false)]).covers(&large));
        assert!(Cube(Vec::new()).covers(&small));
        assert_eq!(large.without(1), small);
    }
}
