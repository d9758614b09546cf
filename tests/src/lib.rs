//! Holds Narrows against SPIN 6.5.2: runs both on the same model and compares what they found.
//!
//! [`spin`] is the oracle, [`narrows`] the tool under test, [`compare`] the judge between them. Models come
//! from files or from [`generator`], which writes a random Promela model per seed; [`shrink`] reduces one
//! that differs to its essence. Both tools are seen only through their command lines, except that automata of
//! [`formulas`] are compared by the library that makes them: only it can tell whether two automata accept a
//! common word. [`browser`] opens the pages that Narrows writes, and [`schema`] validates its documents.

pub mod browser;
pub mod commands;
pub mod compare;
pub mod engines;
pub mod files;
pub mod formulas;
pub mod generator;
pub mod mutate;
pub mod narrows;
pub mod questions;
pub mod schema;
pub mod seeds;
pub mod shrink;
pub mod spin;
pub mod tree;
