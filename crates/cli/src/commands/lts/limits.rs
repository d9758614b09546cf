//! Limits of commands about graphs, which know none of their own: the watchdog keeps them.

use std::time::Duration;

use clap::Args;

use crate::limits::{default_memory, interrupt_flag, parse_memory, parse_time};
use crate::watchdog::{self, Work};

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

    /// Starts to keep them.
    pub(super) fn keep(&self) -> anyhow::Result<()> {
        watchdog::limit(Work::Graphs, self.time_limit, self.memory);
        interrupt_flag().map(drop)
    }
}
