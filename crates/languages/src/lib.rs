//! Front ends: text in, model out. A language never sees an engine.

#[cfg(test)]
mod codes;
pub mod promela;
pub mod smv;
