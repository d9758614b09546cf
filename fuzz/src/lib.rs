//! What the fuzz targets share.

use narrows_languages::promela::{self, Options};
use narrows_model::System;
use narrows_source::{Diagnostics, Loaded, Loader, Sources};

/// Finds no file at all.
struct NoFiles;

impl Loader for NoFiles {
    fn load(&self, _: &str, _: &str, _: bool) -> Result<Loaded, String> {
        Err("there are no files here".to_owned())
    }
}

/// Compiles any bytes as a text; what is no UTF-8 is replaced, as nothing else reaches the compiler.
pub fn compile(data: &[u8]) -> Option<System> {
    let text = String::from_utf8_lossy(data);
    let mut sources = Sources::default();
    let file = sources.add("fuzz.pml", text);
    let mut diagnostics = Diagnostics::default();
    let system = promela::compile(&mut sources, file, &NoFiles, &Options::default(), &mut diagnostics);
    // Every diagnostic must name places that exist.
    for diagnostic in diagnostics.sorted() {
        let file = sources.file(diagnostic.primary.span.file);
        assert!(file.text.get(diagnostic.primary.span.start as usize..).is_some(), "{diagnostic:?}");
    }
    assert_eq!(system.is_none(), diagnostics.has_errors(), "no system, or errors: one of them");
    system
}
