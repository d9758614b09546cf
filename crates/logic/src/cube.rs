//! Conjunctions of atoms and negated atoms, and lists of them read as disjunctions.

use narrows_graph::BitSet;

/// After so many cases, or fewer with many cubes, covering is not looked into further.
const MAX_CASES: usize = 200;

/// With more cubes than this, a disjunction is not minimised.
const MAX_CUBES: usize = 150;

/// A conjunction of atoms and negated atoms, which are numbers here.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Cube {
    /// The atoms that hold.
    pub positive: BitSet,
    /// The atoms that do not hold.
    pub negative: BitSet,
}

impl Cube {
    /// One atom, or its negation.
    pub fn literal(atom: usize, holds: bool) -> Cube {
        let (set, empty) = (BitSet::of(atom), BitSet::default());
        if holds { Cube { positive: set, negative: empty } } else { Cube { positive: empty, negative: set } }
    }

    /// The atoms with their values, in ascending order of the atoms.
    pub fn literals(&self) -> impl Iterator<Item = (usize, bool)> + '_ {
        let atoms = self.positive.union(&self.negative);
        atoms.iter().collect::<Vec<_>>().into_iter().map(|atom| (atom, self.positive.contains(atom)))
    }

    /// Whether it demands nothing.
    pub fn is_true(&self) -> bool {
        self.positive.is_empty() && self.negative.is_empty()
    }

    /// Whether it holds when atoms have the given values.
    pub fn holds(&self, mut value: impl FnMut(usize) -> bool) -> bool {
        self.positive.iter().all(&mut value) && !self.negative.iter().any(value)
    }

    /// Both conjunctions together; `None` if they contradict each other.
    pub fn and(&self, other: &Cube) -> Option<Cube> {
        self.is_compatible(other).then(|| Cube {
            positive: self.positive.union(&other.positive),
            negative: self.negative.union(&other.negative),
        })
    }

    /// Whether both can hold at once.
    pub fn is_compatible(&self, other: &Cube) -> bool {
        !self.positive.meets(&other.negative) && !self.negative.meets(&other.positive)
    }

    /// Whether the other holds whenever this one does.
    pub fn implies(&self, other: &Cube) -> bool {
        other.positive.is_subset(&self.positive) && other.negative.is_subset(&self.negative)
    }

    /// How many atoms it looks at.
    pub(crate) fn len(&self) -> usize {
        self.positive.len() + self.negative.len()
    }

    fn without(&self, atom: usize) -> Cube {
        let mut cube = self.clone();
        cube.positive.remove(atom);
        cube.negative.remove(atom);
        cube
    }

    /// The conjunction of two that together make up one: `a && b || a && !b` is `a`.
    fn merged(&self, other: &Cube) -> Option<Cube> {
        let mut clash = self
            .positive
            .intersection(&other.negative)
            .iter()
            .chain(self.negative.intersection(&other.positive).iter().collect::<Vec<_>>())
            .collect::<Vec<_>>()
            .into_iter();
        let atom = clash.next()?;
        if clash.next().is_some() {
            return None;
        }
        let (mine, theirs) = (self.without(atom), other.without(atom));
        if mine.implies(&theirs) {
            Some(mine)
        } else if theirs.implies(&mine) {
            Some(theirs)
        } else {
            None
        }
    }
}

/// Whether one of the others holds whenever `cube` does.
///
/// In general that takes time exponential in the atoms: after [`MAX_CASES`] cases the answer is `false`, so
/// that only `true` can be relied on.
pub(crate) fn is_covered(cube: &Cube, others: &[&Cube]) -> bool {
    let mut cases = (20 * MAX_CASES / others.len().max(1)).min(MAX_CASES);
    is_covered_within(cube, others, &mut cases)
}

fn is_covered_within(cube: &Cube, others: &[&Cube], cases: &mut usize) -> bool {
    if others.iter().any(|other| cube.implies(other)) {
        return true;
    }
    if others.len() < 2 || *cases == 0 {
        return false;
    }
    *cases -= 1;
    let relevant: Vec<&Cube> = others.iter().copied().filter(|other| cube.is_compatible(other)).collect();
    // Split on an atom that some other cube looks at and this one does not.
    let free = relevant.first().and_then(|other| {
        let open = |atom: &usize| !cube.positive.contains(*atom) && !cube.negative.contains(*atom);
        other.literals().map(|(atom, _)| atom).find(open)
    });
    let Some(atom) = free else { return false };
    [true, false].into_iter().all(|value| {
        cube.and(&Cube::literal(atom, value)).is_none_or(|half| is_covered_within(&half, &relevant, cases))
    })
}

/// Without cubes that imply another one.
fn absorbed(mut cubes: Vec<Cube>) -> Vec<Cube> {
    cubes.sort_by_cached_key(|cube| (cube.len(), cube.clone()));
    let mut kept: Vec<Cube> = Vec::new();
    for cube in cubes {
        if !kept.iter().any(|other| cube.implies(other)) {
            kept.push(cube);
        }
    }
    kept
}

/// Writes a disjunction with fewer and shorter cubes, sorted. If there are very many, little is tried.
pub(crate) fn minimised(cubes: Vec<Cube>) -> Vec<Cube> {
    let mut cubes = absorbed(cubes);
    if cubes.len() > MAX_CUBES {
        cubes.sort();
        return cubes;
    }
    loop {
        cubes.sort();
        cubes.dedup();
        let mut found = None;
        'search: for (index, one) in cubes.iter().enumerate() {
            for (other_index, other) in cubes.iter().enumerate() {
                if index != other_index && one.implies(other) {
                    found = Some((index, other.clone()));
                    break 'search;
                }
                if let Some(merged) = one.merged(other) {
                    // Only the one that becomes shorter is replaced.
                    if one.len() > merged.len() && one.implies(&merged) {
                        found = Some((index, merged));
                        break 'search;
                    }
                }
            }
        }
        match found {
            Some((index, replacement)) => cubes[index] = replacement,
            None => break,
        }
    }
    let mut index = 0;
    while index < cubes.len() && cubes.len() <= MAX_CUBES / 3 {
        let others: Vec<&Cube> =
            cubes.iter().enumerate().filter(|(other, _)| *other != index).map(|(_, cube)| cube).collect();
        if is_covered(&cubes[index], &others) {
            cubes.remove(index);
        } else {
            index += 1;
        }
    }
    cubes
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cube(literals: &[i32]) -> Cube {
        literals.iter().fold(Cube::default(), |cube, &literal| {
            cube.and(&Cube::literal(literal.unsigned_abs() as usize, literal > 0)).expect("no contradiction")
        })
    }

    #[test]
    fn a_disjunction_is_minimised() {
        assert_eq!(minimised(vec![cube(&[1, 2]), cube(&[1, -2])]), [cube(&[1])]);
        assert_eq!(minimised(vec![cube(&[1]), cube(&[-1])]), [cube(&[])]);
        assert_eq!(minimised(vec![cube(&[1]), cube(&[-1, 2])]), minimised(vec![cube(&[1]), cube(&[2])]));
        assert_eq!(minimised(vec![cube(&[1, 2]), cube(&[-1, 3]), cube(&[2, 3])]).len(), 2);
    }

    #[test]
    fn covering_takes_several_cubes() {
        let (both, neither) = (cube(&[1, 2]), cube(&[-2]));
        assert!(is_covered(&cube(&[1]), &[&both, &neither]));
        assert!(!is_covered(&cube(&[3]), &[&both, &neither]));
    }
}
