//! What messages mean.

use narrows_languages::LANGUAGES;
use narrows_source::Explanation;

/// Returns what every message means, those that belong to no language first.
pub fn explanations() -> Vec<Explanation> {
    let languages = LANGUAGES.iter().map(|language| language.messages());
    let others = [narrows_lts::mu::MESSAGES, narrows_lts::linear::MESSAGES, narrows_study::MESSAGES];
    let all = [include_str!("messages.md")].into_iter().chain(languages).chain(others);
    all.flat_map(Explanation::read).collect()
}
