//! Linear temporal logic about the actions of runs.
//!
//! An atom is a [`LabelPattern`] in quotes, or a gate; it holds where the action that comes next fits. Where
//! a run ends, nothing comes any more, and no atom holds. A formula holds of a graph if it holds of all runs
//! from the first state: the negation's automaton goes along with the graph, and a cycle through an accepting
//! state is a run against it.

mod fairness;
mod parser;
mod product;

use narrows_logic::Ltl;
use narrows_source::{Diagnostic, Diagnostics, FileId, Span};

use crate::graph::Graph;
use crate::pattern::LabelPattern;

pub use product::counterexample;

/// A formula.
#[derive(Clone, Debug)]
pub struct Formula {
    formula: Ltl<Atom>,
}

/// A pattern, and where it is written.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Atom {
    pattern: LabelPattern,
    span: Span,
}

/// Reads a formula; `None` if it has errors.
pub fn parse(file: FileId, text: &str, diagnostics: &mut Diagnostics) -> Option<Formula> {
    parser::read(file, text, diagnostics).map(|formula| Formula { formula })
}

/// Warns of patterns that no label fits.
pub fn warn_of_unknown_labels(formula: &Formula, graph: &Graph, diagnostics: &mut Diagnostics) {
    for atom in formula.formula.atoms() {
        if !graph.labels().iter().any(|label| atom.pattern.fits(label)) {
            let title = format!("no label fits `{}`", atom.pattern);
            let diagnostic = Diagnostic::warning("A0002", atom.span, title);
            diagnostics.push(diagnostic.label("it never happens"));
        }
    }
}

/// What the messages about formulas mean.
pub const MESSAGES: &str = include_str!("messages.md");

#[cfg(test)]
mod tests {
    use narrows_source::{Diagnostics, FileId};

    use super::{counterexample, parse};
    use crate::aut;

    fn holds(graph: &str, text: &str) -> bool {
        is_true(graph, text, false)
    }

    fn is_true(graph: &str, text: &str, is_fair: bool) -> bool {
        let graph = aut::read(graph).unwrap();
        let formula = parse(FileId(0), text, &mut Diagnostics::default()).unwrap();
        let run = counterexample(&formula, &graph, is_fair).unwrap();
        if let Some(run) = &run {
            // The run is one of the graph.
            let mut state = run.start;
            for (label, target) in &run.steps {
                let edges = graph.edges_from(state);
                assert!(edges.iter().any(|edge| edge.label == *label && edge.target == *target));
                state = *target;
            }
            if let Some(cycle) = run.cycle {
                let back = if cycle == 0 { run.start } else { run.steps[cycle - 1].1 };
                assert_eq!(back, state);
            }
        }
        run.is_none()
    }

    #[test]
    fn formulas_about_actions() {
        let once = "des (0, 2, 3)\n(0, \"PUT !1\", 1)\n(1, \"GET !1\", 2)\n";
        assert!(holds(once, "[] (PUT -> <> GET)"));
        assert!(holds(once, "PUT && X \"GET !1\" && X X [] !GET"));
        assert!(!holds(once, "[] <> PUT"));
        assert!(!holds(once, "\"PUT !2\""));
        let lossy = "des (0, 3, 2)\n(0, \"PUT !1\", 1)\n(1, i, 1)\n(1, \"GET !1\", 0)\n";
        assert!(!holds(lossy, "[] (PUT -> <> GET)"));
        assert!(holds(lossy, "[] (GET -> X (!GET U PUT))"));
        assert!(holds(lossy, "!GET U PUT") && holds(lossy, "(GET V !GET) || true"));
        assert!(holds(lossy, "[] <> PUT -> [] <> GET"));
    }

    /// A gate that stays enabled is used again and again; one that is not always enabled need not be.
    #[test]
    fn fair_runs_alone() {
        let fair = |graph: &str, text: &str| is_true(graph, text, true);
        let lossy = "des (0, 3, 2)\n(0, \"PUT !1\", 1)\n(1, i, 1)\n(1, \"GET !1\", 0)\n";
        assert!(fair(lossy, "[] (PUT -> <> GET)") && fair(lossy, "[] <> PUT"));
        assert!(!fair(lossy, "<> [] !GET"));
        // Between two waits, GET is not possible: a run without it is fair.
        let busy = "des (0, 4, 3)\n(0, PUT, 1)\n(1, WAIT, 2)\n(2, WAIT, 1)\n(1, GET, 0)\n";
        assert!(!fair(busy, "[] (PUT -> <> GET)"));
        // Two values at one gate: that the gate is used says nothing of the second value.
        let values = "des (0, 2, 1)\n(0, \"A !0\", 0)\n(0, \"A !1\", 0)\n";
        assert!(fair(values, "[] <> A") && !fair(values, "<> \"A !1\""));
        // Both gates have to be used on one cycle.
        let both = "des (0, 3, 1)\n(0, A, 0)\n(0, B, 0)\n(0, C, 0)\n";
        assert!(fair(both, "([] <> A) && ([] <> B) && ([] <> C)"));
        assert!(!fair(both, "<> [] A") && !holds(both, "<> A"));
        // A run that ends is fair.
        let ends = "des (0, 2, 2)\n(0, A, 0)\n(0, B, 1)\n";
        assert!(!fair(ends, "[] <> A") && fair(ends, "<> B"));
    }

    #[test]
    fn wrong_formulas_are_reported() {
        for text in ["", "[] (", "PUT GET", "\"!1\"", "PUT &&", "X", "\"PUT"] {
            let mut diagnostics = Diagnostics::default();
            assert!(parse(FileId(0), text, &mut diagnostics).is_none(), "{text}");
            assert!(diagnostics.has_errors(), "{text}");
        }
        let deep = format!("{}PUT", "!(".repeat(10_000));
        assert!(parse(FileId(0), &deep, &mut Diagnostics::default()).is_none());
    }
}
