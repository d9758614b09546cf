//! Guards as text.

use crate::buchi::{Buchi, BuchiState};
use crate::cube::Cube;

/// How conditions are written.
pub(crate) struct Notation {
    pub(crate) always: &'static str,
    pub(crate) and: &'static str,
    pub(crate) or: &'static str,
    /// Whether a conjunction inside of a disjunction stands in parentheses.
    pub(crate) parentheses: bool,
}

/// Promela's.
pub(crate) const PROMELA: Notation = Notation { always: "1", and: " && ", or: " || ", parentheses: true };

impl Notation {
    /// Writes a disjunction of cubes.
    pub(crate) fn write<'a>(
        &self,
        cubes: impl IntoIterator<Item = &'a Cube>,
        literal: impl Fn(usize, bool) -> String,
    ) -> String {
        let cubes: Vec<&Cube> = cubes.into_iter().collect();
        let one = |cube: &&Cube| {
            let literals: Vec<String> = cube.literals().map(|(atom, holds)| literal(atom, holds)).collect();
            match literals.len() {
                0 => self.always.to_owned(),
                1 => literals.concat(),
                _ if cubes.len() > 1 && self.parentheses => format!("({})", literals.join(self.and)),
                _ => literals.join(self.and),
            }
        };
        cubes.iter().map(one).collect::<Vec<_>>().join(self.or)
    }
}

/// Writes an atom, or its negation, as Promela does; in parentheses unless it is a name.
pub(crate) fn literal(atom: &str, holds: bool) -> String {
    let is_name = atom.chars().all(|c| c.is_alphanumeric() || c == '_');
    match (holds, is_name) {
        (true, true) => atom.to_owned(),
        (true, false) => format!("({atom})"),
        (false, true) => format!("!{atom}"),
        (false, false) => format!("!({atom})"),
    }
}

impl<A: ToString> Buchi<A> {
    /// The condition on which a state leads to another, as Promela writes it.
    pub fn condition(&self, state: &BuchiState, target: usize) -> String {
        PROMELA.write(state.guards_to(target), |atom, holds| literal(&self.atoms[atom].to_string(), holds))
    }
}
