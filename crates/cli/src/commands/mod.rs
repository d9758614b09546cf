//! One file for each command.

pub(crate) mod automaton;
pub(crate) mod bottleneck;
pub(crate) mod bounds;
pub(crate) mod check;
pub(crate) mod cluster;
pub(crate) mod completions;
pub(crate) mod explain;
pub(crate) mod explore;
pub(crate) mod figures;
pub(crate) mod files;
pub(crate) mod fit;
pub(crate) mod graph;
pub(crate) mod init;
pub(crate) mod lsp;
pub(crate) mod lts;
pub(crate) mod measure;
pub(crate) mod new;
pub(crate) mod serve;
pub(crate) mod simulate;
mod storage;
