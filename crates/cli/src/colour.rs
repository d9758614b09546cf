//! Colours for verdicts on a terminal. Reports are plain text; this paints the words in them that answer a
//! question, where a report puts them.

use std::io::IsTerminal;
use std::sync::OnceLock;

use clap::ValueEnum;

/// When to write in colour.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum When {
    /// On a terminal, unless the variable `NO_COLOR` is set
    #[default]
    Auto,
    /// Into files and pipes too
    Always,
    /// Not at all
    Never,
}

const GOOD: &str = "32";
const BAD: &str = "1;31";
const OPEN: &str = "33";
const STRONG: &str = "1";

/// Words at the beginning of a line, after two spaces.
const VERDICTS: [(&str, &str); 3] = [("holds", GOOD), ("fails", BAD), ("undecided", OPEN)];

/// Words elsewhere in a line, after two spaces; what follows them up to the end of the line has their colour,
/// if they end with a colon.
const JUDGEMENTS: [(&str, &str); 3] =
    [("NOT AS EXPECTED:", BAD), ("as expected", GOOD), ("undecided:", OPEN)];

static WHEN: OnceLock<When> = OnceLock::new();

/// Sets what `--color` says.
pub(crate) fn choose(when: When) {
    let _ = WHEN.set(when);
}

/// Returns whether to write in colour to a stream.
pub(crate) fn is_wanted(stream: &impl IsTerminal) -> bool {
    match WHEN.get().copied().unwrap_or_default() {
        When::Always => true,
        When::Never => false,
        // As no-color.org has it: an empty variable counts as none.
        When::Auto => {
            stream.is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
        }
    }
}

/// Paints the verdicts in a report.
pub(crate) fn painted(report: &str) -> String {
    report.split_inclusive('\n').map(line).collect()
}

fn line(line: &str) -> String {
    let (text, end) = line.strip_suffix('\n').map_or((line, ""), |text| (text, "\n"));
    if text.starts_with("bottleneck of ") {
        return format!("{}{end}", paint(text, STRONG));
    }
    let verdict = text.strip_prefix("  ").and_then(|rest| {
        let is_at = |(word, _): &&(&str, &str)| {
            rest.strip_prefix(word).is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
        };
        VERDICTS.iter().find(is_at).map(|(word, colour)| (&rest[word.len()..], *word, *colour))
    });
    if let Some((rest, word, colour)) = verdict {
        return format!("  {}{rest}{end}", paint(word, colour));
    }
    for (word, colour) in JUDGEMENTS {
        let Some(start) = text.find(&format!("  {word}")).map(|at| at + 2) else { continue };
        let stop = if word.ends_with(':') { text.len() } else { start + word.len() };
        // Longer words are others.
        if text[stop..].starts_with(char::is_alphanumeric) {
            continue;
        }
        return format!("{}{}{}{end}", &text[..start], paint(&text[start..stop], colour), &text[stop..]);
    }
    line.to_owned()
}

fn paint(text: &str, colour: &str) -> String {
    format!("\u{1b}[{colour}m{text}\u{1b}[0m")
}

#[cfg(test)]
mod tests {
    use super::painted;

    #[test]
    fn what_answers_is_painted_and_nothing_else() {
        let rows = [
            ("  holds      no deadlock\n", "  \u{1b}[32mholds\u{1b}[0m      no deadlock\n"),
            ("  fails      x", "  \u{1b}[1;31mfails\u{1b}[0m      x"),
            ("  holdsworth  x", "  holdsworth  x"),
            ("  a  5 us  as expected\n", "  a  5 us  \u{1b}[32mas expected\u{1b}[0m\n"),
            ("  a  5 us  NOT AS EXPECTED: 6\n", "  a  5 us  \u{1b}[1;31mNOT AS EXPECTED: 6\u{1b}[0m\n"),
            ("  a  undecided: memory\n", "  a  \u{1b}[33mundecided: memory\u{1b}[0m\n"),
            ("bottleneck of x: y\n", "\u{1b}[1mbottleneck of x: y\u{1b}[0m\n"),
            ("study  as expectedly", "study  as expectedly"),
        ];
        for (plain, expected) in rows {
            assert_eq!(painted(plain), expected);
        }
        let all: String = rows.iter().map(|(plain, _)| *plain).collect();
        let bare = painted(&all).replace("\u{1b}[0m", "");
        let bare = ["1;31", "32", "33", "1"]
            .iter()
            .fold(bare, |text, code| text.replace(&format!("\u{1b}[{code}m"), ""));
        assert_eq!(bare, all);
    }
}
