//! The coherence tables that come with the program.

/// Names and texts.
const TABLES: [(&str, &str); 5] = [
    ("mesi-a", include_str!("../../tables/mesi-a.toml")),
    ("mesi-b", include_str!("../../tables/mesi-b.toml")),
    ("mesi-b-store", include_str!("../../tables/mesi-b-store.toml")),
    ("msi", include_str!("../../tables/msi.toml")),
    ("moesi", include_str!("../../tables/moesi.toml")),
];

/// Returns the text of a table.
pub(super) fn find(name: &str) -> Option<&'static str> {
    TABLES.iter().find(|(known, _)| *known == name).map(|(_, text)| *text)
}

/// Returns the names of all tables.
pub(super) fn names() -> Vec<&'static str> {
    TABLES.iter().map(|(name, _)| *name).collect()
}
