//! TODO

use narrows_source::Explanation;

pub(super) const EXPLANATIONS: &[Explanation] = &[];
