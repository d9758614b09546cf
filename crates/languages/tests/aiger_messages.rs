//! What is said of circuits that can't be used: for each code a circuit, the line the message points to, and
//! what it must contain.

use std::collections::BTreeSet;

use narrows_languages::aiger::Aiger;
use narrows_languages::{Formula, Language, Logic, Options, read};
use narrows_source::{Explanation, LoadError, Loaded, Loader, Sources, render};

struct NoFiles;

impl Loader for NoFiles {
    fn load(&self, _: &str, _: &str, _: bool) -> Result<Loaded, LoadError> {
        Err(LoadError::NotFound { searched: "nowhere".to_owned() })
    }
}

type Said = Vec<(&'static str, usize, String)>;

fn said(text: &str, options: &Options) -> (bool, Said) {
    let show = |list: &[narrows_source::Diagnostic], sources: &Sources| {
        let line = |one: &narrows_source::Diagnostic| sources.position(one.primary.span).line;
        list.iter().map(|one| (one.code, line(one), render(one, sources, false))).collect()
    };
    match read("circuit.aag", text.to_owned(), &NoFiles, options) {
        Ok(read) => (true, show(&read.warnings, &read.model.sources)),
        Err(rejected) => (false, show(&rejected.diagnostics, &rejected.sources)),
    }
}

const CASES: &[(&str, &str, usize, &str)] = &[
    ("", "I0001", 1, "begins with `aag`"),
    ("aig 0 0 0 0 0\n", "I0001", 1, "binary form"),
    ("aag 1 0 1 0\n", "I0001", 1, "five to nine counts"),
    ("aag 1 0 1 0 0 0 0 0 0 0\n", "I0001", 1, "five to nine counts"),
    ("aag 1 1 1 0 0\n2\n4 4\n", "I0001", 1, "allows 1 variables, but has 2"),
    ("aag 1 0 1 0 0\n", "I0002", 2, "ends where a latch should stand"),
    ("aag 1 0 1 0 0\n2\n", "I0002", 2, "two or three numbers"),
    ("aag 1 1 0 0 0\nx\n", "I0002", 2, "`x` stands where an input should"),
    ("aag 2 1 0 0 1\n2\n4 2\n", "I0002", 3, "three numbers"),
    ("aag 1 0 1 0 0\n3 2\n", "I0003", 2, "3 can't be defined"),
    ("aag 1 1 0 0 0\n0\n", "I0003", 2, "0 can't be defined"),
    ("aag 1 0 1 0 0\n2 4\n", "I0003", 2, "beyond the 1 variables"),
    ("aag 1 0 1 0 0\n2 3 5\n", "I0003", 2, "5 is no first value"),
    ("aag 2 1 0 0 0 1\n2\n4\n", "I0004", 3, "4 is no input, latch or gate"),
    ("aag 2 2 0 0 0\n2\n2\n", "I0004", 3, "defined twice"),
    ("aag 3 1 0 0 2\n2\n4 6 2\n6 5 2\n", "I0004", 4, "looks at itself through others"),
    ("aag 2 1 0 0 1\n2\n4 4 2\n", "I0004", 3, "looks at itself"),
    ("aag 1 1 0 0 0\n2\ni1 request\n", "I0005", 3, "`i1` names nothing"),
    ("aag 1 1 0 0 0\n2\nl0 request\n", "I0005", 3, "`l0` names nothing"),
    ("aag 4294967295 0 0 0 0\n", "I0006", 1, "at most 2147483647 variables"),
    ("aag 2000000000 2000000000 0 0 0\n2\n", "I0002", 3, "ends where an input"),
    ("aag 1 0 1 1 0\n2 3\n2\n", "I0008", 1, "outputs are taken for them"),
];

#[test]
fn what_is_wrong_is_told_at_its_place() {
    let mut codes = BTreeSet::from(["I0007"]);
    for (text, code, line, phrase) in CASES {
        let (is_read, said) = said(text, &Options::default());
        assert_eq!(is_read, *code == "I0008", "{text}");
        let found =
            said.iter().any(|(found, at, message)| (found, at) == (code, line) && message.contains(phrase));
        assert!(found, "{text}: {said:?}");
        codes.insert(code);
    }
    let explained: Vec<String> = Explanation::read(Aiger.messages()).map(|one| one.code.to_owned()).collect();
    assert_eq!(codes.into_iter().collect::<Vec<_>>(), explained);
}

const ARBITER: &str = "\
aag 7 2 2 1 3 1
2
4
6 8 1
8 6
10
14
10 2 6
12 4 8
14 10 12
i0 request[0]
l0 token
l1 next
o0 grant[0]
b0 both
c
a comment
";

#[test]
fn names_of_the_file_are_those_of_formulas() {
    let formula = |logic: Logic, text: &str| Options {
        formulas: vec![Formula { logic, text: text.to_owned(), origin: "--ltl".to_owned() }],
        ..Options::default()
    };
    for text in ["G !both", "G (grant_0 -> request_0 & token)", "G F next_2", "F i1"] {
        let (is_read, told) = said(ARBITER, &formula(Logic::Ltl, text));
        assert!(is_read, "{text}: {told:?}");
    }
    let (is_read, told) = said(ARBITER, &formula(Logic::Ltl, "G !grant_1"));
    assert!(!is_read && told[0].2.contains("grant_1"), "{told:?}");
    let with = Options { definitions: vec!["token=TRUE".into()], ..Options::default() };
    let (is_read, told) = said(ARBITER, &with);
    assert!(!is_read && told[0].0 == "I0007", "{told:?}");
}
