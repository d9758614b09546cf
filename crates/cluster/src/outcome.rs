//! What comes out of a search, put together from what all workers have counted: the same everywhere.

use std::collections::BTreeMap;

use narrows_explicit::{End, Exploration, Finding, Run, Wrong};
use narrows_model::{Coverage, SearchProfile, Violation};

use crate::explorer::Explorer;
use crate::ledger::{Cause, Shown};
use crate::outgoing::{BlockKind, Outgoing};
use crate::summary::{CauseCount, Totals};

/// Beyond this many kinds of deadlock, the others are counted with the first, as on one machine.
const MAX_DEADLOCKS: usize = 1000;

impl Explorer<'_> {
    /// Tells all what this worker has counted.
    pub(crate) fn tell_totals(&mut self, out: &mut Outgoing) {
        let mut totals = std::mem::take(&mut self.counted);
        totals.states = self.states.len();
        totals.bytes = out.bytes;
        totals.causes = self.cause_counts();
        let mut bytes = Vec::new();
        totals.write(&mut bytes);
        out.tell_all(BlockKind::Totals, &bytes);
    }

    fn cause_counts(&mut self) -> Vec<CauseCount> {
        let seen = std::mem::take(&mut self.ledger.seen);
        let mut counts = Vec::new();
        for (cause, seen) in seen {
            let state = match (&cause, seen.states.first()) {
                (Cause::Deadlock(_), Some(number)) => self.states.get(*number).to_vec(),
                _ => Vec::new(),
            };
            let (count, level, pid) = (seen.count, seen.level, seen.pid);
            counts.push(CauseCount { cause, count, level, pid, state });
        }
        counts
    }

    /// Puts together what all have told.
    pub(crate) fn outcome(&self) -> Exploration {
        let mut all = Totals::default();
        let mut causes: BTreeMap<&Cause, CauseCount> = BTreeMap::new();
        for totals in self.totals.iter().flatten() {
            all.absorb(totals);
            for count in &totals.causes {
                match causes.get_mut(&count.cause) {
                    Some(known) if known.level <= count.level => {
                        known.count += count.count;
                        // After a checkpoint, who counts need not be who has the state.
                        if known.level == count.level && known.state.is_empty() {
                            known.state.clone_from(&count.state);
                        }
                    }
                    Some(known) => *known = CauseCount { count: known.count + count.count, ..count.clone() },
                    None => {
                        causes.insert(&count.cause, count.clone());
                    }
                }
            }
        }
        let coverage = Coverage {
            states: all.states,
            transitions: all.transitions,
            depth: u64::from(self.level()),
            bytes: all.memory,
            // Those that were not expanded are as large as the others.
            state_bytes: (u128::from(all.state_bytes) * u128::from(all.states)
                / u128::from(all.expanded.max(1))) as u64,
            of_system: true,
            taken: all.taken.0,
            ..Coverage::default()
        };
        let is_label = |count: &CauseCount| matches!(count.cause, Cause::Label(_));
        let (labels, causes) = causes.into_values().partition(is_label);
        let findings = self.findings(causes);
        let labels = self.labels(labels);
        let end = self.end.unwrap_or(End::Complete);
        let counts = vec![("states sent", all.sent), ("bytes sent", all.bytes)];
        let profile = SearchProfile { threads: self.totals.len(), phases: Vec::new(), counts };
        Exploration { end, coverage, findings, partial: 0, profile: Some(profile), labels }
    }

    /// Returns by what causes are put into the order in which one machine finds them, as far as it is known.
    fn order(&self, count: &CauseCount) -> (u32, bool, Option<Shown>, Cause) {
        let shown = self.shown.get(&count.cause);
        (count.level, shown.is_none(), shown.cloned(), count.cause.clone())
    }

    fn labels(&self, mut labels: Vec<CauseCount>) -> Vec<(Vec<u8>, u64)> {
        labels.sort_by_cached_key(|count| self.order(count));
        let label = |count: CauseCount| match count.cause {
            Cause::Label(label) => Some((label, count.count)),
            _ => None,
        };
        labels.into_iter().filter_map(label).collect()
    }

    /// Makes findings, in the order in which one machine finds them, as far as that is known.
    fn findings(&self, mut causes: Vec<CauseCount>) -> Vec<Finding> {
        causes.sort_by_cached_key(|count| self.order(count));
        let mut findings: Vec<Finding> = Vec::new();
        let initial = self.task.space.initial().map(|initial| initial.1).unwrap_or_default();
        for (position, violation) in initial.iter().enumerate() {
            let cause = Cause::of(violation);
            if initial[..position].iter().any(|earlier| Cause::of(earlier) == cause) {
                continue;
            }
            let later =
                causes.iter().position(|count| count.cause == cause).map(|index| causes.remove(index));
            let count = 1 + later.map_or(0, |later| later.count);
            findings.push(Finding { wrong: Wrong::Violation(*violation), count, run: Some(Run::default()) });
        }
        let mut deadlocks = Vec::new();
        for count in causes {
            let is_deadlock = matches!(count.cause, Cause::Deadlock(_));
            if is_deadlock && deadlocks.len() == MAX_DEADLOCKS {
                let first: usize = deadlocks[0];
                findings[first].count += count.count;
                continue;
            }
            let with_run = !is_deadlock || deadlocks.is_empty();
            if is_deadlock {
                deadlocks.push(findings.len());
            }
            let finding = match self.shown.get(&count.cause) {
                Some(shown) => shown.finding(&count.cause, count.count, with_run),
                None => Finding { wrong: wrong(&count), count: count.count, run: None },
            };
            findings.push(finding);
        }
        findings
    }
}

/// Says what goes wrong, as a worker saw it that saw it first.
fn wrong(count: &CauseCount) -> Wrong {
    match &count.cause {
        Cause::Violation(kind, span) => {
            Wrong::Violation(Violation { kind: *kind, span: *span, pid: count.pid })
        }
        Cause::Deadlock(_) | Cause::Label(_) => Wrong::Deadlock(count.state.clone()),
    }
}
