//! `--bitstate` and `--hash-compact`: what to do with a model that does not fit into memory.

use clap::Args;
use narrows::Lossy;

use crate::limits::parse_memory;

/// Whether less than whole states is kept.
#[derive(Args)]
pub(crate) struct Storage {
    /// Keep a few bits of each state, in a table of this size [default: a quarter of --memory]; proves
    /// nothing
    #[arg(long, value_name = "SIZE", num_args = 0..=1, require_equals = true, value_parser = parse_memory)]
    #[expect(clippy::option_option, reason = "it has a value, has none, or is not there")]
    bitstate: Option<Option<u64>>,

    /// Set this many bits for each state
    #[arg(long, value_name = "NUMBER", requires = "bitstate", default_value_t = 3)]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=32))]
    hash_functions: u32,

    /// Keep a hash of 64 bits of each state; proves nothing
    #[arg(long, conflicts_with = "bitstate")]
    hash_compact: bool,
}

impl Storage {
    pub(crate) fn is_lossy(&self) -> bool {
        self.hash_compact || self.bitstate.is_some()
    }

    /// Returns what is kept of states; `None` if all is.
    pub(crate) fn lossy(&self, memory: u64) -> anyhow::Result<Option<Lossy>> {
        if self.hash_compact {
            return Ok(Some(Lossy::Hashes));
        }
        let Some(size) = self.bitstate else { return Ok(None) };
        let bytes = size.unwrap_or(memory / 4);
        anyhow::ensure!(
            bytes < memory,
            "the table of --bitstate does not leave room for anything else; make it smaller, or raise \
             --memory"
        );
        Ok(Some(Lossy::Bits { bytes, hashes: self.hash_functions }))
    }
}
