//! Judges whether Narrows and SPIN found the same in a model.

use std::collections::BTreeMap;
use std::fmt::{self, Write as _};
use std::io;
use std::path::Path;
use std::time::Duration;

use crate::{narrows, spin};

/// How a comparison ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// Both found the same; so many states.
    Agreed(u64),
    /// They did not; what each said.
    Differed(String),
    /// There is nothing to compare; why.
    Skipped(&'static str),
}

/// Compares both tools on a model given as text.
pub fn compare_text(model: &str, limits: &spin::Limits) -> io::Result<Verdict> {
    if is_beyond_spin(model) {
        return Ok(Verdict::Skipped("has bits beside priorities, which SPIN leaves out of its comparisons"));
    }
    settle(|limits| spin::explore_text(model, limits), |limit| narrows::explore_text(model, limit), limits)
}

/// Compares both tools on a model file.
pub fn compare_file(file: &Path, definitions: &[String], limits: &spin::Limits) -> io::Result<Verdict> {
    settle(
        |limits| spin::explore_file(file, definitions, limits),
        |limit| narrows::explore_file(file, definitions, limit),
        limits,
    )
}

fn settle(
    ask: impl Fn(&spin::Limits) -> io::Result<spin::Outcome>,
    explore: impl FnOnce(Duration) -> io::Result<narrows::Outcome>,
    limits: &spin::Limits,
) -> io::Result<Verdict> {
    let oracle = ask(limits)?;
    if oracle == spin::Outcome::TimedOut {
        return Ok(Verdict::Skipped(TOO_LARGE));
    }
    // An unoptimised build of Narrows under test gets more time than SPIN.
    let tested = explore(limits.time * 6)?;
    let verdict = judge(&oracle, &tested);
    if limits.careful || !matches!(verdict, Verdict::Differed(_)) {
        return Ok(verdict);
    }
    let careful = spin::Limits { careful: true, ..limits.clone() };
    Ok(judge(&ask(&careful)?, &tested))
}

/// Whether the model is one whose states SPIN does not tell apart: where priorities are used, it takes the
/// process's priority for padding if the last local variable is a bit or an unsigned.
pub(crate) fn is_beyond_spin(model: &str) -> bool {
    model.contains("priority") && ["bit ", "bool ", "unsigned "].iter().any(|kind| model.contains(kind))
}

const TOO_LARGE: &str = "too large for SPIN";

/// Judges what both tools said of the same model.
///
/// Where SPIN gives no figures, or only those up to an error that it cannot continue after, Narrows must
/// still end normally, and in the second case report a fault. A fault that can be seen before the search may
/// be reported by rejecting the model.
pub fn judge(oracle: &spin::Outcome, tested: &narrows::Outcome) -> Verdict {
    let differed = |why: &str| Verdict::Differed(format!("{why}\nSPIN: {oracle:?}\nNarrows: {tested:?}"));
    let ended = matches!(tested, narrows::Outcome::Explored(_) | narrows::Outcome::Rejected(_));
    let ended = ended || *tested == narrows::Outcome::TimedOut;
    let skipped = |why| if ended { Verdict::Skipped(why) } else { differed("Narrows does not end normally") };
    let found = match oracle {
        spin::Outcome::TimedOut => return Verdict::Skipped(TOO_LARGE),
        spin::Outcome::Rejected(_) => return skipped("rejected by SPIN"),
        spin::Outcome::Crashed(_) => return skipped("crashes SPIN"),
        spin::Outcome::Refused(_) => return skipped("has a self-loop that SPIN refuses"),
        spin::Outcome::Ran(found) => found,
    };
    if found.fatal || found.has_fault() {
        return match tested {
            narrows::Outcome::Rejected(_) => Verdict::Agreed(found.states),
            narrows::Outcome::Explored(ours) if ours.has("fault") => Verdict::Agreed(found.states),
            _ => differed("SPIN reports a fault, Narrows does not"),
        };
    }
    let narrows::Outcome::Explored(ours) = tested else {
        return differed("Narrows does not explore the model");
    };
    let mut why = String::new();
    let mut check = |what: &str, theirs: u64, ours: u64| {
        if theirs != ours {
            // Writing to a string cannot fail.
            let _ = write!(why, "{what}: SPIN {theirs}, Narrows {ours}; ");
        }
    };
    check("states", found.states, ours.states);
    // SPIN counts the arrival in the initial state as a transition.
    check("transitions", found.transitions - 1, ours.transitions);
    check("complete", 1, u64::from(ours.complete));
    check("assertions", u64::from(found.has_assertion()), u64::from(ours.has("assertion")));
    check("deadlocks", u64::from(found.has_deadlock()), u64::from(ours.has("deadlock")));
    // SPIN does not notice a receive from no channel if all its channels are rendezvous.
    let unnoticed = |text: &str| text.contains("receive from an uninitialised channel");
    let faults = ours.violations.iter().filter(|v| v.kind == "fault" && !unnoticed(&v.message)).count();
    check("faults", 0, faults as u64);
    if why.is_empty() { Verdict::Agreed(found.states) } else { differed(&why) }
}

/// The verdicts of many comparisons, counted.
#[derive(Debug, Clone, Default)]
pub struct Summary {
    /// How many agreed.
    pub agreed: usize,
    /// How many differed.
    pub differed: usize,
    /// How many were skipped, by reason.
    pub skipped: BTreeMap<&'static str, usize>,
}

impl Summary {
    /// Counts a verdict.
    pub fn add(&mut self, verdict: &Verdict) {
        match verdict {
            Verdict::Agreed(_) => self.agreed += 1,
            Verdict::Differed(_) => self.differed += 1,
            Verdict::Skipped(why) => *self.skipped.entry(why).or_default() += 1,
        }
    }
}

impl fmt::Display for Summary {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        let skipped: usize = self.skipped.values().sum();
        write!(to, "{} agreed, {} differed, {skipped} skipped", self.agreed, self.differed)?;
        let reasons: Vec<String> = self.skipped.iter().map(|(why, count)| format!("{count} {why}")).collect();
        if reasons.is_empty() { Ok(()) } else { write!(to, " ({})", reasons.join(", ")) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn explored(states: u64, kinds: &[&str]) -> narrows::Outcome {
        let violations = kinds.iter().map(|&kind| narrows::Violation {
            kind: kind.to_owned(),
            message: String::new(),
            line: 1,
        });
        let violations = violations.collect();
        narrows::Outcome::Explored(narrows::Found { states, transitions: 4, complete: true, violations })
    }

    #[test]
    fn judges_counts_and_kinds() {
        let mut found = spin::Statistics { states: 3, transitions: 5, ..spin::Statistics::default() };
        let oracle = spin::Outcome::Ran(found.clone());
        assert_eq!(judge(&oracle, &explored(3, &[])), Verdict::Agreed(3));
        assert!(matches!(judge(&oracle, &explored(4, &[])), Verdict::Differed(_)));
        assert!(matches!(judge(&oracle, &explored(3, &["deadlock"])), Verdict::Differed(_)));
        found.messages = vec!["block in d_step seq".to_owned()];
        found.fatal = true;
        let oracle = spin::Outcome::Ran(found);
        assert_eq!(judge(&oracle, &explored(9, &["fault"])), Verdict::Agreed(3));
        assert!(matches!(judge(&oracle, &explored(3, &[])), Verdict::Differed(_)));
    }

    #[test]
    fn asks_for_a_normal_end_where_spin_says_nothing() {
        let oracle = spin::Outcome::Crashed(String::new());
        assert!(matches!(judge(&oracle, &explored(1, &["fault"])), Verdict::Skipped(_)));
        let panicked = narrows::Outcome::Crashed(String::new());
        assert!(matches!(judge(&oracle, &panicked), Verdict::Differed(_)));
    }
}
