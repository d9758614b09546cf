//! Where the global variables of a system are cut, for whoever keeps states in pieces.
//!
//! A step that changes a variable makes a new piece, and one that reads it depends on the whole piece. So no
//! piece has parts of two variables, as long as there are not too many pieces; large arrays are cut.

use crate::System;

/// The global variables are cut into at most so many pieces, if that can be.
const MAX_PIECES: usize = 24;

/// A piece of an array has so many bytes.
const PIECE: u32 = 8;

/// Notes where the global variables of a system are best cut.
pub fn cut_globals(system: &mut System) {
    let cut = |least: u32| pieces(system, least);
    system.pieces =
        [1, 2, 4, 8].into_iter().map(cut).find(|ends| ends.len() <= MAX_PIECES).unwrap_or_default();
}

/// Returns where pieces of at least so many bytes end.
fn pieces(system: &System, least: u32) -> Vec<u32> {
    let base = |name: &str| name.find(['[', '.']).unwrap_or(name.len());
    let mut ends = Vec::new();
    let (mut start, mut variable) = (0, "");
    for leaf in &system.globals {
        let (size, next) = (leaf.offset.saturating_sub(start), &leaf.name[..base(&leaf.name)]);
        if next != variable && size >= least || size >= PIECE.max(least) {
            ends.push(leaf.offset);
            start = leaf.offset;
        }
        variable = next;
    }
    ends.push(system.global_bytes);
    ends.retain(|end| *end > 0);
    ends
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Leaf, Scalar};

    fn system(names: &[&str]) -> System {
        let globals: Vec<Leaf> = (0..)
            .zip(names)
            .map(|(offset, name)| Leaf { name: (*name).to_owned(), offset, scalar: Scalar::Byte })
            .collect();
        System { global_bytes: globals.len() as u32, globals, ..System::default() }
    }

    #[test]
    fn variables_are_kept_apart() {
        let mut names: Vec<String> = (0..13).map(|index| format!("req[{index}]")).collect();
        names.extend(["t".to_owned(), "p".to_owned()]);
        let mut system = system(&names.iter().map(String::as_str).collect::<Vec<_>>());
        cut_globals(&mut system);
        assert_eq!(system.pieces, [8, 13, 14, 15]);
    }

    #[test]
    fn many_variables_share_pieces() {
        let names: Vec<String> = (0..100).map(|index| format!("v{index}")).collect();
        let mut system = system(&names.iter().map(String::as_str).collect::<Vec<_>>());
        cut_globals(&mut system);
        assert!(system.pieces.len() <= MAX_PIECES && system.pieces.last() == Some(&100));
    }
}
