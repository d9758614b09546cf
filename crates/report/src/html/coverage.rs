//! Which statements were reached.

use super::source::{Places, Spot};
use crate::{Report, Unreached};

/// How much of a kind of process was reached.
pub(crate) struct Share {
    pub(crate) proctype: String,
    pub(crate) reached: usize,
    pub(crate) total: usize,
}

/// A statement that no run reaches.
pub(crate) struct Dead {
    pub(crate) proctype: String,
    pub(crate) spot: Spot,
    pub(crate) text: String,
}

/// Counts the statements of each kind of process.
pub(crate) fn shares(report: &Report<'_>, unreached: &[Unreached]) -> Vec<Share> {
    let proctypes = report.model.processes().into_iter().flat_map(|system| &system.proctypes).enumerate();
    let share = |(number, proctype): (usize, &narrows_model::Proctype)| {
        let taken = report.coverage.taken.get(number).map_or(&[][..], Vec::as_slice);
        let written = proctype.transitions.iter().zip(taken).filter(|(t, taken)| **taken && !t.is_glue);
        let mut spans: Vec<_> = written.map(|(transition, _)| transition.span).collect();
        spans.sort_unstable();
        spans.dedup();
        let missing = unreached.iter().filter(|entry| entry.proctype == proctype.name).count();
        Share { proctype: proctype.name.clone(), reached: spans.len(), total: spans.len() + missing }
    };
    proctypes.map(share).filter(|share| share.total > 0).collect()
}

/// Lists the statements that no run reaches.
pub(crate) fn dead(places: &Places<'_>, unreached: &[Unreached]) -> Vec<Dead> {
    let dead = |entry: &Unreached| Dead {
        proctype: entry.proctype.clone(),
        spot: places.spot(entry.span),
        text: crate::run::one_line(&entry.text),
    };
    unreached.iter().map(dead).collect()
}
