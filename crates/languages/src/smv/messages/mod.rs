//! What the messages of this front end mean.

use narrows_source::Explanation;

/// Every explanation, by code.
pub const EXPLANATIONS: &[Explanation] = &[];
