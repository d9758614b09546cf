//! The variables of a system, with their arrays put together: `m[2].header` is the element 2 of `m[].header`.

use narrows_model::{Leaf, Place, Scalar, System};
use rustc_hash::{FxHashMap, FxHashSet};

use super::unify::{Node, Nodes};

/// Where a variable lives: among the global ones, or in processes of a kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Home {
    Global,
    Local(usize),
}

/// A dimension of an array.
#[derive(Clone, Copy, Debug)]
pub(super) struct Dimension {
    pub(super) stride: u32,
    pub(super) length: u32,
    /// What its indices number.
    pub(super) node: Node,
}

/// A variable, or all elements of an array.
#[derive(Clone, Debug)]
pub(super) struct Variable {
    pub(super) home: Home,
    pub(super) offset: u32,
    pub(super) scalar: Scalar,
    pub(super) dimensions: Vec<Dimension>,
    /// What its values number.
    pub(super) content: Node,
}

/// All variables.
#[derive(Debug, Default)]
pub(super) struct Variables {
    pub(super) list: Vec<Variable>,
    /// The variable at a place, and the indices there.
    at: FxHashMap<(Home, u32), (usize, Vec<u32>)>,
    /// Where the elements of each variable are.
    pub(super) elements: Vec<Vec<(u32, Vec<u32>)>>,
}

/// Splits the name of a leaf into that of all elements, and the indices.
fn parted(name: &str) -> (String, Vec<u32>) {
    let (mut whole, mut indices) = (String::new(), Vec::new());
    let mut rest = name;
    while let Some((before, behind)) = rest.split_once('[') {
        let (index, behind) = behind.split_once(']').unwrap_or((behind, ""));
        whole.push_str(before);
        whole.push_str("[]");
        indices.push(index.parse().unwrap_or(u32::MAX));
        rest = behind;
    }
    whole.push_str(rest);
    (whole, indices)
}

impl Variables {
    /// Finds the variables of a system; `None` if an array is not laid out as arrays are.
    pub(super) fn new(system: &System, nodes: &mut Nodes) -> Option<Variables> {
        let mut variables = Variables::default();
        variables.add_all(Home::Global, &system.globals, nodes)?;
        for (number, proctype) in system.proctypes.iter().enumerate() {
            variables.add_all(Home::Local(number), &proctype.locals, nodes)?;
        }
        Some(variables)
    }

    fn add_all(&mut self, home: Home, leaves: &[Leaf], nodes: &mut Nodes) -> Option<()> {
        // Variables of different blocks may share a name.
        let mut names: FxHashMap<String, usize> = FxHashMap::default();
        // An array may have tens of thousands of elements.
        let mut met: FxHashSet<(usize, Vec<u32>)> = FxHashSet::default();
        for leaf in leaves {
            let (name, indices) = parted(&leaf.name);
            let known = names.get(&name).copied().filter(|known| {
                !met.contains(&(*known, indices.clone())) && self.list[*known].scalar == leaf.scalar
            });
            let number = match known {
                Some(known) => known,
                None => {
                    let new = |nodes: &mut Nodes| Dimension { stride: 0, length: 1, node: nodes.add() };
                    let dimensions = indices.iter().map(|_| new(nodes)).collect();
                    let (offset, scalar) = (leaf.offset, leaf.scalar);
                    let content = nodes.add();
                    self.list.push(Variable { home, offset, scalar, dimensions, content });
                    self.elements.push(Vec::new());
                    names.insert(name, self.list.len() - 1);
                    self.list.len() - 1
                }
            };
            let variable = &mut self.list[number];
            for (place, (dimension, index)) in variable.dimensions.iter_mut().zip(&indices).enumerate() {
                let is_first = (0..).zip(&indices).all(|(other, index)| other == place || *index == 0);
                if is_first && *index == 1 {
                    dimension.stride = leaf.offset.checked_sub(variable.offset)?;
                }
                dimension.length = dimension.length.max(index.checked_add(1)?);
            }
            met.insert((number, indices.clone()));
            self.at.insert((home, leaf.offset), (number, indices.clone()));
            self.elements[number].push((leaf.offset, indices));
        }
        for (variable, elements) in self.list.iter().zip(&self.elements) {
            let count: u32 = variable.dimensions.iter().map(|dimension| dimension.length).product();
            let is_there = |(offset, indices): &(u32, Vec<u32>)| {
                let more = variable.dimensions.iter().zip(indices).map(|(one, index)| one.stride * index);
                *offset == variable.offset + more.sum::<u32>()
            };
            if elements.len() != count as usize || !elements.iter().all(is_there) {
                return None;
            }
        }
        Some(())
    }

    /// Returns the variable of a place, and for each dimension the index if it is a constant. `None` if the
    /// place is none that is known.
    pub(super) fn find(
        &mut self,
        home: Home,
        place: &Place,
        nodes: &mut Nodes,
    ) -> Option<(usize, Vec<Option<u32>>, Vec<usize>)> {
        if !self.at.contains_key(&(home, place.offset)) {
            // The program's own, which people do not see.
            if !place.indices.is_empty() {
                return None;
            }
            let (offset, scalar, content) = (place.offset, place.scalar, nodes.add());
            self.list.push(Variable { home, offset, scalar, dimensions: Vec::new(), content });
            self.elements.push(vec![(offset, Vec::new())]);
            self.at.insert((home, offset), (self.list.len() - 1, Vec::new()));
        }
        let (number, indices) = &self.at[&(home, place.offset)];
        let variable = &self.list[*number];
        if variable.scalar != place.scalar {
            return None;
        }
        let mut constants: Vec<Option<u32>> = indices.iter().map(|index| Some(*index)).collect();
        let mut dimensions = Vec::new();
        for index in &place.indices {
            let fits = |(number, dimension): &(usize, &Dimension)| {
                constants[*number] == Some(0)
                    && dimension.length == index.length
                    && (dimension.stride == index.stride || dimension.length == 1)
            };
            let (number, _) = variable.dimensions.iter().enumerate().find(fits)?;
            constants[number] = None;
            dimensions.push(number);
        }
        Some((*number, constants, dimensions))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_parted() {
        assert_eq!(parted("x"), ("x".to_owned(), vec![]));
        assert_eq!(parted("m[2].a[10]"), ("m[].a[]".to_owned(), vec![2, 10]));
    }
}
