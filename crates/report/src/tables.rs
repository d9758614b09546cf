//! Figures that a study puts into tables, each beside what others found.

use std::fmt::Write;

use narrows_model::{Figure, FigureResult, Number};

use crate::figures::{number_text, result_text};

/// A table of figures.
pub(crate) struct Table<'f> {
    pub(crate) title: &'f str,
    /// Who found the figures that stand beside ours; empty if there are none.
    pub(crate) source: &'f str,
    pub(crate) columns: Vec<&'f str>,
    pub(crate) rows: Vec<(&'f str, Vec<Option<&'f Figure>>)>,
}

/// Returns the tables, their rows and their columns in the order of the figures.
pub(crate) fn tables(figures: &[Figure]) -> Vec<Table<'_>> {
    let mut tables: Vec<Table<'_>> = Vec::new();
    for figure in figures {
        let Some([title, row, column]) = &figure.cell else { continue };
        let known = tables.iter().position(|table| table.title == title);
        let number = known.unwrap_or_else(|| {
            tables.push(Table { title, source: "", columns: Vec::new(), rows: Vec::new() });
            tables.len() - 1
        });
        let table = &mut tables[number];
        if let Some(reference) = &figure.reference {
            table.source = &reference.source;
        }
        let place = table.columns.iter().position(|known| known == column).unwrap_or_else(|| {
            table.columns.push(column);
            table.columns.len() - 1
        });
        let line = table.rows.iter().position(|(known, _)| known == row).unwrap_or_else(|| {
            table.rows.push((row, Vec::new()));
            table.rows.len() - 1
        });
        let cells = &mut table.rows[line].1;
        cells.resize(cells.len().max(place + 1), None);
        cells[place].get_or_insert(figure);
    }
    for table in &mut tables {
        let width = table.columns.len();
        table.rows.iter_mut().for_each(|(_, cells)| cells.resize(width, None));
    }
    tables
}

/// Writes a table: what came out, and after `=` or `≠` what others found.
pub(crate) fn text(table: &Table<'_>, digits: usize) -> String {
    let heads = std::iter::once(String::new()).chain(table.columns.iter().map(|&head| head.to_owned()));
    let mut lines: Vec<Vec<String>> = vec![heads.collect()];
    for (row, cells) in &table.rows {
        let cells =
            cells.iter().map(|figure| figure.map_or_else(|| "–".to_owned(), |figure| beside(figure, digits)));
        lines.push(std::iter::once((*row).to_owned()).chain(cells).collect());
    }
    let width = |column: usize| lines.iter().map(|line| line[column].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..=table.columns.len()).map(width).collect();
    let mut text = table.title.to_owned();
    if !table.source.is_empty() {
        let _ = write!(text, ": ours = {}", table.source);
    }
    text.push('\n');
    for line in lines {
        let cells = line.iter().zip(&widths).map(|(cell, width)| format!("{cell:width$}"));
        let _ = writeln!(text, "  {}", cells.collect::<Vec<_>>().join("  ").trim_end());
    }
    text
}

/// Says what came out and what others found.
fn beside(figure: &Figure, digits: usize) -> String {
    match &figure.reference {
        None => short(figure, digits),
        Some(reference) => {
            let sign = if reference.agrees { '=' } else { '≠' };
            format!("{} {sign} {}", short(figure, digits), found(&reference.found))
        }
    }
}

/// Writes what others found as our own results are written.
pub(crate) fn found(text: &str) -> String {
    let text = text.replace("infinity", "∞");
    match text.split_once(" to ") {
        Some((low, high)) => format!("[{low}, {high}]"),
        None => text,
    }
}

/// Writes a result in a few characters.
pub(crate) fn short(figure: &Figure, digits: usize) -> String {
    let number = |number: Number| match number {
        Number::Infinity => "∞".to_owned(),
        other => number_text(other),
    };
    match &figure.result {
        FigureResult::Value { low, high, exact: true } if low == high => number(*low),
        FigureResult::Value { low, high, exact: true } => format!("[{}, {}]", number(*low), number(*high)),
        FigureResult::Undecided(_) | FigureResult::None(_) => "?".to_owned(),
        _ => result_text(figure, digits),
    }
}

#[cfg(test)]
mod tests {
    use narrows_model::{Figure, FigureResult, Number, Published};

    use super::{tables, text};

    fn figure(cell: [&str; 3], low: i128, high: Option<i128>, found: &str, agrees: bool) -> Figure {
        let high = high.map_or(Number::Infinity, |high| Number::Ratio(high, 1));
        let reference = (!found.is_empty()).then(|| Published {
            source: "paper".to_owned(),
            found: found.to_owned(),
            agrees,
        });
        let result = FigureResult::Value { low: Number::Ratio(low, 1), high, exact: true };
        let figure = Figure::new("delay", String::new(), "timed", result);
        Figure { reference, cell: Some(cell.map(str::to_owned)), ..figure }
    }

    #[test]
    fn figures_stand_beside_what_others_found() {
        let figures = [
            figure(["Waiting", "first", "wait"], 1, Some(95), "1 to 95", true),
            figure(["Waiting", "second", "answer"], 2, Some(2), "", true),
            figure(["Waiting", "second", "wait"], 1, None, "1 to 38", false),
        ];
        let tables = tables(&figures);
        assert_eq!(tables.len(), 1);
        let expected = "Waiting: ours = paper\n          wait               answer\n  first   [1, 95] = [1, 95]  –\n  \
                        second  [1, ∞] ≠ [1, 38]   2\n";
        assert_eq!(text(&tables[0], 6), expected);
    }
}
