//! Runs from top to bottom as text: a line for each state, a column for each signal or gate.

use crate::run::one_line;

/// No column is wider.
const WIDEST: usize = 24;

/// What a column shows.
pub(crate) struct Column {
    pub(crate) name: String,
    /// What it is in each state, or what happens before it.
    pub(crate) values: Vec<Option<String>>,
    /// Whether the values happen, and do not last.
    pub(crate) is_event: bool,
}

impl Column {
    fn is_level(&self) -> bool {
        !self.is_event && self.values.iter().flatten().all(|value| value == "TRUE" || value == "FALSE")
    }

    fn width(&self) -> usize {
        let shown = self.values.iter().flatten().filter(|_| !self.is_level());
        let own = shown.map(|value| value.chars().count() + usize::from(self.is_event));
        own.chain([self.name.chars().count(), 3]).max().unwrap_or(0).min(WIDEST)
    }

    /// Shows the column in one state. A signal with two values is a line to the left or to the right.
    fn cell(&self, place: usize) -> String {
        let value = self.values[place].as_deref();
        let before = place.checked_sub(1).and_then(|before| self.values[before].as_deref());
        match (value, before) {
            (Some(value), _) if self.is_event => cut(&format!("●{value}")),
            (None, _) if self.is_event => "│".to_owned(),
            (None, _) => String::new(),
            (Some("TRUE"), Some("FALSE")) if self.is_level() => "└─┐".to_owned(),
            (Some("FALSE"), Some("TRUE")) if self.is_level() => "┌─┘".to_owned(),
            (Some("TRUE"), _) if self.is_level() => "  │".to_owned(),
            (Some(_), _) if self.is_level() => "│".to_owned(),
            (Some(value), before) if before == Some(value) => "│".to_owned(),
            (Some(value), _) => cut(value),
        }
    }
}

fn cut(text: &str) -> String {
    let text = one_line(text);
    if text.chars().count() <= WIDEST {
        return text;
    }
    text.chars().take(WIDEST - 1).chain(['…']).collect()
}

/// Writes columns, of which as many are shown as there is room for; the first line has their names. The state
/// with which a cycle begins is marked.
pub(crate) fn lines(columns: &[Column], cycle: Option<usize>, room: Option<usize>) -> Vec<String> {
    let count = columns.iter().map(|column| column.values.len()).max().unwrap_or(0);
    let number = count.saturating_sub(1).to_string().len();
    let mut used = number + 2;
    let fits = |column: &&Column| {
        used += 2 + column.width();
        room.is_none_or(|room| used <= room)
    };
    let shown: Vec<&Column> = columns.iter().take_while(fits).collect();
    let line = |label: String, cell: &dyn Fn(&Column) -> String| {
        let cells = shown.iter().map(|column| format!("  {:width$}", cell(column), width = column.width()));
        format!("{label}{}", cells.collect::<String>()).trim_end().to_owned()
    };
    let mut head = line(format!("{:number$}  ", ""), &|column| cut(&column.name));
    let more = columns.len() - shown.len();
    if more > 0 {
        head = format!("{head}  +{more}");
    }
    let state = |place: usize| {
        let mark = if cycle == Some(place) { "↻" } else { " " };
        line(format!("{place:>number$} {mark}"), &|column| column.cell(place))
    };
    std::iter::once(head).chain((0..count).map(state)).collect()
}

#[cfg(test)]
mod tests {
    use super::{Column, lines};

    fn column(name: &str, values: &[&str], is_event: bool) -> Column {
        let value = |value: &&str| (!value.is_empty()).then(|| (*value).to_owned());
        Column { name: name.to_owned(), values: values.iter().map(value).collect(), is_event }
    }

    #[test]
    fn signals_and_gates_are_shown_from_top_to_bottom() {
        let columns = [
            column("busy", &["FALSE", "TRUE", "TRUE", "FALSE"], false),
            column("n", &["0", "1", "1", ""], false),
            column("SEND", &["", " !1", "", " !2"], true),
        ];
        let expected = [
            "     busy  n    SEND",
            "0    │     0    │",
            "1 ↻  └─┐   1    ● !1",
            "2      │   │    │",
            "3    ┌─┘        ● !2",
        ];
        assert_eq!(lines(&columns, Some(1), None), expected);
        assert_eq!(lines(&columns, None, Some(12))[0], "     busy  +2");
    }
}
