//! What the program can be asked to do, one module for each command.

pub(crate) mod simulate;
