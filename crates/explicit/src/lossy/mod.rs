//! Searches for state spaces that are larger than memory: they do not keep whole states, and never say
//! *holds*.
//!
//! Two different states may look the same in what is kept of them; the second is then taken for known, and
//! what only it leads to is missed. So nothing is proved when nothing is found, and the end of such a search
//! is always [`Limit::Lossy`] or another limit. What is found is real: its run is replayed as every run is.
//!
//! - *Bitstate hashing* sets a few bits of a large table for each state: G. Holzmann, *An analysis of
//!   bitstate hashing* (1998). Memory does not grow with the number of states.
//! - *Hash compaction* keeps a hash of 64 bits: P. Wolper and D. Leroy, *Reliable hashing without collision
//!   detection* (1993). Six to eight bytes a state, and hardly ever a state missed.
//!
//! Partial-order reduction needs to know which states are on the way, so there is none here. Both search
//! depth first, on one thread: the stack holds the states on the way, and so the run to each. If there is no
//! room for a longer run, the search turns back and counts where it did.

mod tables;

#[cfg(test)]
mod tests;

use narrows_model::{
    Answer, Checked, Counterexample, Coverage, Limit, Loss, Question, Refusal, StateSpace, Verdict,
};

use crate::check::{Found, accepts, fails, find, is_safety, shortened};
use crate::depth_first::search;
use crate::{End, Engine, Exploration, Faults, Full, NotReplayed, Options, SearchScope};
use tables::{BitTable, HashTable, Table};

/// What is kept of a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lossy {
    /// Some bits of a table.
    Bits {
        /// How many bytes the table has.
        bytes: u64,
        /// How many bits are set for each state.
        hashes: u32,
    },
    /// A hash of 64 bits.
    Hashes,
}

/// Visits as many states as it can tell apart, depth first. A fault ends its run, not the search.
pub fn explore_lossy(space: &dyn StateSpace, lossy: Lossy, scope: &SearchScope<'_>) -> Exploration {
    search_lossy(space, lossy, &[], scope)
}

/// Answers safety questions, as far as it can tell states apart: each fails, with a run, or is undecided.
pub fn check_lossy(
    engine: &Engine<'_>,
    questions: &[Question],
    options: &Options,
    lossy: Lossy,
    scope: &SearchScope<'_>,
) -> Result<Checked, NotReplayed> {
    let forgetting = engine.forgetting();
    let engine = if options.reduce { &forgetting } else { engine };
    let goals: Vec<Question> = questions.iter().filter(|question| is_safety(question)).cloned().collect();
    // To find more than one run, it goes on after the first.
    let stop_at: &[Question] = if options.runs > 1 { &[] } else { &goals };
    let exploration = if goals.is_empty() { nothing() } else { search_lossy(engine, lossy, stop_at, scope) };
    let mut answers = Vec::new();
    for question in questions {
        let verdict = match find(&exploration, question) {
            _ if !is_safety(question) => refused(engine, question),
            Some(finding) => fails(engine, &shortened(engine, finding), false)?,
            None => Verdict::Undecided(exploration.end.limit().unwrap_or(Limit::Lossy)),
        };
        let mut answer = Answer::new(question.clone(), verdict);
        add_runs(engine, &mut answer, &exploration, options.runs)?;
        answers.push(answer);
    }
    let Exploration { end, coverage, findings, .. } = exploration;
    Ok(Found { answers, coverage, end, findings }.checked(engine.evaluator()))
}

/// Adds the runs to other places where the same question fails.
fn add_runs(
    engine: &Engine<'_>,
    answer: &mut Answer,
    exploration: &Exploration,
    runs: usize,
) -> Result<(), NotReplayed> {
    let others = exploration.findings.iter().filter(|finding| {
        finding.run.is_some() && is_safety(&answer.question) && finding.wrong.question() == answer.question
    });
    for finding in others.skip(1).take(runs.saturating_sub(1)) {
        if let Verdict::Fails { violation, trace, .. } = fails(engine, &shortened(engine, finding), false)? {
            answer.more.push(Counterexample { violation, trace: *trace });
        }
    }
    Ok(())
}

fn refused(engine: &Engine<'_>, question: &Question) -> Verdict {
    let refusal = accepts(engine.system(), question).and_then(|()| accepts_lossy(question)).err();
    Verdict::Refused(refusal.unwrap_or_else(|| Refusal::new("This question was not asked.")))
}

/// Returns why a question is not answered by a search that keeps states with loss, if it isn't.
pub fn accepts_lossy(question: &Question) -> Result<(), Refusal> {
    if is_safety(question) {
        return Ok(());
    }
    let reason = "A search that keeps states with loss answers only whether assertions, deadlocks and faults are \
                  found; keep whole states, or ask about those alone.";
    Err(Refusal::new(reason))
}

fn nothing() -> Exploration {
    Exploration {
        end: End::Limit(Limit::Lossy),
        coverage: Coverage::default(),
        findings: Vec::new(),
        partial: 0,
        profile: None,
        labels: Vec::new(),
    }
}

fn search_lossy<S: StateSpace + ?Sized>(
    space: &S,
    lossy: Lossy,
    goals: &[Question],
    scope: &SearchScope<'_>,
) -> Exploration {
    let hidden = space.hidden_bytes();
    match lossy {
        Lossy::Bits { bytes, hashes } => {
            search_with(space, BitTable::new(bytes, hashes, hidden, scope.budget.memory), goals, scope)
        }
        Lossy::Hashes => search_with(space, HashTable::new(hidden, scope.budget.memory), goals, scope),
    }
}

fn search_with<S: StateSpace + ?Sized, T: Table>(
    space: &S,
    table: Result<T, Full>,
    goals: &[Question],
    scope: &SearchScope<'_>,
) -> Exploration {
    let Ok(table) = table else {
        return Exploration { end: End::Limit(Limit::Memory), ..nothing() };
    };
    let searched = search(space, None, table, Faults::Continue, goals, scope);
    let mut exploration = searched.exploration;
    exploration.coverage.loss = Some(Loss { kept: searched.visited.kept(), cut: searched.cut });
    if exploration.end == End::Complete {
        exploration.end = End::Limit(Limit::Lossy);
    }
    exploration
}
