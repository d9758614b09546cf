//! How many random models a test looks at: a fixed number, whatever the machine is busy with.

use std::ops::RangeInclusive;

/// Returns the seeds from 1 to `count`, or those that `NARROWS_SEEDS` names: `5000`, or `1001..5000`.
///
/// A test that runs until a clock says stop sees fewer models on a loaded machine, and in the end none: it
/// can't fail.
pub fn seeds(count: u64) -> RangeInclusive<u64> {
    let Ok(given) = std::env::var("NARROWS_SEEDS") else { return 1..=count };
    range(&given).unwrap_or_else(|| panic!("NARROWS_SEEDS is `{given}`: it must be like 5000 or 1001..5000"))
}

fn range(text: &str) -> Option<RangeInclusive<u64>> {
    let (first, last) = text.split_once("..").unwrap_or(("1", text));
    Some(first.parse().ok()?..=last.parse().ok()?)
}

#[cfg(test)]
mod tests {
    use super::range;

    #[test]
    fn seeds_are_a_number_or_a_range() {
        assert_eq!(range("20"), Some(1..=20));
        assert_eq!(range("5..20"), Some(5..=20));
        assert_eq!(range("many"), None);
    }
}
