//! Limits of commands about graphs.
//!
//! Reading, composing, minimising, comparing and drawing know no limits of their own. A thread looks at the clock and at the
//! memory in use, whatever goes on, and ends the program with *undecided*: nothing is half answered, as answers are
//! printed when they are complete.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use clap::Args;
use narrows_model::Limit;
use narrows_report::envelope;
use serde_json::{Value, json};

use crate::limits::{self, default_memory, interrupt_flag, parse_memory, parse_time};
use crate::output;

/// How often the thread looks: memory can't grow much in between.
const EVERY: Duration = Duration::from_millis(10);
/// Making the graph of a model ends by itself at its limits, and has more to say: it gets this much longer.
const GRACE: Duration = Duration::from_millis(300);

#[derive(Args)]
pub(super) struct Limits {
    /// Use at most this much memory, such as 4G or 500M [default: 80 % of what the machine has]
    #[arg(long, value_name = "SIZE", value_parser = parse_memory, global = true)]
    pub(super) memory: Option<u64>,

    /// Stop after this time, such as 90s, 5m or 1h30m
    #[arg(long, value_name = "TIME", value_parser = parse_time, global = true)]
    pub(super) time_limit: Option<Duration>,
}

impl Limits {
    /// Returns how much memory the states of a model may take: some more is needed around them.
    pub(super) fn for_states(&self) -> u64 {
        self.memory.unwrap_or_else(default_memory) / 5 * 4
    }

    /// Starts to watch. The kind is that of the answers that the command gives, if it gives any as JSON.
    pub(super) fn watch(&self, kind: &'static str) -> anyhow::Result<()> {
        let memory = self.memory.unwrap_or_else(default_memory);
        let (start, time) = (Instant::now(), self.time_limit);
        let interrupted = interrupt_flag()?;
        thread::Builder::new().spawn(move || {
            let limit = loop {
                thread::sleep(EVERY);
                if let Some(limit) = exceeded(memory, start, time, &interrupted) {
                    break limit;
                }
            };
            end(limit, kind);
        })?;
        Ok(())
    }
}

fn exceeded(
    memory: u64,
    start: Instant,
    time: Option<Duration>,
    interrupted: &Arc<AtomicBool>,
) -> Option<Limit> {
    if interrupted.load(Ordering::Relaxed) {
        return Some(Limit::Interrupted);
    }
    if time.is_some_and(|time| start.elapsed() >= time + GRACE) {
        return Some(Limit::Time);
    }
    resident().is_some_and(|bytes| bytes > memory).then_some(Limit::Memory)
}

/// Returns how many bytes the program has in memory; `None` where the system does not say.
fn resident() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = text.lines().find(|line| line.starts_with("VmRSS:"))?;
    let kilobytes: u64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kilobytes * 1024)
}

fn end(limit: Limit, kind: &str) -> ! {
    let reason = limit.reason();
    output::error(&format!("undecided: {reason}"));
    limits::remember(false, [limit]);
    limits::advise("--time-limit");
    if output::is_json() {
        let mut document = envelope();
        let answer = json!({ "kind": kind, "name": "", "verdict": "undecided", "reason": reason });
        document.insert("answers".to_owned(), json!([answer]));
        // There is nobody left to tell if this fails.
        let _ = output::print_json(&Value::Object(document));
    }
    std::process::exit(2)
}
