//! Formulas that hold for a reason their author did not have in mind.
//!
//! A formula that holds may do so because what it speaks about never happens. For each implication in it that
//! can only help (an even number of negations around it), the formula with `a -> b` replaced by `!a` is asked
//! too: if that still holds, the `b` never mattered (I. Beer, S. Ben-David, C. Eisner, Y. Rodeh, *Efficient
//! detection of vacuity in temporal model checking*, 2001).

use narrows_logic::Ltl;
use narrows_model::{Atom, Verdict};

use crate::check::NotReplayed;
use crate::temporal::decide_formula;
use crate::{Engine, Options, SearchScope};

/// More implications than this are not looked at.
const MAX_IMPLICATIONS: usize = 8;

/// Returns what is suspicious about a formula that holds, as full sentences; `states` were visited to find
/// out that it does.
pub(crate) fn suspicions(
    engine: &Engine<'_>,
    formula: &Ltl<Atom>,
    options: &Options,
    scope: &SearchScope<'_>,
    states: u64,
) -> Result<Vec<String>, NotReplayed> {
    let mut notes = Vec::new();
    let shown = formula.map(&mut |atom| format!("({})", atom.text));
    if is_plain(formula) {
        notes.push(format!("It constrains the initial state only; for every state, write `[] {shown}`."));
    }
    // What is asked here is stronger, so it usually fails, and soon.
    let scope = SearchScope { states: states.saturating_mul(4).max(100_000).min(scope.states), ..*scope };
    let options = Options { runs: 1, ..*options };
    for (antecedent, stronger) in strengthened(formula).into_iter().take(MAX_IMPLICATIONS) {
        let decided = decide_formula(engine, &stronger, &options, &scope)?;
        if matches!(decided.verdict, Verdict::Holds) {
            let antecedent = antecedent.map(&mut |atom| format!("({})", atom.text));
            notes.push(format!(
                "It holds vacuously: `{antecedent}` is never true where it would matter, so nothing follows \
                 from it."
            ));
        }
    }
    Ok(notes)
}

/// Returns whether a formula has no temporal operator.
fn is_plain(formula: &Ltl<Atom>) -> bool {
    match formula {
        Ltl::Atom(_) | Ltl::Constant(_) => true,
        Ltl::Not(operand) => is_plain(operand),
        Ltl::And(left, right)
        | Ltl::Or(left, right)
        | Ltl::Implies(left, right)
        | Ltl::Equivalent(left, right) => is_plain(left) && is_plain(right),
        _ => false,
    }
}

/// Returns each implication's left side, and the formula in which its right side is false.
fn strengthened(formula: &Ltl<Atom>) -> Vec<(Ltl<Atom>, Ltl<Atom>)> {
    let mut list = Vec::new();
    visit(formula, true, &mut list, &|part| part);
    list
}

/// Visits the implications of a part of a formula; `whole` puts what replaces the part back into its place.
fn visit(
    part: &Ltl<Atom>,
    positive: bool,
    list: &mut Vec<(Ltl<Atom>, Ltl<Atom>)>,
    whole: &dyn Fn(Ltl<Atom>) -> Ltl<Atom>,
) {
    type Unary = fn(Box<Ltl<Atom>>) -> Ltl<Atom>;
    type Binary = fn(Box<Ltl<Atom>>, Box<Ltl<Atom>>) -> Ltl<Atom>;
    let unary = |make: Unary, operand: &Ltl<Atom>, positive, list: &mut _| {
        visit(operand, positive, list, &|part| whole(make(Box::new(part))));
    };
    let binary = |make: Binary, left: &Ltl<Atom>, right: &Ltl<Atom>, left_positive, list: &mut _| {
        visit(left, left_positive, list, &|part| whole(make(Box::new(part), Box::new(right.clone()))));
        visit(right, positive, list, &|part| whole(make(Box::new(left.clone()), Box::new(part))));
    };
    match part {
        Ltl::Implies(left, right) => {
            if positive {
                list.push(((**left).clone(), whole(Ltl::Not(left.clone()))));
            }
            binary(Ltl::Implies, left, right, !positive, list);
        }
        Ltl::Not(operand) => unary(Ltl::Not, operand, !positive, list),
        Ltl::Next(operand) => unary(Ltl::Next, operand, positive, list),
        Ltl::Always(operand) => unary(Ltl::Always, operand, positive, list),
        Ltl::Eventually(operand) => unary(Ltl::Eventually, operand, positive, list),
        Ltl::And(left, right) => binary(Ltl::And, left, right, positive, list),
        Ltl::Or(left, right) => binary(Ltl::Or, left, right, positive, list),
        Ltl::Until(left, right) => binary(Ltl::Until, left, right, positive, list),
        Ltl::WeakUntil(left, right) => binary(Ltl::WeakUntil, left, right, positive, list),
        Ltl::Release(left, right) => binary(Ltl::Release, left, right, positive, list),
        Ltl::Atom(_) | Ltl::Constant(_) | Ltl::Equivalent(..) => {}
    }
}
