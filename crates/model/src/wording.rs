//! Numbers as they stand in sentences.

/// Writes a part of a whole as a percentage.
pub fn percent(part: f64) -> String {
    let percent = part * 100.0;
    if (percent - percent.round()).abs() < 0.05 {
        format!("{percent:.0} %")
    } else {
        format!("{percent:.1} %")
    }
}

/// Writes a number with four digits.
pub fn short(number: f64) -> String {
    if number.is_infinite() {
        return "infinity".to_owned();
    }
    if number == 0.0 {
        return "0".to_owned();
    }
    let magnitude = number.abs().log10().floor();
    if !(-5.0..7.0).contains(&magnitude) {
        return format!("{number:.3e}");
    }
    let places = (3.0 - magnitude).clamp(0.0, 9.0) as usize;
    let text = format!("{number:.places$}");
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}

/// Writes control characters as Promela does: a statement is one line, also if it prints a line break.
pub fn one_line(text: &str) -> String {
    text.chars().flat_map(|c| if c.is_control() { c.escape_default().collect() } else { vec![c] }).collect()
}

/// Lists names: `a`, `b` and `c`.
pub fn listed(names: impl Iterator<Item = String>) -> String {
    let names: Vec<String> = names.collect();
    match names.as_slice() {
        [] => String::new(),
        [one] => one.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::{percent, short};

    #[test]
    fn numbers_are_short() {
        let cases =
            [(0.002_207_3, "0.002207"), (1359.0, "1359"), (0.5, "0.5"), (1e-9, "1.000e-9"), (0.0, "0")];
        for (number, text) in cases {
            assert_eq!(short(number), text);
        }
        assert_eq!(short(f64::INFINITY), "infinity");
        assert_eq!((percent(0.5), percent(0.548)), ("50 %".to_owned(), "54.8 %".to_owned()));
    }
}
