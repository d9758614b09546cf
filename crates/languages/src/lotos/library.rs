//! The types that `library … endlib` can name, in LOTOS. What has a remark `builtin` needs no equations.

/// Other names of types.
pub(super) const ALIASES: &[(&str, &str)] = &[
    ("BOOL", "BOOLEAN"),
    ("X_BOOLEAN", "BOOLEAN"),
    ("FBOOLEAN", "BOOLEAN"),
    ("NAT", "NATURAL"),
    ("NATURALNUMBER", "NATURAL"),
    ("BASICNATURALNUMBER", "NATURAL"),
    ("X_NATURAL", "NATURAL"),
    ("BASICNONEMPTYSTRING", "NONEMPTYSTRING"),
    ("RICHERNONEMPTYSTRING", "NONEMPTYSTRING"),
    ("STRING0", "STRING"),
    ("STRING1", "STRING"),
];

/// The types.
pub(super) const TEXT: &str = include_str!("library.lotos");
