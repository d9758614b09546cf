//! Promela as SPIN 6.5.2 accepts it: preprocess, lex, parse, check, lower.

pub mod ast;
