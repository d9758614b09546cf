//! Models for tests.

use std::fmt::Write as _;

use narrows_graph::random::Random;
use narrows_languages::promela::{Options, compile};
use narrows_languages::{Formula, Logic};
use narrows_model::{Expr, System};
use narrows_source::{Diagnostics, NoFiles, Sources};

use crate::timing::Delayed;
use crate::{Delay, Timing};

/// What tests ask about.
const PREDICATES: [&str; 19] = [
    "x == 0",
    "x == 1",
    "x == 2",
    "x == 3",
    "x == 4",
    "x >= 2",
    "y == 1",
    "y == 2",
    "got == 0",
    "got == 1",
    "true",
    "y == 1 && x == 1",
    "n == 0",
    "n == 1",
    "n == 2",
    "n > 0",
    "n == 3",
    "up",
    "x > 0",
];

/// Compiles a text, with those predicates that it has the variables for.
pub(crate) fn system(text: &str) -> System {
    let declared = |name: &str| {
        text.split(|c: char| !c.is_alphanumeric() && c != '_').any(|word| word == name) || name == "true"
    };
    let has = |predicate: &str| {
        let words = predicate.split(|c: char| !c.is_alphabetic()).filter(|word| !word.is_empty());
        words.into_iter().all(declared)
    };
    let formula =
        |text: &str| Formula { logic: Logic::Ltl, text: format!("({text})"), origin: "test".to_owned() };
    let formulas = PREDICATES.iter().filter(|text| has(text)).map(|text| formula(text)).collect();
    let mut sources = Sources::default();
    let file = sources.add("test.pml", text);
    let mut diagnostics = Diagnostics::default();
    let options = Options { formulas, ..Options::default() };
    let system = compile(&mut sources, file, &NoFiles, &options, &mut diagnostics);
    let problems: Vec<String> = diagnostics.sorted().iter().map(|one| one.title.clone()).collect();
    system.unwrap_or_else(|| panic!("{problems:?} in\n{text}"))
}

/// Returns one of the predicates.
pub(crate) fn predicate(system: &System, text: &str) -> Expr {
    let named = |name: &str| system.properties.iter().find(|property| property.name == name);
    let property = named(&format!("({text})")).unwrap_or_else(|| panic!("no predicate `{text}`"));
    property.claim.predicate().unwrap_or_else(|| panic!("`{text}` is no predicate"))
}

/// Gives delays to labels, and counts what happens at others.
pub(crate) fn timing(system: &System, delays: &[(&str, Delay)], events: &[&str]) -> Timing {
    let mut timing = Timing::new(system);
    let sites = |name: &str| {
        let (proctype, label) = name.split_once(':').unwrap();
        let sites = Timing::sites(system, proctype, label);
        assert!(!sites.is_empty(), "no label {name}");
        sites
    };
    for (name, delay) in delays {
        let delayed = Delayed { name: (*name).to_owned(), delay: delay.clone(), speed: None };
        timing.delay(&sites(name), delayed);
    }
    for name in events {
        timing.event(&sites(name), name);
    }
    timing
}

/// Writes a drive with some slots and channels: which pages are wanted is left to chance.
pub(crate) fn drive(random: &mut Random) -> (String, usize) {
    let (slots, channels) = (random.between(2, 4), random.between(2, 3));
    let mut text = format!(
        "#define N {slots}
        chan submission = [N] of {{ byte }}; chan wanted[{channels}] = [N] of {{ byte }};
        chan pages = [N] of {{ byte }}; bit finished[N]; byte x;
        active [N] proctype slot() {{
          do :: submit: submission!_pid; complete: atomic {{ finished[_pid] -> finished[_pid] = 0 }} od
        }}
        active proctype engine() {{ byte command;
          do
          :: atomic {{ pages?command -> x = 1 }}; back: atomic {{ x = 0; finished[command] = 1 }}
          :: atomic {{ empty(pages) && submission?[_] -> submission?command; x = 1 }}; fetch: x = 0;
             page: if"
    );
    for channel in 0..channels {
        let _ = write!(text, " :: wanted[{channel}]!command");
    }
    text.push_str(" fi od }\n");
    let _ = write!(
        text,
        "active [{channels}] proctype channel() {{ byte command;
          do :: wanted[_pid - N - 1]?command; flash: pages!command od }}"
    );
    (text, channels)
}
