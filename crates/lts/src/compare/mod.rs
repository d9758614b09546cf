//! Whether two graphs behave the same, and if not, what tells them apart.
//!
//! Both graphs are divided into blocks as one. What tells them apart is checked on each of them before it is
//! returned, by code that knows nothing of blocks.

mod evaluate;
mod explain;
mod formula;
#[cfg(test)]
mod tests;
mod trace;

use narrows_source::{Diagnostics, Sources};

use crate::error::EquivalenceError;
use crate::graph::{Builder, Graph};
use crate::minimise::{Division, Relation, Settings, accept, divide, minimise};
use crate::mu;
use evaluate::Evaluator;
use explain::Explainer;

/// Whether two graphs behave the same.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// They do.
    Equivalent,
    /// They do not.
    Different(Evidence),
}

/// What tells two graphs apart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Evidence {
    /// A formula that holds in the first graph and not in the second, as in CADP's MCL.
    Formula(String),
    /// Visible steps that only one of the graphs can make one after the other.
    Trace {
        /// Their labels.
        labels: Vec<String>,
        /// Whether it is the first graph that can.
        is_first: bool,
    },
    /// Nothing that could be shown; this is why.
    None(String),
}

/// Longer formulas are not shown.
const MAX_LENGTH: usize = 20_000;

/// Nor those that take more memory to check.
const MAX_BYTES: usize = 1_000_000_000;

/// Compares two graphs. The error says why they can't be compared.
pub fn compare(left: &Graph, right: &Graph, settings: Settings) -> Result<Verdict, EquivalenceError> {
    accept(settings)?;
    if settings.relation == Relation::Trace {
        return compare_traces(left, right);
    }
    let (both, second) = side_by_side(left, right)?;
    let division = divide(&both, settings, false)?;
    let (one, other) = (division.of[both.initial() as usize], division.of[second as usize]);
    if one == other {
        return Ok(Verdict::Equivalent);
    }
    if settings.stochastic || settings.probabilistic {
        let reason = "formulas do not speak of rates and probabilities";
        return Ok(Verdict::Different(Evidence::None(reason.to_owned())));
    }
    // The quotient is divided once more, to see how: that is much less than to keep how the graphs were.
    let small = divide(&division.quotient, settings, true)?;
    let (one, other) = (small.of[one as usize], small.of[other as usize]);
    Ok(Verdict::Different(explain(left, right, &small, (one, other), settings.relation)))
}

/// Finds a formula, and makes sure that it holds in the first graph and not in the second.
fn explain(
    left: &Graph,
    right: &Graph,
    division: &Division,
    (one, other): (u32, u32),
    relation: Relation,
) -> Evidence {
    let too_long = || Evidence::None("a formula that tells them apart would be too long to read".to_owned());
    let Some(history) = &division.history else {
        return Evidence::None("a formula that tells them apart would take too long to find".to_owned());
    };
    let mut explainer = Explainer::new(relation, history, &division.quotient, division.labels.clone());
    let Some(id) = explainer.blocks(one, other) else { return too_long() };
    let formulas = explainer.formulas;
    let most = left.states().max(right.states()) as usize;
    if formulas.length(id) > MAX_LENGTH || formulas.count().saturating_mul(most) > MAX_BYTES {
        return too_long();
    }
    let holds =
        |graph: &Graph| Evaluator::new(graph, &formulas).states(&formulas, id)[graph.initial() as usize];
    let mistake = || {
        Evidence::None(
            "the formula that was found does not tell them apart; this is a bug in narrows".to_owned(),
        )
    };
    if !holds(left) || holds(right) {
        return mistake();
    }
    let text = formulas.text(id);
    match read_again(&text, &division.quotient, (one, other)) {
        Some(true) => Evidence::Formula(text),
        Some(false) => mistake(),
        None => too_long(),
    }
}

/// Reads a formula from its text, and returns whether what was read tells two blocks apart; `None` if it
/// can't be read.
fn read_again(text: &str, quotient: &Graph, (one, other): (u32, u32)) -> Option<bool> {
    let (mut sources, mut diagnostics) = (Sources::default(), Diagnostics::default());
    let file = sources.add("formula", text);
    let formula = mu::parse(file, text, &mut diagnostics)?;
    if !diagnostics.sorted().is_empty() {
        return Some(false);
    }
    let checker = mu::Checker::new(quotient);
    let answer = checker.check(&formula).ok()?;
    Some(answer.holds_in(one) && !answer.holds_in(other))
}

fn compare_traces(left: &Graph, right: &Graph) -> Result<Verdict, EquivalenceError> {
    let branching = Settings::plain(Relation::Branching);
    let (both, second) = side_by_side(&minimise(left, branching)?, &minimise(right, branching)?)?;
    let Some((labels, is_first)) = trace::compare(&both, both.initial(), second)? else {
        return Ok(Verdict::Equivalent);
    };
    if trace::has(left, &labels) == is_first && trace::has(right, &labels) != is_first {
        return Ok(Verdict::Different(Evidence::Trace { labels, is_first }));
    }
    let reason = "the trace that was found does not tell them apart; this is a bug in narrows";
    Ok(Verdict::Different(Evidence::None(reason.to_owned())))
}

/// Makes one graph of two; returns it and the state with which the second begins.
fn side_by_side(left: &Graph, right: &Graph) -> Result<(Graph, u32), EquivalenceError> {
    let offset = left.states();
    if u64::from(offset) + u64::from(right.states()) >= u64::from(u32::MAX) {
        return Err(crate::TooLarge.into());
    }
    let mut builder = Builder::new(left.initial(), left.edges().len() + right.edges().len());
    for (graph, offset) in [(left, 0), (right, offset)] {
        let labels: Vec<u32> = graph.labels().iter().map(|text| builder.label(text)).collect();
        for (from, edge) in graph.all_edges() {
            builder.edge(from + offset, labels[edge.label as usize], edge.target + offset);
        }
        builder.states(offset + graph.states());
    }
    let graph = builder.build()?;
    Ok((graph, offset + right.initial()))
}
