//! Promela as SPIN 6.5.2 accepts it: preprocess, lex, parse, check, lower.

pub mod ast;
mod lexer;
pub mod messages;
mod parser;
mod preprocess;

pub use parser::{Context, parse, parse_expression_text, parse_formula_text, parse_with_context};
pub use preprocess::Options;
