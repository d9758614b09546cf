//! Automata in the Hanoi Omega-Automata format, version 1: <https://adl.github.io/hoaf/>.

use std::fmt::Write;

use crate::buchi::Buchi;
use crate::guard::Notation;

const HOA: Notation = Notation { always: "t", and: "&", or: " | ", parentheses: false };

impl<A: ToString> Buchi<A> {
    /// Writes the automaton in the HOA format, with accepting states.
    pub fn hoa(&self, name: &str) -> String {
        let mut text = String::from("HOA: v1\n");
        let _ = writeln!(text, "name: {}", quoted(name));
        let _ = writeln!(text, "States: {}\nStart: {}", self.states.len(), self.initial);
        let _ = write!(text, "AP: {}", self.atoms.len());
        for atom in &self.atoms {
            let _ = write!(text, " {}", quoted(&atom.to_string()));
        }
        text.push_str("\nacc-name: Buchi\nAcceptance: 1 Inf(0)\n");
        text.push_str("properties: trans-labels explicit-labels state-acc");
        text.push_str(if self.is_deterministic() { " deterministic\n" } else { "\n" });
        text.push_str("--BODY--\n");
        for (index, state) in self.states.iter().enumerate() {
            let _ = writeln!(text, "State: {index}{}", if state.accepting { " {0}" } else { "" });
            for target in state.targets() {
                let literal = |atom: usize, holds: bool| format!("{}{atom}", if holds { "" } else { "!" });
                let _ = writeln!(text, "[{}] {target}", HOA.write(state.guards_to(target), literal));
            }
        }
        text.push_str("--END--\n");
        text
    }
}

/// A text between quotes.
fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

#[cfg(test)]
mod tests {
    use crate::{Ltl, translate};

    #[test]
    fn names_of_atoms_are_quoted() {
        let formula = Ltl::Always(Box::new(Ltl::Eventually(Box::new(Ltl::Atom("a == \"\\\"")))));
        let text = translate(&formula).expect("a small formula").hoa(&formula.to_string());
        let expected = "HOA: v1\nname: \"[] <> a == \\\"\\\\\\\"\"\nStates: 2\nStart: 0\nAP: 1 \"a == \\\"\\\\\\\"\"\n\
            acc-name: Buchi\nAcceptance: 1 Inf(0)\n";
        assert!(text.starts_with(expected), "{text}");
        assert!(text.ends_with("--END--\n"), "{text}");
    }
}
