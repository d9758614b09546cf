//! What the fuzz targets share.

use narrows_languages::{lotos, promela, smv};
use narrows_model::System;
use narrows_model::behaviour::Behaviour;
use narrows_source::{Diagnostics, FileId, LoadError, Loaded, Loader, Sources};
use narrows_tests::engines;

/// Finds no file at all.
struct NoFiles;

impl Loader for NoFiles {
    fn load(&self, _: &str, _: &str, _: bool) -> Result<Loaded, LoadError> {
        Err(LoadError::NoFiles)
    }
}

/// Compiles any bytes as a model in Promela.
pub fn compile(data: &[u8]) -> Option<System> {
    compiled(data, "fuzz.pml", |sources, file, diagnostics| {
        promela::compile(sources, file, &NoFiles, &promela::Options::default(), diagnostics)
    })
}

/// How many states machine code and evaluator are compared in.
const STATES: usize = 300;

/// Compiles any bytes as a model in Promela, and holds machine code against the reference evaluator in its
/// first states.
///
/// # Panics
///
/// Panics if they differ.
pub fn engines_agree(data: &[u8]) {
    if let Some(system) = compile(data) {
        engines::agree("fuzz.pml", &system, STATES);
    }
}

/// Compiles any bytes as a model in SMV.
pub fn compile_smv(data: &[u8]) -> Option<smv::Compiled> {
    compiled(data, "fuzz.smv", |sources, file, diagnostics| {
        smv::compile(sources, file, &smv::Options::default(), diagnostics)
    })
}

/// Compiles any bytes as a model in LOTOS.
pub fn compile_lotos(data: &[u8]) -> Option<Behaviour> {
    compiled(data, "fuzz.lotos", |sources, file, diagnostics| {
        lotos::compile(sources, file, &lotos::Options::default(), diagnostics)
    })
}

/// Compiles any bytes as a text; what is no UTF-8 is replaced, as nothing else reaches a compiler.
fn compiled<T>(
    data: &[u8],
    name: &str,
    compile: impl FnOnce(&mut Sources, FileId, &mut Diagnostics) -> Option<T>,
) -> Option<T> {
    let mut sources = Sources::default();
    let file = sources.add(name, String::from_utf8_lossy(data));
    let mut diagnostics = Diagnostics::default();
    let model = compile(&mut sources, file, &mut diagnostics);
    // Every diagnostic must name places that exist.
    for diagnostic in diagnostics.sorted() {
        let file = sources.file(diagnostic.primary.span.file);
        assert!(file.text.get(diagnostic.primary.span.start as usize..).is_some(), "{diagnostic:?}");
    }
    assert_eq!(model.is_none(), diagnostics.has_errors(), "no model, or errors: one of them");
    model
}
