//! Lines and columns as editors count them.

/// A line and a column, counted from 0; the column in units of UTF-16.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position {
    /// The line.
    pub line: u32,
    /// The column.
    pub column: u32,
}

/// The lines of a text.
pub struct Lines<'t> {
    text: &'t str,
    starts: Vec<usize>,
}

impl<'t> Lines<'t> {
    /// Finds the lines of a text.
    pub fn new(text: &'t str) -> Lines<'t> {
        let starts = std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect();
        Lines { text, starts }
    }

    /// Returns where a byte stands; one in the middle of a character stands where that begins.
    pub fn position(&self, offset: usize) -> Position {
        let mut offset = offset.min(self.text.len());
        while !self.text.is_char_boundary(offset) {
            offset -= 1;
        }
        let line = self.starts.partition_point(|start| *start <= offset) - 1;
        let column = self.text[self.starts[line]..offset].encode_utf16().count();
        Position { line: line as u32, column: column as u32 }
    }

    /// Returns the byte at a position; behind the end of a line, the end of that line.
    pub fn offset(&self, position: Position) -> usize {
        let Some(start) = self.starts.get(position.line as usize) else { return self.text.len() };
        let end = self.starts.get(position.line as usize + 1).map_or(self.text.len(), |next| next - 1);
        let line = self.text[*start..end].trim_end_matches('\r');
        let mut units = 0;
        for (at, character) in line.char_indices() {
            if units >= position.column {
                return start + at;
            }
            units += character.len_utf16() as u32;
        }
        start + line.len()
    }
}

#[cfg(test)]
mod tests {
    use super::{Lines, Position};

    #[test]
    fn columns_are_units_of_utf_16() {
        let text = "a𝄞é\r\nb\n";
        let lines = Lines::new(text);
        for (offset, line, column) in [(0, 0, 0), (1, 0, 1), (5, 0, 3), (7, 0, 4), (9, 1, 0), (11, 2, 0)] {
            let position = Position { line, column };
            assert_eq!(lines.position(offset), position, "{offset}");
            assert_eq!(lines.offset(position), offset);
        }
        assert_eq!(lines.position(3), Position { line: 0, column: 1 });
        assert_eq!(lines.offset(Position { line: 0, column: 99 }), 7);
        assert_eq!(lines.offset(Position { line: 9, column: 0 }), text.len());
    }
}
