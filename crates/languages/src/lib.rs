//! Front ends: text in, model out. A language never sees an engine.

pub mod aiger;
pub mod aut;
mod language;
pub mod lotos;
pub mod outline;
pub mod promela;
pub mod smv;

pub use language::{
    Definition, Formula, Identified, LANGUAGES, Language, Logic, NotText, Options, Read, Rejected, Task,
    assign_definitions, compile_synchronous, identify, of_ending, read, text_of,
};
