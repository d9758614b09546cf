//! Which language a text is in, and what reads it. This is the only place that decides it.

use narrows_model::{Form, FormKind, LabelFormula, Model};
use narrows_source::{Diagnostic, Diagnostics, FileId, Loader, Sources, Span};
use thiserror::Error;

use crate::aiger::DamagedAiger;
use crate::outline::Outline;
use crate::{aiger, aut, lotos, promela, smv};

/// A language that models are written in.
pub trait Language: Sync {
    /// Returns its name.
    fn name(&self) -> &'static str;

    /// Returns how the names of its files end, in lower case.
    fn endings(&self) -> &'static [&'static str];

    /// Returns what in a text tells that it is written in this language; `None` if nothing does.
    fn recognise(&self, text: &str) -> Option<&'static str>;

    /// Returns the text of a file that has another form than text; `None` if it has none of this language,
    /// and what is wrong with it if that is no such file either.
    fn decode(&self, bytes: &[u8]) -> Option<Result<String, DamagedAiger>> {
        let _ = bytes;
        None
    }

    /// Returns the form of its systems.
    fn form(&self) -> FormKind;

    /// Turns a text into a system; `None` if there are errors.
    fn compile(&self, task: &mut Task<'_>) -> Option<Form>;

    /// Returns what its messages mean, as [`Explanation::read`](narrows_source::Explanation::read) takes it.
    fn messages(&self) -> &'static str;

    /// Returns whether its texts list all states and steps, and so are graphs already.
    fn is_graph(&self) -> bool {
        false
    }

    /// Returns what a text names, and where, for editors; the text may be unfinished.
    fn outline(&self, text: &str) -> Outline {
        let _ = text;
        Outline::default()
    }

    /// Returns its keywords.
    fn keywords(&self) -> Vec<&'static str> {
        Vec::new()
    }

    /// Returns the names to which values can be given, where the text declares them.
    fn parameters(&self, text: &str) -> Vec<String> {
        let _ = text;
        Vec::new()
    }
}

/// A text that is to become a system.
pub struct Task<'a> {
    /// The texts; others are added as they are included.
    pub sources: &'a mut Sources,
    /// The text.
    pub file: FileId,
    /// Finds what is included.
    pub loader: &'a dyn Loader,
    /// What is asked for beside it.
    pub options: &'a Options,
    /// What is wrong.
    pub diagnostics: &'a mut Diagnostics,
}

/// What the user gives and asks beside the text.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Values for names; what a name is depends on the language.
    pub definitions: Vec<Definition>,
    /// Further formulas.
    pub formulas: Vec<Formula>,
}

/// A name that gets a value, as in `-D NAME=VALUE`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Definition {
    /// `NAME=VALUE`, or a name alone.
    pub text: String,
    /// Where it comes from, such as the name of an option.
    pub origin: String,
}

impl<T: Into<String>> From<T> for Definition {
    fn from(text: T) -> Definition {
        Definition { text: text.into(), origin: "-D".to_owned() }
    }
}

impl Definition {
    /// Returns the name, and the value if there is one.
    pub fn split(&self) -> (&str, Option<&str>) {
        match self.text.split_once('=') {
            Some((name, value)) => (name, Some(value)),
            None => (&self.text, None),
        }
    }
}

/// Says which definitions are for which of several texts, by the parameters that each declares; `None` stands
/// for one that has no parameters. What fits none is for the first that can have some, which says so. Returns
/// `None` if none can.
pub fn assign_definitions(
    parameters: &[Option<Vec<String>>],
    definitions: &[String],
) -> Option<Vec<Vec<String>>> {
    let first = parameters.iter().position(Option::is_some)?;
    let mut given = vec![Vec::new(); parameters.len()];
    for definition in definitions {
        let name = definition.split('=').next().unwrap_or("").trim();
        let is_it = |known: &String| known.eq_ignore_ascii_case(name);
        let has_it = |list: &Option<Vec<String>>| list.as_ref().is_some_and(|list| list.iter().any(is_it));
        let mut found: Vec<usize> =
            (0..parameters.len()).filter(|place| has_it(&parameters[*place])).collect();
        if found.is_empty() {
            found.push(first);
        }
        for place in found {
            given[place].push(definition.clone());
        }
    }
    Some(given)
}

/// A formula that is asked beside what the text asks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Formula {
    /// The logic it is in.
    pub logic: Logic,
    /// Its text.
    pub text: String,
    /// Where it comes from, such as the name of an option.
    pub origin: String,
}

/// The logics that formulas can be in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Logic {
    /// Linear temporal logic.
    Ltl,
    /// Computation tree logic.
    Ctl,
    /// The modal mu-calculus.
    Mu,
    /// None: an expression about states, which holds in all of them or has a value in each.
    Expression,
}

impl Logic {
    /// Returns its name, as in the JSON output.
    pub fn kind(self) -> &'static str {
        match self {
            Logic::Ltl => "ltl",
            Logic::Ctl => "ctl",
            Logic::Mu => "mu",
            Logic::Expression => "expression",
        }
    }
}

/// All languages. One that is taken when nothing else fits comes first.
pub const LANGUAGES: [&dyn Language; 5] =
    [&promela::Promela, &smv::Smv, &lotos::Lotos, &aut::Aut, &aiger::Aiger];

/// Returns the text of a file. Old models have comments in other encodings than UTF-8, and strange characters
/// there do no harm; and a language may have files that are no text.
///
/// # Errors
///
/// It is neither text nor such a file.
pub fn text_of(bytes: Vec<u8>) -> Result<String, NotText> {
    if let Some(decoded) = LANGUAGES.iter().find_map(|language| language.decode(&bytes)) {
        return decoded.map_err(NotText::Damaged);
    }
    String::from_utf8(bytes).or_else(|error| {
        if error.as_bytes().contains(&0) {
            return Err(NotText::Binary);
        }
        Ok(String::from_utf8_lossy(error.as_bytes()).into_owned())
    })
}

/// Why bytes are no model's text.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum NotText {
    /// They are of another kind.
    #[error("not a text file")]
    Binary,
    /// They are in a form that a language has, but not right.
    #[error(transparent)]
    Damaged(DamagedAiger),
}

/// Which language a text was taken for, and why.
#[derive(Clone, Copy)]
pub struct Identified {
    /// The language.
    pub language: &'static dyn Language,
    /// What in the text tells, if the name of the file does not; empty if nothing does.
    pub sign: Option<&'static str>,
}

impl Identified {
    /// Says what the text was taken for, where its name does not tell.
    pub fn note(&self, name: &str) -> Option<String> {
        let language = self.language.name();
        match self.sign? {
            "" => Some(format!(
                "`{name}` was taken for {language}, as neither its name nor its text says otherwise"
            )),
            sign => Some(format!("`{name}` was taken for {language}, as its text has {sign}")),
        }
    }

    /// Says what a text was taken for that has errors, if it may have been meant for another language.
    fn doubt(&self, name: &str, text: &str) -> Option<String> {
        if self.sign.is_some() {
            return self.note(name);
        }
        let taken = self.language.name();
        let is_other = |language: &&&dyn Language| language.name() != taken;
        let sign = |language: &&dyn Language| Some((language.name(), language.recognise(text)?));
        let (other, sign) = LANGUAGES.iter().filter(is_other).find_map(sign)?;
        let is_own = self.language.recognise(text).is_some();
        let doubt = || format!("`{name}` was taken for {taken} by its name; {sign} in its text is {other}");
        (!is_own).then(doubt)
    }
}

/// Decides by the ending of a file's name, in any case, and otherwise by the text.
pub fn identify(name: &str, text: &str) -> Identified {
    if let Some(language) = of_ending(name) {
        return Identified { language, sign: None };
    }
    let recognised = |language: &&'static dyn Language| Some((*language, language.recognise(text)?));
    let (language, sign) = LANGUAGES.iter().find_map(recognised).unwrap_or((LANGUAGES[0], ""));
    Identified { language, sign: Some(sign) }
}

/// Returns the language that files with such a name are in, if their ending tells.
pub fn of_ending(name: &str) -> Option<&'static dyn Language> {
    let file = name.rsplit(['/', '\\']).next().unwrap_or(name);
    let ending = file.rsplit_once('.')?.1.to_lowercase();
    LANGUAGES.into_iter().find(|language| language.endings().contains(&ending.as_str()))
}

/// A text that is not a model.
#[derive(Debug)]
pub struct Rejected {
    /// The texts.
    pub sources: Sources,
    /// What is wrong with them.
    pub diagnostics: Vec<Diagnostic>,
}

/// A model, and what was said about its text.
#[derive(Debug)]
pub struct Read {
    /// The model.
    pub model: Model,
    /// Warnings.
    pub warnings: Vec<Diagnostic>,
    /// What the text was taken for, where its name does not tell.
    pub note: Option<String>,
}

/// Reads a model.
///
/// # Errors
///
/// The text is rejected if there are errors in it, and all of them are in the result.
pub fn read(name: &str, text: String, loader: &dyn Loader, options: &Options) -> Result<Read, Box<Rejected>> {
    let identified = identify(name, &text);
    let mut sources = Sources::default();
    let file = sources.add(name, text);
    let mut diagnostics = Diagnostics::default();
    let mut task = Task { sources: &mut sources, file, loader, options, diagnostics: &mut diagnostics };
    let form = identified.language.compile(&mut task).filter(|_| !diagnostics.has_errors());
    let mut diagnostics = diagnostics.sorted();
    let Some(form) = form else {
        if let Some(first) = diagnostics.first_mut() {
            first.notes.extend(identified.doubt(name, &sources.file(file).text));
        }
        return Err(Box::new(Rejected { sources, diagnostics }));
    };
    let definitions = options.definitions.iter().map(|definition| definition.text.clone()).collect();
    let name = name.to_owned();
    let note = identified.note(&name);
    let model = Model { name, language: identified.language.name(), sources, definitions, form };
    Ok(Read { model, warnings: diagnostics, note })
}

/// Turns the text of a synchronous system, in whichever language, into one, with what is asked beside it;
/// `None` if there are errors.
pub fn compile_synchronous(
    sources: &mut Sources,
    file: FileId,
    options: &smv::Options,
    diagnostics: &mut Diagnostics,
) -> Option<smv::Compiled> {
    let source = sources.file(file);
    match identify(&source.name, &source.text).language.name() {
        name if name == aiger::Aiger.name() => aiger::compile(sources, file, options, diagnostics),
        _ => smv::compile(sources, file, options, diagnostics),
    }
}

impl Task<'_> {
    /// Complains about formulas in a logic that the language has no formulas in.
    pub(crate) fn refuse_formulas(&mut self, logics: &[Logic], language: &str, instead: &str) {
        for formula in self.options.formulas.iter().filter(|formula| !logics.contains(&formula.logic)) {
            let file = self.sources.add(formula.origin.clone(), formula.text.clone());
            let span = Span::new(file, 0, formula.text.len());
            let title = format!("{language} models have no formulas in this logic");
            self.diagnostics.push(Diagnostic::error("N0003", span, title).help(instead.to_owned()));
        }
    }
}

impl Task<'_> {
    /// Keeps the formulas about labels for those who answer them.
    pub(crate) fn label_formulas(&mut self) -> Vec<LabelFormula> {
        let mut keep = |formula: &Formula| LabelFormula {
            kind: formula.logic.kind(),
            file: self.sources.add(formula.origin.clone(), formula.text.clone()),
            name: formula.text.split_whitespace().collect::<Vec<_>>().join(" "),
        };
        self.options.formulas.iter().map(&mut keep).collect()
    }
}

/// Returns the words of a text up to a number of them, comments of the usual kinds left out.
pub(crate) fn words(text: &str, count: usize) -> Vec<&str> {
    let code = |line: &&str| {
        let line = line.trim_start();
        !["--", "//", "/*", "*", "(*", "#"].iter().any(|comment| line.starts_with(comment))
    };
    text.lines().filter(code).flat_map(str::split_whitespace).take(count).collect()
}

#[cfg(test)]
mod tests {
    use narrows_source::NoFiles;

    use super::{Options, identify, read};

    #[test]
    fn names_and_texts_tell_the_language() {
        let check = |name: &str, text: &str, language: &str, sign: Option<&str>| {
            let found = identify(name, text);
            assert_eq!((found.language.name(), found.sign), (language, sign), "{name}: {text}");
        };
        check("a.pml", "MODULE main", "Promela", None);
        check("A.SMV", "", "SMV", None);
        check("x/y.d/a.LOTOS", "", "LOTOS", None);
        check("a", "-- a comment\nMODULE main\nVAR x : boolean;", "SMV", Some("`MODULE`"));
        check("a.txt", "(* a comment *)\nspecification ring [a] : noexit", "LOTOS", Some("`specification`"));
        check("a.Aut", "", "AUT", None);
        check("a", "\n des(0, 1, 1)\n(0, a, 0)", "AUT", Some("`des (`"));
        check("a", "byte x; active proctype P() { skip }", "Promela", Some("`proctype`"));
        check("a", "x", "Promela", Some(""));
        check("a.AIG", "", "AIGER", None);
        check("a", "aag 0 0 0 0 0\n", "AIGER", Some("`aag`"));
    }

    #[test]
    fn what_may_be_another_language_is_said_to_be() {
        let check = |name: &str, text: &str, doubt: Option<&str>| {
            let rejected = read(name, text.to_owned(), &NoFiles, &Options::default()).expect_err("errors");
            let notes: Vec<&str> = rejected.diagnostics[0].notes.iter().map(String::as_str).collect();
            assert_eq!(notes.last().copied(), doubt, "{name}: {text}");
        };
        let lotos = "specification s [a] : noexit behaviour a; stop endspec";
        let doubt = "`a.pml` was taken for Promela by its name; `specification` in its text is LOTOS";
        check("a.pml", lotos, Some(doubt));
        check("a", "MODULE main VAR x boolean", Some("`a` was taken for SMV, as its text has `MODULE`"));
        check("a.smv", "MODULE main VAR x boolean", None);
        let doubt = "`a.smv` was taken for SMV by its name; `proctype` in its text is Promela";
        check("a.smv", "active proctype P() { skip }", Some(doubt));
    }
}
