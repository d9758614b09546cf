//! Studies put together from texts.

use narrows::{Budget, Diagnostic, Diagnostics, Loader, PreparedStudy, Rejected, Sources, Unwatched};
use narrows_study::{Study, read};

/// Puts a study and its model together, after a change to the study; the error is what is wrong with it.
pub(crate) fn prepared(
    study: &str,
    (name, model): (&str, &str),
    loader: &dyn Loader,
    change: &dyn Fn(&mut Study),
) -> Result<PreparedStudy, Box<Rejected>> {
    let (mut sources, mut diagnostics) = (Sources::default(), Diagnostics::default());
    let file = sources.add("study.toml", study);
    let mut study = read(&sources, file, &mut diagnostics);
    change(&mut study);
    let model = Some((name.to_owned(), model.to_owned()));
    PreparedStudy::new("study.toml".to_owned(), study, model, sources, diagnostics, loader)
}

/// Says what is wrong with a study, in the order of the texts.
pub(crate) fn wrong(rejected: &Rejected, say: impl Fn(&Diagnostic, &Sources) -> String) -> Vec<String> {
    rejected.diagnostics.iter().map(|one| say(one, &rejected.sources)).collect()
}

/// Returns enough for small models.
pub(crate) fn budget() -> Budget {
    Budget { memory: 1 << 30, ..Budget::unlimited(Unwatched) }
}
