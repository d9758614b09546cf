//! Names of files and ranges, as the protocol has them.

use std::fmt::Write;
use std::ops::Range;
use std::str::FromStr;

use lsp_types::{Position, Uri};
use narrows::editing::{Lines, Position as Place};

/// Returns the name under which a document is known: the path of a file, or else the whole address.
pub(crate) fn name_of(uri: &Uri) -> String {
    let text = uri.as_str();
    let Some(path) = text.strip_prefix("file://") else { return text.to_owned() };
    // `file://host/path` has a host, which is left out here: it is the local one.
    let path = &path[path.find('/').unwrap_or(0)..];
    normal(&decoded(path))
}

/// Returns the address of a file that is known under a name.
pub(crate) fn uri_of(name: &str) -> Option<Uri> {
    if !name.starts_with('/') {
        return Uri::from_str(name).ok();
    }
    let mut text = "file://".to_owned();
    for byte in name.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'-' | b'.' | b'_' | b'~' => {
                text.push(char::from(byte));
            }
            other => {
                let _ = write!(text, "%{other:02X}");
            }
        }
    }
    Uri::from_str(&text).ok()
}

/// Replaces `%20` and the like by what they stand for.
fn decoded(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut decoded = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let code = bytes.get(at + 1..at + 3).and_then(|digits| std::str::from_utf8(digits).ok());
        match code.and_then(|digits| u8::from_str_radix(digits, 16).ok()).filter(|_| bytes[at] == b'%') {
            Some(byte) => {
                decoded.push(byte);
                at += 3;
            }
            None => {
                decoded.push(bytes[at]);
                at += 1;
            }
        }
    }
    String::from_utf8_lossy(&decoded).into_owned()
}

/// Leaves `.` and `..` out of a path, as far as that can be done without looking at files.
pub(crate) fn normal(path: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match (part, parts[..].last()) {
            (".", _) => {}
            // There is nothing above the root.
            ("..", Some(&"")) => {}
            ("..", Some(last)) if *last != ".." => drop(parts.pop()),
            (other, _) if !other.is_empty() || parts.is_empty() => parts.push(other),
            _ => {}
        }
    }
    parts.join("/")
}

/// Returns a range of bytes as the protocol has it.
pub(crate) fn range(lines: &Lines<'_>, place: &Range<usize>) -> lsp_types::Range {
    lsp_types::Range { start: position(lines, place.start), end: position(lines, place.end) }
}

fn position(lines: &Lines<'_>, offset: usize) -> Position {
    let place = lines.position(offset);
    Position { line: place.line, character: place.column }
}

/// Returns the byte at a position.
pub(crate) fn offset(lines: &Lines<'_>, position: Position) -> usize {
    lines.offset(Place { line: position.line, column: position.character })
}

#[cfg(test)]
mod tests {
    use super::{name_of, normal, uri_of};

    #[test]
    fn files_keep_their_names() {
        for name in ["/a/b c/ä.pml", "/x/y%z#.toml", "untitled:Untitled-1"] {
            assert_eq!(name_of(&uri_of(name).expect("an address")), name);
        }
        assert_eq!(normal("/a/./b/../c.h"), "/a/c.h");
        assert_eq!(normal("/../c.h"), "/c.h");
        assert_eq!(normal("../a/../c.h"), "../c.h");
    }
}
