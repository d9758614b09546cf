//! Texts of a model inside HTML and SVG: they stay texts, whatever is written in them.

use std::fmt;

use narrows_source::is_harmful;

/// Writes a text so that it means itself in HTML and XML, between tags and in quoted attributes.
pub(crate) struct Escaped<T>(pub(crate) T);

impl<T: AsRef<str>> fmt::Display for Escaped<T> {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        for character in self.0.as_ref().chars() {
            match character {
                '&' => to.write_str("&amp;")?,
                '<' => to.write_str("&lt;")?,
                '>' => to.write_str("&gt;")?,
                '"' => to.write_str("&quot;")?,
                '\'' => to.write_str("&#39;")?,
                // XML has no way to write most of these.
                other if is_harmful(other) || matches!(other, '\u{fffe}' | '\u{ffff}') => {
                    to.write_str("\u{fffd}")?;
                }
                other => write!(to, "{other}")?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::Escaped;

    #[test]
    fn markup_stays_text() {
        let cases = [
            ("a < b && c", "a &lt; b &amp;&amp; c"),
            ("</script><script>alert('x')", "&lt;/script&gt;&lt;script&gt;alert(&#39;x&#39;)"),
            ("\" onload=\"x", "&quot; onload=&quot;x"),
            ("a\u{0}b\u{1b}", "a\u{fffd}b\u{fffd}"),
            ("one\n\ttwo \u{202e}eerht", "one\n\ttwo \u{fffd}eerht"),
        ];
        for (text, expected) in cases {
            assert_eq!(Escaped(text).to_string(), expected);
        }
    }
}
