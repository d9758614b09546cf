//! Front ends: text in, model out. A language never sees an engine.

pub mod lotos;
pub mod promela;
pub mod smv;
