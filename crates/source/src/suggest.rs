//! "Did you mean …?"

/// Longer words are not compared: the time grows with the product of the lengths.
const MAX_LENGTH: usize = 64;
/// So many words are looked at.
const MAX_CANDIDATES: usize = 1000;

/// Returns the candidate that differs least from `name`, if it differs little enough to be a slip of the
/// keyboard.
pub fn closest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    if name.len() > MAX_LENGTH {
        return None;
    }
    // Of one or two letters everything is close: there only the case may differ.
    let limit = (name.chars().count() / 3).min(3);
    candidates
        .into_iter()
        .take(MAX_CANDIDATES)
        .filter(|candidate| *candidate != name && candidate.len() <= MAX_LENGTH)
        .map(|candidate| (distance(name, candidate), candidate))
        .filter(|(distance, _)| *distance <= limit)
        .min()
        .map(|(_, candidate)| candidate)
}

/// Returns the number of insertions, deletions, replacements and swaps of neighbours between two words,
/// ignoring case.
fn distance(left: &str, right: &str) -> usize {
    let left: Vec<char> = left.to_lowercase().chars().collect();
    let right: Vec<char> = right.to_lowercase().chars().collect();
    let mut rows = vec![vec![0; right.len() + 1]; left.len() + 1];
    for i in 0..=left.len() {
        for j in 0..=right.len() {
            rows[i][j] = if i == 0 || j == 0 {
                i + j
            } else {
                let replaced = rows[i - 1][j - 1] + usize::from(left[i - 1] != right[j - 1]);
                let best = replaced.min(rows[i - 1][j] + 1).min(rows[i][j - 1] + 1);
                let swapped = i > 1 && j > 1 && left[i - 1] == right[j - 2] && left[i - 2] == right[j - 1];
                if swapped { best.min(rows[i - 2][j - 2] + 1) } else { best }
            };
        }
    }
    rows[left.len()][right.len()]
}

#[cfg(test)]
mod tests {
    use super::closest;

    #[test]
    fn finds_slips_and_nothing_else() {
        assert_eq!(closest("brek", ["break", "byte"]), Some("break"));
        assert_eq!(closest("recieve", ["receive", "send"]), Some("receive"));
        assert_eq!(closest("xyz", ["count", "total"]), None);
        assert_eq!(closest("y", ["_", "x"]), None);
        assert_eq!(closest("Ok", ["ok", "no"]), Some("ok"));
    }

    #[test]
    fn long_words_cost_nothing() {
        let (left, right) = ("x".repeat(1_000_000), "x".repeat(1_000_001));
        assert_eq!(closest(&left, [right.as_str()]), None);
        assert_eq!(closest("x", [right.as_str()]), None);
    }
}
