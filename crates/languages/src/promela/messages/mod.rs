//! What the messages of this front end mean.

mod preprocess;
mod syntax;

use narrows_source::Explanation;

/// Returns every explanation, by code.
pub fn explanations() -> impl Iterator<Item = &'static Explanation> {
    preprocess::EXPLANATIONS.iter().chain(syntax::EXPLANATIONS)
}
