//! Automata as never claims of Promela, in SPIN's style.

use std::fmt::Write;

use crate::buchi::Buchi;

impl<A: ToString> Buchi<A> {
    /// Writes a never claim that accepts what the automaton does.
    ///
    /// To verify a formula with it, the automaton must be that of its negation. `title` is put into a
    /// comment.
    pub fn never_claim(&self, title: &str) -> String {
        let mut text = format!("never {{    /* {} */\n", title.replace("*/", "* /"));
        // The state that accepts everything ends the claim, so it comes last.
        let last = |state: &usize| self.is_end(*state);
        let states = 0..self.states.len();
        let first = std::iter::once(self.initial);
        let order = first.chain(states.clone().filter(|state| *state != self.initial && !last(state)));
        for state in order.chain(states.filter(last)) {
            self.write_state(&mut text, state);
        }
        text.push_str("}\n");
        text
    }

    fn write_state(&self, text: &mut String, index: usize) {
        let state = &self.states[index];
        if index == self.initial && state.accepting {
            text.push_str("accept_init:\n");
        }
        let _ = writeln!(text, "{}:", self.label(index));
        if self.is_end(index) {
            text.push_str("\tskip\n");
            return;
        }
        if state.edges.is_empty() {
            text.push_str("\tfalse;\n");
            return;
        }
        text.push_str("\tdo\n");
        for target in state.targets() {
            let _ = writeln!(text, "\t:: ({}) -> goto {}", self.condition(state, target), self.label(target));
        }
        text.push_str("\tod;\n");
    }

    fn label(&self, state: usize) -> String {
        match self.states[state].accepting {
            _ if state == self.initial => "T0_init".to_owned(),
            true if self.is_end(state) => "accept_all".to_owned(),
            true => format!("accept_S{state}"),
            false => format!("T0_S{state}"),
        }
    }

    /// Whether the claim can end in the state: it accepts everything, and is not the first one.
    fn is_end(&self, state: usize) -> bool {
        let first = (0..self.states.len())
            .find(|other| *other != self.initial && self.states[*other].accepts_all(*other));
        first == Some(state)
    }
}

#[cfg(test)]
mod tests {
    use crate::{Ltl, translate};

    fn atom(name: &str) -> Ltl<String> {
        Ltl::Atom(name.to_owned())
    }

    #[test]
    fn a_claim_ends_where_all_is_accepted() {
        let formula = Ltl::Until(Box::new(atom("p")), Box::new(atom("x == 1")));
        let claim = translate(&formula).expect("a small formula").never_claim(&formula.to_string());
        let expected = "never {    /* p U x == 1 */\nT0_init:\n\tdo\n\t:: (p) -> goto T0_init\n\
                        \t:: ((x == 1)) -> goto accept_all\n\tod;\naccept_all:\n\tskip\n}\n";
        assert_eq!(claim, expected);
    }

    #[test]
    fn a_claim_may_accept_nothing() {
        let claim = translate(&Ltl::<String>::Constant(false)).expect("a small formula").never_claim("false");
        assert_eq!(claim, "never {    /* false */\nT0_init:\n\tfalse;\n}\n");
    }
}
