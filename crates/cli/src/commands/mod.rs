//! One file for each command.

pub(crate) mod automaton;
pub(crate) mod bottleneck;
pub(crate) mod bounds;
pub(crate) mod check;
pub(crate) mod explain;
pub(crate) mod explore;
pub(crate) mod figures;
pub(crate) mod files;
pub(crate) mod graph;
pub(crate) mod lts;
pub(crate) mod measure;
mod selection;
pub(crate) mod simulate;
mod storage;

use narrows_explicit::{Finding, Wrong};
use narrows_model::Evaluator;
use narrows_report::{Problem, Report};

/// Says of everything that goes wrong what it is and where.
fn problems(evaluator: Evaluator<'_>, findings: &[Finding]) -> Vec<Problem> {
    let describe = |finding: &Finding| match &finding.wrong {
        Wrong::Deadlock(state) => Report::deadlock(evaluator, state, finding.count),
        Wrong::Violation(violation) => Problem {
            kind: finding.wrong.question().kind(),
            message: violation.kind.message().to_owned(),
            span: Some(violation.span),
            count: finding.count,
        },
    };
    findings.iter().map(describe).collect()
}
