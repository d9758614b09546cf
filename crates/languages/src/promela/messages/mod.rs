//! What the messages of this front end mean.

mod lowering;
mod preprocess;
mod syntax;

use narrows_source::Explanation;

/// The messages of lowering: names, types, processes, jumps.
pub use lowering::EXPLANATIONS as LOWERING;
/// The messages of the preprocessor and the lexer.
pub use preprocess::EXPLANATIONS as PREPROCESS;
/// The messages of the parser.
pub use syntax::EXPLANATIONS as SYNTAX;

/// Returns every explanation, by code.
pub fn explanations() -> impl Iterator<Item = &'static Explanation> {
    preprocess::EXPLANATIONS.iter().chain(syntax::EXPLANATIONS).chain(lowering::EXPLANATIONS)
}
