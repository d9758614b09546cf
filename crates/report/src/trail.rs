//! SPIN's trail files: runs as lines `depth:process:statement`.
//!
//! Headers have negative depths: `-2` says that process 0 is the never claim, so that all others are shifted
//! by one, `-4` that the verifier merged statements, and `-1` marks where the cycle starts. A rendezvous is
//! two lines, the sender's and the receiver's. SPIN replays any trail statement by statement, so that no
//! header is needed: without `-2` it leaves the claim out and shifts nobody.

use std::fmt::Write;

use narrows_model::{System, Trace};

use crate::error::TrailError;

/// A run as a trail tells it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Trail {
    /// What the processes did.
    pub entries: Vec<TrailEntry>,
    /// The entry at which the cycle starts.
    pub cycle: Option<usize>,
    /// Whether a claim moved along; its moves are left out.
    pub has_claim: bool,
}

/// What a process did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TrailEntry {
    /// The line of the file.
    pub line: usize,
    /// The process's number.
    pub pid: u8,
    /// The number of the statement: that of a transition.
    pub statement: u32,
}

/// Reads a trail file; the error says what is wrong with it.
pub fn read_trail(text: &str) -> Result<Trail, TrailError> {
    let mut trail = Trail::default();
    for (index, content) in text.lines().enumerate().filter(|(_, content)| !content.trim().is_empty()) {
        let line = index + 1;
        let bad = || TrailError { line, text: content.to_owned() };
        let numbers: Vec<i64> = content
            .split(':')
            .map(|part| part.trim().parse())
            .collect::<Result<_, _>>()
            .map_err(|_| bad())?;
        let [depth, pid, statement] = numbers[..] else { return Err(bad()) };
        match depth {
            -2 => trail.has_claim = true,
            -1 => trail.cycle = Some(trail.entries.len()),
            // Options of the verifier: how it ordered its search does not matter to a replay.
            ..=-3 => {}
            _ if trail.has_claim && pid == 0 => {}
            _ => {
                let pid = u8::try_from(pid - i64::from(trail.has_claim)).map_err(|_| bad())?;
                let statement = u32::try_from(statement).map_err(|_| bad())?;
                trail.entries.push(TrailEntry { line, pid, statement });
            }
        }
    }
    Ok(trail)
}

/// Writes a run as a trail that `spin -t` replays.
pub fn write_trail(system: &System, trace: &Trace) -> String {
    let mut text = String::new();
    let mut depth = 0;
    for (index, step) in trace.steps.iter().enumerate() {
        if trace.cycle == Some(index) {
            text.push_str("-1:-1:-1\n");
        }
        for step in step.moves() {
            let number = system.proctype(step.proctype).transition(step.transition).trail_number;
            depth += 1;
            let _ = writeln!(text, "{depth}:{}:{number}", step.pid);
        }
    }
    if trace.cycle == Some(trace.steps.len()) {
        text.push_str("-1:-1:-1\n");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples::{Sample, TURNS};

    #[test]
    fn reads_headers_claims_and_cycles() {
        let trail =
            read_trail("-2:1:-2\n-4:-4:-4\n1:0:8\n2:1:0\n-1:-1:-1\n3:0:15\n4:2:1\n").expect("a trail");
        let entry = |line, pid, statement| TrailEntry { line, pid, statement };
        let entries = vec![entry(4, 0, 0), entry(7, 1, 1)];
        assert_eq!(trail, Trail { entries, cycle: Some(1), has_claim: true });
        let message = |text: &str| read_trail(text).expect_err("it is no trail").to_string();
        assert_eq!(message("1:2\n"), "line 1 is `1:2`, not depth:process:statement");
        assert_eq!(message("\n1:x:3"), "line 2 is `1:x:3`, not depth:process:statement");
    }

    #[test]
    fn what_is_written_can_be_read() {
        let sample = Sample::new(TURNS, &[0; 4], Some(1));
        let text = write_trail(sample.model.processes().expect("processes"), &sample.trace);
        assert_eq!(text, "1:0:0\n-1:-1:-1\n2:0:1\n3:1:0\n4:1:1\n");
        let trail = read_trail(&text).expect("it was just written");
        assert_eq!((trail.entries.len(), trail.cycle), (4, Some(1)));
    }
}
